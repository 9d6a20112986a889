// SPDX-License-Identifier: Apache-2.0
// test_io_dlpack.c - dlpack.c: both forms in both directions, deleters exactly once, strides, and what is refused.
#include "chaac/dlpack.h"

#include "io_data.h"

#include <pthread.h>
#include <stddef.h>

// A producer: counts how often its deleter ran.
static int deleted;
static int64_t shape[20], strides[20];
static void count_deleter(DLManagedTensorVersioned *m) {
    (void)m;
    deleted++;
}
static void count_deleter_legacy(DLManagedTensor *m) {
    (void)m;
    deleted++;
}

static DLManagedTensorVersioned produce(void *data, int code, int bits, int rank, const int64_t *dims) {
    DLManagedTensorVersioned m = {.version = {1, 1}, .deleter = count_deleter};
    for (int i = 0; i < rank; i++) shape[i] = dims[i];
    m.dl_tensor = (DLTensor){
        .data = data, .device = {kDLCPU, 0}, .ndim = rank, .dtype = {(uint8_t)code, (uint8_t)bits, 1}, .shape = shape};
    deleted = 0;
    return m;
}

static const struct {
    int code, bits;
    ch_dtype dtype;
} types[] = {{kDLBool, 8, CH_BOOL},         {kDLInt, 8, CH_I8},
             {kDLInt, 16, CH_I16},          {kDLInt, 32, CH_I32},
             {kDLInt, 64, CH_I64},          {kDLUInt, 8, CH_U8},
             {kDLUInt, 16, CH_U16},         {kDLUInt, 32, CH_U32},
             {kDLUInt, 64, CH_U64},         {kDLFloat, 16, CH_F16},
             {kDLFloat, 32, CH_F32},        {kDLFloat, 64, CH_F64},
             {kDLBfloat, 16, CH_BF16},      {kDLFloat8_e4m3fn, 8, CH_F8E4M3},
             {kDLFloat8_e5m2, 8, CH_F8E5M2}};
enum { TYPES = sizeof types / sizeof *types };

// The layout is an ABI of others.
static void layout(void **state) {
    (void)state;
    assert_int_equal(sizeof(DLTensor), 48);
    assert_int_equal(offsetof(DLTensor, ndim), 16);
    assert_int_equal(offsetof(DLTensor, dtype), 20);
    assert_int_equal(offsetof(DLTensor, shape), 24);
    assert_int_equal(offsetof(DLTensor, byte_offset), 40);
    assert_int_equal(offsetof(DLManagedTensorVersioned, deleter), 16);
    assert_int_equal(offsetof(DLManagedTensorVersioned, flags), 24);
    assert_int_equal(offsetof(DLManagedTensorVersioned, dl_tensor), 32);
    assert_int_equal(offsetof(DLManagedTensor, manager_ctx), 48);
}

static void every_dtype_goes_out_and_in(void **state) {
    (void)state;
    int64_t dims[] = {2, 3};
    for (int i = 0; i < TYPES; i++) {
        ch_tensor *x = data_tensor(types[i].dtype, 2, dims), *back = NULL;
        DLManagedTensorVersioned *m = NULL;
        assert_int_equal(ch_dlpack_export(x, 0, &m), CH_OK);
        assert_int_equal(m->version.major, 1);
        assert_int_equal(m->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
        assert_int_equal(m->dl_tensor.device.device_type, kDLCPU);
        assert_int_equal(m->dl_tensor.ndim, 2);
        assert_int_equal(m->dl_tensor.dtype.code, types[i].code);
        assert_int_equal(m->dl_tensor.dtype.bits, types[i].bits);
        assert_int_equal(m->dl_tensor.dtype.lanes, 1);
        assert_memory_equal(m->dl_tensor.shape, dims, sizeof dims);
        assert_memory_equal(m->dl_tensor.strides, ((int64_t[]){3, 1}), sizeof dims);
        assert_ptr_equal(m->dl_tensor.data, ch_data(x));
        assert_int_equal(ch_dlpack_import(m, &back), CH_OK);
        assert_ptr_equal(ch_data(back), ch_data(x));
        assert_int_equal(ch_tensor_dtype(back), types[i].dtype);
        ch_release(back);
        // a copy is the consumer's, and so is everything that comes in the old form
        assert_int_equal(ch_dlpack_export(x, 1, &m), CH_OK);
        assert_int_equal(m->flags, DLPACK_FLAG_BITMASK_IS_COPIED);
        assert_ptr_not_equal(m->dl_tensor.data, ch_data(x));
        data_loads_(ch_dlpack_import(m, &back), &back, types[i].dtype, (int64_t[]){2, 3, -1});
        DLManagedTensor *old = NULL;
        assert_int_equal(ch_dlpack_export_legacy(x, &old), CH_OK);
        assert_ptr_not_equal(old->dl_tensor.data, ch_data(x));
        data_loads_(ch_dlpack_import_legacy(old, &back), &back, types[i].dtype, (int64_t[]){2, 3, -1});
    }
}

static void shapes(void **state) {
    (void)state;
    static const int64_t dims[][5] = {{0}, {7}, {2, 0, 3}, {1, 2, 1, 3, 2}};
    static const int ranks[] = {0, 1, 3, 5};
    for (int i = 0; i < 4; i++) {
        ch_tensor *back = NULL;
        DLManagedTensorVersioned *m = NULL;
        assert_int_equal(ch_dlpack_export(data_tensor(CH_F64, ranks[i], dims[i]), i & 1, &m), CH_OK);
        assert_int_equal(ch_dlpack_import(m, &back), CH_OK);
        int64_t n = data_count(ranks[i], dims[i]);
        assert_int_equal(ch_tensor_numel(back), n);
        assert_int_equal(ch_tensor_rank(back), ranks[i]);
        void *want = data_bytes(CH_F64, ranks[i], dims[i]);
        if (n > 0) assert_memory_equal(ch_data(back), want, (size_t)n * 8);
        free(want);
        ch_release(back);
    }
}

// What was exported stays whatever becomes of the tensor, and results are realized.
static void exports_outlive_their_tensors(void **state) {
    (void)state;
    DLManagedTensorVersioned *m = NULL;
    ch_scope scope = ch_scope_begin();
    ch_tensor *x = ch_from_f32((float[]){1, 2, 3}, 1, (int64_t[]){3});
    assert_int_equal(ch_dlpack_export(ch_mul(x, x), 0, &m), CH_OK);
    assert_int_equal(ch_scope_end(scope), CH_OK);
    assert_memory_equal(m->dl_tensor.data, ((float[]){1, 4, 9}), 12);
    m->deleter(m);
}

static void *delete_it(void *arg) {
    DLManagedTensorVersioned *m = arg;
    m->deleter(m);
    return NULL;
}

static void deleters_run_on_any_thread(void **state) {
    (void)state;
    DLManagedTensorVersioned *m = NULL;
    ch_scope scope = ch_scope_begin();
    assert_int_equal(ch_dlpack_export(data_tensor(CH_F32, 1, (int64_t[]){1000}), 0, &m), CH_OK);
    assert_int_equal(ch_scope_end(scope), CH_OK);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, delete_it, m), 0);
    pthread_join(thread, NULL);
}

static void imports_are_used_where_they_lie(void **state) {
    (void)state;
    float data[8] = {0, 0, 1, 2, 3, 4, 5, 6}, out[6];
    DLManagedTensorVersioned m = produce(data, kDLFloat, 32, 2, (int64_t[]){2, 3});
    m.dl_tensor.byte_offset = 8;
    m.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    ch_tensor *t = NULL;
    assert_int_equal(ch_dlpack_import(&m, &t), CH_OK);
    assert_ptr_equal(ch_data(t), data + 2);
    assert_int_equal(ch_read_f32(ch_add(t, t), out, 6), CH_OK);
    assert_memory_equal(out, ((float[]){2, 4, 6, 8, 10, 12}), sizeof out);
    assert_int_equal(deleted, 0);
    ch_release(t);
    ch_thread_end();
    assert_int_equal(deleted, 1);
    // strides of axes of size 1 and of nothing do not matter
    m = produce(data, kDLFloat, 32, 3, (int64_t[]){1, 8, 1});
    memcpy(strides, (int64_t[]){99, 1, -7}, 24);
    m.dl_tensor.strides = strides;
    assert_int_equal(ch_dlpack_import(&m, &t), CH_OK);
    assert_ptr_equal(ch_data(t), data);
    ch_release(t);
    assert_int_equal(deleted, 1);
    // no deleter is fine
    m = produce(data, kDLFloat, 32, 1, (int64_t[]){8});
    m.deleter = NULL;
    assert_int_equal(ch_dlpack_import(&m, &t), CH_OK);
    ch_release(t);
    DLManagedTensor old = {.dl_tensor = produce(data, kDLFloat, 32, 1, (int64_t[]){8}).dl_tensor,
                           .deleter = count_deleter_legacy};
    assert_int_equal(ch_dlpack_import_legacy(&old, &t), CH_OK);
    assert_ptr_equal(ch_data(t), data);
    assert_int_equal(deleted, 0);
    ch_release(t);
    assert_int_equal(deleted, 1);
}

static void other_strides_are_gathered(void **state) {
    (void)state;
    int32_t data[24], want[24];
    for (int i = 0; i < 24; i++) data[i] = i * 10;
    static const struct {
        int64_t dims[3], strides[3];
        int first;
    } rows[] = {
        {{2, 3, 4}, {1, 2, 6}, 0},      // turned
        {{2, 3, 4}, {-12, -4, -1}, 23}, // reversed
        {{2, 3, 2}, {12, 4, 2}, 1},     // every other
        {{2, 3, 4}, {0, 0, 1}, 4},      // repeated
        {{4, 1, 3}, {0, 5, -8}, 17},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        DLManagedTensorVersioned m = produce(data, kDLInt, 32, 3, rows[r].dims);
        memcpy(strides, rows[r].strides, 24);
        m.dl_tensor.strides = strides;
        m.dl_tensor.byte_offset = (uint64_t)rows[r].first * 4;
        int n = 0;
        for (int64_t i = 0; i < rows[r].dims[0]; i++)
            for (int64_t j = 0; j < rows[r].dims[1]; j++)
                for (int64_t k = 0; k < rows[r].dims[2]; k++)
                    want[n++] =
                        data[rows[r].first + i * rows[r].strides[0] + j * rows[r].strides[1] + k * rows[r].strides[2]];
        ch_tensor *t = NULL;
        assert_int_equal(ch_dlpack_import(&m, &t), CH_OK);
        assert_int_equal(deleted, 1); // copied: nobody waits for us
        assert_memory_equal(ch_data(t), want, (size_t)n * 4);
        ch_release(t);
        assert_int_equal(deleted, 1);
    }
    // an address that is no multiple of the element
    DLManagedTensorVersioned m = produce((char *)data + 2, kDLInt, 32, 1, (int64_t[]){5});
    ch_tensor *t = NULL;
    assert_int_equal(ch_dlpack_import(&m, &t), CH_OK);
    assert_int_equal(deleted, 1);
    assert_memory_equal(ch_data(t), (char *)data + 2, 20);
    ch_release(t);
}

static DLManagedTensorVersioned fresh(void) {
    static float data[6];
    return produce(data, kDLFloat, 32, 2, (int64_t[]){2, 3});
}

static void refused(DLManagedTensorVersioned *m, const char *id, const char *message) {
    ch_tensor *t = NULL;
    failed(ch_dlpack_import(m, &t), id, message);
    assert_null(t);
    assert_int_equal(deleted, 1); // taken over even so
    DLManagedTensor old = {.dl_tensor = m->dl_tensor, .deleter = count_deleter_legacy};
    if (m->version.major != 1) return;
    failed(ch_dlpack_import_legacy(&old, &t), id, message);
    assert_int_equal(deleted, 2);
}

static void refusals(void **state) {
    (void)state;
    ch_tensor *t = NULL;
    DLManagedTensorVersioned m = fresh(), *out = NULL;
    m.version.major = 2;
    m.dl_tensor.ndim = -1; // not looked at
    refused(&m, "newer_version", "dlpack_import: DLPack 2.1 — version 1 is read");
    m = fresh();
    m.version.minor = 99; // additions only
    assert_int_equal(ch_dlpack_import(&m, &t), CH_OK);
    ch_release(t);
    m = fresh();
    m.dl_tensor.device.device_type = kDLCUDA;
    refused(
        &m, "unsupported",
        "dlpack_import: device 2 (CUDA) — host memory (CPU, CUDAHost, ROCMHost) is taken: copy it to the host first");
    m = fresh();
    m.dl_tensor.device.device_type = 99;
    refused(&m, "unsupported",
            "dlpack_import: device 99 (unknown) — host memory (CPU, CUDAHost, ROCMHost) is taken: copy it to the host "
            "first");
    static const char list[] =
        "one lane of bool (6), i8 to i64 (0), u8 to u64 (1), f16 f32 f64 (2), bf16 (4), f8e4m3fn (10), f8e5m2 (12) is "
        "taken";
    char message[400];
    static const DLDataType wrong[] = {{kDLComplex, 64, 1},      {kDLFloat, 32, 4},        {kDLInt, 4, 1},
                                       {kDLOpaqueHandle, 64, 1}, {kDLFloat4_e2m1fn, 4, 1}, {200, 8, 1}};
    for (int i = 0; i < 6; i++) {
        m = fresh();
        m.dl_tensor.dtype = wrong[i];
        snprintf(message, sizeof message, "dlpack_import: dtype code %d of %d bits, %d lanes — %s", wrong[i].code,
                 wrong[i].bits, wrong[i].lanes, list);
        refused(&m, "unsupported", message);
    }
    m = fresh();
    m.dl_tensor.ndim = 17;
    refused(&m, "unsupported", "dlpack_import: 17 axes — 0 to 16 are taken");
    m = fresh();
    m.dl_tensor.ndim = -1;
    refused(&m, "unsupported", "dlpack_import: -1 axes — 0 to 16 are taken");
    m = fresh();
    m.dl_tensor.shape = NULL;
    refused(&m, "argument", "dlpack_import: 2 axes and a shape that is NULL — give one");
    m = fresh();
    m.dl_tensor.data = NULL;
    refused(&m, "argument", "dlpack_import: data is NULL — give 24 bytes");
    m = fresh();
    shape[1] = -3;
    refused(&m, "argument", "dlpack_import: size -3 of axis 1 — at least 0 is allowed");
    m = fresh();
    shape[0] = shape[1] = INT64_C(1) << 32;
    refused(&m, "dim_overflow",
            "dlpack_import: shape [4294967296,4294967296] — the product of the sizes does not fit in 64 bits");
    m = fresh();
    m.dl_tensor.strides = strides;
    strides[0] = INT64_MAX / 2;
    strides[1] = 1;
    refused(&m, "argument",
            "dlpack_import: stride 4611686018427387903 of axis 0, of size 2 — the place of its last element does not "
            "fit in 64 bits");
    m = fresh();
    m.dl_tensor.byte_offset = UINT64_MAX;
    refused(&m, "argument", "dlpack_import: byte_offset 18446744073709551615 — less than 2^63 is allowed");
    unsigned char bools[3] = {0, 1, 2};
    m = produce(bools, kDLBool, 8, 1, (int64_t[]){3});
    refused(&m, "argument", "dlpack_import: element 2 is the byte 0x02 — bool is 0 or 1");
    m = fresh();
    failed(ch_dlpack_import(&m, NULL), "argument", "dlpack_import: the place for the result is NULL — give one");
    assert_int_equal(deleted, 1);
    failed(ch_dlpack_import(NULL, &t), "argument", "dlpack_import: the managed tensor is NULL — give one");
    failed(ch_dlpack_export(data_tensor(CH_F32, 0, NULL), 0, NULL), "argument",
           "dlpack_export: the place for the result is NULL — give one");
    assert_int_equal(ch_dlpack_export(NULL, 0, &out), CH_INVALID_ARGUMENT);
    assert_null(out);
}

// Every function once, with the n-th allocation failing; the producer's deleter runs once however it ends.
static ch_status use_all(void) {
    ch_scope scope = ch_scope_begin();
    if (scope.token == 0) return CH_RESOURCE_EXHAUSTED;
    ch_tensor *x = ch_from_f32((float[]){1, 2, 3, 4, 5, 6}, 2, (int64_t[]){2, 3}), *back = NULL;
    DLManagedTensorVersioned *m = NULL;
    DLManagedTensor *old = NULL;
    ch_status s = ch_dlpack_export(ch_neg(x), 0, &m);
    if (s == CH_OK) s = ch_dlpack_import(m, &back);
    ch_release(back);
    back = NULL;
    if (s == CH_OK) s = ch_dlpack_export_legacy(x, &old);
    if (s == CH_OK) s = ch_dlpack_import_legacy(old, &back);
    ch_release(back);
    back = NULL;
    for (int turned = 0; turned < 2 && s == CH_OK; turned++) {
        DLManagedTensorVersioned own = fresh();
        memcpy(strides, (int64_t[]){1, 2}, 16);
        own.dl_tensor.strides = turned ? strides : NULL;
        s = ch_dlpack_import(&own, &back);
        ch_release(back);
        back = NULL;
        assert_int_equal(deleted, 1);
    }
    (void)ch_scope_end(scope);
    ch_thread_end();
    return s;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    ch_thread_end();
    ch_status s;
    int n = 0;
    do {
        ch__alloc_fail_at(++n, false);
        s = use_all();
        ch__alloc_fail_at(0, false);
        assert_true(s == CH_OK || s == CH_RESOURCE_EXHAUSTED);
        assert_int_equal(ch__alloc_live(), 0);
    } while (s != CH_OK);
    assert_true(n > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(layout),
        FILE_TEST(every_dtype_goes_out_and_in),
        FILE_TEST(shapes),
        FILE_TEST(exports_outlive_their_tensors),
        FILE_TEST(deleters_run_on_any_thread),
        FILE_TEST(imports_are_used_where_they_lie),
        FILE_TEST(other_strides_are_gathered),
        FILE_TEST(refusals),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
