// SPDX-License-Identifier: Apache-2.0
// settle.c - clauses of callees taken over by their callers, in a module whose funcs were built in no special order.
//
// A call built through its shape rule takes over what the callee requires at that moment. A transform that builds a
// call first and the callee later, or adds clauses to a callee, ends with this: the shape rule of every call again,
// until no func gets a new clause. One round and one that finds nothing, unless calls go through several funcs.
#include "ir/ir.h"

typedef struct settle_state {
    ch__arena *scratch;
    ch_func *func;
    int64_t clauses;
} settle_state;

static void settle_call(void *arg, ch__op *op) {
    settle_state *s = arg;
    if (op->code != CH_OP_call) return;
    const ch__type **operands = CH_NEW_ARRAY(s->scratch, const ch__type *, op->n_operands + 1);
    for (int i = 0; i < op->n_operands; i++) operands[i] = op->operands[i]->type;
    ch__infer in = {.arena = s->scratch,
                    .func = s->func,
                    .code = CH_OP_call,
                    .n_operands = op->n_operands,
                    .operands = operands,
                    .n_attrs = op->n_attrs,
                    .attrs = op->attrs,
                    .op = op};
    ch__infer_types(&in);
}

void ch__settle_calls(ch__module *m) {
    if (m->first == m->last) return;
    settle_state s = {.scratch = ch__arena_create()};
    int64_t before, rounds = 2;
    for (ch_func *f = m->first; f; f = f->next) rounds++;
    do {
        if (rounds-- == 0) ch__raise(CH__E_limit, "requires clauses of funcs that call each other do not settle");
        before = s.clauses;
        s.clauses = 0;
        for (ch_func *f = m->first; f; f = f->next) {
            s.func = f;
            ch__walk(f->body, settle_call, &s);
            s.clauses += f->requires_.n;
        }
    } while (s.clauses != before);
    ch__arena_destroy(s.scratch);
}
