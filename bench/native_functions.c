// SPDX-License-Identifier: Apache-2.0
// native_functions.c - functions of arrays: elementwise chains, rows, sums, products, and what a call costs.
#include <string.h>

#include "native_bench.h"

static ch_tensor *number(ch_tensor *like, double v) { return ch_full_like(like, v); }

BODY(chain_cheap)
ch_tensor *y = in[0];
for (int k = 0; k < 5; k++) {
    y = ch_add(ch_mul(y, number(y, 1.03 + 0.01 * k)), in[0]);
    y = ch_min(ch_max(y, number(y, -1.5 - 0.1 * k)), number(y, 1.4 + 0.1 * k));
}
out[0] = y;
END BODY(chain_trans)
ch_tensor *y = in[0];
for (int k = 0; k < 5; k++) y = ch_tanh(ch_sub(ch_exp(ch_mul(y, number(y, -0.5 - 0.1 * k))), in[0]));
out[0] = y;
END BODY(softmax_rows) out[0] = ch_softmax(in[0], -1);
END BODY(layer_norm_rows) out[0] = ch_layer_norm(in[0], in[1], in[2], 1e-5);
END BODY(norm_softmax) out[0] = ch_sum_all(ch_mul(ch_softmax(ch_layer_norm(in[0], in[1], in[2], 1e-5), -1), in[3]));
END BODY(sum_first) const int axis = 0;
out[0] = ch_sum(in[0], 1, &axis);
END BODY(sum_second) const int axis = 1;
out[0] = ch_sum(in[0], 1, &axis);
END BODY(sum_both) out[0] = ch_sum_all(in[0]);
END BODY(product) out[0] = ch_dot(in[0], in[1]);
END BODY(sum_of_two) out[0] = ch_add(in[0], in[1]);
END enum { CHAIN = 25 };
BODY(products_and_tanh)
ch_tensor *y = in[0];
for (int k = 1; k <= CHAIN; k++) y = ch_tanh(ch_dot(y, in[k]));
out[0] = y;
END

    typedef struct {
    const char *name;
    ch_tensor_fn fn;
    const char *signature, *wrt; // wrt: the gradients are measured
    int n_in, n_out;
    double check; // 0: nobody says
} workload;

#define X8 "f32[8,8]"
static const char chain50_signature[] =
    "x: " X8 ", a: " X8 ", b: " X8 ", c: " X8 ", d: " X8 ", e: " X8 ", f: " X8 ", g: " X8 ", h: " X8 ", i: " X8
    ", j: " X8 ", k: " X8 ", l: " X8 ", m: " X8 ", n: " X8 ", o: " X8 ", p: " X8 ", q: " X8 ", r: " X8 ", s: " X8
    ", t: " X8 ", u: " X8 ", v: " X8 ", w: " X8 ", y: " X8 ", z: " X8;
#define ROWS "x: f32[4096,1024], g: f32[1024], b: f32[1024]"
static const workload workloads[] = {
    {"chain20_cheap", chain_cheap, "x: f32[4194304]", NULL, 1, 1, 6.71938e6},
    {"chain20_trans", chain_trans, "x: f32[4194304]", NULL, 1, 1, 2.11429e6},
    {"softmax", softmax_rows, "x: f32[4096,1024]", NULL, 1, 1, 4096},
    {"layernorm", layer_norm_rows, ROWS, NULL, 3, 1, 2.73524e6},
    {"norm_softmax_grad", norm_softmax, ROWS ", u: f32[4096,1024]", "x, g, b", 4, 3, 711.677},
    {"sum_axis0", sum_first, "x: f32[4096,4096]", NULL, 1, 1, 8.3901e6},
    {"sum_axis1", sum_second, "x: f32[4096,4096]", NULL, 1, 1, 8.3901e6},
    {"sum_all", sum_both, "x: f32[4096,4096]", NULL, 1, 1, 8.3901e6},
    {"matmul_f32_64", product, "x: f32[64,64], y: f32[64,64]", NULL, 2, 1, 0},
    {"matmul_f32_128", product, "x: f32[128,128], y: f32[128,128]", NULL, 2, 1, 0},
    {"matmul_f32_256", product, "x: f32[256,256], y: f32[256,256]", NULL, 2, 1, 0},
    {"matmul_f32_512", product, "x: f32[512,512], y: f32[512,512]", NULL, 2, 1, 0},
    {"matmul_f32_1024", product, "x: f32[1024,1024], y: f32[1024,1024]", NULL, 2, 1, 8.92698e6},
    {"matmul_f32_2048", product, "x: f32[2048,2048], y: f32[2048,2048]", NULL, 2, 1, 0},
    {"matmul_f64_1024", product, "x: f64[1024,1024], y: f64[1024,1024]", NULL, 2, 1, 8.92698e6},
    {"add4", sum_of_two, "x: f32[4], y: f32[4]", NULL, 2, 1, 4.38463},
    {"chain50", products_and_tanh, chain50_signature, NULL, 1 + CHAIN, 1, 29.9386},
};
enum { N_WORKLOADS = sizeof workloads / sizeof workloads[0] };

// The i-th input: [4096,1024] and [4096,4096] have their own ranges, the chain of products its own seeds.
static ch_tensor *input(const workload *w, const ch_func *f, int i) {
    int rank = 0;
    int64_t dims[16];
    if (ch_func_param_dims(f, i, 0, NULL, NULL, &rank, dims) != CH_OK) return NULL;
    bool rows = strstr(w->signature, "[4096,1024]") != NULL, sums = strstr(w->signature, "[4096,4096]") != NULL;
    uint32_t seed = (uint32_t)i + 1;
    if (w->fn == products_and_tanh) seed = i == 0 ? 3 : (uint32_t)(99 + i);
    return bench_uniform(seed, ch_func_param_dtype(f, i), rank, dims, rows && i == 0 ? 3 : 1, sums ? 0.5 : 0);
}

static double flops_of(const workload *w, const ch_func *f) {
    int rank = 0;
    int64_t d[16];
    if (w->fn != product || ch_func_param_dims(f, 0, 0, NULL, NULL, &rank, d) != CH_OK) return 0;
    return 2.0 * (double)d[0] * (double)d[0] * (double)d[0];
}

static int measure(const workload *w) {
    ch_func *f = NULL, *g = NULL;
    ch_exec *e = NULL;
    ch_tensor *in[1 + CHAIN] = {NULL}, *out[3] = {NULL};
    bench_result r = {.kernels = -1};
    ch_scope scope = ch_scope_begin();
    bool good = ch_capture(w->fn, NULL, w->signature, 1, &f) == CH_OK;
    for (int i = 0; good && i < w->n_in; i++) good = (in[i] = input(w, f, i)) != NULL;
    double began = bench_now();
    if (good && w->wrt != NULL) good = ch_gradient(f, w->wrt, &g) == CH_OK;
    const ch_func *run = g != NULL ? g : f;
    good = good && ch_compile(run, "native", NULL, &e) == CH_OK;
    good = good && ch_exec_run(e, w->n_in, in, w->n_out, out) == CH_OK;
    r.first = bench_now() - began;
    if (good) r.check = bench_sum_abs(w->n_out, out);
    good = good && bench_repeat_exec(&r, e, w->n_in, in, w->n_out, out);
    if (good) {
        r.kernels = bench_kernels(run);
        r.flops = flops_of(w, f);
    }
    int failed = bench_line(w->name, good, &r, w->check);
    for (int i = 0; i < 3; i++) ch_release(out[i]);
    for (int i = 0; i < 1 + CHAIN; i++) ch_release(in[i]);
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_func_destroy(g);
    (void)ch_scope_end(scope);
    return failed;
}

int bench_functions(const char *name) {
    int i = bench_find(name, workloads, N_WORKLOADS, sizeof workloads[0]);
    return i < 0 ? -1 : measure(&workloads[i]);
}

void bench_names_functions(void) { bench_put_names(workloads, N_WORKLOADS, sizeof workloads[0]); }
