// SPDX-License-Identifier: Apache-2.0
// test_native_math.c - exp, log, tanh and sigmoid of f32 in native code: how far from libm's f64, in units of the last
// place of f32 (of the smallest subnormal below the normal numbers); infinities and NaN are where they belong.
//
// Every 997th float is tried; with CHAAC_TEST_EXHAUSTIVE set, each of them (ten minutes).
#include "native/native.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "chaac/chaac.h"
#include "rt/rt.h"

static double sigmoid(double x) { return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)); }

// What is promised: the one table of tolerances of these.
static const struct {
    const char *op;
    double (*exact)(double);
    double ulps;
} promises[] = {{"exp", exp, 4}, {"log", log, 4}, {"tanh", tanh, 4}, {"sigmoid", sigmoid, 4}};

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
        assert_true(worst <= promises[k].ulps);
    }
}

static void edges(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    assert_int_equal(ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[n]) -> (f32[n], f32[n], f32[n]) {\n"
                                   "  %a = exp %x : f32[n]\n  %b = log %x : f32[n]\n  %c = tanh %x : f32[n]\n"
                                   "  return %a, %b, %c\n}\n",
                                   "t.ir", &f),
                     CH_OK);
    assert_int_equal(ch__compile(f, "native", &e), CH_OK);
    float x[6] = {0, -0.0f, INFINITY, -INFINITY, NAN, -1}, y[3][6];
    ch__slot in = {.dtype = CH_F32, .rank = 1, .dims = {6}, .data = x}, out[3];
    for (int i = 0; i < 3; i++) out[i] = (ch__slot){.dtype = CH_F32, .rank = 1, .dims = {6}, .data = y[i]};
    assert_int_equal(ch__exec_run(e, NULL, 1, &in, 3, out), CH_OK);
    assert_true(y[0][0] == 1 && y[0][1] == 1 && isinf(y[0][2]) && y[0][3] == 0 && isnan(y[0][4]));
    assert_true(y[1][0] == -INFINITY && y[1][1] == -INFINITY && y[1][2] == INFINITY && isnan(y[1][3]));
    assert_true(isnan(y[1][4]) && isnan(y[1][5]));
    assert_true(!signbit(y[2][0]) && signbit(y[2][1]) && y[2][2] == 1 && y[2][3] == -1 && isnan(y[2][4]));
    ch__exec_release(e);
    ch_func_destroy(f);
}

int main(void) {
    static char folder[] = "/tmp/chaac-native-XXXXXX";
    if (mkdtemp(folder) == NULL) return 1;
    setenv("CHAAC_CACHE_DIR", folder, 1);
    if (ch__native_compiler() == NULL) {
        printf("1..0 # SKIP no C compiler is found: gcc or clang has to be installed\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_promised), cmocka_unit_test(edges)};
    int failed = cmocka_run_group_tests_name("native_math", tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0 || failed;
}
