// SPDX-License-Identifier: Apache-2.0
// load.c - a library in memory becomes a function that can be called.
//
// The bytes go into a memory file (memfd) that has no name in any folder, so nobody can change them between the check
// of the disk cache and here. It is opened through /proc/self/fd; the loader tells libraries apart by that name, so the
// descriptor stays open as long as the library is loaded.
#include "native/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int memory_file(void) {
#ifdef SYS_memfd_create
    return (int)syscall(SYS_memfd_create, "chaac-code", 1u); // 1: close on exec
#else
    errno = ENOSYS;
    return -1;
#endif
}

static bool fill_file(int fd, const void *data, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t put = write(fd, (const char *)data + done, n - done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        done += (size_t)put;
    }
    return true;
}

ch_status ch__native_load(const void *code, size_t n, ch__native_library *out) {
    char path[64];
    ch__native_library l = {.fd = memory_file()};
    if (l.fd < 0) return ch__fail(CH__E_file, "native: no memory file can be made: system error %d", errno);
    if (!fill_file(l.fd, code, n)) {
        close(l.fd);
        return ch__fail_oom("native code");
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", l.fd);
    l.handle = ch__dl_open(path);
    void *symbol = ch__dl_sym(l.handle, CH__NATIVE_ENTRY), *bytes = ch__dl_sym(l.handle, "chaac_native_bytes"),
         *setup = ch__dl_sym(l.handle, "chaac_native_setup");
    if (symbol == NULL || bytes == NULL || setup == NULL) {
        const char *why = dlerror();
        ch__fail(CH__E_subprocess, "native: what the compiler made cannot be loaded: %s — CHAAC_CC names another",
                 why != NULL ? why : "no reason given");
        if (l.handle != NULL) dlclose(l.handle);
        close(l.fd);
        return CH_UNAVAILABLE;
    }
    // ISO C has no cast between object pointers and function pointers.
    ch__native_setup_fn *set = NULL;
    memcpy(&l.entry, &symbol, sizeof l.entry);
    memcpy(&l.bytes, &bytes, sizeof l.bytes);
    memcpy(&set, &setup, sizeof set);
    // Timed code brings the list of its kernels.
    bool timed = ch__dl_sym(l.handle, "chaac_native_kernels") != NULL;
    const volatile int *(*watched)(void) = ch__native_watched;
    void *table[12];
    int (*many)(int, const ch__native_nest *) = timed ? ch__timed_parallel_many : ch__native_parallel_many;
    int64_t (*sum)(int64_t, int64_t, ch__native_sum_fn *, void *) = timed ? ch__timed_sum : ch__native_sum;
    int (*conv)(const int64_t *, const void *, const void *, const void *, void *) =
        timed ? ch__timed_conv : ch__native_conv;
    int (*dot)(int, int, int64_t, int64_t, int64_t, const void *, int64_t, int64_t, const void *, int64_t, int64_t,
               void *) = timed ? ch__timed_dot : ch__native_dot;
    int (*parallel)(int64_t, int64_t, void (*)(void *, int64_t, int64_t), void *) =
        timed ? ch__timed_parallel : ch__native_parallel;
    ch__native_largest_fn *largest = ch__native_largest;
    ch__native_dot_add_fn *add = ch__native_dot_add;
    ch__native_dot_wide_fn *wide = ch__native_dot_wide;
    ch__native_widen_fn *widen = ch__native_widen;
    ch__native_narrow_fn *narrow = ch__native_narrow;
    ch__native_drop_fn *drop = ch__native_drop;
    memcpy(&table[0], &dot, sizeof dot);
    memcpy(&table[1], &parallel, sizeof parallel);
    memcpy(&table[2], &conv, sizeof conv);
    memcpy(&table[3], &many, sizeof many);
    memcpy(&table[4], &sum, sizeof sum);
    memcpy(&table[5], &largest, sizeof largest);
    memcpy(&table[7], &add, sizeof add);
    memcpy(&table[6], &watched, sizeof watched);
    memcpy(&table[8], &wide, sizeof wide);
    memcpy(&table[9], &widen, sizeof widen);
    memcpy(&table[10], &narrow, sizeof narrow);
    memcpy(&table[11], &drop, sizeof drop);
    set(table);
    *out = l;
    return CH_OK;
}

bool ch__native_give(const ch__native_library *l, const ch__c_native *c) {
    for (int64_t k = 0; k < c->data.n; k++) {
        char name[40];
        snprintf(name, sizeof name, "chaac_data_%d", (int)k);
        void *at = ch__dl_sym(l->handle, name);
        if (at == NULL) return false;
        memcpy(at, &c->data.data[k], sizeof c->data.data[k]);
    }
    return true;
}

void ch__native_unload(ch__native_library *l) {
    if (l->handle == NULL) return;
    dlclose(l->handle);
    close(l->fd);
    *l = (ch__native_library){0};
}
