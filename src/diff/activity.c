// SPDX-License-Identifier: Apache-2.0
// activity.c - which values get adjoints: those on a path from wrt to the results, and no others.
//
// Two passes over a func: forwards what varies with the varied params, backwards what the active results need among
// that. Loops repeat until their carried values are stable. A call asks for the use of its callee with the masks found
// there; uses are shared by equal masks. An unfinished use answers with the least it knows, and whoever asked is run
// again when the answer grows, so recursion needs no special case and nothing recurses on the depth of calls: new uses
// come off a stack first, repeats off a queue.
#include "diff/diff.h"

#include <assert.h>
#include <string.h>

bool ch__carries(const ch__type *t) {
    char c = ch__dtype_class(t->dtype);
    return c == 'f' || c == 's';
}

// ---------------------------------------------------------------- uses
void ch__activity_init(ch__activity *act, ch__arena *a) {
    memset(act, 0, sizeof *act);
    act->arena = a;
    ch__strmap_init(&act->uses, a);
}

static char *activity_key(ch__arena *a, const ch_func *f, const uint8_t *in, const uint8_t *out) {
    ch__text t;
    ch__text_init(&t, a);
    ch__put_u64(&t, (uint64_t)(uintptr_t)f);
    ch__putc(&t, ' ');
    for (int i = 0; i < f->body->n_params; i++) ch__putc(&t, in[i] ? '1' : '0');
    ch__putc(&t, ' ');
    for (int i = 0; out != NULL && i < f->body->n_results; i++) ch__putc(&t, out[i] ? '1' : '0');
    return t.data;
}

static void activity_again(ch__activity *act, ch__use *u) {
    if (u->queued) return;
    u->queued = true;
    CH_PUSH(act->arena, &act->again, u);
}

// The use, new or old; the one being run will be run again when its answer grows. out NULL: forward only.
static ch__use *activity_use(ch__activity *act, ch_func *f, const uint8_t *in, const uint8_t *out) {
    ch__arena *a = act->arena;
    char *key = activity_key(a, f, in, out);
    ch__use *u = ch__strmap_get(&act->uses, key);
    int np = f->body->n_params, nr = f->body->n_results;
    if (u == NULL) {
        u = CH_NEW(a, ch__use);
        u->func = f;
        u->varied_in = ch__arena_dup(a, in, (size_t)np);
        u->active_out = out == NULL ? NULL : ch__arena_dup(a, out, (size_t)nr);
        u->varied_out = CH_NEW_ARRAY(a, uint8_t, nr);
        u->active_in = CH_NEW_ARRAY(a, uint8_t, np);
        u->bits = CH_NEW_ARRAY(a, uint8_t, f->n_values);
        u->backward = out != NULL;
        ch__strmap_put(&act->uses, key, u);
        CH_PUSH(a, &act->all, u);
        u->queued = true;
        CH_PUSH(a, &act->fresh, u);
    }
    if (act->current != NULL) {
        bool known = false;
        for (int64_t i = u->dependents.n; i-- > 0 && !known;) known = u->dependents.data[i] == act->current;
        if (!known) CH_PUSH(a, &u->dependents, act->current);
    }
    return u;
}

// ---------------------------------------------------------------- forwards
typedef struct {
    ch__activity *act;
    ch__use *use;
    uint8_t *bits;
} activity_run;

static void forward_region(activity_run *r, const ch__region *region);

static bool set_bit(activity_run *r, const ch__value *v, uint8_t bit) {
    if (r->bits[v->id] & bit) return false;
    r->bits[v->id] |= bit;
    return true;
}
static bool is_varied(const activity_run *r, const ch__value *v) { return r->bits[v->id] & CH__VARIED; }
static bool is_active(const activity_run *r, const ch__value *v) { return r->bits[v->id] & CH__ACTIVE; }

// A tape that holds anything varied is varied from its making on, so that the tape of its tangents or adjoints grows
// and shrinks with it: what is known of `after` goes back to `before`, and the func is walked again.
static void settle_tape(activity_run *r, const ch__value *before, const ch__value *after) {
    if (before->type->tape && is_varied(r, after)) r->act->unsettled |= set_bit(r, before, CH__VARIED);
}

static void forward_loop(activity_run *r, const ch__op *op) {
    int first = op->code == CH_OP_for ? 1 : 0, inits = op->code == CH_OP_for ? 3 : 0;
    const ch__region *body = op->regions[op->n_regions - 1];
    for (int i = 0; i < op->n_results; i++)
        if (is_varied(r, op->operands[inits + i])) set_bit(r, body->params[first + i], CH__VARIED);
    for (bool changed = true; changed;) {
        changed = false;
        forward_region(r, body);
        for (int i = 0; i < op->n_results; i++)
            if (is_varied(r, body->results[i])) changed |= set_bit(r, body->params[first + i], CH__VARIED);
    }
    for (int i = 0; i < op->n_results; i++) {
        if (is_varied(r, body->params[first + i])) set_bit(r, &op->results[i], CH__VARIED);
        settle_tape(r, body->params[first + i], &op->results[i]);
        settle_tape(r, body->results[i], &op->results[i]);
        settle_tape(r, op->operands[inits + i], &op->results[i]);
    }
}

static uint8_t *operand_mask(activity_run *r, const ch__op *op) {
    uint8_t *m = CH_NEW_ARRAY(r->act->arena, uint8_t, op->n_operands);
    for (int i = 0; i < op->n_operands; i++) m[i] = is_varied(r, op->operands[i]);
    return m;
}

static uint8_t *result_mask(activity_run *r, const ch__op *op) {
    uint8_t *m = CH_NEW_ARRAY(r->act->arena, uint8_t, op->n_results);
    for (int i = 0; i < op->n_results; i++) m[i] = is_active(r, &op->results[i]);
    return m;
}

static ch_func *callee_of(const ch__op *op) { return ch__op_attr(op, CH__ATTR_callee)->func; }

static void forward_call(activity_run *r, const ch__op *op) {
    bool any = false;
    for (int i = 0; i < op->n_operands && !any; i++) any = is_varied(r, op->operands[i]);
    if (!any) return;
    const ch__use *u = activity_use(r->act, callee_of(op), operand_mask(r, op), NULL);
    for (int i = 0; i < op->n_results; i++)
        if (u->varied_out[i]) set_bit(r, &op->results[i], CH__VARIED);
}

static void forward_composite(activity_run *r, const ch__op *op) {
    const ch__region *body = op->regions[0];
    for (int i = 0; i < op->n_operands; i++)
        if (is_varied(r, op->operands[i])) set_bit(r, body->params[i], CH__VARIED);
    forward_region(r, body);
    for (int i = 0; i < op->n_results; i++)
        if (is_varied(r, body->results[i])) set_bit(r, &op->results[i], CH__VARIED);
}

static void forward_op(activity_run *r, const ch__op *op) {
    switch ((ch__opcode)op->code) {
    case CH_OP_if:
        for (int k = 0; k < 2; k++) {
            forward_region(r, op->regions[k]);
            for (int i = 0; i < op->n_results; i++)
                if (is_varied(r, op->regions[k]->results[i])) set_bit(r, &op->results[i], CH__VARIED);
        }
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < op->n_results; i++) settle_tape(r, op->regions[k]->results[i], &op->results[i]);
        return;
    case CH_OP_for:
    case CH_OP_while: forward_loop(r, op); return;
    case CH_OP_call: forward_call(r, op); return;
    case CH_OP_composite:
        if (ch__has_rules(op)) break; // the rule speaks for the body
        forward_composite(r, op);
        return;
    default: break;
    }
    for (int i = 0; i < op->n_operands; i++) {
        if (!is_varied(r, op->operands[i])) continue;
        for (int j = 0; j < op->n_results; j++)
            if (ch__carries(op->results[j].type) && ch__rule_flows(op, i, j)) set_bit(r, &op->results[j], CH__VARIED);
    }
    if (op->code == CH_OP_push || op->code == CH_OP_pop) settle_tape(r, op->operands[0], &op->results[0]);
}

static void forward_region(activity_run *r, const ch__region *region) {
    for (const ch__op *op = region->first; op != NULL; op = op->next) forward_op(r, op);
}

// ---------------------------------------------------------------- backwards
static void backward_region(activity_run *r, const ch__region *region);

static void need(activity_run *r, const ch__value *v) {
    if (is_varied(r, v)) set_bit(r, v, CH__ACTIVE);
}

static void backward_loop(activity_run *r, const ch__op *op) {
    int first = op->code == CH_OP_for ? 1 : 0, inits = op->code == CH_OP_for ? 3 : 0;
    const ch__region *body = op->regions[op->n_regions - 1];
    for (int i = 0; i < op->n_results; i++)
        if (is_active(r, &op->results[i])) need(r, body->results[i]);
    for (bool changed = true; changed;) {
        changed = false;
        backward_region(r, body);
        for (int i = 0; i < op->n_results; i++)
            if (is_active(r, body->params[first + i]) && is_varied(r, body->results[i]))
                changed |= set_bit(r, body->results[i], CH__ACTIVE);
    }
    for (int i = 0; i < op->n_results; i++)
        if (is_active(r, body->params[first + i]) || is_active(r, &op->results[i])) need(r, op->operands[inits + i]);
}

static void backward_call(activity_run *r, const ch__op *op) {
    const ch__use *u = activity_use(r->act, callee_of(op), operand_mask(r, op), result_mask(r, op));
    for (int i = 0; i < op->n_operands; i++)
        if (u->active_in[i]) need(r, op->operands[i]);
}

static void backward_composite(activity_run *r, const ch__op *op) {
    const ch__region *body = op->regions[0];
    for (int i = 0; i < op->n_results; i++)
        if (is_active(r, &op->results[i])) need(r, body->results[i]);
    backward_region(r, body);
    for (int i = 0; i < op->n_operands; i++)
        if (is_active(r, body->params[i])) need(r, op->operands[i]);
}

static void backward_op(activity_run *r, const ch__op *op) {
    // A value that is taken off and not used has an adjoint all the same, zero: what was pushed before it lies below.
    if (op->code == CH_OP_pop && !r->act->forward) {
        need(r, &op->results[0]);
        need(r, op->operands[0]);
    }
    bool any = false;
    for (int i = 0; i < op->n_results && !any; i++) any = is_active(r, &op->results[i]);
    if (!any) return;
    const char *why = r->act->forward ? ch__rule_missing_forward(op) : ch__rule_missing(op);
    if (op->code == CH_OP_call || why != NULL) r->use->refused = true;
    switch ((ch__opcode)op->code) {
    case CH_OP_if:
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < op->n_results; i++)
                if (is_active(r, &op->results[i])) need(r, op->regions[k]->results[i]);
            backward_region(r, op->regions[k]);
        }
        return;
    case CH_OP_for:
    case CH_OP_while: backward_loop(r, op); return;
    case CH_OP_call: backward_call(r, op); return;
    case CH_OP_composite:
        if (ch__has_rules(op)) break;
        backward_composite(r, op);
        return;
    default: break;
    }
    for (int i = 0; i < op->n_operands; i++) {
        if (!is_varied(r, op->operands[i])) continue;
        for (int j = 0; j < op->n_results; j++)
            if (is_active(r, &op->results[j]) && ch__rule_flows(op, i, j)) need(r, op->operands[i]);
    }
}

static void backward_region(activity_run *r, const ch__region *region) {
    for (const ch__op *op = region->last; op != NULL; op = op->prev) backward_op(r, op);
}

// ---------------------------------------------------------------- running
static void activity_step(ch__activity *act, ch__use *u) {
    activity_run r = {act, u, u->bits};
    const ch__region *body = u->func->body;
    bool grew = false;
    act->current = u;
    for (int i = 0; i < body->n_params; i++)
        if (u->varied_in[i]) set_bit(&r, body->params[i], CH__VARIED);
    do {
        act->unsettled = false;
        forward_region(&r, body);
    } while (act->unsettled);
    for (int i = 0; i < body->n_results; i++)
        if (is_varied(&r, body->results[i]) && !u->varied_out[i]) u->varied_out[i] = grew = true;
    if (u->backward) {
        for (int i = 0; i < body->n_results; i++)
            if (u->active_out[i]) need(&r, body->results[i]);
        backward_region(&r, body);
        for (int i = 0; i < body->n_params; i++)
            if (is_active(&r, body->params[i]) && !u->active_in[i]) u->active_in[i] = grew = true;
    }
    act->current = NULL;
    for (int64_t i = 0; grew && i < u->dependents.n; i++) activity_again(act, u->dependents.data[i]);
}

// `again` is a queue whose head moves; it is compacted when it runs empty.
static void activity_finish(ch__activity *act) {
    int64_t head = 0;
    for (;;) {
        ch__use *u;
        if (act->fresh.n > 0) {
            u = act->fresh.data[--act->fresh.n];
        } else if (head < act->again.n) {
            u = act->again.data[head++];
        } else {
            break;
        }
        u->queued = false;
        activity_step(act, u);
    }
    act->again.n = 0;
}

// Masks of calls inside a backward use depend on what its forward pass found, so forward uses are finished first: then
// a backward use asks for one set of masks per call and no more. A func alone in its module calls nothing.
ch__use *ch__activity_of(ch__activity *act, ch_func *f, const uint8_t *varied_in, const uint8_t *active_out) {
    if (f->module->first != f->module->last) activity_use(act, f, varied_in, NULL);
    activity_finish(act);
    ch__use *u = activity_use(act, f, varied_in, active_out);
    activity_finish(act);
    return u;
}

ch__use *ch__activity_call(ch__activity *act, const ch__use *u, const ch__op *call) {
    activity_run r = {act, NULL, u->bits};
    ch__use *found = activity_use(act, callee_of(call), operand_mask(&r, call), result_mask(&r, call));
    assert(act->fresh.n == 0 && "the use of a call was not analysed with its func");
    return found;
}
