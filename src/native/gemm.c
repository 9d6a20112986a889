// SPDX-License-Identifier: Apache-2.0
// gemm.c - products of f32 and f64 by our own microkernels (microkernel.c): blocks of k, rows and columns.
//
// For each block of k (BLOCK_K rows of b) and panel of columns, two vectors wide, all rows of a go by. Copied
// ("packed") is what does not lie as the microkernel reads it well: a panel of b whose rows are not contiguous, that
// ends within a vector, or whose rows share lines of the cache; a block of a, rows of the microkernel together, when
// many panels read it again. A panel of b takes 32 KiB and stays in the first level of the cache, a block of a in the
// second.
//
// Each element is the sum over a block of k in order, and the blocks' sums in order, wherever it stands: cutting rows
// or columns among threads changes no bit.
#include "native/native.h"

#include <string.h>

enum {
    BLOCK_K = 256,
    BLOCK_ROWS = 384,
    MOST_COLUMNS = 32, // of a panel
    MOST_ROWS = 12,    // of a microkernel
    PANEL_BYTES = BLOCK_K * MOST_COLUMNS * 4,
    EDGE_BYTES = MOST_ROWS * MOST_COLUMNS * 4,
    BLOCK_BYTES = BLOCK_K * BLOCK_ROWS * 8
};
static ch__native_rooms gemm_blocks; // of a

// ---------------------------------------------------------------- copies
// At most 128 bytes, a multiple of 4: a few moves of known size.
static inline void copy_short(void *to_, const void *from_, size_t bytes) {
    char *to = to_;
    const char *from = from_;
    if (bytes >= 128) {
        memcpy(to, from, 128);
        return;
    }
    if (bytes & 64) memcpy(to, from, 64), to += 64, from += 64;
    if (bytes & 32) memcpy(to, from, 32), to += 32, from += 32;
    if (bytes & 16) memcpy(to, from, 16), to += 16, from += 16;
    if (bytes & 8) memcpy(to, from, 8), to += 8, from += 8;
    if (bytes & 4) memcpy(to, from, 4);
}

// Rows become columns, a few of each in vectors of 128 bits: to[x * width + j] = from[j * stride + x], for as many j
// and x as fill vectors; turned_f32 and turned_f64 say how many of each these are.
enum { TURNED_F32 = 4, TURNED_F64 = 2 };
#ifdef CH_HAVE_VECTORS
typedef CH_VECTOR(float, 4) turned_f32x4;
typedef CH_VECTOR(double, 2) turned_f64x2;

static inline void turned_f32(const float *p, int64_t stride, float *q, int64_t width) {
    turned_f32x4 r0, r1, r2, r3;
    memcpy(&r0, p, sizeof r0), memcpy(&r1, p + stride, sizeof r1);
    memcpy(&r2, p + 2 * stride, sizeof r2), memcpy(&r3, p + 3 * stride, sizeof r3);
    turned_f32x4 s0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), s1 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    turned_f32x4 s2 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5), s3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    r0 = __builtin_shufflevector(s0, s2, 0, 1, 4, 5), r1 = __builtin_shufflevector(s0, s2, 2, 3, 6, 7);
    r2 = __builtin_shufflevector(s1, s3, 0, 1, 4, 5), r3 = __builtin_shufflevector(s1, s3, 2, 3, 6, 7);
    memcpy(q, &r0, sizeof r0), memcpy(q + width, &r1, sizeof r1);
    memcpy(q + 2 * width, &r2, sizeof r2), memcpy(q + 3 * width, &r3, sizeof r3);
}

static inline void turned_f64(const double *p, int64_t stride, double *q, int64_t width) {
    turned_f64x2 r0, r1, s0, s1;
    memcpy(&r0, p, sizeof r0), memcpy(&r1, p + stride, sizeof r1);
    s0 = __builtin_shufflevector(r0, r1, 0, 2), s1 = __builtin_shufflevector(r0, r1, 1, 3);
    memcpy(q, &s0, sizeof s0), memcpy(q + width, &s1, sizeof s1);
}
#else
#define TURNED(NAME, T, N)                                                                                             \
    static void NAME(const T *p, int64_t stride, T *q, int64_t width) {                                                \
        for (int64_t i = 0; i < N; i++)                                                                                \
            for (int64_t j = 0; j < N; j++) q[i * width + j] = p[j * stride + i];                                      \
    }
TURNED(turned_f32, float, TURNED_F32)
TURNED(turned_f64, double, TURNED_F64)
#endif

// to[x * width + j] = from[j * stride + x * step], for n of width columns, zeros behind them.
#define PACK(NAME, T, TURNED, N)                                                                                       \
    static void NAME(int64_t n, int64_t k, const void *from_, int64_t stride, int64_t step, void *to_,                 \
                     int64_t width) {                                                                                  \
        const T *from = from_;                                                                                         \
        T *to = to_;                                                                                                   \
        int64_t whole = step == 1 && stride != 1 ? n / N * N : 0, k_whole = k / N * N;                                 \
        if (n < width) memset(to, 0, (size_t)(k * width) * sizeof(T));                                                 \
        for (int64_t j = 0; j < whole; j += N) {                                                                       \
            for (int64_t x = 0; x < k_whole; x += N) TURNED(from + j * stride + x, stride, to + x * width + j, width); \
            for (int64_t x = k_whole; x < k; x++)                                                                      \
                for (int64_t i = j; i < j + N; i++) to[x * width + i] = from[i * stride + x];                          \
        }                                                                                                              \
        for (int64_t x = 0; x < k; x++)                                                                                \
            if (stride == 1)                                                                                           \
                copy_short(to + x * width, from + x * step, (size_t)n * sizeof(T));                                    \
            else                                                                                                       \
                for (int64_t j = whole; j < n; j++) to[x * width + j] = from[j * stride + x * step];                   \
    }
PACK(pack_f32, float, turned_f32, TURNED_F32)
PACK(pack_f64, double, turned_f64, TURNED_F64)

#define ADD_EDGE(T)                                                                                                    \
    for (int64_t i = 0; i < m; i++)                                                                                    \
        for (int64_t j = 0; j < n; j++) ((T *)c)[i * cm + j] += ((const T *)edge)[i * width + j]

static void store_edge(ch_dtype d, int64_t m, int64_t n, const char *edge, int64_t width, char *c, int64_t cm,
                       bool add) {
    size_t size = ch_dtype_size(d);
    if (!add)
        for (int64_t i = 0; i < m; i++)
            copy_short(c + (size_t)(i * cm) * size, edge + (size_t)(i * width) * size, (size_t)n * size);
    else if (d == CH_F32)
        ADD_EDGE(float);
    else
        ADD_EDGE(double);
}

// ---------------------------------------------------------------- a panel
typedef struct {
    ch_dtype d;
    size_t size;
    const ch__microkernels *micro;
    int64_t am, ak, bk, bn, cm;
    bool pack_a, pack_b;
    char *block;
} gemm;

// m rows of a by a panel of one or two vectors (vectors = 0, 1) of which n columns count.
static void multiply_panel(const gemm *g, int vectors, int64_t m, int64_t n, int64_t k, const char *a, int64_t am,
                           int64_t ak, const char *b, int64_t bk, char *c, bool add) {
    _Alignas(64) char edge[EDGE_BYTES];
    int64_t width = (vectors + 1) * g->micro->width;
    for (int r = 0; m > 0;) {
        int64_t rows = g->micro->of[r].rows;
        if (rows > m) {
            r++;
            continue;
        }
        if (n == width) {
            g->micro->of[r].by[vectors](k, a, am, ak, b, bk, c, g->cm, add);
        } else {
            g->micro->of[r].by[vectors](k, a, am, ak, b, bk, edge, width, false);
            store_edge(g->d, rows, n, edge, width, c, g->cm, add);
        }
        a += rows * am * (int64_t)g->size;
        c += rows * g->cm * (int64_t)g->size;
        m -= rows;
    }
}

static void pack_panel(const gemm *g, int64_t n, int64_t k, const void *from, int64_t stride, int64_t step, void *to,
                       int64_t width) {
    (g->d == CH_F32 ? pack_f32 : pack_f64)(n, k, from, stride, step, to, width);
}

// A block of k, a block of rows: every panel of columns.
static void multiply_block(const gemm *g, int64_t m, int64_t n, int64_t k, const char *a, const char *b, char *c,
                           bool add) {
    _Alignas(64) char panel[PANEL_BYTES];
    int64_t most = g->micro->of[0].rows, vector = g->micro->width, step;
    int64_t size = (int64_t)g->size;
    if (g->pack_a)
        for (int64_t i = 0; i < m; i += most)
            pack_panel(g, m - i < most ? m - i : most, k, a + i * g->am * size, g->am, g->ak, g->block + i * k * size,
                       most);
    for (int64_t j = 0; j < n; j += step) {
        int vectors = n - j > vector && g->micro->of[0].by[1] != NULL;
        int64_t width = (vectors + 1) * vector;
        step = n - j < width ? n - j : width;
        const char *from = b + j * g->bn * size;
        bool packed = g->pack_b || g->bn != 1 || step < width;
        if (packed) pack_panel(g, step, k, from, g->bn, g->bk, panel, width);
        const char *right = packed ? panel : from;
        int64_t right_step = packed ? width : g->bk;
        char *to = c + j * size;
        if (!g->pack_a) multiply_panel(g, vectors, m, step, k, a, g->am, g->ak, right, right_step, to, add);
        for (int64_t i = 0; g->pack_a && i < m; i += most)
            multiply_panel(g, vectors, m - i < most ? m - i : most, step, k, g->block + i * k * size, 1, most, right,
                           right_step, to + i * g->cm * size, add);
    }
}

// ---------------------------------------------------------------- a product
// Rows a multiple of FEW_LINES apart share few places of the first level of the cache, which has 64 lines in each of 8
// to 12 ways: a panel of b or a block of a drops out of it before it is read again. Measured in GFLOP/s, b of 1024 x
// 1024 and 256 rows of a: 133 from where b lies, 147 copied; a of 1024 x 1024 transposed: 107 and 146.
enum { FEW_LINES = 2048, AGAIN = 4 };

static bool shares_lines(int64_t step, int64_t n, size_t size) {
    return n >= 32 && step * (int64_t)size % FEW_LINES == 0;
}

bool ch__native_gemm_by(const ch__microkernels *micro, ch_dtype d, int64_t m, int64_t n, int64_t k, const void *a,
                        int64_t am, int64_t ak, const void *b, int64_t bk, int64_t bn, void *c, int64_t cm, bool add) {
    gemm g = {.d = d, .size = ch_dtype_size(d), .micro = micro};
    g.am = am, g.ak = ak, g.bk = bk, g.bn = bn, g.cm = cm;
    g.pack_b = m > AGAIN * g.micro->of[0].rows && shares_lines(bk, k, g.size);
    g.pack_a = n > AGAIN * g.micro->width && ak != 1 && shares_lines(ak, k, g.size);
    if (g.pack_a) {
        if ((g.block = ch__native_room_take(&gemm_blocks, BLOCK_BYTES)) == NULL) return false;
    }
    for (int64_t x = 0; x < k; x += BLOCK_K)
        for (int64_t i = 0; i < m; i += BLOCK_ROWS)
            multiply_block(&g, m - i < BLOCK_ROWS ? m - i : BLOCK_ROWS, n, k - x < BLOCK_K ? k - x : BLOCK_K,
                           (const char *)a + (i * am + x * ak) * (int64_t)g.size,
                           (const char *)b + x * bk * (int64_t)g.size, (char *)c + (size_t)(i * cm) * g.size,
                           add || x > 0);
    ch__native_room_give_back(&gemm_blocks, g.block);
    return true;
}

bool ch__native_gemm(ch_dtype d, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak, const void *b,
                     int64_t bk, int64_t bn, void *c, int64_t cm, bool add) {
    return ch__native_gemm_by(ch__microkernels_of(d), d, m, n, k, a, am, ak, b, bk, bn, c, cm, add);
}

// Up to ALWAYS multiplications a library's call costs more than they do (measured beside oneDNN: 24 x 24 x 24 in
// vectors of 128 bits). Where the processor fuses, ours are as fast as oneDNN's up to 256 x 256 x 256 (173 of 173
// GFLOP/s with AVX-512, 68 of 70 with AVX2) and up to twice as fast below 64, and cost neither the 13 ms of opening
// the library nor the 47 of its first product. One to three columns, and few rows by columns of b, are a product with
// a vector, which libraries have loops of their own for.
enum { ALWAYS = 24 * 24 * 24, LEAST_COLUMNS = 4, LEAST_ROWS = 8 };

bool ch__native_gemm_pays(ch_dtype d, int64_t m, int64_t n, int64_t k, int64_t bn) {
    double turns = (double)m * (double)n * (double)k;
    if (turns <= ALWAYS) return true;
    return turns <= ch__microkernels_of(d)->most && n >= LEAST_COLUMNS && (bn == 1 || m >= LEAST_ROWS);
}
