// SPDX-License-Identifier: Apache-2.0
// lower_recursive.c - functions that call themselves, directly or through others: a func of their own, and calls of it.
//
// Params of the func: each number; for each pointer the index it has in its object, and every leaf of that object. It
// gives the value, then every leaf that the pointer's type lets it write. One func is made for each C function and way
// of pointing; what depends on the caller (which object, how long) stays outside of it.
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
static bool may_write(const cf_decl *d) { return d->type->kind == CF_POINTER && !d->type->of->is_const; }

// NULL: it can be called so; else why not.
static const char *impassable(const cf_decl *f, int n_args, const cf_rv *args) {
    const char *why = NULL;
    for (int64_t i = 0; i < f->params.n && !why; i++) {
        const cf_decl *d = f->params.data[i];
        if (cf_is_arithmetic(d->type)) continue;
        if (i >= n_args || !args[i].p || d->type->kind != CF_POINTER) {
            why = "a struct is passed by value";
        } else if (args[i].p->n != 1 || !args[i].p->to[0].o) {
            why = "a pointer that is passed may point to several things";
        } else {
            const cf_target *t = &args[i].p->to[0];
            for (int k = t->first; k < t->first + t->n; k++)
                if (!t->o->leaves.data[k].dtype) why = "a pointer to pointers is passed";
            for (cf_type *of = d->type->of; of->kind == CF_ARRAY; of = of->of)
                if (of->count < 0) why = "an array of rows of variable length is passed";
            for (int64_t j = 0; j < i && !why; j++)
                if (j < n_args && args[j].p && args[j].p->n == 1 && args[j].p->to[0].o == t->o &&
                    (may_write(d) || may_write(f->params.data[j])))
                    why = "two pointers into one object are passed, and it may write there";
        }
    }
    return why;
}

// What distinguishes one way of calling from another: the kinds of leaves.
static uint64_t key_of(const cf_decl *f, const cf_rv *args) {
    uint64_t h = (uint64_t)(uintptr_t)f;
    for (int64_t i = 0; i < f->params.n; i++) {
        if (!args[i].p) continue;
        const cf_target *t = &args[i].p->to[0];
        for (int k = t->first; k < t->first + t->n; k++)
            h = ch__hash_u64(h ^
                             ((uint64_t)t->o->leaves.data[k].dtype * 4 + t->o->leaves.data[k].is_array * 2 + t->alone));
        h = ch__hash_u64(h + 17);
    }
    return h;
}

// ---------------------------------------------------------------- the func
static void outlined_pointer(cf_lower *l, cf_decl *d, const cf_target *t, cf_call *c, cf_slots *out) {
    bool many = false;
    for (int k = t->first; k < t->first + t->n; k++) many = many || t->o->leaves.data[k].is_array;
    cf_object *o = cf_new_object(l, d->name, d->type->of, many ? -1 : 1, NULL, d->loc);
    cf_object *var = cf_new_object(l, d->name, d->type, 1, NULL, d->loc);
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    *p = *cf_address(l, o);
    p->to[0].alone = t->alone;
    p->index = ch__func_add_param(l->func, ch__arena_printf(l->a, "%s_at", d->name), ch__type_scalar(CH_I64));
    for (int64_t k = 0; k < o->leaves.n; k++) {
        const cf_leaf *from = &t->o->leaves.data[t->first + k];
        cf_leaf *leaf = &o->leaves.data[k];
        const char *name = ch__arena_printf(l->a, "%s%s%" PRId64, d->name, o->leaves.n > 1 ? "_" : "", k);
        leaf->is_array = from->is_array;
        const ch__type *type = ch__type_scalar(from->is_array ? from->dtype : cf_held(from->type));
        if (from->is_array) {
            ch__dim n = ch__dim_symbol(l->a, ch__func_fresh_symbol(l->func, ch__arena_printf(l->a, "%s_n", name)));
            type = ch__type_make(l->a, from->dtype, 1, &n, NULL);
        }
        l->slots.data[leaf->slot].type = type;
        cf_set_slot(l, leaf->slot, ch__func_add_param(l->func, o->leaves.n > 1 ? name : d->name, type));
        if (may_write(d)) CH_PUSH(l->a, out, leaf->slot);
    }
    ch__map_put(&c->vars, (uint64_t)(uintptr_t)d, var);
    cf_set_pointer(l, var->leaves.data[0].slot, p);
}

static void lower_outlined(cf_lower *outer, cf_outlined *o, cf_decl *f, const cf_rv *args) {
    cf_lower *l = CH_NEW(outer->a, cf_lower);
    *l = (cf_lower){.a = outer->a,
                    .program = outer->program,
                    .report = outer->report,
                    .func = o->func,
                    .outlined = outer->outlined,
                    .stop = -1,
                    .directive = outer->directive};
    ch__map *maps[] = {&l->extents, &l->globals, &l->replaced};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) ch__map_init(maps[i], l->a);
    cf_env *top = CH_NEW(l->a, cf_env);
    *top = (cf_env){.b = ch__builder_at_end(l->func->body), .falls = true};
    l->env = top;
    cf_call *c = CH_NEW(l->a, cf_call);
    *c = (cf_call){.f = f, .result = -1};
    ch__map_init(&c->vars, l->a);
    l->call = c;
    cf_slots written = {0};
    for (int64_t i = 0; i < f->params.n; i++) {
        cf_decl *d = f->params.data[i];
        if (d->type->kind == CF_POINTER) {
            outlined_pointer(l, d, &args[i].p->to[0], c, &written);
            continue;
        }
        cf_object *var = cf_new_object(l, d->name, d->type, 1, NULL, d->loc);
        ch__map_put(&c->vars, (uint64_t)(uintptr_t)d, var);
        ch__value *v = ch__func_add_param(l->func, d->name, ch__type_scalar(cf_held(d->type)));
        cf_set_slot(l, var->leaves.data[0].slot, v);
    }
    for (int64_t i = 0; i < f->params.n; i++) cf_declare_extents(l, f->params.data[i]->declared);
    cf_type *t = f->type->of;
    if (cf_is_arithmetic(t)) c->result = cf_new_slot(l, NULL, ch__type_scalar(cf_held(t)), NULL);
    c->jump = cf_new_slot(l, NULL, ch__type_scalar(CH_I64), NULL);
    cf_set_slot(l, c->jump, cf_i64(l, 0));
    cf_statement(l, cf_body(f));
    cf_end_of_function(l);
    CH_VEC(ch__value *) results = {0};
    if (c->result >= 0) CH_PUSH(l->a, &results, cf_plain(l, cf_get_slot(l, c->result)));
    for (int64_t i = 0; i < written.n; i++) CH_PUSH(l->a, &results, cf_get_slot(l, written.data[i]));
    ch__func_set_results(l->func, (int)results.n, results.data, NULL);
    cf_replace_placeholders(l);
    outer->outlined = l->outlined;
    outer->gave_up = outer->gave_up || l->gave_up;
    for (int64_t i = 0; i < l->doubts.n; i++) CH_PUSH(outer->a, &outer->doubts, l->doubts.data[i]);
    o->done = true;
}

// ---------------------------------------------------------------- the call
cf_rv cf_call_outlined(cf_lower *l, cf_decl *f, int n_args, cf_rv *args, cf_loc at) {
    cf_type *t = f->type->of;
    cf_rv v = {.type = t};
    const char *why = cf_is_arithmetic(t) || t->kind == CF_VOID ? impassable(f, n_args, args)
                                                                : ch__arena_printf(l->a, "gives %s", t->text);
    if (why)
        return cf_call_in_doubt(
            l, f, n_args, args,
            cf_doubt_of(l, "CH140", at, "write it as a loop", "'%s' calls itself, and %s", f->name, why));
    uint64_t key = key_of(f, args);
    cf_outlined *o = ch__map_get(&l->outlined, key);
    if (!o) {
        o = CH_NEW(l->a, cf_outlined);
        o->func = ch__func_create(
            l->func->module, ch__module_fresh_name(l->func->module, ch__arena_printf(l->a, "%s_recursive", f->name)));
        o->func->loc = ch__loc_make(l->a, f->loc.file, f->loc.line, 0);
        ch__map_put(&l->outlined, key, o);
        lower_outlined(l, o, f, args);
    }
    CH_VEC(ch__value *) operands = {0};
    CH_VEC(const ch__type *) types = {0};
    cf_slots written = {0};
    if (cf_is_arithmetic(t)) CH_PUSH(l->a, &types, ch__type_scalar(cf_held(t)));
    for (int64_t i = 0; i < f->params.n; i++) {
        cf_decl *d = f->params.data[i];
        if (d->type->kind != CF_POINTER) {
            CH_PUSH(l->a, &operands, cf_convert(l, args[i].v, args[i].type, d->type));
            continue;
        }
        const cf_target *to = &args[i].p->to[0];
        CH_PUSH(l->a, &operands, args[i].p->index ? args[i].p->index : cf_i64(l, 0));
        for (int k = to->first; k < to->first + to->n; k++) {
            const cf_leaf *leaf = &to->o->leaves.data[k];
            ch__value *x = cf_get_slot(l, leaf->slot);
            to->o->read = true;
            if (leaf->is_array) to->o->indexed = true;
            CH_PUSH(l->a, &operands, x);
            if (!may_write(d)) continue;
            to->o->written = true;
            CH_PUSH(l->a, &types, x->type);
            CH_PUSH(l->a, &written, leaf->slot);
        }
    }
    ch__attr a = ch__attr_func(CH__ATTR_callee, o->func);
    ch__op *op = ch__build(&l->env->b, CH_OP_call, (int)operands.n, operands.data, 1, &a, o->done ? 0 : (int)types.n,
                           o->done ? NULL : types.data, 0, NULL);
    int at_result = 0;
    if (cf_is_arithmetic(t)) v.v = &op->results[at_result++];
    for (int64_t i = 0; i < written.n; i++) cf_set_slot(l, written.data[i], &op->results[at_result++]);
    return v;
}
