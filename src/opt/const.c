// SPDX-License-Identifier: Apache-2.0
// const.c - constants seen as numbers.
#include "opt/opt.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const ch__array *ch__const_of(const ch__value *v) {
    if (v->op == NULL || v->op->code != CH_OP_const) return NULL;
    const ch__attr *a = ch__op_attr(v->op, CH__ATTR_value);
    assert(a != NULL);
    return a->array;
}

double ch__elem_f64(ch_dtype d, const void *p) {
    switch (d) {
    case CH_BOOL: return *(const uint8_t *)p != 0;
    case CH_I8: return *(const int8_t *)p;
    case CH_U8: return *(const uint8_t *)p;
    case CH_I16: return *(const int16_t *)p;
    case CH_U16: return *(const uint16_t *)p;
    case CH_I32: return *(const int32_t *)p;
    case CH_U32: return *(const uint32_t *)p;
    case CH_I64: return (double)*(const int64_t *)p;
    case CH_U64: return (double)*(const uint64_t *)p;
    case CH_F16: return ch__f16_to_f32(*(const uint16_t *)p);
    case CH_BF16: return ch__bf16_to_f32(*(const uint16_t *)p);
    case CH_F32: return *(const float *)p;
    case CH_F64: return *(const double *)p;
    case CH_F8E4M3: return ch__f8e4m3_to_f32(*(const uint8_t *)p);
    case CH_F8E5M2: return ch__f8e5m2_to_f32(*(const uint8_t *)p);
    default: return NAN;
    }
}

bool ch__const_splat_f64(const ch__value *v, double *out) {
    const ch__array *a = ch__const_of(v);
    if (a == NULL || (!a->splat && v->type->rank != 0)) return false;
    *out = ch__elem_f64(a->dtype, a->data);
    return true;
}

bool ch__const_is_splat(const ch__value *v, double x) {
    double got;
    if (!ch__const_splat_f64(v, &got) || got != x) return false;
    return !ch__is_float(v->type->dtype) || signbit(got) == signbit(x);
}

ch__value *ch__const_splat_as(ch__builder *b, const ch__type *t, const ch__array *splat) {
    assert(splat->dtype == t->dtype);
    ch__array one = {.dtype = splat->dtype, .data = splat->data, .splat = true};
    ch__attr value = ch__attr_array(CH__ATTR_value, &one);
    return &ch__build_raw(b, CH_OP_const, 0, NULL, 1, &value, 1, &t, 0, NULL)->results[0];
}
