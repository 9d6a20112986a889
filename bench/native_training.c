// SPDX-License-Identifier: Apache-2.0
// native_training.c - whole training steps through ch_trainer: dense layers, a small convolutional network, a
// small GPT. The checksum is the loss of the fifth step.
#include <math.h>

#include "native_gpt.h"

typedef struct {
    const char *name;
    ch_model *(*model)(const void *spec);
    const void *spec;
    ch_loss_fn loss;
    ch_optimizer (*optimizer)(void);
    ch_tensor *(*x)(void), *(*y)(void);
    double flops, check;
} workload;

// ---------------------------------------------------------------- dense layers
typedef struct {
    int layers; // of weights
    int64_t sizes[5];
    ch_activation between;
} mlp;

static const mlp digits = {2, {784, 128, 10}, CH_RELU}, tiny = {2, {16, 32, 4}, CH_RELU},
                 big = {3, {1024, 1024, 1024, 1024}, CH_GELU_TANH};

static ch_tensor *mlp_forward(void *user, ch_tensor *const *p, ch_tensor *x) {
    const mlp *s = user;
    for (int k = 0; k < s->layers; k++) {
        x = ch_dense(x, p[2 * k], p[2 * k + 1]);
        if (k < s->layers - 1) x = ch_activate(x, s->between);
    }
    return x;
}

static ch_status add(ch_model *m, const char *name, int k, ch_tensor *t) {
    char text[32];
    snprintf(text, sizeof text, "%s%d", name, k);
    return ch_model_add(m, text, t);
}

// n elements of one value.
static ch_tensor *constant(double v, int64_t n) {
    ch_tensor *t = ch_full(CH_F32, v, 1, &n);
    return ch_realize(t) == CH_OK ? ch_keep(t) : NULL;
}

static ch_model *mlp_model(const void *spec) {
    static mlp given;
    given = *(const mlp *)spec;
    ch_model *m = NULL;
    ch_status s = ch_model_create(mlp_forward, &given, NULL, &m);
    for (int k = 0; s == CH_OK && k < given.layers; k++) {
        const int64_t *d = &given.sizes[k];
        s = add(m, "w", k, bench_uniform((uint32_t)(100 + k), CH_F32, 2, d, 1 / sqrt((double)d[0]), 0));
        if (s == CH_OK) s = add(m, "b", k, constant(0, d[1]));
    }
    return m;
}

static ch_tensor *data(int64_t rows, int64_t columns) {
    return bench_uniform(1, CH_F32, 2, (int64_t[]){rows, columns}, 1, 0);
}
static ch_tensor *labels(int64_t rows, uint32_t classes) { return bench_integers(2, 1, &rows, classes); }
static ch_tensor *digits_x(void) { return data(128, 784); }
static ch_tensor *digits_y(void) { return labels(128, 10); }
static ch_tensor *tiny_x(void) { return data(8, 16); }
static ch_tensor *tiny_y(void) { return labels(8, 4); }
static ch_tensor *big_x(void) { return data(256, 1024); }
static ch_tensor *big_y(void) { return bench_uniform(3, CH_F32, 2, (int64_t[]){256, 1024}, 1, 0); }
static ch_optimizer adam(void) { return ch_adam(1e-3); }
static ch_optimizer sgd(void) { return ch_sgd(0.1); }

// ---------------------------------------------------------------- convolutions
static ch_tensor *cnn_forward(void *user, ch_tensor *const *p, ch_tensor *x) {
    const ch_conv_layer same = {.struct_size = sizeof same, .pad = {{1, 1}, {1, 1}}};
    (void)user;
    for (int k = 0; k < 2; k++)
        x = ch_max_pool(ch_relu(ch_conv2d(x, p[2 * k], p[2 * k + 1], &same)), 2, (int64_t[]){2, 2}, NULL);
    return ch_dense(ch_flatten(x, 1), p[4], p[5]);
}

static ch_model *cnn_model(const void *spec) {
    static const int64_t first[] = {16, 1, 3, 3}, second[] = {32, 16, 3, 3}, last[] = {1568, 10};
    ch_model *m = NULL;
    (void)spec;
    ch_status s = ch_model_create(cnn_forward, NULL, NULL, &m);
    if (s == CH_OK) s = ch_model_add(m, "w0", bench_uniform(100, CH_F32, 4, first, 1 / sqrt(9), 0));
    if (s == CH_OK) s = ch_model_add(m, "b0", constant(0, 16));
    if (s == CH_OK) s = ch_model_add(m, "w1", bench_uniform(101, CH_F32, 4, second, 1 / sqrt(144), 0));
    if (s == CH_OK) s = ch_model_add(m, "b1", constant(0, 32));
    if (s == CH_OK) s = ch_model_add(m, "w2", bench_uniform(102, CH_F32, 2, last, 1 / sqrt(1568), 0));
    if (s == CH_OK) s = ch_model_add(m, "b2", constant(0, 10));
    return m;
}

static ch_tensor *images(void) { return bench_uniform(1, CH_F32, 4, (int64_t[]){64, 1, 28, 28}, 1, 0); }
static ch_tensor *image_labels(void) { return labels(64, 10); }
static ch_optimizer sgd_slow(void) { return ch_sgd(0.05); }

// ---------------------------------------------------------------- the GPT
static ch_model *gpt_model(const void *spec) {
    static gpt_spec given;
    given = *(const gpt_spec *)spec;
    return gpt_create(&given);
}
static ch_tensor *tokens(void) { return gpt_tokens(0); }
static ch_tensor *next_tokens(void) { return gpt_tokens(1); }
static ch_optimizer adamw(void) { return ch_adamw(1e-3, 0.01); }
static const gpt_spec four_layers = {4}, one_layer = {1};

static const workload workloads[] = {
    {"mlp_train", mlp_model, &digits, ch_softmax_cross_entropy, adam, digits_x, digits_y, 51.7e6, 1.81207},
    {"tiny_train", mlp_model, &tiny, ch_softmax_cross_entropy, sgd, tiny_x, tiny_y, 0, 1.25338},
    {"mlp_big", mlp_model, &big, ch_mean_squared_error, sgd, big_x, big_y, 4.295e9, 0.334006},
    {"conv_train", cnn_model, NULL, ch_softmax_cross_entropy, sgd_slow, images, image_labels, 374.2e6, 2.15587},
    {"gpt_step", gpt_model, &four_layers, ch_softmax_cross_entropy, adamw, tokens, next_tokens, 5.838e9, 5.06053},
    {"gpt_step_1", gpt_model, &one_layer, ch_softmax_cross_entropy, adamw, tokens, next_tokens, 0, 0},
};
enum { N_WORKLOADS = sizeof workloads / sizeof workloads[0] };

typedef struct {
    ch_trainer *t;
    ch_tensor *x, *y;
} step;

static bool run_step(void *arg) {
    const step *s = arg;
    double loss;
    return ch_trainer_step(s->t, s->x, s->y, &loss) == CH_OK;
}

static int measure(const workload *w) {
    ch_scope scope = ch_scope_begin();
    bench_result r = {.flops = w->flops};
    ch_model *m = w->model(w->spec);
    ch_trainer *t = NULL;
    ch_tensor *x = w->x(), *y = w->y();
    bool good = m != NULL && x != NULL && y != NULL;
    good = good && ch_trainer_create(m, w->loss, w->optimizer(), "native", &t) == CH_OK;
    double began = bench_now(); // the optimizer's state is there, as the others' is; nothing was captured
    for (int i = 0; good && i < BENCH_STEPS; i++) {
        good = ch_trainer_step(t, x, y, &r.check) == CH_OK;
        if (i == 0) r.first = bench_now() - began;
    }
    good = good && bench_repeat(&r, run_step, &(step){t, x, y});
    if (good) r.kernels = bench_kernels(ch_trainer_func(t));
    int failed = bench_line(w->name, good, &r, w->check);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
    ch_release(x);
    ch_release(y);
    (void)ch_scope_end(scope);
    return failed;
}

int bench_training(const char *name) {
    int i = bench_find(name, workloads, N_WORKLOADS, sizeof workloads[0]);
    return i < 0 ? -1 : measure(&workloads[i]);
}

void bench_names_training(void) { bench_put_names(workloads, N_WORKLOADS, sizeof workloads[0]); }
