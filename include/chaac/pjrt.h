// SPDX-License-Identifier: Apache-2.0
// pjrt.h - programs on devices: PJRT plugins, sessions, buffers (docs/pjrt.md).
//
// A plugin is a shared library for one kind of device; a session is a client of it. Funcs and StableHLO text are
// compiled once for each text and kept for the session's life. What crosses between host and device:
//
//   call                                          moves                      donates
//   ch_session_run, ch_exec_run on "pjrt"         inputs up, outputs down    never
//   ch_buffer_from_host                           one up                     -
//   ch_session_run_buffers, ch_session_prepare    nothing                    never; _with: what the call's aliases name
//   ch_session_run_text                           nothing                    what the text aliases
//   ch_buffer_read                                one down                   -
//   ch_run_once                                   all, a new client          never
//
// Calls are synchronous: an upload returns when the device has the data, a run when its results are complete, a read
// with the values. Every call may be made from any thread; one program runs at a time, different ones side by side.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_session *s = NULL;
//     ch_buffer *x = NULL, *y = NULL;
//     float v[4] = {1, 2, 3, 4};
//     const char *text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
//                        "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
//     if (ch_session_open(NULL, &s) != CH_OK) { printf("%s\n", ch_error_message()); return 0; }   // no plugin here
//     if (ch_buffer_from_host(s, v, "f32[4]", &x) != CH_OK || ch_session_run_text(s, text, 1, &x, 1, &y) != CH_OK ||
//         ch_buffer_read(y, v, sizeof v) != CH_OK) return 1;
//     // prints 2 8
//     printf("%g %g\n", v[0], v[3]);
//     ch_buffer_release(x);
//     ch_buffer_release(y);
//     ch_session_close(s);
//     return 0;
// }
// ```
#ifndef CHAAC_PJRT_H
#define CHAAC_PJRT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "chaac/dtype.h"
#include "chaac/func.h"
#include "chaac/hlo.h"
#include "chaac/status.h"
#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- plugins
typedef enum ch_target { CH_CPU = 1, CH_CUDA = 2, CH_TPU = 3, CH_METAL = 4, CH_CEREBRAS = 5 } ch_target;
CH_API const char *ch_target_name(ch_target t);   // "cpu"; "?" for a number that is none
CH_API int ch_target_from_name(const char *name); // 0 when there is none of that name

typedef struct ch_plugin ch_plugin; // loaded once in a process, never unloaded, nobody's to free
// The file of a plugin: the path or name given, else $CHAAC_PJRT_PLUGIN_PATH, else target's entry of
// $PJRT_NAMES_AND_LIBRARY_PATHS, else the known places in Python environments and system folders. no_plugin lists every
// place tried. given may be NULL; the caller frees *out_path with ch_string_free.
CH_API CH_MUST_USE ch_status ch_plugin_find(ch_target target, const char *given, char **out_path);
// Loads it; the same plugin when it is loaded already. The error `plugin`: what is no plugin, one too old, an
// environment that would end the process ($XLA_FLAGS with a flag that the plugin does not know).
CH_API CH_MUST_USE ch_status ch_plugin_load(const char *path, ch_plugin **out_plugin);
CH_API const char *ch_plugin_path(const ch_plugin *p);
CH_API void ch_plugin_version(const ch_plugin *p, int *major, int *minor); // of the API it was built with
// Of StableHLO: {1, 20, 0}; zeros when it does not say.
CH_API void ch_plugin_stablehlo(const ch_plugin *p, int64_t out[3]);

// ---- sessions
typedef struct ch_session ch_session;
typedef struct ch_session_options {
    size_t struct_size;      // sizeof(ch_session_options)
    ch_target target;        // 0: $CHAAC_PJRT_TARGET, else CH_CPU
    const char *plugin;      // a path, or a name to look for; NULL: ch_plugin_find
    int device_count;        // CH_CPU: so many virtual devices; 0: 1
    double memory_fraction;  // CH_CUDA: of the device's memory, in (0, 1]; 0: $CHAAC_PJRT_MEMORY_FRACTION, else 0.5
    const char *preallocate; // CH_CUDA: "true" or "false"; NULL: $CHAAC_PJRT_PREALLOCATE, else false
    int no_donation;         // 1: what the text aliases is not donated
    int num_processes;       // more than 1 is refused: one process drives all devices of a session
    int process_id;
    const char *coordinator;
    int kernels_only; // 1: a kernel that has no lowering for the target is refused; 0: its reference runs
} ch_session_options;
// options may be NULL: a plugin for $CHAAC_PJRT_TARGET, else for the CPU. Two sessions on one device each take their
// share of its memory.
CH_API CH_MUST_USE ch_status ch_session_open(const ch_session_options *options, ch_session **out_session);
// Waits for calls in flight, frees live buffers and marks them closed, then everything else. NULL is fine. A session is
// closed once; calls that come later with s are refused only while a buffer of it is alive.
CH_API void ch_session_close(ch_session *s);
// The session of the engine "pjrt", on the device that $CHAAC_PJRT_TARGET names: opened by the first that asks and
// closed with the last of its executables and of those that gave it back, so that all of them are one client.
CH_API CH_MUST_USE ch_status ch_session_share(ch_session **out_session);
CH_API void ch_session_unshare(ch_session *s); // once for each share; NULL is fine
CH_API ch_plugin *ch_session_plugin(const ch_session *s);
CH_API const char *ch_session_platform(const ch_session *s); // "cpu"
CH_API const char *ch_session_device(const ch_session *s);   // its kind, as the plugin names it
CH_API int ch_session_device_count(const ch_session *s);
// In which dtype the device computes what has dtype d: d itself, but f32 for f64 on TPU, Metal and Cerebras, which have
// no f64; the first program of such a session that has f64 is a notice too (docs/precision.md).
CH_API ch_dtype ch_session_computes_in(const ch_session *s, ch_dtype d);

// ---- buffers: arrays on the device
typedef struct ch_buffer ch_buffer;
// type: "f32[8]", sizes in numbers. Copied.
CH_API CH_MUST_USE ch_status ch_buffer_from_host(ch_session *s, const void *data, const char *type,
                                                 ch_buffer **out_buffer);
// The same on device number i of the session.
CH_API CH_MUST_USE ch_status ch_buffer_from_host_on(ch_session *s, int i, const void *data, const char *type,
                                                    ch_buffer **out_buffer);
// The host memory itself where the device can read it (a CPU), else a copy; it must be aligned to 64 bytes and is not
// written. release (may be NULL) is called with user and data when the device needs it no more.
CH_API CH_MUST_USE ch_status ch_buffer_alias_host(ch_session *s, const void *data, const char *type,
                                                  void (*release)(void *user, void *data), void *user,
                                                  ch_buffer **out_buffer);
// Row-major into out; bytes must be those of the buffer.
CH_API CH_MUST_USE ch_status ch_buffer_read(ch_buffer *b, void *out, size_t bytes);
CH_API ch_dtype ch_buffer_dtype(const ch_buffer *b);
CH_API int ch_buffer_rank(const ch_buffer *b);
CH_API int64_t ch_buffer_dim(const ch_buffer *b, int i); // -1 when i is out of range
CH_API size_t ch_buffer_bytes(const ch_buffer *b);
CH_API size_t ch_buffer_type(const ch_buffer *b, char *buf, size_t cap); // "f32[8]"; gives the length it would have
CH_API int ch_buffer_device(const ch_buffer *b);                         // its number in the session
// Can it be used: not closed, not donated, its session open?
CH_API int ch_buffer_is_open(const ch_buffer *b);
// Frees the device's memory; the handle stays, and using it is refused by name. Twice is fine. While a call uses it:
// when that ends, also when it was to be donated and was not.
CH_API void ch_buffer_close(ch_buffer *b);
// Closes it and frees the handle, also after the session was closed. NULL is fine.
CH_API void ch_buffer_release(ch_buffer *b);
// Where it lies, as DLPack: a view on a CPU, else unsupported. The memory lives until the view is given back, also when
// the buffer or the session is closed before; a buffer with a view is not donated.
struct DLManagedTensorVersioned;
CH_API CH_MUST_USE ch_status ch_buffer_dlpack_export(ch_buffer *b, struct DLManagedTensorVersioned **out_managed);
// A buffer over the producer's memory, or a copy when that is not possible. m is taken over, also when this fails.
CH_API CH_MUST_USE ch_status ch_buffer_dlpack_import(ch_session *s, struct DLManagedTensorVersioned *m,
                                                     ch_buffer **out_buffer);

// ---- running
// How a call is made; zero fields are the usual way.
typedef struct ch_session_call {
    size_t struct_size; // sizeof(ch_session_call)
    const char *key; // a name of the caller's for the program with these sizes and flags: later calls with it neither
                     // emit nor hash the text. Under CHAAC_CHECK=1 another program with the same key is refused
    int n_flags;     // overrides of the compiler's flags: "xla_cpu_multi_thread_eigen=False"
    const char *const *flags;
    int n_keep; // params that are not donated though the text aliases them
    const int64_t *keep;
    int n_replicas;   // 0: what the text's module says, else 1
    int n_partitions; // likewise
    // Of a func, for each param the result that takes its memory, or -1: its buffer is donated. NULL: none is.
    const int *aliases;
} ch_session_call;

// Host tensors in and out; out[i] are new tensors of the caller's (ch_release). Symbolic sizes of f follow from in.
CH_API CH_MUST_USE ch_status ch_session_run(ch_session *s, const ch_func *f, int n_in, ch_tensor *const *in, int n_out,
                                            ch_tensor **out);
// The same on several devices of a session opened with device_count (docs/distributed.md). A func with collectives: one
// replica on each device, replica r takes in[r * n_in + i] and gives out[r * n_out + k]. A func whose params and
// results lie on a mesh: whole tensors in[i], cut into the shards of the devices and joined from theirs. Both: each
// replica on a mesh of its own. Symbolic sizes follow from the inputs of the first replica. replica_count: the session
// has too few devices.
CH_API CH_MUST_USE ch_status ch_session_run_devices(ch_session *s, const ch_func *f, int n_in, ch_tensor *const *in,
                                                    int n_out, ch_tensor **out);
// Buffers in, new buffers out (ch_buffer_release). Nothing is moved, nothing donated.
CH_API CH_MUST_USE ch_status ch_session_run_buffers(ch_session *s, const ch_func *f, int n_in, ch_buffer *const *in,
                                                    int n_out, ch_buffer **out);
CH_API CH_MUST_USE ch_status ch_session_run_buffers_with(ch_session *s, const ch_session_call *call, const ch_func *f,
                                                         int n_in, ch_buffer *const *in, int n_out, ch_buffer **out);
// Any StableHLO text with a public @main, also with operations that ch_hlo_parse does not take. Params that the text
// aliases (tf.aliasing_output, jax.buffer_donor) are donated: their buffers are consumed and refuse to be used again.
// A program for several devices takes its buffers device after device: in[d * n_params + i].
CH_API CH_MUST_USE ch_status ch_session_run_text(ch_session *s, const char *text, int n_in, ch_buffer *const *in,
                                                 int n_out, ch_buffer **out);
CH_API CH_MUST_USE ch_status ch_session_run_text_with(ch_session *s, const ch_session_call *call, const char *text,
                                                      int n_in, ch_buffer *const *in, int n_out, ch_buffer **out);
// Compiles ahead. Each symbolic size of f needs a value.
CH_API CH_MUST_USE ch_status ch_session_prepare(ch_session *s, const ch_session_call *call, const ch_func *f,
                                                int n_sizes, const char *const *names, const int64_t *values);
CH_API CH_MUST_USE ch_status ch_session_prepare_text(ch_session *s, const ch_session_call *call, const char *text);
// One run in a session of its own, opened and closed here, also when it fails. options may be NULL.
CH_API CH_MUST_USE ch_status ch_run_once(const ch_session_options *options, const ch_func *f, int n_in,
                                         ch_tensor *const *in, int n_out, ch_tensor **out);

// ---- kernels: composites that a device may have code of its own for (ch_kernel in tensor.h, `kernel = ""` in the IR)
// A session asks the lowering that is registered for its target under the composite's name what stands for it; without
// one, or when it declines, the body of the composite runs, the reference (kernels_only refuses that by name). Nothing
// else is looked for: a session recognizes no patterns.
typedef struct ch_kernel_type {
    ch_dtype dtype;
    int rank;
    const int64_t *dims;
} ch_kernel_type;
typedef struct ch_kernel_op { // one of a func that is compiled; it is read while the lowering runs
    ch_target target;
    const char *name, *args; // of the composite; args "": none
    int64_t version;
    int n_operands, n_results;
    const ch_kernel_type *operands, *results;
} ch_kernel_op;
// Says what op becomes by ch_kernel_call, or declines by saying nothing. Another status than CH_OK is the compile's,
// with the sentence of ch_error_set. It is called by every thread that compiles, and makes no call on sessions.
typedef ch_status (*ch_lowering_fn)(const ch_kernel_op *op, void *user);
// For all sessions of the target, those that are open too, as long as the process lives; programs compiled before stay
// as they are. argument: there is one of that name for that target. limit: 256 lowerings in a process.
CH_API CH_MUST_USE ch_status ch_lowering_register(ch_target target, const char *name, ch_lowering_fn fn, void *user);
// In a lowering: op becomes stablehlo.custom_call @call with op's operands and results. config (may be NULL) is its
// backend_config: in braces the dictionary of a typed call, "{heads = 4 : i64}", as ch_ffi_register's handlers take it;
// any other text a string, as tpu_custom_call takes. Both are copied. argument: call is no name.
CH_API CH_MUST_USE ch_status ch_kernel_call(const ch_kernel_op *op, const char *call, const char *config);
// The text that the session compiles f as, with its kernels lowered. options as in ch_hlo_to_text, whose target is the
// session's; may be NULL. The caller frees *out_text with ch_string_free.
CH_API CH_MUST_USE ch_status ch_session_text(ch_session *s, const ch_func *f, const ch_hlo_options *options,
                                             char **out_text);

// ---- what it did
typedef struct ch_session_counters {
    int64_t programs;            // kept now
    int64_t compiles;            // by the plugin
    int64_t from_disk;           // taken from $CHAAC_PJRT_CACHE_DIR instead
    int64_t hits;                // calls that found their program
    int64_t emissions;           // funcs written as text
    int64_t kernels, references; // kernels in those: that became custom calls, and whose body was written
    int64_t runs;
    int64_t bytes_up, bytes_down; // between host and device
    int64_t buffers;              // alive now
} ch_session_counters;
CH_API void ch_session_count(ch_session *s, ch_session_counters *out);
CH_API int64_t ch_session_cache_size(ch_session *s); // programs kept
// The kernels whose reference was written; for each compile the custom calls it holds, the nearest text that was known
// then and what differs from it.
CH_API CH_MUST_USE ch_status ch_session_explain(ch_session *s, FILE *file);
// Of the device: -1 where the plugin does not report it.
typedef struct ch_session_memory_info {
    int64_t bytes_in_use, peak_bytes, limit_bytes;
} ch_session_memory_info;
CH_API CH_MUST_USE ch_status ch_session_memory(ch_session *s, ch_session_memory_info *out);
// Of one program, compiled if it was not; -1 where the plugin does not report it.
typedef struct ch_program_info {
    int64_t code_bytes, argument_bytes, output_bytes, alias_bytes, temp_bytes, peak_bytes;
    double compile_seconds;
} ch_program_info;
CH_API CH_MUST_USE ch_status ch_session_program_info(ch_session *s, const char *text, ch_program_info *out);
// The program as the compiler left it (bytes of the format named in *out_format, a string of the session's); freed with
// ch_string_free.
CH_API CH_MUST_USE ch_status ch_session_optimized(ch_session *s, const char *text, char **out_bytes, size_t *out_n);

#ifdef __cplusplus
}
#endif
#endif
