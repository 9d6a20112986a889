// SPDX-License-Identifier: Apache-2.0
// norm.c - batch and group normalization, dropout, embedding.
//
// Running statistics and keys come in and go out: no layer keeps anything. Axis 1 is the axis of features.

#include <inttypes.h>
#include <stdio.h>

#include "nn/nn.h"

typedef struct {
    const char *w;
    int rank;
    double epsilon, momentum;
    int64_t groups;
} norm_job;

// [features] beside x: axes behind the features are added.
static ch_tensor *beside(const norm_job *b, ch_tensor *v) {
    for (int i = 2; i < b->rank; i++) v = ch_expand_dims_at(b->w, v, -1);
    return v;
}

// (x - mean) / sqrt(var + epsilon) gain + bias, all [features]
static ch_tensor *normalized(const norm_job *b, ch_tensor *centred, ch_tensor *var, ch_tensor *gain, ch_tensor *bias) {
    ch_tensor *scale = ch_rsqrt_at(b->w, ch_add_at(b->w, var, ch__num_like(b->w, var, b->epsilon)));
    ch_tensor *y = ch_mul_at(b->w, centred, beside(b, scale));
    return ch_add_at(b->w, ch_mul_at(b->w, y, beside(b, gain)), beside(b, bias));
}

static ch_status batch_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const norm_job *b = user;
    (void)n_in, (void)n_out;
    out[0] = normalized(b, ch_sub_at(b->w, in[0], beside(b, in[3])), in[4], in[1], in[2]);
    return CH_OK;
}

// Every axis but the features.
static int other_axes(const norm_job *b, int axes[16]) {
    int n = 0;
    for (int i = 0; i < b->rank; i++)
        if (i != 1) axes[n++] = i;
    return n;
}

// n / (n - 1), n values a feature
static ch_tensor *unbiased(const norm_job *b, ch_tensor *x) {
    int axes[16] = {0}, k = other_axes(b, axes);
    ch_tensor *n = ch_size_of_at(b->w, x, axes[0]);
    for (int i = 1; i < k; i++) n = ch_mul_at(b->w, n, ch_size_of_at(b->w, x, axes[i]));
    n = ch__as_like(b->w, n, x);
    return ch_div_at(b->w, n, ch_sub_at(b->w, n, ch__num_like(b->w, x, 1)));
}

static ch_tensor *running_next(const norm_job *b, ch_tensor *old, ch_tensor *now) {
    const char *w = b->w;
    ch_tensor *kept = ch_mul_at(w, old, ch__num_like(w, old, 1 - b->momentum));
    return ch_stop_gradient_at(w, ch_add_at(w, kept, ch_mul_at(w, now, ch__num_like(w, old, b->momentum))));
}

static ch_status train_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const norm_job *b = user;
    (void)n_in, (void)n_out;
    int axes[16] = {0}, k = other_axes(b, axes);
    ch_tensor *mean = ch_mean_at(b->w, in[0], k, axes), *centred = ch_sub_at(b->w, in[0], beside(b, mean));
    ch_tensor *var = ch_mean_at(b->w, ch_mul_at(b->w, centred, centred), k, axes);
    out[0] = normalized(b, centred, var, in[1], in[2]);
    out[1] = running_next(b, in[3], mean);
    out[2] = running_next(b, in[4], ch_mul_at(b->w, var, unbiased(b, in[0])));
    return CH_OK;
}

static ch_tensor *batch_operands(const char *where, const char *what, ch_tensor *const *in) {
    ch_tensor *error = ch__layer_operands(where, what, 5, in);
    if (error != NULL) return error;
    char x[256], v[256];
    ch_tensor_type(in[0], x, sizeof x);
    for (int i = 1; i < 5; i++) {
        int64_t features = ch_tensor_dim(in[0], 1), have = ch_tensor_dim(in[i], 0);
        if (ch_tensor_rank(in[0]) >= 2 && ch_tensor_rank(in[i]) == 1 && (features < 0 || have < 0 || features == have))
            continue;
        ch_tensor_type(in[i], v, sizeof v);
        ch_error_set("shape_mismatch", "%s: %s and %s — takes x [batch, features, ...] and [features]", what, x, v);
        return ch_error_tensor_at(where);
    }
    return NULL;
}

ch_tensor *ch_batch_norm_at(const char *where, ch_tensor *x, ch_tensor *gain, ch_tensor *bias, ch_tensor *mean,
                            ch_tensor *var, double epsilon) {
    ch_tensor *in[5] = {x, gain, bias, mean, var}, *error = batch_operands(where, "batch_norm", in);
    if (error != NULL) return error;
    norm_job b = {.w = where, .rank = ch_tensor_rank(x), .epsilon = epsilon};
    return ch__layer(where, "batch_norm", NULL, batch_body, &b, 5, in);
}

void ch_batch_norm_train_at(const char *where, ch_tensor *x, ch_tensor *gain, ch_tensor *bias, ch_tensor *mean,
                            ch_tensor *var, double momentum, double epsilon, ch_tensor *out[3]) {
    ch_tensor *in[5] = {x, gain, bias, mean, var}, *error = batch_operands(where, "batch_norm_train", in);
    norm_job b = {.w = where, .rank = ch_tensor_rank(x), .epsilon = epsilon, .momentum = momentum};
    if (error == NULL)
        ch_composite_at(where, "batch_norm_train", NULL, train_body, &b, 5, in, 3, out);
    else
        out[0] = out[1] = out[2] = error;
}

// ---- groups
static ch_status group_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const norm_job *b = user;
    (void)n_in, (void)n_out;
    const char *w = b->w;
    ch_tensor *x = ch_split_axis_at(w, in[0], 1, 2, (int64_t[]){b->groups, -1}); // batch, group, features, ...
    int axes[16], n = 0;
    for (int i = 2; i <= b->rank; i++) axes[n++] = i;
    ch_tensor *mean = ch_mean_at(w, x, n, axes);
    for (int i = 0; i < n; i++) mean = ch_expand_dims_at(w, mean, -1);
    ch_tensor *centred = ch_sub_at(w, x, mean), *var = ch_mean_at(w, ch_mul_at(w, centred, centred), n, axes);
    for (int i = 0; i < n; i++) var = ch_expand_dims_at(w, var, -1);
    ch_tensor *scale = ch_rsqrt_at(w, ch_add_at(w, var, ch__num_like(w, var, b->epsilon)));
    ch_tensor *y = ch_merge_axes_at(w, ch_mul_at(w, centred, scale), 1, 2);
    out[0] = ch_add_at(w, ch_mul_at(w, y, beside(b, in[1])), beside(b, in[2]));
    return CH_OK;
}

ch_tensor *ch_group_norm_at(const char *where, ch_tensor *x, int64_t groups, ch_tensor *gain, ch_tensor *bias,
                            double epsilon) {
    ch_tensor *in[3] = {x, gain, bias}, *error = ch__layer_operands(where, "group_norm", 3, in);
    if (error != NULL) return error;
    int64_t features = ch_tensor_rank(x) < 2 ? -1 : ch_tensor_dim(x, 1);
    if (features < 0 || groups < 1 || features % groups != 0) {
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch_error_set("shape_mismatch",
                     "group_norm: %" PRId64 " groups of %s — takes x [batch, features, ...] whose features they divide",
                     groups, type);
        return ch_error_tensor_at(where);
    }
    char args[64];
    snprintf(args, sizeof args, "groups = %" PRId64, groups);
    norm_job b = {.w = where, .rank = ch_tensor_rank(x), .epsilon = epsilon, .groups = groups};
    return ch__layer(where, "group_norm", args, group_body, &b, 3, in);
}

// ---- dropout: kept where a uniform number is at least the rate
static ch_status dropout_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const norm_job *b = user;
    (void)n_in, (void)n_out;
    const char *w = b->w;
    ch_tensor *bits = ch_rng_bits_like_at(w, in[1], ch_scalar_at(w, CH_U64, 0), in[0]); // 24 bits, as rng_uniform
    ch_tensor *u = ch_convert_at(w, ch_shr_at(w, bits, ch_scalar_at(w, CH_U32, 8)), CH_F32);
    ch_tensor *kept =
        ch_ge_at(w, ch_mul_at(w, u, ch_scalar_at(w, CH_F32, 0x1p-24)), ch_scalar_at(w, CH_F32, b->epsilon));
    ch_tensor *scaled = ch_mul_at(w, in[0], ch__num_like(w, in[0], 1 / (1 - b->epsilon)));
    out[0] = ch_select_at(w, kept, scaled, ch_zeros_like_at(w, in[0]));
    return CH_OK;
}

ch_tensor *ch_dropout_at(const char *where, ch_tensor *x, ch_tensor *key, double rate) {
    ch_tensor *in[2] = {x, key}, *error = ch__layer_operands(where, "dropout", 1, in);
    if (error == NULL && ch_check(key) != CH_OK) error = ch_error_tensor_at(where);
    if (error != NULL) return error;
    if (!(rate >= 0 && rate < 1)) {
        ch_error_set("argument", "dropout: rate %g — from 0 up to, not including, 1 is allowed", rate);
        return ch_error_tensor_at(where);
    }
    if (rate == 0) return x;
    norm_job b = {.w = where, .epsilon = rate};
    return ch__layer(where, "dropout", NULL, dropout_body, &b, 2, in);
}

// ---- embedding
static ch_status embedding_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const norm_job *b = user;
    (void)n_in, (void)n_out;
    const char *w = b->w;
    ch_tensor *rows = ch_take_at(w, in[0], in[1], 0);
    out[0] = rows;
    if (b->groups < 0) return CH_OK;
    ch_tensor *pad = ch_eq_at(w, in[1], ch__num_like(w, in[1], (double)b->groups));
    pad = ch_broadcast_like_at(w, ch_expand_dims_at(w, pad, -1), rows);
    out[0] = ch_select_at(w, pad, ch_stop_gradient_at(w, rows), rows);
    return CH_OK;
}

ch_tensor *ch_embedding_at(const char *where, ch_tensor *table, ch_tensor *ids, int64_t padding) {
    ch_tensor *in[2] = {table, ids}, *error = ch__layer_operands(where, "embedding", 1, in);
    if (error == NULL && ch_check(ids) != CH_OK) error = ch_error_tensor_at(where);
    if (error != NULL) return error;
    ch_dtype d = ch_tensor_dtype(ids);
    if (ch_tensor_rank(table) != 2 || d < CH_I8 || d > CH_U64) {
        char a[256], c[256];
        ch_tensor_type(table, a, sizeof a);
        ch_tensor_type(ids, c, sizeof c);
        ch_error_set("shape_mismatch", "embedding: %s and %s — takes table [entries, dim] and integers", a, c);
        return ch_error_tensor_at(where);
    }
    char args[64];
    snprintf(args, sizeof args, "padding = %" PRId64, padding);
    norm_job b = {.w = where, .groups = padding};
    return ch__layer(where, "embedding", padding < 0 ? NULL : args, embedding_body, &b, 2, in);
}
