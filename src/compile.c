// SPDX-License-Identifier: Apache-2.0
// compile.c - from a func to an executable: the whole pipeline.

#include "interp/interp.h"
#include "opt/opt.h"
#include "rt/rt.h"

struct pipeline {
    const ch_func *given;
    const ch__engine *engine;
    ch_func *func;
};

static void pipeline(void *arg) {
    struct pipeline *p = arg;
    ch_func *f = ch__func_clone(p->given);
    if (p->engine->wants_kernels)
        ch__inline_but_kernels(f);
    else
        ch__inline_composites(f);
    ch__debug_after("composites", f);
    ch__optimize(f);
    ch__debug_after("optimize", f);
    ch__verify_module(f->module);
    f->owns_module = true;
    p->func = f;
}

ch_status ch__compile(const ch_func *f, const char *engine, ch_exec **out_exec) {
    struct pipeline p = {.given = f};
    CH_TRY(ch__engine_find(engine, &p.engine));
    ch_exec *e = ch__alloc(sizeof *e);
    if (e == NULL) return ch__fail_oom("an executable");
    ch_status s = ch__protect(pipeline, &p);
    if (s == CH_OK) {
        *e = (ch_exec){.engine = p.engine, .func = p.func};
        atomic_init(&e->refs, 1);
        s = p.engine->compile(p.func, &e->code);
        if (s == CH_OK) {
            *out_exec = e;
            return CH_OK;
        }
        ch_func_destroy(p.func);
    }
    ch__free(e);
    return s;
}
