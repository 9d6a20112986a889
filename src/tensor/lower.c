// SPDX-License-Identifier: Apache-2.0
// lower.c - expressions to IR: one walk over the nodes, operands first, with an explicit stack.
//
// A leaf (data, a realized tensor, a cut of a gradient) becomes a param of the func, or a constant while a function is
// captured. Each node remembers its value under the stamp of the lowering, so shared parts are lowered once.

#include "tensor/tensor.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local int32_t stamps;

void ch__lowering_init(ch__lowering *l, ch_func *f) {
    *l = (ch__lowering){.func = f, .b = ch__builder_at_end(f->body), .stamp = ++stamps};
    ch__map_init(&l->leaves, f->module->arena);
    ch__map_init(&l->locs, f->module->arena);
}

static uint64_t lower_key(const void *p) { return (uint64_t)(uintptr_t)p; }

static const ch__loc *loc_of(ch__lowering *l, const char *where) {
    if (where == NULL) return NULL;
    const ch__loc *known = ch__map_get(&l->locs, lower_key(where));
    if (known != NULL) return known;
    ch__arena *a = l->func->module->arena;
    const char *colon = strrchr(where, ':');
    const ch__loc *loc =
        colon == NULL ? ch__loc_make(a, where, 0, 0)
                      : ch__loc_make(a, ch__arena_strndup(a, where, (size_t)(colon - where)), atoi(colon + 1), 0);
    ch__map_put(&l->locs, lower_key(where), (void *)loc);
    return loc;
}

static bool is_cut(const ch__lowering *l, const ch_tensor *t) {
    for (int i = 0; i < l->n_cuts; i++)
        if (l->cuts[i] == t) return true;
    return false;
}

static bool is_outside(const ch__lowering *l, const ch_tensor *t) { return t->serial < l->outside_before; }

static bool is_leaf(const ch__lowering *l, const ch_tensor *t) {
    if (t->kind == CH__T_DATA || is_outside(l, t) || is_cut(l, t)) return true;
    if (!l->gradient) return t->storage != NULL;
    if (t->kind == CH__T_INPUT) return true;
    if (ch__map_get(&l->active, lower_key(t)) != NULL) return false;
    return t->storage != NULL || (ch__is_float(t->type.dtype) && ch__map_get(&l->varies, lower_key(t)) != NULL);
}

static ch__value *lower_constant(ch__lowering *l, ch_tensor *t) {
    if (l->strict) {
        ch__text type;
        ch__text_init(&type, l->func->module->arena);
        ch__type_print(&type, &t->type);
        ch__raise(CH__E_capture_constant,
                  "capture: a tensor %s made at %s is reached that is not an input — pass it as an "
                  "input, or capture without strict to make it a constant",
                  type.data, t->where);
    }
    int64_t dims[CH__MAX_RANK];
    for (int i = 0; i < t->type.rank; i++) dims[i] = t->type.dims[i].val;
    ch__array a = {.dtype = t->type.dtype, .rank = t->type.rank, .dims = dims};
    a.data = (void *)(uintptr_t)ch__tensor_compact(t);
    if (a.data == NULL) ch__raise_oom();
    ch__builder b = l->b;
    b.loc = loc_of(l, t->where);
    ch__value *v = ch__b_const(&b, &a);
    v->name = ch__arena_printf(l->func->module->arena, "captured%" PRId64, l->leaves.n);
    return v;
}

static ch__value *leaf(ch__lowering *l, ch_tensor *t) {
    ch__value *v = ch__map_get(&l->leaves, lower_key(t));
    if (v != NULL) return v;
    if (l->constants && !is_outside(l, t)) {
        v = lower_constant(l, t);
    } else {
        bool named = l->gradient || l->outside_before != 0; // a func that only runs needs no names
        const char *name = named ? ch__arena_printf(l->func->module->arena, "t%" PRId64, l->inputs.n) : NULL;
        v = ch__func_add_param(l->func, name, &t->type);
        CH_PUSH(l->func->module->arena, &l->inputs, t);
    }
    ch__map_put(&l->leaves, lower_key(t), v);
    return v;
}

ch__value *ch__lowered_leaf(ch__lowering *l, ch_tensor *t) { return ch__map_get(&l->leaves, lower_key(t)); }

// The constant of one number that a broadcast repeats, if that is all it does: it becomes a constant of its type.
static const ch_tensor *repeated_number(const ch__lowering *l, const ch_tensor *t) {
    if (t->kind != CH__T_OP || t->opcode != CH_OP_broadcast) return NULL;
    const ch_tensor *x = ch__operand(t, 0);
    if (x->kind != CH__T_OP || x->opcode != CH_OP_const || !x->attrs[0].array->splat || is_leaf(l, x)) return NULL;
    return x;
}

static ch__value *value_of(ch__lowering *l, ch_tensor *t) {
    if (is_leaf(l, t)) return ch__map_get(&l->leaves, lower_key(t));
    return t->stamp == l->stamp ? t->lowered : NULL;
}

typedef struct {
    const ch_func *f;
    bool found;
} call_search;

static void find_call(void *arg, ch__op *op) {
    call_search *s = arg;
    if (op->code == CH_OP_call && ch__op_attr(op, CH__ATTR_callee)->func == s->f) s->found = true;
}

static bool is_recursive(const ch_func *f) {
    call_search s = {f, false};
    for (ch_func *g = f->module->first; g != NULL && !s.found; g = g->next) ch__walk(g->body, find_call, &s);
    return s.found;
}

// A func's ops in place of a call, sizes in terms of the arguments.
static void inline_callee(ch__lowering *l, ch__builder *b, ch_func *f, int n, ch__value *const *args,
                          ch__value **results) {
    ch__arena *a = l->func->module->arena;
    ch__map funcs;
    ch__map_init(&funcs, a);
    bool itself = is_recursive(f);
    for (ch_func *g = f->module->first; g != NULL; g = g->next) // what the callee calls comes along
        if ((g != f || itself) && ch__map_get(&funcs, lower_key(g)) == NULL)
            ch__func_clone_into(l->func->module, g, &funcs);
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, n > 0 ? n : 1);
    ch__value_map map = {.to = CH_NEW_ARRAY(a, ch__value *, f->n_values), .n = f->n_values};
    for (int i = 0; i < n; i++) {
        types[i] = args[i]->type;
        map.to[f->body->params[i]->id] = args[i];
    }
    ch__dim_subs sub = ch__call_subs(a, f, n, types);
    ch__clone_region_ops(b, f->body, &map, &sub, &funcs);
    for (int i = 0; i < f->body->n_results; i++) results[i] = map.to[f->body->results[i]->id];
}

// The body of callee k as a region: `own` params are new params of the region, the rest (captured values) are args from
// *captured on, which is moved past them.
static ch__region *callee_region(ch__lowering *l, const ch__loc *loc, ch_func *f, int own, const ch__type *const *types,
                                 bool params, ch__value *const *first, ch__value *const **captured) {
    ch__arena *a = l->func->module->arena;
    ch__region *r = ch__region_create(l->func, NULL);
    int n = f->body->n_params;
    ch__value **args = CH_NEW_ARRAY(a, ch__value *, n + 1);
    for (int i = 0; i < n; i++)
        args[i] = i >= own ? *(*captured)++
                  : params ? ch__region_add_param(r, f->body->params[i]->name, types[i])
                           : first[i];
    ch__builder b = ch__builder_at_end(r);
    b.loc = loc;
    ch__value **results = CH_NEW_ARRAY(a, ch__value *, f->body->n_results + 1);
    inline_callee(l, &b, f, n, args, results);
    ch__region_set_results(r, f->body->n_results, results);
    return r;
}

static int add_types(const ch__type **types, int n, int more, ch__value *const *values, bool floats) {
    for (int i = 0; i < more; i++)
        if (!floats || ch__is_float(values[i]->type->dtype)) types[n++] = values[i]->type;
    return n;
}

// Types of the params of the rule that callee k of a composite is; gives how many.
static int rule_types(ch__lowering *l, const ch_tensor *t, int k, int n_in, ch__value *const *args,
                      const ch__region *body, const ch__type ***out) {
    const char *rules = "";
    for (int i = 0; i < t->n_attrs; i++)
        if (t->attrs[i].id == CH__ATTR_rules) rules = t->attrs[i].s;
    bool has[CH__RULE_KINDS], reverse = ch__rules_read(rules, has) && has[CH__RULE_VJP] && k == 1;
    *out = CH_NEW_ARRAY(l->func->module->arena, const ch__type *, 2 * (n_in + body->n_results) + 1);
    int n = add_types(*out, 0, n_in, args, false);
    if (!reverse) return add_types(*out, n, n_in, args, true);
    n = add_types(*out, n, body->n_results, body->results, false);
    return add_types(*out, n, body->n_results, body->results, true);
}

// if: operands pred, inputs, captured of the branches. for: lo hi step, state, captured. while: state, captured of
// condition and body. composite: operands, captured of body and rules. Regions take what they capture from the
// enclosing region.
static ch__op *lower_region_op(ch__lowering *l, ch__builder *b, ch_tensor *t, int n, ch__value **args) {
    ch__arena *a = l->func->module->arena;
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, n + 1);
    ch__region *regions[CH__MAX_CLOSURES] = {NULL};
    int fixed = t->opcode == CH_OP_if ? 1 : t->opcode == CH_OP_for ? 3 : 0; // operands before inputs or state
    int given = t->index, index = t->opcode == CH_OP_for;                   // inputs or state; the loop counter
    types[0] = ch__type_scalar(CH_I64);
    for (int i = 0; i < given; i++) types[index + i] = args[fixed + i]->type;
    ch__value *const *captured = args + fixed + given;
    for (int k = 0; k < t->n_callees; k++) {
        int own = index + given;
        if (t->opcode == CH_OP_composite && k > 0) own = rule_types(l, t, k, given, args, regions[0], &types);
        regions[k] =
            callee_region(l, b->loc, t->callees[k]->func, own, types, t->opcode != CH_OP_if, args + fixed, &captured);
    }
    return ch__build(b, (ch__opcode)t->opcode, t->opcode == CH_OP_if ? 1 : fixed + given, args, t->n_attrs, t->attrs, 0,
                     NULL, t->n_callees, regions);
}

// A group lowers to an array of values, one a result.
static ch__value **lower_group(ch__lowering *l, ch_tensor *t, int n, ch__value **args) {
    ch__arena *a = l->func->module->arena;
    ch__builder b = l->b;
    b.loc = loc_of(l, t->where);
    if (t->opcode == CH_OP_call) {
        ch_func *f = t->callees[0]->func;
        ch__value **results = CH_NEW_ARRAY(a, ch__value *, f->body->n_results + 1);
        inline_callee(l, &b, f, n, args, results);
        return results;
    }
    ch__op *op = t->n_callees > 0
                     ? lower_region_op(l, &b, t, n, args)
                     : ch__build(&b, (ch__opcode)t->opcode, n, args, t->n_attrs, t->attrs, 0, NULL, 0, NULL);
    ch__value **results = CH_NEW_ARRAY(a, ch__value *, op->n_results + 1);
    for (int i = 0; i < op->n_results; i++) results[i] = &op->results[i];
    return results;
}

static void lower_node(ch__lowering *l, ch_tensor *t) {
    if (t->kind == CH__T_RESULT) {
        ch__value **results = t->operands[0]->lowered;
        t->lowered = results[t->index];
        t->stamp = l->stamp;
        return;
    }
    ch__arena *a = l->func->module->arena;
    if (t->kind == CH__T_VERSION) {
        t->lowered = value_of(l, ch__operand(t, 0));
        t->stamp = l->stamp;
        CH_PUSH(a, &l->versions, t);
        return;
    }
    const ch_tensor *number = repeated_number(l, t);
    if (number != NULL) {
        const ch__type *type = ch__type_copy(a, &t->type);
        ch__builder b = l->b;
        b.loc = loc_of(l, t->where);
        t->lowered =
            &ch__build_raw(&b, CH_OP_const, 0, NULL, number->n_attrs, number->attrs, 1, &type, 0, NULL)->results[0];
        t->stamp = l->stamp;
        return;
    }
    enum { FEW = 4 };
    ch__value *few[FEW], **args = t->n_operands <= FEW ? few : CH_NEW_ARRAY(a, ch__value *, t->n_operands);
    for (int i = 0; i < t->n_operands; i++) args[i] = value_of(l, ch__operand(t, i));
    if (t->kind == CH__T_GROUP) {
        t->lowered = lower_group(l, t, t->n_operands, args);
        t->stamp = l->stamp;
        return;
    }
    // Elementwise results mostly have the first operand's type: share it.
    const ch__type *type =
        t->n_operands > 0 && ch__type_equal(args[0]->type, &t->type) ? args[0]->type : ch__type_copy(a, &t->type);
    ch__builder b = l->b;
    b.loc = loc_of(l, t->where);
    ch__op *op = ch__build_raw(&b, (ch__opcode)t->opcode, t->n_operands, args, t->n_attrs, t->attrs, 1, &type, 0, NULL);
    t->lowered = &op->results[0];
    t->stamp = l->stamp;
}

// A node without operands to wait for: leaves, inputs, errors. True: settled.
static bool settle(ch__lowering *l, ch_tensor *t) {
    if (t->kind == CH__T_ERROR) {
        ch__error_publish(t->error);
        ch__raise_current();
    }
    if (is_leaf(l, t)) {
        leaf(l, t);
        return true;
    }
    if (t->stamp == l->stamp) return true;
    if (t->kind != CH__T_INPUT) return false;
    ch__trace_state *trace = ch__trace_current();
    if (!t->trace->active)
        ch__raise(CH__E_capture_state,
                  "%s: input %d of a capture that has ended was used — its tensors live inside the captured "
                  "function only",
                  t->where, t->index);
    if (trace != t->trace || l->func != trace->func)
        ch__raise(CH__E_not_realized,
                  "%s: input %d of a capture has no data — inside a captured function nothing can be read or "
                  "realized that depends on its inputs",
                  t->where, t->index);
    t->lowered = l->func->body->params[t->index];
    t->stamp = l->stamp;
    return true;
}

void ch__lower(ch__lowering *l, int n, ch_tensor *const *roots, ch__value **out) {
    ch__arena *a = l->func->module->arena;
    typedef struct {
        ch_tensor *t;
        int next;
    } frame;
    CH_VEC(frame) stack = {0};
    for (int r = 0; r < n; r++) {
        if (!settle(l, roots[r])) CH_PUSH(a, &stack, (frame){roots[r], 0});
        while (stack.n > 0) {
            frame *f = &stack.data[stack.n - 1];
            ch_tensor *t = f->t;
            if (t->stamp == l->stamp) {
                stack.n--;
            } else if (f->next < t->n_operands && repeated_number(l, t) == NULL) {
                ch_tensor *x = ch__operand(t, f->next++);
                if (x->ghost && !t->internal)
                    ch__raise(CH__E_assign_lost,
                              "%s: the value read here was written over in place by an assignment — take the gradient "
                              "before the tensor is assigned",
                              t->where);
                if (!settle(l, x)) CH_PUSH(a, &stack, (frame){x, 0});
            } else {
                lower_node(l, t);
                stack.n--;
            }
        }
        out[r] = value_of(l, roots[r]);
    }
}
