// SPDX-License-Identifier: Apache-2.0
// wrt.c - names of params to differentiate with respect to: "w1, b1" to indices, or all that are floating.
#include "diff/diff.h"

#include <string.h>

static const char *wrt_names(ch__arena *a, const ch_func *f) {
    ch__text t;
    ch__text_init(&t, a);
    for (int i = 0; i < f->body->n_params; i++) {
        if (i > 0) ch__put(&t, ", ");
        ch__put(&t, f->body->params[i]->name != NULL ? f->body->params[i]->name : "(unnamed)");
    }
    return f->body->n_params > 0 ? t.data : "none";
}

static int wrt_find(ch__arena *a, const ch_func *f, const char *name) {
    for (int i = 0; i < f->body->n_params; i++)
        if (ch__streq(f->body->params[i]->name, name)) return i;
    const char **names = CH_NEW_ARRAY(a, const char *, f->body->n_params + 1);
    int n = 0;
    for (int i = 0; i < f->body->n_params; i++)
        if (f->body->params[i]->name != NULL) names[n++] = f->body->params[i]->name;
    const char *near = ch__nearest(name, names, n);
    if (near != NULL)
        ch__raise(CH__E_no_param, "gradient of @%s: no param '%s' — did you mean '%s'? it has %s", f->name, name, near,
                  wrt_names(a, f));
    ch__raise(CH__E_no_param, "gradient of @%s: no param '%s' — it has %s", f->name, name, wrt_names(a, f));
}

static void wrt_check(ch__arena *a, const ch_func *f, int i) {
    const ch__value *p = f->body->params[i];
    if (ch__is_float(p->type->dtype)) return;
    ch__raise(CH__E_gradient_integer,
              "gradient of @%s: param '%s' is %s — only f16, bf16, f32 and f64 params have a gradient", f->name,
              p->name != NULL ? p->name : "(unnamed)", ch__type_text(a, p->type));
}

static int wrt_all(ch__arena *a, const ch_func *f, int *indices) {
    int n = 0;
    for (int i = 0; i < f->body->n_params; i++)
        if (ch__is_float(f->body->params[i]->type->dtype)) indices[n++] = i;
    if (n > 0) return n;
    ch__raise(CH__E_gradient_integer, "gradient of @%s: no param is f16, bf16, f32 or f64 — it has %s", f->name,
              wrt_names(a, f));
}

static bool wrt_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int ch__parse_wrt(ch__arena *a, const ch_func *f, const char *wrt, int **out) {
    int np = f->body->n_params, n = 0, *indices = CH_NEW_ARRAY(a, int, np + 1);
    uint8_t *taken = CH_NEW_ARRAY(a, uint8_t, np + 1);
    *out = indices;
    if (wrt == NULL) return wrt_all(a, f, indices);
    for (const char *p = wrt;; p++) {
        while (wrt_blank(*p)) p++;
        const char *start = p, *end;
        while (*p != '\0' && *p != ',') p++;
        for (end = p; end > start && wrt_blank(end[-1]);) end--;
        if (end == start)
            ch__raise(CH__E_argument,
                      "gradient of @%s: \"%s\" — names of params with commas between, NULL for every floating one",
                      f->name, wrt);
        const char *name = ch__arena_strndup(a, start, (size_t)(end - start));
        int i = wrt_find(a, f, name);
        wrt_check(a, f, i);
        if (taken[i])
            ch__raise(CH__E_duplicate_name, "gradient of @%s: param '%s' is asked for twice — name each once", f->name,
                      name);
        taken[i] = 1;
        indices[n++] = i;
        if (*p == '\0') return n;
    }
}
