// SPDX-License-Identifier: Apache-2.0
// remade.c - rows that are computed again where a later pass reads them, instead of lying in an array.
//
// A layer norm's gradient reads x - mean and that times 1 / deviation, a number of the row. Both were written by one
// pass and read by another. Where the first lies in memory anyway, the second is one multiplication away from what is
// read there: a write and a read less, and 4 kB less of the first level of the cache for a row of 1,024. The operation
// is the same one on the same numbers, so the bits are.
#include "cgen/native.h"

// A number, or one of the group's that is there before the pass begins.
static bool is_number_of_row(cg *g, const group *gr, const ch__value *v) {
    double c;
    if (ch__cg_known_number(v, v->type->dtype, &c)) return true;
    while (v->op && val_of(g, v)->how == HOW_VIEW && (v->op->code == CH_OP_broadcast || v->op->code == CH_OP_reshape))
        v = v->op->operands[0];
    return val_of(g, v)->group == gr && v->type->rank <= gr->outer;
}

const ch__value *ch__cg_row_source(cg *g, const group *gr, const ch__value *v) {
    const ch__op *op = v->op;
    bool cheap = op->code == CH_OP_add || op->code == CH_OP_sub || op->code == CH_OP_mul;
    if (!g->file->native || !cheap || (v->type->dtype != CH_F32 && v->type->dtype != CH_F64)) return NULL;
    for (int i = 0; i < 2; i++) {
        const ch__value *from = op->operands[i];
        if (val_of(g, from)->group == gr && val_of(g, from)->how == HOW_MEMBER &&
            ch__cg_same_dims(from->type, v->type) && is_number_of_row(g, gr, op->operands[1 - i]))
            return from;
    }
    return NULL;
}
