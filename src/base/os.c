// SPDX-License-Identifier: Apache-2.0
// os.c - clock, terminal, environment, shared libraries.
//
// The CHAAC_* variables are read once, at the first question, and copied: a later setenv changes nothing and frees
// nothing under us. A program that runs with more rights than its user (set-uid) sees them all as unset.
#include "base/base.h"

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/mman.h>
#endif

double ch__now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool ch__is_terminal(FILE *f) {
    int fd = fileno(f);
    return fd >= 0 && isatty(fd) == 1;
}

enum {
#define ENV(name, def, what) OS_ENV_##name,
#include "base/env.def"
#undef ENV
    OS_ENV_COUNT
};

static const char *const os_env_names[OS_ENV_COUNT] = {
#define ENV(name, def, what) #name,
#include "base/env.def"
#undef ENV
};

static pthread_once_t os_env_once = PTHREAD_ONCE_INIT;
static const char *os_env_values[OS_ENV_COUNT];
static char os_env_copies[16384];

static bool os_is_privileged(void) {
#if defined(__linux__)
    return getauxval(AT_SECURE) != 0;
#else
    return getuid() != geteuid() || getgid() != getegid();
#endif
}

static void os_env_read(void) {
    if (os_is_privileged()) return;
    size_t used = 0;
    for (int i = 0; i < OS_ENV_COUNT; i++) {
        const char *v = getenv(os_env_names[i]);
        if (!v) continue;
        size_t n = strlen(v) + 1;
        if (n > sizeof os_env_copies - used) {
            ch__log(2, "environment: %s is %zu bytes long and is ignored — all CHAAC_* values together may have %zu",
                    os_env_names[i], n - 1, sizeof os_env_copies);
            continue;
        }
        os_env_values[i] = memcpy(os_env_copies + used, v, n);
        used += n;
    }
}

const char *ch__env(const char *name) {
    pthread_once(&os_env_once, os_env_read);
    for (int i = 0; i < OS_ENV_COUNT; i++)
        if (strcmp(os_env_names[i], name) == 0) return os_env_values[i];
    assert(!"a variable that has no row in env.def");
    return NULL;
}

const char *ch__env_foreign(const char *name) { return os_is_privileged() ? NULL : getenv(name); }

static bool os_is_among(const char *v, const char *const *words) {
    for (; *words != NULL; words++)
        if (ch__streq(v, *words)) return true;
    return false;
}

// Flags are read at each run: a word that is neither is said once in a process.
bool ch__env_flag(const char *name) {
    static const char *const yes[] = {"1", "true", "on", "yes", NULL}, *const no[] = {"0",  "false", "off",
                                                                                      "no", "",      NULL};
    static _Atomic(bool) said[OS_ENV_COUNT];
    const char *v = ch__env(name);
    if (v == NULL || os_is_among(v, no)) return false;
    if (os_is_among(v, yes)) return true;
    for (int i = 0; i < OS_ENV_COUNT; i++)
        if (v == os_env_values[i] && !atomic_exchange(&said[i], true))
            ch__log(2, "environment: %s is \"%s\" and is ignored — 1, true, on, yes and 0, false, off, no are read",
                    name, v);
    return false;
}

int64_t ch__env_int(const char *name, int64_t def, int64_t lo, int64_t hi) {
    const char *s = ch__env(name);
    if (!s || !*s) return def;
    const char *end = s + strlen(s);
    int64_t v = 0;
    bool overflow = false;
    if (ch__parse_i64(s, end, &v, &overflow) == end && !overflow && v >= lo && v <= hi) return v;
    ch__log(2, "environment: %s is \"%s\" and is ignored — a whole number from %" PRId64 " to %" PRId64 " is read",
            name, s, lo, hi);
    return def;
}

bool ch__cache_home(char *out, size_t n) {
    const char *own = ch__env("CHAAC_CACHE_DIR"), *base = own, *rest = "";
    if (os_is_privileged() || ch__streq(own, "off")) return false;
    if (own != NULL && *own != '\0' && *own != '/') {
        static atomic_bool said;
        if (!atomic_exchange(&said, true))
            ch__log(2,
                    "environment: CHAAC_CACHE_DIR is \"%s\" and nothing is kept — a path that begins with / is taken",
                    own);
        return false;
    }
    if (base == NULL || *base == '\0') base = getenv("XDG_CACHE_HOME"), rest = "/chaac";
    if (base == NULL || *base != '/') base = getenv("HOME"), rest = "/.cache/chaac"; // XDG: a relative path is none
    if (base == NULL || *base != '/') return false;
    return (size_t)snprintf(out, n, "%s%s", base, rest) < n;
}

void ch__advise_huge(void *p, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)1 << 21;
    uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1), to = ((uintptr_t)p + bytes) & ~(page - 1);
    if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE); // refused: nothing is lost
#else
    (void)p, (void)bytes;
#endif
}

void *ch__dl_open(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void *ch__dl_sym(void *lib, const char *name) { return lib ? dlsym(lib, name) : NULL; }
