// SPDX-License-Identifier: Apache-2.0
// lower_state.c - what the slots hold along the paths of a function: branches, joins, what a loop brings in.
//
// A branch copies the state (one entry a slot). A join compares entry by entry: equal ones stay, the others become
// results of the `if`. In a loop's body an entry of outside is lazy until it is used; then a placeholder stands for it.
#include "cfront/lower.h"

// Pages of states. One that another env has too is copied before it is written.
static cf_page unset_page;

static void room_for(cf_lower *l, cf_env *e, int slot) {
    int k = slot / CF_PAGE;
    if (k >= e->cap) {
        int cap = k + 4 > 2 * e->cap ? k + 4 : 2 * e->cap;
        cf_page **pages = CH_NEW_ARRAY(l->a, cf_page *, cap);
        if (e->n_pages) memcpy(pages, e->pages, (size_t)e->n_pages * sizeof *pages);
        e->pages = pages;
        e->cap = cap;
    }
    while (e->n_pages <= k) e->pages[e->n_pages++] = &unset_page;
    if (slot >= e->n) e->n = slot + 1;
}

const cf_state *cf_peek(const cf_env *e, int slot) {
    return slot / CF_PAGE < e->n_pages ? &e->pages[slot / CF_PAGE]->s[slot % CF_PAGE] : &unset_page.s[0];
}

cf_state *cf_poke(cf_lower *l, cf_env *e, int slot) {
    room_for(l, e, slot);
    if (!e->token) e->token = ++l->tokens;
    cf_page **page = &e->pages[slot / CF_PAGE];
    if ((*page)->owner != e->token) {
        *page = ch__arena_dup(l->a, *page, sizeof **page);
        (*page)->owner = e->token;
    }
    return &(*page)->s[slot % CF_PAGE];
}

int cf_next_changed(cf_lower *l, const cf_env *body, int slot) {
    while (slot < body->n && slot / CF_PAGE < body->n_pages) {
        if (body->pages[slot / CF_PAGE] == l->lazy_page)
            slot = (slot / CF_PAGE + 1) * CF_PAGE;
        else if (cf_peek(body, slot)->lazy)
            slot++;
        else
            return slot;
    }
    return INT32_MAX;
}

int cf_new_slot(cf_lower *l, const char *name, const ch__type *type, cf_object *o) {
    cf_slot s = {.name = name, .type = type, .o = o};
    CH_PUSH(l->a, &l->slots, s);
    if (l->env) room_for(l, l->env, (int)l->slots.n - 1);
    return (int)l->slots.n - 1;
}

// ---------------------------------------------------------------- values from outside a loop
static ch__value *placeholder(cf_lower *l, const ch__type *t, const char *name) {
    ch__value *v = CH_NEW(l->a, ch__value);
    *v = (ch__value){.type = t, .name = name, .id = l->func->n_values++};
    CH_PUSH(l->a, &l->placeholders, v);
    return v;
}

static cf_state outside_state(cf_lower *l, cf_env *outer, int slot) {
    cf_env *now = l->env;
    cf_state s = *cf_use(l, outer, slot);
    l->env = outer;
    if (l->slots.data[slot].type) {
        if (!s.v) s.v = cf_zero(l, l->slots.data[slot].type);
    } else if (s.p && !s.p->index) {
        cf_ptr *p = CH_NEW(l->a, cf_ptr);
        *p = *s.p;
        p->index = cf_i64(l, 0);
        s.p = p;
    }
    *cf_poke(l, outer, slot) = s;
    l->env = now;
    return s;
}

const cf_state *cf_use(cf_lower *l, cf_env *e, int slot) {
    room_for(l, e, slot);
    if (!cf_peek(e, slot)->lazy) return cf_peek(e, slot);
    cf_frame *f = e->frame;
    for (int64_t i = 0; i < f->imports.n; i++)
        if (f->imports.data[i].slot == slot) {
            cf_state *in = cf_poke(l, e, slot);
            *in = f->imports.data[i].inside;
            return in;
        }
    cf_import im = {.slot = slot, .outside = outside_state(l, f->outer, slot)};
    const cf_slot *s = &l->slots.data[slot];
    if (s->type) {
        im.inside.v = placeholder(l, s->type, s->name);
    } else if (im.outside.p) {
        cf_ptr *p = CH_NEW(l->a, cf_ptr);
        *p = *im.outside.p;
        p->index = placeholder(l, ch__type_scalar(CH_I64), s->name);
        if (p->which) p->which = placeholder(l, ch__type_scalar(CH_I64), NULL);
        im.inside.p = p;
    }
    CH_PUSH(l->a, &f->imports, im);
    cf_state *in = cf_poke(l, e, slot);
    *in = im.inside;
    return in;
}

static const cf_import *import_of(const cf_env *e, int slot) {
    for (int64_t i = 0; e->frame && i < e->frame->imports.n; i++)
        if (e->frame->imports.data[i].slot == slot) return &e->frame->imports.data[i];
    return NULL;
}

bool cf_changed(cf_lower *l, cf_env *body, int slot) {
    const cf_state *s = cf_peek(body, slot);
    if (slot >= body->n || s->lazy) return false;
    const cf_import *im = import_of(body, slot);
    if (!l->slots.data[slot].type) return s->p && (!im || im->inside.p != s->p);
    return s->v && (!im || im->inside.v != s->v);
}

// ---------------------------------------------------------------- reading and writing
ch__value *cf_get_slot(cf_lower *l, int slot) {
    cf_slot *s = &l->slots.data[slot];
    if (s->fixed) return s->fixed;
    if (l->log) CH_PUSH(l->a, l->log, slot);
    ch__value *v = cf_use(l, l->env, slot)->v;
    // or put there by another branch
    for (const cf_env *e = l->env->parent; !v && e; e = e->parent) v = cf_peek(e, slot)->v;
    if (!v) v = cf_zero(l, l->slots.data[slot].type); // not set: any value will do
    if (v != cf_peek(l->env, slot)->v) cf_poke(l, l->env, slot)->v = v;
    return v;
}

void cf_set_slot(cf_lower *l, int slot, ch__value *v) { *cf_poke(l, l->env, slot) = (cf_state){.v = v}; }

const cf_ptr *cf_get_pointer(cf_lower *l, int slot) {
    if (l->slots.data[slot].fixed_pointer) return l->slots.data[slot].fixed_pointer;
    if (l->log) CH_PUSH(l->a, l->log, slot);
    return cf_use(l, l->env, slot)->p;
}

void cf_set_pointer(cf_lower *l, int slot, const cf_ptr *p) { *cf_poke(l, l->env, slot) = (cf_state){.p = p}; }

// ---------------------------------------------------------------- pointers with several targets
bool cf_same_target(const cf_target *x, const cf_target *y) {
    const cf_doubt *d = x->doubt, *e = y->doubt;
    bool doubts = d == e || (d && e && d->at.line == e->at.line && d->at.col == e->at.col && !strcmp(d->text, e->text));
    return x->o == y->o && x->function == y->function && x->first == y->first && x->n == y->n && x->alone == y->alone &&
           x->text == y->text && x->refused == y->refused && doubts;
}

bool cf_same_targets(const cf_ptr *x, const cf_ptr *y) {
    if (x->n != y->n || !x->which != !y->which) return false;
    for (int i = 0; i < x->n; i++)
        if (!cf_same_target(&x->to[i], &y->to[i])) return false;
    return true;
}

const cf_ptr *cf_widened(cf_lower *l, const cf_ptr *x, const cf_ptr *y) {
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    p->to = CH_NEW_ARRAY(l->a, cf_target, x->n + y->n);
    memcpy(p->to, x->to, (size_t)x->n * sizeof *p->to);
    p->n = x->n;
    for (int i = 0; i < y->n; i++) {
        bool known = false;
        for (int k = 0; k < x->n; k++) known = known || cf_same_target(&x->to[k], &y->to[i]);
        if (!known) p->to[p->n++] = y->to[i];
    }
    return p;
}

const cf_ptr *cf_as(cf_lower *l, const cf_ptr *p, const cf_ptr *list) {
    cf_ptr *q = CH_NEW(l->a, cf_ptr);
    int64_t *to = CH_NEW_ARRAY(l->a, int64_t, p->n);
    *q = (cf_ptr){list->n, list->to, NULL, p->index};
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < list->n; k++)
            if (cf_same_target(&p->to[i], &list->to[k])) to[i] = k;
    q->which = cf_i64(l, to[0]);
    for (int i = 1; i < p->n; i++)
        q->which = ch__b_select(&l->env->b, cf_compare(l, CF_EQ, p->which, cf_i64(l, i)), cf_i64(l, to[i]), q->which);
    return q;
}

// ---------------------------------------------------------------- branches
cf_env *cf_branch(cf_lower *l, cf_env *from, ch__region *r) {
    cf_env *e = CH_NEW(l->a, cf_env);
    *e = *from;
    e->cap = from->n_pages + 2;
    e->pages = CH_NEW_ARRAY(l->a, cf_page *, e->cap);
    if (from->n_pages) memcpy(e->pages, from->pages, (size_t)from->n_pages * sizeof *e->pages);
    e->token = ++l->tokens;
    from->token = ++l->tokens; // what both have is nobody's
    const ch__loc *loc = e->b.loc;
    e->b = ch__builder_at_end(r);
    e->b.loc = loc;
    e->parent = from;
    e->n_before = from->n;
    e->pred = NULL;
    e->negated = false;
    return e;
}

void cf_fork(cf_lower *l, ch__value *pred, cf_env **x, cf_env **y) {
    cf_env *e = l->env;
    *x = cf_branch(l, e, ch__region_create(l->func, NULL));
    *y = cf_branch(l, e, ch__region_create(l->func, NULL));
    (*x)->pred = (*y)->pred = pred;
    (*y)->negated = true;
}

// ---------------------------------------------------------------- sizes, computed earlier than they are
bool cf_is_repeatable(const ch__value *v) {
    if (!v->op || v->type->rank || v->op->n_regions || v->op->n_results != 1) return false;
    switch (v->op->code) {
    case CH_OP_add:
    case CH_OP_sub:
    case CH_OP_mul:
    case CH_OP_div:
    case CH_OP_convert:
    case CH_OP_compare:
    case CH_OP_and:
    case CH_OP_or:
    case CH_OP_not:
    case CH_OP_select: return v->op->n_operands <= CF_REPEATED_OPERANDS;
    default: return false;
    }
}

ch__value *cf_repeated(cf_lower *l, const ch__value *v, ch__value *const *operands) {
    const ch__type *t = v->type;
    bool typed = v->op->code == CH_OP_convert;
    return &ch__build(&l->env->b, v->op->code, v->op->n_operands, operands, v->op->n_attrs, v->op->attrs, typed,
                      typed ? &t : NULL, 0, NULL)
                ->results[0];
}

// A value of a branch as one from before it; NULL: it is made there.
static ch__value *before_branch(cf_lower *l, const cf_env *branch, const cf_env *root, ch__value *v, int depth) {
    const cf_env *in = branch;
    while (in != root && !(v->op && v->op->parent == in->b.region)) in = in->parent;
    if (in == root) return v;
    if (ch__const_of(v) && v->type->rank == 0) return ch__b_const(&l->env->b, ch__const_of(v));
    if (depth > 16 || !cf_is_repeatable(v)) return NULL;
    ch__value *operands[CF_REPEATED_OPERANDS];
    for (int i = 0; i < v->op->n_operands; i++)
        if (!(operands[i] = before_branch(l, branch, root, v->op->operands[i], depth + 1))) return NULL;
    return cf_repeated(l, v, operands);
}

// Memory whose size is not constant is made before the branches that make it, with size 0 when they are not taken: so
// it is known behind them. NULL: it is not in a branch, or what it depends on is made there.
ch__value *cf_size_before(cf_lower *l, ch__value *size, cf_env **root) {
    cf_env *now = l->env, *top = now;
    while (top->parent && top->pred) top = top->parent;
    if (top == now || top->parent) return NULL;
    l->env = top;
    ch__value *n = before_branch(l, now, top, size, 0);
    for (cf_env *e = now; n && e != top; e = e->parent) {
        ch__value *taken = before_branch(l, now, top, e->pred, 0);
        if (taken && e->negated) taken = ch__b_unary(&l->env->b, CH_OP_not, taken);
        n = taken ? ch__b_select(&l->env->b, taken, n, cf_zero(l, n->type)) : NULL;
    }
    l->env = now;
    if (n) *root = top;
    return n;
}

void cf_set_slot_from(cf_lower *l, cf_env *root, int slot, ch__value *v) {
    for (cf_env *e = l->env;; e = e->parent) {
        *cf_poke(l, e, slot) = (cf_state){.v = v};
        if (e == root) return;
    }
}

typedef struct {
    CH_VEC(ch__value *) x, y;
    CH_VEC(int) what; // slot * 4 + 0 value, 1 index, 2 which
} yields;

static void yield(cf_lower *l, yields *w, int what, ch__value *vx, ch__value *vy) {
    CH_PUSH(l->a, &w->x, vx);
    CH_PUSH(l->a, &w->y, vy);
    CH_PUSH(l->a, &w->what, what);
}

static ch__value *made_in(cf_lower *l, cf_env *e, ch__value *v, const ch__type *t) {
    if (v) return v;
    cf_env *now = l->env;
    l->env = e;
    v = cf_zero(l, t);
    l->env = now;
    return v;
}

static const cf_ptr *as_in(cf_lower *l, cf_env *e, const cf_ptr *p, const cf_ptr *list) {
    cf_env *now = l->env;
    l->env = e;
    p = cf_as(l, p, list);
    l->env = now;
    return p;
}

// Pointers that differ: the same targets, and what differs of index and which.
static const cf_ptr *join_pointers(cf_lower *l, yields *w, int slot, cf_env *x, cf_env *y) {
    const cf_ptr *p = cf_peek(x, slot)->p, *q = cf_peek(y, slot)->p;
    if (!p || !q) return p ? p : q; // not set on one path
    if (!cf_same_targets(p, q)) {
        const cf_ptr *both = cf_widened(l, p, q);
        p = as_in(l, x, p, both);
        q = as_in(l, y, q, both);
    }
    const ch__type *i64 = ch__type_scalar(CH_I64);
    if (p->index != q->index) yield(l, w, 4 * slot + 1, made_in(l, x, p->index, i64), made_in(l, y, q->index, i64));
    if (p->which != q->which) yield(l, w, 4 * slot + 2, p->which, q->which);
    return p;
}

static void join_slot(cf_lower *l, yields *w, cf_state *out, int slot, cf_env *x, cf_env *y) {
    if (cf_peek(x, slot)->lazy && cf_peek(y, slot)->lazy) return;
    cf_use(l, x, slot);
    cf_use(l, y, slot);
    if (out->v && !cf_peek(x, slot)->v) *cf_poke(l, x, slot) = *out; // made before the branches while one was lowered
    if (out->v && !cf_peek(y, slot)->v) *cf_poke(l, y, slot) = *out;
    const cf_state *s = cf_peek(x, slot), *t = cf_peek(y, slot);
    *out = *s;
    if (!l->slots.data[slot].type) {
        if (s->p != t->p) out->p = join_pointers(l, w, slot, x, y);
    } else if (s->v != t->v) {
        const ch__type *type = l->slots.data[slot].type;
        yield(l, w, 4 * slot, made_in(l, x, s->v, type), made_in(l, y, t->v, type));
    }
}

static void put_joined(cf_lower *l, cf_env *into, int what, ch__value *v) {
    int slot = what / 4;
    if (what % 4 == 0) {
        cf_poke(l, into, slot)->v = v;
        if (!v->name) v->name = l->slots.data[slot].name;
        return;
    }
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    *p = *cf_peek(into, slot)->p;
    if (what % 4 == 1)
        p->index = v;
    else
        p->which = v;
    cf_poke(l, into, slot)->p = p;
}

// ---------------------------------------------------------------- what branches make and leave behind
typedef struct {
    const cf_env *into;
    int n_before; // slots before the branches
    CH_VEC(cf_object *) objects;
} left_behind;

// Whether the slot is older than the branches, or was put before them while one was lowered (cf_size_before): slots
// that are numbered before such a one may still be a branch's own.
static bool is_outer(const left_behind *w, int slot) {
    if (slot < w->n_before) return true;
    if (slot >= w->into->n) return false;
    const cf_state *s = cf_peek(w->into, slot);
    return s->v || s->p || s->lazy;
}

static bool is_static_object(const cf_lower *l, const cf_object *o) {
    for (int64_t i = 0; i < o->leaves.n; i++) {
        const cf_leaf *leaf = &o->leaves.data[i];
        const cf_slot *s = &l->slots.data[leaf->slot];
        if (leaf->is_array && leaf->dtype && !ch__type_is_static(s->type)) return false;
        if (s->targets && !s->stride && !ch__type_is_static(l->slots.data[s->places].type)) return false;
    }
    return true;
}

static void leave(cf_lower *l, left_behind *w, cf_object *o) {
    for (int64_t i = 0; i < w->objects.n; i++)
        if (w->objects.data[i] == o) return;
    CH_PUSH(l->a, &w->objects, o);
}

// Objects that a branch made and a pointer leads to behind it are joined too; one whose size is not constant is in
// doubt there, since it is not known before the branch.
static const cf_ptr *leaves_branch(cf_lower *l, left_behind *w, const cf_ptr *p) {
    cf_ptr *q = NULL;
    for (int k = 0; p && k < p->n; k++) {
        cf_object *o = p->to[k].o;
        if (!o || o->leaves.n == 0 || is_outer(w, o->leaves.data[0].slot)) continue;
        if (is_static_object(l, o)) {
            leave(l, w, o);
            continue;
        }
        if (!q) {
            q = CH_NEW(l->a, cf_ptr);
            *q = *p;
            q->to = ch__arena_dup(l->a, p->to, (size_t)p->n * sizeof *p->to);
        }
        const cf_doubt *d = cf_doubt_of(
            l, "CH133", o->loc, "make it before the condition, with a size for both cases",
            "'%s' of a size that is not constant, made under a condition and read behind it", cf_object_name(o));
        q->to[k] = (cf_target){.refused = true, .doubt = d};
    }
    return q ? q : p;
}

static void join_left(cf_lower *l, yields *w, left_behind *left, cf_env *into, int slot, cf_env *x, cf_env *y) {
    room_for(l, x, slot);
    room_for(l, y, slot);
    cf_state out = {0};
    join_slot(l, w, &out, slot, x, y);
    if (out.p) out.p = leaves_branch(l, left, out.p);
    *cf_poke(l, into, slot) = out;
}

static void join_objects(cf_lower *l, yields *w, left_behind *left, cf_env *into, cf_env *x, cf_env *y) {
    for (int64_t i = 0; i < left->objects.n; i++) {
        const cf_object *o = left->objects.data[i];
        for (int64_t k = 0; k < o->leaves.n; k++) {
            const cf_slot s = l->slots.data[o->leaves.data[k].slot];
            join_left(l, w, left, into, o->leaves.data[k].slot, x, y);
            if (!s.targets || s.stride) continue;
            join_left(l, w, left, into, s.places, x, y);
            join_left(l, w, left, into, s.whiches, x, y);
            for (int64_t t = 0; t < s.targets->n; t++)
                leaves_branch(l, left, &(cf_ptr){1, &s.targets->data[t], NULL, NULL});
        }
    }
}

ch__value *cf_join(cf_lower *l, cf_env *into, ch__value *pred, cf_env *x, cf_env *y, ch__value *vx, ch__value *vy) {
    yields w = {0};
    left_behind left = {.into = into, .n_before = x->n_before};
    const int n_outer = into->n;
    for (int i = 0; i < n_outer; i++) {
        int k = i / CF_PAGE;
        bool same = k < x->n_pages && k < y->n_pages && x->pages[k] == y->pages[k] && into->pages[k] == x->pages[k];
        if (same) { // neither branch wrote there
            i = (k + 1) * CF_PAGE - 1;
            continue;
        }
        if (!is_outer(&left, i)) continue;
        room_for(l, x, i);
        room_for(l, y, i);
        cf_state out = *cf_peek(into, i), was = out;
        join_slot(l, &w, &out, i, x, y);
        if (out.p != was.p) out.p = leaves_branch(l, &left, out.p);
        if (out.p != was.p || out.v != was.v || out.lazy != was.lazy) *cf_poke(l, into, i) = out;
    }
    for (int i = 0; l->any_rows && i < n_outer; i++) {
        cf_targets *rows = l->slots.data[i].targets;
        for (int64_t t = 0; rows && !l->slots.data[i].stride && t < rows->n; t++)
            rows->data[t] = leaves_branch(l, &left, &(cf_ptr){1, &rows->data[t], NULL, NULL})->to[0];
    }
    join_objects(l, &w, &left, into, x, y);
    into->falls = x->falls || y->falls;
    into->jumps = x->jumps | y->jumps;
    if (vx == vy) vx = vy = NULL;
    if (vx) yield(l, &w, -1, vx, vy);
    ch__region *r[2] = {x->b.region, y->b.region};
    if (w.x.n == 0) return NULL; // nothing of the branches matters
    ch__region_set_results(r[0], (int)w.x.n, w.x.data);
    ch__region_set_results(r[1], (int)w.y.n, w.y.data);
    ch__op *op = ch__build(&into->b, CH_OP_if, 1, &pred, 0, NULL, 0, NULL, 2, r);
    for (int64_t i = 0; i < w.what.n; i++) {
        if (w.what.data[i] < 0) return &op->results[i];
        put_joined(l, into, w.what.data[i], &op->results[i]);
    }
    return NULL;
}

// ---------------------------------------------------------------- loops
cf_env *cf_loop_body(cf_lower *l, cf_env *outer, ch__region *r) {
    cf_env *e = cf_branch(l, outer, r);
    e->parent = NULL;
    e->frame = CH_NEW(l->a, cf_frame);
    e->frame->outer = outer;
    e->frame->n_slots = (int)l->slots.n;
    e->frame->n_targets = cf_count_targets(l, e->frame->n_slots);
    if (l->any_rows) e->frame->counts = CH_NEW_ARRAY(l->a, int64_t, e->frame->n_slots + 1);
    for (int i = 0; l->any_rows && i < e->frame->n_slots; i++)
        e->frame->counts[i] = l->slots.data[i].targets ? l->slots.data[i].targets->n : 0;
    if (!l->lazy_page) {
        l->lazy_page = CH_NEW(l->a, cf_page);
        for (int i = 0; i < CF_PAGE; i++) l->lazy_page->s[i].lazy = true;
    }
    for (int k = 0; k < e->n_pages; k++) e->pages[k] = l->lazy_page;
    for (int i = e->n; i < e->n_pages * CF_PAGE; i++) *cf_poke(l, e, i) = (cf_state){0}; // slots to come
    e->n = outer->n;
    e->falls = true;
    e->jumps = 0;
    return e;
}
