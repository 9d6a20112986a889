// SPDX-License-Identifier: Apache-2.0
// lower.c - kernels: what stands for a composite on the target of a session.
//
// A composite with the attribute `kernel` is a piece of program that devices may have code of their own for; its body
// is the reference. Before a func is written as text, each one is shown, with the sizes at hand, to the lowering that
// is registered for the target under its name. What that says is put into the attribute, which hlo/emit_kernel.c writes
// as a custom call. Where nobody says anything the body is written, or the func is refused when the session takes
// kernels only. Lowerings are the user's code: they are called outside of ch__protect, on a copy of the func.
#include "pjrt/pjrt.h"

#include <string.h>

#include "hlo/hlo.h"

// ---------------------------------------------------------------- registering
enum { LOWER_MOST = 256, LOWER_NAME = 256 };

typedef struct {
    ch_target target;
    ch_lowering_fn fn;
    void *user;
    char name[LOWER_NAME]; // of the composite
} lower_entry;

// Filled from the front under a lock, read without one; nothing is taken back.
static pthread_mutex_t lower_lock = PTHREAD_MUTEX_INITIALIZER;
static lower_entry lower_entries[LOWER_MOST];
static atomic_int lower_n;

static const lower_entry *lower_find(ch_target target, const char *name) {
    for (int i = 0; i < atomic_load(&lower_n); i++)
        if (lower_entries[i].target == target && strcmp(lower_entries[i].name, name) == 0) return &lower_entries[i];
    return NULL;
}

static ch_status lower_add(ch_target target, const char *name, ch_lowering_fn fn, void *user) {
    int n = atomic_load(&lower_n);
    if (lower_find(target, name) != NULL)
        return ch__fail(CH__E_argument, "lowering register: \"%s\" has a lowering for %s already — one for each name",
                        name, ch_target_name(target));
    if (n == LOWER_MOST)
        return ch__fail(CH__E_limit, "lowering register: \"%s\" would be lowering %d — a process has %d", name, n + 1,
                        LOWER_MOST);
    lower_entry *e = &lower_entries[n];
    *e = (lower_entry){.target = target, .fn = fn, .user = user};
    memcpy(e->name, name, strlen(name) + 1);
    atomic_store(&lower_n, n + 1);
    return CH_OK;
}

ch_status ch_lowering_register(ch_target target, const char *name, ch_lowering_fn fn, void *user) {
    if (target < CH_CPU || target > CH_CEREBRAS)
        return ch__fail(CH__E_argument,
                        "lowering register: target %d — CH_CPU, CH_CUDA, CH_TPU, CH_METAL or CH_CEREBRAS", (int)target);
    if (name == NULL || fn == NULL)
        return ch__fail(CH__E_argument, "lowering register: the %s is NULL — give the composite's name and a function",
                        name == NULL ? "name" : "function");
    size_t n = strlen(name);
    if (n == 0 || n >= LOWER_NAME)
        return ch__fail(CH__E_argument, "lowering register: a name of %zu bytes — 1 to %d", n, LOWER_NAME - 1);
    pthread_mutex_lock(&lower_lock);
    ch_status s = lower_add(target, name, fn, user);
    pthread_mutex_unlock(&lower_lock);
    return s;
}

// ---------------------------------------------------------------- one kernel
typedef struct {
    ch_kernel_op op; // first: what a lowering is given
    char *kernel;    // "call config": what it said; NULL: nothing
} lower_question;

ch_status ch_kernel_call(const ch_kernel_op *op, const char *call, const char *config) {
    if (op == NULL || call == NULL)
        return ch__fail(CH__E_argument, "kernel call: the %s is NULL — give one", op == NULL ? "kernel" : "call");
    size_t n = strlen(call), m = config == NULL ? 0 : strlen(config);
    bool name = n > 0;
    for (size_t i = 0; i < n; i++) name = name && call[i] > ' ' && call[i] < 127 && call[i] != '"' && call[i] != '\\';
    if (!name)
        return ch__fail(
            CH__E_argument,
            "kernel call: \"%s\" for the kernel \"%s\" — a name of letters, digits and signs without blanks", call,
            op->name);
    char *kernel = ch__alloc(n + m + 2);
    if (kernel == NULL) return ch__fail_oom("a kernel's call");
    memcpy(kernel, call, n);
    kernel[n] = m > 0 ? ' ' : '\0';
    if (m > 0) memcpy(kernel + n + 1, config, m + 1);
    lower_question *q = (lower_question *)(uintptr_t)op;
    ch__free(q->kernel); // the last word counts
    q->kernel = kernel;
    return CH_OK;
}

typedef struct {
    ch_session *s;
    const ch_func *given;
    const ch_hlo_options *o;
    ch_func *f;         // a copy with its sizes
    ch__op *op;         // at hand
    const char *kernel; // what it becomes
    int64_t kernels, references;
    char without[400]; // names of those without one
} lower_job;

static void lower_copy(void *arg) {
    lower_job *j = arg;
    j->f = ch__emit_sized(j->given, j->o);
    j->f->owns_module = true;
    ch__arena_keep(j->f->module->arena);
}

static ch__attr *lower_attr(ch__op *op) {
    for (int i = 0; i < op->n_attrs; i++)
        if (op->attrs[i].id == CH__ATTR_kernel) return &op->attrs[i];
    return NULL;
}

static void lower_mark(void *arg) {
    lower_job *j = arg;
    ch__arena *a = j->f->module->arena;
    lower_attr(j->op)->s = ch__arena_strndup(a, j->kernel, strlen(j->kernel));
}

// Operands and results in one block, their dims behind them.
static ch_kernel_type *lower_types(const ch__op *op) {
    size_t n = (size_t)op->n_operands + (size_t)op->n_results, dims = 0;
    for (size_t i = 0; i < n; i++) {
        int k = (int)i - op->n_operands;
        dims += (size_t)(k < 0 ? op->operands[i]->type : op->results[k].type)->rank;
    }
    ch_kernel_type *types = ch__alloc((n + 1) * sizeof *types + dims * sizeof(int64_t));
    if (types == NULL) return NULL;
    int64_t *at = (int64_t *)(void *)(types + n + 1);
    for (size_t i = 0; i < n; i++) {
        int k = (int)i - op->n_operands;
        const ch__type *t = k < 0 ? op->operands[i]->type : op->results[k].type;
        types[i] = (ch_kernel_type){t->dtype, t->rank, at};
        for (int d = 0; d < t->rank; d++) *at++ = t->dims[d].val;
    }
    return types;
}

static bool lower_is_static(const ch__op *op) {
    bool known = true;
    for (int i = 0; i < op->n_operands; i++)
        known = known && !op->operands[i]->type->tape && ch__type_is_static(op->operands[i]->type);
    for (int i = 0; i < op->n_results; i++)
        known = known && !op->results[i].type->tape && ch__type_is_static(op->results[i].type);
    return known;
}

static ch_status lower_ask(lower_job *j, const lower_entry *e, ch__op *op, char **out_kernel) {
    ch_kernel_type *types = lower_types(op);
    if (types == NULL) return ch__fail_oom("a kernel");
    const ch__attr *args = ch__op_attr(op, CH__ATTR_args);
    lower_question q = {.op = {.target = j->s->target,
                               .name = ch__op_attr(op, CH__ATTR_name)->s,
                               .args = args == NULL ? "" : args->s,
                               .version = ch__op_int(op, CH__ATTR_version, 1),
                               .n_operands = op->n_operands,
                               .n_results = op->n_results,
                               .operands = types,
                               .results = types + op->n_operands}};
    ch_error_clear();
    ch_status st = e->fn(&q.op, e->user);
    if (st != CH_OK && (ch__error_current() == CH__E_COUNT || ch__err_status(ch__error_current()) != st))
        ch__fail(CH__E_argument, "session run: the lowering of \"%s\" for %s gave %s and no reason — ch_error_set one",
                 q.op.name, ch_target_name(j->s->target), ch_status_name(st));
    ch__free(types);
    if (st == CH_OK)
        *out_kernel = q.kernel;
    else
        ch__free(q.kernel);
    return st;
}

// Adds "name" to a list, unless it is there or the list is as long as a sentence.
static void lower_list(char *list, size_t cap, const char *name) {
    char word[200];
    size_t at = strlen(list);
    int n = snprintf(word, sizeof word, "\"%.150s\"", name);
    if (strstr(list, word) != NULL || at + (size_t)n + 3 > cap) return;
    snprintf(list + at, cap - at, "%s%s", at > 0 ? ", " : "", word);
}

static void lower_without(lower_job *j, const char *name) {
    j->references++;
    if (j->s->kernels_only) {
        lower_list(j->without, sizeof j->without, name);
        return;
    }
    pthread_mutex_lock(&j->s->lock);
    lower_list(j->s->by_reference, sizeof j->s->by_reference, name);
    pthread_mutex_unlock(&j->s->lock);
}

static ch_status lower_one(lower_job *j, ch__op *op, bool *lowered) {
    const char *name = ch__op_attr(op, CH__ATTR_name)->s;
    const lower_entry *e = lower_is_static(op) ? lower_find(j->s->target, name) : NULL;
    char *kernel = NULL;
    *lowered = lower_attr(op)->s[0] != '\0'; // whoever wrote the func said it
    if (!*lowered && e != NULL) CH_TRY(lower_ask(j, e, op, &kernel));
    if (kernel != NULL) {
        j->op = op;
        j->kernel = kernel;
        ch_status st = ch__protect(lower_mark, j);
        ch__free(kernel);
        if (st != CH_OK) return st;
        *lowered = true;
    }
    j->kernels += *lowered;
    if (!*lowered) lower_without(j, name);
    return CH_OK;
}

// Outer ones first: what stands in a kernel with code of its own is not looked at. Recurses on nesting only.
static ch_status lower_region(lower_job *j, ch__region *r) {
    for (ch__op *op = r->first; op != NULL; op = op->next) {
        bool lowered = false;
        if (op->code == CH_OP_composite && lower_attr(op) != NULL) CH_TRY(lower_one(j, op, &lowered));
        for (int k = 0; k < op->n_regions && !lowered; k++) CH_TRY(lower_region(j, op->regions[k]));
    }
    return CH_OK;
}

// ---------------------------------------------------------------- a func as text
static void lower_see(void *arg, ch__op *op) {
    if (op->code == CH_OP_composite && ch__op_attr(op, CH__ATTR_kernel) != NULL) *(bool *)arg = true;
}

static bool lower_any(const ch_func *f) {
    bool any = false;
    for (const ch_func *g = f->module->first; g != NULL && !any; g = g->next) ch__walk(g->body, lower_see, &any);
    return any;
}

static ch_status lower_and_write(lower_job *j, char **out_text) {
    CH_TRY(ch__protect(lower_copy, j));
    ch_status st = lower_region(j, j->f->body);
    if (st == CH_OK && j->without[0] != '\0')
        st = ch__fail(CH__E_unsupported,
                      "session run: @%s holds the kernel%s %s without a lowering for %s — register one "
                      "(ch_lowering_register), or let the reference run (kernels_only 0)",
                      j->given->name, strstr(j->without, ", ") != NULL ? "s" : "", j->without,
                      ch_target_name(j->s->target));
    ch_hlo_options o = *j->o;
    o.n_sizes = 0; // they are in it
    if (st == CH_OK) st = ch_hlo_to_text(j->f, &o, out_text);
    ch__error_copy error;
    if (st != CH_OK) ch__error_save(&error);
    ch_func_destroy(j->f);
    if (st != CH_OK) return ch__error_publish(&error);
    atomic_fetch_add_explicit(&j->s->kernels, j->kernels, memory_order_relaxed);
    atomic_fetch_add_explicit(&j->s->references, j->references, memory_order_relaxed);
    return CH_OK;
}

ch_status ch__pjrt_emit(ch_session *s, const ch_func *f, const ch_hlo_options *given, char **out_text) {
    ch_hlo_options o = *given;
    o.target = s->target == CH_CEREBRAS ? NULL : ch_target_name(s->target);
    lower_job j = {.s = s, .given = f, .o = &o};
    if (lower_any(f))
        CH_TRY(lower_and_write(&j, out_text));
    else
        CH_TRY(ch_hlo_to_text(f, &o, out_text));
    atomic_fetch_add_explicit(&s->emissions, 1, memory_order_relaxed);
    return CH_OK;
}

ch_status ch_session_text(ch_session *s, const ch_func *f, const ch_hlo_options *options, char **out_text) {
    CH_TRY(ch__pjrt_check_args("session text", s, f, 0, NULL, 0, NULL));
    if (out_text == NULL) return ch__fail(CH__E_argument, "session text: out_text is NULL");
    ch_hlo_options o = {.struct_size = sizeof o};
    if (options != NULL) {
        if (options->struct_size == 0 || options->struct_size > sizeof o)
            return ch__fail(CH__E_argument, "session text: struct_size is %zu — sizeof(ch_hlo_options) is %zu",
                            options->struct_size, sizeof o);
        memcpy(&o, options, options->struct_size);
        o.struct_size = sizeof o;
    }
    if (o.n_sizes < 0 || (o.n_sizes > 0 && (o.size_names == NULL || o.size_values == NULL)))
        return ch__fail(CH__E_argument, "session text: n_sizes is %d without names and values", o.n_sizes);
    CH_TRY(ch__session_enter(s, "session text"));
    ch_status st = ch__pjrt_emit(s, f, &o, out_text);
    ch__session_leave(s);
    return st;
}
