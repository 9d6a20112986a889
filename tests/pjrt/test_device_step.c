// SPDX-License-Identifier: Apache-2.0
// test_device_step.c - training steps whose state stays on a device: PLUGIN... TAP.
//
// The same network is trained by a trainer on the interpreter and by a step on the device, on the same batches under
// the same schedule: losses and parameters agree. What crossed is counted to the byte, and so are compiles.
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

// steps of both; true when every loss agrees and the parameters do at the end.
static bool same_training(ch_session *s, const ch_optimizer *o, const ch_schedule *schedule, int steps,
                          ch_session_counters *before, ch_session_counters *after) {
    ch_model *host = network(), *device = network();
    ch_step *step = capture(device, NULL);
    ch_trainer *t = NULL;
    ch_device_step *d = NULL;
    const ch_trainer_options options = {.struct_size = sizeof options, .engine = "interp", .schedule = schedule};
    bool good = ch_trainer_create_with(host, ch_softmax_cross_entropy, *o, &options, &t) == CH_OK &&
                ch_step_on_device(step, device, o, schedule, s, &d) == CH_OK;
    ch_session_count(s, before);
    for (int i = 0; good && i < steps; i++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *in[2];
        double a = 0, b = 0;
        batch(i, BATCH, &in[0], &in[1]);
        good = ch_trainer_rate(t) == ch_device_step_rate(d) && ch_trainer_step(t, in[0], in[1], &a) == CH_OK &&
               ch_device_step_run(d, in, &b) == CH_OK && fabs(a - b) <= 2e-5 * fmax(1, fabs(a));
        if (!good) printf("# step %d: %.9g on the host, %.9g on the device\n", i, a, b);
        good = ch_scope_end(scope) == CH_OK && good;
    }
    ch_session_count(s, after);
    good = good && ch_device_step_updates(d) == steps && ch_device_step_read(d, device) == CH_OK;
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
    ok(same_training(s, &o, &cosine, STEPS, &a, &b), "100 steps of adamw under a schedule: the trainer's losses");
    ok(b.compiles - a.compiles == 1 && b.runs - a.runs == STEPS, "one compile, 100 runs");
    int64_t up = BATCH * IN * 4 + BATCH * 4 + 16;
    if (b.bytes_up - a.bytes_up != STEPS * up || b.bytes_down - a.bytes_down != STEPS * 4)
        printf("# up %lld, down %lld\n", (long long)(b.bytes_up - a.bytes_up),
               (long long)(b.bytes_down - a.bytes_down));
    ok(b.bytes_up - a.bytes_up == STEPS * up, "up: batch, number and rate, to the byte");
    ok(b.bytes_down - a.bytes_down == STEPS * 4, "down: the loss, to the byte");
    ok(a.buffers == b.buffers, "no buffer more than before");
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
        ok(same_training(s, &all[i], NULL, 4, &a, &b) && b.compiles - a.compiles == 1, what);
    }
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
        sizes_and_frozen();
        if (ch_scope_end(scope) != CH_OK) abort();
    }
    printf("1..%d\n", case_number);
    ch_thread_end();
    return failures != 0;
}
