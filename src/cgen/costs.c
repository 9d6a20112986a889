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
    // A counter, known later only, or of a func that is called: the sizes given are the outermost's.
    if (!ch__cg_is_root(c->g) || !ch__func_dim_param(c->g->f, name)) c->unknown = true;
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

// Of the ops and of what is computed where they read it.
static ch__dim flops_of(costs *c) {
    ch__arena *a = c->g->a;
    CH_VEC(const ch__op *) all = {0};
    ch__dim flops = ch__dim_const(0);
    ch__map seen;
    ch__map_init(&seen, a);
    for (int64_t i = 0; i < c->n; i++) CH_PUSH(a, &all, c->ops[i]);
    for (int64_t i = 0; i < all.n; i++) {
        const ch__op *op = all.data[i];
        bool product = op->code == CH_OP_dot && ch__cg_is_called(op);
        flops = ch__dim_add(a, flops, product ? ch__cg_dot_flops(c->g, op) : ch__op_flops(a, op));
        for (int j = 0; j < op->n_operands; j++) {
            const ch__value *v = op->operands[j];
            if (val_of(c->g, v)->how != HOW_INLINE && val_of(c->g, v)->how != HOW_VIEW) continue;
            if (ch__map_get(&seen, (uint64_t)v->id + 1)) continue;
            ch__map_put(&seen, (uint64_t)v->id + 1, c);
            CH_PUSH(a, &all, v->op);
        }
    }
    return flops;
}

void ch__cg_costs(cg *g, bool library, int64_t n, const ch__op *const *ops, const char *label) {
    cg_native *nat = g->file->native;
    if (!nat->out->timed) return;
    costs c = {.g = g, .ops = ops, .n = n, .bytes = ch__dim_const(0)};
    ch__map_init(&c.seen, g->a);
    for (int64_t i = 0; i < n; i++) {
        for (int j = 0; j < ops[i]->n_operands; j++) ch__cg_touch(g, ops[i]->operands[j], true, see_leaf, &c);
        for (int k = 0; k < ops[i]->n_results; k++) {
            const store *st = val_of(g, &ops[i]->results[k])->st;
            if (library || (st && st->kind == ST_ARRAY && st->row_from == 0)) add_bytes(&c, ops[i]->results[k].type);
        }
    }
    const ch__value *copied = nat->copied;
    if (copied) {
        ch__cg_touch(g, copied, true, see_leaf, &c);
        add_bytes(&c, copied->type);
        how h = val_of(g, copied)->how;
        if (h == HOW_INLINE || h == HOW_VIEW) c.ops = (const ch__op *const *)&copied->op, c.n = 1;
    }
    ch__dim flops = flops_of(&c);
    const group *gr = n > 0 && val_of(g, &ops[0]->results[0])->delayed ? val_of(g, &ops[0]->results[0])->reader : NULL;
    if (gr && gr->chain && gr->chain->scores_all > 0 && ch__dim_is_const(flops)) // what a mask leaves of it
        flops =
            ch__dim_const((int64_t)((double)flops.val * (double)gr->chain->computed / (double)gr->chain->scores_all));
    ch__dim_symbols(flops, see_size, &c);
    ch__dim_symbols(c.bytes, see_size, &c);
    ch__c_native *out = nat->out;
    int kernel = nat->summing >= 0 ? nat->summing : nat->n_kernels - 1;
    nat->summing = -1;
    ch__c_cost cost = {
        .library = library, .kernel = library ? -1 : kernel, .label = ch__arena_strdup(nat->out_arena, label)};
    CH_PUSH(nat->out_arena, &out->costs, cost);
    int64_t k = out->costs.n - 1;
    ch__putf(&nat->costs, "    chaac_out[%" PRId64 "] = (double)(%s);\n", 2 * k,
             c.unknown ? "-1" : ch__cg_dim_text(g, flops, 0));
    ch__putf(&nat->costs, "    chaac_out[%" PRId64 "] = (double)(%s);\n", 2 * k + 1,
             c.unknown ? "-1" : ch__cg_dim_text(g, c.bytes, 0));
    if (library) ch__cg_line(g, "chaac_call = %" PRId64 ";", k); // the call that follows
}
