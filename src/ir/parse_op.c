// SPDX-License-Identifier: Apache-2.0
// parse_op.c - operations and their regions.
//
//   op = [%a {"," %b} "="] name operands [attrs] [regions] [":" type {"," type}] ["loc(" file [":" line [":" col]] ")"]
//
// Most ops have the general form; if, for, while, call, composite, get, set and alloc have their own between name and
// types. Each op is built at once through its shape rule, and the types written are compared with what the rule gives.
// Calls are the exception: the callee may stand further down, so they are built with the types written and checked at
// the end (ch__check_calls).
#include "ir/parse.h"

#include <stdlib.h>
#include <string.h>

// What is read of one op before it is built.
typedef struct op_parts {
    ch__opcode code;
    const ch__op_info *info;
    ch__tok name;
    CH_VEC(ch__tok) names; // of the results
    CH_VEC(ch__value *) operands;
    ch__attr_list attrs;
    ch__region *regions[1 + CH__RULE_KINDS];
    int n_regions;
    CH_VEC(const ch__type *) types;
    CH_VEC(const char *) type_at;
    CH_VEC(const char *) binds; // alloc: the local symbols
} op_parts;

// ---------------------------------------------------------------- names of values

static bool op_is_number(const ch__tok *t) {
    for (size_t i = 0; i < t->n; i++) {
        if (t->s[i] < '0' || t->s[i] > '9') return false;
    }
    return true;
}

static void op_check_name(ch__parser *p, const ch__tok *t) {
    bool digit = t->s[0] >= '0' && t->s[0] <= '9';
    if (digit && !op_is_number(t))
        ch__parse_fail(p, CH__E_parse, t->at, "'%%%s' is neither a number nor a name", ch__tok_text(p, t));
}

void ch__define(ch__parser *p, const ch__tok *name, ch__value *v) {
    op_check_name(p, name);
    ch__binding *b = ch__strmap_getn(&p->values, name->s, name->n);
    if (b && b->alive)
        ch__parse_fail(p, CH__E_duplicate_name, name->at, "%%%s is defined twice — first on line %d", b->name, b->line);
    if (!b) {
        b = CH_NEW(p->scratch, ch__binding);
        b->name = ch__tok_text(p, name);
        ch__strmap_put(&p->values, b->name, b);
    }
    b->value = v;
    b->alive = true;
    b->line = name->line;
    if (!op_is_number(name) && !v->name) v->name = ch__arena_strndup(p->arena, name->s, name->n);
    CH_PUSH(p->scratch, &p->scope, b);
}

void ch__scope_leave(ch__parser *p, int64_t depth) {
    while (p->scope.n > depth) p->scope.data[--p->scope.n]->alive = false;
}

ch__value *ch__read_use(ch__parser *p) {
    ch__tok t = p->tok;
    if (t.kind != CH__T_VALUE) ch__parse_expected(p, "a value (%name)");
    ch__binding *b = ch__strmap_getn(&p->values, t.s, t.n);
    if (b && b->alive) {
        ch__next(p);
        return b->value;
    }
    const char *name = ch__tok_text(p, &t);
    if (b)
        ch__parse_fail(p, CH__E_unknown_name, t.at, "%%%s belongs to a region that has ended (line %d)", name, b->line);
    const char **names = CH_NEW_ARRAY(p->scratch, const char *, p->scope.n + 1);
    for (int64_t i = 0; i < p->scope.n; i++) names[i] = p->scope.data[i]->name;
    const char *near = op_is_number(&t) ? NULL : ch__nearest(name, names, (int)p->scope.n);
    if (near) ch__parse_fail(p, CH__E_unknown_name, t.at, "%%%s is not defined — did you mean '%%%s'?", name, near);
    ch__parse_fail(p, CH__E_unknown_name, t.at, "%%%s is not defined", name);
}

// ---------------------------------------------------------------- operands, types, locations

static void op_operand(ch__parser *p, op_parts *o) {
    ch__value *v = ch__read_use(p);
    CH_PUSH(p->scratch, &o->operands, v);
}

// "(%x, %y)" or "[%i, %j]"
static void op_operand_list(ch__parser *p, op_parts *o, char open, char close, const char *after) {
    ch__want(p, open, after);
    for (bool first = true; !ch__is(p, close); first = false) {
        if (!first) ch__want(p, ',', close == ')' ? "or ')' in the list of values" : "or ']' in the list of values");
        op_operand(p, o);
    }
    ch__next(p);
}

static void op_types(ch__parser *p, op_parts *o) {
    if (!ch__eat(p, ':')) {
        if (o->names.n > 0) ch__parse_expected(p, "':' and the type of the result");
        return;
    }
    // Kept only where the op takes its type from here; elsewhere the text is compared with what the rule gives.
    ch__arena *arena = p->arena;
    if (!o->info->typed && o->code != CH_OP_call) p->arena = p->scratch;
    do {
        const char *at = p->tok.at;
        const ch__type *t = ch__read_type(p);
        CH_PUSH(p->scratch, &o->types, t);
        CH_PUSH(p->scratch, &o->type_at, at);
    } while (ch__eat(p, ','));
    p->arena = arena;
}

// An op's place: loc(...), or its line of this text. A negative column marks the latter, which is not printed.
static const ch__loc *op_loc(ch__parser *p, const ch__tok *at) {
    if (!ch__eat_word(p, "loc")) return ch__loc_make(p->arena, p->file, at->line, -1);
    ch__want(p, '(', "after loc");
    ch__tok t = p->tok;
    if (t.kind != CH__T_STR) ch__parse_expected(p, "a file name in quotes");
    ch__next(p);
    const char *file = ch__tok_string(p, &t);
    int64_t line = 0, col = 0;
    if (ch__eat(p, ':')) line = ch__want_int(p, "a line number");
    if (ch__eat(p, ':')) col = ch__want_int(p, "a column");
    if (line < 0 || line > INT32_MAX || col < 0 || col > INT32_MAX)
        ch__parse_fail(p, CH__E_parse, t.at, "loc: line and column are 0 or more and below 2^31");
    ch__want(p, ')', "after the location");
    return ch__loc_make(p->arena, ch__arena_strdup(p->arena, file), (int)line, (int)col);
}

// ---------------------------------------------------------------- regions

static void op_list_values(ch__parser *p, ch__region *r) {
    op_parts o = {0};
    if (p->tok.kind == CH__T_VALUE) {
        op_operand(p, &o);
        while (ch__eat(p, ',')) op_operand(p, &o);
    }
    ch__region_set_results(r, (int)o.operands.n, o.operands.data);
}

static void op_read(ch__parser *p, ch__region *r);

void ch__read_body(ch__parser *p, ch__region *r, const char *word) {
    if (++p->depth > CH__MAX_NEST)
        ch__parse_fail(p, CH__E_limit, p->tok.at, "regions nested more than %d deep", CH__MAX_NEST);
    int64_t scope = p->scope.n, symbols = p->symbol_scope.n;
    ch__want(p, '{', word[0] == 'r' ? "before the body" : "before the region");
    while (!ch__is_word(p, word)) {
        bool other = ch__is_word(p, "return") || ch__is_word(p, "yield"); // the one that ends the other kind
        if (other || (p->tok.kind != CH__T_VALUE && p->tok.kind != CH__T_IDENT))
            ch__parse_expected(p, word[0] == 'r' ? "an op or 'return'" : "an op or 'yield'");
        op_read(p, r);
    }
    ch__next(p);
    op_list_values(p, r);
    ch__want(p, '}', word[0] == 'r' ? "after the values returned" : "after the values yielded");
    ch__scope_leave(p, scope);
    ch__symbol_leave(p, symbols);
    p->depth--;
}

// "(%acc = %x, %b = %y)": names of region params and the operands they start from.
typedef CH_VEC(ch__tok) op_names;
static void op_inits(ch__parser *p, op_parts *o, op_names *names, const char *after) {
    ch__want(p, '(', after);
    for (bool first = true; !ch__is(p, ')'); first = false) {
        if (!first) ch__want(p, ',', "or ')' in the list");
        ch__tok t = p->tok;
        if (t.kind != CH__T_VALUE) ch__parse_expected(p, "a name (%a = %x)");
        CH_PUSH(p->scratch, names, t);
        ch__next(p);
        ch__want(p, '=', "after the name");
        op_operand(p, o);
    }
    ch__next(p);
}

// A region whose params are named by `names`, of the types of the operands from `first` on.
static void op_region(ch__parser *p, op_parts *o, const op_names *names, int first, const ch__tok *index) {
    ch__region *r = ch__region_create(p->func, NULL);
    int64_t scope = p->scope.n;
    if (index) ch__define(p, index, ch__region_add_param(r, NULL, ch__type_scalar(CH_I64)));
    for (int64_t i = 0; names && i < names->n; i++)
        ch__define(p, &names->data[i], ch__region_add_param(r, NULL, o->operands.data[first + i]->type));
    ch__read_body(p, r, "yield");
    ch__scope_leave(p, scope);
    o->regions[o->n_regions++] = r;
}

static void op_attrs(ch__parser *p, op_parts *o) {
    bool region = o->info->flags & CH__REGION;
    if (region ? !ch__at_attrs(p) : !ch__is(p, '{')) return;
    ch__next(p);
    ch__read_attrs(p, o->code, &o->attrs, '}');
}

// ---------------------------------------------------------------- forms of their own

static void op_if(ch__parser *p, op_parts *o) {
    op_operand(p, o);
    op_attrs(p, o);
    op_region(p, o, NULL, 0, NULL);
    if (!ch__eat_word(p, "else")) ch__parse_expected(p, "'else' (both branches are written)");
    op_region(p, o, NULL, 0, NULL);
}

static void op_for(ch__parser *p, op_parts *o) {
    ch__tok index = p->tok;
    if (index.kind != CH__T_VALUE) ch__parse_expected(p, "the name of the counter (%i)");
    ch__next(p);
    ch__want(p, '=', "after the counter");
    op_operand(p, o);
    if (!ch__eat_word(p, "to")) ch__parse_expected(p, "'to' and the end of the loop");
    op_operand(p, o);
    if (!ch__eat_word(p, "step")) ch__parse_expected(p, "'step' and a value");
    op_operand(p, o);
    op_names names = {0};
    if (ch__eat_word(p, "iter")) op_inits(p, o, &names, "after iter");
    op_attrs(p, o);
    op_region(p, o, &names, 3, &index);
}

static void op_while(ch__parser *p, op_parts *o) {
    op_names names = {0};
    if (ch__eat_word(p, "iter")) op_inits(p, o, &names, "after iter");
    op_attrs(p, o);
    op_region(p, o, &names, 0, NULL);
    if (!ch__eat_word(p, "do")) ch__parse_expected(p, "'do' and the body");
    op_region(p, o, &names, 0, NULL);
}

static void op_call(ch__parser *p, op_parts *o) {
    ch__tok t = p->tok;
    if (t.kind != CH__T_GLOBAL) ch__parse_expected(p, "the func called (@name)");
    const ch__func_entry *callee = ch__strmap_getn(&p->funcs, t.s, t.n);
    if (!callee) {
        const char *name = ch__tok_text(p, &t), **names = NULL;
        int n = 0;
        for (ch_func *f = p->module->first; f; f = f->next) n++;
        names = CH_NEW_ARRAY(p->scratch, const char *, n + 1);
        n = 0;
        for (ch_func *f = p->module->first; f; f = f->next) names[n++] = f->name;
        ch__parse_fail(p, CH__E_unknown_func, t.at, "call: no func @%s in this text%s", name,
                       ch__did_you_mean(p, name, names, n));
    }
    ch__next(p);
    ch__attr_list_add(p, &o->attrs, ch__attr_func(CH__ATTR_callee, callee->func));
    op_operand_list(p, o, '(', ')', "after the func called");
    op_attrs(p, o);
}

// The types of a rule's params: operands, then results and adjoints (vjp), or tangents (jvp).
static int64_t op_rule_types(ch__parser *p, const op_parts *o, ch__rule_kind kind, const ch__type ***out) {
    const ch__region *body = o->regions[0];
    int64_t n = 0;
    *out = CH_NEW_ARRAY(p->scratch, const ch__type *, 2 * (o->operands.n + body->n_results) + 1);
    for (int64_t i = 0; i < o->operands.n; i++) (*out)[n++] = o->operands.data[i]->type;
    for (int i = 0; kind == CH__RULE_VJP && i < body->n_results; i++) (*out)[n++] = body->results[i]->type;
    for (int i = 0; kind == CH__RULE_VJP && i < body->n_results; i++)
        if (ch__is_float(body->results[i]->type->dtype)) (*out)[n++] = body->results[i]->type;
    for (int64_t i = 0; kind == CH__RULE_JVP && i < o->operands.n; i++)
        if (ch__is_float(o->operands.data[i]->type->dtype)) (*out)[n++] = o->operands.data[i]->type;
    return n;
}

// vjp(%x, %y, %y_bar) { ... yield %x_bar }   jvp(%x, %x_dot) { ... yield %y_dot }
static void op_rule(ch__parser *p, op_parts *o, ch__rule_kind kind) {
    const char *at = p->tok.at, *word = ch__rule_word(kind);
    op_names names = {0};
    ch__next(p);
    ch__want(p, '(', "after the kind of the rule");
    for (bool first = true; !ch__is(p, ')'); first = false) {
        if (!first) ch__want(p, ',', "or ')' in the list");
        if (p->tok.kind != CH__T_VALUE) ch__parse_expected(p, "a name (%x)");
        CH_PUSH(p->scratch, &names, p->tok);
        ch__next(p);
    }
    ch__next(p);
    const ch__type **types;
    int64_t n = op_rule_types(p, o, kind, &types);
    if (names.n != n)
        ch__parse_fail(p, CH__E_arity, at, "composite: the %s rule names %d param%s — it takes %d: %s", word,
                       (int)names.n, names.n == 1 ? "" : "s", (int)n,
                       kind == CH__RULE_VJP ? "operands, results, an adjoint per floating result"
                                            : "operands, a tangent per floating operand");
    ch__region *r = ch__region_create(p->func, NULL);
    int64_t scope = p->scope.n;
    for (int64_t i = 0; i < n; i++) ch__define(p, &names.data[i], ch__region_add_param(r, NULL, types[i]));
    ch__read_body(p, r, "yield");
    ch__scope_leave(p, scope);
    o->regions[o->n_regions++] = r;
}

static void op_composite(ch__parser *p, op_parts *o) {
    ch__tok t = p->tok;
    if (t.kind != CH__T_STR) ch__parse_expected(p, "the name of the composite in quotes");
    ch__next(p);
    ch__attr_list_add(p, &o->attrs, ch__attr_str(CH__ATTR_name, ch__tok_string(p, &t)));
    op_names names = {0};
    op_inits(p, o, &names, "after the name of the composite");
    op_attrs(p, o);
    op_region(p, o, &names, 0, NULL);
    for (int k = 0; k < CH__RULE_KINDS; k++)
        if (ch__is_word(p, ch__rule_word((ch__rule_kind)k))) op_rule(p, o, (ch__rule_kind)k);
}

// get %a[%i, %j]   set %a[%i, %j], %v
static void op_element(ch__parser *p, op_parts *o) {
    op_operand(p, o);
    if (o->code == CH_OP_set) CH_PUSH(p->scratch, &o->operands, NULL); // operand 1 is the value, written last
    op_operand_list(p, o, '[', ']', "after the array");
    if (o->code == CH_OP_set) {
        ch__want(p, ',', "and the value after the place");
        o->operands.data[1] = ch__read_use(p);
    }
    op_attrs(p, o);
}

// alloc   alloc<k = %v, m = %w>: the symbols live from here to the end of the region.
static void op_alloc(ch__parser *p, op_parts *o) {
    if (ch__eat(p, '<')) {
        for (bool first = true; !ch__is(p, '>'); first = false) {
            if (!first) ch__want(p, ',', "or '>' in the list of sizes");
            ch__tok t = p->tok;
            if (t.kind != CH__T_IDENT) ch__parse_expected(p, "a size symbol (k = %v)");
            const char *name = ch__tok_text(p, &t);
            ch__binding *b = ch__strmap_get(&p->symbols, name);
            if (b && b->alive)
                ch__parse_fail(p, CH__E_duplicate_name, t.at, "alloc: the size symbol '%s' is taken already", name);
            ch__next(p);
            ch__want(p, '=', "after the size symbol");
            op_operand(p, o);
            CH_PUSH(p->scratch, &o->binds, name);
        }
        ch__next(p);
    }
    op_attrs(p, o);
    if (o->attrs.seen >> CH__ATTR_symbols & 1)
        ch__parse_fail(p, CH__E_attribute, o->name.at, "alloc: symbols are written alloc<k = %%v>");
    ch__text symbols;
    ch__text_init(&symbols, p->scratch);
    for (int64_t i = 0; i < o->binds.n; i++) {
        ch__binding *b = ch__strmap_get(&p->symbols, o->binds.data[i]);
        if (b && b->alive)
            ch__parse_fail(p, CH__E_duplicate_name, o->name.at, "alloc: the size symbol '%s' is bound twice",
                           o->binds.data[i]);
        ch__symbol_define(p, o->binds.data[i], o->name.line);
        ch__putf(&symbols, "%s%s", i ? " " : "", o->binds.data[i]);
    }
    if (o->binds.n) ch__attr_list_add(p, &o->attrs, ch__attr_str(CH__ATTR_symbols, symbols.data));
}

static void op_general(ch__parser *p, op_parts *o) {
    if (p->tok.kind == CH__T_VALUE) {
        op_operand(p, o);
        while (ch__eat(p, ',')) op_operand(p, o);
    }
    op_attrs(p, o);
}

// ---------------------------------------------------------------- one op

static ch__opcode op_code(ch__parser *p, const ch__tok *t) {
    int code = ch__op_find(t->s, t->n);
    if (code >= 0) return (ch__opcode)code;
    const char *names[CH_OP_COUNT], *name = ch__tok_text(p, t);
    for (int i = 0; i < CH_OP_COUNT; i++) names[i] = ch__op_name((ch__opcode)i);
    const char *near = ch__did_you_mean(p, name, names, CH_OP_COUNT);
    ch__parse_fail(p, CH__E_unknown_op, t->at, "no op '%s'%s", name,
                   *near ? near : " — docs/ir.md lists those there are");
}

// The data of a constant, now that its type is known.
static void op_data(ch__parser *p, op_parts *o) {
    if (!o->attrs.has_data) return;
    if (o->types.n != 1)
        ch__parse_fail(p, CH__E_arity, o->name.at, "%s: one type is written — there are %d", o->info->name,
                       (int)o->types.n);
    ch__parser back = *p;
    p->tok = o->attrs.data;
    p->pos = p->tok.at;
    p->line = p->tok.line;
    ch__next(p);
    p->here = p->tok.at;
    ch__attr_list_add(p, &o->attrs, ch__attr_array(CH__ATTR_value, ch__read_data(p, o->types.data[0])));
    p->pos = back.pos;
    p->line = back.line;
    p->tok = back.tok;
}

static void op_compare_types(ch__parser *p, op_parts *o, int n, const ch__type *const *got) {
    if (o->types.n != n)
        ch__parse_fail(p, CH__E_arity, o->name.at, "%s: %d type%s written — it has %d result%s", o->info->name,
                       (int)o->types.n, o->types.n == 1 ? " is" : "s are", n, n == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        if (!ch__type_equal(got[i], o->types.data[i]))
            ch__parse_fail(p, CH__E_shape_mismatch, o->type_at.data[i],
                           "%s: the type written is %s — its operands give %s", o->info->name,
                           ch__type_text(p->scratch, o->types.data[i]), ch__type_text(p->scratch, got[i]));
    }
}

static int op_attr_order(const void *a, const void *b) {
    return (int)((const ch__attr *)a)->id - (int)((const ch__attr *)b)->id;
}

static ch__op *op_build(ch__parser *p, ch__region *r, op_parts *o) {
    ch__builder b = ch__builder_at_end(r);
    int n = (int)o->types.n, n_attrs = (int)o->attrs.list.n;
    if (n_attrs > 1) qsort(o->attrs.list.data, (size_t)n_attrs, sizeof(ch__attr), op_attr_order);
    p->here = o->name.at;
    if (o->code == CH_OP_call) {
        ch__op *op = ch__build_raw(&b, o->code, (int)o->operands.n, o->operands.data, n_attrs, o->attrs.list.data, n,
                                   o->types.data, 0, NULL);
        CH_PUSH(p->scratch, &p->calls, (ch__call_site){op, o->name.at});
        return op;
    }
    bool typed = o->info->typed;
    ch__op *op = ch__build(&b, o->code, (int)o->operands.n, o->operands.data, n_attrs, o->attrs.list.data,
                           typed ? n : 0, typed ? o->types.data : NULL, o->n_regions, o->regions);
    const ch__type **got = CH_NEW_ARRAY(p->scratch, const ch__type *, op->n_results + 1);
    for (int i = 0; i < op->n_results; i++) got[i] = op->results[i].type;
    op_compare_types(p, o, op->n_results, got);
    return op;
}

static void op_read(ch__parser *p, ch__region *r) {
    op_parts o = {0};
    ch__tok first = p->tok;
    if (first.kind == CH__T_VALUE) {
        do {
            if (p->tok.kind != CH__T_VALUE) ch__parse_expected(p, "the name of a result");
            CH_PUSH(p->scratch, &o.names, p->tok);
            ch__next(p);
        } while (ch__eat(p, ','));
        ch__want(p, '=', "after the names of the results");
    }
    o.name = p->tok;
    if (o.name.kind != CH__T_IDENT) ch__parse_expected(p, "the name of an op");
    o.code = op_code(p, &o.name);
    o.info = ch__op_info_of(o.code);
    ch__next(p);
    switch (o.code) {
    case CH_OP_if: op_if(p, &o); break;
    case CH_OP_for: op_for(p, &o); break;
    case CH_OP_while: op_while(p, &o); break;
    case CH_OP_call: op_call(p, &o); break;
    case CH_OP_composite: op_composite(p, &o); break;
    case CH_OP_get:
    case CH_OP_set: op_element(p, &o); break;
    case CH_OP_alloc: op_alloc(p, &o); break;
    default: op_general(p, &o);
    }
    op_types(p, &o);
    const ch__loc *loc = op_loc(p, &first);
    op_data(p, &o);
    ch__op *op = op_build(p, r, &o);
    op->loc = loc;
    if (o.names.n != op->n_results)
        ch__parse_fail(p, CH__E_arity, o.name.at, "%s: %d name%s for %d result%s", o.info->name, (int)o.names.n,
                       o.names.n == 1 ? "" : "s", (int)op->n_results, op->n_results == 1 ? "" : "s");
    for (int i = 0; i < op->n_results; i++) ch__define(p, &o.names.data[i], &op->results[i]);
}

// ---------------------------------------------------------------- calls, when every func is known

static void op_check_call(ch__parser *p, const ch__call_site *site) {
    ch__op *op = site->op;
    p->here = site->at;
    const ch__type **operands = CH_NEW_ARRAY(p->scratch, const ch__type *, op->n_operands + 1);
    for (int k = 0; k < op->n_operands; k++) operands[k] = op->operands[k]->type;
    ch_func *callee = ch__op_attr(op, CH__ATTR_callee)->func;
    ch__infer in = {.arena = p->scratch,
                    .func = op->parent->func,
                    .code = CH_OP_call,
                    .n_operands = op->n_operands,
                    .operands = operands,
                    .n_attrs = op->n_attrs,
                    .attrs = op->attrs,
                    .op = op};
    ch__infer_types(&in);
    if (in.n_results != op->n_results)
        ch__parse_fail(p, CH__E_arity, site->at, "call: %d type%s written — @%s gives %d result%s", (int)op->n_results,
                       op->n_results == 1 ? " is" : "s are", callee->name, in.n_results, in.n_results == 1 ? "" : "s");
    for (int k = 0; k < in.n_results; k++) {
        if (!ch__type_equal(in.results[k], op->results[k].type))
            ch__parse_fail(p, CH__E_shape_mismatch, site->at, "call: the type written is %s — @%s gives %s",
                           ch__type_text(p->scratch, op->results[k].type), callee->name,
                           ch__type_text(p->scratch, in.results[k]));
    }
}

// Callees before callers: a caller takes over the clauses that its callees require, and those may come from theirs.
static int64_t op_check_round(ch__parser *p) {
    CH_VEC(ch__func_entry *) stack = {0};
    int64_t clauses = 0;
    for (ch_func *f = p->module->first; f; f = f->next) {
        ch__func_entry *e = ch__strmap_get(&p->funcs, f->name);
        e->next = e->calls;
    }
    for (ch_func *f = p->module->first; f; f = f->next) {
        ch__func_entry *e = ch__strmap_get(&p->funcs, f->name);
        if (e->next == e->calls) CH_PUSH(p->scratch, &stack, e);
        while (stack.n > 0) {
            e = stack.data[stack.n - 1];
            if (e->next < e->end_calls) {
                ch_func *callee = ch__op_attr(p->calls.data[e->next++].op, CH__ATTR_callee)->func;
                ch__func_entry *c = ch__strmap_get(&p->funcs, callee->name);
                if (c->next == c->calls && c->calls < c->end_calls) CH_PUSH(p->scratch, &stack, c);
                continue;
            }
            stack.n--;
            for (int64_t i = e->calls; i < e->end_calls; i++) op_check_call(p, &p->calls.data[i]);
        }
        clauses += f->requires_.n;
    }
    return clauses;
}

void ch__check_calls(ch__parser *p) {
    if (p->calls.n == 0) return;
    int64_t before, after = op_check_round(p);
    int rounds = 0; // a second one matters only where funcs call each other in a circle
    do {
        before = after;
        after = op_check_round(p);
    } while (after != before && ++rounds < 8);
    p->here = NULL;
    if (after != before) ch__raise(CH__E_limit, "requires clauses of funcs that call each other do not settle");
}
