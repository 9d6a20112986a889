// SPDX-License-Identifier: Apache-2.0
// report.c - errors, warnings, notes and remarks at places of the user's files, in the form that gcc gave the world.
//
//   model.c:41:11: error: cannot lower a call of 'qsort', which has no body here and no rule [CH102]
//      41 |   qsort(w, n, sizeof *w, cmp);
//         |   ^
//   model.c:41:11: note: give its file too, or ...
#include "cfront/cfront.h"

#include <string.h>

static const struct {
    const char *code, *what;
} codes[] = {
#define CODE(code, what) {code, what},
#include "cfront/codes.def"
#undef CODE
};

const char *cf_explain(const char *code) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].code, code) == 0) return codes[i].what;
    return NULL;
}

const char *cf_code_at(int i) { return i >= 0 && (size_t)i < sizeof codes / sizeof *codes ? codes[i].code : NULL; }

static bool same_place(const cf_loc *x, const cf_loc *y) {
    return ch__streq(x->file, y->file) && x->line == y->line && x->col == y->col;
}

static const char *formatted(cf_report *r, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = ch__arena_alloc(r->a, (size_t)(n > 0 ? n : 0) + 1);
    vsnprintf(text, (size_t)(n > 0 ? n : 0) + 1, fmt, again);
    va_end(again);
    return text;
}

void cf_say_refused(cf_report *r, const char *code, cf_loc at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = formatted(r, fmt, ap);
    va_end(ap);
    if (!r->refused.text) r->refused = (cf_message){CF_ERROR, code, at, text};
    cf_say(r, r->lenient ? CF_WARNING : CF_ERROR, code, at, "%s", text);
}

void cf_say(cf_report *r, cf_severity s, const char *code, cf_loc at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = formatted(r, fmt, ap);
    va_end(ap);
    for (int64_t i = 0; i < r->messages.n; i++) { // lowered twice, said once
        const cf_message *m = &r->messages.data[i];
        if (s != CF_NOTE && m->severity == s && same_place(&m->at, &at) && !strcmp(m->text, text)) return;
        if (s == CF_NOTE && m->severity == s && same_place(&m->at, &at) && !strcmp(m->text, text) &&
            i + 1 >= r->messages.n)
            return;
    }
    if (s == CF_NOTE && r->messages.n == 0) return;
    if (s == CF_ERROR) r->errors++;
    cf_message m = {s, code, at, text};
    CH_PUSH(r->a, &r->messages, m);
}

// ---------------------------------------------------------------- printing
static const char *word(cf_severity s) {
    return s == CF_ERROR ? "error" : s == CF_WARNING ? "warning" : s == CF_REMARK ? "remark" : "note";
}

// The line of the file and a caret.
static void put_source(ch__text *t, const cf_loc *at) {
    char *data;
    size_t n;
    if (!at->file || ch__file_read(at->file, (size_t)64 << 20, &data, &n) != CH_OK) return;
    const char *line = data;
    for (int i = 1; i < at->line && line; i++) {
        line = strchr(line, '\n');
        if (line) line++;
    }
    if (line && *line) {
        size_t len = strcspn(line, "\r\n");
        if (len < 400) {
            ch__putf(t, "%5d | ", at->line);
            ch__putn(t, line, len);
            ch__put(t, "\n      | ");
            for (int i = 1; i < at->col && (size_t)i <= len; i++) ch__putc(t, line[i - 1] == '\t' ? '\t' : ' ');
            ch__put(t, "^\n");
        }
    }
    ch__free(data);
}

static void put_message(ch__text *t, const cf_message *m) {
    if (m->at.file)
        ch__putf(t, "%s:%d:%d: ", m->at.file, m->at.line, m->at.col);
    else
        ch__put(t, "chaac: ");
    ch__putf(t, "%s: %s", word(m->severity), m->text);
    if (m->code) ch__putf(t, " [%s]", m->code);
    ch__putc(t, '\n');
    if (m->severity != CF_NOTE) put_source(t, &m->at);
    if (m->severity != CF_NOTE && m->at.macro)
        ch__putf(t, "%s:%d:%d: note: expanded from macro '%s'\n", m->at.file, m->at.line, m->at.col, m->at.macro);
}

static void put_json_string(ch__text *t, const char *s) {
    ch__putc(t, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            ch__putf(t, "\\%c", *s);
        else if ((unsigned char)*s < 32)
            ch__putf(t, "\\u%04x", (unsigned)*s);
        else
            ch__putc(t, *s);
    }
    ch__putc(t, '"');
}

static void put_json(ch__text *t, const cf_message *m) {
    ch__putf(t, "{\"severity\": \"%s\", \"code\": ", word(m->severity));
    if (m->code)
        put_json_string(t, m->code);
    else
        ch__put(t, "null");
    ch__put(t, ", \"file\": ");
    if (m->at.file)
        put_json_string(t, m->at.file);
    else
        ch__put(t, "null");
    ch__putf(t, ", \"line\": %d, \"column\": %d, \"message\": ", m->at.line, m->at.col);
    put_json_string(t, m->text);
}

void cf_print_report(const cf_report *r, FILE *f, bool json) {
    ch__text t;
    ch__text_init_file(&t, f);
    if (!json) {
        for (int64_t i = 0; i < r->messages.n; i++) put_message(&t, &r->messages.data[i]);
        return;
    }
    ch__put(&t, "[");
    for (int64_t i = 0; i < r->messages.n;) {
        const cf_message *m = &r->messages.data[i++];
        ch__put(&t, i > 1 ? ",\n " : "\n ");
        put_json(&t, m);
        ch__put(&t, ", \"notes\": [");
        for (bool first = true; i < r->messages.n && r->messages.data[i].severity == CF_NOTE; i++, first = false) {
            ch__put(&t, first ? "" : ", ");
            put_json(&t, &r->messages.data[i]);
            ch__put(&t, "}");
        }
        ch__put(&t, "]}");
    }
    ch__put(&t, "\n]\n");
}
