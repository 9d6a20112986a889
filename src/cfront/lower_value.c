// SPDX-License-Identifier: Apache-2.0
// lower_value.c - C's numbers in IR.
//
// Every signed integer type is held as i64: overflow is undefined in C, so the wider sum is the same where it is
// defined, and conversions to a narrower type cut off explicitly. unsigned int and unsigned long wrap: u32 and u64.
// Smaller
// unsigned types and _Bool are promoted to int before anything is done with them: i64. A comparison gives bool[], which
// stands for an int until a number is wanted.
#include "cfront/lower.h"

ch_dtype cf_held(const cf_type *t) {
    if (t->kind == CF_FLOAT) return t->bits == 32 ? CH_F32 : CH_F64;
    if (t->kind == CF_INT && !t->is_signed && t->bits >= 32) return t->bits == 32 ? CH_U32 : CH_U64;
    return CH_I64;
}

ch_dtype cf_memory(const cf_type *t) {
    if (t->kind == CF_FLOAT) return t->bits == 32 ? CH_F32 : CH_F64;
    if (t->kind == CF_BOOL) return CH_BOOL;
    switch (t->bits) {
    case 8: return t->is_signed ? CH_I8 : CH_U8;
    case 16: return t->is_signed ? CH_I16 : CH_U16;
    case 32: return t->is_signed ? CH_I32 : CH_U32;
    default: return t->is_signed ? CH_I64 : CH_U64;
    }
}

// ---------------------------------------------------------------- constants
static ch__value *element(cf_lower *l, ch_dtype d, const void *p) {
    return ch__b_const(&l->env->b, &(ch__array){.dtype = d, .data = (void *)(uintptr_t)p, .splat = true});
}

ch__value *cf_i64(cf_lower *l, int64_t v) { return element(l, CH_I64, &v); }

ch__value *cf_number(cf_lower *l, const cf_type *t, int64_t i, double f) {
    ch_dtype d = cf_held(t);
    float f32 = (float)f;
    uint32_t u32 = (uint32_t)i;
    switch (d) {
    case CH_F32: return element(l, d, &f32);
    case CH_F64: return element(l, d, &f);
    case CH_U32: return element(l, d, &u32);
    default: return element(l, d, &i);
    }
}

ch__value *cf_zero(cf_lower *l, const ch__type *t) {
    static const uint64_t zero[2];
    if (t->rank == 0) return element(l, t->dtype, zero);
    if (!ch__type_is_static(t)) {
        const cf_loc at = l->call && l->call->site ? l->call->site->loc
                          : l->call && l->call->f  ? l->call->f->loc
                                                   : (cf_loc){0};
        cf_refuse(l, "CH133", at, "set it first", "an array of a size that is not a constant is read before it is set");
        return ch__b_splat(&l->env->b, t, 0.0); // thrown away with the rest
    }
    return &ch__build(&l->env->b, CH_OP_alloc, 0, NULL, 0, NULL, 1, &t, 0, NULL)->results[0];
}

bool cf_known(const ch__value *v, int64_t *out) {
    const ch__array *c = v ? ch__const_of(v) : NULL;
    if (!c || v->type->rank || !ch__is_int(c->dtype)) return false;
    uint32_t u32;
    switch (c->dtype) {
    case CH_I64:
    case CH_U64: memcpy(out, c->data, sizeof *out); return true;
    case CH_U32:
        memcpy(&u32, c->data, sizeof u32);
        *out = u32;
        return true;
    default: return false;
    }
}

// Constants, comparisons of constants, and what is made of those.
bool cf_decided(const ch__value *v, bool *out) {
    bool x, y;
    int64_t i, j;
    const ch__op *op = v->op;
    const ch__array *c = ch__const_of(v);
    if (c && c->dtype == CH_BOOL && v->type->rank == 0) {
        *out = *(const uint8_t *)c->data != 0;
        return true;
    }
    if (!op) return false;
    switch (op->code) {
    case CH_OP_not:
        if (v->type->dtype != CH_BOOL || !cf_decided(op->operands[0], &x)) return false;
        *out = !x;
        return true;
    case CH_OP_and:
    case CH_OP_or: {
        if (v->type->dtype != CH_BOOL) return false;
        bool dx = cf_decided(op->operands[0], &x), dy = cf_decided(op->operands[1], &y), ends = op->code == CH_OP_or;
        *out = ends;
        if ((dx && x == ends) || (dy && y == ends)) return true;
        *out = !ends;
        return dx && dy;
    }
    case CH_OP_compare: {
        if (!cf_known(op->operands[0], &i) || !cf_known(op->operands[1], &j)) return false;
        if (op->operands[0]->type->dtype != CH_I64) return false;
        ch__dir dir = (ch__dir)ch__op_attr(op, CH__ATTR_dir)->i;
        *out = dir == CH__LT   ? i < j
               : dir == CH__LE ? i <= j
               : dir == CH__GT ? i > j
               : dir == CH__GE ? i >= j
               : dir == CH__EQ ? i == j
                               : i != j;
        return true;
    }
    default: return false;
    }
}

// ---------------------------------------------------------------- conversions
ch__value *cf_plain(cf_lower *l, ch__value *v) {
    return v->type->dtype == CH_BOOL ? ch__b_convert(&l->env->b, v, CH_I64) : v;
}

ch__value *cf_truth(cf_lower *l, ch__value *v) {
    if (v->type->dtype == CH_BOOL) return v;
    return ch__b_compare(&l->env->b, CH__NE, v, cf_zero(l, ch__type_scalar(v->type->dtype)));
}

ch__value *cf_index(cf_lower *l, ch__value *v) {
    int64_t i;
    if (v->type->dtype != CH_I64 && cf_known(v, &i)) return cf_i64(l, i);
    if (v->type->dtype == CH_U64 && v->op && v->op->code == CH_OP_convert && v->op->operands[0]->type->dtype == CH_I64)
        return v->op->operands[0]; // (size_t)n
    return ch__b_convert(&l->env->b, cf_plain(l, v), CH_I64);
}

static ch__value *cut(cf_lower *l, ch__value *v, ch_dtype d) {
    return ch__b_convert(&l->env->b, ch__b_convert(&l->env->b, v, d), CH_I64);
}

// Every value of `from` is one of `to`.
static bool fits(const cf_type *from, const cf_type *to) {
    if (from->kind == CF_BOOL) return true;
    if (from->is_signed == to->is_signed) return from->bits <= to->bits;
    return to->is_signed && from->bits < to->bits;
}

ch__value *cf_convert(cf_lower *l, ch__value *v, const cf_type *from, const cf_type *to) {
    ch__builder *b = &l->env->b;
    int64_t known;
    if (to->kind == CF_BOOL) return cf_plain(l, cf_truth(l, v));
    v = cf_plain(l, v);
    if (to->kind == CF_FLOAT || from->kind == CF_FLOAT) {
        if (to->kind == CF_FLOAT) {
            if (v->type->dtype == CH_I64 && cf_known(v, &known)) return cf_number(l, to, 0, (double)known);
            return ch__b_convert(b, v, cf_held(to));
        }
        // Where C says nothing it saturates; what is narrower than a register is cut, as machines do it.
        if (to->bits < 32) return cut(l, ch__b_convert(b, ch__b_convert(b, v, CH_I32), CH_I64), cf_memory(to));
        if (to->bits == 32 && !to->is_signed) v = ch__b_convert(b, v, CH_I64);
        v = ch__b_convert(b, v, cf_memory(to));
        return cf_held(to) == v->type->dtype ? v : ch__b_convert(b, v, cf_held(to));
    }
    if (cf_known(v, &known) && fits(from, to)) return cf_number(l, to, known, 0);
    if (to->is_signed || to->bits < 32) {
        if (v->type->dtype != CH_I64) { // from unsigned
            if (fits(from, to)) return ch__b_convert(b, v, CH_I64);
            return cf_memory(to) == CH_I64 ? ch__b_convert(b, v, CH_I64) : cut(l, v, cf_memory(to));
        }
        return fits(from, to) ? v : cut(l, v, cf_memory(to));
    }
    return ch__b_convert(b, v, cf_held(to));
}

// ---------------------------------------------------------------- arithmetic
ch__value *cf_compare(cf_lower *l, cf_op op, ch__value *x, ch__value *y) {
    ch__dir dir = op == CF_LT   ? CH__LT
                  : op == CF_LE ? CH__LE
                  : op == CF_GT ? CH__GT
                  : op == CF_GE ? CH__GE
                  : op == CF_EQ ? CH__EQ
                                : CH__NE;
    return ch__b_compare(&l->env->b, dir, cf_plain(l, x), cf_plain(l, y));
}

static ch__value *integer_op(cf_lower *l, ch__opcode code, ch__value *x, ch__value *y, bool nowrap) {
    ch__attr a = ch__attr_int(CH__ATTR_nowrap, 1);
    return &ch__build(&l->env->b, code, 2, (ch__value *[]){x, y}, nowrap, &a, 0, NULL, 0, NULL)->results[0];
}

static bool folded(cf_op op, int64_t x, int64_t y, int64_t *out) {
    switch (op) {
    case CF_ADD: return ch__add_i64(x, y, out);
    case CF_SUB: return y != INT64_MIN && ch__add_i64(x, -y, out);
    case CF_MUL: return ch__mul_i64(x, y, out);
    default: return false;
    }
}

ch__value *cf_arith(cf_lower *l, cf_op op, const cf_type *t, ch__value *x, ch__value *y) {
    static const ch__opcode codes[] = {
        [CF_ADD] = CH_OP_add, [CF_SUB] = CH_OP_sub, [CF_MUL] = CH_OP_mul, [CF_DIV] = CH_OP_div, [CF_REM] = CH_OP_rem,
        [CF_SHL] = CH_OP_shl, [CF_SHR] = CH_OP_shr, [CF_AND] = CH_OP_and, [CF_OR] = CH_OP_or,   [CF_XOR] = CH_OP_xor};
    ch_dtype d = cf_held(t);
    int64_t i, j, k;
    x = cf_plain(l, x);
    y = cf_plain(l, y);
    if (op == CF_SHL || op == CF_SHR) y = ch__b_convert(&l->env->b, y, d);
    if (ch__is_float(d)) return ch__b_binary(&l->env->b, codes[op], x, y);
    if (d == CH_I64 && cf_known(x, &i) && cf_known(y, &j) && folded(op, i, j, &k)) return cf_i64(l, k);
    bool promises = op == CF_DIV || op == CF_REM || (d == CH_I64 && (op == CF_ADD || op == CF_SUB || op == CF_MUL));
    return integer_op(l, codes[op], x, y, promises);
}

ch__value *cf_add_index(cf_lower *l, ch__value *x, ch__value *y) {
    int64_t i, j;
    if (!x || (cf_known(x, &i) && i == 0)) return y;
    if (!y || (cf_known(y, &j) && j == 0)) return x;
    if (cf_known(x, &i) && cf_known(y, &j) && ch__add_i64(i, j, &i)) return cf_i64(l, i);
    return integer_op(l, CH_OP_add, x, y, true);
}

ch__value *cf_mul_index(cf_lower *l, ch__value *x, ch__value *y) {
    int64_t i, j;
    if (!x || (cf_known(x, &i) && i == 1)) return y;
    if (!y || (cf_known(y, &j) && j == 1)) return x;
    if (cf_known(x, &i) && cf_known(y, &j) && ch__mul_i64(i, j, &i)) return cf_i64(l, i);
    return integer_op(l, CH_OP_mul, x, y, true);
}
