// SPDX-License-Identifier: Apache-2.0
// widen.c - every f16, bf16 and f32 becomes f64, for a more exact reference.
//
// Types change in place, constants are converted (exactly), accumulators become f64. A bitcast to or from a narrow
// float has no meaning in another width and is refused by name. Storage dtypes (f8) stay: they are rounded to on
// purpose.
#include "opt/opt.h"

#include <string.h>

typedef struct {
    ch_func *func;
    ch__map types;
    int64_t changes;
    ch__arena *scratch;
} widen_state;

static bool widen_narrow(ch_dtype d) { return d == CH_F16 || d == CH_BF16 || d == CH_F32; }

static void widen_value(widen_state *s, ch__value *v) {
    if (!widen_narrow(v->type->dtype)) return;
    uint64_t key = (uint64_t)(uintptr_t)v->type;
    const ch__type *wide = ch__map_get(&s->types, key);
    if (wide == NULL) {
        wide = ch__type_with_dtype(s->func->module->arena, v->type, CH_F64);
        ch__map_put(&s->types, key, (void *)(uintptr_t)wide);
    }
    v->type = wide;
    s->changes++;
}

static void widen_const(widen_state *s, ch__attr *a, int64_t n) {
    const ch__array *old = a->array;
    ch__arena *m = s->func->module->arena;
    ch__array *wide = CH_NEW(m, ch__array);
    *wide = *old;
    wide->dtype = CH_F64;
    double *data = CH_NEW_ARRAY(m, double, n);
    size_t size = ch_dtype_size(old->dtype);
    for (int64_t i = 0; i < n; i++) data[i] = ch__elem_f64(old->dtype, (const char *)old->data + (size_t)i * size);
    wide->data = data;
    a->array = wide;
}

static void widen_check(void *arg, ch__op *op) {
    widen_state *s = arg;
    if (op->code == CH_OP_bitcast &&
        (widen_narrow(op->operands[0]->type->dtype) || widen_narrow(op->results[0].type->dtype)))
        ch__raise(CH__E_unsupported, "widen: bitcast in @%s between %s and %s — its bits have no f64 form",
                  s->func->name, ch_dtype_name(op->operands[0]->type->dtype),
                  ch_dtype_name(op->results[0].type->dtype));
}

static void widen_op(void *arg, ch__op *op) {
    widen_state *s = arg;
    for (int i = 0; i < op->n_attrs; i++) {
        ch__attr *a = &op->attrs[i];
        if (a->id == CH__ATTR_acc && widen_narrow((ch_dtype)a->i)) a->i = CH_F64;
        if (a->id == CH__ATTR_value && widen_narrow(a->array->dtype)) {
            int64_t n = 1;
            if (!a->array->splat) ch__numel(a->array->rank, a->array->dims, &n);
            widen_const(s, a, n);
        }
    }
    for (int i = 0; i < op->n_results; i++) widen_value(s, &op->results[i]);
    for (int i = 0; i < op->n_regions; i++)
        for (int j = 0; j < op->regions[i]->n_params; j++) widen_value(s, op->regions[i]->params[j]);
}

int64_t ch__widen(ch_func *f) {
    widen_state s = {.func = f, .scratch = ch__arena_create()};
    ch__map_init(&s.types, s.scratch);
    ch__walk(f->body, widen_check, &s); // before any type has changed
    for (int i = 0; i < f->body->n_params; i++) widen_value(&s, f->body->params[i]);
    ch__walk(f->body, widen_op, &s);
    ch__arena_destroy(s.scratch);
    return s.changes;
}
