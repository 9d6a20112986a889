// SPDX-License-Identifier: Apache-2.0
// test_native_cnn.c - a convolutional network on Fashion-MNIST by the native engine, three epochs: the accuracy after
// each is the reference's (PyTorch) within half a percentage point, the mean losses within 0.02, the first to 1e-4.
//
// Network, order of images and weights are those of tests/data/README.md. With CHAAC_TEST_FAST only 100 steps.
#include "base/base.h"
#include "chaac/chaac.h"

#include "unit.h"

#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { IMAGES = 60000, TEST_IMAGES = 10000, PIXELS = 784, BATCH = 128, TEST_BATCH = 1000, EPOCHS = 3 };

static const char folder_of_data[] = "/usr/share/datasets/fashion-mnist/";

static void add_weight(ch_model *m, const char *name, uint64_t weights, double bound, int rank, const int64_t *dims) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    float *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = reference_uniform(weights, i, bound);
    ch_tensor *t = ch_keep(ch_from_f32(v, rank, dims));
    if (ch_model_add(m, name, t) != CH_OK) fail_msg("%s", ch_error_message());
    free(v);
}

static ch_tensor *pooled(ch_tensor *x, ch_tensor *w, ch_tensor *b) {
    const ch_conv_layer o = {.struct_size = sizeof o, .pad = {{1, 1}, {1, 1}}};
    const ch_pool_layer p = {.struct_size = sizeof p, .window = {2, 2}};
    return ch_pool_max(ch_relu(ch_conv2d(x, w, b, &o)), 2, &p);
}

static ch_tensor *cnn_forward(void *user, ch_tensor *const *p, ch_tensor *x) {
    (void)user;
    x = ch_split_axis(x, 1, 3, (int64_t[]){1, 28, 28});
    x = pooled(pooled(x, p[0], p[1]), p[2], p[3]);
    return ch_dense(ch_flatten(x, 1), ch_transpose(p[4], 2, NULL), p[5]);
}

static ch_model *cnn(void) {
    ch_model *m = NULL;
    assert_int_equal(ch_model_create(cnn_forward, NULL, NULL, &m), CH_OK);
    add_weight(m, "w1", 11, 1 / 3.0, 4, (int64_t[]){16, 1, 3, 3});
    add_weight(m, "b1", 1, 0, 1, (int64_t[]){16});
    add_weight(m, "w2", 12, 1 / 12.0, 4, (int64_t[]){32, 16, 3, 3});
    add_weight(m, "b2", 1, 0, 1, (int64_t[]){32});
    add_weight(m, "w3", 13, 1 / sqrt(1568), 2, (int64_t[]){10, 1568});
    add_weight(m, "b3", 1, 0, 1, (int64_t[]){10});
    return m;
}

typedef struct {
    ch_tensor *images, *labels;
    const uint8_t *pixels, *classes;
} data_set;

static data_set load(const char *images, const char *labels) {
    char path[128];
    data_set d;
    snprintf(path, sizeof path, "%s%s", folder_of_data, images);
    if (ch_idx_load(path, &d.images) != CH_OK) fail_msg("%s", ch_error_message());
    snprintf(path, sizeof path, "%s%s", folder_of_data, labels);
    if (ch_idx_load(path, &d.labels) != CH_OK) fail_msg("%s", ch_error_message());
    d.pixels = ch_data(d.images);
    d.classes = ch_data(d.labels);
    return d;
}

typedef struct {
    uint64_t z;
    int64_t i;
} order_key;
static int by_key(const void *a, const void *b) {
    const order_key *p = a, *q = b;
    return p->z < q->z ? -1 : p->z > q->z ? 1 : p->i < q->i ? -1 : 1;
}

static void order_of_epoch(int epoch, order_key *order) {
    for (int64_t i = 0; i < IMAGES; i++) order[i] = (order_key){reference_mix(5010 + (uint64_t)epoch, (uint64_t)i), i};
    qsort(order, IMAGES, sizeof *order, by_key);
}

static float numbers[TEST_BATCH * PIXELS];
static int32_t classes[TEST_BATCH];

static void put_image(const data_set *d, int64_t from, int to) {
    for (int i = 0; i < PIXELS; i++) numbers[to * PIXELS + i] = (float)d->pixels[from * PIXELS + i] / 255.0f;
    classes[to] = d->classes[from];
}

static double step_of(ch_trainer *t, const data_set *d, const order_key *order) {
    double loss = 0;
    for (int j = 0; j < BATCH; j++) put_image(d, order[j].i, j);
    ch_scope s = ch_scope_begin();
    ch_tensor *x = ch_from_f32(numbers, 2, (int64_t[]){BATCH, PIXELS});
    if (ch_trainer_step(t, x, ch_from_i32(classes, 1, (int64_t[]){BATCH}), &loss) != CH_OK)
        fail_msg("%s", ch_error_message());
    assert_int_equal(ch_scope_end(s), CH_OK);
    return loss;
}

static double accuracy(ch_trainer *t, const data_set *d) {
    int64_t right = 0;
    for (int64_t from = 0; from < TEST_IMAGES; from += TEST_BATCH) {
        for (int j = 0; j < TEST_BATCH; j++) put_image(d, from + j, j);
        ch_scope s = ch_scope_begin();
        ch_tensor *out = NULL;
        if (ch_trainer_predict(t, ch_from_f32(numbers, 2, (int64_t[]){TEST_BATCH, PIXELS}), &out) != CH_OK)
            fail_msg("%s", ch_error_message());
        const float *y = ch_data(out);
        for (int j = 0; j < TEST_BATCH; j++) {
            int best = 0;
            for (int k = 1; k < 10; k++)
                if (y[j * 10 + k] > y[j * 10 + best]) best = k;
            right += best == classes[j];
        }
        ch_release(out);
        assert_int_equal(ch_scope_end(s), CH_OK);
    }
    return (double)right / TEST_IMAGES;
}

static void images_are_learnt(void **state) {
    (void)state;
    if (access("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz", R_OK) != 0)
        CH_SKIP("the package dataset-fashion-mnist is not installed");
    bool fast = getenv("CHAAC_TEST_FAST") != NULL;
    char *text = reference_read("tests/data/fashion_cnn.txt");
    double first[20], want[EPOCHS], worst = 0, begin = ch__now();
    static const double means[EPOCHS] = {0.56803413028391, 0.371786886619197, 0.33306810562299866}; // fashion_cnn.json
    reference_numbers(text, "first20 f32", first, 20);
    reference_numbers(text, "accuracy", want, EPOCHS);
    data_set train = load("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
             test = load("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz");
    order_key *order = malloc(IMAGES * sizeof *order);
    ch_model *m = cnn();
    ch_trainer *t = NULL;
    if (ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(1e-3), "native", &t) != CH_OK)
        fail_msg("%s", ch_error_message());
    for (int e = 0; e < (fast ? 1 : EPOCHS); e++) {
        double sum = 0;
        int steps = fast ? 100 : IMAGES / BATCH;
        order_of_epoch(e, order);
        for (int i = 0; i < steps; i++) {
            double loss = step_of(t, &train, order + i * BATCH);
            sum += loss;
            if (e == 0 && i < 20) worst = fmax(worst, fabs(loss - first[i]));
        }
        if (fast) continue;
        double got = accuracy(t, &test);
        print_message("# epoch %d: %.4f right, the reference %.4f; mean loss %.4f, the reference %.4f\n", e + 1, got,
                      want[e], sum / steps, means[e]);
        assert_true(fabs(got - want[e]) <= 0.005);
        assert_true(fabs(sum / steps - means[e]) <= 0.02);
    }
    print_message("# largest distance of the first 20 losses: %.2g; %.1f s\n", worst, ch__now() - begin);
    assert_true(worst <= 1e-4);
    free(order);
    ch_trainer_destroy(t);
    ch_model_destroy(m);
    ch_release(train.images);
    ch_release(train.labels);
    ch_release(test.images);
    ch_release(test.labels);
    ch__free(text);
}

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(images_are_learnt, end_thread)};
    return cmocka_run_group_tests_name("native_cnn", tests, NULL, NULL);
}
