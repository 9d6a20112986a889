// SPDX-License-Identifier: Apache-2.0
// ops_shape.c - public functions that move data: reshape, transpose, broadcast, slice, pad, concat, and what is made of
// them.
//
// Sizes that come from symbolic dims are computed in the trace's arena (or a scratch one), inside ch__protect.

#include "tensor/tensor.h"

#include <string.h>

bool ch__op_axis(const char *where, const char *what, const ch_tensor *x, int axis, int rank, int *out,
                 ch_tensor **error) {
    *error = NULL;
    *out = axis < 0 ? axis + rank : axis;
    if (*out >= 0 && *out < rank) return true;
    char type[256];
    ch_tensor_type(x, type, sizeof type);
    if (rank == 0)
        ch__fail(CH__E_rank, "%s: axis %d of %s — it has no axes; one is needed", what, axis, type);
    else
        ch__fail(CH__E_rank, "%s: axis %d of %s — between %d and %d is allowed", what, axis, type, -rank, rank - 1);
    *error = ch__node_error(where);
    return false;
}

bool ch__op_list(const char *where, const char *what, const char *name, int n, const void *list, ch_tensor **error) {
    *error = NULL;
    if (n >= 0 && n <= CH__MAX_RANK && (n == 0 || list != NULL)) return true;
    if (n < 0 || n > CH__MAX_RANK)
        ch__fail(CH__E_argument, "%s: %d entries of %s — between 0 and %d are allowed", what, n, name, CH__MAX_RANK);
    else
        ch__fail(CH__E_argument, "%s: %s is NULL — give %d entries", what, name, n);
    *error = ch__node_error(where);
    return false;
}

// ---- sizes that need arithmetic on dims
typedef struct {
    const ch_tensor *x;
    int n, axis, axis2;
    const int64_t *a, *b, *c;
    const char *text;
    int rank;
    ch__dim dims[CH__MAX_RANK], dims2[CH__MAX_RANK];
} dim_args;

// Runs fn with an arena for symbols; the results stay valid while the current trace (or only constants) do.
static bool with_dims(const char *where, void (*fn)(void *), dim_args *p, ch_tensor **error) {
    if (ch__protect(fn, p) == CH_OK) return true;
    *error = ch__node_error(where);
    return false;
}

static ch__arena *dims_arena(void) {
    ch__trace_state *t = ch__trace_current();
    return t == NULL ? ch__arena_create() : t->module->arena;
}

static void done(ch__arena *a) {
    if (ch__trace_current() == NULL) ch__arena_destroy(a); // static sizes hold no symbols
}

static ch_tensor *reshaped(const char *where, ch_tensor *x, int rank, const ch__dim *dims) {
    ch__type type = {.dtype = x->type.dtype, .rank = (int16_t)rank, .dims = dims};
    return ch__op1(where, CH_OP_reshape, 1, &x, 0, NULL, &type);
}

static void reshape_dims(void *arg) {
    dim_args *p = arg;
    ch__arena *a = dims_arena();
    int open = -1;
    ch__dim known = ch__dim_const(1);
    for (int i = 0; i < p->n; i++) {
        if (p->a[i] == -1 && open < 0) {
            open = i;
            continue;
        }
        if (p->a[i] < 0)
            ch__raise(CH__E_argument,
                      "reshape: dim %d is %" PRId64 " — at least 0 is allowed, and -1 once for what is left", i,
                      p->a[i]);
        p->dims[i] = ch__dim_const(p->a[i]);
        known = ch__dim_mul(a, known, p->dims[i]);
    }
    if (open >= 0) {
        if (ch__dim_is_const(known) && known.val == 0)
            ch__raise(CH__E_argument, "reshape: dim %d is -1 beside a dim of 0 — what is left is not defined; give it",
                      open);
        ch__dim numel = ch__type_numel(a, &p->x->type);
        if (ch__dim_is_const(known) && ch__dim_is_const(numel) && numel.val % known.val != 0)
            ch__raise(CH__E_shape_mismatch,
                      "reshape: %" PRId64 " elements — dim %d is -1, what is left, but the other dims make %" PRId64
                      ", which does not divide them",
                      numel.val, open, known.val);
        p->dims[open] = ch__dim_floordiv(a, numel, known);
    }
    done(a);
}

ch_tensor *ch_reshape_at(const char *where, ch_tensor *x, int rank, const int64_t *dims) {
    ch_tensor *error = ch__first_error(where, "reshape", 1, &x);
    if (error != NULL) return error;
    ch__dim checked[CH__MAX_RANK];
    if ((rank < 0 || rank > CH__MAX_RANK || dims == NULL) && rank != 0 &&
        !ch__host_dims(where, "reshape", rank, dims, checked, &error))
        return error;
    dim_args p = {.x = x, .n = rank, .a = dims};
    if (!with_dims(where, reshape_dims, &p, &error)) return error;
    return reshaped(where, x, rank, p.dims);
}

static void text_dims(void *arg) {
    dim_args *p = arg;
    ch__arena *a = dims_arena();
    const ch__type *t = ch__parse_type(a, ch__arena_printf(a, "f32[%s]", p->text));
    p->rank = t->rank;
    for (int i = 0; i < t->rank; i++) p->dims[i] = t->dims[i];
    if (ch__trace_current() == NULL && !ch__type_is_static(t))
        ch__raise(CH__E_argument, "reshape_to: \"%s\" — symbols are known inside a capture only; give numbers",
                  p->text);
    done(a);
}

ch_tensor *ch_reshape_to_at(const char *where, ch_tensor *x, const char *dims) {
    ch_tensor *error = ch__first_error(where, "reshape_to", 1, &x);
    if (error != NULL) return error;
    if (dims == NULL) {
        ch__fail(CH__E_argument, "reshape_to: dims is NULL — give sizes such as \"n, 28, 28\"");
        return ch__node_error(where);
    }
    dim_args p = {.x = x, .text = dims};
    if (!with_dims(where, text_dims, &p, &error)) return error;
    return reshaped(where, x, p.rank, p.dims);
}

static void flatten_dims(void *arg) {
    dim_args *p = arg;
    ch__arena *a = dims_arena();
    ch__dim rest = ch__dim_const(1);
    for (int i = 0; i < p->axis; i++) p->dims[i] = p->x->type.dims[i];
    for (int i = p->axis; i < p->x->type.rank; i++) rest = ch__dim_mul(a, rest, p->x->type.dims[i]);
    p->dims[p->axis] = rest;
    done(a);
}

ch_tensor *ch_flatten_at(const char *where, ch_tensor *x, int axis) {
    ch_tensor *error = ch__first_error(where, "flatten", 1, &x);
    dim_args p = {.x = x};
    if (error != NULL || !ch__op_axis(where, "flatten", x, axis, x->type.rank + (x->type.rank == 0), &p.axis, &error))
        return error;
    if (!with_dims(where, flatten_dims, &p, &error)) return error;
    return reshaped(where, x, p.axis + 1, p.dims);
}

// Axis into n axes of the sizes a; one of them may be -1.
static void split_dims(void *arg) {
    dim_args *p = arg;
    ch__arena *a = dims_arena();
    const ch__type *t = &p->x->type;
    ch__dim known = ch__dim_const(1);
    int open = -1;
    for (int i = 0; i < p->n; i++) {
        if (p->a[i] < -1 || (p->a[i] == -1 && open >= 0))
            ch__raise(CH__E_argument,
                      "split_axis: size %d is %" PRId64 " — at least 0 is allowed, and -1 once for what is left", i,
                      p->a[i]);
        if (p->a[i] == -1)
            open = i;
        else
            known = ch__dim_mul(a, known, ch__dim_const(p->a[i]));
    }
    ch__dim size = t->dims[p->axis];
    bool fits = ch__dim_is_const(size) && ch__dim_is_const(known)
                    ? open < 0 ? known.val == size.val : known.val > 0 && size.val % known.val == 0
                    : known.val != 0;
    if (!fits) {
        char type[256];
        ch_tensor_type(p->x, type, sizeof type);
        ch__raise(CH__E_shape_mismatch, "split_axis: axis %d of %s — the sizes given make %" PRId64 "%s", p->axis, type,
                  known.val, open < 0 ? ", they have to make the axis" : ", which has to divide it");
    }
    for (int i = 0; i < p->axis; i++) p->dims[i] = t->dims[i];
    for (int i = 0; i < p->n; i++) p->dims[p->axis + i] = ch__dim_const(i == open ? 0 : p->a[i]);
    if (open >= 0) p->dims[p->axis + open] = ch__dim_floordiv(a, size, known);
    for (int i = p->axis + 1; i < t->rank; i++) p->dims[i - 1 + p->n] = t->dims[i];
    done(a);
}

ch_tensor *ch_split_axis_at(const char *where, ch_tensor *x, int axis, int n, const int64_t *sizes) {
    ch_tensor *error = ch__first_error(where, "split_axis", 1, &x);
    dim_args p = {.x = x, .n = n, .a = sizes};
    if (error != NULL || !ch__op_axis(where, "split_axis", x, axis, x->type.rank, &p.axis, &error) ||
        !ch__op_list(where, "split_axis", "sizes", n, sizes, &error))
        return error;
    if (x->type.rank - 1 + n > CH__MAX_RANK) {
        ch__fail(CH__E_rank, "split_axis: rank %d — at most %d is allowed", x->type.rank - 1 + n, CH__MAX_RANK);
        return ch__node_error(where);
    }
    if (!with_dims(where, split_dims, &p, &error)) return error;
    return reshaped(where, x, x->type.rank - 1 + n, p.dims);
}

static void merge_dims(void *arg) {
    dim_args *p = arg;
    ch__arena *a = dims_arena();
    const ch__type *t = &p->x->type;
    ch__dim size = ch__dim_const(1);
    for (int i = 0; i < p->axis; i++) p->dims[i] = t->dims[i];
    for (int i = p->axis; i < p->axis + p->n; i++) size = ch__dim_mul(a, size, t->dims[i]);
    p->dims[p->axis] = size;
    for (int i = p->axis + p->n; i < t->rank; i++) p->dims[i - p->n + 1] = t->dims[i];
    done(a);
}

ch_tensor *ch_merge_axes_at(const char *where, ch_tensor *x, int axis, int n) {
    ch_tensor *error = ch__first_error(where, "merge_axes", 1, &x);
    dim_args p = {.x = x, .n = n};
    if (error != NULL || !ch__op_axis(where, "merge_axes", x, axis, x->type.rank + 1, &p.axis, &error)) return error;
    if (n < 0 || n > x->type.rank - p.axis) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_rank, "merge_axes: %d axes from axis %d on of %s — between 0 and %d are there", n, p.axis, type,
                 x->type.rank - p.axis);
        return ch__node_error(where);
    }
    if (!with_dims(where, merge_dims, &p, &error)) return error;
    return reshaped(where, x, x->type.rank - n + 1, p.dims);
}

ch_tensor *ch_expand_dims_at(const char *where, ch_tensor *x, int axis) {
    ch_tensor *error = ch__first_error(where, "expand_dims", 1, &x);
    int at;
    if (error != NULL || !ch__op_axis(where, "expand_dims", x, axis, x->type.rank + 1, &at, &error)) return error;
    if (x->type.rank == CH__MAX_RANK) {
        ch__fail(CH__E_rank, "expand_dims: rank %d — at most %d is allowed", x->type.rank + 1, CH__MAX_RANK);
        return ch__node_error(where);
    }
    ch__dim dims[CH__MAX_RANK];
    for (int i = 0; i <= x->type.rank; i++)
        dims[i] = i < at ? x->type.dims[i] : i == at ? ch__dim_const(1) : x->type.dims[i - 1];
    return reshaped(where, x, x->type.rank + 1, dims);
}

ch_tensor *ch_squeeze_at(const char *where, ch_tensor *x, int axis) {
    ch_tensor *error = ch__first_error(where, "squeeze", 1, &x);
    int at;
    if (error != NULL || !ch__op_axis(where, "squeeze", x, axis, x->type.rank, &at, &error)) return error;
    if (!ch__dim_equal(x->type.dims[at], ch__dim_const(1))) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_shape_mismatch, "squeeze: axis %d of %s — only an axis of size 1 can be taken out", axis, type);
        return ch__node_error(where);
    }
    ch__dim dims[CH__MAX_RANK];
    for (int i = 0, k = 0; i < x->type.rank; i++)
        if (i != at) dims[k++] = x->type.dims[i];
    return reshaped(where, x, x->type.rank - 1, dims);
}

// "batch, _, hidden" as one name an axis, in `text`, which is cut into pieces. False: the count is not the rank.
static bool split_names(char *text, int rank, const char **names) {
    int n = 0;
    char *p = text;
    for (;;) {
        p += strspn(p, " ");
        size_t k = strcspn(p, ", ");
        if (k == 0) break;
        char *end = p + k, *next = end + strspn(end, " ");
        bool more = *next == ',';
        if (n < rank) names[n] = k == 1 && *p == '_' ? NULL : p;
        n++;
        p = more ? next + 1 : next;
        *end = '\0';
        if (!more) break;
    }
    return n == rank && *p == '\0';
}

static bool is_identifier(const char *s) {
    static const char all[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return strspn(s, all + 10) > 0 && s[strspn(s, all)] == '\0';
}

ch_tensor *ch_name_axes_at(const char *where, ch_tensor *x, const char *names) {
    ch_tensor *error = ch__first_error(where, "name_axes", 1, &x);
    if (error != NULL) return error;
    char text[512];
    const char *axes[CH__MAX_RANK];
    snprintf(text, sizeof text, "%s", names == NULL ? "" : names);
    if (strlen(names == NULL ? "" : names) >= sizeof text || !split_names(text, x->type.rank, axes)) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_axis_mismatch, "name_axes: \"%s\" for %s — give one name or _ for each of its %d axes",
                 names == NULL ? "" : names, type, x->type.rank);
        return ch__node_error(where);
    }
    for (int i = 0; i < x->type.rank; i++) {
        if (axes[i] == NULL) continue;
        if (!is_identifier(axes[i])) {
            ch__fail(CH__E_axis_mismatch,
                     "name_axes: \"%s\" for axis %d — a name is letters, digits and _, a letter first", axes[i], i);
            return ch__node_error(where);
        }
        for (int k = 0; k < i; k++)
            if (axes[k] != NULL && strcmp(axes[i], axes[k]) == 0) {
                ch__fail(CH__E_axis_mismatch, "name_axes: axes %d and %d are both named %s — a name stands once", k, i,
                         axes[i]);
                return ch__node_error(where);
            }
    }
    ch__type type = {.dtype = x->type.dtype, .rank = x->type.rank, .dims = x->type.dims, .axes = axes};
    return ch__op1(where, CH_OP_reshape, 1, &x, 0, NULL, &type);
}

ch_tensor *ch_transpose_at(const char *where, ch_tensor *x, int n, const int *perm) {
    ch_tensor *error = ch__first_error(where, "transpose", 1, &x);
    if (error != NULL) return error;
    if (perm == NULL) n = x->type.rank;
    if (n < 0 || n > CH__MAX_RANK) {
        ch__fail(CH__E_rank, "transpose: %d axes — at most %d are allowed", n, CH__MAX_RANK);
        return ch__node_error(where);
    }
    int64_t p[CH__MAX_RANK];
    for (int i = 0; i < n; i++) p[i] = perm == NULL ? n - 1 - i : perm[i];
    ch__attr attr = ch__attr_ints(CH__ATTR_perm, n, p);
    return ch__op1(where, CH_OP_transpose, 1, &x, 1, &attr, NULL);
}

ch_tensor *ch_swap_axes_at(const char *where, ch_tensor *x, int a, int b) {
    ch_tensor *error = ch__first_error(where, "swap_axes", 1, &x);
    int i, j, perm[CH__MAX_RANK];
    if (error != NULL || !ch__op_axis(where, "swap_axes", x, a, x->type.rank, &i, &error) ||
        !ch__op_axis(where, "swap_axes", x, b, x->type.rank, &j, &error))
        return error;
    for (int k = 0; k < x->type.rank; k++) perm[k] = k == i ? j : k == j ? i : k;
    return ch_transpose_at(where, x, x->type.rank, perm);
}

// ---- broadcast
ch_tensor *ch__broadcast_right(const char *where, ch_tensor *x, int rank, const ch__dim *dims) {
    int64_t axes[CH__MAX_RANK];
    for (int i = 0; i < x->type.rank; i++) axes[i] = rank - x->type.rank + i;
    ch__type type = {.dtype = x->type.dtype, .rank = (int16_t)rank, .dims = dims};
    if (x->type.rank == rank && ch__type_same_shape(&x->type, &type)) return x;
    if (x->type.rank > rank) {
        char text[256];
        ch_tensor_type(x, text, sizeof text);
        ch__fail(CH__E_rank, "broadcast: %s to rank %d — the rank cannot shrink", text, rank);
        return ch__node_error(where);
    }
    ch__attr attr = ch__attr_ints(CH__ATTR_dims, x->type.rank, axes);
    return ch__op1(where, CH_OP_broadcast, 1, &x, 1, &attr, &type);
}

ch_tensor *ch_broadcast_to_at(const char *where, ch_tensor *x, int rank, const int64_t *dims) {
    ch_tensor *error = ch__first_error(where, "broadcast_to", 1, &x);
    ch__dim d[CH__MAX_RANK];
    if (error != NULL || !ch__host_dims(where, "broadcast_to", rank, dims, d, &error)) return error;
    return ch__broadcast_right(where, x, rank, d);
}

ch_tensor *ch_broadcast_like_at(const char *where, ch_tensor *x, ch_tensor *y) {
    ch_tensor *error = ch__first_error(where, "broadcast_like", 2, (ch_tensor *[]){x, y});
    return error != NULL ? error : ch__broadcast_right(where, x, y->type.rank, y->type.dims);
}

// ---- slices, padding, joining
static ch__dim bound(ch__arena *a, int64_t v, ch__dim size) {
    if (v == CH_END) return size;
    return v < 0 ? ch__dim_add(a, size, ch__dim_const(v)) : ch__dim_const(v);
}

static void slice_bounds(void *arg) {
    dim_args *p = arg;
    ch__arena *a = dims_arena();
    for (int i = 0; i < p->n; i++) {
        p->dims[i] = bound(a, p->a[i], p->x->type.dims[i]);
        p->dims2[i] = bound(a, p->b[i], p->x->type.dims[i]);
    }
    done(a);
}

ch_tensor *ch_slice_at(const char *where, ch_tensor *x, int n, const int64_t *start, const int64_t *limit,
                       const int64_t *stride) {
    ch_tensor *error = ch__first_error(where, "slice", 1, &x);
    if (error != NULL) return error;
    if (n != x->type.rank) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_rank, "slice: %d axes of %s — give a start and a limit for each of its %d axes", n, type,
                 x->type.rank);
        return ch__node_error(where);
    }
    if (!ch__op_list(where, "slice", "start", n, start, &error) ||
        !ch__op_list(where, "slice", "limit", n, limit, &error))
        return error;
    dim_args p = {.x = x, .n = n, .a = start, .b = limit};
    if (!with_dims(where, slice_bounds, &p, &error)) return error;
    ch__attr attrs[3] = {ch__attr_dims(CH__ATTR_start, n, p.dims), ch__attr_dims(CH__ATTR_limit, n, p.dims2)};
    if (stride != NULL) attrs[2] = ch__attr_ints(CH__ATTR_stride, n, stride);
    return ch__op1(where, CH_OP_slice, 1, &x, stride == NULL ? 2 : 3, attrs, NULL);
}

ch_tensor *ch_slice_axis_at(const char *where, ch_tensor *x, int axis, int64_t start, int64_t limit) {
    ch_tensor *error = ch__first_error(where, "slice_axis", 1, &x);
    int at;
    if (error != NULL || !ch__op_axis(where, "slice_axis", x, axis, x->type.rank, &at, &error)) return error;
    int64_t starts[CH__MAX_RANK], limits[CH__MAX_RANK];
    for (int i = 0; i < x->type.rank; i++) {
        starts[i] = i == at ? start : 0;
        limits[i] = i == at ? limit : CH_END;
    }
    return ch_slice_at(where, x, x->type.rank, starts, limits, NULL);
}

ch_tensor *ch_pad_at(const char *where, ch_tensor *x, ch_tensor *value, int n, const int64_t *lo, const int64_t *hi,
                     const int64_t *interior) {
    ch__dim l[CH__MAX_RANK], h[CH__MAX_RANK];
    if (n < 0 || n > CH__MAX_RANK || (n > 0 && (lo == NULL || hi == NULL))) {
        ch__fail(CH__E_argument, "pad: %d axes — give lo and hi for each axis of the operand", n);
        return ch__node_error(where);
    }
    for (int i = 0; i < n; i++) {
        l[i] = ch__dim_const(lo[i]);
        h[i] = ch__dim_const(hi[i]);
    }
    ch__attr attrs[3] = {ch__attr_dims(CH__ATTR_lo, n, l), ch__attr_dims(CH__ATTR_hi, n, h)};
    if (interior != NULL) attrs[2] = ch__attr_ints(CH__ATTR_interior, n, interior);
    return ch__op1(where, CH_OP_pad, 2, (ch_tensor *[]){x, value}, interior == NULL ? 2 : 3, attrs, NULL);
}

ch_tensor *ch_concat_at(const char *where, int n, ch_tensor *const *xs, int axis) {
    ch_tensor *error = ch__first_error(where, "concat", n, xs);
    int at = axis;
    if (error != NULL || (n > 0 && !ch__op_axis(where, "concat", xs[0], axis, xs[0]->type.rank, &at, &error)))
        return error;
    ch__attr attr = ch__attr_int(CH__ATTR_dim, at);
    return ch__op1(where, CH_OP_concat, n, xs, 1, &attr, NULL);
}

ch_tensor *ch_stack_at(const char *where, int n, ch_tensor *const *xs, int axis) {
    ch_tensor *error = ch__first_error(where, "stack", n, xs);
    if (error != NULL) return error;
    ch_tensor **wide = ch__alloc((size_t)(n > 0 ? n : 1) * sizeof *wide);
    if (wide == NULL) {
        ch__fail_oom("stack");
        return ch__node_error(where);
    }
    for (int i = 0; i < n; i++) wide[i] = ch_expand_dims_at(where, xs[i], axis);
    ch_tensor *t = ch_concat_at(where, n, wide, axis);
    ch__free(wide);
    return t;
}

ch_tensor *ch_reverse_at(const char *where, ch_tensor *x, int n, const int *axes) {
    ch_tensor *error = ch__first_error(where, "reverse", 1, &x);
    int64_t dims[CH__MAX_RANK];
    int k = 0;
    if (error != NULL || !ch__op_list(where, "reverse", "axes", n, axes, &error)) return error;
    for (int d = 0; d < x->type.rank; d++)
        for (int i = 0; i < n; i++) {
            int at;
            if (!ch__op_axis(where, "reverse", x, axes[i], x->type.rank, &at, &error)) return error;
            if (at != d) continue;
            dims[k++] = d;
            break;
        }
    ch__attr attr = ch__attr_ints(CH__ATTR_dims, k, dims);
    return ch__op1(where, CH_OP_reverse, 1, &x, 1, &attr, NULL);
}

// ---- made from sizes
ch_tensor *ch_iota_at(const char *where, ch_dtype dtype, int rank, const int64_t *dims, int axis) {
    ch__dim d[CH__MAX_RANK];
    ch_tensor *error;
    if (!ch__host_dims(where, "iota", rank, dims, d, &error)) return error;
    ch__type type = {.dtype = dtype, .rank = (int16_t)rank, .dims = d};
    ch__attr attr = ch__attr_int(CH__ATTR_dim, axis < 0 ? axis + rank : axis);
    return ch__op1(where, CH_OP_iota, 0, NULL, 1, &attr, &type);
}

ch_tensor *ch_iota_like_at(const char *where, ch_tensor *x, ch_dtype dtype, int axis) {
    ch_tensor *error = ch__first_error(where, "iota_like", 1, &x);
    int at;
    if (error != NULL || !ch__op_axis(where, "iota_like", x, axis, x->type.rank, &at, &error)) return error;
    ch__type type = x->type;
    type.dtype = dtype;
    ch__attr attr = ch__attr_int(CH__ATTR_dim, at);
    return ch__op1(where, CH_OP_iota, 0, NULL, 1, &attr, &type);
}

ch_tensor *ch_size_of_at(const char *where, ch_tensor *x, int axis) {
    ch_tensor *error = ch__first_error(where, "size_of", 1, &x);
    int at;
    if (error != NULL || !ch__op_axis(where, "size_of", x, axis, x->type.rank, &at, &error)) return error;
    ch__attr attr = ch__attr_dim(CH__ATTR_e, x->type.dims[at]);
    return ch__op1(where, CH_OP_dim, 0, NULL, 1, &attr, NULL);
}

ch_tensor *ch_rng_bits_like_at(const char *where, ch_tensor *key, ch_tensor *counter, ch_tensor *x) {
    ch_tensor *in[3] = {key, counter, x}, *error = ch__first_error(where, "rng_bits_like", 3, in);
    if (error != NULL) return error;
    ch__type type = x->type;
    type.dtype = CH_U32;
    return ch__op1(where, CH_OP_rng_bits, 2, in, 0, NULL, &type);
}

ch_tensor *ch_rng_bits_at(const char *where, ch_tensor *key, ch_tensor *counter, int rank, const int64_t *dims) {
    ch__dim d[CH__MAX_RANK];
    ch_tensor *error;
    if (!ch__host_dims(where, "rng_bits", rank, dims, d, &error)) return error;
    ch__type type = {.dtype = CH_U32, .rank = (int16_t)rank, .dims = d};
    return ch__op1(where, CH_OP_rng_bits, 2, (ch_tensor *[]){key, counter}, 0, NULL, &type);
}
