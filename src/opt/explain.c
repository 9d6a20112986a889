// SPDX-License-Identifier: Apache-2.0
// explain.c - what a func will do, for people: operations by kind, flops and bytes as expressions of its sizes, its
// memory at the peak, and the constants that were captured from outside.
//
// Flops: one per element of an elementwise or reduced value, 2 per multiply-add of dot and conv. Bytes: what operations
// read and write, each once, before any fusion; loops count their body once.

#include "opt/opt.h"

#include <string.h>

typedef struct {
    ch__arena *arena;
    int64_t counts[CH_OP_COUNT];
    int64_t n_ops;
    ch__dim flops, bytes;
    CH_VEC(const ch__value *) captured;
    ch__map seen; // funcs counted or waiting
    CH_VEC(const ch_func *) waiting;
} facts;

static ch__dim bytes_of(ch__arena *a, const ch__type *t) {
    return ch__dim_mul(a, ch__type_numel(a, t), ch__dim_const((int64_t)ch_dtype_size(t->dtype)));
}

static ch__dim times(ch__arena *a, ch__dim x, int64_t k) { return ch__dim_mul(a, x, ch__dim_const(k)); }

ch__dim ch__op_flops(ch__arena *a, const ch__op *op) {
    const ch__type *r = op->n_results > 0 ? op->results[0].type : NULL;
    switch (op->code) {
    case CH_OP_dot: {
        ch__dim n = times(a, ch__type_numel(a, r), 2);
        const ch__attr *c = ch__op_attr(op, CH__ATTR_contract);
        for (int i = 0; i < c->n; i++) n = ch__dim_mul(a, n, op->operands[0]->type->dims[c->ints[i]]);
        return n;
    }
    case CH_OP_conv: { // per result element: features of the kernel times its window
        const ch__type *k = op->operands[1]->type;
        ch__dim n = times(a, ch__type_numel(a, r), 2);
        for (int i = 1; i < k->rank; i++) n = ch__dim_mul(a, n, k->dims[i]);
        return n;
    }
    case CH_OP_reduce:
    case CH_OP_arg_reduce:
    case CH_OP_cumulative: return ch__type_numel(a, op->operands[0]->type);
    default:
        return (ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) != 0 ? ch__type_numel(a, r)
                                                                                 : ch__dim_const(0);
    }
}

static void add_func(facts *f, const ch_func *func) {
    uint64_t key = (uint64_t)(uintptr_t)func;
    if (ch__map_get(&f->seen, key) != NULL) return;
    ch__map_put(&f->seen, key, (void *)(uintptr_t)key);
    CH_PUSH(f->arena, &f->waiting, func);
}

static void add_op(void *arg, ch__op *op) {
    facts *f = arg;
    f->counts[op->code]++;
    f->n_ops++;
    if (op->code == CH_OP_call) add_func(f, ch__op_attr(op, CH__ATTR_callee)->func);
    if (op->n_regions > 0 || op->code == CH_OP_call) return;
    for (int i = 0; i < op->n_operands; i++)
        if (!op->operands[i]->type->tape)
            f->bytes = ch__dim_add(f->arena, f->bytes, bytes_of(f->arena, op->operands[i]->type));
    for (int i = 0; i < op->n_results; i++)
        if (!op->results[i].type->tape)
            f->bytes = ch__dim_add(f->arena, f->bytes, bytes_of(f->arena, op->results[i].type));
    f->flops = ch__dim_add(f->arena, f->flops, ch__op_flops(f->arena, op));
    const char *name = op->n_results == 1 ? op->results[0].name : NULL;
    if (op->code == CH_OP_const && name != NULL && strncmp(name, "captured", 8) == 0)
        CH_PUSH(f->arena, &f->captured, &op->results[0]);
}

static void put_params(ch__text *t, const ch_func *f, facts *k) {
    ch__dim total = ch__dim_const(0);
    for (int i = 0; i < f->body->n_params; i++)
        total = ch__dim_add(k->arena, total, bytes_of(k->arena, f->body->params[i]->type));
    ch__putf(t, "  %d parameters, ", (int)f->body->n_params);
    ch__dim_print(t, total);
    total = ch__dim_const(0);
    for (int i = 0; i < f->body->n_results; i++)
        total = ch__dim_add(k->arena, total, bytes_of(k->arena, f->body->results[i]->type));
    ch__putf(t, " bytes; %d results, ", (int)f->body->n_results);
    ch__dim_print(t, total);
    ch__put(t, " bytes\n");
}

// Most frequent first, in the table's order where they are equal.
static void put_ops(ch__text *t, facts *k) {
    ch__putf(t, "  %" PRId64 " operations", k->n_ops);
    for (const char *before = ": ";; before = ", ") {
        int best = 0;
        for (int c = 1; c < CH_OP_COUNT; c++)
            if (k->counts[c] > k->counts[best]) best = c;
        if (k->counts[best] == 0) break;
        ch__putf(t, "%s%s %" PRId64, before, ch__op_name((ch__opcode)best), k->counts[best]);
        k->counts[best] = 0;
    }
    ch__putc(t, '\n');
}

static void put_captured(ch__text *t, facts *k) {
    if (k->captured.n == 0) return;
    ch__putf(t, "  %" PRId64 " constants captured from outside:\n", k->captured.n);
    for (int64_t i = 0; i < k->captured.n; i++) {
        const ch__value *v = k->captured.data[i];
        ch__put(t, "    ");
        ch__print_value(t, v);
        ch__put(t, ": ");
        ch__type_print(t, v->type);
        ch__put(t, ", ");
        ch__dim_print(t, bytes_of(k->arena, v->type));
        ch__put(t, " bytes");
        const ch__loc *loc = v->op->loc;
        if (loc != NULL && loc->file != NULL) ch__putf(t, ", made at %s:%d", loc->file, loc->line);
        ch__putc(t, '\n');
    }
}

// Of what will run: calls and composites inlined, after the passes of ch_compile.
static void put_peak(ch__text *t, const ch_func *given, facts *k) {
    ch_func *f = ch__func_clone(given);
    ch__inline(f);
    int64_t written = k->n_ops;
    ch__optimize(f);
    ch__renumber(f);
    int64_t now = ch__count_ops(f);
    if (now != written) ch__putf(t, "  %" PRId64 " operations once inlined and optimized\n", now);
    ch__peak peak = ch__peak_of(k->arena, f);
    const char **names = ch__print_names(k->arena, f);
    ch__put(t, peak.n > 1 ? "  peak memory, parameters included, the largest of:\n"
                          : "  peak memory, parameters included: ");
    for (int i = 0; i < peak.n; i++) {
        const ch__op *op = peak.at[i];
        if (peak.n > 1) ch__put(t, "    ");
        ch__dim_print(t, peak.bytes[i]);
        ch__putf(t, " bytes at %s", ch__op_name((ch__opcode)op->code));
        if (op->n_results > 0) ch__putf(t, " %s", names[op->results[0].id]);
        if (op->loc != NULL && op->loc->file != NULL) ch__putf(t, " (%s:%d)", op->loc->file, op->loc->line);
        ch__putc(t, '\n');
    }
    if (peak.n == 0) ch__put(t, "that of the parameters\n");
    if (peak.more) ch__put(t, "    and more that are larger for some sizes\n");
    if (ch__count_op_code(f, CH_OP_push) > 0)
        ch__put(t, "    and what tapes hold: `chaac ir --kept` of the func before its gradient says that\n");
    if (ch__count_op_code(f, CH_OP_call) > 0) ch__put(t, "    and what recursive calls hold\n");
    ch__module_destroy(f->module);
}

void ch__explain(ch__text *t, const ch_func *f) {
    facts k = {.arena = ch__arena_create()};
    ch__map_init(&k.seen, k.arena);
    add_func(&k, f);
    while (k.waiting.n > 0) ch__walk(k.waiting.data[--k.waiting.n]->body, add_op, &k);
    ch__putf(t, "@%s\n", f->name);
    put_params(t, f, &k);
    put_ops(t, &k);
    ch__put(t, "  flops: ");
    ch__dim_print(t, k.flops);
    ch__put(t, "\n  bytes read and written, before fusion: ");
    ch__dim_print(t, k.bytes);
    ch__putc(t, '\n');
    put_peak(t, f, &k);
    put_captured(t, &k);
    ch__arena_destroy(k.arena);
}
