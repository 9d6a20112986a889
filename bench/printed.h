// SPDX-License-Identifier: Apache-2.0
// printed.h - for benchmarks of printed C: a func is printed, compiled with cc -O2 -ffp-contract=off and loaded.
#ifndef CHAAC_BENCH_PRINTED_H
#define CHAAC_BENCH_PRINTED_H

#include <chaac/chaac.h>

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static char folder[64];

static inline void must(ch_status s) {
    if (s == CH_OK) return;
    fprintf(stderr, "%s\n", ch_error_message());
    exit(1);
}

static inline void stop(const char *what, const char *name) {
    fprintf(stderr, "bench: %s %s\n", what, name);
    exit(1);
}

static inline double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---------------------------------------------------------------- building
static inline void *library(const char *name, const char *source) {
    char command[1024], path[256];
    snprintf(path, sizeof path, "%s/%s.so", folder, name);
    snprintf(command, sizeof command,
             "${CC:-cc} -O2 -std=c11 -ffp-contract=off -fPIC -shared -I../shared/adbench -o %s %s -lm", path, source);
    if (system(command) != 0) stop("this did not compile:", source);
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (lib == NULL) stop("cannot be loaded:", path);
    return lib;
}

static inline void *symbol(void *lib, const char *name) {
    void *p = dlsym(lib, name);
    if (p == NULL) stop("no function", name);
    return p;
}

static inline void *printed(const ch_func *f, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) stop("cannot write", path);
    must(ch_func_print_c(f, file));
    fclose(file);
    return symbol(library(name, path), ch_func_name(f));
}

static inline void open_folder(void) {
    snprintf(folder, sizeof folder, "/tmp/chaac-bench-XXXXXX");
    if (mkdtemp(folder) == NULL) stop("cannot make", folder);
}

static inline int close_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#endif
