// SPDX-License-Identifier: Apache-2.0
// stages.c - an innermost loop with several transcendental functions becomes several loops over blocks.
//
// One turn that computes tanh of exp of tanh is one long chain of operations that wait for each other; a processor sees
// too few turns at once to fill the gaps. So the loop is taken apart: over a block of elements first one function, then
// the next, what is passed on lies in small arrays of the block (in the first level of the cache). Each turn reads and
// writes its own elements only, as the nests of the native engine do, so nothing changes but the order. Works on the
// printed text: a loop of plain statements (declarations of numbers, assignments) is taken, any other stays.
#include "cgen/native.h"

#include <stdlib.h>

enum { BLOCK = 256, MOST_LINES = 64 };

bool ch__cg_is_slow(const ch__op *op) {
    switch (op->code) {
    case CH_OP_exp:
    case CH_OP_log:
    case CH_OP_tanh:
    case CH_OP_sigmoid: return true;
    case CH_OP_erf:
    case CH_OP_sin:
    case CH_OP_cos: return op->results[0].type->dtype != CH_F64;
    default: return false;
    }
}

// The same in text; all that take a vector a dozen operations and more.
static int slow_calls(const char *s, const char *end) {
    static const char *const names[] = {"fast_exp", "fast_log", "fast_tanh", "fast_sigmoid",
                                        "fast_erf", "fast_sin", "fast_cos"};
    int n = 0;
    for (; s < end; s++) {
        if (strncmp(s, "fast_", 5) != 0) continue;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strncmp(s, names[i], strlen(names[i])) == 0) {
                n++;
                break;
            }
    }
    return n;
}

bool ch__cg_has_slow(const char *text) { return slow_calls(text, text + strlen(text)) > 0; }

typedef struct {
    const char *at, *end;         // a statement, without its indent and its line's end
    const char *type, *name, *of; // const TYPE NAME = OF, copies; name NULL: an assignment
    int stage;
    bool crosses; // another stage reads it
} stage_line;

typedef struct {
    cg *g;
    stage_line *lines;
    int n;
} stage_loop;

static bool read_line(cg *g, const char *s, const char *end, stage_line *l) {
    *l = (stage_line){.at = s, .end = end};
    if (end == s || end[-1] != ';' || strncmp(s, "for ", 4) == 0 || strncmp(s, "if ", 3) == 0 || *s == '#')
        return false;
    const char *equal = strstr(s, " = ");
    if (!equal || equal > end) return false;
    if (strncmp(s, "const ", 6) != 0) return memchr(s, '[', (size_t)(equal - s)) != NULL; // an element
    const char *name = equal;
    while (name > s && name[-1] != ' ') name--;
    l->type = ch__arena_strndup(g->a, s + 6, (size_t)(name - s) - 7);
    l->name = ch__arena_strndup(g->a, name, (size_t)(equal - name));
    l->of = ch__arena_strndup(g->a, equal + 3, (size_t)(end - equal) - 4);
    return strchr(l->type, '*') == NULL && strchr(l->type, ' ') == NULL;
}

static void see_stage_word(void *arg, const char *word, size_t n) {
    const stage_loop *l = ((void **)arg)[0];
    int stage = *(const int *)((void **)arg)[1];
    for (int i = 0; i < l->n; i++)
        if (l->lines[i].name && strlen(l->lines[i].name) == n && memcmp(l->lines[i].name, word, n) == 0 &&
            l->lines[i].stage != stage)
            l->lines[i].crosses = true;
}

// Stages with one slow function each; false: there is nothing to split.
static bool split(stage_loop *l) {
    int stage = 0, calls = 0;
    for (int i = 0; i < l->n; i++) {
        int n = slow_calls(l->lines[i].at, l->lines[i].end);
        if (n > 0 && calls > 0) stage++, calls = 0;
        calls += n;
        l->lines[i].stage = stage;
    }
    for (int i = 0; i < l->n; i++) {
        void *arg[2] = {l, &l->lines[i].stage};
        ch__cg_each_word(l->lines[i].at, l->lines[i].end, see_stage_word, arg);
    }
    return stage > 0;
}

// Words of a statement, with what lies in arrays of the block at its place there.
static void put_words(ch__text *t, const stage_loop *l, const char *s, const char *end, const char *place) {
    while (s < end) {
        size_t n = 0;
        while (s + n < end && (s[n] == '_' || (s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
                               (s[n] >= '0' && s[n] <= '9')))
            n++;
        if (n == 0) {
            ch__putc(t, *s++);
            continue;
        }
        ch__putn(t, s, n);
        for (int i = 0; i < l->n; i++)
            if (l->lines[i].crosses && strlen(l->lines[i].name) == n && memcmp(l->lines[i].name, s, n) == 0)
                ch__put(t, place);
        s += n;
    }
}

// head: "for (int64_t i = FROM; i < TO; i++) {" at the given indent.
static bool put_stages(ch__text *t, stage_loop *l, const char *indent, const char *head) {
    cg *g = l->g;
    const char *i = head + 13, *from = strstr(i, " = "), *first = strchr(i, ';');
    if (strncmp(head, "for (int64_t ", 13) != 0 || !from || !first || from > first) return false;
    const char *less = strstr(first, " < "), *last = strchr(first + 1, ';');
    if (!less || !last || less > last) return false;
    const char *name = ch__arena_strndup(g->a, i, (size_t)(from - i)), *block = ch__cg_scoped(g, "block");
    const char *begin = ch__arena_strndup(g->a, from + 3, (size_t)(first - from) - 3);
    const char *limit = ch__arena_strndup(g->a, less + 3, (size_t)(last - less) - 3);
    const char *end = ch__cg_scoped(g, "end");
    const char *place = ch__arena_printf(g->a, "[%s - %s]", name, block);
    ch__putf(t, "%sfor (int64_t %s = %s; %s < %s; %s += %d) {\n", indent, block, begin, block, limit, block, BLOCK);
    ch__putf(t, "%s    const int64_t %s = %s - %s < %d ? %s : %s + %d;\n", indent, end, limit, block, BLOCK, limit,
             block, BLOCK);
    for (int k = 0; k < l->n; k++)
        if (l->lines[k].crosses) ch__putf(t, "%s    %s %s[%d];\n", indent, l->lines[k].type, l->lines[k].name, BLOCK);
    for (int k = 0; k < l->n; k++) {
        const stage_line *x = &l->lines[k];
        if (k == 0 || x->stage != l->lines[k - 1].stage)
            ch__putf(t, "%s    for (int64_t %s = %s; %s < %s; %s++) {\n", indent, name, block, name, end, name);
        ch__putf(t, "%s        ", indent);
        if (x->name && x->crosses) {
            ch__putf(t, "%s%s = ", x->name, place);
            put_words(t, l, x->of, x->of + strlen(x->of), place);
            ch__put(t, ";\n");
        } else {
            put_words(t, l, x->at, x->end, place);
            ch__putc(t, '\n');
        }
        if (k == l->n - 1 || x->stage != l->lines[k + 1].stage) ch__putf(t, "%s    }\n", indent);
    }
    ch__putf(t, "%s}\n", indent);
    return true;
}

const char *ch__cg_stages(cg *g, const char *text) {
    if (slow_calls(text, text + strlen(text)) < 2) return text;
    ch__text t;
    ch__text_init(&t, g->a);
    ch__put(&t, "");
    stage_line lines[MOST_LINES];
    bool ordered = false; // a pragma stands right before
    for (const char *s = text, *next; *s; s = next) {
        const char *stop = strchr(s, '\n'), *word = s + strspn(s, " ");
        next = stop ? stop + 1 : s + strlen(s);
        bool loop = stop && !ordered && strncmp(word, "for (int64_t ", 13) == 0 && stop[-1] == '{';
        ordered = word[0] == '#';
        if (loop) {
            stage_loop l = {.g = g, .lines = lines};
            const char *at = next;
            bool plain = false;
            while (*at && l.n < MOST_LINES) {
                const char *e = strchr(at, '\n'), *w = at + strspn(at, " ");
                if (!e) break;
                plain = w[0] == '}' && w - at == word - s;
                if (plain || !read_line(g, w, e, &lines[l.n])) break;
                l.n++;
                at = e + 1;
            }
            const char *indent = ch__arena_strndup(g->a, s, (size_t)(word - s));
            if (plain && split(&l) && put_stages(&t, &l, indent, word)) {
                next = strchr(at, '\n') + 1;
                continue;
            }
        }
        ch__putn(&t, s, (size_t)(next - s));
    }
    return t.data;
}

// Calls of functions that take a vector a dozen and a half of instructions, so that six turns at once are not too many.
static int short_calls(const char *s, const char *end) {
    static const char *const names[] = {"fast_exp(", "fast_exp_below(", "fast_exp_small(", "fast_tanh("};
    int n = 0;
    for (; s < end; s++)
        for (size_t i = 0; *s == 'f' && i < sizeof names / sizeof names[0]; i++)
            n += strncmp(s, names[i], strlen(names[i])) == 0;
    return n;
}

// The loop whose head stands at s, of plain lines alone: is one such function in it, and no other slow one?
static bool gains_by_turns(const char *s, const char *word) {
    const char *end = strchr(s, '\n');
    if (!end || strncmp(word, "for (int64_t ", 13) != 0) return false;
    if (end[-1] != '{') return short_calls(s, end) == 1 && slow_calls(s, end) == 1;
    for (const char *at = end + 1; *at; at = end + 1) {
        const char *w = at + strspn(at, " ");
        if (!(end = strchr(at, '\n'))) return false;
        if (w[0] == '}') return w - at == word - s && short_calls(s, at) == 1 && slow_calls(s, at) == 1;
        if (w[0] == '#' || w[0] == '{' || strncmp(w, "for ", 4) == 0 || strncmp(w, "if ", 3) == 0) return false;
    }
    return false;
}

const char *ch__cg_turns(cg *g, const char *text) {
    if (!ch__cg_has_slow(text)) return text;
    ch__text t;
    ch__text_init(&t, g->a);
    bool ordered = false; // a pragma stands right before
    for (const char *s = text, *next; *s; s = next) {
        const char *stop = strchr(s, '\n'), *word = s + strspn(s, " ");
        next = stop ? stop + 1 : s + strlen(s);
        if (!ordered && gains_by_turns(s, word)) ch__putf(&t, "%.*sCHAAC_TURNS\n", (int)(word - s), s);
        ordered = word[0] == '#';
        ch__putn(&t, s, (size_t)(next - s));
    }
    return t.data;
}

bool ch__cg_turns_are_told(const char *text) {
    int n = 0;
    for (const char *s = text; (s = strstr(s, "CHAAC_TURNS\n")) != NULL; s++) n++;
    return n > 0 && n == slow_calls(text, text + strlen(text));
}
