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
// something at one place of an array, the same inside of branches and inner loops and by adjoints of calls, and no
// other use. What the primal loop pushes on a tape for the reverse loop to pop is there in the same turn then.
//
// Where all that the reverse loop waits for is one number that everything it sums is a multiple of, as 1 / count in a
// mean over what was counted, it sums without the number and what comes out is multiplied.
//
// A call and the adjoint of that call, side by side, become a call of a func that gives both (reverse.c has made it):
//
//     y = call @g(x);  x_bar = call @g_bar(x, y_bar)        y, x_bar = call @g_with_bar(x, y_bar)
//
// so a recursive func is not run anew by each level of its derivative. That the two meet, loops that go the same way
// become one when one has the call and the other its adjoint, and branches on one predicate become one branch. Numbers
// that such a loop carries twice it carries once.
#include "diff/share.h"

#include <string.h>

// ---------------------------------------------------------------- uses
void ch__share_uses(ch__sharing *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_operands; i++) {
            ch__value_use u = {op, r, i};
            CH_PUSH(s->scratch, &s->uses[op->operands[i]->id], u);
        }
        for (int k = 0; k < op->n_regions; k++) ch__share_uses(s, op->regions[k]);
    }
    for (int i = 0; i < r->n_results; i++) {
        ch__value_use u = {NULL, r, i};
        CH_PUSH(s->scratch, &s->uses[r->results[i]->id], u);
    }
}

// The op of region r that the use stands in; NULL: r yields it, or it is elsewhere.
static ch__op *share_op_at(const ch__value_use *u, const ch__region *r) {
    if (u->region == r) return u->op;
    for (const ch__region *at = u->region; at->owner != NULL; at = at->owner->parent)
        if (at->owner->parent == r) return at->owner;
    return NULL;
}

static bool share_is_in(const ch__value_use *u, const ch__region *r) {
    return u->region == r || share_op_at(u, r) != NULL;
}

// ---------------------------------------------------------------- what is only added to
// Does x, a sum, begin with the element that put reads of array v at its own place?
static bool adds_to_element(ch__sharing *s, const ch__op *put, const ch__op *get) {
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

// The result of the adjoint of a call that is v with what the call adds; NULL: it is not that.
static ch__value *added_by_call(const ch__sharing *s, ch__op *op, int at) {
    if (op->code != CH_OP_call || s->calls == NULL) return NULL;
    const ch_func *d = ch__op_attr(op, CH__ATTR_callee)->func; // takes none but its tied params to add to
    bool adds = ch__map_get(&s->calls->primal, (uintptr_t)d) != NULL && d->inout != NULL && d->inout[at] >= 0;
    return adds ? &op->results[d->inout[at]] : NULL;
}

// The next version of v when its uses in r are additions; NULL: they are not.
static ch__value *added_once(ch__sharing *s, ch__op *const *ops, const ch__value_use *uses, int n, const ch__value *v) {
    if (v->type->rank == 0) {
        bool sum = n == 1 && (ops[0]->code == CH_OP_add || (ops[0]->code == CH_OP_sub && uses[0].at == 0));
        return sum ? &ops[0]->results[0] : NULL;
    }
    if (n == 1) return added_by_call(s, ops[0], uses[0].at);
    if (n != 2) return NULL;
    int put = ops[0]->code == CH_OP_set ? 0 : 1;
    const ch__op *set = ops[put], *get = ops[1 - put];
    bool both = set->code == CH_OP_set && uses[put].at == 0 && get->code == CH_OP_get && uses[1 - put].at == 0;
    return both && adds_to_element(s, set, get) ? &ops[put]->results[0] : NULL;
}

static ch__value *added_by_branch(ch__sharing *s, ch__op *op, ch__value *v) {
    for (int k = 0; k < op->n_results; k++) {
        bool ok = true;
        for (int i = 0; i < 2 && ok; i++) ok = ch__only_added(s, op->regions[i], v, op->regions[i]->results[k]);
        if (ok) return &op->results[k];
    }
    return NULL;
}

static ch__value *added_by_loop(ch__sharing *s, ch__op *op, const ch__value_use *u) {
    if (op->code != CH_OP_for || u->op != op || u->at < 3) return NULL;
    ch__region *body = op->regions[0];
    int k = u->at - 3;
    return ch__only_added(s, body, body->params[1 + k], body->results[k]) ? &op->results[k] : NULL;
}

// Is goal, which r yields, v with something added, and v used for nothing else in r?
bool ch__only_added(ch__sharing *s, ch__region *r, ch__value *v, const ch__value *goal) {
    for (int turn = 0; turn < 1000; turn++) {
        enum { MOST = 8 };
        ch__value_use uses[MOST];
        ch__op *ops[MOST], *nested = NULL;
        int n = 0;
        bool several = false;
        for (int64_t i = 0; i < s->uses[v->id].n; i++) {
            const ch__value_use *u = &s->uses[v->id].data[i];
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
static bool op_waits(const ch__sharing *s, const ch__op *op);

static bool region_waits(const ch__sharing *s, const ch__region *r) {
    for (const ch__op *op = r->first; op != NULL; op = op->next)
        if (op_waits(s, op)) return true;
    for (int i = 0; i < r->n_results; i++)
        if (s->waits[r->results[i]->id]) return true;
    return false;
}

static bool op_waits(const ch__sharing *s, const ch__op *op) {
    for (int i = 0; i < op->n_operands; i++)
        if (s->waits[op->operands[i]->id]) return true;
    for (int k = 0; k < op->n_regions; k++)
        if (region_waits(s, op->regions[k])) return true;
    return false;
}

// Marks what waits for op, up to back; false: back does.
static bool mark_waiting(ch__sharing *s, const ch__op *op, const ch__op *back) {
    memset(s->waits, 0, (size_t)s->func->n_values);
    // tapes: only back takes them, and not any more when the two are one
    for (int i = 0; i < op->n_results; i++) s->waits[op->results[i].id] = !op->results[i].type->tape;
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
static void join_loops(ch__sharing *s, ch__op *op, ch__op *back, bool op_first) {
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
    for (int i = 0; i < n; i++) types[i] = op->results[i].type;
    to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values + 2 * (m + n) + 8);
    to[more->params[0]->id] = body->params[0];
    drop_tapes(s, op, back, to);
    for (int i = 0; i < n; i++) yields[i] = body->results[i];
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

static bool adds_only(ch__sharing *s, const ch__op *back) {
    ch__region *body = back->regions[0];
    for (int i = 0; i < back->n_results; i++) {
        if (back->results[i].type->tape) continue;
        if (!ch__only_added(s, body, body->params[1 + i], body->results[i])) return false;
    }
    return true;
}

static bool may_join_loops(ch__sharing *s, ch__op *op, ch__op *back, bool op_first) {
    if (!goes_back(op, back)) return false;
    if (op_first ? !hand_over_tapes(s, op, back) : has_tape(op) || has_tape(back)) return false;
    if (op->regions[0]->first == NULL || back->regions[0]->first == NULL ||
        !mark_waiting(s, op_first ? op : back, op_first ? back : op))
        return false;
    return adds_only(s, back);
}

// ---------------------------------------------------------------- a number to wait for
typedef struct {
    ch__sharing *s;
    ch__value *number;
    bool others;
} number_search;

static void find_number(void *arg, ch__op *op) {
    number_search *n = arg;
    for (int i = 0; i < op->n_operands; i++) {
        ch__value *v = op->operands[i];
        if (!n->s->waits[v->id] || v == n->number) continue;
        n->others |= n->number != NULL;
        n->number = v;
    }
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_results; i++) n->others |= n->s->waits[op->regions[k]->results[i]->id];
}

// The only value that back waits for, when all it sums is a multiple of that; NULL: there is none. To be called after
// mark_waiting has found that back waits.
static ch__value *number_waited_for(ch__sharing *s, ch__op *back) {
    for (int i = 0; i < back->n_operands; i++)
        if (s->waits[back->operands[i]->id] && (i < 3 || back->operands[i]->type->rank > 0)) return NULL;
    number_search n = {.s = s};
    ch__walk(back->regions[0], find_number, &n);
    for (int i = 0; i < back->n_results; i++) n.others |= s->waits[back->regions[0]->results[i]->id];
    if (n.number == NULL || n.others || n.number->type->rank > 0 || !ch__is_float(n.number->type->dtype)) return NULL;
    for (int i = 0; i < back->n_results; i++) {
        const ch__type *t = back->results[i].type;
        if (t->tape || t->rank > 1 || t->dtype != n.number->type->dtype) return NULL;
    }
    return ch__linear_in(s->scratch, back, n.number) ? n.number : NULL;
}

// z x, 0 where z is.
static ch__value *share_times(ch__builder *b, ch__value *z, ch__value *x) {
    ch__value *zero = ch__b_splat(b, z->type, 0.0);
    return ch__b_select(b, ch__b_compare(b, CH__EQ, z, zero), zero, ch__b_mul(b, x, z));
}

// The elements of an array, in place.
static ch__value *share_times_each(ch__sharing *s, ch__builder *b, ch__value *z, ch__value *x) {
    ch__region *body = ch__region_create(s->func, NULL);
    ch__value *bounds[4] = {ch__loop_const(b, 0), ch__loop_dim(b, x->type->dims[0]), ch__loop_const(b, 1), x};
    ch__value *get[2], *set[3];
    get[1] = set[2] = ch__region_add_param(body, NULL, ch__type_scalar(CH_I64));
    get[0] = set[0] = ch__region_add_param(body, NULL, x->type);
    ch__builder in = ch__builder_at_end(body);
    in.loc = b->loc;
    set[1] = share_times(&in, z, ch__build(&in, CH_OP_get, 2, get, 0, NULL, 0, NULL, 0, NULL)->results);
    ch__value *next = ch__build(&in, CH_OP_set, 3, set, 0, NULL, 0, NULL, 0, NULL)->results;
    ch__region_set_results(body, 1, &next);
    return ch__build_raw(b, CH_OP_for, 4, bounds, 0, NULL, 1, &x->type, 1, &body)->results;
}

// back sums for 1 instead of z, and what comes out of it is multiplied by z after it.
static void multiply_after(ch__sharing *s, ch__op *back, ch__value *z) {
    int32_t n = s->func->n_values;
    ch__builder before = {.func = s->func, .region = back->parent, .before = back, .loc = back->loc};
    ch__loop_map one = {CH_NEW_ARRAY(s->scratch, ch__value *, n), n};
    one.to[z->id] = ch__b_splat(&before, z->type, 1.0);
    ch__loop_replace(&one, back->regions[0], back->regions[0]->first);
    ch__builder after = {.func = s->func, .region = back->parent, .before = back->next, .loc = back->loc};
    ch__value **to = CH_NEW_ARRAY(s->scratch, ch__value *, n);
    ch__op *first = back->next; // what follows reads the products, the products what back gives
    for (int i = 0; i < back->n_results; i++) {
        ch__value *x = &back->results[i], *start = back->operands[3 + i];
        if (x->type->rank > 0) {
            to[x->id] = share_times_each(s, &after, z, x);
            continue;
        }
        back->operands[3 + i] = ch__b_splat(&before, x->type, 0.0);
        to[x->id] = ch__b_add(&after, start, share_times(&after, z, x));
    }
    ch__loop_map m = {to, n};
    ch__loop_replace(&m, back->parent, first);
}

// Whether op and back become one once back is written so; writes it so.
static bool defer_number(ch__sharing *s, ch__op *op, ch__op *back) {
    if (!goes_back(op, back) || !hand_over_tapes(s, op, back)) return false;
    if (op->regions[0]->first == NULL || back->regions[0]->first == NULL || mark_waiting(s, op, back)) return false;
    ch__value *z = number_waited_for(s, back);
    if (z == NULL || !adds_only(s, back)) return false;
    multiply_after(s, back, z);
    return true;
}

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

static bool may_join_alike(ch__sharing *s, ch__op *one, ch__op *two) {
    if (s->calls == NULL || has_tape(one) || has_tape(two)) return false;
    for (int i = 0; i < 3; i++)
        if (one->operands[i] != two->operands[i]) return false;
    adjoint_search c = {.s = s, .other = one};
    ch__walk(two->regions[0], find_call_of, &c);
    c.other = two;
    if (!c.found) ch__walk(one->regions[0], find_call_of, &c);
    return c.found && mark_waiting(s, one, two);
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

// Carried numbers that are always equal: the first stands for the others.
static bool drop_twins(ch__sharing *s, ch__op *loop) {
    ch__region *body = loop->regions[0];
    ch__value **to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values);
    bool any = false;
    for (int a = 0; a < loop->n_results; a++)
        for (int b = a + 1; b < loop->n_results; b++) {
            const ch__type *t = loop->results[a].type;
            if (t->rank > 0 || t->tape || !ch__type_equal(t, loop->results[b].type) ||
                loop->operands[3 + a] != loop->operands[3 + b] || to[loop->results[b].id] != NULL ||
                (s->uses[body->params[1 + b]->id].n == 0 && s->uses[loop->results[b].id].n == 0) ||
                !are_twins(loop, a, b, body->results[a], body->results[b], 0))
                continue;
            to[loop->results[b].id] = &loop->results[a];
            to[body->params[1 + b]->id] = body->params[1 + a];
            any = true;
        }
    if (any) ch__replace_uses(s->func, to);
    return any;
}

static bool share_pair(ch__sharing *s, ch__op *one, ch__op *two) {
    if (drop_equal(s, one, two)) return true;
    if (may_join_alike(s, one, two)) {
        join_loops(s, one, two, true);
        return true;
    }
    for (int k = 0; k < 2; k++) {
        ch__op *op = k == 0 ? one : two, *back = k == 0 ? two : one;
        if (!may_join_loops(s, op, back, k == 0)) continue;
        join_loops(s, op, back, k == 0);
        return true;
    }
    return defer_number(s, one, two); // the next turn joins them
}

// ---------------------------------------------------------------- branches
// All but moves and what takes a few cycles.
static void find_costly(void *arg, ch__op *op) {
    bool *found = arg;
    const ch__op_info *info = ch__op_info_of((ch__opcode)op->code);
    bool floats = op->n_results > 0 && ch__is_float(op->results[0].type->dtype);
    switch ((ch__opcode)op->code) {
    case CH_OP_for:
    case CH_OP_while:
    case CH_OP_call: *found = true; return;
    case CH_OP_neg:
    case CH_OP_abs:
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_mul:
    case CH_OP_min:
    case CH_OP_max:
    case CH_OP_select:
    case CH_OP_convert: return;
    default: *found |= floats && info->flags & CH__ELEMWISE;
    }
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
        bool waits = op_waits(s, at);
        for (int i = 0; i < at->n_results && waits; i++) s->waits[at->results[i].id] = 1;
    }
    for (int i = 0; i < op->n_results; i++) s->waits[op->results[i].id] = 0;
    bool waits = op_waits(s, later);
    for (int i = 0; i < op->n_results; i++) s->waits[op->results[i].id] = 1;
    return !waits;
}

static void join_branches(ch__sharing *s, ch__op *op, ch__op *later) {
    ch__op *tail = later;
    for (ch__op *at = op->next, *next; at != later; at = next) {
        next = at->next;
        if (!op_waits(s, at)) continue;
        move_behind(at, tail);
        tail = at;
    }
    int n = op->n_results, m = later->n_results;
    int32_t n_values = s->func->n_values;
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n + m);
    for (int i = 0; i < n + m; i++) types[i] = (i < n ? &op->results[i] : &later->results[i - n])->type;
    for (int k = 0; k < 2; k++) {
        ch__region *side = op->regions[k], *more = later->regions[k];
        ch__loop_map inside = {CH_NEW_ARRAY(s->scratch, ch__value *, n_values), n_values};
        for (int i = 0; i < n; i++) inside.to[op->results[i].id] = side->results[i];
        ch__loop_replace(&inside, more, more->first);
        ch__value **yields = CH_NEW_ARRAY(s->scratch, ch__value *, n + m);
        for (int i = 0; i < n + m; i++) yields[i] = i < n ? side->results[i] : more->results[i - n];
        ch__builder b = ch__builder_at_end(side);
        ch__op *end = ch__build_raw(&b, CH_OP_barrier, 0, NULL, 0, NULL, 0, NULL, 0, NULL);
        while (more->first != NULL) ch__op_move_before(more->first, end);
        ch__op_remove(end);
        ch__region_set_results(side, n + m, yields);
    }
    ch__builder b = {.func = s->func, .region = later->parent, .before = later, .loc = op->loc};
    ch__op *both = ch__build_raw(&b, CH_OP_if, 1, op->operands, 0, NULL, n + m, types, 2, op->regions);
    ch__value **to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values);
    for (int i = 0; i < n + m; i++) {
        const ch__value *old = i < n ? &op->results[i] : &later->results[i - n];
        both->results[i].name = old->name;
        to[old->id] = &both->results[i];
    }
    ch__op_remove(op);
    ch__op_remove(later);
    ch__replace_uses(s->func, to);
}

// One pair of the region or of those in it; false: there is none.
static bool share_one(ch__sharing *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (ch__op *later = op->next; later != NULL && op->code == CH_OP_if; later = later->next)
            if (may_join_branches(s, op, later)) {
                join_branches(s, op, later);
                return true;
            }
        if (op->code == CH_OP_for && s->calls != NULL && drop_twins(s, op)) return true;
        for (ch__op *back = op->next; back != NULL && op->code == CH_OP_for; back = back->next)
            if (back->code == CH_OP_for && share_pair(s, op, back)) return true;
        for (int k = 0; k < op->n_regions; k++)
            if (share_one(s, op->regions[k])) return true;
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
    ch__op *tail = adjoint;
    for (ch__op *at = call_first ? call->next : adjoint, *next; at != adjoint; at = next) {
        next = at->next;
        if (!op_waits(s, at)) continue;
        move_behind(at, tail);
        tail = at;
    }
    int n = call->n_results, m = adjoint->n_results;
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n + m);
    for (int i = 0; i < n + m; i++) types[i] = (i < n ? &call->results[i] : &adjoint->results[i - n])->type;
    const ch_func *bar = ch__op_attr(adjoint, CH__ATTR_callee)->func;
    ch__attr callee = ch__attr_func(CH__ATTR_callee, ch__map_get(&s->calls->both, (uintptr_t)bar));
    ch__builder b = {.func = s->func, .region = adjoint->parent, .before = adjoint, .loc = adjoint->loc};
    ch__op *both =
        ch__build_raw(&b, CH_OP_call, adjoint->n_operands, adjoint->operands, 1, &callee, n + m, types, 0, NULL);
    ch__value **to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values);
    for (int i = 0; i < n + m; i++) {
        const ch__value *old = i < n ? &call->results[i] : &adjoint->results[i - n];
        both->results[i].name = old->name;
        to[old->id] = &both->results[i];
    }
    ch__op_remove(call);
    ch__op_remove(adjoint);
    ch__replace_uses(s->func, to);
}

// One pair of the region or of those in it; false: there is none.
static bool share_call(ch__sharing *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        for (ch__op *two = r->first; two != NULL && op->code == CH_OP_call; two = two->next) {
            if (!is_adjoint_of(s, op, two)) continue;
            const ch__op *at = op;
            while (at != NULL && at != two) at = at->next;
            if (at != NULL && !mark_waiting(s, op, two)) continue;
            join_calls(s, op, two, at != NULL);
            return true;
        }
        for (int k = 0; k < op->n_regions; k++)
            if (share_call(s, op->regions[k])) return true;
    }
    return false;
}

// ---------------------------------------------------------------- all
typedef bool share_step(ch__sharing *s, ch__region *r);

static int64_t share_all(ch_func *f, const ch__calls *calls, share_step *step) {
    int64_t all = 0;
    for (int turn = 0; turn < 64; turn++) { // each pair makes the next ones see more
        ch__sharing s = {.func = f, .calls = calls, .scratch = ch__arena_create()};
        s.uses = CH_NEW_ARRAY(s.scratch, ch__value_uses, f->n_values);
        s.waits = CH_NEW_ARRAY(s.scratch, uint8_t, f->n_values);
        ch__share_uses(&s, f->body);
        bool any = step(&s, f->body);
        ch__arena_destroy(s.scratch);
        if (!any) break;
        all++;
        ch__optimize(f);
    }
    return all;
}

int64_t ch__share_loops(ch_func *f, const ch__calls *calls) { return share_all(f, calls, share_one); }

int64_t ch__share_calls(ch_func *f, const ch__calls *calls) { return share_all(f, calls, share_call); }
