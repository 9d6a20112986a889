// SPDX-License-Identifier: Apache-2.0
// test_programs.c - StableHLO programs with known values: on both engines, differentiated, written and read again.
//
// usage: test_programs [--only=ENGINE [--refuses=NAME,NAME]] FOLDER...
//
// Beside each NAME.mlir stands NAME.txt (make_jax.py has the format): inputs, results, gradients of the first result,
// or the exact refusal. Results on interp and native agree within the file's tolerance, integers exactly; gradients
// are those of this project's reverse mode, within ten times that; what is written from the func reads back and gives
// the same bits.
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

enum { MOST = 64 };

typedef struct {
    ch_dtype dtype;
    int rank;
    int64_t dims[8], n, known; // known: values that the file holds; "..." ends them
    double *values;
} numbers;

typedef struct {
    numbers in[MOST], out[MOST], grad[MOST];
    int n_in, n_out, n_grad;
    double relative, absolute;
    char refused[6144];
} expected;

static char *whole(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *text = calloc((size_t)n + 1, 1);
    if (!text || fread(text, 1, (size_t)n, f) != (size_t)n) abort();
    fclose(f);
    return text;
}

static ch_dtype dtype_of(const char *name) {
    for (int d = 1; d < 20; d++)
        if (ch_dtype_name((ch_dtype)d) && strcmp(ch_dtype_name((ch_dtype)d), name) == 0) return (ch_dtype)d;
    return (ch_dtype)0;
}

static void read_numbers(char *rest, numbers *out) {
    char *save = NULL, *word = strtok_r(rest, " ", &save);
    out->dtype = dtype_of(word);
    out->n = 1;
    while ((word = strtok_r(NULL, " ", &save)) != NULL && strcmp(word, ":") != 0)
        out->n *= out->dims[out->rank++] = strtoll(word, NULL, 10);
    out->values = calloc((size_t)out->n + 1, sizeof *out->values);
    while (out->known < out->n && (word = strtok_r(NULL, " ", &save)) != NULL && strcmp(word, "...") != 0)
        out->values[out->known++] = strtod(word, NULL);
}

static void read_expected(char *text, expected *e) {
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "tolerance ", 10) == 0) sscanf(line + 10, "%lf %lf", &e->relative, &e->absolute);
        if (strncmp(line, "in ", 3) == 0) read_numbers(line + 3, &e->in[e->n_in++]);
        if (strncmp(line, "out ", 4) == 0) read_numbers(line + 4, &e->out[e->n_out++]);
        if (strncmp(line, "grad ", 5) == 0) read_numbers(line + 5, &e->grad[e->n_grad++]);
        if (strncmp(line, "refused ", 8) == 0) {
            size_t n = strlen(e->refused);
            snprintf(e->refused + n, sizeof e->refused - n, "%s%s", n ? "\n" : "", line + 8);
        }
    }
}

static ch_tensor *tensor_of(const numbers *x) {
    bool is_float = (x->dtype >= CH_F16 && x->dtype <= CH_F64) || x->dtype == CH_F8E5M2;
    int64_t *ints = calloc((size_t)x->n + 1, sizeof *ints);
    for (int64_t i = 0; i < x->n; i++) ints[i] = is_float ? 0 : (int64_t)x->values[i];
    ch_tensor *t = NULL;
    t = ch_convert(is_float ? ch_from_f64(x->values, x->rank, x->dims) : ch_from_i64(ints, x->rank, x->dims), x->dtype);
    free(ints);
    return t;
}

static int case_number, failures;

static void report(bool good, const char *name, const char *what, const char *why) {
    if (!good) printf("# %s %s: %s\n", name, what, why);
    printf("%sok %d - %s: %s\n", good ? "" : "not ", ++case_number, name, what);
    failures += !good;
}

static bool near(double x, double y, double relative, double absolute) {
    if (x == y || (isnan(x) && isnan(y))) return true;
    return fabs(x - y) <= absolute + relative * fabs(y);
}

static bool agrees(const numbers *want, ch_tensor *got, double relative, double absolute, char why[200]) {
    bool exact = !(want->dtype >= CH_F16 && want->dtype <= CH_F64);
    if (ch_tensor_dtype(got) != want->dtype || ch_tensor_numel(got) != want->n) {
        snprintf(why, 200, "another type: %s of %lld", ch_dtype_name(ch_tensor_dtype(got)),
                 (long long)ch_tensor_numel(got));
        return false;
    }
    const double *v = ch_data(ch_convert(got, CH_F64));
    if (!v && want->n) {
        snprintf(why, 200, "%s", ch_error_message());
        return false;
    }
    for (int64_t i = 0; i < want->known; i++) {
        if (near(v[i], want->values[i], exact ? 0 : relative, exact ? 0 : absolute)) continue;
        snprintf(why, 200, "element %lld is %.9g, %.9g is expected", (long long)i, v[i], want->values[i]);
        return false;
    }
    return true;
}

// Runs f; compares its results with want; n below zero: the first -n of them.
static void run(const ch_func *f, const char *engine, const expected *e, const numbers *want, int n, double relative,
                double absolute, const char *name, const char *what) {
    ch_tensor *in[MOST], *out[MOST] = {NULL};
    ch_exec *x = NULL;
    char why[200] = "";
    int n_out = ch_func_num_results(f);
    bool good = true;
    for (int i = 0; i < e->n_in; i++) in[i] = tensor_of(&e->in[i]);
    bool part = n < 0; // the results begin with those
    if (part) n = -n;
    if ((part ? n_out < n : n_out != n) || n_out > MOST) {
        snprintf(why, sizeof why, "%d results, %d are expected", n_out, n);
        good = false;
    } else if (ch_compile(f, engine, NULL, &x) != CH_OK || ch_exec_run(x, e->n_in, in, n_out, out) != CH_OK) {
        snprintf(why, sizeof why, "%s", ch_error_message());
        good = false;
    }
    for (int i = 0; good && i < n; i++) good = agrees(&want[i], out[i], relative, absolute, why);
    report(good, name, what, why);
    for (int i = 0; i < n_out && i < MOST; i++) ch_release(out[i]);
    ch_exec_release(x);
}

// What f is written as reads back, to the same text, and gives `want`.
static void written(const ch_func *f, const expected *e, const numbers *want, int n, double slack, const char *name,
                    int generic) {
    ch_hlo_options o = {.struct_size = sizeof o, .generic = generic, .bare = slack > 1}; // a module has its func's name
    char *once = NULL, *twice = NULL;
    ch_func *g = NULL;
    bool good = ch_hlo_to_text(f, &o, &once) == CH_OK && ch_hlo_parse(once, "written.mlir", NULL, &g) == CH_OK &&
                ch_hlo_to_text(g, &o, &twice) == CH_OK;
    char why[2200];
    snprintf(why, sizeof why, "%s", good ? "another text" : ch_error_message());
    if (good) good = strcmp(once, twice) == 0 && strstr(once, "custom_call") == NULL;
    report(good, name, generic ? "written in the generic form" : "written in the pretty form", why);
    if (g) run(g, "interp", e, want, n, slack * e->relative, slack * e->absolute, name, "what was written runs");
    ch_string_free(once);
    ch_string_free(twice);
    ch_func_destroy(g);
}

static void gradients(const ch_func *f, const expected *e, const char *name, const char *engine) {
    ch_func *g = NULL;
    if (ch_gradient(f, NULL, &g) != CH_OK) {
        report(false, name, "gradients", ch_error_message());
        return;
    }
    bool more = ch_func_num_results(g) > e->n_grad; // other results follow
    int n = more ? -e->n_grad : e->n_grad;
    run(g, engine, e, e->grad, n, 10 * e->relative, 10 * e->absolute, name, "gradients");
    if (strcmp(engine, "interp") == 0) written(g, e, e->grad, n, 10, name, (int)strlen(name) % 2);
    ch_func_destroy(g);
}

// --only=ENGINE: that one alone; --refuses=NAME,NAME:gradients: programs, and gradients of programs, that it says it
// does not take.
static const char *only, *refuses = "";

static bool is_named(const char *list, const char *name) {
    for (size_t n; *list != '\0'; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (n == strlen(name) && strncmp(list, name, n) == 0) return true;
    }
    return false;
}

static void is_refused(const ch_func *f, const char *name, const char *what) {
    ch_exec *x = NULL;
    ch_status s = ch_compile(f, only, NULL, &x);
    report(s == CH_UNIMPLEMENTED, name, what, s == CH_OK ? "it is compiled" : ch_error_message());
    ch_exec_release(x);
}

static void on_that_engine(const ch_func *f, const expected *e, const char *name) {
    char of_gradients[300];
    ch_func *g = NULL;
    snprintf(of_gradients, sizeof of_gradients, "%s:gradients", name);
    if (is_named(refuses, name)) {
        is_refused(f, name, "refused");
        return;
    }
    run(f, only, e, e->out, e->n_out, e->relative, e->absolute, name, only);
    if (e->n_grad && is_named(refuses, of_gradients) && ch_gradient(f, NULL, &g) == CH_OK)
        is_refused(g, name, "gradients refused");
    else if (e->n_grad)
        gradients(f, e, name, only);
    ch_func_destroy(g);
}

static void one(const char *folder, const char *name) {
    char path[700];
    static expected e;
    memset(&e, 0, sizeof e);
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    char *text = whole(path), *program;
    snprintf(path, sizeof path, "%s/%s.mlir", folder, name);
    program = whole(path);
    if (!text || !program) {
        report(false, name, "files", "one is missing");
        return;
    }
    read_expected(text, &e);
    ch_func *f = NULL;
    ch_status s = ch_hlo_parse(program, name, NULL, &f);
    if (only != NULL) {
        if (!e.refused[0]) on_that_engine(f, &e, name);
    } else if (e.refused[0]) {
        report(s == CH_UNIMPLEMENTED && strcmp(ch_error_message(), e.refused) == 0, name, "refused",
               ch_error_message());
    } else if (s != CH_OK) {
        report(false, name, "read", ch_error_message());
    } else {
        bool native = strcmp(ch_engine_default(), "native") == 0 || getenv("CHAAC_ENGINE") != NULL;
        run(f, "interp", &e, e.out, e.n_out, e.relative, e.absolute, name, "on interp");
        if (native) run(f, "native", &e, e.out, e.n_out, e.relative, e.absolute, name, "on native");
        if (e.n_grad) gradients(f, &e, name, "interp");
        if (e.n_grad && native) gradients(f, &e, name, "native");
        written(f, &e, e.out, e.n_out, 1, name, 0);
        written(f, &e, e.out, e.n_out, 1, name, 1);
    }
    ch_func_destroy(f);
    for (int i = 0; i < e.n_in; i++) free(e.in[i].values);
    for (int i = 0; i < e.n_out; i++) free(e.out[i].values);
    for (int i = 0; i < e.n_grad; i++) free(e.grad[i].values);
    free(text);
    free(program);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(int argc, char **argv) {
    for (int k = 1; k < argc; k++) {
        if (strncmp(argv[k], "--only=", 7) == 0) only = argv[k] + 7;
        if (strncmp(argv[k], "--refuses=", 10) == 0) refuses = argv[k] + 10;
        if (argv[k][0] == '-') continue;
        DIR *d = opendir(argv[k]);
        char *names[400];
        int n = 0;
        if (!d) return 2;
        for (struct dirent *at; (at = readdir(d)) != NULL && n < 400;) {
            size_t len = strlen(at->d_name);
            if (len < 6 || strcmp(at->d_name + len - 5, ".mlir") != 0) continue;
            names[n] = strdup(at->d_name);
            names[n++][len - 5] = 0;
        }
        closedir(d);
        qsort(names, (size_t)n, sizeof *names, by_name);
        for (int i = 0; i < n; i++) {
            ch_scope scope = ch_scope_begin();
            one(argv[k], names[i]);
            if (ch_scope_end(scope) != CH_OK) abort();
            free(names[i]);
        }
        if (n == 0) return 2;
    }
    printf("1..%d\n", case_number);
    ch_thread_end();
    return failures != 0;
}
