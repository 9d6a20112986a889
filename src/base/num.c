// SPDX-License-Identifier: Apache-2.0
// num.c - numbers as text, free of locale; checked sizes.
//
// Printing gives the shortest digits that read back as the same number, and of those the nearest to it: Steele and
// White, "How to print floating-point numbers accurately" (1990), on exact integers. Reading is correctly rounded: the
// number is a quotient of two exact integers, of which 64 bits and "is there more" are taken and rounded once.
//
// Most numbers need none of that. A decimal of at most 15 digits (6 for f32) is the only one of that length near its
// double, so printing first tries it; and up to 2^53 times or over 10^22 both operands are exact, so one IEEE operation
// rounds correctly (Clinger 1990). Those ways ask first whether the thread rounds to nearest.
#include "base/base.h"

#include <assert.h>
#include <string.h>

// ---------------------------------------------------------------- exact integers
// Little-endian limbs; the largest is 10^1140 or 800 digits shifted to meet it.
#define BIG_LIMBS 144
typedef struct {
    int n; // limbs in use; the highest is not zero
    uint32_t w[BIG_LIMBS];
} num_big;

static void big_set(num_big *b, uint64_t v) {
    b->w[0] = (uint32_t)v;
    b->w[1] = (uint32_t)(v >> 32);
    b->n = b->w[1] ? 2 : b->w[0] ? 1 : 0;
}

static void big_mul_add(num_big *b, uint32_t by, uint32_t add) {
    uint64_t carry = add;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->w[i] * by;
        b->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(b->n < BIG_LIMBS);
        b->w[b->n++] = (uint32_t)carry;
    }
}

static void big_shl(num_big *b, int bits) {
    int limbs = bits / 32, rest = bits % 32;
    if (b->n == 0 || bits == 0) return;
    assert(b->n + limbs + 1 <= BIG_LIMBS);
    b->w[b->n] = 0;
    for (int i = b->n; i >= 0; i--) {
        uint32_t low = i > 0 && rest ? b->w[i - 1] >> (32 - rest) : 0;
        b->w[i + limbs] = b->w[i] << rest | low;
    }
    memset(b->w, 0, (size_t)limbs * sizeof *b->w);
    b->n += limbs + 1;
    if (b->w[b->n - 1] == 0) b->n--;
}

static void big_mul_pow5(num_big *b, int64_t e) {
    for (; e >= 13; e -= 13) big_mul_add(b, 1220703125, 0); // 5^13
    uint32_t five = 1;
    while (e-- > 0) five *= 5;
    big_mul_add(b, five, 0);
}

static int big_cmp(const num_big *a, const num_big *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
    return 0;
}

static void big_sub(num_big *a, const num_big *b) { // a >= b
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->w[i] - (i < b->n ? b->w[i] : 0);
        a->w[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n > 0 && a->w[a->n - 1] == 0) a->n--;
}

// Compares a + b with c.
static int big_cmp_sum(const num_big *a, const num_big *b, const num_big *c) {
    int n = a->n > b->n ? a->n : b->n, order = 0;
    if (n < c->n - 1) return -1;
    if (n < c->n) n = c->n;
    uint64_t carry = 0;
    for (int i = 0; i < n; i++) {
        carry += (uint64_t)(i < a->n ? a->w[i] : 0) + (i < b->n ? b->w[i] : 0);
        uint32_t sum = (uint32_t)carry, other = i < c->n ? c->w[i] : 0;
        if (sum != other) order = sum < other ? -1 : 1;
        carry >>= 32;
    }
    return carry ? 1 : order;
}

// Divides n by d, whose top bit is set, where n < 2^32 d; n becomes the remainder. Knuth, The Art of Computer
// Programming 2, 4.3.1, algorithm D, one step: the estimate from the highest limbs is at most 2 too large.
static uint32_t big_div_digit(num_big *n, const num_big *d) {
    int k = d->n;
    if (n->n < k) return 0;
    uint64_t high = n->n > k ? n->w[k] : 0;
    uint64_t q = (high << 32 | n->w[k - 1]) / d->w[k - 1], carry = 0;
    if (q > UINT32_MAX) q = UINT32_MAX;
    int64_t borrow = 0;
    for (int i = 0; i < k; i++) {
        carry += q * d->w[i];
        borrow += (int64_t)n->w[i] - (uint32_t)carry;
        n->w[i] = (uint32_t)borrow;
        borrow >>= 32;
        carry >>= 32;
    }
    borrow += (int64_t)high - (int64_t)carry;
    while (borrow < 0) {
        q--;
        carry = 0;
        for (int i = 0; i < k; i++) {
            carry += (uint64_t)n->w[i] + d->w[i];
            n->w[i] = (uint32_t)carry;
            carry >>= 32;
        }
        borrow += (int64_t)carry;
    }
    n->n = k;
    while (n->n > 0 && n->w[n->n - 1] == 0) n->n--;
    return (uint32_t)q;
}

static int big_bits(const num_big *b) {
    int bits = 32 * b->n;
    if (b->n > 0)
        for (uint32_t top = b->w[b->n - 1]; !(top & 0x80000000u); top <<= 1) bits--;
    return bits;
}

// ---------------------------------------------------------------- the two formats
typedef struct {
    int mbits;      // mantissa bits with the hidden one
    int lowest;     // exponent of the smallest subnormal
    int fields;     // the exponent field of infinity
    int positional; // printed without an exponent below 10^this
    int sure;       // decimals of so many digits lie farther apart than numbers
} num_format;
static const num_format num_f64 = {53, -1074, 2047, 16, 15};
static const num_format num_f32 = {24, -149, 255, 9, 6};

static const double num_pow10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Whether floating-point operations round to nearest on this thread just now.
static bool num_nearest_mode(void) {
    static const volatile double tiny = 0x1p-60;
    return 1.0 + tiny == 1.0 - tiny;
}

// ---------------------------------------------------------------- printing
// Up to 17 digits (as values 0..9) of a positive number and the exponent of the first.
typedef struct {
    int n, exp10;
    char digit[20];
} num_digits;

static void digits_of(num_digits *d, uint64_t v) {
    char back[20];
    int n = 0;
    while (v % 10 == 0) v /= 10; // the caller has set exp10
    for (; v; v /= 10) back[n++] = (char)(v % 10);
    for (int i = 0; i < n; i++) d->digit[i] = back[n - 1 - i];
    d->n = n;
}

// The one decimal of 15 digits near v, if it reads back; v > 0. Powers of ten and their products are exact here.
static bool digits_short_f64(num_digits *d, double v) {
    if (!(v >= 1e-7 && v < 1e36) || !num_nearest_mode()) return false;
    int k = 0; // v * 10^k has 15 digits before the point
    if (v < 1e14)
        while (k < 22 && v * num_pow10[k] < 1e14) k += v * num_pow10[k] < 1e7 && k + 7 <= 22 ? 7 : 1;
    else
        while (v / num_pow10[-k] >= 1e15) k--;
    double m = k >= 0 ? v * num_pow10[k] : v / num_pow10[-k];
    if (!(m >= 1e14 && m < 1e15 - 1)) return false;
    int64_t r = (int64_t)(m + 0.5);
    if ((k >= 0 ? (double)r / num_pow10[k] : (double)r * num_pow10[-k]) != v) return false;
    d->exp10 = 14 - k;
    digits_of(d, (uint64_t)r);
    return true;
}

// The same in f32: 6 digits, powers up to 10^10.
static bool digits_short_f32(num_digits *d, float v) {
    if (!(v >= 1e-5f && v < 1e15f) || !num_nearest_mode()) return false;
    int k = 0;
    if (v < 1e5f)
        while (k < 10 && v * (float)num_pow10[k] < 1e5f) k++;
    else
        while (v / (float)num_pow10[-k] >= 1e6f) k--;
    float m = k >= 0 ? v * (float)num_pow10[k] : v / (float)num_pow10[-k];
    if (!(m >= 1e5f && m < 1e6f - 1)) return false;
    int32_t r = (int32_t)(m + 0.5f);
    if ((k >= 0 ? (float)r / (float)num_pow10[k] : (float)r * (float)num_pow10[-k]) != v) return false;
    d->exp10 = 5 - k;
    digits_of(d, (uint64_t)r);
    return true;
}

// r/s is what is left to print, below 10 at first; low and high are the distances, in units of 1/s, to the ends of the
// interval of what reads back as the number. Its ends belong to it when the mantissa is even: reading rounds half to
// even. The neighbour below a power of two is half as far as the one above (edge); else high is low.
typedef struct {
    num_big r, s, low, high;
    bool edge, even;
} num_ratio;

// The number m * 2^e; gives the exponent of its first digit.
static int ratio_set(num_ratio *q, uint64_t m, int e, const num_format *f) {
    q->even = (m & 1) == 0;
    q->edge = m == (uint64_t)1 << (f->mbits - 1) && e > f->lowest;
    int bits = 0;
    while (bits < 64 && m >> bits) bits++;
    int64_t scaled = (int64_t)(e + bits - 1) * 78913; // log10(2) * 2^18; the floor is exact or 1 too small
    int exp10 = (int)(scaled >= 0 ? scaled >> 18 : -((-scaled + 0x3ffff) >> 18));
    big_set(&q->r, m);
    big_set(&q->s, 1);
    big_set(&q->low, 1);
    // Powers of five are multiplied in; those of two are counted first, and what all have in common is left out.
    int up = exp10 < 0 ? -exp10 : 0, down = exp10 > 0 ? exp10 : 0;
    int low2 = (e > 0 ? e : 0) + up, r2 = low2 + 1 + q->edge, s2 = (e < 0 ? -e : 0) + down + 1 + q->edge;
    int common = low2 < s2 ? low2 : s2;
    big_mul_pow5(&q->s, down);
    big_mul_pow5(&q->r, up);
    big_mul_pow5(&q->low, up);
    big_shl(&q->r, r2 - common);
    big_shl(&q->s, s2 - common);
    big_shl(&q->low, low2 - common);
    q->high = q->low;
    if (q->edge) big_shl(&q->high, 1);
    num_big ten = q->s;
    big_mul_add(&ten, 10, 0);
    int past = big_cmp_sum(&q->r, &q->high, &ten);
    if (past > 0 || (past == 0 && q->even)) {
        q->s = ten;
        exp10++;
    }
    int align = (32 - big_bits(&q->s) % 32) % 32; // for big_div_digit
    big_shl(&q->r, align);
    big_shl(&q->s, align);
    big_shl(&q->low, align);
    if (q->edge) big_shl(&q->high, align);
    return exp10;
}

static void ratio_scale(num_ratio *q, uint32_t by) {
    big_mul_add(&q->r, by, 0);
    big_mul_add(&q->low, by, 0);
    if (q->edge) big_mul_add(&q->high, by, 0);
}

// Takes the next n digits off.
static void ratio_take(num_ratio *q, num_digits *d, int n) {
    uint32_t chunk = big_div_digit(&q->r, &q->s);
    for (int i = n - 1; i >= 0; i--, chunk /= 10) d->digit[d->n + i] = (char)(chunk % 10);
    d->n += n;
}

// Whether the digits so far, or these with the last one raised by one, read back.
static bool ratio_ends(const num_ratio *q, bool *may_stop, bool *may_raise) {
    int below = big_cmp(&q->r, &q->low), above = big_cmp_sum(&q->r, q->edge ? &q->high : &q->low, &q->s);
    *may_stop = below < 0 || (below == 0 && q->even);
    *may_raise = above > 0 || (above == 0 && q->even);
    return *may_stop || *may_raise;
}

// Once digits suffice, longer ones suffice too. So the first f->sure digits are taken at one go, and only if they turn
// out to suffice it is done again digit by digit.
static void digits_exact(num_digits *d, uint64_t m, int e, const num_format *f) {
    num_ratio q;
    bool may_stop, may_raise;
    d->n = 0;
    d->exp10 = ratio_set(&q, m, e, f);
    ratio_scale(&q, f->sure == 15 ? 100000000 : 100000);
    ratio_take(&q, d, f->sure == 15 ? 9 : 6);
    if (f->sure == 15) {
        ratio_scale(&q, 1000000);
        ratio_take(&q, d, 6);
    }
    if (ratio_ends(&q, &may_stop, &may_raise)) {
        d->n = 0;
        ratio_set(&q, m, e, f);
    } else {
        ratio_scale(&q, 10);
    }
    for (;;) {
        ratio_take(&q, d, 1);
        if (ratio_ends(&q, &may_stop, &may_raise)) break;
        ratio_scale(&q, 10);
    }
    char *last = &d->digit[d->n - 1];
    int half = big_cmp_sum(&q.r, &q.r, &q.s);
    if (may_stop && may_raise) may_raise = half > 0 || (half == 0 && (*last & 1)); // the nearer; of two, the even one
    *last = (char)(*last + may_raise);
}

static int digits_write(char *out, const num_digits *d, const num_format *f) {
    char *p = out;
    int e = d->exp10;
    if (e < -4 || e >= f->positional) {
        for (int i = 0; i < d->n; i++) {
            if (i == 1) *p++ = '.';
            *p++ = (char)('0' + d->digit[i]);
        }
        *p++ = 'e';
        *p++ = e < 0 ? '-' : '+';
        if (e < 0) e = -e;
        if (e >= 100) *p++ = (char)('0' + e / 100);
        *p++ = (char)('0' + e / 10 % 10);
        *p++ = (char)('0' + e % 10);
    } else {
        for (int at = e < 0 ? e : 0; at <= -1; at++) { // 0.000
            if (at == (e < 0 ? e : 0)) {
                *p++ = '0';
                *p++ = '.';
            } else {
                *p++ = '0';
            }
        }
        for (int i = 0; i < d->n || (e >= 0 && i <= e); i++) {
            if (e >= 0 && i == e + 1) *p++ = '.';
            *p++ = i < d->n ? (char)('0' + d->digit[i]) : '0';
        }
    }
    *p = '\0';
    return (int)(p - out);
}

// The number with these bits; a fast way, when it found one, has filled d.
static int num_print(char *out, bool negative, uint64_t field, uint64_t fraction, const num_format *f, num_digits *d) {
    if (field == (uint64_t)f->fields && fraction) {
        memcpy(out, "nan", 4);
        return 3;
    }
    int sign = 0;
    if (negative) out[sign++] = '-';
    if (field == (uint64_t)f->fields) {
        memcpy(out + sign, "inf", 4);
        return sign + 3;
    }
    if (field == 0 && fraction == 0) {
        memcpy(out + sign, "0", 2);
        return sign + 1;
    }
    if (d->n == 0) {
        uint64_t hidden = field ? (uint64_t)1 << (f->mbits - 1) : 0;
        digits_exact(d, fraction | hidden, f->lowest + (field ? (int)field - 1 : 0), f);
    }
    return sign + digits_write(out + sign, d, f);
}

int ch__format_f64(char out[CH__NUM_CHARS], double v) {
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    num_digits d = {0};
    if (!digits_short_f64(&d, v < 0 ? -v : v)) d.n = 0;
    return num_print(out, b >> 63, b >> 52 & 2047, b & 0xfffffffffffff, &num_f64, &d);
}

int ch__format_f32(char out[CH__NUM_CHARS], float v) {
    uint32_t b;
    memcpy(&b, &v, sizeof b);
    num_digits d = {0};
    if (!digits_short_f32(&d, v < 0 ? -v : v)) d.n = 0;
    return num_print(out, b >> 31, b >> 23 & 255, b & 0x7fffff, &num_f32, &d);
}

int ch__format_i64(char out[CH__NUM_CHARS], int64_t v) {
    char back[20];
    int n = 0, at = 0;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do back[n++] = (char)('0' + u % 10);
    while (u /= 10);
    if (v < 0) out[at++] = '-';
    while (n > 0) out[at++] = back[--n];
    out[at] = '\0';
    return at;
}

// ---------------------------------------------------------------- reading
// (q + something below 1 if sticky) * 2^e, q with its top bit set, rounded half to even into the format's bits.
static uint64_t num_round(uint64_t q, bool sticky, int64_t e, const num_format *f) {
    int64_t unit = e + 64 - f->mbits; // exponent of the last bit that is kept
    if (unit < f->lowest) unit = f->lowest;
    if (unit - e > 64) return 0;
    int shift = (int)(unit - e); // 11 or more
    uint64_t m = shift == 64 ? 0 : q >> shift;
    uint64_t rest = shift == 64 ? q : q << (64 - shift), half = (uint64_t)1 << 63;
    if (rest > half || (rest == half && (sticky || (m & 1)))) m++;
    if (m >> f->mbits) {
        m >>= 1;
        unit++;
    }
    if (m < (uint64_t)1 << (f->mbits - 1)) return m; // subnormal or zero
    int64_t field = unit - f->lowest + 1;
    if (field >= f->fields) return (uint64_t)f->fields << (f->mbits - 1);
    return (uint64_t)field << (f->mbits - 1) | (m & (((uint64_t)1 << (f->mbits - 1)) - 1));
}

// A decimal as found in the text: the integer made of its significant digits, times 10^exp10.
typedef struct {
    const char *from, *to; // the digits, from the first significant one; a point may lie between
    int64_t count, exp10;
    uint64_t head; // the first 19 digits
} num_decimal;

static bool num_is_digit(char c) { return c >= '0' && c <= '9'; }

static int64_t num_exponent(const char **at, const char *end) {
    const char *p = *at + 1;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p >= end || !num_is_digit(*p)) return 0; // no exponent after all
    int64_t e = 0;
    for (; p < end && num_is_digit(*p); p++)
        if (e < INT64_C(1000000000000000)) e = e * 10 + (*p - '0');
    *at = p;
    return negative ? -e : e;
}

static const char *num_scan(const char *s, const char *end, num_decimal *d) {
    bool any = false, point = false;
    memset(d, 0, sizeof *d);
    const char *p = s;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!num_is_digit(*p)) break;
        any = true;
        d->exp10 -= point;
        if (d->count == 0 && *p == '0') continue;
        if (d->count++ == 0) d->from = p;
        if (d->count <= 19) d->head = d->head * 10 + (uint64_t)(*p - '0');
    }
    if (!any) return s;
    d->to = p;
    if (p < end && (*p == 'e' || *p == 'E')) d->exp10 += num_exponent(&p, end);
    return p;
}

#define NUM_DIGITS_KEPT 800 // halfway between two doubles has at most 767 digits

static uint64_t num_decimal_exact(const num_decimal *d, const num_format *f) {
    int64_t lead = d->exp10 + d->count - 1;
    if (d->count == 0 || lead < -330) return 0;
    if (lead > 310) return (uint64_t)f->fields << (f->mbits - 1);
    num_big n, den;
    n.n = 0;
    int64_t exp10 = d->exp10, used = 0;
    bool more = false;
    uint32_t nine = 0, scale = 1; // nine digits at a time
    for (const char *p = d->from; p < d->to; p++) {
        if (*p == '.') continue;
        if (used++ >= NUM_DIGITS_KEPT) {
            more |= *p != '0';
            continue;
        }
        nine = nine * 10 + (uint32_t)(*p - '0');
        scale *= 10;
        if (scale == 1000000000) {
            big_mul_add(&n, scale, nine);
            nine = 0;
            scale = 1;
        }
    }
    big_mul_add(&n, scale, nine);
    if (d->count > NUM_DIGITS_KEPT) exp10 += d->count - NUM_DIGITS_KEPT;
    big_set(&den, 1);
    big_mul_pow5(exp10 >= 0 ? &n : &den, exp10 >= 0 ? exp10 : -exp10); // the powers of two go into the exponent
    // Shift so that 1 <= n/den < 2 and the top bit of den is set; then the quotient is 1, and 64 bits behind the point.
    int by = big_bits(&n) - big_bits(&den);
    big_shl(by < 0 ? &n : &den, by < 0 ? -by : by);
    if (big_cmp(&n, &den) < 0) {
        big_shl(&n, 1);
        by--;
    }
    int align = (32 - big_bits(&den) % 32) % 32;
    big_shl(&n, align);
    big_shl(&den, align);
    big_sub(&n, &den);
    uint64_t q = 0;
    for (int i = 0; i < 2; i++) {
        big_shl(&n, 32);
        q = q << 32 | big_div_digit(&n, &den);
    }
    return num_round(q >> 1 | (uint64_t)1 << 63, more || n.n != 0 || (q & 1), exp10 + by - 63, f);
}

int ch__hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// The part after 0x. Gives s when it holds no digit.
static const char *num_hex(const char *s, const char *end, const num_format *f, uint64_t *bits) {
    uint64_t q = 0;
    bool sticky = false, any = false, point = false;
    int64_t e = 0;
    const char *p = s;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        int digit = ch__hex_digit(*p);
        if (digit < 0) break;
        any = true;
        if (point) e -= 4;
        if (q >> 60) {
            sticky |= digit != 0;
            e += 4;
        } else {
            q = q << 4 | (uint64_t)digit;
        }
    }
    if (!any) return s;
    if (p < end && (*p == 'p' || *p == 'P')) e += num_exponent(&p, end);
    if (q == 0) {
        *bits = 0;
        return p;
    }
    for (; !(q >> 63); q <<= 1) e--;
    *bits = num_round(q, sticky, e, f);
    return p;
}

static const char *num_word(const char *s, const char *end, const char *word) {
    for (; *word; word++, s++)
        if (s >= end || (*s | 0x20) != *word) return NULL;
    return s;
}

// Reads everything that is not a plain decimal. NULL: it is a plain decimal, or nothing.
static const char *num_special(const char *s, const char *end, const num_format *f, uint64_t *bits) {
    const char *p = num_word(s, end, "nan");
    uint64_t infinity = (uint64_t)f->fields << (f->mbits - 1);
    if (p) {
        *bits = infinity | (uint64_t)1 << (f->mbits - 2);
        return p;
    }
    if ((p = num_word(s, end, "infinity")) || (p = num_word(s, end, "inf"))) {
        *bits = infinity;
        return p;
    }
    if (end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x') {
        p = num_hex(s + 2, end, f, bits);
        if (p != s + 2) return p;
    }
    return NULL;
}

// Gives the sign, the bits without it, or in *d a decimal still to be rounded (bits untouched).
static const char *num_read(const char *s, const char *end, const num_format *f, bool *negative, uint64_t *bits,
                            num_decimal *d) {
    const char *p = s;
    *negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    d->from = NULL;
    d->count = -1; // no decimal
    if (p < end && !(num_is_digit(*p) && *p != '0')) {
        const char *q = num_special(p, end, f, bits);
        if (q) return q;
    }
    const char *q = num_scan(p, end, d);
    return q == p ? s : q;
}

static double num_from_bits(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

const char *ch__parse_f64(const char *s, const char *end, double *out) {
    bool negative;
    uint64_t bits = 0;
    num_decimal d;
    const char *p = num_read(s, end, &num_f64, &negative, &bits, &d);
    if (p == s) return s;
    int64_t e = d.exp10;
    if (d.count >= 0) {
        if (d.count <= 19 && d.head <= (uint64_t)1 << 53 && e >= -22 && e <= 22 && num_nearest_mode()) {
            double v = e < 0 ? (double)d.head / num_pow10[-e] : (double)d.head * num_pow10[e];
            *out = negative ? -v : v;
            return p;
        }
        bits = num_decimal_exact(&d, &num_f64);
    }
    *out = num_from_bits(bits | (uint64_t)negative << 63);
    return p;
}

// The double nearest to the decimal is known. It may be rounded again unless it lies exactly between two floats (or
// among the subnormals): all else lies on the same side of every such middle as the decimal does.
static bool num_f32_from_f64(double v, float *out) {
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    if (v != 0 && (v < 0x1p-125 || v > 0x1p127 || (b & 0x1fffffff) == 0x10000000)) return false;
    *out = (float)v;
    return true;
}

const char *ch__parse_f32(const char *s, const char *end, float *out) {
    bool negative;
    uint64_t bits = 0;
    num_decimal d;
    const char *p = num_read(s, end, &num_f32, &negative, &bits, &d);
    if (p == s) return s;
    int64_t e = d.exp10;
    if (d.count >= 0) {
        float v;
        if (d.count <= 19 && d.head <= (uint64_t)1 << 53 && e >= -22 && e <= 22 && num_nearest_mode() &&
            num_f32_from_f64(e < 0 ? (double)d.head / num_pow10[-e] : (double)d.head * num_pow10[e], &v)) {
            *out = negative ? -v : v;
            return p;
        }
        bits = num_decimal_exact(&d, &num_f32);
    }
    uint32_t b = (uint32_t)bits | (uint32_t)negative << 31;
    memcpy(out, &b, sizeof b);
    return p;
}

const char *ch__parse_i64(const char *s, const char *end, int64_t *out, bool *overflow) {
    const char *p = s;
    bool negative = p < end && *p == '-', over = false;
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p >= end || !num_is_digit(*p)) return s;
    uint64_t v = 0, most = negative ? (uint64_t)1 << 63 : INT64_MAX;
    for (; p < end && num_is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > (most - digit) / 10) over = true;
        v = over ? most : v * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    if (overflow) *overflow = over;
    return p;
}

// ---------------------------------------------------------------- sizes
bool ch__add_i64(int64_t a, int64_t b, int64_t *out) {
#if defined(CH_ADD_OVERFLOW)
    return !CH_ADD_OVERFLOW(a, b, out);
#else
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *out = a + b;
    return true;
#endif
}

bool ch__mul_i64(int64_t a, int64_t b, int64_t *out) {
#if defined(CH_MUL_OVERFLOW)
    return !CH_MUL_OVERFLOW(a, b, out);
#else
    if (a == 0 || b == 0) {
        *out = 0;
        return true;
    }
    if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return false;
    if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a) : (b > 0 ? a < INT64_MIN / b : b < INT64_MAX / a))
        return false;
    *out = a * b;
    return true;
#endif
}

int64_t ch__floordiv_i64(int64_t a, int64_t b) {
    if (b == -1) return (int64_t)(0 - (uint64_t)a); // INT64_MIN wraps to itself
    int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t ch__mod_i64(int64_t a, int64_t b) {
    if (b == -1) return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
