// SPDX-License-Identifier: Apache-2.0
// cse.c - common subexpressions: of two ops that compute the same value the first is kept.
//
// Values are hashed by op, operands, attributes and result types. Ops see those of enclosing regions: entries made
// inside a region leave the table when the region ends. Operands of commuting ops are put in order of id for the key,
// unless the op says which of equal operands gets the adjoint (tie = first).
// Each value has a bucket near its last operand's, so that a walk in order of definition stays in the cache; when a
// bucket holds CSE_NEAR entries, further ones go to buckets by hash. Entries leave in the opposite order of their
// coming, so what was put by hash is found as long as it is there.
// Not merged: ops with regions, alloc (each array is its own so that it can be changed in place), tapes, barriers.
#include "opt/opt.h"

#include <string.h>

#define CSE_NEAR 8

typedef struct {
    ch__op *op;
    uint32_t hash, bucket;
    int32_t next;
} cse_entry;
struct ch__cse_table {
    ch__arena *scratch;
    int32_t *heads; // index + 1 of the newest entry of a bucket
    uint64_t mask;
    CH_VEC(cse_entry) entries; // in order of insertion; leaving a region pops them
    CH_VEC(int64_t) marks;     // entries.n at the start of each open region
};

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

// One multiplication a word: both halves of the product are used below, so that every bit of the words counts.
static inline uint64_t cse_mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

// Equal attributes hash equally. Of a large constant only the first bytes are hashed; ch__attr_equal compares all.
static uint64_t cse_hash_attr(uint64_t h, const ch__attr *a) {
    h = cse_mix(h, a->id);
    switch (ch__attr_kind_of(a->id)) {
    case CH__AK_ROWS:
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
    uint64_t h = cse_mix(0, op->code + 1);
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

void ch__cse_open(ch__rewriter *r, ch__cse_table **out) {
    ch__cse_table *t = *out;
    if (t == NULL) { // the first region; the table never grows past the number of values
        *out = t = CH_NEW(r->scratch, ch__cse_table);
        uint64_t cap = 16;
        while (cap < 2 * (uint64_t)r->n) cap *= 2;
        t->scratch = r->scratch;
        t->heads = CH_NEW_ARRAY(r->scratch, int32_t, cap);
        t->mask = cap - 1;
    }
    CH_PUSH(t->scratch, &t->marks, t->entries.n);
}

void ch__cse_close(ch__cse_table *t) {
    int64_t mark = t->marks.data[--t->marks.n];
    if (t->marks.n == 0) return; // the func's body: nothing comes after it
    while (t->entries.n > mark) {
        const cse_entry *e = &t->entries.data[--t->entries.n];
        t->heads[e->bucket] = e->next;
    }
}

// The entry of an equal op in the bucket, else 0 and how many there are.
static ch__op *cse_look(const ch__cse_table *t, uint64_t bucket, uint32_t hash, const ch__op *op, int *count) {
    *count = 0;
    for (int32_t i = t->heads[bucket & t->mask]; i != 0; i = t->entries.data[i - 1].next) {
        const cse_entry *e = &t->entries.data[i - 1];
        if (e->hash == hash && cse_same(e->op, op)) return e->op;
        ++*count;
    }
    return NULL;
}

ch__op *ch__cse_find(ch__rewriter *r, ch__cse_table *t, ch__op *op) {
    (void)r;
    if (!cse_takes(op)) return NULL;
    uint64_t hash = cse_hash(op), bucket = hash & 7;
    int32_t last = 0;
    int count;
    for (int i = 0; i < op->n_operands; i++)
        if (op->operands[i]->id > last) last = op->operands[i]->id;
    bucket += (uint64_t)(uint32_t)last * 2;
    ch__op *same = cse_look(t, bucket, (uint32_t)(hash >> 32), op, &count);
    if (same == NULL && count >= CSE_NEAR) {
        bucket = hash >> 8;
        same = cse_look(t, bucket, (uint32_t)(hash >> 32), op, &count);
    }
    if (same != NULL) return same;
    cse_entry e = {op, (uint32_t)(hash >> 32), (uint32_t)(bucket & t->mask), t->heads[bucket & t->mask]};
    CH_PUSH(t->scratch, &t->entries, e);
    t->heads[bucket & t->mask] = (int32_t)t->entries.n;
    return NULL;
}

static void cse_open(ch__rewriter *r) { ch__cse_open(r, (ch__cse_table **)&r->user); }
static void cse_close(ch__rewriter *r) { ch__cse_close(r->user); }

static ch__value *cse_op(ch__rewriter *r, ch__op *op) {
    ch__op *same = ch__cse_find(r, r->user, op);
    if (same == NULL) return NULL;
    for (int j = 0; j < op->n_results; j++) ch__rewrite_to(r, &op->results[j], &same->results[j]);
    ch__rewrite_drop(r);
    return NULL;
}

int64_t ch__cse(ch_func *f) {
    ch__rewriter r = {.fn = cse_op, .open = cse_open, .close = cse_close};
    return ch__rewrite(&r, f);
}
