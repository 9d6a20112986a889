// SPDX-License-Identifier: Apache-2.0
// hlo/emit_kernel.c - kernels: composites that devices may have code of their own for.
//
//     %1 = stablehlo.custom_call @flash(%0) {api_version = 4 : i32, backend_config = {heads = 4 : i64}} : (...) -> ...
//
// A composite whose attribute `kernel` names a custom call, "flash {heads = 4 : i64}", is written as that call: its
// operands and results are those of the composite, its body, the reference, is not written. What stands behind the name
// is the configuration: in braces the dictionary of a typed call (version 4, what handlers of docs/pjrt-ffi.md take),
// any other text a string (version 1, as tpu_custom_call takes). `kernel = ""` says that nobody has given a call: the
// body is written. Who decides is pjrt/lower.c, or whoever wrote the func.
#include "hlo/emit.h"

#include <string.h>

static const char *kernel_of(const ch__op *op) {
    const ch__attr *a = op->code == CH_OP_composite ? ch__op_attr(op, CH__ATTR_kernel) : NULL;
    return a ? a->s : NULL;
}

// ---------------------------------------------------------------- without a body
typedef struct {
    ch__emit *e;
    int64_t kernels;
    uint8_t *fixed;  // by value id: it follows from constants
    uint8_t *inside; // it is made in the body at hand
    const ch__value *taken;
    bool tape;
} kernel_job;

// A pass may have taken what two places compute from constants out of the body.
static void kernel_fix(void *arg, ch__op *op) {
    kernel_job *j = arg;
    bool fixed = op->n_regions == 0 && !ch__is_collective((ch__opcode)op->code);
    for (int i = 0; i < op->n_operands; i++) fixed = fixed && j->fixed[op->operands[i]->id];
    for (int i = 0; i < op->n_results; i++) j->fixed[op->results[i].id] = fixed;
    const char *kernel = kernel_of(op);
    j->kernels += kernel && kernel[0];
}

static void kernel_own(kernel_job *j, const ch__region *r) {
    for (int i = 0; i < r->n_params; i++) j->inside[r->params[i]->id] = 1;
}

static void kernel_use(kernel_job *j, const ch__value *v) {
    if (!j->inside[v->id] && !j->fixed[v->id]) j->taken = v;
}

static void kernel_see(void *arg, ch__op *op) {
    kernel_job *j = arg;
    for (int i = 0; i < op->n_operands; i++) kernel_use(j, op->operands[i]);
    for (int i = 0; i < op->n_results; i++) j->inside[op->results[i].id] = 1;
    for (int k = 0; k < op->n_regions; k++) kernel_own(j, op->regions[k]);
}

// Values that the body takes from outside are no operands of the call.
static const char *kernel_why_not(kernel_job *j, const ch__op *op) {
    ch__region *body = op->regions[0];
    j->taken = NULL;
    j->tape = false;
    for (int i = 0; i < op->n_operands; i++) j->tape = j->tape || op->operands[i]->type->tape;
    for (int i = 0; i < op->n_results; i++) j->tape = j->tape || op->results[i].type->tape;
    if (j->tape) return "it takes or gives a tape — a custom call takes and gives arrays";
    j->inside = CH_NEW_ARRAY(j->e->scratch, uint8_t, body->func->n_values + 1);
    kernel_own(j, body);
    ch__walk(body, kernel_see, j);
    for (int i = 0; i < body->n_results; i++) kernel_use(j, body->results[i]);
    if (!j->taken) return NULL;
    return ch__arena_printf(j->e->scratch, "its body takes %s from outside — a custom call takes operands only",
                            j->taken->name ? ch__arena_printf(j->e->scratch, "%%%s", j->taken->name) : "a value");
}

static void kernel_empty(ch__op *op) {
    ch_func *f = op->parent->func;
    ch__region *body = ch__region_create(f, op);
    for (int i = 0; i < op->n_operands; i++) ch__region_add_param(body, NULL, op->operands[i]->type);
    ch__value **results = CH_NEW_ARRAY(f->module->arena, ch__value *, op->n_results + 1);
    ch__builder b = ch__builder_at_end(body);
    const ch__attr dim = ch__attr_int(CH__ATTR_dim, 0);
    for (int i = 0; i < op->n_results; i++) { // they stand for values of that type
        const ch__type *type = op->results[i].type;
        results[i] = ch__build_raw(&b, CH_OP_iota, 0, NULL, 1, &dim, 1, &type, 0, NULL)->results;
    }
    ch__region_set_results(body, op->n_results, results);
    op->regions[0] = body;
    op->n_regions = 1; // rules were for derivatives
}

static void kernel_visit(void *arg, ch__op *op) {
    kernel_job *j = arg;
    const char *kernel = kernel_of(op);
    if (!kernel || !kernel[0]) return;
    const char *why = kernel_why_not(j, op);
    if (why)
        ch__emit_refuse(j->e, op->loc,
                        ch__arena_printf(j->e->scratch, "composite \"%s\"", ch__op_attr(op, CH__ATTR_name)->s), why);
    kernel_empty(op);
}

void ch__emit_empty_kernels(ch__emit *e, ch_func *f) {
    kernel_job j = {.e = e, .fixed = CH_NEW_ARRAY(e->scratch, uint8_t, f->n_values + 1)};
    ch__walk(f->body, kernel_fix, &j);
    if (j.kernels > 0) ch__walk(f->body, kernel_visit, &j);
}

// ---------------------------------------------------------------- the line
static bool kernel_plain(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool letter = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || s[i] == '_';
        if (!letter && (i == 0 || !((s[i] >= '0' && s[i] <= '9') || s[i] == '.' || s[i] == '$'))) return false;
    }
    return n > 0;
}

bool ch__emit_kernel(ch__emit *e, const ch__op *op) {
    const char *kernel = kernel_of(op);
    if (!kernel || !kernel[0]) return false;
    size_t n = strcspn(kernel, " ");
    const char *config = kernel[n] ? kernel + n + 1 : "", *call = ch__arena_strndup(e->scratch, kernel, n);
    bool typed = config[0] == '{' || config[0] == 0;
    ch__text t;
    ch__text_init(&t, e->scratch);
    ch__putf(&t, "api_version = %d : i32", typed ? 4 : 1);
    if (config[0]) ch__put(&t, ", backend_config = ");
    if (config[0] && typed) ch__put(&t, config);
    if (!typed) ch__put_quoted(&t, config);
    if (e->generic) {
        ch__put(&t, ", call_target_name = ");
        ch__put_quoted(&t, call);
    }
    ch__text open;
    ch__text_init(&open, e->scratch);
    ch__putc(&open, '@');
    if (kernel_plain(call, n))
        ch__put(&open, call);
    else
        ch__put_quoted(&open, call);
    ch__putc(&open, '(');
    ch__emit_titled(e, op, "stablehlo.custom_call", open.data, ") ", t.data);
    return true;
}
