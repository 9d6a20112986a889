// SPDX-License-Identifier: Apache-2.0
// forward_control.c - forward rules of branches, loops, calls and tapes: the op again with the tangents beside.
//
//     y = if p { u = sin x; yield u } else { yield x }
//     y, y_dot = if p { u = sin x; u_dot = x_dot * cos x; yield u, u_dot } else { yield x, x_dot }
//
//     r = for i = lo to hi iter(a = a0) { ... yield b }
//     r, r_dot = for i = lo to hi iter(a = a0, a_dot = a0_dot) { ... yield b, b_dot }
//
// The tangent of an iter value is carried when it or the loop's result is active, as activity.c finds it over all
// iterations; where it starts as zero, the zeros are written down. A tape of values has a tape of tangents beside it,
// pushed and popped together.
#include "diff/rules.h"

static bool along_active(const ch__vjp *c, const ch__value *k) { return c->s->use->bits[k->id] & CH__ACTIVE; }

// The op's own results are the first of `op`; tangents follow for the results listed in `which`.
static void enter_results(ch__vjp *c, ch__op *op, int n_which, const int *which) {
    const ch__op *key = c->key;
    for (int j = 0; j < key->n_results; j++) {
        c->s->map.to[key->results[j].id] = &op->results[j];
        op->results[j].name = key->results[j].name;
    }
    c->op = op;
    for (int k = 0; k < n_which; k++)
        if (ch__jvp_wants(c, which[k])) ch__jvp_give(c, which[k], &op->results[key->n_results + k]);
    for (int k = 0; k < n_which; k++) // results have an op; its name may be taken on
        if (ch__jvp_wants(c, which[k]) && key->results[which[k]].name != NULL)
            op->results[key->n_results + k].name =
                ch__arena_printf(c->s->func->module->arena, "%s_dot", key->results[which[k]].name);
}

// ---------------------------------------------------------------- if
void ch__if_jvp(ch__vjp *c) {
    ch__sweep *s = c->s;
    const ch__op *key = c->key;
    ch__builder outer = s->b;
    int n = key->n_results, n_which = 0, *which = CH_NEW_ARRAY(s->scratch, int, n);
    ch__value **results[2];
    ch__region *regions[2];
    uint8_t *known = CH_NEW_ARRAY(s->scratch, uint8_t, n); // some side has a tangent
    for (int k = 0; k < 2; k++) {
        regions[k] = ch__region_create(s->func, NULL);
        s->b = ch__builder_at_end(regions[k]);
        ch__sweep_along(s, key->regions[k]);
        for (int j = 0; j < n; j++) known[j] |= s->tangent[key->regions[k]->results[j]->id] != NULL;
    }
    for (int j = 0; j < n; j++)
        if (along_active(c, &key->results[j]) && known[j]) which[n_which++] = j;
    for (int k = 0; k < 2; k++) {
        const ch__region *side = key->regions[k];
        results[k] = CH_NEW_ARRAY(s->scratch, ch__value *, n + n_which);
        s->b = ch__builder_at_end(regions[k]);
        s->b.loc = key->loc;
        for (int j = 0; j < n; j++) results[k][j] = ch__sweep_held(s, side->results[j]);
        for (int j = 0; j < n_which; j++) results[k][n + j] = ch__sweep_tangent_full(s, side->results[which[j]]);
        ch__region_set_results(regions[k], n + n_which, results[k]);
    }
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n + n_which);
    for (int j = 0; j < n + n_which; j++) types[j] = results[0][j]->type;
    s->b = outer;
    s->b.loc = key->loc;
    ch__value *pred = ch__sweep_held(s, key->operands[0]);
    enter_results(c, ch__build_raw(&s->b, CH_OP_if, 1, &pred, key->n_attrs, key->attrs, n + n_which, types, 2, regions),
                  n_which, which);
}

// ---------------------------------------------------------------- for, while
typedef struct {
    int bounds, counters; // operands before the inits; params before the iter values
    int n, n_which, *which;
    ch__value **inits; // bounds, inits, tangents
    const ch__type **types;
} loop_shape;

static loop_shape loop_begin(ch__vjp *c, int bounds, int counters) {
    ch__sweep *s = c->s;
    const ch__op *key = c->key;
    const ch__region *body = key->regions[key->n_regions - 1];
    loop_shape l = {bounds, counters, key->n_results, 0, CH_NEW_ARRAY(s->scratch, int, key->n_results), NULL, NULL};
    for (int j = 0; j < l.n; j++)
        if (along_active(c, &key->results[j]) || along_active(c, body->params[counters + j])) l.which[l.n_which++] = j;
    l.inits = CH_NEW_ARRAY(s->scratch, ch__value *, bounds + l.n + l.n_which);
    l.types = CH_NEW_ARRAY(s->scratch, const ch__type *, l.n + l.n_which);
    for (int i = 0; i < bounds + l.n; i++) l.inits[i] = ch__sweep_held(s, key->operands[i]);
    for (int k = 0; k < l.n_which; k++)
        l.inits[bounds + l.n + k] = ch__sweep_tangent_full(s, key->operands[bounds + l.which[k]]);
    for (int i = 0; i < l.n + l.n_which; i++) l.types[i] = l.inits[bounds + i]->type;
    return l;
}

// A region with the key's params and, after them, their tangents; s->b stands in it.
static ch__region *loop_region(ch__vjp *c, const loop_shape *l, const ch__region *key) {
    ch__sweep *s = c->s;
    ch__region *r = ch__region_create(s->func, NULL);
    for (int i = 0; i < key->n_params; i++) {
        const ch__value *p = key->params[i];
        const ch__type *t = i < l->counters ? p->type : l->types[i - l->counters];
        s->map.to[p->id] = ch__region_add_param(r, p->name, t);
    }
    for (int k = 0; k < l->n_which; k++) {
        const ch__value *p = key->params[l->counters + l->which[k]];
        const char *name = p->name == NULL ? NULL : ch__arena_printf(s->func->module->arena, "%s_dot", p->name);
        s->tangent[p->id] = ch__region_add_param(r, name, l->types[l->n + k]);
    }
    s->b = ch__builder_at_end(r);
    return r;
}

static ch__region *loop_body(ch__vjp *c, const loop_shape *l) {
    ch__sweep *s = c->s;
    const ch__region *key = c->key->regions[c->key->n_regions - 1];
    ch__region *r = loop_region(c, l, key);
    ch__sweep_along(s, key);
    ch__value **results = CH_NEW_ARRAY(s->scratch, ch__value *, l->n + l->n_which);
    s->b.loc = c->key->loc;
    for (int i = 0; i < l->n; i++) results[i] = ch__sweep_held(s, key->results[i]);
    for (int k = 0; k < l->n_which; k++) results[l->n + k] = ch__sweep_tangent_full(s, key->results[l->which[k]]);
    ch__region_set_results(r, l->n + l->n_which, results);
    return r;
}

static void loop_end(ch__vjp *c, const loop_shape *l, const ch__builder *outer, int n_regions, ch__region **regions) {
    ch__sweep *s = c->s;
    s->b = *outer;
    s->b.loc = c->key->loc;
    enter_results(c,
                  ch__build_raw(&s->b, (ch__opcode)c->key->code, l->bounds + l->n + l->n_which, l->inits,
                                c->key->n_attrs, c->key->attrs, l->n + l->n_which, l->types, n_regions, regions),
                  l->n_which, l->which);
}

void ch__for_jvp(ch__vjp *c) {
    ch__builder outer = c->s->b;
    loop_shape l = loop_begin(c, 3, 1);
    ch__region *body = loop_body(c, &l);
    loop_end(c, &l, &outer, 1, &body);
}

// The condition sees tangents and needs none: nothing that flows reaches a bool.
void ch__while_jvp(ch__vjp *c) {
    ch__sweep *s = c->s;
    ch__builder outer = s->b;
    const ch__region *key = c->key->regions[0];
    loop_shape l = loop_begin(c, 0, 0);
    ch__region *regions[2] = {loop_region(c, &l, key), NULL};
    ch__clone_region_ops(&s->b, key, &s->map, NULL, NULL);
    ch__value *go_on = ch__sweep_held(s, key->results[0]);
    ch__region_set_results(regions[0], 1, &go_on);
    regions[1] = loop_body(c, &l);
    loop_end(c, &l, &outer, 2, regions);
}

// ---------------------------------------------------------------- call
void ch__call_jvp(ch__vjp *c) {
    ch__sweep *s = c->s;
    const ch__op *key = c->key;
    ch__use *u = ch__activity_call(s->activity, s->use, key);
    int n = key->n_results, n_args = key->n_operands, n_which = 0, *which = CH_NEW_ARRAY(s->scratch, int, n);
    ch__value **args = CH_NEW_ARRAY(s->scratch, ch__value *, 2 * n_args);
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, 2 * n);
    for (int i = 0; i < key->n_operands; i++) args[i] = ch__sweep_held(s, key->operands[i]);
    for (int i = 0; i < key->n_operands; i++)
        if (u->active_in[i]) args[n_args++] = ch__sweep_tangent_full(s, key->operands[i]);
    // The primal call gives the types, local sizes included; it goes when nothing else needs it.
    ch__op *primal = ch__clone_op(&s->b, key, &s->map, NULL, NULL);
    for (int j = 0; j < n; j++) types[j] = primal->results[j].type;
    for (int j = 0; j < n; j++) {
        if (!u->active_out[j]) continue;
        types[n + n_which] = types[j];
        which[n_which++] = j;
    }
    ch__attr callee = ch__attr_func(CH__ATTR_callee, ch__forward_call(s, u));
    ch__op *op = ch__build_raw(&s->b, CH_OP_call, n_args, args, 1, &callee, n + n_which, types, 0, NULL);
    ch__op_remove(primal);
    enter_results(c, op, n_which, which);
}

// ---------------------------------------------------------------- tapes
void ch__tape_new_jvp(ch__vjp *c) {
    const ch__type *t = c->op->results[0].type;
    ch__jvp_give(c, 0,
                 ch__build_raw(B(c), CH_OP_tape_new, 0, NULL, c->op->n_attrs, c->op->attrs, 1, &t, 0, NULL)->results);
}

void ch__push_jvp(ch__vjp *c) {
    const ch__type *t = c->op->results[0].type;
    ch__value *xs[2] = {ch__jvp_tangent_full(c, 0), ch__jvp_tangent_full(c, 1)};
    ch__jvp_give(c, 0, ch__build_raw(B(c), CH_OP_push, 2, xs, 0, NULL, 1, &t, 0, NULL)->results);
}

void ch__pop_jvp(ch__vjp *c) {
    const ch__type *types[2] = {c->op->results[0].type, c->op->results[1].type};
    ch__value *tape = ch__jvp_tangent_full(c, 0);
    ch__op *op = ch__build_raw(B(c), CH_OP_pop, 1, &tape, 0, NULL, 2, types, 0, NULL);
    for (int j = 0; j < 2; j++)
        if (ch__jvp_wants(c, j)) ch__jvp_give(c, j, &op->results[j]);
}
