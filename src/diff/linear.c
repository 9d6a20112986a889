// SPDX-License-Identifier: Apache-2.0
// linear.c - a reverse loop that waits for one number sums without it, and what it gives is multiplied.
//
//     d = for i iter(e = 0) { yield e + z * g(x[i]) }   is   z * (for i iter(e = 0) { yield e + g(x[i]) })
//
// Then it waits for nothing, and becomes one with the primal loop (share.c): z is 1 / count in a mean over what was
// counted. The product is 0 where z or the sum is, whatever the other: what nothing was added to stays 0 when z is
// infinite, and a guard in the loop has not seen that z is 0.
//
// Every value of the body is independent of z, linear in it (z times something: what is carried, from zeros on, too),
// or neither, and then nothing is known. A comparison of what is linear with 0 says the same for every z but 0.
#include "diff/share.h"

typedef enum { FREE, LINEAR, NEITHER } linear_kind;
typedef struct {
    uint8_t *kind; // by value id
} linear_state;

static bool is_nothing(const ch__value *v) { return ch__const_is_splat(v, 0.0); }

static linear_kind kind_of(const linear_state *s, const ch__value *v) { return (linear_kind)s->kind[v->id]; }

// Of a sum or a choice: all linear, or zero as it stands; or all free.
static linear_kind alike(const linear_state *s, const ch__value *x, const ch__value *y) {
    linear_kind a = kind_of(s, x), b = kind_of(s, y);
    if (a == b) return a;
    if ((a == LINEAR && is_nothing(y)) || (b == LINEAR && is_nothing(x))) return LINEAR;
    return NEITHER;
}

static bool is_zero_test(const ch__op *op) {
    int64_t dir = ch__op_int(op, CH__ATTR_dir, CH__EQ);
    return op->code == CH_OP_compare && (dir == CH__EQ || dir == CH__NE) && is_nothing(op->operands[1]);
}

static linear_kind kind_of_op(const linear_state *s, const ch__op *op) {
    ch__value *const *xs = op->operands;
    bool free = true;
    for (int i = 0; i < op->n_operands; i++) free = free && kind_of(s, xs[i]) == FREE;
    if (free) return FREE;
    switch ((ch__opcode)op->code) {
    case CH_OP_neg: return kind_of(s, xs[0]);
    case CH_OP_add:
    case CH_OP_sub: return alike(s, xs[0], xs[1]);
    case CH_OP_mul:
        if (kind_of(s, xs[0]) == FREE) return kind_of(s, xs[1]);
        return kind_of(s, xs[1]) == FREE ? kind_of(s, xs[0]) : NEITHER;
    case CH_OP_div: return kind_of(s, xs[1]) == FREE ? kind_of(s, xs[0]) : NEITHER;
    case CH_OP_select: return kind_of(s, xs[0]) == FREE ? alike(s, xs[1], xs[2]) : NEITHER;
    case CH_OP_compare: return is_zero_test(op) && kind_of(s, xs[0]) == LINEAR ? FREE : NEITHER;
    case CH_OP_get:
        for (int i = 1; i < op->n_operands; i++)
            if (kind_of(s, xs[i]) != FREE) return NEITHER;
        return kind_of(s, xs[0]);
    case CH_OP_set:
        for (int i = 2; i < op->n_operands; i++)
            if (kind_of(s, xs[i]) != FREE) return NEITHER;
        return alike(s, xs[0], xs[1]);
    default: return NEITHER;
    }
}

static bool linear_region(linear_state *s, const ch__region *r);

static bool linear_branch(linear_state *s, const ch__op *op) {
    if (kind_of(s, op->operands[0]) != FREE) return false;
    for (int k = 0; k < 2; k++)
        if (!linear_region(s, op->regions[k])) return false;
    for (int i = 0; i < op->n_results; i++)
        s->kind[op->results[i].id] = (uint8_t)alike(s, op->regions[0]->results[i], op->regions[1]->results[i]);
    return true;
}

// What goes round is linear when it becomes so; again until no kind changes.
static bool linear_loop(linear_state *s, const ch__op *op) {
    const ch__region *body = op->regions[0];
    for (int i = 0; i < 3; i++)
        if (kind_of(s, op->operands[i]) != FREE) return false;
    s->kind[body->params[0]->id] = FREE;
    for (int i = 0; i < op->n_results; i++) s->kind[body->params[1 + i]->id] = s->kind[op->operands[3 + i]->id];
    for (bool again = true; again;) {
        again = false;
        if (!linear_region(s, body)) return false;
        for (int i = 0; i < op->n_results; i++) {
            const ch__value *init = op->operands[3 + i], *param = body->params[1 + i];
            linear_kind before = kind_of(s, param), after = kind_of(s, body->results[i]);
            if (before == after) continue;
            // it starts from nothing and what is added is linear; or ends as nothing, and was linear
            bool starts = before == FREE && after != FREE && is_nothing(init);
            if (before == LINEAR && is_nothing(body->results[i])) continue;
            if (before == FREE && after == NEITHER && is_nothing(init)) starts = true;
            if (!starts) return false;
            s->kind[param->id] = LINEAR;
            again = true;
        }
    }
    for (int i = 0; i < op->n_results; i++) s->kind[op->results[i].id] = s->kind[body->params[1 + i]->id];
    return true;
}

static bool linear_region(linear_state *s, const ch__region *r) {
    for (const ch__op *op = r->first; op != NULL; op = op->next) {
        if (op->code == CH_OP_if) {
            if (!linear_branch(s, op)) return false;
        } else if (op->code == CH_OP_for) {
            if (!linear_loop(s, op)) return false;
        } else if (op->n_regions > 0) {
            return false;
        } else {
            linear_kind kind = kind_of_op(s, op);
            for (int i = 0; i < op->n_results; i++) s->kind[op->results[i].id] = (uint8_t)kind;
        }
    }
    return true;
}

// Whether all that a for sums is z times sums that do not depend on z, a number from outside; arrays start from zeros.
static bool is_linear_in(ch__arena *scratch, const ch__op *loop, const ch__value *z) {
    linear_state s = {CH_NEW_ARRAY(scratch, uint8_t, loop->parent->func->n_values)};
    const ch__region *body = loop->regions[0];
    s.kind[z->id] = LINEAR;
    for (int i = 0; i < loop->n_results; i++) {
        if (!is_nothing(loop->operands[3 + i]) && loop->results[i].type->rank > 0) return false;
        s.kind[body->params[1 + i]->id] = LINEAR;
    }
    if (!linear_region(&s, body)) return false;
    for (int i = 0; i < loop->n_results; i++)
        if (kind_of(&s, body->results[i]) != LINEAR) return false;
    return true;
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
// ch__share_mark has found that back waits.
static ch__value *number_waited_for(ch__sharing *s, ch__op *back) {
    for (int i = 0; i < back->n_operands; i++)
        if (s->waits[back->operands[i]->id] && (i < 3 || back->operands[i]->type->rank > 0)) return NULL;
    number_search n = {.s = s};
    ch__walk(back->regions[0], find_number, &n);
    for (int i = 0; i < back->n_results; i++) n.others |= s->waits[back->regions[0]->results[i]->id];
    if (n.number == NULL || n.others || n.number->type->rank > 0 || !ch__is_float(n.number->type->dtype)) return NULL;
    if (ch_dtype_size(n.number->type->dtype) < 4) return NULL; // sums without it may have no room
    for (int i = 0; i < back->n_results; i++) {
        const ch__type *t = back->results[i].type;
        if (t->tape || t->rank > 1 || t->dtype != n.number->type->dtype) return NULL;
    }
    return is_linear_in(s->scratch, back, n.number) ? n.number : NULL;
}

// z x; 0 where one of them is: what nothing was added to, or what comes too late for a guard in the loop.
static ch__value *times_number(ch__builder *b, ch__value *z, ch__value *x) {
    ch__value *zero = ch__b_splat(b, z->type, 0.0);
    ch__value *nothing =
        ch__b_binary(b, CH_OP_or, ch__b_compare(b, CH__EQ, z, zero), ch__b_compare(b, CH__EQ, x, zero));
    return ch__b_select(b, nothing, zero, ch__b_mul(b, x, z));
}

// The elements of an array, in place.
static ch__value *times_each(ch__sharing *s, ch__builder *b, ch__value *z, ch__value *x) {
    ch__region *body = ch__region_create(s->func, NULL);
    ch__value *bounds[4] = {ch__loop_const(b, 0), ch__loop_dim(b, x->type->dims[0]), ch__loop_const(b, 1), x};
    ch__value *get[2], *set[3];
    get[1] = set[2] = ch__region_add_param(body, NULL, ch__type_scalar(CH_I64));
    get[0] = set[0] = ch__region_add_param(body, NULL, x->type);
    ch__builder in = ch__builder_at_end(body);
    in.loc = b->loc;
    set[1] = times_number(&in, z, ch__build(&in, CH_OP_get, 2, get, 0, NULL, 0, NULL, 0, NULL)->results);
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
            to[x->id] = times_each(s, &after, z, x);
            continue;
        }
        back->operands[3 + i] = ch__b_splat(&before, x->type, 0.0);
        to[x->id] = ch__b_add(&after, start, times_number(&after, z, x));
    }
    ch__loop_map m = {to, n};
    ch__loop_replace(&m, back->parent, first);
}

bool ch__defer_number(ch__sharing *s, ch__op *back) {
    ch__value *z = number_waited_for(s, back);
    if (z == NULL) return false;
    multiply_after(s, back, z);
    return true;
}
