// SPDX-License-Identifier: Apache-2.0
// nn.h - models, initializers, optimizers, batches, training: written against the other public headers only.
//
// A model is an ordered tree of named parameters ("dense0.weight") with a forward function. Optimizers are pure
// functions of (params, grads, state); a trainer captures loss, gradient and update as one func and runs it a step at a
// time.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_trainer *t = NULL;
//     double loss = 0;
//     float data[8] = {0, 0, 0, 1, 1, 0, 1, 1};
//     ch_tensor *x = ch_from_f32(data, 2, (int64_t[]){4, 2});
//     ch_tensor *y = ch_from_i32((int32_t[]){0, 1, 1, 0}, 1, (int64_t[]){4});
//     ch_model *m = ch_mlp((int64_t[]){2, 16, 2}, 3, CH_RELU, ch_key_make(7));
//     if (m == NULL ||
//         ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(1e-2), "interp", &t) != CH_OK) return 1;
//     for (int i = 0; i < 300; i++)
//         if (ch_trainer_step(t, x, y, &loss) != CH_OK) return 1;
//     printf("%s\n", loss < 0.1 ? "learnt xor" : "not yet");   // learnt xor
//     ch_trainer_destroy(t);
//     ch_model_destroy(m);
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_NN_H
#define CHAAC_NN_H

#include "chaac/engine.h"
#include "chaac/layers.h"
#include "chaac/ops.h"
#include "chaac/optim.h"
#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- random keys: there is no hidden random state
typedef struct ch_key {
    uint32_t word[2];
} ch_key;
CH_API ch_key ch_key_make(uint64_t seed);
// A new key from a key and a number (Threefry of the number under the key); different numbers, independent keys.
CH_API ch_key ch_key_fold(ch_key key, uint64_t number);
CH_API ch_tensor *ch_key_tensor(ch_key key); // u32[2], for ch_rng_uniform and ch_rng_normal

// ---- initializers: realized tensors that the caller owns; NULL with the error set when it fails
typedef enum ch_init {
    CH_INIT_ZEROS,
    CH_INIT_ONES,
    CH_INIT_UNIFORM,        // in [-scale, scale)
    CH_INIT_NORMAL,         // deviation scale
    CH_INIT_GLOROT_UNIFORM, // bound scale sqrt(6 / (in + out)): Glorot and Bengio 2010, also called Xavier
    CH_INIT_HE_NORMAL,      // deviation scale sqrt(2 / in): He et al. 2015, also called Kaiming
    CH_INIT_LECUN_UNIFORM,  // bound scale sqrt(1 / in)
    CH_INIT_GLOROT_NORMAL,  // deviation scale sqrt(2 / (in + out))
    CH_INIT_HE_UNIFORM,     // bound scale sqrt(6 / in)
    CH_INIT_LECUN_NORMAL,   // deviation scale sqrt(1 / in)
    CH_INIT_TRUNC_NORMAL,   // deviation scale, drawn again beyond two of them
    CH_INIT_ORTHOGONAL      // scale times a matrix [in, out], leading axes in one, with orthonormal columns or rows,
                            // whichever are fewer: Saxe et al. 2014
} ch_init;
// in and out, the fans: the last two dims as dense layers store them, [in, out]; leading dims multiply both.
CH_API ch_tensor *ch_init_tensor_at(const char *where, ch_init init, double scale, ch_key key, ch_dtype dtype, int rank,
                                    const int64_t *dims);
#define ch_init_tensor(...) ch_init_tensor_at(CH_WHERE, __VA_ARGS__)
// The same for weights of convolutions, [out, in, ...]: the spatial dims multiply both.
CH_API ch_tensor *ch_init_conv_at(const char *where, ch_init init, double scale, ch_key key, ch_dtype dtype, int rank,
                                  const int64_t *dims);
#define ch_init_conv(...) ch_init_conv_at(CH_WHERE, __VA_ARGS__)
// The scale that keeps the variance through an activation, for the GLOROT and LECUN kinds (HE has that of relu in it):
// sqrt 2 for relu and its like, 5/3 for tanh, else 1.
CH_API double ch_init_gain(ch_activation a);

// ---- models
typedef struct ch_model ch_model;
// Builds the model's result from its parameters (in their order) and its input.
typedef ch_tensor *(*ch_forward_fn)(void *user, ch_tensor *const *params, ch_tensor *x);
// release (may be NULL) is called with user when the model is destroyed.
CH_API CH_MUST_USE ch_status ch_model_create(ch_forward_fn forward, void *user, void (*release)(void *user),
                                             ch_model **out_model);
CH_API void ch_model_destroy(ch_model *m); // NULL is fine
// Takes over the caller's reference of a realized tensor; NULL: reports the thread's error. Names are distinct.
CH_API CH_MUST_USE ch_status ch_model_add(ch_model *m, const char *name, ch_tensor *param);
CH_API int ch_model_num_params(const ch_model *m);
CH_API int64_t ch_model_num_elements(const ch_model *m);
CH_API const char *ch_model_param_name(const ch_model *m, int i);
CH_API ch_tensor *ch_model_param(const ch_model *m, int i);    // borrowed
CH_API int ch_model_find(const ch_model *m, const char *name); // -1: none
// Replaces a parameter by a realized tensor of the same type; takes the caller's reference over on success.
CH_API CH_MUST_USE ch_status ch_model_set(ch_model *m, int i, ch_tensor *param);
// The result for x with the model's own parameters, lazy.
CH_API ch_tensor *ch_model_forward(const ch_model *m, ch_tensor *x);
// ... with others in their place (placeholders of a capture).
CH_API ch_tensor *ch_model_forward_with(const ch_model *m, ch_tensor *const *params, ch_tensor *x);
// Dense layers of the given sizes (n of them: input first) with an activation between: "dense0.weight", "dense0.bias",
// ... Weights LECUN_UNIFORM, biases 0, f32. NULL with the error set when it fails.
CH_API ch_model *ch_mlp_at(const char *where, const int64_t *sizes, int n, ch_activation between, ch_key key);
#define ch_mlp(...) ch_mlp_at(CH_WHERE, __VA_ARGS__)
// ---- what training changes beside the parameters
// A buffer is a parameter that never learns (a running statistic): kept, saved and loaded like one, at its place in the
// order.
CH_API CH_MUST_USE ch_status ch_model_add_buffer(ch_model *m, const char *name, ch_tensor *value);
CH_API int ch_model_is_buffer(const ch_model *m, int i);
// The forward function of training, when it differs: it has a key (u32[2], another each step) for dropout, and gives in
// new_buffers what each buffer, in order, is for the next step (as it finds it unless set). NULL: forward serves both.
typedef ch_tensor *(*ch_training_fn)(void *user, ch_tensor *const *params, ch_tensor *x, ch_tensor *key,
                                     ch_tensor **new_buffers);
CH_API void ch_model_set_training(ch_model *m, ch_training_fn training);
// ---- sets of parameters, by lists such as "embed.*, head, norm?.gain": an entry is a name, the beginning of names up
// to a dot ("head" covers "head.weight"), or a pattern with * (any text) and ? (any character). Wherever a list is
// taken, an entry that covers no parameter of the model is refused and the parameters are named.
CH_API int ch_names_match(const char *list, const char *name);

// ---- files
// Parameters as safetensors; loading wants the same names and types and lists what differs.
CH_API CH_MUST_USE ch_status ch_save_safetensors(const ch_model *m, const char *path);
CH_API CH_MUST_USE ch_status ch_load_safetensors(ch_model *m, const char *path);

// ---- losses of (prediction, target), for trainers
typedef ch_tensor *(*ch_loss_fn)(ch_tensor *prediction, ch_tensor *target);
CH_API ch_tensor *ch_softmax_cross_entropy(ch_tensor *logits, ch_tensor *labels);  // ch_cross_entropy
CH_API ch_tensor *ch_mean_squared_error(ch_tensor *prediction, ch_tensor *target); // ch_mse

// ---- batches: rows of x and y in an order of their own each epoch
typedef struct ch_batches ch_batches;
// x [rows, ...] and y [rows, ...], realized, kept until destroy. The last short batch of an epoch is dropped.
CH_API CH_MUST_USE ch_status ch_batches_create(ch_tensor *x, ch_tensor *y, int64_t batch, ch_key key,
                                               ch_batches **out_batches);
CH_API void ch_batches_destroy(ch_batches *b); // NULL is fine
CH_API int64_t ch_batches_per_epoch(const ch_batches *b);
// The order of the epoch about to begin, instead of a shuffle by key: rows indices.
CH_API CH_MUST_USE ch_status ch_batches_set_order(ch_batches *b, const int64_t *order, int64_t rows);
// The next batch, owned by the scope; 1: there is one, 0: the epoch ended (the next call begins the next one). When it
// cannot be made, x and y are error tensors, and whoever runs them reports it.
CH_API int ch_batch_next(ch_batches *b, ch_tensor **out_x, ch_tensor **out_y);
// The batch that was given last comes again next: its step was cancelled, or refused. Errors: argument (none of this
// epoch was given yet).
CH_API CH_MUST_USE ch_status ch_batches_back(ch_batches *b);

// ---- a captured training step: primal and gradient funcs, parameters by key
typedef struct ch_step ch_step;
// loss(user, model, params, n_in, in): a floating scalar. signature names the inputs, "x: f32[n,784], y: i32[n]"; the
// params of the captured funcs are the inputs, then the model's parameters. frozen: a list of the parameters that get
// no gradient (NULL: none).
typedef ch_tensor *(*ch_model_loss_fn)(void *user, const ch_model *m, ch_tensor *const *params, int n_in,
                                       ch_tensor *const *in);
CH_API CH_MUST_USE ch_status ch_step_capture(const ch_model *m, const char *signature, const char *frozen,
                                             ch_model_loss_fn loss, void *user, ch_step **out_step);
CH_API void ch_step_destroy(ch_step *s);                  // NULL is fine
CH_API const ch_func *ch_step_primal(const ch_step *s);   // inputs, parameters -> loss
CH_API const ch_func *ch_step_gradient(const ch_step *s); // inputs, parameters -> loss, gradients of those not frozen
CH_API int ch_step_num_grads(const ch_step *s);
CH_API const char *ch_step_grad_name(const ch_step *s, int i); // the parameter's key
// Runs the gradient func on the interpreter. The model must have the parameters of the captured one, by key and type.
// out_grads: ch_step_num_grads tensors, NULL (new, the caller's) or given, as in ch_exec_run; may be NULL for the loss
// alone.
CH_API CH_MUST_USE ch_status ch_step_run(ch_step *s, const ch_model *m, ch_tensor *const *in, double *out_loss,
                                         ch_tensor **out_grads);

// ---- a training step on a device: parameters and the optimizer's state live there (docs/device-step.md)
typedef struct ch_device_step ch_device_step;
struct ch_session;
// The step's gradient with the optimizer's update behind it, its state uploaded to session (pjrt.h), which must live as
// long. schedule: of the rate, by updates; NULL: constant. m holds the first values of the captured parameters.
CH_API CH_MUST_USE ch_status ch_step_on_device(const ch_step *step, const ch_model *m, const ch_optimizer *o,
                                               const ch_schedule *schedule, struct ch_session *session,
                                               ch_device_step **out_step);
typedef struct ch_device_step_options {
    size_t struct_size;          // sizeof(ch_device_step_options)
    const ch_schedule *schedule; // of the rate, by updates; NULL: constant
    double clip_norm;            // limit of the norm over all gradients; 0: none. A norm that is not finite is refused.
    double clip_value;           // limit of each element; 0: none
    int accumulate;              // calls of ch_device_step_run whose mean gradient makes one update; 0: 1
} ch_device_step_options;
CH_API CH_MUST_USE ch_status ch_step_on_device_with(const ch_step *step, const ch_model *m, const ch_optimizer *o,
                                                    const ch_device_step_options *options, struct ch_session *session,
                                                    ch_device_step **out_step);
CH_API void ch_device_step_destroy(ch_device_step *d); // NULL is fine
// One update. Up go the inputs, and when they are others than before its rate and, for optimizers that count, its
// number (f64 each); down comes the loss (not when out_loss is NULL), and with clip_norm the norm. The buffers of the
// state are donated. Compiled once for each set of input sizes.
// When several calls make an update, those before the last take up the inputs alone, and leave a sum on the device.
// non_finite: state and parameters stay as they were, gradients gathered so far are dropped. When a run fails after it
// began, the state is lost, and later runs say so.
CH_API CH_MUST_USE ch_status ch_device_step_run(ch_device_step *d, ch_tensor *const *in, double *out_loss);
CH_API int64_t ch_device_step_updates(const ch_device_step *d);
CH_API double ch_device_step_rate(const ch_device_step *d); // of the next update
CH_API double ch_device_step_norm(const ch_device_step *d); // of the last update's gradients before clipping; clip_norm
// The parameters that learn come down into the model's.
CH_API CH_MUST_USE ch_status ch_device_step_read(ch_device_step *d, ch_model *m);

// ---- trainers: loss, gradient and update as one func; parameters and state stay where they are. On the engine "pjrt"
// that is the device (docs/device-step.md): a step takes the batch up and the loss down, what it replaces is donated,
// and parameters, buffers and state come down when they are asked for (ch_model_param, ch_trainer_state, files), and
// with ch_trainer_destroy. One that could not be read then is refused until it is set.
typedef struct ch_trainer ch_trainer;
// Parameters that are updated otherwise: their rate is multiplied by rate_factor, their weight decay is decay.
typedef struct ch_param_group {
    const char *names; // a list; the first group that covers a parameter has it
    double rate_factor, decay;
} ch_param_group;
typedef struct ch_trainer_options {
    size_t struct_size; // sizeof(ch_trainer_options)
    const char *engine; // NULL: ch_engine_default()
    const char *frozen; // a list of parameters that do not learn; NULL: none
    int n_groups;
    const ch_param_group *groups;
    const ch_schedule *schedule; // of the rate, by updates; NULL: constant
    double clip_norm;            // limit of the norm over all gradients; 0: none. A norm that is not finite is refused.
    double clip_value;           // limit of each element; 0: none
    int accumulate;              // calls of ch_trainer_step whose mean gradient makes one update; 0: 1
    ch_dtype compute;            // forward and backward in this dtype, parameters and update in their own; 0: theirs
    double average;              // decay of moving averages of the parameters; 0: none
    ch_key key;                  // of the keys that the model's training function gets
} ch_trainer_options;
CH_API CH_MUST_USE ch_status ch_trainer_create_at(const char *where, ch_model *m, ch_loss_fn loss, ch_optimizer o,
                                                  const char *engine, ch_trainer **out_trainer);
#define ch_trainer_create(...) ch_trainer_create_at(CH_WHERE, __VA_ARGS__)
CH_API CH_MUST_USE ch_status ch_trainer_create_with_at(const char *where, ch_model *m, ch_loss_fn loss, ch_optimizer o,
                                                       const ch_trainer_options *options, ch_trainer **out_trainer);
#define ch_trainer_create_with(...) ch_trainer_create_with_at(CH_WHERE, __VA_ARGS__)
CH_API void ch_trainer_destroy(ch_trainer *t); // NULL is fine; the model stays, trained
// One step. The first call, and one with new types other than the size of the first axis, captures and compiles.
// out_loss may be NULL. Clipping and a norm that is not finite: non_finite; parameters and state stay as they were, and
// gradients gathered so far are dropped.
CH_API CH_MUST_USE ch_status ch_trainer_step_at(const char *where, ch_trainer *t, ch_tensor *x, ch_tensor *y,
                                                double *out_loss);
#define ch_trainer_step(...) ch_trainer_step_at(CH_WHERE, __VA_ARGS__)
CH_API int64_t ch_trainer_steps(const ch_trainer *t);   // calls of ch_trainer_step that went well
CH_API int64_t ch_trainer_updates(const ch_trainer *t); // those that changed the parameters
CH_API double ch_trainer_rate(const ch_trainer *t);     // of the next update, by the schedule
CH_API double ch_trainer_norm(const ch_trainer *t); // of the last update's gradients before clipping; clip_norm only
CH_API int ch_trainer_compiles(const ch_trainer *t);
// Where parameters and state are between steps: the session of the engine "pjrt" after the first step or prediction;
// NULL: on the host.
CH_API struct ch_session *ch_trainer_session(const ch_trainer *t);
// The func that an update runs (NULL before the first), and the gradient func inside it.
CH_API const ch_func *ch_trainer_func(const ch_trainer *t);
CH_API const ch_func *ch_trainer_gradient(const ch_trainer *t);
// Predictions of the model for x, by the trainer's engine; the caller's.
CH_API CH_MUST_USE ch_status ch_trainer_predict_at(const char *where, ch_trainer *t, ch_tensor *x, ch_tensor **out);
#define ch_trainer_predict(...) ch_trainer_predict_at(CH_WHERE, __VA_ARGS__)
// Parameters and their averages change places (argument when there are none); a second call changes them back.
CH_API CH_MUST_USE ch_status ch_trainer_swap_averages(ch_trainer *t);
// ---- a trainer's state, for checkpoints: with the model's parameters and ch_trainer_steps all that a run goes on from
// "dense0.weight.mean", ...: optimizer slots, averages, gathered gradients, for i = 0, 1, ...; NULL after the last.
CH_API const char *ch_trainer_state_name(const ch_trainer *t, int i);
CH_API ch_tensor *ch_trainer_state(const ch_trainer *t, int i); // borrowed
// Replaces a state tensor by a realized one of the same type; takes the caller's reference over on success.
CH_API CH_MUST_USE ch_status ch_trainer_set_state(ch_trainer *t, int i, ch_tensor *value);
CH_API CH_MUST_USE ch_status ch_trainer_set_steps(ch_trainer *t, int64_t steps);
// All of it in one checkpoint (checkpoint.h): the model's parameters and buffers, the trainer's state, steps and key,
// and where the batches stand in their epoch (b: NULL for none). What is loaded goes on equal to the bit. Model,
// trainer and batches are made as they were before; what does not fit is refused with all that is missing, is extra or
// has another type, and nothing has changed then.
CH_API CH_MUST_USE ch_status ch_trainer_save(const ch_trainer *t, const ch_batches *b, const char *path);
CH_API CH_MUST_USE ch_status ch_trainer_load(ch_trainer *t, ch_batches *b, const char *path);

#ifdef __cplusplus
}
#endif
#endif
