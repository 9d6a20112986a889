// SPDX-License-Identifier: Apache-2.0
// uses.c - where each value of a func is used, and whether a region only adds to a value: what loops of adjoints do.
//
// A value is followed from version to version: additions to a number; set of get plus something at one place of an
// array; the same inside of branches and inner loops, and by adjoints of calls; and no other use.
#include "diff/share.h"

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
    if (op->code != CH_OP_call) return NULL;
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
