// SPDX-License-Identifier: Apache-2.0
// joined.c - which axes of a pass over rows go in one loop.
//
// The last axes of a group's arrays lie one after another in memory. Where nothing in a pass asks for one of them alone
// - each array is read and written at the element that is being computed, or does not have these axes at all, and each
// sum takes them all - one loop over their product does, with the other indices 0: an element's place is linear in
// them. The bias gradient of images of 14 x 14 then adds up rows of 196 numbers instead of 14 times 14.
#include "cgen/native.h"

// The first axis that nothing under v, read at the element of `whole`, asks for alone: *from rises to it. false: some
// other element is read.
static bool joined_under(cg *g, const ch__value *v, const ch__type *whole, int *from, int depth) {
    const val *x = val_of(g, v);
    if (v->type->rank == 0) return true;
    if (depth > 20 || !ch__cg_same_dims(v->type, whole)) return false;
    if (x->how != HOW_VIEW && x->how != HOW_INLINE) return true;
    const ch__op *op = v->op;
    if (op->code == CH_OP_const) return ch__op_attr(op, CH__ATTR_value)->array->splat;
    if (op->code == CH_OP_broadcast) {
        const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
        const ch__type *t = op->operands[0]->type;
        bool all = ch__cg_same_dims(t, whole);
        for (int i = 0; i < t->rank; i++) {
            all = all && dims->ints[i] == i;
            if (ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1) continue;
            if (!all && dims->ints[i] >= *from) *from = (int)dims->ints[i] + 1;
        }
        return all ? joined_under(g, op->operands[0], whole, from, depth + 1) : true;
    }
    if (ch__cg_kind(op) != K_ELEM || !(ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE)) return false;
    for (int j = 0; j < op->n_operands; j++)
        if (!joined_under(g, op->operands[j], whole, from, depth + 1)) return false;
    return true;
}

int ch__cg_joined_from(cg *g, const group *gr, int64_t n, const ch__op *const *ops) {
    const ch__type *whole = gr->whole;
    int from = gr->outer;
    if (!whole || gr->chain) return CH__MAX_RANK;
    for (int64_t i = 0; i < n; i++) {
        const ch__op *op = ops[i];
        if (op->code == CH_OP_reduce) {
            for (int k = from; k < whole->rank; k++)
                if (!ch__cg_among(ch__op_attr(op, CH__ATTR_dims), k)) from = k + 1;
        } else if (ch__cg_kind(op) != K_ELEM || !(ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) ||
                   !ch__cg_same_dims(op->results[0].type, whole)) {
            return CH__MAX_RANK;
        }
        for (int j = 0; j < op->n_operands; j++)
            if (!joined_under(g, op->operands[j], whole, &from, 0)) return CH__MAX_RANK;
    }
    return from;
}
