// SPDX-License-Identifier: Apache-2.0
// dtype.c - element types: names, bytes, classes, from the rows of dtypes.def.
#include "ir/ir.h"

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
