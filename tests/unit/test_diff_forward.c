// SPDX-License-Identifier: Apache-2.0
// test_diff_forward.c - forward mode, Jacobians, Hessians: known answers, what the funcs look like and what they cost,
// names, refusals with their sentences, and each allocation failing in turn.
#include <math.h>

#include "diff_run.h"

static ch_func *jvp(const ch_func *f, const char *wrt, int value) {
    ch_func *g = NULL;
    ch_status s = ch_jvp(f, wrt, value, &g);
    return diff_verified(s, g);
}
static ch_func *jacobian(const ch_func *f, const char *wrt) {
    ch_func *g = NULL;
    ch_status s = ch_jacobian(f, wrt, &g);
    return diff_verified(s, g);
}
static ch_func *hessian(const ch_func *f, const char *wrt) {
    ch_func *g = NULL;
    ch_status s = ch_hessian(f, wrt, &g);
    return diff_verified(s, g);
}
static ch_func *hvp(const ch_func *f, const char *wrt) {
    ch_func *g = NULL;
    ch_status s = ch_hvp(f, wrt, &g);
    return diff_verified(s, g);
}

static ch__slot slot(int rank, int64_t n, int64_t m, const double *data) { return diff_slot(CH_F64, rank, n, m, data); }

// Runs f and compares result i with n numbers.
static void expect(const ch_func *f, int n_in, const ch__slot *in, int i, int n, const double *want) {
    ch__slot out[8];
    diff_run(f, n_in, in, out);
    for (int k = 0; k < n; k++) {
        double got = ((double *)out[i].data)[k];
        if (!(fabs(got - want[k]) <= 1e-12 * fmax(1, fabs(want[k]))))
            fail_msg("[%d]: %.17g, not %.17g", k, got, want[k]);
    }
    for (int k = 0; k < ch_func_num_results(f); k++) ch__free_aligned(out[k].data);
}

// ---------------------------------------------------------------- what it looks like
static void test_text(void **state) {
    (void)state;
    ch_func *f =
        diff_parse("chaac-ir 1\nfunc @f(%x: f32[n], %w: f32[n]) -> f32[] {\n  %k = exp %w : f32[n]\n"
                   "  %h = mul %x, %k : f32[n]\n  %y = reduce %h {kind = sum, dims = [0], acc = f64, order = any} : "
                   "f32[]\n  return %y\n}\n");
    ch_func *g = jvp(f, "x", 1);
    diff_text_is(g, "chaac-ir 1\nfunc @f_jvp(%x: f32[n], %w: f32[n], %x_dot: f32[n]) -> (f32[], %y_dot: f32[]) {\n"
                    "  %k = exp %w : f32[n]\n  %h = mul %x, %k : f32[n]\n  %h_dot = mul %x_dot, %k : f32[n]\n"
                    "  %y = reduce %h {kind = sum, dims = [0], acc = f64, order = any} : f32[]\n"
                    "  %y_dot = reduce %h_dot {kind = sum, dims = [0], acc = f64, order = any} : f32[]\n"
                    "  return %y, %y_dot\n}\n");
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// What does not depend on x has no tangent, in a loop neither.
static void test_loop_text(void **state) {
    (void)state;
    ch_func *f =
        diff_parse("chaac-ir 1\nfunc @f(%x: f64[], %n: i64[]) -> f64[] {\n  %zero = const {value = 0} : i64[]\n"
                   "  %one = const {value = 1} : i64[]\n  %c = const {value = 0.5} : f64[]\n"
                   "  %y, %z = for %i = %zero to %n step %one iter(%a = %x, %b = %c) {\n"
                   "    %p = mul %a, %b : f64[]\n    %q = sin %b : f64[]\n    yield %p, %q\n  } : f64[], f64[]\n"
                   "  return %y\n}\n");
    ch_func *g = jvp(f, "x", 0);
    diff_text_is(g, "chaac-ir 1\nfunc @f_jvp(%x: f64[], %n: i64[], %x_dot: f64[]) -> (%y_dot: f64[]) {\n"
                    "  %zero = const {value = 0} : i64[]\n  %one = const {value = 1} : i64[]\n"
                    "  %c = const {value = 0.5} : f64[]\n"
                    "  %z, %y_dot = for %i = %zero to %n step %one iter(%b = %c, %a_dot = %x_dot) {\n"
                    "    %p_dot = mul %a_dot, %b : f64[]\n    %q = sin %b : f64[]\n    yield %q, %p_dot\n"
                    "  } : f64[], f64[]\n  return %y_dot\n}\n");
    ch_func_destroy(g);
    ch_func_destroy(f);
}

static void test_names_and_order(void **state) {
    (void)state;
    ch_func *f =
        diff_parse("chaac-ir 1\nfunc @f(%x: f64[2], %k: i64[], %x_dot: f64[2]) -> (%y: f64[2], %n: i64[], %z: f64[2]) "
                   "{\n  %y = mul %x, %x_dot : f64[2]\n  %z = sin %x_dot : f64[2]\n  return %y, %k, %z\n}\n");
    ch_func *g = jvp(f, NULL, 1);
    static const char *const params[] = {"x", "k", "x_dot", "x_dot_1", "x_dot_dot"};
    static const char *const results[] = {"y", "n", "z", "y_dot", "z_dot"};
    assert_string_equal(ch_func_name(g), "f_jvp");
    assert_int_equal(ch_func_num_params(g), 5);
    assert_int_equal(ch_func_num_results(g), 5);
    for (int i = 0; i < 5; i++) assert_string_equal(ch_func_param_name(g, i), params[i]);
    for (int i = 0; i < 5; i++) assert_string_equal(ch_func_result_name(g, i), results[i]);
    ch_func_destroy(g);
    g = jacobian(f, "x_dot, x");
    static const char *const blocks[] = {"y_x_dot_jac", "y_x_jac", "z_x_dot_jac", "z_x_jac"};
    assert_string_equal(ch_func_name(g), "f_jac");
    assert_int_equal(ch_func_num_params(g), 3);
    assert_int_equal(ch_func_num_results(g), 4);
    for (int i = 0; i < 4; i++) assert_string_equal(ch_func_result_name(g, i), blocks[i]);
    assert_string_equal(ch_func_result_type(g, 0), "f64[2,2]");
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// The tangent goes through bf16 in f32, as the adjoint does.
static void test_tangent_through_bf16(void **state) {
    (void)state;
    ch_func *f = diff_parse("chaac-ir 1\nfunc @f(%x: f32[]) -> f32[] {\n  %h = convert %x : bf16[]\n"
                            "  %w = convert %h : f32[]\n  return %w\n}\n");
    ch_func *g = jvp(f, NULL, 0);
    static const float x = 3, dot = 1.0001f;
    ch__slot in[] = {{.dtype = CH_F32, .data = (void *)(uintptr_t)&x},
                     {.dtype = CH_F32, .data = (void *)(uintptr_t)&dot}};
    ch__slot out[1];
    diff_run(g, 2, in, out);
    assert_true(*(float *)out[0].data == 1.0001f);
    ch__free_aligned(out[0].data);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

static void test_calls_share_derivatives(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @g(%a: f64[], %b: f64[]) -> f64[] {\n  %s = sin %a : f64[]\n  %t = mul %s, %b : f64[]\n"
        "  return %t\n}\nfunc @f(%x: f64[], %k: f64[]) -> f64[] {\n  %0 = call @g(%k, %k) : f64[]\n"
        "  %1 = call @g(%x, %0) : f64[]\n  %2 = call @g(%1, %k) : f64[]\n  %3 = call @g(%2, %2) : f64[]\n"
        "  return %3\n}\n");
    ch_func *g = jvp(f, "x", 0);
    int funcs = 0;
    for (ch_func *each = g->module->first; each != NULL; each = each->next) funcs++;
    assert_int_equal(funcs, 4); // f_jvp, g, and two derivatives of g: in a alone, in both
    assert_int_equal(ch_func_count(g, "call"), 4);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// A rule stands in for the derivative of a body, t^2 with 3 t_dot.
static void test_custom_rule(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @f(%x: f64[3]) -> f64[3] {\n  %three = const {value = 3} : f64[3]\n"
        "  %y = composite \"square\"(%t = %x) {rules = \"jvp\"} {\n    %s = mul %t, %t : f64[3]\n    yield %s\n  } "
        "jvp(%t, %t_dot) {\n    %d = mul %t_dot, %three : f64[3]\n    yield %d\n  } : f64[3]\n"
        "  return %y\n}\n");
    ch_func *g = jvp(f, NULL, 0), *h = NULL;
    static const double x[] = {1, 2, 3}, dot[] = {1, 1, 2}, want[] = {3, 3, 6};
    expect(g, 2, (ch__slot[]){slot(1, 3, 0, x), slot(1, 3, 0, dot)}, 0, 3, want);
    ch_func_destroy(g);
    g = jacobian(f, NULL); // forward: the mode that is there
    static const double jac[] = {3, 0, 0, 0, 3, 0, 0, 0, 3};
    expect(g, 1, (ch__slot[]){slot(1, 3, 0, x)}, 0, 9, jac);
    assert_int_not_equal(ch_vjp(f, NULL, 0, &h), CH_OK);
    assert_string_equal(ch_error_id(), "not_differentiable");
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- Jacobians
static const char *const polar = "chaac-ir 1\nfunc @polar(%r: f64[], %t: f64[]) -> (%x: f64[], %y: f64[]) {\n"
                                 "  %c = cos %t : f64[]\n  %s = sin %t : f64[]\n  %x = mul %r, %c : f64[]\n"
                                 "  %y = mul %r, %s : f64[]\n  return %x, %y\n}\n";

static void test_jacobian_of_numbers(void **state) {
    (void)state;
    ch_func *f = diff_parse(polar), *g = jacobian(f, NULL);
    double r = 2, t = 0.7, want[] = {cos(t), -r * sin(t), sin(t), r * cos(t)};
    assert_int_equal(ch_func_count(g, "for"), 0);
    for (int i = 0; i < 4; i++) expect(g, 2, (ch__slot[]){slot(0, 0, 0, &r), slot(0, 0, 0, &t)}, i, 1, &want[i]);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// y_ij = x_i w_j: both modes, by the sizes.
static void test_jacobian_modes(void **state) {
    (void)state;
    const char *wide = "chaac-ir 1\nfunc @f(%x: f64[2]) -> (%y: f64[2,3]) {\n"
                       "  %w = const {value = [1, 2, 3]} : f64[3]\n  %e = mul %x, %x : f64[2]\n"
                       "  %y = dot %e, %w {contract = []x[]} : f64[2,3]\n  return %y\n}\n";
    const char *tall = "chaac-ir 1\nfunc @f(%x: f64[2,3]) -> (%y: f64[2]) {\n"
                       "  %e = mul %x, %x : f64[2,3]\n  %y = reduce %e {kind = sum, dims = [1]} : f64[2]\n"
                       "  return %y\n}\n";
    static const double x[] = {1, 2, 3, 4, 5, 6};
    static const double of_wide[] = {2, 0, 4, 0, 6, 0, 0, 4, 0, 8, 0, 12};
    static const double of_tall[] = {2, 4, 6, 0, 0, 0, 0, 0, 0, 8, 10, 12};
    ch_func *f = diff_parse(wide), *g = jacobian(f, NULL);
    assert_string_equal(ch_func_result_type(g, 0), "f64[2,3,2]");
    assert_int_equal(ch_func_count(g, "mul"), 1); // x_dot times x; the primal is gone
    expect(g, 1, (ch__slot[]){slot(1, 2, 0, x)}, 0, 12, of_wide);
    ch_func_destroy(g);
    ch_func_destroy(f);
    f = diff_parse(tall);
    g = jacobian(f, NULL);
    assert_string_equal(ch_func_result_type(g, 0), "f64[2,2,3]");
    expect(g, 1, (ch__slot[]){slot(2, 2, 3, x)}, 0, 12, of_tall);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

static void test_jacobian_of_no_elements(void **state) {
    (void)state;
    ch_func *f = diff_parse("chaac-ir 1\nfunc @f(%x: f64[n], %w: f64[]) -> (%y: f64[n], %w2: f64[]) {\n"
                            "  %y = exp %x : f64[n]\n  %w2 = mul %w, %w : f64[]\n  return %y, %w2\n}\n");
    ch_func *g = jacobian(f, NULL);
    static const double x[] = {0}, w = 3, want[] = {1}, six[] = {6};
    expect(g, 2, (ch__slot[]){slot(1, 1, 0, x), slot(0, 0, 0, &w)}, 0, 1, want);
    expect(g, 2, (ch__slot[]){slot(1, 0, 0, x), slot(0, 0, 0, &w)}, 3, 1, six);
    ch__slot out[4];
    diff_run(g, 2, (ch__slot[]){slot(1, 0, 0, x), slot(0, 0, 0, &w)}, out);
    assert_int_equal(out[0].rank, 2);
    assert_int_equal(out[0].dims[0], 0);
    for (int i = 0; i < 4; i++) ch__free_aligned(out[i].data);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- Hessians
// 100 (y - x^2)^2 + (1 - x)^2
static const char *const rosenbrock =
    "chaac-ir 1\nfunc @rosen(%x: f64[], %y: f64[]) -> f64[] {\n  %k = const {value = 100} : f64[]\n"
    "  %one = const {value = 1} : f64[]\n  %q = mul %x, %x : f64[]\n  %d = sub %y, %q : f64[]\n"
    "  %e = mul %d, %d : f64[]\n  %s = mul %k, %e : f64[]\n  %m = sub %one, %x : f64[]\n  %t = mul %m, %m : f64[]\n"
    "  %r = add %s, %t : f64[]\n  return %r\n}\n";

static void test_hessian_of_rosenbrock(void **state) {
    (void)state;
    ch_func *f = diff_parse(rosenbrock), *g = hessian(f, NULL), *h = hvp(f, NULL);
    double x = -1.2, y = 1, want[] = {1200 * x * x - 400 * y + 2, -400 * x, -400 * x, 200}, v = 0.5, w = -2;
    double product[] = {want[0] * v + want[1] * w, want[2] * v + want[3] * w};
    static const char *const names[] = {"x_x_hess", "x_y_hess", "y_x_hess", "y_y_hess"};
    assert_string_equal(ch_func_name(g), "rosen_hess");
    ch__slot in[] = {slot(0, 0, 0, &x), slot(0, 0, 0, &y), slot(0, 0, 0, &v), slot(0, 0, 0, &w)};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(ch_func_result_name(g, i), names[i]);
        expect(g, 2, in, i, 1, &want[i]);
    }
    assert_string_equal(ch_func_name(h), "rosen_hvp");
    assert_string_equal(ch_func_param_name(h, 3), "y_dot");
    assert_string_equal(ch_func_result_name(h, 1), "y_hvp");
    for (int i = 0; i < 2; i++) expect(h, 4, in, i, 1, &product[i]);
    ch_func_destroy(h);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// sum of exp(x_i x_{i+1}): symmetric, and H v by ch_hvp is H times v.
static void test_hessian_is_symmetric(void **state) {
    (void)state;
    ch_func *f =
        diff_parse("chaac-ir 1\nfunc @f(%x: f64[5]) -> f64[] {\n  %a = slice %x {start = [0], limit = [4]} : f64[4]\n"
                   "  %b = slice %x {start = [1], limit = [5]} : f64[4]\n  %p = mul %a, %b : f64[4]\n"
                   "  %e = exp %p : f64[4]\n  %y = reduce %e {kind = prod, dims = [0]} : f64[]\n  return %y\n}\n");
    ch_func *g = hessian(f, NULL), *h = hvp(f, NULL);
    static const double x[] = {.3, -.2, .5, .7, -.4}, v[] = {1, 2, -1, .5, 3};
    ch__slot in[] = {slot(1, 5, 0, x), slot(1, 5, 0, v)}, out[1];
    diff_run(g, 1, in, out);
    double product[5] = {0};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) {
            double here = ((double *)out[0].data)[i * 5 + k], there = ((double *)out[0].data)[k * 5 + i];
            assert_true(fabs(here - there) <= 1e-13 * fmax(1, fabs(here)));
            product[i] += here * v[k];
        }
    ch__free_aligned(out[0].data);
    expect(h, 2, in, 0, 5, product);
    ch_func_destroy(h);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// The gradient of a linear func is constant: a Hessian of zeros, said without a complaint.
static void test_hessian_of_linear(void **state) {
    (void)state;
    ch_func *f =
        diff_parse("chaac-ir 1\nfunc @f(%x: f64[2]) -> f64[] {\n  %y = reduce %x {kind = sum, dims = [0]} : f64[]\n"
                   "  return %y\n}\n");
    ch_func *g = hessian(f, NULL), *h = hvp(f, NULL);
    static const double x[] = {1, 2}, zeros[4] = {0};
    ch__slot in[] = {slot(1, 2, 0, x), slot(1, 2, 0, x)};
    expect(g, 1, in, 0, 4, zeros);
    expect(h, 2, in, 0, 2, zeros);
    ch_func_destroy(h);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// x^5, derivative upon derivative, in every order of the modes.
static void test_modes_nest(void **state) {
    (void)state;
    const char *text =
        "chaac-ir 1\nfunc @f(%x: f64[]) -> f64[] {\n  %a = mul %x, %x : f64[]\n  %b = mul %a, %a : f64[]\n"
        "  %c = mul %b, %x : f64[]\n  return %c\n}\n";
    static const double want[] = {80, 160, 240};
    for (int bits = 0; bits < 8; bits++) {
        ch_func *f = diff_parse(text);
        double in[8] = {2};
        int n = 1;
        for (int k = 0; k < 3; k++) {
            ch_func *g = NULL;
            ch_status s = bits >> k & 1 ? ch_jvp(f, "x", 0, &g) : ch_vjp(f, "x", 0, &g);
            ch_func_destroy(f);
            f = diff_verified(s, g);
            in[n++] = 1;
            ch__slot slots[8];
            for (int i = 0; i < n; i++) slots[i] = slot(0, 0, 0, &in[i]);
            expect(f, n, slots, 0, 1, &want[k]);
        }
        ch_func_destroy(f);
    }
}

// ---------------------------------------------------------------- what it costs
static const char *const mlp =
    "chaac-ir 1\nfunc @loss(%x: f64[n,8], %label: f64[n,3], %w1: f64[8,16], %b1: f64[16], %w2: f64[16,3], %b2: f64[3]) "
    "-> "
    "f64[] {\n  %0 = dot %x, %w1 {contract = [1]x[0]} : f64[n,16]\n  %1 = broadcast %b1 {dims = [1]} : f64[n,16]\n"
    "  %2 = add %0, %1 : f64[n,16]\n  %h = tanh %2 : f64[n,16]\n  %3 = dot %h, %w2 {contract = [1]x[0]} : f64[n,3]\n"
    "  %4 = broadcast %b2 {dims = [1]} : f64[n,3]\n  %z = add %3, %4 : f64[n,3]\n  %e = exp %z : f64[n,3]\n"
    "  %s = reduce %e {kind = sum, dims = [1]} : f64[n]\n  %l = log %s : f64[n]\n"
    "  %m = mul %z, %label : f64[n,3]\n  %t = reduce %m {kind = sum, dims = [1]} : f64[n]\n"
    "  %d = sub %l, %t : f64[n]\n  %y = reduce %d {kind = sum, dims = [0]} : f64[]\n  return %y\n}\n";

// A Hessian-vector product is at most four gradients; in dots, where the time goes, at most three.
static void test_hvp_costs_a_few_gradients(void **state) {
    (void)state;
    ch_func *f = diff_parse(mlp), *g = NULL, *h = hvp(f, "w1, b1, w2, b2");
    assert_int_equal(ch_gradient(f, "w1, b1, w2, b2", &g), CH_OK);
    assert_int_equal(ch_func_count(g, "dot"), 5);
    assert_true(ch_func_count(h, "dot") <= 3 * ch_func_count(g, "dot"));
    assert_true(ch_func_num_ops(h) <= 4 * ch_func_num_ops(g));
    ch_func_destroy(h);
    h = jvp(f, "w1, b1, w2, b2", 1);
    assert_int_equal(ch_func_count(h, "dot"), 2 + 3); // x w1_dot; h w2_dot, h_dot w2
    assert_true(ch_func_num_ops(h) <= 3 * ch_func_num_ops(f));
    ch_func_destroy(h);
    h = jvp(f, "b2", 0);
    assert_int_equal(ch_func_count(h, "dot"), 2); // frozen params cost nothing
    ch_func_destroy(h);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- refusals
typedef ch_status (*transform)(const ch_func *f, const char *wrt, ch_func **out);
static ch_status jvp_of(const ch_func *f, const char *wrt, ch_func **out) { return ch_jvp(f, wrt, 0, out); }

static void refuse(transform t, const char *text, const char *wrt, const char *id, const char *message) {
    ch_func *f = diff_parse(text), *g = NULL;
    assert_int_not_equal(t(f, wrt, &g), CH_OK);
    assert_null(g);
    assert_string_equal(ch_error_message(), message);
    assert_string_equal(ch_error_id(), id);
    ch_func_destroy(f);
}

static void test_refusals(void **state) {
    (void)state;
    const char *ints =
        "chaac-ir 1\nfunc @f(%i: i32[n], %x: f32[]) -> (%y: f32[], %j: i32[n]) {\n  %y = exp %x : f32[]\n"
        "  return %y, %i\n}\n";
    refuse(jvp_of, ints, "i", "gradient_integer",
           "gradient of @f: param 'i' is i32[n] — only f16, bf16, f32 and f64 params have a gradient");
    refuse(ch_hvp, ints, "w", "no_param", "gradient of @f: no param 'w' — it has i, x");
    refuse(ch_hessian, polar, "r, u", "no_param", "gradient of @polar: no param 'u' — it has r, t");
    refuse(ch_hessian, "chaac-ir 1\nfunc @f(%x: f32[n]) -> (%y: f32[n]) {\n  %y = exp %x : f32[n]\n  return %y\n}\n",
           NULL, "gradient_scalar",
           "gradient of @f: the first result 'y' is f32[n] — a gradient is taken of one floating number: reduce it "
           "first, or use vjp");
    refuse(ch_jacobian, "chaac-ir 1\nfunc @f(%x: f32[]) -> i32[] {\n  %y = convert %x : i32[]\n  return %y\n}\n", NULL,
           "gradient_scalar", "jacobian of @f: no result is f16, bf16, f32 or f64 — only those have one");
    refuse(
        jvp_of, "chaac-ir 1\nfunc @f(%x: f32[]) -> f32[] {\n  %y = floor %x : f32[]\n  return %y\n}\n", "x",
        "gradient_detached",
        "gradient of @f: the result does not depend on 'x' through differentiable operations — the gradient would be "
        "zero whatever the inputs are");
    refuse(jvp_of,
           "chaac-ir 1\nfunc @g(%a: f32[]) -> f32[] {\n  %b = nextafter %a, %a : f32[]\n  return %b\n}\n"
           "func @f(%x: f32[], %k: f32[]) -> f32[] {\n  %y = call @g(%x) : f32[]\n  %u = nextafter %k, %k : f32[]\n"
           "  %c = convert %y : f8e4m3[]\n  %d = convert %c : f32[]\n  %e = mul %d, %u : f32[]\n  return %e\n}\n",
           "x", "not_differentiable",
           "gradient of @f: 2 operations have no derivative:\n"
           "  test:9: convert — an f8 value is for storage and carries no derivative\n"
           "  test:3: nextafter — nextafter is a step function of its bits");
    refuse(jvp_of,
           "chaac-ir 1\nfunc @f(%x: f64[]) -> f64[] {\n  %y = composite \"soft\"(%t = %x) {rules = \"vjp\"} {\n    %s "
           "= mul %t, %t : f64[]\n"
           "    yield %s\n  } vjp(%t, %r, %r_bar) {\n    yield %r_bar\n  } : f64[]\n  return %y\n}\n",
           NULL, "not_differentiable",
           "gradient of @f: 1 operation has no derivative:\n  test:3: composite \"soft\" — its custom rule has no "
           "forward mode — give one by ch_custom_jvp, or take the gradient");
}

static void test_null_arguments(void **state) {
    (void)state;
    ch_func *f = diff_parse(polar), *g = NULL;
    assert_int_equal(ch_jvp(NULL, NULL, 0, &g), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "ch_jvp: the func is NULL — a func and a place for the result are needed");
    assert_int_equal(ch_hessian(f, NULL, NULL), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "ch_hessian: the place for the result is NULL — a func and a place for the result are needed");
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- memory
static void fail_each(const ch_func *f, transform t) {
    int64_t live = ch__alloc_live(), n = 1;
    for (;; n++) {
        ch_func *g = NULL;
        ch__alloc_fail_at(n, false);
        ch_status s = t(f, NULL, &g);
        ch__alloc_fail_at(0, false);
        if (s == CH_OK) {
            ch_func_destroy(g);
            break;
        }
        assert_null(g);
        assert_string_equal(ch_error_id(), "out_of_memory");
        assert_int_equal(ch__alloc_live(), live);
    }
    assert_true(n > 5);
    assert_int_equal(ch__alloc_live(), live);
}

static void test_each_allocation_fails(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @g(%a: f64[m]) -> f64[m] {\n  %s = sin %a : f64[m]\n  return %s\n}\n"
        "func @f(%x: f64[n], %w: f64[n], %p: bool[]) -> f64[] {\n  %h = call @g(%x) : f64[n]\n  %y = if %p {\n"
        "    %a = mul %h, %w : f64[n]\n    yield %a\n  } else {\n    yield %w\n  } : f64[n]\n"
        "  %r = reduce %y {kind = prod, dims = [0]} : f64[]\n  return %r\n}\n");
    fail_each(f, jvp_of);
    fail_each(f, ch_jacobian);
    fail_each(f, ch_hessian);
    fail_each(f, ch_hvp);
    ch_func_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_loop_text),
        cmocka_unit_test(test_names_and_order),
        cmocka_unit_test(test_tangent_through_bf16),
        cmocka_unit_test(test_calls_share_derivatives),
        cmocka_unit_test(test_custom_rule),
        cmocka_unit_test(test_jacobian_of_numbers),
        cmocka_unit_test(test_jacobian_modes),
        cmocka_unit_test(test_jacobian_of_no_elements),
        cmocka_unit_test(test_hessian_of_rosenbrock),
        cmocka_unit_test(test_hessian_is_symmetric),
        cmocka_unit_test(test_hessian_of_linear),
        cmocka_unit_test(test_modes_nest),
        cmocka_unit_test(test_hvp_costs_a_few_gradients),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
