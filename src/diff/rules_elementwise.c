// SPDX-License-Identifier: Apache-2.0
// rules_elementwise.c - derivatives of elementwise ops. Above each rule: d result / d operand, times the adjoint.
//
// Functions that are finite at a point where their derivative is infinite (sqrt, cbrt, asin, acos, acosh, pow) are
// guarded always, so that an adjoint of exactly 0 stays 0 there; the others only where a mask upstream makes zeros.
#include "diff/rules.h"

#define SQRT_LIKE(c) ((c)->guards = true)

static ch__value *one_minus_square(ch__vjp *c, ch__value *x) {
    ch__value *one = d_num(c, x, 1.0);
    ch__value *minus = d_sub(c, one, x); // (1 - x)(1 + x) keeps digits near 1
    return d_mul(c, minus, d_add(c, one, x));
}
static ch__value *one_plus_square(ch__vjp *c, ch__value *x) {
    ch__value *one = d_num(c, x, 1.0);
    return d_add(c, one, d_mul(c, x, x));
}
// adj / d, guarded.
static void over(ch__vjp *c, int i, ch__value *d) {
    ch__value *adj = ADJ(c);
    ch__vjp_give(c, i, ch__vjp_guard(c, adj, d_div(c, adj, d)));
}

// ---------------------------------------------------------------- one operand
static void neg_vjp(ch__vjp *c) { ch__vjp_give(c, 0, d_neg(c, ADJ(c))); }
// sign(x), 0 at 0
static void abs_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_unary(c, CH_OP_sign, X(c, 0))); }
static void flat_vjp(ch__vjp *c) {
    (void)c;
    assert(!"nothing flows through a step function");
}
static ch__value *reciprocal(ch__vjp *c, ch__value *d) { return d_div(c, d_num(c, d, 1.0), d); }
// 1 / (2r); of numbers as half of 1 / r, which a quotient by r has too
static void sqrt_vjp(ch__vjp *c) {
    SQRT_LIKE(c);
    if (ch__vjp_type(c, 0)->rank > 0) {
        over(c, 0, d_add(c, R(c), R(c)));
        return;
    }
    ch__value *adj = ADJ(c), *half = d_scale(c, reciprocal(c, R(c)), 0.5);
    ch__vjp_give(c, 0, ch__vjp_guard(c, adj, d_mul(c, adj, half)));
}
// -r / (2x)
static void rsqrt_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_scale(c, d_div(c, R(c), X(c, 0)), -0.5)); }
// 1 / (3 r^2)
static void cbrt_vjp(ch__vjp *c) {
    SQRT_LIKE(c);
    over(c, 0, d_scale(c, d_mul(c, R(c), R(c)), 3.0));
}
static void exp_vjp(ch__vjp *c) { ch__vjp_times(c, 0, R(c)); }
// r ln 2
static void exp2_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_scale(c, R(c), 0.69314718055994530942)); }
// r + 1
static void expm1_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_add(c, R(c), d_num(c, R(c), 1.0))); }
static void log_vjp(ch__vjp *c) { over(c, 0, X(c, 0)); }
// 1 / (x ln 2)
static void log2_vjp(ch__vjp *c) { over(c, 0, d_scale(c, X(c, 0), 0.69314718055994530942)); }
static void log1p_vjp(ch__vjp *c) { over(c, 0, d_add(c, X(c, 0), d_num(c, X(c, 0), 1.0))); }
static void sin_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_unary(c, CH_OP_cos, X(c, 0))); }
static void cos_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_neg(c, d_unary(c, CH_OP_sin, X(c, 0)))); }
// 1 + r^2
static void tan_vjp(ch__vjp *c) { ch__vjp_times(c, 0, one_plus_square(c, R(c))); }
// 1 / sqrt(1 - x^2)
static void asin_vjp(ch__vjp *c) {
    SQRT_LIKE(c);
    over(c, 0, d_unary(c, CH_OP_sqrt, one_minus_square(c, X(c, 0))));
}
static void acos_vjp(ch__vjp *c) {
    SQRT_LIKE(c);
    over(c, 0, d_neg(c, d_unary(c, CH_OP_sqrt, one_minus_square(c, X(c, 0)))));
}
// 1 / (1 + x^2)
static void atan_vjp(ch__vjp *c) { over(c, 0, one_plus_square(c, X(c, 0))); }
static void sinh_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_unary(c, CH_OP_cosh, X(c, 0))); }
static void cosh_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_unary(c, CH_OP_sinh, X(c, 0))); }
// 1 - r^2
static void tanh_vjp(ch__vjp *c) { ch__vjp_times(c, 0, one_minus_square(c, R(c))); }
// 1 / sqrt(x^2 + 1), without overflow
static void asinh_vjp(ch__vjp *c) { over(c, 0, d_binary(c, CH_OP_hypot, X(c, 0), d_num(c, X(c, 0), 1.0))); }
// 1 / sqrt((x - 1)(x + 1))
static void acosh_vjp(ch__vjp *c) {
    SQRT_LIKE(c);
    ch__value *x = X(c, 0), *one = d_num(c, x, 1.0);
    ch__value *minus = d_unary(c, CH_OP_sqrt, d_sub(c, x, one)), *plus = d_unary(c, CH_OP_sqrt, d_add(c, x, one));
    over(c, 0, d_mul(c, minus, plus));
}
// 1 / (1 - x^2)
static void atanh_vjp(ch__vjp *c) { over(c, 0, one_minus_square(c, X(c, 0))); }
// r (1 - r)
static void sigmoid_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_mul(c, R(c), d_sub(c, d_num(c, R(c), 1.0), R(c)))); }
// 2/sqrt(pi) e^(-x^2)
static ch__value *bell(ch__vjp *c, double scale) {
    ch__value *x = X(c, 0);
    return d_scale(c, d_unary(c, CH_OP_exp, d_neg(c, d_mul(c, x, x))), scale);
}
static void erf_vjp(ch__vjp *c) { ch__vjp_times(c, 0, bell(c, 1.12837916709551257390)); }
static void erfc_vjp(ch__vjp *c) { ch__vjp_times(c, 0, bell(c, -1.12837916709551257390)); }
static void lgamma_vjp(ch__vjp *c) { ch__vjp_times(c, 0, d_unary(c, CH_OP_digamma, X(c, 0))); }
static ch__value *polygamma(ch__vjp *c, int64_t n) {
    ch__value *x = X(c, 0);
    ch__attr order = ch__attr_int(CH__ATTR_n, n);
    return &ch__build_raw(B(c), CH_OP_polygamma, 1, &x, 1, &order, 1, &x->type, 0, NULL)->results[0];
}
static void digamma_vjp(ch__vjp *c) { ch__vjp_times(c, 0, polygamma(c, 1)); }
static void polygamma_vjp(ch__vjp *c) { ch__vjp_times(c, 0, polygamma(c, ch__op_int(c->op, CH__ATTR_n, 0) + 1)); }

// ---------------------------------------------------------------- more operands
static void add_vjp(ch__vjp *c) {
    for (int i = 0; i < 2; i++)
        if (ch__vjp_wants(c, i)) ch__vjp_give(c, i, ADJ(c));
}
static void sub_vjp(ch__vjp *c) {
    if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, ADJ(c));
    if (ch__vjp_wants(c, 1)) ch__vjp_give(c, 1, d_neg(c, ADJ(c)));
}
// v + v, where that undoes a half a few factors down (that of a root, guarded or not); NULL: it does not.
static ch__value *without_half(ch__vjp *c, ch__value *v, int factors) {
    const ch__op *op = v->op;
    double half;
    if (op == NULL || v->type->rank > 0 || factors == 0) return NULL;
    if (op->code == CH_OP_select && ch__const_is_splat(op->operands[1], 0.0)) {
        ch__value *whole = without_half(c, op->operands[2], factors - 1);
        return whole != NULL ? d_select(c, op->operands[0], op->operands[1], whole) : NULL;
    }
    if (op->code != CH_OP_mul) return NULL;
    if (ch__const_splat_f64(op->operands[1], &half) && half == 0.5) return op->operands[0];
    ch__value *whole = without_half(c, op->operands[1], factors - 1);
    return whole != NULL ? d_mul(c, op->operands[0], whole) : NULL;
}

// Of a square both at once: x (adj + adj) is one product where adj is half of something.
static void mul_vjp(ch__vjp *c) {
    ch__value *adj = ADJ(c), *whole = NULL;
    if (c->key->operands[0] == c->key->operands[1] && c->along == NULL) whole = without_half(c, adj, 4);
    if (whole != NULL) {
        ch__vjp_give(c, 0, ch__vjp_guard(c, adj, d_mul(c, whole, X(c, 0))));
        return;
    }
    for (int i = 0; i < 2; i++)
        if (ch__vjp_wants(c, i)) ch__vjp_times(c, i, X(c, 1 - i));
}
// Not the result of a loop, a branch or a call.
static bool at_hand(const ch__value *v) {
    return v->op == NULL || (v->op->n_regions == 0 && v->op->code != CH_OP_call);
}

// 1 / rhs, -r / rhs. Of numbers with one division for all: r = lhs (1 / rhs) is not kept, nor computed again.
static void div_vjp(ch__vjp *c) {
    ch__value *adj = ADJ(c), *r = NULL, *q;
    if (ch__vjp_wants(c, 1) && ch__vjp_type(c, 1)->rank == 0) {
        ch__value *inverse = reciprocal(c, X(c, 1));
        q = d_mul(c, adj, inverse);
        if (at_hand(X(c, 0))) r = d_mul(c, X(c, 0), inverse);
    } else {
        q = d_div(c, adj, X(c, 1));
    }
    if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, ch__vjp_guard(c, adj, q));
    if (!ch__vjp_wants(c, 1)) return;
    if (r == NULL) r = R(c);
    ch__vjp_give(c, 1, ch__vjp_guard(c, adj, d_neg(c, d_mul(c, q, r))));
}
// 1, -trunc(lhs / rhs)
static void rem_vjp(ch__vjp *c) {
    if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, ADJ(c));
    if (ch__vjp_wants(c, 1)) ch__vjp_times(c, 1, d_neg(c, d_unary(c, CH_OP_trunc, d_div(c, X(c, 0), X(c, 1)))));
}
// rhs lhs^(rhs - 1), 0 where rhs is 0
static void pow_vjp_lhs(ch__vjp *c) {
    ch__value *x = X(c, 0), *y = X(c, 1);
    double k;
    if (ch__const_splat_f64(y, &k)) {
        if (k == 0) return;
        ch__value *rest = k == 1 ? d_num(c, x, 1.0) : k == 2 ? x : d_binary(c, CH_OP_pow, x, d_num(c, x, k - 1));
        ch__vjp_times(c, 0, d_mul(c, y, rest));
        return;
    }
    ch__value *d = d_mul(c, y, d_binary(c, CH_OP_pow, x, d_sub(c, y, d_num(c, y, 1.0))));
    ch__value *to_nothing = d_compare(c, CH__EQ, y, d_num(c, y, 0.0));
    ch__vjp_times(c, 0, d_select(c, to_nothing, d_num(c, d, 0.0), d));
}
// r log(lhs), 0 where lhs is 0 and rhs > 0
static void pow_vjp_rhs(ch__vjp *c) {
    ch__value *x = X(c, 0), *y = X(c, 1), *d = d_mul(c, R(c), d_unary(c, CH_OP_log, x));
    ch__value *is_0 = d_compare(c, CH__EQ, x, d_num(c, x, 0.0)), *up = d_compare(c, CH__GT, y, d_num(c, y, 0.0));
    ch__value *at_zero = d_binary(c, CH_OP_and, is_0, up);
    ch__vjp_times(c, 1, d_select(c, at_zero, d_num(c, d, 0.0), d));
}
static void pow_vjp(ch__vjp *c) {
    SQRT_LIKE(c);
    if (ch__vjp_wants(c, 0)) pow_vjp_lhs(c);
    if (ch__vjp_wants(c, 1)) pow_vjp_rhs(c);
}
// y = lhs, x = rhs, h = hypot: (x/h)/h, -(y/h)/h, 0 at (0, 0)
static void atan2_vjp(ch__vjp *c) {
    ch__value *h = d_binary(c, CH_OP_hypot, X(c, 0), X(c, 1));
    ch__value *origin = d_compare(c, CH__EQ, h, d_num(c, h, 0.0));
    for (int i = 0; i < 2; i++) {
        if (!ch__vjp_wants(c, i)) continue;
        ch__value *d = d_div(c, d_div(c, X(c, 1 - i), h), h);
        if (i == 1) d = d_neg(c, d);
        ch__vjp_times(c, i, d_select(c, origin, d_num(c, d, 0.0), d));
    }
}
// lhs / r, rhs / r, 0 at (0, 0)
static void hypot_vjp(ch__vjp *c) {
    ch__value *origin = d_compare(c, CH__EQ, R(c), d_num(c, R(c), 0.0));
    for (int i = 0; i < 2; i++) {
        if (!ch__vjp_wants(c, i)) continue;
        ch__value *d = d_div(c, X(c, i), R(c));
        ch__vjp_times(c, i, d_select(c, origin, d_num(c, d, 0.0), d));
    }
}
// sign(lhs) and rhs agree: 1, else -1; 0 at lhs = 0 as abs
static void copysign_vjp(ch__vjp *c) {
    ch__value *s = d_binary(c, CH_OP_copysign, d_num(c, X(c, 1), 1.0), X(c, 1));
    ch__vjp_times(c, 0, d_mul(c, d_unary(c, CH_OP_sign, X(c, 0)), s));
}
static void fma_vjp(ch__vjp *c) {
    for (int i = 0; i < 2; i++)
        if (ch__vjp_wants(c, i)) ch__vjp_times(c, i, X(c, 1 - i));
    if (ch__vjp_wants(c, 2)) ch__vjp_give(c, 2, ADJ(c));
}

// ---------------------------------------------------------------- choose
// The one taken gets the adjoint. Equal operands: half each (split), lhs (first), both (all).
static void min_max(ch__vjp *c, ch__dir wins) {
    ch__value *adj = ADJ(c), *x = X(c, 0), *y = X(c, 1), *zero = d_num(c, adj, 0.0);
    int64_t tie = ch__op_int(c->op, CH__ATTR_tie, CH__SPLIT);
    ch__dir draws = wins == CH__LT ? CH__LE : CH__GE;
    c->masked = true;
    for (int i = 0; i < 2; i++) {
        if (!ch__vjp_wants(c, i)) continue;
        ch__value *a = i == 0 ? x : y, *b = i == 0 ? y : x, *v;
        if (tie == CH__ALL || (tie == CH__FIRST && i == 0)) {
            v = d_select(c, d_compare(c, draws, a, b), adj, zero);
        } else if (tie == CH__FIRST) {
            v = d_select(c, d_compare(c, wins, a, b), adj, zero);
        } else {
            ch__value *equal = d_compare(c, CH__EQ, a, b), *shared = d_select(c, equal, d_scale(c, adj, 0.5), zero);
            v = d_select(c, d_compare(c, wins, a, b), adj, shared);
        }
        ch__vjp_give(c, i, v);
    }
}
static void min_vjp(ch__vjp *c) { min_max(c, CH__LT); }
static void max_vjp(ch__vjp *c) { min_max(c, CH__GT); }

static void select_vjp(ch__vjp *c) {
    ch__value *adj = ADJ(c), *zero = d_num(c, adj, 0.0);
    c->masked = true;
    if (ch__vjp_wants(c, 1)) ch__vjp_give(c, 1, d_select(c, X(c, 0), adj, zero));
    if (ch__vjp_wants(c, 2)) ch__vjp_give(c, 2, d_select(c, X(c, 0), zero, adj));
}

// x: 1 inside and at the bounds. hi where max(x, lo) > hi, else lo where x < lo.
static void clamp_vjp(ch__vjp *c) {
    ch__value *adj = ADJ(c), *zero = d_num(c, adj, 0.0), *x = X(c, 1), *bound[2];
    c->masked = true;
    for (int i = 0; i < 2; i++) {
        bound[i] = X(c, 2 * i);
        if (bound[i]->type->rank < x->type->rank) bound[i] = ch__b_broadcast_to(B(c), bound[i], x->type);
    }
    ch__value *below = d_compare(c, CH__LT, x, bound[0]), *above = d_compare(c, CH__GT, x, bound[1]);
    ch__value *crossed = d_compare(c, CH__GT, bound[0], bound[1]);
    above = d_binary(c, CH_OP_or, above, d_binary(c, CH_OP_and, below, crossed));
    if (ch__vjp_wants(c, 1)) ch__vjp_give(c, 1, d_select(c, d_binary(c, CH_OP_or, below, above), zero, adj));
    for (int i = 0; i < 2; i++) {
        if (!ch__vjp_wants(c, 2 * i)) continue;
        ch__value *v = i == 0 ? d_select(c, above, zero, d_zero_unless(c, below, adj)) : d_zero_unless(c, above, adj);
        int64_t all[CH__MAX_RANK];
        for (int k = 0; k < x->type->rank; k++) all[k] = k;
        if (ch__vjp_type(c, 2 * i)->rank < x->type->rank) v = ch__d_sum(c, v, x->type->rank, all);
        ch__vjp_give(c, 2 * i, v);
    }
}

static void convert_vjp(ch__vjp *c) { ch__vjp_give(c, 0, ADJ(c)); } // summing converts

// ---------------------------------------------------------------- forwards, where fewer ops do than one term an
// operand
static void sub_jvp(ch__vjp *c) {
    ch__value *x = T(c, 0), *y = T(c, 1);
    ch__jvp_give(c, 0, y == NULL ? x : x == NULL ? d_neg(c, y) : d_sub(c, x, y));
}
// (lhs_dot - r rhs_dot) / rhs
static void div_jvp(ch__vjp *c) {
    ch__value *x = T(c, 0), *y = T(c, 1), *moved = y == NULL ? NULL : d_mul(c, R(c), y);
    ch__jvp_give(c, 0, d_div(c, y == NULL ? x : x == NULL ? d_neg(c, moved) : d_sub(c, x, moved), X(c, 1)));
}
static void select_jvp(ch__vjp *c) {
    ch__value *yes = ch__jvp_tangent_full(c, 1), *no = ch__jvp_tangent_full(c, 2);
    ch__jvp_give(c, 0, d_select(c, X(c, 0), yes, no));
}
static ch__value *like_x(ch__vjp *c, ch__value *v) {
    const ch__type *t = ch__vjp_type(c, 1);
    return v->type->rank < t->rank ? ch__b_broadcast_to(B(c), v, t) : v;
}
static void clamp_jvp(ch__vjp *c) {
    ch__value *lo = like_x(c, X(c, 0)), *x = X(c, 1), *hi = like_x(c, X(c, 2)), *t[3];
    for (int i = 0; i < 3; i++) t[i] = T(c, i) == NULL ? d_num(c, x, 0.0) : like_x(c, T(c, i));
    ch__value *below = d_compare(c, CH__LT, x, lo), *above = d_compare(c, CH__GT, x, hi);
    ch__value *crossed = d_compare(c, CH__GT, lo, hi);
    above = d_binary(c, CH_OP_or, above, d_binary(c, CH_OP_and, below, crossed));
    ch__jvp_give(c, 0, d_select(c, above, t[2], d_select(c, below, t[0], t[1])));
}
static void convert_jvp(ch__vjp *c) { ch__jvp_give(c, 0, ch__jvp_tangent_raw(c, 0)); } // giving converts

// clang-format off
CH__RULE_DIAGONAL(neg, neg_vjp);
CH__RULE_DIAGONAL(abs, abs_vjp);
CH__RULE_BUT(sign,       flat_vjp, flat_vjp, CH__NOTHING_FLOWS);
CH__RULE_BUT(floor,      flat_vjp, flat_vjp, CH__NOTHING_FLOWS);
CH__RULE_BUT(ceil,       flat_vjp, flat_vjp, CH__NOTHING_FLOWS);
CH__RULE_BUT(round_even, flat_vjp, flat_vjp, CH__NOTHING_FLOWS);
CH__RULE_BUT(round_away, flat_vjp, flat_vjp, CH__NOTHING_FLOWS);
CH__RULE_BUT(trunc,      flat_vjp, flat_vjp, CH__NOTHING_FLOWS);
CH__RULE_DIAGONAL(sqrt, sqrt_vjp);
CH__RULE_DIAGONAL(rsqrt, rsqrt_vjp);
CH__RULE_DIAGONAL(cbrt, cbrt_vjp);
CH__RULE_DIAGONAL(exp, exp_vjp);
CH__RULE_DIAGONAL(exp2, exp2_vjp);
CH__RULE_DIAGONAL(expm1, expm1_vjp);
CH__RULE_DIAGONAL(log, log_vjp);
CH__RULE_DIAGONAL(log2, log2_vjp);
CH__RULE_DIAGONAL(log1p, log1p_vjp);
CH__RULE_DIAGONAL(sin, sin_vjp);
CH__RULE_DIAGONAL(cos, cos_vjp);
CH__RULE_DIAGONAL(tan, tan_vjp);
CH__RULE_DIAGONAL(asin, asin_vjp);
CH__RULE_DIAGONAL(acos, acos_vjp);
CH__RULE_DIAGONAL(atan, atan_vjp);
CH__RULE_DIAGONAL(sinh, sinh_vjp);
CH__RULE_DIAGONAL(cosh, cosh_vjp);
CH__RULE_DIAGONAL(tanh, tanh_vjp);
CH__RULE_DIAGONAL(asinh, asinh_vjp);
CH__RULE_DIAGONAL(acosh, acosh_vjp);
CH__RULE_DIAGONAL(atanh, atanh_vjp);
CH__RULE_DIAGONAL(sigmoid, sigmoid_vjp);
CH__RULE_DIAGONAL(erf, erf_vjp);
CH__RULE_DIAGONAL(erfc, erfc_vjp);
CH__RULE_DIAGONAL(lgamma, lgamma_vjp);
CH__RULE_DIAGONAL(digamma, digamma_vjp);
CH__RULE_DIAGONAL(polygamma, polygamma_vjp);
CH__RULE_DIAGONAL(add, add_vjp);
CH__RULE(sub, sub_vjp, sub_jvp);
CH__RULE_DIAGONAL(mul, mul_vjp);
CH__RULE(div, div_vjp, div_jvp);
CH__RULE_DIAGONAL(rem, rem_vjp);
CH__RULE_DIAGONAL(pow, pow_vjp);
CH__RULE_DIAGONAL(atan2, atan2_vjp);
CH__RULE_DIAGONAL(min, min_vjp);
CH__RULE_DIAGONAL(max, max_vjp);
CH__RULE_BUT(copysign, copysign_vjp, ch__jvp_diagonal, 2);
CH__RULE_DIAGONAL(hypot, hypot_vjp);
CH__RULE_DIAGONAL(fma, fma_vjp);
CH__RULE_BUT(select, select_vjp, select_jvp, 1);
CH__RULE(clamp, clamp_vjp, clamp_jvp);
CH__RULE(convert, convert_vjp, convert_jvp);
