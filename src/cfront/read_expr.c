// SPDX-License-Identifier: Apache-2.0
// read_expr.c - expressions.
//
// libclang does not say what an implicit cast does: it is an "unexposed" node whose type differs from its child's. The
// canonical types of both tell (c_gradients: an array or function that decays, an arithmetic conversion, a pointer
// conversion, or nothing but a load).
#include "cfront/read.h"

cf_node *cf_new_node(cf_reader *r, cf_kind kind, CXCursor c) {
    cf_node *n = CH_NEW(r->a, cf_node);
    n->kind = kind;
    n->loc = cf_loc_of(r, c);
    return n;
}

void cf_add_kid(cf_reader *r, cf_node *n, cf_node *kid) {
    cf_node **kids = CH_NEW_ARRAY(r->a, cf_node *, n->n + 1);
    if (n->n) memcpy(kids, n->kids, (size_t)n->n * sizeof *kids);
    kids[n->n++] = kid;
    n->kids = kids;
}

static cf_node *expr_node(cf_reader *r, cf_kind kind, CXCursor c) {
    cf_node *n = cf_new_node(r, kind, c);
    n->type = cf_read_type(r, clang.getCursorType(c), NULL);
    return n;
}

static cf_node *unknown(cf_reader *r, CXCursor c, const char *what) {
    cf_node *n = expr_node(r, CF_UNKNOWN, c);
    n->s = what;
    return n;
}

static void add_kids(cf_reader *r, cf_node *n, const cf_cursors *kids, int64_t from) {
    int64_t count = kids->n - from;
    n->kids = CH_NEW_ARRAY(r->a, cf_node *, count > 0 ? count : 1);
    for (int64_t i = from; i < kids->n; i++) n->kids[n->n++] = cf_read_expr(r, kids->data[i]);
}

// ---------------------------------------------------------------- constants
// A number if libclang can evaluate the cursor, else NULL.
static cf_node *evaluated(cf_reader *r, CXCursor c) {
    CXEvalResult e = clang.Cursor_Evaluate(c);
    if (!e) return NULL;
    cf_node *n = expr_node(r, CF_NUMBER, c);
    CXEvalResultKind k = clang.EvalResult_getKind(e);
    bool ok = true;
    if (k == CXEval_Int && n->type->kind != CF_FLOAT)
        n->i = clang.EvalResult_isUnsignedInt(e) ? (int64_t)clang.EvalResult_getAsUnsigned(e)
                                                 : (int64_t)clang.EvalResult_getAsLongLong(e);
    else if (k == CXEval_Float && n->type->kind == CF_FLOAT)
        n->f = clang.EvalResult_getAsDouble(e);
    else
        ok = false;
    clang.EvalResult_dispose(e);
    return ok ? n : NULL;
}

static cf_node *number(cf_reader *r, CXCursor c) {
    cf_node *n = evaluated(r, c);
    return n ? n : unknown(r, c, "a number that cannot be read");
}

// ---------------------------------------------------------------- names
static cf_node *name(cf_reader *r, CXCursor c) {
    CXCursor d = clang.getCursorReferenced(c);
    switch ((int)clang.getCursorKind(d)) {
    case CXCursor_EnumConstantDecl: {
        cf_node *n = expr_node(r, CF_NUMBER, c);
        n->i = clang.getEnumConstantDeclValue(d);
        return n;
    }
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl:
    case CXCursor_FunctionDecl: {
        cf_node *n = expr_node(r, CF_NAME, c);
        n->decl = cf_read_decl(r, d);
        n->type = n->decl->type; // with extents
        return n;
    }
    default: return unknown(r, c, "a name that is neither a variable nor a function");
    }
}

// ---------------------------------------------------------------- conversions
static cf_node *converted(cf_reader *r, CXCursor c, cf_node *kid) {
    cf_node *n = expr_node(r, CF_CAST, c);
    const cf_type *to = n->type, *from = kid->type;
    if (to->kind == CF_ARRAY && from->kind == CF_POINTER) return kid; // a parameter double x[n] is loaded
    if (to->kind == CF_POINTER && (from->kind == CF_ARRAY || from->kind == CF_FUNCTION)) {
        n->kind = CF_DECAY;
        if (from->kind == CF_ARRAY) { // keep the extents of what it points to
            cf_type *p = CH_NEW(r->a, cf_type);
            *p = *n->type;
            p->of = from->of;
            n->type = p;
        }
    } else if (cf_is_arithmetic(to) && cf_is_arithmetic(from)) {
        if (cf_same_type(to, from)) return kid;
    } else if (to->kind == CF_VOID) {
        // (void)x
    } else if (to->kind == CF_POINTER && from->kind == CF_POINTER) {
        if (cf_same_type(to, from)) return kid;
    } else if ((to->kind == CF_POINTER && from->kind == CF_INT) || (to->kind == CF_INT && from->kind == CF_POINTER) ||
               (to->kind == CF_BOOL && from->kind == CF_POINTER)) {
        // null pointers, tests
    } else if (to->kind == CF_STRUCT && from->kind == CF_STRUCT) {
        return kid;
    } else if (cf_same_type(to, from)) {
        return kid;
    } else {
        return unknown(r, c, ch__arena_printf(r->a, "a conversion from %s to %s", from->text, to->text));
    }
    cf_add_kid(r, n, kid);
    return n;
}

// [1].x = value
static cf_node *designated(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    cf_node *n = cf_new_node(r, CF_DESIGNATED, c);
    n->type = cf_read_type(r, clang.getCursorType(c), NULL);
    for (int64_t i = 0; i + 1 < kids->n; i++) {
        cf_step s = {-1, NULL, NULL};
        if (clang.getCursorKind(kids->data[i]) == CXCursor_MemberRef) {
            s.name = cf_spelling(r, kids->data[i]);
            s.field = 0;
        } else {
            s.index = cf_read_expr(r, kids->data[i]);
        }
        CH_PUSH(r->a, &n->path, s);
    }
    cf_add_kid(r, n, cf_read_expr(r, kids->data[kids->n - 1]));
    return n;
}

static cf_node *unexposed(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    CXType t = clang.getCursorType(c);
    if (kids->n == 1) return converted(r, c, cf_read_expr(r, kids->data[0]));
    if (kids->n >= 2 && clang.getCanonicalType(t).kind == CXType_Void) return designated(r, c, kids);
    cf_node *n = evaluated(r, c);
    if (n) return n;
    if (kids->n == 4) { // a ?: b
        n = expr_node(r, CF_COND, c);
        cf_add_kid(r, n, cf_read_expr(r, kids->data[0]));
        cf_add_kid(r, n, cf_read_expr(r, kids->data[0]));
        cf_add_kid(r, n, cf_read_expr(r, kids->data[3]));
        return n;
    }
    return unknown(r, c, "an expression of a kind that is not known here");
}

// ---------------------------------------------------------------- operators
static const struct {
    int clang_op;
    cf_op op;
} binary_ops[] = {
    {CXBinaryOperator_Mul, CF_MUL},
    {CXBinaryOperator_Div, CF_DIV},
    {CXBinaryOperator_Rem, CF_REM},
    {CXBinaryOperator_Add, CF_ADD},
    {CXBinaryOperator_Sub, CF_SUB},
    {CXBinaryOperator_Shl, CF_SHL},
    {CXBinaryOperator_Shr, CF_SHR},
    {CXBinaryOperator_LT, CF_LT},
    {CXBinaryOperator_GT, CF_GT},
    {CXBinaryOperator_LE, CF_LE},
    {CXBinaryOperator_GE, CF_GE},
    {CXBinaryOperator_EQ, CF_EQ},
    {CXBinaryOperator_NE, CF_NE},
    {CXBinaryOperator_And, CF_AND},
    {CXBinaryOperator_Xor, CF_XOR},
    {CXBinaryOperator_Or, CF_OR},
    {CXBinaryOperator_LAnd, CF_LOGICAL_AND},
    {CXBinaryOperator_LOr, CF_LOGICAL_OR},
    {CXBinaryOperator_MulAssign, CF_MUL},
    {CXBinaryOperator_DivAssign, CF_DIV},
    {CXBinaryOperator_RemAssign, CF_REM},
    {CXBinaryOperator_AddAssign, CF_ADD},
    {CXBinaryOperator_SubAssign, CF_SUB},
    {CXBinaryOperator_ShlAssign, CF_SHL},
    {CXBinaryOperator_ShrAssign, CF_SHR},
    {CXBinaryOperator_AndAssign, CF_AND},
    {CXBinaryOperator_XorAssign, CF_XOR},
    {CXBinaryOperator_OrAssign, CF_OR},
};

static cf_op binary_op(int k) {
    for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++)
        if (binary_ops[i].clang_op == k) return binary_ops[i].op;
    return CF_NO_OP;
}

static cf_type *simple_type(cf_reader *r, cf_type_kind kind, int bits, bool is_signed) {
    cf_type *t = CH_NEW(r->a, cf_type);
    *t = (cf_type){.kind = kind, .bits = bits, .is_signed = is_signed};
    t->text = kind == CF_FLOAT ? (bits == 32 ? "float" : "double")
              : bits == 64     ? (is_signed ? "long" : "unsigned long")
                               : (is_signed ? "int" : "unsigned int");
    return t;
}

static cf_type *promoted(cf_reader *r, cf_type *t) {
    if (t->kind == CF_BOOL || (t->kind == CF_INT && t->bits < 32)) return simple_type(r, CF_INT, 32, true);
    return t;
}

// The usual arithmetic conversions.
static cf_type *common_type(cf_reader *r, cf_type *x, cf_type *y) {
    x = promoted(r, x);
    y = promoted(r, y);
    if (x->kind == CF_FLOAT || y->kind == CF_FLOAT) {
        if (x->kind != CF_FLOAT) return y;
        if (y->kind != CF_FLOAT) return x;
        return x->bits >= y->bits ? x : y;
    }
    if (x->bits != y->bits) return x->bits > y->bits ? x : y;
    return x->is_signed ? y : x;
}

static cf_node *binary(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    int k = (int)clang.getCursorBinaryOperatorKind(c);
    if (kids->n != 2) return unknown(r, c, "an operator of a kind that is not known here");
    cf_node *n;
    if (k == CXBinaryOperator_Assign) {
        n = expr_node(r, CF_ASSIGN, c);
    } else if (k == CXBinaryOperator_Comma) {
        n = expr_node(r, CF_COMMA, c);
    } else {
        n = expr_node(r, CF_BINARY, c);
        n->op = binary_op(k);
        if (n->op == CF_NO_OP) return unknown(r, c, "an operator of a kind that is not known here");
    }
    add_kids(r, n, kids, 0);
    // With the extents of its operand. Of a parameter x[n], x + 1 is told to be an array.
    if (n->type->kind == CF_ARRAY && n->kind != CF_BINARY) n->type = n->kids[n->kind == CF_COMMA ? 1 : 0]->type;
    if ((n->type->kind == CF_POINTER || n->type->kind == CF_ARRAY) && n->kind == CF_BINARY)
        n->type = n->kids[0]->type->kind == CF_POINTER ? n->kids[0]->type : n->kids[1]->type;
    return n;
}

static cf_node *compound(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    cf_node *n = expr_node(r, CF_ASSIGN, c);
    n->op = binary_op((int)clang.getCursorBinaryOperatorKind(c));
    if (n->op == CF_NO_OP || kids->n != 2) return unknown(r, c, "an assignment of a kind that is not known here");
    add_kids(r, n, kids, 0);
    cf_type *x = n->kids[0]->type, *y = n->kids[1]->type;
    if (n->type->kind == CF_ARRAY) n->type = x;
    if (cf_is_arithmetic(x) && cf_is_arithmetic(y))
        n->of = n->op == CF_SHL || n->op == CF_SHR ? promoted(r, x) : common_type(r, x, y);
    return n;
}

static cf_node *unary(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    static const struct {
        int clang_op;
        cf_op op;
    } ops[] = {{CXUnaryOperator_PostInc, CF_POST_INC}, {CXUnaryOperator_PostDec, CF_POST_DEC},
               {CXUnaryOperator_PreInc, CF_PRE_INC},   {CXUnaryOperator_PreDec, CF_PRE_DEC},
               {CXUnaryOperator_AddrOf, CF_ADDRESS},   {CXUnaryOperator_Deref, CF_DEREF},
               {CXUnaryOperator_Plus, CF_PLUS},        {CXUnaryOperator_Minus, CF_NEG},
               {CXUnaryOperator_Not, CF_NOT},          {CXUnaryOperator_LNot, CF_LOGICAL_NOT}};
    int k = (int)clang.getCursorUnaryOperatorKind(c);
    if (kids->n != 1) return unknown(r, c, "an operator of a kind that is not known here");
    if (k == CXUnaryOperator_Extension) return cf_read_expr(r, kids->data[0]);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (ops[i].clang_op != k) continue;
        cf_node *n = expr_node(r, CF_UNARY, c);
        n->op = ops[i].op;
        add_kids(r, n, kids, 0);
        if (n->op == CF_DEREF && n->kids[0]->type->kind == CF_POINTER) n->type = n->kids[0]->type->of;
        if (n->op >= CF_PRE_INC && n->type->kind == CF_ARRAY) n->type = n->kids[0]->type; // of a parameter x[n]
        return n;
    }
    return unknown(r, c, "__real__ or __imag__");
}

static cf_node *member(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    CXCursor field = clang.getCursorReferenced(c);
    cf_node *base = NULL;
    for (int64_t i = 0; i < kids->n && !base; i++)
        if (cf_is_expr(clang.getCursorKind(kids->data[i]))) base = cf_read_expr(r, kids->data[i]);
    if (!base) return unknown(r, c, "a member of nothing");
    bool arrow = base->type->kind == CF_POINTER;
    const cf_type *t = arrow ? base->type->of : base->type;
    if (t->kind != CF_STRUCT) return unknown(r, c, "a member of something that is no struct");
    cf_node *n = expr_node(r, arrow ? CF_ARROW : CF_MEMBER, c);
    n->i = cf_field_index(r, t->record, field);
    if (n->i < 0) return unknown(r, c, "a member that is not among the fields");
    n->type = t->record->fields.data[n->i].type;
    cf_add_kid(r, n, base);
    return n;
}

static cf_node *subscript(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    cf_node *n = expr_node(r, CF_INDEX, c);
    if (kids->n != 2) return unknown(r, c, "an index of a kind that is not known here");
    add_kids(r, n, kids, 0);
    if (n->kids[0]->type->kind != CF_POINTER) { // 2[a]
        cf_node *t = n->kids[0];
        n->kids[0] = n->kids[1];
        n->kids[1] = t;
    }
    if (n->kids[0]->type->kind != CF_POINTER)
        return unknown(r, c, ch__arena_printf(r->a, "an index into %s, which is no array", n->kids[1]->type->text));
    n->type = n->kids[0]->type->of;
    return n;
}

static cf_node *cast(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    if (kids->n == 0) return unknown(r, c, "a cast of nothing");
    cf_cursors extents = {0};
    for (int64_t i = 0; i + 1 < kids->n; i++)
        if (cf_is_expr(clang.getCursorKind(kids->data[i]))) CH_PUSH(r->a, &extents, kids->data[i]);
    cf_node *n = expr_node(r, CF_CAST, c), *kid = cf_read_expr(r, kids->data[kids->n - 1]);
    if (extents.n) n->type = cf_read_type(r, clang.getCursorType(c), &extents);
    n->s = "cast";
    if (n->type->kind == CF_STRUCT || kid->type->kind == CF_STRUCT) {
        if (n->type->kind != CF_VOID && !cf_same_type(n->type, kid->type)) return unknown(r, c, "a cast of a struct");
    }
    cf_add_kid(r, n, kid);
    return n;
}

// sizeof and _Alignof: a number, unless a variable length array is meant.
static cf_node *size_of(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    cf_node *n = evaluated(r, c);
    if (n) return n;
    if (kids->n != 1) return unknown(r, c, "sizeof of a type of variable size");
    n = expr_node(r, CF_SIZEOF, c);
    n->of = cf_read_expr(r, kids->data[0])->type;
    return n;
}

static cf_node *generic(cf_reader *r, CXCursor c, const cf_cursors *kids) {
    cf_node *n = expr_node(r, CF_UNKNOWN, c), *found = NULL;
    for (int64_t i = 1; i < kids->n; i++) {
        if (!cf_is_expr(clang.getCursorKind(kids->data[i]))) continue;
        CXType t = clang.getCursorType(kids->data[i]);
        if (!cf_same_type(cf_read_type(r, t, NULL), n->type)) continue;
        if (found) return unknown(r, c, "a _Generic selection with several results of one type");
        found = cf_read_expr(r, kids->data[i]);
    }
    return found ? found : unknown(r, c, "a _Generic selection");
}

static cf_node *string(cf_reader *r, CXCursor c) {
    cf_node *n = expr_node(r, CF_STRING, c);
    n->s = cf_spelling(r, c);
    return n;
}

static cf_node *with_kids(cf_reader *r, cf_kind kind, CXCursor c, const cf_cursors *kids, int wanted) {
    if (wanted >= 0 && kids->n != wanted) return unknown(r, c, "an expression of a kind that is not known here");
    cf_node *n = expr_node(r, kind, c);
    add_kids(r, n, kids, 0);
    return n;
}

cf_node *cf_read_expr(cf_reader *r, CXCursor c) {
    cf_cursors kids = {0};
    cf_children(r, c, &kids);
    switch ((int)clang.getCursorKind(c)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral: return number(r, c);
    case CXCursor_StringLiteral: return string(r, c);
    case CXCursor_DeclRefExpr: return name(r, c);
    case CXCursor_ParenExpr: return kids.n == 1 ? cf_read_expr(r, kids.data[0]) : unknown(r, c, "parentheses");
    case CXCursor_UnexposedExpr: return unexposed(r, c, &kids);
    case CXCursor_BinaryOperator: return binary(r, c, &kids);
    case CXCursor_CompoundAssignOperator: return compound(r, c, &kids);
    case CXCursor_UnaryOperator: return unary(r, c, &kids);
    case CXCursor_UnaryExpr: return size_of(r, c, &kids);
    case CXCursor_ConditionalOperator: {
        cf_node *n = with_kids(r, CF_COND, c, &kids, 3);
        if (n->kind != CF_COND || (n->type->kind != CF_POINTER && n->type->kind != CF_ARRAY)) return n;
        if (n->kids[1]->type->kind == CF_POINTER)
            n->type = n->kids[1]->type;
        else if (n->type->kind == CF_ARRAY)
            n->type = n->kids[2]->type;
        return n;
    }
    case CXCursor_CallExpr: return kids.n ? with_kids(r, CF_CALL, c, &kids, -1) : unknown(r, c, "a call of nothing");
    case CXCursor_MemberRefExpr: return member(r, c, &kids);
    case CXCursor_ArraySubscriptExpr: return subscript(r, c, &kids);
    case CXCursor_CStyleCastExpr: return cast(r, c, &kids);
    case CXCursor_InitListExpr: return with_kids(r, CF_LIST, c, &kids, -1);
    case CXCursor_CompoundLiteralExpr: {
        cf_node *n = expr_node(r, CF_LITERAL, c);
        if (kids.n == 0) return unknown(r, c, "a compound literal");
        cf_add_kid(r, n, cf_read_expr(r, kids.data[kids.n - 1]));
        return n;
    }
    case CXCursor_StmtExpr: {
        cf_node *n = expr_node(r, CF_STATEMENT_EXPR, c);
        if (kids.n != 1) return unknown(r, c, "a statement expression");
        cf_add_kid(r, n, cf_read_stmt(r, kids.data[0]));
        return n;
    }
    case CXCursor_GenericSelectionExpr: return generic(r, c, &kids);
    default: return unknown(r, c, cf_clang_string(r->a, clang.getCursorKindSpelling(clang.getCursorKind(c))));
    }
}
