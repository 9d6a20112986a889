// SPDX-License-Identifier: Apache-2.0
// test_rt_cache.c - cache.c: what comes back, what is not believed, and the limit on its size.
#include "chaac/engine.h"
#include "rt/rt.h"

#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
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
    ch__cache_put(&ch__cache_native, &k, text, strlen(text));
}

static void expect(int i, const char *text) {
    ch__sha256 k = key_of(i);
    void *data = NULL;
    size_t n = 0;
    bool found = ch__cache_get(&ch__cache_native, &k, &data, &n);
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
    assert_int_equal(ch_cache_list(count, seen), CH_OK);
    assert_int_equal(seen[0], 2);
    assert_int_equal(ch_cache_clear(NULL, NULL), CH_OK);
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
        expect(1, NULL);
        assert_int_not_equal(access(path, F_OK), 0);
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

// A file of 2^40 bytes that are not there, and a folder: no memory is taken, and both are gone. A folder that is not
// empty stays, and is in the way of nothing else.
static void what_is_no_entry_at_all(void **state) {
    (void)state;
    char path[512], inside[600];
    put(1, "some code");
    snprintf(path, sizeof path, "%s", only_entry());
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    expect(1, NULL);
    assert_non_null(strstr(notices, "it has another length than it says"));
    assert_int_equal(mkdir(path, 0700), 0);
    expect(1, NULL);
    assert_non_null(strstr(notices, "it is not a file"));
    put(1, "some code");
    expect(1, "some code");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(inside, sizeof inside, "%s/inside", path);
    assert_int_equal(mkdir(inside, 0700), 0);
    char text[301];
    memset(text, 'x', 300);
    text[300] = '\0';
    for (int i = 2; i < 6; i++, usleep(20000)) put(i, text); // the limit: 1,000 bytes
    expect(2, NULL);
    expect(5, text);
    assert_int_equal(rmdir(inside), 0);
    assert_int_equal(ch_cache_clear(NULL, NULL), CH_OK);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_folder_that_is_open_to_others(void **state) {
    (void)state;
    put(1, "some code");
    assert_int_equal(chmod(folder, 0755), 0);
    expect(1, NULL);
    put(1, "some code");
    const char *told = strstr(notices, "is open to other users");
    assert_non_null(told);
    assert_null(strstr(told + 1, "is open to other users")); // once, though it was asked for twice
    assert_int_equal(chmod(folder, 0700), 0);
    expect(1, "some code");
    assert_int_equal(chmod(folder, 0755), 0);
    expect(1, NULL);
    assert_non_null(strstr(told + 1, "is open to other users"));
    assert_int_equal(chmod(folder, 0700), 0);
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
        if (!ch__cache_get(&ch__cache_native, &k, &data, &n)) continue; // the other one trims
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
    assert_int_equal(ch_cache_verify(count, seen), CH_OK);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 1);
    expect(2, "some code");
    only_entry();
}

// An entry under another's name: what it holds is whole, and not what is asked for.
static void an_entry_under_anothers_name(void **state) {
    (void)state;
    char from[512], to[600];
    put(1, "code of one");
    snprintf(from, sizeof from, "%s", only_entry());
    snprintf(to, sizeof to, "%s.other", root);
    assert_int_equal(rename(from, to), 0);
    put(2, "code of two");
    assert_int_equal(rename(to, only_entry()), 0);
    expect(2, NULL);
    assert_non_null(strstr(notices, "its checksum is wrong — it is made again"));
}

// A file or folder of another user, which only root can make.
static void another_users(void **state) {
    (void)state;
    if (geteuid() != 0) CH_SKIP("only root can give files away");
    put(1, "some code");
    assert_int_equal(chown(only_entry(), 65534, 65534), 0);
    expect(1, NULL);
    assert_non_null(strstr(notices, "it is another user's — it is made again"));
    put(1, "some code");
    assert_int_equal(chown(folder, 65534, 65534), 0);
    expect(1, NULL);
    assert_non_null(strstr(notices, "is open to other users"));
    assert_int_equal(ch_cache_list(NULL, NULL), CH_NOT_FOUND);
    assert_string_equal(ch_error_id(), "file");
    assert_int_equal(chown(folder, 0, 0), 0);
    expect(1, "some code");
}

// The disk is full while an entry is written: nothing is left of it, and what was there still is.
static void full(void **state) {
    (void)state;
    put(1, "some code");
    pid_t child = fork();
    if (child == 0) {
        char text[4000];
        memset(text, 'z', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000}) != 0) _exit(2);
        put(2, text);
        _exit(strstr(notices, "an entry of 3999 bytes cannot be written") == NULL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    only_entry();
    expect(1, "some code");
}

// A folder that can be read and not written: what is there is used. Root may write everywhere, so it becomes another.
static void read_only(void **state) {
    (void)state;
    put(1, "some code");
    bool root_user = geteuid() == 0;
    if (root_user) {
        assert_int_equal(chown(only_entry(), 65534, 65534), 0);
        assert_int_equal(chown(folder, 65534, 65534), 0);
        assert_int_equal(chmod(root, 0755), 0);
        char deep[200];
        snprintf(deep, sizeof deep, "%s/deep", root);
        assert_int_equal(chmod(deep, 0755), 0);
    }
    assert_int_equal(chmod(folder, 0500), 0);
    pid_t child = fork();
    if (child == 0) {
        if (root_user && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
        expect(1, "some code");
        put(2, "more");
        expect(2, NULL);
        _exit(strstr(notices, "cannot be written") == NULL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(folder, 0700), 0);
    if (root_user) assert_int_equal(chown(folder, 0, 0), 0);
    assert_int_equal(status, 0);
}

// A folder that cannot be made, for a file stands in its way.
static void no_folder(void **state) {
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/deep", root);
    rmdir(path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    put(1, "some code");
    expect(1, NULL);
    assert_non_null(strstr(notices, "cannot be made"));
    assert_int_equal(unlink(path), 0);
}

// What a killed process left goes with the next entry, when it is an hour old.
static void what_was_left_goes(void **state) {
    (void)state;
    char path[300];
    put(1, "some code");
    for (int old = 0; old < 2; old++) {
        snprintf(path, sizeof path, "%s/tmp-1-%d", folder, old);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fclose(f);
        if (old) assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){{1, 0}, {1, 0}}, 0), 0);
    }
    put(2, "some code");
    assert_int_not_equal(access(path, F_OK), 0);
    path[strlen(path) - 1] = '0';
    assert_int_equal(access(path, F_OK), 0);
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
        cmocka_unit_test_setup(what_is_no_entry_at_all, begin),
        cmocka_unit_test_setup(a_folder_that_is_open_to_others, begin),
        cmocka_unit_test_setup(what_was_used_longest_ago_goes, begin),
        cmocka_unit_test_setup(two_processes, begin),
        cmocka_unit_test_setup(verify_removes_what_is_damaged, begin),
        cmocka_unit_test_setup(an_entry_under_anothers_name, begin),
        cmocka_unit_test_setup(another_users, begin),
        cmocka_unit_test_setup(full, begin),
        cmocka_unit_test_setup(read_only, begin),
        cmocka_unit_test_setup(no_folder, begin),
        cmocka_unit_test_setup(what_was_left_goes, begin),
    };
    int failed = cmocka_run_group_tests_name("rt_cache", tests, NULL, NULL);
    remove_all();
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command) != 0 || failed;
}
