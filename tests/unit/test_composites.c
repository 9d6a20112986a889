// SPDX-License-Identifier: Apache-2.0
// test_composites.c - linear systems, determinants, norms, caches and quantized weights: by what they have to satisfy,
// by the same thing computed another way, and their gradients against differences.
#include "chaac/chaac.h"

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

// Numbers without a pattern that needs pivots: the diagonal is small.
static ch_tensor *matrices(ch_dtype dtype, int rank, const int64_t *dims) {
    double v[256];
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    for (int64_t i = 0; i < n; i++) v[i] = sin((double)(i * i * 7 + i * 3 + 1));
    for (int64_t i = 0; i < n; i += dims[rank - 1] + 1) v[i] *= 1e-3;
    return ch_convert(ch_from_f64(v, rank, dims), dtype);
}

static double largest(ch_tensor *x) {
    double v = NAN;
    if (ch_item(ch_convert(ch_amax(ch_abs(x), 0, NULL), CH_F64), &v) != CH_OK) fail_msg("%s", ch_error_message());
    return v;
}

static ch_tensor *identity(ch_dtype dtype, int64_t n) {
    const int64_t dims[2] = {n, n};
    return ch_convert(ch_eq(ch_iota(CH_I32, 2, dims, 0), ch_iota(CH_I32, 2, dims, 1)), dtype);
}

static void systems(void **state) {
    (void)state;
    const int64_t d[3] = {2, 5, 5}, e[3] = {2, 5, 3}, five = 5;
    for (int k = 0; k < 2; k++) {
        ch_dtype dtype = k == 0 ? CH_F64 : CH_F32;
        double tolerance = k == 0 ? 1e-13 : 2e-5;
        ch_tensor *a = matrices(dtype, 3, d), *b = matrices(dtype, 3, e), *x = ch_solve(a, b);
        assert_true(largest(ch_sub(ch_matmul(a, x), b)) < tolerance);
        assert_true(largest(ch_sub(ch_matmul(a, ch_inv(a)), identity(dtype, 5))) < 4 * tolerance);
        ch_tensor *v = ch_iota(dtype, 1, &five, 0), *one = matrices(dtype, 2, d + 1);
        assert_true(largest(ch_sub(ch_dot(one, ch_solve(one, v)), v)) < 20 * tolerance);
        ch_tensor *spd = ch_add(ch_matmul(a, ch_swap_axes(a, 1, 2)), identity(dtype, 5));
        assert_true(largest(ch_sub(ch_matmul(spd, ch_solve_spd(spd, b)), b)) < 10 * tolerance);
        assert_true(largest(ch_sub(ch_solve_spd(spd, b), ch_solve(spd, b))) < 20 * tolerance);
    }
}

static void determinants(void **state) {
    (void)state;
    const double v[18] = {0, 2, 1, 3, 0, 5, 1, 4, 2, 2, 0, 0, 0, 0, 3, 0, -1, 0};
    double det[2], logs[2];
    ch_tensor *a = ch_from_f64(v, 3, (int64_t[]){2, 3, 3});
    assert_int_equal(ch_read_f64(ch_det(a), det, 2), CH_OK);
    assert_int_equal(ch_read_f64(ch_logdet(a), logs, 2), CH_OK);
    for (int i = 0; i < 2; i++) {
        const double *m = v + 9 * i;
        double want = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                      m[2] * (m[3] * m[7] - m[4] * m[6]);
        assert_true(fabs(det[i] - want) < 1e-13 && fabs(logs[i] - log(fabs(want))) < 1e-13);
    }
    const int64_t none[2] = {0, 0};
    double one = 0;
    assert_int_equal(ch_item(ch_det(ch_zeros(CH_F64, 2, none)), &one), CH_OK);
    assert_true(one == 1);
    // the derivative of the logarithm is the transposed inverse
    ch_tensor *m = matrices(CH_F64, 2, (int64_t[]){4, 4});
    ch_tensor *g = ch_grad(ch_logdet(m), m);
    assert_true(largest(ch_sub(g, ch_transpose(ch_inv(m), 2, NULL))) < 1e-11);
}

static void norms(void **state) {
    (void)state;
    const int last = 1;
    double v[2], g[6];
    ch_tensor *x = ch_from_f64((double[]){3, -4, 0, 0, 0, 0}, 2, (int64_t[]){2, 3});
    assert_int_equal(ch_read_f64(ch_norm(x, 1, &last, 2), v, 2), CH_OK);
    assert_true(v[0] == 5 && v[1] == 0);
    assert_int_equal(ch_read_f64(ch_norm(x, 1, &last, 1), v, 2), CH_OK);
    assert_true(v[0] == 7 && v[1] == 0);
    assert_int_equal(ch_read_f64(ch_norm(x, 1, &last, INFINITY), v, 2), CH_OK);
    assert_true(v[0] == 4 && v[1] == 0);
    assert_int_equal(ch_read_f64(ch_grad(ch_sum_all(ch_norm(x, 1, &last, 2)), x), g, 6), CH_OK);
    assert_true(fabs(g[0] - 0.6) < 1e-15 && fabs(g[1] + 0.8) < 1e-15 && g[3] == 0 && g[5] == 0);
    assert_int_equal(ch_realize(ch_norm(x, 0, NULL, 3)), CH_INVALID_ARGUMENT);
}

// ---- gradients against differences, n a symbol
static ch_status all_of_them(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n, (void)n_out;
    out[0] = ch_solve(in[0], in[1]);
    out[1] = ch_inv(in[0]);
    out[2] = ch_det(in[0]);
    out[3] = ch_logdet(in[0]);
    out[4] = ch_norm(in[0], 0, NULL, 2);
    return CH_OK;
}

static void gradients(void **state) {
    (void)state;
    ch_func *f = NULL;
    if (ch_capture(all_of_them, NULL, "a: f64[n,n], b: f64[n,2]", 5, &f) != CH_OK) fail_msg("%s", ch_error_message());
    for (int64_t n = 1; n <= 4; n += 3) {
        ch_tensor *in[2] = {ch_add(matrices(CH_F64, 2, (int64_t[]){n, n}), ch_scalar(CH_F64, 0.3)),
                            matrices(CH_F64, 2, (int64_t[]){n, 2})};
        const ch_check_options o = {.struct_size = sizeof o, .tolerance = 1e-5};
        if (ch_check_vjp(f, 2, in, &o, NULL) != CH_OK) fail_msg("%s", ch_error_message());
    }
    ch_func_destroy(f);
}

// ---- caches and quantized weights
static void caches(void **state) {
    (void)state;
    float out[12];
    const int64_t d[3] = {2, 3, 2}, e[3] = {2, 1, 2};
    ch_tensor *cache = ch_zeros(CH_F32, 3, d), *row = ch_ones(CH_F32, 3, e);
    assert_int_equal(ch_read_f32(ch_kv_cache_write(cache, row, ch_scalar(CH_I32, 1)), out, 12), CH_OK);
    for (int i = 0; i < 12; i++) assert_true(out[i] == (i % 6 / 2 == 1));
    assert_int_equal(ch_read_f32(ch_kv_cache_write(cache, row, ch_scalar(CH_I32, 9)), out, 12), CH_OK);
    for (int i = 0; i < 12; i++) assert_true(out[i] == (i % 6 / 2 == 2));
    assert_int_equal(ch_realize(ch_kv_cache_write(cache, row, row)), CH_INVALID_ARGUMENT);
}

// Pages in an order of their own give what attention over the keys in a row gives.
static void pages(void **state) {
    (void)state;
    enum { PAGES = 5, SIZE = 2, KV = 2, DIM = 4, HEADS = 4, KEYS = 6 };
    double kp[PAGES * SIZE * KV * DIM], vp[PAGES * SIZE * KV * DIM], q[HEADS * DIM], got[2 * HEADS * DIM],
        want[HEADS * DIM];
    for (int i = 0; i < PAGES * SIZE * KV * DIM; i++) {
        kp[i] = sin(i * 1.7);
        vp[i] = cos(i * 0.9);
    }
    for (int i = 0; i < HEADS * DIM; i++) q[i] = sin(i + 0.5);
    const int32_t table[2 * 3] = {4, 0, 2, 1, 1, 1}, lengths[2] = {5, 0};
    const int64_t dp[4] = {PAGES, SIZE, KV, DIM};
    ch_tensor *qs = ch_broadcast_to(ch_from_f64(q, 2, (int64_t[]){HEADS, DIM}), 3, (int64_t[]){2, HEADS, DIM});
    ch_tensor *y =
        ch_paged_attention(qs, ch_from_f64(kp, 4, dp), ch_from_f64(vp, 4, dp), ch_from_i32(table, 2, (int64_t[]){2, 3}),
                           ch_from_i32(lengths, 1, (int64_t[]){2}));
    if (ch_read_f64(y, got, 2 * HEADS * DIM) != CH_OK) fail_msg("%s", ch_error_message());
    double k[KV * 5 * DIM], v[KV * 5 * DIM];
    for (int t = 0; t < 5; t++)
        for (int h = 0; h < KV; h++)
            for (int i = 0; i < DIM; i++) {
                int at = ((table[t / SIZE] * SIZE + t % SIZE) * KV + h) * DIM + i;
                k[(h * 5 + t) * DIM + i] = kp[at];
                v[(h * 5 + t) * DIM + i] = vp[at];
            }
    const int64_t dk[4] = {1, KV, 5, DIM};
    ch_tensor *plain = ch_attention(ch_from_f64(q, 4, (int64_t[]){1, HEADS, 1, DIM}), ch_from_f64(k, 4, dk),
                                    ch_from_f64(v, 4, dk), NULL, NULL);
    if (ch_read_f64(plain, want, HEADS * DIM) != CH_OK) fail_msg("%s", ch_error_message());
    for (int i = 0; i < HEADS * DIM; i++) assert_true(fabs(got[i] - want[i]) < 1e-14 && got[HEADS * DIM + i] == 0);
    assert_int_equal(ch_realize(ch_paged_attention(qs, qs, qs, qs, qs)), CH_INVALID_ARGUMENT);
}

static void quantized(void **state) {
    (void)state;
    float out[8];
    const int8_t q[8] = {1, 2, 3, 4, -128, 127, 0, 5}, zero[2] = {0, 1};
    const float scale[2] = {0.5f, 2}, want[8] = {0.5f, 1, 1.5f, 2, -258, 252, -2, 8};
    ch_tensor *t = ch_from_data(CH_I8, q, 2, (int64_t[]){1, 8}), *s = ch_from_f32(scale, 2, (int64_t[]){1, 2}),
              *z = ch_from_data(CH_I8, zero, 2, (int64_t[]){1, 2});
    assert_int_equal(ch_read_f32(ch_dequantize(t, s, z, 4, CH_F32), out, 8), CH_OK);
    for (int i = 0; i < 8; i++) assert_true(out[i] == want[i]);
    assert_int_equal(ch_tensor_dtype(ch_dequantize(t, s, NULL, 4, CH_BF16)), CH_BF16);
    assert_int_equal(ch_realize(ch_dequantize(s, s, NULL, 2, CH_F32)), CH_INVALID_ARGUMENT);
}

static void mistakes(void **state) {
    (void)state;
    ch_tensor *a = ch_ones(CH_F32, 2, (int64_t[]){2, 3}), *b = ch_ones(CH_F64, 2, (int64_t[]){2, 2});
    assert_int_not_equal(ch_realize(ch_inv(a)), CH_OK);
    assert_non_null(strstr(ch_error_message(), "test_composites.c:"));
    assert_non_null(strstr(ch_error_message(), "inv: f32[2,3] — takes floating [..., n, n]"));
    assert_int_not_equal(ch_realize(ch_solve(b, a)), CH_OK);
    assert_non_null(
        strstr(ch_error_message(), "solve: f64[2,2] and f32[2,3] — takes floating [..., n, n] and [..., n, k]"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(systems, end_thread),   cmocka_unit_test_teardown(determinants, end_thread),
        cmocka_unit_test_teardown(norms, end_thread),     cmocka_unit_test_teardown(gradients, end_thread),
        cmocka_unit_test_teardown(caches, end_thread),    cmocka_unit_test_teardown(pages, end_thread),
        cmocka_unit_test_teardown(quantized, end_thread), cmocka_unit_test_teardown(mistakes, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
