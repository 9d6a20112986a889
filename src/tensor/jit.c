// SPDX-License-Identifier: Apache-2.0
// jit.c - jits: the calls that run a function, record it, and replay it.
//
// The count of calls moves only when a call succeeds, so a call that was refused is tried again as what it was. Call 1
// runs the function as it stands and keeps a hash of what it built; call 2 records it, compares, compiles and runs the
// program; later calls run the program. CHAAC_JIT=0 runs the function each time, CHAAC_JIT_CHECK=1 runs it beside each
// replay and compares bits.

#include "tensor/jit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char this_thread; // its address tells threads apart

// ---- life
ch_jit *ch_jit_create(const char *name, ch_jit_fn fn, void *user, int n_out) {
    if (name == NULL || fn == NULL || n_out < 0) {
        ch__fail(CH__E_argument, "jit_create: %s — a name, a function and a count of results are needed",
                 name == NULL ? "the name is NULL"
                 : fn == NULL ? "the function is NULL"
                              : "n_out is negative");
        return NULL;
    }
    ch_jit *j = ch__calloc(1, sizeof *j);
    size_t n = strlen(name) + 1;
    if (j != NULL) j->name = ch__alloc(n);
    if (j == NULL || j->name == NULL || pthread_mutex_init(&j->lock, NULL) != 0) {
        if (j != NULL) ch__free(j->name);
        ch__free(j);
        ch__fail_oom("a jit");
        return NULL;
    }
    memcpy(j->name, name, n);
    atomic_init(&j->runner, NULL);
    j->fn = fn;
    j->user = user;
    j->n_out = n_out;
    j->mode = ch__env_flag("CHAAC_JIT_CHECK") ? CH_JIT_CHECK : CH_JIT_REPLAY;
    if (ch__env("CHAAC_JIT") != NULL && !ch__env_flag("CHAAC_JIT")) j->mode = CH_JIT_EAGER;
    return j;
}

static void forget(ch_jit *j) {
    ch__jit_program_free(j->program, j->n_out);
    for (int i = 0; j->vars != NULL && i < j->n_vars; i++) ch_var_destroy((ch_var *)(uintptr_t)j->vars[i]);
    ch__free(j->vars);
    ch__free(j->layouts);
    j->program = NULL;
    j->vars = NULL;
    j->layouts = NULL;
    j->n_in = j->n_vars = 0;
    j->calls = 0;
}

ch_status ch__jit_not_inside(const ch_jit *j, const char *what) {
    if (atomic_load(&j->runner) != &this_thread) return CH_OK;
    return ch__jit_fail(j, CH__E_jit_reset_in_body, "%s: from inside its own function — do it after the call", what);
}

ch_status ch_jit_reset(ch_jit *j) {
    if (j == NULL) return ch__fail(CH__E_argument, "jit_reset: the jit is NULL — give one from ch_jit_create");
    CH_TRY(ch__jit_not_inside(j, "reset"));
    if (j->loaded)
        return ch__jit_fail(j, CH__E_jit_loaded, "reset: it came from a file and has no function to record again");
    pthread_mutex_lock(&j->lock);
    forget(j);
    pthread_mutex_unlock(&j->lock);
    return CH_OK;
}

void ch_jit_destroy(ch_jit *j) {
    if (j == NULL || ch__jit_not_inside(j, "destroy") != CH_OK) return;
    forget(j);
    ch__jit_sizes_free(j->sizes);
    pthread_mutex_destroy(&j->lock);
    ch__free(j->name);
    ch__free(j);
}

int ch_jit_captured(const ch_jit *j) { return j != NULL && j->calls >= 2 && j->program != NULL; }

ch_status ch__jit_choose(ch_jit *j, const char *what) {
    if (j == NULL) return ch__fail(CH__E_argument, "jit_set_%s: the jit is NULL — give one from ch_jit_create", what);
    CH_TRY(ch__jit_not_inside(j, what));
    if (j->program == NULL) return CH_OK;
    return ch__jit_fail(j, CH__E_jit_captured, "set_%s: there is a program already — choose before the second call",
                        what);
}

ch_status ch_jit_set_engine(ch_jit *j, const char *engine) {
    const ch__engine *e;
    CH_TRY(ch__jit_choose(j, "engine"));
    CH_TRY(ch__engine_find(engine, &e));
    snprintf(j->engine, sizeof j->engine, "%s", engine);
    return CH_OK;
}

ch_status ch_jit_set_stable_outputs(ch_jit *j, int on) {
    CH_TRY(ch__jit_choose(j, "stable_outputs"));
    j->stable = on != 0;
    return CH_OK;
}

ch_status ch_jit_set_mode(ch_jit *j, ch_jit_mode mode) {
    if (j == NULL || (int)mode < CH_JIT_REPLAY || (int)mode > CH_JIT_CHECK)
        return ch__fail(CH__E_argument, "jit_set_mode: %s — give a jit and one of ch_jit_mode",
                        j == NULL ? "the jit is NULL" : "an unknown mode");
    CH_TRY(ch__jit_not_inside(j, "set_mode"));
    if (j->loaded && mode != CH_JIT_REPLAY)
        return ch__jit_fail(j, CH__E_jit_loaded, "set_mode: it came from a file and has no function to run");
    pthread_mutex_lock(&j->lock);
    j->mode = mode;
    pthread_mutex_unlock(&j->lock);
    return CH_OK;
}

ch_status ch_jit_free_intermediates(ch_jit *j) {
    if (j == NULL) return ch__fail(CH__E_argument, "jit_free_intermediates: the jit is NULL — give one");
    if (atomic_load(&j->runner) == &this_thread)
        return ch__jit_fail(j, CH__E_jit_busy, "free_intermediates: it is running — do it after the call");
    pthread_mutex_lock(&j->lock);
    ch__jit_program *p = j->program;
    for (int i = 0; p != NULL && i < p->n_new; i++) {
        ch__storage_release(p->spare[i]);
        p->spare[i] = NULL;
    }
    if (p != NULL && p->exec->engine->trim != NULL) p->exec->engine->trim(p->exec->code);
    pthread_mutex_unlock(&j->lock);
    return CH_OK;
}

// ---- layouts
static void layout_now(const ch_tensor *t, ch__jit_layout *l) {
    *l = (ch__jit_layout){
        .dtype = t->type.dtype, .rank = (int8_t)t->type.rank, .plain = t->strides == NULL, .offset = t->offset};
    int64_t n = 1;
    for (int i = l->rank - 1; i >= 0; i--) {
        l->dims[i] = t->type.dims[i].val;
        l->strides[i] = t->strides == NULL ? n : t->strides[i];
        n *= l->dims[i];
    }
}

static void layout_text(const ch__jit_layout *l, char *buf, size_t cap) {
    size_t n = (size_t)snprintf(buf, cap, "%s[", ch_dtype_name(l->dtype));
    int64_t plain = 1;
    bool contiguous = true;
    for (int i = l->rank - 1; i >= 0; i--) {
        contiguous = contiguous && (l->dims[i] == 1 || l->strides[i] == plain);
        plain *= l->dims[i];
    }
    for (int i = 0; i < l->rank && n < cap; i++)
        n += (size_t)snprintf(buf + n, cap - n, "%s%" PRId64, i > 0 ? "," : "", l->dims[i]);
    if (n < cap) n += (size_t)snprintf(buf + n, cap - n, "] %s", contiguous ? "contiguous" : "with strides ");
    for (int i = 0; !contiguous && i < l->rank && n < cap; i++)
        n += (size_t)snprintf(buf + n, cap - n, "%s%" PRId64, i > 0 ? "," : "", l->strides[i]);
    if (l->offset != 0 && n < cap) n += (size_t)snprintf(buf + n, cap - n, " at offset %" PRId64, l->offset);
    if (n < cap) snprintf(buf + n, cap - n, " on cpu:0");
}

static bool same_layout(const ch_tensor *t, const ch__jit_layout *l) {
    if (t->type.dtype != l->dtype || t->type.rank != l->rank || t->offset != l->offset) return false;
    if (t->strides == NULL && l->plain) {
        for (int i = 0; i < l->rank; i++)
            if (t->type.dims[i].val != l->dims[i]) return false;
        return true;
    }
    int64_t n = 1;
    for (int i = l->rank - 1; i >= 0; i--) {
        if (t->type.dims[i].val != l->dims[i] || (t->strides == NULL ? n : t->strides[i]) != l->strides[i])
            return false;
        n *= l->dims[i];
    }
    return true;
}

static ch_status check_layouts(const ch_jit *j, int n_in, ch_tensor *const *in) {
    if (n_in != j->n_in)
        return ch__jit_fail(j, CH__E_jit_input_count,
                            "%d inputs — it was called with %d before; ch_jit_reset forgets that", n_in, j->n_in);
    for (int i = 0; i < n_in && j->sizes == NULL; i++) {
        if (same_layout(in[i], &j->layouts[i])) continue;
        char was[320], is[320];
        ch__jit_layout now;
        layout_now(in[i], &now);
        layout_text(&j->layouts[i], was, sizeof was);
        layout_text(&now, is, sizeof is);
        return ch__jit_fail(j, CH__E_jit_input_mismatch, "input %d: captured %s, got %s", i, was, is);
    }
    return CH_OK;
}

// ---- variables
static ch_status check_binds(const ch_jit *j, int n, const ch_bind *vars) {
    for (int i = 0; i < n; i++) {
        const ch_var *v = vars[i].var;
        if (v == NULL)
            return ch__jit_fail(j, CH__E_jit_var_unbound,
                                "variable %d: the bind has no variable — make it by ch_bind_value", i);
        if (!vars[i].bound)
            return ch__jit_fail(j, CH__E_jit_var_unbound, "variable '%s' has no value — bind it by ch_bind_value",
                                v->name);
        if (vars[i].value < v->lo || vars[i].value > v->hi)
            return ch__jit_fail(j, CH__E_jit_var_range, "variable '%s' = %" PRId64 " — it is in %" PRId64 "..%" PRId64,
                                v->name, vars[i].value, v->lo, v->hi);
        for (int k = 0; k < i; k++) {
            if (strcmp(vars[k].var->name, v->name) != 0) continue;
            return ch__jit_fail(j, CH__E_jit_var_conflict,
                                "conflicting values for JIT var %s: %" PRId64 " and %" PRId64
                                " — give each variable once",
                                v->name, vars[k].value, vars[i].value);
        }
    }
    return CH_OK;
}

static ch_status check_vars(const ch_jit *j, int n, const ch_bind *vars) {
    bool same = n == j->n_vars;
    for (int i = 0; same && i < n; i++) {
        const ch_var *v = vars[i].var, *w = j->vars[i];
        same = strcmp(v->name, w->name) == 0 && v->lo == w->lo && v->hi == w->hi;
    }
    if (same) return CH_OK;
    char was[256] = "none", is[256] = "none";
    for (int side = 0; side < 2; side++) {
        char *text = side == 0 ? was : is;
        int count = side == 0 ? j->n_vars : n;
        size_t used = 0;
        for (int i = 0; i < count && used < sizeof was; i++) {
            const ch_var *v = side == 0 ? j->vars[i] : vars[i].var;
            used += (size_t)snprintf(text + used, sizeof was - used, "%s%s in %" PRId64 "..%" PRId64, i > 0 ? ", " : "",
                                     v->name, v->lo, v->hi);
        }
    }
    return ch__jit_fail(j, CH__E_jit_var_list, "variables: captured %s, got %s", was, is);
}

// ---- running the function
// Eagerly: results are realized and so is what it assigned. Nothing has changed when it fails. then: called with the
// body before it ends, to look at what was assigned.
typedef ch_status body_fn(void *arg, ch__jit_body *b, ch_tensor **out);

// Results and what was assigned, in one program: what they have in common runs once.
static ch_status realize_body(const ch__jit_body *b, int n_out, ch_tensor *const *out) {
    int64_t n = n_out + b->assigned.n;
    ch_tensor **all = ch__alloc((size_t)(n + 1) * sizeof *all);
    if (all == NULL) return ch__fail_oom("a jit's call");
    for (int i = 0; i < n_out; i++) all[i] = out[i];
    for (int64_t i = 0; i < b->assigned.n; i++) all[n_out + i] = b->assigned.data[i].handle;
    ch_status s = ch__realize_now((int)n, all);
    ch__free(all);
    return s;
}

static ch_status run_eagerly(ch_jit *j, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, body_fn *then,
                             void *arg, uint64_t *hash) {
    ch__jit_body b = {.jit = j, .mode = CH__JIT_EAGER, .n_in = n_in, .n_vars = n_vars, .vars = vars};
    ch_tensor **out = ch__calloc((size_t)j->n_out + 1, sizeof *out);
    ch_scope scope = ch_scope_begin();
    ch_status s = out == NULL || scope.token == 0 ? ch__fail_oom("a jit's call") : CH_OK;
    if (s == CH_OK) s = ch__jit_body_run(&b, in, out);
    if (s == CH_OK) s = realize_body(&b, j->n_out, out);
    if (s == CH_OK && then != NULL) s = then(arg, &b, out);
    if (s != CH_OK) ch__jit_put_back(&b);
    if (hash != NULL) *hash = b.hash;
    ch__jit_body_end(&b);
    if (scope.token != 0) ch__scope_unwind(scope);
    ch__free(out);
    return s == CH_OK ? s : ch__jit_prefix(j, s);
}

static ch_status give_eager(void *arg, ch__jit_body *b, ch_tensor **out) {
    ch_tensor **to = arg;
    for (int i = 0; i < b->jit->n_out; i++) ch_keep(out[i]);
    for (int i = 0; i < b->jit->n_out; i++) {
        ch_release(to[i]);
        to[i] = out[i];
    }
    return CH_OK;
}

static ch_status jit_remember(ch_jit *j, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars) {
    ch__jit_layout *layouts = ch__calloc((size_t)n_in + 1, sizeof *layouts);
    const ch_var **kept = ch__calloc((size_t)n_vars + 1, sizeof *kept);
    if (layouts == NULL || kept == NULL) {
        ch__free(layouts);
        ch__free(kept);
        return ch__fail_oom("a jit's call");
    }
    for (int i = 0; i < n_in; i++) layout_now(in[i], &layouts[i]);
    for (int i = 0; i < n_vars; i++) {
        ch_var *v = (ch_var *)(uintptr_t)vars[i].var;
        atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
        kept[i] = v;
    }
    forget(j);
    j->layouts = layouts;
    j->vars = kept;
    j->n_in = n_in;
    j->n_vars = n_vars;
    return CH_OK;
}

static ch_status first_call(ch_jit *j, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars,
                            ch_tensor **out) {
    CH_TRY(jit_remember(j, n_in, in, n_vars, vars));
    return run_eagerly(j, n_in, in, n_vars, vars, give_eager, out, &j->hash);
}

static ch_status open_recording(const ch_jit *j, ch__jit_body *b, ch_tensor *const *in) {
    const ch__type **types = ch__alloc((size_t)(b->n_in + 1) * sizeof *types);
    ch__trace_var *specs = ch__alloc((size_t)(b->n_vars + 1) * sizeof *specs);
    if (types != NULL && specs != NULL) {
        for (int i = 0; i < b->n_in; i++) types[i] = &in[i]->type;
        for (int i = 0; i < b->n_vars; i++)
            specs[i] = (ch__trace_var){b->vars[i].var->name, b->vars[i].var->lo, b->vars[i].var->hi};
        b->trace = ch__trace_open_vars("jit", j->sizes == NULL ? NULL : ch__jit_sizes_text(j->sizes),
                                       j->sizes == NULL ? b->n_in : 0, types, b->n_vars, specs);
    } else {
        ch__fail_oom("a jit's call");
    }
    ch__free(types);
    ch__free(specs);
    return b->trace == NULL ? ch__jit_prefix(j, ch__err_status(ch__error_current())) : CH_OK;
}

static ch_status compare_with_first(const ch_jit *j, const ch__jit_body *b) {
    if (b->hash == j->hash) return CH_OK;
    return ch__jit_fail(j, CH__E_jit_capture_differs,
                        "the function built something else than in call 1: a number, a branch or data of its own has "
                        "changed, and would be frozen — make it an input, a variable or a tensor from outside");
}

static ch_status record(ch_jit *j, ch_tensor *const *in, const ch_bind *vars) {
    ch__jit_body b = {.jit = j, .mode = CH__JIT_RECORD, .n_in = j->n_in, .n_vars = j->n_vars, .vars = vars};
    CH_TRY(open_recording(j, &b, in));
    ch_tensor **out = ch__calloc((size_t)j->n_out + 1, sizeof *out);
    ch_status s = out == NULL ? ch__fail_oom("a jit's call") : ch__jit_body_run(&b, in, out);
    if (s == CH_OK) s = compare_with_first(j, &b);
    if (s == CH_OK) s = ch__jit_program_make(&b, out, &j->program);
    while (ch__trace_current() != NULL && ch__trace_current() != b.trace) ch__trace_drop(ch__trace_current());
    ch__jit_put_back(&b);
    ch__trace_state *trace = b.trace;
    ch__jit_body_end(&b);
    ch__trace_drop(trace);
    ch__free(out);
    return s == CH_OK ? s : ch__jit_prefix(j, s);
}

static ch_status second_call(ch_jit *j, ch_tensor *const *in, const ch_bind *vars, ch_tensor **out) {
    CH_TRY(record(j, in, vars));
    ch_status s = ch__jit_check_apart(j, j->n_in, in); // now that it is known what is read from outside
    if (s == CH_OK) s = ch__jit_replay(j, in, vars, out);
    if (s == CH_OK) return s;
    ch__jit_program_free(j->program, j->n_out);
    j->program = NULL;
    return s;
}

// ---- the function beside a replay
typedef struct {
    int n_out, n_states;
    ch_tensor **out;      // kept
    ch_tensor **handles;  // kept
    ch__storage **states; // retained
} shadow;

static void shadow_finish(shadow *w) {
    for (int i = 0; i < w->n_out; i++) ch_release(w->out[i]);
    for (int i = 0; i < w->n_states; i++) {
        ch_release(w->handles[i]);
        ch__storage_release(w->states[i]);
    }
    ch__free(w->out);
    ch__free(w->handles);
    ch__free(w->states);
}

// What the function gave and assigned; then everything is as it was.
static ch_status take_shadow(void *arg, ch__jit_body *b, ch_tensor **out) {
    shadow *w = arg;
    int n = (int)b->assigned.n;
    w->out = ch__calloc((size_t)b->jit->n_out + 1, sizeof *w->out);
    w->handles = ch__calloc((size_t)n + 1, sizeof *w->handles);
    w->states = ch__calloc((size_t)n + 1, sizeof *w->states);
    if (w->out == NULL || w->handles == NULL || w->states == NULL) return ch__fail_oom("a jit's check");
    for (int i = 0; i < b->jit->n_out; i++) { // a result may be the state itself, which is put back
        ch_tensor *t = out[i];
        ch_tensor *copy = ch__node_owned(&(ch__node_spec){.kind = CH__T_DATA,
                                                          .where = "jit",
                                                          .type = &t->type,
                                                          .storage = ch__storage_retain(t->storage),
                                                          .layout_of = t});
        if (copy == NULL) return ch__fail_oom("a jit's check");
        w->out[w->n_out++] = copy;
    }
    for (int i = 0; i < n; i++) {
        ch_tensor *t = b->assigned.data[i].handle;
        if (ch__tensor_compact(t) == NULL) return ch__fail_oom("a jit's check");
        w->handles[i] = ch_keep(t);
        w->states[i] = ch__storage_retain(t->strides == NULL ? t->storage : t->compact);
        w->n_states++;
    }
    ch__jit_put_back(b);
    return CH_OK;
}

// The interpreter gives the bits of the function; another engine may add in another order.
static bool close_enough(const ch_jit *j, ch_dtype dtype, const char *got, const char *want) {
    if (memcmp(got, want, ch_dtype_size(dtype)) == 0) return true;
    double bound = dtype == CH_F64 ? 1e-12 : dtype == CH_F32 ? 1e-5 : ch__is_float(dtype) ? 2e-2 : 0;
    if (bound == 0 || strcmp(j->program->exec->engine->name, "interp") == 0) return false;
    double a = ch__element_f64(dtype, got, 0), b = ch__element_f64(dtype, want, 0);
    if (a != a || b != b) return a != a && b != b;
    double size = fmax(1, fmax(fabs(a), fabs(b)));
    return a == b || fabs(a - b) <= bound * size;
}

static ch_status differs(const ch_jit *j, const char *what, int i, const ch_tensor *t, const void *wanted) {
    size_t size = ch_dtype_size(t->type.dtype), n = ch__type_bytes(&t->type) / (size == 0 ? 1 : size), at = 0;
    const char *got = ch__tensor_compact(t), *want = wanted;
    if (got == NULL) return ch__fail_oom("a jit's check");
    while (at < n && close_enough(j, t->type.dtype, got + at * size, want + at * size)) at++;
    if (at == n) return CH_OK;
    return ch__jit_fail(j, CH__E_jit_capture_differs,
                        "%s %d: element %zu is %.17g, the function gives %.17g — it reads something that was frozen "
                        "when it was recorded",
                        what, i, at, ch__element_f64(t->type.dtype, got, (int64_t)at),
                        ch__element_f64(t->type.dtype, want, (int64_t)at));
}

static ch_status compare_shadow(const ch_jit *j, const shadow *w, ch_tensor *const *out) {
    for (int i = 0; i < w->n_out; i++) {
        if (!ch__type_equal(&w->out[i]->type, &out[i]->type))
            return ch__jit_fail(j, CH__E_jit_capture_differs, "result %d has another type than the function gives", i);
        const void *wanted = ch__tensor_compact(w->out[i]);
        if (wanted == NULL) return ch__fail_oom("a jit's check");
        CH_TRY(differs(j, "result", i, out[i], wanted));
    }
    for (int i = 0; i < w->n_states; i++) CH_TRY(differs(j, "assigned tensor", i, w->handles[i], w->states[i]->data));
    return CH_OK;
}

static ch_status checked_replay(ch_jit *j, ch_tensor *const *in, const ch_bind *vars, ch_tensor **out) {
    shadow w = {0};
    ch_status s = run_eagerly(j, j->n_in, in, j->n_vars, vars, take_shadow, &w, NULL);
    if (s == CH_OK) s = ch__jit_replay(j, in, vars, out);
    if (s == CH_OK) s = compare_shadow(j, &w, out);
    shadow_finish(&w);
    return s;
}

// ---- a call
static ch_status jit_check_inputs(const ch_jit *j, int n_in, ch_tensor *const *in) {
    bool ready = true;
    for (int i = 0; i < n_in; i++)
        ready = ready && in[i] != NULL && in[i]->magic == CH__TENSOR_LIVE && in[i]->kind != CH__T_ERROR &&
                in[i]->storage != NULL;
    if (ready) return CH_OK;
    for (int i = 0; i < n_in; i++) {
        ch_tensor *error = ch__first_error("input", "input", 1, &in[i]);
        if (error == NULL) continue;
        ch__error_copy e = *error->error;
        if (ch__jit_is_error(e.id)) return ch__jit_prefix(j, ch__error_publish(&e));
        bool gone = e.id == CH__E_use_after_release;
        return ch__jit_fail(j, gone ? CH__E_jit_no_storage : CH__E_jit_const_input, "input %d %s: %s", i,
                            gone ? "has no storage" : "is no tensor with values", e.message);
    }
    for (int i = 0; i < n_in; i++)
        if (in[i]->storage == NULL) {
            ch_status s = ch__realize_now(n_in, in);
            if (s != CH_OK) return ch__jit_prefix(j, s);
            break;
        }
    return CH_OK;
}

static ch_status call_locked(ch_jit *j, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars,
                             ch_tensor **out) {
    CH_TRY(jit_check_inputs(j, n_in, in));
    CH_TRY(check_binds(j, n_vars, vars));
    CH_TRY(ch__jit_check_apart(j, n_in, in));
    if (j->sizes != NULL) CH_TRY(ch__jit_sizes_check(j, n_in, in, n_vars, vars));
    if (j->mode == CH_JIT_EAGER) return run_eagerly(j, n_in, in, n_vars, vars, give_eager, out, NULL);
    if (j->calls > 0) {
        CH_TRY(check_layouts(j, n_in, in));
        CH_TRY(check_vars(j, n_vars, vars));
    }
    ch_status s = j->calls == 0             ? first_call(j, n_in, in, n_vars, vars, out)
                  : j->calls == 1           ? second_call(j, in, vars, out)
                  : j->mode == CH_JIT_CHECK ? checked_replay(j, in, vars, out)
                                            : ch__jit_replay(j, in, vars, out);
    if (s == CH_OK) j->calls++;
    return s;
}

ch_status ch_jit_call(ch_jit *j, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, ch_tensor **out) {
    if (j == NULL) return ch__fail(CH__E_argument, "jit_call: the jit is NULL — give one from ch_jit_create");
    if (n_in < 0 || n_vars < 0 || (n_in > 0 && in == NULL) || (n_vars > 0 && vars == NULL) ||
        (j->n_out > 0 && out == NULL))
        return ch__jit_fail(j, CH__E_argument,
                            "%d inputs, %d variables, %d results — an array is NULL or a count negative", n_in, n_vars,
                            j->n_out);
    if (atomic_load_explicit(&j->runner, memory_order_relaxed) == &this_thread)
        return ch__jit_fail(j, CH__E_jit_busy, "it is called from inside its own function");
    if (ch__jit_current() != NULL)
        return ch__jit_fail(j, CH__E_jit_nested,
                            "it is called inside the function of jit '%s' — call its function instead",
                            ch__jit_current()->jit->name);
    if (ch__trace_current() != NULL)
        return ch__jit_fail(j, CH__E_jit_nested,
                            "it is called while a function is captured — call its function instead");
    pthread_mutex_lock(&j->lock);
    // Each thread looks for itself only, and sees what it wrote.
    atomic_store_explicit(&j->runner, &this_thread, memory_order_relaxed);
    ch_status s = call_locked(j, n_in, in, n_vars, vars, out);
    atomic_store_explicit(&j->runner, NULL, memory_order_relaxed);
    pthread_mutex_unlock(&j->lock);
    return s;
}

// ---- what there is
static void explain_inputs(const ch_jit *j, FILE *file) {
    char text[320];
    if (j->sizes != NULL) fprintf(file, "  signature: %s\n", ch__jit_sizes_text(j->sizes));
    for (int i = 0; i < j->n_in && j->sizes == NULL; i++) {
        layout_text(&j->layouts[i], text, sizeof text);
        fprintf(file, "  input %d: %s\n", i, text);
    }
    for (int i = 0; i < j->n_vars; i++)
        fprintf(file, "  variable %s in %" PRId64 "..%" PRId64 "\n", j->vars[i]->name, j->vars[i]->lo, j->vars[i]->hi);
}

static void explain_program(const ch_jit *j, FILE *file) {
    const ch__jit_program *p = j->program;
    char text[320];
    for (int i = 0; i < p->n_captured; i++) {
        ch_tensor_type(p->captured[i], text, sizeof text);
        fprintf(file, "  read from outside: %s, %zu bytes, made at %s%s\n", text, ch__type_bytes(&p->captured[i]->type),
                p->captured[i]->where, p->captured_written[i] ? ", assigned" : "");
    }
    for (int k = 0; k < p->n_states; k++) {
        if (p->states[k].handle == NULL) {
            fprintf(file, "  assigned: input %d\n", p->states[k].input);
            continue;
        }
        ch_tensor_type(p->states[k].handle, text, sizeof text);
        fprintf(file, "  written at each call: %s, made at %s\n", text, p->states[k].handle->where);
    }
    if (p->n_draws > 0) fprintf(file, "  random keys drawn at each call: %d\n", p->n_draws);
    size_t spare = 0;
    for (int k = 0; k < p->n_new; k++) spare += p->spare[k] == NULL ? 0 : p->spare[k]->bytes;
    const ch__engine *e = p->exec->engine;
    fprintf(file, "  kept between calls: %zu bytes for values on the way, %zu bytes set aside for results\n",
            e->kept == NULL ? 0 : e->kept(p->exec->code), spare);
}

ch_status ch_jit_explain(ch_jit *j, FILE *file) {
    if (j == NULL || file == NULL)
        return ch__fail(CH__E_argument, "jit_explain: %s is NULL — give a jit and an open file",
                        j == NULL ? "the jit" : "the file");
    CH_TRY(ch__jit_not_inside(j, "explain"));
    pthread_mutex_lock(&j->lock);
    const char *stage = j->loaded            ? "replays, from a file,"
                        : j->program != NULL ? "replays"
                        : j->calls == 1      ? "records at the next call"
                                             : "not called yet";
    fprintf(file, "jit '%s': %" PRId64 " calls, %s%s%s\n", j->name, j->calls, stage, j->program != NULL ? " on " : "",
            j->program != NULL ? j->program->exec->engine->name : "");
    explain_inputs(j, file);
    ch_status s = CH_OK;
    if (j->program != NULL) {
        explain_program(j, file);
        s = ch_explain(j->program->exec->func, file); // constants of the program are what was frozen
    }
    pthread_mutex_unlock(&j->lock);
    return s;
}
