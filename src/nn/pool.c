// SPDX-License-Identifier: Apache-2.0
// pool.c - pooling with padding and dilation, and pooling to given sizes.
//
// An average that does not count padding divides each window's sum by the sum of ones over the same window.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

typedef struct {
    const char *w, *what;
    int n, rank, max;
    ch_pool_layer o;
    const int64_t *out; // adaptive
} pool;

static ch_status pool_options(pool *p, const ch_pool_layer *options, ch_tensor *x) {
    if (options == NULL || options->struct_size != sizeof *options)
        return ch_error_set("argument", "%s: options %s — give them with struct_size sizeof(ch_pool_layer), %zu",
                            p->what, options == NULL ? "NULL" : "of another size", sizeof *options);
    p->o = *options;
    for (int i = 0; i < p->n; i++) {
        if (p->o.stride[i] == 0) p->o.stride[i] = p->o.window[i];
        if (p->o.dilation[i] == 0) p->o.dilation[i] = 1;
        const int64_t *pad = p->o.pad[i];
        if (p->o.window[i] < 1 || p->o.stride[i] < 1 || p->o.dilation[i] < 1)
            return ch_error_set(
                "argument",
                "%s: window %" PRId64 ", stride %" PRId64 ", dilation %" PRId64 " of axis %d — at least 1 is allowed",
                p->what, p->o.window[i], p->o.stride[i], p->o.dilation[i], ch_tensor_rank(x) - p->n + i);
        if (pad[0] < 0 || pad[1] < 0 || pad[0] >= p->o.window[i] || pad[1] >= p->o.window[i])
            return ch_error_set("argument",
                                "%s: padding %" PRId64 " and %" PRId64 " of a window of %" PRId64
                                " — from 0 to below the window is allowed",
                                p->what, pad[0], pad[1], p->o.window[i]);
    }
    return CH_OK;
}

// ", name = [rest..., values of the last n axes]"
static void put_list(char *text, size_t cap, const pool *p, const char *name, int64_t rest, const int64_t *v,
                     int step) {
    size_t at = strlen(text);
    at += (size_t)snprintf(text + at, cap - at, ", %s = [", name);
    for (int i = 0; i < p->rank && at < cap; i++) {
        int k = i - (p->rank - p->n);
        at += (size_t)snprintf(text + at, cap - at, "%s%" PRId64, i > 0 ? ", " : "", k < 0 ? rest : v[k * step]);
    }
    if (at < cap) snprintf(text + at, cap - at, "]");
}

static ch_tensor *pool_windows(const pool *p, ch_tensor *x) {
    char text[1024];
    snprintf(text, sizeof text, "kind = %s", p->max ? "max, tie = first" : "sum, acc = f64, order = any");
    put_list(text, sizeof text, p, "window", 1, p->o.window, 1);
    put_list(text, sizeof text, p, "strides", 1, p->o.stride, 1);
    put_list(text, sizeof text, p, "rhs_dilation", 1, p->o.dilation, 1);
    put_list(text, sizeof text, p, "pad_lo", 0, &p->o.pad[0][0], 2);
    put_list(text, sizeof text, p, "pad_hi", 0, &p->o.pad[0][1], 2);
    return ch_op_at(p->w, "reduce_window", 1, &x, text);
}

static ch_status pool_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const pool *p = user;
    (void)n_in, (void)n_out;
    out[0] = pool_windows(p, in[0]);
    if (p->max) return CH_OK;
    int padded = 0;
    double size = 1;
    for (int i = 0; i < p->n; i++) {
        padded = padded || p->o.pad[i][0] > 0 || p->o.pad[i][1] > 0;
        size *= (double)p->o.window[i];
    }
    ch_tensor *count = padded && !p->o.count_padding ? pool_windows(p, ch_ones_like_at(p->w, in[0]))
                                                     : ch__num_like(p->w, out[0], size);
    out[0] = ch_div_at(p->w, out[0], count);
    return CH_OK;
}

static ch_status pool_axes(const pool *p, ch_tensor *x) {
    if (p->n >= 1 && p->n <= 3 && p->n <= ch_tensor_rank(x)) return CH_OK;
    char type[256];
    ch_tensor_type(x, type, sizeof type);
    return ch_error_set("rank", "%s: the last %d axes of %s — 1 to 3 of its axes are allowed", p->what, p->n, type);
}

static ch_tensor *pooled(const char *where, const char *what, int max, ch_tensor *x, int n,
                         const ch_pool_layer *options) {
    ch_tensor *error = ch__layer_operands(where, what, 1, &x);
    if (error != NULL) return error;
    pool p = {.w = where, .what = what, .n = n, .rank = ch_tensor_rank(x), .max = max};
    if (pool_axes(&p, x) != CH_OK || pool_options(&p, options, x) != CH_OK) return ch_error_tensor_at(where);
    return ch__layer(where, what, NULL, pool_body, &p, 1, &x);
}

ch_tensor *ch_pool_max_at(const char *where, ch_tensor *x, int n, const ch_pool_layer *options) {
    return pooled(where, "pool_max", 1, x, n, options);
}
ch_tensor *ch_pool_avg_at(const char *where, ch_tensor *x, int n, const ch_pool_layer *options) {
    return pooled(where, "pool_avg", 0, x, n, options);
}

// ---- to given sizes: one axis after the other, as the windows are products of ranges
static ch_tensor *pool_reduced(const pool *p, ch_tensor *x, int axis) {
    ch_tensor *r = p->max ? ch_amax_at(p->w, x, 1, &axis) : ch_mean_at(p->w, x, 1, &axis);
    return ch_expand_dims_at(p->w, r, axis);
}

static ch_status adapt_axis(const pool *p, ch_tensor **x, int axis, int64_t size, int64_t out) {
    if (out == 1) {
        *x = pool_reduced(p, *x, axis);
        return CH_OK;
    }
    ch_tensor **parts = ch_memory_alloc((size_t)out * sizeof *parts);
    if (parts == NULL) return ch_error_set("out_of_memory", "%s: no memory", p->what);
    for (int64_t i = 0; i < out; i++) {
        int64_t from = i * size / out, to = ((i + 1) * size + out - 1) / out;
        parts[i] = pool_reduced(p, ch_slice_axis_at(p->w, *x, axis, from, to), axis);
    }
    *x = ch_concat_at(p->w, (int)out, parts, axis);
    ch_memory_free(parts);
    return CH_OK;
}

static ch_status adaptive_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const pool *p = user;
    (void)n_in, (void)n_out;
    out[0] = in[0];
    for (int i = 0; i < p->n; i++) {
        int axis = p->rank - p->n + i;
        CH_TRY(adapt_axis(p, &out[0], axis, ch_tensor_dim(in[0], axis), p->out[i]));
    }
    return CH_OK;
}

static ch_tensor *adaptive(const char *where, const char *what, int max, ch_tensor *x, int n, const int64_t *out) {
    ch_tensor *error = ch__layer_operands(where, what, 1, &x);
    if (error != NULL) return error;
    pool p = {.w = where, .what = what, .n = n, .rank = ch_tensor_rank(x), .max = max, .out = out};
    if (pool_axes(&p, x) != CH_OK) return ch_error_tensor_at(where);
    for (int i = 0; i < n; i++) {
        int64_t size = ch_tensor_dim(x, p.rank - n + i);
        if (out != NULL && out[i] >= 1 && (out[i] == 1 || (size >= 1 && out[i] < 1 << 16))) continue;
        char type[256];
        ch_tensor_type(x, type, sizeof type);
        ch_error_set("argument", "%s: size %" PRId64 " for axis %d of %s — at least 1; only 1 for a size not known",
                     what, out == NULL ? 0 : out[i], p.rank - n + i, type);
        return ch_error_tensor_at(where);
    }
    return ch__layer(where, what, NULL, adaptive_body, &p, 1, &x);
}

ch_tensor *ch_adaptive_avg_pool_at(const char *where, ch_tensor *x, int n, const int64_t *out) {
    return adaptive(where, "adaptive_avg_pool", 0, x, n, out);
}
ch_tensor *ch_adaptive_max_pool_at(const char *where, ch_tensor *x, int n, const int64_t *out) {
    return adaptive(where, "adaptive_max_pool", 1, x, n, out);
}
