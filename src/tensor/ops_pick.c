// SPDX-License-Identifier: Apache-2.0
// ops_pick.c - public functions that pick, place and repeat elements: by masks, lists of indices, diagonals.

#include "tensor/tensor.h"

#include <string.h>

ch_tensor *ch_where_at(const char *where, ch_tensor *pred, ch_tensor *on_true, ch_tensor *on_false) {
    return ch_select_at(where, pred, on_true, on_false);
}

ch_tensor *ch_masked_fill_at(const char *where, ch_tensor *x, ch_tensor *mask, double value) {
    ch_tensor *error = ch__first_error(where, "masked_fill", 2, (ch_tensor *[]){x, mask});
    if (error != NULL) return error;
    ch_tensor *fill = ch_scalar_at(where, x->type.dtype, value);
    return ch_select_at(where, ch_broadcast_like_at(where, mask, x), fill, x);
}

ch_tensor *ch_take_along_at(const char *where, ch_tensor *x, ch_tensor *indices, int axis) {
    ch_tensor *error = ch__first_error(where, "take_along", 2, (ch_tensor *[]){x, indices});
    int at, rank;
    if (error != NULL || !ch__op_axis(where, "take_along", x, axis, rank = x->type.rank, &at, &error)) return error;
    if (indices->type.rank != rank) {
        char a[256], b[256];
        ch_tensor_type(indices, a, sizeof a);
        ch_tensor_type(x, b, sizeof b);
        ch__fail(CH__E_rank, "take_along: indices %s of %s — they need the same rank", a, b);
        return ch__node_error(where);
    }
    int64_t others[CH__MAX_RANK], axis64 = at;
    ch__dim sizes[CH__MAX_RANK];
    int n = 0;
    for (int i = 0; i < rank; i++) {
        sizes[i] = ch__dim_const(1);
        if (i != at) others[n++] = i;
    }
    ch__attr attrs[] = {
        ch__attr_dims(CH__ATTR_sizes, rank, sizes),       ch__attr_ints(CH__ATTR_offset_dims, 0, others),
        ch__attr_ints(CH__ATTR_collapsed, 1, &axis64),    ch__attr_ints(CH__ATTR_index_map, 1, &axis64),
        ch__attr_int(CH__ATTR_index_dim, rank),           ch__attr_ints(CH__ATTR_operand_batch, n, others),
        ch__attr_ints(CH__ATTR_indices_batch, n, others),
    };
    return ch__op1(where, CH_OP_gather, 2, (ch_tensor *[]){x, indices}, n > 0 ? 7 : 5, attrs, NULL);
}

static ch_tensor *put_slices(const char *where, const char *what, ch_tensor *x, ch_tensor *indices, ch_tensor *updates,
                             int axis, ch__kind kind) {
    ch_tensor *error = ch__first_error(where, what, 3, (ch_tensor *[]){x, indices, updates});
    int at;
    if (error != NULL || !ch__op_axis(where, what, x, axis, x->type.rank, &at, &error)) return error;
    if (indices->type.rank != 1) {
        char type[256];
        ch_tensor_type(indices, type, sizeof type);
        ch__fail(CH__E_rank, "%s: indices %s — a list (rank 1) is needed", what, type);
        return ch__node_error(where);
    }
    int64_t window[CH__MAX_RANK], axis64 = at;
    int n = 0;
    for (int i = 0; i < x->type.rank; i++)
        if (i != at) window[n++] = i;
    ch__attr attrs[] = {
        ch__attr_int(CH__ATTR_kind, kind),
        ch__attr_ints(CH__ATTR_window_dims, n, window),
        ch__attr_ints(CH__ATTR_inserted, 1, &axis64),
        ch__attr_ints(CH__ATTR_index_map, 1, &axis64),
        ch__attr_int(CH__ATTR_index_dim, 1),
    };
    return ch__op1(where, CH_OP_scatter, 3, (ch_tensor *[]){x, indices, updates}, 5, attrs, NULL);
}

ch_tensor *ch_index_set_at(const char *where, ch_tensor *x, ch_tensor *indices, ch_tensor *updates, int axis) {
    return put_slices(where, "index_set", x, indices, updates, axis, CH__SET);
}

ch_tensor *ch_index_add_at(const char *where, ch_tensor *x, ch_tensor *indices, ch_tensor *updates, int axis) {
    return put_slices(where, "index_add", x, indices, updates, axis, CH__ADD);
}

// ---- diagonals and triangles
static bool is_matrix(const char *where, const char *what, ch_tensor *x, ch_tensor **error) {
    *error = ch__first_error(where, what, 1, &x);
    if (*error != NULL) return false;
    if (x->type.rank >= 2) return true;
    char type[256];
    ch_tensor_type(x, type, sizeof type);
    ch__fail(CH__E_rank, "%s: %s — two axes are needed", what, type);
    *error = ch__node_error(where);
    return false;
}

ch_tensor *ch_diagonal_at(const char *where, ch_tensor *x, int64_t offset) {
    ch_tensor *error;
    if (!is_matrix(where, "diagonal", x, &error)) return error;
    int rank = x->type.rank;
    int64_t rows = ch_tensor_dim(x, rank - 2), columns = ch_tensor_dim(x, rank - 1);
    if (rows < 0 || columns < 0) return ch__diagonal(where, x, rank - 2, rank - 1); // which refuses it
    int64_t r = offset < 0 && offset > -rows ? -offset : offset < 0 ? rows : 0;
    int64_t c = offset > 0 && offset < columns ? offset : offset > 0 ? columns : 0;
    int64_t n = rows - r < columns - c ? rows - r : columns - c;
    x = ch_slice_axis_at(where, ch_slice_axis_at(where, x, -2, r, r + n), -1, c, c + n);
    return x->kind == CH__T_ERROR ? x : ch__diagonal(where, x, rank - 2, rank - 1);
}

static ch_tensor *keep_triangle(const char *where, const char *what, ch_tensor *x, int64_t offset, bool lower) {
    ch_tensor *error;
    if (!is_matrix(where, what, x, &error)) return error;
    ch_tensor *row = ch_iota_like_at(where, x, CH_I64, -2), *column = ch_iota_like_at(where, x, CH_I64, -1);
    ch_tensor *right = ch_sub_at(where, column, row), *at = ch_full_like_at(where, right, 0);
    at = ch_add_at(where, at, ch_from_i64_at(where, &offset, 0, NULL));
    ch_tensor *mask = lower ? ch_le_at(where, right, at) : ch_ge_at(where, right, at);
    return ch_select_at(where, mask, x, ch_zeros_like_at(where, x));
}

ch_tensor *ch_tril_at(const char *where, ch_tensor *x, int64_t offset) {
    return keep_triangle(where, "tril", x, offset, true);
}
ch_tensor *ch_triu_at(const char *where, ch_tensor *x, int64_t offset) {
    return keep_triangle(where, "triu", x, offset, false);
}

ch_tensor *ch_eye_at(const char *where, ch_dtype dtype, int64_t rows, int64_t columns) {
    const int64_t dims[2] = {rows, columns};
    ch_tensor *same = ch_eq_at(where, ch_iota_at(where, CH_I64, 2, dims, 0), ch_iota_at(where, CH_I64, 2, dims, 1));
    return ch_convert_at(where, same, dtype);
}

// ---- moving and repeating
// The size of an axis, which has to be a number here.
static bool size_at(const char *where, const char *what, ch_tensor *x, int axis, int *at, int64_t *size,
                    ch_tensor **error) {
    *error = ch__first_error(where, what, 1, &x);
    if (*error != NULL || !ch__op_axis(where, what, x, axis, x->type.rank, at, error)) return false;
    *size = ch_tensor_dim(x, *at);
    if (*size >= 0) return true;
    ch__fail(CH__E_unsupported, "%s: axis %d has a symbolic size — it takes sizes that are numbers", what, axis);
    *error = ch__node_error(where);
    return false;
}

static bool times_fit(const char *where, const char *what, int64_t times, ch_tensor **error) {
    if (times >= 0) return true;
    ch__fail(CH__E_argument, "%s: %" PRId64 " times — at least 0 is allowed", what, times);
    *error = ch__node_error(where);
    return false;
}

ch_tensor *ch_roll_at(const char *where, ch_tensor *x, int64_t shift, int axis) {
    ch_tensor *error;
    int at;
    int64_t n;
    if (!size_at(where, "roll", x, axis, &at, &n, &error)) return error;
    if (n == 0) return x;
    int64_t s = (shift % n + n) % n;
    ch_tensor *parts[2] = {ch_slice_axis_at(where, x, at, n - s, n), ch_slice_axis_at(where, x, at, 0, n - s)};
    return ch_concat_at(where, 2, parts, at);
}

ch_tensor *ch_repeat_at(const char *where, ch_tensor *x, int64_t times, int axis) {
    ch_tensor *error;
    int at, rank;
    int64_t n, dims[CH__MAX_RANK + 1];
    if (!size_at(where, "repeat", x, axis, &at, &n, &error) || !times_fit(where, "repeat", times, &error)) return error;
    ch_tensor *wide = ch_expand_dims_at(where, x, at + 1);
    if (wide->kind == CH__T_ERROR) return wide;
    rank = wide->type.rank;
    for (int i = 0; i < rank; i++) dims[i] = i == at + 1 ? times : ch_tensor_dim(wide, i);
    wide = ch_broadcast_to_at(where, wide, rank, dims);
    if (!ch__mul_i64(n, times, &dims[at])) {
        ch__fail(CH__E_dim_overflow, "repeat: %" PRId64 " times %" PRId64 " does not fit in 64 bits", n, times);
        return ch__node_error(where);
    }
    memmove(dims + at + 1, dims + at + 2, (size_t)(rank - at - 2) * sizeof *dims);
    return ch_reshape_at(where, wide, rank - 1, dims);
}

ch_tensor *ch_tile_at(const char *where, ch_tensor *x, int n, const int64_t *times) {
    ch_tensor *error = ch__first_error(where, "tile", 1, &x);
    if (error != NULL || !ch__op_list(where, "tile", "times", n, times, &error)) return error;
    if (n != x->type.rank || n > CH__MAX_RANK / 2) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_rank, "tile: %d axes of %s — give one number for each axis, and at most %d axes", n, type,
                 CH__MAX_RANK / 2);
        return ch__node_error(where);
    }
    int64_t apart[CH__MAX_RANK], wide[CH__MAX_RANK], dims[CH__MAX_RANK];
    for (int i = 0, at; i < n; i++) {
        if (!size_at(where, "tile", x, i, &at, &apart[2 * i + 1], &error) ||
            !times_fit(where, "tile", times[i], &error))
            return error;
        apart[2 * i] = 1;
        wide[2 * i] = times[i];
        wide[2 * i + 1] = apart[2 * i + 1];
        if (!ch__mul_i64(times[i], apart[2 * i + 1], &dims[i])) {
            ch__fail(CH__E_dim_overflow, "tile: %" PRId64 " times %" PRId64 " does not fit in 64 bits", times[i],
                     apart[2 * i + 1]);
            return ch__node_error(where);
        }
    }
    ch_tensor *t = ch_broadcast_to_at(where, ch_reshape_at(where, x, 2 * n, apart), 2 * n, wide);
    return ch_reshape_at(where, t, n, dims);
}
