// SPDX-License-Identifier: Apache-2.0
// lower_pool.c - memory of malloc that a loop makes in each turn and that outlives it: the rows of a matrix, a list.
//
// All that a call of malloc makes in the turns of a counted loop is one array, made before the loop; turn k has its
// part at k * size. Only where it is needed: a pointer to such memory that goes round in a loop, or out of it, is in
// doubt at first; when something is read through it, or it is put into an array from before the loop, the function is
// lowered again with an array for that call and that loop. The size has to be the same in each turn.
#include "cfront/lower.h"

static uint64_t with_loop(uint64_t site, const cf_frame *f) {
    return ch__hash_u64(site ^ (uint64_t)(uintptr_t)f->node);
}

static cf_pooled *find(cf_lower *l, uint64_t key) {
    for (int64_t i = 0; i < l->program->pooled.n; i++)
        if (l->program->pooled.data[i].key == key) return &l->program->pooled.data[i];
    return NULL;
}

uint64_t cf_site_key(const cf_lower *l, const cf_node *call) {
    uint64_t h = ch__hash_u64((uint64_t)(uintptr_t)call);
    for (const cf_call *c = l->call; c; c = c->outer) h = ch__hash_u64(h ^ (uint64_t)(uintptr_t)c->site);
    return h;
}

// It is made inside of the loop's body.
bool cf_made_in(const cf_frame *f, const cf_object *o) {
    if (!o) return false;
    return o->leaves.n ? o->leaves.data[0].slot >= f->n_slots : o->raw && o->where->frame == f;
}

// Of memory that outlives a turn: 0 when it cannot be part of an array.
uint64_t cf_pool_key(const cf_frame *f, const cf_object *o) { return o->made && f->node ? with_loop(o->made, f) : 0; }

// false: it cannot be. Else what is lowered now is lowered again.
bool cf_want_pool(cf_lower *l, uint64_t key) {
    if (!key || !l->out) return false;
    const cf_pooled *p = find(l, key);
    if (p) return !p->failed;
    CH_PUSH(l->program->a, &l->program->pooled, (cf_pooled){.key = key});
    return l->again = true;
}

const cf_ptr *cf_new_memory(cf_lower *l, uint64_t site, cf_object *o, cf_type *of, ch__value *n) {
    cf_frame *f = l->env->frame;
    int64_t known;
    bool fixed = cf_known(n, &known);
    for (int64_t i = 0; f && f->node && i < l->pools.n; i++) {
        const cf_pool *p = &l->pools.data[i];
        if (p->site != site || p->outer != f->outer) continue;
        static const cf_type i64 = {.kind = CF_INT, .bits = 64, .is_signed = true, .text = "long"};
        ch__value *turn = cf_arith(l, CF_SUB, &i64, f->counter, f->lo);
        if (f->step != 1) turn = cf_arith(l, CF_DIV, &i64, turn, cf_i64(l, f->step));
        return cf_moved(l, p->all, cf_mul_index(l, turn, n), o->loc);
    }
    o->made = site;
    o->count = n;
    cf_pooled *wanted = f && f->node ? find(l, with_loop(site, f)) : NULL;
    if (wanted && !wanted->failed) CH_PUSH(l->a, &f->pools, ((cf_pool_wish){site, of, n, o->loc}));
    cf_give_type(l, o, of, fixed && !(o->several && known == 1) ? known : -1, n); // of all turns: an array always
    cf_make_storage(l, o);
    if (o->fixed == 1) cf_fill_zero(l, cf_address(l, o), of, o->loc);
    return cf_address(l, o);
}

// A value of the body as one from before the loop; NULL: it is another one in each turn.
static ch__value *before(cf_lower *l, cf_env *body, ch__value *v, int depth) {
    if (depth > 16) return NULL;
    if (ch__const_of(v) && v->type->rank == 0) return ch__b_const(&l->env->b, ch__const_of(v));
    for (int64_t i = 0; i < body->frame->imports.n; i++) {
        const cf_import *im = &body->frame->imports.data[i];
        if (im->inside.v == v) return cf_changed(l, body, im->slot) ? NULL : im->outside.v;
        if (im->inside.p && (im->inside.p->index == v || im->inside.p->which == v)) return NULL;
    }
    const ch__region *r = v->op ? v->op->parent : v->region;
    while (r && r != body->b.region) r = r->owner ? r->owner->parent : NULL;
    if (!r) return v;
    if (!cf_is_repeatable(v)) return NULL;
    ch__value *operands[CF_REPEATED_OPERANDS];
    for (int i = 0; i < v->op->n_operands; i++)
        if (!(operands[i] = before(l, body, v->op->operands[i], depth + 1))) return NULL;
    return cf_repeated(l, v, operands);
}

static ch__value *number_of_turns(cf_lower *l, const cf_frame *f) {
    static const cf_type i64 = {.kind = CF_INT, .bits = 64, .is_signed = true, .text = "long"};
    int64_t step = f->step < 0 ? -f->step : f->step;
    ch__value *span = f->step > 0 ? cf_arith(l, CF_SUB, &i64, f->hi, f->lo) : cf_arith(l, CF_SUB, &i64, f->lo, f->hi);
    if (step != 1)
        span = cf_arith(l, CF_DIV, &i64, cf_arith(l, CF_ADD, &i64, span, cf_i64(l, step - 1)), cf_i64(l, step));
    return ch__b_select(&l->env->b, cf_compare(l, CF_GT, span, cf_i64(l, 0)), span, cf_i64(l, 0));
}

// The arrays for what the turns of a loop make, before it. false: there are new ones, the body has to be lowered again.
bool cf_make_pools(cf_lower *l, cf_env *outer, cf_env *body) {
    cf_frame *f = body->frame;
    if (!f->node || !f->pools.n) return true;
    cf_env *now = l->env;
    l->env = outer;
    for (int64_t i = 0; i < f->pools.n; i++) {
        const cf_pool_wish *w = &f->pools.data[i];
        ch__value *n = before(l, body, w->n, 0);
        if (!n) {
            find(l, with_loop(w->site, f))->failed = l->again = true;
            continue;
        }
        cf_object *o = CH_NEW(l->a, cf_object);
        *o = (cf_object){.name = "memory", .loc = w->at, .param = -1, .several = true};
        const cf_ptr *all = cf_new_memory(l, w->site, o, w->of, cf_mul_index(l, number_of_turns(l, f), n));
        CH_PUSH(l->a, &l->pools, ((cf_pool){w->site, outer, all}));
    }
    l->env = now;
    cf_forget_targets(l, f);
    return false;
}
