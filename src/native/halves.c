// SPDX-License-Identifier: Apache-2.0
// halves.c - rows of f16 and bf16 as f32 and back, without branches, so that they go by vectors.
//
// The same bits as base/half.c gives one by one, which names the rules; here small numbers of f16 are rounded by an
// addition to 0.5, where a float's unit is 2^-24 as theirs is, so the rounding mode has to be to nearest.
#include "native/native.h"

#include <string.h>

static inline uint32_t row_bits(float v) {
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static inline float row_float(uint32_t b) {
    float v;
    memcpy(&v, &b, sizeof v);
    return v;
}

static inline float row_of_f16(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, a = h & 0x7fff, m = h & 0x3ff;
    uint32_t small = row_bits((float)(int32_t)m * 0x1p-24f), normal = (a << 13) + (112u << 23);
    uint32_t large = 0x7f800000 | (m ? 0x400000 : 0) | m << 13;
    return row_float(sign | (a < 0x400 ? small : a < 0x7c00 ? normal : large));
}

static inline uint16_t row_to_f16(float v) {
    uint32_t b = row_bits(v), a = b & 0x7fffffff, m = a - (112u << 23);
    uint32_t normal = (m + 0xfff + (m >> 13 & 1)) >> 13;
    uint32_t small = row_bits(row_float(a) + 0.5f) - 0x3f000000;
    uint32_t kept = a < 0x38800000 ? small : normal;
    kept = a < 0x477ff000 ? kept : 0x7c00; // 65520 and more round to infinity
    kept = a > 0x7f800000 ? 0x7e00 | (a >> 13 & 0x1ff) : kept;
    return (uint16_t)((b >> 16 & 0x8000) | kept);
}

static inline float row_of_bf16(uint16_t h) {
    uint32_t b = (uint32_t)h << 16;
    return row_float((b & 0x7fffffff) > 0x7f800000 ? b | 0x400000 : b);
}

static inline uint16_t row_to_bf16(float v) {
    uint32_t b = row_bits(v);
    return (uint16_t)((b & 0x7fffffff) > 0x7f800000 ? b >> 16 | 0x40 : (b + 0x7fff + (b >> 16 & 1)) >> 16);
}

CH_CLONES static void widen_row(bool f16, int64_t n, const uint16_t *restrict from, int64_t step, float *restrict to) {
    if (step != 1)
        for (int64_t i = 0; i < n; i++) to[i] = f16 ? row_of_f16(from[i * step]) : row_of_bf16(from[i * step]);
    else if (f16)
        for (int64_t i = 0; i < n; i++) to[i] = row_of_f16(from[i]);
    else
        for (int64_t i = 0; i < n; i++) to[i] = row_of_bf16(from[i]);
}

CH_CLONES static void narrow_row(bool f16, int64_t n, const float *restrict from, uint16_t *restrict to) {
    if (f16)
        for (int64_t i = 0; i < n; i++) to[i] = row_to_f16(from[i]);
    else
        for (int64_t i = 0; i < n; i++) to[i] = row_to_bf16(from[i]);
}

void ch__native_widen_row(bool f16, int64_t n, const uint16_t *from, int64_t step, float *to) {
    widen_row(f16, n, from, step, to);
}

void ch__native_narrow_row(bool f16, int64_t n, const float *from, uint16_t *to) { narrow_row(f16, n, from, to); }
