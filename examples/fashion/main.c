// SPDX-License-Identifier: Apache-2.0
// main.c - the demo: a 784-128-10 network learns Fashion-MNIST through capture, gradient and engine.
//
//     fashion-demo [FOLDER [DATASET]]     `./run demo` builds and runs it
//
// Everything is written against the public headers: load the data, make a model and a trainer, step through shuffled
// batches, measure, and leave curves, pictures, weights and the gradient's text in FOLDER.
#include <chaac/chaac.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pictures.h"

enum { EPOCHS = 5, BATCH = 128, SHOWN = 40, COLUMNS = 8 };

typedef struct {
    ch_tensor *images, *labels, *x;
} split; // u8[n,28,28], u8[n]; f32[n,784] in [0, 1]

typedef struct {
    const char *folder, *dataset, *engine;
    split train, test;
    ch_model *model;
    ch_trainer *trainer;
    ch_batches *batches;
    double *loss;
    int n_loss;
    double accuracy[EPOCHS];
    int64_t *predicted;
    double seconds;
} demo;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *path_in(const demo *d, const char *name, char buf[1024]) {
    snprintf(buf, 1024, "%s/%s", d->folder, name);
    return buf;
}

// ---- data
static ch_status load_split(const demo *d, const char *prefix, split *s) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s-images-idx3-ubyte.gz", d->dataset, prefix);
    CH_TRY(ch_idx_load(path, &s->images));
    snprintf(path, sizeof path, "%s/%s-labels-idx1-ubyte.gz", d->dataset, prefix);
    CH_TRY(ch_idx_load(path, &s->labels));
    ch_scope scope = ch_scope_begin();
    ch_tensor *flat = ch_convert(ch_flatten(s->images, 1), CH_F32);
    ch_tensor *x = ch_div(flat, ch_scalar(CH_F32, 255));
    ch_status status = ch_realize(x);
    if (status == CH_OK) s->x = ch_keep(x);
    (void)ch_scope_end(scope);
    return status;
}

// ---- progress: one line that is redrawn on a terminal, a line an epoch elsewhere
static void progress(const demo *d, int epoch, int64_t step, int64_t steps, double began) {
    static double drawn;
    if (!isatty(STDERR_FILENO)) return;
    double t = now();
    int64_t done = (int64_t)epoch * steps + step, all = (int64_t)EPOCHS * steps;
    if (t - drawn < 0.1 && step != steps) return;
    drawn = t;
    double rate = (double)done / (t - began + 1e-9);
    fprintf(stderr, "\r\033[Kepoch %d/%d  step %lld/%lld  loss %.4f  %.0f images/s  ETA %.0f s", epoch + 1, EPOCHS,
            (long long)step, (long long)steps, d->loss[d->n_loss - 1], rate * BATCH, (double)(all - done) / rate);
}

static void epoch_line(const demo *d, int epoch, int64_t steps, double began) {
    double mean = 0;
    for (int64_t i = 0; i < steps; i++) mean += d->loss[d->n_loss - 1 - i];
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    fprintf(stderr, "epoch %d/%d  loss %.4f  test %.2f %%  %.0f images/s\n", epoch + 1, EPOCHS, mean / (double)steps,
            100 * d->accuracy[epoch], (double)(epoch + 1) * (double)steps * BATCH / (now() - began));
}

// ---- training and measuring
static ch_status train_epoch(demo *d, int epoch, double began) {
    int64_t steps = ch_batches_per_epoch(d->batches);
    ch_tensor *x, *y;
    ch_scope scope = ch_scope_begin();
    for (int64_t step = 1; ch_batch_next(d->batches, &x, &y); step++) {
        ch_status s = ch_trainer_step(d->trainer, x, y, &d->loss[d->n_loss]);
        CH_TRY(ch_scope_end(scope));
        CH_TRY(s);
        scope = ch_scope_begin();
        d->n_loss++;
        progress(d, epoch, step, steps, began);
    }
    return ch_scope_end(scope);
}

static ch_status measure(demo *d, double *accuracy) {
    int64_t n = ch_tensor_dim(d->test.x, 0);
    ch_tensor *logits = NULL;
    CH_TRY(ch_trainer_predict(d->trainer, d->test.x, &logits));
    ch_scope scope = ch_scope_begin();
    ch_status s = ch_read_i64(ch_argmax(logits, -1), d->predicted, n);
    (void)ch_scope_end(scope);
    ch_release(logits);
    CH_TRY(s);
    const uint8_t *labels = ch_data(d->test.labels);
    int64_t right = 0;
    for (int64_t i = 0; i < n; i++) right += d->predicted[i] == labels[i];
    *accuracy = (double)right / (double)n;
    return CH_OK;
}

static ch_status train(demo *d) {
    d->model = ch_mlp((int64_t[]){784, 128, 10}, 3, CH_RELU, ch_key_make(7));
    if (d->model == NULL) return CH_INTERNAL;
    CH_TRY(ch_batches_create(d->train.x, d->train.labels, BATCH, ch_key_make(1), &d->batches));
    ch_schedule falling = ch_schedule_cosine(EPOCHS * ch_batches_per_epoch(d->batches), 1e-5);
    const ch_trainer_options o = {.struct_size = sizeof o, .engine = d->engine, .schedule = &falling};
    CH_TRY(ch_trainer_create_with(d->model, ch_softmax_cross_entropy, ch_adam(2e-3), &o, &d->trainer));
    d->loss = calloc((size_t)(EPOCHS * ch_batches_per_epoch(d->batches)), sizeof *d->loss);
    d->predicted = calloc((size_t)ch_tensor_dim(d->test.x, 0), sizeof *d->predicted);
    if (d->loss == NULL || d->predicted == NULL) return ch_error_set("out_of_memory", "demo: no memory");
    double began = now();
    for (int e = 0; e < EPOCHS; e++) {
        CH_TRY(train_epoch(d, e, began));
        CH_TRY(measure(d, &d->accuracy[e]));
        epoch_line(d, e, ch_batches_per_epoch(d->batches), began);
    }
    d->seconds = now() - began;
    return CH_OK;
}

// ---- what is left behind
static ch_status not_written(const char *path) { return ch_error_set("file", "%s: %s", path, strerror(errno)); }

// The gradient of the loss, by one of the library's printers.
static ch_status write_gradient(const demo *d, const char *name, ch_status (*print)(const ch_func *f, FILE *file)) {
    char path[1024];
    FILE *f = fopen(path_in(d, name, path), "w");
    if (f == NULL) return not_written(path);
    ch_status s = print(ch_trainer_gradient(d->trainer), f);
    return fclose(f) == 0 ? s : not_written(path);
}

static ch_status write_result(const demo *d) {
    char path[1024];
    FILE *f = fopen(path_in(d, "result.json", path), "w");
    if (f == NULL) return not_written(path);
    fprintf(f,
            "{\"test_accuracy\": %.4f, \"train_seconds\": %.2f, \"epochs\": %d, \"batch\": %d, \"steps\": %d, "
            "\"engine\": \"%s\",\n",
            d->accuracy[EPOCHS - 1], d->seconds, EPOCHS, BATCH, d->n_loss, d->engine);
    fprintf(f, " \"accuracy_by_epoch\": [");
    for (int e = 0; e < EPOCHS; e++) fprintf(f, "%s%.4f", e > 0 ? ", " : "", d->accuracy[e]);
    fprintf(f, "]}\n");
    return fclose(f) == 0 ? CH_OK : not_written(path);
}

static ch_status leave_behind(const demo *d) {
    char path[1024];
    CH_TRY(ch_save_safetensors(d->model, path_in(d, "weights.safetensors", path)));
    CH_TRY(write_gradient(d, "gradient.ir", ch_func_print));
    CH_TRY(write_gradient(d, "gradient.c", ch_func_print_c));
    CH_TRY(write_result(d));
    if (draw_loss(path_in(d, "loss.svg", path), d->loss, d->n_loss, d->accuracy, EPOCHS) != 0) return not_written(path);
    if (draw_images(path_in(d, "predictions.svg", path), ch_data(d->test.images), ch_data(d->test.labels), d->predicted,
                    SHOWN, COLUMNS) != 0)
        return not_written(path);
    static const char *const left[] = {"loss.svg",    "predictions.svg", "weights.safetensors",
                                       "gradient.ir", "gradient.c",      "result.json"};
    printf("test accuracy %.2f %% after %d epochs in %.1f s —", 100 * d->accuracy[EPOCHS - 1], EPOCHS, d->seconds);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) printf(" %s/%s", d->folder, left[i]);
    printf("\n");
    return CH_OK;
}

static ch_status run(demo *d) {
    if (mkdir(d->folder, 0777) != 0 && errno != EEXIST) return not_written(d->folder);
    fprintf(stderr, "reading %s\n", d->dataset);
    CH_TRY(load_split(d, "train", &d->train));
    CH_TRY(load_split(d, "t10k", &d->test));
    fprintf(stderr, "training on %lld images, testing on %lld, engine %s\n", (long long)ch_tensor_dim(d->train.x, 0),
            (long long)ch_tensor_dim(d->test.x, 0), d->engine);
    CH_TRY(train(d));
    return leave_behind(d);
}

static void finish(demo *d) {
    ch_batches_destroy(d->batches);
    ch_trainer_destroy(d->trainer);
    ch_model_destroy(d->model);
    split *splits[] = {&d->train, &d->test};
    for (int i = 0; i < 2; i++) {
        ch_release(splits[i]->images);
        ch_release(splits[i]->labels);
        ch_release(splits[i]->x);
    }
    free(d->loss);
    free(d->predicted);
    ch_thread_end();
}

int main(int argc, char **argv) {
    demo d = {.folder = argc > 1 ? argv[1] : "demo",
              .dataset = argc > 2 ? argv[2] : "/usr/share/datasets/fashion-mnist",
              .engine = ch_engine_default()};
    ch_status s = run(&d);
    if (s != CH_OK) fprintf(stderr, "fashion-demo: %s\n", ch_error_message());
    finish(&d);
    return s == CH_OK ? 0 : 1;
}
