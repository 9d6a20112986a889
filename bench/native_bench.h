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
    double first, check; // seconds of the first call, compiling included
    double *runs;        // bench_repeat's, or the caller's; bench_line sorts them
    int n_runs;
    double cpu;      // seconds of the processor of all runs, 0: not measured
    double flops;    // of a run; 0: not counted
    int kernels;     // of a run, -1: not counted
    const char *and; // more members of the JSON object, or NULL
} bench_result;

enum { BENCH_STEPS = 5 };
// Times step for a second ($BENCH_BUDGET), five times at least; the runs lie in memory that the next call takes. false:
// one failed.
typedef bool bench_step(void *arg);
bool bench_repeat(bench_result *r, bench_step *step, void *arg);
bool bench_repeat_exec(bench_result *r, ch_exec *e, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);
// The line of a result, or of the error that is set; 1 then and when the checksum is not check (0: nobody says).
int bench_line(const char *name, bool good, bench_result *r, double check);
// Tables of workloads: n structs of so many bytes that begin with their name. -1: there is none.
int bench_find(const char *name, const void *table, size_t n, size_t bytes);
void bench_put_names(const void *table, size_t n, size_t bytes);
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
