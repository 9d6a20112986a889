// SPDX-License-Identifier: Apache-2.0
// gen_control.c - regions (if, for, while), element access, calls and composites, tapes.
//
// Inside a region the pool holds the values outside too; leaving it, those made inside are forgotten. The values that
// go round a differentiable loop pass through tanh at the end of its body: their interval is known before it is made.
#include "gen/gen_internal.h"

#include <math.h>
#include <string.h>

gen_inside gen_enter(gen *g, ch__region *r) {
    gen_inside s = {g->b, g->pool.n};
    g->b = ch__builder_at_end(r);
    g->depth++;
    return s;
}

void gen_leave(gen *g, gen_inside s) {
    g->b = s.b;
    g->pool.n = s.pool;
    g->depth--;
}

bool gen_is_value(const gen *g, const gen_val *v, const void *arg) {
    const ch__type *t = v->v->type;
    (void)arg;
    if (t->tape || ch__dtype_class(t->dtype) == 's') return false;
    if (g->o->differentiable && t->dtype != gen_float(g)) return false;
    return gen_fits(g, t->rank, t->dims);
}

static ch__op *region_op(gen *g, ch__opcode code, int n, ch__value *const *v, int n_attrs, const ch__attr *attrs,
                         int n_regions, ch__region *const *regions) {
    g->budget--;
    return ch__build(&g->b, code, n, v, n_attrs, attrs, 0, NULL, n_regions, regions);
}

// ---------------------------------------------------------------- if

static ch__value *a_predicate(gen *g) {
    gen_val *p = gen_pick_type(g, ch__type_scalar(CH_BOOL));
    if (p && !gen_one_in(g, 3)) return p->v;
    g->budget -= 2;
    return ch__b_compare(&g->b, (ch__dir)gen_int(g, 6), ch__b_dim(&g->b, gen_dim(g)), gen_i64(g, 2));
}

bool gen_branch(gen *g) {
    gen_val *like[2] = {NULL, NULL};
    int n = 1 + gen_int(g, 2);
    for (int i = 0; i < n; i++)
        if (!(like[i] = gen_pick(g, gen_is_value, NULL))) return false;
    const ch__type *types[2] = {like[0]->v->type, n > 1 ? like[1]->v->type : NULL};
    ch__value *pred = a_predicate(g);
    ch__region *regions[2];
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 2; k++) {
        regions[k] = ch__region_create(g->f, NULL);
        gen_inside s = gen_enter(g, regions[k]);
        gen_body(g, 1 + gen_int(g, 4));
        ch__value *out[2];
        for (int i = 0; i < n; i++) {
            gen_val *v = gen_pick_type(g, types[i]);
            out[i] = v->v;
            lo[i] = fmin(lo[i], v->lo);
            hi[i] = fmax(hi[i], v->hi);
        }
        ch__region_set_results(regions[k], n, out);
        gen_leave(g, s);
    }
    ch__op *op = region_op(g, CH_OP_if, 1, &pred, 0, NULL, 2, regions);
    for (int i = 0; i < n; i++) gen_add(g, &op->results[i], lo[i], hi[i]);
    return true;
}

// ---------------------------------------------------------------- loops

// The next value of one that goes round, of the same type.
static ch__value *next_value(gen *g, const ch__type *t) {
    gen_val *v = gen_pick_type(g, t);
    if (!g->o->differentiable) return v->v;
    ch__value *x = gen_scaled(g, *v, 3).v;
    return gen_op(g, CH_OP_tanh, 1, &x, 0, NULL, NULL)->results;
}

static int loop_attrs(gen *g, ch__attr *a) {
    static const char *const policies[] = {"store", "recompute", "sqrt", "revolve(3)"};
    if (!gen_one_in(g, 4)) return 0;
    *a = ch__attr_str(CH__ATTR_policy, policies[gen_int(g, 4)]);
    return 1;
}

static bool make_for(gen *g, int n, const gen_val *like) {
    bool down = gen_one_in(g, 4);
    ch__value *count = gen_one_in(g, 3) ? ch__b_dim(&g->b, gen_dim(g)) : gen_i64(g, gen_int(g, 5)),
              *zero = gen_i64(g, 0);
    ch__value *v[5] = {down ? count : zero, down ? zero : count, gen_i64(g, down ? -1 : 1 + gen_int(g, 2))};
    ch__region *r = ch__region_create(g->f, NULL);
    gen_inside s = gen_enter(g, r);
    gen_add_any(g, ch__region_add_param(r, "i", ch__type_scalar(CH_I64)));
    for (int i = 0; i < n; i++) {
        v[3 + i] = like[i].v;
        gen_add(g, ch__region_add_param(r, NULL, like[i].v->type), fmin(-1, like[i].lo), fmax(1, like[i].hi));
    }
    gen_body(g, 2 + gen_int(g, 4));
    ch__value *out[2];
    for (int i = 0; i < n; i++) out[i] = next_value(g, like[i].v->type);
    ch__region_set_results(r, n, out);
    gen_leave(g, s);
    ch__attr a;
    int na = loop_attrs(g, &a);
    ch__op *op = region_op(g, CH_OP_for, 3 + n, v, na, &a, 1, &r);
    for (int i = 0; i < n; i++) gen_add(g, &op->results[i], fmin(-1, like[i].lo), fmax(1, like[i].hi));
    return true;
}

// Goes round a counted number of times: the count is the first of the values carried.
static bool make_while(gen *g, int n, const gen_val *like) {
    const ch__type *i64 = ch__type_scalar(CH_I64);
    ch__value *v[3] = {gen_i64(g, 0), like[0].v, n > 1 ? like[1].v : NULL}, *limit = gen_i64(g, gen_int(g, 4));
    ch__region *r[2];
    for (int k = 0; k < 2; k++) {
        r[k] = ch__region_create(g->f, NULL);
        gen_inside s = gen_enter(g, r[k]);
        ch__value *i = ch__region_add_param(r[k], k ? NULL : "count", i64), *out[3];
        for (int c = 0; c < n; c++)
            gen_add(g, ch__region_add_param(r[k], NULL, like[c].v->type), fmin(-1, like[c].lo), fmax(1, like[c].hi));
        if (k == 0) {
            out[0] = ch__b_compare(&g->b, CH__LT, i, limit);
        } else {
            gen_body(g, 1 + gen_int(g, 3));
            out[0] = ch__b_add(&g->b, i, gen_i64(g, 1));
            for (int c = 0; c < n; c++) out[1 + c] = next_value(g, like[c].v->type);
        }
        ch__region_set_results(r[k], k ? 1 + n : 1, out);
        gen_leave(g, s);
    }
    ch__op *op = region_op(g, CH_OP_while, 1 + n, v, 0, NULL, 2, r);
    gen_add_any(g, &op->results[0]);
    for (int i = 0; i < n; i++) gen_add(g, &op->results[1 + i], fmin(-1, like[i].lo), fmax(1, like[i].hi));
    return true;
}

bool gen_loop(gen *g) {
    gen_val like[2];
    int n = 1 + gen_int(g, 2);
    for (int i = 0; i < n; i++) {
        gen_val *v = gen_pick(g, gen_is_value, NULL);
        if (!v) return false;
        like[i] = *v;
    }
    return gen_one_in(g, 3) ? make_while(g, n, like) : make_for(g, n, like);
}

// get and set, clamped so that every index is fine; arrays that may be empty have no element.
bool gen_element(gen *g) {
    gen_val *px = gen_pick(g, gen_is_value, NULL);
    if (!px) return false;
    gen_val x = *px;
    const ch__type *t = x.v->type;
    for (int i = 0; i < t->rank; i++)
        if (gen_least(g, t->dims[i]) < 1) return false;
    ch__value *v[2 + CH__MAX_RANK] = {x.v};
    bool set = gen_one_in(g, 2);
    int first = set ? 2 : 1;
    gen_val value = {0};
    if (set) {
        gen_val *have = gen_pick_type(g, ch__type_scalar(t->dtype));
        value = have ? *have : (gen_val){gen_splat(g, ch__type_scalar(t->dtype), 1), 1, 1};
        v[1] = value.v;
    }
    for (int i = 0; i < t->rank; i++) {
        gen_val *index = gen_pick_type(g, ch__type_scalar(CH_I64));
        v[first + i] = index ? index->v : gen_i64(g, 0);
    }
    ch__attr a = ch__attr_int(CH__ATTR_bounds, CH__CLAMP);
    ch__value *r = gen_op(g, set ? CH_OP_set : CH_OP_get, first + t->rank, v, 1, &a, NULL)->results;
    gen_add(g, r, set ? fmin(x.lo, value.lo) : x.lo, set ? fmax(x.hi, value.hi) : x.hi);
    return true;
}

// ---------------------------------------------------------------- calls and composites

static int pick_args(gen *g, gen_val *args) {
    int n = 0;
    for (int want = 1 + gen_int(g, 3); n < want; n++) {
        gen_val *v = gen_pick(g, gen_is_value, NULL);
        if (!v) return n;
        args[n] = *v;
    }
    return n;
}

static bool make_composite(gen *g, int n, const gen_val *args) {
    ch__value *v[3];
    ch__region *r = ch__region_create(g->f, NULL);
    gen_inside s = gen_enter(g, r);
    int64_t outside = g->pool.n;
    for (int i = 0; i < n; i++) {
        v[i] = args[i].v;
        gen_add(g, ch__region_add_param(r, NULL, v[i]->type), args[i].lo, args[i].hi);
    }
    // A body sees its params alone, so that it could stand elsewhere.
    gen_val *all = g->pool.data;
    int64_t n_all = g->pool.n, cap = g->pool.cap;
    g->pool.data = NULL;
    g->pool.n = g->pool.cap = 0;
    for (int64_t i = outside; i < n_all; i++) gen_add(g, all[i].v, all[i].lo, all[i].hi);
    gen_body(g, 1 + gen_int(g, 4));
    gen_val out = *gen_pick(g, gen_is_value, NULL);
    g->pool.data = all;
    g->pool.n = n_all;
    g->pool.cap = cap;
    ch__region_set_results(r, 1, &out.v);
    gen_leave(g, s);
    ch__attr a[4] = {ch__attr_str(CH__ATTR_name, gen_one_in(g, 2) ? "blob" : "twice \"over\""),
                     ch__attr_int(CH__ATTR_version, 2), ch__attr_str(CH__ATTR_args, "axis = 1"),
                     ch__attr_int(CH__ATTR_remat, 1)};
    ch__op *op = region_op(g, CH_OP_composite, n, v, 1 + gen_int(g, 4), a, 1, &r);
    gen_add(g, op->results, out.lo, out.hi);
    return true;
}

// w sin x with the rules that it has, so that they agree with differences: x_bar = w cos x y_bar, w_bar = sin x y_bar,
// y_dot = w cos x x_dot + sin x w_dot.
static ch__value *rule_params(gen *g, ch__region *r, const ch__type *t, int n) {
    for (int i = 0; i < n; i++) ch__region_add_param(r, NULL, t);
    g->b = ch__builder_at_end(r);
    return r->params[0];
}

static bool make_ruled(gen *g) {
    gen_val *pick = gen_pick(g, gen_is_value, NULL);
    if (!pick || !ch__is_float(pick->v->type->dtype)) return false;
    gen_val x = *pick, w = *gen_pick_type(g, x.v->type);
    const ch__type *t = x.v->type;
    ch__region *r[3];
    ch__builder outside = g->b;
    for (int k = 0; k < 3; k++) r[k] = ch__region_create(g->f, NULL);
    ch__value *a = rule_params(g, r[0], t, 2);
    ch__value *y = ch__b_mul(&g->b, r[0]->params[1], ch__b_unary(&g->b, CH_OP_sin, a));
    ch__region_set_results(r[0], 1, &y);
    a = rule_params(g, r[1], t, 4);
    ch__value *bar = r[1]->params[3], *bars[2];
    bars[0] = ch__b_mul(&g->b, ch__b_mul(&g->b, bar, ch__b_unary(&g->b, CH_OP_cos, a)), r[1]->params[1]);
    bars[1] = ch__b_mul(&g->b, bar, ch__b_unary(&g->b, CH_OP_sin, a));
    ch__region_set_results(r[1], 2, bars);
    a = rule_params(g, r[2], t, 4);
    ch__value *x_dot = ch__b_mul(&g->b, r[2]->params[2], ch__b_unary(&g->b, CH_OP_cos, a));
    ch__value *w_dot = ch__b_mul(&g->b, r[2]->params[3], ch__b_unary(&g->b, CH_OP_sin, a));
    ch__value *dot = ch__b_add(&g->b, ch__b_mul(&g->b, x_dot, r[2]->params[1]), w_dot);
    ch__region_set_results(r[2], 1, &dot);
    g->b = outside;
    // Both where derivatives are taken; else one may be missing.
    int kind = g->o->differentiable ? 0 : gen_int(g, 3);
    static const char *const words[] = {"vjp jvp", "vjp", "jvp"};
    ch__attr attrs[2] = {ch__attr_str(CH__ATTR_name, "ruled"), ch__attr_str(CH__ATTR_rules, words[kind])};
    if (kind == 2) r[1] = r[2];
    ch__value *v[2] = {x.v, w.v};
    ch__op *op = region_op(g, CH_OP_composite, 2, v, 2, attrs, kind == 0 ? 3 : 2, r);
    double most = fmax(fabs(w.lo), fabs(w.hi));
    gen_add(g, op->results, -most, most);
    return true;
}

// A param type with a symbol of the callee's own for every size that is not constant (equal ones share it).
static const ch__type *callee_type(gen *g, const ch__type *t, ch__dim *from, int *n_from) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    ch__dim dims[CH__MAX_RANK];
    for (int i = 0; i < t->rank; i++) {
        dims[i] = t->dims[i];
        if (ch__dim_is_const(dims[i])) continue;
        int k = 0;
        while (k < *n_from && !ch__dim_equal(from[k], dims[i])) k++;
        if (k == *n_from) from[(*n_from)++] = dims[i];
        dims[i] = ch__dim_symbol(g->arena, names[k]);
    }
    return gen_type(g, t->dtype, t->rank, dims);
}

const ch__type *gen_callee_type(gen *g, const ch__type *t) {
    ch__dim from[CH__MAX_RANK];
    int n_from = 0;
    return callee_type(g, t, from, &n_from);
}

static bool make_call(gen *g, int n, const gen_val *args) {
    char name[16];
    snprintf(name, sizeof name, "g%d", ++g->calls);
    gen saved = *g;
    ch_func *callee = ch__func_create(g->f->module, name);
    ch__value *v[3];
    ch__dim from[10];
    int n_from = 0, symbols = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < args[i].v->type->rank; k++) symbols += !ch__dim_is_const(args[i].v->type->dims[k]);
    if (symbols > 10) n = 1;
    g->f = callee;
    g->b = ch__builder_at_end(callee->body);
    g->pool.data = NULL;
    g->pool.n = g->pool.cap = 0;
    g->in_call = true;
    g->depth = 1;
    for (int i = 0; i < n; i++) {
        v[i] = args[i].v;
        snprintf(name, sizeof name, "p%d", i);
        gen_add(g, ch__func_add_param(callee, name, callee_type(g, v[i]->type, from, &n_from)), args[i].lo, args[i].hi);
    }
    gen_body(g, 1 + gen_int(g, 5));
    gen_val *pick = gen_pick(g, gen_is_value, NULL), out = pick ? *pick : g->pool.data[0];
    ch__func_set_results(callee, 1, &out.v, NULL);
    uint64_t state = g->state;
    int budget = g->budget, calls = g->calls;
    *g = saved;
    g->state = state;
    g->budget = budget;
    g->calls = calls;
    ch__attr a = ch__attr_func(CH__ATTR_callee, callee);
    ch__op *op = gen_op(g, CH_OP_call, n, v, 1, &a, NULL);
    if (gen_fits(g, op->results->type->rank, op->results->type->dims)) gen_add(g, op->results, out.lo, out.hi);
    return true;
}

bool gen_call(gen *g) {
    gen_val args[3];
    int n = pick_args(g, args);
    if (n == 0) return false;
    if (gen_one_in(g, 3) && make_ruled(g)) return true;
    return gen_one_in(g, 2) ? make_composite(g, n, args) : make_call(g, n, args);
}

// ---------------------------------------------------------------- tapes

bool gen_tape(gen *g) {
    gen_val *x = gen_pick(g, gen_is_value, NULL);
    if (!x) return false;
    ch__value *value = x->v;
    const ch__type *t = ch__type_tape(g->arena, value->type);
    ch__attr capacity = ch__attr_dim(CH__ATTR_capacity, ch__dim_const(4));
    ch__value *tape = gen_op(g, CH_OP_tape_new, 0, NULL, gen_int(g, 2), &capacity, t)->results;
    int n = 1 + gen_int(g, 2);
    for (int i = 0; i < n; i++) {
        gen_val *y = gen_pick_type(g, value->type);
        ch__value *v[2] = {tape, y->v};
        tape = gen_op(g, CH_OP_push, 2, v, 0, NULL, NULL)->results;
    }
    ch__op *op = gen_op(g, CH_OP_pop, 1, &tape, 0, NULL, NULL);
    gen_add_any(g, &op->results[1]);
    return true;
}
