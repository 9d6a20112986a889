// SPDX-License-Identifier: Apache-2.0
// ops_solve.c - linear systems, determinants, norms; quantized weights and caches of keys: composites over primitives.
//
// Elimination with partial pivoting (Golub and Van Loan 2013, 3.4) is a `for` over the columns of [a | b] whose turns
// touch whole rows through masks, so that it works on batches and on sizes that are not known; what is left is a
// triangular system. Derivatives go through the loop.

#include "tensor/tensor.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *w;
    int n_axes;
    const int *axes;
    double order;
    int64_t block;
    bool has_zero;
    ch_dtype dtype;
} solving;

static ch_tensor *num_of(const char *w, ch_tensor *x, double v) {
    ch_dtype d = ch_tensor_dtype(x);
    return d == 0 ? x : ch_scalar_at(w, d, v);
}
static int rank_in(ch_tensor *x) { return ch_tensor_rank(x); }

// ---- elimination: state m [..., n, n + k], pivots [..., n] with the sign of each exchange
// [..., n] of the rows' numbers, i64
static ch_tensor *row_numbers(const char *w, ch_tensor *column) {
    return ch_iota_like_at(w, column, CH_I64, rank_in(column) - 1);
}
static ch_tensor *as_rows(const char *w, ch_tensor *flags, ch_tensor *m) { // [..., n] to [..., n, n + k]
    return ch_broadcast_like_at(w, ch_expand_dims_at(w, flags, -1), m);
}
// The row of m that one flag a matrix names: [..., 1, n + k]
static ch_tensor *pick_row(const char *w, ch_tensor *m, ch_tensor *flags) {
    const int rows = rank_in(m) - 2;
    ch_tensor *only = ch_select_at(w, as_rows(w, flags, m), m, ch_zeros_like_at(w, m));
    return ch_expand_dims_at(w, ch_sum_at(w, only, 1, &rows), rows);
}

// Column i of m, [..., n] of [..., n, n + k]: a mask and a sum, which need no column to be there.
static ch_tensor *pick_column(const char *w, ch_tensor *m, ch_tensor *i) {
    const int last = rank_in(m) - 1;
    ch_tensor *only = ch_eq_at(w, ch_iota_like_at(w, m, CH_I64, last), i);
    return ch_sum_at(w, ch_select_at(w, only, m, ch_zeros_like_at(w, m)), 1, &last);
}

// The first row whose |number| is the largest of those from row i on: [...]. NaN is taken as the largest.
static ch_tensor *best_row(const char *w, ch_tensor *column, ch_tensor *rows, ch_tensor *i) {
    const int last = rank_in(column) - 1;
    ch_tensor *size = ch_stop_gradient_at(w, ch_abs_at(w, column));
    size = ch_select_at(w, ch_eq_at(w, size, size), size, ch_full_like_at(w, size, INFINITY));
    size = ch_select_at(w, ch_lt_at(w, rows, i), ch_full_like_at(w, size, -1), size);
    ch_tensor *most = ch_expand_dims_at(w, ch_amax_at(w, size, 1, &last), -1);
    ch_tensor *far = ch_full_like_at(w, rows, 0x1p62);
    return ch_amin_at(w, ch_select_at(w, ch_eq_at(w, size, most), rows, far), 1, &last);
}

static ch_status eliminate(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const char *w = user;
    (void)n_in, (void)n_out;
    ch_tensor *i = in[0], *m = in[1];
    ch_tensor *column = pick_column(w, m, i), *rows = row_numbers(w, column);
    ch_tensor *best = best_row(w, column, rows, i);
    ch_tensor *of_best = ch_eq_at(w, rows, ch_broadcast_like_at(w, ch_expand_dims_at(w, best, -1), rows));
    ch_tensor *of_i = ch_eq_at(w, rows, i);
    ch_tensor *pivot_row = pick_row(w, m, of_best), *other = pick_row(w, m, of_i);
    m = ch_select_at(w, as_rows(w, of_best, m), ch_broadcast_like_at(w, other, m), m);
    m = ch_select_at(w, as_rows(w, of_i, m), ch_broadcast_like_at(w, pivot_row, m), m);
    ch_tensor *pivot = pick_column(w, pivot_row, i); // [..., 1]
    ch_tensor *factor = ch_div_at(w, pick_column(w, m, i), pivot);
    factor = ch_select_at(w, ch_gt_at(w, rows, i), factor, ch_zeros_like_at(w, factor));
    ch_tensor *taken = ch_mul_at(w, ch_expand_dims_at(w, factor, -1), pivot_row);
    out[0] = ch_sub_at(w, m, taken);
    ch_tensor *same = ch_eq_at(w, ch_expand_dims_at(w, best, -1), i);
    ch_tensor *signed_pivot = ch_select_at(w, same, pivot, ch_neg_at(w, pivot));
    out[1] = ch_select_at(w, of_i, ch_broadcast_like_at(w, signed_pivot, in[2]), in[2]);
    return CH_OK;
}

// m [..., n, n + k] to an upper triangle beside what b has become; pivots [..., n]
static void eliminated(const char *w, ch_tensor *a, ch_tensor *m, ch_tensor **out) {
    ch_tensor *zero = ch_scalar_at(w, CH_I64, 0), *one = ch_scalar_at(w, CH_I64, 1);
    const int last = rank_in(a) - 1;
    ch_tensor *pivots = ch_ones_like_at(w, ch_sum_at(w, a, 1, &last)), *state[2] = {m, pivots};
    ch_for_at(w, zero, ch_size_of_at(w, a, last), one, eliminate, (void *)(uintptr_t)w, 2, state, out);
}

static ch_tensor *identity_like(const char *w, ch_tensor *a) {
    ch_tensor *r = ch_iota_like_at(w, a, CH_I64, rank_in(a) - 2), *c = ch_iota_like_at(w, a, CH_I64, rank_in(a) - 1);
    return ch_convert_at(w, ch_eq_at(w, r, c), ch_tensor_dtype(a));
}

static ch_tensor *solved(const char *w, ch_tensor *a, ch_tensor *b) {
    ch_tensor *out[2];
    const int last = rank_in(a) - 1;
    eliminated(w, a, ch_concat_at(w, 2, (ch_tensor *[]){a, b}, last), out);
    ch_tensor *m = out[0]; // its first n columns: n may be a symbol, so masks and a product by the identity serve
    ch__dim sizes[CH__MAX_RANK], starts[CH__MAX_RANK], ends[CH__MAX_RANK];
    if (m->kind == CH__T_ERROR) return m;
    for (int i = 0; i < rank_in(a); i++) {
        starts[i] = ch__dim_const(0);
        sizes[i] = ends[i] = a->type.dims[i];
    }
    ch__attr left[2] = {ch__attr_dims(CH__ATTR_start, last + 1, starts),
                        ch__attr_dims(CH__ATTR_limit, last + 1, sizes)};
    ch_tensor *upper = ch__op1(w, CH_OP_slice, 1, &m, 2, left, NULL);
    starts[last] = a->type.dims[last];
    ends[last] = m->type.dims[last];
    ch__attr right[2] = {ch__attr_dims(CH__ATTR_start, last + 1, starts),
                         ch__attr_dims(CH__ATTR_limit, last + 1, ends)};
    ch_tensor *y = ch__op1(w, CH_OP_slice, 1, &m, 2, right, NULL);
    return ch_triangular_solve_at(w, upper, y, 0, 0);
}

static ch_status solve_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_in, (void)n_out;
    bool vector = rank_in(in[1]) == 1 && rank_in(in[0]) == 2;
    out[0] = solved(s->w, in[0], vector ? ch_expand_dims_at(s->w, in[1], -1) : in[1]);
    if (vector) out[0] = ch_squeeze_at(s->w, out[0], -1);
    return CH_OK;
}

static ch_status spd_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_in, (void)n_out;
    const char *w = s->w;
    bool vector = rank_in(in[1]) == 1 && rank_in(in[0]) == 2;
    ch_tensor *l = ch_cholesky_at(w, in[0]), *b = vector ? ch_expand_dims_at(w, in[1], -1) : in[1];
    out[0] = ch_triangular_solve_at(w, l, ch_triangular_solve_at(w, l, b, 1, 0), 1, 1);
    if (vector) out[0] = ch_squeeze_at(w, out[0], -1);
    return CH_OK;
}

static ch_status inv_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_in, (void)n_out;
    out[0] = solved(s->w, in[0], identity_like(s->w, in[0]));
    return CH_OK;
}

static ch_status det_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_in, (void)n_out;
    ch_tensor *r[2];
    eliminated(s->w, in[0], in[0], r);
    const int last = rank_in(in[0]) - 2;
    out[0] = ch_prod_at(s->w, r[1], 1, &last);
    return CH_OK;
}

static ch_status logdet_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_in, (void)n_out;
    ch_tensor *r[2];
    eliminated(s->w, in[0], in[0], r);
    const int last = rank_in(in[0]) - 2;
    out[0] = ch_sum_at(s->w, ch_log_at(s->w, ch_abs_at(s->w, r[1])), 1, &last);
    return CH_OK;
}

// NULL, or the error of operands that are no square matrices, or do not go together.
static ch_tensor *square_only(const char *where, const char *what, int n, ch_tensor *const *in) {
    ch_tensor *error = ch__first_error(where, what, n, in);
    if (error != NULL) return error;
    const ch__type *a = &in[0]->type, *b = n > 1 ? &in[1]->type : a;
    bool fits = ch__is_float(a->dtype) && a->dtype == b->dtype && a->rank >= 2 &&
                ch__dim_equal(a->dims[a->rank - 1], a->dims[a->rank - 2]) &&
                (b->rank == a->rank || (b->rank == 1 && a->rank == 2));
    for (int i = 0; fits && i < b->rank - (b->rank > 1); i++) fits = ch__dim_equal(a->dims[i], b->dims[i]);
    if (fits) return NULL;
    char x[256], y[256] = "";
    ch_tensor_type(in[0], x, sizeof x);
    if (n > 1) ch_tensor_type(in[1], y, sizeof y);
    ch__fail(CH__E_shape_mismatch, "%s: %s%s%s — takes floating [..., n, n]%s", what, x, n > 1 ? " and " : "", y,
             n > 1 ? " and [..., n, k] of that dtype" : "");
    return ch__node_error(where);
}

static ch_tensor *of_matrices(const char *where, const char *what, ch_tensor_fn body, int n, ch_tensor *const *in) {
    ch_tensor *error = square_only(where, what, n, in);
    solving s = {.w = where};
    return error != NULL ? error : ch__composite(where, what, NULL, body, &s, n, in);
}
ch_tensor *ch_solve_at(const char *where, ch_tensor *a, ch_tensor *b) {
    return of_matrices(where, "solve", solve_body, 2, (ch_tensor *[]){a, b});
}
ch_tensor *ch_solve_spd_at(const char *where, ch_tensor *a, ch_tensor *b) {
    return of_matrices(where, "solve_spd", spd_body, 2, (ch_tensor *[]){a, b});
}
ch_tensor *ch_inv_at(const char *where, ch_tensor *a) { return of_matrices(where, "inv", inv_body, 1, &a); }
ch_tensor *ch_det_at(const char *where, ch_tensor *a) { return of_matrices(where, "det", det_body, 1, &a); }
ch_tensor *ch_logdet_at(const char *where, ch_tensor *a) { return of_matrices(where, "logdet", logdet_body, 1, &a); }

// ---- norms
static ch_status norm_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_in, (void)n_out;
    const char *w = s->w;
    if (s->order != 2) {
        ch_tensor *size = ch_abs_at(w, in[0]);
        out[0] = s->order == 1 ? ch_sum_at(w, size, s->n_axes, s->axes) : ch_amax_at(w, size, s->n_axes, s->axes);
        return CH_OK;
    }
    ch_tensor *sum = ch_sum_at(w, ch_mul_at(w, in[0], in[0]), s->n_axes, s->axes);
    ch_tensor *none = ch_eq_at(w, sum, num_of(w, sum, 0)); // the root's derivative there, inf, is not chosen
    out[0] = ch_select_at(w, none, ch_zeros_like_at(w, sum), ch_sqrt_at(w, sum));
    return CH_OK;
}

ch_tensor *ch_norm_at(const char *where, ch_tensor *x, int n, const int *axes, double order) {
    ch_tensor *error = ch__first_error(where, "norm", 1, &x);
    if (error != NULL) return error;
    if (!ch__is_float(x->type.dtype) || (order != 1 && order != 2 && !(isinf(order) && order > 0))) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch__fail(CH__E_argument, "norm: %s, order %g — takes floating dtypes and order 1, 2 or INFINITY", type, order);
        return ch__node_error(where);
    }
    solving s = {.w = where, .n_axes = n, .axes = axes, .order = order};
    const char *args = order == 1 ? "order = 1" : order == 2 ? "order = 2" : "order = inf";
    return ch__composite(where, "norm", args, norm_body, &s, 1, &x);
}

// ---- caches and quantized weights
static ch_status cache_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_in, (void)n_out;
    ch_tensor *at[CH__MAX_RANK], *zero = num_of(s->w, in[2], 0);
    int rank = rank_in(in[0]);
    if (rank < 0) { // memory ended
        out[0] = in[0];
        return CH_OK;
    }
    for (int i = 0; i < rank; i++) at[i] = i == rank - 2 ? in[2] : zero;
    out[0] = ch_dynamic_update_slice_at(s->w, in[0], in[1], rank, at);
    return CH_OK;
}

ch_tensor *ch_kv_cache_write_at(const char *where, ch_tensor *cache, ch_tensor *update, ch_tensor *position) {
    ch_tensor *in[3] = {cache, update, position}, *error = ch__first_error(where, "kv_cache_write", 3, in);
    if (error != NULL) return error;
    solving s = {.w = where};
    if (cache->type.rank >= 2 && ch__is_int(position->type.dtype) && position->type.rank == 0)
        return ch__composite(where, "kv_cache_write", NULL, cache_body, &s, 3, in);
    char a[256], b[256];
    ch_tensor_type(cache, a, sizeof a);
    ch_tensor_type(position, b, sizeof b);
    ch__fail(CH__E_shape_mismatch, "kv_cache_write: %s at %s — takes a cache [..., steps, dim] and one integer", a, b);
    return ch__node_error(where);
}

// The pages of each sequence one after another, [batch, kv, keys, dim].
static ch_tensor *laid_out(const char *w, ch_tensor *pages, ch_tensor *table) {
    ch_tensor *k = ch_merge_axes_at(w, ch_take_at(w, pages, table, 0), 1, 2); // batch, keys, kv, dim
    return ch_swap_axes_at(w, k, 1, 2);
}

static ch_status paged_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_in, (void)n_out;
    const char *w = s->w;
    ch_tensor *q = ch_split_axis_at(w, in[0], 1, 2, (int64_t[]){s->block, -1}); // batch, kv, group, dim
    ch_tensor *k = laid_out(w, in[1], in[3]), *v = laid_out(w, in[2], in[3]);
    const int both[2] = {0, 1}, three = 3, two = 2;
    ch_tensor *scores = ch_dot_general_at(w, q, k, 1, &three, &three, 2, both, both);
    scores = ch_mul_at(w, scores, num_of(w, scores, s->order));
    ch_tensor *length = ch_convert_at(w, in[4], CH_I64);
    for (int i = 0; i < 3; i++) length = ch_expand_dims_at(w, length, -1);
    ch_tensor *seen = ch_lt_at(w, ch_iota_like_at(w, scores, CH_I64, 3), length);
    scores = ch_select_at(w, seen, scores, ch_full_like_at(w, scores, -INFINITY));
    ch_tensor *most = ch_stop_gradient_at(w, ch_amax_at(w, scores, 1, &three));
    most = ch_select_at(w, ch_is_finite_at(w, most), most, ch_zeros_like_at(w, most));
    ch_tensor *e = ch_exp_at(w, ch_sub_at(w, scores, ch_expand_dims_at(w, most, -1)));
    ch_tensor *sum = ch_sum_at(w, e, 1, &three), *none = ch_eq_at(w, sum, num_of(w, sum, 0));
    sum = ch_select_at(w, none, ch_ones_like_at(w, sum), sum);
    ch_tensor *p = ch_div_at(w, e, ch_expand_dims_at(w, sum, -1));
    out[0] = ch_merge_axes_at(w, ch_dot_general_at(w, p, v, 1, &three, &two, 2, both, both), 1, 2);
    return CH_OK;
}

ch_tensor *ch_paged_attention_at(const char *where, ch_tensor *q, ch_tensor *k_pages, ch_tensor *v_pages,
                                 ch_tensor *table, ch_tensor *lengths) {
    ch_tensor *in[5] = {q, k_pages, v_pages, table, lengths}, *error = ch__first_error(where, "paged_attention", 5, in);
    if (error != NULL) return error;
    int64_t heads = ch_tensor_dim(q, 1), dim = ch_tensor_dim(q, 2), kv = ch_tensor_dim(k_pages, 2);
    if (q->type.rank != 3 || k_pages->type.rank != 4 || v_pages->type.rank != 4 || table->type.rank != 2 ||
        lengths->type.rank != 1 || !ch__is_float(q->type.dtype) || !ch__is_int(table->type.dtype) ||
        !ch__is_int(lengths->type.dtype) || heads < 1 || kv < 1 || dim < 1 || heads % kv != 0) {
        char a[256], b[256], c[256], d[256];
        ch_tensor_type(q, a, sizeof a);
        ch_tensor_type(k_pages, b, sizeof b);
        ch_tensor_type(table, c, sizeof c);
        ch_tensor_type(lengths, d, sizeof d);
        ch__fail(CH__E_shape_mismatch,
                 "paged_attention: q %s, pages %s, table %s, lengths %s — takes [batch, heads, dim], [pages, size, kv, "
                 "dim], integers [batch, most] and [batch]; kv divides heads",
                 a, b, c, d);
        return ch__node_error(where);
    }
    solving s = {.w = where, .block = kv, .order = 1 / sqrt((double)dim)};
    return ch__composite(where, "paged_attention", NULL, paged_body, &s, 5, in);
}

static ch_status dequantize_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const solving *s = user;
    (void)n_out;
    const char *w = s->w;
    for (int i = 0; i < n_in; i++) {
        if (rank_in(in[i]) >= 0) continue;
        out[0] = in[i]; // memory ended
        return CH_OK;
    }
    const int last = rank_in(in[0]) - 1;
    ch_tensor *q = ch_split_axis_at(w, in[0], last, 2, (int64_t[]){-1, s->block});
    q = ch_convert_at(w, q, ch_tensor_dtype(in[1]));
    if (s->has_zero) {
        ch_tensor *zero = ch_convert_at(w, in[2], ch_tensor_dtype(in[1]));
        q = ch_sub_at(w, q, ch_expand_dims_at(w, zero, -1));
    }
    ch_tensor *x = ch_merge_axes_at(w, ch_mul_at(w, q, ch_expand_dims_at(w, in[1], -1)), last, 2);
    out[0] = ch_tensor_dtype(x) == s->dtype ? x : ch_convert_at(w, x, s->dtype);
    return CH_OK;
}

ch_tensor *ch_dequantize_at(const char *where, ch_tensor *q, ch_tensor *scale, ch_tensor *zero, int64_t block,
                            ch_dtype dtype) {
    ch_tensor *in[3] = {q, scale, zero}, *error = ch__first_error(where, "dequantize", 2 + (zero != NULL), in);
    if (error != NULL) return error;
    if (!ch__is_int(q->type.dtype) || q->type.rank < 1 || !ch__is_float(scale->type.dtype) || block < 1 ||
        !ch__is_float(dtype) || scale->type.rank != q->type.rank) {
        char a[256], b[256];
        ch_tensor_type(q, a, sizeof a);
        ch_tensor_type(scale, b, sizeof b);
        ch__fail(CH__E_shape_mismatch,
                 "dequantize: q %s, scale %s, block %" PRId64
                 " — takes integers [..., n] and floating [..., n / block]",
                 a, b, block);
        return ch__node_error(where);
    }
    solving s = {.w = where, .block = block, .has_zero = zero != NULL, .dtype = dtype};
    char args[64];
    snprintf(args, sizeof args, "block = %" PRId64, block);
    return ch__composite(where, "dequantize", args, dequantize_body, &s, 2 + (zero != NULL), in);
}
