// SPDX-License-Identifier: Apache-2.0
// bench_native.c - the native engine on array programs that other libraries are measured with: chains of elementwise
// operations, rows, sums, products, and what a call costs.
//
// Inputs are a counter hash, so that the checksum (the sum of absolute values of all results) can be compared digit by
// digit with other programs' (`./run bench native` does it where it finds them). One thread unless CHAAC_NUM_THREADS
// says otherwise. One JSON line a result; a wrong checksum ends the program with 1.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "chaac/chaac.h"

#include "bench.h"

static uint32_t hashed(uint32_t seed, uint32_t i) {
    uint32_t x = i + seed * UINT32_C(0x9E3779B9);
    x ^= x >> 16;
    x *= UINT32_C(0x7FEB352D);
    x ^= x >> 15;
    x *= UINT32_C(0x846CA68B);
    return x ^ x >> 16;
}

// In [-scale, scale), plus offset.
static ch_tensor *uniform(uint32_t seed, ch_dtype d, int rank, const int64_t *dims, double scale, double offset) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    float *v = malloc((size_t)n * sizeof *v);
    if (v == NULL) return NULL;
    for (int64_t i = 0; i < n; i++) {
        float u = (float)(hashed(seed, (uint32_t)i) >> 8) * 0x1p-23f - 1.0f;
        v[i] = u * (float)scale + (float)offset;
    }
    ch_tensor *t = ch_convert(ch_from_f32(v, rank, dims), d);
    if (ch_realize(t) == CH_OK) t = ch_keep(t);
    free(v);
    return t;
}

// ---------------------------------------------------------------- the programs
#define BODY(NAME)                                                                                                     \
    static ch_status NAME(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {                    \
        (void)user, (void)n_in, (void)n_out;
#define END                                                                                                            \
    return CH_OK;                                                                                                      \
    }

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
END

    typedef struct {
    const char *name;
    ch_tensor_fn fn;
    const char *signature, *wrt; // wrt: the gradients are measured
    int n_in, n_out;
    double check; // 0: nobody says
} workload;

static const workload workloads[] = {
    {"chain20_cheap", chain_cheap, "x: f32[4194304]", NULL, 1, 1, 6.71938e6},
    {"chain20_trans", chain_trans, "x: f32[4194304]", NULL, 1, 1, 2.11429e6},
    {"softmax", softmax_rows, "x: f32[4096,1024]", NULL, 1, 1, 4096},
    {"layernorm", layer_norm_rows, "x: f32[4096,1024], g: f32[1024], b: f32[1024]", NULL, 3, 1, 2.73524e6},
    {"norm_softmax_grad", norm_softmax, "x: f32[4096,1024], g: f32[1024], b: f32[1024], u: f32[4096,1024]", "x, g, b",
     4, 3, 711.677},
    {"sum_axis0", sum_first, "x: f32[4096,4096]", NULL, 1, 1, 8.3901e6},
    {"sum_axis1", sum_second, "x: f32[4096,4096]", NULL, 1, 1, 8.3901e6},
    {"sum_all", sum_both, "x: f32[4096,4096]", NULL, 1, 1, 8.3901e6},
    {"matmul_f32_64", product, "x: f32[64,64], y: f32[64,64]", NULL, 2, 1, 0},
    {"matmul_f32_256", product, "x: f32[256,256], y: f32[256,256]", NULL, 2, 1, 0},
    {"matmul_f32_1024", product, "x: f32[1024,1024], y: f32[1024,1024]", NULL, 2, 1, 8.92698e6},
    {"matmul_f64_1024", product, "x: f64[1024,1024], y: f64[1024,1024]", NULL, 2, 1, 8.92698e6},
    {"add4", sum_of_two, "x: f32[4], y: f32[4]", NULL, 2, 1, 0},
};

// The i-th input: [4096,1024] and [4096,4096] have their own ranges.
static ch_tensor *input(const workload *w, const ch_func *f, int i) {
    int rank = 0;
    int64_t dims[16];
    if (ch_func_param_dims(f, i, 0, NULL, NULL, &rank, dims) != CH_OK) return NULL;
    bool rows = strstr(w->signature, "[4096,1024]") != NULL, sums = strstr(w->signature, "[4096,4096]") != NULL;
    return uniform((uint32_t)i + 1, ch_func_param_dtype(f, i), rank, dims, rows && i == 0 ? 3 : 1, sums ? 0.5 : 0);
}

static double checksum(int n, ch_tensor *const *out) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double part = 0;
        ch_scope s = ch_scope_begin();
        if (ch_item(ch_sum_all(ch_abs(ch_convert(out[i], CH_F64))), &part) != CH_OK) part = NAN;
        (void)ch_scope_end(s);
        sum += part;
    }
    return sum;
}

enum { MOST_RUNS = 20000 };

static int measure(const workload *w) {
    static double runs[MOST_RUNS];
    ch_func *f = NULL, *g = NULL;
    ch_exec *e = NULL;
    ch_tensor *in[4] = {NULL}, *out[3] = {NULL};
    double began = bench_now(), sum = 0;
    ch_scope scope = ch_scope_begin();
    bool good = ch_capture(w->fn, NULL, w->signature, 1, &f) == CH_OK;
    if (good && w->wrt != NULL) good = ch_gradient(f, w->wrt, &g) == CH_OK;
    good = good && ch_compile(g != NULL ? g : f, "native", NULL, &e) == CH_OK;
    for (int i = 0; good && i < w->n_in; i++) good = (in[i] = input(w, f, i)) != NULL;
    good = good && ch_exec_run(e, w->n_in, in, w->n_out, out) == CH_OK;
    if (good) sum = checksum(w->n_out, out);
    double first = bench_now() - began;
    int n = 0;
    for (began = bench_now(); good && n < MOST_RUNS && (n < 5 || bench_now() - began < 1); n++) {
        double from = bench_now();
        good = ch_exec_run(e, w->n_in, in, w->n_out, out) == CH_OK;
        runs[n] = bench_now() - from;
    }
    if (good) {
        bool right = w->check == 0 || fabs(sum - w->check) <= 2e-5 * fabs(w->check);
        qsort(runs, (size_t)n, sizeof *runs, bench_order);
        printf("{\"name\": \"%s\", \"min\": %.4g, \"median\": %.4g, \"runs\": %d, \"unit\": \"s\", \"first\": %.3g, "
               "\"check\": %.9g, \"right\": %s}\n",
               w->name, runs[0], runs[n / 2], n, first, sum, right ? "true" : "false");
        fflush(stdout);
        good = right;
    } else {
        fprintf(stderr, "bench_native: %s: %s\n", w->name, ch_error_message());
    }
    for (int i = 0; i < 3; i++) ch_release(out[i]);
    for (int i = 0; i < 4; i++) ch_release(in[i]);
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_func_destroy(g);
    (void)ch_scope_end(scope);
    return good ? 0 : 1;
}

// Names: only those.
int main(int argc, char **argv) {
    int failed = 0;
    setenv("CHAAC_NUM_THREADS", "1", 0);
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++) wanted = wanted || strcmp(argv[k], workloads[i].name) == 0;
        if (wanted) failed += measure(&workloads[i]);
    }
    ch_thread_end();
    return failed > 0;
}
