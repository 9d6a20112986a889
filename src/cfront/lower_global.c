// SPDX-License-Identifier: Apache-2.0
// lower_global.c - variables of the file and static ones of functions: constants, when nothing can write them.
//
// A variable that is not const counts as constant when it is static and no function of the files writes it, or lets a
// pointer through which it could be written get anywhere: into a variable, an initializer, a call, a result. A cast
// that takes const away counts for every variable of the type. Where an initializer of the file puts it into a member
// of a struct, what is done with that member of any struct of the type is looked at in the same way.
#include "cfront/lower.h"

// ---------------------------------------------------------------- who may write a variable
typedef struct {
    const cf_record *record;
    int field;
} member_of;
typedef struct {
    const cf_decl *d;
    const cf_type *scalar; // of its elements
    const cf_type *result; // of the function that is looked at
    ch__arena *a;
    CH_VEC(member_of) members; // that hold its address
} writers;

static bool same_record(const cf_record *x, const cf_record *y) { // the same in another file
    return x == y || (x->name && y->name && !strcmp(x->name, y->name));
}

static bool is_such_member(const cf_node *n, const writers *w) {
    const cf_type *t = n->kids[0]->type;
    if (n->kind == CF_ARROW && t) t = t->of;
    for (int64_t i = 0; t && t->kind == CF_STRUCT && i < w->members.n; i++)
        if (n->i == w->members.data[i].field && same_record(t->record, w->members.data[i].record)) return true;
    return false;
}

// Whether the object or pointer of an expression is the variable, or in it.
static bool is_in(const cf_node *n, const writers *w) {
    if (!n) return false;
    switch (n->kind) {
    case CF_NAME: return n->decl == w->d;
    case CF_MEMBER:
    case CF_ARROW: return n->n > 0 && (is_such_member(n, w) || is_in(n->kids[0], w));
    case CF_INDEX:
    case CF_CAST:
    case CF_DECAY:
    case CF_UNARY: return n->n > 0 && is_in(n->kids[0], w);
    case CF_BINARY: return is_in(n->kids[0], w) || is_in(n->kids[1], w);
    case CF_COND: return is_in(n->kids[1], w) || is_in(n->kids[2], w);
    case CF_COMMA:
    case CF_ASSIGN: return is_in(n->kids[1], w);
    default: return false;
    }
}

static bool is_read_only(const cf_type *to) { // what a pointer of the type points to
    if (!to || to->kind != CF_POINTER) return false;
    const cf_type *of = to->of;
    while (of->kind == CF_ARRAY && !of->is_const) of = of->of;
    return of->is_const;
}

static bool gets_out(const writers *w, const cf_node *n, const cf_type *to) {
    return n && n->type && n->type->kind == CF_POINTER && is_in(n, w) && !is_read_only(to);
}

static const cf_type *scalar_under(const cf_type *t) {
    while (t->kind == CF_ARRAY || t->kind == CF_POINTER) t = t->of;
    return t;
}

static bool drops_const(const writers *w, const cf_node *n) {
    const cf_type *to = n->type, *from = n->kids[0]->type;
    if (n->kind != CF_CAST || !n->s || to->kind != CF_POINTER || from->kind != CF_POINTER) return false;
    return is_read_only(from) && !is_read_only(to) && cf_same_type(scalar_under(to), w->scalar);
}

static bool writes(const writers *w, const cf_node *n);

static bool call_writes(const writers *w, const cf_node *n) {
    cf_decl *f;
    const char *name = cf_called(n, &f);
    bool copies = strstr(name, "memcpy") || strstr(name, "memmove"), prints = strstr(name, "print");
    for (int i = 1; i < n->n; i++) {
        const cf_type *to = f && i <= f->params.n ? f->params.data[i - 1]->type : NULL;
        if (prints || (copies && i == 2)) continue;
        if (gets_out(w, n->kids[i], to)) return true;
    }
    return false;
}

static bool list_writes(const writers *w, const cf_node *n, const cf_type *to) {
    for (int i = 0; i < n->n; i++) {
        const cf_node *kid = n->kids[i]->kind == CF_DESIGNATED ? n->kids[i]->kids[0] : n->kids[i];
        if (gets_out(w, kid, to && to->kind == CF_ARRAY ? to->of : NULL)) return true;
    }
    return false;
}

// Members of structs of the file that hold the variable's address from the start.
static void find_members(writers *w, const cf_node *list, const cf_type *to) {
    for (int i = 0; list && list->kind == CF_LIST && i < list->n; i++) {
        const cf_node *kid = list->kids[i];
        bool member = to->kind == CF_STRUCT && kid->kind != CF_DESIGNATED && i < to->record->fields.n;
        const cf_type *of = to->kind == CF_ARRAY ? to->of : member ? to->record->fields.data[i].type : NULL;
        if (member && gets_out(w, kid, of)) CH_PUSH(w->a, &w->members, ((member_of){to->record, i}));
        if (of && kid->kind == CF_LIST) find_members(w, kid, of);
    }
}

static bool init_writes(const writers *w, const cf_node *init, const cf_type *to) {
    if (!init) return false;
    if (init->kind == CF_LIST ? list_writes(w, init, to) : gets_out(w, init, to)) return true;
    return writes(w, init);
}

// The same of a variable of the file, where find_members has seen what plain lists hold.
static bool file_init_writes(const writers *w, const cf_node *init, const cf_type *to) {
    if (!init || init->kind != CF_LIST) return init_writes(w, init, to);
    for (int i = 0; i < init->n; i++) {
        const cf_node *kid = init->kids[i];
        if (kid->kind == CF_DESIGNATED ? gets_out(w, kid->kids[0], NULL) || writes(w, kid) : writes(w, kid))
            return true;
        bool number = to->kind == CF_STRUCT || kid->kind == CF_LIST;
        if (!number && gets_out(w, kid, to->kind == CF_ARRAY ? to->of : NULL)) return true;
        const cf_type *of = to->kind == CF_ARRAY                                ? to->of
                            : to->kind == CF_STRUCT && i < to->record->fields.n ? to->record->fields.data[i].type
                                                                                : NULL;
        if (kid->kind == CF_LIST && of && file_init_writes(w, kid, of)) return true;
    }
    return false;
}

static bool writes(const writers *w, const cf_node *n) {
    if (!n) return false;
    bool changes = n->kind == CF_ASSIGN || (n->kind == CF_UNARY && n->op >= CF_PRE_INC);
    if (changes && is_in(n->kids[0], w)) return true;
    if (n->kind == CF_ASSIGN && n->op == CF_NO_OP && gets_out(w, n->kids[1], n->kids[0]->type)) return true;
    if (n->kind == CF_RETURN && n->n && gets_out(w, n->kids[0], w->result)) return true;
    if (n->kind == CF_CALL && call_writes(w, n)) return true;
    if (n->kind == CF_CAST && drops_const(w, n)) return true;
    if (n->kind == CF_LITERAL && init_writes(w, n->kids[0], n->type)) return true;
    for (int i = 0; i < n->n; i++)
        if (writes(w, n->kids[i])) return true;
    for (int64_t i = 0; i < n->decls.n; i++)
        if (n->decls.data[i] != w->d && init_writes(w, n->decls.data[i]->init, n->decls.data[i]->type)) return true;
    return false;
}

// Looked for once for each variable.
static bool may_be_written(cf_lower *l, cf_decl *d) {
    if (d->written) return d->written == 2;
    writers w = {.d = d, .scalar = scalar_under(d->type), .a = l->a};
    bool found = false;
    for (int64_t u = 0; u < l->program->units.n; u++)
        for (int64_t i = 0; i < l->program->units.data[u]->variables.n; i++) {
            const cf_decl *v = l->program->units.data[u]->variables.data[i];
            if (v != d && v->type) find_members(&w, v->init, v->type);
        }
    for (int64_t u = 0; u < l->program->units.n && !found; u++) {
        const cf_unit *unit = l->program->units.data[u];
        for (int64_t i = 0; i < unit->variables.n && !found; i++) {
            const cf_decl *v = unit->variables.data[i];
            found = v != d && file_init_writes(&w, v->init, v->type);
        }
        for (int64_t i = 0; i < unit->functions.n && !found; i++) {
            cf_decl *f = unit->functions.data[i]->definition;
            w.result = f ? f->type->of : NULL;
            found = f && writes(&w, cf_body(f));
        }
    }
    d->written = found ? 2 : 1;
    return found;
}

// ---------------------------------------------------------------- their objects
// A variable that other files see: its value is read when the derivative is called.
static cf_object *outside(cf_lower *l, cf_decl *d) {
    const cf_type *t = d->type;
    bool array = t->kind == CF_ARRAY;
    cf_object *o = cf_new_object(l, d->name, d->type, 1, NULL, d->loc);
    for (int k = 0; k < (int)o->leaves.n; k++) cf_input_leaf(l, o, k, d, array);
    return o;
}

void cf_begin_states(cf_lower *l) {
    for (int64_t i = 0; i < l->program->states.n; i++) {
        const cf_state_variable *s = &l->program->states.data[i];
        cf_object *o = cf_new_object(l, s->d->name, s->d->type, 1, NULL, s->d->loc);
        o->decl = s->d;
        ch__map_put(&l->globals, (uint64_t)(uintptr_t)s->d, o);
        cf_doubt *d = cf_doubt_of(
            l, "CH130", s->at, "make it const, or not static so that the derivative can read it, or a parameter",
            "the value of the variable '%s' is not known when the derivative is made", s->d->name);
        d->quiet = true; // cf_end_states tells of it
        cf_set_slot(l, o->leaves.data[0].slot, cf_doubtful(l, d, ch__type_scalar(cf_held(s->d->type)), NULL));
    }
}

void cf_end_states(cf_lower *l) {
    for (int64_t i = 0; i < l->program->states.n; i++) {
        const cf_state_variable *s = &l->program->states.data[i];
        const cf_object *o = ch__map_get(&l->globals, (uint64_t)(uintptr_t)s->d);
        if (o && o->written)
            cf_say(l->report, CF_WARNING, "CH126", s->at, "'%s' is written: derivatives leave it as it is", s->d->name);
    }
}

static bool can_be_read(const cf_lower *l, const cf_decl *d) {
    const cf_type *t = d->type;
    for (; t->kind == CF_ARRAY; t = t->of)
        if (t->count <= 0) return false;
    bool numbers = cf_is_arithmetic(t) || (t->kind == CF_STRUCT && !t->record->is_union && t->record->name);
    for (int64_t i = 0; numbers && t->kind == CF_STRUCT && i < t->record->fields.n; i++) {
        const cf_type *of = t->record->fields.data[i].type;
        while (of->kind == CF_ARRAY) of = of->of;
        numbers = cf_is_arithmetic(of); // structs in it and pointers are left to parameters
    }
    return l->out && numbers && !d->is_static && !t->is_volatile;
}

// Its definition, in whichever file that is; d itself when there is none.
static cf_decl *definition_of(const cf_lower *l, cf_decl *d) {
    if (d->init || d->is_static) return d;
    for (int64_t u = 0; u < l->program->units.n; u++)
        for (int64_t i = 0; i < l->program->units.data[u]->variables.n; i++) {
            cf_decl *v = l->program->units.data[u]->variables.data[i];
            if (v->init && !v->is_static && !strcmp(v->name, d->name) && v->type->kind == d->type->kind) return v;
        }
    return d;
}

// A variable of the file, or a static one of a function, whose value is known: as constants before everything else.
static cf_object *global(cf_lower *l, cf_decl *d, cf_loc at) {
    d = definition_of(l, d);
    cf_object *o = ch__map_get(&l->globals, (uint64_t)(uintptr_t)d);
    if (o) return o;
    bool known = d->type->is_const || (d->is_static && !may_be_written(l, d));
    known = known && !(d->is_extern && !d->init);
    if (!known && can_be_read(l, d)) {
        o = outside(l, d);
        o->constant = true;
        o->decl = d;
        o->why = "it is a variable of the file, and derivatives have no side effects";
        ch__map_put(&l->globals, (uint64_t)(uintptr_t)d, o);
        return o;
    }
    if (!known && l->out && d->is_static && cf_is_arithmetic(d->type)) { // once more, with a place for it
        CH_PUSH(l->program->a, &l->program->states, (cf_state_variable){d, at});
        l->again = true;
        o = cf_new_object(l, d->name, d->type, 1, NULL, d->loc);
        ch__map_put(&l->globals, (uint64_t)(uintptr_t)d, o);
        return o;
    }
    cf_env *e = l->env, top = {.b = ch__builder_at_end(l->func->body)};
    top.b.before = l->func->body->first;
    l->env = &top;
    o = cf_new_object(l, d->name, d->type, 1, NULL, d->loc);
    o->decl = d;
    o->constant = true;
    o->why = "it is a variable of the file, and derivatives have no side effects";
    ch__map_put(&l->globals, (uint64_t)(uintptr_t)d, o);
    uint8_t **bytes = CH_NEW_ARRAY(l->a, uint8_t *, o->leaves.n);
    bool failed = false;
    for (int64_t i = 0; i < o->leaves.n; i++)
        if (o->leaves.data[i].fixed >= 0)
            bytes[i] = ch__arena_array(l->a, (size_t)(o->leaves.data[i].fixed + 1), 8);
        else
            failed = true;
    const cf_doubt *doubt = NULL;
    if (!known) {
        failed = true;
        doubt =
            cf_doubt_of(l, "CH130", at,
                        d->is_static ? "make it const, or not static so that the derivative can read it, or a parameter"
                                     : "pass it as a parameter",
                        "the value of the variable '%s' is not known when the derivative is made", d->name);
    } else if (d->init && !failed) {
        failed = !cf_initialize_constant(l, o, d->init, bytes);
    }
    if (failed && !doubt)
        doubt = cf_doubt_of(l, "CH131", at, "write the numbers out", "the initializer of '%s' is not made of constants",
                            d->name);
    for (int64_t i = 0; i < o->leaves.n && !failed; i++) {
        cf_leaf *leaf = &o->leaves.data[i];
        if (!leaf->dtype) continue;
        ch__value *v;
        if (leaf->is_array) {
            v = ch__b_const(&top.b, &(ch__array){leaf->dtype, 1, &leaf->fixed, bytes[i], false});
        } else {
            v = ch__b_const(&top.b, &(ch__array){.dtype = leaf->dtype, .data = bytes[i], .splat = true});
            v = ch__b_convert(&top.b, v, cf_held(leaf->type));
        }
        v->name = l->slots.data[leaf->slot].name;
        l->slots.data[leaf->slot].fixed = v;
    }
    for (int64_t i = 0; i < o->leaves.n && doubt; i++) {
        const cf_leaf *leaf = &o->leaves.data[i];
        cf_slot *slot = &l->slots.data[leaf->slot];
        if (!leaf->dtype) {
            if (!slot->fixed_pointer) slot->fixed_pointer = cf_doubtful_pointer(l, doubt, false);
            continue;
        }
        const ch__type *t = slot->type;
        if (leaf->is_array) {
            ch__dim one = ch__dim_const(leaf->fixed > 0 ? leaf->fixed : 1);
            t = ch__type_make(l->a, leaf->dtype, 1, &one, NULL);
        }
        slot->fixed = cf_doubtful(l, doubt, t, NULL);
    }
    l->env = e;
    return o;
}

cf_object *cf_variable(cf_lower *l, cf_decl *d, cf_loc at) {
    for (cf_call *c = l->call; c; c = c->outer) {
        cf_object *o = ch__map_get(&c->vars, (uint64_t)(uintptr_t)d);
        if (o) return o;
    }
    return global(l, d, at);
}
