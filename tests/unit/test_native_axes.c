// SPDX-License-Identifier: Apache-2.0
// test_native_axes.c - softmax, norms and their gradients over vectors and along axes that are not the last: one kernel
// each, as ch_explain counts them, and values beside the interpreter at sizes 0, 1, odd and larger than a block, NaN
// and infinite numbers among them.

#include "../near.h"
#include "../precision.h"
#include "native_main.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "rt/rt.h"

static int end_axes(void **state) {
    (void)state;
    ch_thread_end();
    return 0;
}

// ---------------------------------------------------------------- what is along an axis
typedef enum { SOFTMAX, LOG_SOFTMAX, LOGSUMEXP, NORM, LAYER_NORM, SHARE, DEVIATION } along_what;

typedef struct {
    along_what what;
    int axis;
} along;

// (x - mean) / sqrt(variance + eps) g, along any axis
static ch_tensor *norm_along(ch_tensor *x, ch_tensor *g, int axis) {
    ch_tensor *mean = ch_broadcast_like(ch_expand_dims(ch_mean(x, 1, &axis), axis), x), *d = ch_sub(x, mean);
    ch_tensor *var = ch_mean(ch_mul(d, d), 1, &axis);
    ch_tensor *by = ch_rsqrt(ch_add(var, ch_full_like(var, 1e-5)));
    return ch_mul(ch_mul(d, ch_broadcast_like(ch_expand_dims(by, axis), x)), g);
}

static ch_status along_axis(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const along *a = user;
    ch_tensor *x = in[0];
    (void)n_in, (void)n_out;
    switch (a->what) {
    case SOFTMAX: out[0] = ch_softmax(x, a->axis); break;
    case LOG_SOFTMAX: out[0] = ch_log_softmax(x, a->axis); break;
    case LOGSUMEXP: out[0] = ch_logsumexp(x, 1, &a->axis); break;
    case NORM: out[0] = norm_along(x, in[1], a->axis); break;
    case LAYER_NORM: out[0] = ch_layer_norm(x, in[1], in[1], 1e-5); break;
    case SHARE: // of the sum, and what of that: a value that two members read, written once
        x = ch_exp(x);
        out[0] = ch_div(x, ch_broadcast_like(ch_expand_dims(ch_sum(x, 1, &a->axis), a->axis), x));
        break;
    case DEVIATION: // of the maximum: a minimum behind it
        x = ch_sub(ch_broadcast_like(ch_expand_dims(ch_amax(x, 1, &a->axis), a->axis), x), x);
        out[0] = ch_add(x, ch_broadcast_like(ch_expand_dims(ch_amin(x, 1, &a->axis), a->axis), x));
        break;
    }
    return CH_OK;
}

// ---------------------------------------------------------------- kernels
static void axes_kernels(const ch_func *f, int most, const char *what) {
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    assert_int_equal(ch_explain(f, file), CH_OK);
    fclose(file);
    const char *line = strstr(text, "  native: ");
    assert_non_null(line);
    int kernels = atoi(line + strlen("  native: "));
    if (kernels > most || kernels < 1) fail_msg("%s: %d kernels instead of %d\n%s", what, kernels, most, text);
    free(text);
}

// ---------------------------------------------------------------- values
static uint64_t axes_seed = 5;

static double axes_number(double odd) {
    axes_seed = ch__hash_u64(axes_seed);
    if (odd != 0 && axes_seed % 97 == 0) return odd;
    return (double)((int64_t)(axes_seed % 2001) - 1000) / 250;
}

static void same_at(const ch_func *f, ch_exec *const *e, int64_t n, double odd, const char *what) {
    ch__slot in[4] = {{0}}, out[2][4] = {{{0}}};
    int n_in = f->body->n_params, n_out = f->body->n_results;
    for (int i = 0; i < n_in; i++) {
        int64_t count = near_input(f, i, n, &in[i]);
        in[i].data = malloc((size_t)count * 8 + 8);
        for (int64_t k = 0; k < count; k++) {
            double v = axes_number(odd);
            if (in[i].dtype == CH_F32)
                ((float *)in[i].data)[k] = (float)v;
            else
                ((double *)in[i].data)[k] = v;
        }
    }
    for (int k = 0; k < 2; k++)
        if (ch__exec_run(e[k], NULL, n_in, in, n_out, out[k]) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
    for (int i = 0; i < n_out; i++) {
        ch_dtype d = out[0][i].dtype;
        int64_t count = 1;
        for (int k = 0; k < out[0][i].rank; k++) count *= out[0][i].dims[k];
        const void *x = out[0][i].data, *y = out[1][i].data;
        int64_t at = near_differs(d, count, x, y, ch_test_limit("native", "sum", ch_dtype_name(d), "size"));
        if (at >= 0)
            fail_msg("%s, n = %lld, %g: result %d, element %lld: %.9g instead of %.9g", what, (long long)n, odd, i,
                     (long long)at, near_item(d, y, at), near_item(d, x, at));
        for (int k = 0; k < 2; k++) ch__free_aligned(out[k][i].data);
    }
    for (int i = 0; i < n_in; i++) free(in[i].data);
}

static void check_axes(ch_func *f, int most, const char *what) {
    static const int64_t sizes[] = {0, 1, 2, 37, 64, 130, 1025};
    static const double odd[] = {0, NAN, INFINITY, -INFINITY};
    ch_exec *e[2];
    axes_kernels(f, most, what);
    for (int k = 0; k < 2; k++)
        if (ch__compile(f, k == 0 ? "interp" : "native", &e[k]) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) same_at(f, e, sizes[i], odd[k], what);
    for (int k = 0; k < 2; k++) ch_exec_release(e[k]);
    ch_func_destroy(f);
}

// The value and the product of a vector with the Jacobian, of f32 and of f64; %s in the signature is the dtype.
static void both_ways(along a, const char *signature, const char *wrt, int backward) {
    static const char *const dtypes[] = {"f32", "f64"};
    for (int k = 0; k < 2; k++) {
        char text[160];
        snprintf(text, sizeof text, signature, dtypes[k], dtypes[k]);
        ch_func *f = NULL, *g = NULL;
        if (ch_capture(along_axis, &a, text, 1, &f) != CH_OK || ch_vjp(f, wrt, 0, &g) != CH_OK)
            fail_msg("%s: %s", text, ch_error_message());
        check_axes(f, 1, text);
        check_axes(g, backward, text);
    }
}

static void vectors(void **state) {
    (void)state;
    both_ways((along){SOFTMAX, 0}, "x: %s[n]", "x", 1);
    both_ways((along){LOG_SOFTMAX, 0}, "x: %s[n]", "x", 1);
    both_ways((along){LOGSUMEXP, 0}, "x: %s[n]", "x", 1);
    both_ways((along){LAYER_NORM, 0}, "x: %s[37], g: %s[37]", "x, g", 1);
    both_ways((along){NORM, 0}, "x: %s[n], g: %s[n]", "x, g", 1);
    both_ways((along){SHARE, 0}, "x: %s[n]", "x", 1);
    both_ways((along){DEVIATION, 0}, "x: %s[n]", "x", 1);
    both_ways((along){SOFTMAX, 0}, "x: %s[1000]", "x", 1);
}

static void columns(void **state) {
    (void)state;
    both_ways((along){SOFTMAX, 0}, "x: %s[n,67]", "x", 1);
    both_ways((along){SOFTMAX, 0}, "x: %s[9,n]", "x", 1);
    both_ways((along){SOFTMAX, 1}, "x: %s[3,n,5]", "x", 1);
    both_ways((along){SOFTMAX, 1}, "x: %s[2,4,3,n]", "x", 1);
    both_ways((along){LOG_SOFTMAX, 0}, "x: %s[n,n]", "x", 1);
    both_ways((along){LOG_SOFTMAX, 2}, "x: %s[1,3,n,70]", "x", 1);
    both_ways((along){LOGSUMEXP, 0}, "x: %s[n,33]", "x", 1);
    both_ways((along){NORM, 0}, "x: %s[n,40], g: %s[n,40]", "x, g", 1);
    both_ways((along){NORM, 1}, "x: %s[2,n,1,9], g: %s[2,n,1,9]", "x, g", 1);
    both_ways((along){SHARE, 0}, "x: %s[n,66]", "x", 1);
    both_ways((along){DEVIATION, 1}, "x: %s[3,n,65]", "x", 1);
}

// Vectors known to be long stay kernels that threads share out.
static void long_vectors(void **state) {
    (void)state;
    along a = {SOFTMAX, 0};
    ch_func *f = NULL;
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(ch_capture(along_axis, &a, "x: f32[1000000]", 1, &f), CH_OK);
    FILE *file = open_memstream(&text, &n);
    assert_int_equal(ch_explain(f, file), CH_OK);
    fclose(file);
    assert_non_null(strstr(text, "  native: 3 kernels (shared out among threads 3"));
    free(text);
    ch_func_destroy(f);
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(vectors, end_axes),
        cmocka_unit_test_teardown(columns, end_axes),
        cmocka_unit_test_teardown(long_vectors, end_axes),
    };
    return cmocka_run_group_tests_name("native_axes", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
