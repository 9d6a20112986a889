// SPDX-License-Identifier: Apache-2.0
// fold.c - operations on constants become constants, computed by the reference interpreter, so no bit can differ.
//
// Two cases: every operand is a small constant (the results then have at most FOLD_MAX elements), or the op is
// elementwise and every operand is one number in the shape of all: then that number is computed once, whatever the
// shape, symbolic sizes included. What the interpreter refuses (a bad index) is left for run time to report.
#include "interp/interp.h"
#include "opt/opt.h"

#include <string.h>

#define FOLD_MAX 64

static bool fold_small(const ch__type *t) {
    int64_t n = 1;
    if (t->tape) return false;
    for (int i = 0; i < t->rank; i++)
        if (!ch__dim_is_const(t->dims[i]) || !ch__mul_i64(n, t->dims[i].val, &n)) return false;
    return n <= FOLD_MAX;
}

// The data of a constant as a dense array: a splat is written out.
static const ch__array *fold_dense(ch__arena *a, const ch__array *c, const ch__type *t) {
    if (!c->splat) return c;
    int64_t n = 1, *dims = CH_NEW_ARRAY(a, int64_t, t->rank);
    for (int i = 0; i < t->rank; i++) n *= dims[i] = t->dims[i].val;
    size_t size = ch_dtype_size(t->dtype);
    char *data = ch__arena_alloc(a, (size_t)n * size);
    for (int64_t i = 0; i < n; i++) memcpy(data + (size_t)i * size, c->data, size);
    ch__array *out = CH_NEW(a, ch__array);
    *out = (ch__array){.dtype = t->dtype, .rank = t->rank, .dims = dims, .data = data};
    return out;
}

typedef struct {
    ch__arena *a;
    const ch__op *op;
    const ch__array **operands, **results;
    bool done;
} fold_job;

static void fold_run(void *arg) {
    fold_job *j = arg;
    ch__array **results = CH_NEW_ARRAY(j->a, ch__array *, j->op->n_results);
    ch__interp_op(j->a, j->op, j->operands, results);
    for (int i = 0; i < j->op->n_results; i++) j->results[i] = results[i];
    j->done = true;
}

// Runs op on operands; false when the interpreter refuses. Out of memory is raised on.
static bool fold_try(fold_job *j) {
    if (ch__protect(fold_run, j) == CH_OK) return true;
    if (ch__error_current() == CH__E_out_of_memory) ch__raise_current();
    ch_error_clear();
    return false;
}

// One number in every operand: the op on scalars, then its result in the op's shape.
static ch__value *fold_splats(ch__rewriter *r, ch__op *op) {
    if (op->n_results != 1) return NULL;
    for (int i = 0; i < op->n_operands; i++)
        if (!ch__const_of(op->operands[i])->splat && op->operands[i]->type->rank != 0) return NULL;
    ch__value result = op->results[0];
    result.type = ch__type_scalar(result.type->dtype);
    ch__op scalar = *op;
    scalar.results = &result;
    scalar.operands = CH_NEW_ARRAY(r->scratch, ch__value *, op->n_operands);
    const ch__array *out[1], **in = CH_NEW_ARRAY(r->scratch, const ch__array *, op->n_operands);
    for (int i = 0; i < op->n_operands; i++) {
        const ch__array *c = ch__const_of(op->operands[i]);
        ch__array *a = CH_NEW(r->scratch, ch__array);
        *a = (ch__array){.dtype = c->dtype, .data = c->data};
        in[i] = a;
        ch__value *v = CH_NEW(r->scratch, ch__value);
        *v = *op->operands[i];
        v->type = ch__type_scalar(c->dtype);
        scalar.operands[i] = v;
    }
    fold_job j = {r->scratch, &scalar, in, out, false};
    return fold_try(&j) ? ch__const_splat_as(&r->b, op->results[0].type, out[0]) : NULL;
}

ch__value *ch__fold_op(ch__rewriter *r, ch__op *op) {
    const ch__op_info *info = ch__op_info_of(op->code);
    if (op->code == CH_OP_dim) {
        ch__dim d = ch__op_attr(op, CH__ATTR_e)->dim;
        if (!ch__dim_is_const(d)) return NULL;
        ch__array a = {.dtype = CH_I64, .data = &d.val, .splat = true};
        return ch__const_splat_as(&r->b, op->results[0].type, &a);
    }
    if ((info->flags & (CH__REGION | CH__LEAF)) || op->n_operands == 0) return NULL;
    if (op->code == CH_OP_call || op->code == CH_OP_stop_gradient || op->code == CH_OP_barrier) return NULL;
    if (op->code == CH_OP_shard || ch__is_collective((ch__opcode)op->code)) return NULL; // what others do counts
    for (int i = 0; i < op->n_operands; i++)
        if (op->operands[i]->type->tape || ch__const_of(op->operands[i]) == NULL) return NULL;
    if (info->flags & CH__ELEMWISE) {
        ch__value *v = fold_splats(r, op);
        if (v != NULL) return v;
    }
    for (int i = 0; i < op->n_operands; i++)
        if (!fold_small(op->operands[i]->type)) return NULL;
    for (int i = 0; i < op->n_results; i++)
        if (!fold_small(op->results[i].type)) return NULL;
    const ch__array **in = CH_NEW_ARRAY(r->scratch, const ch__array *, op->n_operands);
    const ch__array **out = CH_NEW_ARRAY(r->scratch, const ch__array *, op->n_results);
    for (int i = 0; i < op->n_operands; i++)
        in[i] = fold_dense(r->scratch, ch__const_of(op->operands[i]), op->operands[i]->type);
    fold_job j = {r->scratch, op, in, out, false};
    if (!fold_try(&j)) return NULL;
    for (int i = 0; i < op->n_results; i++) {
        ch__attr value = ch__attr_array(CH__ATTR_value, out[i]);
        const ch__type *t = op->results[i].type;
        ch__op *c = ch__build_raw(&r->b, CH_OP_const, 0, NULL, 1, &value, 1, &t, 0, NULL);
        if (op->n_results == 1) return &c->results[0];
        ch__rewrite_to(r, &op->results[i], &c->results[0]);
    }
    ch__rewrite_drop(r);
    return NULL;
}

int64_t ch__fold(ch_func *f) {
    ch__rewriter r = {.fn = ch__fold_op};
    return ch__rewrite(&r, f);
}
