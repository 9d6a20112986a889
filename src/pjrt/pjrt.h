// SPDX-License-Identifier: Apache-2.0
// pjrt.h - what the files share that run programs on devices through PJRT plugins.
//
//   abi.h abi_ffi.h abi.c  the C API: structs, slots, numbers
//   plugin.c    finding a plugin, loading it once, what it says of itself
//   error.c     an error of the plugin as a status with a sentence; events
//   signature.c count, types, names and aliases of @main, read from any text
//   options.c   compile options as the bytes that the plugin reads
//   session.c   open, close, counters
//   shards.c    what each device holds of a param
//   compile.c   text to a program, once for each text and options
//   disk_cache.c  programs kept between processes
//   buffer.c    arrays on the device: made, read, closed
//   execute.c   one run of a program
//   lower.c     kernels: what stands for them on the target
//   rewrite.c   what TPU and Metal do not take
//   run.c       the public runs: of funcs, of text, on tensors
//   ffi.c       functions of C that programs call
//   engine.c    the engine "pjrt"
//
// Locks: a session's lock guards its lists, its count of calls and the states of its buffers; a program's lock is held
// while it runs. The second is taken without the first. No lock is held while the plugin transfers or compiles, but for
// the program's own and, on CUDA, the one that makes compiles take turns.
#ifndef CHAAC_PJRT_PJRT_H
#define CHAAC_PJRT_PJRT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "chaac/pjrt.h"
#include "pjrt/abi.h"
#include "pjrt/abi_ffi.h"

// ---------------------------------------------------------------- abi.c
const char *ch__pjrt_slot_name(pj_slot slot); // "PJRT_Client_Compile"; NULL for slots nobody here uses

// ---------------------------------------------------------------- plugin.c
struct ch_plugin { // one for each file; never freed, the library is never unloaded
    ch_plugin *next;
    char *path; // resolved
    void *library;
    const pj_api *api;
    int minor;
    int64_t xla_version, stablehlo[3]; // 0: not said
    const pj_ffi_extension *ffi;       // NULL: has none that handlers can be registered with
    ch__sha256 flags;                  // of $XLA_FLAGS when it was loaded
    ch__sha256 sum;                    // of its file, for disk_cache.c, whose lock guards these two
    int sum_state;                     // 0: not summed up yet; -1: cannot be
};
bool ch__plugin_has(const ch_plugin *p, pj_slot slot);
const pj_extension *ch__plugin_extension(const ch_plugin *p, int type); // NULL: none

// ---------------------------------------------------------------- find.c
ch_status ch__pjrt_target(ch_target *out); // $CHAAC_PJRT_TARGET's; CH_CPU when it is not set

// ---------------------------------------------------------------- error.c
// Calls a slot; `what` begins the sentence ("session open"). A missing slot is `unsupported`.
ch_status ch__pjrt_call(const ch_plugin *p, pj_slot slot, void *args, const char *what);
// The code of the last call that failed on this thread, as the plugin gave it.
int ch__pjrt_code(void);
// Takes the error: its message as a sentence, `what` before it; the error is destroyed.
ch_status ch__pjrt_error(const ch_plugin *p, pj_error *e, const char *what);
// Waits, takes the event's error, destroys it. NULL is fine.
ch_status ch__pjrt_await(const ch_plugin *p, pj_event *event, const char *what);
void ch__pjrt_event_destroy(const ch_plugin *p, pj_event *event);
// For slots that take something apart: a missing slot and an error are passed over, the thread's error stays.
void ch__pjrt_quiet(const ch_plugin *p, pj_slot slot, void *args);

// ---------------------------------------------------------------- signature.c
typedef struct ch__pjrt_param {
    char name[64]; // without %
    ch_dtype dtype;
    int rank;
    int64_t dims[16];
    size_t bytes;
    int alias;  // the result that takes its memory, or -1
    bool donor; // jax.buffer_donor: some result may
    bool shard_known;
    int64_t shard[16];    // what a device holds of it, when there are partitions
    const char *sharding; // where the text says it, while that is read; NULL: nowhere
} ch__pjrt_param;
typedef struct ch__pjrt_signature {
    int n_in, n_out;
    ch__pjrt_param *in, *out; // one block of memory, freed by ch__free(in)
    char name[64];            // of the module, else "main"
    int n_replicas, n_partitions;
    bool shardy; // it names a mesh
} ch__pjrt_signature;
ch_status ch__pjrt_signature_read(const char *text, size_t n, ch__pjrt_signature *out);
void ch__pjrt_signature_free(ch__pjrt_signature *s);
// n bytes of s and a zero, or as many as fit.
void ch__pjrt_copy_text(char *out, size_t cap, const char *s, size_t n);
// "f32[2,3]" into buf.
void ch__pjrt_type_text(char *buf, size_t cap, ch_dtype dtype, int rank, const int64_t *dims);
int ch__pjrt_type_of(ch_dtype d); // pj_type
// Bytes of an array; false when they are more than 1 TiB.
bool ch__pjrt_bytes(ch_dtype dtype, int rank, const int64_t *dims, size_t *out);

// ---------------------------------------------------------------- shards.c
void ch__pjrt_shards(const char *text, size_t n, ch__pjrt_signature *sig); // of the params, with their shardings

// ---------------------------------------------------------------- options.c
typedef struct ch__pjrt_build { // what the bytes say
    int n_replicas, n_partitions;
    const int *device_ids; // n_replicas * n_partitions of them, replica after replica
    bool shardy;
    int n_flags;
    const char *const *flags; // "name=value": overrides for this compile
} ch__pjrt_build;
// On the heap; the caller frees *out_bytes.
ch_status ch__pjrt_options(const ch__pjrt_build *b, char **out_bytes, size_t *out_n);

// ---------------------------------------------------------------- rewrite.c
// Products that name the f32 algorithm with precision HIGHEST instead; *out_text NULL: there are none. Freed by the
// caller.
ch_status ch__pjrt_rewrite(const char *text, size_t n, char **out_text, size_t *out_n);

// ---------------------------------------------------------------- session.c
typedef struct ch__pjrt_program ch__pjrt_program;
enum { CH__PJRT_KEYS = 256 };
typedef struct ch__pjrt_key { // of the caller's: names a program
    struct ch__pjrt_key *next, *chain;
    uint64_t hash;
    char *text;
    ch__pjrt_program *program;
} ch__pjrt_key;
struct ch_session {
    atomic_int refs; // the caller's until close, one for each buffer
    ch_plugin *plugin;
    ch_target target;
    pj_client *client;
    pj_device *const *devices; // the client's
    int n_devices, *device_ids;
    char platform[32], platform_version[256], device_kind[128];
    bool on_host;     // buffers are host memory: reads take the pointer
    bool no_donation; // aliases in text are refused
    bool kernels_only;
    pthread_mutex_t lock;
    pthread_cond_t changed; // calls that ended, compiles that are done
    int in_flight;
    bool closing;
    int lent; // buffers that something lasts over after the close, and the close itself while it goes on
    ch__pjrt_program *programs; // all, newest first
    ch__pjrt_program **table;   // by hash of text and options
    int n_programs, n_table, n_compiled;
    ch__pjrt_program *plain[CH__PJRT_KEYS]; // by hash of the text alone: those of calls without options
    ch__pjrt_key *keys[CH__PJRT_KEYS];      // by hash of the caller's key
    ch_buffer *buffers;                     // live ones
    pthread_mutex_t compiling;              // CUDA: one at a time
    atomic_llong compiles, from_disk, hits, emissions, bytes_up, bytes_down, runs, kernels, references;
    char by_reference[400]; // kernels whose body was written, by name; guarded by lock
    atomic_bool disk_off;   // nothing is kept on disk
    atomic_bool f64_is_f32; // and that was said
};
// A call on s begins: `session closed` after close. It keeps the session from closing until it ends.
ch_status ch__session_enter(ch_session *s, const char *who);
void ch__session_leave(ch_session *s);
void ch__session_left(ch_session *s); // the same for who holds the session's lock; s may be gone when he gives it back
void ch__session_release(ch_session *s); // one reference
void ch__session_unlend(ch_session *s);

// ---------------------------------------------------------------- compile.c
struct ch__pjrt_program {
    ch__pjrt_program *next, *chain; // in the session; in the table
    uint64_t hash;
    char *text;
    size_t text_n;
    char *options;
    size_t options_n;
    ch__pjrt_program *plain_chain;
    uint64_t plain_hash;
    bool is_plain;
    ch__pjrt_key *keys;
    int order; // of those compiled: 1, 2, ...
    enum { CH__PJRT_COMPILING, CH__PJRT_READY, CH__PJRT_FAILED } state;
    ch__error_copy *error; // of a compile that failed, for those who wait
    ch__pjrt_signature sig;
    int n_devices, n_partitions; // it runs on so many at once
    pj_loaded_executable *loaded;
    pj_executable *executable;
    pthread_mutex_t running;
    pj_buffer **in, **out; // room for one run: n_devices * n_in, n_devices * n_out
    void **lists;          // the three below
    pj_buffer *const **in_lists;
    pj_buffer ***out_lists;
    pj_event **events;
    double seconds; // of the compile
    int waiting;    // threads
};
// The program of a text: compiled now, or before by anyone. The session must be entered.
ch_status ch__pjrt_compile(ch_session *s, const char *text, size_t n, const ch_session_call *call,
                           ch__pjrt_program **out_program);
// The program that a key names; NULL: none yet.
ch__pjrt_program *ch__pjrt_find_key(ch_session *s, const char *key);
void ch__pjrt_program_free(ch_session *s, ch__pjrt_program *p);

// ---------------------------------------------------------------- disk_cache.c
// The name of a program on disk. false: none is kept.
bool ch__pjrt_disk_key(ch_session *s, const char *text, size_t n, const char *options, size_t options_n,
                       ch__sha256 *out);
// NULL: not there, or not taken; a notice says why.
pj_loaded_executable *ch__pjrt_disk_load(ch_session *s, const ch__sha256 *key);
void ch__pjrt_disk_keep(ch_session *s, const ch__sha256 *key, pj_executable *executable);

// ---------------------------------------------------------------- buffer.c
enum { CH__BUFFER_OPEN, CH__BUFFER_CLOSED, CH__BUFFER_DONATED, CH__BUFFER_SESSION_CLOSED };
struct ch_buffer {
    ch_session *session; // a reference
    ch_buffer *next, *prev;
    atomic_int state;
    atomic_int row_major; // -1: not asked yet
    int users;            // calls that use it now; guarded by the session's lock
    bool closed;          // its caller closed or released it, if only while a call had it
    bool released;        // its caller is done with it: freed with the last user
    pj_buffer *handle;
    pj_event *host_done; // zero-copy: the host memory is in use until it fires
    void (*release)(void *user, void *data);
    void *user, *data;
    int device;
    ch_dtype dtype;
    int rank;
    int64_t dims[16];
    size_t bytes;
    char consumed[64], consumed_by[64]; // the param and the program that it was donated to
};
// Takes the handle over, also on failure.
ch_status ch__buffer_wrap(ch_session *s, pj_buffer *handle, int device, ch_dtype dtype, int rank, const int64_t *dims,
                          ch_buffer **out_buffer);
// An upload without a ch_buffer around it; the memory may be used until the handle is destroyed when zero_copy.
ch_status ch__buffer_upload(ch_session *s, int device, const void *data, ch_dtype dtype, int rank, const int64_t *dims,
                            int semantics, pj_buffer **out_handle, pj_event **out_event);
ch_status ch__buffer_download(ch_session *s, pj_buffer *handle, int *row_major, int rank, void *out, size_t bytes,
                              const char *what);
void ch__buffer_handle_destroy(ch_session *s, pj_buffer *handle);
void ch__buffers_end(ch_session *s); // the session closes
// Uses all of n buffers (states, session, users) or none; done ends that. The session is entered by use.
ch_status ch__buffers_use(ch_session *s, const char *who, int n, ch_buffer *const *b);
bool ch__buffer_is_plain(ch_buffer *b); // row-major, without tiles; it is in use
// leave: the caller's call on the session ends with it.
void ch__buffers_done(ch_session *s, int n, ch_buffer *const *b, bool leave);

// ---------------------------------------------------------------- execute.c
// One run of the handles in p->in; the results are in p->out, the caller's, when it is CH_OK. Complete when it returns.
// The program's lock is held. keep: params that are not donated though the text aliases them.
ch_status ch__pjrt_execute(ch_session *s, ch__pjrt_program *p, const int64_t *keep, int n_keep);
bool ch__pjrt_is_deleted(ch_session *s, pj_buffer *handle);
ch_status ch__pjrt_dims(ch_session *s, pj_buffer *handle, int *rank, int64_t dims[16]); // of a shard

// ---------------------------------------------------------------- ffi.c
// After a compile: when it failed because a program names a handler that is not registered, those that are are listed.
ch_status ch__ffi_explain(ch_plugin *plugin, ch_status s);

// ---------------------------------------------------------------- lower.c
// f as text, its kernels lowered; o says the rest. Counted as an emission.
ch_status ch__pjrt_emit(ch_session *s, const ch_func *f, const ch_hlo_options *o, char **out_text);

// ---------------------------------------------------------------- run.c
ch_status ch__pjrt_check_args(const char *who, const ch_session *s, const void *what, int n_in, const void *in,
                              int n_out, const void *out);
ch_status ch__pjrt_check_arity(const ch_func *f, int n_in, int n_out);
// The program of f for inputs of these sizes, or the one that the call's key names. The session is entered.
ch_status ch__pjrt_func_program(ch_session *s, const ch_func *f, const ch_session_call *call, int n_in,
                                int (*dims_of)(const void *in, int i, int64_t *dims), const void *in,
                                ch__pjrt_program **out_program);
enum { CH__PJRT_SIZES = 32 }; // symbolic ones of a func
// Their values from what is given: each must come as a dim of its own somewhere. Room for CH__PJRT_SIZES.
ch_status ch__pjrt_sizes(const ch_func *f, int n_in, int (*dims_of)(const void *in, int i, int64_t *dims),
                         const void *in, int *out_n, const char **names, int64_t *values);
int ch__pjrt_tensor_dims(const void *in, int i, int64_t *dims); // host.c; in: ch_tensor *const *
ch_status ch__pjrt_compile_func(ch_session *s, const ch_func *f, const ch_session_call *call, int n_sizes,
                                const char *const *names, const int64_t *values, ch__pjrt_program **out_program);

// ---------------------------------------------------------------- host.c
// One run on host memory: in[i] goes up, results come down into out[i], which have room. Nothing is donated: the
// text aliases nothing.
ch_status ch__pjrt_run_host(ch_session *s, ch__pjrt_program *p, void *const *in, void *const *out);

#endif
