// SPDX-License-Identifier: Apache-2.0
// bench_unroll.c - reverse mode and optimization of a chain of N scalar nodes: N/4 times x = sin(x) * exp(-x).
//
// What is measured: from the func to its simplified value-and-gradient func, and the bytes an op takes. Both are linear
// in N.
#include <stdio.h>
#include <stdlib.h>

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
    double start = ch__now();
    c->g = ch__reverse(c->f, &o);
    c->seconds = ch__now() - start;
    ch__arena_keep(c->g->module->arena);
}

static int measure(int64_t nodes, int runs, double *out_seconds) {
    chain c = {.nodes = nodes};
    double best = 1e9, bytes = 0;
    int64_t ops = 0;
    if (ch__protect(chain_build, &c) != CH_OK) return 1;
    for (int i = 0; i < runs; i++) {
        if (ch__protect(chain_reverse, &c) != CH_OK) return 1;
        if (c.seconds < best) best = c.seconds;
        ops = ch__count_ops(c.g);
        bytes = (double)ch__arena_bytes(c.g->module->arena) / (double)ops;
        ch__module_destroy(c.g->module);
    }
    ch__module_destroy(c.f->module);
    printf("{\"bench\": \"unroll\", \"nodes\": %lld, \"ms\": %.3f, \"us_per_node\": %.3f, \"ops\": %lld, "
           "\"bytes_per_op\": %.0f}\n",
           (long long)nodes, best * 1e3, best * 1e6 / (double)nodes, (long long)ops, bytes);
    *out_seconds = best;
    return 0;
}

int main(void) {
    double small, large;
    if (measure(10000, 10, &small) || measure(100000, 5, &large)) {
        fprintf(stderr, "%s\n", ch_error_message());
        return 1;
    }
    printf("{\"bench\": \"unroll\", \"ratio_100000_to_10000\": %.2f}\n", large / small);
    return 0;
}
