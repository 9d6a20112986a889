// SPDX-License-Identifier: Apache-2.0
// gen_element.c - elementwise ops. Without `differentiable` every row of the op table that takes the dtype; with it
// those with a derivative, on operands whose interval keeps clear of kinks and poles, and the interval of what they
// give.
#include "gen/gen_internal.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- one operand

typedef struct smooth_op {
    ch__opcode code;
    double from, to;     // operands lie here (a wider one is scaled or shifted into it)
    double (*f)(double); // monotone there: the interval is that of the ends; NULL: [lo, hi] below
    double lo, hi;
} smooth_op;

static double rule_neg(double x) { return -x; }
static double rule_rsqrt(double x) { return 1 / sqrt(x); }
static double rule_sigmoid(double x) { return 1 / (1 + exp(-x)); }

static const smooth_op smooth[] = {
    {CH_OP_neg, -20, 20, rule_neg, 0, 0},  {CH_OP_abs, 0.05, 20, fabs, 0, 0},
    {CH_OP_sqrt, 0.1, 20, sqrt, 0, 0},     {CH_OP_rsqrt, 0.1, 20, rule_rsqrt, 0, 0},
    {CH_OP_cbrt, 0.1, 20, cbrt, 0, 0},     {CH_OP_exp, -4, 3, exp, 0, 0},
    {CH_OP_exp2, -4, 4, exp2, 0, 0},       {CH_OP_expm1, -4, 3, expm1, 0, 0},
    {CH_OP_log, 0.1, 20, log, 0, 0},       {CH_OP_log2, 0.1, 20, log2, 0, 0},
    {CH_OP_log1p, -0.8, 20, log1p, 0, 0},  {CH_OP_sin, -20, 20, NULL, -1, 1},
    {CH_OP_cos, -20, 20, NULL, -1, 1},     {CH_OP_tan, -1.2, 1.2, tan, 0, 0},
    {CH_OP_asin, -0.9, 0.9, asin, 0, 0},   {CH_OP_acos, -0.9, 0.9, acos, 0, 0},
    {CH_OP_atan, -20, 20, atan, 0, 0},     {CH_OP_sinh, -3, 3, sinh, 0, 0},
    {CH_OP_cosh, -3, 3, NULL, 1, 10.1},    {CH_OP_tanh, -20, 20, tanh, 0, 0},
    {CH_OP_asinh, -20, 20, asinh, 0, 0},   {CH_OP_acosh, 1.2, 20, acosh, 0, 0},
    {CH_OP_atanh, -0.9, 0.9, atanh, 0, 0}, {CH_OP_sigmoid, -20, 20, rule_sigmoid, 0, 0},
    {CH_OP_erf, -4, 4, erf, 0, 0},         {CH_OP_erfc, -4, 4, erfc, 0, 0},
    {CH_OP_lgamma, 0.3, 8, NULL, -0.2, 9}, {CH_OP_digamma, 0.3, 8, NULL, -3.6, 2.1},
    {CH_OP_barrier, -20, 20, fabs, 0, 0},
};

// x brought into [from, to] by scaling and shifting.
static gen_val into(gen *g, gen_val x, double from, double to) {
    double width = x.hi - x.lo, room = to - from;
    if (width > 0.9 * room) x = gen_scaled(g, x, 0.4 * room);
    if (x.lo >= from && x.hi <= to) return x;
    double by = (from + to) / 2 - (x.lo + x.hi) / 2;
    if (!isfinite(by)) return x;
    ch__value *c = gen_splat(g, x.v->type, by);
    g->budget--;
    return (gen_val){ch__b_add(&g->b, x.v, c), x.lo + by, x.hi + by};
}

static void smooth_unary(gen *g, gen_val x) {
    const smooth_op *s = &smooth[gen_int(g, (int)(sizeof smooth / sizeof *smooth))];
    x = into(g, x, s->from, s->to);
    ch__value *y = gen_op(g, s->code, 1, &x.v, 0, NULL, NULL)->results;
    if (s->code == CH_OP_barrier) {
        gen_add(g, y, x.lo, x.hi);
    } else if (s->f) {
        double a = s->f(x.lo), b = s->f(x.hi);
        gen_add(g, y, fmin(a, b), fmax(a, b));
    } else {
        gen_add(g, y, s->lo, s->hi);
    }
}

// A row of one, two or three operands of one dtype that takes the dtype.
static int table_op(gen *g, ch_dtype d, int operands) {
    int start = gen_int(g, CH_OP_COUNT);
    for (int i = 0; i < CH_OP_COUNT; i++) {
        ch__opcode c = (ch__opcode)((start + i) % CH_OP_COUNT);
        const ch__op_info *info = ch__op_info_of(c);
        if (!(info->flags & CH__ELEMWISE) || info->max_operands != operands || info->attrs || info->typed) continue;
        if (c == CH_OP_select || c == CH_OP_clamp || info->dtypes[0] == '-' || info->dtypes[0] == '*') continue;
        if (strchr(info->dtypes, ch__dtype_class(d))) return (int)c;
    }
    return -1;
}

bool gen_unary(gen *g) {
    if (g->o->differentiable) {
        gen_val *x = gen_pick_float(g, 0);
        if (x) smooth_unary(g, *x);
        return x != NULL;
    }
    gen_val *x = gen_pick_class(g, "fiub", 0);
    if (!x) return false;
    ch__value *v = x->v;
    if (ch__is_float(v->type->dtype) && gen_one_in(g, 20)) {
        ch__attr n = ch__attr_int(CH__ATTR_n, gen_int(g, 3));
        gen_add_any(g, gen_op(g, CH_OP_polygamma, 1, &v, 1, &n, NULL)->results);
        return true;
    }
    if (gen_one_in(g, 20)) {
        gen_add_any(g, gen_op(g, CH_OP_stop_gradient, 1, &v, 0, NULL, NULL)->results);
        return true;
    }
    int code = table_op(g, v->type->dtype, 1);
    if (code < 0) return false;
    ch__attr nowrap = ch__attr_int(CH__ATTR_nowrap, 0);
    bool flag = (ch__op_info_of((ch__opcode)code)->opt >> CH__ATTR_nowrap & 1) && ch__is_int(v->type->dtype) &&
                gen_one_in(g, 8);
    gen_add_any(g, gen_op(g, (ch__opcode)code, 1, &v, flag, &nowrap, NULL)->results);
    return true;
}

// ---------------------------------------------------------------- more operands

// A value of x's type: one of the pool, or a constant.
static gen_val partner(gen *g, const ch__type *t) {
    gen_val *y = gen_pick_type(g, t);
    if (y && !gen_one_in(g, 6)) return *y;
    double c = g->o->differentiable ? gen_real(g, 0.5, 2) : (double)gen_int(g, 4);
    return (gen_val){gen_splat(g, t, c), c, c};
}

static void ends(double *lo, double *hi, double a, double b, double c, double d) {
    *lo = fmin(fmin(a, b), fmin(c, d));
    *hi = fmax(fmax(a, b), fmax(c, d));
}

static bool smooth_binary(gen *g) {
    gen_val *picked = gen_pick_float(g, 0);
    if (!picked) return false;
    gen_val x = *picked, y = partner(g, x.v->type);
    static const ch__opcode codes[] = {CH_OP_add, CH_OP_sub, CH_OP_mul, CH_OP_mul,      CH_OP_div,   CH_OP_pow,
                                       CH_OP_min, CH_OP_max, CH_OP_fma, CH_OP_copysign, CH_OP_hypot, CH_OP_atan2};
    ch__opcode c = codes[gen_int(g, 12)];
    double lo, hi;
    switch (c) {
    case CH_OP_div: y = into(g, y, 0.3, 20); break;
    case CH_OP_pow: x = into(g, x, 0.2, 3), y = into(g, y, -2, 2); break;
    case CH_OP_min:
    case CH_OP_max: x = into(g, x, -4, -0.1), y = into(g, y, 0.1, 4); break;
    case CH_OP_copysign: x = into(g, x, 0.1, 20), y = into(g, y, 0.1, 20); break;
    case CH_OP_hypot:
    case CH_OP_atan2: y = into(g, y, 0.2, 20); break;
    default: x = gen_scaled(g, x, 20), y = gen_scaled(g, y, 20);
    }
    ends(&lo, &hi, x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi);
    ch__value *both[3] = {x.v, y.v, x.v};
    if ((c == CH_OP_min || c == CH_OP_max) && gen_one_in(g, 2)) both[0] = y.v, both[1] = x.v;
    ch__value *r = gen_op(g, c, c == CH_OP_fma ? 3 : 2, both, 0, NULL, NULL)->results;
    switch (c) {
    case CH_OP_add: lo = x.lo + y.lo, hi = x.hi + y.hi; break;
    case CH_OP_sub: lo = x.lo - y.hi, hi = x.hi - y.lo; break;
    case CH_OP_fma: lo += x.lo, hi += x.hi; break;
    case CH_OP_div: ends(&lo, &hi, x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi); break;
    case CH_OP_pow: ends(&lo, &hi, pow(x.lo, y.lo), pow(x.lo, y.hi), pow(x.hi, y.lo), pow(x.hi, y.hi)); break;
    case CH_OP_min: lo = x.lo, hi = x.hi; break;
    case CH_OP_max: lo = y.lo, hi = y.hi; break;
    case CH_OP_copysign: lo = x.lo, hi = x.hi; break;
    case CH_OP_hypot: lo = y.lo, hi = hypot(fmax(fabs(x.lo), fabs(x.hi)), y.hi); break;
    case CH_OP_atan2: lo = -1.6, hi = 1.6; break;
    default: break;
    }
    gen_add(g, r, lo, hi);
    return true;
}

bool gen_binary(gen *g) {
    if (g->o->differentiable) return smooth_binary(g);
    gen_val *x = gen_pick_class(g, "fiub", 0);
    if (!x) return false;
    ch__value *v[3] = {x->v};
    ch_dtype d = v[0]->type->dtype;
    int operands = ch__is_float(d) && gen_one_in(g, 10) ? 3 : 2;
    int code = table_op(g, d, operands);
    if (code < 0) return false;
    for (int i = 1; i < operands; i++) v[i] = partner(g, v[0]->type).v;
    const ch__op_info *info = ch__op_info_of((ch__opcode)code);
    ch__attr attr = ch__attr_int(CH__ATTR_tie, gen_int(g, 3));
    bool flag = info->opt >> CH__ATTR_tie & 1 && gen_one_in(g, 3);
    gen_add_any(g, gen_op(g, (ch__opcode)code, operands, v, flag, &attr, NULL)->results);
    return true;
}

// ---------------------------------------------------------------- compare, select, clamp

static ch__value *mask_of(gen *g, const ch__type *t) {
    const ch__type *bools = ch__type_with_dtype(g->arena, t, CH_BOOL);
    gen_val *have = gen_pick_type(g, bools);
    if (have && gen_one_in(g, 2)) return have->v;
    if (t->rank == 0) {
        ch__value *n = ch__b_dim(&g->b, gen_dim(g));
        g->budget -= 2;
        return ch__b_compare(&g->b, (ch__dir)gen_int(g, 6), n, gen_i64(g, 2));
    }
    const ch__type *ints = ch__type_with_dtype(g->arena, t, CH_I32);
    ch__value *i = ch__b_iota(&g->b, ints, gen_int(g, t->rank));
    g->budget -= 2;
    return ch__b_compare(&g->b, (ch__dir)gen_int(g, 6), i, gen_splat(g, ints, gen_int(g, 4)));
}

static bool smooth_clamp(gen *g, gen_val x) {
    // Clear of both bounds: inside, or wholly beyond one (then the value is that bound).
    bool inside = !gen_one_in(g, 3);
    double lo = inside ? x.lo - 0.5 : x.hi + 0.5, hi = inside ? x.hi + 0.5 : x.hi + 1;
    const ch__type *t = gen_one_in(g, 2) ? x.v->type : ch__type_scalar(gen_float(g));
    ch__value *v[3] = {gen_splat(g, t, lo), x.v, gen_splat(g, t, hi)};
    ch__value *r = gen_op(g, CH_OP_clamp, 3, v, 0, NULL, NULL)->results;
    gen_add(g, r, inside ? x.lo : lo, inside ? x.hi : lo);
    return true;
}

bool gen_choose(gen *g) {
    gen_val *picked = g->o->differentiable ? gen_pick_float(g, 0) : gen_pick_class(g, "fiub", 0);
    if (!picked) return false;
    gen_val x = *picked, y = partner(g, x.v->type);
    int what = gen_int(g, 3);
    if (what == 0 && g->o->differentiable) return smooth_clamp(g, gen_scaled(g, x, 20));
    if (what == 0 && x.v->type->dtype != CH_BOOL) {
        ch__value *v[3] = {y.v, x.v, partner(g, x.v->type).v};
        gen_add_any(g, gen_op(g, CH_OP_clamp, 3, v, 0, NULL, NULL)->results);
        return true;
    }
    if (what == 1 && !g->o->differentiable) {
        g->budget--;
        gen_add_any(g, ch__b_compare(&g->b, (ch__dir)gen_int(g, 6), x.v, y.v));
        return true;
    }
    ch__value *mask = mask_of(g, gen_one_in(g, 4) ? ch__type_scalar(CH_BOOL) : x.v->type);
    g->budget--;
    gen_add(g, ch__b_select(&g->b, mask, x.v, y.v), fmin(x.lo, y.lo), fmax(x.hi, y.hi));
    return true;
}

// ---------------------------------------------------------------- other dtypes

bool gen_types(gen *g) {
    gen_val *x = gen_pick_class(g, "fiubs", 0);
    if (!x) return false;
    ch__value *v = x->v;
    if (gen_one_in(g, 3) && v->type->dtype != CH_BOOL) {
        static const ch_dtype same[][4] = {{CH_I8, CH_U8, CH_F8E4M3, CH_F8E5M2},
                                           {CH_I16, CH_U16, CH_F16, CH_BF16},
                                           {CH_I32, CH_U32, CH_F32, CH_F32},
                                           {CH_I64, CH_U64, CH_F64, CH_F64}};
        size_t size = ch_dtype_size(v->type->dtype);
        int row = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
        const ch__type *to = ch__type_with_dtype(g->arena, v->type, same[row][gen_int(g, 4)]);
        gen_add_any(g, gen_op(g, CH_OP_bitcast, 1, &v, 0, NULL, to)->results);
        return true;
    }
    ch_dtype d = gen_one_in(g, 10) ? (gen_one_in(g, 2) ? CH_F8E4M3 : CH_F8E5M2) : gen_dtype(g);
    const ch__type *to = ch__type_with_dtype(g->arena, v->type, d);
    gen_add_any(g, gen_op(g, CH_OP_convert, 1, &v, 0, NULL, to)->results);
    return true;
}

bool gen_cmath(gen *g) {
    gen_val *x = gen_pick_float(g, 0);
    if (!x) return false;
    int n = 0;
    while (ch__libm_at(n)) n++;
    const ch__libm_row *row = ch__libm_at(gen_int(g, n));
    ch__value *v[4];
    const ch__type *t = x->v->type, *ints = ch__type_with_dtype(g->arena, t, CH_I32);
    int operands = 0;
    for (const char *s = row->form; *s != '_'; s++, operands++) v[operands] = partner(g, *s == 'i' ? ints : t).v;
    ch__attr fn = ch__attr_str(CH__ATTR_fn, row->name);
    ch__op *op = gen_op(g, CH_OP_cmath, operands, v, 1, &fn, NULL);
    for (int i = 0; i < op->n_results; i++) gen_add_any(g, &op->results[i]);
    return true;
}

// ---------------------------------------------------------------- libm, differentiable

static const struct {
    const char *fn;
    double from, to; // as in `smooth`
    double lo, hi;
} smooth_libm[] = {
    {"tgamma", 0.4, 4, 0.88, 6}, {"exp10", -3, 1, 0, 10},    {"log10", 0.1, 20, -1, 1.31}, {"j0", -9, 9, -0.41, 1},
    {"j1", -9, 9, -0.59, 0.59},  {"y0", 0.5, 9, -0.45, 0.6}, {"y1", 0.5, 9, -1.5, 0.42},
};

// The other forms: n-th Bessel functions, scaling by powers of two, the smaller and the larger of two that lie apart.
static void smooth_libm_more(gen *g, gen_val x) {
    static const char *const names[] = {"jn", "yn", "ldexp", "scalbn", "fmin", "fmax", "fdim", "rem"};
    const char *fn = names[gen_int(g, 8)];
    ch__attr attr = ch__attr_str(CH__ATTR_fn, fn);
    const ch__type *ints = ch__type_with_dtype(g->arena, x.v->type, CH_I32);
    ch__value *v[2];
    if (fn[0] == 'r') { // between two multiples
        x = into(g, x, 2.1, 2.9);
        v[0] = x.v, v[1] = gen_splat(g, x.v->type, 1);
        gen_add(g, gen_op(g, CH_OP_rem, 2, v, 0, NULL, NULL)->results, x.lo - 2, x.hi - 2);
        return;
    }
    if (fn[0] == 'f') {
        x = into(g, x, 0.1, 4);
        gen_val y = into(g, partner(g, x.v->type), -4, -0.1);
        bool min = strcmp(fn, "fmin") == 0, diff = strcmp(fn, "fdim") == 0;
        v[0] = x.v, v[1] = y.v;
        ch__value *r = gen_op(g, CH_OP_cmath, 2, v, 1, &attr, NULL)->results;
        gen_add(g, r, diff ? x.lo - y.hi : min ? y.lo : x.lo, diff ? x.hi - y.lo : min ? y.hi : x.hi);
        return;
    }
    bool bessel = fn[1] == 'n';
    int n = gen_int(g, 3);
    x = bessel ? into(g, x, 1, 9) : gen_scaled(g, x, 20);
    v[0] = bessel ? gen_splat(g, ints, n) : x.v;
    v[1] = bessel ? x.v : gen_splat(g, ints, n - 1);
    ch__value *r = gen_op(g, CH_OP_cmath, 2, v, 1, &attr, NULL)->results;
    double by = ldexp(1, n - 1);
    gen_add(g, r, bessel ? -2 : x.lo * by, bessel ? 1 : x.hi * by);
}

bool gen_libm(gen *g) {
    gen_val *picked = gen_pick_float(g, 0);
    if (!picked) return false;
    gen_val x = *picked;
    int what = gen_int(g, 4);
    if (what == 0) {
        ch__attr n = ch__attr_int(CH__ATTR_n, gen_int(g, 3));
        x = into(g, x, 0.5, 8);
        gen_add(g, gen_op(g, CH_OP_polygamma, 1, &x.v, 1, &n, NULL)->results, -17, 5);
    } else if (what == 1) {
        smooth_libm_more(g, x);
    } else {
        int k = gen_int(g, (int)(sizeof smooth_libm / sizeof *smooth_libm));
        ch__attr fn = ch__attr_str(CH__ATTR_fn, smooth_libm[k].fn);
        x = into(g, x, smooth_libm[k].from, smooth_libm[k].to);
        gen_add(g, gen_op(g, CH_OP_cmath, 1, &x.v, 1, &fn, NULL)->results, smooth_libm[k].lo, smooth_libm[k].hi);
    }
    return true;
}
