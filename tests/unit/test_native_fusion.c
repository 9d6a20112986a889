// SPDX-License-Identifier: Apache-2.0
// test_native_fusion.c - how many kernels the native engine makes of a func, library calls among them, as ch_explain
// counts them; and that they compute what the interpreter does, at sizes 0, 1, odd and larger than a part.

#include "../near.h"
#include "../precision.h"
#include "native_main.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "rt/rt.h"

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return 0;
}

// ---------------------------------------------------------------- the count
static int kernels_of(const ch_func *f, char **out_text) {
    size_t n = 0;
    FILE *file = open_memstream(out_text, &n);
    assert_non_null(file);
    assert_int_equal(ch_explain(f, file), CH_OK);
    fclose(file);
    const char *line = strstr(*out_text, "  native: ");
    assert_non_null(line);
    return atoi(line + strlen("  native: "));
}

static void expect_kernels(const ch_func *f, int most, const char *what) {
    char *text = NULL;
    int n = kernels_of(f, &text);
    if (n > most || n < 1) fail_msg("%s: %d kernels instead of %d\n%s", what, n, most, text);
    free(text);
}

// ---------------------------------------------------------------- the values
static uint64_t seed = 3;

static double number(ch_dtype d) {
    seed = ch__hash_u64(seed);
    if (d == CH_F32 || d == CH_F64) return (double)((int64_t)(seed % 2001) - 1000) / 400;
    return (double)(seed % 5); // labels
}

static void *data_of(ch_dtype d, int64_t n) {
    char *p = malloc((size_t)n * 8 + 8);
    for (int64_t i = 0; i < n; i++) {
        double v = number(d);
        switch (d) {
        case CH_F32: ((float *)(void *)p)[i] = (float)v; break;
        case CH_F64: ((double *)(void *)p)[i] = v; break;
        case CH_I32: ((int32_t *)(void *)p)[i] = (int32_t)v; break;
        default: fail_msg("no data of %s", ch_dtype_name(d));
        }
    }
    return p;
}

// On both engines with every size n.
static void same_values(const ch_func *f, int64_t n, const char *what) {
    ch_exec *e[2];
    ch__slot in[24] = {{0}}, out[2][24] = {{{0}}};
    int n_in = f->body->n_params, n_out = f->body->n_results;
    for (int i = 0; i < n_in; i++) {
        int64_t count = near_input(f, i, n, &in[i]);
        in[i].data = data_of(in[i].dtype, count);
    }
    for (int k = 0; k < 2; k++) {
        if (ch__compile(f, k == 0 ? "interp" : "native", &e[k]) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
        if (ch__exec_run(e[k], NULL, n_in, in, n_out, out[k]) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
    }
    for (int i = 0; i < n_out; i++) {
        ch_dtype d = out[0][i].dtype;
        int64_t count = 1;
        for (int k = 0; k < out[0][i].rank; k++) count *= out[0][i].dims[k];
        const void *x = out[0][i].data, *y = out[1][i].data;
        double limit = d == CH_I32 ? 0 : ch_test_limit("native", "sum", ch_dtype_name(d), "size");
        int64_t at = near_differs(d, count, x, y, limit);
        if (at >= 0)
            fail_msg("%s, n = %lld: result %d, element %lld: %.9g instead of %.9g", what, (long long)n, i,
                     (long long)at, near_item(d, y, at), near_item(d, x, at));
        for (int k = 0; k < 2; k++) ch__free_aligned(out[k][i].data);
    }
    for (int i = 0; i < n_in; i++) free(in[i].data);
    for (int k = 0; k < 2; k++) ch__exec_release(e[k]);
}

static void check(const ch_func *f, int most, const char *what) {
    static const int64_t sizes[] = {0, 1, 3, 37, 3001};
    expect_kernels(f, most, what);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) same_values(f, sizes[i], what);
}

static void captured(ch_tensor_fn fn, const char *signature, int n_out, int most, const char *what) {
    ch_func *f = NULL;
    if (ch_capture(fn, NULL, signature, n_out, &f) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
    check(f, most, what);
    ch_func_destroy(f);
}

// The func of the values and the gradients by wrt.
static void differentiated(ch_tensor_fn fn, const char *signature, const char *wrt, int most, const char *what) {
    ch_func *f = NULL, *g = NULL;
    if (ch_capture(fn, NULL, signature, 1, &f) != CH_OK || ch_value_and_grad(f, wrt, &g) != CH_OK)
        fail_msg("%s: %s", what, ch_error_message());
    check(g, most, what);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// Results of f times their adjoints.
static void pulled_back(ch_tensor_fn fn, const char *signature, const char *wrt, int most, const char *what) {
    ch_func *f = NULL, *g = NULL;
    if (ch_capture(fn, NULL, signature, 1, &f) != CH_OK || ch_vjp(f, wrt, 0, &g) != CH_OK)
        fail_msg("%s: %s", what, ch_error_message());
    check(g, most, what);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

#define BODY(NAME)                                                                                                     \
    static ch_status NAME(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {                    \
        (void)user, (void)n_in, (void)n_out;
#define END                                                                                                            \
    return CH_OK;                                                                                                      \
    }

BODY(chain) out[0] = ch_add(in[0], ch_mul(in[1], in[2]));
END BODY(two_sums) out[0] = ch_sum_all(in[0]), out[1] = ch_sum_all(ch_mul(in[0], in[0]));
END BODY(three_outputs) out[0] = ch_exp(in[0]), out[1] = ch_neg(in[0]), out[2] = ch_mul(in[0], in[0]);
END BODY(three_shapes) out[0] = ch_exp(in[0]), out[1] = ch_sum(in[0], 1, (int[]){1}),
                       out[2] = ch_slice_axis(ch_neg(in[0]), 1, 0, 2);
END BODY(three_orders) out[0] = ch_transpose(in[0], 2, (int[]){1, 0}), out[1] = ch_mul(in[0], in[0]),
                       out[2] = ch_reshape(ch_tanh(ch_reverse(in[0], 1, (int[]){0})), 1, (int64_t[]){-1});
END BODY(softmax) out[0] = ch_softmax(in[0], -1);
END BODY(log_softmax) out[0] = ch_log_softmax(in[0], -1);
END BODY(layer_norm) out[0] = ch_layer_norm(in[0], in[1], in[2], 1e-5);
END BODY(rms_norm) out[0] = ch_rms_norm(in[0], in[1], 1e-5);
END BODY(cross_entropy) out[0] = ch_cross_entropy(in[0], in[1]);
END BODY(counted_rows)
ch_tensor *places = ch_iota_like(in[0], CH_F32, 1);
out[0] = ch_softmax(ch_add(in[0], ch_mul(places, ch_scalar(CH_F32, 0.01))), -1);
out[1] = ch_dot(places, in[1]);
END BODY(both_axes) const int first = 0, second = 1;
out[0] = ch_sum(in[0], 1, &first), out[1] = ch_sum(in[0], 1, &second), out[2] = ch_amax(in[0], 1, &second);
END BODY(bias_relu) const ch_conv_layer o = {.struct_size = sizeof o, .pad = {{1, 1}, {1, 1}}};
out[0] = ch_relu(ch_conv2d(in[0], in[1], in[2], &o));
END enum { PARAMS = 4, SLOTS = 2 };
enum { MIXED = 5 };
BODY(adam_mixed)
ch_optimizer o = ch_adam(1e-3);
ch_optimizer_update(&o, in[0], MIXED, in + 1, in + 1 + MIXED, in + 1 + 2 * MIXED, out, out + MIXED);
END BODY(momentum_mixed)
ch_optimizer o = ch_sgd_nesterov(0.1, 0.9);
ch_optimizer_update(&o, in[0], MIXED, in + 1, in + 1 + MIXED, in + 1 + 2 * MIXED, out, out + MIXED);
END BODY(adam) // step, params, gradients, means and squares
ch_optimizer o = ch_adam(1e-3);
ch_optimizer_update(&o, in[0], PARAMS, in + 1, in + 1 + PARAMS, in + 1 + 2 * PARAMS, out, out + PARAMS);
END

    static void
    chains_and_siblings(void **state) {
    (void)state;
    captured(chain, "a: f32[n,5], b: f32[n,5], c: f32[n,5]", 1, 1, "a + b c");
    captured(two_sums, "x: f32[n]", 2, 1, "two sums of one input");
    captured(two_sums, "x: f64[n,7]", 2, 1, "two sums of a matrix");
    captured(three_outputs, "x: f32[n,3]", 3, 1, "three outputs of one input");
    captured(three_shapes, "x: f32[n,6]", 3, 1, "three outputs of three shapes");
    captured(three_orders, "x: f64[n,5]", 3, 1, "three outputs in other orders");
    captured(both_axes, "x: f32[n,67]", 3, 1, "sums along both axes and a maximum");
    captured(both_axes, "x: f64[6,n]", 3, 1, "the same, few long rows");
}

static void rows(void **state) {
    (void)state;
    captured(softmax, "x: f32[n,33]", 1, 1, "softmax");
    captured(softmax, "x: f64[3,n]", 1, 1, "softmax of rows of any length");
    captured(softmax, "x: f32[n,4,5,9]", 1, 1, "softmax of four axes");
    captured(log_softmax, "x: f32[n,33]", 1, 1, "log_softmax");
    captured(counted_rows, "x: f32[n,301], w: f32[301,4]", 2, 2, "softmax beside numbers that nothing is read for");
    captured(layer_norm, "x: f32[n,65], g: f32[65], b: f32[65]", 1, 1, "layer norm");
    captured(layer_norm, "x: f64[2,n,16], g: f64[16], b: f64[16]", 1, 1, "layer norm of three axes");
    captured(rms_norm, "x: f32[n,65], g: f32[65]", 1, 1, "rms norm");
}

// As means that keep their axis: [n,1] stands for [n], in a reshape or a broadcast, and so does what is made of it.
BODY(plain_norm)
ch_tensor *d = ch_sub(in[0], ch_expand_dims(ch_mean(in[0], 1, (int[]){-1}), -1));
ch_tensor *v = ch_expand_dims(ch_mean(ch_mul(d, d), 1, (int[]){-1}), -1);
out[0] = ch_mul(d, ch_rsqrt(ch_add(v, ch_scalar(ch_tensor_dtype(v), 1e-5))));
END

    static const char kept_axis[] =
        "chaac-ir 1\nfunc @norm(%x: f32[n,65]) -> f32[n,65] {\n"
        "  %s = reduce %x {kind = sum, dims = [1], acc = f64, order = any} : f32[n]\n"
        "  %k = broadcast %s {dims = [0]} : f32[n,1]\n"
        "  %c = const {value = 65} : f32[]\n  %cs = broadcast %c {dims = []} : f32[n,1]\n"
        "  %m = div %k, %cs : f32[n,1]\n  %h = tanh %m : f32[n,1]\n  %p = compare %h, %m {dir = lt} : bool[n,1]\n"
        "  %z = select %p, %h, %m : f32[n,1]\n  %b = broadcast %z {dims = [0, 1]} : f32[n,65]\n"
        "  %y = sub %x, %b : f32[n,65]\n  return %y\n}\n";

// A value that is two results is computed into one of them and copied to the other, without an array between.
BODY(twice)
out[0] = out[1] = ch_exp(in[0]), out[2] = ch_sum(out[0], 1, (int[]){1});
END

    static void
    results_that_are_one(void **state) {
    (void)state;
    ch_func *f = NULL;
    char *text = NULL;
    captured(twice, "x: f32[n,65]", 3, 2, "a value that is two results");
    if (ch_capture(twice, NULL, "x: f32[n,65]", 3, &f) != CH_OK) fail_msg("%s", ch_error_message());
    (void)kernels_of(f, &text);
    if (strstr(text, ", 0 arrays of its own") == NULL) fail_msg("%s", text);
    free(text);
    ch_func_destroy(f);
}

static void numbers_of_rows(void **state) {
    (void)state;
    ch_func *f = NULL;
    captured(plain_norm, "x: f32[n,65]", 1, 1, "a norm without gain");
    captured(plain_norm, "x: f64[2,n,7]", 1, 1, "a norm of three axes without gain");
    pulled_back(plain_norm, "x: f32[n,65]", "x", 1, "its gradient");
    if (ch_func_parse(kept_axis, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    check(f, 1, "a norm whose mean keeps its axis");
    ch_func_destroy(f);
}

// ---------------------------------------------------------------- arrays behind each other
BODY(half_turned) // rotary positions: x c + (-x2, x1) s
ch_tensor *a = ch_slice_axis(in[0], 1, 0, 4), *b = ch_slice_axis(in[0], 1, 4, 8);
out[0] = ch_add(ch_mul(in[0], in[1]), ch_mul(ch_concat(2, (ch_tensor *[]){ch_neg(b), a}, 1), in[2]));
END BODY(joined_sums)
ch_tensor *all = ch_concat(3, (ch_tensor *[]){in[0], in[1], ch_reverse(in[0], 1, (int[]){1})}, 1);
out[0] = ch_sum(ch_mul(all, all), 1, (int[]){1}), out[1] = ch_amax(all, 1, (int[]){1});
END BODY(joined_rows) // along the first axis, of two that nobody knows, then views of them
ch_tensor *all = ch_concat(2, (ch_tensor *[]){in[0], in[1]}, 0);
out[0] = ch_softmax(ch_add(all, all), -1);
END BODY(joined_bits)
ch_tensor *all = ch_concat(2, (ch_tensor *[]){ch_gt(in[0], ch_zeros_like(in[0])), ch_gt(in[1], in[1])}, 1);
out[0] = ch_select(all, ch_iota_like(all, CH_I32, 1), ch_full_like(ch_convert(all, CH_I32), -1));
END BODY(joined_result) // the copies start together
    out[0] = ch_concat(3, (ch_tensor *[]){ch_exp(in[0]), in[1], ch_exp(in[1])}, 1);
END BODY(joined_slow) // vectors would compute both sides
    out[0] = ch_neg(ch_concat(2, (ch_tensor *[]){ch_exp(in[0]), ch_tanh(in[1])}, 1));
END

    static void
    arrays_behind_each_other(void **state) {
    (void)state;
    captured(half_turned, "x: f32[n,8], c: f32[n,8], s: f32[8]", 1, 1, "rotary positions");
    captured(joined_sums, "x: f32[n,5], y: f32[n,m]", 2, 1, "sums over three arrays");
    captured(joined_sums, "x: f64[n,0], y: f64[n,3]", 2, 1, "sums over three arrays, two without elements");
    captured(joined_rows, "x: f32[n,5], y: f32[m,5]", 1, 1, "rows of two arrays");
    captured(joined_bits, "x: f64[n,3], y: f64[n,9]", 1, 1, "conditions of two arrays");
    captured(joined_result, "x: f32[n,3], y: f32[n,4]", 1, 1, "a result of three arrays");
    captured(joined_slow, "x: f32[n,3], y: f32[n,4]", 1, 2, "slow functions of two arrays");
}

// ---------------------------------------------------------------- integers
BODY(whole_sums) const int first = 0, second = 1;
out[0] = ch_sum_all(in[0]), out[1] = ch_sum(in[0], 1, &first), out[2] = ch_sum(ch_mul(in[0], in[0]), 1, &second);
out[3] = ch_amax(in[0], 2, (int[]){0, 1}), out[4] = ch_amin(in[0], 1, &first);
END

    static void
    sums_of_integers(void **state) {
    (void)state;
    captured(whole_sums, "x: i32[n,67]", 5, 1, "sums and extremes of integers");
    captured(whole_sums, "x: i32[5,n]", 5, 1, "the same, few long rows");
}

static void rows_backward(void **state) {
    (void)state;
    pulled_back(softmax, "x: f32[n,33]", "x", 1, "softmax backward");
    pulled_back(log_softmax, "x: f64[n,33]", "x", 1, "log_softmax backward");
    pulled_back(layer_norm, "x: f32[n,65], g: f32[65], b: f32[65]", "x, g, b", 1, "layer norm backward");
    differentiated(cross_entropy, "x: f32[n,5], y: i32[n]", "x", 2, "cross entropy forward and backward");
    differentiated(cross_entropy, "x: f64[n,5], y: i32[n]", "x", 2, "cross entropy in f64");
}

static void calls(void **state) {
    (void)state;
    captured(bias_relu, "x: f32[n,3,7,7], w: f32[8,3,3,3], b: f32[8]", 1, 1, "conv + bias + relu");
}

static void updates(void **state) {
    (void)state;
    char text[1024] = "step: f64[]";
    static const char *const shapes[PARAMS] = {"f32[40,50]", "f32[50]", "f32[3,3,8,8]", "f32[2000]"};
    for (int i = 0; i < PARAMS * (2 + SLOTS); i++) {
        int k = i < 2 * PARAMS ? i % PARAMS : (i - 2 * PARAMS) / SLOTS;
        snprintf(text + strlen(text), sizeof text - strlen(text), ", p%d: %s", i, shapes[k]);
    }
    captured(adam, text, PARAMS * (1 + SLOTS), 1, "Adam over all parameters");
}

// Shapes and dtypes differ, and single numbers, whose updates are lines, stand between arrays.
static void updates_of_all_kinds(void **state) {
    (void)state;
    static const char *const shapes[MIXED] = {"f32[40,50]", "f32[]", "f64[3,3]", "f64[]", "f32[2000]"};
    for (int slots = 1; slots <= 2; slots++) {
        char text[1024] = "step: f64[]";
        for (int i = 0; i < MIXED * (2 + slots); i++) {
            int k = i < 2 * MIXED ? i % MIXED : (i - 2 * MIXED) / slots;
            snprintf(text + strlen(text), sizeof text - strlen(text), ", p%d: %s", i, shapes[k]);
        }
        captured(slots == 1 ? momentum_mixed : adam_mixed, text, MIXED * (1 + slots), 1, "updates of all kinds");
    }
}

// ---------------------------------------------------------------- a whole step
static void mlp_step(void **state) {
    (void)state;
    ch_model *m = ch_mlp((int64_t[]){784, 128, 10}, 3, CH_RELU, ch_key_make(7));
    ch_trainer *t = NULL;
    double loss = 0;
    assert_non_null(m);
    assert_int_equal(ch_trainer_create(m, ch_softmax_cross_entropy, ch_adam(1e-3), "interp", &t), CH_OK);
    ch_tensor *x = ch_ones(CH_F32, 2, ((int64_t[]){2, 784})), *y = ch_zeros(CH_I32, 1, (int64_t[]){2});
    assert_int_equal(ch_trainer_step(t, x, y, &loss), CH_OK);
    expect_kernels(ch_trainer_func(t), 12, "a step of mlp_train");
    ch_trainer_destroy(t);
    ch_model_destroy(m);
}

// ---------------------------------------------------------------- a model of layers
BODY(attention)
const ch_attention_options causal = {.struct_size = sizeof causal, .causal = 1};
out[0] = ch_attention(in[0], in[1], in[2], NULL, &causal);
END

    static void
    attention_of_heads(void **state) {
    (void)state;
    captured(attention, "q: f32[n,2,9,8], k: f32[n,2,9,8], v: f32[n,2,9,8]", 1, 3, "attention");
}

BODY(attention_all)
out[0] = ch_attention(in[0], in[1], in[2], NULL, NULL);
END

    // Bytes between the kernels of a run over so many tokens, as ch_explain says them.
    static int64_t
    bytes_between(ch_tensor_fn fn, int tokens, int *out_kernels) {
    char signature[160], *text = NULL;
    ch_func *f = NULL;
    snprintf(signature, sizeof signature, "q: f32[2,4,%d,8], k: f32[2,4,%d,8], v: f32[2,4,%d,8]", tokens, tokens,
             tokens);
    if (ch_capture(fn, NULL, signature, 1, &f) != CH_OK) fail_msg("%s", ch_error_message());
    *out_kernels = kernels_of(f, &text);
    const char *line = strstr(text, "  arena of a run: ");
    assert_non_null(line);
    int64_t bytes = atoll(line + strlen("  arena of a run: "));
    free(text);
    ch_func_destroy(f);
    return bytes;
}

// Both read the same mask, which no kernel writes.
BODY(two_attentions)
const ch_attention_options causal = {.struct_size = sizeof causal, .causal = 1};
out[0] = ch_attention(ch_attention(in[0], in[1], in[2], NULL, &causal), in[1], in[2], NULL, &causal);
END

    // A product, what is done to its rows and a product of them: blocks that are full, that are not, one row, none.
    static void
    blocks_of_rows(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 63, 64, 65, 131};
    static const char *const signatures[] = {"q: f32[2,2,n,8], k: f32[2,2,n,8], v: f32[2,2,n,8]",
                                             "q: f64[1,4,n,8], k: f64[1,2,n,8], v: f64[1,2,n,8]"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int k = 0; k < 2; k++) {
            ch_func *f = NULL;
            if (ch_capture(attention, NULL, signatures[k], 1, &f) != CH_OK) fail_msg("%s", ch_error_message());
            same_values(f, sizes[i], signatures[k]);
            ch_func_destroy(f);
        }
    captured(attention_all, "q: f32[1,4,n,8], k: f32[1,2,70,8], v: f32[1,2,70,4]", 1, 1, "queries of a memory");
    captured(attention_all, "q: f32[n,2,67,8], k: f32[n,2,5,8], v: f32[n,2,5,8]", 1, 1, "a memory each");
    captured(two_attentions, "q: f32[n,2,67,8], k: f32[n,2,67,8], v: f32[n,2,67,8]", 1, 2, "two layers");
}

// One kernel, the products in it; its memory grows with the number of tokens, not with the square of it.
static void attention_by_blocks(void **state) {
    (void)state;
    static const ch_tensor_fn fns[] = {attention, attention_all};
    for (int i = 0; i < 2; i++) {
        int kernels[2];
        int64_t small = bytes_between(fns[i], 1000, &kernels[0]), large = bytes_between(fns[i], 4000, &kernels[1]);
        print_message("# attention over 1000 tokens: %d kernel, %lld bytes; 4000: %lld\n", kernels[0], (long long)small,
                      (long long)large);
        assert_int_equal(kernels[0], 1);
        assert_int_equal(kernels[1], 1);
        assert_true(large <= 4 * small + 4096);
        assert_true(large < INT64_C(4) * 8 * 4000 * 4000 / 8); // the scores of all rows and heads
    }
}

// A profile counts the products of such a kernel as it counts calls: by the axes that operands have in memory.
static void profile_of_blocks(void **state) {
    (void)state;
    enum { TOKENS = 100 };
    ch_func *f = NULL;
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    if (ch_capture(attention_all, NULL, "q: f32[1,4,n,8], k: f32[1,2,n,8], v: f32[1,2,n,8]", 1, &f) != CH_OK)
        fail_msg("%s", ch_error_message());
    ch_profile_begin();
    same_values(f, TOKENS, "profiled");
    assert_int_equal(ch_profile_end(file, 1), CH_OK);
    fclose(file);
    const char *row = strstr(text, "dot, mul, reduce"), *flops = row != NULL ? strstr(row, "\"flops\": ") : NULL;
    if (flops == NULL) fail_msg("%s", text);
    double counted = atof(flops + strlen("\"flops\": ")), products = 2.0 * 2 * 4 * TOKENS * TOKENS * 8;
    if (!(counted > products && counted < 2 * products))
        fail_msg("%g flops, %g of products\n%s", counted, products, text);
    free(text);
    ch_func_destroy(f);
}

// Sums over the outermost loop bring a kernel that adds parts up, which has no row: those behind it keep theirs.
typedef struct {
    const ch_func *f;
    bool right;
} row_check;

static void look_at_rows(void *arg) {
    row_check *r = arg;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__c_native c = {.timed = true};
    ch__text_init(&t, a);
    ch__native_source(&t, r->f, &c);
    for (int64_t i = 0; i < c.costs.n; i++) {
        if (strstr(c.costs.data[i].label, "exp") == NULL) continue;
        char name[64];
        snprintf(name, sizeof name, " chaac_loops_%d(", c.costs.data[i].kernel);
        const char *body = strstr(t.data, name), *end = body != NULL ? strstr(body, "\n}\n") : NULL;
        const char *call = body != NULL ? strstr(body, "fast_exp") : NULL;
        r->right = call != NULL && call < end;
    }
    ch__arena_destroy(a);
}

// Who reads a comparison with a number makes it: none is stored. What is added up over both first axes waits in f32.
typedef struct {
    const ch_func *f;
    bool bools, waits;
} gradient_text;

static void look_at_gradient(void *arg) {
    gradient_text *r = arg;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__c_native c = {.timed = false};
    ch__text_init(&t, a);
    ch__native_source(&t, r->f, &c);
    r->bools = strstr(t.data, "bool *") != NULL;
    r->waits = strstr(t.data, "add_waiting(") != NULL;
    ch__arena_destroy(a);
}

static void comparisons_of_readers(void **state) {
    (void)state;
    ch_func *f = NULL;
    static const char text[] =
        "chaac-ir 1\nfunc @f(%g: f32[n,9,64], %x: f32[n,9,64]) -> (f32[64], f32[64], f32[n,9]) {\n"
        "  %0 = const {value = 0} : f32[]\n  %z = broadcast %0 {dims = []} : f32[n,9,64]\n"
        "  %c = compare %g, %z {dir = eq} : bool[n,9,64]\n  %p = mul %g, %x : f32[n,9,64]\n"
        "  %y = select %c, %z, %p : f32[n,9,64]\n"
        "  %s = reduce %g {kind = sum, dims = [0, 1], acc = f64, order = any} : f32[64]\n"
        "  %t = reduce %y {kind = sum, dims = [0, 1], acc = f64, order = any} : f32[64]\n"
        "  %m = reduce %y {kind = max, dims = [2]} : f32[n,9]\n"
        "  %mb = broadcast %m {dims = [0, 1]} : f32[n,9,64]\n  %d = sub %y, %mb : f32[n,9,64]\n"
        "  %e = select %c, %d, %y : f32[n,9,64]\n"
        "  %u = reduce %e {kind = sum, dims = [2], acc = f64, order = any} : f32[n,9]\n  return %s, %t, %u\n}\n";
    if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    gradient_text r = {.f = f};
    assert_int_equal(ch__protect(look_at_gradient, &r), CH_OK);
    assert_false(r.bools);
    assert_true(r.waits);
    for (int64_t n = 0; n < 40; n += 13) same_values(f, n, "comparisons and sums that wait");
    ch_func_destroy(f);
}

// Equal kernels have a row each, and their loops are there once: code that is timed is as long as other code.
typedef struct {
    const ch_func *f;
    int rows, loops, first, last;
} equal_rows;

static void look_at_equal_rows(void *arg) {
    equal_rows *r = arg;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__c_native c = {.timed = true};
    ch__text_init(&t, a);
    ch__native_source(&t, r->f, &c);
    for (int64_t i = 0; i < c.costs.n; i++) {
        if (strstr(c.costs.data[i].label, "exp") == NULL) continue;
        if (r->rows++ == 0) r->first = c.costs.data[i].kernel;
        r->last = c.costs.data[i].kernel;
    }
    for (const char *s = t.data; (s = strstr(s, "void chaac_loops_")) != NULL; s++) r->loops++;
    ch__arena_destroy(a);
}

static void rows_of_equal_kernels(void **state) {
    (void)state;
    ch_func *f = NULL;
    static const char text[] = "chaac-ir 1\nfunc @f(%x: f32[n,64], %w: f32[64,64]) -> (f32[n,64]) {\n"
                               "  %a = dot %x, %w {contract = [1]x[0]} : f32[n,64]\n  %b = exp %a : f32[n,64]\n"
                               "  %c = dot %b, %w {contract = [1]x[0]} : f32[n,64]\n  %d = exp %c : f32[n,64]\n"
                               "  %e = dot %d, %w {contract = [1]x[0]} : f32[n,64]\n  return %e\n}\n";
    if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    equal_rows r = {.f = f};
    assert_int_equal(ch__protect(look_at_equal_rows, &r), CH_OK);
    if (r.rows != 2 || r.loops != 1 || r.first == r.last)
        fail_msg("%d rows, %d loops, kernels %d and %d", r.rows, r.loops, r.first, r.last);
    ch_profile_begin();
    same_values(f, 9, "equal kernels, timed");
    assert_int_equal(ch_profile_end(NULL, 1), CH_OK);
    ch_func_destroy(f);
}

static void rows_of_kernels_behind_sums(void **state) {
    (void)state;
    ch_func *f = NULL;
    static const char text[] = "chaac-ir 1\nfunc @f(%x: f32[n,64], %y: f32[m]) -> (f32[64], f32[m]) {\n"
                               "  %s = reduce %x {kind = sum, dims = [0], order = any} : f32[64]\n"
                               "  %e = exp %y : f32[m]\n  return %s, %e\n}\n";
    if (ch_func_parse(text, "t.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    row_check r = {.f = f};
    assert_int_equal(ch__protect(look_at_rows, &r), CH_OK);
    assert_true(r.right);
    ch_func_destroy(f);
}

enum { WIDTH = 32, A_LAYER = 12 };

// Blocks over x [n, 16, 32], whose weights follow x; the mean of squares of what comes out.
static ch_status blocks(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const ch_block_layer o = {.struct_size = sizeof o,
                              .attention = {.struct_size = sizeof o.attention, .heads = 4, .causal = 1},
                              .activation = CH_GELU_TANH};
    ch_tensor *x = in[0];
    (void)n_in, (void)n_out;
    for (int k = 0; k < *(const int *)user; k++) {
        ch_tensor *const *w = in + 1 + k * A_LAYER;
        const ch_block_weights b = {.norm1 = w[0],
                                    .norm1_bias = w[1],
                                    .norm2 = w[2],
                                    .norm2_bias = w[3],
                                    .attention = {.wq = w[4], .wk = w[5], .wv = w[6], .wo = w[7]},
                                    .w_up = w[8],
                                    .b_up = w[9],
                                    .w_down = w[10],
                                    .b_down = w[11]};
        x = ch_transformer_block(x, NULL, NULL, &b, &o);
    }
    out[0] = ch_mean_all(ch_mul(x, x));
    return CH_OK;
}

// The value and all gradients of so many layers: kernels, and flops as ch_explain says them at n = 1.
static void count_layers(int layers, int *out_kernels, double *out_flops) {
    static const char *const shapes[A_LAYER] = {"f32[32]",     "f32[32]",    "f32[32]",     "f32[32]",
                                                "f32[32,32]",  "f32[32,32]", "f32[32,32]",  "f32[32,32]",
                                                "f32[32,128]", "f32[128]",   "f32[128,32]", "f32[32]"};
    char signature[4096] = "x: f32[2,16,32]", *text = NULL;
    ch_func *f = NULL, *g = NULL;
    for (int i = 0; i < layers * A_LAYER; i++)
        snprintf(signature + strlen(signature), sizeof signature - strlen(signature), ", p%d: %s", i,
                 shapes[i % A_LAYER]);
    if (ch_capture(blocks, &layers, signature, 1, &f) != CH_OK || ch_value_and_grad(f, NULL, &g) != CH_OK)
        fail_msg("%s", ch_error_message());
    *out_kernels = kernels_of(g, &text);
    const char *flops = strstr(text, "  flops: ");
    assert_non_null(flops);
    *out_flops = atof(flops + strlen("  flops: "));
    free(text);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// ---------------------------------------------------------------- arrays that are written over
static ch_tensor *mean_of_row(ch_tensor *x) {
    return ch_broadcast_like(ch_expand_dims(ch_mean(x, 1, (int[]){1}), -1), x);
}

static ch_tensor *small_product(ch_tensor *const *in) { return ch_dot(ch_mul(in[0], ch_scalar(CH_F32, 0.01)), in[1]); }

// Rows of a product, which only one kernel reads: in three passes, beside slow functions, at other places, and again.
BODY(over_softmax)
out[0] = ch_dot(ch_softmax(small_product(in), -1), in[2]);
END BODY(over_slow)
ch_tensor *p = small_product(in);
out[0] = ch_dot(ch_mul(ch_tanh(p), ch_exp(ch_neg(ch_mul(p, p)))), in[2]);
out[1] = ch_dot(ch_add(p, p), in[2]);
END BODY(over_passes)
ch_tensor *p = small_product(in), *s = ch_sub(p, mean_of_row(p));
out[0] = ch_dot(s, in[2]), out[1] = ch_dot(ch_mul(p, mean_of_row(ch_mul(s, s))), in[2]);
END BODY(over_places)
ch_tensor *p = small_product(in);
out[0] = ch_dot(ch_add(p, ch_reverse(p, 1, (int[]){1})), in[2]);
END BODY(over_again)
ch_tensor *p = small_product(in), *q = ch_add(p, ch_exp(p));
out[0] = ch_dot(q, in[2]), out[1] = ch_dot(ch_mul(q, p), in[2]);
END BODY(over_twice)
ch_tensor *p = small_product(in);
out[0] = ch_dot(ch_mul(p, p), in[2]), out[1] = ch_dot(ch_neg(p), in[2]), out[2] = p;
END

    static void
    written_over(void **state) {
    (void)state;
    const char *types = "x: f32[n,70], w: f32[70,80], v: f32[80,70]";
    captured(over_softmax, types, 1, 8, "softmax of a product");
    captured(over_slow, types, 2, 8, "slow functions of a product");
    captured(over_passes, types, 2, 8, "a product in three passes");
    captured(over_places, types, 1, 8, "a product and its mirror image");
    captured(over_again, types, 2, 8, "a product and what was made of it");
    captured(over_twice, types, 3, 8, "a product that is a result");
}

// ---------------------------------------------------------------- values that are made again
BODY(two_gelus)
ch_tensor *x = in[0];
for (int i = 0; i < 2; i++)
    x = ch_dot(ch_gelu_tanh(ch_add(ch_dot(ch_mul(x, ch_scalar(CH_F32, 0.01)), in[1]), in[2])), in[3]);
out[0] = ch_sum_all(ch_mul(ch_relu(x), x));
END

    // Of a gelu its argument and the tanh are kept for the gradient, not each step between: with the result four arrays
    // of [n,80], beside some that live shortly, and what the products are of.
    static void
    cheap_values_again(void **state) {
    (void)state;
    enum { ROWS = 1000, WIDE = 80 };
    const char *wrt = "w,b,v", *types = "x: f32[%s,70], w: f32[70,80], b: f32[80], v: f32[80,70]";
    char signature[160], *text = NULL;
    ch_func *f = NULL, *g = NULL;
    snprintf(signature, sizeof signature, types, "n");
    differentiated(two_gelus, signature, wrt, 25, "two layers with gelu");
    snprintf(signature, sizeof signature, types, "1000");
    if (ch_capture(two_gelus, NULL, signature, 1, &f) != CH_OK || ch_value_and_grad(f, wrt, &g) != CH_OK)
        fail_msg("%s", ch_error_message());
    (void)kernels_of(g, &text);
    const char *line = strstr(text, "  arena of a run: ");
    assert_non_null(line);
    int64_t bytes = atoll(line + strlen("  arena of a run: "));
    print_message("# arena of two layers with gelu: %lld bytes\n", (long long)bytes);
    assert_true(bytes < INT64_C(11) * ROWS * WIDE * 4);
    free(text);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

typedef struct {
    const ch_func *f;
    int questions, behind; // how many, and how many read an array behind them
} asked;

static void look_at_questions(void *arg) {
    asked *q = arg;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__c_native c = {.timed = false};
    ch__text_init(&t, a);
    ch_func *f = ch__func_clone(q->f);
    ch__inline_composites(f);
    ch__optimize(f);
    ch__native_source(&t, f, &c);
    for (const char *s = t.data; (s = strstr(s, " ? 0.0f : ")) != NULL; s++) {
        const char *end = strchr(s, '\n'), *read = strchr(s, '[');
        q->questions++;
        q->behind += read != NULL && read < end;
    }
    ch__module_destroy(f->module);
    ch__arena_destroy(a);
}

// What a gradient reads behind `0 times anything is 0` is read before: else vectors would be read under masks.
static void reads_before_questions(void **state) {
    (void)state;
    ch_func *f = NULL, *g = NULL;
    if (ch_capture(two_gelus, NULL, "x: f32[n,70], w: f32[70,80], b: f32[80], v: f32[80,70]", 1, &f) != CH_OK ||
        ch_value_and_grad(f, "w,b,v", &g) != CH_OK)
        fail_msg("%s", ch_error_message());
    asked q = {.f = g};
    assert_int_equal(ch__protect(look_at_questions, &q), CH_OK);
    assert_true(q.questions > 4);
    assert_int_equal(q.behind, 0);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

// ---------------------------------------------------------------- axes that go in one loop
BODY(masked_sum) const int axes[] = {0, 2, 3};
out[0] = ch_mul(ch_where(ch_le(in[0], ch_scalar(CH_F32, 0)), ch_scalar(CH_F32, 0), in[1]), in[2]);
out[1] = ch_sum(out[0], 3, axes);
END BODY(half_summed) const int axes[] = {0, 3};
out[0] = ch_mul(in[0], in[1]), out[1] = ch_sum(out[0], 2, axes);
END BODY(lower_sum) const int axes[] = {0, 2, 3};
out[0] = ch_mul(ch_tril(in[0], 0), in[1]), out[1] = ch_sum(out[0], 3, axes);
END

    typedef struct {
    const ch_func *f;
    const char *word;
    int found;
} worded;

static void look_for_word(void *arg) {
    worded *w = arg;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__c_native c = {.timed = false};
    ch__text_init(&t, a);
    ch_func *f = ch__func_clone(w->f);
    ch__inline_composites(f);
    ch__optimize(f);
    ch__native_source(&t, f, &c);
    for (const char *s = t.data; (s = strstr(s, w->word)) != NULL; s++) w->found++;
    ch__module_destroy(f->module);
    ch__arena_destroy(a);
}

static void in_text(ch_tensor_fn fn, const char *signature, const char *word, bool there, const char *what) {
    ch_func *f = NULL;
    if (ch_capture(fn, NULL, signature, 2, &f) != CH_OK) fail_msg("%s: %s", what, ch_error_message());
    worded w = {.f = f, .word = word};
    assert_int_equal(ch__protect(look_for_word, &w), CH_OK);
    if ((w.found > 0) != there) fail_msg("%s: \"%s\" %d times", what, word, w.found);
    check(f, 1, what);
    ch_func_destroy(f);
}

// The last axes of what is summed over all of them are one; where something asks for one of them alone they are not.
static void axes_in_one_loop(void **state) {
    (void)state;
    in_text(masked_sum, "y: f32[n,6,13,14], g: f32[n,6,13,14], s: f32[6,1,1]", " < 182; ", true, "a sum by features");
    in_text(masked_sum, "y: f32[n,6,13,14], g: f32[n,6,13,14], s: f32[14]", " < 182; ", false, "a factor by columns");
    in_text(masked_sum, "y: f32[n,6,13,14], g: f32[n,6,13,14], s: f32[13,1]", " < 182; ", false, "a factor by rows");
    in_text(masked_sum, "y: f32[2,3,n,5], g: f32[2,3,n,5], s: f32[]", " < 5 * ", true, "rows of any number");
    in_text(half_summed, "x: f32[n,6,13,14], y: f32[n,6,13,14]", " < 182; ", false, "a sum by rows");
    in_text(lower_sum, "x: f32[n,6,14,14], y: f32[n,6,14,14]", " < 196; ", false, "what follows from the place");
}

// ---------------------------------------------------------------- rows that are made again
// Two passes read d and two read what is made of it; d lies in the result's memory.
BODY(times_a_number)
ch_tensor *d = ch_sub(in[0], mean_of_row(in[0])), *h = ch_mul(d, mean_of_row(ch_mul(d, d)));
out[0] = ch_add(ch_mul(h, mean_of_row(ch_mul(h, in[1]))), d), out[1] = ch_neg(in[1]);
END BODY(times_an_array)
ch_tensor *d = ch_sub(in[0], mean_of_row(in[0])), *h = ch_mul(d, ch_rsqrt(ch_add(ch_mul(d, d), in[1])));
out[0] = ch_add(ch_mul(h, mean_of_row(ch_mul(h, in[1]))), d), out[1] = ch_neg(in[1]);
END BODY(longer_than_its_source) // written over by the other result before the last pass
ch_tensor *d = ch_sub(in[0], mean_of_row(in[0])), *h = ch_mul(d, mean_of_row(ch_mul(d, d)));
out[0] = ch_add(d, mean_of_row(ch_mul(h, in[1]))), out[1] = ch_mul(h, mean_of_row(ch_mul(out[0], h)));
END

    // A row times a number of the row is multiplied again where a later pass reads it; what more is read for lies in an
    // array of its own.
    static void
    rows_made_again(void **state) {
    (void)state;
    in_text(times_a_number, "x: f32[n,70], y: f32[n,70]", "[70];", false, "a factor of the row");
    in_text(times_a_number, "x: f64[n,70], y: f64[n,70]", "[70];", false, "a factor of the row, f64");
    in_text(times_an_array, "x: f32[n,70], y: f32[n,70]", "[70];", true, "a factor of each element");
    captured(longer_than_its_source, "x: f32[n,70], y: f32[n,70]", 2, 1, "read behind its source");
}

// What a layer costs does not grow with how many there are.
static void layers_add_up(void **state) {
    (void)state;
    int one = 0, four = 0;
    double flops_one = 0, flops_four = 0;
    count_layers(1, &one, &flops_one);
    count_layers(4, &four, &flops_four);
    print_message("# kernels of one layer %d, of four %d; flops %.4g and %.4g\n", one, four, flops_one, flops_four);
    assert_true(one > 0 && four <= 4.2 * one);
    assert_true(flops_one > 1e6 && flops_four <= 4.2 * flops_one);
}

// Any length is served by what was compiled once.
static void lengths(void **state) {
    (void)state;
    enum { LENGTHS = 200 };
    ch_func *f = NULL;
    ch_exec *e = NULL;
    assert_int_equal(ch_capture(attention, NULL, "q: f32[1,2,n,8], k: f32[1,2,n,8], v: f32[1,2,n,8]", 1, &f), CH_OK);
    int64_t before = ch__native_compiles();
    assert_int_equal(ch_compile(f, "native", NULL, &e), CH_OK);
    for (int i = 1; i <= LENGTHS; i++) {
        ch_scope scope = ch_scope_begin();
        const int64_t dims[] = {1, 2, i * 37 % 211 + 1, 8};
        ch_tensor *in[3], *out[1] = {NULL};
        for (int k = 0; k < 3; k++) in[k] = ch_full(CH_F32, 0.25 * (k + 1), 4, dims);
        assert_int_equal(ch_exec_run(e, 3, in, 1, out), CH_OK);
        const float *v = ch_data(out[0]); // rows of equal values are themselves
        assert_true(v != NULL && fabsf(v[dims[2] * 16 - 1] - 0.75f) <= (float)(dims[2] + 4) * 0x1p-24f);
        ch_release(out[0]);
        assert_int_equal(ch_scope_end(scope), CH_OK);
    }
    assert_true(ch__native_compiles() - before <= 2);
    ch_exec_release(e);
    ch_func_destroy(f);
}

// Operands that are slices of rows, or of rows of rows, are read where they lie, in one call without a copy; where that
// cannot be, what they give is computed first.
static void slices_are_operands(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        int kernels;
    } all[] = {
        {"columns of a param",
         "%x: f32[n,96], %w: f32[64,40]) -> (%y: f32[n,40]) {\n"
         "  %s = slice %x {start = [0,16], limit = [n,80]} : f32[n,64]\n"
         "  %y = dot %s, %w {contract = [1]x[0]} : f32[n,40]\n",
         1},
        {"columns of the right operand, turned",
         "%x: f32[n,64], %w: f32[40,96]) -> (%y: f32[n,40]) {\n"
         "  %s = slice %w {start = [0,16], limit = [40,80]} : f32[40,64]\n"
         "  %t = transpose %s {perm = [1,0]} : f32[64,40]\n"
         "  %y = dot %x, %t {contract = [1]x[0]} : f32[n,40]\n",
         1},
        {"rows of weights",
         "%x: f32[n,64], %w: f32[96,80]) -> (%y: f32[n,80]) {\n"
         "  %s = slice %w {start = [32,0], limit = [96,80]} : f32[64,80]\n"
         "  %y = dot %x, %s {contract = [1]x[0]} : f32[n,80]\n",
         1},
        {"one column",
         "%x: f32[n,7], %w: f32[1,5000]) -> (%y: f32[n,5000]) {\n"
         "  %s = slice %x {start = [0,3], limit = [n,4]} : f32[n,1]\n"
         "  %y = dot %s, %w {contract = [1]x[0]} : f32[n,5000]\n",
         1},
        {"rows of rows",
         "%x: f32[n,12,8], %w: f32[32,200]) -> (%y: f32[n,200]) {\n"
         "  %s = slice %x {start = [0,2,0], limit = [n,6,8]} : f32[n,4,8]\n"
         "  %r = reshape %s : f32[n,32]\n"
         "  %y = dot %r, %w {contract = [1]x[0]} : f32[n,200]\n",
         1},
        {"parts that are not one piece",
         "%x: f32[n,12,8], %w: f32[48,200]) -> (%y: f32[n,200]) {\n"
         "  %s = slice %x {start = [0,0,2], limit = [n,12,6]} : f32[n,12,4]\n"
         "  %r = reshape %s : f32[n,48]\n"
         "  %y = dot %r, %w {contract = [1]x[0]} : f32[n,200]\n",
         2},
        {"summed along both sides of the cut",
         "%x: f32[n,12,8], %w: f32[12,4,200]) -> (%y: f32[n,200]) {\n"
         "  %s = slice %x {start = [0,0,2], limit = [n,12,6]} : f32[n,12,4]\n"
         "  %y = dot %s, %w {contract = [1,2]x[0,1]} : f32[n,200]\n",
         2},
        {"every second column",
         "%x: f32[n,96], %w: f32[48,80]) -> (%y: f32[n,80]) {\n"
         "  %s = slice %x {start = [0,1], limit = [n,96], stride = [1,2]} : f32[n,48]\n"
         "  %y = dot %s, %w {contract = [1]x[0]} : f32[n,80]\n",
         2},
        {"a part of what is computed",
         "%x: f32[n,96], %w: f32[32,150]) -> (%y: f32[n,150]) {\n"
         "  %e = mul %x, %x : f32[n,96]\n"
         "  %s = slice %e {start = [0,8], limit = [n,40]} : f32[n,32]\n"
         "  %y = dot %s, %w {contract = [1]x[0]} : f32[n,150]\n",
         2},
        {"all of what is computed, in parts",
         "%x: f32[n,96], %w: f32[48,150]) -> (%y: f32[n,150], %z: f32[n,150]) {\n"
         "  %e = mul %x, %x : f32[n,96]\n"
         "  %s = slice %e {start = [0,48], limit = [n,96]} : f32[n,48]\n"
         "  %t = slice %e {start = [0,0], limit = [n,48]} : f32[n,48]\n"
         "  %y = dot %s, %w {contract = [1]x[0]} : f32[n,150]\n"
         "  %z = dot %t, %w {contract = [1]x[0]} : f32[n,150]\n",
         3},
        {"heads of queries and keys",
         "%x: f32[3,n,16], %w: f32[16,96]) -> (%y: f32[3,4,1,n,n]) {\n"
         "  %p = dot %x, %w {contract = [2]x[0]} : f32[3,n,96]\n"
         "  %a = slice %p {start = [0,0,32], limit = [3,n,64]} : f32[3,n,32]\n"
         "  %b = slice %p {start = [0,0,64], limit = [3,n,96]} : f32[3,n,32]\n"
         "  %c = reshape %a : f32[3,n,4,8]\n"
         "  %d = reshape %b : f32[3,n,4,8]\n"
         "  %q = transpose %c {perm = [0,2,1,3]} : f32[3,4,n,8]\n"
         "  %k = transpose %d {perm = [0,2,1,3]} : f32[3,4,n,8]\n"
         "  %g = reshape %q : f32[3,4,1,n,8]\n"
         "  %y = dot %g, %k {batch = [0,1]x[0,1], contract = [4]x[3]} : f32[3,4,1,n,n]\n",
         2},
        {"columns of heads, whose rows lie side by side at last",
         "%x: f32[3,4,n,9], %w: f32[3,4,9,70]) -> (%y: f32[3,70,4,n]) {\n"
         "  %p = dot %x, %w {batch = [0,1]x[0,1], contract = [3]x[2]} : f32[3,4,n,70]\n"
         "  %y = transpose %p {perm = [0,3,1,2]} : f32[3,70,4,n]\n",
         2},
        {"heads first, of one batch axis",
         "%x: f32[40,n,9], %w: f32[40,9,30]) -> (%y: f32[30,40,n]) {\n"
         "  %p = dot %x, %w {batch = [0]x[0], contract = [2]x[1]} : f32[40,n,30]\n"
         "  %y = transpose %p {perm = [2,0,1]} : f32[30,40,n]\n",
         2},
        {"axes of size 1 left out",
         "%x: f32[1,n,96], %w: f32[64,40]) -> (%y: f32[40,n]) {\n"
         "  %s = slice %x {start = [0,0,16], limit = [1,n,80]} : f32[1,n,64]\n"
         "  %t = transpose %s {perm = [2,0,1]} : f32[64,1,n]\n"
         "  %r = reshape %t : f32[64,n]\n"
         "  %y = dot %w, %r {contract = [0]x[0]} : f32[40,n]\n",
         1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[2048];
        ch_func *f = NULL;
        const char *results = strstr(all[i].text, "%z =") ? "%y, %z" : "%y";
        snprintf(text, sizeof text, "chaac-ir 1\nfunc @f(%s  return %s\n}\n", all[i].text, results);
        if (ch_func_parse(text, "test", &f) != CH_OK) fail_msg("%s: %s", all[i].what, ch_error_message());
        static const int64_t sizes[] = {0, 1, 3, 37, 300};
        expect_kernels(f, all[i].kernels, all[i].what);
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) same_values(f, sizes[k], all[i].what);
        ch_func_destroy(f);
    }
}

// A position that counts down is divided by a row's size, known or not: rounded down, below 0 too.
static void rows_from_the_end(void **state) {
    (void)state;
    static const char *const rows[] = {"n", "4"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        ch_func *f = NULL;
        snprintf(text, sizeof text,
                 "chaac-ir 1\nfunc @f(%%x: f64[n,%s]) -> f64[%s*floordiv(n + 1, 2)] {\n"
                 "  %%s = slice %%x {start = [0,0], limit = [n,%s], stride = [2,1]} : f64[floordiv(n + 1, 2),%s]\n"
                 "  %%h = reshape %%s : f64[%s*floordiv(n + 1, 2)]\n"
                 "  %%y = cumulative %%h {kind = sum, dim = 0, reverse = true} : f64[%s*floordiv(n + 1, 2)]\n"
                 "  return %%y\n}\n",
                 rows[i], rows[i], rows[i], rows[i], rows[i], rows[i]);
        if (ch_func_parse(text, "test", &f) != CH_OK) fail_msg("%s", ch_error_message());
        for (int64_t n = 0; n < 10; n++) same_values(f, n, "rows from the end");
        ch_func_destroy(f);
    }
}

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(chains_and_siblings, end_thread),
        cmocka_unit_test_teardown(rows, end_thread),
        cmocka_unit_test_teardown(results_that_are_one, end_thread),
        cmocka_unit_test_teardown(numbers_of_rows, end_thread),
        cmocka_unit_test_teardown(arrays_behind_each_other, end_thread),
        cmocka_unit_test_teardown(sums_of_integers, end_thread),
        cmocka_unit_test_teardown(rows_backward, end_thread),
        cmocka_unit_test_teardown(calls, end_thread),
        cmocka_unit_test_teardown(slices_are_operands, end_thread),
        cmocka_unit_test_teardown(rows_from_the_end, end_thread),
        cmocka_unit_test_teardown(updates, end_thread),
        cmocka_unit_test_teardown(updates_of_all_kinds, end_thread),
        cmocka_unit_test_teardown(mlp_step, end_thread),
        cmocka_unit_test_teardown(attention_of_heads, end_thread),
        cmocka_unit_test_teardown(blocks_of_rows, end_thread),
        cmocka_unit_test_teardown(attention_by_blocks, end_thread),
        cmocka_unit_test_teardown(profile_of_blocks, end_thread),
        cmocka_unit_test_teardown(rows_of_kernels_behind_sums, end_thread),
        cmocka_unit_test_teardown(rows_of_equal_kernels, end_thread),
        cmocka_unit_test_teardown(comparisons_of_readers, end_thread),
        cmocka_unit_test_teardown(written_over, end_thread),
        cmocka_unit_test_teardown(cheap_values_again, end_thread),
        cmocka_unit_test_teardown(reads_before_questions, end_thread),
        cmocka_unit_test_teardown(axes_in_one_loop, end_thread),
        cmocka_unit_test_teardown(rows_made_again, end_thread),
        cmocka_unit_test_teardown(layers_add_up, end_thread),
        cmocka_unit_test_teardown(lengths, end_thread),
    };
    return cmocka_run_group_tests_name("native_fusion", tests, NULL, NULL);
}

int main(void) { return native_main(run_all); }
