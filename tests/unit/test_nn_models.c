// SPDX-License-Identifier: Apache-2.0
// test_nn_models.c - real networks made of the layers, against the losses that PyTorch and transformers give: a small
// Llama (values, gradients, training, LoRA), the same on text, a convolutional network on Fashion-MNIST.
//
// Weights come from the formula of the reference scripts (reference.h); tests/data/README.md says where the numbers are
// from. Tolerances: 2e-6 in f32 and 1e-11 in f64 for the Llama, 1e-6 and 1e-11 for the convolutional network.
#include "base/base.h"
#include "chaac/chaac.h"

#include "unit.h"

#include "reference.h"
#include "small_llama.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

// The mean over rows and places of the loss of each token given those before it.
static ch_tensor *next_token(ch_tensor *logits, ch_tensor *ids) {
    return ch_cross_entropy(ch_slice_axis(logits, 1, 0, -1), ch_slice_axis(ids, 1, 1, CH_END));
}

static ch_tensor *llama_batch(const char *text) {
    double row[32];
    int32_t ids[4 * 32];
    for (int r = 0; r < 4; r++) {
        char key[24];
        snprintf(key, sizeof key, "batch %d", r);
        reference_numbers(text, key, row, 32);
        for (int i = 0; i < 32; i++) ids[r * 32 + i] = (int32_t)row[i];
    }
    return ch_from_i32(ids, 2, (int64_t[]){4, 32});
}

// The first four numbers, the sum and the length, as the reference scripts print them.
static void same_stats(const char *text, const char *key, ch_tensor *t, double tolerance) {
    double want[6], got[6] = {0};
    reference_numbers(text, key, want, 6);
    const double *v = ch_data(ch_convert(t, CH_F64));
    if (v == NULL) fail_msg("%s: %s", key, ch_error_message());
    for (int64_t i = 0; i < ch_tensor_numel(t); i++) {
        if (i < 4) got[i] = v[i];
        got[4] += v[i];
        got[5] += v[i] * v[i];
    }
    got[5] = sqrt(got[5]);
    for (int i = 0; i < 6; i++)
        if (!(fabs(got[i] - want[i]) <= tolerance * (i == 4 ? 10 : 1)))
            fail_msg("%s: number %d is %.17g, not %.17g", key, i, got[i], want[i]);
}

static void llama_values_and_gradients(void **state) {
    (void)state;
    char *text = reference_read("tests/data/tiny_llama.txt");
    ch_model *m = llama(CH_F64, false);
    double want[VOCAB], got[VOCAB];
    ch_tensor *ids = llama_batch(text), *logits = ch_model_forward(m, ids), *g[BASE], *p[BASE];
    ch_tensor *last = ch_slice(logits, 3, (int64_t[]){0, 31, 0}, (int64_t[]){1, 32, CH_END}, NULL);
    if (ch_read_f64(last, got, VOCAB) != CH_OK) fail_msg("%s", ch_error_message());
    reference_numbers(text, "logits", want, VOCAB);
    for (int i = 0; i < VOCAB; i++) assert_true(fabs(got[i] - want[i]) <= 1e-11);
    for (int i = 0; i < BASE; i++) p[i] = ch_model_param(m, i);
    ch_grads(next_token(logits, ids), BASE, p, g);
    assert_int_equal(ch_realize_all(BASE, g), CH_OK);
    for (int i = 0; i < BASE; i++) {
        char key[96];
        snprintf(key, sizeof key, "init %s", ch_model_param_name(m, i));
        same_stats(text, key, p[i], 1e-9);
        snprintf(key, sizeof key, "grad %s", ch_model_param_name(m, i));
        same_stats(text, key, g[i], 1e-11);
    }
    ch_model_destroy(m);
    ch__free(text);
}

// 20 steps; the losses (and, when norms is not NULL, the norms before clipping) within tolerance.
static void train(ch_trainer *t, ch_tensor *x, const double *losses, const double *norms, double tolerance) {
    double worst = 0;
    for (int i = 0; i < 20; i++) {
        double loss = 0;
        if (ch_trainer_step(t, x, x, &loss) != CH_OK) fail_msg("%s", ch_error_message());
        worst = fmax(worst, fabs(loss - losses[i]));
        if (norms != NULL) worst = fmax(worst, fabs(ch_trainer_norm(t) - norms[i]));
    }
    print_message("# largest distance of 20 steps: %.2g\n", worst);
    assert_true(worst <= tolerance);
}

static void llama_is_trained(void **state) {
    (void)state;
    char *text = reference_read("tests/data/tiny_llama.txt");
    for (int k = 0; k < 2; k++) {
        char key[32];
        double losses[20], norms[20];
        ch_trainer *t = NULL;
        ch_model *m = llama(k == 0 ? CH_F32 : CH_F64, false);
        const ch_trainer_options o = {.struct_size = sizeof o, .clip_norm = 1};
        assert_int_equal(ch_trainer_create_with(m, next_token, ch_adamw(3e-3, 0.01), &o, &t), CH_OK);
        snprintf(key, sizeof key, "full %s loss", k == 0 ? "f32" : "f64");
        reference_numbers(text, key, losses, 20);
        snprintf(key, sizeof key, "full %s norm", k == 0 ? "f32" : "f64");
        reference_numbers(text, key, norms, 20);
        train(t, llama_batch(text), losses, norms, k == 0 ? 2e-6 : 1e-11);
        ch_trainer_destroy(t);
        ch_model_destroy(m);
    }
    ch__free(text);
}

static void adapters_are_trained(void **state) {
    (void)state;
    char *text = reference_read("tests/data/tiny_llama.txt");
    for (int k = 0; k < 2; k++) {
        double losses[20];
        ch_trainer *t = NULL;
        ch_model *m = llama(k == 0 ? CH_F32 : CH_F64, true);
        const ch_trainer_options o = {.struct_size = sizeof o, .frozen = "model, lm_head"};
        assert_int_equal(ch_trainer_create_with(m, next_token, ch_adamw(1e-2, 0), &o, &t), CH_OK);
        reference_numbers(text, k == 0 ? "lora f32" : "lora f64", losses, 20);
        train(t, llama_batch(text), losses, NULL, k == 0 ? 2e-6 : 1e-11);
        for (int i = 0; k == 1 && i < 2 * LAYERS; i++) {
            char key[96];
            for (int b = 0; b < 2; b++) {
                snprintf(key, sizeof key, "lora %s model.layers.%d.self_attn.%s", b ? "B" : "A", i / 2,
                         i % 2 ? "v_proj" : "q_proj");
                same_stats(text, key, ch_model_param(m, BASE + 2 * i + b), 1e-10);
            }
        }
        ch_trainer_destroy(t);
        ch_model_destroy(m);
    }
    ch__free(text);
}

// ---- the same network on text: the first 100 steps (test_nn_text.c takes all of them)
enum { STEPS = 100 };
static void text_is_learnt(void **state) {
    (void)state;
    char *text = reference_read("tests/data/charlm.txt"), *bytes = NULL;
    size_t n = 0;
    assert_int_equal(ch__file_read("tests/data/charlm_rows.bin", 0, &bytes, &n), CH_OK);
    assert_int_equal(n, (TEXT_STEPS * 8 + TEST) * ROW);
    for (int k = 0; k < 2; k++) {
        double want[20], worst = 0;
        ch_trainer *t = NULL;
        ch_model *m = llama(k == 0 ? CH_F32 : CH_F64, false);
        const ch_param_group norms = {"*norm*", 1, 0};
        const ch_trainer_options o = {.struct_size = sizeof o, .clip_norm = 1, .n_groups = 1, .groups = &norms};
        ch_optimizer adamw = ch_adamw(3e-3, 0.1);
        adamw.beta2 = 0.99;
        reference_numbers(text, k == 0 ? "first20 f32" : "first20 f64", want, 20);
        assert_int_equal(ch_trainer_create_with(m, given_targets, adamw, &o, &t), CH_OK);
        bool whole = k == 0 && getenv("CHAAC_TEST_FAST") == NULL;
        for (int i = 0; i < (whole ? STEPS : 20); i++) {
            double loss = 0;
            ch_tensor *x, *y;
            ch_scope s = ch_scope_begin();
            rows_of(bytes + i * 8 * ROW, 8, &x, &y);
            if (ch_trainer_step(t, x, y, &loss) != CH_OK) fail_msg("%s", ch_error_message());
            if (i < 20) worst = fmax(worst, fabs(loss - want[i]));
            assert_int_equal(ch_scope_end(s), CH_OK);
        }
        if (whole) {
            double got = test_loss(t, bytes + TEXT_STEPS * 8 * ROW), reference;
            reference_numbers(text, "test 100", &reference, 1);
            print_message("# loss of the test after %d steps: %.4f, the reference %.4f\n", STEPS, got, reference);
            assert_true(fabs(got - reference) <= 0.03);
        }
        print_message("# largest distance of 20 losses on text, %s: %.2g\n", k == 0 ? "f32" : "f64", worst);
        assert_true(worst <= (k == 0 ? 2e-6 : 1e-11));
        ch_trainer_destroy(t);
        ch_model_destroy(m);
    }
    ch__free(bytes);
    ch__free(text);
}

// ---- two convolutions on Fashion-MNIST
enum { BATCH = 128, IMAGES = 60000 };

static ch_tensor *pooled(ch_tensor *x, ch_tensor *w, ch_tensor *b) {
    const ch_conv_layer o = {.struct_size = sizeof o, .pad = {{1, 1}, {1, 1}}};
    const ch_pool_layer p = {.struct_size = sizeof p, .window = {2, 2}};
    return ch_pool_max(ch_relu(ch_conv2d(x, w, b, &o)), 2, &p);
}
static ch_tensor *cnn_forward(void *user, ch_tensor *const *p, ch_tensor *x) {
    (void)user;
    x = ch_split_axis(x, 1, 3, (int64_t[]){1, 28, 28});
    x = pooled(pooled(x, p[0], p[1]), p[2], p[3]);
    return ch_dense(ch_flatten(x, 1), turned(p[4]), p[5]);
}

static ch_model *cnn(ch_dtype dtype) {
    ch_model *m = NULL;
    assert_int_equal(ch_model_create(cnn_forward, NULL, NULL, &m), CH_OK);
    add(m, "w1", weight(11, 1 / 3.0, 0, dtype, 4, (int64_t[]){16, 1, 3, 3}));
    add(m, "b1", weight(1, 0, 0, dtype, 1, (int64_t[]){16}));
    add(m, "w2", weight(12, 1 / 12.0, 0, dtype, 4, (int64_t[]){32, 16, 3, 3}));
    add(m, "b2", weight(1, 0, 0, dtype, 1, (int64_t[]){32}));
    add(m, "w3", weight(13, 1 / sqrt(1568), 0, dtype, 2, (int64_t[]){10, 1568}));
    add(m, "b3", weight(1, 0, 0, dtype, 1, (int64_t[]){10}));
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

static ch_tensor *load(const char *name) {
    char path[256];
    ch_tensor *t = NULL;
    snprintf(path, sizeof path, "/usr/share/datasets/fashion-mnist/%s", name);
    if (ch_idx_load(path, &t) != CH_OK) fail_msg("%s", ch_error_message());
    return t;
}

static void images_are_learnt(void **state) {
    (void)state;
    if (access("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz", R_OK) != 0)
        CH_SKIP("the package dataset-fashion-mnist is not installed");
    char *text = reference_read("tests/data/fashion_cnn.txt");
    ch_tensor *images = load("train-images-idx3-ubyte.gz"), *labels = load("train-labels-idx1-ubyte.gz");
    const uint8_t *pixels = ch_data(images), *classes = ch_data(labels);
    order_key *order = malloc(IMAGES * sizeof *order);
    for (int64_t i = 0; i < IMAGES; i++) order[i] = (order_key){reference_mix(5010, (uint64_t)i), i};
    qsort(order, IMAGES, sizeof *order, by_key);
    for (int k = 0; k < 2; k++) {
        ch_dtype dtype = k == 0 ? CH_F32 : CH_F64;
        double want[20], worst = 0;
        ch_model *m = cnn(dtype);
        ch_trainer *t = NULL;
        reference_numbers(text, k == 0 ? "first20 f32" : "first20 f64", want, 20);
        assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(1e-3), "interp", &t), CH_OK);
        for (int i = 0; i < 20; i++) {
            static uint8_t rows[BATCH * 784];
            int32_t y[BATCH];
            double loss = 0;
            for (int j = 0; j < BATCH; j++) {
                memcpy(rows + j * 784, pixels + order[i * BATCH + j].i * 784, 784);
                y[j] = classes[order[i * BATCH + j].i];
            }
            ch_scope s = ch_scope_begin();
            ch_tensor *u = ch_convert(ch_from_data(CH_U8, rows, 2, (int64_t[]){BATCH, 784}), CH_F32);
            ch_tensor *x = ch_convert(ch_div(u, ch_scalar(CH_F32, 255)), dtype);
            if (ch_trainer_step(t, x, ch_from_i32(y, 1, (int64_t[]){BATCH}), &loss) != CH_OK)
                fail_msg("%s", ch_error_message());
            worst = fmax(worst, fabs(loss - want[i]));
            assert_int_equal(ch_scope_end(s), CH_OK);
        }
        print_message("# largest distance of 20 losses on images, %s: %.2g\n", ch_dtype_name(dtype), worst);
        assert_true(worst <= (k == 0 ? 1e-6 : 1e-11));
        ch_trainer_destroy(t);
        ch_model_destroy(m);
    }
    free(order);
    ch_release(images);
    ch_release(labels);
    ch__free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(llama_values_and_gradients, end_thread),
        cmocka_unit_test_teardown(llama_is_trained, end_thread),
        cmocka_unit_test_teardown(adapters_are_trained, end_thread),
        cmocka_unit_test_teardown(text_is_learnt, end_thread),
        cmocka_unit_test_teardown(images_are_learnt, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
