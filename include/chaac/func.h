// SPDX-License-Identifier: Apache-2.0
// func.h - funcs: programs in the IR. Parse, print, inspect, transform.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_func *f = NULL, *g = NULL;
//     const char *text = "chaac-ir 1\nfunc @f(%x: f32[]) -> f32[] {\n  %y = mul %x, %x : f32[]\n  return %y\n}\n";
//     if (ch_func_parse(text, "f.ir", &f) != CH_OK || ch_value_and_grad(f, "x", &g) != CH_OK) return 1;
//     ch_func_print(g, stdout);
//     ch_func_destroy(f);
//     ch_func_destroy(g);
//     return 0;
// }
// ```
#ifndef CHAAC_FUNC_H
#define CHAAC_FUNC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "chaac/dtype.h"
#include "chaac/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ch_func ch_func;
typedef struct ch_module ch_module;

// ---- from and to text (docs/ir.md)
// The last func of the text with everything it calls. name is used in messages. The caller owns *out_func.
CH_API CH_MUST_USE ch_status ch_func_parse(const char *text, const char *name, ch_func **out_func);
// The same from a file; func_name NULL means the last func.
CH_API CH_MUST_USE ch_status ch_func_load(const char *path, const char *func_name, ch_func **out_func);
// Writes IR text that parses back to the same func.
CH_API ch_status ch_func_print(const ch_func *f, FILE *file);
// The text as a string the caller frees with ch_string_free.
CH_API CH_MUST_USE ch_status ch_func_to_text(const ch_func *f, char **out_text);
CH_API void ch_string_free(char *s);
// The func and what it calls as one C99 file (docs/readable.md): libc and libm only, the names of the func, one pointer
// for each result; a param tied to a result is updated in place. Compiled without contracted multiply-adds it computes
// the bits of the interpreter. A function that can fail gives int: 0; 1 when there is no memory; 2 when a size, a step,
// an axis to take an element from is not as required. What the results then hold means nothing.
CH_API ch_status ch_func_print_c(const ch_func *f, FILE *file);
CH_API CH_MUST_USE ch_status ch_func_to_c(const ch_func *f, char **out_text);

typedef struct ch_build_options {
    size_t struct_size; // sizeof(ch_build_options)
    const char *name;   // of the functions and files; NULL: the func's
    int n_sizes;        // every symbolic size of the func has to be given:
    const char *const *size_names;
    const int64_t *sizes;
    int n_ties; // params updated in place, beside those that the func ties: param k takes result k's place
    const char *const *tie_params;
    const char *const *tie_results;
    int64_t heap_bytes; // for what takes memory of a size that nobody knows before it runs; 0: none does
} ch_build_options;
// f as a C file and a header to be built into programs without an operating system (docs/embedding.md): the numbers of
// ch_func_print_c, C99 and libm, every array at a planned place of one static arena, no allocation, no input or output,
// no threads; a table by which programs that do not know f call it. options may be NULL; the caller frees both texts
// with ch_string_free. unsupported: f gives a tape or an array of computed size, or needs a heap and none is given.
CH_API CH_MUST_USE ch_status ch_func_build(const ch_func *f, const ch_build_options *options, char **out_source,
                                           char **out_header);
// NULL is fine.
CH_API void ch_func_destroy(ch_func *f);
CH_API CH_MUST_USE ch_status ch_func_clone(const ch_func *f, ch_func **out_func);

// ---- what it is
CH_API const char *ch_func_name(const ch_func *f);
CH_API int ch_func_num_params(const ch_func *f);
CH_API int ch_func_num_results(const ch_func *f);
CH_API const char *ch_func_param_name(const ch_func *f, int i);
// "f32[n,784]"; valid as long as f. NULL when i is out of range.
CH_API const char *ch_func_param_type(const ch_func *f, int i);
CH_API const char *ch_func_result_name(const ch_func *f, int i); // "" when it has none
CH_API const char *ch_func_result_type(const ch_func *f, int i);
// Symbolic sizes of the func ("n"), for i = 0, 1, ...; NULL after the last.
CH_API const char *ch_func_size_name(const ch_func *f, int i);
// Dims of parameter i when size names[k] is values[k]: out_dims has room for 16; *out_rank is how many.
CH_API CH_MUST_USE ch_status ch_func_param_dims(const ch_func *f, int i, int n_sizes, const char *const *names,
                                                const int64_t *values, int *out_rank, int64_t *out_dims);
CH_API ch_dtype ch_func_param_dtype(const ch_func *f, int i); // 0 when i is out of range
// Operations in all, those of nested regions and called funcs included once.
CH_API int64_t ch_func_num_ops(const ch_func *f);
// How many operations of one name ("dot"), nested regions and called funcs included.
CH_API int64_t ch_func_count(const ch_func *f, const char *op);
// For how many replicas the collectives of f and of the funcs it calls are (docs/distributed.md); 0: none says so;
// -1: no memory to find out.
CH_API int64_t ch_func_num_replicas(const ch_func *f);
// How a param or result lies on a mesh of devices, "mesh[x=2] [{x}, {}]"; NULL: f does not say. Valid as long as f.
CH_API const char *ch_func_param_sharding(const ch_func *f, int i);
CH_API const char *ch_func_result_sharding(const ch_func *f, int i);
// Bytes of memory f's module takes.
CH_API size_t ch_func_bytes(const ch_func *f);

// ---- transforms: a new func, owned by the caller; the given one never changes
// Results: the value, then one gradient for each name of wrt ("w1, b1"; NULL: every floating param) in that order. The
// first result of f must be a floating scalar; its other results follow the gradients unchanged (auxiliary results).
CH_API CH_MUST_USE ch_status ch_value_and_grad(const ch_func *f, const char *wrt, ch_func **out_func);
// The gradients only.
CH_API CH_MUST_USE ch_status ch_gradient(const ch_func *f, const char *wrt, ch_func **out_func);
// Vector-Jacobian product: params of f, then one seed param for each floating result, named <result>_bar (or bar0,
// ...); results: those of f when include_value, then the adjoints of wrt.
CH_API CH_MUST_USE ch_status ch_vjp(const ch_func *f, const char *wrt, int include_value, ch_func **out_func);
// Jacobian-vector product (forward mode): params of f, then one tangent param <param>_dot for each name of wrt;
// results: those of f when include_value, then the tangents <result>_dot of the floating ones.
CH_API CH_MUST_USE ch_status ch_jvp(const ch_func *f, const char *wrt, int include_value, ch_func **out_func);
// Jacobian: params of f; results: for every floating result and every name of wrt an array <result>_<param>_jac of the
// result's dims then the param's. Forward or reverse mode, whichever needs fewer passes (or is there).
CH_API CH_MUST_USE ch_status ch_jacobian(const ch_func *f, const char *wrt, ch_func **out_func);
// Second derivatives of the first result, a floating scalar: blocks <param>_<param>_hess for every two names of wrt,
// dims of the one then of the other. Forward over reverse.
CH_API CH_MUST_USE ch_status ch_hessian(const ch_func *f, const char *wrt, ch_func **out_func);
// Hessian times a vector, without the Hessian: params of f, then one vector <param>_dot for each name of wrt; results:
// a product <param>_hvp for each.
CH_API CH_MUST_USE ch_status ch_hvp(const ch_func *f, const char *wrt, ch_func **out_func);
// f with a policy (docs/derivatives.md, loops: "store", "recompute", "sqrt", "revolve(n)") on every loop of it and of
// what it calls that names none of its own; a derivative of the new func keeps what that says. The values are the same.
CH_API CH_MUST_USE ch_status ch_func_with_policy(const ch_func *f, const char *policy, ch_func **out_func);
// f with the param or result of this name (a result without one: its number, "0") laid out on a mesh of devices as
// docs/distributed.md says; NULL: no longer. What f computes is the same. attribute: the text is no sharding, or not
// for that rank. unknown_name: there is no such param or result.
CH_API CH_MUST_USE ch_status ch_func_with_sharding(const ch_func *f, const char *name, const char *sharding,
                                                   ch_func **out_func);
// Fold, cse, dce, simplify: changes no bit of any result.
CH_API CH_MUST_USE ch_status ch_func_simplify(const ch_func *f, ch_func **out_func);
// The func after one pass of passes.def ("inline", "fold", "cse", "dce", "simplify").
CH_API CH_MUST_USE ch_status ch_func_run_pass(const ch_func *f, const char *pass, ch_func **out_func);
// The passes by name and what they do, for i = 0, 1, ...; NULL after the last.
CH_API const char *ch_pass_name(int i);
CH_API const char *ch_pass_what(int i);
// Every f16, bf16 and f32 computed as f64: a more exact reference.
CH_API CH_MUST_USE ch_status ch_func_widen(const ch_func *f, ch_func **out_func);
// What will run: operations, flops, bytes and, for captured funcs, the constants reached from outside with size and
// line.
CH_API ch_status ch_explain(const ch_func *f, FILE *file);
// A picture of f and of what it calls: "svg", which shows in light and dark, or "dot" for Graphviz. Operations stand in
// rows by what they need; loops, branches and composites are boxes. Up to 4,000 operations (limit).
CH_API ch_status ch_func_draw(const ch_func *f, const char *format, FILE *file);
// What reverse mode over the params in wrt keeps of each loop of f: value, type, bytes as an expression of the sizes,
// who reads it (docs/derivatives.md, loops).
CH_API ch_status ch_explain_kept(const ch_func *f, const char *wrt, FILE *file);

#ifdef __cplusplus
}
#endif
#endif
