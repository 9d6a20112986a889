// SPDX-License-Identifier: Apache-2.0
// func_text.c - funcs from and to IR text, for users: parse, load, print, to_text.
//
// A func that is given out owns the module it stands in. Printing writes the funcs it calls first, so that the text,
// read again, gives the same func: the last one.
#include "ir/ir.h"

#include <string.h>

typedef struct func_text_job {
    const char *text, *name, *func_name;
    size_t n;
    const ch_func *func;
    FILE *file;
    char *out;
    size_t out_n;
    bool failed;
    ch_func *result;
} func_text_job;

static void func_text_read(void *arg) {
    func_text_job *j = arg;
    ch__module *m = ch__parse_module(j->text, j->n, j->name);
    ch_func *f = j->func_name ? ch__module_find(m, j->func_name) : m->last;
    if (!f && !j->func_name) ch__raise(CH__E_parse, "%s: the text holds no func", j->name);
    if (!f) {
        ch__text t;
        ch__text_init(&t, m->arena);
        int n = 0;
        for (const ch_func *g = m->first; g && n < 16; g = g->next) ch__putf(&t, "%s@%s", n++ ? ", " : "", g->name);
        ch__raise(CH__E_unknown_func, "%s: no func @%s — there is %s", j->name, j->func_name, n ? t.data : "none");
    }
    f->owns_module = true;
    ch__arena_keep(m->arena);
    j->result = f;
}

ch_status ch_func_parse(const char *text, const char *name, ch_func **out_func) {
    if (!text || !out_func) return ch__fail(CH__E_argument, "ch_func_parse: %s is NULL", text ? "out_func" : "text");
    func_text_job j = {.text = text, .n = strlen(text), .name = name ? name : "text"};
    CH_TRY(ch__protect(func_text_read, &j));
    *out_func = j.result;
    return CH_OK;
}

ch_status ch_func_load(const char *path, const char *func_name, ch_func **out_func) {
    if (!path || !out_func) return ch__fail(CH__E_argument, "ch_func_load: %s is NULL", path ? "out_func" : "path");
    char *text = NULL;
    size_t n = 0;
    CH_TRY(ch__file_read(path, (size_t)1 << 31, &text, &n));
    func_text_job j = {.text = text, .n = n, .name = path, .func_name = func_name};
    ch_status s = ch__protect(func_text_read, &j);
    ch__free(text);
    if (s == CH_OK) *out_func = j.result;
    return s;
}

// ---------------------------------------------------------------- writing

typedef struct func_text_reach {
    ch__arena *arena;
    ch__map seen;
    CH_VEC(const ch_func *) todo;
} func_text_reach;

static void func_text_meet(void *arg, ch__op *op) {
    func_text_reach *r = arg;
    const ch__attr *a = ch__op_attr(op, CH__ATTR_callee);
    if (!a || ch__map_get(&r->seen, (uint64_t)(uintptr_t)a->func)) return;
    ch__map_put(&r->seen, (uint64_t)(uintptr_t)a->func, a->func);
    CH_PUSH(r->arena, &r->todo, a->func);
}

// f and what it calls: callees in the order of the module, f last.
static void func_text_write(ch__text *t, ch__arena *scratch, const ch_func *f) {
    func_text_reach r = {.arena = scratch};
    ch__map_init(&r.seen, scratch);
    ch__map_put(&r.seen, (uint64_t)(uintptr_t)f, f->module);
    CH_PUSH(scratch, &r.todo, f);
    for (int64_t i = 0; i < r.todo.n; i++) ch__walk(r.todo.data[i]->body, func_text_meet, &r);
    ch__put(t, "chaac-ir 1\n");
    for (const ch_func *g = f->module->first; g; g = g->next) {
        if (g == f || !ch__map_get(&r.seen, (uint64_t)(uintptr_t)g)) continue;
        ch__print_func(t, g);
        ch__putc(t, '\n');
    }
    ch__print_func(t, f);
}

static void func_text_print(void *arg) {
    func_text_job *j = arg;
    ch__arena *scratch = ch__arena_create();
    ch__text t;
    ch__text_init_file(&t, j->file);
    func_text_write(&t, scratch, j->func);
    j->failed = t.failed;
    ch__arena_destroy(scratch);
}

ch_status ch_func_print(const ch_func *f, FILE *file) {
    if (!f || !file) return ch__fail(CH__E_argument, "ch_func_print: %s is NULL", f ? "file" : "f");
    func_text_job j = {.func = f, .file = file};
    CH_TRY(ch__protect(func_text_print, &j));
    if (j.failed || ferror(file)) return ch__fail(CH__E_file, "ch_func_print: the file could not be written");
    return CH_OK;
}

static void func_text_string(void *arg) {
    func_text_job *j = arg;
    ch__arena *scratch = ch__arena_create();
    ch__text t;
    ch__text_init(&t, scratch);
    func_text_write(&t, scratch, j->func);
    j->out_n = (size_t)t.n;
    j->out = ch__alloc(j->out_n + 1);
    if (j->out) memcpy(j->out, t.data, j->out_n + 1);
    ch__arena_destroy(scratch);
}

ch_status ch_func_to_text(const ch_func *f, char **out_text) {
    if (!f || !out_text) return ch__fail(CH__E_argument, "ch_func_to_text: %s is NULL", f ? "out_text" : "f");
    func_text_job j = {.func = f};
    CH_TRY(ch__protect(func_text_string, &j));
    if (!j.out) return ch__fail_oom("ch_func_to_text");
    *out_text = j.out;
    return CH_OK;
}

void ch_string_free(char *s) { ch__free(s); }
