// SPDX-License-Identifier: Apache-2.0
// seen.c - of rows between two products, the columns that a mask leaves: what lies beside them need not be computed.
//
// A causal score of a later key is -inf, its weight e^-inf = 0, and adds 0 v to the result. Here is found from the
// program which columns of a row that is so for, and shown that leaving them out changes nothing:
//   where   a condition of `select` that compares sums of iota and sizes gives each row a span of columns, computed
//           when the sizes are known; `and`, `or` and `not` of conditions give spans too;
//   why     what the masked elements are is followed from the select to the rows that the second product reads. A
//           maximum goes on over -inf, a sum over 0, and these rows have to be 0 there, or NaN in all of the row, which
//           its other elements say as well; so a row keeps one column at least.
// What is left is 0 v, which is NaN where v is not finite: blocks.c looks at v and computes all columns then. Finite
// numbers instead of -inf ("-1e9") prove nothing: the scores could be as low.
#include <math.h>

#include "cgen/native.h"

enum { SEEN_DEPTH = 12 };

// ---------------------------------------------------------------- where: spans of columns
typedef struct {
    cg *g;
    const group *gr;
    const ch__dim *at; // of the outer axes; NULL: nobody asks where, only whether
} span_look;

typedef struct {
    bool good;
    int64_t column; // times this axis' index
    ch__dim rest;
    double size; // no more than this, whatever the indices
} span_sum;

static bool fits_dtype(ch_dtype d, double size) { return d == CH_I64 ? size < 0x1p62 : d == CH_I32 && size < 0x1p31; }

static double size_of_dim(ch__dim d) {
    if (!ch__dim_is_const(d)) return 0x1p47; // of an array that exists
    return d.val < 0 ? -(double)d.val : (double)d.val;
}

static span_sum span_iota(const span_look *l, const ch__op *op, const int *map) {
    const ch__type *whole = l->gr->whole, *t = op->results[0].type;
    int64_t dim = ch__op_int(op, CH__ATTR_dim, 0);
    int axis = map[dim];
    span_sum r = {.good = true, .rest = ch__dim_const(0), .size = size_of_dim(t->dims[dim])};
    if (ch__dim_is_const(t->dims[dim]) && t->dims[dim].val == 1) return r;
    if (axis < 0 || axis >= whole->rank) return (span_sum){0};
    if (axis == l->gr->outer)
        r.column = 1;
    else if (l->at)
        r.rest = l->at[axis];
    return r;
}

static span_sum span_const(const ch__op *op) {
    const ch__array *c = ch__op_attr(op, CH__ATTR_value)->array;
    int64_t n = 0;
    if (!c->splat && op->results[0].type->rank > 0) return (span_sum){0};
    if (c->dtype == CH_I64) {
        memcpy(&n, c->data, sizeof n);
    } else if (c->dtype == CH_I32) {
        int32_t i;
        memcpy(&i, c->data, sizeof i);
        n = i;
    } else {
        return (span_sum){0};
    }
    return (span_sum){.good = true, .rest = ch__dim_const(n), .size = size_of_dim(ch__dim_const(n))};
}

static span_sum span_sum_of(const span_look *l, const ch__value *v, const int *map, int depth);

static span_sum span_add(const span_look *l, const ch__op *op, const int *map, int depth) {
    span_sum x = span_sum_of(l, op->operands[0], map, depth + 1), y = span_sum_of(l, op->operands[1], map, depth + 1);
    if (!x.good || !y.good) return (span_sum){0};
    ch__arena *a = l->g->a;
    bool sub = op->code == CH_OP_sub;
    return (span_sum){.good = true,
                      .column = sub ? x.column - y.column : x.column + y.column,
                      .rest = sub ? ch__dim_sub(a, x.rest, y.rest) : ch__dim_add(a, x.rest, y.rest),
                      .size = x.size + y.size};
}

// Whole numbers that are sums of indices, sizes and constants, and do not wrap.
static span_sum span_sum_of(const span_look *l, const ch__value *v, const int *map, int depth) {
    const ch__op *op = v->op;
    span_sum r = {0};
    if (depth > SEEN_DEPTH || (v->type->dtype != CH_I64 && v->type->dtype != CH_I32)) return r;
    int to[CH__MAX_RANK];
    switch (op ? op->code : CH_OP_call) {
    case CH_OP_iota: r = span_iota(l, op, map); break;
    case CH_OP_const: r = span_const(op); break;
    case CH_OP_dim: {
        ch__dim d = ch__op_attr(op, CH__ATTR_e)->dim;
        r = (span_sum){.good = true, .rest = d, .size = size_of_dim(d)};
        break;
    }
    case CH_OP_add:
    case CH_OP_sub: r = span_add(l, op, map, depth); break;
    case CH_OP_convert: r = span_sum_of(l, op->operands[0], map, depth + 1); break;
    case CH_OP_broadcast:
    case CH_OP_reshape:
        ch__cg_row_axes(op, 0, map, to);
        r = span_sum_of(l, op->operands[0], to, depth + 1);
        break;
    default: break;
    }
    if (!r.good && v->type->rank == 0 && ch__cg_is_moderate(v))
        r = (span_sum){
            .good = true, .rest = l->at ? ch__cg_index_dim(l->g, v, true) : ch__dim_const(0), .size = 0x1p61};
    if (!fits_dtype(v->type->dtype, r.size)) r.good = false;
    return r;
}

static const cg_span all_columns = {.exact = false};

static ch__dir turned_round(ch__dir d) { // of x ? y as y ? x
    static const ch__dir to[] = {[CH__EQ] = CH__EQ, [CH__NE] = CH__NE, [CH__LT] = CH__GT,
                                 [CH__LE] = CH__GE, [CH__GT] = CH__LT, [CH__GE] = CH__LE};
    return to[d];
}

static ch__dir denied(ch__dir d) {
    static const ch__dir to[] = {[CH__EQ] = CH__NE, [CH__NE] = CH__EQ, [CH__LT] = CH__GE,
                                 [CH__LE] = CH__GT, [CH__GT] = CH__LE, [CH__GE] = CH__LT};
    return to[d];
}

static cg_span span_compare(const span_look *l, const ch__op *op, const int *map, bool when, int depth) {
    ch__arena *a = l->g->a;
    span_sum d = span_add(l, op, map, depth); // of x ? y: x + y
    span_sum y = span_sum_of(l, op->operands[1], map, depth + 1);
    if (!d.good) return all_columns;
    d.column -= 2 * y.column;
    d.rest = ch__dim_sub(a, d.rest, ch__dim_mul(a, y.rest, ch__dim_const(2)));
    ch__dir dir = (ch__dir)ch__op_int(op, CH__ATTR_dir, CH__EQ);
    if (!when) dir = denied(dir);
    if (d.column == -1) {
        dir = turned_round(dir);
    } else {
        if (d.column != 1) return all_columns;
        d.rest = ch__dim_sub(a, ch__dim_const(0), d.rest);
    }
    ch__dim next = ch__dim_add(a, d.rest, ch__dim_const(1)); // column ? rest
    cg_span s = {.exact = true, .lo = d.rest, .hi = next};
    switch (dir) {
    case CH__EQ: s.has_lo = s.has_hi = true; break;
    case CH__LT: s.has_hi = true, s.hi = d.rest; break;
    case CH__LE: s.has_hi = true; break;
    case CH__GT: s.has_lo = true, s.lo = next; break;
    case CH__GE: s.has_lo = true; break;
    default: return all_columns;
    }
    return s;
}

static cg_span both_spans(const span_look *l, cg_span x, cg_span y) {
    ch__arena *a = l->g->a;
    cg_span s = {.has_lo = x.has_lo || y.has_lo, .has_hi = x.has_hi || y.has_hi, .exact = x.exact && y.exact};
    s.lo = x.has_lo && y.has_lo ? ch__dim_max(a, x.lo, y.lo) : x.has_lo ? x.lo : y.lo;
    s.hi = x.has_hi && y.has_hi ? ch__dim_min(a, x.hi, y.hi) : x.has_hi ? x.hi : y.hi;
    return s;
}

// What holds both, and what is between them: exact when they begin or end together.
static cg_span either_span(const span_look *l, cg_span x, cg_span y) {
    ch__arena *a = l->g->a;
    cg_span s = {.has_lo = x.has_lo && y.has_lo, .has_hi = x.has_hi && y.has_hi};
    s.exact = x.exact && y.exact && ((!x.has_lo && !y.has_lo) || (!x.has_hi && !y.has_hi));
    if (s.has_lo) s.lo = ch__dim_min(a, x.lo, y.lo);
    if (s.has_hi) s.hi = ch__dim_max(a, x.hi, y.hi);
    return s;
}

// The columns where v, read at these axes, is `when`: there is none outside of the span, and none inside that is not
// when it is exact.
static cg_span span_of(const span_look *l, const ch__value *v, const int *map, bool when, int depth) {
    const ch__op *op = v->op;
    if (!op || depth > SEEN_DEPTH || v->type->dtype != CH_BOOL) return all_columns;
    int to[CH__MAX_RANK];
    switch (op->code) {
    case CH_OP_compare: return span_compare(l, op, map, when, depth);
    case CH_OP_not: return span_of(l, op->operands[0], map, !when, depth + 1);
    case CH_OP_and:
    case CH_OP_or: {
        cg_span x = span_of(l, op->operands[0], map, when, depth + 1),
                y = span_of(l, op->operands[1], map, when, depth + 1);
        return (op->code == CH_OP_and) == when ? both_spans(l, x, y) : either_span(l, x, y);
    }
    case CH_OP_broadcast:
    case CH_OP_reshape: ch__cg_row_axes(op, 0, map, to); return span_of(l, op->operands[0], to, when, depth + 1);
    default: return all_columns;
    }
}

cg_span ch__cg_seen_span(cg *g, const group *gr, const ch__dim *at) {
    span_look l = {.g = g, .gr = gr, .at = at};
    int own[CH__MAX_RANK];
    for (int i = 0; i < gr->whole->rank; i++) own[i] = i;
    return span_of(&l, gr->chain->mask, own, gr->chain->when, 0);
}

// ---------------------------------------------------------------- why: what masked elements are
// In each row of a value its masked elements are all
enum {
    MASKED_ANY,
    MASKED_ZERO,
    MASKED_ZERO_OR_NAN, // ... or all elements of the row are NaN
    MASKED_LOW,         // -inf
    MASKED_LOW_OR_NAN
};

typedef struct {
    cg *g;
    const group *gr;
    const ch__value *mask;
    bool when;
    int budget;
} mask_look;

static bool splat_number(const ch__value *v, double *out) {
    while (v->op && (v->op->code == CH_OP_broadcast || v->op->code == CH_OP_reshape)) v = v->op->operands[0];
    const ch__array *c = ch__const_of(v);
    float f;
    if (!c || (!c->splat && v->type->rank > 0)) return false;
    if (c->dtype == CH_F32) {
        memcpy(&f, c->data, sizeof f);
        *out = (double)f;
        return true;
    }
    if (c->dtype == CH_F64) memcpy(out, c->data, sizeof *out);
    return c->dtype == CH_F64;
}

// What v is a copy of, repeated or not.
static const ch__value *seen_under(const ch__value *v) {
    while (v->op &&
           (v->op->code == CH_OP_broadcast || v->op->code == CH_OP_reshape || v->op->code == CH_OP_stop_gradient))
        v = v->op->operands[0];
    return v;
}

// The same computation? again.c makes conditions anew.
static bool same_value(const ch__value *x, const ch__value *y, int depth) {
    if (x == y) return true;
    const ch__op *a = x->op, *b = y->op;
    if (!a || !b || depth > SEEN_DEPTH || a->code != b->code || a->n_operands != b->n_operands || a->n_regions > 0 ||
        a->n_results != 1 || a->n_attrs != b->n_attrs || !ch__cg_same_dims(x->type, y->type) ||
        x->type->dtype != y->type->dtype)
        return false;
    for (int i = 0; i < a->n_attrs; i++)
        if (!ch__attr_equal(a->attrs[i], b->attrs[i])) return false;
    for (int j = 0; j < a->n_operands; j++)
        if (!same_value(a->operands[j], b->operands[j], depth + 1)) return false;
    return (ch__op_info_of((ch__opcode)a->code)->flags & CH__ELEMWISE) != 0 || a->code == CH_OP_broadcast ||
           a->code == CH_OP_reshape || a->code == CH_OP_iota || a->code == CH_OP_const || a->code == CH_OP_dim;
}

static bool is_finite_number(double x) { return x - x == 0; }

// Is every element a number, and finite? select(is_finite x, x, 0) is.
static bool surely_finite(const ch__value *v) {
    double n;
    if (splat_number(v, &n)) return is_finite_number(n);
    const ch__op *op = seen_under(v)->op;
    if (!op || op->code != CH_OP_select) return false;
    const ch__op *asks = op->operands[0]->op;
    return asks && asks->code == CH_OP_is_finite && asks->operands[0] == op->operands[1] &&
           splat_number(op->operands[2], &n) && is_finite_number(n);
}

// Is no element 0? select(x == 0, 1, x) is not.
static bool surely_not_zero(const ch__value *v) {
    double n;
    if (splat_number(v, &n)) return n != 0;
    const ch__op *op = seen_under(v)->op;
    if (!op || op->code != CH_OP_select) return false;
    const ch__op *asks = op->operands[0]->op;
    return asks && asks->code == CH_OP_compare && ch__op_int(asks, CH__ATTR_dir, CH__EQ) == CH__EQ &&
           splat_number(asks->operands[1], &n) && n == 0 && asks->operands[0] == op->operands[2] &&
           splat_number(op->operands[1], &n) && n != 0;
}

// Has it one element for all columns of a row?
static bool is_of_row(const mask_look *l, const ch__value *v) {
    int map[CH__MAX_RANK], to[CH__MAX_RANK];
    for (int i = 0; i < v->type->rank; i++) map[i] = i;
    while (v->op && (v->op->code == CH_OP_broadcast || v->op->code == CH_OP_reshape)) {
        ch__cg_row_axes(v->op, 0, map, to);
        v = v->op->operands[0];
        memcpy(map, to, sizeof map);
    }
    for (int i = 0; i < v->type->rank; i++)
        if (!(ch__dim_is_const(v->type->dims[i]) && v->type->dims[i].val == 1) &&
            (map[i] < 0 || map[i] >= l->gr->outer))
            return false;
    return true;
}

// Is v a product of rows whose operands are looked at, so that it is finite where it is left out? Widened it stays so.
static bool is_bounded(const mask_look *l, const ch__value *v) {
    cg_chain *c = l->gr->chain;
    if (v->op && v->op->code == CH_OP_convert && ch__cg_is_half(v->op->operands[0]->type->dtype) &&
        (v->type->dtype == CH_F32 || v->type->dtype == CH_F64))
        v = v->op->operands[0];
    for (int64_t i = 0; c->n_sums > 0 && i < c->ins.n; i++)
        if (c->ins.data[i].v == v) {
            c->ins.data[i].bounded = true;
            return true;
        }
    return false;
}

// Is v, repeated along the columns, this group's fold of x?
static bool is_fold_of(const mask_look *l, const ch__value *v, ch__kind kind, const ch__value *x) {
    const ch__op *op = seen_under(v)->op;
    return op && op->code == CH_OP_reduce && ch__op_int(op, CH__ATTR_kind, 0) == kind && op->operands[0] == x &&
           val_of(l->g, &op->results[0])->group == l->gr;
}

static int masked_value(mask_look *l, const ch__value *v);

static int masked_quotient(mask_look *l, const ch__op *op) {
    const ch__value *x = op->operands[0], *y = op->operands[1];
    int m = masked_value(l, x);
    if (m != MASKED_ZERO && m != MASKED_ZERO_OR_NAN) return MASKED_ANY;
    if (surely_not_zero(y) && is_of_row(l, y)) return MASKED_ZERO_OR_NAN;
    // A sum of what is not negative is 0 when all of it is: the row is 0 / 0.
    if (x->op && x->op->code == CH_OP_exp && is_fold_of(l, y, CH__SUM, x)) return MASKED_ZERO_OR_NAN;
    return MASKED_ANY;
}

static int masked_difference(mask_look *l, const ch__op *op) {
    int m = masked_value(l, op->operands[0]);
    if (m != MASKED_LOW && m != MASKED_LOW_OR_NAN) return MASKED_ANY;
    if (surely_finite(op->operands[1])) return m;
    // -inf - max: where that is NaN the maximum is NaN or -inf, and each element less it is NaN
    bool most = op->code == CH_OP_sub && is_fold_of(l, op->operands[1], CH__MAX, op->operands[0]);
    return most && m == MASKED_LOW ? MASKED_LOW_OR_NAN : MASKED_ANY;
}

static int masked_product(mask_look *l, const ch__op *op) {
    for (int j = 0; j < 2; j++) {
        double n;
        bool number = splat_number(op->operands[1 - j], &n);
        int m = masked_value(l, op->operands[j]);
        if ((m == MASKED_ZERO || m == MASKED_ZERO_OR_NAN) &&
            (surely_finite(op->operands[1 - j]) || is_bounded(l, op->operands[1 - j])))
            return m;
        if ((m == MASKED_LOW || m == MASKED_LOW_OR_NAN) && number && n > 0) return m;
    }
    return MASKED_ANY;
}

static int masked_value(mask_look *l, const ch__value *v) {
    double n;
    const ch__op *op = v->op;
    if (l->budget-- <= 0 || !op || !ch__is_float(v->type->dtype)) return MASKED_ANY;
    if (splat_number(v, &n)) return n == 0 ? MASKED_ZERO : n == -INFINITY ? MASKED_LOW : MASKED_ANY;
    if (!ch__cg_same_dims(v->type, l->gr->whole)) return MASKED_ANY;
    switch (op->code) {
    case CH_OP_select:
        return same_value(op->operands[0], l->mask, 0) ? masked_value(l, op->operands[l->when ? 2 : 1]) : MASKED_ANY;
    case CH_OP_stop_gradient:
    case CH_OP_convert: return masked_value(l, op->operands[0]);
    case CH_OP_exp: {
        int m = masked_value(l, op->operands[0]);
        return m == MASKED_LOW ? MASKED_ZERO : m == MASKED_LOW_OR_NAN ? MASKED_ZERO_OR_NAN : MASKED_ANY;
    }
    case CH_OP_add:
    case CH_OP_sub: return masked_difference(l, op);
    case CH_OP_mul: return masked_product(l, op);
    case CH_OP_div: return masked_quotient(l, op);
    default: return MASKED_ANY;
    }
}

// Does the fold go on as if they were not there?
static bool folds_over(mask_look *l, const ch__op *op) {
    int m = masked_value(l, op->operands[0]);
    switch ((ch__kind)ch__op_int(op, CH__ATTR_kind, 0)) {
    case CH__MAX: return m == MASKED_LOW || m == MASKED_LOW_OR_NAN;
    case CH__SUM: return m == MASKED_ZERO || m == MASKED_ZERO_OR_NAN;
    default: return false;
    }
}

// ---------------------------------------------------------------- members read rows where they are
typedef struct {
    const group *gr;
    const ch__value *mask;
    bool elsewhere, mask_elsewhere;
} place_look;

static void see_places(cg *g, place_look *l, const ch__value *v, const int *map) {
    const val *x = val_of(g, v);
    const ch__type *t = v->type;
    bool row = x->group == l->gr && ch__cg_same_dims(t, l->gr->whole), same = true;
    for (int64_t i = 0; i < l->gr->chain->ins.n; i++) row = row || v == l->gr->chain->ins.data[i].v;
    if (row || v == l->mask)
        for (int i = 0; i < t->rank; i++)
            same = same && (map[i] == i || (ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1));
    if (row && !same) l->elsewhere = true;
    if (v == l->mask && !same) l->mask_elsewhere = true;
    if (v == l->mask || (x->how != HOW_VIEW && x->how != HOW_INLINE)) return;
    for (int j = 0; j < v->op->n_operands; j++) {
        int to[CH__MAX_RANK];
        ch__cg_row_axes(v->op, j, map, to);
        see_places(g, l, v->op->operands[j], to);
    }
}

static bool is_plain_member(const ch__op *op) {
    return op->code == CH_OP_reduce || (ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) != 0;
}

static bool seen_by_mask(cg *g, const group *gr, const cg_chain *c, const ch__value *mask, bool when) {
    mask_look l = {.g = g, .gr = gr, .mask = mask, .when = when, .budget = 200};
    for (int64_t i = 0; i < c->rows.n; i++) {
        int m = masked_value(&l, c->rows.data[i].v);
        if (m != MASKED_ZERO && m != MASKED_ZERO_OR_NAN) return false;
    }
    for (int64_t i = 0; i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        if (op->code == CH_OP_reduce && !folds_over(&l, op)) return false;
    }
    return true;
}

// The conditions of selects that v is computed from.
static bool find_mask(cg *g, const group *gr, cg_chain *c, const ch__value *v, int *budget) {
    if (!v->op || (*budget)-- <= 0 || v->op->code == CH_OP_dot) return false;
    const ch__op *op = v->op;
    if (op->code == CH_OP_select && ch__cg_same_dims(op->operands[0]->type, gr->whole)) {
        for (int when = 1; when >= 0; when--) {
            c->mask = op->operands[0];
            c->when = when != 0;
            cg_span s = ch__cg_seen_span(g, gr, NULL);
            if ((s.has_lo || s.has_hi) && seen_by_mask(g, gr, c, c->mask, c->when)) {
                c->exact = s.exact;
                return true;
            }
        }
        c->mask = NULL;
    }
    if (!is_plain_member(op) && op->code != CH_OP_broadcast && op->code != CH_OP_reshape) return false;
    for (int j = 0; j < op->n_operands; j++)
        if (ch__cg_same_dims(op->operands[j]->type, gr->whole) && find_mask(g, gr, c, op->operands[j], budget))
            return true;
    return false;
}

void ch__cg_find_seen(cg *g, group *gr) {
    cg_chain *c = gr->chain;
    int budget = 100;
    if (gr->whole->rank != gr->outer + 1) return;
    for (int64_t i = 0; i < gr->members.n; i++)
        if (!is_plain_member(gr->members.data[i])) return;
    if (!find_mask(g, gr, c, c->rows.data[0].v, &budget)) return;
    place_look l = {.gr = gr, .mask = c->mask};
    int own[CH__MAX_RANK];
    for (int i = 0; i < CH__MAX_RANK; i++) own[i] = i;
    for (int64_t i = 0; i < gr->members.n; i++)
        for (int j = 0; j < gr->members.data[i]->n_operands; j++)
            see_places(g, &l, gr->members.data[i]->operands[j], own);
    if (l.elsewhere) c->mask = NULL;
    if (l.mask_elsewhere || c->n_sums > 0) c->exact = false; // where operands are not finite all of a row is computed
}
