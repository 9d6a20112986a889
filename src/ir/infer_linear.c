// SPDX-License-Identifier: Apache-2.0
// infer_linear.c - shape rules of products, convolutions and factorizations.
#include "ir/infer.h"

#include <string.h>

// ---------------------------------------------------------------- dot
// Axes of one side of a PAIRS attribute, disjoint from those taken; gives the union.
static uint32_t side_axes(const ch__infer *in, ch__attr_id id, bool rhs, uint32_t taken) {
    const ch__attr *pairs = ch__infer_attr(in, id);
    if (!pairs) return taken;
    const char *whose = rhs ? "rhs" : "lhs";
    uint32_t set =
        ch__infer_axes(in, id, pairs->n, pairs->ints + (rhs ? pairs->n : 0), whose, in->operands[rhs]->rank, 0);
    for (int i = 0; i < CH__MAX_RANK; i++)
        if (set & taken & UINT32_C(1) << i)
            ch__infer_bad_attr(in, "contract and batch both hold axis %d of %s", i, whose);
    return set | taken;
}

// Sizes and names of the pairs agree; what is "contracted" or "batch".
static void check_pairs(ch__infer *in, ch__attr_id id, const char *what) {
    const ch__type *lhs = in->operands[0], *rhs = in->operands[1];
    const ch__attr *pairs = ch__infer_attr(in, id);
    for (int i = 0; pairs && i < pairs->n; i++) {
        int l = (int)pairs->ints[i], r = (int)pairs->ints[pairs->n + i];
        const char *nl = ch__axis(lhs, l), *nr = ch__axis(rhs, r);
        if (nl && nr && strcmp(nl, nr) != 0)
            ch__infer_bad(in, CH__E_axis_mismatch, "%s dims differ: lhs dim %d is named %s, rhs dim %d is named %s",
                          what, l, nl, r, nr);
        ch__answer same = ch__infer_eq(in, lhs->dims[l], rhs->dims[r]);
        if (same != CH__YES)
            ch__infer_unequal(in, same, lhs->dims[l], rhs->dims[r], "%s dims %s: lhs dim %d is %s, rhs dim %d is %s",
                              what, same == CH__NO ? "differ" : "meet", l, ch__infer_dim_text(in, lhs->dims[l]), r,
                              ch__infer_dim_text(in, rhs->dims[r]));
    }
}

void ch__infer_dot(ch__infer *in) {
    const ch__type *lhs = in->operands[0], *rhs = in->operands[1];
    ch__infer_accumulates(in, lhs->dtype);
    uint32_t of_lhs = side_axes(in, CH__ATTR_batch, false, side_axes(in, CH__ATTR_contract, false, 0));
    uint32_t of_rhs = side_axes(in, CH__ATTR_batch, true, side_axes(in, CH__ATTR_contract, true, 0));
    check_pairs(in, CH__ATTR_contract, "contracted");
    check_pairs(in, CH__ATTR_batch, "batch");
    ch__dim dims[3 * CH__MAX_RANK];
    const char *axes[3 * CH__MAX_RANK];
    int rank = 0;
    const ch__attr *batch = ch__infer_attr(in, CH__ATTR_batch);
    for (int i = 0; batch && i < batch->n; i++, rank++) {
        dims[rank] = lhs->dims[batch->ints[i]];
        axes[rank] = ch__axis(lhs, (int)batch->ints[i]);
        if (!axes[rank]) axes[rank] = ch__axis(rhs, (int)batch->ints[batch->n + i]);
    }
    for (int side = 0; side < 2; side++) {
        const ch__type *t = side ? rhs : lhs;
        for (int i = 0; i < t->rank; i++) {
            if ((side ? of_rhs : of_lhs) >> i & 1) continue;
            dims[rank] = t->dims[i];
            axes[rank++] = ch__axis(t, i);
        }
    }
    ch__infer_one(in, ch__infer_make(in, lhs->dtype, rank, dims, axes));
}

// ---------------------------------------------------------------- conv
static int64_t check_groups(const ch__infer *in, ch__attr_id id) {
    int64_t g = ch__infer_int(in, id, 1);
    if (g < 1) ch__infer_bad_attr(in, "%s is %" PRId64 ", at least 1 is wanted", ch__attr_name(id), g);
    return g;
}

// size is a multiple of n.
static void need_multiple(ch__infer *in, ch__dim size, int64_t n, const char *what, ch__attr_id id) {
    if (n == 1) return;
    ch__dim left = ch__dim_mod(in->arena, size, ch__dim_const(n)), zero = ch__dim_const(0);
    ch__answer r = ch__infer_eq(in, left, zero);
    if (r != CH__YES)
        ch__infer_unequal(in, r, left, zero, "%s is %s, no multiple of %s = %" PRId64, what,
                          ch__infer_dim_text(in, size), ch__attr_name(id), n);
}

static void check_features(ch__infer *in, int64_t groups, int64_t batch_groups) {
    const ch__type *lhs = in->operands[0], *rhs = in->operands[1];
    ch__infer_join_axis(in, ch__axis(lhs, 1), 1, ch__side_operand(0), ch__axis(rhs, 1), 1, ch__side_operand(1));
    ch__dim in_group = ch__dim_mul(in->arena, rhs->dims[1], ch__dim_const(groups));
    ch__answer r = ch__infer_eq(in, lhs->dims[1], in_group);
    if (r != CH__YES)
        ch__infer_unequal(in, r, lhs->dims[1], in_group, "lhs has %s features, rhs takes %s in %" PRId64 " group%s",
                          ch__infer_dim_text(in, lhs->dims[1]), ch__infer_dim_text(in, rhs->dims[1]), groups,
                          groups == 1 ? "" : "s");
    need_multiple(in, rhs->dims[0], groups, "axis 0 of rhs", CH__ATTR_groups);
    need_multiple(in, rhs->dims[0], batch_groups, "axis 0 of rhs", CH__ATTR_batch_groups);
    need_multiple(in, lhs->dims[0], batch_groups, "axis 0 of lhs", CH__ATTR_batch_groups);
}

void ch__infer_conv(ch__infer *in) {
    static const ch__attr_id lists[] = {CH__ATTR_strides, CH__ATTR_pad_lo, CH__ATTR_pad_hi, CH__ATTR_lhs_dilation,
                                        CH__ATTR_rhs_dilation};
    const ch__type *lhs = in->operands[0], *rhs = in->operands[1];
    ch__infer_accumulates(in, lhs->dtype);
    ch__infer_need_rank(in, 0, 3);
    if (lhs->rank != rhs->rank)
        ch__infer_bad(in, CH__E_rank, "ranks differ: %d in lhs and %d in rhs", lhs->rank, rhs->rank);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ch__infer_need_count(in, lists[i], "the operand", "spatial rank", lhs->rank - 2);
        if (lists[i] != CH__ATTR_pad_lo && lists[i] != CH__ATTR_pad_hi) ch__infer_entries_at_least(in, lists[i], 1);
    }
    int64_t groups = check_groups(in, CH__ATTR_groups), batch_groups = check_groups(in, CH__ATTR_batch_groups);
    if (groups > 1 && batch_groups > 1)
        ch__infer_bad_attr(in, "groups is %" PRId64 " and batch_groups is %" PRId64 ", one of them is 1", groups,
                           batch_groups);
    check_features(in, groups, batch_groups);
    ch__dim dims[CH__MAX_RANK];
    const char *axes[CH__MAX_RANK];
    dims[0] = ch__dim_floordiv(in->arena, lhs->dims[0], ch__dim_const(batch_groups));
    dims[1] = rhs->dims[0];
    axes[0] = ch__axis(lhs, 0);
    axes[1] = ch__axis(rhs, 0);
    for (int i = 2; i < lhs->rank; i++) {
        int k = i - 2;
        dims[i] = ch__infer_window_dim(
            in, lhs->dims[i], ch__infer_entry(in, CH__ATTR_pad_lo, k, 0), ch__infer_entry(in, CH__ATTR_pad_hi, k, 0),
            ch__infer_entry(in, CH__ATTR_lhs_dilation, k, 1), rhs->dims[i],
            ch__infer_entry(in, CH__ATTR_rhs_dilation, k, 1), ch__infer_entry(in, CH__ATTR_strides, k, 1));
        axes[i] = ch__axis(lhs, i);
    }
    ch__infer_one(in, ch__infer_make(in, lhs->dtype, lhs->rank, dims, axes));
}

// ---------------------------------------------------------------- factor
// The last two axes of an operand are one size.
static void need_square(ch__infer *in, int operand) {
    ch__infer_need_rank(in, operand, 2);
    const ch__type *t = in->operands[operand];
    ch__dim rows = t->dims[t->rank - 2], cols = t->dims[t->rank - 1];
    ch__answer r = ch__infer_eq(in, rows, cols);
    if (r != CH__YES)
        ch__infer_unequal(in, r, rows, cols, "%s has %s rows and %s columns, a square matrix is wanted",
                          ch__infer_side_text(in, ch__side_operand(operand)), ch__infer_dim_text(in, rows),
                          ch__infer_dim_text(in, cols));
}

void ch__infer_cholesky(ch__infer *in) {
    need_square(in, 0);
    ch__infer_one(in, in->operands[0]);
}

// a x = b: axis i of b meets a's rows, and x has a's columns there. x a = b: it meets a's columns, x has a's rows.
// Transposing a swaps the two.
void ch__infer_triangular_solve(ch__infer *in) {
    need_square(in, 0);
    const ch__type *a = in->operands[0], *b = in->operands[1];
    if (a->rank != b->rank) ch__infer_bad(in, CH__E_rank, "ranks differ: %d in a and %d in b", a->rank, b->rank);
    const char *axes[CH__MAX_RANK];
    int rank = a->rank;
    for (int i = 0; i < rank; i++) {
        axes[i] = ch__axis(b, i);
        if (i >= rank - 2) continue;
        axes[i] = ch__infer_join_axis(in, ch__axis(a, i), i, ch__side_operand(0), axes[i], i, ch__side_operand(1));
        ch__answer r = ch__infer_eq(in, b->dims[i], a->dims[i]);
        if (r != CH__YES)
            ch__infer_unequal(in, r, b->dims[i], a->dims[i], "axis %d is %s in a and %s in b", i,
                              ch__infer_dim_text(in, a->dims[i]), ch__infer_dim_text(in, b->dims[i]));
    }
    bool left = ch__infer_int(in, CH__ATTR_left, 1) != 0, transposed = ch__infer_int(in, CH__ATTR_transpose, 0) != 0;
    int meets_b = left ? rank - 2 : rank - 1;
    int meets_a = left != transposed ? rank - 2 : rank - 1, other = meets_a == rank - 2 ? rank - 1 : rank - 2;
    ch__infer_join_axis(in, ch__axis(a, meets_a), meets_a, ch__side_operand(0), ch__axis(b, meets_b), meets_b,
                        ch__side_operand(1));
    ch__answer r = ch__infer_eq(in, b->dims[meets_b], a->dims[meets_a]);
    if (r != CH__YES)
        ch__infer_unequal(in, r, b->dims[meets_b], a->dims[meets_a], "a is %s by %s, axis %d of b is %s",
                          ch__infer_dim_text(in, a->dims[rank - 2]), ch__infer_dim_text(in, a->dims[rank - 1]), meets_b,
                          ch__infer_dim_text(in, b->dims[meets_b]));
    if (ch__axis(a, other)) axes[meets_b] = ch__axis(a, other);
    ch__infer_one(in, ch__infer_make(in, b->dtype, rank, b->dims, axes));
}
