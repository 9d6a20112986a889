// SPDX-License-Identifier: Apache-2.0
// clone.c - copies of ops, regions and funcs, inside a func (inlining, recomputing) and from module to module.
//
// Inside a module types, locations, names and attribute data are shared by pointer; from module to module each is
// copied once (the memo maps old pointers to new). Sizes are replaced while copying: the callee's by the caller's,
// and the local ones of an alloc by fresh symbols where the target has one of that name. Values keep their names.
#include "ir/ir.h"

#include <string.h>

#define CLONE_FEW 16 // results and regions that need no memory of their own

struct ch__clone_memo {
    ch__map done;               // types, locations and names met, old to new
    CH_VEC(const char *) names; // sizes to replace, and
    CH_VEC(ch__dim) dims;       // by what
};

typedef struct {
    ch__builder *b;
    ch__arena *arena; // of the target
    const ch_func *from;
    ch__value_map *map;
    struct ch__clone_memo *memo; // NULL while everything is shared
    ch__map *funcs;
    bool cross; // another module
    bool whole; // a whole func: its symbols are free in the target
    int depth;
} clone_state;

static struct ch__clone_memo *memo_new(ch__arena *a, const ch__dim_subs *sub) {
    struct ch__clone_memo *m = CH_NEW(a, struct ch__clone_memo);
    ch__map_init(&m->done, a);
    for (int i = 0; sub && i < sub->n; i++) {
        CH_PUSH(a, &m->names, sub->names[i]);
        CH_PUSH(a, &m->dims, sub->dims[i]);
    }
    return m;
}

static clone_state clone_begin(ch__builder *b, const ch_func *from, ch__value_map *map, const ch__dim_subs *sub,
                               ch__map *funcs) {
    clone_state c = {.b = b, .arena = ch__builder_arena(b), .from = from, .map = map, .funcs = funcs};
    c.cross = from->module != b->func->module;
    if (!map->memo && (c.cross || (sub && sub->n > 0))) map->memo = memo_new(c.arena, sub);
    c.memo = map->memo;
    return c;
}

// ---------------------------------------------------------------- parts
static bool clone_replaces(const clone_state *c) { return c->memo && c->memo->names.n > 0; }

static const char *clone_text(const clone_state *c, const char *s) {
    if (!s || !c->cross) return s;
    char *done = ch__map_get(&c->memo->done, (uint64_t)(uintptr_t)s);
    if (done) return done;
    done = ch__arena_strdup(c->arena, s);
    ch__map_put(&c->memo->done, (uint64_t)(uintptr_t)s, done);
    return done;
}

// Types of one func share their sizes, so those are done once too. A size that became a constant is not kept.
static ch__dim clone_dim(const clone_state *c, ch__dim d) {
    if (!d.sym || (!c->cross && !clone_replaces(c))) return d;
    const ch__sym *done = ch__map_get(&c->memo->done, (uint64_t)(uintptr_t)d.sym);
    if (done) return (ch__dim){done, 0};
    ch__dim copy = clone_replaces(c)
                       ? ch__dim_subst(c->arena, d, (int)c->memo->names.n, c->memo->names.data, c->memo->dims.data)
                       : ch__dim_copy(c->arena, d);
    if (copy.sym) ch__map_put(&c->memo->done, (uint64_t)(uintptr_t)d.sym, (void *)copy.sym);
    return copy;
}

static const ch__type *clone_type(const clone_state *c, const ch__type *t) {
    if (t->rank == 0 && !t->tape) return ch__type_scalar(t->dtype);
    if (!c->cross && (!clone_replaces(c) || ch__type_is_static(t))) return t;
    const ch__type *done = ch__map_get(&c->memo->done, (uint64_t)(uintptr_t)t);
    if (done) return done;
    ch__dim dims[CH__MAX_RANK];
    const char *axes[CH__MAX_RANK];
    for (int i = 0; i < t->rank; i++) {
        dims[i] = clone_dim(c, t->dims[i]);
        axes[i] = t->axes ? clone_text(c, t->axes[i]) : NULL;
    }
    const ch__type *copy = ch__type_share(c->arena, t->dtype, t->rank, dims, t->axes ? axes : NULL);
    if (t->tape) copy = ch__type_tape(c->arena, copy);
    ch__map_put(&c->memo->done, (uint64_t)(uintptr_t)t, (void *)copy);
    return copy;
}

static const ch__loc *clone_loc(const clone_state *c, const ch__loc *loc) {
    if (!loc || !c->cross) return loc;
    ch__loc *done = ch__map_get(&c->memo->done, (uint64_t)(uintptr_t)loc);
    if (done) return done;
    done = ch__arena_dup(c->arena, loc, sizeof *loc);
    done->file = clone_text(c, loc->file);
    ch__map_put(&c->memo->done, (uint64_t)(uintptr_t)loc, done);
    return done;
}

static ch__attr clone_attr(const clone_state *c, ch__attr x) {
    switch (ch__attr_kind_of(x.id)) {
    case CH__AK_DIM: x.dim = clone_dim(c, x.dim); return x;
    case CH__AK_DIMS: {
        if (!c->cross && !clone_replaces(c)) return x;
        ch__dim *dims = CH_NEW_ARRAY(c->arena, ch__dim, x.n);
        for (int i = 0; i < x.n; i++) dims[i] = clone_dim(c, x.dims[i]);
        x.dims = dims;
        return x;
    }
    case CH__AK_FUNC: {
        ch_func *to = c->funcs ? ch__map_get(c->funcs, (uint64_t)(uintptr_t)x.func) : NULL;
        if (!to && c->cross)
            ch__raise(CH__E_internal, "clone: @%s calls @%s, which has no counterpart in the other module",
                      c->from->name, x.func->name);
        if (to) x.func = to;
        return x;
    }
    default: return c->cross ? ch__attr_copy(c->arena, x) : x;
    }
}

static ch__value *clone_use(const clone_state *c, ch__value *v) {
    ch__value *to = v->id < c->map->n ? c->map->to[v->id] : NULL;
    if (to) return to;
    if (c->from != c->b->func)
        ch__raise(CH__E_internal, "clone: a value of @%s is used and has no counterpart in @%s", c->from->name,
                  c->b->func->name);
    return v;
}

static void clone_enter(const clone_state *c, const ch__value *from, ch__value *to) {
    if (from->id < c->map->n) c->map->to[from->id] = to;
    to->name = clone_text(c, from->name);
}

// The local symbols of an alloc get names that are free in the target; from here on types speak of those.
static void clone_symbols(clone_state *c, const ch__op *op) {
    const char *const *names;
    int n = op->code == CH_OP_alloc ? ch__alloc_symbols(c->arena, ch__op_attr(op, CH__ATTR_symbols), &names) : 0;
    if (n == 0) return;
    if (!c->memo) c->memo = c->map->memo = memo_new(c->arena, NULL);
    for (int i = 0; i < n; i++) {
        ch__dim fresh = ch__dim_symbol(c->arena, ch__func_fresh_symbol(c->b->func, names[i]));
        int64_t at = 0;
        while (at < c->memo->names.n && strcmp(c->memo->names.data[at], names[i]) != 0) at++;
        if (at == c->memo->names.n) {
            CH_PUSH(c->arena, &c->memo->names, names[i]);
            CH_PUSH(c->arena, &c->memo->dims, fresh);
        }
        c->memo->dims.data[at] = fresh;
    }
    ch__map_init(&c->memo->done, c->arena); // what was said of these symbols before no longer holds
}

static ch__attr clone_symbols_attr(const clone_state *c, ch__attr x) {
    const char *const *names;
    int n = ch__alloc_symbols(c->arena, &x, &names);
    ch__text t;
    ch__text_init(&t, c->arena);
    for (int i = 0; i < n; i++) {
        const char *fresh = names[i];
        for (int64_t k = 0; k < c->memo->names.n; k++)
            if (strcmp(c->memo->names.data[k], names[i]) == 0) ch__dim_is_symbol(c->memo->dims.data[k], &fresh);
        ch__putf(&t, "%s%s", i ? " " : "", fresh);
    }
    x.s = t.data;
    return x;
}

// ---------------------------------------------------------------- ops and regions
static ch__op *clone_one(clone_state *c, const ch__op *op);

static ch__region *clone_region(clone_state *c, const ch__region *r) {
    ch__region *to = ch__region_create(c->b->func, NULL);
    if (++c->depth > CH__MAX_NEST)
        ch__raise(CH__E_limit, "func @%s: regions nest more than %d deep", c->from->name, CH__MAX_NEST);
    for (int i = 0; i < r->n_params; i++)
        clone_enter(c, r->params[i], ch__region_add_param(to, NULL, clone_type(c, r->params[i]->type)));
    ch__builder inside = ch__builder_at_end(to), *outside = c->b;
    c->b = &inside;
    for (const ch__op *op = r->first; op; op = op->next) clone_one(c, op);
    c->b = outside;
    c->depth--;
    to->results = CH_NEW_ARRAY(c->arena, ch__value *, r->n_results);
    to->n_results = r->n_results;
    for (int i = 0; i < r->n_results; i++) to->results[i] = clone_use(c, r->results[i]);
    return to;
}

static ch__op *clone_one(clone_state *c, const ch__op *op) {
    const ch__type *few_types[CLONE_FEW], **types = few_types;
    ch__region *few_regions[CLONE_FEW], **regions = few_regions;
    if (op->n_results > CLONE_FEW) types = CH_NEW_ARRAY(c->arena, const ch__type *, op->n_results);
    if (op->n_regions > CLONE_FEW) regions = CH_NEW_ARRAY(c->arena, ch__region *, op->n_regions);
    if (!c->whole) clone_symbols(c, op);
    for (int i = 0; i < op->n_results; i++) types[i] = clone_type(c, op->results[i].type);
    for (int i = 0; i < op->n_regions; i++) regions[i] = clone_region(c, op->regions[i]);
    ch__op *to = ch__build_shallow(c->b, (ch__opcode)op->code, op->n_operands, op->operands, op->n_attrs, op->attrs,
                                   op->n_results, types, op->n_regions, regions);
    to->loc = clone_loc(c, op->loc);
    for (int i = 0; i < to->n_operands; i++) to->operands[i] = clone_use(c, to->operands[i]);
    for (int i = 0; i < to->n_attrs; i++) {
        bool symbols = to->attrs[i].id == CH__ATTR_symbols && !c->whole;
        to->attrs[i] = symbols ? clone_symbols_attr(c, to->attrs[i]) : clone_attr(c, to->attrs[i]);
    }
    for (int i = 0; i < to->n_results; i++) clone_enter(c, &op->results[i], &to->results[i]);
    return to;
}

ch__op *ch__clone_op(ch__builder *b, const ch__op *op, ch__value_map *map, const ch__dim_subs *sub, ch__map *funcs) {
    clone_state c = clone_begin(b, op->parent->func, map, sub, funcs);
    return clone_one(&c, op);
}

void ch__clone_region_ops(ch__builder *b, const ch__region *r, ch__value_map *map, const ch__dim_subs *sub,
                          ch__map *funcs) {
    clone_state c = clone_begin(b, r->func, map, sub, funcs);
    // The last op there is now: where the target is the region itself the copies are not copied again.
    const ch__op *last = r->last;
    for (const ch__op *op = r->first; op; op = op == last ? NULL : op->next) clone_one(&c, op);
}

// ---------------------------------------------------------------- whole funcs
typedef struct {
    ch__arena *scratch;
    ch__module *to;
    ch__map *funcs;
    CH_VEC(const ch_func *) todo;
} clone_reach;

static void reach_func(clone_reach *r, const ch_func *f) {
    if (ch__map_get(r->funcs, (uint64_t)(uintptr_t)f)) return;
    ch_func *to = ch__func_create(r->to, ch__module_fresh_name(r->to, f->name));
    ch__map_put(r->funcs, (uint64_t)(uintptr_t)f, to);
    CH_PUSH(r->scratch, &r->todo, f);
}

static void reach_op(void *arg, ch__op *op) {
    const ch__attr *callee = op->code == CH_OP_call ? ch__op_attr(op, CH__ATTR_callee) : NULL;
    if (callee) reach_func(arg, callee->func);
}

static void clone_head(clone_state *c, const ch_func *f, ch_func *to) {
    ch__arena *a = c->arena;
    int n = f->body->n_params, n_results = f->body->n_results;
    for (int64_t i = 0; i < f->dims.n; i++)
        CH_PUSH(a, &to->dims,
                (ch__dim_param){clone_text(c, f->dims.data[i].name), f->dims.data[i].lo, f->dims.data[i].hi});
    for (int64_t i = 0; i < f->requires_.n; i++) {
        const ch__require *q = &f->requires_.data[i];
        CH_PUSH(a, &to->requires_, (ch__require){clone_dim(c, q->a), clone_dim(c, q->b), clone_text(c, q->why)});
    }
    to->loc = clone_loc(c, f->loc);
    for (int i = 0; i < n; i++)
        clone_enter(c, f->body->params[i],
                    ch__region_add_param(to->body, NULL, clone_type(c, f->body->params[i]->type)));
    if (f->inout) to->inout = ch__arena_dup(a, f->inout, (size_t)n * sizeof *f->inout);
    for (int i = 0; i < n && i < f->n_param_shards; i++) ch__set_param_sharding(to, i, f->param_shards[i]);
    if (!f->result_names) return;
    to->result_names = CH_NEW_ARRAY(a, const char *, n_results);
    for (int i = 0; i < n_results; i++) to->result_names[i] = clone_text(c, f->result_names[i]);
}

static void clone_body(clone_reach *r, const ch_func *f, ch_func *to) {
    ch__builder b = ch__builder_at_end(to->body);
    ch__value_map map = {.to = CH_NEW_ARRAY(r->scratch, ch__value *, f->n_values), .n = f->n_values};
    map.memo = memo_new(r->scratch, NULL);
    clone_state c = clone_begin(&b, f, &map, NULL, r->funcs);
    c.whole = true;
    clone_head(&c, f, to);
    for (const ch__op *op = f->body->first; op; op = op->next) clone_one(&c, op);
    to->body->results = CH_NEW_ARRAY(c.arena, ch__value *, f->body->n_results);
    to->body->n_results = f->body->n_results;
    for (int i = 0; i < f->body->n_results; i++) to->body->results[i] = clone_use(&c, f->body->results[i]);
    for (int i = 0; i < f->n_result_shards; i++) ch__set_result_sharding(to, i, f->result_shards[i]);
    ch__renumber(to);
}

ch_func *ch__func_clone_into(ch__module *m, const ch_func *f, ch__map *funcs) {
    clone_reach r = {.scratch = ch__arena_create(), .to = m, .funcs = funcs};
    ch__map own;
    if (!funcs) {
        ch__map_init(&own, r.scratch);
        r.funcs = &own;
    }
    reach_func(&r, f);
    for (int64_t i = 0; i < r.todo.n; i++) ch__walk(r.todo.data[i]->body, reach_op, &r);
    for (int64_t i = 0; i < r.todo.n; i++)
        clone_body(&r, r.todo.data[i], ch__map_get(r.funcs, (uint64_t)(uintptr_t)r.todo.data[i]));
    ch_func *to = ch__map_get(r.funcs, (uint64_t)(uintptr_t)f);
    ch__arena_destroy(r.scratch);
    return to;
}

ch_func *ch__func_clone(const ch_func *f) {
    ch__module *m = ch__module_create();
    if (f->module->name) m->name = ch__arena_strdup(m->arena, f->module->name);
    return ch__func_clone_into(m, f, NULL);
}

// ---------------------------------------------------------------- sizes of a call
typedef struct {
    const char *name;
    int different;
} lone_symbol;

static void see_symbol(void *arg, const char *name) {
    lone_symbol *s = arg;
    s->different += s->name && strcmp(s->name, name) != 0;
    s->name = name;
}

// d = c * s + k with s one symbol: *c and *k, and the name; NULL when it is not of that form.
static const char *linear_symbol(ch__dim d, int64_t *c, int64_t *k) {
    lone_symbol s = {NULL, 0};
    ch__dim_symbols(d, see_symbol, &s);
    if (!d.sym || s.different || d.sym->n_terms > 2) return NULL;
    const ch__term *t = d.sym->terms;
    if (t[0].n_atoms != 1 || t[0].atoms[0]->kind != CH__ATOM_symbol) return NULL;
    if (d.sym->n_terms == 2 && t[1].n_atoms != 0) return NULL;
    *c = t[0].coef;
    *k = d.sym->n_terms == 2 ? t[1].coef : 0;
    return s.name;
}

static int find_dim(const ch_func *f, const char *name) {
    for (int64_t i = 0; i < f->dims.n; i++)
        if (strcmp(f->dims.data[i].name, name) == 0) return (int)i;
    return -1;
}

// Symbols that stand alone first: they say their value exactly. Then 2*n + 1 = e gives n = floordiv(e - 1, 2); that e
// is odd is for the rule of call to require.
ch__dim_subs ch__call_subs(ch__arena *a, const ch_func *callee, int n_args, const ch__type *const *args) {
    int n = (int)callee->dims.n;
    const char **names = CH_NEW_ARRAY(a, const char *, n);
    ch__dim *dims = CH_NEW_ARRAY(a, ch__dim, n);
    bool *known = CH_NEW_ARRAY(a, bool, n);
    for (int i = 0; i < n; i++) names[i] = callee->dims.data[i].name;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n_args && i < callee->body->n_params; i++) {
            const ch__type *p = callee->body->params[i]->type;
            if (p->rank != args[i]->rank)
                ch__raise(CH__E_rank, "call: @%s takes %s as %%%s, given %s — the ranks differ", callee->name,
                          ch__type_text(a, p), callee->body->params[i]->name ? callee->body->params[i]->name : "",
                          ch__type_text(a, args[i]));
            for (int k = 0; k < p->rank; k++) {
                int64_t c = 0, add = 0;
                const char *name = linear_symbol(p->dims[k], &c, &add);
                int at = name ? find_dim(callee, name) : -1;
                if (at < 0 || known[at] || (pass == 0 && (c != 1 || add != 0))) continue;
                ch__dim rest = ch__dim_sub(a, args[i]->dims[k], ch__dim_const(add));
                dims[at] = ch__dim_floordiv(a, rest, ch__dim_const(c));
                known[at] = true;
            }
        }
    for (int i = 0; i < n; i++)
        if (!known[i] && callee->within)
            dims[i] = ch__dim_symbol(a, names[i]);
        else if (!known[i])
            ch__raise(CH__E_dims_undecided,
                      "call: the size %s of @%s follows from none of its params — give it a param "
                      "that has an axis of that size",
                      names[i], callee->name);
    return (ch__dim_subs){n, names, dims};
}
