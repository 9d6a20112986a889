// SPDX-License-Identifier: Apache-2.0
// rules_linear.c - derivatives of dot and conv: a dot or conv with one operand each.
//
// Not guarded: a row of zeros in the adjoint times inf in the other operand is NaN (docs/derivatives.md).
#include "diff/rules.h"

static int same_sums(const ch__op *op, ch__attr *attrs, int n) {
    static const ch__attr_id ids[] = {CH__ATTR_acc, CH__ATTR_order, CH__ATTR_precision};
    for (int i = 0; i < 3; i++) {
        const ch__attr *a = ch__op_attr(op, ids[i]);
        if (a != NULL) attrs[n++] = *a;
    }
    return n;
}

// ---------------------------------------------------------------- dot
typedef struct {
    int n_batch, n_contract, n_free;
    int64_t batch[CH__MAX_RANK], contract[CH__MAX_RANK], free[CH__MAX_RANK];
} dot_side;

static dot_side dot_side_of(const ch__op *op, int side) {
    dot_side s = {0};
    const ch__attr *contract = ch__op_attr(op, CH__ATTR_contract), *batch = ch__op_attr(op, CH__ATTR_batch);
    uint32_t taken = 0;
    s.n_contract = contract->n;
    s.n_batch = batch == NULL ? 0 : batch->n;
    for (int i = 0; i < s.n_contract; i++)
        taken |= UINT32_C(1) << (s.contract[i] = contract->ints[side * s.n_contract + i]);
    for (int i = 0; i < s.n_batch; i++) taken |= UINT32_C(1) << (s.batch[i] = batch->ints[side * s.n_batch + i]);
    for (int i = 0; i < op->operands[side]->type->rank; i++)
        if (!(taken >> i & 1)) s.free[s.n_free++] = i;
    return s;
}

static void sort_axes(int64_t *axes, int64_t *along, int n) { // by axes; both lists keep their pairs
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && axes[k - 1] > axes[k]; k--) {
            int64_t t = axes[k];
            axes[k] = axes[k - 1];
            axes[k - 1] = t;
            t = along[k];
            along[k] = along[k - 1];
            along[k - 1] = t;
        }
}

// The adjoint of one side. The result of dot is [batch, free of lhs, free of rhs]. Contracting it with the other side
// over the other's free axes leaves [batch, own free, own contracted] (the contracted in the other's order of axes).
static void dot_give(ch__vjp *c, int side) {
    dot_side own = dot_side_of(c->op, side), other = dot_side_of(c->op, 1 - side);
    int64_t adj_axes[2 * CH__MAX_RANK], batch[2 * CH__MAX_RANK], contract[2 * CH__MAX_RANK], place[CH__MAX_RANK];
    int nb = own.n_batch, rank = 0;
    ch__value *adj = ADJ(c), *x = X(c, 1 - side);
    for (int i = 0; i < other.n_free; i++) adj_axes[i] = nb + (side == 0 ? own.n_free : 0) + i;
    sort_axes(other.contract, own.contract, own.n_contract);
    // lhs_bar = adj . rhs; rhs_bar = lhs . adj, so that the batch of samples is contracted first by first.
    ch__value *xs[2] = {side == 0 ? adj : x, side == 0 ? x : adj};
    for (int i = 0; i < other.n_free; i++) {
        contract[side == 0 ? i : other.n_free + i] = adj_axes[i];
        contract[side == 0 ? other.n_free + i : i] = other.free[i];
    }
    for (int i = 0; i < nb; i++) {
        batch[side == 0 ? i : nb + i] = i;
        batch[side == 0 ? nb + i : i] = other.batch[i];
    }
    ch__attr attrs[6] = {ch__attr_pairs(CH__ATTR_contract, other.n_free, contract)};
    int n = 1;
    if (nb > 0) attrs[n++] = ch__attr_pairs(CH__ATTR_batch, nb, batch);
    n = same_sums(c->op, attrs, n);
    ch__value *v = ch__build(B(c), CH_OP_dot, 2, xs, n, attrs, 0, NULL, 0, NULL)->results;
    // place[k]: the operand axis of v's axis k
    for (int i = 0; i < nb; i++) place[rank++] = own.batch[i];
    if (side == 0)
        for (int i = 0; i < own.n_free; i++) place[rank++] = own.free[i];
    for (int i = 0; i < own.n_contract; i++) place[rank++] = own.contract[i];
    if (side == 1)
        for (int i = 0; i < own.n_free; i++) place[rank++] = own.free[i];
    int64_t perm[CH__MAX_RANK];
    bool sorted = true;
    for (int k = 0; k < rank; k++) {
        perm[place[k]] = k;
        sorted &= place[k] == k;
    }
    ch__vjp_give(c, side, sorted ? v : ch__b_transpose(B(c), v, perm));
}

static void dot_vjp(ch__vjp *c) {
    for (int side = 0; side < 2; side++)
        if (ch__vjp_wants(c, side)) dot_give(c, side);
}

// ---------------------------------------------------------------- conv
typedef struct {
    int spatial;
    int64_t groups, batch_groups;
    const int64_t *strides, *lo, *base, *dilation;
} conv_shape;

static conv_shape conv_of(ch__vjp *c) {
    const ch__op *op = c->op;
    int n = op->operands[0]->type->rank - 2;
    return (conv_shape){n,
                        ch__op_int(op, CH__ATTR_groups, 1),
                        ch__op_int(op, CH__ATTR_batch_groups, 1),
                        ch__d_ints(c, op, CH__ATTR_strides, n, 1),
                        ch__d_ints(c, op, CH__ATTR_pad_lo, n, 0),
                        ch__d_ints(c, op, CH__ATTR_lhs_dilation, n, 1),
                        ch__d_ints(c, op, CH__ATTR_rhs_dilation, n, 1)};
}

static ch__value *build_conv(ch__vjp *c, ch__value *lhs, ch__value *rhs, int spatial, const int64_t *strides,
                             const int64_t *rhs_dilation, int64_t groups, int64_t batch_groups) {
    ch__attr attrs[8] = {ch__attr_ints(CH__ATTR_strides, spatial, strides),
                         ch__attr_ints(CH__ATTR_rhs_dilation, spatial, rhs_dilation)};
    int n = 2;
    if (groups != 1) attrs[n++] = ch__attr_int(CH__ATTR_groups, groups);
    if (batch_groups != 1) attrs[n++] = ch__attr_int(CH__ATTR_batch_groups, batch_groups);
    n = same_sums(c->op, attrs, n);
    ch__value *xs[2] = {lhs, rhs};
    return ch__build(B(c), CH_OP_conv, 2, xs, n, attrs, 0, NULL, 0, NULL)->results;
}

static ch__value *swap_leading(ch__vjp *c, ch__value *x) {
    int64_t perm[CH__MAX_RANK];
    for (int i = 0; i < x->type->rank; i++) perm[i] = i < 2 ? 1 - i : i;
    return ch__b_transpose(B(c), x, perm);
}

// x[a, b, rest] with axis `from` split into `groups`: [g, ...] brought before axis `to` and merged there.
static ch__value *move_groups(ch__vjp *c, ch__value *x, int64_t groups, int from, int to) {
    ch__arena *a = ch__builder_arena(B(c));
    const ch__type *t = x->type;
    if (groups == 1) return x;
    ch__dim split[CH__MAX_RANK + 1], merged[CH__MAX_RANK], g = ch__dim_const(groups);
    int64_t perm[CH__MAX_RANK + 1];
    int n = 0, p = 0;
    for (int i = 0; i < t->rank; i++) {
        merged[i] = t->dims[i];
        if (i == from) {
            split[n++] = g;
            split[n++] = merged[i] = ch__dim_floordiv(a, t->dims[i], g);
        } else {
            split[n++] = t->dims[i];
        }
    }
    merged[to] = ch__dim_mul(a, merged[to], g);
    for (int i = 0; i < t->rank; i++) {
        if (i == to) perm[p++] = from;    // the group axis
        perm[p++] = i < from ? i : i + 1; // axes from `from` on moved by one
    }
    ch__value *v = ch__b_reshape(B(c), x, ch__type_make(a, t->dtype, n, split, NULL));
    return ch__b_reshape(B(c), ch__b_transpose(B(c), v, perm), ch__type_make(a, t->dtype, t->rank, merged, NULL));
}

// lhs_bar: the kernel turned round, its in and out features swapped within each group, slides over the padded adjoint.
static void conv_give_lhs(ch__vjp *c, const conv_shape *s) {
    const ch__type *t = ch__vjp_type(c, 0);
    ch__value *rhs = X(c, 1);
    int64_t spatial_axes[CH__MAX_RANK], groups = s->groups * s->batch_groups; // one of them is 1
    for (int i = 0; i < s->spatial; i++) spatial_axes[i] = 2 + i;
    // [O, C/g, K] -> [O/g, C, K] -> [C, O/g, K]; with batch groups [O, C, K] -> [O/b, b C, K] -> [b C, O/b, K]
    ch__value *kernel = swap_leading(c, move_groups(c, rhs, groups, 0, 1));
    kernel = ch__b_reverse(B(c), kernel, s->spatial, spatial_axes);
    ch__value *z = ch__d_pad_places(c, ADJ(c), 2, s->spatial, t->dims + 2, rhs->type->dims + 2, s->lo, s->strides,
                                    s->base, s->dilation);
    ch__value *v = build_conv(c, z, kernel, s->spatial, s->base, s->dilation, groups, 1);
    // [N/b, b C, S] -> [N, C, S]
    ch__vjp_give(c, 0, move_groups(c, v, s->batch_groups, 1, 0));
}

// rhs_bar: the adjoint slides over the input, samples being the features that are summed.
static void conv_give_rhs(ch__vjp *c, const conv_shape *s) {
    ch__arena *a = ch__builder_arena(B(c));
    ch__value *adj = ADJ(c), *x = X(c, 0);
    const ch__type *kernel = ch__vjp_type(c, 1);
    ch__dim lo[CH__MAX_RANK], want[CH__MAX_RANK], one = ch__dim_const(1);
    int64_t interior[CH__MAX_RANK];
    for (int i = 0; i < 2; i++) {
        lo[i] = ch__dim_const(0);
        want[i] = x->type->dims[i];
        interior[i] = 0;
    }
    for (int i = 0; i < s->spatial; i++) {
        ch__dim reach = ch__dim_mul(a, ch__dim_sub(a, kernel->dims[2 + i], one), ch__dim_const(s->dilation[i]));
        ch__dim places = adj->type->dims[2 + i], span = places;
        if (s->strides[i] != 1) {
            span = ch__dim_add(a, ch__dim_mul(a, ch__dim_sub(a, places, one), ch__dim_const(s->strides[i])), one);
            span = ch__dim_max(a, span, ch__dim_const(0));
        }
        lo[2 + i] = ch__dim_const(s->lo[i]);
        interior[2 + i] = s->base[i] - 1;
        want[2 + i] = ch__dim_add(a, reach, span);
    }
    ch__value *input = swap_leading(c, ch__d_pad_to(c, x, lo, interior, want));
    ch__value *v =
        build_conv(c, input, swap_leading(c, adj), s->spatial, s->dilation, s->strides, s->batch_groups, s->groups);
    ch__vjp_give(c, 1, swap_leading(c, v));
}

static void conv_vjp(ch__vjp *c) {
    conv_shape s = conv_of(c);
    if (ch__vjp_wants(c, 0)) conv_give_lhs(c, &s);
    if (ch__vjp_wants(c, 1)) conv_give_rhs(c, &s);
}

CH__RULE(dot, dot_vjp, ch__jvp_bilinear);
CH__RULE(conv, conv_vjp, ch__jvp_bilinear);
