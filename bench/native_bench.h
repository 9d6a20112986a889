// SPDX-License-Identifier: Apache-2.0
// native_bench.h - what the files of bench_native share: the inputs that every library is given, and one result line.
//
// Inputs are a counter hash of a seed and an index, so that checksums can be compared digit by digit with other
// programs'.
#ifndef CHAAC_NATIVE_BENCH_H
#define CHAAC_NATIVE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "chaac/chaac.h"

#include "bench.h"

static inline uint32_t hashed(uint32_t seed, uint32_t i) {
    uint32_t x = i + seed * UINT32_C(0x9E3779B9);
    x ^= x >> 16;
    x *= UINT32_C(0x7FEB352D);
    x ^= x >> 15;
    x *= UINT32_C(0x846CA68B);
    return x ^ x >> 16;
}

// Realized tensors that the caller releases, NULL with the error set: in [-scale, scale) plus offset; 0 .. limit - 1.
ch_tensor *bench_uniform(uint32_t seed, ch_dtype d, int rank, const int64_t *dims, double scale, double offset);
ch_tensor *bench_integers(uint32_t seed, int rank, const int64_t *dims, uint32_t limit);
double bench_sum_abs(int n, ch_tensor *const *out); // in f64, order-free; NaN when it fails

typedef struct bench_result {
    double first, check, *runs; // seconds of the first call, compiling included; sorted runs
    int n_runs;
    double cpu;      // seconds of the processor of all runs, 0: not measured
    double flops;    // of a run; 0: not counted
    int kernels;     // of a run, -1: not counted
    const char *and; // more members of the JSON object, or NULL
} bench_result;

enum { BENCH_MOST_RUNS = 20000, BENCH_STEPS = 5 };
extern double bench_budget; // seconds of timed runs
double bench_cpu(void);     // of this process so far
// The line of a result; 1 when the checksum is not what it should be (0: nobody says).
int bench_line(const char *name, bench_result *r, double check);
int bench_kernels(const ch_func *f); // as ch_explain counts them

int bench_functions(const char *name); // native_functions.c: -1 when it has none of that name
int bench_training(const char *name);  // native_training.c: the same
int bench_serving(const char *name);   // native_serving.c: the same
int bench_jits(const char *name);      // native_jit.c: the same
void bench_names_functions(void);      // prints the names, one a line
void bench_names_training(void);
void bench_names_serving(void);
void bench_names_jits(void);

#define BODY(NAME)                                                                                                     \
    static ch_status NAME(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {                    \
        (void)user, (void)n_in, (void)n_out;
#define END                                                                                                            \
    return CH_OK;                                                                                                      \
    }

#endif
