// SPDX-License-Identifier: Apache-2.0
// largest.c - the largest size of a number of a matrix, infinite when one is infinite or NaN.
//
// Where masked weights are 0, a block of attention leaves out rows of values (cgen/seen.c); 0 times these is 0 only
// when they are finite. As integers the bits of |x| are in the order of the sizes, and behind those of all finite
// numbers stand infinity and NaN, so one maximum of integers says both.
#include "native/native.h"

#include <math.h>
#include <string.h>

#ifdef CH_HAVE_VECTORS
typedef CH_VECTOR(int32_t, 8) largest_i32x8;

#define LARGEST_VECTORS                                                                                                \
    largest_i32x8 most8 = {0}, x8;                                                                                     \
    for (; j + 8 <= n; j += 8) {                                                                                       \
        memcpy(&x8, p + j, sizeof x8);                                                                                 \
        x8 &= 0x7fffffff;                                                                                              \
        const largest_i32x8 more = x8 > most8;                                                                         \
        most8 = (x8 & more) | (most8 & ~more);                                                                         \
    }                                                                                                                  \
    for (int i = 0; i < 8; i++) most = most8[i] > most ? most8[i] : most;
#else
#define LARGEST_VECTORS
#endif

// Of n that lie side by side: the bits of the largest size, from `most` on.
CH_CLONES static int32_t largest_run(const float *p, int64_t n, int32_t most) {
    int64_t j = 0;
    LARGEST_VECTORS
    for (; j < n; j++) {
        int32_t x;
        memcpy(&x, p + j, sizeof x);
        x &= 0x7fffffff;
        most = x > most ? x : most;
    }
    return most;
}

static double largest_f32(int64_t rows, int64_t columns, const float *p, int64_t row, int64_t column) {
    int32_t most = 0;
    float f;
    for (int64_t i = 0; i < rows; i++) {
        const float *q = p + i * row;
        if (column == 1) {
            most = largest_run(q, columns, most);
            continue;
        }
        for (int64_t j = 0; j < columns; j++) most = largest_run(q + j * column, 1, most);
    }
    memcpy(&f, &most, sizeof f);
    return f - f == 0 ? (double)f : INFINITY;
}

static double largest_f64(int64_t rows, int64_t columns, const double *p, int64_t row, int64_t column) {
    double most = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double x = fabs(p[i * row + j * column]);
            if (!(x - x == 0)) return INFINITY;
            if (x > most) most = x;
        }
    return most;
}

static double largest_half(ch_dtype d, int64_t rows, int64_t columns, const uint16_t *p, int64_t row, int64_t column) {
    uint16_t most = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            uint16_t x = p[i * row + j * column] & 0x7fff;
            most = x > most ? x : most;
        }
    double f = d == CH_BF16 ? ch__bf16_to_f32(most) : ch__f16_to_f32(most);
    return f - f == 0 ? f : INFINITY;
}

double ch__native_largest(int dtype, int64_t rows, int64_t columns, const void *p, int64_t row, int64_t column) {
    if (row == 1 && column != 1) { // along what lies side by side
        int64_t n = rows;
        rows = columns, columns = n;
        row = column, column = 1;
    }
    if (dtype == CH_BF16 || dtype == CH_F16) return largest_half((ch_dtype)dtype, rows, columns, p, row, column);
    return dtype == CH_F32 ? largest_f32(rows, columns, p, row, column) : largest_f64(rows, columns, p, row, column);
}
