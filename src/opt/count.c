// SPDX-License-Identifier: Apache-2.0
// count.c - integers that a loop counts along become functions of its counter.
//
//     p = for i = lo to hi step 1 iter(q = p0) { ...q...; yield q + k }
//
//     p = p0 + max(hi - lo, 0) k;  in the body q is p0 + (i - lo) k
//
// k is a number or comes from outside of the loop. What is a function of the counter need not be kept for the way
// back, and iterations do not wait for one another. Only i64 values whose sums carry the promise nowrap (a C program's
// own counters) qualify: then no step of the new sum wraps where the old one did not.
#include "opt/opt.h"

#include <string.h>

typedef struct {
    ch_func *func;
    ch__arena *scratch;
    ch__value **to; // by value id
    int32_t n;
    uint8_t *inside; // by value id: defined in the loop at hand
    int64_t changes;
} count_state;

static void mark_value(count_state *s, const ch__value *v, uint8_t mark) {
    if (v->id < s->n) s->inside[v->id] = mark;
}

static void mark_counted(count_state *s, const ch__region *r, uint8_t mark) {
    for (int i = 0; i < r->n_params; i++) mark_value(s, r->params[i], mark);
    for (const ch__op *op = r->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_results; i++) mark_value(s, &op->results[i], mark);
        for (int k = 0; k < op->n_regions; k++) mark_counted(s, op->regions[k], mark);
    }
}

static ch__value *int_op(ch__builder *b, ch__opcode code, ch__value *x, ch__value *y) {
    ch__value *xs[2] = {x, y};
    ch__attr nowrap = ch__attr_int(CH__ATTR_nowrap, 1);
    int n = code == CH_OP_max ? 0 : 1;
    return &ch__build_raw(b, code, 2, xs, n, &nowrap, 1, &x->type, 0, NULL)->results[0];
}

static ch__value *times_value(ch__builder *b, ch__value *n, ch__value *k) {
    return ch__const_is_splat(k, 1.0) ? n : int_op(b, CH_OP_mul, n, k);
}

// The k of carried value i that grows by k; NULL: it does something else.
static ch__value *growth(const count_state *s, const ch__op *loop, int i) {
    const ch__region *body = loop->regions[0];
    const ch__value *p = body->params[1 + i], *next = body->results[i];
    if (p->type->rank != 0 || p->type->dtype != CH_I64 || p->type->tape) return NULL;
    const ch__op *op = next->op;
    if (op == NULL || op->code != CH_OP_add || ch__op_int(op, CH__ATTR_nowrap, 0) == 0) return NULL;
    ch__value *k = op->operands[0] == p ? op->operands[1] : op->operands[1] == p ? op->operands[0] : NULL;
    if (k == NULL || k == p) return NULL;
    bool inside = k->id >= s->n || s->inside[k->id];
    return inside && ch__const_of(k) == NULL ? NULL : k;
}

static void replace_in(const count_state *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_operands; i++)
            if (op->operands[i]->id < s->n && s->to[op->operands[i]->id] != NULL)
                op->operands[i] = s->to[op->operands[i]->id];
        for (int k = 0; k < op->n_regions; k++) replace_in(s, op->regions[k]);
    }
    for (int i = 0; i < r->n_results; i++)
        if (r->results[i]->id < s->n && s->to[r->results[i]->id] != NULL) r->results[i] = s->to[r->results[i]->id];
}

static void count_along(count_state *s, ch__op *loop, int i, ch__value *k) {
    ch__region *body = loop->regions[0];
    ch__value *lo = loop->operands[0], *hi = loop->operands[1], *start = loop->operands[3 + i];
    ch__builder out = {.func = s->func, .region = loop->parent, .before = loop, .loc = loop->loc};
    const ch__array *number = ch__const_of(k);
    if (number != NULL) k = ch__const_splat_as(&out, k->type, number);
    bool from_zero = ch__const_is_splat(lo, 0.0), at_zero = ch__const_is_splat(start, 0.0);
    ch__value *zero = ch__b_splat(&out, lo->type, 0.0);
    ch__value *turns = int_op(&out, CH_OP_max, from_zero ? hi : int_op(&out, CH_OP_sub, hi, lo), zero);
    ch__value *grown = times_value(&out, turns, k);
    ch__value *end = at_zero ? grown : int_op(&out, CH_OP_add, start, grown);
    ch__builder in = {.func = s->func, .region = body, .before = body->first, .loc = loop->loc};
    ch__value *done = from_zero ? body->params[0] : int_op(&in, CH_OP_sub, body->params[0], lo);
    ch__value *far = times_value(&in, done, k), *now = at_zero ? far : int_op(&in, CH_OP_add, start, far);
    s->to[body->params[1 + i]->id] = now;
    s->to[loop->results[i].id] = end;
    if (end->name == NULL) end->name = loop->results[i].name;
    s->changes++;
}

// Inner loops first: what they count along in all may be what the loop around adds.
static void count_in_region(count_state *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (int k = 0; k < op->n_regions; k++) count_in_region(s, op->regions[k]);
        if (op->code != CH_OP_for || !ch__const_is_splat(op->operands[2], 1.0)) continue;
        mark_counted(s, op->regions[0], 1);
        for (int i = 0; i < op->n_results; i++) {
            ch__value *k = s->to[op->results[i].id] == NULL ? growth(s, op, i) : NULL;
            if (k != NULL) count_along(s, op, i, k);
        }
        mark_counted(s, op->regions[0], 0);
    }
}

int64_t ch__count(ch_func *f) {
    count_state s = {.func = f, .scratch = ch__arena_create(), .n = f->n_values};
    // Values are made on the way: those need no place, nothing replaces them.
    s.to = CH_NEW_ARRAY(s.scratch, ch__value *, s.n);
    s.inside = CH_NEW_ARRAY(s.scratch, uint8_t, s.n + 1);
    count_in_region(&s, f->body);
    if (s.changes > 0) replace_in(&s, f->body);
    ch__arena_destroy(s.scratch);
    return s.changes > 0 ? s.changes + ch__dce(f) : 0;
}
