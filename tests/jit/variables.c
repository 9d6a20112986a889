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

// ---- a signature: one program for all sizes
static ch_status rows_and_state(ARGS) {
    UNUSED;
    jit_runs++;
    ch_tensor *total = user, *rows = ch_sum(in[0], 1, (int[]){1});
    CH_TRY(ch_assign(total, ch_add(total, ch_sum_all(in[0]))));
    out[0] = ch_add(ch_mul(rows, in[1]), ch_convert(ch_size_of(in[0], 0), CH_F32));
    out[1] = ch_mul(total, NUM(2));
    return CH_OK;
}

static ch_tensor *counting_rows(int64_t n) { // [n,2]: 0 1, 2 3, ...
    return ch_reshape(ch_iota(CH_F32, 1, (int64_t[]){2 * n}, 0), 2, (int64_t[]){n, 2});
}

static void case_94(void) {
    ch_tensor *total = NUM(0), *out[2] = {NULL};
    OK(ch_realize(total));
    ch_jit *j = jit_make(rows_and_state, total, 2);
    FAILS(ch_jit_set_signature(j, "x: f32[n,"), "signature", "expected a size");
    FAILS(ch_jit_set_signature(j, "x: f32[2*n]"), "signature", "no axis is n alone");
    OK(ch_jit_set_signature(j, "<n in 0..9> x: f32[n,2], y: f32[n]"));
    double sum = 0;
    static const int sizes[] = {4, 7, 1, 0, 4, 9};
    jit_runs = 0;
    for (int i = 0; i < 6; i++) {
        int64_t n = sizes[i];
        ch_scope scope = ch_scope_begin();
        ch_tensor *x = counting_rows(n), *y = ch_iota(CH_F32, 1, &n, 0);
        if (i == 5) { // a view of another layout
            ch_tensor *turned = ch_transpose(x, 2, NULL);
            OK(ch_realize(turned));
            turned = ch_add(turned, NUM(0));
            OK(ch_realize(turned));
            x = ch_transpose(turned, 2, NULL);
        }
        if (i >= 3) OK(ch_jit_set_mode(j, CH_JIT_CHECK));
        OK(ch_jit_call(j, 2, (ch_tensor *[]){x, y}, 0, NULL, out));
        if (i == 3) jit_runs = 2;
        for (int64_t k = 0; k < 2 * n; k++) sum += (double)k;
        CHECK(ch_tensor_rank(out[0]) == 1 && ch_tensor_dim(out[0], 0) == n);
        float got[9];
        OK(ch_read_f32(out[0], got, n));
        for (int64_t k = 0; k < n; k++) CHECK(got[k] == (float)((4 * k + 1) * k + n));
        HAS(out[1], 2 * sum);
        OK(ch_scope_end(scope));
        if (i < 3) CHECK(jit_runs == (i == 0 ? 1 : 2));
    }
    OK(ch_jit_set_mode(j, CH_JIT_REPLAY));
    // what does not go with it changes nothing
    ch_tensor *x = counting_rows(3), *y = ch_iota(CH_F32, 1, (int64_t[]){4}, 0);
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){x, y}, 0, NULL, out), "jit_input_mismatch",
          "jit 'j' call 7: input 1: f32[4], and the signature is \"<n in 0..9> x: f32[n,2], y: f32[n]\" — n is 3 "
          "already, "
          "and 4 on axis 0");
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_input_count", "jit 'j' call 7: 1 inputs — the signature");
    y = ch_iota(CH_F32, 1, (int64_t[]){10}, 0);
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){counting_rows(10), y}, 0, NULL, out), "jit_input_mismatch",
          "n = 10 is not in 0..9");
    y = ch_iota(CH_F32, 1, (int64_t[]){3}, 0);
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){ch_ones(CH_F32, 2, (int64_t[]){3, 3}), y}, 0, NULL, out),
          "jit_input_mismatch", "input 0: f32[3,3], and the signature is");
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){x, ch_convert(y, CH_F64)}, 0, NULL, out), "jit_input_mismatch",
          "dtype and rank stay");
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){x, x}, 0, NULL, out), "jit_duplicate_input", "inputs 0 and 1");
    FAILS(ch_jit_save(j, "/tmp/never.jit"), "unsupported", "save: its signature has symbolic sizes");
    FAILS(ch_jit_set_signature(j, NULL), "jit_captured", "set_signature: ");
    OK(ch_jit_call(j, 2, (ch_tensor *[]){x, y}, 0, NULL, out));
    HAS(out[0], 3, 8, 21);
    char said[4096] = "";
    FILE *file = fmemopen(said, sizeof said, "w");
    CHECK(file != NULL && ch_jit_explain(j, file) == CH_OK && fclose(file) == 0);
    CHECK(strstr(said, "  signature: <n in 0..9> x: f32[n,2], y: f32[n]\n") != NULL);
    for (int i = 0; i < 2; i++) ch_release(out[i]);
    ch_jit_destroy(j);
    // a variable of that name
    ch_var *v = ch_var_create("n", 0, 9);
    ch_bind b = ch_bind_value(v, 1);
    j = jit_make(rows_and_state, total, 2);
    OK(ch_jit_set_signature(j, "x: f32[n,2], y: f32[n]"));
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){x, y}, 1, &b, out), "jit_var_conflict", "variable 'n' is a size of");
    OK(ch_jit_set_signature(j, NULL));
    OK(ch_jit_set_signature(j, "x: f32[n,2], y: f32[n]"));
    ch_jit_destroy(j);
    ch_var_destroy(v);
    FAILS(ch_jit_set_signature(NULL, "x: f32[n]"), "argument", "jit_set_signature: the jit is NULL");
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
    {94, "a signature with symbolic sizes", case_94},
    {0, NULL, NULL},
};
