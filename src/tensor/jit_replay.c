// SPDX-License-Identifier: Apache-2.0
// jit_replay.c - a call of a program: pointers are filled in, the engine runs, new values go to their tensors.
//
// Everything that can fail comes before the engine starts, so a refused call changes nothing. Memory of
// results: that of
// the result of the call before when nobody else has it; when this call reads it (a result fed back), memory that was
// set aside, and then the old one is set aside. So two pieces of memory go round and nothing is allocated. State is
// written where it lies unless something shares its memory or waits to read its old value.

#include "tensor/jit.h"

#include <string.h>

// ---- what lies where
typedef struct {
    const char *begin, *end;
} jit_extent;

static jit_extent jit_extent_of(const ch_tensor *t) {
    int64_t low = 0, high = 0;
    for (int i = 0; i < t->type.rank; i++) {
        if (t->type.dims[i].val == 0) return (jit_extent){NULL, NULL};
        if (t->strides == NULL) continue;
        int64_t far = (t->type.dims[i].val - 1) * t->strides[i];
        *(far < 0 ? &low : &high) += far;
    }
    const char *first = ch__tensor_data(t);
    int64_t size = (int64_t)ch_dtype_size(t->type.dtype);
    if (t->strides == NULL) return (jit_extent){first, first + ch__type_bytes(&t->type)};
    return (jit_extent){first + low * size, first + (high + 1) * size};
}

static bool jit_share(const ch_tensor *x, const ch_tensor *y) {
    if (x->storage != y->storage) return false;
    if (x == y) return ch__type_bytes(&x->type) > 0;
    jit_extent a = jit_extent_of(x), b = jit_extent_of(y);
    return a.begin < b.end && b.begin < a.end;
}

// Are all storages different? Then nothing can share elements, which is nearly always so. An open table of addresses
// makes it one look a tensor; few are compared with each other.
static bool all_different(ch_tensor *const *a, int n_a, ch_tensor *const *b, int n_b) {
    enum { FEW = 6, ROOM = 512 };
    int n = n_a + n_b;
    if (n <= FEW) {
        for (int i = 1; i < n; i++)
            for (int k = 0; k < i; k++)
                if ((i < n_a ? a[i] : b[i - n_a])->storage == (k < n_a ? a[k] : b[k - n_a])->storage) return false;
        return true;
    }
    if (n > ROOM / 2) return false;
    const ch__storage *table[ROOM];
    unsigned mask = 15;
    while (mask < 2 * (unsigned)n) mask = 2 * mask + 1;
    memset(table, 0, (mask + 1) * sizeof *table);
    for (int i = 0; i < n; i++) {
        const ch__storage *s = (i < n_a ? a[i] : b[i - n_a])->storage;
        unsigned at = (unsigned)((uintptr_t)s >> 5) * 2654435769u >> 7 & mask;
        for (; table[at] != NULL; at = (at + 1) & mask)
            if (table[at] == s) return false;
        table[at] = s;
    }
    return true;
}

static ch_status check_apart(const ch_jit *j, int n_in, ch_tensor *const *in) {
    for (int i = 1; i < n_in; i++)
        for (int k = 0; k < i; k++)
            if (jit_share(in[i], in[k]))
                return ch__jit_fail(j, CH__E_jit_duplicate_input,
                                    "inputs %d and %d %s — each input has to have elements of its own; give a copy", k,
                                    i, in[i] == in[k] ? "are one tensor" : "share elements");
    return CH_OK;
}

ch_status ch__jit_check_apart(const ch_jit *j, int n_in, ch_tensor *const *in) {
    const ch__jit_program *p = j->program;
    for (int i = 0; p != NULL && i < p->n_captured; i++)
        if (p->captured[i]->storage == NULL) CH_TRY(ch__realize_now(1, &p->captured[i]));
    if (p != NULL ? all_different(in, n_in, p->captured, p->n_captured) : all_different(in, n_in, NULL, 0))
        return CH_OK;
    CH_TRY(check_apart(j, n_in, in));
    for (int i = 0; p != NULL && i < p->n_captured; i++) {
        ch_tensor *t = p->captured[i];
        for (int k = 0; k < n_in; k++)
            if (in[k]->storage == t->storage && jit_share(in[k], t))
                return ch__jit_fail(j, CH__E_jit_duplicate_input,
                                    "input %d is also read through a closure (the tensor made at %s) — give a copy of "
                                    "it, or read it in one way only",
                                    k, t->where);
    }
    return CH_OK;
}

// ---- before the run
static ch_status fill_inputs(ch_jit *j, ch_tensor *const *in, const ch_bind *vars) {
    ch__jit_program *p = j->program;
    ch__slot *s = p->slots;
    for (int i = 0; i < p->n_in; i++, s++) {
        s->data = (void *)(uintptr_t)ch__tensor_compact(in[i]);
        s->donated = false;
        if (s->data == NULL) return ch__fail_oom("a view's elements");
        for (int k = 0; j->sizes != NULL && k < s->rank; k++) s->dims[k] = in[i]->type.dims[k].val;
    }
    for (int i = 0; i < p->n_vars; i++, s++) {
        static char nothing;
        s->dims[0] = vars[i].value;
        s->data = &nothing;
    }
    for (int i = 0; i < p->n_draws; i++, s++) {
        ch__jit_draw *d = &p->draws[i];
        if (d->first) ch_rng_save(d->rng, d->before);
        ch__rng_next(d->rng, p->key_words + 2 * i);
        s->data = p->key_words + 2 * i;
    }
    for (int i = 0; i < p->n_captured; i++, s++) {
        s->data = (void *)(uintptr_t)ch__tensor_compact(p->captured[i]);
        s->donated = false;
        if (s->data == NULL) return ch__fail_oom("a view's elements");
    }
    return CH_OK;
}

static void undo_draws(ch__jit_program *p) {
    for (int i = 0; i < p->n_draws; i++)
        if (p->draws[i].first) ch_rng_restore(p->draws[i].rng, p->draws[i].before);
}

static bool jit_unique(const ch_tensor *t) {
    return ch__tensor_refs(t) == 1 && t->kind == CH__T_DATA && t->versions == NULL && t->storage != NULL &&
           ch__tensor_is_whole(t) && !ch__storage_is_borrowed(t->storage) &&
           atomic_load_explicit(&t->storage->refs, memory_order_acquire) == 1;
}

static bool jit_same_type(const ch_tensor *t, const ch__slot *s) {
    if (t->type.dtype != s->dtype || t->type.rank != s->rank) return false;
    for (int i = 0; i < s->rank; i++)
        if (t->type.dims[i].val != s->dims[i]) return false;
    return true;
}

static bool is_read(const ch__jit_program *p, ch_tensor *const *in, const ch__storage *s) {
    for (int k = 0; k < p->n_in; k++)
        if (in[k]->storage == s) return true;
    for (int k = 0; k < p->n_captured; k++)
        if (p->captured[k]->storage == s) return true;
    return false;
}

// Memory for new result k: old's, or what was set aside, or new.
static ch_status place_new(ch_jit *j, ch_tensor *const *in, int k, ch_tensor *old) {
    ch__jit_program *p = j->program;
    ch__slot *s = &p->slots[p->n_in + p->n_vars + p->n_draws + p->n_captured + k];
    size_t bytes = ch__slot_bytes(s);
    if (old != NULL && jit_same_type(old, s) && !is_read(p, in, old->storage))
        p->made[k] = ch__storage_retain(old->storage);
    else if (p->spare[k] != NULL && p->spare[k]->bytes == bytes && !is_read(p, in, p->spare[k]) &&
             atomic_load_explicit(&p->spare[k]->refs, memory_order_acquire) == 1)
        p->made[k] = ch__storage_retain(p->spare[k]);
    else if ((p->made[k] = ch__storage_create(bytes)) == NULL)
        return ch__fail_oom("a jit's result");
    s->data = p->made[k]->data;
    return CH_OK;
}

static ch_status place_outputs(ch_jit *j, ch_tensor *const *in, ch_tensor **out) {
    ch__jit_program *p = j->program;
    const ch__slot *results = p->slots + p->n_in + p->n_vars + p->n_draws + p->n_captured;
    for (int i = 0; i < j->n_out; i++) {
        const ch__jit_out *o = &p->outs[i];
        if (o->kind == CH__JIT_HANDLE) {
            ch_tensor *h = p->returned[o->at];
            if (h->storage == NULL) CH_TRY(ch__realize_now(1, &h));
            continue;
        }
        ch_tensor *old = j->stable ? p->stable[i] : out[i];
        bool mine = old != NULL && old->magic == CH__TENSOR_LIVE && old->kind == CH__T_DATA &&
                    (jit_unique(old) || (j->stable && old->storage != NULL && ch__version_readers(old) == 0 &&
                                         atomic_load_explicit(&old->storage->refs, memory_order_acquire) == 1));
        if (o->kind == CH__JIT_NEW) {
            CH_TRY(place_new(j, in, o->at, mine ? old : NULL));
            if (mine && jit_same_type(old, &results[o->at]))
                continue; // the tensor is taken again, perhaps with new memory
            if (j->stable && old != NULL && jit_same_type(old, &results[o->at])) continue;
        }
        int at = o->kind == CH__JIT_SAME ? p->outs[o->at].at : o->at;
        p->fresh[i] = ch__result_tensor("jit", &results[at], ch__storage_retain(p->made[at]));
        if (p->fresh[i] == NULL) return ch__fail_oom("a jit's result");
    }
    return CH_OK;
}

static ch_tensor *state_tensor(const ch__jit_program *p, int k, ch_tensor *const *in) {
    return p->states[k].handle != NULL ? p->states[k].handle : in[p->states[k].input];
}

static ch_status place_states(ch_jit *j, ch_tensor *const *in) {
    ch__jit_program *p = j->program;
    ch__slot *results = p->slots + p->n_in + p->n_vars + p->n_draws + p->n_captured + p->n_new;
    for (int k = 0; k < p->n_states; k++) {
        ch_tensor *t = state_tensor(p, k, in);
        bool reads = t->storage != NULL && ch__version_readers(t) > 0;
        if (t->storage == NULL && t->kind != CH__T_DATA) CH_TRY(ch__realize_now(1, &t));
        bool in_place = t->storage != NULL && !reads && ch__tensor_is_whole(t) &&
                        !ch__storage_is_borrowed(t->storage) &&
                        atomic_load_explicit(&t->storage->refs, memory_order_acquire) == 1;
        if (in_place) {
            results[k].data = t->storage->data;
            if (p->states[k].param >= 0) p->slots[p->states[k].param].donated = true;
            continue;
        }
        p->made[p->n_new + k] = ch__storage_create(ch__slot_bytes(&results[k]));
        if (p->made[p->n_new + k] == NULL) return ch__fail_oom("a jit's state");
        results[k].data = p->made[p->n_new + k]->data;
        if (reads) CH_TRY(ch__version_prepare(&p->changes[k], t, NULL));
    }
    return CH_OK;
}

// ---- after it
static void lose_state(ch_jit *j, ch_tensor *t) {
    ch__error_copy now, *e = ch__alloc(sizeof *e);
    ch__error_save(&now);
    ch__tensor_drop_storage(t);
    ch__tensor_drop_expression(t);
    if (e != NULL) {
        e->id = CH__E_assign_lost;
        snprintf(
            e->message, sizeof e->message,
            "%s: the run of jit '%s' that assigned to this tensor in place failed — its elements are lost; make it "
            "anew",
            t->where, j->name);
        t->error = e;
        t->kind = CH__T_ERROR;
    }
    ch__error_publish(&now);
}

static void give_states(ch_jit *j, ch_tensor *const *in, bool fine, bool began) {
    ch__jit_program *p = j->program;
    for (int k = 0; k < p->n_states; k++) {
        ch_tensor *t = state_tensor(p, k, in);
        ch__storage *made = p->made[p->n_new + k];
        p->made[p->n_new + k] = NULL;
        bool changes = p->changes[k].x != NULL;
        if (!fine) {
            if (changes) ch__version_abandon(&p->changes[k]);
            if (made == NULL && began) lose_state(j, t);
            ch__storage_release(made);
        } else if (made == NULL) {
            if (t->kind != CH__T_DATA || t->view_of != NULL) ch__tensor_drop_expression(t);
        } else {
            if (changes) {
                ch__version_commit(&p->changes[k], t->where, NULL);
            } else {
                ch__tensor_drop_storage(t);
                ch__tensor_drop_expression(t);
            }
            t->offset = 0;
            t->storage = made;
        }
        p->changes[k] = (ch__change){0};
    }
}

static void give_new(ch__jit_program *p, ch_jit *j, int i, ch_tensor **out) {
    int at = p->outs[i].at;
    ch_tensor *old = j->stable ? p->stable[i] : out[i];
    if (p->fresh[i] == NULL && old->storage != p->made[at]) { // the same tensor with other memory
        ch__storage *was = old->storage;
        old->storage = ch__storage_retain(p->made[at]);
        ch__storage_release(p->spare[at]);
        p->spare[at] = was;
    }
    if (!j->stable) {
        if (p->fresh[i] == NULL) return;
        ch_release(out[i]);
        out[i] = p->fresh[i];
        return;
    }
    if (p->fresh[i] != NULL) {
        ch_release(p->stable[i]);
        p->stable[i] = p->fresh[i];
    }
    ch_tensor *given = ch_keep(p->stable[i]);
    ch_release(out[i]);
    out[i] = given;
}

static void give_outputs(ch_jit *j, ch_tensor **out, bool fine) {
    ch__jit_program *p = j->program;
    for (int i = 0; i < j->n_out; i++) {
        if (!fine) {
            ch_release(p->fresh[i]);
        } else if (p->outs[i].kind == CH__JIT_NEW) {
            give_new(p, j, i, out);
        } else {
            ch_tensor *given = p->outs[i].kind == CH__JIT_HANDLE ? ch_keep(p->returned[p->outs[i].at]) : p->fresh[i];
            ch_release(out[i]);
            out[i] = given;
        }
        p->fresh[i] = NULL;
    }
    for (int k = 0; k < p->n_new; k++) {
        if (p->spare[k] != NULL && p->made[k] == p->spare[k]) { // a tensor has it now
            ch__storage_release(p->spare[k]);
            p->spare[k] = NULL;
        }
        ch__storage_release(p->made[k]);
        p->made[k] = NULL;
    }
}

ch_status ch__jit_replay(ch_jit *j, ch_tensor *const *in, const ch_bind *vars, ch_tensor **out) {
    ch__jit_program *p = j->program;
    int n_params = p->n_in + p->n_vars + p->n_draws + p->n_captured, n_results = p->n_new + p->n_states;
    ch__slot *results = p->slots + n_params;
    ch_status s = fill_inputs(j, in, vars);
    if (s == CH_OK && !p->fixed)
        s = p->exec->engine->result_types(p->exec->code, n_params, p->slots, n_results, results);
    if (s == CH_OK) s = place_outputs(j, in, out);
    if (s == CH_OK) s = place_states(j, in);
    const volatile int *cancel = ch__realize_cancel();
    if (s == CH_OK && cancel != NULL && *cancel) s = ch__fail(CH__E_cancelled, "cancelled by the caller");
    bool began = s == CH_OK;
    p->limits.cancel = cancel;
    if (s == CH_OK) s = p->exec->engine->run(p->exec->code, &p->limits, n_params, p->slots, n_results, results);
    if (s != CH_OK) undo_draws(p);
    give_states(j, in, s == CH_OK, began);
    give_outputs(j, out, s == CH_OK);
    return s == CH_OK ? s : ch__jit_prefix(j, s);
}
