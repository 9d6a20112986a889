// SPDX-License-Identifier: Apache-2.0
// infer_rows_control.h - programs for the ops with regions, calls, tapes and barriers: what the op of that name gives, or
// the sentence that refuses it. Both are the text of the last func's body; @g and @sized may be called.
#include "infer_rows.h"

typedef struct infer_program { const char *op, *params, *results, *body, *want; } infer_program;

#define CALLEES                                                                                                        \
    "func @g(%x: f32[n,4], %y: f32[n]) -> (f32[4,n], f32[n]) {\n"                                                      \
    "  %t = transpose %x {perm = [1,0]} : f32[4,n]\n  return %t, %y\n}\n"                                              \
    "func @sized<n in 2..8>(%x: f32[n]) -> f32[n] {\n  return %x\n}\n"                                                 \
    "func @even(%x: f32[n], %y: f32[m]) -> f32[n] requires (n == 2*m) {\n  return %x\n}\n"                               \
    "func @none() -> f32[] {\n  %c = const {value = 1} : f32[]\n  return %c\n}\n"                                      \
    "func @batched(%x: f32[batch:n]) -> f32[batch:n] {\n  return %x\n}\n"

// clang-format off
static const infer_program good_control[] = {
    {"if", "%p: bool[], %x: f32[2]", "f32[2]", "%r = if %p { yield %x } else { %y = neg %x : f32[2] yield %y } : f32[2] return %r", "f32[2]"},
    {"if", "%p: bool[], %x: f32[batch:n], %y: f32[n]", "f32[batch:n]", "%r, %s = if %p { yield %x, %p } else { yield %y, %p } : f32[batch:n], bool[] return %r", "f32[batch:n]; bool[]"},
    {"if", "%p: bool[], %x: f32[0]", "f32[0]", "if %p { yield } else { yield } return %x", ""},
    {"for", "%l: i64[], %x: f32[2]", "f32[2]", "%r = for %i = %l to %l step %l iter(%a = %x) { %b = neg %a : f32[2] yield %b } : f32[2] return %r", "f32[2]"},
    {"for", "%l: i64[], %x: f32[batch:n], %y: i32[0]", "f32[batch:n]", "%r, %s = for %i = %l to %l step %l iter(%a = %x, %b = %y) {policy = \"revolve(3)\"} { yield %a, %b } : f32[batch:n], i32[0] return %r", "f32[batch:n]; i32[0]"},
    {"for", "%l: i64[]", "i64[]", "for %i = %l to %l step %l { yield } return %l", ""},
    {"while", "%x: f32[]", "f32[]", "%r = while iter(%a = %x) { %c = compare %a, %x {dir = lt} : bool[] yield %c } do { %b = add %a, %x : f32[] yield %b } : f32[] return %r", "f32[]"},
    {"while", "%x: f32[batch:n], %p: bool[]", "f32[batch:n]", "%r, %s = while iter(%a = %x, %q = %p) {policy = \"sqrt\"} { yield %q } do { yield %a, %q } : f32[batch:n], bool[] return %r", "f32[batch:n]; bool[]"},
    {"while", "%x: f32[0]", "f32[0]", "%r = while iter(%a = %x) { %c = const {value = false} : bool[] yield %c } do { yield %a } : f32[0] return %r", "f32[0]"},
    {"call", "%x: f32[2,4], %y: f32[2]", "f32[4,2]", "%r, %s = call @g(%x, %y) : f32[4,2], f32[2] return %r", "f32[4,2]; f32[2]"},
    {"call", "%x: f32[2*m,4], %y: f32[2*m]", "f32[4,2*m]", "%r, %s = call @g(%x, %y) : f32[4,2*m], f32[2*m] return %r", "f32[4,2*m]; f32[2*m]"},
    {"call", "%x: f32[0,4], %y: f32[0]", "f32[4,0]", "%r, %s = call @g(%x, %y) : f32[4,0], f32[0] return %r", "f32[4,0]; f32[0]"},
    {"call", "%x: f32[8]", "f32[8]", "%r = call @sized(%x) : f32[8] return %r", "f32[8]"},
    {"call", "%x: f32[8], %y: f32[4]", "f32[8]", "%r = call @even(%x, %y) : f32[8] return %r", "f32[8]"},
    {"call", "%x: f32[k]", "f32[batch:k]", "%r = call @batched(%x) : f32[batch:k] return %r", "f32[batch:k]"},
    {"call", "", "f32[]", "%r = call @none() : f32[] return %r", "f32[]"},
    {"composite", "%x: f32[2]", "f32[2]", "%r = composite \"twice\"(%a = %x) { %b = add %a, %a : f32[2] yield %b } : f32[2] return %r", "f32[2]"},
    {"composite", "%x: f32[batch:n], %y: f32[0]", "f32[batch:n]", "%r, %s = composite \"two\"(%a = %x, %b = %y) {version = 2, args = \"k=1\", remat = true} { yield %a, %b } : f32[batch:n], f32[0] return %r", "f32[batch:n]; f32[0]"},
    {"composite", "%x: f32[]", "f32[]", "composite \"nothing\"() { yield } return %x", ""},
    {"barrier", "%x: f32[2], %y: i32[batch:n]", "f32[2]", "%a, %b = barrier %x, %y : f32[2], i32[batch:n] return %a", "f32[2]; i32[batch:n]"},
    {"barrier", "%x: f32[0]", "f32[0]", "%a = barrier %x : f32[0] return %a", "f32[0]"},
    {"barrier", "%x: f32[]", "f32[]", "%t = tape_new : tape<bool[]> %a = barrier %t : tape<bool[]> return %x", "tape<bool[]>"},
    {"tape_new", "%x: f32[]", "f32[]", "%t = tape_new : tape<f32[2]> return %x", "tape<f32[2]>"},
    {"tape_new", "%x: f32[n]", "f32[n]", "%t = tape_new {capacity = n + 1} : tape<f32[batch:n]> return %x", "tape<f32[batch:n]>"},
    {"tape_new", "%x: f32[]", "f32[]", "%t = tape_new {capacity = 0} : tape<i8[0]> return %x", "tape<i8[0]>"},
    {"push", "%x: f32[2]", "f32[2]", "%t = tape_new : tape<f32[2]> %u = push %t, %x : tape<f32[2]> return %x", "tape<f32[2]>"},
    {"push", "%x: f32[n]", "f32[n]", "%t = tape_new : tape<f32[batch:n]> %u = push %t, %x : tape<f32[batch:n]> return %x", "tape<f32[batch:n]>"},
    {"push", "%x: bool[0]", "bool[0]", "%t = tape_new : tape<bool[0]> %u = push %t, %x : tape<bool[0]> return %x", "tape<bool[0]>"},
    {"pop", "%x: f32[2]", "f32[2]", "%t = tape_new : tape<f32[2]> %u, %v = pop %t : tape<f32[2]>, f32[2] return %v", "tape<f32[2]>; f32[2]"},
    {"pop", "%x: f32[n]", "f32[batch:n]", "%t = tape_new : tape<f32[batch:n]> %u, %v = pop %t : tape<f32[batch:n]>, f32[batch:n] return %v", "tape<f32[batch:n]>; f32[batch:n]"},
    {"pop", "%x: f32[]", "i64[]", "%t = tape_new : tape<i64[]> %u, %v = pop %t : tape<i64[]>, i64[] return %v", "tape<i64[]>; i64[]"},
};

static const infer_program bad_control[] = {
    {"if", "%p: f32[], %x: f32[2]", "f32[2]", "%r = if %p { yield %x } else { yield %x } : f32[2] return %r", "if: f32[] — pred is f32[], bool[] is wanted"},
    {"if", "%p: bool[2], %x: f32[2]", "f32[2]", "%r = if %p { yield %x } else { yield %x } : f32[2] return %r", "if: bool[2] — pred is bool[2], bool[] is wanted"},
    {"if", "%p: bool[], %x: f32[2], %y: f32[3]", "f32[2]", "%r = if %p { yield %x } else { yield %y } : f32[2] return %r", "if: bool[] — axis 0 is 2 in the first region's yield 0 and 3 in the second region's yield 0"},
    {"if", "%p: bool[], %x: f32[2], %y: f64[2]", "f32[2]", "%r = if %p { yield %x } else { yield %y } : f32[2] return %r", "if: bool[] — dtypes differ: the first region's yield 0 is f32, the second region's yield 0 is f64"},
    {"if", "%p: bool[], %x: f32[a:2], %y: f32[b:2]", "f32[a:2]", "%r = if %p { yield %x } else { yield %y } : f32[2] return %r", "if: bool[] — axis 0 is named a in the first region's yield 0 and b in the second region's yield 0"},
    {"if", "%p: bool[], %x: f32[2]", "f32[2]", "%r = if %p { yield %x } else { yield } : f32[2] return %r", "if: bool[] — the first region yields 1 value, the second 0"},
    {"for", "%l: i32[], %x: f32[2]", "f32[2]", "%r = for %i = %l to %l step %l iter(%a = %x) { yield %a } : f32[2] return %r", "for: i32[] and i32[] and i32[] and f32[2] — lo is i32[], i64[] is wanted"},
    {"for", "%l: i64[], %s: i64[1]", "i64[]", "for %i = %l to %l step %s { yield } return %l", "for: i64[] and i64[] and i64[1] — step is i64[1], i64[] is wanted"},
    {"for", "%l: i64[], %x: f32[2]", "f32[2]", "%r = for %i = %l to %l step %l iter(%a = %x) { yield } : f32[2] return %r", "for: i64[] and i64[] and i64[] and f32[2] — the body yields 0 values, 1 is wanted"},
    {"for", "%l: i64[], %x: f32[2]", "f32[2]", "%r = for %i = %l to %l step %l iter(%a = %x) { %b = concat %a, %a {dim = 0} : f32[4] yield %b } : f32[2] return %r", "for: i64[] and i64[] and i64[] and f32[2] — axis 0 is 2 in param 1 and 4 in yield 0"},
    {"for", "%l: i64[], %x: f32[2]", "f32[2]", "%r = for %i = %l to %l step %l iter(%a = %x) { %b = convert %a : f64[2] yield %b } : f32[2] return %r", "for: i64[] and i64[] and i64[] and f32[2] — dtypes differ: param 1 is f32, yield 0 is f64"},
    {"for", "%l: i64[]", "i64[]", "%z = const {value = 0} : i64[] for %i = %l to %l step %z { yield } return %l", "for: i64[] and i64[] and i64[] — step is 0, the loop would never end"},
    {"for", "%l: i64[]", "i64[]", "for %i = %l to %l step %l {policy = \"revolve(0)\"} { yield } return %l", "for: policy is revolve(0), it is store, recompute, sqrt or revolve(n) with n at least 1"},
    {"for", "%l: i64[]", "i64[]", "for %i = %l to %l step %l {policy = \"keep\"} { yield } return %l", "for: policy is keep, it is store, recompute, sqrt or revolve(n) with n at least 1"},
    {"while", "%x: f32[2]", "f32[2]", "%r = while iter(%a = %x) { yield %a } do { yield %a } : f32[2] return %r", "while: f32[2] — the condition's yield is f32[2], bool[] is wanted"},
    {"while", "%x: f32[], %p: bool[]", "f32[]", "%r = while iter(%a = %x) { yield %p, %p } do { yield %a } : f32[] return %r", "while: f32[] — the condition yields 2 values, 1 is wanted"},
    {"while", "%x: f32[], %p: bool[]", "f32[]", "%r = while iter(%a = %x) { yield %p } do { yield %a, %a } : f32[] return %r", "while: f32[] — the body yields 2 values, 1 is wanted"},
    {"while", "%x: f32[], %p: bool[]", "f32[]", "%r = while iter(%a = %x) { yield %p } do { yield %p } : f32[] return %r", "while: f32[] — dtypes differ: param 0 is f32, yield 0 is bool"},
    {"call", "%x: f32[2,4]", "f32[4,2]", "%r, %s = call @g(%x) : f32[4,2], f32[2] return %r", "call: f32[2,4] — @g takes 2 arguments, given 1"},
    {"call", "%x: f32[2,4], %y: f64[2]", "f32[4,2]", "%r, %s = call @g(%x, %y) : f32[4,2], f32[2] return %r", "call: f32[2,4] and f64[2] — dtypes differ: param 1 is f32, argument 1 is f64"},
    {"call", "%x: f32[2,4], %y: f32[3]", "f32[4,2]", "%r, %s = call @g(%x, %y) : f32[4,2], f32[2] return %r", "call: f32[2,4] and f32[3] — axis 0 is 2 in param 1 and 3 in argument 1"},
    {"call", "%x: f32[2,5], %y: f32[2]", "f32[4,2]", "%r, %s = call @g(%x, %y) : f32[4,2], f32[2] return %r", "call: f32[2,5] and f32[2] — axis 1 is 4 in param 0 and 5 in argument 0"},
    {"call", "%x: f32[2], %y: f32[2]", "f32[4,2]", "%r, %s = call @g(%x, %y) : f32[4,2], f32[2] return %r", "call: @g takes f32[n,4] as %x, given f32[2] — the ranks differ"},
    {"call", "%x: f32[9]", "f32[9]", "%r = call @sized(%x) : f32[9] return %r", "call: f32[9] — n is 9, @sized takes at most 8"},
    {"call", "%x: f32[1]", "f32[1]", "%r = call @sized(%x) : f32[1] return %r", "call: f32[1] — n is 1, @sized takes 2 or more"},
    {"call", "%x: f32[8], %y: f32[3]", "f32[8]", "%r = call @even(%x, %y) : f32[8] return %r", "call: f32[8] and f32[3] — @even requires 8 == 6"},
    {"call", "%x: f32[other:8]", "f32[8]", "%r = call @batched(%x) : f32[8] return %r", "call: f32[other:8] — axis 0 is named batch in param 0 and other in argument 0"},
    {"composite", "%x: f32[2]", "f32[2]", "%r = composite \"\"(%a = %x) { yield %a } : f32[2] return %r", "composite: name is empty"},
    {"composite", "%x: f32[2]", "f32[2]", "%r = composite \"c\"(%a = %x) {version = 0} { yield %a } : f32[2] return %r", "composite: version is 0, at least 1 is wanted"},
    {"tape_new", "%x: f32[]", "f32[]", "%t = tape_new : f32[2] return %x", "tape_new: f32[2] — the result is an array, it makes a tape"},
    {"tape_new", "%x: f32[]", "f32[]", "%t = tape_new {capacity = -1} : tape<f32[2]> return %x", "tape_new: capacity is -1, at least 0 is wanted"},
    {"push", "%x: f32[2]", "f32[2]", "%u = push %x, %x : f32[2] return %x", "push: f32[2] and f32[2] — tape is an array, a tape is wanted"},
    {"push", "%x: f32[2]", "f32[2]", "%t = tape_new : tape<f32[3]> %u = push %t, %x : tape<f32[3]> return %x", "push: tape<f32[3]> and f32[2] — axis 0 is 3 in the tape and 2 in value"},
    {"push", "%x: f32[2]", "f32[2]", "%t = tape_new : tape<i32[2]> %u = push %t, %x : tape<i32[2]> return %x", "push: tape<i32[2]> and f32[2] — dtypes differ: the tape is i32, value is f32"},
    {"push", "%x: f32[2]", "f32[2]", "%t = tape_new : tape<f32[2]> %u = push %t, %t : tape<f32[2]> return %x", "push: tape<f32[2]> and tape<f32[2]> — value is a tape, the tape is an array"},
    {"pop", "%x: f32[2]", "f32[2]", "%u, %v = pop %x : f32[2], f32[2] return %x", "pop: f32[2] — tape is an array, a tape is wanted"},
    {"if", "%x: f32[2]", "f32[2]", "%t = tape_new : tape<f32[2]> %r = if %t { yield %x } else { yield %x } : f32[2] return %r", "if: tape<f32[2]> — takes arrays, a tape goes to push and pop"},
};
// clang-format on
