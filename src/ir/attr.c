// SPDX-License-Identifier: Apache-2.0
// attr.c - attributes of operations as values: made, copied, compared, read.
#include "ir/ir.h"

#include <string.h>

ch__attr ch__attr_int(ch__attr_id id, int64_t v) { return (ch__attr){.id = id, .i = v}; }

ch__attr ch__attr_ints(ch__attr_id id, int n, const int64_t *v) { return (ch__attr){.id = id, .n = n, .ints = v}; }

ch__attr ch__attr_dim(ch__attr_id id, ch__dim d) { return (ch__attr){.id = id, .dim = d}; }

ch__attr ch__attr_dims(ch__attr_id id, int n, const ch__dim *v) { return (ch__attr){.id = id, .n = n, .dims = v}; }

ch__attr ch__attr_pairs(ch__attr_id id, int n, const int64_t *both) {
    return (ch__attr){.id = id, .n = n, .ints = both};
}

ch__attr ch__attr_rows(ch__attr_id id, int n, const int64_t *v) { return (ch__attr){.id = id, .n = n, .ints = v}; }

ch__attr ch__attr_str(ch__attr_id id, const char *s) { return (ch__attr){.id = id, .s = s}; }

ch__attr ch__attr_array(ch__attr_id id, const ch__array *a) { return (ch__attr){.id = id, .array = a}; }

ch__attr ch__attr_func(ch__attr_id id, ch_func *f) { return (ch__attr){.id = id, .func = f}; }

static const ch__array *attr_copy_array(ch__arena *a, const ch__array *x) {
    ch__array *copy = ch__arena_dup(a, x, sizeof *x);
    copy->dims = x->splat ? NULL : ch__arena_dup(a, x->dims, (size_t)x->rank * sizeof *x->dims);
    copy->rank = x->splat ? 0 : x->rank;
    copy->data = ch__arena_dup(a, x->data, ch__array_bytes(x));
    return copy;
}

ch__attr ch__attr_copy(ch__arena *a, ch__attr x) {
    switch (ch__attr_kind_of(x.id)) {
    case CH__AK_ROWS:
    case CH__AK_INTS: x.ints = ch__arena_dup(a, x.ints, (size_t)x.n * sizeof *x.ints); break;
    case CH__AK_PAIRS: x.ints = ch__arena_dup(a, x.ints, 2 * (size_t)x.n * sizeof *x.ints); break;
    case CH__AK_DIM: x.dim = ch__dim_copy(a, x.dim); break;
    case CH__AK_DIMS: {
        ch__dim *dims = CH_NEW_ARRAY(a, ch__dim, x.n);
        for (int i = 0; i < x.n; i++) dims[i] = ch__dim_copy(a, x.dims[i]);
        x.dims = dims;
        break;
    }
    case CH__AK_STR: x.s = ch__arena_strdup(a, x.s); break;
    case CH__AK_ARRAY: x.array = attr_copy_array(a, x.array); break;
    default: break; // one number, or a func
    }
    return x;
}

static bool attr_equal_arrays(const ch__array *x, const ch__array *y) {
    if (x == y) return true;
    if (x->dtype != y->dtype || x->splat != y->splat || (!x->splat && x->rank != y->rank)) return false;
    for (int i = 0; !x->splat && i < x->rank; i++)
        if (x->dims[i] != y->dims[i]) return false;
    size_t n = ch__array_bytes(x);
    return n == 0 || memcmp(x->data, y->data, n) == 0;
}

bool ch__attr_equal(ch__attr x, ch__attr y) {
    if (x.id != y.id || x.n != y.n) return false;
    size_t n = (size_t)x.n;
    switch (ch__attr_kind_of(x.id)) {
    case CH__AK_PAIRS: return n == 0 || memcmp(x.ints, y.ints, 2 * n * sizeof *x.ints) == 0;
    case CH__AK_ROWS:
    case CH__AK_INTS: return n == 0 || memcmp(x.ints, y.ints, n * sizeof *x.ints) == 0;
    case CH__AK_DIM: return ch__dim_equal(x.dim, y.dim);
    case CH__AK_DIMS:
        for (int i = 0; i < x.n; i++)
            if (!ch__dim_equal(x.dims[i], y.dims[i])) return false;
        return true;
    case CH__AK_STR: return ch__streq(x.s, y.s);
    case CH__AK_ARRAY: return attr_equal_arrays(x.array, y.array);
    case CH__AK_FUNC: return x.func == y.func;
    default: return x.i == y.i;
    }
}

const ch__attr *ch__op_attr(const ch__op *op, ch__attr_id id) {
    for (int i = 0; i < op->n_attrs; i++)
        if (op->attrs[i].id == id) return &op->attrs[i];
    return NULL;
}

int64_t ch__op_entry(const ch__op *op, ch__attr_id id, int i, int64_t absent) {
    const ch__attr *a = ch__op_attr(op, id);
    return a && i < a->n ? a->ints[i] : absent;
}

int64_t ch__op_int(const ch__op *op, ch__attr_id id, int64_t absent) {
    const ch__attr *at = ch__op_attr(op, id);
    return at ? at->i : absent;
}

int ch__alloc_symbols(ch__arena *a, const ch__attr *symbols, const char *const **out_names) {
    CH_VEC(const char *) names = {NULL, 0, 0};
    for (const char *s = symbols ? symbols->s : ""; *(s += strspn(s, " "));) {
        size_t len = strcspn(s, " ");
        const char *name = ch__arena_strndup(a, s, len);
        CH_PUSH(a, &names, name);
        s += len;
    }
    if (out_names) *out_names = names.data;
    return (int)names.n;
}
