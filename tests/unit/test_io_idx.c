// SPDX-License-Identifier: Apache-2.0
// test_io_idx.c - idx.c: every element type, plain and gzip, Fashion-MNIST itself, and what it refuses.
#include "io_data.h"

#include <zlib.h>

static void files(void **state) {
    (void)state;
    ch_tensor *t = NULL;
    data_loads(ch_idx_load(DATA "u8_2x3.idx", &t), t, CH_U8, 2, 3);
    data_loads(ch_idx_load(DATA "i8_2x3.idx", &t), t, CH_I8, 2, 3);
    data_loads(ch_idx_load(DATA "i16_2x3.idx", &t), t, CH_I16, 2, 3);
    data_loads(ch_idx_load(DATA "i32_2x3.idx", &t), t, CH_I32, 2, 3);
    data_loads(ch_idx_load(DATA "f32_2x3.idx", &t), t, CH_F32, 2, 3);
    data_loads(ch_idx_load(DATA "f64_2x3.idx", &t), t, CH_F64, 2, 3);
    data_loads(ch_idx_load(DATA "u8_7.idx", &t), t, CH_U8, 7);
    data_loads(ch_idx_load(DATA "u8_0.idx", &t), t, CH_U8, 0);
    data_loads(ch_idx_load(DATA "i16_2x3x4.idx", &t), t, CH_I16, 2, 3, 4);
    data_loads(ch_idx_load(DATA "i16_2x3x4.idx.gz", &t), t, CH_I16, 2, 3, 4);
    data_loads(ch_idx_load(DATA "f64_2x3.idx.gz", &t), t, CH_F64, 2, 3);
    data_loads(ch_idx_load(DATA "members_u8_300.idx.gz", &t), t, CH_U8, 300);
}

// gzip of n bytes; gives its size.
static size_t pack(const void *data, size_t n, int level, void *out, size_t room) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)data;
    z.avail_in = (unsigned)n;
    z.next_out = out;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t made = z.total_out;
    deflateEnd(&z);
    return made;
}

static void sizes_and_content_go_together(void **state) {
    (void)state;
    // more than a buffer of the reader, hard to compress and easy to compress: the limit on sizes lets both pass
    enum { N = 3000000 };
    unsigned char *plain = malloc(N + 8), *packed = malloc(N + 10000);
    memcpy(plain, (unsigned char[]){0, 0, 8, 1, 0, 0x2d, 0xc6, 0xc0}, 8);
    for (int easy = 0; easy <= 1; easy++) {
        for (int i = 0; i < N; i++) plain[8 + i] = easy ? 7 : (unsigned char)ch__hash_u64((uint64_t)i);
        size_t n = pack(plain, N + 8, 9, packed, N + 10000);
        ch_tensor *t = NULL;
        spill(path, packed, n);
        assert_int_equal(ch_idx_load(path, &t), CH_OK);
        assert_int_equal(ch_tensor_numel(t), N);
        assert_memory_equal(ch_data(t), plain + 8, N);
        ch_release(t);
        assert_int_equal(ch_idx_load_memory(packed, n, "memory", &t), CH_OK);
        assert_memory_equal(ch_data(t), plain + 8, N);
        ch_release(t);
    }
    free(plain);
    free(packed);
}

static void refused(const void *data, size_t n, const char *id, const char *message) {
    ch_tensor *t = (ch_tensor *)(uintptr_t)data;
    void *copy = exact(data, n);
    char from_memory[600];
    failed(ch_idx_load_memory(copy, n, path, &t), id, message);
    assert_null(t);
    snprintf(from_memory, sizeof from_memory, "%s", message);
    spill(path, data, n);
    failed(ch_idx_load(path, &t), id, from_memory);
    free(copy);
}

static void refused_packed(const void *data, size_t n, const char *id, const char *message) {
    unsigned char packed[1000];
    refused(packed, pack(data, n, 9, packed, sizeof packed), id, message);
}

static char *say(const char *what) {
    static char message[600];
    snprintf(message, sizeof message, "idx_load: %s: %s", path, what);
    return message;
}

static void refusals(void **state) {
    (void)state;
    refused("", 0, "file_format", say("0 bytes of header — 4 are needed: it is truncated or no idx file"));
    refused("\0\0\x08", 3, "file_format", say("3 bytes of header — 4 are needed: it is truncated or no idx file"));
    refused("\0\0\x08\x02\0\0\0\x01\0", 9, "file_format",
            say("9 bytes of header — 12 are needed: it is truncated or no idx file"));
    refused("PK\x03\x04", 4, "file_format", say("it begins with bytes 50 4b — an idx file begins with 00 00"));
    refused("\0\0\x0a\x01\0\0\0\0", 8, "file_format",
            say("element type 0x0a — 08 (u8), 09 (i8), 0b (i16), 0c (i32), 0d (f32), 0e (f64) are known"));
    refused("\0\0\x08\x11", 4, "unsupported", say("rank 17 — at most 16 is read"));
    refused("\0\0\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff", 12, "file_format",
            say("sizes [4294967295,4294967295] — their product does not fit in 64 bits"));
    refused("\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 16, "file_format",
            say("sizes [4294967295,4294967295,0] — their product does not fit in 64 bits"));
    refused("\0\0\x0b\x02\0\0\0\x02\0\0\0\x01!!!", 15, "file_format",
            say("i16[2,1] takes 4 bytes of data, there are 3 — it is truncated or damaged"));
    refused("\0\0\x0b\x02\0\0\0\x02\0\0\0\x01!!!!!", 17, "file_format",
            say("i16[2,1] takes 4 bytes of data, there are 5 — nothing may follow the data"));
    refused("\0\0\x0e\x01\xff\xff\xff\xff!", 9, "file_format",
            say("f64[4294967295] takes 34359738360 bytes of data, there are 1 — it is truncated or damaged"));
    refused("\0\0\x08\0", 4, "file_format",
            say("u8[] takes 1 bytes of data, there are 0 — it is truncated or damaged"));
    ch_tensor *t = NULL;
    failed(ch_idx_load(NULL, &t), "argument", "idx_load: the path is NULL — give one");
    failed(ch_idx_load_memory(NULL, 1, NULL, &t), "argument", "idx_load: data is NULL — give 1 bytes");
    failed(ch_idx_load_memory(NULL, 0, NULL, &t), "file_format",
           "idx_load: memory: 0 bytes of header — 4 are needed: it is truncated or no idx file");
    char message[400];
    snprintf(message, sizeof message, "file_open: %s/none: no such file or folder", folder);
    snprintf(path, sizeof path, "%s/none", folder);
    failed(ch_idx_load(path, &t), "file", message);
}

static void packed_refusals(void **state) {
    (void)state;
    refused_packed("\0\0\x08", 3, "file_format",
                   say("3 bytes of header — 4 are needed: it is truncated or no idx file"));
    refused_packed("\0\0\x08\x01\0\0\0\x05"
                   "abcd",
                   12, "file_format", say("u8[5] takes 5 bytes of data, there are 4 — it is truncated or damaged"));
    refused_packed("\0\0\x08\x01\0\0\0\x03"
                   "abcd",
                   12, "file_format",
                   say("u8[3] takes 3 bytes of data, there are at least 4 — nothing may follow the data"));
    refused_packed("\0\0\x0d\x01\0\0\0\x01"
                   "abcdefghijklmn",
                   22, "file_format",
                   say("f32[1] takes 4 bytes of data, there are at least 5 — nothing may follow the data"));
    // what the sizes claim is compared with what the file can hold before memory is taken
    char packed[200];
    size_t n = pack("\0\0\x0e\x01\xff\xff\xff\xff", 8, 9, packed, sizeof packed);
    char wanted[300];
    snprintf(
        wanted, sizeof wanted,
        "f64[4294967295] takes 34359738360 bytes of data, %zu compressed bytes hold at most %zu — it is truncated or "
        "damaged",
        n, n * 1032);
    refused(packed, n, "file_format", say(wanted));
    // damage
    n = pack("\0\0\x08\x01\0\0\0\x04"
             "abcd",
             12, 9, packed, sizeof packed);
    char broken[200];
    memcpy(broken, packed, n);
    broken[2] = 9;
    refused(broken, n, "file_format", say("the gzip data is damaged near byte 4: unknown compression method"));
    memcpy(broken, packed, n);
    broken[n - 8] ^= 1;
    snprintf(wanted, sizeof wanted, "the gzip data is damaged near byte %zu: incorrect data check", n - 4);
    refused(broken, n, "file_format", say(wanted));
    memcpy(broken, packed, n);
    broken[n - 1] ^= 1;
    snprintf(wanted, sizeof wanted, "the gzip data is damaged near byte %zu: incorrect length check", n);
    refused(broken, n, "file_format", say(wanted));
    memcpy(broken, packed, n);
    memcpy(broken + n, "xyz", 3);
    snprintf(wanted, sizeof wanted, "the gzip data is damaged near byte %zu: incorrect header check", n + 2);
    refused(broken, n + 3, "file_format", say(wanted));
    refused("\x1f\x8b", 2, "file_format",
            say("the gzip data is damaged near byte 2: it ends early — the file is truncated"));
}

static void cut_at_every_byte(void **state) {
    (void)state;
    static const char *const names[] = {DATA "i16_2x3x4.idx", DATA "i16_2x3x4.idx.gz", DATA "members_u8_300.idx.gz"};
    for (int i = 0; i < 3; i++) {
        size_t n = 0;
        char *whole = slurp(names[i], &n), from_memory[600];
        for (size_t cut = 0; cut < n; cut++) {
            ch_tensor *t = NULL;
            void *data = exact(whole, cut);
            assert_int_equal(ch_idx_load_memory(data, cut, path, &t), CH_DATA_LOSS);
            snprintf(from_memory, sizeof from_memory, "%s", ch_error_message());
            spill(path, data, cut);
            failed(ch_idx_load(path, &t), "file_format", from_memory);
            free(data);
        }
        // every byte changed: refused or not, never more than that
        for (size_t at = 0; at < n; at++)
            for (int bit = 0; bit < 8; bit++) {
                ch_tensor *t = NULL;
                char *data = exact(whole, n);
                data[at] = (char)(data[at] ^ 1 << bit);
                if (ch_idx_load_memory(data, n, "changed", &t) == CH_OK) ch_release(t);
                free(data);
            }
        ch__free(whole);
    }
}

#define FASHION "/usr/share/datasets/fashion-mnist/"
static void fashion_mnist(void **state) {
    (void)state;
    if (!ch__file_exists(FASHION "train-images-idx3-ubyte.gz"))
        CH_SKIP("no " FASHION " — install the package dataset-fashion-mnist");
    ch_tensor *images = NULL, *labels = NULL;
    assert_int_equal(ch_idx_load(FASHION "train-images-idx3-ubyte.gz", &images), CH_OK);
    assert_int_equal(ch_idx_load(FASHION "train-labels-idx1-ubyte.gz", &labels), CH_OK);
    char type[40];
    ch_tensor_type(images, type, sizeof type);
    assert_string_equal(type, "u8[60000,28,28]");
    ch_tensor_type(labels, type, sizeof type);
    assert_string_equal(type, "u8[60000]");
    // the sum of the pixels as Python's gzip reads them; every class has 6,000 examples
    const unsigned char *p = ch_data(images), *l = ch_data(labels);
    int64_t sum = 0, of_class[256] = {0};
    for (int i = 0; i < 60000 * 784; i++) sum += p[i];
    for (int i = 0; i < 60000; i++) of_class[l[i]]++;
    assert_int_equal(sum, 3431114169);
    for (int i = 0; i < 10; i++) assert_int_equal(of_class[i], 6000);
    ch_release(images);
    ch_release(labels);
}

static ch_status use_all(void) {
    ch_tensor *t = NULL;
    CH_TRY(ch_idx_load(DATA "i16_2x3x4.idx", &t));
    ch_release(t);
    t = NULL;
    CH_TRY(ch_idx_load(DATA "members_u8_300.idx.gz", &t));
    ch_release(t);
    return CH_OK;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    ch_status s;
    int n = 0;
    do {
        ch__alloc_fail_at(++n, false);
        s = use_all();
        ch__alloc_fail_at(0, false);
        assert_true(s == CH_OK || s == CH_RESOURCE_EXHAUSTED);
        ch_thread_end();
        assert_int_equal(ch__alloc_live(), 0);
    } while (s != CH_OK);
    assert_true(n > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(files),
        FILE_TEST(sizes_and_content_go_together),
        FILE_TEST(refusals),
        FILE_TEST(packed_refusals),
        FILE_TEST(cut_at_every_byte),
        FILE_TEST(fashion_mnist),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
