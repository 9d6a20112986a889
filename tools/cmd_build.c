// SPDX-License-Identifier: Apache-2.0
// cmd_build.c - chaac build: a func as C to be built into other programs, and as a shared library.
//
//   chaac build step.ir --size n=32 -o model              model.c and model.h
//   chaac build step.ir --size n=32 -o model --shared     and model.so, with one entry that is always called the same
//
// The library is made by CHAAC_CC, else cc, gcc or clang; for another machine (CHAAC_TARGET=aarch64-linux-gnu) by the
// compiler of that name, aarch64-linux-gnu-gcc, else by clang --target=. What stands behind -- goes to it.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "sizes.h"
#include "source.h"

enum { MOST_GIVEN = 64, PATH_ROOM = 4096 };

typedef struct {
    const char *file, *func_name, *out;
    bool shared;
    ch_build_options options;
    const char *tie_params[MOST_GIVEN], *tie_results[MOST_GIVEN];
    sizes given;
    int n_flags;
    char **flags; // behind --
} build_job;

static const char *const build_valued[] = {"--func", "--size", "--update", "--heap", "--out", NULL};

// "left=right" cut in two; NULL: it has no "=".
static char *cut_at_equals(char *text) {
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') return NULL;
    *equals = '\0';
    return equals + 1;
}

static int add_ties(build_job *j, char *text) {
    for (char *at = text, *next; at != NULL; at = next) {
        next = strchr(at, ',');
        if (next != NULL) *next++ = '\0';
        char *value = cut_at_equals(at);
        if (value == NULL || j->options.n_ties == MOST_GIVEN)
            return usage_error("build", "--update=%s — write a param and the result that takes its place, w=w_next",
                               at);
        j->tie_params[j->options.n_ties] = at;
        j->tie_results[j->options.n_ties++] = value;
    }
    return OK;
}

static int read_build(int argc, char **argv, build_job *j) {
    options o = {argc, argv, 1};
    const char *value;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            j->flags = argv + i + 1;
            j->n_flags = argc - i - 1;
            o.argc = i;
            break;
        }
    for (const char *arg; (arg = next_argument(&o, build_valued, &value)) != NULL;) {
        int status = OK;
        if (strcmp(arg, "--shared") == 0)
            j->shared = true;
        else if (strcmp(arg, "-o") == 0 && o.at < o.argc)
            j->out = o.argv[o.at++];
        else if (arg[0] == '-' && value == NULL)
            status = usage_error("build", "\"%s\" is unknown or needs a value", arg);
        else if (strcmp(arg, "--func") == 0)
            j->func_name = value;
        else if (strcmp(arg, "--out") == 0)
            j->out = value;
        else if (strcmp(arg, "--size") == 0)
            status = add_size("build", (char *)(uintptr_t)value, &j->given);
        else if (strcmp(arg, "--update") == 0)
            status = add_ties(j, (char *)(uintptr_t)value);
        else if (strcmp(arg, "--heap") == 0 &&
                 (!whole_number(value, &j->options.heap_bytes) || j->options.heap_bytes < 0))
            status = usage_error("build", "--heap=%s — write a number of bytes", value);
        else if (arg[0] != '-' && j->file == NULL)
            j->file = arg;
        else if (arg[0] != '-')
            status = usage_error("build", "\"%s\" is one file too many", arg);
        if (status != OK) return status;
    }
    if (j->file == NULL) return usage_error("build", "no file is named");
    if (j->out == NULL)
        return usage_error("build", "-o says what the files are called: -o model makes model.c, model.h");
    if (j->n_flags > 0 && !j->shared)
        return usage_error("build", "flags behind -- are for the compiler of the library: they go with --shared");
    return OK;
}

// ---- files
static int write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    bool good = f != NULL && fputs(text, f) >= 0;
    if (f != NULL && fclose(f) != 0) good = false;
    if (good)
        fprintf(stderr, "wrote %s\n", path);
    else
        fprintf(stderr, "chaac build: %s could not be written\n", path);
    return good ? OK : FAILED;
}

// ---- the library
static bool in_path(const char *name) {
    const char *path = getenv("PATH");
    char whole[PATH_ROOM];
    if (strchr(name, '/') != NULL) return access(name, X_OK) == 0;
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; *at != '\0';) {
        size_t n = strcspn(at, ":");
        if (n > 0 && snprintf(whole, sizeof whole, "%.*s/%s", (int)n, at, name) < PATH_ROOM && access(whole, X_OK) == 0)
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

// The compiler for this machine or for CHAAC_TARGET; target: "", or an argument that names it.
static int find_build_compiler(char *name, size_t cap, char *target, size_t target_cap) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *own = getenv("CHAAC_CC"), *machine = getenv("CHAAC_TARGET");
    target[0] = '\0';
    if (machine != NULL && *machine != '\0') {
        snprintf(name, cap, "%s-gcc", machine);
        if (in_path(name)) return OK;
        snprintf(name, cap, "%s", own != NULL && strstr(own, "clang") != NULL ? own : "clang");
        snprintf(target, target_cap, "--target=%s", machine);
        if (in_path(name)) return OK;
        fprintf(stderr,
                "chaac build: no compiler for CHAAC_TARGET=%s is found (%s-gcc, clang) — install one; Debian's is "
                "gcc-%s\n",
                machine, machine, machine);
        return FAILED;
    }
    if (own != NULL && *own != '\0') {
        snprintf(name, cap, "%s", own);
        if (in_path(name)) return OK;
        fprintf(stderr, "chaac build: CHAAC_CC is \"%s\" and no such program is found\n", own);
        return FAILED;
    }
    for (int i = 0; i < 3; i++) {
        snprintf(name, cap, "%s", usual[i]);
        if (in_path(name)) return OK;
    }
    fprintf(stderr, "chaac build: no C compiler is found (cc, gcc, clang in PATH) — install gcc, or name one in "
                    "CHAAC_CC\n");
    return FAILED;
}

static int make_library(const build_job *j, const char *source) {
    char compiler[PATH_ROOM], target[256], library[PATH_ROOM];
    int status = find_build_compiler(compiler, sizeof compiler, target, sizeof target);
    if (status != OK) return status;
    snprintf(library, sizeof library, "%.4000s.so", j->out);
    const char **argv = calloc((size_t)j->n_flags + 20, sizeof *argv);
    if (argv == NULL) return FAILED;
    int n = 0;
    argv[n++] = compiler;
    if (target[0] != '\0') argv[n++] = target;
    static const char *const flags[] = {"-std=c99",        "-O2",   "-ffp-contract=off", "-fno-builtin",
                                        "-fno-math-errno", "-fPIC", "-shared",           "-DCHAAC_SHARED"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) argv[n++] = flags[i];
    for (int i = 0; i < j->n_flags; i++) argv[n++] = j->flags[i];
    const char *const last[] = {"-o", library, source, "-lm"};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) argv[n++] = last[i];
    status = run_program("build", argv);
    free(argv);
    if (status == OK)
        fprintf(stderr, "wrote %s\n", library);
    else
        fprintf(stderr, "chaac build: %s could not make %s\n", compiler, library);
    return status == OK ? OK : FAILED;
}

static int build(build_job *j, ch_func *f) {
    char source[PATH_ROOM], header[PATH_ROOM], *c = NULL, *h = NULL;
    const char *slash = strrchr(j->out, '/');
    j->options.struct_size = sizeof j->options;
    j->options.name = slash != NULL ? slash + 1 : j->out;
    j->options.n_sizes = j->given.n;
    j->options.size_names = j->given.names;
    j->options.sizes = j->given.values;
    j->options.tie_params = j->tie_params;
    j->options.tie_results = j->tie_results;
    if (ch_func_build(f, &j->options, &c, &h) != CH_OK) return library_error();
    snprintf(source, sizeof source, "%.4000s.c", j->out);
    snprintf(header, sizeof header, "%.4000s.h", j->out);
    int status = write_text(source, c);
    if (status == OK) status = write_text(header, h);
    if (status == OK && j->shared) status = make_library(j, source);
    ch_string_free(c);
    ch_string_free(h);
    return status;
}

// The name of the files is that of the functions, so it has to be one in C.
static int check_name(const build_job *j) {
    const char *slash = strrchr(j->out, '/'), *name = slash != NULL ? slash + 1 : j->out;
    static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    if (*name == '\0' || strspn(name, good) != strlen(name) || (*name >= '0' && *name <= '9') || *name == '_')
        return usage_error("build", "-o %s — \"%s\" is the functions' name too: letters, digits and _, a letter first",
                           j->out, name);
    return OK;
}

int cmd_build(int argc, char **argv) {
    static build_job j;
    ch_func *f = NULL;
    int status = read_build(argc, argv, &j);
    if (status == OK) status = check_name(&j);
    if (status != OK) return status;
    if (load_source(j.file, j.func_name, &f) != CH_OK) return library_error();
    status = build(&j, f);
    ch_func_destroy(f);
    return status;
}
