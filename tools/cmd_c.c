// SPDX-License-Identifier: Apache-2.0
// cmd_c.c - chaac grad and ir of C files: chaac grad [options] FILE.c... -- FLAGS.
//
// The C front end is a library of its own that needs libclang; a build without it says so here.
#include "cmd_c.h"

#include <stdlib.h>
#include <string.h>

bool is_c_file(const char *path) {
    size_t n = strlen(path), colon = strcspn(path, ":");
    return (n > 2 && strcmp(path + n - 2, ".c") == 0) ||
           (colon > 2 && colon < n && strncmp(path + colon - 2, ".c", 2) == 0);
}

bool names_c_file(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (argv[i][0] != '-' && is_c_file(argv[i])) return true;
    return false;
}

#if !defined(CHAAC_CFRONT)
static int no_front_end(const char *cmd) {
    fprintf(stderr,
            "chaac %s: this build has no C front end — install libclang 17 or later with its headers "
            "(apt-get install libclang-19-dev) and build again\n",
            cmd);
    return FAILED;
}

int grad_of_c(int argc, char **argv) {
    (void)argc;
    return no_front_end(argv[0]);
}

int ir_of_c(int argc, char **argv) {
    (void)argc;
    return no_front_end(argv[0]);
}

const char *explain_c(const char *code) {
    (void)code;
    return NULL;
}

const char *c_code_at(int i) {
    (void)i;
    return NULL;
}

ch_status derivatives_of_c(const char *path, int n_flags, const char *const *flags, char **out, int *errors) {
    (void)n_flags;
    (void)flags;
    *out = NULL;
    *errors = 0;
    return ch_error_set("unsupported", "%s: this build has no C front end — install libclang-19-dev and build again",
                        path);
}

ch_status load_c(const char *path, ch_func **out) {
    (void)path;
    *out = NULL;
    return ch_error_set("unsupported", "%s: this build has no C front end — install libclang-19-dev and build again",
                        path);
}

#else
#include "cfront/front.h"

const char *explain_c(const char *code) { return cf_explain(code); }
const char *c_code_at(int i) { return cf_code_at(i); }

typedef struct {
    cf_job job;
    const char *out, *depends, *target, *func, *header;
    bool depend, check;
    const char **files;
    char **list; // flags of a compilation database
} c_arguments;

// Flags for the compiler: those that libclang wants of what follows --.
static void take_flags(c_arguments *a, int argc, char **argv, int at, const char **flags) {
    static const char *const with_value[] = {"-o", "-MF", "-MT", "-MQ", NULL};
    for (; at < argc; at++) {
        bool skip = strcmp(argv[at], "-c") == 0 || strncmp(argv[at], "-W", 2) == 0 || strncmp(argv[at], "-O", 2) == 0 ||
                    strncmp(argv[at], "-M", 2) == 0;
        for (int i = 0; with_value[i] != NULL; i++)
            if (strcmp(argv[at], with_value[i]) == 0) {
                at++;
                skip = true;
                break;
            }
        if (!skip) flags[a->job.n_flags++] = argv[at];
    }
}

static int read_c_arguments(int argc, char **argv, c_arguments *a) {
    a->files = calloc((size_t)argc + 1, sizeof *a->files);
    const char **flags = calloc((size_t)argc + 1, sizeof *flags);
    if (a->files == NULL || flags == NULL) return FAILED;
    a->job.files = a->files;
    a->job.flags = flags;
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i];
        if (strcmp(s, "--") == 0) {
            take_flags(a, argc, argv, i + 1, flags);
            break;
        }
        if (strcmp(s, "-o") == 0 && i + 1 < argc) {
            a->out = argv[++i];
        } else if (strncmp(s, "--out=", 6) == 0) {
            a->out = s + 6;
        } else if (strncmp(s, "--depend=", 9) == 0) {
            a->depends = s + 9;
            a->depend = true;
        } else if (strcmp(s, "-p") == 0 && i + 1 < argc) {
            a->job.database = argv[++i];
        } else if (strncmp(s, "--database=", 11) == 0) {
            a->job.database = s + 11;
        } else if (strcmp(s, "-MD") == 0) {
            a->depend = true;
        } else if (strcmp(s, "-MF") == 0 && i + 1 < argc) {
            a->depends = argv[++i];
            a->depend = true;
        } else if (strcmp(s, "-MT") == 0 && i + 1 < argc) {
            a->target = argv[++i];
        } else if (strncmp(s, "--header=", 9) == 0) {
            a->header = s + 9;
        } else if (strcmp(s, "--lines") == 0) {
            a->job.lines = true;
        } else if (strcmp(s, "--check") == 0) {
            a->check = true;
        } else if (strcmp(s, "--no-strict") == 0) {
            a->job.lenient = true;
        } else if (strcmp(s, "--remarks") == 0) {
            a->job.remarks = true;
        } else if (strcmp(s, "--c") == 0) {
            a->job.c = true;
        } else if (strcmp(s, "--diagnostics=json") == 0) {
            a->job.json = true;
        } else if (strncmp(s, "--func=", 7) == 0) {
            a->job.func = s + 7;
        } else if (s[0] == '-') {
            return usage_error(argv[0], "\"%s\" is unknown here", s);
        } else {
            char *file = argv[i], *colon = strrchr(file, ':');
            if (colon != NULL && colon > file + 2 && strncmp(colon - 2, ".c", 2) == 0) { // FILE.c:f
                *colon = '\0';
                a->job.func = colon + 1;
            }
            a->files[a->job.n_files++] = file;
        }
    }
    return OK;
}

ch_status derivatives_of_c(const char *path, int n_flags, const char *const *flags, char **out, int *errors) {
    const char **wanted = calloc((size_t)n_flags + 1, sizeof *wanted);
    if (wanted == NULL) return ch_error_set("out_of_memory", "%s: no memory", path);
    c_arguments a = {.job = {.n_files = 1, .files = &path, .flags = wanted, .may_ask_nothing = true}};
    take_flags(&a, n_flags, (char **)(uintptr_t)flags, 0, wanted);
    ch_status s = cf_grad(&a.job, stderr, out, NULL, errors);
    free(wanted);
    return s;
}

static void free_arguments(c_arguments *a) {
    free(a->files);
    free((void *)(uintptr_t)a->job.flags);
}

static int write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    bool ok = f != NULL && fputs(text, f) >= 0;
    if (f != NULL && fclose(f) != 0) ok = false;
    if (ok) return OK;
    fprintf(stderr, "chaac: %s could not be written\n", path);
    return FAILED;
}

// Is what lies there what would be written?
static int check_fresh(const char *path, const char *text) {
    FILE *f = fopen(path, "rb");
    size_t n = strlen(text), at = 0;
    int c = 0;
    while (f != NULL && (c = fgetc(f)) != EOF && at < n && c == (unsigned char)text[at]) at++;
    bool same = f != NULL && c == EOF && at == n;
    if (f != NULL) fclose(f);
    if (!same) fprintf(stderr, "chaac grad: %s is not fresh — run chaac grad again\n", path);
    return same ? OK : FAILED;
}

static const char *changed_end(const char *path, const char *end, char *buf, size_t cap) { // foo.c -> foo.grad.c
    size_t n = strlen(path);
    snprintf(buf, cap, "%.*s%s", (int)(n > 2 ? n - 2 : n), path, end);
    return buf;
}

int grad_of_c(int argc, char **argv) {
    c_arguments a = {.out = NULL};
    char name[4096], other[4096];
    int status = read_c_arguments(argc, argv, &a), errors = 0;
    char *text = NULL, *depends = NULL, *header = NULL;
    a.job.header = a.header;
    a.job.header_text = &header;
    if (status == OK) {
        const char *to = a.out != NULL ? a.out : changed_end(a.files[0], ".grad.c", name, sizeof name);
        a.job.target = a.target != NULL ? a.target : to;
        if (cf_grad(&a.job, stderr, &text, &depends, &errors) != CH_OK)
            status = library_error();
        else if (errors > 0 || text == NULL)
            status = FAILED;
        else if (a.check)
            status = check_fresh(to, text);
        else if (a.out == NULL || strcmp(a.out, "-") == 0)
            status = fputs(text, stdout) < 0 ? FAILED : OK;
        else
            status = write_text(a.out, text);
        if (status == OK && header != NULL)
            status = a.check ? check_fresh(a.header, header) : write_text(a.header, header);
        if (status == OK && a.depend)
            status = write_text(a.depends != NULL ? a.depends : changed_end(to, ".d", other, sizeof other), depends);
    }
    ch_string_free(text);
    ch_string_free(depends);
    ch_string_free(header);
    free_arguments(&a);
    return status;
}

int ir_of_c(int argc, char **argv) {
    c_arguments a = {.out = NULL};
    int status = read_c_arguments(argc, argv, &a), errors = 0;
    char *text = NULL;
    if (status == OK) {
        if (cf_ir(&a.job, stderr, &text, &errors) != CH_OK) {
            status = library_error();
        } else {
            if (text != NULL) fputs(text, stdout);
            if (errors > 0) status = FAILED;
        }
    }
    ch_string_free(text);
    free_arguments(&a);
    return status;
}

ch_status load_c(const char *path, ch_func **out) {
    char *file = malloc(strlen(path) + 1), *text = NULL;
    if (file == NULL) return ch_error_set("out_of_memory", "%s: no memory", path);
    strcpy(file, path);
    char *colon = strrchr(file, ':');
    cf_job job = {.n_files = 1};
    if (colon != NULL) {
        *colon = '\0';
        job.func = colon + 1;
    }
    const char *files[1] = {file};
    job.files = files;
    int errors = 0;
    ch_status s = cf_ir(&job, stderr, &text, &errors);
    if (s == CH_OK && (errors > 0 || text == NULL))
        s = ch_error_set("unsupported", "%s: it cannot be lowered, see above", path);
    if (s == CH_OK) s = ch_func_parse(text, path, out);
    ch_string_free(text);
    free(file);
    return s;
}
#endif
