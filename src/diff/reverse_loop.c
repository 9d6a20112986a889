// SPDX-License-Identifier: Apache-2.0
// reverse_loop.c - the reverse of for and while.
//
//     y = for i = lo to hi iter(x = x0) { u = sin x;  yield u }
//
//     y, t = for i = lo to hi iter(x = x0, t = tape_new) { u = sin x;  t' = push t, x;  yield u, t' }
//     x0_bar = for i = last to lo - 1 step -1 iter(x_bar = y_bar, t) {
//         t', x = pop t;  c = cos x;  d = mul x_bar, c;  yield d, t' }
//
// The reverse runs the iterations the other way round. Each is computed again from what was kept of it (keep.c says
// what that is; the loop that was there gets a tape for each such value), then the rules of its ops run backwards. The
// reverse carries the adjoints of the active state and, as sums that go on growing, those of active values from
// outside. A while counts its iterations beside its state and its reverse is a for over that count.
//
// The iteration is written again as a whole; what no rule reads is dead and goes with the usual pass.
//
// Masks (docs/derivatives.md, zeros that stay zeros): an adjoint that goes round may become masked by an iteration; the
// body is written again until the marks are stable. Adjoints that start as zeros are not marked, so that loops stay
// plain.
#include "diff/loops.h"
#include "diff/rules.h"

// Zeros of a type, an empty tape for tapes.
ch__value *ch__loop_nothing(ch__builder *b, const ch__type *t) {
    if (!t->tape) return ch__b_splat(b, t, 0.0);
    return ch__build(b, CH_OP_tape_new, 0, NULL, 0, NULL, 1, &t, 0, NULL)->results;
}

static ch__value *held_now(const ch__sweep *s, const ch__value *k) {
    ch__value *v = s->map.to[k->id];
    return v != NULL ? v : (ch__value *)k;
}

static bool active(const ch__loop *l, const ch__value *k) { return l->s->use->bits[k->id] & CH__ACTIVE; }

static void list_values(ch__loop *l) {
    ch__arena *a = l->s->scratch;
    int64_t n = l->key->n_params;
    for (const ch__op *op = l->key->first; op != NULL; op = op->next) n += op->n_results;
    l->keys = CH_NEW_ARRAY(a, const ch__value *, n);
    l->held = CH_NEW_ARRAY(a, ch__value *, n);
    l->again = CH_NEW_ARRAY(a, ch__value *, n);
    for (int i = 0; i < l->key->n_params; i++) l->keys[l->n_values++] = l->key->params[i];
    for (const ch__op *op = l->key->first; op != NULL; op = op->next)
        for (int i = 0; i < op->n_results; i++) l->keys[l->n_values++] = &op->results[i];
    for (int64_t i = 0; i < l->n_values; i++) l->held[i] = held_now(l->s, l->keys[i]);
}

static void begin(ch__loop *l, ch__vjp *c) {
    ch__sweep *s = c->s;
    ch__arena *a = s->scratch;
    *l =
        (ch__loop){.c = c, .s = s, .op = (ch__op *)c->op, .counted = c->key->code == CH_OP_for, .n = c->key->n_results};
    l->first = l->counted ? 1 : 0;
    l->inits = l->counted ? 3 : 0;
    l->key = c->key->regions[c->key->n_regions - 1];
    list_values(l);
    ch__capture_active(s, c->key, &l->captured);
    int64_t n_captured = l->captured.n;
    l->carried = CH_NEW_ARRAY(a, uint8_t, l->n);
    l->masked = CH_NEW_ARRAY(a, uint8_t, l->n);
    l->state = CH_NEW_ARRAY(a, ch__value *, l->n);
    l->next = CH_NEW_ARRAY(a, ch__value *, l->n);
    l->bars = CH_NEW_ARRAY(a, ch__value *, l->n);
    l->outs = CH_NEW_ARRAY(a, ch__value *, l->n);
    l->restores = CH_NEW_ARRAY(a, uint8_t, l->n);
    l->wanted = CH_NEW_ARRAY(a, uint8_t, l->n);
    l->at_once = CH_NEW_ARRAY(a, uint8_t, l->n);
    l->ends = CH_NEW_ARRAY(a, ch__value *, l->n);
    l->starts = CH_NEW_ARRAY(a, ch__value *, l->n);
    l->captured_masked = CH_NEW_ARRAY(a, uint8_t, n_captured);
    l->touched = CH_NEW_ARRAY(a, uint8_t, n_captured);
    l->saved = CH_NEW_ARRAY(a, ch__value *, n_captured);
    l->saved_masked = CH_NEW_ARRAY(a, uint8_t, n_captured);
    l->sums = CH_NEW_ARRAY(a, ch__value *, n_captured);
    l->sum_outs = CH_NEW_ARRAY(a, ch__value *, n_captured);
    for (int i = 0; i < l->n; i++) {
        const ch__value *result = &c->key->results[i];
        l->carried[i] = active(l, result) || active(l, l->key->params[l->first + i]);
        l->masked[i] = s->masked[result->id];
    }
    const ch__attr *policy = ch__op_attr(l->op, CH__ATTR_policy);
    l->plain = policy == NULL || strcmp(policy->s, "store") == 0;
    for (int i = 0; i < l->n; i++) l->plain |= l->key->results[i]->type->tape;
    for (const ch__op *op = l->key->first; op != NULL && l->plain; op = op->next)
        if (op->code == CH_OP_alloc && op->n_operands > 0) l->plain = false;
    for (int i = 0; i < l->n; i++) {
        l->restores[i] = l->plain && ch__restore_can(c->key, i);
        l->at_once[i] = l->restores[i] && ch__restore_at_once(c->key, i);
    }
    for (int64_t i = 0; i < n_captured; i++) {
        int32_t id = l->captured.data[i]->id;
        l->saved[i] = s->adjoint[id];
        l->saved_masked[i] = s->masked[id];
        l->captured_masked[i] = s->masked[id];
    }
}

// ---------------------------------------------------------------- the reverse body
static const char *bar_of(const ch__loop *l, const ch__value *k) {
    const char *name = k->name;
    return name == NULL ? NULL : ch__arena_printf(l->s->func->module->arena, "%s_bar", name);
}

static const ch__type *adjoint_type(const ch__loop *l, const ch__value *k) {
    const ch__type *t = held_now(l->s, k)->type;
    ch_dtype d = ch__adjoint_dtype(k);
    return d == t->dtype ? t : ch__type_with_dtype(l->s->func->module->arena, t, d);
}

static void write_iteration(ch__loop *l) {
    ch__sweep *s = l->s;
    l->region = ch__region_create(s->func, NULL);
    s->b = ch__builder_at_end(l->region);
    s->b.loc = l->op->loc;
    const ch__value *counter = l->counted ? l->key->params[0] : NULL;
    ch__value *at = ch__region_add_param(l->region, counter != NULL ? counter->name : NULL, ch__type_scalar(CH_I64));
    if (counter != NULL) s->map.to[counter->id] = at;
    for (int i = 0; i < l->n; i++) {
        const ch__value *p = l->key->params[l->first + i];
        const ch__type *t = l->op->regions[l->op->n_regions - 1]->params[l->first + i]->type;
        if (l->carried[i]) l->bars[i] = ch__region_add_param(l->region, bar_of(l, p), t);
    }
    for (int64_t i = 0; i < l->captured.n; i++)
        l->sums[i] =
            ch__region_add_param(l->region, bar_of(l, l->captured.data[i]), adjoint_type(l, l->captured.data[i]));
    for (int i = 0; i < l->n; i++) {
        const ch__value *p = l->key->params[l->first + i];
        const ch__type *t = l->op->regions[l->op->n_regions - 1]->params[l->first + i]->type;
        l->state[i] = s->map.to[p->id] = ch__region_add_param(l->region, p->name, t);
    }
    for (int i = 0; i < l->n; i++)
        if (l->restores[i]) l->ends[i] = ch__region_add_param(l->region, l->state[i]->name, l->state[i]->type);
    ch__sweep_clone(s, l->key);
    for (int i = 0; i < l->n; i++)
        if (l->restores[i]) ch__restore_note(s, l->c->key, i);
    l->marker = ch__b_splat(&s->b, ch__type_scalar(CH_I64), 0)->op;
}

static void sweep_iteration(ch__loop *l) {
    ch__sweep *s = l->s;
    for (int64_t i = 0; i < l->n_values; i++) {
        s->adjoint[l->keys[i]->id] = NULL;
        s->masked[l->keys[i]->id] = 0;
        s->restored[l->keys[i]->id] = NULL;
    }
    for (int i = 0; i < l->n; i++)
        if (l->restores[i] && !l->at_once[i]) ch__sweep_restored(s, l->key->results[i], l->ends[i]);
    for (int64_t i = 0; i < l->captured.n; i++) {
        s->adjoint[l->captured.data[i]->id] = l->sums[i];
        s->masked[l->captured.data[i]->id] = l->captured_masked[i];
    }
    for (int i = 0; i < l->n; i++)
        if (l->carried[i] && active(l, l->key->results[i]))
            ch__sweep_add(s, l->key->results[i], l->bars[i], l->masked[i]);
    ch__sweep_back(s, l->key->last);
}

// Takes the adjoints out; true when a mark is new.
static bool collect(ch__loop *l) {
    ch__sweep *s = l->s;
    bool grown = false;
    for (int i = 0; i < l->n; i++) {
        const ch__value *p = l->key->params[l->first + i];
        if (!l->carried[i]) continue;
        ch__value *v = s->adjoint[p->id];
        bool masked = s->masked[p->id];
        l->outs[i] = v != NULL ? v : ch__loop_nothing(&s->b, l->bars[i]->type);
        grown |= masked && !l->masked[i];
        l->masked[i] |= masked;
        s->adjoint[p->id] = NULL;
        s->masked[p->id] = 0;
    }
    for (int64_t i = 0; i < l->captured.n; i++) {
        int32_t id = l->captured.data[i]->id;
        l->sum_outs[i] = s->adjoint[id];
        l->touched[i] = s->adjoint[id] != l->sums[i];
        grown |= s->masked[id] && !l->captured_masked[i];
        l->captured_masked[i] |= s->masked[id];
    }
    for (int i = 0; i < l->n; i++) { // an inner loop that has no adjoint cannot be undone
        l->starts[i] = l->at_once[i]    ? l->state[i]
                       : l->restores[i] ? s->restored[l->key->params[l->first + i]->id]
                                        : NULL;
        grown |= l->restores[i] && l->starts[i] == NULL;
        l->restores[i] = l->starts[i] != NULL;
        l->next[i] = held_now(s, l->key->results[i]);
    }
    for (int64_t i = 0; i < l->n_values; i++) l->again[i] = held_now(s, l->keys[i]);
    return grown;
}

static void write_body(ch__loop *l) {
    ch__builder outer = l->s->b;
    int64_t mark = l->s->restored_keys.n;
    bool again;
    do {
        write_iteration(l);
        sweep_iteration(l);
        again = collect(l);
        ch__sweep_forget(l->s, mark);
    } while (again);
    l->s->b = outer;
    for (int64_t i = 0; i < l->captured.n; i++) {
        l->s->adjoint[l->captured.data[i]->id] = l->saved[i];
        l->s->masked[l->captured.data[i]->id] = l->saved_masked[i];
    }
}

// Params and results as they will stand: the counter, adjoints that go round, sums that change, arrays that are
// restored; the start state is taken out of the params.
static void settle_results(ch__loop *l) {
    ch__region *r = l->region;
    int n = 1, n_out = 0;
    ch__value **results = CH_NEW_ARRAY(l->s->scratch, ch__value *, 2 * l->n + l->captured.n);
    for (int i = 0; i < l->n; i++) {
        if (!l->carried[i]) continue;
        r->params[n++] = l->bars[i];
        results[n_out++] = l->outs[i];
    }
    for (int64_t i = 0; i < l->captured.n; i++) {
        if (!l->touched[i]) continue;
        r->params[n++] = l->sums[i];
        results[n_out++] = l->sum_outs[i];
    }
    for (int i = 0; i < l->n; i++) {
        if (!l->wanted[i]) continue;
        r->params[n++] = l->ends[i];
        results[n_out++] = l->starts[i];
    }
    for (int i = 0; i < n; i++) r->params[i]->index = i;
    r->n_params = n;
    ch__region_set_results(r, n_out, results);
}

// An array is restored when something reads it here, or the loop around restores it.
static void settle_params(ch__loop *l) {
    ch__sweep *s = l->s;
    bool more = false;
    for (int i = 0; i < l->n; i++) {
        l->wanted[i] = l->restores[i] && s->restored[l->c->key->results[i].id] != NULL;
        more |= l->restores[i] && !l->wanted[i];
    }
    settle_results(l);
    while (more && l->region->n_results > 0) {
        ch__arena *scratch = ch__arena_create();
        uint8_t *live = CH_NEW_ARRAY(scratch, uint8_t, s->func->n_values);
        ch__keep_live(l->region, live, scratch);
        more = false;
        for (int i = 0; i < l->n; i++) {
            const ch__value *v = l->at_once[i] ? l->state[i] : l->ends[i];
            bool now = l->restores[i] && !l->wanted[i] && live[v->id];
            l->wanted[i] |= now;
            more |= now;
        }
        ch__arena_destroy(scratch);
        if (more) settle_results(l);
    }
}

// ---------------------------------------------------------------- replacing

static void map_list(const ch__loop_map *m, ch__value **vs, int n) {
    for (int i = 0; i < n; i++)
        if (vs[i]->id < m->n && m->to[vs[i]->id] != NULL) vs[i] = m->to[vs[i]->id];
}

// From op `from` on. Recurses on nesting only.
void ch__loop_replace(const ch__loop_map *m, ch__region *r, ch__op *from) {
    for (ch__op *op = from; op != NULL; op = op->next) {
        map_list(m, op->operands, op->n_operands);
        for (int i = 0; i < op->n_regions; i++) ch__loop_replace(m, op->regions[i], op->regions[i]->first);
    }
    map_list(m, r->results, r->n_results);
}

ch__loop_map ch__loop_replacement(const ch__loop *l) {
    int32_t n = l->s->func->n_values;
    return (ch__loop_map){CH_NEW_ARRAY(l->temp, ch__value *, n), n};
}

// ---------------------------------------------------------------- the loop that is there
// The loop with `more` carried values: `inits` outside; params are added to its regions, `yield` says what each
// becomes.
typedef struct {
    int n;
    ch__value **inits, **params, **yields;
} more_carried;

static void add_carried(ch__loop *l, more_carried *m) {
    for (int k = 0; k < l->op->n_regions; k++)
        for (int i = 0; i < m->n; i++) {
            ch__value *p = ch__region_add_param(l->op->regions[k], NULL, m->inits[i]->type);
            if (k == l->op->n_regions - 1) m->params[i] = p;
        }
}

// Puts a new op in the old one's place.
static ch__op *rebuild(ch__loop *l, const more_carried *m) {
    ch__sweep *s = l->s;
    ch__op *old = l->op;
    ch__region *body = old->regions[old->n_regions - 1];
    int n = old->n_operands, n_out = old->n_results;
    ch__value **xs = CH_NEW_ARRAY(s->scratch, ch__value *, n + m->n);
    ch__value **results = CH_NEW_ARRAY(s->scratch, ch__value *, n_out + m->n);
    const ch__type **types = CH_NEW_ARRAY(s->scratch, const ch__type *, n_out + m->n);
    for (int i = 0; i < n; i++) xs[i] = old->operands[i];
    for (int i = 0; i < n_out; i++) {
        results[i] = body->results[i];
        types[i] = old->results[i].type;
    }
    for (int i = 0; i < m->n; i++) {
        xs[n + i] = m->inits[i];
        results[n_out + i] = m->yields[i];
        types[n_out + i] = m->inits[i]->type;
    }
    ch__region_set_results(body, n_out + m->n, results);
    ch__builder b = {.func = s->func, .region = old->parent, .before = old, .loc = old->loc};
    ch__op *op = ch__build_raw(&b, (ch__opcode)old->code, n + m->n, xs, old->n_attrs, old->attrs, n_out + m->n, types,
                               old->n_regions, old->regions);
    ch__loop_map r = ch__loop_replacement(l);
    for (int i = 0; i < n_out; i++) {
        op->results[i].name = old->results[i].name;
        r.to[old->results[i].id] = &op->results[i];
        s->map.to[l->c->key->results[i].id] = &op->results[i];
    }
    ch__loop_replace(&r, old->parent, old->next);
    for (int32_t i = 0; i < s->map.n; i++)
        if (s->adjoint[i] != NULL && r.to[s->adjoint[i]->id] != NULL) s->adjoint[i] = r.to[s->adjoint[i]->id];
    ch__op_remove(old);
    l->op = op;
    return op;
}

// A tape for one value an iteration, or for what an inner loop puts on one.
static ch__value *loop_tape(ch__loop *l, ch__builder *b, const ch__value *v) {
    ch__arena *a = l->s->func->module->arena;
    const ch__type *t = v->type->tape ? v->type : ch__type_tape(a, v->type);
    ch__dim lo, trips;
    int64_t step;
    ch__attr capacity;
    bool known = ch__loop_trips(l, &lo, &step, &trips);
    if (v->type->tape) {
        const ch__op *made = v->op->operands[v->op->n_operands - v->op->n_results + v->index]->op;
        const ch__attr *inner = ch__op_attr(made, CH__ATTR_capacity);
        known = known && inner != NULL;
        if (known) trips = ch__dim_mul(a, trips, inner->dim);
    }
    if (known) capacity = ch__attr_dim(CH__ATTR_capacity, trips);
    return ch__build(b, CH_OP_tape_new, 0, NULL, known ? 1 : 0, &capacity, 1, &t, 0, NULL)->results;
}

// The value of the loop that is there which `again` computes again.
ch__value *ch__loop_held(const ch__loop *l, const ch__value *again) {
    if (l->forward.to != NULL && again->id < l->forward.n && l->forward.to[again->id] != NULL)
        return l->forward.to[again->id];
    for (int64_t i = 0; i < l->n_values; i++)
        if (l->again[i] == again) return l->held[i];
    assert(!"a kept value has no counterpart in the loop");
    return NULL;
}

// The body again, with what is put back logged: its params are those of the body there is, `tapes` comes in as the
// tapes before an iteration and out as those after it.
static void write_logged(ch__loop *l, more_carried *m, ch__value_map *map, ch__value **tapes, int n_tapes) {
    const ch__region *old = l->op->regions[l->op->n_regions - 1];
    ch__region *to = ch__region_create(l->s->func, l->op);
    for (int i = 0; i < old->n_params; i++)
        map->to[old->params[i]->id] = ch__region_add_param(to, old->params[i]->name, old->params[i]->type);
    l->op->regions[l->op->n_regions - 1] = to;
    add_carried(l, m);
    for (int i = 0; i < n_tapes; i++) tapes[i] = m->params[m->n - n_tapes + i];
    ch__value **results = CH_NEW_ARRAY(l->s->scratch, ch__value *, old->n_results);
    ch__undo_log(l, to, map, tapes);
    for (int i = 0; i < old->n_results; i++) {
        ch__value *v = map->to[old->results[i]->id];
        results[i] = v != NULL ? v : old->results[i];
    }
    ch__region_set_results(to, old->n_results, results);
}

// Gives the loop a tape for each kept value and each log, and a while its count. Returns the first of the new results:
// count, kept values, logs.
ch__value *ch__loop_augment(ch__loop *l, const ch__keep *k) {
    ch__arena *a = l->s->scratch;
    int counts = l->counted ? 0 : 1, n_kept = counts + (int)k->kept.n, n = n_kept;
    for (int i = 0; i < l->n_undo; i++) n += l->undo[i].n_logs;
    if (n == 0) return NULL;
    more_carried m = {n, CH_NEW_ARRAY(a, ch__value *, n), CH_NEW_ARRAY(a, ch__value *, n),
                      CH_NEW_ARRAY(a, ch__value *, n)};
    ch__builder outside = {.func = l->s->func, .region = l->op->parent, .before = l->op, .loc = l->op->loc};
    ch__value **held = CH_NEW_ARRAY(a, ch__value *, n);
    if (counts == 1) m.inits[0] = ch__loop_const(&outside, 0);
    for (int i = counts; i < n_kept; i++) {
        held[i] = ch__loop_held(l, k->kept.data[i - counts]);
        m.inits[i] = loop_tape(l, &outside, held[i]);
    }
    for (int i = 0, at = n_kept; i < l->n_undo; i++)
        for (int j = 0; j < l->undo[i].n_logs; j++)
            m.inits[at++] = ch__loop_nothing(&outside, ch__type_tape(l->s->func->module->arena, l->undo[i].logs[j]));
    if (l->n_undo > 0) {
        ch__value_map map = {.to = CH_NEW_ARRAY(l->temp, ch__value *, l->n_inside), .n = l->n_inside};
        write_logged(l, &m, &map, m.yields + n_kept, n - n_kept);
        for (int i = counts; i < n_kept; i++)
            if (map.to[held[i]->id] != NULL) held[i] = map.to[held[i]->id];
    } else {
        add_carried(l, &m);
    }
    ch__builder inside = ch__builder_at_end(l->op->regions[l->op->n_regions - 1]);
    inside.loc = l->op->loc;
    if (counts == 1) m.yields[0] = ch__loop_int(&inside, CH_OP_add, m.params[0], ch__loop_const(&inside, 1));
    for (int i = counts; i < n_kept; i++) {
        ch__value *xs[2] = {m.params[i], held[i]};
        // Where it is made, so that what comes after may change it in place.
        inside.before = held[i]->op != NULL ? held[i]->op->next : inside.region->first;
        if (held[i]->type->tape) { // an inner loop goes on with the tape
            held[i]->op->operands[held[i]->op->n_operands - held[i]->op->n_results + held[i]->index] = m.params[i];
            m.yields[i] = held[i];
            continue;
        }
        m.yields[i] = ch__build(&inside, CH_OP_push, 2, xs, 0, NULL, 0, NULL, 0, NULL)->results;
    }
    int before = l->op->n_results;
    return &rebuild(l, &m)->results[before];
}

// ---------------------------------------------------------------- the reverse loop
// What the reverse of an inner loop leaves of its tape.
static ch__value *left_of(const ch__region *r, const ch__value *tape) {
    for (ch__op *op = r->first; op != NULL; op = op->next)
        for (int i = op->n_operands - op->n_results; i < op->n_operands; i++)
            if (i >= 0 && op->operands[i] == tape && op->n_regions > 0)
                return &op->results[i - (op->n_operands - op->n_results)];
    assert(!"a tape is kept that nothing takes from");
    return NULL;
}

// An array as the iteration finds it, from the next version and what was overwritten.
static void take_array(ch__loop *l, int i, ch__builder *b, ch__loop_map *m) {
    int n = ch__restore_chain(l->s, l->key->results[i], l->key->params[l->first + i], NULL, NULL);
    ch__op **puts = CH_NEW_ARRAY(l->temp, ch__op *, n);
    ch__value **olds = CH_NEW_ARRAY(l->temp, ch__value *, n), **values = CH_NEW_ARRAY(l->temp, ch__value *, n);
    ch__restore_chain(l->s, l->key->results[i], l->key->params[l->first + i], puts, olds);
    for (int j = 0; j < n; j++) olds[j] = m->to[olds[j]->id];
    m->to[l->state[i]->id] = ch__restore_all(l->s, b, l->region, l->ends[i], n, puts, olds, values);
    for (int j = 0; j < n; j++) {
        ch__value *v = puts[j]->operands[1];
        if (v->op != NULL && v->op->parent == l->region && m->to[v->id] == NULL) m->to[v->id] = values[j];
    }
}

// Pops what is kept and puts back what is logged, at the start of the body; what is left of the start state feeds only
// dead ops. tapes, left: those of kept values, then of each undo its array and its logs; before and after.
void ch__loop_take(ch__loop *l, const ch__keep *k, ch__value *const *tapes, ch__value **left) {
    ch__region *r = l->region;
    ch__builder b = {.func = l->s->func, .region = r, .before = r->first, .loc = l->op->loc};
    ch__op *first = r->first;
    ch__loop_map m = ch__loop_replacement(l);
    for (int64_t i = 0; i < k->kept.n; i++) {
        ch__value *v = k->kept.data[i], *tape = ch__region_add_param(r, NULL, tapes[i]->type);
        if (v->type->tape) {
            left[i] = left_of(r, v);
            m.to[v->id] = tape;
            continue;
        }
        ch__op *pop = ch__build(&b, CH_OP_pop, 1, &tape, 0, NULL, 0, NULL, 0, NULL);
        pop->results[1].name = v->name;
        left[i] = &pop->results[0];
        m.to[v->id] = &pop->results[1];
    }
    int at = (int)k->kept.n;
    for (int i = 0; i < l->n_undo; i++) {
        const ch__undo *u = &l->undo[i];
        ch__value *array = ch__region_add_param(r, NULL, tapes[at]->type), **logs = left + at + 1;
        for (int j = 0; j < u->n_logs; j++) logs[j] = ch__region_add_param(r, NULL, tapes[at + 1 + j]->type);
        left[at] = m.to[l->state[u->state]->id] = ch__undo_back(l, u, &b, r->params[0], array, logs);
        at += 1 + u->n_logs;
    }
    for (int i = 0; i < l->n; i++)
        if (l->at_once[i] && l->wanted[i]) take_array(l, i, &b, &m);
    for (int i = 0; i < l->n; i++)
        if (m.to[l->state[i]->id] == NULL) m.to[l->state[i]->id] = ch__loop_nothing(&b, l->state[i]->type);
    ch__loop_replace(&m, r, first);
}

static ch__keep keep_of(const ch__loop *l) {
    int32_t n = l->s->func->n_values;
    uint8_t *may = CH_NEW_ARRAY(l->temp, uint8_t, n);
    for (int64_t i = 0; i < l->n_values; i++) may[l->again[i]->id] = 1;
    return (ch__keep){.region = l->region,
                      .marker = l->marker,
                      .n_state = l->n,
                      .state = l->state,
                      .next = l->next,
                      .may = may,
                      .n_may = n};
}

// Where an array would be kept whole that restore.c cannot have, since branches change it, it is put back by undo.c.
static void choose_put_back(ch__loop *l, ch__keep *k) {
    int64_t *bytes = CH_NEW_ARRAY(l->s->scratch, int64_t, l->n);
    ch__undo *plans = CH_NEW_ARRAY(l->s->scratch, ch__undo, l->n);
    ch__keep other = keep_of(l);
    bool any = false;
    for (int i = 0; i < l->n; i++) {
        if (l->wanted[i]) return;
        bytes[i] = ch__undo_plan(l, i, &plans[i]) ? plans[i].bytes : -1;
        any |= bytes[i] >= 0;
    }
    if (!any) return;
    other.undo = bytes;
    if (!ch__keep_choose(&other, l->s->scratch)) return;
    for (int i = 0; i < l->n; i++)
        if (other.put_back[i]) plans[l->n_undo++] = plans[i];
    if (l->n_undo == 0) return;
    l->undo = plans;
    *k = other;
}

// Marks what is a carried value with something added, by value id: with 1 + which of them.
static void mark_sums(const ch__region *r, int32_t *sum_of) {
    for (const ch__op *op = r->first; op != NULL; op = op->next) {
        const ch__region *body = op->n_regions > 0 ? op->regions[op->n_regions - 1] : NULL;
        switch ((ch__opcode)op->code) {
        case CH_OP_add: sum_of[op->results[0].id] = sum_of[op->operands[sum_of[op->operands[0]->id] == 0]->id]; break;
        case CH_OP_sub: sum_of[op->results[0].id] = sum_of[op->operands[0]->id]; break;
        case CH_OP_if:
            for (int k = 0; k < 2; k++) mark_sums(op->regions[k], sum_of);
            for (int i = 0; i < op->n_results; i++) {
                int32_t x = sum_of[op->regions[0]->results[i]->id], y = sum_of[op->regions[1]->results[i]->id];
                sum_of[op->results[i].id] = x == y ? x : 0;
            }
            break;
        case CH_OP_for:
            for (int i = 0; i < op->n_results; i++) sum_of[body->params[1 + i]->id] = sum_of[op->operands[3 + i]->id];
            mark_sums(body, sum_of);
            for (int i = 0; i < op->n_results; i++) {
                int32_t x = sum_of[op->operands[3 + i]->id];
                sum_of[op->results[i].id] = sum_of[body->results[i]->id] == x ? x : 0;
            }
            break;
        default: break;
        }
    }
}

typedef struct {
    const ch__op *loop;
    bool found;
} read_search;

// Reads an element of an array that the loop carries, be it as an inner loop has it.
static void find_read(void *arg, ch__op *op) {
    read_search *r = arg;
    if (op->code != CH_OP_get) return;
    const ch__value *v = op->operands[0];
    while (v->region == NULL || v->region->owner != r->loop) {
        if (v->op != NULL && v->op->code == CH_OP_set) {
            v = v->op->operands[0];
        } else if (v->op != NULL && v->op->code == CH_OP_for) {
            v = v->op->operands[3 + v->index];
        } else if (v->region != NULL && v->region->owner != NULL && v->region->owner->code == CH_OP_for &&
                   v->index > 0) {
            v = v->region->owner->operands[2 + v->index];
        } else {
            return;
        }
    }
    r->found = true;
}

// Whether turns of a loop go on from what the one before computed, rather than each add a term of its own.
static bool is_sequence(const ch__loop *l, const ch__op *key) {
    bool counted = key->code == CH_OP_for;
    const ch__region *body = key->regions[key->n_regions - 1];
    read_search r = {.loop = key};
    ch__walk((ch__region *)(uintptr_t)body, find_read, &r);
    int32_t *sum_of = CH_NEW_ARRAY(l->s->scratch, int32_t, key->parent->func->n_values);
    for (int i = 0; i < key->n_results; i++) sum_of[body->params[counted + i]->id] = 1 + i;
    mark_sums(body, sum_of);
    for (int i = 0; i < key->n_results; i++) {
        const ch__value *param = body->params[counted + i];
        if (!(l->s->use->bits[param->id] & CH__ACTIVE)) continue;
        if (param->type->rank > 0 ? r.found : sum_of[body->results[i]->id] != 1 + i) return true;
    }
    return false;
}

// Where the loop or one around it is such, state has to be kept, and then memory for what is slow to compute again is
// worth it; terms of their own are computed again, however slow, with no memory at all.
static bool in_sequence(const ch__loop *l) {
    for (const ch__op *key = l->c->key; key != NULL; key = key->parent->owner)
        if ((key->code == CH_OP_for || key->code == CH_OP_while) && is_sequence(l, key)) return true;
    return false;
}

// One way to do it; false: it is none.
static bool choose_once(ch__loop *l, ch__keep *k) {
    *k = keep_of(l);
    uint8_t *had = CH_NEW_ARRAY(l->temp, uint8_t, l->n), *must = CH_NEW_ARRAY(l->temp, uint8_t, k->n_may);
    for (int i = 0; i < l->n; i++) {
        const ch__value *end = l->key->results[i], *param = l->key->params[l->first + i];
        if (!l->at_once[i] || !l->wanted[i]) continue;
        int n = ch__restore_chain(l->s, end, param, NULL, NULL);
        ch__op **puts = CH_NEW_ARRAY(l->temp, ch__op *, n);
        ch__value **olds = CH_NEW_ARRAY(l->temp, ch__value *, n);
        ch__restore_chain(l->s, end, param, puts, olds);
        had[i] = 1;
        for (int j = 0; j < n; j++) must[puts[j]->operands[1]->id] |= 2;
        for (int j = 0; j < n; j++) must[olds[j]->id] = 1;
    }
    k->had = had;
    k->must = must;
    if (l->plain) {
        uint8_t *may = (uint8_t *)(uintptr_t)k->may;
        for (const ch__op *op = l->region->first; op != l->marker; op = op->next)
            for (int i = 0; i < op->n_results; i++) may[op->results[i].id] = 1;
        k->tapes = true;
        k->loops = ch__op_attr(l->op, CH__ATTR_policy) != NULL;
        k->fast = k->loops || in_sequence(l);
    }
    ch__keep bare = *k;
    if (!ch__keep_choose(k, l->s->scratch)) return false;
    if (!l->plain || k->fast || k->kept.n == 0) return true;
    bare.fast = true; // memory is there anyway
    if (ch__keep_choose(&bare, l->s->scratch)) *k = bare;
    return true;
}

// Elements that are read, or what was overwritten: the fewer bytes.
static bool choose_cheaper(ch__loop *l, ch__keep *k) {
    const ch__value *results = l->c->key->results;
    uint8_t *wanted = ch__arena_dup(l->temp, l->wanted, (size_t)l->n);
    bool any = false;
    for (int i = 0; i < l->n; i++) {
        if (!l->at_once[i] || !l->wanted[i] || l->s->restored[results[i].id] != NULL) continue;
        l->wanted[i] = 0;
        any = true;
    }
    if (!any) return choose_once(l, k);
    settle_results(l);
    ch__keep without;
    bool can = choose_once(l, &without) && !without.whole;
    uint8_t *none = l->wanted;
    l->wanted = wanted;
    settle_results(l);
    if (choose_once(l, k) && (!can || k->cost < without.cost)) return true;
    l->wanted = none;
    settle_results(l);
    *k = without;
    return can;
}

static void choose_kept(ch__loop *l, ch__keep *k) {
    bool can = choose_cheaper(l, k);
    if ((!can || k->whole) && ch__loop_stores(l)) choose_put_back(l, k);
    if (!can && l->n_undo == 0)
        ch__raise(CH__E_not_differentiable,
                  "gradient of a loop: its reverse needs a tape, or a value of a size known only inside, that the loop "
                  "carries — neither can be kept for each iteration");
}

// When something is kept that the loop that is there does not have: its body becomes the iteration as it is computed
// again, with the tapes of its inner loops.
static void write_forward_loop(ch__loop *l, const ch__keep *k) {
    ch__sweep *s = l->s;
    bool missing = false;
    for (int64_t i = 0; i < k->kept.n; i++) {
        bool found = false;
        for (int64_t j = 0; j < l->n_values && !found; j++) found = l->again[j] == k->kept.data[i];
        missing |= !found;
    }
    if (!missing) return;
    int at = l->op->n_regions - 1;
    const ch__region *old = l->op->regions[at];
    ch__region *r = ch__region_create(s->func, NULL);
    int32_t n = s->func->n_values;
    l->forward = (ch__value_map){.to = CH_NEW_ARRAY(l->temp, ch__value *, n), .n = n};
    for (int i = 0; i < old->n_params; i++) {
        ch__value *p = ch__region_add_param(r, old->params[i]->name, old->params[i]->type);
        l->forward.to[i < l->first ? l->region->params[0]->id : l->state[i - l->first]->id] = p;
    }
    for (int64_t i = 0; i < s->restored_keys.n; i++) {
        const ch__value *key = s->restored_keys.data[i];
        if (s->restored[key->id] != NULL) l->forward.to[s->restored[key->id]->id] = held_now(s, key);
    }
    ch__builder b = ch__builder_at_end(r);
    for (const ch__op *op = l->region->first; op != l->marker; op = op->next)
        ch__clone_op(&b, op, &l->forward, NULL, NULL);
    ch__value **results = CH_NEW_ARRAY(s->scratch, ch__value *, l->n);
    for (int i = 0; i < l->n; i++) {
        ch__value *v = l->next[i], *there = l->forward.to[v->id];
        results[i] = there != NULL ? there : v;
    }
    ch__region_set_results(r, l->n, results);
    r->owner = l->op;
    l->op->regions[at] = r;
}

// Sums started from the adjoints there were and replace them; then initial values get what has come back to them.
static void give(ch__loop *l, ch__op *op) {
    ch__sweep *s = l->s;
    int at = 0;
    for (int i = 0; i < l->n; i++) at += l->carried[i];
    for (int64_t i = 0; i < l->captured.n; i++) {
        if (!l->touched[i]) continue;
        int32_t id = l->captured.data[i]->id;
        s->adjoint[id] = &op->results[at++];
        s->masked[id] |= l->captured_masked[i];
    }
    for (int i = 0; i < l->n; i++) {
        const ch__value *init = l->c->key->operands[l->inits + i];
        if (!l->wanted[i]) continue;
        const ch__region *home = init->op != NULL ? init->op->parent : init->region;
        if (home == l->c->key->parent) ch__sweep_restored(s, init, &op->results[at]);
        at++;
    }
    at = 0;
    for (int i = 0; i < l->n; i++) {
        if (!l->carried[i]) continue;
        ch__value *v = &op->results[at++];
        const ch__value *init = l->c->key->operands[l->inits + i];
        if (active(l, init)) ch__sweep_add(s, init, v, l->masked[i]);
    }
}

// Adjoints that go round and sums, as they are before the reverse loop; returns how many.
int ch__loop_inits(ch__loop *l, ch__value **xs) {
    ch__sweep *s = l->s;
    int at = 0;
    for (int i = 0; i < l->n; i++) {
        if (!l->carried[i]) continue;
        ch__value *adj = s->adjoint[l->c->key->results[i].id];
        if (adj != NULL && !adj->type->tape) adj = ch__b_convert(&s->b, adj, l->bars[i]->type->dtype);
        xs[at++] = adj != NULL ? adj : ch__loop_nothing(&s->b, l->bars[i]->type);
    }
    for (int64_t i = 0; i < l->captured.n; i++) {
        ch__value *adj = s->adjoint[l->captured.data[i]->id];
        if (l->touched[i]) xs[at++] = adj != NULL ? adj : ch__loop_nothing(&s->b, l->sums[i]->type);
    }
    for (int i = 0; i < l->n; i++) {
        const ch__value *end = &l->c->key->results[i];
        if (l->wanted[i]) xs[at++] = s->restored[end->id] != NULL ? s->restored[end->id] : held_now(s, end);
    }
    return at;
}

// The loop around the reverse body: bounds and what goes round stand in xs, tapes last; `left` is what pops leave.
ch__op *ch__loop_close(ch__loop *l, ch__builder *b, ch__value **xs, int n_tapes, ch__value *const *left) {
    ch__region *r = l->region;
    int n_bars = r->n_results, n = n_bars + n_tapes;
    ch__value **results = CH_NEW_ARRAY(l->s->scratch, ch__value *, n);
    const ch__type **types = CH_NEW_ARRAY(l->s->scratch, const ch__type *, n);
    for (int i = 0; i < n_bars; i++) results[i] = r->results[i];
    for (int i = 0; i < n_tapes; i++) results[n_bars + i] = left[i];
    ch__region_set_results(r, n, results);
    for (int i = 0; i < n; i++) types[i] = r->params[1 + i]->type;
    return ch__build_raw(b, CH_OP_for, 3 + n, xs, 0, NULL, n, types, 1, &l->region);
}

ch__op *ch__loop_store(ch__loop *l, const ch__keep *k) {
    ch__sweep *s = l->s;
    int n_kept = (int)k->kept.n, n_tapes = n_kept;
    for (int i = 0; i < l->n_undo; i++) n_tapes += 1 + l->undo[i].n_logs;
    ch__value *more = ch__loop_augment(l, k), *count = more;
    ch__value **tapes = CH_NEW_ARRAY(s->scratch, ch__value *, n_tapes);
    ch__value **left = CH_NEW_ARRAY(s->scratch, ch__value *, n_tapes);
    if (!l->counted) more++;
    for (int i = 0; i < n_kept; i++) tapes[i] = more++;
    for (int i = 0, at = n_kept; i < l->n_undo; i++) {
        tapes[at++] = &l->op->results[l->undo[i].state];
        for (int j = 0; j < l->undo[i].n_logs; j++) tapes[at++] = more++;
    }
    ch__loop_take(l, k, tapes, left);
    ch__value **xs = CH_NEW_ARRAY(s->scratch, ch__value *, 3 + l->region->n_results + n_tapes);
    if (l->counted) {
        ch__loop_bounds(l, xs);
    } else {
        xs[0] = ch__loop_const(&s->b, 0);
        xs[1] = count;
        xs[2] = ch__loop_const(&s->b, 1);
    }
    int at = 3 + ch__loop_inits(l, xs + 3);
    for (int i = 0; i < n_tapes; i++) xs[at++] = tapes[i];
    return ch__loop_close(l, &s->b, xs, n_tapes, left);
}

static void loop_vjp(ch__vjp *c) {
    ch__loop l;
    ch__keep k;
    begin(&l, c);
    write_body(&l);
    settle_params(&l);
    if (l.region->n_results == 0) return;
    l.temp = ch__arena_create();
    choose_kept(&l, &k);
    if (l.n_undo == 0) write_forward_loop(&l, &k);
    ch__op_remove(l.marker);
    give(&l, ch__loop_policy(&l, &k));
    ch__arena_destroy(l.temp);
}

const ch__rule ch__rule_for = {.reverse = loop_vjp, .forward = ch__for_jvp, .whole = true};
const ch__rule ch__rule_while = {.reverse = loop_vjp, .forward = ch__while_jvp, .whole = true};

// ---------------------------------------------------------------- tapes
// A tape's adjoint is a tape of adjoints: what pop takes off is pushed, what push puts on is popped. Where every value
// is popped in the end, as derivatives write it, a tape that has no adjoint yet is an empty one.

// How many adjoints lie on t where it is made op by op; -1: not known.
static int64_t adjoints_on(const ch__value *t) {
    int64_t n = 0;
    for (int steps = 0; t->op != NULL && steps < 1000; steps++) {
        switch ((ch__opcode)t->op->code) {
        case CH_OP_tape_new: return n;
        case CH_OP_push: n++; break;
        case CH_OP_pop: n--; break;
        default: return -1;
        }
        t = t->op->operands[0];
    }
    return -1;
}

// What is never popped again has no adjoint: it lies below all that was.
static void push_vjp(ch__vjp *c) {
    ch__value *tape = ADJ(c);
    if (adjoints_on(tape) == 0) {
        if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, tape);
        return;
    }
    ch__op *pop = ch__build(B(c), CH_OP_pop, 1, &tape, 0, NULL, 0, NULL, 0, NULL);
    if (ch__vjp_wants(c, 0)) ch__vjp_give(c, 0, &pop->results[0]);
    if (ch__vjp_wants(c, 1)) ch__vjp_give(c, 1, &pop->results[1]);
}

static void pop_vjp(ch__vjp *c) {
    ch__value *rest = ch__vjp_adjoint(c, 0), *adj = ch__vjp_adjoint(c, 1);
    const ch__type *t = c->op->results[1].type;
    if (!ch__vjp_wants(c, 0)) return;
    if (rest == NULL) rest = ch__loop_nothing(B(c), c->op->results[0].type);
    if (adj == NULL) {
        adj = ch__d_zeros(c, t);
    } else {
        adj = ch__b_convert(B(c), adj, t->dtype);
    }
    ch__value *xs[2] = {rest, adj};
    ch__vjp_give(c, 0, ch__build(B(c), CH_OP_push, 2, xs, 0, NULL, 0, NULL, 0, NULL)->results);
}

// What is left of the adjoint is as empty as the tape.
static void tape_new_vjp(ch__vjp *c) { (void)c; }

CH__RULE(tape_new, tape_new_vjp, ch__tape_new_jvp);
CH__RULE(push, push_vjp, ch__push_jvp);
CH__RULE(pop, pop_vjp, ch__pop_jvp);
