// SPDX-License-Identifier: Apache-2.0
// gen_more.c - what only derivatives need to be tried with: arrays that loops in loops change in place, funcs that call
// themselves, tapes of which all that is pushed is popped.
//
// All are differentiable: what goes round passes through tanh, so that its interval is known before it is made.
#include "gen/gen_internal.h"

#include <math.h>

static gen_val pick_or(gen *g, const ch__type *t, double c) {
    gen_val *have = gen_pick_type(g, t);
    return have ? *have : (gen_val){gen_splat(g, t, c), c, c};
}

static ch__value *small_count(gen *g, int most) {
    // The size of something, what an index says, or a number.
    const ch__type *i64 = ch__type_scalar(CH_I64);
    gen_val *have = gen_one_in(g, 2) ? gen_pick_type(g, i64) : NULL;
    if (!have) return gen_i64(g, gen_int(g, most + 1));
    ch__value *v[3] = {gen_i64(g, 0), have->v, gen_i64(g, most)};
    return gen_op(g, CH_OP_clamp, 3, v, 0, NULL, NULL)->results;
}

static ch__value *tanh_of(gen *g, gen_val x) {
    ch__value *v = gen_scaled(g, x, 3).v;
    return gen_op(g, CH_OP_tanh, 1, &v, 0, NULL, NULL)->results;
}

// ---------------------------------------------------------------- arrays in place

static ch__value *element(gen *g, ch__value *array, ch__value *put) {
    ch__value *v[2 + CH__MAX_RANK] = {array, put};
    int first = put ? 2 : 1, rank = array->type->rank;
    for (int i = 0; i < rank; i++) v[first + i] = pick_or(g, ch__type_scalar(CH_I64), 0).v;
    ch__attr a = ch__attr_int(CH__ATTR_bounds, CH__CLAMP);
    return gen_op(g, put ? CH_OP_set : CH_OP_get, first + rank, v, 1, &a, NULL)->results;
}

// A number from the elements that an inner loop reads: s = tanh(s * a[..] + ..), a few times.
static ch__value *read_by_loop(gen *g, ch__value *array, double most) {
    const ch__type *f64 = ch__type_scalar(gen_float(g));
    ch__value *v[4] = {gen_i64(g, 0), small_count(g, 4), gen_i64(g, 1), element(g, array, NULL)};
    ch__region *r = ch__region_create(g->f, NULL);
    gen_inside s = gen_enter(g, r);
    gen_add_any(g, ch__region_add_param(r, NULL, ch__type_scalar(CH_I64)));
    ch__value *sum = ch__region_add_param(r, NULL, f64);
    gen_val x = {ch__b_mul(&g->b, sum, element(g, array, NULL)), -most * most, most * most};
    ch__value *next = tanh_of(g, (gen_val){ch__b_add(&g->b, x.v, element(g, array, NULL)), x.lo - most, x.hi + most});
    g->budget -= 2;
    ch__region_set_results(r, 1, &next);
    gen_leave(g, s);
    return ch__build(&g->b, CH_OP_for, 4, v, 0, NULL, 0, NULL, 1, &r)->results;
}

// One or two elements put, maybe in one branch only.
static ch__value *change(gen *g, ch__value *array, double most, int depth) {
    if (depth < 2 && gen_one_in(g, 4)) {
        ch__value *pred =
            ch__b_compare(&g->b, (ch__dir)gen_int(g, 6), pick_or(g, ch__type_scalar(CH_I64), 1).v, gen_i64(g, 1));
        ch__region *r[2];
        for (int k = 0; k < 2; k++) {
            r[k] = ch__region_create(g->f, NULL);
            gen_inside s = gen_enter(g, r[k]);
            ch__value *out = k == 1 && gen_one_in(g, 2) ? array : change(g, array, most, depth + 1);
            ch__region_set_results(r[k], 1, &out);
            gen_leave(g, s);
        }
        return ch__build(&g->b, CH_OP_if, 1, &pred, 0, NULL, 0, NULL, 2, r)->results;
    }
    ch__value *u = element(g, array, NULL), *w = read_by_loop(g, array, most);
    ch__value *x = tanh_of(g, (gen_val){ch__b_mul(&g->b, u, w), -most, most});
    g->budget--;
    array = element(g, array, x);
    return gen_one_in(g, 3) ? element(g, array, pick_or(g, ch__type_scalar(gen_float(g)), 1).v) : array;
}

static ch__value *change_by_loops(gen *g, ch__value *array, double most, int depth) {
    bool counted = !gen_one_in(g, 4);
    const ch__type *i64 = ch__type_scalar(CH_I64);
    ch__value *limit = small_count(g, 4), *zero = gen_i64(g, 0);
    ch__value *v[4] = {zero, counted ? limit : array, counted ? gen_i64(g, 1 + gen_int(g, 2)) : NULL, array};
    ch__region *r[2], *body;
    for (int k = counted ? 1 : 0; k < 2; k++) {
        r[k] = ch__region_create(g->f, NULL);
        gen_inside s = gen_enter(g, r[k]);
        ch__value *i = ch__region_add_param(r[k], NULL, i64), *a = ch__region_add_param(r[k], NULL, array->type),
                  *out[2];
        if (k == 0) {
            out[0] = ch__b_compare(&g->b, CH__LT, i, limit);
            ch__region_set_results(r[k], 1, out);
        } else {
            gen_add_any(g, i);
            gen_add(g, a, -most, most);
            if (gen_one_in(g, 3)) gen_body(g, 1);
            out[1] = depth < 2 && !gen_one_in(g, 3) ? change_by_loops(g, a, most, depth + 1) : change(g, a, most, 0);
            if (depth < 2 && gen_one_in(g, 4)) out[1] = change(g, out[1], most, 0);
            out[0] = ch__b_add(&g->b, i, gen_i64(g, 1));
            ch__region_set_results(r[k], counted ? 1 : 2, counted ? out + 1 : out);
        }
        gen_leave(g, s);
    }
    body = r[1];
    g->budget -= 2;
    if (counted) return ch__build(&g->b, CH_OP_for, 4, v, 0, NULL, 0, NULL, 1, &body)->results;
    return &ch__build(&g->b, CH_OP_while, 2, v, 0, NULL, 0, NULL, 2, r)->results[1];
}

static bool is_array(const gen *g, const gen_val *v, const void *arg) {
    const ch__type *t = v->v->type;
    if (!gen_is_value(g, v, arg) || t->rank == 0 || t->rank > 3) return false;
    for (int i = 0; i < t->rank; i++)
        if (gen_least(g, t->dims[i]) < 1) return false;
    return true;
}

bool gen_in_place(gen *g) {
    gen_val *picked = gen_pick(g, is_array, NULL);
    if (!picked) return false;
    gen_val x = gen_scaled(g, *picked, 3);
    double most = fmax(1, fmax(fabs(x.lo), fabs(x.hi)));
    for (int64_t i = 0; i < g->pool.n; i++) { // what may be put
        const gen_val *v = &g->pool.data[i];
        if (v->v->type->rank == 0 && v->v->type->dtype == gen_float(g) && fmax(fabs(v->lo), fabs(v->hi)) > most)
            most = fmax(fabs(v->lo), fabs(v->hi));
    }
    if (!(most < 1e3)) return false;
    gen_add(g, change_by_loops(g, x.v, most, 0), -most, most);
    return true;
}

// ---------------------------------------------------------------- recursion

// r(n, x) = n <= 0 ? base(x) : tanh(r(n - 1, step(x)) * y), with y of x's type.
bool gen_recursive(gen *g) {
    gen_val *picked = gen_pick(g, gen_is_value, NULL);
    if (!picked || picked->v->type->rank > 3) return false;
    gen_val x = *picked;
    ch__value *n = small_count(g, 3);
    char name[16];
    snprintf(name, sizeof name, "r%d", ++g->calls);
    const ch__type *t = gen_callee_type(g, x.v->type);
    gen saved = *g;
    ch_func *r = ch__func_create(g->f->module, name);
    g->f = r;
    g->b = ch__builder_at_end(r->body);
    g->pool.data = NULL;
    g->pool.n = g->pool.cap = 0;
    g->in_call = true;
    g->depth = 1;
    ch__value *pn = ch__func_add_param(r, "n", ch__type_scalar(CH_I64)), *px = ch__func_add_param(r, "x", t);
    double lo = fmin(-1, x.lo), hi = fmax(1, x.hi);
    gen_add(g, px, lo, hi);
    ch__value *results[2] = {px, px}, *zero = gen_i64(g, 0);
    ch__func_set_results(r, 1, results, NULL); // so that the call inside has a type
    ch__value *pred = ch__b_compare(&g->b, CH__LE, pn, zero);
    ch__region *sides[2];
    for (int k = 0; k < 2; k++) {
        sides[k] = ch__region_create(r, NULL);
        gen_inside s = gen_enter(g, sides[k]);
        gen_body(g, 1 + gen_int(g, 3));
        ch__value *y = tanh_of(g, *gen_pick_type(g, t));
        if (k == 1) {
            ch__value *args[2] = {ch__b_sub(&g->b, pn, gen_i64(g, 1)), y};
            ch__attr a = ch__attr_func(CH__ATTR_callee, r);
            ch__value *deeper = gen_op(g, CH_OP_call, 2, args, 1, &a, NULL)->results;
            gen_val with = *gen_pick_type(g, t);
            double most = fmax(fabs(with.lo), fabs(with.hi));
            y = tanh_of(g, (gen_val){ch__b_mul(&g->b, deeper, with.v), -most, most});
            g->budget--;
        }
        ch__region_set_results(sides[k], 1, &y);
        gen_leave(g, s);
    }
    results[0] = ch__build(&g->b, CH_OP_if, 1, &pred, 0, NULL, 0, NULL, 2, sides)->results;
    ch__func_set_results(r, 1, results, NULL);
    uint64_t state = g->state;
    int budget = g->budget, calls = g->calls;
    *g = saved;
    g->state = state;
    g->budget = budget;
    g->calls = calls;
    ch__attr a = ch__attr_func(CH__ATTR_callee, r);
    ch__value *v[2] = {n, x.v};
    gen_add(g, gen_op(g, CH_OP_call, 2, v, 1, &a, NULL)->results, -1, 1);
    return true;
}

// ---------------------------------------------------------------- tapes

static ch__value *push(gen *g, ch__value *tape, ch__value *x) {
    ch__value *v[2] = {tape, x};
    return gen_op(g, CH_OP_push, 2, v, 0, NULL, NULL)->results;
}

static ch__value *new_tape(gen *g, const ch__type *t) {
    const ch__type *tape = ch__type_tape(g->arena, t);
    return gen_op(g, CH_OP_tape_new, 0, NULL, 0, NULL, tape)->results;
}

// A few pushed and popped where the builder stands.
static void flat_tape(gen *g, gen_val x) {
    gen_val all[3] = {x};
    int n = 1 + gen_int(g, 3);
    ch__value *tape = new_tape(g, x.v->type);
    for (int i = 0; i < n; i++) {
        if (i > 0) all[i] = *gen_pick_type(g, x.v->type);
        tape = push(g, tape, all[i].v);
    }
    for (int i = n - 1; i >= 0; i--) {
        ch__op *op = gen_op(g, CH_OP_pop, 1, &tape, 0, NULL, NULL);
        tape = &op->results[0];
        gen_add(g, &op->results[1], all[i].lo, all[i].hi);
    }
}

// One loop that pushes what goes round, one that takes it off again.
static void looped_tape(gen *g, gen_val x) {
    const ch__type *t = x.v->type;
    ch__value *count = small_count(g, 4), *zero = gen_i64(g, 0), *one = gen_i64(g, 1);
    double lo = fmin(-1, x.lo), hi = fmax(1, x.hi);
    ch__value *v[5] = {zero, count, one, x.v, new_tape(g, t)};
    ch__op *op = NULL;
    for (int k = 0; k < 2; k++) {
        ch__region *r = ch__region_create(g->f, NULL);
        gen_inside s = gen_enter(g, r);
        gen_add_any(g, ch__region_add_param(r, NULL, ch__type_scalar(CH_I64)));
        ch__value *round = ch__region_add_param(r, NULL, t), *tape = ch__region_add_param(r, NULL, v[4]->type), *out[2];
        gen_add(g, round, lo, hi);
        if (k == 0) {
            out[1] = push(g, tape, round);
        } else {
            ch__op *pop = gen_op(g, CH_OP_pop, 1, &tape, 0, NULL, NULL);
            out[1] = &pop->results[0];
            gen_add(g, &pop->results[1], lo, hi);
        }
        gen_body(g, 1 + gen_int(g, 3));
        out[0] = tanh_of(g, *gen_pick_type(g, t));
        ch__region_set_results(r, 2, out);
        gen_leave(g, s);
        op = ch__build(&g->b, CH_OP_for, 5, v, 0, NULL, 0, NULL, 1, &r);
        g->budget--;
        v[3] = &op->results[0];
        v[4] = &op->results[1];
    }
    gen_add(g, &op->results[0], lo, hi);
}

bool gen_popped(gen *g) {
    gen_val *x = gen_pick(g, gen_is_value, NULL);
    if (!x || g->depth > 1) return false;
    if (g->depth == 0 && gen_one_in(g, 2))
        looped_tape(g, *x);
    else
        flat_tape(g, *x);
    return true;
}
