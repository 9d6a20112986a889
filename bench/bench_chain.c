// SPDX-License-Identifier: Apache-2.0
// bench_chain.c - a chain of scalar functions: capture, reverse and simplify it; time and memory by length.
//
// The bars: 10,000 nodes in 50 ms, ten times as many in at most twelve times that, 400 bytes an op.
#include <chaac/chaac.h>

#include "bench.h"

static void must(ch_status s) {
    if (s == CH_OK) return;
    fprintf(stderr, "%s\n", ch_error_message());
    exit(1);
}

// h <- sin(h) * x, half as many times as there are nodes asked for.
static ch_status chain(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    ch_tensor *h = in[0];
    for (int i = *(const int *)user / 2; i > 0; i--) h = ch_mul(ch_sin(h), in[0]);
    out[0] = h;
    return CH_OK;
}

static double once(int nodes, double *out_bytes) {
    ch_func *f = NULL, *g = NULL;
    const double start = bench_now();
    ch_scope s = ch_scope_begin();
    must(ch_capture(chain, &nodes, "x: f64[]", 1, &f));
    must(ch_value_and_grad(f, "x", &g));
    const double seconds = bench_now() - start;
    must(ch_scope_end(s));
    *out_bytes = (double)ch_func_bytes(g) / (double)ch_func_num_ops(g);
    ch_func_destroy(f);
    ch_func_destroy(g);
    return seconds;
}

int main(void) {
    enum { RUNS = 7 };
    double short_runs[RUNS], long_runs[3], bytes[1];
    for (int r = 0; r < RUNS; r++) short_runs[r] = 1e3 * once(10000, bytes);
    bench_report("capture, reverse, simplify: 10,000 nodes", short_runs, RUNS, "ms", 50);
    bench_report("bytes an op of the gradient", bytes, 1, "bytes", 400);
    for (int r = 0; r < 3; r++) long_runs[r] = 1e3 * once(100000, bytes);
    bench_report("capture, reverse, simplify: 100,000 nodes", long_runs, 3, "ms", 12 * short_runs[0]);
    ch_thread_end();
    return 0;
}
