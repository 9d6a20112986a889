// SPDX-License-Identifier: Apache-2.0
// lower_loop.c - loops.
//
// A loop whose counter only the step changes, whose bound nothing in the body changes and that is left at its condition
// alone becomes a `for`, with the number of turns known beforehand. Every other one is a `while`. Which it is, is found
// by lowering the body and looking at what it changed; an attempt that fails is thrown away. A pointer that comes to
// point to something else inside is widened before the loop, and the body lowered again.
#include "cfront/lower.h"

typedef enum { LOOP_DONE, LOOP_AGAIN, LOOP_NOT_COUNTED } outcome;

typedef struct {
    int slot, what; // what: 0 value, 1 index, 2 which
    ch__value *init, *inside, *yield;
} carried;
typedef CH_VEC(carried) carried_list;

// ---------------------------------------------------------------- what goes round
static const cf_import *imported(const cf_env *body, int slot) {
    for (int64_t i = 0; i < body->frame->imports.n; i++)
        if (body->frame->imports.data[i].slot == slot) return &body->frame->imports.data[i];
    return NULL;
}

static cf_state before_loop(cf_lower *l, cf_env *outer, cf_env *body, int slot) {
    const cf_import *im = imported(body, slot);
    if (im) return im->outside;
    cf_env *now = l->env;
    l->env = outer;
    cf_state s = *cf_use(l, outer, slot);
    if (l->slots.data[slot].type && !s.v) s.v = cf_zero(l, l->slots.data[slot].type);
    l->env = now;
    return s;
}

// At the end of a turn: memory that the turn made is in doubt from now on.
static const cf_ptr *beyond_turn(cf_lower *l, const cf_frame *f, const cf_ptr *p) {
    cf_ptr *q = NULL;
    for (int k = 0; k < p->n; k++) {
        const cf_object *o = p->to[k].o;
        if (!cf_made_in(f, o)) continue;
        if (!q) {
            q = CH_NEW(l->a, cf_ptr);
            *q = *p;
            q->to = ch__arena_dup(l->a, p->to, (size_t)p->n * sizeof *p->to);
        }
        cf_doubt *d =
            cf_doubt_of(l, "CH142", o->loc, "use an array from before the loop, or indices",
                        "'%s', which is made in each turn of a loop, and read after the turn", cf_object_name(o));
        d->pool = cf_pool_key(f, o);
        q->to[k] = (cf_target){.refused = true, .doubt = d};
    }
    return q ? q : p;
}

// false: the pointer was widened before the loop, the body has to be lowered again.
static bool carry_pointer(cf_lower *l, cf_env *outer, cf_env *body, int slot, carried_list *out) {
    const cf_import *im = imported(body, slot);
    cf_state s = before_loop(l, outer, body, slot);
    const cf_ptr *end = cf_peek(body, slot)->p, *start = s.p;
    if (l->given_up && start && start->n == 1 && start->to[0].doubt == l->given_up) return true; // what it is: unknown
    end = beyond_turn(l, body->frame, end);
    cf_env *now = l->env;
    l->env = outer;
    if (!start) { // set inside only
        cf_ptr *p = CH_NEW(l->a, cf_ptr);
        *p = (cf_ptr){end->n, end->to, end->n > 1 ? cf_i64(l, 0) : NULL, cf_i64(l, 0)};
        start = p;
        *cf_poke(l, outer, slot) = (cf_state){.p = p};
        if (im) { // and maybe not in every turn: what it was before counts
            l->env = now;
            return false;
        }
    }
    const cf_ptr *both = cf_widened(l, start, end);
    if (both->n > start->n && l->given_up) {
        *cf_poke(l, outer, slot) = (cf_state){.p = cf_doubtful_pointer(l, l->given_up, false)};
        l->env = now;
        return false;
    }
    if (both->n > start->n) {
        if (!start->which && start->n == 1) {
            cf_ptr *p = CH_NEW(l->a, cf_ptr);
            *p = (cf_ptr){both->n, both->to, cf_i64(l, 0), start->index};
            *cf_poke(l, outer, slot) = (cf_state){.p = p};
        } else {
            *cf_poke(l, outer, slot) = (cf_state){.p = cf_as(l, start, both)};
        }
        l->env = now;
        return false;
    }
    if (!cf_same_targets(start, end)) {
        l->env = body;
        end = cf_as(l, end, start);
    }
    l->env = outer;
    ch__value *from = start->index ? start->index : cf_i64(l, 0);
    l->env = body;
    ch__value *to = end->index ? end->index : cf_i64(l, 0);
    const cf_ptr *inside = im ? im->inside.p : NULL;
    if (!inside || inside->index != to) CH_PUSH(l->a, out, (carried){slot, 1, from, inside ? inside->index : NULL, to});
    if (start->n > 1 && (!inside || inside->which != end->which))
        CH_PUSH(l->a, out, (carried){slot, 2, start->which, inside ? inside->which : NULL, end->which});
    l->env = now;
    return true;
}

static bool carry_all_of(cf_lower *l, cf_env *outer, cf_env *body, int n_outer, int skip, carried_list *out) {
    bool settled = cf_count_targets(l, body->frame->n_slots) == body->frame->n_targets;
    if (!cf_make_pools(l, outer, body)) return false;
    for (int slot = cf_next_changed(l, body, 0); slot < n_outer; slot = cf_next_changed(l, body, slot + 1)) {
        if (slot == skip || !cf_changed(l, body, slot)) continue;
        if (!l->slots.data[slot].type) {
            settled = carry_pointer(l, outer, body, slot, out) && settled;
            continue;
        }
        const cf_import *im = imported(body, slot);
        cf_state s = before_loop(l, outer, body, slot);
        CH_PUSH(l->a, out, (carried){slot, 0, s.v, im ? im->inside.v : NULL, cf_peek(body, slot)->v});
    }
    return settled;
}

static bool is_carried(const carried_list *list, const ch__value *inside) {
    for (int64_t i = 0; i < list->n; i++)
        if (list->data[i].inside == inside) return true;
    return false;
}

static void replace(cf_lower *l, const carried_list *list, ch__value *inside, ch__value *outside) {
    if (inside && outside && !is_carried(list, inside)) ch__map_put(&l->replaced, (uint64_t)(uintptr_t)inside, outside);
}

// Placeholders of what did not change.
static void settle_imports(cf_lower *l, const cf_env *body, const carried_list *list) {
    for (int64_t i = 0; i < body->frame->imports.n; i++) {
        const cf_import *im = &body->frame->imports.data[i];
        replace(l, list, im->inside.v, im->outside.v);
        if (!im->inside.p) continue;
        replace(l, list, im->inside.p->index, im->outside.p->index);
        replace(l, list, im->inside.p->which, im->outside.p->which);
    }
}

static void add_region_params(cf_lower *l, ch__region *r, const carried_list *list, ch__value *const *values) {
    ch__value **params = CH_NEW_ARRAY(l->a, ch__value *, r->n_params + list->n + 1);
    if (r->n_params) memcpy(params, r->params, (size_t)r->n_params * sizeof *params);
    r->params = params;
    for (int64_t i = 0; i < list->n; i++) {
        ch__value *v = values[i];
        if (!v) {
            v = CH_NEW(l->a, ch__value);
            *v = (ch__value){.type = list->data[i].init->type, .id = l->func->n_values++};
            v->name = list->data[i].what == 0 ? l->slots.data[list->data[i].slot].name : NULL;
        }
        v->region = r;
        v->index = r->n_params;
        r->params[r->n_params++] = v;
    }
}

static void after_loop(cf_lower *l, cf_env *outer, const carried_list *list, ch__op *op) {
    for (int64_t i = 0; i < list->n; i++) {
        const carried *c = &list->data[i];
        ch__value *v = &op->results[i];
        if (c->what == 0) {
            v->name = l->slots.data[c->slot].name;
            *cf_poke(l, outer, c->slot) = (cf_state){.v = v};
            continue;
        }
        cf_ptr *p = CH_NEW(l->a, cf_ptr);
        *p = *cf_peek(outer, c->slot)->p;
        if (c->what == 1)
            p->index = v;
        else
            p->which = v;
        *cf_poke(l, outer, c->slot) = (cf_state){.p = p};
    }
}

// ---------------------------------------------------------------- for
typedef struct {
    ch__value *lo, *hi;
    int64_t step;
    const char *policy;
} counted;

static outcome finish_for(cf_lower *l, cf_env *outer, cf_env *body, int n_outer, int skip, const counted *c) {
    carried_list list = {0};
    if (!carry_all_of(l, outer, body, n_outer, skip, &list)) return LOOP_AGAIN;
    ch__region *r = body->b.region;
    ch__value **inside = CH_NEW_ARRAY(l->a, ch__value *, list.n + 1),
              **yields = CH_NEW_ARRAY(l->a, ch__value *, list.n + 1);
    ch__value **operands = CH_NEW_ARRAY(l->a, ch__value *, list.n + 3);
    for (int64_t i = 0; i < list.n; i++) {
        inside[i] = list.data[i].inside;
        yields[i] = list.data[i].yield;
        operands[i + 3] = list.data[i].init;
    }
    settle_imports(l, body, &list);
    if (list.n == 0) return LOOP_DONE; // it changes nothing
    add_region_params(l, r, &list, inside);
    ch__region_set_results(r, (int)list.n, yields);
    operands[0] = c->lo;
    operands[1] = c->hi;
    operands[2] = cf_i64(l, c->step);
    ch__attr a = ch__attr_str(CH__ATTR_policy, c->policy);
    ch__op *op = ch__build(&outer->b, CH_OP_for, (int)list.n + 3, operands, c->policy ? 1 : 0, &a, 0, NULL, 1, &r);
    after_loop(l, outer, &list, op);
    return LOOP_DONE;
}

void cf_copy_loop(cf_lower *l, ch__value *n, void (*fn)(cf_lower *l, void *arg, ch__value *i), void *arg) {
    cf_env *outer = l->env;
    int n_outer = outer->n;
    ch__region *r = ch__region_create(l->func, NULL);
    ch__value *i = ch__region_add_param(r, NULL, ch__type_scalar(CH_I64));
    cf_env *body = cf_loop_body(l, outer, r);
    l->env = body;
    fn(l, arg, i);
    l->env = outer;
    counted c = {cf_i64(l, 0), n, 1, NULL};
    finish_for(l, outer, body, n_outer, -1, &c);
}

static const cf_node *uncast(const cf_node *n) {
    while (n->kind == CF_CAST && n->type->kind == CF_INT && n->kids[0]->type->kind == CF_INT) n = n->kids[0];
    return n;
}

static bool is_counter(const cf_node *n, const cf_decl *d) {
    n = uncast(n);
    return n->kind == CF_NAME && n->decl == d;
}

// The variable that the step changes by a constant.
static cf_decl *step_of(const cf_node *n, int64_t *by) {
    if (!n) return NULL;
    const cf_node *to = n->n ? n->kids[0] : NULL;
    if (!to || to->kind != CF_NAME || to->decl->kind == CF_FUNC || to->decl->global) return NULL;
    if (to->decl->type->kind != CF_INT) return NULL;
    if (n->kind == CF_UNARY && n->op >= CF_PRE_INC) {
        *by = n->op == CF_PRE_INC || n->op == CF_POST_INC ? 1 : -1;
        return to->decl;
    }
    if (n->kind != CF_ASSIGN) return NULL;
    const cf_node *v = uncast(n->kids[1]);
    cf_op op = n->op;
    if (op == CF_NO_OP && v->kind == CF_BINARY && (v->op == CF_ADD || v->op == CF_SUB) &&
        is_counter(v->kids[0], to->decl)) {
        op = v->op;
        v = uncast(v->kids[1]);
    } else if (op == CF_NO_OP) {
        return NULL;
    }
    if ((op != CF_ADD && op != CF_SUB) || v->kind != CF_NUMBER || v->i <= 0) return NULL;
    *by = op == CF_ADD ? v->i : -v->i;
    return to->decl;
}

// Jumps out of the loop among its statements, those of inner loops and switches left out.
static bool leaves_loop(const cf_node *n, bool inner) {
    if (!n) return false;
    if (n->kind == CF_RETURN || n->kind == CF_GOTO) return true;
    if (n->kind == CF_BREAK) return !inner;
    if (n->kind == CF_FOR || n->kind == CF_WHILE || n->kind == CF_DO || n->kind == CF_SWITCH) inner = true;
    if (n->kind < CF_BLOCK && n->kind != CF_STATEMENT_EXPR) return false;
    for (int i = 0; i < n->n; i++)
        if (leaves_loop(n->kids[i], inner)) return true;
    return false;
}

typedef struct {
    cf_decl *var;
    int64_t step, offset; // condition: var + offset < bound
    cf_op op;
    cf_node *bound;
} shape;

static cf_op turned(cf_op op) {
    return op == CF_LT ? CF_GT : op == CF_LE ? CF_GE : op == CF_GT ? CF_LT : op == CF_GE ? CF_LE : op;
}

static bool loop_shape(cf_node *n, shape *s) {
    cf_node *cond = n->kids[1];
    if (!cond || cond->kind != CF_BINARY || cond->op < CF_LT || cond->op > CF_NE || cond->op == CF_EQ) return false;
    s->var = step_of(n->kids[2], &s->step);
    if (!s->var || leaves_loop(n->kids[3], false)) return false;
    for (int side = 0; side < 2; side++) {
        const cf_node *x = uncast(cond->kids[side]);
        s->offset = 0;
        if (x->kind == CF_BINARY && (x->op == CF_ADD || x->op == CF_SUB) && uncast(x->kids[1])->kind == CF_NUMBER &&
            x->type->is_signed) {
            s->offset = x->op == CF_ADD ? uncast(x->kids[1])->i : -uncast(x->kids[1])->i;
            x = x->kids[0];
        }
        if (!is_counter(x, s->var)) continue;
        s->bound = cond->kids[1 - side];
        s->op = side ? turned(cond->op) : cond->op;
        if (s->op == CF_NE) {
            if (s->step != 1 && s->step != -1) return false;
            s->op = s->step > 0 ? CF_LT : CF_GT;
        }
        return (s->op == CF_LT || s->op == CF_LE) == (s->step > 0);
    }
    return false;
}

// The counter after the loop.
static void set_counter(cf_lower *l, int slot, const counted *c, const cf_type *t) {
    static const cf_type i64 = {.kind = CF_INT, .bits = 64, .is_signed = true, .text = "long"};
    int64_t step = c->step < 0 ? -c->step : c->step;
    ch__value *span = c->step > 0 ? cf_arith(l, CF_SUB, &i64, c->hi, c->lo) : cf_arith(l, CF_SUB, &i64, c->lo, c->hi);
    if (step != 1) {
        span = cf_arith(l, CF_DIV, &i64, cf_arith(l, CF_ADD, &i64, span, cf_i64(l, step - 1)), cf_i64(l, step));
        span = cf_arith(l, CF_MUL, &i64, span, cf_i64(l, step));
    }
    ch__value *end = cf_arith(l, c->step > 0 ? CF_ADD : CF_SUB, &i64, c->lo, span);
    ch__value *runs = cf_compare(l, c->step > 0 ? CF_LT : CF_GT, c->lo, c->hi);
    end = ch__b_select(&l->env->b, runs, end, c->lo);
    cf_set_slot(l, slot, ch__b_convert(&l->env->b, end, cf_held(t)));
}

static outcome counted_loop(cf_lower *l, cf_node *n, const shape *s) {
    cf_env *outer = l->env;
    int n_outer = outer->n;
    cf_object *o = cf_variable(l, s->var, n->loc);
    int slot = o->leaves.data[0].slot;
    cf_slots reads = {0}, *saved = l->log;
    l->log = &reads;
    ch__value *bound = cf_scalar(l, s->bound);
    l->log = saved;
    counted c = {.lo = cf_index(l, cf_get_slot(l, slot)), .step = s->step};
    int64_t shift = (s->op == CF_LE ? 1 : s->op == CF_GE ? -1 : 0) - s->offset;
    c.hi = cf_index(l, bound);
    if (shift) c.hi = cf_add_index(l, c.hi, cf_i64(l, shift));
    ch__region *r = ch__region_create(l->func, NULL);
    ch__value *i = ch__region_add_param(r, s->var->name, ch__type_scalar(CH_I64));
    cf_env *body = cf_loop_body(l, outer, r);
    *body->frame = (cf_frame){.outer = outer,
                              .n_slots = body->frame->n_slots,
                              .n_targets = body->frame->n_targets,
                              .counts = body->frame->counts,
                              .node = n,
                              .counter = i,
                              .lo = c.lo,
                              .hi = c.hi,
                              .step = c.step};
    l->env = body;
    ch__value *as_var = ch__b_convert(&body->b, i, cf_held(s->var->type));
    cf_set_slot(l, slot, as_var);
    const char *policy = l->policy;
    l->policy = NULL;
    cf_statement(l, n->kids[3]);
    c.policy = l->policy;
    l->policy = policy;
    cf_take_jumps(l, CF_JUMP_CONTINUE);
    l->env = outer;
    if (body->jumps || cf_peek(body, slot)->lazy || cf_peek(body, slot)->v != as_var) return LOOP_NOT_COUNTED;
    for (int64_t k = 0; k < reads.n; k++)
        if (reads.data[k] == slot || cf_changed(l, body, reads.data[k])) return LOOP_NOT_COUNTED;
    outcome out = finish_for(l, outer, body, n_outer, slot, &c);
    if (out == LOOP_DONE && !(n->kids[0] && n->kids[0]->kind == CF_DECLARE)) set_counter(l, slot, &c, s->var->type);
    return out;
}

// ---------------------------------------------------------------- while
bool cf_has_effects(const cf_node *n) {
    if (!n) return false;
    if (n->kind == CF_ASSIGN || n->kind == CF_CALL || n->kind == CF_STATEMENT_EXPR || n->kind == CF_LITERAL) {
        cf_decl *f;
        if (n->kind != CF_CALL) return true;
        cf_called(n, &f);
        if (!f || f->has_body || !(f->in_system || ch__libm_find(f->name))) return true;
    }
    if (n->kind == CF_UNARY && n->op >= CF_PRE_INC) return true;
    for (int i = 0; i < n->n; i++)
        if (cf_has_effects(n->kids[i])) return true;
    return false;
}

typedef struct {
    cf_node *step, *cond;
    int go; // slot; -1: none
} turn_job;

static void end_of_turn(cf_lower *l, void *arg) {
    turn_job *j = arg;
    if (j->step) cf_value(l, j->step);
    if (j->go >= 0) cf_set_slot(l, j->go, cf_condition(l, j->cond));
}

static ch__value *constant_bool(cf_lower *l, bool b) {
    const uint8_t v = b;
    return ch__b_const(&l->env->b, &(ch__array){.dtype = CH_BOOL, .data = (void *)(uintptr_t)&v, .splat = true});
}

// The condition's region: no jump is under way, and what the program asks.
static ch__value *continue_condition(cf_lower *l, cf_node *cond, int go, unsigned jumps, bool stops) {
    ch__value *none = jumps ? cf_compare(l, CF_EQ, cf_get_slot(l, l->call->jump), cf_i64(l, 0)) : NULL;
    if (stops) { // abort was called
        ch__value *goes = cf_compare(l, CF_EQ, cf_get_slot(l, l->stop), cf_i64(l, 0));
        none = none ? ch__b_binary(&l->env->b, CH_OP_and, none, goes) : goes;
    }
    if (!cond && go < 0) return none ? none : constant_bool(l, true);
    if (!none) return go >= 0 ? cf_get_slot(l, go) : cf_condition(l, cond);
    if (go >= 0) return ch__b_binary(&l->env->b, CH_OP_and, none, cf_get_slot(l, go));
    if (cf_cheap(cond)) return ch__b_binary(&l->env->b, CH_OP_and, none, cf_condition(l, cond));
    cf_env *e = l->env;
    cf_env *x, *y;
    cf_fork(l, none, &x, &y);
    l->env = y;
    ch__value *no = constant_bool(l, false);
    l->env = x;
    ch__value *yes = cf_condition(l, cond);
    l->env = e;
    return cf_join(l, e, none, x, y, yes, no);
}

static outcome finish_while(cf_lower *l, cf_env *outer, cf_env *body, cf_env *test, int n_outer, ch__value *go_on,
                            const char *policy) {
    carried_list list = {0};
    if (!carry_all_of(l, outer, body, n_outer, -1, &list)) return LOOP_AGAIN;
    ch__value **inside = CH_NEW_ARRAY(l->a, ch__value *, list.n + 1),
              **yields = CH_NEW_ARRAY(l->a, ch__value *, list.n + 1);
    ch__value **inits = CH_NEW_ARRAY(l->a, ch__value *, list.n + 1),
              **seen = CH_NEW_ARRAY(l->a, ch__value *, list.n + 1);
    carried_list tested = {0};
    for (int64_t i = 0; i < list.n; i++) {
        const carried *c = &list.data[i];
        const cf_import *im = imported(test, c->slot);
        inside[i] = c->inside;
        yields[i] = c->yield;
        inits[i] = c->init;
        seen[i] = !im ? NULL : c->what == 0 ? im->inside.v : c->what == 1 ? im->inside.p->index : im->inside.p->which;
        CH_PUSH(l->a, &tested, (carried){c->slot, c->what, c->init, seen[i], NULL});
    }
    settle_imports(l, body, &list);
    settle_imports(l, test, &tested);
    ch__region *r[2] = {test->b.region, body->b.region};
    add_region_params(l, r[0], &tested, seen);
    add_region_params(l, r[1], &list, inside);
    ch__region_set_results(r[0], 1, &go_on);
    ch__region_set_results(r[1], (int)list.n, yields);
    ch__attr a = ch__attr_str(CH__ATTR_policy, policy);
    ch__op *op = ch__build(&outer->b, CH_OP_while, (int)list.n, inits, policy ? 1 : 0, &a, 0, NULL, 2, r);
    after_loop(l, outer, &list, op);
    return LOOP_DONE;
}

static outcome while_loop(cf_lower *l, cf_node *cond, cf_node *step, cf_node *stmt, int go) {
    cf_env *outer = l->env;
    int n_outer = outer->n;
    cf_env *body = cf_loop_body(l, outer, ch__region_create(l->func, NULL));
    const char *policy = l->policy;
    l->env = body;
    l->policy = NULL;
    cf_statement(l, stmt);
    const char *mine = l->policy;
    l->policy = policy;
    cf_take_jumps(l, CF_JUMP_CONTINUE);
    turn_job j = {step, cond, go};
    cf_unless_jumping(l, end_of_turn, &j);
    unsigned jumps = body->jumps;
    cf_env *test = cf_loop_body(l, outer, ch__region_create(l->func, NULL));
    l->env = test;
    bool stops = l->stop >= 0 && l->stop < n_outer && cf_changed(l, body, l->stop);
    ch__value *go_on = continue_condition(l, cond, go, jumps, stops);
    l->env = outer;
    outcome out = finish_while(l, outer, body, test, n_outer, go_on, mine);
    if (out != LOOP_DONE) return out;
    outer->falls = cond != NULL || (jumps & CF_JUMP_BREAK);
    outer->jumps = jumps;
    cf_take_jumps(l, CF_JUMP_BREAK);
    return LOOP_DONE;
}

// ---------------------------------------------------------------- goto that leads back
static outcome label_loop(cf_lower *l, int n, cf_node *const *list, unsigned bit, int go) {
    cf_env *outer = l->env;
    int n_outer = outer->n;
    cf_env *body = cf_loop_body(l, outer, ch__region_create(l->func, NULL));
    const char *policy = l->policy;
    l->env = body;
    l->policy = NULL;
    body->jumps = outer->jumps; // the first turn may begin in the middle
    cf_statements(l, n, list);
    const char *mine = l->policy;
    l->policy = policy;
    bool falls = body->falls;
    unsigned jumps = body->jumps & ~bit;
    ch__value *again = constant_bool(l, false);
    if (body->jumps & bit) {
        ch__value *j = cf_get_slot(l, l->call->jump);
        again = cf_compare(l, CF_EQ, j, cf_i64(l, (int64_t)bit));
        cf_take_jumps(l, bit);
    }
    cf_set_slot(l, go, again);
    cf_env *test = cf_loop_body(l, outer, ch__region_create(l->func, NULL));
    l->env = test;
    bool stops = l->stop >= 0 && l->stop < n_outer && cf_changed(l, body, l->stop);
    ch__value *go_on = continue_condition(l, NULL, go, 0, stops);
    l->env = outer;
    outcome out = finish_while(l, outer, body, test, n_outer, go_on, mine);
    if (out != LOOP_DONE) return out;
    outer->falls = falls;
    outer->jumps = jumps;
    return LOOP_DONE;
}

// ---------------------------------------------------------------- any loop
enum { MOST_TRIES = 12 };

// A loop after so many tries: pointers that still come to point to more are in doubt from here on.
static void give_up_pointers(cf_lower *l, cf_node *n) {
    l->given_up = cf_doubt_of(l, "CH142", n->loc, "use indices",
                              "what is read through a pointer that comes to point to ever more things in a loop");
}

static void refuse_pointers(cf_lower *l, cf_node *n) {
    cf_refuse(l, "CH142", n->loc, "use indices", "pointers that come to point to ever more things in a loop");
}

void cf_loop(cf_lower *l, cf_node *n) {
    shape s = {0};
    cf_node *cond = n->kids[n->kind == CF_DO ? 1 : n->kind == CF_FOR ? 1 : 0];
    cf_node *step = n->kind == CF_FOR ? n->kids[2] : NULL;
    cf_node *stmt = n->kids[n->kind == CF_DO ? 0 : n->kind == CF_FOR ? 3 : 1];
    if (n->kind == CF_FOR && n->kids[0]) cf_statement(l, n->kids[0]);
    if (n->kind == CF_FOR && loop_shape(n, &s)) {
        outcome out = LOOP_AGAIN;
        const cf_doubt *saved = l->given_up;
        l->given_up = NULL;
        for (int k = 0; k < 2 * MOST_TRIES && out == LOOP_AGAIN; k++) {
            if (k == MOST_TRIES) give_up_pointers(l, n);
            out = counted_loop(l, n, &s);
        }
        l->given_up = saved;
        if (out == LOOP_DONE) return;
        if (out == LOOP_AGAIN) {
            refuse_pointers(l, n);
            return;
        }
    }
    if (cond && cond->kind == CF_NUMBER && cond->type->kind == CF_INT && cond->i && n->kind != CF_DO)
        cond = NULL;                                                                                 // while (1)
    if (n->kind == CF_DO && cond->kind == CF_NUMBER && cond->type->kind == CF_INT && cond->i == 0) { // once
        cf_statement(l, stmt);
        cf_take_jumps(l, CF_JUMP_CONTINUE);
        cf_take_jumps(l, CF_JUMP_BREAK);
        return;
    }
    int go = -1;
    if (n->kind == CF_DO || cf_has_effects(cond)) {
        go = cf_new_slot(l, "go", ch__type_scalar(CH_BOOL), NULL);
        cf_set_slot(l, go, n->kind == CF_DO ? constant_bool(l, true) : cf_condition(l, cond));
    }
    outcome out = LOOP_AGAIN;
    const cf_doubt *saved = l->given_up;
    l->given_up = NULL;
    for (int k = 0; k < 2 * MOST_TRIES && out == LOOP_AGAIN; k++) {
        if (k == MOST_TRIES) give_up_pointers(l, n);
        out = while_loop(l, cond, step, stmt, go);
    }
    l->given_up = saved;
    if (out != LOOP_DONE) refuse_pointers(l, n);
}

void cf_label_loop(cf_lower *l, int n, cf_node *const *list, unsigned bit) {
    int go = cf_new_slot(l, "go", ch__type_scalar(CH_BOOL), NULL);
    cf_set_slot(l, go, constant_bool(l, true));
    outcome out = LOOP_AGAIN;
    l->call->open |= bit;
    for (int k = 0; k < MOST_TRIES && out == LOOP_AGAIN; k++) out = label_loop(l, n, list, bit, go);
    l->call->open &= ~bit;
    if (out != LOOP_DONE) refuse_pointers(l, list[0]);
}
