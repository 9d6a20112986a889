// SPDX-License-Identifier: Apache-2.0
// hlo/emit_collective.c - operations between replicas as StableHLO.
//
// Groups are dense arrays of replica numbers, a row a group, filled up with -1 where rows differ in length. No channel
// is given: an operation without one works across replicas, one of a kind at a time.
//
// The libraries that devices move data with add, multiply and compare, and know and, or of bools only. For a device, an
// all_reduce of integers by and, or is the reduce of what all_gather brings; a reduce_scatter that of all_to_all:
//
//     all_reduce x[d...]        reshape [1, d...], all_gather along 0: [n, d...], reduce over 0
//     reduce_scatter along i    all_to_all split i, concat i: [.., d_i, ..]; reshape [.., n, d_i/n, ..], reduce over n
//
// Their min and max of floats pass over NaN, and of a NaN alone make an infinity. For a device, whether any is NaN is
// asked beside it:
//
//     y = all_reduce min x      select(all_reduce or (x != x), NaN, y)
#include <math.h>

#include "hlo/emit.h"

static void emit_dense(ch__emit *e, const char *name, int64_t rows, int64_t columns, const int64_t *v) {
    ch__text t;
    ch__text_init(&t, e->scratch);
    ch__putf(&t, "%s = dense<", name);
    if (rows > 0) ch__putc(&t, '[');
    for (int64_t i = 0; i < rows; i++) {
        ch__put(&t, i ? ", [" : "[");
        for (int64_t k = 0; k < columns; k++) ch__putf(&t, "%s%" PRId64, k ? ", " : "", v[i * columns + k]);
        ch__putc(&t, ']');
    }
    if (rows > 0) ch__putc(&t, ']');
    ch__putf(&t, "> : tensor<%" PRId64 "x%" PRId64 "xi64>", rows, columns);
    ch__emit_attr(e, NULL, t.data);
}

static void emit_groups(ch__emit *e, const ch__op *op) {
    const ch__attr *a = ch__op_attr(op, CH__ATTR_replicas);
    int64_t rows = 0, columns = 0, at = 0;
    for (int i = 0; i < a->n; i += 1 + (int)a->ints[i], rows++)
        if (a->ints[i] > columns) columns = a->ints[i];
    int64_t *v = CH_NEW_ARRAY(e->scratch, int64_t, rows * columns + 1);
    for (int i = 0; i < a->n; i += 1 + (int)a->ints[i])
        for (int64_t k = 0; k < columns; k++) v[at++] = k < a->ints[i] ? a->ints[i + 1 + k] : -1;
    emit_dense(e, "replica_groups", rows, columns, v);
}

static void emit_pairs(ch__emit *e, const ch__op *op) {
    const ch__attr *a = ch__op_attr(op, CH__ATTR_pairs);
    int64_t *v = CH_NEW_ARRAY(e->scratch, int64_t, 2 * a->n + 1);
    for (int i = 0; i < a->n; i++) {
        v[2 * i] = a->ints[i];
        v[2 * i + 1] = a->ints[a->n + i];
    }
    emit_dense(e, "source_target_pairs", a->n, 2, v);
}

// all_reduce and reduce_scatter: the attributes come behind the region.
static void emit_reduction(ch__emit *e, const ch__op *op) {
    const ch__type *type = op->results[0].type;
    const ch__attr *tie = ch__op_attr(op, CH__ATTR_tie);
    ch__emit_ref in = ch__emit_in(e, op, 0), out;
    bool scatter = op->code == CH_OP_reduce_scatter;
    ch__emit_results(e, 1, &type, &out);
    ch__emit_open(e, scatter ? "stablehlo.reduce_scatter" : "stablehlo.all_reduce", 1, &in);
    ch__emit_fold_region(e, (ch__kind)ch__op_int(op, CH__ATTR_kind, CH__SUM), type->dtype);
    emit_groups(e, op);
    if (scatter) ch__emit_attr_int(e, NULL, "scatter_dimension", ch__op_int(op, CH__ATTR_dim, 0));
    if (tie) ch__emit_extra(e, "tie", ch__word_name(CH__AK_TIE, tie->i));
    ch__emit_close(e, 1, &in, 1, &type);
    ch__emit_set(e, &op->results[0], out);
}

static void emit_movement(ch__emit *e, const ch__op *op, const char *name) {
    ch__emit_ref in = ch__emit_in(e, op, 0);
    ch__emit_set(e, &op->results[0], ch__emit_line1(e, name, CH__EMIT_GENERIC, 1, &in, op->results[0].type));
}

// An empty result is one without its operation: StableHLO refuses to gather or scatter along an axis of size 0.
static bool emit_empty(ch__emit *e, const ch__op *op) {
    const ch__type *type = op->results[0].type;
    if (!ch__type_is_static(type)) return false;
    int64_t dims[CH__MAX_RANK];
    bool empty = false;
    for (int i = 0; i < type->rank; i++) {
        dims[i] = type->dims[i].val;
        empty = empty || dims[i] == 0;
    }
    if (!empty) return false;
    const ch__array nothing = {.dtype = type->dtype, .rank = type->rank, .dims = dims, .data = dims};
    ch__emit_set(e, &op->results[0], ch__emit_const(e, &nothing, type));
    return true;
}

bool ch__emit_collective(ch__emit *e, const ch__op *op) {
    const ch__attr *groups = ch__op_attr(op, CH__ATTR_replicas);
    if (ch__is_collective((ch__opcode)op->code) && emit_empty(e, op)) return true;
    switch ((ch__opcode)op->code) {
    case CH_OP_replica_id:
        ch__emit_set(e, &op->results[0],
                     ch__emit_line1(e, "stablehlo.replica_id", CH__EMIT_SAME, 0, NULL, op->results[0].type));
        return true;
    case CH_OP_all_reduce:
    case CH_OP_reduce_scatter: emit_reduction(e, op); return true;
    case CH_OP_all_gather:
        ch__emit_attr_int(e, NULL, "all_gather_dim", ch__op_int(op, CH__ATTR_dim, 0));
        emit_groups(e, op);
        emit_movement(e, op, "stablehlo.all_gather");
        return true;
    case CH_OP_all_to_all:
        ch__emit_attr_int(e, NULL, "concat_dimension", ch__op_int(op, CH__ATTR_concat_dim, 0));
        emit_groups(e, op);
        ch__emit_attr_int(e, NULL, "split_count", ch__group_size(groups));
        ch__emit_attr_int(e, NULL, "split_dimension", ch__op_int(op, CH__ATTR_split_dim, 0));
        emit_movement(e, op, "stablehlo.all_to_all");
        return true;
    case CH_OP_permute:
        emit_pairs(e, op);
        emit_movement(e, op, "stablehlo.collective_permute");
        return true;
    default: return false;
    }
}

// ---------------------------------------------------------------- and, or of integers
static ch__value *bits_reduce(ch__rewriter *r, const ch__op *op, ch__value *x, int axis) {
    const int64_t dim = axis;
    ch__attr attrs[2] = {ch__attr_int(CH__ATTR_kind, ch__op_int(op, CH__ATTR_kind, CH__SUM)),
                         ch__attr_ints(CH__ATTR_dims, 1, &dim)};
    return ch__build(&r->b, CH_OP_reduce, 1, &x, 2, attrs, 0, NULL, 0, NULL)->results;
}

// t with an axis more, of that size at `at`; rest: what the one behind it becomes, 0: it stays.
static const ch__type *bits_insert(ch__arena *a, const ch__type *t, int at, int64_t size, int64_t rest) {
    ch__dim dims[CH__MAX_RANK + 1];
    for (int i = 0, k = 0; i <= t->rank; i++) dims[i] = i == at ? ch__dim_const(size) : t->dims[k++];
    if (rest > 0) dims[at + 1] = ch__dim_const(rest);
    return ch__type_make(a, t->dtype, t->rank + 1, dims, NULL);
}

// ---------------------------------------------------------------- min, max of floats
static ch__value *nan_kept(ch__rewriter *r, const ch__op *op) {
    ch__value *x = op->operands[0], *nan = ch__b_compare(&r->b, CH__NE, x, x);
    ch__attr attrs[CH__ATTR_COUNT];
    int n = 0;
    for (int i = 0; i < op->n_attrs; i++)
        if (op->attrs[i].id != CH__ATTR_kind && op->attrs[i].id != CH__ATTR_tie) attrs[n++] = op->attrs[i];
    attrs[n++] = ch__attr_int(CH__ATTR_kind, CH__OR);
    ch__value *any = ch__build(&r->b, op->code, 1, &nan, n, attrs, 0, NULL, 0, NULL)->results;
    ch__value *y = ch__build(&r->b, op->code, 1, &x, op->n_attrs, op->attrs, 0, NULL, 0, NULL)->results;
    return ch__b_select(&r->b, any, ch__b_splat_like(&r->b, y, NAN), y);
}

// ---------------------------------------------------------------- both
static ch__value *meet_library(ch__rewriter *r, ch__op *op) {
    bool all = op->code == CH_OP_all_reduce;
    if (!all && op->code != CH_OP_reduce_scatter) return NULL;
    int64_t kind = ch__op_int(op, CH__ATTR_kind, CH__SUM);
    ch__value *x = op->operands[0];
    const ch__attr *groups = ch__op_attr(op, CH__ATTR_replicas);
    const int n = ch__group_size(groups), axis = all ? 0 : (int)ch__op_int(op, CH__ATTR_dim, 0);
    r->b.loc = op->loc;
    if ((kind == CH__MIN || kind == CH__MAX) && ch__is_float(x->type->dtype)) return nan_kept(r, op);
    if ((kind != CH__AND && kind != CH__OR) || x->type->dtype == CH_BOOL || x->type->rank == CH__MAX_RANK) return NULL;
    for (int i = 0; i < groups->n; i += 1 + (int)groups->ints[i])
        if (groups->ints[i] != n) return NULL; // nothing gathers groups of two sizes
    ch__arena *a = r->func->module->arena;
    if (all) {
        ch__attr attrs[2] = {*groups, ch__attr_int(CH__ATTR_dim, 0)};
        x = ch__b_reshape(&r->b, x, bits_insert(a, x->type, 0, 1, 0));
        x = ch__build(&r->b, CH_OP_all_gather, 1, &x, 2, attrs, 0, NULL, 0, NULL)->results;
    } else {
        ch__attr attrs[3] = {*groups, ch__attr_int(CH__ATTR_split_dim, axis), ch__attr_int(CH__ATTR_concat_dim, axis)};
        int64_t size = x->type->dims[axis].val;
        x = ch__build(&r->b, CH_OP_all_to_all, 1, &x, 3, attrs, 0, NULL, 0, NULL)->results;
        if (size > 0) x = ch__b_reshape(&r->b, x, bits_insert(a, x->type, axis, n, size / n));
        if (size == 0) return x;
    }
    return bits_reduce(r, op, x, axis);
}

void ch__emit_meet_library(ch__emit *e, ch_func *f) {
    ch__rewriter r = {.fn = meet_library, .user = e};
    ch__rewrite(&r, f);
}
