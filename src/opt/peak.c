// SPDX-License-Identifier: Apache-2.0
// peak.c - how much memory the values of a func take at most while it runs op by op, as expressions of its sizes.
//
// Counted as the reference runs: parameters are there all the time; a value is there from its op to its last use; at an
// op both its operands and its results are; a loop holds its state, and while it runs what its body needs. In place,
// and what an engine fuses, needs less. Not counted: what tapes hold (ch_explain_kept says that), and recursive calls.
// Which of two polynomials is larger may depend on the sizes: those that no other always reaches are kept side by side.
#include "opt/opt.h"

#include <string.h>

typedef struct {
    ch__arena *arena;
    ch__dim *bytes; // by value id
    int32_t *last;  // by value id: the number of the op after which it is gone; regions' uses count for their op
    ch__peak *out;
} peaks;

static ch__dim peak_bytes(ch__arena *a, const ch__type *t) {
    if (t->tape) return ch__dim_const(0);
    return ch__dim_mul(a, ch__type_numel(a, t), ch__dim_const((int64_t)ch_dtype_size(t->dtype)));
}

// Whether x is y or more for all sizes of at least 1: in x - y nothing is negative but a constant that the rest, each
// symbol taken as 1, makes up for.
static bool peak_covers(peaks *p, ch__dim x, ch__dim y) {
    ch__dim_view v;
    ch__dim_view_of(ch__dim_sub(p->arena, x, y), &v);
    double sum = 0;
    for (int i = 0; i < v.n; i++) {
        if (v.terms[i].coef < 0 && v.terms[i].n_atoms > 0) return false;
        sum += (double)v.terms[i].coef;
    }
    return sum >= 0;
}

static void peak_offer(peaks *p, ch__dim bytes, const ch__op *op) {
    ch__peak *o = p->out;
    for (int i = 0; i < o->n; i++)
        if (peak_covers(p, o->bytes[i], bytes)) return;
    int n = 0;
    for (int i = 0; i < o->n; i++) {
        if (peak_covers(p, bytes, o->bytes[i])) continue;
        o->bytes[n] = o->bytes[i];
        o->at[n++] = o->at[i];
    }
    o->more = o->more || n == CH__PEAK_MOST;
    if (n < CH__PEAK_MOST) {
        o->bytes[n] = bytes;
        o->at[n++] = op;
    }
    o->n = n;
}

// ---- last uses: each region numbers its ops; a use inside of a nested region is one by the op that owns it
typedef struct {
    peaks *p;
    const ch__region *region; // whose values are looked for
    int32_t number;
} peak_uses;

static void peak_use(peak_uses *u, const ch__value *v) {
    const ch__region *r = v->op != NULL ? v->op->parent : v->region;
    if (r == u->region) u->p->last[v->id] = u->number;
}

static void peak_use_op(void *arg, ch__op *op) {
    for (int i = 0; i < op->n_operands; i++) peak_use(arg, op->operands[i]);
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_results; i++) peak_use(arg, op->regions[k]->results[i]);
}

static void peak_last_uses(peaks *p, const ch__region *r) {
    peak_uses u = {.p = p, .region = r};
    for (ch__op *op = r->first; op != NULL; op = op->next, u.number++) {
        for (int i = 0; i < op->n_results; i++) p->last[op->results[i].id] = u.number;
        peak_use_op(&u, op);
        for (int k = 0; k < op->n_regions; k++) ch__walk(op->regions[k], peak_use_op, &u);
    }
    u.number = INT32_MAX;
    for (int i = 0; i < r->n_results; i++) peak_use(&u, r->results[i]);
}

// What goes with the op of this number: values of its own region only, each once.
static ch__dim peak_gone(peaks *p, const ch__op *op, int32_t number) {
    ch__dim gone = ch__dim_const(0);
    for (int i = 0; i < op->n_operands; i++) {
        const ch__value *v = op->operands[i];
        const ch__region *r = v->op != NULL ? v->op->parent : v->region;
        if (r != op->parent || p->last[v->id] != number) continue;
        if (v->op == NULL && r->owner == NULL) continue; // a parameter of the func is the caller's
        p->last[v->id] = -1;
        gone = ch__dim_add(p->arena, gone, p->bytes[v->id]);
    }
    for (int i = 0; i < op->n_results; i++)
        if (p->last[op->results[i].id] == number) gone = ch__dim_add(p->arena, gone, p->bytes[op->results[i].id]);
    return gone;
}

// What is there while r runs, beside `live`, which holds everything outside. Recurses on the nesting of regions.
static void peak_region(peaks *p, const ch__region *r, ch__dim live) {
    ch__arena *a = p->arena;
    int32_t number = 0;
    peak_last_uses(p, r);
    for (int i = 0; i < r->n_params; i++) live = ch__dim_add(a, live, p->bytes[r->params[i]->id]);
    for (const ch__op *op = r->first; op != NULL; op = op->next, number++) {
        for (int k = 0; k < ch__run_regions(op); k++) peak_region(p, op->regions[k], live);
        for (int i = 0; i < op->n_results; i++) live = ch__dim_add(a, live, p->bytes[op->results[i].id]);
        peak_offer(p, live, op);
        live = ch__dim_sub(a, live, peak_gone(p, op, number));
    }
}

static void peak_size_value(peaks *p, const ch__value *v) { p->bytes[v->id] = peak_bytes(p->arena, v->type); }

static void peak_size_op(void *arg, ch__op *op) {
    for (int i = 0; i < op->n_results; i++) peak_size_value(arg, &op->results[i]);
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_params; i++) peak_size_value(arg, op->regions[k]->params[i]);
}

ch__peak ch__peak_of(ch__arena *a, const ch_func *f) {
    ch__peak out = {0};
    peaks p = {.arena = a, .out = &out};
    p.bytes = CH_NEW_ARRAY(a, ch__dim, f->n_values + 1);
    p.last = CH_NEW_ARRAY(a, int32_t, f->n_values + 1);
    for (int i = 0; i < f->body->n_params; i++) peak_size_value(&p, f->body->params[i]);
    ch__walk(f->body, peak_size_op, &p);
    peak_region(&p, f->body, ch__dim_const(0));
    return out;
}
