// SPDX-License-Identifier: Apache-2.0
// test_tensor.c - lazy tensors: values, reading, scopes, broadcasting, gradients.
#include "chaac/chaac.h"

#include "unit.h"

#include <math.h>

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static void assert_f32(ch_tensor *t, int n, const float *want, float tolerance) {
    float got[64];
    assert_true(n <= 64);
    ch_status s = ch_read_f32(t, got, n);
    if (s != CH_OK) fail_msg("%s", ch_error_message());
    for (int i = 0; i < n; i++)
        if (!(fabsf(got[i] - want[i]) <= tolerance))
            fail_msg("element %d is %.9g, not %.9g", i, (double)got[i], (double)want[i]);
}

static ch_tensor *f32_2x2(float a, float b, float c, float d) {
    return ch_from_f32((float[]){a, b, c, d}, 2, (int64_t[]){2, 2});
}

static void values_are_what_was_given(void **state) {
    (void)state;
    ch_tensor *a = f32_2x2(1, 2, 3, 4);
    assert_f32(a, 4, (float[]){1, 2, 3, 4}, 0);
    assert_int_equal(ch_tensor_rank(a), 2);
    assert_int_equal(ch_tensor_dim(a, 1), 2);
    assert_int_equal(ch_tensor_dim(a, 2), -1);
    assert_int_equal(ch_tensor_numel(a), 4);
    assert_int_equal(ch_tensor_dtype(a), CH_F32);
    char type[16];
    assert_int_equal(ch_tensor_type(a, type, sizeof type), 8);
    assert_string_equal(type, "f32[2,2]");
    double item;
    assert_int_equal(ch_item(ch_scalar(CH_I8, -7), &item), CH_OK);
    assert_true(item == -7);
}

static void operations_are_lazy_and_broadcast(void **state) {
    (void)state;
    ch_tensor *a = f32_2x2(1, 2, 3, 4), *row = ch_from_f32((float[]){10, 20}, 1, (int64_t[]){2});
    ch_tensor *sum = ch_add(a, row);
    assert_false(ch_is_realized(sum));
    assert_f32(sum, 4, (float[]){11, 22, 13, 24}, 0);
    assert_true(ch_is_realized(sum));
    assert_f32(ch_mul(sum, ch_scalar(CH_F32, 2)), 4, (float[]){22, 44, 26, 48}, 0);
    assert_f32(ch_select(ch_gt(a, ch_scalar(CH_F32, 2)), a, ch_zeros_like(a)), 4, (float[]){0, 0, 3, 4}, 0);
    assert_f32(ch_clamp(ch_scalar(CH_F32, 2), a, ch_scalar(CH_F32, 3)), 4, (float[]){2, 2, 3, 3}, 0);
}

static void shape_functions(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f32((float[]){0, 1, 2, 3, 4, 5}, 2, (int64_t[]){2, 3});
    assert_f32(ch_transpose(x, 2, NULL), 6, (float[]){0, 3, 1, 4, 2, 5}, 0);
    assert_f32(ch_reshape(x, 2, (int64_t[]){-1, 2}), 6, (float[]){0, 1, 2, 3, 4, 5}, 0);
    assert_int_equal(ch_tensor_dim(ch_reshape(x, 2, (int64_t[]){-1, 2}), 0), 3);
    assert_f32(ch_slice(x, 2, (int64_t[]){0, -2}, (int64_t[]){CH_END, CH_END}, NULL), 4, (float[]){1, 2, 4, 5}, 0);
    assert_f32(ch_slice_axis(x, 0, 1, 2), 3, (float[]){3, 4, 5}, 0);
    assert_f32(ch_pad(x, ch_scalar(CH_F32, 9), 2, (int64_t[]){0, 1}, (int64_t[]){0, 0}, NULL), 8,
               (float[]){9, 0, 1, 2, 9, 3, 4, 5}, 0);
    assert_f32(ch_concat(2, (ch_tensor *[]){x, x}, 1), 12, (float[]){0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}, 0);
    assert_f32(ch_stack(2, (ch_tensor *[]){x, x}, -1), 12, (float[]){0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}, 0);
    assert_f32(ch_reverse(x, 1, (int[]){-1}), 6, (float[]){2, 1, 0, 5, 4, 3}, 0);
    assert_f32(ch_take(x, ch_from_i64((int64_t[]){2, 0}, 1, (int64_t[]){2}), 1), 4, (float[]){2, 0, 5, 3}, 0);
    assert_f32(ch_sum(x, 1, (int[]){0}), 3, (float[]){3, 5, 7}, 0);
    assert_f32(ch_amax(x, 1, (int[]){-1}), 2, (float[]){2, 5}, 0);
    assert_f32(ch_mean_all(x), 1, (float[]){2.5f}, 0);
    assert_f32(ch_cumsum(x, 1), 6, (float[]){0, 1, 3, 3, 7, 12}, 0);
    assert_f32(ch_sort(x, 1, 1), 6, (float[]){2, 1, 0, 5, 4, 3}, 0);
    ch_tensor *values, *indices;
    ch_top_k(x, 2, &values, &indices);
    assert_f32(values, 4, (float[]){2, 1, 5, 4}, 0);
    int64_t at[4];
    assert_int_equal(ch_read_i64(indices, at, 4), CH_OK);
    assert_int_equal(at[0], 2);
    assert_int_equal(at[3], 1);
    assert_f32(ch_op("reduce", 1, &x, "kind = sum, dims = [0, 1]"), 1, (float[]){15}, 0);
    assert_f32(ch_op("iota", 0, NULL, "type = f32[3], dim = 0"), 3, (float[]){0, 1, 2}, 0);
    assert_f32(ch_matmul(x, ch_transpose(x, 2, NULL)), 4, (float[]){5, 14, 14, 50}, 0);
    assert_f32(ch_one_hot(ch_from_i32((int32_t[]){2, 5}, 1, (int64_t[]){2}), 3, CH_F32), 6, (float[]){0, 0, 1, 0, 0, 0},
               0);
}

// A number made by ch_scalar is a value like any other where it is broadcast, too.
static void gradients_of_numbers(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f32((float[]){1, 2, 3}, 1, (int64_t[]){3});
    ch_tensor *w = ch_scalar(CH_F32, 2), *b = ch_scalar(CH_F32, 2), *g[2];
    ch_tensor *y = ch_add(ch_sum_all(ch_add(ch_mul(x, w), b)), ch_mul(w, w));
    ch_grads(y, 2, (ch_tensor *[]){w, b}, g);
    assert_f32(g[0], 1, (float[]){10}, 0); // 1 + 2 + 3 by the broadcast one, 2 w by the other
    assert_f32(g[1], 1, (float[]){3}, 0);
    assert_f32(y, 1, (float[]){22}, 0);
    assert_f32(ch_grad(ch_sum_all(ch_mul(x, ch_full_like(b, 2))), x), 3, (float[]){2, 2, 2}, 0);
}

static void activations_and_losses(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f32((float[]){-1, 0, 2}, 1, (int64_t[]){3});
    assert_f32(ch_relu(x), 3, (float[]){0, 0, 2}, 0);
    assert_f32(ch_softmax(x, -1), 3, (float[]){0.04201007f, 0.11419519f, 0.84379473f}, 1e-7f);
    assert_f32(ch_log_softmax(x, 0), 3, (float[]){-3.1698459f, -2.1698459f, -0.16984589f}, 1e-6f);
    assert_f32(ch_gelu(x), 3, (float[]){-0.15865525f, 0, 1.9544997f}, 1e-6f);
    assert_f32(ch_silu(x), 3, (float[]){-0.26894143f, 0, 1.7615942f}, 1e-6f);
    assert_f32(ch_softplus(x), 3, (float[]){0.31326166f, 0.69314718f, 2.126928f}, 1e-6f);
    ch_tensor *logits = ch_reshape(x, 2, (int64_t[]){1, 3}), *label = ch_from_i32((int32_t[]){2}, 1, (int64_t[]){1});
    assert_f32(ch_cross_entropy(logits, label), 1, (float[]){0.16984589f}, 1e-6f);
    ch_tensor *far = ch_from_f32((float[]){1000, -1000, 0}, 2, (int64_t[]){1, 3});
    assert_f32(ch_cross_entropy(far, ch_from_i32((int32_t[]){0}, 1, (int64_t[]){1})), 1, (float[]){0}, 0);
}

static void first_program_of_the_manual(void **state) {
    (void)state;
    ch_tensor *a = f32_2x2(1, 2, 3, 4);
    assert_f32(ch_grad(ch_sum_all(ch_dot(a, a)), a), 4, (float[]){7, 11, 9, 13}, 0);
}

// x sigmoid(x) / sqrt(1 + log(1 + e^x)): the derivative as other tools print it in f32.
static void known_derivative(void **state) {
    (void)state;
    static const double at[7] = {-3, -1, -.25, 0, .5, 1.75, 4};
    static const double want[7] = {-0.08289663, 0.08714630, 0.31185716, 0.38425776, 0.49173251, 0.50086808, 0.29834056};
    ch_tensor *x = ch_from_f64(at, 1, (int64_t[]){7}), *one = ch_scalar(CH_F64, 1);
    ch_tensor *below = ch_sqrt(ch_add(one, ch_log(ch_add(one, ch_exp(x)))));
    ch_tensor *y = ch_div(ch_mul(x, ch_sigmoid(x)), below);
    double got[7];
    assert_int_equal(ch_read_f64(ch_grad(ch_sum_all(y), x), got, 7), CH_OK);
    for (int i = 0; i < 7; i++) assert_true(fabs(got[i] - want[i]) < 6e-8);
}

static void gradients_of_every_order(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f64((double[]){3}, 0, NULL);
    ch_tensor *y = ch_mul(ch_mul(x, x), ch_mul(x, x)); // x^4 and its derivatives at 3
    static const double want[4] = {108, 108, 72, 24};
    for (int k = 0; k < 4; k++) {
        double v;
        y = ch_grad(y, x);
        assert_int_equal(ch_item(y, &v), CH_OK);
        assert_true(v == want[k]);
    }
}

// A derivative in another value than the one before, which that one read besides: also where it was not realized, in
// the body of a loop, and behind another derivative. Constants are numbers of a derivative, and say so.
static ch_status gradient_inside(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    ch_tensor *h = user; // from outside, w is in[1]
    out[0] = ch_mul(ch_grad(ch_mul(ch_mul(h, h), in[1]), in[1]), in[1]);
    return CH_OK;
}
static void gradients_in_different_values(void **state) {
    (void)state;
    for (int realized = 0; realized < 2; realized++) {
        ch_tensor *x = ch_from_f64((double[]){3}, 0, NULL), *w = ch_from_f64((double[]){5}, 0, NULL);
        ch_tensor *h = ch_mul(x, x);
        if (realized) assert_int_equal(ch_realize(h), CH_OK);
        ch_tensor *one = ch_scalar(CH_F64, 1), *g = ch_grad(ch_mul(ch_mul(h, h), w), w), *z = ch_mul(g, h); // h^3
        double v;
        assert_int_equal(ch_item(ch_grad(z, h), &v), CH_OK);
        assert_true(v == 3 * 81);
        assert_int_equal(ch_item(ch_grad(z, x), &v), CH_OK); // x^6
        assert_true(v == 6 * 243);
        assert_int_equal(ch_item(ch_tangent(z, 1, &h, &one), &v), CH_OK);
        assert_true(v == 3 * 81);
        ch_tensor *u = ch_grad(ch_mul(z, w), w); // h^3 again, through a derivative of a derivative
        assert_int_equal(ch_item(ch_grad(ch_mul(u, h), h), &v), CH_OK);
        assert_true(v == 4 * 729);
        ch_tensor *lo = ch_scalar(CH_I64, 0), *hi = ch_scalar(CH_I64, 2), *step = ch_scalar(CH_I64, 1), *r;
        ch_for(lo, hi, step, gradient_inside, h, 1, &w, &r); // w h^4
        assert_int_equal(ch_item(ch_grad(r, h), &v), CH_OK);
        assert_true(v == 4 * 729 * 5);
    }
    ch_tensor *a = ch_from_f64((double[]){2}, 0, NULL), *b = ch_scalar_at("k.c:1", CH_F64, 5);
    ch_tensor *g = ch_grad_at("k.c:2", ch_mul(ch_mul(a, a), b), a), *z = ch_mul(ch_grad(ch_mul(g, a), a), b);
    double v;
    assert_int_equal(ch_item(g, &v), CH_OK);
    assert_true(v == 20);
    assert_int_not_equal(ch_item(ch_grad_at("k.c:3", z, b), &v), CH_OK);
    assert_string_equal(ch_error_id(), "gradient_detached");
    assert_non_null(strstr(ch_error_message(),
                           "k.c:3: grad: the constant made at k.c:1 is part of the derivative taken "
                           "at "));
    assert_int_equal(ch_realize(b), CH_OK);
    g = ch_grad(ch_mul(ch_mul(a, a), b), a); // 2 a b
    assert_int_equal(ch_item(ch_grad(ch_mul(g, b), b), &v), CH_OK);
    assert_true(v == 40);
}

// d(max(x, 0)^2)/dx is 0 at the residual 0, and its derivative 2: a guarded zero is a product still.
static void second_derivatives_where_the_first_is_zero(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f64((double[]){2, 1, -1}, 1, (int64_t[]){3}), *c = ch_scalar(CH_F64, 3);
    ch_tensor *r = ch_sub(ch_max(ch_mul(x, c), ch_scalar(CH_F64, 0)), ch_scalar(CH_F64, 6)), *g, *h;
    g = ch_grad(ch_sum_all(ch_mul(r, r)), x);
    h = ch_grad(ch_sum_all(g), x);
    double got[3];
    assert_int_equal(ch_read_f64(g, got, 3), CH_OK);
    assert_true(got[0] == 0 && got[1] == -18 && got[2] == 0);
    assert_int_equal(ch_read_f64(h, got, 3), CH_OK);
    assert_true(got[0] == 18 && got[1] == 18 && got[2] == 0);
}

// Tangents of arrays, and along a gradient: Hessian times vector, then once more.
static void tangents(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f32((float[]){1, 2, 3}, 1, (int64_t[]){3}), *w = ch_scalar(CH_F32, 2);
    ch_tensor *v = ch_from_f32((float[]){1, 0, -1}, 1, (int64_t[]){3}), *y = ch_mul(ch_mul(x, x), w);
    assert_f32(ch_tangent(y, 1, &x, &v), 3, (float[]){4, 0, -12}, 0);
    ch_tensor *one = ch_scalar(CH_F32, 1);
    assert_f32(ch_tangent(y, 2, (ch_tensor *[]){x, w}, (ch_tensor *[]){v, one}), 3, (float[]){5, 4, -3}, 0);
    ch_tensor *g = ch_grad(ch_sum_all(ch_mul(ch_mul(x, x), x)), x);
    assert_f32(ch_tangent(g, 1, &x, &v), 3, (float[]){6, 0, -18}, 0);
    ch_tensor *again = ch_tangent(ch_tangent(g, 1, &x, &v), 1, &x, &v);
    assert_f32(again, 3, (float[]){6, 0, 6}, 0);
    ch_tensor *t = ch_tangent(y, 1, &x, &v);
    assert_f32(ch_grad(ch_sum_all(ch_mul(t, t)), x), 3, (float[]){32, 0, 96}, 0); // reverse over forward
}

static void reading_a_loss_and_then_its_gradient(void **state) {
    (void)state;
    ch_tensor *w = f32_2x2(1, -2, 3, -4);
    ch_tensor *h = ch_mul(w, w), *loss = ch_sum_all(h);
    double v;
    assert_int_equal(ch_item(loss, &v), CH_OK);
    assert_true(v == 30);
    assert_int_equal(ch_realize(h), CH_OK);
    assert_f32(ch_grad(loss, w), 4, (float[]){2, -4, 6, -8}, 0);
    assert_f32(ch_grad(loss, h), 4, (float[]){1, 1, 1, 1}, 0); // an intermediate value
    ch_tensor *g[2];
    ch_grads(ch_sum_all(ch_mul(w, h)), 2, (ch_tensor *[]){w, h}, g);
    assert_f32(g[0], 4, (float[]){1, 4, 9, 16}, 0); // h is a cut: w's own part only
    assert_f32(g[1], 4, (float[]){1, -2, 3, -4}, 0);
}

static void scopes_release(void **state) {
    (void)state;
    int64_t alive = ch_tensors_alive();
    ch_scope s = ch_scope_begin();
    ch_tensor *a = f32_2x2(1, 2, 3, 4), *kept = ch_keep(ch_add(a, a));
    assert_int_equal(ch_realize(kept), CH_OK);
    assert_int_equal(ch_scope_end(s), CH_OK);
    assert_int_equal(ch_tensors_alive(), alive + 1); // its expression went with the scope
    assert_f32(kept, 4, (float[]){2, 4, 6, 8}, 0);
    ch_release(kept);
    assert_int_equal(ch_tensors_alive(), alive);
}

static void a_million_operations_leave_nothing(void **state) {
    (void)state;
    int64_t alive = ch_tensors_alive();
    ch_scope outer = ch_scope_begin();
    ch_tensor *x = ch_keep(ch_from_f32((float[]){0}, 0, NULL));
    for (int i = 0; i < 20000; i++) {
        ch_scope s = ch_scope_begin();
        ch_tensor *y = x;
        for (int k = 0; k < 50; k++) y = ch_add(y, ch_scalar(CH_F32, 1));
        assert_int_equal(ch_realize(y), CH_OK);
        ch_keep(y);
        ch_release(x);
        x = y;
        assert_int_equal(ch_scope_end(s), CH_OK);
    }
    assert_f32(x, 1, (float[]){1e6f}, 0);
    ch_release(x);
    assert_int_equal(ch_scope_end(outer), CH_OK);
    assert_int_equal(ch_tensors_alive(), alive);
}

static void deep_expressions_do_not_recurse(void **state) {
    (void)state;
    ch_scope s = ch_scope_begin();
    ch_tensor *x = ch_from_f64((double[]){1}, 0, NULL), *y = x;
    for (int i = 0; i < 300000; i++) y = ch_mul(y, ch_scalar(CH_F64, 1));
    double v;
    assert_int_equal(ch_item(ch_grad(y, x), &v), CH_OK);
    assert_true(v == 1);
    assert_int_equal(ch_scope_end(s), CH_OK);
}

static int releases;
static void on_release(void *user, void *data) {
    (void)data;
    releases += *(int *)user;
}

static void borrowed_memory(void **state) {
    (void)state;
    static float data[4] = {1, 2, 3, 4};
    int one = 1;
    releases = 0;
    ch_scope s = ch_scope_begin();
    ch_tensor *t = ch_borrow(CH_F32, data, 1, (int64_t[]){4}, on_release, &one);
    assert_ptr_equal(ch_data(t), data);
    assert_f32(ch_neg(t), 4, (float[]){-1, -2, -3, -4}, 0);
    assert_int_equal(ch_scope_end(s), CH_OK);
    assert_int_equal(releases, 1);
    ch_borrow(CH_F32, data, 1, (int64_t[]){-4}, on_release, &one);
    assert_int_equal(releases, 2); // also when it cannot be made
    ch_tensor *odd = ch_borrow(CH_F32, (char *)data + 2, 1, (int64_t[]){3}, on_release, &one);
    assert_int_equal(releases, 3);
    assert_int_equal(ch_check(odd), CH_INVALID_ARGUMENT);
    assert_non_null(strstr(ch_error_message(),
                           "borrow: data of f32 begin 2 bytes behind a multiple of 4 — give aligned "
                           "memory, or have it copied (ch_from_data)"));
    assert_int_equal(ch_check(ch_borrow(CH_F32, (char *)data + 2, 1, (int64_t[]){0}, NULL, NULL)), CH_OK); // no element
}

static void random_numbers_are_the_keys(void **state) {
    (void)state;
    float u[1000], v[1000];
    int64_t dims = 1000;
    ch_tensor *key = ch_key_tensor(ch_key_make(42));
    assert_int_equal(ch_read_f32(ch_rng_uniform(key, CH_F32, 1, &dims), u, 1000), CH_OK);
    assert_int_equal(ch_read_f32(ch_rng_uniform(key, CH_F32, 1, &dims), v, 1000), CH_OK);
    double mean = 0, square = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(u[i] == v[i] && u[i] >= 0 && u[i] < 1);
        mean += u[i] / 1000.0;
    }
    assert_true(fabs(mean - 0.5) < 0.03);
    double z[1000];
    assert_int_equal(ch_read_f64(ch_rng_normal(key, CH_F64, 1, &dims), z, 1000), CH_OK);
    mean = 0;
    for (int i = 0; i < 1000; i++) {
        mean += z[i] / 1000;
        square += z[i] * z[i] / 1000;
    }
    assert_true(fabs(mean) < 0.1 && fabs(square - 1) < 0.15);
    ch_key other = ch_key_fold(ch_key_make(42), 1), zero = ch_key_fold((ch_key){{0, 0}}, 0);
    assert_int_equal(zero.word[0], 0x6b200159); // Random123's known answer for key 0, counter 0
    assert_int_equal(zero.word[1], 0x99ba4efe);
    assert_true(other.word[0] != 42);
}

static void printing(void **state) {
    (void)state;
    char text[4096];
    struct {
        ch_tensor *t;
        const char *want;
    } rows[] = {
        {f32_2x2(1, 2.5f, -3, 4), "f32[2,2]\n[[1, 2.5],\n [-3, 4]]\n"},
        {ch_scalar(CH_F64, 0.1), "f64[] 0.1\n"},
        {ch_zeros(CH_F32, 2, (int64_t[]){0, 3}), "f32[0,3]\n[[]]\n"},
        {ch_eq(f32_2x2(1, 0, 0, 1), ch_scalar(CH_F32, 1)), "bool[2,2]\n[[true, false],\n [false, true]]\n"},
        {ch_iota(CH_I64, 1, (int64_t[]){2000}, 0), "i64[2000]\n[0, 1, 2, ..., 1997, 1998, 1999]\n"},
        {ch_from_i32((int32_t[]){16777217, INT32_MIN}, 1, (int64_t[]){2}), "i32[2]\n[16777217, -2147483648]\n"},
        {ch_from_i32((int32_t[]){1, 2, 3, 4, 5, 6, 7, 8}, 3, (int64_t[]){2, 2, 2}),
         "i32[2,2,2]\n[[[1, 2],\n  [3, 4]],\n [[5, 6],\n  [7, 8]]]\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *f = tmpfile();
        assert_int_equal(ch_print(rows[i].t, f), CH_OK);
        rewind(f);
        size_t n = fread(text, 1, sizeof text - 1, f);
        text[n] = '\0';
        fclose(f);
        assert_string_equal(text, rows[i].want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(values_are_what_was_given, end_thread),
        cmocka_unit_test_teardown(operations_are_lazy_and_broadcast, end_thread),
        cmocka_unit_test_teardown(shape_functions, end_thread),
        cmocka_unit_test_teardown(gradients_of_numbers, end_thread),
        cmocka_unit_test_teardown(activations_and_losses, end_thread),
        cmocka_unit_test_teardown(first_program_of_the_manual, end_thread),
        cmocka_unit_test_teardown(known_derivative, end_thread),
        cmocka_unit_test_teardown(gradients_of_every_order, end_thread),
        cmocka_unit_test_teardown(gradients_in_different_values, end_thread),
        cmocka_unit_test_teardown(second_derivatives_where_the_first_is_zero, end_thread),
        cmocka_unit_test_teardown(tangents, end_thread),
        cmocka_unit_test_teardown(reading_a_loss_and_then_its_gradient, end_thread),
        cmocka_unit_test_teardown(scopes_release, end_thread),
        cmocka_unit_test_teardown(a_million_operations_leave_nothing, end_thread),
        cmocka_unit_test_teardown(deep_expressions_do_not_recurse, end_thread),
        cmocka_unit_test_teardown(borrowed_memory, end_thread),
        cmocka_unit_test_teardown(random_numbers_are_the_keys, end_thread),
        cmocka_unit_test_teardown(printing, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
