// SPDX-License-Identifier: Apache-2.0
// hlo/read.c - MLIR text as a tree of operations.
//
//   module = ["module" [@name] ["attributes" {...}] "{"] {func} ["}"]      or "builtin.module"() ({...}) : () -> ()
//   func   = "func.func" ["public"|"private"] @name "(" params ")" ["->" results] ["attributes" {...}] region
//   op     = [%a[:2], ... "="] name pieces ":" types [regions of while and reduce]          the pretty form
//          | [%a[:2], ... "="] "name" "(" operands ")" [<{...}>] ["(" regions ")"] [{...}] ":" "(" types ")" "->" types
//
// The pretty forms of all operations are read by one rule: what stands between the name and the colon is a sequence of
// operands, words, `name = attribute` and lists, in any order; what an operation does not know it refuses later. Values
// are resolved here, because a name is known from its definition to the end of its region. Locations are skipped.
#include "hlo/hlo.h"

#include <string.h>

void ch__hlo_reader_init(ch__hlo_reader *r, ch__arena *scratch, ch__arena *ir, const char *text, size_t n,
                         const char *name) {
    *r = (ch__hlo_reader){.pos = text, .lex_end = text + n, .arena = scratch, .ir = ir};
    r->p = (ch__parser){.text = text,
                        .end = text + n,
                        .pos = text,
                        .line = 1,
                        .name = name,
                        .as = CH__E_COUNT,
                        .scratch = scratch,
                        .arena = ir};
    ch__strmap_init(&r->types, scratch);
    ch__strmap_init(&r->values, scratch);
    ch__strmap_init(&r->aliases, scratch);
    ch__strmap_init(&r->meshes, scratch);
    ch__strmap_init(&r->names, scratch);
    ch__strmap_init(&r->funcs, scratch);
    ch__hlo_next(r);
}

// ---------------------------------------------------------------- values

static ch__hlo_value *hlo_read_define(ch__hlo_reader *r, const char *name, const char *at, ch__hlo_type *type) {
    ch__hlo_value *before = ch__strmap_get(&r->values, name);
    if (before && before->alive) ch__parse_fail(&r->p, CH__E_duplicate_name, at, "%%%s is defined twice", name);
    ch__hlo_value *v = CH_NEW(r->arena, ch__hlo_value);
    *v = (ch__hlo_value){.name = name, .at = at, .type = type, .alive = true};
    ch__strmap_put(&r->values, name, v);
    CH_PUSH(r->arena, &r->scope, v);
    return v;
}

static void hlo_read_leave(ch__hlo_reader *r, int64_t scope) {
    while (r->scope.n > scope) r->scope.data[--r->scope.n]->alive = false;
}

// The value that the token names; result k of a group is kept under the name with #k.
static ch__hlo_value *hlo_read_use(ch__hlo_reader *r) {
    ch__hlo_tok t = r->tok;
    if (t.kind != CH__H_VALUE) ch__hlo_expected(r, "a value (%name)");
    size_t n = t.index > 0 ? (size_t)(r->pos - t.s) : t.n; // %a#0 is %a
    ch__hlo_value *v = ch__strmap_getn(&r->values, t.s, n);
    if (!v || !v->alive)
        ch__parse_fail(&r->p, CH__E_unknown_name, t.at, "%.*s is not defined before this line%s", (int)(r->pos - t.at),
                       t.at, v ? " — its region has ended" : "");
    ch__hlo_next(r);
    return v;
}

// ---------------------------------------------------------------- one operation

typedef struct {
    ch__hlo_op *op;
    CH_VEC(ch__hlo_value *) operands;
    CH_VEC(const char *) operand_at;
    CH_VEC(ch__hlo_tok) names; // of results
    CH_VEC(int64_t) counts;
    CH_VEC(ch__hlo_region *) regions;
    CH_VEC(ch__hlo_type *) left, right; // of the arrow; right is empty without one
    bool arrow;
    CH_VEC(ch__hlo_tok) args; // names of the params of a while's regions
} hlo_read_parts;

static ch__hlo_region *hlo_read_region(ch__hlo_reader *r, const hlo_read_parts *params);

static void hlo_read_loc(ch__hlo_reader *r) {
    if (!ch__hlo_eat_word(r, "loc")) return;
    if (!ch__hlo_is(r, '(')) ch__hlo_expected(r, "'(' after loc");
    ch__hlo_skip_brackets(r);
}

static void hlo_read_operand(ch__hlo_reader *r, hlo_read_parts *o) {
    CH_PUSH(r->arena, &o->operand_at, r->tok.at);
    ch__hlo_value *v = hlo_read_use(r);
    CH_PUSH(r->arena, &o->operands, v);
}

static void hlo_read_add_attr(ch__hlo_reader *r, hlo_read_parts *o, const char *name, ch__hlo_attr *a) {
    a->name = name;
    CH_PUSH(r->arena, &o->op->attrs, a);
}

static void hlo_read_add_dict(ch__hlo_reader *r, hlo_read_parts *o, char close) {
    ch__hlo_attr *dict = ch__hlo_read_dict(r, close);
    for (int64_t i = 0; i < dict->items.n; i++) CH_PUSH(r->arena, &o->op->attrs, dict->items.data[i]);
}

// Types of one side: one, or a list in parentheses, or several with commas (return, while).
static void hlo_read_types(ch__hlo_reader *r, hlo_read_parts *o) {
    bool list = ch__hlo_eat(r, '(');
    for (bool first = true; !(list && ch__hlo_is(r, ')')); first = false) {
        if (!first && !ch__hlo_eat(r, ',')) break;
        ch__hlo_type *t = ch__hlo_read_type(r);
        CH_PUSH(r->arena, &o->left, t);
    }
    if (list) ch__hlo_want(r, ')', "after the types");
    if (r->tok.kind != CH__H_ARROW) return;
    o->arrow = true;
    ch__hlo_next(r);
    list = ch__hlo_eat(r, '(');
    for (bool first = true; !(list && ch__hlo_is(r, ')')); first = false) {
        if (!first) {
            if (!list) break;
            ch__hlo_want(r, ',', "or ')' after a type");
        }
        ch__hlo_type *t = ch__hlo_read_type(r);
        CH_PUSH(r->arena, &o->right, t);
    }
    if (list) ch__hlo_want(r, ')', "after the types of the results");
}

// [0:2, 0:8:2] of slice, as three attributes.
static void hlo_read_ranges(ch__hlo_reader *r, hlo_read_parts *o) {
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    ch__hlo_attr *lists[3];
    for (int k = 0; k < 3; k++) {
        lists[k] = CH_NEW(r->arena, ch__hlo_attr);
        *lists[k] = (ch__hlo_attr){.kind = CH__HA_LIST, .at = r->tok.at};
        hlo_read_add_attr(r, o, names[k], lists[k]);
    }
    ch__hlo_next(r);
    for (bool first = true; !ch__hlo_is(r, ']'); first = false) {
        if (!first) ch__hlo_want(r, ',', "or ']' after a range");
        for (int k = 0; k < 3; k++) {
            ch__hlo_attr *item = CH_NEW(r->arena, ch__hlo_attr);
            *item = (ch__hlo_attr){.kind = CH__HA_INT, .at = r->tok.at, .i = 1};
            if (k == 1) ch__hlo_want(r, ':', "between the ends of a range");
            if (k < 2 || ch__hlo_eat(r, ':')) item->i = ch__hlo_want_int(r, "a whole number");
            CH_PUSH(r->arena, &lists[k]->items, item);
        }
    }
    ch__hlo_next(r);
}

// window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = ..., rhs_dilate = ..., reverse = ...}
static void hlo_read_window(ch__hlo_reader *r, hlo_read_parts *o) {
    static const char *const names[][2] = {{"stride", "window_strides"},
                                           {"pad", "padding"},
                                           {"lhs_dilate", "lhs_dilation"},
                                           {"rhs_dilate", "rhs_dilation"},
                                           {"reverse", "window_reversal"}};
    ch__hlo_want(r, '{', "after window =");
    ch__hlo_attr *dict = ch__hlo_read_dict(r, '}');
    for (int64_t i = 0; i < dict->items.n; i++) {
        ch__hlo_attr *a = dict->items.data[i];
        for (int k = 0; k < 5; k++)
            if (strcmp(a->name, names[k][0]) == 0) a->name = names[k][1];
        CH_PUSH(r->arena, &o->op->attrs, a);
    }
}

static bool hlo_read_named(ch__hlo_reader *r, hlo_read_parts *o) {
    ch__hlo_tok word = r->tok;
    ch__hlo_next(r);
    if (!ch__hlo_eat(r, '=')) {
        ch__hlo_go(r, word.at);
        return false;
    }
    const char *name = ch__hlo_tok_text(r, &word);
    int64_t before = o->op->attrs.n;
    if (strcmp(name, "dim_numbers") == 0) {
        hlo_read_add_attr(r, o, "dimension_numbers", ch__hlo_read_conv(r));
    } else if (strcmp(name, "window") == 0 && ch__hlo_is(r, '{')) {
        hlo_read_window(r, o);
    } else {
        hlo_read_add_attr(r, o, name, ch__hlo_read_attr(r));
    }
    for (; before < o->op->attrs.n; before++) o->op->attrs.data[before]->name_at = word.at;
    return true;
}

// (%a init: %b), (%c init: %d): the operands of a reduce, those reduced first.
static void hlo_read_inits(ch__hlo_reader *r, hlo_read_parts *o) {
    CH_VEC(ch__hlo_value *) inits = {0};
    CH_VEC(const char *) at = {0};
    while (ch__hlo_eat(r, '(')) {
        hlo_read_operand(r, o);
        if (!ch__hlo_eat_word(r, "init")) ch__hlo_expected(r, "'init:' and the value a reduction starts from");
        ch__hlo_want(r, ':', "after init");
        CH_PUSH(r->arena, &at, r->tok.at);
        ch__hlo_value *v = hlo_read_use(r);
        CH_PUSH(r->arena, &inits, v);
        ch__hlo_want(r, ')', "after the value a reduction starts from");
        if (!ch__hlo_is(r, ',')) break;
        ch__hlo_next(r);
    }
    for (int64_t i = 0; i < inits.n; i++) {
        CH_PUSH(r->arena, &o->operands, inits.data[i]);
        CH_PUSH(r->arena, &o->operand_at, at.data[i]);
    }
}

// (%iterArg = %c, ...): names of region params and the operands they start from.
static void hlo_read_iter(ch__hlo_reader *r, hlo_read_parts *o) {
    ch__hlo_want(r, '(', "after stablehlo.while");
    for (bool first = true; !ch__hlo_is(r, ')'); first = false) {
        if (!first) ch__hlo_want(r, ',', "or ')' in the list");
        if (r->tok.kind != CH__H_VALUE) ch__hlo_expected(r, "a name (%a = %x)");
        CH_PUSH(r->arena, &o->args, r->tok);
        ch__hlo_next(r);
        ch__hlo_want(r, '=', "after the name");
        hlo_read_operand(r, o);
    }
    ch__hlo_next(r);
}

static bool hlo_read_ends(const ch__hlo_op *op) {
    return strcmp(op->name, "func.return") == 0 || strcmp(op->name, "stablehlo.return") == 0;
}

static bool hlo_read_is(const hlo_read_parts *o, const char *name) { return strcmp(o->op->name, name) == 0; }

// <@mesh, [{"x"}, {}]>
static void hlo_read_add_sharding(ch__hlo_reader *r, hlo_read_parts *o) {
    ch__hlo_attr *a = CH_NEW(r->arena, ch__hlo_attr);
    *a = (ch__hlo_attr){.kind = CH__HA_OTHER, .at = r->tok.at, .s = r->tok.at};
    a->n = (size_t)(ch__hlo_skip_brackets(r) - a->s);
    hlo_read_add_attr(r, o, "sharding", a);
}

// What stands before the colon of a pretty form.
static void hlo_read_pieces(ch__hlo_reader *r, hlo_read_parts *o) {
    int parens = 0;
    if (hlo_read_is(o, "stablehlo.while")) hlo_read_iter(r, o);
    if (hlo_read_is(o, "stablehlo.reduce") && ch__hlo_is(r, '(')) hlo_read_inits(r, o);
    if (hlo_read_is(o, "stablehlo.constant")) {
        if (ch__hlo_eat(r, '{')) hlo_read_add_dict(r, o, '}');
        ch__hlo_attr *value = ch__hlo_read_attr(r);
        hlo_read_add_attr(r, o, "value", value);
        if (!value->type) ch__parse_fail(&r->p, CH__E_parse, value->at, "expected the data of a constant (dense<...>)");
        CH_PUSH(r->arena, &o->left, value->type);
        return;
    }
    for (;;) {
        ch__hlo_tok t = r->tok;
        if (t.kind == CH__H_VALUE) {
            hlo_read_operand(r, o);
        } else if (t.kind == CH__H_STR || t.kind == CH__H_SYMBOL) {
            if (o->op->string) ch__hlo_expected(r, "one name");
            o->op->string = ch__hlo_tok_text(r, &t);
            ch__hlo_next(r);
        } else if (t.kind == CH__H_WORD) {
            if (ch__hlo_is_word(r, "cond") || ch__hlo_is_word(r, "loc")) return;
            if (ch__hlo_eat_word(r, "attributes")) continue;
            if (ch__hlo_eat_word(r, "across")) continue;
            if (ch__hlo_eat_word(r, "applies")) {
                if (r->tok.kind != CH__H_WORD) ch__hlo_expected(r, "the operation a reduction applies");
                o->op->string = ch__hlo_tok_text(r, &r->tok);
                ch__hlo_next(r);
                continue;
            }
            if (!hlo_read_named(r, o)) {
                CH_PUSH(r->arena, &o->op->words, r->tok);
                ch__hlo_next(r);
            }
        } else if (ch__hlo_is(r, '(')) {
            parens++;
            ch__hlo_next(r);
        } else if (ch__hlo_is(r, ')') && parens > 0) {
            parens--;
            ch__hlo_next(r);
        } else if (ch__hlo_is(r, '[')) {
            hlo_read_ranges(r, o);
        } else if (ch__hlo_eat(r, '{')) {
            hlo_read_add_dict(r, o, '}');
        } else if (ch__hlo_is(r, '<') && hlo_read_is(o, "sdy.sharding_constraint")) {
            hlo_read_add_sharding(r, o);
        } else if (!ch__hlo_eat(r, ',')) {
            break;
        }
    }
    if (parens) ch__hlo_expected(r, "')' after the operands");
}

// (%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: ..., ...) {...}: pairs, whose first names come first.
static ch__hlo_region *hlo_read_reducer(ch__hlo_reader *r) {
    CH_VEC(ch__hlo_tok) names = {0};
    CH_VEC(ch__hlo_type *) types = {0};
    while (ch__hlo_eat(r, '(')) {
        for (int i = 0; i < 2; i++) {
            if (i) ch__hlo_want(r, ',', "between the two params");
            if (r->tok.kind != CH__H_VALUE) ch__hlo_expected(r, "a param (%a: tensor<f32>)");
            CH_PUSH(r->arena, &names, r->tok);
            ch__hlo_next(r);
            ch__hlo_want(r, ':', "after the name of a param");
            ch__hlo_type *t = ch__hlo_read_type(r);
            CH_PUSH(r->arena, &types, t);
            hlo_read_loc(r);
        }
        ch__hlo_want(r, ')', "after the two params");
    }
    hlo_read_parts p = {0};
    for (int half = 0; half < 2; half++)
        for (int64_t i = half; i < names.n; i += 2) {
            CH_PUSH(r->arena, &p.args, names.data[i]);
            CH_PUSH(r->arena, &p.left, types.data[i]);
        }
    return hlo_read_region(r, &p);
}

static void hlo_read_add_region(ch__hlo_reader *r, hlo_read_parts *o, const hlo_read_parts *params) {
    ch__hlo_region *region = hlo_read_region(r, params);
    CH_PUSH(r->arena, &o->regions, region);
}

static void hlo_read_pretty(ch__hlo_reader *r, hlo_read_parts *o) {
    hlo_read_pieces(r, o);
    bool constant = hlo_read_is(o, "stablehlo.constant"), loop = hlo_read_is(o, "stablehlo.while");
    if (ch__hlo_eat(r, ':'))
        hlo_read_types(r, o);
    else if (!constant && !loop && !hlo_read_ends(o->op))
        ch__hlo_expected(r, "':' and the types of the operation");
    if (loop) {
        if (ch__hlo_eat_word(r, "attributes")) {
            ch__hlo_want(r, '{', "after attributes");
            hlo_read_add_dict(r, o, '}');
        }
        if (!ch__hlo_eat_word(r, "cond")) ch__hlo_expected(r, "'cond' and the condition of the loop");
        if (o->left.n != o->args.n)
            ch__parse_fail(&r->p, CH__E_arity, o->op->at, "stablehlo.while: %d types for %d values", (int)o->left.n,
                           (int)o->args.n);
        hlo_read_add_region(r, o, o);
        if (!ch__hlo_eat_word(r, "do")) ch__hlo_expected(r, "'do' and the body of the loop");
        hlo_read_add_region(r, o, o);
    }
    if (hlo_read_is(o, "stablehlo.reduce") && ch__hlo_eat_word(r, "reducer")) {
        ch__hlo_region *region = hlo_read_reducer(r);
        CH_PUSH(r->arena, &o->regions, region);
    }
}

static void hlo_read_generic(ch__hlo_reader *r, hlo_read_parts *o) {
    ch__hlo_want(r, '(', "and the operands after the name of the operation");
    for (bool first = true; !ch__hlo_is(r, ')'); first = false) {
        if (!first) ch__hlo_want(r, ',', "or ')' after an operand");
        hlo_read_operand(r, o);
    }
    ch__hlo_next(r);
    if (ch__hlo_eat(r, '<')) {
        ch__hlo_want(r, '{', "after '<'");
        hlo_read_add_dict(r, o, '}');
        ch__hlo_want(r, '>', "after the properties");
    }
    if (ch__hlo_eat(r, '(')) {
        for (bool first = true; !ch__hlo_is(r, ')'); first = false) {
            if (!first) ch__hlo_want(r, ',', "or ')' after a region");
            hlo_read_add_region(r, o, NULL);
        }
        ch__hlo_next(r);
    }
    if (ch__hlo_eat(r, '{')) hlo_read_add_dict(r, o, '}');
    ch__hlo_want(r, ':', "and the types of the operation");
    if (!ch__hlo_is(r, '(')) ch__hlo_expected(r, "the types of the operands, in parentheses");
    hlo_read_types(r, o);
    if (!o->arrow) ch__hlo_expected(r, "'->' and the types of the results");
}

// ---------------------------------------------------------------- its types and results

// The types on the left of an arrow, or of operations that write those of the operands, are those the operands have.
static void hlo_read_check_operand_types(ch__hlo_reader *r, const hlo_read_parts *o) {
    const ch__hlo_op *op = o->op;
    bool of_operands = o->arrow || hlo_read_ends(op);
    if (of_operands && o->left.n != op->n_operands && !(o->arrow && o->left.n == 1))
        ch__parse_fail(&r->p, CH__E_arity, op->at, "%s: %d type%s written for %d operand%s", op->name, (int)o->left.n,
                       o->left.n == 1 ? " is" : "s are", op->n_operands, op->n_operands == 1 ? "" : "s");
    bool all_same = !o->arrow && o->left.n == 1 && !hlo_read_ends(op) && op->n_regions == 0 &&
                    strcmp(op->name, "stablehlo.reduce_precision") != 0;
    bool loop = strcmp(op->name, "stablehlo.while") == 0;
    for (int i = 0; i < op->n_operands; i++) {
        const ch__hlo_type *want = NULL;
        if (of_operands && op->n_operands == o->left.n)
            want = o->left.data[i];
        else if (loop && i < o->left.n)
            want = o->left.data[i];
        else if (all_same || (o->arrow && o->left.n == 1))
            want = o->left.data[0];
        const ch__hlo_type *got = op->operands[i]->type;
        if (want && want != got && strcmp(want->text, got->text) != 0)
            ch__parse_fail(&r->p, CH__E_shape_mismatch, op->operand_at[i],
                           "%s: operand %d (%%%s) is %s — the type written is %s", op->name, i, op->operands[i]->name,
                           got->text, want->text);
    }
}

static void hlo_read_results(ch__hlo_reader *r, hlo_read_parts *o) {
    ch__hlo_op *op = o->op;
    int64_t named = 0, n;
    for (int64_t i = 0; i < o->counts.n; i++) named += o->counts.data[i];
    ch__hlo_type **types = o->arrow ? o->right.data : o->left.data;
    n = o->arrow ? o->right.n : o->left.n;
    if (hlo_read_ends(op)) n = 0;
    // `select %p, %a, %b : pred type, type`: the last one is the result's
    if (!o->arrow && n == 2 && strcmp(op->name, "stablehlo.select") == 0) {
        types++;
        n = 1;
    }
    if (named != n && o->names.n)
        ch__parse_fail(&r->p, CH__E_arity, op->at, "%s: %d result%s named — its type says %d", op->name, (int)named,
                       named == 1 ? " is" : "s are", (int)n);
    if (!o->names.n && n && !hlo_read_ends(op)) named = n; // results nobody uses
    op->n_results = (int)n;
    op->results = CH_NEW_ARRAY(r->arena, ch__hlo_value *, n + 1);
    int64_t k = 0;
    for (int64_t i = 0; i < o->names.n; i++) {
        const char *base = ch__hlo_tok_text(r, &o->names.data[i]);
        for (int64_t j = 0; j < o->counts.data[i]; j++, k++)
            op->results[k] = hlo_read_define(r, j ? ch__arena_printf(r->arena, "%s#%d", base, (int)j) : base,
                                             o->names.data[i].at, types[k]);
    }
    for (; k < n; k++) {
        op->results[k] = CH_NEW(r->arena, ch__hlo_value);
        *op->results[k] = (ch__hlo_value){.name = "", .at = op->at, .type = types[k]};
    }
}

static void hlo_read_result_names(ch__hlo_reader *r, hlo_read_parts *o) {
    while (r->tok.kind == CH__H_VALUE) {
        if (r->tok.index >= 0) ch__hlo_expected(r, "the name of a result");
        CH_PUSH(r->arena, &o->names, r->tok);
        ch__hlo_next(r);
        int64_t count = 1;
        if (ch__hlo_eat(r, ':')) {
            const char *at = r->tok.at;
            count = ch__hlo_want_int(r, "the number of results");
            if (count < 1 || count > 10000)
                ch__parse_fail(&r->p, CH__E_limit, at, "%lld results — 1 to 10000", (long long)count);
        }
        CH_PUSH(r->arena, &o->counts, count);
        if (!ch__hlo_eat(r, ',')) break;
    }
    if (o->names.n) ch__hlo_want(r, '=', "after the results");
}

static const char *hlo_read_op_name(ch__hlo_reader *r, const ch__hlo_tok *t) {
    const char *s = t->s;
    size_t n = t->n;
    if (n == 6 && memcmp(s, "return", 6) == 0) return "func.return";
    if (n == 4 && memcmp(s, "call", 4) == 0) return "func.call";
    const char *known = ch__strmap_getn(&r->names, s, n);
    if (!known) {
        known = ch__arena_strndup(r->arena, s, n);
        ch__strmap_put(&r->names, known, (void *)(uintptr_t)known);
    }
    return known;
}

// Shardy's other operations have a syntax of their own, and regions that end otherwise: what comes behind the name of
// one is not read.
static void hlo_read_refuse_sdy(ch__hlo_reader *r, const ch__hlo_op *op) {
    if (strncmp(op->name, "sdy.", 4) != 0 || strcmp(op->name, "sdy.sharding_constraint") == 0) return;
    const ch__hlo_row *row;
    for (int i = 0; (row = ch__hlo_row_at(i)) != NULL; i++)
        if (strcmp(row->name, op->name) == 0) break;
    ch__parse_fail(&r->p, CH__E_unsupported, op->at, "%s is not taken: %s", op->name,
                   row && row->why_not ? row->why_not : "of Shardy's operations sdy.sharding_constraint is");
}

static ch__hlo_op *hlo_read_op(ch__hlo_reader *r) {
    hlo_read_parts o = {.op = CH_NEW(r->arena, ch__hlo_op)};
    hlo_read_result_names(r, &o);
    ch__hlo_tok name = r->tok;
    bool generic = name.kind == CH__H_STR;
    if (!generic && name.kind != CH__H_WORD) ch__hlo_expected(r, "an operation");
    o.op->at = name.at;
    o.op->name = hlo_read_op_name(r, &name);
    ch__hlo_next(r);
    hlo_read_refuse_sdy(r, o.op);
    if (generic)
        hlo_read_generic(r, &o);
    else
        hlo_read_pretty(r, &o);
    hlo_read_loc(r);
    ch__hlo_op *op = o.op;
    op->n_operands = (int)o.operands.n;
    op->operands = o.operands.data;
    op->operand_at = o.operand_at.data;
    op->n_regions = (int)o.regions.n;
    op->regions = o.regions.data;
    hlo_read_check_operand_types(r, &o);
    hlo_read_results(r, &o);
    return op;
}

// ---------------------------------------------------------------- regions

static void hlo_read_add_param(ch__hlo_reader *r, ch__hlo_region *region, const ch__hlo_tok *name, ch__hlo_type *type,
                               int64_t *cap) {
    if (region->n_params == *cap)
        region->params = ch__vec_grow(r->arena, region->params, region->n_params, cap, sizeof *region->params);
    region->params[region->n_params++] = hlo_read_define(r, ch__hlo_tok_text(r, name), name->at, type);
}

// ^bb0(%a: tensor<f32>, ...):
static void hlo_read_block(ch__hlo_reader *r, ch__hlo_region *region, int64_t *cap) {
    if (r->tok.kind != CH__H_BLOCK) return;
    ch__hlo_next(r);
    if (ch__hlo_eat(r, '(')) {
        for (bool first = true; !ch__hlo_is(r, ')'); first = false) {
            if (!first) ch__hlo_want(r, ',', "or ')' after a param");
            ch__hlo_tok name = r->tok;
            if (name.kind != CH__H_VALUE) ch__hlo_expected(r, "a param (%a: tensor<f32>)");
            ch__hlo_next(r);
            ch__hlo_want(r, ':', "after the name of a param");
            ch__hlo_type *t = ch__hlo_read_type(r);
            hlo_read_loc(r);
            hlo_read_add_param(r, region, &name, t, cap);
        }
        ch__hlo_next(r);
    }
    ch__hlo_want(r, ':', "after the head of a block");
}

static void hlo_read_body(ch__hlo_reader *r, ch__hlo_region *region) {
    while (!ch__hlo_is(r, '}')) {
        if (r->tok.kind == CH__H_BLOCK)
            ch__parse_fail(&r->p, CH__E_unsupported, r->tok.at,
                           "a region with several blocks — StableHLO's control flow is if, case and while");
        if (region->last && hlo_read_ends(region->last)) ch__hlo_expected(r, "'}' after return");
        ch__hlo_op *op = hlo_read_op(r);
        if (region->last)
            region->last->next = op;
        else
            region->first = op;
        region->last = op;
        region->n_ops++;
    }
    if (!region->last || !hlo_read_ends(region->last)) ch__hlo_expected(r, "'return' at the end of the region");
    ch__hlo_next(r);
}

static ch__hlo_region *hlo_read_region(ch__hlo_reader *r, const hlo_read_parts *params) {
    if (++r->depth > CH__HLO_MAX_NEST)
        ch__parse_fail(&r->p, CH__E_limit, r->tok.at, "regions nested more than %d deep", CH__HLO_MAX_NEST);
    ch__hlo_region *region = CH_NEW(r->arena, ch__hlo_region);
    int64_t scope = r->scope.n, cap = 0;
    region->at = r->tok.at;
    ch__hlo_want(r, '{', "before a region");
    for (int64_t i = 0; params && i < params->args.n; i++)
        hlo_read_add_param(r, region, &params->args.data[i], params->left.data[i], &cap);
    hlo_read_block(r, region, &cap);
    hlo_read_body(r, region);
    hlo_read_leave(r, scope);
    r->depth--;
    return region;
}

// ---------------------------------------------------------------- funcs

typedef struct {
    CH_VEC(ch__hlo_type *) types;
    CH_VEC(ch__hlo_attr *) attrs;
} hlo_read_list;

static void hlo_read_result_list(ch__hlo_reader *r, hlo_read_list *out) {
    bool list = ch__hlo_eat(r, '(');
    for (bool first = true; !(list && ch__hlo_is(r, ')')); first = false) {
        if (!first) {
            if (!list) break;
            ch__hlo_want(r, ',', "or ')' after a result");
        }
        ch__hlo_type *t = ch__hlo_read_type(r);
        CH_PUSH(r->arena, &out->types, t);
        ch__hlo_attr *dict = list && ch__hlo_eat(r, '{') ? ch__hlo_read_dict(r, '}') : NULL;
        CH_PUSH(r->arena, &out->attrs, dict);
        hlo_read_loc(r);
    }
    if (list) ch__hlo_want(r, ')', "after the results");
}

static void hlo_read_add_func(ch__hlo_reader *r, ch__hlo_func *f) {
    ch__hlo_func *before = ch__strmap_get(&r->funcs, f->name);
    if (before) ch__parse_fail(&r->p, CH__E_duplicate_name, f->at, "func @%s is defined twice", f->name);
    ch__strmap_put(&r->funcs, f->name, f);
    const ch__hlo_attr *op = ch__hlo_dict_get(f->attrs, "chaac.op");
    if (op && op->kind == CH__HA_STR) f->op = ch__arena_strndup(r->arena, op->s, op->n);
    if (r->last)
        r->last->next = f;
    else
        r->first = f;
    r->last = f;
}

static void hlo_read_func(ch__hlo_reader *r) {
    ch__hlo_func *f = CH_NEW(r->arena, ch__hlo_func);
    ch__hlo_eat_word(r, "public");
    f->is_private = ch__hlo_eat_word(r, "private");
    if (r->tok.kind != CH__H_SYMBOL) ch__hlo_expected(r, "the name of the func (@name)");
    f->at = r->tok.at;
    f->name = ch__hlo_tok_text(r, &r->tok);
    ch__hlo_next(r);
    hlo_read_parts p = {0};
    hlo_read_list dicts = {0}, results = {0};
    ch__hlo_want(r, '(', "before the params");
    for (bool first = true; !ch__hlo_is(r, ')'); first = false) {
        if (!first) ch__hlo_want(r, ',', "or ')' after a param");
        if (r->tok.kind != CH__H_VALUE) ch__hlo_expected(r, "a param (%a: tensor<f32>)");
        CH_PUSH(r->arena, &p.args, r->tok);
        ch__hlo_next(r);
        ch__hlo_want(r, ':', "after the name of a param");
        ch__hlo_type *t = ch__hlo_read_type(r);
        CH_PUSH(r->arena, &p.left, t);
        ch__hlo_attr *dict = ch__hlo_eat(r, '{') ? ch__hlo_read_dict(r, '}') : NULL;
        CH_PUSH(r->arena, &dicts.attrs, dict);
        hlo_read_loc(r);
    }
    ch__hlo_next(r);
    if (r->tok.kind == CH__H_ARROW) {
        ch__hlo_next(r);
        hlo_read_result_list(r, &results);
    }
    if (ch__hlo_eat_word(r, "attributes")) {
        ch__hlo_want(r, '{', "after attributes");
        f->attrs = ch__hlo_read_dict(r, '}');
    }
    f->param_attrs = dicts.attrs.data;
    f->n_results = (int)results.types.n;
    f->results = results.types.data;
    f->result_attrs = results.attrs.data;
    if (!ch__hlo_is(r, '{')) ch__hlo_expected(r, "the body of the func — a declaration alone cannot be run");
    f->body = hlo_read_region(r, &p);
    hlo_read_loc(r);
    hlo_read_add_func(r, f);
}

// "func.func"() <{sym_name = "main", ...}> ({...}) {...} : () -> ()
static void hlo_read_generic_func(ch__hlo_reader *r) {
    ch__hlo_func *f = CH_NEW(r->arena, ch__hlo_func);
    hlo_read_parts o = {.op = CH_NEW(r->arena, ch__hlo_op)};
    o.op->name = "func.func";
    o.op->at = f->at = r->tok.at;
    ch__hlo_next(r);
    hlo_read_generic(r, &o);
    hlo_read_loc(r);
    const char *visibility = "";
    for (int64_t i = 0; i < o.op->attrs.n; i++) {
        const ch__hlo_attr *a = o.op->attrs.data[i];
        if (strcmp(a->name, "sym_name") == 0) f->name = ch__arena_strndup(r->arena, a->s, a->n);
        if (strcmp(a->name, "sym_visibility") == 0) visibility = ch__arena_strndup(r->arena, a->s, a->n);
    }
    if (!f->name) ch__parse_fail(&r->p, CH__E_parse, f->at, "func.func: the attribute sym_name is missing");
    if (o.regions.n != 1)
        ch__parse_fail(&r->p, CH__E_parse, f->at, "func.func: %d regions — one, its body", (int)o.regions.n);
    f->is_private = strcmp(visibility, "private") == 0;
    f->attrs = CH_NEW(r->arena, ch__hlo_attr);
    *f->attrs = (ch__hlo_attr){.kind = CH__HA_DICT, .at = f->at};
    for (int64_t i = 0; i < o.op->attrs.n; i++) CH_PUSH(r->arena, &f->attrs->items, o.op->attrs.data[i]);
    f->body = o.regions.data[0];
    ch__hlo_attr **dicts = CH_NEW_ARRAY(r->arena, ch__hlo_attr *, f->body->n_params + 1);
    for (int64_t i = 0; i < o.op->attrs.n; i++) {
        const ch__hlo_attr *a = o.op->attrs.data[i];
        if (strcmp(a->name, "arg_attrs") != 0) continue;
        for (int64_t k = 0; k < a->items.n && k < f->body->n_params; k++) dicts[k] = a->items.data[k];
    }
    f->param_attrs = dicts;
    ch__hlo_op *end = f->body->last;
    f->n_results = end->n_operands;
    f->results = CH_NEW_ARRAY(r->arena, ch__hlo_type *, end->n_operands + 1);
    f->result_attrs = CH_NEW_ARRAY(r->arena, ch__hlo_attr *, end->n_operands + 1);
    for (int i = 0; i < end->n_operands; i++) f->results[i] = end->operands[i]->type;
    for (int64_t i = 0; i < o.op->attrs.n; i++) {
        const ch__hlo_attr *a = o.op->attrs.data[i];
        if (strcmp(a->name, "res_attrs") != 0) continue;
        for (int64_t k = 0; k < a->items.n && k < f->n_results; k++) f->result_attrs[k] = a->items.data[k];
    }
    hlo_read_add_func(r, f);
}

// What stands at the top of a module and is no func: sdy.mesh @mesh = <[...]> {...}, nothing that is computed.
static void hlo_read_other(ch__hlo_reader *r) {
    if (!(r->tok.n > 4 && memcmp(r->tok.s, "sdy.", 4) == 0)) ch__hlo_expected(r, "'func.func'");
    ch__hlo_read_mesh(r);
    hlo_read_loc(r);
}

static void hlo_read_alias(ch__hlo_reader *r) {
    const char *name = ch__hlo_tok_text(r, &r->tok);
    ch__hlo_next(r);
    ch__hlo_want(r, '=', "after the name of an alias");
    ch__strmap_put(&r->aliases, name, ch__hlo_read_attr(r));
}

static void hlo_read_items(ch__hlo_reader *r, bool inside) {
    while (!(inside && ch__hlo_is(r, '}'))) {
        if (!inside && r->tok.kind == CH__H_END) break;
        if (ch__hlo_eat_word(r, "func.func"))
            hlo_read_func(r);
        else if (r->tok.kind == CH__H_STR && r->tok.n == 9 && memcmp(r->tok.s, "func.func", 9) == 0)
            hlo_read_generic_func(r);
        else if (r->tok.kind == CH__H_STR && r->tok.n == 8 && memcmp(r->tok.s, "sdy.mesh", 8) == 0)
            ch__hlo_read_generic_mesh(r), hlo_read_loc(r);
        else if (r->tok.kind == CH__H_HASH)
            hlo_read_alias(r);
        else if (r->tok.kind == CH__H_WORD)
            hlo_read_other(r);
        else
            ch__hlo_expected(r, "'func.func'");
    }
}

// "builtin.module"() <{...}> ({ ^bb0: ... }) {...} : () -> ()
static void hlo_read_generic_module(ch__hlo_reader *r) {
    ch__hlo_next(r);
    ch__hlo_want(r, '(', "after builtin.module");
    ch__hlo_want(r, ')', "after builtin.module(");
    if (ch__hlo_eat(r, '<')) {
        ch__hlo_want(r, '{', "after '<'");
        r->module_attrs = ch__hlo_read_dict(r, '}');
        ch__hlo_want(r, '>', "after the properties");
    }
    ch__hlo_want(r, '(', "and the region of the module");
    ch__hlo_want(r, '{', "and the region of the module");
    if (r->tok.kind == CH__H_BLOCK) {
        ch__hlo_next(r);
        ch__hlo_want(r, ':', "after the head of a block");
    }
    hlo_read_items(r, true);
    ch__hlo_next(r);
    ch__hlo_want(r, ')', "after the region of the module");
    if (ch__hlo_eat(r, '{')) {
        ch__hlo_attr *dict = ch__hlo_read_dict(r, '}');
        for (int64_t i = 0; r->module_attrs && i < r->module_attrs->items.n; i++)
            CH_PUSH(r->arena, &dict->items, r->module_attrs->items.data[i]);
        r->module_attrs = dict;
    }
    const ch__hlo_attr *name = ch__hlo_dict_get(r->module_attrs, "sym_name");
    if (name && name->kind == CH__HA_STR) r->module_name = ch__arena_strndup(r->ir, name->s, name->n);
    ch__hlo_want(r, ':', "and the type of the module");
    if (ch__hlo_is(r, '(')) ch__hlo_skip_brackets(r);
    if (r->tok.kind == CH__H_ARROW) ch__hlo_next(r);
    if (ch__hlo_is(r, '(')) ch__hlo_skip_brackets(r);
    hlo_read_loc(r);
}

void ch__hlo_read(ch__hlo_reader *r) {
    while (r->tok.kind == CH__H_HASH) hlo_read_alias(r);
    if (r->tok.kind == CH__H_STR && r->tok.n == 14 && memcmp(r->tok.s, "builtin.module", 14) == 0) {
        hlo_read_generic_module(r);
    } else if (ch__hlo_eat_word(r, "module") || ch__hlo_eat_word(r, "builtin.module")) {
        if (r->tok.kind == CH__H_SYMBOL) {
            r->module_name = ch__arena_strndup(r->ir, r->tok.s, r->tok.n);
            ch__hlo_next(r);
        }
        if (ch__hlo_eat_word(r, "attributes")) {
            ch__hlo_want(r, '{', "after attributes");
            r->module_attrs = ch__hlo_read_dict(r, '}');
        }
        ch__hlo_want(r, '{', "before the funcs of the module");
        hlo_read_items(r, true);
        ch__hlo_next(r);
        hlo_read_loc(r);
    } else {
        hlo_read_items(r, false);
    }
    while (r->tok.kind == CH__H_HASH) hlo_read_alias(r);
    if (r->tok.kind != CH__H_END) ch__hlo_expected(r, "the end of the text");
}
