// SPDX-License-Identifier: Apache-2.0
// test_native_donate.c - results of the native engine that take the memory of donated inputs.
#include "native_main.h"
#include "unit.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static ch_exec *native(const char *body) {
    char text[4096];
    ch_func *f = NULL;
    ch_exec *e = NULL;
    snprintf(text, sizeof text, "chaac-ir 1\n%s", body);
    if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    if (ch_compile(f, "native", NULL, &e) != CH_OK) fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
    return e;
}

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return 0;
}

static ch_tensor *filled(int rank, const int64_t *dims, double first) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    float *x = malloc((size_t)n * sizeof *x + 1);
    for (int64_t i = 0; i < n; i++) x[i] = (float)(first + (double)(i % 97) * 0.25);
    ch_tensor *t = ch_from_f32(x, rank, dims);
    free(x);
    return t;
}

static ch_status run(ch_exec *e, const char *donate, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    unsigned char flags[16];
    for (int i = 0; i < n_in; i++) flags[i] = donate[i] == 'd';
    ch_run_options o = {.struct_size = sizeof o, .donate = flags};
    for (int i = 0; i < n_out; i++) out[i] = NULL;
    return ch_exec_run_with(e, &o, n_in, in, n_out, out);
}

static void must_run(ch_exec *e, const char *donate, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    if (run(e, donate, n_in, in, n_out, out) != CH_OK) fail_msg("%s", ch_error_message());
}

static float at(ch_tensor *t, int64_t i) { return ((const float *)ch_data(t))[i]; }

static const char sgd[] = "func @sgd(%w: f32[n,m], %g: f32[n,m], %b: f32[m], %h: f32[m]) -> (f32[m], f32[n,m]) {\n"
                          "  %c = add %b, %h : f32[m]\n  %v = add %w, %g : f32[n,m]\n  return %c, %v\n}\n";

// Each parameter's new value lies where the old one was, whatever the order; one more compile for a set of donated
// inputs, none for another size.
static void new_values_take_the_old_ones_memory(void **state) {
    (void)state;
    ch_exec *e = native(sgd);
    for (int64_t n = 3; n < 300; n += 148) {
        int64_t before = ch__native_compiles(), dims[2] = {n, 70};
        ch_tensor *in[4] = {filled(2, dims, 1), filled(2, dims, 5), filled(1, dims + 1, 2), filled(1, dims + 1, 7)};
        ch_tensor *out[2];
        assert_int_equal(ch_realize_all(4, in), CH_OK);
        const void *w = ch_data(in[0]), *b = ch_data(in[2]);
        must_run(e, "d.d.", 4, in, 2, out);
        assert_ptr_equal(ch_data(out[0]), b);
        assert_ptr_equal(ch_data(out[1]), w);
        for (int64_t i = 0; i < 70; i++) assert_true(at(out[0], i) == 9 + 0.5f * (float)(i % 97));
        for (int64_t i = 0; i < n * 70; i++) assert_true(at(out[1], i) == 6 + 0.5f * (float)(i % 97));
        assert_int_equal(ch__native_compiles() - before, n == 3 ? 1 : 0);
        assert_true(ch_realize(in[0]) != CH_OK); // gone
        assert_true(at(in[1], 1) == 5.25f);      // kept
        ch_release(out[0]);
        ch_release(out[1]);
    }
    ch_exec_release(e);
}

// One alone may be donated; nothing is compiled where no result has an input's type.
static void sets_of_donated_inputs(void **state) {
    (void)state;
    ch_exec *e = native(sgd);
    const int64_t dims[2] = {40, 30};
    static const char *const sets[] = {"d...", ".d..", "..d.", "...d", "dd..", "....", "d...", "dddd"};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        ch_tensor *in[4] = {filled(2, dims, 1), filled(2, dims, 5), filled(1, dims + 1, 2), filled(1, dims + 1, 7)};
        ch_tensor *out[2];
        assert_int_equal(ch_realize_all(4, in), CH_OK);
        const void *p[4];
        for (int i = 0; i < 4; i++) p[i] = ch_data(in[i]);
        int64_t before = ch__native_compiles();
        must_run(e, sets[k], 4, in, 2, out);
        const char *s = sets[k];
        for (int half = 0; half < 2; half++) { // of two that are donated, one
            const void *r = ch_data(out[1 - half]), *x = p[2 * half], *y = p[2 * half + 1];
            bool dx = s[2 * half] == 'd', dy = s[2 * half + 1] == 'd';
            if ((dx || dy) && !(dx && r == x) && !(dy && r == y)) fail_msg("%s", s);
        }
        for (int i = 0; i < 4; i++)
            if (s[i] != 'd') assert_true(ch_data(out[0]) != p[i] && ch_data(out[1]) != p[i]);
        assert_true(at(out[0], 3) == 10.5f && at(out[1], 96) == 54);
        if (k == 5 || k == 6) assert_int_equal(ch__native_compiles() - before, 0);
        ch_release(out[0]);
        ch_release(out[1]);
    }
    ch_exec_release(e);
    ch_exec *sum =
        native("func @s(%x: f32[n]) -> f32[] {\n  %y = reduce %x {kind = sum, dims = [0]} : f32[]\n  return %y\n}\n");
    ch_tensor *x = filled(1, dims, 0), *out[1];
    int64_t before = ch__native_compiles();
    must_run(sum, "d", 1, &x, 1, out);
    assert_int_equal(ch__native_compiles() - before, 0);
    ch_release(out[0]);
    ch_exec_release(sum);
}

// A product goes over an input that was read before, a loop over one it reads at its own element; a result whose
// elements are read from elsewhere in the input is made in memory of its own.
static void where_it_may_be_written(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool over;
    } cases[] = {
        {"func @mlp(%x: f32[n,64], %w: f32[64,64]) -> f32[n,64] {\n"
         "  %h = dot %x, %w {contract = [1]x[0]} : f32[n,64]\n"
         "  %r = tanh %h : f32[n,64]\n"
         "  %y = dot %r, %w {contract = [1]x[0]} : f32[n,64]\n  return %y\n}\n",
         true},
        {"func @one(%x: f32[n,64], %w: f32[64,64]) -> f32[n,64] {\n"
         "  %h = dot %x, %w {contract = [1]x[0]} : f32[n,64]\n  return %h\n}\n",
         false},
        {"func @turned(%x: f32[n,64], %w: f32[64,64]) -> f32[n,64] {\n"
         "  %h = reverse %x {dims = [0]} : f32[n,64]\n  %y = add %h, %x : f32[n,64]\n  return %y\n}\n",
         false},
        {"func @norm(%x: f32[n,64], %w: f32[64,64]) -> f32[n,64] {\n"
         "  %s = reduce %x {kind = sum, dims = [1]} : f32[n]\n  %b = broadcast %s {dims = [0]} : f32[n,64]\n"
         "  %y = sub %x, %b : f32[n,64]\n  return %y\n}\n",
         true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ch_exec *e = native(cases[k].text), *r = NULL;
        ch_func *f = NULL;
        char text[4096];
        snprintf(text, sizeof text, "chaac-ir 1\n%s", cases[k].text);
        assert_int_equal(ch_func_parse(text, "t.ir", &f), CH_OK);
        assert_int_equal(ch_compile(f, "interp", NULL, &r), CH_OK);
        ch_func_destroy(f);
        const int64_t dims[2] = {130, 64}, square[2] = {64, 64};
        ch_tensor *in[2] = {filled(2, dims, -12), filled(2, square, -9)}, *out[1], *want[1] = {NULL};
        assert_int_equal(ch_exec_run(r, 2, in, 1, want), CH_OK);
        assert_int_equal(ch_realize_all(2, in), CH_OK);
        const void *x = ch_data(in[0]);
        must_run(e, "d.", 2, in, 1, out);
        if ((ch_data(out[0]) == x) != cases[k].over) fail_msg("%s", cases[k].text);
        for (int64_t i = 0; i < 130 * 64; i++)
            if (!(fabsf(at(out[0], i) - at(want[0], i)) <= 1e-3f * (1 + fabsf(at(want[0], i)))))
                fail_msg("%s%lld: %g instead of %g", cases[k].text, (long long)i, (double)at(out[0], i),
                         (double)at(want[0], i));
        ch_release(out[0]);
        ch_release(want[0]);
        ch_exec_release(e);
        ch_exec_release(r);
    }
}

static const char doubled[] = "func @d(%x: f32[n]) -> f32[n] {\n  %y = add %x, %x : f32[n]\n  return %y\n}\n";

// Memory that is the caller's, that another tensor has a part in, or that is a part of another's, is only read.
static void memory_of_others_stays(void **state) {
    (void)state;
    ch_exec *e = native(doubled);
    static float own[6] = {1, 2, 3, 4, 5, 6};
    const int64_t six = 6;
    ch_tensor *in[3] = {ch_borrow(CH_F32, own, 1, &six, NULL, NULL), filled(1, &six, 3), NULL};
    in[2] = filled(1, &six, 4);
    ch_tensor *copy = ch_detach(in[1]);
    assert_int_equal(ch_realize_all(3, in), CH_OK);
    assert_int_equal(ch_realize(copy), CH_OK);
    ch_tensor *part = ch_slice_axis(in[2], 0, 1, 4);
    assert_int_equal(ch_realize(part), CH_OK);
    for (int k = 0; k < 3; k++) {
        ch_tensor *x = k < 2 ? in[k] : part, *out[1];
        const void *p = ch_data(x);
        must_run(e, "d", 1, &x, 1, out);
        assert_true(ch_data(out[0]) != p);
        ch_release(out[0]);
    }
    assert_true(own[5] == 6 && at(copy, 1) == 3.25f && at(in[2], 1) == 4.25f);
    ch_exec_release(e);
}

// What the func itself updates in place is not copied when it is donated.
static void inout_params(void **state) {
    (void)state;
    ch_exec *e = native("func @f(%x: inout(0) f32[n]) -> f32[n] {\n  %y = add %x, %x : f32[n]\n  return %y\n}\n");
    const int64_t n = 1000;
    int64_t before = ch__native_compiles();
    ch_tensor *x = filled(1, &n, 1), *out[1];
    assert_int_equal(ch_realize(x), CH_OK);
    const void *p = ch_data(x);
    must_run(e, "d", 1, &x, 1, out);
    assert_ptr_equal(ch_data(out[0]), p);
    assert_true(at(out[0], 4) == 4);
    assert_int_equal(ch__native_compiles(), before);
    ch_release(out[0]);
    ch_exec_release(e);
}

// A result that the caller lays over a donated input: code for that too.
static void given_results_over_donated_inputs(void **state) {
    (void)state;
    ch_exec *e = native(doubled);
    const int64_t n = 1000;
    ch_tensor *x = filled(1, &n, 1);
    assert_int_equal(ch_realize(x), CH_OK);
    ch_tensor *out[1] = {x};
    ch_run_options o = {.struct_size = sizeof o, .donate = (unsigned char[]){1}};
    ch_status s = ch_exec_run_with(e, &o, 1, &x, 1, out);
    assert_int_equal(s, CH_OK);
    assert_true(at(x, 4) == 4 && at(x, 5) == 4.5f);
    out[0] = x; // again, by code that is there
    int64_t before = ch__native_compiles();
    assert_int_equal(ch_exec_run_with(e, &o, 1, &x, 1, out), CH_OK);
    assert_true(at(x, 4) == 8 && ch__native_compiles() == before);
    ch_exec_release(e);
}

// An index that is out of range is found when the input is written over already, and would be in range then.
static void stopped_in_place(void **state) {
    (void)state;
    ch_exec *e = native("func @g(%x: i64[n], %t: f32[m]) -> (i64[n], f32[]) {\n  %c = const {value = 1000} : i64[]\n"
                        "  %b = broadcast %c {dims = []} : i64[n]\n  %y = sub %b, %x : i64[n]\n"
                        "  %zero = const {value = 0} : i64[]\n  %k = get %y[%zero] : i64[]\n  %z = get %t[%k] : f32[]\n"
                        "  return %y, %z\n}\n");
    const int64_t n = 50, m = 10;
    int64_t right[50], wrong[50];
    for (int i = 0; i < 50; i++) right[i] = 993 + i, wrong[i] = 5 + i;
    ch_tensor *in[2] = {ch_from_i64(right, 1, &n), filled(1, &m, 0)}, *out[2];
    must_run(e, "d.", 2, in, 2, out);
    assert_true(at(out[1], 0) == 7 * 0.25f);
    ch_release(out[0]);
    ch_release(out[1]);
    in[0] = ch_from_i64(wrong, 1, &n);
    assert_int_equal(run(e, "d.", 2, in, 2, out), CH_DATA_LOSS);
    assert_string_equal(ch_error_message(),
                        "run: @g stopped at an index or a size that is out of range, after it had written over inputs "
                        "— their elements are lost; on the engine \"interp\" it says where");
    assert_null(out[0]);
    assert_null(out[1]);
    ch_exec_release(e);
}

// More sets than are kept: the others give their memory back, as without.
static void many_sets(void **state) {
    (void)state;
    ch_exec *e = native("func @m(%a: f32[n], %b: f32[n], %c: f32[n], %d: f32[n], %e: f32[n]) -> f32[n] {\n"
                        "  %r = add %a, %b : f32[n]\n  %s = add %c, %d : f32[n]\n  %t = add %r, %s : f32[n]\n"
                        "  %u = add %t, %e : f32[n]\n  return %u\n}\n");
    const int64_t n = 100;
    int taken = 0;
    for (int set = 1; set < 32; set++) {
        ch_tensor *in[5], *out[1];
        char donate[6] = "";
        const void *p[5];
        for (int i = 0; i < 5; i++) {
            in[i] = filled(1, &n, i);
            donate[i] = set >> i & 1 ? 'd' : '.';
            assert_int_equal(ch_realize(in[i]), CH_OK);
            p[i] = ch_data(in[i]);
        }
        must_run(e, donate, 5, in, 1, out);
        assert_true(at(out[0], 2) == 10 + 5 * 0.5f);
        for (int i = 0; i < 5; i++) taken += ch_data(out[0]) == p[i];
        ch_release(out[0]);
    }
    assert_true(taken >= 16 && taken < 31);
    ch_exec_release(e);
}

static void *runs(void *arg) {
    ch_exec *e = arg;
    const int64_t n = 500;
    intptr_t wrong = 0;
    for (int k = 0; k < 40; k++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *x = filled(1, &n, k), *out[1];
        if (run(e, "d", 1, &x, 1, out) != CH_OK || at(out[0], 3) != 2 * ((float)k + 0.75f)) wrong++;
        ch_release(out[0]);
        if (ch_scope_end(scope) != CH_OK) wrong++;
    }
    ch_thread_end();
    return (void *)wrong;
}

static void threads_at_once(void **state) {
    (void)state;
    ch_exec *e = native(doubled);
    pthread_t t[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, runs, e), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        assert_null(wrong);
    }
    ch_exec_release(e);
}

// Wherever memory ends, the run fails with that, or its results are right in memory of their own.
static void memory_ends_anywhere(void **state) {
    (void)state;
    const int64_t n = 500;
    ch_exec *e = native(doubled);
    int failures = 0, others = 0;
    bool taken = false;
    for (int k = 1; k < 2000 && !taken; k++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *x = filled(1, &n, 1), *out[1];
        assert_int_equal(ch_realize(x), CH_OK);
        const void *p = ch_data(x);
        ch__alloc_fail_at(k, false);
        ch_status s = run(e, "d", 1, &x, 1, out);
        ch__alloc_fail_at(0, false);
        if (s == CH_OK) {
            taken = ch_data(out[0]) == p;
            others += !taken;
            assert_true(at(out[0], 3) == 3.5f);
        } else {
            assert_int_equal(s, CH_RESOURCE_EXHAUSTED);
            failures++;
        }
        ch_release(out[0]);
        assert_int_equal(ch_scope_end(scope), CH_OK);
    }
    assert_true(taken && failures > 0 && others > 0);
    ch_exec_release(e);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(new_values_take_the_old_ones_memory, end_thread),
        cmocka_unit_test_teardown(sets_of_donated_inputs, end_thread),
        cmocka_unit_test_teardown(where_it_may_be_written, end_thread),
        cmocka_unit_test_teardown(memory_of_others_stays, end_thread),
        cmocka_unit_test_teardown(inout_params, end_thread),
        cmocka_unit_test_teardown(given_results_over_donated_inputs, end_thread),
        cmocka_unit_test_teardown(stopped_in_place, end_thread),
        cmocka_unit_test_teardown(many_sets, end_thread),
        cmocka_unit_test_teardown(threads_at_once, end_thread),
        cmocka_unit_test_teardown(memory_ends_anywhere, end_thread),
    };
    return cmocka_run_group_tests_name("native_donate", tests, NULL, NULL);
}

int main(void) { return native_main_alone(run_all); }
