// SPDX-License-Identifier: Apache-2.0
// index.c - sizes and positions as C: sums of products of loop counters and size symbols.
//
// A position is a size (ch__dim) over the func's symbols, over loop counters, named "$0", "$1", ... from the outermost
// loop of the func inwards, and over any other C expression, named "#" and its text. So index arithmetic is simplified
// by the same canonical form as sizes: a row of a transposed slice is still i * n + j.
#include "cgen/emit.h"

#include <stdlib.h>

// ---------------------------------------------------------------- printing
// Order of terms and factors: counters from the outermost, other expressions, sizes.
static int rank_of(const ch__atom *at) {
    if (at->kind != CH__ATOM_symbol) return 200;
    if (at->name[0] == '$') return atoi(at->name + 1);
    return at->name[0] == '#' ? 100 : 300;
}

static int term_rank(const ch__term *t) {
    int best = t->n_atoms == 0 ? 1000 : 400;
    for (int i = 0; i < t->n_atoms; i++)
        if (rank_of(t->atoms[i]) < best) best = rank_of(t->atoms[i]);
    return best;
}

static void index_see_loop(void *arg, const char *name) {
    if (name[0] == '$') *(bool *)arg = true;
}

// Positive terms first; then the larger steps, so that rows come before columns; then counters from the outermost.
static bool comes_before(const ch__term *x, const ch__term *y) {
    if ((x->coef < 0) != (y->coef < 0)) return y->coef < 0;
    if (x->n_atoms != y->n_atoms) return x->n_atoms > y->n_atoms;
    int64_t c = x->coef < 0 ? -(x->coef + 1) : x->coef, d = y->coef < 0 ? -(y->coef + 1) : y->coef;
    if (c != d && term_rank(x) < 200 && term_rank(y) < 200) return c > d;
    return term_rank(x) < term_rank(y);
}

// Indices into arrays are not negative: / and % of C do. Other sizes must show that they are not.
static bool not_negative(cg *g, ch__dim d) {
    bool loop = false;
    ch__dim_symbols(d, index_see_loop, &loop);
    int c = ch__dim_cmp(g->a, d, ch__dim_const(0));
    return loop || c == 0 || c == 1;
}

// Multiples of a divisor that is no number are taken out of what is divided: of a position that counts down,
// n m - 1 - i, there is left -1 - i, which C rounds the other way.
static bool has_negative_term(ch__dim d) {
    if (ch__dim_is_const(d)) return d.val < 0;
    for (int i = 0; i < d.sym->n_terms; i++)
        if (d.sym->terms[i].coef < 0) return true;
    return false;
}

static cx atom_text(cg *g, const ch__atom *at) {
    if (at->kind == CH__ATOM_symbol) {
        if (at->name[0] == '$') return ch__cx(g->loop_names[atoi(at->name + 1)], CX_PRIM);
        if (at->name[0] == '#') {
            cx e = ch__cx(at->name + 1, CX_PRIM);
            e.narrow = ch__strmap_get(&g->narrow, e.s) != NULL;
            return e;
        }
        const char *name = ch__strmap_get(&g->symbols, at->name);
        if (!name) ch__raise(CH__E_internal, "cgen: the size %s is not known here", at->name);
        cx e = ch__cx(name, CX_PRIM);
        e.narrow = ch__strmap_get(&g->narrow, name) != NULL;
        e.literal = name[0] >= '0' && name[0] <= '9';
        return e;
    }
    cx a = ch__cg_dim(g, at->a), b = ch__cg_dim(g, at->b);
    if (at->kind == CH__ATOM_max) return ch__cx_call2(g, ch__cg_helper(g->file, "max", CH_I64), a, b);
    if (at->kind == CH__ATOM_min) return ch__cx_call2(g, ch__cg_helper(g->file, "min", CH_I64), a, b);
    bool plain = not_negative(g, at->a) && ch__dim_is_const(at->b) && at->b.val > 0;
    bool div = at->kind == CH__ATOM_floordiv;
    if (!plain && !ch__dim_is_const(at->b) && !has_negative_term(at->a)) {
        bool loop = false;
        ch__dim_symbols(at->a, index_see_loop, &loop);
        plain = loop; // a position in an array: the divisor is one of its sizes
    }
    if (plain) return ch__cx_binary(g, div ? "/" : "%", CX_MUL, a, b);
    return ch__cx_call2(g, ch__cg_helper(g->file, div ? "floor_div" : "floor_mod", 0), a, b);
}

// The absolute value of a term.
static cx term_text(cg *g, const ch__term *t) {
    if (t->n_atoms == 0) return ch__cg_int(g, t->coef < 0 ? -t->coef : t->coef);
    bool used[64] = {false};
    cx r = {0};
    for (int k = 0; k < t->n_atoms; k++) {
        int best = -1;
        for (int i = 0; i < t->n_atoms && i < 64; i++)
            if (!used[i] && (best < 0 || rank_of(t->atoms[i]) < rank_of(t->atoms[best]))) best = i;
        if (best < 0) break;
        used[best] = true;
        cx a = atom_text(g, t->atoms[best]);
        if (k > 0 && a.prec == CX_MUL) a = ch__cx(ch__arena_printf(g->a, "(%s)", a.s), CX_PRIM);
        r = k == 0 ? a : ch__cx_binary(g, "*", CX_MUL, r, a);
    }
    int64_t c = t->coef < 0 ? -t->coef : t->coef;
    if (c != 1) {
        if (term_rank(t) < 200)
            r = ch__cx_binary(g, "*", CX_MUL, r, ch__cg_int(g, c)); // i * 4
        else
            r = ch__cx_binary(g, "*", CX_MUL, ch__cg_int(g, c), r); // 4 * n
    }
    return r;
}

cx ch__cg_dim(cg *g, ch__dim d) {
    if (ch__dim_is_const(d)) return ch__cg_int(g, d.val);
    bool *used = CH_NEW_ARRAY(g->a, bool, d.sym->n_terms);
    cx r = {0};
    for (int k = 0; k < d.sym->n_terms; k++) {
        int best = -1;
        for (int i = 0; i < d.sym->n_terms; i++) {
            if (used[i]) continue;
            if (best < 0) {
                best = i;
                continue;
            }
            const ch__term *x = &d.sym->terms[i], *y = &d.sym->terms[best];
            if (comes_before(x, y)) best = i;
        }
        used[best] = true;
        const ch__term *t = &d.sym->terms[best];
        cx e = term_text(g, t);
        if (k == 0 && t->coef < 0)
            r = ch__cx(ch__arena_printf(g->a, "-%s", ch__cx_at(g, e, CX_UNARY)), CX_UNARY);
        else
            r = k == 0 ? e : ch__cx_binary(g, t->coef < 0 ? "-" : "+", CX_ADD, r, e);
    }
    return r;
}

const char *ch__cg_dim_text(cg *g, ch__dim d, int prec) { return ch__cx_at(g, ch__cg_dim(g, d), prec); }

// ---------------------------------------------------------------- making
ch__dim ch__cg_loop_symbol(cg *g, int depth) {
    char name[16];
    if (depth >= 64)
        ch__raise(CH__E_limit, "print_c: @%s: loops are nested more than 64 deep — that is the limit", g->f->name);
    snprintf(name, sizeof name, "$%d", depth);
    return ch__dim_symbol(g->a, name);
}

ch__dim ch__cg_opaque(cg *g, cx e) {
    return ch__dim_symbol(g->a, ch__arena_printf(g->a, "#%s", ch__cx_at(g, e, CX_PRIM)));
}

static void see_other_symbol(void *arg, const char *name) {
    void **both = arg;
    if (!ch__func_dim_param(((cg *)both[0])->f, name)) *(bool *)both[1] = true;
}

// A size that is more than a product gets a name at the top of the function: as a step from row to row it would be
// multiplied out else. d itself when it is simple, or depends on what is known inside only.
ch__dim ch__cg_size(cg *g, ch__dim d, bool step) {
    bool other = false, simple = true;
    void *both[2] = {g, &other};
    if (ch__dim_is_const(d)) return d;
    for (int i = 0; i < d.sym->n_terms; i++)
        for (int k = 0; k < d.sym->terms[i].n_atoms; k++)
            simple = simple && d.sym->terms[i].atoms[k]->kind == CH__ATOM_symbol;
    if (simple && d.sym->n_terms <= (step ? 1 : 2)) return d;
    for (int64_t i = 0; i < g->sizes.n; i++)
        if (ch__dim_equal(g->sizes.data[i].dim, d)) return g->sizes.data[i].symbol;
    ch__dim_symbols(d, see_other_symbol, both);
    if (other) return d;
    const char *text = ch__cg_dim(g, d).s, *name = ch__cg_top_name(g, "size");
    ch__cg_variable(g, name, "int64_t ");
    named_size s = {d, ch__cg_opaque(g, ch__cx(name, CX_PRIM)), name, text};
    CH_PUSH(g->a, &g->sizes, s);
    return s.symbol;
}

// ---------------------------------------------------------------- axes without elements
// d with its symbols shifted_size by their lower bounds, so that all may be 0.
static ch__dim shifted_size(cg *g, ch__dim d) {
    int n = 0;
    const char **names = CH_NEW_ARRAY(g->a, const char *, g->f->dims.n + 1);
    ch__dim *to = CH_NEW_ARRAY(g->a, ch__dim, g->f->dims.n + 1);
    for (int64_t i = 0; i < g->f->dims.n; i++) {
        const ch__dim_param *p = &g->f->dims.data[i];
        if (p->lo <= 0) continue;
        names[n] = p->name;
        to[n++] = ch__dim_add(g->a, ch__dim_symbol(g->a, p->name), ch__dim_const(p->lo));
    }
    return n ? ch__dim_subst(g->a, d, n, names, to) : d;
}

void ch__cg_want_room(cg *g, ch__dim d, ch__dim block) {
    ch__dim more = ch__dim_add(g->a, ch__dim_sub(g->a, d, block), ch__dim_const(1)); // places the block fits at
    if (ch__dim_cmp(g->a, shifted_size(g, more), ch__dim_const(0)) == 1) return;
    for (int64_t i = 0; i < g->some.n; i++)
        if (ch__dim_cmp(g->a, ch__dim_add(g->a, more, ch__dim_const(1)), g->some.data[i]) == 1) return;
    const char *size = ch__cg_dim_text(g, d, CX_ADD);
    if (ch__dim_is_const(more))
        ch__cg_fail(g, "1", 2); // always
    else
        ch__cg_fail(g, ch__arena_printf(g->a, "%s < %s", size, ch__cg_dim_text(g, block, CX_ADD)), 2);
    CH_PUSH(g->a, &g->some, more);
}

void ch__cg_guard(cg *g, const ch__op *op) {
    if (op->code == CH_OP_gather && ch__op_int(op, CH__ATTR_bounds, CH__CLAMP) == CH__CLAMP) {
        const ch__attr *map = ch__op_attr(op, CH__ATTR_index_map), *sizes = ch__op_attr(op, CH__ATTR_sizes);
        for (int k = 0; k < map->n; k++)
            ch__cg_want_room(g, op->operands[0]->type->dims[map->ints[k]], sizes->dims[map->ints[k]]);
    } else if (op->code == CH_OP_arg_reduce) { // the position of no element
        const ch__type *t = op->results[0].type;
        ch__dim n = op->operands[0]->type->dims[ch__op_int(op, CH__ATTR_dim, 0)], results = ch__cg_numel(g, t);
        if (ch__dim_cmp(g->a, shifted_size(g, n), ch__dim_const(0)) == 1) return;
        if (ch__dim_is_const(results)) {
            if (results.val > 0) ch__cg_want_room(g, n, ch__dim_const(1));
            return;
        }
        ch__cg_fail(g,
                    ch__arena_printf(g->a, "%s < 1 && %s > 0", ch__cg_dim_text(g, n, CX_ADD),
                                     ch__cg_dim_text(g, results, CX_ADD)),
                    2);
    }
}

bool ch__cg_same_dims(const ch__type *x, const ch__type *y) {
    if (x->rank != y->rank) return false;
    for (int i = 0; i < x->rank; i++)
        if (!ch__dim_equal(x->dims[i], y->dims[i])) return false;
    return true;
}

bool ch__cg_among(const ch__attr *axes, int axis) {
    for (int i = 0; axes && i < axes->n; i++)
        if (axes->ints[i] == axis) return true;
    return false;
}

ch__dim ch__cg_numel(cg *g, const ch__type *t) {
    ch__dim n = ch__dim_const(1);
    for (int i = 0; i < t->rank; i++) n = ch__dim_mul(g->a, n, ch__cg_size(g, t->dims[i], true));
    return n;
}

ch__dim ch__cg_offset(cg *g, const ix *at, const ch__type *t) {
    if (at->has_linear) return at->linear;
    ch__dim r = ch__dim_const(0);
    for (int i = 0; i < t->rank; i++) {
        if (i > 0) r = ch__dim_mul(g->a, r, ch__cg_size(g, t->dims[i], true));
        r = ch__dim_add(g->a, r, at->at[i]);
    }
    return r;
}

const ch__dim *ch__cg_vector(cg *g, const ix *at, const ch__type *t) {
    if (at->at || t->rank == 0) return at->at;
    ch__dim *r = CH_NEW_ARRAY(g->a, ch__dim, t->rank), rest = at->linear;
    int first = 0; // the outermost axis that is not of size 1 needs no remainder
    while (first < t->rank - 1 && ch__dim_is_const(t->dims[first]) && t->dims[first].val <= 1) first++;
    for (int i = t->rank - 1; i >= 0; i--) {
        if (ch__dim_is_const(t->dims[i]) && t->dims[i].val <= 1) {
            r[i] = ch__dim_const(0); // of size 0: never read
        } else if (i == first) {
            r[i] = rest;
        } else {
            r[i] = ch__dim_mod(g->a, rest, t->dims[i]);
            rest = ch__dim_floordiv(g->a, rest, t->dims[i]);
        }
    }
    return r;
}

// ---------------------------------------------------------------- integers that stay in range
static bool const_i64(const ch__value *v, int64_t *out) {
    const ch__array *c = ch__const_of(v);
    if (!c || c->dtype != CH_I64) return false;
    memcpy(out, c->data, sizeof *out);
    return true;
}

static bool is_moderate(const ch__value *v, int depth);

// A counter of `for` between moderate bounds, or what a loop counts up or down by one from a moderate start.
static bool is_counter(const ch__value *v, int depth) {
    const ch__region *r = v->region;
    const ch__op *op = r ? r->owner : NULL;
    int64_t one;
    if (!op || (op->code != CH_OP_for && op->code != CH_OP_while)) return false;
    int k = v->index, first = op->code == CH_OP_for ? 1 : 0, operands = op->code == CH_OP_for ? 3 : 0;
    if (op->code == CH_OP_for && k == 0)
        return is_moderate(op->operands[0], depth + 1) && is_moderate(op->operands[1], depth + 1);
    const ch__region *body = op->regions[op->n_regions - 1];
    const ch__op *next = body->results[k - first]->op;
    return next && (next->code == CH_OP_add || next->code == CH_OP_sub) && next->operands[0] == body->params[k] &&
           const_i64(next->operands[1], &one) && (one == 1 || one == -1) &&
           is_moderate(op->operands[operands + k - first], depth + 1);
}

static bool is_moderate(const ch__value *v, int depth) {
    int64_t n;
    if (v->type->rank != 0 || v->type->dtype != CH_I64 || depth > 6) return false;
    if (const_i64(v, &n)) return n >= -INT64_MAX / 4 && n <= INT64_MAX / 4;
    if (!v->op) return is_counter(v, depth);
    const ch__value *x = v->op->n_operands > 0 ? v->op->operands[0] : NULL;
    switch (v->op->code) {
    case CH_OP_dim: return true; // of arrays that exist
    case CH_OP_convert: return ch__is_int(x->type->dtype) && ch_dtype_size(x->type->dtype) <= 4;
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_min:
    case CH_OP_max: return is_moderate(x, depth + 1) && is_moderate(v->op->operands[1], depth + 1);
    default: return false;
    }
}

bool ch__cg_is_moderate(const ch__value *v) { return is_moderate(v, 0); }

static bool is_at_least_0(const ch__value *v) {
    int64_t n;
    if (const_i64(v, &n)) return n >= 0;
    if (!v->op) return false;
    if (v->op->code == CH_OP_dim) return true;
    return v->op->code == CH_OP_max && (is_at_least_0(v->op->operands[0]) || is_at_least_0(v->op->operands[1]));
}

bool ch__cg_stays(const ch__op *op) {
    if ((op->code != CH_OP_add && op->code != CH_OP_sub) || op->results[0].type->dtype != CH_I64 ||
        op->results[0].type->rank != 0)
        return false;
    const ch__value *x = op->operands[0], *y = op->operands[1];
    if (op->code == CH_OP_sub && is_at_least_0(x) && is_at_least_0(y)) return true;
    return is_moderate(x, 0) && is_moderate(y, 0);
}

// ---------------------------------------------------------------- integers of the program as positions
// An integer that the program computes is its C expression; constants, sizes and sums of these are sizes.
static ch__dim index_of(cg *g, const ch__value *v, bool trusted, bool full, int depth) {
    val *x = val_of(g, v);
    const ch__array *c = ch__const_of(v);
    if (x->st && x->st->loop) return ch__cg_loop_symbol(g, x->st->loop - 1);
    if (c && !v->type->rank) {
        int64_t i = 0;
        memcpy(&i, c->data, ch_dtype_size(c->dtype));
        if (c->dtype == CH_I64) return ch__dim_const(i);
        if (c->dtype == CH_I32) return ch__dim_const((int32_t)i);
    }
    if (x->st == NULL && v->op && v->type->dtype == CH_I64 && depth < 8) {
        const ch__op *op = v->op;
        bool nowrap = trusted || ch__op_int(op, CH__ATTR_nowrap, 0) != 0 || ch__cg_stays(op);
        if (op->code == CH_OP_dim) return ch__op_attr(op, CH__ATTR_e)->dim;
        if (nowrap && op->code == CH_OP_add)
            return ch__dim_add(g->a, index_of(g, op->operands[0], trusted, full, depth + 1),
                               index_of(g, op->operands[1], trusted, full, depth + 1));
        if (nowrap && op->code == CH_OP_sub)
            return ch__dim_sub(g->a, index_of(g, op->operands[0], trusted, full, depth + 1),
                               index_of(g, op->operands[1], trusted, full, depth + 1));
        if (nowrap && g->fn->face && op->code == CH_OP_mul) {
            ch__dim a = index_of(g, op->operands[0], trusted, full, depth + 1),
                    b = index_of(g, op->operands[1], trusted, full, depth + 1);
            bool single = (ch__dim_is_const(a) || a.sym->n_terms == 1) && (ch__dim_is_const(b) || b.sym->n_terms == 1);
            if (full || single) return ch__dim_mul(g->a, a, b); // (i + 1) * n stays as it is
        }
    }
    cx e = ch__cg_scalar(g, v);
    if (v->type->dtype == CH_U64)
        e = ch__cx_call1(g, ch__cg_helper(g->file, "index_of_u64", 0), e);
    else if (v->type->dtype != CH_I64 && x->st == NULL)
        e = ch__cx_cast(g, "int64_t", e);
    return ch__cg_opaque(g, e);
}

ch__dim ch__cg_index_dim(cg *g, const ch__value *v, bool trusted) { return index_of(g, v, trusted, false, 0); }

ch__dim ch__cg_full_index(cg *g, const ch__value *v) { return index_of(g, v, true, true, 0); }
