// SPDX-License-Identifier: Apache-2.0
// test_native_dot.c - dot.c and blas.c: any sizes, any strides, against sums in f64.
#include "native/native.h"

#include "../precision.h"
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
    const double f64 = ch_test_limit("native", "dot", "f64", "size"),
                 f32 = ch_test_limit("native", "dot", "f32", "size");
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int64_t x = 0; x < k; x++) {
                double p = a64[i * a.row + x * a.column] * b64[x * b.row + j * b.column];
                sum += p;
                size += fabs(p);
            }
            assert_true(fabs(c64[i * n + j] - sum) <= f64 * size);
            assert_true(fabs((double)c32[i * n + j] - sum) <= f32 * size);
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

// Products large enough for the way through wider numbers: integers to the bit, halves within a rounding of f32's sum.
static void widened(void **state) {
    (void)state;
    enum { M = 37, N = 41, K = 130 };
    static const ch_dtype dtypes[] = {CH_I8, CH_U8, CH_I16, CH_U16, CH_BF16, CH_F16};
    static uint16_t a[ROOM], b[ROOM], c[ROOM];
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
        for (int turn = 0; turn < 8; turn++) {
            ch_dtype d = dtypes[t];
            size_t size = ch_dtype_size(d);
            bool half = d == CH_BF16 || d == CH_F16;
            double limit = ch_test_limit("native", "dot", half ? ch_dtype_name(d) : "integers", half ? "size" : "bits");
            layout x = any_layout(M, K), y = any_layout(K, N);
            uint8_t *a8 = (uint8_t *)a, *b8 = (uint8_t *)b, *c8 = (uint8_t *)c;
            for (int i = 0; i < ROOM; i++) {
                uint16_t v[2];
                for (int j = 0; j < 2; j++)
                    v[j] = d == CH_BF16  ? ch__f32_to_bf16((float)number())
                           : d == CH_F16 ? ch__f32_to_f16((float)number())
                                         : (uint16_t)below(65536);
                if (size == 1) a8[i] = (uint8_t)v[0], b8[i] = (uint8_t)v[1];
                if (size == 2) a[i] = v[0], b[i] = v[1];
            }
            memset(c, 0x7f, sizeof c);
            assert_int_equal(ch__native_dot((int)d, CH_F64, M, N, K, a, x.row, x.column, b, y.row, y.column, c), 0);
            for (int64_t i = 0; i < M; i++)
                for (int64_t j = 0; j < N; j++) {
                    double sum = 0, most = 0;
                    int64_t exact = 0, at = i * N + j;
                    for (int64_t l = 0; l < K; l++) {
                        int64_t p = i * x.row + l * x.column, q = l * y.row + j * y.column;
                        double u = d == CH_BF16 ? ch__bf16_to_f32(a[p]) : ch__f16_to_f32(a[p]);
                        double v = d == CH_BF16 ? ch__bf16_to_f32(b[q]) : ch__f16_to_f32(b[q]);
                        sum += u * v;
                        most += fabs(u * v);
                        exact += d == CH_I8    ? (int64_t)(int8_t)a8[p] * (int8_t)b8[q]
                                 : d == CH_U8  ? (int64_t)a8[p] * b8[q]
                                 : d == CH_I16 ? (int64_t)(int16_t)a[p] * (int16_t)b[q]
                                               : (int64_t)a[p] * b[q];
                    }
                    float got = d == CH_BF16 ? ch__bf16_to_f32(c[at]) : ch__f16_to_f32(c[at]);
                    int64_t wrong = size == 1 ? c8[at] - (uint8_t)exact : c[at] - (uint16_t)exact;
                    if (limit == 0)
                        assert_int_equal(wrong, 0);
                    else
                        assert_true(fabs((double)got - sum) <= limit * most);
                }
            assert_int_equal(size == 1 ? c8[M * N] : c[M * N], size == 1 ? 0x7f : 0x7f7f);
        }
}

// Rows of halves have the bits that single ones have: every f16 and bf16, every 4,093rd f32 and those around its ties.
static void rows_of_halves(void **state) {
    (void)state;
    enum { N = 4099 };
    static uint16_t h[2 * N], r[N];
    static float f[N];
    for (int f16 = 0; f16 < 2; f16++) {
        for (uint32_t from = 0; from < 65536; from += N / 2) {
            for (uint32_t i = 0; i < 2 * N; i++) h[i] = (uint16_t)(from + i);
            for (int64_t step = 1; step <= 2; step++) {
                ch__native_widen_row(f16 != 0, N, h, step, f);
                for (int64_t i = 0; i < N; i++) {
                    float one = f16 ? ch__f16_to_f32(h[i * step]) : ch__bf16_to_f32(h[i * step]);
                    assert_memory_equal(&f[i], &one, sizeof one);
                }
            }
        }
        for (uint64_t from = 0; from < (uint64_t)1 << 32;) {
            for (int i = 0; i < N; i++, from += 4093) {
                uint32_t b = (uint32_t)(i % 3 == 0 ? from : (from & ~(uint64_t)0x1fff) + 0xffe + from % 4);
                memcpy(&f[i], &b, sizeof b);
            }
            ch__native_narrow_row(f16 != 0, N, f, r);
            for (int i = 0; i < N; i++) assert_int_equal(r[i], f16 ? ch__f32_to_f16(f[i]) : ch__f32_to_bf16(f[i]));
        }
        // Where one rule ends and the next begins: half the smallest, the smallest normal, the largest, infinity.
        static const uint32_t edges[] = {0,          0x33000000, 0x33800000, 0x38800000, 0x477fe000, 0x477ff000,
                                         0x47800000, 0x7f7f8000, 0x7f800000, 0x7fc00000, 0x7fffffff};
        for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
            for (uint32_t i = 0; i < 64; i++) {
                uint32_t b = (edges[e] + i % 32 - 16) ^ (i / 32) << 31;
                float v, *one = &v;
                memcpy(one, &b, sizeof b);
                ch__native_narrow_row(f16 != 0, 1, one, r);
                assert_int_equal(r[0], f16 ? ch__f32_to_f16(v) : ch__f32_to_bf16(v));
            }
    }
}

// Integers of 32 and 64 bits, whose sums wrap: any strides, rows and columns and depths left over, nothing to add.
static void whole_numbers(void **state) {
    (void)state;
    static const ch_dtype dtypes[] = {CH_I32, CH_U32, CH_I64, CH_U64};
    static const int64_t sizes[][3] = {{1, 1, 1},    {3, 5, 0},      {4, 16, 128}, {70, 8, 129}, {66, 33, 260},
                                       {5, 130, 17}, {131, 47, 127}, {64, 64, 64}, {9, 15, 300}};
    static uint64_t a[ROOM], b[ROOM], c[ROOM];
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
        for (size_t turn = 0; turn < 4 * sizeof sizes / sizeof *sizes; turn++) {
            const int64_t *size = sizes[turn / 4], m = size[0], n = size[1], k = size[2];
            bool wide = ch_dtype_size(dtypes[t]) == 8;
            layout x = any_layout(m, k), y = any_layout(k, n);
            for (int i = 0; i < ROOM; i++) {
                seed = ch__hash_u64(seed);
                a[i] = seed;
                b[i] = ch__hash_u64(seed ^ 77);
            }
            memset(c, 0x7f, sizeof c);
            const uint32_t *a4 = (const uint32_t *)a, *b4 = (const uint32_t *)b, *c4 = (const uint32_t *)c;
            assert_int_equal(ch__native_dot((int)dtypes[t], CH_I64, m, n, k, a, x.row, x.column, b, y.row, y.column, c),
                             0);
            for (int64_t i = 0; i < m; i++)
                for (int64_t j = 0; j < n; j++) {
                    uint64_t sum = 0;
                    for (int64_t l = 0; l < k; l++) {
                        int64_t p = i * x.row + l * x.column, q = l * y.row + j * y.column;
                        sum += wide ? a[p] * b[q] : (uint64_t)a4[p] * b4[q];
                    }
                    assert_true(wide ? c[i * n + j] == sum : c4[i * n + j] == (uint32_t)sum);
                }
            assert_true(wide ? c[m * n] == UINT64_C(0x7f7f7f7f7f7f7f7f) : c4[m * n] == 0x7f7f7f7f);
        }
}

// What is neither f32 nor f64, and small, is the interpreter's to the bit.
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

// What panels.c calls: plain loops, counted.
static int panel_calls;
static int64_t largest_step;
static int counted_sgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
                         const float *b, int64_t ldb, float beta, float *c, int64_t ldc) {
    panel_calls++;
    if (ldb > largest_step) largest_step = ldb;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t x = 0; x < k; x++)
                sum += (double)(ta == 'T' ? a[x * lda + i] : a[i * lda + x]) *
                       (double)(tb == 'T' ? b[j * ldb + x] : b[x * ldb + j]);
            c[i * ldc + j] = alpha * (float)sum + (beta > 0 ? beta * c[i * ldc + j] : 0);
        }
    return 0;
}

// Rows of b that are pages apart, with columns and rows left over of the last block; and by the way from the top.
static void panels(void **state) {
    (void)state;
    enum { M = 51, N = 517, K = 300, STEP = 1024 };
    float *a = ch__calloc(M * K, sizeof *a), *b = ch__calloc(K * STEP, sizeof *b), *c[3];
    double most = 0;
    for (int i = 0; i < 3; i++) {
        c[i] = ch__calloc(M * N + 1, sizeof(float));
        c[i][M * N] = 7;
    }
    for (int64_t i = 0; i < M * K; i++) a[i] = (float)number();
    for (int64_t i = 0; i < K * STEP; i++) b[i] = (float)number();
    panel_calls = 0;
    largest_step = 0;
    assert_true(ch__native_by_panels(counted_sgemm, false, M, N, K, a, K, b, STEP, c[0], N));
    assert_true(ch__native_by_panels(counted_sgemm, true, M, N, K, a, M, b, STEP, c[1], N));
    assert_int_equal(panel_calls, 2 * 3 * 2);
    assert_int_equal(largest_step, 272);
    assert_int_equal(ch__native_dot(CH_F32, CH_F32, M, N, K, a, K, 1, b, STEP, 1, c[2]), 0);
    for (int way = 0; way < 3; way++) {
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < N; j++) {
                double sum = 0, size = 0;
                for (int64_t x = 0; x < K; x++) {
                    double p = (double)(way == 1 ? a[x * M + i] : a[i * K + x]) * (double)b[x * STEP + j];
                    sum += p;
                    size += fabs(p);
                }
                double off = fabs((double)c[way][i * N + j] - sum) / size;
                if (off > most) most = off;
            }
        assert_true(c[way][M * N] == 7);
        ch__free(c[way]);
    }
    assert_true(most <= ch_test_limit("native", "dot", "f32", "size"));
    ch__free(a);
    ch__free(b);
}

static void which_go_by_panels(void **state) {
    (void)state;
    assert_true(ch__native_panels_fit(false, false, 256, 1024, 1024, 1024));
    assert_true(ch__native_panels_fit(false, false, 64, 64, 64, 4096));
    assert_true(ch__native_panels_fit(true, false, 128, 1024, 1024, 1024));
    assert_false(ch__native_panels_fit(true, false, 64, 1024, 1024, 1024));
    assert_false(ch__native_panels_fit(false, true, 256, 1024, 1024, 1024));
    assert_false(ch__native_panels_fit(false, false, 256, 1024, 1024, 1040));
    assert_false(ch__native_panels_fit(false, false, 16, 1024, 1024, 1024));
    assert_false(ch__native_panels_fit(false, false, 1024, 1024, 1024, 1024)); // oneDNN copies there
    panel_calls = 0;
    bool pay = ch__native_panels_pay(counted_sgemm);
    int measured = panel_calls;
    assert_int_equal(ch__native_panels_pay(counted_sgemm), pay);
    assert_int_equal(panel_calls, measured); // once
    assert_true(measured <= 8);
}

static void memory_ends(void **state) {
    (void)state;
    ch__native_blas(CH_F64); // chosen before, so that only the copies are left to fail
    ch__alloc_fail_at(1, true);
    int how = ch__native_dot(CH_F64, CH_F64, 200, 1, 100, a64, 200, 2, b64, 1, 1, c64);
    ch__alloc_fail_at(0, false);
    assert_int_equal(how, CH__NATIVE_NO_MEMORY);
    print_message("# f32 by %s, f64 by %s\n", ch__native_blas(CH_F32), ch__native_blas(CH_F64));
}

// An OpenBLAS that does not know a processor with vectors of 512 bits is told; nobody else hears of it.
static void openblas_takes_the_processors_vectors(void **state) {
    (void)state;
    typedef const char *core_fn(void);
    bool told = getenv("OPENBLAS_CORETYPE") != NULL;
    assert_non_null(ch__native_blas(CH_F64));
    assert_int_equal(getenv("OPENBLAS_CORETYPE") != NULL, told);
    void *l = ch__dl_open("libopenblas.so.0"), *p = ch__dl_sym(l, "openblas_get_corename");
    core_fn *core = NULL;
    memcpy(&core, &p, sizeof core);
    if (core == NULL) CH_SKIP("OpenBLAS is not installed");
#if defined(__x86_64__)
    bool wide = __builtin_cpu_supports("avx512vl");
#else
    bool wide = false;
#endif
    if (!wide) CH_SKIP("this processor has no vectors of 512 bits");
    print_message("# OpenBLAS: %s\n", core());
    if (!told) assert_string_not_equal(core(), "Prescott");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sizes_and_strides),
        cmocka_unit_test(integers_and_halves),
        cmocka_unit_test(widened),
        cmocka_unit_test(rows_of_halves),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(panels),
        cmocka_unit_test(which_go_by_panels),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(openblas_takes_the_processors_vectors),
    };
    return cmocka_run_group_tests_name("native_dot", tests, NULL, NULL);
}
