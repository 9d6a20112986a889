// SPDX-License-Identifier: Apache-2.0
// test_io_npz.c - npz.c, zip_read.c and zip_write.c against archives of NumPy, in both directions; hostile archives.
#include "io/zip.h"
#include "io_data.h"

static ch_npz *opened(const char *name) {
    ch_npz *f = NULL;
    if (ch_npz_open(name, &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

#define data_reads(f, name, dtype, ...)                                                                                \
    do {                                                                                                               \
        ch_tensor *read_ = NULL;                                                                                       \
        data_loads(ch_npz_read(f, name, &read_), read_, dtype, __VA_ARGS__);                                           \
    } while (0)

static void scalar_is_right(ch_npz *f) {
    ch_tensor *t = NULL;
    assert_int_equal(ch_npz_read(f, "scalar", &t), CH_OK);
    data_is(t, CH_U8, 0, NULL);
    ch_release(t);
}

static void files_of_numpy(void **state) {
    (void)state;
    static const char *const files[] = {DATA "stored.npz", DATA "deflated.npz", DATA "zip64.npz"};
    for (int i = 0; i < 3; i++) {
        ch_npz *f = opened(files[i]);
        assert_int_equal(ch_npz_count(f), i == 0 ? 4 : i == 1 ? 6 : 5);
        assert_string_equal(ch_npz_name(f, 0), "weight");
        assert_string_equal(ch_npz_name(f, 2), "b\xc3\xaf"
                                               "as");
        assert_null(ch_npz_name(f, -1));
        assert_null(ch_npz_name(f, ch_npz_count(f)));
        assert_int_equal(ch_npz_find(f, "empty"), 1);
        assert_int_equal(ch_npz_find(f, "empty.npy"), -1);
        assert_int_equal(ch_npz_find(f, NULL), -1);
        data_reads(f, "weight", CH_F32, 2, 3);
        data_reads(f, "empty", CH_I16, 0, 4);
        data_reads(f,
                   "b\xc3\xaf"
                   "as",
                   CH_F64, 7);
        if (i > 0) data_reads(f, "turned", CH_I64, 3, 2);
        scalar_is_right(f);
        ch_npz_close(f);
    }
    ch_npz *f = opened(DATA "none.npz");
    assert_int_equal(ch_npz_count(f), 0);
    ch_npz_close(f);
    f = opened(DATA "streamed.npz");
    data_reads(f, "weight", CH_F32, 2, 3);
    data_reads(f, "turned", CH_I64, 3, 2);
    ch_npz_close(f);
}

static void zeros_are_all_there(void **state) {
    (void)state;
    ch_npz *f = opened(DATA "deflated.npz");
    ch_tensor *t = NULL;
    assert_int_equal(ch_npz_read(f, "zeros", &t), CH_OK);
    assert_int_equal(ch_tensor_dim(t, 0), 100);
    assert_int_equal(ch_tensor_dim(t, 1), 1000);
    const float *p = ch_data(t);
    for (int i = 0; i < 100000; i++) assert_true(p[i] == 0);
    ch_release(t);
    ch_npz_close(f);
}

static const char *const names[] = {"weight", "empty",
                                    ("b\xc3\xaf"
                                     "as"),
                                    "scalar"};

static void made(ch_tensor *t[4]) {
    t[0] = data_tensor(CH_F32, 2, (int64_t[]){2, 3});
    t[1] = data_tensor(CH_I16, 2, (int64_t[]){0, 4});
    t[2] = data_tensor(CH_F64, 1, (int64_t[]){7});
    t[3] = data_tensor(CH_U8, 0, NULL);
}

static void bytes_of_numpy(void **state) {
    (void)state;
    ch_tensor *t[4];
    made(t);
    assert_int_equal(ch_npz_save(path, 4, names, t, 0), CH_OK);
    same_files(path, DATA "stored.npz");
    assert_int_equal(ch_npz_save(path, 0, NULL, NULL, 0), CH_OK);
    same_files(path, DATA "none.npz");
}

static void read_back(int count) {
    ch_npz *f = opened(path);
    assert_int_equal(ch_npz_count(f), count);
    data_reads(f, "weight", CH_F32, 2, 3);
    data_reads(f, "empty", CH_I16, 0, 4);
    data_reads(f,
               "b\xc3\xaf"
               "as",
               CH_F64, 7);
    scalar_is_right(f);
    ch_npz_close(f);
}

static void round_trips(void **state) {
    (void)state;
    ch_tensor *t[4];
    char *first, *second;
    size_t n, m;
    made(t);
    for (int compressed = 0; compressed < 2; compressed++) {
        assert_int_equal(ch_npz_save(path, 4, names, t, compressed), CH_OK);
        first = slurp(path, &n);
        read_back(4);
        // equal tensors, equal files
        assert_int_equal(ch_npz_save(path, 4, names, t, compressed), CH_OK);
        second = slurp(path, &m);
        assert_int_equal(n, m);
        assert_memory_equal(first, second, n);
        ch__free(first);
        ch__free(second);
    }
    // the zip64 form at every size
    for (ch__zip_limit = 0; ch__zip_limit < 600; ch__zip_limit += 50) {
        assert_int_equal(ch_npz_save(path, 4, names, t, ch__zip_limit % 100 == 0), CH_OK);
        read_back(4);
    }
    ch__zip_limit = 0x7fffffff;
}

// Larger than every buffer on the way, compressible or not.
static void large_members(void **state) {
    (void)state;
    enum { N = 300000 };
    uint32_t *x = malloc(N * sizeof *x), key[2] = {1, 2};
    assert_non_null(x);
    for (uint32_t i = 0; i < N; i += 2) ch__threefry2x32(key, (uint32_t[]){i, 0}, x + i);
    for (int i = N / 2; i < N; i++) x[i] &= 3;
    ch_tensor *t = ch_from_data(CH_U32, x, 1, (int64_t[]){N}), *back = NULL;
    for (int compressed = 0; compressed < 2; compressed++) {
        assert_int_equal(ch_npz_save(path, 1, names, &t, compressed), CH_OK);
        ch_npz *f = opened(path);
        assert_int_equal(ch_npz_read(f, "weight", &back), CH_OK);
        assert_memory_equal(ch_data(back), x, N * sizeof *x);
        ch_release(back);
        ch_npz_close(f);
        size_t n;
        ch__free(slurp(path, &n));
        assert_true(compressed ? n < N * 3 : n > N * 4);
    }
    free(x);
}

static void many_members(void **state) {
    (void)state;
    enum { N = 3000 };
    char(*text)[16] = calloc(N, sizeof *text);
    const char **all = calloc(N, sizeof *all);
    ch_tensor **t = calloc(N, sizeof(ch_tensor *)), *back = NULL;
    for (int i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "m%d", (i * 7) % N);
        all[i] = text[i];
        t[i] = ch_from_i32((int32_t[]){i}, 0, NULL);
    }
    assert_int_equal(ch_npz_save(path, N, all, t, 1), CH_OK);
    ch_npz *f = opened(path);
    assert_int_equal(ch_npz_count(f), N);
    for (int i = 0; i < N; i += 17) {
        double v = -1;
        assert_int_equal(ch_npz_find(f, all[i]), i);
        assert_int_equal(ch_npz_read(f, all[i], &back), CH_OK);
        assert_int_equal(ch_item(back, &v), CH_OK);
        assert_true(v == i);
        ch_release(back);
    }
    ch_npz_close(f);
    free(text);
    free(all);
    free(t);
}

static void refusals(void **state) {
    (void)state;
    ch_tensor *t[2] = {data_tensor(CH_F32, 0, NULL), data_tensor(CH_BF16, 0, NULL)}, *out = NULL;
    ch_npz *f = NULL;
    char message[400];
    failed(ch_npz_open(NULL, &f), "argument", "npz_open: the path is NULL — give one");
    failed(ch_npz_open("x", NULL), "argument", "npz_open: the place for the result is NULL — give one");
    failed(ch_npz_read(NULL, "x", &out), "argument", "npz_read: the file is NULL — give one that was opened");
    f = opened(DATA "refused_bzip2.npz");
    failed(ch_npz_read(f, "a", &out), "unsupported",
           "npz_open: " DATA "refused_bzip2.npz: member \"a.npy\": it is packed by method 12 — 0 (stored) and 8 "
           "(deflated) are read");
    failed(ch_npz_read(f, "readme", &out), "file_format",
           "npz_open: " DATA "refused_bzip2.npz: member \"readme\": it does not begin with 93 'NUMPY' — it is no npy "
           "file");
    failed(ch_npz_read(f, "b", &out), "unknown_name",
           "npz_read: " DATA "refused_bzip2.npz: no array \"b\" — there are 2: \"readme\", \"a\"");
    assert_null(out);
    ch_npz_close(f);
    failed(ch_npz_open_memory("PK", 2, NULL, &f), "file_format",
           "npz_open: memory: no end of a directory in its last bytes — it is truncated, damaged or no zip archive");
    failed(ch_npz_save(NULL, 0, NULL, NULL, 0), "argument", "npz_save: the path is NULL — give one");
    failed(ch_npz_save("x", 1, NULL, t, 0), "argument", "npz_save: x: 1 arrays — give arrays of names and tensors");
    failed(ch_npz_save("x", 2, (const char *[]){"a", "a"}, t, 0), "duplicate_name",
           "npz_save: x: arrays 0 and 1 are both named \"a\" — give each its own name");
    failed(ch_npz_save("x", 1, (const char *[]){""}, t, 0), "argument",
           "npz_save: x: name 0, \"\" — 1 to 65531 bytes of UTF-8 are allowed");
    snprintf(message, sizeof message,
             "npz_save: %s: bf16 has no npy form — convert it to f32 first, or save it as safetensors", path);
    failed(ch_npz_save(path, 2, (const char *[]){"a", "b"}, t, 0), "dtype_mismatch", message);
    assert_int_equal(entries(false), 0);
}

// ---- hostile archives: one of ours, broken in one place
static unsigned char *archive;
static size_t archive_n;

static void put(size_t at, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) archive[at + (size_t)i] = (unsigned char)(v >> (8 * i));
}

// The place of the k-th "PK" c d.
static size_t mark(char c, char d, int k) {
    for (size_t i = 0; i + 4 <= archive_n; i++)
        if (memcmp(archive + i, (char[]){'P', 'K', c, d}, 4) == 0 && k-- == 0) return i;
    fail_msg("no such mark");
    return 0;
}

static void begin_archive(bool compressed) {
    ch_tensor *t[2] = {data_tensor(CH_F32, 1, (int64_t[]){4}), data_tensor(CH_I32, 1, (int64_t[]){300})};
    assert_int_equal(ch_npz_save(path, 2, (const char *[]){"a", "b"}, t, compressed), CH_OK);
    archive = (unsigned char *)slurp(path, &archive_n);
}

// Opening or reading "b" fails and says so.
static void refuses(const char *id, const char *part) {
    ch_npz *f = NULL;
    ch_tensor *t = NULL;
    void *data = exact(archive, archive_n);
    ch_status s = ch_npz_open_memory(data, archive_n, "x", &f);
    if (s == CH_OK) s = ch_npz_read(f, ch_npz_name(f, 1), &t);
    assert_int_not_equal(s, CH_OK);
    assert_null(t);
    if (!strstr(ch_error_message(), part)) fail_msg("%s\nhas no: %s", ch_error_message(), part);
    assert_string_equal(ch_error_id(), id);
    ch_npz_close(f);
    free(data);
    ch__free(archive);
}

static void hostile_archives(void **state) {
    (void)state;
    const struct {
        bool compressed;
        char c, d;     // the mark ...
        int k, offset; // ... which one, and the place behind it
        uint64_t value;
        int bytes;
        const char *id, *part;
    } rows[] = {
        // the directory
        {0, 1, 2, 1, 0, 0, 1, "file_format", "entry 1 of its directory is damaged"},
        {0, 1, 2, 1, 28, 60000, 2, "file_format", "entry 1 of its directory is damaged"},
        {0, 1, 2, 1, 46, 0, 1, "file_format", "entry 1 of its directory is damaged"},
        {0, 1, 2, 1, 46, 0xff, 1, "file_format", "entry 1 of its directory is damaged"},
        {0, 1, 2, 1, 46, 'a', 1, "file_format", "two members are named \"a.npy\""},
        {0, 1, 2, 1, 24, 0xffffffff, 4, "file_format", "entry 1 of its directory is damaged"},
        {0, 1, 2, 1, 42, 0xfffffff0, 4, "file_format", "the directory begins at"},
        {0, 1, 2, 1, 20, 0x7fffffff, 4, "file_format", "the directory begins at"},
        {0, 1, 2, 0, 42, 1, 4, "file_format", "nothing may be put before an archive"},
        {0, 5, 6, 0, 16, 5, 4, "file_format", "something was put before the archive"},
        {0, 5, 6, 0, 10, 1, 2, "unsupported", "several disks"},
        {0, 5, 6, 0, 4, 1, 2, "unsupported", "several disks"},
        {0, 5, 6, 0, 20, 9, 2, "file_format", "no end of a directory"},
        // the member
        {0, 1, 2, 1, 8, 1, 2, "unsupported", "it is encrypted"},
        {0, 1, 2, 1, 10, 14, 2, "unsupported", "packed by method 14"},
        {0, 1, 2, 1, 10, 8, 2, "file_format", "own header differ"},
        {0, 1, 2, 1, 24, 5, 4, "file_format", "they must be equal"},
        {0, 3, 4, 1, 0, 0, 1, "file_format", "own header differ"},
        {0, 3, 4, 1, 30, 'x', 1, "file_format", "gives it another name"},
        {0, 3, 4, 1, 28, 60000, 2, "file_format", "overlaps are not allowed"},
        {0, 1, 2, 1, 16, 0, 4, "file_format", "its checksum is"},
        {1, 1, 2, 1, 16, 0, 4, "file_format", "its checksum is"},
        {1, 1, 2, 1, 24, 0x7ffffff0, 4, "file_format", "compressed bytes hold at most"},
        {1, 1, 2, 1, 24, 1329, 4, "file_format", "nothing may follow the data"},
        {1, 1, 2, 1, 24, 1327, 4, "file_format", "it is truncated or damaged"},
        {1, 1, 2, 1, 20, 20, 4, "file_format", "it ends early"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_archive(rows[i].compressed);
        put(mark(rows[i].c, rows[i].d, rows[i].k) + (size_t)rows[i].offset, rows[i].value, rows[i].bytes);
        refuses(rows[i].id, rows[i].part);
    }
    // two entries that share one member's data
    begin_archive(false);
    size_t b = mark(1, 2, 1);
    put(b + 42, 0, 4);
    refuses("file_format", "own header gives it another name");
}

static void damaged_data(void **state) {
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        begin_archive(compressed);
        size_t n = archive_n, from = mark(3, 4, 1) + 30 + 5 + 20 + 140, to = mark(1, 2, 0);
        unsigned char *whole = exact(archive, n);
        ch__free(archive);
        assert_true(from < to);
        for (size_t at = from; at < to; at += 7) { // any one bit of the data
            ch_npz *f = NULL;
            ch_tensor *t = NULL;
            whole[at] ^= 4;
            assert_int_equal(ch_npz_open_memory(whole, n, "x", &f), CH_OK);
            assert_int_equal(ch_npz_read(f, "b", &t), CH_DATA_LOSS);
            whole[at] ^= 4;
            ch_npz_close(f);
        }
        free(whole);
    }
}

static void cut_at_every_byte(void **state) {
    (void)state;
    static const char *const files[] = {DATA "stored.npz", DATA "zip64.npz", DATA "streamed.npz"};
    for (int i = 0; i < 3; i++) {
        size_t n = 0;
        char *whole = slurp(files[i], &n), from_memory[600];
        for (size_t cut = 0; cut < n; cut++) {
            ch_npz *f = NULL;
            void *data = exact(whole, cut);
            assert_int_equal(ch_npz_open_memory(data, cut, path, &f), CH_DATA_LOSS);
            snprintf(from_memory, sizeof from_memory, "%s", ch_error_message());
            if (cut % 5 == 0) {
                spill(path, data, cut);
                failed(ch_npz_open(path, &f), "file_format", from_memory);
            }
            free(data);
        }
        ch__free(whole);
    }
}

// Every function once, with the n-th allocation failing.
static ch_status use_all(void) {
    ch_npz *f = NULL;
    ch_tensor *t = NULL, *u = NULL;
    ch_status s = ch_npz_open(DATA "deflated.npz", &f);
    if (s == CH_OK) s = ch_npz_read(f, "weight", &t);
    if (s == CH_OK) s = ch_npz_read(f, "turned", &u);
    if (s == CH_OK) s = ch_npz_save(path, 2, names, (ch_tensor *[]){t, u}, 1);
    if (s == CH_OK) s = ch_npz_save(path, 2, names, (ch_tensor *[]){t, u}, 0);
    ch_release(t);
    ch_release(u);
    ch_npz_close(f);
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
        if (s != CH_OK && s != CH_RESOURCE_EXHAUSTED) fail_msg("%s", ch_error_message());
        assert_int_equal(ch__alloc_live(), 0);
        entries(true);
    } while (s != CH_OK);
    assert_true(n > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(files_of_numpy),
        FILE_TEST(zeros_are_all_there),
        FILE_TEST(bytes_of_numpy),
        FILE_TEST(round_trips),
        FILE_TEST(large_members),
        FILE_TEST(many_members),
        FILE_TEST(refusals),
        FILE_TEST(hostile_archives),
        FILE_TEST(damaged_data),
        FILE_TEST(cut_at_every_byte),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
