// SPDX-License-Identifier: Apache-2.0
// jit_program.c - what a recorded function becomes: a func whose params are the inputs, the variables, the
// keys drawn and
// the tensors reached from outside, and whose results are the new tensors that were given out and the new values of the
// tensors that were assigned.
//
// A tensor that was assigned is a param (its old value, when something reads it) tied to a result: the engine may write
// it in place. A tensor that the function realized and keeps is a result too, written at each call. Lazy ones that it
// keeps would speak of placeholders for ever: they are refused.

#include "tensor/jit.h"

#include <string.h>

struct making {
    ch__jit_body *b;
    ch_tensor *const *out;
    ch__arena *a;
    ch_tensor **items; // what the trace's scope holds
    int64_t n_items;
    ch__map expected;          // references that are accounted for
    CH_VEC(ch_tensor *) held;  // realized and kept by somebody
    CH_VEC(ch_tensor *) roots; // results: new ones, assigned ones, held ones
    int n_new;
    ch_tensor *escaped;
};

static uint64_t making_key(const ch_tensor *t) { return (uint64_t)(uintptr_t)t; }

static void expect(struct making *m, const ch_tensor *t) {
    uintptr_t n = (uintptr_t)ch__map_get(&m->expected, making_key(t));
    ch__map_put(&m->expected, making_key(t), (void *)(n + 1));
}

// Does t depend on what a call brings: an input, a variable, a key, or state?
static bool jit_depends(struct making *m, ch_tensor *t) {
    static char yes;
    ch__map seen;
    CH_VEC(ch_tensor *) todo = {0};
    ch__map_init(&seen, m->a);
    CH_PUSH(m->a, &todo, t);
    while (todo.n > 0) {
        ch_tensor *c = todo.data[--todo.n];
        if (c->kind == CH__T_INPUT || c->kind == CH__T_VERSION || c->trace != NULL) return true;
        if (c->serial < m->b->first_serial || ch__map_get(&seen, making_key(c)) != NULL) continue;
        ch__map_put(&seen, making_key(c), &yes);
        for (int i = 0; i < c->n_operands; i++) CH_PUSH(m->a, &todo, ch__operand(c, i));
    }
    return false;
}

static const ch__jit_assigned *assigned_entry(const ch__jit_body *b, const ch_tensor *t) {
    for (int64_t i = 0; i < b->assigned.n; i++)
        if (b->assigned.data[i].handle == t) return &b->assigned.data[i];
    return NULL;
}

static bool was_realized(const struct making *m, const ch_tensor *t) {
    for (int64_t i = 0; i < m->b->realized.n; i++)
        if (m->b->realized.data[i] == t) return true;
    for (int i = 0; i < m->b->jit->n_out; i++)
        if (m->out[i] == t) return true;
    return false;
}

// Tensors made in the body that somebody outside goes on holding.
static void find_held(struct making *m) {
    ch__jit_body *b = m->b;
    ch__map_init(&m->expected, m->a);
    for (int64_t i = 0; i < m->n_items; i++) {
        expect(m, m->items[i]);
        if (m->items[i]->view_of != NULL) expect(m, m->items[i]->view_of);
    }
    for (int64_t i = 0; i < b->assigned.n; i++) {
        expect(m, b->assigned.data[i].handle);
        if (b->assigned.data[i].view_of != NULL) expect(m, b->assigned.data[i].view_of);
    }
    for (int64_t i = 0; i < b->realized.n; i++) expect(m, b->realized.data[i]);
    for (int64_t i = 0; i < m->n_items; i++) {
        ch_tensor *t = m->items[i];
        bool lazy = t->kind == CH__T_OP || t->kind == CH__T_RESULT || t->kind == CH__T_VERSION;
        uintptr_t n = (uintptr_t)ch__map_get(&m->expected, making_key(t));
        if (n == 0 || !lazy || t->storage != NULL || t->internal || assigned_entry(b, t) != NULL) continue;
        ch__map_put(&m->expected, making_key(t), NULL); // looked at
        if (ch__tensor_refs(t) - ch__tensor_operands(t) <= (int64_t)n) continue;
        if (was_realized(m, t) && ch__type_is_static(&t->type))
            CH_PUSH(m->a, &m->held, t);
        else if (m->escaped == NULL && jit_depends(m, t))
            m->escaped = t;
    }
}

// A result that is a tensor from outside, assigned or not, is that tensor and no new one.
static bool is_handle(const ch__jit_body *b, const ch_tensor *t) {
    const ch__jit_assigned *e = assigned_entry(b, t);
    return e != NULL ? e->input < 0 : t->serial < b->first_serial && t->kind != CH__T_INPUT;
}

static void jit_collect(void *arg) {
    struct making *m = arg;
    ch__jit_body *b = m->b;
    m->a = b->arena;
    find_held(m);
    for (int i = 0; i < b->jit->n_out; i++) {
        bool again = false;
        for (int k = 0; k < i; k++) again = again || m->out[k] == m->out[i];
        if (!again && !is_handle(b, m->out[i])) CH_PUSH(m->a, &m->roots, m->out[i]);
    }
    m->n_new = (int)m->roots.n;
    for (int64_t i = 0; i < b->assigned.n; i++) CH_PUSH(m->a, &m->roots, b->assigned.data[i].handle);
    for (int64_t i = 0; i < m->held.n; i++) CH_PUSH(m->a, &m->roots, m->held.data[i]);
}

// ---- the program's tables
static void *program_array(ch_status *s, int n, size_t size) {
    void *p = *s != CH_OK ? NULL : ch__calloc((size_t)n + 1, size);
    if (p == NULL && *s == CH_OK) *s = ch__fail_oom("a jit's program");
    return p;
}

static void set_outs(ch__jit_program *p, const struct making *m) {
    const ch__jit_body *b = m->b;
    int next = 0;
    for (int i = 0; i < b->jit->n_out; i++) {
        ch__jit_out o = {CH__JIT_NEW, 0};
        int same = -1;
        for (int k = i - 1; k >= 0; k--)
            if (m->out[k] == m->out[i]) same = k;
        if (is_handle(b, m->out[i])) {
            o = (ch__jit_out){CH__JIT_HANDLE, p->n_returned};
            p->returned[p->n_returned++] = ch_keep(m->out[i]);
        } else if (same >= 0) {
            o = (ch__jit_out){CH__JIT_SAME, same};
        } else {
            o.at = next++;
        }
        p->outs[i] = o;
    }
}

static void set_states(ch__jit_program *p, const struct making *m) {
    const ch__jit_body *b = m->b;
    for (int64_t i = 0; i < b->assigned.n; i++) {
        const ch__jit_assigned *e = &b->assigned.data[i];
        p->states[p->n_states++] =
            (ch__jit_state){e->input >= 0 ? NULL : ch_keep(e->handle), e->input, e->input >= 0 ? e->input : -1};
    }
    for (int64_t i = 0; i < m->held.n; i++)
        p->states[p->n_states++] = (ch__jit_state){ch_keep(m->held.data[i]), -1, -1};
}

// What was reached from outside; the old value of a tensor that is assigned stands for the tensor.
static void set_captured(ch__jit_program *p, ch_tensor **captured, int n) {
    int first = p->n_in + p->n_vars + p->n_draws;
    for (int i = 0; i < n; i++) {
        ch_tensor *t = captured[i];
        ch_tensor *handle = t->internal && t->assigned != NULL ? t->assigned : t;
        for (int k = 0; k < p->n_states; k++)
            if (p->states[k].handle == handle && handle != t) {
                p->states[k].param = first + i;
                p->captured_written[i] = true;
            }
        p->captured[p->n_captured++] = ch_keep(handle);
    }
}

ch_status ch__jit_program_allocate(ch__jit_program *p, int n_captured, int n_results) {
    ch_status s = CH_OK;
    p->captured = program_array(&s, n_captured, sizeof *p->captured);
    p->captured_written = program_array(&s, n_captured, sizeof *p->captured_written);
    p->draws = program_array(&s, p->n_draws, sizeof *p->draws);
    p->key_words = program_array(&s, 2 * p->n_draws, sizeof *p->key_words);
    p->states = program_array(&s, n_results, sizeof *p->states);
    p->changes = program_array(&s, n_results, sizeof *p->changes);
    p->made = program_array(&s, n_results, sizeof *p->made);
    p->spare = program_array(&s, n_results, sizeof *p->spare);
    p->slots = program_array(&s, p->n_in + p->n_vars + p->n_draws + n_captured + n_results, sizeof *p->slots);
    return s;
}

ch_status ch__jit_program_allocate_outs(ch__jit_program *p, int n_out) {
    ch_status s = CH_OK;
    p->outs = program_array(&s, n_out, sizeof *p->outs);
    p->returned = program_array(&s, n_out, sizeof *p->returned);
    p->fresh = program_array(&s, n_out, sizeof *p->fresh);
    p->stable = program_array(&s, n_out, sizeof *p->stable);
    return s;
}

static void slot_of_type(ch__slot *s, const ch__type *t) {
    *s = (ch__slot){.dtype = t->dtype, .rank = t->rank};
    for (int i = 0; i < t->rank; i++) s->dims[i] = t->dims[i].sym == NULL ? t->dims[i].val : 0;
}

static void fill_slots(ch__jit_program *p, const ch_func *f) {
    int n = f->body->n_params;
    p->fixed = true;
    // Inputs lie apart and results get memory of their own or that of what they are tied to (jit_replay.c).
    p->limits = (ch__limits){.check = ch__env_flag("CHAAC_CHECK"), .apart = true, .same_sizes = true};
    for (int i = 0; i < n; i++) {
        slot_of_type(&p->slots[i], f->body->params[i]->type);
        p->limits.same_sizes = p->limits.same_sizes && ch__type_is_static(f->body->params[i]->type);
    }
    for (int i = 0; i < f->body->n_results; i++) {
        slot_of_type(&p->slots[n + i], f->body->results[i]->type);
        p->fixed = p->fixed && ch__type_is_static(f->body->results[i]->type);
    }
}

static bool does_nothing(const ch_func *f, int n_states) {
    for (int i = 0; i < f->body->n_results; i++)
        if (f->body->results[i]->op != NULL) return false;
    return n_states == 0;
}

struct tie_args {
    ch_func *f;
    const ch__jit_program *p;
};

static void tie(void *arg) {
    struct tie_args *t = arg;
    ch_func *f = t->f;
    f->inout = CH_NEW_ARRAY(f->module->arena, int32_t, f->body->n_params + 1);
    for (int i = 0; i < f->body->n_params; i++) f->inout[i] = -1;
    for (int k = 0; k < t->p->n_states; k++)
        if (t->p->states[k].param >= 0) f->inout[t->p->states[k].param] = t->p->n_new + k;
}

// Native where there is a compiler, unless the user said otherwise.
static ch_status compile_by(const ch_jit *j, const ch_func *f, ch_exec **exec) {
    if (j->engine[0] != '\0') return ch__compile_watched(f, j->engine, exec);
    if (ch__compile_watched(f, "native", exec) == CH_OK) return CH_OK;
    if (ch__error_current() != CH__E_compiler) return ch__err_status(ch__error_current());
    ch__log(1, "jit '%s': no C compiler is found, so the interpreter runs it", j->name);
    return ch__compile_watched(f, "interp", exec);
}

// A replay has the same bits as every other: none is on the interpreter meanwhile.
static ch_status compile_program(const ch_jit *j, const ch_func *f, ch_exec **exec) {
    ch__compile_first(true);
    ch_status s = compile_by(j, f, exec);
    ch__compile_first(false);
    return s;
}

ch_status ch__jit_program_finish(const ch_jit *j, ch__jit_program *p, const ch_func *f) {
    fill_slots(p, f);
    return compile_program(j, f, &p->exec);
}

static ch_status make_tables(struct making *m, ch__jit_program *p, ch_func *f, ch_tensor **captured, int n_captured) {
    CH_TRY(ch__jit_program_allocate(p, n_captured, (int)m->roots.n));
    CH_TRY(ch__jit_program_allocate_outs(p, m->b->jit->n_out));
    for (int i = 0; i < p->n_draws; i++) p->draws[i] = m->b->draws.data[i];
    p->n_new = m->n_new;
    set_outs(p, m);
    set_states(p, m);
    set_captured(p, captured, n_captured);
    if (does_nothing(f, p->n_states))
        return ch__jit_fail(m->b->jit, CH__E_jit_empty,
                            "the function computes nothing: its results are inputs or tensors that were there before, "
                            "and it assigns none — what is to be replayed has to be built in it");
    return ch__protect(tie, &(struct tie_args){f, p});
}

static ch_status escapes(const struct making *m) {
    char type[256];
    ch_tensor_type(m->escaped, type, sizeof type);
    return ch__jit_fail(m->b->jit, CH__E_jit_lazy_escape,
                        "a lazy tensor %s made at %s is kept beyond the function and depends on this call's inputs or "
                        "state — give it back as a result, or ch_realize it in the function",
                        type, m->escaped->where);
}

// Held tensors have their values from now on, not their expressions.
static void settle_held(struct making *m) {
    for (int64_t i = 0; i < m->held.n; i++) {
        ch__tensor_drop_expression(m->held.data[i]);
        m->held.data[i]->had_expression = 1;
    }
}

ch_status ch__jit_program_make(ch__jit_body *b, ch_tensor *const *out, ch__jit_program **program) {
    struct making m = {.b = b, .out = out};
    ch_tensor *const *items;
    m.n_items = ch__scope_held(b->trace->scope, &items);
    m.items = (ch_tensor **)(uintptr_t)items;
    CH_TRY(ch__protect(jit_collect, &m));
    if (m.escaped != NULL) return escapes(&m);
    if (m.roots.n == 0)
        return ch__jit_fail(b->jit, CH__E_jit_empty,
                            "the function builds and assigns nothing — there is nothing to replay");
    ch__jit_program *p = ch__calloc(1, sizeof *p);
    if (p == NULL) return ch__fail_oom("a jit's program");
    p->n_in = b->n_in;
    p->n_vars = b->n_vars;
    p->n_draws = (int)b->draws.n;
    ch_tensor **captured = NULL;
    int n_captured = 0;
    ch_func *f = ch__trace_func(b->trace, (int)m.roots.n, m.roots.data, &captured, &n_captured);
    ch_status s = f == NULL ? ch__err_status(ch__error_current()) : make_tables(&m, p, f, captured, n_captured);
    ch__free(captured);
    if (s == CH_OK) s = ch__jit_program_finish(b->jit, p, f);
    if (s == CH_OK) settle_held(&m);
    ch_func_destroy(f);
    if (s != CH_OK) {
        ch__jit_program_free(p, b->jit->n_out);
        return s;
    }
    *program = p;
    return CH_OK;
}

void ch__jit_program_free(ch__jit_program *p, int n_out) {
    if (p == NULL) return;
    for (int i = 0; i < p->n_captured; i++) ch_release(p->captured[i]);
    for (int i = 0; i < p->n_states; i++) ch_release(p->states[i].handle);
    for (int i = 0; i < p->n_returned; i++) ch_release(p->returned[i]);
    for (int i = 0; p->stable != NULL && i < n_out; i++) ch_release(p->stable[i]);
    for (int i = 0; p->spare != NULL && i < p->n_new; i++) ch__storage_release(p->spare[i]);
    ch__exec_release(p->exec);
    void *tables[] = {p->captured, p->captured_written, p->draws, p->key_words, p->states, p->changes,
                      p->outs,     p->returned,         p->fresh, p->stable,    p->made,   p->spare,
                      p->slots};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) ch__free(tables[i]);
    ch__free(p);
}
