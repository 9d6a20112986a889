// SPDX-License-Identifier: Apache-2.0
// lex.c - IR text as tokens, and errors that show the place.
//
// One token of look-ahead; the text is never copied and need not end in NUL. A byte that starts no token becomes a
// token of its own kind, so that it is reported when the parser gets there and not before. Line and column are
// counted only when an error is made (columns in characters, from 1).
#include "ir/parse.h"

#include <string.h>

static bool lex_is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool lex_is_digit(char c) { return c >= '0' && c <= '9'; }
static bool lex_is_word(char c) { return lex_is_alpha(c) || lex_is_digit(c); }

void ch__parser_init(ch__parser *p, ch__arena *scratch, ch__arena *arena, const char *text, size_t n,
                     const char *name) {
    *p = (ch__parser){.text = text,
                      .end = text + n,
                      .pos = text,
                      .line = 1,
                      .name = name,
                      .as = CH__E_COUNT,
                      .scratch = scratch,
                      .arena = arena};
    ch__strmap_init(&p->funcs, scratch);
    ch__strmap_init(&p->values, scratch);
    ch__strmap_init(&p->symbols, scratch);
    ch__next(p);
}

static void lex_skip(ch__parser *p) {
    const char *s = p->pos, *end = p->end;
    while (s < end) {
        if (*s == '\n') {
            p->line++;
            s++;
        } else if (*s == ' ' || *s == '\t' || *s == '\r') {
            s++;
        } else if (*s == '/' && s + 1 < end && s[1] == '/') {
            while (s < end && *s != '\n') s++;
        } else {
            break;
        }
    }
    p->pos = s;
}

// 12, 1.5, 1e-3, 0x1f, 0x1.8p-4; "1..4" ends before the dots.
static const char *lex_number(const char *s, const char *end) {
    bool hex = end - s > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    const char *first = s;
    while (s < end) {
        char c = *s, before = s > first ? s[-1] : 0;
        bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
        bool dot = c == '.' && !(s + 1 < end && s[1] == '.');
        if (!lex_is_word(c) && !dot && !((c == '+' || c == '-') && exponent)) break;
        s++;
    }
    return s;
}

// The closing quote, or NULL when there is none; only hex data may go over lines.
static const char *lex_string_end(ch__parser *p, const char *s, bool lines) {
    for (; s < p->end && *s != '"'; s++) {
        if (*s == '\n') {
            if (!lines) return NULL;
            p->line++;
        }
        if (*s == '\\' && s + 1 < p->end && s[1] != '\n') s++;
    }
    return s < p->end ? s : NULL;
}

void ch__next(ch__parser *p) {
    lex_skip(p);
    const char *s = p->pos, *end = p->end;
    ch__tok *t = &p->tok;
    *t = (ch__tok){.kind = CH__T_PUNCT, .line = p->line, .at = s, .s = s, .n = 1};
    if (s == end) {
        t->kind = CH__T_END;
        t->n = 0;
        return;
    }
    char c = *s, after = s + 1 < end ? s[1] : 0;
    if (lex_is_alpha(c)) {
        while (s < end && lex_is_word(*s)) s++;
        t->kind = CH__T_IDENT;
        t->n = (size_t)(s - t->at);
    }
    bool hex = t->kind == CH__T_IDENT && t->n == 3 && memcmp(t->s, "hex", 3) == 0 && s < end && *s == '"';
    if (c == '"' || hex) {
        t->s = ++s;
        s = lex_string_end(p, s, hex);
        t->kind = s ? (hex ? CH__T_HEX : CH__T_STR) : CH__T_BAD;
        t->bad = "a string that has no closing '\"' on its line";
        if (hex) t->bad = "hex data that has no closing '\"'";
        t->n = s ? (size_t)(s - t->s) : 0;
        s = s ? s + 1 : end;
    } else if (t->kind == CH__T_IDENT) {
        // done
    } else if (c == '%' || c == '@') {
        t->s = ++s;
        while (s < end && lex_is_word(*s)) s++;
        t->n = (size_t)(s - t->s);
        t->kind = c == '%' ? CH__T_VALUE : CH__T_GLOBAL;
        if (t->n == 0) {
            t->kind = CH__T_BAD;
            t->bad = c == '%' ? "'%' without a name" : "'@' without a name";
        }
    } else if (lex_is_digit(c)) {
        s = lex_number(s, end);
        t->kind = CH__T_NUM;
        t->n = (size_t)(s - t->at);
    } else if ((c == '-' && after == '>') || (c == '=' && after == '=') || (c == '.' && after == '.')) {
        t->kind = c == '-' ? CH__T_ARROW : c == '=' ? CH__T_EQEQ : CH__T_DOTS;
        t->n = 2;
        s += 2;
    } else if (c && strchr("{}()[]<>,:=+-*", c)) {
        t->c = c;
        s++;
    } else {
        t->kind = CH__T_BAD;
        s++;
    }
    p->pos = s;
}

// ---------------------------------------------------------------- errors

// One line of the text around `at`, at most 100 characters, and a caret below; bytes that are not text become '?'.
static void lex_excerpt(const ch__parser *p, const char *at, char *line, char *caret) {
    enum { CH__EXCERPT = 100 };
    const char *begin = at, *end = at, *const first = line;
    while (begin > p->text && begin[-1] != '\n' && at - begin < CH__EXCERPT - 30) begin--;
    while (begin < at && (*begin & 0xC0) == 0x80) begin++;
    while (end < p->end && *end != '\n' && *end != '\r' && end - begin < CH__EXCERPT) end++;
    for (const char *s = begin; s < end; s++) {
        unsigned char c = (unsigned char)*s;
        int follow = c >= 0xC2 && c < 0xE0 ? 1 : c >= 0xE0 && c < 0xF0 ? 2 : c >= 0xF0 && c < 0xF5 ? 3 : 0;
        bool whole = follow > 0 && end - s > follow;
        for (int i = 1; whole && i <= follow; i++) whole = (s[i] & 0xC0) == 0x80;
        if (s < at) *caret++ = c == '\t' ? '\t' : ' ';
        if (whole) {
            memcpy(line, s, (size_t)follow + 1);
            line += follow + 1;
            s += follow;
        } else {
            *line++ = (char)(c == '\t' || (c >= ' ' && c < 0x7F) ? c : '?');
        }
    }
    while (line > first && line[-1] == ' ') line--;
    *line = 0;
    *caret++ = '^';
    *caret = 0;
}

static void lex_place(const ch__parser *p, const char *at, int *out_line, int *out_col) {
    int line = 1, col = 1;
    for (const char *s = p->text; s < at; s++) {
        if (*s == '\n') {
            line++;
            col = 1;
        } else if ((*s & 0xC0) != 0x80) {
            col++;
        }
    }
    *out_line = line;
    *out_col = col;
}

CH_NORETURN static void lex_raise(ch__parser *p, ch__err id, const char *at, const char *message) {
    char line[512], caret[256];
    int n_line, col;
    if (at > p->end) at = p->end;
    lex_excerpt(p, at, line, caret);
    lex_place(p, at, &n_line, &col);
    p->located = true;
    ch__raise(id, "%s:%d:%d: %s\n%s\n%s", p->name, n_line, col, message, line, caret);
}

void ch__parse_put_place(const ch__parser *p, ch__text *t, const char *at, bool whole, const char *message) {
    char line[512], caret[256];
    int n_line, col;
    if (at > p->end) at = p->end;
    lex_place(p, at, &n_line, &col);
    ch__putf(t, "%s:%d:%d: %s", p->name, n_line, col, message);
    if (!whole) return;
    lex_excerpt(p, at, line, caret);
    ch__putf(t, "\n%s\n%s", line, caret);
}

void ch__parse_fail(ch__parser *p, ch__err id, const char *at, const char *fmt, ...) {
    char message[640];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    lex_raise(p, p->as != CH__E_COUNT ? p->as : id, at, message);
}

void ch__parse_fail_current(ch__parser *p) {
    ch__error_copy e;
    ch__error_save(&e);
    bool ours = e.id != CH__E_out_of_memory && e.id != CH__E_cancelled && e.id != CH__E_internal;
    if (p->located || !ours) ch__raise_current();
    ch__err id = p->as != CH__E_COUNT ? p->as : e.id;
    e.message[640] = 0;
    if (p->here) lex_raise(p, id, p->here, e.message);
    p->located = true;
    ch__raise(id, "%s: %s", p->name, e.message);
}

void ch__parse_expected(ch__parser *p, const char *what) {
    const ch__tok *t = &p->tok;
    int n = t->n < 40 ? (int)t->n : 40;
    unsigned char c = t->kind == CH__T_END ? 0 : (unsigned char)*t->at;
    switch (t->kind) {
    case CH__T_END: {
        const char *at = t->at; // shown behind the last thing that stands there
        while (at > p->text && (at[-1] == '\n' || at[-1] == ' ' || at[-1] == '\r' || at[-1] == '\t')) at--;
        ch__parse_fail(p, CH__E_parse, at, "expected %s, got the end of the text", what);
    }
    case CH__T_VALUE: ch__parse_fail(p, CH__E_parse, t->at, "expected %s, got '%%%.*s'", what, n, t->s);
    case CH__T_GLOBAL: ch__parse_fail(p, CH__E_parse, t->at, "expected %s, got '@%.*s'", what, n, t->s);
    case CH__T_STR: ch__parse_fail(p, CH__E_parse, t->at, "expected %s, got a string", what);
    case CH__T_HEX: ch__parse_fail(p, CH__E_parse, t->at, "expected %s, got hex data", what);
    case CH__T_BAD:
        if (t->bad) ch__parse_fail(p, CH__E_parse, t->at, "expected %s, got %s", what, t->bad);
        if (c > ' ' && c < 0x7F) ch__parse_fail(p, CH__E_parse, t->at, "expected %s, got '%c'", what, c);
        ch__parse_fail(p, CH__E_parse, t->at, "expected %s, got the byte 0x%02x", what, c);
    default: ch__parse_fail(p, CH__E_parse, t->at, "expected %s, got '%.*s'", what, n, t->s);
    }
}

// ---------------------------------------------------------------- small readers

bool ch__is(const ch__parser *p, char c) { return p->tok.kind == CH__T_PUNCT && p->tok.c == c; }

bool ch__is_word(const ch__parser *p, const char *word) {
    return p->tok.kind == CH__T_IDENT && strlen(word) == p->tok.n && memcmp(word, p->tok.s, p->tok.n) == 0;
}

bool ch__eat(ch__parser *p, char c) {
    if (!ch__is(p, c)) return false;
    ch__next(p);
    return true;
}

bool ch__eat_word(ch__parser *p, const char *word) {
    if (!ch__is_word(p, word)) return false;
    ch__next(p);
    return true;
}

void ch__want(ch__parser *p, char c, const char *after) {
    if (ch__eat(p, c)) return;
    char what[80];
    snprintf(what, sizeof what, "'%c' %s", c, after);
    ch__parse_expected(p, what);
}

char *ch__tok_text(ch__parser *p, const ch__tok *t) { return ch__arena_strndup(p->scratch, t->s, t->n); }

char *ch__tok_string(ch__parser *p, const ch__tok *t) {
    char *out = ch__arena_array(p->scratch, t->n + 1, 1), *o = out;
    for (const char *s = t->s, *end = t->s + t->n; s < end; s++) {
        if (*s != '\\') {
            if (*s == 0) ch__parse_fail(p, CH__E_parse, s, "a string holds the byte 0");
            *o++ = *s;
            continue;
        }
        const char *escape = s++;
        char c = s < end ? *s : 0;
        int hi = c == 'x' && end - s > 2 ? ch__hex_digit(s[1]) : -1, lo = hi >= 0 ? ch__hex_digit(s[2]) : -1;
        if (c == 'n' || c == 't' || c == 'r' || c == '\\' || c == '"') {
            *o++ = (char)(c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c);
        } else if (lo >= 0 && hi * 16 + lo != 0) {
            *o++ = (char)(hi * 16 + lo);
            s += 2;
        } else {
            ch__parse_fail(p, CH__E_parse, escape,
                           "unknown escape in a string — \\n \\t \\r \\\\ \\\" and \\x01 to \\xff are read");
        }
    }
    *o = 0;
    return out;
}

bool ch__read_digits(ch__parser *p, const char *at, bool negative, const char *s, size_t n, int64_t *out) {
    uint64_t v = 0, limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    for (const char *end = s + n; s < end; s++) {
        if (!lex_is_digit(*s)) return false;
        unsigned digit = (unsigned)(*s - '0');
        if (v > (limit - digit) / 10) ch__parse_fail(p, CH__E_parse, at, "the number does not fit in 64 bits");
        v = v * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

int64_t ch__want_int(ch__parser *p, const char *what) {
    const char *at = p->tok.at;
    bool negative = ch__eat(p, '-');
    int64_t v = 0;
    if (p->tok.kind != CH__T_NUM || !ch__read_digits(p, at, negative, p->tok.s, p->tok.n, &v))
        ch__parse_expected(p, what);
    ch__next(p);
    return v;
}

const char *ch__did_you_mean(ch__parser *p, const char *name, const char *const *names, int n) {
    const char *near = ch__nearest(name, names, n);
    return near ? ch__arena_printf(p->scratch, " — did you mean '%s'?", near) : "";
}
