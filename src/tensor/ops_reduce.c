// SPDX-License-Identifier: Apache-2.0
// ops_reduce.c - public reductions and running reductions.
//
// Floating sums and products accumulate in f64 and may be reassociated (acc = f64, order = any), as
// docs/architecture.md says for tensor code; integers wrap in their own dtype.

#include "tensor/tensor.h"

static bool reduce_axes_of(const char *where, const char *what, ch_tensor *x, int n, const int *axes, int64_t *out,
                           int *n_out, ch_tensor **error) {
    *error = ch__first_error(where, what, 1, &x);
    if (*error != NULL) return false;
    bool in[CH__MAX_RANK] = {false};
    if (axes != NULL && !ch__op_list(where, what, "axes", n, axes, error)) return false;
    for (int i = 0; i < (axes == NULL ? 0 : n); i++) {
        int at;
        if (!ch__op_axis(where, what, x, axes[i], x->type.rank, &at, error)) return false;
        if (in[at]) {
            ch__fail(CH__E_argument, "%s: axis %d is given twice — give each once", what, axes[i]);
            *error = ch__node_error(where);
            return false;
        }
        in[at] = true;
    }
    *n_out = 0;
    for (int d = 0; d < x->type.rank; d++)
        if (axes == NULL || in[d]) out[(*n_out)++] = d;
    return true;
}

static ch_tensor *reduce(const char *where, const char *what, ch__kind kind, ch_tensor *x, int n, const int *axes) {
    int64_t dims[CH__MAX_RANK];
    int n_dims;
    ch_tensor *error;
    if (!reduce_axes_of(where, what, x, n, axes, dims, &n_dims, &error)) return error;
    ch__attr attrs[4] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_ints(CH__ATTR_dims, n_dims, dims)};
    int k = 2;
    if ((kind == CH__SUM || kind == CH__PROD) && ch__is_float(x->type.dtype)) {
        attrs[k++] = ch__attr_int(CH__ATTR_acc, CH_F64);
        attrs[k++] = ch__attr_int(CH__ATTR_order, CH__ANY);
    }
    return ch__op1(where, CH_OP_reduce, 1, &x, k, attrs, NULL);
}

#define REDUCE(name, KIND)                                                                                             \
    ch_tensor *ch_##name##_at(const char *where, ch_tensor *x, int n, const int *axes) {                               \
        return reduce(where, #name, CH__##KIND, x, n, axes);                                                           \
    }
REDUCE(sum, SUM)
REDUCE(prod, PROD)
REDUCE(amin, MIN)
REDUCE(amax, MAX)
REDUCE(all, AND)
REDUCE(any, OR)

ch_tensor *ch_sum_all_at(const char *where, ch_tensor *x) { return reduce(where, "sum_all", CH__SUM, x, 0, NULL); }

static ch_tensor *arg_reduce(const char *where, const char *what, ch__kind kind, ch_tensor *x, int axis) {
    ch_tensor *error = ch__first_error(where, what, 1, &x);
    int at;
    if (error != NULL || !ch__op_axis(where, what, x, axis, x->type.rank, &at, &error)) return error;
    ch__dim dims[CH__MAX_RANK];
    const char *names[CH__MAX_RANK];
    for (int i = 0, k = 0; i < x->type.rank; i++) {
        if (i == at) continue;
        dims[k] = x->type.dims[i];
        names[k++] = x->type.axes == NULL ? NULL : x->type.axes[i];
    }
    ch__type type = {.dtype = CH_I64,
                     .rank = (int16_t)(x->type.rank - 1),
                     .dims = dims,
                     .axes = x->type.axes == NULL ? NULL : names};
    ch__attr attrs[] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_int(CH__ATTR_dim, at)};
    return ch__op1(where, CH_OP_arg_reduce, 1, &x, 2, attrs, &type);
}
ch_tensor *ch_argmin_at(const char *where, ch_tensor *x, int axis) {
    return arg_reduce(where, "argmin", CH__MIN, x, axis);
}
ch_tensor *ch_argmax_at(const char *where, ch_tensor *x, int axis) {
    return arg_reduce(where, "argmax", CH__MAX, x, axis);
}

static ch_tensor *cumulative(const char *where, const char *what, ch__kind kind, ch_tensor *x, int axis) {
    ch_tensor *error = ch__first_error(where, what, 1, &x);
    int at;
    if (error != NULL || !ch__op_axis(where, what, x, axis, x->type.rank, &at, &error)) return error;
    ch__attr attrs[4] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_int(CH__ATTR_dim, at)};
    int k = 2;
    if ((kind == CH__SUM || kind == CH__PROD) && ch__is_float(x->type.dtype)) {
        attrs[k++] = ch__attr_int(CH__ATTR_acc, CH_F64);
        attrs[k++] = ch__attr_int(CH__ATTR_order, CH__ANY);
    }
    return ch__op1(where, CH_OP_cumulative, 1, &x, k, attrs, NULL);
}
ch_tensor *ch_cumsum_at(const char *where, ch_tensor *x, int axis) {
    return cumulative(where, "cumsum", CH__SUM, x, axis);
}
ch_tensor *ch_cumprod_at(const char *where, ch_tensor *x, int axis) {
    return cumulative(where, "cumprod", CH__PROD, x, axis);
}
ch_tensor *ch_cummin_at(const char *where, ch_tensor *x, int axis) {
    return cumulative(where, "cummin", CH__MIN, x, axis);
}
ch_tensor *ch_cummax_at(const char *where, ch_tensor *x, int axis) {
    return cumulative(where, "cummax", CH__MAX, x, axis);
}

// ---- windows over the last n axes
// attrs[0..2]: kind, window and strides of all axes, which lie in sizes; false: *error is an error tensor.
static bool window_attrs(const char *where, const char *what, ch__kind kind, ch_tensor *x, int n, const int64_t *size,
                         const int64_t *strides, int64_t sizes[2][CH__MAX_RANK], ch__attr *attrs, ch_tensor **error) {
    int rank = x->type.rank;
    if (n < 1 || n > rank || size == NULL) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_rank, "%s: a window over %d axes of %s — between 1 and %d axes are allowed", what, n, type,
                 rank);
        *error = ch__node_error(where);
        return false;
    }
    for (int i = 0; i < rank; i++) {
        int k = i - (rank - n);
        sizes[0][i] = k < 0 ? 1 : size[k];
        sizes[1][i] = k < 0 ? 1 : strides == NULL ? size[k] : strides[k];
    }
    attrs[0] = ch__attr_int(CH__ATTR_kind, kind);
    attrs[1] = ch__attr_ints(CH__ATTR_window, rank, sizes[0]);
    attrs[2] = ch__attr_ints(CH__ATTR_strides, rank, sizes[1]);
    return true;
}

static ch_tensor *window(const char *where, const char *what, ch__kind kind, ch_tensor *x, int n, const int64_t *size,
                         const int64_t *strides) {
    ch_tensor *error = ch__first_error(where, what, 1, &x);
    if (error != NULL) return error;
    int64_t sizes[2][CH__MAX_RANK];
    ch__attr attrs[5];
    if (!window_attrs(where, what, kind, x, n, size, strides, sizes, attrs, &error)) return error;
    int k = 3;
    if (kind == CH__SUM) {
        attrs[k++] = ch__attr_int(CH__ATTR_acc, ch__is_float(x->type.dtype) ? CH_F64 : x->type.dtype);
        attrs[k++] = ch__attr_int(CH__ATTR_order, CH__ANY);
    } else {
        attrs[k++] = ch__attr_int(CH__ATTR_tie, CH__FIRST); // as every framework's pooling
    }
    return ch__op1(where, CH_OP_reduce_window, 1, &x, k, attrs, NULL);
}

ch_tensor *ch_max_pool_at(const char *where, ch_tensor *x, int n, const int64_t *size, const int64_t *strides) {
    return window(where, "max_pool", CH__MAX, x, n, size, strides);
}

ch_tensor *ch_avg_pool_at(const char *where, ch_tensor *x, int n, const int64_t *size, const int64_t *strides) {
    ch_tensor *error = ch__first_error(where, "avg_pool", 1, &x);
    if (error != NULL) return error;
    if (!ch__is_float(x->type.dtype)) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_dtype_mismatch, "avg_pool: %s — takes floating dtypes", type);
        return ch__node_error(where);
    }
    ch_tensor *sum = window(where, "avg_pool", CH__SUM, x, n, size, strides);
    if (sum->kind == CH__T_ERROR) return sum;
    double count = 1;
    for (int i = 0; i < n; i++) count *= (double)size[i];
    return ch_div_at(where, sum, ch_scalar_at(where, x->type.dtype, count));
}

ch_tensor *ch_select_and_scatter_at(const char *where, ch_tensor *x, ch_tensor *source, int n, const int64_t *size,
                                    const int64_t *strides) {
    ch_tensor *error = ch__first_error(where, "select_and_scatter", 2, (ch_tensor *[]){x, source});
    int64_t sizes[2][CH__MAX_RANK];
    ch__attr attrs[3];
    if (error != NULL) return error;
    if (!window_attrs(where, "select_and_scatter", CH__MAX, x, n, size, strides, sizes, attrs, &error)) return error;
    return ch__op1(where, CH_OP_select_and_scatter, 2, (ch_tensor *[]){x, source}, 3, attrs, NULL);
}
