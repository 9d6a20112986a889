// SPDX-License-Identifier: Apache-2.0
// ones.c - operations on numbers of rows are computed without the axes of size 1 that they were given.
//
// A mean that keeps its axis is f32[n,1] (keepdims elsewhere), and so is what is made of it: the root of a variance,
// a norm. A group over rows of f32[n,65] has numbers of its outer axes, f32[n] (rows.c); f32[n,1] would be loops of its
// own, and a layer norm three kernels. On the printer's own clone an operation on elements that reads such a reshape
//
//     %s = reshape %v : f32[n,1]      %r = rsqrt %s : f32[n,1]
// becomes
//     %q = rsqrt %v : f32[n]          %r = reshape %q : f32[n,1]
//
// for as long as its operands are such reshapes or the same number everywhere. Element for element it is the same.
#include "cgen/native.h"

static bool axis_is_one(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

// Is t the shape of u with axes of size 1 put in?
static bool has_ones_more(const ch__type *t, const ch__type *u) {
    int k = 0;
    if (u->rank == 0 || u->rank >= t->rank) return false;
    for (int i = 0; i < t->rank; i++) {
        bool same = k < u->rank && ch__dim_equal(t->dims[i], u->dims[k]);
        if (!same && !axis_is_one(t->dims[i])) return false;
        k += same;
    }
    return k == u->rank;
}

// What v is with axes of size 1 put in; NULL: nothing of less axes.
static ch__value *without_ones(const ch__value *v) {
    const ch__op *op = v->op;
    if (op == NULL || (op->code != CH_OP_reshape && op->code != CH_OP_broadcast)) return NULL;
    ch__value *u = op->operands[0];
    if (!has_ones_more(v->type, u->type)) return NULL;
    const ch__attr *dims = op->code == CH_OP_broadcast ? ch__op_attr(op, CH__ATTR_dims) : NULL;
    for (int i = 0; dims != NULL && i < dims->n; i++)
        if ((i > 0 && dims->ints[i] <= dims->ints[i - 1]) ||
            !ch__dim_equal(u->type->dims[i], v->type->dims[dims->ints[i]]))
            return NULL; // its axes in another order, or repeated
    return u;
}

// The same number everywhere.
static bool same_everywhere(const ch__value *v) {
    const ch__op *op = v->op;
    if (v->type->rank == 0) return true;
    if (op == NULL) return false;
    if (op->code == CH_OP_const) return ch__op_attr(op, CH__ATTR_value)->array->splat;
    return op->code == CH_OP_broadcast && op->operands[0]->type->rank == 0;
}

static ch__value *number_as(cg_file *file, ch__builder *b, ch__value *v, const ch__type *shape) {
    if (v->type->rank == 0) return v;
    const ch__type *t = ch__type_make(file->a, v->type->dtype, shape->rank, shape->dims, NULL);
    if (v->op->code == CH_OP_broadcast) return ch__b_broadcast(b, v->op->operands[0], t, NULL);
    ch__array a = *ch__op_attr(v->op, CH__ATTR_value)->array;
    a.rank = 0;
    return ch__b_broadcast(b, ch__b_const(b, &a), t, NULL);
}

// The shape that op can be computed at instead of its own; NULL: none.
static const ch__type *smaller_shape(const ch__op *op) {
    const ch__type *shape = NULL;
    if (op->n_results != 1 || op->n_regions > 0 || !(ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE))
        return NULL;
    for (int j = 0; j < op->n_operands; j++) {
        const ch__value *u = without_ones(op->operands[j]);
        if (u == NULL && !same_everywhere(op->operands[j])) return NULL;
        if (u == NULL) continue;
        if (shape != NULL && !ch__cg_same_dims(shape, u->type)) return NULL;
        shape = u->type;
    }
    return shape;
}

void ch__cg_ones(cg_file *file, ch_func *f) {
    for (ch__op *op = f->body->first; op; op = op->next) {
        const ch__type *shape = smaller_shape(op);
        if (shape == NULL) continue;
        ch__builder b = {.func = f, .region = f->body, .before = op, .loc = op->loc};
        ch__value **operands = CH_NEW_ARRAY(file->a, ch__value *, op->n_operands);
        for (int j = 0; j < op->n_operands; j++) {
            ch__value *u = without_ones(op->operands[j]);
            operands[j] = u != NULL ? u : number_as(file, &b, op->operands[j], shape);
        }
        const ch__type *t = ch__type_make(file->a, op->results[0].type->dtype, shape->rank, shape->dims, NULL);
        ch__op *made = ch__build_shallow(&b, (ch__opcode)op->code, op->n_operands, operands, op->n_attrs, op->attrs, 1,
                                         &t, 0, NULL);
        op->code = CH_OP_reshape; // its readers find it where it was
        op->operands[0] = &made->results[0];
        op->n_operands = 1;
        op->n_attrs = 0;
    }
    ch__renumber(f);
}
