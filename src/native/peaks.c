// SPDX-License-Identifier: Apache-2.0
// peaks.c - what this machine can do: f32 multiply-adds and bytes moved a second, measured by compiled code on all
// threads of the pool. Multiply-adds are of ten independent vectors in registers; bytes are c[i] = a[i] + s b[i] over
// arrays far larger than the caches, counted as two read and one written.
#include "native/native.h"

#include <string.h>

static const char peaks_text[] =
    "#include <stdint.h>\n"
    "#ifdef __AVX512F__\n#define BYTES 64\n#elif defined(__AVX__)\n#define BYTES 32\n#else\n#define BYTES 16\n#endif\n"
    "typedef float v __attribute__((vector_size(BYTES)));\n"
    "#ifdef __clang__\n#pragma clang fp contract(fast)\n#define FAST\n#else\n"
    "#define FAST __attribute__((noinline, optimize(\"fp-contract=fast\")))\n#endif\n"
    "FAST static void multiply(int64_t turns, float *out)\n{\n"
    "    v a0 = {1}, a1 = {2}, a2 = {3}, a3 = {4}, a4 = {5}, a5 = {6}, a6 = a0, a7 = a1, a8 = a2, a9 = a3, x, y;\n"
    "    for (unsigned i = 0; i < BYTES / 4; i++) x[i] = 0.999f, y[i] = 0.001f;\n"
    "    for (int64_t t = 0; t < turns; t++) {\n"
    "        a0 = a0 * x + y, a1 = a1 * x + y, a2 = a2 * x + y, a3 = a3 * x + y, a4 = a4 * x + y;\n"
    "        a5 = a5 * x + y, a6 = a6 * x + y, a7 = a7 * x + y, a8 = a8 * x + y, a9 = a9 * x + y;\n    }\n"
    "    a0 += a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9;\n"
    "    *out = a0[0];\n}\n"
    "int chaac_native_entry(const int64_t *n, void *const *in, void *const *out, char *arena, const int64_t *at)\n{\n"
    "    (void)arena, (void)at;\n"
    "    if (n[0] == 0) {\n        multiply(n[1], out[0]);\n        return BYTES / 4 * 10 * 2;\n    }\n"
    "    const float *restrict a = in[0], *restrict b = in[1];\n    float *restrict c = out[0];\n"
    "    for (int64_t i = n[1]; i < n[2]; i++) c[i] = a[i] + 3.0f * b[i];\n    return 0;\n}\n"
    "void chaac_native_bytes(const int64_t *n, int64_t *out)\n{\n    (void)n, (void)out;\n}\n"
    "void chaac_native_setup(void *const *table)\n{\n    (void)table;\n}\n";

enum { TURNS = 50000, TRIES = 40, MOVES = 20 };
static const int64_t peak_elements = INT64_C(1) << 23;

typedef struct {
    ch__native_fn *entry;
    float *a, *b, *c;
    _Atomic(int64_t) flops; // of one turn
} peaks_job;

static void multiply_part(void *arg, int64_t begin, int64_t end) {
    peaks_job *j = arg;
    float sink;
    for (int64_t i = begin; i < end; i++)
        atomic_store(&j->flops, j->entry((int64_t[]){0, TURNS}, NULL, (void *[]){&sink}, NULL, NULL));
}

static void move_part(void *arg, int64_t begin, int64_t end) {
    peaks_job *j = arg;
    j->entry((int64_t[]){1, begin, end}, (void *[]){j->a, j->b}, (void *[]){j->c}, NULL, NULL);
}

ch_status ch__native_peaks(double *out_flops, double *out_bytes) {
    ch__native_library l = {0};
    CH_TRY(ch__native_compile("peaks", peaks_text, sizeof peaks_text - 1, NULL, &l));
    size_t bytes = (size_t)peak_elements * sizeof(float);
    peaks_job j = {.entry = l.entry, .a = ch__alloc_aligned(3 * bytes, 64)};
    if (j.a == NULL) {
        ch__native_unload(&l);
        return ch__fail_oom("the measuring of this machine");
    }
    memset(j.a, 0, 3 * bytes);
    j.b = j.a + peak_elements;
    j.c = j.b + peak_elements;
    int threads = ch__num_threads();
    double fastest = 1e30, quickest = 1e30;
    for (int i = 0; i < TRIES; i++) {
        double t = ch__now();
        ch__parallel_for(threads, 1, multiply_part, &j);
        double t1 = ch__now();
        if (i < MOVES) ch__parallel_for(peak_elements, peak_elements / threads, move_part, &j);
        double t2 = ch__now();
        if (t1 - t < fastest) fastest = t1 - t;
        if (i < MOVES && t2 - t1 < quickest) quickest = t2 - t1;
    }
    *out_flops = (double)threads * TURNS * (double)atomic_load(&j.flops) / fastest;
    *out_bytes = 3.0 * (double)bytes / quickest;
    ch__free_aligned(j.a);
    ch__native_unload(&l);
    return CH_OK;
}
