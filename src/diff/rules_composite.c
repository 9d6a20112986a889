// SPDX-License-Identifier: Apache-2.0
// rules_composite.c - composites on a reverse path: those that bring a rule, and those that are computed again (remat).
//
//     y = composite "square"(t = x) { t * t } vjp(t, y, y_bar) { 3 y_bar }        x_bar = 3 y_bar
//
// The rule of a composite stands in for the derivative of its body: its ops are copied to where the sweep is, operands,
// results and adjoints in place of its params. They are ops like any other afterwards, so a derivative of the
// derivative goes through them. What body and rule take from outside gets nothing: the rule speaks of operands only.
//
// Of a composite with remat no value inside is kept: the body is computed a second time in the sweep, from operands and
// captured values that have passed a barrier together with the adjoints, so that no pass merges the two computations
// and none can begin the second before the adjoints are there. All other composites are inlined before the sweep.
#include "diff/rules.h"

// ---------------------------------------------------------------- rules
static void rule_vjp(ch__vjp *c, const ch__region *rule) {
    ch__sweep *s = c->s;
    int n = 0, n_in = c->op->n_operands, n_out = c->op->n_results;
    for (int i = 0; i < n_in; i++) s->map.to[rule->params[n++]->id] = X(c, i);
    for (int j = 0; j < n_out; j++) s->map.to[rule->params[n++]->id] = ch__vjp_result(c, j);
    for (int j = 0; j < n_out; j++) {
        const ch__type *t = c->op->results[j].type;
        if (!ch__is_float(t->dtype)) continue;
        ch__value *adj = ch__vjp_adjoint(c, j);
        s->map.to[rule->params[n++]->id] = adj != NULL ? adj : ch__d_zeros(c, t);
    }
    ch__clone_region_ops(&s->b, rule, &s->map, NULL, NULL);
    for (int i = 0, k = 0; i < n_in; i++) {
        if (!ch__is_float(c->op->operands[i]->type->dtype)) continue;
        const ch__value *v = rule->results[k++];
        ch__value *to = s->map.to[v->id];
        if (ch__vjp_wants(c, i)) ch__vjp_give(c, i, to != NULL ? to : (ch__value *)v);
    }
}

// ---------------------------------------------------------------- computed again
typedef struct {
    ch__sweep *s;
    int32_t inside, listed; // stamps
    CH_VEC(const ch__value *) list;
} outside_state;

static void outside_value(outside_state *t, const ch__value *v) {
    int32_t seen = t->s->seen[v->id];
    if (seen == t->inside || seen == t->listed) return;
    if (v->op != NULL && (v->op->code == CH_OP_const || v->op->code == CH_OP_dim)) return;
    t->s->seen[v->id] = t->listed;
    CH_PUSH(t->s->scratch, &t->list, v);
}

// What the region takes from outside, in order of use. Recurses on nesting only.
static void outside_region(outside_state *t, const ch__region *r) {
    for (int i = 0; i < r->n_params; i++) t->s->seen[r->params[i]->id] = t->inside;
    for (const ch__op *op = r->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_operands; i++) outside_value(t, op->operands[i]);
        for (int i = 0; i < op->n_regions; i++) outside_region(t, op->regions[i]);
        for (int i = 0; i < op->n_results; i++) t->s->seen[op->results[i].id] = t->inside;
    }
    for (int i = 0; i < r->n_results; i++) outside_value(t, r->results[i]);
}

// Operands, captured values and adjoints behind one barrier. Gives its results, in that order.
static ch__value *behind_barrier(ch__vjp *c, const outside_state *t, ch__value *const *adjoints) {
    ch__sweep *s = c->s;
    int n = 0, most = c->op->n_operands + (int)t->list.n + c->op->n_results;
    ch__value **xs = CH_NEW_ARRAY(s->scratch, ch__value *, most);
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, most);
    for (int i = 0; i < c->op->n_operands; i++) xs[n++] = X(c, i);
    for (int64_t i = 0; i < t->list.n; i++) {
        ch__value *to = s->map.to[t->list.data[i]->id];
        xs[n++] = to != NULL ? to : (ch__value *)t->list.data[i];
    }
    for (int j = 0; j < c->op->n_results; j++)
        if (adjoints[j] != NULL) xs[n++] = adjoints[j];
    for (int i = 0; i < n; i++) types[i] = xs[i]->type;
    return ch__build_raw(B(c), CH_OP_barrier, n, xs, 0, NULL, n, types, 0, NULL)->results;
}

static void again_vjp(ch__vjp *c) {
    ch__sweep *s = c->s;
    const ch__region *body = c->key->regions[0];
    outside_state t = {.s = s, .inside = s->stamp + 1, .listed = s->stamp + 2};
    s->stamp += 2;
    outside_region(&t, body);
    ch__value **adjoints = CH_NEW_ARRAY(s->scratch, ch__value *, c->op->n_results);
    for (int j = 0; j < c->op->n_results; j++) adjoints[j] = ch__vjp_adjoint(c, j);
    ch__value *passed = behind_barrier(c, &t, adjoints);
    for (int i = 0; i < body->n_params; i++) s->map.to[body->params[i]->id] = passed++;
    ch__value **held = CH_NEW_ARRAY(s->scratch, ch__value *, t.list.n);
    for (int64_t i = 0; i < t.list.n; i++) {
        held[i] = s->map.to[t.list.data[i]->id];
        s->map.to[t.list.data[i]->id] = passed++;
    }
    ch__clone_region_ops(&s->b, body, &s->map, NULL, NULL);
    for (int j = 0; j < c->op->n_results; j++) {
        if (adjoints[j] == NULL) continue;
        ch__value *seed = passed++;
        if (s->use->bits[body->results[j]->id] & CH__ACTIVE) ch__sweep_add(s, body->results[j], seed, c->masked);
    }
    ch__sweep_back(s, body->last);
    for (int64_t i = 0; i < t.list.n; i++) s->map.to[t.list.data[i]->id] = held[i];
    bool masked = c->masked;
    s->b.loc = c->op->loc;
    for (int i = 0; i < body->n_params; i++) {
        int32_t id = body->params[i]->id;
        ch__value *adj = s->adjoint[id];
        c->masked = masked || s->masked[id];
        if (adj != NULL && ch__vjp_wants(c, i)) ch__vjp_give(c, i, adj);
        s->adjoint[id] = NULL;
        s->masked[id] = 0;
    }
    c->masked = masked;
}

static void composite_vjp(ch__vjp *c) {
    const ch__region *rule = ch__composite_rule(c->key, CH__RULE_VJP);
    if (rule != NULL)
        rule_vjp(c, rule);
    else
        again_vjp(c);
}

// Forwards only composites with a rule are left. The rule takes the operands and a tangent for each floating one.
static void composite_jvp(ch__vjp *c) {
    ch__sweep *s = c->s;
    const ch__region *rule = ch__composite_rule(c->key, CH__RULE_JVP);
    int n = 0, n_in = c->key->n_operands;
    for (int i = 0; i < n_in; i++) s->map.to[rule->params[n++]->id] = X(c, i);
    for (int i = 0; i < n_in; i++)
        if (ch__is_float(ch__vjp_type(c, i)->dtype)) s->map.to[rule->params[n++]->id] = ch__jvp_tangent_full(c, i);
    ch__clone_region_ops(&s->b, rule, &s->map, NULL, NULL);
    for (int j = 0, k = 0; j < c->key->n_results; j++) {
        if (!ch__is_float(c->key->results[j].type->dtype)) continue;
        const ch__value *v = rule->results[k++];
        if (ch__jvp_wants(c, j)) ch__jvp_give(c, j, ch__sweep_held(s, v));
    }
}

CH__RULE(composite, composite_vjp, composite_jvp);
