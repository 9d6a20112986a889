// SPDX-License-Identifier: Apache-2.0
// panels.c - products by oneDNN whose right operand's rows lie a whole number of pages apart, as those of a layer 1,024
// wide do.
//
// With few rows on the left oneDNN multiplies from where b lies. The lines that it takes from 16 rows then share one
// place of a cache of 32 KiB in 8 ways, and drop each other before they are read to their ends. Measured in GFLOP/s,
// 1024 x 1024 on the right: 27.3 for 64 rows, 28.3 for 256, and 36.9 where the rows of b lie 64 bytes further apart. So
// blocks of b are copied to where they do: 31.5 and 35.2, the copies among it. With more rows oneDNN copies by itself.
// Whether it pays on this processor is measured when the first such product is asked for, three runs each way.
#include "native/native.h"

#include <pthread.h>
#include <string.h>

enum {
    PAGE_FLOATS = 1024,
    PANEL = 256, // rows and columns of a block of b
    PANEL_STRIDE = PANEL + 16,
    PANEL_ROWS = 48,         // of a: with fewer the copies cost what they save (measured: 0.91 of the time at 48,
    PANEL_ROWS_TURNED = 128, // 0.96 at 16; with a transposed 0.90 at 128, 1.04 at 48)
    PANEL_LEAST = 64         // columns of b, rows of b
};

typedef struct panel_room {
    float block[PANEL * PANEL_STRIDE];
} panel_room;
static ch__native_rooms panel_rooms;

// ---------------------------------------------------------------- the product
static int64_t panel_end(int64_t from, int64_t n) { return from + PANEL < n ? PANEL : n - from; }

static bool panel_product(ch__native_sgemm *sgemm, panel_room *r, bool ta, int64_t m, int64_t n, int64_t k,
                          const float *a, int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc) {
    for (int64_t j = 0; j < n; j += PANEL)
        for (int64_t x = 0; x < k; x += PANEL) {
            int64_t columns = panel_end(j, n), rows = panel_end(x, k);
            for (int64_t i = 0; i < rows; i++)
                memcpy(r->block + i * PANEL_STRIDE, b + (x + i) * ldb + j, (size_t)columns * sizeof *b);
            if (sgemm(ta ? 'T' : 'N', 'N', m, columns, rows, 1, ta ? a + x * lda : a + x, lda, r->block, PANEL_STRIDE,
                      x > 0 ? 1 : 0, c + j, ldc) != 0)
                return false;
        }
    return true;
}

bool ch__native_by_panels(ch__native_sgemm *sgemm, bool ta, int64_t m, int64_t n, int64_t k, const float *a,
                          int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc) {
    panel_room *r = ch__native_room_take(&panel_rooms, sizeof *r);
    if (r == NULL) return false;
    bool good = panel_product(sgemm, r, ta, m, n, k, a, lda, b, ldb, c, ldc);
    ch__native_room_give_back(&panel_rooms, r);
    return good;
}

// ---------------------------------------------------------------- whether
enum { PANELS_UNKNOWN, PANELS_PAY, PANELS_COST };
static atomic_int panels_state;
static pthread_mutex_t panels_measuring = PTHREAD_MUTEX_INITIALIZER;

static double panels_seconds(ch__native_sgemm *sgemm, bool panels, const float *a, const float *b, float *c) {
    enum { M = 2 * PANEL_ROWS };
    double best = 1e9;
    for (int i = 0; i < 4; i++) { // the first sets up what the library or the block needs
        double from = ch__now();
        bool good = panels ? ch__native_by_panels(sgemm, false, M, PANEL, PANEL, a, PANEL, b, PAGE_FLOATS, c, PANEL)
                           : sgemm('N', 'N', M, PANEL, PANEL, 1, a, PANEL, b, PAGE_FLOATS, 0, c, PANEL) == 0;
        double t = ch__now() - from;
        if (!good) return 1e9;
        if (i > 0 && t < best) best = t;
    }
    return best;
}

static bool panels_measured(ch__native_sgemm *sgemm) {
    enum { N = PANEL * PAGE_FLOATS };
    if (ch__native_deterministic()) return true;
    float *b = ch__alloc_aligned(3 * (size_t)N * sizeof *b, 64); // a and c lie behind it
    if (b == NULL) return false;
    for (int i = 0; i < 3 * N; i++) b[i] = 1;
    double plain = panels_seconds(sgemm, false, b + N, b, b + 2 * N);
    double panels = panels_seconds(sgemm, true, b + N, b, b + 2 * N);
    ch__free_aligned(b);
    return panels < 0.95 * plain;
}

bool ch__native_panels_fit(bool ta, bool tb, int64_t m, int64_t n, int64_t k, int64_t ldb) {
    if (tb || ldb % PAGE_FLOATS != 0 || n < PANEL_LEAST || k < PANEL_LEAST) return false;
    if (m < (ta ? PANEL_ROWS_TURNED : PANEL_ROWS)) return false;
    return 1.0 / (double)m + 1.0 / (double)n >= 0.0038; // oneDNN's own rule for where it does not copy
}

bool ch__native_panels_pay(ch__native_sgemm *sgemm) {
    if (atomic_load(&panels_state) == PANELS_UNKNOWN) {
        pthread_mutex_lock(&panels_measuring);
        if (atomic_load(&panels_state) == PANELS_UNKNOWN)
            atomic_store(&panels_state, panels_measured(sgemm) ? PANELS_PAY : PANELS_COST);
        pthread_mutex_unlock(&panels_measuring);
    }
    return atomic_load(&panels_state) == PANELS_PAY;
}
