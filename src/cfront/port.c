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

// Of an argument's own declaration, which names the prototype's parameters.
const char *cf_own_extent_text(ch__arena *a, const cf_wanted *w, const cf_type *t) {
    const char **names = CH_NEW_ARRAY(a, const char *, w->args.n + 1);
    for (int64_t i = 0; i < w->args.n; i++) names[i] = w->args.data[i].name;
    if (t->count >= 0) return ch__arena_printf(a, "%" PRId64, t->count);
    return t->extent ? cf_expr_text(a, t->extent, names, true) : NULL;
}

const char *cf_extent_text(ch__arena *a, const cf_wanted *w, const cf_type *t) {
    if (t->count >= 0) return ch__arena_printf(a, "%" PRId64, t->count);
    return t->extent ? cf_expr_text(a, t->extent, w->names, true) : NULL;
}

// ---------------------------------------------------------------- pointers in parameters
bool cf_same_object(const cf_port *x, const cf_port *y) { return x->param == y->param && !strcmp(x->via, y->via); }

static cf_type *field_at(cf_type *t, const char *path, size_t n) { // ".in.a"
    for (const char *at = path, *end = path + n; t && at < end;) {
        size_t len = strcspn(at + 1, ".-");
        const cf_record *r = t->kind == CF_STRUCT ? t->record : NULL;
        t = NULL;
        for (int64_t i = 0; r && i < r->fields.n && !t; i++)
            if (strlen(r->fields.data[i].name) == len && !strncmp(r->fields.data[i].name, at + 1, len))
                t = r->fields.data[i].type;
        at += len + 1;
    }
    return t;
}

static const char *converted(ch__arena *a, const cf_type *to, bool writes, const char *text) {
    if (to->kind == CF_STRUCT && strchr(to->text, '(')) return text; // without a name, as put_fields has it
    cf_type *of = CH_NEW(a, cf_type);
    *of = *to;
    of->is_const = of->kind != CF_ARRAY && !writes;
    cf_type p = {.kind = CF_POINTER, .of = of};
    return ch__arena_printf(a, "((%s)%s)", cf_declare_text(a, &p, "", NULL), text);
}

const char *cf_port_held(ch__arena *a, const cf_wanted *w, const cf_port *p, const char *name, bool pointer,
                         bool writes) {
    if (p->param < 0) return name;
    const cf_decl *d = w->f->params.data[p->param];
    cf_type *of = d->type->kind == CF_POINTER ? d->type->of : d->type;
    const char *text = name, *at = p->via;
    if (of->kind == CF_VOID && cf_find_reached(d, "") && cf_find_reached(d, "")->as) {
        of = cf_find_reached(d, "")->as;
        text = converted(a, of, writes && !*at, text);
    }
    while (*at) {
        const char *arrow = strstr(at, "->");
        size_t n = arrow ? (size_t)(arrow - at) : strlen(at);
        const char *path = *at == '.' ? ch__arena_strndup(a, at, n) : ch__arena_printf(a, ".%.*s", (int)n, at);
        cf_type *t = field_at(of, path, strlen(path));
        text = ch__arena_printf(a, "%s%s%s", text, pointer ? "->" : ".", path + 1);
        of = t && t->kind == CF_POINTER ? t->of : of;
        at += arrow ? n + 2 : n;
        pointer = true;
        bool last = !*at, as = of->kind == CF_VOID;
        const cf_reached *r =
            as ? cf_find_reached(d, ch__arena_strndup(a, p->via, (size_t)(at - p->via) - (last ? 0 : 2))) : NULL;
        if (r && r->as) of = r->as;
        if (last && writes && p->rows && of->kind == CF_POINTER && of->of->is_const) {
            cf_type *scalar = CH_NEW(a, cf_type);
            *scalar = *of->of;
            scalar->is_const = false;
            cf_type row = {.kind = CF_POINTER, .of = scalar};
            text = converted(a, &row, true, text);
        } else if (as || (last && writes && of->is_const))
            text = converted(a, of, writes && last, text);
    }
    return text;
}

const char *cf_port_name(ch__arena *a, const cf_wanted *w, const cf_port *p) {
    const cf_decl *d = cf_port_decl(w, p);
    return *p->via ? ch__arena_printf(a, "%s%s%s", d->name, d->type->kind == CF_POINTER ? "->" : ".", p->via + 1)
                   : d->name;
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// CH_SHAPE before the derivative's own prototype, in whose words it is.
static const char *prototype_shape(ch__arena *a, const cf_wanted *w, const char *param) {
    size_t n = 0;
    while (is_word(param[n])) n++;
    for (int64_t i = 0; w->d->prototype && i < w->f->params.n; i++) {
        const cf_decl *d = w->f->params.data[i];
        if (strlen(d->name) != n || strncmp(d->name, param, n) != 0) continue;
        return cf_shape_of(w->d->prototype, ch__arena_printf(a, "%s%s", w->names[d->index], param + n));
    }
    return NULL;
}

// A function's CH_SHAPE, with the names that the prototype has; a void * is what it is used as.
static const char *shape_text(ch__arena *a, const cf_wanted *w, const char *param) {
    const char *text = cf_shape_of(w->f, param);
    if (!text) return prototype_shape(a, w, param);
    ch__text t;
    ch__text_init(&t, a);
    for (const char *at = text; *at;) {
        size_t n = 0;
        while (is_word(at[n])) n++;
        const cf_decl *d = NULL;
        bool first = !(at > text && (at[-1] == '.' || at[-1] == '>'));
        for (int64_t i = 0; n && first && i < w->f->params.n; i++)
            if (strlen(w->f->params.data[i]->name) == n && !strncmp(w->f->params.data[i]->name, at, n))
                d = w->f->params.data[i];
        cf_port p = {.param = d ? d->index : -1, .via = ""};
        if (d)
            ch__put(&t, cf_port_held(a, w, &p, w->names[d->index], d->type->kind == CF_POINTER, false));
        else
            ch__putn(&t, at, n ? n : 1);
        at += n ? n : 1;
    }
    return t.data;
}

// A member's CH_SHAPE: what is a name of a member of the same struct is that member of this one.
static const char *with_siblings(ch__arena *a, const cf_record *r, const char *text, const char *prefix) {
    ch__text t;
    ch__text_init(&t, a);
    for (const char *at = text; *at;) {
        size_t n = 0;
        while (is_word(at[n])) n++;
        bool member = false;
        for (int64_t i = 0; n && i < r->fields.n; i++)
            member = member || (strlen(r->fields.data[i].name) == n && !strncmp(r->fields.data[i].name, at, n));
        if (member && !(at > text && (at[-1] == '.' || at[-1] == '>'))) ch__put(&t, prefix);
        ch__putn(&t, at, n ? n : 1);
        at += n ? n : 1;
    }
    return t.data;
}

static const char *shape_of_member(ch__arena *a, const cf_wanted *w, const cf_port *p) {
    cf_port outer = *p; // the struct that the pointer stands in
    const cf_decl *d = cf_port_decl(w, p);
    const char *last = NULL;
    for (const char *at = p->via; (at = strstr(at, "->")) != NULL; at += 2) last = at;
    const char *path = last ? ch__arena_printf(a, ".%s", last + 2) : p->via, *dot = strrchr(path, '.');
    outer.via = last ? ch__arena_strndup(a, p->via, (size_t)(last - p->via)) : "";
    bool pointer = *outer.via || d->type->kind == CF_POINTER;
    const char *base = cf_port_held(a, w, &outer, w->names[p->param], d->type->kind == CF_POINTER, false);
    cf_type *t = p->holder;
    if (dot > path) t = field_at(t, path, (size_t)(dot - path));
    for (int64_t i = 0; t && t->kind == CF_STRUCT && i < t->record->fields.n; i++) {
        const cf_field *f = &t->record->fields.data[i];
        if (strcmp(f->name, dot + 1) != 0 || !f->shape) continue;
        return with_siblings(a, t->record, f->shape,
                             ch__arena_printf(a, "%s%s%.*s", base, pointer ? "->" : ".", (int)(dot - path),
                                              dot > path ? ch__arena_printf(a, "%s.", path + 1) : ""));
    }
    return NULL;
}

static const char *count_behind(ch__arena *a, const cf_wanted *w, const cf_port *p) {
    const cf_decl *d = cf_port_decl(w, p);
    const cf_reached *r = cf_find_reached(d, p->via);
    if (p->whole->kind == CF_STRUCT && r && !r->many) return "1";
    const char *shape = shape_text(a, w, cf_port_name(a, w, p));
    if (!shape && *p->via) shape = shape_of_member(a, w, p);
    if (shape) return shape;
    return p->single && !(r && r->many) ? "1" : NULL;
}

// Elements of the object: the declaration's outermost extent. NULL: not known.
const char *cf_object_count(ch__arena *a, const cf_wanted *w, const cf_port *p) {
    const cf_decl *d = cf_port_decl(w, p);
    const cf_type *t = d->declared ? d->declared : d->type;
    if (!p->by_pointer) return "1";
    if (p->rows) return cf_extent_text(a, w, p->rows);
    if (*p->via || (t->kind == CF_POINTER && t->of->kind == CF_VOID)) return count_behind(a, w, p);
    if (t->kind == CF_ARRAY && (t->count >= 0 || t->extent)) return cf_extent_text(a, w, t);
    if (t->kind == CF_POINTER && t->of->kind == CF_STRUCT && !d->many) return "1";
    const char *shape = shape_text(a, w, d->name);
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
    if (p->rows) return true;
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

bool cf_param_by_pointer(const cf_wanted *w, const cf_port *p) {
    return p->param >= 0 && *p->via ? w->f->params.data[p->param]->type->kind == CF_POINTER : p->by_pointer;
}

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
