// SPDX-License-Identifier: Apache-2.0
// lower_doubt.c - what is not understood: refused at once where it may change memory or the way of the program, and put
// in doubt where it only gives a value.
//
// A value in doubt is a stop_gradient of zero. When the function is lowered and dead code is gone, those that are still
// there are errors, with the chain of what flows into them and what they make; the result does not depend on the
// others, which are warnings. So nothing is ever a zero in silence.
#include "cfront/lower.h"

static const char *said_text(cf_lower *l, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = ch__arena_alloc(l->report->a, (size_t)(n > 0 ? n : 0) + 1);
    vsnprintf(text, (size_t)(n > 0 ? n : 0) + 1, fmt, again);
    va_end(again);
    return text;
}

static void note_calls(cf_lower *l, const cf_call *c) {
    int n = 0;
    for (const cf_call *o = c; o && o->site; o = o->outer) n++;
    for (int i = 0; c && c->site; c = c->outer, i++) {
        if (n > 6 && i == 3) cf_say(l->report, CF_NOTE, NULL, c->site->loc, "and so on, %d calls in all", n);
        if (n > 6 && i >= 3 && i < n - 2) continue;
        cf_say(l->report, CF_NOTE, NULL, c->site->loc, "'%s' is called here", c->f->name);
    }
}

void cf_refuse(cf_lower *l, const char *code, cf_loc at, const char *way, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = said_text(l, fmt, ap);
    va_end(ap);
    int64_t before = l->report->messages.n;
    cf_say_refused(l->report, code, at, "cannot lower: %s", text);
    l->gave_up = true;
    if (l->report->messages.n == before) return; // said already
    note_calls(l, l->call);
    cf_say(l->report, CF_NOTE, NULL, at, "%s", way);
}

// ---------------------------------------------------------------- values in doubt
cf_doubt *cf_doubt_of(cf_lower *l, const char *code, cf_loc at, const char *way, const char *fmt, ...) {
    va_list ap;
    cf_doubt *d = CH_NEW(l->a, cf_doubt);
    va_start(ap, fmt);
    *d = (cf_doubt){.code = code, .at = at, .way = way, .text = said_text(l, fmt, ap), .call = l->call};
    va_end(ap);
    return d;
}

ch__value *cf_doubtful(cf_lower *l, const cf_doubt *d, const ch__type *t, ch__value *from) {
    ch__value *x = from;
    cf_want_pool(l, d->pool);
    if (!from || (!ch__type_equal(from->type, t) && (from->type->rank || t->rank))) x = NULL;
    if (x && !ch__type_equal(x->type, t))
        x = ch__is_float(x->type->dtype) && ch__is_float(t->dtype) ? ch__b_convert(&l->env->b, x, t->dtype) : NULL;
    if (!x) x = cf_zero(l, t);
    cf_doubtful_value v = {d,
                           &ch__build(&l->env->b, CH_OP_stop_gradient, 1, &x, 0, NULL, 0, NULL, 0, NULL)->results[0]};
    CH_PUSH(l->a, &l->doubts, v);
    ch__map_put(&l->in_doubt, (uint64_t)(uintptr_t)v.v, v.v);
    return v.v;
}

const cf_ptr *cf_doubtful_pointer(cf_lower *l, const cf_doubt *d, bool lenient) {
    cf_ptr *p = CH_NEW(l->a, cf_ptr);
    *p = *cf_nowhere(l);
    p->to[0].doubt = d;
    p->to[0].forgets = lenient;
    return p;
}

cf_rv cf_doubtful_rv(cf_lower *l, const cf_doubt *d, cf_type *type) {
    cf_rv v = {.type = type};
    if (cf_is_arithmetic(type))
        v.v = cf_doubtful(l, d, ch__type_scalar(cf_held(type)), NULL);
    else if (type->kind != CF_VOID)
        v.p = cf_doubtful_pointer(l, d, false);
    return v;
}

// ---------------------------------------------------------------- the chain
typedef struct {
    uint8_t *from;          // by value id: the doubt flows into it
    const ch__value *named; // the first variable it makes
    const ch__loc *named_at;
    bool changed;
} chain;

static bool takes_from(const chain *c, const ch__op *op) {
    for (int i = 0; i < op->n_operands; i++)
        if (c->from[op->operands[i]->id]) return true;
    for (int r = 0; r < op->n_regions; r++)
        for (int i = 0; i < op->regions[r]->n_results; i++)
            if (c->from[op->regions[r]->results[i]->id]) return true;
    return false;
}

static void flow_on(chain *c, const ch__value *v, const ch__loc *at) {
    if (c->from[v->id]) return;
    c->from[v->id] = 1;
    c->changed = true;
    if (c->named || !v->name) return;
    c->named = v;
    c->named_at = at;
}

static void flow(void *arg, ch__op *op) {
    chain *c = arg;
    if (!takes_from(c, op)) return;
    for (int i = 0; i < op->n_results; i++) flow_on(c, &op->results[i], op->loc);
    for (int r = 0; r < op->n_regions && op->code != CH_OP_if; r++) // what goes round
        for (int i = 0; i < op->regions[r]->n_params; i++) flow_on(c, op->regions[r]->params[i], op->loc);
}

// Backwards: the first floating param that flows into a value. A work list, since chains are long.
static const ch__value *param_under(cf_lower *l, ch__value *v) {
    uint8_t *seen = ch__arena_alloc(l->a, (size_t)l->func->n_values + 1);
    CH_VEC(ch__value *) work = {0};
    CH_PUSH(l->a, &work, v);
    for (int64_t at = 0; at < work.n; at++) {
        v = work.data[at];
        if (seen[v->id]) continue;
        seen[v->id] = 1;
        if (!v->op) {
            if (v->region == l->func->body && ch__is_float(v->type->dtype)) return v;
            const ch__op *owner = v->region ? v->region->owner : NULL;
            for (int i = 0; owner && i < owner->n_operands; i++) CH_PUSH(l->a, &work, owner->operands[i]);
            continue;
        }
        for (int r = 0; r < v->op->n_regions; r++)
            if (v->index < v->op->regions[r]->n_results) CH_PUSH(l->a, &work, v->op->regions[r]->results[v->index]);
        for (int i = 0; i < v->op->n_operands; i++) CH_PUSH(l->a, &work, v->op->operands[i]);
    }
    return NULL;
}

static void note_chain(cf_lower *l, const cf_doubtful_value *v) {
    chain c = {.from = ch__arena_alloc(l->a, (size_t)l->func->n_values + 1)};
    const ch__value *param = param_under(l, v->v);
    if (param && param->name) cf_say(l->report, CF_NOTE, NULL, v->d->at, "'%s' flows into it", param->name);
    c.from[v->v->id] = 1;
    do {
        c.changed = false;
        ch__walk(l->func->body, flow, &c);
    } while (c.changed);
    cf_loc at = v->d->at;
    if (c.named && c.named_at && c.named_at->file)
        at = (cf_loc){c.named_at->file, c.named_at->line, c.named_at->col ? c.named_at->col : 1, NULL};
    if (c.named) cf_say(l->report, CF_NOTE, NULL, at, "'%s' depends on it", c.named->name);
    for (int i = 0; i < l->func->body->n_results; i++) {
        if (!c.from[l->func->body->results[i]->id]) continue;
        const char *name = l->func->result_names ? l->func->result_names[i] : NULL;
        bool value = !name || !strncmp(name, "value", 5) || !strcmp(name, "stop");
        const char *what = value ? "the value of" : "what is written by";
        if (c.named)
            cf_say(l->report, CF_NOTE, NULL, l->out->f->loc, "and so does %s '%s'", what, l->out->f->name);
        else
            cf_say(l->report, CF_NOTE, NULL, l->out->f->loc, "%s '%s' depends on it", what, l->out->f->name);
        return;
    }
}

// ---------------------------------------------------------------- at the end
enum { GONE = 1, HERE, ELSEWHERE };

static void mark_here(void *arg, ch__op *op) {
    (void)arg;
    if (op->mark == GONE) op->mark = HERE;
}

static void mark_elsewhere(void *arg, ch__op *op) {
    (void)arg;
    if (op->mark == GONE) op->mark = ELSEWHERE;
}

static bool same_doubt(const cf_doubt *x, const cf_doubt *y) {
    return x->at.line == y->at.line && x->at.col == y->at.col && ch__streq(x->at.file, y->at.file) &&
           !strcmp(x->text, y->text);
}

// A loop's body may have been lowered several times.
static bool stays(const cf_lower *l, const cf_doubt *d) {
    for (int64_t i = 0; i < l->doubts.n; i++)
        if (l->doubts.data[i].v->op->mark != GONE && same_doubt(l->doubts.data[i].d, d)) return true;
    return false;
}

static void say_doubt(cf_lower *l, const cf_doubtful_value *v) {
    const cf_doubt *d = v->d;
    int64_t before = l->report->messages.n;
    if (v->v->op->mark == GONE) {
        if (d->quiet || stays(l, d)) return;
        cf_say(l->report, CF_WARNING, d->code, d->at, "left out: %s — the result of '%s' does not depend on it",
               d->text, l->out->f->name);
        if (l->report->messages.n > before) note_calls(l, d->call);
        return;
    }
    cf_say_refused(l->report, d->code, d->at, "cannot lower: %s", d->text);
    l->gave_up = true;
    if (l->report->messages.n == before) return; // said already
    note_calls(l, d->call);
    if (v->v->op->mark == HERE) note_chain(l, v);
    cf_say(l->report, CF_NOTE, NULL, d->at, "%s", d->way);
}

bool cf_settle_doubts(cf_lower *l) {
    for (int64_t i = 0; i < l->doubts.n; i++) l->doubts.data[i].v->op->mark = GONE;
    ch__walk(l->func->body, mark_here, NULL);
    for (ch_func *g = l->func->module->first; g; g = g->next)
        if (g != l->func) ch__walk(g->body, mark_elsewhere, NULL);
    for (int64_t i = 0; i < l->doubts.n; i++)
        if (l->doubts.data[i].v->op->mark != GONE) say_doubt(l, &l->doubts.data[i]);
    for (int64_t i = 0; i < l->doubts.n && !l->gave_up; i++)
        if (l->doubts.data[i].v->op->mark == GONE) say_doubt(l, &l->doubts.data[i]);
    for (int64_t i = 0; i < l->doubts.n; i++) l->doubts.data[i].v->op->mark = 0;
    return !l->gave_up;
}
