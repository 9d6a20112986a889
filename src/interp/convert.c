// SPDX-License-Identifier: Apache-2.0
// convert.c - every dtype to every other; convert, bitcast.
//
// The eleven dtypes that C has get one loop a pair. 16- and 8-bit floats are widened to f32 (exact) on the way in. On
// the way out there is one rounding: from f32 directly, from wider sources through a number made odd in its last bit
// when it is not exact, so that the second rounding sees which side of a tie it is on. Floats to integers truncate and
// saturate; NaN gives 0.
#include <math.h>

#include "interp/exec.h"

#define PIECE 256

// ---------------------------------------------------------------- float to integer
#define SATURATE(NAME, F, T, MIN, MAX, PAST)                                                                           \
    static inline T NAME(F x) { return x != x ? 0 : x <= (F)(MIN) ? (MIN) : x >= (F)(PAST) ? (MAX) : (T)x; }
#define SATURATES(F, S)                                                                                                \
    SATURATE(S##_to_i8, F, int8_t, INT8_MIN, INT8_MAX, 128.0)                                                          \
    SATURATE(S##_to_i16, F, int16_t, INT16_MIN, INT16_MAX, 32768.0)                                                    \
    SATURATE(S##_to_i32, F, int32_t, INT32_MIN, INT32_MAX, 2147483648.0)                                               \
    SATURATE(S##_to_i64, F, int64_t, INT64_MIN, INT64_MAX, 9223372036854775808.0)                                      \
    SATURATE(S##_to_u8, F, uint8_t, 0, UINT8_MAX, 256.0)                                                               \
    SATURATE(S##_to_u16, F, uint16_t, 0, UINT16_MAX, 65536.0)                                                          \
    SATURATE(S##_to_u32, F, uint32_t, 0, UINT32_MAX, 4294967296.0)                                                     \
    SATURATE(S##_to_u64, F, uint64_t, 0, UINT64_MAX, 18446744073709551616.0)
SATURATES(float, f32)
SATURATES(double, f64)
#undef SATURATES
#undef SATURATE

// ---------------------------------------------------------------- the pairs of C's own dtypes
typedef void (*convert_loop)(void *dst, const void *src, int64_t n);
#define LOOP(NAME, TO, FROM, EXPR)                                                                                     \
    static void NAME(void *dst, const void *src, int64_t n) {                                                          \
        TO *o = dst;                                                                                                   \
        const FROM *a = src;                                                                                           \
        CH_IVDEP                                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const FROM x = a[i];                                                                                       \
            o[i] = (TO)(EXPR);                                                                                         \
        }                                                                                                              \
    }
// From an integer (or bool, read as 0 and 1) to everything.
#define FROM_INT(S, T, W, D)                                                                                           \
    LOOP(S##_bool, uint8_t, T, x != 0)                                                                                 \
    LOOP(S##_8, uint8_t, T, x)                                                                                         \
    LOOP(S##_16, uint16_t, T, x)                                                                                       \
    LOOP(S##_32, uint32_t, T, x)                                                                                       \
    LOOP(S##_64, uint64_t, T, x)                                                                                       \
    LOOP(S##_f32, float, T, x)                                                                                         \
    LOOP(S##_f64, double, T, x)
CH__SIGNED(FROM_INT)
CH__UNSIGNED(FROM_INT)
#undef FROM_INT
LOOP(bool_8, uint8_t, uint8_t, x != 0)
LOOP(bool_16, uint16_t, uint8_t, x != 0)
LOOP(bool_32, uint32_t, uint8_t, x != 0)
LOOP(bool_64, uint64_t, uint8_t, x != 0)
LOOP(bool_f32, float, uint8_t, x != 0)
LOOP(bool_f64, double, uint8_t, x != 0)
#define FROM_FLOAT(S, T)                                                                                               \
    LOOP(S##_bool, uint8_t, T, x != 0)                                                                                 \
    LOOP(S##_i8, int8_t, T, S##_to_i8(x))                                                                              \
    LOOP(S##_i16, int16_t, T, S##_to_i16(x))                                                                           \
    LOOP(S##_i32, int32_t, T, S##_to_i32(x))                                                                           \
    LOOP(S##_i64, int64_t, T, S##_to_i64(x))                                                                           \
    LOOP(S##_u8, uint8_t, T, S##_to_u8(x))                                                                             \
    LOOP(S##_u16, uint16_t, T, S##_to_u16(x))                                                                          \
    LOOP(S##_u32, uint32_t, T, S##_to_u32(x))                                                                          \
    LOOP(S##_u64, uint64_t, T, S##_to_u64(x))                                                                          \
    LOOP(S##_f32, float, T, x)                                                                                         \
    LOOP(S##_f64, double, T, x)
FROM_FLOAT(f32, float)
FROM_FLOAT(f64, double)
#undef FROM_FLOAT
LOOP(f16_f32, float, uint16_t, ch__f16_to_f32(x))
LOOP(bf16_f32, float, uint16_t, ch__bf16_to_f32(x))
LOOP(e4m3_f32, float, uint8_t, ch__f8e4m3_to_f32(x))
LOOP(e5m2_f32, float, uint8_t, ch__f8e5m2_to_f32(x))
LOOP(f32_f16, uint16_t, float, ch__f32_to_f16(x))
LOOP(f32_bf16, uint16_t, float, ch__f32_to_bf16(x))
LOOP(f32_e4m3, uint8_t, float, ch__f32_to_f8e4m3(x))
LOOP(f32_e5m2, uint8_t, float, ch__f32_to_f8e5m2(x))
LOOP(f64_f16, uint16_t, double, ch__f64_to_f16(x))
LOOP(f64_bf16, uint16_t, double, ch__f64_to_bf16(x))

// f64 to f32, truncated, with the last bit set when something was cut off: a later rounding to 22 bits or less is
// exact.
static float odd_f32(double x) {
    union {
        float f;
        uint32_t u;
    } v = {(float)x};
    if (x != x || (double)v.f == x || isinf(x)) return v.f;
    if (fabs((double)v.f) > fabs(x)) v.u--; // one towards zero
    v.u |= 1;
    return v.f;
}

// A 64-bit integer as f64 in the same manner.
static double odd_f64(uint64_t m, bool negative) {
    if (m >> 53) m = (m >> 11 | ((m & 0x7ff) != 0)) << 11;
    double x = (double)m;
    return negative ? -x : x;
}

LOOP(f64_odd, float, double, odd_f32(x))
LOOP(i64_odd, double, int64_t, odd_f64(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, x < 0))
LOOP(u64_odd, double, uint64_t, odd_f64(x, false))
#undef LOOP

#define INT_TARGETS(S)                                                                                                 \
    [CH_BOOL] = S##_bool, [CH_I8] = S##_8, [CH_U8] = S##_8, [CH_I16] = S##_16, [CH_U16] = S##_16, [CH_I32] = S##_32,   \
    [CH_U32] = S##_32, [CH_I64] = S##_64, [CH_U64] = S##_64, [CH_F32] = S##_f32, [CH_F64] = S##_f64
#define FLOAT_TARGETS(S)                                                                                               \
    [CH_BOOL] = S##_bool, [CH_I8] = S##_i8, [CH_U8] = S##_u8, [CH_I16] = S##_i16, [CH_U16] = S##_u16,                  \
    [CH_I32] = S##_i32, [CH_U32] = S##_u32, [CH_I64] = S##_i64, [CH_U64] = S##_u64, [CH_F32] = S##_f32,                \
    [CH_F64] = S##_f64
static const convert_loop loops_of[CH__DTYPE_COUNT][CH__DTYPE_COUNT] = {
    [CH_BOOL] = {[CH_BOOL] = bool_8,
                 [CH_I8] = bool_8,
                 [CH_U8] = bool_8,
                 [CH_I16] = bool_16,
                 [CH_U16] = bool_16,
                 [CH_I32] = bool_32,
                 [CH_U32] = bool_32,
                 [CH_I64] = bool_64,
                 [CH_U64] = bool_64,
                 [CH_F32] = bool_f32,
                 [CH_F64] = bool_f64},
    [CH_I8] = {INT_TARGETS(i8)},
    [CH_I16] = {INT_TARGETS(i16)},
    [CH_I32] = {INT_TARGETS(i32)},
    [CH_I64] = {INT_TARGETS(i64)},
    [CH_U8] = {INT_TARGETS(u8)},
    [CH_U16] = {INT_TARGETS(u16)},
    [CH_U32] = {INT_TARGETS(u32)},
    [CH_U64] = {INT_TARGETS(u64)},
    [CH_F32] =
        {FLOAT_TARGETS(f32), [CH_F16] = f32_f16, [CH_BF16] = f32_bf16, [CH_F8E4M3] = f32_e4m3, [CH_F8E5M2] = f32_e5m2},
    [CH_F64] = {FLOAT_TARGETS(f64), [CH_F16] = f64_f16, [CH_BF16] = f64_bf16},
    [CH_F16] = {[CH_F32] = f16_f32},
    [CH_BF16] = {[CH_F32] = bf16_f32},
    [CH_F8E4M3] = {[CH_F32] = e4m3_f32},
    [CH_F8E5M2] = {[CH_F32] = e5m2_f32},
};
#undef INT_TARGETS
#undef FLOAT_TARGETS

// Through a wider dtype: small floats go in by f32; 64-bit integers and f64 go out made odd.
static void convert_piece(char *dst, ch_dtype dd, const char *src, ch_dtype sd, int64_t n) {
    double wide[PIECE];
    float mid[PIECE];
    if (loops_of[sd][CH_F32] && !ch__is_int(sd) && sd != CH_F64) { // f16 bf16 f8 bool: exact in f32
        loops_of[sd][CH_F32](mid, src, n);
        loops_of[CH_F32][dd](dst, mid, n);
        return;
    }
    const void *from = src;
    if (sd != CH_F64) {
        if (sd == CH_I64)
            i64_odd(wide, src, n);
        else if (sd == CH_U64)
            u64_odd(wide, src, n);
        else
            loops_of[sd][CH_F64](wide, src, n);
        from = wide;
    }
    if (dd == CH_F16 || dd == CH_BF16) {
        loops_of[CH_F64][dd](dst, from, n);
    } else {
        f64_odd(mid, from, n);
        loops_of[CH_F32][dd](dst, mid, n);
    }
}

void ch__convert_n(void *dst, ch_dtype dd, const void *src, ch_dtype sd, int64_t n) {
    if (n <= 0) return;
    convert_loop loop = loops_of[sd][dd];
    if (sd == dd && sd != CH_BOOL) {
        if (dst != src) memmove(dst, src, (size_t)n * ch_dtype_size(sd));
        return;
    }
    if (loop) {
        loop(dst, src, n);
        return;
    }
    size_t ds = ch_dtype_size(dd), ss = ch_dtype_size(sd);
    for (int64_t at = 0; at < n; at += PIECE)
        convert_piece((char *)dst + (size_t)at * ds, dd, (const char *)src + (size_t)at * ss, sd,
                      n - at < PIECE ? n - at : PIECE);
}

// ---------------------------------------------------------------- the ops
typedef struct {
    char *dst;
    const char *src;
    ch_dtype dd, sd;
    int ds, ss;
} convert_job;

static void convert_part(void *arg, int64_t begin, int64_t end) {
    const convert_job *j = arg;
    ch__convert_n(j->dst + begin * j->ds, j->dd, j->src + begin * j->ss, j->sd, end - begin);
}

ch_status ch__do_convert(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    if (x.dtype == o->dtype) return ch__result_same(fr, s, 0, 0);
    if (x.numel != o->numel) return ch__op_fail(s, CH__E_shape_mismatch, "operand and result differ in size");
    int64_t n = o->numel;
    if (x.splat) {
        ch__cell_drop(fr, o);
        o->buf = ch__buf_new(fr->run, o->esize);
        if (!o->buf) return CH_RESOURCE_EXHAUSTED;
        o->splat = true;
        n = 1;
    } else {
        // Elements of equal width are converted in place; the loops read each before they write it.
        bool taken;
        CH_TRY(ch__result_over(fr, s, 0, 0, &taken));
    }
    convert_job j = {ch__data(o), x.buf->data, (ch_dtype)o->dtype, (ch_dtype)x.dtype, o->esize, x.esize};
    if (n <= CH__CHEAP)
        convert_part(&j, 0, n);
    else
        ch__parallel_for(n, CH__CHEAP, convert_part, &j);
    return CH_OK;
}

ch_status ch__do_bitcast(ch__frame *fr, const ch__instr *s) {
    if (CH__IN(0)->esize != CH__OUT(0)->esize || CH__IN(0)->numel != CH__OUT(0)->numel)
        return ch__op_fail(s, CH__E_shape_mismatch, "operand and result differ in size");
    return ch__result_same(fr, s, 0, 0);
}
