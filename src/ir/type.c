// SPDX-License-Identifier: Apache-2.0
// type.c - types: a dtype, sizes and axis names; immutable, shared by pointer inside a module.
//
// A type without axes, sizes and tape is one of the static scalars: an op on scalars costs no memory for its type. A
// list of axis names that are all absent is no list.
#include "ir/ir.h"

#include <assert.h>
#include <string.h>

// clang-format off
static const ch__type type_scalars[CH__DTYPE_COUNT] = {
#define DTYPE(E, name, bytes, cls, ctype) [CH_##E] = {.dtype = CH_##E},
#include "ir/dtypes.def"
#undef DTYPE
};
// clang-format on

const ch__type *ch__type_scalar(ch_dtype d) {
    assert(d > 0 && d < CH__DTYPE_COUNT);
    return &type_scalars[d];
}

static const char *const *type_copy_axes(ch__arena *a, int rank, const char *const *axes, bool share) {
    bool any = false;
    for (int i = 0; axes && i < rank; i++) any |= axes[i] != NULL;
    if (!any) return NULL;
    const char **copy = CH_NEW_ARRAY(a, const char *, rank);
    for (int i = 0; i < rank; i++) copy[i] = axes[i] && !share ? ch__arena_strdup(a, axes[i]) : axes[i];
    return copy;
}

static ch__type *type_new(ch__arena *a, ch_dtype d, int rank, bool tape) {
    ch__type *t = CH_NEW(a, ch__type);
    t->dtype = d;
    t->rank = (int16_t)rank;
    t->tape = tape;
    return t;
}

static const ch__type *type_of(ch__arena *a, ch_dtype d, int rank, const ch__dim *dims, const char *const *axes,
                               bool share) {
    if (rank == 0) return ch__type_scalar(d);
    if (rank < 0 || rank > CH__MAX_RANK)
        ch__raise(CH__E_rank, "type: rank %d — 0 to %d dimensions are allowed", rank, CH__MAX_RANK);
    ch__type *t = type_new(a, d, rank, false);
    ch__dim *copy = CH_NEW_ARRAY(a, ch__dim, rank);
    for (int i = 0; i < rank; i++) copy[i] = share ? dims[i] : ch__dim_copy(a, dims[i]);
    t->dims = copy;
    t->axes = type_copy_axes(a, rank, axes, share);
    return t;
}

const ch__type *ch__type_make(ch__arena *a, ch_dtype d, int rank, const ch__dim *dims, const char *const *axes) {
    return type_of(a, d, rank, dims, axes, false);
}

const ch__type *ch__type_share(ch__arena *a, ch_dtype d, int rank, const ch__dim *dims, const char *const *axes) {
    return type_of(a, d, rank, dims, axes, true);
}

const ch__type *ch__type_tape(ch__arena *a, const ch__type *elem) {
    ch__type *t = type_new(a, elem->dtype, elem->rank, true);
    t->dims = elem->dims;
    t->axes = elem->axes;
    return t;
}

const ch__type *ch__type_with_dtype(ch__arena *a, const ch__type *t, ch_dtype d) {
    if (t->dtype == d) return t;
    if (t->rank == 0 && !t->tape) return ch__type_scalar(d);
    ch__type *copy = ch__arena_dup(a, t, sizeof *t);
    copy->dtype = d;
    return copy;
}

const ch__type *ch__type_copy(ch__arena *a, const ch__type *t) {
    const ch__type *elem = ch__type_make(a, t->dtype, t->rank, t->dims, t->axes);
    return t->tape ? ch__type_tape(a, elem) : elem;
}

bool ch__type_same_shape(const ch__type *x, const ch__type *y) {
    if (x->rank != y->rank) return false;
    if (x->dims == y->dims) return true;
    for (int i = 0; i < x->rank; i++)
        if (!ch__dim_equal(x->dims[i], y->dims[i])) return false;
    return true;
}

bool ch__type_equal(const ch__type *x, const ch__type *y) {
    if (x == y) return true;
    if (x->dtype != y->dtype || x->tape != y->tape || !ch__type_same_shape(x, y)) return false;
    for (int i = 0; i < x->rank && x->axes != y->axes; i++)
        if (!ch__streq(x->axes ? x->axes[i] : NULL, y->axes ? y->axes[i] : NULL)) return false;
    return true;
}

bool ch__type_is_static(const ch__type *t) {
    for (int i = 0; i < t->rank; i++)
        if (!ch__dim_is_const(t->dims[i])) return false;
    return true;
}

ch__dim ch__type_numel(ch__arena *a, const ch__type *t) {
    ch__dim n = ch__dim_const(1);
    for (int i = 0; i < t->rank; i++) n = ch__dim_mul(a, n, t->dims[i]);
    return n;
}

const ch__type *ch__type_subst(ch__arena *a, const ch__type *t, int n, const char *const *names, const ch__dim *dims) {
    if (ch__type_is_static(t)) return t->rank == 0 && !t->tape ? ch__type_scalar(t->dtype) : ch__type_copy(a, t);
    ch__type *copy = type_new(a, t->dtype, t->rank, t->tape);
    ch__dim *list = CH_NEW_ARRAY(a, ch__dim, t->rank);
    for (int i = 0; i < t->rank; i++) list[i] = ch__dim_subst(a, t->dims[i], n, names, dims);
    copy->dims = list;
    copy->axes = type_copy_axes(a, t->rank, t->axes, false);
    return copy;
}

// f32[n,784]; with axis names, where more stands between the commas, a blank follows them: f32[batch:n, 64].
void ch__type_print(ch__text *t, const ch__type *type) {
    if (type->tape) ch__put(t, "tape<");
    ch__put(t, ch_dtype_name(type->dtype));
    ch__putc(t, '[');
    for (int i = 0; i < type->rank; i++) {
        if (i > 0) ch__put(t, type->axes ? ", " : ",");
        if (type->axes && type->axes[i]) {
            ch__put(t, type->axes[i]);
            ch__putc(t, ':');
        }
        ch__dim_print(t, type->dims[i]);
    }
    ch__putc(t, ']');
    if (type->tape) ch__putc(t, '>');
}

const char *ch__type_text(ch__arena *a, const ch__type *type) {
    ch__text t;
    ch__text_init(&t, a);
    ch__type_print(&t, type);
    return t.data;
}

// ---------------------------------------------------------------- concrete arrays
bool ch__numel(int rank, const int64_t *dims, int64_t *out) {
    int64_t n = 1;
    bool zero = false;
    for (int i = 0; i < rank; i++) zero |= dims[i] == 0;
    for (int i = 0; i < rank && !zero; i++)
        if (dims[i] < 0 || !ch__mul_i64(n, dims[i], &n)) return false;
    *out = zero ? 0 : n;
    return true;
}

size_t ch__array_bytes(const ch__array *a) {
    int64_t n = 1;
    if (!a->splat && !ch__numel(a->rank, a->dims, &n)) return 0;
    return (size_t)n * ch_dtype_size(a->dtype);
}
