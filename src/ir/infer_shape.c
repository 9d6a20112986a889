// SPDX-License-Identifier: Apache-2.0
// infer_shape.c - shape rules of ops that move elements, and NumPy's rule of broadcasting.
//
// Axis names go where their axis goes. reshape keeps the name of an axis that stays (as many elements before it, and
// the same size); a name that the given result type writes itself wins there, so reshape is the way to rename an axis.
#include "ir/infer.h"

// Elements in front of each axis: before[i] = dims[0] * ... * dims[i-1].
static void prefix_products(ch__arena *a, const ch__type *t, ch__dim *before) {
    ch__dim p = ch__dim_const(1);
    for (int i = 0; i < t->rank; i++) {
        before[i] = p;
        if (i + 1 < t->rank) p = ch__dim_mul(a, p, t->dims[i]);
    }
}

static const ch__type *reshape_names(ch__infer *in, const ch__type *x, const ch__type *r) {
    if (!x->axes) return r;
    ch__dim before_x[CH__MAX_RANK], before_r[CH__MAX_RANK];
    prefix_products(in->arena, x, before_x);
    prefix_products(in->arena, r, before_r);
    const char *axes[CH__MAX_RANK];
    int next = 0;
    for (int j = 0; j < r->rank; j++) {
        axes[j] = ch__axis(r, j);
        for (int i = next; i < x->rank; i++) {
            if (!ch__dim_equal(before_x[i], before_r[j]) || !ch__dim_equal(x->dims[i], r->dims[j])) continue;
            if (!axes[j]) axes[j] = ch__axis(x, i);
            next = i + 1;
            break;
        }
    }
    return ch__infer_make(in, r->dtype, r->rank, r->dims, axes);
}

static void need_result_dtype(ch__infer *in) {
    if (in->results[0]->dtype != in->operands[0]->dtype)
        ch__infer_bad(in, CH__E_dtype_mismatch, "the result is %s, the dtype stays: convert before or after",
                      ch_dtype_name(in->results[0]->dtype));
}

void ch__infer_typed_reshape(ch__infer *in) {
    need_result_dtype(in);
    const ch__type *x = in->operands[0], *r = in->results[0];
    if (!ch__type_same_shape(x, r)) {
        ch__dim nx = ch__type_numel(in->arena, x), nr = ch__type_numel(in->arena, r);
        ch__answer same = ch__infer_eq(in, nx, nr);
        if (same != CH__YES)
            ch__infer_unequal(in, same, nx, nr, "the result %s has %s elements, the operand %s",
                              ch__type_text(in->arena, r), ch__infer_dim_text(in, nr), ch__infer_dim_text(in, nx));
    }
    ch__infer_one(in, reshape_names(in, x, r));
}

void ch__infer_transpose(ch__infer *in) {
    const ch__type *x = in->operands[0];
    const ch__attr *perm = ch__infer_attr(in, CH__ATTR_perm);
    ch__infer_need_count(in, CH__ATTR_perm, "the operand", "rank", x->rank);
    ch__infer_axes(in, CH__ATTR_perm, perm->n, perm->ints, "the operand", x->rank, 0);
    ch__dim dims[CH__MAX_RANK];
    const char *axes[CH__MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        dims[i] = x->dims[perm->ints[i]];
        axes[i] = ch__axis(x, (int)perm->ints[i]);
    }
    ch__infer_one(in, ch__infer_make(in, x->dtype, x->rank, dims, axes));
}

void ch__infer_typed_broadcast(ch__infer *in) {
    need_result_dtype(in);
    const ch__type *x = in->operands[0], *r = in->results[0];
    const ch__attr *dims = ch__infer_attr(in, CH__ATTR_dims);
    ch__infer_need_count(in, CH__ATTR_dims, "the operand", "rank", x->rank);
    ch__infer_axes(in, CH__ATTR_dims, dims->n, dims->ints, "the result", r->rank, 0);
    const char *axes[CH__MAX_RANK];
    for (int j = 0; j < r->rank; j++) axes[j] = ch__axis(r, j);
    for (int i = 0; i < x->rank; i++) {
        int j = (int)dims->ints[i];
        axes[j] = ch__infer_join_axis(in, ch__axis(x, i), i, ch__side_operand(0), axes[j], j, CH__SIDE_RESULT);
        if (ch__dim_is_const(x->dims[i]) && x->dims[i].val == 1) continue;
        ch__answer same = ch__infer_eq(in, x->dims[i], r->dims[j]);
        if (same != CH__YES)
            ch__infer_unequal(in, same, x->dims[i], r->dims[j], "axis %d of x is %s, axis %d of the result is %s", i,
                              ch__infer_dim_text(in, x->dims[i]), j, ch__infer_dim_text(in, r->dims[j]));
    }
    ch__infer_one(in, x->axes ? ch__infer_make(in, r->dtype, r->rank, r->dims, axes) : r);
}

void ch__infer_slice(ch__infer *in) {
    const ch__type *x = in->operands[0];
    const ch__dim *start = ch__infer_attr(in, CH__ATTR_start)->dims, *limit = ch__infer_attr(in, CH__ATTR_limit)->dims;
    ch__infer_need_count(in, CH__ATTR_start, "the operand", "rank", x->rank);
    ch__infer_need_count(in, CH__ATTR_limit, "the operand", "rank", x->rank);
    ch__infer_need_count(in, CH__ATTR_stride, "the operand", "rank", x->rank);
    ch__infer_entries_at_least(in, CH__ATTR_stride, 1);
    ch__dim dims[CH__MAX_RANK], zero = ch__dim_const(0);
    for (int i = 0; i < x->rank; i++) {
        ch__answer r = ch__infer_le(in, zero, start[i]);
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_attribute, zero, start[i], "start is %s along axis %d, at least 0 is wanted",
                            ch__infer_dim_text(in, start[i]), i);
        r = ch__infer_le(in, start[i], limit[i]);
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_attribute, start[i], limit[i], "start is %s along axis %d, limit is %s there",
                            ch__infer_dim_text(in, start[i]), i, ch__infer_dim_text(in, limit[i]));
        r = ch__infer_le(in, limit[i], x->dims[i]);
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_attribute, limit[i], x->dims[i],
                            "limit is %s along axis %d, the operand is %s there", ch__infer_dim_text(in, limit[i]), i,
                            ch__infer_dim_text(in, x->dims[i]));
        ch__dim stride = ch__dim_const(ch__infer_entry(in, CH__ATTR_stride, i, 1));
        ch__dim span = ch__dim_sub(in->arena, limit[i], start[i]);
        if (stride.val != 1)
            span = ch__dim_floordiv(in->arena, ch__dim_add(in->arena, span, ch__dim_const(stride.val - 1)), stride);
        dims[i] = span;
    }
    ch__infer_one(in, ch__infer_make(in, x->dtype, x->rank, dims, x->axes));
}

void ch__infer_pad(ch__infer *in) {
    const ch__type *x = in->operands[0];
    if (in->operands[1]->rank)
        ch__infer_bad(in, CH__E_rank, "value has rank %d, one number (rank 0) is wanted", in->operands[1]->rank);
    const ch__dim *lo = ch__infer_attr(in, CH__ATTR_lo)->dims, *hi = ch__infer_attr(in, CH__ATTR_hi)->dims;
    ch__infer_need_count(in, CH__ATTR_lo, "the operand", "rank", x->rank);
    ch__infer_need_count(in, CH__ATTR_hi, "the operand", "rank", x->rank);
    ch__infer_need_count(in, CH__ATTR_interior, "the operand", "rank", x->rank);
    ch__infer_entries_at_least(in, CH__ATTR_interior, 0);
    ch__dim dims[CH__MAX_RANK], zero = ch__dim_const(0);
    for (int i = 0; i < x->rank; i++) {
        ch__dim size = x->dims[i], interior = ch__dim_const(ch__infer_entry(in, CH__ATTR_interior, i, 0));
        if (interior.val) { // one gap less than elements, and none when there are none
            ch__dim gaps = ch__dim_max(in->arena, ch__dim_sub(in->arena, size, ch__dim_const(1)), zero);
            size = ch__dim_add(in->arena, size, ch__dim_mul(in->arena, gaps, interior));
        }
        dims[i] = ch__dim_add(in->arena, ch__dim_add(in->arena, lo[i], size), hi[i]);
        ch__answer r = ch__infer_le(in, zero, dims[i]);
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_shape_mismatch, zero, dims[i], "axis %d of the result would be %s", i,
                            ch__infer_dim_text(in, dims[i]));
    }
    ch__infer_one(in, ch__infer_make(in, x->dtype, x->rank, dims, x->axes));
}

void ch__infer_concat(ch__infer *in) {
    const ch__type *x = in->operands[0];
    for (int j = 1; j < in->n_operands; j++)
        if (in->operands[j]->rank != x->rank)
            ch__infer_bad(in, CH__E_rank, "ranks differ: %d in xs[0] and %d in xs[%d]", x->rank, in->operands[j]->rank,
                          j);
    int dim = ch__infer_axis(in, CH__ATTR_dim, ch__infer_int(in, CH__ATTR_dim, 0), "each operand", x->rank);
    ch__dim dims[CH__MAX_RANK];
    const char *axes[CH__MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        dims[i] = x->dims[i];
        axes[i] = ch__axis(x, i);
    }
    for (int j = 1; j < in->n_operands; j++) {
        const ch__type *y = in->operands[j];
        for (int i = 0; i < x->rank; i++) {
            axes[i] = ch__infer_join_axis(in, axes[i], i, ch__side_operand(0), ch__axis(y, i), i, ch__side_operand(j));
            if (i == dim) {
                dims[i] = ch__dim_add(in->arena, dims[i], y->dims[i]);
                continue;
            }
            ch__answer r = ch__infer_eq(in, x->dims[i], y->dims[i]);
            if (r != CH__YES)
                ch__infer_unequal(in, r, x->dims[i], y->dims[i], "axis %d is %s in xs[0] and %s in xs[%d]", i,
                                  ch__infer_dim_text(in, x->dims[i]), ch__infer_dim_text(in, y->dims[i]), j);
        }
    }
    ch__infer_one(in, ch__infer_make(in, x->dtype, x->rank, dims, axes));
}

void ch__infer_reverse(ch__infer *in) {
    const ch__attr *dims = ch__infer_attr(in, CH__ATTR_dims);
    ch__infer_axes(in, CH__ATTR_dims, dims->n, dims->ints, "the operand", in->operands[0]->rank, CH__ASCENDING);
    ch__infer_one(in, in->operands[0]);
}

// ---------------------------------------------------------------- NumPy's rule
static bool is_size_one(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

const ch__type *ch__broadcast_types(ch__arena *a, ch_func *func, const char *who, const ch__type *x,
                                    const ch__type *y) {
    const ch__type *both[2] = {x, y};
    ch__infer in = {.arena = a, .func = func, .code = CH_OP_broadcast, .n_operands = 2, .operands = both, .who = who};
    ch__side sx = ch__side_text("lhs", -1), sy = ch__side_text("rhs", -1);
    int rank = x->rank > y->rank ? x->rank : y->rank;
    ch__dim dims[CH__MAX_RANK];
    const char *axes[CH__MAX_RANK];
    for (int i = 0; i < rank; i++) {
        int ix = i - (rank - x->rank), iy = i - (rank - y->rank); // negative: not there
        if (ix < 0 || iy < 0) {
            dims[i] = ix < 0 ? y->dims[iy] : x->dims[ix];
            axes[i] = ix < 0 ? ch__axis(y, iy) : ch__axis(x, ix);
            continue;
        }
        axes[i] = ch__infer_join_axis(&in, ch__axis(x, ix), ix, sx, ch__axis(y, iy), iy, sy);
        dims[i] = is_size_one(x->dims[ix]) ? y->dims[iy] : x->dims[ix];
        if (is_size_one(x->dims[ix]) || is_size_one(y->dims[iy])) continue;
        ch__answer r = ch__infer_eq(&in, x->dims[ix], y->dims[iy]);
        if (r == CH__YES) continue;
        const char *tx = ch__infer_dim_text(&in, x->dims[ix]), *ty = ch__infer_dim_text(&in, y->dims[iy]);
        if (ix == iy)
            ch__infer_unequal(&in, r, x->dims[ix], y->dims[iy], "axis %d is %s in lhs and %s in rhs", ix, tx, ty);
        else
            ch__infer_unequal(&in, r, x->dims[ix], y->dims[iy], "axis %d of lhs is %s, axis %d of rhs is %s", ix, tx,
                              iy, ty);
    }
    return ch__infer_make(&in, x->dtype, rank, dims, axes);
}
