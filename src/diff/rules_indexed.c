// SPDX-License-Identifier: Apache-2.0
// rules_indexed.c - derivatives of ops that take or put elements at computed places.
//
// What takes (get, dynamic_slice, gather) gives its adjoint by adding into the adjoint of the array, which is a linear
// accumulator: taken out, changed in place, put back, so k reads of one array cost k small additions and no array of
// zeros each. What puts (set, dynamic_update_slice, scatter) reads the adjoint where it put, and zeroes it there.
// Blocks mask (docs/derivatives.md); single elements do not, so that loops over elements stay free of guards.
#include "diff/rules.h"

// ---------------------------------------------------------------- get, set, dynamic_slice, dynamic_update_slice
// Operands: the array, `extra` (may be NULL), then c->op's operands from `first` on, which are indices.
static ch__op *at_indices(ch__vjp *c, ch__opcode code, ch__value *x, ch__value *extra, int first,
                          const ch__dim *sizes) {
    int n = 0, rank = c->op->n_operands - first;
    ch__value *xs[CH__MAX_RANK + 2];
    xs[n++] = x;
    if (extra != NULL) xs[n++] = extra;
    for (int i = 0; i < rank; i++) xs[n++] = X(c, first + i);
    ch__attr attrs[2];
    int n_attrs = 0;
    const ch__attr *bounds = ch__op_attr(c->op, CH__ATTR_bounds);
    if (code == CH_OP_dynamic_slice) attrs[n_attrs++] = ch__attr_dims(CH__ATTR_sizes, rank, sizes);
    if (bounds != NULL) attrs[n_attrs++] = *bounds;
    return ch__build(B(c), code, n, xs, n_attrs, attrs, 0, NULL, 0, NULL);
}

static ch__value *as_dtype_of(ch__vjp *c, ch__value *v, const ch__value *like) {
    return ch__b_convert(B(c), v, like->type->dtype);
}

// The element was just cleared, by the rule of the set that came after: nothing is there to be added to.
static bool cleared(ch__vjp *c, const ch__value *sum) {
    const ch__op *set = sum->op;
    if (set == NULL || set->code != CH_OP_set || set->n_operands != c->op->n_operands + 1) return false;
    for (int i = 1; i < c->op->n_operands; i++)
        if (set->operands[i + 1] != X(c, i)) return false;
    return ch__const_is_splat(set->operands[1], 0.0);
}

static void get_vjp(ch__vjp *c) {
    ch__value *sum = ch__vjp_take(c, 0), *adj = as_dtype_of(c, ADJ(c), sum);
    if (!cleared(c, sum)) adj = d_add(c, at_indices(c, CH_OP_get, sum, NULL, 1, NULL)->results, adj);
    const ch__op *set = at_indices(c, CH_OP_set, sum, adj, 1, NULL);
    ch__plan_adds(c->s, set);
    ch__vjp_put(c, 0, set->results);
}

static void set_vjp(ch__vjp *c) {
    ch__value *adj = ADJ(c);
    ch__value *here = ch__vjp_wants(c, 1) ? at_indices(c, CH_OP_get, adj, NULL, 2, NULL)->results : NULL;
    if (ch__vjp_wants(c, 0)) {
        ch__value *zero = ch__b_splat(B(c), ch__type_scalar(adj->type->dtype), 0.0);
        ch__vjp_give(c, 0, at_indices(c, CH_OP_set, adj, zero, 2, NULL)->results);
    }
    if (here != NULL) ch__vjp_give(c, 1, here);
}

static void dynamic_slice_vjp(ch__vjp *c) {
    const ch__dim *sizes = c->op->results[0].type->dims;
    ch__value *sum = ch__vjp_take(c, 0), *adj = as_dtype_of(c, ADJ(c), sum);
    ch__value *old = at_indices(c, CH_OP_dynamic_slice, sum, NULL, 1, sizes)->results;
    c->masked = true; // what was not taken has adjoint 0 whatever made it
    ch__vjp_put(c, 0, at_indices(c, CH_OP_dynamic_update_slice, sum, d_add(c, old, adj), 1, NULL)->results);
}

static void dynamic_update_slice_vjp(ch__vjp *c) {
    ch__value *adj = ADJ(c);
    const ch__type *block = ch__vjp_type(c, 1);
    ch__value *here =
        ch__vjp_wants(c, 1) ? at_indices(c, CH_OP_dynamic_slice, adj, NULL, 2, block->dims)->results : NULL;
    if (ch__vjp_wants(c, 0)) {
        ch__value *zeros =
            ch__d_zeros(c, block->dtype == adj->type->dtype ? block : ch__d_like(c, block, adj->type->dtype));
        bool masked = c->masked;
        c->masked = true; // what was overwritten likewise
        ch__vjp_give(c, 0, at_indices(c, CH_OP_dynamic_update_slice, adj, zeros, 2, NULL)->results);
        c->masked = masked;
    }
    if (here != NULL) ch__vjp_give(c, 1, here);
}

// ---------------------------------------------------------------- along one axis
// Index attributes of an index array of x's shape (but for axis dim): all other axes go along.
static int along_attrs(int rank, int dim, int64_t *others, ch__attr *attrs) {
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (i != dim) others[n++] = i;
    others[CH__MAX_RANK] = dim;
    attrs[0] = ch__attr_ints(CH__ATTR_index_map, 1, &others[CH__MAX_RANK]);
    attrs[1] = ch__attr_int(CH__ATTR_index_dim, rank);
    attrs[2] = ch__attr_ints(CH__ATTR_operand_batch, n, others);
    attrs[3] = ch__attr_ints(CH__ATTR_indices_batch, n, others);
    attrs[4] = ch__attr_int(CH__ATTR_bounds, CH__KNOWN);
    return 5;
}

// Row-major positions of a type's elements as i64.
static ch__value *positions(ch__vjp *c, const ch__type *t) {
    ch__arena *a = ch__builder_arena(B(c));
    const ch__type *flat = ch__type_make(a, CH_I64, 1, (ch__dim[]){ch__type_numel(a, t)}, NULL);
    return ch__b_reshape(B(c), ch__b_iota(B(c), flat, 0), ch__d_like(c, t, CH_I64));
}

// A size in the shape of v.
static ch__value *size_like(ch__vjp *c, ch__dim d, const ch__value *v) {
    return ch__b_broadcast_to(B(c), ch__b_dim(B(c), d), v->type);
}

// Where axes may be empty a gather of single elements cannot take one of each: x is laid flat, with one more element
// behind that no index names. With m the index's size along dim and i of inner sizes, place p of the index stands in
// block p / (m i) at p rem i.
static ch__value *take_flat(ch__vjp *c, ch__value *x, ch__value *index, int dim) {
    ch__arena *a = ch__builder_arena(B(c));
    ch__dim inner = ch__dim_const(1), zero = ch__dim_const(0), one = ch__dim_const(1);
    for (int i = dim + 1; i < x->type->rank; i++) inner = ch__dim_mul(a, inner, x->type->dims[i]);
    ch__value *p = positions(c, index->type), *stride = size_like(c, inner, p);
    ch__value *block = d_div(c, p, size_like(c, ch__dim_mul(a, index->type->dims[dim], inner), p));
    ch__value *at = d_mul(c, block, size_like(c, x->type->dims[dim], p));
    at = d_mul(c, d_add(c, at, ch__b_convert(B(c), index, CH_I64)), stride);
    at = d_add(c, at, d_binary(c, CH_OP_rem, p, stride));
    ch__dim total = ch__type_numel(a, x->type);
    ch__value *flat = ch__b_reshape(B(c), x, ch__type_make(a, x->type->dtype, 1, &total, NULL));
    flat = ch__b_pad(B(c), flat, ch__b_splat(B(c), ch__type_scalar(x->type->dtype), 0.0), &zero, &one, NULL);
    int64_t first = 0;
    ch__attr attrs[6] = {ch__attr_ints(CH__ATTR_index_map, 1, &first), ch__attr_int(CH__ATTR_index_dim, at->type->rank),
                         ch__attr_int(CH__ATTR_bounds, CH__KNOWN),     ch__attr_ints(CH__ATTR_offset_dims, 0, NULL),
                         ch__attr_ints(CH__ATTR_collapsed, 1, &first), ch__attr_dims(CH__ATTR_sizes, 1, &one)};
    ch__value *xs[2] = {flat, at};
    return ch__build(B(c), CH_OP_gather, 2, xs, 6, attrs, 0, NULL, 0, NULL)->results;
}

ch__value *ch__d_take_along(ch__vjp *c, ch__value *x, ch__value *index, int dim) {
    for (int i = 0; i < x->type->rank; i++)
        if (ch__dim_cmp(ch__builder_arena(B(c)), x->type->dims[i], ch__dim_const(0)) != 1)
            return take_flat(c, x, index, dim);
    int64_t others[CH__MAX_RANK + 1];
    ch__dim sizes[CH__MAX_RANK];
    ch__attr attrs[8];
    int rank = x->type->rank, n = along_attrs(rank, dim, others, attrs);
    for (int i = 0; i < rank; i++) sizes[i] = ch__dim_const(1);
    attrs[n++] = ch__attr_ints(CH__ATTR_offset_dims, 0, NULL);
    attrs[n++] = ch__attr_ints(CH__ATTR_collapsed, 1, &others[CH__MAX_RANK]);
    attrs[n++] = ch__attr_dims(CH__ATTR_sizes, rank, sizes);
    ch__value *xs[2] = {x, index};
    return ch__build(B(c), CH_OP_gather, 2, xs, n, attrs, 0, NULL, 0, NULL)->results;
}

ch__value *ch__d_add_along(ch__vjp *c, ch__value *x, ch__value *index, ch__value *updates, int dim) {
    int64_t others[CH__MAX_RANK + 1];
    ch__attr attrs[8];
    int n = along_attrs(x->type->rank, dim, others, attrs);
    attrs[n++] = ch__attr_ints(CH__ATTR_window_dims, 0, NULL);
    attrs[n++] = ch__attr_ints(CH__ATTR_inserted, 1, &others[CH__MAX_RANK]);
    attrs[n++] = ch__attr_int(CH__ATTR_kind, CH__ADD);
    ch__value *xs[3] = {x, index, updates};
    return ch__build(B(c), CH_OP_scatter, 3, xs, n, attrs, 0, NULL, 0, NULL)->results;
}

// ---------------------------------------------------------------- gather, scatter
// Both are described by the same numbers; scatter calls two of them differently.
typedef struct {
    const ch__attr *window, *dropped, *index_map, *operand_batch, *indices_batch;
    int64_t index_dim;
    ch__dim sizes[CH__MAX_RANK]; // of the window along each axis of x
    int rank;                    // of x
} index_shape;

static index_shape index_shape_of(const ch__op *op, bool gather) {
    index_shape ix = {.rank = op->operands[0]->type->rank};
    ix.window = ch__op_attr(op, gather ? CH__ATTR_offset_dims : CH__ATTR_window_dims);
    ix.dropped = ch__op_attr(op, gather ? CH__ATTR_collapsed : CH__ATTR_inserted);
    ix.index_map = ch__op_attr(op, CH__ATTR_index_map);
    ix.operand_batch = ch__op_attr(op, CH__ATTR_operand_batch);
    ix.indices_batch = ch__op_attr(op, CH__ATTR_indices_batch);
    ix.index_dim = ch__op_int(op, CH__ATTR_index_dim, 0);
    const ch__attr *sizes = ch__op_attr(op, CH__ATTR_sizes);
    for (int i = 0, w = 0; i < ix.rank; i++) {
        bool gone = false;
        for (int k = 0; k < ix.dropped->n; k++) gone |= ix.dropped->ints[k] == i;
        for (int k = 0; ix.operand_batch != NULL && k < ix.operand_batch->n; k++)
            gone |= ix.operand_batch->ints[k] == i;
        if (sizes != NULL) {
            ix.sizes[i] = sizes->dims[i];
        } else {
            ix.sizes[i] = gone ? ch__dim_const(1) : op->operands[2]->type->dims[ix.window->ints[w++]];
        }
    }
    return ix;
}

static int batch_attrs(const index_shape *ix, ch__attr *attrs, int n) {
    if (ix->operand_batch != NULL) attrs[n++] = *ix->operand_batch;
    if (ix->indices_batch != NULL) attrs[n++] = *ix->indices_batch;
    return n;
}

static ch__value *gather_at(ch__vjp *c, const index_shape *ix, ch__value *x, ch__value *indices,
                            const ch__attr *bounds) {
    ch__attr attrs[8] = {ch__attr_ints(CH__ATTR_offset_dims, ix->window->n, ix->window->ints),
                         ch__attr_ints(CH__ATTR_collapsed, ix->dropped->n, ix->dropped->ints), *ix->index_map,
                         ch__attr_int(CH__ATTR_index_dim, ix->index_dim),
                         ch__attr_dims(CH__ATTR_sizes, ix->rank, ix->sizes)};
    int n = batch_attrs(ix, attrs, 5);
    if (bounds != NULL) attrs[n++] = *bounds;
    ch__value *xs[2] = {x, indices};
    return ch__build(B(c), CH_OP_gather, 2, xs, n, attrs, 0, NULL, 0, NULL)->results;
}

// Floating sums are accumulated as the front ends ask for: f64, in any order.
static ch__value *scatter_at(ch__vjp *c, const index_shape *ix, ch__kind kind, ch__value *x, ch__value *indices,
                             ch__value *updates, const ch__attr *bounds) {
    ch__attr attrs[9] = {ch__attr_ints(CH__ATTR_window_dims, ix->window->n, ix->window->ints),
                         ch__attr_ints(CH__ATTR_inserted, ix->dropped->n, ix->dropped->ints), *ix->index_map,
                         ch__attr_int(CH__ATTR_index_dim, ix->index_dim), ch__attr_int(CH__ATTR_kind, kind)};
    int n = batch_attrs(ix, attrs, 5);
    if (bounds != NULL) attrs[n++] = *bounds;
    ch__value *xs[3] = {x, indices, updates};
    return ch__build(B(c), CH_OP_scatter, 3, xs, n, attrs, 0, NULL, 0, NULL)->results;
}

// The last start that fits along each component, in the shape of indices; static when all are one number.
static ch__value *last_starts(ch__vjp *c, const index_shape *ix, const ch__type *x, const ch__type *indices) {
    ch__arena *a = ch__builder_arena(B(c));
    int n = ix->index_map->n;
    ch__value *parts[CH__MAX_RANK];
    bool component_axis = ix->index_dim < indices->rank;
    ch__dim one = ch__dim_const(1);
    for (int k = 0; k < n; k++) {
        int64_t axis = ix->index_map->ints[k];
        ch__value *last = ch__b_dim(B(c), ch__dim_sub(a, x->dims[axis], ix->sizes[axis]));
        last = ch__b_convert(B(c), last, indices->dtype);
        if (component_axis) last = ch__b_reshape(B(c), last, ch__type_make(a, indices->dtype, 1, &one, NULL));
        parts[k] = last;
    }
    if (n == 0) return ch__b_splat(B(c), indices, 0);
    if (!component_axis) return ch__b_broadcast(B(c), parts[0], indices, NULL);
    ch__value *all = n == 1 ? parts[0] : ch__b_concat(B(c), n, parts, 0);
    return ch__b_broadcast(B(c), all, indices, &ix->index_dim);
}

// Which updates fit, spread over the shape of updates; NULL when the op promises that all do.
static ch__value *fits(ch__vjp *c, const index_shape *ix, const ch__type *updates) {
    int64_t bounds = ch__op_int(c->op, CH__ATTR_bounds, CH__CLAMP);
    if (bounds != CH__CLAMP) return NULL;
    ch__value *indices = X(c, 1);
    const ch__type *t = indices->type;
    ch__value *last = last_starts(c, ix, ch__vjp_type(c, 0), t);
    ch__value *ok = d_compare(c, CH__GE, indices, d_num(c, indices, 0));
    ok = d_binary(c, CH_OP_and, ok, d_compare(c, CH__LE, indices, last));
    if (ix->index_dim < t->rank) ok = ch__b_reduce(B(c), CH__AND, ok, 1, &ix->index_dim);
    int64_t dims[CH__MAX_RANK];
    int n = 0;
    for (int j = 0; j < updates->rank; j++) {
        bool window = false;
        for (int k = 0; k < ix->window->n; k++) window |= ix->window->ints[k] == j;
        if (!window) dims[n++] = j;
    }
    return ch__b_broadcast(B(c), ok, ch__d_like(c, updates, CH_BOOL), dims);
}

// gather clamps its starts, scatter drops what does not fit: the starts are clamped first.
static void gather_vjp(ch__vjp *c) {
    index_shape ix = index_shape_of(c->op, true);
    ch__value *indices = X(c, 1);
    const ch__attr *bounds = ch__op_attr(c->op, CH__ATTR_bounds);
    if (bounds == NULL || bounds->i == CH__CLAMP) {
        ch__value *last = last_starts(c, &ix, ch__vjp_type(c, 0), indices->type);
        ch__value *zero = ch__b_splat(B(c), ch__type_scalar(indices->type->dtype), 0);
        ch__value *xs[3] = {zero, indices, last};
        indices = indices->type->rank == 0
                      ? d_op(c, CH_OP_clamp, 3, xs, indices->type)
                      : d_binary(c, CH_OP_min, d_binary(c, CH_OP_max, indices, d_num(c, indices, 0)), last);
    }
    ch__value *sum = ch__vjp_take(c, 0);
    c->masked = true;
    ch__vjp_put(c, 0, scatter_at(c, &ix, CH__ADD, sum, indices, as_dtype_of(c, ADJ(c), sum), bounds));
}

// The adjoint as each update sees it: gathered where it went, 0 where it did not fit.
static ch__value *seen_by_updates(ch__vjp *c, const index_shape *ix, ch__value *x) {
    ch__value *v = gather_at(c, ix, x, X(c, 1), ch__op_attr(c->op, CH__ATTR_bounds));
    ch__value *ok = fits(c, ix, v->type);
    return ok == NULL ? v : d_zero_unless(c, ok, v);
}

static void scatter_add_vjp(ch__vjp *c, const index_shape *ix) {
    if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, ADJ(c));
    c->masked = true;
    if (ch__vjp_wants(c, 2)) ch__vjp_give(c, 2, seen_by_updates(c, ix, ADJ(c)));
}

// The update that stands in x afterwards is the last one that came there: scatter positions, look which survived.
static void scatter_set_vjp(ch__vjp *c, const index_shape *ix) {
    ch__value *adj = ADJ(c), *indices = X(c, 1);
    const ch__attr *bounds = ch__op_attr(c->op, CH__ATTR_bounds);
    const ch__type *ut = ch__vjp_type(c, 2);
    c->masked = true;
    if (ch__vjp_wants(c, 0)) {
        ch__value *zeros = ch__d_zeros(c, ut->dtype == adj->type->dtype ? ut : ch__d_like(c, ut, adj->type->dtype));
        ch__vjp_give(c, 0, scatter_at(c, ix, CH__SET, adj, indices, zeros, bounds));
    }
    if (!ch__vjp_wants(c, 2)) return;
    ch__value *v = seen_by_updates(c, ix, adj);
    if (!ch__op_int(c->op, CH__ATTR_unique, 0)) {
        ch__value *mine = positions(c, ut);
        ch__value *none = ch__b_splat(B(c), ch__d_like(c, ch__vjp_type(c, 0), CH_I64), -1);
        ch__value *winners = scatter_at(c, ix, CH__SET, none, indices, mine, bounds);
        ch__value *here = gather_at(c, ix, winners, indices, bounds);
        v = d_zero_unless(c, d_compare(c, CH__EQ, here, mine), v);
    }
    ch__vjp_give(c, 2, v);
}

// The product of all other factors at the same place, exact at zeros: with P the product of the factors that are not 0
// and z how many are, a factor u that is not 0 sees P / u (0 when z > 0), a factor 0 sees P (0 when z > 1).
static ch__value *factors_but_one(ch__vjp *c, const index_shape *ix) {
    ch__value *x = X(c, 0), *indices = X(c, 1), *u = X(c, 2);
    const ch__attr *bounds = ch__op_attr(c->op, CH__ATTR_bounds);
    ch__value *one_x = d_num(c, x, 1.0), *zero_x = d_num(c, x, 0.0), *one_u = d_num(c, u, 1.0),
              *zero_u = d_num(c, u, 0.0);
    ch__value *x_is_0 = d_compare(c, CH__EQ, x, zero_x), *u_is_0 = d_compare(c, CH__EQ, u, zero_u);
    ch__value *x_but_0 = d_select(c, x_is_0, one_x, x), *u_but_0 = d_select(c, u_is_0, one_u, u);
    ch__value *x_zeros = d_select(c, x_is_0, one_x, zero_x), *u_zeros = d_select(c, u_is_0, one_u, zero_u);
    ch__value *p = scatter_at(c, ix, CH__MUL, x_but_0, indices, u_but_0, bounds);
    ch__value *z = scatter_at(c, ix, CH__ADD, x_zeros, indices, u_zeros, bounds);
    ch__value *pu = gather_at(c, ix, p, indices, bounds), *zu = gather_at(c, ix, z, indices, bounds);
    ch__value *others = d_div(c, pu, u_but_0);
    ch__value *zeros_elsewhere = d_sub(c, zu, u_zeros);
    return d_select(c, d_compare(c, CH__GT, zeros_elsewhere, zero_u), zero_u, others);
}

static void scatter_mul_vjp(ch__vjp *c, const index_shape *ix) {
    ch__value *adj = ADJ(c);
    if (ch__vjp_wants(c, 0)) {
        ch__value *ones = d_num(c, X(c, 0), 1.0);
        const ch__attr *bounds = ch__op_attr(c->op, CH__ATTR_bounds);
        ch__vjp_times(c, 0, scatter_at(c, ix, CH__MUL, ones, X(c, 1), X(c, 2), bounds));
    }
    if (!ch__vjp_wants(c, 2)) return;
    ch__value *seen = seen_by_updates(c, ix, adj);
    c->masked = true;
    ch__vjp_give(c, 2, ch__vjp_guard(c, seen, d_mul(c, seen, factors_but_one(c, ix))));
}

// Whoever equals the result won; equal winners share.
typedef struct {
    ch__value *x, *u, *count;
} scatter_winners;

static scatter_winners winners_of(ch__vjp *c, const index_shape *ix) {
    ch__value *x = X(c, 0), *indices = X(c, 1), *u = X(c, 2), *r = R(c);
    const ch__attr *bounds = ch__op_attr(c->op, CH__ATTR_bounds);
    ch__value *one_x = d_num(c, x, 1.0), *zero_x = d_num(c, x, 0.0), *one_u = d_num(c, u, 1.0),
              *zero_u = d_num(c, u, 0.0);
    scatter_winners w = {.x = d_compare(c, CH__EQ, x, r)};
    w.u = d_compare(c, CH__EQ, u, gather_at(c, ix, r, indices, bounds));
    ch__value *x_one = d_select(c, w.x, one_x, zero_x), *u_one = d_select(c, w.u, one_u, zero_u);
    w.count = scatter_at(c, ix, CH__ADD, x_one, indices, u_one, bounds);
    return w;
}

static void scatter_min_max_vjp(ch__vjp *c, const index_shape *ix) {
    scatter_winners w = winners_of(c, ix);
    ch__value *share = d_div(c, ADJ(c), as_dtype_of(c, w.count, ADJ(c)));
    c->masked = true;
    if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, d_zero_unless(c, w.x, share));
    if (ch__vjp_wants(c, 2)) ch__vjp_give(c, 2, d_zero_unless(c, w.u, seen_by_updates(c, ix, share)));
}

static void scatter_vjp(ch__vjp *c) {
    index_shape ix = index_shape_of(c->op, false);
    switch (ch__op_int(c->op, CH__ATTR_kind, CH__SET)) {
    case CH__SET: scatter_set_vjp(c, &ix); break;
    case CH__ADD: scatter_add_vjp(c, &ix); break;
    case CH__MUL: scatter_mul_vjp(c, &ix); break;
    default: scatter_min_max_vjp(c, &ix); break;
    }
}

// ---------------------------------------------------------------- forwards
static void take_jvp(ch__vjp *c) { ch__jvp_linear(c, 1); }
static void put_jvp(ch__vjp *c) { ch__jvp_linear(c, 1 | 2); }

// x_dot times all factors, and each u_dot times all other factors, x among them.
static void scatter_mul_jvp(ch__vjp *c, const index_shape *ix) {
    ch__value *x = X(c, 0), *indices = X(c, 1), *u = X(c, 2), *sum = NULL;
    const ch__attr *bounds = ch__op_attr(c->op, CH__ATTR_bounds);
    ch__value *x_dot = T(c, 0), *u_dot = T(c, 2), *one = d_num(c, x, 1.0), *zero = d_num(c, x, 0.0);
    if (x_dot != NULL) sum = d_mul(c, x_dot, scatter_at(c, ix, CH__MUL, one, indices, u, bounds));
    if (u_dot != NULL) {
        ch__value *term = d_mul(c, u_dot, factors_but_one(c, ix));
        sum = scatter_at(c, ix, CH__ADD, sum == NULL ? zero : sum, indices, term, bounds);
    }
    ch__jvp_give(c, 0, sum);
}

static void scatter_min_max_jvp(ch__vjp *c, const index_shape *ix) {
    scatter_winners w = winners_of(c, ix);
    ch__value *zero_x = d_num(c, X(c, 0), 0.0), *zero_u = d_num(c, X(c, 2), 0.0);
    ch__value *x_dot = T(c, 0), *u_dot = T(c, 2), *sum = x_dot == NULL ? zero_x : d_select(c, w.x, x_dot, zero_x);
    if (u_dot != NULL) {
        ch__value *term = d_select(c, w.u, u_dot, zero_u);
        sum = scatter_at(c, ix, CH__ADD, sum, X(c, 1), term, ch__op_attr(c->op, CH__ATTR_bounds));
    }
    ch__jvp_give(c, 0, d_div(c, sum, d_binary(c, CH_OP_max, w.count, d_num(c, w.count, 1.0))));
}

static void scatter_jvp(ch__vjp *c) {
    index_shape ix = index_shape_of(c->op, false);
    switch (ch__op_int(c->op, CH__ATTR_kind, CH__SET)) {
    case CH__ADD:
        if (T(c, 2) == NULL)
            ch__jvp_give(c, 0, T(c, 0));
        else
            ch__jvp_linear(c, 1 | 4);
        break;
    case CH__SET: ch__jvp_linear(c, 1 | 4); break;
    case CH__MUL: scatter_mul_jvp(c, &ix); break;
    default: scatter_min_max_jvp(c, &ix); break;
    }
}

CH__RULE(get, get_vjp, take_jvp);
CH__RULE(set, set_vjp, put_jvp);
CH__RULE(dynamic_slice, dynamic_slice_vjp, take_jvp);
CH__RULE(dynamic_update_slice, dynamic_update_slice_vjp, put_jvp);
CH__RULE(gather, gather_vjp, take_jvp);
CH__RULE(scatter, scatter_vjp, scatter_jvp);
