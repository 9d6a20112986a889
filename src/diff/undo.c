// SPDX-License-Identifier: Apache-2.0
// undo.c - arrays that a loop changes in place, put back in its reverse.
//
//     a = for i iter(a = a0) { ... a' = set a[p], v ... yield a' }
//
//     a, t = for i iter(a = a0, t = tape_new) { ... t' = push t, get a[p];  a' = set a[p], v ... yield a', t' }
//     ... = for i, downwards, iter(..., a' = a, t) { t', o = pop t;  a = set a'[p], o;  ... yield ..., a, t' }
//
// Where the reverse needs the whole array as it was at the start of each iteration (an inner loop reads it), the
// elements that are about to be overwritten are kept instead of the array. The way from the array at the start of an
// iteration to that at its end has to be one of `set`, `dynamic_update_slice`, loops that carry it and branches that
// pass it on; the same way is gone backwards in the reverse, inner loops the other way round. Indices, bounds and
// predicates on the way are computed again from counters and values from outside; where they follow from other numbers
// of the iteration those are logged too, once at its end. One tape for each type that is logged; what was pushed last
// is popped first. Inside inner loops and branches nothing is logged but what is overwritten, so that these can be
// differentiated once more: their reverse finds all that it reads outside of them.
#include "diff/loops.h"

#include <assert.h>

enum { UNDO_DEPTH = 8 }; // of an index that is computed again

static int undo_first(const ch__op *op) { return op->code == CH_OP_for ? 1 : 0; }
static int undo_inits(const ch__op *op) { return op->code == CH_OP_for ? 3 : 0; }
static bool is_put(const ch__op *op) { return op->code == CH_OP_set || op->code == CH_OP_dynamic_update_slice; }
static ch__region *undo_body(const ch__op *op) { return op->regions[op->n_regions - 1]; }

// The result of op that is the next version of u's array, or -1.
static int step_of(const ch__undo *u, const ch__op *op) {
    return (int)(intptr_t)ch__map_get(&u->steps, (uint64_t)(uintptr_t)op) - 1;
}
static void add_step(ch__undo *u, const ch__op *op, int result) {
    ch__map_put(&u->steps, (uint64_t)(uintptr_t)op, (void *)(intptr_t)(result + 1));
}
// The version before step op, outside of its regions. Branches agree on it.
static ch__value *before_step(const ch__undo *u, const ch__op *op);

// ---------------------------------------------------------------- what can be computed again
static bool cheap(ch__opcode code) {
    switch (code) {
    case CH_OP_const:
    case CH_OP_dim:
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_mul:
    case CH_OP_div:
    case CH_OP_rem:
    case CH_OP_neg:
    case CH_OP_min:
    case CH_OP_max:
    case CH_OP_and:
    case CH_OP_or:
    case CH_OP_xor:
    case CH_OP_not:
    case CH_OP_shl:
    case CH_OP_shr:
    case CH_OP_compare:
    case CH_OP_select:
    case CH_OP_clamp:
    case CH_OP_convert:
    case CH_OP_get: return true;
    default: return false;
    }
}

// Whether v follows from counters and values from outside.
static bool again_within(const ch__loop *l, const ch__value *v, int depth) {
    if (v->id >= l->n_inside || !l->inside[v->id]) return true;
    if (v->op == NULL) return v->index == 0 && v->region->owner->code == CH_OP_for; // a counter
    if (depth > UNDO_DEPTH || v->type->rank > 0 || v->op->n_results != 1 || !cheap((ch__opcode)v->op->code))
        return false;
    for (int i = 0; i < v->op->n_operands; i++)
        if (!again_within(l, v->op->operands[i], depth + 1)) return false;
    return true;
}

static bool is_top(const ch__undo *u, const ch__value *v) {
    return v->op == NULL ? v->region == u->body : v->op->parent == u->body;
}

static bool add_top(const ch__loop *l, ch__undo *u, ch__value *v, int64_t *bytes);

// Whether v can be had on the way back; what of the iteration it needs is listed.
static bool can_have(const ch__loop *l, ch__undo *u, ch__value *v, int depth, int64_t *bytes) {
    if (again_within(l, v, 0)) return true;
    if (v->type->rank > 0 || v->type->tape) return false;
    if (is_top(u, v)) return add_top(l, u, v, bytes);
    if (depth > UNDO_DEPTH || v->op == NULL || v->op->n_results != 1 || !cheap((ch__opcode)v->op->code)) return false;
    for (int i = 0; i < v->op->n_operands; i++)
        if (!can_have(l, u, v->op->operands[i], depth + 1, bytes)) return false;
    return true;
}

static bool can_have_all(const ch__loop *l, ch__undo *u, int n, ch__value *const *xs, int64_t *bytes) {
    for (int i = 0; i < n; i++)
        if (!can_have(l, u, xs[i], 0, bytes)) return false;
    return true;
}

// v once more at b; counters and what was logged through the map. As deep as can_have allows.
static ch__value *write_again(const ch__loop *l, ch__builder *b, const ch__value_map *known, ch__value *v) {
    if (v->id >= l->n_inside || !l->inside[v->id]) return v;
    if (known->to[v->id] != NULL) return known->to[v->id];
    ch__value **xs = CH_NEW_ARRAY(l->s->scratch, ch__value *, v->op->n_operands);
    for (int i = 0; i < v->op->n_operands; i++) xs[i] = write_again(l, b, known, v->op->operands[i]);
    return ch__build_raw(b, (ch__opcode)v->op->code, v->op->n_operands, xs, v->op->n_attrs, v->op->attrs, 1, &v->type,
                         0, NULL)
        ->results;
}

// ---------------------------------------------------------------- the way
static bool find_way(const ch__loop *l, ch__undo *u, const ch__value *end, const ch__region *r, const ch__value **base,
                     int64_t *bytes);

static bool log_type(const ch__loop *l, ch__undo *u, const ch__type *t, int64_t *bytes) {
    int64_t size = (int64_t)ch_dtype_size(t->dtype);
    for (int k = 0; k < t->rank; k++)
        if (!ch__dim_is_const(t->dims[k]) || !ch__mul_i64(size, t->dims[k].val, &size)) size = INT32_MAX;
    *bytes = *bytes > INT64_MAX / 4 - size ? INT64_MAX / 4 : *bytes + size;
    for (int i = 0; i < u->n_logs; i++)
        if (ch__type_equal(u->logs[i], t)) return true;
    if (u->n_logs == 8) return false;
    if (u->logs == NULL) u->logs = CH_NEW_ARRAY(l->s->scratch, const ch__type *, 8);
    u->logs[u->n_logs++] = t;
    return true;
}

static bool add_top(const ch__loop *l, ch__undo *u, ch__value *v, int64_t *bytes) {
    for (int64_t i = 0; i < u->tops.n; i++)
        if (u->tops.data[i] == v) return true;
    CH_PUSH(l->s->scratch, &u->tops, v);
    return log_type(l, u, v->type, bytes);
}

// Through a loop that carries the array; how often it goes round counts in the estimate.
static bool way_through_loop(const ch__loop *l, ch__undo *u, const ch__op *op, int result, int64_t *bytes) {
    const ch__region *body = undo_body(op);
    const ch__value *base = NULL;
    int64_t inner = 0, step, times = 1;
    ch__dim lo, trips;
    if (!find_way(l, u, body->results[result], body, &base, &inner)) return false;
    if (base != body->params[undo_first(op) + result]) return false;
    if (op->code == CH_OP_for) {
        if (ch__loop_trips_of(l->s->scratch, op->operands, &lo, &step, &trips))
            times = ch__dim_is_const(trips) ? trips.val : 100; // a size: as keep.c takes it
        if (!can_have_all(l, u, 3, op->operands, bytes)) return false;
    } else if (op->parent != u->body || !log_type(l, u, ch__type_scalar(CH_I64), bytes)) {
        return false; // its count is not known where the way back needs it
    }
    if (!ch__mul_i64(inner, times, &inner) || inner > INT64_MAX / 4) inner = INT64_MAX / 4;
    *bytes = *bytes > INT64_MAX / 4 - inner ? INT64_MAX / 4 : *bytes + inner;
    return true;
}

static bool way_through_if(const ch__loop *l, ch__undo *u, const ch__op *op, int result, int64_t *bytes) {
    const ch__value *base[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++)
        if (!find_way(l, u, op->regions[k]->results[result], op->regions[k], &base[k], bytes)) return false;
    return base[0] == base[1] && can_have_all(l, u, 1, op->operands, bytes);
}

// From `end` back to the first value that is no step in region r. Recurses on nesting only.
static bool find_way(const ch__loop *l, ch__undo *u, const ch__value *end, const ch__region *r, const ch__value **base,
                     int64_t *bytes) {
    const ch__value *v = end;
    while (v->op != NULL && v->op->parent == r) {
        const ch__op *op = v->op;
        int result = v->index;
        bool ok = step_of(u, op) < 0;
        if (is_put(op)) {
            ok = ok && log_type(l, u, op->operands[1]->type, bytes) &&
                 can_have_all(l, u, op->n_operands - 2, op->operands + 2, bytes);
        } else if (op->code == CH_OP_for || op->code == CH_OP_while) {
            ok = ok && way_through_loop(l, u, op, result, bytes);
        } else if (op->code == CH_OP_if) {
            ok = ok && way_through_if(l, u, op, result, bytes);
        } else {
            ok = false;
        }
        if (!ok) return false;
        add_step(u, op, result);
        v = before_step(u, op);
    }
    *base = v;
    return true;
}

static ch__value *before_step(const ch__undo *u, const ch__op *op) {
    if (is_put(op)) return op->operands[0];
    int result = step_of(u, op);
    if (op->code != CH_OP_if) return op->operands[undo_inits(op) + result];
    ch__value *v = op->regions[0]->results[result];
    while (v->op != NULL && v->op->parent == op->regions[0]) v = before_step(u, v->op);
    return v;
}

static void find_inside(ch__loop *l, const ch__region *r, bool *local) {
    for (int i = 0; i < r->n_params; i++) l->inside[r->params[i]->id] = 1;
    for (const ch__op *op = r->first; op != NULL; op = op->next) {
        *local |= op->code == CH_OP_alloc && op->n_operands > 0;
        for (int i = 0; i < op->n_results; i++) l->inside[op->results[i].id] = 1;
        for (int i = 0; i < op->n_regions; i++) find_inside(l, op->regions[i], local);
    }
}

// Sizes that are known only inside would need names of their own in the new body: such loops are left alone.
bool ch__undo_plan(ch__loop *l, int i, ch__undo *u) {
    const ch__region *body = undo_body(l->op);
    const ch__value *base = NULL;
    bool local = false;
    if (l->inside == NULL) {
        l->n_inside = l->s->func->n_values;
        l->inside = CH_NEW_ARRAY(l->temp, uint8_t, l->n_inside);
        find_inside(l, body, &local);
        if (local) l->n_inside = -1;
    }
    *u = (ch__undo){.state = i, .body = body};
    if (l->n_inside < 0 || body->params[l->first + i]->type->rank == 0) return false;
    ch__map_init(&u->steps, l->s->scratch);
    return find_way(l, u, body->results[i], body, &base, &u->bytes) && base == body->params[l->first + i] &&
           u->n_logs > 0;
}

// ---------------------------------------------------------------- pushing
typedef struct {
    ch__loop *l;
    ch__value_map *map;
    ch__value **tapes; // of all undos
    ch__builder *b;
} undo_writer;

static int logs_before(const ch__loop *l, int which) {
    int n = 0;
    for (int i = 0; i < which; i++) n += l->undo[i].n_logs;
    return n;
}

static int log_of(const ch__undo *u, const ch__type *t) {
    for (int i = 0; i < u->n_logs; i++)
        if (ch__type_equal(u->logs[i], t)) return i;
    assert(!"a type that was not planned is logged");
    return 0;
}

static ch__value *mapped(const undo_writer *w, ch__value *v) {
    return v->id < w->map->n && w->map->to[v->id] != NULL ? w->map->to[v->id] : v;
}

static void push_log(undo_writer *w, int which, ch__value *v) {
    const ch__undo *u = &w->l->undo[which];
    ch__value **tape = &w->tapes[logs_before(w->l, which) + log_of(u, v->type)], *xs[2] = {*tape, v};
    *tape = ch__build(w->b, CH_OP_push, 2, xs, 0, NULL, 0, NULL, 0, NULL)->results;
}

static void log_region(undo_writer *w, const ch__region *from, ch__region *to);

static void log_put(undo_writer *w, int which, const ch__op *op) {
    ch__value *xs[CH__MAX_RANK + 1] = {mapped(w, op->operands[0])};
    ch__attr attrs[2];
    const ch__attr *bounds = ch__op_attr(op, CH__ATTR_bounds);
    const ch__type *t = op->operands[1]->type;
    bool block = op->code == CH_OP_dynamic_update_slice;
    int n_attrs = 0, rank = op->n_operands - 2;
    for (int i = 0; i < rank; i++) xs[1 + i] = mapped(w, op->operands[2 + i]);
    if (block) attrs[n_attrs++] = ch__attr_dims(CH__ATTR_sizes, t->rank, t->dims);
    if (bounds != NULL) attrs[n_attrs++] = *bounds;
    push_log(w, which,
             ch__build_raw(w->b, block ? CH_OP_dynamic_slice : CH_OP_get, 1 + rank, xs, n_attrs, attrs, 1, &t, 0, NULL)
                 ->results);
    ch__clone_op(w->b, op, w->map, NULL, NULL);
}

// Which tapes a step takes along: those of every undo it is a step of. A while has its count after them.
static int tapes_along(const undo_writer *w, const ch__op *op, int *out) {
    int n = 0;
    for (int k = 0, at = 0; k < w->l->n_undo; at += w->l->undo[k++].n_logs)
        for (int i = 0; step_of(&w->l->undo[k], op) >= 0 && i < w->l->undo[k].n_logs; i++) out[n++] = at + i;
    return n;
}

static ch__region *log_condition(undo_writer *w, const ch__op *op, int n_more, const ch__type *const *types) {
    const ch__region *from = op->regions[0];
    ch__region *to = ch__region_create(w->b->func, NULL);
    ch__builder in = ch__builder_at_end(to);
    for (int i = 0; i < from->n_params; i++)
        w->map->to[from->params[i]->id] = ch__region_add_param(to, from->params[i]->name, from->params[i]->type);
    for (int i = 0; i < n_more; i++) ch__region_add_param(to, NULL, types[op->n_results + i]);
    ch__clone_region_ops(&in, from, w->map, NULL, NULL);
    ch__value *go = mapped(w, from->results[0]);
    ch__region_set_results(to, 1, &go);
    return to;
}

static void log_loop(undo_writer *w, const ch__op *op) {
    ch__arena *a = w->l->s->scratch;
    const ch__region *from = undo_body(op);
    bool counted = op->code == CH_OP_for;
    int *along = CH_NEW_ARRAY(a, int, logs_before(w->l, w->l->n_undo) + 1), n_along = tapes_along(w, op, along);
    int n = op->n_results, inits = undo_inits(op), more = n_along + (counted ? 0 : 1);
    ch__value **xs = CH_NEW_ARRAY(a, ch__value *, inits + n + more), **results = CH_NEW_ARRAY(a, ch__value *, n + more);
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, n + more);
    ch__region *regions[2], *to = ch__region_create(w->b->func, NULL);
    for (int i = 0; i < inits + n; i++) xs[i] = mapped(w, op->operands[i]);
    for (int i = 0; i < n_along; i++) xs[inits + n + i] = w->tapes[along[i]];
    if (!counted) xs[n + n_along] = ch__loop_const(w->b, 0);
    for (int i = 0; i < n + more; i++) types[i] = i < n ? op->results[i].type : xs[inits + i]->type;
    if (!counted) regions[0] = log_condition(w, op, more, types);
    for (int i = 0; i < from->n_params; i++)
        w->map->to[from->params[i]->id] = ch__region_add_param(to, from->params[i]->name, from->params[i]->type);
    for (int i = 0; i < n_along; i++) w->tapes[along[i]] = ch__region_add_param(to, NULL, types[n + i]);
    ch__value *count = counted ? NULL : ch__region_add_param(to, NULL, ch__type_scalar(CH_I64));
    log_region(w, from, to);
    for (int i = 0; i < n; i++) results[i] = mapped(w, from->results[i]);
    for (int i = 0; i < n_along; i++) results[n + i] = w->tapes[along[i]];
    if (!counted) {
        ch__builder in = ch__builder_at_end(to);
        results[n + n_along] = ch__loop_int(&in, CH_OP_add, count, ch__loop_const(&in, 1));
    }
    ch__region_set_results(to, n + more, results);
    regions[counted ? 0 : 1] = to;
    ch__op *made = ch__build_raw(w->b, (ch__opcode)op->code, inits + n + more, xs, op->n_attrs, op->attrs, n + more,
                                 types, op->n_regions, regions);
    for (int i = 0; i < n; i++) {
        made->results[i].name = op->results[i].name;
        w->map->to[op->results[i].id] = &made->results[i];
    }
    for (int i = 0; i < n_along; i++) w->tapes[along[i]] = &made->results[n + i];
    for (int k = 0; k < w->l->n_undo; k++) {
        if (step_of(&w->l->undo[k], op) >= 0 && !counted) push_log(w, k, &made->results[n + n_along]);
    }
}

static void log_if(undo_writer *w, const ch__op *op) {
    ch__arena *a = w->l->s->scratch;
    int *along = CH_NEW_ARRAY(a, int, logs_before(w->l, w->l->n_undo) + 1), n_along = tapes_along(w, op, along);
    int n = op->n_results;
    ch__value **before = CH_NEW_ARRAY(a, ch__value *, n_along), **results = CH_NEW_ARRAY(a, ch__value *, n + n_along);
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, n + n_along);
    ch__region *regions[2];
    for (int i = 0; i < n_along; i++) before[i] = w->tapes[along[i]];
    for (int i = 0; i < n + n_along; i++) types[i] = i < n ? op->results[i].type : before[i - n]->type;
    for (int k = 0; k < 2; k++) {
        regions[k] = ch__region_create(w->b->func, NULL);
        for (int i = 0; i < n_along; i++) w->tapes[along[i]] = before[i];
        log_region(w, op->regions[k], regions[k]);
        for (int i = 0; i < n; i++) results[i] = mapped(w, op->regions[k]->results[i]);
        for (int i = 0; i < n_along; i++) results[n + i] = w->tapes[along[i]];
        ch__region_set_results(regions[k], n + n_along, results);
    }
    ch__value *pred = mapped(w, op->operands[0]);
    ch__op *made = ch__build_raw(w->b, CH_OP_if, 1, &pred, op->n_attrs, op->attrs, n + n_along, types, 2, regions);
    for (int i = 0; i < n; i++) {
        made->results[i].name = op->results[i].name;
        w->map->to[op->results[i].id] = &made->results[i];
    }
    for (int i = 0; i < n_along; i++) w->tapes[along[i]] = &made->results[n + i];
}

static void log_region(undo_writer *w, const ch__region *from, ch__region *to) {
    ch__builder in = ch__builder_at_end(to), *outer = w->b;
    w->b = &in;
    for (const ch__op *op = from->first; op != NULL; op = op->next) {
        int which = -1;
        for (int k = 0; k < w->l->n_undo; k++)
            if (step_of(&w->l->undo[k], op) >= 0) which = k;
        in.loc = op->loc;
        if (which < 0)
            ch__clone_op(w->b, op, w->map, NULL, NULL);
        else if (is_put(op))
            log_put(w, which, op);
        else if (op->code == CH_OP_if)
            log_if(w, op);
        else
            log_loop(w, op);
    }
    w->b = outer;
}

void ch__undo_log(ch__loop *l, ch__region *to, ch__value_map *map, ch__value **tapes) {
    undo_writer w = {.l = l, .map = map, .tapes = tapes};
    log_region(&w, l->undo[0].body, to);
    ch__builder end = ch__builder_at_end(to);
    end.loc = l->op->loc;
    w.b = &end;
    for (int k = 0; k < l->n_undo; k++)
        for (int64_t i = 0; i < l->undo[k].tops.n; i++) push_log(&w, k, mapped(&w, l->undo[k].tops.data[i]));
}

// ---------------------------------------------------------------- popping
typedef struct {
    ch__loop *l;
    const ch__undo *u;
    ch__value_map known; // counters and what was logged once
    ch__value **tapes;   // of u
    ch__builder *b;
} undo_reader;

static ch__value *pop_log(undo_reader *w, const ch__type *t) {
    ch__value **tape = &w->tapes[log_of(w->u, t)];
    ch__op *pop = ch__build(w->b, CH_OP_pop, 1, tape, 0, NULL, 0, NULL, 0, NULL);
    *tape = &pop->results[0];
    return &pop->results[1];
}

static void have_all(undo_reader *w, int n, ch__value *const *xs, ch__value **out) {
    for (int i = 0; i < n; i++) out[i] = write_again(w->l, w->b, &w->known, xs[i]);
}

static ch__value *back_region(undo_reader *w, const ch__region *from, const ch__value *end, ch__value *array);

static ch__value *back_put(undo_reader *w, const ch__op *op, ch__value *array) {
    ch__value *xs[CH__MAX_RANK + 2] = {array};
    have_all(w, op->n_operands - 2, op->operands + 2, xs + 2);
    xs[1] = pop_log(w, op->operands[1]->type);
    return ch__build_raw(w->b, (ch__opcode)op->code, op->n_operands, xs, op->n_attrs, op->attrs, 1, &array->type, 0,
                         NULL)
        ->results;
}

static ch__value *back_loop(undo_reader *w, const ch__op *op, ch__value *array) {
    ch__arena *a = w->l->s->scratch;
    const ch__region *from = undo_body(op);
    int n_logs = w->u->n_logs, n = 1 + n_logs, result = step_of(w->u, op);
    ch__value **xs = CH_NEW_ARRAY(a, ch__value *, 3 + n), **results = CH_NEW_ARRAY(a, ch__value *, n), *bounds[3];
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, n);
    if (op->code == CH_OP_for) {
        have_all(w, 3, op->operands, bounds);
        ch__loop_bounds_of(w->b, bounds, xs);
    } else {
        xs[1] = pop_log(w, ch__type_scalar(CH_I64));
        xs[0] = ch__loop_const(w->b, 0);
        xs[2] = ch__loop_const(w->b, 1);
    }
    xs[3] = array;
    for (int i = 0; i < n_logs; i++) xs[4 + i] = w->tapes[i];
    for (int i = 0; i < n; i++) types[i] = xs[3 + i]->type;
    ch__region *to = ch__region_create(w->b->func, NULL);
    ch__value *counter = ch__region_add_param(to, NULL, ch__type_scalar(CH_I64));
    ch__value *inner = ch__region_add_param(to, NULL, types[0]);
    for (int i = 0; i < n_logs; i++) w->tapes[i] = ch__region_add_param(to, NULL, types[1 + i]);
    if (op->code == CH_OP_for) w->known.to[from->params[0]->id] = counter;
    ch__builder in = ch__builder_at_end(to), *outer = w->b;
    in.loc = op->loc;
    w->b = &in;
    results[0] = back_region(w, from, from->results[result], inner);
    w->b = outer;
    for (int i = 0; i < n_logs; i++) results[1 + i] = w->tapes[i];
    ch__region_set_results(to, n, results);
    ch__op *made = ch__build_raw(w->b, CH_OP_for, 3 + n, xs, 0, NULL, n, types, 1, &to);
    for (int i = 0; i < n_logs; i++) w->tapes[i] = &made->results[1 + i];
    return &made->results[0];
}

static ch__value *back_if(undo_reader *w, const ch__op *op, ch__value *array) {
    ch__arena *a = w->l->s->scratch;
    int n_logs = w->u->n_logs, n = 1 + n_logs, result = step_of(w->u, op);
    ch__value **before = CH_NEW_ARRAY(a, ch__value *, n_logs), **results = CH_NEW_ARRAY(a, ch__value *, n), *pred;
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, n);
    ch__region *regions[2];
    have_all(w, 1, op->operands, &pred);
    for (int i = 0; i < n_logs; i++) before[i] = w->tapes[i];
    for (int i = 0; i < n; i++) types[i] = i == 0 ? array->type : before[i - 1]->type;
    for (int k = 0; k < 2; k++) {
        const ch__region *from = op->regions[k];
        regions[k] = ch__region_create(w->b->func, NULL);
        ch__builder in = ch__builder_at_end(regions[k]), *outer = w->b;
        in.loc = op->loc;
        for (int i = 0; i < n_logs; i++) w->tapes[i] = before[i];
        w->b = &in;
        results[0] = back_region(w, from, from->results[result], array);
        w->b = outer;
        for (int i = 0; i < n_logs; i++) results[1 + i] = w->tapes[i];
        ch__region_set_results(regions[k], n, results);
    }
    ch__op *made = ch__build_raw(w->b, CH_OP_if, 1, &pred, 0, NULL, n, types, 2, regions);
    for (int i = 0; i < n_logs; i++) w->tapes[i] = &made->results[1 + i];
    return &made->results[0];
}

static ch__value *back_region(undo_reader *w, const ch__region *from, const ch__value *end, ch__value *array) {
    for (const ch__value *v = end; v->op != NULL && v->op->parent == from; v = before_step(w->u, v->op)) {
        if (is_put(v->op))
            array = back_put(w, v->op, array);
        else if (v->op->code == CH_OP_if)
            array = back_if(w, v->op, array);
        else
            array = back_loop(w, v->op, array);
    }
    return array;
}

ch__value *ch__undo_back(ch__loop *l, const ch__undo *u, ch__builder *b, ch__value *counter, ch__value *array,
                         ch__value **tapes) {
    const ch__region *body = u->body;
    undo_reader w = {.l = l, .u = u, .tapes = tapes, .b = b};
    w.known = (ch__value_map){.to = CH_NEW_ARRAY(l->temp, ch__value *, l->n_inside), .n = l->n_inside};
    if (l->counted) w.known.to[body->params[0]->id] = counter;
    for (int64_t i = u->tops.n - 1; i >= 0; i--) w.known.to[u->tops.data[i]->id] = pop_log(&w, u->tops.data[i]->type);
    return back_region(&w, body, body->results[u->state], array);
}
