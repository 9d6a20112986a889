// SPDX-License-Identifier: Apache-2.0
// io_data.h - what the tests of src/io share: the rule of the elements of tests/data/io, tensors made and checked by
// it, a folder for files, and failures with their whole message.
#ifndef CHAAC_TESTS_IO_DATA_H
#define CHAAC_TESTS_IO_DATA_H

#include "chaac/ops.h"
#include "io/io.h"

#include "unit.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define DATA "tests/data/io/"

// Element k of every tensor: element() of tests/data/make_io.py.
static inline void data_element(ch_dtype dtype, int64_t k, void *out) {
    uint64_t bits = (uint64_t)k * 0x9E3779B97F4A7C15u + 0x0123456789ABCD4Fu;
    double v = k == 1 ? -0.0 : k == 2 ? HUGE_VAL : (double)k * 0.75 - 3.0;
    float f = (float)v;
    uint16_t h = dtype == CH_F16 ? ch__f64_to_f16(v) : ch__f64_to_bf16(v);
    uint8_t b = k % 3 == 0;
    switch (dtype) {
    case CH_BOOL: memcpy(out, &b, 1); break;
    case CH_F16:
    case CH_BF16: memcpy(out, &h, 2); break;
    case CH_F32: memcpy(out, &f, 4); break;
    case CH_F64: memcpy(out, &v, 8); break;
    default: memcpy(out, &bits, ch_dtype_size(dtype)); // the low bytes; hosts are little endian
    }
}

static inline int64_t data_count(int rank, const int64_t *dims) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    return n;
}

// Freed by free.
static inline void *data_bytes(ch_dtype dtype, int rank, const int64_t *dims) {
    int64_t n = data_count(rank, dims);
    size_t size = ch_dtype_size(dtype);
    char *data = malloc((size_t)n * size + 1);
    assert_non_null(data);
    for (int64_t k = 0; k < n; k++) data_element(dtype, k, data + k * (int64_t)size);
    return data;
}

// Belongs to the scope.
static inline ch_tensor *data_tensor(ch_dtype dtype, int rank, const int64_t *dims) {
    void *data = data_bytes(dtype, rank, dims);
    ch_tensor *t = ch_from_data(dtype, data, rank, dims);
    free(data);
    assert_int_equal(ch_check(t), CH_OK);
    return t;
}

static inline void data_is(ch_tensor *t, ch_dtype dtype, int rank, const int64_t *dims) {
    assert_int_equal(ch_tensor_dtype(t), dtype);
    assert_int_equal(ch_tensor_rank(t), rank);
    for (int i = 0; i < rank; i++) assert_int_equal(ch_tensor_dim(t, i), dims[i]);
    void *data = data_bytes(dtype, rank, dims);
    const void *got = ch_data(t);
    size_t n = (size_t)data_count(rank, dims) * ch_dtype_size(dtype);
    assert_non_null(got);
    assert_true((uintptr_t)got % 64 == 0 || n == 0);
    if (n > 0) assert_memory_equal(got, data, n);
    free(data);
}

#define data_loads(call, t, dtype, ...) data_loads_((call), &(t), dtype, (int64_t[]){__VA_ARGS__, -1})
static inline void data_loads_(ch_status s, ch_tensor **t, ch_dtype dtype, const int64_t *dims) {
    int rank = 0;
    while (dims[rank] >= 0) rank++;
    if (s != CH_OK) fail_msg("%s", ch_error_message());
    data_is(*t, dtype, rank, dims);
    ch_release(*t);
    *t = NULL;
}

// ---- files
static char folder[64], path[160];

static inline int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/chaac-io-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

// The number of entries of the folder; removes them all when asked.
static inline int entries(bool removing) {
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        n++;
        char name[400];
        snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
        if (removing) remove(name);
    }
    closedir(d);
    return n;
}

// Ends the thread's scopes and finds what is left over.
static inline int drop_folder(void **state) {
    (void)state;
    entries(true);
    ch_thread_end();
    if (ch_tensors_alive() != 0) print_error("%d tensors are alive\n", (int)ch_tensors_alive());
    if (ch__alloc_live() != 0) print_error("%d blocks are alive\n", (int)ch__alloc_live());
    return rmdir(folder) == 0 && ch_tensors_alive() == 0 && ch__alloc_live() == 0 ? 0 : -1;
}

static inline char *slurp(const char *name, size_t *n) {
    char *data = NULL;
    if (ch__file_read(name, 0, &data, n) != CH_OK) fail_msg("%s", ch_error_message());
    return data;
}

// Not synced, as the library's own writing is: cutting files at every byte would take a minute.
static inline void spill(const char *name, const void *data, size_t n) {
    remove(name);
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline void same_files(const char *a, const char *b) {
    size_t n = 0, m = 0;
    char *x = slurp(a, &n), *y = slurp(b, &m);
    if (n != m || memcmp(x, y, n) != 0) fail_msg("%s and %s differ", a, b);
    ch__free(x);
    ch__free(y);
}

// A copy of exactly n bytes, so that a sanitizer sees one byte too far. Freed by free.
static inline void *exact(const void *data, size_t n) {
    void *p = malloc(n ? n : 1);
    assert_non_null(p);
    if (n > 0) memcpy(p, data, n);
    return p;
}

// ---- failures
static inline void failed(ch_status s, const char *id, const char *message) {
    assert_int_not_equal(s, CH_OK);
    assert_string_equal(ch_error_message(), message);
    assert_string_equal(ch_error_id(), id);
}

#define FILE_TEST(fn) cmocka_unit_test_setup_teardown(fn, make_folder, drop_folder)

#endif
