// SPDX-License-Identifier: Apache-2.0
// op_expr.c - one elementwise op as a C expression: the formulas of src/interp/elementwise*.c, dtype by dtype.
//
// f16 and bf16 are widened, computed in float and rounded back, except where the bits themselves matter. Integers are
// computed in an unsigned type, so that they wrap, unless the op promises nowrap. An operand stands once in what is
// made: where a formula needs it twice a helper is called.
#include "cgen/emit.h"

#include <math.h>
#include <stdlib.h>

static cx helper(cg *g, const char *name, ch_dtype d, int n, const cx *args) {
    return ch__cx_call(g, ch__cg_helper(g->file, name, d), n, args);
}

// A number alone is an int for C: give it the type it stands for where that matters.
static cx typed(cg *g, ch_dtype d, cx x) { return x.literal && ch__is_int(d) ? ch__cx_cast(g, ch__cg_ctype(d), x) : x; }

// ---------------------------------------------------------------- integers
static const char *wide_type(ch_dtype d) { return ch_dtype_size(d) == 8 ? "uint64_t" : "uint32_t"; }

static cx cast_back(cg *g, ch_dtype d, cx x) { return ch__cx_cast(g, ch__cg_ctype(d), x); }

// + - * in the unsigned type; u32 and u64 are that type.
static cx wrapping(cg *g, const char *op, int prec, ch_dtype d, cx x, cx y) {
    bool own = d == CH_U32 || d == CH_U64;
    if (own) return ch__cx_binary(g, op, prec, typed(g, d, x), y);
    bool bare_x = x.literal && x.s[0] != '-' && !y.literal, bare_y = y.literal && y.s[0] != '-';
    if (!bare_x) x = ch__cx_cast(g, wide_type(d), x); // the type of one makes that of both
    if (!bare_y) y = ch__cx_cast(g, wide_type(d), y);
    return cast_back(g, d, ch__cx_binary(g, op, prec, x, y));
}

static cx plain_int(cg *g, const char *op, int prec, ch_dtype d, cx x, cx y) {
    if (x.literal && y.literal) x = typed(g, d, x);
    cx r = ch__cx_binary(g, op, prec, x, y);
    return ch_dtype_size(d) < 4 ? cast_back(g, d, r) : r;
}

static cx int_binary(cg *g, const ch__op *op, ch_dtype d, const cx *x) {
    const val *v = val_of(g, &op->results[0]);
    bool nowrap = ch__op_int(op, CH__ATTR_nowrap, 0) != 0 || ch__cg_stays(op) ||
                  (v->uses > 0 && v->index_uses == v->uses && ch_dtype_size(d) == 8); // in range, so it did not wrap
    const char *name = ch__op_name((ch__opcode)op->code);
    switch (op->code) {
    case CH_OP_add: return (nowrap ? plain_int : wrapping)(g, "+", CX_ADD, d, x[0], x[1]);
    case CH_OP_sub: return (nowrap ? plain_int : wrapping)(g, "-", CX_ADD, d, x[0], x[1]);
    case CH_OP_mul: return (nowrap ? plain_int : wrapping)(g, "*", CX_MUL, d, x[0], x[1]);
    case CH_OP_div:
        if (nowrap) return plain_int(g, "/", CX_MUL, d, typed(g, d, x[0]), x[1]);
        break;
    case CH_OP_rem:
        if (nowrap) return plain_int(g, "%", CX_MUL, d, typed(g, d, x[0]), x[1]);
        break;
    case CH_OP_and: return plain_int(g, "&", CX_BAND, d, typed(g, d, x[0]), x[1]);
    case CH_OP_or: return plain_int(g, "|", CX_BOR, d, typed(g, d, x[0]), x[1]);
    case CH_OP_xor: return plain_int(g, "^", CX_XOR, d, typed(g, d, x[0]), x[1]);
    default: break;
    }
    return helper(g, name, d, 2, x);
}

static cx int_unary(cg *g, const ch__op *op, ch_dtype d, cx x) {
    const char *own = ch_dtype_size(d) == 1   ? "uint8_t"
                      : ch_dtype_size(d) == 2 ? "uint16_t"
                      : ch_dtype_size(d) == 4 ? "uint32_t"
                                              : "uint64_t";
    switch (op->code) {
    case CH_OP_neg:
        if (ch__op_int(op, CH__ATTR_nowrap, 0) != 0) {
            cx r = ch__cx(
                ch__arena_printf(g->a, "-%s", x.s[0] == '-' ? ch__cx_at(g, x, CX_PRIM) : ch__cx_at(g, x, CX_UNARY)),
                CX_UNARY);
            return ch_dtype_size(d) < 4 ? cast_back(g, d, r) : r;
        }
        return wrapping(g, "-", CX_ADD, d, (cx){.s = "0", .prec = CX_PRIM, .literal = true}, x);
    case CH_OP_not:
        return cast_back(g, d, ch__cx(ch__arena_printf(g->a, "~%s", ch__cx_at(g, typed(g, d, x), CX_UNARY)), CX_UNARY));
    case CH_OP_popcnt:
        return cast_back(g, d, ch__cx_call1(g, ch__cg_helper(g->file, "popcount", 0), ch__cx_cast(g, own, x)));
    case CH_OP_clz: {
        cx args[2] = {ch__cx_cast(g, own, x), ch__cg_int(g, 8 * (int64_t)ch_dtype_size(d))};
        return cast_back(g, d, ch__cx_call(g, ch__cg_helper(g->file, "leading_zeros", 0), 2, args));
    }
    default: return helper(g, ch__op_name((ch__opcode)op->code), d, 1, &x); // abs sign
    }
}

static cx bool_op(cg *g, const ch__op *op, const cx *x) {
    switch (op->code) {
    case CH_OP_not: return ch__cx(ch__arena_printf(g->a, "!%s", ch__cx_at(g, x[0], CX_UNARY)), CX_UNARY);
    case CH_OP_or:
    case CH_OP_max: return ch__cx_binary(g, "||", CX_OR, x[0], x[1]);
    case CH_OP_xor:
        if (strcmp(x[0].s, x[1].s) == 0)
            return ch__cx(ch__arena_printf(g->a, "((void)%s, false)", ch__cx_at(g, x[0], CX_UNARY)), CX_PRIM);
        return ch__cx_binary(g, "!=", CX_EQ, x[0], x[1]);
    default: return ch__cx_binary(g, "&&", CX_AND, x[0], x[1]); // and min
    }
}

// ---------------------------------------------------------------- floats
static const char *libm_name(cg *g, const char *fn, ch_dtype d) {
    g->file->math = true;
    return d == CH_F32 ? ch__arena_printf(g->a, "%sf", fn) : fn;
}

static cx negated(cg *g, cx x) {
    if (x.minus) return ch__cx_minus(x);
    bool dash = x.s[0] == '-';
    cx r = ch__cx(ch__arena_printf(g->a, "-%s", ch__cx_at(g, x, dash ? CX_PRIM + 1 : CX_UNARY)), CX_UNARY);
    r.minus = x.s;
    r.minus_prec = x.prec;
    return r;
}

// The native engine's own function for op, or NULL.
static const char *fast_name(ch__opcode op, ch_dtype d) {
    bool wide = d == CH_F64;
    switch (op) {
    case CH_OP_exp: return wide ? "fast_exp_f64" : "fast_exp";
    case CH_OP_log: return wide ? "fast_log_f64" : "fast_log";
    case CH_OP_tanh: return wide ? "fast_tanh_f64" : "fast_tanh";
    case CH_OP_sigmoid: return wide ? "fast_sigmoid_f64" : "fast_sigmoid";
    case CH_OP_erf: return wide ? NULL : "fast_erf";
    case CH_OP_sin: return wide ? NULL : "fast_sin";
    case CH_OP_cos: return wide ? NULL : "fast_cos";
    default: return NULL;
    }
}

// The larger or smaller of x and y in the native engine. With a number that is known one comparison gives the bits.
static cx fast_extreme(cg *g, bool max, ch_dtype d, const ch__value *const *v, const cx *x) {
    double c;
    for (int i = 0; i < 2; i++) {
        if (!ch__cg_known_number(v[i], d, &c) || (!max && c == 0 && signbit(c))) continue;
        cx args[2] = {x[i], x[1 - i]};
        if (max && c == 0 && !signbit(c)) return helper(g, "not_negative", d, 1, args + 1);
        return helper(g, max ? "at_least" : "at_most", d, 2, args);
    }
    return helper(g, max ? "fast_max" : "fast_min", d, 2, x);
}

// x - m with m the largest of a row of x: never above 0.
static bool is_below_largest(const ch__value *v) {
    const ch__op *d = v->op, *m = d && d->code == CH_OP_sub ? d->operands[1]->op : NULL;
    while (m && (m->code == CH_OP_broadcast || m->code == CH_OP_reshape)) m = m->operands[0]->op;
    return m && m->code == CH_OP_reduce && ch__op_int(m, CH__ATTR_kind, 0) == CH__MAX &&
           m->operands[0] == d->operands[0];
}

static const char *exp_name(const ch__value *x) {
    return is_below_largest(x) ? "fast_exp_below" : ch__cg_bound(x) <= 1 ? "fast_exp_small" : "fast_exp";
}

// f32 and f64.
static cx float_op(cg *g, const ch__op *op, ch_dtype d, const cx *x) {
    const char *name = ch__op_name((ch__opcode)op->code);
    if (g->file->native) {
        const char *fast = fast_name((ch__opcode)op->code, d);
        if (fast) g->file->math = true;
        if (op->code == CH_OP_exp && d == CH_F32) fast = exp_name(op->operands[0]);
        if (fast) return ch__cx_call1(g, ch__cg_helper(g->file, fast, 0), x[0]);
    }
    switch (op->code) {
    case CH_OP_add: return ch__cx_binary(g, "+", CX_ADD, x[0], x[1]);
    case CH_OP_sub: return ch__cx_binary(g, "-", CX_ADD, x[0], x[1]);
    case CH_OP_mul: return ch__cx_binary(g, "*", CX_MUL, x[0], x[1]);
    case CH_OP_div: return ch__cx_binary(g, "/", CX_MUL, x[0], x[1]);
    case CH_OP_neg: return negated(g, x[0]);
    case CH_OP_abs: return ch__cx_call1(g, libm_name(g, "fabs", d), x[0]);
    case CH_OP_rem: return ch__cx_call2(g, libm_name(g, "fmod", d), x[0], x[1]);
    case CH_OP_round_even: return ch__cx_call1(g, libm_name(g, "rint", d), x[0]);
    case CH_OP_round_away: return ch__cx_call1(g, libm_name(g, "round", d), x[0]);
    case CH_OP_rsqrt:
        return ch__cx_binary(g, "/", CX_MUL, ch__cx("1", CX_PRIM), ch__cx_call1(g, libm_name(g, "sqrt", d), x[0]));
    case CH_OP_is_finite: g->file->math = true; return ch__cx_call1(g, "isfinite", x[0]);
    case CH_OP_min:
    case CH_OP_max:
        g->file->math = true;
        if (g->file->native) {
            const ch__value *v[2] = {op->operands[0], op->operands[1]};
            return fast_extreme(g, op->code == CH_OP_max, d, v, x);
        }
        return helper(g, name, d, 2, x);
    case CH_OP_sign:
    case CH_OP_sigmoid: g->file->math = true; return helper(g, name, d, op->n_operands, x);
    case CH_OP_clamp: {
        g->file->math = true;
        if (g->file->native) {
            const ch__value *low[2] = {op->operands[1], op->operands[0]}, *high[2] = {op->operands[1], op->operands[2]};
            cx with_low[2] = {x[1], x[0]}, with_high[2] = {fast_extreme(g, true, d, low, with_low), x[2]};
            return fast_extreme(g, false, d, high, with_high);
        }
        cx low[2] = {x[1], x[0]}, high[2] = {helper(g, "max", d, 2, low), x[2]};
        return helper(g, "min", d, 2, high);
    }
    case CH_OP_digamma:
    case CH_OP_polygamma: {
        g->file->math = true;
        cx wide = d == CH_F64 ? x[0] : ch__cx_cast(g, "double", x[0]), r;
        if (op->code == CH_OP_digamma) {
            r = helper(g, "digamma", 0, 1, &wide);
        } else {
            cx args[2] = {ch__cg_int(g, ch__op_int(op, CH__ATTR_n, 0)), wide};
            r = helper(g, "polygamma", 0, 2, args);
        }
        return d == CH_F64 ? r : ch__cx_cast(g, "float", r);
    }
    case CH_OP_exp2: return ch__cx_call1(g, libm_name(g, "exp2", d), x[0]);
    default: return ch__cx_call(g, libm_name(g, name, d), op->n_operands, x); // libm's own name
    }
}

// The few ops that f16 and bf16 have formulas of their own for. false: none, go through float.
static bool half_op(cg *g, const ch__op *op, ch_dtype d, const cx *x, cx *out) {
    const char *inf = d == CH_F16 ? "0x7c00" : "0x7f80";
    switch (op->code) {
    case CH_OP_neg: *out = cast_back(g, d, ch__cx_binary(g, "^", CX_XOR, x[0], ch__cx("0x8000", CX_PRIM))); return true;
    case CH_OP_abs:
        *out = cast_back(g, d, ch__cx_binary(g, "&", CX_BAND, x[0], ch__cx("0x7fff", CX_PRIM)));
        return true;
    case CH_OP_is_finite: {
        cx e = ch__cx_binary(g, "&", CX_BAND, x[0], ch__cx(inf, CX_PRIM));
        *out =
            ch__cx_binary(g, "!=", CX_EQ, ch__cx(ch__arena_printf(g->a, "(%s)", e.s), CX_PRIM), ch__cx(inf, CX_PRIM));
        return true;
    }
    case CH_OP_copysign: {
        cx m = ch__cx_binary(g, "&", CX_BAND, x[0], ch__cx("0x7fff", CX_PRIM));
        cx s = ch__cx_binary(g, "&", CX_BAND, x[1], ch__cx("0x8000", CX_PRIM));
        *out = cast_back(g, d, ch__cx_binary(g, "|", CX_BOR, m, s));
        return true;
    }
    case CH_OP_nextafter: {
        cx args[3] = {x[0], x[1], ch__cx(inf, CX_PRIM)};
        *out = helper(g, "next_half", 0, 3, args);
        return true;
    }
    case CH_OP_fma:
        g->file->math = true;
        *out = helper(g, d == CH_F16 ? "fma_f16" : "fma_bf16", 0, 3, x);
        return true;
    case CH_OP_digamma: return false;
    case CH_OP_polygamma: { // from and to double, rounded once
        g->file->math = true;
        cx wide = ch__cx_cast(g, "double", ch__cg_convert(g, x[0], d, CH_F32));
        cx args[2] = {ch__cg_int(g, ch__op_int(op, CH__ATTR_n, 0)), wide};
        *out = ch__cg_convert(g, helper(g, "polygamma", 0, 2, args), CH_F64, d);
        return true;
    }
    default: return false;
    }
}

// 1 always, 0 never, -1 it depends: an integer beside the smallest or largest one of its dtype.
static int known_by_range(cg *g, ch_dtype d, int dir, const cx *x) {
    if (!ch__is_int(d)) return -1;
    uint64_t ones = UINT64_MAX >> (64 - 8 * ch_dtype_size(d)), low = ch__is_signed(d) ? (ones >> 1) + 1 : 0,
             high = ch__is_signed(d) ? ones >> 1 : ones;
    const char *lo = ch__cg_literal(g, d, &low).s, *hi = ch__cg_literal(g, d, &high).s;
    for (int k = 0; k < 2; k++) { // k = 1: as if the operands had changed places
        const char *end = x[1 - k].s;
        bool less = dir == CH__LT || dir == CH__LE, strict = dir == CH__LT || dir == CH__GT;
        if (dir == CH__EQ || dir == CH__NE) return -1;
        if (k == 1) less = !less;
        if (strcmp(end, lo) == 0 && less == strict) return !strict;
        if (strcmp(end, hi) == 0 && less != strict) return !strict;
    }
    return -1;
}

static cx compare_expr(cg *g, const ch__op *op, ch_dtype d, const cx *x) {
    static const char *const words[] = {
        [CH__EQ] = "==", [CH__NE] = "!=", [CH__LT] = "<", [CH__LE] = "<=", [CH__GT] = ">", [CH__GE] = ">="};
    int dir = (int)ch__op_int(op, CH__ATTR_dir, CH__EQ);
    // What is known beforehand compilers complain about: a value compared with itself, or with the end of its range.
    int known = ch__is_float(d)               ? -1
                : strcmp(x[0].s, x[1].s) == 0 ? (dir == CH__EQ || dir == CH__LE || dir == CH__GE)
                                              : known_by_range(g, d, dir, x);
    if (known >= 0)
        return ch__cx(ch__arena_printf(g->a, "((void)%s, %s)", ch__cx_at(g, x[0].literal ? x[1] : x[0], CX_UNARY),
                                       known ? "true" : "false"),
                      CX_PRIM);
    cx a = x[0], b = x[1];
    if (d == CH_BOOL && dir >= CH__LT) { // as 0 and 1
        a = ch__cx_cast(g, "int", a);
        b = ch__cx_cast(g, "int", b);
    }
    return ch__cx_binary(g, words[dir], dir <= CH__NE ? CX_EQ : CX_REL, a, b);
}

static cx bitcast(cg *g, cx x, ch_dtype from, ch_dtype to) {
    bool f = from == CH_F32 || from == CH_F64, t = to == CH_F32 || to == CH_F64;
    if (f == t) return from == to || !strcmp(ch__cg_ctype(from), ch__cg_ctype(to)) ? x : cast_back(g, to, x);
    if (f) {
        x = ch__cx_call1(g, ch__cg_helper(g->file, from == CH_F32 ? "bits_of_f32" : "bits_of_f64", 0), x);
        return ch__is_signed(to) ? cast_back(g, to, x) : x;
    }
    if (ch__is_signed(from)) x = ch__cx_cast(g, to == CH_F32 ? "uint32_t" : "uint64_t", x);
    return ch__cx_call1(g, ch__cg_helper(g->file, to == CH_F32 ? "f32_of_bits" : "f64_of_bits", 0), x);
}

// A condition chooses by !=, so that what stands before ? reads as a sentence.
static cx choose(cg *g, const cx *x) {
    return ch__cx(ch__arena_printf(g->a, "%s ? %s : %s", ch__cx_at(g, x[0], CX_OR), ch__cx_at(g, x[1], CX_OR),
                                   ch__cx_at(g, x[2], CX_OR)),
                  CX_COND);
}

// ---------------------------------------------------------------- cmath with one result
static cx cmath(cg *g, const ch__op *op, const cx *x) {
    const char *fn = ch__op_attr(op, CH__ATTR_fn)->s;
    const char *form = ch__libm_find(fn)->form;
    ch_dtype out = op->results[0].type->dtype, wide = CH_F32;
    cx args[3];
    g->file->math = true;
    for (int i = 0; i < op->n_operands; i++)
        if (op->operands[i]->type->dtype == CH_F64) wide = CH_F64;
    const char *outs = strchr(form, '_') + 1;
    if (outs[0] != 'd') wide = CH_F64; // integers are the same of either
    for (int i = 0; i < op->n_operands; i++) {
        ch_dtype d = op->operands[i]->type->dtype;
        args[i] =
            form[i] == 'i' ? (d == CH_I32 ? x[i] : ch__cx_cast(g, "int", x[i])) : ch__cg_convert(g, x[i], d, wide);
    }
    bool predicate = !strcmp(fn, "isnan") || !strcmp(fn, "isinf") || !strcmp(fn, "signbit");
    cx r = ch__cx_call(g, outs[0] == 'd' ? libm_name(g, fn, wide) : fn, op->n_operands, args);
    if (strlen(fn) == 2 && (fn[0] == 'j' || fn[0] == 'y')) {
        const char *type = wide == CH_F32 ? "float" : "double";
        ch__cg_extern(g->file, ch__arena_printf(g->file->a, "%s %s(%s%s);", type, libm_name(g, fn, wide),
                                                form[0] == 'i' ? "int, " : "", type));
    }
    if (!strcmp(fn, "exp10")) ch__cg_extern(g->file, wide == CH_F32 ? "float exp10f(float);" : "double exp10(double);");
    if (predicate) return ch__cx_cast(g, ch__cg_ctype(out), ch__cx_binary(g, "!=", CX_EQ, r, ch__cx("0", CX_PRIM)));
    if (outs[0] != 'd') return ch__cg_convert(g, r, CH_I64, out);
    return ch__cg_convert(g, r, wide, out);
}

// ---------------------------------------------------------------- any
cx ch__cg_op_expr(cg *g, const ch__op *op, const cx *x) {
    ch_dtype d = op->operands[0]->type->dtype, out = op->results[0].type->dtype;
    cx r;
    switch (op->code) {
    case CH_OP_convert: return ch__cg_convert(g, x[0], d, out);
    case CH_OP_bitcast: return bitcast(g, x[0], d, out);
    case CH_OP_select: return choose(g, x);
    case CH_OP_cmath: return cmath(g, op, x);
    case CH_OP_compare:
        if (ch__cg_is_half(d)) {
            cx wide[2] = {ch__cg_convert(g, x[0], d, CH_F32), ch__cg_convert(g, x[1], d, CH_F32)};
            return compare_expr(g, op, CH_F32, wide);
        }
        return compare_expr(g, op, d, x);
    default: break;
    }
    if (d == CH_BOOL) return bool_op(g, op, x);
    if (ch__is_int(d)) {
        if (op->code == CH_OP_clamp) {
            cx low[2] = {x[1], x[0]}, high[2] = {helper(g, "max", d, 2, low), x[2]};
            return helper(g, "min", d, 2, high);
        }
        return op->n_operands == 1 ? int_unary(g, op, d, x[0]) : int_binary(g, op, d, x);
    }
    if (ch__cg_is_half(d)) {
        if (half_op(g, op, d, x, &r)) return r;
        cx wide[3];
        for (int i = 0; i < op->n_operands; i++) wide[i] = ch__cg_convert(g, x[i], d, CH_F32);
        return ch__cg_convert(g, float_op(g, op, CH_F32, wide), CH_F32, out);
    }
    return float_op(g, op, d, x);
}
