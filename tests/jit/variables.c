// SPDX-License-Identifier: Apache-2.0
// variables.c - cases of the jit: integers that change from call to call.
#include "jit_test.h"

static ch_status scaled(ARGS) {
    UNUSED;
    ch_tensor *v = n_vars > 0 ? ch_convert(ch_bind_scalar(vars[0]), CH_F32) : NUM(1);
    out[0] = ch_add(ch_mul(in[0], v), v);
    return CH_OK;
}

static ch_status sum_first(ARGS) {
    UNUSED;
    out[0] = ch_sum_all(ch_bind_first(in[0], 0, vars[0]));
    return CH_OK;
}

static ch_status first(ARGS) {
    UNUSED;
    out[0] = ch_mul(ch_bind_first(in[0], 0, vars[0]), NUM(2));
    return CH_OK;
}

static ch_status unused(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], NUM(1));
    return CH_OK;
}

static ch_tensor *ten(void) { return VEC(0, 1, 2, 3, 4, 5, 6, 7, 8, 9); }

static void case_14(void) {
    ch_var *i = ch_var_create("i", 0, 10);
    ch_jit *j = jit_make(scaled, NULL, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL};
    ch_bind none = ch_bind_none(i), nothing = {NULL, 0, 0};
    for (int k = 0; k < 4; k++) {
        FAILS(ch_jit_call(j, 1, &x, 1, &none, out), "jit_var_unbound", "variable 'i' has no value");
        FAILS(ch_jit_call(j, 1, &x, 1, &nothing, out), "jit_var_unbound", "variable 0: the bind has no variable");
        ch_bind b = ch_bind_value(i, k);
        OK(ch_jit_call(j, 1, &x, 1, &b, out));
        HAS(out[0], 2 * k);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
    ch_var_destroy(i);
}

static void case_15(void) {
    ch_var *i = ch_var_create("i", 1, 4);
    ch_jit *j = jit_make(sum_first, NULL, 1);
    ch_tensor *x = ten(), *out[1] = {NULL};
    for (int k = 1; k <= 4; k++) {
        ch_bind b = ch_bind_value(i, k), high = ch_bind_value(i, 9);
        CHECK(strcmp(ch_error_id(), "jit_var_range") == 0);
        CHECK(strcmp(ch_error_message(), "bind_value: i = 9 — it is in 1..4") == 0);
        FAILS(ch_jit_call(j, 1, &x, 1, &high, out), "jit_var_range", "variable 'i' = 9 — it is in 1..4");
        ch_bind low = ch_bind_value(i, 0);
        FAILS(ch_jit_call(j, 1, &x, 1, &low, out), "jit_var_range", "variable 'i' = 0");
        OK(ch_jit_call(j, 1, &x, 1, &b, out));
        HAS(out[0], k * (k - 1) / 2);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
    ch_var_destroy(i);
}

static ch_status difference(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], ch_convert(ch_sub(ch_bind_scalar(vars[0]), ch_bind_scalar(vars[1])), CH_F32));
    return CH_OK;
}

static void case_16(void) {
    ch_var *i = ch_var_create("i", 0, 9), *k = ch_var_create("k", 0, 9);
    ch_jit *j = jit_make(difference, NULL, 1), *one = jit_make(scaled, NULL, 1);
    ch_tensor *x = NUM(0), *out[1] = {NULL}, *other[1] = {NULL};
    ch_bind two[2] = {ch_bind_value(i, 7), ch_bind_value(k, 2)};
    ch_bind swapped[2] = {two[1], two[0]};
    for (int n = 0; n < 3; n++) OK(ch_jit_call(j, 1, &x, 2, two, out));
    HAS(out[0], 5);
    FAILS(ch_jit_call(j, 1, &x, 2, swapped, out), "jit_var_list",
          "variables: captured i in 0..9, k in 0..9, got k in 0..9, i in 0..9");
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_var_list", "got none");
    for (int n = 0; n < 3; n++) OK(ch_jit_call(one, 1, &x, 1, &two[0], other));
    FAILS(ch_jit_call(one, 1, &x, 1, &two[1], other), "jit_var_list", "captured i in 0..9, got k in 0..9");
    ch_release(out[0]);
    ch_release(other[0]);
    ch_jit_destroy(j);
    ch_jit_destroy(one);
    ch_var_destroy(i);
    ch_var_destroy(k);
}

static void case_17(void) {
    ch_var *narrow = ch_var_create("i", 1, 4), *wide = ch_var_create("i", 1, 8);
    ch_jit *j = jit_make(first, NULL, 1);
    ch_tensor *x = ten(), *out[1] = {NULL};
    ch_bind a = ch_bind_value(narrow, 3), b = ch_bind_value(wide, 7);
    for (int n = 0; n < 3; n++) OK(ch_jit_call(j, 1, &x, 1, &a, out));
    FAILS(ch_jit_call(j, 1, &x, 1, &b, out), "jit_var_list", "captured i in 1..4, got i in 1..8");
    ch_var_destroy(narrow); // the jit keeps what it needs
    HAS(out[0], 0, 2, 4);
    ch_release(out[0]);
    ch_jit_destroy(j);
    ch_var_destroy(wide);
}

static void case_18(void) {
    ch_var *i = ch_var_create("i", 0, 9);
    ch_jit *j = jit_make(unused, NULL, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL};
    for (int n = 0; n < 4; n++) {
        ch_bind b = ch_bind_value(i, n);
        OK(ch_jit_call(j, 1, &x, 1, &b, out));
        HAS(out[0], 2);
    }
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_var_list", "captured i in 0..9, got none");
    ch_release(out[0]);
    ch_jit_destroy(j);
    ch_var_destroy(i);
}

static void case_19(void) {
    ch_var *i = ch_var_create("i", 1, 10), *k = ch_var_create("k", 0, 9);
    ch_jit *j = jit_make(sum_first, NULL, 1), *two = jit_make(difference, NULL, 1);
    ch_tensor *x = ten(), *zero = NUM(0), *out[1] = {NULL}, *other[1] = {NULL};
    const int values[6] = {3, 5, 9, 1, 10, 2};
    for (int n = 0; n < 6; n++) {
        int v = values[n];
        ch_bind b[2] = {ch_bind_value(i, v), ch_bind_value(k, n)};
        OK(ch_jit_call(j, 1, &x, 1, b, out));
        HAS(out[0], v * (v - 1) / 2);
        OK(ch_jit_call(two, 1, &zero, 2, b, other));
        HAS(other[0], v - n);
    }
    ch_release(out[0]);
    ch_release(other[0]);
    ch_jit_destroy(j);
    ch_jit_destroy(two);
    ch_var_destroy(i);
    ch_var_destroy(k);
}

// The first v elements, zeros behind them: a mask over the variable.
static ch_status padded(ARGS) {
    UNUSED;
    ch_tensor *at = ch_iota(CH_I64, 1, (int64_t[]){4}, 0);
    out[0] = ch_select(ch_lt(at, ch_bind_scalar(vars[0])), ch_slice_axis(in[0], 0, 0, 4), NUM(0));
    return CH_OK;
}

static void case_49(void) {
    ch_var *i = ch_var_create("i", 1, 8);
    ch_jit *j = jit_make(first, NULL, 1), *pad = jit_make(padded, NULL, 1);
    ch_tensor *x = ten(), *out[1] = {NULL}, *masked[1] = {NULL};
    const int values[6] = {3, 3, 5, 7, 2, 5};
    for (int n = 0; n < 6; n++) {
        ch_bind b = ch_bind_value(i, values[n]);
        OK(ch_jit_call(j, 1, &x, 1, &b, out));
        CHECK(ch_tensor_dim(out[0], 0) == values[n]);
        double last = 2 * (values[n] - 1), all[8], got[8];
        OK(ch_read_f64(ch_convert(out[0], CH_F64), got, values[n]));
        for (int e = 0; e < values[n]; e++) all[e] = 2 * e;
        CHECK(memcmp(got, all, (size_t)values[n] * sizeof *got) == 0 && got[values[n] - 1] == last);
        OK(ch_jit_call(pad, 1, &x, 1, &b, masked));
        HAS(masked[0], 0, values[n] > 1, values[n] > 2 ? 2 : 0, values[n] > 3 ? 3 : 0);
    }
    ch_release(out[0]);
    ch_release(masked[0]);
    ch_jit_destroy(j);
    ch_jit_destroy(pad);
    ch_var_destroy(i);
}

static ch_status window_sum(ARGS) {
    UNUSED;
    out[0] = ch_sum_all(ch_bind_slice(in[0], 0, vars[0], 2));
    return CH_OK;
}

static void case_80(void) {
    ch_var *i = ch_var_create("i", 0, 8);
    ch_jit *j = jit_make(sum_first, NULL, 1), *w = jit_make(window_sum, NULL, 1);
    ch_tensor *x = ten(), *out[1] = {NULL}, *moving[1] = {NULL};
    const int values[5] = {3, 8, 0, 1, 8};
    for (int n = 0; n < 5; n++) {
        int v = values[n];
        ch_bind b = ch_bind_value(i, v);
        OK(ch_jit_call(j, 1, &x, 1, &b, out));
        HAS(out[0], v * (v - 1) / 2);
        OK(ch_jit_call(w, 1, &x, 1, &b, moving));
        HAS(moving[0], 2 * v + 1);
    }
    ch_tensor *small = VEC(1, 2, 3), *none[1] = {NULL};
    ch_jit *beyond = jit_make(window_sum, NULL, 1);
    ch_bind b = ch_bind_value(i, 0);
    FAILS(ch_jit_call(beyond, 1, &small, 1, &b, none), "jit_body", "up to i = 8 and 2 more — that lies beyond it");
    ch_release(out[0]);
    ch_release(moving[0]);
    ch_jit_destroy(j);
    ch_jit_destroy(w);
    ch_jit_destroy(beyond);
    ch_var_destroy(i);
}

static void case_81(void) {
    ch_var *i = ch_var_create("i", 0, 100);
    ch_jit *j = jit_make(scaled, NULL, 1);
    ch_tensor *out[1] = {NULL};
    for (int n = 0; n < 5; n++) {
        ch_tensor *x = VEC(n, 1);
        ch_bind b = ch_bind_value(i, 10 * n);
        OK(ch_jit_call(j, 1, &x, 1, &b, out));
        HAS(out[0], 10 * n * n + 10 * n, 20 * n);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
    ch_var_destroy(i);
}

static ch_bind of_its_own;
static ch_status closes_over(ARGS) {
    UNUSED;
    out[0] = ch_add(in[0], ch_convert(ch_bind_scalar(of_its_own), CH_F32));
    return CH_OK;
}

static void case_82(void) {
    ch_var *i = ch_var_create("i", 0, 9);
    of_its_own = ch_bind_value(i, 3);
    ch_jit *j = jit_make(closes_over, NULL, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL};
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    HAS(out[0], 4);
    for (int n = 0; n < 2; n++)
        FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_var_foreign",
              "i is no variable of this call — pass it in vars");
    ch_bind b = of_its_own;
    OK(ch_jit_reset(j));
    for (int n = 0; n < 3; n++) OK(ch_jit_call(j, 1, &x, 1, &b, out));
    HAS(out[0], 4);
    ch_release(out[0]);
    ch_jit_destroy(j);
    ch_var_destroy(i);
}

static void case_83(void) {
    ch_var *i = ch_var_create("i", 0, 9);
    ch_jit *j = jit_make(difference, NULL, 1);
    ch_tensor *x = NUM(1), *out[1] = {NULL};
    ch_bind both[2] = {ch_bind_value(i, 2), ch_bind_value(i, 3)};
    FAILS(ch_jit_call(j, 1, &x, 2, both, out), "jit_var_conflict", "conflicting values for JIT var i: 2 and 3");
    ch_jit_destroy(j);
    ch_var_destroy(i);
}

const jit_case jit_variables[] = {
    {14, "variable without a value", case_14},
    {15, "value out of bounds", case_15},
    {16, "other names at replay", case_16},
    {17, "same name, wider bounds", case_17},
    {18, "unused variable", case_18},
    {19, "values change, one capture", case_19},
    {49, "symbolic result shape", case_49},
    {80, "bounds and zero length", case_80},
    {81, "variable as a value", case_81},
    {82, "variable closed over, not passed", case_82},
    {83, "one variable, two values in a call", case_83},
    {0, NULL, NULL},
};
