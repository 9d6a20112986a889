// SPDX-License-Identifier: Apache-2.0
// cse.c - common subexpressions: of two ops that compute the same value the first is kept.
//
// Values are hashed by op, operands, attributes and result types. Ops see those of enclosing regions: entries made inside
// a region leave the table when the region ends. Operands of commuting ops are put in order of id for the key, unless the op
// says which of equal operands gets the adjoint (tie = first).
// Not merged: ops with regions, alloc (each array is its own so that it can be changed in place), tapes, barriers.
#include "opt/opt.h"

#include <string.h>

typedef struct {
    uint64_t hash;
    ch__op *op;
    int32_t next;
} cse_entry;
typedef struct {
    int32_t *heads; // index + 1 of the newest entry of a bucket
    uint64_t mask;
    CH_VEC(cse_entry) entries; // in order of insertion; leaving a region pops them
    CH_VEC(int64_t) marks;     // entries.n at the start of each open region
} cse_table;

static bool cse_takes(const ch__op *op) {
    if (op->n_regions > 0 || op->n_results == 0) return false;
    switch ((ch__opcode)op->code) {
    case CH_OP_alloc:
    case CH_OP_tape_new:
    case CH_OP_push:
    case CH_OP_pop:
    case CH_OP_barrier: return false;
    default: return true;
    }
}

static bool cse_commutes(const ch__op *op) {
    return (ch__op_info_of(op->code)->flags & CH__COMMUTES) && op->n_operands == 2 &&
           ch__op_int(op, CH__ATTR_tie, CH__SPLIT) != CH__FIRST;
}

static uint64_t cse_mix(uint64_t h, uint64_t x) { return ch__hash_u64(h ^ x); }

// Equal attributes hash equally. Of a large constant only the first bytes are hashed; ch__attr_equal compares all.
static uint64_t cse_hash_attr(uint64_t h, const ch__attr *a) {
    h = cse_mix(h, a->id);
    switch (ch__attr_kind_of(a->id)) {
    case CH__AK_INTS: return ch__hash_bytes(a->ints, (size_t)a->n * sizeof *a->ints, h);
    case CH__AK_PAIRS: return ch__hash_bytes(a->ints, 2 * (size_t)a->n * sizeof *a->ints, h);
    case CH__AK_DIM: return cse_mix(h, ch__dim_hash(a->dim));
    case CH__AK_DIMS:
        for (int i = 0; i < a->n; i++) h = cse_mix(h, ch__dim_hash(a->dims[i]));
        return h;
    case CH__AK_STR: return cse_mix(h, ch__hash_str(a->s));
    case CH__AK_FUNC: return cse_mix(h, (uint64_t)(uintptr_t)a->func);
    case CH__AK_ARRAY: {
        size_t bytes = ch__array_bytes(a->array);
        return ch__hash_bytes(a->array->data, bytes < 256 ? bytes : 256, h ^ bytes);
    }
    default: return cse_mix(h, (uint64_t)a->i);
    }
}

static uint64_t cse_hash(const ch__op *op) {
    uint64_t h = ch__hash_u64(op->code);
    if (cse_commutes(op)) {
        int32_t a = op->operands[0]->id, b = op->operands[1]->id;
        h = cse_mix(h, (uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a));
    } else {
        for (int i = 0; i < op->n_operands; i++) h = cse_mix(h, (uint64_t)op->operands[i]->id);
    }
    for (int i = 0; i < op->n_attrs; i++) h = cse_hash_attr(h, &op->attrs[i]);
    return cse_mix(h, op->results[0].type->dtype);
}

static bool cse_same(const ch__op *x, const ch__op *y) {
    if (x->code != y->code || x->n_operands != y->n_operands || x->n_attrs != y->n_attrs ||
        x->n_results != y->n_results)
        return false;
    bool same = true;
    for (int i = 0; i < x->n_operands && same; i++) same = x->operands[i] == y->operands[i];
    if (!same && !(cse_commutes(x) && x->operands[0] == y->operands[1] && x->operands[1] == y->operands[0]))
        return false;
    for (int i = 0; i < x->n_attrs; i++)
        if (!ch__attr_equal(x->attrs[i], y->attrs[i])) return false;
    for (int i = 0; i < x->n_results; i++)
        if (x->results[i].type != y->results[i].type && !ch__type_equal(x->results[i].type, y->results[i].type))
            return false;
    return true;
}

static void cse_open(ch__rewriter *r) {
    cse_table *t = r->user;
    if (t->heads == NULL) { // the first region; the table never grows past the number of values
        uint64_t cap = 16;
        while (cap < (uint64_t)r->n) cap *= 2;
        t->heads = CH_NEW_ARRAY(r->scratch, int32_t, cap);
        t->mask = cap - 1;
    }
    CH_PUSH(r->scratch, &t->marks, t->entries.n);
}

static void cse_close(ch__rewriter *r) {
    cse_table *t = r->user;
    int64_t mark = t->marks.data[--t->marks.n];
    while (t->entries.n > mark) {
        const cse_entry *e = &t->entries.data[--t->entries.n];
        t->heads[e->hash & t->mask] = e->next;
    }
}

static ch__value *cse_op(ch__rewriter *r, ch__op *op) {
    cse_table *t = r->user;
    if (!cse_takes(op)) return NULL;
    uint64_t h = cse_hash(op);
    for (int32_t i = t->heads[h & t->mask]; i != 0; i = t->entries.data[i - 1].next) {
        const cse_entry *e = &t->entries.data[i - 1];
        if (e->hash != h || !cse_same(e->op, op)) continue;
        for (int j = 0; j < op->n_results; j++) ch__rewrite_to(r, &op->results[j], &e->op->results[j]);
        ch__rewrite_drop(r);
        return NULL;
    }
    cse_entry e = {h, op, t->heads[h & t->mask]};
    CH_PUSH(r->scratch, &t->entries, e);
    t->heads[h & t->mask] = (int32_t)t->entries.n;
    return NULL;
}

int64_t ch__cse(ch_func *f) {
    cse_table t = {0};
    ch__rewriter r = {.fn = cse_op, .open = cse_open, .close = cse_close, .user = &t};
    return ch__rewrite(&r, f);
}
