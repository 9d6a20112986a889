// SPDX-License-Identifier: Apache-2.0
// read_type.c - C types from libclang's.
//
// Canonical types decide, so that typedefs never matter. The size of a variable length array is not part of libclang's
// type: it is found among the children of the declaration, the innermost dimension first.
#include "cfront/read.h"

// ---------------------------------------------------------------- records
static enum CXVisitorResult visit_field(CXCursor c, CXClientData data) {
    void **both = data;
    cf_reader *r = both[0];
    cf_record *record = both[1];
    cf_field f = {cf_spelling(r, c), cf_declared_type(r, c), NULL, NULL};
    if (clang.Cursor_isBitField(c)) {
        cf_type *narrow = CH_NEW(r->a, cf_type);
        *narrow = *f.type;
        narrow->width = clang.getFieldDeclBitWidth(c);
        f.type = narrow;
        record->bitfields = true;
    }
    if (f.type->kind == CF_POINTER) cf_field_shape(r, c, &f);
    CH_PUSH(r->a, &record->fields, f);
    cf_seen_put(r, &r->fields, c, (void *)(uintptr_t)record->fields.n); // one more than the index
    return CXVisit_Continue;
}

static cf_record *read_record(cf_reader *r, CXType t) {
    CXCursor decl = clang.getTypeDeclaration(t), definition = clang.getCursorDefinition(decl);
    if (!clang.Cursor_isNull(definition)) decl = definition;
    cf_record *record = cf_seen_get(&r->records, decl);
    if (record) return record;
    record = CH_NEW(r->a, cf_record);
    cf_seen_put(r, &r->records, decl, record); // before its fields: they may point to it
    record->name = cf_clang_string(r->a, clang.getTypeSpelling(t));
    for (const char *const *q = (const char *const[]){"const ", "volatile ", NULL}; *q; q++)
        if (strncmp(record->name, *q, strlen(*q)) == 0) record->name += strlen(*q);
    record->is_union = clang.getCursorKind(decl) == CXCursor_UnionDecl;
    const char *blank = strrchr(record->name, ' ');
    record->plain = strncmp(record->name, "struct ", 7) != 0 && strncmp(record->name, "union ", 6) != 0;
    record->tag = record->plain ? NULL : blank ? blank + 1 : record->name;
    record->loc = cf_loc_of(r, decl);
    record->bytes = clang.Type_getSizeOf(t);
    record->complete = record->bytes >= 0;
    record->key = record;
    if (strstr(record->name, "(unnamed") || strstr(record->name, "(anonymous")) record->name = record->tag = NULL;
    void *both[2] = {r, record};
    if (record->complete) clang.Type_visitFields(t, visit_field, both);
    return record;
}

int cf_field_index(cf_reader *r, cf_record *record, CXCursor field) {
    intptr_t i = (intptr_t)cf_seen_get(&r->fields, field);
    if (i > 0) return (int)i - 1;
    const char *name = cf_spelling(r, field);
    for (int64_t k = 0; k < record->fields.n; k++)
        if (strcmp(record->fields.data[k].name, name) == 0) return (int)k;
    return -1;
}

// ---------------------------------------------------------------- types
static bool plain_integer(enum CXTypeKind k, int *bits, bool *is_signed) {
    *is_signed = true;
    switch (k) {
    case CXType_Char_S:
    case CXType_SChar: *bits = 8; return true;
    case CXType_Char_U:
    case CXType_UChar:
        *bits = 8;
        *is_signed = false;
        return true;
    case CXType_Short: *bits = 16; return true;
    case CXType_UShort:
        *bits = 16;
        *is_signed = false;
        return true;
    case CXType_Int: *bits = 32; return true;
    case CXType_UInt:
        *bits = 32;
        *is_signed = false;
        return true;
    case CXType_Long:
    case CXType_LongLong: *bits = 0; return true;
    case CXType_ULong:
    case CXType_ULongLong:
        *bits = 0;
        *is_signed = false;
        return true;
    default: return false;
    }
}

static bool is_array(enum CXTypeKind k) {
    return k == CXType_ConstantArray || k == CXType_IncompleteArray || k == CXType_VariableArray ||
           k == CXType_DependentSizedArray;
}

typedef struct {
    const cf_cursors *extents;
    int levels; // arrays from here inwards, as written in the declaration
} written;

static int written_levels(CXType t) {
    int n = 0;
    for (;;) {
        if (is_array(t.kind))
            n++, t = clang.getArrayElementType(t);
        else if (t.kind == CXType_Pointer)
            t = clang.getPointeeType(t);
        else
            return n;
    }
}

static cf_type *read_array(cf_reader *r, cf_type *out, CXType t, written w);

static cf_type *read_type(cf_reader *r, CXType t, written w) {
    cf_type *out = CH_NEW(r->a, cf_type);
    CXType c = t;
    if (t.kind == CXType_Invalid) {
        out->kind = CF_VOID;
        out->text = "void";
        return out;
    }
    bool as_written = is_array(t.kind) || t.kind == CXType_Pointer;
    if (!as_written) {
        c = clang.getCanonicalType(t);
        w = (written){NULL, 0};
    }
    out->is_const = clang.isConstQualifiedType(c) != 0;
    out->is_volatile = clang.isVolatileQualifiedType(c) != 0;
    out->is_restrict = clang.isRestrictQualifiedType(c) != 0;
    out->text = cf_clang_string(r->a, clang.getTypeSpelling(c));
    if (out->is_const && strncmp(out->text, "const ", 6) == 0) out->text += 6;
    if (out->is_volatile && strncmp(out->text, "volatile ", 9) == 0) out->text += 9;
    if (is_array(c.kind)) return read_array(r, out, c, w);
    out->kind = CF_OTHER;
    if (plain_integer(c.kind, &out->bits, &out->is_signed)) {
        out->kind = CF_INT;
        if (!out->bits) out->bits = 8 * (int)clang.Type_getSizeOf(c);
        return out;
    }
    switch ((int)c.kind) {
    case CXType_Void: out->kind = CF_VOID; break;
    case CXType_Bool:
        out->kind = CF_BOOL;
        out->bits = 8;
        break;
    case CXType_Float:
        out->kind = CF_FLOAT;
        out->bits = 32;
        break;
    case CXType_Double:
        out->kind = CF_FLOAT;
        out->bits = 64;
        break;
    case CXType_Enum: {
        CXType under = clang.getCanonicalType(clang.getEnumDeclIntegerType(clang.getTypeDeclaration(c)));
        out->kind = CF_INT;
        if (!plain_integer(under.kind, &out->bits, &out->is_signed)) out->is_signed = true, out->bits = 32;
        if (!out->bits) out->bits = 64;
        out->text = cf_clang_string(r->a, clang.getTypeSpelling(under)); // printed C has no enums
        break;
    }
    case CXType_Pointer:
        out->kind = CF_POINTER;
        out->of = read_type(r, clang.getPointeeType(c), w);
        break;
    case CXType_Record:
        out->kind = CF_STRUCT;
        out->record = read_record(r, c);
        break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        out->kind = CF_FUNCTION;
        out->of = read_type(r, clang.getResultType(c), (written){NULL, 0});
        out->variadic = c.kind == CXType_FunctionProto && clang.isFunctionTypeVariadic(c) != 0;
        break;
    default: break;
    }
    return out;
}

static cf_type *read_array(cf_reader *r, cf_type *out, CXType t, written w) {
    out->kind = CF_ARRAY;
    out->count = t.kind == CXType_ConstantArray ? clang.getArraySize(t) : t.kind == CXType_VariableArray ? -2 : -1;
    if (w.extents && w.levels >= 1 && w.levels <= w.extents->n && out->count != -1)
        out->extent = cf_read_expr(r, w.extents->data[w.levels - 1]);
    out->of = read_type(r, clang.getArrayElementType(t), (written){w.extents, w.levels - 1});
    out->is_const = out->is_const || out->of->is_const;
    return out;
}

cf_type *cf_read_type(cf_reader *r, CXType t, const cf_cursors *extents) {
    int levels = extents && extents->n ? written_levels(t) : 0;
    uint64_t key = (uint64_t)(uintptr_t)t.data[0];
    if (!levels) {
        cf_type *known = key ? ch__map_get(&r->types, key) : NULL;
        if (!known) {
            known = read_type(r, t, (written){NULL, 0});
            if (key) ch__map_put(&r->types, key, known);
        }
        return known;
    }
    return read_type(r, t, (written){extents && levels >= extents->n ? extents : NULL, levels});
}

cf_type *cf_declared_type(cf_reader *r, CXCursor decl) {
    cf_cursors kids = {0}, extents = {0};
    cf_children(r, decl, &kids);
    CXCursor init = clang.Cursor_getVarDeclInitializer(decl);
    bool has = !clang.Cursor_isNull(init), field = clang.getCursorKind(decl) == CXCursor_FieldDecl;
    for (int64_t i = 0; i < kids.n && !field; i++)
        if (cf_is_expr(clang.getCursorKind(kids.data[i])) && !(has && clang.equalCursors(kids.data[i], init)))
            CH_PUSH(r->a, &extents, kids.data[i]);
    return cf_read_type(r, clang.getCursorType(decl), &extents);
}

// ---------------------------------------------------------------- asked of types
bool cf_is_arithmetic(const cf_type *t) { return t->kind == CF_BOOL || t->kind == CF_INT || t->kind == CF_FLOAT; }

bool cf_same_type(const cf_type *x, const cf_type *y) {
    if (x->kind != y->kind) return false;
    switch (x->kind) {
    case CF_INT: return x->bits == y->bits && x->is_signed == y->is_signed;
    case CF_FLOAT: return x->bits == y->bits;
    case CF_POINTER: return cf_same_type(x->of, y->of);
    case CF_ARRAY: return (x->count < 0 || y->count < 0 || x->count == y->count) && cf_same_type(x->of, y->of);
    case CF_STRUCT:
        if (x->record == y->record) return true;
        if (x->record->fields.n != y->record->fields.n || !ch__streq(x->record->name, y->record->name)) return false;
        return true;
    case CF_OTHER: return strcmp(x->text, y->text) == 0;
    default: return true;
    }
}

int64_t cf_sizeof(const cf_type *t) {
    switch (t->kind) {
    case CF_BOOL:
    case CF_INT:
    case CF_FLOAT: return t->bits / 8;
    case CF_POINTER: return (int64_t)sizeof(void *);
    case CF_STRUCT: return t->record->bytes;
    case CF_ARRAY: {
        int64_t n = t->count < 0 ? -1 : cf_sizeof(t->of);
        return n < 0 || !ch__mul_i64(n, t->count, &n) ? -1 : n;
    }
    default: return -1;
    }
}
