// SPDX-License-Identifier: Apache-2.0
// dot.c - sum of products over contract axes, with batch axes; one matrix product (gemm.c) a batch element.
//
// lhs is seen as [batch, m, k] and rhs as [batch, k, n]: m and n are what is left of either, k the contract axes in the
// order the attribute lists them, the last fastest. When the axes of a group lie one after another in memory the group
// is one stride; else the operand is first copied into that order.
#include "interp/exec.h"

typedef struct {
    const char *data;
    void *copy;             // to free
    int64_t batch, rest, k; // sizes
    int64_t batch_stride[CH__MAX_RANK], batch_dim[CH__MAX_RANK];
    int n_batch;
    int64_t rest_stride, k_stride;
} side;

// n axes as one: their common stride, or -1 when they do not lie one after another.
static int64_t join_axes(const ch__cell *x, const int64_t *stride, const int *axes, int n) {
    int64_t step = -1, next = 0;
    for (int i = n - 1; i >= 0; i--) {
        if (x->dims[axes[i]] == 1) continue;
        if (step < 0)
            step = stride[axes[i]];
        else if (stride[axes[i]] != next)
            return -1;
        next = stride[axes[i]] * x->dims[axes[i]];
    }
    return step < 0 ? 1 : step;
}

static int64_t product(const ch__cell *x, const int *axes, int n) {
    int64_t p = 1;
    for (int i = 0; i < n; i++) p *= x->dims[axes[i]];
    return p;
}

static bool make_side(side *sd, const ch__cell *x, const ch__attr *batch, const ch__attr *contract, int which) {
    int b[CH__MAX_RANK], k[CH__MAX_RANK], rest[CH__MAX_RANK], n_rest = 0;
    bool taken[CH__MAX_RANK] = {false};
    int n_b = batch ? batch->n : 0, n_k = contract->n;
    for (int i = 0; i < n_b; i++) taken[b[i] = (int)batch->ints[i + which * n_b]] = true;
    for (int i = 0; i < n_k; i++) taken[k[i] = (int)contract->ints[i + which * n_k]] = true;
    for (int i = 0; i < x->rank; i++)
        if (!taken[i]) rest[n_rest++] = i;
    int64_t stride[CH__MAX_RANK];
    ch__row_major(x->rank, x->dims, stride);
    sd->data = ch__data(x);
    sd->copy = NULL;
    sd->batch = product(x, b, n_b);
    sd->rest = product(x, rest, n_rest);
    sd->k = product(x, k, n_k);
    sd->n_batch = n_b;
    for (int i = 0; i < n_b; i++) sd->batch_dim[i] = x->dims[b[i]], sd->batch_stride[i] = stride[b[i]];
    sd->rest_stride = join_axes(x, stride, rest, n_rest);
    sd->k_stride = join_axes(x, stride, k, n_k);
    if ((sd->rest_stride >= 0 && sd->k_stride >= 0) || x->numel == 0) return true;
    // Put in order: batch, rest, contract.
    int64_t ss[CH__MAX_RANK], ds[CH__MAX_RANK], dims[CH__MAX_RANK];
    int n = 0;
    for (int i = 0; i < n_b; i++, n++) ss[n] = stride[b[i]], dims[n] = x->dims[b[i]];
    for (int i = 0; i < n_rest; i++, n++) ss[n] = stride[rest[i]], dims[n] = x->dims[rest[i]];
    for (int i = 0; i < n_k; i++, n++) ss[n] = stride[k[i]], dims[n] = x->dims[k[i]];
    ch__row_major(n, dims, ds);
    sd->copy = ch__alloc_aligned((size_t)ch__bytes(x), 64);
    if (!sd->copy) return false;
    ch__copy_strided(sd->copy, ds, sd->data, ss, dims, n, x->esize);
    sd->data = sd->copy;
    for (int i = 0; i < n_b; i++) sd->batch_stride[i] = ds[i];
    sd->rest_stride = sd->k;
    sd->k_stride = 1;
    return true;
}

static int64_t batch_offset(const side *sd, int64_t index) {
    int64_t offset = 0;
    for (int i = sd->n_batch - 1; i >= 0; i--) {
        offset += index % sd->batch_dim[i] * sd->batch_stride[i];
        index /= sd->batch_dim[i];
    }
    return offset;
}

ch_status ch__do_dot(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0), y = *CH__IN(1);
    ch__cell *o = CH__OUT(0);
    const ch__attr *batch = ch__op_attr(s->op, CH__ATTR_batch), *contract = ch__op_attr(s->op, CH__ATTR_contract);
    side l, r = {0};
    CH_TRY(ch__result_new(fr, s, 0));
    bool ok = make_side(&l, &x, batch, contract, 0) && make_side(&r, &y, batch, contract, 1);
    ch_status st = CH_OK;
    if (!ok) {
        st = ch__fail_oom("dot");
    } else if (l.k != r.k || l.batch != r.batch || l.batch * l.rest * r.rest != o->numel) {
        char a[CH__SHAPE_CHARS], b[CH__SHAPE_CHARS];
        st = ch__op_fail(s, CH__E_shape_mismatch, "%s and %s — batch and contract axes have to be of equal size",
                         ch__shape_text(a, &x), ch__shape_text(b, &y));
    }
    for (int64_t i = 0; i < l.batch && st == CH_OK && o->numel > 0; i++) {
        ch__gemm g = {.acc = ch__acc_dtype(s->op, (ch_dtype)x.dtype),
                      .m = l.rest,
                      .n = r.rest,
                      .k = l.k,
                      .lhs = l.data + batch_offset(&l, i) * x.esize,
                      .rhs = r.data + batch_offset(&r, i) * y.esize,
                      .lhs_dtype = (ch_dtype)x.dtype,
                      .rhs_dtype = (ch_dtype)y.dtype,
                      .out_dtype = (ch_dtype)o->dtype,
                      .lhs_m = l.rest_stride,
                      .lhs_k = l.k_stride,
                      .rhs_k = r.k_stride,
                      .rhs_n = r.rest_stride,
                      .out = (char *)ch__data(o) + i * l.rest * r.rest * o->esize,
                      .out_m = r.rest,
                      .out_n = 1};
        if (!ch__gemm_run(&g)) st = ch__fail_oom("dot");
    }
    if (l.copy) ch__free_aligned(l.copy);
    if (r.copy) ch__free_aligned(r.copy);
    return st;
}
