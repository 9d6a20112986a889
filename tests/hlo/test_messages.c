// SPDX-License-Identifier: Apache-2.0
// test_messages.c - what is wrong with StableHLO text, said with line, column and caret; limits; cut and broken text.
//
// usage: test_messages FOLDER...: every .mlir file there is also cut at many places and has bytes changed: never more
// than a sentence comes of it.
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

static const struct {
    const char *name, *text, *message; // message: the first lines
    const char *id;
} rows[] = {
    {"unknown operation",
     "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.ad %x, %x : tensor<f32>\n  return %0 : "
     "tensor<f32>\n}\n",
     "t:2:8: no operation 'stablehlo.ad' — did you mean 'stablehlo.add'?\n  %0 = stablehlo.ad %x, %x : "
     "tensor<f32>\n       ^",
     "unknown_op"},
    {"another dialect",
     "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = arith.addf %x, %x : tensor<f32>\n  return %0 : "
     "tensor<f32>\n}\n",
     "t:2:8: arith.addf: this operation is not taken — those of stablehlo and chlo, and func.call", "unsupported"},
    {"wrong number of operands",
     "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.add %x : tensor<f32>\n  return %0 : "
     "tensor<f32>\n}\n",
     "t:2:8: stablehlo.add: 1 operand given — it takes 2\n  %0 = stablehlo.add %x : tensor<f32>\n       ^", "arity"},
    {"types that do not go together",
     "func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %x, %y : "
     "tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
     "t:2:26: stablehlo.add: operand 1 (%y) is tensor<3xf32> — the type written is tensor<2xf32>\n"
     "  %0 = stablehlo.add %x, %y : tensor<2xf32>\n                         ^",
     "shape_mismatch"},
    {"a result of another type",
     "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n  %0 = stablehlo.transpose %x, dims = [0] : "
     "(tensor<2xf32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n",
     "t:2:8: stablehlo.transpose: result 0 is written as tensor<3xf32> — its operands give f32[2]\n", "shape_mismatch"},
    {"undefined value", "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %y : tensor<f32>\n}\n",
     "t:2:10: %y is not defined before this line\n  return %y : tensor<f32>\n         ^", "unknown_name"},
    {"value of an ended region",
     "func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {\n  %0 = \"stablehlo.if\"(%p) ({\n    %1 = "
     "stablehlo.abs %x : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }, {\n    stablehlo.return %1 : "
     "tensor<f32>\n  }) : (tensor<i1>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n",
     "t:6:22: %1 is not defined before this line — its region has ended\n", "unknown_name"},
    {"a channel between partitions",
     "module attributes {mhlo.num_partitions = 2 : i32} {\n  func.func @main(%x: tensor<f32>) -> tensor<f32> {\n    %0 "
     "= \"stablehlo.collective_permute\"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
     "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<f32>) -> tensor<f32>\n    return %0 : "
     "tensor<f32>\n  }\n}\n",
     "t:3:10: stablehlo.collective_permute: a channel between 2 partitions — replicas are in the IR, partitions are "
     "not\n",
     "unsupported"},
    {"no @main", "func.func @f(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n",
     "t:1:11: no func @main — there is @f\nfunc.func @f(%x: tensor<f32>) -> tensor<f32> {\n          ^",
     "unknown_func"},
    {"no func", "module {\n}\n", "t:1:1: no func @main — there is none\nmodule {\n^", "unknown_func"},
    {"more refusals, all at once",
     "func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>, %y: tensor<4xui2>, %z: tensor<?xf32, "
     "#stablehlo.bounds<4>>) -> tensor<4xf32> {\n  %0 = stablehlo.constant dense_resource<a> : tensor<4xf32>\n  %1 = "
     "\"stablehlo.async_start\"(%0) : (tensor<4xf32>) -> tensor<4xf32>\n  %2 = stablehlo.uniform_dequantize %x : "
     "(tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4xf32>\n  return %2 : tensor<4xf32>\n}\n",
     "t:1:17: param %x: tensor<4x!quant.uniform<i8:f32, 1.0>> is not taken: quantized numbers\n"
     "func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>, %y: tensor<4xui2>, %z: tensor<?xf32, #sta\n"
     "                ^\n"
     "t:1:60: param %y: tensor<4xui2> is not taken: 2-bit integers\n"
     "func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>, %y: tensor<4xui2>, %z: tensor<?xf32, #sta\n"
     "                                                           ^\n"
     "t:1:79: param %z: tensor<?xf32, #stablehlo.bounds<4>> is not taken: a bounded size\n"
     "c @main(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>, %y: tensor<4xui2>, %z: tensor<?xf32, #stablehlo.b\n"
     "                                                                      ^\n"
     "t:3:8: stablehlo.async_start is not taken: asynchronous operations are not in the IR\n"
     "  %1 = \"stablehlo.async_start\"(%0) : (tensor<4xf32>) -> tensor<4xf32>\n"
     "       ^\n"
     "t:4:8: stablehlo.uniform_dequantize is not taken: quantized numbers are not in the IR\n"
     "  %2 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4xf32>\n"
     "       ^",
     "unsupported"},
    {"data that lie elsewhere",
     "func.func @main() -> tensor<4xf32> {\n  %0 = stablehlo.constant dense_resource<a> : tensor<4xf32>\n  return %0 : "
     "tensor<4xf32>\n}\n",
     "t:2:27: stablehlo.constant: dense_resource", "unsupported"},
    {"a func twice", "func.func @main() {\n  return\n}\nfunc.func @main() {\n  return\n}\n",
     "t:4:11: func @main is defined twice\nfunc.func @main() {\n          ^", "duplicate_name"},
    {"a value twice", "func.func @main(%x: tensor<f32>) {\n  %x = stablehlo.abs %x : tensor<f32>\n  return\n}\n",
     "t:2:3: %x is defined twice\n  %x = stablehlo.abs %x : tensor<f32>\n  ^", "duplicate_name"},
    {"text that ends", "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.abs",
     "t:2:21: expected ':' and the types of the operation, got the end of the text", "parse"},
    {"no such func",
     "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = call @mian(%x) : (tensor<f32>) -> tensor<f32>\n  "
     "return "
     "%0 : tensor<f32>\n}\n",
     "t:2:8: func.call: no func @mian in this text — did you mean 'main'?\n", "unknown_func"},
    {"refusals, all at once",
     "func.func @main(%x: tensor<4xcomplex<f32>>, %y: tensor<4xi4>) -> tensor<?xf32> {\n  %0 = stablehlo.fft %x, type "
     "= "
     "FFT, length = [4] : tensor<4xcomplex<f32>>\n  %1 = stablehlo.create_token : !stablehlo.token\n  %2 = "
     "stablehlo.constant dense<0.0> : tensor<?xf32>\n  return %2 : tensor<?xf32>\n}\n",
     "t:1:17: param %x: tensor<4xcomplex<f32>> is not taken: complex numbers\n"
     "func.func @main(%x: tensor<4xcomplex<f32>>, %y: tensor<4xi4>) -> tensor<?xf32> {\n"
     "                ^\n"
     "t:1:45: param %y: tensor<4xi4> is not taken: 4-bit integers\n"
     "func.func @main(%x: tensor<4xcomplex<f32>>, %y: tensor<4xi4>) -> tensor<?xf32> {\n"
     "                                            ^\n"
     "t:2:8: stablehlo.fft is not taken: fft is not in the IR\n"
     "  %0 = stablehlo.fft %x, type = FFT, length = [4] : tensor<4xcomplex<f32>>\n"
     "       ^\n"
     "t:3:8: stablehlo.create_token is not taken: tokens are not in the IR\n"
     "  %1 = stablehlo.create_token : !stablehlo.token\n"
     "       ^\n"
     "t:4:8: stablehlo.constant: tensor<?xf32> is not taken: a size that is not known (?)\n"
     "  %2 = stablehlo.constant dense<0.0> : tensor<?xf32>\n"
     "       ^",
     "unsupported"},
    {"a custom call",
     "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.custom_call @mine(%x) : (tensor<f32>) -> "
     "tensor<f32>\n  return %0 : tensor<f32>\n}\n",
     "t:2:8: stablehlo.custom_call: the target @mine is not taken — those of cholesky (potrf) and triangular solves "
     "(trsm) are",
     "unsupported"},
    {"data of another size",
     "func.func @main() -> tensor<3xf32> {\n  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>\n  return %0 : "
     "tensor<3xf32>\n}\n",
     "t:2:42: a list of 2 — dimension 0 of the type is 3\n", "shape_mismatch"},
    {"data that is huge",
     "func.func @main() -> tensor<999999999999xf32> {\n  %0 = stablehlo.constant dense<[1.0]> : "
     "tensor<999999999999xf32>\n  return %0 : tensor<999999999999xf32>\n}\n",
     "t:2:27: less data than its type holds\n", "shape_mismatch"},
    {"an alias that is none",
     "func.func @main(%x: tensor<f32> {tf.aliasing_output = 1 : i32}) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n",
     "t:1:55: param %x aliases result 1, counted from 0 — there are 1\n", "arity"},
    {"dimension numbers that are a list",
     "func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>) -> tensor<2xf32> {\n  %0 = \"stablehlo.gather\"(%x, %i) "
     "{dimension_numbers = [1], slice_sizes = array<i64: 1>} : (tensor<4xf32>, tensor<2x1xi32>) -> tensor<2xf32>\n  "
     "return %0 : tensor<2xf32>\n}\n",
     "t:2:8: stablehlo.gather: its dimension numbers are missing\n", "attribute"},
    {"bytes of a size beyond memory",
     "func.func @main() -> tensor<2305843009213693952xf64> {\n  %0 = stablehlo.constant dense<\"0x\"> : "
     "tensor<2305843009213693952xf64>\n  return %0 : tensor<2305843009213693952xf64>\n}\n",
     "t:2:33: 0 bytes of data — 2305843009213693952 elements of 8 are wanted\n", "parse"},
    {"numbers that are none in a list of lists",
     "func.func @main(%x: tensor<4xf32>, %c: tensor<f32>) -> tensor<4xf32> {\n  %0 = "
     "\"stablehlo.reduce_window\"(%x, %c) <{padding = [[1.5, 0]], window_dimensions = array<i64: 1>}> ({\n  ^bb0(%a: "
     "tensor<f32>, %b: tensor<f32>):\n    stablehlo.return %a : tensor<f32>\n  }) : (tensor<4xf32>, tensor<f32>) -> "
     "tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
     "t:2:56: stablehlo.reduce_window: expected a whole number\n", "attribute"},
    {"more results than a branch yields",
     "func.func @main(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {\n  %0:2 = \"stablehlo.case\"(%i) ({\n    "
     "stablehlo.return %x : tensor<f32>\n  }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>)\n  return %0#1 : "
     "tensor<f32>\n}\n",
     "t:2:10: stablehlo.case: 2 results are written — its regions yield 1\n", "arity"},
    {"more results than a custom call has",
     "func.func @main(%x: tensor<2x2xf32>) -> tensor<i32> {\n  %0:3 = stablehlo.custom_call @lapack_spotrf_ffi(%x) : "
     "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>, tensor<i32>)\n  return %0#2 : tensor<i32>\n}\n",
     "t:2:10: stablehlo.custom_call: 3 results are written — it has 2\n", "arity"},
    {"a dimension beyond int",
     "func.func @main() -> tensor<2x3xi32> {\n  %0 = stablehlo.iota dim = 4294967297 : tensor<2x3xi32>\n  return %0 : "
     "tensor<2x3xi32>\n}\n",
     "t:2:8: stablehlo.iota: there is no dimension 4294967297\n", "rank"},
    {"fewer windows than there are",
     "func.func @main(%x: tensor<5xf32>, %c: tensor<f32>) -> tensor<2xf32> {\n  %0 = "
     "\"stablehlo.reduce_window\"(%x, %c) <{window_dimensions = array<i64: 2>}> ({\n  ^bb0(%a: tensor<f32>, %b: "
     "tensor<f32>):\n    %1 = stablehlo.subtract %a, %b : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }) : "
     "(tensor<5xf32>, tensor<f32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
     "t:2:8: stablehlo.reduce_window: result 0 is written as tensor<2xf32> — its operands give f32[4]\n",
     "shape_mismatch"},
    {"random bits beyond 64 bits",
     "func.func @main(%s: tensor<2xui64>) -> tensor<2xui64> {\n  %0:2 = \"stablehlo.rng_bit_generator\"(%s) "
     "{rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, "
     "tensor<9223372036854775807xui64>)\n  return %0#0 : tensor<2xui64>\n}\n",
     "t:2:10: stablehlo.rng_bit_generator: 9223372036854775807 elements are too many\n", "dim_overflow"},
    {"a condition whose constant is none",
     "func.func @main(%z: tensor<i32>) -> tensor<i32> {\n  %0 = stablehlo.while(%i = %z) : tensor<i32>\n  cond {\n    "
     "%n = \"stablehlo.constant\"() {value = 5 : i32} : () -> tensor<i32>\n    %1 = stablehlo.compare LT, %i, %n : "
     "(tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %1 : tensor<i1>\n  } do {\n    %o = "
     "stablehlo.constant dense<1> : tensor<i32>\n    %2 = stablehlo.add %i, %o : tensor<i32>\n    stablehlo.return %2 "
     ": tensor<i32>\n  }\n  return %0 : tensor<i32>\n}\n",
     "t:4:10: stablehlo.constant: its value is no dense<...>\n", "attribute"},
    {"a loop up to what is refused",
     "func.func @main(%x: tensor<f32>, %z: tensor<i32>) -> tensor<i32> {\n  %n = stablehlo.custom_call @mine(%x) : "
     "(tensor<f32>) -> tensor<i32>\n  %0 = stablehlo.while(%i = %z) : tensor<i32>\n  cond {\n    %1 = "
     "stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %1 : "
     "tensor<i1>\n  } do {\n    %o = stablehlo.constant dense<1> : tensor<i32>\n    %2 = stablehlo.add %i, %o : "
     "tensor<i32>\n    stablehlo.return %2 : tensor<i32>\n  }\n  return %0 : tensor<i32>\n}\n",
     "t:2:8: stablehlo.custom_call: the target @mine is not taken", "unsupported"},
    {"attributes of params that are no dictionary",
     "\"func.func\"() ({\n^bb0(%x: tensor<f32>):\n  \"func.return\"(%x) : (tensor<f32>) -> ()\n}) {arg_attrs = [[1]], "
     "res_attrs = [[2]], sym_name = \"main\"} : () -> ()\nfunc.func @g() {\n  call @h() : () -> ()\n  return\n}\n",
     "t:6:3: func.call: no func @h in this text", "unknown_func"},
    {"a number of 65 bits",
     "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.abs %x {least = -9223372036854775808 : i64, "
     "less = -9223372036854775809 : i64} : tensor<f32>\n  return %0 : tensor<f32>\n}\n",
     "t:2:69: the number does not fit in 64 bits\n", "parse"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int number, failures;

static void report(bool good, const char *name) {
    if (!good) printf("# [%s] %s\n", ch_error_id(), ch_error_message());
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, name);
    failures += !good;
}

// "t:L:C: ..." and behind it the beginning of line L of the text with a caret under column C.
static bool has_caret(const char *text, const char *message) {
    int line, column;
    char want[400];
    if (sscanf(message, "t:%d:%d: ", &line, &column) != 2) return false;
    for (; line > 1; line--) {
        text = strchr(text, '\n');
        if (!text++) return false;
    }
    int n = (int)strcspn(text, "\n"); // of long lines a part is shown
    snprintf(want, sizeof want, "\n%.*s", n < 80 ? n : 80, text);
    const char *shown = strstr(message, want), *caret = shown ? strchr(shown + 1, '\n') : NULL;
    return caret && (int)strspn(caret + 1, " ") == column - 1 && caret[column] == '^';
}

static void messages(void) {
    for (int i = 0; i < ROWS; i++) {
        ch_func *f = NULL;
        bool good = ch_hlo_parse(rows[i].text, "t", NULL, &f) != CH_OK;
        good = good && has_caret(rows[i].text, ch_error_message());
        good = good && strncmp(ch_error_message(), rows[i].message, strlen(rows[i].message)) == 0;
        report(good && strcmp(ch_error_id(), rows[i].id) == 0, rows[i].name);
        ch_func_destroy(f);
    }
}

// A list of a million numbers is a sentence like any other.
static void huge(void) {
    enum { TIMES = 1000000 };
    static const char head[] = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.transpose %x, "
                               "dims = [0",
                      tail[] = "] : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
    char *text = malloc(sizeof head + sizeof tail + 3 * (size_t)TIMES), *at = text + sizeof head - 1;
    ch_func *f = NULL;
    if (!text) abort();
    memcpy(text, head, sizeof head);
    for (int i = 0; i < TIMES; i++, at += 3) memcpy(at, ", 0", 3);
    memcpy(at, tail, sizeof tail);
    bool good = ch_hlo_parse(text, "t", NULL, &f) != CH_OK;
    report(good && strstr(ch_error_message(), "permutation has 1000001 entries — the rank is 1"), "huge attributes");
    free(text);
}

// Many refusals: sixteen with their lines, the rest counted. Of long ones the first with their lines, others without.
static void many(void) {
    enum { TIMES = 20 };
    static char text[TIMES * 400], want[80];
    char *at = text + sprintf(text, "func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n");
    ch_func *f = NULL;
    for (int i = 0; i < TIMES; i++)
        at += sprintf(at, "  %%%d = stablehlo.custom_call @mine_number_%d(%%x) : (tensor<4xf32>) -> tensor<4xf32>\n", i,
                      i);
    strcpy(at, "  return %x : tensor<4xf32>\n}\n");
    bool good = ch_hlo_parse(text, "t", NULL, &f) == CH_UNIMPLEMENTED;
    const char *said = ch_error_message();
    for (int i = 0; i < 16; i++) {
        snprintf(want, sizeof want, "t:%d:%d: stablehlo.custom_call: the target @mine_number_%d is", i + 2,
                 i < 10 ? 8 : 9, i);
        good = good && strstr(said, want) != NULL;
    }
    good = good && strstr(said, "(%x) : (tensor<4xf32>) -> tensor<4xf32>\n       ^\nt:3:8: ") != NULL;
    good = good && strstr(said, "(%x) : (tensor<4xf32>) -> tensor<4xf32>\n        ^\nand 4 more") != NULL;
    report(good && strcmp(said + strlen(said) - strlen("\nand 4 more"), "\nand 4 more") == 0, "many refusals");
    at = text + sprintf(text, "func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n");
    for (int i = 0; i < 15; i++)
        at += sprintf(at, "  %%%d = stablehlo.custom_call @%0230d(%%x) : (tensor<4xf32>) -> tensor<4xf32>\n", i, i);
    strcpy(at, "  return %x : tensor<4xf32>\n}\n");
    good = ch_hlo_parse(text, "t", NULL, &f) == CH_UNIMPLEMENTED;
    said = ch_error_message();
    const char *last = strstr(said, "\nt:16:9: stablehlo.custom_call: the target @");
    report(good && strstr(said, "\n       ^\nt:3:8: ") && last && !strchr(last + 1, '\n') && strstr(last, "(trsm) are"),
           "long refusals");
}

// Lines that end as on Windows, comments, no newline at the end, names between quotes: read, written, read the same.
static void odd_text(void) {
    static const char text[] = "module @\"odd \\22name\\22\" {\r\n  // \xc3\xa9\r\n  func.func private @\"a b\"(%x: "
                               "tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\r\n  func.func @main(%x: "
                               "tensor<f32>) -> tensor<f32> {\r\n    %0 = call @\"a b\"(%x) : (tensor<f32>) -> "
                               "tensor<f32> // called\r\n    return %0 : tensor<f32>\r\n  }\r\n}";
    for (int generic = 0; generic < 2; generic++) {
        const ch_hlo_options o = {.struct_size = sizeof o, .generic = generic};
        ch_func *f = NULL, *g = NULL;
        char *once = NULL, *twice = NULL;
        bool good = ch_hlo_parse(text, "t", NULL, &f) == CH_OK && ch_hlo_to_text(f, &o, &once) == CH_OK &&
                    ch_hlo_parse(once, "t", NULL, &g) == CH_OK && ch_hlo_to_text(g, &o, &twice) == CH_OK;
        good = good && strcmp(once, twice) == 0 && strstr(once, "\"odd \\22name\\22\"") != NULL;
        report(good && strstr(once, "@a_b") != NULL, generic ? "odd text, generic" : "odd text");
        ch_string_free(once);
        ch_string_free(twice);
        ch_func_destroy(f);
        ch_func_destroy(g);
    }
}

// n times open, then the rest: deep text meets a limit, not the end of the stack.
static void deep(const char *name, const char *before, const char *open, const char *says) {
    enum { TIMES = 20000 };
    size_t n = strlen(open), m = strlen(before);
    char *text = malloc(m + n * TIMES + 1);
    ch_func *f = NULL;
    if (!text) abort();
    memcpy(text, before, m);
    for (int i = 0; i < TIMES; i++) memcpy(text + m + (size_t)i * n, open, n);
    text[m + n * TIMES] = 0;
    report(ch_hlo_parse(text, "t", NULL, &f) == CH_RESOURCE_EXHAUSTED && strstr(ch_error_message(), says) != NULL,
           name);
    free(text);
}

// What was passed over is said, in the order of the text; names that stand in several places once.
static void notes(void) {
    static const char text[] =
        "module attributes {mhlo.num_replicas = 1 : i32} {\n  func.func @main(%x: tensor<4xf32> {mhlo.layout_mode = "
        "\"default\", tf.aliasing_output = 0 : i32}) -> (tensor<4xf32> {jax.result_info = \"y\", mhlo.sharding = "
        "\"x\"}) {\n    %0 = stablehlo.abs %x {hint = 1 : i32} : tensor<4xf32>\n    %1 = stablehlo.abs %0 {hint = 2 : "
        "i32} : tensor<4xf32>\n    %2 = \"stablehlo.sort\"(%1) <{dimension = 0 : i64, is_stable = true}> ({\n    "
        "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n      %3 = \"stablehlo.compare\"(%a, %b) "
        "<{comparison_direction = #stablehlo<comparison_direction LT>}> {a.b = 1 : i32} : (tensor<f32>, "
        "tensor<f32>) -> tensor<i1>\n      stablehlo.return %3 : tensor<i1>\n    }) : (tensor<4xf32>) -> "
        "tensor<4xf32>\n    return %2 : tensor<4xf32>\n  }\n}\n";
    ch_func *f = NULL, *g = NULL;
    bool good = ch_hlo_parse(text, "t", NULL, &f) == CH_OK &&
                strcmp(ch_hlo_notes(f), "t:1:20: module: mhlo.num_replicas is passed over\n"
                                        "t:2:38: param: mhlo.layout_mode is passed over\n"
                                        "t:3:28: stablehlo.abs: hint is passed over (2 times)\n"
                                        "t:5:54: stablehlo.sort: is_stable is passed over\n"
                                        "t:7:104: stablehlo.compare: a.b is passed over\n"
                                        "t:2:141: result: mhlo.sharding is passed over\n") == 0;
    if (f) printf("# %s\n", ch_hlo_notes(f));
    report(good, "notes of what was passed over");
    good = ch_hlo_parse("func.func @main() {\n  return\n}\n", "t", NULL, &g) == CH_OK && ch_hlo_notes(g)[0] == 0;
    report(good && ch_hlo_notes(NULL)[0] == 0, "nothing was passed over");
    ch_func_destroy(f);
    ch_func_destroy(g);
}

static void aliases(void) {
    ch_func *f = NULL;
    char *text = NULL;
    if (ch_func_parse(
            "chaac-ir 1\nfunc @f(%x: f32[2], %y: f32[2], %z: f32[]) -> (f32[2], f32[2]) {\n  return %y, %x\n}\n",
            "f.ir", &f) != CH_OK)
        abort();
    ch_hlo_options o = {.struct_size = sizeof o, .aliases = (const int[]){1, 0, -1}};
    report(ch_hlo_to_text(f, &o, &text) == CH_OK && strstr(text, "%x: tensor<2xf32> {tf.aliasing_output = 1 : i32}") &&
               strstr(text, "%y: tensor<2xf32> {tf.aliasing_output = 0 : i32}"),
           "aliases are written");
    ch_string_free(text);
    static const struct {
        const char *name, *says;
        int map[3];
    } wrong[] = {{"a result that is not there", "param x aliases result 2, counted from 0 — there are 2", {2, -1, -1}},
                 {"another type", "param z is f32[] and aliases result 0, which is f32[2]", {-1, -1, 0}},
                 {"a result aliased twice", "result 1 is aliased by x and by y — one each", {1, 1, -1}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.aliases = wrong[i].map;
        report(ch_hlo_to_text(f, &o, &text) != CH_OK && strstr(ch_error_message(), wrong[i].says), wrong[i].name);
    }
    ch_func_destroy(f);
}

// Cut at places through the whole text, and with a byte changed: an error with a sentence, or a func.
static void broken(const char *folder) {
    DIR *d = opendir(folder);
    bool good = d != NULL;
    unsigned state = 1;
    int files = 0;
    for (struct dirent *at; d && (at = readdir(d)) != NULL;) {
        char path[700];
        if (!strstr(at->d_name, ".mlir")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, at->d_name);
        FILE *file = fopen(path, "rb");
        static char text[1 << 17];
        size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file) fclose(file);
        text[n] = 0;
        files++;
        for (int turn = 0; turn < 60; turn++) {
            state = state * 1103515245u + 12345u;
            size_t place = (state >> 8) % (n ? n : 1);
            char kept = text[place];
            text[place] = turn % 2 ? 0 : "%(){}<>:,=\"[]x0-9#@\xff"[(state >> 3) % 20];
            ch_func *f = NULL;
            if (ch_hlo_parse(text, "t", NULL, &f) != CH_OK) good = good && ch_error_message()[0] != 0;
            ch_func_destroy(f);
            text[place] = kept;
        }
    }
    if (d) closedir(d);
    report(good && files > 10, "cut and changed text");
}

int main(int argc, char **argv) {
    messages();
    deep("deep attributes", "func.func @main() {\n  \"stablehlo.add\"() {a = ", "[", "nested more than 60 deep");
    deep("deep regions", "func.func @main() {\n", "\"stablehlo.case\"() ({\n", "nested more than 100 deep");
    huge();
    many();
    odd_text();
    aliases();
    notes();
    for (int i = 1; i < argc; i++) broken(argv[i]);
    printf("1..%d\n", number);
    ch_thread_end();
    return failures != 0;
}
