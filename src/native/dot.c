// SPDX-License-Identifier: Apache-2.0
// dot.c - the matrix product that compiled code calls: any strides, any dtype.
//
// f32 and f64 go to our own loops (gemm.c) as far as these are as fast, larger ones to a library (blas.c), in tiles of
// our own pool when there is work for several threads. An operand that is contiguous along neither axis is copied for
// a library first. f32 is summed in f32, whatever the op's acc says, as order = any allows.
//
// bf16 and f16 are multiplied as f32, where their products are exact (2 x 8 and 2 x 11 bits of 24) and sums are rounded
// as those of f32 are; the result is rounded once more. Integers of 8 and 16 bits are multiplied as f64, exactly: sums
// of k products stay below 2^32 k, so up to k = 2^21, and wrap at the end. Integers of 32 and 64 bits have loops of
// their own (whole.c). Other dtypes, and small products of 8 and 16 bits, are the interpreter's loops.
//
// A loop over blocks of rows (cgen/blocks.c) has bf16 and f16 matrices that all blocks read widened once, and gathers
// sums over rows in f32, which are narrowed behind the last block.
#include "native/native.h"

#include <string.h>

#include "interp/exec.h"

enum {
    SMALL_PRODUCT = 24 * 24 * 24, // multiplications: conversions and copies of halves and short integers cost more
    TILE_FLOPS = 4000000,         // work that is worth waking a thread for
    TILE_EDGE = 64
};

typedef struct {
    ch_dtype d;
    bool own, ta, tb, by_rows, add; // own: gemm.c, which takes the strides; a library takes the others
    int64_t m, n, k, am, ak, bk, bn, lda, ldb, ldc;
    const char *a, *b;
    char *c;
    int64_t edge;       // rows or columns of a tile
    atomic_bool failed; // a tile
} dot_job;

static bool tile_of(const dot_job *j, int64_t m0, int64_t m, int64_t n0, int64_t n) {
    int64_t size = (int64_t)ch_dtype_size(j->d);
    const void *a = j->a + m0 * j->am * size, *b = j->b + n0 * j->bn * size;
    void *c = j->c + (m0 * j->ldc + n0) * size;
    if (j->own) return ch__native_gemm(j->d, m, n, j->k, a, j->am, j->ak, b, j->bk, j->bn, c, j->ldc, j->add);
    return j->d == CH_F32 ? ch__native_gemm_f32(j->ta, j->tb, m, n, j->k, a, j->lda, b, j->ldb, c, j->ldc, j->add)
                          : ch__native_gemm_f64(j->ta, j->tb, m, n, j->k, a, j->lda, b, j->ldb, c, j->ldc, j->add);
}

static void dot_part(void *arg, int64_t begin, int64_t end) {
    dot_job *j = arg;
    int64_t all = j->by_rows ? j->m : j->n, from = begin * j->edge, to = end * j->edge < all ? end * j->edge : all;
    bool good = j->by_rows ? tile_of(j, from, to - from, 0, j->n) : tile_of(j, 0, j->m, from, to - from);
    if (!good) atomic_store(&j->failed, true);
}

// A copy whose axis of `inner` is contiguous.
static void *copied(const void *from, int64_t outer, int64_t outer_stride, int64_t inner, int64_t inner_stride,
                    size_t size) {
    int64_t dims[2] = {outer, inner}, to_strides[2] = {inner, 1}, from_strides[2] = {outer_stride, inner_stride};
    void *to = ch__alloc_aligned((size_t)outer * (size_t)inner * size + 1, 64);
    if (to != NULL) ch__copy_strided(to, to_strides, from, from_strides, dims, 2, (int64_t)size);
    return to;
}

static bool in_tiles(dot_job *j) {
    j->by_rows = j->m >= j->n;
    int64_t all = j->by_rows ? j->m : j->n, threads = ch__native_tiles();
    double flops = 2.0 * (double)j->m * (double)j->n * (double)j->k, most = flops / TILE_FLOPS;
    int64_t tiles = most < (double)threads ? (int64_t)most : threads;
    if (tiles <= 1) return tile_of(j, 0, j->m, 0, j->n);
    j->edge = ((all + tiles - 1) / tiles + TILE_EDGE - 1) / TILE_EDGE * TILE_EDGE;
    atomic_init(&j->failed, false);
    ch__parallel_for((all + j->edge - 1) / j->edge, 1, dot_part, j);
    return !atomic_load(&j->failed);
}

// An axis of size 1 has no stride that matters; leading dimensions have to be as large as the row they skip.
static bool by_library(dot_job *j) {
    size_t size = ch_dtype_size(j->d);
    void *own_a = NULL, *own_b = NULL;
    if (j->ak != 1 && j->am != 1 && j->k > 1 && j->m > 1) {
        if ((own_a = copied(j->a, j->m, j->am, j->k, j->ak, size)) == NULL) return false;
        j->a = own_a, j->am = j->k, j->ak = 1;
    }
    if (j->bn != 1 && j->bk != 1 && j->k > 1 && j->n > 1) {
        if ((own_b = copied(j->b, j->k, j->bk, j->n, j->bn, size)) == NULL) {
            ch__free_aligned(own_a);
            return false;
        }
        j->b = own_b, j->bk = j->n, j->bn = 1;
    }
    j->ta = j->k > 1 && j->ak != 1;
    j->lda = j->ta ? j->ak : j->am;
    if (!j->ta && j->lda < j->k) j->lda = j->k;
    if (j->ta && j->lda < j->m) j->lda = j->m;
    j->tb = j->n > 1 && j->bn != 1;
    j->ldb = j->tb ? j->bn : j->bk;
    if (!j->tb && j->ldb < j->n) j->ldb = j->n;
    if (j->tb && j->ldb < j->k) j->ldb = j->k;
    bool good = in_tiles(j);
    ch__free_aligned(own_a);
    ch__free_aligned(own_b);
    return good;
}

// c (rows at cm) = or += a b, of f32 or f64; no size is 0. false: no memory.
static bool dot_float(ch_dtype d, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak, const void *b,
                      int64_t bk, int64_t bn, void *c, int64_t cm, bool add) {
    dot_job j = {.d = d, .m = m, .n = n, .k = k, .a = a, .am = am, .ak = ak, .b = b, .bk = bk, .bn = bn, .c = c};
    j.ldc = cm;
    j.add = add;
    j.own = ch__native_gemm_pays(d, m, n, k, bn);
    return j.own ? in_tiles(&j) : by_library(&j);
}

// ---------------------------------------------------------------- 16 bits and fewer, as wider numbers
static const int64_t exact_k = INT64_C(1) << 21;

#define WIDEN_ROWS(from_t, to_t, value)                                                                                \
    for (int64_t i = 0; i < outer; i++) {                                                                              \
        const from_t *x = (const from_t *)from + i * outer_stride;                                                     \
        to_t *y = (to_t *)to + i * inner;                                                                              \
        for (int64_t j = 0; j < inner; j++, x += inner_stride) y[j] = (to_t)(value);                                   \
    }                                                                                                                  \
    break

static void dot_widened(ch_dtype d, const void *from, int64_t outer, int64_t outer_stride, int64_t inner,
                        int64_t inner_stride, void *to) {
    switch (d) {
    case CH_BF16:
    case CH_F16:
        for (int64_t i = 0; i < outer; i++)
            ch__native_widen_row(d == CH_F16, inner, (const uint16_t *)from + i * outer_stride, inner_stride,
                                 (float *)to + i * inner);
        break;
    case CH_I8: WIDEN_ROWS(int8_t, double, *x);
    case CH_U8: WIDEN_ROWS(uint8_t, double, *x);
    case CH_I16: WIDEN_ROWS(int16_t, double, *x);
    default: WIDEN_ROWS(uint16_t, double, *x);
    }
}

static void dot_narrowed(ch_dtype d, const void *from, int64_t n, void *to) {
    const double *e = from;
    switch (d) {
    case CH_BF16:
    case CH_F16: ch__native_narrow_row(d == CH_F16, n, from, to); break;
    case CH_I8:
    case CH_U8:
        for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = (uint8_t)(int64_t)e[i];
        break;
    default:
        for (int64_t i = 0; i < n; i++) ((uint16_t *)to)[i] = (uint16_t)(int64_t)e[i];
    }
}

static bool dot_is_half(ch_dtype d) { return d == CH_BF16 || d == CH_F16; }
static bool dot_is_short(ch_dtype d) { return d == CH_I8 || d == CH_U8 || d == CH_I16 || d == CH_U16; }

static bool by_wider(ch_dtype d, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak, const void *b,
                     int64_t bk, int64_t bn, void *c) {
    ch_dtype w = dot_is_half(d) ? CH_F32 : CH_F64;
    size_t size = ch_dtype_size(w), na = (size_t)(m * k), nb = (size_t)(k * n), nc = (size_t)(m * n);
    char *wide = ch__alloc_aligned((na + nb + nc + 48) * size, 64);
    if (wide == NULL) return false;
    char *wide_b = wide + (na + 15) / 16 * 16 * size, *wide_c = wide_b + (nb + 15) / 16 * 16 * size;
    dot_widened(d, a, m, am, k, ak, wide);
    dot_widened(d, b, k, bk, n, bn, wide_b);
    bool good = dot_float(w, m, n, k, wide, k, 1, wide_b, n, 1, wide_c, n, false);
    if (good) dot_narrowed(d, wide_c, m * n, c);
    ch__free_aligned(wide);
    return good;
}

int ch__native_widen(int dtype, int64_t outer, int64_t outer_stride, int64_t inner, int64_t inner_stride,
                     const void *from, float **to) {
    size_t bytes = (size_t)outer * (size_t)inner * sizeof **to;
    if (*to == NULL && (*to = ch__alloc_aligned(bytes + 1, 64)) == NULL) return CH__NATIVE_NO_MEMORY;
    if (from == NULL)
        memset(*to, 0, bytes);
    else
        dot_widened((ch_dtype)dtype, from, outer, outer_stride, inner, inner_stride, *to);
    return 0;
}

void ch__native_narrow(int dtype, int64_t n, const float *from, void *to) {
    if (from != NULL) dot_narrowed((ch_dtype)dtype, from, n, to);
}

void ch__native_drop(float *wide) { ch__free_aligned(wide); }

int ch__native_dot_wide(int dtype, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak,
                        const float *b, int64_t bk, int64_t bn, void *c) {
    ch_dtype d = (ch_dtype)dtype;
    if (ch__native_is_cancelled()) return CH__NATIVE_CANCELLED;
    if (m == 0 || n == 0) return 0;
    if (b == NULL) return CH__NATIVE_NO_MEMORY;
    if (k == 0) {
        memset(c, 0, (size_t)m * (size_t)n * ch_dtype_size(d));
        return 0;
    }
    size_t na = ((size_t)(m * k) + 15) / 16 * 16, nc = (size_t)(m * n);
    float *wide = ch__alloc_aligned((na + nc) * sizeof *wide, 64);
    if (wide == NULL) return CH__NATIVE_NO_MEMORY;
    dot_widened(d, a, m, am, k, ak, wide);
    bool good = dot_float(CH_F32, m, n, k, wide, k, 1, b, bk, bn, wide + na, n, false);
    if (good) dot_narrowed(d, wide + na, m * n, c);
    ch__free_aligned(wide);
    return good ? 0 : CH__NATIVE_NO_MEMORY;
}

int ch__native_dot(int dtype, int acc, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak,
                   const void *b, int64_t bk, int64_t bn, void *c) {
    ch_dtype d = (ch_dtype)dtype;
    if (ch__native_is_cancelled()) return CH__NATIVE_CANCELLED;
    if (m == 0 || n == 0) return 0;
    bool small = (double)m * (double)n * (double)k <= SMALL_PRODUCT;
    if (!small && (dot_is_half(d) || (dot_is_short(d) && k <= exact_k)))
        return by_wider(d, m, n, k, a, am, ak, b, bk, bn, c) ? 0 : CH__NATIVE_NO_MEMORY;
    if (ch__is_int(d) && !dot_is_short(d)) {
        ch__native_whole(ch_dtype_size(d) == 8, m, n, k, a, am, ak, b, bk, bn, c);
        return 0;
    }
    if (d != CH_F32 && d != CH_F64) {
        ch__gemm g = {.acc = (ch_dtype)acc,
                      .m = m,
                      .n = n,
                      .k = k,
                      .lhs = a,
                      .rhs = b,
                      .lhs_dtype = d,
                      .rhs_dtype = d,
                      .out_dtype = d,
                      .lhs_m = am,
                      .lhs_k = ak,
                      .rhs_k = bk,
                      .rhs_n = bn,
                      .out = c,
                      .out_m = n,
                      .out_n = 1};
        return ch__gemm_run(&g) ? 0 : CH__NATIVE_NO_MEMORY;
    }
    if (k == 0) {
        memset(c, 0, (size_t)m * (size_t)n * ch_dtype_size(d));
        return 0;
    }
    return dot_float(d, m, n, k, a, am, ak, b, bk, bn, c, n, false) ? 0 : CH__NATIVE_NO_MEMORY;
}

int ch__native_dot_add(int dtype, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak, const void *b,
                       int64_t bk, int64_t bn, void *c, int64_t cm) {
    ch_dtype d = (ch_dtype)dtype;
    if (ch__native_is_cancelled()) return CH__NATIVE_CANCELLED;
    if (m == 0 || n == 0 || k == 0) return 0;
    if (dot_is_half(d)) {
        size_t na = ((size_t)(m * k) + 15) / 16 * 16;
        float *wide = c == NULL ? NULL : ch__alloc_aligned((na + (size_t)(k * n)) * sizeof *wide, 64);
        if (wide == NULL) return CH__NATIVE_NO_MEMORY;
        bool left = ak == 1, right = bn == 1; // each as it lies
        dot_widened(d, a, left ? m : k, left ? am : ak, left ? k : m, left ? ak : am, wide);
        dot_widened(d, b, right ? k : n, right ? bk : bn, right ? n : k, right ? bn : bk, wide + na);
        int status = ch__native_dot_add(CH_F32, m, n, k, wide, left ? k : 1, left ? 1 : m, wide + na, right ? n : 1,
                                        right ? 1 : k, c, cm);
        ch__free_aligned(wide);
        return status;
    }
    return dot_float(d, m, n, k, a, am, ak, b, bk, bn, c, cm, true) ? 0 : CH__NATIVE_NO_MEMORY;
}
