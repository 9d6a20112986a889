// SPDX-License-Identifier: Apache-2.0
// share_calls.c - a call and the adjoint of that call become a call of a func that gives both (reverse.c has made it).
//
//     y = call @g(x);  x_bar = call @g_bar(x, y_bar)        y, x_bar = call @g_with_bar(x, y_bar)
//
// So a recursive func is not run anew by each level of its derivative. That the two meet, loops that go the same way
// become one when one has the call and the other its adjoint (share.c joins them), and branches on one predicate become
// one branch. Numbers that such a loop carries twice it carries once.
#include "diff/share.h"

#include <string.h>

// ---------------------------------------------------------------- loops that go the same way
typedef struct {
    const ch__sharing *s;
    const ch_func *callee; // wanted
    const ch__op *other;   // a loop: for a call of what it calls the adjoint of
    bool found;
} adjoint_search;

static const ch_func *share_callee(const ch__op *op) {
    return op->code == CH_OP_call ? ch__op_attr(op, CH__ATTR_callee)->func : NULL;
}

static void find_callee(void *arg, ch__op *op) {
    adjoint_search *c = arg;
    c->found |= share_callee(op) == c->callee;
}

static void find_call_of(void *arg, ch__op *op) {
    adjoint_search *c = arg;
    const ch_func *f = op->code == CH_OP_call ? ch__map_get(&c->s->calls->primal, (uintptr_t)share_callee(op)) : NULL;
    if (f == NULL || c->found) return;
    c->callee = f;
    ch__walk(c->other->regions[0], find_callee, c);
}

bool ch__share_alike(ch__sharing *s, ch__op *one, ch__op *two) {
    if (ch__has_tape(one) || ch__has_tape(two)) return false;
    for (int i = 0; i < 3; i++)
        if (one->operands[i] != two->operands[i]) return false;
    adjoint_search c = {.s = s, .other = one};
    ch__walk(two->regions[0], find_call_of, &c);
    c.other = two;
    if (!c.found) ch__walk(one->regions[0], find_call_of, &c);
    return c.found && ch__share_mark(s, one, two);
}

// What v is on side k of the branch, or select of numbers, that chooses it; NULL: there is none.
static const ch__value *side_of(const ch__value *v, int k) {
    const ch__op *op = v->op;
    if (op->code == CH_OP_if) return op->regions[k]->results[v->index];
    return op->code == CH_OP_select && op->operands[0]->type->rank == 0 ? op->operands[1 + k] : NULL;
}

// Whether x and y are one number in every turn when carried values a and b of the loop are; recurses on operands.
static bool are_twins(const ch__op *loop, int a, int b, const ch__value *x, const ch__value *y, int depth) {
    const ch__region *body = loop->regions[0];
    if (x == y || (x == body->params[1 + a] && y == body->params[1 + b])) return true;
    if (x->op == NULL || y->op == NULL || depth > 16) return false;
    const ch__value *p0 = side_of(x, 0), *q0 = side_of(y, 0);
    if (p0 != NULL && q0 != NULL)
        return x->op->operands[0] == y->op->operands[0] && are_twins(loop, a, b, p0, q0, depth + 1) &&
               are_twins(loop, a, b, side_of(x, 1), side_of(y, 1), depth + 1);
    if (x->op->code != y->op->code) return false;
    const ch__op *p = x->op, *q = y->op;
    bool plain = ch__op_info_of((ch__opcode)p->code)->flags & CH__ELEMWISE;
    if (!plain || p->n_operands != q->n_operands || p->n_attrs != q->n_attrs || p->n_regions > 0) return false;
    for (int i = 0; i < p->n_attrs; i++)
        if (!ch__attr_equal(p->attrs[i], q->attrs[i])) return false;
    for (int i = 0; i < p->n_operands; i++)
        if (!are_twins(loop, a, b, p->operands[i], q->operands[i], depth + 1)) return false;
    return true;
}

// The first stands for the others.
bool ch__drop_twins(ch__sharing *s, ch__op *loop) {
    ch__region *body = loop->regions[0];
    ch__value **to = NULL;
    for (int a = 0; a < loop->n_results; a++)
        for (int b = a + 1; b < loop->n_results; b++) {
            const ch__type *t = loop->results[a].type;
            if (t->rank > 0 || t->tape || !ch__type_equal(t, loop->results[b].type) ||
                loop->operands[3 + a] != loop->operands[3 + b] || (to != NULL && to[loop->results[b].id] != NULL) ||
                (s->uses[body->params[1 + b]->id].n == 0 && s->uses[loop->results[b].id].n == 0) ||
                !are_twins(loop, a, b, body->results[a], body->results[b], 0))
                continue;
            if (to == NULL) to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values);
            to[loop->results[b].id] = &loop->results[a];
            to[body->params[1 + b]->id] = body->params[1 + a];
        }
    if (to != NULL) ch__replace_uses(s->func, to);
    return to != NULL;
}

// ---------------------------------------------------------------- branches
static void find_costly(void *arg, ch__op *op) {
    bool *found = arg;
    *found |= op->code == CH_OP_for || op->code == CH_OP_while || op->code == CH_OP_call || !ch__is_quick(op);
}

// Whether a branch has what is worth having once. Others stay apart, so that no side waits for the other's operands.
static bool has_costly(const ch__op *op) {
    bool found = false;
    for (int k = 0; k < 2; k++) ch__walk(op->regions[k], find_costly, &found);
    return found;
}

// Whether `later`, a branch on the same predicate, waits for op by nothing in between: what it takes of op itself, its
// side takes of op's side.
static bool may_join_branches(ch__sharing *s, ch__op *op, ch__op *later) {
    if (later->code != CH_OP_if || later->operands[0] != op->operands[0]) return false;
    if (!has_costly(op) || !has_costly(later)) return false;
    memset(s->waits, 0, (size_t)s->func->n_values);
    for (int i = 0; i < op->n_results; i++) s->waits[op->results[i].id] = 1;
    for (const ch__op *at = op->next; at != later; at = at->next) {
        bool waits = ch__share_waits(s, at);
        for (int i = 0; i < at->n_results && waits; i++) s->waits[at->results[i].id] = 1;
    }
    for (int i = 0; i < op->n_results; i++) s->waits[op->results[i].id] = 0;
    bool waits = ch__share_waits(s, later);
    for (int i = 0; i < op->n_results; i++) s->waits[op->results[i].id] = 1;
    return !waits;
}

static void join_branches(ch__sharing *s, ch__op *op, ch__op *later) {
    ch__share_move(s, op, later);
    int n = op->n_results, m = later->n_results;
    int32_t n_values = s->func->n_values;
    const ch__type **types = ch__share_types(s, op, later);
    for (int k = 0; k < 2; k++) {
        ch__region *side = op->regions[k], *more = later->regions[k];
        ch__loop_map inside = {CH_NEW_ARRAY(s->scratch, ch__value *, n_values), n_values};
        for (int i = 0; i < n; i++) inside.to[op->results[i].id] = side->results[i];
        ch__loop_replace(&inside, more, more->first);
        ch__value **yields = CH_NEW_ARRAY(s->scratch, ch__value *, n + m);
        for (int i = 0; i < n + m; i++) yields[i] = i < n ? side->results[i] : more->results[i - n];
        ch__share_append(s, side, more);
        ch__region_set_results(side, n + m, yields);
    }
    ch__builder b = {.func = s->func, .region = later->parent, .before = later, .loc = op->loc};
    ch__op *both = ch__build_raw(&b, CH_OP_if, 1, op->operands, 0, NULL, n + m, types, 2, op->regions);
    ch__share_replace(s, op, later, both, NULL);
}

bool ch__share_branches(ch__sharing *s, ch__op *op) {
    for (ch__op *later = op->next; later != NULL; later = later->next)
        if (may_join_branches(s, op, later)) {
            join_branches(s, op, later);
            return true;
        }
    return false;
}

// ---------------------------------------------------------------- calls
// The adjoint of the call `one`: the same arguments come first.
static bool is_adjoint_of(const ch__sharing *s, const ch__op *one, const ch__op *two) {
    const ch_func *d = share_callee(two), *f = d != NULL ? ch__map_get(&s->calls->primal, (uintptr_t)d) : NULL;
    if (f == NULL || f != share_callee(one) || ch__map_get(&s->calls->both, (uintptr_t)d) == NULL) return false;
    for (int i = 0; i < one->n_operands; i++)
        if (one->operands[i] != two->operands[i]) return false;
    return true;
}

// Both as one, where the adjoint stands; what waits for the call comes after it.
static void join_calls(ch__sharing *s, ch__op *call, ch__op *adjoint, bool call_first) {
    if (call_first) ch__share_move(s, call, adjoint);
    int n = call->n_results + adjoint->n_results;
    ch__attr callee = ch__attr_func(CH__ATTR_callee, ch__map_get(&s->calls->both, (uintptr_t)share_callee(adjoint)));
    ch__builder b = {.func = s->func, .region = adjoint->parent, .before = adjoint, .loc = adjoint->loc};
    ch__op *both = ch__build_raw(&b, CH_OP_call, adjoint->n_operands, adjoint->operands, 1, &callee, n,
                                 ch__share_types(s, call, adjoint), 0, NULL);
    ch__share_replace(s, call, adjoint, both, NULL);
}

static bool share_call(ch__sharing *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (ch__op *two = r->first; two != NULL && op->code == CH_OP_call; two = two->next) {
            if (!is_adjoint_of(s, op, two)) continue;
            const ch__op *at = op;
            while (at != NULL && at != two) at = at->next;
            if (at != NULL && !ch__share_mark(s, op, two)) continue;
            join_calls(s, op, two, at != NULL);
            return true;
        }
        for (int k = 0; k < op->n_regions; k++)
            if (share_call(s, op->regions[k])) return true;
    }
    return false;
}

void ch__share_calls(ch_func *f, const ch__calls *calls) { ch__share_all(f, calls, share_call); }
