// SPDX-License-Identifier: Apache-2.0
// rt.h - what exists at run time below tensors: storage, the engine interface, executables.
#ifndef CHAAC_RT_H
#define CHAAC_RT_H

#include <stdatomic.h>

#include "ir/ir.h"

// ---------------------------------------------------------------- storage.c: reference-counted memory
typedef struct ch__storage {
    atomic_int refs, ghosts; // ghosts: references of tensors that were overwritten in it and nobody can read
    size_t bytes;
    void *data;                              // 64-byte aligned when it is large, 16 else
    void (*release)(void *user, void *data); // borrowed memory: called with the last reference; NULL: ours
    void *user;
} ch__storage;
ch__storage *ch__storage_create(size_t bytes); // not zeroed; NULL when memory ends
ch__storage *ch__storage_borrow(void *data, size_t bytes, void (*release)(void *user, void *data), void *user);
ch__storage *ch__storage_retain(ch__storage *s);
// The release of memory of ch__alloc_aligned that is given away: a storage with it is not borrowed.
void ch__storage_free(void *user, void *data);
bool ch__storage_is_borrowed(const ch__storage *s); // memory of somebody else
bool ch__storage_is_unshared(const ch__storage *s); // one reference, but for ghosts
void ch__storage_release(ch__storage *s);           // NULL is fine

// ---------------------------------------------------------------- cache.c: compiled code on disk
// Entries by key: the SHA-256 of everything the code depends on. Nothing here fails: what cannot be read or written is
// compiled again; notices say why.
typedef struct ch__cache {
    char magic[16];                    // how its files begin
    char suffix[6];                    // of their names
    int part;                          // of CHAAC_CACHE_BYTES one of so many
    const char *again;                 // what it means that there is none
    bool (*home)(char *out, size_t n); // its folder; false: nothing is kept
} ch__cache;
extern const ch__cache ch__cache_native;  // libraries, in ch__cache_home
extern const ch__cache ch__cache_funcs;   // which library is the code of a func, beside them
extern const ch__cache ch__cache_devices; // executables of plugins, in CHAAC_PJRT_CACHE_DIR
bool ch__cache_get(const ch__cache *c, const ch__sha256 *key, void **out_data,
                   size_t *out_n); // on the heap, the caller frees it
void ch__cache_put(const ch__cache *c, const ch__sha256 *key, const void *data, size_t n);
void ch__cache_drop(const ch__cache *c, const ch__sha256 *key, const char *why); // could not be used; a notice says why

// ---------------------------------------------------------------- npy.c: headers of npy files
#define CH__NPY_HEADER (128 + 24 * CH__MAX_RANK + 64)
const char *ch__npy_descr(ch_dtype d); // "<f4"; NULL: NumPy has no such dtype
// Gives the number of bytes, a multiple of 64; of a dtype that NumPy has.
size_t ch__npy_header(char out[CH__NPY_HEADER], ch_dtype d, int rank, const int64_t *dims);

// ---------------------------------------------------------------- engine.h: what an engine provides
// One struct a folder; src/engines.c lists them. Adding an engine: the folder, this struct, one line there.
typedef struct ch__engine {
    const char *name;
    const char *what;    // one line for `chaac doctor`
    bool only_by_name;   // never what runs funcs when nobody says
    bool (*ready)(void); // can it compile here? NULL: always
    bool wants_kernels;  // composites of that name stay; all others are inlined before compile
    // Makes code of f (optimized, owned by the executable, alive as long as the code).
    ch_status (*compile)(const ch_func *f, void **out_code);
    void (*destroy)(void *code);
    ch_status (*run)(void *code, const ch__limits *limits, int n_in, const ch__slot *in, int n_out, ch__slot *out);
    // Which results of a run that begins now take the memory of donated inputs: tied[i] (-1 on entry) is the input of
    // result i, whose data is the result's then. NULL: none do.
    void (*donate)(void *code, const ch__slot *in, const bool *has_memory, int *tied);
    // Replicas together, as ch__interp_run_replicas; NULL: the engine compiles no collectives.
    ch_status (*run_replicas)(void *code, const ch__limits *limits, int n, int n_in, const ch__slot *in, int n_out,
                              ch__slot *out);
    void (*trim)(void *code);   // gives back memory kept between runs; NULL: keeps none
    size_t (*kept)(void *code); // bytes of it, while nothing runs; NULL: keeps none
    ch_status (*result_types)(void *code, int n_in, const ch__slot *in, int n_out, ch__slot *out);
    const char *(*tier)(void *code); // the engine that a run which begins now is on; NULL: always this one
} ch__engine;
const ch__engine *ch__engine_at(int i);                                     // src/engines.c; NULL past the last
ch_status ch__engine_find(const char *name, const ch__engine **out_engine); // engine: lists those there are

// ---------------------------------------------------------------- exec.c: a compiled func
typedef struct ch_exec ch_exec;
struct ch_exec {
    atomic_int refs;
    const ch__engine *engine;
    ch_func *func; // the optimized func the code was made of
    void *code;
};
// While this thread compiles: *token not 0 stops a compiler that an engine runs (cancelled). NULL: nothing does.
void ch__compile_watch(const volatile int *token);
const volatile int *ch__compile_token(void);
// While this thread compiles: true: runs are not to begin before the code is there, whatever that takes.
void ch__compile_first(bool first);
bool ch__compile_is_first(void);
// src/compile.c: the pipeline.
ch_status ch__compile(const ch_func *f, const char *engine, ch_exec **out_exec);
size_t ch__slot_bytes(const ch__slot *s); // of its elements; sizes that were checked
// Does it ask for what only the interpreter counts or checks? NULL: no.
bool ch__limits_are_counted(const ch__limits *l);
ch_status ch__exec_run(ch_exec *e, const ch__limits *limits, int n_in, const ch__slot *in, int n_out, ch__slot *out);
void ch__exec_release(ch_exec *e);

#endif
