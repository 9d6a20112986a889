// SPDX-License-Identifier: Apache-2.0
// fold.c - one element of a reduce, dot, arg_reduce, reduce_window or conv: an accumulator and loops around it.
//
// The order and the accumulator's dtype are the interpreter's (src/interp/accumulate.c): ascending row-major order of
// what is folded, one accumulator, each element converted to its dtype first, the result converted back once.
// Accumulators of f16 and bf16 are floats rounded after every step; sums and products of integers are unsigned.
#include "cgen/native.h"

// ---------------------------------------------------------------- accumulators
static bool is_sum(ch__kind k) { return k == CH__SUM || k == CH__ADD; }
static bool is_prod(ch__kind k) { return k == CH__PROD || k == CH__MUL; }

ch_dtype ch__cg_acc_dtype(const ch__op *op, ch_dtype d) {
    return (ch_dtype)ch__op_int(op, CH__ATTR_acc, ch__cg_is_half(d) ? CH_F32 : d);
}

const char *ch__cg_carrier_type(ch__kind kind, ch_dtype acc) {
    if (ch__cg_is_half(acc)) return "float";
    if (ch__is_int(acc) && (is_sum(kind) || is_prod(kind))) return ch_dtype_size(acc) == 8 ? "uint64_t" : "uint32_t";
    return ch__cg_ctype(acc);
}

cx ch__cg_fold_identity(cg *g, const accum *fo) {
    ch_dtype d = fo->d;
    int bits = 8 * (int)ch_dtype_size(d);
    uint64_t ones = UINT64_MAX >> (64 - bits);
    if (ch__is_float(d)) {
        g->file->math = g->file->math || fo->kind == CH__MIN || fo->kind == CH__MAX;
        return ch__cx(is_prod(fo->kind)     ? "1"
                      : fo->kind == CH__MIN ? "INFINITY"
                      : fo->kind == CH__MAX ? "-INFINITY"
                                            : "0",
                      CX_UNARY);
    }
    if (d == CH_BOOL) {
        g->file->boolean = true;
        return ch__cx(fo->kind == CH__AND || fo->kind == CH__MIN || is_prod(fo->kind) ? "true" : "false", CX_PRIM);
    }
    uint64_t v = 0;
    if (is_prod(fo->kind)) v = 1;
    if (fo->kind == CH__AND) v = ones;
    if (fo->kind == CH__MIN) v = ch__is_signed(d) ? ones >> 1 : ones;
    if (fo->kind == CH__MAX) v = ch__is_signed(d) ? (ones >> 1) + 1 : 0;
    return is_sum(fo->kind) || is_prod(fo->kind) || fo->kind == CH__OR ? ch__cg_int(g, (int64_t)v)
                                                                       : ch__cg_literal(g, d, &v);
}

cx ch__cg_fold_load(cg *g, const accum *fo, cx x) {
    if (ch__cg_is_half(fo->acc)) { // by way of acc when the element is of another dtype
        if (fo->d != fo->acc) x = ch__cg_convert(g, x, fo->d, fo->acc);
        return ch__cg_convert(g, x, fo->acc, CH_F32);
    }
    if (ch__is_int(fo->acc) && (is_sum(fo->kind) || is_prod(fo->kind)))
        return fo->d == fo->acc && (fo->d == CH_U32 || fo->d == CH_U64) ? x : ch__cx_cast(g, fo->type, x);
    return ch__cg_convert(g, x, fo->d, fo->acc);
}

static cx rounded(cg *g, ch_dtype acc, cx x) {
    return ch__cg_convert(g, ch__cg_convert(g, x, CH_F32, acc), acc, CH_F32);
}

void ch__cg_fold_add(cg *g, const accum *fo, const char *target, cx x) {
    cx t = ch__cx(target, CX_PRIM), both[2] = {t, x};
    bool extreme = fo->kind == CH__MIN || fo->kind == CH__MAX;
    if (fo->acc == CH_BOOL) {
        bool and = fo->kind == CH__AND || fo->kind == CH__MIN || is_prod(fo->kind);
        ch__cg_line(g, "%s = %s;", target, ch__cx_binary(g, and? "&&" : "||", and? CX_AND : CX_OR, t, x).s);
    } else if (extreme) {
        ch_dtype d = ch__cg_is_half(fo->acc) ? CH_F32 : fo->acc;
        if (ch__is_float(d)) g->file->math = true;
        // Of the native engine without branches, for vectors of windows.
        bool fast = g->file->native && (d == CH_F32 || d == CH_F64);
        const char *word = fo->kind == CH__MIN ? (fast ? "fast_min" : "min") : fast ? "fast_max" : "max";
        cx e = ch__cx_call(g, ch__cg_helper(g->file, word, d), 2, both);
        ch__cg_line(g, "%s = %s;", target, ch__cg_is_half(fo->acc) ? rounded(g, fo->acc, e).s : e.s);
    } else if (ch__cg_is_half(fo->acc)) {
        cx e = is_sum(fo->kind) ? ch__cx_binary(g, "+", CX_ADD, t, x) : ch__cx_binary(g, "*", CX_MUL, t, x);
        ch__cg_line(g, "%s = %s;", target, rounded(g, fo->acc, e).s);
    } else {
        const char *op = is_sum(fo->kind) ? "+" : is_prod(fo->kind) ? "*" : fo->kind == CH__AND ? "&" : "|";
        bool small = !is_sum(fo->kind) && !is_prod(fo->kind) && ch_dtype_size(fo->acc) < 4;
        if (op[0] == '+' && x.minus)
            ch__cg_line(g, "%s -= %s;", target, x.minus);
        else if (small)
            ch__cg_line(g, "%s = (%s)(%s %s %s);", target, fo->type, target, op, ch__cx_at(g, x, CX_UNARY));
        else
            ch__cg_line(g, "%s %s= %s;", target, op, x.s);
    }
}

cx ch__cg_fold_result(cg *g, const accum *fo, cx s, ch_dtype to) {
    if (ch__cg_is_half(fo->acc)) return ch__cg_convert(g, ch__cg_convert(g, s, CH_F32, fo->acc), fo->acc, to);
    if (ch__is_int(fo->acc) && strcmp(fo->type, ch__cg_ctype(fo->acc)) != 0)
        s = ch__cx_cast(g, ch__cg_ctype(fo->acc), s);
    return ch__cg_convert(g, s, fo->acc, to);
}

void ch__cg_fold_open(cg *g, accum *fo, ch__kind kind, ch_dtype d, ch_dtype acc, const char *want) {
    *fo = (accum){.kind = kind, .d = d, .acc = acc, .type = ch__cg_carrier_type(kind, acc)};
    const char *word = is_sum(kind)      ? "sum"
                       : is_prod(kind)   ? "prod"
                       : kind == CH__MIN ? "least"
                       : kind == CH__MAX ? "most"
                                         : "all";
    if (kind == CH__OR) word = "any";
    fo->name = want ? want : ch__cg_scoped(g, word);
    ch__cg_line(g, "%s %s = %s;", fo->type, fo->name, ch__cg_fold_identity(g, fo).s);
}

void ch__cg_fold_step(cg *g, const accum *fo, cx element) {
    ch__cg_fold_add(g, fo, fo->name, ch__cg_fold_load(g, fo, element));
}

// The accumulator is the result itself when it has its type and nothing is left to convert.
static const char *own_name(const ch__op *op, ch__kind kind, ch_dtype acc, const char *want, bool *named) {
    *named = want && !ch__cg_is_half(acc) && acc == op->results[0].type->dtype &&
             strcmp(ch__cg_carrier_type(kind, acc), ch__cg_ctype(acc)) == 0;
    return *named ? want : NULL;
}

static cx fold_finish(cg *g, const accum *fo, const ch__op *op, bool named) {
    cx s = ch__cx(fo->name, CX_PRIM);
    return named ? s : ch__cg_fold_result(g, fo, s, op->results[0].type->dtype);
}

// ---------------------------------------------------------------- reduce
static cx fold_reduce(cg *g, const ch__op *op, const ix *at, const char *want, bool *named) {
    const ch__value *x = op->operands[0];
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    ch_dtype d = x->type->dtype, acc = ch__cg_acc_dtype(op, d);
    const ch__dim *from = ch__cg_vector(g, at, op->results[0].type);
    ch__dim to[CH__MAX_RANK];
    accum fo;
    int n = 0, kept = 0;
    ch__cg_fold_open(g, &fo, kind, d, acc, own_name(op, kind, acc, want, named));
    ix there = {.at = to};
    int innermost = -1;
    for (int i = 0; i < x->type->rank; i++)
        if (ch__cg_among(dims, i) && !(ch__dim_is_const(x->type->dims[i]) && x->type->dims[i].val == 1)) innermost = i;
    if (dims->n == x->type->rank && dims->n > 1 && ch__cg_flat(g, x)) {
        ch__cg_simd_fold(g, op, &fo);
        there = (ix){.linear = ch__cg_for(g, ch__cg_numel(g, x->type)), .has_linear = true};
        n = 1;
    } else {
        for (int i = 0; i < x->type->rank; i++) {
            bool one = ch__dim_is_const(x->type->dims[i]) && x->type->dims[i].val == 1;
            if (!ch__cg_among(dims, i)) {
                to[i] = from[kept++];
            } else if (one) {
                to[i] = ch__dim_const(0);
            } else {
                if (i == innermost) ch__cg_simd_fold(g, op, &fo);
                to[i] = ch__cg_for(g, x->type->dims[i]);
                n++;
            }
        }
    }
    ch__cg_fold_add(g, &fo, fo.name, ch__cg_wide(g, &fo, op, ch__cg_elem(g, x, &there)));
    ch__cg_for_end(g, n);
    return fold_finish(g, &fo, op, *named);
}

// ---------------------------------------------------------------- arg_reduce
static cx fold_arg_reduce(cg *g, const ch__op *op, const ix *at) {
    const ch__value *x = op->operands[0];
    int dim = (int)ch__op_int(op, CH__ATTR_dim, 0);
    bool largest = ch__op_int(op, CH__ATTR_kind, CH__MAX) == CH__MAX;
    ch_dtype d = x->type->dtype, wide = ch__cg_is_half(d) ? CH_F32 : d;
    const ch__dim *from = ch__cg_vector(g, at, op->results[0].type);
    ch__dim to[CH__MAX_RANK];
    for (int i = 0, kept = 0; i < x->type->rank; i++) to[i] = i == dim ? ch__dim_const(0) : from[kept++];
    ix there = {.at = to};
    const char *best = ch__cg_scoped(g, "best"), *where = ch__cg_scoped(g, "where"), *type = ch__cg_ctype(wide);
    ch__cg_line(g, "%s %s = %s;", type, best, ch__cg_convert(g, ch__cg_elem(g, x, &there), d, wide).s);
    ch__cg_line(g, "int64_t %s = 0;", where);
    const char *i = g->loop_names[g->depth];
    to[dim] = ch__cg_loop_symbol(g, g->depth);
    g->depth++;
    ch__cg_open(g, "for (int64_t %s = 1; %s < %s; %s++)", i, i, ch__cg_dim_text(g, x->type->dims[dim], CX_ADD), i);
    int64_t mark = ch__cg_mark(g);
    const char *now = ch__cg_scoped(g, "now"), *sign = largest ? ">" : "<";
    ch__cg_line(g, "const %s %s = %s;", type, now, ch__cg_convert(g, ch__cg_elem(g, x, &there), d, wide).s);
    if (ch__is_float(d)) // the first NaN wins
        ch__cg_open(g, "if (%s == %s && (%s != %s || %s %s %s))", best, best, now, now, now, sign, best);
    else if (d == CH_BOOL)
        ch__cg_open(g, "if ((int)%s %s (int)%s)", now, sign, best);
    else
        ch__cg_open(g, "if (%s %s %s)", now, sign, best);
    ch__cg_line(g, "%s = %s;", best, now);
    ch__cg_line(g, "%s = %s;", where, i);
    ch__cg_close(g);
    ch__cg_scope_end(g, mark);
    ch__cg_for_end(g, 1);
    return ch__cg_convert(g, ch__cx(where, CX_PRIM), CH_I64, op->results[0].type->dtype);
}

// ---------------------------------------------------------------- dot
static cx fold_product(cg *g, const accum *fo, ch_dtype dx, cx x, ch_dtype dy, cx y) {
    accum a = *fo, b = *fo;
    a.d = dx;
    b.d = dy;
    cx p = ch__cx_binary(g, "*", CX_MUL, ch__cg_fold_load(g, &a, x), ch__cg_fold_load(g, &b, y));
    return ch__cg_is_half(fo->acc) ? rounded(g, fo->acc, p) : p;
}

static cx fold_dot(cg *g, const ch__op *op, const ix *at, const char *want, bool *named) {
    const ch__attr *batch = ch__op_attr(op, CH__ATTR_batch), *contract = ch__op_attr(op, CH__ATTR_contract);
    const ch__dim *from = ch__cg_vector(g, at, op->results[0].type);
    int n_b = batch ? batch->n : 0, n_k = contract->n, next = n_b, n = 0;
    ch_dtype d = op->operands[0]->type->dtype, acc = ch__cg_acc_dtype(op, d);
    ch__dim to[2][CH__MAX_RANK];
    accum fo;
    ch__cg_fold_open(g, &fo, CH__SUM, d, acc, own_name(op, CH__SUM, acc, want, named));
    for (int side = 0; side < 2; side++) {
        const ch__type *t = op->operands[side]->type;
        bool taken[CH__MAX_RANK] = {false};
        for (int i = 0; i < n_b; i++) {
            int axis = (int)batch->ints[i + side * n_b];
            to[side][axis] = from[i];
            taken[axis] = true;
        }
        for (int i = 0; i < n_k; i++) taken[contract->ints[i + side * n_k]] = true;
        for (int i = 0; i < t->rank; i++)
            if (!taken[i]) to[side][i] = from[next++];
    }
    for (int i = 0; i < n_k; i++) {
        int l = (int)contract->ints[i], r = (int)contract->ints[i + n_k];
        ch__dim size = op->operands[0]->type->dims[l], k = ch__dim_const(0);
        if (!ch__dim_is_const(size) || size.val != 1) {
            k = ch__cg_for(g, size);
            n++;
        }
        to[0][l] = k;
        to[1][r] = k;
    }
    ix lhs = {.at = to[0]}, rhs = {.at = to[1]};
    cx x = ch__cg_elem(g, op->operands[0], &lhs), y = ch__cg_elem(g, op->operands[1], &rhs);
    ch__cg_fold_add(g, &fo, fo.name, fold_product(g, &fo, d, x, op->operands[1]->type->dtype, y));
    ch__cg_for_end(g, n);
    return fold_finish(g, &fo, op, *named);
}

// ---------------------------------------------------------------- windows
// Position at * stride + k * dilation - pad along windowed axis i (attribute entry i) of an operand axis of size n, and
// what has to hold for an element to be there ("" when nothing has to), appended to `inside`.
ch__dim ch__cg_window(cg *g, const ch__op *op, int i, ch__dim at, ch__dim k, ch__dim n, ch__text *inside) {
    int64_t lo = ch__op_entry(op, CH__ATTR_pad_lo, i, 0), hi = ch__op_entry(op, CH__ATTR_pad_hi, i, 0),
            base = ch__op_entry(op, CH__ATTR_lhs_dilation, i, 1);
    ch__dim p = ch__dim_mul(g->a, at, ch__dim_const(ch__op_entry(op, CH__ATTR_strides, i, 1)));
    p = ch__dim_add(g->a, p, ch__dim_mul(g->a, k, ch__dim_const(ch__op_entry(op, CH__ATTR_rhs_dilation, i, 1))));
    p = ch__dim_sub(g->a, p, ch__dim_const(lo));
    if (lo > 0) ch__putf(inside, "%s%s >= 0", inside->n ? " && " : "", ch__cg_dim_text(g, p, CX_ADD));
    if (base > 1) {
        const char *s = ch__cg_dim_text(g, p, CX_UNARY);
        ch__putf(inside, "%s%s %% %" PRId64 " == 0", inside->n ? " && " : "", s, base);
        p = ch__cg_opaque(g, ch__cx(ch__arena_printf(g->a, "%s / %" PRId64, s, base), CX_MUL));
    }
    if (hi > 0 || base > 1)
        ch__putf(inside, "%s%s < %s", inside->n ? " && " : "", ch__cg_dim_text(g, p, CX_ADD),
                 ch__cg_dim_text(g, n, CX_ADD));
    return p;
}

static cx reduce_window(cg *g, const ch__op *op, const ix *at, const char *want, bool *named) {
    const ch__value *x = op->operands[0];
    const ch__attr *window = ch__op_attr(op, CH__ATTR_window);
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    ch_dtype d = x->type->dtype, acc = ch__cg_acc_dtype(op, d);
    const ch__dim *from = ch__cg_vector(g, at, op->results[0].type);
    ch__dim to[CH__MAX_RANK];
    accum fo;
    ch__text inside;
    int n = 0;
    ch__text_init(&inside, g->a);
    ch__cg_fold_open(g, &fo, kind, d, acc, own_name(op, kind, acc, want, named));
    for (int i = 0; i < x->type->rank; i++) {
        ch__dim k = ch__dim_const(0);
        if (window->ints[i] != 1) {
            k = ch__cg_for(g, ch__dim_const(window->ints[i]));
            n++;
        }
        to[i] = ch__cg_window(g, op, i, from[i], k, x->type->dims[i], &inside);
    }
    if (inside.n) ch__cg_open(g, "if (%s)", inside.data);
    ix there = {.at = to};
    ch__cg_fold_step(g, &fo, ch__cg_elem(g, x, &there));
    if (inside.n) ch__cg_close(g);
    ch__cg_for_end(g, n);
    return fold_finish(g, &fo, op, *named);
}

static cx fold_conv(cg *g, const ch__op *op, const ix *at, const char *want, bool *named) {
    const ch__value *x = op->operands[0], *w = op->operands[1];
    const ch__type *t = op->results[0].type;
    int64_t groups = ch__op_int(op, CH__ATTR_groups, 1), batch_groups = ch__op_int(op, CH__ATTR_batch_groups, 1);
    ch_dtype d = x->type->dtype, acc = ch__cg_acc_dtype(op, d);
    const ch__dim *from = ch__cg_vector(g, at, t);
    ch__dim xs[CH__MAX_RANK], ws[CH__MAX_RANK], part = ch__dim_const(0);
    accum fo;
    ch__text inside;
    ch__text_init(&inside, g->a);
    ch__cg_fold_open(g, &fo, CH__SUM, d, acc, own_name(op, CH__SUM, acc, want, named));
    if (groups * batch_groups > 1)
        part =
            ch__dim_floordiv(g->a, from[1], ch__dim_floordiv(g->a, t->dims[1], ch__dim_const(groups * batch_groups)));
    ch__dim f = ch__dim_const(0);
    int n = 0;
    if (!ch__dim_is_const(w->type->dims[1]) || w->type->dims[1].val != 1) {
        f = ch__cg_for(g, w->type->dims[1]);
        n++;
    }
    xs[0] = batch_groups > 1 ? ch__dim_add(g->a, ch__dim_mul(g->a, part, t->dims[0]), from[0]) : from[0];
    xs[1] = groups > 1 ? ch__dim_add(g->a, ch__dim_mul(g->a, part, w->type->dims[1]), f) : f;
    ws[0] = from[1];
    ws[1] = f;
    for (int i = 2; i < t->rank; i++) {
        ws[i] = ch__dim_const(0);
        if (!ch__dim_is_const(w->type->dims[i]) || w->type->dims[i].val != 1) {
            ws[i] = ch__cg_for(g, w->type->dims[i]);
            n++;
        }
        xs[i] = ch__cg_window(g, op, i - 2, from[i], ws[i], x->type->dims[i], &inside);
    }
    if (inside.n) ch__cg_open(g, "if (%s)", inside.data);
    ix lhs = {.at = xs}, rhs = {.at = ws};
    cx a = ch__cg_elem(g, x, &lhs), b = ch__cg_elem(g, w, &rhs);
    ch__cg_fold_add(g, &fo, fo.name, fold_product(g, &fo, d, a, w->type->dtype, b));
    if (inside.n) ch__cg_close(g);
    ch__cg_for_end(g, n);
    return fold_finish(g, &fo, op, *named);
}

cx ch__cg_fold(cg *g, const ch__op *op, const ix *at, const char *want, bool *named) {
    *named = false;
    switch (op->code) {
    case CH_OP_reduce: return fold_reduce(g, op, at, want, named);
    case CH_OP_arg_reduce: return fold_arg_reduce(g, op, at);
    case CH_OP_dot: return fold_dot(g, op, at, want, named);
    case CH_OP_reduce_window: return reduce_window(g, op, at, want, named);
    default: return fold_conv(g, op, at, want, named);
    }
}
