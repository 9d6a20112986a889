// SPDX-License-Identifier: Apache-2.0
// rules_shape.c - derivatives of ops that move elements: the adjoint moves them back, and sums what was copied.
#include "diff/rules.h"

static void reshape_vjp(ch__vjp *c) {
    const ch__type *t = ch__vjp_type(c, 0);
    if (t->dtype != ADJ(c)->type->dtype) t = ch__d_like(c, t, ADJ(c)->type->dtype);
    ch__vjp_give(c, 0, ch__b_reshape(B(c), ADJ(c), t));
}

static void transpose_vjp(ch__vjp *c) {
    const ch__attr *perm = ch__op_attr(c->op, CH__ATTR_perm);
    int64_t back[CH__MAX_RANK];
    for (int i = 0; i < perm->n; i++) back[perm->ints[i]] = i;
    ch__vjp_give(c, 0, ch__b_transpose(B(c), ADJ(c), back));
}

// Sums over axes that are new or were repeated; then axes back in the operand's order, and axes of size 1 put in again.
static void broadcast_vjp(ch__vjp *c) {
    const ch__type *from = ch__vjp_type(c, 0), *to = c->op->results[0].type;
    const ch__attr *dims = ch__op_attr(c->op, CH__ATTR_dims);
    int source[CH__MAX_RANK]; // result axis -> operand axis, or -1
    int64_t summed[CH__MAX_RANK], perm[CH__MAX_RANK], order[CH__MAX_RANK];
    int n_summed = 0, n_kept = 0;
    for (int j = 0; j < to->rank; j++) source[j] = -1;
    for (int i = 0; i < dims->n; i++)
        if (ch__dim_equal(from->dims[i], to->dims[dims->ints[i]])) source[dims->ints[i]] = i;
    for (int j = 0; j < to->rank; j++) {
        if (source[j] < 0) {
            summed[n_summed++] = j;
        } else {
            order[n_kept++] = source[j];
        }
    }
    ch__value *v = ch__d_sum(c, ADJ(c), n_summed, summed);
    // order[k]: the operand axis of v's axis k; perm: v's axes by operand axis.
    int n = 0;
    bool sorted = true;
    for (int i = 0; i < from->rank; i++)
        for (int k = 0; k < n_kept; k++)
            if (order[k] == i) {
                sorted &= k == n;
                perm[n++] = k;
            }
    if (!sorted) v = ch__b_transpose(B(c), v, perm);
    if (v->type->rank != from->rank) v = ch__b_reshape(B(c), v, ch__d_like(c, from, v->type->dtype));
    ch__vjp_give(c, 0, v);
}

// Added in place where there is an adjoint already: several slices of one array make no array of zeros each.
static void add_to_block(ch__vjp *c, const ch__dim *start, const ch__dim *limit) {
    ch__value *sum = ch__vjp_take(c, 0), *xs[CH__MAX_RANK + 2];
    int n = 2, rank = sum->type->rank;
    ch__value *adj = ch__b_convert(B(c), ADJ(c), sum->type->dtype);
    xs[1] = d_add(c, ch__b_slice(B(c), sum, start, limit, NULL), adj);
    xs[0] = sum;
    for (int i = 0; i < rank; i++) xs[n++] = ch__b_dim(B(c), start[i]);
    ch__attr bounds = ch__attr_int(CH__ATTR_bounds, CH__KNOWN);
    ch__vjp_put(c, 0, ch__build(B(c), CH_OP_dynamic_update_slice, n, xs, 1, &bounds, 0, NULL, 0, NULL)->results);
}

static void slice_vjp(ch__vjp *c) {
    c->masked = true; // what was not taken has adjoint 0 whatever made it
    const ch__attr *stride = ch__op_attr(c->op, CH__ATTR_stride);
    bool block = c->along == NULL && c->s->adjoint[c->key->operands[0]->id] != NULL && ch__vjp_type(c, 0)->rank > 0;
    for (int i = 0; stride != NULL && i < stride->n; i++) block = block && stride->ints[i] == 1;
    if (block) {
        add_to_block(c, ch__op_attr(c->op, CH__ATTR_start)->dims, ch__op_attr(c->op, CH__ATTR_limit)->dims);
        return;
    }
    ch__vjp_give(c, 0,
                 ch__d_unslice(c, ADJ(c), ch__vjp_type(c, 0), ch__op_attr(c->op, CH__ATTR_start)->dims,
                               stride == NULL ? NULL : stride->ints));
}

// The padding cut off again, then every (interior + 1)-th element.
ch__value *ch__d_unpad(ch__vjp *c, ch__value *adj, const ch__dim *lo, const ch__dim *hi, const int64_t *interior) {
    ch__arena *a = ch__builder_arena(B(c));
    ch__dim zero = ch__dim_const(0), back_lo[CH__MAX_RANK], back_hi[CH__MAX_RANK], start[CH__MAX_RANK];
    int64_t stride[CH__MAX_RANK];
    bool gaps = false;
    for (int i = 0; i < adj->type->rank; i++) {
        back_lo[i] = ch__dim_sub(a, zero, lo[i]);
        back_hi[i] = ch__dim_sub(a, zero, hi[i]);
        start[i] = zero;
        stride[i] = interior == NULL ? 1 : interior[i] + 1;
        gaps |= stride[i] != 1;
    }
    ch__value *v =
        ch__b_pad(B(c), adj, ch__b_splat(B(c), ch__type_scalar(adj->type->dtype), 0.0), back_lo, back_hi, NULL);
    return gaps ? ch__b_slice(B(c), v, start, v->type->dims, stride) : v;
}

static void pad_vjp(ch__vjp *c) {
    const ch__type *t = ch__vjp_type(c, 0);
    const ch__dim *lo = ch__op_attr(c->op, CH__ATTR_lo)->dims, *hi = ch__op_attr(c->op, CH__ATTR_hi)->dims;
    const ch__attr *gaps = ch__op_attr(c->op, CH__ATTR_interior);
    const int64_t *interior = gaps == NULL ? NULL : gaps->ints;
    if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, ch__d_unpad(c, ADJ(c), lo, hi, interior));
    if (!ch__vjp_wants(c, 1)) return;
    // The value: all that is not x.
    int64_t all[CH__MAX_RANK];
    for (int i = 0; i < t->rank; i++) all[i] = i;
    ch__value *no = ch__b_splat(B(c), ch__d_like(c, t, CH_BOOL), 0),
              *yes = ch__b_splat(B(c), ch__type_scalar(CH_BOOL), 1);
    ch__value *padding = ch__b_pad(B(c), no, yes, lo, hi, interior);
    ch__vjp_give(c, 1, ch__d_sum(c, d_zero_unless(c, padding, ADJ(c)), t->rank, all));
}

static void concat_vjp(ch__vjp *c) {
    ch__arena *a = ch__builder_arena(B(c));
    int64_t dim = ch__op_int(c->op, CH__ATTR_dim, 0);
    ch__value *adj = ADJ(c);
    ch__dim start[CH__MAX_RANK], limit[CH__MAX_RANK];
    for (int i = 0; i < adj->type->rank; i++) {
        start[i] = ch__dim_const(0);
        limit[i] = adj->type->dims[i];
    }
    limit[dim] = ch__dim_const(0);
    for (int i = 0; i < c->op->n_operands; i++) {
        start[dim] = limit[dim];
        limit[dim] = ch__dim_add(a, limit[dim], ch__vjp_type(c, i)->dims[dim]);
        if (ch__vjp_wants(c, i)) ch__vjp_give(c, i, ch__b_slice(B(c), adj, start, limit, NULL));
    }
}

static void reverse_vjp(ch__vjp *c) {
    const ch__attr *dims = ch__op_attr(c->op, CH__ATTR_dims);
    ch__vjp_give(c, 0, ch__b_reverse(B(c), ADJ(c), dims->n, dims->ints));
}

// Forwards all of these are linear: the tangent moves as the value does.
static void move_jvp(ch__vjp *c) { ch__jvp_linear(c, UINT32_MAX); }

CH__RULE(reshape, reshape_vjp, move_jvp);
CH__RULE(transpose, transpose_vjp, move_jvp);
CH__RULE(broadcast, broadcast_vjp, move_jvp);
CH__RULE(slice, slice_vjp, move_jvp);
CH__RULE(pad, pad_vjp, move_jvp);
CH__RULE(concat, concat_vjp, move_jvp);
CH__RULE(reverse, reverse_vjp, move_jvp);
