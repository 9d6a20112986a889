// SPDX-License-Identifier: Apache-2.0
// gemm.c - matrix products with the bits of the plain loop.
//
// Every output has one accumulator to which the products are added with k ascending, exactly as
//     for m, n: c = 0; for k: c += (acc)lhs[m,k] * (acc)rhs[k,n]; out[m,n] = c
// says. What is fast is only the order in which different outputs are visited: a tile of 4 rows by 8 (f64, u64) or 16
// (f32) columns sits in registers, the tile's columns in vectors. k is cut into pieces of 256; between pieces a tile's
// accumulators are put down and taken up again, which changes no bit. Products are exact when f32 is multiplied in f64.
//
//   rhs, converted to acc and packed once:  [k piece][column tile][k][columns of a tile]
//   lhs, packed by each thread as it goes:  [k][4 rows]
// Threads share out the row tiles. Whichever of the two sides has more rows gives the columns: a*b = b*a.
#include "interp/exec.h"

#define GEMM_ROWS 4
#define K_PIECE 256
#define N_PIECE 512     // columns packed at a time
#define GEMM_SMALL 4096 // multiplications below which nothing is packed
#define GEMM_FEW 16     // outputs, for which packing costs more memory than it saves time
#define PARALLEL_FLOPS 200000

// ---------------------------------------------------------------- tiles
#if defined(CH_HAVE_VECTORS)
typedef CH_VECTOR(double, 4) f64x4;
typedef CH_VECTOR(float, 8) f32x8;
typedef CH_VECTOR(uint64_t, 4) u64x4;
#define GEMM_TILE(NAME, T, V, W)                                                                                       \
    CH_CLONES static void NAME(int64_t n_k, const void *a_, const void *b_, void *c_, int64_t c_stride) {              \
        const T *a = a_, *b = b_;                                                                                      \
        T *c = c_;                                                                                                     \
        V c00, c01, c10, c11, c20, c21, c30, c31;                                                                      \
        memcpy(&c00, c, sizeof c00), memcpy(&c01, c + W, sizeof c01);                                                  \
        memcpy(&c10, c + c_stride, sizeof c10), memcpy(&c11, c + c_stride + W, sizeof c11);                            \
        memcpy(&c20, c + 2 * c_stride, sizeof c20), memcpy(&c21, c + 2 * c_stride + W, sizeof c21);                    \
        memcpy(&c30, c + 3 * c_stride, sizeof c30), memcpy(&c31, c + 3 * c_stride + W, sizeof c31);                    \
        for (int64_t k = 0; k < n_k; k++, a += GEMM_ROWS, b += 2 * (W)) {                                              \
            V b0, b1;                                                                                                  \
            memcpy(&b0, b, sizeof b0), memcpy(&b1, b + W, sizeof b1);                                                  \
            c00 += a[0] * b0, c01 += a[0] * b1;                                                                        \
            c10 += a[1] * b0, c11 += a[1] * b1;                                                                        \
            c20 += a[2] * b0, c21 += a[2] * b1;                                                                        \
            c30 += a[3] * b0, c31 += a[3] * b1;                                                                        \
        }                                                                                                              \
        memcpy(c, &c00, sizeof c00), memcpy(c + W, &c01, sizeof c01);                                                  \
        memcpy(c + c_stride, &c10, sizeof c10), memcpy(c + c_stride + W, &c11, sizeof c11);                            \
        memcpy(c + 2 * c_stride, &c20, sizeof c20), memcpy(c + 2 * c_stride + W, &c21, sizeof c21);                    \
        memcpy(c + 3 * c_stride, &c30, sizeof c30), memcpy(c + 3 * c_stride + W, &c31, sizeof c31);                    \
    }
GEMM_TILE(tile_f64, double, f64x4, 4)
GEMM_TILE(tile_f32, float, f32x8, 8)
GEMM_TILE(tile_u64, uint64_t, u64x4, 4)
#else
#define GEMM_TILE(NAME, T, W)                                                                                          \
    static void NAME(int64_t n_k, const void *a_, const void *b_, void *c_, int64_t c_stride) {                        \
        const T *a = a_, *b = b_;                                                                                      \
        T *c = c_;                                                                                                     \
        for (int64_t k = 0; k < n_k; k++, a += GEMM_ROWS, b += 2 * (W))                                                \
            for (int i = 0; i < GEMM_ROWS; i++)                                                                        \
                for (int j = 0; j < 2 * (W); j++) c[i * c_stride + j] += a[i] * b[j];                                  \
    }
GEMM_TILE(tile_f64, double, 4)
GEMM_TILE(tile_f32, float, 8)
GEMM_TILE(tile_u64, uint64_t, 4)
#endif
#undef GEMM_TILE

// ---------------------------------------------------------------- packing
// n elements of dtype d, stride apart, into carriers of acc.
static void load_strided(void *to, const ch__gemm *g, const void *from, ch_dtype d, int64_t stride, int64_t n) {
    if (stride == 1) {
        ch__carrier_load(to, g->acc, from, d, n);
        return;
    }
    uint64_t tmp[K_PIECE];
    int size = (int)ch_dtype_size(d), wide = (int)ch_dtype_size(ch__carrier(g->acc));
    for (int64_t at = 0; at < n; at += K_PIECE) {
        int64_t m = n - at < K_PIECE ? n - at : K_PIECE, one = 1;
        ch__copy_strided(tmp, &one, (const char *)from + at * stride * size, &stride, &m, 1, size);
        ch__carrier_load((char *)to + at * wide, g->acc, tmp, d, m);
    }
}

// A block of n_k x width, width vectors of k side by side, missing ones zero: to[k][column].
static void pack(void *to, const ch__gemm *g, const char *from, ch_dtype d, int64_t stride_k, int64_t stride_n,
                 int64_t n_k, int64_t n, int width) {
    int size = (int)ch_dtype_size(d), wide = (int)ch_dtype_size(ch__carrier(g->acc));
    if (n < width) memset(to, 0, (size_t)(n_k * width * wide));
    if (stride_n == 1) { // rows of columns
        for (int64_t k = 0; k < n_k; k++)
            ch__carrier_load((char *)to + k * width * wide, g->acc, from + k * stride_k * size, d, n);
        return;
    }
    uint64_t column[K_PIECE];
    for (int64_t i = 0; i < n; i++) {
        load_strided(column, g, from + i * stride_n * size, d, stride_k, n_k);
        if (wide == 8) {
            uint64_t *o = (uint64_t *)to + i;
            for (int64_t k = 0; k < n_k; k++) o[k * width] = column[k];
        } else {
            uint32_t *o = (uint32_t *)to + i;
            const uint32_t *c = (const uint32_t *)column;
            for (int64_t k = 0; k < n_k; k++) o[k * width] = c[k];
        }
    }
}

// ---------------------------------------------------------------- the product
typedef struct {
    const ch__gemm *g;
    void (*tile)(int64_t n_k, const void *a, const void *b, void *c, int64_t c_stride);
    int width, wide;    // columns of a tile, bytes of a carrier
    const char *packed; // of columns first .. first+n-1
    int64_t first, n;
} gemm_job;

static void put_row(const gemm_job *j, const char *sums, int64_t m) {
    const ch__gemm *g = j->g;
    int size = (int)ch_dtype_size(g->out_dtype);
    char *to = (char *)g->out + (m * g->out_m + j->first * g->out_n) * size;
    if (g->out_n == 1) {
        ch__carrier_store(to, g->out_dtype, g->acc, sums, j->n);
        return;
    }
    uint64_t row[N_PIECE];
    int64_t one = 1;
    ch__carrier_store(row, g->out_dtype, g->acc, sums, j->n);
    ch__copy_strided(to, &g->out_n, row, &one, &j->n, 1, size);
}

// Row tiles begin .. end-1 of the columns that are packed.
static void gemm_part(void *arg, int64_t begin, int64_t end) {
    const gemm_job *j = arg;
    const ch__gemm *g = j->g;
    _Alignas(64) uint64_t a[K_PIECE * GEMM_ROWS], sums[GEMM_ROWS * N_PIECE];
    int64_t tiles = (j->n + j->width - 1) / j->width, row = N_PIECE; // carriers a row of sums
    for (int64_t r = begin; r < end; r++) {
        int64_t m0 = r * GEMM_ROWS, rows = g->m - m0 < GEMM_ROWS ? g->m - m0 : GEMM_ROWS;
        memset(sums, 0, sizeof sums);
        const char *b = j->packed;
        for (int64_t k0 = 0; k0 < g->k; k0 += K_PIECE) {
            int64_t n_k = g->k - k0 < K_PIECE ? g->k - k0 : K_PIECE;
            const char *from =
                (const char *)g->lhs + (m0 * g->lhs_m + k0 * g->lhs_k) * (int64_t)ch_dtype_size(g->lhs_dtype);
            pack(a, g, from, g->lhs_dtype, g->lhs_k, g->lhs_m, n_k, rows, GEMM_ROWS);
            for (int64_t t = 0; t < tiles; t++, b += n_k * j->width * j->wide)
                j->tile(n_k, a, b, (char *)sums + t * j->width * j->wide, row);
        }
        for (int64_t i = 0; i < rows; i++) put_row(j, (const char *)sums + i * row * j->wide, m0 + i);
    }
}

static void pack_rhs(const gemm_job *j, char *to) {
    const ch__gemm *g = j->g;
    int64_t size = (int64_t)ch_dtype_size(g->rhs_dtype);
    for (int64_t k0 = 0; k0 < g->k; k0 += K_PIECE) {
        int64_t n_k = g->k - k0 < K_PIECE ? g->k - k0 : K_PIECE;
        for (int64_t n0 = 0; n0 < j->n; n0 += j->width, to += n_k * j->width * j->wide) {
            int64_t n = j->n - n0 < j->width ? j->n - n0 : j->width;
            const char *from = (const char *)g->rhs + (k0 * g->rhs_k + (j->first + n0) * g->rhs_n) * size;
            pack(to, g, from, g->rhs_dtype, g->rhs_k, g->rhs_n, n_k, n, j->width);
        }
    }
}

// Few multiplications, or accumulators of 16 bits, whose product is rounded too.
static void gemm_small(const ch__gemm *g) {
    ch_dtype c = ch__carrier(g->acc);
    bool rounded = c != g->acc && ch__is_float(g->acc);
    int ls = (int)ch_dtype_size(g->lhs_dtype), rs = (int)ch_dtype_size(g->rhs_dtype),
        os = (int)ch_dtype_size(g->out_dtype);
    for (int64_t m = 0; m < g->m; m++)
        for (int64_t n = 0; n < g->n; n++) {
            union {
                double f64;
                float f32;
                uint64_t u;
            } sum = {0};
            for (int64_t k0 = 0; k0 < g->k; k0 += K_PIECE) {
                uint64_t a[K_PIECE], b[K_PIECE];
                int64_t n_k = g->k - k0 < K_PIECE ? g->k - k0 : K_PIECE;
                load_strided(a, g, (const char *)g->lhs + (m * g->lhs_m + k0 * g->lhs_k) * ls, g->lhs_dtype, g->lhs_k,
                             n_k);
                load_strided(b, g, (const char *)g->rhs + (k0 * g->rhs_k + n * g->rhs_n) * rs, g->rhs_dtype, g->rhs_k,
                             n_k);
                if (rounded) {
                    const float *x = (const float *)a, *y = (const float *)b;
                    for (int64_t k = 0; k < n_k; k++) {
                        float p = x[k] * y[k];
                        uint16_t half;
                        ch__convert_n(&half, g->acc, &p, CH_F32, 1);
                        ch__convert_n(&p, CH_F32, &half, g->acc, 1);
                        ch__fold_n(CH__SUM, g->acc, &sum, 0, &p, 1);
                    }
                } else if (c == CH_F64) {
                    const double *x = (const double *)a, *y = (const double *)b;
                    for (int64_t k = 0; k < n_k; k++) sum.f64 += x[k] * y[k];
                } else if (c == CH_F32) {
                    const float *x = (const float *)a, *y = (const float *)b;
                    for (int64_t k = 0; k < n_k; k++) sum.f32 += x[k] * y[k];
                } else {
                    for (int64_t k = 0; k < n_k; k++) sum.u += a[k] * b[k];
                }
            }
            ch__carrier_store((char *)g->out + (m * g->out_m + n * g->out_n) * os, g->out_dtype, g->acc, &sum, 1);
        }
}

static int64_t padded(int64_t rows, int64_t columns, int width) {
    return (rows + GEMM_ROWS - 1) / GEMM_ROWS * GEMM_ROWS * ((columns + width - 1) / width * width);
}

bool ch__gemm_run(const ch__gemm *given) {
    ch__gemm g = *given;
    ch_dtype c = ch__carrier(g.acc);
    if (g.m == 0 || g.n == 0) return true;
    if ((c != g.acc && ch__is_float(g.acc)) || (g.m <= GEMM_FEW && g.n <= GEMM_FEW / g.m) ||
        (double)g.m * (double)g.n * (double)g.k <= GEMM_SMALL) {
        gemm_small(&g);
        return true;
    }
    gemm_job j = {.g = &g,
                  .tile = c == CH_F64   ? tile_f64
                          : c == CH_F32 ? tile_f32
                                        : tile_u64,
                  .width = c == CH_F32 ? 16 : 8,
                  .wide = c == CH_F32 ? 4 : 8};
    if (padded(g.n, g.m, j.width) < padded(g.m, g.n, j.width)) { // the other way round
        g = (ch__gemm){.acc = g.acc,
                       .m = given->n,
                       .n = given->m,
                       .k = given->k,
                       .lhs = given->rhs,
                       .rhs = given->lhs,
                       .lhs_dtype = given->rhs_dtype,
                       .rhs_dtype = given->lhs_dtype,
                       .out_dtype = given->out_dtype,
                       .lhs_m = given->rhs_n,
                       .lhs_k = given->rhs_k,
                       .rhs_k = given->lhs_k,
                       .rhs_n = given->lhs_m,
                       .out = given->out,
                       .out_m = given->out_n,
                       .out_n = given->out_m};
    }
    int64_t columns = g.n < N_PIECE ? (g.n + j.width - 1) / j.width * j.width : N_PIECE, bytes;
    if (!ch__mul_i64(columns * j.wide, g.k, &bytes)) return false;
    char *packed = ch__alloc_aligned((size_t)bytes, 64);
    if (!packed) return false;
    j.packed = packed;
    int64_t tiles = (g.m + GEMM_ROWS - 1) / GEMM_ROWS;
    for (j.first = 0; j.first < g.n; j.first += N_PIECE) {
        j.n = g.n - j.first < N_PIECE ? g.n - j.first : N_PIECE;
        pack_rhs(&j, packed);
        double flops = 2.0 * GEMM_ROWS * (double)j.n * (double)g.k;
        int64_t grain = (int64_t)(PARALLEL_FLOPS / flops) + 1;
        ch__parallel_for(tiles, grain, gemm_part, &j);
    }
    ch__free_aligned(packed);
    return true;
}
