// SPDX-License-Identifier: Apache-2.0
// hlo/take_simple.c - StableHLO to IR: operations on elements, and those that make and move arrays.
//
// One StableHLO operation is one of the IR wherever there is one of the same meaning; docs/stablehlo.md lists them.
// What these do may stand in a region of scalars that is applied to arrays (reduce, sort), so types come from the
// operands.
#include "hlo/hlo.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- elementwise

static ch__value *hlo_simple_bits(ch__hlo_take *t, ch__value *x, ch_dtype d) {
    return ch__hlo_build1(t, CH_OP_bitcast, 1, &x, 0, NULL, ch__type_with_dtype(t->module->arena, x->type, d));
}

static bool hlo_simple_unsigned(ch_dtype d) { return ch__is_int(d) && !ch__is_signed(d); }

void ch__hlo_take_unary(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0);
    ch_dtype d = x->type->dtype;
    if (row->code == CH_OP_neg && hlo_simple_unsigned(d)) // 0 - x
        ch__hlo_out(t, 0, ch__b_sub(&t->b, ch__b_splat_like(&t->b, x, 0), x));
    else if (row->code == CH_OP_abs && hlo_simple_unsigned(d))
        ch__hlo_out(t, 0, x);
    else
        ch__hlo_out(t, 0, ch__b_unary(&t->b, row->code, x));
}

static ch__opcode hlo_simple_of_bool(ch__opcode code) {
    return code == CH_OP_add ? CH_OP_or : code == CH_OP_mul ? CH_OP_and : code;
}

void ch__hlo_take_binary(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0), *y = ch__hlo_in(t, 1);
    ch__opcode code = x->type->dtype == CH_BOOL ? hlo_simple_of_bool(row->code) : row->code;
    ch__attr attrs[1];
    int n = code == CH_OP_min || code == CH_OP_max ? ch__hlo_tie(t, attrs, 0) : 0;
    ch__hlo_out(t, 0, ch__hlo_build1(t, code, 2, (ch__value *[]){x, y}, n, attrs, NULL));
}

void ch__hlo_take_shift(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0), *y = ch__hlo_in(t, 1);
    ch_dtype d = x->type->dtype, as = d;
    bool arithmetic = strcmp(row->name, "stablehlo.shift_right_arithmetic") == 0;
    if (ch__is_int(d)) as = ch__int_dtype(ch_dtype_size(d), arithmetic);
    if (as == d) {
        ch__hlo_out(t, 0, ch__b_binary(&t->b, CH_OP_shr, x, y));
        return;
    }
    ch__value *xs = hlo_simple_bits(t, x, as), *ys = hlo_simple_bits(t, y, as);
    ch__hlo_out(t, 0, hlo_simple_bits(t, ch__b_binary(&t->b, CH_OP_shr, xs, ys), d));
}

void ch__hlo_take_square(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0);
    ch__hlo_out(t, 0, ch__b_binary(&t->b, row->code, x, x));
}

void ch__hlo_take_clamp(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *in[3];
    for (int i = 0; i < 3; i++) in[i] = ch__hlo_in(t, i);
    ch__hlo_out(t, 0, ch__hlo_build1(t, row->code, 3, in, 0, NULL, NULL));
}

void ch__hlo_take_select(ch__hlo_take *t, const ch__hlo_row *row) { ch__hlo_take_clamp(t, row); }

// The bits of a float as an integer whose order is the total order: -nan < -inf < ... < -0 < +0 < ... < inf < nan.
static ch__value *hlo_simple_total(ch__hlo_take *t, ch__value *x) {
    ch_dtype d = ch__int_dtype(ch_dtype_size(x->type->dtype), true);
    int width = 8 * (int)ch_dtype_size(d);
    ch__value *i = hlo_simple_bits(t, x, d);
    ch__value *sign = ch__b_binary(&t->b, CH_OP_shr, i, ch__b_splat_like(&t->b, i, width - 1));
    uint64_t most = (UINT64_C(1) << (width - 1)) - 1;
    ch__value *mask = ch__b_const(&t->b, &(ch__array){.dtype = d, .data = &most, .splat = true});
    mask = ch__b_broadcast_to(&t->b, mask, i->type);
    return ch__b_binary(&t->b, CH_OP_xor, i, ch__b_binary(&t->b, CH_OP_and, sign, mask));
}

static bool hlo_simple_word(const ch__hlo_op *op, const char *word) {
    for (int64_t i = 0; i < op->words.n; i++)
        if (strlen(word) == op->words.data[i].n && memcmp(word, op->words.data[i].s, op->words.data[i].n) == 0)
            return true;
    return false;
}

void ch__hlo_take_compare(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    static const char *const dirs[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
    ch__value *x = ch__hlo_in(t, 0), *y = ch__hlo_in(t, 1);
    int dir = -1;
    for (int i = 0; i < 6; i++)
        if (hlo_simple_word(t->op, dirs[i]) ||
            ch__hlo_is_attr_word(ch__hlo_attr_of(t, "comparison_direction"), dirs[i]))
            dir = i;
    if (dir < 0) ch__hlo_fail(t, CH__E_attribute, "no direction — EQ, NE, LT, LE, GT or GE");
    bool total =
        hlo_simple_word(t->op, "TOTALORDER") || ch__hlo_is_attr_word(ch__hlo_attr_of(t, "compare_type"), "TOTALORDER");
    if (total && ch__is_float(x->type->dtype)) {
        x = hlo_simple_total(t, x);
        y = hlo_simple_total(t, y);
    }
    ch__hlo_out(t, 0, ch__b_compare(&t->b, (ch__dir)dir, x, y));
}

void ch__hlo_take_convert(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0);
    ch_dtype d = t->op->results[0]->type->type->dtype;
    ch__hlo_out(t, 0, ch__hlo_build1(t, row->code, 1, &x, 0, NULL, ch__type_with_dtype(t->module->arena, x->type, d)));
}

void ch__hlo_take_is_inf(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0);
    bool negative = strcmp(row->name, "chlo.is_neg_inf") == 0;
    if (strcmp(row->name, "chlo.is_inf") == 0) x = ch__b_unary(&t->b, CH_OP_abs, x);
    double inf = (double)INFINITY;
    ch__hlo_out(t, 0, ch__b_compare(&t->b, CH__EQ, x, ch__b_splat_like(&t->b, x, negative ? -inf : inf)));
}

// "e5m10", or exponent_bits and mantissa_bits. Numbers below the smallest normal one become 0, as XLA has it.
void ch__hlo_take_precision(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *x = ch__hlo_in(t, 0);
    int64_t e = ch__hlo_int(t, "exponent_bits", NULL, 0), m = ch__hlo_int(t, "mantissa_bits", NULL, 0);
    const ch__hlo_attr *format = ch__hlo_attr_of(t, "format");
    if (format && format->n > 2 && format->s[0] == 'e') {
        bool overflow;
        const char *end = format->s + format->n, *s = ch__parse_i64(format->s + 1, end, &e, &overflow);
        if (s < end && *s == 'm') ch__parse_i64(s + 1, end, &m, &overflow);
    }
    ch_dtype d = x->type->dtype;
    int own_e = d == CH_F64 ? 11 : d == CH_F32 || d == CH_BF16 ? 8 : 5;
    int own_m = d == CH_F64 ? 52 : d == CH_F32 ? 23 : d == CH_BF16 ? 7 : 10;
    if (e >= own_e && m >= own_m) {
        ch__hlo_out(t, 0, x);
    } else if (d == CH_F32 && ((e == 8 && m == 7) || (e == 5 && m == 10))) {
        ch__value *y = ch__b_convert(&t->b, ch__b_convert(&t->b, x, m == 7 ? CH_BF16 : CH_F16), CH_F32);
        double least = m == 7 ? 0x1p-126 : 0x1p-14;
        ch__value *small =
            ch__b_compare(&t->b, CH__LT, ch__b_unary(&t->b, CH_OP_abs, y), ch__b_splat_like(&t->b, x, least));
        ch__value *zero = ch__b_binary(&t->b, CH_OP_copysign, ch__b_splat_like(&t->b, x, 0), y);
        ch__hlo_out(t, 0, ch__b_select(&t->b, small, zero, y));
    } else {
        ch__hlo_refuse(t->r, t->op->at, "%s of %s to e%dm%d is not taken: e8m7 and e5m10 of f32 are", t->op->name,
                       ch_dtype_name(d), (int)e, (int)m);
    }
}

// The order is one whole number for all elements.
void ch__hlo_take_polygamma(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 1);
    uint64_t bits;
    double n = -1;
    if (ch__hlo_scalar(t->op->operands[0]->value, &bits)) n = ch__float_value(x->type->dtype, bits);
    if (!(n >= 0 && n <= 1000 && n == floor(n))) {
        ch__hlo_refuse(t->r, t->op->at, "%s: its order is not taken — a constant whole number for all elements",
                       t->op->name);
        return;
    }
    ch__attr a = ch__attr_int(CH__ATTR_n, (int64_t)n);
    ch__hlo_out(t, 0, ch__hlo_build1(t, row->code, 1, &x, 1, &a, NULL));
}

// ---------------------------------------------------------------- making

void ch__hlo_take_constant(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    const ch__hlo_attr *value = ch__hlo_attr_of(t, "value");
    if (!value) ch__hlo_fail(t, CH__E_attribute, "its value is missing");
    if (value->kind == CH__HA_RESOURCE) {
        ch__hlo_refuse(t->r, value->at, "%s: dense_resource is not taken — write the data as dense<...>", t->op->name);
        return;
    }
    if (value->kind != CH__HA_DENSE) ch__hlo_fail(t, CH__E_attribute, "its value is no dense<...>");
    const ch__type *type = t->op->results[0]->type->type;
    if (value->type != t->op->results[0]->type && strcmp(value->type->text, t->op->results[0]->type->text) != 0)
        ch__hlo_fail(t, CH__E_shape_mismatch, "the data is %s — the result is %s", value->type->text,
                     t->op->results[0]->type->text);
    ch__attr a = ch__attr_array(CH__ATTR_value, ch__hlo_read_data(t->r, t->scratch, value));
    ch__hlo_out(t, 0, ch__hlo_build1(t, CH_OP_const, 0, NULL, 1, &a, type));
}

static int hlo_simple_dim(ch__hlo_take *t, const char *name, int rank) {
    int64_t dim = ch__hlo_int(t, "dim", name, 0);
    if (dim < 0 || dim >= rank) ch__hlo_fail(t, CH__E_rank, "there is no dimension %lld", (long long)dim);
    return (int)dim;
}

void ch__hlo_take_iota(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    const ch__type *type = ch__hlo_result_type(t, 0);
    ch__hlo_out(t, 0, ch__b_iota(&t->b, type, hlo_simple_dim(t, "iota_dimension", type->rank)));
}

void ch__hlo_take_dimension_size(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    const ch__type *x = t->op->operands[0]->value->type;
    int dim = hlo_simple_dim(t, "dimension", x->rank);
    ch__hlo_out(t, 0, ch__b_splat(&t->b, ch__hlo_result_type(t, 0), (double)x->dims[dim].val));
}

// Other widths go along the last dimension, the lowest bits first.
static ch__value *hlo_simple_widen(ch__hlo_take *t, ch__value *x, const ch__type *to) {
    ch_dtype from = ch__int_dtype(ch_dtype_size(x->type->dtype), false),
             wide = ch__int_dtype(ch_dtype_size(to->dtype), false);
    int last = x->type->rank - 1;
    int64_t ratio = (int64_t)(ch_dtype_size(to->dtype) / ch_dtype_size(from));
    if (last < 0 || ch__hlo_dim(x, last) != ratio)
        ch__hlo_fail(t, CH__E_shape_mismatch, "the last dimension of the operand holds the parts of an element: %lld",
                     (long long)ratio);
    ch__value *parts = ch__b_convert(&t->b, hlo_simple_bits(t, x, from), wide);
    ch__value *shift = ch__b_iota(&t->b, parts->type, last);
    shift = ch__b_mul(&t->b, shift, ch__b_splat_like(&t->b, shift, 8.0 * (double)ch_dtype_size(from)));
    int64_t dims[1] = {last};
    ch__value *all = ch__b_binary(&t->b, CH_OP_shl, parts, shift);
    return hlo_simple_bits(t, ch__b_reduce(&t->b, CH__OR, all, 1, dims), to->dtype);
}

static ch__value *hlo_simple_narrow(ch__hlo_take *t, ch__value *x, const ch__type *to) {
    ch_dtype wide = ch__int_dtype(ch_dtype_size(x->type->dtype), false),
             narrow = ch__int_dtype(ch_dtype_size(to->dtype), false);
    int64_t ratio = (int64_t)(ch_dtype_size(wide) / ch_dtype_size(narrow));
    int rank = x->type->rank;
    if (to->rank != rank + 1 || to->dims[rank].val != ratio)
        ch__hlo_fail(t, CH__E_shape_mismatch, "the result has one dimension more, for the %lld parts of an element",
                     (long long)ratio);
    int64_t dims[CH__MAX_RANK];
    for (int i = 0; i < rank; i++) dims[i] = i;
    const ch__type *parts = ch__type_with_dtype(t->module->arena, to, wide);
    ch__value *all = ch__b_broadcast(&t->b, hlo_simple_bits(t, x, wide), parts, dims);
    ch__value *shift = ch__b_iota(&t->b, parts, rank);
    shift = ch__b_mul(&t->b, shift, ch__b_splat_like(&t->b, shift, 8.0 * (double)ch_dtype_size(narrow)));
    ch__value *low = ch__b_convert(&t->b, ch__b_binary(&t->b, CH_OP_shr, all, shift), narrow);
    return hlo_simple_bits(t, low, to->dtype);
}

void ch__hlo_take_bitcast(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *x = ch__hlo_in(t, 0);
    const ch__type *to = t->op->results[0]->type->type;
    size_t from_size = ch_dtype_size(x->type->dtype), to_size = ch_dtype_size(to->dtype);
    if (from_size != to_size && (x->type->dtype == CH_BOOL || to->dtype == CH_BOOL)) {
        ch__hlo_refuse(t->r, t->op->at, "%s between i1 and wider types is not taken", t->op->name);
        return;
    }
    ch__hlo_out(t, 0,
                from_size == to_size  ? hlo_simple_bits(t, x, to->dtype)
                : from_size < to_size ? hlo_simple_widen(t, x, to)
                                      : hlo_simple_narrow(t, x, to));
}

// ---------------------------------------------------------------- moving

void ch__hlo_take_broadcast(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0);
    if (t->shape) { // a scalar to a scalar
        ch__hlo_out(t, 0, x);
        return;
    }
    const ch__type *to = ch__hlo_result_type(t, 0);
    int n;
    int64_t *dims = ch__hlo_ints(t, "dims", "broadcast_dimensions", &n);
    if (strcmp(row->name, "stablehlo.broadcast") == 0) {
        n = x->type->rank;
        dims = CH_NEW_ARRAY(t->scratch, int64_t, n + 1);
        for (int i = 0; i < n; i++) dims[i] = to->rank - n + i;
    }
    if (n != x->type->rank)
        ch__hlo_fail(t, CH__E_attribute, "%d dimension%s given for an operand of rank %d", n, n == 1 ? " is" : "s are",
                     x->type->rank);
    ch__hlo_out(t, 0, ch__b_broadcast(&t->b, x, to, dims));
}

void ch__hlo_take_reshape(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *x = ch__hlo_in(t, 0);
    ch__hlo_out(t, 0, t->shape ? x : ch__b_reshape(&t->b, x, ch__hlo_result_type(t, 0)));
}

static int64_t *hlo_simple_rank_ints(ch__hlo_take *t, const char *name, const char * or, int rank) {
    int n;
    int64_t *v = ch__hlo_ints(t, name, or, &n);
    if (!v) ch__hlo_fail(t, CH__E_attribute, "%s is missing", or ? or : name);
    if (n != rank)
        ch__hlo_fail(t, CH__E_attribute, "%s has %d entr%s — the rank is %d", or ? or : name, n, n == 1 ? "y" : "ies",
                     rank);
    return v;
}

static ch__dim *hlo_simple_sizes(ch__hlo_take *t, const int64_t *v, int n) {
    ch__dim *out = CH_NEW_ARRAY(t->scratch, ch__dim, n + 1);
    for (int i = 0; i < n; i++) out[i] = ch__dim_const(v[i]);
    return out;
}

void ch__hlo_take_transpose(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *x = ch__hlo_in(t, 0);
    ch__hlo_out(t, 0, ch__b_transpose(&t->b, x, hlo_simple_rank_ints(t, "dims", "permutation", x->type->rank)));
}

void ch__hlo_take_slice(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *x = ch__hlo_in(t, 0);
    int rank = x->type->rank, n;
    int64_t *start = hlo_simple_rank_ints(t, "start_indices", NULL, rank);
    int64_t *limit = hlo_simple_rank_ints(t, "limit_indices", NULL, rank),
            *stride = ch__hlo_ints(t, "strides", NULL, &n);
    bool plain = true;
    for (int i = 0; i < n && i < rank; i++) plain = plain && stride[i] == 1;
    if (stride && n != rank) ch__hlo_fail(t, CH__E_attribute, "strides has %d entries — the rank is %d", n, rank);
    ch__hlo_out(t, 0,
                ch__b_slice(&t->b, x, hlo_simple_sizes(t, start, rank), hlo_simple_sizes(t, limit, rank),
                            plain ? NULL : stride));
}

void ch__hlo_take_pad(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *x = ch__hlo_in(t, 0);
    int rank = x->type->rank;
    int64_t *lo = hlo_simple_rank_ints(t, "low", "edge_padding_low", rank);
    int64_t *hi = hlo_simple_rank_ints(t, "high", "edge_padding_high", rank);
    int64_t *in = hlo_simple_rank_ints(t, "interior", "interior_padding", rank);
    bool plain = true;
    for (int i = 0; i < rank; i++) plain = plain && in[i] == 0;
    ch__value *v = ch__hlo_in(t, 1);
    ch__hlo_out(
        t, 0, ch__b_pad(&t->b, x, v, hlo_simple_sizes(t, lo, rank), hlo_simple_sizes(t, hi, rank), plain ? NULL : in));
}

static ch__value **hlo_simple_operands(ch__hlo_take *t) {
    ch__value **out = CH_NEW_ARRAY(t->scratch, ch__value *, t->op->n_operands + 1);
    for (int i = 0; i < t->op->n_operands; i++) out[i] = ch__hlo_in(t, i);
    return out;
}

void ch__hlo_take_concatenate(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value **in = hlo_simple_operands(t);
    ch__hlo_out(t, 0, ch__b_concat(&t->b, t->op->n_operands, in, hlo_simple_dim(t, "dimension", in[0]->type->rank)));
}

void ch__hlo_take_reverse(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    int n;
    int64_t *dims = ch__hlo_ints(t, "dims", "dimensions", &n);
    for (int i = 1; i < n; i++) // the IR has them ascending
        for (int k = i; k > 0 && dims[k] < dims[k - 1]; k--) {
            int64_t x = dims[k];
            dims[k] = dims[k - 1];
            dims[k - 1] = x;
        }
    ch__hlo_out(t, 0, ch__b_reverse(&t->b, ch__hlo_in(t, 0), n, dims));
}

void ch__hlo_take_dynamic_slice(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value **in = hlo_simple_operands(t);
    int rank = in[0]->type->rank;
    int64_t *sizes = hlo_simple_rank_ints(t, "sizes", "slice_sizes", rank);
    ch__attr a = ch__attr_dims(CH__ATTR_sizes, rank, hlo_simple_sizes(t, sizes, rank));
    ch__hlo_out(t, 0, ch__hlo_build1(t, row->code, t->op->n_operands, in, 1, &a, NULL));
}

void ch__hlo_take_dynamic_update_slice(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__hlo_out(t, 0, ch__hlo_build1(t, row->code, t->op->n_operands, hlo_simple_operands(t), 0, NULL, NULL));
}
