// SPDX-License-Identifier: Apache-2.0
// run.c - the public runs: text and funcs on buffers, funcs on host tensors.
//
// The session compares the buffers with the signature of @main itself, since plugins look at sizes in bytes only. What
// the program takes over is marked before it runs, so that no other thread can begin to use it, and unmarked when the
// plugin says after an error that it did not take it.
#include "pjrt/pjrt.h"

#include <string.h>

#include "chaac/hlo.h"
#include "ir/ir.h"

// ---------------------------------------------------------------- what is given
static ch_status run_check_call(const ch_session_call *given, ch_session_call *call) {
    *call = (ch_session_call){.struct_size = sizeof *call};
    if (given == NULL) return CH_OK;
    if (given->struct_size == 0 || given->struct_size > sizeof *call)
        return ch__fail(CH__E_argument, "session run: struct_size is %zu — sizeof(ch_session_call) is %zu",
                        given->struct_size, sizeof *call);
    memcpy(call, given, given->struct_size);
    if (call->n_flags < 0 || (call->n_flags > 0 && call->flags == NULL))
        return ch__fail(CH__E_argument, "session run: n_flags is %d without flags", call->n_flags);
    if (call->n_keep < 0 || (call->n_keep > 0 && call->keep == NULL))
        return ch__fail(CH__E_argument, "session run: n_keep is %d without params", call->n_keep);
    if (call->n_replicas < 0 || call->n_partitions < 0)
        return ch__fail(CH__E_argument, "session run: %d replicas of %d partitions — 0 or more", call->n_replicas,
                        call->n_partitions);
    return CH_OK;
}

static ch_status run_check_keep(const ch__pjrt_program *p, const ch_session_call *call) {
    for (int k = 0; k < call->n_keep; k++)
        if (call->keep[k] < 0 || call->keep[k] >= p->sig.n_in)
            return ch__fail(CH__E_argument, "session run: keep names param %lld — those of '%s' are 0 to %d",
                            (long long)call->keep[k], p->sig.name, p->sig.n_in - 1);
    return CH_OK;
}

static ch_status run_check(const ch__pjrt_program *p, int n_in, ch_buffer *const *in, int n_out) {
    const ch__pjrt_signature *sig = &p->sig;
    int want_in = sig->n_in * p->n_devices, want_out = sig->n_out * p->n_devices;
    if (n_in != want_in || n_out != want_out)
        return ch__fail(CH__E_arity,
                        "session run: %d buffers and room for %d results given — '%s' takes %d and gives %d", n_in,
                        n_out, sig->name, want_in, want_out);
    for (int i = 0; i < n_in; i++) {
        const ch__pjrt_param *q = &sig->in[i % sig->n_in];
        const ch_buffer *b = in[i];
        bool parted = p->n_partitions > 1, same = b->dtype == q->dtype && b->rank == q->rank;
        const int64_t *dims = parted ? q->shard : q->dims;
        for (int d = 0; same && d < q->rank; d++)
            same = b->dims[d] == dims[d] || (parted && !q->shard_known && b->dims[d] <= q->dims[d]);
        if (!same) {
            char want[512], got[512];
            ch__pjrt_type_text(want, sizeof want, q->dtype, q->rank, dims);
            ch_buffer_type(b, got, sizeof got);
            return ch__fail(b->dtype == q->dtype ? CH__E_shape_mismatch : CH__E_dtype_mismatch,
                            "session run: parameter '%s' of '%s' is %s%s, the buffer is %s — give one of its type",
                            q->name, sig->name, want, parted ? " on each device" : "", got);
        }
        if (b->device != i / sig->n_in)
            return ch__fail(CH__E_buffer_foreign,
                            "session run: parameter '%s' of '%s' is on device %d — it runs on device %d", q->name,
                            sig->name, b->device, i / sig->n_in);
    }
    return CH_OK;
}

// ---------------------------------------------------------------- donation
static bool run_keeps(const ch_session *s, const ch_session_call *call, int i) {
    if (s->no_donation) return true;
    for (int k = 0; k < call->n_keep; k++)
        if (call->keep[k] == i) return true;
    return false;
}

static bool run_donates(const ch_session *s, const ch_session_call *call, const ch__pjrt_param *q, int i) {
    return (q->alias >= 0 || q->donor) && !run_keeps(s, call, i);
}

// Marks what is donated, under the session's lock; nothing when something else uses one of them.
static ch_status run_mark(ch_session *s, const ch__pjrt_program *p, const ch_session_call *call, int n_in,
                          ch_buffer *const *in) {
    const ch__pjrt_signature *sig = &p->sig;
    ch_status st = CH_OK;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < n_in && st == CH_OK; i++) {
        const ch__pjrt_param *q = &sig->in[i % sig->n_in];
        if (!run_donates(s, call, q, i % sig->n_in)) continue;
        int again = in[i]->users > 1 ? 0 : n_in;
        while (again < n_in && (again == i || in[again] != in[i])) again++;
        if (again < n_in)
            st = ch__fail(CH__E_argument,
                          "session run: parameter '%s' of '%s' is donated and its buffer is given again as '%s' — "
                          "donate what is given once",
                          q->name, sig->name, sig->in[again % sig->n_in].name);
        else if (in[i]->users > 1)
            st = ch__fail(CH__E_buffer_donated,
                          "session run: parameter '%s' of '%s' is donated while another call or a view uses its buffer",
                          q->name, sig->name);
    }
    for (int i = 0; i < n_in && st == CH_OK; i++) {
        const ch__pjrt_param *q = &sig->in[i % sig->n_in];
        if (!run_donates(s, call, q, i % sig->n_in)) continue;
        atomic_store_explicit(&in[i]->state, CH__BUFFER_DONATED, memory_order_relaxed);
        memcpy(in[i]->consumed, q->name, sizeof q->name);
        memcpy(in[i]->consumed_by, sig->name, sizeof sig->name);
    }
    pthread_mutex_unlock(&s->lock);
    return st;
}

// What the plugin did not take can be used again. A must-alias of a run that worked is always taken.
static void run_unmark(ch_session *s, const ch__pjrt_program *p, const ch_session_call *call, int n_in,
                       ch_buffer *const *in, bool worked) {
    for (int i = 0; i < n_in; i++) {
        const ch__pjrt_param *q = &p->sig.in[i % p->sig.n_in];
        if (!run_donates(s, call, q, i % p->sig.n_in) || (worked && q->alias >= 0)) continue;
        if (ch__pjrt_is_deleted(s, in[i]->handle)) continue;
        pthread_mutex_lock(&s->lock);
        int state = in[i]->closed ? CH__BUFFER_CLOSED : CH__BUFFER_OPEN; // closed meanwhile
        atomic_store_explicit(&in[i]->state, state, memory_order_relaxed);
        pthread_mutex_unlock(&s->lock);
    }
}

// ---------------------------------------------------------------- one run on buffers
static ch_status run_wrap(ch_session *s, ch__pjrt_program *p, int n_out, ch_buffer **out) {
    ch_status st = CH_OK;
    for (int i = 0; i < n_out; i++) {
        const ch__pjrt_param *q = &p->sig.out[i % p->sig.n_out];
        int64_t dims[16];
        int rank = q->rank;
        memcpy(dims, q->dims, sizeof dims);
        if (st == CH_OK && p->n_partitions > 1) st = ch__pjrt_dims(s, p->out[i], &rank, dims);
        if (st == CH_OK)
            st = ch__buffer_wrap(s, p->out[i], i / p->sig.n_out, q->dtype, rank, dims, &out[i]);
        else
            ch__buffer_handle_destroy(s, p->out[i]);
        if (st != CH_OK) out[i] = NULL;
    }
    for (int i = 0; st != CH_OK && i < n_out; i++) {
        ch_buffer_release(out[i]);
        out[i] = NULL;
    }
    return st;
}

static ch_status run_program(ch_session *s, ch__pjrt_program *p, const ch_session_call *call, int n_in,
                             ch_buffer *const *in, int n_out, ch_buffer **out) {
    bool donates = false;
    for (int i = 0; i < p->sig.n_in; i++) donates = donates || run_donates(s, call, &p->sig.in[i], i);
    if (donates) CH_TRY(run_mark(s, p, call, n_in, in));
    int64_t few[32], *keep = few;
    int n_keep = 0;
    if (p->sig.n_in > 32) keep = ch__alloc((size_t)p->sig.n_in * sizeof *keep);
    if (keep == NULL) {
        if (donates) run_unmark(s, p, call, n_in, in, false);
        return ch__fail_oom("a run");
    }
    for (int i = 0; i < p->sig.n_in; i++)
        if ((p->sig.in[i].alias >= 0 || p->sig.in[i].donor) && run_keeps(s, call, i)) keep[n_keep++] = i;
    pthread_mutex_lock(&p->running);
    for (int i = 0; i < n_in; i++) p->in[i] = in[i]->handle;
    ch_status st = ch__pjrt_execute(s, p, keep, n_keep);
    bool worked = st == CH_OK;
    ch__error_copy error;
    if (!worked) ch__error_save(&error);
    if (donates) run_unmark(s, p, call, n_in, in, worked);
    if (worked) st = run_wrap(s, p, n_out, out);
    pthread_mutex_unlock(&p->running);
    if (keep != few) ch__free(keep);
    return worked ? st : ch__error_publish(&error);
}

// The last of a call on the session, which it ends.
static ch_status run_on_buffers(ch_session *s, ch__pjrt_program *p, const ch_session_call *call, int n_in,
                                ch_buffer *const *in, int n_out, ch_buffer **out) {
    ch_status used = ch__buffers_use(s, "session run", n_in, in);
    if (used != CH_OK) {
        ch__session_leave(s);
        return used;
    }
    ch_status st = run_check(p, n_in, in, n_out);
    if (st == CH_OK) st = run_check_keep(p, call);
    if (st == CH_OK) st = run_program(s, p, call, n_in, in, n_out, out);
    ch__buffers_done(s, n_in, in, true);
    return st;
}

ch_status ch__pjrt_check_args(const char *who, const ch_session *s, const void *what, int n_in, const void *in,
                              int n_out, const void *out) {
    if (s == NULL || what == NULL)
        return ch__fail(CH__E_argument, "%s: %s is NULL", who, s == NULL ? "the session" : "the program");
    if (n_in < 0 || n_out < 0 || (n_in > 0 && in == NULL) || (n_out > 0 && out == NULL))
        return ch__fail(CH__E_argument, "%s: %d inputs and room for %d results — give both", who, n_in, n_out);
    return CH_OK;
}

// A text says itself what it aliases.
static ch_status run_check_text(const ch_session_call *call) {
    if (call->aliases == NULL) return CH_OK;
    return ch__fail(CH__E_argument, "session run: aliases are given with a text — they are of a func; a text says them "
                                    "itself, by tf.aliasing_output");
}

// The program that a key names, when it may be taken without looking at the text.
static ch__pjrt_program *run_by_key(ch_session *s, const ch_session_call *call) {
    return call->key == NULL || ch__env_flag("CHAAC_CHECK") ? NULL : ch__pjrt_find_key(s, call->key);
}

ch_status ch_session_run_text_with(ch_session *s, const ch_session_call *given, const char *text, int n_in,
                                   ch_buffer *const *in, int n_out, ch_buffer **out) {
    ch_session_call call;
    CH_TRY(ch__pjrt_check_args("session run", s, text, n_in, in, n_out, out));
    CH_TRY(run_check_call(given, &call));
    CH_TRY(run_check_text(&call));
    CH_TRY(ch__session_enter(s, "session run"));
    ch__pjrt_program *p = run_by_key(s, &call);
    ch_status st = p != NULL ? CH_OK : ch__pjrt_compile(s, text, strlen(text), &call, &p);
    if (st == CH_OK) return run_on_buffers(s, p, &call, n_in, in, n_out, out);
    ch__session_leave(s);
    return st;
}

ch_status ch_session_run_text(ch_session *s, const char *text, int n_in, ch_buffer *const *in, int n_out,
                              ch_buffer **out) {
    return ch_session_run_text_with(s, NULL, text, n_in, in, n_out, out);
}

ch_status ch_session_prepare_text(ch_session *s, const ch_session_call *given, const char *text) {
    ch_session_call call;
    CH_TRY(ch__pjrt_check_args("session prepare", s, text, 0, NULL, 0, NULL));
    CH_TRY(run_check_call(given, &call));
    CH_TRY(run_check_text(&call));
    CH_TRY(ch__session_enter(s, "session prepare"));
    ch__pjrt_program *p;
    ch_status st = ch__pjrt_compile(s, text, strlen(text), &call, &p);
    ch__session_leave(s);
    return st;
}

// ---------------------------------------------------------------- funcs
// Values of the symbolic sizes of f from the sizes of what is given: each must come as a dim of its own somewhere.
ch_status ch__pjrt_sizes(const ch_func *f, int n_in, int (*dims_of)(const void *in, int i, int64_t *dims),
                         const void *in, int *out_n, const char **names, int64_t *values) {
    int n = 0;
    while (ch_func_size_name(f, n) != NULL) n++;
    *out_n = n;
    if (n == 0) return CH_OK;
    if (n > CH__PJRT_SIZES)
        return ch__fail(CH__E_limit, "session run: @%s has %d sizes — up to %d", ch_func_name(f), n, CH__PJRT_SIZES);
    for (int k = 0; k < n; k++) {
        names[k] = ch_func_size_name(f, k);
        values[k] = -1;
    }
    for (int i = 0; i < n_in; i++) {
        int64_t dims[16];
        int rank = dims_of(in, i, dims);
        const ch__type *t = f->body->params[i]->type;
        const char *name;
        for (int d = 0; d < t->rank && d < rank; d++)
            for (int k = 0; k < n && ch__dim_is_symbol(t->dims[d], &name); k++)
                if (values[k] < 0 && strcmp(names[k], name) == 0) values[k] = dims[d];
    }
    for (int k = 0; k < n; k++)
        if (values[k] < 0)
            return ch__fail(CH__E_dims_undecided,
                            "session run: size %s of @%s is in no param by itself — compile ahead with "
                            "ch_session_prepare and a key",
                            names[k], ch_func_name(f));
    return CH_OK;
}

static int run_buffer_dims(const void *in, int i, int64_t *dims) {
    ch_buffer *const *b = in;
    if (b[i] == NULL) return 0;
    memcpy(dims, b[i]->dims, (size_t)b[i]->rank * sizeof *dims);
    return b[i]->rank;
}

// f with these sizes as a program. What is donated is what the call's aliases name.
ch_status ch__pjrt_compile_func(ch_session *s, const ch_func *f, const ch_session_call *call, int n_sizes,
                                const char *const *names, const int64_t *values, ch__pjrt_program **out_program) {
    int n_in = ch_func_num_params(f);
    int *aliases = ch__alloc(((size_t)n_in + 1) * sizeof *aliases);
    if (aliases == NULL) return ch__fail_oom("a program");
    for (int i = 0; i < n_in; i++) aliases[i] = call == NULL || call->aliases == NULL ? -1 : call->aliases[i];
    ch_hlo_options o = {
        .struct_size = sizeof o, .n_sizes = n_sizes, .size_names = names, .size_values = values, .aliases = aliases};
    char *text = NULL;
    ch_status st = ch__pjrt_emit(s, f, &o, &text); // and looks at the aliases
    ch__free(aliases);
    if (st != CH_OK) return st;
    st = ch__pjrt_compile(s, text, strlen(text), call, out_program);
    ch_string_free(text);
    return st;
}

ch_status ch__pjrt_func_program(ch_session *s, const ch_func *f, const ch_session_call *call, int n_in,
                                int (*dims_of)(const void *in, int i, int64_t *dims), const void *in,
                                ch__pjrt_program **out_program) {
    const char *names[CH__PJRT_SIZES];
    int64_t values[CH__PJRT_SIZES];
    int n = 0;
    *out_program = run_by_key(s, call);
    if (*out_program != NULL) return CH_OK;
    CH_TRY(ch__pjrt_sizes(f, n_in, dims_of, in, &n, names, values));
    return ch__pjrt_compile_func(s, f, call, n, names, values, out_program);
}

ch_status ch__pjrt_check_arity(const ch_func *f, int n_in, int n_out) {
    if (n_in == ch_func_num_params(f) && n_out == ch_func_num_results(f)) return CH_OK;
    return ch__fail(CH__E_arity, "session run: %d inputs and room for %d results given — @%s takes %d and gives %d",
                    n_in, n_out, ch_func_name(f), ch_func_num_params(f), ch_func_num_results(f));
}

ch_status ch_session_run_buffers_with(ch_session *s, const ch_session_call *given, const ch_func *f, int n_in,
                                      ch_buffer *const *in, int n_out, ch_buffer **out) {
    ch_session_call call;
    CH_TRY(ch__pjrt_check_args("session run", s, f, n_in, in, n_out, out));
    CH_TRY(run_check_call(given, &call));
    CH_TRY(ch__pjrt_check_arity(f, n_in, n_out));
    CH_TRY(ch__session_enter(s, "session run"));
    ch__pjrt_program *p = NULL;
    ch_status st = ch__buffers_use(s, "session run", n_in, in); // their sizes are looked at
    if (st != CH_OK) {
        ch__session_leave(s);
        return st;
    }
    st = ch__pjrt_func_program(s, f, &call, n_in, run_buffer_dims, in, &p);
    if (st == CH_OK) st = run_check(p, n_in, in, n_out);
    if (st == CH_OK) st = run_check_keep(p, &call);
    if (st == CH_OK) st = run_program(s, p, &call, n_in, in, n_out, out);
    ch__buffers_done(s, n_in, in, true);
    return st;
}

ch_status ch_session_run_buffers(ch_session *s, const ch_func *f, int n_in, ch_buffer *const *in, int n_out,
                                 ch_buffer **out) {
    return ch_session_run_buffers_with(s, NULL, f, n_in, in, n_out, out);
}

ch_status ch_session_prepare(ch_session *s, const ch_session_call *given, const ch_func *f, int n_sizes,
                             const char *const *names, const int64_t *values) {
    ch_session_call call;
    CH_TRY(ch__pjrt_check_args("session prepare", s, f, 0, NULL, 0, NULL));
    CH_TRY(run_check_call(given, &call));
    if (n_sizes < 0 || (n_sizes > 0 && (names == NULL || values == NULL)))
        return ch__fail(CH__E_argument, "session prepare: n_sizes is %d without names and values", n_sizes);
    for (int i = 0; i < n_sizes; i++)
        if (names[i] == NULL) return ch__fail(CH__E_argument, "session prepare: the name of size %d is NULL", i);
    CH_TRY(ch__session_enter(s, "session prepare"));
    ch__pjrt_program *p;
    ch_status st = ch__pjrt_compile_func(s, f, &call, n_sizes, names, values, &p);
    ch__session_leave(s);
    return st;
}
