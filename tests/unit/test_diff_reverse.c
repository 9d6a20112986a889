// SPDX-License-Identifier: Apache-2.0
// test_diff_reverse.c - the reverse transform: known answers, what a gradient func looks like, what frozen params cost,
// seeds and auxiliary results, every refusal with its whole sentence, and each allocation failing in turn.
#include <math.h>
#include <stdlib.h>

#include "diff_run.h"

static ch_func *value_and_grad(const ch_func *f, const char *wrt) {
    ch_func *g = NULL;
    ch_status s = ch_value_and_grad(f, wrt, &g);
    return diff_verified(s, g);
}

// ---------------------------------------------------------------- known answers
static void test_sum_of_square(void **state) {
    (void)state;
    ch_func *f =
        diff_parse("chaac-ir 1\nfunc @f(%a: f32[n,n]) -> f32[] {\n"
                   "  %d = dot %a, %a {contract = [1]x[0], acc = f64, order = any} : f32[n,n]\n"
                   "  %y = reduce %d {kind = sum, dims = [0,1], acc = f64, order = any} : f32[]\n  return %y\n}\n");
    ch_func *g = value_and_grad(f, NULL);
    static const float a[] = {1, 2, 3, 4}, want[] = {7, 11, 9, 13};
    ch__slot in = diff_slot(CH_F32, 2, 2, 2, a), out[2];
    diff_run(g, 1, &in, out);
    assert_true(*(float *)out[0].data == 54);
    assert_memory_equal(out[1].data, want, sizeof want);
    for (int i = 0; i < 2; i++) ch__free_aligned(out[i].data);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// x sigma(x) / sqrt(1 + log(1 + e^x)); the answers were made in f32
static void test_seven_points(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @f(%x: f64[]) -> f64[] {\n  %one = const {value = 1} : f64[]\n"
        "  %s = sigmoid %x : f64[]\n  %t = mul %x, %s : f64[]\n  %e = exp %x : f64[]\n  %l = log1p %e : f64[]\n"
        "  %p = add %one, %l : f64[]\n  %q = sqrt %p : f64[]\n  %y = div %t, %q : f64[]\n  return %y\n}\n");
    ch_func *g = value_and_grad(f, "x");
    static const double at[] = {-3, -1, -.25, 0, .5, 1.75, 4};
    static const double want[] = {-0.08289663, 0.08714630, 0.31185716, 0.38425776, 0.49173251, 0.50086808, 0.29834056};
    for (int i = 0; i < 7; i++) {
        ch__slot in = diff_slot(CH_F64, 0, 0, 0, &at[i]), out[2];
        diff_run(g, 1, &in, out);
        if (!(fabs(*(double *)out[1].data - want[i]) <= 6e-8)) fail_msg("at %g: %.10f", at[i], *(double *)out[1].data);
        ch__free_aligned(out[0].data);
        ch__free_aligned(out[1].data);
    }
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// ---------------------------------------------------------------- what it looks like
static const char layer[] =
    "chaac-ir 1\n"
    "func @loss(%x: f32[n,3], %w1: f32[3,4], %b1: f32[4], %w2: f32[4,2]) -> (%loss: f32[], %h: f32[n,4]) {\n"
    "  %z = dot %x, %w1 {contract = [1]x[0], acc = f64, order = any} : f32[n,4]\n"
    "  %c = broadcast %b1 {dims = [1]} : f32[n,4]\n"
    "  %s = add %z, %c : f32[n,4]\n"
    "  %h = tanh %s : f32[n,4]\n"
    "  %y = dot %h, %w2 {contract = [1]x[0], acc = f64, order = any} : f32[n,2]\n"
    "  %q = mul %y, %y : f32[n,2]\n"
    "  %l = reduce %q {kind = sum, dims = [0,1], acc = f64, order = any} : f32[]\n"
    "  return %l, %h\n}\n";

static void test_text(void **state) {
    (void)state;
    ch_func *f = diff_parse(layer), *g = value_and_grad(f, "b1");
    char *text = NULL;
    assert_int_equal(ch_func_to_text(g, &text), CH_OK);
    assert_string_equal(text, "chaac-ir 1\n"
                              "func @loss_vg(%x: f32[n,3], %w1: f32[3,4], %b1: f32[4], %w2: f32[4,2]) -> (%loss: "
                              "f32[], %b1_bar: f32[4], %h: f32[n,4]) {\n"
                              "  %z = dot %x, %w1 {contract = [1]x[0], acc = f64, order = any} : f32[n,4]\n"
                              "  %c = broadcast %b1 {dims = [1]} : f32[n,4]\n"
                              "  %s = add %z, %c : f32[n,4]\n"
                              "  %h = tanh %s : f32[n,4]\n"
                              "  %y = dot %h, %w2 {contract = [1]x[0], acc = f64, order = any} : f32[n,2]\n"
                              "  %q = mul %y, %y : f32[n,2]\n"
                              "  %l = reduce %q {kind = sum, dims = [0,1], acc = f64, order = any} : f32[]\n"
                              "  %y_bar = add %y, %y : f32[n,2]\n"
                              "  %h_bar = dot %y_bar, %w2 {contract = [1]x[1], acc = f64, order = any} : f32[n,4]\n"
                              "  %0 = const {value = 1} : f32[n,4]\n"
                              "  %1 = sub %0, %h : f32[n,4]\n"
                              "  %2 = add %0, %h : f32[n,4]\n"
                              "  %3 = mul %1, %2 : f32[n,4]\n"
                              "  %s_bar = mul %h_bar, %3 : f32[n,4]\n"
                              "  %b1_bar = reduce %s_bar {kind = sum, dims = [0], acc = f64, order = any} : f32[4]\n"
                              "  return %l, %b1_bar, %h\n}\n");
    ch_string_free(text);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

static int64_t count(const ch_func *f, const char *wrt, const char *op) {
    ch_func *g = value_and_grad(f, wrt);
    int64_t n = ch_func_count(g, op);
    ch_func_destroy(g);
    return n;
}

// One dot less for each matrix that stays as it is, and one for the inputs that nobody asks for.
static void test_frozen_params_cost_nothing(void **state) {
    (void)state;
    ch_func *f = diff_parse(layer);
    assert_int_equal(count(f, "x, w1, b1, w2", "dot"), 6); // 2 forwards, w2_bar, h_bar, w1_bar, x_bar
    assert_int_equal(count(f, "w1, b1, w2", "dot"), 5);
    assert_int_equal(count(f, "b1, w2", "dot"), 4);
    assert_int_equal(count(f, "b1", "dot"), 3);
    assert_int_equal(count(f, "w2", "dot"), 3);
    assert_int_equal(count(f, "w2", "reduce"), 1); // only the loss: b1_bar is not there
    assert_int_equal(count(f, "w2", "sub"), 0);    // nor is anything of tanh
    ch_func_destroy(f);
}

static void test_names_and_order(void **state) {
    (void)state;
    ch_func *f = diff_parse(layer), *g = value_and_grad(f, " w2 ,x");
    assert_string_equal(ch_func_name(g), "loss_vg");
    assert_int_equal(ch_func_num_params(g), 4);
    assert_int_equal(ch_func_num_results(g), 4);
    static const char *const names[] = {"loss", "w2_bar", "x_bar", "h"};
    for (int i = 0; i < 4; i++) assert_string_equal(ch_func_result_name(g, i), names[i]);
    ch_func_destroy(g);
    assert_int_equal(ch_gradient(f, "w2", &g), CH_OK);
    assert_string_equal(ch_func_name(g), "loss_grad");
    assert_int_equal(ch_func_num_results(g), 1); // no value, no auxiliary result
    ch_func_destroy(g);
    assert_int_equal(ch_vjp(f, "w2, b1", 1, &g), CH_OK);
    assert_string_equal(ch_func_name(g), "loss_vjp");
    assert_int_equal(ch_func_num_params(g), 6);
    assert_string_equal(ch_func_param_name(g, 4), "loss_bar");
    assert_string_equal(ch_func_param_name(g, 5), "h_bar");
    assert_string_equal(ch_func_param_type(g, 5), "f32[n,4]");
    static const char *const vjp_names[] = {"loss", "h", "w2_bar", "b1_bar"};
    assert_int_equal(ch_func_num_results(g), 4);
    for (int i = 0; i < 4; i++) assert_string_equal(ch_func_result_name(g, i), vjp_names[i]);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// A seed for each floating result, zero where it does not matter; an integer result has none.
static void test_vjp_seeds(void **state) {
    (void)state;
    ch_func *f = diff_parse(
                "chaac-ir 1\nfunc @f(%x: f64[2], %i: i64[]) -> (f64[2], i64[], %y_bar: f64[2]) {\n  %y = mul "
                "%x, %x : f64[2]\n"
                "  %s = sin %x : f64[2]\n  return %y, %i, %s\n}\n"),
            *g = NULL;
    assert_int_equal(ch_vjp(f, "x", 0, &g), CH_OK);
    assert_int_equal(ch_func_num_params(g), 4);
    static const double x[] = {1, 3}, seed[] = {10, 100}, zero[] = {0, 0}, want[] = {20, 600};
    static const int64_t i = 5;
    ch__slot in[] = {diff_slot(CH_F64, 1, 2, 0, x), diff_slot(CH_I64, 0, 0, 0, &i), diff_slot(CH_F64, 1, 2, 0, seed),
                     diff_slot(CH_F64, 1, 2, 0, zero)};
    ch__slot out[1];
    diff_run(g, 4, in, out);
    assert_memory_equal(out[0].data, want, sizeof want);
    ch__free_aligned(out[0].data);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// bf16 in the middle: the adjoint goes through in f32, not rounded on the way.
static void test_adjoint_through_bf16(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @f(%x: f32[]) -> f32[] {\n  %k = const {value = 1.0001} : f32[]\n  %h = convert %x : bf16[]\n"
        "  %w = convert %h : f32[]\n  %y = mul %w, %k : f32[]\n  return %y\n}\n");
    ch_func *g = value_and_grad(f, NULL);
    static const float x = 3;
    ch__slot in = diff_slot(CH_F32, 0, 0, 0, &x), out[2];
    diff_run(g, 1, &in, out);
    assert_true(*(float *)out[1].data == 1.0001f);
    ch__free_aligned(out[0].data);
    ch__free_aligned(out[1].data);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// One derivative func for each pattern of arguments and results, however often it is called.
static void test_calls_share_derivatives(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @g(%a: f64[], %b: f64[]) -> f64[] {\n  %s = sin %a : f64[]\n  %t = mul %s, %b : f64[]\n"
        "  return %t\n}\nfunc @f(%x: f64[], %k: f64[]) -> f64[] {\n  %1 = call @g(%x, %k) : f64[]\n"
        "  %2 = call @g(%1, %k) : f64[]\n  %3 = call @g(%2, %k) : f64[]\n  %4 = call @g(%3, %3) : f64[]\n  "
        "return %4\n}\n");
    ch_func *g = value_and_grad(f, "x");
    int funcs = 0;
    for (ch_func *each = g->module->first; each != NULL; each = each->next) funcs++;
    assert_int_equal(funcs, 4); // f_vg, g, and two derivatives of g: in a alone; in both, which gives g too
    assert_int_equal(ch_func_count(g, "call"), 4 + 4 - 1);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// x to the n-th by recursion: what gives value and adjoints calls itself once; nothing else is run.
static void test_recursion_runs_once(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @power(%x: f64[], %n: i64[]) -> f64[] {\n  %0 = const {value = 0} : i64[]\n"
        "  %1 = const {value = 1} : i64[]\n  %one = const {value = 1} : f64[]\n"
        "  %end = compare %n, %0 {dir = eq} : bool[]\n  %y = if %end {\n    yield %one\n  } else {\n"
        "    %m = sub %n, %1 : i64[]\n    %p = call @power(%x, %m) : f64[]\n    %q = mul %p, %x : f64[]\n    yield %q\n"
        "  } : f64[]\n  return %y\n}\nfunc @f(%x: f64[], %n: i64[]) -> f64[] {\n  %y = call @power(%x, %n) : f64[]\n"
        "  return %y\n}\n");
    ch_func *g = value_and_grad(f, "x");
    int funcs = 0;
    for (ch_func *each = g->module->first; each != NULL; each = each->next) funcs++;
    assert_int_equal(funcs, 2);
    assert_int_equal(ch_func_count(g, "call"), 1 + 1);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// Params tied to results: the gradient func has the params, without the ties.
static void test_inout(void **state) {
    (void)state;
    ch_func *f = diff_parse(
                "chaac-ir 1\nfunc @f(%x: f64[n], %acc: inout(0) f64[n], %y: f64[n]) -> (%sum: f64[n], f64[]) {\n"
                "  %s = add %acc, %x : f64[n]\n  %d = dot %s, %y {contract = [0]x[0]} : f64[]\n  return %s, %d\n}\n"),
            *g = NULL;
    assert_int_equal(ch_vjp(f, NULL, 0, &g), CH_OK);
    if (ch__protect(diff_verify, g) != CH_OK) fail_msg("%s", ch_error_message());
    assert_int_equal(ch_func_num_params(g), 5);
    assert_null(g->inout);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// ---------------------------------------------------------------- refusals
static char logged[512];
static void keep_log(void *user, int level, const char *message) {
    (void)user;
    if (level == 2) snprintf(logged, sizeof logged, "%s", message);
}

static void refuse(const char *text, const char *wrt, const char *id, const char *message) {
    ch_func *f = diff_parse(text), *g = NULL;
    assert_int_not_equal(ch_value_and_grad(f, wrt, &g), CH_OK);
    assert_null(g);
    assert_string_equal(ch_error_message(), message);
    assert_string_equal(ch_error_id(), id);
    ch_func_destroy(f);
}

static void test_refusals_of_wrt(void **state) {
    (void)state;
    refuse(layer, "w9", "no_param", "gradient of @loss: no param 'w9' — did you mean 'w1'? it has x, w1, b1, w2");
    refuse(layer, "kernel", "no_param", "gradient of @loss: no param 'kernel' — it has x, w1, b1, w2");
    refuse(layer, "w1, w2, w1", "duplicate_name", "gradient of @loss: param 'w1' is asked for twice — name each once");
    refuse(layer, "w1,,w2", "argument",
           "gradient of @loss: \"w1,,w2\" — names of params with commas between, NULL for every floating one");
    const char *ints = "chaac-ir 1\nfunc @f(%i: i32[n], %x: f32[]) -> f32[] {\n  return %x\n}\n";
    refuse(ints, "i", "gradient_integer",
           "gradient of @f: param 'i' is i32[n] — only f16, bf16, f32 and f64 params have a gradient");
    refuse("chaac-ir 1\nfunc @f(%i: i32[]) -> f32[] {\n  %x = convert %i : f32[]\n  return %x\n}\n", NULL,
           "gradient_integer", "gradient of @f: no param is f16, bf16, f32 or f64 — it has i");
}

static void test_refusals_of_results(void **state) {
    (void)state;
    refuse(
        "chaac-ir 1\nfunc @f(%x: f32[n,2]) -> (%logits: f32[n,2]) {\n  return %x\n}\n", NULL, "gradient_scalar",
        "gradient of @f: the first result 'logits' is f32[n,2] — a gradient is taken of one floating number: reduce it "
        "first, or use vjp");
    refuse("chaac-ir 1\nfunc @f(%x: f32[]) -> i32[] {\n  %i = convert %x : i32[]\n  return %i\n}\n", NULL,
           "gradient_scalar",
           "gradient of @f: the first result is i32[] — a gradient is taken of one floating number: reduce it first, "
           "or use vjp");
    refuse("chaac-ir 1\nfunc @f(%x: f32[], %y: f32[]) -> f32[] {\n  %f = floor %x : f32[]\n  %s = stop_gradient %y : "
           "f32[]\n"
           "  %r = add %f, %s : f32[]\n  return %r\n}\n",
           "x, y", "gradient_detached",
           "gradient of @f: the result does not depend on 'x', 'y' through differentiable operations — the gradient "
           "would be zero "
           "whatever the inputs are");
}

// All at once, each with its line; what is not on the way to x does not matter.
static void test_refusals_of_ops(void **state) {
    (void)state;
    const char *text =
        "chaac-ir 1\nfunc @f(%x: f32[], %k: f32[], %n: i64[]) -> f32[] {\n"
        "  %a = nextafter %x, %k : f32[] loc(\"first.c\":7:3)\n  %u = nextafter %k, %k : f32[] loc(\"first.c\":8:3)\n"
        "  %b = for %i = %n to %n step %n iter(%s = %a) {\n    %t = mul %s, %s : f32[]\n    yield %t\n  } : f32[]\n"
        "  %c = convert %b : f8e4m3[]\n  %d = convert %c : f32[]\n  %e = mul %d, %u : f32[]\n  return %e\n}\n";
    refuse(text, "x", "not_differentiable",
           "gradient of @f: 2 operations have no derivative:\n"
           "  first.c:7: nextafter — nextafter is a step function of its bits\n"
           "  test:9: convert — an f8 value is for storage and carries no derivative");
    refuse("chaac-ir 1\nfunc @g(%a: f32[]) -> f32[] {\n  %b = nextafter %a, %a : f32[]\n  return %b\n}\n"
           "func @f(%x: f32[]) -> f32[] {\n  %y = call @g(%x) : f32[]\n  return %y\n}\n",
           "x", "not_differentiable",
           "gradient of @f: 1 operation has no derivative:\n  test:3: nextafter — nextafter is a step function of its "
           "bits");
}

static void test_param_without_influence(void **state) {
    (void)state;
    ch_func *f =
        diff_parse("chaac-ir 1\nfunc @f(%x: f32[], %y: f32[n]) -> f32[] {\n  %s = sin %x : f32[]\n  return %s\n}\n");
    ch_set_log(keep_log, NULL);
    ch_func *g = value_and_grad(f, "x, y");
    ch_set_log(NULL, NULL);
    assert_string_equal(logged, "gradient of @f: param 'y' cannot influence the result — its gradient is zero");
    assert_string_equal(ch_func_result_type(g, 2), "f32[n]");
    ch_func_destroy(f);
    ch_func_destroy(g);
}

static void test_null_arguments(void **state) {
    (void)state;
    ch_func *f = diff_parse(layer), *g = NULL;
    assert_int_equal(ch_value_and_grad(NULL, NULL, &g), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "ch_value_and_grad: the func is NULL — a func and a place for the result are needed");
    assert_int_equal(ch_vjp(f, NULL, 0, NULL), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "ch_vjp: the place for the result is NULL — a func and a place for the result are needed");
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- memory
static void test_each_allocation_fails(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @g(%a: f64[m]) -> f64[m] {\n  %s = sin %a : f64[m]\n  return %s\n}\n"
        "func @f(%x: f64[n], %w: f64[n], %p: bool[]) -> f64[] {\n  %h = call @g(%x) : f64[n]\n  %y = if %p {\n"
        "    %a = mul %h, %w : f64[n]\n    yield %a\n  } else {\n    yield %w\n  } : f64[n]\n"
        "  %r = reduce %y {kind = prod, dims = [0]} : f64[]\n  return %r\n}\n");
    int64_t live = ch__alloc_live();
    int64_t n = 1;
    for (;; n++) {
        ch_func *g = NULL;
        ch__alloc_fail_at(n, false);
        ch_status s = ch_value_and_grad(f, NULL, &g);
        ch__alloc_fail_at(0, false);
        if (s == CH_OK) {
            ch_func_destroy(g);
            break;
        }
        assert_null(g);
        assert_int_equal(s, CH_RESOURCE_EXHAUSTED);
        assert_string_equal(ch_error_id(), "out_of_memory");
        assert_int_equal(ch__alloc_live(), live);
    }
    assert_true(n > 10);
    assert_int_equal(ch__alloc_live(), live);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- loops and their reverse loops
// A func of x, n and w with this body.
static ch_func *func_of(const char *body) {
    char source[4096];
    snprintf(source, sizeof source,
             "chaac-ir 1\nfunc @f(%%x: f64[n], %%n: i64[], %%w: f64[]) -> f64[] {\n  %%0 = const {value = 0} : i64[]\n"
             "  %%1 = const {value = 1} : i64[]\n  %%zero = const {value = 0} : f64[]\n%s}\n",
             body);
    return diff_parse(source);
}

// The number of times `what` stands in the text of its value and gradient.
static int times_in(const char *body, const char *what) {
    char *text = NULL;
    ch_func *f = func_of(body), *g = value_and_grad(f, "x, w");
    assert_int_equal(ch_func_to_text(g, &text), CH_OK);
    int n = 0;
    for (const char *s = text; (s = strstr(s, what)) != NULL; s++) n++;
    ch_string_free(text);
    ch_func_destroy(f);
    ch_func_destroy(g);
    return n;
}

static int loops_of(const char *body) { return times_in(body, " = for "); }

// Terms of a sum: one loop computes them and adds their adjoints; in branches and inner loops too. Not where a turn
// waits for the one before, or the adjoint for the sum.
static void test_shared_loops(void **state) {
    (void)state;
    const char *sum = "  %s = for %i = %0 to %n step %1 iter(%a = %zero) {\n    %v = get %x[%i] : f64[]\n"
                      "    %t = sin %v : f64[]\n    %u = mul %t, %w : f64[]\n    %b = add %a, %u : f64[]\n"
                      "    yield %b\n  } : f64[]\n";
    char body[1024];
    snprintf(body, sizeof body, "%s  return %%s\n", sum);
    assert_int_equal(loops_of(body), 1);
    snprintf(body, sizeof body, "%s  %%y = mul %%s, %%s : f64[]\n  return %%y\n", sum);
    assert_int_equal(loops_of(body), 2);
    assert_int_equal(loops_of("  %s = for %i = %0 to %n step %1 iter(%a = %zero) {\n    %v = get %x[%i] : f64[]\n"
                              "    %p = compare %v, %w {dir = gt} : bool[]\n    %b = if %p {\n"
                              "      %t = mul %v, %v : f64[]\n      %c = add %a, %t : f64[]\n      yield %c\n"
                              "    } else {\n      yield %a\n    } : f64[]\n    yield %b\n  } : f64[]\n  return %s\n"),
                     1);
    assert_int_equal(loops_of("  %s = for %i = %0 to %n step %1 iter(%a = %zero) {\n    %r = for %j = %i to %n step %1 "
                              "iter(%c = %a) {\n      %v = get %x[%j] : f64[]\n      %t = mul %v, %w : f64[]\n"
                              "      %d = add %c, %t : f64[]\n      yield %d\n    } : f64[]\n    yield %r\n"
                              "  } : f64[]\n  return %s\n"),
                     2);
    assert_int_equal(loops_of("  %s = for %i = %0 to %n step %1 iter(%a = %w) {\n    %v = get %x[%i] : f64[]\n"
                              "    %b = mul %a, %v : f64[]\n    yield %b\n  } : f64[]\n  return %s\n"),
                     2);
}

// The mean of what is counted: no wait for the count; one loop over x, then one that multiplies.
static void test_mean_of_counted(void **state) {
    (void)state;
    const char *mean = "  %k0 = const {value = 1} : f64[]\n"
                       "  %s, %k = for %i = %0 to %n step %1 iter(%a = %zero, %c = %zero) {\n"
                       "    %v = get %x[%i] : f64[]\n    %t = sin %v : f64[]\n    %b = add %a, %t : f64[]\n"
                       "    %d = add %c, %k0 : f64[]\n    yield %b, %d\n  } : f64[], f64[]\n"
                       "  %m = div %s, %k : f64[]\n  return %m\n";
    assert_int_equal(loops_of(mean), 2);
    assert_int_equal(times_in(mean, "= get %x["), 1);
}

// The mean of the positive ones, of which there are none: what nothing was added to stays 0 beside the infinite number.
static void test_mean_of_none(void **state) {
    (void)state;
    ch_func *f = func_of("  %k0 = const {value = 1} : f64[]\n"
                         "  %s, %k = for %i = %0 to %n step %1 iter(%a = %zero, %c = %zero) {\n"
                         "    %v = get %x[%i] : f64[]\n    %p = compare %v, %zero {dir = gt} : bool[]\n"
                         "    %b, %d = if %p {\n      %t = mul %v, %w : f64[]\n      %b1 = add %a, %t : f64[]\n"
                         "      %d1 = add %c, %k0 : f64[]\n      yield %b1, %d1\n    } else {\n      yield %a, %c\n"
                         "    } : f64[], f64[]\n    yield %b, %d\n  } : f64[], f64[]\n"
                         "  %m = div %s, %k : f64[]\n  return %m\n");
    ch_func *g = value_and_grad(f, "x, w");
    static const double x[][3] = {{-1, -2, -3}, {-1, 4, 2}}, w = 5;
    static const double x_bar[][3] = {{0, 0, 0}, {0, 2.5, 2.5}}, w_bar[] = {0, 3};
    static const int64_t n = 3;
    for (int k = 0; k < 2; k++) {
        ch__slot in[] = {diff_slot(CH_F64, 1, 3, 0, x[k]), diff_slot(CH_I64, 0, 0, 0, &n),
                         diff_slot(CH_F64, 0, 0, 0, &w)};
        ch__slot out[3];
        diff_run(g, 3, in, out);
        assert_memory_equal(out[1].data, x_bar[k], sizeof x_bar[k]);
        assert_true(*(double *)out[2].data == w_bar[k]);
        for (int i = 0; i < 3; i++) ch__free_aligned(out[i].data);
    }
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// In f16 a sum without the factor may have no room: 300 terms of 300 are inf, their mean is 300.
static void test_mean_in_half(void **state) {
    (void)state;
    ch_func *f = diff_parse(
        "chaac-ir 1\nfunc @f(%n: i64[], %w: f16[], %u: f16[]) -> f16[] {\n  %0 = const {value = 0} : i64[]\n"
        "  %1 = const {value = 1} : i64[]\n  %zero = const {value = 0} : f16[]\n  %k0 = const {value = 1} : f16[]\n"
        "  %s, %k = for %i = %0 to %n step %1 iter(%a = %zero, %c = %zero) {\n    %t = mul %w, %u : f16[]\n"
        "    %b = add %a, %t : f16[]\n    %d = add %c, %k0 : f16[]\n    yield %b, %d\n  } : f16[], f16[]\n"
        "  %m = div %s, %k : f16[]\n  return %m\n}\n");
    ch_func *g = value_and_grad(f, "w");
    static const uint16_t w = 0, u = 0x5cb0; // 300
    static const int64_t n = 300;
    ch__slot in[] = {diff_slot(CH_I64, 0, 0, 0, &n), diff_slot(CH_F16, 0, 0, 0, &w), diff_slot(CH_F16, 0, 0, 0, &u)};
    ch__slot out[2];
    diff_run(g, 3, in, out);
    uint16_t bits = *(uint16_t *)out[1].data;
    if (bits < 0x5c00 || bits > 0x5d00) fail_msg("w_bar is 0x%04x", bits); // 256 .. 320
    for (int i = 0; i < 2; i++) ch__free_aligned(out[i].data);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// A long sum is looked through once, not once more for each of its terms.
static void test_long_sum_in_loop(void **state) {
    (void)state;
    char body[2048];
    int n = snprintf(body, sizeof body,
                     "  %%s, %%q = for %%i = %%0 to %%n step %%1 iter(%%a = %%zero, %%p = %%zero) {\n"
                     "    %%v = get %%x[%%i] : f64[]\n    %%o = add %%p, %%v : f64[]\n    %%r = sin %%o : f64[]\n"
                     "    %%b0 = add %%a, %%v : f64[]\n");
    for (int k = 0; k < 40; k++)
        n += snprintf(body + n, sizeof body - (size_t)n, "    %%b%d = add %%v, %%b%d : f64[]\n", k + 1, k);
    snprintf(body + n, sizeof body - (size_t)n,
             "    yield %%b40, %%r\n  } : f64[], f64[]\n  %%y = mul %%s, %%q : f64[]\n  return %%y\n");
    assert_int_equal(loops_of(body), 2);
}

// The half that a square undoes is looked for near by: no long product is written anew without it.
static void test_half_far_away(void **state) {
    (void)state;
    char body[2048];
    int n = snprintf(body, sizeof body, "  %%h = const {value = 0.5} : f64[]\n  %%p0 = mul %%w, %%h : f64[]\n");
    for (int k = 0; k < 20; k++)
        n += snprintf(body + n, sizeof body - (size_t)n, "  %%p%d = mul %%w, %%p%d : f64[]\n", k + 1, k);
    snprintf(body + n, sizeof body - (size_t)n,
             "  %%v = get %%x[%%0] : f64[]\n  %%q = mul %%v, %%v : f64[]\n  %%y = mul %%q, %%p20 : f64[]\n"
             "  return %%y\n");
    ch_func *f = func_of(body);
    assert_int_equal(count(f, "x", "mul"), 23 + 1);
    ch_func_destroy(f);
}

// w[0] * x[i] summed over i, where w is made of x: its adjoint is a number in the loop, not an element.
static void test_sums_alone(void **state) {
    (void)state;
    const char *sum = "  %s = for %i = %0 to %n step %1 iter(%a = %zero) {\n    %u = get %x[%1] : f64[]\n"
                      "    %v = get %x[%i] : f64[]\n    %t = mul %u, %v : f64[]\n    %b = add %a, %t : f64[]\n"
                      "    yield %b\n  } : f64[]\n  return %s\n";
    assert_int_equal(loops_of(sum), 1);
    assert_int_equal(times_in(sum, "= set "), 2); // x_bar[i] in the loop, x_bar[1] after it
    assert_int_equal(times_in(sum, "= if "), 1);  // where the loop has no turn there may be no x_bar[1]
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum_of_square),
        cmocka_unit_test(test_seven_points),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_frozen_params_cost_nothing),
        cmocka_unit_test(test_names_and_order),
        cmocka_unit_test(test_vjp_seeds),
        cmocka_unit_test(test_adjoint_through_bf16),
        cmocka_unit_test(test_calls_share_derivatives),
        cmocka_unit_test(test_recursion_runs_once),
        cmocka_unit_test(test_inout),
        cmocka_unit_test(test_refusals_of_wrt),
        cmocka_unit_test(test_refusals_of_results),
        cmocka_unit_test(test_refusals_of_ops),
        cmocka_unit_test(test_param_without_influence),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_shared_loops),
        cmocka_unit_test(test_mean_of_counted),
        cmocka_unit_test(test_mean_of_none),
        cmocka_unit_test(test_mean_in_half),
        cmocka_unit_test(test_long_sum_in_loop),
        cmocka_unit_test(test_half_far_away),
        cmocka_unit_test(test_sums_alone),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
