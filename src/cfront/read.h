// SPDX-License-Identifier: Apache-2.0
// read.h - what the files that read libclang's cursors share. Private to read_*.c.
#ifndef CHAAC_CFRONT_READ_H
#define CHAAC_CFRONT_READ_H

#include <string.h>

#include "cfront/clang.h"
#include "cfront/tree.h"

typedef struct cf_seen { // a cursor and what was made of it
    CXCursor cursor;
    void *made;
    struct cf_seen *next;
} cf_seen;

typedef struct cf_reader {
    ch__arena *a;
    cf_program *program;
    cf_unit *unit;
    int unit_index;
    CXIndex index;
    CXTranslationUnit tu;
    ch__map decls, records, fields; // hash of the cursor -> cf_seen
    ch__map types;                  // libclang's type -> cf_type, without extents
    ch__map files;                  // CXFile -> name
    ch__map macros;                 // place of an expansion -> name of the macro
} cf_reader;

typedef CH_VEC(CXCursor) cf_cursors;
void cf_children(cf_reader *r, CXCursor c, cf_cursors *out);
void *cf_seen_get(ch__map *m, CXCursor c);
void cf_seen_put(cf_reader *r, ch__map *m, CXCursor c, void *made);
cf_loc cf_loc_of(cf_reader *r, CXCursor c);
const char *cf_spelling(cf_reader *r, CXCursor c);
static inline bool cf_is_expr(enum CXCursorKind k) { return k >= CXCursor_FirstExpr && k <= CXCursor_LastExpr; }
static inline bool cf_is_stmt(enum CXCursorKind k) { return k >= CXCursor_FirstStmt && k <= CXCursor_LastStmt; }

// read_type.c. Extents: the size expressions among a declaration's children, the innermost first; may be NULL.
cf_type *cf_read_type(cf_reader *r, CXType t, const cf_cursors *extents);
cf_type *cf_declared_type(cf_reader *r, CXCursor decl);           // with its extents
void cf_field_shape(cf_reader *r, CXCursor field, cf_field *out); // read.c: CH_SHAPE before it
int cf_field_index(cf_reader *r, cf_record *record, CXCursor field);

// read_expr.c, read_stmt.c
cf_node *cf_read_expr(cf_reader *r, CXCursor c);
cf_node *cf_read_stmt(cf_reader *r, CXCursor c);
cf_node *cf_new_node(cf_reader *r, cf_kind kind, CXCursor c);
void cf_add_kid(cf_reader *r, cf_node *n, cf_node *kid);

// read.c
cf_decl *cf_read_decl(cf_reader *r, CXCursor c); // a variable, parameter or function

#endif
