// SPDX-License-Identifier: Apache-2.0
// infer_rows_elementwise.h - rows of the elementwise ops, select, clamp, convert, bitcast and cmath.
#include "infer_rows.h"

// clang-format off
#define SAME1(op, d) \
    {op, d "[]", "", "", d "[]"}, \
    {op, d "[2,3]", "", "", d "[2,3]"}, \
    {op, d "[batch:n, 4]", "", "", d "[batch:n, 4]"}, \
    {op, d "[0,2*n + 1]", "", "", d "[0,2*n + 1]"}
#define SAME2(op, d) \
    {op, d "[]; " d "[]", "", "", d "[]"}, \
    {op, d "[2,3]; " d "[2,3]", "", "", d "[2,3]"}, \
    {op, d "[batch:n, 4]; " d "[n, hidden:4]", "", "", d "[batch:n, hidden:4]"}, \
    {op, d "[n,0]; " d "[n,0]", "", "", d "[n,0]"}
static const infer_good good_elementwise[] = {
    SAME1("neg", "f32"), SAME1("neg", "i8"), SAME1("abs", "f64"), SAME1("sign", "i64"), SAME1("floor", "f32"),
    SAME1("ceil", "f16"), SAME1("round_even", "f64"), SAME1("round_away", "bf16"), SAME1("trunc", "f32"),
    SAME1("sqrt", "f32"), SAME1("rsqrt", "f64"), SAME1("cbrt", "f64"), SAME1("exp", "f32"), SAME1("exp2", "f32"),
    SAME1("expm1", "f64"), SAME1("log", "f16"), SAME1("log2", "f32"), SAME1("log1p", "f64"), SAME1("sin", "f32"),
    SAME1("cos", "f32"), SAME1("tan", "f32"), SAME1("asin", "f64"), SAME1("acos", "f64"), SAME1("atan", "f64"),
    SAME1("sinh", "f32"), SAME1("cosh", "f32"), SAME1("tanh", "bf16"), SAME1("asinh", "f64"), SAME1("acosh", "f64"),
    SAME1("atanh", "f64"), SAME1("sigmoid", "f32"), SAME1("erf", "f32"), SAME1("erfc", "f64"), SAME1("lgamma", "f64"),
    SAME1("digamma", "f64"), SAME1("not", "i32"), SAME1("not", "bool"), SAME1("not", "u8"), SAME1("popcnt", "u64"),
    SAME1("clz", "i16"), SAME1("stop_gradient", "f32"), SAME1("stop_gradient", "f8e4m3"),
    {"polygamma", "f64[]", "n = 1", "", "f64[]"},
    {"polygamma", "f64[batch:n]", "n = 0", "", "f64[batch:n]"},
    {"polygamma", "f64[0,3]", "n = 7", "", "f64[0,3]"},
    {"neg", "i32[4]", "nowrap = true", "", "i32[4]"},
    {"neg", "f32[4]", "nowrap = false", "", "f32[4]"},
    {"is_finite", "f32[]", "", "", "bool[]"},
    {"is_finite", "f64[batch:n, 3]", "", "", "bool[batch:n, 3]"},
    {"is_finite", "bf16[0]", "", "", "bool[0]"},

    SAME2("add", "f32"), SAME2("add", "u8"), SAME2("sub", "i32"), SAME2("mul", "f64"), SAME2("div", "i64"),
    SAME2("rem", "f32"), SAME2("pow", "f64"), SAME2("atan2", "f32"), SAME2("min", "f32"), SAME2("max", "bool"),
    SAME2("and", "bool"), SAME2("or", "i32"), SAME2("xor", "u16"), SAME2("shl", "i32"), SAME2("shr", "u32"),
    SAME2("copysign", "f32"), SAME2("hypot", "f64"), SAME2("nextafter", "f16"),
    {"add", "f32[n + n]; f32[2*n]", "", "", "f32[2*n]"},
    {"add", "f32[floordiv(n + 1, 2)]; f32[floordiv(n - 1, 2) + 1]", "", "", "f32[floordiv(n + 1, 2)]"},
    {"min", "f32[3]; f32[3]", "tie = first", "", "f32[3]"},
    {"mul", "i32[3]; i32[3]", "nowrap = true", "", "i32[3]"},
    {"fma", "f32[]; f32[]; f32[]", "", "", "f32[]"},
    {"fma", "f64[a:n, 2]; f64[n,2]; f64[n, c:2]", "", "", "f64[a:n, c:2]"},
    {"fma", "f16[0,3]; f16[0,3]; f16[0,3]", "", "", "f16[0,3]"},

    {"cmath", "f64[3]", "fn = \"tgamma\"", "", "f64[3]"},
    {"cmath", "f32[batch:n]; f32[n]", "fn = \"fmin\"", "", "f32[batch:n]"},
    {"cmath", "bf16[0]; i32[0]", "fn = \"ldexp\"", "", "bf16[0]"},
    {"cmath", "i32[n]; f64[x:n]", "fn = \"jn\"", "", "f64[x:n]"},
    {"cmath", "f64[batch:2]", "fn = \"frexp\"", "", "f64[batch:2]; i32[batch:2]"},
    {"cmath", "f32[]", "fn = \"modf\"", "", "f32[]; f32[]"},
    {"cmath", "f64[2]; f64[2]", "fn = \"remquo\"", "", "f64[2]; i32[2]"},
    {"cmath", "f32[n]", "fn = \"lround\"", "", "i64[n]"},
    {"cmath", "f64[]", "fn = \"isnan\"", "", "i32[]"},

    {"compare", "f32[2]; f32[2]", "dir = lt", "", "bool[2]"},
    {"compare", "bool[a:n, 0]; bool[n, b:0]", "dir = eq", "", "bool[a:n, b:0]"},
    {"compare", "u64[]; u64[]", "dir = ge", "", "bool[]"},
    {"select", "bool[2]; f32[2]; f32[2]", "", "", "f32[2]"},
    {"select", "bool[]; i8[a:n, 0]; i8[n, b:0]", "", "", "i8[a:n, b:0]"},
    {"select", "bool[a:n]; f8e5m2[n]; f8e5m2[n]", "", "", "f8e5m2[a:n]"},
    {"select", "bool[]; bool[]; bool[]", "", "", "bool[]"},
    {"clamp", "f32[]; f32[2,3]; f32[]", "", "", "f32[2,3]"},
    {"clamp", "i32[n]; i32[batch:n]; i32[]", "", "", "i32[batch:n]"},
    {"clamp", "u8[0]; u8[0]; u8[a:0]", "", "", "u8[a:0]"},

    {"convert", "f32[2,3]", "", "f64[2,3]", "f64[2,3]"},
    {"convert", "i32[batch:n]", "", "bf16[n]", "bf16[batch:n]"},
    {"convert", "f32[0]", "", "f8e4m3[0]", "f8e4m3[0]"},
    {"convert", "f8e5m2[n]", "", "bool[n]", "bool[n]"},
    {"bitcast", "f32[2,3]", "", "u32[2,3]", "u32[2,3]"},
    {"bitcast", "i64[batch:n]", "", "f64[batch:n]", "f64[batch:n]"},
    {"bitcast", "bf16[0,n]", "", "f16[0,n]", "f16[0,n]"},
    {"bitcast", "u8[3]", "", "f8e4m3[3]", "f8e4m3[3]"},
    {"bitcast", "bool[3]", "", "bool[3]", "bool[3]"},
};

static const infer_bad bad_elementwise[] = {
    // operands
    {"add", "f32[2]", "", "", "arity", "add: given 1 operand — takes 2: lhs rhs"},
    {"sin", "", "", "", "arity", "sin: given 0 operands — takes 1: x"},
    {"fma", "f32[]; f32[]; f32[]; f32[]", "", "", "arity", "fma: given 4 operands — takes 3: a b c"},
    {"cmath", "", "fn = \"j0\"", "", "arity", "cmath: given 0 operands — takes 1 or more: xs+"},
    // dtypes
    {"sqrt", "i32[4]", "", "", "dtype_mismatch", "sqrt: i32[4] — takes floating dtypes"},
    {"neg", "u32[4]", "", "", "dtype_mismatch", "neg: u32[4] — takes floating and signed dtypes"},
    {"not", "f32[]", "", "", "dtype_mismatch", "not: f32[] — takes signed, unsigned and bool dtypes"},
    {"popcnt", "bool[n]", "", "", "dtype_mismatch", "popcnt: bool[n] — takes signed and unsigned dtypes"},
    {"add", "bool[2]; bool[2]", "", "", "dtype_mismatch", "add: bool[2] and bool[2] — takes floating, signed and unsigned dtypes"},
    {"max", "f8e4m3[2]; f8e4m3[2]", "", "", "dtype_mismatch", "max: f8e4m3[2] and f8e4m3[2] — f8e4m3 is for storage: convert first"},
    {"is_finite", "i32[2]", "", "", "dtype_mismatch", "is_finite: i32[2] — takes floating dtypes"},
    {"add", "f32[2]; f64[2]", "", "", "dtype_mismatch", "add: f32[2] and f64[2] — dtypes differ: convert one of them"},
    {"fma", "f32[2]; f32[2]; f16[2]", "", "", "dtype_mismatch", "fma: f32[2] and f32[2] and f16[2] — dtypes differ: convert one of them"},
    {"compare", "f32[2]; i32[2]", "dir = eq", "", "dtype_mismatch", "compare: f32[2] and i32[2] — dtypes differ: convert one of them"},
    {"clamp", "f32[]; f64[2]; f32[]", "", "", "dtype_mismatch", "clamp: f32[] and f64[2] and f32[] — dtypes differ: convert one of them"},
    {"clamp", "bool[]; bool[2]; bool[]", "", "", "dtype_mismatch", "clamp: bool[] and bool[2] and bool[] — takes floating, signed and unsigned dtypes"},
    {"add", "c64[2]; c64[2]", "", "", "unsupported", "add: c64[2] and c64[2] — c64 is reserved: complex numbers and 4-bit integers are refused for now"},
    {"stop_gradient", "u4[2]", "", "", "unsupported", "stop_gradient: u4[2] — u4 is reserved: complex numbers and 4-bit integers are refused for now"},
    {"convert", "f32[2]", "", "c128[2]", "unsupported", "convert: f32[2] — c128 is reserved: complex numbers and 4-bit integers are refused for now"},
    {"select", "bool[]; i4[2]; i4[2]", "", "", "unsupported", "select: bool[] and i4[2] and i4[2] — i4 is reserved: complex numbers and 4-bit integers are refused for now"},
    {"neg", "tape<f32[2]>", "", "", "dtype_mismatch", "neg: tape<f32[2]> — takes arrays, a tape goes to push and pop"},
    {"convert", "f32[2]", "", "tape<f32[2]>", "dtype_mismatch", "convert: f32[2] — takes arrays, a tape goes to push and pop"},
    // shapes
    {"add", "f32[2]; f32[3]", "", "", "shape_mismatch", "add: f32[2] and f32[3] — axis 0 is 2 in lhs and 3 in rhs"},
    {"add", "f32[2,n]; f32[2,n + 1]", "", "", "shape_mismatch", "add: f32[2,n] and f32[2,n + 1] — axis 1 is n in lhs and n + 1 in rhs"},
    {"add", "f32[2]; f32[2,3]", "", "", "rank", "add: f32[2] and f32[2,3] — ranks differ: 1 in lhs and 2 in rhs"},
    {"add", "f32[]; f32[2]", "", "", "rank", "add: f32[] and f32[2] — ranks differ: 0 in lhs and 1 in rhs"},
    {"fma", "f32[2]; f32[2]; f32[3]", "", "", "shape_mismatch", "fma: f32[2] and f32[2] and f32[3] — axis 0 is 2 in a and 3 in c"},
    {"compare", "f32[2]; f32[0]", "dir = ne", "", "shape_mismatch", "compare: f32[2] and f32[0] — axis 0 is 2 in lhs and 0 in rhs"},
    {"add", "f32[n]; f32[m]", "", "", "dims_undecided", "add: f32[n] and f32[m] — axis 0 is n in lhs and m in rhs: nothing says that n and m are equal; use one symbol or add a requires clause"},
    {"add", "f32[n]; f32[4]", "", "", "dims_undecided", "add: f32[n] and f32[4] — axis 0 is n in lhs and 4 in rhs: nothing says that n and 4 are equal; use one symbol or add a requires clause"},
    // names
    {"add", "f32[batch:4]; f32[hidden:4]", "", "", "axis_mismatch", "add: f32[batch:4] and f32[hidden:4] — axis 0 is named batch in lhs and hidden in rhs"},
    {"mul", "f32[a:2, b:n]; f32[2, c:n]", "", "", "axis_mismatch", "mul: f32[a:2, b:n] and f32[2, c:n] — axis 1 is named b in lhs and c in rhs"},
    {"fma", "f32[2]; f32[x:2]; f32[y:2]", "", "", "axis_mismatch", "fma: f32[2] and f32[x:2] and f32[y:2] — axis 0 is named x in a and y in c"},
    {"select", "bool[a:2]; f32[b:2]; f32[2]", "", "", "axis_mismatch", "select: bool[a:2] and f32[b:2] and f32[2] — axis 0 is named b in on_true and a in pred"},
    // rules of their own
    {"polygamma", "f64[]", "n = -1", "", "attribute", "polygamma: n is -1, at least 0 is wanted"},
    {"polygamma", "f64[]", "", "", "attribute", "polygamma: n is missing — it takes n"},
    {"compare", "f32[]; f32[]", "", "", "attribute", "compare: dir is missing — it takes dir"},
    {"neg", "f32[2]", "nowrap = true", "", "attribute", "neg: nowrap is given for f32, it is for integers"},
    {"select", "i32[2]; f32[2]; f32[2]", "", "", "dtype_mismatch", "select: i32[2] and f32[2] and f32[2] — pred is i32, bool is wanted"},
    {"select", "bool[2]; f32[2]; f64[2]", "", "", "dtype_mismatch", "select: bool[2] and f32[2] and f64[2] — dtypes of on_true and on_false differ: convert one of them"},
    {"select", "bool[]; f32[2]; f32[3]", "", "", "shape_mismatch", "select: bool[] and f32[2] and f32[3] — axis 0 is 2 in on_true and 3 in on_false"},
    {"select", "bool[1]; f32[2]; f32[2]", "", "", "shape_mismatch", "select: bool[1] and f32[2] and f32[2] — axis 0 is 2 in on_true and 1 in pred"},
    {"clamp", "f32[2]; f32[3]; f32[]", "", "", "shape_mismatch", "clamp: f32[2] and f32[3] and f32[] — axis 0 is 3 in x and 2 in lo"},
    {"clamp", "f32[]; f32[]; f32[2]", "", "", "rank", "clamp: f32[] and f32[] and f32[2] — ranks differ: 0 in x and 1 in hi"},
    {"convert", "f32[2]", "", "f64[3]", "shape_mismatch", "convert: f32[2] — axis 0 is 3 in the result and 2 in x"},
    {"convert", "f32[2]", "", "f64[2,1]", "rank", "convert: f32[2] — ranks differ: 2 in the result and 1 in x"},
    {"convert", "f32[a:2]", "", "f64[b:2]", "axis_mismatch", "convert: f32[a:2] — axis 0 is named b in the result and a in x"},
    {"convert", "f32[2]", "", "", "arity", "convert: given 0 result types — takes 1"},
    {"bitcast", "f32[2]", "", "f64[2]", "dtype_mismatch", "bitcast: f32[2] — the result is f64: f32 has 4 bytes an element, f64 has 8"},
    {"bitcast", "u8[2]", "", "bool[2]", "dtype_mismatch", "bitcast: u8[2] — the result is bool: bool is one bit, convert or compare instead"},
    {"bitcast", "bool[2]", "", "u8[2]", "dtype_mismatch", "bitcast: bool[2] — the result is u8: bool is one bit, convert or compare instead"},
    {"bitcast", "f32[2]", "", "u32[3]", "shape_mismatch", "bitcast: f32[2] — axis 0 is 3 in the result and 2 in x"},
    {"cmath", "f64[2]", "fn = \"gama\"", "", "attribute", "cmath: fn is gama, which is no row of libm.def: tgamma exp10 log10 logb rint nearbyint j0 j1 y0 y1 jn yn fmin fmax fdim remainder ldexp scalbn frexp modf remquo ilogb lrint lround signbit isnan isinf"},
    {"cmath", "f64[2]; f64[2]", "fn = \"j0\"", "", "arity", "cmath: f64[2] and f64[2] — j0 takes 1 operand, given 2"},
    {"cmath", "f64[2]", "fn = \"fdim\"", "", "arity", "cmath: f64[2] — fdim takes 2 operands, given 1"},
    {"cmath", "f64[2]; i64[2]", "fn = \"ldexp\"", "", "dtype_mismatch", "cmath: f64[2] and i64[2] — operand 1 of ldexp is i32, given i64"},
    {"cmath", "i32[2]", "fn = \"j0\"", "", "dtype_mismatch", "cmath: i32[2] — operand 0 of j0 takes floating dtypes, given i32"},
    {"cmath", "f64[2]; f32[2]", "fn = \"fmax\"", "", "dtype_mismatch", "cmath: f64[2] and f32[2] — dtypes differ: convert one of them"},
    {"cmath", "f64[2]; i32[3]", "fn = \"ldexp\"", "", "shape_mismatch", "cmath: f64[2] and i32[3] — axis 0 is 2 in xs[0] and 3 in xs[1]"},
};
// clang-format on
