// SPDX-License-Identifier: Apache-2.0
// jit_var.c - variables of a jit: integers with bounds, and tensors that depend on them.
//
// In an eager run a bind is its value. While a jit records it is the size of a placeholder that has no elements,
// i8[name,0], so that one program serves every value: as a symbol in types, and by the op `dim` as a number.

#include "tensor/jit.h"

#include <string.h>

static bool jit_identifier(const char *s) {
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return n > 0 && n <= 64 && s[n] == '\0' && (s[0] < '0' || s[0] > '9');
}

ch_var *ch_var_create(const char *name, int64_t lo, int64_t hi) {
    if (name == NULL || !jit_identifier(name)) {
        ch__fail(CH__E_argument, "var_create: the name is %s — give a C identifier of at most 64 characters",
                 name == NULL ? "NULL" : name);
        return NULL;
    }
    if (lo < 0 || lo > hi) {
        ch__fail(CH__E_argument, "var_create: %s in %" PRId64 "..%" PRId64 " — 0 <= lo <= hi is needed", name, lo, hi);
        return NULL;
    }
    size_t n = strlen(name) + 1;
    ch_var *v = ch__alloc(sizeof *v + n);
    if (v == NULL) {
        ch__fail_oom("a variable");
        return NULL;
    }
    atomic_init(&v->refs, 1);
    v->lo = lo;
    v->hi = hi;
    memcpy(v->name, name, n);
    return v;
}

void ch_var_destroy(ch_var *v) {
    if (v != NULL && atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) == 1) ch__free(v);
}

ch_bind ch_bind_none(const ch_var *v) { return (ch_bind){v, 0, 0}; }

ch_bind ch_bind_value(const ch_var *v, int64_t value) {
    if (v == NULL)
        ch__fail(CH__E_argument, "bind_value: the variable is NULL — give one from ch_var_create");
    else if (value < v->lo || value > v->hi)
        ch__fail(CH__E_jit_var_range, "bind_value: %s = %" PRId64 " — it is in %" PRId64 "..%" PRId64, v->name, value,
                 v->lo, v->hi);
    return (ch_bind){v, value, 1};
}

// The placeholder of b's variable while a jit records; NULL: take the value. *error: b cannot be used.
static ch_tensor *placeholder(const char *where, const char *what, ch_bind b, ch_tensor **error) {
    *error = NULL;
    ch_status s = CH_OK;
    if (b.var == NULL)
        s = ch__fail(CH__E_argument, "%s: the bind has no variable — make it by ch_bind_value", what);
    else if (!b.bound)
        s = ch__fail(CH__E_jit_var_unbound, "%s: %s has no value — bind it by ch_bind_value", what, b.var->name);
    else if (b.value < b.var->lo || b.value > b.var->hi)
        s = ch__fail(CH__E_jit_var_range, "%s: %s = %" PRId64 " — it is in %" PRId64 "..%" PRId64, what, b.var->name,
                     b.value, b.var->lo, b.var->hi);
    const ch__jit_body *body = ch__jit_recording();
    for (int i = 0; s == CH_OK && body != NULL && i < body->n_vars; i++)
        if (strcmp(body->vars[i].var->name, b.var->name) == 0) return body->trace->inputs[body->n_in + i];
    if (s == CH_OK && body != NULL)
        s = ch__fail(CH__E_jit_var_foreign,
                     "%s: %s is no variable of this call — pass it in vars, or its value would be frozen", what,
                     b.var->name);
    if (s != CH_OK) *error = ch__node_error(where);
    return NULL;
}

ch_tensor *ch_bind_scalar_at(const char *where, ch_bind b) {
    ch_tensor *error, *p = placeholder(where, "bind_scalar", b, &error);
    if (error != NULL) return error;
    if (p != NULL) return ch_size_of_at(where, p, 0);
    ch__jit_quiet(1);
    ch_tensor *t = ch_from_i64_at(where, &b.value, 0, NULL);
    ch__jit_quiet(-1);
    return t;
}

static bool axis_and_room(const char *where, const char *what, ch_tensor *x, int axis, const ch_bind *b, int64_t size,
                          int *at, ch_tensor **error) {
    *error = ch__first_error(where, what, 1, &x);
    if (*error != NULL || !ch__op_axis(where, what, x, axis, x->type.rank, at, error)) return false;
    ch__dim have = x->type.dims[*at];
    if (size >= 0 && (have.sym != NULL || (b->var->hi <= have.val && size <= have.val - b->var->hi))) return true;
    char type[256];
    ch_tensor_type(x, type, sizeof type);
    if (size < 0)
        ch__fail(CH__E_argument, "%s: size %" PRId64 " — at least 0 is allowed", what, size);
    else
        ch__fail(CH__E_shape_mismatch,
                 "%s: %s along axis %d, up to %s = %" PRId64 " and %" PRId64 " more — that lies beyond it; make the "
                 "variable's bound smaller",
                 what, type, *at, b->var->name, b->var->hi, size);
    *error = ch__node_error(where);
    return false;
}

ch_tensor *ch_bind_slice_at(const char *where, ch_tensor *x, int axis, ch_bind b, int64_t size) {
    ch_tensor *error, *start = ch_bind_scalar_at(where, b);
    int at;
    if (start->kind == CH__T_ERROR) return start;
    if (!axis_and_room(where, "bind_slice", x, axis, &b, size, &at, &error)) return error;
    ch_tensor *starts[CH__MAX_RANK], *zero = ch_scalar_at(where, CH_I64, 0);
    ch__dim sizes[CH__MAX_RANK];
    for (int i = 0; i < x->type.rank; i++) {
        starts[i] = i == at ? start : zero;
        sizes[i] = i == at ? ch__dim_const(size) : x->type.dims[i];
    }
    ch_tensor *operands[1 + CH__MAX_RANK] = {x};
    memcpy(operands + 1, starts, (size_t)x->type.rank * sizeof *starts);
    ch__attr attr = ch__attr_dims(CH__ATTR_sizes, x->type.rank, sizes);
    return ch__op1(where, CH_OP_dynamic_slice, 1 + x->type.rank, operands, 1, &attr, NULL);
}

ch_tensor *ch_bind_first_at(const char *where, ch_tensor *x, int axis, ch_bind b) {
    ch_tensor *error, *p = placeholder(where, "bind_first", b, &error);
    int at;
    if (error != NULL) return error;
    if (!axis_and_room(where, "bind_first", x, axis, &b, 0, &at, &error)) return error;
    ch__dim starts[CH__MAX_RANK], limits[CH__MAX_RANK];
    for (int i = 0; i < x->type.rank; i++) {
        starts[i] = ch__dim_const(0);
        limits[i] = i != at ? x->type.dims[i] : p != NULL ? p->type.dims[0] : ch__dim_const(b.value);
    }
    ch__attr attrs[2] = {ch__attr_dims(CH__ATTR_start, x->type.rank, starts),
                         ch__attr_dims(CH__ATTR_limit, x->type.rank, limits)};
    return ch__op1(where, CH_OP_slice, 1, &x, 2, attrs, NULL);
}
