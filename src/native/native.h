// SPDX-License-Identifier: Apache-2.0
// native.h - the native engine: funcs printed as C, compiled by the machine's C compiler, loaded, kept on disk.
//
// The same printer that shows a user the gradient writes what runs here (cgen); engine.c is the engine, the other files
// are its steps in order. Sizes are arguments of the code: another batch size compiles nothing.
#ifndef CHAAC_NATIVE_H
#define CHAAC_NATIVE_H

#include <pthread.h>

#include "cgen/cgen.h"
#include "interp/interp.h"
#include "rt/rt.h"

// ---------------------------------------------------------------- source.c: the C file of a func
// How the loaded code is called: values of the func's sizes in order, pointers to params and results. An inout param
// lies in its result's memory; array k of the arena begins at arena + at[k]. 0: done; CH__NATIVE_NO_MEMORY; anything
// else: something was refused on the way.
typedef int ch__native_fn(const int64_t *sizes, void *const *in, void *const *out, char *arena, const int64_t *at);
typedef void ch__native_bytes_fn(const int64_t *sizes, int64_t *bytes); // of each array of the arena; -1: too large
typedef void ch__native_setup_fn(void *const *table);                   // what the code calls, once
enum { CH__NATIVE_NO_MEMORY = 1, CH__NATIVE_CANCELLED = 3 };
#define CH__NATIVE_ENTRY "chaac_native_entry"
// Raises `unsupported` with the op's name.
void ch__native_source(ch__text *t, const ch_func *f, ch__c_native *out);

// ---------------------------------------------------------------- explain.c
void ch__native_explain(ch__text *t, const ch_func *f); // raises where the engine refuses f

// ---------------------------------------------------------------- compiler.c: from C to the bytes of a library
// The compiler that will be used, found once: CHAAC_CC, else cc, gcc, clang in PATH. NULL: none.
const char *ch__native_compiler(void);
int64_t ch__native_compiles(void); // how often a compiler ran in this process

// ---------------------------------------------------------------- load.c: from bytes to a function
typedef struct ch__native_library {
    void *handle;
    int fd;         // the memory file it was loaded from; kept open, so that its name in /proc stays its own
    ch__sha256 key; // of its entry in the disk cache
    ch__native_fn *entry;
    ch__native_bytes_fn *bytes;
} ch__native_library;
ch_status ch__native_load(const void *code, size_t n, ch__native_library *out);
// compiler.c: from C text, loaded; from the disk cache when it was compiled before.
// *cancel (may be NULL) not 0: the compiler is stopped.
ch_status ch__native_compile(const char *name, const char *source, size_t n, const volatile int *cancel,
                             ch__native_library *out);
// Hands the numbers of large constants to code of that text; they stay the caller's. False: it is other code.
bool ch__native_give(const ch__native_library *l, const ch__c_native *c);
bool ch__native_cached(const char *source, size_t n, ch__native_library *out); // if the disk has it
bool ch__native_cached_as(const ch__sha256 *key, ch__native_library *out);     // the same, by its library.key
// All that code depends on but for the text: the library's version, the compiler, the processor, the flags.
void ch__native_put_surroundings(ch__text *t, const char *level);
void ch__native_unload(ch__native_library *l);

// ---------------------------------------------------------------- recall.c: code of a func without printing it again
typedef struct ch__native_memory {
    bool used;
    unsigned char build[CH__BUILD_ID];
    ch__sha256 key;
} ch__native_memory;
void ch__native_memory_of(const ch_func *f, ch__native_memory *out);
// The code, and what the engine reads of out_c, in an arena of the caller's; false: it has to be printed.
bool ch__native_recall(const ch__native_memory *m, ch__arena **out_arena, ch__native_library *out, ch__c_native *out_c);
void ch__native_remember(const ch__native_memory *m, const ch__native_library *l, const ch__c_native *c);
int64_t ch__native_recalls(void); // how often code was there in this process

// ---------------------------------------------------------------- tiers.c: compiled while the interpreter runs
// Whether a func (optimized) starts on the interpreter; compiled_first: not unless CHAAC_TIERS=on says so. Of a long
// func the text too is printed by the other thread, so that the disk is not looked at before.
typedef enum { CH__TIERS_NONE, CH__TIERS_CODE_LATER, CH__TIERS_TEXT_LATER } ch__native_tier;
ch__native_tier ch__native_tier_of(const ch_func *f, bool compiled_first);
// work is called by a thread of its own once no other compiler runs, and looks at *cancel. ch__native_later_end sets it
// and waits for that thread.
typedef struct ch__native_later ch__native_later;
typedef void ch__native_work(void *arg, const volatile int *cancel);
ch__native_later *ch__native_later_begin(ch__native_work *work, void *arg); // NULL: no thread or memory
void ch__native_later_end(ch__native_later *l);                             // NULL is fine

// ---------------------------------------------------------------- donate.c: results in the memory of donated inputs
// Code of a func for sets of donated inputs, made by the first run with each.
typedef struct ch__native_donation ch__native_donation;
typedef struct ch__native_donations {
    pthread_mutex_t lock; // while one is looked for or made
    ch__native_donation *first;
    int n;
} ch__native_donations;
void ch__native_donations_init(ch__native_donations *d);
void ch__native_donations_end(ch__native_donations *d);
void ch__native_donations_trim(ch__native_donations *d);
size_t ch__native_donations_kept(ch__native_donations *d);
// tied[i]: the donated input whose memory result i may take, or -1; results that have memory already take none.
void ch__native_donate(ch__native_donations *d, const ch_func *f, const ch__slot *in, const bool *has_memory,
                       int *tied);
// The code for a run whose results lie in the memory of donated inputs. NULL: none do, or it could not be made.
void *ch__native_donated(ch__native_donations *d, const ch_func *f, const ch__slot *in, const ch__slot *out);

// ---------------------------------------------------------------- profile.c: code that is timed
bool ch__native_timed(void); // CHAAC_TRACE, or between ch_profile_begin and ch_profile_end: of what is compiled now
typedef struct ch__native_record ch__native_record;
ch__native_record *ch__native_record_make(const char *func, const ch__c_native *c, const ch__native_library *l);
void ch__native_run_begin(ch__native_record *r, const int64_t *sizes); // of this thread
void ch__native_run_end(void);
ch_status ch__native_peaks(double *out_flops, double *out_bytes); // peaks.c: half a second, all threads

// ---------------------------------------------------------------- rooms.c: memory of products, kept for the next one
enum { CH__ROOMS = 64 };
typedef struct {
    _Atomic(void *) slots[CH__ROOMS]; // of one size each
} ch__native_rooms;
void *ch__native_room_take(ch__native_rooms *r, size_t bytes); // NULL: no memory
void ch__native_room_give_back(ch__native_rooms *r, void *room);

// ---------------------------------------------------------------- microkernel.c, gemm.c: products by our own loops
// c (rows at cm) = or += the sum over k of numbers of a (rows am apart, ak from turn to turn) by vectors of b (bk from
// turn to turn); f32 or f64.
typedef void ch__microkernel(int64_t k, const void *a, int64_t am, int64_t ak, const void *b, int64_t bk, void *c,
                             int64_t cm, bool add);
typedef struct {
    int width;   // numbers of a vector
    double most; // multiplications of a product that is not left to a library
    struct {
        int rows;               // falling, the last 1
        ch__microkernel *by[2]; // one vector of columns, two
    } of[5];
} ch__microkernels;
enum { CH__MICROKERNELS = 3 };
int ch__microkernels_all(ch_dtype d, const ch__microkernels *out[CH__MICROKERNELS]); // this processor's, best first
const ch__microkernels *ch__microkernels_of(ch_dtype d);                             // the best
bool ch__native_gemm_pays(ch_dtype d, int64_t m, int64_t n, int64_t k, int64_t bn);  // or else a library
// Row-major c (rows at cm) = or += a b, any strides; single-threaded. false: no memory.
bool ch__native_gemm_by(const ch__microkernels *micro, ch_dtype d, int64_t m, int64_t n, int64_t k, const void *a,
                        int64_t am, int64_t ak, const void *b, int64_t bk, int64_t bn, void *c, int64_t cm, bool add);
bool ch__native_gemm(ch_dtype d, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak, const void *b,
                     int64_t bk, int64_t bn, void *c, int64_t cm, bool add);

// ---------------------------------------------------------------- blas.c: matrix products by a library
// whole.c: integers of 32 and 64 (wide) bits, signed or not; row-major c, m and n not 0.
void ch__native_whole(bool wide, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak, const void *b,
                      int64_t bk, int64_t bn, void *c);
// Row-major c = a b, ta and tb: the operand is stored transposed; single-threaded. false: no memory.
bool ch__native_gemm_f32(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b,
                         int64_t ldb, float *c, int64_t ldc, bool add);
bool ch__native_gemm_f64(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                         const double *b, int64_t ldb, double *c, int64_t ldc, bool add);
const char *ch__native_blas(ch_dtype d); // the name of what is used: "oneDNN", "own loops"

// ---------------------------------------------------------------- halves.c: rows of f16 or bf16
void ch__native_widen_row(bool f16, int64_t n, const uint16_t *from, int64_t step, float *to); // from is step apart
void ch__native_narrow_row(bool f16, int64_t n, const float *from, uint16_t *to);

// ---------------------------------------------------------------- panels.c: oneDNN on rows that are pages apart
typedef int ch__native_sgemm(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                             int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc); // 0: done
bool ch__native_panels_fit(bool ta, bool tb, int64_t m, int64_t n, int64_t k, int64_t ldb); // is it such a product?
bool ch__native_panels_pay(ch__native_sgemm *sgemm); // measured once; CHAAC_DETERMINISTIC: they do
// Of b as it is, not transposed; false: no memory.
bool ch__native_by_panels(ch__native_sgemm *sgemm, bool ta, int64_t m, int64_t n, int64_t k, const float *a,
                          int64_t lda, const float *b, int64_t ldb, float *c, int64_t ldc);

// OpenMP of libraries counts its threads for each thread that calls: one.
void ch__native_one_openmp_thread(void);

// ---------------------------------------------------------------- conv.c: convolutions of compiled code
// A convolution; args says what (conv.c), bias may be NULL. 0, or CH__NATIVE_NO_MEMORY.
int ch__native_conv(const int64_t *args, const void *x, const void *w, const void *bias, void *out);
bool ch__native_has_dnnl(void); // oneDNN computes convolutions of f32

// ---------------------------------------------------------------- dot.c: what compiled code calls
// c[m,n] (row-major, dense) = sum over k of a[m,k] b[k,n], strides in elements; 0, or CH__NATIVE_NO_MEMORY.
int ch__native_dot(int dtype, int acc, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak,
                   const void *b, int64_t bk, int64_t bn, void *c);
// c[m,n] += the same, of f32 or f64, on the calling thread; cm: from row to row of c. Of bf16 and f16 c is f32.
typedef int ch__native_dot_add_fn(int dtype, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak,
                                  const void *b, int64_t bk, int64_t bn, void *c, int64_t cm);
int ch__native_dot_add(int dtype, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak, const void *b,
                       int64_t bk, int64_t bn, void *c, int64_t cm);
// Of bf16 and f16: outer x inner numbers as f32, dense, into *to, or zeros when from is NULL. *to is allocated when it
// is NULL; ch__native_drop gives it back.
typedef int ch__native_widen_fn(int dtype, int64_t outer, int64_t outer_stride, int64_t inner, int64_t inner_stride,
                                const void *from, float **to);
int ch__native_widen(int dtype, int64_t outer, int64_t outer_stride, int64_t inner, int64_t inner_stride,
                     const void *from, float **to);
typedef void ch__native_narrow_fn(int dtype, int64_t n, const float *from, void *to);
void ch__native_narrow(int dtype, int64_t n, const float *from, void *to); // from NULL: nothing
typedef void ch__native_drop_fn(float *wide);
void ch__native_drop(float *wide);
// ch__native_dot of a and c in bf16 or f16 and a widened b; b NULL: CH__NATIVE_NO_MEMORY.
typedef int ch__native_dot_wide_fn(int dtype, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak,
                                   const float *b, int64_t bk, int64_t bn, void *c);
int ch__native_dot_wide(int dtype, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak,
                        const float *b, int64_t bk, int64_t bn, void *c);
// ---------------------------------------------------------------- largest.c
// The largest |x| of a matrix of f32, f64, bf16 or f16, strides in elements; infinite when one is infinite or NaN.
typedef double ch__native_largest_fn(int dtype, int64_t rows, int64_t columns, const void *p, int64_t row,
                                     int64_t column);
double ch__native_largest(int dtype, int64_t rows, int64_t columns, const void *p, int64_t row, int64_t column);
// ---------------------------------------------------------------- share.c: work among threads
// fn over 0 .. n-1 in parts, `work` operations each turn: what is too little to gain from a second thread stays here.
int ch__native_parallel(int64_t n, int64_t work, void (*fn)(void *arg, int64_t begin, int64_t end), void *arg);
// Several such that do not depend on each other.
typedef struct ch__native_nest {
    int64_t n, work;
    void (*fn)(void *arg, int64_t begin, int64_t end);
    void *arg;
} ch__native_nest;
int ch__native_parallel_many(int n, const ch__native_nest *nests);
// CHAAC_DETERMINISTIC: results do not depend on the number of threads, nor on what was measured.
bool ch__native_deterministic(void);
int ch__native_tiles(void); // in how many a library's work is cut: the threads, or always as many
// fn over 0 .. n-1 in 1 to 16 parts, each with its number: how many follows from n and work alone. Gives how many;
// -1: cancelled. work below 0: as many operations; parts differ in the memory that they use alone, so no more than
// threads gain by.
typedef void ch__native_sum_fn(void *arg, int64_t begin, int64_t end, int64_t part);
int64_t ch__native_sum(int64_t n, int64_t work, ch__native_sum_fn *fn, void *arg);
// The same with a look at the clock (profile.c).
int ch__timed_parallel(int64_t n, int64_t work, void (*fn)(void *arg, int64_t begin, int64_t end), void *arg);
int ch__timed_parallel_many(int n, const ch__native_nest *nests);
int64_t ch__timed_sum(int64_t n, int64_t work, ch__native_sum_fn *fn, void *arg);
int ch__timed_dot(int dtype, int acc, int64_t m, int64_t n, int64_t k, const void *a, int64_t am, int64_t ak,
                  const void *b, int64_t bk, int64_t bn, void *c);
int ch__timed_conv(const int64_t *args, const void *x, const void *w, const void *bias, void *out);
// From now on calls of this thread begin nothing once *token is not 0, they give CH__NATIVE_CANCELLED. NULL: none look.
void ch__native_watch(const volatile int *token);
bool ch__native_is_cancelled(void);
const volatile int *ch__native_watched(void); // that token, or one that is never set: loops of code look at it

#endif
