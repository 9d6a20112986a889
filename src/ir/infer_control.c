// SPDX-License-Identifier: Apache-2.0
// infer_control.c - shape rules of ops with regions, calls, tapes and barriers.
//
// Regions are built before their op; here their params are held against the operands and their results against what the
// op gives. A loop's params fix the types that go round, so a size that changes inside is refused, never inferred.
#include "ir/infer.h"

#include <string.h>

// The regions of the op, as many as wanted.
static ch__region **regions_of(const ch__infer *in, int want) {
    if (!in->op)
        ch__raise(CH__E_internal, "%s: types are inferred without the op, its regions are needed",
                  ch__op_name(in->code));
    if (in->op->n_regions != want)
        ch__raise(CH__E_arity, "%s: given %d region%s — takes %d", ch__op_name(in->code), in->op->n_regions,
                  in->op->n_regions == 1 ? "" : "s", want);
    return in->op->regions;
}

static void need_params(const ch__infer *in, const ch__region *r, const char *which, int want) {
    if (r->n_params != want)
        ch__infer_bad(in, CH__E_arity, "%s has %d param%s, %d %s wanted", which, r->n_params,
                      r->n_params == 1 ? "" : "s", want, want == 1 ? "is" : "are");
}

static void need_yields(const ch__infer *in, const ch__region *r, const char *which, int want) {
    if (r->n_results != want)
        ch__infer_bad(in, CH__E_arity, "%s yields %d value%s, %d %s wanted", which, r->n_results,
                      r->n_results == 1 ? "" : "s", want, want == 1 ? "is" : "are");
}

static void need_bool(const ch__infer *in, const ch__type *t, const char *what) {
    if (t->dtype != CH_BOOL || t->rank || t->tape)
        ch__infer_bad(in, CH__E_dtype_mismatch, "%s is %s, bool[] is wanted", what, ch__type_text(in->arena, t));
}

static const ch__type **bring_results(ch__infer *in, int n) {
    in->results = CH_NEW_ARRAY(in->arena, const ch__type *, n ? n : 1);
    in->n_results = n;
    return in->results;
}

void ch__infer_if(ch__infer *in) {
    need_bool(in, in->operands[0], "pred");
    ch__region **r = regions_of(in, 2);
    need_params(in, r[0], "the first region", 0);
    need_params(in, r[1], "the second region", 0);
    if (r[0]->n_results != r[1]->n_results)
        ch__infer_bad(in, CH__E_arity, "the first region yields %d value%s, the second %d", r[0]->n_results,
                      r[0]->n_results == 1 ? "" : "s", r[1]->n_results);
    const ch__type **out = bring_results(in, r[0]->n_results);
    for (int i = 0; i < r[0]->n_results; i++)
        out[i] = ch__infer_match(in, r[0]->results[i]->type, ch__side_text("the first region's yield", i),
                                 r[1]->results[i]->type, ch__side_text("the second region's yield", i));
}

// The words that policy may be (attrs.def).
bool ch__is_policy(const char *s) {
    const char *open = "revolve(";
    if (!strcmp(s, "store") || !strcmp(s, "recompute") || !strcmp(s, "sqrt")) return true;
    if (strncmp(s, open, strlen(open)) != 0) return false;
    const char *p = s + strlen(open), *end = s + strlen(s);
    int64_t n = 0;
    bool overflow = false;
    const char *q = ch__parse_i64(p, end, &n, &overflow);
    return q != p && !overflow && n >= 1 && !strcmp(q, ")");
}

static void check_policy(const ch__infer *in) {
    const ch__attr *policy = ch__infer_attr(in, CH__ATTR_policy);
    if (!policy || ch__is_policy(policy->s)) return;
    ch__infer_bad_attr(in, "policy is %s, it is store, recompute, sqrt or revolve(n) with n at least 1", policy->s);
}

// Values that go round: operands from `first` on, region params from `skip` on, yields.
static void check_carried(ch__infer *in, const ch__region *body, int first, int skip) {
    int n = in->n_operands - first;
    for (int i = 0; i < n; i++) {
        const ch__type *param = body->params[skip + i]->type;
        ch__infer_match(in, param, ch__side_text("param", skip + i), in->operands[first + i],
                        ch__side_operand(first + i));
        ch__infer_match(in, param, ch__side_text("param", skip + i), body->results[i]->type, ch__side_text("yield", i));
        in->results[i] = param;
    }
    in->n_results = n;
}

static bool is_constant_zero(const ch__value *v) {
    if (!v->op || v->op->code != CH_OP_const) return false;
    const ch__attr *value = ch__op_attr(v->op, CH__ATTR_value);
    int64_t number;
    if (!value || value->array->dtype != CH_I64) return false;
    memcpy(&number, value->array->data, sizeof number);
    return number == 0;
}

void ch__infer_for(ch__infer *in) {
    for (int i = 0; i < 3; i++) {
        const ch__type *t = in->operands[i];
        if (t->dtype != CH_I64 || t->rank || t->tape)
            ch__infer_bad(in, CH__E_dtype_mismatch, "%s is %s, i64[] is wanted",
                          ch__infer_side_text(in, ch__side_operand(i)), ch__type_text(in->arena, t));
    }
    check_policy(in);
    ch__region *body = regions_of(in, 1)[0];
    if (in->op->n_operands > 2 && in->op->operands && is_constant_zero(in->op->operands[2]))
        ch__infer_bad(in, CH__E_argument, "step is 0, the loop would never end");
    int n = in->n_operands - 3;
    need_params(in, body, "the body", n + 1);
    const ch__type *i = body->params[0]->type;
    if (i->dtype != CH_I64 || i->rank || i->tape)
        ch__infer_bad(in, CH__E_dtype_mismatch, "param 0 counts and is %s, i64[] is wanted",
                      ch__type_text(in->arena, i));
    need_yields(in, body, "the body", n);
    check_carried(in, body, 3, 1);
}

void ch__infer_while(ch__infer *in) {
    check_policy(in);
    ch__region **r = regions_of(in, 2);
    need_params(in, r[0], "the condition", in->n_operands);
    need_params(in, r[1], "the body", in->n_operands);
    need_yields(in, r[0], "the condition", 1);
    need_bool(in, r[0]->results[0]->type, "the condition's yield");
    need_yields(in, r[1], "the body", in->n_operands);
    for (int i = 0; i < in->n_operands; i++)
        if (!ch__type_equal(r[0]->params[i]->type, r[1]->params[i]->type))
            ch__infer_bad(in, CH__E_shape_mismatch, "param %d is %s in the condition and %s in the body", i,
                          ch__type_text(in->arena, r[0]->params[i]->type),
                          ch__type_text(in->arena, r[1]->params[i]->type));
    check_carried(in, r[1], 0, 0);
}

// What a rule is given or gives: a list of types, each with what it is, for messages.
typedef struct {
    int n;
    const ch__type **types;
    const char **what;
} rule_list;

static void rule_add(const ch__infer *in, rule_list *l, int n, const ch__type *const *types, bool floats,
                     const char *what) {
    for (int i = 0; i < n; i++) {
        if (floats && !ch__is_float(types[i]->dtype)) continue;
        l->types[l->n] = types[i];
        l->what[l->n++] = ch__arena_printf(in->arena, "%s %d", what, i);
    }
}

static const char *rule_text(const ch__infer *in, const rule_list *l) {
    ch__text t;
    ch__text_init(&t, in->arena);
    for (int i = 0; i < l->n; i++)
        ch__putf(&t, "%s%s %s", i ? ", " : "", l->what[i], ch__type_text(in->arena, l->types[i]));
    return l->n ? t.data : "none";
}

static const char *values_text(const ch__infer *in, int n, ch__value *const *values) {
    ch__text t;
    ch__text_init(&t, in->arena);
    for (int i = 0; i < n; i++) ch__putf(&t, "%s%s", i ? ", " : "", ch__type_text(in->arena, values[i]->type));
    return n ? t.data : "none";
}

static bool rule_fits(ch__infer *in, const ch__type *x, const ch__type *y) {
    if (ch__type_equal(x, y)) return true;
    if (x->dtype != y->dtype || x->rank != y->rank || x->tape != y->tape) return false;
    for (int i = 0; i < x->rank; i++)
        if (!ch__infer_dims_equal(in, x->dims[i], y->dims[i])) return false;
    return true;
}

// Values of a rule's region against what the rule of this composite takes or gives.
static void check_rule(ch__infer *in, const char *kind, const char *verb, int n, ch__value *const *values,
                       const rule_list *want) {
    const char *name = ch__infer_attr(in, CH__ATTR_name)->s;
    if (n != want->n)
        ch__raise(CH__E_arity, "composite: the %s rule of \"%s\" %s %d value%s (%s) — wanted %s %d: %s", kind, name,
                  verb, n, n == 1 ? "" : "s", values_text(in, n, values), want->n == 1 ? "is" : "are", want->n,
                  rule_text(in, want));
    for (int i = 0; i < n; i++)
        if (!rule_fits(in, values[i]->type, want->types[i]))
            ch__raise(values[i]->type->dtype != want->types[i]->dtype ? CH__E_dtype_mismatch : CH__E_shape_mismatch,
                      "composite: the %s rule of \"%s\" %s %s as number %d — the %s is %s", kind, name, verb,
                      ch__type_text(in->arena, values[i]->type), i, want->what[i],
                      ch__type_text(in->arena, want->types[i]));
}

static rule_list rule_list_of(const ch__infer *in, int most) {
    return (rule_list){0, CH_NEW_ARRAY(in->arena, const ch__type *, most + 1),
                       CH_NEW_ARRAY(in->arena, const char *, most + 1)};
}

static void check_rules(ch__infer *in, const bool has[CH__RULE_KINDS]) {
    int n = in->n_operands, n_out = in->n_results, at = 1;
    for (int i = 0; i < n; i++)
        if (in->operands[i]->tape) ch__infer_bad(in, CH__E_dtype_mismatch, "a composite with rules takes no tapes");
    for (int k = 0; k < CH__RULE_KINDS; k++) {
        if (!has[k]) continue;
        const char *kind = ch__rule_word((ch__rule_kind)k);
        const ch__region *r = in->op->regions[at++];
        rule_list takes = rule_list_of(in, 2 * (n + n_out)), gives = rule_list_of(in, n + n_out);
        rule_add(in, &takes, n, in->operands, false, "operand");
        if (k == CH__RULE_VJP) {
            rule_add(in, &takes, n_out, in->results, false, "result");
            rule_add(in, &takes, n_out, in->results, true, "adjoint of result");
            rule_add(in, &gives, n, in->operands, true, "adjoint of operand");
        } else {
            rule_add(in, &takes, n, in->operands, true, "tangent of operand");
            rule_add(in, &gives, n_out, in->results, true, "tangent of result");
        }
        check_rule(in, kind, "takes", r->n_params, r->params, &takes);
        check_rule(in, kind, "gives", r->n_results, r->results, &gives);
    }
}

void ch__infer_composite(ch__infer *in) {
    if (!ch__infer_attr(in, CH__ATTR_name)->s[0]) ch__infer_bad_attr(in, "name is empty");
    int64_t version = ch__infer_int(in, CH__ATTR_version, 1);
    if (version < 1) ch__infer_bad_attr(in, "version is %" PRId64 ", at least 1 is wanted", version);
    const ch__attr *rules = ch__infer_attr(in, CH__ATTR_rules);
    bool has[CH__RULE_KINDS] = {false, false};
    if (rules && !ch__rules_read(rules->s, has))
        ch__infer_bad_attr(in, "rules is \"%s\", it is vjp, jvp or vjp jvp", rules->s);
    if (in->op && in->op->n_regions > 0 && in->op->n_regions != 1 + has[0] + has[1])
        ch__infer_bad_attr(in, "%d rule%s written, its attribute rules %s%s", in->op->n_regions - 1,
                           in->op->n_regions == 2 ? " is" : "s are", rules ? "says " : "is absent",
                           rules ? rules->s : "");
    ch__region *body = regions_of(in, 1 + has[0] + has[1])[0];
    need_params(in, body, "the body", in->n_operands);
    for (int i = 0; i < in->n_operands; i++)
        ch__infer_match(in, body->params[i]->type, ch__side_text("param", i), in->operands[i], ch__side_operand(i));
    const ch__type **out = bring_results(in, body->n_results);
    for (int i = 0; i < body->n_results; i++) out[i] = body->results[i]->type;
    if (rules) check_rules(in, has);
}

// ---------------------------------------------------------------- call
static ch__dim in_callers_terms(ch__infer *in, ch__dim d, const ch__dim_subs *sub) {
    return ch__dim_subst(in->arena, d, sub->n, sub->names, sub->dims);
}

// What the callee says of its sizes has to hold here: bounds surely broken are refused, clauses are taken over.
static void check_callee_sizes(ch__infer *in, ch_func *callee, const ch__dim_subs *sub) {
    for (int64_t i = 0; i < callee->dims.n; i++) {
        const ch__dim_param *p = &callee->dims.data[i];
        ch__dim d = in_callers_terms(in, ch__dim_symbol(in->arena, p->name), sub);
        ch__dim lo = ch__dim_const(p->lo), hi = ch__dim_const(p->hi);
        const char *is = ch__infer_dim_text(in, d);
        ch__answer r = p->lo > 0 ? ch__infer_le(in, lo, d) : CH__YES;
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_dim_bounds, lo, d, "%s is %s, @%s takes %" PRId64 " or more", p->name, is,
                            callee->name, p->lo);
        r = p->hi < INT64_MAX ? ch__infer_le(in, d, hi) : CH__YES;
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_dim_bounds, d, hi, "%s is %s, @%s takes at most %" PRId64, p->name, is,
                            callee->name, p->hi);
    }
    if (callee == in->func) return; // its own clauses stand already
    for (int64_t i = 0; i < callee->requires_.n; i++) {
        ch__dim a = in_callers_terms(in, callee->requires_.data[i].a, sub),
                b = in_callers_terms(in, callee->requires_.data[i].b, sub);
        ch__answer r = ch__infer_eq(in, a, b);
        if (r == CH__YES || (r == CH__OPEN && !in->func)) continue;
        ch__infer_unequal(in, r, a, b, "@%s requires %s == %s", callee->name, ch__infer_dim_text(in, a),
                          ch__infer_dim_text(in, b));
    }
}

typedef struct {
    const ch_func *callee;
    const char *unknown;
} result_scan;

static void find_undeclared(void *arg, const char *name) {
    result_scan *s = arg;
    if (!ch__func_dim_param((ch_func *)s->callee, name)) s->unknown = name;
}

// A callee that is still being built has no results yet (recursion): given result types are believed until ch__verify.
void ch__infer_call(ch__infer *in) {
    ch_func *callee = ch__infer_attr(in, CH__ATTR_callee)->func;
    const ch__region *body = callee->body;
    if (in->n_operands != body->n_params)
        ch__infer_bad(in, CH__E_arity, "@%s takes %d argument%s, given %d", callee->name, body->n_params,
                      body->n_params == 1 ? "" : "s", in->n_operands);
    ch__dim_subs sub = ch__call_subs(in->arena, callee, in->n_operands, in->operands);
    for (int i = 0; i < in->n_operands; i++) {
        const ch__type *want = ch__type_subst(in->arena, body->params[i]->type, sub.n, sub.names, sub.dims);
        ch__infer_match(in, want, ch__side_text("param", i), in->operands[i], ch__side_text("argument", i));
    }
    check_callee_sizes(in, callee, &sub);
    if (!body->results && in->n_results) return;
    const ch__type **out = bring_results(in, body->n_results);
    for (int i = 0; i < body->n_results; i++) {
        const ch__type *t = body->results[i]->type;
        result_scan s = {callee, NULL};
        for (int k = 0; k < t->rank; k++) ch__dim_symbols(t->dims[k], find_undeclared, &s);
        if (s.unknown)
            ch__infer_bad(in, CH__E_dims_undecided, "result %d of @%s is %s, and %s is known only inside", i,
                          callee->name, ch__type_text(in->arena, t), s.unknown);
        out[i] = ch__type_subst(in->arena, t, sub.n, sub.names, sub.dims);
    }
}

// ---------------------------------------------------------------- barriers and tapes
void ch__infer_barrier(ch__infer *in) {
    for (int i = 0; i < in->n_operands; i++) in->results[i] = in->operands[i];
    in->n_results = in->n_operands;
}

static const ch__type *element_of(ch__infer *in, const ch__type *tape) {
    return ch__type_make(in->arena, tape->dtype, tape->rank, tape->dims, tape->axes);
}

void ch__infer_typed_tape(ch__infer *in) {
    if (!in->results[0]->tape) ch__infer_bad(in, CH__E_dtype_mismatch, "the result is an array, it makes a tape");
    const ch__attr *capacity = ch__infer_attr(in, CH__ATTR_capacity);
    if (!capacity) return;
    ch__answer r = ch__infer_le(in, ch__dim_const(0), capacity->dim);
    if (r != CH__YES)
        ch__infer_above(in, r, CH__E_attribute, ch__dim_const(0), capacity->dim, "capacity is %s, at least 0 is wanted",
                        ch__infer_dim_text(in, capacity->dim));
}

static void need_tape(ch__infer *in) {
    if (!in->operands[0]->tape) ch__infer_bad(in, CH__E_dtype_mismatch, "tape is an array, a tape is wanted");
}

void ch__infer_push(ch__infer *in) {
    need_tape(in);
    ch__infer_match(in, element_of(in, in->operands[0]), ch__side_text("the tape", -1), in->operands[1],
                    ch__side_operand(1));
    ch__infer_one(in, in->operands[0]);
}

void ch__infer_pop(ch__infer *in) {
    need_tape(in);
    in->results[0] = in->operands[0];
    in->results[1] = element_of(in, in->operands[0]);
    in->n_results = 2;
}
