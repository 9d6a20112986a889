// SPDX-License-Identifier: Apache-2.0
// native_pool.c - maxima over windows that lie side by side, and their gradients, in one pass.
//
// Each element of x belongs to one window or to none, so every window's loop writes all its elements: the adjoint where
// the winner is (the first of equals; NaN wins), 0 elsewhere. Windows are independent, which makes it a kernel; in the
// general form (array.c) they meet and the result is an accumulator. Windows of two by two, which nearly all are, have
// a form of their own, by whole rows.
#include "cgen/native.h"

static bool lies_side_by_side(const ch__op *op) {
    for (int i = 0; i < op->operands[0]->type->rank; i++)
        if (ch__op_entry(op, CH__ATTR_strides, i, 1) != ch__op_entry(op, CH__ATTR_window, i, 1) ||
            ch__op_entry(op, CH__ATTR_pad_lo, i, 0) != 0 || ch__op_entry(op, CH__ATTR_pad_hi, i, 0) != 0)
            return false;
    return true;
}

// Are there elements behind the last window?
static bool has_rest(const ch__op *op) {
    const ch__type *t = op->operands[0]->type;
    for (int i = 0; i < t->rank; i++) {
        int64_t w = ch__op_entry(op, CH__ATTR_window, i, 1);
        if (w != 1 && !(ch__dim_is_const(t->dims[i]) && t->dims[i].val % w == 0)) return true;
    }
    return false;
}

static const char *pool_work(cg *g, const ch__type *t) {
    ch__dim n = ch__dim_const(16);
    for (int i = 1; i < t->rank; i++) n = ch__dim_mul(g->a, n, t->dims[i]);
    return ch__cg_dim_text(g, n, CX_COND);
}

// Loops over a window's places; to: the element of x there. Gives how many.
static int open_window(cg *g, const ch__op *op, const ch__dim *at, ch__dim *to) {
    int n = 0;
    for (int i = 0; i < op->operands[0]->type->rank; i++) {
        int64_t w = ch__op_entry(op, CH__ATTR_window, i, 1);
        to[i] = ch__dim_mul(g->a, at[i], ch__dim_const(w));
        if (w == 1) continue;
        to[i] = ch__dim_add(g->a, to[i], ch__cg_for(g, ch__dim_const(w)));
        n++;
    }
    return n;
}

// ---------------------------------------------------------------- windows of two by two
// Pairs of rows as they lie in memory, without a branch: first the larger of each column, then of each two columns,
// whose numbers swapped lie in an array of their own. Of equals the first of the window wins: the order of an element
// in its window is 2 row + column. gcc makes vectors of all of it: five times as fast as window by window.
enum { MOST_PAIRED = 1024 };

static bool are_pairs_of_rows(const ch__op *op) {
    const ch__type *t = op->operands[0]->type;
    int rows = t->rank - 2, columns = t->rank - 1;
    if (t->dtype != CH_F32 || rows < 0 || has_rest(op) || !ch__dim_is_const(t->dims[columns])) return false;
    for (int i = 0; i < t->rank; i++)
        if (ch__op_entry(op, CH__ATTR_window, i, 1) != (i < rows ? 1 : 2)) return false;
    return t->dims[columns].val <= MOST_PAIRED;
}

static const char *row_of_pair(cg *g, const ch__op *op, const ch__dim *at, int64_t k, ch__dim column) {
    const ch__value *x = op->operands[0];
    int columns = x->type->rank - 1, rows = columns - 1;
    ch__dim to[CH__MAX_RANK];
    for (int i = 0; i < rows; i++) to[i] = at[i];
    to[rows] = ch__dim_add(g->a, ch__dim_mul(g->a, at[rows], ch__dim_const(2)), ch__dim_const(k));
    to[columns] = column;
    ix there = {.at = to};
    return ch__cg_elem(g, x, &there).s;
}

// The largest or smallest of each window itself.
bool ch__cg_pool_maximum(cg *g, const ch__op *op) {
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    const ch__type *t = op->operands[0]->type;
    bool pairs = ch__cg_is_root(g) && (kind == CH__MAX || kind == CH__MIN) && t->rank >= 2 && are_pairs_of_rows(op) &&
                 lies_side_by_side(op);
    for (int i = 0; i < t->rank; i++)
        pairs = pairs && ch__op_entry(op, CH__ATTR_lhs_dilation, i, 1) == 1 &&
                ch__op_entry(op, CH__ATTR_rhs_dilation, i, 1) == 1;
    if (!pairs) return ch__cg_window_maximum(g, op);
    const char *larger = ch__cg_helper(g->file, kind == CH__MAX ? "fast_max" : "fast_min", CH_F32);
    store *st = ch__cg_result_store(g, op, 0);
    ch__dim at[CH__MAX_RANK];
    ch__type rows = *op->results[0].type;
    int columns = --rows.rank;
    cg_nest nest = {.from = g->out->n, .mark = ch__cg_mark(g), .work = pool_work(g, t)};
    CH_PUSH(g->a, &nest.written, st->name);
    int n = ch__cg_nest(g, &rows, at);
    if (n == 0) ch__cg_block(g);
    const char *best = ch__cg_scoped(g, "best");
    ch__cg_line(g, "float %s[%d];", best, (int)t->dims[columns].val);
    ch__cg_line(g, "#pragma omp simd");
    ch__dim e = ch__cg_for(g, t->dims[columns]);
    const char *above = row_of_pair(g, op, at, 0, e), *below = row_of_pair(g, op, at, 1, e);
    ch__cg_line(g, "%s[%s] = %s(%s, %s);", best, ch__cg_dim_text(g, e, 0), larger, above, below);
    ch__cg_for_end(g, 1);
    ch__cg_line(g, "#pragma omp simd");
    at[columns] = ch__cg_for(g, op->results[0].type->dims[columns]);
    ix there = {.at = at};
    const char *j = ch__cg_dim_text(g, at[columns], CX_MUL),
               *place = ch__cg_dim_text(g, ch__cg_offset(g, &there, op->results[0].type), 0);
    ch__cg_line(g, "%s[%s] = %s(%s[2 * %s], %s[2 * %s + 1]);", st->name, place, larger, best, j, best, j);
    ch__cg_for_end(g, 1);
    if (n == 0) ch__cg_close(g);
    ch__cg_for_end(g, n);
    bool out = ch__cg_outline(g, &nest);
    ch__cg_scope_end(g, nest.mark);
    ch__cg_note(g,
                out && g->file->native->joined ? CG_JOINED
                : out                          ? CG_KERNEL
                                               : CG_LOOPS,
                op->results[0].type, 1, &op, "");
    ch__cg_hold(g, &op->results[0], st);
    return true;
}

typedef struct {
    const char *best, *other, *share, *row, *order; // arrays as long as a row
    const char *up, *down;                          // the comparisons of the kind: c > a, c <= a
} pair_names;

static void larger_of_columns(cg *g, const ch__op *op, const pair_names *p, const ch__dim *at) {
    const ch__type *t = op->operands[0]->type;
    ch__cg_line(g, "#pragma omp simd");
    ch__dim e = ch__cg_for(g, t->dims[t->rank - 1]);
    const char *i = ch__cg_dim_text(g, e, 0), *above = ch__cg_scoped(g, "above"), *below = ch__cg_scoped(g, "below"),
               *name[2] = {above, below};
    for (int k = 0; k < 2; k++) ch__cg_line(g, "const float %s = %s;", name[k], row_of_pair(g, op, at, k, e));
    ch__cg_line(g, "%s[%s] = !(%s %s %s) & (%s == %s);", p->row, i, below, p->down, above, above, above);
    ch__cg_line(g, "%s[%s] = !(%s %s %s) & (%s == %s) ? %s : %s;", p->best, i, below, p->down, above, above, above,
                below, above);
    ch__cg_for_end(g, 1);
}

static void swap_pairs(cg *g, const ch__op *op, const pair_names *p, const ch__dim *at) {
    const ch__value *x = op->operands[0], *source = op->operands[1];
    int columns = x->type->rank - 1;
    ch__dim half = ch__dim_const(x->type->dims[columns].val / 2), j = ch__cg_for(g, half), from[CH__MAX_RANK];
    const char *i = ch__cg_dim_text(g, j, CX_MUL);
    ch__cg_line(g, "%s[2 * %s] = %s[2 * %s + 1];", p->other, i, p->best, i);
    ch__cg_line(g, "%s[2 * %s + 1] = %s[2 * %s];", p->other, i, p->best, i);
    ch__cg_for_end(g, 1);
    j = ch__cg_for(g, half);
    i = ch__cg_dim_text(g, j, CX_MUL);
    ch__cg_line(g, "%s[2 * %s] = 2 * %s[2 * %s + 1] + 1;", p->order, i, p->row, i);
    ch__cg_line(g, "%s[2 * %s + 1] = 2 * %s[2 * %s];", p->order, i, p->row, i);
    ch__cg_for_end(g, 1);
    j = ch__cg_for(g, half);
    i = ch__cg_dim_text(g, j, CX_MUL);
    for (int k = 0; k < columns; k++) from[k] = at[k];
    from[columns] = j;
    ix there = {.at = from};
    const char *one = ch__cg_scoped(g, "one");
    ch__cg_line(g, "const float %s = %s;", one, ch__cg_elem(g, source, &there).s);
    ch__cg_line(g, "%s[2 * %s] = %s;", p->share, i, one);
    ch__cg_line(g, "%s[2 * %s + 1] = %s;", p->share, i, one);
    ch__cg_for_end(g, 1);
}

static void write_pairs(cg *g, const ch__op *op, const store *st, const pair_names *p, const ch__dim *at) {
    const ch__type *t = op->operands[0]->type;
    int columns = t->rank - 1, rows = columns - 1;
    ch__cg_line(g, "#pragma omp simd");
    ch__dim to[CH__MAX_RANK], e = ch__cg_for(g, t->dims[columns]);
    const char *i = ch__cg_dim_text(g, e, 0), *a = ch__cg_scoped(g, "own"), *b = ch__cg_scoped(g, "next"),
               *first = ch__cg_scoped(g, "first"), *mine = ch__cg_scoped(g, "mine"), *v = ch__cg_scoped(g, "v");
    ch__cg_line(g, "const float %s = %s[%s], %s = %s[%s];", a, p->best, i, b, p->other, i);
    ch__cg_line(g, "const int %s = 2 * %s[%s] < %s[%s];", first, p->row, i, p->order, i);
    ch__cg_line(g, "const int %s = ((%s != %s) & ((%s == %s) | %s)) |", mine, a, a, b, b, first);
    ch__cg_line(g, "    ((%s == %s) & ((%s %s %s) | ((%s == %s) & %s)));", b, b, a, p->up, b, a, b, first);
    ch__cg_line(g, "const float %s = %s ? %s[%s] : 0;", v, mine, p->share, i);
    for (int k = 0; k < rows; k++) to[k] = at[k];
    to[columns] = e;
    for (int k = 0; k < 2; k++) {
        to[rows] = ch__dim_add(g->a, ch__dim_mul(g->a, at[rows], ch__dim_const(2)), ch__dim_const(k));
        ix there = {.at = to};
        const char *place = ch__cg_dim_text(g, ch__cg_offset(g, &there, t), 0);
        ch__cg_line(g, k == 0 ? "%s[%s] = %s[%s] ? 0 : %s;" : "%s[%s] = %s[%s] ? %s : 0;", st->name, place, p->row, i,
                    v);
    }
    ch__cg_for_end(g, 1);
}

static void gradient_of_pairs(cg *g, const ch__op *op, const store *st, const ch__dim *at) {
    bool largest = ch__op_int(op, CH__ATTR_kind, CH__MAX) == CH__MAX;
    const ch__type *t = op->operands[0]->type;
    int n = (int)t->dims[t->rank - 1].val;
    pair_names p = {.best = ch__cg_scoped(g, "best"), .other = ch__cg_scoped(g, "other")};
    p.share = ch__cg_scoped(g, "share");
    p.row = ch__cg_scoped(g, "row");
    p.order = ch__cg_scoped(g, "order");
    p.up = largest ? ">" : "<";
    p.down = largest ? "<=" : ">=";
    ch__cg_line(g, "float %s[%d];", p.best, n);
    ch__cg_line(g, "float %s[%d];", p.other, n);
    ch__cg_line(g, "float %s[%d];", p.share, n);
    ch__cg_line(g, "int %s[%d];", p.row, n);
    ch__cg_line(g, "int %s[%d];", p.order, n);
    larger_of_columns(g, op, &p, at);
    swap_pairs(g, op, &p, at);
    write_pairs(g, op, st, &p, at);
}

// ---------------------------------------------------------------- any windows
static void gradient_of_window(cg *g, const ch__op *op, const store *st, const ch__dim *at) {
    const ch__value *x = op->operands[0], *source = op->operands[1];
    ch_dtype d = x->type->dtype;
    bool largest = ch__op_int(op, CH__ATTR_kind, CH__MAX) == CH__MAX;
    ch__dim to[CH__MAX_RANK];
    const char *where = ch__cg_scoped(g, "where"), *best = ch__cg_scoped(g, "best"), *now = ch__cg_scoped(g, "now"),
               *sign = largest ? ">" : "<", *type = ch__cg_ctype(d);
    ch__cg_line(g, "int64_t %s = -1;", where);
    ch__cg_line(g, "%s %s = 0;", type, best);
    ix there = {.at = to}, from = {.at = at};
    int k = open_window(g, op, at, to);
    ch__cg_line(g, "const %s %s = %s;", type, now, ch__cg_elem(g, x, &there).s);
    if (ch__is_float(d))
        ch__cg_open(g, "if (%s < 0 || (%s == %s && (%s != %s || %s %s %s)))", where, best, best, now, now, now, sign,
                    best);
    else
        ch__cg_open(g, "if (%s < 0 || %s %s %s)", where, now, sign, best);
    ch__cg_line(g, "%s = %s;", where, ch__cg_dim_text(g, ch__cg_offset(g, &there, x->type), 0));
    ch__cg_line(g, "%s = %s;", best, now);
    ch__cg_close(g);
    ch__cg_for_end(g, k);
    const char *share = ch__cg_scoped(g, "share");
    ch__cg_line(g, "const %s %s = %s;", type, share, ch__cg_elem(g, source, &from).s);
    k = open_window(g, op, at, to);
    const char *place = ch__cg_dim_text(g, ch__cg_offset(g, &there, x->type), 0);
    ch__cg_line(g, "%s[%s] = %s == %s ? %s : 0;", st->name, place, where, place, share);
    ch__cg_for_end(g, k);
}

bool ch__cg_pool_gradient(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0], *source = op->operands[1];
    ch_dtype d = x->type->dtype;
    if (!lies_side_by_side(op)) return ch__cg_window_gradient(g, op);
    if (!ch__cg_is_root(g) || x->type->rank == 0 || ch__cg_is_half(d) || d == CH_BOOL) return false;
    store *st = ch__cg_result_store(g, op, 0);
    if (has_rest(op)) {
        ch__dim z = ch__cg_for(g, ch__cg_numel(g, x->type));
        ch__cg_line(g, "%s[%s] = 0;", st->name, ch__cg_dim_text(g, z, 0));
        ch__cg_for_end(g, 1);
    }
    ch__dim at[CH__MAX_RANK];
    bool pairs = are_pairs_of_rows(op);
    ch__type rows = *source->type;
    if (pairs) rows.rank--;
    cg_nest nest = {.from = g->out->n, .mark = ch__cg_mark(g), .work = pool_work(g, x->type)};
    CH_PUSH(g->a, &nest.written, st->name);
    int n = ch__cg_nest(g, &rows, at);
    if (n == 0) ch__cg_block(g);
    if (pairs)
        gradient_of_pairs(g, op, st, at);
    else
        gradient_of_window(g, op, st, at);
    if (n == 0) ch__cg_close(g);
    ch__cg_for_end(g, n);
    bool out = ch__cg_outline(g, &nest);
    ch__cg_scope_end(g, nest.mark);
    ch__cg_note(g, out && g->file->native->joined ? CG_JOINED : out ? CG_KERNEL : CG_LOOPS, x->type, 1, &op, "");
    ch__cg_hold(g, &op->results[0], st);
    return true;
}
