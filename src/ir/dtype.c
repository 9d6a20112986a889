// SPDX-License-Identifier: Apache-2.0
// dtype.c - element types: names, bytes, classes, from the rows of dtypes.def; numbers as the bits of one element.
#include "ir/ir.h"

#include <math.h>
#include <string.h>

const uint8_t ch__dtype_bytes[CH__DTYPE_COUNT] = {
#define DTYPE(E, name, bytes, cls, ctype) [CH_##E] = bytes,
#include "ir/dtypes.def"
#undef DTYPE
};

static const struct dtype_row {
    const char *name;
    char cls;
} dtype_rows[CH__DTYPE_COUNT] = {
#define DTYPE(E, name, bytes, cls, ctype) [CH_##E] = {name, cls},
#include "ir/dtypes.def"
#undef DTYPE
};

static const struct dtype_row *dtype_row(ch_dtype d) {
    int i = (int)d;
    return i > 0 && i < CH__DTYPE_COUNT ? &dtype_rows[i] : NULL;
}

const char *ch_dtype_name(ch_dtype d) {
    const struct dtype_row *r = dtype_row(d);
    return r ? r->name : "?";
}

int ch_dtype_from_name(const char *name) {
    for (int i = 1; name && i < CH__DTYPE_COUNT; i++)
        if (strcmp(dtype_rows[i].name, name) == 0) return i;
    return 0;
}

size_t ch_dtype_size(ch_dtype d) { return ch__dtype_size(d); }

char ch__dtype_class(ch_dtype d) {
    const struct dtype_row *r = dtype_row(d);
    return r ? r->cls : 0;
}

ch_dtype ch__int_dtype(size_t bytes, bool is_signed) {
    switch (bytes) {
    case 1: return is_signed ? CH_I8 : CH_U8;
    case 2: return is_signed ? CH_I16 : CH_U16;
    case 4: return is_signed ? CH_I32 : CH_U32;
    default: return is_signed ? CH_I64 : CH_U64;
    }
}

// ---------------------------------------------------------------- one element as bits

static uint64_t dtype_int_bits(ch_dtype d, double v) {
    int bits = 8 * (int)ch_dtype_size(d);
    bool is_signed = ch__is_signed(d);
    double lo = is_signed ? -ldexp(1, bits - 1) : 0, end = ldexp(1, is_signed ? bits - 1 : bits); // one past the last
    uint64_t ones = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (isnan(v)) return 0;
    if (v <= lo) return is_signed ? ones ^ ones >> 1 : 0;
    if (v >= end) return is_signed ? ones >> 1 : ones;
    return (v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v) & ones;
}

static uint64_t dtype_f32_bits(float v) {
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return u;
}

uint64_t ch__element_bits(ch_dtype d, double v) {
    uint64_t bits;
    switch (d) {
    case CH_BOOL: return v != 0;
    case CH_F64: memcpy(&bits, &v, sizeof bits); return bits;
    case CH_F32: return dtype_f32_bits((float)v);
    case CH_F16: return ch__f64_to_f16(v);
    case CH_BF16: return ch__f64_to_bf16(v);
    case CH_F8E4M3: return ch__f32_to_f8e4m3((float)v);
    case CH_F8E5M2: return ch__f32_to_f8e5m2((float)v);
    default: return dtype_int_bits(d, v);
    }
}

double ch__float_value(ch_dtype d, uint64_t bits) {
    double v;
    float f;
    uint32_t u = (uint32_t)bits;
    switch (d) {
    case CH_F64: memcpy(&v, &bits, sizeof v); return v;
    case CH_F32: memcpy(&f, &u, sizeof f); return (double)f;
    case CH_F16: return (double)ch__f16_to_f32((uint16_t)bits);
    case CH_BF16: return (double)ch__bf16_to_f32((uint16_t)bits);
    case CH_F8E4M3: return (double)ch__f8e4m3_to_f32((uint8_t)bits);
    default: return (double)ch__f8e5m2_to_f32((uint8_t)bits);
    }
}

const char *ch__parse_float_bits(ch_dtype d, const char *s, const char *end, uint64_t *out) {
    double v = 0;
    float f = 0;
    const char *stop = d == CH_F32 ? ch__parse_f32(s, end, &f) : ch__parse_f64(s, end, &v);
    *out = d == CH_F32 ? dtype_f32_bits(f) : ch__element_bits(d, v);
    return stop;
}
