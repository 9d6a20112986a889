// SPDX-License-Identifier: Apache-2.0
// elementwise_int.c - the arithmetic that integers share with floats, and the ops of bits.
//
// Integers are computed in an unsigned type of at least 32 bits, so everything wraps without undefined behaviour; the
// edges of division, remainder, power and shifts are those of ops.def. Floats are the plain C operators.
#include <math.h>

#include "interp/exec.h"

// ---------------------------------------------------------------- integers, one operand and two
static uint64_t pow_wrapping(uint64_t x, uint64_t n) {
    uint64_t r = 1;
    for (; n; n >>= 1) {
        if (n & 1) r *= x;
        x *= x;
    }
    return r;
}

// A negative exponent leaves 1, -1 or 0.
static int64_t pow_signed(int64_t x, int64_t n) {
    if (n >= 0) return (int64_t)pow_wrapping((uint64_t)x, (uint64_t)n);
    if (x == 1) return 1;
    if (x == -1) return n % 2 == 0 ? 1 : -1;
    return 0;
}

#define SIGNED_OPS(S, T, W, D)                                                                                         \
    CH__KERNEL_1(neg_##S, T, T, (W)0 - (W)x)                                                                           \
    CH__KERNEL_1(abs_##S, T, T, x < 0 ? (W)0 - (W)x : (W)x)                                                            \
    CH__KERNEL_1(sign_##S, T, T, (x > 0) - (x < 0))                                                                    \
    CH__KERNEL_2(div_##S, T, T, y == 0 ? (W)-1 : y == -1 ? (W)0 - (W)x : (W)(x / y))                                   \
    CH__KERNEL_2(rem_##S, T, T, y == 0 ? x : y == -1 ? 0 : x % y)                                                      \
    CH__KERNEL_2(pow_##S, T, T, pow_signed(x, y))                                                                      \
    CH__KERNEL_2(shr_##S, T, T, (y < 0 || y >= (T)(sizeof(T) * 8)) ? (x < 0 ? -1 : 0) : (x >> y))
CH__SIGNED(SIGNED_OPS)
#undef SIGNED_OPS

#define UNSIGNED_OPS(S, T, W, D)                                                                                       \
    CH__KERNEL_2(div_##S, T, T, y == 0 ? (T)-1 : x / y)                                                                \
    CH__KERNEL_2(rem_##S, T, T, y == 0 ? x : x % y)                                                                    \
    CH__KERNEL_2(pow_##S, T, T, pow_wrapping(x, y))                                                                    \
    CH__KERNEL_2(shr_##S, T, T, y >= sizeof(T) * 8 ? 0 : (W)x >> y)
CH__UNSIGNED(UNSIGNED_OPS)
#undef UNSIGNED_OPS

static int popcount_of(uint64_t v) {
    int n = 0;
    for (; v; v &= v - 1) n++;
    return n;
}

static int leading_zeros(uint64_t v, int width) {
    int n = 0;
    for (int i = width - 1; i >= 0 && !(v >> i & 1); i--) n++;
    return n;
}

#define BITS_OF(x, T) ((uint64_t)(x) & (UINT64_MAX >> (64 - 8 * sizeof(T))))
#define INT_OPS(S, T, W, D)                                                                                            \
    CH__KERNEL_2(add_##S, T, T, (W)x + (W)y)                                                                           \
    CH__KERNEL_2(sub_##S, T, T, (W)x - (W)y)                                                                           \
    CH__KERNEL_2(mul_##S, T, T, (W)x *(W)y)                                                                            \
    CH__KERNEL_2(min_##S, T, T, x < y ? x : y)                                                                         \
    CH__KERNEL_2(max_##S, T, T, x > y ? x : y)                                                                         \
    CH__KERNEL_2(and_##S, T, T, x &y)                                                                                  \
    CH__KERNEL_2(or_##S, T, T, x | y)                                                                                  \
    CH__KERNEL_2(xor_##S, T, T, x ^ y)                                                                                 \
    CH__KERNEL_2(shl_##S, T, T, BITS_OF(y, T) >= sizeof(T) * 8 ? 0 : (W)x << y)                                        \
    CH__KERNEL_1(not_##S, T, T, ~x)                                                                                    \
    CH__KERNEL_1(popcnt_##S, T, T, popcount_of(BITS_OF(x, T)))                                                         \
    CH__KERNEL_1(clz_##S, T, T, leading_zeros(BITS_OF(x, T), (int)sizeof(T) * 8))
CH__SIGNED(INT_OPS)
CH__UNSIGNED(INT_OPS)
#undef INT_OPS
#undef BITS_OF

CH__KERNEL_1(not_bool, uint8_t, uint8_t, x == 0)
CH__KERNEL_2(and_bool, uint8_t, uint8_t, x != 0 && y != 0)
CH__KERNEL_2(or_bool, uint8_t, uint8_t, x != 0 || y != 0)
CH__KERNEL_2(xor_bool, uint8_t, uint8_t, (x != 0) != (y != 0))

// ---------------------------------------------------------------- floats
#define FLOAT_OPS(F, T, M)                                                                                             \
    CH__KERNEL_1(neg_##F, T, T, -x)                                                                                    \
    CH__KERNEL_1(abs_##F, T, T, M(fabs)(x))                                                                            \
    CH__KERNEL_1(sign_##F, T, T, x > 0 ? 1 : x < 0 ? -1 : x)                                                           \
    CH__KERNEL_2(add_##F, T, T, x + y)                                                                                 \
    CH__KERNEL_2(sub_##F, T, T, x - y)                                                                                 \
    CH__KERNEL_2(mul_##F, T, T, x *y)                                                                                  \
    CH__KERNEL_2(div_##F, T, T, x / y)                                                                                 \
    CH__KERNEL_2(rem_##F, T, T, M(fmod)(x, y))                                                                         \
    CH__KERNEL_2(pow_##F, T, T, M(pow)(x, y))                                                                          \
    CH__KERNEL_2(min_##F, T, T, ch__min_##F(x, y))                                                                     \
    CH__KERNEL_2(max_##F, T, T, ch__max_##F(x, y))
#define AS_F32(fn) fn##f
#define AS_F64(fn) fn
FLOAT_OPS(f32, float, AS_F32)
FLOAT_OPS(f64, double, AS_F64)
#undef FLOAT_OPS
#undef AS_F32
#undef AS_F64
// The sign bit of a 16-bit float, NaN or not.
CH__KERNEL_1(neg_half, uint16_t, uint16_t, x ^ 0x8000u)
CH__KERNEL_1(abs_half, uint16_t, uint16_t, x & 0x7fffu)

// ---------------------------------------------------------------- tables and arms
#define SIGNED_ROW(op) [CH_I8] = op##_i8, [CH_I16] = op##_i16, [CH_I32] = op##_i32, [CH_I64] = op##_i64
#define UNSIGNED_ROW(op) [CH_U8] = op##_u8, [CH_U16] = op##_u16, [CH_U32] = op##_u32, [CH_U64] = op##_u64
#define FLOAT_ROW(op) [CH_F32] = op##_f32, [CH_F64] = op##_f64
#define ARM(op, grain, ...)                                                                                            \
    ch_status ch__do_##op(ch__frame *fr, const ch__instr *s) {                                                         \
        static const ch__kernel table[CH__DTYPE_COUNT] = {__VA_ARGS__};                                                \
        return ch__map_n(fr, s, table, grain);                                                                         \
    }
ARM(neg, CH__CHEAP, SIGNED_ROW(neg), FLOAT_ROW(neg), [CH_F16] = neg_half, [CH_BF16] = neg_half)
ARM(abs, CH__CHEAP, SIGNED_ROW(abs), FLOAT_ROW(abs), [CH_F16] = abs_half, [CH_BF16] = abs_half)
ARM(sign, CH__CHEAP, SIGNED_ROW(sign), FLOAT_ROW(sign))
ARM(add, CH__CHEAP, SIGNED_ROW(add), UNSIGNED_ROW(add), FLOAT_ROW(add))
ARM(sub, CH__CHEAP, SIGNED_ROW(sub), UNSIGNED_ROW(sub), FLOAT_ROW(sub))
ARM(mul, CH__CHEAP, SIGNED_ROW(mul), UNSIGNED_ROW(mul), FLOAT_ROW(mul))
ARM(div, CH__CHEAP, SIGNED_ROW(div), UNSIGNED_ROW(div), FLOAT_ROW(div))
ARM(rem, CH__COSTLY, SIGNED_ROW(rem), UNSIGNED_ROW(rem), FLOAT_ROW(rem))
ARM(pow, CH__COSTLY, SIGNED_ROW(pow), UNSIGNED_ROW(pow), FLOAT_ROW(pow))
ARM(min, CH__CHEAP, SIGNED_ROW(min), UNSIGNED_ROW(min), FLOAT_ROW(min), [CH_BOOL] = and_bool)
ARM(max, CH__CHEAP, SIGNED_ROW(max), UNSIGNED_ROW(max), FLOAT_ROW(max), [CH_BOOL] = or_bool)
ARM(and, CH__CHEAP, SIGNED_ROW(and), UNSIGNED_ROW(and), [CH_BOOL] = and_bool)
ARM(or, CH__CHEAP, SIGNED_ROW(or), UNSIGNED_ROW(or), [CH_BOOL] = or_bool)
ARM(xor, CH__CHEAP, SIGNED_ROW(xor), UNSIGNED_ROW(xor), [CH_BOOL] = xor_bool)
ARM(not, CH__CHEAP, SIGNED_ROW(not ), UNSIGNED_ROW(not ), [CH_BOOL] = not_bool)
ARM(shl, CH__CHEAP, SIGNED_ROW(shl), UNSIGNED_ROW(shl))
ARM(shr, CH__CHEAP, SIGNED_ROW(shr), UNSIGNED_ROW(shr))
ARM(popcnt, CH__COSTLY, SIGNED_ROW(popcnt), UNSIGNED_ROW(popcnt))
ARM(clz, CH__COSTLY, SIGNED_ROW(clz), UNSIGNED_ROW(clz))
#undef ARM
#undef SIGNED_ROW
#undef UNSIGNED_ROW
#undef FLOAT_ROW
