// SPDX-License-Identifier: Apache-2.0
// read.c - a C file through libclang: functions, directives, the files it includes.
//
// Bodies are read when they are first wanted (cf_body), so that the functions of headers cost nothing. Directives are
// annotate attributes with the text "chaac" (chaac/grad.h); a declaration inherits those of the ones before it, so each
// counts once, by its place.
#include "cfront/read.h"

#include <stdlib.h>

// ---------------------------------------------------------------- cursors
typedef struct {
    cf_reader *r;
    cf_cursors *out;
} collect;

static enum CXChildVisitResult collect_child(CXCursor c, CXCursor parent, CXClientData data) {
    (void)parent;
    collect *k = data;
    CH_PUSH(k->r->a, k->out, c);
    return CXChildVisit_Continue;
}

void cf_children(cf_reader *r, CXCursor c, cf_cursors *out) {
    collect k = {r, out};
    clang.visitChildren(c, collect_child, &k);
}

void *cf_seen_get(ch__map *m, CXCursor c) {
    for (cf_seen *s = ch__map_get(m, clang.hashCursor(c)); s; s = s->next)
        if (clang.equalCursors(s->cursor, c)) return s->made;
    return NULL;
}

void cf_seen_put(cf_reader *r, ch__map *m, CXCursor c, void *made) {
    cf_seen *s = CH_NEW(r->a, cf_seen);
    uint64_t key = clang.hashCursor(c);
    *s = (cf_seen){c, made, ch__map_get(m, key)};
    ch__map_put(m, key, s);
}

const char *cf_spelling(cf_reader *r, CXCursor c) { return cf_clang_string(r->a, clang.getCursorSpelling(c)); }

// ---------------------------------------------------------------- places
static const char *file_name(cf_reader *r, CXFile f) {
    if (!f) return NULL;
    const char *name = ch__map_get(&r->files, (uint64_t)(uintptr_t)f);
    if (!name) {
        name = cf_clang_string(r->a, clang.getFileName(f));
        ch__map_put(&r->files, (uint64_t)(uintptr_t)f, (void *)(uintptr_t)name);
    }
    return name;
}

static uint64_t place_key(CXFile f, unsigned offset) {
    return ch__hash_u64((uint64_t)(uintptr_t)f) ^ ((uint64_t)offset * 2654435761u + 1);
}

static cf_loc loc_of(cf_reader *r, CXSourceLocation l) {
    CXFile f = NULL;
    unsigned line = 0, col = 0, offset = 0;
    clang.getExpansionLocation(l, &f, &line, &col, &offset);
    return (cf_loc){file_name(r, f), (int)line, (int)col, ch__map_get(&r->macros, place_key(f, offset))};
}

// The operator's own place is more telling than the start of its left operand, but libclang does not give it.
cf_loc cf_loc_of(cf_reader *r, CXCursor c) { return loc_of(r, clang.getCursorLocation(c)); }

// ---------------------------------------------------------------- declarations
static void read_params(cf_reader *r, cf_decl *d, CXCursor c);

static const char *string_of(cf_reader *r, CXCursor c) { // the text of a string literal below c
    cf_cursors kids = {0};
    for (int depth = 0; depth < 8; depth++) {
        if (clang.getCursorKind(c) == CXCursor_StringLiteral) {
            const char *s = cf_spelling(r, c);
            size_t n = strlen(s);
            char *out = ch__arena_strdup(r->a, s), *to = out;
            if (n < 2 || s[0] != '"') return s;
            for (const char *at = s + 1; at < s + n - 1; at++) {
                if (*at == '\\' && at + 1 < s + n - 1) at++;
                *to++ = *at;
            }
            *to = 0;
            return out;
        }
        kids.n = 0;
        cf_children(r, c, &kids);
        if (kids.n == 0) break;
        c = kids.data[0];
    }
    return "";
}

// The arguments of an attribute annotate("chaac", ...); how many, -1: it is another one.
static int annotation(cf_reader *r, CXCursor c, const char *args[4]) {
    if (clang.getCursorKind(c) != CXCursor_AnnotateAttr || strcmp(cf_spelling(r, c), "chaac") != 0) return -1;
    cf_cursors kids = {0};
    cf_children(r, c, &kids);
    int n = 0;
    for (int64_t i = 0; i < kids.n && n < 4; i++) args[n++] = string_of(r, kids.data[i]);
    return n;
}

static void read_marks(cf_reader *r, cf_decl *d, CXCursor c) {
    cf_cursors kids = {0};
    const char *args[4];
    cf_children(r, c, &kids);
    for (int64_t i = 0; i < kids.n; i++) {
        if (annotation(r, kids.data[i], args) < 1) continue;
        if (!strcmp(args[0], "const")) d->marked_const = true;
        if (!strcmp(args[0], "out")) d->marked_out = true;
        if (!strcmp(args[0], "accum")) d->accum = true;
    }
}

static void read_function(cf_reader *r, cf_decl *d, CXCursor c) {
    CXSourceLocation l = clang.getCursorLocation(c);
    d->kind = CF_FUNC;
    d->is_static = clang.Cursor_getStorageClass(c) == CX_SC_Static;
    d->is_inline = clang.Cursor_isFunctionInlined(c) != 0;
    d->in_system = clang.Location_isInSystemHeader(l) != 0;
    d->in_main = clang.Location_isFromMainFile(l) != 0;
    d->type = cf_read_type(r, clang.getCursorType(c), NULL);
    d->unit = r->unit_index;
    read_params(r, d, c);
}

static void read_variable(cf_reader *r, cf_decl *d, CXCursor c) {
    enum CX_StorageClass s = clang.Cursor_getStorageClass(c);
    d->kind = clang.getCursorKind(c) == CXCursor_ParmDecl ? CF_PARAM : CF_VAR;
    d->type = cf_declared_type(r, c);
    d->is_static = s == CX_SC_Static;
    d->is_extern = s == CX_SC_Extern;
    if (d->kind == CF_PARAM) {
        d->declared = d->type;
        if (d->type->kind == CF_ARRAY) {
            cf_type *p = CH_NEW(r->a, cf_type);
            *p = (cf_type){.kind = CF_POINTER, .text = d->type->text, .of = d->type->of};
            d->type = p;
        }
        read_marks(r, d, c);
        return;
    }
    enum CXCursorKind parent = clang.getCursorKind(clang.getCursorSemanticParent(c));
    d->global = parent == CXCursor_TranslationUnit || d->is_static || d->is_extern;
    CXCursor definition = clang.getCursorDefinition(c);
    if (!clang.Cursor_isNull(definition)) {
        c = definition;
        d->type = cf_declared_type(r, c);
    }
    CXCursor init = clang.Cursor_getVarDeclInitializer(c);
    if (!clang.Cursor_isNull(init)) d->init = cf_read_expr(r, init);
}

cf_decl *cf_read_decl(cf_reader *r, CXCursor c) {
    bool function = clang.getCursorKind(c) == CXCursor_FunctionDecl;
    CXCursor definition = clang.getCursorDefinition(c), key = c;
    if (function && !clang.Cursor_isNull(definition))
        key = definition;
    else if (!function)
        key = clang.getCanonicalCursor(c);
    cf_decl *d = cf_seen_get(&r->decls, key);
    if (d) return d;
    d = CH_NEW(r->a, cf_decl);
    cf_seen_put(r, &r->decls, key, d);
    d->name = cf_spelling(r, key);
    d->loc = cf_loc_of(r, key);
    if (function)
        read_function(r, d, key);
    else
        read_variable(r, d, c);
    if (function && !clang.Cursor_isNull(definition)) {
        d->has_body = true;
        d->cursor = CH_NEW(r->a, CXCursor);
        *(CXCursor *)d->cursor = definition;
        d->reader = r;
    }
    return d;
}

static void read_params(cf_reader *r, cf_decl *d, CXCursor c) {
    int n = clang.Cursor_getNumArguments(c);
    for (int i = 0; i < n; i++) {
        cf_decl *p = cf_read_decl(r, clang.Cursor_getArgument(c, (unsigned)i));
        p->index = i;
        CH_PUSH(r->a, &d->params, p);
    }
}

cf_node *cf_body(cf_decl *d) {
    if (d->body || !d->has_body) return d->body;
    cf_reader *r = d->reader;
    cf_cursors kids = {0};
    cf_children(r, *(CXCursor *)d->cursor, &kids);
    for (int64_t i = 0; i < kids.n; i++)
        if (clang.getCursorKind(kids.data[i]) == CXCursor_CompoundStmt) d->body = cf_read_stmt(r, kids.data[i]);
    return d->body;
}

// ---------------------------------------------------------------- the file
static bool seen_directive(const cf_unit *u, const cf_directive *d) {
    for (int64_t i = 0; i < u->directives.n; i++) {
        const cf_directive *e = &u->directives.data[i];
        if (e->loc.line == d->loc.line && e->loc.col == d->loc.col && ch__streq(e->loc.file, d->loc.file) &&
            !strcmp(e->kind, d->kind) && !strcmp(e->prototype->name, d->prototype->name) &&
            ch__streq(e->func, d->func) && ch__streq(e->args, d->args))
            return true;
    }
    return false;
}

// Marks on the parameters of a prototype count for the definition too.
static void merge_marks(cf_decl *to, const cf_decl *from) {
    for (int64_t i = 0; i < to->params.n && i < from->params.n; i++) {
        cf_decl *x = to->params.data[i], *y = from->params.data[i];
        x->marked_const = x->marked_const || y->marked_const;
        x->marked_out = x->marked_out || y->marked_out;
        x->accum = x->accum || y->accum;
        const cf_type *t = y->declared;
        bool says = t && t->kind == CF_ARRAY && (t->count >= 0 || t->extent);
        if (says && x->declared && x->declared->kind == CF_POINTER) x->sized = y->declared;
    }
}

// A prototype as a declaration of its own: cf_read_decl gives the definition.
static cf_decl *prototype_of(cf_reader *r, CXCursor c) {
    cf_decl *d = CH_NEW(r->a, cf_decl);
    d->name = cf_spelling(r, c);
    d->loc = cf_loc_of(r, c);
    read_function(r, d, c);
    return d;
}

// "n, 2 * m" as (int64_t)(n) * (2 * m).
static const char *product_of(ch__arena *a, const char *list) {
    const char *out = "(int64_t)";
    bool first = true;
    while (*list) {
        int depth = 0;
        size_t n = 0;
        list += strspn(list, " ,");
        while (list[n] && (list[n] != ',' || depth > 0)) depth += list[n] == '(' ? 1 : list[n] == ')' ? -1 : 0, n++;
        if (n == 0) break;
        out = ch__arena_printf(a, "%s%s(%.*s)", out, first ? "" : " * ", (int)n, list);
        first = false;
        list += n;
    }
    return out;
}

void cf_field_shape(cf_reader *r, CXCursor field, cf_field *out) {
    cf_cursors kids = {0};
    const char *args[4];
    cf_children(r, field, &kids);
    for (int64_t i = 0; i < kids.n; i++) {
        if (annotation(r, kids.data[i], args) < 2 || strcmp(args[0], "shape") != 0) continue;
        const char *comma = strchr(args[1], ',');
        if (!comma) continue;
        out->shape = product_of(r->a, comma + 1);
        out->list = comma + 1;
    }
}

static void top_function(cf_reader *r, CXCursor c) {
    cf_decl *d = cf_read_decl(r, c), *prototype = prototype_of(r, c);
    cf_cursors kids = {0};
    const char *args[4];
    cf_children(r, c, &kids);
    CH_PUSH(r->a, &r->unit->functions, prototype);
    prototype->definition = d->has_body ? d : NULL;
    for (int64_t i = 0; i < kids.n; i++) {
        int n = annotation(r, kids.data[i], args);
        if (n < 1) continue;
        const char *text = n > 1 ? args[1] : "", *comma = strchr(text, ',');
        size_t len = comma ? (size_t)(comma - text) : strlen(text);
        while (len > 0 && text[len - 1] == ' ') len--;
        if (!strcmp(args[0], "shape")) {
            cf_shape shape = {ch__arena_strndup(r->a, text, len), product_of(r->a, comma ? comma + 1 : ""),
                              comma ? comma + 1 : ""};
            CH_PUSH(r->a, &d->shapes, shape);
            CH_PUSH(r->a, &prototype->shapes, shape);
            continue;
        }
        if (!strcmp(args[0], "workspace")) {
            prototype->workspace = true;
            continue;
        }
        cf_directive dir = {args[0], ch__arena_strndup(r->a, text, len), comma ? comma + 1 : "",
                            cf_loc_of(r, kids.data[i]), prototype};
        if (!seen_directive(r->unit, &dir)) CH_PUSH(r->a, &r->unit->directives, dir);
    }
    merge_marks(d, prototype);
    if (d->is_static) return;
    cf_decl *known = ch__strmap_get(&r->program->externals, d->name);
    bool twice = known && known != d && known->has_body && d->has_body && !(d->is_inline && known->is_inline);
    if (twice && !(known->loc.line == d->loc.line && ch__streq(known->loc.file, d->loc.file)))
        ch__raise(CH__E_parse, "%s:%d:%d: error: '%s' is defined here and at %s:%d — give the files of one program",
                  d->loc.file, d->loc.line, d->loc.col, d->name, known->loc.file, known->loc.line);
    if (!known || (d->has_body && !known->has_body)) {
        if (known) merge_marks(d, known);
        ch__strmap_put(&r->program->externals, d->name, d);
    } else if (known != d) {
        merge_marks(known, prototype);
    }
}

static enum CXChildVisitResult visit_top(CXCursor c, CXCursor parent, CXClientData data) {
    (void)parent;
    cf_reader *r = data;
    enum CXCursorKind k = clang.getCursorKind(c);
    CXSourceLocation l = clang.getCursorLocation(c);
    if (k == CXCursor_MacroExpansion) {
        CXFile f = NULL;
        unsigned offset = 0;
        if (!clang.Location_isFromMainFile(l)) return CXChildVisit_Continue;
        clang.getExpansionLocation(l, &f, NULL, NULL, &offset);
        if (!ch__map_get(&r->macros, place_key(f, offset)))
            ch__map_put(&r->macros, place_key(f, offset), (void *)(uintptr_t)cf_spelling(r, c));
        return CXChildVisit_Continue;
    }
    if (clang.Location_isInSystemHeader(l)) return CXChildVisit_Continue;
    if (k == CXCursor_FunctionDecl) top_function(r, c);
    if (k == CXCursor_VarDecl) {
        cf_decl *d = cf_read_decl(r, c);
        CH_PUSH(r->a, &r->unit->variables, d);
    }
    return CXChildVisit_Continue;
}

static void visit_inclusion(CXFile f, CXSourceLocation *stack, unsigned n, CXClientData data) {
    (void)stack;
    (void)n;
    cf_reader *r = data;
    const char *name = file_name(r, f);
    CH_PUSH(r->a, &r->unit->includes, name);
}

// ---------------------------------------------------------------- opening
static void dispose_reader(void *arg) {
    cf_reader *r = arg;
    if (r->tu) clang.disposeTranslationUnit(r->tu);
    if (r->index) clang.disposeIndex(r->index);
    r->tu = NULL;
    r->index = NULL;
}

// Every error of clang's as file:line:col: error: text.
static void check_diagnostics(cf_reader *r, const char *path) {
    ch__text t;
    ch__text_init(&t, r->a);
    unsigned n = clang.getNumDiagnostics(r->tu);
    int errors = 0;
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic d = clang.getDiagnostic(r->tu, i);
        const char *text = cf_clang_string(r->a, clang.getDiagnosticSpelling(d));
        // clang leaves out what stands before a declaration that comes after the body.
        bool late = strstr(text, "must precede definition") != NULL;
        if (late) text = "CH_SHAPE after the definition of its function is not seen — put it before";
        if ((late || clang.getDiagnosticSeverity(d) >= CXDiagnostic_Error) && errors++ < 20) {
            cf_loc l = loc_of(r, clang.getDiagnosticLocation(d));
            if (t.n) ch__putc(&t, '\n');
            if (l.file) ch__putf(&t, "%s:%d:%d: ", l.file, l.line, l.col);
            ch__putf(&t, "error: %s", text);
        }
        clang.disposeDiagnostic(d);
    }
    if (errors)
        ch__raise(CH__E_parse, "%s: clang reports %d error%s\n%s", path, errors, errors == 1 ? "" : "s", t.data);
}

void cf_read(cf_program *p, const char *path, int n_flags, const char *const *flags) {
    cf_clang_open();
    if (!ch__file_exists(path)) ch__raise(CH__E_file, "%s: there is no such file, or it cannot be read", path);
    cf_reader *r = CH_NEW(p->a, cf_reader);
    r->a = p->a;
    r->program = p;
    r->unit = CH_NEW(p->a, cf_unit);
    r->unit->path = path;
    r->unit_index = (int)p->units.n;
    ch__map *maps[] = {&r->decls, &r->records, &r->fields, &r->files, &r->macros, &r->types};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) ch__map_init(maps[i], r->a);
    const char **args = CH_NEW_ARRAY(r->a, const char *, n_flags + 5);
    int n = 0;
    args[n++] = "-xc";
    args[n++] = "-D__CHAAC__=1";
    args[n++] = "-Wno-everything";
    args[n++] = "-Wignored-attributes";
    for (int i = 0; i < n_flags; i++) args[n++] = flags[i];
    ch__arena_defer(r->a, dispose_reader, r);
    r->index = clang.createIndex(0, 0);
    unsigned options = CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing;
    enum CXErrorCode e = clang.parseTranslationUnit2(r->index, path, args, n, NULL, 0, options, &r->tu);
    if (e != CXError_Success || !r->tu)
        ch__raise(CH__E_parse, "%s: libclang cannot read it (%s) — is it C, and are the flags after -- right?", path,
                  e == CXError_Crashed            ? "it crashed"
                  : e == CXError_InvalidArguments ? "its arguments"
                                                  : "no reason");
    check_diagnostics(r, path);
    CH_PUSH(p->a, &p->units, r->unit);
    clang.visitChildren(clang.getTranslationUnitCursor(r->tu), visit_top, r);
    clang.getInclusions(r->tu, visit_inclusion, r);
}

cf_decl *cf_find_function(const cf_program *p, const char *name) {
    cf_decl *d = ch__strmap_get(&p->externals, name);
    if (d) return d;
    for (int64_t u = 0; u < p->units.n; u++) // static ones
        for (int64_t i = p->units.data[u]->functions.n - 1; i >= 0; i--) {
            cf_decl *f = p->units.data[u]->functions.data[i];
            if (strcmp(f->name, name) == 0) return f->definition ? f->definition : f;
        }
    return NULL;
}
