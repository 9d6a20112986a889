// SPDX-License-Identifier: Apache-2.0
// clamp.c - indices of gather and scatter that lie outside, treated by operations of the program.
//
// StableHLO's gather clamps the corner of each window so that the window fits, its scatter drops updates that do not
// fit. IREE (3.13) does neither: it reads and writes whatever lies there. So the text it gets says it.
//
//   gather   indices = clamp(0, indices, size of the operand - size of the window), one bound for each component
//   scatter  the operand is longer by a window along one axis; the window of an update that does not fit is moved there
//            as a whole; at the end the operand's part is taken
//
// Operations that promise to be in range (bounds = known or c) stay as they are.
#include "iree/iree.h"

#include "opt/opt.h"

static int64_t iree_most(ch_dtype d) { // of an integer dtype, as far as i64 goes
    int bits = (int)ch__dtype_size(d) * 8 - (ch__is_signed(d) ? 1 : 0);
    return bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

static void iree_put_int(void *data, int64_t i, ch_dtype d, int64_t v) {
    switch (ch__dtype_size(d)) {
    case 1: ((int8_t *)data)[i] = (int8_t)v; break;
    case 2: ((int16_t *)data)[i] = (int16_t)v; break;
    case 4: ((int32_t *)data)[i] = (int32_t)v; break;
    default: ((int64_t *)data)[i] = v; break;
    }
}

// One number for each component of an index, in the shape of the indices.
static ch__value *iree_components(ch__builder *b, const ch__op *op, const ch__type *t, int n, const int64_t *values) {
    int64_t axis = ch__op_int(op, CH__ATTR_index_dim, 0), dims[1] = {n};
    void *data = ch__arena_array(ch__builder_arena(b), (size_t)n + 1, 8);
    for (int i = 0; i < n; i++) iree_put_int(data, i, t->dtype, values[i]);
    bool each = axis < t->rank; // else an index is one number
    const ch__array all = {.dtype = t->dtype, .rank = each ? 1 : 0, .dims = dims, .data = data};
    return ch__b_broadcast(b, ch__b_const(b, &all), t, each ? &axis : NULL);
}

static ch__value *iree_clamp_to(ch__builder *b, ch__value *x, ch__value *hi) {
    ch__value *three[] = {ch__b_splat(b, x->type, 0), x, hi};
    return ch__build(b, CH_OP_clamp, 3, three, 0, NULL, 0, NULL, 0, NULL)->results;
}

static void iree_gather(ch__rewriter *r, ch__op *op, const ch__attr *map) {
    const ch__attr *sizes = ch__op_attr(op, CH__ATTR_sizes);
    const ch__type *t = op->operands[1]->type;
    int64_t most[CH__MAX_RANK], largest = iree_most(t->dtype);
    for (int i = 0; i < map->n; i++) {
        int64_t k = map->ints[i];
        most[i] = op->operands[0]->type->dims[k].val - sizes->dims[k].val;
        if (most[i] > largest) most[i] = largest;
    }
    op->operands[1] = iree_clamp_to(&r->b, op->operands[1], iree_components(&r->b, op, t, map->n, most));
    r->changes++;
}

static bool iree_has(const ch__attr *axes, int64_t axis) {
    for (int i = 0; axes != NULL && i < axes->n; i++)
        if (axes->ints[i] == axis) return true;
    return false;
}

// The size of a scatter's window along an axis of the operand.
static int64_t iree_window(const ch__op *op, int64_t axis) {
    const ch__attr *inserted = ch__op_attr(op, CH__ATTR_inserted), *batch = ch__op_attr(op, CH__ATTR_operand_batch);
    int j = 0;
    if (iree_has(inserted, axis) || iree_has(batch, axis)) return 1;
    for (int64_t k = 0; k < axis; k++) j += !iree_has(inserted, k) && !iree_has(batch, k);
    return op->operands[2]->type->dims[ch__op_attr(op, CH__ATTR_window_dims)->ints[j]].val;
}

// The indices, but for updates that do not fit those of a window behind the end of the axis map[0].
static ch__value *iree_moved(ch__builder *b, const ch__op *op, const ch__attr *map) {
    ch__value *x = ch__b_convert(b, op->operands[1], CH_I64);
    int64_t most[CH__MAX_RANK], away[CH__MAX_RANK] = {0}, axis = ch__op_int(op, CH__ATTR_index_dim, 0);
    for (int i = 0; i < map->n; i++)
        most[i] = op->operands[0]->type->dims[map->ints[i]].val - iree_window(op, map->ints[i]);
    away[0] = op->operands[0]->type->dims[map->ints[0]].val;
    ch__value *low = ch__b_compare(b, CH__GE, x, ch__b_splat(b, x->type, 0));
    ch__value *high = ch__b_compare(b, CH__LE, x, iree_components(b, op, x->type, map->n, most));
    ch__value *fits = ch__b_binary(b, CH_OP_and, low, high);
    if (axis < x->type->rank) {
        int64_t kept[CH__MAX_RANK], n = 0;
        for (int64_t d = 0; d < x->type->rank; d++)
            if (d != axis) kept[n++] = d;
        const ch__type *whole = fits->type;
        fits = ch__b_broadcast(b, ch__b_reduce(b, CH__AND, fits, 1, &axis), whole, kept);
    }
    return ch__b_select(b, fits, x, iree_components(b, op, x->type, map->n, away));
}

static ch__value *iree_scatter(ch__rewriter *r, ch__op *op, const ch__attr *map) {
    const ch__type *t = op->operands[0]->type;
    ch__dim none[CH__MAX_RANK], more[CH__MAX_RANK];
    int64_t inner[CH__MAX_RANK] = {0}, step[CH__MAX_RANK];
    ch__attr attrs[CH__ATTR_COUNT];
    int n = 0;
    for (int d = 0; d < t->rank; d++) {
        none[d] = more[d] = ch__dim_const(0);
        step[d] = 1;
    }
    more[map->ints[0]] = ch__dim_const(iree_window(op, map->ints[0]));
    for (int i = 0; i < op->n_attrs; i++)
        if (op->attrs[i].id != CH__ATTR_bounds && op->attrs[i].id != CH__ATTR_unique) attrs[n++] = op->attrs[i];
    attrs[n++] = ch__attr_int(CH__ATTR_bounds, CH__KNOWN);
    ch__value *zero = ch__b_splat(&r->b, ch__type_scalar(t->dtype), 0);
    ch__value *longer = ch__b_pad(&r->b, op->operands[0], zero, none, more, inner);
    ch__value *three[] = {longer, iree_moved(&r->b, op, map), op->operands[2]};
    ch__value *y = ch__build(&r->b, CH_OP_scatter, 3, three, n, attrs, 0, NULL, 0, NULL)->results;
    return ch__b_slice(&r->b, y, none, t->dims, step);
}

static ch__value *iree_clamp_op(ch__rewriter *r, ch__op *op) {
    if (op->code != CH_OP_gather && op->code != CH_OP_scatter) return NULL;
    const ch__attr *map = ch__op_attr(op, CH__ATTR_index_map);
    if (ch__op_int(op, CH__ATTR_bounds, CH__CLAMP) != CH__CLAMP || map == NULL || map->n == 0) return NULL;
    if (op->code == CH_OP_scatter) return iree_scatter(r, op, map);
    iree_gather(r, op, map);
    return NULL;
}

void ch__iree_clamp(ch_func *f) {
    ch__rewriter r = {.fn = iree_clamp_op};
    ch__rewrite(&r, f);
}
