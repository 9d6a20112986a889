// SPDX-License-Identifier: Apache-2.0
// parse.c - IR text to a module: funcs, their headers, signatures; the entry points of ir.h.
//
//   file   = "chaac-ir" version {func}
//   func   = "func" "@"name ["<" symbol {"," symbol} ">"] "(" params ")" "->" results ["requires" "(" clauses ")"] body
//   symbol = name ["in" low ".." [high]]
//   param  = "%"name ":" ["inout" "(" result ")"] type ["sharded" string]
//   result = type | "(" [["%"name ":"] type ["sharded" string] {"," ...}] ")"
//   clause = size "==" size ["why"]
//   body   = "{" {op} "return" [values] "}"
//
// A first pass over the tokens finds the names of all funcs, so that a call may stand before what it calls.
#include "ir/parse.h"

#include <stdlib.h>
#include <string.h>

enum { CH__IR_VERSION = 1 };

static bool parse_is_name(const ch__tok *t) { return t->n > 0 && !(t->s[0] >= '0' && t->s[0] <= '9'); }

// ---------------------------------------------------------------- headers

// <n, m in 1..4096>
static void parse_dim_params(ch__parser *p, ch_func *f) {
    if (!ch__eat(p, '<')) return;
    for (bool first = true; !ch__is(p, '>'); first = false) {
        if (!first) ch__want(p, ',', "or '>' in the list of size symbols");
        ch__tok t = p->tok;
        if (t.kind != CH__T_IDENT) ch__parse_expected(p, "a size symbol");
        const char *name = ch__tok_text(p, &t);
        if (ch__strmap_get(&p->symbols, name))
            ch__parse_fail(p, CH__E_duplicate_name, t.at, "the size symbol '%s' is declared twice", name);
        if (f->dims.n == CH__MAX_SYMBOLS)
            ch__parse_fail(p, CH__E_limit, t.at, "more than %d size symbols", CH__MAX_SYMBOLS);
        ch__next(p);
        int64_t lo = 0, hi = INT64_MAX;
        if (ch__eat_word(p, "in")) {
            const char *at = p->tok.at;
            lo = ch__want_int(p, "the lowest value");
            if (p->tok.kind != CH__T_DOTS) ch__parse_expected(p, "'..' after the lowest value");
            ch__next(p);
            if (p->tok.kind == CH__T_NUM || ch__is(p, '-')) hi = ch__want_int(p, "the highest value");
            if (lo < 0 || hi < lo)
                ch__parse_fail(p, CH__E_parse, at, "bounds %lld..%lld of '%s' — 0 <= low <= high", (long long)lo,
                               (long long)hi, name);
        }
        ch__func_add_dim(f, name, lo, hi);
        ch__symbol_define(p, name, t.line);
    }
    ch__next(p);
}

static void parse_count_symbol(void *arg, const char *name) {
    ch__parser *p = arg;
    ch__binding *b = ch__strmap_get(&p->symbols, name);
    if (b && b->alive) return;
    if (p->symbol_scope.n == CH__MAX_SYMBOLS)
        ch__parse_fail(p, CH__E_limit, p->here, "more than %d size symbols", CH__MAX_SYMBOLS);
    ch__symbol_define(p, name, p->line);
}

// Adds a param; the symbols of its type become those of the func.
static void parse_add_param(ch__parser *p, ch_func *f, const ch__tok *name, const ch__type *t, const char *type_at) {
    p->here = type_at;
    if (t->tape) ch__parse_fail(p, CH__E_unsupported, type_at, "a tape is never a param");
    for (int i = 0; i < t->rank; i++) ch__dim_symbols(t->dims[i], parse_count_symbol, p);
    ch__define(p, name, ch__func_add_param(f, ch__arena_strndup(p->arena, name->s, name->n), t));
}

// sharded "mesh[x=2] [{x}]" after a type, in the one way to write it; NULL: nothing is said.
static const char *parse_sharding(ch__parser *p, const ch__type *t) {
    if (!ch__eat_word(p, "sharded")) return NULL;
    ch__tok tok = p->tok;
    if (tok.kind != CH__T_STR) ch__parse_expected(p, "the sharding as a string");
    ch__next(p);
    p->here = tok.at;
    const ch__sharding *s = ch__sharding_read(p->scratch, "sharded", ch__tok_string(p, &tok));
    ch__sharding_fits(s, "sharded", t);
    ch__text text;
    ch__text_init(&text, p->scratch);
    ch__sharding_print(&text, s);
    return text.data;
}

static void parse_params(ch__parser *p, ch_func *f) {
    CH_VEC(int32_t) inout = {0};
    bool any = false;
    ch__want(p, '(', "before the params");
    for (bool first = true; !ch__is(p, ')'); first = false) {
        if (!first) ch__want(p, ',', "or ')' after a param");
        ch__tok t = p->tok;
        if (t.kind != CH__T_VALUE) ch__parse_expected(p, "a param (%name: type)");
        if (!parse_is_name(&t))
            ch__parse_fail(p, CH__E_parse, t.at, "params are named — %%%s is a number", ch__tok_text(p, &t));
        ch__next(p);
        ch__want(p, ':', "after the name of a param");
        int64_t tie = -1;
        if (ch__eat_word(p, "inout")) {
            ch__want(p, '(', "after inout");
            const char *at = p->tok.at;
            tie = ch__want_int(p, "the number of a result");
            if (tie < 0 || tie > INT32_MAX)
                ch__parse_fail(p, CH__E_parse, at, "inout: %lld is no result", (long long)tie);
            ch__want(p, ')', "after the number of the result");
            any = true;
        }
        CH_PUSH(p->scratch, &inout, (int32_t)tie);
        const char *type_at = p->tok.at;
        const ch__type *type = ch__read_type(p);
        parse_add_param(p, f, &t, type, type_at);
        ch__set_param_sharding(f, f->body->n_params - 1, parse_sharding(p, type));
    }
    ch__next(p);
    if (any) f->inout = ch__arena_dup(p->arena, inout.data, (size_t)inout.n * sizeof(int32_t));
}

typedef struct parse_results_list {
    CH_VEC(const ch__type *) types;
    CH_VEC(const char *) names, at, shards;
    bool named;
} parse_results_list;

static void parse_result(ch__parser *p, parse_results_list *out) {
    ch__tok t = p->tok;
    const char *name = NULL;
    if (t.kind == CH__T_VALUE) {
        if (!parse_is_name(&t))
            ch__parse_fail(p, CH__E_parse, t.at, "%%%s is not a name for a result", ch__tok_text(p, &t));
        ch__next(p);
        ch__want(p, ':', "after the name of a result");
        name = ch__arena_strndup(p->arena, t.s, t.n);
        void *taken = ch__strmap_get(&p->values, ch__arena_printf(p->scratch, "->%s", name));
        if (taken) ch__parse_fail(p, CH__E_duplicate_name, t.at, "two results are named %%%s", name);
        ch__strmap_put(&p->values, ch__arena_printf(p->scratch, "->%s", name), out);
        out->named = true;
    }
    const char *at = p->tok.at;
    const ch__type *type = ch__read_type(p);
    if (type->tape) ch__parse_fail(p, CH__E_unsupported, at, "a tape is never a result");
    CH_PUSH(p->scratch, &out->types, type);
    CH_PUSH(p->scratch, &out->names, name);
    CH_PUSH(p->scratch, &out->at, at);
    const char *sharding = parse_sharding(p, type);
    CH_PUSH(p->scratch, &out->shards, sharding);
}

static void parse_results(ch__parser *p, parse_results_list *out) {
    if (p->tok.kind != CH__T_ARROW) ch__parse_expected(p, "'->' and the results");
    ch__next(p);
    if (!ch__eat(p, '(')) {
        parse_result(p, out);
        return;
    }
    for (bool first = true; !ch__is(p, ')'); first = false) {
        if (!first) ch__want(p, ',', "or ')' after a result");
        parse_result(p, out);
    }
    ch__next(p);
}

static void parse_requires(ch__parser *p, ch_func *f) {
    if (!ch__eat_word(p, "requires")) return;
    ch__want(p, '(', "after requires");
    for (bool first = true; !ch__is(p, ')'); first = false) {
        if (!first) ch__want(p, ',', "or ')' after a clause");
        ch__require r = {0};
        r.a = ch__dim_copy(p->arena, ch__read_dim(p));
        if (p->tok.kind != CH__T_EQEQ) ch__parse_expected(p, "'==' in a clause of requires");
        ch__next(p);
        r.b = ch__dim_copy(p->arena, ch__read_dim(p));
        ch__tok t = p->tok;
        if (t.kind == CH__T_STR) {
            ch__next(p);
            r.why = ch__arena_strdup(p->arena, ch__tok_string(p, &t));
        }
        if (f->requires_.n == CH__MAX_SYMBOLS)
            ch__parse_fail(p, CH__E_limit, t.at, "more than %d requires clauses", CH__MAX_SYMBOLS);
        CH_PUSH(p->arena, &f->requires_, r);
    }
    ch__next(p);
}

// ---------------------------------------------------------------- one func

static void parse_check_results(ch__parser *p, ch_func *f, const parse_results_list *want, const char *at) {
    ch__region *body = f->body;
    if (body->n_results != want->types.n)
        ch__parse_fail(p, CH__E_arity, at, "@%s returns %d value%s — its header says %d", f->name, (int)body->n_results,
                       body->n_results == 1 ? "" : "s", (int)want->types.n);
    for (int i = 0; i < body->n_results; i++) {
        if (!ch__type_equal(body->results[i]->type, want->types.data[i]))
            ch__parse_fail(p, CH__E_shape_mismatch, want->at.data[i],
                           "@%s: result %d is %s in the header — %s is returned", f->name, i,
                           ch__type_text(p->scratch, want->types.data[i]),
                           ch__type_text(p->scratch, body->results[i]->type));
    }
    bool *tied = CH_NEW_ARRAY(p->scratch, bool, body->n_results + 1);
    for (int i = 0; f->inout && i < body->n_params; i++) {
        int32_t tie = f->inout[i];
        if (tie < 0) continue;
        const char *name = body->params[i]->name;
        if (tie >= body->n_results)
            ch__parse_fail(p, CH__E_arity, at, "@%s: param %%%s is tied to result %d, counted from 0 — there are %d",
                           f->name, name, (int)tie, (int)body->n_results);
        if (tied[tie])
            ch__parse_fail(p, CH__E_duplicate_name, at, "@%s: two params are tied to result %d", f->name, (int)tie);
        tied[tie] = true;
        if (!ch__type_equal(body->params[i]->type, body->results[tie]->type))
            ch__parse_fail(p, CH__E_shape_mismatch, at, "@%s: param %%%s is %s and tied to result %d, which is %s",
                           f->name, name, ch__type_text(p->scratch, body->params[i]->type), (int)tie,
                           ch__type_text(p->scratch, body->results[tie]->type));
    }
}

static void parse_new_func(ch__parser *p) {
    ch__strmap_init(&p->values, p->scratch);
    ch__strmap_init(&p->symbols, p->scratch);
    p->scope.n = 0;
    p->symbol_scope.n = 0;
    p->know_symbols = false;
    p->depth = 0;
}

static ch__func_entry *parse_declare(ch__parser *p, const ch__tok *name) {
    ch__func_entry *e = CH_NEW(p->scratch, ch__func_entry);
    e->func = ch__func_create(p->module, ch__tok_text(p, name));
    e->func->loc = ch__loc_make(p->arena, p->file, name->line, -1);
    ch__strmap_put(&p->funcs, ch__tok_text(p, name), e);
    return e;
}

static void parse_func(ch__parser *p) {
    parse_new_func(p);
    ch__tok name = p->tok;
    if (name.kind != CH__T_GLOBAL || !parse_is_name(&name)) ch__parse_expected(p, "the name of the func (@name)");
    ch__func_entry *e = ch__strmap_getn(&p->funcs, name.s, name.n);
    if (!e) e = parse_declare(p, &name);
    ch_func *f = p->func = e->func;
    if (e->read)
        ch__parse_fail(p, CH__E_duplicate_name, name.at, "func @%s is defined twice — first on line %d", f->name,
                       f->loc->line);
    e->read = true;
    ch__next(p);
    parse_dim_params(p, f);
    parse_params(p, f);
    parse_results_list results = {0};
    parse_results(p, &results);
    p->know_symbols = true;
    parse_requires(p, f);
    e->calls = p->calls.n;
    ch__read_body(p, f->body, "return");
    e->end_calls = p->calls.n;
    parse_check_results(p, f, &results, name.at);
    if (results.named)
        f->result_names = ch__arena_dup(p->arena, results.names.data, (size_t)results.names.n * sizeof(char *));
    for (int i = 0; i < (int)results.shards.n; i++) ch__set_result_sharding(f, i, results.shards.data[i]);
}

// ---------------------------------------------------------------- modules

static void parse_version(ch__parser *p) {
    ch__tok t = p->tok;
    bool dash = ch__is_word(p, "chaac");
    if (dash) ch__next(p);
    dash = dash && ch__eat(p, '-') && ch__eat_word(p, "ir");
    if (!dash) ch__parse_fail(p, CH__E_parse, t.at, "IR text begins with the line 'chaac-ir %d'", CH__IR_VERSION);
    const char *at = p->tok.at;
    int64_t version = ch__want_int(p, "a version number");
    if (version > CH__IR_VERSION)
        ch__parse_fail(p, CH__E_newer_version, at, "chaac-ir %lld is newer than this library — it reads version %d",
                       (long long)version, CH__IR_VERSION);
    if (version < 1) ch__parse_fail(p, CH__E_parse, at, "there is no version %lld", (long long)version);
}

// The names of the funcs, in order. Stops where the tokens do; what is wrong there is reported by the second pass.
static void parse_find_funcs(ch__parser *p) {
    ch__parser look = *p;
    int64_t depth = 0;
    while (look.tok.kind != CH__T_END && look.tok.kind != CH__T_BAD) {
        bool func = depth == 0 && ch__is_word(&look, "func");
        depth += ch__is(&look, '{') - ch__is(&look, '}');
        ch__next(&look);
        if (func && look.tok.kind == CH__T_GLOBAL && !ch__strmap_getn(&p->funcs, look.tok.s, look.tok.n)) {
            parse_declare(&look, &look.tok);
            p->funcs = look.funcs;
        }
    }
}

static void parse_text(void *arg) {
    ch__parser *p = arg;
    parse_version(p);
    parse_find_funcs(p);
    while (p->tok.kind != CH__T_END) {
        if (ch__is_word(p, "mesh"))
            ch__parse_fail(p, CH__E_unsupported, p->tok.at,
                           "a mesh stands in the shardings that use it: %%x: f32[8] sharded \"m[x=2] [{x}]\"");
        if (!ch__eat_word(p, "func")) ch__parse_expected(p, "'func'");
        parse_func(p);
    }
    ch__check_calls(p);
    p->here = NULL;
    ch__verify_module(p->module);
}

ch__module *ch__parse_module(const char *text, size_t n, const char *name) {
    ch__parser p;
    ch__module *m = ch__module_create();
    ch__arena *scratch = ch__arena_create();
    ch__parser_init(&p, scratch, m->arena, text, n, name);
    p.module = m;
    p.file = ch__arena_strdup(m->arena, name);
    if (ch__protect(parse_text, &p) != CH_OK) ch__parse_fail_current(&p);
    ch__arena_destroy(scratch);
    return m;
}

// ---------------------------------------------------------------- pieces of text

// x: f32[n,784], y: i32[n]; a leading '%' of a name and <n in 1..64> are allowed.
static void parse_signature_text(void *arg) {
    ch__parser *p = arg;
    parse_dim_params(p, p->func);
    for (bool first = true; p->tok.kind != CH__T_END; first = false) {
        if (!first) ch__want(p, ',', "between params");
        ch__tok t = p->tok;
        if ((t.kind != CH__T_IDENT && t.kind != CH__T_VALUE) || !parse_is_name(&t))
            ch__parse_expected(p, "a name (x: f32[n])");
        ch__next(p);
        ch__want(p, ':', "after the name");
        const char *type_at = p->tok.at;
        parse_add_param(p, p->func, &t, ch__read_type(p), type_at);
    }
}

typedef struct parse_piece {
    ch__parser p;
    ch__opcode code;
    ch__attr_list attrs;
    const ch__type *type;
} parse_piece;

static ch__arena *parse_piece_begin(parse_piece *w, ch__arena *a, const char *text, const char *name, ch__err as) {
    ch__arena *scratch = ch__arena_create();
    ch__parser_init(&w->p, scratch, a, text, strlen(text), name);
    w->p.as = as;
    return scratch;
}

void ch__parse_signature(ch_func *f, const char *text) {
    parse_piece w = {0};
    ch__arena *scratch = parse_piece_begin(&w, f->module->arena, text, "signature", CH__E_signature);
    w.p.func = f;
    if (ch__protect(parse_signature_text, &w.p) != CH_OK) ch__parse_fail_current(&w.p);
    ch__arena_destroy(scratch);
}

static void parse_type_text(void *arg) {
    parse_piece *w = arg;
    w->type = ch__read_type(&w->p);
    if (w->p.tok.kind != CH__T_END) ch__parse_expected(&w->p, "the end of the type");
}

const ch__type *ch__parse_type(ch__arena *a, const char *text) {
    parse_piece w = {0};
    ch__arena *scratch = parse_piece_begin(&w, a, text, "type", CH__E_COUNT);
    if (ch__protect(parse_type_text, &w) != CH_OK) ch__parse_fail_current(&w.p);
    ch__arena_destroy(scratch);
    return w.type;
}

static int parse_attr_order(const void *a, const void *b) {
    return (int)((const ch__attr *)a)->id - (int)((const ch__attr *)b)->id;
}

static void parse_attrs_text(void *arg) {
    parse_piece *w = arg;
    ch__read_attrs(&w->p, w->code, &w->attrs, 0);
    if (w->attrs.has_data)
        ch__parse_fail(&w->p, CH__E_attribute, w->attrs.data.at,
                       "%s: data is not given as text — make a tensor from it", ch__op_name(w->code));
}

int ch__parse_attrs(ch__arena *a, ch__opcode code, const char *text, ch__attr **out) {
    parse_piece w = {.code = code};
    ch__arena *scratch = parse_piece_begin(&w, a, text, "attributes", CH__E_attribute);
    if (ch__protect(parse_attrs_text, &w) != CH_OK) ch__parse_fail_current(&w.p);
    int n = (int)w.attrs.list.n;
    *out = CH_NEW_ARRAY(a, ch__attr, n + 1);
    if (n > 1) qsort(w.attrs.list.data, (size_t)n, sizeof(ch__attr), parse_attr_order);
    for (int i = 0; i < n; i++) (*out)[i] = ch__attr_copy(a, w.attrs.list.data[i]);
    ch__arena_destroy(scratch);
    return n;
}
