// SPDX-License-Identifier: Apache-2.0
// libm.c - the rows of libm.def: what `cmath {fn}` may name.
#include "ir/ir.h"

#include <string.h>

static const ch__libm_row libm_rows[] = {
#define LIBM(name, form, derivative) {#name, #form, derivative},
#include "ir/libm.def"
#undef LIBM
};

const ch__libm_row *ch__libm_at(int i) {
    return i >= 0 && i < (int)(sizeof libm_rows / sizeof libm_rows[0]) ? &libm_rows[i] : NULL;
}

const ch__libm_row *ch__libm_find(const char *name) {
    const ch__libm_row *r;
    for (int i = 0; (r = ch__libm_at(i)); i++)
        if (strcmp(r->name, name) == 0) return r;
    return NULL;
}
