// SPDX-License-Identifier: Apache-2.0
// test_native.c - the native engine's border: plans, places, in-place params, what is refused and what is handed on.
#include "native_main.h"
#include "unit.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static ch_func *func_of(const char *body) {
    char text[4096];
    ch_func *f = NULL;
    snprintf(text, sizeof text, "chaac-ir 1\n%s", body);
    if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

static ch_exec *native(const char *body) {
    ch_func *f = func_of(body);
    ch_exec *e = NULL;
    if (ch_compile(f, "native", NULL, &e) != CH_OK) fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    return e;
}

static ch_tensor *floats(int n, const float *x) { return ch_from_f32(x, 1, (int64_t[]){n}); }

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return 0;
}

static const char scaled[] = "func @scaled(%x: f32[n], %k: f32[]) -> f32[n] {\n"
                             "  %b = broadcast %k {dims = []} : f32[n]\n  %y = mul %x, %b : f32[n]\n  return %y\n}\n";

// One compile for all sizes; the second process-wide compile of the same text comes from the disk.
static void sizes_are_arguments(void **state) {
    (void)state;
    int64_t before = ch__native_compiles();
    ch_exec *e = native(scaled);
    for (int n = 0; n < 300; n++) {
        ch_scope scope = ch_scope_begin();
        float x[300], y[300];
        for (int i = 0; i < n; i++) x[i] = (float)i;
        ch_tensor *in[2] = {floats(n, x), ch_scalar(CH_F32, 3)}, *out[1] = {NULL};
        assert_int_equal(ch_exec_run(e, 2, in, 1, out), CH_OK);
        assert_int_equal(ch_read_f32(out[0], y, (size_t)n), CH_OK);
        for (int i = 0; i < n; i++) assert_true(y[i] == 3 * x[i]);
        ch_release(out[0]);
        assert_int_equal(ch_scope_end(scope), CH_OK);
    }
    assert_int_equal(ch__native_compiles() - before, 1);
    ch_exec_release(e);
    ch_exec_release(native(scaled));
    assert_int_equal(ch__native_compiles() - before, 1);
}

// Products of 8 and 16 bits go to the engine's dot, batches and turned operands too. Of whole numbers from -3 to 3 the
// sums are exact, so the interpreter's bits are what is asked for.
static void short_numbers_are_multiplied(void **state) {
    (void)state;
    static const ch_dtype dtypes[] = {CH_BF16, CH_F16, CH_I8, CH_I16};
    enum { B = 2, M = 40, K = 70, N = 50 };
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++) {
        const char *d = ch_dtype_name(dtypes[t]);
        char body[400], *said = NULL;
        size_t said_n = 0;
        snprintf(body, sizeof body,
                 "func @f(%%a: %s[b,m,k], %%w: %s[b,n,k]) -> (%%y: %s[b,m,n]) {\n"
                 "  %%t = transpose %%w {perm = [0,2,1]} : %s[b,k,n]\n"
                 "  %%y = dot %%a, %%t {batch = [0]x[0], contract = [2]x[1]} : %s[b,m,n]\n  return %%y\n}\n",
                 d, d, d, d, d);
        ch_func *f = func_of(body);
        FILE *file = open_memstream(&said, &said_n);
        assert_int_equal(ch_explain(f, file), CH_OK);
        fclose(file);
        assert_non_null(strstr(said, "library calls 1"));
        free(said);
        float a[B * M * K], w[B * N * K];
        for (int i = 0; i < B * M * K; i++) a[i] = (float)(i * 7 % 7 - 3 + i / 7 % 2);
        for (int i = 0; i < B * N * K; i++) w[i] = (float)(i * 5 % 7 - 3);
        ch_tensor *in[2] = {ch_convert(ch_from_f32(a, 3, (int64_t[]){B, M, K}), dtypes[t]),
                            ch_convert(ch_from_f32(w, 3, (int64_t[]){B, N, K}), dtypes[t])};
        ch_tensor *out[2] = {NULL};
        for (int i = 0; i < 2; i++) {
            ch_exec *e = NULL;
            assert_int_equal(ch_compile(f, i == 0 ? "native" : "interp", NULL, &e), CH_OK);
            assert_int_equal(ch_exec_run(e, 2, in, 1, &out[i]), CH_OK);
            ch_exec_release(e);
        }
        assert_memory_equal(ch_data(out[0]), ch_data(out[1]), B * M * N * ch_dtype_size(dtypes[t]));
        ch_release(out[0]);
        ch_release(out[1]);
        ch_func_destroy(f);
    }
}

// What ch_explain says that a run takes for its arrays is what is allocated: products in a row of sizes that are drawn,
// some of them added to one before.
static void explained_memory(void **state) {
    (void)state;
    static const char words[] = "arena of a run: ";
    uint64_t seed = 17;
    int said_of = 0;
    for (int turn = 0; turn < 12; turn++) {
        char body[4000], *text = NULL;
        int64_t size[8];
        size_t n = 0;
        int steps = 3 + turn % 5;
        for (int i = 0; i <= steps; i++) size[i] = 20 + (int64_t)((seed = ch__hash_u64(seed)) % 90);
        int at = snprintf(body, sizeof body, "func @f(");
        for (int i = 0; i <= steps; i++) // the first is what goes through
            at += snprintf(body + at, sizeof body - (size_t)at, "%s%%p%d: f64[%d,%d]", i > 0 ? ", " : "", i,
                           i > 0 ? (int)size[i - 1] : 50, (int)size[i > 0 ? i : 0]);
        at += snprintf(body + at, sizeof body - (size_t)at, ") -> (%%y: f64[50,%d]) {\n", (int)size[steps]);
        for (int i = 1; i <= steps; i++)
            at += snprintf(body + at, sizeof body - (size_t)at,
                           "  %%d%d = dot %%%s%d, %%p%d {contract = [1]x[0]} : f64[50,%d]\n"
                           "  %%e%d = tanh %%d%d : f64[50,%d]\n  %%s%d = %s %%e%d, %%d%d : f64[50,%d]\n",
                           i, i > 1 ? "s" : "p", i - 1, i, (int)size[i], i, i, (int)size[i], i, i % 2 ? "add" : "mul",
                           i, i, (int)size[i]);
        snprintf(body + at, sizeof body - (size_t)at, "  return %%s%d\n}\n", steps);
        ch_func *f = func_of(body), *g = NULL;
        assert_int_equal(ch_vjp(f, NULL, 1, &g), CH_OK);
        FILE *file = open_memstream(&text, &n);
        assert_int_equal(ch_explain(g, file), CH_OK);
        fclose(file);
        ch_exec *e = NULL;
        assert_int_equal(ch_compile(g, "native", NULL, &e), CH_OK);
        ch_tensor *in[10], *out[10] = {NULL};
        int n_in = ch_func_num_params(g), n_out = ch_func_num_results(g);
        for (int i = 0; i < n_in; i++) {
            int64_t rows = i == 0 || i > steps ? 50 : size[i - 1], columns = i > steps ? size[steps] : size[i];
            in[i] = ch_zeros(CH_F64, 2, (int64_t[]){rows, i == 0 ? size[0] : columns});
        }
        if (ch_exec_run(e, n_in, in, n_out, out) != CH_OK) fail_msg("%s", ch_error_message());
        const char *said = strstr(text, words);
        int64_t bytes = said == NULL ? 0 : strtoll(said + sizeof words - 1, NULL, 10);
        assert_int_equal(e->engine->kept(e->code), bytes);
        said_of += bytes > 0;
        for (int i = 0; i < n_out; i++) ch_release(out[i]);
        free(text);
        ch_exec_release(e);
        ch_func_destroy(g);
        ch_func_destroy(f);
    }
    assert_int_equal(said_of, 12);
}

// A func without params, whose only result is its value.
static void no_params(void **state) {
    (void)state;
    ch_exec *e = native("func @f() -> f64[] {\n  %y = const {value = 3} : f64[]\n  return %y\n}\n");
    ch_tensor *out[1] = {NULL};
    double y = 0;
    assert_int_equal(ch_exec_run(e, 0, NULL, 1, out), CH_OK);
    assert_int_equal(ch_item(out[0], &y), CH_OK);
    assert_true(y == 3);
    ch_release(out[0]);
    ch_exec_release(e);
}

static volatile int give_up;

static void *give_up_soon(void *arg) {
    (void)arg;
    usleep(100000);
    give_up = 1;
    return NULL;
}

// A compiler that is at work when the thread's token is set is stopped.
static void cancelled_while_compiling(void **state) {
    (void)state;
    enum { STEPS = 8000 }; // tens of seconds to compile
    static char text[1 << 20];
    size_t n = (size_t)snprintf(text, sizeof text, "chaac-ir 1\nfunc @long(%%a0: f64[16]) -> f64[16] {\n");
    for (int i = 0; i < STEPS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  %%b%d = sin %%a%d : f64[16]\n  %%a%d = mul %%b%d, %%a%d : f64[16]\n", i, i, i + 1, i,
                              i);
    snprintf(text + n, sizeof text - n, "  return %%a%d\n}\n", STEPS);
    ch_func *f = NULL;
    ch_exec *e = NULL;
    pthread_t thread;
    assert_int_equal(ch_func_parse(text, "t.ir", &f), CH_OK);
    give_up = 0;
    ch_set_cancel(&give_up);
    assert_int_equal(pthread_create(&thread, NULL, give_up_soon, NULL), 0);
    ch_status s = ch_compile(f, "native", NULL, &e);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ch_set_cancel(NULL);
    assert_int_equal(s, CH_CANCELLED);
    assert_string_equal(ch_error_id(), "cancelled");
    assert_null(e);
    ch_func_destroy(f);
}

static ch_status long_chain(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                            ch_tensor **out) {
    (void)user, (void)n_in, (void)n_vars, (void)vars, (void)n_out;
    ch_tensor *x = in[0];
    for (int i = 0; i < 2500; i++) x = ch_mul(ch_sin(x), x);
    out[0] = x;
    return CH_OK;
}

static void count_entry(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong) {
    (void)name, (void)bytes, (void)used, (void)wrong;
    ++*(int *)user;
}

// So is the one of a jit's second call; the jit is as it was.
static void cancelled_while_a_jit_compiles(void **state) {
    (void)state;
    ch_jit *j = ch_jit_create("long", long_chain, NULL, 1);
    ch_tensor *in[1] = {ch_scalar(CH_F64, 0.5)}, *out[1] = {NULL};
    pthread_t thread;
    int before = 0, after = 0;
    assert_int_equal(ch_jit_set_engine(j, "native"), CH_OK);
    assert_int_equal(ch_jit_call(j, 1, in, 0, NULL, out), CH_OK);
    assert_int_equal(ch_cache_list(count_entry, &before), CH_OK);
    int64_t compiles = ch__native_compiles();
    ch_release(out[0]);
    out[0] = NULL;
    give_up = 0;
    ch_set_cancel(&give_up);
    assert_int_equal(pthread_create(&thread, NULL, give_up_soon, NULL), 0);
    ch_status s = ch_jit_call(j, 1, in, 0, NULL, out);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ch_set_cancel(NULL);
    assert_int_equal(s, CH_CANCELLED);
    assert_null(out[0]);
    assert_false(ch_jit_captured(j));
    assert_int_equal(ch__native_compiles() - compiles, 1);
    assert_int_equal(ch_cache_list(count_entry, &after), CH_OK);
    assert_int_equal(after, before); // the compiler did not come to its end
    ch_jit_destroy(j);
}

// A loop whose turns start no kernel, one that has no known end, one with another inside, one in a func that is called,
// and a kernel that takes half a minute.
static const char numbers_of_loops[] = "  %z = const {value = 0} : i64[]\n  %o = const {value = 1} : i64[]\n"
                                       "  %t = const {value = 3} : i64[]\n";
static const char *const long_programs[] = {
    "func @f(%x: f64[n], %k: i64[]) -> f64[n] {\n*  %r = for %i = %z to %k step %o iter(%a = %x) {\n"
    "    %e = get %a[%z] : f64[]\n    %s = sin %e : f64[]\n    %b = set %a[%z], %s : f64[n]\n    yield %b\n"
    "  } : f64[n]\n  return %r\n}\n",
    "func @f(%x: f64[n], %k: i64[]) -> f64[n] {\n*  %r, %j = while iter(%a = %x, %m = %z) {\n"
    "    %c = compare %m, %k {dir = lt} : bool[]\n    yield %c\n  } do {\n    %e = get %a[%z] : f64[]\n"
    "    %s = sin %e : f64[]\n    %b = set %a[%z], %s : f64[n]\n    %p = add %m, %o : i64[]\n    yield %b, %p\n"
    "  } : f64[n], i64[]\n  return %r\n}\n",
    "func @f(%x: f64[n], %k: i64[]) -> f64[n] {\n*  %r = for %i = %z to %k step %o iter(%a = %x) {\n"
    "    %q = for %j = %z to %t step %o iter(%b = %a) {\n      %s = sin %b : f64[n]\n      yield %s\n    } : f64[n]\n"
    "    yield %q\n  } : f64[n]\n  return %r\n}\n",
    "func @g(%x: f64[], %k: i64[]) -> f64[] {\n*  %r = for %i = %z to %k step %o iter(%a = %x) {\n"
    "    %s = sin %a : f64[]\n    yield %s\n  } : f64[]\n  return %r\n}\n"
    "func @f(%x: f64[n], %k: i64[]) -> f64[n] {\n*  %e = get %x[%z] : f64[]\n  %r = call @g(%e, %k) : f64[]\n"
    "  %y = set %x[%z], %r : f64[n]\n  return %y\n}\n",
    "func @f(%x: f64[n], %k: i64[]) -> f64[n] {\n  %a = broadcast %x {dims = [0]} : f64[n,n]\n"
    "  %b = broadcast %x {dims = [1]} : f64[n,n]\n  %c = atan2 %a, %b : f64[n,n]\n  %d = pow %a, %c : f64[n,n]\n"
    "  %s = reduce %d {kind = sum, dims = [1]} : f64[n]\n  return %s\n}\n"};
enum { LONG_PROGRAMS = sizeof long_programs / sizeof *long_programs };

static ch_exec *long_program(int i) {
    char text[2048] = "";
    for (const char *p = long_programs[i]; *p != '\0'; p++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%.*s", *p == '*' ? (int)strlen(numbers_of_loops) : 1,
                 *p == '*' ? numbers_of_loops : p);
    }
    return native(text);
}

// On n times 0.5, with so many turns; stopped: by another thread, soon.
static ch_status run_long(ch_exec *e, int64_t n, int64_t turns, bool stopped, ch_tensor **out) {
    ch_tensor *in[2] = {ch_full(CH_F64, 0.5, 1, &n), ch_from_i64(&turns, 0, NULL)};
    pthread_t thread;
    assert_int_equal(ch_realize_all(2, in), CH_OK);
    give_up = 0;
    ch_set_cancel(&give_up);
    if (stopped) assert_int_equal(pthread_create(&thread, NULL, give_up_soon, NULL), 0);
    ch_status s = ch_exec_run(e, 2, in, 1, out);
    if (stopped) assert_int_equal(pthread_join(thread, NULL), 0);
    ch_set_cancel(NULL);
    return s;
}

// The run ends soon, without a result, and the next one is right.
static void cancelled_in_loops_and_kernels(void **state) {
    (void)state;
    enum { LAST = LONG_PROGRAMS - 1, MANY = 20000 };
    static const double after_two_turns[LONG_PROGRAMS] = {0.4612695550331807, 0.4612695550331807, 0.40534569446004987,
                                                          0.4612695550331807, 0.5801918103717244};
    for (int i = 0; i < LONG_PROGRAMS; i++) {
        ch_exec *e = long_program(i);
        ch_tensor *out[1] = {NULL};
        double y = 0;
        assert_int_equal(run_long(e, i == LAST ? MANY : 1, INT64_C(1) << 60, true, out), CH_CANCELLED);
        assert_null(out[0]);
        assert_int_equal(run_long(e, 1, 2, false, out), CH_OK);
        assert_int_equal(ch_read_f64(out[0], &y, 1), CH_OK);
        if (!(y > after_two_turns[i] - 1e-12 && y < after_two_turns[i] + 1e-12)) fail_msg("%d: %.17g", i, y);
        ch_release(out[0]);
        ch_exec_release(e);
    }
}

// What the printed entry calls its own things does not meet a func's name.
static void names_of_the_entry(void **state) {
    (void)state;
    static const char *const names[] = {"in", "out", "n", "arena", "at", "chaac_in", "chaac_n", "chaac_call"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "func @%s(%%x: f32[n]) -> f32[n] {\n  %%y = add %%x, %%x : f32[n]\n  return %%y\n}\n", names[i]);
        ch_exec *e = native(text);
        ch_tensor *in[1] = {floats(2, (float[]){3, 4})}, *out[1] = {NULL};
        float y[2];
        assert_int_equal(ch_exec_run(e, 1, in, 1, out), CH_OK);
        assert_int_equal(ch_read_f32(out[0], y, 2), CH_OK);
        assert_true(y[0] == 6 && y[1] == 8);
        ch_release(out[0]);
        ch_exec_release(e);
    }
}

// Sizes that a func computes may be called as counters of deep loops are.
static void sizes_like_counters(void **state) {
    (void)state;
    static const char *const names[] = {"i", "k1", "l1", "i2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "func @f(%%n: i64[], %%x: f32[3,m]) -> f32[2] {\n  %%a = alloc<%s = %%n> : f32[%s,2]\n"
                 "  %%s = reduce %%x {kind = sum, dims = [0,1]} : f32[]\n"
                 "  %%b = broadcast %%s {dims = []} : f32[%s,2]\n  %%c = add %%a, %%b : f32[%s,2]\n"
                 "  %%y = reduce %%c {kind = prod, dims = [0]} : f32[2]\n  return %%y\n}\n",
                 names[i], names[i], names[i], names[i]);
        ch_exec *e = native(text);
        ch_tensor *in[2] = {ch_from_i64((int64_t[]){4}, 0, NULL),
                            ch_from_f32((float[]){1, 1, -1, 1, 1, -1}, 2, (int64_t[]){3, 2})};
        ch_tensor *out[1] = {NULL};
        float y[2];
        assert_int_equal(ch_exec_run(e, 2, in, 1, out), CH_OK);
        assert_int_equal(ch_read_f32(out[0], y, 2), CH_OK);
        assert_true(y[0] == 16 && y[1] == 16);
        ch_release(out[0]);
        ch_exec_release(e);
    }
}

// The gradient of an inner product: products of a number and an array, which no library computes.
static void gradient_of_an_inner_product(void **state) {
    (void)state;
    static const char text[] = "chaac-ir 1\nfunc @f(%x: f64[n], %y: f64[n]) -> f64[] {\n"
                               "  %r = dot %x, %y {contract = [0]x[0]} : f64[]\n  return %r\n}\n";
    ch_func *f = NULL, *g = NULL;
    ch_exec *e = NULL;
    const double x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    double dx[3], dy[3];
    if (ch_func_parse(text, "t.ir", &f) != CH_OK || ch_gradient(f, NULL, &g) != CH_OK ||
        ch_compile(g, "native", NULL, &e) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_tensor *in[2] = {ch_from_f64(x, 1, (int64_t[]){3}), ch_from_f64(y, 1, (int64_t[]){3})}, *out[2] = {NULL};
    assert_int_equal(ch_exec_run(e, 2, in, 2, out), CH_OK);
    assert_int_equal(ch_read_f64(out[0], dx, 3), CH_OK);
    assert_int_equal(ch_read_f64(out[1], dy, 3), CH_OK);
    assert_memory_equal(dx, y, sizeof dx);
    assert_memory_equal(dy, x, sizeof dy);
    for (int i = 0; i < 2; i++) ch_release(out[i]);
    ch_exec_release(e);
    ch_func_destroy(g);
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- what was captured
enum { WEIGHTS = 400 };

static ch_status weighted(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    ch_tensor *w = user;
    out[0] = ch_sum_all(ch_mul(in[0], w));
    return CH_OK;
}

static ch_exec *weighted_by(float w0, const char *engine) {
    float w[WEIGHTS];
    for (int i = 0; i < WEIGHTS; i++) w[i] = w0 * (float)i;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    ch_tensor *t = ch_from_f32(w, 1, (int64_t[]){WEIGHTS});
    if (ch_capture(weighted, t, "x: f32[400]", 1, &f) != CH_OK || ch_compile(f, engine, NULL, &e) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    ch_release(t);
    return e;
}

static float sum_with(ch_exec *e) {
    float x[WEIGHTS], y = 0;
    for (int i = 0; i < WEIGHTS; i++) x[i] = 1;
    ch_tensor *in[1] = {floats(WEIGHTS, x)}, *out[1] = {NULL};
    assert_int_equal(ch_exec_run(e, 1, in, 1, out), CH_OK);
    assert_int_equal(ch_read_f32(out[0], &y, 1), CH_OK);
    ch_release(out[0]);
    return y;
}

// Weights that a capture met are data: other weights are the same code.
static void captured_weights_are_data(void **state) {
    (void)state;
    int64_t before = ch__native_compiles();
    ch_exec *one = weighted_by(1, "native"), *two = weighted_by(2, "native");
    assert_int_equal(ch__native_compiles() - before, 1);
    assert_true(sum_with(one) == 79800);
    assert_true(sum_with(two) == 159600);
    assert_true(sum_with(one) == 79800);
    ch_exec_release(one);
    assert_true(sum_with(two) == 159600);
    ch_exec_release(two);
}

// A function of libm is not taken for a loop's counter of its name.
static void libms_names(void **state) {
    (void)state;
    ch_exec *e = native("func @f(%x: f64[2]) -> f64[2] {\n  %r = cmath %x {fn = \"j1\"} : f64[2]\n  return %r\n}\n");
    ch_tensor *in[1] = {ch_from_f64((double[]){1, 2}, 1, (int64_t[]){2})}, *out[1] = {NULL};
    double y[2];
    assert_int_equal(ch_exec_run(e, 1, in, 1, out), CH_OK);
    assert_int_equal(ch_read_f64(out[0], y, 2), CH_OK);
    assert_true(y[0] > 0.4400 && y[0] < 0.4401 && y[1] > 0.5767 && y[1] < 0.5768);
    ch_release(out[0]);
    ch_exec_release(e);
}

// The file of the only entry.
static const char *entry_path(void) {
    static char path[400];
    DIR *d = opendir(ch_cache_folder());
    path[0] = '\0';
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".code") != NULL) snprintf(path, sizeof path, "%s/%s", ch_cache_folder(), e->d_name);
    if (d != NULL) closedir(d);
    return path;
}

static void count_wrong(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong) {
    (void)name, (void)bytes, (void)used;
    *(int *)user += wrong != NULL;
}

static void write_entry(const char *path, const char *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

// Compiled code with a bit changed at every 64th byte, or cut short, is never loaded; a compiler runs again.
static void changed_code_is_not_run(void **state) {
    (void)state;
    assert_int_equal(ch_cache_clear(NULL, NULL), CH_OK);
    ch_exec_release(native(scaled));
    char *good;
    size_t n;
    assert_int_equal(ch__file_read(entry_path(), 0, &good, &n), CH_OK);
    char path[400];
    snprintf(path, sizeof path, "%s", entry_path());
    assert_true(n > 4096);
    int wrong = 0, tried = 0;
    for (size_t i = 0; i < n; i += 64, tried++) {
        good[i] ^= (char)(1 << (i / 64 % 8));
        write_entry(path, good, n);
        good[i] ^= (char)(1 << (i / 64 % 8));
        assert_int_equal(ch_cache_verify(count_wrong, &wrong), CH_OK);
    }
    assert_int_equal(wrong, tried);
    int64_t before = ch__native_compiles();
    for (int k = 0; k < 4; k++) {
        size_t at = n / 5 * (size_t)(k + 1);
        good[at] ^= 16;
        write_entry(path, good, k < 3 ? n : n / 2);
        good[at] ^= 16;
        ch_exec_release(native(scaled));
    }
    assert_int_equal(ch__native_compiles() - before, 4);
    write_entry(path, good, n);
    ch_exec_release(native(scaled));
    assert_int_equal(ch__native_compiles() - before, 4);
    ch__free(good);
}

// With outputs given a run like an earlier one allocates nothing but what tensors take.
static void runs_allocate_nothing(void **state) {
    (void)state;
    ch_func *f =
        func_of("func @f(%x: f32[n]) -> f32[n] {\n  %e = exp %x : f32[n]\n  %r = reverse %e {dims = [0]} : f32[n]\n"
                "  %s = cumulative %e {kind = sum, dim = 0} : f32[n]\n  %y = add %s, %r : f32[n]\n"
                "  return %y\n}\n");
    ch_exec *e;
    assert_int_equal(ch__compile(f, "native", &e), CH_OK);
    float x[100] = {0}, y[100];
    ch__slot in = {.dtype = CH_F32, .rank = 1, .dims = {100}, .data = x};
    ch__slot out = {.dtype = CH_F32, .rank = 1, .dims = {100}, .data = y};
    assert_int_equal(ch__exec_run(e, NULL, 1, &in, 1, &out), CH_OK);
    int64_t before = ch__alloc_count();
    for (int i = 0; i < 10; i++) assert_int_equal(ch__exec_run(e, NULL, 1, &in, 1, &out), CH_OK);
    assert_int_equal(ch__alloc_count(), before);
    assert_true(y[0] == 2 && y[99] == 101);
    ch__exec_release(e);
    ch_func_destroy(f);
}

// What the C notices the interpreter says.
static void errors_are_the_interpreters(void **state) {
    (void)state;
    const char *text = "func @pick(%x: f64[n], %i: i64[]) -> f64[] {\n  %y = get %x[%i] : f64[]\n  return %y\n}\n";
    ch_exec *e = native(text), *reference;
    ch_func *f = func_of(text);
    assert_int_equal(ch_compile(f, "interp", NULL, &reference), CH_OK);
    ch_tensor *x = ch_from_f64((double[]){1, 2, 3}, 1, (int64_t[]){3});
    for (int i = -2; i < 6; i++) {
        ch_tensor *in[2] = {x, ch_scalar(CH_I64, i)}, *out[1] = {NULL};
        char expected[400];
        ch_status right = ch_exec_run(reference, 2, in, 1, out);
        snprintf(expected, sizeof expected, "%s", right == CH_OK ? "" : ch_error_message());
        ch_release(out[0]);
        out[0] = NULL;
        assert_int_equal(ch_exec_run(e, 2, in, 1, out), right);
        assert_int_equal(right, i >= 0 && i < 3 ? CH_OK : CH_OUT_OF_RANGE);
        if (right != CH_OK) assert_string_equal(ch_error_message(), expected);
        ch_release(out[0]);
    }
    ch_tensor *wrong[2] = {ch_scalar(CH_F64, 1), ch_scalar(CH_I64, 1)}, *out[1] = {NULL};
    assert_int_equal(ch_exec_run(e, 2, wrong, 1, out), CH_INVALID_ARGUMENT);
    ch_func_destroy(f);
    ch_exec_release(reference);
    ch_exec_release(e);
}

static void params_in_place(void **state) {
    (void)state;
    ch_exec *e = native("func @f(%x: inout(0) f64[n]) -> f64[n] {\n  %y = add %x, %x : f64[n]\n  return %y\n}\n");
    ch_tensor *x = ch_from_f64((double[]){1, 2, 3}, 1, (int64_t[]){3}), *out[1] = {NULL};
    double y[3];
    assert_int_equal(ch_exec_run(e, 1, &x, 1, out), CH_OK);
    assert_int_equal(ch_read_f64(out[0], y, 3), CH_OK);
    assert_true(y[0] == 2 && y[2] == 6);
    assert_int_equal(ch_read_f64(x, y, 3), CH_OK);
    assert_true(y[0] == 1 && y[2] == 3); // not donated: as it was
    ch_release(out[0]);
    ch_exec_release(e);
}

static void refused_by_name(void **state) {
    (void)state;
    ch_func *f = func_of("func @fact(%n: i64[], %x: f64[]) -> f64[] {\n  %one = const {value = 1} : i64[]\n"
                         "  %go = compare %n, %one {dir = gt} : bool[]\n"
                         "  %y = if %go {\n    %m = sub %n, %one : i64[]\n"
                         "    %r = call @fact(%m, %x) : f64[]\n    %s = mul %r, %x : f64[]\n    yield %s\n  } else {\n"
                         "    yield %x\n  } : f64[]\n  return %y\n}\n");
    ch_exec *e = NULL;
    assert_int_equal(ch_compile(f, "native", NULL, &e), CH_UNIMPLEMENTED);
    assert_string_equal(ch_error_message(), "native: @fact calls itself — compile it for the engine \"interp\"");
    ch_func_destroy(f);
}

// Without a name the engine is native; what that refuses the interpreter runs. (The variable is read once.)
static void nobody_says(void **state) {
    (void)state;
    assert_string_equal(ch_engine_default(), "native");
    ch_func *f = func_of("func @down(%n: i64[]) -> i64[] {\n  %one = const {value = 1} : i64[]\n"
                         "  %go = compare %n, %one {dir = gt} : bool[]\n"
                         "  %y = if %go {\n    %m = sub %n, %one : i64[]\n    %r = call @down(%m) : i64[]\n"
                         "    yield %r\n  } else {\n    yield %n\n  } : i64[]\n  return %y\n}\n");
    ch_exec *e = NULL;
    ch_tensor *in[1] = {ch_scalar(CH_I64, 5)}, *out[1] = {NULL};
    assert_int_equal(ch_compile(f, NULL, NULL, &e), CH_OK);
    assert_int_equal(ch_exec_run(e, 1, in, 1, out), CH_OK);
    double got = 0;
    assert_int_equal(ch_item(out[0], &got), CH_OK);
    assert_true(got == 1);
    ch_release(out[0]);
    ch_exec_release(e);
    ch_func_destroy(f);
}

static int64_t overlaps(int n, const ch__c_live *live, const int64_t *bytes, const int64_t *at) {
    int64_t found = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            found += bytes[i] > 0 && bytes[k] > 0 && live[i].first <= live[k].last && live[k].first <= live[i].last &&
                     at[i] < at[k] + bytes[k] && at[k] < at[i] + bytes[i];
    return found;
}

// No two arrays in use at once share a byte; the whole is within 10 % of the most that is in use at once, on average.
static void places(void **state) {
    (void)state;
    uint64_t seed = 1;
    double ratios = 0;
    enum { TURNS = 200, N = 60, TIME = 80 };
    for (int turn = 0; turn < TURNS; turn++) {
        ch__c_live live[N];
        int64_t bytes[N], at[N], used[TIME + 20] = {0}, most = 0;
        for (int i = 0; i < N; i++) {
            seed = ch__hash_u64(seed);
            live[i].first = (int)(seed % TIME);
            live[i].last = live[i].first + (int)(seed >> 20 & 15);
            bytes[i] = (int64_t)(64 << (seed >> 40 & 7));
            for (int t = live[i].first; t <= live[i].last; t++) used[t] += bytes[i];
        }
        for (int t = 0; t < TIME + 20; t++) most = used[t] > most ? used[t] : most;
        int64_t all = ch__c_arrange(N, live, bytes, 64, at);
        assert_true(all >= most);
        assert_int_equal(overlaps(N, live, bytes, at), 0);
        ratios += (double)all / (double)most / TURNS;
    }
    print_message("# planned memory over the least there can be: %.3f\n", ratios);
    assert_true(ratios < 1.1);
    int64_t at[1];
    assert_int_equal(ch__c_arrange(1, &(ch__c_live){0, 0}, &(int64_t){-1}, 64, at), -1);
    assert_int_equal(ch__c_arrange(0, NULL, NULL, 64, at), 0);
}

static void memory_ends_anywhere(void **state) {
    (void)state;
    ch_exec *e = native(scaled);
    ch_tensor *in[2] = {floats(3, (float[]){1, 2, 3}), ch_scalar(CH_F32, 2)};
    assert_int_equal(ch_realize(in[1]), CH_OK);
    int failures = 0;
    for (int n = 1; n < 100; n++) {
        ch_tensor *out[1] = {NULL};
        ch__alloc_fail_at(n, true);
        ch_status s = ch_exec_run(e, 2, in, 1, out);
        ch__alloc_fail_at(0, false);
        ch_release(out[0]);
        if (s == CH_OK) break;
        assert_int_equal(s, CH_RESOURCE_EXHAUSTED);
        failures++;
    }
    assert_true(failures > 1);
    ch_exec_release(e);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sizes_are_arguments, end_thread),
        cmocka_unit_test_teardown(short_numbers_are_multiplied, end_thread),
        cmocka_unit_test_teardown(explained_memory, end_thread),
        cmocka_unit_test_teardown(no_params, end_thread),
        cmocka_unit_test_teardown(cancelled_while_compiling, end_thread),
        cmocka_unit_test_teardown(cancelled_while_a_jit_compiles, end_thread),
        cmocka_unit_test_teardown(cancelled_in_loops_and_kernels, end_thread),
        cmocka_unit_test_teardown(names_of_the_entry, end_thread),
        cmocka_unit_test_teardown(gradient_of_an_inner_product, end_thread),
        cmocka_unit_test_teardown(captured_weights_are_data, end_thread),
        cmocka_unit_test_teardown(libms_names, end_thread),
        cmocka_unit_test_teardown(changed_code_is_not_run, end_thread),
        cmocka_unit_test_teardown(runs_allocate_nothing, end_thread),
        cmocka_unit_test_teardown(sizes_like_counters, end_thread),
        cmocka_unit_test_teardown(errors_are_the_interpreters, end_thread),
        cmocka_unit_test_teardown(params_in_place, end_thread),
        cmocka_unit_test_teardown(refused_by_name, end_thread),
        cmocka_unit_test_teardown(nobody_says, end_thread),
        cmocka_unit_test(places),
        cmocka_unit_test_teardown(memory_ends_anywhere, end_thread),
    };
    return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}

int main(void) {
    unsetenv("CHAAC_ENGINE");
    return native_main_alone(run_all);
}
