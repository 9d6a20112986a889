// SPDX-License-Identifier: Apache-2.0
// exec.c - running executables on tensors.

#include "tensor/tensor.h"

#include <string.h>

ch_status ch__compile_watched(const ch_func *f, const char *engine, ch_exec **out_exec) {
    ch__compile_watch(ch__realize_cancel());
    ch_status s = ch__compile(f, engine, out_exec);
    ch__compile_watch(NULL);
    return s;
}

static ch_status compile_by_default(const ch_func *f, ch_exec **out_exec) {
    ch_status s = ch__compile_watched(f, ch_engine_default(), out_exec);
    bool chosen = ch__env("CHAAC_ENGINE") != NULL;
    if (s == CH_OK || chosen || ch__error_current() != CH__E_unsupported) return s;
    return ch__compile_watched(f, "interp", out_exec);
}

ch_status ch_compile(const ch_func *f, const char *engine, const ch_compile_options *options, ch_exec **out_exec) {
    if (f == NULL) return ch__fail(CH__E_argument, "compile: the func is NULL — give a func");
    if (out_exec == NULL) return ch__fail(CH__E_argument, "compile: the place for the executable is NULL — give one");
    if (options != NULL && options->struct_size != sizeof *options)
        return ch__fail(CH__E_argument,
                        "compile: options.struct_size is %zu — set it to sizeof(ch_compile_options), %zu",
                        options->struct_size, sizeof *options);
    ch__compile_first(options != NULL && options->compiled_first != 0);
    ch_status s = engine != NULL ? ch__compile_watched(f, engine, out_exec) : compile_by_default(f, out_exec);
    ch__compile_first(false);
    return s;
}

const char *ch_exec_tier(const ch_exec *e) {
    if (e == NULL) return "";
    return e->engine->tier != NULL ? e->engine->tier(e->code) : e->engine->name;
}

// The last one of the list that can run here, but for those that want to be asked for.
const char *ch_engine_default(void) {
    const char *own = ch__env("CHAAC_ENGINE"), *name = NULL;
    if (own != NULL && *own != '\0') return own;
    for (int i = 0; ch__engine_at(i) != NULL; i++) {
        const ch__engine *e = ch__engine_at(i);
        if (!e->only_by_name && (e->ready == NULL || e->ready())) name = e->name;
    }
    return name;
}

ch_exec *ch_exec_retain(ch_exec *e) {
    if (e != NULL) atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
    return e;
}

void ch_exec_release(ch_exec *e) { ch__exec_release(e); }
const char *ch_engine_name(int i) { return ch__engine_at(i) == NULL ? NULL : ch__engine_at(i)->name; }
const char *ch_engine_what(int i) { return ch__engine_at(i) == NULL ? NULL : ch__engine_at(i)->what; }

int ch_engine_ready(int i) {
    const ch__engine *e = ch__engine_at(i);
    return e != NULL && (e->ready == NULL || e->ready());
}

static ch_status check_out(const ch_exec *e, int i, const ch_tensor *t, const ch__slot *want) {
    bool same = t->type.dtype == want->dtype && t->type.rank == want->rank && t->storage != NULL;
    for (int d = 0; same && d < want->rank; d++)
        same = t->type.dims[d].sym == NULL && t->type.dims[d].val == want->dims[d];
    if (same) return CH_OK;
    char got[256], dims[256] = "";
    ch_tensor_type(t, got, sizeof got);
    for (int d = 0; d < want->rank; d++)
        snprintf(dims + strlen(dims), sizeof dims - strlen(dims), "%s%" PRId64, d > 0 ? "," : "", want->dims[d]);
    return ch__fail(CH__E_read_type,
                    "run: @%s result %d is %s[%s], out[%d] is %s%s — give a realized tensor of the result's type, "
                    "or NULL for a new one",
                    e->func->name, i, ch_dtype_name(want->dtype), dims, i, got,
                    t->storage == NULL ? " without data" : "");
}

static bool overlap(const ch__slot *a, size_t an, const ch__slot *b, size_t bn) {
    const char *p = a->data, *q = b->data;
    return an > 0 && bn > 0 && p < q + bn && q < p + an;
}

// tied[i]: the donated input whose memory result i takes, or -1.
static ch_status ask_engine(ch_exec *e, const ch_run_options *o, const ch__limits *limits, const ch__slot *in,
                            int n_out, ch_tensor *const *out, int *tied) {
    for (int i = 0; i < n_out; i++) tied[i] = -1;
    if (o == NULL || o->donate == NULL || e->engine->donate == NULL || ch__limits_are_counted(limits)) return CH_OK;
    bool *has_memory = ch__calloc((size_t)n_out + 1, sizeof *has_memory);
    if (has_memory == NULL) return ch__fail_oom("a run");
    for (int i = 0; i < n_out; i++) has_memory[i] = out[i] != NULL;
    ch__compile_watch(limits->cancel);
    e->engine->donate(e->code, in, has_memory, tied);
    ch__compile_watch(NULL);
    ch__free(has_memory);
    return CH_OK;
}

// Storage for each result: the given tensor's, that of a donated input, or new.
static ch_status prepare_outputs(ch_exec *e, int n_in, const ch__slot *in, ch_tensor *const *inputs, const int *tied,
                                 int n_out, ch_tensor *const *out, ch__slot *slots, ch__storage **made) {
    CH_TRY(e->engine->result_types(e->code, n_in, in, n_out, slots));
    for (int i = 0; i < n_out; i++) {
        if (out[i] == NULL && tied[i] >= 0) {
            made[i] = ch__storage_retain(inputs[tied[i]]->storage);
            slots[i].data = in[tied[i]].data;
            continue;
        }
        if (out[i] == NULL) {
            made[i] = ch__storage_create(ch__slot_bytes(&slots[i]));
            if (made[i] == NULL) return ch__fail_oom("a result");
            slots[i].data = made[i]->data;
            continue;
        }
        ch_tensor *given = out[i];
        ch_tensor *error = ch__first_error("run", "run", 1, &given);
        if (error != NULL) return ch__error_publish(error->error);
        CH_TRY(check_out(e, i, given, &slots[i]));
        if (ch__version_readers(given) > 0) { // lazy expressions go on reading what it holds
            made[i] = ch__storage_create(ch__slot_bytes(&slots[i]));
            if (made[i] == NULL) return ch__fail_oom("a result");
            slots[i].data = made[i]->data;
            continue;
        }
        if (ch__storage_is_borrowed(given->storage) || !ch__tensor_is_whole(given) ||
            !ch__storage_is_unshared(given->storage))
            return ch__fail(CH__E_argument,
                            "run: @%s out[%d] %s — give a tensor with memory of its own, or NULL for a new one",
                            e->func->name, i,
                            ch__storage_is_borrowed(given->storage) ? "is borrowed memory, which is only read"
                            : ch__tensor_is_whole(given)            ? "shares its memory with another tensor"
                                                                    : "is a view");
        slots[i].data = given->storage->data;
        for (int k = 0; k < n_in; k++)
            if (!in[k].donated && overlap(&slots[i], ch__slot_bytes(&slots[i]), &in[k], ch__slot_bytes(&in[k])))
                return ch__fail(CH__E_argument,
                                "run: @%s out[%d] shares memory with input %d — give other memory, or donate the "
                                "input",
                                e->func->name, i, k);
        for (int k = 0; k < i; k++)
            if (overlap(&slots[i], ch__slot_bytes(&slots[i]), &slots[k], ch__slot_bytes(&slots[k])))
                return ch__fail(CH__E_argument, "run: @%s out[%d] shares memory with out[%d] — give other memory",
                                e->func->name, i, k);
    }
    return CH_OK;
}

ch_tensor *ch__result_tensor(const char *where, const ch__slot *s, ch__storage *storage) {
    ch__dim dims[CH__MAX_RANK];
    for (int d = 0; d < s->rank; d++) dims[d] = ch__dim_const(s->dims[d]);
    ch__type type = {.dtype = s->dtype, .rank = (int16_t)s->rank, .dims = dims};
    return ch__node_owned(&(ch__node_spec){.kind = CH__T_DATA, .where = where, .type = &type, .storage = storage});
}

// Memory that nothing else refers to may be given away; whatever is shared or borrowed is only read.
static bool may_donate(const ch_tensor *t) {
    return ch__tensor_is_whole(t) && !ch__storage_is_borrowed(t->storage) && ch__storage_is_unshared(t->storage);
}

// A donated tensor holds nothing any more: using it says so.
static void mark_donated(ch_tensor *t, ch__error_copy *e) {
    ch__tensor_drop_expression(t);
    ch__storage_release(t->storage);
    t->storage = NULL;
    t->error = e;
    t->kind = CH__T_ERROR;
}

// Is t one of the results? Then it holds that.
static bool is_result(const ch_tensor *t, int n_out, ch_tensor *const *out) {
    for (int i = 0; i < n_out; i++)
        if (out[i] == t) return true;
    return false;
}

static ch_status donation_errors(const ch_exec *e, const ch_run_options *o, int n_in, ch_tensor *const *in,
                                 ch__error_copy **errors) {
    for (int i = 0; i < n_in; i++) {
        if (!o->donate[i]) continue;
        for (int k = 0; k < n_in; k++)
            if (k != i && in[k] == in[i])
                return ch__fail(CH__E_argument,
                                "run: @%s input %d is donated and given again as input %d — donate what is given once",
                                e->func->name, i, k);
        errors[i] = ch__alloc(sizeof *errors[i]);
        if (errors[i] == NULL) return ch__fail_oom("a run");
        errors[i]->id = CH__E_use_after_release;
        snprintf(errors[i]->message, sizeof errors[i]->message,
                 "%s: this tensor was donated as input %d of @%s — its memory was reused; keep a copy if it is needed",
                 in[i]->where, i, e->func->name);
    }
    return CH_OK;
}

ch__limits ch__run_limits(const ch_run_options *o) {
    ch__limits limits = {.check = ch__env_flag("CHAAC_CHECK"), .cancel = ch__realize_cancel()};
    if (o == NULL) return limits;
    limits.max_steps = o->max_steps;
    limits.max_bytes = o->max_bytes;
    limits.max_depth = o->max_depth;
    if (o->cancel != NULL) limits.cancel = o->cancel;
    return limits;
}

static ch_status run_exec(ch_exec *e, const ch_run_options *o, int n_in, ch_tensor *const *in, int n_out,
                          ch_tensor **out, ch__slot *slots, ch__storage **made, ch_tensor **fresh,
                          ch__change *changes) {
    for (int i = 0; i < n_in; i++) {
        if (!ch__tensor_slot(in[i], &slots[i])) return ch__fail_oom("a view's elements");
        slots[i].donated = o != NULL && o->donate != NULL && o->donate[i] && may_donate(in[i]);
    }
    ch__limits limits = ch__run_limits(o);
    enum { FEW = 16 };
    int few[FEW], *tied = n_out <= FEW ? few : ch__alloc((size_t)n_out * sizeof *tied);
    ch_status s = tied != NULL ? ask_engine(e, o, &limits, slots, n_out, out, tied) : ch__fail_oom("a run");
    if (s == CH_OK) s = prepare_outputs(e, n_in, slots, in, tied, n_out, out, slots + n_in, made);
    if (tied != few) ch__free(tied);
    CH_TRY(s);
    if (limits.cancel != NULL && *limits.cancel) // donated inputs are lost, as after any run that fails
        return ch__fail(CH__E_cancelled, "run: @%s was cancelled by the caller", e->func->name);
    CH_TRY(ch__exec_run(e, &limits, n_in, slots, n_out, slots + n_in));
    for (int i = 0; i < n_out; i++) {
        if (out[i] != NULL && made[i] != NULL) CH_TRY(ch__version_prepare(&changes[i], out[i], NULL));
        if (out[i] != NULL) continue;
        fresh[i] = ch__result_tensor("run", &slots[n_in + i], made[i]);
        made[i] = NULL;
        if (fresh[i] == NULL) return ch__fail_oom("a result");
    }
    return CH_OK;
}

ch_status ch_exec_run_with(ch_exec *e, const ch_run_options *options, int n_in, ch_tensor *const *in, int n_out,
                           ch_tensor **out) {
    if (e == NULL) return ch__fail(CH__E_argument, "run: the executable is NULL — give one from ch_compile");
    if (options != NULL && options->struct_size != sizeof *options)
        return ch__fail(CH__E_argument, "run: options.struct_size is %zu — set it to sizeof(ch_run_options), %zu",
                        options->struct_size, sizeof *options);
    if (n_in != ch_func_num_params(e->func) || n_out != ch_func_num_results(e->func))
        return ch__fail(CH__E_arity, "run: %d inputs and room for %d results given — @%s takes %d and gives %d", n_in,
                        n_out, e->func->name, ch_func_num_params(e->func), ch_func_num_results(e->func));
    if (out == NULL && n_out > 0) return ch__fail(CH__E_argument, "run: out is NULL — give room for %d results", n_out);
    CH_TRY(ch__realize_to_read("run", n_in, in));
    enum { FEW = 16 };
    ch__slot few[FEW], *slots = few;
    ch__storage *few_made[FEW] = {NULL}, **made = few_made;
    ch_tensor *few_fresh[FEW] = {NULL}, **fresh = few_fresh;
    ch__change few_changes[FEW] = {0}, *changes = few_changes;
    bool donates = options != NULL && options->donate != NULL && n_in > 0;
    ch__error_copy **errors = donates ? ch__calloc((size_t)n_in, sizeof *errors) : NULL;
    if (n_in + n_out > FEW) {
        slots = ch__alloc((size_t)(n_in + n_out) * sizeof *slots);
        made = ch__calloc((size_t)n_out, sizeof *made);
        fresh = ch__calloc((size_t)n_out, sizeof *fresh);
        changes = ch__calloc((size_t)n_out, sizeof *changes);
    }
    ch_status s = CH_OK;
    if (slots == NULL || made == NULL || fresh == NULL || changes == NULL || (donates && errors == NULL))
        s = ch__fail_oom("a run");
    if (s == CH_OK && donates) s = donation_errors(e, options, n_in, in, errors);
    bool started = s == CH_OK;
    if (s == CH_OK) s = run_exec(e, options, n_in, in, n_out, out, slots, made, fresh, changes);
    for (int i = 0; errors != NULL && i < n_in; i++) {
        if (started && errors[i] != NULL && !(s == CH_OK && is_result(in[i], n_out, out)))
            mark_donated(in[i], errors[i]);
        else
            ch__free(errors[i]);
    }
    ch__free(errors);
    for (int i = 0; i < n_out && made != NULL && fresh != NULL && changes != NULL; i++) {
        if (changes[i].x != NULL && s == CH_OK) {
            ch__version_commit(&changes[i], out[i]->where, NULL);
            out[i]->storage = made[i];
            continue;
        }
        if (changes[i].x != NULL) ch__version_abandon(&changes[i]);
        ch__storage_release(made[i]);
        if (s != CH_OK)
            ch_release(fresh[i]);
        else if (out[i] == NULL)
            out[i] = fresh[i];
        else // what made its old contents does not make these
            ch__tensor_drop_expression(out[i]);
    }
    if (slots != few) ch__free(slots);
    if (made != few_made) ch__free(made);
    if (fresh != few_fresh) ch__free(fresh);
    if (changes != few_changes) ch__free(changes);
    return s;
}

ch_status ch_exec_run(ch_exec *e, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    return ch_exec_run_with(e, NULL, n_in, in, n_out, out);
}
