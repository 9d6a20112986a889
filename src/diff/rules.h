// SPDX-License-Identifier: Apache-2.0
// rules.h - the words rules are written with, so that a rule reads like its equation. For rules_*.c only.
// C leaves the order of arguments open: of the arguments of a call at most one builds, so that every compiler's library
// writes the same derivative.
#ifndef CHAAC_DIFF_RULES_H
#define CHAAC_DIFF_RULES_H

#include <assert.h>
#include <math.h>
#include <string.h>

#include "diff/diff.h"

#define CH__RULE(op, back, along) const ch__rule ch__rule_##op = {.reverse = (back), .forward = (along)}
#define CH__RULE_BUT(op, back, along, mask)                                                                            \
    const ch__rule ch__rule_##op = {.reverse = (back), .forward = (along), .blocks = (mask)}
// Elementwise: the reverse rule is the forward rule (ch__jvp_diagonal).
#define CH__RULE_DIAGONAL(op, fn) CH__RULE(op, fn, ch__jvp_diagonal)
#define CH__NOTHING_FLOWS UINT32_MAX

static inline ch__value *X(ch__vjp *c, int i) { return ch__vjp_operand(c, i); }
static inline ch__value *R(ch__vjp *c) { return ch__vjp_result(c, 0); }
static inline ch__value *ADJ(ch__vjp *c) { return ch__vjp_adjoint(c, 0); }
static inline ch__value *T(ch__vjp *c, int i) { return ch__jvp_tangent(c, i); }
static inline ch__builder *B(ch__vjp *c) { return &c->s->b; }

// Elementwise ops: the result has the first operand's type, so the shape rule need not be asked.
static inline ch__value *d_op(ch__vjp *c, ch__opcode code, int n, ch__value *const *xs, const ch__type *t) {
    return &ch__build_raw(B(c), code, n, xs, 0, NULL, 1, &t, 0, NULL)->results[0];
}
static inline ch__value *d_unary(ch__vjp *c, ch__opcode code, ch__value *x) { return d_op(c, code, 1, &x, x->type); }
static inline ch__value *d_binary(ch__vjp *c, ch__opcode code, ch__value *x, ch__value *y) {
    ch__value *xs[2] = {x, y};
    return d_op(c, code, 2, xs, x->type);
}
static inline ch__value *d_add(ch__vjp *c, ch__value *x, ch__value *y) { return d_binary(c, CH_OP_add, x, y); }
static inline ch__value *d_sub(ch__vjp *c, ch__value *x, ch__value *y) { return d_binary(c, CH_OP_sub, x, y); }
static inline ch__value *d_mul(ch__vjp *c, ch__value *x, ch__value *y) { return d_binary(c, CH_OP_mul, x, y); }
static inline ch__value *d_div(ch__vjp *c, ch__value *x, ch__value *y) { return d_binary(c, CH_OP_div, x, y); }
static inline ch__value *d_neg(ch__vjp *c, ch__value *x) { return d_unary(c, CH_OP_neg, x); }
static inline ch__value *d_num(ch__vjp *c, ch__value *like, double v) { return ch__b_splat_like(B(c), like, v); }
static inline ch__value *d_scale(ch__vjp *c, ch__value *x, double v) { return d_mul(c, x, d_num(c, x, v)); }
static inline ch__value *d_compare(ch__vjp *c, ch__dir dir, ch__value *x, ch__value *y) {
    return ch__b_compare(B(c), dir, x, y);
}
static inline ch__value *d_select(ch__vjp *c, ch__value *p, ch__value *yes, ch__value *no) {
    ch__value *xs[3] = {p, yes, no};
    return d_op(c, CH_OP_select, 3, xs, yes->type);
}
static inline ch__value *d_zero_unless(ch__vjp *c, ch__value *p, ch__value *v) {
    return d_select(c, p, v, d_num(c, v, 0.0));
}

// ---- rules_libm.c
bool ch__libm_flows(const ch__op *op, int i, int j); // a cmath op: from operand i to result j
const char *ch__libm_missing(const ch__op *op);      // why it has no derivative, or NULL

// ---- forward_control.c: forward rules of branches, loops, calls and tapes
void ch__if_jvp(ch__vjp *c);
void ch__for_jvp(ch__vjp *c);
void ch__while_jvp(ch__vjp *c);
void ch__call_jvp(ch__vjp *c);
void ch__tape_new_jvp(ch__vjp *c);
void ch__push_jvp(ch__vjp *c);
void ch__pop_jvp(ch__vjp *c);

// ---- rules_shape.c, rules_indexed.c, rules_window.c
// The adjoint of pad(x, lo, hi, interior) in x.
ch__value *ch__d_unpad(ch__vjp *c, ch__value *adj, const ch__dim *lo, const ch__dim *hi, const int64_t *interior);
// x[.., index[..], ..] along axis dim; index has x's shape but along dim.
ch__value *ch__d_take_along(ch__vjp *c, ch__value *x, ch__value *index, int dim);
// x with updates added at index along axis dim.
ch__value *ch__d_add_along(ch__vjp *c, ch__value *x, ch__value *index, ch__value *updates, int dim);
// What slides over the input of a window op, given its adjoint: padded so that a window of span (w-1) d + 1 with stride
// b has one place for each of the n input elements, where lo was the padding and s the stride.
ch__value *ch__d_pad_places(ch__vjp *c, ch__value *adj, int first, int n_axes, const ch__dim *sizes,
                            const ch__dim *window, const int64_t *lo, const int64_t *strides, const int64_t *base,
                            const int64_t *dilation);

// ---- rules_reduce.c
// The adjoint of x, or the tangent of the result r, of reduce by prod, min or max over dims (one axis at least); tie is
// that of the op. r is not read for prod.
ch__value *ch__d_reduce_back(ch__vjp *c, ch__kind kind, ch__value *x, ch__value *r, ch__value *adj,
                             const ch__attr *dims);
ch__value *ch__d_reduce_along(ch__vjp *c, ch__kind kind, ch__value *x, ch__value *r, ch__value *tangent,
                              const ch__attr *dims);

// ---- rule.c: shared pieces
// A type of x's shape with another dtype.
const ch__type *ch__d_like(ch__vjp *c, const ch__type *t, ch_dtype d);
// Sums over `n` axes, which vanish.
ch__value *ch__d_sum(ch__vjp *c, ch__value *x, int n, const int64_t *dims);
// Zeros of a type.
ch__value *ch__d_zeros(ch__vjp *c, const ch__type *t);
// x padded on both sides so that its axes get the sizes `want`: lo as given (may be negative), hi what is left.
ch__value *ch__d_pad_to(ch__vjp *c, ch__value *x, const ch__dim *lo, const int64_t *interior, const ch__dim *want);
// The adjoint of slice(x of type t, start, limit, stride), given that of the result.
ch__value *ch__d_unslice(ch__vjp *c, ch__value *adj, const ch__type *t, const ch__dim *start, const int64_t *stride);
// A reduced value over axes `dims` of type t, spread over them again.
ch__value *ch__d_spread(ch__vjp *c, ch__value *v, const ch__type *t, int n, const int64_t *dims);
// An attribute's list or, when it is absent, n times `absent`.
const int64_t *ch__d_ints(ch__vjp *c, const ch__op *op, ch__attr_id id, int n, int64_t absent);

#endif
