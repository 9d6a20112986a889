// SPDX-License-Identifier: Apache-2.0
// inplace.c - what a run gives besides what was asked for, and which assignments it does in place.
//
// A pending assignment that a program comes across becomes one of its results, so that it is done once. An assignment
// to a part of x is the expression "x as it was, with that part replaced" (assign.c); when nothing can ask for x as it
// was any more, its storage is donated to the run and takes the result, so that only the part is written. The engine
// sees one program without side effects: reads of the old x that come before are its own business, and it copies if
// they do not.
//
// "Nothing can ask": every operand that reads the old value belongs to this program, counted against the number of
// such operands alive. Views of it that a user has become results as well, so that they keep their values. Where the
// count does not agree, or another operation reads it, something wants the old value: nothing is donated, and the
// engine copies.
//
// Gradients go on through what was written. The expression stays, and at its bottom the old value, which is a ghost
// now: it shares the memory that was written. "The ghost, with that part replaced" is the present value once more,
// whatever was replaced how often, so an expression that reaches ghosts only through the parts that were replaced has
// the right values, and the rule of the replacement sends the adjoint where it belongs. Nothing else may read a ghost.

#include "tensor/tensor.h"

#include <string.h>

typedef struct {
    ch_tensor *operand, *reader;
} edge;

typedef struct {
    ch__run_plan *p;
    ch__lowering *l;
    ch__arena *a;
    CH_VEC(ch_tensor *) out;
    CH_VEC(ch__value *) values;
    CH_VEC(ch__storage *) place;
    CH_VEC(edge) edges; // to internal nodes
    ch__map seen;
} planning;

static uint64_t plan_key(const void *p) { return (uint64_t)(uintptr_t)p; }

static ch__value *value_now(const planning *g, ch_tensor *t) {
    ch__value *v = ch__lowered_leaf(g->l, t);
    return v != NULL ? v : t->stamp == g->l->stamp ? t->lowered : NULL;
}

static int64_t out_index(const planning *g, const ch_tensor *t) {
    for (int64_t i = 0; i < g->out.n; i++)
        if (g->out.data[i] == t) return i;
    return -1;
}

static void add_out(planning *g, ch_tensor *t) {
    if (out_index(g, t) >= 0) return;
    CH_PUSH(g->a, &g->out, t);
    CH_PUSH(g->a, &g->values, value_now(g, t));
    CH_PUSH(g->a, &g->place, NULL);
}

// Edges of everything that was lowered, from t down.
static void walk_edges(planning *g, ch_tensor *t) {
    static char yes;
    CH_VEC(ch_tensor *) stack = {0};
    CH_PUSH(g->a, &stack, t);
    while (stack.n > 0) {
        ch_tensor *c = stack.data[--stack.n];
        if (ch__lowered_leaf(g->l, c) != NULL || ch__map_get(&g->seen, plan_key(c)) != NULL) continue;
        ch__map_put(&g->seen, plan_key(c), &yes);
        for (int i = 0; i < c->n_operands; i++) {
            ch_tensor *x = ch__operand(c, i);
            if (x->internal) CH_PUSH(g->a, &g->edges, (edge){x, c});
            CH_PUSH(g->a, &stack, x);
        }
    }
}

// A view of a value that had no expression: with its elements kept, nobody follows it to the value.
static bool is_plain_view(const ch_tensor *r, const ch_tensor *x) {
    return x->kind == CH__T_DATA && r->kind == CH__T_OP &&
           (ch__is_view_op(r->opcode) || r->opcode == CH_OP_dynamic_slice);
}

// How an operation of an assignment reads n: as what a part of is replaced (1), as a view of that on the way (0), else
// in a way that wants its value (-1).
static int reads_base(const ch_tensor *r, const ch_tensor *n) {
    if (r->kind != CH__T_OP) return r->kind == CH__T_VERSION ? 0 : -1;
    if (r->opcode != CH_OP_dynamic_update_slice && r->opcode != CH_OP_select)
        return ch__is_view_op(r->opcode) || r->opcode == CH_OP_dynamic_slice ? 0 : -1;
    int base = r->opcode == CH_OP_select ? 2 : 0, readers = 0;
    for (int i = 0; i < r->n_operands; i++) readers += ch__operand(r, i) == n;
    if (ch__operand(r, base) == n) return readers == 1 ? 1 : -1;
    return r->opcode == CH_OP_dynamic_update_slice && readers == 1 && ch__operand(r, 1) == n ? 0 : -1;
}

// Whether all that reads x's old value is in this program, and its owner's new value is the old one with parts
// replaced. Views that a user has are put on keep.
typedef CH_VEC(ch_tensor *) tensors;
static bool accounted(planning *g, ch_tensor *x, tensors *keep) {
    const ch_tensor *owner = x->assigned;
    bool replaced = false;
    tensors todo = {0};
    CH_PUSH(g->a, &todo, x);
    for (int64_t at = 0; at < todo.n; at++) {
        ch_tensor *n = todo.data[at];
        int64_t readers = 0;
        for (int64_t i = 0; i < g->edges.n; i++) {
            if (g->edges.data[i].operand != n) continue;
            ch_tensor *r = g->edges.data[i].reader;
            readers++;
            if (r == owner) continue; // gets its value in this run
            bool ours = r->internal && (r->assigned == NULL || r->assigned == owner);
            int how = ours ? reads_base(r, n) : n == x && !r->internal && is_plain_view(r, x) ? 0 : -1;
            if (how < 0) return false;
            replaced = replaced || how == 1;
            tensors *to = ours ? &todo : keep;
            bool there = false;
            for (int64_t k = 0; k < to->n; k++) there = there || to->data[k] == r;
            if (!there) CH_PUSH(g->a, to, r);
        }
        if (readers != ch__value_readers(n)) return false;
    }
    return replaced;
}

static bool may_write(const ch_tensor *x) {
    return x->internal && x->assigned != NULL && ch__tensor_refs(x) == 1 && ch__tensor_is_whole(x) &&
           !ch__storage_is_borrowed(x->storage) && x->storage->bytes > 0 && ch__storage_is_unshared(x->storage);
}

// Input i is the old value of a tensor whose new value this run makes of it.
static void try_donate(planning *g, int i) {
    ch_tensor *x = g->l->inputs.data[i];
    if (!may_write(x)) return;
    ch_tensor *owner = x->assigned, *u = ch__version_target(owner);
    int64_t at = u->internal && u->assigned == NULL ? out_index(g, u) : -1; // an update, or no gain
    bool given = false;                                                     // its new value, by this run
    for (int k = 0; k < g->p->n_versions; k++) given = given || g->p->versions[k] == owner;
    if (at < 0 || !given || g->place.data[at] != NULL) return;
    tensors keep = {0};
    if (!accounted(g, x, &keep)) return;
    for (int64_t k = 0; k < keep.n; k++) add_out(g, keep.data[k]);
    g->place.data[at] = x->storage;
    if (g->p->donated == NULL) g->p->donated = CH_NEW_ARRAY(g->a, bool, g->l->inputs.n);
    g->p->donated[i] = true;
}

void ch__plan_make(ch__run_plan *p, ch__lowering *l, int n, ch_tensor *const *roots, ch__value *const *values) {
    *p = (ch__run_plan){.n = n, .out = (ch_tensor **)(uintptr_t)roots, .values = (ch__value **)(uintptr_t)values};
    if (l->versions.n == 0) return;
    planning g = {.p = p, .l = l, .a = l->func->module->arena};
    ch__map_init(&g.seen, g.a);
    for (int i = 0; i < n; i++)
        if (roots[i]->kind != CH__T_VERSION) add_out(&g, roots[i]);
    p->versions = CH_NEW_ARRAY(g.a, ch_tensor *, l->versions.n);
    p->from = CH_NEW_ARRAY(g.a, ch_tensor *, l->versions.n);
    for (int64_t i = 0; i < l->versions.n; i++) {
        ch_tensor *t = l->versions.data[i];
        if (t->internal || t->trace != NULL) continue; // what it was before: nobody asked for that
        ch_tensor *from = ch__version_target(t);
        p->versions[p->n_versions] = t;
        p->from[p->n_versions++] = from;
        if (from->storage == NULL) add_out(&g, from);
    }
    for (int64_t i = 0; i < l->versions.n; i++) walk_edges(&g, l->versions.data[i]);
    for (int i = 0; i < n; i++) walk_edges(&g, roots[i]);
    for (int i = 0; i < l->inputs.n; i++) try_donate(&g, i);
    p->n = (int)g.out.n;
    p->out = g.out.data;
    p->values = g.values.data;
    p->place = g.place.data;
}

// A run that failed may have written a part: what the tensor was is lost, and using it says so.
static void lose(ch_tensor *x) {
    ch__error_copy now, *e = ch__alloc(sizeof *e);
    ch_tensor *owner = x->assigned;
    ch__error_save(&now);
    ch__tensor_drop_storage(x);
    if (e != NULL) {
        e->id = CH__E_assign_lost;
        snprintf(e->message, sizeof e->message,
                 "%s: the run that assigned to a part of this tensor in place failed — its elements are lost; make it "
                 "anew",
                 owner->where);
    }
    ch__tensor_drop_expression(owner);
    owner->error = e;
    if (e != NULL) owner->kind = CH__T_ERROR; // else it is a tensor without data, which runs refuse too
    ch__error_publish(&now);
}

ch_status ch__plan_finish(ch__run_plan *p, const ch__lowering *l, ch_status s, bool began) {
    bool fine = s == CH_OK;
    for (int i = 0; fine && i < p->n_versions; i++) {
        ch_tensor *t = p->versions[i], *from = p->from[i];
        int64_t *strides = from->strides == NULL ? NULL : ch__alloc((size_t)from->type.rank * sizeof *strides);
        if (from->strides != NULL && strides == NULL) {
            s = ch__fail_oom("an assignment"); // it stays pending
            continue;
        }
        t->storage = ch__storage_retain(from->storage);
        ch__tensor_take_layout(t, from, &strides);
    }
    for (int i = 0; fine && i < p->n; i++) // one reference less, so that the next assignment finds the storage unshared
        if (p->out[i]->internal) ch__tensor_drop_storage(p->out[i]);
    for (int64_t i = 0; p->donated != NULL && i < l->inputs.n; i++) {
        ch_tensor *x = l->inputs.data[i];
        if (!p->donated[i]) continue;
        if (!fine) {
            if (began) lose(x);
            continue;
        }
        if (x->kind == CH__T_DATA) {
            atomic_fetch_add_explicit(&x->storage->ghosts, 1, memory_order_relaxed);
            x->ghost = 1;
        } else {
            ch__tensor_drop_storage(x); // its expression gives it again
        }
    }
    return s;
}
