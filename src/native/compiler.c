// SPDX-License-Identifier: Apache-2.0
// compiler.c - C text in, the bytes of a shared library out, by the machine's compiler or from the disk cache.
//
// The key of the cache is the SHA-256 of the text, the flags, the processor, the library's version and the compiler's
// identity: its real path, size and time of change, which costs one stat and no process (`cc --version` would take
// more than loading the code). The compiler works in a folder of its own under $TMPDIR.
#include "native/native.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chaac/version.h"

static const char *const compile_flags[] = {
    "-std=gnu11",
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fPIC",
    "-shared",
    "-w",
    "-g0",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
    "-fopenmp-simd",
#if defined(__x86_64__)
    "-mprefer-vector-width=256", // also where vectors are halved inside: more that is independent
#endif
};
enum { N_FLAGS = sizeof compile_flags / sizeof compile_flags[0], LEVEL = 1 };

// Compilers are superlinear in the length of straight code: what is long is optimized less.
enum { LONG_TEXT = 400000, LIBRARY_MOST = 1 << 28 };
static const char *level_of(size_t n) { return n > LONG_TEXT ? "-O1" : compile_flags[LEVEL]; }

// ---------------------------------------------------------------- which compiler
static pthread_once_t compiler_once = PTHREAD_ONCE_INIT;
static char compiler_path[PATH_MAX], compiler_identity[PATH_MAX + 64];
static atomic_llong compiler_runs;

static void find_compiler(void) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *own = ch__env("CHAAC_CC");
    bool found = false;
    if (own != NULL && *own != '\0')
        found = ch__program_find(own, compiler_path, sizeof compiler_path);
    else
        for (int i = 0; i < 3 && !found; i++) found = ch__program_find(usual[i], compiler_path, sizeof compiler_path);
    char real[PATH_MAX];
    struct stat st;
    if (!found || realpath(compiler_path, real) == NULL || stat(real, &st) != 0) {
        compiler_path[0] = '\0';
        return;
    }
    snprintf(compiler_identity, sizeof compiler_identity, "%s %lld %lld.%ld", real, (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

const char *ch__native_compiler(void) {
    pthread_once(&compiler_once, find_compiler);
    return compiler_path[0] != '\0' ? compiler_path : NULL;
}

int64_t ch__native_compiles(void) { return atomic_load(&compiler_runs); }

// ---------------------------------------------------------------- the key
struct key_args {
    const char *source, *level;
    size_t n;
    ch__sha256 key;
};

void ch__native_put_surroundings(ch__text *t, const char *level) {
    ch__putf(t, "%s\n%s\n%" PRIu64 "\n", CHAAC_VERSION, compiler_identity, ch__cpu_features());
    for (int i = 0; i < N_FLAGS; i++) ch__putf(t, "%s ", i == LEVEL ? level : compile_flags[i]);
    ch__putc(t, '\n');
}

static void make_code_key(void *arg) {
    struct key_args *k = arg;
    ch__arena *a = ch__arena_create();
    ch__text t;
    ch__text_init(&t, a);
    ch__native_put_surroundings(&t, k->level);
    ch__putn(&t, k->source, k->n);
    k->key = ch__sha256_of(t.data, (size_t)t.n);
    ch__arena_destroy(a);
}

// ---------------------------------------------------------------- running it
typedef struct {
    char folder[PATH_MAX], source[PATH_MAX + 16], library[PATH_MAX + 16];
} workplace;

static ch_status make_workplace(workplace *w, const char *source, size_t n) {
    CH_TRY(ch__temp_folder("native", w->folder, sizeof w->folder));
    snprintf(w->source, sizeof w->source, "%s/code.c", w->folder);
    snprintf(w->library, sizeof w->library, "%s/code.so", w->folder);
    ch_status s = ch__file_write_atomic(w->source, source, n);
    if (s != CH_OK) rmdir(w->folder);
    return s;
}

static void leave_workplace(const workplace *w, bool keep_source) {
    if (unlink(w->library) != 0) rmdir(w->library);
    if (!keep_source) ch__temp_folder_remove(w->folder);
}

static ch_status run_compiler(const char *name, const workplace *w, const char *level, const volatile int *cancel,
                              bool *keep_source) {
    const char *argv[N_FLAGS + 6];
    char said[4096];
    int n = 0, status = 0;
    argv[n++] = compiler_path;
    for (int i = 0; i < N_FLAGS; i++) argv[n++] = i == LEVEL ? level : compile_flags[i];
    argv[n++] = "-o";
    argv[n++] = w->library;
    argv[n++] = w->source;
    argv[n++] = "-lm";
    argv[n] = NULL;
    atomic_fetch_add(&compiler_runs, 1);
    int64_t seconds = ch__env_int("CHAAC_CC_SECONDS", 300, 1, 86400);
    CH_TRY(ch__subprocess(argv, (double)seconds, cancel, said, sizeof said, &status));
    if (status == 0) return CH_OK;
    // The first line that names an error, else the first.
    char *line = strstr(said, "error:");
    if (line == NULL) line = said;
    line[strcspn(line, "\n")] = '\0';
    *keep_source = true;
    return ch__fail(CH__E_internal, "native: @%s: %s gave up with status %d%s%s — the C text is kept as %s", name,
                    compiler_path, status, *line != '\0' ? ": " : " and said nothing", line, w->source);
}

// What the compiler made: it may have ended well and written nothing, or something that cannot be read to its end.
static ch_status read_library(const char *name, const workplace *w, char **out_code, size_t *out_n) {
    struct stat st;
    const char *wrote = NULL;
    if (lstat(w->library, &st) != 0)
        wrote = "nothing";
    else if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        wrote = "what is no file";
    else if (stat(w->library, &st) != 0 || !S_ISREG(st.st_mode))
        wrote = "a link to what is no file";
    else if (st.st_size > LIBRARY_MOST)
        wrote = "more than a library can be";
    if (wrote == NULL) return ch__file_read(w->library, LIBRARY_MOST, out_code, out_n);
    return ch__fail(CH__E_subprocess, "native: @%s: %s ended well and wrote %s — CHAAC_CC names another", name,
                    compiler_path, wrote);
}

// From the cache. What was checked may still not be loadable: of another C library, for instance.
bool ch__native_cached_as(const ch__sha256 *key, ch__native_library *out) {
    void *code = NULL;
    size_t n = 0;
    if (!ch__cache_get(&ch__cache_native, key, &code, &n)) return false;
    ch_status s = ch__native_load(code, n, out);
    ch__free(code);
    if (s == CH_UNAVAILABLE) ch__cache_drop(&ch__cache_native, key, "it cannot be loaded");
    out->key = *key;
    return s == CH_OK;
}

static ch_status find_key(const char *source, size_t n, struct key_args *k) {
    *k = (struct key_args){.source = source, .n = n, .level = level_of(n)};
    return ch__protect(make_code_key, k);
}

bool ch__native_cached(const char *source, size_t n, ch__native_library *out) {
    struct key_args k;
    return ch__native_compiler() != NULL && find_key(source, n, &k) == CH_OK && ch__native_cached_as(&k.key, out);
}

ch_status ch__native_compile(const char *name, const char *source, size_t n, const volatile int *cancel,
                             ch__native_library *out) {
    if (ch__native_compiler() == NULL) {
        const char *own = ch__env("CHAAC_CC");
        if (own != NULL && *own != '\0')
            return ch__fail(CH__E_compiler,
                            "native: CHAAC_CC is \"%s\" and no such program is found — name a C compiler", own);
        return ch__fail(CH__E_compiler,
                        "native: no C compiler is found (cc, gcc, clang in PATH) — install gcc, name one "
                        "in CHAAC_CC, or compile for the engine \"interp\"");
    }
    struct key_args k;
    CH_TRY(find_key(source, n, &k));
    if (ch__native_cached_as(&k.key, out)) return CH_OK;
    workplace w;
    bool keep_source = false;
    char *code;
    size_t bytes;
    CH_TRY(make_workplace(&w, source, n));
    ch_status s = run_compiler(name, &w, k.level, cancel, &keep_source);
    if (s == CH_OK) s = read_library(name, &w, &code, &bytes);
    leave_workplace(&w, keep_source);
    if (s != CH_OK) return s;
    s = ch__native_load(code, bytes, out);
    if (s == CH_OK) ch__cache_put(&ch__cache_native, &k.key, code, bytes); // what could not be loaded is not kept
    out->key = k.key;
    ch__free(code);
    return s;
}
