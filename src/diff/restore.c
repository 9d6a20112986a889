// SPDX-License-Identifier: Apache-2.0
// restore.c - arrays that a loop changes in place, on their way back.
//
//     a1 = set a0[i], v                       forwards
//     old = get a0[i]                         kept of each iteration
//     v = get a1[i];  a0 = set a1[i], old     backwards
//
// The reverse of a loop may read a version of such an array: an inner loop that reads elements of it does. To keep the
// array of each iteration would cost its size each time; instead the reverse loop carries the array itself, from its
// last version on, and each iteration undoes its changes while its rules are passed, so every rule finds the version it
// asks for. What is kept is the elements that were overwritten. Inner loops that change the array do the same inside.
// Where nothing reads the array it is not carried, and nothing of it is kept.
//
// A value that can be had this way is `restored` (by key). Rules get it from ch__vjp_operand and ch__vjp_result, code
// that is computed again from ch__sweep_clone.
#include "diff/loops.h"

#include <string.h>

static ch__region *restore_home(const ch__value *k) { return k->op != NULL ? k->op->parent : k->region; }
static bool restore_is_loop(const ch__op *op) { return op->code == CH_OP_for || op->code == CH_OP_while; }
static int restore_inits(const ch__op *op) { return op->code == CH_OP_for ? 3 : 0; }
static bool restore_puts(const ch__op *op) { return op->code == CH_OP_set || op->code == CH_OP_dynamic_update_slice; }

// Whether carried value i of a loop is an array that the body only changes by ops that can be
// undone, and does change. Recurses on nesting.
bool ch__restore_can(const ch__op *loop, int i) {
    const ch__region *body = loop->regions[loop->n_regions - 1];
    const ch__value *v = body->results[i], *param = body->params[(loop->code == CH_OP_for ? 1 : 0) + i];
    if (v->type->rank == 0 || v->type->tape || v == param) return false;
    while (v != param) {
        const ch__op *op = v->op;
        if (op == NULL || op->parent != body) return false;
        if (restore_puts(op)) {
            v = op->operands[0];
        } else if (restore_is_loop(op) && ch__restore_can(op, v->index)) {
            v = op->operands[restore_inits(op) + v->index];
        } else {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------- all at once
// Where all that is read is the array as the iteration finds it, its changes are undone before that is computed
// again, which then reads what it likes: elements need not be kept.

enum { RESTORE_DEPTH = 6 }; // of the computation of an index

// Whether key v follows from the counter and values from outside by a few ops.
static bool from_outside(const ch__region *body, bool counted, const ch__value *v, int depth) {
    if (restore_home(v) != body) return true;
    if (v->op == NULL) return counted && v->index == 0;
    if (depth == RESTORE_DEPTH || v->type->rank > 0 || v->op->n_regions > 0 || v->op->n_results != 1) return false;
    for (int i = 0; i < v->op->n_operands; i++)
        if (!from_outside(body, counted, v->op->operands[i], depth + 1)) return false;
    return true;
}

// Is key v a later version of the array `param`?
static bool is_changed(const ch__value *v, const ch__value *param) {
    bool any = false;
    while (v->op != NULL && restore_puts(v->op) && v->op->parent == param->region) {
        v = v->op->operands[0];
        any = true;
    }
    return any && v == param;
}

static bool reads_changed(const ch__region *r, const ch__region *body, const ch__value *param) {
    for (const ch__op *op = r->first; op != NULL; op = op->next) {
        for (int j = 0; j < op->n_operands; j++)
            if (!(r == body && j == 0 && restore_puts(op)) && is_changed(op->operands[j], param)) return true;
        for (int j = 0; j < op->n_regions; j++)
            if (reads_changed(op->regions[j], body, param)) return true;
    }
    for (int j = 0; j < r->n_results && r != body; j++)
        if (is_changed(r->results[j], param)) return true;
    return false;
}

bool ch__restore_at_once(const ch__op *loop, int i) {
    const ch__region *body = loop->regions[loop->n_regions - 1];
    int first = loop->code == CH_OP_for ? 1 : 0;
    const ch__value *param = body->params[first + i];
    for (const ch__value *v = body->results[i]; v != param; v = v->op->operands[0]) {
        if (!restore_puts(v->op)) return false;
        for (int j = 2; j < v->op->n_operands; j++)
            if (!from_outside(body, first == 1, v->op->operands[j], 0)) return false;
    }
    for (int j = 0; j < body->n_results; j++)
        if (j != i && is_changed(body->results[j], param)) return false;
    return !reads_changed(body, body, param);
}

// ---------------------------------------------------------------- what is restored
void ch__sweep_restored(ch__sweep *s, const ch__value *k, ch__value *v) {
    s->restored[k->id] = v;
    CH_PUSH(s->scratch, &s->restored_keys, k);
}

void ch__sweep_forget(ch__sweep *s, int64_t mark) {
    while (s->restored_keys.n > mark) s->restored[s->restored_keys.data[--s->restored_keys.n]->id] = NULL;
}

static bool is_around(const ch__region *r, const ch__region *inner) {
    while (inner != r && inner->owner != NULL) inner = inner->owner->parent;
    return inner == r;
}

void ch__sweep_clone(ch__sweep *s, const ch__region *key) {
    int64_t n = s->restored_keys.n;
    ch__value **saved = CH_NEW_ARRAY(s->scratch, ch__value *, n);
    const ch__region *outer = key->owner != NULL ? key->owner->parent : NULL;
    for (int64_t i = 0; i < n; i++) {
        const ch__value *k = s->restored_keys.data[i];
        saved[i] = s->map.to[k->id];
        if (outer == NULL || s->restored[k->id] == NULL || !is_around(restore_home(k), outer)) continue;
        s->map.to[k->id] = s->restored[k->id];
    }
    ch__clone_region_ops(&s->b, key, &s->map, NULL, NULL);
    for (int64_t i = n; i-- > 0;) {
        const ch__value *k = s->restored_keys.data[i];
        if (outer != NULL && is_around(restore_home(k), outer)) s->map.to[k->id] = saved[i];
    }
}

// ---------------------------------------------------------------- undoing
// The element or block that `put` overwrites, of array x, at b. at: its operands, of which indices are read.
static ch__op *taken_at(ch__builder *b, const ch__op *put, ch__value *x, ch__value *const *at) {
    ch__value *xs[CH__MAX_RANK + 2];
    ch__attr attrs[2];
    int n = 0, n_attrs = 0;
    const ch__attr *bounds = ch__op_attr(put, CH__ATTR_bounds);
    xs[n++] = x;
    for (int i = 2; i < put->n_operands; i++) xs[n++] = at[i];
    if (put->code == CH_OP_dynamic_update_slice)
        attrs[n_attrs++] = ch__attr_dims(CH__ATTR_sizes, put->operands[1]->type->rank, put->operands[1]->type->dims);
    if (bounds != NULL) attrs[n_attrs++] = *bounds;
    ch__opcode code = put->code == CH_OP_set ? CH_OP_get : CH_OP_dynamic_slice;
    return ch__build(b, code, n, xs, n_attrs, attrs, 0, NULL, 0, NULL);
}

static bool takes_the_same(const ch__op *op, const ch__op *taken) {
    if (op->code != taken->code || op->n_operands != taken->n_operands) return false;
    for (int i = 0; i < op->n_operands; i++)
        if (op->operands[i] != taken->operands[i]) return false;
    return ch__type_equal(op->results[0].type, taken->results[0].type);
}

// Writes before each op of the chain what it overwrites, or finds it where the program reads it itself. `again`: the
// iteration computed again.
void ch__restore_note(ch__sweep *s, const ch__op *loop, int i) {
    const ch__region *body = loop->regions[loop->n_regions - 1];
    const ch__value *k = body->results[i], *param = body->params[(loop->code == CH_OP_for ? 1 : 0) + i];
    while (k != param) {
        const ch__op *key = k->op;
        if (!restore_puts(key)) {
            k = key->operands[restore_inits(key) + k->index];
            continue;
        }
        ch__op *put = s->map.to[k->id]->op;
        ch__builder b = {.func = s->func, .region = put->parent, .before = put, .loc = put->loc};
        ch__op *taken = taken_at(&b, put, put->operands[0], put->operands), *same = put->parent->first;
        while (same != taken && !takes_the_same(same, taken)) same = same->next;
        if (same != taken) ch__op_remove(taken);
        s->overwritten[k->id] = &same->results[0];
        k = key->operands[0];
    }
}

void ch__restore_op(ch__sweep *s, const ch__op *key) {
    if (s->restored == NULL || !restore_puts(key)) return;
    ch__value *now = s->restored[key->results[0].id], *old = s->overwritten[key->results[0].id];
    if (now == NULL || old == NULL) return;
    const ch__op *put = s->map.to[key->results[0].id]->op;
    const ch__value *v = key->operands[1];
    if (v->op != NULL && v->op->parent == key->parent && s->restored[v->id] == NULL)
        ch__sweep_restored(s, v, taken_at(&s->b, put, now, put->operands)->results);
    ch__value *xs[CH__MAX_RANK + 2];
    for (int i = 0; i < put->n_operands; i++) xs[i] = put->operands[i];
    xs[0] = now;
    xs[1] = old;
    ch__op *op =
        ch__build(&s->b, (ch__opcode)put->code, put->n_operands, xs, put->n_attrs, put->attrs, 0, NULL, 0, NULL);
    ch__sweep_restored(s, key->operands[0], &op->results[0]);
}

// A scalar of the region, computed again at b from its counter and values from outside.
static ch__value *at_front(ch__sweep *s, ch__builder *b, const ch__region *r, ch__value *v) {
    if (restore_home(v) != r || v->op == NULL) return v;
    ch__value **xs = CH_NEW_ARRAY(s->scratch, ch__value *, v->op->n_operands);
    for (int i = 0; i < v->op->n_operands; i++) xs[i] = at_front(s, b, r, v->op->operands[i]);
    return ch__build_raw(b, (ch__opcode)v->op->code, v->op->n_operands, xs, v->op->n_attrs, v->op->attrs, 1, &v->type,
                         0, NULL)
        ->results;
}

// The ops that put, from key `end` back to key `param`, with what they overwrite.
int ch__restore_chain(const ch__sweep *s, const ch__value *end, const ch__value *param, ch__op **puts,
                      ch__value **olds) {
    int n = 0;
    for (const ch__value *k = end; k != param; k = k->op->operands[0], n++) {
        if (puts == NULL) continue;
        puts[n] = s->map.to[k->id]->op;
        olds[n] = s->overwritten[k->id];
    }
    return n;
}

// Undoes the ops at b, the first of region r: gives the array as the iteration finds it. olds: what they overwrote;
// values: out, what they had put.
ch__value *ch__restore_all(ch__sweep *s, ch__builder *b, const ch__region *r, ch__value *end, int n,
                           ch__op *const *puts, ch__value *const *olds, ch__value **values) {
    for (int k = 0; k < n; k++) {
        const ch__op *put = puts[k];
        ch__value *xs[CH__MAX_RANK + 2];
        for (int j = 2; j < put->n_operands; j++) xs[j] = at_front(s, b, r, put->operands[j]);
        values[k] = taken_at(b, put, end, xs)->results;
        xs[0] = end;
        xs[1] = olds[k];
        end = ch__build(b, (ch__opcode)put->code, put->n_operands, xs, put->n_attrs, put->attrs, 0, NULL, 0, NULL)
                  ->results;
    }
    return end;
}
