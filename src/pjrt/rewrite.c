// SPDX-License-Identifier: Apache-2.0
// rewrite.c - products of f32 that name the f32 algorithm, for devices whose compilers do not take algorithms.
//
// On TPU and Metal the same is asked for by precision HIGHEST. An operation is one line of the text in both forms; in a
// line of dot_general the algorithm goes, and what it says of precision becomes HIGHEST. Other algorithms stay, and the
// plugin says what it thinks of them.
#include "pjrt/pjrt.h"

#include <string.h>

// `s` in the n bytes at p, or NULL.
static const char *rewrite_find(const char *p, size_t n, const char *s) {
    size_t len = strlen(s);
    for (; n >= len && p != NULL; n--, p++)
        if (*p == *s && memcmp(p, s, len) == 0) return p;
    return NULL;
}

typedef struct rewrite_out {
    char *data;
    size_t n;
} rewrite_out;

static void rewrite_put(rewrite_out *o, const char *s, size_t n) {
    memcpy(o->data + o->n, s, n);
    o->n += n;
}

static void rewrite_highest(rewrite_out *o, const char *s, size_t n) {
    const char *at;
    while ((at = rewrite_find(s, n, "DEFAULT")) != NULL) {
        rewrite_put(o, s, (size_t)(at - s));
        rewrite_put(o, "HIGHEST", 7);
        n -= (size_t)(at + 7 - s);
        s = at + 7;
    }
    rewrite_put(o, s, n);
}

// The algorithm of a line: from its name to its closing bracket. false: none, or another than f32's.
static bool rewrite_algorithm(const char *line, size_t n, const char **from, const char **to) {
    static const char *const parts[] = {"lhs_precision_type = f32", "rhs_precision_type = f32",
                                        "accumulation_type = f32", "num_primitive_operations = 1"};
    if (rewrite_find(line, n, "dot_general") == NULL) return false;
    const char *at = rewrite_find(line, n, "algorithm = ");
    const char *open = at == NULL ? NULL : memchr(at, '<', (size_t)(line + n - at));
    const char *close = open == NULL ? NULL : memchr(open, '>', (size_t)(line + n - open));
    if (close == NULL) return false;
    for (int i = 0; i < 4; i++)
        if (rewrite_find(open, (size_t)(close - open), parts[i]) == NULL) return false;
    *from = at;
    *to = close + 1;
    return true;
}

static void rewrite_line(rewrite_out *o, const char *line, size_t n) {
    static const char pretty[] = "precision = [HIGHEST, HIGHEST]";
    static const char generic[] = "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]";
    const char *from, *to, *end = line + n;
    if (!rewrite_algorithm(line, n, &from, &to)) {
        rewrite_put(o, line, n);
        return;
    }
    bool said = rewrite_find(line, n, "precision = [") != NULL || rewrite_find(line, n, "precision_config = ") != NULL;
    bool is_generic = from[strlen("algorithm = ")] == '#';
    const char *before = from; // the comma goes with it
    if (said) {
        while (before > line && (before[-1] == ' ' || before[-1] == '\t')) before--;
        if (before > line && before[-1] == ',')
            before--;
        else if (to < end && *to == ',')
            to += to + 1 < end && to[1] == ' ' ? 2 : 1;
    }
    rewrite_highest(o, line, (size_t)(before - line));
    if (!said) rewrite_put(o, is_generic ? generic : pretty, strlen(is_generic ? generic : pretty));
    rewrite_highest(o, to, (size_t)(end - to));
}

ch_status ch__pjrt_rewrite(const char *text, size_t n, char **out_text, size_t *out_n) {
    size_t count = 0;
    *out_text = NULL;
    for (const char *p = text; (p = rewrite_find(p, (size_t)(text + n - p), "algorithm = ")) != NULL; p++) count++;
    if (count == 0) return CH_OK;
    rewrite_out o = {ch__alloc(n + 100 * count + 1), 0};
    if (o.data == NULL) return ch__fail_oom("a program");
    for (const char *line = text, *end = text + n; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop == NULL ? end : stop + 1;
        rewrite_line(&o, line, (size_t)(stop - line));
        line = stop;
    }
    o.data[o.n] = '\0';
    *out_text = o.data;
    *out_n = o.n;
    return CH_OK;
}
