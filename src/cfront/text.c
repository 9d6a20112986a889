// SPDX-License-Identifier: Apache-2.0
// text.c - types, declarations and integer expressions as C text.
#include "cfront/write.h"

#include <string.h>

// ---------------------------------------------------------------- expressions of extents
static const char *op_text(cf_op op) {
    static const char *const ops[] = {
        [CF_ADD] = " + ",  [CF_SUB] = " - ", [CF_MUL] = " * ", [CF_DIV] = " / ", [CF_REM] = " % ", [CF_SHL] = " << ",
        [CF_SHR] = " >> ", [CF_AND] = " & ", [CF_OR] = " | ",  [CF_XOR] = " ^ ", [CF_LT] = " < ",  [CF_LE] = " <= ",
        [CF_GT] = " > ",   [CF_GE] = " >= ", [CF_EQ] = " == ", [CF_NE] = " != "};
    return (size_t)op < sizeof ops / sizeof *ops ? ops[op] : NULL;
}

static int op_level(cf_op op) {
    return op == CF_MUL || op == CF_DIV || op == CF_REM ? 3 : op == CF_ADD || op == CF_SUB ? 2 : 1;
}

// Parameters under their names in names (by index); false: not such an expression.
static bool put_expr(ch__text *t, const cf_node *n, const char *const *names, int level) {
    switch (n->kind) {
    case CF_NUMBER:
        if (n->type->kind == CF_FLOAT) return false;
        ch__put_i64(t, n->i);
        return true;
    case CF_NAME:
        if (n->decl->kind != CF_PARAM) return false;
        ch__put(t, names && names[n->decl->index] ? names[n->decl->index] : n->decl->name);
        return true;
    case CF_CAST: return put_expr(t, n->kids[0], names, level);
    case CF_MEMBER:
    case CF_ARROW:
        if (!put_expr(t, n->kids[0], names, 9)) return false;
        ch__putf(t, "%s%s", n->kind == CF_ARROW ? "->" : ".",
                 (n->kind == CF_ARROW ? n->kids[0]->type->of : n->kids[0]->type)->record->fields.data[n->i].name);
        return true;
    case CF_BINARY: {
        if (!op_text(n->op)) return false;
        int mine = op_level(n->op);
        bool parens = mine < level;
        if (parens) ch__putc(t, '(');
        if (!put_expr(t, n->kids[0], names, mine)) return false;
        ch__put(t, op_text(n->op));
        if (!put_expr(t, n->kids[1], names, mine + 1)) return false;
        if (parens) ch__putc(t, ')');
        return true;
    }
    default: return false;
    }
}

const char *cf_expr_text(ch__arena *a, const cf_node *n, const char *const *names, bool inside) {
    ch__text t;
    ch__text_init(&t, a);
    return put_expr(&t, n, names, inside ? 3 : 0) ? t.data : NULL;
}

// ---------------------------------------------------------------- types
// The declaration of `name` with type t: "const double *x", "double A[n][3]".
const char *cf_declare_text(ch__arena *a, const cf_type *t, const char *name, const char *const *names) {
    const char *q = t->is_const ? "const " : "";
    switch (t->kind) {
    case CF_POINTER: {
        bool wrap = t->of->kind == CF_ARRAY || t->of->kind == CF_FUNCTION;
        const char *r = t->is_restrict ? "restrict " : "";
        const char *s = ch__arena_printf(a, "%s*%s%s%s%s", wrap ? "(" : "", q, r, name, wrap ? ")" : "");
        return cf_declare_text(a, t->of, s, names);
    }
    case CF_ARRAY: {
        const char *n = t->count >= 0 ? ch__arena_printf(a, "%" PRId64, t->count)
                        : t->extent   ? cf_expr_text(a, t->extent, names, false)
                                      : "";
        const char *words = t->is_restrict && t->is_static ? "restrict static " : t->is_restrict ? "restrict " : "";
        if (!t->is_restrict && t->is_static) words = "static ";
        if (!n || !*n) words = t->is_restrict ? "restrict" : "";
        return cf_declare_text(a, t->of, ch__arena_printf(a, "%s[%s%s]", name, words, n ? n : ""), names);
    }
    case CF_FUNCTION: { // double (int, void *)
        const char *open = strchr(t->text, '(');
        size_t n = open ? (size_t)(open - t->text) : 0;
        while (n > 0 && t->text[n - 1] == ' ') n--;
        if (open) return ch__arena_printf(a, "%.*s %s%s", (int)n, t->text, name, open);
        break;
    }
    default: break;
    }
    const char *base = t->text;
    if (t->is_const && strncmp(base, "const ", 6) == 0) base += 6;
    return ch__arena_printf(a, "%s%s%s%s", q, base, *name == 0 ? "" : " ", name);
}

// ---------------------------------------------------------------- definitions of structs
static void need_record(ch__text *t, ch__map *done, cf_type *type) {
    for (; type->kind == CF_POINTER || type->kind == CF_ARRAY; type = type->of) {
        if (type->kind == CF_POINTER && type->of->kind == CF_STRUCT &&
            !ch__map_get(done, (uint64_t)(uintptr_t)type->of->record) && type->of->record->tag &&
            !type->of->record->complete)
            return;
    }
    if (type->kind == CF_STRUCT) cf_put_record(t, done, type->record);
}

static bool is_unnamed(const cf_record *r) { return !r->name || strchr(r->name, '('); }

static void put_fields(ch__text *t, const cf_record *r, int depth) {
    for (int64_t i = 0; i < r->fields.n; i++) {
        const cf_field *f = &r->fields.data[i];
        cf_type *type = f->type;
        while (type->kind == CF_ARRAY || type->kind == CF_POINTER) type = type->of;
        const char *text = cf_declare_text(t->arena, f->type, f->name, NULL);
        if (type->kind == CF_STRUCT && is_unnamed(type->record)) { // struct {...} in[3]; never const, no cast names it
            ch__putf(t, "%*s%s {\n", 4 * depth, "", type->record->is_union ? "union" : "struct");
            put_fields(t, type->record, depth + 1);
            ch__putf(t, "%*s}", 4 * depth, "");
            text += strlen(cf_declare_text(t->arena, type, "", NULL));
            ch__putf(t, "%s;\n", text);
            continue;
        }
        ch__putf(t, "%*s%s", 4 * depth, "", text);
        if (f->type->width) ch__putf(t, " : %d", f->type->width);
        ch__put(t, ";\n");
    }
}

void cf_put_record(ch__text *t, ch__map *done, cf_record *r) {
    if (ch__map_get(done, (uint64_t)(uintptr_t)r)) return;
    ch__map_put(done, (uint64_t)(uintptr_t)r, r);
    for (int64_t i = 0; i < r->fields.n; i++) need_record(t, done, r->fields.data[i].type);
    if (is_unnamed(r)) return; // it stands where it is used
    if (!r->complete) {
        ch__putf(t, "%s;\n", r->name);
        return;
    }
    ch__putf(t, "%s%s {\n", r->plain ? "typedef struct" : "", r->plain ? "" : r->name);
    put_fields(t, r, 1);
    if (r->plain)
        ch__putf(t, "} %s;\n\n", r->name);
    else
        ch__put(t, "};\n\n");
}
