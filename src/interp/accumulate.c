// SPDX-License-Identifier: Apache-2.0
// accumulate.c - folding: the accumulator's dtype, its carrier in memory, and the loops of sum prod min max and or.
//
// An accumulator is carried in one of four C types. f32 and f64 are themselves; integers are carried in 64 bits, since
// sums and products that wrap at 64 bits and are cut to the accumulator's width at the end are those that wrap at every
// step; f16 and bf16 accumulators are carried in f32 and rounded after every step. Each output's elements are folded in
// ascending index order, one after another, whatever `order` says: only different outputs run side by side.
#include <math.h>

#include "interp/exec.h"

#define PIECE 256

ch_dtype ch__acc_dtype(const ch__op *op, ch_dtype d) {
    ch_dtype none = d == CH_F16 || d == CH_BF16 ? CH_F32 : d;
    return (ch_dtype)ch__op_int(op, CH__ATTR_acc, none);
}

ch_dtype ch__carrier(ch_dtype acc) {
    if (acc == CH_F64 || acc == CH_F32) return acc;
    if (ch__is_float(acc)) return CH_F32;
    return ch__is_signed(acc) ? CH_I64 : CH_U64;
}

void ch__carrier_load(void *state, ch_dtype acc, const void *src, ch_dtype d, int64_t n) {
    ch_dtype c = ch__carrier(acc);
    if (acc == c || acc == d) { // widening d, or reading it as it is, goes in one step
        ch__convert_n(state, c, src, d, n);
        return;
    }
    uint64_t tmp[PIECE];
    size_t ds = ch_dtype_size(d), cs = ch_dtype_size(c);
    for (int64_t at = 0; at < n; at += PIECE) {
        int64_t m = n - at < PIECE ? n - at : PIECE;
        ch__convert_n(tmp, acc, (const char *)src + (size_t)at * ds, d, m);
        ch__convert_n((char *)state + (size_t)at * cs, c, tmp, acc, m);
    }
}

void ch__carrier_store(void *dst, ch_dtype d, ch_dtype acc, const void *state, int64_t n) {
    ch_dtype c = ch__carrier(acc);
    if (acc == c || acc == d) {
        ch__convert_n(dst, d, state, c, n);
        return;
    }
    uint64_t tmp[PIECE];
    size_t ds = ch_dtype_size(d), cs = ch_dtype_size(c);
    for (int64_t at = 0; at < n; at += PIECE) {
        int64_t m = n - at < PIECE ? n - at : PIECE;
        ch__convert_n(tmp, acc, (const char *)state + (size_t)at * cs, c, m);
        ch__convert_n((char *)dst + (size_t)at * ds, d, tmp, acc, m);
    }
}

// ---------------------------------------------------------------- identities
static double float_identity(ch__kind kind) {
    return kind == CH__PROD || kind == CH__MUL ? 1 : kind == CH__MIN ? INFINITY : kind == CH__MAX ? -INFINITY : 0;
}

static uint64_t int_identity(ch__kind kind, ch_dtype d) {
    int width = d == CH_BOOL ? 1 : 8 * (int)ch_dtype_size(d);
    uint64_t ones = UINT64_MAX >> (64 - width);
    switch (kind) {
    case CH__PROD:
    case CH__MUL: return 1;
    case CH__AND: return ch__is_signed(d) ? UINT64_MAX : ones;
    case CH__MIN: return ch__is_signed(d) ? ones >> 1 : ones;
    case CH__MAX: return ch__is_signed(d) ? ~(ones >> 1) : 0;
    default: return 0;
    }
}

void ch__fold_identity(ch__kind kind, ch_dtype d, ch_dtype acc, void *state, int64_t n) {
    ch_dtype c = ch__carrier(acc);
    union {
        double f64;
        float f32;
        uint64_t u;
    } one;
    if (ch__is_float(d)) {
        double v = float_identity(kind);
        ch__convert_n(&one, c, &v, CH_F64, 1);
    } else {
        uint64_t v = int_identity(kind, d);
        ch__convert_n(&one, c, &v, ch__is_signed(d) ? CH_I64 : CH_U64, 1);
    }
    ch__fill(state, &one, (int)ch_dtype_size(c), n);
}

// ---------------------------------------------------------------- loops
#define FOLD(NAME, T, EXPR)                                                                                            \
    static void NAME(void *state, int64_t step, const void *src, int64_t n) {                                          \
        T *s = state;                                                                                                  \
        const T *v = src;                                                                                              \
        if (step) {                                                                                                    \
            CH_IVDEP                                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const T x = s[i], y = v[i];                                                                            \
                s[i] = (T)(EXPR);                                                                                      \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        T x = s[0];                                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T y = v[i];                                                                                          \
            x = (T)(EXPR);                                                                                             \
        }                                                                                                              \
        s[0] = x;                                                                                                      \
    }
// Extremes of floats come out the same in any order, up to which NaN it is: one element is compared in each of 8 lanes.
#define FOLD_EXTREME(NAME, T, OF)                                                                                      \
    static void NAME(void *state, int64_t step, const void *src, int64_t n) {                                          \
        T *s = state, lane[8];                                                                                         \
        const T *v = src;                                                                                              \
        int64_t i = 0;                                                                                                 \
        if (step) {                                                                                                    \
            CH_IVDEP                                                                                                   \
            for (; i < n; i++) s[i] = OF(s[i], v[i]);                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        if (n >= 16) {                                                                                                 \
            for (int k = 0; k < 8; k++) lane[k] = v[k];                                                                \
            for (i = 8; i + 8 <= n; i += 8)                                                                            \
                for (int k = 0; k < 8; k++) lane[k] = OF(lane[k], v[i + k]);                                           \
            for (int k = 0; k < 8; k++) s[0] = OF(s[0], lane[k]);                                                      \
        }                                                                                                              \
        for (; i < n; i++) s[0] = OF(s[0], v[i]);                                                                      \
    }
FOLD_EXTREME(min_of_f32, float, ch__min_f32)
FOLD_EXTREME(max_of_f32, float, ch__max_f32)
FOLD_EXTREME(min_of_f64, double, ch__min_f64)
FOLD_EXTREME(max_of_f64, double, ch__max_f64)
#undef FOLD_EXTREME
FOLD(sum_of_f32, float, x + y)
FOLD(prod_of_f32, float, x *y)
FOLD(sum_of_f64, double, x + y)
FOLD(prod_of_f64, double, x *y)
FOLD(sum_of_int, uint64_t, x + y)
FOLD(prod_of_int, uint64_t, x *y)
FOLD(and_of_int, uint64_t, x &y)
FOLD(or_of_int, uint64_t, x | y)
FOLD(min_of_i64, int64_t, x < y ? x : y)
FOLD(max_of_i64, int64_t, x > y ? x : y)
FOLD(min_of_u64, uint64_t, x < y ? x : y)
FOLD(max_of_u64, uint64_t, x > y ? x : y)
FOLD(last_of_4, uint32_t, ((void)x, y))
FOLD(last_of_8, uint64_t, ((void)x, y))
#undef FOLD

typedef void (*fold_loop)(void *state, int64_t step, const void *src, int64_t n);

static fold_loop fold_of(ch__kind kind, ch_dtype c) {
    bool is32 = c == CH_F32, is64 = c == CH_F64, is_signed = c == CH_I64;
    switch (kind) {
    case CH__SUM:
    case CH__ADD: return is32 ? sum_of_f32 : is64 ? sum_of_f64 : sum_of_int;
    case CH__PROD:
    case CH__MUL: return is32 ? prod_of_f32 : is64 ? prod_of_f64 : prod_of_int;
    case CH__MIN: return is32 ? min_of_f32 : is64 ? min_of_f64 : is_signed ? min_of_i64 : min_of_u64;
    case CH__MAX: return is32 ? max_of_f32 : is64 ? max_of_f64 : is_signed ? max_of_i64 : max_of_u64;
    case CH__AND: return and_of_int;
    case CH__OR: return or_of_int;
    default: return is32 ? last_of_4 : last_of_8;
    }
}

// Accumulators of 16 bits: a rounding after every step.
static void fold_rounded(fold_loop fold, ch_dtype acc, float *state, int64_t step, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        float *s = state + (step ? i : 0);
        uint16_t half;
        fold(s, 0, x + i, 1);
        ch__convert_n(&half, acc, s, CH_F32, 1);
        ch__convert_n(s, CH_F32, &half, acc, 1);
    }
}

void ch__fold_n(ch__kind kind, ch_dtype acc, void *state, int64_t state_step, const void *x, int64_t n) {
    fold_loop fold = fold_of(kind, ch__carrier(acc));
    if (acc == CH_F16 || acc == CH_BF16)
        fold_rounded(fold, acc, state, state_step, x, n);
    else
        fold(state, state_step, x, n);
}
