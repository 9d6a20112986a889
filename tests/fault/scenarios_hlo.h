// SPDX-License-Identifier: Apache-2.0
// scenarios_hlo.h - StableHLO text read and written under failing allocations: loops, branches, a call, reductions,
// sorting, scattering, random bits, refusals.
#ifndef CHAAC_TESTS_FAULT_SCENARIOS_HLO_H
#define CHAAC_TESTS_FAULT_SCENARIOS_HLO_H

static char hlo_path[128];

static const char hlo_text[] =
    "module @m attributes {mhlo.num_replicas = 1 : i32} {\n"
    "  func.func public @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %i: tensor<4x1xi32>, %s: "
    "tensor<2xui64>) -> (tensor<4xf32> {jax.result_info = \"y\"}, tensor<f32>, tensor<4xf32>, tensor<3xui32>) {\n"
    "    %c = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
    "    %w:2 = stablehlo.while(%a = %c, %b = %x) : tensor<i32>, tensor<4xf32>\n"
    "    cond {\n"
    "      %n = stablehlo.constant dense<3> : tensor<i32>\n"
    "      %p = stablehlo.compare LT, %a, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %p : tensor<i1>\n"
    "    } do {\n"
    "      %o = stablehlo.constant dense<1> : tensor<i32>\n"
    "      %k = stablehlo.add %a, %o : tensor<i32>\n"
    "      %t = func.call @f(%b) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "      stablehlo.return %k, %t : tensor<i32>, tensor<4xf32>\n"
    "    }\n"
    "    %r = stablehlo.reduce(%w#1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, "
    "tensor<f32>) -> tensor<f32>\n"
    "    %q = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
    "     reducer(%l: tensor<f32>, %m: tensor<f32>)  {\n"
    "      %n = stablehlo.abs %m : tensor<f32>\n"
    "      %o = stablehlo.add %l, %n : tensor<f32>\n"
    "      stablehlo.return %o : tensor<f32>\n"
    "    }\n"
    "    %u = \"stablehlo.scatter\"(%x, %i, %w#1) <{scatter_dimension_numbers = #stablehlo.scatter<"
    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "    ^bb0(%l: tensor<f32>, %m: tensor<f32>):\n"
    "      %o = stablehlo.add %l, %m : tensor<f32>\n"
    "      stablehlo.return %o : tensor<f32>\n"
    "    }) : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>\n"
    "    %v = \"stablehlo.sort\"(%u) <{dimension = 0 : i64}> ({\n"
    "    ^bb0(%l: tensor<f32>, %m: tensor<f32>):\n"
    "      %o = stablehlo.compare GT, %l, %m, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "      stablehlo.return %o : tensor<i1>\n"
    "    }) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "    %e = stablehlo.add %r, %q : tensor<f32>\n"
    "    %g:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, "
    "tensor<3xui32>)\n"
    "    return %v, %e, %u, %g#1 : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<3xui32>\n"
    "  }\n"
    "  func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %p = stablehlo.constant dense<true> : tensor<i1>\n"
    "    %y = \"stablehlo.if\"(%p) ({\n"
    "      %a = stablehlo.tanh %x : tensor<4xf32>\n"
    "      stablehlo.return %a : tensor<4xf32>\n"
    "    }, {\n"
    "      stablehlo.return %x : tensor<4xf32>\n"
    "    }) : (tensor<i1>) -> tensor<4xf32>\n"
    "    return %y : tensor<4xf32>\n"
    "  }\n"
    "}\n";

// Scatters by regions of their own; a composite that takes from outside; a tape.
static const char hlo_scatter_text[] =
    "func.func @main(%x: tensor<4xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>, %s: tensor<2xf32>) -> (tensor<4xf32>, "
    "tensor<4xf32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<"
    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%l: tensor<f32>, %m: tensor<f32>):\n"
    "    %o = stablehlo.subtract %l, %m : tensor<f32>\n"
    "    stablehlo.return %o : tensor<f32>\n"
    "  }) : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>\n"
    "  %1 = \"stablehlo.select_and_scatter\"(%0, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = "
    "array<i64: 2>}> ({\n"
    "  ^bb0(%l: tensor<f32>, %m: tensor<f32>):\n"
    "    %o = stablehlo.compare GT, %l, %m : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %o : tensor<i1>\n"
    "  }, {\n"
    "  ^bb0(%l: tensor<f32>, %m: tensor<f32>):\n"
    "    %o = stablehlo.subtract %l, %m : tensor<f32>\n"
    "    stablehlo.return %o : tensor<f32>\n"
    "  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "  return %0, %1 : tensor<4xf32>, tensor<4xf32>\n"
    "}\n";
static const char hlo_tape_text[] = "chaac-ir 1\n"
                                    "func @f(%x: f32[2], %z: f32[2]) -> f32[2] {\n"
                                    "  %q = composite \"twice it\"(%p = %x) {args = \"k\"} {\n"
                                    "    %s = mul %p, %z : f32[2]\n"
                                    "    yield %s\n"
                                    "  } : f32[2]\n"
                                    "  %a = const {value = 0} : i64[]\n"
                                    "  %b = const {value = 4} : i64[]\n"
                                    "  %c = const {value = 1} : i64[]\n"
                                    "  %t = tape_new : tape<f32[2]>\n"
                                    "  %r = for %i = %a to %b step %c iter(%s = %t) {\n"
                                    "    %u = push %s, %q : tape<f32[2]>\n"
                                    "    yield %u\n"
                                    "  } : tape<f32[2]>\n"
                                    "  %v, %y = pop %r : tape<f32[2]>, f32[2]\n"
                                    "  return %y\n"
                                    "}\n";

static ch_status hlo_more(void) {
    ch_func *f = NULL, *g = NULL;
    char *text = NULL;
    const ch_hlo_options whole = {.struct_size = sizeof whole, .composites = 1};
    ch_status s = ch_hlo_parse(hlo_scatter_text, "scatter.mlir", NULL, &f);
    if (s == CH_OK) s = ch_func_parse(hlo_tape_text, "tape.ir", &g);
    if (s == CH_OK) s = ch_hlo_to_text(g, &whole, &text);
    ch_string_free(text);
    ch_func_destroy(f);
    ch_func_destroy(g);
    return s;
}

static ch_status hlo(void) {
    static const char refused[] = "func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xi4> {\n"
                                  "  %0 = stablehlo.fft %x, type = FFT, length = [4] : tensor<4xcomplex<f32>>\n"
                                  "  return %0 : tensor<4xcomplex<f32>>\n}\n";
    ch_func *f = NULL, *g = NULL;
    ch_status s = ch_hlo_parse(hlo_text, "fault.mlir", NULL, &f);
    if (s == CH_OK) s = ch_hlo_load(hlo_path, "f", &g);
    ch_func_destroy(g);
    g = NULL;
    if (s == CH_OK && ch_hlo_notes(f)[0] == '\0') s = CH_INTERNAL; // of the module
    char *text = NULL;
    const ch_hlo_options generic = {.struct_size = sizeof generic, .generic = 1, .aliases = (const int[]){2, -1, -1}};
    if (s == CH_OK) s = ch_hlo_to_text(f, NULL, &text);
    if (s == CH_OK) s = ch_hlo_emit(f, &generic, sink);
    ch_string_free(text);
    if (s == CH_OK) {
        s = ch_hlo_parse(refused, "refused.mlir", NULL, &g);
        s = s == CH_UNIMPLEMENTED ? CH_OK : s;
    }
    ch_func_destroy(g);
    ch_func_destroy(f);
    return s;
}

#endif
