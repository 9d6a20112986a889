// SPDX-License-Identifier: Apache-2.0
// vec.c - the growing part of CH_VEC and CH_PUSH.
//
// The newest block of an arena grows where it lies, so that pushing to one vec at a time wastes nothing.
#include "base/base.h"

#include <string.h>

void *ch__vec_grow(ch__arena *a, void *data, int64_t n, int64_t *cap, size_t elem) {
    int64_t bigger, bytes;
    if (!ch__mul_i64(*cap, 2, &bigger)) ch__raise_oom();
    if (bigger < 4) bigger = elem > 64 ? 2 : 4;
    if (!ch__mul_i64(bigger, (int64_t)elem, &bytes)) ch__raise_oom();
    if (!ch__arena_extend(a, data, (size_t)*cap * elem, (size_t)bytes)) {
        void *moved = ch__arena_alloc(a, (size_t)bytes);
        if (n > 0) memcpy(moved, data, (size_t)n * elem);
        data = moved;
    }
    *cap = bigger;
    return data;
}
