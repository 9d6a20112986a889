// SPDX-License-Identifier: Apache-2.0
// workspace.c - functions that take their memory from the caller: how many bytes each of their arrays and tapes needs.
//
// The printer's arrays and tapes get rooms, one behind the other, in the memory that the caller gives. How large a room
// has to be follows from the func: every integer is a range, whose ends are expressions of the integer parameters; a
// loop goes round as often as its bounds say at most; a tape holds what is put on it in all turns. A loop that may also
// be left early is taken to its end. Two functions come out: NAME_rooms, the bytes of each room, and NAME_wsize, their
// sum. What does not follow from integer parameters is refused. Where the function uses a room it looks whether it is
// large enough, so that an estimate that is too small is an error and no overflow.
#include <stdlib.h>
#include <string.h>

#include "cgen/emit.h"

// ---------------------------------------------------------------- expressions
typedef enum { WX_NUMBER, WX_NAME, WX_ADD, WX_SUB, WX_MUL, WX_DIV, WX_MAX } wx_kind;
typedef struct wx {
    wx_kind kind;
    int64_t k;
    const char *name; // WX_NAME; of others that are used twice: of the variable
    const struct wx *x, *y;
    int uses;
} wx;
typedef struct {
    const wx *lo, *hi; // NULL: it is not known
} range;
typedef struct {
    cg *g;
    ch__arena *a;
    range *of;       // by value id
    const wx **held; // of tapes: how many values at most
    CH_VEC(const ch__value *) tapes;
    CH_VEC(const wx *) all;
    ch__strmap symbols;    // -> range *
    const ch__op *endless; // a loop that fills a tape and goes round nobody knows how often
} sizer;

static bool wx_same(const wx *x, const wx *y);

// Each expression once.
static const wx *new_wx(sizer *z, wx e) {
    for (int64_t i = 0; i < z->all.n; i++)
        if (wx_same(z->all.data[i], &e)) return z->all.data[i];
    wx *p = CH_NEW(z->a, wx);
    *p = e;
    CH_PUSH(z->a, &z->all, p);
    return p;
}
static const wx *wx_number(sizer *z, int64_t k) { return new_wx(z, (wx){.kind = WX_NUMBER, .k = k}); }
static bool wx_is_number(const wx *e, int64_t *k) {
    *k = e->kind == WX_NUMBER ? e->k : 0;
    return e->kind == WX_NUMBER;
}
static bool not_below_zero(const wx *e) {
    switch (e->kind) {
    case WX_NUMBER: return e->k >= 0;
    case WX_ADD:
    case WX_MUL:
    case WX_DIV: return not_below_zero(e->x) && not_below_zero(e->y);
    case WX_MAX: return not_below_zero(e->x) || not_below_zero(e->y);
    default: return false;
    }
}
static bool wx_same(const wx *x, const wx *y) {
    if (x == y) return true;
    if (x->kind != y->kind) return false;
    if (x->kind == WX_NUMBER) return x->k == y->k;
    if (x->kind == WX_NAME) return !strcmp(x->name, y->name);
    return x->x == y->x && x->y == y->y;
}

static const wx *wx_combine(sizer *z, wx_kind kind, const wx *x, const wx *y);
static const wx *at_least_zero(sizer *z, const wx *e) { return wx_combine(z, WX_MAX, e, wx_number(z, 0)); }

// NULL of NULL.
static const wx *wx_combine(sizer *z, wx_kind kind, const wx *x, const wx *y) {
    int64_t a, b, r = 0;
    if (!x || !y) return NULL;
    bool first = wx_is_number(x, &a), second = wx_is_number(y, &b);
    if (first && second) {
        bool fits = kind == WX_ADD   ? ch__add_i64(a, b, &r)
                    : kind == WX_SUB ? b > INT64_MIN && ch__add_i64(a, -b, &r)
                    : kind == WX_MUL ? ch__mul_i64(a, b, &r)
                                     : true;
        if (kind == WX_MAX) r = a > b ? a : b;
        if (kind == WX_DIV) r = b > 0 && a >= 0 ? a / b : 0;
        return fits ? wx_number(z, r) : NULL;
    }
    if (second && b == 0 && (kind == WX_ADD || kind == WX_SUB)) return x;
    if (first && a == 0 && kind == WX_ADD) return y;
    if (second && b == 1 && (kind == WX_MUL || kind == WX_DIV)) return x;
    if (first && a == 1 && kind == WX_MUL) return y;
    if (kind == WX_MUL && ((first && a == 0) || (second && b == 0))) return wx_number(z, 0);
    if (kind == WX_SUB && wx_same(x, y)) return wx_number(z, 0);
    if (kind == WX_ADD && x->kind == WX_SUB && wx_same(x->y, y)) return x->x;
    if (kind == WX_MAX && wx_same(x, y)) return x;
    if (kind == WX_MAX && x->kind == WX_MAX && (wx_same(x->x, y) || wx_same(x->y, y))) return x;
    if (kind == WX_MAX && y->kind == WX_MAX && (wx_same(x, y->x) || wx_same(x, y->y))) return y;
    if (kind == WX_MAX && x->kind == WX_SUB && not_below_zero(x->y) && wx_same(x->x, y)) return y;
    if (kind == WX_MAX && y->kind == WX_SUB && not_below_zero(y->y) && wx_same(x, y->x)) return x;
    if (kind == WX_MAX && second && b <= 0 && not_below_zero(x)) return x;
    if (kind == WX_MAX && first && a <= 0 && not_below_zero(y)) return y;
    if (second && (kind == WX_ADD || kind == WX_SUB) && (x->kind == WX_ADD || x->kind == WX_SUB) &&
        x->y->kind == WX_NUMBER) { // n + 1 - 1
        int64_t c = x->kind == WX_ADD ? x->y->k : -x->y->k;
        if (b > INT64_MIN && ch__add_i64(c, kind == WX_ADD ? b : -b, &r)) {
            if (r == 0) return x->x;
            return new_wx(z, (wx){.kind = r > 0 ? WX_ADD : WX_SUB, .x = x->x, .y = wx_number(z, r > 0 ? r : -r)});
        }
    }
    if (kind == WX_DIV && second && x->kind == WX_MUL && x->y->kind == WX_NUMBER && b > 0 && x->y->k % b == 0)
        return wx_combine(z, WX_MUL, x->x, wx_number(z, x->y->k / b));
    if (kind == WX_DIV && second && b > 0 && x->kind == WX_MAX && x->x->kind == WX_MUL && x->x->y->kind == WX_NUMBER &&
        x->x->y->k % b == 0 && x->y->kind == WX_NUMBER && x->y->k == 0) // max(n * 8, 0) / 8
        return wx_combine(z, WX_MUL, wx_combine(z, WX_MAX, x->x->x, x->y), wx_number(z, x->x->y->k / b));
    if (kind == WX_MUL && first) return wx_combine(z, WX_MUL, y, x); // numbers behind
    return new_wx(z, (wx){.kind = kind, .x = x, .y = y});
}

static range exactly(const wx *e) { return (range){e, e}; }
static range range_plus(sizer *z, range x, range y) {
    return (range){wx_combine(z, WX_ADD, x.lo, y.lo), wx_combine(z, WX_ADD, x.hi, y.hi)};
}
static range range_minus(sizer *z, range x, range y) {
    return (range){wx_combine(z, WX_SUB, x.lo, y.hi), wx_combine(z, WX_SUB, x.hi, y.lo)};
}
static range range_times(sizer *z, range x, range y) {
    int64_t k;
    if (x.lo && x.lo == x.hi && wx_is_number(x.lo, &k)) {
        range t = x;
        x = y, y = t;
    }
    if (y.lo && y.lo == y.hi && wx_is_number(y.lo, &k)) {
        range r = {wx_combine(z, WX_MUL, x.lo, y.lo), wx_combine(z, WX_MUL, x.hi, y.lo)};
        return k >= 0 ? r : (range){r.hi, r.lo};
    }
    // Sizes: what is below zero is none.
    if (!x.hi || !y.hi) return (range){0};
    return (range){wx_number(z, 0), wx_combine(z, WX_MUL, at_least_zero(z, x.hi), at_least_zero(z, y.hi))};
}
static range range_divided(sizer *z, range x, range y) {
    int64_t k;
    if (!y.lo || y.lo != y.hi || !wx_is_number(y.lo, &k) || k <= 0 || !x.hi) return (range){0};
    return (range){x.lo && not_below_zero(x.lo) ? wx_combine(z, WX_DIV, x.lo, y.lo) : NULL,
                   wx_combine(z, WX_DIV, at_least_zero(z, x.hi), y.lo)};
}
static range range_either(sizer *z, range x, range y) {
    range r = {.hi = wx_combine(z, WX_MAX, x.hi, y.hi)};
    int64_t a, b;
    if (x.lo && y.lo && wx_same(x.lo, y.lo)) r.lo = x.lo;
    if (x.lo && y.lo && wx_is_number(x.lo, &a) && wx_is_number(y.lo, &b)) r.lo = a < b ? x.lo : y.lo;
    return r;
}

// ---------------------------------------------------------------- sizes
static range range_of_dim(sizer *z, ch__dim d);
static range range_of_atom(sizer *z, const ch__atom *at) {
    if (at->kind == CH__ATOM_symbol) {
        const range *r = ch__strmap_get(&z->symbols, at->name);
        return r ? *r : (range){0};
    }
    range x = range_of_dim(z, at->a), y = range_of_dim(z, at->b);
    switch (at->kind) {
    case CH__ATOM_max: return (range){wx_combine(z, WX_MAX, x.lo, y.lo), wx_combine(z, WX_MAX, x.hi, y.hi)};
    case CH__ATOM_min: return (range){NULL, x.hi ? x.hi : y.hi};
    case CH__ATOM_floordiv: return range_divided(z, x, y);
    default: return (range){wx_number(z, 0), y.hi ? y.hi : x.hi};
    }
}
static range range_of_dim(sizer *z, ch__dim d) {
    if (ch__dim_is_const(d)) return exactly(wx_number(z, d.val));
    range sum = exactly(wx_number(z, 0));
    for (int i = 0; i < d.sym->n_terms; i++) {
        const ch__term *t = &d.sym->terms[i];
        range r = exactly(wx_number(z, t->coef < 0 ? -t->coef : t->coef));
        for (int k = 0; k < t->n_atoms; k++) r = range_times(z, r, range_of_atom(z, t->atoms[k]));
        sum = t->coef < 0 ? range_minus(z, sum, r) : range_plus(z, sum, r);
    }
    return sum;
}

// ---------------------------------------------------------------- what the func computes
static const wx *tape_at(const sizer *z, const ch__value *v) { return z->held[v->id]; }
static void put_tape(sizer *z, const ch__value *v, const wx *n) {
    if (!z->held[v->id]) CH_PUSH(z->a, &z->tapes, v);
    z->held[v->id] = n;
}
static range value_at(const sizer *z, const ch__value *v) { return z->of[v->id]; }

static void size_see_region(sizer *z, const ch__region *r);

// What a body adds to a tape in one turn: it is looked at with nothing on the tapes.
static const wx *added_in_turn(sizer *z, const ch__region *body, int first) {
    const wx *sum = wx_number(z, 0);
    bool any = false;
    for (int i = first; i < body->n_params; i++)
        if (body->params[i]->type->tape) {
            put_tape(z, body->params[i], wx_number(z, 0));
            any = true;
        }
    if (!any) return sum;
    size_see_region(z, body);
    for (int i = 0; i < body->n_results; i++)
        if (body->results[i]->type->tape) sum = wx_combine(z, WX_ADD, sum, tape_at(z, body->results[i]));
    return sum;
}

static void size_see_turns(sizer *z, const ch__op *op, const ch__region *body, int first, int operand,
                           const wx *turns) {
    const wx *each = added_in_turn(z, body, first), *all;
    int64_t k;
    if (wx_is_number(each, &k) && k == 0)
        all = each;
    else
        all = wx_combine(z, WX_MUL, turns, each);
    if (!all) z->endless = op;
    for (int i = 0; i < op->n_results; i++) {
        if (!op->results[i].type->tape) continue;
        const wx *n = wx_combine(z, WX_ADD, tape_at(z, op->operands[operand + i]), all ? all : wx_number(z, 0));
        put_tape(z, &op->results[i], n);
        put_tape(z, body->params[first + i], wx_combine(z, WX_SUB, n, each)); // before the last turn
    }
    size_see_region(z, body);
}

static void size_see_for(sizer *z, const ch__op *op) {
    const ch__region *body = op->regions[0];
    range lo = value_at(z, op->operands[0]), hi = value_at(z, op->operands[1]), by = value_at(z, op->operands[2]);
    int64_t step = 0;
    const wx *turns = NULL, *one = wx_number(z, 1);
    if (by.lo && by.lo == by.hi && wx_is_number(by.lo, &step) && step != 0 && step != INT64_MIN) {
        int64_t size = step > 0 ? step : -step;
        range span = step > 0 ? range_minus(z, hi, lo) : range_minus(z, lo, hi);
        turns = span.hi ? at_least_zero(z, span.hi) : NULL;
        if (turns && size > 1)
            turns = wx_combine(z, WX_DIV, wx_combine(z, WX_ADD, turns, wx_number(z, size - 1)), wx_number(z, size));
        z->of[body->params[0]->id] = step > 0 ? (range){lo.lo, wx_combine(z, WX_SUB, hi.hi, one)}
                                              : (range){wx_combine(z, WX_ADD, hi.lo, one), lo.hi};
    }
    size_see_turns(z, op, body, 1, 3, turns);
}

// A loop that goes on while i < n, among other things, and in which i grows by one.
static bool grows(const ch__region *body, int k, int depth, const ch__value *v) {
    if (v == body->params[k] || depth > 8) return false;
    if (!v->op) return false;
    double by;
    if (v->op->code == CH_OP_add)
        return (v->op->operands[0] == body->params[k] && ch__const_splat_f64(v->op->operands[1], &by) && by >= 1) ||
               (v->op->operands[1] == body->params[k] && ch__const_splat_f64(v->op->operands[0], &by) && by >= 1);
    if (v->op->code == CH_OP_select) // of a turn that is the last
        return grows(body, k, depth + 1, v->op->operands[1]) || grows(body, k, depth + 1, v->op->operands[2]);
    if (v->op->code == CH_OP_if)
        for (int r = 0; r < v->op->n_regions; r++)
            if (grows(body, k, depth + 1, v->op->regions[r]->results[v->index])) return true;
    if (v->op->code == CH_OP_convert) return grows(body, k, depth + 1, v->op->operands[0]);
    return false;
}
static const wx *bound_in(sizer *z, const ch__op *op, const ch__value *c, int depth) {
    const ch__region *test = op->regions[0], *body = op->regions[1];
    if (!c->op || depth > 8) return NULL;
    if (c->op->code == CH_OP_and || c->op->code == CH_OP_if) {
        const wx *n = NULL;
        for (int i = 0; i < c->op->n_operands && !n; i++) n = bound_in(z, op, c->op->operands[i], depth + 1);
        for (int r = 0; r < c->op->n_regions && !n; r++) // cond ? i < n : false
            n = bound_in(z, op, c->op->regions[r]->results[c->index], depth + 1);
        return n;
    }
    if (c->op->code != CH_OP_compare) return NULL;
    int64_t dir = ch__op_int(c->op, CH__ATTR_dir, 0);
    bool less = dir == CH__LT || dir == CH__LE, more = dir == CH__GT || dir == CH__GE;
    if (!less && !more) return NULL;
    const ch__value *i = c->op->operands[less ? 0 : 1], *n = c->op->operands[less ? 1 : 0];
    for (int k = 0; k < test->n_params; k++) {
        if (test->params[k] != i || !grows(body, k, 0, body->results[k])) continue;
        range from = value_at(z, op->operands[k]), to = value_at(z, n);
        const wx *turns = wx_combine(z, WX_SUB, to.hi, from.lo);
        return turns ? wx_combine(z, WX_ADD, at_least_zero(z, turns), wx_number(z, 1)) : NULL;
    }
    return NULL;
}
static void size_see_while(sizer *z, const ch__op *op) {
    size_see_region(z, op->regions[0]);
    const wx *turns = bound_in(z, op, op->regions[0]->results[0], 0);
    for (int i = 0; i < op->regions[0]->n_params; i++)
        if (op->regions[0]->params[i]->type->tape) put_tape(z, op->regions[0]->params[i], wx_number(z, 0));
    size_see_turns(z, op, op->regions[1], 0, 0, turns);
}

static void size_see_if(sizer *z, const ch__op *op) {
    for (int r = 0; r < 2; r++) size_see_region(z, op->regions[r]);
    for (int i = 0; i < op->n_results; i++) {
        const ch__value *x = op->regions[0]->results[i], *y = op->regions[1]->results[i], *v = &op->results[i];
        if (v->type->tape)
            put_tape(z, v, wx_combine(z, WX_MAX, tape_at(z, x), tape_at(z, y)));
        else
            z->of[v->id] = range_either(z, value_at(z, x), value_at(z, y));
    }
}

static void size_see_alloc(sizer *z, const ch__op *op) {
    const char *const *names;
    int n = ch__alloc_symbols(z->a, ch__op_attr(op, CH__ATTR_symbols), &names);
    for (int i = 0; i < op->n_operands && i < n; i++) {
        range *r = CH_NEW(z->a, range);
        *r = value_at(z, op->operands[i]);
        ch__strmap_put(&z->symbols, names[i], r);
    }
}

static range range_computed(sizer *z, const ch__op *op) {
    range x = op->n_operands > 0 ? value_at(z, op->operands[0]) : (range){0};
    range y = op->n_operands > 1 ? value_at(z, op->operands[1]) : (range){0};
    double k;
    switch ((ch__opcode)op->code) {
    case CH_OP_const:
        if (ch__const_splat_f64(&op->results[0], &k) && k > -4e15 && k < 4e15) return exactly(wx_number(z, (int64_t)k));
        return (range){0};
    case CH_OP_dim: return range_of_dim(z, ch__op_attr(op, CH__ATTR_e)->dim);
    case CH_OP_add: return range_plus(z, x, y);
    case CH_OP_sub: return range_minus(z, x, y);
    case CH_OP_mul: return range_times(z, x, y);
    case CH_OP_div: return range_divided(z, x, y);
    case CH_OP_neg: return range_minus(z, exactly(wx_number(z, 0)), x);
    case CH_OP_max: return (range){wx_combine(z, WX_MAX, x.lo, y.lo), wx_combine(z, WX_MAX, x.hi, y.hi)};
    case CH_OP_min: return (range){NULL, x.hi ? x.hi : y.hi};
    case CH_OP_convert: return ch__is_float(op->operands[0]->type->dtype) ? (range){0} : x;
    case CH_OP_select: return range_either(z, y, value_at(z, op->operands[2]));
    default: return (range){0};
    }
}

static void size_see_op(sizer *z, const ch__op *op) {
    switch ((ch__opcode)op->code) {
    case CH_OP_for: size_see_for(z, op); return;
    case CH_OP_while: size_see_while(z, op); return;
    case CH_OP_if: size_see_if(z, op); return;
    case CH_OP_alloc: size_see_alloc(z, op); return;
    case CH_OP_tape_new: put_tape(z, &op->results[0], wx_number(z, 0)); return;
    case CH_OP_push:
        put_tape(z, &op->results[0], wx_combine(z, WX_ADD, tape_at(z, op->operands[0]), wx_number(z, 1)));
        return;
    case CH_OP_pop: put_tape(z, &op->results[0], tape_at(z, op->operands[0])); return;
    default: break;
    }
    if (op->n_results == 1 && op->n_regions == 0 && op->results[0].type->rank == 0 &&
        !ch__is_float(op->results[0].type->dtype))
        z->of[op->results[0].id] = range_computed(z, op);
}

static void size_see_region(sizer *z, const ch__region *r) {
    for (const ch__op *op = r->first; op; op = op->next) size_see_op(z, op);
}

// ---------------------------------------------------------------- as C
static bool is_given(const ch__c_workspace *w, const char *text) {
    for (const char *s = text; *s;) {
        size_t n = 0;
        while (ch__cg_in_word(s[n])) n++;
        if (n == 0) {
            if (*s == '.' || *s == '>' || *s == '[') return false;
            s++;
            continue;
        }
        bool known = *s >= '0' && *s <= '9';
        for (int i = 0; i < w->n_names; i++) known = known || (strlen(w->names[i]) == n && !strncmp(w->names[i], s, n));
        if (n == 7 && !strncmp(s, "int64_t", 7)) known = true;
        if (!known) return false;
        s += n;
    }
    return true;
}

static void wx_count(const wx *e) {
    wx *m = (wx *)(uintptr_t)e;
    if (m->uses++ > 0 || e->kind == WX_NUMBER || e->kind == WX_NAME) return;
    wx_count(e->x);
    wx_count(e->y);
}

static const char *wx_text(sizer *z, ch__text *lines, int *n, const wx *e, int level) {
    wx *m = (wx *)(uintptr_t)e;
    if (e->kind == WX_NUMBER) return ch__cg_int(z->g, e->k).s;
    if (e->name) return e->name;
    cg_file *file = z->g->file;
    const char *s;
    int mine = e->kind == WX_ADD || e->kind == WX_SUB ? 1 : e->kind == WX_MAX ? 3 : 2;
    const char *x = wx_text(z, lines, n, e->x, mine == 3 ? 0 : mine);
    const char *y = wx_text(z, lines, n, e->y, mine == 3 ? 0 : mine + 1);
    bool both = e->kind == WX_MUL && e->y->kind != WX_NUMBER;
    if (e->kind == WX_MAX || both)
        s = ch__arena_printf(z->a, "%s(%s, %s)",
                             both ? ch__cg_helper(file, "times", 0) : ch__cg_helper(file, "max", CH_I64), x, y);
    else
        s = ch__arena_printf(z->a, "%s %s %s", x,
                             e->kind == WX_ADD   ? "+"
                             : e->kind == WX_SUB ? "-"
                             : e->kind == WX_MUL ? "*"
                                                 : "/",
                             y);
    if (e->uses > 1) {
        ch__putf(lines, "    const int64_t part_%d = %s;\n", ++*n, s);
        return m->name = ch__arena_printf(z->a, "part_%d", *n);
    }
    return mine < level && !both && e->kind != WX_MAX ? ch__arena_printf(z->a, "(%s)", s) : s;
}

// ---------------------------------------------------------------- the rooms
static void name_leaf(sizer *z, range *r, const ch__c_workspace *w, const char *text) {
    int64_t k;
    char *end = NULL;
    k = strtoll(text, &end, 10);
    if (*text && end && !*end) {
        *r = exactly(wx_number(z, k));
    } else if (is_given(w, text)) {
        bool word = ch__cg_is_word(text);
        *r = exactly(new_wx(z, (wx){.kind = WX_NAME, .name = word ? text : ch__arena_printf(z->a, "(%s)", text)}));
    }
}

static sizer *see_sizes(cg *g) {
    sizer *z = CH_NEW(g->a, sizer);
    const ch__c_interface *face = g->fn->face;
    *z = (sizer){.g = g,
                 .a = g->a,
                 .of = CH_NEW_ARRAY(g->a, range, g->f->n_values + 1),
                 .held = CH_NEW_ARRAY(g->a, const wx *, g->f->n_values + 1)};
    ch__strmap_init(&z->symbols, g->a);
    for (int64_t i = 0; i < g->f->dims.n; i++) {
        range *r = CH_NEW(g->a, range);
        name_leaf(z, r, face->workspace, face->sizes[i].text);
        ch__strmap_put(&z->symbols, g->f->dims.data[i].name, r);
    }
    for (int i = 0; i < g->f->body->n_params; i++) {
        const ch__value *v = g->f->body->params[i];
        if (v->type->rank == 0 && !v->type->tape && !ch__is_float(v->type->dtype) && !face->params[i].deref)
            name_leaf(z, &z->of[v->id], face->workspace, face->params[i].text);
    }
    size_see_region(z, g->f->body);
    return z;
}

static CH_NORETURN void refuse_rooms(const cg *g, const sizer *z, const store *st) {
    const ch__loc *at = z->endless ? z->endless->loc : NULL;
    const char *where = at && at->file ? ch__arena_printf(g->a, " (line %d)", at->line) : "";
    if (st->kind == ST_TAPE)
        ch__raise(
            CH__E_unsupported,
            "how often a loop%s goes round does not follow from the integer parameters, and what it keeps for the "
            "way back needs memory each time — bound it by a parameter, or leave CH_WORKSPACE out",
            where);
    ch__raise(CH__E_unsupported,
              "the size of the array '%s' does not follow from the integer parameters — make it one of them, or leave "
              "CH_WORKSPACE out",
              st->name);
}

static bool not_above(const wx *x, const wx *y) {
    if (x->kind == WX_SUB && x->x == y && not_below_zero(x->y)) return true;
    return y->kind == WX_ADD && y->x == x && not_below_zero(y->y);
}

static const wx *room_elements(sizer *z, const store *st) {
    const wx *n = wx_number(z, 1);
    for (int i = 0; i < st->type->rank; i++) {
        range r = range_of_dim(z, st->type->dims[i]);
        n = r.hi ? wx_combine(z, WX_MUL, n, at_least_zero(z, r.hi)) : NULL;
    }
    if (st->kind != ST_TAPE) return n;
    CH_VEC(const wx *) held = {0};
    for (int64_t i = 0; i < z->tapes.n; i++) {
        const wx *e = tape_at(z, z->tapes.data[i]);
        if (val_of(z->g, z->tapes.data[i])->st != st) continue;
        if (!e) return NULL;
        CH_PUSH(z->a, &held, e);
    }
    const wx *most = wx_number(z, 0);
    for (int64_t i = 0; i < held.n; i++) {
        bool less = false; // than another one, or the same again
        for (int64_t k = 0; k < held.n && !less; k++)
            less = i != k && (held.data[i] == held.data[k] ? k < i : not_above(held.data[i], held.data[k]));
        if (!less) most = wx_combine(z, WX_MAX, most, held.data[i]);
    }
    return wx_combine(z, WX_MUL, most, n);
}

static void put_counts(ch__text *t, const ch__c_workspace *w, bool wide) {
    for (int i = 0; i < w->n_names; i++)
        ch__putf(t, "%s%s%s", i ? ", " : "", wide ? "int64_t " : w->types[i], wide ? w->names[i] : "");
}

// NAME_rooms and NAME_wsize before the function, and what it begins with.
void ch__cg_workspace(cg *g, ch__text *before, ch__text *first) {
    const ch__c_workspace *w = g->fn->face->workspace;
    sizer *z = see_sizes(g);
    ch__text lines;
    ch__text_init(&lines, g->a);
    int64_t n = g->rooms.n;
    const wx **bytes = CH_NEW_ARRAY(g->a, const wx *, n + 1);
    for (int64_t i = 0; i < n; i++) {
        const store *st = g->rooms.data[i];
        int64_t size = (int64_t)ch_dtype_size(st->type->dtype);
        const wx *e = room_elements(z, st);
        if (!e || (st->kind == ST_TAPE && z->endless)) refuse_rooms(g, z, st);
        bytes[i] = wx_combine(z, WX_MUL, e, wx_number(z, size));
        wx_count(bytes[i]);
    }
    int temps = 0;
    for (int64_t i = 0; i < n; i++) {
        const char *text = wx_text(z, &lines, &temps, bytes[i], 0);
        ch__putf(&lines, "    ch_room[%d] = %s(%s); /* %s */\n", (int)i, ch__cg_helper(g->file, "whole_rooms", 0), text,
                 g->rooms.data[i]->name);
    }
    if (n > 0) {
        ch__putf(before, "/* the bytes of each array of %s */\nstatic void %s_rooms(", w->name, w->name);
        put_counts(before, w, true);
        ch__putf(before, "%sint64_t *ch_room)\n{\n", w->n_names ? ", " : "");
        ch__strmap seen;
        ch__cg_count_words(g, &lines, &seen);
        for (int i = 0; i < w->n_names; i++)
            if (!ch__strmap_get(&seen, w->names[i])) ch__putf(before, "    (void)%s;\n", w->names[i]);
        ch__putn(before, lines.data, (size_t)lines.n);
        ch__put(before, "}\n\n");
    }
    ch__putf(before, "/* the bytes that %s works in */\nsize_t %s_wsize(", w->name, w->name);
    put_counts(before, w, false);
    ch__put(before, w->n_names ? ")\n{\n" : "void)\n{\n");
    if (n > 0) {
        ch__putf(
            before,
            "    int64_t ch_room[%d], ch_all = 0;\n    %s_rooms(%s%sch_room);\n"
            "    for (int ch_i = 0; ch_i < %d; ch_i++) ch_all += ch_room[ch_i];\n    return (size_t)ch_all;\n}\n\n",
            (int)n, w->name, w->args, w->n_names ? ", " : "", (int)n);
        ch__putf(first, "    int64_t ch_room[%d];\n    %s_rooms(%s%sch_room);\n", (int)n, w->name, w->args,
                 w->n_names ? ", " : "");
    } else {
        for (int i = 0; i < w->n_names; i++) ch__putf(before, "    (void)%s;\n", w->names[i]);
        ch__put(before, "    return 0;\n}\n\n");
    }
}

// Which room an array or tape has.
int ch__cg_room(cg *g, store *st) {
    for (int64_t i = 0; i < g->rooms.n; i++)
        if (g->rooms.data[i] == st) return (int)i;
    CH_PUSH(g->a, &g->rooms, st);
    return (int)g->rooms.n - 1;
}

bool ch__cg_has_workspace(const cg *g) { return g->fn->face && g->fn->face->workspace; }

// The address of the room for n elements; NULL when it is too small.
const char *ch__cg_placed(cg *g, store *st, const char *n, const char *size) {
    const char *helper = ch__cg_helper(g->file, "placed", 0);
    return ch__arena_printf(g->a, "%s(%s, ch_room, %d, %s, %s)", helper, g->fn->face->workspace->work,
                            ch__cg_room(g, st), n, size);
}
