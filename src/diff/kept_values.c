// SPDX-License-Identifier: Apache-2.0
// kept_values.c - what a derivative keeps of the straight part of a func, as text for people.
//
// Read off the derivative after its passes. Its operations are of two kinds: those that depend on a seed are the
// reverse sweep, the others the forward one. A value of a forward operation that a reverse one uses has to stay
// until then. Parameters are the caller's, tapes are told of loop by loop.
#include "diff/diff.h"

#include <string.h>

enum { KEPT_LINES = 16 };

typedef struct {
    ch__arena *arena;
    bool *reverse; // by value id: depends on a seed
    bool *kept;
    const char **readers; // by value id: the first ops that read it
    const ch__op *user;   // of the func's body, at hand
    bool found;           // user depends on a seed
} straight;

static void straight_operand(straight *s, const ch__value *v) { s->found = s->found || s->reverse[v->id]; }

static void straight_see(void *arg, ch__op *op) {
    for (int i = 0; i < op->n_operands; i++) straight_operand(arg, op->operands[i]);
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_results; i++) straight_operand(arg, op->regions[k]->results[i]);
}

static void straight_reads(straight *s, const ch__value *v) {
    if (v->op == NULL || v->op->parent != s->user->parent || s->reverse[v->id] || v->type->tape) return;
    ch__opcode code = (ch__opcode)v->op->code;
    if ((ch__op_info_of(code)->flags & CH__LEAF) != 0) return; // made anew at no cost
    const char *name = ch__op_name((ch__opcode)s->user->code), *so_far = s->readers[v->id];
    s->kept[v->id] = true;
    if (so_far == NULL)
        s->readers[v->id] = name;
    else if (strstr(so_far, name) == NULL && strlen(so_far) < 40)
        s->readers[v->id] = ch__arena_printf(s->arena, "%s, %s", so_far, name);
}

static void straight_keep(void *arg, ch__op *op) {
    for (int i = 0; i < op->n_operands; i++) straight_reads(arg, op->operands[i]);
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_results; i++) straight_reads(arg, op->regions[k]->results[i]);
}

static void straight_visit(straight *s, ch__op *op, void (*fn)(void *arg, ch__op *op)) {
    s->user = op;
    fn(s, op);
    for (int k = 0; k < op->n_regions; k++) ch__walk(op->regions[k], fn, s);
}

void ch__put_kept_values(ch__text *t, ch__arena *a, const ch_func *d, int n_params) {
    straight s = {.arena = a};
    s.reverse = CH_NEW_ARRAY(a, bool, d->n_values + 1);
    s.kept = CH_NEW_ARRAY(a, bool, d->n_values + 1);
    s.readers = CH_NEW_ARRAY(a, const char *, d->n_values + 1);
    for (int i = n_params; i < d->body->n_params; i++) s.reverse[d->body->params[i]->id] = true;
    for (ch__op *op = d->body->first; op != NULL; op = op->next) {
        s.found = false;
        straight_visit(&s, op, straight_see);
        for (int i = 0; s.found && i < op->n_results; i++) s.reverse[op->results[i].id] = true;
        if (s.found) straight_visit(&s, op, straight_keep);
    }
    const char **names = ch__print_names(a, d);
    ch__dim total = ch__dim_const(0);
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        int at = 0;
        for (const ch__op *op = d->body->first; op != NULL; op = op->next)
            for (int i = 0; i < op->n_results; i++) {
                const ch__value *v = &op->results[i];
                if (!s.kept[v->id]) continue;
                ch__dim bytes =
                    ch__dim_mul(a, ch__type_numel(a, v->type), ch__dim_const((int64_t)ch_dtype_size(v->type->dtype)));
                n += pass == 0;
                if (pass == 0) total = ch__dim_add(a, total, bytes);
                if (pass == 0 || at++ >= KEPT_LINES) continue;
                ch__putf(t, "    %s: ", names[v->id]);
                ch__type_print(t, v->type);
                ch__put(t, ", ");
                ch__dim_print(t, bytes);
                ch__putf(t, " bytes, result of %s, read by %s\n", ch__op_name((ch__opcode)op->code), s.readers[v->id]);
            }
        if (pass == 1) break;
        ch__putf(t, "  outside of loops %d value%s, ", n, n == 1 ? "" : "s");
        ch__dim_print(t, total);
        ch__put(t, n == 0 ? " bytes\n" : " bytes:\n");
    }
    if (n > KEPT_LINES) ch__putf(t, "    and %d more\n", n - KEPT_LINES);
}
