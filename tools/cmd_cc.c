// SPDX-License-Identifier: Apache-2.0
// cmd_cc.c - chaac cc COMPILER ARGUMENTS: what the compiler would make, with the derivatives that its C files ask for.
//
//   chaac cc gcc -O2 -c foo.c -o foo.o      foo.o holds foo.c and its derivatives
//   chaac cc gcc -O2 main.c foo.c -o main   so does main
//
// For each C file that asks for derivatives they are written to a temporary file, compiled with the same flags and
// without warnings, and linked in: with -c into the object (the compiler's -r), else into the program. Everything else
// is passed on as it is. The compiler's exit status is the command's.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "cmd_c.h"

enum { PATH_ROOM = 4096, MOST_FILES = 256 };

typedef struct {
    int argc;
    char **argv;         // of the compiler
    bool compile, other; // -c; -E, -S, -M, which have no object
    const char *out;
    const char *files[MOST_FILES]; // C files
    int n_files;
    const char **flags; // of the compilation alone
    int n_flags;
    char folder[PATH_ROOM];
    char made[MOST_FILES][PATH_ROOM]; // objects of derivatives; "": none
} cc_job;

// ---- what the arguments are
static bool takes_value(const char *s) {
    static const char *const names[] = {"-o",       "-I",        "-D",         "-U",       "-L",    "-l",
                                        "-include", "-isystem",  "-MF",        "-MT",      "-MQ",   "-x",
                                        "-Xlinker", "-T",        "-target",    "-iquote",  "-arch", "-u",
                                        "-imacros", "--sysroot", "-idirafter", "-isysroot"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(s, names[i]) == 0) return true;
    return false;
}

static bool is_of_linking(const char *s) {
    return strncmp(s, "-l", 2) == 0 || strncmp(s, "-L", 2) == 0 || strncmp(s, "-Wl,", 4) == 0 ||
           strcmp(s, "-Xlinker") == 0 || strcmp(s, "-T") == 0 || strcmp(s, "-u") == 0 || strcmp(s, "-shared") == 0 ||
           strcmp(s, "-static") == 0 || strncmp(s, "-M", 2) == 0 || strcmp(s, "-c") == 0 || strcmp(s, "-o") == 0;
}

static bool is_c(const char *s) {
    size_t n = strlen(s);
    return n > 2 && strcmp(s + n - 2, ".c") == 0;
}

static int sort_arguments(cc_job *j) {
    for (int i = 1; i < j->argc; i++) {
        const char *s = j->argv[i];
        int n = takes_value(s) && i + 1 < j->argc ? 2 : 1;
        if (strcmp(s, "-c") == 0) j->compile = true;
        if (strcmp(s, "-E") == 0 || strcmp(s, "-S") == 0 || strcmp(s, "-M") == 0 || strcmp(s, "-MM") == 0 ||
            strcmp(s, "-fsyntax-only") == 0)
            j->other = true;
        if (strcmp(s, "-o") == 0 && n == 2) j->out = j->argv[i + 1];
        if (s[0] != '-' && is_c(s)) {
            if (j->n_files == MOST_FILES) return usage_error("cc", "more than %d C files at once", MOST_FILES);
            j->files[j->n_files++] = s;
        } else if (s[0] == '-' && !is_of_linking(s)) {
            for (int k = 0; k < n; k++) j->flags[j->n_flags++] = j->argv[i + k];
        }
        i += n - 1;
    }
    return OK;
}

// ---- running
static int write_derivatives(cc_job *j, int i, const char *path, bool *any) {
    char *text = NULL;
    int errors = 0;
    if (derivatives_of_c(j->files[i], j->n_flags, j->flags, &text, &errors) != CH_OK) return library_error();
    *any = text != NULL;
    int status = errors > 0 ? FAILED : OK;
    if (text != NULL) {
        FILE *f = fopen(path, "wb");
        if (f == NULL || fputs(text, f) < 0) status = FAILED;
        if (f != NULL && fclose(f) != 0) status = FAILED;
        if (status != OK) fprintf(stderr, "chaac cc: %s could not be written\n", path);
    }
    ch_string_free(text);
    return status;
}

// The object of the derivatives that a file asks for.
static int make_derivatives(cc_job *j, int i) {
    char source[PATH_ROOM + 32];
    bool any = false;
    snprintf(source, sizeof source, "%s/%d.grad.c", j->folder, i);
    int status = write_derivatives(j, i, source, &any);
    if (status != OK || !any) return status;
    snprintf(j->made[i], sizeof j->made[i], "%.4000s/%d.grad.o", j->folder, i);
    const char **argv = calloc((size_t)j->n_flags + 8, sizeof *argv);
    if (argv == NULL) return FAILED;
    int n = 0;
    argv[n++] = j->argv[0];
    for (int k = 0; k < j->n_flags; k++) argv[n++] = j->flags[k];
    const char *const last[] = {"-w", "-c", source, "-o", j->made[i]};
    for (size_t k = 0; k < sizeof last / sizeof *last; k++) argv[n++] = last[k];
    status = run_program("cc", argv);
    free(argv);
    remove(source);
    return status;
}

// foo.o of dir/foo.c
static const char *object_of(const char *file, char *buf, size_t cap) {
    const char *slash = strrchr(file, '/');
    snprintf(buf, cap, "%s", slash != NULL ? slash + 1 : file);
    buf[strlen(buf) - 1] = 'o';
    return buf;
}

// The compiler's object with that of the derivatives in it.
static int join_objects(cc_job *j, int i) {
    char name[PATH_ROOM], own[PATH_ROOM + 32];
    const char *object = j->out != NULL ? j->out : object_of(j->files[i], name, sizeof name);
    if (j->made[i][0] == '\0') return OK;
    snprintf(own, sizeof own, "%s/%d.joined.o", j->folder, i);
    const char **argv = calloc((size_t)j->n_flags + 8, sizeof *argv);
    if (argv == NULL) return FAILED;
    int n = 0;
    argv[n++] = j->argv[0];
    for (int k = 0; k < j->n_flags; k++) // which machine it is for
        if (strncmp(j->flags[k], "-m", 2) == 0 || strncmp(j->flags[k], "--target", 8) == 0) argv[n++] = j->flags[k];
    const char *const last[] = {"-r", "-nostdlib", object, j->made[i], "-o", own};
    for (size_t k = 0; k < sizeof last / sizeof *last; k++) argv[n++] = last[k];
    int status = run_program("cc", argv);
    free(argv);
    if (status != OK) return status;
    // Not rename: the folder may be on another device.
    const char *const copy[] = {"cp", own, object, NULL};
    status = run_program("cc", copy);
    remove(own);
    return status;
}

static int link_program(cc_job *j) {
    const char **argv = calloc((size_t)j->argc + (size_t)j->n_files + 1, sizeof *argv);
    if (argv == NULL) return FAILED;
    int n = 0, file = 0;
    for (int i = 0; i < j->argc; i++) {
        argv[n++] = j->argv[i];
        if (file >= j->n_files || j->argv[i] != j->files[file]) continue;
        if (j->made[file][0] != '\0' && !j->compile) argv[n++] = j->made[file];
        file++;
    }
    int status = run_program("cc", argv);
    free(argv);
    return status;
}

static int wrap(cc_job *j) {
    int status = OK;
    const char *tmp = getenv("TMPDIR");
    snprintf(j->folder, sizeof j->folder, "%.3900s/chaac-cc-XXXXXX", tmp != NULL && *tmp != '\0' ? tmp : "/tmp");
    if (mkdtemp(j->folder) == NULL) {
        fprintf(stderr, "chaac cc: %s: a folder there could not be made\n", j->folder);
        return FAILED;
    }
    for (int i = 0; i < j->n_files && status == OK; i++) status = make_derivatives(j, i);
    if (status == OK) status = link_program(j); // or compile, with -c: nothing is added
    for (int i = 0; i < j->n_files && status == OK && j->compile; i++) status = join_objects(j, i);
    for (int i = 0; i < j->n_files; i++)
        if (j->made[i][0] != '\0') remove(j->made[i]);
    rmdir(j->folder);
    return status;
}

int cmd_cc(int argc, char **argv) {
    static cc_job job;
    int from = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
    if (from >= argc || argv[from][0] == '-') return usage_error("cc", "no compiler is named");
    job.argc = argc - from;
    job.argv = argv + from;
    job.flags = calloc((size_t)argc + 1, sizeof *job.flags);
    if (job.flags == NULL) return FAILED;
    int status = sort_arguments(&job);
    if (status == OK && (job.other || job.n_files == 0)) {
        status = run_program("cc", (const char *const *)(uintptr_t)job.argv);
    } else if (status == OK) {
        status = wrap(&job);
    }
    free(job.flags);
    return status;
}
