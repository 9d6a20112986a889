// SPDX-License-Identifier: Apache-2.0
// cexpr.c - C expressions with as few parentheses as they need, numbers that read back to their bits, conversions.
#include "cgen/emit.h"

#include <math.h>

cx ch__cx(const char *s, int prec) { return (cx){.s = s, .prec = prec}; }

const char *ch__cx_at(cg *g, cx e, int prec) { return e.prec >= prec ? e.s : ch__arena_printf(g->a, "(%s)", e.s); }

cx ch__cx_call(cg *g, const char *fn, int n, const cx *args) {
    ch__text t;
    ch__text_init(&t, g->a);
    ch__putf(&t, "%s(", fn);
    for (int i = 0; i < n; i++) ch__putf(&t, "%s%s", i ? ", " : "", args[i].s);
    ch__putc(&t, ')');
    return ch__cx(t.data, CX_PRIM);
}

cx ch__cx_call1(cg *g, const char *fn, cx x) { return ch__cx(ch__arena_printf(g->a, "%s(%s)", fn, x.s), CX_PRIM); }

cx ch__cx_call2(cg *g, const char *fn, cx x, cx y) {
    return ch__cx(ch__arena_printf(g->a, "%s(%s, %s)", fn, x.s, y.s), CX_PRIM);
}

// Bits, shifts, comparisons and logic take no operand of their own level or near it: compilers warn, people misread.
static cx binary(cg *g, const char *op, int prec, cx x, cx y) {
    bool strict = prec < CX_ADD;
    int left = !strict ? prec : prec <= CX_AND ? CX_BOR : CX_ADD, right = !strict ? prec + 1 : left;
    if (prec == CX_BAND || prec == CX_BOR || prec == CX_XOR || prec == CX_SHIFT) left = right = CX_UNARY;
    return ch__cx(ch__arena_printf(g->a, "%s %s %s", ch__cx_at(g, x, left), op, ch__cx_at(g, y, right)), prec);
}

cx ch__cx_minus(cx x) { return ch__cx(x.minus, x.minus_prec); }

// x + -u is x - u, -u + y is y - u, -u * y is -(u * y): the same bits, one sign less to read.
cx ch__cx_binary(cg *g, const char *op, int prec, cx x, cx y) {
    if (x.narrow && y.narrow && (prec == CX_ADD || prec == CX_MUL)) x = ch__cx_cast(g, "int64_t", x);
    if (prec == CX_ADD && y.minus) return binary(g, op[0] == '+' ? "-" : "+", prec, x, ch__cx_minus(y));
    if (prec == CX_ADD && op[0] == '+' && x.minus) return binary(g, "-", prec, y, ch__cx_minus(x));
    if ((prec == CX_REL || prec == CX_EQ) && (x.wide || y.wide) && (x.wide || x.literal) && (y.wide || y.literal)) {
        if (x.wide) x = ch__cx(x.wide, x.wide_prec); // ints compare as ints
        if (y.wide) y = ch__cx(y.wide, y.wide_prec);
    }
    cx r = binary(g, op, prec, x, y);
    r.narrow = prec >= CX_ADD && (x.narrow || y.narrow) && (x.narrow || x.literal) && (y.narrow || y.literal);
    if (prec != CX_MUL || op[0] == '%' || !x.minus == !y.minus) return r;
    cx u = binary(g, op, prec, x.minus ? ch__cx_minus(x) : x, y.minus ? ch__cx_minus(y) : y);
    r.minus = u.s;
    r.minus_prec = u.prec;
    return r;
}

cx ch__cx_cast(cg *g, const char *type, cx x) {
    return ch__cx(ch__arena_printf(g->a, "(%s)%s", type, ch__cx_at(g, x, CX_UNARY)), CX_UNARY);
}

const char *ch__cg_ctype(ch_dtype d) {
    switch (d) {
    case CH_BOOL: return "bool";
    case CH_I8: return "int8_t";
    case CH_I16: return "int16_t";
    case CH_I32: return "int32_t";
    case CH_I64: return "int64_t";
    case CH_U8: return "uint8_t";
    case CH_U16: return "uint16_t";
    case CH_U32: return "uint32_t";
    case CH_U64: return "uint64_t";
    case CH_F16:
    case CH_BF16: return "uint16_t";
    case CH_F32: return "float";
    case CH_F64: return "double";
    default: return "uint8_t";
    }
}

// ---------------------------------------------------------------- numbers
static cx c_number(cg *g, const char *s, bool negative) {
    cx r = {.s = ch__arena_strdup(g->a, s), .prec = negative ? CX_UNARY : CX_PRIM, .literal = true};
    if (negative) {
        r.minus = r.s + 1;
        r.minus_prec = CX_PRIM;
    }
    return r;
}

cx ch__cg_int(cg *g, int64_t v) {
    char s[64], digits[CH__NUM_CHARS];
    ch__format_i64(digits, v);
    if (v == INT64_MIN) return ch__cx("INT64_MIN", CX_PRIM);
    if (v >= -INT32_MAX && v <= INT32_MAX) return c_number(g, digits, v < 0);
    if (v < 0)
        snprintf(s, sizeof s, "-INT64_C(%s)", digits + 1);
    else
        snprintf(s, sizeof s, "INT64_C(%s)", digits);
    return c_number(g, s, v < 0);
}

static cx unsigned_literal(cg *g, ch_dtype d, uint64_t v) {
    char s[64];
    if (d == CH_U64)
        snprintf(s, sizeof s, v > 9 ? "UINT64_C(0x%" PRIx64 ")" : "UINT64_C(%" PRIx64 ")", v);
    else if (d == CH_U32)
        snprintf(s, sizeof s, v > 65535 ? "UINT32_C(0x%" PRIx64 ")" : "%" PRIu64 "u", v);
    else
        snprintf(s, sizeof s, "%" PRIu64, v);
    return c_number(g, s, false);
}

static cx float_literal(cg *g, ch_dtype d, double v, bool negative) {
    char s[CH__NUM_CHARS + 8], digits[CH__NUM_CHARS];
    if (isnan(v)) return ch__cx(negative ? "-NAN" : "NAN", negative ? CX_UNARY : CX_PRIM);
    if (isinf(v)) return ch__cx(negative ? "-INFINITY" : "INFINITY", negative ? CX_UNARY : CX_PRIM);
    if (d == CH_F32)
        ch__format_f32(digits, (float)v);
    else
        ch__format_f64(digits, v);
    snprintf(s, sizeof s, "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0", d == CH_F32 ? "f" : "");
    return c_number(g, s, negative);
}

bool ch__cg_plain_nan(ch_dtype d, const void *p) {
    uint32_t w;
    uint64_t q;
    if (d == CH_F32) {
        memcpy(&w, p, sizeof w);
        return (w & 0x7fffffff) <= 0x7f800000 || w == 0x7fc00000;
    }
    if (d == CH_F64) {
        memcpy(&q, p, sizeof q);
        return (q & INT64_MAX) <= UINT64_C(0x7ff0000000000000) || q == UINT64_C(0x7ff8000000000000);
    }
    return true;
}

cx ch__cg_literal(cg *g, ch_dtype d, const void *p) {
    uint64_t u = 0;
    memcpy(&u, p, ch_dtype_size(d)); // little endian
    float f;
    double v;
    switch (d) {
    case CH_BOOL: return ch__cx(u ? "true" : "false", CX_PRIM);
    case CH_I8: return ch__cg_int(g, (int8_t)u);
    case CH_I16: return ch__cg_int(g, (int16_t)u);
    case CH_I32: return (int32_t)u == INT32_MIN ? ch__cx("INT32_MIN", CX_PRIM) : ch__cg_int(g, (int32_t)u);
    case CH_I64: return ch__cg_int(g, (int64_t)u);
    case CH_F32:
        memcpy(&f, p, sizeof f);
        if (ch__cg_plain_nan(d, p)) return float_literal(g, d, (double)f, signbit(f));
        return ch__cx(
            ch__arena_printf(g->a, "%s(0x%08" PRIx32 ")", ch__cg_helper(g->file, "f32_of_bits", 0), (uint32_t)u),
            CX_PRIM);
    case CH_F64:
        memcpy(&v, p, sizeof v);
        if (ch__cg_plain_nan(d, p)) return float_literal(g, d, v, signbit(v));
        return ch__cx(
            ch__arena_printf(g->a, "%s(UINT64_C(0x%016" PRIx64 "))", ch__cg_helper(g->file, "f64_of_bits", 0), u),
            CX_PRIM);
    case CH_F16:
    case CH_BF16:
    case CH_F8E4M3:
    case CH_F8E5M2: return c_number(g, ch__arena_printf(g->a, "0x%0*" PRIx64, (int)(2 * ch_dtype_size(d)), u), false);
    default: return unsigned_literal(g, d, u);
    }
}

cx ch__cg_literal_f64(cg *g, ch_dtype d, double v) { return float_literal(g, d, v, signbit(v)); }

// ---------------------------------------------------------------- conversions, as ch__convert_n of the interpreter
static cx helper1(cg *g, const char *name, ch_dtype d, cx x) {
    return ch__cx_call1(g, ch__cg_helper(g->file, name, d), x);
}

static bool is_small_float(ch_dtype d) { return d == CH_F16 || d == CH_BF16 || d == CH_F8E4M3 || d == CH_F8E5M2; }

static cx from_small(cg *g, cx x, ch_dtype d) {
    return helper1(g, ch__arena_printf(g->a, "f32_of_%s", ch_dtype_name(d)), 0, x);
}

static cx to_small(cg *g, cx x, ch_dtype from, ch_dtype to) {
    bool f8 = ch_dtype_size(to) == 1;
    if (from != CH_F32 && from != CH_F64) { // by way of a double, which must not round
        if (from == CH_I64 || from == CH_U64)
            x = helper1(g, from == CH_I64 ? "odd_i64" : "odd_u64", 0, x);
        else if (from != CH_BOOL)
            x = ch__cx_cast(g, "double", x);
        from = from == CH_BOOL ? CH_F32 : CH_F64;
    }
    if (from == CH_F64 && f8) {
        x = helper1(g, "odd_f32", 0, x);
        from = CH_F32;
    }
    return helper1(g, ch__arena_printf(g->a, "%s_of_%s", ch_dtype_name(to), from == CH_F32 ? "f32" : "f64"), 0, x);
}

cx ch__cg_convert(cg *g, cx x, ch_dtype from, ch_dtype to) {
    if (from == to) return x;
    if (is_small_float(from)) {
        x = from_small(g, x, from);
        from = CH_F32;
        if (to == CH_F32) return x;
    }
    if (is_small_float(to)) return to_small(g, x, from, to);
    if (to == CH_BOOL) return ch__cx_binary(g, "!=", CX_EQ, x, ch__cx("0", CX_PRIM));
    if (ch__is_float(from) && ch__is_int(to))
        return helper1(g, ch__arena_printf(g->a, "%s_of", ch_dtype_name(to)), from, x);
    cx r = ch__cx_cast(g, ch__cg_ctype(to), x);
    bool is_int = from == CH_I32 || from == CH_I16 || from == CH_I8 || from == CH_U8 || from == CH_U16;
    if (to == CH_I64 && is_int && g->fn->face) {
        r.wide = x.s;
        r.wide_prec = x.prec;
    }
    return r;
}
