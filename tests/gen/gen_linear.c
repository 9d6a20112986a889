// SPDX-License-Identifier: Apache-2.0
// gen_linear.c - reductions, windows, products, order and factorizations. Where an extremum or an order decides, the
// differentiable generator first moves the elements apart along the axis, so that none can change place.
#include "gen/gen_internal.h"

#include <math.h>
#include <string.h>

static bool is_known(const gen *g, const gen_val *v, const void *rank) {
    const ch__type *t = v->v->type;
    if (t->tape || t->rank < *(const int *)rank || !strchr("fiu", ch__dtype_class(t->dtype))) return false;
    if (g->o->differentiable && t->dtype != gen_float(g)) return false;
    return gen_fits(g, t->rank, t->dims);
}

static gen_val *pick_known(gen *g, int min_rank) { return gen_pick(g, is_known, &min_rank); }

// x + w * iota along an axis: neighbours there differ by at least w minus the width of x.
static gen_val apart(gen *g, gen_val x, int dim) {
    if (!g->o->differentiable) return x;
    x = gen_scaled(g, x, 0.5);
    ch__value *i = ch__b_iota(&g->b, x.v->type, dim);
    if (gen_one_in(g, 2)) {
        int64_t d = dim;
        i = ch__b_reverse(&g->b, i, 1, &d);
    }
    g->budget -= 3;
    ch__value *v = ch__b_add(&g->b, x.v, ch__b_mul(&g->b, i, gen_splat(g, x.v->type, 1.5)));
    return (gen_val){v, x.lo, x.hi + 1.5 * (double)gen_most(g, x.v->type->dims[dim])};
}

static int accumulate(gen *g, const ch__type *t, ch__attr *attrs) {
    int n = 0;
    if (gen_one_in(g, 2)) attrs[n++] = ch__attr_int(CH__ATTR_acc, ch__is_float(t->dtype) ? CH_F64 : t->dtype);
    if (gen_one_in(g, 2)) attrs[n++] = ch__attr_int(CH__ATTR_order, gen_int(g, 2));
    return n;
}

// The interval of a sum or product of up to n elements, the empty one included.
static void fold_interval(ch__kind kind, gen_val x, double n, double *lo, double *hi) {
    if (kind == CH__SUM) {
        *lo = fmin(0, x.lo * n);
        *hi = fmax(0, x.hi * n);
    } else {
        double m = pow(fmax(1, fmax(fabs(x.lo), fabs(x.hi))), n);
        *lo = -m;
        *hi = m;
    }
}

bool gen_reduce(gen *g) {
    gen_val *picked = pick_known(g, 1);
    if (!picked) return false;
    gen_val x = *picked;
    static const ch__kind kinds[] = {CH__SUM, CH__SUM, CH__PROD, CH__MIN, CH__MAX};
    ch__kind kind = kinds[gen_int(g, 5)];
    bool order = kind == CH__MIN || kind == CH__MAX, running = gen_one_in(g, 3);
    int rank = x.v->type->rank;
    int64_t dims[CH__MAX_RANK];
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (gen_one_in(g, 2)) dims[n++] = i;
    if (g->o->differentiable) x = gen_scaled(g, x, 2);
    if (order && g->o->differentiable) { // one axis, never empty
        dims[0] = gen_int(g, rank);
        n = 1;
        if (gen_least(g, x.v->type->dims[dims[0]]) < 1) return false;
        x = apart(g, x, (int)dims[0]);
    }
    ch__attr attrs[5] = {ch__attr_int(CH__ATTR_kind, kind)};
    int na = 1 + accumulate(g, x.v->type, attrs + 1);
    double lo = x.lo, hi = x.hi, count = 1;
    for (int i = 0; i < n; i++) count *= (double)gen_most(g, x.v->type->dims[dims[i]]);
    if (running) {
        dims[0] = order && g->o->differentiable ? dims[0] : gen_int(g, rank);
        count = (double)gen_most(g, x.v->type->dims[dims[0]]);
        attrs[na++] = ch__attr_int(CH__ATTR_dim, dims[0]);
        if (gen_one_in(g, 2)) attrs[na++] = ch__attr_int(CH__ATTR_reverse, 1);
    } else {
        attrs[na++] = ch__attr_ints(CH__ATTR_dims, n, dims);
    }
    if (!order) {
        if (g->o->differentiable && kind == CH__PROD) x = gen_scaled(g, x, 1.1);
        if (g->o->large && kind == CH__SUM) x = gen_scaled(g, x, 2000 / fmax(count, 1000));
        fold_interval(kind, x, count, &lo, &hi);
        if (g->o->differentiable && hi - lo > 1e4) return false;
    }
    gen_add(g, gen_op(g, running ? CH_OP_cumulative : CH_OP_reduce, 1, &x.v, na, attrs, NULL)->results, lo, hi);
    return true;
}

// ---------------------------------------------------------------- windows

bool gen_window(gen *g) {
    gen_val *picked = pick_known(g, 1);
    if (!picked) return false;
    gen_val x = *picked;
    const ch__type *t = x.v->type;
    int64_t window[CH__MAX_RANK], strides[CH__MAX_RANK], lo[CH__MAX_RANK], hi[CH__MAX_RANK];
    bool big = false;
    for (int i = 0; i < t->rank; i++) {
        window[i] = 1 + gen_int(g, 2);
        strides[i] = 1 + gen_int(g, 2);
        lo[i] = gen_int(g, 2);
        hi[i] = gen_int(g, 2);
        if (g->o->differentiable && i > 0) window[i] = 1, lo[i] = hi[i] = 0;
        if (g->o->differentiable && lo[i] + hi[i] > 0) window[i] = 2; // never a window of padding alone
        big |= window[i] > 1;
    }
    static const ch__kind kinds[] = {CH__SUM, CH__MAX, CH__MIN, CH__PROD};
    ch__kind kind = kinds[gen_int(g, g->o->differentiable ? 3 : 4)];
    if (g->o->differentiable) {
        x = gen_scaled(g, x, 2);
        for (int i = 0; i < t->rank; i++)
            if (gen_least(g, t->dims[i]) < 1) return false;
        if (kind != CH__SUM) x = apart(g, x, 0);
    }
    ch__attr attrs[6] = {ch__attr_int(CH__ATTR_kind, kind), ch__attr_ints(CH__ATTR_window, t->rank, window)};
    int na = 2;
    if (gen_one_in(g, 2)) attrs[na++] = ch__attr_ints(CH__ATTR_strides, t->rank, strides);
    if (gen_one_in(g, 2)) {
        attrs[na++] = ch__attr_ints(CH__ATTR_pad_lo, t->rank, lo);
        attrs[na++] = ch__attr_ints(CH__ATTR_pad_hi, t->rank, hi);
    }
    ch__value *r = gen_op(g, CH_OP_reduce_window, 1, &x.v, na, attrs, NULL)->results;
    if (!gen_fits(g, r->type->rank, r->type->dims)) return true; // made, but nothing works on it
    double n = big ? 4 : 1;
    gen_add(g, r, kind == CH__SUM ? fmin(0, x.lo * n) : x.lo, kind == CH__SUM ? fmax(0, x.hi * n) : x.hi);
    if (kind != CH__MAX || (g->o->differentiable && !g->o->libm)) return true;
    ch__value *v[2] = {x.v, r};
    r = gen_op(g, CH_OP_select_and_scatter, 2, v, na, attrs, NULL)->results;
    if (g->o->differentiable) // two windows at most see an element
        gen_add(g, r, fmin(0, 2 * x.lo), fmax(0, 2 * x.hi));
    else
        gen_add_any(g, r);
    return true;
}

// ---------------------------------------------------------------- products

// For each axis of x one of y with the same size, when there is one.
static bool has_axis(const gen *g, const gen_val *v, const void *arg) {
    const gen_val *x = arg;
    int zero = 0;
    if (!is_known(g, v, &zero) || v->v->type->dtype != x->v->type->dtype) return false;
    for (int i = 0; i < v->v->type->rank; i++)
        for (int k = 0; k < x->v->type->rank; k++)
            if (ch__dim_equal(v->v->type->dims[i], x->v->type->dims[k])) return true;
    return false;
}

bool gen_dot(gen *g) {
    gen_val *px = pick_known(g, 1);
    if (!px) return false;
    gen_val x = *px, *py = gen_pick(g, has_axis, &x);
    if (!py) return false;
    x = gen_scaled(g, x, 2);
    gen_val y = gen_scaled(g, *py, 2);
    const ch__type *tx = x.v->type, *ty = y.v->type;
    int64_t contract[2 * CH__MAX_RANK], batch[2 * CH__MAX_RANK], lc[8], rc[8], lb[8], rb[8];
    int nc = 0, nb = 0;
    unsigned used = 0;
    ch__dim rest[2 * CH__MAX_RANK];
    int rank = 0;
    double count = 1;
    for (int i = 0; i < tx->rank; i++) {
        int match = -1;
        for (int k = 0; k < ty->rank && match < 0; k++)
            if (!(used >> k & 1) && ch__dim_equal(tx->dims[i], ty->dims[k])) match = k;
        int what = match < 0 ? 0 : gen_int(g, 4);
        if (what == 0) {
            rest[rank++] = tx->dims[i];
        } else if (what == 1) {
            lb[nb] = i, rb[nb++] = match;
            rest[rank++] = tx->dims[i];
        } else {
            lc[nc] = i, rc[nc++] = match;
            count *= (double)gen_most(g, tx->dims[i]);
        }
        if (what) used |= 1u << match;
    }
    for (int k = 0; k < ty->rank; k++)
        if (!(used >> k & 1)) rest[rank++] = ty->dims[k];
    double work = count;
    for (int i = 0; i < rank; i++) work *= (double)gen_most(g, rest[i]);
    if (!gen_fits(g, rank, rest) || work > 2e7) return false;
    for (int i = 0; i < nc; i++) contract[i] = lc[i], contract[nc + i] = rc[i];
    for (int i = 0; i < nb; i++) batch[i] = lb[i], batch[nb + i] = rb[i];
    ch__attr attrs[5] = {ch__attr_pairs(CH__ATTR_contract, nc, contract)};
    int na = 1;
    if (nb || gen_one_in(g, 4)) attrs[na++] = ch__attr_pairs(CH__ATTR_batch, nb, batch);
    na += accumulate(g, tx, attrs + na);
    if (gen_one_in(g, 5)) attrs[na++] = ch__attr_int(CH__ATTR_precision, gen_int(g, 3));
    ch__value *v[2] = {x.v, y.v};
    double most = count * fmax(fabs(x.lo), fabs(x.hi)) * fmax(fabs(y.lo), fabs(y.hi));
    gen_add(g, gen_op(g, CH_OP_dot, 2, v, na, attrs, NULL)->results, -most, most);
    return true;
}

bool gen_conv(gen *g) {
    gen_val *px = pick_known(g, 3);
    if (!px) return false;
    gen_val x = gen_scaled(g, *px, 2);
    const ch__type *t = x.v->type;
    ch__dim dims[CH__MAX_RANK];
    int spatial = t->rank - 2;
    int64_t ones[CH__MAX_RANK], lo[CH__MAX_RANK], hi[CH__MAX_RANK];
    dims[0] = ch__dim_const(1 + gen_int(g, 3));
    dims[1] = t->dims[1];
    for (int i = 0; i < spatial; i++) {
        dims[2 + i] = ch__dim_const(1 + gen_int(g, 3));
        ones[i] = 1 + gen_int(g, 2);
        lo[i] = gen_int(g, 3);
        hi[i] = gen_int(g, 3);
    }
    if (!gen_fits(g, t->rank, dims)) return false;
    const ch__type *kt = gen_type(g, t->dtype, t->rank, dims);
    gen_val *pk = gen_pick_type(g, kt);
    gen_val k = pk ? gen_scaled(g, *pk, 2) : (gen_val){gen_splat(g, kt, 1), 1, 1};
    ch__attr attrs[8];
    int na = 0;
    if (gen_one_in(g, 2)) attrs[na++] = ch__attr_ints(CH__ATTR_strides, spatial, ones);
    if (gen_one_in(g, 2)) attrs[na++] = ch__attr_ints(CH__ATTR_pad_lo, spatial, lo);
    if (gen_one_in(g, 2)) attrs[na++] = ch__attr_ints(CH__ATTR_pad_hi, spatial, hi);
    if (gen_one_in(g, 4)) attrs[na++] = ch__attr_ints(CH__ATTR_lhs_dilation, spatial, ones);
    if (gen_one_in(g, 4)) attrs[na++] = ch__attr_ints(CH__ATTR_rhs_dilation, spatial, ones);
    na += accumulate(g, t, attrs + na);
    ch__value *v[2] = {x.v, k.v};
    ch__value *r = gen_op(g, CH_OP_conv, 2, v, na, attrs, NULL)->results;
    double count = (double)gen_most(g, dims[1]), most;
    for (int i = 0; i < spatial; i++) count *= (double)dims[2 + i].val;
    most = count * fmax(fabs(x.lo), fabs(x.hi)) * fmax(fabs(k.lo), fabs(k.hi));
    if (gen_fits(g, r->type->rank, r->type->dims)) gen_add(g, r, -most, most);
    return true;
}

// ---------------------------------------------------------------- order

bool gen_order(gen *g) {
    gen_val *px = pick_known(g, 1);
    if (!px) return false;
    gen_val x = *px;
    const ch__type *t = x.v->type;
    int dim = gen_int(g, t->rank), what = gen_int(g, 3);
    if (what == 0) {
        dim = t->rank - 1;
        int64_t size = ch__dim_is_const(t->dims[dim]) ? t->dims[dim].val : 0;
        ch__dim k = size ? ch__dim_const(1 + gen_int(g, (int)size)) : t->dims[dim];
        x = apart(g, x, dim);
        ch__attr a = ch__attr_dim(CH__ATTR_k, k);
        ch__dim dims[CH__MAX_RANK];
        for (int i = 0; i < t->rank; i++) dims[i] = i == dim ? k : t->dims[i];
        const ch__type *types[2] = {gen_type(g, t->dtype, t->rank, dims),
                                    gen_type(g, gen_one_in(g, 2) ? CH_I32 : CH_I64, t->rank, dims)};
        g->budget--;
        ch__op *op = ch__build(&g->b, CH_OP_top_k, 1, &x.v, 1, &a, 2, types, 0, NULL);
        gen_add(g, &op->results[0], x.lo, x.hi);
        gen_add_any(g, &op->results[1]);
        return true;
    }
    if (what == 1) {
        ch__dim dims[CH__MAX_RANK];
        int rank = 0;
        for (int i = 0; i < t->rank; i++)
            if (i != dim) dims[rank++] = t->dims[i];
        if (gen_least(g, t->dims[dim]) < 1) return false;
        x = apart(g, x, dim);
        ch__attr a[2] = {ch__attr_int(CH__ATTR_kind, gen_one_in(g, 2) ? CH__MIN : CH__MAX),
                         ch__attr_int(CH__ATTR_dim, dim)};
        gen_add_any(
            g, gen_op(g, CH_OP_arg_reduce, 1, &x.v, 2, a, gen_type(g, gen_one_in(g, 2) ? CH_I32 : CH_I64, rank, dims))
                   ->results);
        return true;
    }
    gen_val *py = gen_pick_type(g, t), y = py ? *py : x;
    x = apart(g, x, dim);
    ch__attr a[3] = {ch__attr_int(CH__ATTR_dim, dim), ch__attr_int(CH__ATTR_descending, gen_int(g, 2))};
    ch__value *v[2] = {x.v, y.v};
    ch__op *op = gen_op(g, CH_OP_sort, 1 + gen_int(g, 2), v, 2, a, NULL);
    gen_add(g, &op->results[0], x.lo, x.hi);
    if (op->n_results > 1) gen_add(g, &op->results[1], y.lo, y.hi);
    return true;
}

// ---------------------------------------------------------------- factorizations

// b bT + 3 I is positive definite; its factor solves a system.
bool gen_factor(gen *g) {
    gen_val *pb = gen_pick_float(g, 2);
    if (!pb || pb->v->type->rank != 2 || pb->v->type->tape) return false;
    const ch__type *t = pb->v->type;
    if (!gen_fits(g, 2, t->dims)) return false;
    ch__dim square[2] = {t->dims[0], t->dims[0]};
    const ch__type *st = gen_type(g, t->dtype, 2, square), *it = ch__type_with_dtype(g->arena, st, CH_I32);
    gen_val b = gen_scaled(g, *pb, 0.5);
    int64_t one = 1;
    g->budget -= 8;
    ch__value *bb = ch__b_dot(&g->b, b.v, b.v, 1, &one, &one, 0, NULL, NULL);
    ch__value *eye = ch__b_compare(&g->b, CH__EQ, ch__b_iota(&g->b, it, 0), ch__b_iota(&g->b, it, 1));
    ch__value *more = ch__b_select(&g->b, eye, gen_splat(g, st, 3), gen_splat(g, st, 0));
    ch__value *spd = ch__b_add(&g->b, bb, more);
    bool lower = gen_one_in(g, 2), left = gen_one_in(g, 2);
    ch__attr al = ch__attr_int(CH__ATTR_lower, lower);
    ch__value *l = gen_op(g, CH_OP_cholesky, 1, &spd, 1, &al, NULL)->results;
    double most = 2.3; // the diagonal of b bT + 3 I is at most 3 + 5 * 0.25 * ... and the factor below its root
    double bound = sqrt(3 + 0.25 * (double)gen_most(g, t->dims[1]));
    most = fmax(most, bound);
    gen_add(g, l, -most, most);
    ch__dim rhs[2] = {left ? t->dims[0] : t->dims[1], left ? t->dims[1] : t->dims[0]};
    gen_val *pr = gen_pick_type(g, gen_type(g, t->dtype, 2, rhs));
    if (!pr) return true;
    gen_val r = gen_scaled(g, *pr, 1);
    ch__attr a[4] = {ch__attr_int(CH__ATTR_left, left), ch__attr_int(CH__ATTR_lower, lower),
                     ch__attr_int(CH__ATTR_transpose, gen_int(g, 2)), ch__attr_int(CH__ATTR_unit, 0)};
    ch__value *v[2] = {l, r.v};
    // |x| <= |L^-1| |r| and the smallest singular value of L is at least sqrt 3.
    double x = sqrt((double)gen_most(g, t->dims[0])) * fmax(fabs(r.lo), fabs(r.hi));
    gen_add(g, gen_op(g, CH_OP_triangular_solve, 2, v, 4, a, NULL)->results, -x, x);
    return true;
}
