// SPDX-License-Identifier: Apache-2.0
// over.c - a member of a group over rows is written over an array that nobody reads any more.
//
// softmax of scores, a product plus its bias, an adjoint times a slope: each element is computed from the one that it
// may replace. That is half of the memory, and a cache line that is there already. The array has to be one of the
// function's own, of the same type, read for the last time by this group, and by its members only where each computes
// its own element: in earlier passes, or before the member in its pass. With slow functions, whose loops are taken
// apart (stages.c), the member alone may read it.
#include "cgen/native.h"

typedef struct {
    const group *gr;
    const ch__value *leaf; // may it be written over?
    int64_t member, own;   // that reads now; that wants to write
    bool good, found;
} over_look;

// Every reader so far, in order. gr: the group of the reader, or NULL.
void ch__cg_over_reader(cg *g, void *arg, const ch__value *leaf, bool same) {
    const cg_over_reader *r = arg;
    val *x = val_of(g, leaf);
    (void)same;
    if (x->over_group != r->gr || !x->over_read) x->over_before = x->over_read ? x->over_at : -1;
    x->over_read = true;
    x->over_group = r->gr;
    x->over_at = r->pos;
}

// What all the loops are over.
static const ch__type *all_loops(const group *gr) { return gr->whole ? gr->whole : gr->type; }

static bool own_place(const over_look *l, const ch__value *leaf, const int *map) {
    const ch__type *t = leaf->type, *whole = all_loops(l->gr);
    if (t->rank != whole->rank) return false;
    for (int i = 0; i < t->rank; i++) {
        bool one = ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1;
        if (!ch__dim_equal(t->dims[i], whole->dims[i]) || (map[i] != i && !one)) return false;
    }
    return true;
}

static void see_over(cg *g, void *arg, const ch__value *leaf, const int *map) {
    over_look *l = arg;
    if (leaf != l->leaf) return;
    const val *x = val_of(g, &l->gr->members.data[l->member]->results[0]);
    const val *own = val_of(g, &l->gr->members.data[l->own]->results[0]);
    bool before = x->pass < own->pass || (x->pass == own->pass && l->member <= l->own);
    if (!before || !own_place(l, leaf, map)) l->good = false;
}

static void see_any_over(cg *g, void *arg, const ch__value *leaf, const int *map) {
    over_look *l = arg;
    (void)g, (void)map;
    if (leaf == l->leaf) l->good = false;
}

static bool may_be_taken(cg *g, const group *gr, const ch__value *u, const ch__value *v) {
    const val *x = val_of(g, u);
    const val *first = val_of(g, &gr->members.data[0]->results[0]);
    const store *st = x->st;
    return st != NULL && st->kind == ST_ARRAY && st->writable && !st->late && st->owner == u->id && st->row_from == 0 &&
           !x->preset && x->group != gr && x->inside.n == 0 && u->op != NULL && u->op->parent == g->f->body &&
           x->over_group == gr && x->over_before < first->pos && u->type->dtype == v->type->dtype &&
           x->last < INT32_MAX / 2 && st->type->dtype == v->type->dtype;
}

// Do the members read leaf only where member `own`, which is written over it, has not written yet?
static bool reads_agree(cg *g, const group *gr, int64_t own, const ch__value *leaf) {
    bool slow = false;
    for (int64_t i = 0; i < gr->members.n; i++) slow = slow || val_of(g, &gr->members.data[i]->results[0])->slow > 0;
    for (int64_t i = 0; i < gr->members.n; i++) {
        over_look one = {.gr = gr, .leaf = leaf, .own = own, .member = i, .good = true};
        ch__cg_row_leaves(g, gr->members.data[i], see_over, &one);
        if (slow && i != own) ch__cg_row_leaves(g, gr->members.data[i], see_any_over, &one);
        if (!one.good) return false;
    }
    return true;
}

// Of several the last one: a residual stream plus a product lies where the product did, in each layer and in the first,
// whose stream is a param, so that one function serves all.
static void try_over(cg *g, void *arg, const ch__value *leaf, const int *map) {
    over_look *l = arg;
    const group *gr = l->gr;
    (void)map;
    if (!may_be_taken(g, gr, leaf, &gr->members.data[l->own]->results[0])) return;
    if (!reads_agree(g, gr, l->own, leaf)) return;
    l->found = true;
    l->leaf = leaf;
}

// Of a param that the result is tied to.
bool ch__cg_row_over_param(cg *g, const ch__value *v, const ch__value *p) {
    const group *gr = val_of(g, v)->group;
    const val *x = val_of(g, p), *first = val_of(g, &gr->members.data[0]->results[0]);
    if (!ch__cg_is_root(g) || gr->chain || v->op->n_results != 1 || !ch__cg_same_dims(v->type, all_loops(gr)) ||
        x->over_group != gr || x->over_before >= first->pos || x->inside.n > 0)
        return false;
    for (int64_t i = 0; i < gr->members.n; i++)
        if (gr->members.data[i] == v->op) return reads_agree(g, gr, i, p);
    return false;
}

store *ch__cg_row_takes(cg *g, const group *gr, int64_t i) {
    const ch__value *v = &gr->members.data[i]->results[0];
    val *x = val_of(g, v);
    over_look l = {.gr = gr, .own = i};
    if (!ch__cg_is_root(g) || gr->chain || v->op->n_results != 1 || x->preset || x->over ||
        !ch__cg_same_dims(v->type, all_loops(gr)))
        return NULL;
    ch__cg_row_leaves(g, gr->members.data[i], try_over, &l);
    if (!l.found) return NULL;
    x->shared = true;                     // no earlier row may lie there
    val_of(g, l.leaf)->over_group = NULL; // it is gone
    return ch__cg_store_in(g, val_of(g, l.leaf)->st, v);
}
