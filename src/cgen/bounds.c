// SPDX-License-Identifier: Apache-2.0
// bounds.c - how large the elements of a value can be, as far as the operations say that made it.
//
// e^x needs limits and a power of two of its own for large x only. Where x is a number times a tanh, or was limited by
// the program, it is known to be small, and a polynomial is enough: 8 multiply-adds a vector instead of 19
// instructions. A bound is of f32 elements that are numbers; NaN stays NaN in what uses it.
#include "cgen/emit.h"

#include <math.h>

enum { DEEPEST_BOUND = 6 }; // operations that are asked; two operands each

// The number that every element of v is.
bool ch__cg_known_number(const ch__value *v, ch_dtype d, double *out) {
    const ch__op *c = v->op;
    while (c && (c->code == CH_OP_broadcast || c->code == CH_OP_reshape)) c = c->operands[0]->op;
    if (!c || c->code != CH_OP_const || v->type->dtype != d) return false;
    const ch__array *a = ch__op_attr(c, CH__ATTR_value)->array;
    if (!a->splat && a->rank > 0) return false;
    *out = d == CH_F32 ? (double)*(const float *)a->data : *(const double *)a->data;
    return !isnan(*out);
}

static double bound_within(const ch__value *v, int depth) {
    double c;
    const ch__op *op = v->op;
    if (v->type->dtype != CH_F32 || !op || depth == 0) return INFINITY;
    if (ch__cg_known_number(v, CH_F32, &c)) return fabs(c);
    double b[3] = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < op->n_operands && i < 3; i++) b[i] = bound_within(op->operands[i], depth - 1);
    switch (op->code) {
    case CH_OP_tanh:
    case CH_OP_sigmoid:
    case CH_OP_erf:
    case CH_OP_sin:
    case CH_OP_cos: return 1;
    case CH_OP_neg:
    case CH_OP_abs:
    case CH_OP_broadcast:
    case CH_OP_reshape:
    case CH_OP_transpose:
    case CH_OP_slice:
    case CH_OP_reverse: return b[0];
    case CH_OP_add:
    case CH_OP_sub: return b[0] + b[1];
    case CH_OP_mul: return b[0] == 0 || b[1] == 0 ? INFINITY : b[0] * b[1]; // 0 times infinity is NaN: ask no more
    case CH_OP_select: return b[1] > b[2] ? b[1] : b[2];
    case CH_OP_clamp: return b[0] > b[2] ? b[0] : b[2];
    default: return INFINITY;
    }
}

double ch__cg_bound(const ch__value *v) { return bound_within(v, DEEPEST_BOUND); }
