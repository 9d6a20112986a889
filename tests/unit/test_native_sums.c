// SPDX-License-Identifier: Apache-2.0
// test_native_sums.c - sums of f32 and 16-bit floats on the native engine, which gathers them in f32 a little at a time
// and in f64 behind that (src/cgen/sums.c): how far they are from sums in long double, in units of 2^-24 of the sum of
// the sizes, for each form of loop; and where partial sums would leave f32, or there are infinities, NaN, subnormal
// numbers, zeros and nothing at all, the interpreter's results.

#include "native_main.h"
#include "unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "rt/rt.h"

typedef struct {
    const char *what, *text;
    double most; // units of 2^-24 of the sum of the sizes, the result's own rounding among them
} form;

#define HEAD "chaac-ir 1\nfunc @f(%x: f32[m,n]) -> "
static const form forms[] = {
    {"runs", HEAD "f32[m] {\n  %y = reduce %x {kind = sum, dims = [1], acc = f64} : f32[m]\n  return %y\n}\n", 4},
    {"all", HEAD "f32[] {\n  %y = reduce %x {kind = sum, dims = [0, 1], acc = f64} : f32[]\n  return %y\n}\n", 4},
    {"rows", HEAD "f32[n] {\n  %y = reduce %x {kind = sum, dims = [0], acc = f64} : f32[n]\n  return %y\n}\n", 4},
    {"blocks",
     HEAD "(f32[m], f32[m,n]) {\n  %h = abs %x : f32[m,n]\n  %g = neg %h : f32[m,n]\n"
          "  %z = max %x, %g : f32[m,n]\n"
          "  %y = reduce %z {kind = sum, dims = [1], acc = f64} : f32[m]\n  return %y, %z\n}\n",
     68},
};
enum { N_FORMS = sizeof forms / sizeof forms[0], MOST = 1 << 18 };

static float x[MOST], y[2][MOST], z[MOST];
static uint64_t seed = 5;

static float any(void) { // from -1 to 1
    seed = ch__hash_u64(seed);
    return (float)((double)(int64_t)(seed >> 11) * 0x1p-52 - 1);
}

static void run_on(const char *engine, const form *f, int64_t m, int64_t n, float *out) {
    ch_func *func = NULL;
    ch_exec *e = NULL;
    bool all = strcmp(f->what, "all") == 0, rows = strcmp(f->what, "rows") == 0, two = strcmp(f->what, "blocks") == 0;
    if (ch_func_parse(f->text, "t.ir", &func) != CH_OK) fail_msg("%s", ch_error_message());
    if (ch__compile(func, engine, &e) != CH_OK) fail_msg("%s", ch_error_message());
    ch__slot in = {.dtype = CH_F32, .rank = 2, .dims = {m, n}, .data = x}, to[2];
    to[0] = (ch__slot){.dtype = CH_F32, .rank = !all, .dims = {rows ? n : m}, .data = out};
    to[1] = (ch__slot){.dtype = CH_F32, .rank = 2, .dims = {m, n}, .data = z};
    if (ch__exec_run(e, NULL, 1, &in, two ? 2 : 1, to) != CH_OK) fail_msg("%s", ch_error_message());
    ch__exec_release(e);
    ch_func_destroy(func);
}

// The exact sum i of a form, and of the sizes.
static long double exact(const form *f, int64_t m, int64_t n, int64_t i, long double *sizes) {
    bool all = strcmp(f->what, "all") == 0, rows = strcmp(f->what, "rows") == 0;
    int64_t from = all || rows ? 0 : i * n, terms = all ? m * n : rows ? m : n;
    long double sum = 0;
    *sizes = 0;
    for (int64_t k = 0; k < terms; k++) {
        float v = x[rows ? k * n + i : from + k];
        sum += (long double)v;
        *sizes += fabsl((long double)v);
    }
    return sum;
}

static int64_t results(const form *f, int64_t m, int64_t n) {
    return strcmp(f->what, "all") == 0 ? 1 : strcmp(f->what, "rows") == 0 ? n : m;
}

static void check_near(const char *how, int64_t m, int64_t n) {
    for (int k = 0; k < N_FORMS; k++) {
        const form *f = &forms[k];
        double worst = 0;
        run_on("native", f, m, n, y[0]);
        for (int64_t i = 0; i < results(f, m, n); i++) {
            long double sizes, want = exact(f, m, n, i, &sizes);
            double off = (double)(fabsl((long double)y[0][i] - want) / (sizes > 0 ? sizes : 1)) * 0x1p24;
            if (off > worst) worst = off;
        }
        if (!(worst <= f->most))
            fail_msg("%s of %s, [%d,%d]: %.2f of %.0f units", f->what, how, (int)m, (int)n, worst, f->most);
        print_message("# %s of %s, [%d,%d]: %.2f units\n", f->what, how, (int)m, (int)n, worst);
    }
}

static void near_the_exact(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{3, 5},    {1, 1},      {7, 64},   {9, 257},  {16, 1024}, {17, 1021},
                                       {5, 4099}, {11, 20011}, {1, MOST}, {MOST, 1}, {513, 511}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        int64_t m = sizes[s][0], n = sizes[s][1];
        for (int64_t i = 0; i < m * n; i++) x[i] = any();
        check_near("both signs", m, n);
        for (int64_t i = 0; i < m * n; i++) x[i] = fabsf(x[i]);
        check_near("one sign", m, n);
        for (int64_t i = 0; i < m * n; i++)
            x[i] = i % 2 ? -x[i - 1] * (1 + 0x1p-20f) : ldexpf(x[i], (int)(i % 37) - 18);
        check_near("what cancels", m, n);
    }
}

// ---------------------------------------------------------------- where f32 would lose it
static bool like(float a, float b) {
    return isnan(b) ? isnan(a) : isinf(b) ? a == b : fabsf(a - b) <= 1e-6f * fabsf(b);
}

static void check_like(const char *how, int64_t m, int64_t n) {
    for (int k = 0; k < N_FORMS; k++) {
        const form *f = &forms[k];
        run_on("native", f, m, n, y[0]);
        run_on("interp", f, m, n, y[1]);
        for (int64_t i = 0; i < results(f, m, n); i++)
            if (!like(y[0][i], y[1][i]))
                fail_msg("%s of %s, [%d,%d], %d: %.9g instead of %.9g", f->what, how, (int)m, (int)n, (int)i,
                         (double)y[0][i], (double)y[1][i]);
    }
}

static void as_the_interpreter(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {40, 3}, {64, 64}, {33, 300}, {96, 1024}, {3, 4160}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        int64_t m = sizes[s][0], n = sizes[s][1], count = m * n;
        for (int64_t i = 0; i < count; i++) x[i] = i / n % 8 < 4 ? 3e38f : -3e38f; // rows that cancel, sums beyond f32
        check_like("partial sums beyond f32", m, n);
        for (int64_t i = 0; i < count; i++) x[i] = i % n % 8 < 4 ? 3e38f : -3e38f;
        check_like("partial sums beyond f32, in a row", m, n);
        for (int64_t i = 0; i < count; i++) x[i] = (float)(i % 7) * 1e-45f;
        check_like("subnormal numbers", m, n);
        for (int64_t i = 0; i < count; i++) x[i] = i == count / 2 ? INFINITY : 1;
        check_like("an infinity", m, n);
        x[0] = -INFINITY;
        check_like("two infinities", m, n);
        for (int64_t i = 0; i < count; i++) x[i] = i == count - 1 ? NAN : 2;
        check_like("a NaN", m, n);
    }
    run_on("native", &forms[0], 3, 0, y[0]);
    run_on("native", &forms[1], 0, 5, y[0] + 3);
    run_on("native", &forms[2], 0, 2, y[0] + 4);
    for (int i = 0; i < 6; i++) assert_true(y[0][i] == 0 && !signbit(y[0][i]));
}

// What is added is overwritten in the same turn, or is of 16 bits, or an integer: the interpreter's results.
static void other_elements(void **state) {
    (void)state;
    static const char *const texts[] = {
        "chaac-ir 1\nfunc @f(%x: f32[9,300]) -> (f32[9,300], f32[9]) {\n  %a = exp %x : f32[9,300]\n"
        "  %s = reduce %a {kind = sum, dims = [1], acc = f64} : f32[9]\n  %b = broadcast %s {dims = [0]} : f32[9,300]\n"
        "  %y = div %a, %b : f32[9,300]\n  return %y, %s\n}\n",
        "chaac-ir 1\nfunc @f(%x: f32[9,300]) -> (f32[9,300], f32[9]) {\n  %h = convert %x : bf16[9,300]\n"
        "  %s = reduce %h {kind = sum, dims = [1], acc = f64} : bf16[9]\n  %t = convert %s : f32[9]\n"
        "  %y = convert %h : f32[9,300]\n  return %y, %t\n}\n",
        "chaac-ir 1\nfunc @f(%x: f32[9,300]) -> (f32[9,300], f32[9]) {\n  %h = convert %x : i32[9,300]\n"
        "  %s = reduce %h {kind = sum, dims = [1], acc = i64} : i32[9]\n  %t = convert %s : f32[9]\n"
        "  %y = convert %h : f32[9,300]\n  return %y, %t\n}\n"};
    enum { M = 9, N = 300 };
    for (int i = 0; i < M * N; i++) x[i] = 4 * any();
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        ch_func *func = NULL;
        if (ch_func_parse(texts[k], "t.ir", &func) != CH_OK) fail_msg("%s", ch_error_message());
        for (int i = 0; i < 2; i++) {
            ch_exec *e = NULL;
            ch__slot in = {.dtype = CH_F32, .rank = 2, .dims = {M, N}, .data = x}, to[2];
            to[0] = (ch__slot){.dtype = CH_F32, .rank = 2, .dims = {M, N}, .data = y[i]};
            to[1] = (ch__slot){.dtype = CH_F32, .rank = 1, .dims = {M}, .data = y[i] + M * N};
            if (ch__compile(func, i == 0 ? "native" : "interp", &e) != CH_OK) fail_msg("%s", ch_error_message());
            if (ch__exec_run(e, NULL, 1, &in, 2, to) != CH_OK) fail_msg("%s", ch_error_message());
            ch__exec_release(e);
        }
        ch_func_destroy(func);
        for (int i = 0; i < M * N + M; i++)
            if (!like(y[0][i], y[1][i])) fail_msg("%d, %d: %.9g, %.9g", (int)k, i, (double)y[0][i], (double)y[1][i]);
    }
}

// Sums of e^x are taken by loops of their own, from memory or from what was kept for them: near the exact sum of the
// numbers that were added, for lengths about those of parts, the same bits whether the numbers are a result or not,
// and infinities and NaN in their places. What is added may be overwritten in the same turn.
static void of_slow_functions(void **state) {
    (void)state;
    static const char *const texts[] = {
        "chaac-ir 1\nfunc @f(%x: f32[m,n]) -> (f32[m], f32[m,n]) {\n  %e = exp %x : f32[m,n]\n"
        "  %y = reduce %e {kind = sum, dims = [1], acc = f64} : f32[m]\n  return %y, %e\n}\n",
        "chaac-ir 1\nfunc @f(%x: f32[m,n]) -> f32[m] {\n  %e = exp %x : f32[m,n]\n"
        "  %y = reduce %e {kind = sum, dims = [1], acc = f64} : f32[m]\n  return %y\n}\n",
        "chaac-ir 1\nfunc @f(%x: f32[m,n]) -> (f32[m], f32[m,n], f32[m]) {\n  %e = exp %x : f32[m,n]\n"
        "  %y = reduce %e {kind = sum, dims = [1], acc = f64} : f32[m]\n  %t = tanh %e : f32[m,n]\n"
        "  %u = reduce %t {kind = sum, dims = [1], acc = f64} : f32[m]\n  return %y, %t, %u\n}\n"};
    enum { N_TEXTS = sizeof texts / sizeof texts[0], ROWS = 4 };
    static const int64_t lengths[] = {1, 17, 256, 1023, 1024, 1025, 2050, 5000};
    static float sums[N_TEXTS][ROWS], more[ROWS];
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        int64_t n = lengths[k];
        for (int64_t i = 0; i < ROWS * n; i++) x[i] = 4 * any();
        x[n] = INFINITY, x[3 * n] = NAN;
        for (int i = 0; i < N_TEXTS; i++) {
            ch_func *func = NULL;
            ch_exec *e = NULL;
            ch__slot in = {.dtype = CH_F32, .rank = 2, .dims = {ROWS, n}, .data = x}, to[3];
            to[0] = (ch__slot){.dtype = CH_F32, .rank = 1, .dims = {ROWS}, .data = sums[i]};
            to[1] = (ch__slot){.dtype = CH_F32, .rank = 2, .dims = {ROWS, n}, .data = i == 0 ? y[0] : z};
            to[2] = (ch__slot){.dtype = CH_F32, .rank = 1, .dims = {ROWS}, .data = more};
            if (ch_func_parse(texts[i], "t.ir", &func) != CH_OK) fail_msg("%s", ch_error_message());
            if (ch__compile(func, "native", &e) != CH_OK) fail_msg("%s", ch_error_message());
            if (ch__exec_run(e, NULL, 1, &in, i == 0 ? 2 : i == 1 ? 1 : 3, to) != CH_OK)
                fail_msg("%s", ch_error_message());
            ch__exec_release(e);
            ch_func_destroy(func);
            assert_memory_equal(sums[i], sums[0], 3 * sizeof(float));
            assert_true(isinf(sums[i][1]) && isnan(sums[i][3]));
        }
        for (int r = 0; r < ROWS; r += 2) {
            long double want = 0, tanhs = 0;
            for (int64_t i = 0; i < n; i++) want += (long double)y[0][r * n + i], tanhs += (long double)z[r * n + i];
            assert_true(fabsl((long double)sums[0][r] - want) <= 4 * 0x1p-24L * want);
            assert_true(fabsl((long double)more[r] - tanhs) <= 4 * 0x1p-24L * tanhs);
        }
        assert_true(isnan(more[3]) && more[1] <= (float)n);
    }
}

// Sums over rows, of a group that goes over each row anyway, wait in f32 for sixteen rows: within 17 units of the exact
// sum, partial sums beyond f32 that cancel too; infinities and NaN are the interpreter's. Counts of rows about sixteen.
static void over_rows(void **state) {
    (void)state;
    enum { N = 40, MOST_ROWS = 100 };
    static const char text[] = "chaac-ir 1\nfunc @f(%x: f32[m,40]) -> (f32[m,40], f32[40], f32[m]) {\n"
                               "  %s = reduce %x {kind = max, dims = [1]} : f32[m]\n"
                               "  %b = broadcast %s {dims = [0]} : f32[m,40]\n  %d = min %x, %b : f32[m,40]\n"
                               "  %y = reduce %d {kind = sum, dims = [0], acc = f64} : f32[40]\n"
                               "  return %d, %y, %s\n}\n";
    static const int64_t counts[] = {0, 1, 15, 16, 17, 33, MOST_ROWS};
    static float sums[2][N], largest[MOST_ROWS];
    ch_func *func = NULL;
    ch_exec *e[2] = {NULL};
    if (ch_func_parse(text, "t.ir", &func) != CH_OK) fail_msg("%s", ch_error_message());
    for (int i = 0; i < 2; i++)
        if (ch__compile(func, i == 0 ? "native" : "interp", &e[i]) != CH_OK) fail_msg("%s", ch_error_message());
    for (int how = 0; how < 4; how++)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            int64_t m = counts[k];
            for (int64_t i = 0; i < m * N; i++)
                x[i] = how == 0 ? any() : how == 1 ? (i / N % 8 < 4 ? 3e38f : -3e38f) : how == 2 ? 1e-30f * any() : 1;
            if (how == 3 && m > 0) x[0] = INFINITY, x[m * N - 1] = NAN, x[m / 2 * N + 5] = -INFINITY;
            for (int i = 0; i < 2; i++) {
                ch__slot in = {.dtype = CH_F32, .rank = 2, .dims = {m, N}, .data = x}, to[3];
                to[0] = (ch__slot){.dtype = CH_F32, .rank = 2, .dims = {m, N}, .data = y[i]};
                to[1] = (ch__slot){.dtype = CH_F32, .rank = 1, .dims = {N}, .data = sums[i]};
                to[2] = (ch__slot){.dtype = CH_F32, .rank = 1, .dims = {m}, .data = largest};
                if (ch__exec_run(e[i], NULL, 1, &in, 3, to) != CH_OK) fail_msg("%s", ch_error_message());
            }
            for (int64_t j = 0; j < N; j++) {
                long double want = 0, sizes = 0;
                for (int64_t r = 0; r < m; r++) {
                    want += (long double)x[r * N + j];
                    sizes += fabsl((long double)x[r * N + j]);
                }
                if (how == 3 || fabsl(want) > FLT_MAX ? !like(sums[0][j], sums[1][j])
                                                      : fabsl((long double)sums[0][j] - want) > 17 * 0x1p-24L * sizes)
                    fail_msg("%d rows, %d, place %d: %.9g instead of %.9g", (int)m, how, (int)j, (double)sums[0][j],
                             (double)want);
            }
        }
    for (int i = 0; i < 2; i++) ch__exec_release(e[i]);
    ch_func_destroy(func);
}

// Reductions that keep the last axis go over it in blocks of 256 (src/cgen/middle.c): of every kind and dtype, of one
// axis and of several, with something computed of the result behind them, the interpreter's results.
static void of_middle_axes(void **state) {
    (void)state;
    static const struct {
        const char *in, *out, *body;
    } cases[] = {
        {"f32[a,b,c]", "f32[a,c]", "%y = reduce %x {kind = sum, dims = [1], acc = f64} : f32[a,c]"},
        {"f32[a,b,c]", "f32[a,c]", "%y = reduce %x {kind = sum, dims = [1], acc = f32, order = seq} : f32[a,c]"},
        {"f32[a,b,c]", "f32[a,c]", "%y = reduce %x {kind = max, dims = [1]} : f32[a,c]"},
        {"f32[a,b,c]", "f32[a,c]", "%y = reduce %x {kind = min, dims = [1]} : f32[a,c]"},
        {"f32[a,b,c]", "f32[a,c]",
         "%h = convert %x : f64[a,b,c]\n  %r = reduce %h {kind = prod, dims = [1]} : f64[a,c]\n"
         "  %y = convert %r : f32[a,c]"},
        {"f32[a,b,c]", "f32[a,c]",
         "%h = convert %x : i32[a,b,c]\n  %r = reduce %h {kind = sum, dims = [1]} : i32[a,c]\n"
         "  %y = convert %r : f32[a,c]"},
        {"f32[a,b,c]", "f32[a,c]",
         "%h = convert %x : bf16[a,b,c]\n"
         "  %r = reduce %h {kind = sum, dims = [1], acc = f64} : bf16[a,c]\n"
         "  %y = convert %r : f32[a,c]"},
        {"f32[a,b,c]", "f32[a,c]",
         "%e = exp %x : f32[a,b,c]\n"
         "  %r = reduce %e {kind = sum, dims = [1], acc = f64} : f32[a,c]\n"
         "  %t = tanh %r : f32[a,c]\n  %y = sub %t, %r : f32[a,c]"},
        {"f32[b,a,b,c]", "f32[a,c]", "%y = reduce %x {kind = sum, dims = [0, 2], acc = f64} : f32[a,c]"},
        {"f32[a,b,a,c]", "f32[a,a,c]", "%y = reduce %x {kind = sum, dims = [1], acc = f64} : f32[a,a,c]"},
    };
    static const int64_t sizes[][3] = {{3, 5, 7}, {2, 20, 300}, {4, 8, 256}, {1, 9, 513}, {3, 0, 4}, {2, 4, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ch_func *func = NULL;
        ch_exec *e[2] = {NULL};
        char text[1024];
        snprintf(text, sizeof text, "chaac-ir 1\nfunc @f(%%x: %s) -> %s {\n  %s\n  return %%y\n}\n", cases[k].in,
                 cases[k].out, cases[k].body);
        if (ch_func_parse(text, "t.ir", &func) != CH_OK) fail_msg("%s", ch_error_message());
        for (int i = 0; i < 2; i++)
            if (ch__compile(func, i == 0 ? "native" : "interp", &e[i]) != CH_OK) fail_msg("%s", ch_error_message());
        for (size_t s = 0; s < 2 * (sizeof sizes / sizeof sizes[0]); s++) {
            const int64_t *n = sizes[s / 2];
            int64_t of[2][4] = {{n[0], n[1], n[2]}, {n[0], n[2]}}, count = n[0] * n[1] * n[2], results = n[0] * n[2];
            int in_rank = 3, out_rank = 2;
            if (cases[k].in[4] == 'b') in_rank = 4;
            if (cases[k].in[8] == 'a') in_rank = 4, out_rank = 3;
            if (in_rank == 4 && out_rank == 2)
                of[0][0] = n[1], of[0][1] = n[0], of[0][2] = n[1], of[0][3] = n[2], count *= n[1];
            if (out_rank == 3)
                of[0][2] = n[0], of[0][3] = n[2], of[1][1] = n[0], of[1][2] = n[2], count *= n[0], results *= n[0];
            assert_true(count <= MOST);
            for (int64_t i = 0; i < count; i++) x[i] = 4 * any();
            if (s % 2 == 1 && count > 2) x[1] = NAN, x[count / 2] = INFINITY, x[count - 1] = 3e38f;
            if (s % 2 == 1 && k == 5) continue; // not a number as an integer
            for (int i = 0; i < 2; i++) {
                ch__slot in = {.dtype = CH_F32, .rank = in_rank, .data = x};
                ch__slot out = {.dtype = CH_F32, .rank = out_rank, .data = y[i]};
                memcpy(in.dims, of[0], (size_t)in_rank * sizeof(int64_t));
                memcpy(out.dims, of[1], (size_t)out_rank * sizeof(int64_t));
                if (ch__exec_run(e[i], NULL, 1, &in, 1, &out) != CH_OK) fail_msg("%s", ch_error_message());
            }
            for (int64_t i = 0; i < results; i++)
                if (!like(y[0][i], y[1][i]) && fabsf(y[0][i] - y[1][i]) > 2e-5f)
                    fail_msg("%s, [%d,%d,%d], %d: %.9g instead of %.9g", cases[k].body, (int)n[0], (int)n[1], (int)n[2],
                             (int)i, (double)y[0][i], (double)y[1][i]);
        }
        for (int i = 0; i < 2; i++) ch__exec_release(e[i]);
        ch_func_destroy(func);
    }
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_the_exact), cmocka_unit_test(as_the_interpreter),
                                       cmocka_unit_test(other_elements), cmocka_unit_test(of_slow_functions),
                                       cmocka_unit_test(over_rows),      cmocka_unit_test(of_middle_axes)};
    return cmocka_run_group_tests_name("native_sums", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
