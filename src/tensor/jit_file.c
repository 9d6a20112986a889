// SPDX-License-Identifier: Apache-2.0
// jit_file.c - the program of a jit in a file, and a jit made of one.
//
// The file is a safetensors file: every tensor from outside that the program reads or writes, and texts in its
// metadata: the func, the layouts of the inputs, the variables, and which tensor is what, as lists of whole numbers.
// A file is not trusted: every number is checked against the func before anything is made of it.

#include "tensor/jit.h"

#include <string.h>

#include "chaac/io.h"

enum { JIT_FILE_VERSION = 1, MOST_NUMBERS = 4096 };

// ---- writing
typedef struct {
    ch_tensor **handles;
    int n;
} jit_handles;

static int handle_index(jit_handles *h, ch_tensor *t) {
    for (int i = 0; i < h->n; i++)
        if (h->handles[i] == t) return i;
    h->handles[h->n] = t;
    return h->n++;
}

struct texts {
    const ch_jit *j;
    jit_handles *h;
    ch__arena *a;
    const char *values[8], **names;
    char *func;
};

static const char *const text_keys[8] = {"chaac.jit", "name",      "engine", "func",
                                         "inputs",    "variables", "states", "results"};

static void make_texts(void *arg) {
    struct texts *p = arg;
    const ch_jit *j = p->j;
    const ch__jit_program *g = j->program;
    ch__text t[4];
    p->a = ch__arena_create();
    for (int i = 0; i < 4; i++) ch__text_init(&t[i], p->a);
    for (int i = 0; i < j->n_in; i++) {
        const ch__jit_layout *l = &j->layouts[i];
        ch__putf(&t[0], "%d %d %" PRId64, (int)l->dtype, l->rank, l->offset);
        for (int k = 0; k < l->rank; k++) ch__putf(&t[0], " %" PRId64 " %" PRId64, l->dims[k], l->strides[k]);
        ch__put(&t[0], " ");
    }
    for (int i = 0; i < j->n_vars; i++)
        ch__putf(&t[1], "%s %" PRId64 " %" PRId64 " ", j->vars[i]->name, j->vars[i]->lo, j->vars[i]->hi);
    ch__putf(&t[2], "%d ", g->n_captured);
    for (int i = 0; i < g->n_captured; i++) ch__putf(&t[2], "%d ", handle_index(p->h, g->captured[i]));
    for (int k = 0; k < g->n_states; k++)
        ch__putf(&t[2], "%d %d %d ", g->states[k].handle == NULL ? -1 : handle_index(p->h, g->states[k].handle),
                 g->states[k].input, g->states[k].param);
    ch__putf(&t[3], "%d %d ", j->n_out, (int)j->stable);
    for (int i = 0; i < j->n_out; i++) {
        const ch__jit_out *o = &g->outs[i];
        int at = o->kind == CH__JIT_HANDLE ? handle_index(p->h, g->returned[o->at]) : o->at;
        ch__putf(&t[3], "%d %d ", (int)o->kind, at);
    }
    p->names = CH_NEW_ARRAY(p->a, const char *, p->h->n + 1);
    for (int i = 0; i < p->h->n; i++) p->names[i] = ch__arena_printf(p->a, "t%d", i);
    p->values[0] = ch__arena_printf(p->a, "%d", JIT_FILE_VERSION);
    p->values[1] = j->name;
    p->values[2] = g->exec->engine->name;
    p->values[3] = p->func;
    for (int i = 0; i < 4; i++) p->values[4 + i] = t[i].data == NULL ? "" : t[i].data;
    ch__arena_keep(p->a);
}

static ch_status save_locked(ch_jit *j, const char *path) {
    const ch__jit_program *g = j->program;
    if (g == NULL)
        return ch__jit_fail(j, CH__E_jit_not_captured, "save: there is no program yet — call it twice first");
    if (g->n_draws > 0)
        return ch__jit_fail(j, CH__E_unsupported,
                            "save: it draws random keys from a source of this process — give the key as an input");
    if (j->sizes != NULL)
        return ch__jit_fail(j, CH__E_unsupported,
                            "save: its signature has symbolic sizes — save one made for fixed sizes");
    jit_handles h = {0};
    struct texts p = {.j = j, .h = &h};
    h.handles = ch__calloc((size_t)(g->n_captured + g->n_states + g->n_returned) + 1, sizeof *h.handles);
    ch_status s = h.handles == NULL ? ch__fail_oom("a jit's file") : ch_func_to_text(g->exec->func, &p.func);
    if (s == CH_OK) s = ch__protect(make_texts, &p);
    if (s == CH_OK) s = ch__realize_now(h.n, h.handles);
    if (s == CH_OK) s = ch_safetensors_save(path, h.n, p.names, h.handles, 8, text_keys, p.values);
    if (p.a != NULL) ch__arena_destroy(p.a);
    ch_string_free(p.func);
    ch__free(h.handles);
    return s;
}

ch_status ch_jit_save(ch_jit *j, const char *path) {
    if (j == NULL || path == NULL)
        return ch__fail(CH__E_argument, "jit_save: %s is NULL — give a jit and a path",
                        j == NULL ? "the jit" : "the path");
    CH_TRY(ch__jit_not_inside(j, "save"));
    pthread_mutex_lock(&j->lock);
    ch_status s = save_locked(j, path);
    pthread_mutex_unlock(&j->lock);
    return s;
}

// ---- reading
typedef struct {
    const char *path, *at; // the text being read
    bool bad;
} numbers;

static int64_t number(numbers *r, int64_t lo, int64_t hi) {
    while (*r->at == ' ') r->at++;
    const char *end = r->at;
    while (*end != ' ' && *end != '\0') end++;
    int64_t v = 0;
    bool overflow = false;
    const char *stop = end > r->at ? ch__parse_i64(r->at, end, &v, &overflow) : NULL;
    if (stop != end || overflow || v < lo || v > hi) r->bad = true;
    r->at = end;
    return r->bad ? lo : v;
}

static bool jit_over(numbers *r) {
    while (*r->at == ' ') r->at++;
    return *r->at == '\0';
}

static ch_status broken(const char *path, const char *what) {
    return ch__fail(CH__E_file_format, "jit_load: %s: its %s are not those of its func — the file is damaged", path,
                    what);
}

static bool type_is(const ch__type *t, ch_dtype dtype, int rank, const int64_t *dims) {
    if (t->dtype != dtype || t->rank != rank) return false;
    for (int i = 0; i < rank; i++)
        if (t->dims[i].sym != NULL || t->dims[i].val != dims[i]) return false;
    return true;
}

static ch_status read_inputs(ch_jit *j, const ch_func *f, numbers *r) {
    j->layouts = ch__calloc((size_t)f->body->n_params + 1, sizeof *j->layouts);
    if (j->layouts == NULL) return ch__fail_oom("a jit");
    for (; !jit_over(r) && !r->bad && j->n_in < f->body->n_params; j->n_in++) {
        ch__jit_layout *l = &j->layouts[j->n_in];
        l->dtype = (ch_dtype)number(r, 0, 255);
        l->rank = (int8_t)number(r, 0, CH__MAX_RANK);
        l->offset = number(r, 0, INT64_MAX);
        for (int k = 0; k < l->rank; k++) {
            l->dims[k] = number(r, 0, INT64_MAX);
            l->strides[k] = number(r, INT64_MIN, INT64_MAX);
        }
        if (!type_is(f->body->params[j->n_in]->type, l->dtype, l->rank, l->dims)) r->bad = true;
    }
    return r->bad || !jit_over(r) ? broken(r->path, "inputs") : CH_OK;
}

static ch_status read_vars(ch_jit *j, const ch_func *f, numbers *r) {
    j->vars = ch__calloc((size_t)f->body->n_params + 1, sizeof *j->vars);
    if (j->vars == NULL) return ch__fail_oom("a jit");
    while (!jit_over(r) && !r->bad && j->n_in + j->n_vars < f->body->n_params) {
        const char *end = r->at;
        while (*end != ' ' && *end != '\0') end++;
        char name[80];
        if (end - r->at >= (ptrdiff_t)sizeof name) return broken(r->path, "variables");
        memcpy(name, r->at, (size_t)(end - r->at));
        name[end - r->at] = '\0';
        r->at = end;
        int64_t lo = number(r, 0, INT64_MAX), hi = number(r, lo, INT64_MAX);
        const ch__type *t = f->body->params[j->n_in + j->n_vars]->type;
        if (r->bad || t->dtype != CH_I8 || t->rank != 2) return broken(r->path, "variables");
        ch_var *v = ch_var_create(name, lo, hi);
        if (v == NULL) return ch__err_status(ch__error_current());
        j->vars[j->n_vars++] = v;
    }
    return r->bad || !jit_over(r) ? broken(r->path, "variables") : CH_OK;
}

static bool tensor_fits(const ch_tensor *t, const ch__type *type) {
    int64_t dims[CH__MAX_RANK];
    for (int i = 0; i < t->type.rank; i++) dims[i] = t->type.dims[i].val;
    return type_is(type, t->type.dtype, t->type.rank, dims);
}

static ch_status read_states(ch_jit *j, const ch_func *f, numbers *r, int n_tensors, ch_tensor *const *tensors) {
    ch__jit_program *p = j->program;
    int first = j->n_in + j->n_vars, n_params = f->body->n_params, n_results = f->body->n_results;
    p->n_in = j->n_in;
    p->n_vars = j->n_vars;
    int n_captured = (int)number(r, 0, n_params);
    if (r->bad || first + n_captured != n_params) return broken(r->path, "tensors");
    CH_TRY(ch__jit_program_allocate(p, n_captured, n_results));
    for (int i = 0; i < n_captured && !r->bad; i++) {
        ch_tensor *t = n_tensors > 0 ? tensors[number(r, 0, n_tensors - 1)] : NULL;
        if (r->bad || t == NULL || !tensor_fits(t, f->body->params[first + i]->type)) return broken(r->path, "tensors");
        p->captured[p->n_captured++] = ch_keep(t);
    }
    int n_states = 0;
    while (!jit_over(r) && !r->bad && n_states < n_results) {
        int64_t handle = number(r, -1, n_tensors - 1), input = number(r, -1, j->n_in - 1);
        int64_t param = number(r, -1, n_params - 1);
        bool is_input = handle < 0;
        if (r->bad || is_input != (input >= 0) || (is_input && param != input)) return broken(r->path, "states");
        if (!is_input && param >= 0 && (param < first || p->captured[param - first] != tensors[handle]))
            return broken(r->path, "states");
        if (!is_input && param >= 0) p->captured_written[param - first] = true;
        p->states[n_states++] = (ch__jit_state){is_input ? NULL : ch_keep(tensors[handle]), (int)input, (int)param};
        p->n_states = n_states;
    }
    if (r->bad || !jit_over(r)) return broken(r->path, "states");
    p->n_new = n_results - n_states;
    for (int k = 0; k < n_states; k++) {
        const ch__type *want = f->body->results[p->n_new + k]->type;
        const ch__jit_layout *l = p->states[k].input >= 0 ? &j->layouts[p->states[k].input] : NULL;
        bool fits = l != NULL ? type_is(want, l->dtype, l->rank, l->dims) : tensor_fits(p->states[k].handle, want);
        if (!fits || (p->states[k].param >= 0 && (f->inout == NULL || f->inout[p->states[k].param] != p->n_new + k)))
            return broken(r->path, "states");
    }
    return CH_OK;
}

static ch_status read_results(ch_jit *j, numbers *r, int n_tensors, ch_tensor *const *tensors) {
    ch__jit_program *p = j->program;
    int n_out = (int)number(r, 0, MOST_NUMBERS), n_new = 0;
    j->stable = number(r, 0, 1) != 0;
    if (r->bad) return broken(r->path, "results");
    ch_status s = ch__jit_program_allocate_outs(p, n_out);
    if (s != CH_OK) return s;
    j->n_out = n_out;
    for (int i = 0; i < n_out; i++) {
        ch__jit_out o = {(ch__jit_out_kind)number(r, CH__JIT_NEW, CH__JIT_SAME), (int)number(r, 0, MOST_NUMBERS)};
        bool fine = !r->bad;
        if (fine && o.kind == CH__JIT_NEW) fine = o.at == n_new++;
        if (fine && o.kind == CH__JIT_SAME) fine = o.at < i && p->outs[o.at].kind == CH__JIT_NEW;
        if (fine && o.kind == CH__JIT_HANDLE) {
            fine = o.at < n_tensors;
            if (fine) p->returned[p->n_returned] = ch_keep(tensors[o.at]);
            if (fine) o.at = p->n_returned++;
        }
        if (!fine) return broken(r->path, "results");
        p->outs[i] = o;
    }
    return n_new == p->n_new && jit_over(r) ? CH_OK : broken(r->path, "results");
}

static ch_status read_tensors(ch_safetensors *st, const char *path, int *n, ch_tensor ***out) {
    *n = ch_safetensors_count(st);
    *out = ch__calloc((size_t)*n + 1, sizeof **out);
    if (*out == NULL) return ch__fail_oom("a jit");
    for (int i = 0; i < *n; i++) {
        char name[24];
        snprintf(name, sizeof name, "t%d", i);
        if (ch_safetensors_find(st, name) < 0) return broken(path, "tensors");
        CH_TRY(ch_safetensors_read(st, name, &(*out)[i]));
    }
    return CH_OK;
}

static ch_status make_loaded(ch_safetensors *st, const char *path, const char *const *text, ch_jit *j, ch_func *f) {
    ch_tensor **tensors = NULL;
    int n = 0;
    numbers r[4];
    for (int i = 0; i < 4; i++) r[i] = (numbers){path, text[4 + i], false};
    j->program = ch__calloc(1, sizeof *j->program);
    ch_status s = j->program == NULL ? ch__fail_oom("a jit") : read_tensors(st, path, &n, &tensors);
    if (s == CH_OK) s = read_inputs(j, f, &r[0]);
    if (s == CH_OK) s = read_vars(j, f, &r[1]);
    if (s == CH_OK) s = read_states(j, f, &r[2], n, tensors);
    if (s == CH_OK) s = read_results(j, &r[3], n, tensors);
    if (s == CH_OK) s = ch__jit_program_finish(j, j->program, f);
    j->calls = 2;
    for (int i = 0; tensors != NULL && i < n; i++) ch_release(tensors[i]);
    ch__free(tensors);
    return s;
}

static ch_status no_function(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                             ch_tensor **out) {
    (void)user, (void)n_in, (void)in, (void)n_vars, (void)vars, (void)n_out, (void)out;
    return ch__fail(CH__E_jit_loaded, "a jit from a file has no function");
}

static ch_status load_open(ch_safetensors *st, const char *path, ch_jit **out) {
    const char *text[8];
    for (int i = 0; i < 8; i++) {
        text[i] = ch_safetensors_metadata(st, text_keys[i]);
        if (text[i] == NULL && i > 0) return broken(path, "texts");
        if (text[i] == NULL)
            return ch__fail(CH__E_file_format, "jit_load: %s: it holds tensors and no program of a jit", path);
    }
    if (strcmp(text[0], "1") != 0)
        return ch__fail(CH__E_newer_version, "jit_load: %s: version %s of the format — this library reads version %d",
                        path, text[0], JIT_FILE_VERSION);
    ch_func *f = NULL;
    CH_TRY(ch_func_parse(text[3], path, &f));
    ch_jit *j = ch_jit_create(text[1], no_function, NULL, 0);
    ch_status s = j == NULL ? ch__err_status(ch__error_current()) : ch_jit_set_engine(j, text[2]);
    if (s == CH_OK) {
        j->loaded = true;
        j->mode = CH_JIT_REPLAY;
        s = make_loaded(st, path, text, j, f);
    }
    ch_func_destroy(f);
    if (s == CH_OK)
        *out = j;
    else
        ch_jit_destroy(j);
    return s;
}

ch_status ch_jit_load(const char *path, ch_jit **out_jit) {
    if (path == NULL || out_jit == NULL)
        return ch__fail(CH__E_argument, "jit_load: %s is NULL — give a path and a place for the jit",
                        path == NULL ? "the path" : "the place");
    ch_safetensors *st = NULL;
    CH_TRY(ch_safetensors_open(path, &st));
    ch_scope scope = ch_scope_begin();
    ch_status s = scope.token == 0 ? ch__fail_oom("a jit") : load_open(st, path, out_jit);
    if (scope.token != 0) ch__scope_unwind(scope);
    ch_safetensors_close(st);
    return s;
}
