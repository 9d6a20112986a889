// SPDX-License-Identifier: Apache-2.0
// test_diff_refused.c - what derivatives refuse, with the whole sentence: rules with the wrong results, modes that are
// missing, bodies that change their types, tapes that are not emptied; and what they do not refuse: policies of loops
// whose number of iterations is not known.
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "chaac/chaac.h"
#include "unit.h"

#define HEAD "chaac-ir 1\n"
#define CONSTS "  %i0 = const {value = 0} : i64[]\n  %i1 = const {value = 1} : i64[]\n"

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return 0;
}

static ch_func *parse(const char *text) {
    ch_func *f = NULL;
    if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

static void is_said(ch_status s, const char *id, const char *sentence) {
    assert_int_not_equal(s, CH_OK);
    assert_string_equal(ch_error_message(), sentence);
    assert_string_equal(ch_error_id(), id);
}

static void unreadable(const char *text, const char *id, const char *sentence) {
    ch_func *f = NULL;
    is_said(ch_func_parse(text, "t.ir", &f), id, sentence);
    assert_null(f);
}

// ---------------------------------------------------------------- rules
#define RULED(kind, params, rule)                                                                                      \
    HEAD "func @f(%x: f64[2]) -> f64[2] {\n  %y = composite \"odd\"(%t = %x) {rules = \"" kind "\"} {\n    yield %t\n" \
         "  } " kind params " {\n" rule "  } : f64[2]\n  return %y\n}\n"

static void results_of_rules(void **state) {
    (void)state;
    unreadable(RULED("vjp", "(%t, %r, %b)", "    yield %b, %t\n"), "arity",
               "t.ir:3:8: composite: the vjp rule of \"odd\" gives 2 values (f64[2], f64[2]) — wanted is 1: adjoint of "
               "operand 0 f64[2]\n  %y = composite \"odd\"(%t = %x) {rules = \"vjp\"} {\n       ^");
    unreadable(RULED("vjp", "(%t, %r, %b)", "    yield\n"), "arity",
               "t.ir:3:8: composite: the vjp rule of \"odd\" gives 0 values (none) — wanted is 1: adjoint of operand 0 "
               "f64[2]\n  %y = composite \"odd\"(%t = %x) {rules = \"vjp\"} {\n       ^");
    unreadable(RULED("jvp", "(%t, %d)", "    yield %d, %d, %d\n"), "arity",
               "t.ir:3:8: composite: the jvp rule of \"odd\" gives 3 values (f64[2], f64[2], f64[2]) — wanted is 1: "
               "tangent of result 0 f64[2]\n  %y = composite \"odd\"(%t = %x) {rules = \"jvp\"} {\n       ^");
    unreadable(RULED("jvp", "(%t, %d)", "    %s = reduce %d {kind = sum, dims = [0]} : f64[]\n    yield %s\n"),
               "shape_mismatch",
               "t.ir:3:8: composite: the jvp rule of \"odd\" gives f64[] as number 0 — the tangent of result 0 is "
               "f64[2]\n  %y = composite \"odd\"(%t = %x) {rules = \"jvp\"} {\n       ^");
    unreadable(RULED("vjp", "(%t, %r, %b)", "    %s = convert %b : f32[2]\n    yield %s\n"), "dtype_mismatch",
               "t.ir:3:8: composite: the vjp rule of \"odd\" gives f32[2] as number 0 — the adjoint of operand 0 is "
               "f64[2]\n  %y = composite \"odd\"(%t = %x) {rules = \"vjp\"} {\n       ^");
    unreadable(RULED("vjp", "(%t, %r)", "    yield %r\n"), "arity",
               "t.ir:5:5: composite: the vjp rule names 2 params — it takes 3: operands, results, an adjoint per "
               "floating result\n  } vjp(%t, %r) {\n    ^");
    unreadable(RULED("back", "(%t, %r)", "    yield %r\n"), "parse",
               "t.ir:5:5: expected ':' and the type of the result, got 'back'\n  } back(%t, %r) {\n    ^");
}

// ---------------------------------------------------------------- modes
#define SAME(name, kind, params, out, in)                                                                              \
    "  %" out " = composite \"" name "\"(%t = %" in ") {rules = \"" kind "\"} {\n    yield %t\n  } " kind params       \
    " : f64[2]\n"

static void missing_modes(void **state) {
    (void)state;
    ch_func *g = NULL;
    ch_func *f = parse(
        HEAD "func @f(%x: f64[2]) -> f64[2] {\n" SAME("back", "vjp", "(%t, %r, %b) {\n    yield %b\n  }", "y", "x")
            SAME("along", "jvp", "(%t, %d) {\n    yield %d\n  }", "z", "y") "  return %z\n}\n");
    is_said(ch_jacobian(f, NULL, &g), "not_differentiable",
            "jacobian of @f: in each mode some operation has no derivative:\n  forward mode: t.ir:3: composite "
            "\"back\" — its custom rule has no forward mode — give one by ch_custom_jvp, or take the gradient\n  "
            "reverse mode: t.ir:8: composite \"along\" — its custom rule has no reverse mode — give one by "
            "ch_custom_vjp, or take the jvp");
    is_said(ch_jvp(f, NULL, 0, &g), "not_differentiable",
            "gradient of @f: 1 operation has no derivative:\n  t.ir:3: composite \"back\" — its custom rule has no "
            "forward mode — give one by ch_custom_jvp, or take the gradient");
    is_said(ch_vjp(f, NULL, 0, &g), "not_differentiable",
            "gradient of @f: 1 operation has no derivative:\n  t.ir:8: composite \"along\" — its custom rule has no "
            "reverse mode — give one by ch_custom_vjp, or take the jvp");
    ch_func_destroy(f);
    f = parse(HEAD "func @f(%x: f64[2]) -> f64[2] {\n  %y = nextafter %x, %x : f64[2]\n  return %y\n}\n");
    is_said(
        ch_jacobian(f, NULL, &g), "not_differentiable",
        "jacobian of @f: in each mode some operation has no derivative:\n  forward mode: t.ir:3: nextafter — nextafter "
        "is a step function of its bits\n  reverse mode: t.ir:3: nextafter — nextafter is a step function of its bits");
    ch_func_destroy(f);
    // A rule for one mode is enough for a Jacobian.
    f = parse(HEAD "func @f(%x: f64[2]) -> f64[2] {\n" SAME("back", "vjp", "(%t, %r, %b) {\n    yield %b\n  }", "y",
                                                            "x") "  return %y\n}\n");
    assert_int_equal(ch_jacobian(f, NULL, &g), CH_OK);
    ch_func_destroy(g);
    ch_func_destroy(f);
    assert_int_equal(ch_jacobian(NULL, NULL, &g), CH_INVALID_ARGUMENT);
}

// ---------------------------------------------------------------- bodies that change their types
#define FN(name) static ch_status name(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out)
FN(to_f32) { // of the last value
    (void)user, (void)n_out;
    out[0] = ch_convert(in[n_in - 1], CH_F32);
    return CH_OK;
}
FN(doubled) {
    (void)user, (void)n_out;
    out[0] = ch_concat(2, (ch_tensor *[]){in[n_in - 1], in[n_in - 1]}, 0);
    return CH_OK;
}
FN(below) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_lt(ch_sum_all(in[0]), ch_scalar(CH_F64, 1));
    return CH_OK;
}
FN(not_a_bool) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_sum_all(in[0]);
    return CH_OK;
}
FN(loop_of_change) { // captured
    (void)n_in, (void)n_out;
    ch_for_at("a.c:3", ch_scalar(CH_I64, 0), ch_scalar(CH_I64, 2), ch_scalar(CH_I64, 1),
              user != NULL ? doubled : to_f32, NULL, 1, &in[0], out);
    return CH_OK;
}

static void changed_types(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f64((double[]){1, 2}, 1, (int64_t[]){2}), *y;
    ch_tensor *lo = ch_scalar(CH_I64, 0), *hi = ch_scalar(CH_I64, 3), *one = ch_scalar(CH_I64, 1);
    ch_for_at("a.c:1", lo, hi, one, to_f32, NULL, 1, &x, &y);
    is_said(ch_realize(y), "shape_mismatch", "a.c:1: for: result 0 of the body is f32[2] — it has to be f64[2]");
    ch_for_at("a.c:1", lo, hi, one, doubled, NULL, 1, &x, &y);
    is_said(ch_realize(y), "shape_mismatch", "a.c:1: for: result 0 of the body is f64[4] — it has to be f64[2]");
    ch_while_at("a.c:2", below, doubled, NULL, 1, &x, &y);
    is_said(ch_realize(y), "shape_mismatch", "a.c:2: while: result 0 of the body is f64[4] — it has to be f64[2]");
    ch_while_at("a.c:2", not_a_bool, to_f32, NULL, 1, &x, &y);
    is_said(ch_realize(y), "shape_mismatch", "a.c:2: while: result 0 of the condition is f64[] — it has to be bool[]");
    ch_func *f = NULL;
    is_said(ch_capture(loop_of_change, NULL, "x: f64[n]", 1, &f), "shape_mismatch",
            "a.c:3: for: result 0 of the body is f32[n] — it has to be f64[n]");
    is_said(ch_capture(loop_of_change, (void *)(uintptr_t)HEAD, "x: f64[n]", 1, &f), "shape_mismatch",
            "a.c:3: for: result 0 of the body is f64[2*n] — it has to be f64[n]");
    assert_null(f);
    ch_rk4_at("a.c:4", to_f32, NULL, ch_scalar(CH_F64, 0), ch_scalar(CH_F64, 1), hi, 1, &x, &y);
    is_said(ch_realize(y), "shape_mismatch",
            "a.c:4: rk4: the function's result 0 is f32[2] — it has to be f64[2], as y 0 is");
}

// ---------------------------------------------------------------- tapes
static void tapes_that_are_not_emptied(void **state) {
    (void)state;
    ch_func *f = parse(HEAD "func @f(%x: f64[4]) -> f64[] {\n" CONSTS
                            "  %n = const {value = 4} : i64[]\n  %t0 = tape_new : tape<f64[]>\n"
                            "  %t1 = for %i = %i0 to %n step %i1 iter(%t = %t0) {\n    %v = get %x[%i] : f64[]\n"
                            "    %u = push %t, %v : tape<f64[]>\n    yield %u\n  } : tape<f64[]>\n"
                            "  %t2, %a = pop %t1 : tape<f64[]>, f64[]\n  %y = mul %a, %a : f64[]\n  return %y\n}\n"),
            *g = NULL;
    ch_tensor *x = ch_from_f64((double[]){1, 2, 3, 4}, 1, (int64_t[]){4}), *out[2] = {0};
    assert_int_equal(ch_value_and_grad(f, NULL, &g), CH_OK);
    ch_exec *e = NULL;
    assert_int_equal(ch_compile(g, "interp", NULL, &e), CH_OK);
    is_said(ch_exec_run(e, 1, &x, 2, out), "bounds", "t.ir:9: pop: the tape is empty");
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// ---------------------------------------------------------------- not refused
// The number of iterations of a while is not known: it is counted first, for every policy.
static void policies_of_unknown_counts(void **state) {
    (void)state;
    static const char *const policies[] = {"store", "recompute", "sqrt", "revolve(1)", "revolve(3)"};
    for (int k = 0; k < 5; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "func @f(%%x: f64[]) -> f64[] {\n  %%one = const {value = 40} : f64[]\n"
                      "  %%y = while iter(%%a = %%x) {policy = \"%s\"} {\n"
                      "    %%go = compare %%a, %%one {dir = lt} : bool[]\n    yield %%go\n  } do {\n"
                      "    %%b = mul %%a, %%a : f64[]\n    yield %%b\n  } : f64[]\n  return %%y\n}\n",
                 policies[k]);
        ch_func *f = parse(text), *g = NULL;
        assert_int_equal(ch_gradient(f, NULL, &g), CH_OK);
        ch_exec *e = NULL;
        assert_int_equal(ch_compile(g, "interp", NULL, &e), CH_OK);
        for (double at = 1.1; at < 60; at *= 3) {
            ch_tensor *x = ch_scalar(CH_F64, at), *out = NULL;
            double got, v = at, want = 1;
            while (v < 40) want *= 2 * v, v *= v;
            assert_int_equal(ch_exec_run(e, 1, &x, 1, &out), CH_OK);
            assert_int_equal(ch_item(out, &got), CH_OK);
            assert_true(fabs(got - want) <= 1e-14 * want);
            ch_release(out);
        }
        ch_exec_release(e);
        ch_func_destroy(f);
        ch_func_destroy(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(results_of_rules, end_thread),
        cmocka_unit_test_teardown(missing_modes, end_thread),
        cmocka_unit_test_teardown(changed_types, end_thread),
        cmocka_unit_test_teardown(tapes_that_are_not_emptied, end_thread),
        cmocka_unit_test_teardown(policies_of_unknown_counts, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
