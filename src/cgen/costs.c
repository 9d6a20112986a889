// SPDX-License-Identifier: Apache-2.0
// costs.c - what each kernel and library call of printed code computes and moves, as C text over the func's sizes.
//
// Flops are those of ch_explain; bytes are the arrays in memory that are read, each once and whole, and those that are
// written. For profiles (src/native/profile.c): the code that runs otherwise has nothing of it.
#include "cgen/native.h"

typedef struct {
    cg *g;
    const ch__op *const *ops;
    int64_t n;
    ch__map seen;
    ch__dim bytes;
    bool unknown;
} costs;

static void see_size(void *arg, const char *name) {
    costs *c = arg;
    if (!ch__func_dim_param(c->g->f, name)) c->unknown = true; // a counter, or known later only
}

static void add_bytes(costs *c, const ch__type *t) {
    ch__arena *a = c->g->a;
    c->bytes =
        ch__dim_add(a, c->bytes, ch__dim_mul(a, ch__type_numel(a, t), ch__dim_const((int64_t)ch_dtype_size(t->dtype))));
}

static void see_leaf(cg *g, void *arg, const ch__value *leaf, bool same) {
    costs *c = arg;
    (void)g, (void)same;
    if (leaf->type->tape || ch__map_get(&c->seen, (uint64_t)leaf->id + 1)) return;
    ch__map_put(&c->seen, (uint64_t)leaf->id + 1, c);
    for (int64_t i = 0; i < c->n; i++)
        if (leaf->op == c->ops[i]) return; // computed here
    add_bytes(c, leaf->type);
}

void ch__cg_costs(cg *g, bool library, int64_t n, const ch__op *const *ops, const char *label) {
    cg_native *nat = g->file->native;
    if (!nat->out->timed) return;
    costs c = {.g = g, .ops = ops, .n = n, .bytes = ch__dim_const(0)};
    ch__dim flops = ch__dim_const(0);
    ch__map_init(&c.seen, g->a);
    for (int64_t i = 0; i < n; i++) {
        flops = ch__dim_add(g->a, flops, ch__op_flops(g->a, ops[i]));
        for (int j = 0; j < ops[i]->n_operands; j++) ch__cg_touch(g, ops[i]->operands[j], true, see_leaf, &c);
        for (int k = 0; k < ops[i]->n_results; k++) {
            const store *st = val_of(g, &ops[i]->results[k])->st;
            if (library || (st && st->kind == ST_ARRAY && st->row_from == 0)) add_bytes(&c, ops[i]->results[k].type);
        }
    }
    ch__dim_symbols(flops, see_size, &c);
    ch__dim_symbols(c.bytes, see_size, &c);
    ch__c_native *out = nat->out;
    ch__c_cost cost = {.library = library, .label = ch__arena_strdup(nat->out_arena, label)};
    CH_PUSH(nat->out_arena, &out->costs, cost);
    int64_t k = out->costs.n - 1;
    ch__putf(&nat->costs, "    chaac_out[%" PRId64 "] = (double)(%s);\n", 2 * k,
             c.unknown ? "-1" : ch__cg_dim_text(g, flops, 0));
    ch__putf(&nat->costs, "    chaac_out[%" PRId64 "] = (double)(%s);\n", 2 * k + 1,
             c.unknown ? "-1" : ch__cg_dim_text(g, c.bytes, 0));
}
