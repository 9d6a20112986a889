// SPDX-License-Identifier: Apache-2.0
// conv.c - convolutions with padding modes, transposed convolutions.
//
// Zeros are the convolution's own padding; the other modes put the border together from slices first, which works for
// sizes that are not known. A transposed convolution is a convolution of the input with zeros between its elements
// (lhs_dilation) and the kernel turned round (Dumoulin and Visin 2016).

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

typedef struct {
    const char *w, *what;
    int n; // spatial axes
    ch_conv_layer o;
    int64_t lo[3], hi[3], stride[3], dilation[3], kernel[3];
    int has_bias;
} conv_job;

static ch_status conv_options(conv_job *c, const ch_conv_layer *options, ch_tensor *x, ch_tensor *w) {
    if (options != NULL && options->struct_size != sizeof *options)
        return ch_error_set("argument", "%s: options.struct_size is %zu — set it to sizeof(ch_conv_layer), %zu",
                            c->what, options->struct_size, sizeof *options);
    if (options != NULL) c->o = *options;
    if (c->o.groups == 0) c->o.groups = 1;
    char a[256], b[256];
    ch_tensor_type(x, a, sizeof a);
    ch_tensor_type(w, b, sizeof b);
    if (c->n < 1 || c->n > 3 || ch_tensor_rank(x) != c->n + 2 || ch_tensor_rank(w) != c->n + 2)
        return ch_error_set("rank", "%s: %s and %s — takes x [batch, in, ...] and w of that rank, %s spatial axes",
                            c->what, a, b,
                            c->n < 1 || c->n > 3 ? "1 to 3"
                            : c->n == 1          ? "1"
                                                 : "as many");
    for (int i = 0; i < c->n; i++) {
        c->kernel[i] = ch_tensor_dim(w, i + 2);
        c->stride[i] = c->o.stride[i] == 0 ? 1 : c->o.stride[i];
        c->dilation[i] = c->o.dilation[i] == 0 ? 1 : c->o.dilation[i];
        if (c->kernel[i] < 1)
            return ch_error_set("shape_mismatch", "%s: w is %s — its spatial sizes are known numbers, at least 1",
                                c->what, b);
        if (c->stride[i] < 1 || c->dilation[i] < 1 || c->o.groups < 1)
            return ch_error_set("argument",
                                "%s: stride %" PRId64 ", dilation %" PRId64 ", groups %" PRId64
                                " — at least 1 is allowed (0 stands for 1)",
                                c->what, c->stride[i], c->dilation[i], c->o.groups);
        if (c->o.pad[i][0] < 0 || c->o.pad[i][1] < 0)
            return ch_error_set("argument", "%s: padding %" PRId64 " and %" PRId64 " — at least 0 is allowed", c->what,
                                c->o.pad[i][0], c->o.pad[i][1]);
    }
    return CH_OK;
}

static ch_status padding(conv_job *c, ch_tensor *x) {
    for (int i = 0; i < c->n; i++) {
        int64_t size = ch_tensor_dim(x, i + 2), s = c->stride[i], reach = (c->kernel[i] - 1) * c->dilation[i] + 1;
        if (c->o.padding == CH_PAD_EXPLICIT) {
            c->lo[i] = c->o.pad[i][0];
            c->hi[i] = c->o.pad[i][1];
        } else if (c->o.padding == CH_PAD_SAME) {
            if (size < 0 && s > 1)
                return ch_error_set("unsupported",
                                    "%s: same padding with stride %" PRId64 " of a size that is not known — give pad",
                                    c->what, s);
            int64_t total = s == 1 ? reach - 1 : ((size + s - 1) / s - 1) * s + reach - size;
            if (total < 0) total = 0;
            c->lo[i] = total / 2;
            c->hi[i] = total - total / 2;
        } else if (c->o.padding != CH_PAD_VALID) {
            return ch_error_set("argument", "%s: padding %d — give one of ch_padding", c->what, (int)c->o.padding);
        }
        int64_t most = c->lo[i] > c->hi[i] ? c->lo[i] : c->hi[i], allowed = size - (c->o.mode == CH_PAD_REFLECT);
        if ((c->o.mode == CH_PAD_REFLECT || c->o.mode == CH_PAD_CIRCULAR) && size >= 0 && most > allowed)
            return ch_error_set(
                "argument", "%s: %s padding of %" PRId64 " on an axis of %" PRId64 " — at most %" PRId64 " is allowed",
                c->what, c->o.mode == CH_PAD_REFLECT ? "reflect" : "circular", most, size, allowed);
    }
    return (unsigned)c->o.mode <= CH_PAD_REPLICATE
               ? CH_OK
               : ch_error_set("argument", "%s: padding mode %d — give one of ch_pad_mode", c->what, (int)c->o.mode);
}

// One side of one axis, of k > 0 entries.
static ch_tensor *pad_border(const conv_job *c, ch_tensor *x, int axis, int64_t k, int after) {
    const char *w = c->w;
    if (c->o.mode == CH_PAD_CIRCULAR)
        return after ? ch_slice_axis_at(w, x, axis, 0, k) : ch_slice_axis_at(w, x, axis, -k, CH_END);
    if (c->o.mode == CH_PAD_REFLECT) {
        ch_tensor *s = after ? ch_slice_axis_at(w, x, axis, -k - 1, -1) : ch_slice_axis_at(w, x, axis, 1, k + 1);
        return ch_reverse_at(w, s, 1, &axis);
    }
    ch_tensor *edge = after ? ch_slice_axis_at(w, x, axis, -1, CH_END) : ch_slice_axis_at(w, x, axis, 0, 1);
    return ch_take_at(w, edge, ch_zeros_at(w, CH_I64, 1, &k), axis);
}

static ch_tensor *bordered(const conv_job *c, ch_tensor *x) {
    for (int i = 0; i < c->n; i++) {
        ch_tensor *parts[3];
        int k = 0;
        if (c->lo[i] > 0) parts[k++] = pad_border(c, x, i + 2, c->lo[i], 0);
        parts[k++] = x;
        if (c->hi[i] > 0) parts[k++] = pad_border(c, x, i + 2, c->hi[i], 1);
        if (k > 1) x = ch_concat_at(c->w, k, parts, i + 2);
    }
    return x;
}

// b [out] to y's axes from axis 1 on.
static ch_tensor *plus_bias(const conv_job *c, ch_tensor *y, ch_tensor *b) {
    for (int i = 0; i < c->n; i++) b = ch_expand_dims_at(c->w, b, -1);
    return ch_add_at(c->w, y, b);
}

static ch_status conv_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const conv_job *c = user;
    (void)n_in, (void)n_out;
    int own = c->o.mode == CH_PAD_ZEROS;
    const ch_conv_options o = {.struct_size = sizeof o,
                               .strides = c->stride,
                               .pad_lo = own ? c->lo : NULL,
                               .pad_hi = own ? c->hi : NULL,
                               .rhs_dilation = c->dilation,
                               .groups = c->o.groups};
    out[0] = ch_conv_at(c->w, own ? in[0] : bordered(c, in[0]), in[1], &o);
    if (c->has_bias) out[0] = plus_bias(c, out[0], in[2]);
    return CH_OK;
}

static ch_tensor *conv_nd(const char *where, const char *what, int n, ch_tensor *x, ch_tensor *w, ch_tensor *b,
                          const ch_conv_layer *options) {
    ch_tensor *in[3] = {x, w, b}, *error = ch__layer_operands(where, what, 2 + (b != NULL), in);
    if (error != NULL) return error;
    conv_job c = {.w = where, .what = what, .n = n, .has_bias = b != NULL};
    if (conv_options(&c, options, x, w) != CH_OK || padding(&c, x) != CH_OK) return ch_error_tensor_at(where);
    return ch__layer(where, what, NULL, conv_body, &c, 2 + c.has_bias, in);
}

ch_tensor *ch_conv1d_at(const char *where, ch_tensor *x, ch_tensor *w, ch_tensor *b, const ch_conv_layer *options) {
    return conv_nd(where, "conv1d", 1, x, w, b, options);
}
ch_tensor *ch_conv2d_at(const char *where, ch_tensor *x, ch_tensor *w, ch_tensor *b, const ch_conv_layer *options) {
    return conv_nd(where, "conv2d", 2, x, w, b, options);
}

// ---- transposed
// w [in, out / groups, ...] to [out, in / groups, ...], turned round along its spatial axes.
static ch_tensor *turned_kernel(const conv_job *c, ch_tensor *w) {
    int axes[3];
    for (int i = 0; i < c->n; i++) axes[i] = i + 2;
    w = ch_reverse_at(c->w, w, c->n, axes);
    w = ch_split_axis_at(c->w, w, 0, 2, (int64_t[]){c->o.groups, -1}); // group, in, out, ...
    w = ch_swap_axes_at(c->w, w, 1, 2);
    return ch_merge_axes_at(c->w, w, 0, 2);
}

static ch_status transpose_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const conv_job *c = user;
    (void)n_in, (void)n_out;
    const ch_conv_options o = {.struct_size = sizeof o,
                               .pad_lo = c->lo,
                               .pad_hi = c->hi,
                               .lhs_dilation = c->stride,
                               .rhs_dilation = c->dilation,
                               .groups = c->o.groups};
    out[0] = ch_conv_at(c->w, in[0], turned_kernel(c, in[1]), &o);
    if (c->has_bias) out[0] = plus_bias(c, out[0], in[2]);
    return CH_OK;
}

ch_tensor *ch_conv_transpose_at(const char *where, ch_tensor *x, ch_tensor *w, ch_tensor *b,
                                const ch_conv_layer *options) {
    ch_tensor *in[3] = {x, w, b}, *error = ch__layer_operands(where, "conv_transpose", 2 + (b != NULL), in);
    if (error != NULL) return error;
    conv_job c = {.w = where, .what = "conv_transpose", .n = ch_tensor_rank(x) - 2, .has_bias = b != NULL};
    if (conv_options(&c, options, x, w) != CH_OK) return ch_error_tensor_at(where);
    if (c.o.padding != CH_PAD_EXPLICIT || c.o.mode != CH_PAD_ZEROS) {
        ch_error_set("argument", "conv_transpose: padding is explicit and of zeros — give pad and output_padding");
        return ch_error_tensor_at(where);
    }
    if (ch_tensor_dim(w, 0) % c.o.groups != 0) {
        char type[256];
        ch_tensor_type(w, type, sizeof type);
        ch_error_set("shape_mismatch", "conv_transpose: w is %s — its first axis is a multiple of groups, %" PRId64,
                     type, c.o.groups);
        return ch_error_tensor_at(where);
    }
    for (int i = 0; i < c.n; i++) {
        int64_t reach = (c.kernel[i] - 1) * c.dilation[i];
        if (c.o.output_padding[i] < 0 ||
            (c.o.output_padding[i] >= c.stride[i] && c.o.output_padding[i] >= c.dilation[i])) {
            ch_error_set("argument",
                         "conv_transpose: output padding %" PRId64
                         " — from 0 to below the stride or the dilation is allowed",
                         c.o.output_padding[i]);
            return ch_error_tensor_at(where);
        }
        c.lo[i] = reach - c.o.pad[i][0];
        c.hi[i] = reach - c.o.pad[i][1] + c.o.output_padding[i];
    }
    return ch__layer(where, "conv_transpose", NULL, transpose_body, &c, 2 + c.has_bias, in);
}
