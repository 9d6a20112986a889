// SPDX-License-Identifier: Apache-2.0
// quotient.c - a loop over a row that divides by a number of that row multiplies by its reciprocal.
//
// A division takes a vector as long as five multiplications: softmax spends a quarter of its time on it. x (1 / y) is
// within 1.5 ulp of x / y as long as 1 / y is a normal number; a row where it is not (y is 0, infinite, NaN, or near
// either end) goes through the loop as it stands. Works on the printed text of the loop (rows.c).
#include "cgen/native.h"

// The first " / NAME" at s or behind it where NAME stands alone and is the whole divisor; NULL: there is none.
static const char *find_quotient(const char *s, const char *name) {
    size_t n = strlen(name);
    for (; (s = strstr(s, " / ")) != NULL; s += 3)
        if (strncmp(s + 3, name, n) == 0 && !ch__cg_in_word(s[3 + n]) && s[3 + n] != '[' && s[3 + n] != '.') return s;
    return NULL;
}

static const char *with_products(cg *g, const char *text, const char *name, const char *inverse) {
    ch__text t;
    ch__text_init(&t, g->a);
    for (const char *s; (s = find_quotient(text, name)) != NULL; text = s + 3 + strlen(name)) {
        ch__putn(&t, text, (size_t)(s - text));
        ch__putf(&t, " * %s", inverse);
    }
    ch__put(&t, text);
    return t.data;
}

void ch__cg_quotients(cg *g, int64_t from, int64_t n, const char *const *names) {
    const char *text = ch__arena_strndup(g->a, g->out->data + from, (size_t)(g->out->n - from)), *fast = text;
    ch__text when;
    ch__text_init(&when, g->a);
    g->out->n = from;
    g->out->data[from] = 0;
    for (int64_t i = 0; i < n; i++) {
        if (find_quotient(fast, names[i]) == NULL) continue;
        const char *inverse = ch__cg_scoped(g, "inverse");
        ch__cg_line(g, "const float %s = 1.0f / %s;", inverse, names[i]);
        ch__putf(&when, "%s%s(%s)", when.n ? " && " : "", ch__cg_helper(g->file, "is_usual", 0), inverse);
        fast = with_products(g, fast, names[i], inverse);
    }
    if (when.n == 0) {
        ch__put(g->out, text);
        return;
    }
    ch__cg_line(g, "if (%s) {", when.data);
    ch__put(g->out, fast);
    ch__cg_line(g, "} else {");
    ch__cg_line(g, "    chaac_rare();");
    ch__put(g->out, text);
    ch__cg_line(g, "}");
}
