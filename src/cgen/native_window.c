// SPDX-License-Identifier: Apache-2.0
// native_window.c - maxima over windows of the last two axes that overlap or are padded, and their gradients, by rows.
//
// A row of windows at a time: best[l] is the largest that window l has met so far, where[l] where that was. For each
// place of a window, in its order, one loop goes along the row, over those windows whose place there lies inside x;
// which ones these are is computed before, so that nothing is asked inside and compilers make vectors of it. The
// gradient then adds each window's share to its winner's place, window by window as the general form (array.c) does, so
// that equal bits come of it. Planes do not meet: they are shared out among threads.
#include "cgen/native.h"

enum { WINDOW_COLUMNS = 1024, WINDOW_PLACES = 256 };

typedef struct {
    const ch__value *x;
    const ch__type *windows; // one an element
    int64_t size[2], step[2], before[2];
    int rows, columns; // axes
} window_form;

static bool window_form_of(cg *g, const ch__op *op, const ch__type *windows, window_form *w) {
    const ch__type *t = op->operands[0]->type;
    if (!ch__cg_is_root(g) || t->rank < 2 || (t->dtype != CH_F32 && t->dtype != CH_F64)) return false;
    *w = (window_form){.x = op->operands[0], .windows = windows, .rows = t->rank - 2, .columns = t->rank - 1};
    for (int i = 0; i < t->rank; i++) {
        int64_t size = ch__op_entry(op, CH__ATTR_window, i, 1), step = ch__op_entry(op, CH__ATTR_strides, i, 1),
                lo = ch__op_entry(op, CH__ATTR_pad_lo, i, 0), hi = ch__op_entry(op, CH__ATTR_pad_hi, i, 0);
        if (ch__op_entry(op, CH__ATTR_lhs_dilation, i, 1) != 1 || ch__op_entry(op, CH__ATTR_rhs_dilation, i, 1) != 1)
            return false;
        if (i < w->rows && (size != 1 || step != 1 || lo != 0 || hi != 0)) return false;
        if (lo < 0 || hi < 0 || lo > WINDOW_COLUMNS || size > WINDOW_PLACES || step > WINDOW_COLUMNS) return false;
        if (i < w->rows) continue;
        w->size[i - w->rows] = size;
        w->step[i - w->rows] = step;
        w->before[i - w->rows] = lo;
    }
    if (!ch__dim_is_const(t->dims[w->columns]) || !ch__dim_is_const(windows->dims[w->columns])) return false;
    return windows->dims[w->columns].val <= WINDOW_COLUMNS && windows->dims[w->columns].val > 0 &&
           t->dims[w->columns].val <= INT32_MAX / WINDOW_PLACES && w->size[0] * w->size[1] <= WINDOW_PLACES &&
           w->size[0] * w->size[1] > 1;
}

static const char *window_work(cg *g, const window_form *w) {
    ch__dim n = ch__dim_const(4 * w->size[0] * w->size[1]);
    for (int i = 1; i < w->windows->rank; i++) n = ch__dim_mul(g->a, n, w->windows->dims[i]);
    return ch__cg_dim_text(g, n, CX_COND);
}

static ch__dim stepped(cg *g, const window_form *w, int axis, ch__dim at) {
    ch__dim d = ch__dim_mul(g->a, at, ch__dim_const(w->step[axis]));
    return ch__dim_sub(g->a, d, ch__dim_const(w->before[axis]));
}

// Opens the loops over a row's windows at each place of a window: *l is the window, `now` the number there. at: up to
// the row of windows.
static void open_places(cg *g, const window_form *w, const ch__dim *at, const char *place, ch__dim *l,
                        const char **now) {
    const ch__type *t = w->x->type;
    ch__dim to[CH__MAX_RANK], p = ch__cg_for(g, ch__dim_const(w->size[0]));
    for (int i = 0; i < w->rows; i++) to[i] = at[i];
    const char *row = ch__cg_scoped(g, "row"), *first = ch__cg_scoped(g, "first"), *count = ch__cg_scoped(g, "count");
    ch__cg_line(g, "const int64_t %s = %s;", row,
                ch__cg_dim_text(g, ch__dim_add(g->a, stepped(g, w, 0, at[w->rows]), p), CX_ADD));
    ch__cg_open(g, "if (%s >= 0 && %s < %s)", row, row, ch__cg_dim_text(g, t->dims[w->rows], CX_REL));
    to[w->rows] = ch__cg_opaque(g, ch__cx(row, CX_PRIM));
    ch__dim q = ch__cg_for(g, ch__dim_const(w->size[1]));
    const char *c = ch__cg_dim_text(g, q, CX_ADD);
    int64_t n = w->windows->dims[w->columns].val, last = t->dims[w->columns].val - 1 + w->before[1];
    // windows l with 0 <= l step + q - before <= last element
    ch__cg_line(g, "const int64_t %s = %s < %d ? (%d - %s) / %d : 0;", first, c, (int)w->before[1],
                (int)(w->before[1] + w->step[1] - 1), c, (int)w->step[1]);
    ch__cg_line(g, "int64_t %s = %s <= %" PRId64 " ? (%" PRId64 " - %s) / %d + 1 - %s : 0;", count, c, last, last, c,
                (int)w->step[1], first);
    ch__cg_line(g, "if (%s > %" PRId64 " - %s) %s = %" PRId64 " - %s;", count, n, first, count, n, first);
    if (place)
        ch__cg_line(g, "const int %s = (int)(%s * %" PRId64 " + %s);", place, ch__cg_dim_text(g, p, CX_MUL),
                    t->dims[w->columns].val, c);
    ch__cg_line(g, "#pragma omp simd");
    ch__dim e = ch__cg_for(g, ch__cg_opaque(g, ch__cx(count, CX_PRIM)));
    *l = ch__dim_add(g->a, e, ch__cg_opaque(g, ch__cx(first, CX_PRIM)));
    to[w->columns] = ch__dim_add(g->a, stepped(g, w, 1, *l), q);
    ix there = {.at = to};
    *now = ch__cg_elem(g, w->x, &there).s;
}

static void close_places(cg *g) {
    ch__cg_for_end(g, 2);
    ch__cg_close(g);
    ch__cg_for_end(g, 1);
}

static void end_of_windows(cg *g, const ch__op *op, const cg_nest *nest, const ch__type *t, store *st) {
    bool out = ch__cg_outline(g, nest);
    ch__cg_scope_end(g, nest->mark);
    ch__cg_note(g, out && g->file->native->joined ? CG_JOINED : out ? CG_KERNEL : CG_LOOPS, t, 1, &op, "");
    ch__cg_hold(g, &op->results[0], st);
}

bool ch__cg_window_maximum(cg *g, const ch__op *op) {
    window_form w;
    const ch__type *r = op->results[0].type;
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    ch_dtype d = r->dtype;
    if ((kind != CH__MAX && kind != CH__MIN) || !window_form_of(g, op, r, &w)) return false;
    const char *larger = ch__cg_helper(g->file, kind == CH__MAX ? "fast_max" : "fast_min", d);
    store *st = ch__cg_result_store(g, op, 0);
    ch__dim at[CH__MAX_RANK], l;
    ch__type rows = *r;
    rows.rank--;
    cg_nest nest = {.from = g->out->n, .mark = ch__cg_mark(g), .work = window_work(g, &w)};
    CH_PUSH(g->a, &nest.written, st->name);
    int n = ch__cg_nest(g, &rows, at);
    if (n == 0) ch__cg_block(g);
    const char *best = ch__cg_scoped(g, "best"), *now, *i;
    ch__cg_line(g, "%s %s[%d];", ch__cg_ctype(d), best, (int)r->dims[w.columns].val);
    l = ch__cg_for(g, r->dims[w.columns]);
    ch__cg_line(g, "%s[%s] = %sINFINITY;", best, ch__cg_dim_text(g, l, 0), kind == CH__MAX ? "-" : "");
    ch__cg_for_end(g, 1);
    open_places(g, &w, at, NULL, &l, &now);
    i = ch__cg_dim_text(g, l, 0);
    ch__cg_line(g, "%s[%s] = %s(%s[%s], %s);", best, i, larger, best, i, now);
    close_places(g);
    at[w.columns] = ch__cg_for(g, r->dims[w.columns]);
    ix there = {.at = at};
    ch__cg_line(g, "%s[%s] = %s[%s];", st->name, ch__cg_dim_text(g, ch__cg_offset(g, &there, r), 0), best,
                ch__cg_dim_text(g, at[w.columns], 0));
    ch__cg_for_end(g, 1);
    if (n == 0) ch__cg_close(g);
    ch__cg_for_end(g, n);
    g->file->math = true;
    end_of_windows(g, op, &nest, r, st);
    return true;
}

// A row of windows: who wins, and what that gets. at: up to the row.
static void gradient_of_row(cg *g, const ch__op *op, const window_form *w, const store *st, ch__dim *at) {
    const ch__type *t = w->x->type;
    const char *best = ch__cg_scoped(g, "best"), *where = ch__cg_scoped(g, "where"), *place = ch__cg_scoped(g, "place"),
               *it = ch__cg_scoped(g, "it"), *take = ch__cg_scoped(g, "take"), *type = ch__cg_ctype(t->dtype), *now;
    ch__dim n = w->windows->dims[w->columns], l, to[CH__MAX_RANK];
    ch__cg_line(g, "%s %s[%d];", type, best, (int)n.val);
    ch__cg_line(g, "int %s[%d];", where, (int)n.val);
    l = ch__cg_for(g, n);
    const char *i = ch__cg_dim_text(g, l, 0);
    ch__cg_line(g, "%s[%s] = 0;", best, i);
    ch__cg_line(g, "%s[%s] = -1;", where, i);
    ch__cg_for_end(g, 1);
    open_places(g, w, at, place, &l, &now);
    i = ch__cg_dim_text(g, l, 0);
    ch__cg_line(g, "const %s %s = %s;", type, it, now);
    ch__cg_line(g, "const int %s = (%s[%s] < 0) | ((%s[%s] == %s[%s]) & ((%s != %s) | (%s %s %s[%s])));", take, where,
                i, best, i, best, i, it, it, it, ch__op_int(op, CH__ATTR_kind, CH__MAX) == CH__MAX ? ">" : "<", best,
                i);
    ch__cg_line(g, "%s[%s] = %s ? %s : %s[%s];", where, i, take, place, where, i);
    ch__cg_line(g, "%s[%s] = %s ? %s : %s[%s];", best, i, take, it, best, i);
    close_places(g);
    at[w->columns] = ch__cg_for(g, n);
    i = ch__cg_dim_text(g, at[w->columns], 0);
    for (int k = 0; k < w->rows; k++) to[k] = at[k];
    to[w->rows] = stepped(g, w, 0, at[w->rows]);
    to[w->columns] = stepped(g, w, 1, at[w->columns]);
    ix corner = {.at = to}, from = {.at = at};
    ch__cg_line(g, "if (%s[%s] >= 0) %s[%s + %s[%s]] += %s;", where, i, st->name,
                ch__cg_dim_text(g, ch__cg_offset(g, &corner, t), CX_ADD), where, i,
                ch__cg_elem(g, op->operands[1], &from).s);
    ch__cg_for_end(g, 1);
}

bool ch__cg_window_gradient(cg *g, const ch__op *op) {
    window_form w;
    const ch__type *t = op->operands[0]->type, *windows = op->operands[1]->type;
    if (ch__cg_acc_dtype(op, t->dtype) != t->dtype || !window_form_of(g, op, windows, &w)) return false;
    store *st = ch__cg_result_store(g, op, 0);
    ch__dim at[CH__MAX_RANK], to[CH__MAX_RANK];
    ch__type planes = *windows;
    planes.rank -= 2;
    cg_nest nest = {.from = g->out->n, .mark = ch__cg_mark(g), .work = window_work(g, &w)};
    CH_PUSH(g->a, &nest.written, st->name);
    int n = ch__cg_nest(g, &planes, at);
    if (n == 0) ch__cg_block(g);
    for (int i = 0; i < w.rows; i++) to[i] = at[i];
    to[w.rows] = ch__dim_const(0);
    to[w.columns] = ch__cg_for(g, ch__dim_mul(g->a, t->dims[w.rows], t->dims[w.columns]));
    ix there = {.at = to};
    ch__cg_line(g, "%s[%s] = 0;", st->name, ch__cg_dim_text(g, ch__cg_offset(g, &there, t), 0));
    ch__cg_for_end(g, 1);
    at[w.rows] = ch__cg_for(g, windows->dims[w.rows]);
    gradient_of_row(g, op, &w, st, at);
    ch__cg_for_end(g, 1);
    if (n == 0) ch__cg_close(g);
    ch__cg_for_end(g, n);
    end_of_windows(g, op, &nest, t, st);
    return true;
}
