// SPDX-License-Identifier: Apache-2.0
// rules_order.c - derivatives of sort and top_k: the adjoint goes back to where each element came from.
#include "diff/rules.h"

// The operands sorted once more with their positions beside give the permutation; sorting by it undoes the sort.
static void sort_vjp(ch__vjp *c) {
    ch__arena *a = c->s->scratch;
    int n = c->op->n_operands, n_back = 0, dim = (int)ch__op_int(c->op, CH__ATTR_dim, 0);
    ch__value **xs = CH_NEW_ARRAY(a, ch__value *, n + 1), **back = CH_NEW_ARRAY(a, ch__value *, n + 1);
    int *which = CH_NEW_ARRAY(a, int, n + 1);
    for (int i = 0; i < n; i++) xs[i] = X(c, i);
    xs[n] = ch__b_iota(B(c), ch__d_like(c, xs[0]->type, CH_I64), dim);
    back[n_back++] =
        &ch__build(B(c), CH_OP_sort, n + 1, xs, c->op->n_attrs, c->op->attrs, 0, NULL, 0, NULL)->results[n];
    for (int i = 0; i < n; i++) {
        if (!ch__vjp_wants(c, i) || ch__vjp_adjoint(c, i) == NULL) continue;
        which[n_back] = i;
        back[n_back++] = ch__vjp_adjoint(c, i);
    }
    ch__attr by = ch__attr_int(CH__ATTR_dim, dim);
    ch__op *op = ch__build(B(c), CH_OP_sort, n_back, back, 1, &by, 0, NULL, 0, NULL);
    for (int k = 1; k < n_back; k++) ch__vjp_give(c, which[k], &op->results[k]);
}

static void top_k_vjp(ch__vjp *c) {
    const ch__type *t = ch__vjp_type(c, 0);
    c->masked = true;
    ch__vjp_give(c, 0, ch__d_add_along(c, ch__d_zeros(c, t), ch__vjp_result(c, 1), ADJ(c), t->rank - 1));
}

// Tangents are carried along by one more sort of the same keys.
static void sort_jvp(ch__vjp *c) {
    int n = c->op->n_operands, n_all = n;
    ch__value **xs = CH_NEW_ARRAY(c->s->scratch, ch__value *, 2 * n);
    int *which = CH_NEW_ARRAY(c->s->scratch, int, 2 * n);
    for (int i = 0; i < n; i++) {
        xs[i] = X(c, i);
        if (!ch__jvp_wants(c, i) || T(c, i) == NULL) continue;
        which[n_all] = i;
        xs[n_all++] = T(c, i);
    }
    if (n_all == n) return;
    ch__op *op = ch__build(B(c), CH_OP_sort, n_all, xs, c->op->n_attrs, c->op->attrs, 0, NULL, 0, NULL);
    for (int k = n; k < n_all; k++) ch__jvp_give(c, which[k], &op->results[k]);
}

static void top_k_jvp(ch__vjp *c) {
    ch__jvp_give(c, 0, ch__d_take_along(c, T(c, 0), ch__vjp_result(c, 1), ch__vjp_type(c, 0)->rank - 1));
}

const ch__rule ch__rule_sort = {.reverse = sort_vjp, .forward = sort_jvp, .pairwise = true};
CH__RULE(top_k, top_k_vjp, top_k_jvp);
