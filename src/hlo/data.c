// SPDX-License-Identifier: Apache-2.0
// hlo/data.c - the data of dense<...>, bit for bit.
//
// One element stands for all; nested lists follow the shape; "0x..." holds the bytes in memory order (one element:
// all). Floats are decimal, read correctly rounded in their own format, or the bits as hex digits. Blobs of i1 have
// been packed and not packed in the history of MLIR; the number of bytes tells.
#include "hlo/hlo.h"

#include <string.h>

typedef struct {
    ch__hlo_reader *r;
    ch_dtype dtype;
    size_t size;
    const int64_t *dims;
    int rank;
    char *out;
    int64_t n, at;
} hlo_data_job;

static bool hlo_data_is_floating(ch_dtype d) { return ch__is_float(d) || d == CH_F8E4M3 || d == CH_F8E5M2; }

// One element at the token; its bits.
static uint64_t hlo_data_element(hlo_data_job *j) {
    ch__hlo_reader *r = j->r;
    const char *at = r->tok.at;
    if (j->dtype == CH_BOOL && r->tok.kind == CH__H_WORD) {
        bool yes = ch__hlo_is_word(r, "true");
        if (!yes && !ch__hlo_is_word(r, "false")) ch__hlo_expected(r, "true or false");
        ch__hlo_next(r);
        return yes;
    }
    bool minus = ch__hlo_eat(r, '-');
    if (ch__hlo_is(r, '(')) ch__parse_fail(&r->p, CH__E_unsupported, at, "a complex number");
    if (r->tok.kind != CH__H_NUM) ch__hlo_expected(r, "a number of the data");
    const char *s = r->tok.s, *end = s + r->tok.n;
    uint64_t bits = 0, top = UINT64_C(1) << (8 * j->size - 1), all = top | (top - 1);
    if (r->tok.n > 2 && s[1] == 'x') {
        if (minus || r->tok.n > 2 + 2 * j->size)
            ch__parse_fail(&r->p, CH__E_parse, at, "not the bits of one %s", ch_dtype_name(j->dtype));
        for (s += 2; s < end; s++) bits = bits << 4 | (uint64_t)ch__hex_digit(*s);
    } else if (hlo_data_is_floating(j->dtype)) {
        if (ch__parse_float_bits(j->dtype, s, end, &bits) != end) ch__hlo_expected(r, "a number of the data");
        if (minus) bits |= top;
    } else {
        for (; s < end; s++) {
            uint64_t digit = (uint64_t)(*s - '0');
            if (digit > 9) ch__parse_fail(&r->p, CH__E_parse, at, "%s holds integers", ch_dtype_name(j->dtype));
            if (bits > (UINT64_MAX - digit) / 10) ch__parse_fail(&r->p, CH__E_parse, at, "does not fit in 64 bits");
            bits = bits * 10 + digit;
        }
        bool is_signed = ch__is_signed(j->dtype);
        uint64_t most = j->dtype == CH_BOOL ? 1 : is_signed ? top - 1 + minus : minus ? 0 : all;
        if (bits > most)
            ch__parse_fail(&r->p, CH__E_parse, at, "the number does not fit in %s", ch_dtype_name(j->dtype));
        if (minus) bits = (0 - bits) & all;
    }
    ch__hlo_next(r);
    return bits;
}

static void hlo_data_put(hlo_data_job *j, uint64_t bits) {
    memcpy(j->out + (size_t)j->at++ * j->size, &bits, j->size); // little endian
}

// "0x..." : the bytes.
static void hlo_data_blob(hlo_data_job *j, ch__array *a) {
    ch__hlo_reader *r = j->r;
    ch__hlo_tok t = r->tok;
    size_t bytes = t.n >= 2 ? (t.n - 2) / 2 : 0, n = (size_t)j->n; // n * size may not fit
    bool hex = t.n >= 2 && t.n % 2 == 0 && t.s[0] == '0' && t.s[1] == 'x';
    for (size_t i = 2; hex && i < t.n; i++) hex = ch__hex_digit(t.s[i]) >= 0;
    if (!hex) ch__parse_fail(&r->p, CH__E_parse, t.at, "expected the bytes of the data as \"0x...\"");
    bool whole = bytes % j->size == 0 && bytes / j->size == n;
    bool packed = j->dtype == CH_BOOL && !whole && bytes == n / 8 + (n % 8 != 0);
    bool splat = bytes == j->size && n != 1;
    if (!packed && !splat && !whole)
        ch__parse_fail(&r->p, CH__E_parse, t.at, "%zu bytes of data — %zu elements of %zu are wanted", bytes, n,
                       j->size);
    for (size_t i = 0; i < bytes; i++) {
        int b = ch__hex_digit(t.s[2 + 2 * i]) << 4 | ch__hex_digit(t.s[3 + 2 * i]);
        if (!packed) {
            j->out[i] = (char)(j->dtype == CH_BOOL ? b != 0 : b);
            continue;
        }
        for (size_t k = 0; k < 8 && 8 * i + k < n; k++) j->out[8 * i + k] = (char)(b >> k & 1);
    }
    a->splat = splat;
    ch__hlo_next(r);
}

// Nested lists, without recursion: depth is the number of open brackets, count[d] the elements met in that one.
static void hlo_data_list(hlo_data_job *j) {
    ch__hlo_reader *r = j->r;
    int64_t count[CH__MAX_RANK + 1] = {0};
    int depth = 0;
    do {
        const char *at = r->tok.at;
        if (ch__hlo_is(r, '[')) {
            if (depth == j->rank) ch__parse_fail(&r->p, CH__E_rank, at, "the data has more dimensions than its type");
            ch__hlo_next(r);
            depth++;
            count[depth] = 0;
            if (!ch__hlo_is(r, ']')) continue;
        } else {
            if (depth != j->rank) ch__parse_fail(&r->p, CH__E_rank, at, "the data has fewer dimensions than its type");
            if (j->at == j->n) ch__parse_fail(&r->p, CH__E_shape_mismatch, at, "more data than its type holds");
            hlo_data_put(j, hlo_data_element(j));
            count[depth]++;
        }
        while (depth > 0 && ch__hlo_is(r, ']')) {
            if (count[depth] != j->dims[depth - 1])
                ch__parse_fail(&r->p, CH__E_shape_mismatch, r->tok.at,
                               "a list of %lld — dimension %d of the type is %lld", (long long)count[depth], depth - 1,
                               (long long)j->dims[depth - 1]);
            ch__hlo_next(r);
            depth--;
            count[depth]++;
        }
        if (depth > 0) ch__hlo_want(r, ',', "or ']' in the data");
    } while (depth > 0);
}

const ch__array *ch__hlo_read_data(ch__hlo_reader *r, ch__arena *a, const ch__hlo_attr *dense) {
    const ch__type *t = dense->type->type;
    int64_t *dims = CH_NEW_ARRAY(a, int64_t, t->rank + 1), n = 1;
    for (int i = 0; i < t->rank; i++) dims[i] = t->dims[i].val;
    if (!ch__numel(t->rank, dims, &n)) ch__raise(CH__E_dim_overflow, "constant: the size does not fit in 64 bits");
    ch__array *out = CH_NEW(a, ch__array);
    *out = (ch__array){.dtype = t->dtype, .rank = t->rank, .dims = dims};
    hlo_data_job j = {r, t->dtype, ch_dtype_size(t->dtype), dims, t->rank, NULL, n, 0};
    ch__hlo_tok back = r->tok;
    const char *pos = r->pos, *end = r->lex_end;
    r->lex_end = dense->s + dense->n; // nothing beyond the closing '>'
    ch__hlo_go(r, dense->s);
    bool list = ch__hlo_is(r, '['), blob = r->tok.kind == CH__H_STR;
    // A size that the text cannot fill is noticed before it is allocated.
    if (list && (uint64_t)n > dense->n) {
        ch__parse_fail(&r->p, CH__E_shape_mismatch, dense->at, "less data than its type holds");
    }
    bool whole = list || (blob && r->tok.n > 2 + 2 * j.size) || n == 1 || n == 0;
    if (blob && whole && (uint64_t)n > r->tok.n * 8) {
        ch__parse_fail(&r->p, CH__E_shape_mismatch, dense->at, "less data than its type holds");
    }
    j.out = ch__arena_array(a, whole ? (size_t)(n ? n : 1) : 1, j.size);
    out->data = j.out;
    if (r->tok.kind == CH__H_END) { // dense<>
        if (n != 0) {
            ch__parse_fail(&r->p, CH__E_shape_mismatch, dense->at, "no data for %lld elements", (long long)n);
        }
    } else if (blob) {
        hlo_data_blob(&j, out);
    } else if (list) {
        hlo_data_list(&j);
        if (j.at != n) { ch__parse_fail(&r->p, CH__E_shape_mismatch, dense->at, "less data than its type holds"); }
    } else {
        hlo_data_put(&j, hlo_data_element(&j));
        out->splat = true;
    }
    if (r->tok.kind != CH__H_END) ch__hlo_expected(r, "the end of the data");
    r->lex_end = end;
    r->tok = back;
    r->pos = pos;
    if (t->rank == 0) out->splat = true;
    return out;
}
