// SPDX-License-Identifier: Apache-2.0
// rules_libm.c - derivatives of C's libm, read from the column `derivative` of libm.def.
//
// The column holds one expression for each floating operand, ';' between; where a function has several floating
// results, one for each of those, ',' between. Over x and y (floating operands), n (the int operand), r and e
// (results):
//     cond = sum [ (> | <) sum ] [ ? cond : cond ];  sum = term { (+ | -) term };  term = factor { (* | /) factor }
//     factor = - factor | atom [ ^ factor ];  atom = number | name | name(cond, ...) | (cond)
// 2^n is exact (ldexp). "0" lets nothing flow, "" is refused, "first" is a minimum or maximum that ignores NaN.
// The table is the project's own text, so what does not parse is a bug, and nesting is as deep as the table writes it.
#include "diff/rules.h"

static const ch__libm_row *libm_row(const ch__op *op) { return ch__libm_find(ch__op_attr(op, CH__ATTR_fn)->s); }

// The expression for floating operand i and result j as [begin, end); empty when there is none.
static const char *libm_piece(const ch__libm_row *row, int i, int j, const char **end) {
    const char *p = row->derivative;
    for (; i > 0; i--) {
        const char *next = strchr(p, ';');
        if (next == NULL) return *end = p + strlen(p);
        p = next + 1;
    }
    size_t n = strcspn(p, ";");
    int depth = 0;
    const char *begin = p, *stop = p + n;
    for (; p < stop; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p != ',' || depth > 0) continue;
        if (j-- == 0) break;
        begin = p + 1;
    }
    *end = p;
    while (begin < *end && *begin == ' ') begin++;
    return j > 0 ? *end : begin;
}

// Which floating operand operand i is; -1 for the int operand.
static int libm_floating(const ch__op *op, int i) {
    int n = 0;
    if (!ch__is_float(op->operands[i]->type->dtype)) return -1;
    for (int k = 0; k < i; k++) n += ch__is_float(op->operands[k]->type->dtype);
    return n;
}

bool ch__libm_flows(const ch__op *op, int i, int j) {
    const char *end, *begin;
    int at = libm_floating(op, i);
    if (at < 0 || !ch__is_float(op->results[j].type->dtype)) return false;
    const char *all = libm_row(op)->derivative;
    if (all[0] == '\0' || strcmp(all, "first") == 0) return true; // "": refused by name, not a silent zero
    begin = libm_piece(libm_row(op), at, j, &end);
    return end > begin && !(end - begin == 1 && *begin == '0');
}

const char *ch__libm_missing(const ch__op *op) {
    return libm_row(op)->derivative[0] == '\0' ? "libm.def holds no derivative" : NULL;
}

// ---------------------------------------------------------------- expressions
typedef struct {
    ch__value *v;
    double num;
} libm_term; // v NULL: a number
typedef struct {
    ch__vjp *c;
    const char *p, *end;
    ch__value *like; // a floating operand: numbers take its shape
} libm_parser;

static libm_term parse_cond(libm_parser *s);

static char peek(libm_parser *s) {
    while (s->p < s->end && *s->p == ' ') s->p++;
    return s->p < s->end ? *s->p : '\0';
}
static bool accept(libm_parser *s, char c) {
    if (peek(s) != c) return false;
    s->p++;
    return true;
}
static ch__value *as_value(libm_parser *s, libm_term t, const ch__value *like) {
    return t.v != NULL ? t.v : ch__b_splat(B(s->c), like->type, t.num);
}
static libm_term term_of(ch__value *v) { return (libm_term){.v = v}; }

static libm_term apply(libm_parser *s, ch__opcode code, libm_term x, libm_term y) {
    const ch__value *like = x.v != NULL ? x.v : y.v != NULL ? y.v : s->like;
    ch__value *lhs = as_value(s, x, like), *rhs = as_value(s, y, like);
    return term_of(d_binary(s->c, code, lhs, rhs));
}

static ch__value *call_libm(ch__vjp *c, const char *fn, int n, ch__value *const *xs) {
    ch__attr a = ch__attr_str(CH__ATTR_fn, fn);
    return ch__build(B(c), CH_OP_cmath, n, xs, 1, &a, 0, NULL, 0, NULL)->results;
}

static ch__value *operand_of_class(libm_parser *s, bool floating, int at) {
    for (int i = 0; i < s->c->op->n_operands; i++)
        if (ch__is_float(ch__vjp_type(s->c, i)->dtype) == floating && at-- == 0) return X(s->c, i);
    assert(!"libm.def names an operand that is not there");
    return NULL;
}

static libm_term parse_name(libm_parser *s) {
    char name[32];
    size_t n = 0;
    while (s->p < s->end && ((*s->p >= 'a' && *s->p <= 'z') || (*s->p >= '0' && *s->p <= '9')) && n < sizeof name - 1)
        name[n++] = *s->p++;
    name[n] = '\0';
    if (!accept(s, '(')) {
        assert(n == 1);
        switch (name[0]) {
        case 'x': return term_of(operand_of_class(s, true, 0));
        case 'y': return term_of(operand_of_class(s, true, 1));
        case 'n': return term_of(operand_of_class(s, false, 0));
        case 'r': return term_of(ch__vjp_result(s->c, 0));
        default: assert(name[0] == 'e'); return term_of(ch__vjp_result(s->c, 1));
        }
    }
    ch__value *xs[4];
    int n_args = 0;
    do {
        libm_term t = parse_cond(s);
        bool order = n_args == 0 && name[n - 1] == 'n' && n == 2; // jn, yn: an int comes first
        xs[n_args++] = t.v == NULL && order ? ch__b_splat(B(s->c), ch__d_like(s->c, s->like->type, CH_I32), t.num)
                                            : as_value(s, t, s->like);
    } while (n_args < 4 && accept(s, ','));
    bool closed = accept(s, ')');
    assert(closed);
    (void)closed;
    int op = ch__op_find(name, n);
    if (op >= 0) return term_of(d_op(s->c, (ch__opcode)op, n_args, xs, xs[0]->type));
    return term_of(call_libm(s->c, name, n_args, xs));
}

static libm_term parse_atom(libm_parser *s) {
    char c = peek(s);
    if (c == '(') {
        s->p++;
        libm_term t = parse_cond(s);
        bool closed = accept(s, ')');
        assert(closed);
        (void)closed;
        return t;
    }
    if ((c >= '0' && c <= '9') || c == '.') {
        libm_term t = {0};
        s->p = ch__parse_f64(s->p, s->end, &t.num);
        return t;
    }
    return parse_name(s);
}

static libm_term parse_factor(libm_parser *s) {
    if (accept(s, '-')) {
        libm_term t = parse_factor(s);
        return t.v != NULL ? term_of(d_neg(s->c, t.v)) : (libm_term){.num = -t.num};
    }
    libm_term base = parse_atom(s);
    if (!accept(s, '^')) return base;
    libm_term power = parse_factor(s);
    assert(base.v == NULL && base.num == 2 && power.v != NULL);
    ch__value *xs[2] = {d_num(s->c, s->like, 1.0), power.v};
    return term_of(call_libm(s->c, "ldexp", 2, xs));
}

static libm_term parse_product(libm_parser *s) {
    libm_term t = parse_factor(s);
    for (;;) {
        if (accept(s, '*')) {
            t = apply(s, CH_OP_mul, t, parse_factor(s));
        } else if (accept(s, '/')) {
            t = apply(s, CH_OP_div, t, parse_factor(s));
        } else {
            return t;
        }
    }
}

static libm_term parse_sum(libm_parser *s) {
    libm_term t = parse_product(s);
    for (;;) {
        if (accept(s, '+')) {
            t = apply(s, CH_OP_add, t, parse_product(s));
        } else if (accept(s, '-')) {
            t = apply(s, CH_OP_sub, t, parse_product(s));
        } else {
            return t;
        }
    }
}

static libm_term parse_cond(libm_parser *s) {
    libm_term t = parse_sum(s);
    ch__dir dir = peek(s) == '>' ? CH__GT : CH__LT;
    if (!accept(s, '>') && !accept(s, '<')) return t;
    libm_term y = parse_sum(s);
    ch__value *lhs = as_value(s, t, s->like), *rhs = as_value(s, y, s->like), *p = d_compare(s->c, dir, lhs, rhs);
    bool question = accept(s, '?');
    libm_term yes = parse_cond(s);
    bool colon = accept(s, ':');
    libm_term no = parse_cond(s);
    assert(question && colon);
    (void)question;
    (void)colon;
    ch__value *on_true = as_value(s, yes, s->like), *on_false = as_value(s, no, s->like);
    return term_of(d_select(s->c, p, on_true, on_false));
}

// ---------------------------------------------------------------- the rule
// fmin, fmax: lhs where it is not beaten or rhs is NaN, else rhs.
static void first_vjp(ch__vjp *c) {
    bool max = strcmp(ch__op_attr(c->op, CH__ATTR_fn)->s, "fmax") == 0;
    ch__value *x = X(c, 0), *y = X(c, 1), *adj = ADJ(c), *zero = d_num(c, adj, 0.0);
    ch__value *lhs = d_compare(c, max ? CH__GE : CH__LE, x, y);
    lhs = d_binary(c, CH_OP_or, lhs, d_compare(c, CH__NE, y, y));
    c->masked = true;
    if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, d_select(c, lhs, adj, zero));
    if (ch__vjp_wants(c, 1)) ch__vjp_give(c, 1, d_select(c, lhs, zero, adj));
}

static void cmath_vjp(ch__vjp *c) {
    const ch__libm_row *row = libm_row(c->op);
    if (strcmp(row->derivative, "first") == 0) {
        first_vjp(c);
        return;
    }
    for (int i = 0; i < c->op->n_operands; i++)
        for (int j = 0; j < c->op->n_results; j++) {
            ch__value *adj = ch__vjp_adjoint(c, j);
            if (adj == NULL || !ch__vjp_wants(c, i) || !ch__libm_flows(c->op, i, j)) continue;
            libm_parser s = {.c = c, .like = operand_of_class(&(libm_parser){.c = c}, true, 0)};
            s.p = libm_piece(row, libm_floating(c->op, i), j, &s.end);
            libm_term d = parse_cond(&s);
            if (d.v == NULL && d.num == 1) {
                ch__vjp_give(c, i, adj);
            } else {
                ch__vjp_give(c, i, ch__vjp_guard(c, adj, d_mul(c, adj, as_value(&s, d, s.like))));
            }
        }
}

CH__RULE(cmath, cmath_vjp, ch__jvp_diagonal);
