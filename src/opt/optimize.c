// SPDX-License-Identifier: Apache-2.0
// optimize.c - the passes that change no bit, as one walk.
//
// An op is folded, else simplified, else looked up among those that came before. What simplify makes is treated the
// same at once, so one walk in order of definition leaves nothing for a second one, except where a branch or composite
// was dissolved: its ops were looked at inside their region and may equal ops outside. Then what is dead goes.
#include "opt/opt.h"

static void optimize_open(ch__rewriter *r) { ch__cse_open(r, (ch__cse_table **)&r->user); }
static void optimize_close(ch__rewriter *r) { ch__cse_close(r->user); }

// A value that a rewrite gave: when its op was made just now (its id is past `mark`), as far as that goes. Each step
// makes the op simpler; the limit is a belt.
static ch__value *optimize_settle(ch__rewriter *r, ch__value *v, int32_t mark) {
    for (int step = 0; step < 16 && v->id >= mark; step++) {
        ch__op *op = v->op;
        mark = r->func->n_values;
        ch__value *now = ch__fold_op(r, op);
        if (now == NULL) now = ch__simplify_op(r, op);
        if (now == NULL) {
            ch__op *same = ch__cse_find(r, r->user, op);
            if (same == NULL) return v;
            now = &same->results[v->index];
        }
        ch__op_remove(op);
        v = now;
    }
    return v;
}

static ch__value *optimize_op(ch__rewriter *r, ch__op *op) {
    int32_t mark = r->func->n_values;
    ch__value *v = ch__fold_op(r, op);
    if (r->drop) return NULL;
    if (v == NULL) v = ch__simplify_op(r, op);
    if (r->drop) return NULL;
    if (v != NULL) return optimize_settle(r, v, mark);
    ch__op *same = ch__cse_find(r, r->user, op);
    if (same == NULL) return NULL;
    for (int j = 0; j < op->n_results; j++) ch__rewrite_to(r, &op->results[j], &same->results[j]);
    ch__rewrite_drop(r);
    return NULL;
}

int64_t ch__optimize(ch_func *f) {
    int64_t all = 0;
    for (int round = 0; round < 4; round++) {
        ch__rewriter r = {
            .fn = optimize_op, .enter = ch__simplify_enter, .open = optimize_open, .close = optimize_close};
        all += ch__rewrite(&r, f);
        if (!r.dissolved) break;
    }
    return all + ch__dce(f);
}
