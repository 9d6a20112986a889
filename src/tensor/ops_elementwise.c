// SPDX-License-Identifier: Apache-2.0
// ops_elementwise.c - public elementwise functions: every elementwise row of ops.def without required attributes, then
// comparisons, conversions and constants.

#include "tensor/tensor.h"

#include <math.h>

#define UNARY(name)                                                                                                    \
    ch_tensor *ch_##name##_at(const char *where, ch_tensor *x) {                                                       \
        return ch__op1(where, CH_OP_##name, 1, &x, 0, NULL, NULL);                                                     \
    }
UNARY(neg)
UNARY(abs)
UNARY(sign)
UNARY(floor)
UNARY(ceil)
UNARY(round_even)
UNARY(round_away)
UNARY(trunc)
UNARY(sqrt)
UNARY(rsqrt)
UNARY(cbrt)
UNARY(exp)
UNARY(exp2)
UNARY(expm1)
UNARY(log)
UNARY(log2)
UNARY(log1p)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(sigmoid)
UNARY(erf)
UNARY(erfc)
UNARY(lgamma)
UNARY(digamma)
UNARY(not )
UNARY(popcnt)
UNARY(clz)
UNARY(is_finite)
UNARY(stop_gradient)
UNARY(barrier)

#define BINARY(name)                                                                                                   \
    ch_tensor *ch_##name##_at(const char *where, ch_tensor *lhs, ch_tensor *rhs) {                                     \
        return ch__op1(where, CH_OP_##name, 2, (ch_tensor *[]){lhs, rhs}, 0, NULL, NULL);                              \
    }
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
BINARY(rem)
BINARY(pow)
BINARY(atan2)
BINARY(min)
BINARY(max)
BINARY(and)
BINARY(or)
BINARY(xor)
BINARY(shl)
BINARY(shr)
BINARY(copysign)
BINARY(hypot)
BINARY(nextafter)

ch_tensor *ch_fma_at(const char *where, ch_tensor *a, ch_tensor *b, ch_tensor *c) {
    return ch__op1(where, CH_OP_fma, 3, (ch_tensor *[]){a, b, c}, 0, NULL, NULL);
}

ch_tensor *ch_select_at(const char *where, ch_tensor *pred, ch_tensor *on_true, ch_tensor *on_false) {
    return ch__op1(where, CH_OP_select, 3, (ch_tensor *[]){pred, on_true, on_false}, 0, NULL, NULL);
}

ch_tensor *ch_clamp_at(const char *where, ch_tensor *lo, ch_tensor *x, ch_tensor *hi) {
    return ch__op1(where, CH_OP_clamp, 3, (ch_tensor *[]){lo, x, hi}, 0, NULL, NULL);
}

#define COMPARE(name, DIR)                                                                                             \
    ch_tensor *ch_##name##_at(const char *where, ch_tensor *lhs, ch_tensor *rhs) {                                     \
        ch__attr dir = ch__attr_int(CH__ATTR_dir, CH__##DIR);                                                          \
        return ch__op1(where, CH_OP_compare, 2, (ch_tensor *[]){lhs, rhs}, 1, &dir, NULL);                             \
    }
COMPARE(eq, EQ)
COMPARE(ne, NE)
COMPARE(lt, LT)
COMPARE(le, LE)
COMPARE(gt, GT)
COMPARE(ge, GE)

ch_tensor *ch_polygamma_at(const char *where, ch_tensor *x, int n) {
    ch__attr order = ch__attr_int(CH__ATTR_n, n);
    return ch__op1(where, CH_OP_polygamma, 1, &x, 1, &order, NULL);
}

ch_tensor *ch_cmath_at(const char *where, const char *fn, int n, ch_tensor *const *xs) {
    ch__attr name = ch__attr_str(CH__ATTR_fn, fn == NULL ? "" : fn);
    return ch__op1(where, CH_OP_cmath, n, xs, 1, &name, NULL);
}

// ---- the type of the result is x's with another dtype
static ch_tensor *retyped(const char *where, ch__opcode code, ch_tensor *x, ch_dtype dtype) {
    ch_tensor *error = ch__first_error(where, ch__op_name(code), 1, &x);
    if (error != NULL) return error;
    ch__type type = x->type;
    type.dtype = dtype;
    return ch__op1(where, code, 1, &x, 0, NULL, &type);
}

ch_tensor *ch_convert_at(const char *where, ch_tensor *x, ch_dtype dtype) {
    return retyped(where, CH_OP_convert, x, dtype);
}
ch_tensor *ch_bitcast_at(const char *where, ch_tensor *x, ch_dtype dtype) {
    return retyped(where, CH_OP_bitcast, x, dtype);
}

// ---- constants
// Whole numbers from the smallest to the largest the dtype holds; floats and bool take any number.
static bool representable(ch_dtype dtype, double v) {
    if (ch__is_float(dtype) || dtype == CH_BOOL || dtype == CH_F8E4M3 || dtype == CH_F8E5M2) return true;
    int bits = (int)ch_dtype_size(dtype) * 8;
    double top = 1;
    for (int i = 0; i < (ch__is_signed(dtype) ? bits - 1 : bits); i++) top *= 2;
    return v == floor(v) && v < top && v >= (ch__is_signed(dtype) ? -top : 0);
}

static ch_tensor *constant(const char *where, const char *what, const ch__type *type, double value) {
    char c = ch__dtype_class(type->dtype);
    if (c == 0 || c == 'r') {
        ch__fail(CH__E_dtype_mismatch, "%s: dtype %s (%d) — give one of dtype.h that is not reserved", what,
                 ch_dtype_name(type->dtype), (int)type->dtype);
        return ch__node_error(where);
    }
    if (!representable(type->dtype, value)) {
        char text[CH__NUM_CHARS];
        ch__format_f64(text, value);
        ch__fail(CH__E_argument, "%s: %s as %s — the dtype does not hold it", what, text, ch_dtype_name(type->dtype));
        return ch__node_error(where);
    }
    uint64_t bits = ch__element_bits(type->dtype, value);
    ch__array data = {.dtype = type->dtype, .data = &bits, .splat = true};
    ch__attr attr = ch__attr_array(CH__ATTR_value, &data);
    return ch__op1(where, CH_OP_const, 0, NULL, 1, &attr, type);
}

bool ch__host_dims(const char *where, const char *what, int rank, const int64_t *dims, ch__dim out[CH__MAX_RANK],
                   ch_tensor **error) {
    *error = NULL;
    if (rank < 0 || rank > CH__MAX_RANK)
        ch__fail(CH__E_rank, "%s: rank %d — between 0 and %d is allowed", what, rank, CH__MAX_RANK);
    else if (rank > 0 && dims == NULL)
        ch__fail(CH__E_argument, "%s: rank %d and no dims — give %d of them", what, rank, rank);
    else {
        for (int i = 0; i < rank; i++) {
            if (dims[i] >= 0) {
                out[i] = ch__dim_const(dims[i]);
                continue;
            }
            ch__fail(CH__E_argument, "%s: dim %d is %" PRId64 " — at least 0 is allowed", what, i, dims[i]);
            *error = ch__node_error(where);
            return false;
        }
        return true;
    }
    *error = ch__node_error(where);
    return false;
}

ch_tensor *ch_full_at(const char *where, ch_dtype dtype, double value, int rank, const int64_t *dims) {
    ch__dim d[CH__MAX_RANK];
    ch_tensor *error;
    if (!ch__host_dims(where, "full", rank, dims, d, &error)) return error;
    return constant(where, "full", &(ch__type){.dtype = dtype, .rank = (int16_t)rank, .dims = d}, value);
}

ch_tensor *ch_scalar_at(const char *where, ch_dtype dtype, double value) {
    return constant(where, "scalar", &(ch__type){.dtype = dtype}, value);
}
ch_tensor *ch_zeros_at(const char *where, ch_dtype dtype, int rank, const int64_t *dims) {
    return ch_full_at(where, dtype, 0, rank, dims);
}
ch_tensor *ch_ones_at(const char *where, ch_dtype dtype, int rank, const int64_t *dims) {
    return ch_full_at(where, dtype, 1, rank, dims);
}

ch_tensor *ch_full_like_at(const char *where, ch_tensor *x, double value) {
    ch_tensor *error = ch__first_error(where, "full_like", 1, &x);
    return error != NULL ? error : constant(where, "full_like", &x->type, value);
}
ch_tensor *ch_zeros_like_at(const char *where, ch_tensor *x) { return ch_full_like_at(where, x, 0); }
ch_tensor *ch_ones_like_at(const char *where, ch_tensor *x) { return ch_full_like_at(where, x, 1); }
