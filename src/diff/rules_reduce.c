// SPDX-License-Identifier: Apache-2.0
// rules_reduce.c - derivatives of reductions and running reductions.
//
// Products: the product of all the others, as a running product from the left times one from the right, exact at zeros.
// Minima and maxima: the winners get the adjoint; of equal winners all share it (split), the first takes it (first), or
// each gets it whole (all). A NaN that won gets nothing: it equals nothing.
#include "diff/rules.h"

// ---------------------------------------------------------------- pieces
// The op's own acc and order, so that the derivative is summed as the primal was.
static int acc_attrs(const ch__op *op, ch__attr *attrs, int n) {
    const ch__attr *acc = ch__op_attr(op, CH__ATTR_acc), *order = ch__op_attr(op, CH__ATTR_order);
    if (acc != NULL) attrs[n++] = *acc;
    if (order != NULL) attrs[n++] = *order;
    return n;
}

static ch__value *running(ch__vjp *c, ch__kind kind, ch__value *x, int dim, bool reverse) {
    ch__attr attrs[5] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_int(CH__ATTR_dim, dim)};
    int n = 2;
    if (reverse) attrs[n++] = ch__attr_int(CH__ATTR_reverse, 1);
    if (ch__is_float(x->type->dtype) && (kind == CH__SUM || kind == CH__PROD)) n = acc_attrs(c->op, attrs, n);
    return ch__build(B(c), CH_OP_cumulative, 1, &x, n, attrs, 0, NULL, 0, NULL)->results;
}

// x moved one place along axis dim, away from the start (forward) or from the end; `fill` comes in.
static ch__value *shifted(ch__vjp *c, ch__value *x, int dim, bool forward, double fill) {
    ch__dim lo[CH__MAX_RANK], hi[CH__MAX_RANK];
    for (int i = 0; i < x->type->rank; i++) lo[i] = hi[i] = ch__dim_const(0);
    lo[dim] = ch__dim_const(forward ? 1 : -1);
    hi[dim] = ch__dim_const(forward ? -1 : 1);
    return ch__b_pad(B(c), x, ch__b_splat(B(c), ch__type_scalar(x->type->dtype), fill), lo, hi, NULL);
}

static ch__value *iota_like(ch__vjp *c, const ch__type *t, int dim) {
    return ch__b_iota(B(c), ch__d_like(c, t, CH_I64), dim);
}

// The axes `dims` of x gathered into one last axis: [kept..., product of the reduced]. One axis stays where it is.
typedef struct {
    int axis, n_kept;
    bool moved;
    int64_t perm[CH__MAX_RANK];
    const ch__type *flat, *spread;
} flattening;

static ch__value *flatten(ch__vjp *c, ch__value *x, const ch__attr *dims, flattening *f) {
    ch__arena *a = ch__builder_arena(B(c));
    int rank = x->type->rank, n = 0;
    *f = (flattening){.axis = dims->n == 1 ? (int)dims->ints[0] : rank - dims->n, .n_kept = rank - dims->n};
    if (dims->n == 1) return x;
    f->moved = true;
    uint32_t reduced = 0;
    for (int k = 0; k < dims->n; k++) reduced |= UINT32_C(1) << dims->ints[k];
    for (int i = 0; i < rank; i++)
        if (!(reduced >> i & 1)) f->perm[n++] = i;
    for (int k = 0; k < dims->n; k++) f->perm[n++] = dims->ints[k];
    ch__value *t = ch__b_transpose(B(c), x, f->perm);
    ch__dim sizes[CH__MAX_RANK], all = ch__dim_const(1);
    for (int i = 0; i < f->n_kept; i++) sizes[i] = t->type->dims[i];
    for (int i = f->n_kept; i < rank; i++) all = ch__dim_mul(a, all, t->type->dims[i]);
    sizes[f->n_kept] = all;
    f->spread = t->type;
    f->flat = ch__type_make(a, x->type->dtype, f->n_kept + 1, sizes, NULL);
    return ch__b_reshape(B(c), t, f->flat);
}

static ch__value *unflatten(ch__vjp *c, ch__value *x, const flattening *f) {
    if (!f->moved) return x;
    int64_t back[CH__MAX_RANK];
    for (int i = 0; i < f->spread->rank; i++) back[f->perm[i]] = i;
    const ch__type *t = f->spread;
    if (t->dtype != x->type->dtype) t = ch__d_like(c, t, x->type->dtype);
    return ch__b_transpose(B(c), ch__b_reshape(B(c), x, t), back);
}

// ---------------------------------------------------------------- reduce
static ch__value *other_factors(ch__vjp *c, ch__value *given, const ch__attr *dims) {
    flattening f;
    ch__value *x = flatten(c, given, dims, &f);
    ch__value *left = running(c, CH__PROD, shifted(c, x, f.axis, true, 1.0), f.axis, false);
    ch__value *right = running(c, CH__PROD, shifted(c, x, f.axis, false, 1.0), f.axis, true);
    return unflatten(c, d_mul(c, left, right), &f);
}

static ch__value *prod_vjp(ch__vjp *c, ch__value *x, ch__value *adj, const ch__attr *dims) {
    ch__value *others = other_factors(c, x, dims);
    return d_mul(c, ch__d_spread(c, adj, others->type, dims->n, dims->ints), others);
}

// The first true along dims, alone.
static ch__value *first_of(ch__vjp *c, ch__value *won, const ch__attr *dims) {
    flattening f;
    ch__value *flat = flatten(c, won, dims, &f);
    ch__value *at = iota_like(c, flat->type, f.axis);
    ch__value *past = ch__b_broadcast_to(B(c), ch__b_dim(B(c), flat->type->dims[f.axis]), at->type);
    int64_t axis = f.axis;
    ch__value *first = ch__b_reduce(B(c), CH__MIN, d_select(c, flat, at, past), 1, &axis);
    return unflatten(c, d_compare(c, CH__EQ, at, ch__d_spread(c, first, at->type, 1, &axis)), &f);
}

static ch__value *min_max_vjp(ch__vjp *c, ch__value *x, ch__value *r, ch__value *adj, const ch__attr *dims) {
    int64_t tie = ch__op_int(c->op, CH__ATTR_tie, CH__SPLIT);
    const ch__type *t = x->type;
    ch__value *won = d_compare(c, CH__EQ, x, ch__d_spread(c, r, t, dims->n, dims->ints));
    c->masked = true;
    if (tie == CH__SPLIT) {
        ch__value *count = ch__d_sum(c, ch__b_convert(B(c), won, t->dtype), dims->n, dims->ints);
        adj = d_div(c, adj, count);
    } else if (tie == CH__FIRST) {
        won = first_of(c, won, dims);
    }
    return d_zero_unless(c, won, ch__d_spread(c, adj, t, dims->n, dims->ints));
}

ch__value *ch__d_reduce_back(ch__vjp *c, ch__kind kind, ch__value *x, ch__value *r, ch__value *adj,
                             const ch__attr *dims) {
    return kind == CH__PROD ? prod_vjp(c, x, adj, dims) : min_max_vjp(c, x, r, adj, dims);
}

static void reduce_vjp(ch__vjp *c) {
    const ch__attr *dims = ch__op_attr(c->op, CH__ATTR_dims);
    ch__kind kind = (ch__kind)ch__op_int(c->op, CH__ATTR_kind, CH__SUM);
    if (dims->n == 0 || kind == CH__SUM)
        ch__vjp_give(c, 0, dims->n == 0 ? ADJ(c) : ch__d_spread(c, ADJ(c), ch__vjp_type(c, 0), dims->n, dims->ints));
    else
        ch__vjp_give(c, 0, ch__d_reduce_back(c, kind, X(c, 0), kind == CH__PROD ? NULL : R(c), ADJ(c), dims));
}

// The same factors and winners, forwards. A NaN that won has no winner beside it: 0.
ch__value *ch__d_reduce_along(ch__vjp *c, ch__kind kind, ch__value *x, ch__value *r, ch__value *tangent,
                              const ch__attr *dims) {
    if (kind == CH__PROD) return ch__d_sum(c, d_mul(c, tangent, other_factors(c, x, dims)), dims->n, dims->ints);
    int64_t tie = ch__op_int(c->op, CH__ATTR_tie, CH__SPLIT);
    const ch__type *t = x->type;
    ch__value *won = d_compare(c, CH__EQ, x, ch__d_spread(c, r, t, dims->n, dims->ints));
    if (tie == CH__FIRST) won = first_of(c, won, dims);
    ch__value *sum = ch__d_sum(c, d_zero_unless(c, won, tangent), dims->n, dims->ints);
    if (tie != CH__SPLIT) return sum;
    ch__value *count = ch__d_sum(c, ch__b_convert(B(c), won, t->dtype), dims->n, dims->ints);
    return d_div(c, sum, d_binary(c, CH_OP_max, count, d_num(c, count, 1.0)));
}

static void reduce_jvp(ch__vjp *c) {
    const ch__attr *dims = ch__op_attr(c->op, CH__ATTR_dims);
    ch__kind kind = (ch__kind)ch__op_int(c->op, CH__ATTR_kind, CH__SUM);
    if (dims->n == 0) {
        ch__jvp_give(c, 0, T(c, 0));
    } else if (kind == CH__SUM) {
        ch__jvp_linear(c, 1);
    } else {
        ch__jvp_give(c, 0, ch__d_reduce_along(c, kind, X(c, 0), R(c), T(c, 0), dims));
    }
}

// ---------------------------------------------------------------- cumulative
// x_bar_i = sum over j at or after i of adj_j times the product of x_k, k at or before j, k not i. Where x_i is not 0
// that product is r_j / x_i. Where x_i is the first 0, it is the running product with that 0 replaced by 1. A later 0
// gets 0.
static void running_prod_vjp(ch__vjp *c, int dim, bool reverse) {
    ch__value *x = X(c, 0), *adj = ADJ(c), *one = d_num(c, x, 1.0), *zero = d_num(c, x, 0.0);
    ch__value *is_0 = d_compare(c, CH__EQ, x, zero);
    ch__value *count = running(c, CH__SUM, ch__b_convert(B(c), is_0, CH_I64), dim, reverse);
    ch__value *first_0 = d_binary(c, CH_OP_and, is_0, d_compare(c, CH__EQ, count, d_num(c, count, 1)));
    ch__value *without = running(c, CH__PROD, d_select(c, first_0, one, x), dim, reverse);
    ch__value *at_0 = running(c, CH__SUM, d_mul(c, adj, without), dim, !reverse);
    ch__value *sums = running(c, CH__SUM, d_mul(c, adj, R(c)), dim, !reverse);
    ch__value *elsewhere = d_div(c, sums, d_select(c, is_0, one, x));
    ch__vjp_give(c, 0, d_select(c, is_0, d_zero_unless(c, first_0, at_0), elsewhere));
}

// Along the axis the result is constant in segments; where each begins, for every place.
static ch__value *segment_starts(ch__vjp *c, ch__value *r, int dim) {
    ch__value *at = iota_like(c, r->type, dim), *none = d_num(c, at, -1);
    ch__value *changed = d_compare(c, CH__NE, r, shifted(c, r, dim, true, 0.0));
    changed = d_binary(c, CH_OP_or, changed, d_compare(c, CH__EQ, at, d_num(c, at, 0)));
    return running(c, CH__MAX, d_select(c, changed, at, none), dim, false);
}

// How many of `won` there are from the start of the segment to each place; the start itself counts always.
static ch__value *winners_so_far(ch__vjp *c, ch__value *won, ch__value *start, int dim, ch_dtype d) {
    ch__value *seen = running(c, CH__SUM, ch__b_convert(B(c), won, CH_I64), dim, false);
    ch__value *count = d_sub(c, seen, ch__d_take_along(c, seen, start, dim));
    return ch__b_convert(B(c), d_add(c, count, d_num(c, count, 1)), d);
}

// Each segment starts where x beats all before: at `start`. Elements of a
// segment that equal it won too, for the results from there on. The sum of the shares from place i to the end of its
// segment is the segment's sum less what came before i, which is exactly nothing at the start.
static void running_min_max_vjp(ch__vjp *c, int dim, bool reverse) {
    int64_t tie = ch__op_int(c->op, CH__ATTR_tie, CH__SPLIT), axis = dim;
    ch__value *x = X(c, 0), *r = R(c), *adj = ADJ(c);
    if (reverse) {
        x = ch__b_reverse(B(c), x, 1, &axis);
        r = ch__b_reverse(B(c), r, 1, &axis);
        adj = ch__b_reverse(B(c), adj, 1, &axis);
    }
    ch__value *zero = d_num(c, adj, 0.0), *start = segment_starts(c, r, dim);
    ch__value *v;
    c->masked = true;
    if (tie == CH__FIRST) {
        v = ch__d_add_along(c, zero, start, adj, dim);
    } else {
        ch__value *won = d_compare(c, CH__EQ, x, r), *share = adj;
        if (tie == CH__SPLIT) { share = d_div(c, adj, winners_so_far(c, won, start, dim, adj->type->dtype)); }
        ch__value *total = ch__d_take_along(c, ch__d_add_along(c, zero, start, share, dim), start, dim);
        ch__value *before = running(c, CH__SUM, shifted(c, share, dim, true, 0.0), dim, false);
        ch__value *passed = d_sub(c, before, ch__d_take_along(c, before, start, dim));
        v = d_zero_unless(c, won, d_sub(c, total, passed));
    }
    ch__vjp_give(c, 0, reverse ? ch__b_reverse(B(c), v, 1, &axis) : v);
}

static void cumulative_vjp(ch__vjp *c) {
    int dim = (int)ch__op_int(c->op, CH__ATTR_dim, 0);
    bool reverse = ch__op_int(c->op, CH__ATTR_reverse, 0) != 0;
    switch (ch__op_int(c->op, CH__ATTR_kind, CH__SUM)) {
    case CH__SUM: ch__vjp_give(c, 0, running(c, CH__SUM, ADJ(c), dim, !reverse)); break;
    case CH__PROD: running_prod_vjp(c, dim, reverse); break;
    default: running_min_max_vjp(c, dim, reverse); break;
    }
}

// Forwards: r_j times the sum of x_dot_i / x_i, i at or before j, while no x is 0; after the first 0 the product
// without it times its tangent; after the second nothing.
static void running_prod_jvp(ch__vjp *c, int dim, bool reverse) {
    ch__value *x = X(c, 0), *t = T(c, 0), *one = d_num(c, x, 1.0), *zero = d_num(c, x, 0.0);
    ch__value *is_0 = d_compare(c, CH__EQ, x, zero);
    ch__value *count = running(c, CH__SUM, ch__b_convert(B(c), is_0, CH_I64), dim, reverse);
    ch__value *one_0 = d_compare(c, CH__EQ, count, d_num(c, count, 1));
    ch__value *no_0 = d_compare(c, CH__EQ, count, d_num(c, count, 0));
    ch__value *first_0 = d_binary(c, CH_OP_and, is_0, one_0);
    ch__value *without = running(c, CH__PROD, d_select(c, first_0, one, x), dim, reverse);
    ch__value *terms = d_select(c, is_0, zero, d_div(c, t, d_select(c, is_0, one, x)));
    ch__value *smooth = d_mul(c, R(c), running(c, CH__SUM, terms, dim, reverse));
    ch__value *at_0 = d_mul(c, without, running(c, CH__SUM, d_zero_unless(c, first_0, t), dim, reverse));
    ch__jvp_give(c, 0, d_select(c, no_0, smooth, d_zero_unless(c, one_0, at_0)));
}

// Forwards: the tangent at the start of the segment, or the sum (or mean) of those of its winners so far.
static void running_min_max_jvp(ch__vjp *c, int dim, bool reverse) {
    int64_t tie = ch__op_int(c->op, CH__ATTR_tie, CH__SPLIT), axis = dim;
    ch__value *x = X(c, 0), *r = R(c), *t = T(c, 0);
    if (reverse) {
        x = ch__b_reverse(B(c), x, 1, &axis);
        r = ch__b_reverse(B(c), r, 1, &axis);
        t = ch__b_reverse(B(c), t, 1, &axis);
    }
    ch__value *start = segment_starts(c, r, dim), *won = d_compare(c, CH__EQ, x, r), *v;
    t = d_zero_unless(c, won, t);
    if (tie == CH__FIRST) {
        v = ch__d_take_along(c, t, start, dim);
    } else {
        // The start alone, exactly; then what came after it.
        ch__value *sums = running(c, CH__SUM, t, dim, false);
        v = ch__d_take_along(c, t, start, dim);
        v = d_add(c, v, d_sub(c, sums, ch__d_take_along(c, sums, start, dim)));
        if (tie == CH__SPLIT) v = d_div(c, v, winners_so_far(c, won, start, dim, v->type->dtype));
    }
    ch__jvp_give(c, 0, reverse ? ch__b_reverse(B(c), v, 1, &axis) : v);
}

static void cumulative_jvp(ch__vjp *c) {
    int dim = (int)ch__op_int(c->op, CH__ATTR_dim, 0);
    bool reverse = ch__op_int(c->op, CH__ATTR_reverse, 0) != 0;
    switch (ch__op_int(c->op, CH__ATTR_kind, CH__SUM)) {
    case CH__SUM: ch__jvp_linear(c, 1); break;
    case CH__PROD: running_prod_jvp(c, dim, reverse); break;
    default: running_min_max_jvp(c, dim, reverse); break;
    }
}

CH__RULE(reduce, reduce_vjp, reduce_jvp);
CH__RULE(cumulative, cumulative_vjp, cumulative_jvp);
