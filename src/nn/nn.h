// SPDX-License-Identifier: Apache-2.0
// nn.h - what the files of this folder share. nn stands on the public headers alone.
#ifndef CHAAC_NN_INTERNAL_H
#define CHAAC_NN_INTERNAL_H

#include <stdbool.h>

#include "chaac/chaac.h"
#include "chaac/pjrt.h"

// ---------------------------------------------------------------- model.c
typedef struct ch__param {
    char *name;
    ch_tensor *value;
    int buffer; // does not learn
    enum {
        CH__LOST_NOT,
        CH__LOST_MEMORY,
        CH__LOST_DEVICE
    } lost; // its value was on a device and could not be read: it is refused until it is set
} ch__param;
struct ch_model {
    ch_forward_fn forward;
    ch_training_fn training; // or NULL
    void *user;
    void (*release)(void *user);
    ch__param *params;
    int n, cap;
    ch_trainer *holder; // the trainer that has newer values of some parameters on a device; NULL: none
};

// ---------------------------------------------------------------- batches.c: where an epoch stands, in a checkpoint
ch_status ch__batches_put(const ch_batches *b, ch_checkpoint *c);
// Looks whether c fits b and, with take set, goes on from it. Nothing changes when this fails.
ch_status ch__batches_get(ch_batches *b, ch_checkpoint *c, int take);

// ---------------------------------------------------------------- signature.c: captures of models
// Text being built in heap memory; failed: out of memory.
typedef struct ch__signature {
    char *text;
    size_t n, cap;
    int failed;
} ch__signature;
void ch__signature_put(ch__signature *s, const char *piece);
void ch__signature_finish(ch__signature *s);
// "name: type", preceded by ", " unless it is the first; a dot in a name becomes _. free_first: the first axis is
// written "n".
void ch__signature_add(ch__signature *s, const char *name, const ch_tensor *t, int free_first);
// The names that ch_value_and_grad takes, "dense0_weight, dense0_bias", of the parameters that learn: floating, no
// buffers, not in the frozen list; marks[i] says which. The caller frees *out_wrt.
ch_status ch__wrt_names(const ch_model *m, const char *frozen, unsigned char *marks, char **out_wrt);

// ---------------------------------------------------------------- names.c: lists of parameters
// no_param when an entry of the list covers no parameter; what is the option, for the message. NULL lists are fine.
ch_status ch__names_check(const ch_model *m, const char *what, const char *list);

// ---------------------------------------------------------------- resident.c: funcs on devices, state in buffers
typedef struct ch__resident {
    ch_session *session;
    const ch_func *func;
    int n_host, n_numbers, n_up; // what goes up with each run: host tensors, then f64[n_numbers]
    int n_in, n_out;
    int *aliases;          // of each param: the result that takes its memory, -1: none
    ch_buffer **in, **out; // of a run: state from in[n_up] on is put there by who runs it; results are his
    double *numbers;       // of the next run
    double *sent;          // those on the device, 64-aligned: the buffer lies over them
    ch_buffer *numbers_up; // goes up again when the numbers are others; NULL: was not yet
    int64_t *dims;         // dtype, rank and sizes of each that goes up, and its type as text
    char *types, numbers_type[32];
    bool named;
    long long number; // of this func in the process: its programs' keys begin with it
    size_t key_cap;
    char *key, *room, *stage; // stage: where small host tensors lie aligned while a run has them
} ch__resident;
ch_status ch__resident_init(ch__resident *r, ch_session *s, const ch_func *f, int n_host, int n_numbers);
void ch__resident_free(ch__resident *r);
// keep: params that are not donated this time though they are aliased.
ch_status ch__resident_run(ch__resident *r, ch_tensor *const *host, int n_keep, const int64_t *keep);
ch_status ch__resident_up(ch_session *s, ch_tensor *t, ch_buffer **out);
ch_status ch__resident_down(ch_buffer *b, ch_tensor **out); // the caller's
ch_status ch__resident_number(ch_buffer *b, double *out);   // of f32 or f64

// ---------------------------------------------------------------- trainer.c, trainer_capture.c
typedef struct ch__batch_type { // all but the first size, which is free; rank -1: none was noted
    ch_dtype dtype;
    int rank;
    int64_t dims[8];
} ch__batch_type;

typedef struct ch__trainer_device ch__trainer_device;
struct ch_trainer {
    const char *where; // of its making
    ch_model *model;
    ch_loss_fn loss;
    ch_optimizer optimizer;
    ch_trainer_options o; // strings are copies
    ch_schedule schedule;
    char *engine, *frozen;
    int n_params, n_learn, n_buffers, n_slots, n_state;
    int *learn, *buffers; // parameters that learn, parameters that are buffers
    double *factors, *decays;
    char **names;      // of the state
    ch_tensor **state; // slots of each learning parameter, then averages, then gathered gradients
    ch_tensor **spare; // what the next run writes: learning parameters, buffers, state; NULL before the first
    ch_tensor **zeros; // gathered gradients before the first of a round
    ch_func *gradient, *func, *gather;
    ch_exec *exec, *gather_exec, *predict;
    char *signature, *predict_signature;
    ch__batch_type batch[2]; // what signature was written of: x, y
    int64_t steps;
    int compiles;
    double norm;
    ch__trainer_device *device; // where parameters and state are between steps; NULL: in tensors
};
int ch__trainer_averages(const ch_trainer *t); // index in state; -1: none
int ch__trainer_sums(const ch_trainer *t);
// Captures gradient, update and, when gradients are gathered, the gathering func for inputs "x: ..., y: ...".
ch_status ch__trainer_capture(ch_trainer *t, const char *xy);
ch_status ch__trainer_capture_predict(ch_trainer *t, const char *signature, ch_func **out);
void ch__trainer_params_signature(const ch_trainer *t, ch__signature *s);
// non_finite when norms are clipped and the last is none; the gradients gathered are dropped.
ch_status ch__trainer_check_norm(ch_trainer *t);

// ---------------------------------------------------------------- trainer_device.c
struct ch__trainer_device {
    ch_session *session; // shared with the engine
    bool holds;          // it is the model's holder
    ch__resident step, gather, predict;
    ch_func *predict_func;
    ch_buffer **params, **state;           // NULL: made of the tensor before the next step
    unsigned char *params_old, *state_old; // the tensor is older than the buffer
    ch_buffer **zeros;                     // what a round of gathered gradients begins with
    int64_t *keep;                         // the gathered gradients among gather's params
};
bool ch__trainer_is_resident(const ch_trainer *t); // of the engine pjrt
ch_status ch__trainer_device_open(ch_trainer *t);
void ch__trainer_device_close(ch_trainer *t);
ch_status ch__trainer_device_prepare(ch_trainer *t);
void ch__trainer_device_drop(ch_trainer *t);
// host: x, y, key; and x, y, number, rate, key.
ch_status ch__trainer_device_gather(ch_trainer *t, bool first, ch_tensor *const *host, double *out_loss);
ch_status ch__trainer_device_update(ch_trainer *t, bool first, ch_tensor *const *host, double *out_loss);
ch_status ch__trainer_device_swap(ch_trainer *t);
ch_status ch__trainer_device_prepare_predict(ch_trainer *t, ch_func *f); // takes f over
ch_status ch__trainer_device_predict(ch_trainer *t, ch_tensor *x, ch_tensor **out);
// The tensor is as new as the buffer; the buffer is older than the tensor; the model is gone.
ch_status ch__trainer_fetch_param(ch_trainer *t, int i);
ch_status ch__trainer_fetch_state(ch_trainer *t, int i);
void ch__trainer_forget_param(ch_trainer *t, int i);
void ch__trainer_forget_state(ch_trainer *t, int i);
void ch__trainer_leave_model(ch_trainer *t);

// ---------------------------------------------------------------- layers.c: what composites are made of
// A number, and x converted, of like's dtype; like itself when it is an error tensor, so that its sentence goes on.
ch_tensor *ch__num_like(const char *where, ch_tensor *like, double v);
ch_tensor *ch__as_like(const char *where, ch_tensor *x, ch_tensor *like);

// NULL, or an error tensor: one of the n operands is one, is not floating, or differs in dtype from the first.
ch_tensor *ch__layer_operands(const char *where, const char *what, int n, ch_tensor *const *in);
// A composite of one result.
ch_tensor *ch__layer(const char *where, const char *name, const char *args, ch_tensor_fn body, void *user, int n,
                     ch_tensor *const *in);

// The place that functions without one of their own (losses given to a trainer) put into messages, on this thread.
const char *ch__here(void);
const char *ch__set_here(const char *where); // gives the one before

// ---------------------------------------------------------------- optim.c
// Does an update depend on its number? If not, step may be NULL.
bool ch__optimizer_counts(const ch_optimizer *o);

// ---------------------------------------------------------------- clip.c
// The part of a batch's gradient in the mean of `accumulate` batches.
ch_tensor *ch__gradient_share(const char *where, ch_tensor *g, int accumulate);
// The gradients of an update, in place: their share added to those gathered (sums; NULL: none were), clipped by value,
// then by norm, which is 0 when it is not asked for.
void ch__update_gradients(const char *where, int n, ch_tensor **g, ch_tensor *const *sums, int accumulate,
                          double clip_value, double clip_norm, ch_tensor **out_norm);

// ---------------------------------------------------------------- step.c
const char *ch__step_param_name(const ch_step *s, int i); // of all params, in the order they were captured in
int ch__step_grad_param(const ch_step *s, int k);         // which of them gradient k is of
// Has the model the parameters that the step was captured with? It may have been made anew: they are found by key.
ch_status ch__step_fits(const char *where, const ch_step *s, const ch_model *m);

#endif
