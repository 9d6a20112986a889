// SPDX-License-Identifier: Apache-2.0
// parse_data.c - the data of constants, of every dtype, bit for bit.
//
// One number stands for all elements (a splat, any shape). A list gives the elements in row-major order and needs
// constant sizes. Floats are read correctly rounded; `nan` is the quiet NaN, other bit patterns are written 0x7fc00001
// (a hex number with a binary exponent, 0x1.8p3, is a number). hex"..." holds the bytes in memory order, little endian,
// blanks and line ends ignored.
#include "ir/parse.h"

#include <math.h>
#include <string.h>

// Digits of a base into 64 bits; false when there are others or it does not fit.
static bool data_u64(const char *s, const char *end, int base, uint64_t *out) {
    uint64_t v = 0;
    if (s == end) return false;
    for (; s < end; s++) {
        int d = ch__hex_digit(*s);
        if (d < 0 || d >= base || v > (UINT64_MAX - (uint64_t)d) / (uint64_t)base) return false;
        v = v * (uint64_t)base + (uint64_t)d;
    }
    *out = v;
    return true;
}

// 0x with digits only: bits, not a number.
static bool data_is_bits(const ch__tok *t) {
    if (t->n < 3 || t->s[0] != '0' || (t->s[1] != 'x' && t->s[1] != 'X')) return false;
    return memchr(t->s, 'p', t->n) == NULL && memchr(t->s, 'P', t->n) == NULL && memchr(t->s, '.', t->n) == NULL;
}

static uint64_t data_sign_bit(ch_dtype d) { return UINT64_C(1) << (8 * ch_dtype_size(d) - 1); }

static uint64_t data_float(ch__parser *p, ch_dtype d) {
    const char *at = p->tok.at;
    bool negative = ch__eat(p, '-');
    uint64_t bits, sign = negative ? data_sign_bit(d) : 0;
    ch__tok t = p->tok;
    if (ch__is_word(p, "nan")) {
        bits = ch__element_bits(d, (double)NAN) | sign;
    } else if (ch__is_word(p, "inf")) {
        if (d == CH_F8E4M3) ch__parse_fail(p, CH__E_parse, at, "f8e4m3 has no infinity");
        bits = ch__element_bits(d, (double)INFINITY) | sign;
    } else if (t.kind != CH__T_NUM) {
        ch__parse_expected(p, "a number");
    } else if (data_is_bits(&t)) {
        uint64_t most = ch_dtype_size(d) == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * ch_dtype_size(d)) - 1;
        if (negative || !data_u64(t.s + 2, t.s + t.n, 16, &bits) || bits > most)
            ch__parse_fail(p, CH__E_parse, at, "not the bits of one %s", ch_dtype_name(d));
    } else {
        const char *stop = ch__parse_float_bits(d, t.s, t.s + t.n, &bits);
        if (stop != t.s + t.n) ch__parse_expected(p, "a number");
        bool overflow = bits == ch__element_bits(d, (double)INFINITY); // NaN where there is no infinity
        bits |= sign;
        if (overflow)
            ch__parse_fail(p, CH__E_parse, at, "%s%s is out of range of %s", negative ? "-" : "", ch__tok_text(p, &t),
                           ch_dtype_name(d));
    }
    ch__next(p);
    return bits;
}

static uint64_t data_int(ch__parser *p, ch_dtype d) {
    const char *at = p->tok.at;
    bool negative = ch__eat(p, '-');
    ch__tok t = p->tok;
    if (t.kind != CH__T_NUM) ch__parse_expected(p, "an integer");
    bool hex = data_is_bits(&t), is_signed = ch__is_signed(d);
    int bits = 8 * (int)ch_dtype_size(d);
    uint64_t v, most = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    if (!hex && memchr(t.s, '.', t.n)) ch__parse_fail(p, CH__E_parse, at, "%s holds integers", ch_dtype_name(d));
    bool fits = data_u64(hex ? t.s + 2 : t.s, t.s + t.n, hex ? 16 : 10, &v);
    for (size_t i = hex ? 2 : 0; i < t.n; i++) {
        int digit = ch__hex_digit(t.s[i]);
        if (digit < 0 || (!hex && digit > 9)) ch__parse_expected(p, "an integer");
    }
    if (negative && !is_signed && fits && v != 0) fits = false;
    if (negative) most = is_signed ? most + 1 : most;
    if (!fits || v > most)
        ch__parse_fail(p, CH__E_parse, at, "%s%s does not fit in %s", negative ? "-" : "", ch__tok_text(p, &t),
                       ch_dtype_name(d));
    ch__next(p);
    return negative ? 0 - v : v;
}

static uint64_t data_bool(ch__parser *p) {
    if (ch__eat_word(p, "true")) return 1;
    if (ch__eat_word(p, "false")) return 0;
    if (p->tok.kind == CH__T_NUM && p->tok.n == 1 && (*p->tok.s == '0' || *p->tok.s == '1')) {
        uint64_t v = (uint64_t)(*p->tok.s - '0');
        ch__next(p);
        return v;
    }
    ch__parse_expected(p, "true or false");
}

static uint64_t data_element(ch__parser *p, ch_dtype d) {
    char c = ch__dtype_class(d);
    return c == 'b' ? data_bool(p) : c == 'i' || c == 'u' ? data_int(p, d) : data_float(p, d);
}

// The low bytes of v, in memory order.
static void data_store(uint8_t *out, uint64_t v, size_t size) {
    for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(v >> 8 * i);
}

// Sizes of a static type and how many bytes its elements take.
static int64_t *data_dims(ch__parser *p, const ch__type *type, const char *at, int64_t *out_n, int64_t *out_bytes) {
    int64_t *dims = CH_NEW_ARRAY(p->scratch, int64_t, type->rank + 1);
    for (int i = 0; i < type->rank; i++) {
        if (!ch__dim_is_const(type->dims[i]))
            ch__parse_fail(p, CH__E_parse, at,
                           "const: a list for %s — elements can be listed only when every size is constant",
                           ch__type_text(p->scratch, type));
        dims[i] = type->dims[i].val;
    }
    if (!ch__numel(type->rank, dims, out_n) || !ch__mul_i64(*out_n, (int64_t)ch_dtype_size(type->dtype), out_bytes))
        ch__parse_fail(p, CH__E_dim_overflow, at, "const: %s has too many elements", ch__type_text(p->scratch, type));
    return dims;
}

CH_NORETURN static void data_count(ch__parser *p, const ch__type *type, const char *at, int64_t got, int64_t want) {
    ch__parse_fail(p, CH__E_parse, at, "const: %lld element%s for %s — it has %lld", (long long)got,
                   got == 1 ? "" : "s", ch__type_text(p->scratch, type), (long long)want);
}

static uint8_t *data_list(ch__parser *p, const ch__type *type, int64_t n) {
    const char *at = p->tok.at;
    size_t size = ch_dtype_size(type->dtype);
    // Each element takes a character at least: what cannot be there is not allocated.
    bool can = n <= p->end - at;
    uint8_t *out = CH_NEW_ARRAY(p->scratch, uint8_t, can ? n * (int64_t)size + 8 : 8);
    ch__next(p);
    int64_t got = 0;
    while (!ch__is(p, ']')) {
        if (got > 0) ch__want(p, ',', "or ']' in the list");
        uint64_t v = data_element(p, type->dtype);
        if (can && got < n) data_store(out + (size_t)got * size, v, size);
        got++;
    }
    ch__next(p);
    if (got != n) data_count(p, type, at, got, n);
    return out;
}

static uint8_t *data_hex_bytes(ch__parser *p, const ch__type *type, int64_t bytes) {
    ch__tok t = p->tok;
    bool can = bytes <= (int64_t)t.n / 2;
    uint8_t *out = CH_NEW_ARRAY(p->scratch, uint8_t, can ? bytes + 8 : 8);
    int64_t digits = 0;
    for (const char *s = t.s; s < t.s + t.n; s++) {
        if (*s == ' ' || *s == '\n' || *s == '\r' || *s == '\t') continue;
        int d = ch__hex_digit(*s);
        if (d < 0) ch__parse_fail(p, CH__E_parse, s, "const: not a hex digit");
        if (can && digits / 2 < bytes) out[digits / 2] = (uint8_t)(out[digits / 2] << 4 | d);
        digits++;
    }
    if (digits % 2 || digits / 2 != bytes)
        ch__parse_fail(p, CH__E_parse, t.at, "const: %lld hex digits for %s — it takes 2 for each of its %lld bytes",
                       (long long)digits, ch__type_text(p->scratch, type), (long long)bytes);
    if (type->dtype == CH_BOOL) {
        for (int64_t i = 0; i < bytes; i++) {
            if (out[i] > 1) ch__parse_fail(p, CH__E_parse, t.at, "const: a bool is 00 or 01");
        }
    }
    ch__next(p);
    return out;
}

const ch__array *ch__read_data(ch__parser *p, const ch__type *type) {
    ch__array *a = CH_NEW(p->scratch, ch__array);
    a->dtype = type->dtype;
    const char *at = p->tok.at;
    if (type->tape) ch__parse_fail(p, CH__E_parse, at, "const: a tape has no constants");
    if (ch__is(p, '[') || p->tok.kind == CH__T_HEX) {
        int64_t n, bytes;
        a->rank = type->rank;
        a->dims = data_dims(p, type, at, &n, &bytes);
        a->data = ch__is(p, '[') ? data_list(p, type, n) : data_hex_bytes(p, type, bytes);
        return a;
    }
    uint8_t *out = ch__arena_alloc(p->scratch, 16);
    data_store(out, data_element(p, type->dtype), ch_dtype_size(type->dtype));
    a->data = out;
    a->splat = true;
    return a;
}
