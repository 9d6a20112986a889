// SPDX-License-Identifier: Apache-2.0
// lower_expr.c - expressions.
//
// What C evaluates only sometimes (the arms of ?:, the right side of && and ||) is lowered into regions of an
// `if`; when nothing in it costs anything or can go wrong, it is evaluated always, as a select or a logical op.
#include "cfront/lower.h"

// ---------------------------------------------------------------- what may be evaluated always
bool cf_cheap(const cf_node *n) {
    switch (n->kind) {
    case CF_NUMBER: return true;
    case CF_NAME: return n->decl->kind != CF_FUNC && cf_is_arithmetic(n->decl->type);
    case CF_CAST: return cf_is_arithmetic(n->type) && cf_is_arithmetic(n->kids[0]->type) && cf_cheap(n->kids[0]);
    case CF_UNARY:
        return (n->op == CF_NEG || n->op == CF_PLUS || n->op == CF_NOT || n->op == CF_LOGICAL_NOT) &&
               cf_is_arithmetic(n->type) && cf_cheap(n->kids[0]);
    case CF_BINARY:
        if (n->op == CF_DIV || n->op == CF_REM) return false;
        return cf_is_arithmetic(n->kids[0]->type) && cf_is_arithmetic(n->kids[1]->type) && cf_cheap(n->kids[0]) &&
               cf_cheap(n->kids[1]);
    default: return false;
    }
}

// One that is there already.
static bool cf_at_hand(const cf_node *n) {
    while (n->kind == CF_CAST && cf_is_arithmetic(n->type) && n->kids[0]->kind == CF_NUMBER) n = n->kids[0];
    return n->kind == CF_NUMBER || (n->kind == CF_NAME && n->decl->kind != CF_FUNC && cf_is_arithmetic(n->decl->type));
}

// ---------------------------------------------------------------- conditions
static ch__value *logical(cf_lower *l, cf_node *n) {
    bool is_and = n->op == CF_LOGICAL_AND;
    ch__value *x = cf_condition(l, n->kids[0]);
    bool sure;
    if (cf_decided(x, &sure)) return sure == is_and ? cf_condition(l, n->kids[1]) : x;
    if (cf_cheap(n->kids[1]))
        return ch__b_binary(&l->env->b, is_and ? CH_OP_and : CH_OP_or, x, cf_condition(l, n->kids[1]));
    cf_env *e = l->env;
    cf_env *yes, *no;
    cf_fork(l, x, &yes, &no);
    const uint8_t fixed = !is_and;
    l->env = is_and ? no : yes;
    ch__value *known =
        ch__b_const(&l->env->b, &(ch__array){.dtype = CH_BOOL, .data = (void *)(uintptr_t)&fixed, .splat = true});
    l->env = is_and ? yes : no;
    ch__value *y = cf_condition(l, n->kids[1]);
    l->env = e;
    return cf_join(l, e, x, yes, no, is_and ? y : known, is_and ? known : y);
}

// What a pointer may be in doubt for; NULL: it is known what it points to.
static const cf_doubt *doubt_in(const cf_ptr *p) {
    for (int k = 0; k < p->n; k++)
        if (p->to[k].doubt) return p->to[k].doubt;
    return NULL;
}

static ch__value *null_test(cf_lower *l, const cf_ptr *p, bool want_null) {
    if (doubt_in(p)) return cf_doubtful(l, doubt_in(p), ch__type_scalar(CH_BOOL), NULL);
    bool some_null = false, some_not = false;
    for (int k = 0; k < p->n; k++) {
        bool null = !p->to[k].o && !p->to[k].function && !p->to[k].text && !p->to[k].refused;
        some_null = some_null || null;
        some_not = some_not || !null;
    }
    if (some_null != some_not) {
        const uint8_t answer = some_null == want_null;
        return ch__b_const(&l->env->b,
                           &(ch__array){.dtype = CH_BOOL, .data = (void *)(uintptr_t)&answer, .splat = true});
    }
    ch__value *r = NULL;
    for (int k = 0; k < p->n; k++) {
        if (p->to[k].o || p->to[k].function || p->to[k].text || p->to[k].refused) continue;
        ch__value *is = cf_compare(l, CF_EQ, p->which, cf_i64(l, k));
        r = r ? ch__b_binary(&l->env->b, CH_OP_or, r, is) : is;
    }
    return want_null ? r : ch__b_unary(&l->env->b, CH_OP_not, r);
}

ch__value *cf_condition(cf_lower *l, cf_node *n) {
    if (n->kind == CF_UNARY && n->op == CF_LOGICAL_NOT)
        return ch__b_unary(&l->env->b, CH_OP_not, cf_condition(l, n->kids[0]));
    if (n->kind == CF_BINARY && (n->op == CF_LOGICAL_AND || n->op == CF_LOGICAL_OR)) return logical(l, n);
    cf_rv v = cf_value(l, n);
    if (v.p) return null_test(l, v.p, false);
    if (!v.v) return cf_truth(l, cf_i64(l, 0));
    return cf_truth(l, v.v);
}

// ---------------------------------------------------------------- pointers
static bool is_null_constant(const cf_node *n) {
    while (n->kind == CF_CAST) n = n->kids[0];
    return n->kind == CF_NUMBER && n->type->kind == CF_INT && n->i == 0;
}

static ch__value *compare_pointers(cf_lower *l, cf_node *n) {
    cf_rv x = cf_value(l, n->kids[0]), y = cf_value(l, n->kids[1]);
    if (!x.p || !y.p) return cf_truth(l, cf_i64(l, 0));
    bool equality = n->op == CF_EQ || n->op == CF_NE;
    if (equality && is_null_constant(n->kids[1])) return null_test(l, x.p, n->op == CF_EQ);
    if (equality && is_null_constant(n->kids[0])) return null_test(l, y.p, n->op == CF_EQ);
    const cf_doubt *why = doubt_in(x.p) ? doubt_in(x.p) : doubt_in(y.p);
    if (why) return cf_doubtful(l, why, ch__type_scalar(CH_BOOL), NULL);
    if (x.p->n == 1 && y.p->n == 1 && x.p->to[0].o == y.p->to[0].o && x.p->to[0].first == y.p->to[0].first)
        return cf_compare(l, n->op, cf_add_index(l, x.p->index, NULL) ? x.p->index : cf_i64(l, 0),
                          y.p->index ? y.p->index : cf_i64(l, 0));
    if (equality && x.p->n == 1 && y.p->n == 1) {
        const uint8_t differ = n->op == CF_NE;
        return ch__b_const(&l->env->b,
                           &(ch__array){.dtype = CH_BOOL, .data = (void *)(uintptr_t)&differ, .splat = true});
    }
    const cf_doubt *d = cf_doubt_of(l, "CH132", n->loc, "compare indices",
                                    "a comparison of pointers that may point to different things");
    return cf_doubtful(l, d, ch__type_scalar(CH_BOOL), NULL);
}

// p + i, p - i in elements of what p points to.
static const cf_ptr *pointer_plus(cf_lower *l, cf_node *p, cf_node *i, bool minus) {
    cf_rv base = cf_value(l, p);
    ch__value *by = cf_index(l, cf_scalar(l, i));
    if (!base.p) return cf_null(l);
    if (minus) by = cf_arith(l, CF_SUB, &(cf_type){.kind = CF_INT, .bits = 64, .is_signed = true}, cf_i64(l, 0), by);
    return cf_moved(l, base.p, by, p->loc);
}

static ch__value *pointer_difference(cf_lower *l, cf_node *n) {
    cf_rv x = cf_value(l, n->kids[0]), y = cf_value(l, n->kids[1]);
    if (!x.p || !y.p || x.p->n != 1 || y.p->n != 1 || x.p->to[0].o != y.p->to[0].o || !x.p->to[0].o) {
        const cf_doubt *d = cf_doubt_of(l, "CH132", n->loc, "use indices",
                                        "a difference of pointers that may point to different things");
        return cf_doubtful(l, d, ch__type_scalar(CH_I64), NULL);
    }
    return cf_arith(l, CF_SUB, &(cf_type){.kind = CF_INT, .bits = 64, .is_signed = true},
                    x.p->index ? x.p->index : cf_i64(l, 0), y.p->index ? y.p->index : cf_i64(l, 0));
}

// ---------------------------------------------------------------- places
const cf_ptr *cf_place(cf_lower *l, cf_node *n) {
    switch (n->kind) {
    case CF_NAME:
        if (n->decl->kind == CF_FUNC) {
            cf_ptr *p = CH_NEW(l->a, cf_ptr);
            p->n = 1;
            p->to = CH_NEW(l->a, cf_target);
            *p->to = (cf_target){.function = n->decl, .type = n->type};
            return p;
        }
        return cf_address(l, cf_variable(l, n->decl, n->loc));
    case CF_STRING: {
        cf_ptr *p = CH_NEW(l->a, cf_ptr);
        *p = *cf_nowhere(l);
        p->to[0].refused = false;
        p->to[0].text = n->s && strlen(n->s) >= 2 ? n->s : "\"\"";
        return p;
    }
    case CF_MEMBER: return cf_field_of(l, cf_place(l, n->kids[0]), n->kids[0]->type, (int)n->i, n->loc);
    case CF_ARROW: {
        cf_rv v = cf_value(l, n->kids[0]);
        return v.p ? cf_field_of(l, v.p, n->kids[0]->type->of, (int)n->i, n->loc) : cf_nowhere(l);
    }
    case CF_INDEX: return pointer_plus(l, n->kids[0], n->kids[1], false);
    case CF_UNARY:
        if (n->op == CF_DEREF) {
            cf_rv v = cf_value(l, n->kids[0]);
            return v.p ? v.p : cf_null(l);
        }
        break;
    case CF_LITERAL: {
        cf_declare_extents(l, n->type);
        cf_object *o = cf_new_object(l, "literal", n->type, 1, NULL, n->loc);
        cf_make_storage(l, o);
        const cf_ptr *p = cf_address(l, o);
        cf_initialize(l, p, n->type, n->kids[0]);
        return p;
    }
    case CF_CALL:
    case CF_COND:
    case CF_COMMA:
    case CF_ASSIGN: // of a struct
    case CF_STATEMENT_EXPR: {
        cf_rv v = cf_value(l, n);
        if (v.p) return v.p;
        break;
    }
    case CF_CAST:
        if (n->type->kind == CF_STRUCT) return cf_place(l, n->kids[0]);
        break;
    default: break;
    }
    const cf_doubt *d =
        cf_doubt_of(l, "CH133", n->loc, "use a variable", "an object of a kind that is not known here%s%s",
                    n->s ? ": " : "", n->s ? n->s : "");
    return cf_doubtful_pointer(l, d, false);
}

// ---------------------------------------------------------------- assignments
static cf_rv assign(cf_lower *l, cf_node *n) {
    cf_type *t = n->kids[0]->type;
    if (n->op == CF_NO_OP) {
        cf_rv v = cf_value(l, n->kids[1]);
        const cf_ptr *p = cf_place(l, n->kids[0]);
        if (cf_is_arithmetic(t) && v.v) v.v = cf_plain(l, v.v);
        cf_store(l, p, v, t, n->loc);
        if (t->kind == CF_STRUCT) return (cf_rv){.p = p, .type = t};
        if (t->width) return cf_load(l, p, t, n->loc);
        v.type = t;
        return v;
    }
    const cf_ptr *p = cf_place(l, n->kids[0]);
    if (p->to[0].doubt && p->to[0].forgets) { // what is read of it later is in doubt
        cf_value(l, n->kids[1]);
        return cf_doubtful_rv(l, p->to[0].doubt, t);
    }
    cf_rv old = cf_load(l, p, t, n->loc);
    if (t->kind == CF_POINTER) {
        ch__value *by = cf_index(l, cf_scalar(l, n->kids[1]));
        if (n->op == CF_SUB)
            by = cf_arith(l, CF_SUB, &(cf_type){.kind = CF_INT, .bits = 64, .is_signed = true}, cf_i64(l, 0), by);
        cf_rv v = {.p = cf_moved(l, old.p, by, n->loc), .type = t};
        cf_store(l, p, v, t, n->loc);
        return v;
    }
    if (!cf_is_arithmetic(t)) { // in doubt
        cf_value(l, n->kids[1]);
        cf_store(l, p, old, t, n->loc);
        return old;
    }
    ch__value *y = cf_scalar(l, n->kids[1]);
    cf_type *calc = n->of ? n->of : t;
    bool shift = n->op == CF_SHL || n->op == CF_SHR;
    ch__value *x = cf_convert(l, old.v, t, calc);
    if (!shift) y = cf_convert(l, y, n->kids[1]->type, calc);
    ch__value *r = cf_convert(l, cf_arith(l, n->op, calc, x, y), calc, t);
    cf_rv v = {.v = r, .type = t};
    cf_store(l, p, v, t, n->loc);
    return v;
}

static cf_rv increment(cf_lower *l, cf_node *n) {
    cf_type *t = n->kids[0]->type;
    bool down = n->op == CF_PRE_DEC || n->op == CF_POST_DEC, post = n->op == CF_POST_INC || n->op == CF_POST_DEC;
    const cf_ptr *p = cf_place(l, n->kids[0]);
    if (p->to[0].doubt && p->to[0].forgets) return cf_doubtful_rv(l, p->to[0].doubt, t);
    cf_rv old = cf_load(l, p, t, n->loc), v = {.type = t};
    if (t->kind == CF_POINTER) {
        v.p = cf_moved(l, old.p, cf_i64(l, down ? -1 : 1), n->loc);
    } else if (!cf_is_arithmetic(t)) {
        v = old; // in doubt
    } else {
        static const cf_type plain_int = {.kind = CF_INT, .bits = 32, .is_signed = true, .text = "int"};
        const cf_type *calc = t->kind == CF_INT && t->bits < 32 ? &plain_int : t->kind == CF_BOOL ? &plain_int : t;
        ch__value *x = cf_convert(l, old.v, t, calc);
        v.v = cf_convert(l, cf_arith(l, down ? CF_SUB : CF_ADD, calc, x, cf_number(l, calc, 1, 1)), calc, t);
    }
    cf_store(l, p, v, t, n->loc);
    return post ? old : v;
}

// ---------------------------------------------------------------- ?:
// (double *)(c ? malloc(n) : NULL): each arm is converted, so that memory gets its type where it is made.
static cf_node *with_converted_arms(cf_lower *l, const cf_node *cast) {
    cf_node *out = ch__arena_dup(l->a, cast->kids[0], sizeof *out);
    out->type = cast->type;
    out->kids = ch__arena_dup(l->a, cast->kids[0]->kids, 3 * sizeof *out->kids);
    for (int i = 1; i < 3; i++) {
        cf_node *arm = ch__arena_dup(l->a, cast, sizeof *arm);
        arm->kids = CH_NEW(l->a, cf_node *);
        arm->kids[0] = out->kids[i];
        out->kids[i] = arm;
    }
    return out;
}

static cf_rv conditional(cf_lower *l, cf_node *n) {
    ch__value *pred = cf_condition(l, n->kids[0]);
    cf_type *t = n->type;
    bool known;
    if (cf_decided(pred, &known)) {
        cf_rv v = cf_value(l, n->kids[known ? 1 : 2]);
        if (v.v) v.v = cf_plain(l, v.v);
        return v;
    }
    if (cf_is_arithmetic(t) && cf_at_hand(n->kids[1]) && cf_at_hand(n->kids[2])) {
        ch__value *x = cf_plain(l, cf_scalar(l, n->kids[1])), *y = cf_plain(l, cf_scalar(l, n->kids[2]));
        return (cf_rv){.v = ch__b_select(&l->env->b, pred, x, y), .type = t};
    }
    cf_env *e = l->env;
    int slot = t->kind == CF_POINTER ? cf_new_slot(l, NULL, NULL, NULL) : -1;
    cf_object *o = t->kind == CF_STRUCT ? cf_new_object(l, "chosen", t, 1, NULL, n->loc) : NULL;
    if (o) cf_make_storage(l, o);
    cf_env *x, *y;
    cf_fork(l, pred, &x, &y);
    cf_rv v[2];
    for (int i = 0; i < 2; i++) {
        l->env = i ? y : x;
        v[i] = cf_value(l, n->kids[i + 1]);
        if (v[i].v) v[i].v = cf_plain(l, v[i].v);
        if (slot >= 0 && v[i].p) cf_set_pointer(l, slot, v[i].p);
        if (o && v[i].p) cf_store(l, cf_address(l, o), v[i], t, n->loc);
    }
    l->env = e;
    if (o) {
        cf_join(l, e, pred, x, y, NULL, NULL);
        return (cf_rv){.p = cf_address(l, o), .type = t};
    }
    if (slot >= 0) {
        cf_join(l, e, pred, x, y, NULL, NULL);
        const cf_ptr *p = cf_get_pointer(l, slot);
        return (cf_rv){.p = p ? p : cf_null(l), .type = t};
    }
    if (!v[0].v || !v[1].v) { // void
        cf_join(l, e, pred, x, y, NULL, NULL);
        return (cf_rv){.type = t};
    }
    ch__value *r = cf_join(l, e, pred, x, y, v[0].v, v[1].v);
    return (cf_rv){.v = r ? r : v[0].v, .type = t};
}

// ---------------------------------------------------------------- operators
static cf_rv binary_expr(cf_lower *l, cf_node *n) {
    if (n->op == CF_LOGICAL_AND || n->op == CF_LOGICAL_OR) return (cf_rv){.v = logical(l, n), .type = n->type};
    bool px = n->kids[0]->type->kind == CF_POINTER, py = n->kids[1]->type->kind == CF_POINTER;
    if (n->op >= CF_LT && n->op <= CF_NE) {
        if (px || py) return (cf_rv){.v = compare_pointers(l, n), .type = n->type};
        ch__value *x = cf_scalar(l, n->kids[0]);
        return (cf_rv){.v = cf_compare(l, n->op, x, cf_scalar(l, n->kids[1])), .type = n->type};
    }
    if (px && py) return (cf_rv){.v = pointer_difference(l, n), .type = n->type};
    if (px) return (cf_rv){.p = pointer_plus(l, n->kids[0], n->kids[1], n->op == CF_SUB), .type = n->type};
    if (py) return (cf_rv){.p = pointer_plus(l, n->kids[1], n->kids[0], false), .type = n->type};
    if (!cf_is_arithmetic(n->type) || !cf_is_arithmetic(n->kids[0]->type) || !cf_is_arithmetic(n->kids[1]->type)) {
        const cf_node *odd = cf_is_arithmetic(n->kids[0]->type) ? n->kids[1] : n->kids[0];
        const char *text = cf_is_arithmetic(n->type) ? odd->type->text : n->type->text;
        return cf_doubtful_rv(l, cf_doubt_of(l, "CH121", n->loc, "use double or float", "arithmetic on %s", text),
                              n->type);
    }
    ch__value *x = cf_scalar(l, n->kids[0]), *y = cf_scalar(l, n->kids[1]);
    return (cf_rv){.v = cf_arith(l, n->op, n->type, x, y), .type = n->type};
}

static cf_rv unary_expr(cf_lower *l, cf_node *n) {
    cf_rv v = {.type = n->type};
    switch (n->op) {
    case CF_NEG: {
        ch__value *x = cf_plain(l, cf_scalar(l, n->kids[0]));
        int64_t i;
        ch_dtype d = x->type->dtype;
        if (d == CH_I64 && cf_known(x, &i) && i != INT64_MIN) {
            v.v = cf_i64(l, -i);
        } else if (d == CH_U32 || d == CH_U64) {
            v.v = cf_arith(l, CF_SUB, n->type, cf_number(l, n->type, 0, 0), x);
        } else if (d == CH_I64) {
            ch__attr a = ch__attr_int(CH__ATTR_nowrap, 1);
            v.v = &ch__build(&l->env->b, CH_OP_neg, 1, &x, 1, &a, 0, NULL, 0, NULL)->results[0];
        } else {
            v.v = ch__b_neg(&l->env->b, x);
        }
        return v;
    }
    case CF_PLUS: v.v = cf_plain(l, cf_scalar(l, n->kids[0])); return v;
    case CF_NOT: v.v = ch__b_unary(&l->env->b, CH_OP_not, cf_plain(l, cf_scalar(l, n->kids[0]))); return v;
    case CF_LOGICAL_NOT: v.v = ch__b_unary(&l->env->b, CH_OP_not, cf_condition(l, n->kids[0])); return v;
    case CF_DEREF: return cf_load(l, cf_place(l, n), n->type, n->loc);
    case CF_ADDRESS: v.p = cf_place(l, n->kids[0]); return v;
    default: return increment(l, n);
    }
}

static const cf_type *scalar_below(const cf_type *t) {
    while (t->kind == CF_ARRAY) t = t->of;
    return t;
}

// A pointer to a struct as one to its first member, or that one's.
static const cf_ptr *first_members(cf_lower *l, const cf_ptr *p, cf_type *as) {
    cf_type *t = p->to[0].type;
    while (t->kind == CF_STRUCT && !cf_same_type(t, as) && !t->record->is_union && t->record->fields.n)
        t = t->record->fields.data[0].type;
    cf_object *o = p->to[0].o;
    if (p->to[0].first == 0 && p->to[0].n < (int)o->leaves.n && cf_same_type(o->type, as) && p->to[0].alone) {
        cf_ptr *whole = CH_NEW(l->a, cf_ptr); // and back again
        *whole = *cf_address(l, o);
        whole->index = p->index;
        return whole;
    }
    if (t == p->to[0].type || t->kind != CF_STRUCT || !cf_same_type(t, as)) return p;
    cf_ptr *q = CH_NEW(l->a, cf_ptr);
    *q = *p;
    q->to = ch__arena_dup(l->a, p->to, sizeof *p->to);
    q->to[0].type = t;
    q->to[0].n = cf_count_leaves(t);
    q->to[0].alone = true;
    return q;
}

// A pointer to numbers as one to rows of them, or the other way.
static const cf_ptr *viewed(cf_lower *l, const cf_ptr *p, cf_type *as, const cf_node *at_node) {
    const cf_target *t = &p->to[0];
    int64_t at;
    if (p->n != 1 || !t->o || !t->type) return p;
    if (as->kind == CF_STRUCT && t->type->kind == CF_STRUCT) return first_members(l, p, as);
    if (as->kind == CF_ARRAY && t->type->kind == CF_ARRAY && !cf_same_type(as, t->type))
        return cf_doubtful_pointer(l,
                                   cf_doubt_of(l, "CH120", at_node->loc, "point to the array itself",
                                               "a pointer to %s used as one to %s", t->type->text, as->text),
                                   false);
    if ((as->kind == CF_ARRAY) == (t->type->kind == CF_ARRAY)) return p;
    if (!cf_is_arithmetic(scalar_below(as)) || !cf_same_type(scalar_below(as), scalar_below(t->type))) return p;
    if (as->kind == CF_ARRAY && (t->alone || (p->index && !(cf_known(p->index, &at) && at == 0)))) return p;
    cf_ptr *q = CH_NEW(l->a, cf_ptr);
    *q = *p;
    q->to = ch__arena_dup(l->a, p->to, sizeof *p->to);
    if (as->kind != CF_ARRAY && p->index) q->index = cf_mul_index(l, p->index, cf_units(l, t->type));
    q->to[0].type = as;
    q->to[0].alone = false;
    return q;
}

static cf_rv cast_expr(cf_lower *l, cf_node *n) {
    cf_node *kid = n->kids[0];
    cf_type *from = kid->type, *to = n->type;
    cf_declare_extents(l, to);
    if (to->kind == CF_VOID) {
        if (kid->kind != CF_SIZEOF) cf_value(l, kid);
        return (cf_rv){.type = to};
    }
    if (to->kind == CF_POINTER) {
        if (is_null_constant(kid)) return (cf_rv){.p = cf_null(l), .type = to};
        cf_decl *f;
        const cf_node *call = kid;
        while (call->kind == CF_CAST) call = call->kids[0];
        if (call->kind == CF_CALL && to->of->kind != CF_VOID && cf_called(call, &f) &&
            (!strcmp(cf_called(call, &f), "malloc") || !strcmp(cf_called(call, &f), "calloc")))
            return cf_allocated(l, (cf_node *)(uintptr_t)call, to);
        if (kid->kind == CF_COND && from->kind == CF_POINTER && from->of->kind == CF_VOID && to->of->kind != CF_VOID)
            return cf_value(l, with_converted_arms(l, n));
        cf_rv v = cf_value(l, kid);
        v.type = to;
        if (v.p) v.p = cf_typed_memory(l, v.p, to->of, n->loc);
        if (v.p) v.p = viewed(l, v.p, to->of, n);
        if (!v.p) {
            v.p = cf_doubtful_pointer(
                l, cf_doubt_of(l, "CH134", n->loc, "keep it a pointer", "an integer made into a pointer"), false);
        }
        return v; // what it points to knows its type
    }
    if (from->kind == CF_POINTER) {
        cf_rv v = cf_value(l, kid);
        if (to->kind == CF_BOOL && v.p) return (cf_rv){.v = null_test(l, v.p, false), .type = to};
        if (v.p && v.p->to[0].doubt) return cf_doubtful_rv(l, v.p->to[0].doubt, to);
        return cf_doubtful_rv(l, cf_doubt_of(l, "CH134", n->loc, "keep it a pointer", "a pointer made into an integer"),
                              to);
    }
    if (to->kind == CF_STRUCT) return cf_value(l, kid);
    if (!cf_is_arithmetic(to)) { // long double and complex numbers go through as they are
        cf_rv v = cf_value(l, kid);
        if (!v.p)
            return cf_doubtful_rv(
                l, cf_doubt_of(l, "CH121", n->loc, "use double or float", "a number of type %s", to->text), to);
        return (cf_rv){.p = v.p, .type = to};
    }
    ch__value *x = cf_scalar(l, kid);
    return (cf_rv){.v = cf_is_arithmetic(from) ? cf_convert(l, x, from, to) : ch__b_convert(&l->env->b, x, cf_held(to)),
                   .type = to};
}

static cf_rv size_expr(cf_lower *l, cf_node *n) {
    ch__value *count = cf_units(l, n->of);
    cf_type *t = n->of;
    while (t->kind == CF_ARRAY) t = t->of;
    int64_t each = cf_sizeof(t);
    if (each < 0)
        return cf_doubtful_rv(l, cf_doubt_of(l, "CH135", n->loc, "write the size out", "the size of %s", t->text),
                              n->type);
    ch__value *v = cf_mul_index(l, count, cf_i64(l, each < 0 ? 1 : each));
    return (cf_rv){.v = cf_convert(l, v, &(cf_type){.kind = CF_INT, .bits = 64, .is_signed = true}, n->type),
                   .type = n->type};
}

ch__value *cf_scalar(cf_lower *l, cf_node *n) {
    cf_rv v = cf_value(l, n);
    if (v.v) return v.v;
    const ch__type *t = ch__type_scalar(cf_is_arithmetic(n->type) ? cf_held(n->type) : CH_F64);
    if (v.p && v.p->to[0].doubt) return cf_doubtful(l, v.p->to[0].doubt, t, NULL);
    if (v.p && v.p->to[0].refused) return cf_zero(l, t);
    return cf_doubtful(
        l, cf_doubt_of(l, "CH133", n->loc, "use a number", "a number is wanted and something else is there"), t, NULL);
}

cf_rv cf_value(cf_lower *l, cf_node *n) {
    const ch__loc *saved = l->env->b.loc;
    cf_rv v = {.type = n->type};
    if (n->loc.file && (n->kind == CF_CALL || n->kind == CF_ASSIGN || !saved))
        l->env->b.loc = ch__loc_make(l->a, n->loc.file, n->loc.line, n->loc.col);
    switch (n->kind) {
    case CF_NUMBER: v.v = cf_number(l, n->type, n->i, n->f); break;
    case CF_NAME:
        if (n->decl->kind == CF_FUNC)
            v.p = cf_place(l, n);
        else
            v = cf_load(l, cf_place(l, n), n->decl->type, n->loc);
        break;
    case CF_MEMBER:
    case CF_ARROW:
    case CF_INDEX:
    case CF_LITERAL: v = cf_load(l, cf_place(l, n), n->type, n->loc); break;
    case CF_UNARY: v = unary_expr(l, n); break;
    case CF_BINARY: v = binary_expr(l, n); break;
    case CF_ASSIGN: v = assign(l, n); break;
    case CF_COND: v = conditional(l, n); break;
    case CF_COMMA:
        cf_value(l, n->kids[0]);
        v = cf_value(l, n->kids[1]);
        break;
    case CF_CALL: v = cf_lower_call(l, n); break;
    case CF_DECAY:
        v.p = cf_place(l, n->kids[0]);
        if (n->kids[0]->type->kind == CF_ARRAY) v.p = cf_element(l, v.p, n->loc);
        break;
    case CF_CAST: v = cast_expr(l, n); break;
    case CF_SIZEOF: v = size_expr(l, n); break;
    case CF_STATEMENT_EXPR: {
        cf_node *block = n->kids[0], *last = block->n ? block->kids[block->n - 1] : NULL;
        if (n->type->kind == CF_VOID || !last || last->kind != CF_EXPR) {
            cf_statement(l, block);
        } else {
            cf_statements(l, block->n - 1, block->kids);
            v = cf_value(l, last->kids[0]);
        }
        break;
    }
    case CF_STRING: v.p = cf_place(l, n); break;
    default:
        if (n->type->kind == CF_VOID)
            cf_refuse(l, "CH136", n->loc, "write it otherwise", "%s", n->s ? n->s : "an expression of this kind");
        else
            v = cf_doubtful_rv(
                l,
                cf_doubt_of(l, "CH136", n->loc, "write it otherwise", "%s", n->s ? n->s : "an expression of this kind"),
                n->type);
        break;
    }
    l->env->b.loc = saved;
    return v;
}
