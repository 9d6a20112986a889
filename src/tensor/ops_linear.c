// SPDX-License-Identifier: Apache-2.0
// ops_linear.c - public linear algebra, sorting, and the call of any primitive by name.

#include "tensor/tensor.h"

#include <string.h>

static ch_tensor *dot(const char *where, ch_tensor *lhs, ch_tensor *rhs, int nc, const int64_t *contract, int nb,
                      const int64_t *batch) {
    ch__attr attrs[4];
    int k = 0;
    if (ch__is_float(lhs->type.dtype)) {
        attrs[k++] = ch__attr_int(CH__ATTR_acc, CH_F64);
        attrs[k++] = ch__attr_int(CH__ATTR_order, CH__ANY);
    }
    attrs[k++] = ch__attr_pairs(CH__ATTR_contract, nc, contract);
    if (nb > 0) attrs[k++] = ch__attr_pairs(CH__ATTR_batch, nb, batch);
    return ch__op1(where, CH_OP_dot, 2, (ch_tensor *[]){lhs, rhs}, k, attrs, NULL);
}

static ch_tensor *no_axis(const char *where, const char *what, ch_tensor *lhs, ch_tensor *rhs) {
    char a[256], b[256];
    ch_tensor_type(lhs, a, sizeof a);
    ch_tensor_type(rhs, b, sizeof b);
    ch__fail(CH__E_rank, "%s: %s and %s — both need at least one axis; use mul for numbers", what, a, b);
    return ch__node_error(where);
}

ch_tensor *ch_dot_at(const char *where, ch_tensor *lhs, ch_tensor *rhs) {
    ch_tensor *error = ch__first_error(where, "dot", 2, (ch_tensor *[]){lhs, rhs});
    if (error != NULL) return error;
    if (lhs->type.rank == 0 || rhs->type.rank == 0) return no_axis(where, "dot", lhs, rhs);
    return dot(where, lhs, rhs, 1, (int64_t[]){lhs->type.rank - 1, 0}, 0, NULL);
}

ch_tensor *ch_dot_general_at(const char *where, ch_tensor *lhs, ch_tensor *rhs, int n_contract, const int *lhs_contract,
                             const int *rhs_contract, int n_batch, const int *lhs_batch, const int *rhs_batch) {
    ch_tensor *error = ch__first_error(where, "dot_general", 2, (ch_tensor *[]){lhs, rhs});
    int64_t contract[2 * CH__MAX_RANK], batch[2 * CH__MAX_RANK];
    if (error != NULL) return error;
    if (!ch__op_list(where, "dot_general", "lhs_contract", n_contract, lhs_contract, &error) ||
        !ch__op_list(where, "dot_general", "rhs_contract", n_contract, rhs_contract, &error) ||
        !ch__op_list(where, "dot_general", "lhs_batch", n_batch, lhs_batch, &error) ||
        !ch__op_list(where, "dot_general", "rhs_batch", n_batch, rhs_batch, &error))
        return error;
    for (int i = 0; i < n_contract; i++) {
        contract[i] = lhs_contract[i];
        contract[n_contract + i] = rhs_contract[i];
    }
    for (int i = 0; i < n_batch; i++) {
        batch[i] = lhs_batch[i];
        batch[n_batch + i] = rhs_batch[i];
    }
    return dot(where, lhs, rhs, n_contract, contract, n_batch, batch);
}

// NumPy's matmul: leading axes broadcast against each other, then go along as batches.
static void batch_dims(ch_tensor *a, ch_tensor *b, int n, ch__dim *out) {
    for (int i = 0; i < n; i++) {
        int ia = i - (n - (a->type.rank - 2)), ib = i - (n - (b->type.rank - 2));
        ch__dim one = ch__dim_const(1), da = ia < 0 ? one : a->type.dims[ia], db = ib < 0 ? one : b->type.dims[ib];
        out[i] = ch__dim_equal(da, one) ? db : da;
    }
}

static ch_tensor *with_batch(const char *where, ch_tensor *x, int n, const ch__dim *batch) {
    ch__dim dims[CH__MAX_RANK];
    for (int i = 0; i < n; i++) dims[i] = batch[i];
    dims[n] = x->type.dims[x->type.rank - 2];
    dims[n + 1] = x->type.dims[x->type.rank - 1];
    return ch__broadcast_right(where, x, n + 2, dims);
}

ch_tensor *ch_matmul_at(const char *where, ch_tensor *lhs, ch_tensor *rhs) {
    ch_tensor *error = ch__first_error(where, "matmul", 2, (ch_tensor *[]){lhs, rhs});
    if (error != NULL) return error;
    int ra = lhs->type.rank, rb = rhs->type.rank;
    if (ra == 0 || rb == 0) return no_axis(where, "matmul", lhs, rhs);
    if (ra == 1 || rb <= 1) return dot(where, lhs, rhs, 1, (int64_t[]){ra - 1, rb == 1 ? 0 : rb - 2}, 0, NULL);
    if (rb == 2) return dot(where, lhs, rhs, 1, (int64_t[]){ra - 1, 0}, 0, NULL);
    int n = (ra > rb ? ra : rb) - 2;
    ch__dim batch[CH__MAX_RANK];
    batch_dims(lhs, rhs, n, batch);
    ch_tensor *a = with_batch(where, lhs, n, batch), *b = with_batch(where, rhs, n, batch);
    error = ch__first_error(where, "matmul", 2, (ch_tensor *[]){a, b});
    if (error != NULL) return error;
    int64_t pairs[2 * CH__MAX_RANK];
    for (int i = 0; i < n; i++) pairs[i] = pairs[n + i] = i;
    return dot(where, a, b, 1, (int64_t[]){n + 1, n}, n, pairs);
}

ch_tensor *ch_conv_at(const char *where, ch_tensor *lhs, ch_tensor *rhs, const ch_conv_options *o) {
    ch_tensor *error = ch__first_error(where, "conv", 2, (ch_tensor *[]){lhs, rhs});
    if (error != NULL) return error;
    if (o != NULL && o->struct_size != sizeof *o) {
        ch__fail(CH__E_argument, "conv: options.struct_size is %zu — set it to sizeof(ch_conv_options), %zu",
                 o->struct_size, sizeof *o);
        return ch__node_error(where);
    }
    if (lhs->type.rank < 2) {
        char type[256];
        ch_tensor_type(lhs, type, sizeof type);
        ch__fail(CH__E_rank, "conv: lhs %s — [batch, feature, spatial...] is wanted", type);
        return ch__node_error(where);
    }
    if (o != NULL && o->groups < 0) {
        ch__fail(CH__E_argument, "conv: groups is %" PRId64 " — at least 1 is allowed (0 stands for 1)", o->groups);
        return ch__node_error(where);
    }
    int n = lhs->type.rank - 2, k = 0;
    ch__attr attrs[9];
    if (ch__is_float(lhs->type.dtype)) {
        attrs[k++] = ch__attr_int(CH__ATTR_acc, CH_F64);
        attrs[k++] = ch__attr_int(CH__ATTR_order, CH__ANY);
    }
    if (o != NULL && o->strides != NULL) attrs[k++] = ch__attr_ints(CH__ATTR_strides, n, o->strides);
    if (o != NULL && o->pad_lo != NULL) attrs[k++] = ch__attr_ints(CH__ATTR_pad_lo, n, o->pad_lo);
    if (o != NULL && o->pad_hi != NULL) attrs[k++] = ch__attr_ints(CH__ATTR_pad_hi, n, o->pad_hi);
    if (o != NULL && o->lhs_dilation != NULL) attrs[k++] = ch__attr_ints(CH__ATTR_lhs_dilation, n, o->lhs_dilation);
    if (o != NULL && o->rhs_dilation != NULL) attrs[k++] = ch__attr_ints(CH__ATTR_rhs_dilation, n, o->rhs_dilation);
    if (o != NULL && o->groups > 1) attrs[k++] = ch__attr_int(CH__ATTR_groups, o->groups);
    return ch__op1(where, CH_OP_conv, 2, (ch_tensor *[]){lhs, rhs}, k, attrs, NULL);
}

ch_tensor *ch_cholesky_at(const char *where, ch_tensor *x) {
    return ch__op1(where, CH_OP_cholesky, 1, &x, 0, NULL, NULL);
}

ch_tensor *ch_triangular_solve_at(const char *where, ch_tensor *a, ch_tensor *b, int lower, int transpose) {
    ch__attr attrs[] = {ch__attr_int(CH__ATTR_lower, lower != 0), ch__attr_int(CH__ATTR_transpose, transpose != 0)};
    return ch__op1(where, CH_OP_triangular_solve, 2, (ch_tensor *[]){a, b}, 2, attrs, NULL);
}

// ---- order
static bool sort_op_attrs(const char *where, const char *what, ch_tensor *x, int axis, int descending,
                          ch__attr attrs[2], int *at, ch_tensor **error) {
    *error = ch__first_error(where, what, 1, &x);
    if (*error != NULL || !ch__op_axis(where, what, x, axis, x->type.rank, at, error)) return false;
    attrs[0] = ch__attr_int(CH__ATTR_dim, *at);
    attrs[1] = ch__attr_int(CH__ATTR_descending, descending != 0);
    return true;
}

ch_tensor *ch_sort_at(const char *where, ch_tensor *x, int axis, int descending) {
    ch__attr attrs[2];
    int at;
    ch_tensor *error;
    if (!sort_op_attrs(where, "sort", x, axis, descending, attrs, &at, &error)) return error;
    return ch__op1(where, CH_OP_sort, 1, &x, 2, attrs, NULL);
}

ch_tensor *ch_argsort_at(const char *where, ch_tensor *x, int axis, int descending) {
    ch__attr attrs[2];
    int at;
    ch_tensor *error, *out[2];
    if (!sort_op_attrs(where, "argsort", x, axis, descending, attrs, &at, &error)) return error;
    ch_tensor *operands[2] = {x, ch_iota_like_at(where, x, CH_I64, at)};
    ch__op_n(where, CH_OP_sort, 2, operands, 2, attrs, 0, NULL, 2, out);
    return out[1];
}

void ch_top_k_at(const char *where, ch_tensor *x, int64_t k, ch_tensor **out_values, ch_tensor **out_indices) {
    ch_tensor *error = ch__first_error(where, "top_k", 1, &x), *out[2];
    if (error == NULL && (x->type.rank == 0 || k < 0)) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_rank, "top_k: k = %" PRId64 " of %s — needs an axis, and k at least 0", k, type);
        error = ch__node_error(where);
    }
    if (error != NULL) {
        *out_values = *out_indices = error;
        return;
    }
    ch__dim dims[CH__MAX_RANK];
    for (int i = 0; i < x->type.rank; i++) dims[i] = i == x->type.rank - 1 ? ch__dim_const(k) : x->type.dims[i];
    ch__type values = {.dtype = x->type.dtype, .rank = x->type.rank, .dims = dims, .axes = x->type.axes},
             indices = values;
    indices.dtype = CH_I64;
    const ch__type *types[2] = {&values, &indices};
    ch__attr attr = ch__attr_dim(CH__ATTR_k, dims[x->type.rank - 1]);
    ch__op_n(where, CH_OP_top_k, 1, &x, 1, &attr, 2, types, 2, out);
    *out_values = out[0];
    *out_indices = out[1];
}

// ---- by name
struct by_name {
    const char *where, *name, *text;
    int n;
    ch_tensor *const *operands;
    ch__opcode code;
    int n_attrs;
    ch__attr *attrs;
    const ch__type *type;
    ch__arena *arena;
};

// "type = f32[n], dims = [0]": the type stands first and ends at the comma after its bracket.
static void read_attributes(void *arg) {
    struct by_name *p = arg;
    ch__trace_state *t = ch__trace_current();
    p->arena = t == NULL ? ch__arena_create() : NULL;
    ch__arena *a = t == NULL ? p->arena : t->module->arena;
    int code = ch__op_find(p->name, strlen(p->name));
    if (code < 0) ch__raise(CH__E_unknown_op, "op: \"%s\" — no operation of that name; docs/ir.md lists them", p->name);
    p->code = (ch__opcode)code;
    if ((ch__op_info_of(p->code)->flags & CH__REGION) != 0 || code == CH_OP_call)
        ch__raise(CH__E_unsupported, "op: \"%s\" — operations with regions or callees are not called by name", p->name);
    const char *text = p->text;
    if (strncmp(text, "type =", 6) == 0) {
        const char *close = strchr(text, ']');
        if (close == NULL)
            ch__raise(CH__E_attribute, "op: \"%s\" — type = is followed by a type such as f32[2,3]", p->text);
        p->type = ch__parse_type(a, ch__arena_strndup(a, text + 6, (size_t)(close + 1 - text - 6)));
        text = close + 1;
        while (*text == ' ' || *text == ',') text++;
    }
    p->n_attrs = ch__parse_attrs(a, p->code, text, &p->attrs);
}

void ch_op_n_at(const char *where, const char *name, int n, ch_tensor *const *operands, const char *attributes,
                int n_out, ch_tensor **out) {
    struct by_name p = {.where = where,
                        .name = name == NULL ? "" : name,
                        .n = n,
                        .operands = operands,
                        .text = attributes == NULL ? "" : attributes};
    if (ch__protect(read_attributes, &p) != CH_OK) {
        ch_tensor *error = ch__node_error(where);
        for (int i = 0; i < n_out; i++) out[i] = error;
        return;
    }
    ch__op_n(where, p.code, n, operands, p.n_attrs, p.attrs, p.type != NULL, &p.type, n_out, out);
    ch__arena_destroy(p.arena);
}

ch_tensor *ch_op_at(const char *where, const char *name, int n, ch_tensor *const *operands, const char *attributes) {
    ch_tensor *out = NULL;
    ch_op_n_at(where, name, n, operands, attributes, 1, &out);
    return out;
}
