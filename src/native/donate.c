// SPDX-License-Identifier: Apache-2.0
// donate.c - results that take the memory of donated inputs.
//
// Kernels are given their arrays as restrict pointers, so a result may lie in an input's memory only where the code was
// made for that: there the param is an inout param, written over element by element where nothing reads it later. A
// func says so itself; whether an input is donated is said at each run. So the first run with a set of donated inputs
// makes code once more, of the func with those params tied to results, and later runs with that set find it.
//
// Which result takes which param's memory: one of its type. The result that is computed from the param element by
// element comes first (a weight and the new weight); else the first that is free. The text is printed to see: where the
// printer makes a result elsewhere and copies it, nothing is gained, and the next result is tried, or none.
#include <string.h>

#include "native/native.h"

extern const ch__engine ch__engine_native;

struct ch__native_donation {
    ch__native_donation *next;
    unsigned char *asked; // for each param: donated, for each result: has no memory yet. NULL: made for `tied` alone
    int *tied;            // for each result: the param whose memory it takes, or -1
    bool any;             // some result does
    ch_func *func;        // with these params inout; NULL: they cannot be, or nothing is gained
    void *code;
};

enum { MAX_DONATIONS = 16, MOST_PRINTS = 6 };

// ---------------------------------------------------------------- which result takes which param's memory
typedef struct {
    ch__arena *arena;
    const ch_func *f;
    int n_in, n_out;
    bool *fits; // [param * n_out + result]
    int *tied;  // of each result
} ties;

static bool is_tied_by_func(const ch_func *f, int result) {
    for (int i = 0; f->inout != NULL && i < f->body->n_params; i++)
        if (f->inout[i] == result) return true;
    return false;
}

static bool may_tie(const ch_func *f, const unsigned char *asked, int param, int result) {
    const ch__type *p = f->body->params[param]->type, *r = f->body->results[result]->type;
    if (!asked[param] || !asked[f->body->n_params + result] || p->rank == 0 || p->tape || r->tape) return false;
    if ((f->inout != NULL && f->inout[param] >= 0) || is_tied_by_func(f, result)) return false;
    return p->dtype == r->dtype && ch__type_same_shape(p, r);
}

static bool is_taken(const ties *t, int param) {
    for (int i = 0; i < t->n_out; i++)
        if (t->tied[i] == param) return true;
    return false;
}

// The param that result i is computed from at the same index, by operations that keep the shape, or -1.
static int param_behind(const ties *t, int i) {
    const ch__type *whole = t->f->body->results[i]->type;
    CH_VEC(const ch__value *) left = {0};
    ch__map seen;
    ch__map_init(&seen, t->arena);
    CH_PUSH(t->arena, &left, t->f->body->results[i]);
    while (left.n > 0) {
        const ch__value *v = left.data[--left.n];
        if (ch__map_get(&seen, (uint64_t)(uintptr_t)v) != NULL) continue;
        ch__map_put(&seen, (uint64_t)(uintptr_t)v, (void *)(uintptr_t)v);
        for (int k = 0; v->op == NULL && k < t->n_in; k++)
            if (v == t->f->body->params[k] && t->fits[k * t->n_out + i] && !is_taken(t, k)) return k;
        for (int j = v->op == NULL ? 0 : v->op->n_operands; j-- > 0;)
            if (v->op->operands[j]->type->rank > 0 && ch__type_same_shape(v->op->operands[j]->type, whole))
                CH_PUSH(t->arena, &left, v->op->operands[j]);
    }
    return -1;
}

static void tie_first_free(ties *t, int param) {
    for (int i = 0; i < t->n_out; i++) {
        if (t->tied[i] >= 0 || !t->fits[param * t->n_out + i]) continue;
        t->tied[i] = param;
        return;
    }
}

static ch_func *func_with(const ch_func *f, int n_out, const int *tied) {
    ch_func *g = ch__func_clone(f);
    int n_in = g->body->n_params;
    if (g->inout == NULL) {
        g->inout = CH_NEW_ARRAY(g->module->arena, int32_t, n_in + 1);
        for (int i = 0; i < n_in; i++) g->inout[i] = -1;
    }
    for (int i = 0; i < n_out; i++)
        if (tied[i] >= 0) g->inout[tied[i]] = i;
    g->owns_module = true;
    return g;
}

// False: the printer puts every tied result where it is made.
static bool untie_copied(ties *t, ch_func *f) {
    ch__text text;
    ch__c_native c = {.data_arena = t->arena};
    ch__text_init(&text, t->arena);
    ch__native_source(&text, f, &c);
    CH_VEC(int) again = {0};
    for (int i = 0; i < t->n_out; i++) {
        if (t->tied[i] < 0 || c.copied == NULL || !c.copied[i]) continue;
        t->fits[t->tied[i] * t->n_out + i] = false;
        CH_PUSH(t->arena, &again, t->tied[i]);
        t->tied[i] = -1;
    }
    for (int64_t k = 0; k < again.n; k++) tie_first_free(t, again.data[k]);
    return again.n > 0;
}

struct choose_args {
    const ch_func *f;
    const unsigned char *asked; // NULL: tied is what it shall be
    int *tied;
    ch_func *func; // out
};

static bool has_any(const ties *t) {
    for (int i = 0; i < t->n_out; i++)
        if (t->tied[i] >= 0) return true;
    return false;
}

static void choose_ties(void *arg) {
    struct choose_args *p = arg;
    ties t = {.arena = ch__arena_create(),
              .f = p->f,
              .n_in = p->f->body->n_params,
              .n_out = p->f->body->n_results,
              .tied = p->tied};
    t.fits = CH_NEW_ARRAY(t.arena, bool, (size_t)t.n_in *(size_t)t.n_out + 1);
    for (int k = 0; k < t.n_in; k++)
        for (int i = 0; i < t.n_out; i++) t.fits[k * t.n_out + i] = p->asked != NULL && may_tie(t.f, p->asked, k, i);
    for (int i = 0; p->asked != NULL && i < t.n_out; i++) t.tied[i] = param_behind(&t, i);
    for (int k = 0; p->asked != NULL && k < t.n_in; k++)
        if (!is_taken(&t, k)) tie_first_free(&t, k);
    for (int turn = 0; has_any(&t); turn++) {
        p->func = func_with(t.f, t.n_out, t.tied);
        if (p->asked == NULL || !untie_copied(&t, p->func)) break;
        ch_func_destroy(p->func);
        p->func = NULL;
        for (int i = 0; turn == MOST_PRINTS && i < t.n_out; i++) t.tied[i] = -1;
    }
    if (p->func != NULL) ch__arena_keep(p->func->module->arena);
    ch__arena_destroy(t.arena);
}

// ---------------------------------------------------------------- sets of donated inputs
static void drop_donation(ch__native_donation *n) {
    if (n->code != NULL) ch__engine_native.destroy(n->code);
    ch_func_destroy(n->func);
    ch__free(n);
}

static ch__native_donation *new_donation(int n_in, int n_out) {
    ch__native_donation *n =
        ch__calloc(1, sizeof *n + ((size_t)n_out + 1) * sizeof(int) + (size_t)n_in + (size_t)n_out);
    if (n == NULL) return NULL;
    n->tied = (int *)(void *)(n + 1);
    n->asked = (unsigned char *)(n->tied + n_out + 1);
    return n;
}

// Its code, compiled before it runs: without it, the code that there is runs as well. What cannot be made is kept too,
// so that it is not tried at every run; but for a compiler that was cancelled, or want of memory, which may pass.
static bool make_donation(ch__native_donation *n, const ch_func *f, bool forced) {
    struct choose_args p = {.f = f, .asked = forced ? NULL : n->asked, .tied = n->tied};
    if (ch__protect(choose_ties, &p) != CH_OK) return false;
    n->func = p.func;
    if (n->func == NULL) return true;
    bool first = ch__compile_is_first();
    ch__compile_first(true);
    ch_status s = ch__engine_native.compile(n->func, &n->code);
    ch__compile_first(first);
    n->any = s == CH_OK;
    return s != CH_CANCELLED && s != CH_RESOURCE_EXHAUSTED;
}

// d is locked.
static ch__native_donation *keep_donation(ch__native_donations *d, ch__native_donation *n, const ch_func *f,
                                          bool forced) {
    ch__error_copy before;
    ch__error_save(&before);
    bool keep = make_donation(n, f, forced);
    ch__error_publish(&before);
    if (!keep) {
        drop_donation(n);
        return NULL;
    }
    n->next = d->first;
    d->first = n;
    d->n++;
    return n;
}

void ch__native_donations_init(ch__native_donations *d) {
    *d = (ch__native_donations){0};
    pthread_mutex_init(&d->lock, NULL);
}

void ch__native_donations_end(ch__native_donations *d) {
    for (ch__native_donation *n = d->first, *next; n != NULL; n = next) {
        next = n->next;
        drop_donation(n);
    }
    pthread_mutex_destroy(&d->lock);
}

void ch__native_donations_trim(ch__native_donations *d) {
    pthread_mutex_lock(&d->lock);
    for (ch__native_donation *n = d->first; n != NULL; n = n->next)
        if (n->code != NULL) ch__engine_native.trim(n->code);
    pthread_mutex_unlock(&d->lock);
}

size_t ch__native_donations_kept(ch__native_donations *d) {
    size_t bytes = 0;
    pthread_mutex_lock(&d->lock);
    for (ch__native_donation *n = d->first; n != NULL; n = n->next)
        if (n->code != NULL) bytes += ch__engine_native.kept(n->code);
    pthread_mutex_unlock(&d->lock);
    return bytes;
}

// ---------------------------------------------------------------- a run
void ch__native_donate(ch__native_donations *d, const ch_func *f, const ch__slot *in, const bool *has_memory,
                       int *tied) {
    int n_in = f->body->n_params, n_out = f->body->n_results;
    bool pair = false;
    for (int i = 0; i < n_out; i++) tied[i] = -1;
    ch__native_donation *n = new_donation(n_in, n_out), *found;
    if (n == NULL) return; // results have memory of their own
    for (int i = 0; i < n_in; i++) n->asked[i] = in[i].donated && in[i].data != NULL;
    for (int i = 0; i < n_out; i++) n->asked[n_in + i] = !has_memory[i];
    for (int k = 0; k < n_in; k++)
        for (int i = 0; n->asked[k] && !pair && i < n_out; i++) pair = may_tie(f, n->asked, k, i);
    pthread_mutex_lock(&d->lock);
    for (found = d->first; pair && found != NULL; found = found->next)
        if (found->asked != NULL && memcmp(found->asked, n->asked, (size_t)n_in + (size_t)n_out) == 0) break;
    if (pair && found == NULL && d->n < MAX_DONATIONS) {
        found = keep_donation(d, n, f, false);
        n = NULL;
    }
    if (pair && found != NULL && found->any) memcpy(tied, found->tied, (size_t)n_out * sizeof *tied);
    pthread_mutex_unlock(&d->lock);
    ch__free(n);
    for (int k = 0; f->inout != NULL && k < n_in; k++) // what the func updates in place itself
        if (f->inout[k] >= 0 && in[k].donated && in[k].data != NULL && !has_memory[f->inout[k]]) tied[f->inout[k]] = k;
}

// The donated input that lies where result i shall lie, but for what the func ties itself, or -1.
static int input_of(const ch_func *f, const ch__slot *in, const ch__slot *out, int i) {
    for (int k = 0; k < f->body->n_params; k++)
        if (in[k].donated && in[k].data != NULL && in[k].data == out[i].data &&
            (f->inout == NULL || f->inout[k] != i) && ch__slot_bytes(&in[k]) > 0)
            return k;
    return -1;
}

void *ch__native_donated(ch__native_donations *d, const ch_func *f, const ch__slot *in, const ch__slot *out) {
    int n_in = f->body->n_params, n_out = f->body->n_results;
    bool any = false;
    for (int k = 0; k < n_in; k++) any = any || in[k].donated;
    if (!any) return NULL; // nearly all runs
    any = false;
    for (int i = 0; i < n_out; i++) any = any || input_of(f, in, out, i) >= 0;
    if (!any) return NULL;
    ch__native_donation *n = new_donation(n_in, n_out), *found;
    if (n == NULL) return NULL;
    memset(n->asked, 1, (size_t)n_in + (size_t)n_out);
    bool fits = true;
    for (int i = 0; i < n_out; i++) {
        n->tied[i] = input_of(f, in, out, i);
        fits = fits && (n->tied[i] < 0 || may_tie(f, n->asked, n->tied[i], i));
    }
    n->asked = NULL;
    pthread_mutex_lock(&d->lock);
    for (found = d->first; fits && found != NULL; found = found->next)
        if (memcmp(found->tied, n->tied, (size_t)n_out * sizeof(int)) == 0) break;
    if (fits && found == NULL && d->n < MAX_DONATIONS) {
        found = keep_donation(d, n, f, true);
        n = NULL;
    }
    void *code = fits && found != NULL && found->any ? found->code : NULL;
    pthread_mutex_unlock(&d->lock);
    ch__free(n);
    return code;
}
