// SPDX-License-Identifier: Apache-2.0
// test_tensor_errors.c - mistakes with tensors: each sentence whole, with the user's own line.
#include "chaac/chaac.h"

#include "unit.h"

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static int64_t two[2] = {2, 2};
static ch_tensor *zeros(ch_dtype d, int rank, int64_t a, int64_t b) {
    return ch_zeros_at("data.c:1", d, rank, (int64_t[]){a, b});
}

// A mistake in "first.c", line 7, is reported by the next check with the sentence `want`.
static void assert_mistake(ch_tensor *t, const char *id, const char *want) {
    ch_error_clear();
    ch_status s = ch_realize(t);
    assert_int_not_equal(s, CH_OK);
    assert_string_equal(ch_error_message(), want);
    assert_string_equal(ch_error_id(), id);
}

#define AT "first.c:7"

static void operands_that_do_not_go_together(void **state) {
    (void)state;
    assert_mistake(ch_dot_at(AT, zeros(CH_F32, 2, 2, 2), zeros(CH_F32, 2, 3, 2)), "shape_mismatch",
                   "first.c:7: dot: f32[2,2] and f32[3,2] — contracted dims differ: lhs dim 1 is 2, rhs dim 0 is 3");
    assert_mistake(ch_add_at(AT, zeros(CH_F32, 1, 2, 0), zeros(CH_F64, 1, 2, 0)), "dtype_mismatch",
                   "first.c:7: add: f32[2] and f64[2] — dtypes differ: convert one of them");
    assert_mistake(ch_add_at(AT, zeros(CH_F32, 1, 2, 0), zeros(CH_F32, 1, 3, 0)), "shape_mismatch",
                   "first.c:7: add: f32[2] and f32[3] — axis 0 is 2 in lhs and 3 in rhs");
    assert_mistake(ch_sqrt_at(AT, zeros(CH_I32, 1, 4, 0)), "dtype_mismatch",
                   "first.c:7: sqrt: i32[4] — takes floating dtypes");
    assert_mistake(ch_cross_entropy_at(AT, zeros(CH_F32, 2, 4, 10), zeros(CH_I32, 1, 5, 0)), "shape_mismatch",
                   "first.c:7: cross_entropy: f32[4,10] and i32[5] — takes floating logits [..., classes] and integer "
                   "labels [...]");
}

static void axis_names(void **state) {
    (void)state;
    ch_tensor *x = ch_name_axes(zeros(CH_F32, 2, 4, 3), "batch, hidden");
    ch_tensor *y = ch_name_axes(zeros(CH_F32, 2, 4, 3), "batch,vocab");
    char type[64];
    ch_tensor_type(ch_sum(ch_transpose(x, 2, NULL), 1, (int[]){1}), type, sizeof type);
    assert_string_equal(type, "f32[hidden:3]");
    ch_tensor_type(ch_add(x, ch_name_axes(zeros(CH_F32, 1, 3, 0), "_")), type, sizeof type);
    assert_string_equal(type, "f32[batch:4, hidden:3]");
    assert_mistake(ch_add_at(AT, x, y), "axis_mismatch",
                   "first.c:7: add: f32[batch:4, hidden:3] and f32[batch:4, vocab:3] — axis 1 is named hidden in lhs "
                   "and vocab in rhs");
    assert_int_not_equal(ch_realize(ch_dot_at(AT, x, ch_transpose(y, 2, NULL))), CH_OK);
    assert_string_equal(ch_error_id(), "axis_mismatch");
    assert_mistake(
        ch_name_axes_at(AT, x, "batch"), "axis_mismatch",
        "first.c:7: name_axes: \"batch\" for f32[batch:4, hidden:3] — give one name or _ for each of its 2 axes");
}

static void the_first_mistake_is_carried(void **state) {
    (void)state;
    ch_tensor *wrong = ch_dot_at(AT, zeros(CH_F32, 2, 2, 2), zeros(CH_F32, 2, 3, 2));
    ch_tensor *later = ch_relu(ch_add(ch_sum_all(wrong), ch_scalar(CH_F32, 1)));
    assert_mistake(ch_grad(later, zeros(CH_F32, 2, 2, 2)), "shape_mismatch",
                   "first.c:7: dot: f32[2,2] and f32[3,2] — contracted dims differ: lhs dim 1 is 2, rhs dim 0 is 3");
    assert_int_equal(ch_tensor_rank(later), -1);
    assert_int_equal(ch_tensor_dtype(later), 0);
    assert_int_equal(ch_check(later), CH_INVALID_ARGUMENT);
}

static void inside_a_composite_the_callers_line_counts(void **state) {
    (void)state;
    assert_mistake(ch_layer_norm_at(AT, zeros(CH_F32, 2, 2, 4), zeros(CH_F32, 1, 3, 0), zeros(CH_F32, 1, 4, 0), 1e-5),
                   "shape_mismatch", "first.c:7: mul: f32[2,4] and f32[3] — axis 1 of lhs is 4, axis 0 of rhs is 3");
    assert_mistake(ch_softmax_at(AT, zeros(CH_F32, 1, 4, 0), 1), "rank",
                   "first.c:7: softmax: axis 1 of f32[4] — between -1 and 0 is allowed");
    assert_mistake(ch_gelu_at(AT, zeros(CH_I32, 1, 4, 0)), "dtype_mismatch",
                   "first.c:7: gelu: i32[4] — takes floating dtypes");
}

static void arguments(void **state) {
    (void)state;
    assert_mistake(ch_from_f32_at(AT, NULL, 1, two), "argument", "first.c:7: from_data: data is NULL — give 8 bytes");
    assert_mistake(ch_from_f32_at(AT, NULL, 17, two), "rank",
                   "first.c:7: from_data: rank 17 — between 0 and 16 is allowed");
    assert_mistake(ch_from_f32_at(AT, NULL, 1, (int64_t[]){-2}), "argument",
                   "first.c:7: from_data: dim 0 is -2 — at least 0 is allowed");
    assert_mistake(ch_from_data_at(AT, CH_C64, NULL, 0, NULL), "dtype_mismatch",
                   "first.c:7: from_data: dtype c64 (16) — give one of dtype.h that is not reserved");
    assert_mistake(ch_from_f32_at(AT, NULL, 2, (int64_t[]){INT64_MAX, 2}), "dim_overflow",
                   "first.c:7: from_data: the product of the dims does not fit in 64 bits");
    assert_mistake(ch_scalar_at(AT, CH_U8, -1), "argument", "first.c:7: scalar: -1 as u8 — the dtype does not hold it");
    assert_mistake(ch_scalar_at(AT, CH_I4, 1), "dtype_mismatch",
                   "first.c:7: scalar: dtype i4 (18) — give one of dtype.h that is not reserved");
    assert_mistake(ch_transpose_at(AT, zeros(CH_F32, 2, 2, 3), 3, (int[]){0, 1, 2}), "attribute",
                   "first.c:7: transpose: perm has 3 entries, the operand has rank 2");
    assert_mistake(ch_squeeze_at(AT, zeros(CH_F32, 2, 2, 3), 0), "shape_mismatch",
                   "first.c:7: squeeze: axis 0 of f32[2,3] — only an axis of size 1 can be taken out");
    assert_mistake(ch_op_at(AT, "conv2d", 0, NULL, ""), "unknown_op",
                   "first.c:7: op: \"conv2d\" — no operation of that name; docs/ir.md lists them");
    ch_tensor *x = zeros(CH_F32, 1, 2, 0);
    assert_int_not_equal(ch_realize(ch_op_at(AT, "reduce", 1, &x, "kind = summ, dims = [0]")), CH_OK);
    assert_string_equal(ch_error_id(), "attribute");
    assert_mistake(ch_add_at(AT, x, NULL), "argument", "first.c:7: add: operand 1 is NULL — give a tensor");
}

// Lists that are missing or too long, numbers a dtype does not hold, names that no text could say.
static void lists_and_names(void **state) {
    (void)state;
    ch_tensor *x = zeros(CH_F32, 2, 2, 3), *i = zeros(CH_I32, 1, 3, 0);
    assert_mistake(ch_slice_at(AT, x, 2, NULL, two, NULL), "argument",
                   "first.c:7: slice: start is NULL — give 2 entries");
    assert_mistake(ch_sum_at(AT, x, -1, (int[]){0}), "argument",
                   "first.c:7: sum: -1 entries of axes — between 0 and 16 are allowed");
    assert_mistake(ch_reverse_at(AT, x, 1, NULL), "argument", "first.c:7: reverse: axes is NULL — give 1 entries");
    assert_mistake(ch_get_at(AT, x, 2, NULL), "argument", "first.c:7: get: index is NULL — give 2 entries");
    assert_mistake(ch_gather_at(AT, x, i, NULL), "argument", "first.c:7: gather: dims is NULL — give a ch_gather_dims");
    assert_mistake(ch_scatter_at(AT, x, i, x, CH_SCATTER_ADD, &(ch_scatter_dims){.n_window = -1}), "argument",
                   "first.c:7: scatter: -1 entries of window_dims — between 0 and 16 are allowed");
    assert_mistake(ch_dot_general_at(AT, x, x, 1, NULL, NULL, 0, NULL, NULL), "argument",
                   "first.c:7: dot_general: lhs_contract is NULL — give 1 entries");
    assert_mistake(ch_concat_at(AT, 2, NULL, 0), "argument",
                   "first.c:7: concat: 2 tensors and no array of them — give 0 or more, and an array of that many");
    assert_mistake(ch_conv_at(AT, x, x, &(ch_conv_options){.struct_size = sizeof(ch_conv_options), .groups = -1}),
                   "argument", "first.c:7: conv: groups is -1 — at least 1 is allowed (0 stands for 1)");
    assert_mistake(ch_softmax_at(AT, zeros(CH_F32, 0, 0, 0), 0), "rank",
                   "first.c:7: softmax: axis 0 of f32[] — it has no axes; one is needed");
    assert_mistake(ch_reshape_at(AT, x, 2, (int64_t[]){-1, 4}), "shape_mismatch",
                   "first.c:7: reshape: 6 elements — dim 0 is -1, what is left, but the other dims make 4, which does "
                   "not divide them");
    assert_mistake(ch_reshape_to_at(AT, x, NULL), "argument",
                   "first.c:7: reshape_to: dims is NULL — give sizes such as \"n, 28, 28\"");
    assert_mistake(ch_name_axes_at(AT, x, "a, a"), "axis_mismatch",
                   "first.c:7: name_axes: axes 0 and 1 are both named a — a name stands once");
    assert_mistake(ch_name_axes_at(AT, x, "a,3$"), "axis_mismatch",
                   "first.c:7: name_axes: \"3$\" for axis 1 — a name is letters, digits and _, a letter first");
    assert_mistake(ch_scalar_at(AT, CH_I32, 1.5), "argument",
                   "first.c:7: scalar: 1.5 as i32 — the dtype does not hold it");
    assert_mistake(ch_one_hot_at(AT, i, -1, CH_F32), "argument",
                   "first.c:7: one_hot: -1 classes — at least 0 is allowed");
    assert_mistake(ch_avg_pool_at(AT, i, 1, two, NULL), "dtype_mismatch",
                   "first.c:7: avg_pool: i32[3] — takes floating dtypes");
    assert_int_equal(ch_realize(ch_zeros(CH_F32, 2, (int64_t[]){INT64_MAX, 0})), CH_OK); // no elements, no bytes
}

// A func that is applied holds its inputs to its params' types, bounds and clauses.
static void funcs_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *params, *body, *want;
        ch_dtype dtype;
        int64_t n;
    } rows[] = {
        {"(%x: f64[n])", "", "first.c:7: call: f32[3] — dtypes differ: param 0 is f64, argument 0 is f32", CH_F32, 3},
        {"(%x: f64[5])", "", "first.c:7: call: f64[3] — axis 0 is 5 in param 0 and 3 in argument 0", CH_F64, 3},
        {"<n in 10..20>(%x: f64[n])", "", "first.c:7: call: f64[3] — n is 3, @f takes 10 or more", CH_F64, 3},
        {"(%x: f64[2*n])", "", "first.c:7: call: f64[3] — axis 0 is 2 in param 0 and 3 in argument 0", CH_F64, 3},
        {"(%x: f64[n])", "requires (n == 4)", "first.c:7: call: f64[3] — @f requires 3 == 4", CH_F64, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "chaac-ir 1\nfunc @f%s -> f64[] %s {\n  %%y = const {value = 1} : f64[]\n  return %%y\n}\n",
                 rows[i].params, rows[i].body);
        ch_func *f = NULL;
        assert_int_equal(ch_func_parse(text, "f.ir", &f), CH_OK);
        ch_tensor *x = zeros(rows[i].dtype, 1, rows[i].n, 0), *y = NULL;
        ch_func_apply_at(AT, f, 1, &x, 1, &y);
        ch_error_clear();
        assert_int_not_equal(ch_realize(y), CH_OK);
        assert_string_equal(ch_error_message(), rows[i].want);
        ch_func_destroy(f);
    }
    ch_func *f = NULL; // one that calls itself stays a call
    assert_int_equal(
        ch_func_parse("chaac-ir 1\nfunc @f(%x: i64[]) -> i64[] {\n  %z = const {value = 0} : i64[]\n"
                      "  %p = compare %x, %z {dir = gt} : bool[]\n  %y = if %p {\n    %one = const {value = 1} : "
                      "i64[]\n    %d = sub %x, %one : i64[]\n    %r = call @f(%d) : i64[]\n    %s = add %x, %r : "
                      "i64[]\n    yield %s\n  } else {\n    yield %z\n  } : i64[]\n  return %y\n}\n",
                      "f.ir", &f),
        CH_OK);
    ch_tensor *x = ch_scalar(CH_I64, 4), *y = NULL;
    ch_func_apply(f, 1, &x, 1, &y);
    int64_t sum = 0;
    assert_int_equal(ch_read_i64(y, &sum, 1), CH_OK);
    assert_int_equal(sum, 10);
    ch_func_destroy(f);
}

static void reading(void **state) {
    (void)state;
    float out[4];
    ch_tensor *x = zeros(CH_F32, 2, 2, 2), *i = zeros(CH_I32, 1, 4, 0);
    assert_int_equal(ch_read_f32(x, out, 3), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "read_f32: f32[2,2] and room for 3 elements — it has 4");
    assert_int_equal(ch_read_f32(i, out, 4), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "read_f32: i32[4] — its dtype is i32: read it as that, or convert it first");
    assert_string_equal(ch_error_id(), "read_type");
    assert_int_equal(ch_read_f32(x, NULL, 4), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "read_f32: out is NULL — give room for 4 elements");
    assert_int_equal(ch_read_f32(NULL, out, 4), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "read_f32: operand 0 is NULL — give a tensor");
    assert_int_equal(ch_item(x, NULL), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_print(x, NULL), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_read_bytes(x, NULL, 16), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_read_bytes(x, out, 15), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "read_bytes: f32[2,2] and room for 15 bytes — it has 16");
    double v;
    assert_int_equal(ch_item(x, &v), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "item: f32[2,2] — a tensor of one element is needed");
}

static void gradients(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f32_at("data.c:1", (float[]){1, 2}, 1, two), *y = ch_mul(x, x);
    assert_mistake(
        ch_grad_at(AT, y, x), "gradient_scalar",
        "first.c:7: grad: f32[2] — a gradient is taken of one floating-point number (rank 0); reduce it first");
    ch_tensor *i = ch_from_i32((int32_t[]){1, 2}, 1, two);
    assert_mistake(ch_grad_at(AT, ch_sum_all(ch_convert(i, CH_F32)), i), "gradient_integer",
                   "first.c:7: grad: input 0 is i32[2] — only floating-point values have a derivative");
    assert_mistake(ch_grad_at(AT, ch_sum_all(y), ch_ones_like(x)), "gradient_detached",
                   "first.c:7: grad: y does not depend on the given x — build y from x with operations; a detached "
                   "tensor or one from "
                   "another scope's history has no expression");
    assert_mistake(ch_grad_at(AT, ch_detach(ch_sum_all(y)), x), "gradient_detached",
                   "first.c:7: grad: y does not depend on the given x — y was detached from its expression (ch_detach, "
                   "or its scope "
                   "ended): take the gradient before");
    assert_int_not_equal(ch_realize(ch_grad_at(AT, ch_convert(ch_sum_all(ch_sign(x)), CH_F32), x)), CH_INTERNAL);
    ch_tensor *one = ch_scalar(CH_F32, 1), *ones = ch_ones_like(x);
    assert_mistake(ch_tangent_at(AT, y, 1, &x, &one), "shape_mismatch",
                   "first.c:7: tangent: the tangent of input 0 is f32[], the input is f32[2] — they have one type");
    assert_mistake(ch_tangent_at(AT, ch_convert(y, CH_I32), 1, &x, &ones), "gradient_integer",
                   "first.c:7: tangent: y is i32[2] — only floating-point values have a derivative");
    assert_mistake(ch_tangent_at(AT, y, 1, &i, &i), "gradient_integer",
                   "first.c:7: tangent: input 0 is i32[2] — only floating-point values have a derivative");
}

static void scopes(void **state) {
    (void)state;
    ch_scope outer = ch_scope_begin(), inner = ch_scope_begin();
    assert_int_equal(ch_scope_end(outer), CH_FAILED_PRECONDITION);
    assert_non_null(strstr(ch_error_message(), "1 scopes that are still open — end the innermost first"));
    assert_int_equal(ch_scope_end(inner), CH_OK);
    assert_int_equal(ch_scope_end(inner), CH_FAILED_PRECONDITION);
    assert_non_null(
        strstr(ch_error_message(), "is not open on this thread — it was ended before, or begun on another thread"));
    assert_string_equal(ch_error_id(), "scope");
    assert_int_equal(ch_scope_end(outer), CH_OK);
}

static void use_after_release(void **state) {
    (void)state;
#ifdef NDEBUG
    CH_SKIP("release builds do not keep dead tensors");
#else
    ch_scope s = ch_scope_begin();
    ch_tensor *gone = ch_scalar(CH_F32, 1);
    assert_int_equal(ch_scope_end(s), CH_OK);
    assert_mistake(ch_neg_at(AT, gone), "use_after_release",
                   "first.c:7: neg: operand 0 was released — its scope ended or ch_release took the last reference; "
                   "ch_keep it to keep it");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(operands_that_do_not_go_together, end_thread),
        cmocka_unit_test_teardown(axis_names, end_thread),
        cmocka_unit_test_teardown(the_first_mistake_is_carried, end_thread),
        cmocka_unit_test_teardown(inside_a_composite_the_callers_line_counts, end_thread),
        cmocka_unit_test_teardown(arguments, end_thread),
        cmocka_unit_test_teardown(lists_and_names, end_thread),
        cmocka_unit_test_teardown(funcs_that_do_not_fit, end_thread),
        cmocka_unit_test_teardown(reading, end_thread),
        cmocka_unit_test_teardown(gradients, end_thread),
        cmocka_unit_test_teardown(scopes, end_thread),
        cmocka_unit_test_teardown(use_after_release, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
