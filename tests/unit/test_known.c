// SPDX-License-Identifier: Apache-2.0
// test_known.c - numbers known from outside, through the whole way: IR text, reverse mode, passes, interpreter.
//
// x s(x) / sqrt(1 + log(1 + e^x)), s the logistic function, at seven points: its derivative by mpmath (14 digits),
// and the numbers another program gives in f32. Rosenbrock's function at (-1.2, 1): value 24.2, gradient (-215.6, -88).
// sum(a a) at [[1,2],[3,4]]: 54 and [7,11,9,13]. Cross entropy of ten equal logits: log 10, and 0.1 everywhere but -0.9
// at the label.
#include <math.h>

#include "unit.h"

#include "chaac/func.h"
#include "rt/rt.h"

// The value and the gradient (of param `wrt`, n numbers) of a func of one param of f64.
static void value_and_gradient(const char *text, const char *wrt, int rank, const int64_t *dims, void *data, ch_dtype d,
                               double *value, void *gradient) {
    ch_func *f = NULL, *g = NULL;
    ch_exec *e = NULL;
    assert_int_equal(ch_func_parse(text, "known.ir", &f), CH_OK);
    assert_int_equal(ch_value_and_grad(f, wrt, &g), CH_OK);
    assert_int_equal(ch__compile(g, "interp", &e), CH_OK);
    ch__slot in = {.dtype = d, .rank = rank, .data = data}, out[2] = {{0}};
    for (int i = 0; i < rank; i++) in.dims[i] = dims[i];
    assert_int_equal(ch__exec_run(e, NULL, 1, &in, 2, out), CH_OK);
    assert_int_equal(out[0].rank, 0);
    assert_int_equal(out[1].rank, rank);
    size_t n = 1;
    for (int i = 0; i < rank; i++) {
        assert_int_equal(out[1].dims[i], dims[i]);
        n *= (size_t)dims[i];
    }
    *value = d == CH_F64 ? *(double *)out[0].data : (double)*(float *)out[0].data;
    memcpy(gradient, out[1].data, n * ch_dtype_size(d));
    ch__free_aligned(out[0].data);
    ch__free_aligned(out[1].data);
    ch__exec_release(e);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

static void test_sum_of_product(void **state) {
    (void)state;
    const char *text = "chaac-ir 1\n"
                       "func @f(%a: f64[n,n]) -> f64[] {\n"
                       "  %p = dot %a, %a {contract = [1]x[0]} : f64[n,n]\n"
                       "  %s = reduce %p {kind = sum, dims = [0,1]} : f64[]\n"
                       "  return %s\n"
                       "}\n";
    double a[4] = {1, 2, 3, 4}, value, g[4];
    value_and_gradient(text, "a", 2, (const int64_t[]){2, 2}, a, CH_F64, &value, g);
    assert_true(value == 54);
    assert_true(g[0] == 7 && g[1] == 11 && g[2] == 9 && g[3] == 13);
    const char *text32 = "chaac-ir 1\n"
                         "func @f(%a: f32[n,n]) -> f32[] {\n"
                         "  %p = dot %a, %a {contract = [1]x[0], acc = f64, order = any} : f32[n,n]\n"
                         "  %s = reduce %p {kind = sum, dims = [0,1], acc = f64, order = any} : f32[]\n"
                         "  return %s\n"
                         "}\n";
    float b[4] = {1, 2, 3, 4}, h[4];
    value_and_gradient(text32, "a", 2, (const int64_t[]){2, 2}, b, CH_F32, &value, h);
    assert_true(value == 54);
    assert_true(h[0] == 7 && h[1] == 11 && h[2] == 9 && h[3] == 13);
}

static const double points[7] = {-3, -1, -0.25, 0, 0.5, 1.75, 4};
static const double slopes[7] = {-0.082896636452657, 0.087146302485661, 0.31185717847936, 0.38425776151876,
                                 0.491732486475,     0.5008680739197,   0.29834050371174};
static const double slopes_f32[7] = {-0.08289663, 0.08714630, 0.31185716, 0.38425776,
                                     0.49173251,  0.50086808, 0.29834056};

#define SCALAR_FUNCTION(T)                                                                                             \
    "  %s = sigmoid %x : " T "\n"                                                                                      \
    "  %p = mul %x, %s : " T "\n"                                                                                      \
    "  %e = exp %x : " T "\n"                                                                                          \
    "  %l = log1p %e : " T "\n"                                                                                        \
    "  %one = const {value = 1} : " T "\n"                                                                             \
    "  %m = add %one, %l : " T "\n"                                                                                    \
    "  %q = sqrt %m : " T "\n"                                                                                         \
    "  %r = div %p, %q : " T "\n"

static void test_scalar_function(void **state) {
    (void)state;
    double value, all[7], copy[7];
    for (int i = 0; i < 7; i++) {
        double x = points[i], g;
        value_and_gradient("chaac-ir 1\nfunc @f(%x: f64[]) -> f64[] {\n" SCALAR_FUNCTION("f64[]") "  return %r\n}\n",
                           "x", 0, NULL, &x, CH_F64, &value, &g);
        assert_true(fabs(g - slopes[i]) <= 1e-13);
        all[i] = g;
    }
    // all seven at once, the size a symbol: the same bits
    double g[7];
    memcpy(copy, points, sizeof copy);
    value_and_gradient("chaac-ir 1\nfunc @f(%x: f64[n]) -> f64[] {\n" SCALAR_FUNCTION(
                           "f64[n]") "  %t = reduce %r {kind = sum, dims = [0]} : f64[]\n  return %t\n}\n",
                       "x", 1, (const int64_t[]){7}, copy, CH_F64, &value, g);
    assert_memory_equal(g, all, sizeof g);
    float x32[7], g32[7];
    for (int i = 0; i < 7; i++) x32[i] = (float)points[i];
    value_and_gradient("chaac-ir 1\nfunc @f(%x: f32[n]) -> f32[] {\n" SCALAR_FUNCTION(
                           "f32[n]") "  %t = reduce %r {kind = sum, dims = [0]} : f32[]\n  return %t\n}\n",
                       "x", 1, (const int64_t[]){7}, x32, CH_F32, &value, g32);
    for (int i = 0; i < 7; i++) {
        assert_true(fabs((double)g32[i] - slopes_f32[i]) <= 3.1e-8); // an ulp: their exp and log may differ from ours
        assert_true(fabs((double)g32[i] - slopes[i]) <= 6e-8);
    }
}

// Behind a call, inside a composite and on the taken side of a branch: the same bits as plain.
static void test_scalar_function_wrapped(void **state) {
    (void)state;
    static const char *const texts[] = {
        "chaac-ir 1\nfunc @f(%x: f64[]) -> f64[] {\n" SCALAR_FUNCTION("f64[]") "  return %r\n}\n",
        "chaac-ir 1\nfunc @g(%x: f64[]) -> f64[] {\n" SCALAR_FUNCTION(
            "f64[]") "  return %r\n}\n"
                     "func @f(%x: f64[]) -> f64[] {\n  %y = call @g(%x) : f64[]\n  return %y\n}\n",
        "chaac-ir 1\nfunc @f(%z: f64[]) -> f64[] {\n  %y = composite \"test.f\"(%x = %z) {\n" SCALAR_FUNCTION(
            "f64[]") "  yield %r\n  } : f64[]\n  return %y\n}\n",
        "chaac-ir 1\nfunc @f(%x: f64[]) -> f64[] {\n  %big = const {value = 100} : f64[]\n"
        "  %c = compare %x, %big {dir = lt} : bool[]\n  %y = if %c {\n" SCALAR_FUNCTION(
            "f64[]") "  yield %r\n  } else {\n  yield %big\n  } : f64[]\n  return %y\n}\n",
    };
    for (int i = 0; i < 7; i++) {
        double first_value = 0, first = 0;
        for (int k = 0; k < 4; k++) {
            double x = points[i], value, g;
            value_and_gradient(texts[k], NULL, 0, NULL, &x, CH_F64, &value, &g);
            if (k == 0) first_value = value, first = g;
            assert_memory_equal(&value, &first_value, sizeof value);
            assert_memory_equal(&g, &first, sizeof g);
        }
    }
}

static void test_rosenbrock(void **state) {
    (void)state;
    const char *text = "chaac-ir 1\n"
                       "func @f(%v: f64[2]) -> f64[] {\n"
                       "  %zero = const {value = 0} : i64[]\n"
                       "  %first = const {value = 1} : i64[]\n"
                       "  %x = slice %v {start = [0], limit = [1]} : f64[1]\n"
                       "  %y = slice %v {start = [1], limit = [2]} : f64[1]\n"
                       "  %one = const {value = 1} : f64[1]\n"
                       "  %hundred = const {value = 100} : f64[1]\n"
                       "  %d = sub %one, %x : f64[1]\n"
                       "  %d2 = mul %d, %d : f64[1]\n"
                       "  %xx = mul %x, %x : f64[1]\n"
                       "  %e = sub %y, %xx : f64[1]\n"
                       "  %e2 = mul %e, %e : f64[1]\n"
                       "  %h = mul %hundred, %e2 : f64[1]\n"
                       "  %s = add %d2, %h : f64[1]\n"
                       "  %r = reshape %s : f64[]\n"
                       "  return %r\n"
                       "}\n";
    double v[2] = {-1.2, 1}, value, g[2];
    value_and_gradient(text, "v", 1, (const int64_t[]){2}, v, CH_F64, &value, g);
    assert_true(fabs(value - 24.2) <= 1e-13);
    assert_true(fabs(g[0] + 215.6) <= 1e-12 && fabs(g[1] + 88) <= 1e-12);
}

static void test_cross_entropy(void **state) {
    (void)state;
    const char *text = "chaac-ir 1\n"
                       "func @f(%z: f64[k]) -> f64[] {\n"
                       "  %m = reduce %z {kind = max, dims = [0]} : f64[]\n"
                       "  %s = stop_gradient %m : f64[]\n"
                       "  %b = broadcast %s {dims = []} : f64[k]\n"
                       "  %d = sub %z, %b : f64[k]\n"
                       "  %e = exp %d : f64[k]\n"
                       "  %t = reduce %e {kind = sum, dims = [0]} : f64[]\n"
                       "  %l = log %t : f64[]\n"
                       "  %i = const {value = 3} : i64[]\n"
                       "  %x = dynamic_slice %d, %i {sizes = [1]} : f64[1]\n"
                       "  %y = reshape %x : f64[]\n"
                       "  %r = sub %l, %y : f64[]\n"
                       "  return %r\n"
                       "}\n";
    double z[10] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, value, g[10];
    value_and_gradient(text, "z", 1, (const int64_t[]){10}, z, CH_F64, &value, g);
    assert_true(fabs(value - 2.302585092994046) <= 1e-15);
    for (int i = 0; i < 10; i++) assert_true(fabs(g[i] - (i == 3 ? -0.9 : 0.1)) <= 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum_of_product),          cmocka_unit_test(test_scalar_function),
        cmocka_unit_test(test_scalar_function_wrapped), cmocka_unit_test(test_rosenbrock),
        cmocka_unit_test(test_cross_entropy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
