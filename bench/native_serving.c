// SPDX-License-Identifier: Apache-2.0
// native_serving.c - a GPT's logits, requests of many lengths through one program, programs of many operations, and how
// long a process takes to its first result.
#include <math.h>
#include <string.h>

#include "native_gpt.h"

// ---------------------------------------------------------------- logits
enum { MOST_IN = 64 };

static ch_status logits(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    out[0] = ch_model_forward_with(user, in + 1, in[0]);
    return CH_OK;
}

// "tokens: i32[8,128], p0: f32[256,128], ..."
static void logits_signature(const ch_model *m, char *text, size_t cap) {
    char type[64];
    size_t n = (size_t)snprintf(text, cap, "tokens: i32[8,128]");
    for (int i = 0; i < ch_model_num_params(m); i++) {
        ch_tensor_type(ch_model_param(m, i), type, sizeof type);
        n += (size_t)snprintf(text + n, cap - n, ", p%d: %s", i, type);
    }
}

static int gpt_fwd(const char *name) {
    static const gpt_spec spec = {4};
    ch_scope scope = ch_scope_begin();
    bench_result r = {.flops = 1.946e9};
    ch_model *m = gpt_create(&spec);
    ch_tensor *in[MOST_IN] = {gpt_tokens(0)}, *out[1] = {NULL};
    ch_func *f = NULL;
    ch_exec *e = NULL;
    char signature[4096];
    bool good = m != NULL && in[0] != NULL;
    int n = good ? 1 + ch_model_num_params(m) : 0;
    for (int i = 1; i < n; i++) in[i] = ch_model_param(m, i - 1);
    if (good) logits_signature(m, signature, sizeof signature);
    double began = bench_now();
    good = good && ch_capture(logits, m, signature, 1, &f) == CH_OK && ch_compile(f, "native", NULL, &e) == CH_OK;
    good = good && ch_exec_run(e, n, in, 1, out) == CH_OK;
    r.first = bench_now() - began;
    good = good && bench_repeat_exec(&r, e, n, in, 1, out);
    if (good) {
        r.check = bench_sum_abs(1, out);
        r.kernels = bench_kernels(f);
    }
    int failed = bench_line(name, good, &r, 122255);
    ch_release(in[0]);
    ch_release(out[0]);
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_model_destroy(m);
    (void)ch_scope_end(scope);
    return failed;
}

// ---------------------------------------------------------------- lengths
enum { REQUESTS = 200, LONGEST = 512, LAYERS = 2, MATRICES = 4 * LAYERS };

static ch_tensor *standardized(ch_tensor *x) {
    const int64_t n = GPT_WIDTH;
    return ch_layer_norm(x, ch_ones(CH_F32, 1, &n), ch_zeros(CH_F32, 1, &n), 1e-5);
}

// Two blocks over x [1, n, width]; the weights follow x.
static ch_status two_blocks(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)user, (void)n_in, (void)n_out;
    ch_tensor *x = in[0];
    for (int k = 0; k < LAYERS; k++) {
        ch_tensor *const *w = in + 1 + 4 * k;
        x = ch_add(x, ch_dot(gpt_attention(ch_dot(standardized(x), w[0])), w[1]));
        x = ch_add(x, ch_dot(ch_gelu_tanh(ch_dot(standardized(x), w[2])), w[3]));
    }
    out[0] = x;
    return CH_OK;
}

static bool one_length(ch_exec *e, ch_tensor *const *weights, ch_tensor *x, int64_t n, double *sum) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *in[1 + MATRICES] = {x}, *out[1] = {NULL};
    memcpy(in + 1, weights, MATRICES * sizeof *in);
    bool good = ch_exec_run(e, 1 + MATRICES, in, 1, out) == CH_OK;
    const float *v = good ? ch_data(out[0]) : NULL;
    for (int64_t i = 0; v != NULL && i < n * GPT_WIDTH; i++) *sum += fabs((double)v[i]);
    ch_release(out[0]);
    return ch_scope_end(scope) == CH_OK && good;
}

static int churn(const char *name) {
    static const int64_t shapes[4][2] = {{128, 384}, {128, 128}, {128, 512}, {512, 128}};
    static const char signature[] =
        "x: f32[1,n,128], a: f32[128,384], b: f32[128,128], c: f32[128,512], "
        "d: f32[512,128], e: f32[128,384], f: f32[128,128], g: f32[128,512], h: f32[512,128]";
    ch_scope scope = ch_scope_begin();
    bench_result r = {.kernels = -1};
    ch_func *f = NULL;
    ch_exec *e = NULL;
    ch_tensor *w[MATRICES] = {NULL}, *x[1 + LONGEST] = {NULL};
    bool good = true;
    double again = 0, unused = 0, runs[1];
    for (int k = 0; good && k < MATRICES; k++) {
        const int64_t *d = shapes[k % 4];
        good = (w[k] = bench_uniform((uint32_t)(100 + k), CH_F32, 2, d, 1 / sqrt((double)d[0]), 0)) != NULL;
    }
    int64_t lengths[REQUESTS];
    for (uint32_t i = 0; good && i < REQUESTS; i++) { // before the clock begins, as the others have them
        int64_t n = lengths[i] = 1 + hashed(9, i) % LONGEST;
        if (x[n] == NULL) good = (x[n] = bench_uniform(1, CH_F32, 3, (int64_t[]){1, n, GPT_WIDTH}, 1, 0)) != NULL;
    }
    double began = bench_now();
    good = good && ch_capture(two_blocks, NULL, signature, 1, &f) == CH_OK;
    good = good && ch_compile(f, "native", NULL, &e) == CH_OK;
    r.first = bench_now() - began;
    for (int i = 0; good && i < REQUESTS; i++) good = one_length(e, w, x[lengths[i]], lengths[i], &r.check);
    runs[0] = bench_now() - began;
    for (int i = 0; good && i < REQUESTS; i++) good = one_length(e, w, x[lengths[i]], lengths[i], &unused);
    again = bench_now() - began - runs[0];
    char and[64];
    snprintf(and, sizeof and, "\"again\": %.4g, \"compiles\": 1", again);
    r.and = and;
    r.runs = runs;
    r.n_runs = 1;
    int failed = bench_line(name, good, &r, 3.70342e6);
    for (int k = 0; k < MATRICES; k++) ch_release(w[k]);
    for (int n = 0; n <= LONGEST; n++) ch_release(x[n]);
    ch_exec_release(e);
    ch_func_destroy(f);
    (void)ch_scope_end(scope);
    return failed;
}

// ---------------------------------------------------------------- many operations
static ch_status unrolled(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    (void)n_in, (void)n_out;
    ch_tensor *x = in[0];
    for (int k = *(const int *)user / 4; k > 0; k--) x = ch_mul(ch_sin(x), ch_exp(ch_neg(x)));
    out[0] = ch_sum_all(x);
    return CH_OK;
}

// By the engine that runs when nobody says.
static int unroll(const char *name, int nodes) {
    const int64_t n = 16;
    ch_scope scope = ch_scope_begin();
    bench_result r = {.kernels = -1};
    ch_func *f = NULL, *g = NULL;
    ch_exec *e = NULL;
    ch_tensor *out[1] = {NULL}, *x = bench_uniform(1, CH_F32, 1, &n, 0.25, 0.5);
    double began = bench_now();
    bool good = x != NULL && ch_capture(unrolled, &nodes, "x: f32[16]", 1, &f) == CH_OK;
    double captured = bench_now();
    good = good && ch_gradient(f, NULL, &g) == CH_OK;
    double differentiated = bench_now();
    good = good && ch_compile(g, NULL, NULL, &e) == CH_OK;
    double compiled = bench_now();
    good = good && ch_exec_run(e, 1, &x, 1, out) == CH_OK;
    r.first = bench_now() - began;
    good = good && bench_repeat_exec(&r, e, 1, &x, 1, out);
    char and[160];
    snprintf(and, sizeof and, "\"gradient\": %.3g, \"compile\": %.3g", differentiated - captured,
             compiled - differentiated);
    r.and = and;
    float v[16] = {0};
    good = good && ch_read_f32(out[0], v, 16) == CH_OK;
    for (int i = 0; i < 16; i++) r.check += (double)v[i];
    int failed = bench_line(name, good, &r, 0);
    ch_release(x);
    ch_release(out[0]);
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_func_destroy(g);
    (void)ch_scope_end(scope);
    return failed;
}

// ---------------------------------------------------------------- the first result of a process
static int startup(const char *name) {
    bench_result r = {.kernels = -1};
    double began = bench_now();
    ch_scope scope = ch_scope_begin();
    ch_tensor *y = ch_add(ch_ones(CH_F32, 1, (int64_t[]){4}), ch_scalar(CH_F32, 1));
    float v[4] = {0};
    bool good = ch_read_f32(y, v, 4) == CH_OK;
    r.first = bench_now() - began;
    r.check = (double)(v[0] + v[1] + v[2] + v[3]);
    (void)ch_scope_end(scope);
    return bench_line(name, good, &r, 8);
}

int bench_serving(const char *name) {
    if (strcmp(name, "gpt_fwd") == 0) return gpt_fwd(name);
    if (strcmp(name, "churn") == 0) return churn(name);
    if (strcmp(name, "startup") == 0) return startup(name);
    if (strncmp(name, "unroll_", 7) == 0 && atoi(name + 7) > 0) return unroll(name, atoi(name + 7));
    return -1;
}

void bench_names_serving(void) { puts("gpt_fwd\nchurn\nunroll_100\nunroll_1000\nunroll_10000\nstartup"); }
