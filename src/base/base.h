// SPDX-License-Identifier: Apache-2.0
// base.h - what everything stands on: errors, memory, containers, text, numbers, the operating system.
//
// Two memory worlds (docs/architecture.md, "Memory"):
//   heap    ch__alloc/ch__free through the one allocator hook; may return NULL; used by run-time objects
//           (storage, tensors, executables).
//   arenas  used by everything inside the compiler (ir, opt, diff, cgen). An arena call never returns NULL: when
//           memory ends it raises, and ch__protect at the public entry drops every arena made since.
// Layer: base includes nothing of the project but chaac/status.h and chaac/dtype.h.
#ifndef CHAAC_BASE_H
#define CHAAC_BASE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "chaac/status.h"

// ---------------------------------------------------------------- status.c: errors
// Identifiers are rows of errors.def; each row fixes the status code.
typedef enum {
#define ERR(id, status, text) CH__E_##id,
#include "base/errors.def"
#undef ERR
    CH__E_COUNT
} ch__err;

// Sets the thread's error message and identifier and gives back the row's status: `return ch__fail(CH__E_x, ...)`.
ch_status ch__fail(ch__err id, const char *fmt, ...) CH_PRINTF(2, 3);
ch_status ch__fail_v(ch__err id, const char *fmt, va_list ap);
// Out of memory while `what` was made; never allocates.
ch_status ch__fail_oom(const char *what);
// The row of the current error (CH__E_COUNT: none); the message is ch_error_message().
ch__err ch__error_current(void);
// Puts "prefix: " before the current message (a file:line, the name of a layer).
void ch__error_prefix(const char *prefix);
// The current error as a value, for objects that keep an error and publish it later on another thread.
#define CH__MESSAGE_BYTES 6144 // longer messages are cut between characters and end in an ellipsis
typedef struct {
    ch__err id;
    char message[CH__MESSAGE_BYTES];
} ch__error_copy;
void ch__error_save(ch__error_copy *out);
ch_status ch__error_publish(const ch__error_copy *e);
const char *ch__err_name(ch__err id); // "shape_mismatch"
const char *ch__err_text(ch__err id); // the row's explanation
ch_status ch__err_status(ch__err id);

// ---------------------------------------------------------------- protect.c: raise and recover
typedef struct ch__arena ch__arena;
// Runs fn(arg). If something inside raises, every arena created inside and still alive is destroyed (its deferred
// calls run) and the status of the error is given; else CH_OK and arenas stay. Nests. Nothing but arena memory may
// be acquired inside (or it is registered by ch__arena_defer). Never across a user's callback.
ch_status ch__protect(void (*fn)(void *arg), void *arg);
#if defined(__GNUC__)
#define CH_NORETURN __attribute__((noreturn))
#else
#define CH_NORETURN _Noreturn
#endif
CH_NORETURN void ch__raise(ch__err id, const char *fmt, ...) CH_PRINTF(2, 3);
CH_NORETURN void ch__raise_current(void); // after a ch__fail(): raise what is set
CH_NORETURN void ch__raise_oom(void);
bool ch__in_protect(void);
// For arena.c: where the innermost frame lists the arenas made in it; NULL outside of ch__protect.
ch__arena **ch__protect_list(void);
// For code inside protect that calls something returning a status.
#define CH_RAISE_IF(expr)                                                                                              \
    do {                                                                                                               \
        if ((expr) != CH_OK) ch__raise_current();                                                                      \
    } while (0)

// ---------------------------------------------------------------- memory.c: the allocator hook
void *ch__alloc(size_t bytes);            // 16-byte aligned; NULL when memory ends (no error set)
void *ch__calloc(size_t n, size_t bytes); // zeroed, product checked
void *ch__realloc(void *p, size_t bytes);
void *ch__alloc_aligned(size_t bytes, size_t align); // freed by ch__free_aligned; align is a power of two
void ch__free(void *p);
void ch__free_aligned(void *p);
char *ch__strdup(const char *s);
// Counters for tests: allocations alive, and allocations (and reallocations) asked for so far (relaxed atomics).
int64_t ch__alloc_live(void);
int64_t ch__alloc_count(void);
// What a block that is not an allocation of its own needs (pool.c): whether all memory goes through a user's hook, one
// allocation asked for (false: it fails, as tests want), blocks that came to be alive.
bool ch__alloc_hooked(void);
bool ch__alloc_admit(void);
void ch__alloc_counted(int blocks);
// Fault injection for tests: the n-th allocation from now fails (1 = the next), and every later one if `all`. 0: off.
void ch__alloc_fail_at(int64_t n, bool all);

// ---------------------------------------------------------------- pool.c: small blocks of tensors
void *ch__pool_alloc(size_t bytes); // 16-byte aligned; NULL when memory ends (no error set); any size
void ch__pool_free(void *p);        // on any thread
void ch__pool_thread_end(void);     // gives back what this thread keeps; its blocks in use live on
int64_t ch__pool_chunks(void);      // for tests: chunks there are, and how many were taken from the system so far
int64_t ch__pool_taken(void);

// ---------------------------------------------------------------- arena.c
ch__arena *ch__arena_create(void);                              // raises when memory ends
void ch__arena_destroy(ch__arena *a);                           // NULL is fine; runs deferred calls, newest first
void ch__arena_keep(ch__arena *a);                              // detach from the protect frame: survives a later raise
void *ch__arena_alloc(ch__arena *a, size_t bytes);              // zeroed, 8-byte aligned (16 for >= 16 bytes)
void *ch__arena_array(ch__arena *a, size_t n, size_t bytes);    // product checked
void *ch__arena_dup(ch__arena *a, const void *p, size_t bytes); // p may be NULL when bytes == 0
char *ch__arena_strdup(ch__arena *a, const char *s);
char *ch__arena_strndup(ch__arena *a, const char *s, size_t n);
char *ch__arena_printf(ch__arena *a, const char *fmt, ...) CH_PRINTF(2, 3); // %g and friends: locale! use num.c
// fn(arg) when the arena goes. When memory ends here, fn(arg) runs at once, then it raises: nothing is left behind.
void ch__arena_defer(ch__arena *a, void (*fn)(void *), void *arg);
size_t ch__arena_bytes(const ch__arena *a); // bytes taken from the heap
// Makes the newest block larger where it lies; false when something lies behind it. The new bytes are zero.
bool ch__arena_extend(ch__arena *a, void *p, size_t old_bytes, size_t bytes);
// For protect.c: destroy a frame's arenas, newest first; hand them to another frame's list (NULL: detach them).
void ch__arena_list_destroy(ch__arena **list);
void ch__arena_list_move(ch__arena **from, ch__arena **to);
#define CH_NEW(arena, type) ((type *)ch__arena_alloc((arena), sizeof(type)))
#define CH_NEW_ARRAY(arena, type, n) ((type *)ch__arena_array((arena), (size_t)(n), sizeof(type)))

// ---------------------------------------------------------------- vec.c: growable arrays in an arena
// A vec is declared in place: struct { T *data; int64_t n, cap; }. CH_PUSH(arena, vec, value) appends.
void *ch__vec_grow(ch__arena *a, void *data, int64_t n, int64_t *cap, size_t elem);
#define CH_VEC(T)                                                                                                      \
    struct {                                                                                                           \
        T *data;                                                                                                       \
        int64_t n, cap;                                                                                                \
    }
#define CH_PUSH(a, v, ...)                                                                                             \
    do {                                                                                                               \
        if ((v)->n == (v)->cap) (v)->data = ch__vec_grow((a), (v)->data, (v)->n, &(v)->cap, sizeof *(v)->data);        \
        (v)->data[(v)->n++] = (__VA_ARGS__);                                                                           \
    } while (0)

// ---------------------------------------------------------------- map.c: hash maps in an arena
// uint64 keys (pointers cast) to void*; open addressing, insertion keeps the last value. NULL values are not stored:
// putting NULL removes the key.
typedef struct ch__map {
    ch__arena *arena;
    uint64_t *keys;
    void **vals;
    int64_t n, cap;
} ch__map;
void ch__map_init(ch__map *m, ch__arena *a);
void *ch__map_get(const ch__map *m, uint64_t key);
void ch__map_put(ch__map *m, uint64_t key, void *val);
// String keys (copied into the arena) to void*.
typedef struct ch__strmap {
    ch__arena *arena;
    struct ch__strmap_slot *slots;
    int64_t n, cap;
} ch__strmap;
void ch__strmap_init(ch__strmap *m, ch__arena *a);
void *ch__strmap_get(const ch__strmap *m, const char *key);
void *ch__strmap_getn(const ch__strmap *m, const char *key, size_t len);
void ch__strmap_put(ch__strmap *m, const char *key, void *val);

// ---------------------------------------------------------------- string.c: text being built
// A writer of text; in an arena (raises), to a FILE, or into memory of a fixed size (cut off, n counts on; allocates
// nothing). All printing of the project goes through it.
typedef struct ch__text {
    ch__arena *arena; // NULL for the other two
    FILE *file;
    char *data; // NUL-terminated unless file is set
    int64_t n, cap;
    bool failed; // a write to file failed
} ch__text;
void ch__text_init(ch__text *t, ch__arena *a);
void ch__text_init_file(ch__text *t, FILE *f);
void ch__text_init_fixed(ch__text *t, char *buf, size_t cap);
void ch__put(ch__text *t, const char *s);
void ch__putn(ch__text *t, const char *s, size_t n);
void ch__putc(ch__text *t, char c);
void ch__put_i64(ch__text *t, int64_t v);
void ch__put_u64(ch__text *t, uint64_t v);
void ch__put_f64(ch__text *t, double v); // shortest that reads back; "inf" "-inf" "nan"
void ch__put_f32(ch__text *t, float v);
void ch__put_quoted(ch__text *t, const char *s);                  // "..." with \n \t \\ \" \xNN
void ch__putf(ch__text *t, const char *fmt, ...) CH_PRINTF(2, 3); // only %s %d %c %zu PRId64 and the like
// Edit distance, for "did you mean"; the nearest of n names within 2 edits (1 for short names), or NULL.
const char *ch__nearest(const char *name, const char *const *names, int n);
bool ch__streq(const char *a, const char *b); // NULL equals NULL only

// ---------------------------------------------------------------- num.c: numbers as text, free of locale; sizes
#define CH__NUM_CHARS 40
int ch__format_f64(char out[CH__NUM_CHARS], double v); // shortest round trip: 1, 0.1, 1e-05 style; gives the length
int ch__format_f32(char out[CH__NUM_CHARS], float v);
int ch__format_i64(char out[CH__NUM_CHARS], int64_t v);
// Correctly rounded (half to even) reading of decimal, hex float, inf, nan. Gives the end of what was read; s when
// nothing was. Reads at most up to `end`.
const char *ch__parse_f64(const char *s, const char *end, double *out);
const char *ch__parse_f32(const char *s, const char *end, float *out);
const char *ch__parse_i64(const char *s, const char *end, int64_t *out, bool *overflow);
int ch__hex_digit(char c);                            // 0 to 15; -1: none
bool ch__mul_i64(int64_t a, int64_t b, int64_t *out); // false on overflow
bool ch__add_i64(int64_t a, int64_t b, int64_t *out);
int64_t ch__floordiv_i64(int64_t a, int64_t b); // b != 0; floor semantics
int64_t ch__mod_i64(int64_t a, int64_t b);      // sign of b
// 16-bit floats (half.c)
uint16_t ch__f32_to_f16(float v); // round half to even; overflow to inf; NaN stays NaN (quiet)
float ch__f16_to_f32(uint16_t h);
uint16_t ch__f32_to_bf16(float v);
float ch__bf16_to_f32(uint16_t h);
uint16_t ch__f64_to_f16(double v); // one rounding
uint16_t ch__f64_to_bf16(double v);
float ch__f8e4m3_to_f32(uint8_t b); // OCP "fn": no inf, 0x7f/0xff NaN
uint8_t ch__f32_to_f8e4m3(float v);
float ch__f8e5m2_to_f32(uint8_t b);
uint8_t ch__f32_to_f8e5m2(float v);

// ---------------------------------------------------------------- hash.c
uint64_t ch__hash_bytes(const void *p, size_t n, uint64_t seed); // fast, not cryptographic; equal on all machines
uint64_t ch__hash_u64(uint64_t x);                               // mixer
uint64_t ch__hash_str(const char *s);
typedef struct {
    uint8_t b[32];
} ch__sha256;
ch__sha256 ch__sha256_of(const void *p, size_t n);
ch__sha256 ch__sha256_plain(const void *p, size_t n); // the same without the processor's own instructions for it
// Threefry-2x32, 20 rounds (Salmon et al. 2011).
void ch__threefry2x32(const uint32_t key[2], const uint32_t ctr[2], uint32_t out[2]);

// ---------------------------------------------------------------- file.c
// Whole file into heap memory, NUL-terminated after *out_n bytes; limit in bytes (0: none).
ch_status ch__file_read(const char *path, size_t limit, char **out_data, size_t *out_n);
// Written beside, synced, renamed: the old file or the new one, never half.
ch_status ch__file_write_atomic(const char *path, const void *data, size_t n);
bool ch__file_exists(const char *path);
// A file being written beside its final path; commit renames, abandon removes. For writers that stream.
typedef struct ch__outfile ch__outfile;
ch_status ch__outfile_open(const char *path, ch__outfile **out);
ch_status ch__outfile_write(ch__outfile *f, const void *p, size_t n);
ch_status ch__outfile_commit(ch__outfile *f); // frees f in any case
void ch__outfile_abandon(ch__outfile *f);     // NULL is fine
// A file read by position (pread); many threads may read one.
typedef struct ch__infile ch__infile;
ch_status ch__infile_open(const char *path, ch__infile **out);
uint64_t ch__infile_size(const ch__infile *f);
ch_status ch__infile_read(ch__infile *f, uint64_t offset, void *out, size_t n); // all n bytes or an error
void ch__infile_close(ch__infile *f);
// The whole file in memory, read only; counted, so that it outlives the file. NULL when it cannot be mapped (an empty
// file, a file system without it). Who cuts the file short meanwhile ends the program that reads there (SIGBUS).
typedef struct ch__mapping ch__mapping;
ch_status ch__infile_map(ch__infile *f, ch__mapping **out);
const void *ch__mapping_data(const ch__mapping *m);
void ch__mapping_retain(ch__mapping *m);
void ch__mapping_release(ch__mapping *m); // NULL is fine

// ---------------------------------------------------------------- threads.c
// The passive pool. fn(arg, begin, end) covers [0,n) in pieces of at least `grain`; runs inline when n <= grain or one
// thread. Workers sleep when idle. CHAAC_NUM_THREADS (default: cores available). Rebuilt after fork. Pieces depend on
// n, grain and the thread count only. fn must not raise: a worker has no frame of ch__protect around it.
void ch__parallel_for(int64_t n, int64_t grain, void (*fn)(void *arg, int64_t begin, int64_t end), void *arg);
int ch__num_threads(void);
void ch__threads_shutdown(void); // tests and leak checkers: joins the workers; the next use starts them again

// ---------------------------------------------------------------- os.c
double ch__now(void); // monotonic seconds
bool ch__is_terminal(FILE *f);
const char *ch__env(const char *name); // a CHAAC_* variable of env.def, by secure_getenv; NULL when unset
// Another program's variable; NULL too when rights are more than the user's.
const char *ch__env_foreign(const char *name);
bool ch__env_flag(const char *name); // "1", "true", "on", "yes"
int64_t ch__env_int(const char *name, int64_t def, int64_t lo,
                    int64_t hi); // out of range or not a number: def, and a notice
// Where compiled code is kept: $CHAAC_CACHE_DIR, else $XDG_CACHE_HOME/chaac, else $HOME/.cache/chaac. False: nowhere
// ($CHAAC_CACHE_DIR is "off", none is an absolute path, or the program has more rights than its user).
bool ch__cache_home(char *out, size_t n);
void ch__advise_huge(void *p, size_t bytes); // a wish: memory that will be used whole
void *ch__dl_open(const char *name);         // NULL when absent
void *ch__dl_sym(void *lib, const char *name);

// ---------------------------------------------------------------- build_id.c: which build of the library this is
enum { CH__BUILD_ID = 20 };
bool ch__build_id(unsigned char out[CH__BUILD_ID]); // of the file this code lies in; false: it has none

// ---------------------------------------------------------------- cpu.c: what compiled code may use here
bool ch__cpu_has_sha(void);      // instructions for SHA-256 (x86-64)
uint64_t ch__cpu_features(void); // differs between processors whose instructions differ

// ---------------------------------------------------------------- subprocess.c
// Runs argv (NULL-terminated; argv[0] is looked for in PATH) to its end, reading nothing, and collects the first size-1
// bytes of what it prints, errors included, in said. After `seconds`, or when *cancel (may be NULL) is set, it is
// killed with its children. CH_OK: it ended by itself, *out_exit is its exit status (128 + signal when one ended it).
ch_status ch__subprocess(const char *const *argv, double seconds, const volatile int *cancel, char *said, size_t size,
                         int *out_exit);

// ---------------------------------------------------------------- programs.c
// name as it stands when it has a slash, else the first program of that name in PATH.
bool ch__program_find(const char *name, char *out, size_t size);
// A new folder below $TMPDIR for files of this process; it and the files in it are removed together.
ch_status ch__temp_folder(const char *who, char *out, size_t size);
void ch__temp_folder_remove(const char *folder);
// fn(arg, folder) for each folder of packages of the Python environments here, until it gives true. Gives that.
bool ch__python_folders(bool (*fn)(void *arg, const char *folder), void *arg);

// ---------------------------------------------------------------- log.c
// Notices for ch_set_log; nothing is ever printed by the library.
void ch__log(int level, const char *fmt, ...) CH_PRINTF(2, 3);
void ch__log_text(int level, const char *text); // of any length

#endif
