// SPDX-License-Identifier: Apache-2.0
// tensor.h - tensors: lazy array values, scopes, reading, gradients, capture.
//
// Operations (ops.h) build expressions and never fail: a wrong operand gives an error tensor that carries the sentence
// and the caller's file and line; reading, realizing, capturing reports it. One check per computation.
//
// Ownership: the result of an operation belongs to the innermost scope of its thread and is released when that scope
// ends; ch_keep gives the caller a reference of its own, ended by ch_release. Every thread has a root scope, closed by
// ch_thread_end or at its exit. A tensor belongs to its thread until it is realized and kept.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     float data[] = {1, 2, 3, 4}, out[4];
//     ch_tensor *a = ch_from_f32(data, 2, (int64_t[]){2, 2});
//     ch_tensor *g = ch_grad(ch_sum_all(ch_dot(a, a)), a);
//     if (ch_read_f32(g, out, 4) != CH_OK) return 1;
//     printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);   // 7 11 9 13
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_TENSOR_H
#define CHAAC_TENSOR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "chaac/dtype.h"
#include "chaac/func.h"
#include "chaac/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ch_tensor ch_tensor;

// The caller's place, one "file:line" literal. The macros that take it stand for the _at functions, which language
// bindings call directly.
#define CH_WHERE_TEXT_(x) #x
#define CH_WHERE_LINE_(x) CH_WHERE_TEXT_(x)
#define CH_WHERE __FILE__ ":" CH_WHERE_LINE_(__LINE__)

// ---- from host data: copied; dims has rank entries, row-major; rank 0 is one number (dims may be NULL)
CH_API ch_tensor *ch_from_data_at(const char *where, ch_dtype dtype, const void *data, int rank, const int64_t *dims);
CH_API ch_tensor *ch_from_f32_at(const char *where, const float *data, int rank, const int64_t *dims);
CH_API ch_tensor *ch_from_f64_at(const char *where, const double *data, int rank, const int64_t *dims);
CH_API ch_tensor *ch_from_i32_at(const char *where, const int32_t *data, int rank, const int64_t *dims);
CH_API ch_tensor *ch_from_i64_at(const char *where, const int64_t *data, int rank, const int64_t *dims);
// The memory is used in place, not copied, and not written; its address is a multiple of an element's size (else:
// argument). release (may be NULL) is called with user and data when the last use ends, also when the tensor cannot be
// made.
CH_API ch_tensor *ch_borrow_at(const char *where, ch_dtype dtype, void *data, int rank, const int64_t *dims,
                               void (*release)(void *user, void *data), void *user);
#define ch_from_data(...) ch_from_data_at(CH_WHERE, __VA_ARGS__)
#define ch_from_f32(...) ch_from_f32_at(CH_WHERE, __VA_ARGS__)
#define ch_from_f64(...) ch_from_f64_at(CH_WHERE, __VA_ARGS__)
#define ch_from_i32(...) ch_from_i32_at(CH_WHERE, __VA_ARGS__)
#define ch_from_i64(...) ch_from_i64_at(CH_WHERE, __VA_ARGS__)
#define ch_borrow(...) ch_borrow_at(CH_WHERE, __VA_ARGS__)

// ---- life
// A reference of the caller's own; gives t back. Release it with ch_release.
CH_API ch_tensor *ch_keep(ch_tensor *t);
// NULL is fine.
CH_API void ch_release(ch_tensor *t);
// Scopes nest; a token must be ended on the thread that began it, innermost first.
typedef struct ch_scope {
    uint64_t token;
} ch_scope;
// Without memory the token is 0: nothing was opened, and ch_scope_end says so.
CH_API ch_scope ch_scope_begin(void);
CH_API ch_status ch_scope_end(ch_scope s);
// Releases everything the thread's scopes hold. Nothing while a function is captured on it.
CH_API void ch_thread_end(void);
// Tensors alive on all threads (for tests and leak hunting).
CH_API int64_t ch_tensors_alive(void);

// ---- running and reading
CH_API CH_MUST_USE ch_status ch_realize(ch_tensor *t);
// All in one program: common parts run once.
CH_API CH_MUST_USE ch_status ch_realize_all(int n, ch_tensor *const *t);
// Realizes and copies n elements; the dtype and n must be the tensor's own.
CH_API CH_MUST_USE ch_status ch_read_f32(ch_tensor *t, float *out, int64_t n);
CH_API CH_MUST_USE ch_status ch_read_f64(ch_tensor *t, double *out, int64_t n);
CH_API CH_MUST_USE ch_status ch_read_i32(ch_tensor *t, int32_t *out, int64_t n);
CH_API CH_MUST_USE ch_status ch_read_i64(ch_tensor *t, int64_t *out, int64_t n);
// Any dtype, n in bytes.
CH_API CH_MUST_USE ch_status ch_read_bytes(ch_tensor *t, void *out, size_t n);
// The one element of a tensor of size 1, converted to double (64-bit integers may be rounded).
CH_API CH_MUST_USE ch_status ch_item(ch_tensor *t, double *out);
// Realizes; the memory itself, valid while t is. NULL with an error set when it cannot be had.
CH_API const void *ch_data(ch_tensor *t);
// An error tensor that carries the thread's error, for functions that give tensors and fail for reasons of their own.
CH_API ch_tensor *ch_error_tensor_at(const char *where);
#define ch_error_tensor() ch_error_tensor_at(CH_WHERE)
// CH_OK, or the error an error tensor carries.
CH_API ch_status ch_check(const ch_tensor *t);
// For people: type, then the numbers, summarized past 1,000 elements. Realizes.
CH_API ch_status ch_print(ch_tensor *t, FILE *file);

// ---- what it is
CH_API ch_dtype ch_tensor_dtype(const ch_tensor *t); // 0 for an error tensor
CH_API int ch_tensor_rank(const ch_tensor *t);       // -1 for an error tensor
// Size of axis i; -1 when it is symbolic (inside a capture), i is out of range or t is an error tensor.
CH_API int64_t ch_tensor_dim(const ch_tensor *t, int i);
CH_API int64_t ch_tensor_numel(const ch_tensor *t); // -1 likewise
// "f32[n,784]" into buf (always terminated); gives the length it would have.
CH_API size_t ch_tensor_type(const ch_tensor *t, char *buf, size_t cap);
CH_API int ch_is_realized(const ch_tensor *t);

// ---- state
// The value without the expression that made it: no gradient passes. Realizes.
CH_API ch_tensor *ch_detach_at(const char *where, ch_tensor *t);
#define ch_detach(...) ch_detach_at(CH_WHERE, __VA_ARGS__)

// dst has value from now on; value is of dst's dtype and its shape, or broadcasts to it. What was built from dst before
// goes on reading the old value, realized or not; dst itself and what is built from now on read the new one. Like any
// expression it is computed when it is asked for.
//
// A dst that is a view (ch_slice, ch_transpose, ch_reverse, ch_reshape and their like, one upon another)
// or a ch_dynamic_slice changes that part of the tensor it is a view of. Other views of the tensor keep what they had,
// as copies would. Such a write is done in place, without copying the rest, when nothing is left that could ask for the
// old value: end the scope of each step, so that its expressions are gone by the next. Gradients go through
// assignments, done in place or not. Inside a capture sizes may be symbols. A tensor of another thread, in use there,
// must not be assigned.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_tensor *cache = ch_zeros(CH_F32, 2, (int64_t[]){3, 2});
//     ch_tensor *before = ch_sum_all(cache); // reads the zeros, whenever it runs
//     if (ch_assign(ch_slice_axis(cache, 0, 1, 2), ch_scalar(CH_F32, 7)) != CH_OK) return 1;
//     ch_print(ch_slice_axis(cache, 0, 1, 2), stdout); // [[7, 7]]
//     ch_print(before, stdout);   // f32[] 0
//     ch_thread_end();
//     return 0;
// }
// ```
// Errors: shape_mismatch, dtype_mismatch, assign (an input of a capture or what lies outside of one; a broadcast that
// repeats elements). Nothing changes then.
CH_API CH_MUST_USE ch_status ch_assign_at(const char *where, ch_tensor *dst, ch_tensor *value);
#define ch_assign(...) ch_assign_at(CH_WHERE, __VA_ARGS__)
// Runs of this thread (reading, realizing, executables without a cancel flag of their own, steps and predictions of
// trainers) stop between two operations with CH_CANCELLED once *token is not 0, as do C compilers that it waits for;
// NULL: they do not. A trainer's step that is cancelled has changed nothing. The token must live until it is taken
// back; a signal handler may set it.
CH_API void ch_set_cancel(const volatile int *token);

// ---- gradients
// Gradient of the floating scalar y with respect to x, lazy, of x's type. x may be an input or any intermediate value
// of y's expression. A gradient in that expression is a function of its own x and of the values that do not depend on
// it; constants (ch_scalar and its like) are numbers in it, and a later gradient with respect to one is refused unless
// it was realized before. Errors: gradient_scalar, gradient_integer, gradient_detached, not_differentiable.
CH_API ch_tensor *ch_grad_at(const char *where, ch_tensor *y, ch_tensor *x);
#define ch_grad(...) ch_grad_at(CH_WHERE, __VA_ARGS__)
// The same for n values at once, sharing one reverse sweep; out_grads[i] belongs to the scope.
CH_API void ch_grads_at(const char *where, ch_tensor *y, int n, ch_tensor *const *x, ch_tensor **out_grads);
#define ch_grads(...) ch_grads_at(CH_WHERE, __VA_ARGS__)

// Directional derivative (forward mode): how y, a floating value of any shape, moves when x[i] moves along v[i], of
// x[i]'s type; lazy, of y's type. ch_tangent(ch_grad(y, x), 1, &x, &v) is the Hessian of y times v. Errors: as ch_grad.
CH_API ch_tensor *ch_tangent_at(const char *where, ch_tensor *y, int n, ch_tensor *const *x, ch_tensor *const *v);
#define ch_tangent(...) ch_tangent_at(CH_WHERE, __VA_ARGS__)

// ---- funcs and tensors
// Applies a func to tensors, lazily: results are expressions like any other (and differentiable).
CH_API void ch_func_apply_at(const char *where, const ch_func *f, int n_in, ch_tensor *const *in, int n_out,
                             ch_tensor **out);
#define ch_func_apply(...) ch_func_apply_at(CH_WHERE, __VA_ARGS__)
// A function over tensors: builds out[0..n_out) from in[0..n_in).
typedef ch_status (*ch_tensor_fn)(void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);
// ---- control flow: the functions are called once each, on placeholders, to build the branches or the body. They may
// use any tensor from outside (captured values), and user is given to both.
// out[0..n_out): on_true's results of in where pred (bool, rank 0) holds, else on_false's; nothing of the other runs.
// Both give results of equal types.
CH_API void ch_if_at(const char *where, ch_tensor *pred, ch_tensor_fn on_true, ch_tensor_fn on_false, void *user,
                     int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);
#define ch_if(...) ch_if_at(CH_WHERE, __VA_ARGS__)
// for (i = lo; i < hi; i += step): body(i, state...) gives the next state; lo, hi and step are i64, rank 0; a negative
// step counts down to above hi. in[0] of body is i, in[1..n] the state. out: the state after the last turn.
CH_API void ch_for_at(const char *where, ch_tensor *lo, ch_tensor *hi, ch_tensor *step, ch_tensor_fn body, void *user,
                      int n, ch_tensor *const *init, ch_tensor **out);
#define ch_for(...) ch_for_at(CH_WHERE, __VA_ARGS__)
// while (cond(state)): state = body(state). cond gives one bool of rank 0 and runs first.
CH_API void ch_while_at(const char *where, ch_tensor_fn cond, ch_tensor_fn body, void *user, int n,
                        ch_tensor *const *init, ch_tensor **out);
#define ch_while(...) ch_while_at(CH_WHERE, __VA_ARGS__)
// The same with a say in what a gradient keeps of the loop: "store" (or NULL), "recompute", "sqrt", "revolve(n)"
// (docs/derivatives.md, loops).
CH_API void ch_for_policy_at(const char *where, const char *policy, ch_tensor *lo, ch_tensor *hi, ch_tensor *step,
                             ch_tensor_fn body, void *user, int n, ch_tensor *const *init, ch_tensor **out);
#define ch_for_policy(...) ch_for_policy_at(CH_WHERE, __VA_ARGS__)
CH_API void ch_while_policy_at(const char *where, const char *policy, ch_tensor_fn cond, ch_tensor_fn body, void *user,
                               int n, ch_tensor *const *init, ch_tensor **out);
#define ch_while_policy(...) ch_while_policy_at(CH_WHERE, __VA_ARGS__)

// ---- custom derivatives: out[0..n_out) are body's results of in, whose derivative is what vjp and jvp say, whatever
// the body does. The functions are called once each, on placeholders, and may use tensors from outside (captured
// values; no gradient passes to those through the rule). user is given to all.
//   vjp  in: the inputs, the results, an adjoint per floating result; out: an adjoint per floating input
//   jvp  in: the inputs, a tangent per floating input;                out: a tangent per floating result
// One may be NULL: gradients and vjp need vjp, forward mode needs jvp, and a missing one is refused by name. Both NULL:
// ch_composite.
CH_API void ch_custom_at(const char *where, const char *name, ch_tensor_fn body, ch_tensor_fn vjp, ch_tensor_fn jvp,
                         void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);
#define ch_custom(...) ch_custom_at(CH_WHERE, __VA_ARGS__)
CH_API void ch_custom_vjp_at(const char *where, const char *name, ch_tensor_fn body, ch_tensor_fn vjp, void *user,
                             int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);
#define ch_custom_vjp(...) ch_custom_vjp_at(CH_WHERE, __VA_ARGS__)
CH_API void ch_custom_jvp_at(const char *where, const char *name, ch_tensor_fn body, ch_tensor_fn jvp, void *user,
                             int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);
#define ch_custom_jvp(...) ch_custom_jvp_at(CH_WHERE, __VA_ARGS__)
// body's results, of which a gradient keeps nothing but the inputs: the reverse sweep computes the body again.
CH_API void ch_remat_at(const char *where, const char *name, ch_tensor_fn body, void *user, int n_in,
                        ch_tensor *const *in, int n_out, ch_tensor **out);
#define ch_remat(...) ch_remat_at(CH_WHERE, __VA_ARGS__)

// body's results as one operation of that name, `composite` in the IR, so that text and engines see it as a whole; it
// is differentiated through its body. args (may be NULL) is text that stands beside the name, such as "heads = 4". The
// body may use tensors from outside. The library's own layers are made with it (layers.h).
CH_API void ch_composite_at(const char *where, const char *name, const char *args, ch_tensor_fn body, void *user,
                            int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);
#define ch_composite(...) ch_composite_at(CH_WHERE, __VA_ARGS__)

// The same for a piece of program that devices may have code of their own for: body is the reference, which every
// engine of the host runs; a session takes what the lowering says that is registered under the name
// (ch_lowering_register in pjrt.h). A gradient keeps it whole, as ch_remat does, or takes vjp; forward mode takes jvp,
// else goes through the body. Either may be NULL.
CH_API void ch_kernel_at(const char *where, const char *name, const char *args, ch_tensor_fn body, ch_tensor_fn vjp,
                         ch_tensor_fn jvp, void *user, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out);
#define ch_kernel(...) ch_kernel_at(CH_WHERE, __VA_ARGS__)

// ---- differential equations
// The state after `steps` steps (i64[], at least 0) of length h of dy/dt = f(t, y...) from y0 at t0, by the classical
// Runge-Kutta method of fourth order. in[0] of f is t, in[1..n] are y; it gives their n derivatives, may use tensors
// from outside, and is called four times to build one step. t0, h and all y have one floating dtype.
CH_API void ch_rk4_at(const char *where, ch_tensor_fn f, void *user, ch_tensor *t0, ch_tensor *h, ch_tensor *steps,
                      int n, ch_tensor *const *y0, ch_tensor **out);
#define ch_rk4(...) ch_rk4_at(CH_WHERE, __VA_ARGS__)

// ---- capture
// Runs fn once on placeholders and gives the func it built. signature: "x: f32[n,784], y: i32[n]": names, types,
// symbolic sizes (bounds: "<n in 1..64> x: ..."); one capture serves every size. A realized tensor that fn reaches
// without its being an input becomes a constant of the func: ch_explain lists each with size and line.
CH_API CH_MUST_USE ch_status ch_capture(ch_tensor_fn fn, void *user, const char *signature, int n_out,
                                        ch_func **out_func);
typedef struct ch_capture_options {
    size_t struct_size;              // sizeof(ch_capture_options)
    const char *name;                // of the func; NULL: "captured"
    int strict;                      // 1: constants from outside are refused (capture_constant)
    const char *const *result_names; // n_out of them, or NULL
} ch_capture_options;
CH_API CH_MUST_USE ch_status ch_capture_with(const ch_capture_options *options, ch_tensor_fn fn, void *user,
                                             const char *signature, int n_out, ch_func **out_func);
// The same without a callback, for bindings. One trace at a time a thread (they nest); end or abandon ends it.
typedef struct ch_trace ch_trace;
CH_API CH_MUST_USE ch_status ch_trace_begin(const char *signature, ch_trace **out_trace);
CH_API ch_tensor *ch_trace_input(ch_trace *t, int i);
CH_API CH_MUST_USE ch_status ch_trace_end(ch_trace *t, int n_out, ch_tensor *const *out, ch_func **out_func);
CH_API void ch_trace_abandon(ch_trace *t);

// ---- random keys one after another. Functions that draw (ch_rng_uniform, ch_rng_normal, ch_rng_bits) are functions of
// a key; a source gives a new key each time and remembers how many it gave. One thread at a time.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_rng *r = NULL;
//     uint64_t state[2];
//     double a, b;
//     if (ch_rng_create(7, &r) != CH_OK) return 1;
//     ch_rng_save(r, state);
//     if (ch_item(ch_rng_uniform(ch_rng_key(r), CH_F64, 0, NULL), &a) != CH_OK) return 1;
//     ch_rng_restore(r, state);
//     if (ch_item(ch_rng_uniform(ch_rng_key(r), CH_F64, 0, NULL), &b) != CH_OK) return 1;
//     printf("%d\n", a == b);   // 1
//     ch_rng_destroy(r);
//     ch_thread_end();
//     return 0;
// }
// ```
typedef struct ch_rng ch_rng;
CH_API CH_MUST_USE ch_status ch_rng_create(uint64_t seed, ch_rng **out_rng);
CH_API void ch_rng_destroy(ch_rng *r); // NULL is fine
CH_API void ch_rng_seed(ch_rng *r, uint64_t seed);
// The next key, u32[2]: number i of a seed is ch_key_tensor(ch_key_fold(ch_key_make(seed), i)) of nn.h. Refused inside
// a capture (capture_state), where it would be frozen.
CH_API ch_tensor *ch_rng_key_at(const char *where, ch_rng *r);
#define ch_rng_key(...) ch_rng_key_at(CH_WHERE, __VA_ARGS__)
// A source of its own, for another thread or another purpose; takes one key of r.
CH_API CH_MUST_USE ch_status ch_rng_split(ch_rng *r, ch_rng **out_rng);
// The state as two numbers, and back.
CH_API void ch_rng_save(const ch_rng *r, uint64_t out_state[2]);
CH_API void ch_rng_restore(ch_rng *r, const uint64_t state[2]);

// ---- reflection, for bindings: the primitives that ch_op takes by name, for i = 0, 1, ...; NULL (-1) after the last
CH_API const char *ch_op_name(int i);     // "dot"
CH_API const char *ch_op_what(int i);     // what it does
CH_API const char *ch_op_operands(int i); // names of the operands: "lhs rhs"; a star: none or more, a plus: one or more
CH_API int ch_op_min_operands(int i);
CH_API int ch_op_max_operands(int i); // -1: any number
// Attribute k of operation i, for k = 0, 1, ...; NULL after the last. *out_optional (may be NULL): 1 if it may be left
// out.
CH_API const char *ch_op_attribute(int i, int k, int *out_optional);
// ch_op for operations of several results: n_out of them.
CH_API void ch_op_n_at(const char *where, const char *name, int n, ch_tensor *const *operands, const char *attributes,
                       int n_out, ch_tensor **out);
#define ch_op_n(...) ch_op_n_at(CH_WHERE, __VA_ARGS__)
// The functions of ops.h that are not one elementwise primitive each: "ch_softmax", its C parameters after `where`,
// what it does; NULL after the last.
CH_API const char *ch_function_name(int i);
CH_API const char *ch_function_parameters(int i);
CH_API const char *ch_function_what(int i);

#ifdef __cplusplus
}
#endif
#endif
