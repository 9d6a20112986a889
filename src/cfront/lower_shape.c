// SPDX-License-Identifier: Apache-2.0
// lower_shape.c - what CH_SHAPE says of an array of pointers: double **a with CH_SHAPE(a, n, m) has rows of m numbers.
//
// The text of m is read as an expression of integers: parameters, members of what they point to, for a member's
// CH_SHAPE its siblings, numbers, + - * / and parentheses.
#include "cfront/lower.h"

#include <stdlib.h>

typedef struct {
    ch__arena *a;
    const char *at;
    const cf_decl *f;
    cf_node *base; // the struct whose members names are; NULL: none
    bool failed;
} reader;

static cf_type *i64_type(ch__arena *a) {
    cf_type *t = CH_NEW(a, cf_type);
    *t = (cf_type){.kind = CF_INT, .bits = 64, .is_signed = true, .text = "long"};
    return t;
}

static cf_node *node(reader *r, cf_kind kind, cf_type *type, int n, cf_node *x, cf_node *y) {
    cf_node *out = CH_NEW(r->a, cf_node);
    *out = (cf_node){.kind = kind, .type = type, .n = n};
    out->kids = CH_NEW_ARRAY(r->a, cf_node *, 2);
    out->kids[0] = x;
    out->kids[1] = y;
    return out;
}

static bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *word(reader *r) {
    size_t n = 0;
    while (*r->at == ' ') r->at++;
    while (is_word(r->at[n])) n++;
    const char *s = ch__arena_strndup(r->a, r->at, n);
    r->at += n;
    while (*r->at == ' ') r->at++;
    return s;
}

static cf_node *member(reader *r, cf_node *of, const char *name) {
    cf_type *t = of->type->kind == CF_POINTER ? of->type->of : of->type;
    for (int64_t i = 0; t->kind == CF_STRUCT && i < t->record->fields.n; i++) {
        if (strcmp(t->record->fields.data[i].name, name) != 0) continue;
        cf_node *out =
            node(r, of->type->kind == CF_POINTER ? CF_ARROW : CF_MEMBER, t->record->fields.data[i].type, 1, of, NULL);
        out->i = i;
        return out;
    }
    return NULL;
}

static cf_node *sum(reader *r);

static cf_node *primary(reader *r) {
    while (*r->at == ' ') r->at++;
    if (*r->at == '(') {
        r->at++;
        cf_node *x = sum(r);
        if (*r->at == ')')
            r->at++;
        else
            r->failed = true;
        while (*r->at == ' ') r->at++;
        return x;
    }
    const char *name = word(r);
    cf_node *x = NULL;
    if (*name >= '0' && *name <= '9') {
        x = node(r, CF_NUMBER, i64_type(r->a), 0, NULL, NULL);
        x->i = strtoll(name, NULL, 0);
        return x;
    }
    if (r->base) x = member(r, r->base, name);
    for (int64_t i = 0; !x && r->f && i < r->f->params.n; i++)
        if (!strcmp(r->f->params.data[i]->name, name)) {
            x = node(r, CF_NAME, r->f->params.data[i]->type, 0, NULL, NULL);
            x->decl = r->f->params.data[i];
        }
    while (x && (*r->at == '.' || (*r->at == '-' && r->at[1] == '>'))) {
        r->at += *r->at == '.' ? 1 : 2;
        x = member(r, x, word(r));
    }
    if (!x || x->type->kind != CF_INT) {
        r->failed = true;
        return node(r, CF_NUMBER, i64_type(r->a), 0, NULL, NULL);
    }
    return node(r, CF_CAST, i64_type(r->a), 1, x, NULL);
}

static cf_node *with_op(reader *r, cf_op op, cf_node *x, cf_node *y) {
    cf_node *out = node(r, CF_BINARY, i64_type(r->a), 2, x, y);
    out->op = op;
    return out;
}

static cf_node *product(reader *r) {
    cf_node *x = primary(r);
    while (!r->failed && (*r->at == '*' || *r->at == '/')) {
        cf_op op = *r->at++ == '*' ? CF_MUL : CF_DIV;
        x = with_op(r, op, x, primary(r));
    }
    return x;
}

static cf_node *sum(reader *r) {
    cf_node *x = product(r);
    while (!r->failed && (*r->at == '+' || (*r->at == '-' && r->at[1] != '>'))) {
        cf_op op = *r->at++ == '+' ? CF_ADD : CF_SUB;
        x = with_op(r, op, x, product(r));
    }
    return x;
}

// The list of the member that a path leads to; names are members of the same struct then.
static const char *member_list(reader *r, const cf_decl *d, const char *via) {
    const char *list = NULL;
    cf_node *x = node(r, CF_NAME, d->type, 0, NULL, NULL);
    x->decl = (cf_decl *)(uintptr_t)d;
    for (r->at = via; x && *r->at;) {
        r->at += *r->at == '-' ? 2 : *r->at == '.' ? 1 : 0;
        cf_node *next = member(r, x, word(r));
        r->base = x;
        if (next) list = (x->type->kind == CF_POINTER ? x->type->of : x->type)->record->fields.data[next->i].list;
        x = next;
    }
    return x ? list : NULL;
}

cf_type *cf_rows_type(cf_lower *l, const cf_decl *d, const char *via, cf_type *scalar) {
    const cf_call *top = l->call; // the parameter's function, whoever reads the pointer
    while (top->outer) top = top->outer;
    reader r = {.a = l->program->a, .f = top->f};
    const char *list = NULL, *name = d->name;
    if (*via) name = ch__arena_printf(l->a, "%s%s%s", name, d->type->kind == CF_POINTER ? "->" : ".", via + 1);
    for (int64_t i = 0; i < r.f->shapes.n && !list; i++)
        if (!strcmp(r.f->shapes.data[i].param, name)) list = r.f->shapes.data[i].list;
    if (!list && *via) list = member_list(&r, d, via);
    if (!list || !cf_is_arithmetic(scalar)) return NULL;
    r.at = list;
    cf_node *rows = sum(&r);
    if (r.failed || *r.at++ != ',') return NULL;
    cf_node *columns = sum(&r);
    if (r.failed || *r.at) return NULL;
    cf_type *row = CH_NEW(r.a, cf_type), *all = CH_NEW(r.a, cf_type);
    *row = (cf_type){.kind = CF_ARRAY, .of = scalar, .count = -2, .extent = columns, .text = scalar->text};
    *all = (cf_type){.kind = CF_ARRAY, .of = row, .count = -2, .extent = rows, .text = scalar->text};
    row->is_const = all->is_const = scalar->is_const;
    return all;
}
