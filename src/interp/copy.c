// SPDX-License-Identifier: Apache-2.0
// copy.c - strided copies, which is what most data movement comes down to.
//
// The block is first made simple: axes of size 1 go, neighbours that lie one after another on both sides are joined.
// The innermost axis is then a memcpy, a fill or a strided loop. When source and result run along different axes (a
// transpose) the two are walked in tiles, so that both sides stay in the cache. Large copies are cut along the
// outermost axis.
#include "interp/exec.h"

#define COPY_TILE 16
#define PARALLEL_BYTES (1 << 19)

typedef struct {
    char *dst;
    const char *src;
    int rank, size;
    int64_t dims[CH__MAX_RANK], ds[CH__MAX_RANK], ss[CH__MAX_RANK]; // strides in elements
} strided;

void ch__fill(void *dst, const void *element, int size, int64_t n) {
    switch (size) {
    case 1: memset(dst, *(const unsigned char *)element, (size_t)n); return;
    case 2: {
        uint16_t *o = dst, v;
        memcpy(&v, element, sizeof v);
        for (int64_t i = 0; i < n; i++) o[i] = v;
        return;
    }
    case 4: {
        uint32_t *o = dst, v;
        memcpy(&v, element, sizeof v);
        for (int64_t i = 0; i < n; i++) o[i] = v;
        return;
    }
    default: {
        uint64_t *o = dst, v;
        memcpy(&v, element, sizeof v);
        for (int64_t i = 0; i < n; i++) o[i] = v;
    }
    }
}

#define COPY_ROW(T)                                                                                                    \
    {                                                                                                                  \
        T *o = dst;                                                                                                    \
        const T *a = src;                                                                                              \
        CH_IVDEP                                                                                                       \
        for (int64_t i = 0; i < n; i++) o[i * ds] = a[i * ss];                                                         \
        return;                                                                                                        \
    }
static void copy_row(void *dst, int64_t ds, const void *src, int64_t ss, int64_t n, int size) {
    if (ds == 1 && ss == 1) {
        memcpy(dst, src, (size_t)n * (size_t)size);
        return;
    }
    if (ds == 1 && ss == 0) {
        ch__fill(dst, src, size, n);
        return;
    }
    switch (size) {
    case 1: COPY_ROW(uint8_t)
    case 2: COPY_ROW(uint16_t)
    case 4: COPY_ROW(uint32_t)
    default: COPY_ROW(uint64_t)
    }
}
#undef COPY_ROW

// A block is read in whole lines of the source and written in whole lines of the result.
#define COPY_TILED(T)                                                                                                  \
    for (int64_t j0 = 0; j0 < nj; j0 += COPY_TILE)                                                                     \
        for (int64_t i0 = 0; i0 < ni; i0 += COPY_TILE) {                                                               \
            T block[COPY_TILE][COPY_TILE];                                                                             \
            int64_t mi = ni - i0 < COPY_TILE ? ni - i0 : COPY_TILE, mj = nj - j0 < COPY_TILE ? nj - j0 : COPY_TILE;    \
            for (int64_t j = 0; j < mj; j++)                                                                           \
                memcpy(block[j], (const T *)src + (j0 + j) * sj + i0, (size_t)mi * sizeof(T));                         \
            for (int64_t i = 0; i < mi; i++) {                                                                         \
                T *o = (T *)dst + (i0 + i) * di + j0 * dj;                                                             \
                for (int64_t j = 0; j < mj; j++) o[j * dj] = block[j][i];                                              \
            }                                                                                                          \
        }                                                                                                              \
    return;
// Two axes at once: i, along which the source is contiguous, and j.
static void copy_tiles(void *dst, int64_t di, int64_t dj, const void *src, int64_t sj, int64_t ni, int64_t nj,
                       int size) {
    switch (size) {
    case 1: COPY_TILED(uint8_t)
    case 2: COPY_TILED(uint16_t)
    case 4: COPY_TILED(uint32_t)
    default: COPY_TILED(uint64_t)
    }
}
#undef COPY_TILED

// The axes but the last (or the last two when they are tiled) are counted through by an odometer.
static void copy_block(const strided *b) {
    int inner = b->rank - 1;
    int tile = -1; // the axis along which the source is contiguous, when that is not the innermost
    if (b->rank >= 2 && b->ss[inner] != 1 && b->ss[inner] != 0 && b->dims[inner] >= 8)
        for (int i = 0; i < inner; i++)
            if (b->ss[i] == 1 && b->dims[i] >= 8) tile = i;
    int64_t at[CH__MAX_RANK] = {0};
    char *dst = b->dst;
    const char *src = b->src;
    for (;;) {
        if (tile >= 0)
            copy_tiles(dst, b->ds[tile], b->ds[inner], src, b->ss[inner], b->dims[tile], b->dims[inner], b->size);
        else
            copy_row(dst, b->ds[inner], src, b->ss[inner], b->dims[inner], b->size);
        int i = inner - 1;
        for (; i >= 0; i--) {
            if (i == tile) continue;
            dst += b->ds[i] * b->size;
            src += b->ss[i] * b->size;
            if (++at[i] < b->dims[i]) break;
            at[i] = 0;
            dst -= b->ds[i] * b->dims[i] * b->size;
            src -= b->ss[i] * b->dims[i] * b->size;
        }
        if (i < 0) return;
    }
}

static void copy_part(void *arg, int64_t begin, int64_t end) {
    strided b = *(const strided *)arg;
    b.dst += begin * b.ds[0] * b.size;
    b.src += begin * b.ss[0] * b.size;
    b.dims[0] = end - begin;
    copy_block(&b);
}

void ch__copy_strided(void *dst, const int64_t *dst_stride, const void *src, const int64_t *src_stride,
                      const int64_t *dims, int rank, int esize) {
    strided b;
    b.dst = dst;
    b.src = src;
    b.size = esize;
    b.rank = 0;
    int64_t total = 1;
    for (int i = 0; i < rank; i++) {
        if (dims[i] == 0) return;
        if (dims[i] == 1) continue;
        total *= dims[i];
        int k = b.rank - 1;
        if (k >= 0 && b.ds[k] == dst_stride[i] * dims[i] && b.ss[k] == src_stride[i] * dims[i]) {
            b.dims[k] *= dims[i];
            b.ds[k] = dst_stride[i];
            b.ss[k] = src_stride[i];
            continue;
        }
        b.dims[b.rank] = dims[i];
        b.ds[b.rank] = dst_stride[i];
        b.ss[b.rank++] = src_stride[i];
    }
    if (b.rank == 0) {
        memcpy(dst, src, (size_t)esize);
        return;
    }
    if (total * esize < 2 * PARALLEL_BYTES || b.dims[0] < 2) {
        copy_block(&b);
        return;
    }
    int64_t row = total / b.dims[0] * esize, grain = PARALLEL_BYTES / row;
    ch__parallel_for(b.dims[0], grain > 0 ? grain : 1, copy_part, &b);
}
