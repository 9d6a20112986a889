// SPDX-License-Identifier: Apache-2.0
// hlo/read_attr.c - types and attributes of MLIR text.
//
//   type = "tensor<" {size "x"} element [", " encoding] ">" | other words, which name what is refused
//   attr = number [":" type] | string | true | false | @symbol | [attr, ...] | {name [= attr], ...} | dense<...> : type
//        | array<type: ...> | #dialect.kind<name = attr, ...> | #dialect<kind WORD> | #alias | word
//
// A type is kept once for each text it is written as. What is not taken (complex numbers, unknown sizes, ...) is noted
// in it, so that the refusal can name it where it is used. Attributes that nobody reads are skipped by their brackets.
#include "hlo/hlo.h"

#include <string.h>

// ---------------------------------------------------------------- types

typedef struct {
    const char *name, *why;
    ch_dtype dtype;
} hlo_attr_element;

static const hlo_attr_element hlo_attr_elements[] = {
#define HLO_DTYPE(name, dtype, pjrt) {name, NULL, dtype},
#include "hlo/dtypes.def"
    {"i2", "2-bit integers", 0},  {"ui2", "2-bit integers", 0},   {"i4", "4-bit integers", 0},
    {"ui4", "4-bit integers", 0}, {"index", "the type index", 0},
};

static const char *hlo_attr_why(const char *element) {
    if (strncmp(element, "complex<", 8) == 0) return "complex numbers";
    if (strncmp(element, "!quant", 6) == 0) return "quantized numbers";
    if (element[0] == 'f' || strncmp(element, "tf32", 4) == 0) return "this floating-point format";
    return "this element type";
}

// What stands between "tensor<" and its ">": sizes and the element type.
static void hlo_attr_tensor(ch__hlo_reader *r, ch__hlo_type *t, const char *s, const char *end) {
    ch__dim dims[CH__MAX_RANK];
    int rank = 0;
    int64_t numel = 1;
    while (s < end && ((*s >= '0' && *s <= '9') || *s == '?')) {
        int64_t v = 0;
        bool overflow = false;
        const char *at = s;
        if (*s == '?') {
            s++;
            t->why = "a size that is not known (?)";
        } else {
            s = ch__parse_i64(s, end, &v, &overflow);
        }
        if (s == end || *s != 'x')
            ch__parse_fail(&r->p, CH__E_parse, s, "expected 'x' after a size of a type (tensor<2x3xf32>)");
        s++;
        if (overflow) ch__parse_fail(&r->p, CH__E_parse, at, "the size does not fit in 64 bits");
        if (rank == CH__MAX_RANK) ch__parse_fail(&r->p, CH__E_limit, at, "more than %d dimensions", CH__MAX_RANK);
        if (!ch__mul_i64(numel, v > 0 ? v : 1, &numel))
            ch__parse_fail(&r->p, CH__E_dim_overflow, at, "the number of elements does not fit in 64 bits");
        dims[rank++] = ch__dim_const(v);
    }
    const char *element = s;
    int depth = 0;
    while (s < end && (depth > 0 || *s != ',')) depth += (*s == '<') - (*s == '>'), s++;
    const char *stop = s;
    while (stop > element && (stop[-1] == ' ' || stop[-1] == '\n')) stop--;
    char *name = ch__arena_strndup(r->arena, element, (size_t)(stop - element));
    const char *encoding = s < end ? ch__arena_strndup(r->arena, s, (size_t)(end - s)) : "";
    if (strstr(encoding, "bounds")) t->why = "a bounded size";
    if (t->why) return;
    for (size_t i = 0; i < sizeof hlo_attr_elements / sizeof *hlo_attr_elements; i++) {
        if (strcmp(name, hlo_attr_elements[i].name) != 0) continue;
        t->why = hlo_attr_elements[i].why;
        if (!t->why) t->type = ch__type_make(r->ir, hlo_attr_elements[i].dtype, rank, dims, NULL);
        return;
    }
    if (name[0] == 0) ch__parse_fail(&r->p, CH__E_parse, element, "expected the element type (tensor<2x3xf32>)");
    t->why = hlo_attr_why(name);
}

// The '>' that closes the '<' at s; NULL when there is none nearby.
static const char *hlo_attr_close(const char *s, const char *end) {
    int64_t depth = 0;
    for (const char *from = s; s < end && s - from < CH__HLO_MAX_TYPE; s++) {
        if (*s == '-' && s + 1 < end && s[1] == '>') {
            s++;
            continue;
        }
        depth += (*s == '<') - (*s == '>');
        if (depth == 0) return s;
    }
    return NULL;
}

ch__hlo_type *ch__hlo_read_type(ch__hlo_reader *r) {
    ch__hlo_tok tok = r->tok;
    if (tok.kind != CH__H_WORD && tok.kind != CH__H_BANG) ch__hlo_expected(r, "a type (tensor<2x3xf32>)");
    const char *end = tok.s + tok.n, *body = end;
    if (end < r->p.end && *end == '<') {
        const char *close = hlo_attr_close(end, r->p.end);
        if (!close) ch__parse_fail(&r->p, CH__E_parse, end, "a type whose '<' is not closed");
        body = end + 1;
        end = close + 1;
    }
    ch__hlo_type *t = ch__strmap_getn(&r->types, tok.at, (size_t)(end - tok.at));
    if (!t) {
        t = CH_NEW(r->arena, ch__hlo_type);
        t->at = tok.at;
        t->text = ch__arena_strndup(r->arena, tok.at, (size_t)(end - tok.at));
        if (tok.kind == CH__H_WORD && tok.n == 6 && memcmp(tok.s, "tensor", 6) == 0 && body < end)
            hlo_attr_tensor(r, t, body, end - 1);
        else if (strstr(t->text, "token"))
            t->why = "a token";
        else if (strncmp(t->text, "tuple", 5) == 0)
            t->why = "a tuple";
        else
            t->why = "a type that is no tensor";
        ch__strmap_put(&r->types, t->text, t);
    }
    ch__hlo_go(r, end);
    return t;
}

// ---------------------------------------------------------------- attributes

static ch__hlo_attr *hlo_attr_new(ch__hlo_reader *r, ch__hlo_attr_kind kind) {
    ch__hlo_attr *a = CH_NEW(r->arena, ch__hlo_attr);
    a->kind = kind;
    a->at = a->s = r->tok.at;
    return a;
}

// Nothing of it is read: "(a, b) -> c", affine_map<...>.
static void hlo_attr_skip_rest(ch__hlo_reader *r, ch__hlo_attr *a) {
    if (ch__hlo_is(r, '<') || ch__hlo_is(r, '(')) ch__hlo_skip_brackets(r);
    if (r->tok.kind == CH__H_ARROW) {
        ch__hlo_next(r);
        if (ch__hlo_is(r, '(')) {
            ch__hlo_skip_brackets(r);
        } else {
            ch__hlo_next(r);
            if (ch__hlo_is(r, '<')) ch__hlo_skip_brackets(r);
        }
    }
    a->n = (size_t)(r->tok.at - a->s);
}

static ch__hlo_attr *hlo_attr_number(ch__hlo_reader *r) {
    ch__hlo_attr *a = hlo_attr_new(r, CH__HA_INT);
    ch__hlo_eat(r, '-');
    if (r->tok.kind != CH__H_NUM) ch__hlo_expected(r, "a number");
    bool hex = r->tok.n > 1 && r->tok.s[1] == 'x';
    a->n = (size_t)(r->tok.s + r->tok.n - a->s);
    if (hex || memchr(r->tok.s, '.', r->tok.n) || memchr(r->tok.s, 'e', r->tok.n) || memchr(r->tok.s, 'E', r->tok.n)) {
        a->kind = CH__HA_FLOAT;
        ch__hlo_next(r);
    } else {
        ch__hlo_go(r, a->at); // with its sign: the smallest number has no positive twin
        a->i = ch__hlo_want_int(r, "a number");
    }
    if (ch__hlo_is(r, ':')) { // the type of the number, or of the operation
        ch__hlo_tok colon = r->tok;
        ch__hlo_next(r);
        bool own = r->tok.kind == CH__H_WORD && !ch__hlo_is_word(r, "tensor") && !ch__hlo_is_word(r, "tuple");
        if (own)
            ch__hlo_next(r);
        else
            ch__hlo_go(r, colon.at);
    }
    return a;
}

static ch__hlo_attr *hlo_attr_list(ch__hlo_reader *r, char close) {
    ch__hlo_attr *a = hlo_attr_new(r, CH__HA_LIST);
    for (bool first = true; !ch__hlo_is(r, close); first = false) {
        if (!first) ch__hlo_want(r, ',', "or the end of the list");
        ch__hlo_attr *item = ch__hlo_read_attr(r);
        CH_PUSH(r->arena, &a->items, item);
    }
    ch__hlo_next(r);
    return a;
}

ch__hlo_attr *ch__hlo_read_dict(ch__hlo_reader *r, char close) {
    ch__hlo_attr *a = hlo_attr_new(r, CH__HA_DICT);
    for (bool first = true; !ch__hlo_is(r, close); first = false) {
        if (!first) ch__hlo_want(r, ',', "or the end of the attributes");
        ch__hlo_tok name = r->tok;
        if (name.kind != CH__H_WORD && name.kind != CH__H_STR) ch__hlo_expected(r, "the name of an attribute");
        ch__hlo_next(r);
        ch__hlo_attr *item = ch__hlo_eat(r, '=') ? ch__hlo_read_attr(r) : hlo_attr_new(r, CH__HA_OTHER);
        item->name = ch__hlo_tok_text(r, &name);
        item->name_at = name.at;
        CH_PUSH(r->arena, &a->items, item);
    }
    ch__hlo_next(r);
    return a;
}

ch__hlo_attr *ch__hlo_dict_get(const ch__hlo_attr *dict, const char *name) {
    if (!dict || dict->kind != CH__HA_DICT) return NULL; // what stands in a list has no name
    for (int64_t i = 0; i < dict->items.n; i++)
        if (strcmp(dict->items.data[i]->name, name) == 0) {
            dict->items.data[i]->read = true;
            return dict->items.data[i];
        }
    return NULL;
}

// dense<...> : type; its data are read when the type is known to be taken.
static ch__hlo_attr *hlo_attr_dense(ch__hlo_reader *r, ch__hlo_attr_kind kind) {
    ch__hlo_attr *a = hlo_attr_new(r, kind);
    ch__hlo_next(r);
    if (!ch__hlo_is(r, '<')) ch__hlo_expected(r, "'<' after dense");
    a->s = r->tok.at + 1;
    const char *end = ch__hlo_skip_brackets(r);
    a->n = (size_t)(end - 1 - a->s);
    ch__hlo_want(r, ':', "and the type of the data");
    a->type = ch__hlo_read_type(r);
    return a;
}

// array<i64: 1, 2>
static ch__hlo_attr *hlo_attr_array(ch__hlo_reader *r) {
    ch__hlo_next(r);
    ch__hlo_want(r, '<', "after array");
    if (r->tok.kind != CH__H_WORD) ch__hlo_expected(r, "the type of the numbers of the array");
    ch__hlo_next(r);
    if (ch__hlo_eat(r, '>')) return hlo_attr_new(r, CH__HA_LIST);
    ch__hlo_want(r, ':', "or '>' after the type of the numbers");
    return hlo_attr_list(r, '>');
}

// [b, 0, 1, f]: letters as -1 -2 ..., by their order in "bfio"
static ch__hlo_attr *hlo_attr_conv_side(ch__hlo_reader *r) {
    ch__hlo_attr *a = hlo_attr_new(r, CH__HA_LIST);
    ch__hlo_want(r, '[', "of the dimensions of a convolution");
    for (bool first = true; !ch__hlo_is(r, ']'); first = false) {
        if (!first) ch__hlo_want(r, ',', "or ']' in the dimensions of a convolution");
        ch__hlo_attr *item = hlo_attr_new(r, CH__HA_INT);
        const char *letter = r->tok.kind == CH__H_WORD && r->tok.n == 1 ? strchr("bfio", r->tok.s[0]) : NULL;
        if (letter) {
            item->i = -1 - (letter - "bfio");
            ch__hlo_next(r);
        } else {
            item->i = ch__hlo_want_int(r, "b, f, i, o or the number of a spatial dimension");
        }
        CH_PUSH(r->arena, &a->items, item);
    }
    ch__hlo_next(r);
    return a;
}

// A word that begins with x has run into what follows: "x[", "x0". Only the 'x' is taken.
static void hlo_attr_times(ch__hlo_reader *r) {
    if (r->tok.kind != CH__H_WORD || r->tok.s[0] != 'x') ch__hlo_expected(r, "'x' between two lists");
    ch__hlo_go(r, r->tok.s + 1);
}

ch__hlo_attr *ch__hlo_read_conv(ch__hlo_reader *r) {
    ch__hlo_attr *a = hlo_attr_new(r, CH__HA_CONV);
    for (int i = 0; i < 3; i++) {
        ch__hlo_attr *side = hlo_attr_conv_side(r);
        CH_PUSH(r->arena, &a->items, side);
        if (i == 0) hlo_attr_times(r);
        if (i == 1 && r->tok.kind != CH__H_ARROW) ch__hlo_expected(r, "'->' and the dimensions of the result");
        if (i == 1) ch__hlo_next(r);
    }
    return a;
}

// #stablehlo.dot<...>, #stablehlo<precision HIGHEST>, #name
static ch__hlo_attr *hlo_attr_hash(ch__hlo_reader *r) {
    ch__hlo_tok name = r->tok;
    ch__hlo_attr *a = hlo_attr_new(r, CH__HA_OTHER);
    ch__hlo_next(r);
    if (!ch__hlo_is(r, '<')) {
        ch__hlo_attr *known = ch__strmap_getn(&r->aliases, name.s, name.n);
        if (known) {
            *a = *known;
            a->name = NULL;
        }
        return a;
    }
    bool ours = name.n >= 9 && memcmp(name.s, "stablehlo", 9) == 0;
    if (!ours && !(name.n >= 4 && memcmp(name.s, "chlo", 4) == 0)) {
        a->n = (size_t)(ch__hlo_skip_brackets(r) - a->s);
        return a;
    }
    ch__hlo_tok open = r->tok;
    ch__hlo_next(r);
    if (r->tok.kind == CH__H_WORD) {
        ch__hlo_tok first = r->tok;
        ch__hlo_next(r);
        if (r->tok.kind == CH__H_WORD) { // <precision HIGHEST>
            *a = (ch__hlo_attr){.kind = CH__HA_WORD, .at = first.at, .s = r->tok.s, .n = r->tok.n};
            ch__hlo_next(r);
            ch__hlo_want(r, '>', "after the word");
            return a;
        }
        if (ch__hlo_is(r, '=')) {
            ch__hlo_go(r, first.at);
            a = ch__hlo_read_dict(r, '>');
            a->at = name.at;
            return a;
        }
    } else if (ch__hlo_is(r, '[') && name.n == 14 && memcmp(name.s, "stablehlo.conv", 14) == 0) {
        a = ch__hlo_read_conv(r);
        ch__hlo_want(r, '>', "after the dimensions of a convolution");
        return a;
    } else if (ch__hlo_eat(r, '>')) {
        a->kind = CH__HA_DICT;
        return a;
    }
    ch__hlo_go(r, open.at);
    ch__hlo_skip_brackets(r);
    return a;
}

static ch__hlo_attr *hlo_attr_word(ch__hlo_reader *r) {
    if (ch__hlo_is_word(r, "dense")) return hlo_attr_dense(r, CH__HA_DENSE);
    if (ch__hlo_is_word(r, "dense_resource") || ch__hlo_is_word(r, "sparse")) return hlo_attr_dense(r, CH__HA_RESOURCE);
    if (ch__hlo_is_word(r, "array")) return hlo_attr_array(r);
    if (ch__hlo_is_word(r, "true") || ch__hlo_is_word(r, "false")) {
        ch__hlo_attr *a = hlo_attr_new(r, CH__HA_BOOL);
        a->i = r->tok.s[0] == 't';
        ch__hlo_next(r);
        return a;
    }
    ch__hlo_attr *a = hlo_attr_new(r, CH__HA_WORD);
    a->n = r->tok.n;
    ch__hlo_next(r);
    if (ch__hlo_is(r, '<') || r->tok.kind == CH__H_ARROW || (ch__hlo_is(r, '(') && a->n == 3)) {
        a->kind = CH__HA_OTHER; // affine_map<...>, loc(...)
        hlo_attr_skip_rest(r, a);
    }
    return a;
}

// [0] x [1] of dot_general's pretty form is one attribute.
static ch__hlo_attr *hlo_attr_maybe_pair(ch__hlo_reader *r, ch__hlo_attr *list) {
    if (r->tok.kind != CH__H_WORD || r->tok.s[0] != 'x' || r->tok.n != 1) return list;
    ch__hlo_attr *pair = hlo_attr_new(r, CH__HA_PAIR);
    ch__hlo_next(r);
    ch__hlo_want(r, '[', "and the second list after 'x'");
    CH_PUSH(r->arena, &pair->items, list);
    ch__hlo_attr *second = hlo_attr_list(r, ']');
    CH_PUSH(r->arena, &pair->items, second);
    return pair;
}

static ch__hlo_attr *hlo_attr_read(ch__hlo_reader *r) {
    switch (r->tok.kind) {
    case CH__H_NUM: return hlo_attr_number(r);
    case CH__H_WORD: return hlo_attr_word(r);
    case CH__H_HASH: return hlo_attr_hash(r);
    case CH__H_STR:
    case CH__H_SYMBOL: {
        ch__hlo_attr *a = hlo_attr_new(r, r->tok.kind == CH__H_STR ? CH__HA_STR : CH__HA_SYMBOL);
        a->s = r->tok.s;
        a->n = r->tok.n;
        ch__hlo_next(r);
        return a;
    }
    case CH__H_BANG: {
        ch__hlo_attr *a = hlo_attr_new(r, CH__HA_OTHER);
        ch__hlo_next(r);
        hlo_attr_skip_rest(r, a);
        return a;
    }
    default: break;
    }
    if (ch__hlo_is(r, '-')) return hlo_attr_number(r);
    if (ch__hlo_eat(r, '[')) return hlo_attr_maybe_pair(r, hlo_attr_list(r, ']'));
    if (ch__hlo_eat(r, '{')) return ch__hlo_read_dict(r, '}');
    if (ch__hlo_is(r, '(')) { // a type of functions
        ch__hlo_attr *a = hlo_attr_new(r, CH__HA_OTHER);
        hlo_attr_skip_rest(r, a);
        return a;
    }
    if (ch__hlo_eat(r, '<')) { // algorithm = <lhs_precision_type = bf16, ...>
        if (r->tok.kind == CH__H_WORD) return ch__hlo_read_dict(r, '>');
        ch__hlo_go(r, r->tok.at - 1);
    }
    ch__hlo_expected(r, "the value of an attribute");
}

ch__hlo_attr *ch__hlo_read_attr(ch__hlo_reader *r) {
    if (++r->attr_depth > CH__HLO_MAX_ATTR)
        ch__parse_fail(&r->p, CH__E_limit, r->tok.at, "attributes nested more than %d deep", CH__HLO_MAX_ATTR);
    ch__hlo_attr *a = hlo_attr_read(r);
    r->attr_depth--;
    return a;
}
