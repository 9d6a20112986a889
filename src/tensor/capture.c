// SPDX-License-Identifier: Apache-2.0
// capture.c - capture: a C function over tensors becomes a func.
//
// A trace is a func under construction whose params have placeholder tensors. While it is current, shape rules work
// with its symbols and put what they cannot decide into its requires clauses. Its module's arena holds every symbolic
// size that a node mentions, so nodes with such sizes hold a reference on the trace.

#include "tensor/tensor.h"

#include <string.h>

struct ch_trace {
    ch__trace_state *state;
};

static _Thread_local ch__trace_state *current;

ch__trace_state *ch__trace_current(void) { return current; }

void ch__trace_release(ch__trace_state *t) {
    if (t == NULL || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1) return;
    if (t->module != NULL) ch__module_destroy(t->module);
    ch__free(t->inputs);
    ch__free(t);
}

// ---- beginning
struct open_args {
    ch__trace_state *t;
    const char *name, *signature;
    int n;
    const ch__type *const *types;
    int n_vars;
    const ch__trace_var *vars;
};

static void open_func(void *arg) {
    struct open_args *p = arg;
    ch__module *m = ch__module_create();
    ch_func *f = ch__func_create(m, p->name);
    if (p->signature != NULL) ch__parse_signature(f, p->signature);
    for (int i = 0; i < p->n; i++)
        ch__func_add_param(f, ch__arena_printf(m->arena, "x%d", i), ch__type_copy(m->arena, p->types[i]));
    for (int i = 0; i < p->n_vars; i++)
        ch__parse_signature(f, ch__arena_printf(m->arena, "<%s in %" PRId64 "..%" PRId64 "> var_%s: i8[%s,0]",
                                                p->vars[i].name, p->vars[i].lo, p->vars[i].hi, p->vars[i].name,
                                                p->vars[i].name));
    ch__arena_keep(m->arena);
    p->t->module = m;
    p->t->func = f;
}

static ch__trace_state *open_trace(struct open_args *p) {
    ch__trace_state *t = ch__calloc(1, sizeof *t);
    if (t == NULL) {
        ch__fail_oom("a capture");
        return NULL;
    }
    atomic_init(&t->refs, 1);
    p->t = t;
    if (ch__protect(open_func, p) != CH_OK) {
        ch__free(t);
        return NULL;
    }
    t->outer = current;
    t->requires_func = current == NULL ? t->func : current->requires_func;
    t->active = true;
    t->first_serial = ch__next_serial();
    t->scope = ch_scope_begin();
    t->n_inputs = t->func->body->n_params;
    t->inputs = ch__calloc((size_t)t->n_inputs + 1, sizeof *t->inputs);
    if (t->scope.token == 0 || t->inputs == NULL) {
        if (t->scope.token != 0) (void)ch_scope_end(t->scope);
        ch__fail_oom("a capture");
        ch__trace_release(t);
        return NULL;
    }
    current = t;
    for (int i = 0; i < t->n_inputs; i++)
        t->inputs[i] = ch__node(&(ch__node_spec){.kind = CH__T_INPUT,
                                                 .where = t->func->body->params[i]->name,
                                                 .type = t->func->body->params[i]->type,
                                                 .index = i});
    return t;
}

ch__trace_state *ch__trace_open(const char *name, int n, const ch__type *const *types) {
    return open_trace(&(struct open_args){.name = name, .n = n, .types = types});
}

ch__trace_state *ch__trace_open_vars(const char *name, const char *signature, int n, const ch__type *const *types,
                                     int n_vars, const ch__trace_var *vars) {
    return open_trace(&(struct open_args){
        .name = name, .signature = signature, .n = n, .types = types, .n_vars = n_vars, .vars = vars});
}

struct add_args {
    ch__trace_state *t;
    const char *name;
    ch_dtype dtype;
    int64_t dim;
    const ch__type *type;
};

static void add_input(void *arg) {
    struct add_args *p = arg;
    ch__arena *a = p->t->module->arena;
    ch__dim d = ch__dim_const(p->dim);
    p->type = ch__type_make(a, p->dtype, 1, &d, NULL);
    int n = p->t->func->body->n_params;
    ch__func_add_param(p->t->func, ch__arena_printf(a, "%s%d", p->name, n), p->type);
}

ch_tensor *ch__trace_add_input(ch__trace_state *t, const char *where, const char *name, ch_dtype dtype, int64_t dim) {
    struct add_args p = {t, name, dtype, dim, NULL};
    if (ch__protect(add_input, &p) != CH_OK) return ch__node_error(where);
    return ch__node(
        &(ch__node_spec){.kind = CH__T_INPUT, .where = where, .type = p.type, .index = t->func->body->n_params - 1});
}

void ch__trace_suspend(ch__trace_state *t) {
    if (current == t) current = t->outer;
}
void ch__trace_resume(ch__trace_state *t) {
    if (current == t->outer) current = t;
}

// ---- ending
void ch__trace_drop(ch__trace_state *t) {
    t->active = false;
    current = t->outer;
    ch__scope_unwind(t->scope);
    ch__trace_release(t);
}

struct close_args {
    ch__trace_state *t;
    int n_out;
    ch_tensor *const *out;
    const ch_capture_options *o;
    bool closure;
    ch_tensor **captured; // of a closure, heap memory
    int n_captured;
    ch_func *made;
};

// Clauses that a nested trace gave rise to lie with the outermost func; what is traced here has to say those that speak
// of its sizes too, since it is verified on its own.
typedef struct {
    const ch_func *f;
    bool all;
} declared_look;
static void look_declared(void *arg, const char *name) {
    declared_look *l = arg;
    for (int64_t i = 0; i < l->f->dims.n; i++)
        if (strcmp(l->f->dims.data[i].name, name) == 0) return;
    l->all = false;
}
static void take_clauses(ch_func *f, const ch_func *from) {
    ch__arena *a = f->module->arena;
    for (int64_t i = 0; f != from && i < from->requires_.n; i++) {
        const ch__require *q = &from->requires_.data[i];
        declared_look look = {f, true};
        ch__dim_symbols(q->a, look_declared, &look);
        ch__dim_symbols(q->b, look_declared, &look);
        if (look.all)
            CH_PUSH(a, &f->requires_,
                    (ch__require){ch__dim_copy(a, q->a), ch__dim_copy(a, q->b),
                                  q->why == NULL ? NULL : ch__arena_strdup(a, q->why)});
    }
}

static void close_func(void *arg) {
    struct close_args *p = arg;
    ch_func *f = p->t->func;
    ch__lowering l;
    ch__lowering_init(&l, f);
    l.constants = true;
    l.outside_before = p->closure ? p->t->first_serial : 0;
    l.strict = p->o != NULL && p->o->strict != 0;
    ch__value **values = CH_NEW_ARRAY(f->module->arena, ch__value *, p->n_out + 1);
    ch__lower(&l, p->n_out, p->out, values);
    const char *const *names = p->o == NULL ? NULL : p->o->result_names;
    const char **copied = NULL;
    if (names != NULL) {
        copied = CH_NEW_ARRAY(f->module->arena, const char *, p->n_out + 1);
        for (int i = 0; i < p->n_out; i++)
            copied[i] = names[i] == NULL ? NULL : ch__arena_strdup(f->module->arena, names[i]);
    }
    ch__func_set_results(f, p->n_out, values, copied);
    p->n_captured = (int)l.inputs.n;
    if (p->closure) {
        p->captured = ch__alloc((size_t)(l.inputs.n + 1) * sizeof(ch_tensor *));
        if (p->captured == NULL) ch__raise_oom();
        for (int i = 0; i < p->n_captured; i++) p->captured[i] = l.inputs.data[i];
    }
    take_clauses(f, p->t->requires_func);
    ch__verify(f);
    // The trace's arena stays with the placeholders; what leaves is a copy in a module of its own.
    p->made = ch__func_clone(f);
    p->made->owns_module = true;
    ch__arena_keep(p->made->module->arena);
}

static ch_func *trace_func(ch__trace_state *t, int n_out, ch_tensor *const *out, const ch_capture_options *o,
                           ch_tensor ***captured, int *n_captured) {
    struct close_args p = {.t = t, .n_out = n_out, .out = out, .o = o, .closure = captured != NULL};
    if (ch__first_error("capture", "capture", n_out, out) == NULL) {
        if (ch__protect(close_func, &p) != CH_OK) p.made = NULL;
    } else {
        for (int i = 0; i < n_out; i++) {
            ch_tensor *error = ch__first_error("capture", "capture", 1, &out[i]);
            if (error == NULL) continue;
            ch__error_publish(error->error);
            break;
        }
    }
    if (p.made == NULL) {
        ch__free(p.captured);
    } else if (captured != NULL) {
        *captured = p.captured;
        *n_captured = p.n_captured;
    }
    return p.made;
}

ch_func *ch__trace_func(ch__trace_state *t, int n_out, ch_tensor *const *out, ch_tensor ***captured, int *n_captured) {
    return trace_func(t, n_out, out, NULL, captured, n_captured);
}

ch_func *ch__trace_close(ch__trace_state *t, int n_out, ch_tensor *const *out, const ch_capture_options *o,
                         ch_tensor ***captured, int *n_captured) {
    ch_func *made = trace_func(t, n_out, out, o, captured, n_captured);
    ch__trace_drop(t);
    return made;
}

// A user's function failed with s: its own sentence stands if it set one.
ch_status ch__callback_failed(ch_status s, const char *what, const char *role) {
    if (ch__error_current() == CH__E_COUNT || ch__err_status(ch__error_current()) != s)
        ch__fail(CH__E_capture_state, "%s: the %s gave %s and no reason — ch_error_set one", what, role,
                 ch_status_name(s));
    return s;
}

// ---- public
static ch_status check_signature(const char *signature) {
    return signature != NULL
               ? CH_OK
               : ch__fail(CH__E_argument, "capture: the signature is NULL — give one such as \"x: f32[n,784]\"");
}

ch_status ch_capture_with(const ch_capture_options *options, ch_tensor_fn fn, void *user, const char *signature,
                          int n_out, ch_func **out_func) {
    CH_TRY(check_signature(signature));
    if (fn == NULL || out_func == NULL)
        return ch__fail(CH__E_argument, "capture: %s is NULL — a function and a place for the func are needed",
                        fn == NULL ? "the function" : "the place for the func");
    if (options != NULL && options->struct_size != sizeof *options)
        return ch__fail(CH__E_argument,
                        "capture: options.struct_size is %zu — set it to sizeof(ch_capture_options), %zu",
                        options->struct_size, sizeof *options);
    if (n_out < 1) return ch__fail(CH__E_argument, "capture: %d results — at least 1 is needed", n_out);
    const char *name = options == NULL || options->name == NULL ? "captured" : options->name;
    ch__trace_state *t = open_trace(&(struct open_args){.name = name, .signature = signature});
    if (t == NULL) return ch__err_status(ch__error_current());
    ch_tensor **out = ch__calloc((size_t)n_out, sizeof *out);
    ch_error_clear();
    ch_status s = out == NULL ? ch__fail_oom("a capture") : fn(user, t->n_inputs, t->inputs, n_out, out);
    if (s != CH_OK) s = ch__callback_failed(s, "capture", "function");
    for (int i = 0; s == CH_OK && i < n_out; i++)
        if (out[i] == NULL)
            s = ch__fail(CH__E_capture_state, "capture: the function left result %d NULL — set all %d of out", i,
                         n_out);
    if (s == CH_OK && current != t)
        s = ch__fail(CH__E_capture_state, "capture: the function began a trace and did not end it");
    if (s != CH_OK) {
        while (current != t) ch__trace_drop(current);
        ch__trace_drop(t);
    } else {
        ch_func *made = ch__trace_close(t, n_out, out, options, NULL, NULL);
        s = made == NULL ? ch__err_status(ch__error_current()) : CH_OK;
        if (made != NULL) *out_func = made;
    }
    ch__free(out);
    return s;
}

ch_status ch_capture(ch_tensor_fn fn, void *user, const char *signature, int n_out, ch_func **out_func) {
    return ch_capture_with(NULL, fn, user, signature, n_out, out_func);
}

ch_status ch_trace_begin(const char *signature, ch_trace **out_trace) {
    CH_TRY(check_signature(signature));
    if (out_trace == NULL) return ch__fail(CH__E_argument, "trace_begin: the place for the trace is NULL — give one");
    ch_trace *t = ch__alloc(sizeof *t);
    if (t == NULL) return ch__fail_oom("a trace");
    t->state = open_trace(&(struct open_args){.name = "captured", .signature = signature});
    if (t->state == NULL) {
        ch__free(t);
        return ch__err_status(ch__error_current());
    }
    *out_trace = t;
    return CH_OK;
}

ch_tensor *ch_trace_input(ch_trace *t, int i) {
    if (t != NULL && i >= 0 && i < t->state->n_inputs) return t->state->inputs[i];
    ch__fail(CH__E_argument, "trace_input: input %d — the trace has %d", i, t == NULL ? 0 : t->state->n_inputs);
    return ch__node_error("trace");
}

static ch_status is_innermost(ch_trace *t, const char *what) {
    if (t == NULL) return ch__fail(CH__E_argument, "%s: the trace is NULL — give one from ch_trace_begin", what);
    if (t->state == current) return CH_OK;
    return ch__fail(CH__E_capture_state,
                    "%s: the trace is not the innermost of this thread — end the one begun last first", what);
}

ch_status ch_trace_end(ch_trace *t, int n_out, ch_tensor *const *out, ch_func **out_func) {
    CH_TRY(is_innermost(t, "trace_end"));
    if (n_out < 1 || out == NULL)
        return ch__fail(CH__E_argument, "trace_end: %d results and %s of them — at least 1 is needed", n_out,
                        out == NULL ? "no array" : "an array");
    if (out_func == NULL) return ch__fail(CH__E_argument, "trace_end: the place for the func is NULL — give one");
    ch_func *made = ch__trace_close(t->state, n_out, out, NULL, NULL, NULL);
    ch__free(t);
    if (made == NULL) return ch__err_status(ch__error_current());
    *out_func = made;
    return CH_OK;
}

void ch_trace_abandon(ch_trace *t) {
    if (t == NULL) return;
    bool open = false; // it may have gone with a capture around it
    for (ch__trace_state *s = current; s != NULL; s = s->outer) open = open || s == t->state;
    while (open && current != t->state) ch__trace_drop(current);
    if (open) ch__trace_drop(t->state);
    ch__free(t);
}
