// SPDX-License-Identifier: Apache-2.0
// hlo/emit_composite.c - composites as stablehlo.composite, when that is asked for.
//
//     %1 = stablehlo.composite "chaac.gelu" %0 {decomposition = @gelu, version = 1 : i32} : (...) -> ...
//
// The body becomes a private func, what it takes from outside becomes an operand more, and the composite of the clone
// that is written gets a body that calls the func. Whoever knows the name takes it whole, everybody else calls the
// decomposition. Names get the namespace `chaac`, unless they have one; derivative rules are left out, `args`, `remat`
// and `kernel` are kept as attributes. What this writes is read as the same composite (take_control.c).
#include "hlo/emit.h"

#include <string.h>

// ---------------------------------------------------------------- bodies as funcs

typedef struct {
    ch__emit *e;
    uint8_t *inside; // by value id: it is made in the body at hand
    CH_VEC(ch__value *) taken;
} emit_composite_job;

static void emit_composite_own(emit_composite_job *j, const ch__region *r) {
    for (int i = 0; i < r->n_params; i++) j->inside[r->params[i]->id] = 1;
}

static void emit_composite_take(emit_composite_job *j, ch__value *v) {
    if (j->inside[v->id]) return;
    j->inside[v->id] = 1;
    CH_PUSH(j->e->scratch, &j->taken, v);
}

// Definitions come before uses, but for what a region yields: of op's own regions at its end.
static void emit_composite_see(void *arg, ch__op *op) {
    emit_composite_job *j = arg;
    for (int i = 0; i < op->n_operands; i++) emit_composite_take(j, op->operands[i]);
    for (int i = 0; i < op->n_results; i++) j->inside[op->results[i].id] = 1;
    for (int k = 0; k < op->n_regions; k++) emit_composite_own(j, op->regions[k]);
}

static void emit_composite_see_yields(void *arg, ch__op *op) {
    emit_composite_job *j = arg;
    for (int k = 0; k < op->n_regions; k++)
        for (int i = 0; i < op->regions[k]->n_results; i++) emit_composite_take(j, op->regions[k]->results[i]);
}

// The func whose call is all that the body is: how such text is read.
static ch_func *emit_composite_called(const ch__region *body) {
    const ch__op *call = body->first;
    if (!call || call->next || call->code != CH_OP_call || call->n_operands != body->n_params) return NULL;
    if (call->n_results != body->n_results) return NULL;
    for (int i = 0; i < body->n_params; i++)
        if (call->operands[i] != body->params[i]) return NULL;
    for (int i = 0; i < body->n_results; i++)
        if (body->results[i] != &call->results[i]) return NULL;
    return ch__op_attr(call, CH__ATTR_callee)->func;
}

static const char *emit_composite_identifier(ch__arena *a, const char *name) {
    char *out = ch__arena_printf(a, "%s%s", (name[0] >= '0' && name[0] <= '9') || !name[0] ? "_" : "", name);
    for (char *c = out; *c; c++) {
        bool fine = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
        if (!fine) *c = '_';
    }
    return out;
}

static ch_func *emit_composite_outline(emit_composite_job *j, const ch__op *op) {
    const ch__region *body = op->regions[0];
    ch__module *m = j->e->module;
    const char *name = emit_composite_identifier(m->arena, ch__op_attr(op, CH__ATTR_name)->s);
    ch_func *f = ch__func_create(m, ch__module_fresh_name(m, name));
    f->loc = op->loc;
    ch__value_map map = {.n = body->func->n_values};
    map.to = CH_NEW_ARRAY(j->e->scratch, ch__value *, body->func->n_values + 1);
    int n = 0;
    for (int i = 0; i < body->n_params; i++)
        map.to[body->params[i]->id] =
            ch__func_add_param(f, ch__arena_printf(m->arena, "x%d", n++), body->params[i]->type);
    for (int64_t i = 0; i < j->taken.n; i++)
        map.to[j->taken.data[i]->id] =
            ch__func_add_param(f, ch__arena_printf(m->arena, "x%d", n++), j->taken.data[i]->type);
    ch__builder b = ch__builder_at_end(f->body);
    ch__clone_region_ops(&b, body, &map, NULL, NULL);
    ch__value **results = CH_NEW_ARRAY(j->e->scratch, ch__value *, body->n_results + 1);
    for (int i = 0; i < body->n_results; i++) results[i] = map.to[body->results[i]->id];
    ch__func_set_results(f, body->n_results, results, NULL);
    return f;
}

static ch__region *emit_composite_body(ch_func *in, ch_func *f, int n, ch__value *const *operands, const ch__op *op) {
    ch__region *body = ch__region_create(in, NULL);
    ch__value **params = CH_NEW_ARRAY(in->module->arena, ch__value *, n + 1);
    const ch__type **types = CH_NEW_ARRAY(in->module->arena, const ch__type *, op->n_results + 1);
    for (int i = 0; i < n; i++) params[i] = ch__region_add_param(body, NULL, operands[i]->type);
    for (int i = 0; i < op->n_results; i++) types[i] = op->results[i].type;
    ch__builder b = ch__builder_at_end(body);
    ch__attr callee = ch__attr_func(CH__ATTR_callee, f);
    ch__op *call = ch__build_raw(&b, CH_OP_call, n, params, 1, &callee, op->n_results, types, 0, NULL);
    for (int i = 0; i < op->n_results; i++) params[i] = &call->results[i];
    ch__region_set_results(body, op->n_results, params);
    return body;
}

static bool emit_composite_tapes(const ch__op *op) {
    for (int i = 0; i < op->n_operands; i++)
        if (op->operands[i]->type->tape) return true;
    for (int i = 0; i < op->n_results; i++)
        if (op->results[i].type->tape) return true;
    return false;
}

static ch__value *emit_composite_rewrite(ch__rewriter *r, ch__op *op) {
    if (op->code != CH_OP_composite) return NULL;
    const ch__attr *kernel = ch__op_attr(op, CH__ATTR_kernel);
    if (kernel && kernel->s[0]) return NULL; // a custom call
    emit_composite_job j = {.e = r->user};
    ch__region *body = op->regions[0];
    ch_func *f = emit_composite_called(body);
    if (f && op->n_regions == 1) return NULL;
    j.inside = CH_NEW_ARRAY(j.e->scratch, uint8_t, body->func->n_values + 1);
    if (!f) {
        emit_composite_own(&j, body);
        ch__walk(body, emit_composite_see, &j);
        ch__walk(body, emit_composite_see_yields, &j);
        for (int i = 0; i < body->n_results; i++) emit_composite_take(&j, body->results[i]);
    }
    bool tapes = emit_composite_tapes(op);
    for (int64_t i = 0; i < j.taken.n; i++) tapes = tapes || j.taken.data[i]->type->tape;
    if (tapes) {
        ch__emit_refuse(j.e, op->loc,
                        ch__arena_printf(j.e->scratch, "composite \"%s\"", ch__op_attr(op, CH__ATTR_name)->s),
                        "it takes or gives a tape — written as what it consists of it can be");
        return NULL;
    }
    if (!f) f = emit_composite_outline(&j, op);
    int n = op->n_operands + (int)j.taken.n, n_attrs = 0;
    ch__value **operands = CH_NEW_ARRAY(j.e->scratch, ch__value *, n + 1);
    for (int i = 0; i < n; i++)
        operands[i] = ch__rewrite_now(r, i < op->n_operands ? op->operands[i] : j.taken.data[i - op->n_operands]);
    ch__attr attrs[5];
    for (int i = 0; i < op->n_attrs && n_attrs < 5; i++)
        if (op->attrs[i].id != CH__ATTR_rules) attrs[n_attrs++] = op->attrs[i];
    ch__region *call = emit_composite_body(r->func, f, n, operands, op);
    r->b.loc = op->loc;
    ch__op *made = ch__build(&r->b, CH_OP_composite, n, operands, n_attrs, attrs, 0, NULL, 1, &call);
    for (int i = 0; i < op->n_results; i++) ch__rewrite_to(r, &op->results[i], &made->results[i]);
    ch__rewrite_drop(r);
    r->changes++;
    return NULL;
}

void ch__emit_outline_composites(ch__emit *e, ch_func *f) {
    ch__rewriter r = {.fn = emit_composite_rewrite, .user = e};
    ch__rewrite(&r, f);
}

// ---------------------------------------------------------------- the line

// chaac.NAME, or the name itself when it has a namespace; what no name can have in MLIR is an underscore.
static const char *emit_composite_name(ch__emit *e, const char *name) {
    bool spaced = strchr(name, '.') != NULL && name[0] != '.';
    char *out = ch__arena_printf(e->scratch, "%s%s", spaced ? "" : "chaac.", name);
    for (char *c = out; *c; c++) {
        bool fine = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' ||
                    *c == '.' || *c == '$';
        if (!fine) *c = '_';
    }
    return out;
}

void ch__emit_composite(ch__emit *e, const ch__op *op) {
    const char *given = ch__op_attr(op, CH__ATTR_name)->s, *name = emit_composite_name(e, given);
    const ch__attr *args = ch__op_attr(op, CH__ATTR_args);
    const ch_func *f = emit_composite_called(op->regions[0]);
    bool renamed = strcmp(strncmp(name, "chaac.", 6) == 0 ? name + 6 : name, given) != 0;
    bool remat = ch__op_int(op, CH__ATTR_remat, 0) != 0, kernel = ch__op_attr(op, CH__ATTR_kernel) != NULL;
    ch__text t;
    ch__text_init(&t, e->scratch);
    if (args || renamed || remat || kernel) {
        const char *comma = "";
        ch__put(&t, "composite_attributes = {");
        if (args) {
            ch__put(&t, "chaac.args = ");
            ch__emit_quoted(&t, args->s);
            comma = ", ";
        }
        if (renamed) {
            ch__putf(&t, "%schaac.name = ", comma);
            ch__emit_quoted(&t, given);
            comma = ", ";
        }
        if (remat) ch__putf(&t, "%schaac.remat = true", comma);
        if (kernel) ch__putf(&t, "%schaac.kernel = true", remat ? ", " : comma);
        ch__put(&t, "}, ");
    }
    ch__putf(&t, "decomposition = @%s", f->name);
    if (e->generic) ch__putf(&t, ", name = \"%s\"", name);
    ch__putf(&t, ", version = %d : i32", (int)ch__op_int(op, CH__ATTR_version, 1));
    ch__emit_titled(e, op, "stablehlo.composite", ch__arena_printf(e->scratch, "\"%s\" ", name),
                    op->n_operands ? " " : "", t.data);
}
