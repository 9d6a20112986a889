// SPDX-License-Identifier: Apache-2.0
// near.h - results of one engine beside another's: elements as numbers, and the first that is further off than it may.
#ifndef CHAAC_TESTS_NEAR_H
#define CHAAC_TESTS_NEAR_H

#include <math.h>
#include <stdint.h>

#include "ir/ir.h"

static inline double near_item(ch_dtype d, const void *data, int64_t i) {
    switch (d) {
    case CH_F64: return ((const double *)data)[i];
    case CH_F32: return (double)((const float *)data)[i];
    case CH_F16: return (double)ch__f16_to_f32(((const uint16_t *)data)[i]);
    case CH_BF16: return (double)ch__bf16_to_f32(((const uint16_t *)data)[i]);
    case CH_I32: return ((const int32_t *)data)[i];
    default: return 0;
    }
}

// The first of n elements that differs by more than limit times the largest finite one expected (1 at least), or -1.
// NaN is as good as another NaN.
static inline int64_t near_differs(ch_dtype d, int64_t n, const void *expected, const void *got, double limit) {
    double size = 1;
    for (int64_t i = 0; i < n; i++) {
        double x = fabs(near_item(d, expected, i));
        if (isfinite(x) && x > size) size = x;
    }
    for (int64_t i = 0; i < n; i++) {
        double x = near_item(d, expected, i), y = near_item(d, got, i);
        if (!((isnan(x) && isnan(y)) || x == y || fabs(x - y) <= limit * size)) return i;
    }
    return -1;
}

// What input i of f is where every size is n, its memory left out; how many elements it has.
static inline int64_t near_input(const ch_func *f, int i, int64_t n, ch__slot *out) {
    const ch__type *t = f->body->params[i]->type;
    int64_t count = 1;
    out->dtype = t->dtype;
    out->rank = t->rank;
    for (int k = 0; k < t->rank; k++) count *= out->dims[k] = ch__dim_is_const(t->dims[k]) ? t->dims[k].val : n;
    return count;
}

#endif
