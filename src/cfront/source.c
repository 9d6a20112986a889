// SPDX-License-Identifier: Apache-2.0
// source.c - the lines of the user's files: what is code on each, and which comments belong to it.
//
// A comment belongs to the line that it stands behind, or to the next one with code when it stands alone. Comments are
// given as one line of words; what would end a comment, or begin one in it, is taken apart.
#include <stdlib.h>
#include <string.h>

#include "cfront/write.h"

typedef struct {
    ch__text code, comment, above;
} source_line;
typedef struct {
    CH_VEC(source_line) lines;
} source_file;

struct cf_source {
    ch__arena *a;
    ch__strmap files;
};

// ---------------------------------------------------------------- reading
static void put_char(ch__text *t, char c) {
    bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    char last = t->n ? t->data[t->n - 1] : ' ';
    if (blank && last == ' ') return;
    if (((last == '*' || last == '/') && (c == '/' || c == '*') && c != last) || (last == '?' && c == '?'))
        ch__putc(t, ' ');
    ch__putc(t, blank ? ' ' : c);
}

static void trim(ch__text *t) {
    while (t->n && t->data[t->n - 1] == ' ') t->data[--t->n] = 0;
}

static source_line *line_at(cf_source *s, source_file *f, int line) {
    while (f->lines.n < line) {
        source_line l;
        ch__text_init(&l.code, s->a);
        ch__text_init(&l.comment, s->a);
        ch__text_init(&l.above, s->a);
        CH_PUSH(s->a, &f->lines, l);
    }
    return &f->lines.data[line - 1];
}

// One comment from `at`, which is behind its first two characters; gives where it ends.
static const char *read_comment(cf_source *s, source_file *f, const char *at, bool block, int *line) {
    ch__text t;
    int first = *line;
    ch__text_init(&t, s->a);
    while (*at && (block ? strncmp(at, "*/", 2) != 0 : *at != '\n')) {
        bool margin = block && *at == '\n';
        *line += *at == '\n';
        put_char(&t, *at++);
        if (!margin) continue;
        at += strspn(at, " \t");
        while (*at == '*' && at[1] != '/') at++; // the stars that some begin lines with
    }
    trim(&t);
    const char *words = t.data ? t.data : "";
    words += strspn(words, " *!/");
    ch__text *to = &line_at(s, f, first)->comment;
    if (*words) ch__putf(to, "%s%s", to->n ? " " : "", words);
    return block && *at ? at + 2 : at;
}

static void read_text(cf_source *s, source_file *f, const char *at) {
    int line = 1;
    char quote = 0;
    while (*at) {
        if (*at == '\n') {
            line++;
            at++;
            quote = 0;
        } else if (!quote && at[0] == '/' && (at[1] == '*' || at[1] == '/')) {
            at = read_comment(s, f, at + 2, at[1] == '*', &line);
            put_char(&line_at(s, f, line)->code, ' ');
        } else {
            if (quote && *at == '\\' && at[1] && at[1] != '\n') put_char(&line_at(s, f, line)->code, *at++);
            if (*at == '"' || *at == '\'') quote = quote == *at ? 0 : quote ? quote : *at;
            put_char(&line_at(s, f, line)->code, *at++);
        }
    }
}

// Comments that stand alone go to the next line with code.
static void settle_comments(source_file *f) {
    ch__text *waiting = NULL;
    for (int64_t i = 0; i < f->lines.n; i++) {
        source_line *l = &f->lines.data[i];
        trim(&l->code);
        if (l->code.n) {
            if (waiting && waiting->n) ch__put(&l->above, waiting->data);
            waiting = NULL;
        } else if (l->comment.n) {
            if (waiting && waiting->n) {
                ch__putf(waiting, " %s", l->comment.data);
                l->comment.n = 0;
            } else {
                waiting = &l->comment;
            }
        }
    }
}

static const source_line *find_line(cf_source *s, const char *file, int line) {
    source_file *f = ch__strmap_get(&s->files, file);
    if (!f) {
        char *data = NULL;
        size_t n = 0;
        f = CH_NEW(s->a, source_file);
        ch__strmap_put(&s->files, ch__arena_strdup(s->a, file), f);
        if (ch__file_read(file, (size_t)64 << 20, &data, &n) == CH_OK) {
            const char *text = ch__arena_strndup(s->a, data, n);
            ch__free(data);
            read_text(s, f, text);
            settle_comments(f);
        }
    }
    return line >= 1 && line <= f->lines.n ? &f->lines.data[line - 1] : NULL;
}

// ---------------------------------------------------------------- asking
cf_source *cf_source_begin(ch__arena *a) {
    cf_source *s = CH_NEW(a, cf_source);
    s->a = a;
    ch__strmap_init(&s->files, a);
    return s;
}

const char *cf_source_code(cf_source *s, const char *file, int line) {
    const source_line *l = find_line(s, file, line);
    enum { LONGEST = 120 };
    if (!l || !l->code.n) return NULL;
    const char *code = l->code.data + strspn(l->code.data, " ");
    size_t n = strlen(code);
    return n <= LONGEST ? code : ch__arena_printf(s->a, "%.*s ...", LONGEST - 4, code);
}

const char *cf_source_comment(cf_source *s, const char *file, int line) {
    const source_line *l = find_line(s, file, line);
    if (!l || (!l->above.n && !l->comment.n)) return NULL;
    return ch__arena_printf(s->a, "%s%s%s", l->above.n ? l->above.data : "", l->above.n && l->comment.n ? " " : "",
                            l->comment.n ? l->comment.data : "");
}
