// SPDX-License-Identifier: Apache-2.0
// test_native_math.c - the functions that native code computes by vectors: how far from libm's next wider type, in
// units of the last place (of the smallest subnormal below the normal numbers); infinities and NaN are in place.
//
// Of f32 every 997th number is tried; with CHAAC_TEST_EXHAUSTIVE set, each of the 2^32 (half an hour). Of f64 random
// ones of all sizes against long double, where that is wider.

#include "../precision.h"
#include "native_main.h"
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "rt/rt.h"

static double sigmoid(double x) { return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)); }
static long double sigmoid_wide(long double x) { return x >= 0 ? 1 / (1 + expl(-x)) : expl(x) / (1 + expl(x)); }

// How far they may be is a row of docs/precision.def each.
static const struct {
    const char *op;
    double (*exact)(double);
} promises[] = {{"exp", exp}, {"log", log}, {"tanh", tanh}, {"sigmoid", sigmoid},
                {"erf", erf}, {"sin", sin}, {"cos", cos}};
static const struct {
    const char *op;
    long double (*exact)(long double);
} wide_promises[] = {{"exp", expl}, {"log", logl}, {"tanh", tanhl}, {"sigmoid", sigmoid_wide}};

static double distance(float got, double want) {
    float nearest = (float)want;
    int e = 0;
    if (isnan(want)) return isnan(got) ? 0 : 1e9;
    if (isinf(nearest) || isinf(got)) return nearest == got || (isinf(nearest) && fabsf(got) > 3.4028e38f) ? 0 : 1e9;
    if (want != 0) frexp(want, &e);
    return fabs((double)got - want) / ldexp(1, (want == 0 || e < -125 ? -125 : e) - 24);
}

enum { AT_ONCE = 1 << 16 };

static double worst_of(int k, uint64_t step, float *out_where) {
    static float x[AT_ONCE], y[AT_ONCE];
    char text[200];
    ch_func *f = NULL;
    ch_exec *e = NULL;
    snprintf(text, sizeof text,
             "chaac-ir 1\nfunc @f(%%x: f32[n]) -> f32[n] {\n  %%y = %s %%x : f32[n]\n  return %%y\n}\n",
             promises[k].op);
    assert_int_equal(ch_func_parse(text, "t.ir", &f), CH_OK);
    if (ch__compile(f, "native", &e) != CH_OK) fail_msg("%s", ch_error_message());
    double worst = 0;
    for (uint64_t i = 0; i <= UINT32_MAX;) {
        int n = 0;
        for (; n < AT_ONCE && i <= UINT32_MAX; n++, i += step) {
            uint32_t bits = (uint32_t)i;
            memcpy(&x[n], &bits, sizeof bits);
        }
        ch__slot in = {.dtype = CH_F32, .rank = 1, .dims = {n}, .data = x};
        ch__slot out = {.dtype = CH_F32, .rank = 1, .dims = {n}, .data = y};
        assert_int_equal(ch__exec_run(e, NULL, 1, &in, 1, &out), CH_OK);
        for (int j = 0; j < n; j++) {
            double d = distance(y[j], promises[k].exact((double)x[j]));
            if (d > worst) worst = d, *out_where = x[j];
        }
    }
    ch__exec_release(e);
    ch_func_destroy(f);
    return worst;
}

static void as_promised(void **state) {
    (void)state;
    uint64_t step = getenv("CHAAC_TEST_EXHAUSTIVE") != NULL ? 1 : 997;
    for (int k = 0; k < (int)(sizeof promises / sizeof promises[0]); k++) {
        float where = 0;
        double worst = worst_of(k, step, &where);
        print_message("# %s: at most %.2f ulp, at %.9g\n", promises[k].op, worst, (double)where);
        assert_true(worst <= ch_test_limit("native", promises[k].op, "f32", "ulp"));
    }
}

// ---------------------------------------------------------------- f64
static double wide_distance(double got, long double want) {
    int e = 0;
    if (isnan(want)) return isnan(got) ? 0 : 1e9;
    if (isinf((double)want) || isinf(got)) return (double)want == got ? 0 : 1e9;
    if (want != 0) frexpl(want, &e);
    return (double)(fabsl((long double)got - want) / ldexpl(1, (want == 0 || e < -1021 ? -1021 : e) - 53));
}

// A quarter of any bits, a quarter of each size down to 2^-31, and half of where the functions change.
static double any_double(uint64_t i) {
    uint64_t h = ch__hash_u64(i), bits = ch__hash_u64(h);
    double unit = (double)(bits >> 11) * 0x1p-53, v;
    memcpy(&v, &bits, sizeof v);
    switch (h & 3) {
    case 0: return v;
    case 1: return ldexp(2 * unit - 1, -(int)(h >> 8 & 31));
    case 2: return 1500 * unit - 750;
    default: return 40 * unit - 20;
    }
}

static void as_promised_wide(void **state) {
    (void)state;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG) {
        print_message("# SKIP long double is no wider than double here\n");
        skip();
    }
    enum { ROUNDS = 16 };
    static double x[AT_ONCE], y[AT_ONCE];
    for (int k = 0; k < (int)(sizeof wide_promises / sizeof wide_promises[0]); k++) {
        ch_func *f = NULL;
        ch_exec *e = NULL;
        char text[200];
        double worst = 0, where = 0;
        snprintf(text, sizeof text,
                 "chaac-ir 1\nfunc @f(%%x: f64[n]) -> f64[n] {\n  %%y = %s %%x : f64[n]\n  return %%y\n}\n",
                 wide_promises[k].op);
        assert_int_equal(ch_func_parse(text, "t.ir", &f), CH_OK);
        if (ch__compile(f, "native", &e) != CH_OK) fail_msg("%s", ch_error_message());
        for (uint64_t round = 0; round < ROUNDS; round++) {
            for (uint64_t i = 0; i < AT_ONCE; i++) x[i] = any_double(round * AT_ONCE + i + 1);
            ch__slot in = {.dtype = CH_F64, .rank = 1, .dims = {AT_ONCE}, .data = x};
            ch__slot out = {.dtype = CH_F64, .rank = 1, .dims = {AT_ONCE}, .data = y};
            assert_int_equal(ch__exec_run(e, NULL, 1, &in, 1, &out), CH_OK);
            for (int i = 0; i < AT_ONCE; i++) {
                double d = wide_distance(y[i], wide_promises[k].exact((long double)x[i]));
                if (d > worst) worst = d, where = x[i];
            }
        }
        print_message("# %s of f64: at most %.2f ulp, at %.17g\n", wide_promises[k].op, worst, where);
        assert_true(worst <= ch_test_limit("native", wide_promises[k].op, "f64", "ulp"));
        ch__exec_release(e);
        ch_func_destroy(f);
    }
}

static void edges(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    assert_int_equal(
        ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[n]) -> (f32[n], f32[n], f32[n], f32[n], f32[n], f32[n]) {\n"
                      "  %a = exp %x : f32[n]\n  %b = log %x : f32[n]\n  %c = tanh %x : f32[n]\n"
                      "  %d = erf %x : f32[n]\n  %e = sin %x : f32[n]\n  %g = cos %x : f32[n]\n"
                      "  return %a, %b, %c, %d, %e, %g\n}\n",
                      "t.ir", &f),
        CH_OK);
    assert_int_equal(ch__compile(f, "native", &e), CH_OK);
    float x[6] = {0, -0.0f, INFINITY, -INFINITY, NAN, -1}, y[6][6];
    ch__slot in = {.dtype = CH_F32, .rank = 1, .dims = {6}, .data = x}, out[6];
    for (int i = 0; i < 6; i++) out[i] = (ch__slot){.dtype = CH_F32, .rank = 1, .dims = {6}, .data = y[i]};
    assert_int_equal(ch__exec_run(e, NULL, 1, &in, 6, out), CH_OK);
    assert_true(y[0][0] == 1 && y[0][1] == 1 && isinf(y[0][2]) && y[0][3] == 0 && isnan(y[0][4]));
    assert_true(y[1][0] == -INFINITY && y[1][1] == -INFINITY && y[1][2] == INFINITY && isnan(y[1][3]));
    assert_true(isnan(y[1][4]) && isnan(y[1][5]));
    assert_true(!signbit(y[2][0]) && signbit(y[2][1]) && y[2][2] == 1 && y[2][3] == -1 && isnan(y[2][4]));
    assert_true(!signbit(y[3][0]) && signbit(y[3][1]) && y[3][2] == 1 && y[3][3] == -1 && isnan(y[3][4]));
    assert_true(!signbit(y[4][0]) && signbit(y[4][1]) && isnan(y[4][2]) && isnan(y[4][3]) && isnan(y[4][4]));
    assert_true(y[5][0] == 1 && y[5][1] == 1 && isnan(y[5][2]) && isnan(y[5][3]) && isnan(y[5][4]));
    ch__exec_release(e);
    ch_func_destroy(f);
}

// e^(x - m) with m the largest of the row has a function of its own, without a limit above: rows of 0 and x, for every
// 997th x below 0 and with all that is not finite; of rows that are infinite or NaN the interpreter's results.
static void below_the_largest(void **state) {
    (void)state;
    static float x[2 * AT_ONCE], y[2][2 * AT_ONCE];
    const uint64_t step = getenv("CHAAC_TEST_EXHAUSTIVE") != NULL ? 1 : 997;
    ch_func *f = NULL;
    ch_exec *e[2] = {NULL};
    double worst = 0;
    float where = 0;
    if (ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[n,2]) -> f32[n,2] {\n"
                      "  %m = reduce %x {kind = max, dims = [1]} : f32[n]\n"
                      "  %b = broadcast %m {dims = [0]} : f32[n,2]\n  %d = sub %x, %b : f32[n,2]\n"
                      "  %y = exp %d : f32[n,2]\n  return %y\n}\n",
                      "t.ir", &f) != CH_OK)
        fail_msg("%s", ch_error_message());
    for (int i = 0; i < 2; i++)
        if (ch__compile(f, i == 0 ? "interp" : "native", &e[i]) != CH_OK) fail_msg("%s", ch_error_message());
    for (uint64_t i = 0x80000000; i <= UINT32_MAX;) {
        int n = 0;
        for (; n < AT_ONCE && i <= UINT32_MAX; n++, i += step) {
            uint32_t bits = (uint32_t)i;
            memcpy(&x[2 * n + 1], &bits, sizeof bits);
            x[2 * n] = 0;
        }
        ch__slot in = {.dtype = CH_F32, .rank = 2, .dims = {n, 2}, .data = x};
        ch__slot out = {.dtype = CH_F32, .rank = 2, .dims = {n, 2}, .data = y[1]};
        assert_int_equal(ch__exec_run(e[1], NULL, 1, &in, 1, &out), CH_OK);
        for (int j = 0; j < n; j++) {
            double d = distance(y[1][2 * j + 1], exp((double)x[2 * j + 1]));
            if (d > worst) worst = d, where = x[2 * j + 1];
        }
    }
    print_message("# exp below the largest: at most %.2f ulp, at %.9g\n", worst, (double)where);
    assert_true(worst <= ch_test_limit("native", "exp", "f32", "ulp"));
    static const float odd[][2] = {{INFINITY, 1}, {-INFINITY, -INFINITY}, {-INFINITY, 3}, {NAN, 0},
                                   {2, NAN},      {3.4e38f, -3.4e38f},    {-0.0f, 0},     {INFINITY, INFINITY}};
    enum { ODD = sizeof odd / sizeof odd[0] };
    memcpy(x, odd, sizeof odd);
    for (int i = 0; i < 2; i++) {
        ch__slot in = {.dtype = CH_F32, .rank = 2, .dims = {ODD, 2}, .data = x};
        ch__slot out = {.dtype = CH_F32, .rank = 2, .dims = {ODD, 2}, .data = y[i]};
        assert_int_equal(ch__exec_run(e[i], NULL, 1, &in, 1, &out), CH_OK);
        ch__exec_release(e[i]);
    }
    ch_func_destroy(f);
    for (int j = 0; j < 2 * ODD; j++) {
        float a = y[0][j], b = y[1][j];
        if (isnan(a) ? !isnan(b) : fabsf(a - b) > 1e-6f * a)
            fail_msg("element %d: %g, the interpreter %g", j, (double)b, (double)a);
    }
}

// e^x of what is known to lie from -1 to 1 has a function of its own (src/cgen/bounds.c): every 997th number there, and
// what is limited to it.
static void known_to_be_small(void **state) {
    (void)state;
    static float x[AT_ONCE], y[AT_ONCE];
    const uint64_t step = getenv("CHAAC_TEST_EXHAUSTIVE") != NULL ? 1 : 997;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    double worst = 0;
    float where = 0;
    if (ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[n]) -> f32[n] {\n"
                      "  %a = const {value = -1} : f32[]\n  %b = const {value = 1} : f32[]\n"
                      "  %c = clamp %a, %x, %b : f32[n]\n  %y = exp %c : f32[n]\n  return %y\n}\n",
                      "t.ir", &f) != CH_OK)
        fail_msg("%s", ch_error_message());
    if (ch__compile(f, "native", &e) != CH_OK) fail_msg("%s", ch_error_message());
    for (uint64_t i = 0; i <= UINT32_MAX;) {
        int n = 0;
        for (; n < AT_ONCE && i <= UINT32_MAX; n++, i += step) {
            uint32_t bits = (uint32_t)i;
            memcpy(&x[n], &bits, sizeof bits);
        }
        ch__slot in = {.dtype = CH_F32, .rank = 1, .dims = {n}, .data = x};
        ch__slot out = {.dtype = CH_F32, .rank = 1, .dims = {n}, .data = y};
        assert_int_equal(ch__exec_run(e, NULL, 1, &in, 1, &out), CH_OK);
        for (int j = 0; j < n; j++) {
            double d = distance(y[j], exp(x[j] < -1 ? -1 : x[j] > 1 ? 1 : (double)x[j]));
            if (d > worst) worst = d, where = x[j];
        }
    }
    print_message("# exp from -1 to 1: at most %.2f ulp, at %.9g\n", worst, (double)where);
    assert_true(worst <= ch_test_limit("native", "exp", "f32", "ulp"));
    ch__exec_release(e);
    ch_func_destroy(f);
}

// What operations say about sizes is no more than they promise: e^x as the interpreter has it, of sums, products and
// choices of bounded numbers that leave -1 to 1, and of numbers of which nothing is known.
static void bounds_hold(void **state) {
    (void)state;
    enum { N = 64 };
    static const char *const larger[] = {
        "%v = mul %t, %k : f32[64]",                                // 3 tanh x
        "%v = add %t, %t : f32[64]",                                //
        "%u = sub %t, %k : f32[64]\n  %v = neg %u : f32[64]",       //
        "%v = select %p, %t, %k : f32[64]",                         //
        "%v = select %p, %x, %t : f32[64]",                         // x has no bound
        "%u = clamp %k, %x, %t : f32[64]\n  %v = abs %u : f32[64]", // lo above hi
        "%u = mul %x, %z : f32[64]\n  %v = add %u, %k : f32[64]",   // 0 x, NaN where x is infinite
        "%u = mul %t, %h : f32[64]\n  %v = mul %u, %h : f32[64]",   // small
        "%v = max %t, %x : f32[64]",                                //
    };
    float x[N], y[2][N];
    for (int i = 0; i < N; i++) x[i] = (float)(i - 32) * 1.5f;
    x[0] = -INFINITY, x[63] = INFINITY, x[62] = NAN;
    for (size_t k = 0; k < sizeof larger / sizeof larger[0]; k++) {
        ch_func *f = NULL;
        char text[1024];
        snprintf(text, sizeof text,
                 "chaac-ir 1\nfunc @f(%%x: f32[64]) -> f32[64] {\n"
                 "  %%k0 = const {value = 3} : f32[]\n  %%k = broadcast %%k0 {dims = []} : f32[64]\n"
                 "  %%z0 = const {value = 0} : f32[]\n  %%z = broadcast %%z0 {dims = []} : f32[64]\n"
                 "  %%h0 = const {value = -0.5} : f32[]\n  %%h = broadcast %%h0 {dims = []} : f32[64]\n"
                 "  %%t = tanh %%x : f32[64]\n  %%p = compare %%x, %%z {dir = lt} : bool[64]\n"
                 "  %s\n  %%y = exp %%v : f32[64]\n  return %%y\n}\n",
                 larger[k]);
        if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
        for (int i = 0; i < 2; i++) {
            ch_exec *e = NULL;
            ch__slot in = {.dtype = CH_F32, .rank = 1, .dims = {N}, .data = x};
            ch__slot out = {.dtype = CH_F32, .rank = 1, .dims = {N}, .data = y[i]};
            if (ch__compile(f, i == 0 ? "interp" : "native", &e) != CH_OK) fail_msg("%s", ch_error_message());
            assert_int_equal(ch__exec_run(e, NULL, 1, &in, 1, &out), CH_OK);
            ch__exec_release(e);
        }
        for (int i = 0; i < N; i++) {
            float a = y[0][i], b = y[1][i];
            if (isnan(a) ? !isnan(b) : !(a == b || fabsf(a - b) <= 4e-6f * a))
                fail_msg("%s, of %g: %g, the interpreter %g", larger[k], (double)x[i], (double)b, (double)a);
        }
        ch_func_destroy(f);
    }
}

// A minimum or maximum with a number that is known gives the interpreter's bits: zeros of either sign, NaN, equals.
static void extremes(void **state) {
    (void)state;
    static const char *const numbers[] = {"0", "-0.0", "1.5", "-2"};
    float x[8] = {0, -0.0f, 1.5f, -2, NAN, INFINITY, -INFINITY, 1}, y[2][3][8];
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        ch_func *f = NULL;
        char text[512];
        snprintf(text, sizeof text,
                 "chaac-ir 1\nfunc @f(%%x: f32[8]) -> (f32[8], f32[8], f32[8]) {\n"
                 "  %%k = const {value = %s} : f32[]\n  %%c = broadcast %%k {dims = []} : f32[8]\n"
                 "  %%a = max %%x, %%c : f32[8]\n  %%b = min %%c, %%x : f32[8]\n"
                 "  %%d = clamp %%c, %%x, %%c : f32[8]\n  return %%a, %%b, %%d\n}\n",
                 numbers[k]);
        if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
        for (int i = 0; i < 2; i++) {
            ch_exec *e = NULL;
            ch__slot in = {.dtype = CH_F32, .rank = 1, .dims = {8}, .data = x}, out[3];
            for (int j = 0; j < 3; j++) out[j] = (ch__slot){.dtype = CH_F32, .rank = 1, .dims = {8}, .data = y[i][j]};
            if (ch__compile(f, i == 0 ? "interp" : "native", &e) != CH_OK) fail_msg("%s", ch_error_message());
            assert_int_equal(ch__exec_run(e, NULL, 1, &in, 3, out), CH_OK);
            ch__exec_release(e);
        }
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 8; i++) {
                float a = y[0][j][i], b = y[1][j][i];
                if (isnan(a) ? !isnan(b) : a != b || signbit(a) != signbit(b))
                    fail_msg("with %s, result %d of %g: %g, the interpreter %g", numbers[k], j, (double)x[i], (double)b,
                             (double)a);
            }
        ch_func_destroy(f);
    }
}

// A row that divides by a number of its own: as near the interpreter as the table says, and the same where 1 / y is no
// number to multiply by: rows whose divisor is 0, infinite, NaN, a subnormal number, or very large.
static void quotients(void **state) {
    (void)state;
    enum { ROWS = 9, N = 67 };
    static const float scales[ROWS] = {1, 3e-3f, 0, INFINITY, NAN, 1e-42f, 1e37f, -7, 2e-38f};
    static float x[ROWS][N], y[2][2][ROWS][N];
    const double most = ch_test_limit("native", "div by a number of the row", "f32", "ulp");
    ch_func *f = NULL;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < N; i++) x[r][i] = i == 3 ? scales[r] : scales[r] * (float)i / 131;
    x[0][5] = INFINITY, x[7][6] = NAN, x[7][8] = 0;
    if (ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[n,67]) -> (f32[n,67], f32[n,67]) {\n"
                      "  %s = reduce %x {kind = max, dims = [1]} : f32[n]\n"
                      "  %b = broadcast %s {dims = [0]} : f32[n,67]\n  %y = div %x, %b : f32[n,67]\n"
                      "  %t = reduce %x {kind = min, dims = [1]} : f32[n]\n"
                      "  %c = broadcast %t {dims = [0]} : f32[n,67]\n  %z = div %y, %c : f32[n,67]\n"
                      "  return %y, %z\n}\n",
                      "t.ir", &f) != CH_OK)
        fail_msg("%s", ch_error_message());
    for (int i = 0; i < 2; i++) {
        ch_exec *e = NULL;
        ch__slot in = {.dtype = CH_F32, .rank = 2, .dims = {ROWS, N}, .data = x}, out[2];
        for (int j = 0; j < 2; j++) out[j] = (ch__slot){.dtype = CH_F32, .rank = 2, .dims = {ROWS, N}, .data = y[i][j]};
        if (ch__compile(f, i == 0 ? "interp" : "native", &e) != CH_OK) fail_msg("%s", ch_error_message());
        assert_int_equal(ch__exec_run(e, NULL, 1, &in, 2, out), CH_OK);
        ch__exec_release(e);
    }
    for (int j = 0; j < 2; j++)
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < N; i++) {
                float a = y[0][j][r][i], b = y[1][j][r][i];
                if (isnan(a) || isinf(a) ? !(isnan(a) ? isnan(b) : a == b) : distance(b, (double)a) > most * (j + 1))
                    fail_msg("quotient %d of row %d, %g: %.9g, the interpreter %.9g", j, r, (double)x[r][i], (double)b,
                             (double)a);
            }
    ch_func_destroy(f);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_promised),       cmocka_unit_test(as_promised_wide),  cmocka_unit_test(edges),
        cmocka_unit_test(below_the_largest), cmocka_unit_test(known_to_be_small), cmocka_unit_test(bounds_hold),
        cmocka_unit_test(extremes),          cmocka_unit_test(quotients)};
    return cmocka_run_group_tests_name("native_math", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
