// SPDX-License-Identifier: Apache-2.0
// blas.c - matrix products by a library found on this machine: oneDNN, BLIS, OpenBLAS, or our own loops.
//
// A library is opened when the first product of its kind is large enough to gain from it (gemm.c). Which one is taken
// is measured, not believed: each computes a product of 192 x 192 x 192 a few times. (Debian's OpenBLAS misreads some
// processors and then runs at a fifth of their peak; BLIS falls to half of it without its vector kernels.) oneDNN is
// taken without a look at the others when it takes at most a third longer than our own loops. Else it is the first of
// the list below that takes at most half as long again as the fastest, so that a little noise chooses no other one,
// whose sums would round in another way. Own loops are also for where there is no library. Libraries are called
// single-threaded, on tiles of our pool.
#include "native/native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Row-major C = A B, or C + A B; ta, tb: the operand is stored transposed.
typedef bool gemm_f32(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b,
                      int64_t ldb, float *c, int64_t ldc, bool add);
typedef bool gemm_f64(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const double *a, int64_t lda, const double *b,
                      int64_t ldb, double *c, int64_t ldc, bool add);

// ---------------------------------------------------------------- the libraries' own interfaces
typedef void cblas_sgemm_fn(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                            const float *b, int ldb, float beta, float *c, int ldc);
typedef void cblas_dgemm_fn(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c, int ldc);
typedef void set_threads_fn(int n);

enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 };

static ch__native_sgemm *dnnl_sgemm_call;
static set_threads_fn *omp_set_threads;
static cblas_sgemm_fn *open_sgemm, *blis_sgemm;
static cblas_dgemm_fn *open_dgemm, *blis_dgemm;

// POSIX gives functions as object pointers.
static void blas_symbol(void *library, const char *name, void *out_function) {
    void *p = ch__dl_sym(library, name);
    memcpy(out_function, &p, sizeof p);
}

static bool fits_int(int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc) {
    return m <= INT32_MAX && n <= INT32_MAX && k <= INT32_MAX && lda <= INT32_MAX && ldb <= INT32_MAX &&
           ldc <= INT32_MAX;
}

static pthread_once_t openmp_once = PTHREAD_ONCE_INIT;
static void find_openmp(void) { blas_symbol(ch__dl_open("libgomp.so.1"), "omp_set_num_threads", &omp_set_threads); }

void ch__native_one_openmp_thread(void) {
    static _Thread_local bool single;
    if (single) return;
    pthread_once(&openmp_once, find_openmp);
    if (omp_set_threads != NULL) omp_set_threads(1);
    single = true;
}

static bool by_dnnl_f32(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b,
                        int64_t ldb, float *c, int64_t ldc, bool add) {
    ch__native_one_openmp_thread();
    if (!add && ch__native_panels_fit(ta, tb, m, n, k, ldb) && ch__native_panels_pay(dnnl_sgemm_call) &&
        ch__native_by_panels(dnnl_sgemm_call, ta, m, n, k, a, lda, b, ldb, c, ldc))
        return true;
    return dnnl_sgemm_call(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 1, a, lda, b, ldb, add, c, ldc) == 0;
}

#define BY_CBLAS(NAME, T, FN)                                                                                          \
    static bool NAME(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda, const T *b,           \
                     int64_t ldb, T *c, int64_t ldc, bool add) {                                                       \
        if (!fits_int(m, n, k, lda, ldb, ldc)) return false;                                                           \
        FN(ROW_MAJOR, ta ? TRANSPOSED : NOT_TRANSPOSED, tb ? TRANSPOSED : NOT_TRANSPOSED, (int)m, (int)n, (int)k, 1,   \
           a, (int)lda, b, (int)ldb, add, c, (int)ldc);                                                                \
        return true;                                                                                                   \
    }
BY_CBLAS(by_openblas_f32, float, open_sgemm)
BY_CBLAS(by_blis_f32, float, blis_sgemm)
BY_CBLAS(by_openblas_f64, double, open_dgemm)
BY_CBLAS(by_blis_f64, double, blis_dgemm)

#define BY_OWN(NAME, T, D)                                                                                             \
    static bool NAME(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda, const T *b,           \
                     int64_t ldb, T *c, int64_t ldc, bool add) {                                                       \
        return ch__native_gemm(D, m, n, k, a, ta ? 1 : lda, ta ? lda : 1, b, tb ? 1 : ldb, tb ? ldb : 1, c, ldc, add); \
    }
BY_OWN(by_own_f32, float, CH_F32)
BY_OWN(by_own_f64, double, CH_F64)

// ---------------------------------------------------------------- choosing
typedef struct {
    const char *name, *file;
    gemm_f32 *f32;
    gemm_f64 *f64;
} blas_row;

enum { BLAS_DNNL, BLAS_BLIS, BLAS_OPENBLAS, BLAS_OWN, N_BLAS };

static blas_row blas_rows[N_BLAS] = {
    [BLAS_DNNL] = {"oneDNN", "libdnnl.so.2", NULL, NULL},
    [BLAS_BLIS] = {"BLIS", "libblis.so.4", NULL, NULL},
    [BLAS_OPENBLAS] = {"OpenBLAS", "libopenblas.so.0", NULL, NULL},
    [BLAS_OWN] = {"own loops", NULL, by_own_f32, by_own_f64},
};
static const blas_row *best_f32, *best_f64;
static pthread_once_t f32_once = PTHREAD_ONCE_INIT, f64_once = PTHREAD_ONCE_INIT, cblas_once = PTHREAD_ONCE_INIT;

static void open_dnnl(void) {
    void *l = ch__dl_open("libdnnl.so.3");
    if (l == NULL) l = ch__dl_open(blas_rows[BLAS_DNNL].file);
    blas_symbol(l, "dnnl_sgemm", &dnnl_sgemm_call);
    if (dnnl_sgemm_call != NULL) blas_rows[BLAS_DNNL].f32 = by_dnnl_f32;
}

static bool has_avx512(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
#else
    return false;
#endif
}

// An OpenBLAS that is older than the processor takes it for a Prescott: 15 of 63 GFLOP/s in f64 by version 0.3.21 on a
// Xeon of 2023. It is told what there is while it is loaded, unless somebody has told it.
static void *open_openblas(void) {
    static const char core[] = "OPENBLAS_CORETYPE";
    bool tell = has_avx512() && getenv(core) == NULL;
    if (tell) setenv(core, "SkylakeX", 0);
    void *l = ch__dl_open(blas_rows[BLAS_OPENBLAS].file);
    if (tell) unsetenv(core);
    return l;
}

static void open_cblas(void) {
    set_threads_fn *set = NULL;
    void *l = open_openblas();
    blas_symbol(l, "openblas_set_num_threads", &set);
    if (set != NULL) set(1);
    blas_symbol(l, "cblas_sgemm", &open_sgemm);
    blas_symbol(l, "cblas_dgemm", &open_dgemm);
    if (open_sgemm != NULL) blas_rows[BLAS_OPENBLAS].f32 = by_openblas_f32;
    if (open_dgemm != NULL) blas_rows[BLAS_OPENBLAS].f64 = by_openblas_f64;
    l = ch__dl_open(blas_rows[BLAS_BLIS].file);
    blas_symbol(l, "cblas_sgemm", &blis_sgemm);
    blas_symbol(l, "cblas_dgemm", &blis_dgemm);
    if (blis_sgemm != NULL) blas_rows[BLAS_BLIS].f32 = by_blis_f32;
    if (blis_dgemm != NULL) blas_rows[BLAS_BLIS].f64 = by_blis_f64;
}

enum { PROBE = 192 };

// The least of a few runs, in seconds; the first, which sets the library up, does not count.
static double probe_f32(const blas_row *r, const float *a, const float *b, float *c) {
    double best = 1e9;
    for (int i = 0; i < 4; i++) {
        double from = ch__now();
        if (!r->f32(false, false, PROBE, PROBE, PROBE, a, PROBE, b, PROBE, c, PROBE, false)) return 1e9;
        double t = ch__now() - from;
        if (i > 0 && t < best) best = t;
    }
    return best;
}

static double probe_f64(const blas_row *r, const double *a, const double *b, double *c) {
    double best = 1e9;
    for (int i = 0; i < 4; i++) {
        double from = ch__now();
        if (!r->f64(false, false, PROBE, PROBE, PROBE, a, PROBE, b, PROBE, c, PROBE, false)) return 1e9;
        double t = ch__now() - from;
        if (i > 0 && t < best) best = t;
    }
    return best;
}

// Does it take at most a third longer than our own product?
static bool is_fast_f32(double seconds, const float *a, const float *b, float *c) {
    double best = 1e9;
    for (int i = 0; i < 4; i++) {
        double from = ch__now();
        if (!ch__native_gemm(CH_F32, PROBE, PROBE, PROBE, a, PROBE, 1, b, PROBE, 1, c, PROBE, false)) return false;
        double t = ch__now() - from;
        if (t < best) best = t;
    }
    return seconds < 1.3 * best;
}

// CHAAC_DETERMINISTIC: the first there is; two runs of a program may measure differently. NULL: it has to be measured.
static const blas_row *first_there_is(bool f32) {
    const blas_row *first = &blas_rows[BLAS_OWN];
    if (!ch__native_deterministic()) return NULL;
    for (int i = N_BLAS - 1; i >= 0; i--)
        if (f32 ? blas_rows[i].f32 != NULL : blas_rows[i].f64 != NULL) first = &blas_rows[i];
    return first;
}

static const blas_row *first_fast(const double *seconds) {
    double least = 1e9;
    const blas_row *first = &blas_rows[BLAS_OWN];
    for (int i = 0; i < BLAS_OWN; i++)
        if (seconds[i] < least) least = seconds[i];
    for (int i = BLAS_OWN - 1; i >= 0; i--)
        if (seconds[i] < 1e9 && seconds[i] <= 1.5 * least) first = &blas_rows[i];
    return first;
}

static void choose_f32(void) {
    enum { N = PROBE * PROBE };
    double seconds[BLAS_OWN];
    best_f32 = &blas_rows[BLAS_OWN];
    float *room = ch__alloc_aligned(3 * (size_t)N * sizeof *room, 64), *a = room;
    if (room == NULL) return;
    for (int i = 0; i < 2 * N; i++) room[i] = 1;
    open_dnnl();
    const blas_row *dnnl = &blas_rows[BLAS_DNNL];
    seconds[BLAS_DNNL] = dnnl->f32 != NULL ? probe_f32(dnnl, a, a + N, a + 2 * N) : 1e9;
    if (seconds[BLAS_DNNL] < 1e9 &&
        (ch__native_deterministic() || is_fast_f32(seconds[BLAS_DNNL], a, a + N, a + 2 * N))) {
        best_f32 = dnnl;
    } else {
        pthread_once(&cblas_once, open_cblas);
        for (int i = BLAS_DNNL + 1; i < BLAS_OWN; i++)
            seconds[i] = blas_rows[i].f32 != NULL ? probe_f32(&blas_rows[i], a, a + N, a + 2 * N) : 1e9;
        best_f32 = first_there_is(true);
        if (best_f32 == NULL) best_f32 = first_fast(seconds);
    }
    ch__free_aligned(room);
}

static void choose_f64(void) {
    enum { N = PROBE * PROBE };
    double seconds[BLAS_OWN];
    pthread_once(&cblas_once, open_cblas);
    best_f64 = first_there_is(false);
    if (best_f64 != NULL) return;
    best_f64 = &blas_rows[BLAS_OWN];
    double *room = ch__alloc_aligned(3 * (size_t)N * sizeof *room, 64);
    if (room == NULL) return;
    for (int i = 0; i < 2 * N; i++) room[i] = 1;
    for (int i = 0; i < BLAS_OWN; i++)
        seconds[i] = blas_rows[i].f64 != NULL ? probe_f64(&blas_rows[i], room, room + N, room + 2 * N) : 1e9;
    best_f64 = first_fast(seconds);
    ch__free_aligned(room);
}

const char *ch__native_blas(ch_dtype d) {
    if (d == CH_F32) pthread_once(&f32_once, choose_f32);
    if (d == CH_F64) pthread_once(&f64_once, choose_f64);
    return d == CH_F64 ? best_f64->name : d == CH_F32 ? best_f32->name : blas_rows[BLAS_OWN].name;
}

bool ch__native_gemm_f32(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b,
                         int64_t ldb, float *c, int64_t ldc, bool add) {
    pthread_once(&f32_once, choose_f32);
    return best_f32->f32(ta, tb, m, n, k, a, lda, b, ldb, c, ldc, add) ||
           by_own_f32(ta, tb, m, n, k, a, lda, b, ldb, c, ldc, add);
}

bool ch__native_gemm_f64(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                         const double *b, int64_t ldb, double *c, int64_t ldc, bool add) {
    pthread_once(&f64_once, choose_f64);
    return best_f64->f64(ta, tb, m, n, k, a, lda, b, ldb, c, ldc, add) ||
           by_own_f64(ta, tb, m, n, k, a, lda, b, ldb, c, ldc, add);
}
