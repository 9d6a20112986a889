// SPDX-License-Identifier: Apache-2.0
// hlo/emit_region.c - which operation of StableHLO each one of the IR is: those with regions.
//
// The regions are those that recognize.c and take_control.c read back. A for is a while whose first value counts, in
// the form of a scan of JAX; a step other than 1 is counted in turns. A constant that a line needs beside the operands
// (where a reduction starts) is written before it and nobody else reads it.
#include "hlo/emit.h"

#include <math.h>
#include <string.h>

static const char *const hlo_emit_kind_ops[] = {"stablehlo.add",     "stablehlo.multiply", "stablehlo.minimum",
                                                "stablehlo.maximum", "stablehlo.and",      "stablehlo.or"};

static const ch__type **hlo_emit_result_types(ch__emit *e, const ch__op *op) {
    const ch__type **types = CH_NEW_ARRAY(e->scratch, const ch__type *, op->n_results + 1);
    for (int i = 0; i < op->n_results; i++) types[i] = op->results[i].type;
    return types;
}

static void hlo_emit_set_all(ch__emit *e, const ch__op *op, const ch__emit_ref *refs) {
    for (int i = 0; i < op->n_results; i++) ch__emit_set(e, &op->results[i], refs[i]);
}

static ch__emit_ref hlo_emit_binary(ch__emit *e, const char *name, ch__emit_ref x, ch__emit_ref y) {
    ch__emit_ref in[2] = {x, y};
    return ch__emit_line1(e, name, CH__EMIT_SAME, 2, in, x.type);
}

static ch__emit_ref hlo_emit_compared(ch__emit *e, const char *dir, const char *kind, ch__emit_ref x, ch__emit_ref y) {
    ch__emit_ref in[2] = {x, y}, out;
    const ch__type *type = ch__type_scalar(CH_BOOL);
    if (e->generic) {
        ch__emit_attr(e, NULL,
                      ch__arena_printf(e->scratch,
                                       "comparison_direction = #stablehlo<comparison_direction %s>, compare_type = "
                                       "#stablehlo<comparison_type %s>",
                                       dir, kind));
        return ch__emit_line1(e, "stablehlo.compare", CH__EMIT_GENERIC, 2, in, type);
    }
    ch__emit_results(e, 1, &type, &out);
    ch__putf(e->t, "stablehlo.compare %s, ", dir);
    ch__emit_refs(e, 2, in);
    ch__putf(e->t, ", %s : ", kind);
    ch__emit_types(e, 2, in, true);
    ch__put(e->t, " -> tensor<i1>\n");
    return out;
}

static ch__emit_ref hlo_emit_selected(ch__emit *e, ch__emit_ref p, ch__emit_ref x, ch__emit_ref y) {
    ch__emit_ref in[3] = {p, x, y}, out;
    if (e->generic) return ch__emit_line1(e, "stablehlo.select", CH__EMIT_GENERIC, 3, in, x.type);
    ch__emit_results(e, 1, &x.type, &out);
    ch__put(e->t, "stablehlo.select ");
    ch__emit_refs(e, 3, in);
    ch__put(e->t, " : ");
    ch__emit_types(e, 2, in, false);
    ch__putc(e->t, '\n');
    return out;
}

static const char *hlo_emit_compare_kind(ch_dtype d) {
    return ch__is_float(d) ? "FLOAT" : ch__is_signed(d) ? "SIGNED" : "UNSIGNED";
}

// ^bb0(%a: t, %b: t): %c = op %a, %b; return %c
static void hlo_emit_region_of(ch__emit *e, const char *name, ch_dtype d, bool second) {
    ch__emit_ref params[2];
    for (int i = 0; i < 2; i++) params[i] = ch__emit_param(e, ch__type_scalar(d));
    ch__emit_block(e, 2, params);
    e->indent++;
    ch__emit_ref r = second ? params[1] : hlo_emit_binary(e, name, params[0], params[1]);
    ch__emit_yield(e, 1, &r);
    e->indent--;
}

void ch__emit_fold_region(ch__emit *e, ch__kind kind, ch_dtype d) {
    hlo_emit_region_of(e, hlo_emit_kind_ops[kind], d, false);
}

// ---------------------------------------------------------------- reductions

static void hlo_emit_reduce(ch__emit *e, const ch__op *op) {
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims), *tie = ch__op_attr(op, CH__ATTR_tie);
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    ch_dtype d = op->operands[0]->type->dtype;
    ch__emit_ref in[2] = {ch__emit_in(e, op, 0), {0}}, out;
    in[1] = ch__emit_scalar(e, d, ch__hlo_identity(kind, d));
    const ch__type *type = op->results[0].type;
    ch__emit_results(e, 1, &type, &out);
    if (e->generic) {
        ch__emit_open(e, "stablehlo.reduce", 2, in);
        hlo_emit_region_of(e, hlo_emit_kind_ops[kind], d, false);
        ch__emit_attr_ints(e, NULL, "dimensions", dims->n, dims->ints);
    }
    if (kind == CH__SUM || kind == CH__PROD) ch__emit_sums(e, op, true);
    if (tie) ch__emit_extra(e, "tie", ch__word_name(CH__AK_TIE, tie->i));
    if (e->generic) {
        ch__emit_close(e, 2, in, 1, &type);
    } else {
        ch__put(e->t, "stablehlo.reduce(");
        ch__emit_put_ref(e, in[0]);
        ch__put(e->t, " init: ");
        ch__emit_put_ref(e, in[1]);
        ch__putf(e->t, ") applies %s across dimensions = [", hlo_emit_kind_ops[kind]);
        for (int i = 0; i < dims->n; i++) ch__putf(e->t, "%s%" PRId64, i ? ", " : "", dims->ints[i]);
        ch__putc(e->t, ']');
        if (e->extra.n) ch__putf(e->t, " {%s}", e->extra.data);
        e->extra.n = 0;
        ch__put(e->t, " : ");
        ch__emit_types(e, 2, in, true);
        ch__put(e->t, " -> ");
        ch__emit_type(e->t, type);
        ch__putc(e->t, '\n');
    }
    ch__emit_set(e, &op->results[0], out);
}

// The region of argmax and argmin: JAX's.
static void hlo_emit_arg_region(ch__emit *e, ch__kind kind, ch_dtype d, ch_dtype index) {
    ch__emit_ref p[4];
    for (int i = 0; i < 4; i++) p[i] = ch__emit_param(e, ch__type_scalar(i % 2 ? index : d));
    ch__emit_block(e, 4, p);
    e->indent++;
    const char *of = hlo_emit_compare_kind(d);
    ch__emit_ref better = hlo_emit_compared(e, kind == CH__MAX ? "GT" : "LT", of, p[0], p[2]);
    ch__emit_ref nan = hlo_emit_compared(e, "NE", of, p[0], p[0]);
    ch__emit_ref wins = hlo_emit_binary(e, "stablehlo.or", better, nan);
    ch__emit_ref equal = hlo_emit_compared(e, "EQ", of, p[0], p[2]);
    ch__emit_ref first = hlo_emit_compared(e, "LT", hlo_emit_compare_kind(index), p[1], p[3]);
    ch__emit_ref both = hlo_emit_binary(e, "stablehlo.and", equal, first);
    ch__emit_ref either = hlo_emit_binary(e, "stablehlo.or", wins, both), out[2];
    out[0] = hlo_emit_selected(e, wins, p[0], p[2]);
    out[1] = hlo_emit_selected(e, either, p[1], p[3]);
    ch__emit_yield(e, 2, out);
    e->indent--;
}

static void hlo_emit_arg_reduce(ch__emit *e, const ch__op *op) {
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    int64_t dim = ch__op_int(op, CH__ATTR_dim, 0);
    ch_dtype d = op->operands[0]->type->dtype, index = op->results[0].type->dtype;
    const ch__type *positions = ch__emit_of_dtype(e, op->operands[0]->type, index);
    ch__emit_ref in[4], out[2];
    in[0] = ch__emit_in(e, op, 0);
    ch__emit_attr_int(e, "dim", "iota_dimension", dim);
    in[1] = ch__emit_line1(e, "stablehlo.iota", CH__EMIT_SAME, 0, NULL, positions);
    in[2] = ch__emit_scalar(e, d, ch__hlo_identity(kind, d));
    in[3] = ch__emit_scalar(e, index, 0);
    const ch__type *types[2] = {ch__emit_of_dtype(e, op->results[0].type, d), op->results[0].type};
    ch__emit_results(e, 2, types, out);
    ch__emit_open(e, "stablehlo.reduce", 4, in);
    hlo_emit_arg_region(e, kind, d, index);
    ch__emit_attr_ints(e, NULL, "dimensions", 1, &dim);
    ch__emit_close(e, 4, in, 2, types);
    ch__emit_set(e, &op->results[0], out[1]);
}

// ---------------------------------------------------------------- windows

typedef struct {
    int64_t window[CH__MAX_RANK], strides[CH__MAX_RANK], lo[CH__MAX_RANK], hi[CH__MAX_RANK], lhs[CH__MAX_RANK],
        rhs[CH__MAX_RANK];
} hlo_emit_windows;

static void hlo_emit_entries(const ch__op *op, ch__attr_id id, int rank, int64_t absent, int64_t *out) {
    const ch__attr *a = ch__op_attr(op, id);
    for (int i = 0; i < rank; i++) out[i] = a ? a->ints[i] : absent;
}

static hlo_emit_windows hlo_emit_windows_of(const ch__op *op) {
    hlo_emit_windows w;
    int rank = op->operands[0]->type->rank;
    hlo_emit_entries(op, CH__ATTR_window, rank, 1, w.window);
    hlo_emit_entries(op, CH__ATTR_strides, rank, 1, w.strides);
    hlo_emit_entries(op, CH__ATTR_pad_lo, rank, 0, w.lo);
    hlo_emit_entries(op, CH__ATTR_pad_hi, rank, 0, w.hi);
    hlo_emit_entries(op, CH__ATTR_lhs_dilation, rank, 1, w.lhs);
    hlo_emit_entries(op, CH__ATTR_rhs_dilation, rank, 1, w.rhs);
    return w;
}

static void hlo_emit_window_attrs(ch__emit *e, const hlo_emit_windows *w, int rank, bool dilated) {
    ch__text t;
    ch__emit_attr_ints(e, NULL, "window_dimensions", rank, w->window);
    ch__emit_attr_ints(e, NULL, "window_strides", rank, w->strides);
    if (dilated) ch__emit_attr_ints(e, NULL, "base_dilations", rank, w->lhs);
    if (dilated) ch__emit_attr_ints(e, NULL, "window_dilations", rank, w->rhs);
    ch__text_init(&t, e->scratch);
    ch__put(&t, "padding = dense<");
    if (rank) ch__putc(&t, '[');
    for (int i = 0; i < rank; i++) ch__putf(&t, "%s[%" PRId64 ", %" PRId64 "]", i ? ", " : "", w->lo[i], w->hi[i]);
    if (rank) ch__putc(&t, ']');
    ch__putf(&t, "> : tensor<%dx2xi64>", rank);
    ch__emit_attr(e, NULL, t.data);
}

// Could it be read as a running reduction? Those have padding and no step.
static bool hlo_emit_looks_running(const hlo_emit_windows *w, int rank) {
    bool padded = false, steps = false;
    for (int i = 0; i < rank; i++) {
        padded = padded || w->lo[i] || w->hi[i];
        steps = steps || w->strides[i] != 1 || w->lhs[i] != 1 || w->rhs[i] != 1;
    }
    return padded && !steps;
}

static void hlo_emit_windowed(ch__emit *e, const ch__op *op, const hlo_emit_windows *w) {
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    ch_dtype d = op->operands[0]->type->dtype;
    ch__emit_ref in[2] = {ch__emit_in(e, op, 0), {0}}, out;
    const ch__type *type = op->results[0].type;
    in[1] = ch__emit_scalar(e, d, ch__hlo_identity(kind, d));
    ch__emit_results(e, 1, &type, &out);
    ch__emit_open(e, "stablehlo.reduce_window", 2, in);
    hlo_emit_region_of(e, hlo_emit_kind_ops[kind], d, false);
    const ch__attr *tie = ch__op_attr(op, CH__ATTR_tie);
    bool window = op->code == CH_OP_reduce_window;
    hlo_emit_window_attrs(e, w, op->operands[0]->type->rank, true);
    if (kind == CH__SUM || kind == CH__PROD) ch__emit_sums(e, op, true);
    if (window && (kind == CH__MIN || kind == CH__MAX) && !(tie && tie->i == CH__FIRST))
        ch__emit_extra(e, "tie", tie ? ch__word_name(CH__AK_TIE, tie->i) : "none");
    if (!window && tie) ch__emit_extra(e, "tie", ch__word_name(CH__AK_TIE, tie->i));
    if (window && hlo_emit_looks_running(w, op->operands[0]->type->rank)) ch__emit_extra(e, "windows", "each");
    ch__emit_close(e, 2, in, 1, &type);
    ch__emit_set(e, &op->results[0], out);
}

static void hlo_emit_cumulative(ch__emit *e, const ch__op *op) {
    const ch__type *x = op->operands[0]->type;
    int64_t dim = ch__op_int(op, CH__ATTR_dim, 0), n = x->dims[dim].val;
    hlo_emit_windows w;
    for (int i = 0; i < x->rank; i++) {
        w.window[i] = w.strides[i] = w.lhs[i] = w.rhs[i] = 1;
        w.lo[i] = w.hi[i] = 0;
    }
    if (n == 0) { // nothing to add up
        ch__emit_set(e, &op->results[0], ch__emit_in(e, op, 0));
        return;
    }
    w.window[dim] = n;
    *(ch__op_int(op, CH__ATTR_reverse, 0) ? &w.hi[dim] : &w.lo[dim]) = n - 1;
    hlo_emit_windowed(e, op, &w);
}

static void hlo_emit_select_and_scatter(ch__emit *e, const ch__op *op) {
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    ch_dtype d = op->operands[0]->type->dtype;
    ch__emit_ref in[3] = {ch__emit_in(e, op, 0), ch__emit_in(e, op, 1), {0}}, out, p[2];
    const ch__type *type = op->results[0].type;
    hlo_emit_windows w = hlo_emit_windows_of(op);
    in[2] = ch__emit_scalar(e, d, 0);
    ch__emit_results(e, 1, &type, &out);
    ch__emit_open(e, "stablehlo.select_and_scatter", 3, in);
    for (int i = 0; i < 2; i++) p[i] = ch__emit_param(e, ch__type_scalar(d));
    ch__emit_block(e, 2, p);
    e->indent++;
    ch__emit_ref r = hlo_emit_compared(e, kind == CH__MAX ? "GE" : "LE", hlo_emit_compare_kind(d), p[0], p[1]);
    ch__emit_yield(e, 1, &r);
    e->indent--;
    ch__emit_indent(e);
    ch__put(e->t, "}, {\n");
    hlo_emit_region_of(e, "stablehlo.add", d, false);
    hlo_emit_window_attrs(e, &w, op->operands[0]->type->rank, false);
    ch__emit_close(e, 3, in, 1, &type);
    ch__emit_set(e, &op->results[0], out);
}

// ---------------------------------------------------------------- scatter and sort

static void hlo_emit_dims_list(ch__text *t, const char *name, const ch__attr *a) {
    if (!a || a->n == 0) return;
    ch__putf(t, "%s = [", name);
    for (int i = 0; i < a->n; i++) ch__putf(t, "%s%" PRId64, i ? ", " : "", a->ints[i]);
    ch__put(t, "], ");
}

static void hlo_emit_scatter(ch__emit *e, const ch__op *op) {
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    ch_dtype d = op->operands[0]->type->dtype;
    const char *name = kind == CH__ADD   ? "stablehlo.add"
                       : kind == CH__MUL ? "stablehlo.multiply"
                       : kind == CH__MIN ? "stablehlo.minimum"
                                         : "stablehlo.maximum";
    ch__emit_ref in[3], out;
    const ch__type *type = op->results[0].type;
    for (int i = 0; i < 3; i++) in[i] = ch__emit_in(e, op, i);
    ch__emit_results(e, 1, &type, &out);
    ch__emit_open(e, "stablehlo.scatter", 3, in);
    hlo_emit_region_of(e, name, d, kind == CH__SET);
    ch__text t;
    ch__text_init(&t, e->scratch);
    ch__put(&t, "scatter_dimension_numbers = #stablehlo.scatter<");
    hlo_emit_dims_list(&t, "update_window_dims", ch__op_attr(op, CH__ATTR_window_dims));
    hlo_emit_dims_list(&t, "inserted_window_dims", ch__op_attr(op, CH__ATTR_inserted));
    hlo_emit_dims_list(&t, "input_batching_dims", ch__op_attr(op, CH__ATTR_operand_batch));
    hlo_emit_dims_list(&t, "scatter_indices_batching_dims", ch__op_attr(op, CH__ATTR_indices_batch));
    hlo_emit_dims_list(&t, "scatter_dims_to_operand_dims", ch__op_attr(op, CH__ATTR_index_map));
    ch__putf(&t, "index_vector_dim = %d>", (int)ch__op_int(op, CH__ATTR_index_dim, 0));
    ch__emit_attr(e, NULL, t.data);
    ch__emit_attr(e, NULL, "indices_are_sorted = false");
    ch__emit_attr(e, NULL, ch__op_int(op, CH__ATTR_unique, 0) ? "unique_indices = true" : "unique_indices = false");
    ch__emit_sums(e, op, false);
    ch__emit_close(e, 3, in, 1, &type);
    ch__emit_set(e, &op->results[0], out);
}

// -0 as 0, every NaN as one: what TOTALORDER then says is the IR's order.
static ch__emit_ref hlo_emit_canonical(ch__emit *e, ch__emit_ref x) {
    ch_dtype d = x.type->dtype;
    if (!ch__is_float(d)) return x;
    ch__emit_ref zero = ch__emit_scalar(e, d, 0), nan = ch__emit_scalar(e, d, ch__element_bits(d, (double)NAN));
    ch__emit_ref is_zero = hlo_emit_compared(e, "EQ", "FLOAT", x, zero), y = hlo_emit_selected(e, is_zero, zero, x);
    ch__emit_ref is_nan = hlo_emit_compared(e, "NE", "FLOAT", x, x);
    return hlo_emit_selected(e, is_nan, nan, y);
}

// less(k0) or (equal(k0) and (less(k1) or ...)), from the last key to the first
static ch__emit_ref hlo_emit_order(ch__emit *e, int keys, const ch__emit_ref *params, bool descending) {
    ch__emit_ref *x = CH_NEW_ARRAY(e->scratch, ch__emit_ref, 2 * keys), so_far = {0};
    for (int i = 0; i < 2 * keys; i++) x[i] = hlo_emit_canonical(e, params[i]);
    for (int k = keys - 1; k >= 0; k--) {
        ch_dtype d = params[2 * k].type->dtype;
        const char *kind = ch__is_float(d) ? "TOTALORDER" : hlo_emit_compare_kind(d);
        ch__emit_ref less = hlo_emit_compared(e, descending ? "GT" : "LT", kind, x[2 * k], x[2 * k + 1]);
        if (k < keys - 1) {
            ch__emit_ref equal = hlo_emit_compared(e, "EQ", kind, x[2 * k], x[2 * k + 1]);
            less = hlo_emit_binary(e, "stablehlo.or", less, hlo_emit_binary(e, "stablehlo.and", equal, so_far));
        }
        so_far = less;
    }
    return so_far;
}

static void hlo_emit_sort(ch__emit *e, const ch__op *op) {
    int n = op->n_operands;
    ch__emit_ref *in = CH_NEW_ARRAY(e->scratch, ch__emit_ref, n), *out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, n);
    ch__emit_ref *params = CH_NEW_ARRAY(e->scratch, ch__emit_ref, 2 * n);
    const ch__type **types = hlo_emit_result_types(e, op);
    for (int i = 0; i < n; i++) in[i] = ch__emit_in(e, op, i);
    ch__emit_results(e, n, types, out);
    ch__emit_open(e, "stablehlo.sort", n, in);
    for (int i = 0; i < 2 * n; i++) params[i] = ch__emit_param(e, ch__type_scalar(in[i / 2].type->dtype));
    ch__emit_block(e, 2 * n, params);
    e->indent++;
    ch__emit_ref r =
        hlo_emit_order(e, (int)ch__op_int(op, CH__ATTR_keys, 1), params, ch__op_int(op, CH__ATTR_descending, 0) != 0);
    ch__emit_yield(e, 1, &r);
    e->indent--;
    ch__emit_attr_int(e, NULL, "dimension", ch__op_int(op, CH__ATTR_dim, 0));
    ch__emit_attr(e, NULL, "is_stable = true");
    ch__emit_close(e, n, in, n, types);
    hlo_emit_set_all(e, op, out);
}

// ---------------------------------------------------------------- control flow

static void hlo_emit_yields(ch__emit *e, const ch__region *r) {
    ch__emit_ref *refs = CH_NEW_ARRAY(e->scratch, ch__emit_ref, 2 * r->n_results + 1);
    ch__emit_yield(e, ch__emit_flat(e, r->n_results, r->results, refs), refs);
}

static const ch__type **hlo_emit_flat_types(ch__emit *e, const ch__op *op, int *n) {
    const ch__type **types = CH_NEW_ARRAY(e->scratch, const ch__type *, 2 * op->n_results + 1);
    *n = ch__emit_flat_types(e, op, types);
    return types;
}

static void hlo_emit_flat_results(ch__emit *e, const ch__op *op, const ch__emit_ref *refs) {
    for (int i = 0; i < op->n_results; i++) refs += ch__emit_flat_set(e, &op->results[i], refs);
}

static void hlo_emit_flat_params(ch__emit *e, const ch__region *r, int first, const ch__emit_ref *refs) {
    for (int i = first; i < r->n_params; i++) refs += ch__emit_flat_set(e, r->params[i], refs);
}

static void hlo_emit_if(ch__emit *e, const ch__op *op) {
    ch__emit_ref in = ch__emit_in(e, op, 0), *out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, 2 * op->n_results + 1);
    int n;
    const ch__type **types = hlo_emit_flat_types(e, op, &n);
    ch__emit_results(e, n, types, out);
    ch__emit_open(e, "stablehlo.if", 1, &in);
    for (int i = 0; i < 2; i++) {
        if (i) {
            ch__emit_indent(e);
            ch__put(e->t, "}, {\n");
        }
        e->indent++;
        ch__emit_ops(e, op->regions[i]);
        hlo_emit_yields(e, op->regions[i]);
        e->indent--;
    }
    ch__emit_close(e, 1, &in, n, types);
    hlo_emit_flat_results(e, op, out);
}

typedef struct {
    int n;
    const ch__emit_ref *in;
    ch__emit_ref *out, *params; // params of both regions
    const ch__type **types;
    const char *extra;
} hlo_emit_loop;

// The head up to the ops of the condition; then hlo_emit_loop_middle, the ops of the body, hlo_emit_loop_end.
static void hlo_emit_loop_begin(ch__emit *e, hlo_emit_loop *l) {
    l->out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, l->n + 1);
    l->params = CH_NEW_ARRAY(e->scratch, ch__emit_ref, l->n + 1);
    l->types = CH_NEW_ARRAY(e->scratch, const ch__type *, l->n + 1);
    for (int i = 0; i < l->n; i++) l->types[i] = l->in[i].type;
    ch__emit_results(e, l->n, l->types, l->out);
    for (int i = 0; i < l->n; i++) l->params[i] = ch__emit_param(e, l->types[i]);
    if (e->generic) {
        ch__emit_open(e, "stablehlo.while", l->n, l->in);
        ch__emit_block(e, l->n, l->params);
    } else {
        ch__put(e->t, "stablehlo.while(");
        for (int i = 0; i < l->n; i++) {
            if (i) ch__put(e->t, ", ");
            ch__emit_put_ref(e, l->params[i]);
            ch__put(e->t, " = ");
            ch__emit_put_ref(e, l->in[i]);
        }
        ch__put(e->t, ")");
        if (l->n) ch__put(e->t, " : ");
        ch__emit_types(e, l->n, l->in, false);
        if (l->extra) ch__putf(e->t, " attributes {%s}", l->extra);
        ch__putc(e->t, '\n');
        ch__emit_indent(e);
        ch__put(e->t, "cond {\n");
    }
    e->indent++;
}

static void hlo_emit_loop_middle(ch__emit *e, hlo_emit_loop *l) {
    e->indent--;
    ch__emit_indent(e);
    ch__put(e->t, e->generic ? "}, {\n" : "} do {\n");
    if (e->generic) {
        for (int i = 0; i < l->n; i++) l->params[i] = ch__emit_param(e, l->types[i]);
        ch__emit_block(e, l->n, l->params);
    }
    e->indent++;
}

static void hlo_emit_loop_end(ch__emit *e, hlo_emit_loop *l) {
    e->indent--;
    if (e->generic) {
        if (l->extra) ch__put(&e->extra, l->extra);
        ch__emit_close(e, l->n, l->in, l->n, l->types);
    } else {
        ch__emit_indent(e);
        ch__put(e->t, "}\n");
    }
}

static const char *hlo_emit_policy(ch__emit *e, const ch__op *op, const char *kind) {
    const ch__attr *policy = ch__op_attr(op, CH__ATTR_policy);
    if (!policy) return kind ? ch__arena_printf(e->scratch, "chaac.loop = \"%s\"", kind) : NULL;
    return ch__arena_printf(e->scratch, "%s%s%schaac.policy = \"%s\"", kind ? "chaac.loop = \"" : "", kind ? kind : "",
                            kind ? "\", " : "", policy->s);
}

static void hlo_emit_while(ch__emit *e, const ch__op *op) {
    ch__emit_ref *in = CH_NEW_ARRAY(e->scratch, ch__emit_ref, 2 * op->n_operands + 1);
    int n = ch__emit_flat(e, op->n_operands, op->operands, in);
    // One whose condition is a comparison could be read as one that counts.
    const ch__value *cond = op->regions[0]->results[0];
    bool compares = cond->op && cond->op->code == CH_OP_compare;
    hlo_emit_loop l = {.n = n, .in = in, .extra = hlo_emit_policy(e, op, compares ? "while" : NULL)};
    hlo_emit_loop_begin(e, &l);
    hlo_emit_flat_params(e, op->regions[0], 0, l.params);
    ch__emit_ops(e, op->regions[0]);
    hlo_emit_yields(e, op->regions[0]);
    hlo_emit_loop_middle(e, &l);
    hlo_emit_flat_params(e, op->regions[1], 0, l.params);
    ch__emit_ops(e, op->regions[1]);
    hlo_emit_yields(e, op->regions[1]);
    hlo_emit_loop_end(e, &l);
    hlo_emit_flat_results(e, op, l.out);
}

bool ch__emit_by_one(const ch__op *loop) {
    uint64_t bits;
    const ch__value *step = loop->operands[2];
    return step->op && step->op->code == CH_OP_const && ch__hlo_scalar(step, &bits) && bits == 1;
}

// max(((step > 0 ? hi - lo : lo - hi) + |step| - 1) / |step|, 0)
static ch__emit_ref hlo_emit_turns(ch__emit *e, ch__emit_ref lo, ch__emit_ref hi, ch__emit_ref step) {
    ch__emit_ref zero = ch__emit_i64(e, 0), one = ch__emit_i64(e, 1);
    ch__emit_ref up = hlo_emit_compared(e, "GT", "SIGNED", step, zero);
    ch__emit_ref rise = hlo_emit_binary(e, "stablehlo.subtract", hi, lo),
                 fall = hlo_emit_binary(e, "stablehlo.subtract", lo, hi);
    ch__emit_ref way = hlo_emit_selected(e, up, rise, fall);
    ch__emit_ref size = ch__emit_line1(e, "stablehlo.abs", CH__EMIT_SAME, 1, &step, step.type);
    ch__emit_ref most = hlo_emit_binary(e, "stablehlo.add", way, hlo_emit_binary(e, "stablehlo.subtract", size, one));
    return hlo_emit_binary(e, "stablehlo.maximum", hlo_emit_binary(e, "stablehlo.divide", most, size), zero);
}

static void hlo_emit_for(ch__emit *e, const ch__op *op) {
    const ch__region *body = op->regions[0];
    bool by_one = ch__emit_by_one(op);
    ch__emit_ref *in = CH_NEW_ARRAY(e->scratch, ch__emit_ref, 2 * op->n_operands), lo = ch__emit_in(e, op, 0);
    ch__emit_ref hi = ch__emit_in(e, op, 1), step = ch__emit_in(e, op, 2);
    if (!by_one) hi = hlo_emit_turns(e, lo, hi, step);
    in[0] = by_one ? lo : ch__emit_i64(e, 0);
    int n = ch__emit_flat(e, op->n_operands - 3, op->operands + 3, in + 1);
    hlo_emit_loop l = {.n = n + 1, .in = in, .extra = hlo_emit_policy(e, op, NULL)};
    hlo_emit_loop_begin(e, &l);
    ch__emit_ref more = hlo_emit_compared(e, "LT", "SIGNED", l.params[0], hi);
    ch__emit_yield(e, 1, &more);
    hlo_emit_loop_middle(e, &l);
    ch__emit_ref counter = l.params[0];
    if (!by_one && e->uses[body->params[0]->id])
        counter = hlo_emit_binary(e, "stablehlo.add", lo, hlo_emit_binary(e, "stablehlo.multiply", counter, step));
    ch__emit_set(e, body->params[0], counter);
    hlo_emit_flat_params(e, body, 1, l.params + 1);
    ch__emit_ops(e, body);
    ch__emit_ref *yields = CH_NEW_ARRAY(e->scratch, ch__emit_ref, n + 2), one = ch__emit_i64(e, 1);
    yields[0] = hlo_emit_binary(e, "stablehlo.add", l.params[0], one);
    ch__emit_flat(e, body->n_results, body->results, yields + 1);
    ch__emit_yield(e, n + 1, yields);
    hlo_emit_loop_end(e, &l);
    hlo_emit_flat_results(e, op, l.out + 1);
}

static void hlo_emit_barrier(ch__emit *e, const ch__op *op) {
    ch__emit_ref *in = CH_NEW_ARRAY(e->scratch, ch__emit_ref, 2 * op->n_operands + 1);
    ch__emit_ref *out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, 2 * op->n_operands + 1);
    int n = ch__emit_flat(e, op->n_operands, op->operands, in);
    const ch__type **types = hlo_emit_flat_types(e, op, &n);
    if (e->generic) {
        ch__emit_line(e, "stablehlo.optimization_barrier", CH__EMIT_GENERIC, n, in, n, types, out);
    } else {
        ch__emit_results(e, n, types, out);
        ch__put(e->t, "stablehlo.optimization_barrier ");
        ch__emit_refs(e, n, in);
        ch__put(e->t, " : ");
        ch__emit_types(e, n, in, false);
        ch__putc(e->t, '\n');
    }
    hlo_emit_flat_results(e, op, out);
}

bool ch__emit_region_op(ch__emit *e, const ch__op *op) {
    switch ((ch__opcode)op->code) {
    case CH_OP_reduce: hlo_emit_reduce(e, op); return true;
    case CH_OP_arg_reduce: hlo_emit_arg_reduce(e, op); return true;
    case CH_OP_cumulative: hlo_emit_cumulative(e, op); return true;
    case CH_OP_reduce_window: {
        hlo_emit_windows w = hlo_emit_windows_of(op);
        hlo_emit_windowed(e, op, &w);
        return true;
    }
    case CH_OP_select_and_scatter: hlo_emit_select_and_scatter(e, op); return true;
    case CH_OP_scatter: hlo_emit_scatter(e, op); return true;
    case CH_OP_sort: hlo_emit_sort(e, op); return true;
    case CH_OP_if: hlo_emit_if(e, op); return true;
    case CH_OP_while: hlo_emit_while(e, op); return true;
    case CH_OP_for: hlo_emit_for(e, op); return true;
    case CH_OP_barrier: hlo_emit_barrier(e, op); return true;
    default: return false;
    }
}
