// SPDX-License-Identifier: Apache-2.0
// node.c - tensor nodes: made in one allocation, reference counted, destroyed without recursion.
//
// Layout of the allocation: the struct, then operands, callees, dims, axes, attributes, and the attributes' payloads:
//
//     [ ch_tensor | operands | callees | attrs | dims | axes | payload ... ]
//
// Symbolic sizes point into the arena of the trace that made them; such nodes hold a reference on the trace.

#include "tensor/jit.h"

#include <string.h>

static atomic_llong alive;
// One order for all threads: a tensor may be read on one and assigned on another, one after the other.
static atomic_ullong serials = 1;
static _Thread_local bool internal;

uint64_t ch__next_serial(void) { return atomic_fetch_add_explicit(&serials, 1, memory_order_relaxed); }

bool ch__node_internal(bool on) {
    bool was = internal;
    internal = on;
    return was;
}

// The one tensor that exists when memory does not.
static ch__error_copy no_memory_error = {CH__E_out_of_memory, "tensor: out of memory — free something and try again"};
static ch_tensor no_memory = {
    .refs = 1, .magic = CH__TENSOR_LIVE, .kind = CH__T_ERROR, .where = "", .error = &no_memory_error};

int64_t ch_tensors_alive(void) { return atomic_load_explicit(&alive, memory_order_relaxed); }

ch__callee *ch__callee_create(ch_func *f) {
    ch__callee *c = ch__alloc(sizeof *c);
    if (c == NULL) {
        ch_func_destroy(f);
        ch__fail_oom("a function's node");
        return NULL;
    }
    atomic_init(&c->refs, 1);
    c->func = f;
    c->folded = NULL;
    c->n_folded = 0;
    return c;
}

void ch__callee_release(ch__callee *c) {
    if (c == NULL || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1) return;
    ch_func_destroy(c->func);
    ch__free(c->folded);
    ch__free(c);
}

// ---- attributes: payload sizes and copies
static size_t round16(size_t n) { return (n + 15) / 16 * 16; }

static size_t attr_payload(const ch__attr *a) {
    switch (ch__attr_kind_of(a->id)) {
    case CH__AK_ROWS:
    case CH__AK_INTS: return round16((size_t)a->n * sizeof(int64_t));
    case CH__AK_PAIRS: return round16((size_t)a->n * 2 * sizeof(int64_t));
    case CH__AK_DIMS: return round16((size_t)a->n * sizeof(ch__dim));
    case CH__AK_STR: return round16(strlen(a->s) + 1);
    case CH__AK_ARRAY:
        return round16(sizeof(ch__array)) + round16((size_t)a->array->rank * sizeof(int64_t)) +
               round16(ch__array_bytes(a->array));
    default: return 0;
    }
}

static void *take(char **p, const void *from, size_t n) {
    void *to = *p;
    if (n > 0) memcpy(to, from, n);
    *p += round16(n);
    return to;
}

static ch__attr attr_copy(const ch__attr *a, char **p) {
    ch__attr c = *a;
    switch (ch__attr_kind_of(a->id)) {
    case CH__AK_ROWS:
    case CH__AK_INTS: c.ints = take(p, a->ints, (size_t)a->n * sizeof(int64_t)); break;
    case CH__AK_PAIRS: c.ints = take(p, a->ints, (size_t)a->n * 2 * sizeof(int64_t)); break;
    case CH__AK_DIMS: c.dims = take(p, a->dims, (size_t)a->n * sizeof(ch__dim)); break;
    case CH__AK_STR: c.s = take(p, a->s, strlen(a->s) + 1); break;
    case CH__AK_ARRAY: {
        ch__array *to = take(p, a->array, sizeof *to);
        to->dims = take(p, a->array->dims, (size_t)a->array->rank * sizeof(int64_t));
        to->data = take(p, a->array->data, ch__array_bytes(a->array));
        c.array = to;
        break;
    }
    default: break;
    }
    return c;
}

static bool attr_symbolic(const ch__attr *a) {
    switch (ch__attr_kind_of(a->id)) {
    case CH__AK_DIM: return a->dim.sym != NULL;
    case CH__AK_DIMS:
        for (int i = 0; i < a->n; i++)
            if (a->dims[i].sym != NULL) return true;
        return false;
    default: return false;
    }
}

static bool spec_symbolic(const ch__node_spec *s) {
    if (s->type != NULL && !ch__type_is_static(s->type)) return true;
    for (int i = 0; i < s->n_attrs; i++)
        if (attr_symbolic(&s->attrs[i])) return true;
    return s->kind == CH__T_INPUT || s->kind == CH__T_GROUP;
}

static ch_tensor *make(const ch__node_spec *s) {
    size_t rank = s->type == NULL ? 0 : (size_t)s->type->rank;
    bool axes = rank > 0 && s->type->axes != NULL;
    size_t axis_chars = 0;
    for (size_t i = 0; axes && i < rank; i++)
        if (s->type->axes[i] != NULL) axis_chars += round16(strlen(s->type->axes[i]) + 1);
    size_t bytes = round16(sizeof(ch_tensor)) + round16((size_t)s->n_operands * sizeof(ch_tensor *)) +
                   round16((size_t)s->n_callees * sizeof(ch__callee *)) +
                   round16((size_t)s->n_attrs * sizeof(ch__attr)) + round16(rank * sizeof(ch__dim)) +
                   (axes ? round16(rank * sizeof(char *)) : 0) + axis_chars;
    for (int i = 0; i < s->n_attrs; i++) bytes += attr_payload(&s->attrs[i]);
    char *p = ch__pool_alloc(bytes);
    if (p == NULL) return NULL;
    ch_tensor *t = (ch_tensor *)p;
    p += round16(sizeof *t);
    *t = (ch_tensor){.magic = CH__TENSOR_LIVE,
                     .kind = (uint8_t)s->kind,
                     .opcode = (uint16_t)s->opcode,
                     .n_operands = s->n_operands,
                     .n_attrs = s->n_attrs,
                     .n_callees = s->n_callees,
                     .index = s->index,
                     .internal = internal,
                     .where = s->where,
                     .storage = s->storage};
    atomic_init(&t->refs, 1);
    atomic_init(&t->compact, NULL);
    t->serial = ch__next_serial();
    t->operands = take(&p, s->operands, (size_t)s->n_operands * sizeof(ch_tensor *));
    for (int i = 0; i < s->n_operands; i++)
        atomic_fetch_add_explicit(&t->operands[i]->refs, CH__OPERAND_REF, memory_order_relaxed);
    t->callees = take(&p, s->callees, (size_t)s->n_callees * sizeof(ch__callee *));
    for (int i = 0; i < s->n_callees; i++) atomic_fetch_add_explicit(&t->callees[i]->refs, 1, memory_order_relaxed);
    t->attrs = (ch__attr *)p;
    p += round16((size_t)s->n_attrs * sizeof(ch__attr));
    for (int i = 0; i < s->n_attrs; i++) t->attrs[i] = attr_copy(&s->attrs[i], &p);
    if (s->type != NULL) {
        t->type = *s->type;
        t->type.dims = take(&p, s->type->dims, rank * sizeof(ch__dim));
        if (axes) {
            const char **names = take(&p, s->type->axes, rank * sizeof(char *));
            for (size_t i = 0; i < rank; i++)
                if (names[i] != NULL) names[i] = take(&p, names[i], strlen(names[i]) + 1);
            t->type.axes = names;
        }
    }
    atomic_fetch_add_explicit(&alive, 1, memory_order_relaxed);
    return t;
}

ch_tensor *ch__node_owned(const ch__node_spec *s) {
    int64_t *strides = NULL;
    if (s->layout_of != NULL && s->layout_of->strides != NULL)
        strides = ch__alloc((size_t)(s->layout_of->type.rank + 1) * sizeof *strides);
    bool fine = strides != NULL || s->layout_of == NULL || s->layout_of->strides == NULL;
    ch_tensor *t = fine ? make(s) : NULL;
    if (t == NULL) ch__storage_release(s->storage);
    if (t != NULL && s->layout_of != NULL) ch__tensor_take_layout(t, s->layout_of, &strides);
    ch__free(strides);
    return t;
}

ch_tensor *ch__node(const ch__node_spec *s) {
    ch_tensor *t = ch__node_owned(s);
    if (t == NULL) {
        ch__fail_oom("a tensor");
        return &no_memory;
    }
    ch__trace_state *trace = ch__trace_current();
    if (trace != NULL && spec_symbolic(s)) {
        t->trace = trace;
        atomic_fetch_add_explicit(&trace->refs, 1, memory_order_relaxed);
    }
    ch__jit_note_node(t);
    if (s->kind == CH__T_GROUP || ch__scope_add(t)) return t;
    ch__tensor_release(t);
    ch__fail_oom("a tensor");
    return &no_memory;
}

ch_tensor *ch__node_error(const char *where) {
    ch__error_copy *e = ch__alloc(sizeof *e);
    if (e == NULL || ch__error_current() == CH__E_out_of_memory) {
        ch__free(e);
        return &no_memory;
    }
    ch__error_save(e); // what was built for the same line inside a function says the place already
    size_t n = where == NULL ? 0 : strlen(where);
    if (n == 0 || strncmp(e->message, where, n) != 0 || e->message[n] != ':') {
        ch__error_prefix(where);
        ch__error_save(e);
    }
    ch_tensor *t = ch__node(&(ch__node_spec){.kind = CH__T_ERROR, .where = where});
    if (t == &no_memory)
        ch__free(e);
    else
        t->error = e;
    return t;
}

ch_tensor *ch__first_error(const char *where, const char *what, int n, ch_tensor *const *operands) {
    if (n < 0 || (n > 0 && operands == NULL)) {
        ch__fail(CH__E_argument, "%s: %d tensors and %s of them — give 0 or more, and an array of that many", what, n,
                 operands == NULL ? "no array" : "an array");
        return ch__node_error(where);
    }
    for (int i = 0; i < n; i++) {
        ch_tensor *t = operands[i];
        if (t == NULL) {
            ch__fail(CH__E_argument, "%s: operand %d is NULL — give a tensor", what, i);
            return ch__node_error(where);
        }
        if (t->magic != CH__TENSOR_LIVE) {
            ch__fail(CH__E_use_after_release,
                     "%s: operand %d was released — its scope ended or ch_release took the last "
                     "reference; ch_keep it to keep it",
                     what, i);
            return ch__node_error(where);
        }
        if (t->kind == CH__T_ERROR) return t;
    }
    return NULL;
}

// ---- the end of a node
#ifndef NDEBUG
// Debug builds keep the last QUARANTINE dead nodes of a thread, so that a use after release meets CH__TENSOR_DEAD.
enum { QUARANTINE = 64 };
static _Thread_local struct {
    void *at[QUARANTINE];
    int next;
} quarantine;

static void bury(ch_tensor *t) {
    ch__thread_register(); // a thread that does nothing but release keeps them too
    void *old = quarantine.at[quarantine.next];
    quarantine.at[quarantine.next] = t;
    quarantine.next = (quarantine.next + 1) % QUARANTINE;
    ch__pool_free(old);
}

void ch__quarantine_clear(void) {
    for (int i = 0; i < QUARANTINE; i++) {
        ch__pool_free(quarantine.at[i]);
        quarantine.at[i] = NULL;
    }
}
#else
static void bury(ch_tensor *t) { ch__pool_free(t); }
void ch__quarantine_clear(void) {}
#endif

// Nobody can ask for the value t has: the references left are those of nodes that read what t was before an assignment
// (and its value may read that too).
static bool is_past(const ch_tensor *t) { return t->versions != NULL && ch__tensor_refs(t) == ch__version_former(t); }

// Nobody can assign to t: what it is a view of (which may have t for its value) does not matter any more.
static bool is_read_only(const ch_tensor *t) {
    return t->view_of != NULL && ch__tensor_refs(t) == ch__tensor_operands(t);
}

// Takes references from t and puts it on the list when something has to follow.
static void drop(ch_tensor *t, long long what, ch_tensor **list) {
    if (t == &no_memory) return;
    bool linked = t->versions != NULL || t->view_of != NULL; // afterwards another thread may end an unlinked one
    uint32_t left = 0;
    if (atomic_load_explicit(&t->refs, memory_order_acquire) == what) // nobody else has it: no need to be atomic
        atomic_store_explicit(&t->refs, 0, memory_order_relaxed);
    else
        left = (uint32_t)(atomic_fetch_sub_explicit(&t->refs, what, memory_order_acq_rel) - what);
    if (left != 0 && (!linked || (!is_past(t) && !is_read_only(t)))) return;
    if (t->queued) return;
    t->queued = linked;
    t->next = *list;
    *list = t;
}

static void drop_operand(ch_tensor *t, uint64_t reader, ch_tensor **list) {
    ch_tensor *former = t->versions == NULL ? NULL : ch__version_unread(t, reader);
    if (former != NULL) drop(former, 1, list);
    drop(t, CH__OPERAND_REF, list);
}

static void drop_view_of(ch_tensor *t, ch_tensor **list) {
    if (t->view_of != NULL) drop(t->view_of, 1, list);
    t->view_of = NULL;
}

static void drop_value(ch_tensor *t, ch_tensor **list) {
    int n = t->n_operands;
    t->n_operands = 0;
    for (int i = 0; i < n; i++) drop_operand(t->operands[i], t->serial, list);
    for (int i = 0; i < t->n_callees; i++) ch__callee_release(t->callees[i]);
    t->n_callees = 0;
    drop_view_of(t, list);
}

static void drop_storage(ch_tensor *t) {
    if (t->ghost) atomic_fetch_sub_explicit(&t->storage->ghosts, 1, memory_order_relaxed);
    t->ghost = 0;
    ch__storage_release(t->storage);
    ch__storage_release(atomic_load_explicit(&t->compact, memory_order_relaxed));
    ch__free(t->strides);
    t->storage = NULL;
    t->strides = NULL;
    atomic_store_explicit(&t->compact, NULL, memory_order_relaxed);
}

// The list stands for the recursion.
static void settle_list(ch_tensor *list) {
    while (list != NULL) {
        ch_tensor *d = list;
        list = d->next;
        d->queued = 1; // it may read what it was itself
        if (ch__tensor_refs(d) != 0 && !is_past(d)) {
            if (is_read_only(d)) drop_view_of(d, &list);
            d->queued = 0;
            continue;
        }
        drop_value(d, &list);
        d->queued = 0;
        drop_storage(d);
        if (ch__tensor_refs(d) != 0) { // former values are read still; without references there are none
            d->kind = CH__T_DATA;
            continue;
        }
        ch__trace_release(d->trace);
        ch__free(d->error);
        d->magic = CH__TENSOR_DEAD;
        atomic_fetch_sub_explicit(&alive, 1, memory_order_relaxed);
        bury(d);
    }
}

void ch__tensor_release_operand(ch_tensor *t, uint64_t reader) {
    ch_tensor *list = NULL;
    drop_operand(t, reader, &list);
    settle_list(list);
}

void ch__tensor_drop_expression(ch_tensor *t) {
    ch_tensor *list = NULL;
    drop_value(t, &list);
    if (t->kind != CH__T_DATA) t->had_expression = 1;
    t->kind = CH__T_DATA;
    settle_list(list);
}

void ch__tensor_drop_storage(ch_tensor *t) { drop_storage(t); }

void ch__tensor_release(ch_tensor *t) {
    if (t == NULL) return;
    ch_tensor *list = NULL;
    drop(t, 1, &list);
    settle_list(list);
}

ch_tensor *ch_keep(ch_tensor *t) {
    if (t == NULL || t == &no_memory) return t;
    atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void ch_release(ch_tensor *t) { ch__tensor_release(t); }
