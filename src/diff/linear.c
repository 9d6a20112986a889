// SPDX-License-Identifier: Apache-2.0
// linear.c - whether what a reverse loop sums is one number times sums that do not know the number.
//
//     d = for i iter(e = 0) { yield e + z * g(x[i]) }   is   z * (for i iter(e = 0) { yield e + g(x[i]) })
//
// Every value of the body is independent of z, linear in it (z times something: what is carried, from zeros on, too),
// or neither, and then nothing is known. A comparison of what is linear with 0 says the same for every z but 0.
#include "diff/loops.h"

typedef enum { FREE, LINEAR, NEITHER } linear_kind;
typedef struct {
    ch__arena *scratch;
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

bool ch__linear_in(ch__arena *scratch, const ch__op *loop, const ch__value *z) {
    linear_state s = {scratch, CH_NEW_ARRAY(scratch, uint8_t, loop->parent->func->n_values)};
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
