// SPDX-License-Identifier: Apache-2.0
// control.c - regions: ops in order, if, for, while.
//
// What a loop carries is one C variable or array all the way: the initial value is put there, the body updates it in
// place where the old version is dead and assigns at its end, the result stays there. Both branches of an `if` leave
// their results in one place, which is the place of an outer array when both only update that.
#include "cgen/emit.h"

void ch__cg_refuse(const ch__op *op, const char *why) {
    const char *name = ch__op_name((ch__opcode)op->code);
    if (op->loc && op->loc->file)
        ch__raise(CH__E_unsupported, "print_c: %s:%d: %s: %s", op->loc->file, op->loc->line, name, why);
    ch__raise(CH__E_unsupported, "print_c: %s: %s", name, why);
}

// ---------------------------------------------------------------- texts on the side
typedef struct {
    ch__text text, *saved;
    int64_t before_end; // bytes before the results are assigned
    int64_t some;
} aside;

static void aside_begin(cg *g, aside *s) {
    ch__text_init(&s->text, g->a);
    s->before_end = 0;
    s->saved = g->out;
    s->some = g->some.n;
    g->out = &s->text;
    g->indent++;
}

static void aside_end(cg *g, aside *s) {
    g->out = s->saved;
    g->some.n = s->some;
    g->indent--;
}

static void put_aside(cg *g, const aside *s) {
    if (s->text.n) ch__putn(g->out, s->text.data, (size_t)s->text.n);
}

// ---------------------------------------------------------------- if
// v, which r yields into st, is what a branch gives: it is put there at once when nobody reads p, which st holds until
// then, after the branch. What v may be unchanged from is put there likewise.
static void preset_scalar(cg *g, ch__value *v, const ch__region *r, store *st, const ch__value *p) {
    if (v->type->rank > 0 || v->type->tape) return;
    for (int turn = 0; turn < 16; turn++) {
        ch__op *op = v->op;
        val *x = val_of(g, v);
        if (g->file->native || !op || op->code != CH_OP_if || op->parent != r || x->preset) return;
        if ((turn == 0 && x->uses != 1) || !ch__cg_dead_after(g, p, op)) return;
        x->preset = st;
        x->replaces = p;
        ch__value *before = NULL;
        for (int i = 0; i < 2; i++) {
            ch__value *w = op->regions[i]->results[v->index];
            if (w->op && w->op->parent == r && w->op != op) before = w;
        }
        if (!before || !ch__cg_dead_after(g, before, op)) return;
        v = before;
    }
}

// The outer value whose memory the chain of in-place ops that ends in v works in; NULL: none.
static const ch__value *root_of(const ch__value *v, const ch__region *r) {
    while (v->op && v->op->parent == r) {
        int j = ch__cg_in_place(v->op, v->index);
        if (j < 0) return NULL;
        v = v->op->operands[j];
    }
    return v->op || v->region != r ? v : NULL;
}

static store *place_of(cg *g, const ch__op *op, int k) {
    const ch__value *v = &op->results[k];
    if (v->type->rank == 0 && val_of(g, v)->preset) return val_of(g, v)->preset;
    if (v->type->rank == 0 || v->type->tape) return ch__cg_new_store(g, v, NULL);
    const ch__value *a = root_of(op->regions[0]->results[k], op->regions[0]),
                    *b = root_of(op->regions[1]->results[k], op->regions[1]);
    if (a && a == b && !val_of(g, v)->preset && ch__cg_can_take(g, a, op)) {
        for (int i = 0; i < k; i++) // two results cannot lie in one place
            if (g->place[i] == val_of(g, a)->st) return ch__cg_new_store(g, v, NULL);
        return val_of(g, a)->st;
    }
    store *st = ch__cg_result_store(g, op, k);
    for (int i = 0; i < 2; i++)
        if (op->regions[i]->results[k]->op && op->regions[i]->results[k]->op->parent == op->regions[i])
            ch__cg_preset(g, op->regions[i]->results[k], st);
    return st;
}

// One scalar that both branches only choose: c ? a : b.
static bool as_choice(cg *g, const ch__op *op, cx pred, const aside *s, const cx *e, const store *place) {
    if (!place || val_of(g, &op->results[0])->preset == place || op->n_results != 1 || place->kind != ST_SCALAR ||
        s[0].before_end || s[1].before_end)
        return false;
    if (strlen(pred.s) + strlen(e[0].s) + strlen(e[1].s) > 90) return false;
    ch__cg_line(g, "const %s %s = %s ? %s : %s;", ch__cg_ctype(place->type->dtype), place->name,
                ch__cx_at(g, pred, CX_OR), ch__cx_at(g, e[0], CX_OR), ch__cx_at(g, e[1], CX_OR));
    return true;
}

static void put_branches(cg *g, cx pred, const aside *s) {
    if (s[0].text.n) {
        ch__cg_open(g, "if (%s)", pred.s);
        put_aside(g, &s[0]);
        if (s[1].text.n) {
            g->indent--;
            ch__cg_line(g, "} else {");
            g->indent++;
            put_aside(g, &s[1]);
        }
        ch__cg_close(g);
    } else if (s[1].text.n) {
        ch__cg_open(g, "if (!%s)", ch__cx_at(g, pred, CX_UNARY));
        put_aside(g, &s[1]);
        ch__cg_close(g);
    }
}

static void emit_if(cg *g, const ch__op *op) {
    cx pred = ch__cg_scalar(g, op->operands[0]), e[2] = {{0}};
    int n = op->n_results;
    store **place = CH_NEW_ARRAY(g->a, store *, n), **outer = g->place;
    g->place = place;
    for (int k = 0; k < n; k++)
        if (val_of(g, &op->results[k])->uses > 0) place[k] = place_of(g, op, k);
    g->place = outer;
    aside s[2];
    for (int i = 0; i < 2; i++) {
        const ch__region *r = op->regions[i];
        int64_t mark = ch__cg_mark(g), undo = g->journal.n;
        aside_begin(g, &s[i]);
        for (int k = 0; k < n; k++)
            if (place[k] && val_of(g, &op->results[k])->preset == place[k])
                preset_scalar(g, r->results[k], r, place[k], val_of(g, &op->results[k])->replaces);
        ch__cg_region(g, r);
        if (n == 1 && place[0] && place[0]->kind == ST_SCALAR) e[i] = ch__cg_scalar(g, r->results[0]);
        s[i].before_end = s[i].text.n;
        ch__cg_assign(g, n, place, r->results);
        aside_end(g, &s[i]);
        ch__cg_scope_end(g, mark);
        while (i == 0 && g->journal.n > undo) { // the other branch finds everything as it was
            owner_change c = g->journal.data[--g->journal.n];
            c.st->owner = c.owner;
        }
    }
    if (!as_choice(g, op, pred, s, e, n > 0 ? place[0] : NULL)) {
        for (int k = 0; k < n; k++)
            if (place[k] && place[k]->kind == ST_SCALAR && val_of(g, &op->results[k])->preset != place[k])
                ch__cg_line(g, "%s %s;", ch__cg_ctype(place[k]->type->dtype), place[k]->name);
        put_branches(g, pred, s);
    }
    for (int k = 0; k < n; k++)
        if (place[k]) ch__cg_hold(g, &op->results[k], place[k]);
}

// ---------------------------------------------------------------- what loops carry
static store *carry(cg *g, const ch__op *op, int operand, int k, const ch__value *param) {
    const ch__value *init = op->operands[operand], *result = &op->results[k];
    store *preset = val_of(g, result)->preset, *now = val_of(g, init)->st;
    const char *want = param->name ? param->name : result->name;
    if (!want && ch__cg_is_moderate(param)) want = "count";
    if (param->type->tape) {
        ch__cg_hold(g, param, now); // a tape is linear: it moves in
        return now;
    }
    if (param->type->rank == 0) {
        store *st = ch__cg_new_store(g, param, want);
        ch__cg_line(g, "%s %s = %s;", ch__cg_ctype(param->type->dtype), st->name, ch__cg_scalar(g, init).s);
        return st;
    }
    if (now && ch__cg_can_take(g, init, op) && (!preset || preset == now)) {
        for (int i = 0; i < k; i++)
            if (g->place[i] == now) now = NULL; // carried twice
        if (now) return now;
    }
    store *st = preset ? preset : ch__cg_new_store(g, param, want);
    bool zeros = init->op && (init->op->code == CH_OP_const || init->op->code == CH_OP_alloc);
    if (!zeros || op->code != CH_OP_for || !ch__overwrites(op, k)) ch__cg_copy_into(g, st, init);
    return st;
}

static store **carry_all(cg *g, const ch__op *op, int first, const ch__region *body, int skip) {
    store **place = CH_NEW_ARRAY(g->a, store *, op->n_results + 1), **outer = g->place;
    g->place = place;
    for (int k = 0; k < op->n_results; k++) place[k] = carry(g, op, first + k, k, body->params[skip + k]);
    for (int k = 0; k < op->n_results; k++) ch__cg_hold(g, body->params[skip + k], place[k]);
    g->place = outer;
    return place;
}

// Results of the body that are computed where the values they replace lie.
static void put_carried(cg *g, const ch__region *body, int n, store *const *place) {
    for (int k = 0; k < n; k++) {
        if (place[k]->kind == ST_SCALAR)
            preset_scalar(g, body->results[k], body, place[k], body->params[body->n_params - n + k]);
        val *x = val_of(g, body->results[k]);
        if (!x->carries) continue;
        x->preset = place[k];
        x->over = true;
    }
}

static void leave(cg *g, const ch__op *op, store **place) {
    for (int k = 0; k < op->n_results; k++) {
        ch__cg_hold(g, &op->results[k], place[k]);
        if (val_of(g, &op->results[k])->uses == 0 && place[k]->kind == ST_SCALAR)
            ch__cg_line(g, "(void)%s;", place[k]->name);
    }
}

// A bound as C text that is evaluated once.
static cx loop_bound(cg *g, const ch__value *v, const char *want) {
    cx e = ch__cg_scalar(g, v);
    if (val_of(g, v)->how != HOW_INLINE) return e;
    const char *name = ch__cg_scoped(g, want);
    ch__cg_line(g, "const int64_t %s = %s;", name, e.s);
    return ch__cx(name, CX_PRIM);
}

// i++, i -= 3, i = step_from(i, step, end): what the counter does after a turn.
static const char *next_turn(cg *g, const ch__op *op, const char *i, const cx *by, const char *end) {
    bool plain = ch__cg_is_moderate(op->operands[1]) && ch__cg_is_moderate(op->operands[2]);
    const ch__array *c = ch__const_of(op->operands[2]);
    int64_t step = 0;
    if (c) memcpy(&step, c->data, sizeof step);
    if (step == 1 || step == -1) return ch__arena_printf(g->a, "%s%s", i, step > 0 ? "++" : "--");
    if (!plain) {
        cx args[3] = {ch__cx(i, CX_PRIM), c ? ch__cg_int(g, step) : *by, ch__cx(end, CX_PRIM)};
        return ch__arena_printf(g->a, "%s = %s", i, ch__cx_call(g, ch__cg_helper(g->file, "step_from", 0), 3, args).s);
    }
    if (!c) return ch__arena_printf(g->a, "%s += %s", i, by->s);
    return ch__arena_printf(g->a, "%s %s= %s", i, step > 0 ? "+" : "-", ch__cg_int(g, step > 0 ? step : -step).s);
}

// Where the counter begins. From max(x, 0) - 1 down to 0: from x - 1, which is below 0 when there is no turn.
static cx counted_down(cg *g, const ch__op *op, int64_t step) {
    const ch__op *sub = op->operands[0]->op, *max = sub && sub->code == CH_OP_sub ? sub->operands[0]->op : NULL;
    const ch__array *end = ch__const_of(op->operands[1]), *floor, *one;
    int64_t at[3] = {0};
    if (!max || max->code != CH_OP_max || step >= 0 || !end || val_of(g, op->operands[0])->how != HOW_INLINE ||
        !ch__cg_is_moderate(max->operands[0]))
        return ch__cg_scalar(g, op->operands[0]);
    floor = ch__const_of(max->operands[1]);
    one = ch__const_of(sub->operands[1]);
    if (!floor || !one) return ch__cg_scalar(g, op->operands[0]);
    memcpy(&at[0], end->data, sizeof at[0]);
    memcpy(&at[1], floor->data, sizeof at[1]);
    memcpy(&at[2], one->data, sizeof at[2]);
    if (at[0] != -1 || at[1] != 0 || at[2] != 1) return ch__cg_scalar(g, op->operands[0]);
    return ch__cx_binary(g, "-", CX_ADD, ch__cg_scalar(g, max->operands[0]), ch__cg_int(g, 1));
}

// The bounds of a counter that goes down from x - 1, or max(x, 0) - 1, to a number.
static void count_down_from(cg *g, const ch__op *op, int d) {
    const ch__array *end = ch__const_of(op->operands[1]), *start = ch__const_of(op->operands[0]), *one;
    const ch__op *sub = op->operands[0]->op;
    int64_t last = 0, less = 0;
    if (end && start) {
        memcpy(&last, end->data, sizeof last);
        memcpy(&less, start->data, sizeof less);
        if (last < -1 || less > INT32_MAX) return;
        g->loop_known[d] = true;
        g->loop_lo[d] = ch__dim_const(last + 1);
        g->loop_hi[d] = ch__dim_const(less + 1);
        return;
    }
    if (!end || !sub || sub->code != CH_OP_sub || (one = ch__const_of(sub->operands[1])) == NULL) return;
    memcpy(&last, end->data, sizeof last);
    memcpy(&less, one->data, sizeof less);
    if (last < -1 || less != 1) return;
    const ch__value *top = sub->operands[0];
    if (top->op && top->op->code == CH_OP_max) { // when it is the other number, there is no turn
        const ch__array *floor = ch__const_of(top->op->operands[1]);
        int64_t least = 0;
        if (floor) memcpy(&least, floor->data, sizeof least);
        if (!floor || least > last + 1) return;
        top = top->op->operands[0];
    }
    g->loop_known[d] = true;
    g->loop_lo[d] = ch__dim_const(last + 1);
    g->loop_hi[d] = ch__cg_index_dim(g, top, false);
}

// From max(x, a) - 1 down to a, where x is an int of C: x, so that `for (i = x; i-- > a;)` does. NULL: it is not that.
static const ch__value *one_above(cg *g, const ch__op *op, int64_t step, int64_t *last) {
    const ch__op *sub = op->operands[0]->op, *max = sub && sub->code == CH_OP_sub ? sub->operands[0]->op : NULL;
    const ch__array *end = ch__const_of(op->operands[1]), *floor, *one;
    int64_t at[3] = {0};
    if (!g->fn->face || step != -1 || !max || max->code != CH_OP_max || !end) return NULL;
    floor = ch__const_of(max->operands[1]);
    one = ch__const_of(sub->operands[1]);
    const store *st = val_of(g, max->operands[0])->st;
    if (!floor || !one || !st || !st->place || !st->place->narrow) return NULL;
    memcpy(&at[0], end->data, sizeof at[0]);
    memcpy(&at[1], floor->data, sizeof at[1]);
    memcpy(&at[2], one->data, sizeof at[2]);
    if (at[2] != 1 || at[0] != at[1] - 1) return NULL;
    *last = at[1];
    return max->operands[0];
}

static void emit_for(cg *g, const ch__op *op) {
    const ch__region *body = op->regions[0];
    const ch__value *counter = body->params[0];
    const ch__array *c = ch__const_of(op->operands[2]);
    int64_t step = 0;
    if (c) memcpy(&step, c->data, sizeof step);
    store **place = carry_all(g, op, 3, body, 1);
    const char *around = g->watch, *watch = ch__cg_watch(g, op);
    g->watch = watch ? watch : around;
    cx hi = loop_bound(g, op->operands[1], "end"), by = {0};
    if (!c) {
        by = loop_bound(g, op->operands[2], "step");
        ch__cg_fail(g, ch__arena_printf(g->a, "%s == 0", ch__cx_at(g, by, CX_ADD)), 2);
    }
    int64_t last = 0;
    const ch__value *top = one_above(g, op, step, &last);
    cx lo = top ? ch__cg_scalar(g, top) : counted_down(g, op, step);
    int64_t mark = ch__cg_mark(g); // names of bounds stand in the block around
    int d = g->depth++;
    (void)ch__cg_loop_symbol(g, d);
    const char *saved = g->loop_names[d], *i = counter->name ? ch__cg_scoped_user(g, counter->name) : saved;
    g->loop_names[d] = i;
    const char *end = ch__cx_at(g, hi, CX_ADD);
    const char *next = next_turn(g, op, i, &by, end);
    if (top)
        ch__cg_open(g, "for (int64_t %s = %s; %s-- > %" PRId64 ";)", i, lo.s, i, last);
    else if (step < 0 && strcmp(hi.s, "-1") == 0)
        ch__cg_open(g, "for (int64_t %s = %s; %s >= 0; %s)", i, lo.s, i, next);
    else if (!c)
        ch__cg_open(g, "for (int64_t %s = %s; %s > 0 ? %s < %s : %s > %s; %s)", i, lo.s, ch__cx_at(g, by, CX_ADD), i,
                    end, i, end, next);
    else
        ch__cg_open(g, "for (int64_t %s = %s; %s %s %s; %s)", i, lo.s, i, step > 0 ? "<" : ">", end, next);
    store *st = CH_NEW(g->a, store);
    *st = (store){.kind = ST_SCALAR, .type = counter->type, .name = i, .loop = d + 1};
    ch__cg_hold(g, counter, st);
    ch__cg_variable(g, i, "int64_t ");
    const ch__array *from = ch__const_of(op->operands[0]);
    int64_t first = -1;
    if (from) memcpy(&first, from->data, sizeof first);
    ch__dim limit = ch__cg_index_dim(g, op->operands[1], false);
    if (step > 0 && first >= 0) CH_PUSH(g->a, &g->some, limit);
    g->loop_known[d] = step > 0 && first >= 0;
    g->loop_lo[d] = ch__dim_const(first);
    g->loop_hi[d] = limit;
    if (step < 0 && g->fn->face) count_down_from(g, op, d);
    int64_t inside = ch__cg_mark(g);
    ch__cg_look(g, watch);
    put_carried(g, body, op->n_results, place);
    g->in_loop++;
    ch__cg_region(g, body);
    g->in_loop--;
    ch__cg_assign(g, op->n_results, place, body->results);
    ch__cg_scope_end(g, inside);
    ch__cg_close(g);
    g->loop_names[d] = saved;
    g->loop_known[d] = false;
    g->depth = d;
    g->watch = around;
    ch__cg_scope_end(g, mark);
    leave(g, op, place);
}

static void emit_while(cg *g, const ch__op *op) {
    const ch__region *cond = op->regions[0], *body = op->regions[1];
    store **place = carry_all(g, op, 0, body, 0);
    const char *around = g->watch, *watch = ch__cg_watch(g, op);
    g->watch = watch;
    for (int k = 0; k < cond->n_params; k++) { // the condition may look, not touch
        store *st = CH_NEW(g->a, store);
        *st = *place[k];
        st->writable = false;
        ch__cg_hold(g, cond->params[k], st);
    }
    aside s;
    int64_t mark = ch__cg_mark(g);
    aside_begin(g, &s);
    ch__cg_region(g, cond);
    cx go = ch__cg_scalar(g, cond->results[0]);
    aside_end(g, &s);
    if (s.text.n == 0) {
        ch__cg_open(g, "while (%s)", go.s);
    } else {
        ch__cg_open(g, "for (;;)");
        put_aside(g, &s);
        ch__cg_line(g, "if (!%s) break;", ch__cx_at(g, go, CX_UNARY));
    }
    ch__cg_look(g, watch);
    put_carried(g, body, op->n_results, place);
    g->in_loop++;
    ch__cg_region(g, body);
    g->in_loop--;
    ch__cg_assign(g, op->n_results, place, body->results);
    ch__cg_scope_end(g, mark);
    ch__cg_close(g);
    g->watch = around;
    leave(g, op, place);
}

// ---------------------------------------------------------------- alloc that binds sizes
static void emit_alloc(cg *g, const ch__op *op) {
    const char *const *names;
    int n = ch__alloc_symbols(g->a, ch__op_attr(op, CH__ATTR_symbols), &names);
    for (int i = 0; i < op->n_operands; i++) {
        const char *want = i < n ? names[i] : "size", *name = ch__cg_name(g, want);
        cx e = ch__cg_scalar(g, op->operands[i]);
        if (op->operands[i]->type->dtype == CH_U64) e = ch__cx_call1(g, ch__cg_helper(g->file, "index_of_u64", 0), e);
        ch__cg_line(g, "const int64_t %s = %s;", name, e.s);
        ch__cg_variable(g, name, "int64_t ");
        // With a face, asking for memory says so.
        if (!g->fn->face) ch__cg_fail(g, ch__arena_printf(g->a, "%s < 0", name), 2);
        if (i < n) ch__strmap_put(&g->symbols, names[i], (void *)(uintptr_t)name);
    }
    if (op->n_operands > 0) ch__cg_home(g, n, names);
    const ch__value *v = &op->results[0];
    if (val_of(g, v)->uses == 0) return;
    store *st = ch__cg_result_store(g, op, 0);
    ch__cg_hold(g, v, st);
    if (st->late && ch__cg_take_cleared(g, st)) return;
    if (v->type->rank == 0) {
        ch__cg_line(g, "%s %s = 0;", ch__cg_ctype(v->type->dtype), st->name);
        return;
    }
    ch__dim i = ch__cg_for(g, ch__cg_numel(g, v->type));
    ix at = {.linear = i, .has_linear = true};
    ch__cg_line(g, "%s = 0;", ch__cg_at(g, st, v->type, &at));
    ch__cg_for_end(g, 1);
}

// ---------------------------------------------------------------- ops in order
void ch__cg_statement(cg *g, const ch__op *op) {
    val *x = op->n_results > 0 ? val_of(g, &op->results[0]) : NULL;
    if (x && x->chained) ch__cg_group(g, x->chained);
    if (x && (x->chained || x->delayed)) return; // blocks.c
    bool loops = op->n_regions == 0 && !ch__cg_is_called(op) && op->code != CH_OP_call && op->code != CH_OP_alloc &&
                 op->code != CH_OP_set && op->code != CH_OP_select_and_scatter && op->code != CH_OP_concat &&
                 op->code != CH_OP_dynamic_update_slice && op->n_results > 0 && !op->results[0].type->tape;
    if (loops) ch__cg_note(g, CG_LOOPS, op->results[0].type, 1, &op, "");
    switch (op->code) {
    case CH_OP_dot: ch__cg_dot_call(g, op); return; // those that are not folded into loops
    case CH_OP_conv: ch__cg_conv_call(g, op); return;
    case CH_OP_if: emit_if(g, op); return;
    case CH_OP_for: emit_for(g, op); return;
    case CH_OP_while: emit_while(g, op); return;
    case CH_OP_call: ch__cg_call(g, op); return;
    case CH_OP_alloc: emit_alloc(g, op); return;
    case CH_OP_set: ch__cg_set(g, op); return;
    case CH_OP_dynamic_update_slice: ch__cg_update_slice(g, op); return;
    case CH_OP_scatter: ch__cg_scatter(g, op); return;
    case CH_OP_select_and_scatter: ch__cg_select_and_scatter(g, op); return;
    case CH_OP_cumulative: ch__cg_cumulative(g, op); return;
    case CH_OP_concat: ch__cg_concat(g, op); return;
    case CH_OP_sort: ch__cg_sort(g, op); return;
    case CH_OP_top_k: ch__cg_top_k(g, op); return;
    case CH_OP_cholesky: ch__cg_cholesky(g, op); return;
    case CH_OP_triangular_solve: ch__cg_triangular_solve(g, op); return;
    case CH_OP_tape_new: ch__cg_tape_new(g, op); return;
    case CH_OP_push: ch__cg_push(g, op); return;
    case CH_OP_pop: ch__cg_pop(g, op); return;
    case CH_OP_replica_id:
    case CH_OP_all_reduce:
    case CH_OP_all_gather:
    case CH_OP_reduce_scatter:
    case CH_OP_all_to_all:
    case CH_OP_permute:
        ch__cg_refuse(op, "it works with other replicas, which C does not know — ch_exec_run_replicas of the engine "
                          "\"interp\" runs them, StableHLO says it to devices");
        return;
    default: ch__cg_refuse(op, "it cannot be printed as C yet — run it, or print the func as IR");
    }
}

void ch__cg_region(cg *g, const ch__region *r) {
    for (const ch__op *op = r->first; op; op = op->next) {
        if (op->n_results == 0) continue;
        val *x = val_of(g, &op->results[0]);
        if (op->code == CH_OP_dynamic_slice && x->how != HOW_DEAD) ch__cg_starts(g, op);
        if (x->how == HOW_LOCAL || x->how == HOW_STMT || x->how == HOW_MEMBER) ch__cg_source(g, op);
        switch (x->how) {
        case HOW_LOCAL: ch__cg_local(g, op); break;
        case HOW_STMT: ch__cg_statement(g, op); break;
        case HOW_MEMBER:
            if (x->group->members.data[x->group->members.n - 1] == op && !x->group->chain) ch__cg_group(g, x->group);
            break;
        default: break;
        }
    }
}
