// SPDX-License-Identifier: Apache-2.0
// infer_reduce.c - shape rules of reductions, running reductions, windows and sorting.
//
// The size of a windowed axis, as the StableHLO specification has it: the input dilated by d is
// n = max((size-1) d + 1, 0) long, the window w = max((window-1) wd + 1, 0), and there are
// floordiv(lo + n + hi - w, stride) + 1 places for it, none when it does not fit. As one expression:
// max(floordiv(lo + n + hi - w, stride) + 1, 0).
#include "ir/infer.h"

#define KINDS_NUMBER (1u << CH__SUM | 1u << CH__PROD | 1u << CH__MIN | 1u << CH__MAX)
#define KINDS_LOGIC (1u << CH__AND | 1u << CH__OR)

ch__kind ch__infer_reduction_kind(ch__infer *in) {
    ch_dtype d = in->operands[0]->dtype;
    ch__kind kind = ch__infer_kind(in, KINDS_NUMBER | KINDS_LOGIC);
    if ((kind == CH__SUM || kind == CH__PROD) && d == CH_BOOL)
        ch__infer_bad(in, CH__E_dtype_mismatch, "kind %s takes floating, signed and unsigned dtypes",
                      ch__word_name(CH__AK_KIND, kind));
    if ((kind == CH__AND || kind == CH__OR) && ch__is_float(d))
        ch__infer_bad(in, CH__E_dtype_mismatch, "kind %s takes signed, unsigned and bool dtypes",
                      ch__word_name(CH__AK_KIND, kind));
    return kind;
}

static void check_reduction(ch__infer *in) {
    ch__infer_reduction_kind(in);
    ch__infer_accumulates(in, in->operands[0]->dtype);
}

// x without the axes of the set, as another dtype.
static const ch__type *without_axes(ch__infer *in, const ch__type *x, uint32_t gone, ch_dtype d) {
    ch__dim dims[CH__MAX_RANK];
    const char *axes[CH__MAX_RANK];
    int rank = 0;
    for (int i = 0; i < x->rank; i++) {
        if (gone >> i & 1) continue;
        dims[rank] = x->dims[i];
        axes[rank++] = ch__axis(x, i);
    }
    return ch__infer_make(in, d, rank, dims, axes);
}

void ch__infer_reduce(ch__infer *in) {
    const ch__type *x = in->operands[0];
    const ch__attr *dims = ch__infer_attr(in, CH__ATTR_dims);
    check_reduction(in);
    uint32_t gone = ch__infer_axes(in, CH__ATTR_dims, dims->n, dims->ints, "the operand", x->rank, CH__ASCENDING);
    ch__infer_one(in, gone ? without_axes(in, x, gone, x->dtype) : x);
}

static int own_axis(const ch__infer *in) {
    return ch__infer_axis(in, CH__ATTR_dim, ch__infer_int(in, CH__ATTR_dim, 0), "the operand", in->operands[0]->rank);
}

// An axis without elements has no position to give, so it has to hold one at least.
void ch__infer_typed_arg_reduce(ch__infer *in) {
    const ch__type *x = in->operands[0], *r = in->results[0];
    ch__infer_kind(in, 1u << CH__MIN | 1u << CH__MAX);
    int dim = own_axis(in);
    if (!ch__is_int(r->dtype))
        ch__infer_bad(in, CH__E_dtype_mismatch, "the result is %s, a position is of an integer dtype",
                      ch_dtype_name(r->dtype));
    ch__answer some = ch__infer_le(in, ch__dim_const(1), x->dims[dim]);
    if (some != CH__YES)
        ch__infer_above(in, some, CH__E_shape_mismatch, ch__dim_const(1), x->dims[dim],
                        "axis %d is %s: of no elements there is no position", dim,
                        ch__infer_dim_text(in, x->dims[dim]));
    const ch__type *want = without_axes(in, x, UINT32_C(1) << dim, r->dtype);
    ch__infer_one(in, ch__infer_joint(in, r, CH__SIDE_RESULT, want, ch__side_text("what is left of x", -1)));
}

void ch__infer_cumulative(ch__infer *in) {
    ch__infer_kind(in, KINDS_NUMBER);
    ch__infer_accumulates(in, in->operands[0]->dtype);
    own_axis(in);
    ch__infer_one(in, in->operands[0]);
}

// ---------------------------------------------------------------- windows
static ch__dim dilated_size(ch__infer *in, ch__dim size, int64_t dilation) {
    if (dilation == 1) return size;
    ch__dim one = ch__dim_const(1);
    ch__dim d = ch__dim_mul(in->arena, ch__dim_sub(in->arena, size, one), ch__dim_const(dilation));
    return ch__dim_max(in->arena, ch__dim_add(in->arena, d, one), ch__dim_const(0));
}

ch__dim ch__infer_window_dim(ch__infer *in, ch__dim size, int64_t lo, int64_t hi, int64_t dilation, ch__dim window,
                             int64_t window_dilation, int64_t stride) {
    ch__arena *a = in->arena;
    ch__dim padded =
        ch__dim_add(a, ch__dim_add(a, dilated_size(in, size, dilation), ch__dim_const(lo)), ch__dim_const(hi));
    if (ch__dim_is_const(padded) && padded.val <= 0) return ch__dim_const(0);
    ch__dim room = ch__dim_sub(a, padded, dilated_size(in, window, window_dilation));
    ch__dim places = ch__dim_add(a, ch__dim_floordiv(a, room, ch__dim_const(stride)), ch__dim_const(1));
    return ch__dim_max(a, places, ch__dim_const(0));
}

static const ch__type *windowed(ch__infer *in, const ch__type *x) {
    static const ch__attr_id lists[] = {CH__ATTR_window, CH__ATTR_strides,      CH__ATTR_pad_lo,
                                        CH__ATTR_pad_hi, CH__ATTR_lhs_dilation, CH__ATTR_rhs_dilation};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ch__infer_need_count(in, lists[i], "the operand", "rank", x->rank);
        if (lists[i] != CH__ATTR_pad_lo && lists[i] != CH__ATTR_pad_hi) ch__infer_entries_at_least(in, lists[i], 1);
    }
    ch__dim dims[CH__MAX_RANK];
    for (int i = 0; i < x->rank; i++)
        dims[i] = ch__infer_window_dim(
            in, x->dims[i], ch__infer_entry(in, CH__ATTR_pad_lo, i, 0), ch__infer_entry(in, CH__ATTR_pad_hi, i, 0),
            ch__infer_entry(in, CH__ATTR_lhs_dilation, i, 1), ch__dim_const(ch__infer_entry(in, CH__ATTR_window, i, 1)),
            ch__infer_entry(in, CH__ATTR_rhs_dilation, i, 1), ch__infer_entry(in, CH__ATTR_strides, i, 1));
    return ch__infer_make(in, x->dtype, x->rank, dims, x->axes);
}

void ch__infer_reduce_window(ch__infer *in) {
    check_reduction(in);
    ch__infer_one(in, windowed(in, in->operands[0]));
}

void ch__infer_select_and_scatter(ch__infer *in) {
    const ch__type *x = in->operands[0];
    ch__infer_kind(in, 1u << CH__MIN | 1u << CH__MAX);
    const ch__type *want = windowed(in, x);
    ch__infer_joint(in, in->operands[1], ch__side_operand(1), want, ch__side_text("the windows of x", -1));
    ch__infer_one(in, x);
}

// ---------------------------------------------------------------- order
void ch__infer_sort(ch__infer *in) {
    int64_t keys = ch__infer_int(in, CH__ATTR_keys, 1);
    if (keys < 1 || keys > in->n_operands)
        ch__infer_bad_attr(in, "keys is %" PRId64 ", there %s %d operand%s", keys, in->n_operands == 1 ? "is" : "are",
                           in->n_operands, in->n_operands == 1 ? "" : "s");
    own_axis(in);
    for (int i = 0; i < keys; i++)
        if (ch__dtype_class(in->operands[i]->dtype) == 's')
            ch__infer_bad(in, CH__E_dtype_mismatch, "%s is for storage: convert first",
                          ch_dtype_name(in->operands[i]->dtype));
    const ch__type *joint = in->operands[0];
    for (int i = 1; i < in->n_operands; i++)
        joint = ch__infer_joint(in, joint, ch__side_operand(0), in->operands[i], ch__side_operand(i));
    for (int i = 0; i < in->n_operands; i++)
        in->results[i] = ch__infer_joint(in, in->operands[i], ch__side_operand(i), joint, ch__side_operand(0));
    in->n_results = in->n_operands;
}

void ch__infer_typed_top_k(ch__infer *in) {
    const ch__type *x = in->operands[0];
    ch__infer_need_rank(in, 0, 1);
    ch__dim k = ch__infer_attr(in, CH__ATTR_k)->dim, zero = ch__dim_const(0), last = x->dims[x->rank - 1];
    ch__answer r = ch__infer_le(in, zero, k);
    if (r != CH__YES)
        ch__infer_above(in, r, CH__E_attribute, zero, k, "k is %s, at least 0 is wanted", ch__infer_dim_text(in, k));
    r = ch__infer_le(in, k, last);
    if (r != CH__YES)
        ch__infer_above(in, r, CH__E_attribute, k, last, "k is %s, the last axis of the operand is %s",
                        ch__infer_dim_text(in, k), ch__infer_dim_text(in, last));
    ch__dim dims[CH__MAX_RANK];
    for (int i = 0; i < x->rank; i++) dims[i] = i == x->rank - 1 ? k : x->dims[i];
    const ch__type *values = ch__infer_make(in, x->dtype, x->rank, dims, x->axes);
    const ch__type *positions = ch__type_with_dtype(in->arena, values, CH_I64);
    if (in->n_results == 2) {
        ch_dtype d = in->results[1]->dtype;
        if (d != CH_I64 && d != CH_I32)
            ch__infer_bad(in, CH__E_dtype_mismatch, "positions are i64 or i32, the result says %s", ch_dtype_name(d));
        values = ch__infer_match(in, in->results[0], ch__side_text("result", 0), values,
                                 ch__side_text("the value type", -1));
        positions = ch__infer_joint(in, in->results[1], ch__side_text("result", 1), positions,
                                    ch__side_text("the value type", -1));
    }
    in->results[0] = values;
    in->results[1] = positions;
    in->n_results = 2;
}
