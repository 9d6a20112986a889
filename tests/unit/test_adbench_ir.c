// SPDX-License-Identifier: Apache-2.0
// test_adbench_ir.c - value and gradient of the heat, lstm and gp programs of adbench, written in IR, against the
// references made in extended precision: at most 1e-10 apart, at full size, in the interpreter.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "chaac/func.h"
#include "interp/exec.h"
#include "unit.h"

#define DATA "tests/data/adbench-ir/"

// ---------------------------------------------------------------- inputs, as adbench makes them
static uint64_t seed;
static double uniform(void) {
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }
static double bell(void) {
    double s = -6.0;
    for (int i = 0; i < 12; i++) s += uniform();
    return s;
}

enum { MOST = 16384 };
static double a[MOST], b[MOST], c[MOST], d[MOST];

static ch__slot array(const double *x, int rank, int64_t n, int64_t m, int64_t k) {
    return (ch__slot){.dtype = CH_F64, .rank = rank, .dims = {n, m, k}, .data = (void *)(uintptr_t)x};
}

// ---------------------------------------------------------------- running
typedef struct {
    ch_func *g;
    ch__program *p;
    ch__arena *arena;
} program;

static void prepare(void *arg) {
    program *p = arg;
    p->arena = ch__arena_create();
    p->p = ch__interp_prepare(p->arena, p->g);
    ch__arena_keep(p->arena);
}

// The value, then the gradients one after another, against the numbers of the file.
static void check(const char *name, const char *wrt, int n_in, const ch__slot *in) {
    char path[128];
    ch_func *f = NULL;
    program p = {0};
    ch__slot out[4] = {{0}};
    snprintf(path, sizeof path, DATA "%s.ir", name);
    if (ch_func_load(path, NULL, &f) != CH_OK || ch_value_and_grad(f, wrt, &p.g) != CH_OK ||
        ch__protect(prepare, &p) != CH_OK)
        fail_msg("%s", ch_error_message());
    int n_out = p.g->body->n_results, n = 0;
    if (ch__interp_run(p.p, NULL, n_in, in, n_out, out) != CH_OK) fail_msg("%s", ch_error_message());
    snprintf(path, sizeof path, DATA "%s.txt", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n] %d", &n), 1);
    int seen = -1;
    for (int r = 0; r < n_out; r++) {
        int64_t size = 1;
        for (int i = 0; i < out[r].rank; i++) size *= out[r].dims[i];
        for (int64_t i = 0; i < size; i++, seen++) {
            double want, x = ((const double *)out[r].data)[i];
            char word[64];
            assert_int_equal(fscanf(file, "%63s", word), 1);
            assert_true(*ch__parse_f64(word, word + strlen(word), &want) == '\0');
            if (!(fabs(x - want) <= 1e-10 * fmax(1, fabs(x) + fabs(want))))
                fail_msg("%s: number %d is %.17g, the reference %.17g", name, seen, x, want);
        }
        ch__free_aligned(out[r].data);
    }
    assert_int_equal(seen, n);
    fclose(file);
    ch__arena_destroy(p.arena);
    ch_func_destroy(p.g);
    ch_func_destroy(f);
}

static void heat(void **state) {
    (void)state;
    enum { N = 256 };
    int64_t steps = 1000;
    double r = 0.25;
    seed = 5;
    for (int i = 0; i < N; i++) {
        a[i] = i > 64 && i < 128 ? 1.0 + 0.1 * uniform() : 0.1 * uniform();
        b[i] = between(0.5, 1.5);
        c[i] = i > 96 && i < 160 ? 0.6 : 0.1;
    }
    ch__slot in[5] = {{.dtype = CH_I64, .data = &steps},
                      array(&r, 0, 0, 0, 0),
                      array(a, 1, N, 0, 0),
                      array(b, 1, N, 0, 0),
                      array(c, 1, N, 0, 0)};
    check("heat", "u0, c", 5, in);
}

static void gp(void **state) {
    (void)state;
    enum { N = 64, D = 3 };
    double signal = 0.2, noise = -1.5;
    seed = 6;
    for (int i = 0; i < N; i++) {
        double *p = &b[i * D];
        for (int j = 0; j < D; j++) p[j] = between(-2.0, 2.0);
        c[i] = p[0] - 0.5 * p[1] * p[1] + 0.2 * p[0] * p[2] + 0.1 * bell();
    }
    for (int j = 0; j < D; j++) a[j] = 0.1 * (j + 1);
    ch__slot in[5] = {array(a, 1, D, 0, 0), array(&signal, 0, 0, 0, 0), array(&noise, 0, 0, 0, 0), array(b, 2, N, D, 0),
                      array(c, 1, N, 0, 0)};
    check("gp", "loglen, logsf, logsn", 5, in);
}

static void lstm(void **state) {
    (void)state;
    enum { L = 2, B = 14, C = 1024 };
    seed = 13;
    for (int i = 0; i < 8 * L * B; i++) a[i] = between(-1.0, 1.0);
    for (int i = 0; i < 3 * B; i++) b[i] = between(-1.0, 1.0);
    for (int i = 0; i < 2 * L * B; i++) c[i] = between(-1.0, 1.0);
    for (int i = 0; i < C * B; i++) d[i] = uniform() < 0.5 ? 0.0 : 1.0;
    ch__slot in[4] = {array(a, 3, L, 8, B), array(b, 2, 3, B, 0), array(c, 3, L, 2, B), array(d, 2, C, B, 0)};
    check("lstm", "par, extra", 4, in);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(heat), cmocka_unit_test(gp), cmocka_unit_test(lstm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
