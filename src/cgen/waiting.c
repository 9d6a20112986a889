// SPDX-License-Identifier: Apache-2.0
// waiting.c - sums of f32 over the rows of a group wait in f32 for sixteen rows before they are added to f64.
//
// A row that adds to a gradient of 1,024 places converts as many numbers to f64 and goes through 8 kB of sums. Sixteen
// rows are added up in f32 first, each number times 2^-5, so that what is finite stays finite: with u = 2^-24 that is
// off by at most 16 u sum |x|, and by 2^-140 where numbers are near the smallest ones. For sums whose places are those
// of the last axes, each once, of a known number that fits beside the row's own arrays (rows.c); where a row of the
// group has more axes, what waits is rows of the last ones, whose loops end inside of it.
#include "cgen/native.h"

enum { WAITING_ROWS = 16, MOST_WAITING = 4096 };

static bool one_or_kept(const ch__op *op, int axis) {
    ch__dim d = op->operands[0]->type->dims[axis];
    return (ch__dim_is_const(d) && d.val == 1) || !ch__cg_among(ch__op_attr(op, CH__ATTR_dims), axis);
}

// The first axis that a sum over rows keeps, when it keeps all behind it; -1: it is no such sum.
static int first_kept(const ch__op *op, const ch__type *whole) {
    int from = -1;
    if (op->code != CH_OP_reduce || op->results[0].type->rank == 0) return -1;
    const ch__type *t = op->operands[0]->type;
    if (!ch__cg_same_dims(t, whole)) return -1;
    for (int i = 0; i < t->rank; i++) {
        if (ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1) continue;
        bool kept = !ch__cg_among(ch__op_attr(op, CH__ATTR_dims), i);
        if (kept && from < 0) from = i;
        if (!kept && from >= 0) return -1;
    }
    return from;
}

int ch__cg_wait_from(cg *g, const group *gr) {
    int from = -1, pass = 0;
    for (int64_t i = 0; gr->whole && i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        const val *x = val_of(g, &op->results[0]);
        int first = first_kept(op, gr->whole);
        if (first < gr->outer) continue;
        if (from >= 0 && (first != from || x->pass != pass)) return gr->outer;
        from = first, pass = x->pass;
    }
    return from < 0 ? gr->outer : from;
}

bool ch__cg_waits(cg *g, const group *gr, const ch__op *op, const accum *fo) {
    const ch__type *t = op->operands[0]->type;
    bool narrow = fo->d == CH_F32 || ch__cg_is_half(fo->d);
    bool free = g->file->native && ch__op_int(op, CH__ATTR_order, CH__ANY) == CH__ANY && op->code == CH_OP_reduce;
    if (!free || !narrow || fo->kind != CH__SUM || fo->acc != CH_F64 || gr->chain || gr->members.n < 2) return false;
    if (!gr->whole || t->rank != gr->whole->rank) return false;
    int64_t n = 1;
    int from = ch__cg_wait_from(g, gr);
    for (int i = 0; i < t->rank; i++) {
        bool one = ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1;
        if (one) continue;
        if (i < from ? !ch__cg_among(ch__op_attr(op, CH__ATTR_dims), i) : !one_or_kept(op, i)) return false;
        if (i >= from && (!ch__dim_is_const(t->dims[i]) || !ch__mul_i64(n, t->dims[i].val, &n))) return false;
    }
    return n > 1 && n <= MOST_WAITING;
}

const char *ch__cg_wait_open(cg *g, const char *n) {
    const char *some = ch__cg_scoped(g, "some"), *z = ch__cg_scoped(g, "z");
    ch__cg_line(g, "float %s[%s];", some, n);
    ch__cg_line(g, "for (int64_t %s = 0; %s < %s; %s++) %s[%s] = 0;", z, z, n, z, some, z);
    return some;
}

void ch__cg_wait_add(cg *g, const accum *fo, const char *place, cx element) {
    cx x = ch__cg_convert(g, element, fo->d, CH_F32);
    ch__cg_line(g, "%s = %s(%s, 0x1p-5f, %s);", place, ch__cg_helper(g->file, "fast_fma_f32", 0), x.s, place);
}

void ch__cg_wait_row(cg *g, const char *rows, int n_sums, const char *const *own, const char *const *some,
                     const char *const *places) {
    ch__cg_open(g, "if (++%s == %d)", rows, WAITING_ROWS);
    ch__cg_line(g, "%s = 0;", rows);
    for (int i = 0; i < n_sums; i++) ch__cg_wait_end(g, own[i], some[i], places[i]);
    ch__cg_close(g);
}

void ch__cg_wait_end(cg *g, const char *own, const char *some, const char *places) {
    ch__cg_line(g, "%s(%s, %s, %s);", ch__cg_helper(g->file, "add_waiting", 0), own, some, places);
}
