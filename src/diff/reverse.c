// SPDX-License-Identifier: Apache-2.0
// reverse.c - reverse mode: a func that computes f as it is and then its adjoints, last op first.
//
//     func @f(x, w) { h = dot x, w;  y = reduce h }      active: w h y
//     func @f_vg(x, w) { h = dot x, w;  y = reduce h;  h_bar = broadcast 1;  w_bar = dot x, h_bar;  return y, w_bar }
//
// The primal ops are kept, in order, so that the value has the bits of the original. Each active value has an adjoint
// that is summed while the ops that use it are passed; a sum of nothing is a zero that is never written down. The rule
// of an op reads what its row of ops.def names and gives adjoints to the active operands.
//
// A call stays a call: the adjoint of `call @g` is a call of a func that computes g again and its adjoints, one for
// every pattern of varied arguments and active results, made from a list of what is wanted, so nothing recurses on the
// depth of calls and a recursive func has a recursive derivative. Branches are in rules_control.c.
//
// Keys: the ops and values of the func that is differentiated. The func that is written may be another one (a fresh
// copy for calls) or the same (the root); activity and adjoints are looked up by key, operands through a map.
#include "diff/rules.h"

typedef struct {
    ch__use *use;
    bool masked;
    ch_func *func, *both; // adjoints; results of the func too
} plan_item;
struct ch__plan {
    ch__arena *scratch;
    ch__module *module;
    ch__activity activity;
    ch__strmap by_key; // of plan_item
    ch__calls calls;
    CH_VEC(plan_item *) todo;
    uint32_t reads[CH_OP_COUNT];
};

// ---------------------------------------------------------------- what a rule may read
static int operand_named(const ch__op_info *info, const char *word, size_t n) {
    int at = 0;
    for (const char *p = info->operands; *p != '\0'; at++) {
        size_t len = strcspn(p, " "), name = strcspn(p, " *+");
        if (name == n && memcmp(p, word, n) == 0) return name == len ? at : -2 - at; // negative: and all after it
        p += len + (p[len] == ' ');
    }
    return -1;
}

static void read_columns(uint32_t *reads) {
    for (int code = 0; code < CH_OP_COUNT; code++) {
        const ch__op_info *info = ch__op_info_of((ch__opcode)code);
        reads[code] = 0;
        if (strncmp(info->reads, "none:", 5) == 0) continue;
        for (const char *p = info->reads; *p != '\0';) {
            size_t n = strcspn(p, " ");
            int at = operand_named(info, p, n);
            if (n == 6 && memcmp(p, "result", 6) == 0) {
                reads[code] |= UINT32_C(1) << 31;
            } else if (at >= 0) {
                reads[code] |= UINT32_C(1) << at;
            } else if (at < -1) {
                reads[code] |= (UINT32_MAX >> 1) & (UINT32_MAX << (-2 - at));
            } else {
                assert(!"the column `reads` of ops.def names no operand");
            }
            p += n + (p[n] == ' ');
        }
    }
}

// ---------------------------------------------------------------- the sweep over one func
static void sweep_init(ch__sweep *s, struct ch__plan *p, const ch__use *use, ch_func *func, ch__arena *scratch) {
    memset(s, 0, sizeof *s);
    int32_t n = use->func->n_values;
    s->scratch = scratch;
    s->activity = &p->activity;
    s->use = use;
    s->plan = p;
    s->func = func;
    s->map = (ch__value_map){.to = CH_NEW_ARRAY(scratch, ch__value *, n), .n = n};
    s->adjoint = CH_NEW_ARRAY(scratch, ch__value *, n);
    s->masked = CH_NEW_ARRAY(scratch, uint8_t, n);
    s->restored = CH_NEW_ARRAY(scratch, ch__value *, n);
    s->overwritten = CH_NEW_ARRAY(scratch, ch__value *, n);
    s->seen = CH_NEW_ARRAY(scratch, int32_t, n);
    memcpy(s->reads, p->reads, sizeof s->reads);
}

// The value that stands for key value k in the func being written.
static ch__value *held_value(const ch__sweep *s, const ch__value *k) {
    ch__value *v = s->map.to[k->id];
    return v != NULL ? v : (ch__value *)k;
}

// Adjoints of named values carry the name on: %h, %h_bar.
static void name_adjoint(ch__sweep *s, const ch__value *k) {
    ch__value *adj = s->adjoint[k->id];
    if (k->name == NULL || adj == NULL || adj->name != NULL || adj->op == NULL) return;
    adj->name = ch__arena_printf(s->func->module->arena, "%s_bar", k->name);
}

static void sweep_op(ch__sweep *s, const ch__op *key) {
    bool any = false, masked = false;
    for (int j = 0; j < key->n_results; j++) {
        any |= s->adjoint[key->results[j].id] != NULL;
        masked |= s->masked[key->results[j].id];
    }
    any |= key->code == CH_OP_pop && s->use->bits[key->operands[0]->id] & CH__ACTIVE; // it pushes zeros
    if (!any) return;
    const ch__op *op = held_value(s, &key->results[0])->op;
    ch__vjp c = {.s = s, .op = op, .key = key, .masked = masked};
    s->b.loc = ch__loc_back(s->func->module->arena, op->loc);
    for (int j = 0; j < key->n_results; j++) name_adjoint(s, &key->results[j]);
    assert(ch__rules[key->code]->reverse != NULL);
    ch__rules[key->code]->reverse(&c);
    for (int j = 0; j < key->n_results; j++) {
        s->adjoint[key->results[j].id] = NULL;
        s->masked[key->results[j].id] = 0;
    }
}

void ch__sweep_back(ch__sweep *s, const ch__op *last) {
    // The rule of a loop puts another op in the place of the key when that is the op itself.
    for (const ch__op *key = last, *prev; key != NULL; key = prev) {
        prev = key->prev;
        sweep_op(s, key);
        ch__restore_op(s, key);
    }
}

// ---------------------------------------------------------------- funcs of calls
bool ch__adds_in_place(const ch__value *param) {
    return param->type->rank > 0 && !param->type->tape && ch__is_float(param->type->dtype);
}

// Params of the adjoint of a call, and of the func that gives the call's n_values results before the adjoints.
static void call_params(struct ch__plan *p, const ch__use *u, ch_func *d, int n_values) {
    const ch_func *f = u->func;
    ch__arena *a = p->module->arena;
    for (int64_t i = 0; i < f->dims.n; i++)
        ch__func_add_dim(d, f->dims.data[i].name, f->dims.data[i].lo, f->dims.data[i].hi);
    for (int64_t i = 0; i < f->requires_.n; i++) CH_PUSH(a, &d->requires_, f->requires_.data[i]);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__value *v = f->body->params[i];
        ch__func_add_param(d, v->name, v->type);
    }
    for (int i = 0; i < f->body->n_results; i++)
        if (u->active_out[i])
            ch__func_add_param(d, ch__fresh_param(d, ch__arena_printf(a, "bar%d", i)), f->body->results[i]->type);
    // Adjoints of arrays come in as they are so far and go out with what the call adds, in place.
    int n = n_values;
    CH_VEC(int32_t) tied = {0};
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__value *v = f->body->params[i];
        if (!u->active_in[i]) continue;
        if (ch__adds_in_place(v)) {
            const char *want = v->name != NULL ? v->name : "a";
            ch__func_add_param(d, ch__fresh_param(d, ch__arena_printf(a, "%s_bar", want)), v->type);
            CH_PUSH(p->scratch, &tied, (int32_t)n);
        }
        n++;
    }
    if (tied.n > 0) {
        int all = d->body->n_params;
        d->inout = CH_NEW_ARRAY(a, int32_t, all + 1);
        for (int i = 0; i < all; i++) d->inout[i] = i < all - (int)tied.n ? -1 : tied.data[i - (all - tied.n)];
    }
    d->loc = f->loc;
}

static ch_func *call_func(struct ch__plan *p, const ch__use *u, const char *what, int n_values) {
    const char *name = ch__arena_printf(p->module->arena, "%s_%s", u->func->name, what);
    ch_func *d = ch__func_create(p->module, ch__module_fresh_name(p->module, name));
    call_params(p, u, d, n_values);
    return d;
}

void ch__plan_adds(ch__sweep *s, const ch__op *set) {
    if (s->plan != NULL) ch__map_put(&s->plan->calls.adds, (uintptr_t)set, s->plan);
}

ch_func *ch__plan_call(ch__sweep *s, ch__use *u, bool masked) {
    struct ch__plan *p = s->plan;
    const char *key = ch__arena_printf(p->scratch, "%p %d", (void *)u, masked);
    plan_item *item = ch__strmap_get(&p->by_key, key);
    if (item != NULL) return item->func;
    item = CH_NEW(p->scratch, plan_item);
    item->use = u;
    item->masked = masked;
    item->func = call_func(p, u, "bar", 0);
    item->both = call_func(p, u, "with_bar", u->func->body->n_results);
    ch__map_put(&p->calls.primal, (uintptr_t)item->func, u->func);
    ch__map_put(&p->calls.primal, (uintptr_t)item->both, u->func);
    ch__map_put(&p->calls.both, (uintptr_t)item->func, item->both);
    ch__strmap_put(&p->by_key, key, item);
    CH_PUSH(p->scratch, &p->todo, item);
    return item->func;
}

static void fill_call(struct ch__plan *p, const plan_item *item, ch_func *d, int n_values) {
    const ch_func *f = item->use->func;
    ch__arena *scratch = ch__arena_create();
    ch__sweep s;
    sweep_init(&s, p, item->use, d, scratch);
    s.b = ch__builder_at_end(d->body);
    int np = f->body->n_params, n = 0;
    for (int i = 0; i < np; i++) s.map.to[f->body->params[i]->id] = d->body->params[i];
    ch__clone_region_ops(&s.b, f->body, &s.map, NULL, NULL);
    for (int i = 0, k = np; i < f->body->n_results; i++)
        if (item->use->active_out[i]) {
            const ch__value *r = f->body->results[i];
            ch__value *seed = d->body->params[k++];
            if (s.use->bits[r->id] & CH__ACTIVE) ch__sweep_add(&s, r, seed, item->masked);
        }
    for (int i = np - 1, k = d->body->n_params; i >= 0; i--)
        if (item->use->active_in[i] && ch__adds_in_place(f->body->params[i])) {
            ch__value *so_far = d->body->params[--k];
            if (s.use->bits[f->body->params[i]->id] & CH__ACTIVE) {
                // a param that is a result too has its seed already
                ch__value *seed = s.adjoint[f->body->params[i]->id];
                s.adjoint[f->body->params[i]->id] = so_far;
                if (seed != NULL) ch__sweep_add(&s, f->body->params[i], seed, item->masked);
            }
        }
    ch__sweep_back(&s, f->body->last);
    ch__value **results = CH_NEW_ARRAY(scratch, ch__value *, np + n_values);
    for (; n < n_values; n++) {
        ch__value *r = f->body->results[n], *there = s.map.to[r->id];
        results[n] = there != NULL ? there : r;
    }
    for (int i = 0; i < np; i++) {
        if (!item->use->active_in[i]) continue;
        ch__value *adj = s.adjoint[f->body->params[i]->id];
        results[n++] = adj != NULL ? adj : ch__b_splat(&s.b, f->body->params[i]->type, 0.0);
    }
    ch__func_set_results(d, n, results, NULL);
    ch__arena_destroy(scratch);
}

// ---------------------------------------------------------------- the root
typedef struct {
    const ch__reverse_options *o;
    struct ch__plan plan;
    ch_func *f; // the clone: keys, and where the result is written
    ch__use *use;
    uint8_t *varied, *active;
} root_state;

static void check_scalar(ch__arena *a, const ch_func *f) {
    const char *allowed = "a gradient is taken of one floating number: reduce it first, or use vjp";
    if (f->body->n_results == 0)
        ch__raise(CH__E_gradient_scalar, "gradient of @%s: it has no result — %s", f->name, allowed);
    const ch__type *t = f->body->results[0]->type;
    if (ch__is_float(t->dtype) && t->rank == 0) return;
    const char *name = f->result_names != NULL ? f->result_names[0] : NULL;
    ch__raise(CH__E_gradient_scalar, "gradient of @%s: the first result%s%s%s is %s — %s", f->name, name ? " '" : "",
              name ? name : "", name ? "'" : "", ch__type_text(a, t), allowed);
}

static void masks(root_state *r) {
    const ch__region *body = r->f->body;
    ch__arena *a = r->plan.scratch;
    r->varied = CH_NEW_ARRAY(a, uint8_t, body->n_params);
    r->active = CH_NEW_ARRAY(a, uint8_t, body->n_results);
    for (int i = 0; i < r->o->n_wrt; i++) r->varied[r->o->wrt[i]] = 1;
    for (int i = 0; i < body->n_results; i++)
        r->active[i] = (r->o->seeds || i == 0) && ch__is_float(body->results[i]->type->dtype);
}

static const char *bar_name(ch__arena *a, const char *name, int i) {
    return name != NULL ? ch__arena_printf(a, "%s_bar", name) : ch__arena_printf(a, "bar%d", i);
}

static void seed_results(root_state *r, ch__sweep *s) {
    ch_func *f = r->f;
    ch__arena *a = f->module->arena;
    for (int i = 0; i < f->body->n_results; i++) {
        ch__value *v = f->body->results[i], *seed;
        if (!r->active[i]) continue;
        const char *name = f->result_names != NULL && f->result_names[i] != NULL ? f->result_names[i] : v->name;
        if (r->o->seeds) {
            seed = ch__func_add_param(f, ch__fresh_param(f, bar_name(a, name, i)), v->type);
            ch__set_param_sharding(f, f->body->n_params - 1, ch__result_sharding(f, i));
        } else {
            seed = ch__b_splat(&s->b, v->type, 1.0);
        }
        if (r->use->bits[v->id] & CH__ACTIVE) ch__sweep_add(s, v, seed, false);
    }
}

typedef struct {
    ch__value **values;
    const char **names;
    int n;
} result_list;

static void push_result(result_list *l, ch__value *v, const char *name) {
    l->values[l->n] = v;
    l->names[l->n++] = name;
}

static void set_results(root_state *r, ch__sweep *s, int n_old) {
    ch_func *f = r->f;
    ch__arena *a = f->module->arena;
    int n = n_old + r->o->n_wrt;
    result_list l = {CH_NEW_ARRAY(a, ch__value *, n), CH_NEW_ARRAY(a, const char *, n), 0};
    ch__value **old = f->body->results;
    const char **names = f->result_names, **shards = f->result_shards;
    int n_shards = f->n_result_shards;
    int values = !r->o->include_value ? 0 : r->o->seeds ? n_old : 1;
    for (int i = 0; i < values; i++) push_result(&l, old[i], names != NULL ? names[i] : NULL);
    for (int i = 0; i < r->o->n_wrt; i++) {
        const ch__value *p = f->body->params[r->o->wrt[i]];
        ch__value *adj = s->adjoint[p->id];
        if (adj == NULL) adj = ch__b_splat(&s->b, p->type, 0.0);
        push_result(&l, adj, ch__fresh_among(a, l.n, l.names, bar_name(a, p->name, r->o->wrt[i])));
        name_adjoint(s, p);
    }
    if (r->o->include_value)
        for (int i = values; i < n_old; i++)
            push_result(&l, old[i],
                        names != NULL && names[i] != NULL ? ch__fresh_among(a, l.n, l.names, names[i]) : NULL);
    ch__func_set_results(f, l.n, l.values, l.names);
    // Values lie as they did, gradients as what they are of.
    for (int i = 0; i < values && i < n_shards; i++) ch__set_result_sharding(f, i, shards[i]);
    for (int i = 0; i < r->o->n_wrt; i++) ch__set_result_sharding(f, values + i, ch__param_sharding(f, r->o->wrt[i]));
    if (r->o->include_value)
        for (int i = values; i < n_old && i < n_shards; i++) ch__set_result_sharding(f, i + r->o->n_wrt, shards[i]);
}

static void write_root(root_state *r) {
    ch_func *f = r->f;
    ch__arena *scratch = ch__arena_create();
    ch__sweep s;
    sweep_init(&s, &r->plan, r->use, f, scratch);
    const ch__op *last = f->body->last;
    int n_old = f->body->n_results;
    f->inout = NULL; // ties were to results that move; the gradient changes nothing in place
    s.b = ch__builder_at_end(f->body);
    seed_results(r, &s);
    ch__sweep_back(&s, last);
    set_results(r, &s, n_old);
    ch__arena_destroy(scratch);
}

typedef struct {
    const ch_func *f;
    bool self, composites; // f is called; there are composites
} root_scan;

static void scan_op(void *arg, ch__op *op) {
    root_scan *s = arg;
    if (op->code == CH_OP_composite) s->composites = true;
    if (op->code == CH_OP_call && ch__op_attr(op, CH__ATTR_callee)->func == s->f) s->self = true;
}

// f is called by what it calls: the root is written into a copy and f stays as it is.
static ch_func *split_recursive_root(ch_func *f) {
    ch__module *m = f->module;
    ch_func *d = ch__func_create(m, ch__module_fresh_name(m, f->name));
    ch__arena *scratch = ch__arena_create();
    ch__value_map map = {.to = CH_NEW_ARRAY(scratch, ch__value *, f->n_values), .n = f->n_values};
    for (int64_t i = 0; i < f->dims.n; i++)
        ch__func_add_dim(d, f->dims.data[i].name, f->dims.data[i].lo, f->dims.data[i].hi);
    for (int64_t i = 0; i < f->requires_.n; i++) CH_PUSH(m->arena, &d->requires_, f->requires_.data[i]);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__value *v = f->body->params[i];
        map.to[v->id] = ch__func_add_param(d, v->name, v->type);
        ch__set_param_sharding(d, i, ch__param_sharding(f, i));
    }
    ch__builder b = ch__builder_at_end(d->body);
    ch__clone_region_ops(&b, f->body, &map, NULL, NULL);
    ch__value **results = CH_NEW_ARRAY(scratch, ch__value *, f->body->n_results);
    for (int i = 0; i < f->body->n_results; i++) results[i] = map.to[f->body->results[i]->id];
    ch__func_set_results(d, f->body->n_results, results, f->result_names);
    d->loc = f->loc;
    ch__arena_destroy(scratch);
    return d;
}

ch_func *ch__reverse(const ch_func *f, const ch__reverse_options *o) {
    ch__arena *scratch = ch__arena_create();
    root_state r = {.o = o};
    if (!o->seeds) check_scalar(scratch, f);
    ch_func *clone = ch__func_clone(f);
    root_scan scan = {clone, false, false};
    for (ch_func *g = clone->module->first; g != NULL; g = g->next) ch__walk(g->body, scan_op, &scan);
    for (ch_func *g = clone->module->first; g != NULL && scan.composites; g = g->next) ch__inline_for_reverse(g);
    for (ch_func *g = clone->module->first; g != NULL; g = g->next) ch__open_guards(g);
    for (ch_func *g = clone->module->first; g != NULL; g = g->next) ch__count(g), ch__fresh(g);
    r.f = scan.self ? split_recursive_root(clone) : clone;
    r.plan.scratch = scratch;
    r.plan.module = clone->module;
    ch__activity_init(&r.plan.activity, scratch);
    ch__strmap_init(&r.plan.by_key, scratch);
    ch__map_init(&r.plan.calls.primal, scratch);
    ch__map_init(&r.plan.calls.both, scratch);
    ch__map_init(&r.plan.calls.adds, scratch);
    read_columns(r.plan.reads);
    masks(&r);
    r.use = ch__activity_of(&r.plan.activity, r.f, r.varied, r.active);
    ch__refuse_missing(&r.plan.activity, r.use, f->name, false);
    if (!o->lenient) ch__check_influence(r.use, o->n_wrt, o->wrt, f->name);
    write_root(&r);
    while (r.plan.todo.n > 0) {
        const plan_item *item = r.plan.todo.data[--r.plan.todo.n];
        fill_call(&r.plan, item, item->func, 0);
        fill_call(&r.plan, item, item->both, item->use->func->body->n_results);
    }
    const char *suffix = o->seeds ? "vjp" : o->include_value ? "vg" : "grad";
    const char *name = ch__arena_printf(r.plan.module->arena, "%s_%s", f->name, suffix);
    if (r.f->module->first != r.f || r.f->next != NULL) name = ch__module_fresh_name(r.plan.module, name);
    r.f->name = name;
    if (!o->raw) {
        for (ch_func *g = r.f->module->first; g != NULL; g = g->next) {
            ch__optimize(g);
            ch__share_loops(g, &r.plan.calls);
            ch__share_calls(g, &r.plan.calls);
            ch__sum_alone(g, &r.plan.calls);
        }
    }
    ch__settle_calls(r.f->module);
    ch__dce_funcs(r.f);
    ch__arena_destroy(scratch);
    return r.f;
}
