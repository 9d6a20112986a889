// SPDX-License-Identifier: Apache-2.0
// custom.c - functions with names, with derivative rules of their own, and functions that gradients compute again.
//
// Body and rules are traced as closures, as the regions of `for` are, and become one composite with a region each
// (docs/ir.md). Until a derivative is taken the rules lie idle: engines run the body.

#include "tensor/tensor.h"

#include <string.h>

typedef enum { CUSTOM_PLAIN, CUSTOM_REMAT, CUSTOM_KERNEL } custom_kind;
typedef struct {
    const char *name, *args;
    int n_in, n_out;
    ch_tensor *const *in;
    const ch__type **types; // inputs, results, adjoints of floating results; or inputs, tangents of floating inputs
    const ch__type **want;  // what a rule gives
    const ch__type **results;
    ch__closure closures[CH__MAX_CLOSURES]; // body, then the rules
    int k;
} custom_job;

static int count_floats(int n, const ch__type *const *types) {
    int floats = 0;
    for (int i = 0; i < n; i++) floats += ch__is_float(types[i]->dtype);
    return floats;
}

static int add_floats(const ch__type **to, int n, int more, const ch__type *const *from) {
    for (int i = 0; i < more; i++)
        if (ch__is_float(from[i]->dtype)) to[n++] = from[i];
    return n;
}

// A derivative of what is not floating does not exist; every type is named.
static ch_status need_floats(const custom_job *j, const char *which, int n, const ch__type *const *types) {
    if (count_floats(n, types) > 0) return CH_OK;
    char list[512] = "none";
    for (int i = 0, at = 0; i < n && at < (int)sizeof list; i++) {
        ch_tensor like = {.magic = CH__TENSOR_LIVE, .kind = CH__T_OP, .type = *types[i]};
        char type[128];
        ch_tensor_type(&like, type, sizeof type);
        at += snprintf(list + at, sizeof list - (size_t)at, "%s%s", i ? ", " : "", type);
    }
    return ch__fail(CH__E_gradient_integer, "%s: a derivative rule, but no %s is floating (%s) — leave the rule out",
                    j->name, which, list);
}

static ch_status close_vjp(custom_job *j, ch_tensor_fn vjp, void *user) {
    for (int i = 0; i < j->n_out; i++) j->types[j->n_in + i] = j->results[i];
    int n = add_floats(j->types, j->n_in + j->n_out, j->n_out, j->results);
    int n_want = add_floats(j->want, 0, j->n_in, j->types);
    return ch__close_over(j->name, "vjp rule", vjp, user, n, j->types, n_want, j->want, &j->closures[j->k++]);
}

static ch_status close_jvp(custom_job *j, ch_tensor_fn jvp, void *user) {
    int n = add_floats(j->types, j->n_in, j->n_in, j->types);
    int n_want = add_floats(j->want, 0, j->n_out, j->results);
    return ch__close_over(j->name, "jvp rule", jvp, user, n, j->types, n_want, j->want, &j->closures[j->k++]);
}

static ch_status custom_build(const char *where, custom_job *j, ch_tensor_fn body, ch_tensor_fn vjp, ch_tensor_fn jvp,
                              custom_kind kind, void *user, ch_tensor **out) {
    for (int i = 0; i < j->n_in; i++) j->types[i] = &j->in[i]->type;
    CH_TRY(ch__close_over(j->name, "body", body, user, j->n_in, j->types, j->n_out, NULL, &j->closures[j->k++]));
    for (int i = 0; i < j->n_out; i++) j->results[i] = j->closures[0].callee->func->body->results[i]->type;
    if (vjp != NULL || jvp != NULL) {
        CH_TRY(need_floats(j, "input", j->n_in, j->types));
        CH_TRY(need_floats(j, "result", j->n_out, j->results));
    }
    if (vjp != NULL) CH_TRY(close_vjp(j, vjp, user));
    if (jvp != NULL) CH_TRY(close_jvp(j, jvp, user));
    ch__attr attrs[5] = {ch__attr_str(CH__ATTR_name, j->name)};
    int n_attrs = 1;
    if (j->args != NULL && j->args[0] != '\0') attrs[n_attrs++] = ch__attr_str(CH__ATTR_args, j->args);
    if (j->k > 1)
        attrs[n_attrs++] = ch__attr_str(CH__ATTR_rules, vjp == NULL ? "jvp" : jvp == NULL ? "vjp" : "vjp jvp");
    if (kind == CUSTOM_REMAT) attrs[n_attrs++] = ch__attr_int(CH__ATTR_remat, 1);
    if (kind == CUSTOM_KERNEL) attrs[n_attrs++] = ch__attr_str(CH__ATTR_kernel, "");
    return ch__region_results(where, CH_OP_composite, j->n_in, j->in, j->n_in, n_attrs, attrs, j->k, j->closures,
                              j->n_out, j->results, out);
}

static ch_status check_arguments(const char *what, const char *name, ch_tensor_fn body, bool needs_rule, int n_in,
                                 int n_out) {
    if (name == NULL || name[0] == '\0')
        return ch__fail(CH__E_argument, "%s: the name is %s — give one, messages and IR say it", what,
                        name == NULL ? "NULL" : "empty");
    if (body == NULL) return ch__fail(CH__E_argument, "%s: the body of \"%s\" is NULL — give a function", what, name);
    if (needs_rule)
        return ch__fail(CH__E_argument,
                        "%s: \"%s\" has no rule — give one, or use ch_composite, which is differentiated through its "
                        "body",
                        what, name);
    if (n_in < 1 || n_out < 1)
        return ch__fail(CH__E_argument, "%s: \"%s\" has %d inputs and %d results — at least 1 of each is needed", what,
                        name, n_in, n_out);
    return CH_OK;
}

static void custom(const char *where, const char *what, const char *name, const char *args, ch_tensor_fn body,
                   ch_tensor_fn vjp, ch_tensor_fn jvp, custom_kind kind, void *user, int n_in, ch_tensor *const *in,
                   int n_out, ch_tensor **out) {
    bool needs_rule = strncmp(what, "custom_", 7) == 0 && vjp == NULL && jvp == NULL;
    ch_status s = check_arguments(what, name, body, needs_rule, n_in, n_out);
    ch_tensor *error = s != CH_OK ? ch__node_error(where) : ch__first_error(where, name, n_in, in);
    custom_job j = {.name = name, .args = args, .n_in = n_in, .n_out = n_out, .in = in};
    if (error == NULL) {
        size_t n = (size_t)n_in + (size_t)n_out;
        j.types = ch__calloc(4 * n, sizeof *j.types); // one piece: types 2 n, want n, results n
        if (j.types == NULL) {
            s = ch__fail_oom(name);
        } else {
            j.want = j.types + 2 * n;
            j.results = j.types + 3 * n;
            s = custom_build(where, &j, body, vjp, jvp, kind, user, out);
        }
        if (s != CH_OK) error = ch__node_error(where);
    }
    for (int i = 0; error != NULL && i < n_out; i++) out[i] = error;
    for (int i = 0; i < j.k; i++) ch__closure_finish(&j.closures[i]);
    ch__free(j.types);
}

void ch_custom_at(const char *where, const char *name, ch_tensor_fn body, ch_tensor_fn vjp, ch_tensor_fn jvp,
                  void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    custom(where, "custom", name, NULL, body, vjp, jvp, CUSTOM_PLAIN, user, n_in, in, n_out, out);
}

void ch_custom_vjp_at(const char *where, const char *name, ch_tensor_fn body, ch_tensor_fn vjp, void *user, int n_in,
                      ch_tensor *const *in, int n_out, ch_tensor **out) {
    custom(where, "custom_vjp", name, NULL, body, vjp, NULL, CUSTOM_PLAIN, user, n_in, in, n_out, out);
}

void ch_custom_jvp_at(const char *where, const char *name, ch_tensor_fn body, ch_tensor_fn jvp, void *user, int n_in,
                      ch_tensor *const *in, int n_out, ch_tensor **out) {
    custom(where, "custom_jvp", name, NULL, body, NULL, jvp, CUSTOM_PLAIN, user, n_in, in, n_out, out);
}

void ch_remat_at(const char *where, const char *name, ch_tensor_fn body, void *user, int n_in, ch_tensor *const *in,
                 int n_out, ch_tensor **out) {
    custom(where, "remat", name, NULL, body, NULL, NULL, CUSTOM_REMAT, user, n_in, in, n_out, out);
}

void ch_composite_at(const char *where, const char *name, const char *args, ch_tensor_fn body, void *user, int n_in,
                     ch_tensor *const *in, int n_out, ch_tensor **out) {
    custom(where, "composite", name, args, body, NULL, NULL, CUSTOM_PLAIN, user, n_in, in, n_out, out);
}

void ch_kernel_at(const char *where, const char *name, const char *args, ch_tensor_fn body, ch_tensor_fn vjp,
                  ch_tensor_fn jvp, void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    custom(where, "kernel", name, args, body, vjp, jvp, CUSTOM_KERNEL, user, n_in, in, n_out, out);
}
