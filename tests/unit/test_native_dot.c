// SPDX-License-Identifier: Apache-2.0
// test_native_dot.c - dot.c and blas.c: any sizes, any strides, against sums in f64.
#include "native/native.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>

static uint64_t seed = 1;

static int64_t below(int64_t n) {
    seed = ch__hash_u64(seed);
    return (int64_t)(seed % (uint64_t)n);
}

static double number(void) { return (double)(below(2001) - 1000) / 1000; }

enum { ROOM = 200 * 200 };
static double a64[ROOM], b64[ROOM], c64[ROOM];
static float a32[ROOM], b32[ROOM], c32[ROOM];

typedef struct {
    int64_t rows, columns, row, column; // strides
} layout;

// Row-major, column-major, with gaps, or with neither axis contiguous; at most ROOM elements.
static layout any_layout(int64_t rows, int64_t columns) {
    layout l = {rows, columns, columns, 1};
    switch (below(4)) {
    case 0: break;
    case 1: l.row = 1, l.column = rows; break;
    case 2:
        if (rows * (columns + 3) <= ROOM) l.row = columns + 3;
        break;
    default:
        if (rows * columns * 2 <= ROOM) l.row = 2 * columns, l.column = 2;
        break;
    }
    return l;
}

static int64_t any_size(void) {
    static const int64_t sizes[] = {0, 1, 1, 2, 3, 5, 8, 16, 17, 31, 64, 65, 100, 130};
    return sizes[below((int64_t)(sizeof sizes / sizeof sizes[0]))];
}

static void one(int64_t m, int64_t n, int64_t k) {
    layout a = any_layout(m, k), b = any_layout(k, n);
    memset(c32, 0x7f, sizeof c32);
    memset(c64, 0x7f, sizeof c64);
    assert_int_equal(ch__native_dot(CH_F64, CH_F64, m, n, k, a64, a.row, a.column, b64, b.row, b.column, c64), 0);
    assert_int_equal(ch__native_dot(CH_F32, CH_F64, m, n, k, a32, a.row, a.column, b32, b.row, b.column, c32), 0);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int64_t x = 0; x < k; x++) {
                double p = a64[i * a.row + x * a.column] * b64[x * b.row + j * b.column];
                sum += p;
                size += fabs(p);
            }
            assert_true(fabs(c64[i * n + j] - sum) <= 2.3e-16 * (double)(k + 1) * size);
            assert_true(fabs((double)c32[i * n + j] - sum) <= 1.2e-7 * (double)(k + 3) * size);
        }
    assert_true(c32[m * n] > 3e38f); // nothing behind the end was touched
}

static void all_sizes_and_strides(void **state) {
    (void)state;
    for (int i = 0; i < ROOM; i++) {
        a64[i] = a32[i] = (float)number();
        b64[i] = b32[i] = (float)number();
    }
    for (int i = 0; i < 300; i++) one(any_size(), any_size(), any_size());
    one(130, 130, 130);
}

// What is neither f32 nor f64 is the interpreter's to the bit.
static void integers_and_halves(void **state) {
    (void)state;
    int32_t x[6] = {1, 2, 3, 4, 5, INT32_MAX}, y[6] = {1, 0, 0, 1, 2, 2}, c[4];
    assert_int_equal(ch__native_dot(CH_I32, CH_I32, 2, 2, 3, x, 3, 1, y, 2, 1, c), 0);
    assert_int_equal(c[0], 1 + 6);
    assert_int_equal(c[1], 2 + 6);
    assert_int_equal(c[2], 4 - 2); // wraps
    assert_int_equal(c[3], 5 - 2);
    uint16_t one_half = ch__f32_to_bf16(0.5f), h[4] = {one_half, one_half, one_half, one_half}, r[1];
    assert_int_equal(ch__native_dot(CH_BF16, CH_F64, 1, 1, 4, h, 4, 1, h, 1, 1, r), 0);
    assert_true(ch__bf16_to_f32(r[0]) == 1.0f);
}

static void memory_ends(void **state) {
    (void)state;
    ch__native_blas(CH_F32); // chosen before, so that only the copies are left to fail
    ch__alloc_fail_at(1, true);
    int how = ch__native_dot(CH_F64, CH_F64, 60, 60, 60, a64, 120, 2, b64, 120, 2, c64);
    ch__alloc_fail_at(0, false);
    assert_int_equal(how, CH__NATIVE_NO_MEMORY);
    print_message("# f32 by %s, f64 by %s\n", ch__native_blas(CH_F32), ch__native_blas(CH_F64));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sizes_and_strides),
        cmocka_unit_test(integers_and_halves),
        cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("native_dot", tests, NULL, NULL);
}
