// SPDX-License-Identifier: Apache-2.0
// test_control.c - if, for and while over tensors, with captured values, lazily and inside captures.
#include "base/base.h"
#include "chaac/chaac.h"

#include "unit.h"

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static double item(ch_tensor *t) {
    double v = 0;
    if (ch_item(t, &v) != CH_OK) fail_msg("%s", ch_error_message());
    return v;
}

static ch_tensor *f64(double v) { return ch_from_f64(&v, 0, NULL); }
static ch_tensor *i64(int64_t v) { return ch_from_i64(&v, 0, NULL); }

#define FN(name) static ch_status name(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out)
FN(times_user) {
    (void)n_in, (void)n_out;
    out[0] = ch_mul(in[0], user);
    return CH_OK;
}
FN(squared) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_mul(in[0], in[0]);
    return CH_OK;
}
FN(add_counter) { // state + captured * i
    (void)n_in, (void)n_out;
    out[0] = ch_add(in[1], ch_mul(ch_convert(in[0], CH_F64), user));
    return CH_OK;
}
FN(above_one) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_gt(in[0], ch_scalar(CH_F64, 1));
    return CH_OK;
}
FN(halved) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_mul(in[0], ch_scalar(CH_F64, 0.5));
    out[1] = ch_add(in[1], ch_scalar(CH_I64, 1));
    return CH_OK;
}
FN(wrong_type) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_convert(in[0], CH_F32);
    return CH_OK;
}

// d/dx of x -> x / 2 until it is at most 1, and of a sum of x * i.
static void gradients_by_policy(void **state) {
    (void)state;
    static const char *const policies[] = {NULL, "store", "recompute", "sqrt", "revolve(2)"};
    for (int k = 0; k < 5; k++) {
        ch_tensor *x = f64(3), *init[2] = {x, i64(0)}, *y[2], *z[1], *start[1] = {f64(1)};
        ch_while_policy(policies[k], above_one, halved, NULL, 2, init, y);
        assert_true(item(ch_grad(y[0], x)) == 0.25);
        ch_for_policy(policies[k], i64(0), i64(4), i64(1), add_counter, x, 1, start, z);
        assert_true(item(ch_grad(z[0], x)) == 6);
    }
    ch_tensor *x = f64(3), *z[1];
    ch_for_policy("revolve", i64(0), i64(4), i64(1), add_counter, x, 1, &x, z);
    double v;
    assert_int_not_equal(ch_item(z[0], &v), CH_OK);
    assert_non_null(strstr(ch_error_message(),
                           "for: policy is revolve — it is store, recompute, sqrt or revolve(n) with n at least 1"));
}

static void branches(void **state) {
    (void)state;
    ch_tensor *k = f64(10), *x = f64(3), *y;
    for (int yes = 0; yes < 2; yes++) {
        ch_tensor *pred = ch_gt(x, f64(yes ? 2 : 4));
        ch_if(pred, times_user, squared, k, 1, &x, 1, &y);
        assert_true(item(y) == (yes ? 30 : 9));
        assert_true(item(ch_grad(y, x)) == (yes ? 10 : 6));
        ch_tensor *g = yes ? ch_grad(y, k) : NULL; // a captured value has a gradient too
        if (yes) assert_true(item(g) == 3);
    }
    ch_if_at("first.c:7", ch_gt(x, k), times_user, wrong_type, k, 1, &x, 1, &y);
    assert_int_equal(ch_realize(y), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "first.c:7: if: result 0 of the false branch is f32[] — it has to be f64[]");
    ch_if_at("first.c:7", x, times_user, squared, k, 1, &x, 1, &y);
    assert_int_equal(ch_realize(y), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "first.c:7: if: the predicate is f64[] — it has to be bool[]");
}

static void loops(void **state) {
    (void)state;
    ch_tensor *k = ch_mul(f64(2), f64(5)), *x = f64(1), *y, *out[2];
    ch_for(i64(0), i64(5), i64(1), add_counter, k, 1, &x, &y);
    assert_true(item(y) == 1 + 10 * (0 + 1 + 2 + 3 + 4));
    ch_for(i64(5), i64(0), i64(-2), add_counter, k, 1, &x, &y);
    assert_true(item(y) == 1 + 10 * (5 + 3 + 1));
    ch_for(i64(0), i64(0), i64(1), add_counter, k, 1, &x, &y);
    assert_true(item(y) == 1);
    ch_while(above_one, halved, NULL, 2, (ch_tensor *[]){f64(20), i64(0)}, out);
    assert_true(item(out[0]) == 0.625 && item(out[1]) == 5);
    ch_for_at("first.c:7", i64(0), f64(1), i64(1), add_counter, k, 1, &x, &y);
    assert_int_equal(ch_realize(y), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "first.c:7: for: hi is f64[] — it has to be i64[]");
}

FN(nested) { // for i < n: x = if x > 1 then x * k else x^2, over symbolic sizes
    (void)user, (void)n_in, (void)n_out;
    ch_tensor *total = ch_sum_all(in[0]), *k = in[1];
    ch_if(ch_gt(total, ch_scalar(CH_F64, 1)), times_user, squared, k, 1, &total, 1, &out[0]);
    ch_for(ch_scalar(CH_I64, 0), ch_size_of(in[0], 0), ch_scalar(CH_I64, 1), add_counter, k, 1, &out[0], &out[0]);
    return CH_OK;
}

static void inside_a_capture(void **state) {
    (void)state;
    ch_func *f = NULL, *back = NULL;
    char *text = NULL, *again = NULL;
    if (ch_capture(nested, NULL, "x: f64[n], k: f64[]", 1, &f) != CH_OK) fail_msg("%s", ch_error_message());
    assert_int_equal(ch_func_count(f, "if"), 1);
    assert_int_equal(ch_func_count(f, "for"), 1);
    assert_int_equal(ch_func_to_text(f, &text), CH_OK);
    if (ch_func_parse(text, "f.ir", &back) != CH_OK) fail_msg("%s\n%s", ch_error_message(), text);
    assert_int_equal(ch_func_to_text(back, &again), CH_OK);
    assert_string_equal(text, again);
    ch_tensor *in[2] = {ch_from_f64((double[]){1, 2, 3}, 1, (int64_t[]){3}), f64(2)}, *out[1];
    ch_func_apply(f, 2, in, 1, out);
    assert_true(item(out[0]) == 12 + 2 * 3);
    ch_string_free(text);
    ch_string_free(again);
    ch_func_destroy(f);
    ch_func_destroy(back);
}

// ---- what a rule cannot decide inside a loop becomes a clause of the func around it
static ch_status add_element(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = ch_add(in[1], ch_take(user, in[0], 0));
    return CH_OK;
}
static ch_status sum_of_elements(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    ch_tensor *zero = ch_scalar(CH_F64, 0);
    ch_for(ch_scalar(CH_I64, 0), ch_size_of(in[0], 0), ch_scalar(CH_I64, 1), add_element, in[0], 1, &zero, out);
    return CH_OK;
}
static void clauses_of_loops(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    ch_tensor *x = ch_from_f64((double[]){1, 2, 4}, 1, (int64_t[]){3}), *none = ch_zeros(CH_F64, 1, (int64_t[]){0}),
              *out = NULL;
    double v = 0;
    if (ch_capture(sum_of_elements, NULL, "x: f64[n]", 1, &f) != CH_OK) fail_msg("%s", ch_error_message());
    assert_int_equal(ch_compile(f, "interp", NULL, &e), CH_OK);
    assert_int_equal(ch_exec_run(e, 1, &x, 1, &out), CH_OK);
    assert_int_equal(ch_item(out, &v), CH_OK);
    assert_true(v == 7);
    ch_release(out);
    out = NULL;
    assert_int_equal(ch_exec_run(e, 1, &none, 1, &out), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_id(), "requires");
    ch_exec_release(e);
    ch_func_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(branches, end_thread),
        cmocka_unit_test_teardown(gradients_by_policy, end_thread),
        cmocka_unit_test_teardown(loops, end_thread),
        cmocka_unit_test_teardown(inside_a_capture, end_thread),
        cmocka_unit_test_teardown(clauses_of_loops, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
