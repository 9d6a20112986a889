// SPDX-License-Identifier: Apache-2.0
// cache.c - disk caches of compiled code: folders of files named by the hash of all that the code depends on.
//
// There are three: libraries of the native engine, in the same folder which of them is the code of a func
// (src/native/recall.c), and executables of devices where CHAAC_PJRT_CACHE_DIR asks for it.
// An entry is a header (magic, length, SHA-256 of the key, the length and what follows) and the code. Nothing is
// believed: the folder must be a real folder of this user that nobody else may enter (0700), an entry a regular file of
// this user, and its bytes are read into memory, checked there and loaded from there, so what was checked is what runs.
// The key is in the sum, so that code under another's name is not taken for it. An entry that does not pass is removed
// with a notice and made again. Writers use a name of their own and rename: processes may share the folder; what a
// killed one left goes after an hour. When the files together grow past the limit, those used longest ago go (their
// time is set at every use).
#include "rt/rt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "chaac/engine.h"

enum { CACHE_HEAD = 64, CACHE_PATH = 1024, CACHE_NAME = 64 + 5, CACHE_LEFT = 3600 };

// ---------------------------------------------------------------- which there are
static bool cache_of_devices(char *out, size_t n) {
    const char *path = ch__env("CHAAC_PJRT_CACHE_DIR");
    if (path == NULL || *path == '\0' || strcmp(path, "off") == 0) return false;
    if (*path == '/') return (size_t)snprintf(out, n, "%s", path) < n;
    ch__log(2, "environment: CHAAC_PJRT_CACHE_DIR is \"%s\" and is ignored — a path that begins with / is taken", path);
    return false;
}

const ch__cache ch__cache_native = {"chaac code 2\n", ".code", 1, "code is compiled again by every process",
                                    ch__cache_home};
const ch__cache ch__cache_funcs = {"chaac func 1\n", ".func", 256, "funcs are printed again by every process",
                                   ch__cache_home};
const ch__cache ch__cache_devices = {"chaac exec 1\n", ".exec", 1, "programs are compiled again by every process",
                                     cache_of_devices};
static const ch__cache *const all_caches[] = {&ch__cache_native, &ch__cache_funcs, &ch__cache_devices};

// ---------------------------------------------------------------- the folder
// Makes every folder of path that is missing, for this user alone.
static bool cache_make_folders(const char *path) {
    char part[CACHE_PATH];
    size_t n = strlen(path);
    if (n >= sizeof part) return false;
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST) return false;
    }
    return true;
}

// The folder, opened; -1 when there is none or it is not to be trusted (*why says so, unless it is just absent).
static int cache_try_folder(const ch__cache *c, bool make, char path[CACHE_PATH], const char **why) {
    struct stat st;
    *why = NULL;
    if (!c->home(path, CACHE_PATH)) return -1;
    if (make && !cache_make_folders(path)) {
        *why = "cannot be made";
        return -1;
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT) *why = "is not a folder that can be opened";
        return -1;
    }
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0) return fd;
    *why = "is open to other users, and is not used until its mode is 0700 and it is your own";
    close(fd);
    return -1;
}

static int cache_open_folder(const ch__cache *c, bool make) {
    char path[CACHE_PATH];
    const char *why;
    int fd = cache_try_folder(c, make, path, &why), i = c == &ch__cache_devices;
    static _Atomic(const char *) told[2]; // every func asks twice: what stays wrong is said once
    if (atomic_exchange(&told[i], why) != why && why != NULL) ch__log(2, "cache: %s %s — %s", path, why, c->again);
    return fd;
}

static void cache_name(const ch__cache *c, const ch__sha256 *key, char out[CACHE_NAME + 1]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        out[2 * i] = digits[key->b[i] >> 4];
        out[2 * i + 1] = digits[key->b[i] & 15];
    }
    memcpy(out + 64, c->suffix, 6);
}

// What an entry of this name has to sum up to.
static ch__sha256 cache_sum(const char *name, const unsigned char *code, uint64_t length) {
    unsigned char all[64 + 32 + sizeof length];
    ch__sha256 of_code = ch__sha256_of(code, (size_t)length);
    memcpy(all, name, 64);
    memcpy(all + 64, of_code.b, 32);
    memcpy(all + 96, &length, sizeof length);
    return ch__sha256_of(all, sizeof all);
}

static bool cache_is_entry(const ch__cache *c, const char *name) {
    return strlen(name) == CACHE_NAME && strspn(name, "0123456789abcdef") == 64 && strcmp(name + 64, c->suffix) == 0;
}

// ---------------------------------------------------------------- reading
static bool cache_read_all(int fd, void *out, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t got = read(fd, (char *)out + done, n - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

// NULL: head may be that of a file of n bytes; else what is wrong.
static const char *cache_check_head(const ch__cache *c, const unsigned char head[CACHE_HEAD], size_t n) {
    static const unsigned char nothing[8];
    uint64_t length;
    if (memcmp(head, c->magic, sizeof c->magic) != 0 || memcmp(head + 24, nothing, 8) != 0)
        return "it does not begin as an entry does";
    memcpy(&length, head + 16, sizeof length);
    return length == n - CACHE_HEAD ? NULL : "it has another length than it says";
}

// The whole file, n bytes, at *out_data on the heap; NULL, or what is wrong. No memory is taken for one that does not
// begin as an entry of its length: it may be of any length and hold nothing.
static const char *cache_read(const ch__cache *c, int fd, const char *name, size_t n, unsigned char **out_data) {
    unsigned char head[CACHE_HEAD];
    if (n < CACHE_HEAD) return "it is too short";
    if (!cache_read_all(fd, head, CACHE_HEAD)) return "it cannot be read";
    const char *why = cache_check_head(c, head, n);
    if (why != NULL) return why;
    unsigned char *data = *out_data = ch__alloc(n);
    if (data == NULL) return "there is no memory to read it";
    memcpy(data, head, CACHE_HEAD);
    if (!cache_read_all(fd, data + CACHE_HEAD, n - CACHE_HEAD)) return "it cannot be read";
    ch__sha256 sum = cache_sum(name, data + CACHE_HEAD, n - CACHE_HEAD);
    return memcmp(sum.b, data + 32, sizeof sum.b) == 0 ? NULL : "its checksum is wrong";
}

// A folder of an entry's name goes too, when it is empty.
static void cache_remove(int folder, const char *name) {
    if (unlinkat(folder, name, 0) != 0 && errno == EISDIR) unlinkat(folder, name, AT_REMOVEDIR);
}

// The file's bytes on the heap, checked. NULL: not there (*why NULL), or not good.
static unsigned char *cache_load(const ch__cache *c, int folder, const char *name, size_t *out_n, const char **why) {
    struct stat st;
    *why = NULL;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT) *why = errno == ELOOP ? "it is a link" : "it cannot be opened";
        return NULL;
    }
    unsigned char *data = NULL;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        *why = "it is not a file";
    else if (st.st_uid != geteuid())
        *why = "it is another user's";
    else if ((st.st_mode & 022) != 0)
        *why = "others may write it";
    else
        *why = cache_read(c, fd, name, (size_t)st.st_size, &data);
    if (*why == NULL) futimens(fd, NULL); // used now
    close(fd);
    if (*why != NULL) {
        ch__free(data);
        return NULL;
    }
    *out_n = (size_t)st.st_size;
    return data;
}

bool ch__cache_get(const ch__cache *c, const ch__sha256 *key, void **out_data, size_t *out_n) {
    char name[CACHE_NAME + 1];
    const char *why;
    int folder = cache_open_folder(c, false);
    if (folder < 0) return false;
    cache_name(c, key, name);
    size_t n = 0;
    unsigned char *data = cache_load(c, folder, name, &n, &why);
    if (why != NULL) {
        ch__log(2, "cache: entry %.12s...: %s — it is made again", name, why);
        cache_remove(folder, name);
    }
    close(folder);
    if (data == NULL) return false;
    memmove(data, data + CACHE_HEAD, n - CACHE_HEAD);
    *out_data = data;
    *out_n = n - CACHE_HEAD;
    return true;
}

void ch__cache_drop(const ch__cache *c, const ch__sha256 *key, const char *why) {
    char name[CACHE_NAME + 1];
    int folder = cache_open_folder(c, false);
    cache_name(c, key, name);
    ch__log(2, "cache: entry %.12s...: %s — it is made again", name, why);
    if (folder < 0) return;
    unlinkat(folder, name, 0);
    close(folder);
}

// ---------------------------------------------------------------- all entries
static void cache_each(const ch__cache *c, int folder,
                       void (*fn)(void *arg, int folder, const char *name, const struct stat *st), void *arg) {
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = again < 0 ? NULL : fdopendir(again);
    if (d == NULL) {
        if (again >= 0) close(again);
        return;
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        struct stat st;
        bool left = c != &ch__cache_funcs && strncmp(e->d_name, "tmp-", 4) == 0; // in one folder of two
        bool ours = left || cache_is_entry(c, e->d_name);
        if (ours && fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0) fn(arg, folder, e->d_name, &st);
    }
    closedir(d);
}

struct cache_oldest {
    int64_t bytes, time, now;
    char name[CACHE_NAME + 1];
};

static int64_t cache_nanoseconds(const struct stat *st) {
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static void cache_find_oldest(void *arg, int folder, const char *name, const struct stat *st) {
    struct cache_oldest *o = arg;
    if (strncmp(name, "tmp-", 4) == 0 && (int64_t)st->st_mtim.tv_sec < o->now - CACHE_LEFT) {
        unlinkat(folder, name, 0);
        return;
    }
    if (S_ISDIR(st->st_mode)) return; // not ours, and in nobody's way
    o->bytes += st->st_size;
    if (o->name[0] != '\0' && cache_nanoseconds(st) >= o->time) return;
    if (strlen(name) > CACHE_NAME) return;
    o->time = cache_nanoseconds(st);
    memcpy(o->name, name, strlen(name) + 1);
}

// The limit is passed rarely, so the folder is simply read again for each entry that goes.
static void cache_trim(const ch__cache *c, int folder) {
    int64_t limit = ch__env_int("CHAAC_CACHE_BYTES", INT64_C(1) << 30, 0, INT64_MAX) / c->part;
    for (int i = 0; i < 10000; i++) {
        struct cache_oldest o = {.now = (int64_t)time(NULL)};
        cache_each(c, folder, cache_find_oldest, &o);
        if (o.bytes <= limit || o.name[0] == '\0' || unlinkat(folder, o.name, 0) != 0) return;
    }
}

// ---------------------------------------------------------------- writing
static bool cache_write_all(int fd, const void *data, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t put = write(fd, (const char *)data + done, n - done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        done += (size_t)put;
    }
    return true;
}

void ch__cache_put(const ch__cache *c, const ch__sha256 *key, const void *data, size_t n) {
    static atomic_uint serial;
    char name[CACHE_NAME + 1], temporary[64];
    unsigned char head[CACHE_HEAD] = {0};
    uint64_t length = n;
    int folder = cache_open_folder(c, true);
    if (folder < 0) return;
    cache_name(c, key, name);
    snprintf(temporary, sizeof temporary, "tmp-%ld-%u", (long)getpid(), atomic_fetch_add(&serial, 1));
    memcpy(head, c->magic, sizeof c->magic);
    memcpy(head + 16, &length, sizeof length);
    ch__sha256 sum = cache_sum(name, data, length);
    memcpy(head + 32, sum.b, sizeof sum.b);
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = fd >= 0 && cache_write_all(fd, head, sizeof head) && cache_write_all(fd, data, n);
    if (fd >= 0 && close(fd) != 0) good = false;
    if (good) good = renameat(folder, temporary, folder, name) == 0;
    if (!good) {
        if (fd >= 0) unlinkat(folder, temporary, 0);
        ch__log(2, "cache: an entry of %zu bytes cannot be written — %s", n, c->again);
    } else {
        cache_trim(c, folder);
    }
    close(folder);
}

// ---------------------------------------------------------------- for `chaac cache`
struct cache_list {
    ch_cache_fn fn;
    void *arg;
    bool check, remove;
    const ch__cache *cache;
};

static void cache_list_one(void *arg, int folder, const char *name, const struct stat *st) {
    struct cache_list *l = arg;
    const char *why = NULL;
    if (l->check && cache_is_entry(l->cache, name)) {
        size_t n;
        ch__free(cache_load(l->cache, folder, name, &n, &why));
    }
    if ((l->remove && !l->check) || why != NULL) cache_remove(folder, name);
    if (l->fn != NULL) l->fn(l->arg, name, st->st_size, (int64_t)st->st_mtim.tv_sec, why);
}

static ch_status cache_walk_one(struct cache_list *l) {
    char path[CACHE_PATH];
    const char *why;
    int folder = cache_try_folder(l->cache, false, path, &why);
    if (why != NULL) return ch__fail(CH__E_file, "cache: %s %s — %s", path, why, l->cache->again);
    if (folder < 0) return CH_OK;
    cache_each(l->cache, folder, cache_list_one, l);
    close(folder);
    return CH_OK;
}

// All of them, also when one cannot be read; the first that cannot is the error.
static ch_status cache_walk(struct cache_list *l) {
    ch__error_copy e;
    ch_status first = CH_OK;
    for (size_t i = 0; i < sizeof all_caches / sizeof *all_caches; i++) {
        l->cache = all_caches[i];
        ch_status s = cache_walk_one(l);
        if (s == CH_OK || first != CH_OK) continue;
        first = s;
        ch__error_save(&e);
    }
    return first == CH_OK ? CH_OK : ch__error_publish(&e);
}

ch_status ch_cache_list(ch_cache_fn fn, void *user) { return cache_walk(&(struct cache_list){.fn = fn, .arg = user}); }

ch_status ch_cache_verify(ch_cache_fn fn, void *user) {
    return cache_walk(&(struct cache_list){.fn = fn, .arg = user, .check = true});
}

ch_status ch_cache_clear(ch_cache_fn fn, void *user) {
    return cache_walk(&(struct cache_list){.fn = fn, .arg = user, .remove = true});
}

const char *ch_cache_folder(void) {
    static _Thread_local char path[CACHE_PATH];
    return ch__cache_home(path, sizeof path) ? path : NULL;
}
