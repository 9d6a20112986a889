// SPDX-License-Identifier: Apache-2.0
// rewrite.c - the walk that fold, simplify, cse and inline share.
//
// One pass in order of definition is enough to rewrite chains: when an op is looked at, its operands have been looked
// at and stand for themselves. Replaced values are kept in a table by id and looked up when a use is met, so replacing
// costs nothing per use and the walk is linear. Values made on the way have ids past the table and are never replaced.
#include "opt/opt.h"

#include <assert.h>

ch__value *ch__rewrite_now(const ch__rewriter *r, ch__value *v) {
    while (v->id < r->n && r->to[v->id] != NULL) v = r->to[v->id];
    return v;
}

void ch__rewrite_to(ch__rewriter *r, ch__value *old, ch__value *now) {
    assert(old->id < r->n && old != now);
    if (old->name != NULL && now->name == NULL) {
        now->name = old->name;
        old->name = NULL;
    }
    r->to[old->id] = now;
    r->changes++;
}

void ch__rewrite_drop(ch__rewriter *r) { r->drop = true; }

static void rewrite_uses(ch__rewriter *r, ch__value **uses, int32_t n) {
    for (int32_t i = 0; i < n; i++) uses[i] = ch__rewrite_now(r, uses[i]);
}

// Recurses on the nesting of regions, which CH__MAX_NEST limits.
static void rewrite_region(ch__rewriter *r, ch__region *region) {
    if (r->open != NULL) r->open(r);
    for (ch__op *op = region->first, *next; op != NULL; op = next) {
        rewrite_uses(r, op->operands, op->n_operands);
        if (op->n_regions > 0) {
            if (r->enter != NULL) r->enter(r, op);
            for (int i = 0; i < op->n_regions; i++) rewrite_region(r, op->regions[i]);
        }
        r->b = (ch__builder){.func = r->func, .region = region, .before = op, .loc = op->loc};
        r->drop = false;
        ch__value *now = r->fn(r, op);
        next = op->next; // after fn, which may have moved ops before this one but leaves it in place
        if (now != NULL) {
            ch__rewrite_to(r, &op->results[0], now);
            r->drop = true;
        }
        if (r->drop) ch__op_remove(op);
    }
    rewrite_uses(r, region->results, region->n_results);
    if (r->close != NULL) r->close(r);
}

int64_t ch__rewrite(ch__rewriter *r, ch_func *f) {
    r->func = f;
    r->scratch = ch__arena_create();
    r->n = f->n_values;
    r->to = CH_NEW_ARRAY(r->scratch, ch__value *, r->n);
    r->changes = 0;
    rewrite_region(r, f->body);
    ch__arena_destroy(r->scratch);
    r->scratch = NULL;
    return r->changes;
}
