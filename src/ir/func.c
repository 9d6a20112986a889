// SPDX-License-Identifier: Apache-2.0
// func.c - funcs as users see them: names, types, counts, copies.
//
// A func that was given out never changes, but the text of its types is made when first asked for. That happens under a
// lock, in the func's own arena, and is kept: any thread may ask.
#include "ir/ir.h"

#include <pthread.h>

static pthread_mutex_t func_texts_lock = PTHREAD_MUTEX_INITIALIZER;

void ch_func_destroy(ch_func *f) {
    if (f && f->owns_module) ch__module_destroy(f->module);
}

typedef struct {
    const ch_func *func;
    ch_func *clone;
    int64_t n;
    int code; // -1: any
} func_job;

static void func_clone_run(void *arg) {
    func_job *j = arg;
    j->clone = ch__func_clone(j->func);
    j->clone->owns_module = true;
}

ch_status ch_func_clone(const ch_func *f, ch_func **out_func) {
    if (!f || !out_func) return ch__fail(CH__E_argument, "ch_func_clone: %s is NULL", f ? "out_func" : "f");
    func_job j = {.func = f};
    CH_TRY(ch__protect(func_clone_run, &j));
    *out_func = j.clone;
    return CH_OK;
}

// ---------------------------------------------------------------- names and types
const char *ch_func_name(const ch_func *f) { return f ? f->name : NULL; }

int ch_func_num_params(const ch_func *f) { return f ? f->body->n_params : 0; }

int ch_func_num_results(const ch_func *f) { return f ? f->body->n_results : 0; }

const char *ch_func_param_name(const ch_func *f, int i) {
    if (!f || i < 0 || i >= f->body->n_params) return NULL;
    return f->body->params[i]->name ? f->body->params[i]->name : "";
}

const char *ch_func_result_name(const ch_func *f, int i) {
    if (!f || i < 0 || i >= f->body->n_results) return NULL;
    return f->result_names && f->result_names[i] ? f->result_names[i] : "";
}

static void func_texts_run(void *arg) {
    ch_func *f = arg;
    int n = f->body->n_params, all = n + f->body->n_results;
    const char **texts = CH_NEW_ARRAY(f->module->arena, const char *, all);
    for (int i = 0; i < all; i++) {
        const ch__value *v = i < n ? f->body->params[i] : f->body->results[i - n];
        texts[i] = ch__type_text(f->module->arena, v->type);
    }
    f->type_texts = texts;
}

// at: params, then results. NULL only when memory ends.
static const char *func_type_text(const ch_func *f, int at) {
    pthread_mutex_lock(&func_texts_lock);
    if (!f->type_texts) ch__protect(func_texts_run, (ch_func *)f);
    const char *text = f->type_texts ? f->type_texts[at] : NULL;
    pthread_mutex_unlock(&func_texts_lock);
    return text;
}

const char *ch_func_param_type(const ch_func *f, int i) {
    return f && i >= 0 && i < f->body->n_params ? func_type_text(f, i) : NULL;
}

const char *ch_func_result_type(const ch_func *f, int i) {
    return f && i >= 0 && i < f->body->n_results ? func_type_text(f, f->body->n_params + i) : NULL;
}

// ---------------------------------------------------------------- counts
static void func_count_op(void *arg, ch__op *op) {
    func_job *j = arg;
    j->n += j->code < 0 || op->code == j->code;
}

static void func_count_run(void *arg) {
    func_job *j = arg;
    ch__arena *scratch = ch__arena_create();
    j->n = 0;
    ch__walk_reached(scratch, j->func, func_count_op, j);
    ch__arena_destroy(scratch);
}

int64_t ch_func_num_ops(const ch_func *f) {
    func_job j = {.func = f, .code = -1};
    return f && ch__protect(func_count_run, &j) == CH_OK ? j.n : -1;
}

int64_t ch_func_count(const ch_func *f, const char *op) {
    size_t len = 0;
    while (op && op[len]) len++;
    func_job j = {.func = f, .code = ch__op_find(op ? op : "", len)};
    if (!f || j.code < 0) {
        ch__fail(f ? CH__E_unknown_op : CH__E_argument, "ch_func_count: %s%s",
                 f ? "no operation is named " : "f is NULL", f && op ? op : "");
        return -1;
    }
    return ch__protect(func_count_run, &j) == CH_OK ? j.n : -1;
}

size_t ch_func_bytes(const ch_func *f) { return f ? ch__arena_bytes(f->module->arena) : 0; }
