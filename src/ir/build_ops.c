// SPDX-License-Identifier: Apache-2.0
// build_ops.c - one short call for each op that passes build often. All end in ch__build, so the shape rule is run.
#include "ir/ir.h"

#include <string.h>

static ch__value *build_value(ch__builder *b, ch__opcode code, int n, ch__value *const *operands, int n_attrs,
                              const ch__attr *attrs, const ch__type *given) {
    return &ch__build(b, code, n, operands, n_attrs, attrs, given ? 1 : 0, &given, 0, NULL)->results[0];
}

// ---------------------------------------------------------------- elementwise
ch__value *ch__b_unary(ch__builder *b, ch__opcode code, ch__value *x) {
    return build_value(b, code, 1, &x, 0, NULL, NULL);
}

ch__value *ch__b_binary(ch__builder *b, ch__opcode code, ch__value *x, ch__value *y) {
    return build_value(b, code, 2, (ch__value *[]){x, y}, 0, NULL, NULL);
}

ch__value *ch__b_add(ch__builder *b, ch__value *x, ch__value *y) { return ch__b_binary(b, CH_OP_add, x, y); }
ch__value *ch__b_sub(ch__builder *b, ch__value *x, ch__value *y) { return ch__b_binary(b, CH_OP_sub, x, y); }
ch__value *ch__b_mul(ch__builder *b, ch__value *x, ch__value *y) { return ch__b_binary(b, CH_OP_mul, x, y); }
ch__value *ch__b_div(ch__builder *b, ch__value *x, ch__value *y) { return ch__b_binary(b, CH_OP_div, x, y); }
ch__value *ch__b_neg(ch__builder *b, ch__value *x) { return ch__b_unary(b, CH_OP_neg, x); }

ch__value *ch__b_compare(ch__builder *b, ch__dir dir, ch__value *x, ch__value *y) {
    ch__attr attr = ch__attr_int(CH__ATTR_dir, dir);
    return build_value(b, CH_OP_compare, 2, (ch__value *[]){x, y}, 1, &attr, NULL);
}

ch__value *ch__b_select(ch__builder *b, ch__value *pred, ch__value *on_true, ch__value *on_false) {
    return build_value(b, CH_OP_select, 3, (ch__value *[]){pred, on_true, on_false}, 0, NULL, NULL);
}

ch__value *ch__b_convert(ch__builder *b, ch__value *x, ch_dtype d) {
    if (x->type->dtype == d) return x;
    return build_value(b, CH_OP_convert, 1, &x, 0, NULL, ch__type_with_dtype(ch__builder_arena(b), x->type, d));
}

// ---------------------------------------------------------------- constants
static ch__value *build_const(ch__builder *b, const ch__array *value, const ch__type *t) {
    ch__attr attr = ch__attr_array(CH__ATTR_value, value);
    return build_value(b, CH_OP_const, 0, NULL, 1, &attr, t);
}

ch__value *ch__b_splat(ch__builder *b, const ch__type *t, double v) {
    uint64_t element = ch__element_bits(t->dtype, v);
    return build_const(b, &(ch__array){.dtype = t->dtype, .data = &element, .splat = true}, t);
}

ch__value *ch__b_splat_like(ch__builder *b, ch__value *x, double v) { return ch__b_splat(b, x->type, v); }

ch__value *ch__b_const(ch__builder *b, const ch__array *a) {
    ch__dim dims[CH__MAX_RANK];
    if (a->splat) return build_const(b, a, ch__type_scalar(a->dtype));
    if (a->rank < 0 || a->rank > CH__MAX_RANK)
        ch__raise(CH__E_rank, "const: rank %d — 0 to %d dimensions are allowed", a->rank, CH__MAX_RANK);
    for (int i = 0; i < a->rank; i++) dims[i] = ch__dim_const(a->dims[i]);
    return build_const(b, a, ch__type_make(ch__builder_arena(b), a->dtype, a->rank, dims, NULL));
}

ch__value *ch__b_dim(ch__builder *b, ch__dim d) {
    if (ch__dim_is_const(d))
        return build_const(b, &(ch__array){.dtype = CH_I64, .data = &d.val, .splat = true}, ch__type_scalar(CH_I64));
    ch__attr attr = ch__attr_dim(CH__ATTR_e, d);
    return build_value(b, CH_OP_dim, 0, NULL, 1, &attr, NULL);
}

ch__value *ch__b_iota(ch__builder *b, const ch__type *t, int dim) {
    ch__attr attr = ch__attr_int(CH__ATTR_dim, dim);
    return build_value(b, CH_OP_iota, 0, NULL, 1, &attr, t);
}

// ---------------------------------------------------------------- shapes
ch__value *ch__b_reshape(ch__builder *b, ch__value *x, const ch__type *t) {
    return build_value(b, CH_OP_reshape, 1, &x, 0, NULL, t);
}

ch__value *ch__b_transpose(ch__builder *b, ch__value *x, const int64_t *perm) {
    ch__attr attr = ch__attr_ints(CH__ATTR_perm, x->type->rank, perm);
    return build_value(b, CH_OP_transpose, 1, &x, 1, &attr, NULL);
}

ch__value *ch__b_broadcast(ch__builder *b, ch__value *x, const ch__type *t, const int64_t *dims) {
    ch__attr attr = ch__attr_ints(CH__ATTR_dims, x->type->rank, dims);
    return build_value(b, CH_OP_broadcast, 1, &x, 1, &attr, t);
}

ch__value *ch__b_broadcast_to(ch__builder *b, ch__value *x, const ch__type *t) {
    const ch__type *from = x->type, *to = ch__type_with_dtype(ch__builder_arena(b), t, from->dtype);
    if (ch__type_equal(from, to)) return x;
    if (from->rank > to->rank)
        ch__raise(CH__E_rank, "broadcast: %s to %s — the result has fewer dimensions",
                  ch__type_text(ch__builder_arena(b), from), ch__type_text(ch__builder_arena(b), to));
    int64_t dims[CH__MAX_RANK];
    for (int i = 0; i < from->rank; i++) dims[i] = to->rank - from->rank + i;
    return ch__b_broadcast(b, x, to, dims);
}

ch__value *ch__b_slice(ch__builder *b, ch__value *x, const ch__dim *start, const ch__dim *limit,
                       const int64_t *stride) {
    int rank = x->type->rank;
    ch__attr attrs[3] = {ch__attr_dims(CH__ATTR_start, rank, start), ch__attr_dims(CH__ATTR_limit, rank, limit),
                         ch__attr_ints(CH__ATTR_stride, rank, stride)};
    return build_value(b, CH_OP_slice, 1, &x, stride ? 3 : 2, attrs, NULL);
}

ch__value *ch__b_pad(ch__builder *b, ch__value *x, ch__value *v, const ch__dim *lo, const ch__dim *hi,
                     const int64_t *interior) {
    int rank = x->type->rank;
    ch__attr attrs[3] = {ch__attr_dims(CH__ATTR_lo, rank, lo), ch__attr_dims(CH__ATTR_hi, rank, hi),
                         ch__attr_ints(CH__ATTR_interior, rank, interior)};
    return build_value(b, CH_OP_pad, 2, (ch__value *[]){x, v}, interior ? 3 : 2, attrs, NULL);
}

ch__value *ch__b_concat(ch__builder *b, int n, ch__value *const *xs, int dim) {
    ch__attr attr = ch__attr_int(CH__ATTR_dim, dim);
    return build_value(b, CH_OP_concat, n, xs, 1, &attr, NULL);
}

ch__value *ch__b_reverse(ch__builder *b, ch__value *x, int n, const int64_t *dims) {
    ch__attr attr = ch__attr_ints(CH__ATTR_dims, n, dims);
    return build_value(b, CH_OP_reverse, 1, &x, 1, &attr, NULL);
}

// ---------------------------------------------------------------- sums
// How capture writes sums of floats: accumulated in f64, in any order. Nothing to say for integers.
static int build_sums_as(const ch__value *x, ch__attr *attrs, int n) {
    if (!ch__is_float(x->type->dtype)) return n;
    attrs[n++] = ch__attr_int(CH__ATTR_acc, CH_F64);
    attrs[n++] = ch__attr_int(CH__ATTR_order, CH__ANY);
    return n;
}

ch__value *ch__b_reduce(ch__builder *b, ch__kind kind, ch__value *x, int n, const int64_t *dims) {
    ch__attr attrs[4] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_ints(CH__ATTR_dims, n, dims)};
    int n_attrs = kind == CH__SUM || kind == CH__PROD ? build_sums_as(x, attrs, 2) : 2;
    return build_value(b, CH_OP_reduce, 1, &x, n_attrs, attrs, NULL);
}

static void build_pairs(int64_t *both, int n, const int64_t *l, const int64_t *r) {
    for (int i = 0; i < n; i++) {
        both[i] = l[i];
        both[n + i] = r[i];
    }
}

ch__value *ch__b_dot(ch__builder *b, ch__value *x, ch__value *y, int n_contract, const int64_t *lc, const int64_t *rc,
                     int n_batch, const int64_t *lb, const int64_t *rb) {
    int64_t contract[2 * CH__MAX_RANK], batch[2 * CH__MAX_RANK];
    if (n_contract < 0 || n_contract > CH__MAX_RANK || n_batch < 0 || n_batch > CH__MAX_RANK)
        ch__raise(CH__E_rank, "dot: %d contracted and %d batch axes — at most %d are allowed", n_contract, n_batch,
                  CH__MAX_RANK);
    build_pairs(contract, n_contract, lc, rc);
    build_pairs(batch, n_batch, lb, rb);
    ch__attr attrs[4] = {ch__attr_pairs(CH__ATTR_contract, n_contract, contract)};
    int n = 1;
    if (n_batch) attrs[n++] = ch__attr_pairs(CH__ATTR_batch, n_batch, batch);
    n = build_sums_as(x, attrs, n);
    return build_value(b, CH_OP_dot, 2, (ch__value *[]){x, y}, n, attrs, NULL);
}
