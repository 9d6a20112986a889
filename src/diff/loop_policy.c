// SPDX-License-Identifier: Apache-2.0
// loop_policy.c - loops that keep less than the store policy does and compute more.
//
// All leave the loop as it is (a while gets its count) and compute its state again in the reverse:
//     recompute   each iteration's start state from the initial one: no memory, n^2/2 iterations
//     sqrt        the state is kept once in about sqrt(n) iterations; each such block is run again with tapes
//     revolve(n)  at most n states at a time, where binomial checkpointing puts them (revolve.c)
// A while is counted first, so its number of iterations is known there too.
#include "diff/loops.h"

#include <string.h>

ch__value *ch__loop_trips_value(ch__loop *l) {
    ch__sweep *s = l->s;
    if (!l->counted) {
        ch__keep none = {.region = l->region};
        return ch__loop_augment(l, &none);
    }
    ch__dim lo, trips;
    int64_t by;
    if (ch__loop_trips(l, &lo, &by, &trips)) return ch__loop_dim(&s->b, trips);
    // last = stop + n * step
    ch__value *bounds[3];
    ch__loop_bounds(l, bounds);
    return ch__loop_int(&s->b, CH_OP_div, ch__loop_int(&s->b, CH_OP_sub, bounds[0], bounds[1]), l->op->operands[2]);
}

static ch__value *through(const ch__value_map *outer, ch__value *v) {
    return outer != NULL && v->id < outer->n && outer->to[v->id] != NULL ? outer->to[v->id] : v;
}

ch__value *ch__loop_counter(const ch__loop *l, ch__builder *b, ch__value *t, const ch__value_map *outer) {
    if (!l->counted) return t;
    ch__value *lo = through(outer, l->op->operands[0]), *step = through(outer, l->op->operands[2]);
    return ch__loop_int(b, CH_OP_add, lo, ch__loop_int(b, CH_OP_mul, t, step));
}

ch__op *ch__loop_advance(ch__loop *l, ch__builder *b, ch__value *base, ch__value *m, ch__value *const *state,
                         const ch__keep *k, const ch__value_map *outer) {
    ch__sweep *s = l->s;
    ch__arena *a = s->scratch;
    const ch__region *body = l->op->regions[l->op->n_regions - 1];
    int n_tapes = k == NULL ? 0 : (int)k->kept.n, n = l->n + n_tapes;
    ch__value_map map = {.to = CH_NEW_ARRAY(l->temp, ch__value *, s->func->n_values), .n = s->func->n_values};
    if (outer != NULL) memcpy(map.to, outer->to, (size_t)outer->n * sizeof *map.to);
    ch__value **xs = CH_NEW_ARRAY(a, ch__value *, 3 + n), **results = CH_NEW_ARRAY(a, ch__value *, n);
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, n);
    ch__region *r = ch__region_create(b->func, NULL);
    ch__builder in = ch__builder_at_end(r);
    in.loc = l->op->loc;
    ch__value *t = ch__region_add_param(r, NULL, ch__type_scalar(CH_I64));
    xs[0] = ch__loop_const(b, 0);
    xs[1] = m;
    xs[2] = ch__loop_const(b, 1);
    for (int i = 0; i < l->n; i++) {
        const ch__value *p = body->params[l->first + i];
        xs[3 + i] = state[i];
        map.to[p->id] = ch__region_add_param(r, p->name, p->type);
    }
    for (int i = 0; i < n_tapes; i++) {
        const ch__type *tape = ch__type_tape(s->func->module->arena, k->kept.data[i]->type);
        xs[3 + l->n + i] = ch__build(b, CH_OP_tape_new, 0, NULL, 0, NULL, 1, &tape, 0, NULL)->results;
        ch__region_add_param(r, NULL, tape);
    }
    if (l->counted)
        map.to[body->params[0]->id] =
            ch__loop_counter(l, &in, base == NULL ? t : ch__loop_int(&in, CH_OP_add, base, t), outer);
    for (int i = l->first + l->n; i < body->n_params; i++) map.to[body->params[i]->id] = xs[0]; // a while's count
    ch__clone_region_ops(&in, body, &map, NULL, NULL);
    for (int i = 0; i < l->n; i++) {
        ch__value *v = body->results[i];
        results[i] = v->id < map.n && map.to[v->id] != NULL ? map.to[v->id] : v;
    }
    for (int i = 0; i < n_tapes; i++) {
        ch__value *v = ch__loop_held(l, k->kept.data[i]), *pushed[2] = {r->params[1 + l->n + i], map.to[v->id]};
        results[l->n + i] = ch__build(&in, CH_OP_push, 2, pushed, 0, NULL, 0, NULL, 0, NULL)->results;
    }
    ch__region_set_results(r, n, results);
    for (int i = 0; i < n; i++) types[i] = r->params[1 + i]->type;
    return ch__build_raw(b, CH_OP_for, 3 + n, xs, 0, NULL, n, types, 1, &r);
}

// The region's first param counts iterations from `base` (NULL: 0): the counter is computed from it.
static void number_iterations(ch__loop *l, ch__value *base) {
    ch__region *r = l->region;
    ch__builder b = {.func = l->s->func, .region = r, .before = r->first, .loc = l->op->loc};
    ch__op *first = r->first;
    ch__loop_map m = ch__loop_replacement(l);
    ch__value *t = r->params[0];
    if (base != NULL) t = ch__loop_int(&b, CH_OP_add, base, t);
    if (l->counted) {
        m.to[r->params[0]->id] = ch__loop_counter(l, &b, t, NULL);
        ch__loop_replace(&m, r, first);
    }
}

void ch__loop_count_down(ch__builder *b, ch__value *n, ch__value **xs) {
    xs[1] = ch__loop_const(b, -1);
    xs[2] = xs[1];
    xs[0] = ch__loop_int(b, CH_OP_add, n, xs[1]);
}

static ch__op *write_recompute(ch__loop *l) {
    ch__sweep *s = l->s;
    ch__value *n = ch__loop_trips_value(l), **xs = CH_NEW_ARRAY(s->scratch, ch__value *, 3 + l->region->n_results);
    ch__region *r = l->region;
    number_iterations(l, NULL);
    ch__builder b = {.func = s->func, .region = r, .before = r->first, .loc = l->op->loc};
    ch__op *first = r->first,
           *run = ch__loop_advance(l, &b, NULL, r->params[0], l->op->operands + l->inits, NULL, NULL);
    ch__loop_map m = ch__loop_replacement(l);
    for (int i = 0; i < l->n; i++) m.to[l->state[i]->id] = &run->results[i];
    ch__loop_replace(&m, r, first);
    ch__loop_count_down(&s->b, n, xs);
    ch__loop_inits(l, xs + 3);
    return ch__loop_close(l, &s->b, xs, 0, NULL);
}

// Iterations base .. base + m - 1 from a state: run with tapes, then backwards. inits: adjoints and sums before.
static ch__op *write_block(ch__loop *l, const ch__keep *k, ch__builder *b, ch__value *base, ch__value *m,
                           ch__value *const *state, ch__value *const *inits) {
    ch__arena *a = l->s->scratch;
    int n_tapes = (int)k->kept.n, n_bars = l->region->n_results;
    ch__op *run = ch__loop_advance(l, b, base, m, state, k, NULL);
    ch__value **xs = CH_NEW_ARRAY(a, ch__value *, 3 + n_bars + n_tapes), **left = CH_NEW_ARRAY(a, ch__value *, n_tapes);
    ch__value **tapes = CH_NEW_ARRAY(a, ch__value *, n_tapes);
    for (int i = 0; i < n_tapes; i++) tapes[i] = xs[3 + n_bars + i] = &run->results[l->n + i];
    for (int i = 0; i < n_bars; i++) xs[3 + i] = inits[i];
    number_iterations(l, base);
    ch__loop_take(l, k, tapes, left);
    ch__loop_count_down(b, m, xs);
    return ch__loop_close(l, b, xs, n_tapes, left);
}

static ch__value *int_root(ch__builder *b, ch__value *n) {
    ch__value *x = ch__b_convert(b, n, CH_F64);
    x = ch__b_unary(b, CH_OP_ceil, ch__b_unary(b, CH_OP_sqrt, x));
    return ch__loop_int(b, CH_OP_max, ch__b_convert(b, x, CH_I64), ch__loop_const(b, 1));
}

static ch__value *block_size(ch__builder *b, ch__value *n, ch__value *q, ch__value *base) {
    return ch__loop_int(b, CH_OP_min, q, ch__loop_int(b, CH_OP_sub, n, base));
}

// Start states of blocks of q iterations, in tapes.
static ch__op *write_snapshots(ch__loop *l, ch__value *n, ch__value *q, ch__value *blocks) {
    ch__sweep *s = l->s;
    ch__arena *a = s->scratch;
    ch__value **xs = CH_NEW_ARRAY(a, ch__value *, 3 + 2 * l->n), **results = CH_NEW_ARRAY(a, ch__value *, 2 * l->n);
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, 2 * l->n);
    ch__region *r = ch__region_create(s->func, NULL);
    ch__builder in = ch__builder_at_end(r);
    in.loc = l->op->loc;
    ch__value *number = ch__region_add_param(r, NULL, ch__type_scalar(CH_I64));
    xs[0] = ch__loop_const(&s->b, 0);
    xs[1] = blocks;
    xs[2] = ch__loop_const(&s->b, 1);
    for (int i = 0; i < 2 * l->n; i++) {
        ch__value *init = l->op->operands[l->inits + i % l->n];
        types[i] = i < l->n ? init->type : ch__type_tape(s->func->module->arena, init->type);
        xs[3 + i] = i < l->n ? init : ch__loop_nothing(&s->b, types[i]);
        ch__region_add_param(r, NULL, types[i]);
    }
    ch__value *base = ch__loop_int(&in, CH_OP_mul, number, q);
    for (int i = 0; i < l->n; i++) {
        ch__value *pushed[2] = {r->params[1 + l->n + i], r->params[1 + i]};
        results[l->n + i] = ch__build(&in, CH_OP_push, 2, pushed, 0, NULL, 0, NULL, 0, NULL)->results;
    }
    ch__op *run = ch__loop_advance(l, &in, base, block_size(&in, n, q, base), r->params + 1, NULL, NULL);
    for (int i = 0; i < l->n; i++) results[i] = &run->results[i];
    ch__region_set_results(r, 2 * l->n, results);
    return ch__build_raw(&s->b, CH_OP_for, 3 + 2 * l->n, xs, 0, NULL, 2 * l->n, types, 1, &r);
}

static ch__op *write_sqrt(ch__loop *l, const ch__keep *k) {
    ch__sweep *s = l->s;
    ch__arena *a = s->scratch;
    int n_bars = l->region->n_results, total = n_bars + l->n;
    ch__value *n = ch__loop_trips_value(l), *q = int_root(&s->b, n);
    ch__value *up = ch__loop_int(&s->b, CH_OP_add, n, ch__loop_int(&s->b, CH_OP_sub, q, ch__loop_const(&s->b, 1)));
    ch__value *blocks = ch__loop_int(&s->b, CH_OP_div, up, q);
    ch__op *snapshots = write_snapshots(l, n, q, blocks);
    ch__value **xs = CH_NEW_ARRAY(a, ch__value *, 3 + total), **results = CH_NEW_ARRAY(a, ch__value *, total);
    ch__value **state = CH_NEW_ARRAY(a, ch__value *, l->n);
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, total);
    ch__region *r = ch__region_create(s->func, NULL);
    ch__builder in = ch__builder_at_end(r);
    in.loc = l->op->loc;
    ch__value *number = ch__region_add_param(r, NULL, ch__type_scalar(CH_I64));
    ch__loop_count_down(&s->b, blocks, xs);
    ch__loop_inits(l, xs + 3);
    for (int i = 0; i < l->n; i++) xs[3 + n_bars + i] = &snapshots->results[l->n + i];
    for (int i = 0; i < total; i++) {
        types[i] = xs[3 + i]->type;
        ch__region_add_param(r, NULL, types[i]);
    }
    for (int i = 0; i < l->n; i++) {
        ch__op *pop = ch__build(&in, CH_OP_pop, 1, &r->params[1 + n_bars + i], 0, NULL, 0, NULL, 0, NULL);
        results[n_bars + i] = &pop->results[0];
        state[i] = &pop->results[1];
    }
    ch__value *base = ch__loop_int(&in, CH_OP_mul, number, q);
    ch__op *block = write_block(l, k, &in, base, block_size(&in, n, q, base), state, r->params + 1);
    for (int i = 0; i < n_bars; i++) results[i] = &block->results[i];
    ch__region_set_results(r, total, results);
    return ch__build_raw(&s->b, CH_OP_for, 3 + total, xs, 0, NULL, total, types, 1, &r);
}

// A loop that carries a tape (a derivative's own) cannot be run again: the tape is used up.
bool ch__loop_stores(const ch__loop *l) {
    const ch__attr *policy = ch__op_attr(l->op, CH__ATTR_policy);
    if (policy == NULL || strcmp(policy->s, "store") == 0) return true;
    for (int i = 0; i < l->n; i++)
        if (l->state[i]->type->tape) return true;
    return false;
}

ch__op *ch__loop_policy(ch__loop *l, const ch__keep *k) {
    if (ch__loop_stores(l)) return ch__loop_store(l, k);
    const char *policy = ch__op_attr(l->op, CH__ATTR_policy)->s;
    if (strcmp(policy, "recompute") == 0) return write_recompute(l);
    if (strcmp(policy, "sqrt") == 0) return write_sqrt(l, k);
    return ch__loop_revolve(l);
}
