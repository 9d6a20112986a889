// SPDX-License-Identifier: Apache-2.0
// middle.c - reductions whose operand keeps its last axis read memory in order: a block of the last axis at a time.
//
// One result after the other, a sum over the middle axis of [64, 64, 1024] steps 4 kB at each element. So 256 results
// that lie next to each other are gathered at once, in an array of accumulators: outside the loops over the axes that
// are reduced, inside one over the block. Each result is gathered in the order it was before; sums whose order is free
// go to f64 by trees of 8 (ch__cg_sum_rows). What the group computes of the results follows, in a loop over the block.
#include "cgen/native.h"

enum { BLOCK_RESULTS = 256 };

static bool middle_one(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

bool ch__cg_is_middle(const cg *g, const group *gr) {
    const ch__op *op = gr->members.data[0];
    if (!g->file->native || op->code != CH_OP_reduce || gr->type->rank < 2) return false;
    for (int64_t i = 1; i < gr->members.n; i++)
        if (ch__cg_kind(gr->members.data[i]) == K_FOLD) return false;
    const ch__type *x = op->operands[0]->type;
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    bool reduced = false, outside = false;
    for (int i = 0; i < x->rank; i++) reduced = reduced || (ch__cg_among(dims, i) && !middle_one(x->dims[i]));
    for (int i = 0; i < gr->type->rank - 1; i++) outside = outside || !middle_one(gr->type->dims[i]);
    return reduced && outside && !ch__cg_among(dims, x->rank - 1) && !middle_one(x->dims[x->rank - 1]);
}

// The loops printed since from, over one axis and the block, by trees of rows; else they stay.
static void by_trees(cg *g, int64_t from) {
    const char *text = ch__arena_strndup(g->a, g->out->data + from, (size_t)(g->out->n - from));
    const char *head = text + strspn(text, " "), *name = head + 13, *equals, *less, *end;
    if (strncmp(head, "for (int64_t ", 13) != 0 || !(equals = strstr(name, " = 0; "))) return;
    if (!(less = strstr(equals, " < ")) || !(end = strchr(less, ';'))) return;
    const char *counter = ch__arena_strndup(g->a, name, (size_t)(equals - name));
    const char *limit = ch__arena_strndup(g->a, less + 3, (size_t)(end - less) - 3);
    const char *trees = ch__cg_sum_rows(g, counter, "0", limit, end);
    if (!trees) return;
    g->out->n = from;
    g->out->data[from] = 0;
    ch__put(g->out, trees);
}

int ch__cg_middle_open(cg *g, const group *gr, ch__dim *at, cx *result) {
    const ch__op *op = gr->members.data[0];
    const ch__value *x = op->operands[0];
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    ch_dtype d = x->type->dtype;
    int last = gr->type->rank - 1, n = 0, loops = 0, kept = 0;
    for (int i = 0; i < last; i++) {
        at[i] = ch__dim_const(0);
        if (middle_one(gr->type->dims[i])) continue;
        at[i] = ch__cg_for(g, gr->type->dims[i]);
        n++;
    }
    accum fo = {.kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0), .d = d, .acc = ch__cg_acc_dtype(op, d)};
    fo.type = ch__cg_carrier_type(fo.kind, fo.acc);
    const char *block = ch__cg_scoped(g, "block"), *width = ch__cg_scoped(g, "width"), *z = ch__cg_scoped(g, "z");
    const char *columns = ch__cg_dim_text(g, gr->type->dims[last], CX_ADD), *some = ch__cg_scoped(g, "some");
    ch__cg_open(g, "for (int64_t %s = 0; %s < %s; %s += %d)", block, block, columns, block, BLOCK_RESULTS);
    ch__cg_line(g, "const int64_t %s = %s - %s < %d ? %s - %s : %d;", width, columns, block, BLOCK_RESULTS, columns,
                block, BLOCK_RESULTS);
    ch__cg_line(g, "%s %s[%d];", fo.type, some, BLOCK_RESULTS);
    ch__cg_line(g, "for (int64_t %s = 0; %s < %s; %s++) %s[%s] = %s;", z, z, width, z, some, z,
                ch__cg_fold_identity(g, &fo).s);
    ch__dim to[CH__MAX_RANK], first = ch__cg_opaque(g, ch__cx(block, CX_PRIM));
    ch__dim many = ch__cg_opaque(g, ch__cx(width, CX_PRIM));
    int64_t from = g->out->n;
    for (int i = 0; i < x->type->rank; i++) {
        if (!ch__cg_among(dims, i)) {
            to[i] = at[kept++];
            continue;
        }
        to[i] = ch__dim_const(0);
        if (middle_one(x->type->dims[i])) continue;
        to[i] = ch__cg_for(g, x->type->dims[i]);
        loops++;
    }
    ch__dim column = ch__cg_for(g, many);
    to[x->type->rank - 1] = ch__dim_add(g->a, first, column);
    ix there = {.at = to};
    cx e = ch__cg_wide(g, &fo, op, ch__cg_elem(g, x, &there));
    ch__cg_fold_add(g, &fo, ch__arena_printf(g->a, "%s[%s]", some, ch__cg_dim_text(g, column, 0)), e);
    ch__cg_for_end(g, loops + 1);
    if (loops == 1) by_trees(g, from);
    column = ch__cg_for(g, many);
    at[last] = ch__dim_add(g->a, first, column);
    *result = ch__cg_fold_result(g, &fo,
                                 ch__cx(ch__arena_printf(g->a, "%s[%s]", some, ch__cg_dim_text(g, column, 0)), CX_PRIM),
                                 op->results[0].type->dtype);
    return n;
}

void ch__cg_middle_close(cg *g, int n) {
    ch__cg_for_end(g, 1);
    ch__cg_close(g);
    ch__cg_for_end(g, n);
}
