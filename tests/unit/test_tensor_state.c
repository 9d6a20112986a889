// SPDX-License-Identifier: Apache-2.0
// test_tensor_state.c - assignment: what was built before reads the old value, what comes after the new one; parts are
// written in place when nothing else wants the old; nothing is left behind. Hazards have the numbers of docs/jit.md,
// whose tests look at the same on replayed functions.
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interp/exec.h"
#include "tensor/tensor.h"

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static void ok(ch_status s) {
    if (s != CH_OK) fail_msg("%s", ch_error_message());
}

static void is(ch_tensor *t, int n, const float *want) {
    float got[64];
    ok(ch_read_f32(t, got, n));
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) fail_msg("element %d is %g, not %g", i, (double)got[i], (double)want[i]);
}
#define IS(t, ...) is((t), (int)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)), (float[]){__VA_ARGS__})

static ch_tensor *vec(int n, const float *x) { return ch_from_f32(x, 1, (int64_t[]){n}); }
#define VEC(...) vec((int)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)), (float[]){__VA_ARGS__})
static ch_tensor *plus(ch_tensor *x, double k) { return ch_add(x, ch_scalar(CH_F32, k)); }
static ch_tensor *part(ch_tensor *x, int64_t from, int64_t to) { return ch_slice_axis(x, 0, from, to); }
static int64_t copies(void) { return ch__interp_counts_here()->copies; }

// case 78 of the hazards
static void old_value_and_new_value(void **state) {
    (void)state;
    ch_tensor *s = VEC(1, 2, 3), *realized = plus(s, 0), *lazy = plus(s, 0);
    ok(ch_realize(realized));
    ok(ch_assign(s, plus(s, 10)));
    ch_tensor *after = plus(s, 0);
    IS(s, 11, 12, 13);
    IS(lazy, 1, 2, 3);
    IS(realized, 1, 2, 3);
    IS(after, 11, 12, 13);
}

// case 79 of the hazards
static void two_writes_with_a_read_between(void **state) {
    (void)state;
    ch_tensor *s = VEC(1, 2, 3, 4);
    ok(ch_assign(part(s, 0, 2), VEC(10, 20)));
    ch_tensor *between = plus(s, 1);
    ok(ch_assign(part(s, 1, 3), VEC(7, 8)));
    IS(s, 10, 7, 8, 4);
    IS(between, 11, 21, 4, 5);
}

// case 77 of the hazards
static void a_window_of_the_state_that_is_written(void **state) {
    (void)state;
    ch_tensor *s = VEC(1, 2, 3, 4), *window = part(s, 1, 3);
    ok(ch_assign(s, plus(s, 1)));
    IS(window, 2, 3);
    IS(part(s, 1, 3), 3, 4);
    IS(s, 2, 3, 4, 5);
}

// case 90 of the hazards
static void permuted_and_shifted_reads(void **state) {
    (void)state;
    ch_tensor *s = VEC(1, 2, 3, 4, 5, 6);
    ok(ch_assign(s, ch_add(ch_reverse(s, 1, (int[]){0}), VEC(10, 20, 30, 40, 50, 60))));
    IS(s, 16, 25, 34, 43, 52, 61);
    ok(ch_assign(part(s, 1, 6), plus(part(s, 0, 5), 1)));
    IS(s, 16, 17, 26, 35, 44, 53);
    ok(ch_assign(part(s, 0, 5), plus(part(s, 1, 6), 1)));
    IS(s, 18, 27, 36, 45, 54, 53);
    ch_tensor *m = ch_from_f32((float[]){1, 2, 3, 4}, 2, (int64_t[]){2, 2});
    ok(ch_assign(m, plus(ch_transpose(m, 2, NULL), 1)));
    IS(m, 2, 4, 3, 5);
    ok(ch_assign(ch_transpose(m, 2, NULL), m));
    IS(m, 2, 3, 4, 5);
    enum { N = 4096 };
    float *x = ch_memory_alloc(N * sizeof *x);
    for (int i = 0; i < N; i++) x[i] = (float)i;
    ch_tensor *t = ch_from_f32(x, 1, (int64_t[]){N});
    ok(ch_assign(part(t, 1, N), part(t, 0, N - 1)));
    ok(ch_read_f32(t, x, N));
    for (int i = 0; i < N; i++) assert_true(x[i] == (float)(i == 0 ? 0 : i - 1));
    ch_memory_free(x);
}

static void views_that_are_assigned(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f32((float[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 2, (int64_t[]){3, 4});
    ch_tensor *column = part(ch_transpose(x, 2, NULL), 1, 2); // [1,3]
    ok(ch_assign(column, ch_from_f32((float[]){10, 50, 90}, 2, (int64_t[]){1, 3})));
    IS(column, 10, 50, 90);
    IS(x, 0, 10, 2, 3, 4, 50, 6, 7, 8, 90, 10, 11);
    ok(ch_assign(column, plus(column, 1))); // it is a view still
    IS(x, 0, 11, 2, 3, 4, 51, 6, 7, 8, 91, 10, 11);
    ch_tensor *step =
        ch_slice(ch_reverse(x, 1, (int[]){1}), 2, (int64_t[]){0, 0}, (int64_t[]){3, 4}, (int64_t[]){2, 2});
    IS(step, 3, 11, 11, 91); // columns 3 and 1 of rows 0 and 2
    ok(ch_assign(step, ch_scalar(CH_F32, -1)));
    IS(x, 0, -1, 2, -1, 4, 51, 6, 7, 8, -1, 10, -1);
    ok(ch_assign(part(ch_reshape(x, 1, (int64_t[]){12}), 3, 6), VEC(1, 2, 3)));
    IS(x, 0, -1, 2, 1, 2, 3, 6, 7, 8, -1, 10, -1);
    ch_tensor *rows = part(x, 1, 3), *row = part(rows, 1, 2);
    ok(ch_assign(row, ch_scalar(CH_F32, 0)));
    IS(rows, 2, 3, 6, 7, 0, 0, 0, 0); // the views on the way follow
    IS(x, 0, -1, 2, 1, 2, 3, 6, 7, 0, 0, 0, 0);
    ch_tensor *at = ch_from_i64((int64_t[]){1}, 0, NULL);
    ok(ch_assign(ch_dynamic_slice(x, 2, (ch_tensor *[]){at, at}, (int64_t[]){1, 2}), ch_scalar(CH_F32, 4)));
    IS(x, 0, -1, 2, 1, 2, 4, 4, 7, 0, 0, 0, 0);
}

static void what_cannot_be_assigned(void **state) {
    (void)state;
    ch_tensor *x = VEC(1, 2, 3);
    assert_int_equal(ch_assign(x, VEC(1, 2)), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "assign: f32[2] to f32[3] — the value must have the shape of the "
                                            "destination, or broadcast to it");
    assert_int_equal(ch_assign(x, ch_from_i32((int32_t[]){1, 2, 3}, 1, (int64_t[]){3})), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "assign: i32[3] to f32[3] — dtypes do not mix; ch_convert the value");
    assert_int_equal(ch_assign(ch_broadcast_to(x, 2, (int64_t[]){2, 3}), ch_scalar(CH_F32, 1)), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_id(), "assign");
    assert_int_equal(ch_assign(NULL, x), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_assign(x, ch_add(x, VEC(1, 2))), CH_INVALID_ARGUMENT);
    IS(x, 1, 2, 3);
}

static void parts_are_written_in_place(void **state) {
    (void)state;
    ch_tensor *x = ch_keep(ch_zeros(CH_F32, 1, (int64_t[]){8}));
    ok(ch_realize(x));
    ch_scope s = ch_scope_begin();
    ok(ch_assign(part(x, 0, 1), VEC(1)));
    ok(ch_realize(x));
    ok(ch_scope_end(s));
    const void *where = ch_data(x);
    int64_t before = copies();
    for (int i = 0; i < 4; i++) {
        s = ch_scope_begin();
        ok(ch_assign(part(x, i, i + 2), VEC((float)i, (float)i + 10)));
        ch_tensor *sum = ch_sum_all(x);
        ok(ch_realize(sum)); // does the assignment too
        assert_true(ch_is_realized(x));
        ok(ch_scope_end(s));
    }
    assert_int_equal(copies() - before, 0);
    assert_ptr_equal(ch_data(x), where);
    IS(x, 0, 1, 2, 3, 13, 0, 0, 0);
    // reads of the old value within the program: the engine puts them before the write
    s = ch_scope_begin();
    ch_tensor *shifted = part(x, 0, 4);
    ok(ch_assign(part(x, 1, 5), plus(shifted, 1)));
    ok(ch_realize(x));
    assert_int_equal(copies() - before, 0);
    IS(shifted, 0, 1, 2, 3);
    IS(x, 0, 1, 2, 3, 4, 0, 0, 0);
    ok(ch_scope_end(s));
    assert_ptr_equal(ch_data(x), where);
    // somebody outside wants the old value: one copy
    s = ch_scope_begin();
    ch_tensor *old = plus(x, 0);
    ok(ch_assign(part(x, 0, 2), VEC(5, 6)));
    ok(ch_realize(x));
    assert_int_equal(copies() - before, 1);
    IS(old, 0, 1, 2, 3, 4, 0, 0, 0);
    IS(x, 5, 6, 2, 3, 4, 0, 0, 0);
    ok(ch_scope_end(s));
    // a realized view shares the storage: a copy again
    s = ch_scope_begin();
    ch_tensor *view = part(x, 2, 4);
    ok(ch_realize(view));
    ok(ch_assign(part(x, 0, 2), VEC(7, 8)));
    IS(x, 7, 8, 2, 3, 4, 0, 0, 0);
    IS(view, 2, 3);
    assert_int_equal(copies() - before, 2);
    ok(ch_scope_end(s));
    ch_release(x);
}

static void borrowed_memory_is_not_written(void **state) {
    (void)state;
    float mine[4] = {1, 2, 3, 4};
    ch_tensor *x = ch_borrow(CH_F32, mine, 1, (int64_t[]){4}, NULL, NULL);
    ok(ch_assign(part(x, 1, 2), VEC(9)));
    IS(x, 1, 9, 3, 4);
    assert_true(mine[1] == 2);
    ok(ch_assign(part(x, 2, 3), VEC(8)));
    IS(x, 1, 9, 8, 4);
}

static void gradients_know_versions(void **state) {
    (void)state;
    ch_tensor *w = VEC(1, 2, 3), *loss = ch_sum_all(ch_mul(w, w));
    double value;
    ok(ch_item(loss, &value));
    assert_true(value == 14);
    ch_tensor *g = ch_grad(loss, w); // the loss was read: its expression is there
    ok(ch_assign(w, ch_sub(w, g)));
    ch_tensor *next = ch_sum_all(ch_mul(w, w));
    IS(w, -1, -2, -3);
    IS(g, 2, 4, 6);
    IS(ch_grad(next, w), -2, -4, -6);
    assert_int_equal(ch_check(ch_grad(loss, w)), CH_INVALID_ARGUMENT); // it does not depend on what w is now
    assert_string_equal(ch_error_id(), "gradient_detached");
    // through an assignment, to what was assigned
    ch_tensor *p = VEC(5, 6), *x = VEC(0, 0, 0);
    ok(ch_assign(part(x, 1, 3), ch_mul(p, p)));
    IS(ch_grad(ch_sum_all(ch_mul(x, x)), p), 4 * 125, 4 * 216);
}

static void history_goes_with_the_scope(void **state) {
    (void)state;
    ch_tensor *s = ch_keep(VEC(0, 0)), *n = ch_keep(VEC(0));
    int64_t alive = ch_tensors_alive();
    for (int i = 0; i < 100; i++) {
        ch_scope scope = ch_scope_begin();
        ok(ch_assign(s, plus(s, 1)));
        ok(ch_assign(n, plus(n, 1)));
        if (i % 3 == 0) ok(ch_realize(s));
        ok(ch_scope_end(scope));
    }
    IS(s, 100, 100);
    IS(n, 100);
    ch_scope scope = ch_scope_begin();
    ok(ch_scope_end(scope));
    ch_release(s);
    ch_release(n);
    ch_thread_end();
    assert_true(ch_tensors_alive() <= alive);
    // never realized, never kept, reading itself
    scope = ch_scope_begin();
    ch_tensor *a = VEC(1), *b = VEC(2);
    ok(ch_assign(a, ch_add(a, b)));
    ok(ch_assign(b, ch_add(a, b)));
    ok(ch_assign(a, ch_add(a, b)));
    ok(ch_assign(part(b, 0, 1), ch_add(a, b)));
    ok(ch_scope_end(scope));
    assert_int_equal(ch_tensors_alive(), 0);
}

static void swapping(void **state) {
    (void)state;
    ch_tensor *a = VEC(1), *b = VEC(2), *keep = plus(a, 0);
    ch_tensor *t = ch_detach(a);
    ok(ch_assign(a, b));
    ok(ch_assign(b, t));
    IS(a, 2);
    IS(b, 1);
    ok(ch_assign(a, a));
    ok(ch_assign(b, a)); // b is what a is now, not what it will be
    ok(ch_assign(a, plus(a, 5)));
    IS(a, 7);
    IS(b, 2);
    IS(keep, 1);
    IS(t, 1);
}

static void views_copy_nothing(void **state) {
    (void)state;
    float x[24];
    for (int i = 0; i < 24; i++) x[i] = (float)i;
    ch_tensor *a = ch_from_f32(x, 3, (int64_t[]){2, 3, 4});
    ch_tensor *views[] = {
        ch_slice(a, 3, (int64_t[]){0, 1, 1}, (int64_t[]){2, 3, 4}, (int64_t[]){1, 1, 2}),
        ch_transpose(a, 3, (int[]){2, 0, 1}),
        ch_reverse(a, 2, (int[]){0, 2}),
        ch_reshape(a, 2, (int64_t[]){6, 4}),
        ch_broadcast_to(ch_slice_axis(a, 0, 0, 1), 3, (int64_t[]){5, 3, 4}),
        ch_expand_dims(ch_transpose(a, 3, (int[]){0, 2, 1}), 1),
        ch_reshape(ch_slice_axis(a, 2, 0, 2), 3, (int64_t[]){6, 2, 1}),
    };
    enum { N = sizeof views / sizeof *views };
    int64_t buffers = ch__interp_counts_here()->buffers, ops = ch__interp_counts_here()->ops;
    ok(ch_realize_all(N, views));
    for (int i = 0; i < N; i++) assert_ptr_equal(views[i]->storage, a->storage);
    assert_int_equal(ch__interp_counts_here()->buffers, buffers);
    assert_int_equal(ch__interp_counts_here()->ops, ops);
    IS(views[0], 5, 7, 9, 11, 17, 19, 21, 23);
    IS(part(views[1], 1, 2), 1, 5, 9, 13, 17, 21);
    IS(part(views[2], 0, 1), 15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20);
    IS(part(views[6], 2, 4), 8, 9, 12, 13);
    assert_ptr_equal(ch_data(views[3]), ch_data(a));
    assert_true(((const float *)ch_data(views[1]))[1] == 4); // its elements in order, in memory of their own
    IS(plus(views[0], 1), 6, 8, 10, 12, 18, 20, 22, 24);
    // a reshape of what does not lie in a row is a copy
    ch_tensor *copy = ch_reshape(views[1], 1, (int64_t[]){24});
    ok(ch_realize(copy));
    assert_ptr_not_equal(copy->storage, a->storage);
    // a view that is kept is data of its own afterwards, and what it is a view of can be written
    ch_scope s = ch_scope_begin();
    ch_tensor *b = ch_keep(VEC(1, 2, 3, 4)),
              *odd = ch_keep(ch_slice(b, 1, (int64_t[]){1}, (int64_t[]){4}, (int64_t[]){2}));
    ok(ch_realize(odd));
    ok(ch_scope_end(s));
    ok(ch_assign(part(b, 0, 2), VEC(8, 9)));
    IS(odd, 2, 4);
    IS(b, 8, 9, 3, 4);
    ok(ch_assign(odd, VEC(5, 6))); // through the view still
    IS(b, 8, 5, 3, 6);
    ch_release(b);
    ch_release(odd);
}

// ---- gradients
#define GRAD_IS(y, x, ...) IS(ch_grad(y, x), __VA_ARGS__)
static ch_tensor *square_sum(ch_tensor *x) { return ch_sum_all(ch_mul(x, x)); }

static void gradients_go_through_writes(void **state) {
    (void)state;
    ch_tensor *w = VEC(2, 3), *s = VEC(1, 2, 3, 4);
    ok(ch_realize(s));
    int64_t before = copies();
    for (int i = 0; i < 3; i++) { // 2w in place at 0, w at 1 (over its half), 0.5 w at 2
        ok(ch_assign(part(s, i, i + 2), ch_mul(w, ch_scalar(CH_F32, i == 0 ? 2 : i == 1 ? 1 : 0.5))));
        ok(ch_realize(s));
    }
    assert_int_equal(copies(), before);
    IS(s, 4, 2, 1, 1.5F);
    ch_tensor *y = square_sum(s);
    float value;
    ok(ch_read_f32(y, &value, 1)); // and then its gradient
    assert_true(value == 16 + 4 + 1 + 2.25F);
    GRAD_IS(y, w, 16 + 4 + 1, 1.5F);
    ch_tensor *g = ch_grad(y, w); // lazy over what is written next
    ok(ch_assign(part(s, 0, 2), VEC(7, 7)));
    IS(s, 7, 7, 1, 1.5F);
    IS(g, 21, 1.5F);
    GRAD_IS(square_sum(s), w, 1, 1.5F);
    GRAD_IS(ch_sum_all(ch_grad(square_sum(s), w)), w, 0.5F, 0.5F);
}

// What was written over had an expression itself; views of it were read; the reader of a value between two writes.
static void gradients_of_what_was_written_over(void **state) {
    (void)state;
    ch_tensor *w = VEC(2, 3, 4), *s = ch_mul(w, w);
    ok(ch_realize(s));
    ok(ch_assign(part(s, 1, 2), ch_mul(part(s, 0, 1), part(w, 2, 3)))); // [w0^2, w0^2 w2, w2^2]
    ok(ch_realize(s));
    ch_tensor *between = square_sum(s);
    ok(ch_realize(between));
    ok(ch_assign(ch_slice(s, 1, (int64_t[]){0}, (int64_t[]){3}, (int64_t[]){2}), ch_mul(part(w, 0, 2), VEC(3, 3))));
    IS(s, 6, 16, 9);
    IS(between, 16 + 256 + 256);
    GRAD_IS(between, w, 4 * 8 + 4 * 8 * 16, 0, 2 * 16 * 4 + 4 * 64);
    GRAD_IS(square_sum(s), w, 18 * 2 + 4 * 8 * 16, 18 * 3, 2 * 16 * 4);
}

// A tensor that outlives its scope keeps no history, and a loop that writes into it in place stays flat.
static void history_of_writes_ends_with_the_scope(void **state) {
    (void)state;
    ch_tensor *cache = ch_keep(ch_zeros(CH_F32, 1, (int64_t[]){64}));
    ok(ch_realize(cache));
    int64_t alive = ch_tensors_alive(), before = copies();
    for (int i = 0; i < 64; i++) {
        ch_scope s = ch_scope_begin();
        ok(ch_assign(part(cache, i, i + 1), VEC((float)i)));
        ok(ch_realize(cache));
        ok(ch_scope_end(s));
        assert_int_equal(ch_tensors_alive(), alive);
    }
    ch_scope s = ch_scope_begin(); // a hundred thousand in one scope: time does not grow with the square
    ch_tensor *one = VEC(1);
    for (int i = 0; i < 100000; i++) {
        ok(ch_assign(part(cache, i % 64, i % 64 + 1), one));
        ok(ch_realize(cache));
    }
    ok(ch_scope_end(s));
    assert_int_equal(copies(), before);
    assert_int_equal(ch_tensors_alive(), alive);
    ch_release(cache);
}

static void a_failed_write_is_said(void **state) {
    (void)state;
    ch_tensor *x = VEC(1, 2, 3);
    volatile int stop = 1;
    ok(ch_realize(x));
    ok(ch_assign(part(x, 0, 1), VEC(9)));
    ch_set_cancel(&stop);
    assert_int_equal(ch_realize(x), CH_CANCELLED); // before it began
    ch_set_cancel(NULL);
    IS(x, 9, 2, 3);
}

// ---- parts whose sizes are symbols: captured once and run at every size, against the function called on tensors
static ch_tensor *rows_from(ch_tensor *x, int64_t start, int64_t limit, int64_t stride) {
    return ch_slice(x, 2, (int64_t[]){start, 0}, (int64_t[]){limit, CH_END}, (int64_t[]){stride, 1});
}

static ch_status assign_parts(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    ch_tensor *x = ch_add(in[0], in[0]), *t = ch_transpose(x, 2, NULL), *v;
    switch (*(const int *)user) {
    case 0: v = part(t, 1, 2); break;                            // a column
    case 1: v = part(x, 0, 1); break;                            // the first row
    case 2: v = rows_from(x, -1, CH_END, 1); break;              // the last
    case 3: v = rows_from(x, 0, CH_END, 2); break;               // every other
    case 4: v = part(ch_reverse(x, 1, (int[]){0}), 0, 1); break; // the last, as the first of the reversed
    case 5: v = rows_from(ch_reverse(x, 1, (int[]){0}), 1, CH_END, 2); break;
    case 6: v = part(part(t, 1, 3), 1, 2); break; // a view of a view
    default: v = x;
    }
    ch_tensor *before = ch_sum_all(x);
    CH_TRY(ch_assign(v, ch_mul(v, ch_scalar(CH_F32, -1))));
    CH_TRY(ch_assign(part(x, 0, 1), ch_add(part(x, 0, 1), before))); // once more, upon it
    out[0] = x;
    return CH_OK;
}

static void parts_of_symbolic_size(void **state) {
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        ch_func *f = NULL;
        ch_exec *e = NULL;
        ch_capture_options strict = {.struct_size = sizeof strict, .strict = 1};
        ok(ch_capture_with(&strict, assign_parts, &kind, "x: f32[n,3]", 1, &f));
        ok(ch_compile(f, "interp", NULL, &e));
        for (int n = 1; n <= 5; n++) {
            float data[15], want[15], got[15];
            for (int i = 0; i < 3 * n; i++) data[i] = (float)(i + 1);
            ch_tensor *x = ch_from_f32(data, 2, (int64_t[]){n, 3}), *y = NULL, *z = NULL;
            ok(assign_parts(&kind, 1, &x, 1, &y));
            ok(ch_read_f32(y, want, 3 * n));
            ok(ch_exec_run(e, 1, &x, 1, &z));
            ok(ch_read_f32(z, got, 3 * n));
            if (memcmp(want, got, (size_t)n * 12) != 0) fail_msg("kind %d, %d rows", kind, n);
            ch_release(z);
        }
        ch_exec_release(e);
        ch_func_destroy(f);
    }
}

// ---- threads
static void *use_it(void *arg) {
    ch_tensor *x = arg, *y = ch_keep(ch_add(ch_transpose(x, 2, NULL), ch_scalar(CH_F32, 1)));
    float out[4];
    for (int i = 0; i < 100; i++) {
        ch_scope s = ch_scope_begin();
        if (ch_read_f32(ch_mul(x, part(x, 0, 1)), out, 4) != CH_OK || out[3] != 12) return NULL;
        if (ch_data(x) == NULL || ch_scope_end(s) != CH_OK) return NULL;
    }
    ch_release(x);
    ch_status st = ch_realize(y);
    ch_thread_end();
    return st == CH_OK ? y : NULL;
}

static void between_threads(void **state) {
    (void)state;
    ch_tensor *m = ch_from_f32((float[]){1, 2, 3, 4}, 2, (int64_t[]){2, 2}), *view = ch_transpose(m, 2, NULL);
    ok(ch_realize(view)); // a view: both threads ask for its elements in order
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, use_it, ch_keep(view)), 0);
    for (int i = 0; i < 2; i++) {
        void *y;
        assert_int_equal(pthread_join(threads[i], &y), 0);
        assert_non_null(y);
        IS((ch_tensor *)y, 2, 3, 4, 5);
        ch_release(y);
    }
    ok(ch_assign(part(m, 0, 1), ch_scalar(CH_F32, 0)));
    IS(m, 0, 0, 3, 4);
}

static void fork_in_the_middle(void **state) {
    (void)state;
    ch_tensor *x = VEC(1, 2), *y = plus(x, 1);
    ok(ch_assign(part(x, 0, 1), VEC(7)));
    pid_t child = fork();
    if (child == 0) {
        float a[2] = {0}, b[2] = {0};
        bool fine = ch_read_f32(x, a, 2) == CH_OK && ch_read_f32(y, b, 2) == CH_OK && a[0] == 7 && b[0] == 2;
        ch_tensor *big = ch_sum_all(ch_ones(CH_F32, 2, (int64_t[]){1000, 1000})); // with the threads made anew
        double n = 0;
        fine = fine && ch_item(big, &n) == CH_OK && n == 1e6;
        _exit(fine ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    IS(x, 7, 2);
    IS(y, 2, 3);
}

// Other threads are in the middle of runs, holding whatever they hold.
static atomic_int enough;
static void *keep_running(void *arg) {
    while (!atomic_load(&enough)) {
        ch_scope s = ch_scope_begin();
        ch_tensor *x = ch_ones(CH_F32, 2, (int64_t[]){200, 200});
        double n = 0;
        if (ch_item(ch_sum_all(ch_add(x, x)), &n) != CH_OK || n != 80000) arg = NULL;
        if (ch_scope_end(s) != CH_OK) arg = NULL;
    }
    ch_thread_end();
    return arg;
}
static void fork_beside_threads_that_run(void **state) {
    (void)state;
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded != NULL && strstr(preloaded, "vgpreload") != NULL) {
        printf("# skip: valgrind runs one thread at a time: minutes\n");
        skip();
    }
    pthread_t threads[2];
    atomic_init(&enough, 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, keep_running, &enough), 0);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60); // a lock that nobody will open any more
            double n = 0;
            ch_tensor *x = ch_ones(CH_F32, 2, (int64_t[]){300 + i, 100});
            bool fine = ch_item(ch_sum_all(ch_exp(ch_mul(x, ch_scalar(CH_F32, 0)))), &n) == CH_OK;
            // What the threads held is lost here: no exit, at which valgrind would look for leaks.
            if (fine && n == (300 + i) * 100) kill(getpid(), SIGKILL);
            _exit(1);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    atomic_store(&enough, 1);
    for (int i = 0; i < 2; i++) {
        void *fine = NULL;
        assert_int_equal(pthread_join(threads[i], &fine), 0);
        assert_ptr_equal(fine, &enough);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(old_value_and_new_value, end_thread),
        cmocka_unit_test_teardown(two_writes_with_a_read_between, end_thread),
        cmocka_unit_test_teardown(a_window_of_the_state_that_is_written, end_thread),
        cmocka_unit_test_teardown(permuted_and_shifted_reads, end_thread),
        cmocka_unit_test_teardown(views_that_are_assigned, end_thread),
        cmocka_unit_test_teardown(what_cannot_be_assigned, end_thread),
        cmocka_unit_test_teardown(parts_are_written_in_place, end_thread),
        cmocka_unit_test_teardown(borrowed_memory_is_not_written, end_thread),
        cmocka_unit_test_teardown(gradients_know_versions, end_thread),
        cmocka_unit_test_teardown(history_goes_with_the_scope, end_thread),
        cmocka_unit_test_teardown(swapping, end_thread),
        cmocka_unit_test_teardown(views_copy_nothing, end_thread),
        cmocka_unit_test_teardown(gradients_go_through_writes, end_thread),
        cmocka_unit_test_teardown(gradients_of_what_was_written_over, end_thread),
        cmocka_unit_test_teardown(history_of_writes_ends_with_the_scope, end_thread),
        cmocka_unit_test_teardown(a_failed_write_is_said, end_thread),
        cmocka_unit_test_teardown(parts_of_symbolic_size, end_thread),
        cmocka_unit_test_teardown(between_threads, end_thread),
        cmocka_unit_test_teardown(fork_in_the_middle, end_thread),
        cmocka_unit_test_teardown(fork_beside_threads_that_run, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
