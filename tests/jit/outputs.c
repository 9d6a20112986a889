// SPDX-License-Identifier: Apache-2.0
// outputs.c - cases of the jit: results, held ones, results fed back.
#include "jit_test.h"

static ch_status plus(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static ch_status itself_and_more(ARGS) {
    UNUSED;
    out[0] = in[0];
    if (n_out > 1) out[1] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static void case_36(void) {
    ch_jit *j = jit_make(itself_and_more, NULL, 2), *alone = jit_make(itself_and_more, NULL, 1);
    ch_tensor *out[2] = {NULL}, *one[1] = {NULL};
    for (int i = 0; i < 5; i++) {
        ch_tensor *x = VEC(i, 2);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], i, 2);
        HAS(out[1], i + 1, 3);
    }
    ch_tensor *x = VEC(1, 2);
    OK(ch_jit_call(alone, 1, &x, 0, NULL, one));
    FAILS(ch_jit_call(alone, 1, &x, 0, NULL, one), "jit_empty", "the function computes nothing");
    HAS(one[0], 1, 2);
    ch_release(one[0]);
    ch_release(out[0]);
    ch_release(out[1]);
    ch_jit_destroy(j);
    ch_jit_destroy(alone);
}

static ch_status views(ARGS) {
    UNUSED;
    out[0] = ch_slice_axis(in[0], 0, 1, 3);
    out[1] = ch_reshape(in[0], 2, (int64_t[]){2, 2});
    out[2] = ch_transpose(ch_reshape(in[0], 2, (int64_t[]){2, 2}), 2, (int[]){1, 0});
    return CH_OK;
}

static void case_37(void) {
    ch_jit *j = jit_make(views, NULL, 3);
    ch_tensor *out[3] = {NULL};
    for (int i = 0; i < 5; i++) {
        ch_tensor *x = VEC(i, 1, 2, 3);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], 1, 2);
        HAS(out[1], i, 1, 2, 3);
        HAS(out[2], i, 2, 1, 3);
    }
    for (int i = 0; i < 3; i++) ch_release(out[i]);
    ch_jit_destroy(j);
}

static int how;
static ch_status feeds(ARGS) {
    UNUSED;
    if (how == 0) out[0] = ch_add(in[0], NUM(1));
    if (how == 1) out[0] = ch_add(ch_reverse(in[0], 1, (int[]){0}), NUM(1));
    if (how == 2) {
        out[0] = ch_add(in[0], NUM(1));
        out[1] = ch_mul(in[1], NUM(2));
    }
    if (how == 3) {
        out[0] = ch_add(in[1], NUM(1));
        out[1] = ch_mul(in[0], NUM(2));
    }
    if (how == 4) out[0] = ch_concat(2, (ch_tensor *[]){ch_slice_axis(in[0], 0, 1, 65536), NUM(0)}, 0);
    return CH_OK;
}
static ch_status shifts(ARGS) {
    UNUSED;
    out[0] = ch_concat(2, (ch_tensor *[]){ch_slice_axis(in[0], 0, 1, 65536), ch_zeros(CH_F32, 1, (int64_t[]){1})}, 0);
    return CH_OK;
}

static void case_39(void) {
    for (how = 0; how < 4; how++) {
        int n = how < 2 ? 1 : 2;
        ch_jit *j = jit_make(feeds, NULL, n);
        ch_tensor *out[2] = {ch_keep(VEC(0, 1, 2)), n == 2 ? ch_keep(VEC(1, 1, 1)) : NULL};
        for (int i = 0; i < 6; i++) OK(ch_jit_call(j, n, out, 0, NULL, out)); // the results are the next inputs
        if (how == 0) HAS(out[0], 6, 7, 8);
        if (how == 1) HAS(out[0], 6, 7, 8);
        if (how == 2) HAS(out[1], 64, 64, 64);
        if (how == 3) HAS(out[0], 7, 15, 23);
        ch_release(out[0]);
        if (n == 2) ch_release(out[1]);
        ch_jit_destroy(j);
    }
    ch_jit *j = jit_make(shifts, NULL, 1);
    ch_tensor *out[1] = {ch_keep(ch_iota(CH_F32, 1, (int64_t[]){65536}, 0))};
    for (int i = 0; i < 5; i++) OK(ch_jit_call(j, 1, out, 0, NULL, out));
    HAS(ch_slice_axis(out[0], 0, 0, 2), 5, 6);
    HAS(ch_slice_axis(out[0], 0, 65529, 65533), 65534, 65535, 0, 0);
    ch_release(out[0]);
    ch_jit_destroy(j);
    // the whole history held: each has its own value
    j = jit_make(plus, NULL, 1);
    ch_tensor *history[7] = {ch_keep(NUM(0))};
    for (int i = 0; i < 6; i++) {
        history[i + 1] = ch_keep(history[i]);
        OK(ch_jit_call(j, 1, &history[i], 0, NULL, &history[i + 1]));
    }
    for (int i = 0; i < 7; i++) {
        HAS(history[i], i);
        ch_release(history[i]);
    }
    ch_jit_destroy(j);
}

static void case_41(void) {
    ch_jit *j = jit_make(plus, NULL, 1);
    ch_tensor *held[5], *copies[5], *sum = NUM(0), *out[1] = {NULL};
    for (int i = 0; i < 5; i++) {
        ch_tensor *x = NUM(2 * i);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        held[i] = ch_keep(out[0]);
        copies[i] = ch_mul(out[0], NUM(1)); // lazy
        sum = ch_add(sum, out[0]);          // lazy
    }
    for (int i = 0; i < 5; i++) {
        HAS(held[i], 2 * i + 1);
        HAS(copies[i], 2 * i + 1);
        ch_release(held[i]);
    }
    HAS(sum, 25);
    // lazily read only, and the call consumes the handle
    ch_tensor *lazy = NUM(0);
    for (int i = 0; i < 4; i++) {
        ch_tensor *x = NUM(i);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        lazy = ch_add(lazy, out[0]);
    }
    HAS(lazy, 10);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_42(void) {
    ch_jit *j = jit_make(plus, NULL, 1);
    ch_tensor *first = jit_call1(j, NUM(1));
    for (int i = 0; i < 4; i++) ch_release(jit_call1(j, NUM(10)));
    HAS(first, 2);
    ch_release(first);
    ch_jit_destroy(j);
}

static ch_tensor *escaped;
static int realizes;
static ch_status lets_escape(ARGS) {
    UNUSED;
    ch_tensor *t = ch_mul(in[0], NUM(3));
    if (realizes) CH_TRY(ch_realize(t));
    if (escaped == NULL)
        escaped = ch_keep(t);
    else {
        ch_release(escaped);
        escaped = ch_keep(t);
    }
    out[0] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static void case_44(void) {
    ch_jit *j = jit_make(lets_escape, NULL, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL};
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    HAS(escaped, 3);
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_lazy_escape", "jit 'j' call 2: a lazy tensor f32[] made at ");
    ch_release(escaped);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_47(void) { // results are realized
    ch_jit *j = jit_make(plus, NULL, 1);
    for (int i = 0; i < 4; i++) {
        ch_tensor *y = jit_call1(j, NUM(i));
        CHECK(ch_is_realized(y));
        ch_release(y);
    }
    ch_jit_destroy(j);
}

static void case_67(void) { // output handle dropped, then replay
    ch_jit *j = jit_make(plus, NULL, 1);
    for (int i = 0; i < 8; i++) {
        ch_tensor *y = jit_call1(j, VEC(i, 1));
        if (i % 2 == 0) HAS(y, i + 1, 2);
        ch_release(y);
    }
    ch_jit_destroy(j);
}

static void case_68(void) {
    ch_jit *j = jit_make(plus, NULL, 1);
    ch_tensor *out[1] = {NULL};
    for (int i = 0; i < 4; i++) OK(ch_jit_call(j, 1, (ch_tensor *[]){NUM(i)}, 0, NULL, out));
    ch_jit_destroy(j);
    HAS(out[0], 4);
    ch_release(out[0]);
}

static void case_70(void) {
    realizes = 1;
    ch_jit *j = jit_make(lets_escape, NULL, 1);
    ch_tensor *out[1] = {NULL};
    for (int i = 0; i < 5; i++) {
        ch_tensor *x = VEC(i, 1);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(escaped, 3 * i, 3);
        HAS(out[0], i + 1, 2);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
    HAS(escaped, 12, 3);
    ch_release(escaped);
}

static ch_status doubles(ARGS) {
    UNUSED;
    out[0] = ch_mul(in[0], NUM(2));
    return CH_OK;
}

static void case_71(void) {
    ch_jit *a = jit_make(plus, NULL, 1), *b = jit_make(doubles, NULL, 1);
    ch_tensor *x[1] = {ch_keep(NUM(0))};
    double want = 0;
    for (int i = 0; i < 6; i++) {
        OK(ch_jit_call(a, 1, x, 0, NULL, x));
        OK(ch_jit_call(b, 1, x, 0, NULL, x));
        want = 2 * (want + 1);
    }
    HAS(x[0], want);
    ch_release(x[0]);
    ch_jit_destroy(a);
    ch_jit_destroy(b);
}

static ch_tensor *read_by_b;
static ch_status adds_other(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], read_by_b);
    return CH_OK;
}

static void case_72(void) {
    for (int stable = 0; stable < 2; stable++) {
        ch_jit *a = jit_make(plus, NULL, 1), *b = jit_make(adds_other, NULL, 1);
        OK(ch_jit_set_stable_outputs(a, stable));
        ch_tensor *out[1] = {NULL}, *sum[1] = {NULL}, *x = NUM(100);
        for (int i = 0; i < 3; i++) OK(ch_jit_call(a, 1, (ch_tensor *[]){NUM(i)}, 0, NULL, out));
        read_by_b = out[0];
        for (int i = 0; i < 5; i++) {
            OK(ch_jit_call(b, 1, &x, 0, NULL, sum));
            HAS(sum[0], 103 + (stable ? (i == 0 ? 0 : 10 * (i - 1) + 1 - 3) : 0));
            OK(ch_jit_call(a, 1, (ch_tensor *[]){NUM(10 * i)}, 0, NULL, out));
            HAS(out[0], 10 * i + 1);
            if (!stable) read_by_b = NULL; // the program has what it captured
            if (!stable && i < 2) break;
        }
        if (!stable) {
            ch_release(sum[0]);
            ch_release(out[0]);
            ch_jit_destroy(a);
            ch_jit_destroy(b);
            continue;
        }
        CHECK(out[0] == read_by_b); // the same handle each time
        ch_release(out[0]);
        ch_release(sum[0]);
        ch_jit_destroy(a);
        ch_jit_destroy(b);
    }
    // held by a program, it keeps its value: later results go elsewhere
    ch_jit *a = jit_make(plus, NULL, 1), *b = jit_make(adds_other, NULL, 1);
    ch_tensor *out[1] = {NULL}, *sum[1] = {NULL}, *x = NUM(100);
    for (int i = 0; i < 3; i++) OK(ch_jit_call(a, 1, (ch_tensor *[]){NUM(i)}, 0, NULL, out));
    read_by_b = out[0];
    for (int i = 0; i < 2; i++) OK(ch_jit_call(b, 1, &x, 0, NULL, sum));
    for (int i = 0; i < 3; i++) {
        OK(ch_jit_call(a, 1, (ch_tensor *[]){NUM(50 + i)}, 0, NULL, out));
        OK(ch_jit_call(b, 1, &x, 0, NULL, sum));
        HAS(sum[0], 103);
        HAS(out[0], 51 + i);
    }
    ch_release(sum[0]);
    ch_release(out[0]);
    ch_jit_destroy(a);
    ch_jit_destroy(b);
}

static ch_status twice_and_state(ARGS) {
    UNUSED;
    CH_TRY(ch_assign(user, ch_add(user, in[0])));
    out[0] = out[1] = ch_mul(in[0], NUM(2));
    out[2] = user;
    return CH_OK;
}

static void case_84(void) {
    ch_tensor *state = NUM(0), *out[3] = {NULL};
    ch_jit *j = jit_make(twice_and_state, state, 3);
    double sum = 0;
    for (int i = 1; i <= 5; i++) {
        OK(ch_jit_call(j, 1, (ch_tensor *[]){NUM(i)}, 0, NULL, out));
        sum += i;
        HAS(out[0], 2 * i);
        HAS(out[1], 2 * i);
        CHECK(ch_data(out[0]) == ch_data(out[1]));
        CHECK(out[2] == state);
        HAS(out[2], sum);
    }
    for (int i = 0; i < 3; i++) ch_release(out[i]);
    ch_jit_destroy(j);
}

const jit_case jit_outputs[] = {
    {36, "input returned unchanged", case_36},
    {37, "view of an input returned", case_37},
    {39, "output fed back", case_39},
    {41, "results held across calls", case_41},
    {42, "result of call 1 stays", case_42},
    {44, "lazy tensor made in the body, read outside", case_44},
    {47, "unrealized result", case_47},
    {67, "output handle dropped, then replay", case_67},
    {68, "jit destroyed, output held", case_68},
    {70, "intermediate realized and kept", case_70},
    {71, "ping-pong of two jits", case_71},
    {72, "output of one jit closed over by another", case_72},
    {84, "one tensor returned twice; state returned", case_84},
    {0, NULL, NULL},
};
