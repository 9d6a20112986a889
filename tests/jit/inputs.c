// SPDX-License-Identifier: Apache-2.0
// inputs.c - cases of the jit: what may be an input, and what is refused.
#include "jit_test.h"

static ch_status add_twice(ARGS) {
    UNUSED;
    jit_runs++;
    out[0] = ch_add(in[0], ch_mul(NUM(2), in[1]));
    return CH_OK;
}

static ch_status plus_one(ARGS) {
    UNUSED;
    jit_runs++;
    out[0] = ch_add(in[0], ch_scalar(ch_tensor_dtype(in[0]), 1));
    return CH_OK;
}

static ch_status total(ARGS) {
    UNUSED;
    out[0] = ch_sum_all(in[0]);
    return CH_OK;
}

static ch_status row_sums(ARGS) {
    UNUSED;
    out[0] = ch_sum(in[0], 1, (int[]){1});
    return CH_OK;
}

static void case_01(void) {
    ch_jit *j = jit_make(add_twice, NULL, 1);
    ch_tensor *out[1] = {NULL};
    for (int i = 1; i <= 5; i++) {
        CHECK(ch_jit_captured(j) == (i > 2));
        OK(ch_jit_call(j, 2, (ch_tensor *[]){VEC(i, i), VEC(1, i)}, 0, NULL, out));
        HAS(out[0], i + 2, i + 2 * i);
    }
    CHECK(jit_runs == 2);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_02(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1);
    for (int i = 0; i < 5; i++) {
        ch_tensor *y = jit_call1(j, ch_mul(VEC(i, 3), VEC(2, 2)));
        HAS(y, 2 * i + 1, 7);
        ch_release(y);
    }
    FILE *f = tmpfile();
    char text[4096] = "";
    OK(ch_jit_explain(j, f));
    rewind(f);
    CHECK(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    CHECK(strstr(text, "1 operations: add 1") != NULL || strstr(text, "add 1") != NULL);
    CHECK(strstr(text, "mul") == NULL); // the expression of the input is no part of it
    ch_jit_destroy(j);
}

static void case_03(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1);
    ch_tensor *y = jit_call1(j, ch_full(CH_F32, 3, 1, (int64_t[]){2}));
    HAS(y, 4, 4);
    ch_release(y);
    y = jit_call1(j, ch_iota(CH_F32, 1, (int64_t[]){2}, 0));
    HAS(y, 1, 2);
    ch_release(y);
    y = jit_call1(j, ch_broadcast_to(NUM(5), 1, (int64_t[]){2}));
    HAS(y, 6, 6);
    ch_release(y);
    ch_tensor *bad = ch_add(VEC(1, 2), VEC(1, 2, 3)), *out[1] = {NULL};
    FAILS(ch_jit_call(j, 1, &bad, 0, NULL, out), "jit_const_input", "jit 'j' call 4: input 0 is no tensor with values");
    ch_jit_destroy(j);
}

static void case_04(void) {
    ch_jit *j = jit_make(add_twice, NULL, 1);
    ch_tensor *x = VEC(1, 2), *y = VEC(3, 4), *out[1] = {NULL};
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){x, x}, 0, NULL, out), "jit_duplicate_input",
          "jit 'j' call 1: inputs 0 and 1 are one tensor");
    for (int i = 0; i < 3; i++) OK(ch_jit_call(j, 2, (ch_tensor *[]){x, y}, 0, NULL, out));
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){x, x}, 0, NULL, out), "jit_duplicate_input",
          "jit 'j' call 4: inputs 0 and 1");
    HAS(out[0], 7, 10);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_05(void) {
    ch_jit *j = jit_make(add_twice, NULL, 1);
    ch_tensor *out[1] = {NULL};
    for (int i = 0; i < 4; i++) {
        ch_tensor *x = VEC(i, 1, 2, 3);
        ch_tensor *halves[2] = {ch_slice_axis(x, 0, 0, 2), ch_slice_axis(x, 0, 2, 4)};
        OK(ch_jit_call(j, 2, halves, 0, NULL, out));
        HAS(out[0], i + 4, 7);
        ch_tensor *windows[2] = {ch_slice_axis(x, 0, 0, 3), ch_slice_axis(x, 0, 1, 4)};
        FAILS(ch_jit_call(j, 2, windows, 0, NULL, out), "jit_duplicate_input", "inputs 0 and 1 share elements");
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_06(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1), *k = jit_make(row_sums, NULL, 1);
    for (int i = 0; i < 4; i++) {
        ch_tensor *y = jit_call1(j, ch_slice_axis(VEC(9, i, 2 * i, 9), 0, 1, 3));
        HAS(y, i + 1, 2 * i + 1);
        ch_release(y);
        ch_tensor *m = ch_reshape(VEC(i, 1, 2, 3, 4, 5), 2, (int64_t[]){2, 3});
        y = jit_call1(k, ch_transpose(m, 2, (int[]){1, 0}));
        HAS(y, i + 3, 5, 7);
        ch_release(y);
    }
    ch_jit_destroy(j);
    ch_jit_destroy(k);
}

static void case_07(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1);
    ch_tensor *base = VEC(0, 1, 2, 3, 4, 5, 6, 7), *out[1] = {NULL};
    for (int i = 0; i < 3; i++) {
        ch_tensor *x = ch_slice_axis(base, 0, 0, 4);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    }
    ch_tensor *x = ch_slice_axis(base, 0, 4, 8);
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_input_mismatch",
          "jit 'j' call 4: input 0: captured f32[4] contiguous on cpu:0, got f32[4] contiguous at offset 4 on cpu:0");
    x = ch_slice(base, 1, (int64_t[]){0}, (int64_t[]){8}, (int64_t[]){2});
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_input_mismatch", "got f32[4] with strides 2 on cpu:0");
    x = ch_reverse(ch_slice_axis(base, 0, 0, 4), 1, (int[]){0});
    FAILS(ch_jit_call(j, 1, &x, 0, NULL, out), "jit_input_mismatch", "got f32[4] with strides -1 at offset 3 on cpu:0");
    x = VEC(1, 1, 1, 1); // as good as the window: the same layout
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    HAS(out[0], 2, 2, 2, 2);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void refuses(ch_jit *j, ch_tensor *good, ch_tensor *bad, const char *text) {
    ch_tensor *out[1] = {NULL};
    for (int i = 0; i < 3; i++) OK(ch_jit_call(j, 1, &good, 0, NULL, out));
    FAILS(ch_jit_call(j, 1, &bad, 0, NULL, out), "jit_input_mismatch", text);
    OK(ch_jit_call(j, 1, &good, 0, NULL, out));
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_08(void) {
    refuses(jit_make(total, NULL, 1), VEC(1, 1, 1, 1), VEC(1, 1, 1, 1, 1, 1, 1, 1),
            "jit 'j' call 4: input 0: captured f32[4] contiguous on cpu:0, got f32[8] contiguous on cpu:0");
    refuses(jit_make(total, NULL, 1), VEC(1, 1, 1, 1), VEC(1, 1), "got f32[2] contiguous on cpu:0");
    refuses(jit_make(total, NULL, 1), ch_zeros(CH_F32, 2, (int64_t[]){2, 3}), ch_zeros(CH_F32, 2, (int64_t[]){2, 4}),
            "captured f32[2,3] contiguous on cpu:0, got f32[2,4]");
}

static void case_09(void) {
    refuses(jit_make(row_sums, NULL, 1), ch_ones(CH_F32, 2, (int64_t[]){2, 6}), ch_ones(CH_F32, 2, (int64_t[]){3, 4}),
            "captured f32[2,6] contiguous on cpu:0, got f32[3,4] contiguous on cpu:0");
}

static void case_10(void) {
    refuses(jit_make(total, NULL, 1), VEC(1, 2), ch_zeros(CH_I32, 1, (int64_t[]){2}), "got i32[2] contiguous");
    refuses(jit_make(total, NULL, 1), VEC(1, 2), ch_zeros(CH_F64, 1, (int64_t[]){2}), "got f64[2] contiguous");
}

static void case_12(void) {
    ch_jit *j = jit_make(add_twice, NULL, 1);
    ch_tensor *x[3] = {VEC(1), VEC(2), VEC(3)}, *out[1] = {NULL};
    for (int i = 0; i < 3; i++) OK(ch_jit_call(j, 2, x, 0, NULL, out));
    FAILS(ch_jit_call(j, 3, x, 0, NULL, out), "jit_input_count",
          "jit 'j' call 4: 3 inputs — it was called with 2 before");
    FAILS(ch_jit_call(j, 1, x, 0, NULL, out), "jit_input_count", "1 inputs — it was called with 2");
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_13(void) {
#ifndef NDEBUG
    ch_jit *j = jit_make(plus_one, NULL, 1);
    ch_tensor *out[1] = {NULL};
    for (int i = 0; i < 4; i++) {
        ch_scope s = ch_scope_begin();
        ch_tensor *gone = VEC(1, 2);
        OK(ch_scope_end(s));
        FAILS(ch_jit_call(j, 1, &gone, 0, NULL, out), "jit_no_storage", "input 0 has no storage");
        ch_tensor *x = VEC(1, 2);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
#endif
}

static void case_54(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1);
    for (int i = 0; i < 4; i++) {
        ch_tensor *y = jit_call1(j, i < 2 ? ch_zeros(CH_F32, 1, (int64_t[]){2}) : VEC(i, 2));
        HAS(y, i < 2 ? 1 : i + 1, i < 2 ? 1 : 3);
        ch_release(y);
    }
    ch_jit_destroy(j);
}

static ch_status both_plus(ARGS) {
    UNUSED;
    for (int i = 0; i < n_out; i++) out[i] = ch_add(in[i], ch_scalar(ch_tensor_dtype(in[i]), 1));
    return CH_OK;
}

static void case_55(void) {
    ch_jit *j = jit_make(both_plus, NULL, 3), *none = jit_make(plus_one, NULL, 1);
    ch_tensor *out[3] = {NULL}, *empty[1] = {NULL};
    for (int i = 0; i < 4; i++) {
        int8_t top[1] = {127};
        ch_tensor *in[3] = {ch_from_data(CH_I8, top, 1, (int64_t[]){1}), ch_zeros(CH_F32, 1, (int64_t[]){0}), NUM(i)};
        OK(ch_jit_call(j, 3, in, 0, NULL, out));
        HAS(out[0], -128);
        CHECK(ch_tensor_numel(out[1]) == 0);
        HAS(out[2], i + 1);
        OK(ch_jit_call(none, 1, &in[1], 0, NULL, empty));
        CHECK(ch_tensor_numel(empty[0]) == 0);
    }
    for (int i = 0; i < 3; i++) ch_release(out[i]);
    ch_release(empty[0]);
    ch_jit_destroy(j);
    ch_jit_destroy(none);
}

static ch_status counter(ARGS) {
    UNUSED;
    OK(ch_assign(user, ch_add(user, NUM(1))));
    out[0] = user;
    return CH_OK;
}

static void case_61(void) {
    ch_tensor *state = NUM(0), *out[1] = {NULL};
    ch_jit *j = jit_make(counter, state, 1);
    for (int i = 1; i <= 5; i++) {
        OK(ch_jit_call(j, 0, NULL, 0, NULL, out));
        HAS(state, i);
        HAS(out[0], i);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static ch_status sum_of_all(ARGS) {
    UNUSED;
    out[0] = in[0];
    for (int i = 1; i < n_in; i++) out[0] = ch_add(out[0], in[i]);
    return CH_OK;
}

static void case_62(void) {
    ch_jit *j = jit_make(sum_of_all, NULL, 1);
    ch_tensor *in[100], *out[1] = {NULL};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 100; i++) in[i] = NUM(i + k);
        OK(ch_jit_call(j, 100, in, 0, NULL, out));
        HAS(out[0], 4950 + 100 * k);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_65(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1);
    ch_tensor *out[1] = {NULL};
    for (int i = 0; i < 8; i++) {
        ch_scope s = ch_scope_begin();
        ch_tensor *x = VEC(i, i);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        OK(ch_scope_end(s));
        s = ch_scope_begin();
        ch_tensor *other = VEC(-9, -9); // likely where x was
        HAS(out[0], i + 1, i + 1);
        HAS(other, -9, -9);
        OK(ch_scope_end(s));
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_73(void) {
    ch_jit *j = jit_make(add_twice, NULL, 1);
    ch_tensor *out[1] = {NULL};
    for (int i = 0; i < 3; i++) OK(ch_jit_call(j, 2, (ch_tensor *[]){NUM(4), NUM(3)}, 0, NULL, out));
    FAILS(ch_jit_call(j, 1, (ch_tensor *[]){NUM(1)}, 0, NULL, out), "jit_input_count", "call 4");
    FAILS(ch_jit_call(j, 2, (ch_tensor *[]){NUM(1), ch_scalar(CH_I32, 1)}, 0, NULL, out), "jit_input_mismatch",
          "call 4");
    HAS(out[0], 10);
    OK(ch_jit_call(j, 2, (ch_tensor *[]){NUM(2), NUM(4)}, 0, NULL, out));
    HAS(out[0], 10);
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_74(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1);
    ch_tensor *x = VEC(1, 2), *y = VEC(1, 2, 3), *out[1] = {NULL};
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    FAILS(ch_jit_call(j, 1, &y, 0, NULL, out), "jit_input_mismatch",
          "jit 'j' call 2: input 0: captured f32[2] contiguous on cpu:0, got f32[3] contiguous on cpu:0");
    OK(ch_jit_call(j, 1, &x, 0, NULL, out));
    CHECK(ch_jit_captured(j));
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static ch_status times_one(ARGS) {
    UNUSED;
    out[0] = ch_mul(in[0], ch_scalar(ch_tensor_dtype(in[0]), 1));
    return CH_OK;
}

static void case_75(void) {
    ch_jit *j = jit_make(times_one, NULL, 1);
    const uint32_t bits[5] = {0x7fc12345u, 0x7f800000u, 0xff800000u, 0x80000000u, 1u};
    for (int i = 0; i < 4; i++) {
        uint32_t got[5];
        ch_tensor *y = jit_call1(j, ch_from_data(CH_F32, bits, 1, (int64_t[]){5}));
        OK(ch_read_bytes(y, got, sizeof got));
        CHECK(memcmp(got, bits, sizeof got) == 0);
        ch_release(y);
    }
    ch_jit_destroy(j);
}

static void case_76(void) {
    const ch_dtype dtypes[2] = {CH_F16, CH_BF16};
    for (int d = 0; d < 2; d++) {
        ch_jit *j = jit_make(plus_one, NULL, 1);
        for (int i = 0; i < 4; i++) {
            ch_tensor *y = jit_call1(j, ch_convert(VEC(i, 2.5f), dtypes[d]));
            CHECK(ch_tensor_dtype(y) == dtypes[d]);
            HAS(y, i + 1, 3.5);
            ch_release(y);
        }
        ch_jit_destroy(j);
    }
}

static void case_87(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1);
    const int32_t one = 0x3f800000;
    ch_tensor *out[1] = {NULL};
    for (int i = 0; i < 4; i++) {
        ch_tensor *x = i < 2 ? VEC(1) : ch_bitcast(ch_from_i32(&one, 1, (int64_t[]){1}), CH_F32);
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], 2);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static void case_91(void) {
    ch_jit *j = jit_make(plus_one, NULL, 1);
    ch_tensor *x = VEC(0, 0), *out[1] = {NULL};
    for (int i = 0; i < 5; i++) {
        OK(ch_assign(x, VEC(i, 2 * i)));
        OK(ch_jit_call(j, 1, &x, 0, NULL, out));
        HAS(out[0], i + 1, 2 * i + 1);
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

static ch_status sum_three(ARGS) {
    UNUSED;
    out[0] = ch_sum_all(ch_add(ch_add(in[0], in[1]), in[2]));
    return CH_OK;
}

static int freed;
static void count_free(void *user, void *data) {
    (void)user;
    freed++;
    free(data);
}

static void case_92(void) {
    ch_jit *j = jit_make(sum_three, NULL, 1);
    ch_tensor *out[1] = {NULL};
    const int64_t n = 1 << 20;
    for (int i = 0; i < 3; i++) {
        ch_scope s = ch_scope_begin();
        ch_tensor *in[3];
        for (int k = 0; k < 3; k++) {
            float *data = calloc((size_t)n, sizeof *data);
            CHECK(data != NULL);
            data[7] = 1;
            in[k] = ch_borrow(CH_F32, data, 1, &n, count_free, NULL);
        }
        OK(ch_jit_call(j, 3, in, 0, NULL, out));
        HAS(out[0], 3);
        OK(ch_scope_end(s));
        CHECK(freed == 3 * (i + 1)); // nobody holds them any more
    }
    ch_release(out[0]);
    ch_jit_destroy(j);
}

const jit_case jit_inputs[] = {
    {1, "simple", case_01},
    {2, "lazy input", case_02},
    {3, "constant input", case_03},
    {4, "same tensor twice", case_04},
    {5, "two views of one buffer", case_05},
    {6, "same view each call", case_06},
    {7, "other view at replay", case_07},
    {8, "element count changes", case_08},
    {9, "same count, other shape", case_09},
    {10, "dtype", case_10},
    {12, "input count", case_12},
    {13, "released storage", case_13},
    {54, "input without values yet", case_54},
    {55, "size 1, int8, no elements, rank 0", case_55},
    {61, "no inputs", case_61},
    {62, "100 inputs", case_62},
    {65, "input freed after the call", case_65},
    {73, "refused call, then a good one", case_73},
    {74, "call 1 and call 2 differ", case_74},
    {75, "special floats", case_75},
    {76, "f16, bf16", case_76},
    {87, "reinterpreted input at replay", case_87},
    {91, "same handle, new content", case_91},
    {92, "inputs are not retained", case_92},
    {0, NULL, NULL},
};
