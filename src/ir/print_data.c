// SPDX-License-Identifier: Apache-2.0
// print_data.c - the data of constants as text, bit for bit.
//
// Floats are the shortest decimal that reads back to the same bits in their own dtype (f16, bf16 and f8 through f32,
// which holds them exactly). NaN is `nan` or `-nan` when it is the quiet one, else its bits. More than 64 elements are
// hex"...", the bytes in memory order, 64 a line.
#include "ir/print_data.h"

#include <math.h>
#include <string.h>

enum { CH__DATA_LIST = 64, CH__DATA_LINE = 64 };

static uint64_t pdata_load(const void *element, size_t size) {
    const uint8_t *b = element;
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++) v |= (uint64_t)b[i] << 8 * i;
    return v;
}

static void pdata_hex(ch__text *t, uint64_t v, int digits) {
    ch__put(t, "0x");
    for (int i = digits - 1; i >= 0; i--) ch__putc(t, "0123456789abcdef"[v >> 4 * i & 15]);
}

static void pdata_nan(ch__text *t, uint64_t bits, size_t size, uint64_t quiet) {
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    if ((bits & ~sign) == quiet) {
        ch__put(t, bits & sign ? "-nan" : "nan");
    } else {
        pdata_hex(t, bits, (int)(2 * size));
    }
}

// A dtype narrower than f32, its value in f.
static void pdata_small(ch__text *t, float f, uint64_t bits, size_t size, uint64_t quiet) {
    if (isnan(f)) {
        pdata_nan(t, bits, size, quiet);
    } else {
        ch__put_f32(t, f);
    }
}

void ch__print_element(ch__text *t, ch_dtype d, const void *element) {
    size_t size = ch_dtype_size(d);
    uint64_t bits = pdata_load(element, size);
    switch (d) {
    case CH_BOOL: ch__put(t, bits ? "true" : "false"); return;
    case CH_I8: ch__put_i64(t, (int8_t)bits); return;
    case CH_I16: ch__put_i64(t, (int16_t)bits); return;
    case CH_I32: ch__put_i64(t, (int32_t)bits); return;
    case CH_I64: ch__put_i64(t, (int64_t)bits); return;
    case CH_U8:
    case CH_U16:
    case CH_U32:
    case CH_U64: ch__put_u64(t, bits); return;
    case CH_F64: {
        double v;
        memcpy(&v, &bits, sizeof v);
        if (isnan(v)) {
            pdata_nan(t, bits, size, UINT64_C(0x7ff8000000000000));
        } else {
            ch__put_f64(t, v);
        }
        return;
    }
    case CH_F32: {
        uint32_t u = (uint32_t)bits;
        float v;
        memcpy(&v, &u, sizeof v);
        pdata_small(t, v, bits, size, 0x7fc00000);
        return;
    }
    case CH_F16: pdata_small(t, ch__f16_to_f32((uint16_t)bits), bits, size, 0x7e00); return;
    case CH_BF16: pdata_small(t, ch__bf16_to_f32((uint16_t)bits), bits, size, 0x7fc0); return;
    case CH_F8E4M3: pdata_small(t, ch__f8e4m3_to_f32((uint8_t)bits), bits, size, 0x7f); return;
    case CH_F8E5M2: pdata_small(t, ch__f8e5m2_to_f32((uint8_t)bits), bits, size, 0x7e); return;
    default: ch__put(t, "?"); // reserved dtypes have no elements
    }
}

static void pdata_bytes(ch__text *t, const uint8_t *data, size_t bytes) {
    ch__put(t, "hex\"");
    for (size_t i = 0; i < bytes; i++) {
        if (bytes > CH__DATA_LINE && i % CH__DATA_LINE == 0) ch__put(t, "\n    ");
        char two[2] = {"0123456789abcdef"[data[i] >> 4], "0123456789abcdef"[data[i] & 15]};
        ch__putn(t, two, 2);
    }
    ch__putc(t, '"');
}

void ch__print_data(ch__text *t, const ch__array *a, bool brief) {
    size_t size = ch_dtype_size(a->dtype);
    const uint8_t *data = a->data;
    if (a->splat || a->rank == 0) {
        ch__print_element(t, a->dtype, data);
        return;
    }
    int64_t n = 0;
    if (!ch__numel(a->rank, a->dims, &n)) n = 0; // such an array cannot exist
    if (brief && n > 8) {
        ch__put(t, "[...]");
    } else if (n > CH__DATA_LIST) {
        pdata_bytes(t, data, (size_t)n * size);
    } else {
        ch__putc(t, '[');
        for (int64_t i = 0; i < n; i++) {
            if (i) ch__put(t, ", ");
            ch__print_element(t, a->dtype, data + (size_t)i * size);
        }
        ch__putc(t, ']');
    }
}
