// SPDX-License-Identifier: Apache-2.0
// realize.c - making expressions run: lower, prepare, run, keep the results as storage.

#include "tensor/jit.h"

#include <string.h>

static _Thread_local const volatile int *cancel_token;

void ch_set_cancel(const volatile int *token) { cancel_token = token; }
const volatile int *ch__realize_cancel(void) { return cancel_token; }

size_t ch__type_bytes(const ch__type *t) {
    int64_t n = (int64_t)ch_dtype_size(t->dtype);
    for (int i = 0; i < t->rank; i++)
        if (t->dims[i].sym == NULL && t->dims[i].val == 0) n = 0; // nothing, however large the others are
    for (int i = 0; i < t->rank; i++)
        if (t->dims[i].sym != NULL || !ch__mul_i64(n, t->dims[i].val, &n)) return SIZE_MAX;
    return (size_t)n;
}

bool ch__tensor_slot(const ch_tensor *t, ch__slot *s) {
    s->dtype = t->type.dtype;
    s->rank = t->type.rank;
    s->donated = false;
    for (int i = 0; i < t->type.rank; i++) s->dims[i] = t->type.dims[i].val;
    s->data = t->storage == NULL ? NULL : (void *)(uintptr_t)ch__tensor_compact(t);
    return t->storage == NULL || s->data != NULL;
}

struct lower_args {
    int n;
    ch_tensor *const *t;
    ch__lowering *l;
    ch_func *func;
    ch__run_plan plan;
};

static void lower(void *arg) {
    struct lower_args *p = arg;
    ch__module *m = ch__module_create();
    p->func = ch__func_create(m, "realize");
    ch__lowering_init(p->l, p->func);
    ch__value **values = CH_NEW_ARRAY(m->arena, ch__value *, p->n);
    ch__lower(p->l, p->n, p->t, values);
    ch__plan_make(&p->plan, p->l, p->n, p->t, values);
    ch__func_set_results(p->func, p->plan.n, p->plan.values, NULL);
}

// Result storage is made here, so that the engine writes into it and nothing is copied. *began: a failure may have
// left what was donated half written.
static ch_status run_lowered(const struct lower_args *p, ch__storage **made, bool *began) {
    const ch__engine *engine = ch__engine_at(0);
    const ch__lowering *l = p->l;
    void *code = NULL;
    CH_TRY(engine->compile(p->func, &code));
    int n_in = (int)l->inputs.n, n = p->plan.n;
    enum { FEW = 4 };
    ch__slot few[FEW], *slots = few;
    if (n_in + n > FEW) slots = ch__alloc((size_t)(n_in + n) * sizeof *slots);
    ch_status s = slots == NULL ? ch__fail_oom("a run") : CH_OK;
    for (int i = 0; s == CH_OK && i < n_in; i++) {
        if (!ch__tensor_slot(l->inputs.data[i], &slots[i])) s = ch__fail_oom("a view's elements");
        slots[i].donated = p->plan.donated != NULL && p->plan.donated[i];
    }
    for (int i = 0; s == CH_OK && i < n; i++) {
        ch_tensor *t = p->plan.out[i];
        size_t bytes = ch__type_bytes(&t->type);
        if (p->plan.place != NULL && p->plan.place[i] != NULL)
            made[i] = ch__storage_retain(p->plan.place[i]);
        else if (bytes == SIZE_MAX)
            s = ch__fail(CH__E_dim_overflow, "%s: the tensor's size in bytes does not fit in 64 bits", t->where);
        else if ((made[i] = ch__storage_create(bytes)) == NULL)
            s = ch__fail_oom("a tensor's data");
        if (s != CH_OK) break;
        ch__tensor_slot(t, &slots[n_in + i]);
        slots[n_in + i].data = made[i]->data;
    }
    ch__limits limits = {.check = ch__env_flag("CHAAC_CHECK"), .cancel = ch__realize_cancel()};
    if (s == CH_OK && limits.cancel != NULL && *limits.cancel)
        s = ch__fail(CH__E_cancelled, "realize: cancelled by the caller");
    *began = s == CH_OK;
    if (s == CH_OK) s = engine->run(code, &limits, n_in, slots, n, slots + n_in);
    if (slots != few) ch__free(slots);
    engine->destroy(code);
    return s;
}

static ch_status realize(int n, ch_tensor *const *t) {
    ch__lowering l;
    struct lower_args p = {.n = n, .t = t, .l = &l};
    CH_TRY(ch__protect(lower, &p));
    enum { FEW = 4 };
    n = p.plan.n;
    bool began = false;
    ch__storage *few[FEW] = {NULL}, **made = n <= FEW ? few : ch__calloc((size_t)n, sizeof *made);
    ch_status s = made == NULL ? ch__fail_oom("a run") : run_lowered(&p, made, &began);
    for (int i = 0; made != NULL && i < n; i++) {
        if (s == CH_OK)
            p.plan.out[i]->storage = made[i];
        else
            ch__storage_release(made[i]);
    }
    if (p.plan.n_versions > 0 && made != NULL) s = ch__plan_finish(&p.plan, &l, s, began);
    if (made != few) ch__free(made);
    ch__module_destroy(p.func->module);
    return s;
}

ch_status ch__realize_now(int n, ch_tensor *const *t) {
    if (n < 0 || (n > 0 && t == NULL))
        return ch__fail(CH__E_argument, "realize_all: %d tensors — give an array of them", n);
    ch_tensor *error = ch__first_error("realize", "realize", n, t);
    if (error != NULL)
        return error->error->id == CH__E_COUNT ? ch__fail(CH__E_internal, "realize: an error tensor without an error")
                                               : ch__error_publish(error->error);
    enum { FEW = 8 };
    ch_tensor *few[FEW], **todo = n <= FEW ? few : ch__alloc((size_t)n * sizeof *todo);
    if (todo == NULL) return ch__fail_oom("a run");
    int n_todo = 0;
    for (int i = 0; i < n; i++)
        if (t[i]->storage == NULL && !ch__view_realize(t[i])) todo[n_todo++] = t[i];
    int unique = 0; // a tensor given twice is realized once; few are given, so a plain search does
    for (int i = 0; i < n_todo; i++) {
        bool seen = false;
        for (int j = 0; j < unique && n_todo <= 64; j++) seen = seen || todo[j] == todo[i];
        if (!seen) todo[unique++] = todo[i];
    }
    ch_status s = unique == 0 ? CH_OK : realize(unique, todo);
    if (todo != few) ch__free(todo);
    return s;
}

// In a jit's function that is being recorded nothing runs: what is realized has its values when the program runs.
ch_status ch_realize_all(int n, ch_tensor *const *t) {
    ch_status s;
    if (n > 0 && t != NULL && ch__jit_recording() != NULL && ch__first_error("realize", "realize", n, t) == NULL &&
        ch__jit_defer(n, t, &s))
        return s;
    return ch__realize_now(n, t);
}

ch_status ch_realize(ch_tensor *t) { return ch_realize_all(1, &t); }

ch_status ch__realize_to_read(const char *what, int n, ch_tensor *const *t) {
    CH_TRY(ch__jit_refuse_read(what));
    return ch__realize_now(n, t);
}

int ch_is_realized(const ch_tensor *t) { return t != NULL && t->kind != CH__T_ERROR && t->storage != NULL; }

ch_tensor *ch_detach_at(const char *where, ch_tensor *t) {
    ch_tensor *error = ch__first_error(where, "detach", 1, &t);
    if (error != NULL) return error;
    if (ch__jit_current() != NULL) return ch_stop_gradient_at(where, t); // the same node eagerly and recorded
    if (ch_realize(t) != CH_OK) return ch__node_error(where);
    ch_tensor *d = ch__node(&(ch__node_spec){.kind = CH__T_DATA,
                                             .where = where,
                                             .type = &t->type,
                                             .storage = ch__storage_retain(t->storage),
                                             .layout_of = t});
    if (d->kind == CH__T_DATA) d->had_expression = t->kind != CH__T_DATA || t->had_expression;
    return d;
}
