// SPDX-License-Identifier: Apache-2.0
// jit.h - capture and replay: a C function over tensors that assigns state in place, run as one program.
//
// The first call runs the function as it stands; the second runs it on placeholders, records what it builds and
// compiles that; from the third on the function is not called any more: its program runs. A call gives the values
// that the function would give, or it fails with a sentence that begins with "jit 'NAME' call N:" and changes nothing.
//
// What C code does besides building tensors is done by the first two calls only: a number that the function computes, a
// branch it takes, data that it uploads are part of the program for good (docs/jit.md says what is frozen and what
// finds it). What may change from call to call comes in as an input, as a variable, or lies in a tensor that the
// function reads from outside: such tensors are read anew at each call, and assignments to them are done at each call.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// static ch_status count(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
//                        ch_tensor **out) {
//     (void)n_in, (void)n_vars, (void)vars, (void)n_out;
//     ch_tensor *total = user;                        // from outside: state, 10 in the end
//     CH_TRY(ch_assign(total, ch_add(total, in[0])));
//     out[0] = ch_mul(total, total);
//     return CH_OK;
// }
// int main(void) {
//     ch_tensor *total = ch_zeros(CH_F32, 0, NULL), *out[1] = {NULL};
//     ch_jit *jit = ch_jit_create("count", count, total, 1);
//     for (int i = 1; i <= 4; i++) {
//         ch_scope scope = ch_scope_begin();
//         ch_tensor *x = ch_scalar(CH_F32, i);
//         if (ch_jit_call(jit, 1, &x, 0, NULL, out) != CH_OK) return 1;
//         ch_print(out[0], stdout);                   // f32[] 100
//         if (ch_scope_end(scope) != CH_OK) return 1;
//     }
//     ch_release(out[0]);
//     ch_jit_destroy(jit);
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_JIT_H
#define CHAAC_JIT_H

#include <stdint.h>
#include <stdio.h>

#include "chaac/status.h"
#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- variables: integers that change from call to call without another program
typedef struct ch_var ch_var;
// name: a C identifier; 0 <= lo <= hi. NULL with the error set when that does not hold or memory ends.
CH_API ch_var *ch_var_create(const char *name, int64_t lo, int64_t hi);
// Jits that were called with it keep what they need of it. NULL is fine.
CH_API void ch_var_destroy(ch_var *v);
// A variable and its value for one call. Made by ch_bind_value; a bind of zeros has no variable, one without a value
// (ch_bind_none) is refused at the call (jit_var_unbound).
typedef struct ch_bind {
    const ch_var *var;
    int64_t value;
    int bound; // 1: has a value
} ch_bind;
// A value outside the bounds sets the error (jit_var_range); the call that it is given to refuses it too.
CH_API ch_bind ch_bind_value(const ch_var *v, int64_t value);
CH_API ch_bind ch_bind_none(const ch_var *v);
// The value as a tensor, i64[].
CH_API ch_tensor *ch_bind_scalar_at(const char *where, ch_bind b);
#define ch_bind_scalar(...) ch_bind_scalar_at(CH_WHERE, __VA_ARGS__)
// size elements of x along axis, from the value on; hi + size must not go beyond x. May be assigned to.
CH_API ch_tensor *ch_bind_slice_at(const char *where, ch_tensor *x, int axis, ch_bind b, int64_t size);
#define ch_bind_slice(...) ch_bind_slice_at(CH_WHERE, __VA_ARGS__)
// The first elements of x along axis, as many as the value says; the size is part of the type: a symbol in a program.
CH_API ch_tensor *ch_bind_first_at(const char *where, ch_tensor *x, int axis, ch_bind b);
#define ch_bind_first(...) ch_bind_first_at(CH_WHERE, __VA_ARGS__)

// ---- jits
typedef struct ch_jit ch_jit;
// Sets out[0..n_out) to tensors built from in, vars and whatever it can reach. While it is recorded (call 2) nothing
// can be read or run on the host: reading fails (jit_read_in_capture), and ch_realize marks a tensor that is to have
// its values at each call if something outside keeps it. Tensors that it keeps beyond the call must be realized in it.
typedef ch_status (*ch_jit_fn)(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                               ch_tensor **out);
// n_out results a call, at least 0 (state alone may change). Nothing runs and no compiler is looked for yet. NULL
// with the error set: a NULL name or function, a negative count, no memory. user and random sources (ch_rng) that fn
// uses must live as long as the jit.
CH_API ch_jit *ch_jit_create(const char *name, ch_jit_fn fn, void *user, int n_out);
// Inputs are realized first. Each has memory of its own: two that share elements are refused (jit_duplicate_input), and
// so is one that fn also reads from outside. Every later call has the layout of the first: count, dtype, shape, strides
// and offset (jit_input_count, jit_input_mismatch), and the same variables (jit_var_list).
//
// out[i] is NULL, or the result of the call before, which is consumed: its memory is used again when nobody else has a
// reference on it. The results belong to the caller (ch_release). Calls of one jit from several threads wait for each
// other; a jit inside the function of a jit is refused (jit_nested, jit_busy).
CH_API CH_MUST_USE ch_status ch_jit_call(ch_jit *j, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars,
                                         ch_tensor **out);
CH_API int ch_jit_captured(const ch_jit *j); // 1: the next call replays
// As after ch_jit_create; results that were given out keep their values. Errors: jit_reset_in_body.
CH_API ch_status ch_jit_reset(ch_jit *j);
// NULL is fine. From inside its own function it does nothing but set the error (jit_reset_in_body).
CH_API void ch_jit_destroy(ch_jit *j);

// ---- choices, before the second call
// "native" (the default where a C compiler is found), "interp". Errors: engine; jit_captured once there is a program.
CH_API CH_MUST_USE ch_status ch_jit_set_engine(ch_jit *j, const char *engine);
// One program for inputs of many sizes: a signature as ch_capture has it, "x: f32[n,784], y: i32[n]", of all inputs.
// Inputs may be views of any layout then; results whose sizes follow are new at each call whose sizes are others.
// Before the first call; NULL takes it back. Each symbol is an axis by itself somewhere, and no variable's name. A
// program that has one is not saved. Errors: parse, signature, jit_captured; calls: jit_input_mismatch.
CH_API CH_MUST_USE ch_status ch_jit_set_signature(ch_jit *j, const char *signature);
// on: every call gives the result tensors of call 2 again, overwritten, also where somebody holds them; a tensor that
// shares memory with a result of an earlier call (a view of it) fails with jit_stale when it is read. Off (the
// default): held results keep their values.
CH_API CH_MUST_USE ch_status ch_jit_set_stable_outputs(ch_jit *j, int on);

// ---- at any time
typedef enum ch_jit_mode {
    CH_JIT_REPLAY, // what this page says
    CH_JIT_EAGER,  // the function runs as it stands at each call; a program that is there stays for later
    CH_JIT_CHECK   // the function runs beside each replay, on copies, and results and state are compared, bit for bit
                   // on "interp", within rounding elsewhere: jit_capture_differs names what was frozen
} ch_jit_mode;
// The mode of a new jit is that of the environment when the process began: CHAAC_JIT=0 is eager, CHAAC_JIT_CHECK=1
// checks.
CH_API ch_status ch_jit_set_mode(ch_jit *j, ch_jit_mode mode);

// ---- inside a function that is recorded
// What runs between them runs at once, on the values there are now, and is not recorded: the results of it are
// constants of the program. Nested pauses count. Outside of a recording they do nothing.
CH_API void ch_jit_pause(void);
CH_API void ch_jit_resume(void);

// ---- what there is
// The signature, what is read from outside and written with lines, memory kept between calls, then what ch_explain says
// of the program: operations, what is frozen with sizes and lines, and the kernels that the native engine makes of it.
CH_API ch_status ch_jit_explain(ch_jit *j, FILE *file);
// Gives back the memory that is kept between calls; the next call makes it again. Errors: jit_busy.
CH_API ch_status ch_jit_free_intermediates(ch_jit *j);

// The program with the tensors it reads and writes, as a file (safetensors with the text of the func in its metadata).
// Errors: jit_not_captured before there is a program; unsupported when it draws random keys; file.
CH_API CH_MUST_USE ch_status ch_jit_save(ch_jit *j, const char *path);
// A jit that replays such a program, on tensors of its own with the values they had when it was saved. It cannot be
// reset or run eagerly (jit_loaded). Errors: file, file_format, newer_version, compiler.
CH_API CH_MUST_USE ch_status ch_jit_load(const char *path, ch_jit **out_jit);

#ifdef __cplusplus
}
#endif
#endif
