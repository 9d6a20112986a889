// SPDX-License-Identifier: Apache-2.0
// losses.c - losses of classes and of numbers; the formulas stand beside them.
//
// The label's log probability is picked by select and a sum over the classes, so that a class of probability 0 that is
// not the label adds nothing, and integers need no bounds.

#include <inttypes.h>
#include <stdio.h>

#include "nn/nn.h"

typedef struct {
    const char *w;
    ch_cross_entropy_options o;
    int logits; // log_softmax comes first
    double delta;
    ch_reduction reduction;
} loss;

static ch_tensor *loss_number(const loss *l, ch_tensor *like, double v) { return ch__num_like(l->w, like, v); }

static ch_tensor *loss_reduced(const loss *l, ch_tensor *each) {
    return l->reduction == CH_NONE  ? each
           : l->reduction == CH_SUM ? ch_sum_all_at(l->w, each)
                                    : ch_mean_all_at(l->w, each);
}

static ch_status loss_reduction(const char *what, ch_reduction r) {
    return (unsigned)r <= CH_NONE
               ? CH_OK
               : ch_error_set("argument", "%s: reduction %d — give one of ch_reduction", what, (int)r);
}

// ---- classes
// (1 - smoothing) (-lp[label]) + smoothing / classes sum(-lp)
static ch_tensor *row_losses(const loss *l, ch_tensor *lp, ch_tensor *labels) {
    const char *w = l->w;
    const int last = ch_tensor_rank(lp) - 1;
    ch_tensor *classes = ch_iota_like_at(w, lp, ch_tensor_dtype(labels), last);
    ch_tensor *hit = ch_eq_at(w, ch_broadcast_like_at(w, ch_expand_dims_at(w, labels, -1), lp), classes);
    ch_tensor *picked = ch_sum_at(w, ch_select_at(w, hit, lp, ch_zeros_like_at(w, lp)), 1, &last);
    if (l->o.smoothing == 0) return ch_neg_at(w, picked);
    ch_tensor *all = ch_mean_at(w, lp, 1, &last);
    ch_tensor *mixed = ch_add_at(w, ch_mul_at(w, picked, loss_number(l, lp, 1 - l->o.smoothing)),
                                 ch_mul_at(w, all, loss_number(l, lp, l->o.smoothing)));
    return ch_neg_at(w, mixed);
}

static ch_status classes_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const loss *l = user;
    (void)n_in, (void)n_out;
    const char *w = l->w;
    ch_tensor *each = row_losses(l, l->logits ? ch_log_softmax_at(w, in[0], -1) : in[0], in[1]);
    if (!l->o.has_ignore) {
        out[0] = loss_reduced(l, each);
        return CH_OK;
    }
    ch_tensor *counts = ch_ne_at(w, in[1], loss_number(l, in[1], (double)l->o.ignore));
    each = ch_select_at(w, counts, each, ch_zeros_like_at(w, each));
    if (l->reduction != CH_MEAN) {
        out[0] = loss_reduced(l, each);
        return CH_OK;
    }
    ch_tensor *n = ch_sum_all_at(w, ch_convert_at(w, counts, CH_I64));
    out[0] = ch_div_at(w, ch_sum_all_at(w, each), ch__as_like(w, n, each));
    return CH_OK;
}

static ch_status check_classes(const char *what, const loss *l, ch_tensor *x, ch_tensor *labels) {
    ch_dtype d = ch_tensor_dtype(labels);
    int rank = ch_tensor_rank(x), fits = rank >= 1 && ch_tensor_rank(labels) == rank - 1 && d >= CH_I8 && d <= CH_U64;
    for (int i = 0; fits && i + 1 < rank; i++) {
        int64_t a = ch_tensor_dim(x, i), b = ch_tensor_dim(labels, i);
        fits = a == b || a < 0 || b < 0;
    }
    char a[256], b[256];
    ch_tensor_type(x, a, sizeof a);
    ch_tensor_type(labels, b, sizeof b);
    if (!fits)
        return ch_error_set("shape_mismatch", "%s: %s and %s — takes floating [..., classes] and integer labels [...]",
                            what, a, b);
    if (!(l->o.smoothing >= 0 && l->o.smoothing <= 1))
        return ch_error_set("argument", "%s: smoothing %g — from 0 to 1 is allowed", what, l->o.smoothing);
    return loss_reduction(what, l->reduction);
}

static ch_tensor *of_classes(const char *where, const char *what, int logits, ch_tensor *x, ch_tensor *labels,
                             const ch_cross_entropy_options *options) {
    ch_tensor *in[2] = {x, labels}, *error = ch__layer_operands(where, what, 1, in);
    if (error == NULL && ch_check(labels) != CH_OK) error = labels == NULL ? ch_error_tensor_at(where) : labels;
    if (error != NULL) return error;
    loss l = {.w = where, .logits = logits};
    if (options != NULL && options->struct_size != sizeof *options) {
        ch_error_set("argument", "%s: options.struct_size is %zu — set it to sizeof(ch_cross_entropy_options), %zu",
                     what, options->struct_size, sizeof *options);
        return ch_error_tensor_at(where);
    }
    if (options != NULL) l.o = *options;
    l.reduction = l.o.reduction;
    if (check_classes(what, &l, x, labels) != CH_OK) return ch_error_tensor_at(where);
    char args[64];
    snprintf(args, sizeof args, "ignore = %" PRId64, l.o.ignore);
    return ch__layer(where, what, l.o.has_ignore ? args : NULL, classes_body, &l, 2, in);
}

ch_tensor *ch_cross_entropy_with_at(const char *where, ch_tensor *logits, ch_tensor *labels,
                                    const ch_cross_entropy_options *options) {
    return of_classes(where, "cross_entropy", 1, logits, labels, options);
}
ch_tensor *ch_nll_at(const char *where, ch_tensor *log_probabilities, ch_tensor *labels,
                     const ch_cross_entropy_options *options) {
    return of_classes(where, "nll", 0, log_probabilities, labels, options);
}

// ---- numbers
static ch_tensor *of_numbers(const char *where, const char *what, ch_tensor_fn body, ch_tensor *x, ch_tensor *y,
                             double delta, ch_reduction reduction) {
    ch_tensor *in[2] = {x, y}, *error = ch__layer_operands(where, what, 2, in);
    if (error == NULL && loss_reduction(what, reduction) != CH_OK) error = ch_error_tensor_at(where);
    if (error != NULL) return error;
    loss l = {.w = where, .delta = delta, .reduction = reduction};
    return ch__layer(where, what, NULL, body, &l, 2, in);
}

static ch_status kl_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const loss *l = user;
    (void)n_in, (void)n_out;
    const char *w = l->w;
    const int last = ch_tensor_rank(in[0]) - 1;
    ch_tensor *none = ch_le_at(w, in[1], loss_number(l, in[1], 0)); // the logarithm of 1 stands where p is 0
    ch_tensor *log_p = ch_log_at(w, ch_select_at(w, none, ch_ones_like_at(w, in[1]), in[1]));
    ch_tensor *term = ch_mul_at(w, in[1], ch_sub_at(w, log_p, in[0]));
    term = ch_select_at(w, none, ch_zeros_like_at(w, term), term);
    out[0] = loss_reduced(l, ch_sum_at(w, term, 1, &last));
    return CH_OK;
}

ch_tensor *ch_kl_divergence_at(const char *where, ch_tensor *log_q, ch_tensor *p, ch_reduction reduction) {
    ch_tensor *in[2] = {log_q, p}, *error = ch__layer_operands(where, "kl_divergence", 2, in);
    if (error != NULL) return error;
    if (ch_tensor_rank(log_q) < 1 || ch_tensor_rank(log_q) != ch_tensor_rank(p)) {
        char a[256], b[256];
        ch_tensor_type(log_q, a, sizeof a);
        ch_tensor_type(p, b, sizeof b);
        ch_error_set("rank", "kl_divergence: %s and %s — takes two of [..., classes]", a, b);
        return ch_error_tensor_at(where);
    }
    return of_numbers(where, "kl_divergence", kl_body, log_q, p, 0, reduction);
}

static ch_status squared_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const loss *l = user;
    (void)n_in, (void)n_out;
    ch_tensor *d = ch_sub_at(l->w, in[0], in[1]);
    out[0] = loss_reduced(l, ch_mul_at(l->w, d, d));
    return CH_OK;
}
ch_tensor *ch_squared_error_at(const char *where, ch_tensor *x, ch_tensor *y, ch_reduction reduction) {
    return of_numbers(where, "squared_error", squared_body, x, y, 0, reduction);
}

static ch_status huber_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const loss *l = user;
    (void)n_in, (void)n_out;
    const char *w = l->w;
    ch_tensor *d = ch_sub_at(w, in[0], in[1]), *size = ch_abs_at(w, d);
    ch_tensor *near = ch_mul_at(w, ch_mul_at(w, d, d), loss_number(l, d, 0.5));
    ch_tensor *far = ch_mul_at(w, ch_sub_at(w, size, loss_number(l, d, l->delta / 2)), loss_number(l, d, l->delta));
    out[0] = loss_reduced(l, ch_select_at(w, ch_le_at(w, size, loss_number(l, d, l->delta)), near, far));
    return CH_OK;
}
ch_tensor *ch_huber_at(const char *where, ch_tensor *x, ch_tensor *y, double delta, ch_reduction reduction) {
    if (delta > 0) return of_numbers(where, "huber", huber_body, x, y, delta, reduction);
    ch_error_set("argument", "huber: delta %g — above 0 is allowed", delta);
    return ch_error_tensor_at(where);
}

static ch_tensor *log_floored(const loss *l, ch_tensor *x) {
    return ch_max_at(l->w, ch_log_at(l->w, x), loss_number(l, x, -100));
}
static ch_status bce_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const loss *l = user;
    (void)n_in, (void)n_out;
    const char *w = l->w;
    ch_tensor *one = loss_number(l, in[0], 1);
    ch_tensor *yes = ch_mul_at(w, in[1], log_floored(l, in[0]));
    ch_tensor *no = ch_mul_at(w, ch_sub_at(w, one, in[1]), log_floored(l, ch_sub_at(w, one, in[0])));
    out[0] = loss_reduced(l, ch_neg_at(w, ch_add_at(w, yes, no)));
    return CH_OK;
}
ch_tensor *ch_bce_at(const char *where, ch_tensor *p, ch_tensor *y, ch_reduction reduction) {
    return of_numbers(where, "bce", bce_body, p, y, 0, reduction);
}

// softplus(x) - x y: its derivative in x is sigmoid(x) - y, at 0 too
static ch_status bce_logits_body(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const loss *l = user;
    (void)n_in, (void)n_out;
    out[0] = loss_reduced(l, ch_sub_at(l->w, ch_softplus_at(l->w, in[0]), ch_mul_at(l->w, in[0], in[1])));
    return CH_OK;
}
ch_tensor *ch_bce_logits_at(const char *where, ch_tensor *x, ch_tensor *y, ch_reduction reduction) {
    return of_numbers(where, "bce_logits", bce_logits_body, x, y, 0, reduction);
}
