// SPDX-License-Identifier: Apache-2.0
// refuse.c - what both modes say before anything is written: ops on the way from wrt to the results that have no rule,
// all of them at once with their lines; params that cannot influence a result. And names that are free.
#include "diff/rules.h"

// ---------------------------------------------------------------- ops without a rule
typedef struct {
    ch__arena *scratch;
    ch__activity *activity;
    ch__map seen; // uses walked
    ch__strmap lines;
    CH_VEC(ch__use *) todo;
    const ch__use *use;
    CH_VEC(const char *) found;
    bool forward;
} missing_state;

static void missing_add(missing_state *s, const ch__op *op, const char *why) {
    ch__text t;
    ch__text_init(&t, s->scratch);
    if (op->loc != NULL && op->loc->file != NULL) {
        ch__putf(&t, "%s:%d: ", op->loc->file, op->loc->line);
    } else if (op->results[0].name != NULL) {
        ch__putf(&t, "%%%s in @%s: ", op->results[0].name, s->use->func->name);
    } else {
        ch__putf(&t, "in @%s: ", s->use->func->name);
    }
    if (op->code == CH_OP_composite)
        ch__putf(&t, "composite \"%s\" — %s", ch__op_attr(op, CH__ATTR_name)->s, why);
    else
        ch__putf(&t, "%s — %s", op->code == CH_OP_cmath ? ch__op_attr(op, CH__ATTR_fn)->s : ch__op_name(op->code), why);
    if (ch__strmap_get(&s->lines, t.data) != NULL) return;
    ch__strmap_put(&s->lines, t.data, t.data);
    CH_PUSH(s->scratch, &s->found, t.data);
}

static void missing_visit(void *arg, ch__op *op) {
    missing_state *s = arg;
    bool active = false;
    for (int i = 0; i < op->n_results && !active; i++) active = s->use->bits[op->results[i].id] & CH__ACTIVE;
    if (!active) return;
    const char *why = s->forward ? ch__rule_missing_forward(op) : ch__rule_missing(op);
    if (why != NULL) {
        missing_add(s, op, why);
    } else if (op->code == CH_OP_call) {
        ch__use *u = ch__activity_call(s->activity, s->use, op);
        if (ch__map_get(&s->seen, (uint64_t)(uintptr_t)u) != NULL) return;
        ch__map_put(&s->seen, (uint64_t)(uintptr_t)u, u);
        CH_PUSH(s->scratch, &s->todo, u);
    }
}

// The lines, in the scratch arena of s; none when all ops have rules.
static void find_missing(missing_state *s, ch__use *root) {
    ch__map_init(&s->seen, s->scratch);
    ch__strmap_init(&s->lines, s->scratch);
    ch__map_put(&s->seen, (uint64_t)(uintptr_t)root, root);
    CH_PUSH(s->scratch, &s->todo, root);
    while (s->todo.n > 0) {
        ch__use *u = s->todo.data[--s->todo.n];
        s->use = u;
        ch__walk(u->func->body, missing_visit, s);
    }
}

void ch__refuse_missing(ch__activity *act, ch__use *root, const char *name, bool forward) {
    if (!root->refused) return;
    missing_state s = {.scratch = ch__arena_create(), .activity = act, .forward = forward};
    find_missing(&s, root);
    if (s.found.n == 0) {
        ch__arena_destroy(s.scratch);
        return;
    }
    ch__text t;
    ch__text_init(&t, s.scratch);
    if (s.found.n == 1) {
        ch__putf(&t, "gradient of @%s: 1 operation has no derivative:", name);
    } else {
        ch__putf(&t, "gradient of @%s: %" PRId64 " operations have no derivative:", name, s.found.n);
    }
    for (int64_t i = 0; i < s.found.n; i++) ch__putf(&t, "\n  %s", s.found.data[i]);
    ch__raise(CH__E_not_differentiable, "%s", t.data);
}

// The ops without a rule in a mode, by the activity of wrt and all floating results. The clone they stand in is *clone.
static missing_state missing_in_mode(ch__arena *scratch, const ch_func *f, int n_wrt, const int *wrt, bool forward,
                                     ch_func **clone_out) {
    ch_func *clone = ch__func_clone(f);
    for (ch_func *g = clone->module->first; g != NULL; g = g->next)
        forward ? ch__inline_for_forward(g) : ch__inline_for_reverse(g);
    const ch__region *body = clone->body;
    uint8_t *varied = CH_NEW_ARRAY(scratch, uint8_t, body->n_params);
    uint8_t *active = CH_NEW_ARRAY(scratch, uint8_t, body->n_results);
    for (int i = 0; i < n_wrt; i++) varied[wrt[i]] = 1;
    for (int i = 0; i < body->n_results; i++) active[i] = ch__is_float(body->results[i]->type->dtype);
    ch__activity *act = CH_NEW(scratch, ch__activity);
    ch__activity_init(act, scratch);
    act->forward = forward;
    ch__use *use = ch__activity_of(act, clone, varied, active);
    missing_state s = {.scratch = scratch, .activity = act, .forward = forward};
    if (use->refused) find_missing(&s, use);
    *clone_out = clone;
    return s;
}

bool ch__can_differentiate(const ch_func *f, int n_wrt, const int *wrt, bool forward) {
    ch__arena *scratch = ch__arena_create();
    ch_func *clone;
    bool can = missing_in_mode(scratch, f, n_wrt, wrt, forward, &clone).found.n == 0;
    ch__module_destroy(clone->module);
    ch__arena_destroy(scratch);
    return can;
}

void ch__refuse_both(const ch_func *f, int n_wrt, const int *wrt) {
    ch__arena *scratch = ch__arena_create();
    ch__text t;
    ch__text_init(&t, scratch);
    ch__putf(&t, "jacobian of @%s: in each mode some operation has no derivative:", f->name);
    for (int forward = 1; forward >= 0; forward--) {
        ch_func *clone;
        missing_state s = missing_in_mode(scratch, f, n_wrt, wrt, forward, &clone);
        for (int64_t i = 0; i < s.found.n; i++)
            ch__putf(&t, "\n  %s mode: %s", forward ? "forward" : "reverse", s.found.data[i]);
        ch__module_destroy(clone->module);
    }
    ch__raise(CH__E_not_differentiable, "%s", t.data); // the arena goes with it
}

// ---------------------------------------------------------------- influence
// A gradient that is zero whatever the inputs are is worth a word; when all are, it is a mistake.
void ch__check_influence(const ch__use *root, int n_wrt, const int *wrt, const char *name) {
    ch__value *const *params = root->func->body->params;
    int n = 0;
    for (int i = 0; i < n_wrt; i++) n += root->active_in[wrt[i]];
    if (n == 0) {
        ch__arena *scratch = ch__arena_create();
        ch__text t;
        ch__text_init(&t, scratch);
        for (int i = 0; i < n_wrt; i++)
            ch__putf(&t, "%s'%s'", i == 0 ? "" : ", ", params[wrt[i]]->name ? params[wrt[i]]->name : "(unnamed)");
        ch__raise(CH__E_gradient_detached,
                  "gradient of @%s: the result does not depend on %s through differentiable operations — the gradient "
                  "would be zero whatever the inputs are",
                  name, t.n > 0 ? t.data : "any param");
    }
    for (int i = 0; i < n_wrt; i++)
        if (!root->active_in[wrt[i]])
            ch__log(2, "gradient of @%s: param '%s' cannot influence the result — its gradient is zero", name,
                    params[wrt[i]]->name ? params[wrt[i]]->name : "(unnamed)");
}

// ---------------------------------------------------------------- names
const char *ch__fresh_param(const ch_func *f, const char *base) {
    const char *name = base;
    for (int k = 1, at = 0; at < f->body->n_params;)
        if (ch__streq(f->body->params[at++]->name, name)) {
            name = ch__arena_printf(f->module->arena, "%s_%d", base, k++);
            at = 0;
        }
    return name;
}

const char *ch__fresh_among(ch__arena *a, int n, const char *const *names, const char *base) {
    const char *name = base;
    for (int k = 1, again = 1; again; k++) {
        again = 0;
        for (int i = 0; i < n; i++)
            if (ch__streq(names[i], name)) again = 1;
        if (again) name = ch__arena_printf(a, "%s_%d", base, k);
    }
    return name;
}
