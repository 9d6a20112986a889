// SPDX-License-Identifier: Apache-2.0
// walk.c - going over the ops of a func: visiting, use counts, replacing uses, numbering.
//
// A region's ops are a list, so only the nesting of regions is recursed on, at most CH__MAX_NEST deep.
#include "ir/ir.h"

static void walk_nested(ch__region *r, void (*fn)(void *arg, ch__op *op), void *arg, int depth) {
    if (depth > CH__MAX_NEST)
        ch__raise(CH__E_limit, "func @%s: regions nest more than %d deep", r->func->name, CH__MAX_NEST);
    for (ch__op *op = r->first, *next; op; op = next) {
        next = op->next;
        fn(arg, op);
        if (!op->parent) continue; // removed
        for (int i = 0; i < op->n_regions; i++) walk_nested(op->regions[i], fn, arg, depth + 1);
    }
}

void ch__walk(ch__region *r, void (*fn)(void *arg, ch__op *op), void *arg) { walk_nested(r, fn, arg, 1); }

typedef struct {
    ch__map seen;
    CH_VEC(const ch_func *) todo;
    void (*fn)(void *arg, ch__op *op);
    void *arg;
} walk_reach;

static void walk_meet(walk_reach *w, const ch_func *f) {
    if (ch__map_get(&w->seen, (uint64_t)(uintptr_t)f)) return;
    ch__map_put(&w->seen, (uint64_t)(uintptr_t)f, (void *)(uintptr_t)f);
    CH_PUSH(w->seen.arena, &w->todo, f);
}

static void walk_reached(void *arg, ch__op *op) {
    walk_reach *w = arg;
    w->fn(w->arg, op);
    const ch__attr *callee = op->code == CH_OP_call ? ch__op_attr(op, CH__ATTR_callee) : NULL;
    if (callee) walk_meet(w, callee->func);
}

void ch__walk_reached(ch__arena *scratch, const ch_func *f, void (*fn)(void *arg, ch__op *op), void *arg) {
    walk_reach w = {.fn = fn, .arg = arg};
    ch__map_init(&w.seen, scratch);
    walk_meet(&w, f);
    for (int64_t i = 0; i < w.todo.n; i++) ch__walk(w.todo.data[i]->body, walk_reached, &w);
}

// ---------------------------------------------------------------- uses
static void count_region(ch__region *r, int32_t *counts) {
    for (int i = 0; i < r->n_results; i++) counts[r->results[i]->id]++;
}

static void count_uses(void *counts, ch__op *op) {
    for (int i = 0; i < op->n_operands; i++) ((int32_t *)counts)[op->operands[i]->id]++;
    for (int i = 0; i < op->n_regions; i++) count_region(op->regions[i], counts);
}

int32_t *ch__use_counts(ch__arena *scratch, ch_func *f) {
    int32_t *counts = CH_NEW_ARRAY(scratch, int32_t, f->n_values);
    count_region(f->body, counts);
    ch__walk(f->body, count_uses, counts);
    return counts;
}

// The end of v's chain; the chain is made short, so that many replacements in a row stay linear.
static ch__value *replaced(ch__value **map, ch__value *v) {
    ch__value *end = v;
    while (map[end->id] && map[end->id] != end) end = map[end->id];
    while (v != end) {
        ch__value *next = map[v->id];
        map[v->id] = end;
        v = next;
    }
    return end;
}

static void replace_list(ch__value **list, int32_t n, ch__value **map) {
    for (int32_t i = 0; i < n; i++) list[i] = replaced(map, list[i]);
}

static void replace_in_op(void *map, ch__op *op) {
    replace_list(op->operands, op->n_operands, map);
    for (int i = 0; i < op->n_regions; i++) replace_list(op->regions[i]->results, op->regions[i]->n_results, map);
}

void ch__replace_uses(ch_func *f, ch__value **map) {
    replace_list(f->body->results, f->body->n_results, map);
    ch__walk(f->body, replace_in_op, map);
}

// ---------------------------------------------------------------- numbering and counting
static void number_params(ch__region *r, int32_t *next) {
    for (int i = 0; i < r->n_params; i++) r->params[i]->id = (*next)++;
}

static void number_op(void *next, ch__op *op) {
    for (int i = 0; i < op->n_results; i++) op->results[i].id = (*(int32_t *)next)++;
    for (int i = 0; i < op->n_regions; i++) number_params(op->regions[i], next);
}

void ch__renumber(ch_func *f) {
    int32_t next = 0;
    number_params(f->body, &next);
    ch__walk(f->body, number_op, &next);
    f->n_values = next;
}

typedef struct {
    int64_t n;
    int code;
} op_counter;

static void count_op(void *arg, ch__op *op) {
    op_counter *c = arg;
    c->n += c->code < 0 || op->code == c->code;
}

int64_t ch__count_ops(const ch_func *f) {
    op_counter c = {0, -1};
    ch__walk(f->body, count_op, &c);
    return c.n;
}

int64_t ch__count_op_code(const ch_func *f, ch__opcode code) {
    op_counter c = {0, (int)code};
    ch__walk(f->body, count_op, &c);
    return c.n;
}
