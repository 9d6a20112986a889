// SPDX-License-Identifier: Apache-2.0
// lower_reach.c - what pointers inside of parameters lead to: v->data of a const vec *v, the struct behind a void *.
//
// Each is an object of its own, with ports of its own, as if it were one parameter more. Which of them a function
// follows is found by lowering it: where a pointer is read that nothing has set, its path is noted with the parameter
// and the function is lowered once more. So what nobody follows is not there, and lists end: a chain of pointers of
// more than MOST_DEEP is refused. A void * gets the type that it is converted to first.
#include "cfront/lower.h"

enum { MOST_DEEP = 5 };

const cf_reached *cf_find_reached(const cf_decl *d, const char *path) {
    for (int64_t i = 0; i < d->reached.n; i++)
        if (!strcmp(d->reached.data[i].path, path)) return &d->reached.data[i];
    return NULL;
}

static cf_reached *note(cf_lower *l, cf_decl *d, const char *path) {
    for (int64_t i = 0; i < d->reached.n; i++)
        if (!strcmp(d->reached.data[i].path, path)) return &d->reached.data[i];
    CH_PUSH(l->program->a, &d->reached, (cf_reached){.path = ch__arena_strdup(l->program->a, path)});
    return &d->reached.data[d->reached.n - 1];
}

static const char *path_of(cf_lower *l, const cf_object *o, const cf_leaf *leaf) {
    return *o->via ? ch__arena_printf(l->a, "%s->%s", o->via, leaf->path + (*leaf->path == '.'))
                   : ch__arena_strdup(l->a, leaf->path);
}

static int depth_of(const char *path) {
    int n = 0;
    for (const char *at = path; (at = strstr(at, "->")) != NULL; at += 2) n++;
    return n;
}

// Whether memory of the type can be a parameter of its own.
static bool can_be_reached(const cf_type *t) {
    while (t->kind == CF_ARRAY) t = t->of;
    return cf_is_arithmetic(t) || t->kind == CF_VOID || t->kind == CF_POINTER ||
           (t->kind == CF_STRUCT && t->record->complete);
}

const cf_ptr *cf_reach(cf_lower *l, const cf_object *o, const cf_leaf *leaf, cf_loc at) {
    cf_type *of = leaf->type->of;
    const char *path = path_of(l, o, leaf), *name = o->decl->name;
    if (of->kind == CF_FUNCTION)
        return cf_doubtful_pointer(l,
                                   cf_doubt_of(l, "CH102", at, "differentiate a function that sets the pointer",
                                               "the function that '%s%s%s' points to is not known", name,
                                               o->decl->type->kind == CF_POINTER ? "->" : ".", path + 1),
                                   false);
    if (of->kind == CF_POINTER && !(l->out && cf_rows_type(l, o->decl, path, of->of)))
        return cf_doubtful_pointer(l,
                                   cf_doubt_of(l, "CH125", at, "say how long rows are: CH_SHAPE(p, n, m)",
                                               "an array of pointers, '%s%s%s'", name,
                                               o->decl->type->kind == CF_POINTER ? "->" : ".", path + 1),
                                   false);
    if (!l->out || !can_be_reached(of)) return NULL;
    if (depth_of(path) >= MOST_DEEP)
        return cf_doubtful_pointer(l,
                                   cf_doubt_of(l, "CH142", at, "put the structs into an array",
                                               "a chain of pointers that begins at '%s'", name),
                                   false);
    note(l, o->decl, path);
    l->again = true;
    return cf_nowhere(l);
}

void cf_reach_as(cf_lower *l, const cf_object *o, cf_type *as) {
    cf_reached *r = note(l, o->decl, o->via);
    if (!r->as) r->as = as;
    l->again = true;
}

bool cf_reach_many(cf_lower *l, const cf_object *o) {
    cf_decl *d = o->decl;
    if (!*o->via && d->declared && d->declared->kind == CF_ARRAY) return false;
    if (*o->via || d->type->of->kind == CF_VOID)
        note(l, d, o->via)->many = true;
    else
        d->many = true;
    l->again = true;
    return true;
}

cf_object *cf_input_object(cf_lower *l, cf_decl *d, cf_type *type, const char *via, cf_type *holder, int64_t fixed) {
    const cf_reached *r = cf_find_reached(d, via);
    const char *name = d->name;
    if (*via) name = ch__arena_printf(l->a, "%s%s%s", d->name, d->type->kind == CF_POINTER ? "->" : ".", via + 1);
    if (type->kind == CF_VOID && r && r->as) type = r->as;
    cf_object *o = CH_NEW(l->a, cf_object);
    *o = (cf_object){.name = name,
                     .loc = d->loc,
                     .param = d->index,
                     .decl = d,
                     .border = true,
                     .via = via,
                     .holder = holder,
                     .type = type};
    if (type->kind != CF_VOID) {
        if (r && (*via || d->type->of->kind == CF_VOID)) fixed = type->kind == CF_STRUCT && !r->many ? 1 : -1;
        cf_give_type(l, o, type, fixed, NULL);
    }
    CH_PUSH(l->a, &l->objects, o);
    for (int k = 0; k < (int)o->leaves.n; k++) cf_input_leaf(l, o, k, d, true);
    return o;
}

void cf_input_behind(cf_lower *l, cf_object *o) {
    for (int64_t k = 0; o->decl->reached.n && k < o->leaves.n; k++) {
        const cf_leaf *leaf = &o->leaves.data[k];
        if (leaf->type->kind != CF_POINTER || leaf->is_array) continue;
        const char *path = path_of(l, o, leaf);
        if (!*path || !cf_find_reached(o->decl, path)) continue;
        int slot = leaf->slot;
        cf_object *to = cf_input_object(l, o->decl, leaf->type->of, path, o->type, -1);
        cf_set_pointer(l, slot, cf_address(l, to));
        cf_input_behind(l, to); // no deeper than paths are
    }
}

void cf_input_rows(cf_lower *l) {
    int64_t n = l->objects.n;
    for (int64_t i = 0; i < n; i++) {
        cf_object *o = l->objects.data[i];
        if (o->type->kind != CF_POINTER || o->leaves.n != 1 || !o->leaves.data[0].is_array) continue;
        cf_type *all = cf_rows_type(l, o->decl, o->via, o->type->of);
        if (!all) continue;
        cf_object *r = CH_NEW(l->a, cf_object);
        *r = (cf_object){
            .name = o->name, .loc = o->loc, .param = o->param, .decl = o->decl, .border = true, .via = o->via};
        r->holder = o->holder;
        r->rows = all;
        cf_declare_extents(l, all);
        cf_give_type(l, r, all->of, -1, NULL);
        CH_PUSH(l->a, &l->objects, r);
        cf_input_leaf(l, r, 0, r->decl, true);
        cf_rows_of(l, &o->leaves.data[0], cf_element(l, cf_address(l, r), o->loc), cf_extent(l, all->of));
    }
}
