// SPDX-License-Identifier: Apache-2.0
// test_emit.c - what is written of a func, by what the options ask: composites, rules, tapes, precision, sizes.
//
// Rows: a func, options, and pieces that the text holds or that it may not hold (after '!'); or the refusal, whole.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "chaac/chaac.h"

enum { PIECES = 6 };
static const char *const n_name[] = {"n"};
static const int64_t n_value[] = {3};
#define SIZE .n_sizes = 1, .size_names = n_name, .size_values = n_value
#define F32_DOT "dot %x, %y {contract = [0]x[0], precision = highest}"

static const struct {
    const char *name, *text;
    ch_hlo_options o;
    const char *pieces[PIECES];
    const char *refused;
} rows[] = {
    {"composites are what they consist of",
     "func @f(%x: f32[2]) -> f32[2] {\n  %y = composite \"twice\"(%t = %x) {args = \"k = 2\"} {\n    %s = add %t, %t : "
     "f32[2]\n    yield %s\n  } : f32[2]\n  return %y\n}\n",
     {0},
     {"%0 = stablehlo.add %x, %x : tensor<2xf32>\n    return %0", "!composite", "!call"},
     NULL},
    {"composites when asked for",
     "func @f(%x: f32[n]) -> f32[n] {\n  %y = composite \"twice\"(%t = %x) {version = 2, args = \"k = 2\"} {\n    %s = "
     "add %t, %t : f32[n]\n    yield %s\n  } : f32[n]\n  return %y\n}\n",
     {.composites = 1, SIZE},
     {"%0 = stablehlo.composite \"chaac.twice\" %x {composite_attributes = {chaac.args = \"k = 2\"}, decomposition = "
      "@twice, version = 2 : i32} : (tensor<3xf32>) -> tensor<3xf32>\n",
      "func.func private @twice(%x0: tensor<3xf32>) -> tensor<3xf32> {\n    %0 = stablehlo.add %x0, %x0"},
     NULL},
    {"strings as MLIR quotes them",
     "func @f(%x: f32[2]) -> f32[2] {\n  %y = composite \"a \\\"b\\\" \\\\ \\x0dc\\n\\xc3\\xa4\"(%t = %x) {args = "
     "\"\\t\\x01\"} {\n    %s = add %t, %t : f32[2]\n    yield %s\n  } : f32[2]\n  return %y\n}\n",
     {.composites = 1},
     {"chaac.args = \"\\09\\01\", chaac.name = \"a \\22b\\22 \\5C \\0Dc\\0A\\C3\\A4\""},
     NULL},
    {"a composite that takes from outside",
     "func @f(%x: f32[2], %z: f32[2]) -> f32[2] {\n  %y = composite \"a.b\"(%t = %x) {\n    %s = mul %t, %z : f32[2]\n "
     " "
     "  "
     "yield %s\n  } : f32[2]\n  return %y\n}\n",
     {.composites = 1},
     {"stablehlo.composite \"a.b\" %x, %z {decomposition = @a_b, version = 1 : i32}", "@a_b(%x0: tensor<2xf32>, %x1: "},
     NULL},
    {"custom rules go, the body stays",
     "func @f(%x: f32[2]) -> f32[2] {\n  %y = composite \"e\"(%t = %x) {rules = \"vjp\"} {\n    %s = exp %t : f32[2]\n "
     "   "
     "yield %s\n  } vjp(%t, %s, %a) {\n    %b = tanh %a : f32[2]\n    yield %b\n  } : f32[2]\n  return %y\n}\n",
     {0},
     {"stablehlo.exponential %x", "!tanh"},
     NULL},
    {"custom rules of composites go",
     "func @f(%x: f32[2]) -> f32[2] {\n  %y = composite \"e\"(%t = %x) {rules = \"vjp\"} {\n    %s = exp %t : f32[2]\n "
     "   "
     "yield %s\n  } vjp(%t, %s, %a) {\n    %b = tanh %a : f32[2]\n    yield %b\n  } : f32[2]\n  return %y\n}\n",
     {.composites = 1},
     {"stablehlo.composite \"chaac.e\"", "stablehlo.exponential %x0", "!tanh"},
     NULL},
    {"a tape filled by a loop",
     "func @f(%x: f32[2]) -> f32[2] {\n  %a = const {value = 0} : i64[]\n  %b = const {value = 4} : i64[]\n  %c = "
     "const "
     "{value = 1} : i64[]\n  %t = tape_new : tape<f32[2]>\n  %r = for %i = %a to %b step %c iter(%s = %t) {\n    %u = "
     "push %s, %x : tape<f32[2]>\n    yield %u\n  } : tape<f32[2]>\n  %v, %y = pop %r : tape<f32[2]>, f32[2]\n  return "
     "%y\n}\n",
     {0},
     {"dense<0.0> : tensor<4x2xf32>", "stablehlo.dynamic_update_slice %", "stablehlo.dynamic_slice %4#1, ",
      "sizes = [1, 2] : (tensor<4x2xf32>", "!tensor<5x"},
     NULL},
    {"a loop in a loop that turns as often as the outer one has",
     "func @f(%x: f32[]) -> f32[] {\n  %a = const {value = 0} : i64[]\n  %b = const {value = 4} : i64[]\n  %c = const "
     "{value = 1} : i64[]\n  %t = tape_new : tape<f32[]>\n  %r = for %i = %a to %b step %c iter(%s = %t) {\n    %q = "
     "for %j = %a to %i step %c iter(%p = %s) {\n      %u = push %p, %x : tape<f32[]>\n      yield %u\n    } : "
     "tape<f32[]>\n    yield %q\n  } : tape<f32[]>\n  %v, %y = pop %r : tape<f32[]>, f32[]\n  return %y\n}\n",
     {0},
     {"dense<0.0> : tensor<12xf32>"},
     NULL},
    {"the capacity of a tape",
     "func @f(%x: f32[], %n: i64[]) -> f32[] {\n  %a = const {value = 0} : i64[]\n  %c = const {value = 1} : i64[]\n  "
     "%t "
     "= tape_new {capacity = 9} : tape<f32[]>\n  %r = for %i = %a to %n step %c iter(%s = %t) {\n    %u = push %s, %x "
     ": "
     "tape<f32[]>\n    yield %u\n  } : tape<f32[]>\n  %v, %y = pop %r : tape<f32[]>, f32[]\n  return %y\n}\n",
     {0},
     {"dense<0.0> : tensor<9xf32>"},
     NULL},
    {"tapes of nobody knows what length",
     "func @f(%x: f32[], %n: i64[]) -> f32[] {\n  %a = const {value = 0} : i64[]\n  %c = const {value = 1} : i64[]\n  "
     "%t "
     "= tape_new : tape<f32[]>\n  %r = for %i = %a to %n step %c iter(%s = %t) {\n    %u = push %s, %x : tape<f32[]>\n "
     "  "
     " "
     "yield %u\n  } : tape<f32[]>\n  %v, %y = pop %r : tape<f32[]>, f32[]\n  %k = cmath %y {fn = \"tgamma\"} : f32[]\n "
     " "
     "return %k\n}\n",
     {0},
     {NULL},
     "ch_hlo_emit: @f holds what StableHLO text cannot say\n"
     "f.ir:11: cmath tgamma: StableHLO has no counterpart of this function of libm\n"
     "f.ir:5: tape_new: how many values it holds at most is not known — a loop that counts, or a capacity, says it"},
    {"a loop whose end is known from above alone",
     "func @f(%x: f32[], %n: i32[]) -> f32[] {\n  %a = const {value = 0} : i32[]\n  %c = const {value = 1} : i32[]\n  "
     "%d = const {value = 10} : i32[]\n  %m = min %n, %d : i32[]\n  %b = add %m, %c : i32[]\n  %t = tape_new : "
     "tape<f32[]>\n  %e = convert %b : i64[]\n  %z = const {value = 0} : i64[]\n  %o = const {value = 1} : i64[]\n  "
     "%r = for %i = %z to %e step %o iter(%s = %t) {\n    %u = push %s, %x : tape<f32[]>\n    yield %u\n  } : "
     "tape<f32[]>\n  %v, %y = pop %r : tape<f32[]>, f32[]\n  return %y\n}\n",
     {0},
     {"tensor<11xf32>"},
     NULL},
    {"a loop whose end may have wrapped",
     "func @f(%x: f32[], %n: i32[]) -> f32[] {\n  %c = const {value = 1} : i32[]\n  %d = const {value = 10} : i32[]\n  "
     "%m = min %n, %d : i32[]\n  %b = sub %m, %c : i32[]\n  %t = tape_new : tape<f32[]>\n  %e = convert %b : i64[]\n  "
     "%z = const {value = 0} : i64[]\n  %o = const {value = 1} : i64[]\n  %r = for %i = %z to %e step %o iter(%s = "
     "%t) {\n    %u = push %s, %x : tape<f32[]>\n    yield %u\n  } : tape<f32[]>\n  %v, %y = pop %r : tape<f32[]>, "
     "f32[]\n  return %y\n}\n",
     {0},
     {NULL},
     "ch_hlo_emit: @f holds what StableHLO text cannot say\n"
     "f.ir:7: tape_new: how many values it holds at most is not known — a loop that counts, or a capacity, says it"},
    {"a tape with a capacity joined by one without",
     "func @f(%x: f32[], %p: bool[]) -> f32[] {\n  %a = const {value = 0} : i64[]\n  %c = const {value = 1} : i64[]\n  "
     "%d = const {value = 6} : i64[]\n  %t = if %p {\n    %q = tape_new {capacity = 3} : tape<f32[]>\n    yield %q\n  "
     "} "
     "else {\n    %q = tape_new : tape<f32[]>\n    %r = for %i = %a to %d step %c iter(%s = %q) {\n      %u = push %s, "
     "%x : tape<f32[]>\n      yield %u\n    } : tape<f32[]>\n    yield %r\n  } : tape<f32[]>\n  %w = push %t, %x : "
     "tape<f32[]>\n  %v, %y = pop %w : tape<f32[]>, f32[]\n  return %y\n}\n",
     {0},
     {"tensor<7xf32>", "!tensor<3xf32>"},
     NULL},
    {"a tape whose turns are counted by a sum that wraps",
     "func @f(%x: f32[]) -> f32[] {\n  %a = const {value = 0} : i64[]\n  %c = const {value = 1} : i64[]\n  %h = const "
     "{value = -100} : i8[]\n  %w = add %h, %h : i8[]\n  %b = convert %w : i64[]\n  %t = tape_new : tape<f32[]>\n  "
     "%r = for %i = %a to %b step %c iter(%s = %t) {\n    %u = push %s, %x : tape<f32[]>\n    yield %u\n  } : "
     "tape<f32[]>\n  %v, %y = pop %r : tape<f32[]>, f32[]\n  return %y\n}\n",
     {0},
     {NULL},
     "ch_hlo_emit: @f holds what StableHLO text cannot say\n"
     "f.ir:8: tape_new: how many values it holds at most is not known — a loop that counts, or a capacity, says it"},
    {"no precision unless the program has one",
     "func @f(%x: f32[2], %y: f32[2]) -> f32[] {\n  %d = dot %x, %y {contract = [0]x[0]} : f32[]\n  return %d\n}\n",
     {.target = "cpu"},
     {"dot_general %x, %y, contracting_dims = [0] x [0] {", "!precision", "!algorithm"},
     NULL},
#define DOT_ROW(what, where, has, lacks)                                                                               \
    {                                                                                                                  \
        what, "func @f(%x: f32[2], %y: f32[2]) -> f32[] {\n  %d = " F32_DOT " : f32[]\n  return %d\n}\n",              \
            {.target = where}, {has, lacks}, NULL                                                                      \
    }
    DOT_ROW("the highest precision on cpu", "cpu", "algorithm = <lhs_precision_type = f32, ", "!HIGHEST"),
    DOT_ROW("the highest precision on cuda", "cuda", "algorithm = <lhs_precision_type = f32, ", "!HIGHEST"),
    DOT_ROW("the highest precision on tpu", "tpu", "precision = [HIGHEST, HIGHEST]", "!algorithm"),
    DOT_ROW("the highest precision on metal", "metal", "precision = [HIGHEST, HIGHEST]", "!algorithm"),
    DOT_ROW("the highest precision nowhere in particular", NULL, "precision = [HIGHEST, HIGHEST]", "!algorithm"),
    {"the bits of NaN, infinities and subnormals",
     "func @f() -> f32[4] {\n  %c = const {value = [0x7fc12345, 0xff800000, 0x00000001, 0x80000000]} : f32[4]\n  "
     "return "
     "%c\n}\n",
     {0},
     {"dense<[0x7FC12345, 0xFF800000, 0x00000001, -0.0]>"},
     NULL},
    {"many bools are a list",
     "func @f() -> bool[5,20] {\n  %i = iota {dim = 1} : i32[5,20]\n  %z = const {value = 3} : i32[5,20]\n  %c = "
     "compare %i, %z {dir = lt} : bool[5,20]\n  return %c\n}\n",
     {0},
     {"stablehlo.compare LT", "!\"0x"},
     NULL},
    {"a size without a value",
     "func @f(%x: f32[n]) -> f32[n] {\n  return %x\n}\n",
     {0},
     {NULL},
     "ch_hlo_emit: @f: the size n has no value — StableHLO text has sizes that are known: give it one"},
    {"sizes that a clause does not allow",
     "func @f(%x: f32[n], %y: f32[m]) -> f32[n] requires (n == 2*m \"pairs\") {\n  return %x\n}\n",
     {.n_sizes = 2, .size_names = (const char *[]){"n", "m"}, .size_values = (int64_t[]){3, 2}},
     {NULL},
     "f: n is 3 and 2*m is 4 — they have to be equal: pairs"},
    {"and those that it does",
     "func @f(%x: f32[n], %y: f32[m]) -> f32[n] requires (n == 2*m \"pairs\") {\n  return %x\n}\n",
     {.n_sizes = 2, .size_names = (const char *[]){"n", "m"}, .size_values = (int64_t[]){4, 2}},
     {"tensor<4xf32>"},
     NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

// What is written holds the pieces; it reads back and is written the same.
static bool pieces(const char *text, int row) {
    bool good = true;
    for (int i = 0; i < PIECES && rows[row].pieces[i]; i++) {
        const char *piece = rows[row].pieces[i];
        bool not = piece[0] == '!';
        if ((strstr(text, piece + not ) != NULL) != not ) continue;
        good = false;
        printf("# %s: %s\n", not ? "is there" : "is missing", piece + not );
    }
    return good;
}

int main(void) {
    int failures = 0;
    printf("1..%d\n", ROWS);
    for (int i = 0; i < ROWS; i++) {
        char text[2000], *out = NULL, *again = NULL;
        ch_func *f = NULL, *g = NULL;
        ch_hlo_options o = rows[i].o, back = {.struct_size = sizeof back, .composites = o.composites};
        bool good;
        o.struct_size = sizeof o;
        back.target = o.target;
        snprintf(text, sizeof text, "chaac-ir 1\n%s", rows[i].text);
        if (ch_func_parse(text, "f.ir", &f) != CH_OK) {
            printf("# %s\n", ch_error_message());
            good = false;
        } else if (rows[i].refused) {
            good = ch_hlo_to_text(f, &o, &out) != CH_OK && strcmp(ch_error_message(), rows[i].refused) == 0;
            if (!good) printf("# %s\n", out ? out : ch_error_message());
        } else {
            good = ch_hlo_to_text(f, &o, &out) == CH_OK && pieces(out, i) &&
                   ch_hlo_parse(out, "f.mlir", NULL, &g) == CH_OK && ch_hlo_to_text(g, &back, &again) == CH_OK &&
                   strcmp(strchr(out, '\n'), strchr(again, '\n')) == 0;
            if (!good) printf("# %s\n%s\n%s\n", ch_error_message(), out ? out : "", again ? again : "");
        }
        printf("%sok %d - %s\n", good ? "" : "not ", i + 1, rows[i].name);
        failures += !good;
        ch_string_free(out);
        ch_string_free(again);
        ch_func_destroy(f);
        ch_func_destroy(g);
    }
    ch_thread_end();
    return failures != 0;
}
