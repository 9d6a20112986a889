// SPDX-License-Identifier: Apache-2.0
// lower.c - a C function as a func: its parameters become values, what it returns and writes becomes results.
//
// A scalar is a value. What a pointer parameter points to is an object whose leaves are arrays; a parameter struct *p
// without an extent is one struct. Every array gets a size symbol of its own, x_n, unless its extent is constant: what
// C says of extents is used where the C file is written (border.c), not inside.
#include "cfront/lower.h"

// ---------------------------------------------------------------- parameters
typedef struct {
    cf_lowered *out;
    cf_lower *l;
} border;

static const char *param_name(cf_lower *l, const char *base, const char *path) {
    char *s = cf_identifier(l->a, ch__arena_printf(l->a, "%s%s", base, path));
    for (int i = 0; i < l->func->body->n_params; i++)
        if (!strcmp(l->func->body->params[i]->name, s)) return param_name(l, ch__arena_printf(l->a, "%s_", s), "");
    return s;
}

void cf_input_leaf(cf_lower *l, cf_object *o, int k, cf_decl *d, bool by_pointer) {
    cf_leaf *leaf = &o->leaves.data[k];
    if (!leaf->dtype) return;
    bool global = d->kind == CF_VAR;
    cf_port p = {.param = global ? -2 : d->index,
                 .global = global ? d : NULL,
                 .reads = global,
                 .leaf = k,
                 .via = o->via ? o->via : "",
                 .holder = o->holder,
                 .rows = o->rows,
                 .path = leaf->path,
                 .type = leaf->type,
                 .whole = global && o->type->kind == CF_ARRAY ? o->type->of : o->type,
                 .is_array = leaf->is_array,
                 .by_pointer = by_pointer,
                 .fixed = leaf->fixed,
                 .output = -1};
    const ch__type *t;
    const char *base = d->name && d->name[0] ? d->name : "arg";
    p.name = param_name(l, base, ch__arena_printf(l->a, "%s%s", p.via, leaf->path));
    p.dtype = leaf->is_array ? leaf->dtype : cf_held(leaf->type);
    int64_t n = 0;
    if (!leaf->is_array) {
        t = ch__type_scalar(p.dtype);
    } else {
        ch__dim dim;
        if (o->fixed >= 0 && leaf->fixed >= 0 && ch__mul_i64(o->fixed, leaf->fixed, &n)) {
            dim = ch__dim_const(n);
        } else {
            p.size = ch__func_fresh_symbol(l->func, ch__arena_printf(l->a, "%s_n", p.name));
            dim = ch__dim_symbol(l->a, p.size);
        }
        t = ch__type_make(l->a, p.dtype, 1, &dim, NULL);
    }
    ch__value *v = ch__func_add_param(l->func, p.name, t);
    p.input = l->func->body->n_params - 1;
    l->slots.data[leaf->slot].type = t;
    if (global)
        l->slots.data[leaf->slot].fixed = v;
    else
        cf_set_slot(l, leaf->slot, v);
    CH_PUSH(l->a, &l->out->ports, p);
}

// The elements that the declaration gives: known, or -1.
static int64_t declared_count(const cf_decl *d) {
    const cf_type *t = d->declared ? d->declared : d->type;
    if (t->kind == CF_ARRAY && t->count >= 0) return t->count;
    if (t->kind == CF_ARRAY) return -1;
    return t->of->kind == CF_STRUCT && !d->many ? 1 : -1; // a plain pointer to a struct is one struct
}

static void input_param(cf_lower *l, cf_call *c, cf_decl *d) {
    cf_object *var = cf_new_object(l, d->name, d->type, 1, NULL, d->loc), *o = var;
    var->decl = d;
    ch__map_put(&c->vars, (uint64_t)(uintptr_t)d, var);
    bool pointer = d->type->kind == CF_POINTER;
    if (d->type->kind == CF_OTHER || d->type->kind == CF_FUNCTION ||
        (pointer && (d->type->of->kind == CF_FUNCTION || d->type->of->kind == CF_OTHER))) {
        if (pointer) cf_set_pointer(l, var->leaves.data[0].slot, cf_null(l));
        return; // refused where it is used
    }
    if (pointer) {
        o = cf_input_object(l, d, d->type->of, "", NULL, declared_count(d));
        cf_set_pointer(l, var->leaves.data[0].slot, cf_address(l, o));
    } else {
        o->border = true;
        o->via = "";
        for (int k = 0; k < (int)o->leaves.n; k++) cf_input_leaf(l, o, k, d, false);
    }
    cf_input_behind(l, o);
}

// ---------------------------------------------------------------- results
typedef struct {
    CH_VEC(ch__value *) values;
    CH_VEC(const char *) names;
    CH_VEC(int) inputs;
} results;

static void result_value(cf_lower *l, results *r, const char *name, ch__value *v, int input) {
    CH_PUSH(l->a, &r->values, v);
    CH_PUSH(l->a, &r->names, name);
    CH_PUSH(l->a, &r->inputs, input);
}

static void output_value(cf_lower *l, cf_lowered *out, results *r, cf_rv v) {
    cf_type *t = v.type;
    if (v.v) {
        cf_port p = {.param = -1,
                     .via = "",
                     .path = "",
                     .name = "value",
                     .type = t,
                     .whole = t,
                     .dtype = cf_held(t),
                     .fixed = 1,
                     .input = -1,
                     .output = (int)r->values.n,
                     .writes = true};
        ch__value *x = cf_plain(l, v.v);
        result_value(l, r, "value", x, -1);
        CH_PUSH(l->a, &out->ports, p);
    } else if (t->kind == CF_STRUCT && v.p && v.p->to[0].o) {
        const cf_object *o = v.p->to[0].o;
        for (int k = 0; k < (int)o->leaves.n; k++) {
            const cf_leaf *leaf = &o->leaves.data[k];
            if (!leaf->dtype) continue;
            cf_port p = {.param = -1,
                         .leaf = k,
                         .via = "",
                         .path = leaf->path,
                         .type = leaf->type,
                         .whole = t,
                         .dtype = leaf->is_array ? leaf->dtype : cf_held(leaf->type),
                         .is_array = leaf->is_array,
                         .fixed = leaf->fixed,
                         .input = -1,
                         .output = (int)r->values.n,
                         .writes = true};
            p.name = param_name(l, "value", leaf->path);
            result_value(l, r, p.name, cf_get_slot(l, leaf->slot), -1);
            CH_PUSH(l->a, &out->ports, p);
        }
    }
}

// A parameter that is only written is made inside when the caller does not pass it.
static void make_inside(cf_lower *l, cf_port *p) {
    ch__value *param = l->func->body->params[p->input];
    ch__builder b = ch__builder_at_end(l->func->body);
    b.before = l->func->body->first;
    const ch__type *t = param->type;
    ch__value *v =
        t->rank ? &ch__build(&b, CH_OP_alloc, 0, NULL, 0, NULL, 1, &t, 0, NULL)->results[0] : ch__b_splat(&b, t, 0);
    ch__map_put(&l->replaced, (uint64_t)(uintptr_t)param, v);
}

static void settle_accesses(cf_lower *l) {
    for (int64_t i = 0; i < l->accesses.n; i++) {
        ch__value *v = l->accesses.data[i].index, *next;
        int64_t n;
        while ((next = ch__map_get(&l->replaced, (uint64_t)(uintptr_t)v)) != NULL) v = next;
        if (!(cf_known(v, &n) && n == 0)) l->accesses.data[i].o->indexed = true;
    }
}

static void output_objects(cf_lower *l, cf_lowered *out, results *r, const cf_lower_options *opt) {
    settle_accesses(l);
    for (int64_t i = 0; i < l->objects.n; i++) {
        cf_object *o = l->objects.data[i];
        for (int64_t k = 0; k < out->ports.n; k++) {
            cf_port *p = &out->ports.data[k];
            if (p->param != o->param || p->param < 0 || strcmp(p->via, o->via) != 0 || p->rows != o->rows) continue;
            p->reads = o->read;
            p->single = !o->indexed;
            if (!o->written) continue;
            int slot = o->leaves.data[p->leaf].slot;
            ch__value *v = cf_get_slot(l, slot), *param = l->func->body->params[p->input];
            if (v == param) continue; // this leaf was not
            bool fresh = o->decl->marked_out || (opt->fresh_outputs && !o->read);
            p->writes = true;
            p->output = (int)r->values.n;
            result_value(l, r, ch__arena_printf(l->a, "%s_end", p->name), v, fresh ? -1 : p->input);
            if (fresh) make_inside(l, p);
        }
    }
}

// Params that are not inputs any more go.
static void drop_params(cf_lower *l, cf_lowered *out, results *r) {
    ch__region *b = l->func->body;
    int n = 0, *now = CH_NEW_ARRAY(l->a, int, b->n_params + 1);
    for (int i = 0; i < b->n_params; i++) {
        bool gone = ch__map_get(&l->replaced, (uint64_t)(uintptr_t)b->params[i]) != NULL;
        now[i] = gone ? -1 : n;
        if (gone) continue;
        b->params[n] = b->params[i];
        b->params[n]->index = n;
        n++;
    }
    b->n_params = n;
    for (int64_t k = 0; k < out->ports.n; k++)
        if (out->ports.data[k].input >= 0) out->ports.data[k].input = now[out->ports.data[k].input];
    for (int64_t k = 0; k < r->inputs.n; k++)
        if (r->inputs.data[k] >= 0) r->inputs.data[k] = now[r->inputs.data[k]];
    l->func->inout = NULL;
    for (int64_t k = 0; k < r->inputs.n; k++) {
        if (r->inputs.data[k] < 0) continue;
        if (!l->func->inout) {
            l->func->inout = CH_NEW_ARRAY(l->a, int32_t, n + 1);
            for (int i = 0; i < n; i++) l->func->inout[i] = -1;
        }
        l->func->inout[r->inputs.data[k]] = (int32_t)k;
    }
}

void cf_replace_placeholders(cf_lower *l) {
    ch__value **map = CH_NEW_ARRAY(l->a, ch__value *, l->func->n_values + 1);
    bool any = false;
    for (int64_t i = 0; i < l->placeholders.n; i++) {
        ch__value *v = l->placeholders.data[i], *to = ch__map_get(&l->replaced, (uint64_t)(uintptr_t)v);
        if (to) any = true;
        map[v->id] = to;
    }
    for (int i = 0; i < l->func->body->n_params; i++) {
        ch__value *v = l->func->body->params[i], *to = ch__map_get(&l->replaced, (uint64_t)(uintptr_t)v);
        if (to) any = true;
        map[v->id] = to;
    }
    if (any) ch__replace_uses(l->func, map);
}

// ---------------------------------------------------------------- a function
// The last result, whether abort was called, as a func of its own.
static void split_stops(cf_lowered *out, results *r) {
    ch_func *g = ch__func_clone(out->func);
    ch__func_set_results(g, 1, &g->body->results[g->body->n_results - 1], NULL);
    g->inout = NULL;
    ch__dce(g);
    r->values.n--;
    ch__func_set_results(out->func, (int)r->values.n, out->func->body->results, r->names.data);
    out->stops = g;
}

static cf_lowered *lower_once(cf_program *program, cf_report *report, cf_decl *f, const cf_lower_options *opt,
                              bool *again) {
    ch__module *m = ch__module_create();
    cf_lower *l = CH_NEW(m->arena, cf_lower);
    l->a = m->arena;
    l->program = program;
    l->report = report;
    l->func = ch__func_create(m, f->name);
    l->func->loc = ch__loc_make(l->a, f->loc.file, f->loc.line, 0);
    ch__map *maps[] = {&l->extents, &l->globals, &l->replaced, &l->outlined, &l->inlined, &l->in_doubt};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) ch__map_init(maps[i], l->a);
    cf_lowered *out = CH_NEW(l->a, cf_lowered);
    out->func = l->func;
    l->out = out;
    out->f = f;
    cf_env *top = CH_NEW(l->a, cf_env);
    *top = (cf_env){.b = ch__builder_at_end(l->func->body), .falls = true};
    l->env = top;
    cf_call *c = CH_NEW(l->a, cf_call);
    *c = (cf_call){.f = f, .result = -1};
    ch__map_init(&c->vars, l->a);
    l->call = c;
    for (int64_t i = 0; i < f->params.n; i++) input_param(l, c, f->params.data[i]);
    cf_input_rows(l);
    cf_begin_states(l);
    for (int64_t i = 0; i < f->params.n; i++) cf_declare_extents(l, f->params.data[i]->declared);
    cf_type *t = f->type->of;
    if (cf_is_arithmetic(t)) c->result = cf_new_slot(l, NULL, ch__type_scalar(cf_held(t)), NULL);
    if (t->kind == CF_POINTER) c->result = cf_new_slot(l, NULL, NULL, NULL);
    if (t->kind == CF_STRUCT) {
        c->result_object = cf_new_object(l, "result", t, 1, NULL, f->loc);
        cf_make_storage(l, c->result_object);
    }
    l->stop = cf_new_slot(l, NULL, ch__type_scalar(CH_I64), NULL);
    c->jump = cf_new_slot(l, NULL, ch__type_scalar(CH_I64), NULL);
    cf_set_slot(l, c->jump, cf_i64(l, 0));
    cf_statement(l, cf_body(f));
    cf_end_of_function(l);
    results r = {0};
    cf_rv v = {.type = t};
    if (c->result_object) v.p = cf_address(l, c->result_object);
    if (c->result >= 0 && cf_is_arithmetic(t)) v.v = cf_get_slot(l, c->result);
    output_value(l, out, &r, v);
    output_objects(l, out, &r, opt);
    *again = l->again;
    if (l->again) return NULL;
    bool stops = cf_peek(l->env, l->stop)->v != NULL;
    if (stops) result_value(l, &r, "stop", cf_peek(l->env, l->stop)->v, -1);
    ch__func_set_results(l->func, (int)r.values.n, r.values.data, r.names.data);
    cf_replace_placeholders(l);
    drop_params(l, out, &r);
    for (ch_func *g = m->first; g; g = g->next) ch__renumber(g);
    if (!l->gave_up) {
        ch__settle_calls(m);
        ch__verify(l->func);
    }
    for (ch_func *g = m->first; g; g = g->next) ch__dce(g);
    if (!cf_settle_doubts(l)) return NULL;
    cf_end_states(l);
    if (stops) split_stops(out, &r);
    ch__dce(l->func);
    return out;
}

cf_lowered *cf_lower_function(cf_program *program, cf_report *report, cf_decl *f, const cf_lower_options *opt) {
    program->states.n = 0;
    for (;;) { // each time more is known of what parameters point to, and of static variables
        bool again = false;
        cf_report before = *report;
        cf_lowered *out = lower_once(program, report, f, opt, &again);
        if (!again) return out;
        report->messages.n = before.messages.n;
        report->errors = before.errors;
        report->refused = before.refused;
    }
}
