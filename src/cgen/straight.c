// SPDX-License-Identifier: Apache-2.0
// straight.c - long straight runs of operations on numbers become funcs that are called.
//
// Compilers are superlinear in the length of a function: 8,000 operations in a row, an unrolled loop or the derivative
// of one, took minutes. On the printer's own clone runs of operations on single numbers are cut into pieces; a piece's
// params are the numbers and arrays that it reads, its results those that others read. (Operations on arrays become
// kernels, whose size plan.c limits, and calls of them, which chunks.c cuts.)
#include "cgen/native.h"

enum { CUT_FROM = 400, CUT_OPS = 100 };

typedef struct {
    cg_file *file;
    ch_func *f;
    ch__value **to; // what replaces a value
    int32_t *home;  // 1 + the piece that makes it
    int32_t *uses;
    int n_pieces;
} cutter;

static bool is_one_number(const ch__type *t) { return t->rank == 0 && !t->tape; }

static bool is_plain_array(const ch__type *t) {
    for (int i = 0; i < t->rank; i++)
        if (!ch__dim_is_const(t->dims[i])) return false;
    return !t->tape;
}

static bool on_numbers(const ch__op *op) {
    bool elementwise = (ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) != 0;
    if ((!elementwise && op->code != CH_OP_const && op->code != CH_OP_get) || op->n_regions > 0) return false;
    for (int i = 0; i < op->n_results; i++)
        if (!is_one_number(op->results[i].type)) return false;
    for (int i = 0; i < op->n_operands; i++) {
        const ch__type *t = op->operands[i]->type;
        if (!is_one_number(t) && !(op->code == CH_OP_get && i == 0 && is_plain_array(t))) return false;
    }
    return true;
}

// n ops from first on, all in one region, as a func and its call.
static void cut_piece(cutter *s, ch__op *first, int n) {
    ch_func *f = s->f;
    ch__arena *a = s->file->a;
    int32_t own = ++s->n_pieces;
    ch_func *to = ch__func_create(f->module, ch__module_fresh_name(f->module, "piece"));
    ch__value_map map = {CH_NEW_ARRAY(a, ch__value *, f->n_values), f->n_values, NULL};
    CH_VEC(ch__value *) args = {0};
    CH_VEC(ch__value *) made = {0};
    CH_VEC(ch__value *) results = {0};
    ch__op *op = first, *end;
    for (int i = 0; i < n; i++, op = op->next)
        for (int k = 0; k < op->n_results; k++) s->home[op->results[k].id] = own;
    end = op;
    op = first;
    for (int i = 0; i < n; i++, op = op->next)
        for (int k = 0; k < op->n_operands; k++) {
            ch__value *v = op->operands[k];
            if (s->home[v->id] == own) {
                s->uses[v->id]--; // of this piece's own
            } else if (!map.to[v->id]) {
                map.to[v->id] = ch__func_add_param(to, NULL, v->type);
                CH_PUSH(a, &args, v);
            }
        }
    ch__builder b = ch__builder_at_end(to->body);
    op = first;
    for (int i = 0; i < n; i++, op = op->next) {
        ch__clone_op(&b, op, &map, NULL, NULL);
        for (int k = 0; k < op->n_results; k++) {
            ch__value *v = &op->results[k];
            if (s->uses[v->id] == 0) continue;
            CH_PUSH(a, &made, v);
            CH_PUSH(a, &results, map.to[v->id]);
        }
    }
    ch__func_set_results(to, (int)results.n, results.data, NULL);
    ch__map_put(&s->file->native->pieces, (uint64_t)(uintptr_t)to, to);
    ch__builder at = ch__builder_at_end(first->parent);
    at.func = f;
    at.before = end;
    at.loc = first->loc;
    ch__attr callee = ch__attr_func(CH__ATTR_callee, to);
    ch__op *call = ch__build(&at, CH_OP_call, (int)args.n, args.data, 1, &callee, 0, NULL, 0, NULL);
    for (int64_t i = 0; i < made.n; i++) s->to[made.data[i]->id] = &call->results[i];
}

static void cut_run(cutter *s, ch__op *first, int n) {
    while (n > 0) {
        int pieces = (n + CUT_OPS - 1) / CUT_OPS, size = (n + pieces - 1) / pieces;
        ch__op *next = first;
        for (int i = 0; i < size; i++) next = next->next;
        cut_piece(s, first, size);
        first = next;
        n -= size;
    }
}

static void cut_region(cutter *s, const ch__region *r) {
    ch__op *first = NULL;
    int n = 0;
    for (ch__op *op = r->first, *next; op; op = next) {
        next = op->next;
        if (on_numbers(op)) {
            if (n++ == 0) first = op;
            if (next) continue;
        }
        if (n >= CUT_FROM) cut_run(s, first, n);
        n = 0;
    }
}

static void see_straight(void *arg, ch__op *op) {
    for (int i = 0; i < op->n_regions; i++) cut_region(arg, op->regions[i]);
}

bool ch__cg_is_piece(const cg_file *file, const ch_func *f) {
    return file->native && ch__map_get(&file->native->pieces, (uint64_t)(uintptr_t)f) != NULL;
}

void ch__cg_straight(cg_file *file, ch_func *f) {
    if (!file->native || f->n_values < CUT_FROM) return;
    int32_t n = f->n_values;
    cutter s = {.file = file, .f = f, .uses = ch__use_counts(file->a, f)};
    // Values that calls make come behind the others; there are at most as many.
    s.to = CH_NEW_ARRAY(file->a, ch__value *, 2 * (int64_t)n + 1);
    s.home = CH_NEW_ARRAY(file->a, int32_t, 2 * (int64_t)n + 1);
    cut_region(&s, f->body);
    ch__walk(f->body, see_straight, &s);
    if (s.n_pieces == 0) return;
    ch__replace_uses(f, s.to);
    ch__dce(f);
    ch__renumber(f);
}
