// SPDX-License-Identifier: Apache-2.0
// lower_libm.c - the functions of math.h, and what compilers' headers make of its macros.
//
// Functions that are ops of their own are in the table below; the rest are rows of libm.def. A name that ends in f is
// the same in float.
#include "cfront/lower.h"

#include <math.h>

static const struct {
    const char *name;
    ch__opcode code;
    int n;
} libm_ops[] = {
    {"sqrt", CH_OP_sqrt, 1},
    {"cbrt", CH_OP_cbrt, 1},
    {"exp", CH_OP_exp, 1},
    {"exp2", CH_OP_exp2, 1},
    {"expm1", CH_OP_expm1, 1},
    {"log", CH_OP_log, 1},
    {"log2", CH_OP_log2, 1},
    {"log1p", CH_OP_log1p, 1},
    {"sin", CH_OP_sin, 1},
    {"cos", CH_OP_cos, 1},
    {"tan", CH_OP_tan, 1},
    {"asin", CH_OP_asin, 1},
    {"acos", CH_OP_acos, 1},
    {"atan", CH_OP_atan, 1},
    {"sinh", CH_OP_sinh, 1},
    {"cosh", CH_OP_cosh, 1},
    {"tanh", CH_OP_tanh, 1},
    {"asinh", CH_OP_asinh, 1},
    {"acosh", CH_OP_acosh, 1},
    {"atanh", CH_OP_atanh, 1},
    {"erf", CH_OP_erf, 1},
    {"erfc", CH_OP_erfc, 1},
    {"lgamma", CH_OP_lgamma, 1},
    {"fabs", CH_OP_abs, 1},
    {"floor", CH_OP_floor, 1},
    {"ceil", CH_OP_ceil, 1},
    {"trunc", CH_OP_trunc, 1},
    {"round", CH_OP_round_away, 1},
    {"roundeven", CH_OP_round_even, 1},
    {"pow", CH_OP_pow, 2},
    {"atan2", CH_OP_atan2, 2},
    {"fmod", CH_OP_rem, 2},
    {"hypot", CH_OP_hypot, 2},
    {"copysign", CH_OP_copysign, 2},
    {"nextafter", CH_OP_nextafter, 2},
    {"fma", CH_OP_fma, 3},
};

static ch__value *libm_op(cf_lower *l, ch__opcode code, int n, cf_node *call) {
    ch__value *x[3];
    for (int i = 0; i < n; i++) x[i] = cf_plain(l, cf_scalar(l, call->kids[i + 1]));
    return &ch__build(&l->env->b, code, n, x, 0, NULL, 0, NULL, 0, NULL)->results[0];
}

// A row of libm.def. Further results go where the last argument points.
static cf_rv libm_row(cf_lower *l, const ch__libm_row *row, cf_node *call) {
    const char *form = row->form, *outs = strchr(form, '_') + 1;
    int n = (int)(outs - form) - 1;
    ch__value *x[3];
    cf_rv v = {.type = call->type};
    for (int i = 0; i < n; i++) {
        x[i] = cf_plain(l, cf_scalar(l, call->kids[i + 1]));
        if (form[i] == 'i') x[i] = ch__b_convert(&l->env->b, x[i], CH_I32);
    }
    ch__attr a = ch__attr_str(CH__ATTR_fn, row->name);
    ch__op *op = ch__build(&l->env->b, CH_OP_cmath, n, x, 1, &a, 0, NULL, 0, NULL);
    v.v = &op->results[0];
    if (v.v->type->dtype != cf_held(call->type)) v.v = ch__b_convert(&l->env->b, v.v, cf_held(call->type));
    if (outs[1]) {
        cf_rv to = cf_value(l, call->kids[n + 1]);
        cf_type *t = call->kids[n + 1]->type->of;
        ch__value *second = ch__b_convert(&l->env->b, &op->results[1], cf_held(t));
        if (to.p) cf_store(l, to.p, (cf_rv){.v = second, .type = t}, t, call->loc);
    }
    return v;
}

static bool is_float_number(const cf_node *call) { return call->n == 2 && call->kids[1]->type->kind == CF_FLOAT; }

// The macros of math.h end in builtins.
static bool libm_macro(cf_lower *l, const char *name, cf_node *n, cf_rv *out) {
    static const struct {
        const char *name;
        cf_op op;
    } ordered[] = {{"isgreater", CF_GT},   {"isgreaterequal", CF_GE},   {"isless", CF_LT},
                   {"islessequal", CF_LE}, {"islessgreater", CF_NO_OP}, {"isunordered", CF_NE}};
    ch__builder *b = &l->env->b;
    *out = (cf_rv){.type = n->type};
    if (!strcmp(name, "isfinite") && is_float_number(n)) {
        out->v = ch__b_unary(b, CH_OP_is_finite, cf_scalar(l, n->kids[1]));
        return true;
    }
    if (!strcmp(name, "huge_val") || !strcmp(name, "inf") || !strcmp(name, "huge_valf") || !strcmp(name, "inff")) {
        out->v = cf_number(l, n->type, 0, (double)INFINITY);
        return true;
    }
    if (!strcmp(name, "nan") || !strcmp(name, "nanf")) {
        out->v = cf_number(l, n->type, 0, (double)NAN);
        return true;
    }
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++) {
        if (strcmp(ordered[i].name, name) != 0 || n->n != 3) continue;
        ch__value *x = cf_scalar(l, n->kids[1]), *y = cf_scalar(l, n->kids[2]);
        if (ordered[i].op == CF_NO_OP)
            out->v = ch__b_binary(b, CH_OP_or, cf_compare(l, CF_LT, x, y), cf_compare(l, CF_GT, x, y));
        else if (ordered[i].op == CF_NE)
            out->v = ch__b_binary(b, CH_OP_or, cf_compare(l, CF_NE, x, x), cf_compare(l, CF_NE, y, y));
        else
            out->v = cf_compare(l, ordered[i].op, x, y);
        return true;
    }
    return false;
}

static const ch__libm_row *row_of(const char *name) {
    static const char *const other[][2] = {{"isinf_sign", "isinf"}, {"llrint", "lrint"},   {"llround", "lround"},
                                           {"scalbln", "scalbn"},   {"drem", "remainder"}, {"pow10", "exp10"},
                                           {"__isnan", "isnan"},    {"__isinf", "isinf"},  {"__signbit", "signbit"}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (!strcmp(name, other[i][0])) name = other[i][1];
    return ch__libm_find(name);
}

static bool by_name(cf_lower *l, const char *name, cf_node *n, cf_rv *out) {
    for (size_t i = 0; i < sizeof libm_ops / sizeof *libm_ops; i++)
        if (!strcmp(libm_ops[i].name, name) && n->n == libm_ops[i].n + 1) {
            *out = (cf_rv){.v = libm_op(l, libm_ops[i].code, libm_ops[i].n, n), .type = n->type};
            return true;
        }
    const ch__libm_row *row = row_of(name);
    if (!row || n->n < 2) return false;
    *out = libm_row(l, row, n);
    return true;
}

bool cf_libm_call(cf_lower *l, const char *name, cf_node *n, cf_rv *out) {
    bool builtin = strncmp(name, "__builtin_", 10) == 0;
    if (builtin) name += 10;
    if ((!strcmp(name, "abs") || !strcmp(name, "labs") || !strcmp(name, "llabs")) && n->n == 2) {
        ch__attr a = ch__attr_int(CH__ATTR_nowrap, 1);
        ch__value *x = cf_plain(l, cf_scalar(l, n->kids[1]));
        *out = (cf_rv){.v = &ch__build(&l->env->b, CH_OP_abs, 1, &x, 1, &a, 0, NULL, 0, NULL)->results[0],
                       .type = n->type};
        return true;
    }
    if (!strcmp(name, "sincos") && n->n == 4) {
        ch__value *x = cf_scalar(l, n->kids[1]);
        for (int i = 0; i < 2; i++) {
            cf_rv to = cf_value(l, n->kids[i + 2]);
            cf_type *t = n->kids[i + 2]->type->of;
            cf_rv v = {.v = ch__b_unary(&l->env->b, i ? CH_OP_cos : CH_OP_sin, x), .type = t};
            if (to.p) cf_store(l, to.p, v, t, n->loc);
        }
        *out = (cf_rv){.type = n->type};
        return true;
    }
    if (libm_macro(l, name, n, out)) return true;
    if (by_name(l, name, n, out)) return true;
    size_t len = strlen(name);
    char base[32];
    if (len < 3 || len >= sizeof base || name[len - 1] != 'f') return false;
    memcpy(base, name, len - 1);
    base[len - 1] = 0;
    return by_name(l, base, n, out);
}
