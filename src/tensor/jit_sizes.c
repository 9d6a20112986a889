// SPDX-License-Identifier: Apache-2.0
// jit_sizes.c - a jit's signature with symbolic sizes: "x: f32[n,784], y: i32[n]". One program serves all sizes.
//
// The signature is that of ch_capture. It is kept as a func without operations, whose params say what the inputs have
// to be. At each call the axes that are a symbol alone give the symbols their values, and then every axis has to be
// what its expression says; a symbol that no axis gives is refused when the signature is set.

#include <stdlib.h>
#include <string.h>

#include "tensor/jit.h"

struct ch__jit_sizes {
    ch__module *module;
    const ch_func *func;
    const char *text, **names; // of the symbols
};

void ch__jit_sizes_free(ch__jit_sizes *s) {
    if (s == NULL) return;
    ch__module_destroy(s->module);
    ch__free(s);
}

const char *ch__jit_sizes_text(const ch__jit_sizes *s) { return s->text; }

// ---- setting it
struct sizes_args {
    const char *text;
    ch__jit_sizes *sizes;
};

static bool gives_symbol(const ch_func *f, const char *name) {
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__type *t = f->body->params[i]->type;
        const char *symbol;
        for (int k = 0; k < t->rank; k++)
            if (ch__dim_is_symbol(t->dims[k], &symbol) && strcmp(symbol, name) == 0) return true;
    }
    return false;
}

static void read_sizes(void *arg) {
    struct sizes_args *p = arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, "signature");
    ch__parse_signature(f, p->text);
    const char **names = CH_NEW_ARRAY(m->arena, const char *, f->dims.n + 1);
    for (int64_t i = 0; i < f->dims.n; i++) {
        names[i] = f->dims.data[i].name;
        if (!gives_symbol(f, names[i]))
            ch__raise(CH__E_signature, "jit_set_signature: no axis is %s alone — its value could not be told",
                      names[i]);
    }
    p->sizes->text = ch__arena_strdup(m->arena, p->text);
    p->sizes->names = names;
    p->sizes->func = f;
    p->sizes->module = m;
    ch__arena_keep(m->arena);
}

ch_status ch_jit_set_signature(ch_jit *j, const char *signature) {
    CH_TRY(ch__jit_choose(j, "signature"));
    if (j->calls > 0)
        return ch__jit_fail(j, CH__E_jit_captured,
                            "set_signature: it was called already — choose before the first call");
    ch__jit_sizes *s = NULL;
    if (signature != NULL) {
        s = ch__calloc(1, sizeof *s);
        if (s == NULL) return ch__fail_oom("a signature");
        ch_status read = ch__protect(read_sizes, &(struct sizes_args){signature, s});
        if (read != CH_OK) {
            ch__free(s);
            return read;
        }
    }
    ch__jit_sizes_free(j->sizes);
    j->sizes = s;
    return CH_OK;
}

// ---- a call
static ch_status mismatch(const ch_jit *j, int i, const ch_tensor *t, const char *why, ...) CH_PRINTF(4, 5);
static ch_status mismatch(const ch_jit *j, int i, const ch_tensor *t, const char *why, ...) {
    char type[256], reason[256];
    va_list args;
    va_start(args, why);
    vsnprintf(reason, sizeof reason, why, args);
    va_end(args);
    ch_tensor_type(t, type, sizeof type);
    return ch__jit_fail(j, CH__E_jit_input_mismatch, "input %d: %s, and the signature is \"%s\" — %s", i, type,
                        j->sizes->text, reason);
}

static int symbol_index(const ch__jit_sizes *s, const char *name) {
    int i = 0;
    while (strcmp(s->names[i], name) != 0) i++;
    return i;
}

enum { NO_VALUE = -1 };

// Axes that are a symbol alone.
static ch_status take_symbols(const ch_jit *j, int i, const ch_tensor *t, int64_t *values) {
    const ch__jit_sizes *s = j->sizes;
    const ch__type *want = s->func->body->params[i]->type;
    if (t->type.dtype != want->dtype || t->type.rank != want->rank) return mismatch(j, i, t, "dtype and rank stay");
    for (int k = 0; k < want->rank; k++) {
        const char *name;
        if (!ch__dim_is_symbol(want->dims[k], &name)) continue;
        int at = symbol_index(s, name);
        int64_t v = t->type.dims[k].val, lo = s->func->dims.data[at].lo, hi = s->func->dims.data[at].hi;
        if (v < lo || v > hi)
            return mismatch(j, i, t, "%s = %" PRId64 " is not in %" PRId64 "..%" PRId64, name, v, lo, hi);
        if (values[at] != NO_VALUE && values[at] != v)
            return mismatch(j, i, t, "%s is %" PRId64 " already, and %" PRId64 " on axis %d", name, values[at], v, k);
        values[at] = v;
    }
    return CH_OK;
}

static ch_status check_axes(const ch_jit *j, int i, const ch_tensor *t, const int64_t *values) {
    const ch__jit_sizes *s = j->sizes;
    const ch__type *want = s->func->body->params[i]->type;
    const ch__dim_env env = {(int)s->func->dims.n, s->names, values};
    for (int k = 0; k < want->rank; k++) {
        int64_t v = 0;
        ch_status status = ch__dim_eval(want->dims[k], &env, &v);
        if (status != CH_OK) return ch__jit_prefix(j, status);
        if (v != t->type.dims[k].val) return mismatch(j, i, t, "axis %d has to be %" PRId64, k, v);
    }
    return CH_OK;
}

ch_status ch__jit_sizes_check(const ch_jit *j, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars) {
    const ch__jit_sizes *s = j->sizes;
    int64_t few[8], *values = few, n = s->func->dims.n;
    if (n_in != s->func->body->n_params)
        return ch__jit_fail(j, CH__E_jit_input_count, "%d inputs — the signature \"%s\" has %d", n_in, s->text,
                            s->func->body->n_params);
    for (int i = 0; i < n_vars; i++)
        for (int64_t k = 0; k < n; k++)
            if (strcmp(vars[i].var->name, s->names[k]) == 0)
                return ch__jit_fail(j, CH__E_jit_var_conflict,
                                    "variable '%s' is a size of the signature \"%s\" too — name one of them otherwise",
                                    s->names[k], s->text);
    if (n > 8 && (values = ch__alloc((size_t)n * sizeof *values)) == NULL) return ch__fail_oom("a jit's call");
    for (int64_t k = 0; k < n; k++) values[k] = NO_VALUE;
    ch_status status = CH_OK;
    for (int i = 0; status == CH_OK && i < n_in; i++) status = take_symbols(j, i, in[i], values);
    for (int i = 0; status == CH_OK && i < n_in; i++) status = check_axes(j, i, in[i], values);
    if (values != few) ch__free(values);
    return status;
}
