// SPDX-License-Identifier: Apache-2.0
// alone.c - sums that a loop adds to one element of an array are numbers until the loop is over.
//
//     for j { a[i] = a[i] + x[j];  a[j] = a[j] + y[j] }      s = 0;  for j { s = s + x[j];  a[j] = a[j] + y[j] }
//                                                            if the loop has a turn { a[i] = a[i] + s }
//
// Of adjoints alone: the array is only added to while the loop runs, and sums of adjoints are taken in any order
// (docs/derivatives.md), so that a[j] may be a[i] does not matter. A number stays in a register; an element is loaded
// and stored in each turn, and each turn waits for the one before. An element that may not be there when the loop has
// no turn is not touched then.
#include "diff/share.h"

enum { ALONE_MOST = 16 }; // numbers that a loop gets

static bool is_inside(const ch__value *v, const ch__op *loop) {
    const ch__region *r = v->op != NULL ? v->op->parent : v->region;
    for (; r != NULL; r = r->owner != NULL ? r->owner->parent : NULL)
        if (r->owner == loop) return true;
    return false;
}

// A place that the body computes from what is outside.
static bool is_same_place(const ch__value *v, const ch__op *loop, int depth) {
    if (!is_inside(v, loop)) return true;
    const ch__op *op = v->op;
    if (op == NULL || depth > 8) return false;
    switch ((ch__opcode)op->code) {
    case CH_OP_const:
    case CH_OP_dim: return true;
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_mul:
    case CH_OP_neg:
    case CH_OP_convert:
        if (!ch__is_int(v->type->dtype) || !ch__is_int(op->operands[0]->type->dtype)) return false;
        for (int i = 0; i < op->n_operands; i++)
            if (!is_same_place(op->operands[i], loop, depth + 1)) return false;
        return true;
    default: return false;
    }
}

// The same place at b, outside of the loop.
static ch__value *alone_place(ch__builder *b, ch__value *v, const ch__op *loop) {
    if (!is_inside(v, loop)) return v;
    const ch__op *op = v->op;
    ch__value *xs[2] = {NULL};
    for (int i = 0; i < op->n_operands; i++) xs[i] = alone_place(b, op->operands[i], loop);
    return ch__build_raw(b, op->code, op->n_operands, xs, op->n_attrs, op->attrs, 1, &v->type, 0, NULL)->results;
}

// The element that set writes is the one that get reads, and it is the same in every turn.
static bool is_one_element(const ch__op *loop, const ch__op *get, const ch__op *set) {
    for (int i = 1; i < get->n_operands; i++)
        if (get->operands[i] != set->operands[i + 1] || !is_same_place(get->operands[i], loop, 0)) return false;
    return true;
}

// The get that a set of the loop's body adds to; NULL: the set is none of an element that stays the same.
static ch__op *alone_get(const ch__sharing *s, const ch__op *loop, const ch__op *set) {
    if (set->operands[1]->type->rank > 0 || ch__map_get(&s->calls->adds, (uintptr_t)set) == NULL) return NULL;
    if (set->operands[0]->id >= s->n_values) return NULL; // what another loop of this step gives
    const ch__value_uses *uses = &s->uses[set->operands[0]->id];
    if (uses->n != 2) return NULL;
    ch__op *get = uses->data[0].op == set ? uses->data[1].op : uses->data[0].op;
    if (get == NULL || get->code != CH_OP_get || get->parent != set->parent || get->operands[0] != set->operands[0])
        return NULL;
    return is_one_element(loop, get, set) ? get : NULL;
}

// Whether the element is there even when the loop has no turn.
static bool is_there(const ch__op *set) {
    const ch__type *t = set->operands[0]->type;
    for (int i = 0; i < t->rank; i++) {
        double at;
        if (!ch__dim_is_const(t->dims[i]) || !ch__const_splat_f64(set->operands[2 + i], &at)) return false;
        if (!(at >= 0 && at < (double)t->dims[i].val)) return false;
    }
    return true;
}

// array with x added to the element of `like`.
static ch__value *added_to(ch__builder *b, const ch__op *loop, const ch__op *like, ch__value *array, ch__value *x) {
    ch__value *xs[2 + CH__MAX_RANK] = {array};
    int n = like->n_operands;
    for (int i = 2; i < n; i++) xs[i - 1] = alone_place(b, like->operands[i], loop);
    ch__value *old = ch__build_raw(b, CH_OP_get, n - 1, xs, like->n_attrs, like->attrs, 1, &x->type, 0, NULL)->results;
    for (int i = n - 1; i >= 2; i--) xs[i] = xs[i - 1];
    xs[1] = ch__b_add(b, old, x);
    return ch__build_raw(b, CH_OP_set, n, xs, like->n_attrs, like->attrs, 1, &array->type, 0, NULL)->results;
}

typedef struct {
    ch__op *set;
    int array; // which carried value
} alone_sum;

static ch__value *add_all(ch__builder *b, const ch__op *loop, const alone_sum *sums, int n, int array, ch__value *v,
                          ch__value *numbers) {
    for (int i = 0; i < n; i++)
        if (sums[i].array == array) v = added_to(b, loop, sums[i].set, v, &numbers[i]);
    return v;
}

// The array after the loop with the sums for it added, where there was a turn.
static ch__value *after_loop(ch__builder *b, const ch__op *loop, const alone_sum *sums, int n, int array, ch__value *v,
                             ch__value *numbers) {
    bool there = true;
    double step = 0;
    for (int i = 0; i < n; i++) there = there && (sums[i].array != array || is_there(sums[i].set));
    if (there) return add_all(b, loop, sums, n, array, v, numbers);
    ch__const_splat_f64(loop->operands[2], &step);
    ch__value *turns = ch__b_compare(b, step > 0 ? CH__LT : CH__GT, loop->operands[0], loop->operands[1]);
    ch__region *sides[2];
    for (int k = 0; k < 2; k++) {
        sides[k] = ch__region_create(b->func, NULL);
        ch__builder in = ch__builder_at_end(sides[k]);
        in.loc = b->loc;
        ch__value *y = k == 0 ? add_all(&in, loop, sums, n, array, v, numbers) : v;
        ch__region_set_results(sides[k], 1, &y);
    }
    return ch__build_raw(b, CH_OP_if, 1, &turns, 0, NULL, 1, &v->type, 2, sides)->results;
}

// The loop with numbers for the sums; what is left of their gets and sets feeds nothing.
static void write_numbers(ch__sharing *s, ch__op *loop, const alone_sum *sums, int n) {
    ch__region *body = loop->regions[0];
    int m = loop->n_results;
    ch__value **xs = CH_NEW_ARRAY(s->scratch, ch__value *, 3 + m + n);
    ch__value **yields = CH_NEW_ARRAY(s->scratch, ch__value *, m + n);
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, m + n);
    ch__op **gets = CH_NEW_ARRAY(s->scratch, ch__op *, n);
    ch__builder b = {.func = s->func, .region = loop->parent, .before = loop, .loc = loop->loc};
    for (int i = 0; i < 3 + m; i++) xs[i] = loop->operands[i];
    for (int i = 0; i < m; i++) yields[i] = body->results[i], types[i] = loop->results[i].type;
    for (int i = 0; i < n; i++) {
        ch__op *set = sums[i].set, *get = alone_get(s, loop, set);
        types[m + i] = get->results[0].type;
        xs[3 + m + i] = ch__b_splat(&b, types[m + i], 0.0);
        yields[m + i] = set->operands[1];
        gets[i] = get;
        ch__op_remove(get);
        ch__op_remove(set);
        ch__region_add_param(body, NULL, types[m + i]);
    }
    ch__region_set_results(body, m + n, yields);
    ch__op *now = ch__build_raw(&b, CH_OP_for, 3 + m + n, xs, 0, NULL, m + n, types, 1, &body);
    ch__value **after = CH_NEW_ARRAY(s->scratch, ch__value *, m);
    for (int i = 0; i < m; i++) {
        bool has = false;
        for (int k = 0; k < n; k++) has = has || sums[k].array == i;
        now->results[i].name = loop->results[i].name;
        after[i] = has ? after_loop(&b, now, sums, n, i, &now->results[i], &now->results[m]) : &now->results[i];
    }
    ch__value **to = CH_NEW_ARRAY(s->scratch, ch__value *, s->func->n_values);
    for (int i = 0; i < m; i++) to[loop->results[i].id] = after[i];
    for (int i = 0; i < n; i++) {
        to[gets[i]->results[0].id] = body->params[1 + m + i];
        to[sums[i].set->results[0].id] = sums[i].set->operands[0];
    }
    ch__op_remove(loop);
    ch__replace_uses(s->func, to);
}

static bool has_few_turns(const ch__op *loop) {
    double from, to;
    bool known = ch__const_splat_f64(loop->operands[0], &from) && ch__const_splat_f64(loop->operands[1], &to);
    return known && from - to < 8 && to - from < 8;
}

static bool alone_loop(ch__sharing *s, ch__op *loop) {
    ch__region *body = loop->regions[0];
    alone_sum sums[ALONE_MOST];
    double step;
    int n = 0;
    if (has_few_turns(loop) || !ch__const_splat_f64(loop->operands[2], &step) || step == 0) return false;
    for (int i = 0; i < loop->n_results; i++) {
        const ch__type *t = loop->results[i].type;
        if (t->rank == 0 || t->tape || !ch__is_float(t->dtype)) continue;
        if (!ch__only_added(s, body, body->params[1 + i], body->results[i])) continue;
        for (ch__op *op = body->first; op != NULL && n < ALONE_MOST; op = op->next) {
            const ch__value *v = op->code == CH_OP_set ? op->operands[0] : NULL;
            if (v == NULL || alone_get(s, loop, op) == NULL) continue;
            while (v != body->params[1 + i] && v->op != NULL && v->op->parent == body) {
                const ch__op *from = v->op; // back to the param by the versions that only_added has seen
                if (from->code == CH_OP_set) {
                    v = from->operands[0];
                } else if (from->code == CH_OP_for) {
                    v = from->operands[3 + v->index];
                } else {
                    break;
                }
            }
            if (v == body->params[1 + i]) sums[n++] = (alone_sum){op, i};
        }
    }
    if (n == 0) return false;
    write_numbers(s, loop, sums, n);
    return true;
}

// Inner loops first, one loop of a nest in a turn; true: one was changed.
static bool alone_region(ch__sharing *s, ch__region *r) {
    bool any = false;
    for (ch__op *op = r->first, *next; op != NULL; op = next) {
        next = op->next;
        bool inside = false;
        for (int k = 0; k < op->n_regions; k++) inside |= alone_region(s, op->regions[k]);
        if (!inside && op->code == CH_OP_for) inside = alone_loop(s, op);
        any |= inside;
    }
    return any;
}

void ch__sum_alone(ch_func *f, const ch__calls *calls) { ch__share_all(f, calls, alone_region); }
