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

static void transform_square(void *arg) {
    transform_job *j = arg;
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
