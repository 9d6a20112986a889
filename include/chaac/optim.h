// SPDX-License-Identifier: Apache-2.0
// optim.h - optimizers, schedules of the learning rate, clipping, averages of weights.
//
// An optimizer is a pure function: parameters, gradients and state in, new parameters and new state out, all lazy
// tensors, so that an update can be run alone, captured, or be part of a training step (nn.h, trainers). The numbers
// that depend on the step (bias corrections, decays) are computed in f64 and rounded to the parameter's dtype once, as
// PyTorch does in Python: its values are met to 1e-6 in f32 and 1e-13 in f64.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_optimizer o = ch_adamw(0.1, 0.01);
//     ch_tensor *p = ch_from_f32((float[]){1, -2}, 1, (int64_t[]){2}), *slots[2];
//     for (int k = 0; k < ch_optimizer_num_slots(&o); k++) slots[k] = ch_optimizer_slot(&o, k, p);
//     for (int step = 1; step <= 200; step++) {
//         ch_tensor *loss = ch_sum_all(ch_mul(p, p)), *g = ch_grad(loss, p), *t = ch_scalar(CH_F64, step), *next[3];
//         ch_optimizer_update(&o, t, 1, &p, &g, slots, &next[0], &next[1]);
//         if (ch_realize_all(3, next) != CH_OK) return 1;
//         p = ch_detach(next[0]);
//         for (int k = 0; k < 2; k++) slots[k] = ch_detach(next[1 + k]);
//     }
//     float out[2];
//     if (ch_read_f32(p, out, 2) != CH_OK) return 1;
//     printf("%s\n", out[0] * out[0] + out[1] * out[1] < 1e-3 ? "at the bottom" : "not yet");   // at the bottom
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_OPTIM_H
#define CHAAC_OPTIM_H

#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- optimizers
// g is the gradient, p the parameter, t the number of the update (from 1), r the rate. Weight decay d: coupled, g + d p
// stands for g; decoupled, p shrinks by r d p before anything else.
typedef enum ch_optimizer_kind {
    CH_SGD,      // b = momentum b + (1 - dampening) g; p -= r b; Nesterov: p -= r (g + momentum b)
    CH_ADAM,     // Kingma and Ba 2015; decoupled: Loshchilov and Hutter 2019; amsgrad: Reddi et al. 2018
    CH_RMSPROP,  // s = alpha s + (1 - alpha) g^2; p -= r g / (sqrt(s) + eps); Tieleman and Hinton 2012
    CH_ADAGRAD,  // s += g^2; p -= r / (1 + (t - 1) rate_decay) g / (sqrt(s) + eps); Duchi et al. 2011
    CH_ADADELTA, // Zeiler 2012
    CH_ADAMAX,   // Adam with the largest |g| in place of the root mean square; Kingma and Ba 2015
    CH_NADAM,    // Adam with Nesterov's momentum; Dozat 2016
    CH_RADAM,    // Adam with a rectified early step; Liu et al. 2020
    CH_LION,     // p -= r sign(beta1 m + (1 - beta1) g); m = beta2 m + (1 - beta2) g; Chen et al. 2023
    CH_LAMB      // Adam's direction plus d p, scaled by |p| / |direction| for each parameter; You et al. 2020
} ch_optimizer_kind;
typedef struct ch_optimizer {
    ch_optimizer_kind kind;
    double rate;                  // r
    double momentum;              // SGD, RMSprop: 0 is plain
    double beta1, beta2, epsilon; // epsilon is added to the root
    double decay;                 // d
    int decoupled;                // Adam, RAdam, NAdam; Lion and LAMB are so by their nature
    double dampening;             // SGD; not of the first update
    int nesterov;                 // SGD
    int amsgrad;                  // Adam: the largest second moment so far is divided by
    double alpha;                 // RMSprop, Adadelta: what stays of the mean square
    int centered;                 // RMSprop: by the variance in place of the mean square
    double rate_decay, initial;   // Adagrad: initial is the first sum
    double momentum_decay;        // NAdam
} ch_optimizer;
CH_API ch_optimizer ch_sgd(double rate);
CH_API ch_optimizer ch_sgd_momentum(double rate, double momentum);
CH_API ch_optimizer ch_sgd_nesterov(double rate, double momentum);
CH_API ch_optimizer ch_adam(double rate);                // 0.9, 0.999, 1e-8
CH_API ch_optimizer ch_adamw(double rate, double decay); // the same with decoupled decay
CH_API ch_optimizer ch_rmsprop(double rate);             // alpha 0.99, 1e-8
CH_API ch_optimizer ch_adagrad(double rate);             // 1e-10
CH_API ch_optimizer ch_adadelta(double rate);            // alpha 0.9, 1e-6
CH_API ch_optimizer ch_adamax(double rate);              // 0.9, 0.999, 1e-8
CH_API ch_optimizer ch_nadam(double rate);               // 0.9, 0.999, 1e-8, momentum decay 0.004
CH_API ch_optimizer ch_radam(double rate);               // 0.9, 0.999, 1e-8
CH_API ch_optimizer ch_lion(double rate, double decay);  // 0.9, 0.99
CH_API ch_optimizer ch_lamb(double rate, double decay);  // 0.9, 0.999, 1e-6
// "adam"; NULL for a number that is no kind.
CH_API const char *ch_optimizer_name(const ch_optimizer *o);
// State tensors of each parameter.
CH_API int ch_optimizer_num_slots(const ch_optimizer *o);
// "momentum", "mean", "square", ...: slot k; NULL when there is no such slot.
CH_API const char *ch_optimizer_slot_name(const ch_optimizer *o, int k);
// What slot k of a parameter is before the first update, lazy: of the parameter's type; NAdam's product is f32[].
CH_API ch_tensor *ch_optimizer_slot_at(const char *where, const ch_optimizer *o, int k, ch_tensor *param);
#define ch_optimizer_slot(...) ch_optimizer_slot_at(CH_WHERE, __VA_ARGS__)
// New values of n params and their slots (n * num_slots, those of one param beside each other), lazy. step is a rank-0
// f64: 1 for the first update. Gradients have the types of their params, which are floating.
CH_API void ch_optimizer_update_at(const char *where, const ch_optimizer *o, ch_tensor *step, int n,
                                   ch_tensor *const *params, ch_tensor *const *grads, ch_tensor *const *slots,
                                   ch_tensor **out_params, ch_tensor **out_slots);
#define ch_optimizer_update(...) ch_optimizer_update_at(CH_WHERE, __VA_ARGS__)
// The same with a rate from outside (rank-0 f64; NULL: the optimizer's) and, for each param, what its rate is
// multiplied by and its weight decay (NULL: 1, and the optimizer's).
typedef struct ch_update_options {
    size_t struct_size; // sizeof(ch_update_options)
    ch_tensor *rate;
    const double *rate_factors, *decays;
} ch_update_options;
CH_API void ch_optimizer_update_with_at(const char *where, const ch_optimizer *o, const ch_update_options *options,
                                        ch_tensor *step, int n, ch_tensor *const *params, ch_tensor *const *grads,
                                        ch_tensor *const *slots, ch_tensor **out_params, ch_tensor **out_slots);
#define ch_optimizer_update_with(...) ch_optimizer_update_with_at(CH_WHERE, __VA_ARGS__)

// ---- clipping: all n gradients together, lazy
// order 2, 1 or INFINITY: the norm of all elements, given as f64[] in *out_norm (may be NULL); when it is above limit,
// every gradient is multiplied by limit / (norm + 1e-6), as torch.nn.utils.clip_grad_norm_. A norm that is not finite
// makes all gradients NaN: look at *out_norm before using them, as trainers do.
CH_API void ch_clip_norm_at(const char *where, int n, ch_tensor *const *grads, double order, double limit,
                            ch_tensor **out_grads, ch_tensor **out_norm);
#define ch_clip_norm(...) ch_clip_norm_at(CH_WHERE, __VA_ARGS__)
// Every element into [-limit, limit].
CH_API void ch_clip_value_at(const char *where, int n, ch_tensor *const *grads, double limit, ch_tensor **out_grads);
#define ch_clip_value(...) ch_clip_value_at(CH_WHERE, __VA_ARGS__)

// ---- averages: out = decay average + (1 - decay) value, n at once, lazy (Polyak and Juditsky 1992)
CH_API void ch_ema_at(const char *where, double decay, int n, ch_tensor *const *averages, ch_tensor *const *values,
                      ch_tensor **out);
#define ch_ema(...) ch_ema_at(CH_WHERE, __VA_ARGS__)

// ---- schedules: the learning rate of step 0, 1, ...
typedef enum ch_schedule_kind {
    CH_SCHEDULE_CONSTANT,
    CH_SCHEDULE_STEP,        // times gamma every `every` steps
    CH_SCHEDULE_EXPONENTIAL, // times gamma every step
    CH_SCHEDULE_PIECEWISE,   // factors[i] from steps[i] on (in order, n of them); 1 before
    CH_SCHEDULE_LINEAR,      // from factor `start` to factor `end` over `total` steps, then `end`
    CH_SCHEDULE_POLYNOMIAL,  // (1 - t / total)^power, 0 after total
    CH_SCHEDULE_COSINE,      // from the base to `floor` in `total` steps along half a cosine, and back
    CH_SCHEDULE_RESTARTS,    // ... starting again after total, total * growth, ... steps
    CH_SCHEDULE_ONE_CYCLE,   // Smith 2018: base / 25 up to base, down to base / 250000; see ch_one_cycle
    CH_SCHEDULE_CYCLIC       // Smith 2017: from the base up to `top` in `every` steps and down, each cycle half as high
} ch_schedule_kind;
typedef struct ch_schedule {
    ch_schedule_kind kind;
    int64_t warmup; // steps of linear growth t / warmup before the schedule begins with its step 0
    int64_t every, total;
    double gamma, start, end, floor, top, power, growth;
    double rising;     // one cycle: the part of the steps that goes up, 0.3
    int linear, three; // one cycle: straight lines; back down to base / 25 in as many steps as up, then on
    int n;             // piecewise; the arrays are used in place
    const int64_t *steps;
    const double *factors;
} ch_schedule;
CH_API ch_schedule ch_schedule_constant(void);
CH_API ch_schedule ch_schedule_step(int64_t every, double gamma);
CH_API ch_schedule ch_schedule_exponential(double gamma);
CH_API ch_schedule ch_schedule_piecewise(int n, const int64_t *steps, const double *factors);
CH_API ch_schedule ch_schedule_linear(double start, double end, int64_t total);
CH_API ch_schedule ch_schedule_polynomial(int64_t total, double power);
CH_API ch_schedule ch_schedule_cosine(int64_t total, double floor);
CH_API ch_schedule ch_schedule_restarts(int64_t first, double growth, double floor);
CH_API ch_schedule ch_schedule_one_cycle(int64_t total);
CH_API ch_schedule ch_schedule_cyclic(int64_t up, double top);
// The same schedule after `steps` steps of linear growth from 0.
CH_API ch_schedule ch_schedule_warmup(ch_schedule s, int64_t steps);
// The rate of a step, from 0, given the optimizer's rate. A schedule that cannot be (a total of 0, steps out of order)
// fails with "argument".
CH_API CH_MUST_USE ch_status ch_schedule_check(const ch_schedule *s);
CH_API double ch_schedule_rate(const ch_schedule *s, double base, int64_t step);

// ---- the rate by what a metric does: times factor when it has not got smaller (by the part threshold) for more than
// patience reports
typedef struct ch_plateau {
    double factor, threshold;
    int64_t patience;
    double rate, best; // now; best is INFINITY at first
    int64_t bad;       // reports since the best
} ch_plateau;
CH_API ch_plateau ch_plateau_make(double rate, double factor, int64_t patience); // threshold 1e-4
CH_API double ch_plateau_report(ch_plateau *p, double metric);                   // the rate from now on

#ifdef __cplusplus
}
#endif
#endif
