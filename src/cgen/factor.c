// SPDX-License-Identifier: Apache-2.0
// factor.c - cholesky and triangular_solve as the textbook loops of src/interp/factor.c, in its order of operations.
//
// f16 and bf16 are computed in float and rounded once at the end: an array of floats stands between.
#include "cgen/emit.h"

// The array worked in: the result's own, or one of floats.
static store *work_store(cg *g, const ch__op *op, store *st) {
    if (!ch__cg_is_half(st->type->dtype)) return st;
    ch__value *like = CH_NEW(g->a, ch__value);
    like->type = ch__type_with_dtype(g->a, op->results[0].type, CH_F32);
    like->id = op->results[0].id;
    return ch__cg_new_store(g, like, "wide");
}

static void round_back(cg *g, const ch__op *op, const store *work, store *st) {
    if (work != st) {
        ch__dim i = ch__cg_for(g, ch__cg_numel(g, st->type));
        const char *at = ch__cg_dim_text(g, i, 0);
        cx e = ch__cx(ch__arena_printf(g->a, "%s[%s]", work->name, at), CX_PRIM);
        ix to = {.linear = i, .has_linear = true};
        ch__cg_line(g, "%s = %s;", ch__cg_at(g, st, st->type, &to), ch__cg_convert(g, e, CH_F32, st->type->dtype).s);
        ch__cg_for_end(g, 1);
    }
    ch__cg_hold(g, &op->results[0], st);
}

static const char *matrix_at(cg *g, const store *st, const ch__type *t, const ch__dim *at) {
    ix there = {.at = at};
    return ch__cg_at(g, st, t, &there);
}

// A loop counter of its own with any bounds; gives its symbol.
static ch__dim open_loop(cg *g, const char *from, const char *end) {
    ch__dim i = ch__cg_loop_symbol(g, g->depth);
    const char *name = g->loop_names[g->depth++];
    ch__cg_open(g, "for (int64_t %s = %s; %s < %s; %s++)", name, from, name, end, name);
    return i;
}

void ch__cg_cholesky(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0];
    const ch__type *t = x->type;
    ch_dtype d = t->dtype, wide = ch__cg_is_half(d) ? CH_F32 : d;
    bool lower = ch__op_int(op, CH__ATTR_lower, 1) != 0;
    int last = t->rank - 1;
    store *st = ch__cg_result_store(g, op, 0), *work = work_store(g, op, st);
    ch__dim n = t->dims[last], at[CH__MAX_RANK], i, j, k;
    const char *type = ch__cg_ctype(wide), *size = ch__cg_dim_text(g, n, CX_ADD),
               *root = wide == CH_F32 ? "sqrtf" : "sqrt";
    int64_t mark = ch__cg_mark(g);
    // Element (r, c) of the lower factor; of the upper one (c, r).
    ch__dim z = ch__cg_for(g, ch__cg_numel(g, t));
    ch__cg_line(g, "%s[%s] = 0;", work->name, ch__cg_dim_text(g, z, 0));
    ch__cg_for_end(g, 1);
    for (int b = 0; b < last - 1; b++) at[b] = ch__cg_for(g, t->dims[b]);
#define AT(r, c) (at[last - 1] = lower ? (r) : (c), at[last] = lower ? (c) : (r), at)
    const char *ok = ch__cg_scoped(g, "positive");
    g->file->boolean = g->file->math = true;
    if (last < 2) { // in a block, so that its names end with it
        ch__cg_block(g);
    }
    ch__cg_line(g, "bool %s = true;", ok);
    j = open_loop(g, "0", ch__arena_printf(g->a, "%s", size));
    i = open_loop(g, ch__cg_dim_text(g, j, 0), size);
    const char *sum = ch__cg_scoped(g, "sum"), *si = ch__cg_dim_text(g, i, 0), *sj = ch__cg_dim_text(g, j, 0);
    ix there = {.at = AT(i, j)};
    ch__cg_line(g, "%s %s = %s;", type, sum, ch__cg_convert(g, ch__cg_elem(g, x, &there), d, wide).s);
    k = open_loop(g, "0", sj);
    const char *a = matrix_at(g, work, t, AT(i, k)), *b = matrix_at(g, work, t, AT(j, k));
    ch__cg_line(g, "%s -= %s * %s;", sum, a, b);
    ch__cg_for_end(g, 1);
    const char *pivot = matrix_at(g, work, t, AT(j, j)), *here = matrix_at(g, work, t, AT(i, j));
    ch__cg_line(g, "if (%s == %s && !(%s > 0)) %s = false;", si, sj, sum, ok);
    ch__cg_line(g, "%s = %s == %s ? %s(%s) : %s / %s;", here, si, sj, root, sum, sum, pivot);
    ch__cg_for_end(g, 2);
    ch__cg_open(g, "if (!%s)", ok);
    j = open_loop(g, "0", size);
    i = open_loop(g, ch__cg_dim_text(g, j, 0), size);
    ch__cg_line(g, "%s = NAN;", matrix_at(g, work, t, AT(i, j)));
    ch__cg_for_end(g, 2);
    ch__cg_close(g);
#undef AT
    if (last < 2) ch__cg_close(g);
    ch__cg_for_end(g, last - 1 > 0 ? last - 1 : 0);
    ch__cg_scope_end(g, mark);
    round_back(g, op, work, st);
}

void ch__cg_triangular_solve(cg *g, const ch__op *op) {
    const ch__value *a = op->operands[0], *b = op->operands[1];
    const ch__type *t = b->type;
    ch_dtype d = t->dtype, wide = ch__cg_is_half(d) ? CH_F32 : d;
    bool left = ch__op_int(op, CH__ATTR_left, 1) != 0, lower = ch__op_int(op, CH__ATTR_lower, 1) != 0,
         transposed = ch__op_int(op, CH__ATTR_transpose, 0) != 0, unit = ch__op_int(op, CH__ATTR_unit, 0) != 0;
    int last = t->rank - 1;
    store *st = ch__cg_result_store(g, op, 0), *work = work_store(g, op, st);
    ch__dim n = t->dims[left ? last - 1 : last], m = t->dims[left ? last : last - 1], at[CH__MAX_RANK],
            as[CH__MAX_RANK];
    const char *type = ch__cg_ctype(wide), *size = ch__cg_dim_text(g, n, CX_ADD);
    int64_t mark = ch__cg_mark(g);
    if (!left) transposed = !transposed; // x a = b is a^T x^T = b^T
    lower = lower != transposed;
    int loops = ch__cg_nest(g, t, at);
    ix all = {.at = at};
    ch__cg_line(g, "%s = %s;", matrix_at(g, work, t, at), ch__cg_convert(g, ch__cg_elem(g, b, &all), d, wide).s);
    ch__cg_for_end(g, loops);
    for (int i = 0; i < last - 1; i++) at[i] = as[i] = ch__cg_for(g, t->dims[i]);
#define X(r, c) (at[left ? last - 1 : last] = (r), at[left ? last : last - 1] = (c), at)
#define A(r, c) (as[last - 1] = transposed ? (c) : (r), as[last] = transposed ? (r) : (c), as)
    ch__dim r = open_loop(g, "0", size);
    ch__dim i = lower ? r : ch__dim_sub(g->a, ch__dim_sub(g->a, n, ch__dim_const(1)), r);
    const char *si = ch__cg_dim_text(g, i, CX_ADD);
    ch__dim j = open_loop(g, lower ? "0" : ch__arena_printf(g->a, "%s + 1", si), lower ? si : size);
    const char *c = ch__cg_scoped(g, "c");
    ix there = {.at = A(i, j)};
    ch__cg_line(g, "const %s %s = %s;", type, c, ch__cg_convert(g, ch__cg_elem(g, a, &there), d, wide).s);
    ch__dim k = ch__cg_for(g, m);
    const char *to = matrix_at(g, work, t, X(i, k)), *from = matrix_at(g, work, t, X(j, k));
    ch__cg_line(g, "%s -= %s * %s;", to, c, from);
    ch__cg_for_end(g, 2);
    if (!unit) {
        const char *pivot = ch__cg_scoped(g, "pivot");
        there.at = A(i, i);
        ch__cg_line(g, "const %s %s = %s;", type, pivot, ch__cg_convert(g, ch__cg_elem(g, a, &there), d, wide).s);
        k = ch__cg_for(g, m);
        ch__cg_line(g, "%s /= %s;", matrix_at(g, work, t, X(i, k)), pivot);
        ch__cg_for_end(g, 1);
    }
#undef A
#undef X
    ch__cg_for_end(g, 1 + (last - 1 > 0 ? last - 1 : 0));
    ch__cg_scope_end(g, mark);
    round_back(g, op, work, st);
}
