// SPDX-License-Identifier: Apache-2.0
// hlo/emit_helper.c - operations of the IR that StableHLO lacks, as private funcs.
//
//     func.func private @chaac.exp2.0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {chaac.op = "exp2"} {
//
// Whoever runs the text computes the body; this project reads the operation back, so that neither bits nor derivatives
// are lost. There is one func for each operation, function name and types. The bodies are built with the builder from
// operations that have lines of their own. Bodies agree with the operation to a few units in the last place, the
// integer ones and trunc, copysign, rint to the bit; fma is exact in f32 and narrower (computed in f64).
#include "hlo/emit.h"

#include <math.h>
#include <string.h>

bool ch__emit_needs_helper(const ch__op *op) {
    switch ((ch__opcode)op->code) {
    case CH_OP_trunc:
    case CH_OP_exp2:
    case CH_OP_log2:
    case CH_OP_copysign:
    case CH_OP_hypot:
    case CH_OP_fma:
    case CH_OP_cmath:
    case CH_OP_rng_bits:
    case CH_OP_stop_gradient: return true;
    case CH_OP_bitcast: return (op->operands[0]->type->dtype == CH_BOOL) != (op->results[0].type->dtype == CH_BOOL);
    default: return false;
    }
}

// ---------------------------------------------------------------- bodies

static ch__value *hlo_emit_h_like(ch__builder *b, ch__value *x, double v) { return ch__b_splat_like(b, x, v); }

static ch__value *hlo_emit_h_trunc(ch__builder *b, ch__value *x) {
    ch__value *negative = ch__b_compare(b, CH__LT, x, hlo_emit_h_like(b, x, 0));
    ch__value *up = ch__b_unary(b, CH_OP_ceil, x), *down = ch__b_unary(b, CH_OP_floor, x);
    return ch__b_select(b, negative, up, down);
}

static ch__value *hlo_emit_h_bitcast(ch__builder *b, ch__value *x, ch_dtype d) {
    const ch__type *t = ch__type_with_dtype(ch__builder_arena(b), x->type, d);
    return &ch__build(b, CH_OP_bitcast, 1, &x, 0, NULL, 1, &t, 0, NULL)->results[0];
}

static ch__value *hlo_emit_h_mask(ch__builder *b, ch__value *like, uint64_t bits) {
    ch__value *v = ch__b_const(b, &(ch__array){.dtype = like->type->dtype, .data = &bits, .splat = true});
    return ch__b_broadcast_to(b, v, like->type);
}

static ch__value *hlo_emit_h_copysign(ch__builder *b, ch__value *x, ch__value *y) {
    size_t size = ch_dtype_size(x->type->dtype);
    ch_dtype u = ch__int_dtype(size, false);
    uint64_t top = UINT64_C(1) << (8 * size - 1);
    ch__value *bx = hlo_emit_h_bitcast(b, x, u), *by = hlo_emit_h_bitcast(b, y, u);
    bx = ch__b_binary(b, CH_OP_and, bx, hlo_emit_h_mask(b, bx, top - 1));
    by = ch__b_binary(b, CH_OP_and, by, hlo_emit_h_mask(b, by, top));
    return hlo_emit_h_bitcast(b, ch__b_binary(b, CH_OP_or, bx, by), x->type->dtype);
}

static ch__value *hlo_emit_h_hypot(ch__builder *b, ch__value *x, ch__value *y) {
    ch__value *ax = ch__b_unary(b, CH_OP_abs, x), *ay = ch__b_unary(b, CH_OP_abs, y);
    ch__value *most = ch__b_binary(b, CH_OP_max, ax, ay), *least = ch__b_binary(b, CH_OP_min, ax, ay);
    ch__value *zero = hlo_emit_h_like(b, x, 0), *inf = hlo_emit_h_like(b, x, (double)INFINITY);
    ch__value *r =
        ch__b_div(b, least, ch__b_select(b, ch__b_compare(b, CH__EQ, most, zero), hlo_emit_h_like(b, x, 1), most));
    ch__value *root = ch__b_unary(b, CH_OP_sqrt, ch__b_add(b, hlo_emit_h_like(b, x, 1), ch__b_mul(b, r, r)));
    ch__value *v = ch__b_mul(b, most, root);
    ch__value *wide = ch__b_binary(b, CH_OP_or, ch__b_compare(b, CH__EQ, ax, inf), ch__b_compare(b, CH__EQ, ay, inf));
    return ch__b_select(b, wide, inf, v);
}

static ch__value *hlo_emit_h_fma(ch__builder *b, ch__value *const *in) {
    ch_dtype d = in[0]->type->dtype;
    ch__value *v[3];
    for (int i = 0; i < 3; i++) v[i] = ch__b_convert(b, in[i], CH_F64);
    return ch__b_convert(b, ch__b_add(b, ch__b_mul(b, v[0], v[1]), v[2]), d);
}

// Threefry-2x32, 20 rounds, of counter + i/2; word i % 2.
static ch__value *hlo_emit_h_rng(ch__builder *b, ch__value *key, ch__value *counter, const ch__type *type) {
    static const int turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    ch__arena *a = ch__builder_arena(b);
    ch__value *k[3], *x[2];
    ch__dim n = ch__type_numel(a, type), dims[2] = {ch__dim_const((n.val + 1) / 2), ch__dim_const(1)};
    const ch__type *row = ch__type_make(a, CH_U64, 1, dims, NULL), *words = ch__type_with_dtype(a, row, CH_U32);
    ch__value *c = ch__b_add(b, ch__b_broadcast_to(b, counter, row), ch__b_iota(b, row, 0));
    for (int i = 0; i < 2; i++) {
        ch__dim start[1] = {ch__dim_const(i)}, limit[1] = {ch__dim_const(i + 1)};
        ch__value *s = ch__b_slice(b, key, start, limit, NULL);
        k[i] = ch__b_broadcast_to(b, ch__b_reshape(b, s, ch__type_scalar(CH_U32)), words);
    }
    k[2] = ch__b_binary(b, CH_OP_xor, ch__b_binary(b, CH_OP_xor, k[0], k[1]), hlo_emit_h_mask(b, k[0], 0x1BD11BDA));
    x[0] = ch__b_add(b, ch__b_convert(b, c, CH_U32), k[0]);
    x[1] = ch__b_add(b, ch__b_convert(b, ch__b_binary(b, CH_OP_shr, c, hlo_emit_h_mask(b, c, 32)), CH_U32), k[1]);
    for (int g = 0; g < 5; g++) {
        for (int i = 0; i < 4; i++) {
            uint64_t turn = (uint64_t)turns[g % 2][i];
            x[0] = ch__b_add(b, x[0], x[1]);
            ch__value *up = ch__b_binary(b, CH_OP_shl, x[1], hlo_emit_h_mask(b, x[1], turn));
            ch__value *down = ch__b_binary(b, CH_OP_shr, x[1], hlo_emit_h_mask(b, x[1], 32 - turn));
            x[1] = ch__b_binary(b, CH_OP_xor, ch__b_binary(b, CH_OP_or, up, down), x[0]);
        }
        x[0] = ch__b_add(b, x[0], k[(g + 1) % 3]);
        x[1] = ch__b_add(b, ch__b_add(b, x[1], k[(g + 2) % 3]), hlo_emit_h_mask(b, x[1], (uint64_t)g + 1));
    }
    const ch__type *column = ch__type_make(a, CH_U32, 2, dims, NULL);
    for (int i = 0; i < 2; i++) x[i] = ch__b_reshape(b, x[i], column);
    ch__value *all = ch__b_concat(b, 2, x, 1);
    ch__dim flat[1] = {ch__dim_const(2 * dims[0].val)}, zero[1] = {ch__dim_const(0)}, end[1] = {n};
    all = ch__b_slice(b, ch__b_reshape(b, all, ch__type_make(a, CH_U32, 1, flat, NULL)), zero, end, NULL);
    return ch__b_reshape(b, all, type);
}

// The functions of libm that have a counterpart.
static const char *const hlo_emit_h_libm[] = {"fmin",  "fmax",  "fdim",    "rint",  "nearbyint", "exp10", "log10",
                                              "isnan", "isinf", "signbit", "lrint", "lround",    NULL};

static ch__value *hlo_emit_h_cmath(ch__builder *b, const char *fn, ch__value *const *in, const ch__type *type) {
    ch__value *x = in[0], *y = in[1];
    if (strcmp(fn, "fmin") == 0 || strcmp(fn, "fmax") == 0) { // a NaN is passed over
        ch__value *v = ch__b_binary(b, fn[2] == 'i' ? CH_OP_min : CH_OP_max, x, y);
        v = ch__b_select(b, ch__b_compare(b, CH__NE, x, x), y, v);
        return ch__b_select(b, ch__b_compare(b, CH__NE, y, y), x, v);
    }
    if (strcmp(fn, "fdim") == 0) {
        ch__value *below = ch__b_compare(b, CH__LE, x, y);
        return ch__b_select(b, below, hlo_emit_h_like(b, x, 0), ch__b_sub(b, x, y));
    }
    if (strcmp(fn, "rint") == 0 || strcmp(fn, "nearbyint") == 0) return ch__b_unary(b, CH_OP_round_even, x);
    if (strcmp(fn, "exp10") == 0) return ch__b_binary(b, CH_OP_pow, hlo_emit_h_like(b, x, 10), x);
    if (strcmp(fn, "log10") == 0)
        return ch__b_mul(b, ch__b_unary(b, CH_OP_log, x), hlo_emit_h_like(b, x, 0.4342944819032518));
    if (strcmp(fn, "lrint") == 0) return ch__b_convert(b, ch__b_unary(b, CH_OP_round_even, x), type->dtype);
    if (strcmp(fn, "lround") == 0) return ch__b_convert(b, ch__b_unary(b, CH_OP_round_away, x), type->dtype);
    if (strcmp(fn, "isnan") == 0) return ch__b_convert(b, ch__b_compare(b, CH__NE, x, x), type->dtype);
    if (strcmp(fn, "isinf") == 0) {
        ch__value *inf = hlo_emit_h_like(b, x, (double)INFINITY);
        return ch__b_convert(b, ch__b_compare(b, CH__EQ, ch__b_unary(b, CH_OP_abs, x), inf), type->dtype);
    }
    ch__value *i = hlo_emit_h_bitcast(b, x, ch__int_dtype(ch_dtype_size(x->type->dtype), true)); // signbit
    return ch__b_convert(b, ch__b_compare(b, CH__LT, i, hlo_emit_h_like(b, i, 0)), type->dtype);
}

static ch__value *hlo_emit_h_body(ch__builder *b, const ch__op *op, ch__value *const *in) {
    const ch__type *type = op->results[0].type;
    switch ((ch__opcode)op->code) {
    case CH_OP_trunc: return hlo_emit_h_trunc(b, in[0]);
    case CH_OP_exp2: return ch__b_binary(b, CH_OP_pow, hlo_emit_h_like(b, in[0], 2), in[0]);
    case CH_OP_log2:
        return ch__b_mul(b, ch__b_unary(b, CH_OP_log, in[0]), hlo_emit_h_like(b, in[0], 1.4426950408889634));
    case CH_OP_copysign: return hlo_emit_h_copysign(b, in[0], in[1]);
    case CH_OP_hypot: return hlo_emit_h_hypot(b, in[0], in[1]);
    case CH_OP_fma: return hlo_emit_h_fma(b, in);
    case CH_OP_rng_bits: return hlo_emit_h_rng(b, in[0], in[1], type);
    case CH_OP_cmath: return hlo_emit_h_cmath(b, ch__op_attr(op, CH__ATTR_fn)->s, in, type);
    case CH_OP_bitcast:
        if (type->dtype == CH_BOOL) return ch__b_compare(b, CH__NE, in[0], hlo_emit_h_like(b, in[0], 0));
        return ch__b_convert(b, in[0], type->dtype);
    default: return in[0]; // stop_gradient
    }
}

// ---------------------------------------------------------------- one func for each

ch_func *ch__emit_helper(ch__emit *e, const ch__op *op) {
    ch__text key;
    const ch__attr *fn = ch__op_attr(op, CH__ATTR_fn);
    ch__text_init(&key, e->scratch);
    ch__putf(&key, "%s %s", ch__op_name((ch__opcode)op->code), fn ? fn->s : "");
    for (int i = 0; i < op->n_operands; i++) ch__emit_type(&key, op->operands[i]->type);
    for (int i = 0; i < op->n_results; i++) ch__emit_type(&key, op->results[i].type);
    ch_func *f = ch__strmap_get(&e->helpers, key.data);
    if (f) return f;
    f = ch__func_create(e->module,
                        ch__arena_printf(e->module->arena, "chaac.%s.%d",
                                         fn ? fn->s : ch__op_name((ch__opcode)op->code), (int)e->helper_list.n));
    ch__value **in = CH_NEW_ARRAY(e->scratch, ch__value *, op->n_operands + 2);
    for (int i = 0; i < op->n_operands; i++)
        in[i] = ch__func_add_param(f, ch__arena_printf(e->module->arena, "x%d", i), op->operands[i]->type);
    ch__builder b = ch__builder_at_end(f->body);
    ch__value *out = hlo_emit_h_body(&b, op, in);
    ch__func_set_results(f, 1, &out, NULL);
    ch__strmap_put(&e->helpers, key.data, f);
    CH_PUSH(e->scratch, &e->helper_list, f);
    CH_PUSH(e->scratch, &e->helper_keys,
            fn ? ch__arena_printf(e->scratch, "chaac.op = \"cmath\", chaac.fn = \"%s\"", fn->s)
               : ch__arena_printf(e->scratch, "chaac.op = \"%s\"", ch__op_name((ch__opcode)op->code)));
    return f;
}

// ---------------------------------------------------------------- what cannot be written

const char *ch__emit_why_not(const ch__op *op) {
    switch ((ch__opcode)op->code) {
    case CH_OP_alloc: return op->n_operands ? "its size is known only when it runs" : NULL;
    case CH_OP_cmath: {
        const char *fn = ch__op_attr(op, CH__ATTR_fn)->s;
        for (int i = 0; hlo_emit_h_libm[i]; i++)
            if (strcmp(fn, hlo_emit_h_libm[i]) == 0) return NULL;
        return "StableHLO has no counterpart of this function of libm";
    }
    default: return NULL;
    }
}
