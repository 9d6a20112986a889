// SPDX-License-Identifier: Apache-2.0
// test_base_half.c - half.c: every 16-bit and 8-bit pattern, and rounding against scaling and rint in f64.
#include "base/base.h"

#include "unit.h"

#include <math.h>

static uint32_t bits32(float v) {
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}
static float float_of(uint32_t b) {
    float v;
    memcpy(&v, &b, sizeof v);
    return v;
}
static double double_of(uint64_t b) {
    double v;
    memcpy(&v, &b, sizeof v);
    return v;
}

// The value of a pattern by the definition of the format; infinity and NaN are told apart by the caller.
static double value_of(unsigned bits, int ebits, int mbits, int bias) {
    unsigned e = bits >> mbits & ((1u << ebits) - 1), m = bits & ((1u << mbits) - 1);
    double v = e ? ldexp(1 + ldexp(m, -mbits), (int)e - bias) : ldexp(m, 1 - bias - mbits);
    return bits >> (ebits + mbits) & 1 ? -v : v;
}

// Rounds to mbits behind the point and the smallest exponent, half to even (rint), in f64; exact but for that.
static double rounded(double v, int mbits, int bias) {
    if (v == 0 || isinf(v)) return v;
    int e;
    frexp(v, &e);
    if (e - 1 < 1 - bias) e = 2 - bias;
    return ldexp(rint(ldexp(v, mbits - (e - 1))), e - 1 - mbits);
}

static void every_f16_and_bf16(void **state) {
    (void)state;
    for (unsigned i = 0; i < 65536; i++) {
        uint16_t h = (uint16_t)i;
        float f = ch__f16_to_f32(h), b = ch__bf16_to_f32(h);
        if ((i & 0x7c00) == 0x7c00) {
            if (i & 0x3ff) {
                assert_true(isnan(f) && (bits32(f) & 0x400000) && bits32(f) >> 31 == i >> 15);
                assert_int_equal(ch__f32_to_f16(f), i | 0x200);
                assert_int_equal(ch__f64_to_f16((double)f), i | 0x200);
            } else {
                assert_true(isinf(f) && (f < 0) == (i >> 15));
                assert_int_equal(ch__f32_to_f16(f), i);
            }
        } else {
            double v = value_of(i, 5, 10, 15);
            assert_true((double)f == v && !signbit(f) == !signbit(v));
            assert_int_equal(ch__f32_to_f16(f), i);
            assert_int_equal(ch__f64_to_f16(v), i);
        }
        if ((i & 0x7f80) == 0x7f80 && (i & 0x7f)) {
            assert_true(isnan(b) && (bits32(b) & 0x400000) && bits32(b) >> 31 == i >> 15);
            assert_int_equal(ch__f32_to_bf16(b), i | 0x40);
            assert_int_equal(ch__f64_to_bf16((double)b), i | 0x40);
        } else {
            assert_int_equal(bits32(b), i << 16);
            assert_int_equal(ch__f32_to_bf16(b), i);
            assert_int_equal(ch__f64_to_bf16((double)b), i);
        }
    }
}

static void every_8_bit_float(void **state) {
    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        float a = ch__f8e4m3_to_f32((uint8_t)i), b = ch__f8e5m2_to_f32((uint8_t)i);
        if ((i & 0x7f) == 0x7f) {
            assert_true(isnan(a) && bits32(a) >> 31 == i >> 7);
        } else {
            double v = value_of(i, 4, 3, 7);
            assert_true((double)a == v && !signbit(a) == !signbit(v));
        }
        assert_int_equal(ch__f32_to_f8e4m3(a), i);
        if ((i & 0x7c) == 0x7c) {
            assert_true(i & 3 ? isnan(b) : isinf(b));
            assert_int_equal(ch__f32_to_f8e5m2(b), i & 3 ? i | 2 : i);
        } else {
            double v = value_of(i, 5, 2, 15);
            assert_true((double)b == v && !signbit(b) == !signbit(v));
            assert_int_equal(ch__f32_to_f8e5m2(b), i);
        }
    }
}

static void check_f32(uint32_t bits) {
    float v = float_of(bits);
    if (isnan(v)) {
        assert_true(isnan(ch__f16_to_f32(ch__f32_to_f16(v))) && ch__f32_to_f16(v) >> 15 == bits >> 31);
        assert_true(isnan(ch__bf16_to_f32(ch__f32_to_bf16(v))) && ch__f32_to_bf16(v) >> 15 == bits >> 31);
        assert_int_equal(ch__f32_to_f8e4m3(v) & 0x7f, 0x7f);
        assert_true((ch__f32_to_f8e5m2(v) & 0x7f) > 0x7c);
        return;
    }
    double h = rounded(v, 10, 15), b = rounded(v, 7, 127), e4 = rounded(v, 3, 7), e5 = rounded(v, 2, 15);
    if (fabs(h) > 65504) h = copysign(INFINITY, h);
    if (fabs(b) > 0x1.fep127) b = copysign(INFINITY, b);
    if (fabs(e5) > 57344) e5 = copysign(INFINITY, e5);
    float gh = ch__f16_to_f32(ch__f32_to_f16(v)), gb = ch__bf16_to_f32(ch__f32_to_bf16(v));
    float g4 = ch__f8e4m3_to_f32(ch__f32_to_f8e4m3(v)), g5 = ch__f8e5m2_to_f32(ch__f32_to_f8e5m2(v));
    bool sign = signbit(v);
    if (gh != h || !signbit(gh) != !sign) fail_msg("f16 of %a: %a, not %a", v, gh, h);
    if (gb != b || !signbit(gb) != !sign) fail_msg("bf16 of %a: %a, not %a", v, gb, b);
    if (g5 != e5 || !signbit(g5) != !sign) fail_msg("f8e5m2 of %a: %a, not %a", v, g5, e5);
    if (fabs(e4) > 448 ? !isnan(g4) : g4 != e4) fail_msg("f8e4m3 of %a: %a, not %a", v, g4, e4);
    if (ch__f64_to_f16(v) != ch__f32_to_f16(v) || ch__f64_to_bf16(v) != ch__f32_to_bf16(v)) fail_msg("f64 of %a", v);
}

static void f32_rounds_half_to_even(void **state) {
    (void)state;
    // every sign, exponent and head of the mantissa, with the tails that round up, down and tie in each format
    static const uint32_t tails[] = {0, 1, 2, 0xfff, 0x1000, 0x1001, 0x1fff};
    for (uint32_t head = 0; head < 1u << 19; head++)
        for (size_t t = 0; t < sizeof tails / sizeof *tails; t++) check_f32(head << 13 | tails[t]);
    uint64_t r = 5;
    for (int i = 0; i < 200000; i++) check_f32((uint32_t)(r = ch__hash_u64(r)));
}

// f64 whose rounding to f32 first would fall on a tie: one rounding differs from two.
static void f64_rounds_once(void **state) {
    (void)state;
    double tie = 1 + 0x1p-11, above = tie + 0x1p-40;
    assert_int_equal(ch__f64_to_f16(tie), 0x3c00);
    assert_int_equal(ch__f64_to_f16(above), 0x3c01);
    assert_int_equal(ch__f32_to_f16((float)above), 0x3c00);
    assert_int_equal(ch__f64_to_bf16(1 + 0x1p-8 + 0x1p-50), 0x3f81);
    assert_int_equal(ch__f64_to_f16(65520 - 0x1p-30), 0x7bff);
    assert_int_equal(ch__f64_to_f16(-65520), 0xfc00);
    assert_int_equal(ch__f64_to_f16(0x1p-25), 0);
    assert_int_equal(ch__f64_to_f16(0x1p-25 + 0x1p-70), 1);
    assert_int_equal(ch__f64_to_f16(-1e-300), 0x8000);
    assert_int_equal(ch__f64_to_bf16(0x1p-134 + 0x1p-180), 1);
    assert_int_equal(ch__f64_to_bf16(1e300), 0x7f80);
    uint64_t r = 11;
    for (int i = 0; i < 300000; i++) {
        r = ch__hash_u64(r);
        double v = double_of((r & 0x800fffffffffffff) | (uint64_t)(1023 - 30 + (r >> 52) % 48) << 52);
        double h = rounded(v, 10, 15);
        if (fabs(h) > 65504) h = copysign(INFINITY, h);
        if (ch__f16_to_f32(ch__f64_to_f16(v)) != h) fail_msg("f16 of %a", v);
        if (ch__bf16_to_f32(ch__f64_to_bf16(v)) != rounded(v, 7, 127)) fail_msg("bf16 of %a", v);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_and_bf16),
        cmocka_unit_test(every_8_bit_float),
        cmocka_unit_test(f32_rounds_half_to_even),
        cmocka_unit_test(f64_rounds_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
