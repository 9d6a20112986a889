// SPDX-License-Identifier: Apache-2.0
// exec.c - executables: a func compiled by an engine. Immutable; any thread may run one.

#include "rt/rt.h"

#include <string.h>

#include "chaac/func.h"

ch_status ch__engine_find(const char *name, const ch__engine **out_engine) {
    char names[256] = "";
    for (int i = 0; ch__engine_at(i) != NULL; i++) {
        const ch__engine *e = ch__engine_at(i);
        if (name != NULL && strcmp(e->name, name) == 0) {
            *out_engine = e;
            return CH_OK;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", e->name);
    }
    return ch__fail(CH__E_engine, "compile: engine \"%s\" — this library has: %s", name == NULL ? "(null)" : name,
                    names);
}

static _Thread_local const volatile int *compile_token;

void ch__compile_watch(const volatile int *token) { compile_token = token; }
const volatile int *ch__compile_token(void) { return compile_token; }

static _Thread_local bool compile_whole_first;

void ch__compile_first(bool first) { compile_whole_first = first; }
bool ch__compile_is_first(void) { return compile_whole_first; }

size_t ch__slot_bytes(const ch__slot *s) {
    size_t n = ch__dtype_size(s->dtype);
    for (int i = 0; i < s->rank; i++) n *= (size_t)s->dims[i];
    return n;
}

ch_status ch__exec_run(ch_exec *e, const ch__limits *limits, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    if (n_in != ch_func_num_params(e->func))
        return ch__fail(CH__E_arity, "run: %d inputs given — @%s takes %d", n_in, e->func->name,
                        ch_func_num_params(e->func));
    if (n_out != ch_func_num_results(e->func))
        return ch__fail(CH__E_arity, "run: room for %d results given — @%s gives %d", n_out, e->func->name,
                        ch_func_num_results(e->func));
    return e->engine->run(e->code, limits, n_in, in, n_out, out);
}

void ch__exec_release(ch_exec *e) {
    if (e == NULL || atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) != 1) return;
    e->engine->destroy(e->code);
    ch_func_destroy(e->func);
    ch__free(e);
}

bool ch__limits_are_counted(const ch__limits *l) {
    return l != NULL && (l->max_steps > 0 || l->max_bytes > 0 || l->max_depth > 0 || l->check);
}
