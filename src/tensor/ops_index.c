// SPDX-License-Identifier: Apache-2.0
// ops_index.c - public functions that address elements: get, set, take, dynamic slices, gather, scatter.

#include "tensor/tensor.h"

#include <string.h>

enum { MOST_OPERANDS = 2 + CH__MAX_RANK };

ch_tensor *ch_get_at(const char *where, ch_tensor *x, int n, ch_tensor *const *index) {
    ch_tensor *error;
    if (!ch__op_list(where, "get", "index", n, index, &error)) return error;
    ch_tensor *operands[MOST_OPERANDS] = {x};
    for (int i = 0; i < n; i++) operands[1 + i] = index[i];
    return ch__op1(where, CH_OP_get, 1 + n, operands, 0, NULL, NULL);
}

ch_tensor *ch_set_at(const char *where, ch_tensor *x, ch_tensor *value, int n, ch_tensor *const *index) {
    ch_tensor *error;
    if (!ch__op_list(where, "set", "index", n, index, &error)) return error;
    ch_tensor *operands[MOST_OPERANDS] = {x, value};
    for (int i = 0; i < n; i++) operands[2 + i] = index[i];
    return ch__op1(where, CH_OP_set, 2 + n, operands, 0, NULL, NULL);
}

// NumPy's take: result axes are x's before axis, all of indices', x's after axis.
ch_tensor *ch_take_at(const char *where, ch_tensor *x, ch_tensor *indices, int axis) {
    ch_tensor *error = ch__first_error(where, "take", 2, (ch_tensor *[]){x, indices});
    int at;
    if (error != NULL || !ch__op_axis(where, "take", x, axis, x->type.rank, &at, &error)) return error;
    int64_t offset[CH__MAX_RANK], axis64 = at;
    ch__dim sizes[CH__MAX_RANK];
    int n_offset = 0;
    for (int i = 0; i < x->type.rank; i++) {
        sizes[i] = i == at ? ch__dim_const(1) : x->type.dims[i];
        if (i != at) offset[n_offset++] = i < at ? i : i - 1 + indices->type.rank;
    }
    ch__attr attrs[] = {
        ch__attr_dims(CH__ATTR_sizes, x->type.rank, sizes),   ch__attr_ints(CH__ATTR_offset_dims, n_offset, offset),
        ch__attr_ints(CH__ATTR_collapsed, 1, &axis64),        ch__attr_ints(CH__ATTR_index_map, 1, &axis64),
        ch__attr_int(CH__ATTR_index_dim, indices->type.rank),
    };
    return ch__op1(where, CH_OP_gather, 2, (ch_tensor *[]){x, indices}, 5, attrs, NULL);
}

ch_tensor *ch_dynamic_slice_at(const char *where, ch_tensor *x, int n, ch_tensor *const *starts, const int64_t *sizes) {
    ch__dim d[CH__MAX_RANK];
    ch_tensor *error, *operands[MOST_OPERANDS] = {x};
    if (!ch__op_list(where, "dynamic_slice", "starts", n, starts, &error) ||
        !ch__host_dims(where, "dynamic_slice", n, sizes, d, &error))
        return error;
    for (int i = 0; i < n; i++) operands[1 + i] = starts[i];
    ch__attr attr = ch__attr_dims(CH__ATTR_sizes, n, d);
    return ch__op1(where, CH_OP_dynamic_slice, 1 + n, operands, 1, &attr, NULL);
}

ch_tensor *ch_dynamic_update_slice_at(const char *where, ch_tensor *x, ch_tensor *update, int n,
                                      ch_tensor *const *starts) {
    ch_tensor *error;
    if (!ch__op_list(where, "dynamic_update_slice", "starts", n, starts, &error)) return error;
    ch_tensor *operands[MOST_OPERANDS] = {x, update};
    for (int i = 0; i < n; i++) operands[2 + i] = starts[i];
    return ch__op1(where, CH_OP_dynamic_update_slice, 2 + n, operands, 0, NULL, NULL);
}

static ch_tensor *no_dims(const char *where, const char *what) {
    ch__fail(CH__E_argument, "%s: dims is NULL — give a ch_%s_dims", what, what);
    return ch__node_error(where);
}

ch_tensor *ch_gather_at(const char *where, ch_tensor *x, ch_tensor *indices, const ch_gather_dims *d) {
    ch__dim sizes[CH__MAX_RANK];
    ch_tensor *error;
    if (d == NULL) return no_dims(where, "gather");
    if (!ch__host_dims(where, "gather", d->n_sizes, d->sizes, sizes, &error) ||
        !ch__op_list(where, "gather", "offset_dims", d->n_offset, d->offset_dims, &error) ||
        !ch__op_list(where, "gather", "collapsed", d->n_collapsed, d->collapsed, &error) ||
        !ch__op_list(where, "gather", "index_map", d->n_index_map, d->index_map, &error))
        return error;
    ch__attr attrs[] = {
        ch__attr_dims(CH__ATTR_sizes, d->n_sizes, sizes),
        ch__attr_ints(CH__ATTR_offset_dims, d->n_offset, d->offset_dims),
        ch__attr_ints(CH__ATTR_collapsed, d->n_collapsed, d->collapsed),
        ch__attr_ints(CH__ATTR_index_map, d->n_index_map, d->index_map),
        ch__attr_int(CH__ATTR_index_dim, d->index_dim),
    };
    return ch__op1(where, CH_OP_gather, 2, (ch_tensor *[]){x, indices}, 5, attrs, NULL);
}

ch_tensor *ch_scatter_at(const char *where, ch_tensor *x, ch_tensor *indices, ch_tensor *updates, ch_scatter_kind kind,
                         const ch_scatter_dims *d) {
    static const ch__kind kinds[] = {[CH_SCATTER_SET] = CH__SET,
                                     [CH_SCATTER_ADD] = CH__ADD,
                                     [CH_SCATTER_MUL] = CH__MUL,
                                     [CH_SCATTER_MIN] = CH__MIN,
                                     [CH_SCATTER_MAX] = CH__MAX};
    if ((int)kind < 0 || (size_t)kind >= sizeof kinds / sizeof kinds[0]) {
        ch__fail(CH__E_argument, "scatter: kind %d — give one of ch_scatter_kind", (int)kind);
        return ch__node_error(where);
    }
    ch_tensor *error;
    if (d == NULL) return no_dims(where, "scatter");
    if (!ch__op_list(where, "scatter", "window_dims", d->n_window, d->window_dims, &error) ||
        !ch__op_list(where, "scatter", "inserted", d->n_inserted, d->inserted, &error) ||
        !ch__op_list(where, "scatter", "index_map", d->n_index_map, d->index_map, &error))
        return error;
    ch__attr attrs[] = {
        ch__attr_int(CH__ATTR_kind, kinds[kind]),
        ch__attr_ints(CH__ATTR_window_dims, d->n_window, d->window_dims),
        ch__attr_ints(CH__ATTR_inserted, d->n_inserted, d->inserted),
        ch__attr_ints(CH__ATTR_index_map, d->n_index_map, d->index_map),
        ch__attr_int(CH__ATTR_index_dim, d->index_dim),
    };
    return ch__op1(where, CH_OP_scatter, 3, (ch_tensor *[]){x, indices, updates}, 5, attrs, NULL);
}

// compare(x along a new last axis, 0 1 2 ...) as dtype.
ch_tensor *ch_one_hot_at(const char *where, ch_tensor *x, int64_t classes, ch_dtype dtype) {
    ch_tensor *error = ch__first_error(where, "one_hot", 1, &x);
    if (error != NULL) return error;
    if (!ch__is_int(x->type.dtype)) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_dtype_mismatch, "one_hot: %s — takes integer dtypes", type);
        return ch__node_error(where);
    }
    if (classes < 0) {
        ch__fail(CH__E_argument, "one_hot: %" PRId64 " classes — at least 0 is allowed", classes);
        return ch__node_error(where);
    }
    ch_tensor *classes_row = ch_iota_at(where, x->type.dtype, 1, &classes, 0);
    return ch_convert_at(where, ch_eq_at(where, ch_expand_dims_at(where, x, -1), classes_row), dtype);
}
