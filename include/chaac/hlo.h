// SPDX-License-Identifier: Apache-2.0
// hlo.h - StableHLO text in and out (docs/stablehlo.md).
//
// Programs that JAX prints (`jax.jit(f).lower(x).as_text()`, jax.export) become funcs like any other: run,
// differentiated, printed as C.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_func *f = NULL, *g = NULL;
//     const char *text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
//                        "  %0 = stablehlo.multiply %x, %x : tensor<f32>\n"
//                        "  return %0 : tensor<f32>\n}\n";
//     if (ch_hlo_parse(text, "f.mlir", NULL, &f) != CH_OK || ch_value_and_grad(f, "x", &g) != CH_OK) return 1;
//     ch_func_print(g, stdout);
//     ch_func_destroy(f);
//     ch_func_destroy(g);
//     return 0;
// }
// ```
#ifndef CHAAC_HLO_H
#define CHAAC_HLO_H

#include "chaac/func.h"

#ifdef __cplusplus
extern "C" {
#endif

// StableHLO text, the pretty or the generic form, as a func with everything it calls. func_name NULL: @main. name is
// used in messages. What is not taken (docs/stablehlo.md) is said in one error, all of it, with line, column and caret:
// `unsupported`. The caller owns *out_func.
CH_API CH_MUST_USE ch_status ch_hlo_parse(const char *text, const char *name, const char *func_name,
                                          ch_func **out_func);
// The same from a file.
CH_API CH_MUST_USE ch_status ch_hlo_load(const char *path, const char *func_name, ch_func **out_func);

// What the text says that f, as it was read, does not hold: a line for each attribute that was passed over (layouts,
// shardings, hints, names that nobody knows), "f.mlir:3:10: stablehlo.gather: indices_are_sorted is passed over (2
// times)". "" when there is nothing, and for funcs that are not from StableHLO text. It is f's.
CH_API const char *ch_hlo_notes(const ch_func *f);

// How a func is written. {sizeof(ch_hlo_options)} is enough: a module in the pretty form.
typedef struct ch_hlo_options {
    size_t struct_size; // sizeof(ch_hlo_options)
    int generic;        // the generic form ("stablehlo.add"(%0, %1) : ...), which any tool of MLIR reads
    int bare;           // the funcs without a module around them
    int n_sizes;        // symbolic sizes and their values: each size of the func has one
    const char *const *size_names;
    const int64_t *size_values;
    const int
        *aliases; // for each param the result that may take its memory (tf.aliasing_output), or -1. NULL: those of
                  // inout params
    const char *target; // "cpu" "cuda" "tpu" "metal", or NULL: products of f32 that ask for the highest precision name
                        // the f32 algorithm on cpu and cuda, precision HIGHEST elsewhere
    int composites;     // composites as stablehlo.composite, and what they consist of as private funcs
} ch_hlo_options;

// Writes f, as @main, and what it calls as StableHLO text. Composites are written as what they consist of, unless the
// options ask for them; nothing is recognized, nothing becomes a custom call. Tapes are arrays with room for the most
// they hold. What the text cannot say is refused, all of it at once (`unsupported`). options may be NULL.
CH_API ch_status ch_hlo_emit(const ch_func *f, const ch_hlo_options *options, FILE *file);
// The text as a string the caller frees with ch_string_free.
CH_API CH_MUST_USE ch_status ch_hlo_to_text(const ch_func *f, const ch_hlo_options *options, char **out_text);

#ifdef __cplusplus
}
#endif
#endif
