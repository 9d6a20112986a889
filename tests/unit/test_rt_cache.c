// SPDX-License-Identifier: Apache-2.0
// test_rt_cache.c - cache.c: what comes back, what is not believed, and the limit on its size.
#include "rt/rt.h"

#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64], folder[128], notices[1 << 18];

static void listen(void *user, int level, const char *text) {
    (void)user, (void)level;
    size_t n = strlen(notices);
    snprintf(notices + n, sizeof notices - n, "%s\n", text);
}

static void remove_all(void) {
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') unlink(name);
    }
    if (d != NULL) closedir(d);
    rmdir(folder);
    unlink(folder);
}

static int begin(void **state) {
    (void)state;
    remove_all();
    notices[0] = '\0';
    return 0;
}

static ch__sha256 key_of(int i) { return ch__sha256_of(&i, sizeof i); }

static void put(int i, const char *text) {
    ch__sha256 k = key_of(i);
    ch__cache_put(&k, text, strlen(text));
}

static void expect(int i, const char *text) {
    ch__sha256 k = key_of(i);
    void *data = NULL;
    size_t n = 0;
    bool found = ch__cache_get(&k, &data, &n);
    assert_int_equal(found, text != NULL);
    if (!found) return;
    assert_int_equal(n, strlen(text));
    assert_memory_equal(data, text, n);
    ch__free(data);
}

// The path of the only entry.
static const char *only_entry(void) {
    static char path[512];
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            n++;
        }
    closedir(d);
    assert_int_equal(n, 1);
    return path;
}

static void count(void *arg, const char *name, int64_t bytes, int64_t used, const char *why) {
    (void)name, (void)used;
    assert_true(bytes > 64);
    ((int *)arg)[why == NULL ? 0 : 1]++;
}

static void what_was_put_comes_back(void **state) {
    (void)state;
    struct stat st;
    expect(1, NULL);
    put(1, "one");
    put(2, "two two");
    expect(1, "one");
    expect(2, "two two");
    put(1, "another");
    expect(1, "another");
    expect(3, NULL);
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    int seen[2] = {0};
    ch__cache_list(count, seen);
    assert_int_equal(seen[0], 2);
    ch__cache_clear(NULL, NULL);
    expect(1, NULL);
    assert_string_equal(notices, "");
}

// Any byte of the file changed, or the file cut anywhere: it does not come back, and is gone.
static void damage(void **state) {
    (void)state;
    put(1, "some code");
    char *good;
    size_t n;
    assert_int_equal(ch__file_read(only_entry(), 0, &good, &n), CH_OK);
    for (size_t i = 0; i < 2 * n; i++) {
        put(1, "some code");
        const char *path = only_entry();
        FILE *f = fopen(path, "wb");
        char c = good[i % n];
        good[i % n] ^= 8;
        fwrite(good, 1, i < n ? n : i - n, f);
        good[i % n] = c;
        assert_int_equal(fclose(f), 0);
        bool unused = i < n && i >= 24 && i < 32; // bytes of the head that say nothing
        bool padding = i < n && i > 13 && i < 16; // part of the magic
        (void)padding;
        expect(1, unused ? "some code" : NULL);
        if (!unused) assert_int_not_equal(access(path, F_OK), 0);
    }
    assert_non_null(strstr(notices, "its checksum is wrong — it is made again"));
    assert_non_null(strstr(notices, "it is too short — it is made again"));
    ch__free(good);
}

static void links_and_other_things_are_not_followed(void **state) {
    (void)state;
    put(1, "some code");
    char path[512], other[600];
    snprintf(path, sizeof path, "%s", only_entry());
    snprintf(other, sizeof other, "%s.other", root);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    expect(1, NULL);
    assert_non_null(strstr(notices, "it is a link"));
    assert_int_equal(mkfifo(path, 0600), 0);
    expect(1, NULL); // and does not hang
    assert_non_null(strstr(notices, "it is not a file"));
    assert_int_equal(rename(other, path), 0);
    expect(1, "some code");
    assert_int_equal(chmod(path, 0666), 0);
    expect(1, NULL);
    assert_non_null(strstr(notices, "others may write it"));
}

static void a_folder_that_is_open_to_others(void **state) {
    (void)state;
    put(1, "some code");
    assert_int_equal(chmod(folder, 0755), 0);
    expect(1, NULL);
    put(1, "some code");
    assert_non_null(strstr(notices, "is open to other users"));
    assert_int_equal(chmod(folder, 0700), 0);
    expect(1, "some code");
    char real[200];
    snprintf(real, sizeof real, "%s/real", root);
    assert_int_equal(rename(folder, real), 0);
    assert_int_equal(symlink(real, folder), 0);
    expect(1, NULL);
    put(2, "more");
    unlink(folder);
    assert_int_equal(rename(real, folder), 0);
    expect(1, "some code");
    expect(2, NULL);
}

// The limit is 1,000 bytes (main): an entry of 300 takes 364.
static void what_was_used_longest_ago_goes(void **state) {
    (void)state;
    char text[301];
    memset(text, 'x', 300);
    text[300] = '\0';
    put(1, text);
    usleep(20000);
    put(2, text);
    usleep(20000);
    expect(1, text);
    usleep(20000);
    put(3, text);
    expect(2, NULL);
    expect(1, text);
    expect(3, text);
}

static void two_processes(void **state) {
    (void)state;
    char text[200];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    pid_t child = fork();
    for (int i = 0; i < 300; i++) {
        put(i % 2, text);
        ch__sha256 k = key_of(i % 2);
        void *data = NULL;
        size_t n = 0;
        if (!ch__cache_get(&k, &data, &n)) continue; // the other one trims
        bool same = n == strlen(text) && memcmp(data, text, n) == 0;
        ch__free(data);
        if (child == 0 && !same) _exit(1);
        assert_true(same);
    }
    if (child == 0) _exit(strstr(notices, "checksum") != NULL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_null(strstr(notices, "checksum"));
}

static void verify_removes_what_is_damaged(void **state) {
    (void)state;
    put(1, "some code");
    FILE *f = fopen(only_entry(), "ab");
    fputs("more", f);
    fclose(f);
    put(2, "some code");
    int seen[2] = {0};
    ch__cache_verify(count, seen);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 1);
    expect(2, "some code");
    only_entry();
}

int main(void) {
    strcpy(root, "/tmp/chaac-cache-XXXXXX");
    if (mkdtemp(root) == NULL) return 1;
    snprintf(folder, sizeof folder, "%s/deep/er", root);
    setenv("CHAAC_CACHE_DIR", folder, 1);
    setenv("CHAAC_CACHE_BYTES", "1000", 1);
    ch_set_log(listen, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_was_put_comes_back, begin),
        cmocka_unit_test_setup(damage, begin),
        cmocka_unit_test_setup(links_and_other_things_are_not_followed, begin),
        cmocka_unit_test_setup(a_folder_that_is_open_to_others, begin),
        cmocka_unit_test_setup(what_was_used_longest_ago_goes, begin),
        cmocka_unit_test_setup(two_processes, begin),
        cmocka_unit_test_setup(verify_removes_what_is_damaged, begin),
    };
    int failed = cmocka_run_group_tests_name("rt_cache", tests, NULL, NULL);
    remove_all();
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command) != 0 || failed;
}
