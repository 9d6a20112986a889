// SPDX-License-Identifier: Apache-2.0
// grad.c - derivatives of lazy expressions: lower y with the x as params, reverse (gradients) or go forward (tangents),
// apply the result lazily.
//
// The gradient is an expression like any other, so it can be read, combined and differentiated again. Realized tensors
// on the way from an x to y are expanded to the expressions that made them; others are inputs of the gradient.

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
    ch_func *made; // params: leaves of y (then tangents of x); results: gradients (the tangent of y)
};

static uint64_t grad_key(const void *p) { return (uint64_t)(uintptr_t)p; }

// Marks nodes that depend on an x: operands first, explicit stack. Values: 1 seen, 2 active.
static bool mark_active(struct grad_args *p, ch__arena *a) {
    static char yes;
    typedef struct {
        ch_tensor *t;
        int next;
        bool active;
    } frame;
    CH_VEC(frame) stack = {0};
    ch__map seen;
    ch__map_init(&seen, a);
    for (int i = 0; i < p->n; i++) ch__map_put(&p->l.active, grad_key(p->x[i]), &yes);
    if (ch__map_get(&p->l.active, grad_key(p->y)) != NULL) return true;
    CH_PUSH(a, &stack, (frame){p->y, 0, false});
    while (stack.n > 0) {
        frame *f = &stack.data[stack.n - 1];
        if (f->next < f->t->n_operands) {
            ch_tensor *x = ch__operand(f->t, f->next++);
            if (ch__map_get(&p->l.active, grad_key(x)) != NULL)
                f->active = true;
            else if (x->n_operands > 0 && ch__map_get(&seen, grad_key(x)) == NULL)
                CH_PUSH(a, &stack, (frame){x, 0, false});
            continue;
        }
        ch_tensor *t = f->t;
        bool active = f->active;
        stack.n--;
        ch__map_put(&seen, grad_key(t), &yes);
        if (!active) continue;
        ch__map_put(&p->l.active, grad_key(t), &yes);
        if (stack.n > 0) stack.data[stack.n - 1].active = true;
    }
    return ch__map_get(&p->l.active, grad_key(p->y)) != NULL;
}

static void differentiate(void *arg) {
    struct grad_args *p = arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "y");
    ch__lowering_init(&p->l, f);
    ch__map_init(&p->l.active, m->arena);
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

// The derivative func of p, applied to its args.
static ch_tensor *apply_derivative(struct grad_args *p, int n_out, ch_tensor **out) {
    ch_tensor *error = ch__protect(differentiate, p) != CH_OK ? ch__node_error(p->where) : NULL;
    ch__callee *callee = error == NULL ? ch__callee_create(p->made) : NULL;
    if (error == NULL && callee == NULL) error = ch__node_error(p->where);
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
