// SPDX-License-Identifier: Apache-2.0
// states.c - cases of the jit: tensors from outside, read and assigned.
#include "jit_test.h"

static ch_status scaled(ARGS) {
    UNUSED;
    out[0] = ch_mul(in[0], user);
    return CH_OK;
}

static ch_status accumulates(ARGS) {
    UNUSED;
    CH_TRY(ch_assign(user, ch_add(user, in[0])));
    out[0] = ch_mul(user, NUM(1));
    return CH_OK;
}

static void case_29(void) {
    ch_tensor *w = VEC(2, 3);
    ch_jit *j = jit_make(scaled, w, 1);
    for (int i = 0; i < 5; i++) {
        ch_tensor *y = jit_call1(j, VEC(i, 1));
        HAS(y, 2 * i, 3);
        ch_release(y);
    }
    ch_jit_destroy(j);
}

static void case_30(void) {
    ch_tensor *w = VEC(1, 1);
    ch_jit *j = jit_make(scaled, w, 1);
    for (int i = 0; i < 6; i++) {
        OK(ch_assign(w, ch_add(w, NUM(1))));
        if (i % 2 == 0) OK(ch_realize(w)); // else it is pending
        ch_tensor *y = jit_call1(j, VEC(1, 10));
        HAS(y, 2 + i, 10 * (2 + i));
        ch_release(y);
    }
    ch_jit_destroy(j);
}

static ch_tensor *which;
static ch_status through_a_pointer(ARGS) {
    UNUSED;
    out[0] = ch_mul(in[0], which);
    return CH_OK;
}

static void case_31(void) {
    ch_tensor *other = NUM(20), *x = NUM(1), *out[1] = {NULL};
    which = NUM(10);
    ch_jit *j = jit_make(through_a_pointer, NULL, 1);
    for (int i = 0; i < 2; i++) OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    ch_tensor *before = which;
    which = other; // cannot be seen: the program goes on with what it captured
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    HAS(out[0], 10);
    OK(ch_jit_set_mode(j, CH_JIT_CHECK));
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_capture_differs",
          "result 0: element 0 is 10, the function gives 20");
    OK(ch_jit_set_mode(j, CH_JIT_REPLAY));
    OK(ch_assign(before, other)); // can be seen, and is followed
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    HAS(out[0], 20);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_32(void) {
    ch_tensor *w = ch_add(VEC(1, 2), VEC(1, 1)); // lazy
    ch_jit *j = jit_make(scaled, w, 1);
    for (int i = 0; i < 4; i++) {
        ch_tensor *y = jit_call1(j, VEC(i, 1));
        HAS(y, 2 * i, 3);
        ch_release(y);
    }
    ch_jit_destroy(j);
}

static ch_status writes_cache(ARGS) {
    UNUSED;
    ch_tensor *cache = user;
    CH_TRY(ch_assign(ch_bind_slice(cache, 0, vars[0], 1), ch_reshape(in[0], 2, (int64_t[]){1, 2})));
    out[0] = ch_sum(cache, 1, (int[]){0});
    return CH_OK;
}

static void case_33(void) {
    ch_tensor *n = NUM(0), *cache = ch_zeros(CH_F32, 2, (int64_t[]){6, 2}), *out[1] = {NULL};
    ch_jit *counter = jit_make(accumulates, n, 1), *j = jit_make(writes_cache, cache, 1);
    ch_var *at = ch_var_create("at", 0, 5);
    const void *place = NULL;
    double a = 0, b = 0;
    for (int i = 0; i < 6; i++) {
        ch_tensor *y = jit_call1(counter, NUM(2));
        HAS(y, 2 * (i + 1));
        HAS(n, 2 * (i + 1));
        ch_release(y);
        ch_bind bind = ch_bind_value(at, i);
        ch_tensor *x = VEC(i, 1);
        OK(ch_jit_call(j, 1, &x, 1, &bind, out));
        a += i;
        b += 1;
        HAS(out[0], a, b);
        if (i > 1) CHECK(i == 2 || ch_data(cache) == place); // in place
        place = ch_data(cache);
    }
    HAS(cache, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1);
    ch_release(out[0]);
    ch_jit_destroy(counter);
    ch_jit_destroy(j);
    ch_var_destroy(at);
}

static ch_status assigns_and_gives_another(ARGS) {
    UNUSED;
    CH_TRY(ch_assign(user, ch_add(user, NUM(1))));
    out[0] = ch_mul(in[0], NUM(2));
    return ch_realize(out[0]);
}

static void case_34(void) { // an assignment that nothing realizes is part of the program
    ch_tensor *state = NUM(0);
    ch_jit *j = jit_make(assigns_and_gives_another, state, 1);
    for (int i = 1; i <= 6; i++) {
        ch_tensor *y = jit_call1(j, NUM(i));
        HAS(y, 2 * i);
        ch_release(y);
        HAS(state, i);
    }
    ch_jit_destroy(j);
}

static ch_status writes_input(ARGS) {
    UNUSED;
    CH_TRY(ch_assign(in[0], ch_mul(in[0], NUM(2))));
    out[0] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static void case_35(void) {
    ch_jit *j = jit_make(writes_input, NULL, 1), *k = jit_make(writes_input, NULL, 1);
    ch_tensor *same = VEC(1, 2), *out[1] = {NULL};
    double f = 1;
    for (int i = 0; i < 5; i++) {
        ch_tensor *x = VEC(i, 1);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(x, 2 * i, 2);
        HAS(out[0], 2 * i + 1, 3);
        ch_tensor *y = jit_call1(k, same);
        f *= 2;
        HAS(same, f, 2 * f);
        HAS(y, f + 1, 2 * f + 1);
        ch_release(y);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
    ch_jit_destroy(k);
}

static void case_38(void) {
    ch_tensor *w = VEC(2, 3), *x = VEC(1, 1), *out[1] = {NULL};
    ch_jit *j = jit_make(scaled, w, 1);
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    for (int i = 0; i < 2; i++)
        FAILS(ch_jit_call(j, 1, &w, 0, NULL, out), "jit_duplicate_input",
              "call 2: input 0 is also read through a closure");
    for (int i = 0; i < 3; i++) OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    FAILS(ch_jit_call(j, 1, &w, 0, NULL, out), "jit_duplicate_input", "call 5: input 0 is also read through a closure");
    HAS(out[0], 2, 3);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_45(void) {
    ch_tensor *state = NUM(0);
    ch_jit *a = jit_make(accumulates, state, 1), *b = jit_make(accumulates, state, 1);
    double sum = 0;
    for (int i = 1; i < 10; i++) {
        ch_tensor *y = jit_call1(i % 3 == 0 ? b : a, NUM(i));
        sum += i;
        HAS(y, sum);
        HAS(state, sum);
        ch_release(y);
    }
    ch_jit_destroy(a);
    ch_jit_destroy(b);
}

static ch_status overlapping(ARGS) {
    UNUSED;
    CH_TRY(ch_assign(ch_slice_axis(user, 0, 0, 4), in[0]));
    CH_TRY(ch_assign(ch_slice_axis(user, 0, 2, 6), ch_mul(in[0], NUM(10))));
    return CH_OK;
}

static void case_56(void) {
    ch_tensor *s = ch_zeros(CH_F32, 1, (int64_t[]){6});
    ch_jit *j = jit_make(overlapping, s, 0);
    for (int i = 0; i < 4; i++) {
        ch_tensor *x = VEC(i, 1, 2, 3);
        OK(ch_jit_call(j, 1, &x, 0, NULL, NULL));
        HAS(s, i, 1, 10 * i, 10, 20, 30);
    }
    ch_jit_destroy(j);
}

// A view is what its tensor was when it was made, as everywhere: the input is the old part, whatever is written.
static void case_77(void) {
    ch_tensor *s = VEC(1, 2, 3, 4);
    ch_jit *j = jit_make(overlapping, s, 0);
    ch_jit_destroy(j);
    double want[4] = {1, 2, 3, 4};
    ch_jit *k = jit_make(accumulates, s, 1);
    for (int i = 0; i < 4; i++) {
        ch_tensor *window = ch_slice_axis(s, 0, 0, 4);
        ch_tensor *out[1] = {NULL};
        ch_status st = ch_jit_call(k, 1, &window, 0, NULL, out);
        if (st != CH_OK) {
            FAILS(st, "jit_duplicate_input", "input 0 is also read through a closure");
            window = ch_mul(window, NUM(1)); // a copy
            OK(ch_jit_call(k, 1, &window, 0, NULL, out));
        }
        for (int e = 0; e < 4; e++) want[e] *= 2;
        HAS(s, want[0], want[1], want[2], want[3]);
        ch_release(out[0]);
    }
    ch_jit_destroy(k);
}

static int realizes;
static ch_status old_and_new(ARGS) {
    UNUSED;
    ch_tensor *old = ch_add(user, NUM(0));
    if (realizes) CH_TRY(ch_realize(old));
    CH_TRY(ch_assign(user, ch_add(user, in[0])));
    out[0] = old;
    out[1] = ch_mul(user, NUM(1));
    return CH_OK;
}

static void case_78(void) {
    for (realizes = 0; realizes < 2; realizes++) {
        ch_tensor *s = NUM(0), *x = NUM(1), *out[2] = {NULL};
        ch_jit *j = jit_make(old_and_new, s, 2);
        for (int i = 0; i < 5; i++) {
            OK(ch_jit_call(j, 1, &x, 0, NULL, out));
            HAS(out[0], i);
            HAS(out[1], i + 1);
        }
        ch_release(out[0]);
        ch_release(out[1]);
        ch_jit_destroy(j);
    }
}

static ch_status write_read_write(ARGS) {
    UNUSED;
    CH_TRY(ch_assign(user, ch_add(user, in[0])));
    ch_tensor *between = ch_mul(user, NUM(10));
    CH_TRY(ch_assign(user, ch_mul(user, NUM(2))));
    out[0] = between;
    return CH_OK;
}

static void case_79(void) {
    ch_tensor *s = NUM(1), *x = NUM(1), *out[1] = {NULL};
    ch_jit *j = jit_make(write_read_write, s, 1);
    double v = 1;
    for (int i = 0; i < 5; i++) {
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], 10 * (v + 1));
        v = 2 * (v + 1);
        HAS(s, v);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static int hazard;
static ch_status permuted(ARGS) {
    UNUSED;
    ch_tensor *s = user;
    if (hazard == 0) return ch_assign(s, ch_add(ch_reverse(s, 1, (int[]){0}), in[0]));
    if (hazard == 1) return ch_assign(ch_slice_axis(s, 0, 1, 6), ch_add(ch_slice_axis(s, 0, 0, 5), in[0]));
    if (hazard == 2) return ch_assign(s, ch_add(ch_transpose(s, 2, (int[]){1, 0}), NUM(1)));
    return ch_assign(ch_slice_axis(s, 0, 1, 4096), ch_slice_axis(s, 0, 0, 4095));
}

static void case_90(void) {
    ch_tensor *x = NUM(1);
    hazard = 0;
    ch_tensor *s = VEC(0, 1, 2, 3, 4, 5);
    ch_jit *j = jit_make(permuted, s, 0);
    for (int i = 0; i < 4; i++) OK(ch_jit_call(j, 1, &x, 0, NULL, NULL));
    HAS(s, 4, 5, 6, 7, 8, 9);
    ch_jit_destroy(j);
    hazard = 1;
    s = VEC(0, 1, 2, 3, 4, 5);
    j = jit_make(permuted, s, 0);
    for (int i = 0; i < 4; i++) OK(ch_jit_call(j, 1, &x, 0, NULL, NULL));
    HAS(s, 0, 1, 2, 3, 4, 5);
    ch_jit_destroy(j);
    hazard = 2;
    s = ch_from_f32((float[]){1, 2, 3, 4}, 2, (int64_t[]){2, 2});
    j = jit_make(permuted, s, 0);
    for (int i = 0; i < 3; i++) OK(ch_jit_call(j, 1, &x, 0, NULL, NULL));
    HAS(s, 4, 6, 5, 7);
    ch_jit_destroy(j);
    hazard = 3;
    s = ch_iota(CH_F32, 1, (int64_t[]){4096}, 0);
    j = jit_make(permuted, s, 0);
    for (int i = 0; i < 5; i++) OK(ch_jit_call(j, 1, &x, 0, NULL, NULL));
    HAS(ch_slice_axis(s, 0, 0, 8), 0, 0, 0, 0, 0, 0, 1, 2);
    HAS(ch_slice_axis(s, 0, 4094, 4096), 4089, 4090);
    ch_jit_destroy(j);
}

const jit_case jit_states[] = {
    {29, "closed-over weights", case_29},
    {30, "changed in place between calls", case_30},
    {31, "closed-over handle rebound", case_31},
    {32, "closed-over lazy tensor", case_32},
    {33, "in-place state", case_33},
    {34, "assignment that nothing realizes", case_34},
    {35, "in-place write to an input", case_35},
    {38, "input also closed over", case_38},
    {45, "two jits on one state", case_45},
    {56, "overlapping partial writes", case_56},
    {77, "input is a window of the state that is written", case_77},
    {78, "old value and new value", case_78},
    {79, "two writes with a read between", case_79},
    {90, "in place with a permuted or shifted read", case_90},
    {0, NULL, NULL},
};
