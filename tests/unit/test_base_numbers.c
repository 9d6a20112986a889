// SPDX-License-Identifier: Apache-2.0
// test_base_numbers.c - num.c against the C library in the C locale, which rounds correctly both ways.
//
// The oracle of shortest printing: our k digits read back; k-1 digits (rounded by printf) do not; and when printf's k
// digits read back, they are ours, because they are the nearest.
#include "base/base.h"

#include "unit.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t bits64(double v) {
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}
static uint32_t bits32(float v) {
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}
static double double_of(uint64_t b) {
    double v;
    memcpy(&v, &b, sizeof v);
    return v;
}
static float float_of(uint32_t b) {
    float v;
    memcpy(&v, &b, sizeof v);
    return v;
}

// The C library in the C locale, whatever the program's is.
static locale_t c_locale;
static double c_strtod(const char *s) {
    locale_t old = uselocale(c_locale);
    double v = strtod(s, NULL);
    uselocale(old);
    return v;
}
static float c_strtof(const char *s) {
    locale_t old = uselocale(c_locale);
    float v = strtof(s, NULL);
    uselocale(old);
    return v;
}
CH_PRINTF(3, 4) static int c_print(char *out, size_t n, const char *fmt, ...) {
    locale_t old = uselocale(c_locale);
    va_list ap;
    va_start(ap, fmt);
    int made = vsnprintf(out, n, fmt, ap);
    va_end(ap);
    uselocale(old);
    return made;
}

static int significant(const char *s) {
    int n = 0, zeros = 0;
    for (; *s && *s != 'e'; s++) {
        if (*s < '0' || *s > '9' || (n == 0 && *s == '0')) continue;
        n++;
        zeros = *s == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

static void check_f64(double v, bool thorough) {
    char s[CH__NUM_CHARS], other[64];
    int n = ch__format_f64(s, v);
    if ((size_t)n != strlen(s) || n >= CH__NUM_CHARS) fail_msg("length of %s", s);
    double back = 0;
    if (ch__parse_f64(s, s + n, &back) != s + n || bits64(back) != bits64(v))
        fail_msg("%a: %s reads back as %a", v, s, back);
    if (!thorough || v == 0 || isinf(v)) return;
    if (bits64(c_strtod(s)) != bits64(v)) fail_msg("%a: strtod of %s differs", v, s);
    int k = significant(s);
    c_print(other, sizeof other, "%.*e", k - 1, v);
    if (c_strtod(other) == v && significant(other) == k) {
        char ours[64];
        c_print(ours, sizeof ours, "%.*e", k - 1, c_strtod(s));
        if (strcmp(ours, other) != 0) fail_msg("%a: %s is not the nearest, %s is", v, s, other);
    }
    if (k > 1) {
        c_print(other, sizeof other, "%.*e", k - 2, v);
        if (c_strtod(other) == v) fail_msg("%a: %s is not the shortest, %s is", v, s, other);
    }
    c_print(other, sizeof other, "%.17g", v);
    ch__parse_f64(other, other + strlen(other), &back);
    if (bits64(back) != bits64(v)) fail_msg("%s reads as %a", other, back);
}

static void check_f32(float v, bool thorough) {
    char s[CH__NUM_CHARS], other[64];
    int n = ch__format_f32(s, v);
    float back = 0;
    if (ch__parse_f32(s, s + n, &back) != s + n || bits32(back) != bits32(v))
        fail_msg("%a: %s reads back as %a", v, s, back);
    if (!thorough || v == 0 || isinf(v)) return;
    if (bits32(c_strtof(s)) != bits32(v)) fail_msg("%a: strtof of %s differs", v, s);
    int k = significant(s);
    if (k > 1) {
        c_print(other, sizeof other, "%.*e", k - 2, (double)v);
        if (c_strtof(other) == v) fail_msg("%a: %s is not the shortest, %s is", v, s, other);
    }
    c_print(other, sizeof other, "%.17g", (double)v);
    ch__parse_f32(other, other + strlen(other), &back);
    if (bits32(back) != bits32(v)) fail_msg("%s reads as %a", other, back);
}

static void random_f64(void **state) {
    (void)state;
    uint64_t r = 1;
    for (int i = 0; i < 1000000; i++) {
        r = ch__hash_u64(r);
        double v = double_of(r);
        if (!isnan(v)) check_f64(v, i % 10 == 0);
    }
}

static void random_f32(void **state) {
    (void)state;
    uint64_t r = 2;
    for (int i = 0; i < 1000000; i++) {
        r = ch__hash_u64(r);
        float v = float_of((uint32_t)r);
        if (!isnan(v)) check_f32(v, i % 10 == 0);
    }
}

// Powers of two (the interval below is half as wide) and of ten, neighbours, subnormals, integers, short decimals.
static void special_f64(void **state) {
    (void)state;
    for (int e = -1074; e <= 1023; e++)
        for (int d = -2; d <= 2; d++) {
            uint64_t b = bits64(ldexp(1, e));
            if (d >= 0 || b >= (uint64_t)-d) check_f64(double_of(b + (uint64_t)(int64_t)d), true);
        }
    for (int e = -323; e <= 308; e++) {
        char s[16];
        c_print(s, sizeof s, "1e%d", e);
        uint64_t b = bits64(c_strtod(s));
        for (int d = -3; d <= 3; d++)
            if (d >= 0 || b >= (uint64_t)-d) check_f64(-double_of(b + (uint64_t)(int64_t)d), true);
    }
    uint64_t r = 3;
    for (int i = 0; i < 100000; i++) {
        r = ch__hash_u64(r);
        check_f64((double)(r >> (r % 60)), i % 4 == 0); // integers of all sizes
        check_f64((double)(r >> 40) / (double)(int64_t[]){1, 10, 100, 1000, 100000}[r % 5], i % 4 == 0);
        check_f64(double_of(r >> (12 + r % 50)), i % 4 == 0); // subnormals
    }
    check_f64(1.7976931348623157e308, true);
    check_f64(9007199254740991, true);
    check_f64(9007199254740992, true);
    check_f64(9007199254740994, true);
}

static void special_f32(void **state) {
    (void)state;
    for (uint32_t e = 0; e < 255; e++)
        for (uint32_t d = 0; d < 5; d++) {
            check_f32(float_of((e << 23) + d), true);
            if (e || d) check_f32(float_of((e << 23) + d - 2 + (e || d > 1 ? 0 : 2)), true);
        }
    uint64_t r = 4;
    for (int i = 0; i < 100000; i++) {
        r = ch__hash_u64(r);
        check_f32((float)(r >> (r % 60)), i % 4 == 0);
        check_f32((float)(r >> 44) / (float)(int[]){1, 10, 100, 1000, 100000}[r % 5], i % 4 == 0);
        check_f32(float_of((uint32_t)(r >> (41 + r % 20))), i % 4 == 0);
    }
    check_f32(3.4028234e38f, true);
}

static void printed_forms(void **state) {
    (void)state;
    static const struct {
        double v;
        const char *text;
    } rows[] = {
        {1, "1"},
        {0, "0"},
        {-0.0, "-0"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {100, "100"},
        {1e-5, "1e-05"},
        {0.0001, "0.0001"},
        {0.00012345, "0.00012345"},
        {1.5e-5, "1.5e-05"},
        {1e15, "1000000000000000"},
        {1e16, "1e+16"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {123456789012345680, "1.2345678901234568e+17"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {0x1p-44, "5.684341886080802e-14"},
        {9007199254740993.0, "9007199254740992"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {2e-3, "0.002"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    char s[CH__NUM_CHARS];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ch__format_f64(s, rows[i].v), strlen(rows[i].text));
        assert_string_equal(s, rows[i].text);
    }
    static const struct {
        float v;
        const char *text;
    } rows32[] = {
        {0.1f, "0.1"},
        {1, "1"},
        {-0.0f, "-0"},
        {16777216, "16777216"},
        {1e8f, "100000000"},
        {1e9f, "1e+09"},
        {3.4028235e38f, "3.4028235e+38"},
        {1e-45f, "1e-45"},
        {1e-5f, "1e-05"},
        {0.33333334f, "0.33333334"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {1.1754944e-38f, "1.1754944e-38"},
    };
    for (size_t i = 0; i < sizeof rows32 / sizeof *rows32; i++) {
        assert_int_equal(ch__format_f32(s, rows32[i].v), strlen(rows32[i].text));
        assert_string_equal(s, rows32[i].text);
    }
    ch__format_f64(s, -NAN);
    assert_string_equal(s, "nan");
    ch__format_i64(s, INT64_MIN);
    assert_string_equal(s, "-9223372036854775808");
    assert_int_equal(ch__format_i64(s, 0), 1);
    assert_string_equal(s, "0");
}

// Decimals that lie exactly between two doubles, and a hair above and below: the hardest there are (up to 767 digits).
static void exactly_between_two(void **state) {
    (void)state;
#if LDBL_MANT_DIG < 64
    CH_SKIP("long double has no bit more than double here");
#endif
    static char text[2400], more[2500];
    uint64_t r = 6;
    for (int i = 0; i < 3000; i++) {
        r = ch__hash_u64(r);
        double a = double_of(r >> 1);
        if (i % 5 == 0) a = double_of(r >> (12 + r % 50));        // subnormal
        if (i % 5 == 1) a = (double)(r >> 5 | (uint64_t)1 << 58); // an integer
        if (isnan(a) || isinf(a) || double_of(bits64(a) + 1) == INFINITY) continue;
        long double mid = a + ((long double)double_of(bits64(a) + 1) - a) / 2;
        c_print(text, sizeof text, "%.1080Lf", mid);
        size_t n = strlen(text);
        double got, expected = c_strtod(text);
        assert_ptr_equal(ch__parse_f64(text, text + n, &got), text + n);
        if (bits64(got) != bits64(expected) || (bits64(got) & 1)) fail_msg("between %a and the next: %a", a, got);
        c_print(more, sizeof more, "%s%.*s1", text, (int)(r % 70),
                "0000000000000000000000000000000000000000000000000000000000000000000000");
        ch__parse_f64(more, more + strlen(more), &got);
        if (bits64(got) != bits64(a) + 1) fail_msg("above the middle of %a: %a", a, got);
        char *last = text + n; // make it less: lower the last digit that is not zero
        do last--;
        while (*last == '0' || *last == '.');
        --*last;
        while (*++last)
            if (*last != '.') *last = '9';
        ch__parse_f64(text, text + n, &got);
        if (bits64(got) != bits64(a)) fail_msg("below the middle of %a: %a", a, got);
        // the same for f32, whose middles are doubles
        uint32_t fb = (uint32_t)(r >> 32) & 0x7fffffff;
        if (fb >= 0x7f7fffff) continue;
        double fmid = ((double)float_of(fb) + (double)float_of(fb + 1)) / 2;
        float f;
        c_print(text, sizeof text, "%.160f", fmid);
        ch__parse_f32(text, text + strlen(text), &f);
        if (bits32(f) != (fb & 1 ? fb + 1 : fb)) fail_msg("f32 between %a and the next", float_of(fb));
        strcat(text, "1");
        ch__parse_f32(text, text + strlen(text), &f);
        if (bits32(f) != fb + 1) fail_msg("f32 above the middle of %a", float_of(fb));
        c_print(text, sizeof text, "%.17g", nextafter(fmid, 0));
        ch__parse_f32(text, text + strlen(text), &f);
        if (bits32(f) != fb) fail_msg("f32 below the middle of %a", float_of(fb));
    }
}

// Random decimals of all lengths and exponents, as people and programs write them.
static void random_text(void **state) {
    (void)state;
    uint64_t r = 8;
    for (int i = 0; i < 200000; i++) {
        char s[120];
        int n = 0;
        r = ch__hash_u64(r);
        int digits = 1 + (int)(r % (i % 50 ? 22 : 60)), point = (int)(r >> 8) % (digits + 4);
        if (r >> 20 & 1) s[n++] = "+-"[r >> 21 & 1];
        for (int k = 0; k < digits; k++) {
            if (k == point) s[n++] = '.';
            s[n++] = (char)('0' + ch__hash_u64(r + (uint64_t)k) % 10);
        }
        if (r >> 22 & 1) n += c_print(s + n, 20, "%c%d", "eE"[r >> 23 & 1], (int)(r >> 24) % 700 - 350 - digits / 2);
        s[n] = '\0';
        double d = 1, e = c_strtod(s);
        float f = 1, g = c_strtof(s);
        if (ch__parse_f64(s, s + n, &d) != s + n || bits64(d) != bits64(e)) fail_msg("%s: %a, not %a", s, d, e);
        if (ch__parse_f32(s, s + n, &f) != s + n || bits32(f) != bits32(g)) fail_msg("f32 %s: %a, not %a", s, f, g);
    }
}

static void hex_floats(void **state) {
    (void)state;
    static const char *const rows[] = {
        "0x1p0",
        "0x1.8p3",
        "-0x1.fffffffffffffp1023",
        "0x1p1024",
        "0x1p-1074",
        "0x1p-1075",
        "0x1.00000001p-1075",
        "0x0.0000001p-1050",
        "0x1.fffffffffffff8p0",
        "0x1.fffffffffffff80000000000000001p0",
        "0x1.00000000000008p0",
        "0X1.8P+2",
        "0x.8",
        "0x10",
        "0x123456789abcdef012345p-3",
        "0x0p5",
        "-0x0.0",
        "0x1.8p-149",
        "0x1.000001p0",
        "0x1.0000010000000000001p0",
        "0x1p99999999999999999999",
        "0x1p-99999999999999999999",
        "0x8000000000000000p0",
        "0xffffffffffffffffp0",
        "0x1ffffffffffffffff1p-10",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *s = rows[i], *end = s + strlen(s);
        double d = 7;
        float f = 7;
        assert_ptr_equal(ch__parse_f64(s, end, &d), end);
        assert_ptr_equal(ch__parse_f32(s, end, &f), end);
        if (bits64(d) != bits64(c_strtod(s))) fail_msg("%s: %a", s, d);
        if (bits32(f) != bits32(c_strtof(s))) fail_msg("f32 %s: %a", s, f);
    }
    uint64_t r = 12;
    for (int i = 0; i < 50000; i++) {
        char s[64];
        r = ch__hash_u64(r);
        double v = double_of(r), d;
        if (isnan(v)) continue;
        c_print(s, sizeof s, "%a", v);
        ch__parse_f64(s, s + strlen(s), &d);
        assert_true(bits64(d) == bits64(v));
    }
}

// How much is read, and that nothing past the end is.
static void where_reading_ends(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n;
        double v;
    } rows[] = {
        {"1.5x", 3, 1.5},
        {"1.5e", 3, 1.5},
        {"1.5e+", 3, 1.5},
        {"1.5e5", 5, 1.5e5},
        {"1e5.5", 3, 1e5},
        {".5", 2, .5},
        {"5.", 2, 5},
        {"5..", 2, 5},
        {".", 0, 0},
        {"", 0, 0},
        {"-", 0, 0},
        {"+", 0, 0},
        {"-.e5", 0, 0},
        {"e5", 0, 0},
        {" 1", 0, 0},
        {"0x", 1, 0},
        {"0xg", 1, 0},
        {"0x.p1", 1, 0},
        {"0x1p", 3, 1},
        {"0x1pz", 3, 1},
        {"inf", 3, INFINITY},
        {"-inFinitY!", 9, -INFINITY},
        {"infinit", 3, INFINITY},
        {"in", 0, 0},
        {"1,5", 1, 1},
        {"1_000", 1, 1},
        {"--1", 0, 0},
        {"1-1", 1, 1},
        {"00012", 5, 12},
        {"0e999999999999999999999", 23, 0},
        {"1e-99999999999999999999", 23, 0},
        {"1e99999999999", 13, INFINITY},
        {"-0", 2, -0.0},
        {"0.0000", 6, 0},
        {"1e400", 5, INFINITY},
        {"-1e-400", 7, -0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = strlen(rows[i].text);
        char *s = malloc(len + 1); // exactly so long: a sanitizer sees a read past it
        memcpy(s, rows[i].text, len);
        double d = 42;
        float f = 42;
        if (ch__parse_f64(s, s + len, &d) != s + rows[i].n || ch__parse_f32(s, s + len, &f) != s + rows[i].n)
            fail_msg("\"%s\" reads %d", rows[i].text, (int)(ch__parse_f64(s, s + len, &d) - s));
        if (rows[i].n) assert_true(bits64(d) == bits64(rows[i].v) && bits32(f) == bits32((float)rows[i].v));
        if (!rows[i].n) assert_true(d == 42 && f == 42);
        // every shorter end
        for (size_t n = 0; n < len; n++) {
            char *cut = malloc(n + 1);
            memcpy(cut, s, n);
            assert_true(ch__parse_f64(cut, cut + n, &d) <= cut + n);
            assert_true(ch__parse_f32(cut, cut + n, &f) <= cut + n);
            free(cut);
        }
        free(s);
    }
    double d;
    const char *nan = "nan)";
    assert_ptr_equal(ch__parse_f64(nan, nan + 4, &d), nan + 3);
    assert_true(isnan(d) && !signbit(d));
    nan = "-NaN";
    assert_ptr_equal(ch__parse_f64(nan, nan + 4, &d), nan + 4);
    assert_true(isnan(d));
    // very long texts: leading zeros, digits, zeros before a point
    static char text[20010];
    for (int kind = 0; kind < 3; kind++) {
        memset(text, kind == 1 ? '9' : '0', 20000);
        text[20000] = '\0';
        if (kind == 0) strcpy(text + 20000, "7.5");
        if (kind == 1) memcpy(text + 1, ".", 1);
        if (kind == 2) {
            text[0] = '1';
            strcpy(text + 20000, "e-20000");
        }
        const char *end = text + strlen(text);
        assert_ptr_equal(ch__parse_f64(text, end, &d), end);
        assert_true(d == (kind == 0 ? 7.5 : kind == 1 ? 10 : 0.1));
    }
}

static void integers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n;
        int64_t v;
        bool over;
    } rows[] = {
        {"0", 1, 0, false},
        {"-0", 2, 0, false},
        {"+12x", 3, 12, false},
        {"9223372036854775807", 19, INT64_MAX, false},
        {"9223372036854775808", 19, INT64_MAX, true},
        {"-9223372036854775808", 20, INT64_MIN, false},
        {"-9223372036854775809", 20, INT64_MIN, true},
        {"99999999999999999999999999", 26, INT64_MAX, true},
        {"-99999999999999999999999990", 27, INT64_MIN, true},
        {"18446744073709551617", 20, INT64_MAX, true},
        {"000000000000000000000000012", 27, 12, false},
        {"", 0, 9, false},
        {"-", 0, 9, false},
        {"x1", 0, 9, false},
        {"1.5", 1, 1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *s = rows[i].text;
        int64_t v = 9;
        bool over = false;
        assert_ptr_equal(ch__parse_i64(s, s + strlen(s), &v, &over), s + rows[i].n);
        assert_int_equal(v, rows[i].v);
        assert_int_equal(over, rows[i].over);
        ch__parse_i64(s, s + strlen(s), &v, NULL);
    }
    uint64_t r = 1;
    for (int i = 0; i < 100000; i++) {
        r = ch__hash_u64(r);
        int64_t v = (int64_t)r >> (r % 64), back;
        char s[CH__NUM_CHARS], other[32];
        int n = ch__format_i64(s, v);
        c_print(other, sizeof other, "%" PRId64, v);
        assert_string_equal(s, other);
        assert_ptr_equal(ch__parse_i64(s, s + n, &back, NULL), s + n);
        assert_int_equal(back, v);
    }
}

// Checked arithmetic against its definition, division against its identities.
static void sizes(void **state) {
    (void)state;
    static const int64_t edge[] = {0,
                                   1,
                                   -1,
                                   2,
                                   -2,
                                   3,
                                   7,
                                   -7,
                                   INT64_MAX,
                                   INT64_MIN,
                                   INT64_MAX - 1,
                                   INT64_MIN + 1,
                                   INT64_C(3037000499),
                                   INT64_C(3037000500),
                                   INT64_C(-3037000500),
                                   INT64_C(1) << 62};
    int64_t v;
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        for (size_t k = 0; k < sizeof edge / sizeof *edge; k++) {
            int64_t a = edge[i], b = edge[k];
            bool sum_fits = b >= 0 ? a <= INT64_MAX - b : a >= INT64_MIN - b;
            assert_int_equal(ch__add_i64(a, b, &v), sum_fits);
            if (sum_fits) assert_int_equal(v, a + b);
            bool fits = a == 0 || b == 0 || a == 1 || b == 1;
            if (!fits && a != INT64_MIN && b != INT64_MIN) fits = (a < 0 ? -a : a) <= INT64_MAX / (b < 0 ? -b : b);
            if ((a == -2 && b == INT64_C(1) << 62) || (b == -2 && a == INT64_C(1) << 62)) fits = true; // INT64_MIN
            assert_int_equal(ch__mul_i64(a, b, &v), fits);
            if (fits) assert_int_equal((uint64_t)v, (uint64_t)a * (uint64_t)b);
            if (b == 0) continue;
            int64_t q = ch__floordiv_i64(a, b), m = ch__mod_i64(a, b);
            assert_int_equal((uint64_t)q * (uint64_t)b + (uint64_t)m, (uint64_t)a);
            assert_true(m == 0 || (m < 0) == (b < 0));
            assert_true(b > 0 ? m < b : m > b);
        }
    assert_int_equal(ch__floordiv_i64(-7, 2), -4);
    assert_int_equal(ch__mod_i64(-7, 2), 1);
    assert_int_equal(ch__floordiv_i64(7, -2), -4);
    assert_int_equal(ch__mod_i64(7, -2), -1);
    assert_int_equal(ch__floordiv_i64(INT64_MIN, -1), INT64_MIN);
    assert_int_equal(ch__mod_i64(INT64_MIN, -1), 0);
}

// The rounding mode of the program changes no result. (The locale: all tests run in one with a decimal comma too.)
static void rounding_modes_do_not_matter(void **state) {
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const texts[] = {"0.1", "0.3", "1e23", "123456.789", "1e-7", "0.7", "3.3e15", "4e22"};
    static const double values[] = {0.1, 0.3, 1e23, 123456.789, 1e-7, 0.7, 3.3e15, 4e22};
    static const float floats[] = {0.1f, 0.3f, 1e23f, 123456.789f, 1e-7f, 0.7f, 3.3e15f, 4e22f};
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 8; i++) {
            const char *s = texts[i];
            char out[CH__NUM_CHARS], out32[CH__NUM_CHARS];
            double d;
            float f;
            fesetround(modes[m]);
            ch__parse_f64(s, s + strlen(s), &d);
            ch__parse_f32(s, s + strlen(s), &f);
            ch__format_f64(out, values[i]);
            ch__format_f32(out32, floats[i]);
            fesetround(FE_TONEAREST);
            assert_true(d == values[i] && f == floats[i]);
            assert_true(c_strtod(out) == values[i] && c_strtof(out32) == floats[i]);
            char nearest[CH__NUM_CHARS];
            ch__format_f64(nearest, values[i]);
            assert_string_equal(out, nearest);
            ch__format_f32(nearest, floats[i]);
            assert_string_equal(out32, nearest);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_f64),  cmocka_unit_test(random_f32),    cmocka_unit_test(special_f64),
        cmocka_unit_test(special_f32), cmocka_unit_test(printed_forms), cmocka_unit_test(exactly_between_two),
        cmocka_unit_test(random_text), cmocka_unit_test(hex_floats),    cmocka_unit_test(where_reading_ends),
        cmocka_unit_test(integers),    cmocka_unit_test(sizes),         cmocka_unit_test(rounding_modes_do_not_matter),
    };
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
