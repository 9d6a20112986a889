// SPDX-License-Identifier: Apache-2.0
// concat.c - what is read of a concat, element by element, is read from the array it comes from.
//
// A concat is a statement that copies arrays behind each other (array.c). Where only loops over elements read it, which
// array an element is from is a question of its place: on the printer's own clone
//
//     %r = concat %x, %y {dim = 1} : f32[n,12]        with %x : f32[n,5]
// becomes
//     %a = pad %x, 0 {hi = [0,7]}    %b = pad %y, 0 {lo = [0,5]}    %i = iota {dim = 1}
//     %c = compare %i, 5 {dir = lt}  %r = select %c, %a, %b
//
// all of which are expressions. Rotary positions over f32[16,512,64] are one kernel of 0.17 ms; there was a copy and a
// kernel behind it that took 0.24 by itself. What a library, a scatter, a loop or a caller wants in memory is copied
// there as before; so is what consists of more than a few parts, or of parts that are slow to compute: vectors compute
// both sides of a question.
#include "cgen/native.h"

enum { MOST_PARTS = 4, MOST_DEEP = 4 };

// Is it there, or computed by few plain operations?
static bool is_plain_part(const ch__value *v, int depth) {
    const ch__op *op = v->op;
    op_kind k = op != NULL ? ch__cg_kind(op) : K_STMT;
    if (op == NULL || k == K_STMT || k == K_FOLD || v->type->rank == 0)
        return true; // it lies in memory, or is a number
    if (depth == MOST_DEEP || k == K_MULTI || ch__cg_is_slow(op)) return false;
    if (k != K_VIEW && op->code != CH_OP_pad && !(ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE))
        return false;
    for (int j = 0; j < op->n_operands; j++)
        if (!is_plain_part(op->operands[j], depth + 1)) return false;
    return true;
}

typedef struct {
    bool *wanted; // by id: some reader wants all of it in memory
} memory_wants;

static void see_wanted(void *arg, ch__op *op) {
    memory_wants *w = arg;
    for (int j = 0; j < op->n_operands; j++) w->wanted[op->operands[j]->id] = true;
    for (int r = 0; r < op->n_regions; r++)
        for (int i = 0; i < op->regions[r]->n_results; i++) w->wanted[op->regions[r]->results[i]->id] = true;
}

// From the end, so that what readers of a view want is known when the view is reached.
static void find_wanted(memory_wants *w, const ch_func *f) {
    for (int i = 0; i < f->body->n_results; i++) w->wanted[f->body->results[i]->id] = true;
    for (ch__op *op = f->body->last; op; op = op->prev) {
        op_kind k = ch__cg_kind(op);
        bool view = k == K_VIEW || op->code == CH_OP_pad;
        bool elements = (ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) != 0 || op->code == CH_OP_reduce ||
                        op->code == CH_OP_concat;
        for (int j = 0; j < op->n_operands; j++)
            if (view ? w->wanted[op->results[0].id] : !elements) w->wanted[op->operands[j]->id] = true;
        for (int r = 0; r < op->n_regions; r++) ch__walk(op->regions[r], see_wanted, w);
        for (int r = 0; r < op->n_regions; r++)
            for (int i = 0; i < op->regions[r]->n_results; i++) w->wanted[op->regions[r]->results[i]->id] = true;
    }
}

// The parts from `first` on, which begin at `before`, in the shape of the whole.
static ch__value *part_of_whole(cg_file *file, ch__builder *b, const ch__op *op, int first, ch__dim before) {
    const ch__type *t = op->results[0].type;
    int dim = (int)ch__op_int(op, CH__ATTR_dim, 0);
    ch__value *x = op->operands[first], *zero = ch__b_splat(b, ch__type_scalar(t->dtype), 0);
    ch__dim lo[CH__MAX_RANK], hi[CH__MAX_RANK], end = ch__dim_add(file->a, before, x->type->dims[dim]);
    for (int i = 0; i < t->rank; i++) lo[i] = hi[i] = ch__dim_const(0);
    lo[dim] = before;
    hi[dim] = ch__dim_sub(file->a, t->dims[dim], end);
    ch__value *padded = ch__b_pad(b, x, zero, lo, hi, NULL);
    if (first == op->n_operands - 1) return padded;
    const ch__type *places = ch__type_make(file->a, CH_I64, t->rank, t->dims, NULL);
    ch__value *i = ch__b_iota(b, places, dim), *n = ch__b_broadcast(b, ch__b_dim(b, end), places, NULL);
    return ch__b_select(b, ch__b_compare(b, CH__LT, i, n), padded, part_of_whole(file, b, op, first + 1, end));
}

static bool may_be_read_by_parts(const memory_wants *w, const ch__op *op) {
    if (op->code != CH_OP_concat || op->n_operands > MOST_PARTS || w->wanted[op->results[0].id]) return false;
    if (op->results[0].type->tape) return false;
    for (int j = 0; j < op->n_operands; j++)
        if (!is_plain_part(op->operands[j], 0)) return false;
    return true;
}

void ch__cg_concats(cg_file *file, ch_func *f) {
    memory_wants w = {CH_NEW_ARRAY(file->a, bool, f->n_values)};
    bool any = false;
    for (const ch__op *op = f->body->first; op; op = op->next) any = any || op->code == CH_OP_concat;
    if (!any) return;
    find_wanted(&w, f);
    for (ch__op *op = f->body->first; op; op = op->next) {
        if (!may_be_read_by_parts(&w, op)) continue;
        ch__builder b = {.func = f, .region = f->body, .before = op, .loc = op->loc};
        ch__value *whole = part_of_whole(file, &b, op, 0, ch__dim_const(0));
        op->code = CH_OP_reshape; // its readers find it where it was
        op->operands[0] = whole;
        op->n_operands = 1;
        op->n_attrs = 0;
    }
    ch__renumber(f);
}
