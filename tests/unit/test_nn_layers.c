// SPDX-License-Identifier: Apache-2.0
// test_nn_layers.c - layers and losses against JAX's values and gradients, in f64 and f32, with known and with symbolic
// sizes, and against differences.
//
// tests/data/layers.safetensors (made by make_layers.py beside it) has for each case inputs, results, seeds and the
// gradients of the sum of seed times result. The builders here make the same layer from the inputs.
#include "chaac/chaac.h"

#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };
static ch_safetensors *file;

static int begin(void **state) {
    (void)state;
    return ch_safetensors_open("tests/data/layers.safetensors", &file) == CH_OK ? 0 : -1;
}
static int finish(void **state) {
    (void)state;
    ch_safetensors_close(file);
    return 0;
}
static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

// ---- the cases: out from in
#define CONV(...) (&(ch_conv_layer){.struct_size = sizeof(ch_conv_layer), __VA_ARGS__})
#define POOL(...) (&(ch_pool_layer){.struct_size = sizeof(ch_pool_layer), __VA_ARGS__})
#define SEEN(...) (&(ch_attention_options){.struct_size = sizeof(ch_attention_options), __VA_ARGS__})
#define OF_CLASSES(...) (&(ch_cross_entropy_options){.struct_size = sizeof(ch_cross_entropy_options), __VA_ARGS__})
#define CASE(name, expression)                                                                                         \
    static void build_##name(ch_tensor *const *in, ch_tensor **out) { out[0] = expression; }

CASE(conv1d, ch_conv1d(in[0], in[1], in[2], NULL))
CASE(conv1d_same_stride, ch_conv1d(in[0], in[1], NULL, CONV(.padding = CH_PAD_SAME, .stride = {2})))
CASE(conv1d_groups, ch_conv1d(in[0], in[1], NULL, CONV(.pad = {{1, 2}}, .stride = {2}, .dilation = {2}, .groups = 2)))
CASE(conv2d, ch_conv2d(in[0], in[1], in[2], CONV(.pad = {{1, 1}, {0, 2}})))
CASE(conv2d_same, ch_conv2d(in[0], in[1], NULL, CONV(.padding = CH_PAD_SAME)))
CASE(conv2d_depthwise, ch_conv2d(in[0], in[1], NULL, CONV(.padding = CH_PAD_SAME, .stride = {2, 2}, .groups = 4)))
CASE(conv2d_circular, ch_conv2d(in[0], in[1], NULL, CONV(.pad = {{2, 1}, {1, 3}}, .mode = CH_PAD_CIRCULAR)))
CASE(conv2d_reflect, ch_conv2d(in[0], in[1], NULL, CONV(.pad = {{2, 1}, {1, 3}}, .mode = CH_PAD_REFLECT)))
CASE(conv2d_replicate, ch_conv2d(in[0], in[1], NULL, CONV(.pad = {{2, 1}, {1, 3}}, .mode = CH_PAD_REPLICATE)))
CASE(conv1d_reflect_same, ch_conv1d(in[0], in[1], NULL, CONV(.padding = CH_PAD_SAME, .mode = CH_PAD_REFLECT)))
CASE(conv_transpose, ch_conv_transpose(in[0], in[1], NULL, CONV(.stride = {2}, .pad = {{1, 1}}, .output_padding = {1})))
CASE(conv_transpose_groups,
     ch_conv_transpose(in[0], in[1], in[2],
                       CONV(.stride = {2, 1}, .pad = {{0, 1}, {1, 0}}, .dilation = {1, 2}, .groups = 2)))
CASE(pool_max, ch_pool_max(in[0], 2, POOL(.window = {3, 2}, .stride = {2, 2}, .pad = {{1, 1}, {0, 1}})))
CASE(pool_max_dilated, ch_pool_max(in[0], 2, POOL(.window = {2, 3}, .stride = {1, 2}, .dilation = {2, 2})))
CASE(pool_avg, ch_pool_avg(in[0], 2, POOL(.window = {3, 2}, .stride = {2, 2}, .pad = {{1, 1}, {0, 1}})))
CASE(pool_avg_counted,
     ch_pool_avg(in[0], 2, POOL(.window = {3, 2}, .stride = {2, 2}, .pad = {{1, 1}, {0, 1}}, .count_padding = 1)))
CASE(adaptive_avg_pool, ch_adaptive_avg_pool(in[0], 2, (int64_t[]){3, 5}))
CASE(adaptive_max_pool, ch_adaptive_max_pool(in[0], 2, (int64_t[]){2, 3}))
CASE(global_avg_pool, ch_adaptive_avg_pool(in[0], 2, (int64_t[]){1, 1}))
CASE(batch_norm, ch_batch_norm(in[0], in[1], in[2], in[3], in[4], 1e-3))
static void build_batch_norm_train(ch_tensor *const *in, ch_tensor **out) {
    ch_batch_norm_train(in[0], in[1], in[2], in[3], in[4], 0.1, 1e-3, out);
}
CASE(group_norm, ch_group_norm(in[0], 2, in[1], in[2], 1e-5))
CASE(embedding, ch_embedding(in[0], in[1], -1))
CASE(embedding_padding, ch_embedding(in[0], in[1], 3))

static void build_gru(ch_tensor *const *in, ch_tensor **out) {
    ch_gru(in[0], in[1], &(ch_recurrent_weights){in[2], in[3], in[4], in[5]}, NULL, out);
}
static void build_gru_plain(ch_tensor *const *in, ch_tensor **out) {
    ch_gru(in[0], NULL, &(ch_recurrent_weights){.w_in = in[1], .w_hid = in[2]}, NULL, out);
}
static void build_gru_backwards(ch_tensor *const *in, ch_tensor **out) {
    ch_gru(in[0], in[1], &(ch_recurrent_weights){in[2], in[3], in[4], in[5]},
           &(ch_recurrent_layer){.struct_size = sizeof(ch_recurrent_layer), .backwards = 1, .policy = "recompute"},
           out);
}
static void build_lstm(ch_tensor *const *in, ch_tensor **out) {
    ch_lstm(in[0], in[1], in[2], &(ch_recurrent_weights){in[3], in[4], in[5], in[6]}, NULL, out);
}

CASE(attention, ch_attention(in[0], in[1], in[2], NULL, NULL))
CASE(attention_causal, ch_attention(in[0], in[1], in[2], NULL, SEEN(.causal = 1)))
CASE(attention_window, ch_attention(in[0], in[1], in[2], NULL, SEEN(.causal = 1, .window = 2, .scale = 0.3)))
CASE(attention_bias, ch_attention(in[0], in[1], in[2], in[3], NULL))
CASE(attention_mask, ch_attention(in[0], in[1], in[2], in[3], NULL))
CASE(rope, ch_rope(in[0], NULL, 10000, 0))
CASE(rope_interleaved, ch_rope(in[0], in[1], 100, 1))
CASE(rope_batch, ch_rope(in[0], in[1], 500, 0))
static void build_multi_head_attention(ch_tensor *const *in, ch_tensor **out) {
    const ch_attention_weights w = {in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], in[9], in[10]};
    const ch_attention_layer o = {
        .struct_size = sizeof o, .heads = 4, .kv_heads = 2, .causal = 1, .rope_base = 100, .epsilon = 1e-6};
    out[0] = ch_multi_head_attention(in[0], NULL, NULL, NULL, &w, &o);
}
static void build_cross_attention(ch_tensor *const *in, ch_tensor **out) {
    const ch_attention_weights w = {.wq = in[2], .wk = in[3], .wv = in[4], .wo = in[5]};
    const ch_attention_layer o = {.struct_size = sizeof o, .heads = 2};
    out[0] = ch_multi_head_attention(in[0], in[1], NULL, NULL, &w, &o);
}
CASE(swiglu_mlp, ch_swiglu_mlp(in[0], in[1], in[2], in[3]))
static void build_block_llama(ch_tensor *const *in, ch_tensor **out) {
    const ch_block_weights w = {.norm1 = in[1],
                                .norm2 = in[2],
                                .attention = {.wq = in[3], .wk = in[4], .wv = in[5], .wo = in[6]},
                                .w_gate = in[7],
                                .w_up = in[8],
                                .w_down = in[9]};
    const ch_block_layer o = {
        .struct_size = sizeof o,
        .attention = {.struct_size = sizeof o.attention, .heads = 2, .kv_heads = 1, .causal = 1, .rope_base = 100}};
    out[0] = ch_transformer_block(in[0], NULL, NULL, &w, &o);
}
static void build_block_gpt(ch_tensor *const *in, ch_tensor **out) {
    const ch_block_weights w = {.norm1 = in[1],
                                .norm1_bias = in[2],
                                .norm2 = in[3],
                                .norm2_bias = in[4],
                                .attention = {.wq = in[5], .wk = in[6], .wv = in[7], .wo = in[8]},
                                .w_up = in[9],
                                .b_up = in[10],
                                .w_down = in[11],
                                .b_down = in[12]};
    const ch_block_layer o = {.struct_size = sizeof o,
                              .attention = {.struct_size = sizeof o.attention, .heads = 2, .causal = 1},
                              .activation = CH_GELU};
    out[0] = ch_transformer_block(in[0], NULL, NULL, &w, &o);
}

CASE(cross_entropy_smooth, ch_cross_entropy_with(in[0], in[1], OF_CLASSES(.smoothing = 0.1)))
CASE(cross_entropy_ignore,
     ch_cross_entropy_with(in[0], in[1], OF_CLASSES(.smoothing = 0.2, .ignore = 3, .has_ignore = 1)))
CASE(cross_entropy_none,
     ch_cross_entropy_with(in[0], in[1], OF_CLASSES(.ignore = 3, .has_ignore = 1, .reduction = CH_NONE)))
CASE(nll, ch_nll(in[0], in[1], OF_CLASSES(.reduction = CH_SUM)))
CASE(kl_divergence, ch_kl_divergence(in[0], in[1], CH_MEAN))
CASE(squared_error, ch_squared_error(in[0], in[1], CH_SUM))
CASE(huber, ch_huber(in[0], in[1], 0.7, CH_MEAN))
CASE(bce, ch_bce(in[0], in[1], CH_MEAN))
CASE(bce_logits, ch_bce_logits(in[0], in[1], CH_NONE))

// name, its first axes that share one symbol (a letter an input; -: none), flat: some results have no derivative
typedef struct {
    const char *name;
    void (*build)(ch_tensor *const *in, ch_tensor **out);
    const char *symbolic;
    int n_out;
} layer_case;
#define ROW(name, symbolic, n_out)                                                                                     \
    { #name, build_##name, symbolic, n_out }
static const layer_case convolutions[] = {ROW(conv1d, "n--", 1),          ROW(conv1d_same_stride, "n-", 1),
                                          ROW(conv1d_groups, "n-", 1),    ROW(conv2d, "n--", 1),
                                          ROW(conv2d_same, "n-", 1),      ROW(conv2d_depthwise, "n-", 1),
                                          ROW(conv2d_circular, "n-", 1),  ROW(conv2d_reflect, "n-", 1),
                                          ROW(conv2d_replicate, "n-", 1), ROW(conv1d_reflect_same, "n-", 1),
                                          ROW(conv_transpose, "n-", 1),   ROW(conv_transpose_groups, "n--", 1)};
static const layer_case pools[] = {ROW(pool_max, "n", 1),          ROW(pool_max_dilated, "n", 1),
                                   ROW(pool_avg, "n", 1),          ROW(pool_avg_counted, "n", 1),
                                   ROW(adaptive_avg_pool, "n", 1), ROW(adaptive_max_pool, "n", 1),
                                   ROW(global_avg_pool, "n", 1)};
static const layer_case norms[] = {ROW(batch_norm, "n----", 1), ROW(batch_norm_train, "n----", 3),
                                   ROW(group_norm, "n--", 1), ROW(embedding, "-n", 1), ROW(embedding_padding, "-n", 1)};
static const layer_case recurrences[] = {ROW(gru, "nn----", 2), ROW(gru_plain, "n--", 2),
                                         ROW(gru_backwards, "nn----", 2), ROW(lstm, "nnn----", 3)};
static ch_status masked_attention(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const ch_attention_options causal = {.struct_size = sizeof causal, .causal = 1};
    (void)user, (void)n_in, (void)n_out;
    out[0] = ch_attention(in[0], in[1], in[2], in[3], &causal);
    out[0] = ch_sum_all(ch_mul(out[0], out[0]));
    return CH_OK;
}

// The weights bring a rule of their own: it is their derivative, forward, backward, and once more.
static void rules_of_attention(void **state) {
    (void)state;
    const char *types = "q: f64[1,4,3,2], k: f64[1,2,5,2], v: f64[1,2,5,3], mask: f64[3,5]";
    static const int64_t dims[][4] = {{1, 4, 3, 2}, {1, 2, 5, 2}, {1, 2, 5, 3}, {3, 5}};
    ch_scope scope = ch_scope_begin();
    ch_func *f = NULL, *g = NULL;
    ch_tensor *in[4];
    double a[30];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 30; k++) a[k] = sin(1.7 * k + 3 * i);
        in[i] = ch_from_f64(a, i < 3 ? 4 : 2, dims[i]);
    }
    if (ch_capture(masked_attention, NULL, types, 1, &f) != CH_OK || ch_check_grad(f, 4, in, NULL, NULL) != CH_OK ||
        ch_check_jvp(f, 4, in, NULL, NULL) != CH_OK)
        fail_msg("%s", ch_error_message());
    if (ch_value_and_grad(f, "q,k", &g) != CH_OK || ch_check_vjp(g, 4, in, NULL, NULL) != CH_OK)
        fail_msg("once more: %s", ch_error_message());
    ch_func_destroy(g);
    ch_func_destroy(f);
    assert_int_equal(ch_scope_end(scope), CH_OK);
}

static const layer_case attentions[] = {
    ROW(attention, "nnn", 1),         ROW(attention_causal, "nnn", 1), ROW(attention_window, "nnn", 1),
    ROW(attention_bias, "nnn-", 1),   ROW(attention_mask, "nnnn", 1),  ROW(rope, "n", 1),
    ROW(rope_interleaved, "n-", 1),   ROW(rope_batch, "nn", 1),        ROW(multi_head_attention, "n----------", 1),
    ROW(cross_attention, "nn----", 1)};
static const layer_case blocks[] = {ROW(swiglu_mlp, "n---", 1), ROW(block_llama, "n---------", 1),
                                    ROW(block_gpt, "n------------", 1)};
static const layer_case losses[] = {ROW(cross_entropy_smooth, "nn", 1),
                                    ROW(cross_entropy_ignore, "nn", 1),
                                    ROW(cross_entropy_none, "nn", 1),
                                    ROW(nll, "nn", 1),
                                    ROW(kl_divergence, "nn", 1),
                                    ROW(squared_error, "nn", 1),
                                    ROW(huber, "nn", 1),
                                    ROW(bce, "nn", 1),
                                    ROW(bce_logits, "nn", 1)};

// ---- comparing
static ch_tensor *array(const char *name, const char *what, int i) {
    char key[96];
    snprintf(key, sizeof key, "%s.%s%d", name, what, i);
    if (ch_safetensors_find(file, key) < 0) return NULL;
    ch_tensor *t = NULL;
    if (ch_safetensors_read(file, key, &t) != CH_OK) fail_msg("%s: %s", key, ch_error_message());
    return t;
}

// The largest |got - want| is at most tolerance times the largest |want| (or 1).
static void near(const char *name, const char *what, int i, ch_tensor *got, ch_tensor *want, double tolerance) {
    double most = 0, far = 0;
    ch_tensor *wide = ch_convert(got, CH_F64);
    if (ch_realize(wide) != CH_OK) fail_msg("%s: %s%d: %s", name, what, i, ch_error_message());
    char a[128], b[128];
    ch_tensor_type(wide, a, sizeof a);
    ch_tensor_type(want, b, sizeof b);
    if (strcmp(a, b) != 0) fail_msg("%s: %s%d is %s, %s is wanted", name, what, i, a, b);
    const double *x = ch_data(wide), *y = ch_data(want);
    for (int64_t k = 0; k < ch_tensor_numel(want); k++) {
        if (fabs(y[k]) > most) most = fabs(y[k]);
        if (!(fabs(x[k] - y[k]) <= far)) far = fabs(x[k] - y[k]);
    }
    if (!(far <= tolerance * (most > 1 ? most : 1))) fail_msg("%s: %s%d is %g away", name, what, i, far);
}

static bool floating(const ch_tensor *t) { return ch_tensor_dtype(t) >= CH_F16 && ch_tensor_dtype(t) <= CH_F64; }

// The sum of seed times result, over the results.
static ch_tensor *total(const layer_case *c, ch_tensor *const *out, ch_tensor *const *seed, ch_dtype dtype) {
    ch_tensor *sum = ch_scalar(dtype, 0);
    for (int i = 0; i < c->n_out; i++) sum = ch_add(sum, ch_sum_all(ch_mul(out[i], ch_convert(seed[i], dtype))));
    return sum;
}

typedef struct {
    const layer_case *c;
    int n;
    ch_tensor *in[MOST], *out[3], *seed[3], *d[MOST];
} loaded;

static void read_case(const layer_case *c, loaded *l) {
    *l = (loaded){.c = c};
    for (; l->n < MOST && (l->in[l->n] = array(c->name, "in", l->n)) != NULL; l->n++)
        l->d[l->n] = array(c->name, "d", l->n);
    for (int i = 0; i < c->n_out; i++) {
        l->out[i] = array(c->name, "out", i);
        l->seed[i] = array(c->name, "seed", i);
        if (l->out[i] == NULL) fail_msg("%s has no result %d", c->name, i);
    }
    assert_true(l->n > 0);
}

static void drop_case(loaded *l) {
    for (int i = 0; i < MOST; i++) {
        ch_release(l->in[i]);
        ch_release(l->d[i]);
    }
    for (int i = 0; i < 3; i++) {
        ch_release(l->out[i]);
        ch_release(l->seed[i]);
    }
}

static void values_and_gradients(const loaded *l, ch_dtype dtype, double tolerance) {
    ch_tensor *in[MOST], *out[3];
    for (int i = 0; i < l->n; i++) in[i] = floating(l->in[i]) ? ch_convert(l->in[i], dtype) : l->in[i];
    l->c->build(in, out);
    for (int i = 0; i < l->c->n_out; i++) near(l->c->name, "out", i, out[i], l->out[i], tolerance);
    ch_tensor *sum = total(l->c, out, l->seed, dtype);
    for (int i = 0; i < l->n; i++) {
        if (l->d[i] == NULL) continue;
        bool flat = true; // a gradient that is 0 by decree is detached here
        for (int64_t k = 0; flat && k < ch_tensor_numel(l->d[i]); k++)
            flat = ((const double *)ch_data(l->d[i]))[k] == 0;
        if (flat && ch_realize(ch_grad(sum, in[i])) != CH_OK) {
            assert_string_equal(ch_error_id(), "gradient_detached");
            continue;
        }
        near(l->c->name, "d", i, ch_grad(sum, in[i]), l->d[i], tolerance);
    }
}

// ---- as a func with a symbolic batch, and its gradients against differences
static ch_status captured(void *user, int n, ch_tensor *const *in, int n_out, ch_tensor **out) {
    const loaded *l = user;
    (void)n, (void)n_out;
    l->c->build(in, out);
    return CH_OK;
}

static void signature(const loaded *l, char *text, size_t cap) {
    for (int i = 0; i < l->n; i++) {
        char type[96], *comma;
        ch_tensor_type(l->in[i], type, sizeof type);
        size_t at = strlen(text);
        if (l->c->symbolic[i] == '-') {
            snprintf(text + at, cap - at, "%sx%d: %s", i > 0 ? ", " : "", i, type);
            continue;
        }
        comma = strpbrk(type, ",]");
        snprintf(text + at, cap - at, "%sx%d: %s[n%s", i > 0 ? ", " : "", i, ch_dtype_name(ch_tensor_dtype(l->in[i])),
                 comma);
    }
}

static void symbolic_and_differences(const loaded *l) {
    char text[1024] = "";
    ch_func *f = NULL;
    ch_exec *e = NULL;
    ch_tensor *out[3] = {NULL};
    signature(l, text, sizeof text);
    assert_int_equal(strlen(l->c->symbolic), l->n);
    if (ch_capture(captured, (void *)(uintptr_t)l, text, l->c->n_out, &f) != CH_OK ||
        ch_compile(f, "interp", NULL, &e) != CH_OK || ch_exec_run(e, l->n, l->in, l->c->n_out, out) != CH_OK)
        fail_msg("%s: %s: %s", l->c->name, text, ch_error_message());
    for (int i = 0; i < l->c->n_out; i++) {
        near(l->c->name, "symbolic out", i, out[i], l->out[i], 1e-12);
        ch_release(out[i]);
    }
    if (strcmp(l->c->name, "batch_norm_train") != 0 && strcmp(l->c->name, "embedding_padding") != 0) {
        const ch_check_options o = {.struct_size = sizeof o, .tolerance = 2e-6, .most_elements = 12};
        if (ch_check_vjp(f, l->n, l->in, &o, NULL) != CH_OK) fail_msg("%s: %s", l->c->name, ch_error_message());
    }
    ch_exec_release(e);
    ch_func_destroy(f);
}

static void run(const layer_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ch_scope s = ch_scope_begin();
        loaded l;
        read_case(&cases[i], &l);
        values_and_gradients(&l, CH_F64, 1e-12);
        values_and_gradients(&l, CH_F32, 2e-6);
        symbolic_and_differences(&l);
        drop_case(&l);
        assert_int_equal(ch_scope_end(s), CH_OK);
    }
}
#define GROUP(name)                                                                                                    \
    static void test_##name(void **state) {                                                                            \
        (void)state;                                                                                                   \
        run(name, sizeof name / sizeof *name);                                                                         \
    }
GROUP(convolutions)
GROUP(pools)
GROUP(norms)
GROUP(recurrences)
GROUP(attentions)
GROUP(blocks)
GROUP(losses)

// ---- what no table says
static void dropout_by_key(void **state) {
    (void)state;
    enum { N = 20000 };
    static float a[N], b[N], c[N], g[N];
    const int64_t n = N;
    ch_tensor *x = ch_ones(CH_F32, 1, &n), *k1 = ch_key_tensor(ch_key_make(1)), *k2 = ch_key_tensor(ch_key_make(2));
    ch_tensor *y = ch_dropout(x, k1, 0.25);
    assert_int_equal(ch_read_f32(y, a, N), CH_OK);
    assert_int_equal(ch_read_f32(ch_dropout(x, k1, 0.25), b, N), CH_OK);
    assert_int_equal(ch_read_f32(ch_dropout(x, k2, 0.25), c, N), CH_OK);
    assert_int_equal(ch_read_f32(ch_grad(ch_sum_all(y), x), g, N), CH_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(a, g, sizeof a);
    int zeros = 0, differ = 0;
    for (int i = 0; i < N; i++) {
        assert_true(a[i] == 0 || fabsf(a[i] - 4.0f / 3) < 1e-6f);
        zeros += a[i] == 0;
        differ += a[i] != c[i];
    }
    assert_true(abs(zeros - N / 4) < 400 && differ > N / 4); // six deviations
    assert_ptr_equal(ch_dropout(x, k1, 0), x);
    assert_int_equal(ch_realize(ch_dropout(x, k1, 1)), CH_INVALID_ARGUMENT);
}

static void rows_that_see_nothing(void **state) {
    (void)state;
    float out[4], g[4];
    ch_tensor *q = ch_ones(CH_F32, 4, (int64_t[]){1, 1, 2, 2}),
              *k = ch_from_f32((float[]){1, 2, 3, 4}, 4, (int64_t[]){1, 1, 2, 2});
    ch_tensor *mask = ch_gt(ch_iota(CH_I32, 2, (int64_t[]){2, 2}, 0), ch_scalar(CH_I32, 0));
    ch_tensor *y = ch_attention(q, k, k, mask, NULL);
    assert_int_equal(ch_read_f32(y, out, 4), CH_OK);
    assert_true(out[0] == 0 && out[1] == 0 && out[2] > 1 && out[3] > 2);
    assert_int_equal(ch_read_f32(ch_grad(ch_sum_all(y), q), g, 4), CH_OK);
    assert_true(g[0] == 0 && g[1] == 0 && isfinite(g[2]) && isfinite(g[3]));
}

static void narrow_dtypes(void **state) {
    (void)state;
    ch_tensor *q = ch_convert(ch_iota(CH_F32, 4, (int64_t[]){1, 2, 3, 4}, 3), CH_BF16);
    ch_tensor *y = ch_attention(ch_rope(q, NULL, 100, 0), q, q, NULL, SEEN(.causal = 1));
    ch_tensor *c = ch_conv1d(ch_convert(ch_ones(CH_F32, 3, (int64_t[]){1, 2, 5}), CH_F16),
                             ch_convert(ch_ones(CH_F32, 3, (int64_t[]){3, 2, 3}), CH_F16), NULL, NULL);
    assert_int_equal(ch_realize(y), CH_OK);
    assert_int_equal(ch_tensor_dtype(y), CH_BF16);
    double v;
    assert_int_equal(ch_item(ch_amax(c, 0, NULL), &v), CH_OK);
    assert_true(v == 6 && ch_tensor_dtype(c) == CH_F16);
}

static void symbolic_steps(void **state) {
    (void)state;
    char text[200] = "";
    ch_func *f = NULL;
    static const layer_case c = ROW(attention_causal, "nnn", 1);
    loaded l = {.c = &c};
    if (ch_capture(captured, &l, "q: f32[b,4,s,6], k: f32[b,2,t,6], v: f32[b,2,t,7]", 1, &f) != CH_OK)
        fail_msg("%s", ch_error_message());
    assert_string_equal(ch_func_result_type(f, 0), "f32[b,4,s,7]");
    ch_func_destroy(f);
    static const layer_case g = ROW(gru_plain, "n--", 2);
    l.c = &g;
    if (ch_capture(captured, &l, "x: f64[b,t,3], wi: f64[3,12], wh: f64[4,12]", 2, &f) != CH_OK)
        fail_msg("%s", ch_error_message());
    assert_string_equal(ch_func_result_type(f, 0), "f64[b,t,4]");
    assert_int_equal(ch_func_count(f, "for"), 1);
    ch_func_destroy(f);
    (void)text;
}

static void mistakes(void **state) {
    (void)state;
    ch_tensor *x = ch_ones(CH_F32, 4, (int64_t[]){1, 2, 5, 5}), *w = ch_ones(CH_F32, 4, (int64_t[]){3, 2, 3, 3}),
              *w64 = ch_ones(CH_F64, 4, (int64_t[]){3, 2, 3, 3}), *v = ch_ones(CH_F32, 1, (int64_t[]){2}),
              *ids = ch_zeros(CH_I32, 1, (int64_t[]){2}), *out[3];
    const ch_recurrent_weights bad = {w, w, NULL, NULL};
    ch_gru(ch_ones(CH_F32, 3, (int64_t[]){1, 2, 3}), NULL, &bad, NULL, out);
    const struct {
        ch_tensor *t;
        const char *says;
    } rows[] = {
        {ch_conv1d(x, w, NULL, NULL), "conv1d: f32[1,2,5,5] and f32[3,2,3,3] — takes x [batch, in, ...]"},
        {ch_conv2d(x, w64, NULL, NULL), "conv2d: f32[1,2,5,5] and f64[3,2,3,3] — takes floating operands of one dtype"},
        {ch_conv2d(x, w, NULL, CONV(.groups = 2)), "conv: f32[1,2,5,5] and f32[3,2,3,3] — lhs has 2 features"},
        {ch_conv2d(x, w, NULL, CONV(.stride = {-1, 1})), "conv2d: stride -1, dilation 1, groups 1 — at least 1"},
        {ch_conv2d(x, w, NULL, CONV(.pad = {{5, 5}}, .mode = CH_PAD_REFLECT)),
         "conv2d: reflect padding of 5 on an axis of 5 — at most 4 is allowed"},
        {ch_conv2d(x, w, NULL, &(ch_conv_layer){0}),
         "conv2d: options.struct_size is 0 — set it to sizeof(ch_conv_layer)"},
        {ch_conv_transpose(x, w, NULL, CONV(.padding = CH_PAD_SAME)),
         "conv_transpose: padding is explicit and of zeros"},
        {ch_pool_max(x, 2, POOL(.window = {2, 0})), "pool_max: window 0, stride 0, dilation 1 of axis 3 — at least 1"},
        {ch_pool_max(x, 2, NULL), "pool_max: options NULL — give them with struct_size sizeof(ch_pool_layer)"},
        {ch_pool_avg(x, 5, POOL(.window = {1})), "pool_avg: the last 5 axes of f32[1,2,5,5] — 1 to 3 of its axes"},
        {ch_adaptive_avg_pool(x, 1, (int64_t[]){0}),
         "adaptive_avg_pool: size 0 for axis 3 of f32[1,2,5,5] — at least 1"},
        {ch_batch_norm(x, v, v, v, w, 1e-5),
         "batch_norm: f32[1,2,5,5] and f32[3,2,3,3] — takes x [batch, features, ...]"},
        {ch_group_norm(x, 3, v, v, 1e-5), "group_norm: 3 groups of f32[1,2,5,5] — takes x [batch, features, ...]"},
        {ch_dropout(x, ch_key_tensor(ch_key_make(1)), 1.5), "dropout: rate 1.5 — from 0 up to, not including, 1"},
        {ch_embedding(w, ids, -1), "embedding: f32[3,2,3,3] and i32[2] — takes table [entries, dim] and integers"},
        {out[1], "gru: x f32[1,2,3], w_in f32[3,2,3,3]"},
        {ch_attention(x, v, v, NULL, NULL), "attention: q f32[1,2,5,5], k f32[2], v f32[2] — takes [batch, heads,"},
        {ch_attention(x, x, x, ids, NULL), "attention: mask i32[2] — takes bool or floating"},
        {ch_rope(x, NULL, 100, 0), "rope: f32[1,2,5,5] at 0, 1, ..., base 100 — takes [..., steps, dim], dim even"},
        {ch_cross_entropy_with(x, ids, NULL), "cross_entropy: f32[1,2,5,5] and i32[2] — takes floating [..., classes]"},
        {ch_cross_entropy_with(ch_ones(CH_F32, 2, (int64_t[]){2, 3}), ids, OF_CLASSES(.smoothing = 2)),
         "cross_entropy: smoothing 2 — from 0 to 1 is allowed"},
        {ch_kl_divergence(x, v, CH_MEAN), "kl_divergence: f32[1,2,5,5] and f32[2] — takes two of [..., classes]"},
        {ch_huber(x, x, 0, CH_MEAN), "huber: delta 0 — above 0 is allowed"},
        {ch_bce(x, x, (ch_reduction)9), "bce: reduction 9 — give one of ch_reduction"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_not_equal(ch_realize(rows[i].t), CH_OK);
        if (strstr(ch_error_message(), rows[i].says) == NULL ||
            strstr(ch_error_message(), "test_nn_layers.c:") == NULL || strstr(ch_error_message(), "src/") != NULL)
            fail_msg("%s\nis said, and this is wanted: %s", ch_error_message(), rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_convolutions, end_thread),
        cmocka_unit_test_teardown(test_pools, end_thread),
        cmocka_unit_test_teardown(test_norms, end_thread),
        cmocka_unit_test_teardown(test_recurrences, end_thread),
        cmocka_unit_test_teardown(test_attentions, end_thread),
        cmocka_unit_test_teardown(rules_of_attention, end_thread),
        cmocka_unit_test_teardown(test_blocks, end_thread),
        cmocka_unit_test_teardown(test_losses, end_thread),
        cmocka_unit_test_teardown(dropout_by_key, end_thread),
        cmocka_unit_test_teardown(rows_that_see_nothing, end_thread),
        cmocka_unit_test_teardown(narrow_dtypes, end_thread),
        cmocka_unit_test_teardown(symbolic_steps, end_thread),
        cmocka_unit_test_teardown(mistakes, end_thread),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
