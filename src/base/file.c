// SPDX-License-Identifier: Apache-2.0
// file.c - whole files, files written so that a crash leaves the old one or the new one, files read by position.
//
// A file is written under a name of its own in the folder of the final path, synced, and renamed over it. What is not a
// regular file (a pipe, a terminal, /dev/null) cannot be replaced and is written to as it is. A symbolic link is
// followed: the file it names is replaced, not the link. The system's reasons are given in our own words: strerror
// depends on the locale and is not safe in threads.
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *file_reason(int error, char number[32]) {
    switch (error) {
    case ENOENT: return "no such file or folder";
    case EACCES: return "permission denied";
    case EPERM: return "not permitted";
    case EISDIR: return "it is a folder";
    case ENOTDIR: return "a part of the path is not a folder";
    case EEXIST: return "it exists already";
    case ENOSPC: return "no space is left on the device";
    case EDQUOT: return "the disk quota is used up";
    case EFBIG: return "the file would be too large";
    case EROFS: return "the file system is read-only";
    case EIO: return "the device reported an input/output error";
    case EMFILE: return "too many files are open in this process";
    case ENFILE: return "too many files are open in the system";
    case ENAMETOOLONG: return "the name is too long";
    case ELOOP: return "too many symbolic links";
    case EPIPE: return "the reader is gone";
    case ETXTBSY: return "it is a program that runs";
    default: snprintf(number, 32, "system error %d", error); return number;
    }
}

static ch_status file_fail(const char *function, const char *path, int error) {
    char number[32];
    return ch__fail(CH__E_file, "%s: %s: %s", function, path, file_reason(error, number));
}

static int file_open(const char *path, int flags) {
    int fd;
    do fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

// One read of at most 1 GiB (some systems refuse more); -1 on error.
static ssize_t file_read_some(int fd, void *out, size_t n) {
    ssize_t got;
    do got = read(fd, out, n < (1u << 30) ? n : (1u << 30));
    while (got < 0 && errno == EINTR);
    return got;
}

static ch_status file_read_all(int fd, const char *path, size_t limit, char **out_data, size_t *out_n) {
    struct stat st;
    if (fstat(fd, &st) != 0) return file_fail("file_read", path, errno);
    if (S_ISDIR(st.st_mode)) return file_fail("file_read", path, EISDIR);
    // The size is a first guess: a file may grow, a pipe has none.
    size_t cap =
        S_ISREG(st.st_mode) && st.st_size > 0 && (uintmax_t)st.st_size < SIZE_MAX / 2 ? (size_t)st.st_size + 2 : 4096;
    if (limit && cap > limit + 2 && limit < SIZE_MAX - 2) cap = limit + 2;
    char *data = ch__alloc(cap);
    size_t n = 0;
    while (data) {
        if (cap - n < 2) {
            char *more = cap < SIZE_MAX / 2 ? ch__realloc(data, cap * 2) : NULL;
            if (!more) break;
            data = more;
            cap *= 2;
        }
        ssize_t got = file_read_some(fd, data + n, cap - n - 1);
        if (got < 0) {
            ch__free(data);
            return file_fail("file_read", path, errno);
        }
        n += (size_t)got;
        if (limit && n > limit) {
            ch__free(data);
            return ch__fail(CH__E_limit, "file_read: %s: larger than %zu bytes — the most that is read here", path,
                            limit);
        }
        if (got == 0) {
            data[n] = '\0';
            *out_data = data;
            *out_n = n;
            return CH_OK;
        }
    }
    ch__free(data);
    return ch__fail_oom("file_read");
}

ch_status ch__file_read(const char *path, size_t limit, char **out_data, size_t *out_n) {
    int fd = file_open(path, O_RDONLY);
    if (fd < 0) return file_fail("file_read", path, errno);
    ch_status s = file_read_all(fd, path, limit, out_data, out_n);
    close(fd);
    return s;
}

bool ch__file_exists(const char *path) { return access(path, F_OK) == 0; }

struct ch__outfile {
    int fd;
    bool in_place;       // not a regular file: written to directly
    bool failed;         // reported already; commit only cleans up
    size_t n;            // bytes in buffer
    char *path, *beside; // final and temporary name
    char buffer[1 << 16];
};

static void outfile_free(ch__outfile *f) {
    ch__free(f->path);
    ch__free(f->beside);
    ch__free(f);
}

void ch__outfile_abandon(ch__outfile *f) {
    if (!f) return;
    if (f->fd >= 0) close(f->fd);
    if (!f->in_place && f->beside) unlink(f->beside);
    outfile_free(f);
}

// Opens a new file beside the final path, with the permissions that the final one has or would get.
static int outfile_open_beside(ch__outfile *f, const struct stat *old) {
    static atomic_uint serial;
    size_t room = strlen(f->path) + 48;
    f->beside = ch__alloc(room);
    if (!f->beside) {
        errno = ENOMEM;
        return -1;
    }
    for (int tries = 0; tries < 100; tries++) {
        snprintf(f->beside, room, "%s.%ld-%u.tmp", f->path, (long)getpid(), atomic_fetch_add(&serial, 1));
        int fd = file_open(f->beside, O_WRONLY | O_CREAT | O_EXCL);
        if (fd >= 0) {
            // Best effort: a file of another owner may be replaced but not imitated.
            if (old && fchmod(fd, old->st_mode & 0777) != 0) errno = 0;
            return fd;
        }
        if (errno != EEXIST) break;
    }
    int error = errno;
    ch__free(f->beside);
    f->beside = NULL;
    errno = error;
    return -1;
}

static ch_status outfile_begin(ch__outfile *f, const char *path) {
    char linked[PATH_MAX];
    struct stat st;
    bool exists = lstat(path, &st) == 0;
    if (exists && S_ISLNK(st.st_mode)) {
        if (realpath(path, linked)) path = linked;
        exists = stat(path, &st) == 0;
    }
    if (exists && S_ISDIR(st.st_mode)) return file_fail("file_write", path, EISDIR);
    f->path = ch__strdup(path);
    if (!f->path) return ch__fail_oom("file_write");
    f->in_place = exists && !S_ISREG(st.st_mode);
    f->fd = f->in_place ? file_open(path, O_WRONLY) : outfile_open_beside(f, exists ? &st : NULL);
    if (f->fd >= 0) return CH_OK;
    return errno == ENOMEM ? ch__fail_oom("file_write") : file_fail("file_write", path, errno);
}

ch_status ch__outfile_open(const char *path, ch__outfile **out) {
    ch__outfile *f = ch__alloc(sizeof *f);
    if (!f) return ch__fail_oom("file_write");
    f->fd = -1;
    f->in_place = f->failed = false;
    f->n = 0;
    f->path = f->beside = NULL;
    ch_status s = outfile_begin(f, path);
    if (s != CH_OK) {
        outfile_free(f);
        return s;
    }
    *out = f;
    return CH_OK;
}

static ch_status outfile_put(ch__outfile *f, const char *p, size_t n) {
    while (n > 0) {
        ssize_t put = write(f->fd, p, n < (1u << 30) ? n : (1u << 30));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            f->failed = true;
            return file_fail("file_write", f->path, errno);
        }
        p += put;
        n -= (size_t)put;
    }
    return CH_OK;
}

static ch_status outfile_flush(ch__outfile *f) {
    size_t n = f->n;
    f->n = 0;
    return outfile_put(f, f->buffer, n);
}

ch_status ch__outfile_write(ch__outfile *f, const void *p, size_t n) {
    if (f->failed) return ch__fail(CH__E_file, "file_write: %s: an earlier write failed — abandon the file", f->path);
    if (n > sizeof f->buffer - f->n) {
        CH_TRY(outfile_flush(f));
        if (n >= sizeof f->buffer) return outfile_put(f, p, n);
    }
    if (n > 0) memcpy(f->buffer + f->n, p, n);
    f->n += n;
    return CH_OK;
}

// The name of a renamed file is on disk when its folder is. Not every file system can; the rename stands anyway.
static void outfile_sync_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = '\0';
    int fd = file_open(slash ? path : ".", O_RDONLY);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}

static ch_status outfile_finish(ch__outfile *f) {
    if (f->failed)
        return ch__fail(CH__E_file, "file_write: %s: an earlier write failed — nothing was replaced", f->path);
    CH_TRY(outfile_flush(f));
    if (!f->in_place && fsync(f->fd) != 0) return file_fail("file_write", f->path, errno);
    int fd = f->fd;
    f->fd = -1;
    if (close(fd) != 0 && errno != EINTR) return file_fail("file_write", f->path, errno);
    if (f->in_place) return CH_OK;
    if (rename(f->beside, f->path) != 0) return file_fail("file_write", f->path, errno);
    return CH_OK;
}

ch_status ch__outfile_commit(ch__outfile *f) {
    ch_status s = outfile_finish(f);
    if (s != CH_OK) {
        ch__outfile_abandon(f);
        return s;
    }
    if (!f->in_place) outfile_sync_folder(f->path);
    outfile_free(f);
    return CH_OK;
}

ch_status ch__file_write_atomic(const char *path, const void *data, size_t n) {
    ch__outfile *f;
    CH_TRY(ch__outfile_open(path, &f));
    ch_status s = ch__outfile_write(f, data, n);
    if (s == CH_OK) return ch__outfile_commit(f);
    ch__outfile_abandon(f);
    return s;
}

struct ch__infile {
    int fd;
    uint64_t size;
    char *path;
};

ch_status ch__infile_open(const char *path, ch__infile **out) {
    int fd = file_open(path, O_RDONLY);
    if (fd < 0) return file_fail("file_open", path, errno);
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return ch__fail(CH__E_file, "file_open: %s: not a regular file — give a file that can be read by position",
                        path);
    }
    ch__infile *f = ch__alloc(sizeof *f);
    char *name = ch__strdup(path);
    if (!f || !name) {
        ch__free(f);
        ch__free(name);
        close(fd);
        return ch__fail_oom("file_open");
    }
    f->fd = fd;
    f->size = (uint64_t)st.st_size;
    f->path = name;
    *out = f;
    return CH_OK;
}

uint64_t ch__infile_size(const ch__infile *f) { return f->size; }

static ch_status infile_short(const ch__infile *f, uint64_t offset, size_t n, uint64_t size) {
    return ch__fail(CH__E_file_format,
                    "file_read: %s: %zu bytes at %" PRIu64 " wanted, the file has %" PRIu64
                    " — it is truncated or damaged",
                    f->path, n, offset, size);
}

// Much is read by several threads: what costs is less the disk cache than the pages of the memory that it goes to.
enum { READ_PART = 1 << 20 };
typedef struct {
    int fd;
    uint64_t offset;
    char *out;
    size_t n;
    atomic_bool failed;
} shared_read;

static void read_part(void *arg, int64_t begin, int64_t end) {
    shared_read *r = arg;
    size_t at = (size_t)begin * READ_PART, to = (size_t)end * READ_PART < r->n ? (size_t)end * READ_PART : r->n;
    while (at < to && !atomic_load_explicit(&r->failed, memory_order_relaxed)) {
        ssize_t got = pread(r->fd, r->out + at, to - at, (off_t)(r->offset + at));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) atomic_store_explicit(&r->failed, true, memory_order_relaxed);
        at += got > 0 ? (size_t)got : 0;
    }
}

static bool read_shared(const ch__infile *f, uint64_t offset, void *out, size_t n) {
    shared_read r = {.fd = f->fd, .offset = offset, .out = out, .n = n};
    atomic_init(&r.failed, false);
    ch__parallel_for((int64_t)((n + READ_PART - 1) / READ_PART), 1, read_part, &r);
    return !atomic_load(&r.failed);
}

ch_status ch__infile_read(ch__infile *f, uint64_t offset, void *out, size_t n) {
    if (offset > f->size || n > f->size - offset) return infile_short(f, offset, n, f->size);
    if (n > 2 * READ_PART && read_shared(f, offset, out, n)) return CH_OK; // else once more, to say what it was
    char *p = out;
    for (size_t done = 0; done < n;) {
        size_t want = n - done < (1u << 30) ? n - done : (1u << 30);
        ssize_t got = pread(f->fd, p + done, want, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_fail("file_read", f->path, errno);
        if (got == 0) return infile_short(f, offset, n, offset + done); // it became shorter
        done += (size_t)got;
    }
    return CH_OK;
}

struct ch__mapping {
    atomic_int refs;
    size_t size;
    void *data;
};

ch_status ch__infile_map(ch__infile *f, ch__mapping **out) {
    *out = NULL;
    if (f->size == 0 || f->size > PTRDIFF_MAX) return CH_OK;
    ch__mapping *m = ch__alloc(sizeof *m);
    if (!m) return ch__fail_oom("file_map");
    m->size = (size_t)f->size;
    m->data = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, f->fd, 0);
    if (m->data == MAP_FAILED) { // a file system without it, or no addresses left: whoever asks copies
        ch__free(m);
        return CH_OK;
    }
    atomic_init(&m->refs, 1);
    *out = m;
    return CH_OK;
}

const void *ch__mapping_data(const ch__mapping *m) { return m->data; }
void ch__mapping_retain(ch__mapping *m) { atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed); }

void ch__mapping_release(ch__mapping *m) {
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1) return;
    munmap(m->data, m->size);
    ch__free(m);
}

void ch__infile_close(ch__infile *f) {
    if (!f) return;
    close(f->fd);
    ch__free(f->path);
    ch__free(f);
}
