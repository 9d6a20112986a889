// SPDX-License-Identifier: Apache-2.0
// lower_stmt.c - statements, and jumps out of them.
//
// There is no goto in IR. A jump writes its kind into the call's jump slot and what follows is skipped. Where one arm
// of an `if` surely jumps, what follows is lowered in the other arm; else it is put under "no jump is under way". A
// loop or switch takes the jumps that are its own.
#include "cfront/lower.h"

void cf_jump(cf_lower *l, int kind, int code) {
    cf_set_slot(l, l->call->jump, cf_i64(l, code));
    l->env->falls = false;
    l->env->jumps = (unsigned)kind;
}

void cf_take_jumps(cf_lower *l, unsigned kind) {
    cf_env *e = l->env;
    if (!(e->jumps & kind)) return;
    unsigned rest = e->jumps & ~kind;
    if (!rest) {
        cf_set_slot(l, l->call->jump, cf_i64(l, 0));
    } else {
        ch__value *j = cf_get_slot(l, l->call->jump);
        ch__value *mine = cf_compare(l, CF_EQ, j, cf_i64(l, (int64_t)kind));
        cf_set_slot(l, l->call->jump, ch__b_select(&e->b, mine, cf_i64(l, 0), j));
    }
    e->falls = true;
    e->jumps = rest;
}

// fn(arg) where no jump is under way, or one of the kinds let in.
static void unless_jumping(cf_lower *l, unsigned let_in, void (*fn)(cf_lower *l, void *arg), void *arg) {
    cf_env *e = l->env;
    let_in &= e->jumps;
    if (!e->falls && !let_in) return;
    if (e->jumps == let_in) {
        e->falls = true;
        fn(l, arg);
        return;
    }
    ch__value *jump = cf_get_slot(l, l->call->jump), *none = cf_compare(l, CF_EQ, jump, cf_i64(l, 0));
    for (unsigned bit = 1; bit && bit <= let_in; bit <<= 1)
        if (let_in & bit)
            none = ch__b_binary(&e->b, CH_OP_or, none, cf_compare(l, CF_EQ, jump, cf_i64(l, (int64_t)bit)));
    cf_env *x, *y;
    cf_fork(l, none, &x, &y);
    x->jumps = let_in;
    x->falls = true;
    y->jumps &= ~let_in;
    y->falls = false;
    l->env = x;
    fn(l, arg);
    l->env = e;
    cf_join(l, e, none, x, y, NULL, NULL);
}

void cf_unless_jumping(cf_lower *l, void (*fn)(cf_lower *l, void *arg), void *arg) { unless_jumping(l, 0, fn, arg); }

typedef struct {
    int n;
    cf_node *const *list;
} rest_job;

static void do_rest(cf_lower *l, void *arg) {
    rest_job *j = arg;
    cf_statements(l, j->n, j->list);
}

// ---------------------------------------------------------------- if
static bool has_label(const cf_node *n) {
    if (!n || n->kind < CF_STATEMENT_EXPR) return false;
    if (n->kind == CF_LABEL || n->kind == CF_CASE || n->kind == CF_DEFAULT) return true;
    for (int i = 0; i < n->n; i++)
        if (has_label(n->kids[i])) return true;
    return false;
}

// With what follows it in its block, which goes into the arm that does not jump.
static bool lower_if(cf_lower *l, cf_node *n, int n_rest, cf_node *const *rest) {
    ch__value *pred = cf_condition(l, n->kids[0]);
    bool known;
    if (cf_decided(pred, &known) && !has_label(n->kids[known ? 2 : 1])) { // the other arm is never there
        cf_node *arm = n->kids[known ? 1 : 2];
        if (arm) cf_statement(l, arm);
        return false;
    }
    cf_env *e = l->env;
    cf_env *x, *y;
    cf_fork(l, pred, &x, &y);
    l->env = x;
    cf_statement(l, n->kids[1]);
    l->env = y;
    if (n->kids[2]) cf_statement(l, n->kids[2]);
    bool taken = n_rest > 0 && (!x->falls || !y->falls);
    if (taken) {
        l->env = x->falls ? x : y;
        rest_job j = {n_rest, rest};
        cf_unless_jumping(l, do_rest, &j);
    }
    l->env = e;
    cf_join(l, e, pred, x, y, NULL, NULL);
    return taken;
}

// Statements without labels of their own but, maybe, the first.
static void plain_statements(cf_lower *l, int n, cf_node *const *list) {
    for (int i = 0; i < n; i++) {
        if (!l->env->falls) return;
        if (l->env->jumps) {
            rest_job j = {n - i, list + i};
            cf_unless_jumping(l, do_rest, &j);
            return;
        }
        if (list[i]->kind == CF_IF) {
            cf_env *e = l->env;
            const ch__loc *saved = e->b.loc;
            if (list[i]->loc.file)
                e->b.loc = ch__loc_make(l->a, list[i]->loc.file, list[i]->loc.line, list[i]->loc.col);
            bool done = lower_if(l, list[i], n - i - 1, list + i + 1);
            e->b.loc = saved;
            if (done) return;
        } else {
            cf_statement(l, list[i]);
        }
    }
}

// ---------------------------------------------------------------- goto
// The bit of a label of the function.
static unsigned label_bit(cf_lower *l, const char *name) {
    cf_call *c = l->call;
    for (int64_t i = 0; i < c->labels.n; i++)
        if (!strcmp(c->labels.data[i], name)) return (unsigned)CF_JUMP_GOTO << i;
    CH_PUSH(l->a, &c->labels, name);
    return (unsigned)CF_JUMP_GOTO << (c->labels.n - 1);
}

static const cf_node *find_label(const cf_node *n, const char *name) {
    if (!n || n->kind < CF_STATEMENT_EXPR) return NULL;
    if (n->kind == CF_LABEL && !strcmp(n->s, name)) return n;
    for (int i = 0; i < n->n; i++) {
        const cf_node *found = find_label(n->kids[i], name);
        if (found) return found;
    }
    return NULL;
}

static void lower_goto(cf_lower *l, cf_node *n) {
    const cf_node *to = find_label(cf_body(l->call->f), n->s);
    bool forward = to && (to->loc.line > n->loc.line || (to->loc.line == n->loc.line && to->loc.col > n->loc.col));
    unsigned bit = l->call->labels.n > 24 ? 0 : label_bit(l, n->s);
    if (!bit || !(forward || (l->call->open & bit))) {
        cf_refuse(l, "CH151", n->loc, bit ? "let the label stand in a block around the goto" : "use loops",
                  bit ? "goto %s, which leads back into a block" : "goto %s, one of more than 24", n->s);
        return;
    }
    cf_jump(l, (int)bit, (int)bit);
}

void cf_end_of_function(cf_lower *l) {
    if (l->env->jumps >= CF_JUMP_GOTO)
        cf_refuse(l, "CH151", l->call->f->loc, "let labels stand in a block around the goto",
                  "in '%s' a goto leads into a block", l->call->f->name);
    l->env->falls = true;
    l->env->jumps = 0;
}

// Whether one of the statements goes to a label.
static bool goes_to(const cf_node *n, const char *name) {
    if (!n || (n->kind < CF_BLOCK && n->kind != CF_STATEMENT_EXPR)) return false;
    if (n->kind == CF_GOTO) return !strcmp(n->s, name);
    for (int i = 0; i < n->n; i++)
        if (goes_to(n->kids[i], name)) return true;
    return false;
}

// How many statements the loop has that begins at the first one's label; 0: nothing goes back to it. What goes back to
// a label among them belongs to it; so does the rest of the block when they declare what it may use.
static int loop_from(const cf_node *label, int n, cf_node *const *list) {
    int end = 0;
    for (int i = 0; i < n; i++)
        if (goes_to(list[i], label->s)) end = i + 1;
    for (int i = 1; i < end; i++)
        for (const cf_node *in = list[i]; in->kind == CF_LABEL; in = in->kids[0])
            for (int k = end; k < n; k++)
                if (goes_to(list[k], in->s)) end = k + 1;
    for (int i = 0; i < end; i++) {
        const cf_node *in = list[i];
        while (in->kind == CF_LABEL) in = in->kids[0];
        if (in->kind == CF_DECLARE) return n;
    }
    return end;
}

typedef struct {
    unsigned bit;
    int n;
    cf_node *const *list;
} label_job;

static void do_label_loop(cf_lower *l, void *arg) {
    label_job *j = arg;
    cf_label_loop(l, j->n, j->list, j->bit);
}

static unsigned labels_in(cf_lower *l, int n, cf_node *const *list) {
    unsigned bits = 0;
    for (int i = 1; i < n; i++)
        for (const cf_node *in = list[i]; in->kind == CF_LABEL; in = in->kids[0]) bits |= label_bit(l, in->s);
    return bits;
}

// A block falls into pieces at its labels: what jumps to one ends there. What goes back to one is a loop.
void cf_statements(cf_lower *l, int n, cf_node *const *list) {
    for (int from = 0; from < n;) {
        int to = from + 1, looped = 0;
        for (const cf_node *label = list[from]; label->kind == CF_LABEL && !looped; label = label->kids[0]) {
            unsigned bit = label_bit(l, label->s);
            if (l->env->jumps & bit) cf_take_jumps(l, bit);
            if (bit >= (unsigned)CF_JUMP_GOTO << 24 || (l->call->open & bit)) continue;
            looped = loop_from(label, n - from, list + from);
            label_job j = {bit, looped, list + from};
            if (looped) unless_jumping(l, labels_in(l, looped, list + from), do_label_loop, &j); // also into its middle
        }
        if (looped) {
            from += looped;
            continue;
        }
        while (to < n && list[to]->kind != CF_LABEL) to++;
        plain_statements(l, to - from, list + from);
        from = to;
    }
}

// ---------------------------------------------------------------- switch
typedef struct {
    int start;
    bool is_default;
    CH_VEC(cf_node *) values;
} case_group;
typedef struct {
    CH_VEC(cf_node *) items;
    CH_VEC(case_group) groups;
    int n_plain;
    case_group *otherwise;
    cf_node *n;
    ch__value *value;
} switch_job;

static void gather_items(cf_lower *l, switch_job *j, cf_node *n) {
    case_group *g = NULL;
    while (n->kind == CF_CASE || n->kind == CF_DEFAULT) {
        if (!g) {
            CH_PUSH(l->a, &j->groups, (case_group){.start = (int)j->items.n});
            g = &j->groups.data[j->groups.n - 1];
        }
        if (n->kind == CF_CASE)
            CH_PUSH(l->a, &g->values, n->kids[0]);
        else
            g->is_default = true;
        n = n->kids[n->kind == CF_CASE ? 1 : 0];
    }
    CH_PUSH(l->a, &j->items, n);
}

static void do_group(cf_lower *l, const switch_job *j, int start) {
    cf_statements(l, (int)j->items.n - start, j->items.data + start);
}

static void switch_from(cf_lower *l, switch_job *j, int64_t k) {
    while (k < j->groups.n && j->groups.data[k].is_default) k++;
    if (k == j->groups.n) {
        if (j->otherwise) do_group(l, j, j->otherwise->start);
        return;
    }
    const case_group *g = &j->groups.data[k];
    cf_env *e = l->env;
    ch__value *pred = NULL;
    for (int64_t i = 0; i < g->values.n; i++) {
        cf_node *v = g->values.data[i];
        ch__value *is = cf_compare(l, CF_EQ, j->value, cf_convert(l, cf_scalar(l, v), v->type, j->n->kids[0]->type));
        pred = pred ? ch__b_binary(&e->b, CH_OP_or, pred, is) : is;
    }
    cf_env *x, *y;
    cf_fork(l, pred, &x, &y);
    l->env = x;
    do_group(l, j, g->start);
    l->env = y;
    switch_from(l, j, k + 1);
    l->env = e;
    cf_join(l, e, pred, x, y, NULL, NULL);
}

static void lower_switch(cf_lower *l, cf_node *n) {
    switch_job j = {.n = n};
    j.value = cf_plain(l, cf_scalar(l, n->kids[0]));
    cf_node *body = n->kids[1];
    if (body->kind != CF_BLOCK) {
        gather_items(l, &j, body);
    } else {
        for (int i = 0; i < body->n; i++) gather_items(l, &j, body->kids[i]);
    }
    for (int64_t i = 0; i < j.groups.n; i++)
        if (j.groups.data[i].is_default) j.otherwise = &j.groups.data[i];
    switch_from(l, &j, 0);
    cf_take_jumps(l, CF_JUMP_BREAK);
}

// ---------------------------------------------------------------- the others
static void declare_variable(cf_lower *l, cf_decl *d) {
    if (d->global) return; // static and extern: looked up when used
    cf_declare_extents(l, d->type);
    if (d->type->kind == CF_FUNCTION) return;
    if (d->type->kind == CF_ARRAY && d->type->count == -1) {
        cf_refuse(l, "CH133", d->loc, "give it a size", "an array '%s' of unknown size", d->name);
        return;
    }
    cf_object *o = cf_new_object(l, d->name, d->type, 1, NULL, d->loc);
    o->decl = d;
    cf_make_storage(l, o);
    ch__map_put(&l->call->vars, (uint64_t)(uintptr_t)d, o);
    if (d->init) cf_initialize(l, cf_address(l, o), d->type, d->init);
}

static void lower_return(cf_lower *l, cf_node *n) {
    cf_call *c = l->call;
    cf_type *t = c->f->type->of;
    if (n->n) {
        cf_rv v = cf_value(l, n->kids[0]);
        if (c->result_object && v.p)
            cf_store(l, cf_address(l, c->result_object), v, t, n->loc);
        else if (c->result >= 0 && t->kind == CF_POINTER)
            cf_set_pointer(l, c->result, v.p ? v.p : cf_null(l));
        else if (c->result >= 0 && v.v)
            cf_set_slot(l, c->result, cf_convert(l, v.v, v.type, t));
    }
    cf_jump(l, CF_JUMP_RETURN, CF_JUMP_RETURN);
}

void cf_statement(cf_lower *l, cf_node *n) {
    if (!l->env->falls || !n) return;
    const ch__loc *saved = l->env->b.loc;
    cf_env *e = l->env;
    if (n->loc.file) e->b.loc = ch__loc_make(l->a, n->loc.file, n->loc.line, n->loc.col);
    switch (n->kind) {
    case CF_BLOCK: cf_statements(l, n->n, n->kids); break;
    case CF_DECLARE:
        for (int64_t i = 0; i < n->decls.n; i++) declare_variable(l, n->decls.data[i]);
        break;
    case CF_EXPR: cf_value(l, n->kids[0]); break;
    case CF_IF: lower_if(l, n, 0, NULL); break;
    case CF_FOR:
    case CF_WHILE:
    case CF_DO: cf_loop(l, n); break;
    case CF_SWITCH: lower_switch(l, n); break;
    case CF_CASE: cf_statement(l, n->kids[1]); break; // inside a block of the switch: as if reached
    case CF_DEFAULT: cf_statement(l, n->kids[0]); break;
    case CF_BREAK: cf_jump(l, CF_JUMP_BREAK, CF_JUMP_BREAK); break;
    case CF_CONTINUE: cf_jump(l, CF_JUMP_CONTINUE, CF_JUMP_CONTINUE); break;
    case CF_RETURN: lower_return(l, n); break;
    case CF_LABEL: cf_statement(l, n->kids[0]); break;
    case CF_EMPTY: break;
    case CF_GOTO: lower_goto(l, n); break;
    default: cf_refuse(l, "CH136", n->loc, "write it otherwise", "%s", n->s ? n->s : "a statement of this kind"); break;
    }
    e->b.loc = saved;
}
