// SPDX-License-Identifier: Apache-2.0
// engine_interp.c - the reference interpreter as an engine. Compiling prepares the func in an arena of its own.

#include "interp/interp.h"
#include "rt/rt.h"

extern const ch__engine ch__engine_interp;

typedef struct {
    ch__arena *arena;
    ch__program *program;
} code;

struct prepare_args {
    const ch_func *func;
    code made;
};

static void prepare_code(void *arg) {
    struct prepare_args *p = arg;
    p->made.arena = ch__arena_create();
    p->made.program = ch__interp_prepare(p->made.arena, p->func);
}

static ch_status compile(const ch_func *f, void **out_code) {
    code *c = ch__alloc(sizeof *c);
    if (c == NULL) return ch__fail_oom("an executable");
    struct prepare_args p = {.func = f};
    ch_status s = ch__protect(prepare_code, &p);
    if (s != CH_OK) {
        ch__free(c);
        return s;
    }
    ch__arena_keep(p.made.arena);
    *c = p.made;
    *out_code = c;
    return CH_OK;
}

static void destroy(void *made) {
    code *c = made;
    ch__arena_destroy(c->arena);
    ch__free(c);
}

static ch_status interp_run(void *made, const ch__limits *limits, int n_in, const ch__slot *in, int n_out,
                            ch__slot *out) {
    code *c = made;
    return ch__interp_run(c->program, limits, n_in, in, n_out, out);
}

static ch_status interp_run_replicas(void *made, const ch__limits *limits, int n, int n_in, const ch__slot *in,
                                     int n_out, ch__slot *out) {
    code *c = made;
    return ch__interp_run_replicas(c->program, limits, n, n_in, in, n_out, out);
}

static ch_status result_types(void *made, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    code *c = made;
    return ch__interp_result_types(c->program, n_in, in, n_out, out);
}

const ch__engine ch__engine_interp = {
    .name = "interp",
    .what = "the reference interpreter: every op, exact, on every machine",
    .compile = compile,
    .destroy = destroy,
    .run = interp_run,
    .run_replicas = interp_run_replicas,
    .result_types = result_types,
};
