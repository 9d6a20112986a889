// SPDX-License-Identifier: Apache-2.0
// hlo/emit_data.c - constants as dense<...>, exact to the bit.
//
// A float is its shortest decimal, with a point or an exponent as MLIR wants it, when reading that through a double
// gives the bits again; NaN, infinities, subnormals and whatever else are hex digits of the bits. More than 64
// elements are the bytes in memory order, but for i1, whose bytes have meant two things in the history of MLIR: always
// a list.
#include "hlo/emit.h"

#include <math.h>
#include <string.h>

enum { CH__EMIT_LIST = 64 };

static uint64_t hlo_emit_load(const void *p, size_t size) {
    uint64_t v = 0;
    memcpy(&v, p, size);
    return v;
}

static double hlo_emit_least_normal(ch_dtype d) {
    return d == CH_F64 ? 0x1p-1022 : d == CH_F32 || d == CH_BF16 ? 0x1p-126 : d == CH_F8E4M3 ? 0x1p-6 : 0x1p-14;
}

static void hlo_emit_float(ch__text *t, ch_dtype d, uint64_t bits) {
    double v = ch__float_value(d, bits), again = 0;
    char text[CH__NUM_CHARS];
    int n = d == CH_F64 ? ch__format_f64(text, v) : ch__format_f32(text, (float)v);
    bool plain = isfinite(v) && (v == 0 || fabs(v) >= hlo_emit_least_normal(d));
    if (plain) plain = ch__parse_f64(text, text + n, &again) == text + n && ch__element_bits(d, again) == bits;
    if (!plain) {
        ch__put(t, "0x");
        for (int i = 2 * (int)ch_dtype_size(d) - 1; i >= 0; i--) ch__putc(t, "0123456789ABCDEF"[bits >> 4 * i & 15]);
        return;
    }
    const char *e = memchr(text, 'e', (size_t)n);
    bool point = memchr(text, '.', (size_t)n) != NULL;
    if (point) {
        ch__putn(t, text, (size_t)n);
    } else { // 1 and 1e-05 want a point: 1.0, 1.0e-05
        size_t head = e ? (size_t)(e - text) : (size_t)n;
        ch__putn(t, text, head);
        ch__put(t, ".0");
        ch__putn(t, text + head, (size_t)n - head);
    }
}

static void hlo_emit_element(ch__text *t, ch_dtype d, const void *p) {
    size_t size = ch_dtype_size(d);
    uint64_t bits = hlo_emit_load(p, size);
    if (d == CH_BOOL) {
        ch__put(t, bits ? "true" : "false");
    } else if (ch__is_signed(d)) {
        int shift = 64 - 8 * (int)size;
        ch__put_i64(t, (int64_t)(bits << shift) >> shift);
    } else if (ch__is_int(d)) {
        ch__put_u64(t, bits);
    } else {
        hlo_emit_float(t, d, bits);
    }
}

static void hlo_emit_list(ch__text *t, const ch__array *a, int64_t n) {
    size_t size = ch_dtype_size(a->dtype);
    for (int64_t i = 0; i < n; i++) {
        int64_t whole = 1;
        int open = 0;
        for (int d = a->rank - 1; d >= 0; d--) { // how many lists begin here
            whole *= a->dims[d];
            if (i % whole == 0) open++;
        }
        if (i) ch__put(t, ", ");
        for (int k = 0; k < open; k++) ch__putc(t, '[');
        hlo_emit_element(t, a->dtype, (const char *)a->data + (size_t)i * size);
        whole = 1;
        for (int d = a->rank - 1; d >= 0; d--) {
            whole *= a->dims[d];
            if ((i + 1) % whole == 0) ch__putc(t, ']');
        }
    }
}

void ch__emit_data(ch__text *t, const ch__array *a, const ch__type *type) {
    int64_t n = 1;
    for (int i = 0; i < type->rank; i++) n *= type->dims[i].val;
    ch__put(t, "dense<");
    if (n == 0) {
        // nothing stands there
    } else if (a->splat || type->rank == 0) {
        hlo_emit_element(t, a->dtype, a->data);
    } else if (n <= CH__EMIT_LIST || a->dtype == CH_BOOL) {
        hlo_emit_list(t, a, n);
    } else {
        ch__put(t, "\"0x");
        const uint8_t *data = a->data;
        size_t bytes = (size_t)n * ch_dtype_size(a->dtype);
        for (size_t i = 0; i < bytes; i++) {
            char two[2] = {"0123456789ABCDEF"[data[i] >> 4], "0123456789ABCDEF"[data[i] & 15]};
            ch__putn(t, two, 2);
        }
        ch__putc(t, '"');
    }
    ch__put(t, "> : ");
    ch__emit_type(t, type);
}

ch__emit_ref ch__emit_const(ch__emit *e, const ch__array *a, const ch__type *type) {
    ch__emit_ref out;
    ch__emit_results(e, 1, &type, &out);
    ch__put(e->t, e->generic ? "\"stablehlo.constant\"() {value = " : "stablehlo.constant ");
    ch__emit_data(e->t, a, type);
    if (e->generic) {
        ch__put(e->t, "} : () -> ");
        ch__emit_type(e->t, type);
    }
    ch__putc(e->t, '\n');
    return out;
}

ch__emit_ref ch__emit_scalar(ch__emit *e, ch_dtype d, uint64_t bits) {
    return ch__emit_const(e, &(ch__array){.dtype = d, .data = &bits, .splat = true}, ch__type_scalar(d));
}

ch__emit_ref ch__emit_i64(ch__emit *e, int64_t v) { return ch__emit_scalar(e, CH_I64, (uint64_t)v); }
