// SPDX-License-Identifier: Apache-2.0
// rules_control.c - derivatives of branches, calls and what only orders or stops.
//
//     y = if p { u = sin x; yield u } else { yield x }
//     x_bar = if p { u = sin x; t = y_bar * cos x; yield t } else { yield y_bar }
//
// The reverse of a branch is a branch on the same predicate. Each side computes the primal ops of its side again and
// runs their rules backwards; what it yields are the adjoints of the values captured from outside. A side that does not
// use one of them yields zeros, so those adjoints are masked: what made the value is not to turn 0 * inf into NaN. An
// adjoint that is there already is carried through: each side yields it with what it adds.
#include "diff/rules.h"

// ---------------------------------------------------------------- if
typedef struct {
    ch__sweep *s;
    int32_t inside;   // stamp of values defined in the branch
    int32_t captured; // stamp of those already listed
    ch__captures list;
} capture_state;

static void capture(capture_state *t, const ch__value *v) {
    int32_t seen = t->s->seen[v->id];
    if (seen == t->inside || seen == t->captured) return;
    if (!(t->s->use->bits[v->id] & CH__ACTIVE)) return;
    t->s->seen[v->id] = t->captured;
    CH_PUSH(t->s->scratch, &t->list, v);
}

// In order, so that a value is stamped before its uses. Recurses on nesting only.
static void capture_region(capture_state *t, const ch__region *r) {
    for (int i = 0; i < r->n_params; i++) t->s->seen[r->params[i]->id] = t->inside;
    for (const ch__op *op = r->first; op != NULL; op = op->next) {
        for (int i = 0; i < op->n_operands; i++) capture(t, op->operands[i]);
        for (int i = 0; i < op->n_regions; i++) capture_region(t, op->regions[i]);
        for (int i = 0; i < op->n_results; i++) t->s->seen[op->results[i].id] = t->inside;
    }
    for (int i = 0; i < r->n_results; i++) capture(t, r->results[i]);
}

void ch__capture_active(ch__sweep *s, const ch__op *key, ch__captures *out) {
    capture_state t = {.s = s, .inside = s->stamp + 1, .captured = s->stamp + 2};
    s->stamp += 2;
    for (int k = 0; k < key->n_regions; k++) capture_region(&t, key->regions[k]);
    *out = t.list;
}

typedef struct {
    ch__value **adjoint;
    uint8_t *masked;
    ch__region *region;
} branch_side;

// An adjoint so far goes into the branch, which adds to it in place.
static bool adds_on(const ch__value *adjoint) { return adjoint != NULL && !adjoint->type->tape; }

// One side: primal ops again, rules backwards. The adjoints of captured values are summed apart from those outside.
static void branch_sweep(ch__vjp *c, int k, const ch__captures *list, ch__value *const *seeds, branch_side *out) {
    ch__sweep *s = c->s;
    const ch__region *key = c->key->regions[k];
    ch__builder outer = s->b;
    int64_t n = list->n;
    ch__value **saved = CH_NEW_ARRAY(s->scratch, ch__value *, n);
    uint8_t *saved_masked = CH_NEW_ARRAY(s->scratch, uint8_t, n);
    for (int64_t i = 0; i < n; i++) {
        int32_t id = list->data[i]->id;
        saved[i] = s->adjoint[id];
        saved_masked[i] = s->masked[id];
        s->adjoint[id] = adds_on(saved[i]) ? saved[i] : NULL;
        s->masked[id] = 0;
    }
    out->region = ch__region_create(s->func, NULL);
    s->b = ch__builder_at_end(out->region);
    ch__sweep_clone(s, key);
    for (int j = 0; j < c->key->n_results; j++) {
        const ch__value *yielded = key->results[j];
        if (seeds[j] != NULL && s->use->bits[yielded->id] & CH__ACTIVE) ch__sweep_add(s, yielded, seeds[j], c->masked);
    }
    ch__sweep_back(s, key->last);
    out->adjoint = CH_NEW_ARRAY(s->scratch, ch__value *, n);
    out->masked = CH_NEW_ARRAY(s->scratch, uint8_t, n);
    for (int64_t i = 0; i < n; i++) {
        int32_t id = list->data[i]->id;
        out->adjoint[i] = s->adjoint[id];
        out->masked[i] = s->masked[id];
        s->adjoint[id] = saved[i];
        s->masked[id] = saved_masked[i];
    }
    s->b = outer;
}

static bool changed(const ch__sweep *s, const ch__captures *list, const branch_side *side, int64_t i) {
    const ch__value *before = s->adjoint[list->data[i]->id];
    if (!adds_on(before)) before = NULL;
    return side[0].adjoint[i] != before || side[1].adjoint[i] != before;
}

static void if_vjp(ch__vjp *c) {
    ch__sweep *s = c->s;
    ch__captures list;
    ch__capture_active(s, c->key, &list);
    ch__value **seeds = CH_NEW_ARRAY(s->scratch, ch__value *, c->key->n_results);
    for (int j = 0; j < c->key->n_results; j++) seeds[j] = ch__vjp_adjoint(c, j);
    branch_side side[2];
    for (int k = 0; k < 2; k++) branch_sweep(c, k, &list, seeds, &side[k]);

    int64_t n = 0, *which = CH_NEW_ARRAY(s->scratch, int64_t, list.n);
    for (int64_t i = 0; i < list.n; i++)
        if (changed(s, &list, side, i)) which[n++] = i;
    if (n == 0) return;
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n);
    for (int64_t i = 0; i < n; i++)
        types[i] = (side[0].adjoint[which[i]] != NULL ? side[0].adjoint : side[1].adjoint)[which[i]]->type;
    ch__region *regions[2];
    for (int k = 0; k < 2; k++) {
        ch__value **results = CH_NEW_ARRAY(s->scratch, ch__value *, n);
        ch__builder b = ch__builder_at_end(side[k].region);
        b.loc = c->op->loc;
        for (int64_t i = 0; i < n; i++) {
            results[i] = side[k].adjoint[which[i]];
            if (results[i] == NULL) results[i] = ch__b_splat(&b, types[i], 0.0);
        }
        ch__region_set_results(side[k].region, (int)n, results);
        regions[k] = side[k].region;
    }
    ch__value *pred = X(c, 0);
    ch__op *op = ch__build_raw(B(c), CH_OP_if, 1, &pred, 0, NULL, (int)n, types, 2, regions);
    for (int64_t i = 0; i < n; i++) {
        int64_t w = which[i];
        int32_t id = list.data[w]->id;
        if (adds_on(s->adjoint[id])) { // with what there was
            s->masked[id] |= side[0].masked[w] || side[1].masked[w];
            s->adjoint[id] = &op->results[i];
            continue;
        }
        bool one_sided = side[0].adjoint[w] == NULL || side[1].adjoint[w] == NULL;
        ch__sweep_add(s, list.data[w], &op->results[i], one_sided || side[0].masked[w] || side[1].masked[w]);
    }
}

// ---------------------------------------------------------------- call
// A value that is passed twice has its sum so far in the last place only.
static bool is_last(const ch__vjp *c, int i) {
    for (int k = i + 1; k < c->key->n_operands; k++)
        if (c->key->operands[k] == c->key->operands[i]) return false;
    return true;
}

static ch__value *so_far(ch__vjp *c, int i) {
    const ch__type *t = ch__vjp_type(c, i);
    ch__value *sum = ch__vjp_wants(c, i) && is_last(c, i) ? c->s->adjoint[c->key->operands[i]->id] : NULL;
    if (sum == NULL) return ch__d_zeros(c, t);
    return ch__b_convert(B(c), sum, t->dtype);
}

// The adjoint of a call may be masked by what the callee does; nothing is known of it here, so it is taken to be.
static void call_vjp(ch__vjp *c) {
    ch__sweep *s = c->s;
    ch__use *u = ch__activity_call(s->activity, s->use, c->key);
    ch_func *d = ch__plan_call(s, u, c->masked);
    int n_args = c->op->n_operands, n = 0, n_types = 0;
    ch__value **args = CH_NEW_ARRAY(s->scratch, ch__value *, 2 * n_args + c->op->n_results);
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n_args);
    for (; n < n_args; n++) args[n] = X(c, n);
    for (int j = 0; j < c->op->n_results; j++) {
        if (!u->active_out[j]) continue;
        ch__value *adj = ch__vjp_adjoint(c, j);
        args[n++] = adj != NULL ? adj : ch__d_zeros(c, c->op->results[j].type);
    }
    for (int i = 0; i < n_args; i++)
        if (u->active_in[i]) types[n_types++] = ch__vjp_type(c, i);
    if (n_types == 0) return;
    for (int i = 0; i < n_args; i++)
        if (u->active_in[i] && ch__adds_in_place(u->func->body->params[i])) args[n++] = so_far(c, i);
    ch__attr callee = ch__attr_func(CH__ATTR_callee, d);
    ch__op *op = ch__build_raw(B(c), CH_OP_call, n, args, 1, &callee, n_types, types, 0, NULL);
    c->masked = true;
    for (int added = 0; added < 2; added++) // sums that went in come out first
        for (int i = 0, k = 0; i < n_args; i++) {
            if (!u->active_in[i]) continue;
            ch__value *adj = &op->results[k++];
            bool instead = ch__adds_in_place(u->func->body->params[i]) && is_last(c, i);
            if (!ch__vjp_wants(c, i) || instead == added) continue;
            if (instead) c->s->adjoint[c->key->operands[i]->id] = NULL;
            ch__vjp_give(c, i, adj);
        }
}

// ---------------------------------------------------------------- the rest
static void barrier_vjp(ch__vjp *c) {
    for (int i = 0; i < c->key->n_operands; i++)
        if (ch__vjp_adjoint(c, i) != NULL && ch__vjp_wants(c, i)) ch__vjp_give(c, i, ch__vjp_adjoint(c, i));
}
static void stopped_vjp(ch__vjp *c) {
    (void)c;
    assert(!"nothing flows through stop_gradient");
}
static void leaf_vjp(ch__vjp *c) {
    (void)c;
    assert(!"a constant has no operand to be active");
}

static void barrier_jvp(ch__vjp *c) {
    for (int i = 0; i < c->key->n_operands; i++)
        if (ch__jvp_wants(c, i)) ch__jvp_give(c, i, ch__jvp_tangent_raw(c, i));
}

const ch__rule ch__rule_if = {.reverse = if_vjp, .forward = ch__if_jvp, .whole = true};
const ch__rule ch__rule_call = {.reverse = call_vjp, .forward = ch__call_jvp, .whole = true};
CH__RULE_BUT(stop_gradient, stopped_vjp, stopped_vjp, CH__NOTHING_FLOWS);
const ch__rule ch__rule_barrier = {.reverse = barrier_vjp, .forward = barrier_jvp, .pairwise = true};
CH__RULE(const, leaf_vjp, leaf_vjp);
