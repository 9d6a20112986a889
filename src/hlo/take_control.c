// SPDX-License-Identifier: Apache-2.0
// hlo/take_control.c - StableHLO to IR: if, case, while, calls, composites, barriers.
//
// A while that counts is a for: one of its values is a scalar integer, the condition compares it with something that
// does not change (LT), and the body adds 1 to it. That is how JAX writes scans, and how this project writes a for; a
// for has a number of turns that is known when it begins, which derivatives and engines make use of. Everything else
// about the loop stays as it is.
#include "hlo/hlo.h"

#include <string.h>

// ---------------------------------------------------------------- branches

static void hlo_control_need(ch__hlo_take *t, int regions) {
    if (t->op->n_regions != regions)
        ch__hlo_fail(t, CH__E_arity, "%d region%s — it has %d", t->op->n_regions, t->op->n_regions == 1 ? "" : "s",
                     regions);
}

static void hlo_control_yields(ch__hlo_take *t, int n) {
    if (n != t->op->n_results)
        ch__hlo_fail(t, CH__E_arity, "%d results are written — its regions yield %d", t->op->n_results, n);
}

static void hlo_control_results(ch__hlo_take *t, const ch__op *op) {
    hlo_control_yields(t, op->n_results);
    for (int i = 0; i < op->n_results; i++) ch__hlo_out(t, i, &op->results[i]);
}

void ch__hlo_take_if(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    hlo_control_need(t, 2);
    ch__value *pred = ch__hlo_in(t, 0);
    ch__hlo_op *op = t->op;
    ch__region *regions[2];
    for (int i = 0; i < 2; i++) regions[i] = ch__hlo_take_region(t, op->regions[i]);
    t->op = op;
    t->r->p.here = op->at;
    hlo_control_results(t, ch__build(&t->b, CH_OP_if, 1, &pred, 0, NULL, 0, NULL, 2, regions));
}

// Branches first .. last of a case as a tree of ifs; at most log2 of them deep.
static ch__op *hlo_control_tree(ch__hlo_take *t, ch__value *index, int first, int last) {
    int mid = first + (last - first + 1) / 2;
    ch__value *below = ch__b_compare(&t->b, CH__LT, index, ch__b_splat_like(&t->b, index, mid));
    ch__region *regions[2];
    for (int side = 0; side < 2; side++) {
        int lo = side ? mid : first, hi = side ? last : mid - 1;
        if (lo == hi) {
            regions[side] = ch__hlo_take_region(t, t->op->regions[lo]);
            continue;
        }
        ch__builder outer = t->b;
        regions[side] = ch__region_create(t->b.func, NULL);
        t->b = ch__builder_at_end(regions[side]);
        t->b.loc = outer.loc;
        ch__op *inner = hlo_control_tree(t, index, lo, hi);
        ch__value **results = CH_NEW_ARRAY(t->scratch, ch__value *, inner->n_results + 1);
        for (int i = 0; i < inner->n_results; i++) results[i] = &inner->results[i];
        ch__region_set_results(regions[side], inner->n_results, results);
        t->b = outer;
    }
    return ch__build(&t->b, CH_OP_if, 1, &below, 0, NULL, 0, NULL, 2, regions);
}

// An index outside of the branches means the last one.
void ch__hlo_take_case(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *index = ch__hlo_in(t, 0);
    int n = t->op->n_regions;
    if (n < 1) ch__hlo_fail(t, CH__E_arity, "it has no branches");
    if (index->type->rank != 0 || !ch__is_int(index->type->dtype))
        ch__hlo_fail(t, CH__E_dtype_mismatch, "its index is %s — a scalar integer", t->op->operands[0]->type->text);
    if (n == 1) {
        ch__value **results = CH_NEW_ARRAY(t->scratch, ch__value *, t->op->n_results + 1);
        hlo_control_yields(t, t->op->regions[0]->last->n_operands);
        ch__hlo_take_ops(t, t->op->regions[0], results);
        for (int i = 0; i < t->op->n_results; i++) ch__hlo_out(t, i, results[i]);
        return;
    }
    ch__value *low = ch__b_compare(&t->b, CH__LT, index, ch__b_splat_like(&t->b, index, 0));
    index = ch__b_select(&t->b, low, ch__b_splat_like(&t->b, index, n - 1), index);
    hlo_control_results(t, hlo_control_tree(t, index, 0, n - 1));
}

// ---------------------------------------------------------------- while

typedef struct {
    int counter;                // which of the values
    const ch__hlo_value *bound; // a value from outside, a param that stays as it is, or a constant of the condition
    ch__hlo_op *constant;       // that constant
    int param;                  // that param; -1
} hlo_control_count;

static ch__hlo_op *hlo_control_maker(const ch__hlo_region *r, const ch__hlo_value *v) {
    for (ch__hlo_op *op = r->first; op && op != r->last; op = op->next)
        for (int i = 0; i < op->n_results; i++)
            if (op->results[i] == v) return op;
    return NULL;
}

static int hlo_control_param(const ch__hlo_region *r, const ch__hlo_value *v) {
    for (int i = 0; i < r->n_params; i++)
        if (r->params[i] == v) return i;
    return -1;
}

static bool hlo_control_is(const ch__hlo_op *op, const char *name) { return op && strcmp(op->name, name) == 0; }

static bool hlo_control_one(const ch__hlo_op *op) {
    for (int64_t i = 0; hlo_control_is(op, "stablehlo.constant") && i < op->attrs.n; i++)
        if (op->attrs.data[i]->kind == CH__HA_DENSE) return op->attrs.data[i]->n == 1 && op->attrs.data[i]->s[0] == '1';
    return false;
}

static bool hlo_control_less(const ch__hlo_op *op) {
    if (!hlo_control_is(op, "stablehlo.compare") || op->n_operands != 2) return false;
    for (int64_t i = 0; i < op->words.n; i++)
        if (op->words.data[i].n == 2 && memcmp(op->words.data[i].s, "LT", 2) == 0) return true;
    for (int64_t i = 0; i < op->attrs.n; i++)
        if (ch__hlo_is_attr_word(op->attrs.data[i], "LT")) return true;
    return false;
}

static bool hlo_control_counts(const ch__hlo_op *op, hlo_control_count *out) {
    for (int64_t i = 0; i < op->attrs.n; i++)
        if (strcmp(op->attrs.data[i]->name, "chaac.loop") == 0) return false; // it says that it is none
    const ch__hlo_region *cond = op->regions[0], *body = op->regions[1];
    const ch__hlo_op *less = cond->last->n_operands == 1 ? hlo_control_maker(cond, cond->last->operands[0]) : NULL;
    if (!hlo_control_less(less)) return false;
    for (const ch__hlo_op *o = cond->first; o != cond->last; o = o->next) // nothing else happens in it
        if (o != less && !hlo_control_is(o, "stablehlo.constant")) return false;
    out->counter = hlo_control_param(cond, less->operands[0]);
    if (out->counter < 0) return false;
    const ch__type *type = cond->params[out->counter]->type->type;
    if (!type || type->rank != 0 || (type->dtype != CH_I32 && type->dtype != CH_I64)) return false;
    out->bound = less->operands[1];
    out->param = hlo_control_param(cond, out->bound);
    out->constant = out->param < 0 ? hlo_control_maker(cond, out->bound) : NULL;
    if (out->param >= 0 && body->last->operands[out->param] != body->params[out->param]) return false;
    const ch__hlo_op *add = hlo_control_maker(body, body->last->operands[out->counter]);
    if (!hlo_control_is(add, "stablehlo.add") || add->n_operands != 2) return false;
    int own = add->operands[0] == body->params[out->counter]   ? 0
              : add->operands[1] == body->params[out->counter] ? 1
                                                               : -1;
    return own >= 0 && hlo_control_one(hlo_control_maker(body, add->operands[1 - own]));
}

static int hlo_control_policy(ch__hlo_take *t, ch__attr *attrs) {
    const ch__hlo_attr *a = ch__hlo_attr_of(t, "chaac.policy");
    if (!a || a->kind != CH__HA_STR) return 0;
    attrs[0] = ch__attr_str(CH__ATTR_policy, ch__arena_strndup(t->module->arena, a->s, a->n));
    return 1;
}

// The loop's values but the counter go round; after it the counter is where it started or at the bound.
static void hlo_control_for(ch__hlo_take *t, const hlo_control_count *c) {
    ch__hlo_op *op = t->op;
    const ch__hlo_region *body = op->regions[1];
    int n = op->n_operands, k = 0;
    ch__value *start = ch__hlo_in(t, c->counter), *bound;
    ch_dtype d = start->type->dtype;
    if (c->constant) { // its region is not taken: it goes before the loop
        t->op = c->constant;
        ch__hlo_take_constant(t, NULL);
        t->op = op;
    }
    bound = c->param >= 0 ? ch__hlo_in(t, c->param) : c->bound->value;
    if (!bound) return; // refused before: said with the rest
    if (bound->type->rank != 0 || bound->type->dtype != d)
        ch__hlo_fail(t, CH__E_shape_mismatch, "its condition compares values of different types");
    ch__value **operands = CH_NEW_ARRAY(t->scratch, ch__value *, n + 3);
    operands[0] = ch__b_convert(&t->b, start, CH_I64);
    operands[1] = ch__b_convert(&t->b, bound, CH_I64);
    operands[2] = ch__hlo_i64(t, 1);
    for (int i = 0; i < n; i++)
        if (i != c->counter) operands[3 + k++] = ch__hlo_in(t, i);
    ch__region *to = ch__region_create(t->b.func, NULL);
    ch__builder outer = t->b;
    ch__value *counter = ch__region_add_param(to, NULL, ch__type_scalar(CH_I64));
    for (int i = 0; i < n; i++)
        if (i != c->counter) body->params[i]->value = ch__region_add_param(to, NULL, body->params[i]->type->type);
    t->b = ch__builder_at_end(to);
    t->b.loc = outer.loc;
    body->params[c->counter]->value = ch__b_convert(&t->b, counter, d);
    ch__value **all = CH_NEW_ARRAY(t->scratch, ch__value *, n + 1),
              **results = CH_NEW_ARRAY(t->scratch, ch__value *, n + 1);
    ch__hlo_take_ops(t, body, all);
    t->op = op;
    t->b = outer;
    k = 0;
    for (int i = 0; i < n; i++) {
        if (i == c->counter) continue;
        if (!all[i]) return; // refused inside: said with the rest
        results[k++] = all[i];
    }
    ch__region_set_results(to, k, results);
    ch__attr attrs[1];
    int n_attrs = hlo_control_policy(t, attrs);
    ch__op *loop = ch__build(&t->b, CH_OP_for, 3 + k, operands, n_attrs, attrs, 0, NULL, 1, &to);
    k = 0;
    for (int i = 0; i < n; i++)
        ch__hlo_out(t, i, i == c->counter ? ch__b_binary(&t->b, CH_OP_max, start, bound) : &loop->results[k++]);
}

void ch__hlo_take_while(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    hlo_control_need(t, 2);
    ch__hlo_op *op = t->op;
    for (int i = 0; i < 2; i++) {
        int yields = i ? op->n_operands : 1;
        if (op->regions[i]->n_params != op->n_operands || op->regions[i]->last->n_operands != yields)
            ch__hlo_fail(t, CH__E_arity, "its %s takes %d values and yields %d — %d and %d", i ? "body" : "condition",
                         op->regions[i]->n_params, op->regions[i]->last->n_operands, op->n_operands, yields);
    }
    if (op->n_results != op->n_operands)
        ch__hlo_fail(t, CH__E_arity, "%d results are written — it has %d", op->n_results, op->n_operands);
    hlo_control_count c;
    if (hlo_control_counts(op, &c)) {
        hlo_control_for(t, &c);
        return;
    }
    ch__value **operands = CH_NEW_ARRAY(t->scratch, ch__value *, op->n_operands + 1);
    for (int i = 0; i < op->n_operands; i++) operands[i] = ch__hlo_in(t, i);
    ch__region *regions[2];
    for (int i = 0; i < 2; i++) regions[i] = ch__hlo_take_region(t, op->regions[i]);
    t->op = op;
    t->r->p.here = op->at;
    ch__attr attrs[1];
    int n_attrs = hlo_control_policy(t, attrs);
    hlo_control_results(t,
                        ch__build(&t->b, CH_OP_while, op->n_operands, operands, n_attrs, attrs, 0, NULL, 2, regions));
}

void ch__hlo_take_barrier(ch__hlo_take *t, const ch__hlo_row *row) {
    if (t->op->n_operands == 0) return;
    ch__value **in = CH_NEW_ARRAY(t->scratch, ch__value *, t->op->n_operands);
    for (int i = 0; i < t->op->n_operands; i++) in[i] = ch__hlo_in(t, i);
    hlo_control_results(t, ch__build(&t->b, row->code, t->op->n_operands, in, 0, NULL, 0, NULL, 0, NULL));
}

// ---------------------------------------------------------------- calls

static ch__hlo_func *hlo_control_callee(ch__hlo_take *t, const ch__hlo_op *op, const char *name) {
    ch__hlo_func *f = name ? ch__strmap_get(&t->r->funcs, name) : NULL;
    if (!name) ch__parse_fail(&t->r->p, CH__E_attribute, op->at, "%s: the func it calls is missing", op->name);
    if (!f) {
        const char **names = CH_NEW_ARRAY(t->scratch, const char *, t->r->funcs.n + 1);
        int n = 0;
        for (const ch__hlo_func *g = t->r->first; g; g = g->next) names[n++] = g->name;
        const char *near = ch__nearest(name, names, n);
        ch__parse_fail(&t->r->p, CH__E_unknown_func, op->at, "%s: no func @%s in this text%s%s%s", op->name, name,
                       near ? " — did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return f;
}

ch__hlo_func *ch__hlo_callee(ch__hlo_take *t, const ch__hlo_op *call) {
    const char *name = call->string;
    for (int64_t i = 0; !name && i < call->attrs.n; i++) {
        ch__hlo_attr *a = call->attrs.data[i];
        if (strcmp(a->name, "callee") != 0) continue;
        name = ch__arena_strndup(t->scratch, a->s ? a->s : "", a->n);
        a->read = true;
    }
    return hlo_control_callee(t, call, name);
}

static void hlo_control_arity(ch__hlo_take *t, const ch__hlo_func *f) {
    if (t->op->n_operands != f->body->n_params)
        ch__hlo_fail(t, CH__E_arity, "%d operands — @%s takes %d", t->op->n_operands, f->name, f->body->n_params);
}

static ch__op *hlo_control_build_call(ch__hlo_take *t, const ch__hlo_func *f, ch__value *const *in) {
    const ch__hlo_op *op = t->op;
    hlo_control_arity(t, f);
    for (int i = 0; i < op->n_operands; i++)
        if (!ch__type_equal(in[i]->type, f->body->params[i]->type->type))
            ch__hlo_fail(t, CH__E_shape_mismatch, "operand %d is %s — @%s takes %s", i, op->operands[i]->type->text,
                         f->name, f->body->params[i]->type->text);
    const ch__type **types = CH_NEW_ARRAY(t->scratch, const ch__type *, f->n_results + 1);
    for (int i = 0; i < f->n_results; i++) types[i] = f->results[i]->type;
    ch__attr a = ch__attr_func(CH__ATTR_callee, f->func);
    return ch__build_raw(&t->b, CH_OP_call, op->n_operands, in, 1, &a, f->n_results, types, 0, NULL);
}

static ch__value **hlo_control_operands(ch__hlo_take *t) {
    ch__value **in = CH_NEW_ARRAY(t->scratch, ch__value *, t->op->n_operands + 1);
    for (int i = 0; i < t->op->n_operands; i++) in[i] = ch__hlo_in(t, i);
    return in;
}

// A func that this project wrote for an operation of the IR: the operation itself.
static void hlo_control_op(ch__hlo_take *t, const ch__hlo_func *f) {
    int code = ch__op_find(f->op, strlen(f->op));
    if (code < 0 || ch__op_info_of((ch__opcode)code)->flags & CH__REGION)
        ch__parse_fail(&t->r->p, CH__E_unknown_op, f->at, "@%s: chaac.op is %s, which is no operation", f->name, f->op);
    ch__attr attrs[1];
    const ch__hlo_attr *fn = ch__hlo_dict_get(f->attrs, "chaac.fn");
    int n = 0;
    if (fn && fn->kind == CH__HA_STR)
        attrs[n++] = ch__attr_str(CH__ATTR_fn, ch__arena_strndup(t->module->arena, fn->s, fn->n));
    const ch__type **types = CH_NEW_ARRAY(t->scratch, const ch__type *, t->op->n_results + 1);
    for (int i = 0; i < t->op->n_results; i++) types[i] = ch__hlo_result_type(t, i);
    bool typed = ch__op_info_of((ch__opcode)code)->typed;
    hlo_control_results(t, ch__build(&t->b, (ch__opcode)code, t->op->n_operands, hlo_control_operands(t), n, attrs,
                                     typed ? t->op->n_results : 0, types, 0, NULL));
}

// A call in a region of scalars: what the func does, to arrays.
static void hlo_control_apply(ch__hlo_take *t, const ch__hlo_func *f) {
    const ch__hlo_op *op = t->op;
    const int n = f->body->last->n_operands;
    ch__value **out = CH_NEW_ARRAY(t->scratch, ch__value *, n + 1), **in = hlo_control_operands(t);
    hlo_control_arity(t, f);
    hlo_control_yields(t, n);
    for (int i = 0; i < op->n_operands; i++)
        if (!ch__type_equal(op->operands[i]->type->type, f->body->params[i]->type->type))
            ch__hlo_fail(t, CH__E_shape_mismatch, "operand %d is %s — @%s takes %s", i, op->operands[i]->type->text,
                         f->name, f->body->params[i]->type->text);
    for (int i = 0; i < n; i++)
        if (!ch__type_equal(op->results[i]->type->type, f->body->last->operands[i]->type->type))
            ch__hlo_fail(t, CH__E_shape_mismatch, "result %d is written as %s — @%s gives %s", i,
                         op->results[i]->type->text, f->name, f->body->last->operands[i]->type->text);
    ch__hlo_apply_func(t, f, in, out);
    for (int i = 0; i < n; i++) ch__hlo_out(t, i, out[i]);
}

void ch__hlo_take_call(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__hlo_func *f = ch__hlo_callee(t, t->op);
    if (f->op && !f->func)
        hlo_control_op(t, f);
    else if (t->shape)
        hlo_control_apply(t, f);
    else
        hlo_control_results(t, hlo_control_build_call(t, f, hlo_control_operands(t)));
}

// The text of a string of MLIR: \" \\ \n \t and \0D, two hex digits, undone.
static const char *hlo_control_unquoted(ch__hlo_take *t, const ch__hlo_attr *a) {
    char *out = ch__arena_strndup(t->module->arena, a->s, a->n), *o = out;
    for (const char *s = out; *s; s++) {
        int hi = *s == '\\' ? ch__hex_digit(s[1]) : -1, lo = hi >= 0 ? ch__hex_digit(s[2]) : -1;
        bool escaped = lo < 0 && *s == '\\' && s[1] && strchr("\"\\nt", s[1]) != NULL;
        if (escaped) s++;
        *o++ = lo >= 0 ? (char)(hi * 16 + lo) : escaped && *s == 'n' ? '\n' : escaped && *s == 't' ? '\t' : *s;
        if (lo >= 0) s += 2;
    }
    *o = 0;
    return out;
}

// Its region calls the decomposition.
void ch__hlo_take_composite(ch__hlo_take *t, const ch__hlo_row *row) {
    const ch__hlo_attr *decomposition = ch__hlo_attr_of(t, "decomposition"), *named = ch__hlo_attr_of(t, "name");
    const ch__hlo_attr *args = ch__hlo_attr_of(t, "composite_attributes");
    const char *name = t->op->string;
    if (!name && named) name = ch__arena_strndup(t->scratch, named->s, named->n);
    if (!name || !decomposition) ch__hlo_fail(t, CH__E_attribute, "its name or its decomposition is missing");
    const ch__hlo_func *f =
        hlo_control_callee(t, t->op, ch__arena_strndup(t->scratch, decomposition->s, decomposition->n));
    ch__value **in = hlo_control_operands(t), **inner = CH_NEW_ARRAY(t->scratch, ch__value *, t->op->n_operands + 1);
    ch__region *body = ch__region_create(t->b.func, NULL);
    for (int i = 0; i < t->op->n_operands; i++) inner[i] = ch__region_add_param(body, NULL, in[i]->type);
    ch__builder outer = t->b;
    t->b = ch__builder_at_end(body);
    t->b.loc = outer.loc;
    const ch__op *call = hlo_control_build_call(t, f, inner);
    ch__value **results = CH_NEW_ARRAY(t->scratch, ch__value *, call->n_results + 1);
    for (int i = 0; i < call->n_results; i++) results[i] = &call->results[i];
    ch__region_set_results(body, call->n_results, results);
    t->b = outer;
    ch__attr attrs[5];
    int n = 0;
    const ch__hlo_attr *own = ch__hlo_dict_get(args, "chaac.name");
    if (own && own->kind == CH__HA_STR)
        name = hlo_control_unquoted(t, own);
    else if (strncmp(name, "chaac.", 6) == 0 && name[6])
        name += 6;
    attrs[n++] = ch__attr_str(CH__ATTR_name, name);
    int64_t version = ch__hlo_int(t, "version", NULL, 1);
    if (version != 1) attrs[n++] = ch__attr_int(CH__ATTR_version, version);
    const ch__hlo_attr *text = ch__hlo_dict_get(args, "chaac.args"), *remat = ch__hlo_dict_get(args, "chaac.remat");
    if (text && text->kind == CH__HA_STR) attrs[n++] = ch__attr_str(CH__ATTR_args, hlo_control_unquoted(t, text));
    if (remat && remat->kind == CH__HA_BOOL && remat->i) attrs[n++] = ch__attr_int(CH__ATTR_remat, 1);
    const ch__hlo_attr *kernel = ch__hlo_dict_get(args, "chaac.kernel");
    if (kernel && kernel->kind == CH__HA_BOOL && kernel->i) attrs[n++] = ch__attr_str(CH__ATTR_kernel, "");
    ch__hlo_sort_attrs(n, attrs);
    hlo_control_results(t, ch__build(&t->b, row->code, t->op->n_operands, in, n, attrs, 0, NULL, 1, &body));
}
