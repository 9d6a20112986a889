// SPDX-License-Identifier: Apache-2.0
// read_stmt.c - statements.
//
// libclang gives the children of a `for` without saying which clauses are missing. The offsets of its two semicolons
// tell; in a macro, where tokens say nothing, the kinds of the children do.
#include "cfront/read.h"

static cf_node *with_expr(cf_reader *r, CXCursor c, const cf_cursors *kids, cf_kind kind, int wanted) {
    cf_node *n = cf_new_node(r, kind, c);
    if (kids->n != wanted) {
        n->kind = CF_UNKNOWN;
        n->s = "a statement of a kind that is not known here";
        return n;
    }
    for (int64_t i = 0; i < kids->n; i++)
        cf_add_kid(r, n,
                   cf_is_expr(clang.getCursorKind(kids->data[i])) && !(kind == CF_DO && i == 0) &&
                           !(kind != CF_DO && i == wanted - 1)
                       ? cf_read_expr(r, kids->data[i])
                       : cf_read_stmt(r, kids->data[i]));
    return n;
}

static cf_node *unknown_stmt(cf_reader *r, CXCursor c, const char *what) {
    cf_node *n = cf_new_node(r, CF_UNKNOWN, c);
    n->s = what;
    return n;
}

// ---------------------------------------------------------------- for
static unsigned offset_of(CXSourceLocation l) {
    unsigned offset = 0;
    clang.getExpansionLocation(l, NULL, NULL, NULL, &offset);
    return offset;
}

// Offsets of the semicolons of the head; false when they cannot be found.
static bool semicolons(cf_reader *r, CXCursor c, unsigned at[2]) {
    CXToken *tokens = NULL;
    unsigned n = 0, depth = 0, found = 0;
    clang.tokenize(r->tu, clang.getCursorExtent(c), &tokens, &n);
    for (unsigned i = 0; i < n && found < 2; i++) {
        if (clang.getTokenKind(tokens[i]) != CXToken_Punctuation) {
            if (i == 0 && clang.getTokenKind(tokens[i]) != CXToken_Keyword) break; // for is in a macro
            continue;
        }
        CXString s = clang.getTokenSpelling(r->tu, tokens[i]);
        const char *text = clang.getCString(s);
        if (*text == '(' || *text == '{') depth++;
        if (*text == ')' || *text == '}') depth--;
        if (*text == ';' && depth == 1) at[found++] = offset_of(clang.getTokenLocation(r->tu, tokens[i]));
        clang.disposeString(s);
    }
    if (tokens) clang.disposeTokens(r->tu, tokens, n);
    return found == 2;
}

static int clause_by_kind(CXCursor c, int64_t i) {
    enum CXCursorKind k = clang.getCursorKind(c);
    if (k == CXCursor_DeclStmt) return 0;
    if (k == CXCursor_BinaryOperator) {
        enum CXBinaryOperatorKind op = clang.getCursorBinaryOperatorKind(c);
        if (op >= CXBinaryOperator_LT && op <= CXBinaryOperator_NE) return 1;
    }
    if (k == CXCursor_UnexposedExpr) return 1;
    return i == 0 ? 0 : 2;
}

static cf_node *for_stmt(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    cf_node *n = cf_new_node(r, CF_FOR, c);
    CXCursor parts[3];
    bool have[3] = {false, false, false};
    unsigned at[2] = {0, 0};
    bool known = kids->n < 4 && semicolons(r, c, at);
    for (int64_t i = 0; i + 1 < kids->n; i++) {
        unsigned o = offset_of(clang.getRangeStart(clang.getCursorExtent(kids->data[i])));
        int which = kids->n == 4 ? (int)i
                    : known      ? (o < at[0]   ? 0
                                    : o < at[1] ? 1
                                                : 2)
                                 : clause_by_kind(kids->data[i], i);
        if (which > 2 || have[which]) return unknown_stmt(r, c, "a for loop whose clauses cannot be told apart");
        have[which] = true;
        parts[which] = kids->data[i];
    }
    if (kids->n == 0) return unknown_stmt(r, c, "a for loop without a body");
    cf_add_kid(r, n, have[0] ? cf_read_stmt(r, parts[0]) : NULL);
    cf_add_kid(r, n, have[1] ? cf_read_expr(r, parts[1]) : NULL);
    cf_add_kid(r, n, have[2] ? cf_read_expr(r, parts[2]) : NULL);
    cf_add_kid(r, n, cf_read_stmt(r, kids->data[kids->n - 1]));
    return n;
}

// ---------------------------------------------------------------- the others
static cf_node *declare(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    cf_node *n = cf_new_node(r, CF_DECLARE, c);
    for (int64_t i = 0; i < kids->n; i++)
        if (clang.getCursorKind(kids->data[i]) == CXCursor_VarDecl)
            CH_PUSH(r->a, &n->decls, cf_read_decl(r, kids->data[i]));
    return n;
}

static cf_node *case_stmt(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    if (kids->n != 2) return unknown_stmt(r, c, "a case of a range of values");
    cf_node *n = cf_new_node(r, CF_CASE, c);
    cf_add_kid(r, n, cf_read_expr(r, kids->data[0]));
    cf_add_kid(r, n, cf_read_stmt(r, kids->data[1]));
    return n;
}

cf_node *cf_read_stmt(cf_reader *r, CXCursor c) {
    cf_cursors kids = {0};
    enum CXCursorKind k = clang.getCursorKind(c);
    if (cf_is_expr(k)) {
        cf_node *n = cf_new_node(r, CF_EXPR, c);
        cf_add_kid(r, n, cf_read_expr(r, c));
        return n;
    }
    cf_children(r, c, &kids);
    switch ((int)k) {
    case CXCursor_CompoundStmt: {
        cf_node *n = cf_new_node(r, CF_BLOCK, c);
        n->kids = CH_NEW_ARRAY(r->a, cf_node *, kids.n + 1);
        for (int64_t i = 0; i < kids.n; i++) n->kids[n->n++] = cf_read_stmt(r, kids.data[i]);
        return n;
    }
    case CXCursor_DeclStmt: return declare(r, c, &kids);
    case CXCursor_NullStmt: return cf_new_node(r, CF_EMPTY, c);
    case CXCursor_IfStmt: {
        cf_node *n = cf_new_node(r, CF_IF, c);
        if (kids.n < 2 || kids.n > 3) return unknown_stmt(r, c, "an if of a kind that is not known here");
        cf_add_kid(r, n, cf_read_expr(r, kids.data[0]));
        cf_add_kid(r, n, cf_read_stmt(r, kids.data[1]));
        cf_add_kid(r, n, kids.n == 3 ? cf_read_stmt(r, kids.data[2]) : NULL);
        return n;
    }
    case CXCursor_ForStmt: return for_stmt(r, c, &kids);
    case CXCursor_WhileStmt: return with_expr(r, c, &kids, CF_WHILE, 2);
    case CXCursor_DoStmt: return with_expr(r, c, &kids, CF_DO, 2);
    case CXCursor_SwitchStmt: return with_expr(r, c, &kids, CF_SWITCH, 2);
    case CXCursor_CaseStmt: return case_stmt(r, c, &kids);
    case CXCursor_DefaultStmt: return with_expr(r, c, &kids, CF_DEFAULT, 1);
    case CXCursor_BreakStmt: return cf_new_node(r, CF_BREAK, c);
    case CXCursor_ContinueStmt: return cf_new_node(r, CF_CONTINUE, c);
    case CXCursor_ReturnStmt: {
        cf_node *n = cf_new_node(r, CF_RETURN, c);
        if (kids.n) cf_add_kid(r, n, cf_read_expr(r, kids.data[0]));
        return n;
    }
    case CXCursor_GotoStmt: {
        cf_node *n = cf_new_node(r, CF_GOTO, c);
        n->s = kids.n ? cf_spelling(r, kids.data[0]) : "";
        return n;
    }
    case CXCursor_LabelStmt: {
        cf_node *n = with_expr(r, c, &kids, CF_LABEL, 1);
        n->s = cf_spelling(r, c);
        return n;
    }
    case CXCursor_UnexposedStmt:
        if (kids.n > 0) return cf_read_stmt(r, kids.data[kids.n - 1]); // an attribute before a statement
        return cf_new_node(r, CF_EMPTY, c);
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt: return unknown_stmt(r, c, "assembly");
    default: return unknown_stmt(r, c, cf_clang_string(r->a, clang.getCursorKindSpelling(k)));
    }
}
