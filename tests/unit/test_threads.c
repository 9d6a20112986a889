// SPDX-License-Identifier: Apache-2.0
// test_threads.c - what threads may share: executables, funcs, realized and kept tensors, the log;
// and what each has for itself: scopes, errors, captures. Also run under ThreadSanitizer (./run tsan).
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "chaac/chaac.h"

enum { THREADS = 4, TIMES = 25 };

// A piece of work: gives NULL, or what went wrong.
typedef const char *(*work)(int number);
typedef struct {
    work fn;
    int number;
    const char *trouble;
} worker;

static void *work_on(void *arg) {
    worker *w = arg;
    w->trouble = w->fn(w->number);
    return NULL;
}

// Runs fn on THREADS threads, each with its number.
static void on_threads(work fn) {
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){fn, i, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, work_on, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].trouble != NULL) fail_msg("thread %d: %s", i, workers[i].trouble);
}

// ---- one executable, many callers, other sizes each time
static const char sum_of_squares[] = "chaac-ir 1\nfunc @f(%x: f64[n]) -> f64[] {\n  %s = mul %x, %x : f64[n]\n"
                                     "  %y = reduce %s {kind = sum, dims = [0]} : f64[]\n  return %y\n}\n";
static ch_func *shared_func;
static ch_exec *shared_exec;

static const char *run_shared(int number) {
    for (int k = 0; k < TIMES; k++) {
        ch_scope s = ch_scope_begin();
        int64_t n = 1 + k % 7 + number;
        ch_exec *mine = ch_exec_retain(shared_exec);
        ch_tensor *in[1] = {ch_add(ch_zeros(CH_F64, 1, &n), ch_scalar(CH_F64, 3))}, *out[1] = {NULL};
        double v = 0;
        if (ch_exec_run(mine, 1, in, 1, out) != CH_OK || ch_item(out[0], &v) != CH_OK) return "the run failed";
        if (v != (double)(9 * n)) return "another result";
        ch_release(out[0]);
        ch_exec_release(mine);
        if (ch_scope_end(s) != CH_OK) return "the scope did not end";
    }
    ch_thread_end();
    return NULL;
}

static void one_executable(void **state) {
    (void)state;
    assert_int_equal(ch_func_parse(sum_of_squares, "t", &shared_func), CH_OK);
    assert_int_equal(ch_compile(shared_func, "interp", NULL, &shared_exec), CH_OK);
    on_threads(run_shared);
    ch_exec_release(shared_exec);
    ch_func_destroy(shared_func);
}

// ---- one func: printed, differentiated and explained by all
static const char *read_func(int number) {
    (void)number;
    for (int k = 0; k < TIMES; k++) {
        ch_func *g = NULL;
        char *text = NULL;
        if (ch_value_and_grad(shared_func, "x", &g) != CH_OK) return "no gradient";
        if (ch_func_to_text(g, &text) != CH_OK || strstr(text, "x_bar") == NULL) return "no text";
        ch_string_free(text);
        ch_func_destroy(g);
        if (ch_func_num_ops(shared_func) != 2) return "another func";
    }
    ch_thread_end();
    return NULL;
}

static void one_func(void **state) {
    (void)state;
    assert_int_equal(ch_func_parse(sum_of_squares, "t", &shared_func), CH_OK);
    on_threads(read_func);
    ch_func_destroy(shared_func);
}

// ---- a tensor, realized and kept, is read and computed with by all
static ch_tensor *shared_tensor;

static const char *use_tensor(int number) {
    for (int k = 0; k < TIMES; k++) {
        ch_scope s = ch_scope_begin();
        ch_tensor *mine = ch_keep(shared_tensor);
        double v = 0, out[3];
        if (ch_read_f64(mine, out, 3) != CH_OK || out[2] != 3) return "another value";
        ch_tensor *y = ch_sum_all(ch_mul(mine, ch_scalar(CH_F64, (double)number)));
        if (ch_item(y, &v) != CH_OK || v != 6 * (double)number) return "another result";
        ch_release(mine);
        if (ch_scope_end(s) != CH_OK) return "the scope did not end";
    }
    ch_thread_end();
    return NULL;
}

static void one_tensor(void **state) {
    (void)state;
    shared_tensor = ch_keep(ch_from_f64((double[]){1, 2, 3}, 1, (int64_t[]){3}));
    assert_int_equal(ch_realize(shared_tensor), CH_OK);
    on_threads(use_tensor);
    ch_release(shared_tensor);
    ch_thread_end();
}

// ---- scopes, errors and captures are each thread's own
static ch_status cube(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_sum_all(ch_mul(ch_mul(in[0], in[0]), in[0]));
    return CH_OK;
}

static const char *live_alone(int number) {
    for (int k = 0; k < TIMES; k++) {
        ch_scope s = ch_scope_begin();
        ch_func *f = NULL;
        ch_tensor *x = ch_from_f64((double[]){(double)k}, 0, NULL);
        double v = 0;
        if (ch_item(ch_grad(ch_mul(x, x), x), &v) != CH_OK || v != 2.0 * k) return "another gradient";
        if (ch_capture(cube, NULL, "x: f64[n]", 1, &f) != CH_OK) return "no capture";
        ch_func_destroy(f);
        // Two kinds of mistakes at once on different threads: each sees its own.
        bool odd = (number + k) % 2 != 0;
        ch_status wrong = odd ? ch_capture(cube, NULL, "x f64", 1, &f) : ch_scope_end((ch_scope){1u << 30});
        if (wrong == CH_OK || strcmp(ch_error_id(), odd ? "signature" : "scope") != 0) return "another's error";
        if (ch_scope_end(s) != CH_OK) return "the scope did not end";
    }
    ch_thread_end();
    return NULL;
}

static void each_its_own(void **state) {
    (void)state;
    int64_t before = ch_tensors_alive();
    on_threads(live_alone);
    assert_int_equal(ch_tensors_alive(), before);
}

// ---- a tensor made on one thread, used up on another
static ch_tensor *made;
static const char *make_one(int number) {
    (void)number;
    ch_tensor *t = ch_keep(ch_from_f64((double[]){4, 5}, 1, (int64_t[]){2}));
    ch_status s = ch_realize(t);
    ch_thread_end();
    made = t;
    return s == CH_OK ? NULL : "not realized";
}

static void handed_over(void **state) {
    (void)state;
    pthread_t thread;
    worker maker = {make_one, 0, NULL};
    double v = 0;
    assert_int_equal(pthread_create(&thread, NULL, work_on, &maker), 0);
    pthread_join(thread, NULL);
    assert_null(maker.trouble);
    ch_tensor *t = made;
    assert_int_equal(ch_item(ch_sum_all(t), &v), CH_OK);
    assert_true(v == 9);
    ch_release(t);
    ch_thread_end();
}

// ---- the log is changed while others speak
static _Atomic int heard;
static void hear_all(void *user, int level, const char *message) {
    (void)user, (void)level, (void)message;
    atomic_fetch_add(&heard, 1);
}

static const char *speak(int number) {
    static const char text[] = "chaac-ir 1\nfunc @f(%x: f64[], %y: f64[]) -> f64[] {\n  %a = mul %x, %x : f64[]\n"
                               "  return %a\n}\n";
    for (int k = 0; k < TIMES; k++) {
        ch_func *f = NULL, *g = NULL;
        if (number == 0) ch_set_log(k % 2 == 0 ? NULL : hear_all, NULL);
        if (ch_func_parse(text, "t", &f) != CH_OK || ch_gradient(f, "x, y", &g) != CH_OK) return "no gradient";
        ch_func_destroy(g);
        ch_func_destroy(f);
    }
    ch_thread_end();
    return NULL;
}

static void the_log(void **state) {
    (void)state;
    ch_set_log(hear_all, NULL);
    on_threads(speak);
    ch_set_log(NULL, NULL);
    assert_in_range(atomic_load(&heard), 1, THREADS * TIMES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_executable), cmocka_unit_test(one_func),    cmocka_unit_test(one_tensor),
        cmocka_unit_test(each_its_own),   cmocka_unit_test(handed_over), cmocka_unit_test(the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
