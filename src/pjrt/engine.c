// SPDX-License-Identifier: Apache-2.0
// engine.c - the engine "pjrt": funcs on the device that CHAAC_PJRT_TARGET names, one session for all of them.
//
// The session opens with the first executable, or the first that asks for it (ch_session_share), and closes with the
// last. As with native code the interpreter's program stands beside: it binds sizes, checks shapes in its own words,
// and makes runs with limits. A program is compiled for the sizes of a call and kept with them; a func without symbolic
// sizes is compiled at once, so that what the device refuses is said by ch_compile.
#include "pjrt/pjrt.h"

#include <string.h>

#include "interp/interp.h"
#include "rt/rt.h"

extern const ch__engine ch__engine_pjrt;

typedef struct pjrt_plan { // for one set of input shapes
    struct pjrt_plan *next;
    int64_t *in_dims;
    ch__slot *out;
    ch__pjrt_program *program;
} pjrt_plan;

typedef struct pjrt_code {
    ch__arena *arena;
    const ch_func *func;
    ch__program *program;
    ch_session *session;
    int n_in, n_out, n_dims;
    _Atomic(pjrt_plan *) plans;
} pjrt_code;

// ---------------------------------------------------------------- the session
static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;
static ch_session *engine_session;
static int engine_users;

ch_status ch_session_share(ch_session **out_session) {
    if (out_session == NULL) return ch__fail(CH__E_argument, "session share: out_session is NULL");
    ch_target target;
    CH_TRY(ch__pjrt_target(&target)); // also when the session is open: a name that is none is told every time
    pthread_mutex_lock(&engine_lock);
    ch_status s = engine_session != NULL ? CH_OK : ch_session_open(NULL, &engine_session);
    if (s == CH_OK) engine_users++;
    if (s == CH_OK) *out_session = engine_session;
    pthread_mutex_unlock(&engine_lock);
    return s;
}

void ch_session_unshare(ch_session *s) {
    if (s == NULL) return;
    pthread_mutex_lock(&engine_lock);
    if (s == engine_session && --engine_users == 0) { // any other is not shared
        ch_session_close(engine_session);
        engine_session = NULL;
    }
    pthread_mutex_unlock(&engine_lock);
}

// ---------------------------------------------------------------- compile
static void pjrt_prepare(void *arg) {
    pjrt_code *c = arg;
    c->arena = ch__arena_create();
    c->program = ch__interp_prepare(c->arena, c->func);
    c->n_in = c->func->body->n_params;
    c->n_out = c->func->body->n_results;
    for (int i = 0; i < c->n_in; i++) c->n_dims += c->func->body->params[i]->type->rank;
}

static void pjrt_destroy(void *made) {
    pjrt_code *c = made;
    for (pjrt_plan *p = atomic_load(&c->plans), *next; p != NULL; p = next) {
        next = p->next;
        ch__free(p);
    }
    ch__arena_destroy(c->arena);
    ch_session_unshare(c->session);
    ch__free(c);
}

// Sizes as f has them, in its order.
static ch_status pjrt_compile_sizes(pjrt_code *c, const int64_t *sizes, ch__pjrt_program **out) {
    int n = (int)c->func->dims.n;
    const char **names = ch__alloc(((size_t)n + 1) * sizeof *names);
    if (names == NULL) return ch__fail_oom("a program");
    for (int k = 0; k < n; k++) names[k] = ch_func_size_name(c->func, k);
    ch_status s = ch__session_enter(c->session, "run");
    if (s == CH_OK) {
        s = ch__pjrt_compile_func(c->session, c->func, NULL, n, names, sizes, out);
        ch__session_leave(c->session);
    }
    ch__free(names);
    return s;
}

static ch_status pjrt_compile(const ch_func *f, void **out_code) {
    pjrt_code *c = ch__calloc(1, sizeof *c);
    if (c == NULL) return ch__fail_oom("an executable");
    c->func = f;
    ch_status s = ch__protect(pjrt_prepare, c);
    if (s != CH_OK) {
        ch__free(c);
        return s;
    }
    ch__arena_keep(c->arena);
    s = ch_session_share(&c->session);
    ch__pjrt_program *p = NULL;
    if (s == CH_OK && f->dims.n == 0) s = pjrt_compile_sizes(c, NULL, &p);
    if (s != CH_OK) {
        ch__error_copy error;
        ch__error_save(&error);
        pjrt_destroy(c);
        return ch__error_publish(&error);
    }
    *out_code = c;
    return CH_OK;
}

// ---------------------------------------------------------------- plans
static ch_status pjrt_plan_make(pjrt_code *c, const ch__slot *in, pjrt_plan **out) {
    size_t slots = (size_t)c->n_out * sizeof(ch__slot), dims = (size_t)c->n_dims * sizeof(int64_t);
    size_t sizes = (size_t)c->func->dims.n * sizeof(int64_t);
    char *at = ch__calloc(1, sizeof(pjrt_plan) + slots + dims + sizes);
    if (at == NULL) return ch__fail_oom("the sizes of a call");
    pjrt_plan *p = (pjrt_plan *)(void *)at;
    p->out = (ch__slot *)(void *)(at += sizeof *p);
    p->in_dims = (int64_t *)(void *)(at += slots);
    int64_t *values = (int64_t *)(void *)(at + dims), *d = p->in_dims;
    ch_status s = ch__interp_bind(c->program, c->n_in, in, values, c->n_out, p->out);
    if (s == CH_OK) s = pjrt_compile_sizes(c, values, &p->program);
    if (s != CH_OK) {
        ch__free(p);
        return s;
    }
    for (int i = 0; i < c->n_in; i++)
        for (int k = 0; k < in[i].rank; k++) *d++ = in[i].dims[k];
    p->next = atomic_load(&c->plans);
    while (!atomic_compare_exchange_weak(&c->plans, &p->next, p)) {}
    *out = p;
    return CH_OK;
}

// ---------------------------------------------------------------- run
static ch_status pjrt_run_plan(pjrt_code *c, const pjrt_plan *p, int n_in, const ch__slot *in, int n_out, ch__slot *out,
                               void **places) {
    void **data = places, **made = places + n_in;
    bool own[64] = {false}, *mine = own;
    ch_status s = CH_OK;
    if (n_out > 64 && (mine = ch__calloc((size_t)n_out, sizeof *mine)) == NULL) return ch__fail_oom("a run");
    for (int i = 0; i < n_in; i++) data[i] = in[i].data;
    for (int i = 0; i < n_out && s == CH_OK; i++) {
        size_t bytes = ch__slot_bytes(&p->out[i]);
        made[i] = out[i].data;
        mine[i] = made[i] == NULL;
        if (mine[i] && (made[i] = ch__alloc_aligned(bytes > 0 ? bytes : 1, 64)) == NULL)
            s = ch__fail_oom("the results of a run");
    }
    if (s == CH_OK) s = ch__session_enter(c->session, "run");
    if (s == CH_OK) {
        s = ch__pjrt_run_host(c->session, p->program, data, made);
        ch__session_leave(c->session);
    }
    for (int i = 0; i < n_out; i++) {
        if (s != CH_OK && mine[i]) ch__free_aligned(made[i]);
        if (s != CH_OK || !mine[i]) continue;
        out[i] = p->out[i];
        out[i].data = made[i];
    }
    if (mine != own) ch__free(mine);
    return s;
}

static ch_status pjrt_run(void *made, const ch__limits *limits, int n_in, const ch__slot *in, int n_out,
                          ch__slot *out) {
    pjrt_code *c = made;
    if (ch__limits_are_counted(limits)) return ch__interp_run(c->program, limits, n_in, in, n_out, out);
    pjrt_plan *p = atomic_load(&c->plans);
    while (p != NULL && !ch__interp_same_dims(c->func, p->in_dims, in)) p = p->next;
    if (p == NULL) CH_TRY(pjrt_plan_make(c, in, &p));
    if (limits != NULL && limits->cancel != NULL && *limits->cancel)
        return ch__fail(CH__E_cancelled, "run: @%s was cancelled by the caller", c->func->name);
    void *few[32], **places = few;
    size_t n = (size_t)n_in + (size_t)n_out;
    if (n > 32) places = ch__alloc(n * sizeof *places);
    if (places == NULL) return ch__fail_oom("a run");
    memset(places, 0, n * sizeof *places);
    ch_status s = pjrt_run_plan(c, p, n_in, in, n_out, out, places);
    if (places != few) ch__free(places);
    return s;
}

static ch_status pjrt_types(void *made, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    pjrt_code *c = made;
    return ch__interp_result_types(c->program, n_in, in, n_out, out);
}

static bool pjrt_ready(void) {
    char *path = NULL;
    ch_target target;
    if (ch__pjrt_target(&target) != CH_OK || ch_plugin_find(target, NULL, &path) != CH_OK) return false;
    ch_string_free(path);
    return true;
}

const ch__engine ch__engine_pjrt = {
    .name = "pjrt",
    .what = "devices through PJRT plugins: XLA on CPU, CUDA, TPU, Metal",
    .ready = pjrt_ready,
    .only_by_name = true,
    .wants_kernels = true,
    .compile = pjrt_compile,
    .destroy = pjrt_destroy,
    .run = pjrt_run,
    .result_types = pjrt_types,
};
