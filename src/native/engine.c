// SPDX-License-Identifier: Apache-2.0
// engine.c - the native engine: a func as compiled C, and the interpreter beside it for what the C does not say.
//
// The interpreter's program answers for the border: it binds sizes, checks shapes and writes the sentences of refused
// calls. What it found for one set of input shapes is kept as a plan, so that a call like an earlier one compares
// shapes and jumps. Code that notices something wrong on the way (an index out of range, a step of 0) stops, and the
// interpreter runs the call again to say what it was, with its own words and lines.
#include "native/native.h"

#include <stdatomic.h>
#include <string.h>

extern const ch__engine ch__engine_native;

// The shapes of one call's inputs (flat: all dims, input after input) and what follows from them.
typedef struct plan {
    struct plan *next;
    int64_t *in_dims, *sizes;
    ch__slot *out; // dtype, rank, dims
    size_t *in_bytes, *out_bytes;
    int64_t *at;         // where each array of the arena begins
    int64_t arena_bytes; // of all of them
} plan;

enum { MAX_PLANS = 256 };
enum { TIER_COMPILING, TIER_CODE, TIER_INTERP }; // what runs: until the code is there, and without it, the interpreter

typedef struct {
    ch__arena *arena, *text_arena; // text_arena: while code is made
    const ch_func *func;
    ch__program *program;
    ch__native_library library; // once tier is TIER_CODE
    atomic_int tier;
    ch__native_later *later;          // makes the code; NULL: it was there at once
    int n_in, n_out, n_sizes, n_dims; // n_dims: of all inputs together
    int *tied;                        // for each result the input that it is the new value of, or -1
    _Atomic(plan *) plans;
    atomic_int n_plans;
    ch__arena *made_arena; // what was printed, where it is read after the text is gone
    ch__text text;
    ch_func *printed;          // the func as the thread prints it, in a module of its own; NULL: func
    ch__native_record *record; // it is timed; NULL: it is not
    ch__c_native c;            // what was printed
    ch__native_memory memory;  // where it is looked for before
    _Atomic(char *) spare;     // an arena nobody uses now, its bytes in the first 8
    ch__native_donations donations;
} native_code;

// ---------------------------------------------------------------- compile
struct native_args {
    const ch_func *func;
    native_code *code;
};

static void prepare_native(void *arg) {
    struct native_args *p = arg;
    native_code *c = p->code;
    c->func = p->func;
    c->arena = ch__arena_create();
    c->program = ch__interp_prepare(c->arena, p->func);
    c->n_in = p->func->body->n_params;
    c->n_out = p->func->body->n_results;
    c->n_sizes = (int)p->func->dims.n;
    for (int i = 0; i < c->n_in; i++) c->n_dims += p->func->body->params[i]->type->rank;
    c->tied = CH_NEW_ARRAY(c->arena, int, c->n_out > 0 ? c->n_out : 1);
    for (int i = 0; i < c->n_out; i++) c->tied[i] = -1;
    for (int i = c->n_in - 1; p->func->inout != NULL && i >= 0; i--)
        if (p->func->inout[i] >= 0) c->tied[p->func->inout[i]] = i;
    c->c.timed = ch__native_timed();
}

// What is read after the text is gone.
static void keep_costs(native_code *c) {
    if (c->c.costs.n == 0) return;
    ch__c_cost *all = ch__arena_dup(c->made_arena, c->c.costs.data, (size_t)c->c.costs.n * sizeof *all);
    for (int64_t i = 0; i < c->c.costs.n; i++) all[i].label = ch__arena_strdup(c->made_arena, all[i].label);
    c->c.costs.data = all;
}

static void print_native(void *arg) {
    native_code *c = arg;
    c->made_arena = ch__arena_create();
    c->text_arena = ch__arena_create();
    c->c.data_arena = c->made_arena;
    ch__text_init(&c->text, c->text_arena);
    ch__native_source(&c->text, c->printed != NULL ? c->printed : c->func, &c->c);
    c->c.arrays = ch__arena_dup(c->made_arena, c->c.arrays, (size_t)c->c.n_arrays * sizeof *c->c.arrays);
    keep_costs(c);
}

static ch_status make_text(native_code *c) {
    ch_status s = ch__protect(print_native, c);
    if (s != CH_OK) {
        c->text_arena = c->made_arena = NULL; // dropped
        return s;
    }
    ch__arena_keep(c->made_arena);
    ch__arena_keep(c->text_arena);
    return CH_OK;
}

// Code that is on the disk under the func, with no text then; or else the text.
static ch_status recall_or_print(native_code *c) {
    if (!c->c.timed) ch__native_memory_of(c->printed != NULL ? c->printed : c->func, &c->memory);
    if (!ch__native_recall(&c->memory, &c->made_arena, &c->library, &c->c)) return make_text(c);
    c->memory.used = false; // it need not be written again
    return CH_OK;
}

static void drop_text(native_code *c) {
    ch__arena_destroy(c->text_arena);
    c->text_arena = NULL;
    ch_func_destroy(c->printed);
    c->printed = NULL;
}

static void destroy_native(void *made) {
    native_code *c = made;
    ch__native_later_end(c->later);
    ch__native_donations_end(&c->donations);
    for (plan *p = atomic_load(&c->plans), *next; p != NULL; p = next) {
        next = p->next;
        ch__free(p);
    }
    ch__native_unload(&c->library);
    ch__free_aligned(atomic_load(&c->spare));
    drop_text(c);
    ch__arena_destroy(c->made_arena);
    ch__arena_destroy(c->arena);
    ch__free(c);
}

static bool is_ready(native_code *c) { return atomic_load_explicit(&c->tier, memory_order_acquire) == TIER_CODE; }

static const char *tier_native(void *made) { return is_ready(made) ? "native" : "interp"; }

// Its text is there.
static ch_status make_code(native_code *c, const volatile int *cancel) {
    if (c->library.handle == NULL)
        CH_TRY(ch__native_compile(c->func->name, c->text.data, (size_t)c->text.n, cancel, &c->library));
    ch__native_remember(&c->memory, &c->library, &c->c);
    if (!ch__native_give(&c->library, &c->c))
        return ch__fail(CH__E_internal, "native: @%s: the code has no place for its constants", c->func->name);
    if (c->c.timed) c->record = ch__native_record_make(c->func->name, &c->c, &c->library);
    return CH_OK;
}

// By the thread: from the store on every run that begins takes the code.
static void code_is_there(void *arg, const volatile int *cancel) {
    native_code *c = arg;
    ch_status s = c->text_arena != NULL ? CH_OK : recall_or_print(c);
    if (s == CH_OK) s = make_code(c, cancel);
    drop_text(c);
    if (s != CH_OK && s != CH_CANCELLED)
        ch__log(2, "native: @%s stays on the interpreter: %s", c->func->name, ch_error_message());
    atomic_store_explicit(&c->tier, s == CH_OK ? TIER_CODE : TIER_INTERP, memory_order_release);
}

static void clone_printed(void *arg) {
    native_code *c = arg;
    ch_func *f = ch__func_clone(c->func);
    f->owns_module = true;
    ch__arena_keep(f->module->arena);
    c->printed = f;
}

// False: it has to be made here and now. Printing marks what it prints, which runs look at: the thread has its own.
static bool begin_later(native_code *c, bool text_too) {
    if (text_too && ch__protect(clone_printed, c) != CH_OK) return false;
    c->later = ch__native_later_begin(code_is_there, c);
    return c->later != NULL;
}

static ch_status compile_code(native_code *c, const ch_func *f) {
    ch__native_tier tiers = ch__native_tier_of(f, ch__compile_is_first());
    atomic_store(&c->tier, TIER_COMPILING);
    if (tiers == CH__TIERS_TEXT_LATER && begin_later(c, true)) return CH_OK;
    CH_TRY(recall_or_print(c));
    if (tiers == CH__TIERS_CODE_LATER && c->library.handle == NULL &&
        !ch__native_cached(c->text.data, (size_t)c->text.n, &c->library) && begin_later(c, false))
        return CH_OK;
    CH_TRY(make_code(c, ch__compile_token()));
    drop_text(c);
    atomic_store_explicit(&c->tier, TIER_CODE, memory_order_release);
    return CH_OK;
}

static ch_status compile_native(const ch_func *f, void **out_code) {
    native_code *c = ch__calloc(1, sizeof *c);
    if (c == NULL) return ch__fail_oom("an executable");
    struct native_args p = {.func = f, .code = c};
    ch_status s = ch__protect(prepare_native, &p);
    if (s != CH_OK) {
        ch__free(c);
        return s;
    }
    ch__arena_keep(c->arena);
    ch__native_donations_init(&c->donations);
    s = compile_code(c, f);
    if (s != CH_OK) {
        destroy_native(c);
        return s;
    }
    *out_code = c;
    return CH_OK;
}

// ---------------------------------------------------------------- plans
static plan *plan_find(native_code *c, const ch__slot *in, bool same_sizes) {
    plan *p = atomic_load_explicit(&c->plans, memory_order_acquire);
    if (same_sizes) return p;
    while (p != NULL && !ch__interp_same_dims(c->func, p->in_dims, in)) p = p->next;
    return p;
}

// One block of memory: the plan and its tables. The caller frees it unless it was kept.
static ch_status plan_make(native_code *c, const ch__slot *in, plan **out_plan) {
    size_t dims = (size_t)c->n_dims * sizeof(int64_t), sizes = (size_t)c->n_sizes * sizeof(int64_t);
    size_t slots = (size_t)c->n_out * sizeof(ch__slot), bytes = (size_t)c->n_out * sizeof(size_t);
    size_t in_bytes = (size_t)c->n_in * sizeof(size_t);
    size_t places = (size_t)c->c.n_arrays * sizeof(int64_t);
    char *at = ch__calloc(1, sizeof(plan) + slots + dims + sizes + in_bytes + bytes + 2 * places);
    if (at == NULL) return ch__fail_oom("the sizes of a call");
    plan *p = (plan *)(void *)at;
    p->out = (ch__slot *)(void *)(at += sizeof *p);
    p->in_dims = (int64_t *)(void *)(at += slots);
    p->sizes = (int64_t *)(void *)(at += dims);
    p->in_bytes = (size_t *)(void *)(at += sizes);
    p->out_bytes = (size_t *)(void *)(at += in_bytes);
    p->at = (int64_t *)(void *)(at += bytes);
    int64_t *array_bytes = (int64_t *)(void *)(at + places);
    ch_status s = ch__interp_bind(c->program, c->n_in, in, p->sizes, c->n_out, p->out);
    if (s != CH_OK) {
        ch__free(p);
        return s;
    }
    int64_t *d = p->in_dims;
    for (int i = 0; i < c->n_in; i++)
        for (int k = 0; k < in[i].rank; k++) *d++ = in[i].dims[k];
    for (int i = 0; i < c->n_in; i++) p->in_bytes[i] = ch__slot_bytes(&in[i]);
    for (int i = 0; i < c->n_out; i++) p->out_bytes[i] = ch__slot_bytes(&p->out[i]);
    c->library.bytes(p->sizes, array_bytes);
    p->arena_bytes = ch__c_arrange(c->c.n_arrays, c->c.arrays, array_bytes, 64, p->at);
    if (p->arena_bytes < 0) {
        ch__free(p);
        return ch__fail_oom("the values of a run");
    }
    *out_plan = p;
    return CH_OK;
}

static bool plan_keep(native_code *c, plan *p) {
    if (atomic_fetch_add(&c->n_plans, 1) >= MAX_PLANS) {
        atomic_fetch_sub(&c->n_plans, 1);
        return false;
    }
    p->next = atomic_load(&c->plans);
    while (!atomic_compare_exchange_weak_explicit(&c->plans, &p->next, p, memory_order_release, memory_order_relaxed)) {
    }
    return true;
}

// ---------------------------------------------------------------- run
static bool meet(const void *a, size_t na, const void *b, size_t nb) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a != NULL && b != NULL && na > 0 && nb > 0 && x < y + nb && y < x + na;
}

// Can the code write where the caller wants it? Shapes as planned, nothing that overlaps an input or another result.
static bool places_fit(const native_code *c, const plan *p, const ch__slot *in, const ch__slot *out) {
    for (int i = 0; i < c->n_out; i++) {
        if (out[i].data == NULL) continue;
        if (out[i].dtype != p->out[i].dtype || out[i].rank != p->out[i].rank) return false;
        for (int k = 0; k < out[i].rank; k++)
            if (out[i].dims[k] != p->out[i].dims[k]) return false;
        int tied = c->tied[i];
        for (int k = 0; k < c->n_in; k++) {
            if (k == tied && in[k].data == out[i].data) continue;
            if (meet(out[i].data, p->out_bytes[i], in[k].data, p->in_bytes[k])) return false;
        }
        for (int k = 0; k < i; k++)
            if (meet(out[i].data, p->out_bytes[i], out[k].data, p->out_bytes[k])) return false;
    }
    for (int i = 0; i < c->n_in; i++)
        if (in[i].data == NULL && p->in_bytes[i] > 0) return false;
    return true;
}

// ---------------------------------------------------------------- the arena
// 64 bytes before an arena hold its size. One that is large enough and not in use is taken, else a new one is made.
static char *arena_take(native_code *c, int64_t bytes) {
    char *a = atomic_exchange(&c->spare, NULL);
    int64_t has = 0;
    if (a != NULL) memcpy(&has, a, sizeof has);
    if (a == NULL || has < bytes) {
        ch__free_aligned(a);
        if (bytes > INT64_MAX - 128 || (a = ch__alloc_aligned((size_t)bytes + 64, 64)) == NULL) return NULL;
        memcpy(a, &bytes, sizeof bytes);
    }
#ifdef CH_ASAN
    memset(a + 64, 0xff, (size_t)bytes); // NaN: what is read before it is written shows in the results
#endif
    return a + 64;
}

static void arena_give_back(native_code *c, char *arena) {
    char *before = atomic_exchange(&c->spare, arena - 64);
    ch__free_aligned(before);
}

enum { FEW = 32 };

static ch_status call_native(native_code *c, const plan *p, const ch__slot *in, ch__slot *out, void **pointers,
                             int *how) {
    void **ins = pointers, **outs = pointers + c->n_in, **made = outs + c->n_out;
    for (int i = 0; i < c->n_out; i++) made[i] = NULL;
    for (int i = 0; i < c->n_in; i++) ins[i] = in[i].data;
    for (int i = 0; i < c->n_out; i++) {
        outs[i] = out[i].data;
        if (outs[i] == NULL) {
            outs[i] = made[i] = ch__alloc_aligned(p->out_bytes[i] > 0 ? p->out_bytes[i] : 1, 64);
            if (made[i] == NULL) {
                for (int k = 0; k < i; k++) ch__free_aligned(made[k]);
                return ch__fail_oom("the results of a run");
            }
        }
        int tied = c->tied[i];
        if (tied >= 0 && outs[i] != ins[tied] && p->out_bytes[i] > 0) memcpy(outs[i], ins[tied], p->out_bytes[i]);
    }
    static char nothing[64];
    char *arena = p->arena_bytes > 0 ? arena_take(c, p->arena_bytes) : nothing;
    if (arena == NULL) {
        for (int i = 0; i < c->n_out; i++) ch__free_aligned(made[i]);
        return ch__fail_oom("the values of a run");
    }
    ch__fp_state fp = ch__fp_default();
    if (c->record != NULL) ch__native_run_begin(c->record, p->sizes);
    *how = c->library.entry(p->sizes, ins, outs, arena, p->at);
    if (c->record != NULL) ch__native_run_end();
    ch__fp_restore(&fp);
    if (arena != nothing) arena_give_back(c, arena);
    if (*how != 0) {
        for (int i = 0; i < c->n_out; i++) ch__free_aligned(made[i]);
        return *how == CH__NATIVE_NO_MEMORY ? ch__fail_oom("the values of a run") : CH_OK;
    }
    for (int i = 0; i < c->n_out; i++)
        if (made[i] != NULL) {
            out[i] = p->out[i];
            out[i].data = made[i];
        }
    return CH_OK;
}

// The code stopped, and the interpreter says why. Where an input was written over by then, it may find nothing wrong
// any more.
static ch_status refused(native_code *c, const ch__limits *l, const plan *p, int n_in, const ch__slot *in, int n_out,
                         ch__slot *out) {
    bool changed = false, *made = ch__calloc((size_t)n_out + 1, sizeof *made);
    if (made == NULL) return ch__fail_oom("a run");
    for (int i = 0; i < n_out; i++) {
        made[i] = out[i].data == NULL;
        changed = changed || (c->tied[i] >= 0 && out[i].data == in[c->tied[i]].data && p->out_bytes[i] > 0);
    }
    ch_status s = ch__interp_run(c->program, l, n_in, in, n_out, out);
    if (s == CH_OK && changed) {
        for (int i = 0; i < n_out; i++) {
            if (!made[i]) continue;
            ch__free_aligned(out[i].data);
            out[i].data = NULL;
        }
        s = ch__fail(CH__E_assign_lost,
                     "run: @%s stopped at an index or a size that is out of range, after it had written over inputs — "
                     "their elements are lost; on the engine \"interp\" it says where",
                     c->func->name);
    }
    ch__free(made);
    return s;
}

static ch_status run_planned(native_code *c, const ch__limits *l, const plan *p, int n_in, const ch__slot *in,
                             int n_out, ch__slot *out) {
    void *few[FEW], **pointers = few;
    size_t n = (size_t)n_in + 2 * (size_t)n_out;
    if (n > FEW && (pointers = ch__alloc(n * sizeof *pointers)) == NULL) return ch__fail_oom("a run");
    int how = 0;
    const volatile int *cancel = l == NULL ? NULL : l->cancel;
    ch__native_watch(cancel);
    ch_status s = call_native(c, p, in, out, pointers, &how);
    ch__native_watch(NULL);
    if (pointers != few) ch__free(pointers);
    if (how != 0 && cancel != NULL && *cancel)
        return ch__fail(CH__E_cancelled, "run: @%s was cancelled by the caller", c->func->name);
    if (s == CH_OK && how != 0) return refused(c, l, p, n_in, in, n_out, out);
    return s;
}

static ch_status run_native(void *made, const ch__limits *limits, int n_in, const ch__slot *in, int n_out,
                            ch__slot *out) {
    native_code *c = made;
    // Compiled code counts no steps and bytes: a run that is limited is the interpreter's. A cancel flag is looked at
    // where a kernel or a product begins, in each turn of a loop, and now and then in long kernels (share.c).
    if (ch__limits_are_counted(limits) || !is_ready(c)) return ch__interp_run(c->program, limits, n_in, in, n_out, out);
    void *donated = limits != NULL && limits->apart ? NULL : ch__native_donated(&c->donations, c->func, in, out);
    if (donated != NULL) return run_native(donated, limits, n_in, in, n_out, out);
    plan *p = plan_find(c, in, limits != NULL && limits->same_sizes), *own = NULL;
    if (p == NULL) {
        CH_TRY(plan_make(c, in, &p));
        if (!plan_keep(c, p)) own = p;
    }
    bool fits = (limits != NULL && limits->apart) || places_fit(c, p, in, out);
    ch_status s = fits ? run_planned(c, limits, p, n_in, in, n_out, out)
                       : ch__interp_run(c->program, limits, n_in, in, n_out, out);
    ch__free(own);
    return s;
}

static ch_status types_native(void *made, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    native_code *c = made;
    const plan *p = plan_find(c, in, false); // of sizes that there were before
    if (p == NULL) return ch__interp_result_types(c->program, n_in, in, n_out, out);
    memcpy(out, p->out, (size_t)n_out * sizeof *out);
    return CH_OK;
}

static void donate_native(void *made, const ch__slot *in, const bool *has_memory, int *tied) {
    native_code *c = made;
    if (is_ready(c)) ch__native_donate(&c->donations, c->func, in, has_memory, tied);
}

static void trim_native(void *made) {
    native_code *c = made;
    ch__native_donations_trim(&c->donations);
    ch__free_aligned(atomic_exchange(&c->spare, NULL));
}

static size_t kept_native(void *made) {
    native_code *c = made;
    char *a = atomic_exchange(&c->spare, NULL);
    int64_t has = 0;
    if (a != NULL) {
        memcpy(&has, a, sizeof has);
        arena_give_back(c, a + 64);
    }
    return (size_t)has + ch__native_donations_kept(&c->donations);
}

static bool native_ready(void) { return ch__native_compiler() != NULL; }

const ch__engine ch__engine_native = {
    .name = "native",
    .what = "C compiled for this machine by its own compiler, kept on disk",
    .ready = native_ready,
    .compile = compile_native,
    .destroy = destroy_native,
    .run = run_native,
    .donate = donate_native,
    .trim = trim_native,
    .kept = kept_native,
    .result_types = types_native,
    .tier = tier_native,
};
