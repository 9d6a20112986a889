// SPDX-License-Identifier: Apache-2.0
// dce.c - dead code: operations, results of control flow, carried values and funcs that no result needs.
//
// No op has an effect, so an op lives when one of its results does. One scan from the last op to the first marks what
// lives: uses stand after definitions. Only loops go round: a carried value lives when its result does or when the body
// (or a while's condition) needs it, and then its initial value and what the body yields for it live too. So from a
// live loop marking goes on with an explicit stack of values, each visited once; what it reaches outside of the loop
// the scan finds marked. Afterwards dead ops are unlinked and if, for, while and composite lose their dead results,
// params and operands.
#include "opt/opt.h"

#include <assert.h>
#include <string.h>

typedef struct {
    ch_func *func;
    ch__arena *scratch;
    uint8_t *live; // by value id
    CH_VEC(ch__value *) stack;
    ch__strmap *locals; // size symbol bound by an alloc to its result; NULL: there are none
    ch__value **moved;  // by value id: the value that took its place
    bool any_moved;
    int64_t changes;
} dce_state;

static void dce_need(dce_state *s, ch__value *v) {
    if (s->live[v->id]) return;
    s->live[v->id] = 1;
    CH_PUSH(s->scratch, &s->stack, v);
}

// ---- marking
// Carried value i of a for or while: result, initial value, param(s) and what the body yields live and die together.
static void dce_need_carried(dce_state *s, ch__op *op, int i) {
    dce_need(s, &op->results[i]);
    if (op->code == CH_OP_for) {
        dce_need(s, op->operands[3 + i]);
        dce_need(s, op->regions[0]->params[1 + i]);
        dce_need(s, op->regions[0]->results[i]);
    } else {
        dce_need(s, op->operands[i]);
        dce_need(s, op->regions[0]->params[i]);
        dce_need(s, op->regions[1]->params[i]);
        dce_need(s, op->regions[1]->results[i]);
    }
}

static void dce_need_symbol(void *arg, const char *name) {
    dce_state *s = arg;
    ch__value *bound = ch__strmap_get(s->locals, name);
    if (bound) dce_need(s, bound);
}

// The allocs that bind sizes which stand in op's types and attributes.
static void dce_need_sizes(dce_state *s, const ch__op *op) {
    if (!s->locals) return;
    for (int i = 0; i < op->n_results; i++)
        for (int k = 0; k < op->results[i].type->rank; k++)
            ch__dim_symbols(op->results[i].type->dims[k], dce_need_symbol, s);
    for (int i = 0; i < op->n_attrs; i++) {
        const ch__attr *a = &op->attrs[i];
        ch__attr_kind kind = ch__attr_kind_of(a->id);
        if (kind == CH__AK_DIM) ch__dim_symbols(a->dim, dce_need_symbol, s);
        for (int k = 0; kind == CH__AK_DIMS && k < a->n; k++) ch__dim_symbols(a->dims[k], dce_need_symbol, s);
    }
}

// A composite with rules keeps its operands and results: the rules count them. So does a kernel: a device's code takes
// and gives them.
static bool dce_keeps_border(const ch__op *op) {
    return ch__has_rules(op) || (op->code == CH_OP_composite && ch__op_attr(op, CH__ATTR_kernel) != NULL);
}

static void dce_need_rules(dce_state *s, ch__op *op) {
    for (int i = 0; i < op->n_operands; i++) dce_need(s, op->operands[i]);
    for (int i = 0; i < op->n_results; i++) dce_need(s, &op->results[i]);
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_results; i++) dce_need(s, op->regions[k]->results[i]);
}

// Called once when the first result of op is found to live.
static void dce_need_op(dce_state *s, ch__op *op) {
    dce_need_sizes(s, op);
    switch ((ch__opcode)op->code) {
    case CH_OP_if: dce_need(s, op->operands[0]); break;
    case CH_OP_for:
        for (int i = 0; i < 3; i++) dce_need(s, op->operands[i]);
        break;
    case CH_OP_while: dce_need(s, op->regions[0]->results[0]); break;
    case CH_OP_composite:
        if (dce_keeps_border(op)) dce_need_rules(s, op);
        break;
    default:
        for (int i = 0; i < op->n_operands; i++) dce_need(s, op->operands[i]);
    }
}

static void dce_visit(dce_state *s, ch__value *v) {
    ch__op *op = v->op;
    if (op == NULL) { // a param
        ch__op *owner = v->region->owner;
        if (owner == NULL) return;
        if (owner->code == CH_OP_for && v->index > 0) dce_need_carried(s, owner, v->index - 1);
        if (owner->code == CH_OP_while) dce_need_carried(s, owner, v->index);
        if (owner->code == CH_OP_composite && v->region == owner->regions[0]) dce_need(s, owner->operands[v->index]);
        return;
    }
    if (op->mark == 0) {
        op->mark = 1;
        dce_need_op(s, op);
    }
    switch ((ch__opcode)op->code) {
    case CH_OP_if:
        dce_need(s, op->regions[0]->results[v->index]);
        dce_need(s, op->regions[1]->results[v->index]);
        break;
    case CH_OP_for:
    case CH_OP_while: dce_need_carried(s, op, v->index); break;
    case CH_OP_composite: dce_need(s, op->regions[0]->results[v->index]); break;
    default: break;
    }
}

static void dce_drain(dce_state *s) {
    while (s->stack.n > 0) dce_visit(s, s->stack.data[--s->stack.n]);
}

static void dce_see(dce_state *s, ch__value *v) { s->live[v->id] = 1; }

static void dce_scan(dce_state *s, ch__region *r);

static void dce_scan_regions(dce_state *s, ch__op *op) {
    bool loop = op->code == CH_OP_for || op->code == CH_OP_while;
    if (op->mark == 0) dce_need_op(s, op);
    op->mark = 1;
    for (int i = 0; i < op->n_results; i++) {
        if (!s->live[op->results[i].id]) continue;
        if (loop) {
            dce_need_carried(s, op, i);
        } else {
            for (int k = 0; k < ch__run_regions(op); k++) dce_see(s, op->regions[k]->results[i]);
        }
    }
    dce_drain(s);
    if (loop) return;
    for (int k = 0; k < op->n_regions; k++) {
        dce_scan(s, op->regions[k]);
        for (int i = 0; k < ch__run_regions(op) && i < op->regions[k]->n_params; i++)
            if (s->live[op->regions[k]->params[i]->id]) dce_see(s, op->operands[i]);
    }
}

static void dce_scan(dce_state *s, ch__region *r) {
    for (ch__op *op = r->last; op != NULL; op = op->prev) {
        bool live = op->mark != 0;
        for (int i = 0; i < op->n_results && !live; i++) live = s->live[op->results[i].id];
        if (!live) continue;
        if (op->n_regions > 0) {
            dce_scan_regions(s, op);
        } else if (op->mark == 0) {
            op->mark = 1;
            dce_need_sizes(s, op);
            for (int i = 0; i < op->n_operands; i++) dce_see(s, op->operands[i]);
        }
    }
}

// ---- sweeping
static int dce_keep_values(ch__value **vs, int n, const uint8_t *keep) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (keep[i]) vs[kept++] = vs[i];
    return kept;
}

static int dce_keep_params(ch__region *r, int first, const uint8_t *keep) {
    int kept = first;
    for (int i = first; i < r->n_params; i++)
        if (keep[i - first]) {
            r->params[kept] = r->params[i];
            r->params[kept]->index = kept;
            kept++;
        }
    return kept;
}

// Results lie side by side, so the kept ones move forward; their uses are mended at the end.
static void dce_shrink_results(dce_state *s, ch__op *op, const uint8_t *keep) {
    int kept = 0;
    ch__value *now = CH_NEW_ARRAY(s->func->module->arena, ch__value, op->n_results);
    for (int i = 0; i < op->n_results; i++)
        if (keep[i]) {
            now[kept] = op->results[i];
            now[kept].index = kept;
            s->moved[op->results[i].id] = &now[kept];
            kept++;
        }
    s->any_moved = true;
    op->results = now;
    op->n_results = kept;
}

static void dce_shrink(dce_state *s, ch__op *op) {
    if (dce_keeps_border(op)) return;
    int n = op->n_results, dead = 0;
    uint8_t *keep = CH_NEW_ARRAY(s->scratch, uint8_t, n + 1);
    for (int i = 0; i < n; i++) {
        keep[i] = s->live[op->results[i].id];
        dead += !keep[i];
    }
    if (op->code == CH_OP_composite) {
        ch__region *r = op->regions[0];
        uint8_t *used = CH_NEW_ARRAY(s->scratch, uint8_t, r->n_params + 1);
        for (int i = 0; i < r->n_params; i++) used[i] = s->live[r->params[i]->id];
        int before = r->n_params;
        op->n_operands = dce_keep_values(op->operands, op->n_operands, used);
        r->n_params = dce_keep_params(r, 0, used);
        s->changes += before - r->n_params;
    }
    if (dead == 0) return;
    s->changes += dead;
    for (int i = 0; i < op->n_regions; i++) {
        ch__region *r = op->regions[i];
        if (op->code == CH_OP_for) r->n_params = dce_keep_params(r, 1, keep);
        if (op->code == CH_OP_while) r->n_params = dce_keep_params(r, 0, keep);
        if (op->code != CH_OP_while || i == 1) r->n_results = dce_keep_values(r->results, r->n_results, keep);
    }
    if (op->code == CH_OP_for) op->n_operands = 3 + dce_keep_values(op->operands + 3, op->n_operands - 3, keep);
    if (op->code == CH_OP_while) op->n_operands = dce_keep_values(op->operands, op->n_operands, keep);
    dce_shrink_results(s, op, keep);
}

static void dce_sweep(dce_state *s, ch__region *r) {
    for (ch__op *op = r->first, *next; op != NULL; op = next) {
        next = op->next;
        if (op->mark == 0) {
            ch__op_remove(op);
            s->changes++;
            continue;
        }
        op->mark = 0;
        for (int i = 0; i < op->n_regions; i++) dce_sweep(s, op->regions[i]);
        if (op->n_regions > 0) dce_shrink(s, op);
    }
}

static void dce_mend_uses(const dce_state *s, ch__value **uses, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        if (s->moved[uses[i]->id] != NULL) uses[i] = s->moved[uses[i]->id];
}

static void dce_mend(const dce_state *s, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        dce_mend_uses(s, op->operands, op->n_operands);
        for (int i = 0; i < op->n_regions; i++) dce_mend(s, op->regions[i]);
    }
    dce_mend_uses(s, r->results, r->n_results);
}

static void dce_find_local(void *arg, ch__op *op) {
    dce_state *s = arg;
    const char *const *names;
    if (op->code != CH_OP_alloc || op->n_operands == 0) return;
    int n = ch__alloc_symbols(s->scratch, ch__op_attr(op, CH__ATTR_symbols), &names);
    if (!s->locals) {
        s->locals = CH_NEW(s->scratch, ch__strmap);
        ch__strmap_init(s->locals, s->scratch);
    }
    for (int i = 0; i < n; i++) ch__strmap_put(s->locals, names[i], &op->results[0]);
}

int64_t ch__dce(ch_func *f) {
    dce_state s = {.func = f, .scratch = ch__arena_create()};
    ch__walk(f->body, dce_find_local, &s);
    s.live = CH_NEW_ARRAY(s.scratch, uint8_t, f->n_values + 1);
    for (int i = 0; i < f->body->n_results; i++) dce_see(&s, f->body->results[i]);
    dce_scan(&s, f->body);
    s.moved = CH_NEW_ARRAY(s.scratch, ch__value *, f->n_values + 1);
    dce_sweep(&s, f->body);
    if (s.any_moved) dce_mend(&s, f->body);
    ch__arena_destroy(s.scratch);
    return s.changes;
}

// ---- funcs
typedef struct {
    ch__map seen;
    CH_VEC(ch_func *) todo;
    ch__arena *scratch;
} dce_funcs;

static void dce_reach(void *arg, ch__op *op) {
    dce_funcs *s = arg;
    if (op->code != CH_OP_call) return;
    ch_func *callee = ch__op_attr(op, CH__ATTR_callee)->func;
    if (ch__map_get(&s->seen, (uint64_t)(uintptr_t)callee) != NULL) return;
    ch__map_put(&s->seen, (uint64_t)(uintptr_t)callee, callee);
    CH_PUSH(s->scratch, &s->todo, callee);
}

int64_t ch__dce_funcs(ch_func *f) {
    ch__module *m = f->module;
    if (m->first == f && m->last == f) return 0;
    dce_funcs s = {.scratch = ch__arena_create()};
    ch__map_init(&s.seen, s.scratch);
    ch__map_put(&s.seen, (uint64_t)(uintptr_t)f, f);
    CH_PUSH(s.scratch, &s.todo, f);
    while (s.todo.n > 0) ch__walk(s.todo.data[--s.todo.n]->body, dce_reach, &s);
    int64_t removed = 0;
    ch_func **at = &m->first;
    m->last = NULL;
    while (*at != NULL) {
        if (ch__map_get(&s.seen, (uint64_t)(uintptr_t)*at) == NULL) {
            *at = (*at)->next;
            removed++;
        } else {
            m->last = *at;
            at = &(*at)->next;
        }
    }
    ch__arena_destroy(s.scratch);
    return removed;
}
