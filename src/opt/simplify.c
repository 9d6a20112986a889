// SPDX-License-Identifier: Apache-2.0
// simplify.c - local rewrites that change no bit of any result.
//
// Allowed: x * 1, x / 1, x - (+0), x + (-0), x * -1 = -x, -(-x), a - (-b) = a + b, chains of exact converts, of
// reshapes, transposes, broadcasts and slices, selects with a known or useless predicate, branches with a known
// predicate or one outcome, what loops hand on unchanged, what was just put into an array. Not allowed: 0 * x, x + 0
// (-0 + 0 is +0), -(a - b) (both zeros are +0), reassociation, x - x.
// A NaN may change its sign or payload (docs/architecture.md, Numbers).
#include "opt/opt.h"

#include <string.h>

static bool op_is(const ch__value *v, ch__opcode code) { return v->op != NULL && v->op->code == code; }
static ch__value *operand_of(const ch__value *v, int i) { return v->op->operands[i]; }
static bool types_match(const ch__value *x, const ch__value *y) {
    return x->type == y->type || ch__type_equal(x->type, y->type);
}

// ---------------------------------------------------------------- numbers
static ch__value *simplify_binary(ch__rewriter *r, ch__opcode code, ch__value *x, ch__value *y, const ch__op *from) {
    ch__value *xs[2] = {x, y};
    const ch__type *t = from->results[0].type;
    return &ch__build_raw(&r->b, code, 2, xs, from->n_attrs, from->attrs, 1, &t, 0, NULL)->results[0];
}

static ch__value *simplify_neg_of(ch__rewriter *r, ch__value *x) {
    const ch__type *t = x->type;
    return &ch__build_raw(&r->b, CH_OP_neg, 1, &x, 0, NULL, 1, &t, 0, NULL)->results[0];
}

static ch__value *simplify_add(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0], *y = op->operands[1];
    bool real = ch__is_float(x->type->dtype);
    double zero = real ? -0.0 : 0.0;
    if (ch__const_is_splat(y, zero)) return x;
    if (ch__const_is_splat(x, zero)) return y;
    if (!real) return NULL; // negations of integers may carry nowrap promises: left alone
    if (op_is(y, CH_OP_neg)) return simplify_binary(r, CH_OP_sub, x, operand_of(y, 0), op);
    if (op_is(x, CH_OP_neg)) return simplify_binary(r, CH_OP_sub, y, operand_of(x, 0), op);
    return NULL;
}

static ch__value *simplify_sub(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0], *y = op->operands[1];
    if (ch__const_is_splat(y, 0.0)) return x;
    if (!ch__is_float(x->type->dtype)) return NULL;
    if (ch__const_is_splat(x, -0.0)) return simplify_neg_of(r, y);
    if (op_is(y, CH_OP_neg)) return simplify_binary(r, CH_OP_add, x, operand_of(y, 0), op);
    return NULL;
}

static ch__value *simplify_mul(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0], *y = op->operands[1];
    if (ch__const_is_splat(y, 1.0)) return x;
    if (ch__const_is_splat(x, 1.0)) return y;
    if (!ch__is_float(x->type->dtype)) {
        if (ch__const_is_splat(y, 0.0)) return y; // exact for integers, not for floats
        if (ch__const_is_splat(x, 0.0)) return x;
        return NULL;
    }
    if (ch__const_is_splat(y, -1.0)) return simplify_neg_of(r, x);
    if (ch__const_is_splat(x, -1.0)) return simplify_neg_of(r, y);
    if (op_is(x, CH_OP_neg) && op_is(y, CH_OP_neg))
        return simplify_binary(r, CH_OP_mul, operand_of(x, 0), operand_of(y, 0), op);
    return NULL;
}

static ch__value *simplify_div(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0], *y = op->operands[1];
    if (ch__const_is_splat(y, 1.0)) return x;
    if (!ch__is_float(x->type->dtype)) return NULL;
    if (ch__const_is_splat(y, -1.0)) return simplify_neg_of(r, x);
    if (op_is(x, CH_OP_neg) && op_is(y, CH_OP_neg))
        return simplify_binary(r, CH_OP_div, operand_of(x, 0), operand_of(y, 0), op);
    return NULL;
}

// Value-preserving conversions: every value of `from` is one of `to`.
static bool convert_exact(ch_dtype from, ch_dtype to) {
    if (from == to) return true;
    size_t f = ch_dtype_size(from), t = ch_dtype_size(to);
    if (ch__dtype_class(from) == 's') return ch__is_float(to);
    if (ch__is_float(from)) return ch__is_float(to) && f < t;
    if (from == CH_BOOL) return ch__is_int(to) || ch__is_float(to);
    if (!ch__is_int(from)) return false;
    if (ch__is_int(to)) return ch__is_signed(from) ? ch__is_signed(to) && f < t : f < t;
    if (to == CH_F64) return f <= 4;
    return to == CH_F32 && f <= 2;
}

// convert(convert(x)): the outer conversion from x itself, when the inner one is exact and both tell the same story
// about what does not fit (integers wrap, floats to integers saturate).
static ch__value *simplify_convert(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0];
    ch_dtype to = op->results[0].type->dtype;
    if (types_match(x, &op->results[0])) return x;
    if (!op_is(x, CH_OP_convert)) return NULL;
    ch__value *first = operand_of(x, 0);
    ch_dtype from = first->type->dtype, mid = x->type->dtype;
    if (!convert_exact(from, mid)) return NULL;
    if (to == from) return types_match(first, &op->results[0]) ? first : NULL;
    bool whole_from = !ch__is_float(from) && ch__dtype_class(from) != 's', whole_mid = !ch__is_float(mid);
    if (whole_from != whole_mid && !ch__is_float(to)) return NULL;
    const ch__type *t = op->results[0].type;
    return &ch__build_raw(&r->b, CH_OP_convert, 1, &first, op->n_attrs, op->attrs, 1, &t, 0, NULL)->results[0];
}

static ch__value *simplify_select(ch__rewriter *r, ch__op *op) {
    ch__value *pred = op->operands[0], *yes = op->operands[1], *no = op->operands[2];
    double p;
    if (yes == no) return yes;
    if (ch__const_splat_f64(pred, &p)) return p != 0 ? yes : no;
    if (!op_is(pred, CH_OP_not)) return NULL;
    ch__value *xs[3] = {operand_of(pred, 0), no, yes};
    const ch__type *t = op->results[0].type;
    return &ch__build_raw(&r->b, CH_OP_select, 3, xs, 0, NULL, 1, &t, 0, NULL)->results[0];
}

static ch__value *simplify_logic(ch__rewriter *r, ch__op *op) {
    (void)r;
    ch__value *x = op->operands[0], *y = op->operands[1];
    if (x == y && op->code != CH_OP_xor) return x;
    if (x->type->dtype != CH_BOOL) return NULL;
    double unit = op->code == CH_OP_and; // true and x, false or x, false xor x
    if (ch__const_is_splat(x, unit)) return y;
    if (ch__const_is_splat(y, unit)) return x;
    if (op->code == CH_OP_xor) return NULL;
    if (ch__const_is_splat(x, 1 - unit)) return x;
    if (ch__const_is_splat(y, 1 - unit)) return y;
    return NULL;
}

// ---------------------------------------------------------------- shapes
static ch__value *shape_op(ch__rewriter *r, ch__opcode code, ch__value *x, int n_attrs, const ch__attr *attrs,
                           const ch__type *t) {
    return &ch__build_raw(&r->b, code, 1, &x, n_attrs, attrs, 1, &t, 0, NULL)->results[0];
}

// Moving the elements of one number about gives that number in the new shape.
static ch__value *simplify_moved_splat(ch__rewriter *r, ch__op *op) {
    const ch__array *c = ch__const_of(op->operands[0]);
    if (c == NULL || !(c->splat || op->operands[0]->type->rank == 0)) return NULL;
    return ch__const_splat_as(&r->b, op->results[0].type, c);
}

static ch__value *simplify_reshape(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0], *y = &op->results[0];
    if (types_match(x, y)) return x;
    if (op_is(x, CH_OP_reshape)) {
        if (types_match(operand_of(x, 0), y)) return operand_of(x, 0);
        return shape_op(r, CH_OP_reshape, operand_of(x, 0), 0, NULL, y->type);
    }
    return simplify_moved_splat(r, op);
}

static bool perm_identity(const int64_t *v, int n) {
    for (int i = 0; i < n; i++)
        if (v[i] != i) return false;
    return true;
}

static ch__value *simplify_transpose(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0];
    const ch__attr *perm = ch__op_attr(op, CH__ATTR_perm);
    if (perm_identity(perm->ints, perm->n)) return x;
    if (op_is(x, CH_OP_transpose)) {
        const ch__attr *inner = ch__op_attr(x->op, CH__ATTR_perm);
        int64_t both[CH__MAX_RANK];
        for (int i = 0; i < perm->n; i++) both[i] = inner->ints[perm->ints[i]];
        if (perm_identity(both, perm->n)) return operand_of(x, 0);
        ch__attr a = ch__attr_ints(CH__ATTR_perm, perm->n, both);
        return shape_op(r, CH_OP_transpose, operand_of(x, 0), 1, &a, op->results[0].type);
    }
    return simplify_moved_splat(r, op);
}

static ch__value *simplify_broadcast(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0];
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    if (types_match(x, &op->results[0]) && perm_identity(dims->ints, dims->n)) return x;
    if (op_is(x, CH_OP_broadcast)) {
        const ch__attr *inner = ch__op_attr(x->op, CH__ATTR_dims);
        int64_t both[CH__MAX_RANK];
        for (int i = 0; i < inner->n; i++) both[i] = dims->ints[inner->ints[i]];
        ch__attr a = ch__attr_ints(CH__ATTR_dims, inner->n, both);
        return shape_op(r, CH_OP_broadcast, operand_of(x, 0), 1, &a, op->results[0].type);
    }
    return simplify_moved_splat(r, op);
}

static ch__value *simplify_slice(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0];
    const ch__attr *start = ch__op_attr(op, CH__ATTR_start), *limit = ch__op_attr(op, CH__ATTR_limit);
    const ch__attr *stride = ch__op_attr(op, CH__ATTR_stride);
    bool whole = true;
    for (int i = 0; i < x->type->rank && whole; i++)
        whole = ch__dim_equal(start->dims[i], ch__dim_const(0)) && ch__dim_equal(limit->dims[i], x->type->dims[i]) &&
                (stride == NULL || stride->ints[i] == 1);
    if (whole && types_match(x, &op->results[0])) return x;
    return simplify_moved_splat(r, op);
}

static ch__value *simplify_pad(ch__rewriter *r, ch__op *op) {
    (void)r;
    const ch__attr *lo = ch__op_attr(op, CH__ATTR_lo), *hi = ch__op_attr(op, CH__ATTR_hi);
    const ch__attr *interior = ch__op_attr(op, CH__ATTR_interior);
    for (int i = 0; i < lo->n; i++) {
        if (!ch__dim_equal(lo->dims[i], ch__dim_const(0)) || !ch__dim_equal(hi->dims[i], ch__dim_const(0))) return NULL;
        if (interior != NULL && interior->ints[i] != 0) return NULL;
    }
    return types_match(op->operands[0], &op->results[0]) ? op->operands[0] : NULL;
}

static ch__value *simplify_reverse(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0];
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    if (dims->n == 0) return x;
    if (op_is(x, CH_OP_reverse) && ch__attr_equal(*dims, *ch__op_attr(x->op, CH__ATTR_dims))) return operand_of(x, 0);
    return simplify_moved_splat(r, op);
}

// ---------------------------------------------------------------- what was just put
static bool puts_at(const ch__value *v) { return op_is(v, CH_OP_set) || op_is(v, CH_OP_dynamic_update_slice); }

// Are operands of x from `at` on those of y from `from` on?
static bool same_place(const ch__op *x, int at, const ch__op *y, int from) {
    if (x->n_operands - at != y->n_operands - from) return false;
    for (int i = 0; at + i < x->n_operands; i++)
        if (x->operands[at + i] != y->operands[from + i]) return false;
    return ch__op_int(x, CH__ATTR_bounds, -1) == ch__op_int(y, CH__ATTR_bounds, -1);
}

// get (set a[i], v)[i] is v; the same for a block.
static ch__value *simplify_take(ch__op *op) {
    const ch__value *x = op->operands[0];
    if (!puts_at(x) || (op->code == CH_OP_get) != op_is(x, CH_OP_set)) return NULL;
    ch__value *put = operand_of(x, 1);
    return same_place(op, 1, x->op, 2) && types_match(put, &op->results[0]) ? put : NULL;
}

// A slice of a block that was put there.
static ch__value *simplify_slice_of_put(ch__op *op) {
    const ch__value *x = op->operands[0];
    const ch__attr *start = ch__op_attr(op, CH__ATTR_start), *stride = ch__op_attr(op, CH__ATTR_stride);
    if (!op_is(x, CH_OP_dynamic_update_slice) || !types_match(operand_of(x, 1), &op->results[0])) return NULL;
    for (int i = 0; i < start->n; i++) {
        const ch__value *at = operand_of(x, 2 + i);
        double k;
        if (stride != NULL && stride->ints[i] != 1) return NULL;
        bool same = op_is(at, CH_OP_dim) ? ch__dim_equal(ch__op_attr(at->op, CH__ATTR_e)->dim, start->dims[i])
                                         : ch__const_splat_f64(at, &k) && ch__dim_is_const(start->dims[i]) &&
                                               k == (double)start->dims[i].val;
        if (!same) return NULL;
    }
    return operand_of(x, 1);
}

// set (set a[i], v)[i], w: the first put is lost. Not from inside a branch or loop: outside the first put is there, and
// two versions of one array would live.
static ch__value *simplify_put(ch__rewriter *r, ch__op *op) {
    const ch__value *x = op->operands[0], *v = op->operands[1];
    // set a[i], (get a[i]) is a
    if (op->code == CH_OP_set && op_is(v, CH_OP_get) && operand_of(v, 0) == x && same_place(v->op, 1, op, 2))
        return op->operands[0];
    if (!op_is(x, (ch__opcode)op->code) || !types_match(operand_of(x, 1), op->operands[1])) return NULL;
    if (!same_place(op, 2, x->op, 2) || x->op->parent != op->parent) return NULL;
    ch__value *xs[CH__MAX_RANK + 2];
    for (int i = 0; i < op->n_operands; i++) xs[i] = op->operands[i];
    xs[0] = operand_of(x, 0);
    const ch__type *t = op->results[0].type;
    return &ch__build_raw(&r->b, (ch__opcode)op->code, op->n_operands, xs, op->n_attrs, op->attrs, 1, &t, 0, NULL)
                ->results[0];
}

// -x == 0 as x == 0, of arrays: there is less to compute, though one name more to read.
static ch__value *simplify_compare(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->operands[0], *y = op->operands[1];
    int64_t dir = ch__op_int(op, CH__ATTR_dir, CH__EQ);
    if ((dir != CH__EQ && dir != CH__NE) || !op_is(x, CH_OP_neg) || !ch__const_is_splat(y, 0.0)) return NULL;
    if (!ch__is_float(x->type->dtype) || x->type->rank == 0) return NULL;
    return simplify_binary(r, CH_OP_compare, operand_of(x, 0), y, op);
}

// ---------------------------------------------------------------- control
// What both branches yield comes from outside: it is the result.
static void simplify_either(ch__rewriter *r, ch__op *op) {
    for (int i = 0; i < op->n_results; i++) {
        ch__value *v = op->regions[0]->results[i];
        if (v == op->regions[1]->results[i] && op->results[i].id < r->n && r->to[op->results[i].id] == NULL)
            ch__rewrite_to(r, &op->results[i], v);
    }
}

// A branch known in advance: its ops move in front.
static ch__value *simplify_if(ch__rewriter *r, ch__op *op) {
    double p;
    if (!ch__const_splat_f64(op->operands[0], &p)) {
        simplify_either(r, op);
        return NULL;
    }
    ch__region *taken = op->regions[p != 0 ? 0 : 1];
    while (taken->first != NULL) ch__op_move_before(taken->first, op);
    for (int i = 0; i < op->n_results; i++) ch__rewrite_to(r, &op->results[i], taken->results[i]);
    r->changes++;
    r->dissolved = true;
    ch__rewrite_drop(r);
    return NULL;
}

// A value that a loop hands on unchanged is what it was before.
static ch__value *handed_on(const ch__op *op, int i) {
    const ch__region *body = op->regions[op->n_regions - 1];
    const ch__value *next = body->results[i], *param = body->params[i + (op->code == CH_OP_for)];
    ch__value *before = op->operands[i + (op->code == CH_OP_for ? 3 : 0)];
    return (next == param || next == before) && !param->type->tape ? before : NULL;
}

void ch__simplify_enter(ch__rewriter *r, ch__op *op) {
    if (op->code != CH_OP_for && op->code != CH_OP_while) return;
    for (int i = 0; i < op->n_results; i++) {
        ch__value *before = handed_on(op, i);
        if (before == NULL) continue;
        for (int k = 0; k < op->n_regions; k++) {
            ch__value *param = op->regions[k]->params[i + (op->code == CH_OP_for)];
            if (param->id < r->n && r->to[param->id] == NULL) ch__rewrite_to(r, param, before);
        }
    }
}

static ch__value *simplify_loop(ch__rewriter *r, ch__op *op) {
    const ch__region *body = op->regions[op->n_regions - 1];
    for (int i = 0; i < op->n_results; i++) {
        ch__value *before = handed_on(op, i), *param = body->params[i + (op->code == CH_OP_for)];
        if (before == NULL || op->results[i].id >= r->n || r->to[op->results[i].id] != NULL) continue;
        ch__rewrite_to(r, &op->results[i], before);
        if (body->results[i] == param) r->dissolved = true; // seen only now: the body is looked at again
    }
    return NULL;
}

ch__value *ch__simplify_op(ch__rewriter *r, ch__op *op) {
    ch__value *x = op->n_operands > 0 ? op->operands[0] : NULL;
    switch ((ch__opcode)op->code) {
    case CH_OP_add: return simplify_add(r, op);
    case CH_OP_sub: return simplify_sub(r, op);
    case CH_OP_mul: return simplify_mul(r, op);
    case CH_OP_div: return simplify_div(r, op);
    case CH_OP_neg: return op_is(x, CH_OP_neg) && ch__is_float(x->type->dtype) ? operand_of(x, 0) : NULL;
    case CH_OP_abs:
        if (!ch__is_float(x->type->dtype)) return NULL;
        if (op_is(x, CH_OP_abs)) return x;
        return op_is(x, CH_OP_neg)
                   ? shape_op(r, CH_OP_abs, operand_of(x, 0), op->n_attrs, op->attrs, op->results[0].type)
                   : NULL;
    case CH_OP_not: return op_is(x, CH_OP_not) ? operand_of(x, 0) : NULL;
    case CH_OP_and:
    case CH_OP_or:
    case CH_OP_xor: return simplify_logic(r, op);
    case CH_OP_convert: return simplify_convert(r, op);
    case CH_OP_select: return simplify_select(r, op);
    case CH_OP_reshape: return simplify_reshape(r, op);
    case CH_OP_transpose: return simplify_transpose(r, op);
    case CH_OP_broadcast: return simplify_broadcast(r, op);
    case CH_OP_slice: {
        ch__value *put = simplify_slice_of_put(op);
        return put != NULL ? put : simplify_slice(r, op);
    }
    case CH_OP_get:
    case CH_OP_dynamic_slice: return simplify_take(op);
    case CH_OP_set:
    case CH_OP_dynamic_update_slice: return simplify_put(r, op);
    case CH_OP_compare: return simplify_compare(r, op);
    case CH_OP_pad: return simplify_pad(r, op);
    case CH_OP_reverse: return simplify_reverse(r, op);
    case CH_OP_concat: return op->n_operands == 1 ? x : NULL;
    case CH_OP_if: return simplify_if(r, op);
    case CH_OP_for:
    case CH_OP_while: return simplify_loop(r, op);
    default: return NULL;
    }
}

int64_t ch__simplify(ch_func *f) {
    ch__rewriter r = {.fn = ch__simplify_op, .enter = ch__simplify_enter};
    return ch__rewrite(&r, f);
}
