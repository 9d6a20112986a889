// SPDX-License-Identifier: Apache-2.0
// engine.c - the iree engine: a func's text for each set of sizes, compiled when it is first met.
//
// The interpreter's program stands beside the modules and answers for the border, as for the native engine: it binds
// sizes, checks shapes and requires clauses and says what is wrong with a call. A func without symbolic sizes is
// compiled at once, so that what IREE refuses is said by ch_compile; of others the first run says it.
#include "iree/iree.h"

#include <pthread.h>
#include <string.h>

#include "hlo/hlo.h"
#include "interp/interp.h"
#include "opt/opt.h"

extern const ch__engine ch__engine_iree;

typedef struct iree_module {
    struct iree_module *next;
    int64_t *sizes;
    char *bytes;
    size_t n;
} iree_module;

typedef struct {
    ch__arena *arena;
    const ch_func *func;
    ch__program *program;
    int n_sizes;
    pthread_mutex_t lock; // held while a module is compiled
    iree_module *modules;
} iree_code;

static void iree_free_module(iree_module *m) {
    if (m == NULL) return;
    ch__free(m->sizes);
    ch__free(m->bytes);
    ch__free(m);
}

static void destroy_iree(void *made) {
    iree_code *c = made;
    for (iree_module *m = c->modules, *next; m != NULL; m = next) {
        next = m->next;
        iree_free_module(m);
    }
    pthread_mutex_destroy(&c->lock);
    ch__arena_destroy(c->arena);
    ch__free(c);
}

// ---------------------------------------------------------------- text
struct iree_text_args {
    const iree_code *code;
    const int64_t *sizes;
    ch_func *sized;
    int *aliases;
};

// Nothing of a func is donated here: results never lie in the memory of inputs.
static void iree_size(void *arg) {
    struct iree_text_args *p = arg;
    const ch_func *f = p->code->func;
    ch__arena *a = ch__arena_create();
    const char **names = CH_NEW_ARRAY(a, const char *, f->dims.n + 1);
    for (int64_t i = 0; i < f->dims.n; i++) names[i] = f->dims.data[i].name;
    p->sized = ch__func_sized(f, (int)f->dims.n, names, p->sizes);
    ch__iree_clamp(p->sized);
    p->aliases = CH_NEW_ARRAY(p->sized->module->arena, int, f->body->n_params + 1);
    for (int i = 0; i < f->body->n_params; i++) p->aliases[i] = -1;
    ch__arena_destroy(a);
}

static ch_status iree_text(const iree_code *c, const int64_t *sizes, char **out_text) {
    struct iree_text_args p = {.code = c, .sizes = sizes};
    CH_TRY(ch__protect(iree_size, &p));
    ch__arena_keep(p.sized->module->arena);
    const ch_hlo_options o = {.struct_size = sizeof o, .aliases = p.aliases};
    ch_status s = ch_hlo_to_text(p.sized, &o, out_text);
    ch__module_destroy(p.sized->module);
    return s;
}

static ch_status iree_make_module(const iree_code *c, const int64_t *sizes, const volatile int *cancel,
                                  iree_module **out_module) {
    char *text = NULL;
    size_t bytes = (size_t)c->n_sizes * sizeof *sizes;
    CH_TRY(iree_text(c, sizes, &text));
    iree_module *m = ch__calloc(1, sizeof *m);
    if (m != NULL) m->sizes = ch__alloc(bytes > 0 ? bytes : 1);
    ch_status s = m == NULL || m->sizes == NULL ? ch__fail_oom("a module") : CH_OK;
    if (s == CH_OK && bytes > 0) memcpy(m->sizes, sizes, bytes);
    if (s == CH_OK) s = ch__iree_compile(c->func->name, text, cancel, &m->bytes, &m->n);
    ch_string_free(text);
    if (s != CH_OK)
        iree_free_module(m);
    else
        *out_module = m;
    return s;
}

// Modules are never removed, so the one found stays while the executable does.
static ch_status iree_module_for(iree_code *c, const int64_t *sizes, const volatile int *cancel,
                                 const iree_module **out) {
    ch_status s = CH_OK;
    pthread_mutex_lock(&c->lock);
    iree_module *m = c->modules;
    while (m != NULL && c->n_sizes > 0 && memcmp(m->sizes, sizes, (size_t)c->n_sizes * sizeof *sizes) != 0) m = m->next;
    if (m == NULL && (s = iree_make_module(c, sizes, cancel, &m)) == CH_OK) {
        m->next = c->modules;
        c->modules = m;
    }
    pthread_mutex_unlock(&c->lock);
    *out = m;
    return s;
}

// ---------------------------------------------------------------- compile
struct iree_prepare {
    const ch_func *func;
    iree_code *code;
};

static void prepare_iree(void *arg) {
    struct iree_prepare *p = arg;
    p->code->arena = ch__arena_create();
    p->code->program = ch__interp_prepare(p->code->arena, p->func);
}

static ch_status compile_iree(const ch_func *f, void **out_code) {
    ch__iree_programs programs;
    ch__iree_target target;
    CH_TRY(ch__iree_find(&programs));
    CH_TRY(ch__iree_find_target(&target));
    iree_code *c = ch__calloc(1, sizeof *c);
    if (c == NULL) return ch__fail_oom("an executable");
    struct iree_prepare p = {f, c};
    ch_status s = ch__protect(prepare_iree, &p);
    if (s != CH_OK) {
        ch__free(c);
        return s;
    }
    ch__arena_keep(c->arena);
    c->func = f;
    c->n_sizes = (int)f->dims.n;
    pthread_mutex_init(&c->lock, NULL);
    const iree_module *m;
    if (c->n_sizes == 0) s = iree_module_for(c, NULL, ch__compile_token(), &m);
    if (s != CH_OK) {
        destroy_iree(c);
        return s;
    }
    *out_code = c;
    return CH_OK;
}

// ---------------------------------------------------------------- run
// Does what the caller gave for results fit? If not, the interpreter says what does not.
static bool iree_places_fit(int n_out, const ch__slot *want, const ch__slot *out) {
    for (int i = 0; i < n_out; i++) {
        if (out[i].data == NULL) continue;
        if (out[i].dtype != want[i].dtype || out[i].rank != want[i].rank) return false;
        for (int d = 0; d < want[i].rank; d++)
            if (out[i].dims[d] != want[i].dims[d]) return false;
    }
    return true;
}

static ch_status iree_run_module(iree_code *c, const volatile int *cancel, const int64_t *sizes, int n_in,
                                 const ch__slot *in, int n_out, ch__slot *want, ch__slot *out) {
    const iree_module *m = NULL;
    CH_TRY(iree_module_for(c, sizes, cancel, &m));
    ch_status s = CH_OK;
    for (int i = 0; i < n_out && s == CH_OK; i++) {
        want[i].data = out[i].data;
        size_t bytes = ch__slot_bytes(&want[i]);
        if (want[i].data == NULL && (want[i].data = ch__alloc_aligned(bytes > 0 ? bytes : 1, 64)) == NULL)
            s = ch__fail_oom("the values of a run");
    }
    if (s == CH_OK) s = ch__iree_run(c->func->name, m->bytes, m->n, cancel, n_in, in, n_out, want);
    for (int i = 0; i < n_out; i++) {
        if (s == CH_OK && out[i].data == NULL) out[i] = want[i];
        if (s != CH_OK && out[i].data == NULL) ch__free_aligned(want[i].data);
    }
    return s;
}

static ch_status run_iree(void *made, const ch__limits *l, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    iree_code *c = made;
    // IREE counts no steps and bytes, and looks at nothing that CHAAC_CHECK asks for.
    if (ch__limits_are_counted(l)) return ch__interp_run(c->program, l, n_in, in, n_out, out);
    ch__slot *want = ch__calloc((size_t)n_out + 1, sizeof *want);
    int64_t *sizes = ch__calloc((size_t)c->n_sizes + 1, sizeof *sizes);
    ch_status s = want == NULL || sizes == NULL ? ch__fail_oom("a run") : CH_OK;
    if (s == CH_OK) s = ch__interp_bind(c->program, n_in, in, sizes, n_out, want);
    if (s == CH_OK && !iree_places_fit(n_out, want, out))
        s = ch__interp_run(c->program, l, n_in, in, n_out, out);
    else if (s == CH_OK)
        s = iree_run_module(c, l == NULL ? NULL : l->cancel, sizes, n_in, in, n_out, want, out);
    ch__free(sizes);
    ch__free(want);
    return s;
}

static ch_status types_iree(void *made, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    iree_code *c = made;
    return ch__interp_result_types(c->program, n_in, in, n_out, out);
}

const ch__engine ch__engine_iree = {
    .name = "iree",
    .what = "IREE's compiler and runtime, two programs of its Python packages",
    .only_by_name = true,
    .ready = ch__iree_ready,
    .compile = compile_iree,
    .destroy = destroy_iree,
    .run = run_iree,
    .result_types = types_iree,
};
