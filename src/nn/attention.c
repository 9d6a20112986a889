// SPDX-License-Identifier: Apache-2.0
// attention.c - attention over grouped heads, rotary positions, multi-head attention, transformer blocks.
//
// Heads that share keys are an axis of their own, [batch, kv, group, queries, dim]: keys and values are never copied.
// The softmax is written out, because a row of which nothing is seen has to give zeros and not NaN.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

typedef struct {
    const char *w;
    ch_attention_options o;
    int64_t kv;
    int has_mask;
} attention;

static ch_tensor *f_like(const attention *a, ch_tensor *x, double v) { return ch__num_like(a->w, x, v); }

// bool [queries, keys], of the last two axes of scores: what causal and window let through; NULL: everything.
static ch_tensor *seen(const attention *a, ch_tensor *scores) {
    const char *w = a->w;
    if (!a->o.causal && a->o.window == 0) return NULL;
    ch_tensor *i = ch_iota_like_at(w, scores, CH_I64, 3), *j = ch_iota_like_at(w, scores, CH_I64, 4);
    ch_tensor *later = ch_sub_at(w, ch_size_of_at(w, scores, 4), ch_size_of_at(w, scores, 3));
    ch_tensor *place = ch_add_at(w, i, later), *ok = NULL;
    if (a->o.causal) ok = ch_le_at(w, j, place);
    if (a->o.window > 0) {
        ch_tensor *near = ch_gt_at(w, ch_add_at(w, j, ch_scalar_at(w, CH_I64, (double)a->o.window)), place);
        ok = ok == NULL ? near : ch_and_at(w, ok, near);
    }
    return ok;
}

// [batch, heads, queries, keys] to [batch, kv, group, queries, keys]; axes of size 1 stay, missing ones are added.
static ch_tensor *mask_of(const attention *a, ch_tensor *mask, ch_tensor *scores) {
    while (ch_tensor_rank(mask) < 4 && ch_tensor_rank(mask) > 0) mask = ch_expand_dims_at(a->w, mask, 0);
    int64_t heads = ch_tensor_dim(mask, 1);
    if (heads == 1)
        mask = ch_expand_dims_at(a->w, mask, 1);
    else
        mask = ch_split_axis_at(a->w, mask, 1, 2, (int64_t[]){a->kv, -1});
    return ch_broadcast_like_at(a->w, mask, scores);
}

static ch_tensor *last_kept(const attention *a, ch_tensor *x, ch_tensor *like) {
    return ch_broadcast_like_at(a->w, ch_expand_dims_at(a->w, x, -1), like);
}

// e^(s - max) / sum along the keys; masked scores are -inf, a row of only those becomes zeros.
static ch_status weights_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const attention *a = user;
    (void)n_in, (void)n_out;
    const char *w = a->w;
    const int last = 4;
    ch_tensor *s = in[0], *most = ch_amax_at(w, s, 1, &last);
    most = ch_select_at(w, ch_is_finite_at(w, most), most, ch_zeros_like_at(w, most));
    ch_tensor *e = ch_exp_at(w, ch_sub_at(w, s, last_kept(a, most, s)));
    ch_tensor *sum = ch_sum_at(w, e, 1, &last), *none = ch_eq_at(w, sum, f_like(a, sum, 0));
    sum = ch_select_at(w, none, ch_ones_like_at(w, sum), sum);
    out[0] = ch_div_at(w, e, last_kept(a, sum, s));
    return CH_OK;
}

// p (d - sum of p d) along the keys, forward and backward: of the weights p alone. What they were made of is not kept.
static ch_tensor *weights_derivative(const attention *a, ch_tensor *p, ch_tensor *d) {
    const int last = 4;
    ch_tensor *sum = ch_sum_at(a->w, ch_mul_at(a->w, p, d), 1, &last);
    return ch_mul_at(a->w, p, ch_sub_at(a->w, d, last_kept(a, sum, p)));
}
static ch_status weights_vjp(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = weights_derivative(user, in[1], in[2]); // scores, weights, adjoint
    return CH_OK;
}
static ch_status weights_jvp(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    ch_tensor *p = NULL;
    CH_TRY(weights_body(user, 1, in, 1, &p)); // scores, tangent
    (void)n_in, (void)n_out;
    out[0] = weights_derivative(user, p, in[1]);
    return CH_OK;
}

static ch_tensor *weights_of(const attention *a, ch_tensor *s) {
    ch_tensor *p = NULL;
    ch_custom_at(a->w, "attention_weights", weights_body, weights_vjp, weights_jvp, (void *)(uintptr_t)a, 1, &s, 1, &p);
    return p;
}

static ch_status attention_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const attention *a = user;
    (void)n_in, (void)n_out;
    const char *w = a->w;
    ch_dtype own = ch_tensor_dtype(in[0]), wide = own == CH_F64 ? CH_F64 : CH_F32;
    ch_tensor *q = ch_split_axis_at(w, in[0], 1, 2, (int64_t[]){a->kv, -1}); // batch, kv, group, queries, dim
    ch_tensor *s = ch_dot_general_at(w, q, in[1], 1, (int[]){4}, (int[]){3}, 2, (int[]){0, 1}, (int[]){0, 1});
    if (own != wide) s = ch_convert_at(w, s, wide);
    s = ch_mul_at(w, s, f_like(a, s, a->o.scale));
    ch_tensor *ok = seen(a, s);
    if (a->has_mask) {
        ch_tensor *mask = mask_of(a, in[3], s);
        if (ch_tensor_dtype(mask) == CH_BOOL)
            ok = ok == NULL ? mask : ch_and_at(w, ok, mask);
        else
            s = ch_add_at(w, s, ch__as_like(w, mask, s));
    }
    if (ok != NULL) s = ch_select_at(w, ok, s, ch_full_like_at(w, s, -INFINITY));
    ch_tensor *p = ch__as_like(w, weights_of(a, s), in[2]);
    ch_tensor *y = ch_dot_general_at(w, p, in[2], 1, (int[]){4}, (int[]){2}, 2, (int[]){0, 1}, (int[]){0, 1});
    out[0] = ch_merge_axes_at(w, y, 1, 2);
    return CH_OK;
}

static ch_status attention_shapes(attention *a, ch_tensor *const *in) {
    char q[256], k[256], v[256];
    ch_tensor_type(in[0], q, sizeof q);
    ch_tensor_type(in[1], k, sizeof k);
    ch_tensor_type(in[2], v, sizeof v);
    if (ch_tensor_rank(in[0]) != 4 || ch_tensor_rank(in[1]) != 4 || ch_tensor_rank(in[2]) != 4)
        return ch_error_set("rank", "attention: q %s, k %s, v %s — takes [batch, heads, steps, dim]", q, k, v);
    int64_t heads = ch_tensor_dim(in[0], 1), kv = ch_tensor_dim(in[1], 1);
    if (heads < 1 || kv < 1 || heads % kv != 0 || ch_tensor_dim(in[0], 3) < 1)
        return ch_error_set("shape_mismatch",
                            "attention: q %s and k %s — the heads of k divide those of q; heads and dim are known "
                            "numbers",
                            q, k);
    a->kv = kv;
    if (a->o.scale == 0) a->o.scale = 1 / sqrt((double)ch_tensor_dim(in[0], 3));
    if (a->o.window < 0)
        return ch_error_set("argument", "attention: window %" PRId64 " — at least 1, or 0 for all", a->o.window);
    return CH_OK;
}

static ch_status check_mask(const attention *a, ch_tensor *mask) {
    CH_TRY(ch_check(mask));
    ch_dtype d = ch_tensor_dtype(mask);
    int64_t heads = ch_tensor_rank(mask) >= 3 ? ch_tensor_dim(mask, ch_tensor_rank(mask) - 3) : 1;
    if ((d == CH_BOOL || (d >= CH_F16 && d <= CH_F64)) && ch_tensor_rank(mask) >= 2 && ch_tensor_rank(mask) <= 4 &&
        heads >= 1 && (heads == 1 || heads % a->kv == 0))
        return CH_OK;
    char type[256];
    ch_tensor_type(mask, type, sizeof type);
    return ch_error_set("shape_mismatch",
                        "attention: mask %s — takes bool or floating, [queries, keys] with heads and batch before",
                        type);
}

ch_tensor *ch_attention_at(const char *where, ch_tensor *q, ch_tensor *k, ch_tensor *v, ch_tensor *mask,
                           const ch_attention_options *options) {
    ch_tensor *in[4] = {q, k, v, mask}, *error = ch__layer_operands(where, "attention", 3, in);
    if (error != NULL) return error;
    attention a = {.w = where, .has_mask = mask != NULL};
    if (options != NULL && options->struct_size != sizeof *options) {
        ch_error_set("argument", "attention: options.struct_size is %zu — set it to sizeof(ch_attention_options), %zu",
                     options->struct_size, sizeof *options);
        return ch_error_tensor_at(where);
    }
    if (options != NULL) a.o = *options;
    if (attention_shapes(&a, in) != CH_OK || (mask != NULL && check_mask(&a, mask) != CH_OK))
        return ch_error_tensor_at(where);
    char args[96];
    snprintf(args, sizeof args, "causal = %s, window = %" PRId64, a.o.causal ? "true" : "false", a.o.window);
    return ch__layer(where, "attention", args, attention_body, &a, 3 + a.has_mask, in);
}

// ---- rotary positions
typedef struct {
    const char *w;
    double base;
    int interleaved, has_positions, rank;
} rope;

// cos and sin of position * base^(-2 i / dim): [steps, dim / 2], or [batch, 1..., steps, dim / 2]
static void angles(const rope *r, ch_tensor *half, ch_tensor *positions, ch_tensor **out_cos, ch_tensor **out_sin) {
    const char *w = r->w;
    int last = r->rank - 1;
    double dim = 2 * (double)ch_tensor_dim(half, last);
    ch_tensor *i = ch_iota_like_at(w, half, CH_F64, last);
    ch_tensor *power =
        ch_pow_at(w, ch_scalar_at(w, CH_F64, r->base), ch_mul_at(w, i, ch_scalar_at(w, CH_F64, -2 / dim)));
    ch_tensor *place;
    if (positions == NULL) {
        place = ch_iota_like_at(w, half, CH_F64, last - 1);
    } else {
        place = ch_expand_dims_at(w, ch_convert_at(w, positions, CH_F64), -1);
        while (ch_tensor_rank(positions) == 2 && ch_tensor_rank(place) < r->rank && ch_tensor_rank(place) > 0)
            place = ch_expand_dims_at(w, place, 1);
        place = ch_broadcast_like_at(w, place, half);
    }
    ch_tensor *angle = ch_mul_at(w, place, power);
    *out_cos = ch__as_like(w, ch_cos_at(w, angle), half);
    *out_sin = ch__as_like(w, ch_sin_at(w, angle), half);
}

static ch_status rope_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const rope *r = user;
    (void)n_in, (void)n_out;
    const char *w = r->w;
    int last = r->rank - 1;
    ch_tensor *a, *b, *c, *s;
    if (r->interleaved) {
        ch_tensor *pairs = ch_split_axis_at(w, in[0], last, 2, (int64_t[]){-1, 2});
        a = ch_squeeze_at(w, ch_slice_axis_at(w, pairs, last + 1, 0, 1), last + 1);
        b = ch_squeeze_at(w, ch_slice_axis_at(w, pairs, last + 1, 1, 2), last + 1);
    } else {
        int64_t half = ch_tensor_dim(in[0], last) / 2;
        a = ch_slice_axis_at(w, in[0], last, 0, half);
        b = ch_slice_axis_at(w, in[0], last, half, CH_END);
    }
    angles(r, a, r->has_positions ? in[1] : NULL, &c, &s);
    ch_tensor *x = ch_sub_at(w, ch_mul_at(w, a, c), ch_mul_at(w, b, s));
    ch_tensor *y = ch_add_at(w, ch_mul_at(w, b, c), ch_mul_at(w, a, s));
    out[0] = r->interleaved ? ch_merge_axes_at(w, ch_stack_at(w, 2, (ch_tensor *[]){x, y}, -1), last, 2)
                            : ch_concat_at(w, 2, (ch_tensor *[]){x, y}, last);
    return CH_OK;
}

ch_tensor *ch_rope_at(const char *where, ch_tensor *x, ch_tensor *positions, double base, int interleaved) {
    ch_tensor *in[2] = {x, positions}, *error = ch__layer_operands(where, "rope", 1, in);
    if (error == NULL && positions != NULL && ch_check(positions) != CH_OK) error = ch_error_tensor_at(where);
    if (error != NULL) return error;
    int rank = ch_tensor_rank(x), of = positions == NULL ? 1 : ch_tensor_rank(positions);
    int64_t dim = rank < 2 ? 1 : ch_tensor_dim(x, rank - 1);
    ch_dtype d = positions == NULL ? CH_I64 : ch_tensor_dtype(positions);
    if (rank < 2 || dim < 2 || dim % 2 != 0 || d < CH_I8 || d > CH_U64 || (of != 1 && (of != 2 || rank < 3)) ||
        !(base > 0)) {
        char a[256], b[256] = "0, 1, ...";
        ch_tensor_type(x, a, sizeof a);
        if (positions != NULL) ch_tensor_type(positions, b, sizeof b);
        ch_error_set("shape_mismatch",
                     "rope: %s at %s, base %g — takes [..., steps, dim], dim even, integer positions [steps] or "
                     "[batch, steps], base above 0",
                     a, b, base);
        return ch_error_tensor_at(where);
    }
    rope r = {.w = where, .base = base, .interleaved = interleaved, .has_positions = positions != NULL, .rank = rank};
    return ch__layer(where, "rope", interleaved ? "interleaved = true" : NULL, rope_body, &r, 1 + r.has_positions, in);
}

// ---- multi-head attention: a function of functions; its parts are the composites
// [batch, steps, heads dim] to [batch, heads, steps, dim]
static ch_tensor *to_heads(const char *w, ch_tensor *x, int64_t heads) {
    return ch_swap_axes_at(w, ch_split_axis_at(w, x, 2, 2, (int64_t[]){heads, -1}), 1, 2);
}

ch_tensor *ch_multi_head_attention_at(const char *where, ch_tensor *x, ch_tensor *memory, ch_tensor *mask,
                                      ch_tensor *positions, const ch_attention_weights *m,
                                      const ch_attention_layer *o) {
    if (m == NULL || o == NULL || o->struct_size != sizeof *o) {
        ch_error_set(
            "argument",
            "multi_head_attention: weights and options are needed, with struct_size sizeof(ch_attention_layer), "
            "%zu",
            sizeof *o);
        return ch_error_tensor_at(where);
    }
    if (ch_check(x) != CH_OK) return x == NULL ? ch_error_tensor_at(where) : x;
    int64_t kv = o->kv_heads == 0 ? o->heads : o->kv_heads;
    if (ch_tensor_rank(x) != 3 || o->heads < 1 || kv < 1 || o->heads % kv != 0) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch_error_set("argument",
                     "multi_head_attention: %" PRId64 " heads, %" PRId64
                     " of keys, of %s — takes [batch, steps, in] and heads that those of keys divide",
                     o->heads, kv, type);
        return ch_error_tensor_at(where);
    }
    const char *w = where;
    ch_tensor *from = memory == NULL ? x : memory;
    ch_tensor *q = to_heads(w, ch_dense_at(w, x, m->wq, m->bq), o->heads);
    ch_tensor *k = to_heads(w, ch_dense_at(w, from, m->wk, m->bk), kv);
    ch_tensor *v = to_heads(w, ch_dense_at(w, from, m->wv, m->bv), kv);
    double epsilon = o->epsilon == 0 ? 1e-6 : o->epsilon;
    if (m->q_norm != NULL) q = ch_rms_norm_at(w, q, m->q_norm, epsilon);
    if (m->k_norm != NULL) k = ch_rms_norm_at(w, k, m->k_norm, epsilon);
    if (o->rope_base != 0) {
        q = ch_rope_at(w, q, positions, o->rope_base, o->rope_interleaved);
        k = ch_rope_at(w, k, positions, o->rope_base, o->rope_interleaved);
    }
    const ch_attention_options options = {
        .struct_size = sizeof options, .causal = o->causal, .window = o->window, .scale = o->scale};
    ch_tensor *y = ch_attention_at(w, q, k, v, mask, &options);
    return ch_dense_at(w, ch_merge_axes_at(w, ch_swap_axes_at(w, y, 1, 2), 2, 2), m->wo, m->bo);
}

// ---- blocks
static ch_status swiglu_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const char *w = user;
    (void)n_in, (void)n_out;
    out[0] = ch_mul_at(w, ch_silu_at(w, in[0]), in[1]);
    return CH_OK;
}

ch_tensor *ch_swiglu_at(const char *where, ch_tensor *gate, ch_tensor *up) {
    ch_tensor *in[2] = {gate, up}, *error = ch__layer_operands(where, "swiglu", 2, in);
    return error != NULL ? error : ch__layer(where, "swiglu", NULL, swiglu_body, (void *)(uintptr_t)where, 2, in);
}

ch_tensor *ch_swiglu_mlp_at(const char *where, ch_tensor *x, ch_tensor *w_gate, ch_tensor *w_up, ch_tensor *w_down) {
    ch_tensor *h = ch_swiglu_at(where, ch_dense_at(where, x, w_gate, NULL), ch_dense_at(where, x, w_up, NULL));
    return ch_dense_at(where, h, w_down, NULL);
}

static ch_tensor *block_norm(const char *w, ch_tensor *x, ch_tensor *gain, ch_tensor *bias, double epsilon) {
    return bias == NULL ? ch_rms_norm_at(w, x, gain, epsilon) : ch_layer_norm_at(w, x, gain, bias, epsilon);
}

ch_tensor *ch_transformer_block_at(const char *where, ch_tensor *x, ch_tensor *mask, ch_tensor *positions,
                                   const ch_block_weights *m, const ch_block_layer *o) {
    if (m == NULL || o == NULL || o->struct_size != sizeof *o) {
        ch_error_set("argument",
                     "transformer_block: weights and options are needed, with struct_size sizeof(ch_block_layer), %zu",
                     sizeof *o);
        return ch_error_tensor_at(where);
    }
    const char *w = where;
    double epsilon = o->epsilon == 0 ? 1e-5 : o->epsilon;
    ch_tensor *n1 = block_norm(w, x, m->norm1, m->norm1_bias, epsilon);
    ch_tensor *h =
        ch_add_at(w, x, ch_multi_head_attention_at(w, n1, NULL, mask, positions, &m->attention, &o->attention));
    ch_tensor *n2 = block_norm(w, h, m->norm2, m->norm2_bias, epsilon);
    if (m->w_gate != NULL) return ch_add_at(w, h, ch_swiglu_mlp_at(w, n2, m->w_gate, m->w_up, m->w_down));
    ch_tensor *inner = ch_activate_at(w, ch_dense_at(w, n2, m->w_up, m->b_up), o->activation);
    return ch_add_at(w, h, ch_dense_at(w, inner, m->w_down, m->b_down));
}
