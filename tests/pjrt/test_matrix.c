// SPDX-License-Identifier: Apache-2.0
// test_matrix.c - every op and dtype of tests/ops on the engine "pjrt" against the interpreter.
//
// usage: test_matrix [--all|--each] [--part=I/N] FOLDER [OP[/DTYPE]]
//
// The device is $CHAAC_PJRT_TARGET's (target.h); N processes, each with a part, share the compiles. Of cases that
// stand together, of one op, dtype and name, the one with the most elements runs; with --all every one, with --each one
// of an op and dtype. Integers and bool are equal, NaN equals NaN, floats lie within docs/precision.def's limit of
// programs. What StableHLO text cannot say is refused by ch_compile and counted; nothing else may be. What the plugin
// is known to compute wrongly is named.
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ops/vectors.h"
#include "../precision.h"
#include "chaac/chaac.h"
#include "target.h"

static int part, parts = 1, n_chosen;
static bool each;
static int n_ran, n_refused, n_bad, n_wrong_there;

// Of lammps-jax-pjrt-cpu 0.11.2: elements of atan change places where eight are computed at once; with
// --xla_cpu_prefer_vector_width=128, and in other plugins, they do not.
static bool wrong_there(const vec_case *c) {
    if (strcmp(c->op, "atan") != 0 || !target_on_host()) return false;
    n_wrong_there++;
    return true;
}

static double value_of(ch_dtype d, const unsigned char *p) {
    uint16_t h;
    float f;
    double v;
    switch (d) {
    case CH_F16:
    case CH_BF16: memcpy(&h, p, sizeof h); return d == CH_F16 ? (double)ch__f16_to_f32(h) : (double)ch__bf16_to_f32(h);
    case CH_F32: memcpy(&f, p, sizeof f); return (double)f;
    default: memcpy(&v, p, sizeof v); return v;
    }
}

// XLA takes subnormal numbers for 0, so inputs have zeros in their places for both; and in those of NaN in windows,
// where StableHLO's comparison lets another element win than ours (docs/known-issues.md).
static void *comparable(const vec_array *a, bool no_nan) {
    size_t size = ch_dtype_size(a->dtype);
    unsigned char *copy = calloc((size_t)a->n + 1, size);
    if (a->n > 0) memcpy(copy, a->data, (size_t)a->n * size);
    double least = a->dtype == CH_F64 ? 0x1p-1022 : a->dtype == CH_F16 ? 0x1p-14 : 0x1p-126;
    for (int64_t i = 0; a->dtype >= CH_F16 && a->dtype <= CH_F64 && i < a->n; i++) {
        unsigned char *p = copy + (size_t)i * size;
        double v = value_of(a->dtype, p);
        if (fabs(v) < least || (no_nan && isnan(v))) memset(p, 0, size);
    }
    return copy;
}

// XLA's extremes on the CPU may give the other operand where one is NaN, and so does what is made of them; its digamma
// is -inf at 0 where ours has no value.
static bool loses_nan(const vec_case *c) {
    static const char *const names[] = {"min", "max", "clamp", "hypot", "digamma", "polygamma"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(c->op, names[i]) == 0 || strcmp(c->name, names[i]) == 0) return true;
    return strstr(c->name, "min") != NULL || strstr(c->name, "max") != NULL;
}

// A NaN of f8e5m2 may have another payload.
static double f8_distance(const unsigned char *want, const unsigned char *got, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (want[i] != got[i] && !((want[i] & 0x7f) > 0x7c && (got[i] & 0x7f) > 0x7c)) return INFINITY;
    return 0;
}

// How far got lies from want at the worst place, in the limit's unit (of the largest absolute value); 0: alike.
static double distance(ch_dtype d, const void *want, const void *got, int64_t n, bool loses_nan, int64_t *where) {
    size_t size = ch_dtype_size(d);
    if (d == CH_F8E5M2) return f8_distance(want, got, n);
    if (d < CH_F16 || d > CH_F64) return memcmp(want, got, (size_t)n * size) == 0 ? 0 : INFINITY;
    double scale = 1, worst = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = fabs(value_of(d, (const unsigned char *)want + (size_t)i * size));
        if (isfinite(w) && w > scale) scale = w;
    }
    for (int64_t i = 0; i < n; i++) {
        double w = value_of(d, (const unsigned char *)want + (size_t)i * size);
        double g = value_of(d, (const unsigned char *)got + (size_t)i * size);
        if (w == g || (isnan(w) && (isnan(g) || loses_nan))) continue;
        double off = fabs(w - g) / scale;
        if (off <= worst) continue;
        worst = isnan(off) ? INFINITY : off;
        *where = i;
    }
    return worst;
}

// Products of f32 are made of fewer bits on CUDA.
static double limit_of(const vec_case *c, ch_dtype d) {
    char engine[32];
    bool product = strcmp(c->op, "dot") == 0 || strcmp(c->op, "conv") == 0;
    if (d < CH_F16 || d > CH_F64) return 0;
    snprintf(engine, sizeof engine, "pjrt %s", target_name());
    bool fewer = product && d == CH_F32 && strcmp(target_name(), "cuda") == 0;
    return ch_test_limit(engine, fewer ? "dot" : "program", ch_dtype_name(d), "size");
}

static void bad(const vec_case *c, const char *what) {
    n_bad++;
    printf("# %s %s %s: %s\n# %.*s\n", c->op, ch_dtype_name(c->dtype), c->name, what, (int)c->text_n, c->text);
}

static void compare(const vec_case *c, ch_tensor *const *want, ch_tensor *const *got) {
    for (int i = 0; i < c->n_out; i++) {
        ch_dtype d = ch_tensor_dtype(want[i]);
        int64_t at = 0;
        double off = distance(d, ch_data(want[i]), ch_data(got[i]), ch_tensor_numel(want[i]), loses_nan(c), &at);
        char said[200];
        snprintf(said, sizeof said, "result %d is off by %g at element %lld, %g is allowed", i, off, (long long)at,
                 limit_of(c, d));
        if (!(off <= limit_of(c, d))) bad(c, said);
    }
}

// XLA's power of integers looks at few bits of the exponent (3 to the 65536 is 1), so exponents are small here.
static void small_exponents(const vec_case *c, unsigned char *data) {
    size_t size = ch_dtype_size(c->in[1].dtype);
    for (size_t k = 0; k < (size_t)c->in[1].n * size; k++) data[k] = k % size == 0 ? data[k] & 15 : 0;
}

static void run_case(const vec_case *c) {
    if (n_chosen++ % parts != part) return;
    char *text = calloc(c->text_n + 1, 1);
    memcpy(text, c->text, c->text_n);
    ch_func *f = NULL;
    ch_exec *reference = NULL, *device = NULL;
    ch_scope scope = ch_scope_begin();
    ch_tensor *in[CH__VEC_MAX], *want[CH__VEC_MAX] = {NULL}, *got[CH__VEC_MAX] = {NULL};
    for (int i = 0; i < c->n_in; i++) {
        void *data = comparable(&c->in[i], strcmp(c->op, "select_and_scatter") == 0);
        if (i == 1 && strcmp(c->op, "pow") == 0 && c->in[1].dtype < CH_F16) small_exponents(c, data);
        in[i] = ch_from_data(c->in[i].dtype, data, c->in[i].rank, c->in[i].dims);
        free(data);
    }
    if (ch_func_parse(text, "case", &f) != CH_OK || ch_compile(f, "interp", NULL, &reference) != CH_OK ||
        ch_exec_run(reference, c->n_in, in, c->n_out, want) != CH_OK)
        bad(c, ch_error_message());
    else if ((ch_compile(f, "pjrt", NULL, &device) != CH_OK ||
              ch_exec_run(device, c->n_in, in, c->n_out, got) != CH_OK)) {
        if (strcmp(ch_error_id(), "unsupported") == 0)
            n_refused++;
        else
            bad(c, ch_error_message());
    } else {
        n_ran++;
        compare(c, want, got);
    }
    for (int i = 0; i < c->n_out; i++) {
        ch_release(want[i]);
        ch_release(got[i]);
    }
    ch_exec_release(device);
    ch_exec_release(reference);
    ch_func_destroy(f);
    free(text);
    if (ch_scope_end(scope) != CH_OK) abort();
}

static int64_t elements(const vec_case *c) {
    int64_t n = 0;
    for (int i = 0; i < c->n_in; i++) n += c->in[i].n;
    for (int i = 0; i < c->n_out; i++) n += c->out[i].n;
    return n;
}

static bool alike(const vec_case *a, const vec_case *b) {
    return strcmp(a->op, b->op) == 0 && a->dtype == b->dtype && (each || strcmp(a->name, b->name) == 0);
}

static bool wanted(const vec_case *c, const char *only) {
    char name[100];
    snprintf(name, sizeof name, "%s/%s", c->op, ch_dtype_name(c->dtype));
    return only == NULL || strcmp(only, c->op) == 0 || strcmp(only, name) == 0;
}

// The largest case of each kind, in the order in which kinds first come; their data is the file's.
typedef struct {
    vec_case *best;
    size_t n, room;
} chosen;

static void choose(chosen *all, const vec_case *c) {
    for (size_t i = each || all->n == 0 ? 0 : all->n - 1; i < all->n; i++) {
        if (!alike(c, &all->best[i])) continue;
        if (elements(c) > elements(&all->best[i])) all->best[i] = *c;
        return;
    }
    if (all->n == all->room) {
        all->room = 2 * all->room + 64;
        all->best = realloc(all->best, all->room * sizeof *all->best);
        if (all->best == NULL) abort();
    }
    all->best[all->n++] = *c;
}

static void run_file(const char *path, bool all, const char *only) {
    vec_file f;
    vec_case c;
    chosen of = {NULL, 0, 0};
    vec_open(&f, path);
    while (vec_next(&f, &c)) {
        if (!wanted(&c, only) || wrong_there(&c)) continue;
        if (all)
            run_case(&c);
        else
            choose(&of, &c);
    }
    for (size_t i = 0; i < of.n; i++) run_case(&of.best[i]);
    free(of.best);
    vec_close(&f);
}

int main(int argc, char **argv) {
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    each = argc > 1 && strcmp(argv[1], "--each") == 0;
    argc -= all || each, argv += all || each;
    if (argc > 1 && strncmp(argv[1], "--part=", 7) == 0) {
        if (sscanf(argv[1], "--part=%d/%d", &part, &parts) != 2 || parts < 1 || part < 0 || part >= parts) return 2;
        argc--, argv++;
    }
    const char *folder = argc > 1 ? argv[1] : ".", *only = argc > 2 ? argv[2] : NULL;
    struct dirent **names;
    int n = scandir(folder, &names, NULL, alphasort);
    // One executable stays, so that the session does.
    ch_func *f = NULL;
    ch_exec *stays = NULL;
    if (ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[]) -> f32[] {\n  return %x\n}\n", "f", &f) != CH_OK ||
        ch_compile(f, "pjrt", NULL, &stays) != CH_OK) {
        printf("# %s\n", ch_error_message());
        return 1;
    }
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (strstr(names[i]->d_name, ".vec") != NULL) run_file(path, all, only);
        free(names[i]);
    }
    free(names);
    ch_exec_release(stays);
    ch_func_destroy(f);
    ch_thread_end();
    printf(
        "%d cases of ops as the interpreter has them, %d refused, %d wrong; %d of atan left out: wrong in the plugin\n",
        n_ran, n_refused, n_bad, n_wrong_there);
    return n_bad > 0 || n_ran == 0;
}
