// SPDX-License-Identifier: Apache-2.0
// transform.c - the transforms of chaac/func.h: each clones into a fresh module, changes the clone, gives it to the
// caller.
#include "diff/diff.h"

typedef struct {
    const ch_func *f;
    const char *wrt;
    ch__reverse_options o;
    bool include_value;
    ch_func *(*square)(const ch_func *f, int n_wrt, const int *wrt);
    int64_t (*pass)(ch_func *f);
    const char *policy;
    ch_func *out;
} transform_job;

static void transform_reverse(void *arg) {
    transform_job *j = arg;
    ch__arena *scratch = ch__arena_create();
    int *wrt;
    j->o.n_wrt = ch__parse_wrt(scratch, j->f, j->wrt, &wrt);
    j->o.wrt = wrt;
    j->out = ch__reverse(j->f, &j->o);
    ch__arena_destroy(scratch);
}

static void transform_forward(void *arg) {
    transform_job *j = arg;
    ch__arena *scratch = ch__arena_create();
    int *wrt;
    int n = ch__parse_wrt(scratch, j->f, j->wrt, &wrt);
    j->out = ch__forward(j->f, &(ch__forward_options){.n_wrt = n, .wrt = wrt, .include_value = j->include_value});
    ch__arena_destroy(scratch);
}

// A Jacobian's columns would be taken along one direction on every replica at once: it would be a sum of blocks.
static void refuse_replicas(const transform_job *j) {
    if (j->square == ch__hvp || !ch__has_collectives(j->f)) return;
    ch__raise(CH__E_unsupported,
              "%s: @%s works with other replicas, which have params of their own — take ch_vjp or ch_jvp",
              j->square == ch__jacobian ? "ch_jacobian" : "ch_hessian", j->f->name);
}

static void transform_square(void *arg) {
    transform_job *j = arg;
    refuse_replicas(j);
    ch__arena *scratch = ch__arena_create();
    int *wrt;
    int n = ch__parse_wrt(scratch, j->f, j->wrt, &wrt);
    j->out = j->square(j->f, n, wrt);
    ch__arena_destroy(scratch);
}

static void transform_pass(void *arg) {
    transform_job *j = arg;
    ch_func *f = ch__func_clone(j->f);
    for (ch_func *g = f->module->first; g != NULL; g = g->next) j->pass(g);
    ch__dce_funcs(f);
    j->out = f;
}

static void policy_on(void *arg, ch__op *op) {
    const transform_job *j = arg;
    if (op->code != CH_OP_for && op->code != CH_OP_while) return;
    if (ch__op_attr(op, CH__ATTR_policy) != NULL) return;
    ch__arena *a = j->out->module->arena;
    ch__attr *attrs = CH_NEW_ARRAY(a, ch__attr, op->n_attrs + 1);
    int n = 0;
    while (n < op->n_attrs && op->attrs[n].id < CH__ATTR_policy) attrs[n] = op->attrs[n], n++;
    attrs[n] = ch__attr_copy(a, ch__attr_str(CH__ATTR_policy, j->policy));
    for (int i = n; i < op->n_attrs; i++) attrs[i + 1] = op->attrs[i];
    op->attrs = attrs;
    op->n_attrs++;
}

static void transform_policy(void *arg) {
    transform_job *j = arg;
    j->out = ch__func_clone(j->f);
    for (ch_func *f = j->out->module->first; f != NULL; f = f->next) ch__walk(f->body, policy_on, j);
}

// Commit on success: *out is touched only then. The module's arena joins no frame any more.
static ch_status transform_run(void (*fn)(void *), transform_job *j, const char *who, ch_func **out) {
    if (j->f == NULL || out == NULL)
        return ch__fail(CH__E_argument, "%s: %s is NULL — a func and a place for the result are needed", who,
                        j->f == NULL ? "the func" : "the place for the result");
    CH_TRY(ch__protect(fn, j));
    ch__arena_keep(j->out->module->arena);
    j->out->owns_module = true;
    *out = j->out;
    return CH_OK;
}

ch_status ch_value_and_grad(const ch_func *f, const char *wrt, ch_func **out_func) {
    transform_job j = {.f = f, .wrt = wrt, .o = {.include_value = true}};
    return transform_run(transform_reverse, &j, "ch_value_and_grad", out_func);
}

ch_status ch_gradient(const ch_func *f, const char *wrt, ch_func **out_func) {
    transform_job j = {.f = f, .wrt = wrt};
    return transform_run(transform_reverse, &j, "ch_gradient", out_func);
}

ch_status ch_vjp(const ch_func *f, const char *wrt, int include_value, ch_func **out_func) {
    transform_job j = {.f = f, .wrt = wrt, .o = {.seeds = true, .include_value = include_value != 0}};
    return transform_run(transform_reverse, &j, "ch_vjp", out_func);
}

ch_status ch_jvp(const ch_func *f, const char *wrt, int include_value, ch_func **out_func) {
    transform_job j = {.f = f, .wrt = wrt, .include_value = include_value != 0};
    return transform_run(transform_forward, &j, "ch_jvp", out_func);
}

ch_status ch_jacobian(const ch_func *f, const char *wrt, ch_func **out_func) {
    transform_job j = {.f = f, .wrt = wrt, .square = ch__jacobian};
    return transform_run(transform_square, &j, "ch_jacobian", out_func);
}

ch_status ch_hessian(const ch_func *f, const char *wrt, ch_func **out_func) {
    transform_job j = {.f = f, .wrt = wrt, .square = ch__hessian};
    return transform_run(transform_square, &j, "ch_hessian", out_func);
}

ch_status ch_hvp(const ch_func *f, const char *wrt, ch_func **out_func) {
    transform_job j = {.f = f, .wrt = wrt, .square = ch__hvp};
    return transform_run(transform_square, &j, "ch_hvp", out_func);
}

ch_status ch_func_with_policy(const ch_func *f, const char *policy, ch_func **out_func) {
    if (policy == NULL || !ch__is_policy(policy))
        return ch__fail(
            CH__E_argument,
            "ch_func_with_policy: policy is %s — it is store, recompute, sqrt or revolve(n) with n at least 1",
            policy != NULL ? policy : "NULL");
    transform_job j = {.f = f, .policy = policy};
    return transform_run(transform_policy, &j, "ch_func_with_policy", out_func);
}

ch_status ch_func_simplify(const ch_func *f, ch_func **out_func) {
    transform_job j = {.f = f, .pass = ch__optimize};
    return transform_run(transform_pass, &j, "ch_func_simplify", out_func);
}

ch_status ch_func_run_pass(const ch_func *f, const char *pass, ch_func **out_func) {
    const ch__pass *p = pass == NULL ? NULL : ch__pass_find(pass);
    if (p == NULL) {
        char names[256] = "";
        size_t n = 0;
        for (int i = 0; ch__pass_at(i) != NULL; i++)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i == 0 ? "" : ", ", ch__pass_at(i)->name);
        return ch__fail(CH__E_unknown_name, "ch_func_run_pass: no pass '%s' — there are %s", pass == NULL ? "" : pass,
                        names);
    }
    transform_job j = {.f = f, .pass = p->run};
    return transform_run(transform_pass, &j, "ch_func_run_pass", out_func);
}

ch_status ch_func_widen(const ch_func *f, ch_func **out_func) {
    transform_job j = {.f = f, .pass = ch__widen};
    return transform_run(transform_pass, &j, "ch_func_widen", out_func);
}
