// SPDX-License-Identifier: Apache-2.0
// infer_make.c - shape rules of ops that make arrays: the result type is given and checked.
#include "ir/infer.h"

#include <string.h>

void ch__infer_typed_const(ch__infer *in) {
    const ch__type *t = in->results[0];
    const ch__array *value = ch__infer_attr(in, CH__ATTR_value)->array;
    if (value->dtype != t->dtype)
        ch__infer_bad(in, CH__E_dtype_mismatch, "the data is %s", ch_dtype_name(value->dtype));
    if (value->splat) return;
    if (value->rank != t->rank) ch__infer_bad(in, CH__E_rank, "the data has rank %d", value->rank);
    for (int i = 0; i < t->rank; i++) {
        if (!ch__dim_is_const(t->dims[i]))
            ch__infer_bad(in, CH__E_shape_mismatch,
                          "axis %d is %s: only one number for every element fits a size that is "
                          "not known",
                          i, ch__infer_dim_text(in, t->dims[i]));
        if (t->dims[i].val != value->dims[i])
            ch__infer_bad(in, CH__E_shape_mismatch, "axis %d of the data is %" PRId64, i, value->dims[i]);
    }
}

void ch__infer_typed_iota(ch__infer *in) {
    const ch__type *t = in->results[0];
    if (!ch__is_int(t->dtype) && !ch__is_float(t->dtype))
        ch__infer_bad(in, CH__E_dtype_mismatch, "makes floating, signed and unsigned dtypes");
    ch__infer_axis(in, CH__ATTR_dim, ch__infer_int(in, CH__ATTR_dim, 0), "the result", t->rank);
}

void ch__infer_dim(ch__infer *in) { ch__infer_one(in, ch__type_scalar(CH_I64)); }

void ch__infer_typed_rng_bits(ch__infer *in) {
    const ch__type *key = in->operands[0], *counter = in->operands[1];
    if (key->dtype != CH_U32 || key->rank != 1)
        ch__infer_bad(in, CH__E_dtype_mismatch, "key is u32[2], counter is u64[]");
    ch__answer r = ch__infer_eq(in, key->dims[0], ch__dim_const(2));
    if (r != CH__YES)
        ch__infer_unequal(in, r, key->dims[0], ch__dim_const(2), "key holds %s numbers, 2 are wanted",
                          ch__infer_dim_text(in, key->dims[0]));
    if (counter->dtype != CH_U64 || counter->rank != 0)
        ch__infer_bad(in, CH__E_dtype_mismatch, "key is u32[2], counter is u64[]");
    if (in->results[0]->dtype != CH_U32)
        ch__infer_bad(in, CH__E_dtype_mismatch, "the result is %s, random bits are u32",
                      ch_dtype_name(in->results[0]->dtype));
}

// ---------------------------------------------------------------- alloc
typedef struct {
    const char *name;
    bool found;
} symbol_look;

static void look_symbol(void *arg, const char *name) {
    symbol_look *s = arg;
    s->found |= strcmp(s->name, name) == 0;
}

void ch__infer_typed_alloc(ch__infer *in) {
    for (int i = 0; i < in->n_operands; i++) {
        const ch__type *t = in->operands[i];
        if (t->dtype != CH_I64 || t->rank)
            ch__infer_bad(in, CH__E_dtype_mismatch, "%s is a size: i64[] is wanted",
                          ch__infer_side_text(in, ch__side_operand(i)));
    }
    const char *const *names;
    int n = ch__alloc_symbols(in->arena, ch__infer_attr(in, CH__ATTR_symbols), &names);
    if (n != in->n_operands)
        ch__raise(CH__E_arity, "alloc: given %d size%s for %d local symbol%s — one each", in->n_operands,
                  in->n_operands == 1 ? "" : "s", n, n == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        symbol_look look = {names[i], false};
        for (int k = 0; k < in->results[0]->rank; k++) ch__dim_symbols(in->results[0]->dims[k], look_symbol, &look);
        if (!look.found)
            ch__infer_bad_attr(in, "%s is bound and does not occur in %s", names[i],
                               ch__type_text(in->arena, in->results[0]));
        if (in->func && ch__func_dim_param(in->func, names[i]))
            ch__infer_bad_attr(in, "%s is bound and is a size of @%s already", names[i], in->func->name);
        for (int k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0) ch__infer_bad_attr(in, "%s is bound twice", names[i]);
    }
}
