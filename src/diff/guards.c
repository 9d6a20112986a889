// SPDX-License-Identifier: Apache-2.0
// guards.c - strong zeros of a func that is differentiated once more.
//
// A derivative may hold guards: select(a == 0, 0, v), where v is a product with the factor a. Differentiated as a
// select like any other, a guard would be flat where a is 0, and second derivatives there 0 though the product is as
// steep as anywhere. What a guard is for is 0 times an infinity. So before a func is differentiated, its guards become
//
//     select(a == 0, select(v != v, 0, v + 0), v)
//
// which has the same bits (v + 0 is +0 where v is -0) and, wherever v is a number, the derivative of v.
#include "diff/diff.h"

enum { FACTOR_DEPTH = 6 };

// Whether v is a product (quotient, negation) with the factor a.
static bool has_factor(const ch__value *v, const ch__value *a, int depth) {
    if (v == a) return true;
    if (v->op == NULL || depth == 0) return false;
    switch (v->op->code) {
    case CH_OP_mul: return has_factor(v->op->operands[0], a, depth - 1) || has_factor(v->op->operands[1], a, depth - 1);
    case CH_OP_div:
    case CH_OP_neg: return has_factor(v->op->operands[0], a, depth - 1);
    default: return false;
    }
}

static ch__value *open_guard(ch__rewriter *r, ch__op *op) {
    if (op->code != CH_OP_select || !ch__is_float(op->results[0].type->dtype)) return NULL;
    const ch__value *p = op->operands[0];
    ch__value *v = op->operands[2];
    double zero, none;
    if (p->op == NULL || p->op->code != CH_OP_compare || ch__op_int(p->op, CH__ATTR_dir, CH__EQ) != CH__EQ) return NULL;
    if (!ch__const_splat_f64(op->operands[1], &none) || none != 0) return NULL;
    if (!ch__const_splat_f64(p->op->operands[1], &zero) || zero != 0) return NULL;
    if (v == p->op->operands[0] || !has_factor(v, p->op->operands[0], FACTOR_DEPTH)) return NULL;
    const ch__type *t = op->results[0].type;
    if (p->type->rank != t->rank) return NULL; // no guard of ours
    ch__value *sum[2] = {v, op->operands[1]};
    ch__value *inner[3] = {ch__b_compare(&r->b, CH__NE, v, v), op->operands[1],
                           &ch__build_raw(&r->b, CH_OP_add, 2, sum, 0, NULL, 1, &t, 0, NULL)->results[0]};
    ch__value *outer[3] = {op->operands[0],
                           &ch__build_raw(&r->b, CH_OP_select, 3, inner, 0, NULL, 1, &t, 0, NULL)->results[0], v};
    return &ch__build_raw(&r->b, CH_OP_select, 3, outer, 0, NULL, 1, &t, 0, NULL)->results[0];
}

void ch__open_guards(ch_func *f) {
    ch__rewriter r = {.fn = open_guard};
    ch__rewrite(&r, f);
}
