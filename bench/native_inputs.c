// SPDX-License-Identifier: Apache-2.0
// native_inputs.c - the inputs of bench_native and bench_hlo: counter hashes, the same in other libraries' programs.
#include "native_bench.h"

ch_tensor *bench_uniform(uint32_t seed, ch_dtype d, int rank, const int64_t *dims, double scale, double offset) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    ch_tensor *t = NULL;
    float *v = malloc((size_t)n * sizeof *v);
    if (v == NULL) return NULL;
    for (int64_t i = 0; i < n; i++) {
        float u = (float)(hashed(seed, (uint32_t)i) >> 8) * 0x1p-23f - 1.0f;
        v[i] = u * (float)scale + (float)offset;
    }
    t = d == CH_F32 ? ch_from_f32(v, rank, dims) : ch_convert(ch_from_f32(v, rank, dims), d);
    t = ch_realize(t) == CH_OK ? ch_keep(t) : NULL;
    free(v);
    return t;
}

ch_tensor *bench_integers(uint32_t seed, int rank, const int64_t *dims, uint32_t limit) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    int32_t *v = malloc((size_t)n * sizeof *v);
    if (v == NULL) return NULL;
    for (int64_t i = 0; i < n; i++) v[i] = (int32_t)(hashed(seed, (uint32_t)i) % limit);
    ch_tensor *t = ch_from_i32(v, rank, dims);
    t = ch_realize(t) == CH_OK ? ch_keep(t) : NULL;
    free(v);
    return t;
}
