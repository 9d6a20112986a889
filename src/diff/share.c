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
// order). In one body what both compute is computed once; of loops that
// are equal, of which a body has two then, one goes. The primal part keeps its order, so the value its bits.
//
// Loops are siblings, count by one over the same bounds, the reverse loop depends on no result of the primal one, and
// every value it carries is followed from its param to what is yielded: additions to a number, set of get plus
// something at one place of an array, the same inside of branches and inner loops, and no other use.
#include "diff/rules.h"

typedef struct {
    ch__op *op; // NULL: the region yields it
    ch__region *region;
    int at;
} value_use;
typedef CH_VEC(value_use) value_uses;
typedef struct {
    ch_func *func;
    ch__arena *scratch;
    value_uses *uses; // by value id
    uint8_t *waits;   // by value id: depends on the primal loop at hand
    int64_t changes;
} share_state;

// ---------------------------------------------------------------- uses
static void share_uses(share_state *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_operands; i++) {
            value_use u = {op, r, i};
            CH_PUSH(s->scratch, &s->uses[op->operands[i]->id], u);
        }
        for (int k = 0; k < op->n_regions; k++) share_uses(s, op->regions[k]);
    }
    for (int i = 0; i < r->n_results; i++) {
        value_use u = {NULL, r, i};
        CH_PUSH(s->scratch, &s->uses[r->results[i]->id], u);
    }
}

// The op of region r that the use stands in; NULL: r yields it, or it is elsewhere.
static ch__op *share_op_at(const value_use *u, const ch__region *r) {
    if (u->region == r) return u->op;
    for (const ch__region *at = u->region; at->owner != NULL; at = at->owner->parent)
        if (at->owner->parent == r) return at->owner;
    return NULL;
}

static bool share_is_in(const value_use *u, const ch__region *r) { return u->region == r || share_op_at(u, r) != NULL; }

// ---------------------------------------------------------------- what is only added to
static bool only_added(share_state *s, ch__region *r, ch__value *v, const ch__value *goal);

// Does x, a sum, begin with the element that put reads of array v at its own place?
static bool adds_to_element(share_state *s, const ch__op *put, const ch__op *get) {
    for (const ch__value *x = put->operands[1]; x->op != NULL && s->uses[x->id].n == 1;) {
        if (x->op == get) {
            for (int i = 1; i < get->n_operands; i++)
                if (get->operands[i] != put->operands[i + 1]) return false;
            return true;
        }
        if (x->op->code != CH_OP_add && x->op->code != CH_OP_sub) return false;
        const ch__value *left = x->op->operands[0], *right = x->op->operands[1];
        x = x->op->code == CH_OP_add && right->op == get ? right : left;
    }
    return false;
}

// The next version of v when its uses in r are additions; NULL: they are not.
static ch__value *added_once(share_state *s, ch__op *const *ops, const value_use *uses, int n, const ch__value *v) {
    if (v->type->rank == 0) {
        bool sum = n == 1 && (ops[0]->code == CH_OP_add || (ops[0]->code == CH_OP_sub && uses[0].at == 0));
        return sum ? &ops[0]->results[0] : NULL;
    }
    if (n != 2) return NULL;
    int put = ops[0]->code == CH_OP_set ? 0 : 1;
    const ch__op *set = ops[put], *get = ops[1 - put];
    bool both = set->code == CH_OP_set && uses[put].at == 0 && get->code == CH_OP_get && uses[1 - put].at == 0;
    return both && adds_to_element(s, set, get) ? &ops[put]->results[0] : NULL;
}

static ch__value *added_by_branch(share_state *s, ch__op *op, ch__value *v) {
    for (int k = 0; k < op->n_results; k++) {
        bool ok = true;
        for (int i = 0; i < 2 && ok; i++) ok = only_added(s, op->regions[i], v, op->regions[i]->results[k]);
        if (ok) return &op->results[k];
    }
    return NULL;
}

static ch__value *added_by_loop(share_state *s, ch__op *op, const value_use *u) {
    if (op->code != CH_OP_for || u->op != op || u->at < 3) return NULL;
    ch__region *body = op->regions[0];
    int k = u->at - 3;
    return only_added(s, body, body->params[1 + k], body->results[k]) ? &op->results[k] : NULL;
}

// Is goal, which r yields, v with something added, and v used for nothing else in r?
static bool only_added(share_state *s, ch__region *r, ch__value *v, const ch__value *goal) {
    for (int turn = 0; turn < 1000; turn++) {
        enum { MOST = 8 };
        value_use uses[MOST];
        ch__op *ops[MOST], *nested = NULL;
        int n = 0;
        bool several = false;
        for (int64_t i = 0; i < s->uses[v->id].n; i++) {
            const value_use *u = &s->uses[v->id].data[i];
            if (!share_is_in(u, r)) continue;
            if (n == MOST) return false;
            uses[n] = *u;
            ops[n] = share_op_at(u, r);
            if (ops[n] != NULL && ops[n]->n_regions > 0) {
                several = several || (nested != NULL && nested != ops[n]);
                nested = ops[n];
            }
            n++;
        }
        if (v == goal) return n == 1 && ops[0] == NULL;
        for (int i = 0; i < n; i++)
            if (ops[i] == NULL || (nested != NULL && ops[i] != nested)) return false;
        if (n == 0 || several) return false;
        ch__value *next = nested == NULL             ? added_once(s, ops, uses, n, v)
                          : nested->code == CH_OP_if ? added_by_branch(s, nested, v)
                          : n == 1                   ? added_by_loop(s, nested, &uses[0])
                                                     : NULL;
        if (next == NULL) return false;
        v = next;
    }
    return false;
}

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

static bool has_tape(const ch__op *op) {
    for (int i = 0; i < op->n_results; i++)
        if (op->results[i].type->tape) return true;
    return false;
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
static bool drop_equal(share_state *s, ch__op *op, ch__op *other) {
    if (has_tape(op) || op->n_results == 0 || op->n_operands != other->n_operands) return false;
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
static bool op_waits(const share_state *s, const ch__op *op);

static bool region_waits(const share_state *s, const ch__region *r) {
    for (const ch__op *op = r->first; op != NULL; op = op->next)
        if (op_waits(s, op)) return true;
    for (int i = 0; i < r->n_results; i++)
        if (s->waits[r->results[i]->id]) return true;
    return false;
}

static bool op_waits(const share_state *s, const ch__op *op) {
    for (int i = 0; i < op->n_operands; i++)
        if (s->waits[op->operands[i]->id]) return true;
    for (int k = 0; k < op->n_regions; k++)
        if (region_waits(s, op->regions[k])) return true;
    return false;
}

// Marks what waits for op, up to back; false: back does.
static bool mark_waiting(share_state *s, const ch__op *op, const ch__op *back) {
    memset(s->waits, 0, (size_t)s->func->n_values);
    for (int i = 0; i < op->n_results; i++) s->waits[op->results[i].id] = 1;
    for (const ch__op *at = op->next; at != NULL; at = at->next) {
        bool waits = op_waits(s, at);
        if (at == back) return !waits;
        for (int i = 0; i < at->n_results && waits; i++) s->waits[at->results[i].id] = 1;
    }
    return false;
}

static void move_behind(ch__op *op, ch__op *last) {
    ch__op_move_before(op, last);
    ch__op_move_before(last, op);
}

// op and back as one loop, where the second of them stands; what waits for the first comes after it.
static void join_loops(share_state *s, ch__op *op, ch__op *back, bool op_first) {
    ch__op *first = op_first ? op : back, *second = op_first ? back : op, *tail = second;
    for (ch__op *at = first->next, *next; at != second; at = next) {
        next = at->next;
        if (!op_waits(s, at)) continue;
        move_behind(at, tail);
        tail = at;
    }
    int n = op->n_results, m = back->n_results;
    ch__region *body = op->regions[0], *more = back->regions[0];
    ch__value **xs = CH_NEW_ARRAY(s->scratch, ch__value *, 3 + n + m), **to;
    ch__value **yields = CH_NEW_ARRAY(s->scratch, ch__value *, n + m);
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n + m);
    for (int i = 0; i < 3 + n; i++) xs[i] = op->operands[i];
    for (int i = 0; i < n; i++) yields[i] = body->results[i], types[i] = op->results[i].type;
    to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values + 2 * (m + n) + 8);
    to[more->params[0]->id] = body->params[0];
    for (int i = 0; i < m; i++) {
        xs[3 + n + i] = back->operands[3 + i];
        yields[n + i] = more->results[i];
        types[n + i] = back->results[i].type;
        ch__value *old = more->params[1 + i];
        to[old->id] = ch__region_add_param(body, old->name, old->type);
    }
    ch__op *last = body->last;
    while (more->first != NULL) {
        ch__op *moved = more->first;
        move_behind(moved, last);
        last = moved;
    }
    ch__region_set_results(body, n + m, yields);
    ch__builder b = {.func = s->func, .region = second->parent, .before = second, .loc = op->loc};
    ch__op *both = ch__build_raw(&b, CH_OP_for, 3 + n + m, xs, 0, NULL, n + m, types, 1, &body);
    for (int i = 0; i < n + m; i++) {
        const ch__value *old = i < n ? &op->results[i] : &back->results[i - n];
        both->results[i].name = old->name;
        to[old->id] = &both->results[i];
    }
    ch__op_remove(op);
    ch__op_remove(back);
    ch__replace_uses(s->func, to);
    s->changes++;
}

static bool may_join_loops(share_state *s, ch__op *op, ch__op *back, bool op_first) {
    if (!goes_back(op, back) || has_tape(op) || has_tape(back)) return false;
    if (op->regions[0]->first == NULL || back->regions[0]->first == NULL ||
        !mark_waiting(s, op_first ? op : back, op_first ? back : op))
        return false;
    ch__region *body = back->regions[0];
    for (int i = 0; i < back->n_results; i++)
        if (!only_added(s, body, body->params[1 + i], body->results[i])) return false;
    return true;
}

static bool share_pair(share_state *s, ch__op *one, ch__op *two) {
    if (drop_equal(s, one, two)) return true;
    for (int k = 0; k < 2; k++) {
        ch__op *op = k == 0 ? one : two, *back = k == 0 ? two : one;
        if (!may_join_loops(s, op, back, k == 0)) continue;
        join_loops(s, op, back, k == 0);
        return true;
    }
    return false;
}

// One pair of the region or of those in it; false: there is none.
static bool share_one(share_state *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (ch__op *back = op->next; back != NULL && op->code == CH_OP_for; back = back->next)
            if (back->code == CH_OP_for && share_pair(s, op, back)) return true;
        for (int k = 0; k < op->n_regions; k++)
            if (share_one(s, op->regions[k])) return true;
    }
    return false;
}

int64_t ch__share_loops(ch_func *f) {
    int64_t all = 0;
    for (int turn = 0; turn < 64; turn++) { // each pair makes the next ones see more
        share_state s = {.func = f, .scratch = ch__arena_create()};
        s.uses = CH_NEW_ARRAY(s.scratch, value_uses, f->n_values);
        s.waits = CH_NEW_ARRAY(s.scratch, uint8_t, f->n_values);
        share_uses(&s, f->body);
        bool any = share_one(&s, f->body);
        ch__arena_destroy(s.scratch);
        if (!any) break;
        all++;
        ch__optimize(f);
    }
    return all;
}
