// SPDX-License-Identifier: Apache-2.0
// test_nn.c - models, optimizers, batches, steps and trainers; the reference curve of a real network on real data.
//
// tests/data/fashion_mlp.txt holds the first 20 losses and the accuracy after each epoch that PyTorch 2.15 gives for
// the same network, data and order (origin: tests/data/README.md).
#include "base/base.h"
#include "chaac/chaac.h"

#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static void xor_is_learnt(void **state) {
    (void)state;
    float data[8] = {0, 0, 0, 1, 1, 0, 1, 1};
    ch_tensor *x = ch_from_f32(data, 2, (int64_t[]){4, 2}),
              *y = ch_from_i32((int32_t[]){0, 1, 1, 0}, 1, (int64_t[]){4});
    static const struct {
        ch_optimizer_kind kind;
        double rate, momentum;
    } rows[] = {{CH_ADAM, 1e-2, 0}, {CH_SGD, 0.5, 0}, {CH_SGD, 0.1, 0.9}};
    for (int r = 0; r < 3; r++) {
        ch_model *m = ch_mlp((int64_t[]){2, 16, 2}, 3, CH_TANH, ch_key_make(7));
        ch_optimizer o = rows[r].kind == CH_ADAM ? ch_adam(rows[r].rate)
                         : rows[r].momentum != 0 ? ch_sgd_momentum(rows[r].rate, rows[r].momentum)
                                                 : ch_sgd(rows[r].rate);
        ch_trainer *t = NULL;
        double loss = 0;
        assert_non_null(m);
        assert_int_equal(ch_model_num_params(m), 4);
        assert_int_equal(ch_model_num_elements(m), 2 * 16 + 16 + 16 * 2 + 2);
        assert_string_equal(ch_model_param_name(m, 2), "dense1.weight");
        assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, o, "interp", &t), CH_OK);
        for (int i = 0; i < 600; i++)
            if (ch_trainer_step(t, x, y, &loss) != CH_OK) fail_msg("%s", ch_error_message());
        assert_true(loss < 0.05);
        assert_int_equal(ch_trainer_steps(t), 600);
        assert_int_equal(ch_trainer_compiles(t), 1);
        ch_tensor *logits = NULL;
        int64_t predicted[4];
        assert_int_equal(ch_trainer_predict(t, x, &logits), CH_OK);
        assert_int_equal(ch_read_i64(ch_argmax(logits, 1), predicted, 4), CH_OK);
        assert_true(predicted[0] == 0 && predicted[1] == 1 && predicted[2] == 1 && predicted[3] == 0);
        ch_release(logits);
        // other batch sizes need no other program
        assert_int_equal(ch_trainer_step(t, ch_slice_axis(x, 0, 0, 2), ch_slice_axis(y, 0, 0, 2), &loss), CH_OK);
        assert_int_equal(ch_trainer_compiles(t), 1);
        ch_trainer_destroy(t);
        ch_model_destroy(m);
    }
}

static void inputs_that_do_not_fit(void **state) {
    (void)state;
    ch_model *m = ch_mlp((int64_t[]){3, 4, 2}, 3, CH_RELU, ch_key_make(1));
    ch_trainer *t = NULL;
    assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(1e-3), "interp", &t), CH_OK);
    ch_tensor *x = ch_ones(CH_F32, 2, (int64_t[]){4, 5}), *y = ch_zeros(CH_I32, 1, (int64_t[]){4});
    assert_int_equal(ch_trainer_step(t, x, y, NULL), CH_INVALID_ARGUMENT);
    assert_non_null(strstr(ch_error_message(), "trainer: x: f32[n,5], y: i32[n] does not go through the model — "));
    assert_non_null(strstr(ch_error_message(), "dot: f32[n,5] and f32[3,4] — contracted dims differ"));
    assert_string_equal(ch_error_id(), "shape_mismatch");
    ch_trainer_destroy(t);
    ch_model_destroy(m);
}

static void steps_allocate_nothing_that_stays(void **state) {
    (void)state;
    ch_model *m = ch_mlp((int64_t[]){4, 8, 3}, 3, CH_RELU, ch_key_make(1));
    ch_trainer *t = NULL;
    assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(1e-3), "interp", &t), CH_OK);
    ch_tensor *x = ch_ones(CH_F32, 2, (int64_t[]){5, 4}), *y = ch_zeros(CH_I32, 1, (int64_t[]){5});
    for (int i = 0; i < 3; i++) assert_int_equal(ch_trainer_step(t, x, y, NULL), CH_OK);
    int64_t alive = ch_tensors_alive(), live = ch__alloc_live();
    for (int i = 0; i < 50; i++) assert_int_equal(ch_trainer_step(t, x, y, NULL), CH_OK);
    assert_int_equal(ch_tensors_alive(), alive);
    assert_int_equal(ch__alloc_live(), live);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
}

static void models_keep_their_files(void **state) {
    (void)state;
    char path[] = "/tmp/chaac-nn-XXXXXX";
    assert_true(close(mkstemp(path)) == 0);
    ch_model *a = ch_mlp((int64_t[]){3, 4, 2}, 3, CH_RELU, ch_key_make(1)),
             *b = ch_mlp((int64_t[]){3, 4, 2}, 3, CH_RELU, ch_key_make(2));
    ch_model *c = ch_mlp((int64_t[]){3, 5, 2}, 3, CH_RELU, ch_key_make(2)),
             *d = ch_mlp((int64_t[]){3, 2}, 2, CH_RELU, ch_key_make(2));
    assert_int_equal(ch_save_safetensors(a, path), CH_OK);
    if (ch_load_safetensors(b, path) != CH_OK) fail_msg("%s", ch_error_message());
    for (int i = 0; i < 4; i++) {
        size_t n = (size_t)ch_tensor_numel(ch_model_param(a, i)) * 4;
        assert_memory_equal(ch_data(ch_model_param(a, i)), ch_data(ch_model_param(b, i)), n);
    }
    assert_int_not_equal(ch_load_safetensors(c, path), CH_OK);
    assert_string_equal(ch_error_message(), "load: parameter \"dense0.weight\" is f32[3,5] — f32[3,4] was given");
    assert_int_not_equal(ch_load_safetensors(d, path), CH_OK);
    assert_non_null(strstr(ch_error_message(), "extra dense1"));
    ch_model_destroy(a);
    ch_model_destroy(b);
    ch_model_destroy(c);
    ch_model_destroy(d);
    unlink(path);
}

// ---- batches
static void mistakes(void **state) {
    (void)state;
    ch_model *m = ch_mlp((int64_t[]){2, 3}, 2, CH_RELU, ch_key_make(1));
    ch_trainer *t = NULL;
    ch_tensor *x = ch_ones(CH_F32, 2, (int64_t[]){2, 2});
    assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, ch_sgd(1), "fpga", &t), CH_NOT_FOUND);
    assert_string_equal(ch_error_message(),
                        "trainer_create: there is no engine \"fpga\" in this library — ch_engine_name lists them");
    ch_optimizer odd = {.kind = (ch_optimizer_kind)55};
    assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, odd, "interp", &t), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "trainer_create: optimizer kind 55 — give one of ch_optimizer_kind");
    assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, ch_sgd(1), "interp", NULL), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_trainer_step(NULL, x, x, NULL), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_trainer_predict(NULL, x, NULL), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_save_safetensors(NULL, "x"), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_load_safetensors(NULL, "x"), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_batches_create(x, x, 1, ch_key_make(1), NULL), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_batches_set_order(NULL, NULL, 1), CH_INVALID_ARGUMENT);
    assert_null(ch_mlp(NULL, 2, CH_RELU, ch_key_make(1)));
    assert_string_equal(ch_error_message(), "mlp: 2 sizes, NULL — give at least 2, the input's and the output's");
    assert_null(ch_mlp((int64_t[]){2, -3}, 2, CH_RELU, ch_key_make(1)));
    assert_string_equal(ch_error_message(), "mlp: size 1 is -3 — at least 0 is allowed");
    ch_model_destroy(m);
}

static void batches_visit_every_row_once(void **state) {
    (void)state;
    int64_t rows = 10, seen[10] = {0}, first[4], n = 0;
    ch_tensor *x = ch_iota(CH_I64, 1, &rows, 0), *bx, *by;
    ch_batches *b = NULL;
    assert_int_equal(ch_batches_create(x, x, 2, ch_key_make(3), &b), CH_OK);
    assert_int_equal(ch_batches_per_epoch(b), 5);
    while (ch_batch_next(b, &bx, &by)) {
        int64_t v[2];
        assert_int_equal(ch_read_i64(bx, v, 2), CH_OK);
        seen[v[0]]++;
        seen[v[1]]++;
        if (n < 4) first[n] = v[0];
        n++;
    }
    assert_int_equal(n, 5);
    for (int i = 0; i < 10; i++) assert_int_equal(seen[i], 1);
    bool differs = false;
    for (int i = 0; i < 4; i++) { // the next epoch has another order
        int64_t v[2];
        assert_int_equal(ch_batch_next(b, &bx, &by), 1);
        assert_int_equal(ch_read_i64(by, v, 2), CH_OK);
        differs = differs || v[0] != first[i];
    }
    assert_true(differs);
    ch_batches_destroy(b);
    assert_int_equal(ch_batches_create(x, x, 11, ch_key_make(3), &b), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "batches: a batch of 11 of 10 rows — between 1 and the rows is allowed");
}

// ---- initializers: what the numbers have to be, over many of them
static void moments_of(ch_init init, double scale, int rank, const int64_t *dims, bool conv, double bound,
                       double deviation) {
    ch_tensor *t = conv ? ch_init_conv(init, scale, ch_key_make(11), CH_F64, rank, dims)
                        : ch_init_tensor(init, scale, ch_key_make(11), CH_F64, rank, dims);
    if (t == NULL) fail_msg("%s", ch_error_message());
    const double *v = ch_data(t);
    double n = (double)ch_tensor_numel(t), mean = 0, square = 0, most = 0;
    for (int64_t i = 0; i < ch_tensor_numel(t); i++) {
        mean += v[i] / n;
        square += v[i] * v[i] / n;
        most = fmax(most, fabs(v[i]));
    }
    if (fabs(mean) > 5 * deviation / sqrt(n) || fabs(sqrt(square) / deviation - 1) > 0.03 || most > bound ||
        (bound < 1e9 && most < 0.95 * bound))
        fail_msg("initializer %d: mean %g, deviation %g, largest %g", (int)init, mean, sqrt(square), most);
    ch_release(t);
}

static void initializers(void **state) {
    (void)state;
    const int64_t dense[] = {80, 120}, kernel[] = {40, 20, 3, 3};
    const double none = 1e9, third = sqrt(3);
    moments_of(CH_INIT_UNIFORM, 0.5, 2, dense, false, 0.5, 0.5 / third);
    moments_of(CH_INIT_NORMAL, 0.5, 2, dense, false, none, 0.5);
    moments_of(CH_INIT_GLOROT_UNIFORM, 2, 2, dense, false, 2 * sqrt(6 / 200.0), 2 * sqrt(6 / 200.0) / third);
    moments_of(CH_INIT_GLOROT_NORMAL, 1, 2, dense, false, none, sqrt(2 / 200.0));
    moments_of(CH_INIT_HE_UNIFORM, 1, 2, dense, false, sqrt(6 / 80.0), sqrt(6 / 80.0) / third);
    moments_of(CH_INIT_HE_NORMAL, 1, 4, kernel, true, none, sqrt(2 / 180.0));
    moments_of(CH_INIT_GLOROT_NORMAL, 1, 4, kernel, true, none, sqrt(2 / 540.0));
    moments_of(CH_INIT_LECUN_UNIFORM, 1, 2, dense, false, sqrt(1 / 80.0), sqrt(1 / 80.0) / third);
    moments_of(CH_INIT_LECUN_NORMAL, 1, 2, dense, false, none, sqrt(1 / 80.0));
    moments_of(CH_INIT_TRUNC_NORMAL, 0.5, 2, dense, false, 1, 0.5 * 0.8796); // of a normal cut at two deviations
    assert_true(ch_init_gain(CH_TANH) == 5.0 / 3 && ch_init_gain(CH_RELU) == sqrt(2) && ch_init_gain(CH_SIGMOID) == 1);
    assert_null(ch_init_tensor(CH_INIT_ORTHOGONAL, 1, ch_key_make(1), CH_F32, 1, dense));
    assert_string_equal(ch_error_message(), "init: an orthogonal tensor of rank 1 — a matrix is needed");
    assert_null(ch_init_conv(CH_INIT_ZEROS, 1, ch_key_make(1), CH_F32, 1, dense));
    assert_null(ch_init_tensor((ch_init)99, 1, ch_key_make(1), CH_F32, 2, dense));
    for (int k = 0; k < 2; k++) { // orthonormal columns, then rows
        const int64_t dims[2] = {k == 0 ? 9 : 4, k == 0 ? 4 : 9};
        ch_tensor *q = ch_init_tensor(CH_INIT_ORTHOGONAL, 3, ch_key_make(5), CH_F64, 2, dims);
        if (q == NULL) fail_msg("%s", ch_error_message());
        const double *v = ch_data(q);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                double dot = 0;
                for (int r = 0; r < 9; r++) dot += k == 0 ? v[r * 4 + i] * v[r * 4 + j] : v[i * 9 + r] * v[j * 9 + r];
                assert_true(fabs(dot - (i == j ? 9 : 0)) < 1e-12);
            }
        ch_release(q);
    }
}

// ---- captured steps
static ch_tensor *step_loss(void *user, const ch_model *m, ch_tensor *const *params, int n_in, ch_tensor *const *in) {
    (void)user, (void)n_in;
    return ch_cross_entropy(ch_model_forward_with(m, params, in[0]), in[1]);
}

static void captured_steps(void **state) {
    (void)state;
    ch_model *m = ch_mlp((int64_t[]){3, 4, 2}, 3, CH_RELU, ch_key_make(1)),
             *other = ch_mlp((int64_t[]){3, 2}, 2, CH_RELU, ch_key_make(1));
    ch_step *all = NULL, *some = NULL, *none = NULL;
    assert_int_equal(ch_step_capture(m, "x: f32[n,3], y: i32[n]", NULL, step_loss, NULL, &all), CH_OK);
    assert_int_equal(ch_step_capture(m, "x: f32[n,3], y: i32[n]", "dense0.weight, dense0.bias", step_loss, NULL, &some),
                     CH_OK);
    assert_int_equal(ch_step_num_grads(all), 4);
    assert_int_equal(ch_step_num_grads(some), 2);
    assert_string_equal(ch_step_grad_name(some, 0), "dense1.weight");
    assert_string_equal(ch_func_param_name(ch_step_primal(all), 0), "x");
    assert_string_equal(ch_func_param_name(ch_step_primal(all), 2), "dense0_weight");
    assert_true(ch_func_num_ops(ch_step_gradient(some)) < ch_func_num_ops(ch_step_gradient(all)));
    int dots = (int)ch_func_count(ch_step_gradient(all), "dot");
    assert_int_equal(dots, 5); // two forward, two for weights, one for the hidden layer; x needs none
    assert_int_equal(ch_func_count(ch_step_gradient(some), "dot"), 3);
    ch_tensor *in[2] = {ch_ones(CH_F32, 2, (int64_t[]){5, 3}), ch_zeros(CH_I32, 1, (int64_t[]){5})}, *grads[4] = {NULL};
    double loss, again;
    assert_int_equal(ch_step_run(all, m, in, &loss, grads), CH_OK);
    assert_int_equal(ch_step_run(all, m, in, &again, NULL), CH_OK);
    assert_true(loss == again && loss > 0);
    assert_int_equal(ch_tensor_dim(grads[2], 0), 4);
    for (int i = 0; i < 4; i++) ch_release(grads[i]);
    assert_int_not_equal(ch_step_run(all, other, in, &loss, NULL), CH_OK);
    assert_string_equal(ch_error_message(),
                        "step_run: parameter \"dense0.weight\" is f32[3,2] — it was captured as f32[3,4]");
    assert_int_not_equal(ch_step_capture(m, "x: f32[n,3], y: i32[n]", "dense9.weight", step_loss, NULL, &none), CH_OK);
    assert_string_equal(ch_error_message(),
                        "frozen: no parameter is named \"dense9.weight\" — the model has: dense0.weight, dense0.bias, "
                        "dense1.weight, dense1.bias");
    ch_step_destroy(all);
    ch_step_destroy(some);
    ch_model_destroy(m);
    ch_model_destroy(other);
}

// ---- the reference network on the real data
enum { BATCH = 128, HIDDEN = 128, IMAGES = 60000 };
static const char dataset[] = "/usr/share/datasets/fashion-mnist";

static uint64_t mix(uint64_t seed, uint64_t i) {
    uint64_t z = (seed << 32 | i) + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

// Weights [out, in] in [-bound, bound), rounded to f32, stored as dtype.
static ch_tensor *reference_weight(uint64_t seed, int64_t out, int64_t in, double bound, ch_dtype dtype) {
    float *v = malloc((size_t)(out * in) * sizeof *v);
    for (int64_t i = 0; i < out * in; i++)
        v[i] = (float)((double)((int64_t)(mix(seed, (uint64_t)i) >> 40) - 8388608) / 8388608.0 * bound);
    ch_scope s = ch_scope_begin();
    ch_tensor *t = ch_convert(ch_from_f32(v, 2, (int64_t[]){out, in}), dtype);
    assert_int_equal(ch_realize(t), CH_OK);
    ch_keep(t);
    assert_int_equal(ch_scope_end(s), CH_OK);
    free(v);
    return t;
}

static ch_tensor *kept_zeros(ch_dtype dtype, int64_t n) {
    ch_tensor *t = ch_zeros(dtype, 1, &n);
    assert_int_equal(ch_realize(t), CH_OK);
    return ch_keep(t);
}

// x [n, in] . w [out, in] transposed
static ch_tensor *linear(ch_tensor *x, ch_tensor *w, ch_tensor *b) {
    return ch_add(ch_dot_general(x, w, 1, (int[]){1}, (int[]){1}, 0, NULL, NULL), b);
}
static ch_tensor *reference_forward(void *user, ch_tensor *const *p, ch_tensor *x) {
    (void)user;
    return linear(ch_relu(linear(x, p[0], p[1])), p[2], p[3]);
}

static ch_model *reference_model(ch_dtype dtype) {
    ch_model *m = NULL;
    assert_int_equal(ch_model_create(reference_forward, NULL, NULL, &m), CH_OK);
    assert_int_equal(ch_model_add(m, "w1", reference_weight(11, HIDDEN, 784, 1 / 28.0, dtype)), CH_OK);
    assert_int_equal(ch_model_add(m, "b1", kept_zeros(dtype, HIDDEN)), CH_OK);
    assert_int_equal(ch_model_add(m, "w2", reference_weight(12, 10, HIDDEN, 1 / sqrt(128), dtype)), CH_OK);
    assert_int_equal(ch_model_add(m, "b2", kept_zeros(dtype, 10)), CH_OK);
    return m;
}

typedef struct {
    uint64_t z;
    int64_t i;
} order_key;
static int by_key(const void *a, const void *b) {
    const order_key *p = a, *q = b;
    return p->z < q->z ? -1 : p->z > q->z ? 1 : p->i < q->i ? -1 : 1;
}

static void reference_order(int64_t *order, int epoch) {
    order_key *keys = malloc(IMAGES * sizeof *keys);
    for (int64_t i = 0; i < IMAGES; i++) keys[i] = (order_key){mix((uint64_t)(5000 + epoch + 10), (uint64_t)i), i};
    qsort(keys, IMAGES, sizeof *keys, by_key);
    for (int64_t i = 0; i < IMAGES; i++) order[i] = keys[i].i;
    free(keys);
}

typedef struct {
    double f32[20], f64[20], accuracy[5];
} reference;

static void read_reference(reference *r) {
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(ch__file_read("tests/data/fashion_mlp.txt", 0, &text, &n), CH_OK);
    const char *p = text, *end = text + n;
    while (p < end && *p == '#') {
        while (p < end && *p++ != '\n') {}
    }
    double *rows[] = {r->f32, r->f64, r->accuracy};
    int counts[] = {20, 20, 5};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < counts[k]; i++) {
            while (p < end && (*p == ' ' || *p == '\n')) p++;
            const char *next = ch__parse_f64(p, end, &rows[k][i]);
            assert_true(next > p);
            p = next;
        }
    ch__free(text);
}

static ch_tensor *load(const char *name) {
    char path[256];
    ch_tensor *t = NULL;
    snprintf(path, sizeof path, "%s/%s", dataset, name);
    if (ch_idx_load(path, &t) != CH_OK) fail_msg("%s", ch_error_message());
    return t;
}

static ch_tensor *batch_of(const uint8_t *images, const int64_t *order, int64_t at, ch_dtype dtype) {
    static uint8_t rows[BATCH * 784];
    for (int i = 0; i < BATCH; i++) memcpy(rows + i * 784, images + order[at * BATCH + i] * 784, 784);
    ch_tensor *u = ch_from_data(CH_U8, rows, 2, (int64_t[]){BATCH, 784});
    return ch_convert(ch_div(ch_convert(u, CH_F32), ch_scalar(CH_F32, 255)), dtype);
}

static ch_tensor *labels_of(const uint8_t *labels, const int64_t *order, int64_t at) {
    int32_t y[BATCH];
    for (int i = 0; i < BATCH; i++) y[i] = labels[order[at * BATCH + i]];
    return ch_from_i32(y, 1, (int64_t[]){BATCH});
}

static void first_losses(const uint8_t *images, const uint8_t *labels, const int64_t *order, ch_dtype dtype,
                         const double *want, double tolerance) {
    ch_model *m = reference_model(dtype);
    ch_trainer *t = NULL;
    double worst = 0;
    assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(1e-3), "interp", &t), CH_OK);
    for (int i = 0; i < 20; i++) {
        ch_scope s = ch_scope_begin();
        double loss = 0;
        if (ch_trainer_step(t, batch_of(images, order, i, dtype), labels_of(labels, order, i), &loss) != CH_OK)
            fail_msg("%s", ch_error_message());
        if (fabs(loss - want[i]) > worst) worst = fabs(loss - want[i]);
        assert_int_equal(ch_scope_end(s), CH_OK);
    }
    print_message("# largest distance of 20 losses in %s: %.2g\n", ch_dtype_name(dtype), worst);
    assert_true(worst <= tolerance);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
}

static void reference_losses(void **state) {
    (void)state;
    if (access("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz", R_OK) != 0)
        CH_SKIP("the package dataset-fashion-mnist is not installed");
    reference r;
    read_reference(&r);
    ch_tensor *images = load("train-images-idx3-ubyte.gz"), *labels = load("train-labels-idx1-ubyte.gz");
    int64_t *order = malloc(IMAGES * sizeof *order);
    reference_order(order, 0);
    assert_int_equal(order[0], 10140);
    first_losses(ch_data(images), ch_data(labels), order, CH_F32, r.f32, 1e-6);
    first_losses(ch_data(images), ch_data(labels), order, CH_F64, r.f64, 1e-12);
    free(order);
    ch_release(images);
    ch_release(labels);
}

static double accuracy(ch_trainer *t, const uint8_t *images, const uint8_t *labels) {
    int64_t right = 0;
    for (int64_t k = 0; k < 10000; k += 1000) {
        ch_scope s = ch_scope_begin();
        int64_t predicted[1000];
        ch_tensor *logits = NULL, *u = ch_from_data(CH_U8, images + k * 784, 2, (int64_t[]){1000, 784});
        assert_int_equal(ch_trainer_predict(t, ch_div(ch_convert(u, CH_F32), ch_scalar(CH_F32, 255)), &logits), CH_OK);
        assert_int_equal(ch_read_i64(ch_argmax(logits, 1), predicted, 1000), CH_OK);
        for (int i = 0; i < 1000; i++) right += predicted[i] == labels[k + i];
        ch_release(logits);
        assert_int_equal(ch_scope_end(s), CH_OK);
    }
    return (double)right / 10000;
}

// The whole curve takes minutes under a sanitizer: two epochs of five there.
static void reference_curve(void **state) {
    (void)state;
    if (access("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz", R_OK) != 0)
        CH_SKIP("the package dataset-fashion-mnist is not installed");
    if (getenv("CHAAC_TEST_FAST") != NULL)
        CH_SKIP("CHAAC_TEST_FAST is set: the curve of five epochs takes the longest");
    reference r;
    read_reference(&r);
    ch_tensor *images = load("train-images-idx3-ubyte.gz"), *labels = load("train-labels-idx1-ubyte.gz");
    ch_tensor *test_images = load("t10k-images-idx3-ubyte.gz"), *test_labels = load("t10k-labels-idx1-ubyte.gz");
    int64_t *order = malloc(IMAGES * sizeof *order);
    ch_model *m = reference_model(CH_F32);
    ch_trainer *t = NULL;
    assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(1e-3), "interp", &t), CH_OK);
    for (int e = 0; e < 5; e++) {
        reference_order(order, e);
        for (int i = 0; i < IMAGES / BATCH; i++) {
            ch_scope s = ch_scope_begin();
            assert_int_equal(ch_trainer_step(t, batch_of(ch_data(images), order, i, CH_F32),
                                             labels_of(ch_data(labels), order, i), NULL),
                             CH_OK);
            assert_int_equal(ch_scope_end(s), CH_OK);
        }
        double got = accuracy(t, ch_data(test_images), ch_data(test_labels));
        print_message("# epoch %d: test accuracy %.4f, PyTorch %.4f\n", e + 1, got, r.accuracy[e]);
        assert_true(fabs(got - r.accuracy[e]) <= 0.005);
    }
    free(order);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
    ch_tensor *all[] = {images, labels, test_images, test_labels};
    for (int i = 0; i < 4; i++) ch_release(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(xor_is_learnt, end_thread),
        cmocka_unit_test_teardown(inputs_that_do_not_fit, end_thread),
        cmocka_unit_test_teardown(steps_allocate_nothing_that_stays, end_thread),
        cmocka_unit_test_teardown(models_keep_their_files, end_thread),
        cmocka_unit_test_teardown(mistakes, end_thread),
        cmocka_unit_test_teardown(batches_visit_every_row_once, end_thread),
        cmocka_unit_test_teardown(initializers, end_thread),
        cmocka_unit_test_teardown(captured_steps, end_thread),
        cmocka_unit_test_teardown(reference_losses, end_thread),
        cmocka_unit_test_teardown(reference_curve, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
