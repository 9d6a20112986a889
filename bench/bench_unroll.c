// SPDX-License-Identifier: Apache-2.0
// bench_unroll.c - reverse mode and optimization of a chain of N scalar nodes: N/4 times x = sin(x) * exp(-x).
//
// What is measured: from the func to its simplified value-and-gradient func, and the bytes an op takes. Both are linear
// in N.
#include "bench.h"
#include "diff/diff.h"

typedef struct {
    int64_t nodes;
    ch_func *f, *g;
    double seconds;
} chain;

static void chain_build(void *arg) {
    chain *c = arg;
    ch__module *m = ch__module_create();
    c->f = ch__func_create(m, "chain");
    ch__value *x = ch__func_add_param(c->f, "x", ch__type_scalar(CH_F64));
    ch__builder b = ch__builder_at_end(c->f->body);
    for (int64_t i = 0; i < c->nodes / 4; i++) {
        ch__value *s = ch__b_unary(&b, CH_OP_sin, x);
        ch__value *e = ch__b_unary(&b, CH_OP_exp, ch__b_neg(&b, x));
        x = ch__b_mul(&b, s, e);
    }
    ch__func_set_results(c->f, 1, &x, NULL);
    ch__arena_keep(m->arena);
}

static void chain_reverse(void *arg) {
    chain *c = arg;
    int wrt = 0;
    ch__reverse_options o = {.n_wrt = 1, .wrt = &wrt, .include_value = true};
    double start = bench_now();
    c->g = ch__reverse(c->f, &o);
    c->seconds = bench_now() - start;
    ch__arena_keep(c->g->module->arena);
}

static void must(ch_status s) {
    if (s == CH_OK) return;
    fprintf(stderr, "%s\n", ch_error_message());
    exit(1);
}

static void measure(int64_t nodes, int n, double *out_ms, double *out_bytes) {
    chain c = {.nodes = nodes};
    must(ch__protect(chain_build, &c));
    for (int i = 0; i < n; i++) {
        must(ch__protect(chain_reverse, &c));
        out_ms[i] = 1e3 * c.seconds;
        *out_bytes = (double)ch__arena_bytes(c.g->module->arena) / (double)ch__count_ops(c.g);
        ch__module_destroy(c.g->module);
    }
    ch__module_destroy(c.f->module);
}

int main(void) {
    enum { SMALL_RUNS = 9, LARGE_RUNS = 5 };
    double small[SMALL_RUNS], large[LARGE_RUNS], bytes[1], ratio[1];
    measure(10000, SMALL_RUNS, small, bytes);
    bench_report("reverse, optimize: 10,000 scalar nodes", small, SMALL_RUNS, "ms", 30);
    bench_report("bytes an op of the gradient", bytes, 1, "bytes", 400);
    measure(100000, LARGE_RUNS, large, bytes);
    bench_report("reverse, optimize: 100,000 scalar nodes", large, LARGE_RUNS, "ms", 12 * small[0]);
    ratio[0] = large[0] / small[0];
    bench_report("ten times the nodes, times the time", ratio, 1, "x", 12);
    return 0;
}
