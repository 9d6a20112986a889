// SPDX-License-Identifier: Apache-2.0
// hlo/emit.c - a func as StableHLO text.
//
// The func is cloned; composites are inlined (or become stablehlo.composite when asked for), sizes that are symbols
// get the values given, what nothing needs is dropped. Then one walk over the operations writes one line or a few for
// each, so the work is linear in the program. Nothing is recognized and no kernel is chosen: the text holds the
// operations of the func, and custom calls where a composite says that one stands for it (emit_kernel.c).
#include "hlo/emit.h"

#include <string.h>

void ch__emit_ops(ch__emit *e, const ch__region *r) {
    for (const ch__op *op = r->first; op; op = op->next) ch__emit_op(e, op);
}

// ---------------------------------------------------------------- refusals

void ch__emit_refuse(ch__emit *e, const ch__loc *loc, const char *what, const char *why) {
    const char *where = loc && loc->file ? ch__arena_printf(e->scratch, "%s:%d: ", loc->file, loc->line) : "";
    CH_PUSH(e->scratch, &e->refused, ch__arena_printf(e->scratch, "%s%s: %s", where, what, why));
}

static void hlo_emit_look(void *arg, ch__op *op) {
    ch__emit *e = arg;
    const char *why = ch__emit_why_not(op), *what = ch__op_name((ch__opcode)op->code);
    const ch__attr *fn = ch__op_attr(op, CH__ATTR_fn);
    if (fn) what = ch__arena_printf(e->scratch, "%s %s", what, fn->s);
    if (why) ch__emit_refuse(e, op->loc, what, why);
    for (int i = 0; i < op->n_results && !why; i++) {
        if (!ch__type_is_static(op->results[i].type))
            ch__emit_refuse(e, op->loc, what, "its size is known only when it runs");
    }
}

static void hlo_emit_raise_refused(ch__emit *e, const ch_func *f) {
    enum { SHOWN = 16 };
    if (e->refused.n == 0) return;
    ch__text t;
    ch__text_init(&t, e->scratch);
    for (int64_t i = 0; i < e->refused.n && i < SHOWN; i++) ch__putf(&t, "\n%s", e->refused.data[i]);
    if (e->refused.n > SHOWN) ch__putf(&t, "\nand %d more", (int)(e->refused.n - SHOWN));
    ch__raise(CH__E_unsupported, "ch_hlo_emit: @%s holds what StableHLO text cannot say%s", f->name, t.data);
}

// ---------------------------------------------------------------- funcs in order

static void hlo_emit_meet(void *arg, ch__op *op) {
    ch__emit *e = arg;
    const ch__attr *a = ch__op_attr(op, CH__ATTR_callee);
    if (!a || ch__map_get(&e->seen, (uint64_t)(uintptr_t)a->func)) return;
    ch__map_put(&e->seen, (uint64_t)(uintptr_t)a->func, a->func);
    CH_PUSH(e->scratch, &e->funcs, a->func);
}

// A circle of calls has no way into StableHLO. Depth first with a stack of its own.
typedef struct hlo_emit_calls {
    ch__arena *arena;
    CH_VEC(ch_func *) list;
} hlo_emit_calls;

static void hlo_emit_circle_op(void *arg, ch__op *op) {
    const ch__attr *a = ch__op_attr(op, CH__ATTR_callee);
    hlo_emit_calls *c = arg;
    if (a) CH_PUSH(c->arena, &c->list, a->func);
}

static bool hlo_emit_reaches_itself(ch__emit *e, const ch_func *f) {
    ch__map seen;
    hlo_emit_calls todo = {.arena = e->scratch};
    ch__map_init(&seen, e->scratch);
    ch__walk(f->body, hlo_emit_circle_op, &todo);
    for (int64_t i = 0; i < todo.list.n; i++) {
        ch_func *g = todo.list.data[i];
        if (g == f) return true;
        if (ch__map_get(&seen, (uint64_t)(uintptr_t)g)) continue;
        ch__map_put(&seen, (uint64_t)(uintptr_t)g, g);
        ch__walk(g->body, hlo_emit_circle_op, &todo);
    }
    return false;
}

// ---------------------------------------------------------------- one func as text

static const char *hlo_emit_both(ch__emit *e, const char *x, const char *sharding) {
    if (!sharding) return x;
    const char *y = ch__arena_printf(e->scratch, "sdy.sharding = #sdy.sharding%s", ch__emit_sharding(e, sharding));
    return x ? ch__arena_printf(e->scratch, "%s, %s", x, y) : y;
}

static const char *hlo_emit_param_attrs(ch__emit *e, const ch_func *f, int i) {
    const char *alias = NULL, *sharding = ch__param_sharding(f, i);
    if (f->inout && f->inout[i] >= 0)
        alias = ch__arena_printf(e->scratch, "tf.aliasing_output = %d : i32", (int)f->inout[i]);
    if (!sharding) return alias;
    const char *s = hlo_emit_both(e, NULL, sharding);
    return alias ? ch__arena_printf(e->scratch, "%s, %s", s, alias) : s;
}

static const char *hlo_emit_result_attrs(ch__emit *e, const ch_func *f, int i, bool entry) {
    const char *info = NULL;
    if (!entry) return NULL;
    if (f->result_names && f->result_names[i])
        info = ch__arena_printf(e->scratch, "jax.result_info = \"%s\"", f->result_names[i]);
    return hlo_emit_both(e, info, ch__result_sharding(f, i));
}

static void hlo_emit_dicts(ch__emit *e, const char *name, int n,
                           const char *(*of)(ch__emit *, const ch_func *, int, bool), const ch_func *f, bool entry) {
    bool any = false;
    for (int i = 0; i < n; i++) any = any || of(e, f, i, entry);
    if (!any) return;
    ch__putf(e->t, "%s = [", name);
    for (int i = 0; i < n; i++) {
        const char *a = of(e, f, i, entry);
        ch__putf(e->t, "%s{%s}", i ? ", " : "", a ? a : "");
    }
    ch__put(e->t, "], ");
}

static const char *hlo_emit_param_attrs_of(ch__emit *e, const ch_func *f, int i, bool entry) {
    return entry ? hlo_emit_param_attrs(e, f, i) : NULL;
}

static void hlo_emit_head_pretty(ch__emit *e, const ch_func *f, bool entry, const char *attrs) {
    const ch__region *r = f->body;
    ch__emit_indent(e);
    ch__putf(e->t, "func.func %s @%s(", entry ? "public" : "private", f->name);
    for (int i = 0; i < r->n_params; i++) {
        const char *a = hlo_emit_param_attrs_of(e, f, i, entry);
        if (i) ch__put(e->t, ", ");
        ch__emit_put_ref(e, e->refs[r->params[i]->id]);
        ch__put(e->t, ": ");
        ch__emit_type(e->t, r->params[i]->type);
        if (a) ch__putf(e->t, " {%s}", a);
    }
    ch__putc(e->t, ')');
    bool list = r->n_results != 1 || hlo_emit_result_attrs(e, f, 0, entry);
    if (r->n_results) ch__put(e->t, list ? " -> (" : " -> ");
    for (int i = 0; i < r->n_results; i++) {
        const char *a = hlo_emit_result_attrs(e, f, i, entry);
        if (i) ch__put(e->t, ", ");
        ch__emit_type(e->t, r->results[i]->type);
        if (a) ch__putf(e->t, " {%s}", a);
    }
    if (r->n_results && list) ch__putc(e->t, ')');
    if (attrs) ch__putf(e->t, " attributes {%s}", attrs);
    ch__put(e->t, " {\n");
}

static void hlo_emit_type_list(ch__emit *e, int n, ch__value *const *values) {
    ch__putc(e->t, '(');
    for (int i = 0; i < n; i++) {
        if (i) ch__put(e->t, ", ");
        ch__emit_type(e->t, values[i]->type);
    }
    ch__putc(e->t, ')');
}

static void hlo_emit_tail_generic(ch__emit *e, const ch_func *f, bool entry, const char *attrs) {
    const ch__region *r = f->body;
    ch__emit_indent(e);
    ch__put(e->t, "}) {");
    hlo_emit_dicts(e, "arg_attrs", r->n_params, hlo_emit_param_attrs_of, f, entry);
    if (attrs) ch__putf(e->t, "%s, ", attrs);
    ch__put(e->t, "function_type = ");
    hlo_emit_type_list(e, r->n_params, r->params);
    ch__put(e->t, " -> ");
    hlo_emit_type_list(e, r->n_results, r->results);
    ch__put(e->t, ", ");
    hlo_emit_dicts(e, "res_attrs", r->n_results, hlo_emit_result_attrs, f, entry);
    ch__putf(e->t, "sym_name = \"%s\", sym_visibility = \"%s\"} : () -> ()\n", f->name, entry ? "public" : "private");
}

static void hlo_emit_forget_step(void *arg, ch__op *op) {
    ch__emit *e = arg;
    if (op->code == CH_OP_for && ch__emit_by_one(op)) e->uses[op->operands[2]->id]--;
}

static void hlo_emit_func(ch__emit *e, const ch_func *f, bool entry, const char *attrs) {
    const ch__region *r = f->body;
    e->refs = CH_NEW_ARRAY(e->scratch, ch__emit_ref, f->n_values + 1);
    e->next = 0;
    e->uses = ch__use_counts(e->scratch, (ch_func *)(uintptr_t)f);
    ch__emit_tapes(e, f, false);
    ch__walk(f->body, hlo_emit_forget_step, e);
    for (int i = 0; i < r->n_params; i++)
        e->refs[r->params[i]->id] = (ch__emit_ref){r->params[i]->name, 0, -1, r->params[i]->type};
    if (e->generic) {
        ch__emit_ref *params = CH_NEW_ARRAY(e->scratch, ch__emit_ref, r->n_params + 1);
        for (int i = 0; i < r->n_params; i++) params[i] = e->refs[r->params[i]->id];
        ch__emit_indent(e);
        ch__put(e->t, "\"func.func\"() ({\n");
        ch__emit_block(e, r->n_params, params);
    } else {
        hlo_emit_head_pretty(e, f, entry, attrs);
    }
    e->indent++;
    ch__emit_ops(e, r);
    ch__emit_ref *out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, r->n_results + 1);
    for (int i = 0; i < r->n_results; i++) out[i] = e->refs[r->results[i]->id];
    ch__emit_indent(e);
    ch__put(e->t, e->generic ? "\"func.return\"(" : r->n_results ? "return " : "return");
    ch__emit_refs(e, r->n_results, out);
    if (e->generic) ch__putc(e->t, ')');
    if (r->n_results || e->generic) {
        ch__put(e->t, " : ");
        ch__emit_types(e, r->n_results, out, e->generic);
        if (e->generic) ch__put(e->t, " -> ()");
    }
    ch__putc(e->t, '\n');
    e->indent--;
    if (e->generic) {
        hlo_emit_tail_generic(e, f, entry, attrs);
    } else {
        ch__emit_indent(e);
        ch__put(e->t, "}\n");
    }
}

// ---------------------------------------------------------------- sizes and aliases

static bool hlo_emit_symbolic(const ch_func *f) {
    if (f->dims.n) return true;
    for (int i = 0; i < f->body->n_params; i++)
        if (!ch__type_is_static(f->body->params[i]->type)) return true;
    return false;
}

static void hlo_emit_symbols_known(const ch_func *f, const ch_hlo_options *o) {
    for (int64_t i = 0; i < f->dims.n; i++) {
        const ch__dim_param *d = &f->dims.data[i];
        int k = 0;
        while (k < o->n_sizes && strcmp(o->size_names[k], d->name) != 0) k++;
        if (k == o->n_sizes)
            ch__raise(CH__E_argument,
                      "ch_hlo_emit: @%s: the size %s has no value — StableHLO text has sizes that are "
                      "known: give it one",
                      f->name, d->name);
        if (o->size_values[k] < d->lo || o->size_values[k] > d->hi)
            ch__raise(CH__E_dim_bounds, "ch_hlo_emit: @%s: the size %s is %lld — %lld..%lld is declared", f->name,
                      d->name, (long long)o->size_values[k], (long long)d->lo, (long long)d->hi);
    }
    for (int k = 0; k < o->n_sizes; k++)
        if (!ch__func_dim_param((ch_func *)(uintptr_t)f, o->size_names[k]))
            ch__raise(CH__E_unknown_name, "ch_hlo_emit: @%s has no size %s", f->name, o->size_names[k]);
}

// In the words of a run (interp/bind.c).
static void hlo_emit_unequal(const ch_func *f, const ch__require *r, int64_t a, int64_t b, ch__arena *scratch) {
    ch__text x, y;
    ch__text_init(&x, scratch);
    ch__text_init(&y, scratch);
    ch__dim_print(&x, r->a);
    ch__dim_print(&y, r->b);
    ch__raise(CH__E_requires, "%s: %s is %lld and %s is %lld — they have to be equal%s%s", f->name, x.data,
              (long long)a, y.data, (long long)b, r->why != NULL ? ": " : "", r->why != NULL ? r->why : "");
}

// f with every symbol replaced, as a new func of the module. Calls have been inlined.
static ch_func *hlo_emit_specialize(ch_func *f, const ch_hlo_options *o, ch__arena *scratch) {
    ch__dim *dims = CH_NEW_ARRAY(scratch, ch__dim, o->n_sizes + 1);
    for (int i = 0; i < o->n_sizes; i++) dims[i] = ch__dim_const(o->size_values[i]);
    ch__dim_env env = {o->n_sizes, o->size_names, o->size_values};
    for (int64_t i = 0; i < f->requires_.n; i++) {
        int64_t a, b;
        CH_RAISE_IF(ch__dim_eval(f->requires_.data[i].a, &env, &a));
        CH_RAISE_IF(ch__dim_eval(f->requires_.data[i].b, &env, &b));
        if (a != b) hlo_emit_unequal(f, &f->requires_.data[i], a, b, scratch);
    }
    ch__dim_subs subs = {o->n_sizes, o->size_names, dims};
    ch_func *g = ch__func_create(f->module, f->name);
    ch__value_map map = {.n = f->n_values};
    map.to = CH_NEW_ARRAY(scratch, ch__value *, f->n_values + 1);
    for (int i = 0; i < f->body->n_params; i++) {
        const ch__value *p = f->body->params[i];
        map.to[p->id] =
            ch__func_add_param(g, p->name, ch__type_subst(f->module->arena, p->type, subs.n, subs.names, subs.dims));
    }
    ch__builder b = ch__builder_at_end(g->body);
    ch__clone_region_ops(&b, f->body, &map, &subs, NULL);
    ch__value **results = CH_NEW_ARRAY(scratch, ch__value *, f->body->n_results + 1);
    for (int i = 0; i < f->body->n_results; i++) results[i] = map.to[f->body->results[i]->id];
    ch__func_set_results(g, f->body->n_results, results, f->result_names);
    g->inout = f->inout;
    for (int i = 0; i < f->body->n_params; i++) ch__set_param_sharding(g, i, ch__param_sharding(f, i));
    for (int i = 0; i < f->body->n_results; i++) ch__set_result_sharding(g, i, ch__result_sharding(f, i));
    return g;
}

static void hlo_emit_alias(ch_func *f, const ch_hlo_options *o) {
    int n = f->body->n_params, n_out = f->body->n_results;
    if (!o->aliases) return;
    int32_t *inout = CH_NEW_ARRAY(f->module->arena, int32_t, n + 1);
    for (int i = 0; i < n; i++) {
        int r = o->aliases[i];
        const char *name = f->body->params[i]->name;
        inout[i] = r;
        if (r < 0) {
            inout[i] = -1;
            continue;
        }
        if (r >= n_out)
            ch__raise(CH__E_argument, "ch_hlo_emit: param %s aliases result %d, counted from 0 — there are %d", name, r,
                      n_out);
        if (!ch__type_equal(f->body->params[i]->type, f->body->results[r]->type))
            ch__raise(CH__E_shape_mismatch, "ch_hlo_emit: param %s is %s and aliases result %d, which is %s", name,
                      ch__type_text(f->module->arena, f->body->params[i]->type), r,
                      ch__type_text(f->module->arena, f->body->results[r]->type));
        for (int k = 0; k < i; k++)
            if (inout[k] == r)
                ch__raise(CH__E_duplicate_name, "ch_hlo_emit: result %d is aliased by %s and by %s — one each", r,
                          f->body->params[k]->name, name);
    }
    f->inout = inout;
}

// ---------------------------------------------------------------- the module

// What is read keeps the name of its module; the module of any other func has the name of the func.
static const char *hlo_emit_module_name(const ch_func *f) {
    bool entry = strcmp(f->name, "main") == 0;
    return entry && f->module->name ? f->module->name : f->name;
}

// @name, or @"name" where it is no word of MLIR.
static const char *hlo_emit_symbol(ch__emit *e, const char *name) {
    bool word = name[0] && !(name[0] >= '0' && name[0] <= '9') && name[0] != '.' && name[0] != '$';
    for (const char *c = name; *c && word; c++)
        word = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' ||
               *c == '.' || *c == '$';
    return ch__arena_printf(e->scratch, word ? "@%s" : "@\"%s\"", name);
}

ch_func *ch__emit_sized(const ch_func *given, const ch_hlo_options *o) {
    ch__arena *scratch = ch__arena_create();
    ch_func *f = ch__func_clone(given);
    hlo_emit_symbols_known(f, o);
    ch__inline_calls(f, true);
    if (hlo_emit_symbolic(f)) f = hlo_emit_specialize(f, o, scratch);
    ch__arena_destroy(scratch);
    return f;
}

void ch__emit_module(ch__text *t, const ch_func *given, const ch_hlo_options *o) {
    ch__arena *scratch = ch__arena_create();
    ch_func *f = ch__func_clone(given);
    const char *name = hlo_emit_module_name(given);
    ch__emit e = {.t = t, .scratch = scratch, .generic = o->generic, .target = o->target, .module = f->module};
    for (ch_func *g = f->module->first; g && !o->composites; g = g->next) ch__inline_unlowered(g);
    bool symbolic = hlo_emit_symbolic(f);
    hlo_emit_symbols_known(f, o);
    if (symbolic) {
        ch__inline_calls(f, true);
        f = hlo_emit_specialize(f, o, scratch);
    }
    hlo_emit_alias(f, o);
    ch__map_init(&e.seen, scratch);
    ch__strmap_init(&e.helpers, scratch);
    ch__text_init(&e.pretty, scratch);
    ch__text_init(&e.inherent, scratch);
    ch__text_init(&e.extra, scratch);
    ch__map_put(&e.seen, (uint64_t)(uintptr_t)f, f);
    CH_PUSH(scratch, &e.funcs, f);
    for (int64_t i = 0; i < e.funcs.n; i++) {
        ch__emit_empty_kernels(&e, e.funcs.data[i]);
        if (e.target) ch__emit_meet_library(&e, e.funcs.data[i]);
        ch__dce(e.funcs.data[i]);
        if (o->composites) ch__emit_outline_composites(&e, e.funcs.data[i]);
        ch__walk(e.funcs.data[i]->body, hlo_emit_look, &e);
        ch__emit_tapes(&e, e.funcs.data[i], true);
        ch__emit_meet_devices(&e, e.funcs.data[i], i == 0);
        ch__walk(e.funcs.data[i]->body, hlo_emit_meet, &e);
    }
    for (int64_t i = 0; i < e.funcs.n; i++)
        if (e.funcs.n > 1 && hlo_emit_reaches_itself(&e, e.funcs.data[i]))
            ch__emit_refuse(&e, e.funcs.data[i]->loc, ch__arena_printf(scratch, "@%s", e.funcs.data[i]->name),
                            "it calls itself");
    hlo_emit_raise_refused(&e, given);
    f->name = "main";
    for (int64_t i = 1, k = 0; i < e.funcs.n; i++) // only the entry is called main
        if (strcmp(e.funcs.data[i]->name, "main") == 0)
            e.funcs.data[i]->name = ch__arena_printf(f->module->arena, "main_%d", (int)k++);
    const char *attrs = ch__emit_module_attrs(&e);
    if (!o->bare && e.generic)
        ch__put(t, "\"builtin.module\"() ({\n");
    else if (!o->bare && attrs)
        ch__putf(t, "module %s attributes {%s} {\n", hlo_emit_symbol(&e, name), attrs);
    else if (!o->bare)
        ch__putf(t, "module %s {\n", hlo_emit_symbol(&e, name));
    e.indent = o->bare ? 0 : 1;
    ch__emit_meshes(&e);
    for (int64_t i = 0; i < e.funcs.n; i++) hlo_emit_func(&e, e.funcs.data[i], i == 0, NULL);
    for (int64_t i = 0; i < e.helper_list.n; i++)
        hlo_emit_func(&e, e.helper_list.data[i], false, e.helper_keys.data[i]);
    if (!o->bare && e.generic)
        ch__putf(t, "}) {%s%ssym_name = \"%s\"} : () -> ()\n", attrs ? attrs : "", attrs ? ", " : "", name);
    else if (!o->bare)
        ch__put(t, "}\n");
    ch__arena_destroy(scratch);
    ch__module_destroy(f->module);
}
