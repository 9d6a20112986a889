// SPDX-License-Identifier: Apache-2.0
// reasons.c - why a kernel is one of its own: for ch_explain, a line for each earlier kernel whose result it reads from
// memory. What could be one loop nest with it has been made one before; so the reason follows from what the two are: a
// library call, loops over other sizes, elements read elsewhere than they are computed.
#include "cgen/native.h"

typedef struct {
    int number, what;
    const ch__type *type;
} nest_of_op;

typedef struct {
    cg *g;
    const nest_of_op *self;
    int64_t n;
    const ch__op *const *ops;
    ch__map seen; // kernels that were named
} reasons;

static bool same_loops(const ch__type *x, const ch__type *y) {
    if (x->rank != y->rank) return false;
    for (int i = 0; i < x->rank; i++)
        if (!ch__dim_equal(x->dims[i], y->dims[i])) return false;
    return true;
}

static void see_read(cg *g, void *arg, const ch__value *leaf, bool same) {
    reasons *r = arg;
    cg_native *nat = g->file->native;
    const nest_of_op *from = leaf->op ? ch__map_get(&nat->nest_of, (uint64_t)(uintptr_t)leaf->op) : NULL;
    if (!from || from->number == r->self->number || leaf->type->rank == 0) return;
    if (ch__map_get(&r->seen, (uint64_t)from->number + 1)) return;
    ch__map_put(&r->seen, (uint64_t)from->number + 1, r);
    ch__text *s = &nat->notes;
    const char *name = leaf->name ? ch__arena_printf(g->a, "%%%s", leaf->name) : "what it reads";
    ch__putf(s, "              apart from %s: ", ch__op_name((ch__opcode)leaf->op->code));
    if (from->what == CG_LIBRARY)
        ch__putf(s, "a library call gives %s\n", name);
    else if (r->self->what == CG_LIBRARY)
        ch__putf(s, "a library call reads %s\n", name);
    else if (!same)
        ch__putf(s, "%s is read elsewhere than it is computed\n", name);
    else if (!same_loops(from->type, r->self->type))
        ch__putf(s, "its loops are over %s\n", ch__type_text(g->a, from->type));
    else
        ch__putf(s, "%s is complete before it is read\n", name);
}

void ch__cg_reasons(cg *g, int what, const ch__type *t, int64_t n, const ch__op *const *ops) {
    cg_native *nat = g->file->native;
    nest_of_op *self = CH_NEW(g->a, nest_of_op);
    *self = (nest_of_op){nat->n_nests++, what, t};
    reasons r = {.g = g, .self = self, .n = n, .ops = ops};
    ch__map_init(&r.seen, g->a);
    for (int64_t i = 0; i < n; i++) ch__map_put(&nat->nest_of, (uint64_t)(uintptr_t)ops[i], self);
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < ops[i]->n_operands; j++) ch__cg_touch(g, ops[i]->operands[j], true, see_read, &r);
}
