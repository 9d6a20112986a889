// SPDX-License-Identifier: Apache-2.0
// rules_window.c - derivatives of reduce_window and select_and_scatter.
//
// With stride s, padding lo, dilation b of the input and d of the window: y_i = op over k of x~[i s + k d], where x~ is
// x dilated by b and padded. So for sums x_bar~[j] = sum of y_bar_i over i s + k d = j: y_bar dilated by s, padded by
// (w-1) d - lo, summed under the same window with stride b.
// The others write the window out: for each of its places k the elements x~[i s + k d], i = 0, 1, ..., are a strided
// slice.
#include "diff/rules.h"

#define WINDOW_MAX 4096 // places that are written out

typedef struct {
    int rank;
    const int64_t *window, *strides, *lo, *hi, *base, *dilation;
} window_shape;

static window_shape window_of(ch__vjp *c) {
    const ch__op *op = c->op;
    int n = op->operands[0]->type->rank;
    return (window_shape){n,
                          ch__op_attr(op, CH__ATTR_window)->ints,
                          ch__d_ints(c, op, CH__ATTR_strides, n, 1),
                          ch__d_ints(c, op, CH__ATTR_pad_lo, n, 0),
                          ch__d_ints(c, op, CH__ATTR_pad_hi, n, 0),
                          ch__d_ints(c, op, CH__ATTR_lhs_dilation, n, 1),
                          ch__d_ints(c, op, CH__ATTR_rhs_dilation, n, 1)};
}

static ch__dim dilated(ch__arena *a, ch__dim n, int64_t d) {
    ch__dim one = ch__dim_const(1);
    if (d == 1) return n;
    ch__dim span = ch__dim_add(a, ch__dim_mul(a, ch__dim_sub(a, n, one), ch__dim_const(d)), one);
    return ch__dim_max(a, span, ch__dim_const(0));
}

ch__value *ch__d_pad_places(ch__vjp *c, ch__value *adj, int first, int n_axes, const ch__dim *sizes,
                            const ch__dim *window, const int64_t *lo, const int64_t *strides, const int64_t *base,
                            const int64_t *dilation) {
    ch__arena *a = ch__builder_arena(B(c));
    ch__dim before[CH__MAX_RANK], want[CH__MAX_RANK];
    int64_t interior[CH__MAX_RANK];
    for (int i = 0; i < adj->type->rank; i++) {
        before[i] = ch__dim_const(0);
        want[i] = adj->type->dims[i];
        interior[i] = 0;
    }
    for (int k = 0; k < n_axes; k++) {
        ch__dim reach = ch__dim_mul(a, ch__dim_sub(a, window[k], ch__dim_const(1)), ch__dim_const(dilation[k]));
        before[first + k] = ch__dim_sub(a, reach, ch__dim_const(lo[k]));
        interior[first + k] = strides[k] - 1;
        want[first + k] = ch__dim_add(a, dilated(a, sizes[k], base[k]), reach);
    }
    return ch__d_pad_to(c, adj, before, interior, want);
}

static void window_sum_vjp(ch__vjp *c, const window_shape *w) {
    const ch__type *t = ch__vjp_type(c, 0);
    ch__dim window[CH__MAX_RANK];
    for (int i = 0; i < w->rank; i++) window[i] = ch__dim_const(w->window[i]);
    ch__value *z = ch__d_pad_places(c, ADJ(c), 0, w->rank, t->dims, window, w->lo, w->strides, w->base, w->dilation);
    ch__attr attrs[6] = {ch__attr_int(CH__ATTR_kind, CH__SUM), ch__attr_ints(CH__ATTR_window, w->rank, w->window),
                         ch__attr_ints(CH__ATTR_strides, w->rank, w->base),
                         ch__attr_ints(CH__ATTR_rhs_dilation, w->rank, w->dilation)};
    int n = 4;
    const ch__attr *acc = ch__op_attr(c->op, CH__ATTR_acc), *order = ch__op_attr(c->op, CH__ATTR_order);
    if (acc != NULL) attrs[n++] = *acc;
    if (order != NULL) attrs[n++] = *order;
    ch__vjp_give(c, 0, ch__build(B(c), CH_OP_reduce_window, 1, &z, n, attrs, 0, NULL, 0, NULL)->results);
}

// ---------------------------------------------------------------- windows written out
typedef struct {
    window_shape w;
    int64_t n; // places
    ch__dim lo[CH__MAX_RANK], hi[CH__MAX_RANK];
    int64_t interior[CH__MAX_RANK];
    const ch__type *padded;
    const ch__dim *places; // sizes of the result
} places;

static ch__value *pad_input(ch__vjp *c, const places *p, ch__value *x, double fill) {
    return ch__b_pad(B(c), x, ch__b_splat(B(c), ch__type_scalar(x->type->dtype), fill), p->lo, p->hi, p->interior);
}

static ch__value *places_of(ch__vjp *c, places *p, ch__value *x, double fill, const ch__dim *result) {
    ch__arena *a = ch__builder_arena(B(c));
    memset(p, 0, sizeof *p);
    p->w = window_of(c);
    p->n = 1;
    p->places = result;
    // Place k is a slice from k d on, to k d + places s: past the last element by up to s - 1, and past all of them
    // when there may be no places. So much is padded behind.
    for (int i = 0; i < p->w.rank; i++) {
        if (!ch__mul_i64(p->n, p->w.window[i], &p->n) || p->n > WINDOW_MAX)
            ch__raise(CH__E_unsupported,
                      "gradient: %s over a window of more than %d elements — its derivative writes out the places of "
                      "the window",
                      ch__op_name(c->op->code), WINDOW_MAX);
        p->lo[i] = ch__dim_const(p->w.lo[i]);
        p->interior[i] = p->w.base[i] - 1;
        p->hi[i] = ch__dim_add(a, ch__dim_const(p->w.hi[i]), ch__dim_const(p->w.strides[i] - 1));
        if (ch__dim_is_const(result[i])) continue;
        ch__dim reach = ch__dim_mul(a, ch__dim_const(p->w.window[i] - 1), ch__dim_const(p->w.dilation[i]));
        p->hi[i] = ch__dim_add(a, p->hi[i], reach);
    }
    ch__value *padded = pad_input(c, p, x, fill);
    p->padded = padded->type;
    return padded;
}

static void place_start(const places *p, int64_t k, ch__dim *start) {
    for (int i = p->w.rank; i-- > 0; k /= p->w.window[i])
        start[i] = ch__dim_const(k % p->w.window[i] * p->w.dilation[i]);
}

static ch__value *at_place(ch__vjp *c, const places *p, ch__value *padded, int64_t k) {
    ch__arena *a = ch__builder_arena(B(c));
    ch__dim start[CH__MAX_RANK], limit[CH__MAX_RANK];
    place_start(p, k, start);
    for (int i = 0; i < p->w.rank; i++) {
        ch__dim span = ch__dim_mul(a, p->places[i], ch__dim_const(p->w.strides[i]));
        limit[i] = ch__dim_add(a, start[i], span);
    }
    return ch__b_slice(B(c), padded, start, limit, p->w.strides);
}

static ch__value *back_to_place(ch__vjp *c, const places *p, ch__value *sum, ch__value *v, int64_t k) {
    ch__dim start[CH__MAX_RANK];
    place_start(p, k, start);
    ch__value *spread = ch__d_unslice(c, v, p->padded, start, p->w.strides);
    return sum == NULL ? spread : d_add(c, sum, spread);
}

static bool no_places(const places *p) {
    for (int i = 0; i < p->w.rank; i++)
        if (ch__dim_is_const(p->places[i]) && p->places[i].val == 0) return true;
    return p->n == 0;
}

static void window_min_max_vjp(ch__vjp *c, ch__kind kind) {
    places p;
    int64_t tie = ch__op_int(c->op, CH__ATTR_tie, CH__SPLIT);
    ch__value *adj = ADJ(c), *r = R(c), *taken = NULL, *count = NULL, *sum = NULL;
    ch__value *padded = places_of(c, &p, X(c, 0), kind == CH__MAX ? -INFINITY : INFINITY, r->type->dims);
    if (no_places(&p)) return;
    ch__value **won = CH_NEW_ARRAY(c->s->scratch, ch__value *, p.n);
    for (int64_t k = 0; k < p.n; k++) {
        won[k] = d_compare(c, CH__EQ, at_place(c, &p, padded, k), r);
        if (tie == CH__SPLIT) {
            ch__value *one = ch__b_convert(B(c), won[k], adj->type->dtype);
            count = count == NULL ? one : d_add(c, count, one);
        } else if (tie == CH__FIRST) {
            ch__value *now = won[k];
            if (taken != NULL) won[k] = d_binary(c, CH_OP_and, now, d_unary(c, CH_OP_not, taken));
            taken = taken == NULL ? now : d_binary(c, CH_OP_or, taken, now);
        }
    }
    if (count != NULL) adj = d_div(c, adj, count);
    for (int64_t k = 0; k < p.n; k++) sum = back_to_place(c, &p, sum, d_zero_unless(c, won[k], adj), k);
    c->masked = true;
    ch__vjp_give(c, 0, ch__d_unpad(c, sum, p.lo, p.hi, p.interior));
}

// The product of the others at each place: from the left times from the right.
static void window_prod_vjp(ch__vjp *c) {
    places p;
    ch__value *adj = ADJ(c), *padded = places_of(c, &p, X(c, 0), 1.0, c->op->results[0].type->dims), *sum = NULL;
    if (no_places(&p)) return;
    ch__value **x = CH_NEW_ARRAY(c->s->scratch, ch__value *, p.n),
              **right = CH_NEW_ARRAY(c->s->scratch, ch__value *, p.n);
    for (int64_t k = 0; k < p.n; k++) x[k] = at_place(c, &p, padded, k);
    right[p.n - 1] = d_num(c, adj, 1.0);
    for (int64_t k = p.n - 1; k > 0; k--) right[k - 1] = d_mul(c, right[k], x[k]);
    ch__value *left = d_num(c, adj, 1.0);
    for (int64_t k = 0; k < p.n; k++) {
        sum = back_to_place(c, &p, sum, d_mul(c, adj, d_mul(c, left, right[k])), k);
        left = d_mul(c, left, x[k]);
    }
    ch__vjp_give(c, 0, ch__d_unpad(c, sum, p.lo, p.hi, p.interior));
}

static bool all_one(const int64_t *v, int n) {
    for (int i = 0; i < n; i++)
        if (v[i] != 1) return false;
    return true;
}

static void reduce_window_vjp(ch__vjp *c) {
    window_shape w = window_of(c);
    ch__kind kind = (ch__kind)ch__op_int(c->op, CH__ATTR_kind, CH__SUM);
    if (kind == CH__SUM) {
        window_sum_vjp(c, &w);
    } else if (kind == CH__PROD) {
        window_prod_vjp(c);
    } else if (ch__op_int(c->op, CH__ATTR_tie, CH__SPLIT) == CH__FIRST && all_one(w.base, w.rank) &&
               all_one(w.dilation, w.rank)) {
        ch__attr attrs[5] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_ints(CH__ATTR_window, w.rank, w.window),
                             ch__attr_ints(CH__ATTR_strides, w.rank, w.strides),
                             ch__attr_ints(CH__ATTR_pad_lo, w.rank, w.lo),
                             ch__attr_ints(CH__ATTR_pad_hi, w.rank, w.hi)};
        ch__value *xs[2] = {X(c, 0), ADJ(c)};
        c->masked = true;
        ch__vjp_give(c, 0, ch__build(B(c), CH_OP_select_and_scatter, 2, xs, 5, attrs, 0, NULL, 0, NULL)->results);
    } else {
        window_min_max_vjp(c, kind);
    }
}

// source_bar: the adjoint at the position that won each window, the first of equals; NaN wins.
static void select_and_scatter_vjp(ch__vjp *c) {
    places p;
    ch__kind kind = (ch__kind)ch__op_int(c->op, CH__ATTR_kind, CH__MAX);
    ch__dir beats = kind == CH__MAX ? CH__GT : CH__LT;
    ch__value *x = places_of(c, &p, X(c, 0), kind == CH__MAX ? -INFINITY : INFINITY, ch__vjp_type(c, 1)->dims);
    if (no_places(&p)) return;
    ch__value *adj = pad_input(c, &p, ADJ(c), 0.0), *best = at_place(c, &p, x, 0), *found = at_place(c, &p, adj, 0);
    for (int64_t k = 1; k < p.n; k++) {
        ch__value *here = at_place(c, &p, x, k);
        ch__value *first_nan = d_compare(c, CH__NE, here, here);
        first_nan = d_binary(c, CH_OP_and, first_nan, d_compare(c, CH__EQ, best, best));
        ch__value *wins = d_binary(c, CH_OP_or, d_compare(c, beats, here, best), first_nan);
        best = d_select(c, wins, here, best);
        found = d_select(c, wins, at_place(c, &p, adj, k), found);
    }
    c->masked = true;
    ch__vjp_give(c, 1, found);
}

// ---------------------------------------------------------------- forwards
static void window_prod_jvp(ch__vjp *c) {
    places p;
    ch__value *x = places_of(c, &p, X(c, 0), 1.0, c->op->results[0].type->dims);
    if (no_places(&p)) return;
    ch__value *t = pad_input(c, &p, T(c, 0), 0.0), *product = at_place(c, &p, x, 0), *sum = at_place(c, &p, t, 0);
    for (int64_t k = 1; k < p.n; k++) {
        ch__value *here = at_place(c, &p, x, k);
        sum = d_mul(c, sum, here);
        sum = d_add(c, sum, d_mul(c, product, at_place(c, &p, t, k)));
        if (k + 1 < p.n) product = d_mul(c, product, here);
    }
    ch__jvp_give(c, 0, sum);
}

static void window_min_max_jvp(ch__vjp *c, ch__kind kind) {
    places p;
    int64_t tie = ch__op_int(c->op, CH__ATTR_tie, CH__SPLIT);
    ch__value *r = R(c), *count = NULL, *sum = NULL;
    ch__value *x = places_of(c, &p, X(c, 0), kind == CH__MAX ? -INFINITY : INFINITY, r->type->dims);
    if (no_places(&p)) return;
    ch__value *t = pad_input(c, &p, T(c, 0), 0.0);
    for (int64_t k = p.n; k-- > 0;) { // from the last, so that the first winner has the last word
        ch__value *won = d_compare(c, CH__EQ, at_place(c, &p, x, k), r), *here = at_place(c, &p, t, k);
        if (tie == CH__FIRST) {
            sum = d_select(c, won, here, sum == NULL ? d_num(c, here, 0.0) : sum);
            continue;
        }
        here = d_zero_unless(c, won, here);
        sum = sum == NULL ? here : d_add(c, sum, here);
        ch__value *one = ch__b_convert(B(c), won, here->type->dtype);
        count = count == NULL ? one : d_add(c, count, one);
    }
    if (tie == CH__SPLIT) sum = d_div(c, sum, d_binary(c, CH_OP_max, count, d_num(c, count, 1.0)));
    ch__jvp_give(c, 0, sum);
}

static void reduce_window_jvp(ch__vjp *c) {
    ch__kind kind = (ch__kind)ch__op_int(c->op, CH__ATTR_kind, CH__SUM);
    if (kind == CH__SUM) {
        ch__jvp_linear(c, 1);
    } else if (kind == CH__PROD) {
        window_prod_jvp(c);
    } else {
        window_min_max_jvp(c, kind);
    }
}

static void select_and_scatter_jvp(ch__vjp *c) { ch__jvp_linear(c, 2); }

CH__RULE(reduce_window, reduce_window_vjp, reduce_window_jvp);
CH__RULE_BUT(select_and_scatter, select_and_scatter_vjp, select_and_scatter_jvp, 1);
