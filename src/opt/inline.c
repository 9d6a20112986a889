// SPDX-License-Identifier: Apache-2.0
// inline.c - calls and composites become the operations they stand for.
//
// Callees are finished before their callers (depth first over the call graph with an explicit stack), so one level of
// copying a call is enough. A func met again while it is still on the stack is recursive, as is everything between;
// calls of recursive funcs stay. A call also stays when the callee's bounds on a size or its requires clauses could not
// be checked by the caller afterwards. A composite's body is moved, not copied.
#include "opt/opt.h"

#include <string.h>

#define INLINE_MAX_OPS (INT64_C(1) << 22) // calls of calls can double at every level

// ---------------------------------------------------------------- composites
// `now` was computed inside of what is dissolved: the name it has outside is the one people know.
static void result_stands(ch__rewriter *r, ch__value *old, ch__value *now, bool inside) {
    if (inside && old->name != NULL) now->name = NULL;
    ch__rewrite_to(r, old, now);
}

typedef struct {
    bool rules, remat;                                  // those with rules, or to be recomputed, stay
    enum { KEEP_NONE, KEEP_LOWERED, KEEP_ALL } kernels; // those that a custom call stands for, or all
} composite_keep;

static bool composite_goes(const ch__rewriter *r, const ch__op *op) {
    const composite_keep *keep = r->user;
    if (op->code != CH_OP_composite) return false;
    const ch__attr *kernel = keep->kernels != KEEP_NONE ? ch__op_attr(op, CH__ATTR_kernel) : NULL;
    if (kernel != NULL && (keep->kernels == KEEP_ALL || kernel->s[0] != '\0')) return false;
    return !(keep->rules && ch__has_rules(op)) && !(keep->remat && ch__op_int(op, CH__ATTR_remat, 0));
}

static void composite_enter(ch__rewriter *r, ch__op *op) {
    if (!composite_goes(r, op)) return;
    ch__region *body = op->regions[0];
    for (int i = 0; i < body->n_params; i++) r->to[body->params[i]->id] = op->operands[i];
}

static ch__value *composite_op(ch__rewriter *r, ch__op *op) {
    if (!composite_goes(r, op)) return NULL;
    ch__region *body = op->regions[0];
    for (int i = 0; i < op->n_results; i++) {
        ch__value *v = body->results[i];
        result_stands(r, &op->results[i], v, v->op != NULL && v->op->parent == body);
    }
    while (body->first != NULL) ch__op_move_before(body->first, op);
    r->changes++;
    ch__rewrite_drop(r);
    return NULL;
}

static int64_t composite_run(ch_func *f, composite_keep keep) {
    ch__rewriter r = {.fn = composite_op, .enter = composite_enter, .user = &keep};
    return ch__rewrite(&r, f);
}

int64_t ch__inline_composites(ch_func *f) { return composite_run(f, (composite_keep){false, false, KEEP_NONE}); }

int64_t ch__inline_but_kernels(ch_func *f) { return composite_run(f, (composite_keep){false, false, KEEP_ALL}); }

int64_t ch__inline_unlowered(ch_func *f) { return composite_run(f, (composite_keep){false, false, KEEP_LOWERED}); }

int64_t ch__inline_for_reverse(ch_func *f) { return composite_run(f, (composite_keep){true, true, KEEP_ALL}); }

int64_t ch__inline_for_forward(ch_func *f) { return composite_run(f, (composite_keep){true, false, KEEP_NONE}); }

// ---------------------------------------------------------------- the call graph
typedef struct {
    ch_func *func;
    int64_t at; // next callee to look at
    CH_VEC(ch_func *) callees;
    bool on_stack, recursive;
} inline_node;

typedef struct {
    ch__arena *scratch;
    ch__map nodes; // func -> inline_node
    CH_VEC(inline_node *) stack;
    inline_node *current;
    bool keep_composites;
} inline_graph;

static void inline_collect(void *arg, ch__op *op) {
    inline_graph *g = arg;
    if (op->code == CH_OP_call) CH_PUSH(g->scratch, &g->current->callees, ch__op_attr(op, CH__ATTR_callee)->func);
}

static inline_node *inline_visit(inline_graph *g, ch_func *f) {
    inline_node *n = CH_NEW(g->scratch, inline_node);
    n->func = f;
    n->on_stack = true;
    g->current = n;
    ch__walk(f->body, inline_collect, g);
    ch__map_put(&g->nodes, (uint64_t)(uintptr_t)f, n);
    CH_PUSH(g->scratch, &g->stack, n);
    return n;
}

// ---------------------------------------------------------------- one func
typedef struct {
    inline_graph *graph;
    int64_t ops;
} inline_job;

// Whether size d keeps the bounds [lo, hi] for all values of the caller's symbols.
static bool inline_bounded(ch_func *caller, ch__dim d, int64_t lo, int64_t hi) {
    if (lo == 0 && hi == INT64_MAX) return true;
    if (ch__dim_is_const(d)) return d.val >= lo && d.val <= hi;
    const char *name;
    if (!ch__dim_is_symbol(d, &name)) return false;
    const ch__dim_param *p = ch__func_dim_param(caller, name);
    return p != NULL && p->lo >= lo && p->hi <= hi;
}

typedef struct {
    ch_func *func;
    bool known;
} inline_symbols;

static void inline_symbol(void *arg, const char *name) {
    inline_symbols *s = arg;
    if (ch__func_dim_param(s->func, name) == NULL) s->known = false;
}

// Whether what the callee demands of its sizes is demanded by the caller too, once inlined; adds its requires clauses.
static bool inline_keeps_demands(ch_func *caller, const ch_func *callee, const ch__dim_subs *sub) {
    ch__arena *a = caller->module->arena;
    for (int i = 0; i < sub->n; i++) {
        const ch__dim_param *p = ch__func_dim_param((ch_func *)callee, sub->names[i]);
        if (p != NULL && !inline_bounded(caller, sub->dims[i], p->lo, p->hi)) return false;
    }
    inline_symbols s = {caller, true};
    for (int64_t i = 0; i < callee->requires_.n; i++) {
        const ch__require *q = &callee->requires_.data[i];
        ch__dim_symbols(ch__dim_subst(a, q->a, sub->n, sub->names, sub->dims), inline_symbol, &s);
        ch__dim_symbols(ch__dim_subst(a, q->b, sub->n, sub->names, sub->dims), inline_symbol, &s);
    }
    if (!s.known) return false;
    for (int64_t i = 0; i < callee->requires_.n; i++) {
        ch__require q = callee->requires_.data[i];
        q.a = ch__dim_subst(a, q.a, sub->n, sub->names, sub->dims);
        q.b = ch__dim_subst(a, q.b, sub->n, sub->names, sub->dims);
        if (!ch__dim_equal(q.a, q.b)) CH_PUSH(a, &caller->requires_, q);
    }
    return true;
}

static ch__value *inline_op(ch__rewriter *r, ch__op *op) {
    inline_job *job = r->user;
    if (op->code != CH_OP_call) return NULL;
    ch_func *callee = ch__op_attr(op, CH__ATTR_callee)->func;
    const inline_node *node = ch__map_get(&job->graph->nodes, (uint64_t)(uintptr_t)callee);
    if (node->recursive) return NULL;
    const ch__type **args = CH_NEW_ARRAY(r->scratch, const ch__type *, op->n_operands);
    for (int i = 0; i < op->n_operands; i++) args[i] = op->operands[i]->type;
    ch__dim_subs sub = ch__call_subs(r->func->module->arena, callee, op->n_operands, args);
    if (!inline_keeps_demands(r->func, callee, &sub)) return NULL;
    job->ops += ch__count_ops(callee);
    if (job->ops > INLINE_MAX_OPS)
        ch__raise(CH__E_limit, "inline: @%s grows past %" PRId64 " operations — leave some of its calls", r->func->name,
                  INLINE_MAX_OPS);
    ch__arena *scratch = ch__arena_create();
    ch__value_map map = {.to = CH_NEW_ARRAY(scratch, ch__value *, callee->n_values), .n = callee->n_values};
    for (int i = 0; i < op->n_operands; i++) map.to[callee->body->params[i]->id] = op->operands[i];
    ch__clone_region_ops(&r->b, callee->body, &map, &sub, NULL);
    for (int i = 0; i < op->n_results; i++) {
        ch__value *v = map.to[callee->body->results[i]->id];
        result_stands(r, &op->results[i], v, v->id >= r->n);
    }
    ch__arena_destroy(scratch);
    r->changes++;
    ch__rewrite_drop(r);
    return NULL;
}

static int64_t inline_func(inline_graph *g, ch_func *f) {
    inline_job job = {.graph = g};
    int64_t changes = g->keep_composites ? 0 : ch__inline_composites(f);
    ch__rewriter r = {.fn = inline_op, .user = &job};
    return changes + ch__rewrite(&r, f);
}

int64_t ch__inline(ch_func *f) { return ch__inline_calls(f, false); }

int64_t ch__inline_calls(ch_func *f, bool keep_composites) {
    inline_graph g = {.scratch = ch__arena_create(), .keep_composites = keep_composites};
    ch__map_init(&g.nodes, g.scratch);
    inline_visit(&g, f);
    int64_t changes = 0;
    while (g.stack.n > 0) {
        inline_node *n = g.stack.data[g.stack.n - 1];
        if (n->at == n->callees.n) { // all callees are finished
            changes += inline_func(&g, n->func);
            n->on_stack = false;
            g.stack.n--;
            continue;
        }
        ch_func *callee = n->callees.data[n->at++];
        inline_node *seen = ch__map_get(&g.nodes, (uint64_t)(uintptr_t)callee);
        if (seen == NULL) {
            inline_visit(&g, callee);
        } else if (seen->on_stack) { // a cycle: everything from the callee up is recursive
            for (int64_t i = g.stack.n; i-- > 0;) {
                g.stack.data[i]->recursive = true;
                if (g.stack.data[i] == seen) break;
            }
        }
    }
    ch__arena_destroy(g.scratch);
    return changes;
}
