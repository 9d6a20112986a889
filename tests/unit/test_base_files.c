// SPDX-License-Identifier: Apache-2.0
// test_base_files.c - file.c: whole files, atomic replacement, positions, and what the system refuses.
#include "base/base.h"

#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], path[128];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/chaac-files-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

// The number of entries; removes them all when asked.
static int entries(bool removing) {
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

static int drop_folder(void **state) {
    (void)state;
    entries(true);
    return rmdir(folder) == 0 && ch__alloc_live() == 0 ? 0 : -1;
}

static void content_is(const char *name, const char *expected, size_t n) {
    char *data;
    size_t got;
    assert_int_equal(ch__file_read(name, 0, &data, &got), CH_OK);
    assert_int_equal(got, n);
    assert_memory_equal(data, expected, n);
    assert_int_equal(data[n], '\0');
    ch__free(data);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    static char data[300000];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)ch__hash_u64(i);
    static const size_t sizes[] = {0, 1, 2, 4094, 4095, 4096, 65535, 65536, 65537, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(ch__file_write_atomic(path, data, sizes[i]), CH_OK);
        content_is(path, data, sizes[i]);
        assert_int_equal(entries(false), 1);
    }
    assert_true(ch__file_exists(path));
    // the limit is the most that is read
    char *got = NULL;
    size_t n = 0;
    assert_int_equal(ch__file_read(path, 300000, &got, &n), CH_OK);
    assert_int_equal(n, 300000);
    ch__free(got);
    assert_int_equal(ch__file_read(path, 299999, &got, &n), CH_RESOURCE_EXHAUSTED);
    assert_string_equal(ch_error_id(), "limit");
    assert_non_null(strstr(ch_error_message(), "larger than 299999 bytes"));
}

static void streamed_pieces_arrive_in_order(void **state) {
    (void)state;
    static char all[400000];
    size_t n = 0;
    uint64_t r = 1;
    ch__outfile *f;
    assert_int_equal(ch__outfile_open(path, &f), CH_OK);
    assert_false(ch__file_exists(path)); // not before commit
    while (n < 300000) {
        r = ch__hash_u64(r);
        size_t piece = r % 7 == 0 ? (size_t)(r >> 32) % 100000 : (size_t)(r >> 32) % 50;
        for (size_t i = 0; i < piece; i++) all[n + i] = (char)ch__hash_u64(n + i);
        assert_int_equal(ch__outfile_write(f, all + n, piece), CH_OK);
        n += piece;
    }
    assert_int_equal(ch__outfile_commit(f), CH_OK);
    content_is(path, all, n);
}

static void an_abandoned_file_leaves_the_old_one(void **state) {
    (void)state;
    assert_int_equal(ch__file_write_atomic(path, "old", 3), CH_OK);
    ch__outfile *f;
    assert_int_equal(ch__outfile_open(path, &f), CH_OK);
    assert_int_equal(ch__outfile_write(f, "new content", 11), CH_OK);
    assert_int_equal(entries(false), 2);
    ch__outfile_abandon(f);
    ch__outfile_abandon(NULL);
    assert_int_equal(entries(false), 1);
    content_is(path, "old", 3);
}

// A reader sees the old content or the new one while a writer that is killed at any time replaces it.
static void a_killed_writer_leaves_a_whole_file(void **state) {
    (void)state;
    enum { SIZE = 200000 };
    static char a[SIZE], b[SIZE];
    memset(a, 'a', SIZE);
    memset(b, 'b', SIZE);
    assert_int_equal(ch__file_write_atomic(path, a, SIZE), CH_OK);
    for (int round = 0; round < 20; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            for (int i = 0;; i++) (void)ch__file_write_atomic(path, i % 2 ? a : b, SIZE);
        for (int i = 0; i <= round; i++) {
            char *data;
            size_t n;
            assert_int_equal(ch__file_read(path, 0, &data, &n), CH_OK);
            assert_int_equal(n, SIZE);
            assert_true(memcmp(data, a, SIZE) == 0 || memcmp(data, b, SIZE) == 0);
            ch__free(data);
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

// Large pieces are read by several threads; what is cut short meanwhile is said as by one.
static void large_pieces(void **state) {
    (void)state;
    enum { N = 9 * 1000 * 1000 + 17, AT = 12345 };
    unsigned char *data = malloc(N), *got = malloc(N);
    for (size_t i = 0; i < N; i++) data[i] = (unsigned char)(i * 2654435761u >> 13);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, N, file), N);
    fclose(file);
    ch__infile *f;
    assert_int_equal(ch__infile_open(path, &f), CH_OK);
    memset(got, 0, N);
    assert_int_equal(ch__infile_read(f, AT, got, N - AT), CH_OK);
    assert_memory_equal(got, data + AT, N - AT);
    assert_int_equal(truncate(path, N / 2), 0);
    assert_int_equal(ch__infile_read(f, AT, got, N - AT), CH_DATA_LOSS);
    assert_non_null(strstr(ch_error_message(), "4500008"));
    ch__infile_close(f);
    free(data);
    free(got);
}

static void permissions_links_and_special_files(void **state) {
    (void)state;
    struct stat st;
    mode_t mask = umask(027);
    assert_int_equal(ch__file_write_atomic(path, "x", 1), CH_OK);
    stat(path, &st);
    assert_int_equal(st.st_mode & 0777, 0640);
    chmod(path, 0604);
    assert_int_equal(ch__file_write_atomic(path, "y", 1), CH_OK);
    stat(path, &st);
    assert_int_equal(st.st_mode & 0777, 0604);
    umask(mask);
    // through a link: the file it names is replaced
    char link_path[160];
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    assert_int_equal(symlink("file", link_path), 0);
    assert_int_equal(ch__file_write_atomic(link_path, "through", 7), CH_OK);
    lstat(link_path, &st);
    assert_true(S_ISLNK(st.st_mode));
    content_is(path, "through", 7);
    // a device stays what it is
    assert_int_equal(ch__file_write_atomic("/dev/null", "gone", 4), CH_OK);
    stat("/dev/null", &st);
    assert_true(S_ISCHR(st.st_mode));
    // a pipe is read to its end
    char fifo[160];
    snprintf(fifo, sizeof fifo, "%s/pipe", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        static char piece[10000];
        memset(piece, 'p', sizeof piece);
        _exit(ch__file_write_atomic(fifo, piece, sizeof piece) == CH_OK ? 0 : 1);
    }
    char *data;
    size_t n;
    assert_int_equal(ch__file_read(fifo, 0, &data, &n), CH_OK);
    assert_int_equal(n, 10000);
    for (int i = 0; i < 10000; i++) assert_int_equal(data[i], 'p');
    ch__free(data);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void failed_with(const char *message, const char *id) {
    assert_string_equal(ch_error_message(), message);
    assert_string_equal(ch_error_id(), id);
}

static void refusals_name_the_file_and_the_reason(void **state) {
    (void)state;
    char *data, expected[300], deep[200];
    size_t n;
    ch__infile *in;
    ch__outfile *out;
    assert_int_equal(ch__file_read(path, 0, &data, &n), CH_NOT_FOUND);
    snprintf(expected, sizeof expected, "file_read: %s: no such file or folder", path);
    failed_with(expected, "file");
    assert_int_equal(ch__file_read(folder, 0, &data, &n), CH_NOT_FOUND);
    snprintf(expected, sizeof expected, "file_read: %s: it is a folder", folder);
    failed_with(expected, "file");
    assert_int_equal(ch__infile_open(folder, &in), CH_NOT_FOUND);
    snprintf(expected, sizeof expected, "file_open: %s: not a regular file — give a file that can be read by position",
             folder);
    failed_with(expected, "file");
    assert_int_equal(ch__infile_open(path, &in), CH_NOT_FOUND);
    assert_int_equal(ch__outfile_open(folder, &out), CH_NOT_FOUND);
    snprintf(expected, sizeof expected, "file_write: %s: it is a folder", folder);
    failed_with(expected, "file");
    snprintf(deep, sizeof deep, "%s/none/file", folder);
    assert_int_equal(ch__file_write_atomic(deep, "x", 1), CH_NOT_FOUND);
    snprintf(expected, sizeof expected, "file_write: %s: no such file or folder", deep);
    failed_with(expected, "file");
    assert_int_equal(ch__file_write_atomic("/dev/full", "x", 1), CH_NOT_FOUND);
    failed_with("file_write: /dev/full: no space is left on the device", "file");
    assert_int_equal(ch__outfile_open("/dev/full", &out), CH_OK);
    static char large[1 << 17];
    assert_int_equal(ch__outfile_write(out, large, sizeof large), CH_NOT_FOUND);
    assert_int_equal(ch__outfile_write(out, large, 1), CH_NOT_FOUND);
    failed_with("file_write: /dev/full: an earlier write failed — abandon the file", "file");
    assert_int_equal(ch__outfile_commit(out), CH_NOT_FOUND);
    assert_int_equal(entries(false), 0);
    assert_false(ch__file_exists(path));
}

static void *read_by_position(void *arg) {
    ch__infile *f = arg;
    uint64_t r = (uint64_t)(uintptr_t)&r;
    for (int i = 0; i < 500; i++) {
        r = ch__hash_u64(r);
        unsigned char buffer[200];
        uint64_t at = r % 90000;
        size_t n = (size_t)(r >> 40) % sizeof buffer;
        if (ch__infile_read(f, at, buffer, n) != CH_OK) return NULL;
        for (size_t k = 0; k < n; k++)
            if (buffer[k] != (unsigned char)ch__hash_u64(at + k)) return NULL;
    }
    return arg;
}

static void positions(void **state) {
    (void)state;
    static char data[100000];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)ch__hash_u64(i);
    assert_int_equal(ch__file_write_atomic(path, data, sizeof data), CH_OK);
    ch__infile *f;
    assert_int_equal(ch__infile_open(path, &f), CH_OK);
    assert_int_equal(ch__infile_size(f), sizeof data);
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, read_by_position, f);
    for (int i = 0; i < 3; i++) {
        void *ok;
        pthread_join(t[i], &ok);
        assert_non_null(ok);
    }
    char c[4];
    assert_int_equal(ch__infile_read(f, 100000, c, 0), CH_OK);
    static const uint64_t offsets[] = {99997, 100000, 100001, UINT64_MAX, UINT64_MAX - 2};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(ch__infile_read(f, offsets[i], c, 4), CH_DATA_LOSS);
        assert_string_equal(ch_error_id(), "file_format");
    }
    assert_int_equal(ch__infile_read(f, 0, c, SIZE_MAX), CH_DATA_LOSS);
    assert_int_equal(truncate(path, 50000), 0); // it becomes shorter while it is open
    assert_int_equal(ch__infile_read(f, 60000, c, 4), CH_DATA_LOSS);
    char expected[300];
    snprintf(expected, sizeof expected,
             "file_read: %s: 4 bytes at 60000 wanted, the file has 60000 — it is truncated or damaged", path);
    failed_with(expected, "file_format");
    ch__infile_close(f);
    ch__infile_close(NULL);
}

// Everything once, with the n-th allocation failing.
static ch_status use_all(void) {
    ch__outfile *out;
    ch__infile *in;
    char *data, c[3];
    size_t n;
    CH_TRY(ch__file_write_atomic(path, "abc", 3));
    CH_TRY(ch__file_read(path, 0, &data, &n));
    ch__free(data);
    CH_TRY(ch__file_read("/proc/self/maps", 0, &data, &n)); // grows
    ch__free(data);
    CH_TRY(ch__outfile_open(path, &out));
    CH_TRY(ch__outfile_commit(out));
    CH_TRY(ch__file_write_atomic(path, "abc", 3));
    CH_TRY(ch__infile_open(path, &in));
    ch_status s = ch__infile_read(in, 0, c, 3);
    ch__infile_close(in);
    return s;
}
static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    assert_int_equal(ch__file_write_atomic(path, "abc", 3), CH_OK);
    int64_t live = ch__alloc_live();
    int n = 0;
    ch_status s;
    do {
        ch__alloc_fail_at(++n, false);
        s = use_all();
        ch__alloc_fail_at(0, false);
        assert_true(s == CH_OK || s == CH_RESOURCE_EXHAUSTED);
        assert_int_equal(ch__alloc_live(), live);
        assert_int_equal(entries(false), 1);
    } while (s != CH_OK);
    assert_true(n > 10);
}

#define FILE_TEST(fn) cmocka_unit_test_setup_teardown(fn, make_folder, drop_folder)
int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(what_is_written_is_read),
        FILE_TEST(streamed_pieces_arrive_in_order),
        FILE_TEST(an_abandoned_file_leaves_the_old_one),
        FILE_TEST(a_killed_writer_leaves_a_whole_file),
        FILE_TEST(large_pieces),
        FILE_TEST(permissions_links_and_special_files),
        FILE_TEST(refusals_name_the_file_and_the_reason),
        FILE_TEST(positions),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
