// SPDX-License-Identifier: Apache-2.0
// hlo/take_linear.c - StableHLO to IR: products of matrices, convolutions, factorizations, custom calls.
//
// dot_general and convolution may give a wider type than their operands (bf16 x bf16 -> f32): the operands are
// converted before, which is exact. The IR's convolution has its dimensions in one order, so others are transposed
// around it.
#include "hlo/hlo.h"

#include <string.h>

// ---------------------------------------------------------------- the dtype computed in

// The dtype in which a product of x and y that gives `to` is computed.
static ch_dtype hlo_linear_dtype(ch_dtype x, ch_dtype y, ch_dtype to) {
    if (to == CH_BOOL) return CH_I32; // whether any: as numbers
    bool storage = x == CH_F8E4M3 || x == CH_F8E5M2 || y == CH_F8E4M3 || y == CH_F8E5M2;
    if (storage) return to == CH_F64 ? CH_F64 : CH_F32;
    ch_dtype wide = ch_dtype_size(x) >= ch_dtype_size(y) ? x : y;
    return ch_dtype_size(to) > ch_dtype_size(wide) || (x == y && to == x) ? to : x == y ? x : wide;
}

static void hlo_linear_precision(ch__hlo_take *t, ch__attr *attrs, int *n) {
    const ch__hlo_attr *list = ch__hlo_attr_of(t, "precision_config"), *algorithm = ch__hlo_attr_of(t, "algorithm");
    if (!list) list = ch__hlo_attr_of(t, "precision");
    int64_t most = 0;
    for (int64_t i = 0; list && i < list->items.n; i++) {
        const ch__hlo_attr *word = list->items.data[i];
        int64_t v = ch__hlo_is_attr_word(word, "HIGHEST") ? CH__HIGHEST : ch__hlo_is_attr_word(word, "HIGH");
        if (v > most) most = v;
    }
    const ch__hlo_attr *of_lhs = ch__hlo_dict_get(algorithm, "lhs_precision_type");
    if (ch__hlo_is_attr_word(of_lhs, "f32")) most = CH__HIGHEST;
    if (most) attrs[(*n)++] = ch__attr_int(CH__ATTR_precision, most);
}

// ---------------------------------------------------------------- dot

static int64_t *hlo_linear_pair(ch__hlo_take *t, const ch__hlo_attr *numbers, const char *pretty, const char *lhs,
                                const char *rhs, int *n) {
    const ch__hlo_attr *pair = ch__hlo_attr_of(t, pretty);
    const ch__hlo_attr *l = ch__hlo_dict_get(numbers, lhs), *r = ch__hlo_dict_get(numbers, rhs);
    if (pair && pair->kind == CH__HA_PAIR) {
        l = pair->items.data[0];
        r = pair->items.data[1];
    }
    int nl, nr;
    int64_t *a = ch__hlo_ints_of(t, l, &nl), *b = ch__hlo_ints_of(t, r, &nr);
    if (nl != nr) ch__hlo_fail(t, CH__E_attribute, "%d dimensions of lhs go with %d of rhs", nl, nr);
    int64_t *both = CH_NEW_ARRAY(t->scratch, int64_t, 2 * nl + 1);
    for (int i = 0; i < nl; i++) {
        both[i] = a[i];
        both[nl + i] = b[i];
    }
    *n = nl;
    return both;
}

void ch__hlo_take_dot(ch__hlo_take *t, const ch__hlo_row *row) {
    ch__value *x = ch__hlo_in(t, 0), *y = ch__hlo_in(t, 1);
    ch_dtype to = ch__hlo_result_type(t, 0)->dtype, in = hlo_linear_dtype(x->type->dtype, y->type->dtype, to);
    const ch__hlo_attr *numbers = ch__hlo_attr_of(t, "dot_dimension_numbers");
    int n_contract, n_batch, n = 0;
    int64_t *contract = hlo_linear_pair(t, numbers, "contracting_dims", "lhs_contracting_dimensions",
                                        "rhs_contracting_dimensions", &n_contract);
    int64_t *batch =
        hlo_linear_pair(t, numbers, "batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions", &n_batch);
    if (strcmp(row->name, "stablehlo.dot") == 0) {
        if (x->type->rank < 1 || y->type->rank < 1) ch__hlo_fail(t, CH__E_rank, "operands have rank 1 or 2");
        n_contract = 1;
        contract = CH_NEW_ARRAY(t->scratch, int64_t, 2);
        contract[0] = x->type->rank - 1;
    }
    ch__attr attrs[8];
    attrs[n++] = ch__attr_pairs(CH__ATTR_contract, n_contract, contract);
    if (n_batch) attrs[n++] = ch__attr_pairs(CH__ATTR_batch, n_batch, batch);
    n = ch__hlo_sums(t, in, attrs, n);
    hlo_linear_precision(t, attrs, &n);
    ch__value *operands[2] = {ch__b_convert(&t->b, x, in), NULL};
    operands[1] = ch__b_convert(&t->b, y, in);
    ch__value *v = ch__hlo_build1(t, CH_OP_dot, 2, operands, n, attrs, NULL);
    ch__hlo_out(t, 0, ch__b_convert(&t->b, v, to));
}

// ---------------------------------------------------------------- convolution

typedef struct {
    int spatial;
    int64_t lhs[CH__MAX_RANK], rhs[CH__MAX_RANK], out[CH__MAX_RANK]; // to the IR's order: perm[i] is the axis there
    int64_t back[CH__MAX_RANK];                                      // of the result
} hlo_linear_layout;

// Letters: b -1, f -2, i -3, o -4 (read_attr.c). First and second are those that stand in front in the IR.
static void hlo_linear_side(ch__hlo_take *t, const ch__hlo_attr *side, int64_t first, int64_t second, int rank,
                            int64_t *perm) {
    uint32_t seen = 0;
    if (side->items.n != rank)
        ch__hlo_fail(t, CH__E_rank, "%d dimensions are named — the rank is %d", (int)side->items.n, rank);
    for (int i = 0; i < rank; i++) {
        int64_t v = side->items.data[i]->i, place = v == first               ? 0
                                                    : v == second            ? 1
                                                    : v >= 0 && v < rank - 2 ? v + 2
                                                                             : -1;
        if (place < 0 || seen >> place & 1) ch__hlo_fail(t, CH__E_attribute, "its dimensions are not each named once");
        seen |= 1u << place;
        perm[place] = i;
    }
}

static hlo_linear_layout hlo_linear_numbers(ch__hlo_take *t, int rank) {
    hlo_linear_layout l = {.spatial = rank - 2};
    const ch__hlo_attr *a = ch__hlo_attr_of(t, "dimension_numbers");
    if (!a || a->kind != CH__HA_CONV) ch__hlo_fail(t, CH__E_attribute, "its dimension numbers are missing");
    hlo_linear_side(t, a->items.data[0], -1, -2, rank, l.lhs);
    hlo_linear_side(t, a->items.data[1], -4, -3, rank, l.rhs);
    hlo_linear_side(t, a->items.data[2], -1, -2, rank, l.out);
    for (int i = 0; i < rank; i++) l.back[l.out[i]] = i;
    return l;
}

static ch__value *hlo_linear_transpose(ch__hlo_take *t, ch__value *v, const int64_t *perm) {
    for (int i = 0; i < v->type->rank; i++)
        if (perm[i] != i) return ch__b_transpose(&t->b, v, perm);
    return v;
}

static int hlo_linear_window(ch__hlo_take *t, int spatial, ch__attr *attrs, int n) {
    static const struct {
        const char *name;
        ch__attr_id id;
    } lists[] = {{"window_strides", CH__ATTR_strides},
                 {"lhs_dilation", CH__ATTR_lhs_dilation},
                 {"rhs_dilation", CH__ATTR_rhs_dilation}};
    int count;
    for (int i = 0; i < 3; i++) {
        int64_t *v = ch__hlo_ints(t, lists[i].name, NULL, &count);
        bool plain = true;
        for (int k = 0; k < count; k++) plain = plain && v[k] == 1;
        if (v && !plain) attrs[n++] = ch__attr_ints(lists[i].id, count, v);
    }
    int64_t *pad = ch__hlo_ints(t, "padding", NULL, &count);
    if (!pad) return n;
    if (count != 2 * spatial)
        ch__hlo_fail(t, CH__E_attribute, "padding has %d numbers — two a spatial dimension: %d", count, 2 * spatial);
    int64_t *lo = CH_NEW_ARRAY(t->scratch, int64_t, spatial + 1), *hi = CH_NEW_ARRAY(t->scratch, int64_t, spatial + 1);
    bool plain = true;
    for (int i = 0; i < spatial; i++) {
        lo[i] = pad[2 * i];
        hi[i] = pad[2 * i + 1];
        plain = plain && lo[i] == 0 && hi[i] == 0;
    }
    if (plain) return n;
    attrs[n++] = ch__attr_ints(CH__ATTR_pad_lo, spatial, lo);
    attrs[n++] = ch__attr_ints(CH__ATTR_pad_hi, spatial, hi);
    return n;
}

// Convolutions without a spatial dimension get one of size 1.
static ch__value *hlo_linear_add_axis(ch__hlo_take *t, ch__value *v) {
    int64_t dims[CH__MAX_RANK];
    for (int i = 0; i < v->type->rank; i++) dims[i] = ch__hlo_dim(v, i);
    dims[v->type->rank] = 1;
    return ch__b_reshape(&t->b, v, ch__hlo_shape(t, v->type->dtype, v->type->rank + 1, dims));
}

void ch__hlo_take_convolution(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__value *x = ch__hlo_in(t, 0), *y = ch__hlo_in(t, 1);
    int rank = x->type->rank, n = 0;
    if (rank < 2 || y->type->rank != rank)
        ch__hlo_fail(t, CH__E_rank, "ranks %d and %d — equal and at least 2", rank, y->type->rank);
    ch_dtype to = ch__hlo_result_type(t, 0)->dtype, in = hlo_linear_dtype(x->type->dtype, y->type->dtype, to);
    hlo_linear_layout l = hlo_linear_numbers(t, rank);
    x = hlo_linear_transpose(t, ch__b_convert(&t->b, x, in), l.lhs);
    y = hlo_linear_transpose(t, ch__b_convert(&t->b, y, in), l.rhs);
    int count, n_turned = 0;
    int64_t *turned = ch__hlo_ints(t, "window_reversal", NULL, &count), axes[CH__MAX_RANK];
    for (int i = 0; i < count && i < l.spatial; i++)
        if (turned[i]) axes[n_turned++] = i + 2;
    if (n_turned) y = ch__b_reverse(&t->b, y, n_turned, axes);
    ch__attr attrs[12];
    n = hlo_linear_window(t, l.spatial, attrs, n);
    int64_t groups = ch__hlo_int(t, "feature_group_count", NULL, 1);
    int64_t batch_groups = ch__hlo_int(t, "batch_group_count", NULL, 1);
    if (groups != 1) attrs[n++] = ch__attr_int(CH__ATTR_groups, groups);
    if (batch_groups != 1) attrs[n++] = ch__attr_int(CH__ATTR_batch_groups, batch_groups);
    n = ch__hlo_sums(t, in, attrs, n);
    hlo_linear_precision(t, attrs, &n);
    bool point = l.spatial == 0;
    if (point) {
        x = hlo_linear_add_axis(t, x);
        y = hlo_linear_add_axis(t, y);
    }
    ch__value *v = ch__hlo_build1(t, CH_OP_conv, 2, (ch__value *[]){x, y}, n, attrs, NULL);
    if (point) {
        int64_t dims[2] = {ch__hlo_dim(v, 0), ch__hlo_dim(v, 1)};
        v = ch__b_reshape(&t->b, v, ch__hlo_shape(t, in, 2, dims));
    }
    v = hlo_linear_transpose(t, v, l.back);
    ch__hlo_out(t, 0, ch__b_convert(&t->b, v, to));
}

// ---------------------------------------------------------------- factorizations

static ch__value *hlo_linear_cholesky(ch__hlo_take *t, ch__value *x, bool lower) {
    ch__attr a = ch__attr_int(CH__ATTR_lower, lower);
    return ch__hlo_build1(t, CH_OP_cholesky, 1, &x, 1, &a, NULL);
}

static ch__value *hlo_linear_solve(ch__hlo_take *t, ch__value *a, ch__value *b, bool left, bool lower, bool transpose,
                                   bool unit) {
    ch__attr attrs[4] = {ch__attr_int(CH__ATTR_left, left), ch__attr_int(CH__ATTR_lower, lower),
                         ch__attr_int(CH__ATTR_transpose, transpose), ch__attr_int(CH__ATTR_unit, unit)};
    return ch__hlo_build1(t, CH_OP_triangular_solve, 2, (ch__value *[]){a, b}, 4, attrs, NULL);
}

void ch__hlo_take_cholesky(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    ch__hlo_out(t, 0, hlo_linear_cholesky(t, ch__hlo_in(t, 0), ch__hlo_int(t, "lower", NULL, 0) != 0));
}

void ch__hlo_take_triangular_solve(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    const ch__hlo_attr *how = ch__hlo_attr_of(t, "transpose_a");
    ch__value *a = ch__hlo_in(t, 0), *b = ch__hlo_in(t, 1);
    ch__hlo_out(t, 0,
                hlo_linear_solve(t, a, b, ch__hlo_int(t, "left_side", NULL, 0) != 0,
                                 ch__hlo_int(t, "lower", NULL, 0) != 0,
                                 ch__hlo_is_attr_word(how, "TRANSPOSE") || ch__hlo_is_attr_word(how, "ADJOINT"),
                                 ch__hlo_int(t, "unit_diagonal", NULL, 0) != 0));
}

// ---------------------------------------------------------------- custom calls

static int64_t hlo_linear_letter(ch__hlo_take *t, const char *name, int64_t absent) {
    const ch__hlo_attr *config = ch__hlo_attr_of(t, "mhlo.backend_config");
    if (!config) config = ch__hlo_attr_of(t, "backend_config");
    const ch__hlo_attr *a = ch__hlo_dict_get(config, name);
    return a && a->kind == CH__HA_INT ? a->i : absent;
}

// The factor, and 0 where it is one, else 1: NaN in its diagonal says so.
static void hlo_linear_potrf(ch__hlo_take *t) {
    ch__value *x = ch__hlo_in(t, 0);
    ch__value *l = hlo_linear_cholesky(t, x, hlo_linear_letter(t, "uplo", 'L') == 'L');
    int rank = x->type->rank;
    int64_t axes[2] = {rank - 2, rank - 1};
    ch__hlo_out(t, 0, l);
    if (t->op->n_results < 2) return;
    ch__value *bad = ch__b_compare(&t->b, CH__NE, l, l);
    ch__value *any = ch__b_reduce(&t->b, CH__OR, bad, 2, axes);
    ch__hlo_out(t, 1, ch__b_convert(&t->b, any, ch__hlo_result_type(t, 1)->dtype));
}

static void hlo_linear_trsm(ch__hlo_take *t) {
    ch__value *a = ch__hlo_in(t, 0), *b = ch__hlo_in(t, 1);
    ch__hlo_out(t, 0,
                hlo_linear_solve(t, a, b, hlo_linear_letter(t, "side", 'L') == 'L',
                                 hlo_linear_letter(t, "uplo", 'L') == 'L', hlo_linear_letter(t, "trans_x", 'N') != 'N',
                                 hlo_linear_letter(t, "diag", 'N') == 'U'));
}

static const struct {
    const char *target;
    ch__opcode code;
} hlo_linear_targets[] = {{"mhlo.acos", CH_OP_acos},   {"mhlo.acosh", CH_OP_acosh}, {"mhlo.asin", CH_OP_asin},
                          {"mhlo.asinh", CH_OP_asinh}, {"mhlo.atanh", CH_OP_atanh}, {"mhlo.cosh", CH_OP_cosh},
                          {"mhlo.erf", CH_OP_erf},     {"mhlo.sinh", CH_OP_sinh},   {"mhlo.tan", CH_OP_tan}};

void ch__hlo_take_custom_call(ch__hlo_take *t, const ch__hlo_row *row) {
    (void)row;
    const char *target = t->op->string;
    const ch__hlo_attr *named = ch__hlo_attr_of(t, "call_target_name");
    if (!target && named) target = ch__arena_strndup(t->scratch, named->s, named->n);
    if (!target) ch__hlo_fail(t, CH__E_attribute, "its target is missing");
    size_t n = strlen(target);
    bool lapack = (n > 8 && strncmp(target, "lapack_", 7) == 0) || (n > 5 && strncmp(target, "blas_", 5) == 0);
    if (lapack && strstr(target, "potrf") && t->op->n_operands >= 1 && t->op->n_results >= 1) {
        hlo_linear_potrf(t);
        return;
    }
    if (lapack && strstr(target, "trsm") && t->op->n_operands >= 2 && t->op->n_results == 1) {
        hlo_linear_trsm(t);
        return;
    }
    if (strcmp(target, "Sharding") == 0 && t->op->n_operands == 1 && t->op->n_results == 1) {
        ch__hlo_out(t, 0, ch__hlo_in(t, 0));
        return;
    }
    for (size_t i = 0; i < sizeof hlo_linear_targets / sizeof *hlo_linear_targets; i++)
        if (strcmp(target, hlo_linear_targets[i].target) == 0 && t->op->n_operands == 1 && t->op->n_results == 1) {
            ch__hlo_out(t, 0, ch__b_unary(&t->b, hlo_linear_targets[i].code, ch__hlo_in(t, 0)));
            return;
        }
    ch__hlo_refuse(t->r, t->op->at,
                   "%s: the target @%s is not taken — those of cholesky (potrf) and triangular solves (trsm) are",
                   t->op->name, target);
}
