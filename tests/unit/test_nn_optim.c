// SPDX-License-Identifier: Apache-2.0
// test_nn_optim.c - optimizers, clipping and schedules against PyTorch's values, 1e-6 in f32 and 1e-13 in f64.
//
// tests/data/optim.txt: parameters p0 and the gradient of each step are given numbers; what 22 set-ups make of them
// after 1, 2, 3 and 10 steps. LAMB, which torch.optim lacks, is held against its formula in C.
#include "chaac/chaac.h"

#include "unit.h"

#include "reference.h"

#include <math.h>

enum { N = 8 };
static char *text;

static int begin(void **state) {
    (void)state;
    text = reference_read("tests/data/optim.txt");
    return 0;
}
static int finish(void **state) {
    (void)state;
    ch__free(text);
    return 0;
}
static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

// The numbers of the file are the shortest that round to the f32 meant.
static ch_tensor *of(ch_dtype dtype, int64_t n, const double *v) {
    return ch_convert(ch_convert(ch_from_f64(v, 1, &n), CH_F32), dtype);
}

static void read_f64(ch_tensor *t, double *out, int64_t n) {
    if (ch_read_f64(ch_convert(t, CH_F64), out, n) != CH_OK) fail_msg("%s", ch_error_message());
}

// Ten updates of one parameter; every value that the file has is compared.
static void run(const char *name, ch_optimizer o, ch_dtype dtype, double tolerance) {
    double p0[N], g[N], want[N], got[N];
    reference_numbers(text, "p0", p0, N);
    ch_tensor *p = of(dtype, N, p0), *slots[3], *out[4];
    int k = ch_optimizer_num_slots(&o), compared = 0;
    assert_true(k <= 3);
    for (int i = 0; i < k; i++) slots[i] = ch_optimizer_slot(&o, i, p);
    for (int t = 1; t <= 10; t++) {
        char key[64];
        snprintf(key, sizeof key, "grad %d", t);
        reference_numbers(text, key, g, N);
        ch_tensor *grad = of(dtype, N, g);
        ch_optimizer_update(&o, ch_scalar(CH_F64, t), 1, &p, &grad, slots, &out[0], &out[1]);
        if (ch_realize_all(1 + k, out) != CH_OK) fail_msg("%s: %s", name, ch_error_message());
        p = ch_detach(out[0]);
        for (int i = 0; i < k; i++) slots[i] = ch_detach(out[1 + i]);
        snprintf(key, sizeof key, "%s %s %d", name, ch_dtype_name(dtype), t);
        if (reference_find(text, key, want, N) != N) continue;
        compared++;
        read_f64(p, got, N);
        for (int i = 0; i < N; i++)
            if (!(fabs(got[i] - want[i]) <= tolerance))
                fail_msg("%s: element %d is %.17g, %.17g is wanted", key, i, got[i], want[i]);
    }
    assert_int_equal(compared, 4);
}

static ch_optimizer amsgrad(ch_optimizer o) {
    o.amsgrad = 1;
    return o;
}
static ch_optimizer decay(ch_optimizer o, double d) {
    o.decay = d;
    return o;
}

static void optimizers(void **state) {
    (void)state;
    ch_optimizer dampened = ch_sgd_momentum(0.1, 0.9), betas = ch_adam(0.01), sums = ch_adagrad(0.1),
                 centered = ch_rmsprop(0.01), momentum = ch_rmsprop(0.01);
    dampened.dampening = 0.5;
    betas.beta1 = 0.8;
    betas.beta2 = 0.95;
    betas.epsilon = 1e-3;
    sums.rate_decay = 0.1;
    sums.initial = 0.1;
    centered.centered = 1;
    momentum.momentum = 0.9;
    momentum.decay = 0.01;
    const struct {
        const char *name;
        ch_optimizer o;
    } rows[] = {{"sgd", ch_sgd(0.1)},
                {"sgd_wd", decay(ch_sgd(0.1), 0.01)},
                {"sgd_momentum", ch_sgd_momentum(0.1, 0.9)},
                {"sgd_momentum_dampening", dampened},
                {"sgd_nesterov_wd", decay(ch_sgd_nesterov(0.1, 0.9), 0.01)},
                {"adam", ch_adam(0.01)},
                {"adam_l2", decay(ch_adam(0.01), 0.1)},
                {"adam_amsgrad", amsgrad(ch_adam(0.01))},
                {"adam_eps_betas", betas},
                {"adamw", ch_adamw(0.01, 0.1)},
                {"adamw_amsgrad", amsgrad(ch_adamw(0.01, 0.1))},
                {"adamax", ch_adamax(0.01)},
                {"nadam", ch_nadam(0.01)},
                {"radam", ch_radam(0.01)},
                {"adagrad", ch_adagrad(0.1)},
                {"adagrad_decay_init", sums},
                {"adadelta", ch_adadelta(1)},
                {"rmsprop", ch_rmsprop(0.01)},
                {"rmsprop_centered", centered},
                {"rmsprop_momentum", momentum},
                {"lion", ch_lion(0.01, 0)},
                {"lion_wd", ch_lion(0.01, 0.1)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run(rows[i].name, rows[i].o, CH_F32, 1e-6);
        run(rows[i].name, rows[i].o, CH_F64, 1e-13);
    }
}

// m, v as Adam's; r = m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps) + d p; p -= rate |p| / |r| r
static void lamb_by_its_formula(void **state) {
    (void)state;
    const ch_optimizer o = ch_lamb(0.02, 0.1);
    double p[N], m[N] = {0}, v[N] = {0}, g[N], r[N], got[N];
    reference_numbers(text, "p0", p, N);
    for (int i = 0; i < N; i++) p[i] = (float)p[i];
    ch_tensor *x = of(CH_F64, N, p), *slots[2] = {ch_optimizer_slot(&o, 0, x), ch_optimizer_slot(&o, 1, x)}, *out[3];
    for (int t = 1; t <= 5; t++) {
        char key[64];
        snprintf(key, sizeof key, "grad %d", t);
        reference_numbers(text, key, g, N);
        double of_p = 0, of_r = 0;
        for (int i = 0; i < N; i++) {
            g[i] = (float)g[i];
            m[i] = 0.9 * m[i] + 0.1 * g[i];
            v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
            r[i] = m[i] / (1 - pow(0.9, t)) / (sqrt(v[i] / (1 - pow(0.999, t))) + 1e-6) + 0.1 * p[i];
            of_p += p[i] * p[i];
            of_r += r[i] * r[i];
        }
        for (int i = 0; i < N; i++) p[i] -= 0.02 * sqrt(of_p) / sqrt(of_r) * r[i];
        ch_tensor *grad = of(CH_F64, N, g);
        ch_optimizer_update(&o, ch_scalar(CH_F64, t), 1, &x, &grad, slots, &out[0], &out[1]);
        if (ch_realize_all(3, out) != CH_OK) fail_msg("%s", ch_error_message());
        x = ch_detach(out[0]);
        slots[0] = ch_detach(out[1]);
        slots[1] = ch_detach(out[2]);
        read_f64(x, got, N);
        for (int i = 0; i < N; i++) assert_true(fabs(got[i] - p[i]) <= 1e-13);
    }
    double zero[N] = {0}; // a parameter of zeros has trust 1
    ch_tensor *z = of(CH_F64, N, zero), *grad = of(CH_F64, N, g);
    for (int i = 0; i < 2; i++) slots[i] = ch_optimizer_slot(&o, i, z);
    ch_optimizer_update(&o, ch_scalar(CH_F64, 1), 1, &z, &grad, slots, &out[0], &out[1]);
    read_f64(out[0], got, N);
    for (int i = 0; i < N; i++) assert_true(fabs(fabs(got[i]) - 0.02) < 1e-6);
}

// A rate from outside, factors and decays for each parameter: as two optimizers of those numbers.
static void rates_and_decays_for_each(void **state) {
    (void)state;
    double p0[N], g0[N], a[N], b[N];
    reference_numbers(text, "p0", p0, N);
    reference_numbers(text, "grad 1", g0, N);
    const ch_optimizer o = ch_adamw(0.5, 0.25), first = ch_adamw(0.02, 0), second = ch_adamw(0.01, 0.1);
    ch_tensor *p[2] = {of(CH_F32, N, p0), of(CH_F32, N, g0)}, *g[2] = {p[1], p[0]}, *slots[4], *out[6], *want[3];
    for (int i = 0; i < 4; i++) slots[i] = ch_optimizer_slot(&o, i % 2, p[i / 2]);
    const ch_update_options options = {.struct_size = sizeof options,
                                       .rate = ch_scalar(CH_F64, 0.01),
                                       .rate_factors = (double[]){2, 1},
                                       .decays = (double[]){0, 0.1}};
    ch_tensor *one = ch_scalar(CH_F64, 1);
    ch_optimizer_update_with(&o, &options, one, 2, p, g, slots, out, out + 2);
    for (int i = 0; i < 2; i++) {
        ch_optimizer_update(i == 0 ? &first : &second, one, 1, &p[i], &g[i], &slots[2 * i], &want[0], &want[1]);
        read_f64(out[i], a, N);
        read_f64(want[0], b, N);
        assert_memory_equal(a, b, sizeof a);
    }
}

static void clipping(void **state) {
    (void)state;
    static const struct {
        const char *key;
        double order, limit;
    } rows[] = {{"norm2 0.5", 2, 0.5},
                {"norm2 100.0", 2, 100},
                {"norm1 0.5", 1, 0.5},
                {"norminf 0.5", INFINITY, 0.5},
                {"value 0.25", 0, 0.25}};
    double g1[8], g2[4], want[8], got[8], norm;
    reference_numbers(text, "grad 1", g1, 8);
    reference_numbers(text, "grad 2", g2, 4);
    for (int k = 0; k < 10; k++) {
        ch_dtype dtype = k % 2 == 0 ? CH_F32 : CH_F64;
        double tolerance = dtype == CH_F32 ? 1e-6 : 1e-13;
        ch_tensor *g[2] = {of(dtype, 8, g1), of(dtype, 4, g2)}, *out[2], *total = NULL;
        char key[80];
        if (rows[k / 2].order == 0)
            ch_clip_value(2, g, rows[k / 2].limit, out);
        else
            ch_clip_norm(2, g, rows[k / 2].order, rows[k / 2].limit, out, &total);
        for (int i = 0; i < 2; i++) {
            snprintf(key, sizeof key, "clip %s float%d %d", rows[k / 2].key, dtype == CH_F32 ? 32 : 64, i);
            reference_numbers(text, key, want, i == 0 ? 8 : 4);
            read_f64(out[i], got, i == 0 ? 8 : 4);
            for (int j = 0; j < (i == 0 ? 8 : 4); j++) assert_true(fabs(got[j] - want[j]) <= tolerance);
        }
        if (total == NULL) continue;
        snprintf(key, sizeof key, "clip %s float%d norm", rows[k / 2].key, dtype == CH_F32 ? 32 : 64);
        reference_numbers(text, key, want, 1);
        assert_int_equal(ch_item(total, &norm), CH_OK);
        assert_true(fabs(norm - want[0]) <= tolerance);
    }
    g1[3] = INFINITY;
    ch_tensor *g = of(CH_F32, 8, g1), *out, *total;
    ch_clip_norm(1, &g, 2, 1, &out, &total);
    assert_int_equal(ch_item(total, &norm), CH_OK);
    read_f64(out, got, 8);
    assert_true(isinf(norm) && isnan(got[0]) && isnan(got[3]));
    ch_clip_norm(1, &g, 3, 1, &out, &total);
    assert_int_equal(ch_realize(out), CH_INVALID_ARGUMENT);
    assert_non_null(strstr(ch_error_message(), "clip_norm: order 3 and limit 1 — order is 1, 2 or INFINITY"));
}

static void averages(void **state) {
    (void)state;
    double got[2];
    ch_tensor *a = of(CH_F64, 2, (double[]){1, 2}), *v = of(CH_F64, 2, (double[]){3, -2}), *out;
    ch_ema(0.75, 1, &a, &v, &out);
    read_f64(out, got, 2);
    assert_true(got[0] == 1.5 && got[1] == 1);
}

static void schedules(void **state) {
    (void)state;
    ch_schedule three = ch_schedule_one_cycle(24);
    three.linear = three.three = 1;
    three.rising = 0.25;
    const int64_t milestones[] = {3, 8, 15}, until[] = {4};
    const double tenths[] = {0.1, 0.01, 0.001}, whole[] = {1};
    const struct {
        const char *name;
        double base, factor;
        ch_schedule s;
    } rows[] = {
        {"StepLR step_size=5 gamma=0.5", 0.1, 1, ch_schedule_step(5, 0.5)},
        {"MultiStepLR milestones=3,8,15 gamma=0.1", 0.1, 1, ch_schedule_piecewise(3, milestones, tenths)},
        {"ExponentialLR gamma=0.9", 0.1, 1, ch_schedule_exponential(0.9)},
        {"CosineAnnealingLR T_max=20 eta_min=0.001", 0.1, 1, ch_schedule_cosine(20, 0.001)},
        {"CosineAnnealingWarmRestarts T_0=5 T_mult=2", 0.1, 1, ch_schedule_restarts(5, 2, 0)},
        {"LinearLR start=0.25 end=1 iters=8", 0.1, 1, ch_schedule_linear(0.25, 1, 8)},
        {"ConstantLR factor=0.5 iters=4", 0.1, 0.5, ch_schedule_piecewise(1, until, whole)},
        {"PolynomialLR iters=20 power=2", 0.1, 1, ch_schedule_polynomial(20, 2)},
        {"OneCycleLR max=1 total=24", 1, 1, ch_schedule_one_cycle(24)},
        {"OneCycleLR max=1 total=24 linear pct=0.25 three_phase", 1, 1, three},
        {"CyclicLR base=0.01 max=0.1 up=4 triangular2", 0.01, 1, ch_schedule_cyclic(4, 0.1)},
        {"warm-up 5 then cosine to 0 at 24", 0.1, 1, ch_schedule_warmup(ch_schedule_cosine(19, 0), 5)},
        {"warm-up 5 then linear to 0 at 24", 0.1, 1, ch_schedule_warmup(ch_schedule_linear(1, 0, 19), 5)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double want[24];
        char key[96];
        snprintf(key, sizeof key, "schedule %s", rows[i].name);
        reference_numbers(text, key, want, 24);
        assert_int_equal(ch_schedule_check(&rows[i].s), CH_OK);
        for (int t = 0; t < 24; t++) {
            double got = ch_schedule_rate(&rows[i].s, rows[i].base, t);
            if (rows[i].factor != 1 && t < 4) got *= rows[i].factor; // torch's constant start
            if (fabs(got - want[t]) > 1e-13) fail_msg("%s: step %d is %.17g, not %.17g", key, t, got, want[t]);
        }
    }
    const ch_schedule constant = ch_schedule_constant(), bad = ch_schedule_cosine(0, 0);
    assert_true(ch_schedule_rate(&constant, 0.3, 1000) == 0.3);
    assert_int_equal(ch_schedule_check(&bad), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "schedule: total is 0 — at least 1 is allowed");
    const int64_t down[] = {8, 3};
    const ch_schedule order = ch_schedule_piecewise(2, down, tenths);
    assert_int_equal(ch_schedule_check(&order), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "schedule: step 1 is 3 after 8 — steps have to grow");
}

static void rates_by_a_metric(void **state) {
    (void)state;
    double metric[18], want[18];
    reference_numbers(text, "plateau metric", metric, 18);
    reference_numbers(text, "plateau", want, 18);
    ch_plateau p = ch_plateau_make(0.1, 0.5, 2);
    for (int i = 0; i < 18; i++) assert_true(fabs(ch_plateau_report(&p, metric[i]) - want[i]) <= 1e-15);
}

static void names_and_mistakes(void **state) {
    (void)state;
    const ch_optimizer o = ch_rmsprop(1), odd = {.kind = (ch_optimizer_kind)77};
    assert_string_equal(ch_optimizer_name(&o), "rmsprop");
    assert_null(ch_optimizer_name(&odd));
    assert_string_equal(ch_optimizer_slot_name(&o, 0), "square");
    assert_null(ch_optimizer_slot_name(&o, 1));
    ch_tensor *p = ch_ones(CH_F32, 1, (int64_t[]){2}), *g = ch_ones(CH_F64, 1, (int64_t[]){2}), *out, *slot;
    assert_int_equal(ch_realize(ch_optimizer_slot(&o, 1, p)), CH_INVALID_ARGUMENT);
    ch_optimizer_update(&odd, ch_scalar(CH_F64, 1), 1, &p, &p, NULL, &out, NULL);
    assert_int_equal(ch_realize(out), CH_INVALID_ARGUMENT);
    assert_non_null(strstr(ch_error_message(), "test_nn_optim.c:"));
    assert_non_null(strstr(ch_error_message(), "optimizer kind 77 — give one of ch_optimizer_kind"));
    slot = ch_optimizer_slot(&o, 0, p);
    ch_optimizer_update(&o, ch_scalar(CH_F64, 1), 1, &p, &g, &slot, &out, &slot);
    assert_int_equal(ch_realize(out), CH_INVALID_ARGUMENT); // the caller's line, not the library's
    assert_non_null(strstr(ch_error_message(), "test_nn_optim.c:"));
    assert_string_equal(ch_error_id(), "dtype_mismatch");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(optimizers, end_thread),
        cmocka_unit_test_teardown(lamb_by_its_formula, end_thread),
        cmocka_unit_test_teardown(rates_and_decays_for_each, end_thread),
        cmocka_unit_test_teardown(clipping, end_thread),
        cmocka_unit_test_teardown(averages, end_thread),
        cmocka_unit_test_teardown(schedules, end_thread),
        cmocka_unit_test_teardown(rates_by_a_metric, end_thread),
        cmocka_unit_test_teardown(names_and_mistakes, end_thread),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
