// SPDX-License-Identifier: Apache-2.0
// test_ode.c - rk4: against solutions in closed form, its order, and derivatives through it.
#include <math.h>

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
#define UNUSED ((void)user, (void)n_in, (void)n_out, (void)in, (void)out)
FN(oscillator) { // x' = v, v' = -x
    UNUSED;
    out[0] = in[2];
    out[1] = ch_neg(in[1]);
    return CH_OK;
}
FN(growth) { // y' = k y + t, k captured
    UNUSED;
    out[0] = ch_add(ch_mul(user, in[1]), in[0]);
    return CH_OK;
}
FN(narrowed) {
    UNUSED;
    out[0] = ch_convert(in[1], CH_F32);
    return CH_OK;
}
FN(nothing) {
    UNUSED;
    return CH_OK;
}

static double oscillator_error(int64_t steps) {
    ch_tensor *y0[2] = {f64(1), f64(0)}, *y[2];
    ch_rk4(oscillator, NULL, f64(0), f64(2.0 / (double)steps), i64(steps), 2, y0, y);
    return hypot(item(y[0]) - cos(2), item(y[1]) + sin(2));
}

static void closed_forms(void **state) {
    (void)state;
    double coarse = oscillator_error(20), fine = oscillator_error(40);
    assert_true(coarse < 1e-5);
    assert_true(coarse / fine > 14 && coarse / fine < 18); // fourth order: 16
    ch_tensor *y0 = f64(3), *y;
    ch_rk4(growth, f64(0.5), f64(0), f64(0.1), i64(0), 1, &y0, &y); // no step
    assert_true(item(y) == 3);
    ch_rk4(growth, f64(0.5), f64(1), f64(0.01), i64(100), 1, &y0, &y);
    // y' = k y + t: y = (y0 + t0/k + 1/k^2) e^(k (t - t0)) - t/k - 1/k^2
    double want = (3 + 2 + 4) * exp(0.5) - 4 - 4;
    assert_true(fabs(item(y) - want) < 1e-9);
}

// A vector as state, symbolic sizes, a func that can be printed and applied.
FN(swing) {
    UNUSED;
    ch_tensor *y0[2] = {in[0], in[1]};
    ch_rk4(oscillator, NULL, f64(0), f64(0.05), i64(20), 2, y0, out);
    return CH_OK;
}

static void captured(void **state) {
    (void)state;
    ch_func *f;
    assert_int_equal(ch_capture(swing, NULL, "x: f64[n], v: f64[n]", 2, &f), CH_OK);
    assert_int_equal(ch_func_count(f, "for"), 1);
    assert_int_equal(ch_func_count(f, "composite"), 1);
    ch_tensor *in[2] = {ch_from_f64((double[]){1, 0, 2}, 1, (int64_t[]){3}),
                        ch_from_f64((double[]){0, 1, -1}, 1, (int64_t[]){3})},
              *out[2];
    double x[3];
    ch_func_apply(f, 2, in, 2, out);
    assert_int_equal(ch_read_f64(out[0], x, 3), CH_OK);
    assert_true(fabs(x[0] - cos(1)) < 1e-6 && fabs(x[1] - sin(1)) < 1e-6 && fabs(x[2] - 2 * cos(1) + sin(1)) < 1e-6);
    ch_func_destroy(f);
}

// y = y0 e^(k t) + ...: derivatives in the start, the parameter (captured) and the length of a step, by differences.
FN(solve) { // y0 k h
    UNUSED;
    ch_rk4(growth, in[1], f64(1), in[2], i64(100), 1, &in[0], out);
    return CH_OK;
}
static ch_status solution(ch_func **out) { return ch_capture(solve, NULL, "y0: f64[], k: f64[], h: f64[]", 1, out); }

static void differentiated(void **state) {
    (void)state;
    ch_func *f, *g;
    assert_int_equal(solution(&f), CH_OK);
    ch_tensor *in[3] = {f64(3), f64(0.5), f64(0.01)}, *out[3];
    if (ch_check_vjp(f, 3, in, NULL, NULL) != CH_OK) fail_msg("%s", ch_error_message());
    if (ch_gradient(f, "y0", &g) != CH_OK) fail_msg("%s", ch_error_message());
    ch_func_apply(g, 3, in, 1, out);
    assert_true(fabs(item(out[0]) - exp(0.5)) < 1e-9);
    if (ch_check_grad(f, 3, in, NULL, NULL) != CH_OK) fail_msg("%s", ch_error_message());
    ch_func_destroy(g);
    ch_func_destroy(f);
}

static void refused(void **state) {
    (void)state;
    ch_tensor *y0 = f64(3), *y;
    ch_rk4_at("a.c:1", narrowed, NULL, f64(0), f64(1), i64(1), 1, &y0, &y);
    assert_int_equal(ch_realize(y), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "a.c:1: rk4: the function's result 0 is f32[] — it has to be f64[], as y 0 is");
    ch_rk4_at("a.c:1", nothing, NULL, f64(0), f64(1), i64(1), 1, &y0, &y);
    assert_int_equal(ch_realize(y), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_message(), "a.c:1: rk4: the function left result 0 NULL — set all 1");
    ch_rk4_at("a.c:1", growth, f64(1), f64(0), f64(1), f64(1), 1, &y0, &y);
    assert_int_equal(ch_realize(y), CH_INVALID_ARGUMENT);
    assert_string_equal(
        ch_error_message(),
        "a.c:1: rk4: steps is f64[] — t0 and h are floating numbers, steps is i64[], y has their dtype");
    ch_rk4_at("a.c:1", NULL, NULL, f64(0), f64(1), i64(1), 1, &y0, &y);
    assert_int_equal(ch_realize(y), CH_INVALID_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(closed_forms, end_thread),
        cmocka_unit_test_teardown(captured, end_thread),
        cmocka_unit_test_teardown(differentiated, end_thread),
        cmocka_unit_test_teardown(refused, end_thread),
    };
    return cmocka_run_group_tests_name("ode", tests, NULL, NULL);
}
