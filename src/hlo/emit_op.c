// SPDX-License-Identifier: Apache-2.0
// hlo/emit_op.c - which operation of StableHLO each one of the IR is: those without regions.
//
// One operation of the IR is one line, or a few that read back as operations of which each is one line again, so that
// writing what was read gives the same text. What the IR says beyond StableHLO is kept in attributes chaac.*: how sums
// accumulate (when it is not how capture has it), which of equal winners gets the adjoint.
#include "hlo/emit.h"

#include <string.h>

ch__emit_ref ch__emit_in(const ch__emit *e, const ch__op *op, int i) { return e->refs[op->operands[i]->id]; }

void ch__emit_set(ch__emit *e, const ch__value *v, ch__emit_ref r) { e->refs[v->id] = r; }

// Elementwise operations by the row of hlo_ops.def that reads them.
static const ch__hlo_row *hlo_emit_row(ch__opcode code) {
    const ch__hlo_row *row;
    for (int i = 0; (row = ch__hlo_row_at(i)) != NULL; i++)
        if (row->code == code && (row->fn == ch__hlo_take_unary || row->fn == ch__hlo_take_binary)) return row;
    return NULL;
}

void ch__emit_sums(ch__emit *e, const ch__op *op, bool capture) {
    const ch__attr *acc = ch__op_attr(op, CH__ATTR_acc), *order = ch__op_attr(op, CH__ATTR_order);
    bool is_float = capture && ch__is_float(op->operands[0]->type->dtype);
    bool same_acc = is_float ? acc && acc->i == CH_F64 : !acc;
    bool same_order = is_float ? order && order->i == CH__ANY : !order;
    if (same_acc && same_order) return;
    ch__emit_extra(e, "acc", acc ? ch_dtype_name((ch_dtype)acc->i) : "none");
    ch__emit_extra(e, "order", order ? ch__word_name(CH__AK_ORDER, order->i) : "none");
}

static void hlo_emit_tie(ch__emit *e, const ch__op *op) {
    const ch__attr *tie = ch__op_attr(op, CH__ATTR_tie);
    if (tie) ch__emit_extra(e, "tie", ch__word_name(CH__AK_TIE, tie->i));
}

static int hlo_emit_operands(ch__emit *e, const ch__op *op, ch__emit_ref **out) {
    *out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, op->n_operands + 1);
    for (int i = 0; i < op->n_operands; i++) (*out)[i] = ch__emit_in(e, op, i);
    return op->n_operands;
}

// Results of a line become those of the op.
static void hlo_emit_plain(ch__emit *e, const char *name, ch__emit_form form, const ch__op *op) {
    ch__emit_ref *in, *out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, op->n_results + 1);
    const ch__type **types = CH_NEW_ARRAY(e->scratch, const ch__type *, op->n_results + 1);
    int n = hlo_emit_operands(e, op, &in);
    for (int i = 0; i < op->n_results; i++) types[i] = op->results[i].type;
    ch__emit_line(e, name, form, n, in, op->n_results, types, out);
    for (int i = 0; i < op->n_results; i++) ch__emit_set(e, &op->results[i], out[i]);
}

void ch__emit_titled(ch__emit *e, const ch__op *op, const char *name, const char *open, const char *close,
                     const char *attrs) {
    if (e->generic) {
        ch__emit_attr(e, NULL, attrs);
        hlo_emit_plain(e, name, CH__EMIT_GENERIC, op);
        return;
    }
    ch__emit_ref *in, *out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, op->n_results + 1);
    const ch__type **types = CH_NEW_ARRAY(e->scratch, const ch__type *, op->n_results + 1);
    int n = hlo_emit_operands(e, op, &in);
    for (int i = 0; i < op->n_results; i++) types[i] = op->results[i].type;
    ch__emit_results(e, op->n_results, types, out);
    ch__putf(e->t, "%s %s", name, open);
    ch__emit_refs(e, n, in);
    ch__putf(e->t, "%s{%s} : ", close, attrs);
    ch__emit_types(e, n, in, true);
    ch__put(e->t, " -> ");
    ch__emit_types(e, op->n_results, out, op->n_results != 1);
    ch__putc(e->t, '\n');
    for (int i = 0; i < op->n_results; i++) ch__emit_set(e, &op->results[i], out[i]);
}

static void hlo_emit_elementwise(ch__emit *e, const ch__op *op, const ch__hlo_row *row) {
    bool chlo = row->name[0] == 'c';
    if (op->code == CH_OP_min || op->code == CH_OP_max) hlo_emit_tie(e, op);
    hlo_emit_plain(e, row->name,
                   chlo                          ? CH__EMIT_ARROW
                   : op->code == CH_OP_is_finite ? CH__EMIT_FUNC
                                                 : CH__EMIT_SAME,
                   op);
}

// ---------------------------------------------------------------- forms of their own

static void hlo_emit_compare(ch__emit *e, const ch__op *op) {
    static const char *const dirs[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    const char *dir = dirs[ch__op_int(op, CH__ATTR_dir, 0)];
    ch_dtype d = op->operands[0]->type->dtype;
    const char *kind = ch__is_float(d) ? "FLOAT" : ch__is_signed(d) ? "SIGNED" : "UNSIGNED";
    ch__emit_ref in[2] = {ch__emit_in(e, op, 0), ch__emit_in(e, op, 1)}, out;
    if (e->generic) {
        ch__emit_attr(e, NULL,
                      ch__arena_printf(e->scratch,
                                       "comparison_direction = #stablehlo<comparison_direction %s>, compare_type = "
                                       "#stablehlo<comparison_type %s>",
                                       dir, kind));
        out = ch__emit_line1(e, "stablehlo.compare", CH__EMIT_GENERIC, 2, in, op->results[0].type);
    } else {
        ch__emit_results(e, 1, &(const ch__type *){op->results[0].type}, &out);
        ch__putf(e->t, "stablehlo.compare %s, ", dir);
        ch__emit_refs(e, 2, in);
        ch__putf(e->t, ", %s : ", kind);
        ch__emit_types(e, 2, in, true);
        ch__put(e->t, " -> ");
        ch__emit_type(e->t, op->results[0].type);
        ch__putc(e->t, '\n');
    }
    ch__emit_set(e, &op->results[0], out);
}

static void hlo_emit_select(ch__emit *e, const ch__op *op) {
    ch__emit_ref in[3] = {ch__emit_in(e, op, 0), ch__emit_in(e, op, 1), ch__emit_in(e, op, 2)}, out;
    if (e->generic) {
        out = ch__emit_line1(e, "stablehlo.select", CH__EMIT_GENERIC, 3, in, op->results[0].type);
    } else {
        ch__emit_results(e, 1, &(const ch__type *){op->results[0].type}, &out);
        ch__put(e->t, "stablehlo.select ");
        ch__emit_refs(e, 3, in);
        ch__put(e->t, " : ");
        ch__emit_types(e, 2, in, false);
        ch__putc(e->t, '\n');
    }
    ch__emit_set(e, &op->results[0], out);
}

static int64_t *hlo_emit_dims(ch__emit *e, const ch__attr *a, int rank) {
    int64_t *v = CH_NEW_ARRAY(e->scratch, int64_t, rank + 1);
    for (int i = 0; a && i < rank; i++) v[i] = a->dims[i].val;
    return v;
}

static int64_t *hlo_emit_ints(ch__emit *e, const ch__op *op, ch__attr_id id, int rank, int64_t absent) {
    const ch__attr *a = ch__op_attr(op, id);
    int64_t *v = CH_NEW_ARRAY(e->scratch, int64_t, rank + 1);
    for (int i = 0; i < rank; i++) v[i] = a ? a->ints[i] : absent;
    return v;
}

static void hlo_emit_slice(ch__emit *e, const ch__op *op) {
    int rank = op->operands[0]->type->rank;
    int64_t *start = hlo_emit_dims(e, ch__op_attr(op, CH__ATTR_start), rank);
    int64_t *limit = hlo_emit_dims(e, ch__op_attr(op, CH__ATTR_limit), rank);
    int64_t *stride = hlo_emit_ints(e, op, CH__ATTR_stride, rank, 1);
    ch__emit_ref in = ch__emit_in(e, op, 0), out;
    if (e->generic) {
        ch__emit_attr_ints(e, NULL, "start_indices", rank, start);
        ch__emit_attr_ints(e, NULL, "limit_indices", rank, limit);
        ch__emit_attr_ints(e, NULL, "strides", rank, stride);
        out = ch__emit_line1(e, "stablehlo.slice", CH__EMIT_GENERIC, 1, &in, op->results[0].type);
    } else {
        ch__emit_results(e, 1, &(const ch__type *){op->results[0].type}, &out);
        ch__put(e->t, "stablehlo.slice ");
        ch__emit_put_ref(e, in);
        ch__put(e->t, " [");
        for (int i = 0; i < rank; i++) {
            ch__putf(e->t, "%s%" PRId64 ":%" PRId64, i ? ", " : "", start[i], limit[i]);
            if (stride[i] != 1) ch__putf(e->t, ":%" PRId64, stride[i]);
        }
        ch__put(e->t, "] : ");
        ch__emit_types(e, 1, &in, true);
        ch__put(e->t, " -> ");
        ch__emit_type(e->t, op->results[0].type);
        ch__putc(e->t, '\n');
    }
    ch__emit_set(e, &op->results[0], out);
}

static void hlo_emit_pad(ch__emit *e, const ch__op *op) {
    int rank = op->operands[0]->type->rank;
    ch__emit_attr_ints(e, "low", "edge_padding_low", rank, hlo_emit_dims(e, ch__op_attr(op, CH__ATTR_lo), rank));
    ch__emit_attr_ints(e, "high", "edge_padding_high", rank, hlo_emit_dims(e, ch__op_attr(op, CH__ATTR_hi), rank));
    ch__emit_attr_ints(e, "interior", "interior_padding", rank, hlo_emit_ints(e, op, CH__ATTR_interior, rank, 0));
    hlo_emit_plain(e, "stablehlo.pad", CH__EMIT_FUNC, op);
}

// ---------------------------------------------------------------- places

// Start indices have one type: those of others are converted.
static int hlo_emit_starts(ch__emit *e, const ch__op *op, int first, ch__emit_ref *out) {
    bool mixed = false;
    for (int i = first; i < op->n_operands; i++)
        mixed = mixed || op->operands[i]->type->dtype != op->operands[first]->type->dtype;
    for (int i = first; i < op->n_operands; i++) {
        ch__emit_ref r = ch__emit_in(e, op, i);
        if (mixed && r.type->dtype != CH_I64)
            r = ch__emit_line1(e, "stablehlo.convert", CH__EMIT_FUNC, 1, &r, ch__type_scalar(CH_I64));
        out[i - first] = r;
    }
    return op->n_operands - first;
}

static ch__emit_ref hlo_emit_taken(ch__emit *e, const ch__op *op, const int64_t *sizes) {
    ch__emit_ref in[CH__MAX_RANK + 1];
    const ch__type *x = op->operands[0]->type;
    ch__dim dims[CH__MAX_RANK];
    for (int i = 0; i < x->rank; i++) dims[i] = ch__dim_const(sizes[i]);
    in[0] = ch__emit_in(e, op, 0);
    int n = hlo_emit_starts(e, op, 1, in + 1);
    ch__emit_attr_ints(e, "sizes", "slice_sizes", x->rank, sizes);
    return ch__emit_line1(e, "stablehlo.dynamic_slice", CH__EMIT_FUNC, n + 1, in,
                          ch__type_make(e->scratch, x->dtype, x->rank, dims, NULL));
}

static void hlo_emit_get(ch__emit *e, const ch__op *op) {
    const ch__type *x = op->operands[0]->type;
    int64_t sizes[CH__MAX_RANK];
    for (int i = 0; i < x->rank; i++) sizes[i] = 1;
    ch__emit_ref r = ch__emit_in(e, op, 0);
    if (x->rank) {
        r = hlo_emit_taken(e, op, sizes);
        r = ch__emit_line1(e, "stablehlo.reshape", CH__EMIT_FUNC, 1, &r, op->results[0].type);
    }
    ch__emit_set(e, &op->results[0], r);
}

static void hlo_emit_put(ch__emit *e, const ch__op *op, bool element) {
    const ch__type *x = op->operands[0]->type;
    ch__emit_ref in[CH__MAX_RANK + 2];
    in[0] = ch__emit_in(e, op, 0);
    in[1] = ch__emit_in(e, op, 1);
    if (element && x->rank == 0) {
        ch__emit_set(e, &op->results[0], in[1]);
        return;
    }
    if (element) {
        ch__dim dims[CH__MAX_RANK];
        for (int i = 0; i < x->rank; i++) dims[i] = ch__dim_const(1);
        in[1] = ch__emit_line1(e, "stablehlo.reshape", CH__EMIT_FUNC, 1, &in[1],
                               ch__type_make(e->scratch, x->dtype, x->rank, dims, NULL));
    }
    int n = hlo_emit_starts(e, op, 2, in + 2);
    ch__emit_set(e, &op->results[0],
                 ch__emit_line1(e, "stablehlo.dynamic_update_slice", CH__EMIT_FUNC, n + 2, in, op->results[0].type));
}

static void hlo_emit_numbers(ch__text *t, const char *name, const ch__attr *a, bool *any) {
    if (!a || a->n == 0) return;
    ch__putf(t, "%s%s = [", *any ? ", " : "", name);
    for (int i = 0; i < a->n; i++) ch__putf(t, "%s%" PRId64, i ? ", " : "", a->ints[i]);
    ch__putc(t, ']');
    *any = true;
}

static void hlo_emit_gather(ch__emit *e, const ch__op *op) {
    ch__text t;
    bool any = false;
    ch__text_init(&t, e->scratch);
    ch__put(&t, "dimension_numbers = #stablehlo.gather<");
    hlo_emit_numbers(&t, "offset_dims", ch__op_attr(op, CH__ATTR_offset_dims), &any);
    hlo_emit_numbers(&t, "collapsed_slice_dims", ch__op_attr(op, CH__ATTR_collapsed), &any);
    hlo_emit_numbers(&t, "operand_batching_dims", ch__op_attr(op, CH__ATTR_operand_batch), &any);
    hlo_emit_numbers(&t, "start_indices_batching_dims", ch__op_attr(op, CH__ATTR_indices_batch), &any);
    hlo_emit_numbers(&t, "start_index_map", ch__op_attr(op, CH__ATTR_index_map), &any);
    ch__putf(&t, "%sindex_vector_dim = %d>", any ? ", " : "", (int)ch__op_int(op, CH__ATTR_index_dim, 0));
    int rank = op->operands[0]->type->rank;
    ch__emit_attr(e, NULL, t.data);
    ch__emit_attr_ints(e, NULL, "slice_sizes", rank, hlo_emit_dims(e, ch__op_attr(op, CH__ATTR_sizes), rank));
    ch__emit_attr(e, NULL, "indices_are_sorted = false");
    hlo_emit_plain(e, "stablehlo.gather", CH__EMIT_GENERIC, op);
}

// ---------------------------------------------------------------- products

static void hlo_emit_precision(ch__emit *e, const ch__op *op, bool dot) {
    int64_t p = ch__op_int(op, CH__ATTR_precision, CH__DEFAULT);
    if (p == CH__DEFAULT) return;
    bool f32 = op->operands[0]->type->dtype == CH_F32;
    bool algorithm = dot && f32 && p == CH__HIGHEST && e->target &&
                     (strcmp(e->target, "cpu") == 0 || strcmp(e->target, "cuda") == 0);
    if (algorithm) {
        const char *body = "lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, "
                           "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
                           "allow_imprecise_accumulation = false>";
        ch__emit_attr(e, ch__arena_printf(e->scratch, "algorithm = <%s", body),
                      ch__arena_printf(e->scratch, "algorithm = #stablehlo.dot_algorithm<%s", body));
        return;
    }
    const char *word = p == CH__HIGH ? "HIGH" : "HIGHEST";
    ch__emit_attr(e, dot ? ch__arena_printf(e->scratch, "precision = [%s, %s]", word, word) : NULL,
                  ch__arena_printf(e->scratch,
                                   "precision_config = [#stablehlo<precision %s>, #stablehlo<precision %s>]", word,
                                   word));
}

static void hlo_emit_dot_list(ch__text *t, const char *name, int n, const int64_t *v) {
    ch__putf(t, "%s = [", name);
    for (int i = 0; i < n; i++) ch__putf(t, "%s%" PRId64, i ? ", " : "", v[i]);
    ch__putc(t, ']');
}

static void hlo_emit_pair(ch__emit *e, const char *name, const ch__attr *a) {
    ch__text t;
    ch__text_init(&t, e->scratch);
    hlo_emit_dot_list(&t, name, a->n, a->ints);
    ch__put(&t, " x [");
    for (int i = 0; i < a->n; i++) ch__putf(&t, "%s%" PRId64, i ? ", " : "", a->ints[a->n + i]);
    ch__putc(&t, ']');
    ch__emit_attr(e, t.data, "");
}

static void hlo_emit_dot(ch__emit *e, const ch__op *op) {
    const ch__attr *contract = ch__op_attr(op, CH__ATTR_contract), *batch = ch__op_attr(op, CH__ATTR_batch);
    if (e->generic) {
        ch__text t;
        ch__text_init(&t, e->scratch);
        ch__put(&t, "dot_dimension_numbers = #stablehlo.dot<");
        if (batch && batch->n) {
            hlo_emit_dot_list(&t, "lhs_batching_dimensions", batch->n, batch->ints);
            hlo_emit_dot_list(&t, ", rhs_batching_dimensions", batch->n, batch->ints + batch->n);
            ch__put(&t, ", ");
        }
        hlo_emit_dot_list(&t, "lhs_contracting_dimensions", contract->n, contract->ints);
        hlo_emit_dot_list(&t, ", rhs_contracting_dimensions", contract->n, contract->ints + contract->n);
        ch__putc(&t, '>');
        ch__emit_attr(e, NULL, t.data);
    } else {
        if (batch && batch->n) hlo_emit_pair(e, "batching_dims", batch);
        hlo_emit_pair(e, "contracting_dims", contract);
    }
    hlo_emit_precision(e, op, true);
    ch__emit_sums(e, op, true);
    hlo_emit_plain(e, "stablehlo.dot_general", CH__EMIT_FUNC, op);
}

static void hlo_emit_layout(ch__text *t, const char *first, const char *second, int spatial) {
    ch__putf(t, "[%s, %s", first, second);
    for (int i = 0; i < spatial; i++) ch__putf(t, ", %d", i);
    ch__putc(t, ']');
}

static void hlo_emit_bracketed(ch__text *t, const char *name, int n, const int64_t *v) {
    ch__putf(t, "%s = [", name);
    for (int i = 0; i < n; i++) ch__putf(t, "%s%" PRId64, i ? ", " : "", v[i]);
    ch__putc(t, ']');
}

static void hlo_emit_pads(ch__text *t, int n, const int64_t *lo, const int64_t *hi) {
    ch__putc(t, '[');
    for (int i = 0; i < n; i++) ch__putf(t, "%s[%" PRId64 ", %" PRId64 "]", i ? ", " : "", lo[i], hi[i]);
    ch__putc(t, ']');
}

static void hlo_emit_conv(ch__emit *e, const ch__op *op) {
    int n = op->operands[0]->type->rank - 2;
    int64_t *strides = hlo_emit_ints(e, op, CH__ATTR_strides, n, 1), *lo = hlo_emit_ints(e, op, CH__ATTR_pad_lo, n, 0);
    int64_t *hi = hlo_emit_ints(e, op, CH__ATTR_pad_hi, n, 0), *lhs = hlo_emit_ints(e, op, CH__ATTR_lhs_dilation, n, 1);
    int64_t *rhs = hlo_emit_ints(e, op, CH__ATTR_rhs_dilation, n, 1);
    ch__emit_ref in[2] = {ch__emit_in(e, op, 0), ch__emit_in(e, op, 1)}, out;
    ch__text numbers, window;
    ch__text_init(&numbers, e->scratch);
    hlo_emit_layout(&numbers, "b", "f", n);
    ch__putc(&numbers, 'x');
    hlo_emit_layout(&numbers, "o", "i", n);
    ch__put(&numbers, "->");
    hlo_emit_layout(&numbers, "b", "f", n);
    ch__text_init(&window, e->scratch);
    if (e->generic) {
        ch__emit_attr(e, NULL, ch__arena_printf(e->scratch, "dimension_numbers = #stablehlo.conv<%s>", numbers.data));
        ch__emit_attr_ints(e, NULL, "window_strides", n, strides);
        ch__put(&window, "padding = dense<");
        hlo_emit_pads(&window, n, lo, hi);
        ch__putf(&window, "> : tensor<%dx2xi64>", n);
        ch__emit_attr(e, NULL, window.data);
        ch__emit_attr_ints(e, NULL, "lhs_dilation", n, lhs);
        ch__emit_attr_ints(e, NULL, "rhs_dilation", n, rhs);
    } else {
        hlo_emit_bracketed(&window, "stride", n, strides);
        ch__put(&window, ", pad = ");
        hlo_emit_pads(&window, n, lo, hi);
        hlo_emit_bracketed(&window, ", lhs_dilate", n, lhs);
        hlo_emit_bracketed(&window, ", rhs_dilate", n, rhs);
    }
    ch__emit_attr_int(e, NULL, "batch_group_count", ch__op_int(op, CH__ATTR_batch_groups, 1));
    ch__emit_attr_int(e, NULL, "feature_group_count", ch__op_int(op, CH__ATTR_groups, 1));
    hlo_emit_precision(e, op, false);
    ch__emit_sums(e, op, true);
    if (e->generic) {
        out = ch__emit_line1(e, "stablehlo.convolution", CH__EMIT_GENERIC, 2, in, op->results[0].type);
    } else {
        ch__emit_results(e, 1, &(const ch__type *){op->results[0].type}, &out);
        ch__put(e->t, "stablehlo.convolution(");
        ch__emit_refs(e, 2, in);
        ch__putf(e->t, ") dim_numbers = %s, window = {%s} {%s", numbers.data, window.data, e->inherent.data);
        if (e->extra.n) ch__putf(e->t, ", %s", e->extra.data);
        ch__put(e->t, "} : ");
        e->inherent.n = e->extra.n = 0;
        ch__emit_types(e, 2, in, true);
        ch__put(e->t, " -> ");
        ch__emit_type(e->t, op->results[0].type);
        ch__putc(e->t, '\n');
    }
    ch__emit_set(e, &op->results[0], out);
}

static void hlo_emit_solve(ch__emit *e, const ch__op *op) {
    static const char *const words[] = {"false", "true"};
    ch__emit_attr(e, NULL,
                  ch__arena_printf(e->scratch,
                                   "left_side = %s, lower = %s, transpose_a = #stablehlo<transpose %s>, "
                                   "unit_diagonal = %s",
                                   words[ch__op_int(op, CH__ATTR_left, 1) != 0],
                                   words[ch__op_int(op, CH__ATTR_lower, 1) != 0],
                                   ch__op_int(op, CH__ATTR_transpose, 0) ? "TRANSPOSE" : "NO_TRANSPOSE",
                                   words[ch__op_int(op, CH__ATTR_unit, 0) != 0]));
    hlo_emit_plain(e, "stablehlo.triangular_solve", CH__EMIT_GENERIC, op);
}

// ---------------------------------------------------------------- others

// chlo.top_k(%x, k = 3): positions are i32, converted when i64 is wanted.
static void hlo_emit_top_k(ch__emit *e, const ch__op *op) {
    int64_t k = ch__op_attr(op, CH__ATTR_k)->dim.val;
    ch__emit_ref in = ch__emit_in(e, op, 0), out[2];
    const ch__type *types[2] = {op->results[0].type, ch__emit_of_dtype(e, op->results[0].type, CH_I32)};
    if (e->generic) {
        ch__emit_attr_int(e, NULL, "k", k);
        ch__emit_line(e, "chlo.top_k", CH__EMIT_GENERIC, 1, &in, 2, types, out);
    } else {
        ch__emit_results(e, 2, types, out);
        ch__put(e->t, "chlo.top_k(");
        ch__emit_put_ref(e, in);
        ch__putf(e->t, ", k = %" PRId64 ") : ", k);
        ch__emit_types(e, 1, &in, false);
        ch__put(e->t, " -> ");
        ch__emit_types(e, 2, out, true);
        ch__putc(e->t, '\n');
    }
    if (op->results[1].type->dtype == CH_I64 && e->uses[op->results[1].id])
        out[1] = ch__emit_line1(e, "stablehlo.convert", CH__EMIT_FUNC, 1, &out[1], op->results[1].type);
    for (int i = 0; i < 2; i++) ch__emit_set(e, &op->results[i], out[i]);
}

static void hlo_emit_constant(ch__emit *e, const ch__op *op) {
    if (e->uses[op->results[0].id] == 0) return; // the step of a loop
    ch__emit_set(e, &op->results[0], ch__emit_const(e, ch__op_attr(op, CH__ATTR_value)->array, op->results[0].type));
}

static void hlo_emit_polygamma(ch__emit *e, const ch__op *op) {
    const ch__type *type = op->results[0].type;
    uint64_t bits = ch__element_bits(type->dtype, (double)ch__op_int(op, CH__ATTR_n, 0));
    ch__emit_ref in[2] = {ch__emit_scalar(e, type->dtype, bits), {0}};
    ch__emit_attr_ints(e, "dims", "broadcast_dimensions", 0, NULL);
    in[0] = ch__emit_line1(e, "stablehlo.broadcast_in_dim", CH__EMIT_FUNC, 1, in, type);
    in[1] = ch__emit_in(e, op, 0);
    ch__emit_set(e, &op->results[0], ch__emit_line1(e, "chlo.polygamma", CH__EMIT_ARROW, 2, in, type));
}

void ch__emit_call(ch__emit *e, const char *name, const ch__op *op) {
    ch__emit_ref *in, *out = CH_NEW_ARRAY(e->scratch, ch__emit_ref, op->n_results + 1);
    const ch__type **types = CH_NEW_ARRAY(e->scratch, const ch__type *, op->n_results + 1);
    int n = hlo_emit_operands(e, op, &in);
    for (int i = 0; i < op->n_results; i++) types[i] = op->results[i].type;
    if (e->generic) {
        ch__emit_attr(e, NULL, ch__arena_printf(e->scratch, "callee = @%s", name));
        ch__emit_line(e, "func.call", CH__EMIT_GENERIC, n, in, op->n_results, types, out);
    } else {
        ch__emit_results(e, op->n_results, types, out);
        ch__putf(e->t, "func.call @%s(", name);
        ch__emit_refs(e, n, in);
        ch__put(e->t, ") : ");
        ch__emit_types(e, n, in, true);
        ch__put(e->t, " -> ");
        ch__emit_types(e, op->n_results, out, op->n_results != 1);
        ch__putc(e->t, '\n');
    }
    for (int i = 0; i < op->n_results; i++) ch__emit_set(e, &op->results[i], out[i]);
}

void ch__emit_op(ch__emit *e, const ch__op *op) {
    const ch__type *type = op->n_results ? op->results[0].type : NULL;
    if (ch__emit_needs_helper(op)) {
        ch__emit_call(e, ch__emit_helper(e, op)->name, op);
        return;
    }
    if (ch__emit_region_op(e, op) || ch__emit_tape_op(e, op) || ch__emit_collective(e, op)) return;
    switch ((ch__opcode)op->code) {
    case CH_OP_compare: hlo_emit_compare(e, op); return;
    case CH_OP_select: hlo_emit_select(e, op); return;
    case CH_OP_clamp: hlo_emit_plain(e, "stablehlo.clamp", CH__EMIT_FUNC, op); return;
    case CH_OP_convert: hlo_emit_plain(e, "stablehlo.convert", CH__EMIT_FUNC, op); return;
    case CH_OP_bitcast: hlo_emit_plain(e, "stablehlo.bitcast_convert", CH__EMIT_FUNC, op); return;
    case CH_OP_const: hlo_emit_constant(e, op); return;
    case CH_OP_polygamma: hlo_emit_polygamma(e, op); return;
    case CH_OP_shr:
        hlo_emit_plain(
            e, ch__is_signed(type->dtype) ? "stablehlo.shift_right_arithmetic" : "stablehlo.shift_right_logical",
            CH__EMIT_SAME, op);
        return;
    case CH_OP_iota:
        ch__emit_attr_int(e, "dim", "iota_dimension", ch__op_int(op, CH__ATTR_dim, 0));
        hlo_emit_plain(e, "stablehlo.iota", CH__EMIT_SAME, op);
        return;
    case CH_OP_dim: {
        ch__emit_set(e, &op->results[0], ch__emit_i64(e, ch__op_attr(op, CH__ATTR_e)->dim.val));
        return;
    }
    case CH_OP_alloc: {
        uint64_t zero = 0;
        ch__emit_set(e, &op->results[0],
                     ch__emit_const(e, &(ch__array){.dtype = type->dtype, .data = &zero, .splat = true}, type));
        return;
    }
    case CH_OP_reshape: hlo_emit_plain(e, "stablehlo.reshape", CH__EMIT_FUNC, op); return;
    case CH_OP_transpose:
        ch__emit_attr_ints(e, "dims", "permutation", type->rank, ch__op_attr(op, CH__ATTR_perm)->ints);
        hlo_emit_plain(e, "stablehlo.transpose", CH__EMIT_FUNC, op);
        return;
    case CH_OP_broadcast:
        ch__emit_attr_ints(e, "dims", "broadcast_dimensions", op->operands[0]->type->rank,
                           ch__op_attr(op, CH__ATTR_dims)->ints);
        hlo_emit_plain(e, "stablehlo.broadcast_in_dim", CH__EMIT_FUNC, op);
        return;
    case CH_OP_slice: hlo_emit_slice(e, op); return;
    case CH_OP_pad: hlo_emit_pad(e, op); return;
    case CH_OP_concat:
        ch__emit_attr_int(e, "dim", "dimension", ch__op_int(op, CH__ATTR_dim, 0));
        hlo_emit_plain(e, "stablehlo.concatenate", CH__EMIT_FUNC, op);
        return;
    case CH_OP_reverse:
        ch__emit_attr_ints(e, "dims", "dimensions", ch__op_attr(op, CH__ATTR_dims)->n,
                           ch__op_attr(op, CH__ATTR_dims)->ints);
        hlo_emit_plain(e, "stablehlo.reverse", CH__EMIT_SAME, op);
        return;
    case CH_OP_dynamic_slice: {
        int rank = op->operands[0]->type->rank;
        ch__emit_set(e, &op->results[0],
                     hlo_emit_taken(e, op, hlo_emit_dims(e, ch__op_attr(op, CH__ATTR_sizes), rank)));
        return;
    }
    case CH_OP_dynamic_update_slice: hlo_emit_put(e, op, false); return;
    case CH_OP_set: hlo_emit_put(e, op, true); return;
    case CH_OP_get: hlo_emit_get(e, op); return;
    case CH_OP_gather: hlo_emit_gather(e, op); return;
    case CH_OP_dot: hlo_emit_dot(e, op); return;
    case CH_OP_conv: hlo_emit_conv(e, op); return;
    case CH_OP_top_k: hlo_emit_top_k(e, op); return;
    case CH_OP_cholesky:
        ch__emit_attr(e, ch__op_int(op, CH__ATTR_lower, 1) ? "lower = true" : "lower = false",
                      ch__op_int(op, CH__ATTR_lower, 1) ? "lower = true" : "lower = false");
        hlo_emit_plain(e, "stablehlo.cholesky", CH__EMIT_SAME, op);
        return;
    case CH_OP_triangular_solve: hlo_emit_solve(e, op); return;
    case CH_OP_shard: ch__emit_shard(e, op); return;
    case CH_OP_composite:
        if (!ch__emit_kernel(e, op)) ch__emit_composite(e, op);
        return;
    case CH_OP_call: ch__emit_call(e, ch__op_attr(op, CH__ATTR_callee)->func->name, op); return;
    default: break;
    }
    const ch__hlo_row *row = hlo_emit_row((ch__opcode)op->code);
    if (!row) ch__raise(CH__E_internal, "StableHLO: %s has no line", ch__op_name((ch__opcode)op->code));
    hlo_emit_elementwise(e, op, row);
}
