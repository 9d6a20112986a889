// SPDX-License-Identifier: Apache-2.0
// test_device_step.c - training steps whose state stays on a device: PLUGIN... TAP.
//
// The same network is trained by a trainer on the interpreter and by a step on the device, on the same batches under
// the same schedule, clipped and gathered alike: losses, norms and parameters agree. What crossed is counted to the
// byte, and so are compiles.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "chaac/chaac.h"

enum { IN = 5, HIDDEN = 8, CLASSES = 3, BATCH = 16, STEPS = 100 };

static const char *plugin;

static ch_tensor *loss(void *user, const ch_model *m, ch_tensor *const *params, int n_in, ch_tensor *const *in) {
    (void)user, (void)n_in;
    return ch_softmax_cross_entropy(ch_model_forward_with(m, params, in[0]), in[1]);
}

static ch_model *network(void) {
    const int64_t sizes[] = {IN, HIDDEN, CLASSES};
    return ch_mlp(sizes, 3, CH_TANH, ch_key_make(7));
}

// Batch number i: numbers that a formula gives; the scope owns them.
static void batch(int i, int64_t rows, ch_tensor **x, ch_tensor **y) {
    float v[64 * IN];
    int32_t labels[64];
    for (int64_t r = 0; r < rows; r++) {
        labels[r] = (int32_t)((r * 7 + i) % CLASSES);
        for (int k = 0; k < IN; k++)
            v[r * IN + k] = (float)sin((double)(i * 31 + r * IN + k)) + 0.5F * (float)labels[r];
    }
    *x = ch_from_f32(v, 2, (int64_t[]){rows, IN});
    *y = ch_from_data(CH_I32, labels, 1, (int64_t[]){rows});
}

static ch_session *open_session(void) {
    const ch_session_options o = {.struct_size = sizeof o, .plugin = plugin};
    ch_session *s = NULL;
    if (ch_session_open(&o, &s) != CH_OK) {
        ok(false, "session");
        exit(1);
    }
    return s;
}

static ch_step *capture(const ch_model *m, const char *frozen) {
    ch_step *step = NULL;
    if (ch_step_capture(m, "x: f32[n,5], y: i32[n]", frozen, loss, NULL, &step) != CH_OK) {
        ok(false, "capture");
        exit(1);
    }
    return step;
}

static double furthest(const ch_model *a, const ch_model *b) {
    double most = 0;
    for (int i = 0; i < ch_model_num_params(a); i++) {
        const float *x = ch_data(ch_model_param(a, i)), *y = ch_data(ch_model_param(b, i));
        for (int64_t k = 0; k < ch_tensor_numel(ch_model_param(a, i)); k++)
            most = fmax(most, fabs((double)x[k] - (double)y[k]));
    }
    return most;
}

#define OPTIONS(...) ((ch_device_step_options){.struct_size = sizeof(ch_device_step_options), __VA_ARGS__})

static ch_trainer *trainer_of(ch_model *m, const ch_optimizer *o, const ch_device_step_options *d) {
    const ch_trainer_options options = {.struct_size = sizeof options,
                                        .engine = "interp",
                                        .schedule = d->schedule,
                                        .clip_norm = d->clip_norm,
                                        .clip_value = d->clip_value,
                                        .accumulate = d->accumulate};
    ch_trainer *t = NULL;
    return ch_trainer_create_with(m, ch_softmax_cross_entropy, *o, &options, &t) == CH_OK ? t : NULL;
}

// steps of both; true when every loss agrees and the parameters do at the end.
static bool same_training(ch_session *s, const ch_optimizer *o, ch_device_step_options options, int steps,
                          ch_session_counters *before, ch_session_counters *after) {
    ch_model *host = network(), *device = network();
    ch_step *step = capture(device, NULL);
    ch_trainer *t = trainer_of(host, o, &options);
    ch_device_step *d = NULL;
    bool good = t != NULL && ch_step_on_device_with(step, device, o, &options, s, &d) == CH_OK;
    ch_session_count(s, before);
    for (int i = 0; good && i < steps; i++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *in[2];
        double a = 0, b = 0;
        batch(i, BATCH, &in[0], &in[1]);
        good = ch_trainer_rate(t) == ch_device_step_rate(d) && ch_trainer_step(t, in[0], in[1], &a) == CH_OK &&
               ch_device_step_run(d, in, &b) == CH_OK && fabs(a - b) <= 2e-5 * fmax(1, fabs(a)) &&
               fabs(ch_trainer_norm(t) - ch_device_step_norm(d)) <= 1e-5 * fmax(1, ch_trainer_norm(t)) &&
               ch_trainer_updates(t) == ch_device_step_updates(d);
        if (!good) printf("# step %d: %.9g on the host, %.9g on the device\n", i, a, b);
        good = ch_scope_end(scope) == CH_OK && good;
    }
    ch_session_count(s, after);
    good = good && ch_device_step_read(d, device) == CH_OK;
    if (good && furthest(host, device) > 1e-4) {
        printf("# parameters differ by %g\n", furthest(host, device));
        good = false;
    }
    ch_device_step_destroy(d);
    ch_trainer_destroy(t);
    ch_step_destroy(step);
    ch_model_destroy(host);
    ch_model_destroy(device);
    return good;
}

static void under_a_schedule(void) {
    ch_session *s = open_session();
    ch_session_counters a, b, end;
    const ch_optimizer o = ch_adamw(0.01, 0.1);
    const ch_schedule cosine = ch_schedule_warmup(ch_schedule_cosine(STEPS - 10, 1e-4), 10);
    ok(same_training(s, &o, OPTIONS(.schedule = &cosine), STEPS, &a, &b),
       "100 steps of adamw under a schedule: the trainer's losses");
    ok(b.compiles - a.compiles == 1 && b.runs - a.runs == STEPS, "one compile, 100 runs");
    int64_t up = BATCH * IN * 4 + BATCH * 4 + 16;
    if (b.bytes_up - a.bytes_up != STEPS * up || b.bytes_down - a.bytes_down != STEPS * 4)
        printf("# up %lld, down %lld\n", (long long)(b.bytes_up - a.bytes_up),
               (long long)(b.bytes_down - a.bytes_down));
    ok(b.bytes_up - a.bytes_up == STEPS * up, "up: batch, number and rate, to the byte");
    ok(b.bytes_down - a.bytes_down == STEPS * 4, "down: the loss, to the byte");
    ok(a.buffers + 1 == b.buffers, "no buffer more than before, but that of the numbers");
    ch_session_count(s, &end);
    ok(end.buffers == 0, "and none when the step is gone");
    ch_session_close(s);
}

static void every_optimizer(void) {
    const ch_optimizer all[] = {ch_sgd(0.1),    ch_sgd_momentum(0.1, 0.9), ch_sgd_nesterov(0.1, 0.9),
                                ch_adam(0.01),  ch_rmsprop(0.01),          ch_adagrad(0.1),
                                ch_adadelta(1), ch_adamax(0.01),           ch_nadam(0.01),
                                ch_radam(0.01), ch_lion(0.001, 0.1),       ch_lamb(0.01, 0.1)};
    ch_session *s = open_session();
    ch_session_counters a, b;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char what[64];
        snprintf(what, sizeof what, "%s number %zu", ch_optimizer_name(&all[i]), i);
        ok(same_training(s, &all[i], OPTIONS(0), 4, &a, &b) && b.compiles - a.compiles == 1, what);
    }
    ch_session_close(s);
}

// Optimizers that do not count, at a constant rate: the rate goes up once.
static void numbers_that_stay(void) {
    const ch_optimizer counts[] = {ch_adam(0.01), ch_adagrad(0.1), ch_nadam(0.01), ch_lamb(0.01, 0.1)};
    const ch_optimizer others[] = {
        ch_sgd(0.1),    ch_sgd_momentum(0.1, 0.9), ch_sgd_nesterov(0.1, 0.9), ch_rmsprop(0.01),
        ch_adadelta(1), ch_lion(0.001, 0.1)};
    ch_optimizer damped = ch_sgd_momentum(0.1, 0.9);
    damped.dampening = 0.5;
    const int64_t up = BATCH * IN * 4 + BATCH * 4, rates[] = {1, 1, 2, 2, 3};
    const ch_schedule every_second = ch_schedule_step(2, 0.5);
    ch_session *s = open_session();
    ch_session_counters a, b;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ok(same_training(s, &counts[i], OPTIONS(0), 5, &a, &b) && b.bytes_up - a.bytes_up == 5 * (up + 16),
           ch_optimizer_name(&counts[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ok(same_training(s, &others[i], OPTIONS(0), 5, &a, &b) && b.bytes_up - a.bytes_up == 5 * up + 8,
           ch_optimizer_name(&others[i]));
    ok(same_training(s, &damped, OPTIONS(0), 5, &a, &b) && b.bytes_up - a.bytes_up == 5 * (up + 16), "sgd, damped");
    for (int n = 1; n <= 5; n++)
        ok(same_training(s, &others[0], OPTIONS(.schedule = &every_second), n, &a, &b) &&
               b.bytes_up - a.bytes_up == n * up + 8 * rates[n - 1],
           "a rate that changes goes up again");
    ch_session_close(s);
}

// ---------------------------------------------------------------- clipped, gathered
static void clipped_and_gathered(void) {
    static const struct {
        const char *what;
        double clip_norm, clip_value;
        int accumulate, down; // bytes beside the loss, of a round
    } rows[] = {{"clipped by norm", 0.05, 0, 0, 8},
                {"by a norm that is never met", 1e6, 0, 1, 8},
                {"by value", 0, 0.01, 0, 0},
                {"by both", 0.02, 0.01, 0, 8},
                {"three batches an update", 0, 0, 3, 0},
                {"two batches, clipped by norm", 0.05, 0, 2, 8},
                {"four batches, by both", 0.02, 0.01, 4, 8}};
    const ch_schedule falling = ch_schedule_exponential(0.7);
    ch_session *s = open_session();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ch_session_counters a, b;
        char what[100];
        const ch_optimizer o = i % 2 == 0 ? ch_sgd_momentum(0.5, 0.9) : ch_adam(0.05);
        int k = rows[i].accumulate > 1 ? rows[i].accumulate : 1;
        const int64_t runs = 12, batch_up = BATCH * IN * 4 + BATCH * 4, numbers = i % 2 == 0 ? 8 : 16; // SGD: the rate
        const ch_device_step_options options =
            OPTIONS(.schedule = &falling, .clip_norm = rows[i].clip_norm, .clip_value = rows[i].clip_value,
                    .accumulate = rows[i].accumulate);
        ok(same_training(s, &o, options, (int)runs, &a, &b), rows[i].what);
        snprintf(what, sizeof what, "%s: %s, and what crosses", rows[i].what, k > 1 ? "two compiles" : "one compile");
        ok(b.compiles - a.compiles == (k > 1 ? 2 : 1) &&
               b.bytes_up - a.bytes_up == runs * batch_up + runs / k * numbers &&
               b.bytes_down - a.bytes_down == runs * 4 + runs / k * rows[i].down,
           what);
    }
    ch_session_counters end;
    ch_session_count(s, &end);
    ok(end.buffers == 0, "nothing is left on the device");
    ch_session_close(s);
}

// The batch whose numbers are all v.
static bool run_both(ch_trainer *t, ch_device_step *d, int i, float v, ch_status want, bool alike) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *in[2];
    double a = 0, b = 0;
    batch(i, BATCH, &in[0], &in[1]);
    if (v != 0) in[0] = ch_add(in[0], ch_full(CH_F32, (double)v, 2, (int64_t[]){BATCH, IN}));
    ch_status of_trainer = ch_trainer_step(t, in[0], in[1], &a), of_step = ch_device_step_run(d, in, &b);
    bool good = of_trainer == want && of_step == want && (!alike || fabs(a - b) <= 2e-5 * fmax(1, fabs(a)));
    return ch_scope_end(scope) == CH_OK && good;
}

// A norm that is not finite: nothing changes, and the round begins again.
static void not_finite(void) {
    ch_session *s = open_session();
    ch_model *host = network(), *device = network();
    ch_step *step = capture(device, NULL);
    const ch_optimizer o = ch_adam(0.05);
    const ch_device_step_options options = OPTIONS(.clip_norm = 1, .accumulate = 2);
    ch_trainer *t = trainer_of(host, &o, &options);
    ch_device_step *d = NULL;
    ok(t != NULL && ch_step_on_device_with(step, device, &o, &options, s, &d) == CH_OK, "two batches, clipped");
    ok(run_both(t, d, 0, 0, CH_OK, true) && run_both(t, d, 1, 0, CH_OK, true) && run_both(t, d, 2, 0, CH_OK, true),
       "a round and a half");
    ok(run_both(t, d, 3, NAN, CH_FAILED_PRECONDITION, false) &&
           strcmp(ch_error_message(), "device step: the norm of the gradients is nan in update 2 — nothing was "
                                      "changed; look at the batch, or lower the rate") == 0,
       "a batch with NaN is refused");
    ok(isnan(ch_device_step_norm(d)) && ch_device_step_updates(d) == 1, "it is no update");
    ok(run_both(t, d, 4, 0, CH_OK, true) && run_both(t, d, 5, 0, CH_OK, true) && ch_device_step_updates(d) == 2,
       "the round begins again");
    ok(run_both(t, d, 6, NAN, CH_OK, false) && run_both(t, d, 7, 0, CH_FAILED_PRECONDITION, false),
       "gathered, it is found");
    ok(run_both(t, d, 8, 0, CH_OK, true) && run_both(t, d, 9, 0, CH_OK, true), "and dropped");
    ok(ch_device_step_read(d, device) == CH_OK && furthest(host, device) <= 1e-5, "the trainer's parameters");
    ch_device_step_destroy(d);
    ch_trainer_destroy(t);
    ch_step_destroy(step);
    ch_model_destroy(host);
    ch_model_destroy(device);
    ch_session_close(s);
}

static void options_refused(void) {
    ch_session *s = open_session();
    ch_model *m = network();
    ch_step *step = capture(m, NULL);
    ch_device_step *d = NULL;
    const ch_optimizer o = ch_adam(0.05);
    const ch_schedule never = ch_schedule_step(0, 0.5);
    ch_device_step_options bad[] = {OPTIONS(.clip_norm = -1), OPTIONS(.clip_value = NAN), OPTIONS(.accumulate = -2),
                                    OPTIONS(.schedule = &never), OPTIONS(0)};
    static const char *const says[] = {
        "step_on_device: clip_norm -1, clip_value 0, accumulate 0 — at least 0",
        "step_on_device: clip_norm 0, clip_value nan, accumulate 0 — at least 0",
        "step_on_device: clip_norm 0, clip_value 0, accumulate -2 — at least 0", "schedule",
        "step_on_device: options.struct_size is 3 — set it to sizeof(ch_device_step_options), "};
    bad[4].struct_size = 3;
    for (int i = 0; i < 5; i++)
        ok(refused(ch_step_on_device_with(step, m, &o, &bad[i], s, &d), CH_INVALID_ARGUMENT, says[i]), says[i]);
    ok(refused(ch_step_on_device_with(step, m, &o, NULL, s, &d), CH_INVALID_ARGUMENT, "one is NULL"), "no options");
    ok(ch_device_step_norm(NULL) == 0 && ch_device_step_updates(NULL) == 0 && ch_device_step_rate(NULL) == 0,
       "no step");
    ch_step_destroy(step);
    ch_model_destroy(m);
    ch_session_close(s);
}

// ---------------------------------------------------------------- parameters in another order than the captured ones
static ch_tensor *line_forward(void *user, ch_tensor *const *p, ch_tensor *x) {
    (void)user;
    return ch_add(ch_mul(x, p[0]), p[1]);
}

static ch_tensor *line_loss(void *user, const ch_model *m, ch_tensor *const *p, int n_in, ch_tensor *const *in) {
    (void)user, (void)m, (void)n_in;
    return ch_sum_all(ch_mul(ch_add(ch_mul(in[0], p[0]), p[1]), in[1]));
}

static ch_model *line(bool turned) {
    static const char *const names[] = {"slope", "shift"};
    const float values[2][2] = {{1, 2}, {10, 20}};
    ch_model *m = NULL;
    if (ch_model_create(line_forward, NULL, NULL, &m) != CH_OK) abort();
    for (int i = 0; i < 2; i++) {
        int k = turned ? 1 - i : i;
        if (ch_model_add(m, names[k], ch_keep(ch_from_f32(values[k], 1, (int64_t[]){2}))) != CH_OK) abort();
    }
    return m;
}

static void another_order(void) {
    ch_session *s = open_session();
    ch_model *captured = line(false), *turned = line(true);
    ch_step *step = NULL;
    ch_device_step *d = NULL;
    const ch_optimizer o = ch_sgd(0.5);
    ch_tensor *in[2] = {ch_from_f32((float[]){3, 4}, 1, (int64_t[]){2}),
                        ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2})};
    double l = 0;
    ok(ch_step_capture(captured, "x: f32[2], y: f32[2]", NULL, line_loss, NULL, &step) == CH_OK &&
           ch_step_on_device(step, turned, &o, NULL, s, &d) == CH_OK && ch_device_step_run(d, in, &l) == CH_OK &&
           l == 3 * 1 + 10 + 2 * (4 * 2 + 20),
       "a model whose parameters stand in another order: the loss");
    ok(ch_device_step_read(d, turned) == CH_OK, "and read");
    const float *slope = ch_data(ch_model_param(turned, 1)), *shift = ch_data(ch_model_param(turned, 0));
    ok(slope[0] == -0.5F && slope[1] == -2 && shift[0] == 9.5F && shift[1] == 19, "and the update of each");
    ch_device_step_destroy(d);
    ch_step_destroy(step);
    ch_model_destroy(captured);
    ch_model_destroy(turned);
    ch_session_close(s);
}

// ---------------------------------------------------------------- batches wherever they lie
static ch_tensor *product_loss(void *user, const ch_model *m, ch_tensor *const *p, int n_in, ch_tensor *const *in) {
    (void)user, (void)m, (void)n_in;
    return ch_mul(ch_mul(ch_sum_all(p[0]), ch_sum_all(p[1])), ch_add(ch_sum_all(in[0]), ch_sum_all(in[1])));
}

// Aligned or not, small or not, and others after each run.
static void batches_anywhere(void) {
    static const int64_t sizes[] = {0, 1, 3, 16, 1023, 1024, 1025, 3000};
    static _Alignas(64) float x[3016], y[3016];
    ch_session *s = open_session();
    ch_model *m = line(false);
    ch_step *step = NULL;
    ch_device_step *d = NULL;
    const ch_optimizer o = ch_sgd(0);
    bool good = ch_step_capture(m, "x: f32[n], y: f32[k]", NULL, product_loss, NULL, &step) == CH_OK &&
                ch_step_on_device(step, m, &o, NULL, s, &d) == CH_OK;
    for (int i = 0; i < 8 * 8 * 3 && good; i++) {
        int64_t n = sizes[i % 8], k = sizes[i / 8 % 8];
        float *from[] = {x + (i / 64 > 0), y + (i / 64 > 1)};
        double l = 0;
        for (int64_t e = 0; e < n; e++) from[0][e] = (float)(i % 5 + 1);
        for (int64_t e = 0; e < k; e++) from[1][e] = (float)-(i % 3);
        ch_scope scope = ch_scope_begin();
        ch_tensor *in[2] = {ch_borrow(CH_F32, from[0], 1, &n, NULL, NULL),
                            ch_borrow(CH_F32, from[1], 1, &k, NULL, NULL)};
        const double want = 3.0 * 30.0 * ((double)n * (i % 5 + 1) - (double)k * (i % 3));
        good = ch_device_step_run(d, in, &l) == CH_OK && l == want;
        if (!good) printf("# %lld and %lld numbers, run %d: %g, not %g\n", (long long)n, (long long)k, i, l, want);
        good = ch_scope_end(scope) == CH_OK && good;
    }
    ok(good, "batches of any size, aligned or not");
    ch_device_step_destroy(d);
    ch_step_destroy(step);
    ch_model_destroy(m);
    ch_session_close(s);
}

static bool run_batch(ch_device_step *d, int64_t rows, double *out_loss) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *in[2];
    batch(0, rows, &in[0], &in[1]);
    ch_status s = ch_device_step_run(d, in, out_loss);
    return ch_scope_end(scope) == CH_OK && s == CH_OK;
}

static ch_tensor *nothing_forward(void *user, ch_tensor *const *params, ch_tensor *x) {
    (void)user, (void)params;
    return x;
}

static ch_tensor *loss_in_bf16(void *user, const ch_model *m, ch_tensor *const *params, int n_in,
                               ch_tensor *const *in) {
    return ch_convert(loss(user, m, params, n_in, in), CH_BF16);
}

// A step of a model other than it was captured from, read into one, and a loss that no double is made of.
static void other_models(ch_session *s, const ch_step *step, ch_device_step *d) {
    const int64_t sizes[] = {IN, HIDDEN, HIDDEN, CLASSES};
    ch_model *deeper = ch_mlp(sizes, 4, CH_TANH, ch_key_make(1)), *unnamed = NULL, *m = network();
    const ch_optimizer o = ch_adam(0.01);
    ch_device_step *none = NULL;
    ch_step *low = NULL;
    double l = 0;
    ok(refused(ch_step_on_device(step, deeper, &o, NULL, s, &none), CH_INVALID_ARGUMENT,
               "step_on_device: parameter \"dense1.weight\" is f32[8,8] — it was captured as f32[8,3]"),
       "a model of other parameters");
    ok(ch_model_create(nothing_forward, NULL, NULL, &unnamed) == CH_OK &&
           refused(ch_device_step_read(d, unnamed), CH_NOT_FOUND,
                   "device_step_read: the model has no parameter \"dense1"),
       "a model without the parameters");
    ok(refused(ch_device_step_read(NULL, m), CH_INVALID_ARGUMENT,
               "device_step_read: step and model are needed — one is NULL") &&
           refused(ch_device_step_read(d, NULL), CH_INVALID_ARGUMENT,
                   "device_step_read: step and model are needed — one is NULL"),
       "no model");
    ok(ch_step_capture(m, "x: f32[n,5], y: i32[n]", NULL, loss_in_bf16, NULL, &low) == CH_OK &&
           ch_step_on_device(low, m, &o, NULL, s, &none) == CH_OK && !run_batch(none, 16, &l) &&
           strcmp(ch_error_message(), "device step: a loss of bf16 is not read — f32 and f64 are") == 0,
       "a loss of bf16");
    ch_device_step_destroy(none);
    ch_step_destroy(low);
    ch_model_destroy(deeper);
    ch_model_destroy(unnamed);
    ch_model_destroy(m);
}

static void sizes_and_frozen(void) {
    ch_session *s = open_session();
    ch_model *m = network(), *first = network();
    ch_step *step = capture(m, "dense0");
    ch_device_step *d = NULL;
    ch_session_counters a, b;
    const ch_optimizer o = ch_adam(0.01);
    double l = 0;
    ok(ch_step_num_grads(step) == 2 && ch_step_on_device(step, m, &o, NULL, s, &d) == CH_OK, "frozen parameters");
    ch_session_count(s, &a);
    ok(run_batch(d, 16, &l) && run_batch(d, 8, &l) && run_batch(d, 16, &l) && run_batch(d, 8, NULL), "two batch sizes");
    ch_session_count(s, &b);
    ok(b.compiles - a.compiles == 2 && b.bytes_down - a.bytes_down == 12, "a compile each; a loss nobody wants stays");
    ok(ch_device_step_read(d, m) == CH_OK, "parameters come back");
    const float *x = ch_data(ch_model_param(m, 0)), *y = ch_data(ch_model_param(first, 0));
    ok(memcmp(x, y, IN * HIDDEN * sizeof *x) == 0 && furthest(m, first) > 1e-3, "frozen ones as they were, others not");
    ch_tensor *in[2], *wrong = ch_from_f32((float[]){1, 2, 3}, 1, (int64_t[]){3});
    batch(0, 16, &in[0], &in[1]);
    in[1] = wrong;
    ok(ch_device_step_run(d, in, &l) == CH_INVALID_ARGUMENT && run_batch(d, 16, &l), "a wrong batch changes nothing");
    ok(refused(ch_device_step_run(NULL, in, &l), CH_INVALID_ARGUMENT,
               "device step: the step or its inputs are NULL — give both"),
       "NULL");
    ok(refused(ch_step_on_device(step, m, &o, NULL, NULL, &d), CH_INVALID_ARGUMENT, "one is NULL"), "no session");
    const ch_optimizer none = {.kind = (ch_optimizer_kind)77};
    ch_device_step *other = NULL;
    ok(refused(ch_step_on_device(step, m, &none, NULL, s, &other), CH_INVALID_ARGUMENT, "optimizer kind 77"),
       "no optimizer");
    other_models(s, step, d);
    ch_session_close(s);
    ok(!run_batch(d, 16, &l), "after the session was closed");
    ch_device_step_destroy(d);
    ch_step_destroy(step);
    ch_model_destroy(m);
    ch_model_destroy(first);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        plugin = argv[i];
        printf("# %s\n", strrchr(plugin, '/') + 1);
        ch_scope scope = ch_scope_begin();
        under_a_schedule();
        every_optimizer();
        numbers_that_stay();
        clipped_and_gathered();
        not_finite();
        options_refused();
        another_order();
        batches_anywhere();
        sizes_and_frozen();
        if (ch_scope_end(scope) != CH_OK) abort();
    }
    printf("1..%d\n", case_number);
    ch_thread_end();
    return failures != 0;
}
