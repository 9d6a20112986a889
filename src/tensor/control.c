// SPDX-License-Identifier: Apache-2.0
// control.c - if, for and while over tensors: branches and bodies are traced as closures.
//
// Each function becomes a func whose params are its own inputs, then what it captured from outside. The node's operands
// are the op's own, then the captured tensors of each region in turn; lower.c makes the regions from them.

#include "tensor/tensor.h"

#include <string.h>

void ch__closure_finish(ch__closure *c) {
    ch__callee_release(c->callee);
    ch__free(c->captured);
}

ch_status ch__close_over(const char *what, const char *role, ch_tensor_fn fn, void *user, int n,
                         const ch__type *const *types, int n_out, const ch__type *const *want, ch__closure *c) {
    if (fn == NULL) return ch__fail(CH__E_argument, "%s: the function of the %s is NULL — give one", what, role);
    ch__trace_state *t = ch__trace_open(what, n, types);
    if (t == NULL) return ch__err_status(ch__error_current());
    ch_tensor **out = ch__calloc((size_t)n_out + 1, sizeof *out);
    ch_error_clear();
    ch_status s = out == NULL ? ch__fail_oom(what) : fn(user, n, t->inputs, n_out, out);
    if (s != CH_OK && out != NULL) s = ch__callback_failed(s, what, role);
    for (int i = 0; s == CH_OK && i < n_out; i++) {
        if (out[i] == NULL) {
            s = ch__fail(CH__E_capture_state, "%s: the function of the %s left result %d NULL — set all %d", what, role,
                         i, n_out);
        } else if (out[i]->kind != CH__T_ERROR && want != NULL && !ch__type_equal(&out[i]->type, want[i])) {
            char got[256];
            ch_tensor_type(out[i], got, sizeof got);
            ch_tensor like = {.magic = CH__TENSOR_LIVE, .kind = CH__T_OP, .type = *want[i]};
            char wanted[256];
            ch_tensor_type(&like, wanted, sizeof wanted);
            s = ch__fail(CH__E_shape_mismatch, "%s: result %d of the %s is %s — it has to be %s", what, i, role, got,
                         wanted);
        }
    }
    if (s != CH_OK) {
        ch__trace_drop(t);
        ch__free(out);
        return s;
    }
    ch_func *made = ch__trace_close(t, n_out, out, NULL, &c->captured, &c->n_captured);
    ch__free(out);
    if (made != NULL) made->within = true;
    c->callee = made == NULL ? NULL : ch__callee_create(made);
    return c->callee == NULL ? ch__err_status(ch__error_current()) : CH_OK;
}

ch_status ch__region_results(const char *where, ch__opcode code, int n_own, ch_tensor *const *own, int given,
                             int n_attrs, const ch__attr *attrs, int k, const ch__closure *c, int n_out,
                             const ch__type *const *types, ch_tensor **out) {
    int n = n_own;
    for (int i = 0; i < k; i++) n += c[i].n_captured;
    ch_tensor **operands = ch__alloc((size_t)(n + 1) * sizeof *operands);
    if (operands == NULL) return ch__fail_oom("an expression");
    memcpy(operands, own, (size_t)n_own * sizeof *operands);
    for (int i = 0, at = n_own; i < k; at += c[i++].n_captured)
        memcpy(operands + at, c[i].captured, (size_t)c[i].n_captured * sizeof *operands);
    ch__callee *callees[CH__MAX_CLOSURES] = {NULL};
    for (int i = 0; i < k; i++) callees[i] = c[i].callee;
    ch_tensor *group = ch__node(&(ch__node_spec){.kind = CH__T_GROUP,
                                                 .opcode = code,
                                                 .where = where,
                                                 .n_operands = n,
                                                 .operands = operands,
                                                 .n_attrs = n_attrs,
                                                 .attrs = attrs,
                                                 .n_callees = k,
                                                 .callees = callees,
                                                 .index = given});
    ch__free(operands);
    ch__group_results(where, group, n_out, types, out);
    return CH_OK;
}

static void fail_all(const char *where, int n_out, ch_tensor **out) {
    ch_tensor *e = ch__node_error(where);
    for (int i = 0; i < n_out; i++) out[i] = e;
}

static bool scalar_of(const char *what, const char *name, const ch_tensor *t, ch_dtype dtype) {
    if (t->type.rank == 0 && t->type.dtype == dtype) return true;
    char type[256];
    ch_tensor_type(t, type, sizeof type);
    ch__fail(CH__E_dtype_mismatch, "%s: %s is %s — it has to be %s[]", what, name, type, ch_dtype_name(dtype));
    return false;
}

static bool first_is_error(const char *where, const char *what, int n, ch_tensor *const *t, int n_out,
                           ch_tensor **out) {
    ch_tensor *e = ch__first_error(where, what, n, t);
    for (int i = 0; e != NULL && i < n_out; i++) out[i] = e;
    return e != NULL;
}

static const ch__type **types_of(int extra, int n, ch_tensor *const *t) {
    const ch__type **types = ch__alloc((size_t)(n + extra + 1) * sizeof *types);
    for (int i = 0; types != NULL && i < n; i++) types[extra + i] = &t[i]->type;
    return types;
}

static ch_status branch_types(const ch__closure *c, int n_out, const ch__type ***out) {
    *out = ch__alloc((size_t)(n_out + 1) * sizeof **out);
    if (*out == NULL) return ch__fail_oom("an expression");
    for (int i = 0; i < n_out; i++) (*out)[i] = c->callee->func->body->results[i]->type;
    return CH_OK;
}

void ch_if_at(const char *where, ch_tensor *pred, ch_tensor_fn on_true, ch_tensor_fn on_false, void *user, int n_in,
              ch_tensor *const *in, int n_out, ch_tensor **out) {
    if (first_is_error(where, "if", 1, &pred, n_out, out) || first_is_error(where, "if", n_in, in, n_out, out)) return;
    ch__closure c[2] = {{0}};
    const ch__type **types = types_of(0, n_in, in), **results = NULL;
    ch_tensor **own = ch__alloc((size_t)(n_in + 1) * sizeof *own);
    ch_status s = types == NULL || own == NULL ? ch__fail_oom("if") : CH_OK;
    if (s == CH_OK && !scalar_of("if", "the predicate", pred, CH_BOOL)) s = CH_INVALID_ARGUMENT;
    if (s == CH_OK) s = ch__close_over("if", "true branch", on_true, user, n_in, types, n_out, NULL, &c[0]);
    if (s == CH_OK) s = branch_types(&c[0], n_out, &results);
    if (s == CH_OK) s = ch__close_over("if", "false branch", on_false, user, n_in, types, n_out, results, &c[1]);
    if (s == CH_OK) {
        own[0] = pred;
        memcpy(own + 1, in, (size_t)n_in * sizeof *own);
        s = ch__region_results(where, CH_OP_if, 1 + n_in, own, n_in, 0, NULL, 2, c, n_out, results, out);
    }
    if (s != CH_OK) fail_all(where, n_out, out);
    ch__closure_finish(&c[0]);
    ch__closure_finish(&c[1]);
    ch__free(types);
    ch__free(results);
    ch__free(own);
}

// The attribute of a loop, or none (policy NULL).
static ch_status policy_of(const char *what, const char *policy, int *n, ch__attr *out) {
    *n = policy != NULL;
    if (policy == NULL) return CH_OK;
    if (!ch__is_policy(policy))
        return ch__fail(CH__E_attribute,
                        "%s: policy is %s — it is store, recompute, sqrt or revolve(n) with n at least 1", what,
                        policy);
    *out = ch__attr_str(CH__ATTR_policy, policy);
    return CH_OK;
}

void ch_for_policy_at(const char *where, const char *policy, ch_tensor *lo, ch_tensor *hi, ch_tensor *step,
                      ch_tensor_fn body, void *user, int n, ch_tensor *const *init, ch_tensor **out) {
    ch_tensor *bounds[3] = {lo, hi, step};
    static const char *const names[3] = {"lo", "hi", "the step"};
    if (first_is_error(where, "for", 3, bounds, n, out) || first_is_error(where, "for", n, init, n, out)) return;
    ch__closure c[1] = {{0}};
    const ch__type **types = types_of(1, n, init);
    ch_tensor **own = ch__alloc((size_t)(n + 3) * sizeof *own);
    ch_status s = types == NULL || own == NULL ? ch__fail_oom("for") : CH_OK;
    ch__attr attr;
    int n_attrs = 0;
    if (s == CH_OK) s = policy_of("for", policy, &n_attrs, &attr);
    for (int i = 0; s == CH_OK && i < 3; i++)
        if (!scalar_of("for", names[i], bounds[i], CH_I64)) s = CH_INVALID_ARGUMENT;
    if (s == CH_OK) {
        types[0] = ch__type_scalar(CH_I64);
        s = ch__close_over("for", "body", body, user, 1 + n, types, n, types + 1, &c[0]);
    }
    if (s == CH_OK) {
        memcpy(own, bounds, sizeof bounds);
        memcpy(own + 3, init, (size_t)n * sizeof *own);
        s = ch__region_results(where, CH_OP_for, 3 + n, own, n, n_attrs, &attr, 1, c, n, types + 1, out);
    }
    if (s != CH_OK) fail_all(where, n, out);
    ch__closure_finish(&c[0]);
    ch__free(types);
    ch__free(own);
}

void ch_for_at(const char *where, ch_tensor *lo, ch_tensor *hi, ch_tensor *step, ch_tensor_fn body, void *user, int n,
               ch_tensor *const *init, ch_tensor **out) {
    ch_for_policy_at(where, NULL, lo, hi, step, body, user, n, init, out);
}

void ch_while_policy_at(const char *where, const char *policy, ch_tensor_fn cond, ch_tensor_fn body, void *user, int n,
                        ch_tensor *const *init, ch_tensor **out) {
    if (first_is_error(where, "while", n, init, n, out)) return;
    ch__closure c[2] = {{0}};
    const ch__type **types = types_of(0, n, init), *holds[1] = {ch__type_scalar(CH_BOOL)};
    ch_status s = types == NULL ? ch__fail_oom("while") : CH_OK;
    ch__attr attr;
    int n_attrs = 0;
    if (s == CH_OK) s = policy_of("while", policy, &n_attrs, &attr);
    if (s == CH_OK) s = ch__close_over("while", "condition", cond, user, n, types, 1, holds, &c[0]);
    if (s == CH_OK) s = ch__close_over("while", "body", body, user, n, types, n, types, &c[1]);
    if (s == CH_OK) s = ch__region_results(where, CH_OP_while, n, init, n, n_attrs, &attr, 2, c, n, types, out);
    if (s != CH_OK) fail_all(where, n, out);
    ch__closure_finish(&c[0]);
    ch__closure_finish(&c[1]);
    ch__free(types);
}

void ch_while_at(const char *where, ch_tensor_fn cond, ch_tensor_fn body, void *user, int n, ch_tensor *const *init,
                 ch_tensor **out) {
    ch_while_policy_at(where, NULL, cond, body, user, n, init, out);
}
