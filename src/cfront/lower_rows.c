// SPDX-License-Identifier: Apache-2.0
// lower_rows.c - arrays of pointers: rows of a matrix, layers, functions chosen by number.
//
// Such an array is a list of everything that its elements may point to, which only grows and is the same wherever the
// program is, and two arrays of integers that change as arrays do: which of them an element points to, and at what
// index. Where a loop's body adds to the list, the body is lowered again, so that what is read in it knows all.
#include "cfront/lower.h"

int64_t cf_count_targets(const cf_lower *l, int n_slots) {
    int64_t n = 0;
    for (int64_t i = 0; l->any_rows && i < n_slots && i < l->slots.n; i++)
        if (l->slots.data[i].targets) n += l->slots.data[i].targets->n;
    return n;
}

void cf_forget_targets(cf_lower *l, const cf_frame *f) {
    for (int i = 0; f->counts && i < f->n_slots; i++)
        if (l->slots.data[i].targets) l->slots.data[i].targets->n = f->counts[i];
}

static int array_slot(cf_lower *l, const char *name, ch__value *zeros, cf_env *root) {
    int slot = cf_new_slot(l, name, zeros->type, NULL);
    cf_set_slot_from(l, root, slot, zeros);
    return slot;
}

void cf_make_rows(cf_lower *l, const cf_leaf *leaf, ch__value *zeros, cf_env *root) {
    const char *name = l->slots.data[leaf->slot].name;
    int places = array_slot(l, ch__arena_printf(l->a, "%s_at", name), zeros, root);
    int whiches = array_slot(l, ch__arena_printf(l->a, "%s_which", name), zeros, root);
    cf_slot *s = &l->slots.data[leaf->slot];
    s->targets = CH_NEW(l->a, cf_targets);
    l->any_rows = true;
    s->places = places;
    s->whiches = whiches;
}

void cf_rows_of(cf_lower *l, const cf_leaf *leaf, const cf_ptr *all, ch__value *stride) {
    cf_slot *s = &l->slots.data[leaf->slot];
    s->targets = CH_NEW(l->a, cf_targets);
    CH_PUSH(l->a, s->targets, all->to[0]);
    s->stride = stride;
}

static int64_t listed(cf_lower *l, cf_targets *list, const cf_target *t) {
    for (int64_t i = 0; i < list->n; i++)
        if (cf_same_target(&list->data[i], t)) return i;
    CH_PUSH(l->a, list, *t);
    return list->n - 1;
}

void cf_null_rows(cf_lower *l, const cf_leaf *leaf) {
    cf_slot *s = &l->slots.data[leaf->slot];
    if (!s->targets || s->stride) return;
    if (s->targets->n == 0) {
        listed(l, s->targets, &(cf_target){0});
        return;
    }
    const int64_t null = listed(l, s->targets, &(cf_target){0});
    const ch__type *t = cf_get_slot(l, s->whiches)->type;
    cf_set_slot(l, l->slots.data[leaf->slot].whiches, ch__b_splat(&l->env->b, t, (double)null));
}

static ch__value *element(cf_lower *l, int slot, ch__value *index) {
    ch__value *operands[2] = {cf_get_slot(l, slot), index};
    return &ch__build(&l->env->b, CH_OP_get, 2, operands, 0, NULL, 0, NULL, 0, NULL)->results[0];
}

static void set_element(cf_lower *l, int slot, ch__value *v, ch__value *index) {
    ch__value *operands[3] = {cf_get_slot(l, slot), v, index};
    ch__value *a = &ch__build(&l->env->b, CH_OP_set, 3, operands, 0, NULL, 0, NULL, 0, NULL)->results[0];
    a->name = l->slots.data[slot].name;
    cf_set_slot(l, slot, a);
}

cf_rv cf_load_row(cf_lower *l, const cf_object *o, const cf_leaf *leaf, ch__value *index, cf_type *type, cf_loc at) {
    const cf_slot s = l->slots.data[leaf->slot];
    if (s.stride) { // rows of a parameter
        cf_ptr *row = CH_NEW(l->a, cf_ptr);
        *row = (cf_ptr){1, s.targets->data, NULL, cf_mul_index(l, index ? index : cf_i64(l, 0), s.stride)};
        return (cf_rv){.p = row, .type = type};
    }
    if (s.targets->n == 0)
        return cf_doubtful_rv(l,
                              cf_doubt_of(l, "CH123", at, "set it first",
                                          "an element of '%s%s' is read and points nowhere", cf_object_name(o),
                                          leaf->path),
                              type);
    ch__value *i = index ? index : cf_i64(l, 0);
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    p->n = (int)s.targets->n;
    p->to = ch__arena_dup(l->a, s.targets->data, (size_t)p->n * sizeof *p->to);
    if (p->n > 1) p->which = element(l, s.whiches, i);
    p->index = element(l, s.places, i);
    return (cf_rv){.p = p, .type = type};
}

// What is made in a turn of a loop and put into an array from before it.
static const cf_ptr *beyond_turns(cf_lower *l, const cf_leaf *leaf, const cf_ptr *p) {
    cf_ptr *q = NULL;
    for (int k = 0; k < p->n; k++)
        for (const cf_frame *f = l->env->frame; f && leaf->slot < f->n_slots; f = f->outer->frame) {
            const cf_object *o = p->to[k].o;
            if (!cf_made_in(f, o)) break;
            if (cf_want_pool(l, cf_pool_key(f, o))) continue;
            if (!q) {
                q = CH_NEW(l->a, cf_ptr);
                *q = *p;
                q->to = ch__arena_dup(l->a, p->to, (size_t)p->n * sizeof *p->to);
            }
            const cf_doubt *d =
                cf_doubt_of(l, "CH142", o->loc, "make one array before the loop, and let the pointers point into it",
                            "'%s', which is made in each turn of a loop, and read after the turn", cf_object_name(o));
            q->to[k] = (cf_target){.refused = true, .doubt = d};
        }
    return q ? q : p;
}

void cf_store_row(cf_lower *l, const cf_leaf *leaf, ch__value *index, const cf_ptr *p) {
    const cf_slot s = l->slots.data[leaf->slot];
    p = beyond_turns(l, leaf, p);
    ch__value *i = index ? index : cf_i64(l, 0), *which = cf_i64(l, listed(l, s.targets, &p->to[0]));
    for (int k = 1; k < p->n; k++) {
        ch__value *other = cf_i64(l, listed(l, s.targets, &p->to[k]));
        which = ch__b_select(&l->env->b, cf_compare(l, CF_EQ, p->which, cf_i64(l, k)), other, which);
    }
    set_element(l, s.whiches, which, i);
    set_element(l, s.places, p->index ? p->index : cf_i64(l, 0), i);
}

void cf_doubt_rows(cf_lower *l, const cf_leaf *leaf, const cf_doubt *d) {
    const cf_slot s = l->slots.data[leaf->slot];
    if (!s.targets || s.stride) return;
    listed(l, s.targets, &cf_doubtful_pointer(l, d, false)->to[0]);
    cf_set_slot(l, s.whiches, cf_doubtful(l, d, cf_get_slot(l, s.whiches)->type, NULL));
}
