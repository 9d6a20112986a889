// SPDX-License-Identifier: Apache-2.0
// ffi.h - C functions that programs on devices call: handlers of custom calls (docs/pjrt-ffi.md).
//
// A program names a target, `stablehlo.custom_call @name(%x) {api_version = 4 : i32}`; the plugin calls what was
// registered under that name, on a thread of its own, maybe several at once. On a CPU the arrays are host memory; on
// CUDA they are device memory, and the work is to be put on ch_ffi_stream. A handler makes no call on sessions.
//
// ```c fragment
// static ch_status twice(ch_ffi_call *call, void *user) {
//     ch_ffi_array x, y;
//     (void)user;
//     CH_TRY(ch_ffi_arg(call, 0, &x));
//     CH_TRY(ch_ffi_result(call, 0, &y));
//     if (x.dtype != CH_F32 || x.count != y.count)
//         return ch_ffi_fail(call, CH_INVALID_ARGUMENT, "twice: f32 arrays of one size are taken");
//     for (int64_t i = 0; i < x.count; i++) ((float *)y.data)[i] = 2 * ((const float *)x.data)[i];
//     return CH_OK;
// }
// ```
#ifndef CHAAC_FFI_H
#define CHAAC_FFI_H

#include <stddef.h>
#include <stdint.h>

#include "chaac/dtype.h"
#include "chaac/pjrt.h"
#include "chaac/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- registering: before the program that names it is compiled, also before any session; for all sessions of the
// plugin, as long as the process lives
typedef struct ch_ffi_call ch_ffi_call; // one call; valid while the handler runs
// What fn returns is the status of the run that called it, or the nearest of those that errors of a device have
// (OUT_OF_RANGE: INVALID_ARGUMENT), with the sentence of ch_ffi_fail.
typedef ch_status (*ch_ffi_fn)(ch_ffi_call *call, void *user);
// argument: a name that is registered already, or is none. unsupported: the plugin has no way to register handlers.
// limit: 256 handlers in a process.
CH_API CH_MUST_USE ch_status ch_ffi_register(ch_plugin *plugin, const char *name, ch_ffi_fn fn, void *user);
// A handler that is written for the plugin's own interface (XLA_FFI_Handler), the symbol of a shared library, which
// stays loaded.
CH_API CH_MUST_USE ch_status ch_ffi_register_symbol(ch_plugin *plugin, const char *name, const char *library,
                                                    const char *symbol);
// The names registered with the plugin, in order, for i = 0, 1, ...; NULL after the last.
CH_API const char *ch_ffi_registered(ch_plugin *plugin, int i);

// ---- in a handler: arrays
typedef struct ch_ffi_array {
    ch_dtype dtype; // 0: one that this library has not (complex)
    int rank;
    const int64_t *dims;
    int64_t count; // elements
    void *data;    // row-major; an argument is only read
} ch_ffi_array;
CH_API int ch_ffi_num_args(const ch_ffi_call *call);
CH_API int ch_ffi_num_results(const ch_ffi_call *call);
CH_API ch_status ch_ffi_arg(ch_ffi_call *call, int i, ch_ffi_array *out); // argument: i is out of range
CH_API ch_status ch_ffi_result(ch_ffi_call *call, int i, ch_ffi_array *out);

// ---- in a handler: attributes, the entries of backend_config; "outer.inner" is one of a dictionary in it
CH_API int ch_ffi_num_attrs(const ch_ffi_call *call);
// Their names, sorted; the name is not terminated: *out_n bytes. NULL when i is out of range.
CH_API const char *ch_ffi_attr_name(const ch_ffi_call *call, int i, size_t *out_n);
// not_found: no attribute of that name; argument: it is of another kind, the sentence says of which.
CH_API ch_status ch_ffi_attr_i64(ch_ffi_call *call, const char *name, int64_t *out); // an integer or a bool
CH_API ch_status ch_ffi_attr_f64(ch_ffi_call *call, const char *name, double *out);  // f32 or f64
CH_API ch_status ch_ffi_attr_text(ch_ffi_call *call, const char *name, const char **out, size_t *out_n);
CH_API ch_status ch_ffi_attr_array(ch_ffi_call *call, const char *name, ch_dtype *out_dtype, const void **out_data,
                                   int64_t *out_n);

// ---- in a handler: the rest
// The stream that work is put on (a CUstream); NULL on devices without streams.
CH_API void *ch_ffi_stream(ch_ffi_call *call);
// Keeps the sentence for the caller of the program; gives the status, for `return`.
CH_API ch_status ch_ffi_fail(ch_ffi_call *call, ch_status status, const char *sentence);

#ifdef __cplusplus
}
#endif
#endif
