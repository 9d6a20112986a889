// SPDX-License-Identifier: Apache-2.0
// test_native_gemm.c - gemm.c by every microkernel that this processor runs: any sizes and strides, against sums in
// f64.
#include "native/native.h"

#include "../precision.h"
#include "unit.h"

#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t seed = 1;

static int64_t below(int64_t n) {
    seed = ch__hash_u64(seed);
    return (int64_t)(seed % (uint64_t)n);
}

// An array of rows x columns numbers; memory in the gaps that strides leave is 1e30.
typedef struct {
    ch_dtype d;
    int64_t rows, columns, row, column; // strides
    int64_t n;
    void *at;
} matrix;

static double number_at(const matrix *x, int64_t at) {
    return x->d == CH_F32 ? (double)((const float *)x->at)[at] : ((const double *)x->at)[at];
}

static double get(const matrix *x, int64_t i, int64_t j) { return number_at(x, i * x->row + j * x->column); }

static void set(matrix *x, int64_t at, double v) {
    if (x->d == CH_F32)
        ((float *)x->at)[at] = (float)v;
    else
        ((double *)x->at)[at] = v;
}

// 0: row-major, 1: column-major, 2: rows with a gap, 3: columns with a gap, 4: neither contiguous, 5 and 6: rows or
// columns a multiple of 2,048 bytes apart.
enum { LAYOUTS = 7 };
static matrix make(ch_dtype d, int64_t rows, int64_t columns, int64_t layout) {
    int64_t line = 2048 / (int64_t)ch_dtype_size(d);
    matrix x = {.d = d, .rows = rows, .columns = columns, .row = columns, .column = 1};
    if (layout == 1) x.row = 1, x.column = rows;
    if (layout == 2) x.row = columns + 3;
    if (layout == 3) x.row = 1, x.column = rows + 5;
    if (layout == 4) x.row = 2 * columns + 1, x.column = 2;
    if (layout == 5) x.row = (columns + line - 1) / line * line;
    if (layout == 6) x.row = 1, x.column = (rows + line - 1) / line * line;
    x.n = rows * x.row + columns * x.column + 8;
    x.at = ch__calloc((size_t)x.n, ch_dtype_size(d));
    for (int64_t i = 0; i < x.n; i++) set(&x, i, 1e30);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            set(&x, i * x.row + j * x.column, (double)(below(2001) - 1000) / 1024); // exact in f32, products in f64
    return x;
}

static void product_of(const ch__microkernels *micro, const matrix *a, const matrix *b, matrix *c, bool add) {
    assert_true(ch__native_gemm_by(micro, c->d, c->rows, c->columns, a->columns, a->at, a->row, a->column, b->at,
                                   b->row, b->column, c->at, c->row, add));
}

static void one(const ch__microkernels *micro, ch_dtype d, int64_t m, int64_t n, int64_t k, bool add) {
    matrix a = make(d, m, k, below(LAYOUTS)), b = make(d, k, n, below(LAYOUTS)), c = make(d, m, n, below(2) * 2);
    matrix before = c;
    before.at = ch__alloc((size_t)c.n * ch_dtype_size(d));
    memcpy(before.at, c.at, (size_t)c.n * ch_dtype_size(d));
    product_of(micro, &a, &b, &c, add);
    const double limit = ch_test_limit("native", "dot", d == CH_F32 ? "f32" : "f64", "size");
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = add ? get(&before, i, j) : 0, size = fabs(sum);
            for (int64_t x = 0; x < k; x++) {
                double p = get(&a, i, x) * get(&b, x, j);
                sum += p;
                size += fabs(p);
            }
            if (!(fabs(get(&c, i, j) - sum) <= limit * size))
                fail_msg("%lld x %lld x %lld, vectors of %d: [%lld, %lld] is %.17g, not %.17g", (long long)m,
                         (long long)n, (long long)k, micro->width, (long long)i, (long long)j, get(&c, i, j), sum);
        }
    // What lies between the rows of c and behind it is as it was.
    for (int64_t i = 0; i < c.n; i++)
        if (i / c.row >= m || i % c.row >= n) assert_true(number_at(&c, i) == number_at(&before, i));
    ch__free(a.at), ch__free(b.at), ch__free(c.at), ch__free(before.at);
}

static int64_t any_size(void) {
    static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 12, 13, 15, 16, 17, 24, 31, 32, 33, 47, 48, 64, 65, 100};
    return sizes[below((int64_t)(sizeof sizes / sizeof sizes[0]))];
}

static void every_microkernel(void **state) {
    (void)state;
    for (int t = 0; t < 2; t++) {
        ch_dtype d = t == 0 ? CH_F32 : CH_F64;
        const ch__microkernels *all[CH__MICROKERNELS];
        int n = ch__microkernels_all(d, all);
        assert_ptr_equal(ch__microkernels_of(d), all[0]);
        for (int i = 0; i < n; i++) {
            print_message("# %s in vectors of %d\n", ch_dtype_name(d), all[i]->width);
            for (int turn = 0; turn < 250; turn++) one(all[i], d, any_size(), any_size(), any_size(), below(3) == 0);
            one(all[i], d, 13, 70, 600, false); // several blocks of k
            one(all[i], d, 13, 70, 600, true);
            one(all[i], d, 400, 9, 33, false); // several blocks of rows
            one(all[i], d, 400, 70, 300, true);
        }
    }
}

// Each element is the same sum wherever a matrix is cut and however its operands lie, so that threads change no bit.
static void cuts_change_no_bit(void **state) {
    (void)state;
    enum { M = 61, N = 83, K = 301 };
    for (int t = 0; t < 2; t++) {
        ch_dtype d = t == 0 ? CH_F32 : CH_F64;
        int64_t size = (int64_t)ch_dtype_size(d);
        const ch__microkernels *all[CH__MICROKERNELS];
        int n = ch__microkernels_all(d, all);
        for (int kernel = 0; kernel < n; kernel++) {
            matrix a = make(d, M, K, 0), b = make(d, K, N, 0), c = make(d, M, N, 0), turned = make(d, K, N, 1);
            matrix parts = make(d, M, N, 0);
            for (int64_t i = 0; i < K; i++)
                for (int64_t j = 0; j < N; j++) set(&turned, i + j * K, get(&b, i, j));
            product_of(all[kernel], &a, &b, &c, false);
            for (int turn = 0; turn < 20; turn++) {
                int64_t m0 = below(M), n0 = below(N);
                for (int part = 0; part < 4; part++) {
                    int64_t i = part & 1 ? m0 : 0, m = part & 1 ? M - m0 : m0, j = part & 2 ? n0 : 0;
                    const matrix *right = turn & 1 ? &turned : &b;
                    assert_true(ch__native_gemm_by(all[kernel], d, m, part & 2 ? N - n0 : n0, K,
                                                   (char *)a.at + i * K * size, K, 1,
                                                   (char *)right->at + j * right->column * size, right->row,
                                                   right->column, (char *)parts.at + (i * N + j) * size, N, false));
                }
                assert_memory_equal(parts.at, c.at, (size_t)(M * N * size));
            }
            ch__free(a.at), ch__free(b.at), ch__free(c.at), ch__free(turned.at), ch__free(parts.at);
        }
    }
}

// A number that is not finite is seen in its row or column alone, also where panels are filled up with zeros.
static void what_is_not_finite_stays_where_it_is(void **state) {
    (void)state;
    enum { M = 14, N = 37, K = 40 };
    const ch__microkernels *all[CH__MICROKERNELS];
    int n = ch__microkernels_all(CH_F32, all);
    for (int kernel = 0; kernel < n; kernel++) {
        matrix a = make(CH_F32, M, K, 0), b = make(CH_F32, K, N, 1), c = make(CH_F32, M, N, 0);
        set(&a, 3 * K + 7, (double)INFINITY);
        set(&b, 36 * K + 11, (double)NAN);
        product_of(all[kernel], &a, &b, &c, false);
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < N; j++) assert_int_equal(isfinite(get(&c, i, j)) != 0, i != 3 && j != 36);
        ch__free(a.at), ch__free(b.at), ch__free(c.at);
    }
}

static void small_ones_need_no_library(void **state) {
    (void)state;
    bool vectors = ch__microkernels_of(CH_F32)->most > 0;
    assert_true(ch__native_gemm_pays(CH_F32, 24, 24, 24, 1));
    assert_true(ch__native_gemm_pays(CH_F32, 1, 1, 13824, 1));
    assert_int_equal(ch__native_gemm_pays(CH_F32, 256, 256, 256, 1), vectors);
    assert_int_equal(ch__native_gemm_pays(CH_F64, 64, 784, 256, 784), vectors);
    assert_false(ch__native_gemm_pays(CH_F32, 257, 256, 256, 1));
    assert_false(ch__native_gemm_pays(CH_F32, 1000, 3, 1000, 1)); // columns as a vector's
    assert_false(ch__native_gemm_pays(CH_F32, 4, 256, 256, 256)); // few rows by columns of b
    assert_int_equal(ch__native_gemm_pays(CH_F32, 4, 256, 256, 1), vectors);
}

// The block of a that is copied is the only memory that is asked for.
static void memory_ends(void **state) {
    (void)state;
    enum { M = 512, N = 80, K = 64 };
    matrix a = make(CH_F32, M, K, 1), b = make(CH_F32, K, N, 0), c = make(CH_F32, M, N, 0);
    ch__alloc_fail_at(1, true);
    bool first = ch__native_gemm(CH_F32, M, N, K, a.at, a.row, a.column, b.at, b.row, b.column, c.at, N, false);
    ch__alloc_fail_at(0, false);
    assert_true(ch__native_gemm(CH_F32, M, N, K, a.at, a.row, a.column, b.at, b.row, b.column, c.at, N, false));
    ch__alloc_fail_at(1, true); // it is kept
    bool again = ch__native_gemm(CH_F32, M, N, K, a.at, a.row, a.column, b.at, b.row, b.column, c.at, N, false);
    ch__alloc_fail_at(0, false);
    assert_false(first);
    assert_true(again);
    ch__free(a.at), ch__free(b.at), ch__free(c.at);
}

// A child that is forked while another thread multiplies can multiply, too: nothing is held for ever.
enum { FORKED = 512, FORKED_N = 80, FORKED_K = 64 };
static atomic_bool forked_enough;

static bool forked_product(matrix *a, matrix *b, matrix *c) {
    return ch__native_gemm(CH_F32, FORKED, FORKED_N, FORKED_K, a->at, a->row, a->column, b->at, b->row, b->column,
                           c->at, FORKED_N, false);
}

static void *multiply_meanwhile(void *arg) {
    matrix *x = arg;
    while (!atomic_load(&forked_enough)) (void)forked_product(&x[0], &x[1], &x[2]);
    return NULL;
}

static void a_child_multiplies(void **state) {
    (void)state;
    matrix x[3] = {make(CH_F32, FORKED, FORKED_K, 1), make(CH_F32, FORKED_K, FORKED_N, 0),
                   make(CH_F32, FORKED, FORKED_N, 0)};
    matrix own = make(CH_F32, FORKED, FORKED_N, 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, multiply_meanwhile, x), 0);
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            _exit(forked_product(&x[0], &x[1], &own) ? 0 : 1);
        }
        int how = -1;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_int_equal(how, 0);
    }
    atomic_store(&forked_enough, true);
    pthread_join(thread, NULL);
    for (int i = 0; i < 3; i++) ch__free(x[i].at);
    ch__free(own.at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(every_microkernel),
        cmocka_unit_test(cuts_change_no_bit),
        cmocka_unit_test(what_is_not_finite_stays_where_it_is),
        cmocka_unit_test(small_ones_need_no_library),
        cmocka_unit_test(a_child_multiplies),
    };
    return cmocka_run_group_tests_name("native_gemm", tests, NULL, NULL);
}
