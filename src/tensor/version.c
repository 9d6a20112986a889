// SPDX-License-Identifier: Apache-2.0
// version.c - what a tensor was before it was assigned.
//
// An assignment gives a tensor another value; nodes that were built before go on reading the value of their time. Every
// node has a serial number from one count for all threads, so the time of an operand is the serial of the node that has
// it: ch__operand(t, i) finds the value by it, and no list of readers is needed. A former value is a node of its own
// (internal, the tensor it was taken from is its `assigned`), counted by the operands that read it and gone with the
// last of them. Counting them apart also tells when the present value of a tensor cannot be asked for any more although
// the tensor is referred to (x = x + 1, and nobody has x): node.c ends such cycles.
//
// Assigning a tensor that another thread uses at the same time is a data race, as for any variable.

#include "tensor/tensor.h"

#include <string.h>

ch_tensor *ch__version_at(ch_tensor *x, uint64_t reader) {
    const ch__version *v = x->versions;
    if (reader > v->until) return x;
    while (v->older != NULL && reader < v->older->until) v = v->older;
    return v->value;
}

int64_t ch__version_former(const ch_tensor *x) { return x->former_readers; }

int64_t ch__version_readers(const ch_tensor *x) { return ch__tensor_operands(x) - ch__version_former(x); }

int64_t ch__value_readers(const ch_tensor *t) {
    int64_t n = ch__version_readers(t);
    if (!t->internal || t->assigned == NULL) return n;
    for (const ch__version *v = t->assigned->versions; v != NULL; v = v->older)
        if (v->value == t) return n + v->readers;
    return n;
}

ch_tensor *ch__version_unread(ch_tensor *x, uint64_t reader) {
    if (reader > x->versions->until) return NULL;
    ch__version **at = &x->versions;
    while ((*at)->older != NULL && reader < (*at)->older->until) at = &(*at)->older;
    ch__version *v = *at;
    x->former_readers--;
    if (--v->readers > 0) return NULL;
    ch_tensor *value = v->value;
    value->assigned = NULL; // something else may hold it longer than x lives
    *at = v->older;
    ch__free(v);
    return value;
}

// A node with x's expression; its operands, like x's own, are counted once x has none any more.
static ch_tensor *former_of(const ch_tensor *x) {
    ch_tensor *t = ch__node_owned(&(ch__node_spec){.kind = x->kind,
                                                   .opcode = (ch__opcode)x->opcode,
                                                   .where = x->where,
                                                   .type = &x->type,
                                                   .n_operands = x->n_operands,
                                                   .operands = x->operands,
                                                   .n_attrs = x->n_attrs,
                                                   .attrs = x->attrs,
                                                   .n_callees = x->n_callees,
                                                   .callees = x->callees,
                                                   .index = x->index});
    if (t == NULL) return NULL;
    for (int i = 0; i < x->n_operands; i++)
        atomic_fetch_sub_explicit(&x->operands[i]->refs, CH__OPERAND_REF, memory_order_relaxed);
    t->serial = x->serial;
    t->internal = 1;
    return t;
}

ch_status ch__version_prepare(ch__change *c, ch_tensor *x, ch_tensor *value) {
    *c = (ch__change){.x = x, .value = value, .serial = ch__next_serial()};
    if (value != NULL) atomic_fetch_add_explicit(&value->refs, CH__OPERAND_REF, memory_order_relaxed);
    c->former = ch__calloc(1, sizeof *c->former);
    ch_tensor *node = c->former == NULL ? NULL : former_of(x);
    if (node != NULL) {
        *c->former = (ch__version){.value = node};
        return CH_OK;
    }
    ch__version_abandon(c);
    c->x = NULL;
    return ch__fail_oom("an assignment");
}

static void forget_former(ch__change *c) {
    if (c->former == NULL) return;
    if (c->former->value != NULL) {
        c->former->value->n_operands = 0; // they are x's
        ch__tensor_release(c->former->value);
    }
    ch__free(c->former);
    c->former = NULL;
}

void ch__version_abandon(ch__change *c) {
    forget_former(c);
    if (c->value != NULL) ch__tensor_release_operand(c->value, c->serial);
    c->value = NULL;
}

// Operands and storage of x go over to its former value.
static void move(ch_tensor *x, ch_tensor *t) {
    t->had_expression = x->had_expression;
    t->storage = x->storage;
    t->offset = x->offset;
    t->strides = x->strides;
    atomic_store_explicit(&t->compact, atomic_load_explicit(&x->compact, memory_order_relaxed), memory_order_relaxed);
    t->assigned = x;
    if (x->trace != NULL) atomic_fetch_add_explicit(&x->trace->refs, 1, memory_order_relaxed);
    t->trace = x->trace;
    x->n_operands = 0;
    x->storage = NULL;
    x->strides = NULL;
    atomic_store_explicit(&x->compact, NULL, memory_order_relaxed);
}

void ch__version_commit(ch__change *c, const char *where, ch_tensor *base) {
    ch_tensor *x = c->x;
    int64_t readers = ch__version_readers(x);
    if (readers > 0) {
        move(x, c->former->value);
        c->former->older = x->versions;
        c->former->readers = readers;
        x->former_readers += readers;
        c->former->until = ch__next_serial();
        x->versions = c->former;
        c->former = NULL;
    }
    forget_former(c);
    ch_keep(base);
    ch__tensor_drop_storage(x);
    ch__tensor_drop_expression(x);
    x->view_of = base;
    x->had_expression = 0;
    x->offset = 0;
    x->where = where;
    x->serial = c->serial;
    if (base == NULL) x->n_attrs = 0;
    if (c->value != NULL) {
        x->kind = CH__T_VERSION;
        x->assigned = c->value;
        x->operands = &x->assigned;
        x->n_operands = 1;
    }
}

void ch__version_again(ch__change *c, ch_tensor *base) {
    ch_tensor *x = c->x;
    ch__version_commit(c, x->where, base);
    atomic_fetch_add_explicit(&base->refs, CH__OPERAND_REF, memory_order_relaxed);
    x->kind = CH__T_OP;
    x->assigned = base;
    x->operands = &x->assigned;
    x->n_operands = 1;
    x->serial = ch__next_serial();
}

ch_tensor *ch__version_target(ch_tensor *t) {
    while (t->kind == CH__T_VERSION && t->storage == NULL) t = ch__operand(t, 0);
    return t;
}
