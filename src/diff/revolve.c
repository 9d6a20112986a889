// SPDX-License-Identifier: Apache-2.0
// revolve.c - the reverse of a loop with at most n states kept at a time.
//
// Binomial checkpointing (Griewank and Walther, ACM TOMS 26, 2000): with s free places and every iteration computed at
// most t times again, C(s+t, s) iterations can be reversed. So m of them, t the least that is enough, are cut after the
// first C(s+t-1, s); the right part is reversed with s-1 places, then the left part with s. It is written as a func
// that calls itself:
//
//     func @f_revolve(base, m, s, state, bars, outside) -> bars {
//         m <= 0: bars;  m == 1: the iteration and its reverse
//         s <= 1: for t = m-1 down to 0: state after t iterations, then itself with m = 1
//         else:   state after mid iterations;  itself(base+mid, m-mid, s-1, ..);  itself(base, mid, s, ..) }
//
// Its frames are the places. The number of iterations need not be known before.
#include "diff/loops.h"

#include <string.h>

typedef struct {
    ch__loop *l;
    ch_func *to; // the func written
    int n, n_bars;
    uint8_t *inside; // by value id: defined in the loop or in its reverse body
    uint8_t *listed;
    CH_VEC(ch__value *) outside;
    ch__value_map map; // outside values in `to`
    ch__value *base, *m, *places;
    ch__value **state, **bars, **given; // params of `to`
} revolve;

// ---------------------------------------------------------------- what comes from outside
static void mark_inside(revolve *r, const ch__region *region) {
    for (int i = 0; i < region->n_params; i++) r->inside[region->params[i]->id] = 1;
    for (const ch__op *op = region->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_results; i++) r->inside[op->results[i].id] = 1;
        for (int i = 0; i < op->n_regions; i++) mark_inside(r, op->regions[i]);
    }
}

static void see(revolve *r, ch__value *v) {
    if (r->inside[v->id] || r->listed[v->id]) return;
    r->listed[v->id] = 1;
    CH_PUSH(r->l->s->scratch, &r->outside, v);
}

static void find_outside(revolve *r, const ch__region *region) {
    for (const ch__op *op = region->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_operands; i++) see(r, op->operands[i]);
        for (int i = 0; i < op->n_regions; i++) find_outside(r, op->regions[i]);
    }
    for (int i = 0; i < region->n_results; i++) see(r, region->results[i]);
}

typedef struct {
    revolve *r;
    const ch__type *t;
} size_scan;
static void revolve_size(void *arg, const char *name) {
    size_scan *s = arg;
    if (ch__func_dim_param(s->r->l->s->func, name) == NULL)
        ch__raise(CH__E_not_differentiable,
                  "gradient of a loop: policy revolve passes values on to a func, and the size %s of %s is known only "
                  "inside — use store, recompute or sqrt",
                  name, ch__type_text(s->r->l->s->scratch, s->t));
}

static void revolve_type(revolve *r, const ch__type *t) {
    size_scan s = {r, t};
    for (int i = 0; i < t->rank; i++) ch__dim_symbols(t->dims[i], revolve_size, &s);
}

static bool binds(const ch__type *t, const char *name) {
    const char *lone;
    for (int i = 0; i < t->rank; i++)
        if (ch__dim_is_symbol(t->dims[i], &lone) && strcmp(lone, name) == 0) return true;
    return false;
}

// A size symbol has to be found in some argument: a param of the outer func that has it is passed for that.
static void pass_sizes(revolve *r) {
    const ch_func *f = r->l->s->func;
    for (int64_t d = 0; d < f->dims.n; d++) {
        bool found = false;
        for (int64_t i = 0; i < r->outside.n && !found; i++)
            found = binds(r->outside.data[i]->type, f->dims.data[d].name);
        for (int i = 0; i < f->body->n_params && !found; i++)
            if (binds(f->body->params[i]->type, f->dims.data[d].name)) {
                see(r, f->body->params[i]);
                found = true;
            }
    }
}

// ---------------------------------------------------------------- the func
static void write_head(revolve *r) {
    ch__loop *l = r->l;
    ch_func *f = l->s->func;
    ch__arena *a = f->module->arena, *scratch = l->s->scratch;
    const char *name = ch__arena_printf(a, "%s_revolve", f->name);
    r->to = ch__func_create(f->module, ch__module_fresh_name(f->module, name));
    for (int64_t i = 0; i < f->dims.n; i++)
        ch__func_add_dim(r->to, f->dims.data[i].name, f->dims.data[i].lo, f->dims.data[i].hi);
    for (int64_t i = 0; i < f->requires_.n; i++) CH_PUSH(a, &r->to->requires_, f->requires_.data[i]);
    r->base = ch__func_add_param(r->to, "base", ch__type_scalar(CH_I64));
    r->m = ch__func_add_param(r->to, "m", ch__type_scalar(CH_I64));
    r->places = ch__func_add_param(r->to, "places", ch__type_scalar(CH_I64));
    r->state = CH_NEW_ARRAY(scratch, ch__value *, r->n);
    r->bars = CH_NEW_ARRAY(scratch, ch__value *, r->n_bars);
    r->given = CH_NEW_ARRAY(scratch, ch__value *, r->outside.n);
    for (int i = 0; i < r->n; i++) {
        revolve_type(r, l->state[i]->type);
        r->state[i] = ch__func_add_param(r->to, ch__arena_printf(a, "state%d", i), l->state[i]->type);
    }
    for (int i = 0; i < r->n_bars; i++) {
        revolve_type(r, l->region->params[1 + i]->type);
        r->bars[i] = ch__func_add_param(r->to, ch__arena_printf(a, "bar%d", i), l->region->params[1 + i]->type);
    }
    for (int64_t i = 0; i < r->outside.n; i++) {
        ch__value *v = r->outside.data[i];
        revolve_type(r, v->type);
        r->given[i] = ch__func_add_param(r->to, ch__arena_printf(a, "x%d", (int)i), v->type);
        r->map.to[v->id] = r->given[i];
    }
}

static ch__op *call_itself(const revolve *r, ch__builder *b, ch__value *base, ch__value *m, ch__value *places,
                           ch__value *const *state, ch__value *const *bars, ch__value *const *given) {
    int n = 0, total = 3 + r->n + r->n_bars + (int)r->outside.n;
    ch__value **xs = CH_NEW_ARRAY(r->l->s->scratch, ch__value *, total);
    const ch__type **types = CH_NEW_ARRAY(r->l->s->scratch, const ch__type *, r->n_bars);
    xs[n++] = base;
    xs[n++] = m;
    xs[n++] = places;
    for (int i = 0; i < r->n; i++) xs[n++] = state[i];
    for (int i = 0; i < r->n_bars; i++) xs[n++] = bars[i];
    for (int64_t i = 0; i < r->outside.n; i++) xs[n++] = given[i];
    for (int i = 0; i < r->n_bars; i++) types[i] = r->bars[i]->type;
    ch__attr callee = ch__attr_func(CH__ATTR_callee, r->to);
    return ch__build_raw(b, CH_OP_call, n, xs, 1, &callee, r->n_bars, types, 0, NULL);
}

static ch__builder open_region(const revolve *r) {
    ch__builder b = ch__builder_at_end(ch__region_create(r->to, NULL));
    b.loc = r->l->op->loc;
    return b;
}

static void yield_results(const revolve *r, ch__region *region, ch__op *op) {
    ch__value **vs = CH_NEW_ARRAY(r->l->s->scratch, ch__value *, r->n_bars);
    for (int i = 0; i < r->n_bars; i++) vs[i] = &op->results[i];
    ch__region_set_results(region, r->n_bars, vs);
}

// m == 1: the reverse body.
static ch__region *write_one(revolve *r) {
    ch__loop *l = r->l;
    ch__builder b = open_region(r);
    ch__region *body = l->region;
    ch__value **results = CH_NEW_ARRAY(l->s->scratch, ch__value *, r->n_bars);
    r->map.to[body->params[0]->id] = ch__loop_counter(l, &b, r->base, &r->map);
    for (int i = 0; i < r->n; i++) r->map.to[l->state[i]->id] = r->state[i];
    for (int i = 0; i < r->n_bars; i++) r->map.to[body->params[1 + i]->id] = r->bars[i];
    ch__clone_region_ops(&b, body, &r->map, NULL, NULL);
    for (int i = 0; i < r->n_bars; i++) results[i] = r->map.to[body->results[i]->id];
    ch__region_set_results(b.region, r->n_bars, results);
    return b.region;
}

// Hardly a place left: every start state from the first.
static ch__region *write_each(revolve *r) {
    ch__builder b = open_region(r), in = open_region(r);
    ch__value **xs = CH_NEW_ARRAY(r->l->s->scratch, ch__value *, 3 + r->n_bars);
    const ch__type **types = CH_NEW_ARRAY(r->l->s->scratch, const ch__type *, r->n_bars);
    ch__value *t = ch__region_add_param(in.region, NULL, ch__type_scalar(CH_I64));
    ch__loop_count_down(&b, r->m, xs);
    for (int i = 0; i < r->n_bars; i++) {
        xs[3 + i] = r->bars[i];
        types[i] = r->bars[i]->type;
        ch__region_add_param(in.region, NULL, types[i]);
    }
    ch__op *run = ch__loop_advance(r->l, &in, r->base, t, r->state, NULL, &r->map);
    ch__value **state = CH_NEW_ARRAY(r->l->s->scratch, ch__value *, r->n);
    for (int i = 0; i < r->n; i++) state[i] = &run->results[i];
    ch__value *at = ch__loop_int(&in, CH_OP_add, r->base, t), *one = ch__loop_const(&in, 1);
    yield_results(r, in.region, call_itself(r, &in, at, one, one, state, in.region->params + 1, r->given));
    yield_results(r, b.region,
                  ch__build_raw(&b, CH_OP_for, 3 + r->n_bars, xs, 0, NULL, r->n_bars, types, 1, &in.region));
    return b.region;
}

// C(s+t-1, s) for the least t with C(s+t, s) >= m, and at most m - 1.
static ch__value *write_middle(revolve *r, ch__builder *b) {
    ch__builder cond = open_region(r), body = open_region(r);
    const ch__type *i64 = ch__type_scalar(CH_I64), *types[3] = {i64, i64, i64};
    ch__value *one = ch__loop_const(b, 1), *inits[3] = {ch__loop_const(b, 0), one, one};
    for (int i = 0; i < 3; i++) {
        ch__region_add_param(cond.region, NULL, i64);
        ch__region_add_param(body.region, NULL, i64);
    }
    ch__value *go = ch__b_compare(&cond, CH__LT, cond.region->params[1], r->m);
    ch__region_set_results(cond.region, 1, &go);
    ch__value *t = ch__loop_int(&body, CH_OP_add, body.region->params[0], one), *now = body.region->params[1];
    ch__value *times = ch__loop_int(&body, CH_OP_mul, now, ch__loop_int(&body, CH_OP_add, r->places, t));
    ch__value *next[3] = {t, ch__loop_int(&body, CH_OP_div, times, t), now};
    ch__region_set_results(body.region, 3, next);
    ch__region *regions[2] = {cond.region, body.region};
    ch__op *op = ch__build_raw(b, CH_OP_while, 3, inits, 0, NULL, 3, types, 2, regions);
    return ch__loop_int(b, CH_OP_min, &op->results[2], ch__loop_int(b, CH_OP_sub, r->m, one));
}

static ch__region *write_halves(revolve *r) {
    ch__builder b = open_region(r);
    ch__value *mid = write_middle(r, &b);
    ch__op *run = ch__loop_advance(r->l, &b, r->base, mid, r->state, NULL, &r->map);
    ch__value **state = CH_NEW_ARRAY(r->l->s->scratch, ch__value *, r->n);
    ch__value **bars = CH_NEW_ARRAY(r->l->s->scratch, ch__value *, r->n_bars);
    for (int i = 0; i < r->n; i++) state[i] = &run->results[i];
    ch__value *at = ch__loop_int(&b, CH_OP_add, r->base, mid), *rest = ch__loop_int(&b, CH_OP_sub, r->m, mid);
    ch__value *fewer = ch__loop_int(&b, CH_OP_sub, r->places, ch__loop_const(&b, 1));
    ch__op *right = call_itself(r, &b, at, rest, fewer, state, r->bars, r->given);
    for (int i = 0; i < r->n_bars; i++) bars[i] = &right->results[i];
    yield_results(r, b.region, call_itself(r, &b, r->base, mid, r->places, r->state, bars, r->given));
    return b.region;
}

// if value <= limit { yes } else { no }
static ch__op *write_if(revolve *r, ch__builder *b, ch__value *value, int64_t limit, ch__region *yes, ch__region *no) {
    const ch__type **types = CH_NEW_ARRAY(r->l->s->scratch, const ch__type *, r->n_bars);
    for (int i = 0; i < r->n_bars; i++) types[i] = r->bars[i]->type;
    ch__value *pred = ch__b_compare(b, CH__LE, value, ch__loop_const(b, limit));
    ch__region *regions[2] = {yes, no};
    return ch__build_raw(b, CH_OP_if, 1, &pred, 0, NULL, r->n_bars, types, 2, regions);
}

static void write_func(revolve *r) {
    ch__builder b = ch__builder_at_end(r->to->body), more = open_region(r), some = open_region(r),
                none = open_region(r);
    b.loc = r->l->op->loc;
    ch__region *one = write_one(r), *each = write_each(r), *halves = write_halves(r);
    yield_results(r, more.region, write_if(r, &more, r->places, 1, each, halves));
    yield_results(r, some.region, write_if(r, &some, r->m, 1, one, more.region));
    ch__region_set_results(none.region, r->n_bars, r->bars);
    ch__op *op = write_if(r, &b, r->m, 0, none.region, some.region);
    ch__value **results = CH_NEW_ARRAY(r->l->s->scratch, ch__value *, r->n_bars);
    for (int i = 0; i < r->n_bars; i++) results[i] = &op->results[i];
    ch__func_set_results(r->to, r->n_bars, results, NULL);
}

ch__op *ch__loop_revolve(ch__loop *l) {
    ch__sweep *s = l->s;
    const char *policy = ch__op_attr(l->op, CH__ATTR_policy)->s;
    const char *digits = policy + strcspn(policy, "0123456789"), *end = policy + strlen(policy);
    int64_t places = 1;
    bool overflow = false;
    ch__parse_i64(digits, end, &places, &overflow);
    if (places > 1000) places = 1000; // more than enough for any count: C(1000 + t, t)
    ch__value *n = ch__loop_trips_value(l);
    int32_t n_values = s->func->n_values;
    revolve r = {.l = l, .n = l->n, .n_bars = l->region->n_results};
    r.inside = CH_NEW_ARRAY(l->temp, uint8_t, n_values);
    r.listed = CH_NEW_ARRAY(l->temp, uint8_t, n_values);
    r.map = (ch__value_map){.to = CH_NEW_ARRAY(l->temp, ch__value *, n_values), .n = n_values};
    const ch__region *body = l->op->regions[l->op->n_regions - 1];
    mark_inside(&r, body);
    mark_inside(&r, l->region);
    for (int i = 0; i < l->n; i++) r.inside[l->state[i]->id] = 1;
    find_outside(&r, body);
    find_outside(&r, l->region);
    if (l->counted) {
        see(&r, l->op->operands[0]);
        see(&r, l->op->operands[2]);
    }
    pass_sizes(&r);
    write_head(&r);
    ch__value **bars = CH_NEW_ARRAY(s->scratch, ch__value *, r.n_bars);
    ch__loop_inits(l, bars);
    ch__op *call = call_itself(&r, &s->b, ch__loop_const(&s->b, 0), n, ch__loop_const(&s->b, places),
                               l->op->operands + l->inits, bars, r.outside.data);
    write_func(&r);
    return call;
}
