// SPDX-License-Identifier: Apache-2.0
// string.c - text being built, in an arena or to a FILE; names that look alike.
//
// Numbers go through num.c, so what is printed does not depend on the locale.
#include "base/base.h"

#include <assert.h>
#include <string.h>

#define TEXT_FIRST 128

void ch__text_init(ch__text *t, ch__arena *a) {
    memset(t, 0, sizeof *t);
    t->arena = a;
    t->cap = TEXT_FIRST;
    t->data = ch__arena_alloc(a, TEXT_FIRST);
}

void ch__text_init_file(ch__text *t, FILE *f) {
    memset(t, 0, sizeof *t);
    t->file = f;
}

void ch__text_init_fixed(ch__text *t, char *buf, size_t cap) {
    memset(t, 0, sizeof *t);
    t->data = buf;
    t->cap = (int64_t)cap;
    if (cap > 0) buf[0] = '\0';
}

// Room for `more` bytes and the closing NUL.
static void text_reserve(ch__text *t, size_t more) {
    if (more < (size_t)(t->cap - t->n)) return;
    int64_t need, cap = t->cap;
    if (more > INT64_MAX - 1 || !ch__add_i64(t->n, (int64_t)more + 1, &need)) ch__raise_oom();
    while (cap < need)
        if (!ch__mul_i64(cap, 2, &cap)) ch__raise_oom();
    if (!ch__arena_extend(t->arena, t->data, (size_t)t->cap, (size_t)cap)) {
        char *moved = ch__arena_alloc(t->arena, (size_t)cap);
        memcpy(moved, t->data, (size_t)t->n + 1);
        t->data = moved;
    }
    t->cap = cap;
}

void ch__putn(ch__text *t, const char *s, size_t n) {
    if (n == 0) return;
    if (t->file) {
        if (fwrite(s, 1, n, t->file) != n) t->failed = true;
    } else if (!t->arena) {
        int64_t room = t->cap - 1 - t->n;
        if (room > 0) {
            size_t fits = n < (size_t)room ? n : (size_t)room;
            memcpy(t->data + t->n, s, fits);
            t->data[t->n + (int64_t)fits] = '\0';
        }
    } else {
        text_reserve(t, n);
        memcpy(t->data + t->n, s, n);
        t->data[t->n + (int64_t)n] = '\0';
    }
    t->n += (int64_t)n;
}

void ch__put(ch__text *t, const char *s) { ch__putn(t, s, strlen(s)); }
void ch__putc(ch__text *t, char c) { ch__putn(t, &c, 1); }

void ch__put_i64(ch__text *t, int64_t v) {
    char s[CH__NUM_CHARS];
    ch__putn(t, s, (size_t)ch__format_i64(s, v));
}

void ch__put_u64(ch__text *t, uint64_t v) {
    char s[20];
    int at = (int)sizeof s;
    do s[--at] = (char)('0' + v % 10);
    while (v /= 10);
    ch__putn(t, s + at, sizeof s - (size_t)at);
}

void ch__put_f64(ch__text *t, double v) {
    char s[CH__NUM_CHARS];
    ch__putn(t, s, (size_t)ch__format_f64(s, v));
}

void ch__put_f32(ch__text *t, float v) {
    char s[CH__NUM_CHARS];
    ch__putn(t, s, (size_t)ch__format_f32(s, v));
}

// The length of the well-formed UTF-8 character at s (RFC 3629), 0 when there is none.
static int text_utf8(const unsigned char *s) {
    int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (n >= 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
                   (s[0] == 0xf4 && s[1] > 0x8f)))
        return 0;
    return n;
}

void ch__put_quoted(ch__text *t, const char *s) {
    static const char hex[] = "0123456789abcdef";
    ch__putc(t, '"');
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        int n = text_utf8(p);
        if (*p == '\n' || *p == '\t' || *p == '\\' || *p == '"') {
            char esc[2] = {'\\', *p == '\n' ? 'n' : *p == '\t' ? 't' : (char)*p};
            ch__putn(t, esc, 2);
        } else if (n == 0 || *p < 0x20 || *p == 0x7f) {
            char esc[4] = {'\\', 'x', hex[*p >> 4], hex[*p & 15]};
            ch__putn(t, esc, 4);
        } else {
            ch__putn(t, (const char *)p, (size_t)n);
        }
        p += n ? n : 1;
    }
    ch__putc(t, '"');
}

void ch__putf(ch__text *t, const char *fmt, ...) {
    char small[256];
    va_list ap;
    va_start(ap, fmt);
    int n = t->file ? vfprintf(t->file, fmt, ap) : vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0) {
        t->failed = true;
    } else if (t->file) {
        t->n += n;
    } else if ((size_t)n < sizeof small) {
        ch__putn(t, small, (size_t)n);
    } else {
        text_reserve(t, (size_t)n);
        va_start(ap, fmt);
        vsnprintf(t->data + t->n, (size_t)n + 1, fmt, ap);
        va_end(ap);
        t->n += n;
    }
}

bool ch__streq(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

#define NEAREST_LONGEST 100

// The number of insertions, deletions, changes and swaps of neighbours between two names: optimal string alignment.
static int nearest_distance(const char *a, size_t na, const char *b, size_t nb) {
    int rows[3][NEAREST_LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++) last[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[nb];
}

const char *ch__nearest(const char *name, const char *const *names, int n) {
    size_t len = name ? strlen(name) : 0;
    if (len == 0 || len > NEAREST_LONGEST) return NULL;
    const char *best = NULL;
    int most = len < 5 ? 1 : 2;
    if ((size_t)most >= len) return NULL; // one letter is near everything
    for (int i = 0; i < n && most >= 0; i++) {
        size_t other = strlen(names[i]);
        if (other > NEAREST_LONGEST || other > len + 2 || len > other + 2) continue;
        int d = nearest_distance(name, len, names[i], other);
        if (d > most) continue;
        best = names[i];
        most = d - 1; // only a nearer one replaces it
    }
    return best;
}
