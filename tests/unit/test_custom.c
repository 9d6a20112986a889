// SPDX-License-Identifier: Apache-2.0
// test_custom.c - derivative rules that composites bring, and composites that gradients compute again.
#include <math.h>

#include "base/base.h"
#include "chaac/chaac.h"
#include "diff/diff.h"
#include "ir/ir.h"

#include "unit.h"

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static ch_tensor *vector(int n, const double *v) { return ch_from_f64(v, 1, (int64_t[]){n}); }
static ch_tensor *f64(double v) { return ch_from_f64(&v, 0, NULL); }

static void is_vector(ch_tensor *t, int n, const double *want) {
    double got[16];
    if (ch_read_f64(t, got, n) != CH_OK) fail_msg("%s", ch_error_message());
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) fail_msg("element %d is %.17g, %.17g is wanted", i, got[i], want[i]);
}

static void fails(ch_tensor *t, const char *sentence) {
    assert_int_not_equal(ch_realize(t), CH_OK);
    assert_string_equal(ch_error_message(), sentence);
}

#define FN(name) static ch_status name(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out)
#define UNUSED ((void)user, (void)n_in, (void)n_out, (void)in, (void)out)
FN(square) {
    UNUSED;
    out[0] = ch_mul(in[0], in[0]);
    return CH_OK;
}
FN(three_bar) { // t, y, y_bar
    UNUSED;
    assert_int_equal(n_in, 3);
    assert_int_equal(n_out, 1);
    out[0] = ch_mul(ch_scalar(CH_F64, 3), in[2]);
    return CH_OK;
}
FN(three_dot) { // t, t_dot
    UNUSED;
    out[0] = ch_mul(ch_scalar(CH_F64, 3), in[1]);
    return CH_OK;
}

static const double one_two_three[] = {1, 2, 3};

// ---------------------------------------------------------------- the rule wins
static void rule_wins(void **state) {
    (void)state;
    ch_tensor *x = vector(3, one_two_three), *y;
    ch_custom_vjp("square", square, three_bar, NULL, 1, &x, 1, &y);
    ch_tensor *g = ch_grad(ch_sum_all(y), x);
    is_vector(y, 3, (double[]){1, 4, 9});
    is_vector(g, 3, (double[]){3, 3, 3});
    g = ch_grad(ch_sum_all(ch_mul(y, y)), x); // 3 * 2 y
    is_vector(g, 3, (double[]){6, 24, 54});
    ch_custom("square", square, NULL, NULL, NULL, 1, &x, 1, &y); // no rule: the derivative of the body
    is_vector(ch_grad(ch_sum_all(y), x), 3, (double[]){2, 4, 6});
}

FN(loss_of_square) {
    UNUSED;
    ch_tensor *y;
    ch_custom("square", square, three_bar, three_dot, NULL, 1, &in[0], 1, &y);
    out[0] = ch_sum_all(y);
    return CH_OK;
}

static void text_of(const ch_func *f, char *buf, size_t cap) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(ch_func_print(f, file), CH_OK);
    rewind(file);
    buf[fread(buf, 1, cap - 1, file)] = '\0';
    fclose(file);
}

static void captured(void **state) {
    (void)state;
    ch_func *f, *g;
    assert_int_equal(ch_capture(loss_of_square, NULL, "x: f64[n]", 1, &f), CH_OK);
    char text[4096];
    text_of(f, text, sizeof text);
    assert_non_null(strstr(text, "composite \"square\"(%x0 = %x) {rules = \"vjp jvp\"} {"));
    assert_non_null(strstr(text, "} vjp(%x0_1, %x1, %x2) {"));
    assert_non_null(strstr(text, "} jvp(%x0_2, %x1_1) {"));
    ch_func *again;
    assert_int_equal(ch_func_parse(text, "text", &again), CH_OK);
    char twice[4096];
    text_of(again, twice, sizeof twice);
    assert_string_equal(text, twice);
    ch_func_destroy(again);
    assert_int_equal(ch_gradient(f, "x", &g), CH_OK);
    ch_tensor *x = vector(3, one_two_three), *out;
    ch_func_apply(g, 1, &x, 1, &out);
    is_vector(out, 3, (double[]){3, 3, 3});
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- several inputs and results, captured values
typedef struct {
    ch_tensor *scale;
} outside;

FN(two_body) { // x f64[3], k i64[], w f64[] -> x * w * scale, k + 1, sum x
    UNUSED;
    const outside *o = user;
    out[0] = ch_mul(ch_mul(in[0], in[2]), o->scale);
    out[1] = ch_add(in[1], ch_scalar(CH_I64, 1));
    out[2] = ch_sum_all(in[0]);
    return CH_OK;
}
FN(two_vjp) { // x k w, y k1 s, y_bar s_bar -> x_bar w_bar
    UNUSED;
    const outside *o = user;
    assert_int_equal(n_in, 8);
    assert_int_equal(n_out, 2);
    out[0] = ch_add(ch_mul(in[6], o->scale), in[7]);
    out[1] = ch_sum_all(ch_mul(in[3], in[6])); // reads a result
    return CH_OK;
}

static void several(void **state) {
    (void)state;
    int64_t seven = 7, k1;
    outside o = {f64(10)};
    ch_tensor *x = vector(3, one_two_three), *w = f64(2), *in[3] = {x, ch_from_i64(&seven, 0, NULL), w}, *out[3];
    ch_custom_vjp("two", two_body, two_vjp, &o, 3, in, 3, out);
    is_vector(out[0], 3, (double[]){20, 40, 60});
    assert_int_equal(ch_read_i64(out[1], &k1, 1), CH_OK);
    assert_int_equal(k1, 8);
    // Only one result is used: the other's adjoint is zeros. x also flows beside the rule.
    ch_tensor *wrt[2] = {x, w}, *g[2];
    ch_grads(ch_add(ch_sum_all(out[0]), ch_sum_all(x)), 2, wrt, g);
    is_vector(g[0], 3, (double[]){11, 11, 11});
    is_vector(g[1], 1, (double[]){120});
    ch_grads(ch_add(ch_sum_all(out[0]), out[2]), 2, wrt, g);
    is_vector(g[0], 3, (double[]){11, 11, 11});
    // The captured value gets nothing through the rule.
    ch_tensor *loss = ch_add(ch_sum_all(out[0]), ch_mul(o.scale, o.scale));
    is_vector(ch_grad(loss, o.scale), 1, (double[]){20});
    fails(ch_grad_at("a.c:1", ch_sum_all(out[0]), o.scale),
          "a.c:1: gradient of @y: the result does not depend on 't3' through differentiable operations — the gradient "
          "would be zero whatever the inputs are");
}

// ---------------------------------------------------------------- rules are differentiable; any body
FN(exp_body) {
    UNUSED;
    out[0] = ch_exp(in[0]);
    return CH_OK;
}
FN(exp_vjp) { // x, y, y_bar: the result again, so that its rule applies in turn
    UNUSED;
    out[0] = ch_mul(in[1], in[2]);
    return CH_OK;
}
FN(cube_vjp) { // pretends y' = x^3
    UNUSED;
    out[0] = ch_mul(ch_mul(in[0], ch_mul(in[0], in[0])), in[2]);
    return CH_OK;
}

static void twice(void **state) {
    (void)state;
    ch_tensor *x = f64(0.5), *y;
    ch_custom_vjp("exp", exp_body, exp_vjp, NULL, 1, &x, 1, &y);
    ch_tensor *g = ch_grad(y, x), *h = ch_grad(g, x), *third = ch_grad(h, x);
    double want[] = {exp(0.5)};
    is_vector(g, 1, want);
    is_vector(h, 1, want);
    is_vector(third, 1, want);
    ch_custom_vjp("odd", square, cube_vjp, NULL, 1, &x, 1, &y);
    g = ch_grad(y, x);
    is_vector(g, 1, (double[]){0.125});
    is_vector(ch_grad(g, x), 1, (double[]){3 * 0.25});
}

FN(not_there) {
    UNUSED;
    ch_tensor *off = ch_abs(ch_sub(ch_mul(in[0], in[0]), in[1]));
    out[0] = ch_gt(off, ch_scalar(CH_F64, 1e-15));
    return CH_OK;
}
FN(newton) {
    UNUSED;
    out[0] = ch_mul(ch_scalar(CH_F64, 0.5), ch_add(in[0], ch_div(in[1], in[0])));
    out[1] = in[1];
    return CH_OK;
}
FN(root_body) { // sqrt x by Newton's iteration
    UNUSED;
    ch_tensor *init[2] = {ch_scalar(CH_F64, 1), in[0]}, *s[2];
    ch_while(not_there, newton, NULL, 2, init, s);
    out[0] = s[0];
    return CH_OK;
}
FN(root_vjp) { // implicit: 1 / (2 y)
    UNUSED;
    out[0] = ch_div(in[2], ch_mul(ch_scalar(CH_F64, 2), in[1]));
    return CH_OK;
}

static void loop_inside(void **state) {
    (void)state;
    ch_tensor *x = f64(4), *y;
    ch_custom_vjp("root", root_body, root_vjp, NULL, 1, &x, 1, &y);
    is_vector(y, 1, (double[]){2});
    ch_tensor *g = ch_grad(y, x);
    is_vector(g, 1, (double[]){0.25});
    is_vector(ch_grad(g, x), 1, (double[]){-1.0 / 32}); // y'' = -y' / (2 y^2)
}

FN(on_true) {
    UNUSED;
    ch_custom_vjp("square", square, three_bar, NULL, 1, &in[0], 1, out);
    return CH_OK;
}

static void inside_branch(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        ch_tensor *x = vector(3, one_two_three), *y;
        ch_if(ch_gt(f64(k), f64(0.5)), on_true, square, NULL, 1, &x, 1, &y);
        is_vector(ch_grad(ch_sum_all(y), x), 3, k ? (double[]){3, 3, 3} : (double[]){2, 4, 6});
    }
}

// ---------------------------------------------------------------- refusals
FN(wrong_dtype) {
    UNUSED;
    out[0] = ch_convert(in[2], CH_F32);
    return CH_OK;
}
FN(forgets) {
    UNUSED;
    return CH_OK;
}
FN(gives_up) {
    UNUSED;
    return ch_error_set("argument", "no rule today");
}

FN(says_nothing) {
    UNUSED;
    return CH_INVALID_ARGUMENT;
}
static void refused(void **state) {
    (void)state;
    ch_tensor *x = vector(3, one_two_three), *y;
    ch_custom_jvp_at("a.c:5", "square", square, three_dot, NULL, 1, &x, 1, &y);
    is_vector(y, 3, (double[]){1, 4, 9});
    fails(
        ch_grad_at("a.c:6", ch_sum_all(y), x),
        "a.c:6: gradient of @y: 1 operation has no derivative:\n  a.c:5: composite \"square\" — its custom rule has no "
        "reverse mode — give one by ch_custom_vjp, or take the jvp");
    ch_custom_vjp_at("a.c:1", "square", square, wrong_dtype, NULL, 1, &x, 1, &y);
    fails(y, "a.c:1: square: result 0 of the vjp rule is f32[3] — it has to be f64[3]");
    ch_custom_vjp_at("a.c:1", "square", square, forgets, NULL, 1, &x, 1, &y);
    fails(y, "a.c:1: square: the function of the vjp rule left result 0 NULL — set all 1");
    ch_custom_vjp_at("a.c:1", "square", square, gives_up, NULL, 1, &x, 1, &y);
    fails(y, "a.c:1: no rule today");
    int64_t three = 3;
    ch_tensor *k = ch_from_i64(&three, 0, NULL);
    ch_custom_vjp_at("a.c:1", "square", square, three_bar, NULL, 1, &k, 1, &y);
    fails(y, "a.c:1: square: a derivative rule, but no input is floating (i64[]) — leave the rule out");
    ch_custom_vjp_at("a.c:1", "", square, three_bar, NULL, 1, &x, 1, &y);
    fails(y, "a.c:1: custom_vjp: the name is empty — give one, messages and IR say it");
    ch_custom_at("a.c:1", "square", NULL, three_bar, NULL, NULL, 1, &x, 1, &y);
    fails(y, "a.c:1: custom: the body of \"square\" is NULL — give a function");
    ch_custom_vjp_at("a.c:1", "square", square, NULL, NULL, 1, &x, 1, &y);
    fails(y, "a.c:1: custom_vjp: \"square\" has no rule — give one, or use ch_composite, which is differentiated "
             "through its body");
    ch_custom_jvp_at("a.c:1", "square", square, NULL, NULL, 1, &x, 1, &y);
    fails(y, "a.c:1: custom_jvp: \"square\" has no rule — give one, or use ch_composite, which is differentiated "
             "through its body");
    // What failed before is not what a function means that fails and says nothing.
    ch_custom_vjp_at("a.c:1", "square", says_nothing, three_bar, NULL, 1, &x, 1, &y);
    fails(y, "a.c:1: square: the body gave INVALID_ARGUMENT and no reason — ch_error_set one");
    ch_remat_at("a.c:1", "square", square, NULL, 0, &x, 1, &y);
    fails(y, "a.c:1: remat: \"square\" has 0 inputs and 1 results — at least 1 of each is needed");
}

// ---------------------------------------------------------------- in loops
FN(block) { // four operations, w captured
    UNUSED;
    ch_tensor *t = ch_sin(ch_mul(in[0], user));
    out[0] = ch_tanh(ch_exp(t));
    return CH_OK;
}
FN(turn_rule) { // y <- square of y, by the rule; i captured by the rule
    UNUSED;
    ch_tensor *scaled = ch_mul(in[1], ch_scalar(CH_F64, 0.5));
    ch_custom("square", square, three_bar, three_dot, NULL, 1, &scaled, 1, out);
    return CH_OK;
}
FN(turn_again) {
    UNUSED;
    ch_tensor *i = ch_convert(in[0], CH_F64), *y = ch_add(in[1], i);
    ch_remat("block", block, user, 1, &y, 1, out);
    return CH_OK;
}
FN(turn_plain) {
    UNUSED;
    ch_tensor *i = ch_convert(in[0], CH_F64), *y = ch_add(in[1], i);
    return block(user, 1, &y, 1, out);
}
FN(loop_body) { // in[0], scale in[1]: a loop inside of what is computed again
    UNUSED;
    ch_for(ch_scalar(CH_I64, 0), ch_scalar(CH_I64, 3), ch_scalar(CH_I64, 1), turn_plain, in[1], 1, &in[0], out);
    return CH_OK;
}

FN(times_outside) {
    UNUSED;
    out[0] = ch_mul(in[0], user);
    return CH_OK;
}
FN(times_outside_vjp) {
    UNUSED;
    out[0] = ch_mul(in[2], user);
    return CH_OK;
}
FN(turn_captures) { // y <- y * k with k of this turn, which the rule holds fixed
    ch_tensor *i = ch_convert(in[0], CH_F64), *k = ch_add(ch_sin(in[1]), i);
    (void)n_in, (void)n_out;
    if (user != NULL)
        ch_custom_vjp("times", times_outside, times_outside_vjp, k, 1, &in[1], 1, out);
    else
        out[0] = ch_mul(in[1], ch_stop_gradient(k));
    return CH_OK;
}

static void captured_in_loops(void **state) {
    (void)state;
    const int64_t bounds[3] = {0, 5, 1};
    double got[2][3];
    for (int k = 0; k < 2; k++) {
        ch_tensor *b[3], *x = vector(3, one_two_three), *y;
        for (int i = 0; i < 3; i++) b[i] = ch_from_i64(&bounds[i], 0, NULL);
        ch_for(b[0], b[1], b[2], turn_captures, k ? x : NULL, 1, &x, &y);
        assert_int_equal(ch_read_f64(ch_grad(ch_sum_all(y), x), got[k], 3), CH_OK);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    assert_true(got[0][0] != 0 && got[0][1] != got[0][2]);
}

static void in_loops(void **state) {
    (void)state;
    int64_t bounds[3] = {0, 4, 1};
    ch_tensor *b[3], *x = vector(3, one_two_three), *y, *w = f64(0.7);
    for (int i = 0; i < 3; i++) b[i] = ch_from_i64(&bounds[i], 0, NULL);
    ch_for(b[0], b[1], b[2], turn_rule, NULL, 1, &x, &y);
    is_vector(ch_grad(ch_sum_all(y), x), 3, (double[]){5.0625, 5.0625, 5.0625}); // (3/2)^4
    double got[2][3], want[2][3];
    ch_tensor *wrt[2] = {x, w}, *g[2], *loop_in[2] = {x, w};
    ch_for(b[0], b[1], b[2], turn_plain, w, 1, &x, &y);
    ch_grads(ch_sum_all(y), 2, wrt, g);
    assert_int_equal(ch_read_f64(g[0], want[0], 3), CH_OK);
    assert_int_equal(ch_read_f64(g[1], want[1], 1), CH_OK);
    ch_for(b[0], b[1], b[2], turn_again, w, 1, &x, &y);
    ch_grads(ch_sum_all(y), 2, wrt, g);
    assert_int_equal(ch_read_f64(g[0], got[0], 3), CH_OK);
    assert_int_equal(ch_read_f64(g[1], got[1], 1), CH_OK);
    for (int i = 0; i < 3; i++) assert_true(got[0][i] == want[0][i]);
    assert_true(got[1][0] == want[1][0]);
    bounds[1] = 3;
    ch_for(b[0], ch_from_i64(&bounds[1], 0, NULL), b[2], turn_plain, w, 1, &x, &y);
    ch_tensor *plain = ch_grad(ch_sum_all(y), x);
    ch_remat("loop", loop_body, NULL, 2, loop_in, 1, &y);
    ch_tensor *again = ch_grad(ch_sum_all(y), x);
    assert_int_equal(ch_read_f64(plain, want[0], 3), CH_OK);
    is_vector(again, 3, want[0]);
}

// ---------------------------------------------------------------- forward mode
static void forwards(void **state) {
    (void)state;
    ch_func *f, *g, *h;
    assert_int_equal(ch_capture(loss_of_square, NULL, "x: f64[n]", 1, &f), CH_OK);
    assert_int_equal(ch_jvp(f, "x", 0, &g), CH_OK);
    ch_tensor *in[2] = {vector(3, one_two_three), vector(3, (double[]){1, 10, 100})}, *out;
    ch_func_apply(g, 2, in, 1, &out);
    is_vector(out, 1, (double[]){333});
    ch_tensor *x = vector(3, one_two_three), *y;
    ch_custom_jvp("square", square, three_dot, NULL, 1, &x, 1, &y);
    is_vector(ch_tangent(ch_mul(y, y), 1, &x, &in[1]), 3, (double[]){6, 240, 5400}); // 2 y 3 x_dot
    // The rules are linear in x_bar and x_dot and read nothing else: the second derivative is zero.
    assert_int_equal(ch_gradient(f, "x", &h), CH_OK);
    ch_func *hv;
    assert_int_equal(ch_jvp(h, "x", 0, &hv), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_id(), "gradient_detached");
    ch_func_destroy(h);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

FN(reverse_only) {
    UNUSED;
    ch_custom_vjp_at("a.c:7", "square", square, three_bar, NULL, 1, &in[0], 1, out);
    return CH_OK;
}

static void forward_refused(void **state) {
    (void)state;
    ch_func *f, *g;
    assert_int_equal(ch_capture(reverse_only, NULL, "x: f64[n]", 1, &f), CH_OK);
    assert_int_equal(ch_jvp(f, "x", 0, &g), CH_UNIMPLEMENTED);
    assert_non_null(strstr(ch_error_message(),
                           "a.c:7: composite \"square\" — its custom rule has no forward mode — give "
                           "one by ch_custom_jvp, or take the gradient"));
    ch_func_destroy(f);
}

FN(forward_only) {
    UNUSED;
    ch_custom_jvp_at("a.c:8", "square", square, three_dot, NULL, 1, &in[0], 1, out);
    return CH_OK;
}
FN(exponential) {
    UNUSED;
    ch_custom_vjp_at("a.c:9", "exp", exp_body, exp_vjp, NULL, 1, &in[0], 1, out);
    return CH_OK;
}

// A Jacobian takes the mode that is there; a Hessian-vector product needs both where the gradient reads the result.
static void jacobians(void **state) {
    (void)state;
    ch_tensor_fn fns[2] = {reverse_only, forward_only};
    ch_tensor *x = vector(3, one_two_three), *out;
    ch_func *f, *g;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ch_capture(fns[k], NULL, "x: f64[3]", 1, &f), CH_OK);
        if (ch_jacobian(f, "x", &g) != CH_OK) fail_msg("%s", ch_error_message());
        ch_func_apply(g, 1, &x, 1, &out);
        is_vector(ch_reshape(out, 1, (int64_t[]){9}), 9, (double[]){3, 0, 0, 0, 3, 0, 0, 0, 3});
        ch_func_destroy(g);
        ch_func_destroy(f);
    }
    assert_int_equal(ch_capture(exponential, NULL, "x: f64[]", 1, &f), CH_OK);
    if (ch_hessian(f, "x", &g) != CH_OK) fail_msg("%s", ch_error_message()); // reverse over reverse
    x = f64(0.5);
    ch_func_apply(g, 1, &x, 1, &out);
    is_vector(out, 1, (double[]){exp(0.5)});
    ch_func_destroy(g);
    assert_int_equal(ch_hvp(f, "x", &g), CH_UNIMPLEMENTED);
    assert_non_null(strstr(ch_error_message(), "a.c:9: composite \"exp\" — its custom rule has no forward mode"));
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- computed again
enum { BLOCKS = 8 };

FN(chain) {
    UNUSED;
    ch_tensor *t = in[0];
    for (int i = 0; i < BLOCKS; i++) {
        if (user != NULL)
            ch_remat("block", block, in[1], 1, &t, 1, &t);
        else
            (void)block(in[1], 1, &t, 1, &t);
    }
    out[0] = ch_sum_all(t);
    return CH_OK;
}

// The least limit on bytes that a run gets by with.
static int64_t peak_of(const ch_func *f, int n_in, ch_tensor *const *in, int n_out, double *first) {
    ch_exec *e;
    assert_int_equal(ch_compile(f, "interp", NULL, &e), CH_OK);
    int64_t lo = 0, hi = 1 << 20; // fails with lo, runs with hi
    while (hi - lo > 64) {
        ch_run_options o = {.struct_size = sizeof o, .max_bytes = (lo + hi) / 2};
        ch_tensor *out[4] = {NULL};
        ch_status s = ch_exec_run_with(e, &o, n_in, in, n_out, out);
        if (s == CH_OK) assert_int_equal(ch_read_f64(out[0], first, 500), CH_OK);
        for (int i = 0; i < n_out; i++) ch_release(out[i]);
        if (s == CH_OK)
            hi = o.max_bytes;
        else
            lo = o.max_bytes;
    }
    ch_exec_release(e);
    return hi;
}

static void computed_again(void **state) {
    (void)state;
    int64_t peak[2];
    static double g[2][2][500];
    for (int remat = 0; remat < 2; remat++) {
        ch_func *f, *d, *o;
        assert_int_equal(ch_capture(chain, remat ? (void *)"" : NULL, "x: f64[500], w: f64[500]", 1, &f), CH_OK);
        assert_int_equal(ch_func_count(f, "composite"), remat ? BLOCKS : 0);
        for (int w = 0; w < 2; w++) {
            assert_int_equal(ch_gradient(f, w ? "w" : "x", &d), CH_OK);
            // Nothing merges the second computation with the first; the last product of each is needed by none.
            assert_int_equal(ch_func_simplify(d, &o), CH_OK);
            assert_int_equal(ch_func_count(o, "exp"), remat ? 2 * BLOCKS - 1 : BLOCKS);
            ch_func_destroy(o);
            ch_tensor *in[2] = {ch_full(CH_F64, 0.5, 1, (int64_t[]){500}), ch_full(CH_F64, 0.9, 1, (int64_t[]){500})};
            peak[remat] = peak_of(d, 2, in, 1, g[remat][w]);
            ch_func_destroy(d);
        }
        ch_func_destroy(f);
    }
    assert_memory_equal(g[0], g[1], sizeof g[0]);
    // 4000 bytes each: the inputs of the blocks and what one block needs, against four values of every block.
    if (peak[1] > (BLOCKS + 8) * 4100 || peak[0] < 2 * BLOCKS * 4000)
        fail_msg("peaks of %lld and %lld bytes", (long long)peak[0], (long long)peak[1]);
}

static void again_twice(void **state) {
    (void)state;
    ch_tensor *x = f64(0.7), *w = f64(1.1), *y, *plain;
    ch_remat("block", block, w, 1, &x, 1, &y);
    (void)block(w, 1, &x, 1, &plain);
    double got, want;
    ch_tensor *mixed[2];
    for (int k = 0; k < 2; k++) {
        ch_tensor *g = ch_grad(k ? plain : y, x);
        mixed[k] = ch_grad(ch_mul(g, g), w); // through the captured value
    }
    assert_int_equal(ch_item(mixed[0], &got), CH_OK);
    assert_int_equal(ch_item(mixed[1], &want), CH_OK);
    assert_true(fabs(got - want) <= 1e-14 * fabs(want));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rule_wins, end_thread),         cmocka_unit_test_teardown(captured, end_thread),
        cmocka_unit_test_teardown(several, end_thread),           cmocka_unit_test_teardown(twice, end_thread),
        cmocka_unit_test_teardown(loop_inside, end_thread),       cmocka_unit_test_teardown(inside_branch, end_thread),
        cmocka_unit_test_teardown(refused, end_thread),           cmocka_unit_test_teardown(in_loops, end_thread),
        cmocka_unit_test_teardown(captured_in_loops, end_thread), cmocka_unit_test_teardown(forwards, end_thread),
        cmocka_unit_test_teardown(forward_refused, end_thread),   cmocka_unit_test_teardown(jacobians, end_thread),
        cmocka_unit_test_teardown(computed_again, end_thread),    cmocka_unit_test_teardown(again_twice, end_thread),
    };
    return cmocka_run_group_tests_name("custom", tests, NULL, NULL);
}
