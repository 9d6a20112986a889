// SPDX-License-Identifier: Apache-2.0
// test_native_straight.c - straight programs of thousands of operations on the native engine: how large functions get,
// how many there are, and that they compute what the interpreter does.
//
// Compilers are superlinear in the length of a function and of a loop's body, so these counts are what keeps compile
// time linear. Nothing but the cases that compute compiles.
#include "native_main.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

// x = sin(x) * exp(-x), n / 4 times, of numbers or arrays.
static char *chain_text(const char *type, int n, bool sum) {
    size_t room = (size_t)n * 80 + 400, at = 0;
    char *t = malloc(room);
    assert_non_null(t);
    at += (size_t)snprintf(t, room, "chaac-ir 1\nfunc @chain(%%y0: %s) -> %s {\n", type, sum ? "f64[]" : type);
    for (int i = 0; i < n / 4; i++)
        at += (size_t)snprintf(t + at, room - at,
                               "  %%s%d = sin %%y%d : %s\n  %%n%d = neg %%y%d : %s\n  %%e%d = exp %%n%d : %s\n"
                               "  %%y%d = mul %%s%d, %%e%d : %s\n",
                               i, i, type, i, i, type, i, i, type, i + 1, i, i, type);
    if (sum)
        snprintf(t + at, room - at,
                 "  %%r = reduce %%y%d {kind = sum, dims = [0], order = any} : f64[]\n  return %%r\n}\n", n / 4);
    else
        snprintf(t + at, room - at, "  return %%y%d\n}\n", n / 4);
    return t;
}

static ch_func *chain_func(const char *type, int n, bool sum) {
    char *t = chain_text(type, n, sum);
    ch_func *f = NULL;
    if (ch_func_parse(t, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    free(t);
    return f;
}

typedef struct {
    int functions, lines;   // that begin with a word, the most lines of one
    int64_t bytes, longest; // of the text; the most bytes of a function
} sizes;

typedef struct {
    const ch_func *f;
    const char *head; // of the functions that are counted
    sizes s;
    ch__c_native c;
} printed;

static void look_at_functions(printed *p, const char *text) {
    for (const char *s = text; (s = strstr(s, p->head)) != NULL;) {
        const char *begin = strchr(s, '{'), *end = strstr(s, "\n}\n"), *stop = strchr(s, ';');
        s += strlen(p->head);
        if (begin == NULL || end == NULL || stop == NULL || stop < begin) continue; // a prototype
        int lines = 0;
        for (const char *c = begin; c < end; c++) lines += *c == '\n';
        p->s.functions++;
        if (lines > p->s.lines) p->s.lines = lines;
        if (end - begin > p->s.longest) p->s.longest = end - begin;
    }
}

static void print_it(void *arg) {
    printed *p = arg;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch_func *f = ch__func_clone(p->f);
    ch__text_init(&t, a);
    ch__inline_composites(f);
    ch__optimize(f);
    ch__native_source(&t, f, &p->c);
    p->s.bytes = t.n;
    look_at_functions(p, t.data);
    p->c = (ch__c_native){.n_kernels = p->c.n_kernels, .n_loops = p->c.n_loops, .n_chunks = p->c.n_chunks};
    ch__module_destroy(f->module);
    ch__arena_destroy(a);
}

static printed print_of(const ch_func *f, const char *head) {
    printed p = {.f = f, .head = head};
    if (ch__protect(print_it, &p) != CH_OK) fail_msg("%s", ch_error_message());
    return p;
}

// Operations on arrays: kernels of bounded size, few different ones, and a list of calls in parts.
static void arrays_become_kernels_of_bounded_size(void **state) {
    (void)state;
    ch_func *f = chain_func("f64[16]", 10000, true), *g = NULL;
    assert_int_equal(ch_gradient(f, NULL, &g), CH_OK);
    printed kernels = print_of(g, "void chaac_loops_"), lists = print_of(g, "CHAAC_LIST static int chaac_chunk_");
    assert_true(kernels.c.n_kernels > 100 && kernels.c.n_kernels < 1000);
    assert_true(kernels.s.functions <= 10); // equal ones once
    assert_true(kernels.s.lines <= 600);
    assert_int_equal(lists.s.functions, lists.c.n_chunks);
    assert_true(lists.c.n_chunks * 8 <= lists.c.n_kernels + 8 && lists.c.n_chunks * 10 >= lists.c.n_kernels);
    assert_true(lists.s.lines <= 8 * 70); // a place for each array that eight kernels take
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// Many results of many arrays: kernels that read 64 arrays at most, which are one function, and one call of all.
static void unrelated_arrays_share_a_function(void **state) {
    (void)state;
    enum { MANY = 320, ROOM = 1 << 16 };
    char *t = malloc(ROOM);
    assert_non_null(t);
    size_t at = (size_t)snprintf(t, ROOM, "chaac-ir 1\nfunc @wide(%%x0: f32[n]");
    for (int i = 1; i < 2 * MANY; i++) at += (size_t)snprintf(t + at, ROOM - at, ", %%x%d: f32[n]", i);
    at += (size_t)snprintf(t + at, ROOM - at, ") -> (f32[n]");
    for (int i = 1; i < MANY; i++) at += (size_t)snprintf(t + at, ROOM - at, ", f32[n]");
    at += (size_t)snprintf(t + at, ROOM - at, ") {\n");
    for (int i = 0; i < MANY; i++)
        at += (size_t)snprintf(t + at, ROOM - at, "  %%y%d = mul %%x%d, %%x%d : f32[n]\n", i, 2 * i, 2 * i + 1);
    at += (size_t)snprintf(t + at, ROOM - at, "  return %%y0");
    for (int i = 1; i < MANY; i++) at += (size_t)snprintf(t + at, ROOM - at, ", %%y%d", i);
    snprintf(t + at, ROOM - at, "\n}\n");
    ch_func *f = NULL;
    if (ch_func_parse(t, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    free(t);
    printed p = print_of(f, "void chaac_loops_"), list = print_of(f, "CHAAC_LIST\n/* @wide");
    assert_int_equal(p.c.n_kernels, 1);
    assert_int_equal(p.s.functions, 1);
    assert_true(p.s.lines <= 40);
    assert_int_equal(list.s.functions, 1); // a list of arguments is not worth compilers' time
    ch_func_destroy(f);
}

// Operations on numbers: functions of a hundred each.
static void numbers_become_functions_of_bounded_size(void **state) {
    (void)state;
    ch_func *f = chain_func("f64[]", 8000, false);
    printed p = print_of(f, "CHAAC_APART static");
    assert_int_equal(p.s.functions, 80);
    assert_true(p.s.lines <= 104);
    ch_func_destroy(f);
}

// A short program is one function; nothing is cut.
static void short_programs_stay_whole(void **state) {
    (void)state;
    ch_func *f = chain_func("f64[]", 200, false);
    printed p = print_of(f, "CHAAC_APART static");
    assert_int_equal(p.s.functions, 0);
    assert_int_equal(p.c.n_chunks, 0);
    ch_func_destroy(f);
}

// Twice the program is twice the text.
static void text_is_linear(void **state) {
    (void)state;
    static const char *const types[] = {"f64[16]", "f64[]"};
    for (int k = 0; k < 2; k++) {
        ch_func *one = chain_func(types[k], 4000, k == 0), *two = chain_func(types[k], 8000, k == 0);
        int64_t n = print_of(one, "x").s.bytes, n2 = print_of(two, "x").s.bytes;
        assert_true(10 * n2 < 22 * n);
        ch_func_destroy(one);
        ch_func_destroy(two);
    }
}

static double value_of(ch_func *f, const char *engine, int rank, double *out_grad) {
    ch_scope scope = ch_scope_begin();
    ch_exec *e = NULL;
    double x[16], y = 0, g[16];
    const int64_t n = 16;
    for (int i = 0; i < 16; i++) x[i] = 0.3 + 0.01 * i;
    ch_tensor *in[1] = {ch_from_f64(x, rank, &n)}, *out[2] = {NULL, NULL};
    if (ch_compile(f, engine, NULL, &e) != CH_OK || ch_exec_run(e, 1, in, 2, out) != CH_OK)
        fail_msg("%s", ch_error_message());
    assert_int_equal(ch_read_f64(out[0], &y, 1), CH_OK);
    assert_int_equal(ch_read_f64(out[1], g, rank == 0 ? 1 : 16), CH_OK);
    *out_grad = g[0];
    ch_release(out[0]);
    ch_release(out[1]);
    ch_exec_release(e);
    assert_int_equal(ch_scope_end(scope), CH_OK);
    return y;
}

static bool alike(double x, double y) { return fabs(x - y) <= 1e-11 * fabs(x); }

static void cut_programs_compute_the_same(void **state) {
    (void)state;
    static const char *const types[] = {"f64[16]", "f64[]"};
    for (int k = 0; k < 2; k++) {
        ch_func *f = chain_func(types[k], 1200, k == 0), *g = NULL;
        double slope[2];
        assert_int_equal(ch_value_and_grad(f, NULL, &g), CH_OK);
        double want = value_of(g, "interp", k == 0 ? 1 : 0, &slope[0]);
        double got = value_of(g, "native", k == 0 ? 1 : 0, &slope[1]);
        assert_true(want != 0 && slope[0] != 0);
        assert_true(alike(want, got) && alike(slope[0], slope[1]));
        ch_func_destroy(f);
        ch_func_destroy(g);
    }
}

// 40 products with a sine each, a scatter in between, a sum over all; behind it a loop in which a run may stop, if so.
static ch_func *list_func(bool loop) {
    enum { TURNS = 40, ROOM = 8192 };
    char *t = malloc(ROOM);
    ch_func *f = NULL;
    assert_non_null(t);
    size_t at = (size_t)snprintf(t, ROOM,
                                 "chaac-ir 1\nfunc @list(%%y0: f64[n,4], %%w: f64[4,4], %%i: i64[n], %%k: i64[]) -> "
                                 "(f64[], f64[n,4], f64[]) {\n");
    for (int i = 0; i < TURNS; i++) {
        at += (size_t)snprintf(t + at, ROOM - at, "  %%d%d = dot %%%c%d, %%w {contract = [1]x[0]} : f64[n,4]\n", i,
                               i == TURNS / 2 ? 'c' : 'y', i);
        at += (size_t)snprintf(t + at, ROOM - at, "  %%y%d = sin %%d%d : f64[n,4]\n", i + 1, i);
        if (i == TURNS / 2 - 1)
            at +=
                (size_t)snprintf(t + at, ROOM - at,
                                 "  %%c%d = scatter %%y%d, %%i, %%d%d {window_dims = [1], inserted = [0], index_map = "
                                 "[0], index_dim = 1, kind = add} : f64[n,4]\n",
                                 i + 1, i + 1, i);
    }
    at += (size_t)snprintf(t + at, ROOM - at,
                           "  %%r = reduce %%y%d {kind = sum, dims = [0,1], order = any} : f64[]\n"
                           "  %%z = const {value = 0} : i64[]\n  %%o = const {value = 1} : i64[]\n",
                           TURNS);
    at += (size_t)snprintf(t + at, ROOM - at,
                           loop ? "  %%q = for %%j = %%z to %%k step %%o iter(%%a = %%r) {\n    %%s = sin %%a : f64[]\n"
                                  "    yield %%s\n  } : f64[]\n"
                                : "  %%q = sin %%r : f64[]\n");
    snprintf(t + at, ROOM - at, "  return %%r, %%y%d, %%q\n}\n", TURNS);
    if (ch_func_parse(t, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    free(t);
    return f;
}

// A list of calls is compiled without optimization: loops that stand between them are functions. One that may leave the
// function stays, and all of the list is compiled as it was.
static void loops_between_calls_are_functions(void **state) {
    (void)state;
    for (int loop = 0; loop < 2; loop++) {
        ch_func *f = list_func(loop);
        assert_int_equal(print_of(f, "static void chaac_between_").s.functions, !loop);
        assert_int_equal(print_of(f, "CHAAC_LIST\n/* @list").s.functions, !loop);
        assert_int_equal(print_of(f, "CHAAC_ONCE\n/* @list").s.functions, loop);
        ch_func_destroy(f);
    }
}

static void lists_compute_the_same(void **state) {
    (void)state;
    enum { N = 7 };
    static const char *const engines[] = {"interp", "native"};
    for (int loop = 0; loop < 2; loop++) {
        ch_func *f = list_func(loop);
        double y[N * 4], w[16], got[2][2 + N * 4];
        int64_t index[N], turns = 5;
        for (int i = 0; i < N * 4; i++) y[i] = 0.1 * i - 1;
        for (int i = 0; i < 16; i++) w[i] = i % 5 == 0 ? 1.5 : 0.1 * i - 0.7;
        for (int i = 0; i < N; i++) index[i] = i * 5 % (N + 1); // one is beyond the end: it is left out
        for (int e = 0; e < 2; e++) {
            ch_scope scope = ch_scope_begin();
            ch_exec *exec = NULL;
            ch_tensor *in[] = {ch_from_f64(y, 2, (int64_t[]){N, 4}), ch_from_f64(w, 2, (int64_t[]){4, 4}),
                               ch_from_i64(index, 1, (int64_t[]){N}), ch_from_i64(&turns, 0, NULL)},
                      *out[3] = {NULL};
            if (ch_compile(f, engines[e], NULL, &exec) != CH_OK || ch_exec_run(exec, 4, in, 3, out) != CH_OK)
                fail_msg("%s", ch_error_message());
            assert_int_equal(ch_read_f64(out[0], &got[e][0], 1), CH_OK);
            assert_int_equal(ch_read_f64(out[2], &got[e][1], 1), CH_OK);
            assert_int_equal(ch_read_f64(out[1], &got[e][2], N * 4), CH_OK);
            for (int i = 0; i < 3; i++) ch_release(out[i]);
            ch_exec_release(exec);
            assert_int_equal(ch_scope_end(scope), CH_OK);
        }
        for (int i = 0; i < 2 + N * 4; i++) assert_true(fabs(got[0][i] - got[1][i]) <= 1e-9);
        ch_func_destroy(f);
    }
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_become_kernels_of_bounded_size),
        cmocka_unit_test(unrelated_arrays_share_a_function),
        cmocka_unit_test(numbers_become_functions_of_bounded_size),
        cmocka_unit_test(short_programs_stay_whole),
        cmocka_unit_test(text_is_linear),
        cmocka_unit_test(cut_programs_compute_the_same),
        cmocka_unit_test(loops_between_calls_are_functions),
        cmocka_unit_test(lists_compute_the_same),
    };
    return cmocka_run_group_tests_name("native_straight", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
