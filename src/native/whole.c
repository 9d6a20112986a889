// SPDX-License-Identifier: Apache-2.0
// whole.c - products of matrices of integers of 32 and 64 bits, which no library computes: c = a b, any strides.
//
// Sums wrap, so that neither their order nor signs matter: one loop over uint32_t and one over uint64_t. Columns of b
// are packed, sixteen (eight) beside each other and at most WHOLE_DEPTH rows of them, and go along four rows of a,
// whose sums lie in registers. Rows are shared out among the pool's threads. On the machine of docs/performance.md
// 1024 x 1024 x 1024 takes 0.31 s in i32, where a loop over rows of b takes 1.07; 256 x 256 x 256 takes 3.6 ms, and
// 12.5 in i64: one product of 64 bits in two cycles is what the processor does.
#include "native/native.h"

#include <string.h>

enum { WHOLE_DEPTH = 128, WHOLE_ROWS = 4, WHOLE_PART = 64, WHOLE_WORK = 1000000 }; // multiplications worth a thread

typedef struct {
    bool wide; // 64 bits
    int64_t m, n, k, am, ak, bk, bn;
    const void *a, *b;
    void *c;
} whole_job;

// A tile: rows of a from i on, as many as there are, and the packed columns; first: c has no sums yet.
#define WHOLE_EDGE(NAME, T, N)                                                                                         \
    static void NAME(int64_t rows, int64_t columns, int64_t depth, const T *a, int64_t am, int64_t ak,                 \
                     const T *packed, T *c, int64_t step, bool first) {                                                \
        for (int64_t r = 0; r < rows; r++)                                                                             \
            for (int64_t j = 0; j < columns; j++) {                                                                    \
                T sum = first ? 0 : c[r * step + j];                                                                   \
                for (int64_t x = 0; x < depth; x++) sum += packed[x * (N) + j] * a[r * am + x * ak];                   \
                c[r * step + j] = sum;                                                                                 \
            }                                                                                                          \
    }
WHOLE_EDGE(whole_edge_32, uint32_t, 16)
WHOLE_EDGE(whole_edge_64, uint64_t, 8)

#ifdef CH_HAVE_VECTORS
typedef CH_VECTOR(uint32_t, 8) whole_u32x8;
typedef CH_VECTOR(uint64_t, 4) whole_u64x4;

#define WHOLE_STEP(R)                                                                                                  \
    s##R##0 += p0 * q[R * am];                                                                                         \
    s##R##1 += p1 * q[R * am]
#define WHOLE_PUT(R, T, V, N)                                                                                          \
    do {                                                                                                               \
        V old[2] = {{0}};                                                                                              \
        if (!first) memcpy(old, c + R * step, sizeof old);                                                             \
        old[0] += s##R##0;                                                                                             \
        old[1] += s##R##1;                                                                                             \
        memcpy(c + R * step, old, sizeof old);                                                                         \
    } while (0)
// Four rows and all columns of a tile.
#define WHOLE_TILE(NAME, T, V, N)                                                                                      \
    CH_CLONES static void NAME(int64_t depth, const T *restrict a, int64_t am, int64_t ak, const T *restrict packed,   \
                               T *restrict c, int64_t step, bool first) {                                              \
        V s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0}, p0, p1;              \
        for (int64_t x = 0; x < depth; x++) {                                                                          \
            const T *q = a + x * ak;                                                                                   \
            memcpy(&p0, packed + x * (N), sizeof p0);                                                                  \
            memcpy(&p1, packed + x * (N) + (N) / 2, sizeof p1);                                                        \
            WHOLE_STEP(0);                                                                                             \
            WHOLE_STEP(1);                                                                                             \
            WHOLE_STEP(2);                                                                                             \
            WHOLE_STEP(3);                                                                                             \
        }                                                                                                              \
        WHOLE_PUT(0, T, V, N);                                                                                         \
        WHOLE_PUT(1, T, V, N);                                                                                         \
        WHOLE_PUT(2, T, V, N);                                                                                         \
        WHOLE_PUT(3, T, V, N);                                                                                         \
    }
#else
#define WHOLE_TILE(NAME, T, V, N)                                                                                      \
    static void NAME(int64_t depth, const T *a, int64_t am, int64_t ak, const T *packed, T *c, int64_t step,           \
                     bool first) {                                                                                     \
        T sums[WHOLE_ROWS][N] = {{0}};                                                                                 \
        for (int64_t x = 0; x < depth; x++)                                                                            \
            for (int r = 0; r < WHOLE_ROWS; r++)                                                                       \
                for (int j = 0; j < (N); j++) sums[r][j] += packed[x * (N) + j] * a[r * am + x * ak];                  \
        for (int r = 0; r < WHOLE_ROWS; r++)                                                                           \
            for (int j = 0; j < (N); j++) c[r * step + j] = sums[r][j] + (first ? 0 : c[r * step + j]);                \
    }
#endif
WHOLE_TILE(whole_tile_32, uint32_t, whole_u32x8, 16)
WHOLE_TILE(whole_tile_64, uint64_t, whole_u64x4, 8)

#define WHOLE_ROWS_OF(NAME, T, N, TILE, EDGE)                                                                          \
    static void NAME(const whole_job *w, int64_t from, int64_t to) {                                                   \
        const T *b = w->b;                                                                                             \
        T packed[WHOLE_DEPTH * (N)];                                                                                   \
        for (int64_t x = 0; x < w->k; x += WHOLE_DEPTH)                                                                \
            for (int64_t j = 0; j < w->n; j += (N)) {                                                                  \
                int64_t columns = w->n - j < (N) ? w->n - j : (N);                                                     \
                int64_t depth = w->k - x < WHOLE_DEPTH ? w->k - x : WHOLE_DEPTH;                                       \
                for (int64_t y = 0; y < depth; y++)                                                                    \
                    for (int64_t l = 0; l < columns; l++) packed[y * (N) + l] = b[(x + y) * w->bk + (j + l) * w->bn];  \
                for (int64_t i = from; i < to; i += WHOLE_ROWS) {                                                      \
                    const T *a = (const T *)w->a + i * w->am + x * w->ak;                                              \
                    T *c = (T *)w->c + i * w->n + j;                                                                   \
                    if (to - i >= WHOLE_ROWS && columns == (N))                                                        \
                        TILE(depth, a, w->am, w->ak, packed, c, w->n, x == 0);                                         \
                    else                                                                                               \
                        EDGE(to - i < WHOLE_ROWS ? to - i : WHOLE_ROWS, columns, depth, a, w->am, w->ak, packed, c,    \
                             w->n, x == 0);                                                                            \
                }                                                                                                      \
            }                                                                                                          \
    }
WHOLE_ROWS_OF(whole_rows_32, uint32_t, 16, whole_tile_32, whole_edge_32)
WHOLE_ROWS_OF(whole_rows_64, uint64_t, 8, whole_tile_64, whole_edge_64)

static void whole_part(void *arg, int64_t begin, int64_t end) {
    const whole_job *w = arg;
    int64_t from = begin * WHOLE_PART, to = end * WHOLE_PART < w->m ? end * WHOLE_PART : w->m;
    if (w->wide)
        whole_rows_64(w, from, to);
    else
        whole_rows_32(w, from, to);
}

void ch__native_whole(bool wide, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak, const void *b,
                      int64_t bk, int64_t bn, void *c) {
    whole_job w = {wide, m, n, k, am, ak, bk, bn, a, b, c};
    if (k == 0) {
        memset(c, 0, (size_t)m * (size_t)n * (wide ? 8 : 4));
        return;
    }
    double part = (double)n * (double)k * WHOLE_PART, grain = WHOLE_WORK / part + 1;
    int64_t parts = (m + WHOLE_PART - 1) / WHOLE_PART;
    ch__parallel_for(parts, grain < (double)parts ? (int64_t)grain : parts, whole_part, &w);
}
