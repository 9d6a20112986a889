// SPDX-License-Identifier: Apache-2.0
// lower_recursive.c - functions that call themselves, directly or through others, and large ones that are called often:
// a func of their own, and calls of it.
//
// Params of the func: each number; every leaf of each object that pointers among the arguments lead to, directly or
// through pointers in it, once; the index of each pointer in its object. It gives the value, then every leaf of objects
// that the types of the pointers let it write. One func is made for each C function and way of pointing; what depends
// on the caller (which object, how long) stays outside of it.
#include "cfront/lower.h"

typedef struct cf_outlined {
    ch_func *func;
    bool done;
    int n_results;
} cf_outlined;

// ---------------------------------------------------------------- which functions
typedef struct {
    cf_lower *l;
    const cf_decl *wanted;
    ch__map seen;
    bool found;
} reach;

static void reach_from(reach *r, const cf_node *n) {
    if (!n || r->found) return;
    if (n->kind == CF_NAME && n->decl->kind == CF_FUNC) {
        cf_decl *f = cf_with_body(r->l, n->decl);
        if (f == r->wanted) {
            r->found = true;
        } else if (f->has_body && !f->in_system && !ch__map_get(&r->seen, (uint64_t)(uintptr_t)f)) {
            ch__map_put(&r->seen, (uint64_t)(uintptr_t)f, f);
            reach_from(r, cf_body(f));
        }
    }
    for (int i = 0; i < n->n; i++) reach_from(r, n->kids[i]);
    for (int64_t i = 0; i < n->decls.n; i++) reach_from(r, n->decls.data[i]->init);
}

bool cf_is_recursive(cf_lower *l, cf_decl *f) {
    if (f->recursive == 0) {
        reach r = {.l = l, .wanted = f};
        ch__map_init(&r.seen, l->a);
        reach_from(&r, cf_body(f));
        f->recursive = r.found ? 2 : 1;
    }
    return f->recursive == 2;
}

// ---------------------------------------------------------------- the arguments
// What is passed: objects, and the pointers among the arguments and in the objects, each with its index.
typedef struct {
    cf_object *o;
    bool written; // may be
} passed_object;
typedef struct {
    CH_VEC(passed_object) objects;
    CH_VEC(const cf_ptr *) pointers; // as they are outside,
    CH_VEC(int) of;                  // and the argument that leads there
    int argument;
    const char *why; // it cannot be passed; NULL: it can
} passed;

static int ordinal(const passed *x, const cf_object *o) {
    for (int64_t i = 0; i < x->objects.n; i++)
        if (x->objects.data[i].o == o) return (int)i;
    return -1;
}

static void pass_pointer(cf_lower *l, passed *x, const cf_ptr *p, const cf_type *type) {
    CH_PUSH(l->a, &x->pointers, p);
    CH_PUSH(l->a, &x->of, x->argument);
    if (p->n != 1) {
        x->why = "a pointer that is passed may point to several things";
        return;
    }
    const cf_target *t = &p->to[0];
    if (t->refused || t->doubt) x->why = "a pointer that is passed is in doubt";
    if (!t->o) return; // null, a function, a string
    bool writes = !type->of->is_const;
    int known = ordinal(x, t->o);
    if (known >= 0) {
        x->objects.data[known].written = x->objects.data[known].written || writes;
        return;
    }
    if (t->o->raw || t->o->leaves.n == 0) x->why = "memory of no type is passed";
    for (const cf_type *of = t->type; of && of->kind == CF_ARRAY; of = of->of)
        if (of->count < 0) x->why = "an array of rows of variable length is passed";
    CH_PUSH(l->a, &x->objects, ((passed_object){t->o, writes}));
    for (int64_t k = 0; k < t->o->leaves.n && !x->why; k++) {
        const cf_leaf *leaf = &t->o->leaves.data[k];
        if (leaf->dtype) continue;
        if (leaf->type->kind != CF_POINTER || leaf->is_array) {
            x->why = leaf->type->kind == CF_POINTER ? "an array of pointers is passed" : "what is passed has a union";
            return;
        }
        const cf_ptr *to = cf_get_pointer(l, leaf->slot);
        if (to) pass_pointer(l, x, to, leaf->type);
    }
}

static bool numbers_only(const cf_object *o) {
    for (int64_t k = 0; k < o->leaves.n; k++)
        if (!o->leaves.data[k].dtype) return false;
    return true;
}

static void pass_arguments(cf_lower *l, passed *x, const cf_decl *f, int n_args, const cf_rv *args) {
    for (int64_t i = 0; i < f->params.n && !x->why; i++) {
        const cf_decl *d = f->params.data[i];
        x->argument = (int)i;
        if (i >= n_args)
            x->why = "it is called with other arguments than it has";
        else if (d->type->kind == CF_POINTER && args[i].p)
            pass_pointer(l, x, args[i].p, d->type);
        else if (d->type->kind == CF_STRUCT && args[i].p && args[i].p->n == 1 && args[i].p->to[0].o &&
                 !args[i].p->to[0].doubt)
            pass_pointer(l, x, args[i].p, &(cf_type){.kind = CF_POINTER, .of = &(cf_type){.is_const = true}});
        else if (!cf_is_arithmetic(d->type) || !args[i].v)
            x->why = "an argument of an unknown kind is passed";
    }
}

// What distinguishes one way of calling from another: kinds of leaves, and what points where.
static uint64_t key_of(const cf_decl *f, const passed *x) {
    uint64_t h = (uint64_t)(uintptr_t)f;
    for (int64_t i = 0; i < x->objects.n; i++) {
        const cf_object *o = x->objects.data[i].o;
        for (int64_t k = 0; k < o->leaves.n; k++)
            h = ch__hash_u64(h ^ ((uint64_t)o->leaves.data[k].dtype * 4 + o->leaves.data[k].is_array * 2));
        h = ch__hash_u64(h + 17 + x->objects.data[i].written);
    }
    for (int64_t i = 0; i < x->pointers.n; i++) {
        const cf_target *t = &x->pointers.data[i]->to[0];
        h = ch__hash_u64(h ^ (uint64_t)(uintptr_t)t->function ^ (uint64_t)(uintptr_t)t->text);
        h = ch__hash_u64(h + (uint64_t)(ordinal(x, t->o) + 2) * 64 + (uint64_t)t->first * 4 + t->alone);
    }
    return h;
}

// ---------------------------------------------------------------- the func
typedef struct {
    const passed *x;
    cf_object **inside; // of each object
    int next;           // pointer
} binder;

static cf_object *object_inside(cf_lower *l, const cf_object *from) {
    cf_object *o = CH_NEW(l->a, cf_object);
    *o = (cf_object){.name = from->name, .type = from->type, .fixed = from->fixed, .loc = from->loc, .param = -1};
    for (int64_t k = 0; k < from->leaves.n; k++) {
        cf_leaf leaf = from->leaves.data[k];
        const char *name =
            cf_identifier(l->a, ch__arena_printf(l->a, "%s%s", from->name ? from->name : "memory", leaf.path));
        const ch__type *type = NULL;
        if (leaf.dtype) type = ch__type_scalar(leaf.is_array ? leaf.dtype : cf_held(leaf.type));
        if (leaf.dtype && leaf.is_array) {
            ch__dim n = ch__dim_symbol(l->a, ch__func_fresh_symbol(l->func, ch__arena_printf(l->a, "%s_n", name)));
            type = ch__type_make(l->a, leaf.dtype, 1, &n, NULL);
        }
        leaf.times = NULL;
        leaf.slot = cf_new_slot(l, name, type, o);
        if (type) {
            for (int i = 0; i < l->func->body->n_params; i++)
                if (!strcmp(l->func->body->params[i]->name, name)) {
                    name = ch__arena_printf(l->a, "%s_", name);
                    i = -1;
                }
            cf_set_slot(l, leaf.slot, ch__func_add_param(l->func, name, type));
        }
        CH_PUSH(l->a, &o->leaves, leaf);
    }
    return o;
}

static const cf_ptr *pointer_inside(cf_lower *l, binder *b) {
    const cf_ptr *from = b->x->pointers.data[b->next];
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    *p = (cf_ptr){1, ch__arena_dup(l->a, from->to, sizeof *from->to), NULL, NULL};
    if (p->to[0].o) {
        p->to[0].o = b->inside[ordinal(b->x, from->to[0].o)];
        p->index = ch__func_add_param(l->func, ch__arena_printf(l->a, "at%d_", b->next), ch__type_scalar(CH_I64));
    }
    b->next++;
    return p;
}

// The pointers of an object in the order in which they were met.
static void pointers_in(cf_lower *outer, cf_lower *l, binder *b, const cf_object *from, const cf_ptr *p, bool *done) {
    int at = p->n == 1 && from ? ordinal(b->x, from) : -1;
    if (at < 0 || done[at]) return;
    done[at] = true;
    for (int64_t k = 0; k < from->leaves.n; k++) {
        const cf_leaf *leaf = &from->leaves.data[k];
        const cf_ptr *to = leaf->dtype ? NULL : cf_get_pointer(outer, leaf->slot);
        if (!to) continue;
        cf_set_pointer(l, b->inside[at]->leaves.data[k].slot, pointer_inside(l, b));
        pointers_in(outer, l, b, to->to[0].o, to, done);
    }
}

static void bind_inside(cf_lower *outer, cf_lower *l, cf_call *c, const passed *x, const cf_rv *args, binder *b) {
    bool *done = CH_NEW_ARRAY(l->a, bool, x->objects.n + 1);
    b->inside = CH_NEW_ARRAY(l->a, cf_object *, x->objects.n + 1);
    for (int64_t i = 0; i < x->objects.n; i++) b->inside[i] = object_inside(l, x->objects.data[i].o);
    for (int64_t i = 0; i < c->f->params.n; i++) {
        cf_decl *d = c->f->params.data[i];
        cf_object *var = cf_new_object(l, d->name, d->type, 1, NULL, d->loc);
        ch__map_put(&c->vars, (uint64_t)(uintptr_t)d, var);
        if (cf_is_arithmetic(d->type)) {
            ch__value *v = ch__func_add_param(l->func, ch__arena_printf(l->a, "%s_in", d->name),
                                              ch__type_scalar(cf_held(d->type)));
            v->name = d->name;
            cf_set_slot(l, var->leaves.data[0].slot, v);
            continue;
        }
        const cf_ptr *p = pointer_inside(l, b);
        pointers_in(outer, l, b, args[i].p->to[0].o, args[i].p, done);
        if (d->type->kind == CF_POINTER) {
            cf_set_pointer(l, var->leaves.data[0].slot, p);
        } else {
            cf_make_storage(l, var);
            cf_store(l, cf_address(l, var), (cf_rv){.p = p, .type = d->type}, d->type, d->loc);
        }
    }
}

static bool pointers_changed(cf_lower *l, const passed *x, const binder *b, const cf_env *before) {
    for (int64_t i = 0; i < x->objects.n; i++)
        for (int64_t k = 0; k < b->inside[i]->leaves.n; k++) {
            const cf_leaf *leaf = &b->inside[i]->leaves.data[k];
            if (!leaf->dtype && cf_peek(l->env, leaf->slot)->p != cf_peek(before, leaf->slot)->p) return true;
        }
    return false;
}

static void lower_outlined(cf_lower *outer, cf_outlined *o, cf_decl *f, const passed *x, const cf_rv *args) {
    cf_lower *l = CH_NEW(outer->a, cf_lower);
    *l = (cf_lower){.a = outer->a,
                    .program = outer->program,
                    .report = outer->report,
                    .func = o->func,
                    .outlined = outer->outlined,
                    .stop = -1,
                    .directive = outer->directive};
    ch__map *maps[] = {&l->extents, &l->globals, &l->replaced, &l->inlined, &l->in_doubt};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) ch__map_init(maps[i], l->a);
    cf_env *top = CH_NEW(l->a, cf_env);
    *top = (cf_env){.b = ch__builder_at_end(l->func->body), .falls = true};
    l->env = top;
    cf_call *c = CH_NEW(l->a, cf_call);
    *c = (cf_call){.f = f, .result = -1};
    ch__map_init(&c->vars, l->a);
    l->call = c;
    binder b = {.x = x};
    bind_inside(outer, l, c, x, args, &b);
    for (int64_t i = 0; i < f->params.n; i++) cf_declare_extents(l, f->params.data[i]->declared);
    cf_type *t = f->type->of;
    if (cf_is_arithmetic(t)) c->result = cf_new_slot(l, NULL, ch__type_scalar(cf_held(t)), NULL);
    if (t->kind == CF_STRUCT) {
        c->result_object = cf_new_object(l, "result", t, 1, NULL, f->loc);
        cf_make_storage(l, c->result_object);
    }
    c->jump = cf_new_slot(l, NULL, ch__type_scalar(CH_I64), NULL);
    cf_set_slot(l, c->jump, cf_i64(l, 0));
    const cf_env *before = cf_branch(l, top, ch__region_create(l->func, NULL));
    cf_statement(l, cf_body(f));
    cf_end_of_function(l);
    if (pointers_changed(l, x, &b, before))
        cf_refuse(l, "CH140", f->loc, "write it as a loop", "'%s' calls itself, and changes pointers that it is passed",
                  f->name);
    CH_VEC(ch__value *) results = {0};
    if (c->result >= 0) CH_PUSH(l->a, &results, cf_plain(l, cf_get_slot(l, c->result)));
    for (int64_t k = 0; c->result_object && k < c->result_object->leaves.n; k++)
        CH_PUSH(l->a, &results, cf_get_slot(l, c->result_object->leaves.data[k].slot));
    for (int64_t i = 0; i < x->objects.n; i++)
        for (int64_t k = 0; x->objects.data[i].written && k < b.inside[i]->leaves.n; k++)
            if (b.inside[i]->leaves.data[k].dtype)
                CH_PUSH(l->a, &results, cf_get_slot(l, b.inside[i]->leaves.data[k].slot));
    ch__func_set_results(l->func, (int)results.n, results.data, NULL);
    cf_replace_placeholders(l);
    outer->outlined = l->outlined;
    outer->gave_up = outer->gave_up || l->gave_up;
    for (int64_t i = 0; i < l->doubts.n; i++) CH_PUSH(outer->a, &outer->doubts, l->doubts.data[i]);
    o->done = true;
}

typedef CH_VEC(ch__value *) cf_values;
typedef CH_VEC(const ch__type *) cf_types;

// The leaves of the objects, as they are passed; those that may be written are results too.
static void object_operands(cf_lower *l, const passed *x, cf_values *operands, cf_types *types, cf_slots *written) {
    for (int64_t i = 0; i < x->objects.n; i++) {
        cf_object *o = x->objects.data[i].o;
        for (int64_t k = 0; k < o->leaves.n; k++) {
            const cf_leaf *leaf = &o->leaves.data[k];
            if (!leaf->dtype) continue;
            ch__value *v = cf_get_slot(l, leaf->slot);
            o->read = true;
            if (leaf->is_array) o->indexed = true;
            CH_PUSH(l->a, operands, v);
            if (!x->objects.data[i].written) continue;
            o->written = true;
            CH_PUSH(l->a, types, v->type);
            CH_PUSH(l->a, written, leaf->slot);
        }
    }
}

static bool writes_constant(const passed *x) {
    for (int64_t i = 0; i < x->objects.n; i++)
        if (x->objects.data[i].written && x->objects.data[i].o->constant) return true;
    return false;
}

// ---------------------------------------------------------------- large functions that are called often
enum { LARGE = 400, OFTEN = 6 };

static bool ends(const char *name) {
    static const char *const names[] = {"abort", "exit", "_Exit", "_exit", "quick_exit", "longjmp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(name, names[i])) return true;
    return false;
}

static int weight_of(cf_lower *l, cf_decl *f, int depth);

static int weigh(cf_lower *l, const cf_node *n, int depth) {
    int sum = 1;
    if (!n) return 0;
    if (n->kind == CF_NAME && n->decl->kind == CF_FUNC) {
        cf_decl *f = cf_with_body(l, n->decl);
        if (ends(f->name)) return -1;
        sum += f->has_body && !f->in_system ? weight_of(l, f, depth + 1) : 1;
        if (sum <= 0) return -1;
    }
    for (int i = 0; i < n->n; i++) {
        int w = weigh(l, n->kids[i], depth);
        if (w < 0) return -1;
        sum += w;
    }
    for (int64_t i = 0; i < n->decls.n; i++) {
        int w = weigh(l, n->decls.data[i]->init, depth);
        if (w < 0) return -1;
        sum += w;
    }
    return sum < 1000000 ? sum : 1000000;
}

static int weight_of(cf_lower *l, cf_decl *f, int depth) {
    if (f->weight == 0 && depth < 40 && !cf_is_recursive(l, f)) f->weight = weigh(l, cf_body(f), depth);
    return f->weight ? f->weight : -1;
}

// One that would be written out many times is a function of its own, as a recursive one is.
bool cf_stays_call(cf_lower *l, cf_decl *f, int n_args, const cf_rv *args) {
    if (weight_of(l, f, 0) < LARGE) return false;
    uintptr_t times = (uintptr_t)ch__map_get(&l->inlined, (uint64_t)(uintptr_t)f);
    if (times < OFTEN) {
        ch__map_put(&l->inlined, (uint64_t)(uintptr_t)f, (void *)(times + 1));
        return false;
    }
    cf_type *t = f->type->of;
    passed x = {0};
    cf_object *result = t->kind == CF_STRUCT ? cf_new_object(l, "result", t, 1, NULL, f->loc) : NULL;
    if (!cf_is_arithmetic(t) && t->kind != CF_VOID && !(result && numbers_only(result))) return false;
    pass_arguments(l, &x, f, n_args, args);
    return !x.why && !writes_constant(&x);
}

// ---------------------------------------------------------------- the call
// A func of its own does not know which of its callers passes null: what follows a null pointer in it is never run, as
// C has it, and counts as zero.
cf_rv cf_call_outlined(cf_lower *l, cf_decl *f, int n_args, cf_rv *args, cf_loc at) {
    cf_type *t = f->type->of;
    cf_rv v = {.type = t};
    passed x = {0};
    cf_object *result = t->kind == CF_STRUCT ? cf_new_object(l, "result", t, 1, NULL, at) : NULL;
    if (result) cf_make_storage(l, result);
    if (!cf_is_arithmetic(t) && t->kind != CF_VOID && !(result && numbers_only(result)))
        x.why = ch__arena_printf(l->a, "gives %s", t->text);
    pass_arguments(l, &x, f, n_args, args);
    if (!x.why && writes_constant(&x)) x.why = "a constant of the file is passed to be written";
    if (x.why)
        return cf_call_in_doubt(
            l, f, n_args, args,
            cf_doubt_of(l, "CH140", at, "write it as a loop", "'%s' calls itself, and %s", f->name, x.why));
    uint64_t key = key_of(f, &x);
    cf_outlined *o = ch__map_get(&l->outlined, key);
    if (!o) {
        o = CH_NEW(l->a, cf_outlined);
        o->func = ch__func_create(
            l->func->module,
            ch__module_fresh_name(l->func->module,
                                  ch__arena_printf(l->a, f->recursive == 2 ? "%s_recursive" : "%s_called", f->name)));
        o->func->loc = ch__loc_make(l->a, f->loc.file, f->loc.line, 0);
        ch__map_put(&l->outlined, key, o);
        lower_outlined(l, o, f, &x, args);
    }
    cf_values operands = {0};
    cf_types types = {0};
    cf_slots written = {0};
    if (cf_is_arithmetic(t)) CH_PUSH(l->a, &types, ch__type_scalar(cf_held(t)));
    for (int64_t k = 0; result && k < result->leaves.n; k++) {
        CH_PUSH(l->a, &types, l->slots.data[result->leaves.data[k].slot].type);
        CH_PUSH(l->a, &written, result->leaves.data[k].slot);
    }
    object_operands(l, &x, &operands, &types, &written);
    int next = 0;
    for (int64_t i = 0; i < f->params.n; i++) { // as bind_inside has them
        cf_decl *d = f->params.data[i];
        if (cf_is_arithmetic(d->type)) {
            CH_PUSH(l->a, &operands, cf_convert(l, args[i].v, args[i].type, d->type));
            continue;
        }
        for (; next < x.pointers.n && x.of.data[next] == i; next++) {
            const cf_ptr *p = x.pointers.data[next];
            if (p->to[0].o) CH_PUSH(l->a, &operands, p->index ? p->index : cf_i64(l, 0));
        }
    }
    ch__attr a = ch__attr_func(CH__ATTR_callee, o->func);
    ch__op *op = ch__build(&l->env->b, CH_OP_call, (int)operands.n, operands.data, 1, &a, o->done ? 0 : (int)types.n,
                           o->done ? NULL : types.data, 0, NULL);
    int at_result = 0;
    if (cf_is_arithmetic(t)) v.v = &op->results[at_result++];
    for (int64_t i = 0; i < written.n; i++) cf_set_slot(l, written.data[i], &op->results[at_result++]);
    if (result) v.p = cf_address(l, result);
    return v;
}
