// SPDX-License-Identifier: Apache-2.0
// sized.c - a func for given values of its size symbols: what is made ahead of time knows every size.
//
// A new func of the same name with constant types calls the old one, and the call is inlined; so the rules for sizes of
// calls (ch__call_subs) are the only ones. What recursive funcs call keeps its symbols.
#include "opt/opt.h"

#include <string.h>

static int64_t sized_value(const ch_func *f, const char *symbol, int n, const char *const *names,
                           const int64_t *values) {
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], symbol) == 0) return values[i];
    ch__raise(CH__E_argument, "@%s has the size %s — give its value", f->name, symbol);
}

static void sized_check_names(const ch_func *f, int n, const char *const *names, const int64_t *values) {
    for (int i = 0; i < n; i++) {
        const ch__dim_param *p = ch__func_dim_param((ch_func *)(uintptr_t)f, names[i]);
        if (p == NULL)
            ch__raise(CH__E_argument, "@%s has no size %s — its sizes stand in the types of its params", f->name,
                      names[i]);
        if (values[i] < p->lo || values[i] > p->hi || values[i] < 0)
            ch__raise(CH__E_dim_bounds, "@%s: %s is given as %" PRId64 " — it lies in %" PRId64 " .. %" PRId64, f->name,
                      names[i], values[i], p->lo, p->hi);
    }
}

static void sized_check_clauses(const ch_func *f, ch__arena *a, int n, const char *const *names, const ch__dim *dims) {
    for (int64_t i = 0; i < f->requires_.n; i++) {
        const ch__require *r = &f->requires_.data[i];
        ch__dim x = ch__dim_subst(a, r->a, n, names, dims), y = ch__dim_subst(a, r->b, n, names, dims);
        if (ch__dim_is_const(x) && ch__dim_is_const(y) && x.val != y.val)
            ch__raise(CH__E_requires, "@%s: %" PRId64 " and %" PRId64 " have to be equal (%s) for the sizes given",
                      f->name, x.val, y.val, r->why != NULL ? r->why : "a requires clause");
    }
}

ch_func *ch__func_sized(const ch_func *given, int n, const char *const *names, const int64_t *values) {
    ch_func *f = ch__func_clone(given);
    ch__module *m = f->module;
    ch__arena *a = m->arena;
    int n_dims = (int)f->dims.n, n_in = f->body->n_params, n_out = f->body->n_results;
    sized_check_names(f, n, names, values);
    const char **symbols = CH_NEW_ARRAY(a, const char *, n_dims + 1);
    ch__dim *dims = CH_NEW_ARRAY(a, ch__dim, n_dims + 1);
    for (int i = 0; i < n_dims; i++) {
        symbols[i] = f->dims.data[i].name;
        dims[i] = ch__dim_const(sized_value(f, symbols[i], n, names, values));
    }
    sized_check_clauses(f, a, n_dims, symbols, dims);
    const char *name = f->name;
    f->name = ch__module_fresh_name(m, name);
    ch_func *to = ch__func_create(m, name);
    to->loc = f->loc;
    ch__value **args = CH_NEW_ARRAY(a, ch__value *, n_in + 1), **results = CH_NEW_ARRAY(a, ch__value *, n_out + 1);
    for (int i = 0; i < n_in; i++) {
        const ch__value *p = f->body->params[i];
        args[i] = ch__func_add_param(to, p->name, ch__type_subst(a, p->type, n_dims, symbols, dims));
        ch__set_param_sharding(to, i, ch__param_sharding(f, i));
    }
    ch__builder b = ch__builder_at_end(to->body);
    ch__attr callee = ch__attr_func(CH__ATTR_callee, f);
    ch__op *call = ch__build(&b, CH_OP_call, n_in, args, 1, &callee, 0, NULL, 0, NULL);
    for (int i = 0; i < n_out; i++) results[i] = &call->results[i];
    ch__func_set_results(to, n_out, results, f->result_names);
    for (int i = 0; i < n_out; i++) ch__set_result_sharding(to, i, ch__result_sharding(f, i));
    if (f->inout != NULL) to->inout = ch__arena_dup(a, f->inout, (size_t)n_in * sizeof *f->inout);
    ch__inline(to);
    ch__optimize(to);
    return to;
}
