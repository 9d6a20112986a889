// SPDX-License-Identifier: Apache-2.0
// rules_factor.c - derivatives of cholesky (Murray, "Differentiation of the Cholesky decomposition", 2016) and of
// triangular_solve. The last two axes are the matrix, all before go along.
#include "diff/rules.h"

static ch__value *matmul(ch__vjp *c, ch__value *x, bool tx, ch__value *y, bool ty) {
    int rank = x->type->rank, n = rank - 2;
    int64_t batch[2 * CH__MAX_RANK], contract[2] = {tx ? rank - 2 : rank - 1, ty ? rank - 1 : rank - 2};
    for (int i = 0; i < n; i++) batch[i] = batch[n + i] = i;
    ch__attr attrs[4] = {ch__attr_pairs(CH__ATTR_contract, 1, contract), ch__attr_int(CH__ATTR_acc, CH_F64),
                         ch__attr_int(CH__ATTR_order, CH__ANY), ch__attr_pairs(CH__ATTR_batch, n, batch)};
    ch__value *xs[2] = {x, y};
    return ch__build(B(c), CH_OP_dot, 2, xs, n > 0 ? 4 : 3, attrs, 0, NULL, 0, NULL)->results;
}

static ch__value *flip(ch__vjp *c, ch__value *x) {
    int64_t perm[CH__MAX_RANK];
    int rank = x->type->rank;
    for (int i = 0; i < rank; i++) perm[i] = i;
    perm[rank - 2] = rank - 1;
    perm[rank - 1] = rank - 2;
    return ch__b_transpose(B(c), x, perm);
}

static ch__value *solve(ch__vjp *c, ch__value *a, ch__value *b, bool left, bool lower, bool transpose, bool unit) {
    ch__attr attrs[4] = {ch__attr_int(CH__ATTR_left, left), ch__attr_int(CH__ATTR_lower, lower),
                         ch__attr_int(CH__ATTR_transpose, transpose), ch__attr_int(CH__ATTR_unit, unit)};
    ch__value *xs[2] = {a, b};
    return ch__build(B(c), CH_OP_triangular_solve, 2, xs, 4, attrs, 0, NULL, 0, NULL)->results;
}

// x where row `dir` column holds, else 0.
static ch__value *triangle(ch__vjp *c, ch__value *x, ch__dir dir) {
    int rank = x->type->rank;
    const ch__type *t = ch__d_like(c, x->type, CH_I64);
    ch__value *row = ch__b_iota(B(c), t, rank - 2), *column = ch__b_iota(B(c), t, rank - 1);
    return d_zero_unless(c, d_compare(c, dir, row, column), x);
}

// The lower triangle with half the diagonal.
static ch__value *half_lower(ch__vjp *c, ch__value *x) {
    ch__value *below = triangle(c, x, CH__GT);
    return d_add(c, below, d_scale(c, triangle(c, x, CH__EQ), 0.5));
}

// With phi = half_lower: S = L^-T phi(L^T L_bar) L^-1, A_bar = phi(S + S^T). Only the triangle that is read gets it.
static void cholesky_vjp(ch__vjp *c) {
    bool lower = ch__op_int(c->op, CH__ATTR_lower, 1) != 0;
    ch__value *l = lower ? R(c) : flip(c, R(c)), *bar = lower ? ADJ(c) : flip(c, ADJ(c));
    ch__value *p = half_lower(c, matmul(c, l, true, triangle(c, bar, CH__GE), false));
    ch__value *s = solve(c, l, solve(c, l, p, true, true, true, false), false, true, false, false);
    ch__value *a_bar = half_lower(c, d_add(c, s, flip(c, s)));
    ch__vjp_give(c, 0, lower ? a_bar : flip(c, a_bar));
}

// op(a) x = b: b_bar = op(a)^-T x_bar, a_bar = -b_bar x^T (transposed when op does); x op(a) = b: a_bar = -x^T b_bar.
static void triangular_solve_vjp(ch__vjp *c) {
    bool left = ch__op_int(c->op, CH__ATTR_left, 1) != 0, lower = ch__op_int(c->op, CH__ATTR_lower, 1) != 0;
    bool transpose = ch__op_int(c->op, CH__ATTR_transpose, 0) != 0, unit = ch__op_int(c->op, CH__ATTR_unit, 0) != 0;
    ch__value *b_bar = solve(c, X(c, 0), ADJ(c), left, lower, !transpose, unit);
    if (ch__vjp_wants(c, 0)) {
        ch__value *x = R(c);
        ch__value *first = left != transpose ? b_bar : x, *second = left != transpose ? x : b_bar;
        ch__value *v = left ? matmul(c, first, false, second, true) : matmul(c, first, true, second, false);
        ch__dir kept = lower ? (unit ? CH__GT : CH__GE) : (unit ? CH__LT : CH__LE);
        ch__vjp_give(c, 0, d_neg(c, triangle(c, v, kept)));
    }
    if (ch__vjp_wants(c, 1)) ch__vjp_give(c, 1, b_bar);
}

// L_dot = L phi(L^-1 A_dot L^-T), A_dot being symmetric as A is: the triangle that is read stands for both.
static void cholesky_jvp(ch__vjp *c) {
    bool lower = ch__op_int(c->op, CH__ATTR_lower, 1) != 0;
    ch__value *l = lower ? R(c) : flip(c, R(c)), *t = lower ? T(c, 0) : flip(c, T(c, 0));
    ch__value *mirrored = flip(c, triangle(c, t, CH__GT)), *a = d_add(c, triangle(c, t, CH__GE), mirrored);
    ch__value *s = solve(c, l, solve(c, l, a, true, true, false, false), false, true, true, false);
    ch__value *l_dot = matmul(c, l, false, half_lower(c, s), false);
    ch__jvp_give(c, 0, lower ? l_dot : flip(c, l_dot));
}

// op(a) x = b: x_dot = op(a)^-1 (b_dot - op(a_dot) x); x op(a) = b: x_dot = (b_dot - x op(a_dot)) op(a)^-1.
static void triangular_solve_jvp(ch__vjp *c) {
    bool left = ch__op_int(c->op, CH__ATTR_left, 1) != 0, lower = ch__op_int(c->op, CH__ATTR_lower, 1) != 0;
    bool transpose = ch__op_int(c->op, CH__ATTR_transpose, 0) != 0, unit = ch__op_int(c->op, CH__ATTR_unit, 0) != 0;
    ch__value *a_dot = T(c, 0), *rest = T(c, 1);
    if (a_dot != NULL) {
        ch__dir kept = lower ? (unit ? CH__GT : CH__GE) : (unit ? CH__LT : CH__LE);
        a_dot = triangle(c, a_dot, kept);
        ch__value *v = left ? matmul(c, a_dot, transpose, R(c), false) : matmul(c, R(c), false, a_dot, transpose);
        rest = rest == NULL ? d_neg(c, v) : d_sub(c, rest, v);
    }
    ch__jvp_give(c, 0, solve(c, X(c, 0), rest, left, lower, transpose, unit));
}

CH__RULE(cholesky, cholesky_vjp, cholesky_jvp);
CH__RULE(triangular_solve, triangular_solve_vjp, triangular_solve_jvp);
