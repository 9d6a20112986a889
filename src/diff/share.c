// SPDX-License-Identifier: Apache-2.0
// share.c - a loop of the primal sweep and the loop that goes back through it become one.
//
//     s = for i = 0 to n iter(q = 0) { yield q + g(x[i]) }
//     d = for i = max(n, 0) - 1 down to 0 iter(e = 0) { yield set e[i], get e[i] + g'(x[i]) }
//
//     s, d = for i = 0 to n iter(q = 0, e = 0) { both }
//
// The reverse loop of a sum of independent terms waits for nothing that the primal loop computes, and all it does to
// what it carries is to add: the order of its turns is free (docs/derivatives.md: sums of adjoints are taken in any
// order). In one body what both compute is computed once; of loops that are equal, of which a body has two then, one
// goes. The primal part keeps its order, so the value its bits.
//
// Loops are siblings, count by one over the same bounds, the reverse loop depends on no result of the primal one, and
// every value it carries is only added to (uses.c). What the primal loop pushes on a tape for the reverse loop to pop
// is there in the same turn then. Calls and their adjoints become one too (share_calls.c); where the reverse loop waits
// for one number only, see linear.c.
#include "diff/share.h"

#include <string.h>

// ---------------------------------------------------------------- pairs
static bool int_const(const ch__value *v, int64_t *out) {
    const ch__array *c = ch__const_of(v);
    if (c == NULL || c->dtype != CH_I64 || v->type->rank > 0) return false;
    memcpy(out, c->data, sizeof *out);
    return true;
}

// y of y - 1; NULL: v is not that.
static const ch__value *one_more(const ch__value *v) {
    int64_t one;
    if (v->op == NULL || v->op->code != CH_OP_sub || !int_const(v->op->operands[1], &one) || one != 1) return NULL;
    return v->op->operands[0];
}

// Does back go from the last turn of op to its first?
static bool goes_back(const ch__op *op, const ch__op *back) {
    int64_t lo = 0, step, end, hi, start, floor;
    bool number = int_const(op->operands[0], &lo);
    if (!int_const(op->operands[2], &step) || step != 1 || !int_const(back->operands[2], &step) || step != -1)
        return false;
    if (number ? !int_const(back->operands[1], &end) || end != lo - 1 : one_more(back->operands[1]) != op->operands[0])
        return false;
    if (number && int_const(op->operands[1], &hi))
        return int_const(back->operands[0], &start) && start == hi - 1 && hi >= lo;
    const ch__value *top = one_more(back->operands[0]);
    const ch__op *max = top != NULL ? top->op : NULL;
    if (max == NULL || max->code != CH_OP_max || max->operands[0] != op->operands[1]) return false;
    return number ? int_const(max->operands[1], &floor) && floor == lo : max->operands[1] == op->operands[0];
}

bool ch__has_tape(const ch__op *op) {
    for (int i = 0; i < op->n_results; i++)
        if (op->results[i].type->tape) return true;
    return false;
}

// What takes the param of a region there, when nothing else does and its first result is yielded for it alone.
static ch__op *sole_step(const ch__sharing *s, const ch__region *r, int param, int result, ch__opcode code) {
    const ch__value_uses *uses = &s->uses[r->params[param]->id];
    if (uses->n != 1 || uses->data[0].region != r || uses->data[0].op == NULL || uses->data[0].at != 0) return NULL;
    ch__op *op = uses->data[0].op;
    bool is = op->code == code && &op->results[0] == r->results[result] && s->uses[op->results[0].id].n == 1;
    return is ? op : NULL;
}

// A tape that back takes over from op, filled by a push a turn and emptied by a pop a turn.
static bool handed_over(const ch__sharing *s, const ch__op *op, const ch__op *back, int j, int *out) {
    const ch__value *tape = back->operands[3 + j];
    if (!back->results[j].type->tape || tape->op != op) return false;
    *out = tape->index;
    return s->uses[tape->id].n == 1 && s->uses[back->results[j].id].n == 0 &&
           sole_step(s, op->regions[0], 1 + tape->index, tape->index, CH_OP_push) != NULL &&
           sole_step(s, back->regions[0], 1 + j, j, CH_OP_pop) != NULL;
}

// Whether all tapes of both are such.
static bool hand_over_tapes(const ch__sharing *s, const ch__op *op, const ch__op *back) {
    int n = 0, index;
    for (int i = 0; i < op->n_results; i++) n += op->results[i].type->tape;
    for (int j = 0; j < back->n_results; j++) {
        if (!back->results[j].type->tape) continue;
        if (!handed_over(s, op, back, j, &index)) return false;
        n--;
    }
    return n == 0;
}

// What was pushed stands for what is popped. Both tapes stay as they come in, so nothing needs them any more.
static void drop_tapes(ch__sharing *s, ch__op *op, ch__op *back, ch__value **to) {
    ch__region *body = op->regions[0], *more = back->regions[0];
    int index;
    for (int j = 0; j < back->n_results; j++) {
        if (!back->results[j].type->tape || !handed_over(s, op, back, j, &index)) continue;
        ch__op *push = sole_step(s, body, 1 + index, index, CH_OP_push);
        ch__op *pop = sole_step(s, more, 1 + j, j, CH_OP_pop);
        to[pop->results[1].id] = push->operands[1];
        back->operands[3 + j] = op->operands[3 + index];
        body->results[index] = body->params[1 + index];
        more->results[j] = more->params[1 + j];
        ch__op_remove(push);
        ch__op_remove(pop);
    }
}

// ---------------------------------------------------------------- loops that are equal
typedef struct {
    ch__value **to; // by value id of the second loop: its like in the first
} likeness;

static bool share_same_ops(likeness *l, const ch__region *x, const ch__region *y);

static bool share_same_value(const likeness *l, ch__value *x, ch__value *y) {
    return (l->to[y->id] != NULL ? l->to[y->id] : y) == x;
}

static bool share_same_op(likeness *l, ch__op *x, ch__op *y) {
    if (x->code != y->code || x->n_operands != y->n_operands || x->n_results != y->n_results ||
        x->n_attrs != y->n_attrs || x->n_regions != y->n_regions)
        return false;
    for (int i = 0; i < x->n_operands; i++)
        if (!share_same_value(l, x->operands[i], y->operands[i])) return false;
    for (int i = 0; i < x->n_attrs; i++)
        if (!ch__attr_equal(x->attrs[i], y->attrs[i])) return false;
    for (int i = 0; i < x->n_results; i++)
        if (!ch__type_equal(x->results[i].type, y->results[i].type)) return false;
    for (int k = 0; k < x->n_regions; k++)
        if (!share_same_ops(l, x->regions[k], y->regions[k])) return false;
    for (int i = 0; i < x->n_results; i++) l->to[y->results[i].id] = &x->results[i];
    return true;
}

static bool share_same_ops(likeness *l, const ch__region *x, const ch__region *y) {
    if (x->n_params != y->n_params || x->n_results != y->n_results) return false;
    for (int i = 0; i < x->n_params; i++) l->to[y->params[i]->id] = x->params[i];
    ch__op *a = x->first, *b = y->first;
    for (; a != NULL && b != NULL; a = a->next, b = b->next)
        if (!share_same_op(l, a, b)) return false;
    if (a != NULL || b != NULL) return false;
    for (int i = 0; i < x->n_results; i++)
        if (!share_same_value(l, x->results[i], y->results[i])) return false;
    return true;
}

// The second of two equal loops goes.
static bool drop_equal(ch__sharing *s, ch__op *op, ch__op *other) {
    if (ch__has_tape(op) || op->n_results == 0 || op->n_operands != other->n_operands) return false;
    for (int i = 0; i < op->n_operands; i++)
        if (op->operands[i] != other->operands[i]) return false;
    likeness l = {CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values)};
    if (!share_same_op(&l, op, other)) return false;
    ch__value **to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values);
    for (int i = 0; i < op->n_results; i++) to[other->results[i].id] = &op->results[i];
    ch__op_remove(other);
    ch__replace_uses(s->func, to);
    return true;
}

// ---------------------------------------------------------------- what waits
static bool region_waits(const ch__sharing *s, const ch__region *r) {
    for (const ch__op *op = r->first; op != NULL; op = op->next)
        if (ch__share_waits(s, op)) return true;
    for (int i = 0; i < r->n_results; i++)
        if (s->waits[r->results[i]->id]) return true;
    return false;
}

bool ch__share_waits(const ch__sharing *s, const ch__op *op) {
    for (int i = 0; i < op->n_operands; i++)
        if (s->waits[op->operands[i]->id]) return true;
    for (int k = 0; k < op->n_regions; k++)
        if (region_waits(s, op->regions[k])) return true;
    return false;
}

bool ch__share_mark(ch__sharing *s, const ch__op *op, const ch__op *back) {
    memset(s->waits, 0, (size_t)s->func->n_values);
    // tapes: only back takes them, and not any more when the two are one
    for (int i = 0; i < op->n_results; i++) s->waits[op->results[i].id] = !op->results[i].type->tape;
    for (const ch__op *at = op->next; at != NULL; at = at->next) {
        bool waits = ch__share_waits(s, at);
        if (at == back) return !waits;
        for (int i = 0; i < at->n_results && waits; i++) s->waits[at->results[i].id] = 1;
    }
    return false;
}

static void move_behind(ch__op *op, ch__op *last) {
    ch__op_move_before(op, last);
    ch__op_move_before(last, op);
}

void ch__share_move(const ch__sharing *s, ch__op *first, ch__op *second) {
    ch__op *tail = second;
    for (ch__op *at = first->next, *next; at != second; at = next) {
        next = at->next;
        if (!ch__share_waits(s, at)) continue;
        move_behind(at, tail);
        tail = at;
    }
}

const ch__type **ch__share_types(const ch__sharing *s, const ch__op *one, const ch__op *two) {
    int n = one->n_results, m = two->n_results;
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n + m);
    for (int i = 0; i < n + m; i++) types[i] = (i < n ? &one->results[i] : &two->results[i - n])->type;
    return types;
}

void ch__share_append(ch__sharing *s, ch__region *to, ch__region *from) {
    ch__builder b = {.func = s->func, .region = to};
    ch__op *end = ch__build_raw(&b, CH_OP_barrier, 0, NULL, 0, NULL, 0, NULL, 0, NULL);
    while (from->first != NULL) ch__op_move_before(from->first, end);
    ch__op_remove(end);
}

void ch__share_replace(ch__sharing *s, ch__op *one, ch__op *two, ch__op *both, ch__value **to) {
    int n = one->n_results;
    if (to == NULL) to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values);
    for (int i = 0; i < both->n_results; i++) {
        const ch__value *old = i < n ? &one->results[i] : &two->results[i - n];
        both->results[i].name = old->name;
        to[old->id] = &both->results[i];
    }
    ch__op_remove(one);
    ch__op_remove(two);
    ch__replace_uses(s->func, to);
}

// op and back as one loop, where the second of them stands; what waits for the first comes after it.
static void join_loops(ch__sharing *s, ch__op *op, ch__op *back, bool op_first) {
    ch__op *first = op_first ? op : back, *second = op_first ? back : op;
    ch__share_move(s, first, second);
    int n = op->n_results, m = back->n_results;
    ch__region *body = op->regions[0], *more = back->regions[0];
    ch__value **xs = CH_NEW_ARRAY(s->scratch, ch__value *, 3 + n + m);
    ch__value **yields = CH_NEW_ARRAY(s->scratch, ch__value *, n + m);
    ch__value **to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values + n + 2 * m); // params, results to come
    to[more->params[0]->id] = body->params[0];
    drop_tapes(s, op, back, to);
    for (int i = 0; i < 3 + n; i++) xs[i] = op->operands[i];
    for (int i = 0; i < n; i++) yields[i] = body->results[i];
    for (int i = 0; i < m; i++) {
        xs[3 + n + i] = back->operands[3 + i];
        yields[n + i] = more->results[i];
        ch__value *old = more->params[1 + i];
        to[old->id] = ch__region_add_param(body, old->name, old->type);
    }
    ch__share_append(s, body, more);
    ch__region_set_results(body, n + m, yields);
    ch__builder b = {.func = s->func, .region = second->parent, .before = second, .loc = op->loc};
    ch__op *both = ch__build_raw(&b, CH_OP_for, 3 + n + m, xs, 0, NULL, n + m, ch__share_types(s, op, back), 1, &body);
    ch__share_replace(s, op, back, both, to);
}

static bool adds_only(ch__sharing *s, const ch__op *back) {
    ch__region *body = back->regions[0];
    for (int i = 0; i < back->n_results; i++) {
        if (back->results[i].type->tape) continue;
        if (!ch__only_added(s, body, body->params[1 + i], body->results[i])) return false;
    }
    return true;
}

static bool share_pair(ch__sharing *s, ch__op *one, ch__op *two) {
    if (drop_equal(s, one, two)) return true;
    if (ch__share_alike(s, one, two)) {
        join_loops(s, one, two, true);
        return true;
    }
    if (one->regions[0]->first == NULL || two->regions[0]->first == NULL) return false;
    if (goes_back(one, two) && hand_over_tapes(s, one, two) && adds_only(s, two)) {
        if (!ch__share_mark(s, one, two)) return ch__defer_number(s, two); // the next step joins them
        join_loops(s, one, two, true);
        return true;
    }
    bool reverse_first = goes_back(two, one) && !ch__has_tape(one) && !ch__has_tape(two) && ch__share_mark(s, one, two);
    if (!reverse_first || !adds_only(s, one)) return false;
    join_loops(s, two, one, false);
    return true;
}

static bool share_one(ch__sharing *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        if (op->code == CH_OP_if && ch__share_branches(s, op)) return true;
        if (op->code == CH_OP_for && ch__drop_twins(s, op)) return true;
        for (ch__op *back = op->next; back != NULL && op->code == CH_OP_for; back = back->next)
            if (back->code == CH_OP_for && share_pair(s, op, back)) return true;
        for (int k = 0; k < op->n_regions; k++)
            if (share_one(s, op->regions[k])) return true;
    }
    return false;
}

// ---------------------------------------------------------------- all
void ch__share_all(ch_func *f, const ch__calls *calls, ch__share_step *step) {
    for (int turn = 0; turn < 64; turn++) { // each step makes the next ones see more
        ch__sharing s = {.func = f, .calls = calls, .scratch = ch__arena_create(), .n_values = f->n_values};
        s.uses = CH_NEW_ARRAY(s.scratch, ch__value_uses, f->n_values);
        s.waits = CH_NEW_ARRAY(s.scratch, uint8_t, f->n_values);
        ch__share_uses(&s, f->body);
        bool any = step(&s, f->body);
        ch__arena_destroy(s.scratch);
        if (!any) break;
        ch__optimize(f);
    }
}

void ch__share_loops(ch_func *f, const ch__calls *calls) { ch__share_all(f, calls, share_one); }
