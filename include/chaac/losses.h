// SPDX-License-Identifier: Apache-2.0
// losses.h - losses: how far predictions are from targets. ch_cross_entropy and ch_mse of ops.h are the plain forms.
//
// Predictions are floating (f16, bf16, f32, f64), targets of the same dtype or integer labels; all are composites,
// differentiated in predictions and floating targets, and take symbolic sizes. Mistakes are error tensors with the
// caller's line: shape_mismatch and dtype_mismatch name both types, argument an option that cannot be.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_tensor *logits = ch_from_f32((float[]){2, 0, 0, 3}, 2, (int64_t[]){2, 2});
//     ch_tensor *labels = ch_from_i32((int32_t[]){0, -1}, 1, (int64_t[]){2});
//     double loss = 0;
//     const ch_cross_entropy_options o = {.struct_size = sizeof o, .smoothing = 0.1, .ignore = -1, .has_ignore = 1};
//     if (ch_item(ch_cross_entropy_with(logits, labels, &o), &loss) != CH_OK) return 1;
//     printf("%.4f\n", loss);   // 0.2269
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_LOSSES_H
#define CHAAC_LOSSES_H

#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// What becomes of the single losses: their mean, their sum, or they themselves.
typedef enum ch_reduction { CH_MEAN, CH_SUM, CH_NONE } ch_reduction;

// ---- of classes: one loss a row
typedef struct ch_cross_entropy_options {
    size_t struct_size; // sizeof(ch_cross_entropy_options)
    double smoothing;   // this part of the target is spread over all classes (Szegedy et al. 2016); 0 to 1
    int64_t ignore;     // rows of this label count for nothing, in the mean neither, when
    int has_ignore;     // ... this is set
    ch_reduction reduction;
} ch_cross_entropy_options;
// -log softmax(logits)[label]; logits [..., classes], labels integers [...]. A label that is neither a class nor
// ignored has the loss of smoothing alone. options NULL: the mean of all rows. The mean of no rows is NaN.
CH_API ch_tensor *ch_cross_entropy_with_at(const char *where, ch_tensor *logits, ch_tensor *labels,
                                           const ch_cross_entropy_options *options);
#define ch_cross_entropy_with(...) ch_cross_entropy_with_at(CH_WHERE, __VA_ARGS__)
// The same of log probabilities: negative log likelihood.
CH_API ch_tensor *ch_nll_at(const char *where, ch_tensor *log_probabilities, ch_tensor *labels,
                            const ch_cross_entropy_options *options);
#define ch_nll(...) ch_nll_at(CH_WHERE, __VA_ARGS__)
// Kullback-Leibler divergence of p from q: the sum of p (log p - log_q) over the last axis, 0 where p is 0. log_q
// [..., classes] are log probabilities, p [..., classes] probabilities.
CH_API ch_tensor *ch_kl_divergence_at(const char *where, ch_tensor *log_q, ch_tensor *p, ch_reduction reduction);
#define ch_kl_divergence(...) ch_kl_divergence_at(CH_WHERE, __VA_ARGS__)

// ---- of numbers: one loss an element; operands broadcast
// (x - y)^2.
CH_API ch_tensor *ch_squared_error_at(const char *where, ch_tensor *x, ch_tensor *y, ch_reduction reduction);
#define ch_squared_error(...) ch_squared_error_at(CH_WHERE, __VA_ARGS__)
// (x - y)^2 / 2 where |x - y| <= delta, else delta (|x - y| - delta / 2) (Huber 1964); delta above 0.
CH_API ch_tensor *ch_huber_at(const char *where, ch_tensor *x, ch_tensor *y, double delta, ch_reduction reduction);
#define ch_huber(...) ch_huber_at(CH_WHERE, __VA_ARGS__)
// Binary cross entropy -(y log p + (1 - y) log(1 - p)) of probabilities p; logarithms are at least -100, as PyTorch's.
CH_API ch_tensor *ch_bce_at(const char *where, ch_tensor *p, ch_tensor *y, ch_reduction reduction);
#define ch_bce(...) ch_bce_at(CH_WHERE, __VA_ARGS__)
// The same of logits x, p = sigmoid(x), without overflow: max(x, 0) - x y + log1p(e^-|x|).
CH_API ch_tensor *ch_bce_logits_at(const char *where, ch_tensor *x, ch_tensor *y, ch_reduction reduction);
#define ch_bce_logits(...) ch_bce_logits_at(CH_WHERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
