// SPDX-License-Identifier: Apache-2.0
// grad.c - derivatives of lazy expressions: lower y with the x as params, reverse (gradients) or go forward (tangents),
// apply the result lazily.
//
// The gradient is an expression like any other, so it can be read, combined and differentiated again. What depends on
// an x is expanded, also where it is realized; whatever floating value that reads besides is an input of the gradient,
// realized or not, so that a later derivative with respect to it (or to what it comes from) finds it. Constant
// expressions become constants, which rules look at; a derivative with respect to one of those is then refused.

#include "tensor/tensor.h"

#include <string.h>

struct grad_args {
    const char *where, *what;
    ch_tensor *const *v; // tangents of x; NULL: gradients
    ch_tensor *y;
    int n;
    ch_tensor *const *x;
    ch__lowering l;
    ch_tensor **args; // of made, in the arena of y's module
    int n_args;
    ch_func *made;           // params: leaves of y (then tangents of x); results: gradients (the tangent of y)
    CH_VEC(uint64_t) folded; // serials of constant expressions that are part of made
};

static uint64_t grad_key(const void *p) { return (uint64_t)(uintptr_t)p; }

// x is a constant that an earlier derivative has in it as a number: what that derivative is in terms of x is lost.
static void refuse_folded(const struct grad_args *p, const ch_tensor *call) {
    const ch__callee *c = call->callees[0];
    for (int i = 0; i < p->n; i++) {
        if (p->x[i]->kind == CH__T_DATA) continue;
        for (int64_t k = 0; k < c->n_folded; k++)
            if (c->folded[k] == p->x[i]->serial)
                ch__raise(CH__E_gradient_detached,
                          "%s: the constant made at %s is part of the derivative taken at %s as a number — ch_realize "
                          "it before that one is taken, or make it by ch_from_data",
                          p->what, p->x[i]->where, call->where);
    }
}

// A node that is looked at when its operands have been: what it is, and what of it the derivative has in it.
static void mark_node(struct grad_args *p, ch__arena *a, const ch_tensor *t, bool active, bool varies) {
    static char yes;
    const ch__callee *c = t->n_callees > 0 ? t->callees[0] : NULL;
    varies = varies || t->storage != NULL || (t->n_operands == 0 && t->kind != CH__T_OP);
    if (c != NULL && c->n_folded > 0) {
        refuse_folded(p, t);
        for (int64_t i = 0; (active || !varies) && i < c->n_folded; i++) CH_PUSH(a, &p->folded, c->folded[i]);
    }
    if (active)
        ch__map_put(&p->l.active, grad_key(t), &yes);
    else if (varies)
        ch__map_put(&p->l.varies, grad_key(t), &yes);
    else if (t->kind != CH__T_GROUP && ch__is_float(t->type.dtype))
        CH_PUSH(a, &p->folded, t->serial);
}

// Marks the nodes of y's expression: operands first, explicit stack. Is y one that depends on an x?
static bool mark_active(struct grad_args *p, ch__arena *a) {
    static char yes;
    typedef struct {
        ch_tensor *t;
        int next;
        bool active, varies;
    } frame;
    CH_VEC(frame) stack = {0};
    ch__map seen;
    ch__map_init(&seen, a);
    for (int i = 0; i < p->n; i++) ch__map_put(&p->l.active, grad_key(p->x[i]), &yes);
    if (ch__map_get(&p->l.active, grad_key(p->y)) != NULL) return true;
    CH_PUSH(a, &stack, (frame){p->y, 0, false, false});
    while (stack.n > 0) {
        frame *f = &stack.data[stack.n - 1];
        if (f->next < f->t->n_operands) {
            ch_tensor *x = ch__operand(f->t, f->next);
            bool cut = ch__map_get(&p->l.active, grad_key(x)) != NULL;
            if (!cut && ch__map_get(&seen, grad_key(x)) == NULL) {
                CH_PUSH(a, &stack, (frame){x, 0, false, false}); // and then it is looked at again
                continue;
            }
            f->next++;
            f->active = f->active || cut;
            f->varies = f->varies || ch__map_get(&p->l.varies, grad_key(x)) != NULL;
            continue;
        }
        ch__map_put(&seen, grad_key(f->t), &yes);
        mark_node(p, a, f->t, f->active, f->varies);
        stack.n--;
    }
    return ch__map_get(&p->l.active, grad_key(p->y)) != NULL;
}

static void differentiate(void *arg) {
    struct grad_args *p = arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "y");
    ch__lowering_init(&p->l, f);
    ch__map_init(&p->l.active, m->arena);
    ch__map_init(&p->l.varies, m->arena);
    p->l.gradient = true;
    p->l.n_cuts = p->n;
    p->l.cuts = p->x;
    if (!mark_active(p, m->arena))
        ch__raise(CH__E_gradient_detached, "%s: y does not depend on the given x — %s", p->what,
                  p->y->kind == CH__T_DATA && p->y->had_expression
                      ? "y was detached from its expression (ch_detach, or its scope ended): take the gradient before"
                      : "build y from x with operations; a detached tensor or one from another scope's history has no "
                        "expression");
    ch__value *y = NULL;
    ch__lower(&p->l, 1, &p->y, &y);
    ch__func_set_results(f, 1, &y, NULL);
    int *wrt = CH_NEW_ARRAY(m->arena, int, p->n);
    for (int i = 0; i < p->n; i++) {
        ch__value *v = ch__lowered_leaf(&p->l, p->x[i]);
        if (v == NULL)
            ch__raise(CH__E_gradient_detached, "%s: y does not depend on input %d — leave it out, or build y from it",
                      p->what, i);
        wrt[i] = v->index;
    }
    int n_in = (int)p->l.inputs.n;
    p->n_args = n_in + (p->v != NULL ? p->n : 0);
    p->args = CH_NEW_ARRAY(m->arena, ch_tensor *, p->n_args);
    for (int i = 0; i < p->n_args; i++) p->args[i] = i < n_in ? p->l.inputs.data[i] : p->v[i - n_in];
    p->made = p->v != NULL ? ch__forward(f, &(ch__forward_options){.n_wrt = p->n, .wrt = wrt})
                           : ch__reverse(f, &(ch__reverse_options){.n_wrt = p->n, .wrt = wrt});
    p->made->owns_module = true;
    ch__arena_keep(p->made->module->arena);
}

// Errors that y, the x and the v bring along, or that their dtypes are.
static ch_tensor *check_operands(const struct grad_args *p) {
    ch_tensor *const *v = p->v;
    char type[256], other[256];
    ch_tensor *error = ch__first_error(p->where, p->what, 1, &p->y);
    if (error == NULL) error = ch__first_error(p->where, p->what, p->n, p->x);
    if (error == NULL && v != NULL) error = ch__first_error(p->where, p->what, p->n, v);
    if (error != NULL) return error;
    for (int i = 0; i < p->n; i++) {
        ch_tensor_type(p->x[i], type, sizeof type);
        if (!ch__is_float(p->x[i]->type.dtype)) {
            ch__fail(CH__E_gradient_integer, "%s: input %d is %s — only floating-point values have a derivative",
                     p->what, i, type);
            return ch__node_error(p->where);
        }
        if (v == NULL || (v[i]->type.dtype == p->x[i]->type.dtype && ch__type_same_shape(&v[i]->type, &p->x[i]->type)))
            continue;
        ch_tensor_type(v[i], other, sizeof other);
        ch__fail(CH__E_shape_mismatch, "%s: the tangent of input %d is %s, the input is %s — they have one type",
                 p->what, i, other, type);
        return ch__node_error(p->where);
    }
    return NULL;
}

// What was overwritten in place is what came of it; the next assignment in place would change that.
static ch_tensor *name_ghosts(struct grad_args *p) {
    for (int i = 0; i < p->n_args; i++) {
        ch_tensor *x = p->args[i];
        if (!x->ghost) continue;
        ch_tensor *t = ch__node(&(ch__node_spec){
            .kind = CH__T_DATA, .where = p->where, .type = &x->type, .storage = ch__storage_retain(x->storage)});
        if (t->kind == CH__T_ERROR) return t;
        p->args[i] = t;
    }
    return NULL;
}

static bool remember_folded(const struct grad_args *p, ch__callee *c) {
    if (p->folded.n == 0) return true;
    size_t bytes = (size_t)p->folded.n * sizeof *c->folded;
    c->folded = ch__alloc(bytes);
    if (c->folded == NULL) {
        ch__fail_oom("a derivative");
        return false;
    }
    memcpy(c->folded, p->folded.data, bytes);
    c->n_folded = p->folded.n;
    return true;
}

// The derivative func of p, applied to its args.
static ch_tensor *apply_derivative(struct grad_args *p, int n_out, ch_tensor **out) {
    ch_tensor *error = ch__protect(differentiate, p) != CH_OK ? ch__node_error(p->where) : NULL;
    if (error == NULL) p->made->within = true;
    ch__callee *callee = error == NULL ? ch__callee_create(p->made) : NULL;
    if (error == NULL && (callee == NULL || !remember_folded(p, callee))) error = ch__node_error(p->where);
    if (error == NULL) error = name_ghosts(p);
    if (error == NULL) ch__apply(p->where, CH_OP_call, 0, NULL, callee, p->n_args, p->args, n_out, out);
    if (p->l.func != NULL && p->made != NULL) ch__module_destroy(p->l.func->module);
    ch__callee_release(callee);
    return error;
}

void ch_grads_at(const char *where, ch_tensor *y, int n, ch_tensor *const *x, ch_tensor **out_grads) {
    struct grad_args p = {.where = where, .what = "grad", .y = y, .n = n, .x = x};
    ch_tensor *error = ch__first_error(where, "grad", 1, &y);
    if (error == NULL && (y->type.rank != 0 || !ch__is_float(y->type.dtype))) {
        char type[256];
        ch_tensor_type(y, type, sizeof type);
        ch__fail(CH__E_gradient_scalar,
                 "grad: %s — a gradient is taken of one floating-point number (rank 0); reduce it first", type);
        error = ch__node_error(where);
    }
    if (error == NULL) error = check_operands(&p);
    if (error == NULL) error = apply_derivative(&p, n, out_grads);
    for (int i = 0; error != NULL && i < n; i++) out_grads[i] = error;
}

ch_tensor *ch_tangent_at(const char *where, ch_tensor *y, int n, ch_tensor *const *x, ch_tensor *const *v) {
    struct grad_args p = {.where = where, .what = "tangent", .v = v, .y = y, .n = n, .x = x};
    ch_tensor *error = check_operands(&p), *out = NULL;
    if (error == NULL && !ch__is_float(y->type.dtype)) {
        char type[256];
        ch_tensor_type(y, type, sizeof type);
        ch__fail(CH__E_gradient_integer, "tangent: y is %s — only floating-point values have a derivative", type);
        error = ch__node_error(where);
    }
    if (error == NULL) error = apply_derivative(&p, 1, &out);
    return error != NULL ? error : out;
}

ch_tensor *ch_grad_at(const char *where, ch_tensor *y, ch_tensor *x) {
    ch_tensor *g = NULL;
    ch_grads_at(where, y, 1, &x, &g);
    return g;
}
