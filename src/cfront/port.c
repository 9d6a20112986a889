// SPDX-License-Identifier: Apache-2.0
// port.c - where what crosses the border lies in C: the text of a member, of an array's first element, of an element.
//
// A port is one scalar or array of the IR; in C it is a number, what a pointer points to, or a member of a struct or of
// the structs in an array. Its count is C text too: the extents that the declaration, or CH_SHAPE, says.
#include <stdlib.h>
#include <string.h>

#include "cfront/write.h"

// ---------------------------------------------------------------- where a leaf lies in C

static cf_type *scalar_of(cf_type *t) {
    while (t->kind == CF_ARRAY) t = t->of;
    return t;
}

void cf_split_path(ch__arena *a, const cf_port *p, cf_path_steps *out) {
    cf_type *t = scalar_of(p->whole);
    for (const char *at = p->path; *at == '.';) {
        size_t n = strcspn(at + 1, ".");
        const char *name = ch__arena_strndup(a, at + 1, n);
        const cf_record *r = t->record;
        for (int64_t i = 0; i < r->fields.n; i++)
            if (!strcmp(r->fields.data[i].name, name)) {
                cf_path_step s = {ch__arena_printf(a, ".%s", name), r->fields.data[i].type};
                CH_PUSH(a, out, s);
                t = scalar_of(r->fields.data[i].type);
                break;
            }
        at += n + 1;
    }
}

const char *cf_extent_text(ch__arena *a, const cf_wanted *w, const cf_type *t) {
    if (t->count >= 0) return ch__arena_printf(a, "%" PRId64, t->count);
    return t->extent ? cf_expr_text(a, t->extent, w->names, true) : NULL;
}

// Elements of the object: the declaration's outermost extent. NULL: not known.
const char *cf_object_count(ch__arena *a, const cf_wanted *w, const cf_port *p) {
    const cf_decl *d = cf_port_decl(w, p);
    const cf_type *t = d->declared ? d->declared : d->type;
    if (!p->by_pointer) return "1";
    if (t->kind == CF_ARRAY && (t->count >= 0 || t->extent)) return cf_extent_text(a, w, t);
    if (t->kind == CF_POINTER && t->of->kind == CF_STRUCT && !d->many) return "1";
    const char *shape = cf_shape_of(w->f, d->name);
    if (shape) return shape;
    if (d->sized) return cf_extent_text(a, w, d->sized);
    return p->single && !d->many ? "1" : NULL;
}

bool cf_is_number(const char *s) { return *s && strspn(s, "0123456789") == strlen(s) && strlen(s) < 9; }

const char *cf_times_text(ch__arena *a, const char *x, const char *y) {
    if (!x || !y) return NULL;
    if (!strcmp(x, "1")) return y;
    if (!strcmp(y, "1")) return x;
    if (cf_is_number(x) && cf_is_number(y))
        return ch__arena_printf(a, "%lld", strtoll(x, NULL, 10) * strtoll(y, NULL, 10));
    return ch__arena_printf(a, "%s%s * %s", strstr(x, "(int64_t)") ? "" : "(int64_t)", x, y);
}

const char *cf_port_count(ch__arena *a, const cf_wanted *w, const cf_port *p) {
    const char *n = p->param == -1 ? "1" : cf_object_count(a, w, p);
    cf_path_steps steps = {0};
    cf_split_path(a, p, &steps);
    for (cf_type *t = p->whole; t->kind == CF_ARRAY; t = t->of) n = cf_times_text(a, n, cf_extent_text(a, w, t));
    for (int64_t i = 0; i < steps.n; i++)
        for (cf_type *t = steps.data[i].dims; t->kind == CF_ARRAY; t = t->of)
            n = cf_times_text(a, n, cf_extent_text(a, w, t));
    return n;
}

int cf_levels(const cf_type *t) {
    int n = 0;
    for (; t->kind == CF_ARRAY; t = t->of) n++;
    return n;
}

// An array that is not one piece of memory.
bool cf_is_strided(ch__arena *a, const cf_wanted *w, const cf_port *p) {
    cf_path_steps steps = {0};
    cf_split_path(a, p, &steps);
    if (!p->is_array || steps.n == 0) return false;
    const char *n = p->param == -1 ? "1" : cf_object_count(a, w, p);
    if (!n || strcmp(n, "1") != 0 || cf_levels(p->whole) > 0) return true;
    for (int64_t i = 0; i + 1 < steps.n; i++)
        if (cf_levels(steps.data[i].dims) > 0) return true;
    return false;
}

const char *cf_port_member(ch__arena *a, const cf_port *p, const char *base, bool pointer) {
    if (!*p->path) return pointer ? ch__arena_printf(a, "%s[0]", base) : base;
    return ch__arena_printf(a, "%s%s%s", base, pointer ? "->" : ".", p->path + 1);
}

const char *cf_zeros(ch__arena *a, int n) {
    const char *s = "";
    for (int i = 0; i < n; i++) s = ch__arena_printf(a, "%s[0]", s);
    return s;
}

// The address of the first element of an array that is one piece.
const char *cf_port_address(ch__arena *a, const cf_port *p, const char *base, bool pointer) {
    cf_path_steps steps = {0};
    cf_split_path(a, p, &steps);
    if (steps.n == 0) {
        int n = cf_levels(p->whole);
        return n == 0 ? base : ch__arena_printf(a, "&%s%s", base, cf_zeros(a, n + 1));
    }
    int n = cf_levels(steps.data[steps.n - 1].dims);
    const char *m = cf_port_member(a, p, base, pointer);
    return n <= 1 ? m : ch__arena_printf(a, "&%s%s", m, cf_zeros(a, n));
}

// Element k of a strided array.
const char *cf_port_element(ch__arena *a, const cf_wanted *w, const cf_port *p, const char *base, bool pointer,
                            const char *k) {
    cf_path_steps steps = {0};
    CH_VEC(const char *) dims = {0};
    cf_split_path(a, p, &steps);
    const char *n = p->param == -1 ? "1" : cf_object_count(a, w, p);
    bool many = pointer && n && strcmp(n, "1") != 0;
    if (many) CH_PUSH(a, &dims, n);
    for (cf_type *t = p->whole; t->kind == CF_ARRAY; t = t->of) CH_PUSH(a, &dims, cf_extent_text(a, w, t));
    int64_t outer = dims.n;
    for (int64_t i = 0; i < steps.n; i++)
        for (cf_type *t = steps.data[i].dims; t->kind == CF_ARRAY; t = t->of)
            CH_PUSH(a, &dims, cf_extent_text(a, w, t));
    const char **index = CH_NEW_ARRAY(a, const char *, dims.n + 1), *inner = NULL;
    for (int64_t i = dims.n - 1; i >= 0; i--) {
        const char *q = inner ? ch__arena_printf(a, "%s / (%s)", k, inner) : k;
        index[i] = i == 0 ? q : ch__arena_printf(a, inner ? "(%s) %% %s" : "%s %% %s", q, dims.data[i]);
        inner = inner ? ch__arena_printf(a, "%s * %s", inner, dims.data[i]) : dims.data[i];
    }
    ch__text t;
    ch__text_init(&t, a);
    ch__put(&t, base);
    int64_t at = 0;
    if (pointer && outer == 0) {
        ch__put(&t, "->");
    } else {
        if (pointer && !many) ch__put(&t, "[0]");
        for (; at < outer; at++) ch__putf(&t, "[%s]", index[at]);
        if (steps.n) ch__put(&t, ".");
    }
    for (int64_t i = 0; i < steps.n; i++) {
        ch__put(&t, i == 0 ? steps.data[i].text + 1 : steps.data[i].text);
        for (cf_type *d = steps.data[i].dims; d->kind == CF_ARRAY; d = d->of) ch__putf(&t, "[%s]", index[at++]);
    }
    return t.data;
}

// ---------------------------------------------------------------- what a prototype has for a port
const cf_arg *cf_arg_of(const cf_wanted *w, cf_role role, int param) {
    for (int64_t i = 0; i < w->args.n; i++)
        if (w->args.data[i].role == role && w->args.data[i].param == param) return &w->args.data[i];
    return NULL;
}

bool cf_by_pointer_arg(const cf_arg *arg) { return arg->type->kind == CF_ARRAY || arg->type->kind == CF_POINTER; }

bool cf_accumulates(const cf_wanted *w, const cf_arg *arg) {
    const cf_decl *have = w->d->prototype;
    for (int64_t i = 0; i < w->args.n; i++)
        if (&w->args.data[i] == arg) return have->params.data[i]->accum;
    return false;
}

bool cf_wants_param(const cf_wanted *w, const cf_port *p) {
    if (p->input < 0 || !cf_is_float_port(p)) return false;
    for (int64_t k = 0; k < w->wrt.n; k++)
        if (w->wrt.data[k] == p->param) return true;
    return false;
}

const cf_port *cf_port_of_input(const cf_wanted *w, int input) {
    for (int64_t i = 0; i < w->low->ports.n; i++)
        if (w->low->ports.data[i].input == input) return &w->low->ports.data[i];
    return NULL;
}

const cf_port *cf_port_of_output(const cf_wanted *w, int output) {
    for (int64_t i = 0; i < w->low->ports.n; i++)
        if (w->low->ports.data[i].output == output) return &w->low->ports.data[i];
    return NULL;
}
