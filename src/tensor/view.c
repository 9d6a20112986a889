// SPDX-License-Identifier: Apache-2.0
// view.c - views: realized tensors whose elements lie in the storage of another, found by an offset and strides.
//
// Slices, transposes, reversals, broadcasts and those reshapes that allow it (axes that lie one after another in memory
// are joined and cut) copy nothing when their operand is realized. Offsets and strides count elements; strides may be
// negative or 0. A view that is row-major has none, only an offset, and is as good as any tensor; another one is copied
// once, when something needs its elements in order.

#include "tensor/tensor.h"

#include <string.h>

#include "interp/exec.h"

typedef struct {
    int rank;
    int64_t offset, dims[CH__MAX_RANK], strides[CH__MAX_RANK];
} layout;

static void layout_of(const ch_tensor *t, layout *l) {
    l->rank = t->type.rank;
    l->offset = t->offset;
    for (int i = 0; i < l->rank; i++) l->dims[i] = t->type.dims[i].val;
    if (t->strides == NULL)
        ch__row_major(l->rank, l->dims, l->strides);
    else
        memcpy(l->strides, t->strides, (size_t)l->rank * sizeof *l->strides);
}

static bool row_major(const layout *l) {
    int64_t n = 1;
    for (int i = l->rank - 1; i >= 0; i--) {
        if (l->dims[i] != 1 && l->strides[i] != n) return false;
        n *= l->dims[i];
    }
    return true;
}

bool ch__tensor_is_whole(const ch_tensor *t) {
    return t->storage != NULL && t->strides == NULL && t->offset == 0 && t->storage->bytes == ch__type_bytes(&t->type);
}

void ch__tensor_take_layout(ch_tensor *t, const ch_tensor *from, int64_t **strides) {
    t->offset = from->offset;
    t->strides = NULL;
    if (from->strides == NULL) return;
    t->strides = *strides;
    *strides = NULL;
    memcpy(t->strides, from->strides, (size_t)from->type.rank * sizeof *t->strides);
}

static void copy_out(const ch_tensor *t, void *out) {
    layout l;
    int64_t to[CH__MAX_RANK + 1];
    layout_of(t, &l);
    ch__row_major(l.rank, l.dims, to);
    ch__copy_strided(out, to, ch__tensor_data(t), l.strides, l.dims, l.rank, (int)ch_dtype_size(t->type.dtype));
}

ch_status ch__tensor_copy_out(const ch_tensor *t, void *out) {
    if (t->strides == NULL)
        memcpy(out, ch__tensor_data(t), ch__type_bytes(&t->type));
    else
        copy_out(t, out);
    return CH_OK;
}

const void *ch__tensor_compact(const ch_tensor *t) {
    if (t->strides == NULL) return ch__tensor_data(t);
    ch_tensor *view = (ch_tensor *)(uintptr_t)t;
    ch__storage *s = atomic_load_explicit(&view->compact, memory_order_acquire);
    if (s != NULL) return s->data;
    s = ch__storage_create(ch__type_bytes(&t->type));
    if (s == NULL) return NULL;
    copy_out(t, s->data);
    ch__storage *first = NULL; // another thread may have made one meanwhile
    if (atomic_compare_exchange_strong_explicit(&view->compact, &first, s, memory_order_acq_rel, memory_order_acquire))
        return s->data;
    ch__storage_release(s);
    return first->data;
}

// ---- layouts of the ops
static void of_slice(layout *l, const ch_tensor *t) {
    const ch__attr *start = NULL, *stride = NULL;
    for (int i = 0; i < t->n_attrs; i++) {
        if (t->attrs[i].id == CH__ATTR_start) start = &t->attrs[i];
        if (t->attrs[i].id == CH__ATTR_stride) stride = &t->attrs[i];
    }
    for (int i = 0; i < l->rank; i++) {
        l->offset += start->dims[i].val * l->strides[i];
        if (stride != NULL) l->strides[i] *= stride->ints[i];
    }
}

static void of_transpose(layout *l, const ch_tensor *t) {
    layout from = *l;
    for (int i = 0; i < l->rank; i++) l->strides[i] = from.strides[t->attrs[0].ints[i]];
}

static void of_reverse(layout *l, const ch_tensor *t) {
    for (int i = 0; i < t->attrs[0].n; i++) {
        int d = (int)t->attrs[0].ints[i];
        l->offset += (l->dims[d] - 1) * l->strides[d];
        l->strides[d] = -l->strides[d];
    }
}

static void of_broadcast(layout *l, const ch_tensor *t) {
    layout from = *l;
    l->rank = t->type.rank;
    for (int i = 0; i < l->rank; i++) l->strides[i] = 0;
    for (int i = 0; i < from.rank; i++)
        if (from.dims[i] != 1) l->strides[t->attrs[0].ints[i]] = from.strides[i];
}

// Groups of old and new axes of equal size; the old ones of a group must follow one another in memory.
static bool of_reshape(layout *l, const ch_tensor *t) {
    layout from = {.rank = 0};
    for (int i = 0; i < l->rank; i++) {
        if (l->dims[i] == 1) continue;
        from.dims[from.rank] = l->dims[i];
        from.strides[from.rank++] = l->strides[i];
    }
    int rank = t->type.rank, i = 0, j = 0;
    while (i < from.rank) {
        int first = i, to = j;
        int64_t old = from.dims[i++], new = t->type.dims[j++].val;
        while (old != new)
            if (old < new)
                old *= from.dims[i++];
            else
                new *= t->type.dims[j++].val;
        for (int k = first; k + 1 < i; k++)
            if (from.strides[k] != from.dims[k + 1] * from.strides[k + 1]) return false;
        int64_t stride = from.strides[i - 1];
        for (int k = j - 1; k >= to; k--) {
            l->strides[k] = stride;
            stride *= t->type.dims[k].val;
        }
    }
    for (; j < rank; j++) l->strides[j] = 1; // of size 1
    l->rank = rank;
    return true;
}

bool ch__is_view_op(int opcode) {
    return opcode == CH_OP_reshape || opcode == CH_OP_transpose || opcode == CH_OP_slice || opcode == CH_OP_reverse ||
           opcode == CH_OP_broadcast;
}

static bool step(layout *l, const ch_tensor *t) {
    switch (t->opcode) {
    case CH_OP_slice: of_slice(l, t); break;
    case CH_OP_transpose: of_transpose(l, t); break;
    case CH_OP_reverse: of_reverse(l, t); break;
    case CH_OP_broadcast: of_broadcast(l, t); break;
    default:
        if (!of_reshape(l, t)) return false;
    }
    for (int i = 0; i < t->type.rank; i++) l->dims[i] = t->type.dims[i].val;
    return true;
}

bool ch__view_realize(ch_tensor *t) {
    enum { DEEP = 32 };
    ch_tensor *chain[DEEP], *base = t;
    int n = 0;
    while (base->storage == NULL) {
        if (base->kind == CH__T_VERSION) {
            base = ch__operand(base, 0);
            continue;
        }
        if (base->kind != CH__T_OP || !ch__is_view_op(base->opcode) || n == DEEP || !ch__type_is_static(&base->type))
            return false;
        chain[n++] = base;
        base = ch__operand(base, 0);
    }
    layout l;
    layout_of(base, &l);
    if (ch__type_bytes(&t->type) == 0) {
        l.offset = 0;
        n = 0;
    }
    while (n > 0)
        if (!step(&l, chain[--n])) return false;
    bool plain = ch__type_bytes(&t->type) == 0 || row_major(&l);
    int64_t *strides = plain ? NULL : ch__alloc((size_t)l.rank * sizeof *strides);
    if (!plain && strides == NULL) return false; // a run may have the memory
    if (!plain) memcpy(strides, l.strides, (size_t)l.rank * sizeof *strides);
    t->storage = ch__storage_retain(base->storage);
    t->offset = l.offset;
    t->strides = strides;
    return true;
}
