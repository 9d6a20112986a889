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
    ch__arena *arena;
    const ch_func *func;
    CH_VEC(const char *) names;
} symbol_scan;

static void add_local_symbol(void *arg, const char *name) {
    symbol_scan *s = arg;
    if (s->func && ch__func_dim_param((ch_func *)s->func, name)) return;
    for (int64_t i = 0; i < s->names.n; i++)
        if (strcmp(s->names.data[i], name) == 0) return;
    CH_PUSH(s->arena, &s->names, name);
}

int ch__alloc_symbols(ch__arena *a, const ch_func *f, const ch__type *t, const char *const **out_names) {
    symbol_scan s = {.arena = a, .func = f};
    for (int i = 0; i < t->rank; i++) ch__dim_symbols(t->dims[i], add_local_symbol, &s);
    if (out_names) *out_names = s.names.data;
    return (int)s.names.n;
}

// Without a func nothing says which symbols are declared, so all that is certain is "not more operands than symbols".
void ch__infer_typed_alloc(ch__infer *in) {
    for (int i = 0; i < in->n_operands; i++) {
        const ch__type *t = in->operands[i];
        if (t->dtype != CH_I64 || t->rank)
            ch__infer_bad(in, CH__E_dtype_mismatch, "%s is a size: i64[] is wanted",
                          ch__infer_side_text(in, ch__side_operand(i)));
    }
    int n = ch__alloc_symbols(in->arena, in->func, in->results[0], NULL);
    if (in->func ? n == in->n_operands : in->n_operands <= n) return;
    ch__raise(CH__E_arity, "alloc: given %d size%s for %s, which has %d local symbol%s — one each", in->n_operands,
              in->n_operands == 1 ? "" : "s", ch__type_text(in->arena, in->results[0]), n, n == 1 ? "" : "s");
}
