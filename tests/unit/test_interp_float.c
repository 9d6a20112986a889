// SPDX-License-Identifier: Apache-2.0
// test_interp_float.c - floats where it matters: signed zeros, NaN, ties of rounding, conversions through every 8- and
// 16-bit pattern, accumulators, special functions at known values.
#include "interp_run.h"

#include <float.h>
#include <math.h>

static uint64_t bits64(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

// Same bits, or both NaN.
static bool same(double x, double y) { return (isnan(x) && isnan(y)) || bits64(x) == bits64(y); }

static const char *const float_names[] = {"f64", "f32", "f16", "bf16"};

// One op on doubles that every float dtype holds, in every float dtype.
static void check_value(const char *op, int n, const double *x, double expected) {
    for (int k = 0; k < 4; k++) {
        const char *t = float_names[k];
        ch_dtype d = (ch_dtype)ch_dtype_from_name(t);
        char body[400];
        uint64_t store[3];
        ch__slot in[3], out[1];
        for (int i = 0; i < n; i++) {
            ch__convert_n(&store[i], d, &x[i], CH_F64, 1);
            in[i] = ir_scalar(d, &store[i]);
        }
        if (n == 1)
            snprintf(body, sizeof body, "func @f(%%x: %s[]) -> %s[] {\n  %%r = %s %%x : %s[]\n  return %%r\n}\n", t, t,
                     op, t);
        else if (n == 2)
            snprintf(body, sizeof body,
                     "func @f(%%x: %s[], %%y: %s[]) -> %s[] {\n  %%r = %s %%x, %%y : %s[]\n  return %%r\n}\n", t, t, t,
                     op, t);
        else
            snprintf(body, sizeof body,
                     "func @f(%%x: %s[], %%y: %s[], %%z: %s[]) -> %s[] {\n  %%r = %s %%x, %%y, %%z : %s[]\n"
                     "  return %%r\n}\n",
                     t, t, t, t, op, t);
        ir_run(body, n, in, 1, out);
        double got;
        ch__convert_n(&got, CH_F64, out[0].data, d, 1);
        if (!same(got, expected)) {
            print_error("%s %s of %a, %a: got %a, expected %a\n", op, t, x[0], n > 1 ? x[1] : 0, got, expected);
            fail();
        }
        ir_release(1, out);
    }
}

#define ONE(op, x, r) check_value(op, 1, (const double[]){x}, r)
#define TWO(op, x, y, r) check_value(op, 2, (const double[]){x, y}, r)
#define THREE(op, x, y, z, r) check_value(op, 3, (const double[]){x, y, z}, r)

static void zeros_and_nans(void **state) {
    (void)state;
    TWO("min", 0.0, -0.0, -0.0);
    TWO("min", -0.0, 0.0, -0.0);
    TWO("max", 0.0, -0.0, 0.0);
    TWO("max", -0.0, 0.0, 0.0);
    TWO("max", -0.0, -0.0, -0.0);
    TWO("min", NAN, 1, NAN);
    TWO("min", 1, NAN, NAN);
    TWO("max", NAN, -INFINITY, NAN);
    TWO("max", INFINITY, NAN, NAN);
    TWO("min", -INFINITY, INFINITY, -INFINITY);
    TWO("max", 2, 3, 3);
    TWO("add", -0.0, -0.0, -0.0);
    TWO("sub", 0.0, 0.0, 0.0);
    TWO("mul", -0.0, 5, -0.0);
    TWO("div", 1, -0.0, -INFINITY);
    TWO("div", 0, 0, NAN);
    TWO("rem", -5, 3, -2);
    TWO("rem", 5, -3, 2);
    TWO("rem", -3, 3, -0.0);
    TWO("rem", 5, INFINITY, 5);
    TWO("rem", 5, 0, NAN);
    TWO("pow", 0, 0, 1);
    TWO("pow", NAN, 0, 1);
    TWO("pow", -8, 3, -512);
    TWO("copysign", 3, -0.0, -3);
    TWO("copysign", -3, 1, 3);
    ONE("neg", 0.0, -0.0);
    ONE("abs", -0.0, 0.0);
    ONE("sign", -0.0, -0.0);
    ONE("sign", 0.0, 0.0);
    ONE("sign", NAN, NAN);
    ONE("sign", -7, -1);
    ONE("sign", INFINITY, 1);
    ONE("sqrt", -0.0, -0.0);
    ONE("sqrt", -1, NAN);
    ONE("rsqrt", 0.0, INFINITY);
    ONE("rsqrt", 4, 0.5);
    ONE("sigmoid", 0, 0.5);
    ONE("sigmoid", -INFINITY, 0);
    ONE("sigmoid", INFINITY, 1);
    THREE("clamp", -1, NAN, 1, NAN);
    THREE("clamp", -1, 5, 1, 1);
    THREE("clamp", -1, -5, 1, -1);
    THREE("clamp", 0, -0.0, 1, 0.0);
    THREE("clamp", 2, 1.5, 1, 1); // min(max(x, lo), hi)
    THREE("fma", 3, 4, 5, 17);
}

static void rounding(void **state) {
    (void)state;
    static const struct {
        double x, even, away, floor, ceil, trunc;
    } rows[] = {
        {0.5, 0, 1, 0, 1, 0},           {1.5, 2, 2, 1, 2, 1},
        {2.5, 2, 3, 2, 3, 2},           {-0.5, -0.0, -1, -1, -0.0, -0.0},
        {-1.5, -2, -2, -2, -1, -1},     {-2.5, -2, -3, -3, -2, -2},
        {0.25, 0, 0, 0, 1, 0},          {-0.25, -0.0, -0.0, -1, -0.0, -0.0},
        {0.75, 1, 1, 0, 1, 0},          {-0.0, -0.0, -0.0, -0.0, -0.0, -0.0},
        {NAN, NAN, NAN, NAN, NAN, NAN}, {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ONE("round_even", rows[i].x, rows[i].even);
        ONE("round_away", rows[i].x, rows[i].away);
        ONE("floor", rows[i].x, rows[i].floor);
        ONE("ceil", rows[i].x, rows[i].ceil);
        ONE("trunc", rows[i].x, rows[i].trunc);
    }
}

static void bits_of_nan_survive_neg_and_abs(void **state) {
    (void)state;
    static const uint32_t x[] = {0x7fc12345u, 0xffc12345u};
    static const uint16_t h[] = {0x7e01, 0xfe01};
    ch__slot in[] = {ir_vector(CH_F32, 2, x), ir_vector(CH_F16, 2, h)}, out[4];
    ir_run("func @f(%x: f32[2], %h: f16[2]) -> (f32[2], f32[2], f16[2], f16[2]) {\n  %a = neg %x : f32[2]\n"
           "  %b = abs %x : f32[2]\n  %c = neg %h : f16[2]\n  %d = abs %h : f16[2]\n  return %a, %b, %c, %d\n}\n",
           2, in, 4, out);
    assert_memory_equal(out[0].data, ((uint32_t[]){0xffc12345u, 0x7fc12345u}), 8);
    assert_memory_equal(out[1].data, ((uint32_t[]){0x7fc12345u, 0x7fc12345u}), 8);
    assert_memory_equal(out[2].data, ((uint16_t[]){0xfe01, 0x7e01}), 4);
    assert_memory_equal(out[3].data, ((uint16_t[]){0x7e01, 0x7e01}), 4);
    ir_release(4, out);
}

static void comparisons(void **state) {
    (void)state;
    static const double x[] = {0.0, -0.0, NAN, 1, NAN}, y[] = {-0.0, 0.0, 1, NAN, NAN};
    static const char *const dirs[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const uint8_t expected[][5] = {{1, 1, 0, 0, 0}, {0, 0, 1, 1, 1}, {0, 0, 0, 0, 0},
                                          {1, 1, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}};
    for (int k = 0; k < 6; k++) {
        char body[300];
        snprintf(body, sizeof body,
                 "func @f(%%x: f64[5], %%y: f64[5]) -> bool[5] {\n  %%r = compare %%x, %%y {dir = %s} : bool[5]\n"
                 "  return %%r\n}\n",
                 dirs[k]);
        ch__slot in[] = {ir_vector(CH_F64, 5, x), ir_vector(CH_F64, 5, y)}, out[1];
        ir_run(body, 2, in, 1, out);
        assert_memory_equal(out[0].data, expected[k], 5);
        ir_release(1, out);
    }
}

static void float_to_integer_saturates(void **state) {
    (void)state;
    static const double x[] = {NAN, INFINITY, -INFINITY, 127.9, 128, -128.9, -129, 255.5, 256, -0.9, 1e30, -1e30};
    static const struct {
        const char *dtype;
        int64_t r[12];
    } rows[] = {
        {"i8", {0, 127, -128, 127, 127, -128, -128, 127, 127, 0, 127, -128}},
        {"u8", {0, 255, 0, 127, 128, 0, 0, 255, 255, 0, 255, 0}},
        {"i16", {0, 32767, -32768, 127, 128, -128, -129, 255, 256, 0, 32767, -32768}},
        {"i32", {0, INT32_MAX, INT32_MIN, 127, 128, -128, -129, 255, 256, 0, INT32_MAX, INT32_MIN}},
        {"u32", {0, UINT32_MAX, 0, 127, 128, 0, 0, 255, 256, 0, UINT32_MAX, 0}},
        {"i64", {0, INT64_MAX, INT64_MIN, 127, 128, -128, -129, 255, 256, 0, INT64_MAX, INT64_MIN}},
        {"u64", {0, -1, 0, 127, 128, 0, 0, 255, 256, 0, -1, 0}},
        {"bool", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int wide = 0; wide < 2; wide++) {
            const char *t = wide ? "f64" : "f32";
            ch_dtype d = (ch_dtype)ch_dtype_from_name(rows[i].dtype), from = wide ? CH_F64 : CH_F32;
            char body[200];
            double store[12];
            int64_t got[12];
            ch__convert_n(store, from, x, CH_F64, 12);
            snprintf(body, sizeof body,
                     "func @f(%%x: %s[12]) -> %s[12] {\n  %%r = convert %%x : %s[12]\n  return %%r\n}\n", t,
                     rows[i].dtype, rows[i].dtype);
            ch__slot in[] = {ir_vector(from, 12, store)}, out[1];
            ir_run(body, 1, in, 1, out);
            ch__convert_n(got, CH_I64, out[0].data, d, 12);
            assert_memory_equal(got, rows[i].r, sizeof got);
            ir_release(1, out);
        }
}

// A small float's value from its fields, by the definition of the format.
static double decode(unsigned v, int exponent_bits, int mantissa_bits, bool has_inf) {
    int bias = (1 << (exponent_bits - 1)) - 1;
    unsigned e = v >> mantissa_bits & ((1u << exponent_bits) - 1), m = v & ((1u << mantissa_bits) - 1);
    double sign = v >> (exponent_bits + mantissa_bits) ? -1 : 1;
    if (e == (1u << exponent_bits) - 1) {
        if (has_inf) return m ? NAN : sign * INFINITY;
        if (m == (1u << mantissa_bits) - 1) return NAN; // e4m3: one NaN, no inf
    }
    if (e == 0) return sign * ldexp(m, 1 - bias - mantissa_bits);
    return sign * ldexp(1 + ldexp(m, -mantissa_bits), (int)e - bias);
}

typedef struct {
    ch_dtype d;
    const char *name;
    int exponent, mantissa, bits;
    bool has_inf;
} small_format;
static const small_format formats[] = {{CH_F16, "f16", 5, 10, 16, true},
                                       {CH_BF16, "bf16", 8, 7, 16, true},
                                       {CH_F8E4M3, "f8e4m3", 4, 3, 8, false},
                                       {CH_F8E5M2, "f8e5m2", 5, 2, 8, true}};

// Every pattern to f32 and f64 and back.
static void small_floats_widen_exactly(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        const small_format *f = &formats[k];
        int n = 1 << f->bits;
        unsigned char *x = malloc((size_t)n * 2);
        for (int i = 0; i < n; i++) {
            if (f->bits == 8)
                x[i] = (unsigned char)i;
            else
                ((uint16_t *)(void *)x)[i] = (uint16_t)i;
        }
        char body[500];
        snprintf(body, sizeof body,
                 "func @f(%%x: %s[n]) -> (f32[n], f64[n], %s[n], %s[n]) {\n  %%a = convert %%x : f32[n]\n"
                 "  %%b = convert %%x : f64[n]\n  %%c = convert %%a : %s[n]\n  %%d = convert %%b : %s[n]\n"
                 "  return %%a, %%b, %%c, %%d\n}\n",
                 f->name, f->name, f->name, f->name, f->name);
        ch__slot in[] = {ir_vector(f->d, n, x)}, out[4];
        ir_run(body, 1, in, 4, out);
        for (int i = 0; i < n; i++) {
            double v = decode((unsigned)i, f->exponent, f->mantissa, f->has_inf);
            assert_true(same(((float *)out[0].data)[i], v));
            assert_true(same(((double *)out[1].data)[i], v));
            if (isnan(v)) continue;
            for (int back = 2; back < 4; back++)
                assert_memory_equal((char *)out[back].data + i * f->bits / 8, x + i * f->bits / 8, (size_t)f->bits / 8);
        }
        ir_release(4, out);
        free(x);
    }
}

// Between every two neighbours: just below the middle, the middle, just above it; from f32, f64 and (where it can) i64.
static void narrowing_rounds_half_to_even(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        const small_format *f = &formats[k];
        unsigned last = f->has_inf ? ((1u << f->exponent) - 1) << f->mantissa : (1u << (f->exponent + f->mantissa)) - 1;
        for (unsigned i = 0; i + 1 < last; i++) {
            double a = decode(i, f->exponent, f->mantissa, f->has_inf),
                   b = decode(i + 1, f->exponent, f->mantissa, f->has_inf), mid = (a + b) / 2;
            const double x[] = {mid,
                                nextafter(mid, 0),
                                nextafter(mid, INFINITY),
                                -mid,
                                nextafterf((float)mid, INFINITY),
                                nextafterf((float)mid, 0)};
            const unsigned r[] = {i + (i & 1), i, i + 1, (i + (i & 1)) | 1u << (f->bits - 1), i + 1, i};
            for (int j = 0; j < 6; j++) {
                uint16_t got = 0, from32 = 0;
                float narrow = (float)x[j];
                ch__convert_n(&got, f->d, &x[j], CH_F64, 1);
                assert_int_equal(got, r[j]);
                if ((double)narrow != x[j]) continue;
                ch__convert_n(&from32, f->d, &narrow, CH_F32, 1);
                assert_int_equal(from32, r[j]);
            }
            if (b < 9e18 && b >= 2 && mid == rint(mid)) {
                const int64_t y[] = {(int64_t)mid, (int64_t)mid + 1, (int64_t)mid - 1, -(int64_t)mid - 1};
                const unsigned s[] = {i + (i & 1), i + 1, i, (i + 1) | 1u << (f->bits - 1)};
                for (int j = 0; j < 4 && b - a > 2; j++) {
                    uint16_t got = 0;
                    ch__convert_n(&got, f->d, &y[j], CH_I64, 1);
                    assert_int_equal(got, s[j]);
                }
            }
        }
    }
}

static void integers_to_floats_round_once(void **state) {
    (void)state;
    static const int64_t x[] = {(INT64_C(1) << 24) + 1, (INT64_C(1) << 60) + (INT64_C(1) << 36) + 1, INT64_MAX,
                                INT64_MIN};
    static const uint64_t y[] = {UINT64_MAX, (UINT64_C(1) << 63) + (UINT64_C(1) << 39) + 1};
    ch__slot in[] = {ir_vector(CH_I64, 4, x), ir_vector(CH_U64, 2, y)}, out[3];
    ir_run("func @f(%x: i64[4], %y: u64[2]) -> (f32[4], f64[4], f32[2]) {\n  %a = convert %x : f32[4]\n"
           "  %b = convert %x : f64[4]\n  %c = convert %y : f32[2]\n  return %a, %b, %c\n}\n",
           2, in, 3, out);
    assert_memory_equal(out[0].data, ((float[]){0x1p24f, 0x1.000002p60f, 0x1p63f, -0x1p63f}), 16);
    assert_memory_equal(out[1].data, ((double[]){0x1.000001p24, 0x1.000001p60, 0x1p63, -0x1p63}), 32);
    assert_memory_equal(out[2].data, ((float[]){0x1p64f, 0x1.000002p63f}), 8);
    ir_release(3, out);
}

static void halves_round_after_each_op(void **state) {
    (void)state;
    // 2048 + 1 is a tie in f16: to even is 2048; twice adding 1 therefore stays, in f32 it would not.
    static const uint16_t x[] = {0x6800}, one[] = {0x3c00};
    ch__slot in[] = {ir_vector(CH_F16, 1, x), ir_vector(CH_F16, 1, one)}, out[2];
    ir_run("func @f(%x: f16[1], %y: f16[1]) -> (f16[1], f16[1]) {\n  %a = add %x, %y : f16[1]\n  %b = add %a, %y : "
           "f16[1]\n"
           "  %c = fma %y, %y, %x : f16[1]\n  return %b, %c\n}\n",
           2, in, 2, out);
    assert_int_equal(*(uint16_t *)out[0].data, 0x6800);
    assert_int_equal(*(uint16_t *)out[1].data, 0x6800);
    ir_release(2, out);
    // fma rounds once: a*b is half an ulp of c, and what f32 rounds away decides the tie.
    // a = 1 + 2^-10, b = 1 + 2^-10: a*b = 1 + 2^-9 + 2^-20; c = 2048 (ulp 2): the sum lies above the tie at 2049.
    static const uint16_t a[] = {0x3c01}, c[] = {0x6800};
    ch__slot in2[] = {ir_vector(CH_F16, 1, a), ir_vector(CH_F16, 1, c)};
    ir_run("func @f(%a: f16[1], %c: f16[1]) -> f16[1] {\n  %r = fma %a, %a, %c : f16[1]\n  return %r\n}\n", 2, in2, 1,
           out);
    assert_int_equal(*(uint16_t *)out[0].data, 0x6801);
    ir_release(1, out);
    // bf16: 256 (ulp 2) + (1 + 2^-7)(1 - 2^-8) = 257 + 2^-8 - 2^-15: the tie at 257 is exceeded by less than f32 keeps
    // at 256 only when it does round twice; the exact sum rounds up.
    static const uint16_t p[] = {0x3f81}, q[] = {0x3f7f}, r[] = {0x4380};
    ch__slot in3[] = {ir_vector(CH_BF16, 1, p), ir_vector(CH_BF16, 1, q), ir_vector(CH_BF16, 1, r)};
    ir_run("func @f(%a: bf16[1], %b: bf16[1], %c: bf16[1]) -> bf16[1] {\n  %r = fma %a, %b, %c : bf16[1]\n  return "
           "%r\n}\n",
           3, in3, 1, out);
    assert_int_equal(*(uint16_t *)out[0].data, 0x4381);
    ir_release(1, out);
}

static void nextafter_of_halves(void **state) {
    (void)state;
    static const uint16_t x[] = {0x0000, 0x8000, 0x3c00, 0x3c00, 0x7bff, 0x0001,
                                 0x8001, 0x7e00, 0x3c00, 0xbc00, 0xbc00, 0x7c00},
                          y[] = {0x3c00, 0xbc00, 0x7c00, 0x0000, 0x7c00, 0x8000,
                                 0x0000, 0x3c00, 0x7e00, 0x0000, 0xfc00, 0x0000},
                          r[] = {0x0001, 0x8001, 0x3c01, 0x3bff, 0x7c00, 0x0000,
                                 0x8000, 0x7e00, 0x7e00, 0xbbff, 0xbc01, 0x7bff};
    ch__slot in[] = {ir_vector(CH_F16, 12, x), ir_vector(CH_F16, 12, y)}, out[1];
    ir_run("func @f(%x: f16[12], %y: f16[12]) -> f16[12] {\n  %r = nextafter %x, %y : f16[12]\n  return %r\n}\n", 2, in,
           1, out);
    assert_memory_equal(out[0].data, r, sizeof r);
    ir_release(1, out);
}

// Sums follow acc to the letter: one accumulator, ascending, converted back once.
static void accumulators(void **state) {
    (void)state;
    static const float x[] = {16777216, 1, 1, 1, 1};
    static const uint16_t h[] = {0x6800, 0x3c00, 0x3c00, 0x3c00, 0x3c00}; // 2048 1 1 1 1
    ch__slot in[] = {ir_vector(CH_F32, 5, x), ir_vector(CH_F16, 5, h)}, out[5];
    ir_run("func @f(%x: f32[5], %h: f16[5]) -> (f32[], f32[], f16[], f16[], f32[5]) {\n"
           "  %a = reduce %x {kind = sum, dims = [0]} : f32[]\n  %b = reduce %x {kind = sum, dims = [0], acc = f64, "
           "order = any} : f32[]\n"
           "  %c = reduce %h {kind = sum, dims = [0]} : f16[]\n  %d = reduce %h {kind = sum, dims = [0], acc = f16} : "
           "f16[]\n"
           "  %e = cumulative %x {kind = sum, dim = 0, acc = f64} : f32[5]\n  return %a, %b, %c, %d, %e\n}\n",
           2, in, 5, out);
    assert_true(*(float *)out[0].data == 16777216);
    assert_true(*(float *)out[1].data == 16777220);
    assert_int_equal(*(uint16_t *)out[2].data, 0x6802); // 2052
    assert_int_equal(*(uint16_t *)out[3].data, 0x6800);
    assert_memory_equal(out[4].data, ((float[]){16777216, 16777216, 16777218, 16777220, 16777220}), 20);
    ir_release(5, out);
    static const double zeros[] = {-0.0, -0.0};
    ch__slot z[] = {ir_vector(CH_F64, 2, zeros)};
    ir_run("func @f(%x: f64[2]) -> (f64[], f64[]) {\n  %a = reduce %x {kind = sum, dims = [0]} : f64[]\n"
           "  %b = reduce %x {kind = max, dims = [0]} : f64[]\n  return %a, %b\n}\n",
           1, z, 2, out);
    assert_true(same(*(double *)out[0].data, 0.0)); // the accumulator starts at +0
    assert_true(same(*(double *)out[1].data, -0.0));
    ir_release(2, out);
}

static void extremes_of_many(void **state) {
    (void)state;
    float x[100];
    for (int at = 0; at < 100; at++) {
        for (int i = 0; i < 100; i++) x[i] = (float)(i * 37 % 100);
        x[at] = at % 3 == 0 ? NAN : at % 3 == 1 ? INFINITY : -INFINITY;
        ch__slot in[] = {ir_vector(CH_F32, 100, x)}, out[3];
        ir_run("func @f(%x: f32[100]) -> (f32[], f32[], i64[]) {\n  %a = reduce %x {kind = min, dims = [0]} : f32[]\n"
               "  %b = reduce %x {kind = max, dims = [0]} : f32[]\n  %c = arg_reduce %x {kind = max, dim = 0} : i64[]\n"
               "  return %a, %b, %c\n}\n",
               1, in, 3, out);
        float lo = INFINITY, hi = -INFINITY;
        int64_t where = 0;
        for (int i = 0; i < 100; i++) {
            if (x[i] > hi) where = i;
            lo = ch__min_f32(lo, x[i]), hi = ch__max_f32(hi, x[i]);
        }
        assert_true(same(*(float *)out[0].data, lo));
        assert_true(same(*(float *)out[1].data, hi));
        assert_int_equal(*(int64_t *)out[2].data, at % 3 == 0 ? at : where);
        ir_release(3, out);
    }
}

static bool close_to(double got, double expected, double ulps) {
    if (same(got, expected)) return true;
    return fabs(got - expected) <= ulps * fabs(nextafter(expected, INFINITY) - expected);
}

// Values by mpmath 1.3 at 40 digits.
static void special_functions(void **state) {
    (void)state;
    static const struct {
        int n;
        double x, r;
    } rows[] = {{0, 1.0, -0.57721566490153286061},
                {0, 0.5, -1.9635100260214234794},
                {0, 1.4616321449683622, -9.2412655217294275168e-17},
                {0, 10.0, 2.2517525890667211076},
                {0, -0.5, 0.036489973978576520559},
                {0, -3.75, -1.6923885983113303432},
                {0, 0.001, -1000.5755719318102797},
                {0, -1e-05, 99999.422767885629412},
                {0, 1000000.0, 13.815510057964190771},
                {0, 0.1, -10.423754940411076232},
                {0, -1.57349847316239, 4.5714168112277889937e-15},
                {0, 3.7, 1.1671535393615114409},
                {0, -10.25, 5.5168584198862733053},
                {0, 1000000000000000.0, 34.53877639491068476},
                {1, 1.0, 1.6449340668482264365},
                {2, 1.0, -2.4041138063191885708},
                {3, 0.5, 97.409091034002437236},
                {1, 0.5, 4.9348022005446793094},
                {1, -0.5, 8.9348022005446793094},
                {2, -0.5, -0.8287966442343199956},
                {5, 3.25, 0.13160608578097313908},
                {4, -7.125, 786397.99075686218784},
                {10, 0.25, -15220290667405.549981},
                {20, 50.0, -1.5484472745325124309e-17},
                {1, 10000000000.0, 1.00000000005e-10},
                {7, -0.001, 5.0399999999999991607e+27},
                {100, 30.0, -626546063.66861324324},
                {3, -1234.5, 194.81818206694310807}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got = ch__polygamma(rows[i].n, rows[i].x);
        if (close_to(got, rows[i].r, 2)) continue;
        print_error("polygamma %d of %a: got %a, expected %a\n", rows[i].n, rows[i].x, got, rows[i].r);
        fail();
    }
    assert_true(isnan(ch__digamma(0)) && isnan(ch__digamma(-4)) && isnan(ch__digamma(-INFINITY)) &&
                isnan(ch__digamma(NAN)));
    assert_true(ch__digamma(INFINITY) == INFINITY);
    assert_true(ch__digamma(5e-324) == -INFINITY);
    assert_true(ch__polygamma(1, -3) == INFINITY && isnan(ch__polygamma(2, -3)) && isnan(ch__polygamma(1, -INFINITY)));
    assert_true(ch__polygamma(1, DBL_MAX) == 1 / DBL_MAX);
    assert_true(ch__polygamma(0, 1) == ch__digamma(1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_and_nans),
        cmocka_unit_test(rounding),
        cmocka_unit_test(bits_of_nan_survive_neg_and_abs),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(float_to_integer_saturates),
        cmocka_unit_test(small_floats_widen_exactly),
        cmocka_unit_test(narrowing_rounds_half_to_even),
        cmocka_unit_test(integers_to_floats_round_once),
        cmocka_unit_test(halves_round_after_each_op),
        cmocka_unit_test(nextafter_of_halves),
        cmocka_unit_test(accumulators),
        cmocka_unit_test(extremes_of_many),
        cmocka_unit_test(special_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
