// SPDX-License-Identifier: Apache-2.0
// engine.h - compiling funcs and running them.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_func *f = NULL;
//     ch_exec *e = NULL;
//     ch_tensor *in[1] = {ch_from_f64((double[]){3}, 0, NULL)}, *out[1] = {NULL};
//     const char *text = "chaac-ir 1\nfunc @f(%x: f64[]) -> f64[] {\n  %y = mul %x, %x : f64[]\n  return %y\n}\n";
//     if (ch_func_parse(text, "f.ir", &f) != CH_OK || ch_compile(f, "interp", NULL, &e) != CH_OK ||
//         ch_exec_run(e, 1, in, 1, out) != CH_OK) return 1;
//     ch_print(out[0], stdout);   // f64[] 9
//     ch_exec_release(e);
//     ch_func_destroy(f);
//     ch_release(out[0]);
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_ENGINE_H
#define CHAAC_ENGINE_H

#include <stdio.h>

#include "chaac/func.h"
#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// A func compiled by an engine: immutable, reference counted, run from any thread.
typedef struct ch_exec ch_exec;

typedef struct ch_compile_options {
    size_t struct_size; // sizeof(ch_compile_options)
    int compiled_first; // 1: no run begins before the code is there, however long that takes (docs/native.md, tiers)
} ch_compile_options;

// engine: "interp", the reference interpreter, or "native": C compiled by the machine's compiler ($CHAAC_CC, cc, gcc
// or clang; none: the error `compiler`) and kept on disk ($CHAAC_CACHE_DIR). Native code gives the interpreter's bits,
// but for sums and products of matrices, which it takes in another order where the func allows any, and for what it
// computes by vectors: exp, log, tanh, sigmoid, erf, sin, cos of f32 are within 4 ulp, exp, log, tanh, sigmoid of f64
// within 3. "iree": IREE's compiler and runtime, where its two programs are found (docs/iree.md). Runs with limits are
// the interpreter's. NULL: ch_engine_default(); when that is native because nobody said
// otherwise, and native refuses the func by name (a func that calls itself, a result that is a tape), the interpreter.
// options may be NULL. *out_exec is the caller's.
CH_API CH_MUST_USE ch_status ch_compile(const ch_func *f, const char *engine, const ch_compile_options *options,
                                        ch_exec **out_exec);
// The engine that a run which begins now is on: its own; "interp" where its code is not there yet (docs/native.md,
// tiers) or could not be made. NULL: "".
CH_API const char *ch_exec_tier(const ch_exec *e);
CH_API ch_exec *ch_exec_retain(ch_exec *e);
CH_API void ch_exec_release(ch_exec *e); // NULL is fine

// Runs. Inputs are realized first and borrowed. out[i] NULL: a new tensor that the caller owns (ch_release); else the
// result is written into out[i], a realized tensor of the result's type with memory of its own (neither borrowed nor
// shared with a detached tensor), that no input shares memory with unless it is an inout pair; it loses its
// expression. On failure nothing in out changes, but for the contents of given tensors.
CH_API CH_MUST_USE ch_status ch_exec_run(ch_exec *e, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);

// Limits for programs that are not trusted, and cancelling; zero fields mean none.
typedef struct ch_run_options {
    size_t struct_size;         // sizeof(ch_run_options)
    int64_t max_steps;          // operations executed
    int64_t max_bytes;          // bytes of intermediate values alive at once
    int max_depth;              // nested calls
    const volatile int *cancel; // another thread sets it non-zero: the run stops between two operations with
                                // CH_CANCELLED. NULL: the thread's (ch_set_cancel), if it has one
    const unsigned char
        *donate; // n_in flags: this input's memory may be overwritten and reused (unless it is shared or borrowed);
                 // the tensor is an error tensor from then on, also when the run fails, unless it is given as out[i]
                 // too and holds the result then. On "native" results take the memory of donated inputs of their
                 // type; the first run with a set of them compiles once more for that (docs/native.md)
} ch_run_options;
CH_API CH_MUST_USE ch_status ch_exec_run_with(ch_exec *e, const ch_run_options *options, int n_in, ch_tensor *const *in,
                                              int n_out, ch_tensor **out);

// The func run by several replicas at once, which meet in its collectives (docs/distributed.md): replica r takes
// in[r * n_in + i] and gives out[r * n_out + k], which are NULL on entry; inputs may be one tensor for several. The
// interpreter runs them in turns, the same every time; "native" refuses funcs with collectives by name, and runs others
// one replica after another. options as above, for each replica; donate has to be NULL. At most 256 replicas. Errors:
// replica_count (the func's groups are for another number: ch_func_num_replicas), replicas_differ, and those of any
// run, which say which replica; then no result is given.
CH_API CH_MUST_USE ch_status ch_exec_run_replicas(ch_exec *e, const ch_run_options *options, int replicas, int n_in,
                                                  ch_tensor *const *in, int n_out, ch_tensor **out);

// The engines of this library, for i = 0, 1, ...; NULL after the last.
CH_API const char *ch_engine_name(int i);
CH_API const char *ch_engine_what(int i);
// Whether what engine i compiles with (a C compiler, IREE's programs) is found here; when not, ch_compile says where it
// was looked for. 0 when i is out of range.
CH_API int ch_engine_ready(int i);
// What runs funcs when nobody says: $CHAAC_ENGINE, else "native" where a C compiler is found, else "interp".
CH_API const char *ch_engine_default(void);

// ---- how long it takes
// Native code that is compiled after begin is timed: each kernel and library call of it, the calling thread's clock.
// ch_profile_end writes a table by kernel with GFLOP/s and GB/s beside what this machine reaches, which it measures
// (half a second), or the same as JSON; file NULL: nothing. begin again: from nothing. CHAAC_TRACE=FILE.json times all
// native code of the process and writes Chrome trace events when it ends (docs/measuring.md).
CH_API void ch_profile_begin(void);
CH_API CH_MUST_USE ch_status ch_profile_end(FILE *file, int json);

// ---- compiled code on disk
// Native code is kept in ch_cache_folder() ($CHAAC_CACHE_DIR; NULL: nowhere), where entries that are damaged, not this
// user's or links are never run but made again. Executables of devices are kept in the same way in
// $CHAAC_PJRT_CACHE_DIR, when that is set; their names end in ".exec". Each of these calls fn (NULL: none) for every
// entry of both: its name, bytes, when it was used last in seconds since 1970, and what is wrong with it or NULL. list
// shows them as they are; verify reads each and removes what is wrong; clear removes all. file: a folder is not one
// that code is taken from.
typedef void (*ch_cache_fn)(void *user, const char *name, int64_t bytes, int64_t used, const char *wrong);
CH_API const char *ch_cache_folder(void); // valid until the thread's next call
CH_API CH_MUST_USE ch_status ch_cache_list(ch_cache_fn fn, void *user);
CH_API CH_MUST_USE ch_status ch_cache_verify(ch_cache_fn fn, void *user);
CH_API CH_MUST_USE ch_status ch_cache_clear(ch_cache_fn fn, void *user);

#ifdef __cplusplus
}
#endif
#endif
