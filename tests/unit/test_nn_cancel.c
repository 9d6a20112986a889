// SPDX-License-Identifier: Apache-2.0
// test_nn_cancel.c - a step of a trainer is given up in its middle: nothing has changed, and the same step goes through
// later with the values it would have had.
#include "base/base.h"
#include "chaac/chaac.h"
#include "native/native.h"

#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static int end_thread(void **state) {
    (void)state;
    ch_set_cancel(NULL);
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

enum { ROWS = 64, WIDE = 128, LAYERS = 8 };

static ch_tensor *rows_x(void) { return ch_sin(ch_iota(CH_F32, 2, (int64_t[]){ROWS, WIDE}, 1)); }
static ch_tensor *rows_y(void) { return ch_zeros(CH_I32, 1, (int64_t[]){ROWS}); }
static ch_model *net(void) {
    int64_t sizes[LAYERS];
    for (int i = 0; i < LAYERS; i++) sizes[i] = WIDE;
    return ch_mlp(sizes, LAYERS, CH_TANH, ch_key_make(3));
}
static ch_trainer *trainer_of(ch_model *m, ch_trainer_options o) {
    ch_trainer *t = NULL;
    o.struct_size = sizeof o;
    if (o.engine == NULL) o.engine = "interp";
    if (ch_trainer_create_with(m, ch_softmax_cross_entropy, ch_adam(0.01), &o, &t) != CH_OK)
        fail_msg("%s", ch_error_message());
    return t;
}

static bool same(const ch_trainer *t, const ch_trainer *u, const ch_model *a, const ch_model *b) {
    for (int i = 0; i < ch_model_num_params(a); i++) {
        ch_tensor *p = ch_model_param(a, i), *q = ch_model_param(b, i);
        if (memcmp(ch_data(p), ch_data(q), (size_t)ch_tensor_numel(p) * 4) != 0) return false;
    }
    for (int i = 0; ch_trainer_state_name(t, i) != NULL; i++) {
        ch_tensor *p = ch_trainer_state(t, i), *q = ch_trainer_state(u, i);
        if (memcmp(ch_data(p), ch_data(q), (size_t)ch_tensor_numel(p) * 4) != 0) return false;
    }
    return ch_trainer_steps(t) == ch_trainer_steps(u);
}

// ---- somebody who sets the token while a step is under way
typedef struct {
    volatile int token;
    atomic_int go;
    int64_t allocations; // set after so many; 0: after `wait`
    long wait;           // nanoseconds
    int64_t from;
} canceller;

static void *cancel_later(void *arg) {
    canceller *c = arg;
    while (atomic_load(&c->go) == 0) {}
    if (c->allocations > 0)
        while (atomic_load(&c->go) == 1 && ch__alloc_count() - c->from < c->allocations) {}
    else
        nanosleep(&(struct timespec){0, c->wait}, NULL);
    c->token = 1;
    return NULL;
}

static ch_status step_cancelled(ch_trainer *t, ch_tensor *x, ch_tensor *y, int64_t allocations, long wait) {
    canceller c = {.allocations = allocations, .wait = wait, .from = ch__alloc_count()};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, cancel_later, &c), 0);
    ch_set_cancel(&c.token);
    atomic_store(&c.go, 1);
    ch_status s = ch_trainer_step(t, x, y, NULL);
    atomic_store(&c.go, 2);
    pthread_join(other, NULL);
    ch_set_cancel(NULL);
    return s;
}

static void ok(ch_status s) {
    if (s != CH_OK) fail_msg("%s", ch_error_message());
}

static void on_the_interpreter(ch_trainer_options o) {
    ch_model *a = net(), *b = net();
    ch_trainer *t = trainer_of(a, o), *u = trainer_of(b, o);
    ch_tensor *x = rows_x(), *y = rows_y();
    int cancelled = 0;
    int64_t whole = 0;
    for (int i = 0; i < 2; i++) { // one captures, the other shows how much a step allocates
        whole = ch__alloc_count();
        ok(ch_trainer_step(t, x, y, NULL));
        whole = ch__alloc_count() - whole;
        ok(ch_trainer_step(u, x, y, NULL));
    }
    for (int i = 0; i < 12; i++) { // the token is set after more and more of the step
        ch_status s = step_cancelled(t, x, y, 1 + whole * i / 12, 0);
        if (s == CH_CANCELLED) {
            cancelled++;
            assert_string_equal(ch_error_id(), "cancelled");
            assert_true(same(t, u, a, b));
            ok(ch_trainer_step(t, x, y, NULL));
        } else {
            ok(s);
        }
        ok(ch_trainer_step(u, x, y, NULL));
        assert_true(same(t, u, a, b));
    }
    print_message("# %d of 12 steps were cancelled, of %d allocations\n", cancelled, (int)whole);
    assert_true(cancelled >= 1);
    ch_trainer_destroy(t), ch_trainer_destroy(u);
    ch_model_destroy(a), ch_model_destroy(b);
}

static void steps(void **state) {
    (void)state;
    on_the_interpreter((ch_trainer_options){.average = 0.5});
}
static void steps_that_gather(void **state) {
    (void)state;
    on_the_interpreter((ch_trainer_options){.accumulate = 3, .clip_norm = 1});
}

// Before anything ran, and a prediction.
static void before_it_begins(void **state) {
    (void)state;
    volatile int set = 1;
    ch_model *a = net(), *b = net();
    ch_trainer *t = trainer_of(a, (ch_trainer_options){0}), *u = trainer_of(b, (ch_trainer_options){0});
    ch_tensor *x = rows_x(), *y = rows_y(), *out = NULL;
    ok(ch_realize_all(2, (ch_tensor *[]){x, y}));
    ch_set_cancel(&set);
    assert_int_equal(ch_trainer_step(t, x, y, NULL), CH_CANCELLED);
    assert_int_equal(ch_trainer_predict(t, x, &out), CH_CANCELLED);
    assert_null(out);
    ch_set_cancel(NULL);
    assert_true(same(t, u, a, b));
    ok(ch_trainer_predict(t, x, &out));
    ch_release(out);
    ch_trainer_destroy(t), ch_trainer_destroy(u);
    ch_model_destroy(a), ch_model_destroy(b);
}

// The token of the call goes before the thread's.
static void executables(void **state) {
    (void)state;
    volatile int set = 1, clear = 0;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    ok(ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[n]) -> f32[n] {\n  %y = sin %x : f32[n]\n  return %y\n}\n", NULL,
                     &f));
    ok(ch_compile(f, "interp", NULL, &e));
    ch_tensor *x = ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2}), *y = NULL;
    ch_set_cancel(&set);
    assert_int_equal(ch_exec_run(e, 1, &x, 1, &y), CH_CANCELLED);
    assert_string_equal(ch_error_message(), "run: @f was cancelled by the caller");
    ch_run_options o = {.struct_size = sizeof o, .cancel = &clear};
    ok(ch_exec_run_with(e, &o, 1, &x, 1, &y));
    o.cancel = NULL; // options that say nothing of it: the thread's
    assert_int_equal(ch_exec_run_with(e, &o, 1, &x, 1, &y), CH_CANCELLED);
    ch_set_cancel(NULL);
    ch_release(y);
    o.cancel = &set;
    y = NULL;
    assert_int_equal(ch_exec_run_with(e, &o, 1, &x, 1, &y), CH_CANCELLED);
    assert_null(y);
    ch_exec_release(e);
    ch_func_destroy(f);
}

static void nothing(void *arg, int64_t begin, int64_t end) { *(int64_t *)arg += end - begin; }

static void on_the_native_engine(void **state) {
    (void)state;
    volatile int set = 1;
    int64_t n = 0;
    float one = 1, out = 5;
    ch__native_watch(&set); // what compiled code calls
    assert_int_equal(ch__native_parallel(10, 1, nothing, &n), CH__NATIVE_CANCELLED);
    assert_int_equal(ch__native_dot(CH_F32, CH_F32, 1, 1, 1, &one, 1, 1, &one, 1, 1, &out), CH__NATIVE_CANCELLED);
    ch__native_watch(NULL);
    assert_int_equal(ch__native_parallel(10, 1, nothing, &n), 0);
    assert_true(n == 10 && out == 5);
    if (ch__native_compiler() == NULL) CH_SKIP("no C compiler");
    ch_model *a = net(), *b = net();
    const ch_trainer_options o = {.engine = "native"};
    ch_trainer *t = trainer_of(a, o), *u = trainer_of(b, o);
    ch_tensor *x = rows_x(), *y = rows_y();
    ok(ch_trainer_step(t, x, y, NULL)); // compiled
    ok(ch_trainer_step(u, x, y, NULL));
    int cancelled = 0;
    for (int i = 0; i < 30; i++) { // a third of the steps is over before the token is set, or so
        ch_status s = step_cancelled(t, x, y, 0, 300000L * (i % 10));
        if (s != CH_OK) {
            assert_int_equal(s, CH_CANCELLED);
            assert_true(same(t, u, a, b));
            cancelled++;
            continue;
        }
        ok(ch_trainer_step(u, x, y, NULL));
        assert_true(same(t, u, a, b));
    }
    print_message("# %d of 30 steps were cancelled\n", cancelled);
    ch_trainer_destroy(t), ch_trainer_destroy(u);
    ch_model_destroy(a), ch_model_destroy(b);
}

static void batches_go_back(void **state) {
    (void)state;
    ch_batches *b = NULL;
    ch_tensor *x = ch_iota(CH_F32, 2, (int64_t[]){6, 1}, 0), *y = ch_iota(CH_I32, 1, (int64_t[]){6}, 0), *bx, *by;
    ok(ch_batches_create(x, y, 2, ch_key_make(1), &b));
    assert_int_equal(ch_batches_back(b), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_batches_back(NULL), CH_INVALID_ARGUMENT);
    ok(ch_batches_set_order(b, (int64_t[]){5, 0, 3, 1, 4, 2}, 6)); // an order that is given stays, too
    for (int epoch = 0; epoch < 3; epoch++)
        for (int i = 0; i < 3; i++) {
            int32_t first[2], again[2];
            if (i == 0 && epoch > 0) assert_int_equal(ch_batch_next(b, &bx, &by), 0);
            assert_int_equal(ch_batch_next(b, &bx, &by), 1);
            ok(ch_read_i32(by, first, 2));
            ok(ch_batches_back(b));
            assert_int_equal(ch_batch_next(b, &bx, &by), 1);
            ok(ch_read_i32(by, again, 2));
            assert_memory_equal(first, again, sizeof first);
            if (i == 0 && epoch == 0) assert_true(first[0] == 5 && first[1] == 0);
        }
    ch_batches_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(steps, end_thread),
        cmocka_unit_test_teardown(steps_that_gather, end_thread),
        cmocka_unit_test_teardown(before_it_begins, end_thread),
        cmocka_unit_test_teardown(executables, end_thread),
        cmocka_unit_test_teardown(on_the_native_engine, end_thread),
        cmocka_unit_test_teardown(batches_go_back, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
