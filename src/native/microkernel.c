// SPDX-License-Identifier: Apache-2.0
// microkernel.c - the inner loop of a matrix product: a few rows by one or two vectors of columns, in registers.
//
// Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008); the name is that of Van Zee and
// van de Geijn, "BLIS" (2015). Each turn of the loop over k reads one or two vectors of a row of b and multiplies them
// by one number of each row of a: with 12 rows and two vectors 24 multiply-adds for 14 reads. Processors start two
// reads and two multiply-adds of vectors a cycle and need 8 of the latter on their way, so that the reads cost
// nothing. Rows that are left over go by fewer; every element is the sum in the order of k wherever it stands, so that
// how a matrix is cut changes no bit. AVX-512 has 32 registers of 16 floats, AVX2 16 of 8; other processors take 16 of
// 4.
#include "native/native.h"

#include <string.h>

#ifdef CH_HAVE_VECTORS

#define MICROKERNEL(NAME, TARGET, T, V, ROWS, VECTORS)                                                                 \
    TARGET CH_FUSED static void NAME(int64_t k, const void *a_, int64_t am, int64_t ak, const void *b_, int64_t bk,    \
                                     void *c_, int64_t cm, bool add) {                                                 \
        CH_FUSED_BODY                                                                                                  \
        enum { WIDTH = (int)(sizeof(V) / sizeof(T)) };                                                                 \
        const T *a = a_, *b = b_;                                                                                      \
        T *c = c_;                                                                                                     \
        V sums[ROWS][VECTORS], row[VECTORS], old;                                                                      \
        CH_UNROLL for (int i = 0; i < ROWS; i++) CH_UNROLL for (int j = 0; j < VECTORS; j++) sums[i][j] = (V){0};      \
        for (int64_t x = 0; x < k; x++, a += ak, b += bk) {                                                            \
            CH_UNROLL for (int j = 0; j < VECTORS; j++) memcpy(&row[j], b + j * WIDTH, sizeof(V));                     \
            CH_UNROLL for (int i = 0; i < ROWS; i++) {                                                                 \
                T left = a[i * am];                                                                                    \
                CH_UNROLL for (int j = 0; j < VECTORS; j++) sums[i][j] += left * row[j];                               \
            }                                                                                                          \
        }                                                                                                              \
        CH_UNROLL for (int i = 0; i < ROWS; i++) CH_UNROLL for (int j = 0; j < VECTORS; j++) {                         \
            T *to = c + i * cm + j * WIDTH;                                                                            \
            if (add) memcpy(&old, to, sizeof(V)), sums[i][j] += old;                                                   \
            memcpy(to, &sums[i][j], sizeof(V));                                                                        \
        }                                                                                                              \
    }

#define BOTH_WIDTHS(NAME, TARGET, T, V, ROWS)                                                                          \
    MICROKERNEL(NAME##_##ROWS##x1, TARGET, T, V, ROWS, 1) MICROKERNEL(NAME##_##ROWS##x2, TARGET, T, V, ROWS, 2)
#define ROW(NAME, ROWS)                                                                                                \
    {                                                                                                                  \
        ROWS, { NAME##_##ROWS##x1, NAME##_##ROWS##x2 }                                                                 \
    }

// 16 registers: 12 sums, two vectors of b, a number of a.
#define OF_16_REGISTERS(NAME, TARGET, T, V, MOST)                                                                      \
    BOTH_WIDTHS(NAME, TARGET, T, V, 6)                                                                                 \
    BOTH_WIDTHS(NAME, TARGET, T, V, 4)                                                                                 \
    BOTH_WIDTHS(NAME, TARGET, T, V, 2)                                                                                 \
    BOTH_WIDTHS(NAME, TARGET, T, V, 1)                                                                                 \
    static const ch__microkernels NAME = {                                                                             \
        (int)(sizeof(V) / sizeof(T)), MOST, {ROW(NAME, 6), ROW(NAME, 4), ROW(NAME, 2), ROW(NAME, 1)}};

#define OF_32_REGISTERS(NAME, TARGET, T, V)                                                                            \
    BOTH_WIDTHS(NAME, TARGET, T, V, 12)                                                                                \
    BOTH_WIDTHS(NAME, TARGET, T, V, 8)                                                                                 \
    BOTH_WIDTHS(NAME, TARGET, T, V, 4)                                                                                 \
    BOTH_WIDTHS(NAME, TARGET, T, V, 2)                                                                                 \
    BOTH_WIDTHS(NAME, TARGET, T, V, 1)                                                                                 \
    static const ch__microkernels NAME = {(int)(sizeof(V) / sizeof(T)),                                                \
                                          FUSED_MOST,                                                                  \
                                          {ROW(NAME, 12), ROW(NAME, 8), ROW(NAME, 4), ROW(NAME, 2), ROW(NAME, 1)}};

// Products of so many multiplications and more are a library's (gemm.c).
enum { FUSED_MOST = 256 * 256 * 256 };

typedef CH_VECTOR(float, 4) f32x4;
typedef CH_VECTOR(double, 2) f64x2;
OF_16_REGISTERS(plain_f32, , float, f32x4, 0)
OF_16_REGISTERS(plain_f64, , double, f64x2, 0)

#ifdef CH_HAVE_TARGETS
typedef CH_VECTOR(float, 8) f32x8;
typedef CH_VECTOR(double, 4) f64x4;
typedef CH_VECTOR(float, 16) f32x16;
typedef CH_VECTOR(double, 8) f64x8;
OF_16_REGISTERS(avx2_f32, CH_TARGET("avx2,fma"), float, f32x8, FUSED_MOST)
OF_16_REGISTERS(avx2_f64, CH_TARGET("avx2,fma"), double, f64x4, FUSED_MOST)
OF_32_REGISTERS(avx512_f32, CH_TARGET("avx512f,avx2,fma"), float, f32x16)
OF_32_REGISTERS(avx512_f64, CH_TARGET("avx512f,avx2,fma"), double, f64x8)
#endif

int ch__microkernels_all(ch_dtype d, const ch__microkernels *out[CH__MICROKERNELS]) {
    int n = 0;
#ifdef CH_HAVE_TARGETS
    if (__builtin_cpu_supports("avx512f")) out[n++] = d == CH_F64 ? &avx512_f64 : &avx512_f32;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out[n++] = d == CH_F64 ? &avx2_f64 : &avx2_f32;
#endif
    out[n++] = d == CH_F64 ? &plain_f64 : &plain_f32;
    return n;
}

#else

// One row and one column: for compilers without vectors.
#define ONE_ELEMENT(NAME, T)                                                                                           \
    static void NAME(int64_t k, const void *a_, int64_t am, int64_t ak, const void *b_, int64_t bk, void *c_,          \
                     int64_t cm, bool add) {                                                                           \
        const T *a = a_, *b = b_;                                                                                      \
        T *c = c_, sum = 0;                                                                                            \
        (void)am, (void)cm;                                                                                            \
        for (int64_t x = 0; x < k; x++, a += ak, b += bk) sum += *a * *b;                                              \
        *c = add ? *c + sum : sum;                                                                                     \
    }
ONE_ELEMENT(one_f32, float)
ONE_ELEMENT(one_f64, double)

int ch__microkernels_all(ch_dtype d, const ch__microkernels *out[CH__MICROKERNELS]) {
    static const ch__microkernels f32 = {1, 0, {{1, {one_f32, NULL}}}}, f64 = {1, 0, {{1, {one_f64, NULL}}}};
    out[0] = d == CH_F64 ? &f64 : &f32;
    return 1;
}

#endif

const ch__microkernels *ch__microkernels_of(ch_dtype d) {
    const ch__microkernels *all[CH__MICROKERNELS];
    ch__microkernels_all(d, all);
    return all[0];
}
