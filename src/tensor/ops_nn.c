// SPDX-License-Identifier: Apache-2.0
// ops_nn.c - composites: named pieces of program over primitives (activations, normalization, losses, random numbers).
//
// Each public function traces its body once on placeholders of its operands' types and builds one `composite` op with
// that body, so that text and engines can see the name and derivatives go through the body. The bodies use the tensor
// functions themselves; the formulas stand beside them.

#include "tensor/tensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct body {
    const char *where;
    int axis, rank;
    int64_t n;
    const int *axes;
    int n_axes;
    double a;
};

static ch_dtype dtype_of(ch_tensor *x) { return ch_tensor_dtype(x); }
static ch_tensor *num(const struct body *b, ch_tensor *x, double v) { return ch_scalar_at(b->where, dtype_of(x), v); }

static ch_tensor *float_only(const char *where, const char *what, int n, ch_tensor *const *x) {
    ch_tensor *error = ch__first_error(where, what, n, x);
    for (int i = 0; error == NULL && i < n; i++) {
        if (ch__is_float(x[i]->type.dtype)) continue;
        char type[256];
        ch_tensor_type(x[i], type, sizeof type);
        ch__fail(CH__E_dtype_mismatch, "%s: %s — takes floating dtypes", what, type);
        error = ch__node_error(where);
    }
    return error;
}

#define BODY(fn) static ch_status fn(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out)
#define BODY_BEGIN                                                                                                     \
    const struct body *b = user;                                                                                       \
    const char *w = b->where;                                                                                          \
    ch_tensor *x = in[0];                                                                                              \
    (void)n_in, (void)n_out, (void)w

static ch_tensor *unary(const char *where, const char *name, const char *args, ch_tensor_fn fn, ch_tensor *x,
                        double a) {
    ch_tensor *error = float_only(where, name, 1, &x);
    if (error != NULL) return error;
    struct body b = {.where = where, .a = a};
    return ch__composite(where, name, args, fn, &b, 1, &x);
}

// ---- activations
// select(x <= 0, 0, x): derivative 0 at 0, NaN stays.
BODY(relu) {
    BODY_BEGIN;
    out[0] = ch_select_at(w, ch_le_at(w, x, num(b, x, 0)), num(b, x, 0), x);
    return CH_OK;
}
ch_tensor *ch_relu_at(const char *where, ch_tensor *x) { return unary(where, "relu", NULL, relu, x, 0); }

BODY(leaky_relu) {
    BODY_BEGIN;
    out[0] = ch_select_at(w, ch_gt_at(w, x, num(b, x, 0)), x, ch_mul_at(w, x, num(b, x, b->a)));
    return CH_OK;
}
ch_tensor *ch_leaky_relu_at(const char *where, ch_tensor *x, double slope) {
    char text[CH__NUM_CHARS], args[CH__NUM_CHARS + 16];
    ch__format_f64(text, slope);
    snprintf(args, sizeof args, "slope = %s", text);
    return unary(where, "leaky_relu", args, leaky_relu, x, slope);
}

// x/2 (1 + erf(x / sqrt 2))
BODY(gelu) {
    BODY_BEGIN;
    ch_tensor *e = ch_erf_at(w, ch_mul_at(w, x, num(b, x, 0.7071067811865476)));
    out[0] = ch_mul_at(w, ch_mul_at(w, x, num(b, x, 0.5)), ch_add_at(w, e, num(b, x, 1)));
    return CH_OK;
}
ch_tensor *ch_gelu_at(const char *where, ch_tensor *x) { return unary(where, "gelu", NULL, gelu, x, 0); }

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
BODY(gelu_tanh) {
    BODY_BEGIN;
    ch_tensor *cube = ch_mul_at(w, ch_mul_at(w, x, x), x);
    ch_tensor *inner = ch_add_at(w, x, ch_mul_at(w, cube, num(b, x, 0.044715)));
    ch_tensor *t = ch_tanh_at(w, ch_mul_at(w, inner, num(b, x, 0.7978845608028654)));
    out[0] = ch_mul_at(w, ch_mul_at(w, x, num(b, x, 0.5)), ch_add_at(w, t, num(b, x, 1)));
    return CH_OK;
}
ch_tensor *ch_gelu_tanh_at(const char *where, ch_tensor *x) { return unary(where, "gelu_tanh", NULL, gelu_tanh, x, 0); }

BODY(silu) {
    BODY_BEGIN;
    out[0] = ch_mul_at(w, x, ch_sigmoid_at(w, x));
    return CH_OK;
}
ch_tensor *ch_silu_at(const char *where, ch_tensor *x) { return unary(where, "silu", NULL, silu, x, 0); }

// max(x, 0) + log1p(e^-|x|); |x| with derivative 0 at 0 and max with halves give sigmoid(0) = 1/2 there.
BODY(softplus) {
    BODY_BEGIN;
    ch_tensor *e = ch_exp_at(w, ch_neg_at(w, ch_abs_at(w, x)));
    out[0] = ch_add_at(w, ch_max_at(w, x, num(b, x, 0)), ch_log1p_at(w, e));
    return CH_OK;
}
ch_tensor *ch_softplus_at(const char *where, ch_tensor *x) { return unary(where, "softplus", NULL, softplus, x, 0); }

// ---- along axes
static ch_tensor *keep_axes(const struct body *b, ch_tensor *reduced, const bool *gone, ch_tensor *like) {
    for (int d = 0; d < b->rank; d++)
        if (gone[d]) reduced = ch_expand_dims_at(b->where, reduced, d);
    return ch_broadcast_like_at(b->where, reduced, like);
}

static void marks(const struct body *b, bool gone[CH__MAX_RANK]) {
    for (int d = 0; d < CH__MAX_RANK; d++) gone[d] = false;
    for (int i = 0; i < b->n_axes; i++) gone[b->axes[i]] = true;
}

static ch_tensor *max_along(const struct body *b, ch_tensor *x, ch_tensor **wide) {
    bool gone[CH__MAX_RANK];
    marks(b, gone);
    ch_tensor *m = ch_stop_gradient_at(b->where, ch_amax_at(b->where, x, b->n_axes, b->axes));
    *wide = keep_axes(b, m, gone, x);
    return m;
}

static ch_tensor *sum_wide(const struct body *b, ch_tensor *x) {
    bool gone[CH__MAX_RANK];
    marks(b, gone);
    return keep_axes(b, ch_sum_at(b->where, x, b->n_axes, b->axes), gone, x);
}

// The maximum is subtracted so that e^ does not overflow; it cancels, so its derivative is left out.
BODY(softmax) {
    BODY_BEGIN;
    ch_tensor *m;
    max_along(b, x, &m);
    ch_tensor *e = ch_exp_at(w, ch_sub_at(w, x, m));
    out[0] = ch_div_at(w, e, sum_wide(b, e));
    return CH_OK;
}

BODY(log_softmax) {
    BODY_BEGIN;
    ch_tensor *m;
    max_along(b, x, &m);
    ch_tensor *d = ch_sub_at(w, x, m);
    out[0] = ch_sub_at(w, d, ch_log_at(w, sum_wide(b, ch_exp_at(w, d))));
    return CH_OK;
}

// A maximum of +-inf would give inf - inf: it is taken as 0 there, which leaves e^inf and log 0 to speak for
// themselves.
BODY(logsumexp) {
    BODY_BEGIN;
    bool gone[CH__MAX_RANK];
    marks(b, gone);
    ch_tensor *m = ch_stop_gradient_at(w, ch_amax_at(w, x, b->n_axes, b->axes));
    m = ch_select_at(w, ch_is_finite_at(w, m), m, ch_zeros_like_at(w, m));
    ch_tensor *e = ch_exp_at(w, ch_sub_at(w, x, keep_axes(b, m, gone, x)));
    out[0] = ch_add_at(w, ch_log_at(w, ch_sum_at(w, e, b->n_axes, b->axes)), m);
    return CH_OK;
}

// The number of elements reduced, as a number of x's dtype: a constant, or from the sizes.
static ch_tensor *count(const struct body *b, ch_tensor *x) {
    double n = 1;
    ch_tensor *symbolic = NULL;
    for (int i = 0; i < b->n_axes; i++) {
        int64_t d = ch_tensor_dim(x, b->axes[i]);
        if (d >= 0) {
            n *= (double)d;
            continue;
        }
        ch_tensor *s = ch_size_of_at(b->where, x, b->axes[i]);
        symbolic = symbolic == NULL ? s : ch_mul_at(b->where, symbolic, s);
    }
    ch_tensor *known = ch_scalar_at(b->where, dtype_of(x), n);
    if (symbolic == NULL) return known;
    ch_tensor *s = ch_convert_at(b->where, symbolic, dtype_of(x));
    return n == 1 ? s : ch_mul_at(b->where, s, known);
}

static ch_tensor *mean_along(const struct body *b, ch_tensor *x) {
    return ch_div_at(b->where, ch_sum_at(b->where, x, b->n_axes, b->axes), count(b, x));
}

BODY(mean) {
    BODY_BEGIN;
    out[0] = mean_along(b, x);
    return CH_OK;
}

static ch_tensor *variance(const struct body *b, ch_tensor *x, ch_tensor **centred) {
    bool gone[CH__MAX_RANK];
    marks(b, gone);
    *centred = ch_sub_at(b->where, x, keep_axes(b, mean_along(b, x), gone, x));
    return mean_along(b, ch_mul_at(b->where, *centred, *centred));
}

BODY(var) {
    BODY_BEGIN;
    ch_tensor *centred;
    out[0] = variance(b, x, &centred);
    return CH_OK;
}

BODY(std) {
    BODY_BEGIN;
    ch_tensor *centred;
    out[0] = ch_sqrt_at(w, variance(b, x, &centred));
    return CH_OK;
}

// Checks axes (NULL: all) and names them in the composite's arguments: "axes = [0, 2]".
static ch_tensor *along(const char *where, const char *name, ch_tensor_fn fn, ch_tensor *x, int n, const int *axes) {
    ch_tensor *error = float_only(where, name, 1, &x);
    if (error != NULL) return error;
    int list[CH__MAX_RANK], k = 0;
    bool gone[CH__MAX_RANK] = {false};
    for (int i = 0; axes != NULL && i < n; i++) {
        int at;
        if (!ch__op_axis(where, name, x, axes[i], x->type.rank, &at, &error)) return error;
        gone[at] = true;
    }
    char args[128] = "axes = [";
    for (int d = 0; d < x->type.rank; d++) {
        if (axes != NULL && !gone[d]) continue;
        snprintf(args + strlen(args), sizeof args - strlen(args), "%s%d", k > 0 ? ", " : "", d);
        list[k++] = d;
    }
    snprintf(args + strlen(args), sizeof args - strlen(args), "]");
    struct body b = {.where = where, .rank = x->type.rank, .axes = list, .n_axes = k};
    return ch__composite(where, name, args, fn, &b, 1, &x);
}

ch_tensor *ch_softmax_at(const char *where, ch_tensor *x, int axis) {
    return along(where, "softmax", softmax, x, 1, &axis);
}
ch_tensor *ch_log_softmax_at(const char *where, ch_tensor *x, int axis) {
    return along(where, "log_softmax", log_softmax, x, 1, &axis);
}
ch_tensor *ch_logsumexp_at(const char *where, ch_tensor *x, int n, const int *axes) {
    return along(where, "logsumexp", logsumexp, x, n, axes);
}
ch_tensor *ch_mean_at(const char *where, ch_tensor *x, int n, const int *axes) {
    return along(where, "mean", mean, x, n, axes);
}
ch_tensor *ch_mean_all_at(const char *where, ch_tensor *x) { return along(where, "mean", mean, x, 0, NULL); }
ch_tensor *ch_var_at(const char *where, ch_tensor *x, int n, const int *axes) {
    return along(where, "var", var, x, n, axes);
}
ch_tensor *ch_std_at(const char *where, ch_tensor *x, int n, const int *axes) {
    return along(where, "std", std, x, n, axes);
}

// ---- normalization along the last axis
BODY(layer_norm) {
    BODY_BEGIN;
    bool gone[CH__MAX_RANK];
    marks(b, gone);
    ch_tensor *centred, *v = variance(b, x, &centred);
    ch_tensor *scale = ch_rsqrt_at(w, ch_add_at(w, v, num(b, x, b->a)));
    ch_tensor *y = ch_mul_at(w, centred, keep_axes(b, scale, gone, x));
    out[0] = ch_add_at(w, ch_mul_at(w, y, in[1]), in[2]);
    return CH_OK;
}

BODY(rms_norm) {
    BODY_BEGIN;
    bool gone[CH__MAX_RANK];
    marks(b, gone);
    ch_tensor *v = mean_along(b, ch_mul_at(w, x, x));
    ch_tensor *scale = ch_rsqrt_at(w, ch_add_at(w, v, num(b, x, b->a)));
    out[0] = ch_mul_at(w, ch_mul_at(w, x, keep_axes(b, scale, gone, x)), in[1]);
    return CH_OK;
}

static ch_tensor *norm(const char *where, const char *name, ch_tensor_fn fn, int n, ch_tensor *const *in,
                       double epsilon) {
    ch_tensor *error = float_only(where, name, n, in);
    int last;
    if (error != NULL || !ch__op_axis(where, name, in[0], -1, in[0]->type.rank, &last, &error)) return error;
    char text[CH__NUM_CHARS], args[CH__NUM_CHARS + 16];
    ch__format_f64(text, epsilon);
    snprintf(args, sizeof args, "epsilon = %s", text);
    struct body b = {.where = where, .rank = in[0]->type.rank, .axes = &last, .n_axes = 1, .a = epsilon};
    return ch__composite(where, name, args, fn, &b, n, in);
}

ch_tensor *ch_layer_norm_at(const char *where, ch_tensor *x, ch_tensor *gain, ch_tensor *bias, double epsilon) {
    return norm(where, "layer_norm", layer_norm, 3, (ch_tensor *[]){x, gain, bias}, epsilon);
}
ch_tensor *ch_rms_norm_at(const char *where, ch_tensor *x, ch_tensor *gain, double epsilon) {
    return norm(where, "rms_norm", rms_norm, 2, (ch_tensor *[]){x, gain}, epsilon);
}

// ---- losses
// -mean over rows of sum over classes of one_hot(label) * log_softmax(logits). The product picks one number a row;
// select instead of a product, so that a class with log probability -inf that is not the label adds nothing.
BODY(cross_entropy) {
    BODY_BEGIN;
    int last = b->rank - 1, rows[CH__MAX_RANK];
    ch_tensor *lp = ch_log_softmax_at(w, x, last);
    ch_tensor *classes = ch_iota_like_at(w, x, dtype_of(in[1]), last);
    ch_tensor *hit = ch_eq_at(w, ch_broadcast_like_at(w, ch_expand_dims_at(w, in[1], -1), x), classes);
    ch_tensor *picked = ch_sum_at(w, ch_select_at(w, hit, lp, ch_zeros_like_at(w, lp)), 1, &last);
    for (int i = 0; i < last; i++) rows[i] = i;
    struct body all = {.where = w, .rank = last, .axes = rows, .n_axes = last};
    out[0] = ch_neg_at(w, mean_along(&all, picked));
    return CH_OK;
}

ch_tensor *ch_cross_entropy_at(const char *where, ch_tensor *logits, ch_tensor *labels) {
    ch_tensor *in[2] = {logits, labels}, *error = ch__first_error(where, "cross_entropy", 2, in);
    if (error != NULL) return error;
    const ch__type *x = &logits->type, *y = &labels->type;
    bool fits = ch__is_float(x->dtype) && ch__is_int(y->dtype) && x->rank == y->rank + 1;
    for (int i = 0; fits && i < y->rank; i++) fits = ch__dim_equal(x->dims[i], y->dims[i]);
    if (!fits) {
        char a[256], c[256];
        ch_tensor_type(logits, a, sizeof a);
        ch_tensor_type(labels, c, sizeof c);
        ch__fail(CH__E_shape_mismatch,
                 "cross_entropy: %s and %s — takes floating logits [..., classes] and integer labels [...]", a, c);
        return ch__node_error(where);
    }
    struct body b = {.where = where, .rank = x->rank};
    return ch__composite(where, "cross_entropy", NULL, cross_entropy, &b, 2, in);
}

BODY(mse) {
    BODY_BEGIN;
    ch_tensor *d = ch_sub_at(w, x, in[1]);
    out[0] = ch_mean_all_at(w, ch_mul_at(w, d, d));
    return CH_OK;
}
ch_tensor *ch_mse_at(const char *where, ch_tensor *x, ch_tensor *y) {
    ch_tensor *in[2] = {x, y}, *error = float_only(where, "mse", 2, in);
    struct body b = {.where = where};
    return error != NULL ? error : ch__composite(where, "mse", NULL, mse, &b, 2, in);
}

// ---- random numbers
static ch_tensor *bits_of(const char *w, ch_tensor *key, ch_tensor *counter, int rank, const ch__dim *dims) {
    ch__type type = {.dtype = CH_U32, .rank = (int16_t)rank, .dims = dims};
    return ch__op1(w, CH_OP_rng_bits, 2, (ch_tensor *[]){key, counter}, 0, NULL, &type);
}

// f32 and smaller: the top 24 bits of one word times 2^-24; f64: 27 and 26 bits of two words, (hi * 2^26 + lo) * 2^-53.
static ch_tensor *uniform(const char *w, ch_tensor *key, ch_tensor *counter, ch_dtype dtype, int rank,
                          const ch__dim *dims) {
    ch_tensor *shift5 = ch_scalar_at(w, CH_U32, 5), *shift6 = ch_scalar_at(w, CH_U32, 6),
              *shift8 = ch_scalar_at(w, CH_U32, 8);
    if (dtype != CH_F64) {
        ch_tensor *bits = ch_shr_at(w, bits_of(w, key, counter, rank, dims), shift8);
        ch_tensor *u = ch_mul_at(w, ch_convert_at(w, bits, CH_F32), ch_scalar_at(w, CH_F32, 0x1p-24));
        return dtype == CH_F32 ? u : ch_convert_at(w, u, dtype);
    }
    ch__dim wide[CH__MAX_RANK + 1];
    int last = rank;
    for (int i = 0; i < rank; i++) wide[i] = dims[i];
    wide[rank] = ch__dim_const(2);
    ch_tensor *words = bits_of(w, key, counter, rank + 1, wide);
    ch_tensor *hi = ch_shr_at(w, ch_squeeze_at(w, ch_slice_axis_at(w, words, last, 0, 1), last), shift5);
    ch_tensor *lo = ch_shr_at(w, ch_squeeze_at(w, ch_slice_axis_at(w, words, last, 1, 2), last), shift6);
    ch_tensor *sum = ch_add_at(w, ch_mul_at(w, ch_convert_at(w, hi, CH_F64), ch_scalar_at(w, CH_F64, 0x1p26)),
                               ch_convert_at(w, lo, CH_F64));
    return ch_mul_at(w, sum, ch_scalar_at(w, CH_F64, 0x1p-53));
}

// Box and Muller: sqrt(-2 log(1 - u)) cos(2 pi v), u and v from separate halves of the counter's range.
static ch_tensor *normal(const char *w, ch_tensor *key, ch_dtype dtype, int rank, const ch__dim *dims) {
    ch_dtype wide = dtype == CH_F64 ? CH_F64 : CH_F32;
    ch_tensor *u = uniform(w, key, ch_scalar_at(w, CH_U64, 0), wide, rank, dims);
    ch_tensor *v = uniform(w, key, ch_scalar_at(w, CH_U64, 0x1p62), wide, rank, dims);
    ch_tensor *r = ch_sqrt_at(w, ch_mul_at(w, ch_log1p_at(w, ch_neg_at(w, u)), ch_scalar_at(w, wide, -2)));
    ch_tensor *c = ch_cos_at(w, ch_mul_at(w, v, ch_scalar_at(w, wide, 6.283185307179586)));
    ch_tensor *z = ch_mul_at(w, r, c);
    return wide == dtype ? z : ch_convert_at(w, z, dtype);
}

static ch_tensor *check_random(const char *where, const char *what, ch_tensor *key, ch_dtype dtype, int rank) {
    ch_tensor *error = ch__first_error(where, what, 1, &key);
    if (error != NULL) return error;
    if (!ch__is_float(dtype))
        ch__fail(CH__E_dtype_mismatch, "%s: dtype %s — makes floating dtypes", what, ch_dtype_name(dtype));
    else if (rank < 0 || rank >= CH__MAX_RANK)
        ch__fail(CH__E_rank, "%s: rank %d — between 0 and %d is allowed", what, rank, CH__MAX_RANK - 1);
    else
        return NULL;
    return ch__node_error(where);
}

ch_tensor *ch_rng_uniform_at(const char *where, ch_tensor *key, ch_dtype dtype, int rank, const int64_t *dims) {
    ch_tensor *error = check_random(where, "rng_uniform", key, dtype, rank);
    ch__dim d[CH__MAX_RANK];
    if (error != NULL || !ch__host_dims(where, "rng_uniform", rank, dims, d, &error)) return error;
    return uniform(where, key, ch_scalar_at(where, CH_U64, 0), dtype, rank, d);
}

ch_tensor *ch_rng_normal_at(const char *where, ch_tensor *key, ch_dtype dtype, int rank, const int64_t *dims) {
    ch_tensor *error = check_random(where, "rng_normal", key, dtype, rank);
    ch__dim d[CH__MAX_RANK];
    if (error != NULL || !ch__host_dims(where, "rng_normal", rank, dims, d, &error)) return error;
    return normal(where, key, dtype, rank, d);
}

ch_tensor *ch_rng_uniform_like_at(const char *where, ch_tensor *key, ch_tensor *x) {
    ch_tensor *error = ch__first_error(where, "rng_uniform_like", 1, &x);
    if (error == NULL) error = check_random(where, "rng_uniform_like", key, x->type.dtype, x->type.rank);
    if (error != NULL) return error;
    return uniform(where, key, ch_scalar_at(where, CH_U64, 0), x->type.dtype, x->type.rank, x->type.dims);
}

ch_tensor *ch_rng_normal_like_at(const char *where, ch_tensor *key, ch_tensor *x) {
    ch_tensor *error = ch__first_error(where, "rng_normal_like", 1, &x);
    if (error == NULL) error = check_random(where, "rng_normal_like", key, x->type.dtype, x->type.rank);
    return error != NULL ? error : normal(where, key, x->type.dtype, x->type.rank, x->type.dims);
}
