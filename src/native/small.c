// SPDX-License-Identifier: Apache-2.0
// small.c - products of matrices that are too small for a library's call: c = a b, any strides.
//
// Four rows and as many columns as a vector has numbers lie in registers while the sum goes along k; columns that are
// left over go by half a vector, then one by one. Each element is summed in the order of k wherever it stands, so how
// the matrices are cut changes no bit. A right operand that is not contiguous along its rows is copied first.
#include "native/native.h"

#include <string.h>

#define SCALAR_COLUMNS(T)                                                                                              \
    for (; j < n; j++)                                                                                                 \
        for (int64_t i = 0; i < m; i++) {                                                                              \
            T sum = 0;                                                                                                 \
            for (int64_t x = 0; x < k; x++) sum += a[i * am + x * ak] * b[x * bk + j];                                 \
            c[i * n + j] = sum;                                                                                        \
        }

#ifdef CH_HAVE_VECTORS
typedef CH_VECTOR(float, 8) small_f32x8;
typedef CH_VECTOR(float, 4) small_f32x4;
typedef CH_VECTOR(double, 4) small_f64x4;
typedef CH_VECTOR(double, 2) small_f64x2;

#define COLUMNS(T, V)                                                                                                  \
    for (const int64_t w = (int64_t)(sizeof(V) / sizeof(T)); j + w <= n; j += w) {                                     \
        int64_t i = 0;                                                                                                 \
        V r;                                                                                                           \
        for (; i + 4 <= m; i += 4) {                                                                                   \
            V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                                                  \
            for (int64_t x = 0; x < k; x++) {                                                                          \
                const T *p = a + i * am + x * ak;                                                                      \
                memcpy(&r, b + x * bk + j, sizeof r);                                                                  \
                s0 += r * p[0], s1 += r * p[am], s2 += r * p[2 * am], s3 += r * p[3 * am];                             \
            }                                                                                                          \
            memcpy(c + i * n + j, &s0, sizeof s0);                                                                     \
            memcpy(c + (i + 1) * n + j, &s1, sizeof s1);                                                               \
            memcpy(c + (i + 2) * n + j, &s2, sizeof s2);                                                               \
            memcpy(c + (i + 3) * n + j, &s3, sizeof s3);                                                               \
        }                                                                                                              \
        for (; i < m; i++) {                                                                                           \
            V s = {0};                                                                                                 \
            for (int64_t x = 0; x < k; x++) {                                                                          \
                memcpy(&r, b + x * bk + j, sizeof r);                                                                  \
                s += r * a[i * am + x * ak];                                                                           \
            }                                                                                                          \
            memcpy(c + i * n + j, &s, sizeof s);                                                                       \
        }                                                                                                              \
    }
#else
#define COLUMNS(T, V)
#endif

#define SMALL(NAME, T, V, HALF)                                                                                        \
    CH_CLONES static void NAME(int64_t m, int64_t n, int64_t k, const T *restrict a, int64_t am, int64_t ak,           \
                               const T *restrict b, int64_t bk, T *restrict c) {                                       \
        int64_t j = 0;                                                                                                 \
        COLUMNS(T, V)                                                                                                  \
        COLUMNS(T, HALF)                                                                                               \
        SCALAR_COLUMNS(T)                                                                                              \
    }
SMALL(small_f32, float, small_f32x8, small_f32x4)
SMALL(small_f64, double, small_f64x4, small_f64x2)

#define TURNED(NAME, T)                                                                                                \
    static void NAME(int64_t n, int64_t k, const T *b, int64_t bk, int64_t bn, T *to) {                                \
        for (int64_t j = 0; j < n; j++)                                                                                \
            for (int64_t x = 0; x < k; x++) to[x * n + j] = b[x * bk + j * bn];                                        \
    }
TURNED(turned_f32, float)
TURNED(turned_f64, double)

void ch__native_small_f32(int64_t m, int64_t n, int64_t k, const float *a, int64_t am, int64_t ak, const float *b,
                          int64_t bk, int64_t bn, float *c) {
    float own[CH__SMALL_TURNED];
    if (bn != 1) {
        turned_f32(n, k, b, bk, bn, own);
        b = own;
        bk = n;
    }
    small_f32(m, n, k, a, am, ak, b, bk, c);
}

void ch__native_small_f64(int64_t m, int64_t n, int64_t k, const double *a, int64_t am, int64_t ak, const double *b,
                          int64_t bk, int64_t bn, double *c) {
    double own[CH__SMALL_TURNED];
    if (bn != 1) {
        turned_f64(n, k, b, bk, bn, own);
        b = own;
        bk = n;
    }
    small_f64(m, n, k, a, am, ak, b, bk, c);
}
