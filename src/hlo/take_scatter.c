// SPDX-License-Identifier: Apache-2.0
// hlo/take_scatter.c - StableHLO to IR: scatter, select_and_scatter.
//
// The region of a scatter says how an update is combined with what is there. One array and a region that the IR has a
// kind for is one operation. Everything else, several arrays among it, is
//
//     for each index vector, in order: x = scatter set x, index, region(gather x at index, update)
//
// in one step without a loop when the indices are said to be unique. Batching dimensions go along whole: what lies in
// different batches never meets. A select_and_scatter by other regions goes through the places of the windows, keeps
// value and position of the chosen element, and scatters the source to the positions.
#include "hlo/hlo.h"

#include <string.h>

static int hlo_scatter_kind(const char *op, ch_dtype d) {
    if (!op) return -1;
    if (strcmp(op, "set") == 0) return CH__SET;
    if (strcmp(op, "stablehlo.add") == 0) return d == CH_BOOL ? CH__MAX : CH__ADD;
    if (strcmp(op, "stablehlo.multiply") == 0) return d == CH_BOOL ? CH__MIN : CH__MUL;
    if (strcmp(op, "stablehlo.maximum") == 0) return CH__MAX;
    if (strcmp(op, "stablehlo.minimum") == 0) return CH__MIN;
    if (strcmp(op, "stablehlo.or") == 0 && d == CH_BOOL) return CH__MAX;
    if (strcmp(op, "stablehlo.and") == 0 && d == CH_BOOL) return CH__MIN;
    return -1;
}

// ---------------------------------------------------------------- scatter by any region

typedef struct {
    int n; // arrays
    ch__value **x, *indices, **updates;
    const ch__hlo_region *region;
    int n_attrs;
    ch__attr attrs[8]; // dimension numbers, as scatter has them
    bool unique;
} hlo_scatter_job;

static const ch__attr *hlo_scatter_attr(const hlo_scatter_job *j, ch__attr_id id) {
    for (int i = 0; i < j->n_attrs; i++)
        if (j->attrs[i].id == id) return &j->attrs[i];
    return NULL;
}

static bool hlo_scatter_has(const ch__attr *list, int64_t v) {
    for (int i = 0; list && i < list->n; i++)
        if (list->ints[i] == v) return true;
    return false;
}

static ch__value *hlo_scatter_set(ch__hlo_take *t, const hlo_scatter_job *j, ch__value *x, ch__value *indices,
                                  ch__value *updates) {
    ch__attr attrs[10];
    int n = j->n_attrs;
    memcpy(attrs, j->attrs, (size_t)n * sizeof *attrs);
    attrs[n++] = ch__attr_int(CH__ATTR_kind, CH__SET);
    if (j->unique) attrs[n++] = ch__attr_int(CH__ATTR_unique, 1);
    return ch__hlo_build1(t, CH_OP_scatter, 3, (ch__value *[]){x, indices, updates}, n, attrs, NULL);
}

// What the updates meet: the gather with the same numbers.
static ch__value *hlo_scatter_met(ch__hlo_take *t, const hlo_scatter_job *j, ch__value *x, ch__value *indices,
                                  const ch__type *updates) {
    const ch__attr *window = hlo_scatter_attr(j, CH__ATTR_window_dims),
                   *inserted = hlo_scatter_attr(j, CH__ATTR_inserted);
    const ch__attr *batch = hlo_scatter_attr(j, CH__ATTR_operand_batch);
    ch__attr attrs[10];
    ch__dim sizes[CH__MAX_RANK];
    int n = 0, k = 0;
    for (int d = 0; d < x->type->rank; d++) {
        bool one = hlo_scatter_has(inserted, d) || hlo_scatter_has(batch, d);
        sizes[d] = one ? ch__dim_const(1) : updates->dims[window->ints[k++]];
    }
    for (int i = 0; i < j->n_attrs; i++) {
        attrs[n] = j->attrs[i];
        if (attrs[n].id == CH__ATTR_window_dims) attrs[n].id = CH__ATTR_offset_dims;
        if (attrs[n].id == CH__ATTR_inserted) attrs[n].id = CH__ATTR_collapsed;
        n++;
    }
    attrs[n++] = ch__attr_dims(CH__ATTR_sizes, x->type->rank, sizes);
    return ch__hlo_build1(t, CH_OP_gather, 2, (ch__value *[]){x, indices}, n, attrs, NULL);
}

static void hlo_scatter_step(ch__hlo_take *t, const hlo_scatter_job *j, ch__value *const *x, ch__value *indices,
                             ch__value *const *updates, ch__value **out) {
    ch__value **args = CH_NEW_ARRAY(t->scratch, ch__value *, 2 * j->n + 1);
    ch__value **new = CH_NEW_ARRAY(t->scratch, ch__value *, j->n + 1);
    for (int k = 0; k < j->n; k++) {
        args[k] = hlo_scatter_met(t, j, x[k], indices, updates[k]->type);
        args[j->n + k] = updates[k];
    }
    ch__hlo_apply(t, j->region, args, updates[0]->type, new);
    for (int k = 0; k < j->n; k++) out[k] = hlo_scatter_set(t, j, x[k], indices, new[k]);
}

// Position i of what is left of x's axes in `along`: a slice of one along those, the others whole. The last axis in
// `along` runs fastest.
static ch__value *hlo_scatter_at(ch__hlo_take *t, ch__value *x, uint32_t along, ch__value *i) {
    ch__value *in[CH__MAX_RANK + 1];
    ch__dim sizes[CH__MAX_RANK];
    int64_t step = 1;
    in[0] = x;
    for (int d = x->type->rank - 1; d >= 0; d--) {
        bool one = along >> d & 1;
        sizes[d] = one ? ch__dim_const(1) : x->type->dims[d];
        in[1 + d] = ch__hlo_i64(t, 0);
        if (!one) continue;
        ch__value *at = ch__b_div(&t->b, i, ch__hlo_i64(t, step));
        in[1 + d] = ch__b_binary(&t->b, CH_OP_rem, at, ch__hlo_i64(t, ch__hlo_dim(x, d)));
        step *= ch__hlo_dim(x, d);
    }
    ch__attr a = ch__attr_dims(CH__ATTR_sizes, x->type->rank, sizes);
    return ch__hlo_build1(t, CH_OP_dynamic_slice, 1 + x->type->rank, in, 1, &a, NULL);
}

typedef struct {
    const hlo_scatter_job *j;
    uint32_t of_indices, of_updates; // the axes that the loop goes along
} hlo_scatter_turn;

static void hlo_scatter_one(ch__hlo_take *t, void *arg, ch__value *i, ch__value *const *given, ch__value **out) {
    const hlo_scatter_turn *turn = arg;
    const hlo_scatter_job *j = turn->j;
    ch__value **updates = CH_NEW_ARRAY(t->scratch, ch__value *, j->n);
    for (int k = 0; k < j->n; k++) updates[k] = hlo_scatter_at(t, j->updates[k], turn->of_updates, i);
    hlo_scatter_step(t, j, given, hlo_scatter_at(t, j->indices, turn->of_indices, i), updates, out);
}

// The shape rule of the IR's scatter looks at each array; all have one shape.
static void hlo_scatter_shapes(ch__hlo_take *t, const hlo_scatter_job *j) {
    ch__attr attrs[10];
    int n = 0;
    for (; n < j->n_attrs; n++) attrs[n] = j->attrs[n];
    attrs[n++] = ch__attr_int(CH__ATTR_kind, CH__SET);
    ch__hlo_sort_attrs(n, attrs);
    for (int k = 0; k < j->n; k++) {
        const ch__type *types[3] = {j->x[k]->type, j->indices->type, j->updates[k]->type};
        ch__infer in = {.arena = t->module->arena,
                        .code = CH_OP_scatter,
                        .n_operands = 3,
                        .operands = types,
                        .n_attrs = n,
                        .attrs = attrs,
                        .who = t->op->name};
        ch__infer_types(&in);
        if (!ch__type_same_shape(types[0], j->x[0]->type) || !ch__type_same_shape(types[2], j->updates[0]->type))
            ch__hlo_fail(t, CH__E_shape_mismatch, "array %d or its updates have another shape than those of array 0",
                         k);
    }
}

static void hlo_scatter_general(ch__hlo_take *t, const hlo_scatter_job *j, ch__value **out) {
    const ch__attr *batch = hlo_scatter_attr(j, CH__ATTR_indices_batch);
    const ch__attr *window = hlo_scatter_attr(j, CH__ATTR_window_dims);
    int64_t index_dim = hlo_scatter_attr(j, CH__ATTR_index_dim)->i, count = 1;
    hlo_scatter_shapes(t, j);
    hlo_scatter_turn turn = {.j = j};
    int of_updates = 0;
    for (int d = 0; d < j->indices->type->rank; d++) {
        if (d == index_dim) continue;
        while (hlo_scatter_has(window, of_updates)) of_updates++;
        if (!hlo_scatter_has(batch, d)) {
            turn.of_indices |= 1u << d;
            turn.of_updates |= 1u << of_updates;
            count *= ch__hlo_dim(j->indices, d);
        }
        of_updates++;
    }
    if (count == 0) { // no updates
        memcpy(out, j->x, (size_t)j->n * sizeof *out);
        return;
    }
    if (j->unique || count == 1) {
        hlo_scatter_step(t, j, j->x, j->indices, j->updates, out);
        return;
    }
    const ch__op *loop = ch__hlo_loop(t, count, j->n, j->x, hlo_scatter_one, &turn);
    for (int k = 0; k < j->n; k++) out[k] = &loop->results[k];
}

static void hlo_scatter_check(ch__hlo_take *t) {
    const ch__hlo_op *op = t->op;
    int n = (op->n_operands - 1) / 2;
    if (op->n_regions != 1) ch__hlo_fail(t, CH__E_arity, "%d regions — it has one", op->n_regions);
    if (op->n_operands % 2 == 0 || op->n_results != n)
        ch__hlo_fail(t, CH__E_arity, "%d operands and %d results — as many arrays, updates and results, and indices",
                     op->n_operands, op->n_results);
    const ch__hlo_region *r = op->regions[0];
    if (r->n_params != 2 * n || r->last->n_operands != n)
        ch__hlo_fail(t, CH__E_arity, "its region takes %d values and yields %d — %d and %d", r->n_params,
                     r->last->n_operands, 2 * n, n);
}

void ch__hlo_take_scatter(ch__hlo_take *t, const ch__hlo_row *row) {
    hlo_scatter_check(t);
    int n = t->op->n_results;
    hlo_scatter_job j = {.n = n, .region = t->op->regions[0], .indices = ch__hlo_in(t, n)};
    j.x = CH_NEW_ARRAY(t->scratch, ch__value *, n);
    j.updates = CH_NEW_ARRAY(t->scratch, ch__value *, n);
    for (int k = 0; k < n; k++) {
        j.x[k] = ch__hlo_in(t, k);
        j.updates[k] = ch__hlo_in(t, n + 1 + k);
    }
    j.n_attrs = ch__hlo_scatter_numbers(t, j.attrs);
    j.unique = ch__hlo_int(t, "unique_indices", NULL, 0) != 0;
    int kind = n == 1 ? hlo_scatter_kind(ch__hlo_region_op(j.region), j.x[0]->type->dtype) : -1;
    if (kind < 0) {
        ch__value **out = CH_NEW_ARRAY(t->scratch, ch__value *, n);
        hlo_scatter_general(t, &j, out);
        for (int k = 0; k < n; k++) ch__hlo_out(t, k, out[k]);
        return;
    }
    ch__attr attrs[12];
    memcpy(attrs, j.attrs, (size_t)j.n_attrs * sizeof *attrs);
    int n_attrs = j.n_attrs;
    attrs[n_attrs++] = ch__attr_int(CH__ATTR_kind, kind);
    if (j.unique) attrs[n_attrs++] = ch__attr_int(CH__ATTR_unique, 1);
    if (ch__hlo_attr_of(t, "chaac.acc") || ch__hlo_attr_of(t, "chaac.order"))
        n_attrs = ch__hlo_sums(t, j.x[0]->type->dtype, attrs, n_attrs);
    ch__hlo_out(
        t, 0, ch__hlo_build1(t, row->code, 3, (ch__value *[]){j.x[0], j.indices, j.updates[0]}, n_attrs, attrs, NULL));
}

// ---------------------------------------------------------------- select_and_scatter

// select: GE keeps the first of equals, as the IR does; GT keeps the last: both arrays turned round.
static int hlo_scatter_selects(const ch__hlo_region *r, bool *last) {
    static const char *const dirs[] = {"GE", "GT", "LE", "LT"};
    if (r->n_params != 2 || r->last->n_operands != 1) return -1;
    for (const ch__hlo_op *op = r->first; op != r->last; op = op->next) {
        if (op->n_results != 1 || op->results[0] != r->last->operands[0]) continue;
        if (strcmp(op->name, "stablehlo.compare") != 0 || op->n_operands != 2) return -1;
        if (op->operands[0] != r->params[0] || op->operands[1] != r->params[1]) return -1;
        for (int i = 0; i < 4; i++) {
            bool is = op->words.n && op->words.data[0].n == 2 && memcmp(op->words.data[0].s, dirs[i], 2) == 0;
            for (int64_t k = 0; k < op->attrs.n; k++) is = is || ch__hlo_is_attr_word(op->attrs.data[k], dirs[i]);
            if (!is) continue;
            *last = i % 2 == 1;
            return i < 2 ? CH__MAX : CH__MIN;
        }
    }
    return -1;
}

typedef struct {
    const ch__hlo_windows *w;
    const ch__hlo_region *region;
    ch__value *x, *position; // padded; positions of the padding are -1
    const ch__type *shape;   // of the windows
} hlo_scatter_choice;

// Of value and position so far and the next place of each window, what the region keeps. Padding is never chosen.
static void hlo_scatter_choose(ch__hlo_take *t, void *arg, ch__value *k, ch__value *const *given, ch__value **out) {
    const hlo_scatter_choice *c = arg;
    ch__value *x = ch__hlo_window_place(t, c->w, c->x, c->shape, k), *keep;
    ch__value *at = ch__hlo_window_place(t, c->w, c->position, c->shape, k);
    ch__hlo_apply(t, c->region, (ch__value *[]){given[0], x}, given[0]->type, &keep);
    ch__value *none = ch__b_compare(&t->b, CH__LT, given[1], ch__b_splat_like(&t->b, given[1], 0));
    ch__value *real = ch__b_compare(&t->b, CH__GE, at, ch__b_splat_like(&t->b, at, 0));
    ch__value *better = ch__b_binary(&t->b, CH_OP_or, none, ch__b_unary(&t->b, CH_OP_not, keep));
    ch__value *take = ch__b_binary(&t->b, CH_OP_and, real, better);
    out[0] = ch__b_select(&t->b, take, x, given[0]);
    out[1] = ch__b_select(&t->b, take, at, given[1]);
}

// The positions, in x counted row by row, that the windows choose.
static ch__value *hlo_scatter_chosen(ch__hlo_take *t, ch__value *x, const ch__hlo_windows *w, const ch__type *shape,
                                     int64_t numel) {
    ch__dim lo[CH__MAX_RANK], hi[CH__MAX_RANK];
    int64_t count = 1;
    for (int d = 0; d < w->rank; d++) {
        lo[d] = ch__dim_const(w->lo[d]);
        hi[d] = ch__dim_const(w->hi[d]);
        if (!ch__mul_i64(count, w->window[d], &count)) ch__hlo_fail(t, CH__E_dim_overflow, "the window is too large");
    }
    ch__value *zero = ch__b_splat(&t->b, ch__type_scalar(x->type->dtype), 0);
    ch__value *places = ch__b_iota(&t->b, ch__hlo_shape(t, CH_I64, 1, &numel), 0);
    places = ch__b_reshape(&t->b, places, ch__type_with_dtype(t->module->arena, x->type, CH_I64));
    hlo_scatter_choice c = {.w = w, .region = t->op->regions[0], .shape = shape};
    c.x = ch__b_pad(&t->b, x, zero, lo, hi, NULL);
    c.position = ch__b_pad(&t->b, places, ch__hlo_i64(t, -1), lo, hi, NULL);
    const ch__type *at = ch__type_with_dtype(t->module->arena, shape, CH_I64);
    const ch__type *values = ch__type_with_dtype(t->module->arena, shape, x->type->dtype);
    ch__value *init[2] = {ch__b_splat(&t->b, values, 0), ch__b_splat(&t->b, at, -1)};
    return &ch__hlo_loop(t, count, 2, init, hlo_scatter_choose, &c)->results[1];
}

static ch__value *hlo_scatter_selected(ch__hlo_take *t, ch__value *x, ch__value *source, ch__value *init,
                                       const ch__hlo_windows *w) {
    const ch__type *floats = ch__type_with_dtype(t->module->arena, x->type, CH_F32); // the rule is for numbers
    const ch__type *shape = ch__hlo_window_type(t, floats, w);
    if (!ch__type_same_shape(shape, source->type))
        ch__hlo_fail(t, CH__E_shape_mismatch, "its source is %s — the windows are %s", t->op->operands[1]->type->text,
                     ch__type_text(t->scratch, ch__type_with_dtype(t->scratch, shape, x->type->dtype)));
    int64_t numel = 1, windows = 1;
    for (int d = 0; d < x->type->rank; d++) {
        numel *= ch__hlo_dim(x, d);
        windows *= ch__hlo_dim(source, d);
    }
    ch__value *start = ch__b_broadcast_to(&t->b, init, x->type);
    if (windows == 0) return start;
    ch__value *at = hlo_scatter_chosen(t, x, w, shape, numel);
    hlo_scatter_job j = {.n = 1, .region = t->op->regions[1], .n_attrs = 4};
    const int64_t pair[2] = {windows, 1}, zero[1] = {0};
    j.attrs[0] = ch__attr_ints(CH__ATTR_window_dims, 0, zero);
    j.attrs[1] = ch__attr_ints(CH__ATTR_inserted, 1, zero);
    j.attrs[2] = ch__attr_ints(CH__ATTR_index_map, 1, zero);
    j.attrs[3] = ch__attr_int(CH__ATTR_index_dim, 1);
    ch__value *flat = ch__b_reshape(&t->b, start, ch__hlo_shape(t, x->type->dtype, 1, &numel)), *out;
    ch__value *updates = ch__b_reshape(&t->b, source, ch__hlo_shape(t, source->type->dtype, 1, &windows));
    j.indices = ch__b_reshape(&t->b, at, ch__hlo_shape(t, CH_I64, 2, pair));
    j.x = &flat;
    j.updates = &updates;
    int kind = hlo_scatter_kind(ch__hlo_region_op(j.region), x->type->dtype);
    if (kind < 0) {
        hlo_scatter_general(t, &j, &out);
    } else {
        j.attrs[4] = ch__attr_int(CH__ATTR_kind, kind);
        out = ch__hlo_build1(t, CH_OP_scatter, 3, (ch__value *[]){flat, j.indices, updates}, 5, j.attrs, NULL);
    }
    return ch__b_reshape(&t->b, out, x->type);
}

void ch__hlo_take_select_and_scatter(ch__hlo_take *t, const ch__hlo_row *row) {
    const ch__hlo_op *given = t->op;
    if (given->n_regions != 2) ch__hlo_fail(t, CH__E_arity, "%d regions — it has two", given->n_regions);
    for (int k = 0; k < 2; k++)
        if (given->regions[k]->n_params != 2 || given->regions[k]->last->n_operands != 1)
            ch__hlo_fail(t, CH__E_arity, "its regions take two values and yield one");
    ch__value *x = ch__hlo_in(t, 0), *source = ch__hlo_in(t, 1), *init = ch__hlo_in(t, 2);
    if (init->type->rank != 0 || init->type->dtype != x->type->dtype || source->type->dtype != x->type->dtype)
        ch__hlo_fail(t, CH__E_dtype_mismatch, "it starts from %s — a scalar of the dtype of both arrays",
                     given->operands[2]->type->text);
    bool last = false;
    int kind = hlo_scatter_selects(given->regions[0], &last);
    const char *op = ch__hlo_region_op(given->regions[1]);
    ch__hlo_windows w = ch__hlo_read_windows(t, x->type->rank);
    if (kind < 0 || last || x->type->dtype == CH_BOOL || !op || strcmp(op, "stablehlo.add") != 0) {
        ch__hlo_out(t, 0, hlo_scatter_selected(t, x, source, init, &w));
        return;
    }
    ch__attr attrs[8] = {ch__attr_int(CH__ATTR_kind, kind)};
    ch__value *v =
        ch__hlo_build1(t, row->code, 2, (ch__value *[]){x, source}, ch__hlo_window_attrs(&w, attrs, 1), attrs, NULL);
    uint64_t bits;
    if (!ch__hlo_scalar(init, &bits) || bits != 0) v = ch__hlo_combine(t, CH__SUM, init, v);
    ch__hlo_out(t, 0, v);
}
