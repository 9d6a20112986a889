// SPDX-License-Identifier: Apache-2.0
// native_pool.c - the gradient of a maximum over windows that lie side by side, in one pass.
//
// Each element of x belongs to one window or to none, so every window's loop writes all its elements: the adjoint where
// the winner is (the first of equals; NaN wins), 0 elsewhere. Windows are independent, which makes it a kernel; in the
// general form (array.c) they meet and the result is an accumulator.
#include "cgen/native.h"

static int64_t pool_entry(const ch__op *op, ch__attr_id id, int i, int64_t absent) {
    const ch__attr *a = ch__op_attr(op, id);
    return a && i < a->n ? a->ints[i] : absent;
}

static bool lies_side_by_side(const ch__op *op) {
    for (int i = 0; i < op->operands[0]->type->rank; i++)
        if (pool_entry(op, CH__ATTR_strides, i, 1) != pool_entry(op, CH__ATTR_window, i, 1) ||
            pool_entry(op, CH__ATTR_pad_lo, i, 0) != 0 || pool_entry(op, CH__ATTR_pad_hi, i, 0) != 0)
            return false;
    return true;
}

// Are there elements behind the last window?
static bool has_rest(const ch__op *op) {
    const ch__type *t = op->operands[0]->type;
    for (int i = 0; i < t->rank; i++) {
        int64_t w = pool_entry(op, CH__ATTR_window, i, 1);
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
        int64_t w = pool_entry(op, CH__ATTR_window, i, 1);
        to[i] = ch__dim_mul(g->a, at[i], ch__dim_const(w));
        if (w == 1) continue;
        to[i] = ch__dim_add(g->a, to[i], ch__cg_for(g, ch__dim_const(w)));
        n++;
    }
    return n;
}

bool ch__cg_pool_gradient(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0], *source = op->operands[1];
    ch_dtype d = x->type->dtype;
    if (!ch__cg_is_root(g) || !lies_side_by_side(op) || x->type->rank == 0 || ch__cg_is_half(d) || d == CH_BOOL)
        return false;
    bool largest = ch__op_int(op, CH__ATTR_kind, CH__MAX) == CH__MAX;
    store *st = ch__cg_result_store(g, op, 0);
    if (has_rest(op)) {
        ch__dim z = ch__cg_for(g, ch__cg_numel(g, x->type));
        ch__cg_line(g, "%s[%s] = 0;", st->name, ch__cg_dim_text(g, z, 0));
        ch__cg_for_end(g, 1);
    }
    ch__dim at[CH__MAX_RANK], to[CH__MAX_RANK];
    cg_nest nest = {.from = g->out->n, .mark = ch__cg_mark(g), .work = pool_work(g, x->type)};
    CH_PUSH(g->a, &nest.written, st->name);
    int n = ch__cg_nest(g, source->type, at);
    if (n == 0) ch__cg_block(g);
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
    if (n == 0) ch__cg_close(g);
    ch__cg_for_end(g, n);
    bool out = ch__cg_outline(g, &nest);
    ch__cg_scope_end(g, nest.mark);
    ch__cg_note(g, out && g->file->native->joined ? CG_JOINED : out ? CG_KERNEL : CG_LOOPS, x->type, 1, &op, "");
    ch__cg_hold(g, &op->results[0], st);
    return true;
}
