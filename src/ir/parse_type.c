// SPDX-License-Identifier: Apache-2.0
// parse_type.c - size expressions and types.
//
//   type = dtype "[" [axis {"," axis}] "]" | "tape" "<" type ">"
//   axis = [name ":"] size
//   size = ["-"] product {("+" | "-") product};  product = factor {"*" factor}
//   factor = integer | symbol | ("floordiv" | "mod" | "max" | "min") "(" size "," size ")" | "(" size ")" | "-" factor
//
// A size expression becomes canonical while it is read; dim.c refuses what grows too large.
#include "ir/parse.h"

#include <string.h>

// ---------------------------------------------------------------- symbols

void ch__symbol_define(ch__parser *p, const char *name, int line) {
    ch__binding *b = ch__strmap_get(&p->symbols, name);
    if (!b) {
        b = CH_NEW(p->scratch, ch__binding);
        b->name = ch__arena_strdup(p->scratch, name);
        ch__strmap_put(&p->symbols, name, b);
    }
    b->alive = true;
    b->line = line;
    CH_PUSH(p->scratch, &p->symbol_scope, b);
}

void ch__symbol_leave(ch__parser *p, int64_t depth) {
    while (p->symbol_scope.n > depth) p->symbol_scope.data[--p->symbol_scope.n]->alive = false;
}

CH_NORETURN static void type_no_symbol(ch__parser *p, const ch__tok *t) {
    const char *name = ch__tok_text(p, t);
    int64_t n = p->symbol_scope.n;
    const char **names = CH_NEW_ARRAY(p->scratch, const char *, n + 1);
    ch__text list;
    ch__text_init(&list, p->scratch);
    for (int64_t i = 0; i < n; i++) {
        names[i] = p->symbol_scope.data[i]->name;
        if (i < 16) ch__putf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = ch__did_you_mean(p, name, names, (int)n);
    if (n == 0) ch__parse_fail(p, CH__E_unknown_name, t->at, "no size symbol '%s' — the func has none", name);
    ch__parse_fail(p, CH__E_unknown_name, t->at, "no size symbol '%s'%s — known here: %s", name, near, list.data);
}

// ---------------------------------------------------------------- sizes

static ch__dim type_size(ch__parser *p);

// floordiv mod max min, the name taken already.
static ch__dim type_function(ch__parser *p, const ch__tok *name) {
    static const char *const names[] = {"floordiv", "mod", "max", "min"};
    int which = 0;
    while (which < 4 && !(strlen(names[which]) == name->n && memcmp(names[which], name->s, name->n) == 0)) which++;
    if (which == 4)
        ch__parse_fail(p, CH__E_parse, name->at, "no function '%s' in sizes%s — floordiv, mod, max, min are read",
                       ch__tok_text(p, name), ch__did_you_mean(p, ch__tok_text(p, name), names, 4));
    ch__next(p);
    ch__dim x = type_size(p);
    ch__want(p, ',', "between the two operands");
    ch__dim y = type_size(p);
    ch__want(p, ')', "after the operands");
    p->here = name->at;
    if (which < 2 && ch__dim_is_const(y) && y.val == 0)
        ch__parse_fail(p, CH__E_argument, name->at, "%s by 0 in a size", names[which]);
    switch (which) {
    case 0: return ch__dim_floordiv(p->scratch, x, y);
    case 1: return ch__dim_mod(p->scratch, x, y);
    case 2: return ch__dim_max(p->scratch, x, y);
    default: return ch__dim_min(p->scratch, x, y);
    }
}

static ch__dim type_factor(ch__parser *p) {
    ch__tok t = p->tok;
    bool negative = ch__is(p, '-') && p->pos < p->end && *p->pos >= '0' && *p->pos <= '9';
    if (t.kind == CH__T_NUM || negative) return ch__dim_const(ch__want_int(p, "a size"));
    if (t.kind == CH__T_IDENT) {
        ch__next(p);
        if (ch__is(p, '(')) return type_function(p, &t);
        const char *name = ch__tok_text(p, &t);
        ch__binding *b = p->know_symbols ? ch__strmap_get(&p->symbols, name) : NULL;
        if (p->know_symbols && !(b && b->alive)) type_no_symbol(p, &t);
        return ch__dim_symbol(p->scratch, name);
    }
    if (ch__eat(p, '(')) {
        ch__dim d = type_size(p);
        ch__want(p, ')', "after the size");
        return d;
    }
    if (ch__eat(p, '-')) {
        if (++p->expr_depth > CH__MAX_EXPR)
            ch__parse_fail(p, CH__E_limit, t.at, "a size nested more than %d deep", CH__MAX_EXPR);
        ch__dim d = ch__dim_mul(p->scratch, ch__dim_const(-1), type_factor(p));
        p->expr_depth--;
        return d;
    }
    ch__parse_expected(p, "a size");
}

static ch__dim type_product(ch__parser *p) {
    const char *at = p->tok.at;
    ch__dim d = type_factor(p);
    while (ch__eat(p, '*')) {
        ch__dim y = type_factor(p);
        p->here = at;
        d = ch__dim_mul(p->scratch, d, y);
    }
    return d;
}

static ch__dim type_size(ch__parser *p) {
    const char *at = p->tok.at;
    if (++p->expr_depth > CH__MAX_EXPR)
        ch__parse_fail(p, CH__E_limit, at, "a size nested more than %d deep", CH__MAX_EXPR);
    p->here = at;
    ch__dim d = type_product(p);
    while (ch__is(p, '+') || ch__is(p, '-')) {
        bool minus = ch__is(p, '-');
        ch__next(p);
        ch__dim y = type_product(p);
        p->here = at;
        d = minus ? ch__dim_sub(p->scratch, d, y) : ch__dim_add(p->scratch, d, y);
    }
    p->expr_depth--;
    return d;
}

ch__dim ch__read_dim(ch__parser *p) {
    p->expr_depth = 0;
    return type_size(p);
}

// ---------------------------------------------------------------- types

ch_dtype ch__read_dtype(ch__parser *p) {
    ch__tok t = p->tok;
    if (t.kind != CH__T_IDENT) ch__parse_expected(p, "a type such as f32[n,3]");
    const char *name = ch__tok_text(p, &t);
    int d = ch_dtype_from_name(name);
    if (d == 0) {
        const char *names[CH__DTYPE_COUNT];
        int n = 0;
        for (int i = 1; i < CH__DTYPE_COUNT; i++) names[n++] = ch_dtype_name((ch_dtype)i);
        ch__parse_fail(p, CH__E_parse, t.at, "no dtype '%s'%s", name, ch__did_you_mean(p, name, names, n));
    }
    if (ch__dtype_class((ch_dtype)d) == 'r')
        ch__parse_fail(p, CH__E_unsupported, t.at, "dtype %s is reserved and not read yet", name);
    ch__next(p);
    return (ch_dtype)d;
}

static const ch__type *type_array(ch__parser *p) {
    const char *at = p->tok.at;
    ch_dtype d = ch__read_dtype(p);
    if (!ch__eat(p, '[')) {
        char what[64];
        snprintf(what, sizeof what, "'[' after %s (a scalar is %s[])", ch_dtype_name(d), ch_dtype_name(d));
        ch__parse_expected(p, what);
    }
    ch__dim dims[CH__MAX_RANK];
    const char *axes[CH__MAX_RANK] = {0};
    int rank = 0;
    bool named = false;
    while (!ch__is(p, ']')) {
        if (rank > 0) ch__want(p, ',', "or ']' in the sizes of a type");
        if (rank == CH__MAX_RANK) ch__parse_fail(p, CH__E_rank, at, "more than %d axes", CH__MAX_RANK);
        ch__tok t = p->tok;
        if (t.kind == CH__T_IDENT && p->pos < p->end && *p->pos == ':') {
            ch__next(p);
            ch__next(p);
            axes[rank] = ch__arena_strndup(p->arena, t.s, t.n);
            named = true;
            for (int i = 0; i < rank; i++) {
                if (axes[i] && ch__streq(axes[i], axes[rank]))
                    ch__parse_fail(p, CH__E_duplicate_name, t.at, "two axes are named %s", axes[rank]);
            }
        }
        const char *size_at = p->tok.at;
        dims[rank] = ch__dim_copy(p->arena, ch__read_dim(p));
        if (ch__dim_is_const(dims[rank]) && dims[rank].val < 0)
            ch__parse_fail(p, CH__E_parse, size_at, "size %lld — sizes are 0 or more", (long long)dims[rank].val);
        rank++;
    }
    ch__next(p);
    return ch__type_make(p->arena, d, rank, dims, named ? axes : NULL);
}

const ch__type *ch__read_type(ch__parser *p) {
    if (!ch__is_word(p, "tape")) return type_array(p);
    ch__next(p);
    ch__want(p, '<', "after tape");
    const ch__type *elem = type_array(p);
    ch__want(p, '>', "after the element type of a tape");
    return ch__type_tape(p->arena, elem);
}
