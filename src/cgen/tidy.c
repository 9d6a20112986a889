// SPDX-License-Identifier: Apache-2.0
// tidy.c - what was made and turned out not to be needed goes: constants that no line reads, tables and helpers that
// nothing names. An index that is always 0 is not printed, so the variable that would have been it may stand alone.
#include "cgen/emit.h"

static bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool ch__cg_in_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

bool ch__cg_is_word(const char *s) {
    if (!starts_word(*s)) return false;
    while (ch__cg_in_word(*s)) s++;
    return *s == 0;
}

// Calls fn for every identifier; fields (after a point) are none, nor is what stands in comments.
void ch__cg_each_word(const char *s, const char *end, void (*fn)(void *arg, const char *word, size_t n), void *arg) {
    for (char before = 0; s < end;) {
        if (s[0] == '/' && end - s > 1 && s[1] == '*') {
            for (s += 2; s < end && !(s[-1] == '*' && s[0] == '/'); s++) {}
            before = 0;
        }
        if (!starts_word(*s)) {
            if (ch__cg_in_word(*s)) // a number, with its suffix
                while (s < end && (ch__cg_in_word(*s) || *s == '.')) before = *s++;
            else
                before = *s++;
            continue;
        }
        const char *e = s;
        while (e < end && ch__cg_in_word(*e)) e++;
        if (before != '.') fn(arg, s, (size_t)(e - s));
        before = e[-1];
        s = e;
    }
}

typedef struct {
    ch__arena *a;
    ch__strmap seen; // -> int64_t, how often
    int64_t by;      // what is added
} word_counts;

static void count_word(void *arg, const char *word, size_t n) {
    word_counts *c = arg;
    int64_t *times = ch__strmap_getn(&c->seen, word, n);
    if (!times) {
        times = CH_NEW(c->a, int64_t);
        ch__strmap_put(&c->seen, ch__arena_strndup(c->a, word, n), times);
    }
    *times += c->by;
}

static int64_t times_of(const word_counts *c, const char *word, size_t n) {
    const int64_t *times = ch__strmap_getn(&c->seen, word, n);
    return times ? *times : 0;
}

void ch__cg_count_words(cg *g, const ch__text *t, ch__strmap *out) {
    word_counts c = {.a = g->a, .by = 1};
    ch__strmap_init(&c.seen, g->a);
    if (t->n) ch__cg_each_word(t->data, t->data + t->n, count_word, &c);
    *out = c.seen;
}

// "    const double x = ...;" that is the only place x stands in: its name, or NULL.
static const char *declared(const char *line, const char *end, size_t *n) {
    const char *s = line + strspn(line, " ");
    if (strncmp(s, "const ", 6) != 0) return NULL;
    const char *equals = s;
    while (equals < end && *equals != '=') equals++;
    if (equals == end || equals - 1 <= s || equals[-1] != ' ') return NULL;
    const char *word_end = equals - 1, *word = word_end;
    while (word > s && ch__cg_in_word(word[-1])) word--;
    *n = (size_t)(word_end - word);
    return *n > 0 && starts_word(*word) ? word : NULL;
}

// The statement on a line, behind loops on the same line; NULL: there is none.
static const char *statement_on(const char *line, const char *end) {
    const char *s = line + strspn(line, " ");
    while (strncmp(s, "for (", 5) == 0) {
        int depth = 0;
        for (s += 4; s < end; s++) {
            depth += (*s == '(') - (*s == ')');
            if (depth == 0) break;
        }
        if (s == end) return NULL;
        s++;
        s += strspn(s, " ");
    }
    return s;
}

// The array that the statement on a line writes to; NULL: none.
static const char *written(const char *line, const char *end, size_t *n) {
    const char *s = statement_on(line, end), *e = s;
    if (!s) return NULL;
    while (e < end && ch__cg_in_word(*e)) e++;
    *n = (size_t)(e - s);
    if (*n == 0 || *e != '[') return NULL;
    int depth = 0;
    for (; e < end; e++) {
        depth += (*e == '[') - (*e == ']');
        if (depth == 0) break;
    }
    return e < end && strncmp(e, "] = ", 4) == 0 ? s : NULL;
}

// The variable that the statement on a line gives a value: "double x = ...;", "x += ...;"; NULL: none.
static const char *assigned(const char *line, const char *end, size_t *n) {
    const char *s = statement_on(line, end), *word = s;
    for (; s && s < end && (ch__cg_in_word(*s) || *s == ' '); s++) {
        if (*s != ' ') continue;
        if (s[1] == '=' || (s[1] && strchr("+-*", s[1]) && s[2] == '=')) {
            *n = (size_t)(s - word);
            return word;
        }
        word = s + 1;
    }
    return NULL;
}

// "(void)x;" goes where something reads x.
static void drop_voids(cg *g, ch__text *t) {
    word_counts all = {.a = g->a, .by = 1}, writes = {.a = g->a, .by = 1};
    ch__strmap_init(&all.seen, g->a);
    ch__strmap_init(&writes.seen, g->a);
    ch__text out;
    ch__text_init(&out, g->a);
    ch__cg_each_word(t->data, t->data + t->n, count_word, &all);
    for (const char *s = t->data, *end; *s; s = end + 1) {
        size_t n;
        end = strchr(s, '\n');
        const char *word = assigned(s, end, &n);
        if (word) count_word(&writes, word, n);
    }
    for (const char *s = t->data, *end; *s; s = end + 1) {
        end = strchr(s, '\n');
        const char *word = s + strspn(s, " ");
        if (strncmp(word, "(void)", 6) == 0 && end[-1] == ';') {
            size_t n = (size_t)(end - 1 - (word + 6));
            if (times_of(&all, word + 6, n) > 1 + times_of(&writes, word + 6, n)) continue;
        }
        ch__putn(&out, s, (size_t)(end + 1 - s));
    }
    *t = out;
}

// Local arrays that are written and never read: named, so that compilers see that this is known.
void ch__cg_name_unread(cg *g, const ch__text *t, ch__text *out) {
    word_counts all = {.a = g->a, .by = 1}, writes = {.a = g->a, .by = 1};
    ch__strmap_init(&all.seen, g->a);
    ch__strmap_init(&writes.seen, g->a);
    if (t->n == 0) return;
    ch__cg_each_word(t->data, t->data + t->n, count_word, &all);
    for (const char *s = t->data, *end; *s; s = end + 1) {
        size_t n;
        end = strchr(s, '\n');
        const char *word = written(s, end, &n);
        if (word) count_word(&writes, word, n);
    }
    for (int64_t i = 0; i < g->arrays.n; i++) {
        const char *name = g->arrays.data[i]->name;
        size_t n = strlen(name);
        if (times_of(&all, name, n) == 1 + times_of(&writes, name, n)) ch__putf(out, "    (void)%s;\n", name);
    }
}

static bool contains(const char *s, const char *end, const char *what) {
    size_t n = strlen(what); // what stands behind `end` may be long: strstr would go through all of it
    while ((size_t)(end - s) >= n && (s = memchr(s, what[0], (size_t)(end - s) - n + 1)) != NULL) {
        if (memcmp(s, what, n) == 0) return true;
        s++;
    }
    return false;
}

// "const double t4 = E;" and then "x = t4;", where t4 stands nowhere else: "x = E;".
static void join_lines(cg *g, ch__text *t) {
    word_counts all = {.a = g->a, .by = 1};
    ch__text out;
    ch__strmap_init(&all.seen, g->a);
    ch__text_init(&out, g->a);
    ch__cg_each_word(t->data, t->data + t->n, count_word, &all);
    for (const char *s = t->data, *end; *s; s = end + 1) {
        size_t n = 0;
        end = strchr(s, '\n');
        const char *word = declared(s, end, &n), *next = end + 1, *next_end = *next ? strchr(next, '\n') : NULL;
        bool made_up = word && n > 1 && word[0] == 't' && strspn(word + 1, "0123456789") == n - 1;
        if (made_up && next_end && times_of(&all, word, n) == 2) {
            const char *e = word + n + 3, *semicolon = next_end - 1, *use = semicolon - n;
            size_t length = strcspn(e, ";");
            bool copies = next_end - next > (int64_t)n + 4 && *semicolon == ';' && strncmp(use, word, n) == 0 &&
                          strncmp(use - 3, " = ", 3) == 0 && strspn(next, " ") == strspn(s, " ");
            // In x[n++] = E the order of what happens is not said when E changes something too.
            bool order = !contains(next, use, "++");
            if (copies && order && (int64_t)length + (use - next) <= 100 &&
                strncmp(next + strspn(next, " "), "for", 3) != 0) {
                ch__putf(&out, "%.*s%.*s", (int)(use - next), next, (int)(end - e), e); // with its comment
                ch__putc(&out, '\n');
                end = next_end;
                continue;
            }
        }
        ch__putn(&out, s, (size_t)(end + 1 - s));
    }
    *t = out;
}

void ch__cg_tidy(cg *g, ch__text *t) {
    word_counts c = {.a = g->a, .by = 1};
    ch__strmap_init(&c.seen, g->a);
    if (t->n == 0) return;
    ch__cg_each_word(t->data, t->data + t->n, count_word, &c);
    c.by = -1;
    char *end = t->data + t->n, *kept = end; // lines from the last to the first; what stays moves to the end
    while (end > t->data) {
        char *line = end - 1;
        while (line > t->data && line[-1] != '\n') line--;
        size_t n = 0, bytes = (size_t)(end - line);
        const char *word = declared(line, end, &n);
        if (word && times_of(&c, word, n) == 1) {
            ch__cg_each_word(line, end, count_word, &c);
        } else {
            kept -= bytes;
            memmove(kept, line, bytes);
        }
        end = line;
    }
    int64_t left = t->data + t->n - kept;
    memmove(t->data, kept, (size_t)left);
    t->n = left;
    t->data[left] = 0;
    drop_voids(g, t);
    join_lines(g, t);
}

// Nothing has to be freed: `if (...) { status = 2; goto done; }` is `if (...) return 2;`. true: status is still used.
bool ch__cg_direct_returns(cg *g, ch__text *t) {
    static const char set[] = "status = ", leave[] = "goto done;\n", call[] = "if (status != 0) goto done;\n";
    ch__text out;
    bool used = false;
    ch__text_init(&out, g->a);
    for (const char *s = t->data; *s;) {
        const char *end = strchr(s, '\n') + 1, *word = s + strspn(s, " ");
        const char *second = end + strspn(end, " "), *third = NULL, *fourth = NULL;
        if (strncmp(word, "if (", 4) == 0 && end[-2] == '{' && strncmp(second, set, sizeof set - 1) == 0) {
            third = strchr(second, '\n') + 1;
            fourth = third + strspn(third, " ");
        }
        if (fourth && strncmp(fourth, leave, sizeof leave - 1) == 0) { // four lines are one
            ch__putn(&out, s, (size_t)(end - 2 - s));
            ch__putf(&out, "return %.*s\n", (int)strcspn(second + sizeof set - 1, "\n"), second + sizeof set - 1);
            s = strchr(fourth + sizeof leave - 1, '\n') + 1;
            continue;
        }
        if (strncmp(word, call, sizeof call - 1) == 0) {
            ch__putf(&out, "%.*sif (status != 0) return status;\n", (int)(word - s), s);
            used = true;
        } else {
            ch__putn(&out, s, (size_t)(end - s));
        }
        s = end;
    }
    *t = out;
    return used;
}

// ---------------------------------------------------------------- the file
// Pieces are printed in the order they were made, after those they need; what nothing names is left out.
void ch__cg_put_pieces(cg_file *file, ch__text *t) {
    word_counts c = {.a = file->a, .by = 1};
    ch__strmap_init(&c.seen, file->a);
    if (file->functions.n)
        ch__cg_each_word(file->functions.data, file->functions.data + file->functions.n, count_word, &c);
    for (int64_t i = file->pieces.n; i-- > 0;) {
        piece *p = &file->pieces.data[i];
        p->wanted = times_of(&c, p->name, strlen(p->name)) > 0;
        if (!p->wanted) continue;
        ch__cg_each_word(p->text, p->text + strlen(p->text), count_word, &c);
        if (p->needs) ch__cg_each_word(p->needs, p->needs + strlen(p->needs), count_word, &c);
    }
    for (int order = 0; order < 3; order++) // types, helpers, tables
        for (int64_t i = 0; i < file->pieces.n; i++) {
            const piece *p = &file->pieces.data[i];
            if (p->wanted && p->order == order) ch__put(t, p->text);
        }
}
