// SPDX-License-Identifier: Apache-2.0
// func_sharding.c - the public functions about several devices: for how many replicas a func is, how its params and
// results lie.
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const ch_func *f;
    const char *name, *text;
    ch_func *out;
} sharding_job;

typedef struct {
    const ch_func *f;
    int64_t n;
} replicas_job;

static void see_replicas(void *arg, ch__op *op) {
    replicas_job *j = arg;
    if (j->n == 0 && ch__is_collective((ch__opcode)op->code)) j->n = ch__op_replicas(op);
}

static void count_replicas(void *arg) {
    replicas_job *j = arg;
    ch__arena *scratch = ch__arena_create();
    ch__walk_reached(scratch, j->f, see_replicas, j);
    ch__arena_destroy(scratch);
}

int64_t ch_func_num_replicas(const ch_func *f) {
    replicas_job j = {.f = f};
    if (f == NULL) return 0;
    return ch__protect(count_replicas, &j) == CH_OK ? j.n : -1;
}

const char *ch_func_param_sharding(const ch_func *f, int i) {
    return f != NULL && i >= 0 ? ch__param_sharding(f, i) : NULL;
}

const char *ch_func_result_sharding(const ch_func *f, int i) {
    return f != NULL && i >= 0 ? ch__result_sharding(f, i) : NULL;
}

// Which param (>= 0) or result (-1 - i) has a name, or is result number `name`.
static bool find_border(const ch_func *f, const char *name, int *out) {
    const ch__region *b = f->body;
    char *end;
    for (int i = 0; i < b->n_params; i++)
        if (b->params[i]->name && strcmp(b->params[i]->name, name) == 0) {
            *out = i;
            return true;
        }
    long number = name[0] >= '0' && name[0] <= '9' ? strtol(name, &end, 10) : -1;
    if (number >= 0 && !*end && number < b->n_results) {
        *out = -1 - (int)number;
        return true;
    }
    for (int i = 0; i < b->n_results; i++)
        if (f->result_names && f->result_names[i] && strcmp(f->result_names[i], name) == 0) {
            *out = -1 - i;
            return true;
        }
    return false;
}

static void make_sharded(void *arg) {
    sharding_job *j = arg;
    int at;
    ch_func *f = ch__func_clone(j->f);
    if (!find_border(f, j->name, &at))
        ch__raise(CH__E_unknown_name,
                  "ch_func_with_sharding: @%s has no param or result '%s' — a name, or a result's number", f->name,
                  j->name);
    ch__arena *scratch = ch__arena_create();
    ch__text t;
    ch__text_init(&t, scratch);
    if (j->text) {
        const ch__sharding *s = ch__sharding_read(scratch, "ch_func_with_sharding", j->text);
        const ch__value *v = at >= 0 ? f->body->params[at] : f->body->results[-1 - at];
        ch__sharding_fits(s, "ch_func_with_sharding", v->type);
        ch__sharding_print(&t, s);
    }
    if (at >= 0)
        ch__set_param_sharding(f, at, j->text ? t.data : NULL);
    else
        ch__set_result_sharding(f, -1 - at, j->text ? t.data : NULL);
    ch__arena_destroy(scratch);
    f->owns_module = true;
    ch__arena_keep(f->module->arena);
    j->out = f;
}

ch_status ch_func_with_sharding(const ch_func *f, const char *name, const char *sharding, ch_func **out_func) {
    if (f == NULL || name == NULL || out_func == NULL)
        return ch__fail(CH__E_argument, "ch_func_with_sharding: %s is NULL — give one",
                        f == NULL      ? "the func"
                        : name == NULL ? "the name"
                                       : "the place for the func");
    sharding_job j = {.f = f, .name = name, .text = sharding};
    CH_TRY(ch__protect(make_sharded, &j));
    *out_func = j.out;
    return CH_OK;
}
