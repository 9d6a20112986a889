// SPDX-License-Identifier: Apache-2.0
// parse_attr.c - attributes: name = value, the value's form fixed by the attribute's kind in attrs.def.
//
//   INT -3 · INTS [0,1] · ROWS [[0,1],[2]] · DIM 2*n + 1 · DIMS [0,n] · PAIRS [1]x[0] · BOOL true · DTYPE f64
//   STR "store" · ARRAY 1.5, [1, nan], hex"00ff" · FUNC @g · the rest one word (sum, seq, clamp, ...)
//
// The data of a constant cannot be read before its type is known, which stands behind it: it is passed over and read
// by the op (parse_op.c).
#include "ir/parse.h"

#include <string.h>

bool ch__at_attrs(const ch__parser *p) {
    if (!ch__is(p, '{')) return false;
    ch__parser look = *p; // a copy: nothing but the position changes
    ch__next(&look);
    if (ch__is(&look, '}')) return true;
    if (look.tok.kind != CH__T_IDENT) return false;
    ch__next(&look);
    return ch__is(&look, '=');
}

void ch__attr_list_add(ch__parser *p, ch__attr_list *l, ch__attr a) {
    l->seen |= UINT64_C(1) << a.id;
    CH_PUSH(p->scratch, &l->list, a);
}

// "dot takes contract, batch, acc": what an op knows.
static const char *attr_known(ch__parser *p, ch__opcode code) {
    const ch__op_info *info = ch__op_info_of(code);
    ch__text t;
    ch__text_init(&t, p->scratch);
    int n = 0;
    for (int i = 0; i < CH__ATTR_COUNT; i++) {
        if ((info->attrs | info->opt) >> i & 1) ch__putf(&t, "%s%s", n++ ? ", " : "", ch__attr_name((ch__attr_id)i));
    }
    return n ? ch__arena_printf(p->scratch, "it takes %s", t.data) : "it takes none";
}

CH_NORETURN static void attr_unknown(ch__parser *p, ch__opcode code, const ch__tok *t) {
    const ch__op_info *info = ch__op_info_of(code);
    const char *names[CH__ATTR_COUNT];
    int n = 0;
    for (int i = 0; i < CH__ATTR_COUNT; i++) {
        if ((info->attrs | info->opt) >> i & 1) names[n++] = ch__attr_name((ch__attr_id)i);
    }
    const char *name = ch__tok_text(p, t);
    ch__parse_fail(p, CH__E_attribute, t->at, "%s: no attribute '%s'%s — %s", info->name, name,
                   ch__did_you_mean(p, name, names, n), attr_known(p, code));
}

static ch__attr attr_ints(ch__parser *p, ch__attr_id id) {
    const int most = id == CH__ATTR_pairs ? CH__MAX_REPLICAS : CH__MAX_LIST; // of replicas, else of axes
    CH_VEC(int64_t) v = {0};
    ch__want(p, '[', "before the list");
    while (!ch__is(p, ']')) {
        if (v.n > 0) ch__want(p, ',', "or ']' in the list");
        if (v.n == most) ch__parse_fail(p, CH__E_limit, p->tok.at, "a list of more than %d integers", most);
        CH_PUSH(p->scratch, &v, ch__want_int(p, "an integer"));
    }
    ch__next(p);
    return ch__attr_ints(id, (int)v.n, v.data);
}

// [[0,1],[2,3]]: each row as its length and its entries.
static ch__attr attr_row_lists(ch__parser *p, ch__attr_id id) {
    CH_VEC(int64_t) v = {0};
    ch__want(p, '[', "before the lists");
    for (bool first = true; !ch__is(p, ']'); first = false) {
        if (!first) ch__want(p, ',', "or ']' after a list");
        ch__want(p, '[', "before a list of the lists");
        int64_t head = v.n;
        CH_PUSH(p->scratch, &v, 0);
        while (!ch__is(p, ']')) {
            if (v.n > head + 1) ch__want(p, ',', "or ']' in the list");
            if (v.n > 2 * CH__MAX_REPLICAS)
                ch__parse_fail(p, CH__E_limit, p->tok.at, "lists of more than %d integers", CH__MAX_REPLICAS);
            CH_PUSH(p->scratch, &v, ch__want_int(p, "an integer"));
        }
        v.data[head] = v.n - head - 1;
        ch__next(p);
    }
    ch__next(p);
    return ch__attr_rows(id, (int)v.n, v.data);
}

static ch__attr attr_dims(ch__parser *p, ch__attr_id id) {
    ch__dim v[CH__MAX_LIST];
    int n = 0;
    ch__want(p, '[', "before the list");
    while (!ch__is(p, ']')) {
        if (n > 0) ch__want(p, ',', "or ']' in the list");
        if (n == CH__MAX_LIST) ch__parse_fail(p, CH__E_limit, p->tok.at, "a list of more than %d sizes", CH__MAX_LIST);
        v[n++] = ch__read_dim(p);
    }
    ch__next(p);
    return ch__attr_dims(id, n, ch__arena_dup(p->scratch, v, (size_t)n * sizeof *v));
}

static ch__attr attr_pairs(ch__parser *p, ch__attr_id id) {
    const char *at = p->tok.at;
    ch__attr lhs = attr_ints(p, id);
    if (!ch__eat_word(p, "x")) ch__parse_expected(p, "'x' between the two lists (as in [1]x[0])");
    ch__attr rhs = attr_ints(p, id);
    if (lhs.n != rhs.n)
        ch__parse_fail(p, CH__E_attribute, at, "lists of %d and %d axes — both have the same number", (int)lhs.n,
                       (int)rhs.n);
    int64_t *both = CH_NEW_ARRAY(p->scratch, int64_t, 2 * lhs.n + 1);
    if (lhs.n > 0) {
        memcpy(both, lhs.ints, (size_t)lhs.n * sizeof *both);
        memcpy(both + lhs.n, rhs.ints, (size_t)lhs.n * sizeof *both);
    }
    return ch__attr_pairs(id, lhs.n, both);
}

// One word of an enumeration.
static ch__attr attr_word(ch__parser *p, ch__attr_id id) {
    ch__attr_kind kind = ch__attr_kind_of(id);
    int64_t v;
    if (p->tok.kind == CH__T_IDENT && ch__word_find(kind, p->tok.s, p->tok.n, &v)) {
        ch__next(p);
        return ch__attr_int(id, v);
    }
    const char *words[16];
    int n = 0;
    ch__text list;
    ch__text_init(&list, p->scratch);
    for (const char *w; n < 16 && (w = ch__word_name(kind, n)); n++) {
        ch__putf(&list, "%s%s", n ? ", " : "", w);
        words[n] = w;
    }
    if (p->tok.kind != CH__T_IDENT) ch__parse_expected(p, ch__arena_printf(p->scratch, "one of %s", list.data));
    const char *got = ch__tok_text(p, &p->tok);
    ch__parse_fail(p, CH__E_attribute, p->tok.at, "%s: no value '%s'%s — one of %s", ch__attr_name(id), got,
                   ch__did_you_mean(p, got, words, n), list.data);
}

static ch__attr attr_func(ch__parser *p, ch__attr_id id) {
    if (p->tok.kind != CH__T_GLOBAL) ch__parse_expected(p, "a func (@name)");
    const ch__func_entry *e = ch__strmap_getn(&p->funcs, p->tok.s, p->tok.n);
    if (!e) ch__parse_fail(p, CH__E_unknown_func, p->tok.at, "no func @%s in the text", ch__tok_text(p, &p->tok));
    ch__next(p);
    return ch__attr_func(id, e->func);
}

// Passes over the data of a constant: a number, a word, hex data or a bracketed list without nesting.
static void attr_skip_data(ch__parser *p) {
    ch__eat(p, '-');
    if (!ch__is(p, '[')) {
        if (p->tok.kind != CH__T_NUM && p->tok.kind != CH__T_IDENT && p->tok.kind != CH__T_HEX)
            ch__parse_expected(p, "a number, a list [1, 2] or hex\"...\"");
        ch__next(p);
        return;
    }
    while (!ch__is(p, ']')) {
        if (p->tok.kind == CH__T_END) ch__parse_expected(p, "']' after the list");
        ch__next(p);
    }
    ch__next(p);
}

static ch__attr attr_value(ch__parser *p, ch__attr_id id) {
    ch__tok t = p->tok;
    switch (ch__attr_kind_of(id)) {
    case CH__AK_INT: return ch__attr_int(id, ch__want_int(p, "an integer"));
    case CH__AK_INTS: return attr_ints(p, id);
    case CH__AK_DIM: return ch__attr_dim(id, ch__read_dim(p));
    case CH__AK_DIMS: return attr_dims(p, id);
    case CH__AK_PAIRS: return attr_pairs(p, id);
    case CH__AK_ROWS: return attr_row_lists(p, id);
    case CH__AK_BOOL:
        if (ch__eat_word(p, "true")) return ch__attr_int(id, 1);
        if (ch__eat_word(p, "false")) return ch__attr_int(id, 0);
        ch__parse_expected(p, "true or false");
    case CH__AK_DTYPE: return ch__attr_int(id, ch__read_dtype(p));
    case CH__AK_STR:
        if (t.kind != CH__T_STR) ch__parse_expected(p, "a string");
        ch__next(p);
        return ch__attr_str(id, ch__tok_string(p, &t));
    case CH__AK_FUNC: return attr_func(p, id);
    case CH__AK_ARRAY: CH_UNREACHABLE(); // read by ch__read_data
    default: return attr_word(p, id);
    }
}

void ch__read_attrs(ch__parser *p, ch__opcode code, ch__attr_list *out, char close) {
    const ch__op_info *info = ch__op_info_of(code);
    bool first = true;
    while (close ? !ch__is(p, close) : p->tok.kind != CH__T_END) {
        if (!first) ch__want(p, ',', close ? "or '}' after an attribute" : "between attributes");
        first = false;
        ch__tok t = p->tok;
        if (t.kind != CH__T_IDENT) ch__parse_expected(p, "the name of an attribute");
        int id = ch__attr_find(t.s, t.n);
        if (id < 0 || !((info->attrs | info->opt) >> id & 1)) attr_unknown(p, code, &t);
        if (out->seen >> id & 1)
            ch__parse_fail(p, CH__E_attribute, t.at, "%s: attribute '%s' is given twice", info->name,
                           ch__tok_text(p, &t));
        ch__next(p);
        ch__want(p, '=', "after the name of an attribute");
        p->here = t.at;
        if (ch__attr_kind_of((ch__attr_id)id) == CH__AK_ARRAY) {
            out->seen |= UINT64_C(1) << id;
            out->has_data = true;
            out->data = p->tok;
            attr_skip_data(p);
        } else {
            ch__attr_list_add(p, out, attr_value(p, (ch__attr_id)id));
        }
    }
    if (close) ch__next(p);
}
