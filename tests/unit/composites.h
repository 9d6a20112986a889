// SPDX-License-Identifier: Apache-2.0
// composites.h - the composites of the library, forward and gradients, on an engine against the interpreter, for some
// numbers of rows.
//
// All stand in one func a dtype, so that an engine compiles few; a result that differs is named. The gradient is of the
// sum of the sines of all results, by every floating input.
#ifndef CHAAC_TESTS_COMPOSITES_H
#define CHAAC_TESTS_COMPOSITES_H

#include "../precision.h"
#include "unit.h"

#include <math.h>

#include "chaac/chaac.h"

// Inputs, by their names in the signature.
enum { X, Y, W, M, GAIN, BIAS, QUERY, IMAGES, KERNEL, TABLE, LABELS, INPUTS };
static const char signature[] = "x: @[n,6], y: @[n,6], w: @[6,4], m: @[4,4], gain: @[6], bias: @[6], q: @[1,2,n,6], "
                                "images: @[n,2,4,4], kernel: @[3,2,3,3], table: @[5,3], labels: i32[n]";

static const ch_attention_options causal = {.struct_size = sizeof causal, .causal = 1};
static const ch_conv_layer same = {.struct_size = sizeof same, .pad = {{1, 1}, {1, 1}}};
static const int last[1] = {1};
static const int64_t two[2] = {2, 2};

static ch_tensor *spd(ch_tensor *m) {
    return ch_add(ch_dot(m, ch_swap_axes(m, 0, 1)), ch_eye(ch_tensor_dtype(m), 4, 4));
}
static ch_tensor *probabilities(ch_tensor *x) { return ch_sigmoid(x); }

#define COMPOSITES(C)                                                                                                  \
    C(relu, ch_relu(in[X]))                                                                                            \
    C(leaky_relu, ch_leaky_relu(in[X], 0.1))                                                                           \
    C(gelu, ch_gelu(in[X]))                                                                                            \
    C(gelu_tanh, ch_gelu_tanh(in[X]))                                                                                  \
    C(silu, ch_silu(in[X]))                                                                                            \
    C(softplus, ch_softplus(in[X]))                                                                                    \
    C(swiglu, ch_swiglu(in[X], in[Y]))                                                                                 \
    C(softmax, ch_softmax(in[X], 1))                                                                                   \
    C(softmax_of_columns, ch_softmax(in[X], 0))                                                                        \
    C(log_softmax, ch_log_softmax(in[X], 1))                                                                           \
    C(layer_norm, ch_layer_norm(in[X], in[GAIN], in[BIAS], 1e-5))                                                      \
    C(rms_norm, ch_rms_norm(in[X], in[GAIN], 1e-5))                                                                    \
    C(group_norm, ch_group_norm(in[X], 2, in[GAIN], in[BIAS], 1e-5))                                                   \
    C(batch_norm, ch_batch_norm(in[X], in[GAIN], in[BIAS], in[BIAS], ch_mul(in[GAIN], in[GAIN]), 1e-5))                \
    C(logsumexp, ch_logsumexp(in[X], 1, last))                                                                         \
    C(var, ch_var(in[X], 1, last))                                                                                     \
    C(mean, ch_mean(in[X], 1, last))                                                                                   \
    C(mean_all, ch_mean_all(in[X]))                                                                                    \
    C(norm, ch_norm(ch_add(ch_mul(in[X], in[X]), ch_scalar(ch_tensor_dtype(in[X]), 0.5)), 1, last, 2))                 \
    C(cross_entropy, ch_cross_entropy(in[X], in[LABELS]))                                                              \
    C(softmax_cross_entropy, ch_softmax_cross_entropy(in[Y], in[LABELS]))                                              \
    C(mse, ch_mse(in[X], in[Y]))                                                                                       \
    C(huber, ch_huber(in[X], in[Y], 0.7, CH_MEAN))                                                                     \
    C(squared_error, ch_squared_error(in[X], in[Y], CH_SUM))                                                           \
    C(bce, ch_bce(probabilities(in[X]), probabilities(in[Y]), CH_MEAN))                                                \
    C(bce_logits, ch_bce_logits(in[X], probabilities(in[Y]), CH_MEAN))                                                 \
    C(kl_divergence, ch_kl_divergence(ch_log_softmax(in[X], 1), ch_softmax(in[Y], 1), CH_SUM))                         \
    C(dense, ch_dense(in[X], in[W], NULL))                                                                             \
    C(embedding, ch_embedding(in[TABLE], in[LABELS], -1))                                                              \
    C(attention, ch_attention(in[QUERY], ch_tanh(in[QUERY]), in[QUERY], NULL, &causal))                                \
    C(conv2d, ch_conv2d(in[IMAGES], in[KERNEL], NULL, &same))                                                          \
    C(max_pool, ch_max_pool(in[IMAGES], 2, two, NULL))                                                                 \
    C(avg_pool, ch_avg_pool(in[IMAGES], 2, two, NULL))                                                                 \
    C(cumsum, ch_cumsum(in[X], 0))                                                                                     \
    C(tril, ch_tril(in[X], 0))                                                                                         \
    C(roll, ch_roll(in[X], 2, 1))                                                                                      \
    C(solve, ch_solve(spd(in[M]), in[M]))                                                                              \
    C(solve_spd, ch_solve_spd(spd(in[M]), in[M]))                                                                      \
    C(inv, ch_inv(spd(in[M])))                                                                                         \
    C(det, ch_det(spd(in[M])))                                                                                         \
    C(logdet, ch_logdet(spd(in[M])))

#define NAME(name, value) #name,
static const char *const names[] = {COMPOSITES(NAME)};
enum { COUNT = sizeof names / sizeof *names };

static void all_of(ch_tensor *const *in, ch_tensor **y) {
    int k = 0;
#define PUT(name, value) y[k++] = value;
    COMPOSITES(PUT)
}

static ch_status forward(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    all_of(in, out);
    return CH_OK;
}

static ch_status total(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    ch_tensor *y[COUNT];
    (void)user, (void)n_in, (void)n_out;
    all_of(in, y);
    out[0] = ch_sum_all(ch_sin(y[0]));
    for (int k = 1; k < COUNT; k++) out[0] = ch_add(out[0], ch_sum_all(ch_sin(y[k])));
    return CH_OK;
}

// The signature with a dtype for each @.
static ch_func *captured(ch_tensor_fn fn, const char *dtype, int n_out) {
    char text[512];
    size_t n = 0;
    ch_func *f = NULL;
    for (const char *s = signature; *s; s++)
        n += (size_t)snprintf(text + n, sizeof text - n, *s == '@' ? "%s" : "%.1s", *s == '@' ? dtype : s);
    if (ch_capture(fn, NULL, text, n_out, &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

static ch_tensor *input_of(const ch_func *f, int i, int64_t n) {
    const char *const symbol[] = {"n"};
    int64_t dims[16], count = 1;
    double v[2048];
    int rank = 0;
    assert_int_equal(ch_func_param_dims(f, i, 1, symbol, &n, &rank, dims), CH_OK);
    for (int k = 0; k < rank; k++) count *= dims[k];
    assert_true(count <= 2048);
    for (int64_t k = 0; k < count; k++)
        v[k] = i == LABELS ? (double)(k * 3 % 5) : 1.3 * sin((double)(k * k + 3 * k + i));
    return ch_keep(ch_convert(ch_from_f64(v, rank, dims), ch_func_param_dtype(f, i)));
}

static void compare(const char *what, int64_t n, ch_tensor *want, ch_tensor *got, double limit) {
    ch_tensor *a = ch_convert(want, CH_F64), *b = ch_convert(got, CH_F64);
    int64_t count = ch_tensor_numel(a);
    const double *x = ch_data(a), *y = ch_data(b);
    double size = 1;
    assert_true(count == ch_tensor_numel(b));
    for (int64_t i = 0; i < count; i++)
        if (isfinite(x[i])) size = fmax(size, fabs(x[i]));
    for (int64_t i = 0; i < count; i++) {
        if ((isnan(x[i]) && isnan(y[i])) || x[i] == y[i] || fabs(x[i] - y[i]) <= limit * size) continue;
        fail_msg("%s, %d rows, element %d: %.9g instead of %.9g", what, (int)n, (int)i, y[i], x[i]);
    }
}

// What is compared with the interpreter, and for how many rows.
static const char *engine;
static const int64_t *rows;
static int n_rows;

// Both engines on the same inputs. Names: of the results, or NULL: gradients, one for each input.
static void agree(const ch_func *f, int n_out, const char *const *names_of, double limit) {
    ch_exec *e[2] = {NULL};
    for (int k = 0; k < 2; k++)
        if (ch_compile(f, k == 0 ? "interp" : engine, NULL, &e[k]) != CH_OK) fail_msg("%s", ch_error_message());
    for (int r = 0; r < n_rows; r++) {
        ch_scope scope = ch_scope_begin();
        ch_tensor *in[INPUTS], *out[2][COUNT] = {{NULL}};
        for (int i = 0; i < INPUTS; i++) in[i] = input_of(f, i, rows[r]);
        for (int k = 0; k < 2; k++)
            if (ch_exec_run(e[k], INPUTS, in, n_out, out[k]) != CH_OK) fail_msg("%s", ch_error_message());
        for (int i = 0; i < n_out; i++) {
            const char *what = names_of != NULL ? names_of[i] : ch_func_param_name(f, i);
            compare(what, rows[r], out[0][i], out[1][i], limit);
            for (int k = 0; k < 2; k++) ch_release(out[k][i]);
        }
        for (int i = 0; i < INPUTS; i++) ch_release(in[i]);
        assert_int_equal(ch_scope_end(scope), CH_OK);
    }
    for (int k = 0; k < 2; k++) ch_exec_release(e[k]);
}

// Limits are those of the table for the engine as it names it.
static void composites(const char *row, const char *dtype) {
    const double limit = ch_test_limit(row, "composite", dtype, "size");
    ch_func *f = captured(forward, dtype, COUNT), *t = captured(total, dtype, 1), *g = NULL;
    agree(f, COUNT, names, limit);
    if (ch_gradient(t, NULL, &g) != CH_OK) fail_msg("%s", ch_error_message());
    agree(g, INPUTS - 1, NULL, limit);
    ch_func_destroy(f);
    ch_func_destroy(t);
    ch_func_destroy(g);
}

#endif
