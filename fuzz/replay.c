// SPDX-License-Identifier: Apache-2.0
// replay.c - runs a fuzz target over every file of its corpus, one TAP case each.
//
// A case passes when the target comes back: what it checks it asserts, and a crash ends the program before the plan is
// fulfilled, which the test runner counts as a failure.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// The file's bytes in memory of exactly that size, so that a sanitizer sees one byte too far.
static uint8_t *read_file(const char *path, size_t *out_n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    uint8_t *data = NULL;
    if (fseek(f, 0, SEEK_END) == 0) {
        long n = ftell(f);
        rewind(f);
        data = n >= 0 ? malloc(n ? (size_t)n : 1) : NULL;
        if (data && fread(data, 1, (size_t)n, f) != (size_t)n) {
            free(data);
            data = NULL;
        }
        *out_n = (size_t)n;
    }
    fclose(f);
    return data;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    DIR *dir = opendir(argv[1]);
    if (!dir) {
        printf("Bail out! no folder %s\n", argv[1]);
        return 1;
    }
    char **names = NULL;
    int n = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        char **more = realloc(names, (size_t)(n + 1) * sizeof *names);
        if (!more || !(more[n] = strdup(e->d_name))) abort();
        names = more;
        n++;
    }
    closedir(dir);
    if (n == 0) {
        printf("Bail out! %s is empty\n", argv[1]);
        return 1;
    }
    qsort(names, (size_t)n, sizeof *names, by_name);
    printf("1..%d\n", n);
    int failed = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], names[i]);
        size_t size = 0;
        uint8_t *data = read_file(path, &size);
        if (data) LLVMFuzzerTestOneInput(data, size);
        printf("%s %d - %s\n", data ? "ok" : "not ok", i + 1, names[i]);
        fflush(stdout);
        failed += !data;
        free(data);
        free(names[i]);
    }
    free(names);
    return failed ? 1 : 0;
}
