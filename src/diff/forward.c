// SPDX-License-Identifier: Apache-2.0
// forward.c - forward mode: a func that computes f and beside it the tangents of what depends on the params in wrt.
//
//     func @f(x, w) { h = dot x, w;  y = reduce h }
//     func @f_jvp(x, w, w_dot) { h = dot x, w;  h_dot = dot x, w_dot;  y = reduce h;  y_dot = reduce h_dot; ... }
//
// Every func is written anew, in order: an op, then what its rule makes of the tangents of its operands. Only active
// values have tangents; a tangent that is zero whatever the inputs are is never written down, unless an op needs it for
// its shape (concat, the start of a loop). No other zero is special: 0 * inf is NaN here.
//
// A call is a call of a func that gives the results and their tangents, one for every pattern of varied arguments and
// active results, made from a list of what is wanted: nothing recurses on the depth of calls, and the derivative of a
// recursive func is recursive. Branches and loops are in forward_control.c.
#include "diff/rules.h"

typedef struct {
    ch__use *use;
    ch_func *func;
} forward_item;
struct ch__forward_plan {
    ch__arena *scratch;
    ch__module *module;
    ch__activity activity;
    ch__strmap by_key; // of forward_item
    CH_VEC(forward_item *) todo;
};

// ---------------------------------------------------------------- what rules are written with
ch__value *ch__sweep_held(const ch__sweep *s, const ch__value *k) {
    ch__value *v = s->map.to[k->id];
    assert(v != NULL && "a value is used before it is written");
    return v;
}

// v with dtype d and, but for that, the type of what stands for k.
static ch__value *forward_fit(ch__sweep *s, const ch__value *k, ch__value *v, ch_dtype d) {
    const ch__type *want = ch__sweep_held(s, k)->type;
    if (v->type == want) return v;
    if (!want->tape) v = ch__b_convert(&s->b, v, d);
    if (want->dtype != v->type->dtype) want = ch__type_with_dtype(ch__builder_arena(&s->b), want, v->type->dtype);
    return ch__type_equal(v->type, want) ? v : ch__b_reshape(&s->b, v, want);
}

ch__value *ch__jvp_tangent_raw(ch__vjp *c, int i) { return c->s->tangent[c->key->operands[i]->id]; }

ch__value *ch__jvp_tangent(ch__vjp *c, int i) {
    const ch__value *k = c->key->operands[i];
    ch__value *t = c->s->tangent[k->id];
    return t == NULL ? NULL : forward_fit(c->s, k, t, k->type->dtype);
}

ch__value *ch__sweep_tangent_full(ch__sweep *s, const ch__value *k) {
    ch__value *t = s->tangent[k->id];
    if (t != NULL) return forward_fit(s, k, t, k->type->dtype);
    assert(!k->type->tape && "the tangents of a tape are made where the tape is");
    return ch__b_splat(&s->b, ch__sweep_held(s, k)->type, 0.0);
}

ch__value *ch__jvp_tangent_full(ch__vjp *c, int i) { return ch__sweep_tangent_full(c->s, c->key->operands[i]); }

bool ch__jvp_wants(const ch__vjp *c, int j) { return c->s->use->bits[c->key->results[j].id] & CH__ACTIVE; }

// Tangents of named values carry the name on: %h, %h_dot.
void ch__jvp_give(ch__vjp *c, int j, ch__value *v) {
    ch__sweep *s = c->s;
    const ch__value *k = &c->key->results[j];
    assert(ch__jvp_wants(c, j) && s->tangent[k->id] == NULL);
    v = forward_fit(s, k, v, ch__adjoint_dtype(k));
    s->tangent[k->id] = v;
    if (k->name != NULL && v->name == NULL && v->op != NULL)
        v->name = ch__arena_printf(s->func->module->arena, "%s_dot", k->name);
}

void ch__jvp_diagonal(ch__vjp *c) {
    for (int j = 0; j < c->key->n_results; j++) {
        if (!ch__jvp_wants(c, j)) continue;
        c->sum = NULL;
        for (int i = 0; i < c->key->n_operands; i++) {
            if (ch__jvp_tangent_raw(c, i) == NULL || !ch__rule_flows(c->key, i, j)) continue;
            c->from = i;
            c->to = j;
            c->along = ch__jvp_tangent(c, i);
            ch__rules[c->key->code]->reverse(c);
            c->along = NULL;
        }
        if (c->sum != NULL) ch__jvp_give(c, j, c->sum);
    }
}

// The op again with other operands; its results get the same types.
static ch__value *again(ch__vjp *c, ch__value *const *operands) {
    const ch__type *t = c->op->results[0].type;
    assert(c->op->n_results == 1);
    return ch__build_raw(B(c), (ch__opcode)c->op->code, c->op->n_operands, operands, c->op->n_attrs, c->op->attrs, 1,
                         &t, 0, NULL)
        ->results;
}

static ch__value **operands_of(ch__vjp *c) {
    return ch__arena_dup(c->s->scratch, c->op->operands, (size_t)c->op->n_operands * sizeof(ch__value *));
}

void ch__jvp_linear(ch__vjp *c, uint32_t mask) {
    ch__value **xs = operands_of(c);
    bool any = false;
    for (int i = 0; i < c->op->n_operands; i++)
        any |= mask >> (i < 31 ? i : 31) & 1 && ch__jvp_tangent_raw(c, i) != NULL;
    if (!any) return;
    for (int i = 0; i < c->op->n_operands; i++)
        if (mask >> (i < 31 ? i : 31) & 1) xs[i] = ch__jvp_tangent_full(c, i);
    ch__jvp_give(c, 0, again(c, xs));
}

void ch__jvp_bilinear(ch__vjp *c) {
    ch__value *sum = NULL;
    for (int i = 0; i < c->op->n_operands; i++) {
        if (ch__jvp_tangent_raw(c, i) == NULL) continue;
        ch__value **xs = operands_of(c);
        xs[i] = T(c, i);
        ch__value *v = again(c, xs);
        sum = sum == NULL ? v : d_add(c, sum, v);
    }
    if (sum != NULL) ch__jvp_give(c, 0, sum);
}

// ---------------------------------------------------------------- the sweep over one func
static bool has_active_result(const ch__sweep *s, const ch__op *key) {
    for (int j = 0; j < key->n_results; j++)
        if (s->use->bits[key->results[j].id] & CH__ACTIVE) return true;
    return false;
}

static bool has_tangent(const ch__sweep *s, const ch__op *key) {
    for (int i = 0; i < key->n_operands; i++)
        if (s->tangent[key->operands[i]->id] != NULL) return true;
    return false;
}

static void along_op(ch__sweep *s, const ch__op *key) {
    const ch__rule *rule = ch__rules[key->code];
    bool active = has_active_result(s, key);
    ch__vjp c = {.s = s, .key = key};
    s->b.loc = key->loc;
    if (!active || !rule->whole) c.op = ch__clone_op(&s->b, key, &s->map, NULL, NULL);
    if (!active) return;
    assert(rule->forward != NULL);
    if (rule->whole || key->code == CH_OP_tape_new || has_tangent(s, key)) rule->forward(&c);
}

void ch__sweep_along(ch__sweep *s, const ch__region *key) {
    for (const ch__op *op = key->first; op != NULL; op = op->next) along_op(s, op);
}

// ---------------------------------------------------------------- funcs
ch_func *ch__func_like(ch__module *m, const ch_func *f, const char *name) {
    ch_func *d = ch__func_create(m, ch__module_fresh_name(m, name));
    for (int64_t i = 0; i < f->dims.n; i++)
        ch__func_add_dim(d, f->dims.data[i].name, f->dims.data[i].lo, f->dims.data[i].hi);
    for (int64_t i = 0; i < f->requires_.n; i++) CH_PUSH(m->arena, &d->requires_, f->requires_.data[i]);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__value *v = f->body->params[i];
        ch__func_add_param(d, v->name, v->type);
        ch__set_param_sharding(d, i, ch__param_sharding(f, i));
    }
    d->loc = f->loc;
    return d;
}

static ch__value *add_tangent_param(ch_func *d, const ch__value *p, int i) {
    ch__arena *a = d->module->arena;
    const char *base = p->name != NULL ? ch__arena_printf(a, "%s_dot", p->name) : ch__arena_printf(a, "dot%d", i);
    return ch__func_add_param(d, ch__fresh_param(d, base), p->type);
}

static void forward_init(ch__sweep *s, struct ch__forward_plan *p, const ch__use *use, ch_func *d, ch__arena *scratch) {
    memset(s, 0, sizeof *s);
    int32_t n = use->func->n_values;
    s->scratch = scratch;
    s->activity = &p->activity;
    s->use = use;
    s->forward = p;
    s->func = d;
    s->map = (ch__value_map){.to = CH_NEW_ARRAY(scratch, ch__value *, n), .n = n};
    s->tangent = CH_NEW_ARRAY(scratch, ch__value *, n);
    s->b = ch__builder_at_end(d->body);
    memset(s->reads, 0xff, sizeof s->reads); // nothing is kept for later: every rule may read everything
    for (int i = 0; i < use->func->body->n_params; i++) s->map.to[use->func->body->params[i]->id] = d->body->params[i];
}

static void set_tangent_param(ch__sweep *s, const ch__value *p, ch__value *dot) {
    if (s->use->bits[p->id] & CH__ACTIVE) s->tangent[p->id] = dot;
}

ch_func *ch__forward_call(ch__sweep *s, ch__use *u) {
    struct ch__forward_plan *p = s->forward;
    const char *key = ch__arena_printf(p->scratch, "%p", (void *)u);
    forward_item *item = ch__strmap_get(&p->by_key, key);
    if (item != NULL) return item->func;
    const ch_func *f = u->func;
    item = CH_NEW(p->scratch, forward_item);
    *item = (forward_item){u, ch__func_like(p->module, f, ch__arena_printf(p->module->arena, "%s_dot", f->name))};
    for (int i = 0; i < f->body->n_params; i++)
        if (u->active_in[i]) add_tangent_param(item->func, f->body->params[i], i);
    ch__strmap_put(&p->by_key, key, item);
    CH_PUSH(p->scratch, &p->todo, item);
    return item->func;
}

static void fill_forward(struct ch__forward_plan *p, const forward_item *item) {
    const ch_func *f = item->use->func;
    ch_func *d = item->func;
    ch__arena *scratch = ch__arena_create();
    ch__sweep s;
    forward_init(&s, p, item->use, d, scratch);
    int np = f->body->n_params, nr = f->body->n_results, n = 0;
    for (int i = 0, k = np; i < np; i++)
        if (item->use->active_in[i]) set_tangent_param(&s, f->body->params[i], d->body->params[k++]);
    ch__sweep_along(&s, f->body);
    ch__value **results = CH_NEW_ARRAY(scratch, ch__value *, 2 * nr);
    for (int i = 0; i < nr; i++) results[n++] = ch__sweep_held(&s, f->body->results[i]);
    for (int i = 0; i < nr; i++)
        if (item->use->active_out[i]) results[n++] = ch__sweep_tangent_full(&s, f->body->results[i]);
    ch__func_set_results(d, n, results, NULL);
    ch__arena_destroy(scratch);
}

// ---------------------------------------------------------------- the root
static void write_forward(struct ch__forward_plan *p, const ch__forward_options *o, const ch__use *use, ch_func *d) {
    const ch_func *f = use->func;
    ch__arena *scratch = ch__arena_create(), *a = d->module->arena;
    ch__sweep s;
    forward_init(&s, p, use, d, scratch);
    for (int i = 0; i < o->n_wrt; i++) {
        const ch__value *v = f->body->params[o->wrt[i]];
        set_tangent_param(&s, v, add_tangent_param(d, v, o->wrt[i]));
        ch__set_param_sharding(d, d->body->n_params - 1, ch__param_sharding(f, o->wrt[i])); // it lies as v does
    }
    ch__sweep_along(&s, f->body);
    int nr = f->body->n_results, n = 0;
    ch__value **results = CH_NEW_ARRAY(scratch, ch__value *, 2 * nr);
    const char **names = CH_NEW_ARRAY(scratch, const char *, 2 * nr);
    for (int i = 0; i < nr && o->include_value; i++) {
        results[n] = ch__sweep_held(&s, f->body->results[i]);
        names[n++] = f->result_names != NULL ? f->result_names[i] : NULL;
    }
    for (int i = 0; i < nr; i++) {
        const ch__value *v = f->body->results[i];
        if (!ch__is_float(v->type->dtype)) continue;
        const char *name = f->result_names != NULL && f->result_names[i] != NULL ? f->result_names[i] : v->name;
        const char *base = name != NULL ? ch__arena_printf(a, "%s_dot", name) : ch__arena_printf(a, "dot%d", i);
        results[n] = ch__sweep_tangent_full(&s, v);
        names[n] = ch__fresh_among(a, n, names, base);
        n++;
    }
    ch__func_set_results(d, n, results, names);
    n = 0;
    for (int i = 0; i < nr && o->include_value; i++) ch__set_result_sharding(d, n++, ch__result_sharding(f, i));
    for (int i = 0; i < nr; i++)
        if (ch__is_float(f->body->results[i]->type->dtype)) ch__set_result_sharding(d, n++, ch__result_sharding(f, i));
    ch__arena_destroy(scratch);
}

ch_func *ch__forward(const ch_func *f, const ch__forward_options *o) {
    ch__arena *scratch = ch__arena_create();
    ch_func *clone = ch__func_clone(f);
    struct ch__forward_plan p = {.scratch = scratch, .module = clone->module};
    for (ch_func *g = clone->module->first; g != NULL; g = g->next)
        if (ch__count_op_code(g, CH_OP_composite) > 0) ch__inline_for_forward(g);
    for (ch_func *g = clone->module->first; g != NULL; g = g->next) ch__open_guards(g);
    const ch__region *body = clone->body;
    uint8_t *varied = CH_NEW_ARRAY(scratch, uint8_t, body->n_params),
            *active = CH_NEW_ARRAY(scratch, uint8_t, body->n_results);
    for (int i = 0; i < o->n_wrt; i++) varied[o->wrt[i]] = 1;
    for (int i = 0; i < body->n_results; i++) active[i] = ch__is_float(body->results[i]->type->dtype);
    ch__activity_init(&p.activity, scratch);
    p.activity.forward = true;
    ch__strmap_init(&p.by_key, scratch);
    ch__use *use = ch__activity_of(&p.activity, clone, varied, active);
    ch__refuse_missing(&p.activity, use, f->name, true);
    if (!o->lenient) ch__check_influence(use, o->n_wrt, o->wrt, f->name);
    ch_func *d = ch__func_like(p.module, clone, ch__arena_printf(p.module->arena, "%s_jvp", f->name));
    write_forward(&p, o, use, d);
    while (p.todo.n > 0) fill_forward(&p, p.todo.data[--p.todo.n]);
    ch__dce_funcs(d);
    if (!o->raw)
        for (ch_func *g = d->module->first; g != NULL; g = g->next) ch__optimize(g);
    ch__settle_calls(d->module);
    ch__dce_funcs(d);
    ch__arena_destroy(scratch);
    return d;
}
