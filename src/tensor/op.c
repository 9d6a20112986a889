// SPDX-License-Identifier: Apache-2.0
// op.c - an expression from operands and attributes: broadcasting, the shape rule, the node.
//
// The common case (elementwise, equal static types) needs no arena: the result type is the operand's. Everything else
// runs ops.def's shape rule in a scratch arena, or in the trace's arena while a function is captured.

#include "tensor/tensor.h"

#include <string.h>

struct infer_args {
    const char *where;
    ch__opcode code;
    int n, n_attrs, n_types, n_out;
    ch_tensor *const *operands;
    const ch__attr *attrs;
    const ch__type *const *types;
    ch__arena *scratch; // to destroy afterwards; NULL while tracing
    const ch__type **results;
    const ch__type *joint; // the type elementwise operands are broadcast to, or NULL
    ch__callee *callee;
};

static ch__arena *infer_arena(struct infer_args *p) {
    ch__trace_state *t = ch__trace_current();
    if (t != NULL) return t->module->arena;
    p->scratch = ch__arena_create();
    return p->scratch;
}

static ch_func *requires_func(void) {
    ch__trace_state *t = ch__trace_current();
    return t == NULL ? NULL : t->requires_func;
}

static bool broadcasts(const ch__op_info *info, ch__opcode code) {
    return (info->flags & CH__ELEMWISE) != 0 && info->max_operands > 1 && code != CH_OP_cmath;
}

// Joint type of operands that differ in shape; their dtypes are left to the rule.
static const ch__type *joint_type(struct infer_args *p, ch__arena *a) {
    const ch__type *joint = &p->operands[0]->type;
    bool differ = false;
    for (int i = 1; i < p->n; i++) {
        const ch__type *t = &p->operands[i]->type;
        if (ch__type_same_shape(joint, t)) continue;
        differ = true;
        joint = ch__broadcast_types(a, requires_func(), ch__op_name(p->code), joint, t);
    }
    return differ ? joint : NULL;
}

static bool same_dtypes(const struct infer_args *p) {
    int from = p->code == CH_OP_select ? 1 : 0;
    for (int i = from + 1; i < p->n; i++)
        if (p->operands[i]->type.dtype != p->operands[from]->type.dtype) return false;
    return true;
}

static void infer(void *arg) {
    struct infer_args *p = arg;
    ch__arena *a = infer_arena(p);
    const ch__op_info *info = ch__op_info_of(p->code);
    if (broadcasts(info, p->code) && p->n > 1 && same_dtypes(p)) p->joint = joint_type(p, a);
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, p->n > 0 ? p->n : 1);
    for (int i = 0; i < p->n; i++) {
        types[i] = &p->operands[i]->type;
        if (p->joint != NULL) types[i] = ch__type_with_dtype(a, p->joint, types[i]->dtype);
    }
    int max = ch__infer_max_results(p->code, p->n);
    if (max < p->n_types) max = p->n_types;
    p->results = CH_NEW_ARRAY(a, const ch__type *, max > 0 ? max : 1);
    for (int i = 0; i < p->n_types; i++) p->results[i] = p->types[i];
    ch__infer in = {.arena = a,
                    .func = requires_func(),
                    .code = p->code,
                    .n_operands = p->n,
                    .operands = types,
                    .n_attrs = p->n_attrs,
                    .attrs = p->attrs,
                    .n_results = p->n_types,
                    .results = p->results,
                    .where = p->where};
    ch__infer_types(&in);
    if (in.n_results != p->n_out)
        ch__raise(CH__E_arity, "%s: room for %d results given — it gives %d", info->name, p->n_out, in.n_results);
}

// An operand as an expression of the joint type. A constant is broadcast like the rest, so that gradients reach it;
// lowering makes one constant of it again.
static ch_tensor *broadcast_operand(const char *where, ch_tensor *x, const ch__type *joint) {
    if (ch__type_same_shape(&x->type, joint)) return x;
    ch__type type = *joint;
    type.dtype = x->type.dtype;
    int64_t dims[CH__MAX_RANK] = {0};
    for (int i = 0; i < x->type.rank; i++) dims[i] = joint->rank - x->type.rank + i;
    ch__attr attr = ch__attr_ints(CH__ATTR_dims, x->type.rank, dims);
    return ch__node(&(ch__node_spec){.kind = CH__T_OP,
                                     .opcode = CH_OP_broadcast,
                                     .where = where,
                                     .type = &type,
                                     .n_operands = 1,
                                     .operands = &x,
                                     .n_attrs = 1,
                                     .attrs = &attr});
}

// Elementwise on operands of one static type without axis names, of a dtype the op takes: nothing to work out.
static bool plain_elementwise(ch__opcode code, const ch__op_info *info, int n, ch_tensor *const *x) {
    if ((info->flags & (CH__ELEMWISE | CH__INTEGER)) != CH__ELEMWISE || info->typed || n < 1 || info->attrs != 0)
        return false;
    if (code == CH_OP_select || code == CH_OP_clamp || n != info->min_operands || n != info->max_operands) return false;
    const ch__type *t = &x[0]->type;
    if (t->axes != NULL || strchr(info->dtypes, ch__dtype_class(t->dtype)) == NULL) return false;
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d].sym != NULL) return false;
    for (int i = 1; i < n; i++)
        if (x[i]->type.axes != NULL || x[i]->type.dtype != t->dtype || !ch__type_same_shape(&x[i]->type, t))
            return false;
    return true;
}

static void fill(ch_tensor *t, int n_out, ch_tensor **out) {
    for (int i = 0; i < n_out; i++) out[i] = t;
}

void ch__group_results(const char *where, ch_tensor *group, int n_out, const ch__type *const *types, ch_tensor **out) {
    if (group->kind == CH__T_ERROR) {
        fill(group, n_out, out);
        return;
    }
    for (int i = 0; i < n_out; i++)
        out[i] = ch__node(&(ch__node_spec){
            .kind = CH__T_RESULT, .where = where, .type = types[i], .n_operands = 1, .operands = &group, .index = i});
    ch__tensor_release(group); // the results hold it
}

static void build(struct infer_args *p, ch_tensor **out) {
    enum { FEW = 8 };
    ch_tensor *few[FEW], **operands = few;
    if (p->n > FEW) {
        operands = ch__alloc((size_t)p->n * sizeof *operands);
        if (operands == NULL) {
            ch__fail_oom("an expression");
            fill(ch__node_error(p->where), p->n_out, out);
            return;
        }
    }
    for (int i = 0; i < p->n; i++)
        operands[i] = p->joint == NULL ? p->operands[i] : broadcast_operand(p->where, p->operands[i], p->joint);
    ch__node_spec spec = {.kind = p->n_out == 1 ? CH__T_OP : CH__T_GROUP,
                          .opcode = p->code,
                          .where = p->where,
                          .type = p->n_out == 1 ? p->results[0] : NULL,
                          .n_operands = p->n,
                          .operands = operands,
                          .n_attrs = p->n_attrs,
                          .attrs = p->attrs};
    ch_tensor *error = ch__first_error(p->where, ch__op_name(p->code), p->n, operands);
    ch_tensor *t = error != NULL ? error : ch__node(&spec);
    if (p->n_out == 1)
        out[0] = t;
    else
        ch__group_results(p->where, t, p->n_out, p->results, out);
    if (operands != few) ch__free(operands);
}

void ch__op_n(const char *where, ch__opcode code, int n, ch_tensor *const *operands, int n_attrs, const ch__attr *attrs,
              int n_types, const ch__type *const *types, int n_out, ch_tensor **out) {
    const ch__op_info *info = ch__op_info_of(code);
    ch_tensor *error = ch__first_error(where, info->name, n, operands);
    if (error != NULL) {
        fill(error, n_out, out);
        return;
    }
    struct infer_args p = {.where = where,
                           .code = code,
                           .n = n,
                           .n_attrs = n_attrs,
                           .n_types = n_types,
                           .n_out = n_out,
                           .operands = operands,
                           .attrs = attrs,
                           .types = types};
    if (n_out == 1 && plain_elementwise(code, info, n, operands)) {
        const ch__type *type = &operands[0]->type;
        p.results = &type;
        build(&p, out);
        return;
    }
    if (ch__protect(infer, &p) != CH_OK) { // the scratch arena was dropped with the failure
        fill(ch__node_error(where), n_out, out);
        return;
    }
    build(&p, out);
    ch__arena_destroy(p.scratch);
}

ch_tensor *ch__op1(const char *where, ch__opcode code, int n, ch_tensor *const *operands, int n_attrs,
                   const ch__attr *attrs, const ch__type *type) {
    ch_tensor *out = NULL;
    ch__op_n(where, code, n, operands, n_attrs, attrs, type != NULL, &type, 1, &out);
    return out;
}

// ---- applying a func
static void infer_apply(void *arg) {
    struct infer_args *p = arg;
    ch__arena *a = infer_arena(p);
    ch_func *f = p->callee->func;
    ch__region *body = f->body;
    if (p->n != body->n_params)
        ch__raise(CH__E_arity, "apply: %d inputs given — @%s takes %d", p->n, f->name, body->n_params);
    if (p->n_out != body->n_results)
        ch__raise(CH__E_arity, "apply: room for %d results given — @%s gives %d", p->n_out, f->name, body->n_results);
    const ch__type **types = CH_NEW_ARRAY(a, const ch__type *, p->n > 0 ? p->n : 1);
    for (int i = 0; i < p->n; i++) types[i] = &p->operands[i]->type;
    ch__attr attr = ch__attr_func(CH__ATTR_callee, f); // its params' types, bounds and clauses have to hold here
    ch__infer in = {.arena = a,
                    .func = requires_func(),
                    .code = CH_OP_call,
                    .n_operands = p->n,
                    .operands = types,
                    .n_attrs = 1,
                    .attrs = &attr,
                    .where = p->where};
    ch__infer_types(&in);
    p->results = in.results;
}

void ch__apply(const char *where, ch__opcode code, int n_attrs, const ch__attr *attrs, ch__callee *callee, int n_in,
               ch_tensor *const *in, int n_out, ch_tensor **out) {
    ch_tensor *error = ch__first_error(where, callee->func->name, n_in, in);
    if (error != NULL) {
        fill(error, n_out, out);
        return;
    }
    struct infer_args p = {.where = where, .code = code, .n = n_in, .n_out = n_out, .operands = in, .callee = callee};
    if (ch__protect(infer_apply, &p) != CH_OK) {
        fill(ch__node_error(where), n_out, out);
        return;
    }
    ch_tensor *group = ch__node(&(ch__node_spec){.kind = CH__T_GROUP,
                                                 .opcode = code,
                                                 .where = where,
                                                 .n_operands = n_in,
                                                 .operands = in,
                                                 .index = n_in,
                                                 .n_attrs = n_attrs,
                                                 .attrs = attrs,
                                                 .n_callees = 1,
                                                 .callees = &callee});
    ch__group_results(where, group, n_out, p.results, out);
    ch__arena_destroy(p.scratch);
}

void ch_func_apply_at(const char *where, const ch_func *f, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    ch_func *copy = NULL;
    ch__callee *callee = NULL;
    if (f == NULL) ch__fail(CH__E_argument, "func_apply: the func is NULL — give a func");
    if (f != NULL && ch_func_clone(f, &copy) == CH_OK) callee = ch__callee_create(copy);
    if (callee == NULL) {
        fill(ch__node_error(where), n_out, out);
        return;
    }
    ch__apply(where, CH_OP_call, 0, NULL, callee, n_in, in, n_out, out);
    ch__callee_release(callee);
}

ch_tensor *ch__composite(const char *where, const char *name, const char *args, ch_tensor_fn fn, void *user, int n_in,
                         ch_tensor *const *in) {
    ch_tensor *out = ch__first_error(where, name, n_in, in);
    if (out != NULL) return out;
    enum { MOST = 16 };
    const ch__type *types[MOST];
    for (int i = 0; i < n_in && i < MOST; i++) types[i] = &in[i]->type;
    ch__trace_state *t = ch__trace_open(name, n_in, types);
    if (t == NULL) return ch__node_error(where);
    ch_tensor *result = NULL;
    if (fn(user, n_in, t->inputs, 1, &result) != CH_OK) {
        ch__trace_drop(t);
        return ch__node_error(where);
    }
    if (result->kind == CH__T_ERROR) { // the sentence is about the caller's operands: keep it whole
        ch__error_copy e = *result->error;
        ch__trace_drop(t);
        ch__error_publish(&e);
        const char *colon = strstr(e.message, ": "); // the inner place is the library's own
        if (colon != NULL && strncmp(e.message, where, (size_t)(colon - e.message)) == 0) {
            memmove(e.message, colon + 2, strlen(colon + 2) + 1);
            ch__error_publish(&e);
        }
        return ch__node_error(where);
    }
    ch_func *body = ch__trace_close(t, 1, &result, NULL, NULL, NULL);
    if (body != NULL) body->within = true;
    ch__callee *callee = body == NULL ? NULL : ch__callee_create(body);
    if (callee == NULL) return ch__node_error(where);
    ch__attr attrs[2] = {ch__attr_str(CH__ATTR_name, name)};
    int n_attrs = 1;
    if (args != NULL && args[0] != '\0') attrs[n_attrs++] = ch__attr_str(CH__ATTR_args, args);
    ch__apply(where, CH_OP_composite, n_attrs, attrs, callee, n_in, in, 1, &out);
    ch__callee_release(callee);
    return out;
}
