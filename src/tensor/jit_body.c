// SPDX-License-Identifier: Apache-2.0
// jit_body.c - one run of a jit's function: what it may do, and what it did.
//
// While the function runs, the thread has a current body. Other files tell it of what happens: nodes that are made go
// into a hash (so that two runs can be compared), tensors from outside that are assigned are noted with what they were
// (so that a run which fails, or only records, can be undone: their storage has one reference more and is therefore not
// written in place), keys that are drawn are noted with the state of their source. While the function is recorded,
// realizing waits for the program and reading is refused.

#include "tensor/jit.h"

#include <string.h>

static _Thread_local ch__jit_body *jit_running;

ch__jit_body *ch__jit_current(void) { return jit_running; }
ch__jit_body *ch__jit_recording(void) {
    return jit_running != NULL && jit_running->mode == CH__JIT_RECORD && jit_running->paused == 0 ? jit_running : NULL;
}

// ---- errors
bool ch__jit_is_error(ch__err id) {
    if (id == CH__E_out_of_memory || id == CH__E_cancelled) return true; // of nobody's making
    return id != CH__E_COUNT && strncmp(ch__err_name(id), "jit_", 4) == 0;
}

ch_status ch__jit_prefix(const ch_jit *j, ch_status s) {
    char begin[96];
    snprintf(begin, sizeof begin, "jit '%.60s' call %lld", j->name, (long long)j->calls + 1);
    const char *now = ch_error_message();
    if (strncmp(now, begin, strlen(begin)) != 0) ch__error_prefix(begin);
    return s;
}

ch_status ch__jit_fail(const ch_jit *j, ch__err id, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    ch_status s = ch__fail_v(id, fmt, ap);
    va_end(ap);
    return ch__jit_prefix(j, s);
}

// Kept, because the function may go on without looking at the status.
static ch_status body_error(ch__jit_body *b, ch_status s) {
    if (b->error != NULL) return s;
    b->error = ch__alloc(sizeof *b->error);
    if (b->error == NULL) return ch__fail_oom("a jit's error");
    ch__error_save(b->error);
    return s;
}

// ---- what the function made
static uint64_t mix(uint64_t h, uint64_t x) { return ch__hash_u64(h ^ (x + 0x9e3779b97f4a7c15u)); }

static uint64_t mix_dims(uint64_t h, int n, const ch__dim *dims) {
    for (int i = 0; i < n; i++) h = mix(h, (uint64_t)dims[i].val);
    return h;
}

static uint64_t mix_attr(uint64_t h, const ch__attr *a) {
    h = mix(h, (uint64_t)a->id);
    switch (ch__attr_kind_of(a->id)) {
    case CH__AK_ROWS:
    case CH__AK_INTS: return ch__hash_bytes(a->ints, (size_t)a->n * sizeof(int64_t), h);
    case CH__AK_PAIRS: return ch__hash_bytes(a->ints, (size_t)a->n * 2 * sizeof(int64_t), h);
    case CH__AK_DIMS: return mix_dims(h, a->n, a->dims);
    case CH__AK_DIM: return mix_dims(h, 1, &a->dim);
    case CH__AK_STR: return ch__hash_bytes(a->s, strlen(a->s), h);
    case CH__AK_ARRAY: return ch__hash_bytes(a->array->data, ch__array_bytes(a->array), h);
    case CH__AK_INT: return mix(h, (uint64_t)a->i);
    default: return h;
    }
}

static uint64_t node_address(const ch_tensor *t) { return (uint64_t)(uintptr_t)t; }

struct note_args {
    ch__jit_body *b;
    const ch_tensor *t;
};

// With variables sizes differ between a run with values and the recording, and with them the nodes: only data that the
// function uploads is compared then.
static void note_node(void *arg) {
    struct note_args *p = arg;
    ch__jit_body *b = p->b;
    const ch_tensor *t = p->t;
    ch__map_put(&b->made, node_address(t), (void *)(uintptr_t)(++b->n_made));
    if (t->kind == CH__T_DATA && t->storage != NULL)
        b->hash = ch__hash_bytes(ch__tensor_data(t), ch__type_bytes(&t->type), mix(b->hash, 1));
    if (b->n_vars > 0 || b->jit->sizes != NULL) return;
    uint64_t h = mix(mix(mix(b->hash, t->kind), t->opcode), t->type.dtype);
    if (t->kind != CH__T_GROUP) h = mix_dims(mix(h, (uint64_t)t->type.rank), t->type.rank, t->type.dims);
    for (int i = 0; i < t->n_attrs; i++) h = mix_attr(h, &t->attrs[i]);
    for (int i = 0; i < t->n_operands && t->kind != CH__T_GROUP; i++)
        h = mix(h, (uint64_t)(uintptr_t)ch__map_get(&b->made, node_address(t->operands[i])));
    b->hash = h;
}

void ch__jit_note_node(const ch_tensor *t) {
    ch__jit_body *b = jit_running;
    if (b == NULL || b->quiet > 0 || b->paused > 0 || t->internal || t->kind == CH__T_ERROR) return;
    if (t->kind == CH__T_INPUT || t->kind == CH__T_VERSION) return;
    (void)ch__protect(note_node, &(struct note_args){b, t}); // without memory less is compared
}

int ch__jit_quiet(int by) { return jit_running == NULL ? 0 : (jit_running->quiet += by); }

// ---- what it assigned
bool ch__jit_may_assign(void) {
    const ch__jit_body *b = ch__jit_recording();
    return b != NULL && ch__trace_current() == b->trace;
}

static ch__jit_assigned *noted(ch__jit_body *b, const ch_tensor *t) {
    for (int64_t i = 0; i < b->assigned.n; i++)
        if (b->assigned.data[i].handle == t) return &b->assigned.data[i];
    return NULL;
}

static ch_status note_assign(ch__jit_body *b, ch_tensor *t) {
    bool input = t->kind == CH__T_INPUT;
    if (noted(b, t) != NULL || (!input && t->serial >= b->first_serial)) return CH_OK;
    if (!input && t->storage == NULL) CH_TRY(ch__realize_now(1, &t));
    ch__jit_assigned e = {.handle = t, .input = input ? t->index : -1, .offset = t->offset};
    e.had_expression = t->had_expression;
    if (t->strides != NULL) {
        e.strides = ch__alloc((size_t)(t->type.rank + 1) * sizeof *e.strides);
        if (e.strides == NULL) return ch__fail_oom("a jit");
        memcpy(e.strides, t->strides, (size_t)t->type.rank * sizeof *e.strides);
    }
    if (b->assigned.n == b->assigned.cap) {
        int64_t cap = b->assigned.cap == 0 ? 8 : 2 * b->assigned.cap;
        ch__jit_assigned *more = ch__realloc(b->assigned.data, (size_t)cap * sizeof *more);
        if (more == NULL) {
            ch__free(e.strides);
            return ch__fail_oom("a jit");
        }
        b->assigned.data = more;
        b->assigned.cap = cap;
    }
    ch_keep(t);
    e.view_of = ch_keep(t->view_of);
    e.storage = input ? NULL : ch__storage_retain(t->storage);
    b->assigned.data[b->assigned.n++] = e;
    return CH_OK;
}

ch_status ch__jit_note_assign(int n, ch_tensor *const *handles) {
    ch__jit_body *b = jit_running;
    if (b == NULL || b->paused > 0) return CH_OK;
    for (int i = 0; i < n; i++) CH_TRY(note_assign(b, handles[i]));
    return CH_OK;
}

static void put_back(ch__jit_assigned *e) {
    ch_tensor *x = e->handle;
    if (e->input >= 0) return;
    ch__tensor_drop_storage(x);
    ch__tensor_drop_expression(x);
    if (x->error != NULL) {
        ch__free(x->error);
        x->error = NULL;
    }
    x->storage = ch__storage_retain(e->storage);
    x->offset = e->offset;
    x->strides = e->strides;
    e->strides = NULL;
    x->view_of = e->view_of;
    e->view_of = NULL;
    x->had_expression = e->had_expression;
}

void ch__jit_put_back(ch__jit_body *b) {
    for (int64_t i = b->assigned.n - 1; i >= 0; i--) put_back(&b->assigned.data[i]);
    for (int64_t i = b->draws.n - 1; i >= 0; i--)
        if (b->draws.data[i].first) ch_rng_restore(b->draws.data[i].rng, b->draws.data[i].before);
}

// ---- what it realized and read
bool ch__jit_defer(int n, ch_tensor *const *t, ch_status *s) {
    ch__jit_body *b = ch__jit_recording();
    *s = CH_OK;
    if (b == NULL) return false;
    for (int i = 0; i < n && *s == CH_OK; i++) {
        if (t[i]->serial < b->first_serial && t[i]->kind != CH__T_INPUT) {
            *s = ch__realize_now(1, &t[i]); // of the outside: what it is when the program is made
            continue;
        }
        if (b->realized.n == b->realized.cap) {
            int64_t cap = b->realized.cap == 0 ? 8 : 2 * b->realized.cap;
            ch_tensor **more = ch__realloc(b->realized.data, (size_t)cap * sizeof(ch_tensor *));
            if (more == NULL) {
                *s = ch__fail_oom("a jit");
                break;
            }
            b->realized.data = more;
            b->realized.cap = cap;
        }
        b->realized.data[b->realized.n++] = ch_keep(t[i]);
    }
    return true;
}

ch_status ch__jit_refuse_read(const char *what) {
    ch__jit_body *b = ch__jit_recording();
    if (b == NULL) return CH_OK;
    return body_error(b, ch__jit_fail(b->jit, CH__E_jit_read_in_capture,
                                      "%s: the function is being recorded — what it reads on the host would be frozen "
                                      "into the program; give the tensor back as a result and read it after the call",
                                      what));
}

// ---- random keys
static ch_status note_draw(ch__jit_body *b, ch_rng *r) {
    if (b->draws.n == b->draws.cap) {
        int64_t cap = b->draws.cap == 0 ? 4 : 2 * b->draws.cap;
        ch__jit_draw *more = ch__realloc(b->draws.data, (size_t)cap * sizeof *more);
        if (more == NULL) return ch__fail_oom("a jit");
        b->draws.data = more;
        b->draws.cap = cap;
    }
    ch__jit_draw d = {.rng = r, .first = true};
    for (int64_t i = 0; i < b->draws.n; i++) d.first = d.first && b->draws.data[i].rng != r;
    ch_rng_save(r, d.before);
    b->draws.data[b->draws.n++] = d;
    return CH_OK;
}

bool ch__jit_key(const char *where, ch_rng *r, ch_tensor **key) {
    ch__jit_body *b = jit_running;
    *key = NULL;
    if (b == NULL || b->paused > 0) return false;
    if (b->mode == CH__JIT_RECORD && ch__trace_current() != b->trace) return false; // inside a loop: refused as always
    if (note_draw(b, r) != CH_OK) {
        *key = ch__node_error(where);
        return true;
    }
    if (b->mode == CH__JIT_EAGER) return false;
    uint32_t words[2];
    ch__rng_next(r, words); // as eagerly, so that other draws of the function go on; put back later
    *key = ch__trace_add_input(b->trace, where, "key", CH_U32, 2);
    return true;
}

// ---- the run
struct begin_args {
    ch__jit_body *b;
    ch_tensor *const *in;
};

static void begin_numbers(void *arg) {
    struct begin_args *p = arg;
    p->b->arena = ch__arena_create();
    ch__map_init(&p->b->made, p->b->arena);
    for (int i = 0; i < p->b->n_in; i++)
        ch__map_put(&p->b->made, node_address(p->in[i]), (void *)(uintptr_t)(UINT32_MAX + (uint64_t)i));
    ch__arena_keep(p->b->arena);
}

ch_status ch__jit_body_run(ch__jit_body *b, ch_tensor *const *in, ch_tensor **out) {
    const ch_jit *j = b->jit;
    ch_tensor *const *given = b->mode == CH__JIT_RECORD ? b->trace->inputs : in;
    CH_TRY(ch__protect(begin_numbers, &(struct begin_args){b, given}));
    b->first_serial = b->mode == CH__JIT_RECORD ? b->trace->first_serial : ch__next_serial();
    jit_running = b;
    ch_error_clear();
    ch_status s = j->fn(j->user, b->n_in, given, b->n_vars, b->vars, j->n_out, out);
    if (b->paused > 0) { // left open: whatever follows is not recorded
        b->paused = 0;
        if (b->trace != NULL) ch__trace_resume(b->trace);
    }
    if (b->error != NULL) return ch__error_publish(b->error);
    if (s != CH_OK) {
        s = ch__callback_failed(s, "jit", "function");
        if (ch__jit_is_error(ch__error_current())) return ch__jit_prefix(j, s);
        ch__error_copy e;
        ch__error_save(&e);
        return ch__jit_fail(j, CH__E_jit_body, "the function failed: %s", e.message);
    }
    for (int i = 0; i < j->n_out; i++) {
        if (out[i] == NULL)
            return ch__jit_fail(j, CH__E_jit_body, "the function left result %d NULL — set all %d of out", i, j->n_out);
        ch_tensor *error = ch__first_error("result", "result", 1, &out[i]);
        if (error == NULL) continue;
        ch__error_publish(error->error);
        if (ch__jit_is_error(ch__error_current())) return ch__jit_prefix(j, ch__err_status(ch__error_current()));
        return ch__jit_fail(j, CH__E_jit_body, "result %d of the function: %s", i, error->error->message);
    }
    if (b->trace != NULL && ch__trace_current() != b->trace)
        return ch__jit_fail(j, CH__E_jit_body, "the function began a trace and did not end it");
    return CH_OK;
}

void ch__jit_body_end(ch__jit_body *b) {
    jit_running = NULL;
    for (int64_t i = 0; i < b->assigned.n; i++) {
        ch__jit_assigned *e = &b->assigned.data[i];
        ch_release(e->handle);
        ch_release(e->view_of);
        ch__storage_release(e->storage);
        ch__free(e->strides);
    }
    for (int64_t i = 0; i < b->realized.n; i++) ch_release(b->realized.data[i]);
    ch__free(b->assigned.data);
    ch__free(b->realized.data);
    ch__free(b->draws.data);
    ch__free(b->error);
    if (b->arena != NULL) ch__arena_destroy(b->arena);
}

// ---- pauses
void ch_jit_pause(void) {
    ch__jit_body *b = jit_running;
    if (b == NULL) return;
    if (b->paused++ == 0 && b->trace != NULL) ch__trace_suspend(b->trace);
}

void ch_jit_resume(void) {
    ch__jit_body *b = jit_running;
    if (b == NULL || b->paused == 0) return;
    if (--b->paused == 0 && b->trace != NULL) ch__trace_resume(b->trace);
}
