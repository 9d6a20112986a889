// SPDX-License-Identifier: Apache-2.0
// hlo/lex.c - MLIR text as tokens.
//
// One token of look-ahead over text that is not copied; a byte that starts no token becomes a token of its own kind,
// reported when the reader gets there. Errors are those of ir/lex.c: line, column, the line and a caret.
#include "hlo/hlo.h"

#include <string.h>

static bool hlo_is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool hlo_is_digit(char c) { return c >= '0' && c <= '9'; }
static bool hlo_is_word_char(char c) { return hlo_is_alpha(c) || hlo_is_digit(c) || c == '$' || c == '.'; }

static const char *hlo_skip_blank(const char *s, const char *end) {
    while (s < end) {
        if (*s == ' ' || *s == '\n' || *s == '\t' || *s == '\r')
            s++;
        else if (*s == '/' && s + 1 < end && s[1] == '/')
            while (s < end && *s != '\n') s++;
        else
            break;
    }
    return s;
}

// The closing quote or NULL. MLIR strings stand on one line.
static const char *hlo_string_end(const char *s, const char *end) {
    for (; s < end && *s != '"' && *s != '\n'; s++)
        if (*s == '\\' && s + 1 < end && s[1] != '\n') s++;
    return s < end && *s == '"' ? s : NULL;
}

// 12, 1.5, 1.0e+00, 0x7F80; "2x3" ends before the x.
static const char *hlo_number_end(const char *s, const char *end) {
    if (end - s > 2 && s[0] == '0' && s[1] == 'x' &&
        (hlo_is_digit(s[2]) || (s[2] >= 'a' && s[2] <= 'f') || (s[2] >= 'A' && s[2] <= 'F'))) {
        s += 2;
        while (s < end && (hlo_is_digit(*s) || (*s >= 'a' && *s <= 'f') || (*s >= 'A' && *s <= 'F'))) s++;
        return s;
    }
    while (s < end && hlo_is_digit(*s)) s++;
    if (s + 1 < end && *s == '.' && hlo_is_digit(s[1])) {
        s++;
        while (s < end && hlo_is_digit(*s)) s++;
    } else if (s < end && *s == '.' && !(s + 1 < end && s[1] == '.')) {
        s++;
    }
    if (s < end && (*s == 'e' || *s == 'E')) {
        const char *e = s + 1;
        if (e < end && (*e == '+' || *e == '-')) e++;
        if (e < end && hlo_is_digit(*e)) {
            while (e < end && hlo_is_digit(*e)) e++;
            s = e;
        }
    }
    return s;
}

static const char *hlo_word_end(const char *s, const char *end) {
    while (s < end && hlo_is_word_char(*s)) s++;
    return s;
}

// %name, %0#1, @name, @"a b", #name, !name, ^name
static const char *hlo_sigil(ch__hlo_tok *t, const char *s, const char *end) {
    char c = *s++;
    t->kind = c == '%'   ? CH__H_VALUE
              : c == '@' ? CH__H_SYMBOL
              : c == '#' ? CH__H_HASH
              : c == '!' ? CH__H_BANG
                         : CH__H_BLOCK;
    t->s = s;
    if (c == '@' && s < end && *s == '"') {
        const char *close = hlo_string_end(s + 1, end);
        t->s = s + 1;
        t->n = close ? (size_t)(close - t->s) : 0;
        if (!close) {
            t->kind = CH__H_BAD;
            t->bad = "a name that has no closing '\"' on its line";
        }
        return close ? close + 1 : end;
    }
    s = hlo_word_end(s, end);
    if (c == '%')
        while (s < end && (hlo_is_word_char(*s) || *s == '-')) s++;
    t->n = (size_t)(s - t->s);
    if (t->n == 0) {
        t->kind = CH__H_BAD;
        t->bad = c == '%' ? "'%' without a name" : c == '@' ? "'@' without a name" : NULL;
        return s;
    }
    if (c == '%' && s + 1 < end && *s == '#' && hlo_is_digit(s[1])) {
        bool overflow;
        s = ch__parse_i64(s + 1, end, &t->index, &overflow);
        if (overflow) t->index = INT32_MAX;
    }
    return s;
}

void ch__hlo_go(ch__hlo_reader *r, const char *pos) {
    r->pos = pos;
    ch__hlo_next(r);
}

void ch__hlo_next(ch__hlo_reader *r) {
    const char *end = r->lex_end, *s = hlo_skip_blank(r->pos, end);
    ch__hlo_tok *t = &r->tok;
    *t = (ch__hlo_tok){.kind = CH__H_PUNCT, .at = s, .s = s, .n = 1, .index = -1};
    if (s == end) {
        t->kind = CH__H_END;
        t->n = 0;
        r->pos = s;
        return;
    }
    char c = *s;
    if (hlo_is_alpha(c)) {
        s = hlo_word_end(s, end);
        t->kind = CH__H_WORD;
        t->n = (size_t)(s - t->at);
    } else if (c == '%' || c == '@' || c == '#' || c == '!' || c == '^') {
        s = hlo_sigil(t, s, end);
    } else if (hlo_is_digit(c)) {
        s = hlo_number_end(s, end);
        t->kind = CH__H_NUM;
        t->n = (size_t)(s - t->at);
    } else if (c == '"') {
        const char *close = hlo_string_end(s + 1, end);
        t->kind = close ? CH__H_STR : CH__H_BAD;
        t->bad = "a string that has no closing '\"' on its line";
        t->s = s + 1;
        t->n = close ? (size_t)(close - t->s) : 0;
        s = close ? close + 1 : end;
    } else if (c == '-' && s + 1 < end && s[1] == '>') {
        t->kind = CH__H_ARROW;
        t->n = 2;
        s += 2;
    } else if (c && strchr("{}()[]<>,:=-+*?|", c)) {
        t->c = c;
        s++;
    } else {
        t->kind = CH__H_BAD;
        s++;
    }
    r->pos = s;
}

// Brackets are counted together: text that mixes them up is not read any further anyway.
const char *ch__hlo_skip_brackets(ch__hlo_reader *r) {
    const char *open = r->tok.at;
    int64_t depth = 0;
    for (;;) {
        if (r->tok.kind == CH__H_END)
            ch__parse_fail(&r->p, CH__E_parse, open, "a bracket that is not closed before the end of the text");
        if (r->tok.kind == CH__H_PUNCT) {
            char c = r->tok.c;
            depth += (c == '(' || c == '[' || c == '{' || c == '<') - (c == ')' || c == ']' || c == '}' || c == '>');
            if (depth == 0) break;
        }
        ch__hlo_next(r);
    }
    const char *end = r->pos;
    ch__hlo_next(r);
    return end;
}

void ch__hlo_expected(ch__hlo_reader *r, const char *what) {
    const ch__hlo_tok *t = &r->tok;
    const char *at = t->at;
    unsigned char c = t->kind == CH__H_END ? 0 : (unsigned char)*at;
    int n = (int)(r->pos - at < 40 ? r->pos - at : 40);
    if (t->kind == CH__H_END) {
        while (at > r->p.text && (at[-1] == '\n' || at[-1] == ' ' || at[-1] == '\r' || at[-1] == '\t')) at--;
        ch__parse_fail(&r->p, CH__E_parse, at, "expected %s, got the end of the text", what);
    }
    if (t->kind == CH__H_BAD && t->bad) ch__parse_fail(&r->p, CH__E_parse, at, "expected %s, got %s", what, t->bad);
    if (t->kind == CH__H_BAD && (c <= ' ' || c >= 0x7F))
        ch__parse_fail(&r->p, CH__E_parse, at, "expected %s, got the byte 0x%02x", what, c);
    if (t->kind == CH__H_STR) ch__parse_fail(&r->p, CH__E_parse, at, "expected %s, got a string", what);
    ch__parse_fail(&r->p, CH__E_parse, at, "expected %s, got '%.*s'", what, n, at);
}

bool ch__hlo_is(const ch__hlo_reader *r, char c) { return r->tok.kind == CH__H_PUNCT && r->tok.c == c; }

bool ch__hlo_is_word(const ch__hlo_reader *r, const char *word) {
    return r->tok.kind == CH__H_WORD && strlen(word) == r->tok.n && memcmp(word, r->tok.s, r->tok.n) == 0;
}

bool ch__hlo_eat(ch__hlo_reader *r, char c) {
    if (!ch__hlo_is(r, c)) return false;
    ch__hlo_next(r);
    return true;
}

bool ch__hlo_eat_word(ch__hlo_reader *r, const char *word) {
    if (!ch__hlo_is_word(r, word)) return false;
    ch__hlo_next(r);
    return true;
}

void ch__hlo_want(ch__hlo_reader *r, char c, const char *after) {
    if (ch__hlo_eat(r, c)) return;
    char what[80];
    snprintf(what, sizeof what, "'%c' %s", c, after);
    ch__hlo_expected(r, what);
}

int64_t ch__hlo_want_int(ch__hlo_reader *r, const char *what) {
    const char *at = r->tok.at;
    bool negative = ch__hlo_eat(r, '-');
    int64_t v = 0;
    if (r->tok.kind != CH__H_NUM || !ch__read_digits(&r->p, at, negative, r->tok.s, r->tok.n, &v))
        ch__hlo_expected(r, what);
    ch__hlo_next(r);
    return v;
}

const char *ch__hlo_tok_text(ch__hlo_reader *r, const ch__hlo_tok *t) {
    return ch__arena_strndup(r->arena, t->s, t->n);
}
