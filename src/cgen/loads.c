// SPDX-License-Identifier: Apache-2.0
// loads.c - what a loop over elements reads behind a question is read before it.
//
// In C, `c ? 0 : x[i]` reads x[i] only where c is not so. A compiler that makes vectors of it has to keep to that, with
// reads under a mask, which take some processors ten times as long; gradients are full of such questions (0 times
// anything is 0). Where the place of an element is one of the loop's own, it can be read in any case: as a number with
// a name, at the beginning of each turn. The gradient of gelu went from 7.0 to 2.6 ns an element.
// Works on the printed text of an innermost loop (rows.c).
#include "cgen/native.h"

typedef struct {
    const ch__type *whole; // what the loops are over
    const ch__dim *at;
    ch__strmap seen;
    ch__text *lines; // declarations
    const char *body;
} load_look;

// Is each place of the leaf one of the loops'?
static bool always_there(const load_look *l, const ch__value *leaf, const int *map, ch__dim *to) {
    const ch__type *t = leaf->type;
    for (int i = 0; i < t->rank; i++) {
        bool one = ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1;
        to[i] = ch__dim_const(0);
        if (one) continue;
        if (map[i] < 0 || map[i] >= l->whole->rank || !ch__dim_equal(t->dims[i], l->whole->dims[map[i]])) return false;
        to[i] = l->at[map[i]];
    }
    return t->rank > 0;
}

static const char *end_of_load_line(const char *s) {
    const char *end = strchr(s, '\n');
    return end ? end : s + strlen(s);
}

static const char *next_load(const char *s, const char *begin, const char *place) {
    for (; (s = strstr(s, place)) != NULL; s++)
        if (s == begin || (!ch__cg_in_word(s[-1]) && s[-1] != '.' && s[-1] != '>')) return s;
    return NULL;
}

static const char *load_line(const char *text, const char *s) {
    while (s > text && s[-1] != '\n') s--;
    return s;
}

static bool is_assigned(const char *text, const char *s) {
    const char *from = load_line(text, s);
    return strspn(from, " ") == (size_t)(s - from);
}

// Does some line with a question read it? Up to *stop: to the end of the line that writes it, if one does.
static bool is_asked(const char *text, const char *place, const char **stop) {
    size_t n = strlen(place);
    bool asked = false;
    *stop = text + strlen(text);
    for (const char *s = text; (s = next_load(s, text, place)) != NULL && s < *stop; s += n) {
        const char *end = end_of_load_line(s);
        if (is_assigned(text, s)) {
            if (strncmp(s + n, " = ", 3) != 0) return false;
            *stop = end;
            continue;
        }
        for (const char *q = load_line(text, s); q + 2 < end; q++) asked = asked || strncmp(q, " ? ", 3) == 0;
    }
    return asked;
}

static const char *with_name(cg *g, const char *text, const char *place, const char *name, const char *stop) {
    ch__text t;
    ch__text_init(&t, g->a);
    const char *from = text;
    size_t n = strlen(place);
    for (const char *s = text; (s = next_load(s, text, place)) != NULL && s < stop; s += n) {
        if (is_assigned(text, s)) continue;
        ch__putn(&t, from, (size_t)(s - from));
        ch__put(&t, name);
        from = s + n;
    }
    ch__put(&t, from);
    return t.data;
}

static void see_load(cg *g, void *arg, const ch__value *leaf, const int *map) {
    load_look *l = arg;
    const val *x = val_of(g, leaf);
    ch__dim to[CH__MAX_RANK];
    if (!x->st || x->elem.s || x->st->kind == ST_SCALAR || !always_there(l, leaf, map, to)) return;
    ix at = {.at = to};
    const char *place = ch__cg_stored(g, x->st, leaf->type, &at).s;
    if (ch__strmap_get(&l->seen, place)) return;
    ch__strmap_put(&l->seen, place, l);
    const char *stop;
    if (!is_asked(l->body, place, &stop)) return;
    const char *name = ch__cg_scoped(g, "x");
    ch__putf(l->lines, "%*sconst %s %s = %s;\n", 4 * g->indent, "", ch__cg_ctype(leaf->type->dtype), name, place);
    l->body = with_name(g, l->body, place, name, stop);
}

void ch__cg_loads(cg *g, const ch__type *whole, const ch__dim *at, int64_t from, int64_t n, const ch__op *const *ops) {
    load_look l = {.whole = whole, .at = at};
    ch__text lines;
    ch__text_init(&lines, g->a);
    l.lines = &lines;
    l.body = ch__arena_strndup(g->a, g->out->data + from, (size_t)(g->out->n - from));
    if (strstr(l.body, " ? ") == NULL) return;
    ch__strmap_init(&l.seen, g->a);
    for (int64_t i = 0; i < n; i++) ch__cg_row_leaves(g, ops[i], see_load, &l);
    if (lines.n == 0) return;
    g->out->n = from;
    g->out->data[from] = 0;
    ch__putn(g->out, lines.data, (size_t)lines.n);
    ch__put(g->out, l.body);
}
