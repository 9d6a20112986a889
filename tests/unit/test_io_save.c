// SPDX-License-Identifier: Apache-2.0
// test_io_save.c - writing safetensors: the bytes of the reference writer, order, round trips, what is refused.
#include "io_data.h"

static const ch_dtype types[] = {CH_BOOL, CH_I8,  CH_I16, CH_I32,  CH_I64, CH_U8,     CH_U16,   CH_U32,
                                 CH_U64,  CH_F16, CH_F32, CH_BF16, CH_F64, CH_F8E4M3, CH_F8E5M2};
enum { TYPES = sizeof types / sizeof *types };

// The same file as Python's safetensors makes, where its order of dtypes does not differ from ours.
static void bytes_of_the_reference_writer(void **state) {
    (void)state;
    static const char *const names[] = {"b", "h", "e\xc3\xa9\xf0\x9f\x98\x80", "a\"\\/\n\t\x01", "d"};
    ch_tensor *tensors[] = {data_tensor(CH_BOOL, 1, (int64_t[]){5}), data_tensor(CH_F16, 2, (int64_t[]){0, 4}),
                            data_tensor(CH_F32, 2, (int64_t[]){3, 1}), data_tensor(CH_F32, 0, NULL),
                            data_tensor(CH_F64, 1, (int64_t[]){2})};
    assert_int_equal(ch_safetensors_save(path, 5, names, tensors, 1, (const char *[]){"format"},
                                         (const char *[]){"pt \"\xc3\xa9\"\n"}),
                     CH_OK);
    same_files(path, DATA "sizes.safetensors");
    ch_tensor *w = data_tensor(CH_F32, 2, (int64_t[]){2, 2});
    assert_int_equal(ch_safetensors_save(path, 1, (const char *[]){"w"}, &w, 0, NULL, NULL), CH_OK);
    same_files(path, DATA "one.safetensors");
    assert_int_equal(ch_safetensors_save(path, 0, NULL, NULL, 0, NULL, NULL), CH_OK);
    same_files(path, DATA "none.safetensors");
    assert_int_equal(entries(false), 1);
}

static void the_header_is_as_promised(void **state) {
    (void)state;
    ch_tensor *t[] = {data_tensor(CH_U8, 1, (int64_t[]){3}), data_tensor(CH_I16, 0, NULL), data_tensor(CH_F16, 0, NULL),
                      data_tensor(CH_BOOL, 1, (int64_t[]){1})};
    assert_int_equal(ch_safetensors_save(path, 4, (const char *[]){"z", "y", "x", "\x7f\x1f\b\f\r"}, t, 2,
                                         (const char *[]){"b", "a"}, (const char *[]){"2", ""}),
                     CH_OK);
    static const char wanted[] = "{\"__metadata__\":{\"b\":\"2\",\"a\":\"\"},"
                                 "\"x\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[0,2]},"
                                 "\"y\":{\"dtype\":\"I16\",\"shape\":[],\"data_offsets\":[2,4]},"
                                 "\"z\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[4,7]},"
                                 "\"\x7f\\u001f\\b\\f\\r\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[7,8]}}";
    size_t n = 0, header = (sizeof wanted - 1 + 7) / 8 * 8;
    char *data = slurp(path, &n);
    assert_int_equal(n, 8 + header + 8);
    uint64_t length;
    memcpy(&length, data, 8);
    assert_int_equal(length, header);
    assert_memory_equal(data + 8, wanted, sizeof wanted - 1);
    for (size_t i = sizeof wanted - 1; i < header; i++) assert_int_equal(data[8 + i], ' ');
    ch__free(data);
}

// Every dtype times every rank, with sizes that are zero now and then: saved, opened, read, the same.
static void round_trips(void **state) {
    (void)state;
    enum { N = TYPES * (CH__MAX_RANK + 1) };
    char names[N][12];
    const char *name[N];
    ch_tensor *tensors[N];
    int64_t dims[N][CH__MAX_RANK];
    for (int i = 0; i < N; i++) {
        int rank = i / TYPES;
        for (int k = 0; k < rank; k++) {
            uint64_t r = ch__hash_u64((uint64_t)(i * 100 + k)) % 16;
            dims[i][k] = r == 0 ? 0 : r < 12 ? 1 : (int64_t)r - 10;
        }
        snprintf(names[i], sizeof names[i], "t%d", i * 7919 % N);
        name[i] = names[i];
        tensors[i] = data_tensor(types[i % TYPES], rank, dims[i]);
    }
    assert_int_equal(ch_safetensors_save(path, N, name, tensors, 0, NULL, NULL), CH_OK);
    ch_safetensors *f = NULL;
    assert_int_equal(ch_safetensors_open(path, &f), CH_OK);
    assert_int_equal(ch_safetensors_count(f), N);
    for (int i = 0; i < N; i++) {
        ch_tensor *t = NULL;
        assert_int_equal(ch_safetensors_read(f, name[i], &t), CH_OK);
        data_is(t, types[i % TYPES], i / TYPES, dims[i]);
        ch_release(t);
    }
    for (int i = 1; i < N; i++)
        assert_true(ch_dtype_size(ch_safetensors_dtype(f, i - 1)) >= ch_dtype_size(ch_safetensors_dtype(f, i)));
    // saved from what was read it is the same file
    ch_tensor *again[N];
    for (int i = 0; i < N; i++) assert_int_equal(ch_safetensors_read(f, ch_safetensors_name(f, i), &again[i]), CH_OK);
    for (int i = 0; i < N; i++) name[i] = ch_safetensors_name(f, i);
    char second[200];
    snprintf(second, sizeof second, "%s.2", path);
    assert_int_equal(ch_safetensors_save(second, N, name, again, 0, NULL, NULL), CH_OK);
    same_files(path, second);
    for (int i = 0; i < N; i++) ch_release(again[i]);
    ch_safetensors_close(f);
}

static void results_are_realized(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f32((float[]){1, 2, 3}, 1, (int64_t[]){3}), *y = ch_mul(x, x), *back = NULL;
    ch_safetensors *f = NULL;
    float out[3];
    assert_int_equal(
        ch_safetensors_save(path, 2, (const char *[]){"sum", "y"}, (ch_tensor *[]){ch_sum_all(y), y}, 0, NULL, NULL),
        CH_OK);
    assert_int_equal(ch_safetensors_open(path, &f), CH_OK);
    assert_int_equal(ch_safetensors_read(f, "y", &back), CH_OK);
    assert_int_equal(ch_read_f32(back, out, 3), CH_OK);
    assert_memory_equal(out, ((float[]){1, 4, 9}), sizeof out);
    ch_release(back);
    assert_int_equal(ch_safetensors_read(f, "sum", &back), CH_OK);
    assert_int_equal(ch_read_f32(back, out, 1), CH_OK);
    assert_true(out[0] == 14);
    ch_release(back);
    ch_safetensors_close(f);
}

#define SAVE(n, names, tensors) ch_safetensors_save(path, n, names, tensors, 0, NULL, NULL)
static char *say(const char *what) {
    static char message[600];
    snprintf(message, sizeof message, "safetensors_save: %s: %s", path, what);
    return message;
}

static void refusals(void **state) {
    (void)state;
    ch_tensor *t[] = {data_tensor(CH_F32, 0, NULL), data_tensor(CH_U8, 0, NULL), data_tensor(CH_F32, 0, NULL)};
    failed(ch_safetensors_save(NULL, 0, NULL, NULL, 0, NULL, NULL), "argument",
           "safetensors_save: the path is NULL — give one");
    failed(SAVE(-1, NULL, NULL), "argument", say("-1 tensors — give arrays of names and tensors"));
    failed(SAVE(1, NULL, t), "argument", say("1 tensors — give arrays of names and tensors"));
    failed(SAVE(1, (const char *[]){"a"}, NULL), "argument", say("1 tensors — give arrays of names and tensors"));
    failed(SAVE(2, ((const char *[]){"a", NULL}), t), "argument", say("name 1 is NULL — give a string"));
    failed(SAVE(3, ((const char *[]){"a", "b", "a"}), t), "duplicate_name",
           say("two tensors are named \"a\" — give each its own name"));
    failed(SAVE(2, ((const char *[]){"a", "a"}), t), "duplicate_name", // of different sizes, too
           say("two tensors are named \"a\" — give each its own name"));
    failed(SAVE(1, ((const char *[]){"ab\xff"}), t), "argument",
           say("name 0, \"ab\", is not UTF-8 at byte 2 — it must be"));
    failed(SAVE(1, ((const char *[]){"__metadata__"}), t), "argument",
           say("name 0 is \"__metadata__\" — the format keeps it for metadata"));
    failed(ch_safetensors_save(path, 0, NULL, NULL, -1, NULL, NULL), "argument",
           say("-1 metadata entries — give arrays of keys and values"));
    failed(ch_safetensors_save(path, 0, NULL, NULL, 1, (const char *[]){"k"}, NULL), "argument",
           say("1 metadata entries — give arrays of keys and values"));
    failed(ch_safetensors_save(path, 0, NULL, NULL, 1, (const char *[]){"k"}, (const char *[]){NULL}), "argument",
           say("metadata value 0 is NULL — give a string"));
    failed(ch_safetensors_save(path, 0, NULL, NULL, 2, (const char *[]){"k", "k"}, (const char *[]){"v", "w"}),
           "duplicate_name", say("metadata keys 0 and 1 are both \"k\" — give each once"));
    failed(ch_safetensors_save(path, 0, NULL, NULL, 1, (const char *[]){"k"}, (const char *[]){"\xc3"}), "argument",
           say("metadata value 0, \"\", is not UTF-8 at byte 0 — it must be"));
    // a tensor that cannot be had
    t[1] = ch_add(t[0], t[1]);
    assert_int_equal(SAVE(2, ((const char *[]){"a", "b"}), t), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_id(), "dtype_mismatch");
    t[1] = NULL;
    assert_int_equal(SAVE(2, ((const char *[]){"a", "b"}), t), CH_INVALID_ARGUMENT);
    assert_int_equal(entries(false), 0); // nothing was written
    failed(ch_safetensors_save("/dev/full", 1, (const char *[]){"a"}, t, 0, NULL, NULL), "file",
           "file_write: /dev/full: no space is left on the device");
    failed(ch_safetensors_save(folder, 1, (const char *[]){"a"}, t, 0, NULL, NULL), "file",
           (snprintf(path, sizeof path, "file_write: %s: it is a folder", folder), path));
}

static void a_failed_save_leaves_the_old_file(void **state) {
    (void)state;
    ch_tensor *t = data_tensor(CH_F32, 2, (int64_t[]){2, 2});
    spill(path, "old", 3);
    assert_int_not_equal(SAVE(2, ((const char *[]){"a", "a"}), ((ch_tensor *[]){t, t})), CH_OK);
    ch__alloc_fail_at(1, true);
    assert_int_equal(SAVE(1, ((const char *[]){"w"}), &t), CH_RESOURCE_EXHAUSTED);
    ch__alloc_fail_at(0, false);
    size_t n = 0;
    char *data = slurp(path, &n);
    assert_int_equal(n, 3);
    assert_memory_equal(data, "old", 3);
    ch__free(data);
    assert_int_equal(SAVE(1, ((const char *[]){"w"}), &t), CH_OK);
    same_files(path, DATA "one.safetensors");
    assert_int_equal(entries(false), 1);
}

static void a_header_too_large_is_refused(void **state) {
    (void)state;
    enum { N = 50000001 };
    char *value = malloc(N + 1);
    memset(value, '"', N); // written as two bytes each
    value[N] = '\0';
    char wanted[300];
    snprintf(wanted, sizeof wanted,
             "a header of %d bytes — at most 100000000 are allowed: give fewer tensors or shorter names",
             (2 * N + 26 + 7) / 8 * 8);
    failed(ch_safetensors_save(path, 0, NULL, NULL, 1, (const char *[]){"k"}, (const char *const *)&value), "limit",
           say(wanted));
    free(value);
    assert_int_equal(entries(false), 0);
}

static ch_status use_all(void) {
    static const char *const names[] = {"w", "v", "a"};
    ch_scope scope = ch_scope_begin();
    if (scope.token == 0) return CH_RESOURCE_EXHAUSTED;
    ch_tensor *t[] = {ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2}), ch_from_f32((float[]){1}, 0, NULL), NULL};
    t[2] = ch_neg(t[0]);
    ch_status s = ch_safetensors_save(path, 3, names, t, 1, (const char *[]){"k"}, (const char *[]){"v"});
    (void)ch_scope_end(scope);
    ch_thread_end();
    return s;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    ch_thread_end();
    assert_int_equal(ch__alloc_live(), 0);
    ch_status s;
    int n = 0;
    do {
        ch__alloc_fail_at(++n, false);
        s = use_all();
        ch__alloc_fail_at(0, false);
        assert_true(s == CH_OK || s == CH_RESOURCE_EXHAUSTED);
        assert_int_equal(ch__alloc_live(), 0);
        assert_int_equal(entries(false), s == CH_OK);
    } while (s != CH_OK);
    assert_true(n > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(bytes_of_the_reference_writer),
        FILE_TEST(the_header_is_as_promised),
        FILE_TEST(round_trips),
        FILE_TEST(results_are_realized),
        FILE_TEST(refusals),
        FILE_TEST(a_failed_save_leaves_the_old_file),
        FILE_TEST(a_header_too_large_is_refused),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
