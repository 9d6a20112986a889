// SPDX-License-Identifier: Apache-2.0
// test_nn_train.c - what trainers do beside the plain step: gathered gradients, clipping, frozen parameters, groups,
// averages, buffers, keys, narrow dtypes, state; each against a run that does it by hand or another way.
#include "base/base.h"
#include "chaac/chaac.h"

#include "unit.h"

#include <math.h>
#include <stdbool.h>

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

enum { ROWS = 8 };
static ch_tensor *rows_x(void) {
    float v[ROWS * 3];
    for (int i = 0; i < ROWS * 3; i++) v[i] = (float)((i * 7) % 11 - 5) / 5;
    return ch_from_f32(v, 2, (int64_t[]){ROWS, 3});
}
static ch_tensor *rows_y(void) {
    int32_t v[ROWS];
    for (int i = 0; i < ROWS; i++) v[i] = (i * 3) % 2;
    return ch_from_i32(v, 1, (int64_t[]){ROWS});
}
static ch_model *net(void) { return ch_mlp((int64_t[]){3, 5, 2}, 3, CH_TANH, ch_key_make(3)); }

static ch_trainer *trainer_of(ch_model *m, ch_optimizer o, ch_trainer_options options) {
    ch_trainer *t = NULL;
    options.struct_size = sizeof options;
    if (ch_trainer_create_with(m, ch_softmax_cross_entropy, o, &options, &t) != CH_OK)
        fail_msg("%s", ch_error_message());
    return t;
}
static double step(ch_trainer *t, ch_tensor *x, ch_tensor *y) {
    double loss = 0;
    if (ch_trainer_step(t, x, y, &loss) != CH_OK) fail_msg("%s", ch_error_message());
    return loss;
}
static double far(ch_model *a, ch_model *b) {
    double far = 0;
    for (int i = 0; i < ch_model_num_params(a); i++) {
        const float *p = ch_data(ch_model_param(a, i)), *q = ch_data(ch_model_param(b, i));
        for (int64_t k = 0; k < ch_tensor_numel(ch_model_param(a, i)); k++) far = fmax(far, fabs((double)p[k] - q[k]));
    }
    return far;
}
static void drop(ch_trainer *t, ch_model *m) {
    ch_trainer_destroy(t);
    ch_model_destroy(m);
}

// Two halves gathered make the step of the whole, whose loss is their mean.
static void gathered_gradients(void **state) {
    (void)state;
    ch_model *a = net(), *b = net();
    ch_trainer *whole = trainer_of(a, ch_adamw(0.05, 0.1), (ch_trainer_options){.clip_norm = 0.01}),
               *halves = trainer_of(b, ch_adamw(0.05, 0.1), (ch_trainer_options){.clip_norm = 0.01, .accumulate = 2});
    ch_tensor *x = rows_x(), *y = rows_y();
    for (int i = 0; i < 5; i++) {
        double loss = step(whole, x, y), sum = 0;
        for (int h = 0; h < 2; h++)
            sum += step(halves, ch_slice_axis(x, 0, 4 * h, 4 * h + 4), ch_slice_axis(y, 0, 4 * h, 4 * h + 4));
        assert_true(fabs(loss - sum / 2) < 1e-6);
        assert_true(far(a, b) < 1e-6);
        assert_true(fabs(ch_trainer_norm(whole) - ch_trainer_norm(halves)) < 1e-6 && ch_trainer_norm(whole) > 0.01);
    }
    assert_int_equal(ch_trainer_steps(halves), 10);
    assert_int_equal(ch_trainer_updates(halves), 5);
    assert_int_equal(ch_trainer_updates(whole), 5);
    drop(whole, a);
    drop(halves, b);
}

// A gradient that is not finite is refused and nothing changes, also in the middle of a round.
static void norms_that_are_not_finite(void **state) {
    (void)state;
    ch_model *a = net(), *b = net();
    ch_trainer *t = trainer_of(a, ch_adam(0.05), (ch_trainer_options){.clip_norm = 1, .accumulate = 2}),
               *u = trainer_of(b, ch_adam(0.05), (ch_trainer_options){.clip_norm = 1, .accumulate = 2});
    ch_tensor *x = rows_x(), *y = rows_y(), *bad = ch_mul(x, ch_scalar(CH_F32, INFINITY));
    for (int i = 0; i < 2; i++) step(t, x, y);
    step(t, x, y);
    assert_int_equal(ch_trainer_step(t, bad, y, NULL), CH_FAILED_PRECONDITION);
    assert_string_equal(ch_error_id(), "non_finite");
    assert_string_equal(ch_error_message(),
                        "trainer: the norm of the gradients is nan in update 2 — nothing was changed; "
                        "look at the batch, or lower the rate");
    assert_int_equal(ch_trainer_steps(t), 2);
    for (int i = 0; i < 2; i++) step(t, x, y); // the round begins again
    for (int i = 0; i < 4; i++) step(u, x, y);
    assert_true(far(a, b) == 0);
    drop(t, a);
    drop(u, b);
}

static void frozen_and_groups(void **state) {
    (void)state;
    ch_model *a = net(), *b = net();
    const ch_param_group groups[] = {{"*.bias", 1, 0}, {"dense1", 0.5, 0.2}};
    ch_trainer *t = trainer_of(a, ch_adamw(0.05, 0.5),
                               (ch_trainer_options){.frozen = "dense0.w*", .n_groups = 2, .groups = groups});
    ch_tensor *x = rows_x(), *y = rows_y();
    step(t, x, y);
    size_t bytes = (size_t)ch_tensor_numel(ch_model_param(a, 0)) * 4;
    assert_memory_equal(ch_data(ch_model_param(a, 0)), ch_data(ch_model_param(b, 0)), bytes); // frozen to the bit
    // the others as updates by hand say
    ch_tensor *p[3], *g[3], *slots[2], *out[3], *loss;
    for (int i = 0; i < 3; i++) p[i] = ch_model_param(b, i + 1);
    loss = ch_cross_entropy(ch_model_forward(b, x), y);
    ch_grads(loss, 3, p, g);
    const double factors[3] = {1, 0.5, 1}, decays[3] = {0, 0.2, 0};
    for (int i = 0; i < 3; i++) {
        const ch_optimizer o = ch_adamw(0.05 * factors[i], decays[i]);
        for (int k = 0; k < 2; k++) slots[k] = ch_optimizer_slot(&o, k, p[i]);
        ch_optimizer_update(&o, ch_scalar(CH_F64, 1), 1, &p[i], &g[i], slots, &out[0], &out[1]);
        double gap;
        assert_int_equal(ch_item(ch_amax(ch_abs(ch_sub(out[0], ch_model_param(a, i + 1))), 0, NULL), &gap), CH_OK);
        assert_true(gap < 1e-7);
    }
    drop(t, a);
    ch_model_destroy(b);
}

static void names(void **state) {
    (void)state;
    static const struct {
        const char *list, *name;
        int match;
    } rows[] = {{"head", "head", 1},          {"head", "head.weight", 1},    {"head", "header", 0},
                {"head.", "head.w", 1},       {"*.bias", "a.b.bias", 1},     {"*.bias", "bias", 0},
                {"l?.w", "l1.w", 1},          {"l?.w", "l12.w", 0},          {"a, b*d ,c", "bxxd", 1},
                {"a, b*d ,c", "bxxde", 0},    {"*", "anything", 1},          {"", "x", 0},
                {"*a*b*c", "xxaxxbxxbxc", 1}, {"layers.1", "layers.10.w", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(ch_names_match(rows[i].list, rows[i].name), rows[i].match);
    assert_int_equal(ch_names_match(NULL, "x"), 0);
    ch_model *m = net();
    ch_trainer *t = NULL;
    const ch_param_group group = {"dense?.gain", 1, 0};
    ch_trainer_options o = {.struct_size = sizeof o, .frozen = "dense0, dense7*"};
    assert_int_equal(ch_trainer_create_with(m, ch_softmax_cross_entropy, ch_sgd(1), &o, &t), CH_NOT_FOUND);
    assert_string_equal(ch_error_message(), "frozen: no parameter is named \"dense7*\" — the model has: dense0.weight, "
                                            "dense0.bias, dense1.weight, dense1.bias");
    o = (ch_trainer_options){.struct_size = sizeof o, .n_groups = 1, .groups = &group};
    assert_int_equal(ch_trainer_create_with(m, ch_softmax_cross_entropy, ch_sgd(1), &o, &t), CH_NOT_FOUND);
    o = (ch_trainer_options){.struct_size = sizeof o, .average = 1};
    assert_int_equal(ch_trainer_create_with(m, ch_softmax_cross_entropy, ch_sgd(1), &o, &t), CH_INVALID_ARGUMENT);
    o = (ch_trainer_options){.struct_size = sizeof o, .compute = CH_I32};
    assert_int_equal(ch_trainer_create_with(m, ch_softmax_cross_entropy, ch_sgd(1), &o, &t), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "trainer_create: compute in i32 — f16, bf16, f32 and f64 are allowed");
    o = (ch_trainer_options){.struct_size = sizeof o, .frozen = "*"};
    assert_int_equal(ch_trainer_create_with(m, ch_softmax_cross_entropy, ch_sgd(1), &o, &t), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "frozen: every parameter is frozen — leave at least one that learns");
    ch_model_destroy(m);
}

static ch_tensor *one_layer(void *user, ch_tensor *const *p, ch_tensor *x) {
    (void)user;
    return ch_dense(x, p[0], p[1]);
}

// "0.weight", as other libraries name what layers have, is a name like any other.
static void names_that_begin_with_a_digit(void **state) {
    (void)state;
    static const char *const names[2][2] = {{"0.weight", "1.0/bias"}, {"w", "b"}};
    double loss[2] = {0};
    for (int k = 0; k < 2; k++) {
        float w[6] = {0.1f, -0.2f, 0.3f, 0.4f, -0.5f, 0.6f};
        ch_model *m = NULL;
        assert_int_equal(ch_model_create(one_layer, NULL, NULL, &m), CH_OK);
        assert_int_equal(ch_model_add(m, names[k][0], ch_keep(ch_from_f32(w, 2, (int64_t[]){3, 2}))), CH_OK);
        assert_int_equal(ch_model_add(m, names[k][1], ch_keep(ch_from_f32(w, 1, (int64_t[]){2}))), CH_OK);
        ch_trainer *t = trainer_of(m, ch_sgd(0.5), (ch_trainer_options){.frozen = names[k][1]});
        for (int i = 0; i < 3; i++) loss[k] = step(t, rows_x(), rows_y());
        drop(t, m);
    }
    assert_true(loss[0] == loss[1] && loss[0] > 0);
}

static void averages_and_schedules(void **state) {
    (void)state;
    ch_model *m = net();
    const ch_schedule s = ch_schedule_warmup(ch_schedule_step(2, 0.1), 2);
    ch_trainer *t = trainer_of(m, ch_sgd(0.5), (ch_trainer_options){.average = 0.75, .schedule = &s});
    ch_tensor *x = rows_x(), *y = rows_y();
    double want = ((const float *)ch_data(ch_model_param(m, 0)))[1];
    static const double rates[] = {0, 0.25, 0.5, 0.5, 0.05};
    for (int i = 0; i < 5; i++) {
        double before = ((const float *)ch_data(ch_model_param(m, 0)))[1];
        assert_true(fabs(ch_trainer_rate(t) - rates[i]) < 1e-15);
        step(t, x, y);
        double now = ((const float *)ch_data(ch_model_param(m, 0)))[1];
        assert_true(i == 0 ? now == before : now != before);
        want = 0.75 * want + 0.25 * now;
    }
    double now = ((const float *)ch_data(ch_model_param(m, 0)))[1];
    assert_int_equal(ch_trainer_swap_averages(t), CH_OK);
    assert_true(fabs(((const float *)ch_data(ch_model_param(m, 0)))[1] - want) < 1e-6);
    assert_int_equal(ch_trainer_swap_averages(t), CH_OK);
    assert_true(((const float *)ch_data(ch_model_param(m, 0)))[1] == now);
    drop(t, m);
    m = net();
    t = trainer_of(m, ch_sgd(0.5), (ch_trainer_options){0});
    assert_int_equal(ch_trainer_swap_averages(t), CH_INVALID_ARGUMENT);
    drop(t, m);
}

// ---- buffers and keys: a batch norm and dropout
static ch_tensor *plain_forward(void *user, ch_tensor *const *p, ch_tensor *x) {
    (void)user;
    ch_tensor *h = ch_batch_norm(ch_dense(x, p[0], NULL), p[1], p[2], p[3], p[4], 1e-5);
    return ch_dense(ch_relu(h), p[5], NULL);
}
static ch_tensor *training_forward(void *user, ch_tensor *const *p, ch_tensor *x, ch_tensor *key, ch_tensor **buffers) {
    (void)user;
    ch_tensor *n[3];
    ch_batch_norm_train(ch_dense(x, p[0], NULL), p[1], p[2], p[3], p[4], 0.1, 1e-5, n);
    buffers[0] = n[1];
    buffers[1] = n[2];
    return ch_dense(ch_dropout(ch_relu(n[0]), key, 0.25), p[5], NULL);
}
static ch_tensor *made(ch_init init, int rank, const int64_t *dims) {
    return ch_init_tensor(init, 1, ch_key_make(5), CH_F32, rank, dims);
}
static ch_model *with_norm(void) {
    ch_model *m = NULL;
    const int64_t f = 6;
    assert_int_equal(ch_model_create(plain_forward, NULL, NULL, &m), CH_OK);
    ch_model_set_training(m, training_forward);
    assert_int_equal(ch_model_add(m, "in", made(CH_INIT_GLOROT_UNIFORM, 2, (int64_t[]){3, 6})), CH_OK);
    assert_int_equal(ch_model_add(m, "norm.gain", made(CH_INIT_ONES, 1, &f)), CH_OK);
    assert_int_equal(ch_model_add(m, "norm.bias", made(CH_INIT_ZEROS, 1, &f)), CH_OK);
    assert_int_equal(ch_model_add_buffer(m, "norm.mean", made(CH_INIT_ZEROS, 1, &f)), CH_OK);
    assert_int_equal(ch_model_add_buffer(m, "norm.var", made(CH_INIT_ONES, 1, &f)), CH_OK);
    assert_int_equal(ch_model_add(m, "out", made(CH_INIT_GLOROT_UNIFORM, 2, (int64_t[]){6, 2})), CH_OK);
    return m;
}

static void buffers_and_keys(void **state) {
    (void)state;
    ch_model *a = with_norm(), *b = with_norm(), *c = with_norm();
    ch_trainer *t = trainer_of(a, ch_adam(0.01), (ch_trainer_options){.key = ch_key_make(1)}),
               *same = trainer_of(b, ch_adam(0.01), (ch_trainer_options){.key = ch_key_make(1)}),
               *other = trainer_of(c, ch_adam(0.01), (ch_trainer_options){.key = ch_key_make(2)});
    ch_tensor *x = rows_x(), *y = rows_y(), *n[3];
    assert_true(ch_model_is_buffer(a, 3) && !ch_model_is_buffer(a, 2));
    ch_batch_norm_train(ch_dense(x, ch_model_param(c, 0), NULL), ch_model_param(c, 1), ch_model_param(c, 2),
                        ch_model_param(c, 3), ch_model_param(c, 4), 0.1, 1e-5, n);
    float want[6], got[6];
    assert_int_equal(ch_read_f32(n[2], want, 6), CH_OK);
    double first = step(t, x, y), second = 0;
    assert_int_equal(ch_read_f32(ch_model_param(a, 4), got, 6), CH_OK);
    for (int i = 0; i < 6; i++) assert_true(fabsf(want[i] - got[i]) < 1e-6f);
    assert_true(step(same, x, y) == first && step(other, x, y) != first);
    for (int i = 0; i < 4; i++) second = step(t, x, y);
    for (int i = 0; i < 4; i++) first = step(same, x, y);
    assert_true(first == second && far(a, b) == 0 && far(a, c) > 0);
    int64_t alive = ch_tensors_alive(), live = ch__alloc_live();
    for (int i = 0; i < 10; i++) step(t, x, y);
    assert_int_equal(ch_tensors_alive(), alive);
    assert_int_equal(ch__alloc_live(), live);
    ch_model *d = with_norm();
    ch_trainer *still = trainer_of(d, ch_sgd(0), (ch_trainer_options){.key = ch_key_make(1)});
    first = step(still, x, y);
    assert_true(step(still, x, y) != first); // each step drops others
    drop(still, d);
    drop(t, a);
    drop(same, b);
    drop(other, c);
}

// ---- narrow: products in bf16, masters and losses in f32
static void bf16_with_f32_masters(void **state) {
    (void)state;
    ch_model *m = net(), *plain = net();
    ch_trainer *t = trainer_of(m, ch_adam(0.02), (ch_trainer_options){.compute = CH_BF16}),
               *u = trainer_of(plain, ch_adam(0.02), (ch_trainer_options){0});
    ch_tensor *x = rows_x(), *y = rows_y();
    double first = step(t, x, y), exact = step(u, x, y), last = 0;
    assert_true(first != exact && fabs(first - exact) < 0.02);
    for (int i = 0; i < 150; i++) {
        last = step(t, x, y);
        exact = step(u, x, y);
    }
    assert_int_equal(ch_tensor_dtype(ch_model_param(m, 0)), CH_F32);
    assert_true(last < first && fabs(last - exact) < 0.05);
    char type[64];
    ch_tensor *logits = NULL;
    assert_int_equal(ch_trainer_predict(t, x, &logits), CH_OK);
    ch_tensor_type(logits, type, sizeof type);
    assert_string_equal(type, "f32[8,2]");
    ch_release(logits);
    assert_true(ch_func_count(ch_trainer_gradient(t), "convert") > 0);
    drop(t, m);
    drop(u, plain);
}

// ---- state: another trainer goes on from it, to the bit
static void going_on(void **state) {
    (void)state;
    ch_model *a = net(), *b = net();
    const ch_trainer_options o = {.accumulate = 2, .average = 0.9, .key = ch_key_make(4)};
    ch_trainer *t = trainer_of(a, ch_nadam(0.05), o), *u = trainer_of(b, ch_nadam(0.05), o);
    ch_tensor *x = rows_x(), *y = rows_y();
    for (int i = 0; i < 5; i++) step(t, x, y); // in the middle of a round
    assert_string_equal(ch_trainer_state_name(t, 0), "dense0.weight.mean");
    int n = 0;
    for (; ch_trainer_state_name(t, n) != NULL; n++) {
        ch_tensor *copy = ch_add(ch_trainer_state(t, n), ch_zeros_like(ch_trainer_state(t, n)));
        assert_int_equal(ch_realize(copy), CH_OK);
        assert_int_equal(ch_trainer_set_state(u, n, ch_keep(copy)), CH_OK);
    }
    assert_int_equal(n, 4 * (3 + 1 + 1));
    for (int i = 0; i < 4; i++) {
        ch_tensor *copy = ch_add(ch_model_param(a, i), ch_zeros_like(ch_model_param(a, i)));
        assert_int_equal(ch_realize(copy), CH_OK);
        assert_int_equal(ch_model_set(b, i, ch_keep(copy)), CH_OK);
    }
    assert_int_equal(ch_trainer_set_steps(u, ch_trainer_steps(t)), CH_OK);
    for (int i = 0; i < 5; i++) assert_true(step(t, x, y) == step(u, x, y));
    assert_true(far(a, b) == 0);
    assert_int_equal(ch_trainer_set_state(u, 999, x), CH_INVALID_ARGUMENT);
    assert_int_equal(ch_trainer_set_state(u, 0, x), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "trainer_set_state: \"dense0.weight.mean\" is f32[3,5] — f32[8,3] was given");
    assert_int_equal(ch_trainer_set_steps(u, -1), CH_INVALID_ARGUMENT);
    drop(t, a);
    drop(u, b);
}

static void mistakes_name_the_users_lines(void **state) {
    (void)state;
    ch_model *m = net();
    ch_trainer *t = trainer_of(m, ch_sgd(1), (ch_trainer_options){0});
    ch_tensor *x = ch_ones(CH_F32, 2, (int64_t[]){4, 7}), *y = rows_y(), *out = NULL;
    assert_int_not_equal(ch_trainer_step(t, x, y, NULL), CH_OK);
    const char *said = ch_error_message();
    assert_non_null(strstr(said, "tests/unit/test_nn_train.c:"));
    assert_non_null(
        strstr(said, ": trainer: x: f32[n,7], y: i32[n] does not go through the model — tests/unit/test_nn_train.c:"));
    assert_null(strstr(said, "src/"));
    assert_int_not_equal(ch_trainer_predict(t, x, &out), CH_OK);
    assert_non_null(strstr(ch_error_message(), ": trainer: x: f32[4,7] does not go through the model — "));
    assert_null(strstr(ch_error_message(), "src/"));
    assert_int_not_equal(ch_trainer_step(t, rows_x(), ch_ones(CH_F32, 1, (int64_t[]){8}), NULL), CH_OK); // the loss
    assert_non_null(strstr(ch_error_message(), "tests/unit/test_nn_train.c:"));
    assert_non_null(strstr(ch_error_message(), "cross_entropy: f32[n,2] and f32[n]"));
    assert_null(strstr(ch_error_message(), "src/"));
    drop(t, m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(gathered_gradients, end_thread),
        cmocka_unit_test_teardown(norms_that_are_not_finite, end_thread),
        cmocka_unit_test_teardown(frozen_and_groups, end_thread),
        cmocka_unit_test_teardown(names, end_thread),
        cmocka_unit_test_teardown(names_that_begin_with_a_digit, end_thread),
        cmocka_unit_test_teardown(averages_and_schedules, end_thread),
        cmocka_unit_test_teardown(buffers_and_keys, end_thread),
        cmocka_unit_test_teardown(bf16_with_f32_masters, end_thread),
        cmocka_unit_test_teardown(going_on, end_thread),
        cmocka_unit_test_teardown(mistakes_name_the_users_lines, end_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
