// SPDX-License-Identifier: Apache-2.0
// bench_jit.c - what a replay costs the processor: one small kernel, and each further input. Bars: 0.3 us and 20 ns an
// input. The kernel adds 4 floats, so nearly all of it is the way there and back.
#include <chaac/chaac.h>
#include <time.h>

#include "bench.h"

enum { RUNS = 9, CALLS = 20000, WIDE = 64 };

static void must(ch_status s) {
    if (s == CH_OK) return;
    fprintf(stderr, "%s\n", ch_error_message());
    exit(1);
}

static ch_status add_all(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                         ch_tensor **out) {
    (void)user, (void)n_vars, (void)vars, (void)n_out;
    out[0] = ch_add(in[0], in[n_in - 1]);
    return CH_OK;
}

// Processor time, so that other work on the machine counts less.
static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double replay_us(ch_jit *j, int n_in, ch_tensor **in, ch_tensor **out) {
    const double start = processor_seconds();
    for (int i = 0; i < CALLS; i++) must(ch_jit_call(j, n_in, in, 0, NULL, out));
    return (processor_seconds() - start) / CALLS * 1e6;
}

int main(void) {
    ch_tensor *in[WIDE], *out[1] = {NULL}, *wide_out[1] = {NULL};
    for (int i = 0; i < WIDE; i++) in[i] = ch_full(CH_F32, i, 1, (int64_t[]){4});
    must(ch_realize_all(WIDE, in));
    ch_jit *two = ch_jit_create("two", add_all, NULL, 1), *wide = ch_jit_create("wide", add_all, NULL, 1);
    double small[RUNS], each[RUNS];
    for (int i = 0; i < 3; i++) {
        must(ch_jit_call(two, 2, in, 0, NULL, out));
        must(ch_jit_call(wide, WIDE, in, 0, NULL, wide_out));
    }
    for (int r = 0; r < RUNS; r++) {
        small[r] = replay_us(two, 2, in, out);
        each[r] = (replay_us(wide, WIDE, in, wide_out) - small[r]) / (WIDE - 2) * 1e3;
    }
    bench_report("replay of one small kernel", small, RUNS, "us", 0.3);
    bench_report("each further input of a replay", each, RUNS, "ns", 20);
    ch_release(out[0]);
    ch_release(wide_out[0]);
    ch_jit_destroy(two);
    ch_jit_destroy(wide);
    ch_thread_end();
    return 0;
}
