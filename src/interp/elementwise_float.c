// SPDX-License-Identifier: Apache-2.0
// elementwise_float.c - the functions of floats: C's libm of the dtype (sinf for f32), special.c where libm has none.
//
// What is here is what printed C does too, so every formula is written in the order it is computed. f16 and bf16 run
// through f32 except where a rounding or the bits themselves matter: copysign, nextafter, fma, is_finite.
#include <math.h>

#include "interp/exec.h"

static float sigmoid_f32(float x) {
    if (x >= 0) return 1 / (1 + expf(-x));
    float e = expf(x);
    return e / (1 + e);
}

static double sigmoid_f64(double x) {
    if (x >= 0) return 1 / (1 + exp(-x));
    double e = exp(x);
    return e / (1 + e);
}

// lgamma without its global sign, which threads would share.
static double lgamma_f64(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

static float lgamma_f32(float x) {
    int sign;
    return lgammaf_r(x, &sign);
}

#define BOTH(op, F32, F64)                                                                                             \
    CH__KERNEL_1(op##_k32, float, float, F32)                                                                          \
    CH__KERNEL_1(op##_k64, double, double, F64)
#define BOTH_2(op, F32, F64)                                                                                           \
    CH__KERNEL_2(op##_k32, float, float, F32)                                                                          \
    CH__KERNEL_2(op##_k64, double, double, F64)
#define ARM(op, grain, ...)                                                                                            \
    ch_status ch__do_##op(ch__frame *fr, const ch__instr *s) {                                                         \
        static const ch__kernel table[CH__DTYPE_COUNT] = {[CH_F32] = op##_k32, [CH_F64] = op##_k64, __VA_ARGS__};      \
        return ch__map_n(fr, s, table, grain);                                                                         \
    }
#define LIBM(op, fn, grain)                                                                                            \
    BOTH(op, fn##f(x), fn(x))                                                                                          \
    ARM(op, grain, [0] = NULL)

LIBM(floor, floor, CH__CHEAP)
LIBM(ceil, ceil, CH__CHEAP)
LIBM(round_even, rint, CH__CHEAP)
LIBM(round_away, round, CH__CHEAP)
LIBM(trunc, trunc, CH__CHEAP)
LIBM(sqrt, sqrt, CH__CHEAP)
LIBM(cbrt, cbrt, CH__COSTLY)
LIBM(exp, exp, CH__COSTLY)
LIBM(exp2, exp2, CH__COSTLY)
LIBM(expm1, expm1, CH__COSTLY)
LIBM(log, log, CH__COSTLY)
LIBM(log2, log2, CH__COSTLY)
LIBM(log1p, log1p, CH__COSTLY)
LIBM(sin, sin, CH__COSTLY)
LIBM(cos, cos, CH__COSTLY)
LIBM(tan, tan, CH__COSTLY)
LIBM(asin, asin, CH__COSTLY)
LIBM(acos, acos, CH__COSTLY)
LIBM(atan, atan, CH__COSTLY)
LIBM(sinh, sinh, CH__COSTLY)
LIBM(cosh, cosh, CH__COSTLY)
LIBM(tanh, tanh, CH__COSTLY)
LIBM(asinh, asinh, CH__COSTLY)
LIBM(acosh, acosh, CH__COSTLY)
LIBM(atanh, atanh, CH__COSTLY)
LIBM(erf, erf, CH__COSTLY)
LIBM(erfc, erfc, CH__COSTLY)

BOTH(lgamma, lgamma_f32(x), lgamma_f64(x))
ARM(lgamma, CH__COSTLY, [0] = NULL)
BOTH(rsqrt, 1 / sqrtf(x), 1 / sqrt(x))
ARM(rsqrt, CH__CHEAP, [0] = NULL)
BOTH(sigmoid, sigmoid_f32(x), sigmoid_f64(x))
ARM(sigmoid, CH__COSTLY, [0] = NULL)
BOTH(digamma, ch__digamma(x), ch__digamma(x))
ARM(digamma, CH__COSTLY, [0] = NULL)
BOTH_2(atan2, atan2f(x, y), atan2(x, y))
ARM(atan2, CH__COSTLY, [0] = NULL)
BOTH_2(hypot, hypotf(x, y), hypot(x, y))
ARM(hypot, CH__COSTLY, [0] = NULL)
#undef LIBM

// ---------------------------------------------------------------- ops of bits
CH__KERNEL_1(is_finite_k32, float, uint8_t, isfinite(x) != 0)
CH__KERNEL_1(is_finite_k64, double, uint8_t, isfinite(x) != 0)
CH__KERNEL_1(is_finite_f16, uint16_t, uint8_t, (x & 0x7c00u) != 0x7c00u)
CH__KERNEL_1(is_finite_bf16, uint16_t, uint8_t, (x & 0x7f80u) != 0x7f80u)
ARM(is_finite, CH__CHEAP, [CH_F16] = is_finite_f16, [CH_BF16] = is_finite_bf16)

BOTH_2(copysign, copysignf(x, y), copysign(x, y))
CH__KERNEL_2(copysign_half, uint16_t, uint16_t, (x & 0x7fffu) | (y & 0x8000u))
ARM(copysign, CH__CHEAP, [CH_F16] = copysign_half, [CH_BF16] = copysign_half)

// The neighbour of x towards y among 16-bit floats; inf is the bits of infinity.
static uint16_t nextafter_half(uint16_t x, uint16_t y, uint16_t inf) {
    uint16_t ax = x & 0x7fffu, ay = y & 0x7fffu;
    if (ax > inf) return x;
    if (ay > inf) return y;
    if (ax == 0) return ay == 0 ? y : (uint16_t)((y & 0x8000u) | 1u);
    if (x == y) return x;
    // As sign and magnitude: away from zero when y lies beyond x.
    int vx = x & 0x8000u ? -(int)ax : (int)ax, vy = y & 0x8000u ? -(int)ay : (int)ay;
    bool away = (vy > vx) == (vx > 0);
    return (uint16_t)(away ? x + 1 : x - 1);
}

BOTH_2(nextafter, nextafterf(x, y), nextafter(x, y))
CH__KERNEL_2(nextafter_f16, uint16_t, uint16_t, nextafter_half(x, y, 0x7c00u))
CH__KERNEL_2(nextafter_bf16, uint16_t, uint16_t, nextafter_half(x, y, 0x7f80u))
ARM(nextafter, CH__COSTLY, [CH_F16] = nextafter_f16, [CH_BF16] = nextafter_bf16)
#undef BOTH
#undef BOTH_2

// ---------------------------------------------------------------- fma: one rounding
// The sum of two doubles made odd in its last bit when it is not exact: rounding that to 16 bits rounds once.
static double odd_sum(double a, double b) {
    double s = a + b;
    if (!isfinite(s)) return s;
    double bb = s - a, e = (a - (s - bb)) + (b - bb);
    if (e == 0) return s;
    union {
        double f;
        uint64_t u;
    } v = {s};
    if (v.u & 1) return s;
    return nextafter(s, e > 0 ? INFINITY : -INFINITY);
}

static uint16_t fma_f16(uint16_t a, uint16_t b, uint16_t c) {
    return ch__f64_to_f16(odd_sum((double)ch__f16_to_f32(a) * (double)ch__f16_to_f32(b), (double)ch__f16_to_f32(c)));
}

static uint16_t fma_bf16(uint16_t a, uint16_t b, uint16_t c) {
    return ch__f64_to_bf16(
        odd_sum((double)ch__bf16_to_f32(a) * (double)ch__bf16_to_f32(b), (double)ch__bf16_to_f32(c)));
}

#define FMA_KERNEL(NAME, T, FN)                                                                                        \
    static void NAME(void *o_, const void *const *in, const int64_t *step, int64_t n) {                                \
        T *o = o_;                                                                                                     \
        const T *a = in[0], *b = in[1], *c = in[2];                                                                    \
        for (int64_t i = 0; i < n; i++) o[i] = FN(a[i * step[0]], b[i * step[1]], c[i * step[2]]);                     \
    }
FMA_KERNEL(fma_k32, float, fmaf)
FMA_KERNEL(fma_k64, double, fma)
FMA_KERNEL(fma_k16, uint16_t, fma_f16)
FMA_KERNEL(fma_kb16, uint16_t, fma_bf16)
#undef FMA_KERNEL
ARM(fma, CH__COSTLY, [CH_F16] = fma_k16, [CH_BF16] = fma_kb16)
#undef ARM

// ---------------------------------------------------------------- polygamma: its order is an attribute
ch_status ch__do_polygamma(ch__frame *fr, const ch__instr *s) {
    int64_t order = ch__op_int(s->op, CH__ATTR_n, 0);
    if (order < 0 || order > 10000) return ch__op_fail(s, CH__E_attribute, "n is %" PRId64 " — 0 to 10000", order);
    ch__cell *o = CH__OUT(0);
    bool taken;
    CH_TRY(ch__cell_dense(fr, CH__IN(0)));
    const ch__cell x = *CH__IN(0);
    if (x.numel != o->numel) return ch__op_fail(s, CH__E_shape_mismatch, "operand and result differ in size");
    CH_TRY(ch__result_over(fr, s, 0, 0, &taken));
    char *to = ch__data(o);
    const char *from = taken ? to : x.buf->data;
    for (int64_t i = 0; i < o->numel; i++) {
        double v;
        ch__convert_n(&v, CH_F64, from + i * x.esize, (ch_dtype)x.dtype, 1);
        v = ch__polygamma(order, v);
        ch__convert_n(to + i * x.esize, (ch_dtype)x.dtype, &v, CH_F64, 1);
    }
    return CH_OK;
}
