// SPDX-License-Identifier: Apache-2.0
// json.c - a strict JSON reader for headers of files.
//
// RFC 8259 to the letter: no comments, no trailing commas, no leading zeros, escapes and surrogate pairs checked. The
// caller has checked that the whole text is UTF-8. It pulls what it expects, so there is no tree; what it does not
// know is skipped without recursion. Every complaint names the byte of the header.
//
// Why not a library: jansson and its like build a tree of the whole text first (a header of 100 MB becomes many times
// that), take their allocator from a variable of the whole process, which is not ours to set, so that memory which ends
// could not be tested, and keep of a key that comes twice the last, where a header must be refused.
#include "io/io.h"

#include <string.h>

size_t ch__utf8_wrong(const char *s, size_t n) {
    const unsigned char *p = (const unsigned char *)s;
    size_t i = 0;
    while (i < n) {
        unsigned char c = p[i];
        if (c < 0x80) {
            i++;
            continue;
        }
        // The second byte's range keeps out overlong forms, surrogates and what lies beyond U+10FFFF.
        int more = c >= 0xc2 && c <= 0xdf ? 1 : (c & 0xf0) == 0xe0 ? 2 : c >= 0xf0 && c <= 0xf4 ? 3 : 0;
        unsigned char lo = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, hi = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        if (more == 0 || (size_t)more >= n - i || p[i + 1] < lo || p[i + 1] > hi) return i;
        for (int k = 2; k <= more; k++)
            if ((p[i + (size_t)k] & 0xc0) != 0x80) return i;
        i += (size_t)more + 1;
    }
    return n;
}

static const char *json_part(const ch__json *j) { return j->part ? j->part : "header"; }

void ch__json_fail(const ch__json *j, const char *wanted) {
    const ch__source *s = j->source;
    size_t at = (size_t)(j->p - j->start);
    if (j->p >= j->end)
        ch__raise(CH__E_file_format, "%s: %s: the %s ends at byte %zu of it — %s is wanted there", s->what, s->name,
                  json_part(j), at, wanted);
    size_t n = (size_t)(j->end - j->p) < 12 ? (size_t)(j->end - j->p) : 12;
    char found[CH__IO_NAME];
    ch__raise(CH__E_file_format, "%s: %s: byte %zu of the %s: %s — %s is wanted there", s->what, s->name, at,
              json_part(j), ch__io_name_text(found, j->p, n), wanted);
}

char ch__json_peek(ch__json *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r')) j->p++;
    return j->p < j->end ? *j->p : '\0';
}

static bool json_take(ch__json *j, char c) {
    if (ch__json_peek(j) != c || j->p >= j->end) return false;
    j->p++;
    return true;
}

void ch__json_expect(ch__json *j, char c) {
    if (!json_take(j, c)) ch__json_fail(j, (char[]){'\'', c, '\'', '\0'});
}

bool ch__json_more(ch__json *j, char close, bool first) {
    if (json_take(j, close)) return false;
    if (!first && !json_take(j, ',')) ch__json_fail(j, close == '}' ? "',' or '}'" : "',' or ']'");
    return true;
}

static bool json_literal(ch__json *j, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n) != 0) return false;
    j->p += n;
    return true;
}

bool ch__json_null(ch__json *j) { return ch__json_peek(j) == 'n' && json_literal(j, "null"); }

// ---- strings
static uint32_t json_hex4(ch__json *j) {
    uint32_t v = 0;
    for (int i = 0; i < 4; i++, j->p++) {
        char c = j->p < j->end ? *j->p : '\0';
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) ch__json_fail(j, "a hexadecimal digit");
        v = v << 4 | (uint32_t)digit;
    }
    return v;
}

static char *json_put_utf8(char *o, uint32_t v) {
    if (v < 0x80) {
        *o++ = (char)v;
    } else if (v < 0x800) {
        *o++ = (char)(0xc0 | v >> 6);
        *o++ = (char)(0x80 | (v & 0x3f));
    } else if (v < 0x10000) {
        *o++ = (char)(0xe0 | v >> 12);
        *o++ = (char)(0x80 | (v >> 6 & 0x3f));
        *o++ = (char)(0x80 | (v & 0x3f));
    } else {
        *o++ = (char)(0xf0 | v >> 18);
        *o++ = (char)(0x80 | (v >> 12 & 0x3f));
        *o++ = (char)(0x80 | (v >> 6 & 0x3f));
        *o++ = (char)(0x80 | (v & 0x3f));
    }
    return o;
}

// Behind "\u".
static char *json_unicode(ch__json *j, char *o) {
    const char *begin = j->p - 2;
    uint32_t v = json_hex4(j);
    if (v >= 0xd800 && v <= 0xdbff) {
        uint32_t low = j->end - j->p >= 2 && j->p[0] == '\\' && j->p[1] == 'u' ? (j->p += 2, json_hex4(j)) : 0;
        if (low < 0xdc00 || low > 0xdfff) {
            j->p = begin;
            ch__json_fail(j, "a pair of surrogates");
        }
        v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
    } else if (v >= 0xdc00 && v <= 0xdfff) {
        j->p = begin;
        ch__json_fail(j, "a pair of surrogates");
    } else if (v == 0) {
        j->p = begin;
        ch__json_fail(j, "a character other than NUL, which names and metadata cannot hold here,");
    }
    return json_put_utf8(o, v);
}

static char *json_escape(ch__json *j, char *o) {
    char c = j->p < j->end ? *j->p : '\0';
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = c ? strchr(from, c) : NULL;
    if (!at && c != 'u') ch__json_fail(j, "one of \" \\ / b f n r t u");
    j->p++;
    if (c == 'u') return json_unicode(j, o);
    *o++ = to[at - from];
    return o;
}

// The end of the string that begins at p, for its size: no escape makes a string longer.
static size_t json_span(const ch__json *j) {
    const char *p = j->p;
    while (p < j->end && *p != '"') p += *p == '\\' && j->end - p > 1 ? 2 : 1;
    return (size_t)(p - j->p);
}

// Decodes into out, or checks only when out is NULL.
static void json_decode(ch__json *j, char *out) {
    char scratch[4];
    for (;;) {
        if (j->p >= j->end) ch__json_fail(j, "the end of a string");
        unsigned char c = (unsigned char)*j->p;
        if (c < 0x20) ch__json_fail(j, "an escape for a control character");
        j->p++;
        if (c == '"') break;
        if (c == '\\') {
            char *after = json_escape(j, out ? out : scratch);
            if (out) out = after;
        } else if (out) {
            *out++ = (char)c;
        }
    }
    if (out) *out = '\0';
}

static void json_quote(ch__json *j) {
    if (!json_take(j, '"')) ch__json_fail(j, "a string");
}

const char *ch__json_string(ch__json *j) {
    json_quote(j);
    char *s = ch__arena_alloc(j->arena, json_span(j) + 1);
    json_decode(j, s);
    return s;
}

// ---- numbers
static bool json_digits(ch__json *j) {
    const char *begin = j->p;
    while (j->p < j->end && *j->p >= '0' && *j->p <= '9') j->p++;
    return j->p > begin;
}

int64_t ch__json_size(ch__json *j, const char *meaning) {
    char c = ch__json_peek(j);
    const char *begin = j->p;
    int64_t v = 0;
    bool fits = true;
    for (; j->p < j->end && *j->p >= '0' && *j->p <= '9'; j->p++)
        fits = fits && ch__mul_i64(v, 10, &v) && ch__add_i64(v, *j->p - '0', &v);
    bool whole = j->p > begin && (c != '0' || j->p == begin + 1);
    if (j->p < j->end && (*j->p == '.' || *j->p == 'e' || *j->p == 'E')) whole = false;
    if (whole && fits) return v;
    j->p = begin;
    ch__json_fail(j, meaning);
}

static void json_number(ch__json *j) {
    const char *begin = j->p;
    if (*j->p == '-') j->p++;
    const char *first = j->p;
    bool right = json_digits(j) && (*first != '0' || j->p == first + 1);
    if (right && j->p < j->end && *j->p == '.') {
        j->p++;
        right = json_digits(j);
    }
    if (right && j->p < j->end && (*j->p == 'e' || *j->p == 'E')) {
        j->p++;
        if (j->p < j->end && (*j->p == '+' || *j->p == '-')) j->p++;
        right = json_digits(j);
    }
    if (right) return;
    j->p = begin;
    ch__json_fail(j, "a value");
}

// ---- values that are not of interest
static void json_key(ch__json *j) {
    json_quote(j);
    json_decode(j, NULL);
    ch__json_expect(j, ':');
}

// A string, number, true, false or null.
static void json_scalar(ch__json *j) {
    char c = ch__json_peek(j);
    if (c == '"') {
        j->p++;
        json_decode(j, NULL);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        json_number(j);
    } else if (!json_literal(j, "true") && !json_literal(j, "false") && !json_literal(j, "null")) {
        ch__json_fail(j, "a value");
    }
}

void ch__json_skip(ch__json *j) {
    char open[CH__JSON_DEPTH]; // the brackets that close what is open
    int depth = 0;
    do {
        bool first = false;
        char c = ch__json_peek(j);
        if (c == '{' || c == '[') {
            if (depth == CH__JSON_DEPTH)
                ch__raise(CH__E_file_format,
                          "%s: %s: byte %zu of the %s: more than %d lists in lists — that deep is read",
                          j->source->what, j->source->name, (size_t)(j->p - j->start), json_part(j), CH__JSON_DEPTH);
            j->p++;
            open[depth++] = c == '{' ? '}' : ']';
            first = true;
        } else {
            json_scalar(j);
        }
        while (depth > 0 && !ch__json_more(j, open[depth - 1], first)) {
            depth--;
            first = false;
        }
        if (depth > 0 && open[depth - 1] == '}') json_key(j);
    } while (depth > 0);
}

void ch__json_end(ch__json *j) {
    ch__json_peek(j);
    if (j->p < j->end) ch__json_fail(j, "nothing but blanks");
}
