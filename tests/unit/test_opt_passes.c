// SPDX-License-Identifier: Apache-2.0
// test_opt_passes.c - each pass on small texts: what it does, and what it must leave alone.
#include <stdlib.h>

#include "chaac/func.h"
#include "opt/opt.h"
#include "unit.h"

static char *run_pass(const char *pass, const char *params, const char *results, const char *body) {
    ch_func *f = NULL, *g = NULL;
    char *text = NULL, source[8192];
    snprintf(source, sizeof source, "chaac-ir 1\nfunc @f(%s) -> %s {\n%s}\n", params, results, body);
    if (ch_func_parse(source, "test", &f) != CH_OK) fail_msg("%s", ch_error_message());
    if (ch_func_run_pass(f, pass, &g) != CH_OK) fail_msg("%s", ch_error_message());
    assert_int_equal(ch_func_to_text(g, &text), CH_OK);
    ch_func_destroy(f);
    ch_func_destroy(g);
    return text;
}

// The body of the func after the pass, line by line.
static void expect(const char *pass, const char *params, const char *results, const char *body, const char *after) {
    char *text = run_pass(pass, params, results, body);
    char *start = strstr(text, "{\n"), *end = strrchr(text, '}');
    assert_non_null(start);
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(start + 2, after);
    ch_string_free(text);
}

#define X "%x: f32[3]"
#define OPT(params, results, body, after) expect("optimize", params, results, body, after)

static void test_simplify_identities(void **state) {
    (void)state;
    OPT(X, "f32[3]", "  %1 = const {value = 1} : f32[3]\n  %y = mul %x, %1 : f32[3]\n  return %y\n", "  return %x\n");
    OPT(X, "f32[3]", "  %1 = const {value = 1} : f32[3]\n  %y = div %x, %1 : f32[3]\n  return %y\n", "  return %x\n");
    OPT(X, "f32[3]", "  %1 = const {value = 0} : f32[3]\n  %y = sub %x, %1 : f32[3]\n  return %y\n", "  return %x\n");
    OPT(X, "f32[3]", "  %1 = const {value = -0} : f32[3]\n  %y = add %1, %x : f32[3]\n  return %y\n", "  return %x\n");
    OPT(X, "f32[3]", "  %1 = neg %x : f32[3]\n  %y = neg %1 : f32[3]\n  return %y\n", "  return %x\n");
    OPT(X, "f32[3]", "  %1 = const {value = -1} : f32[3]\n  %y = mul %x, %1 : f32[3]\n  return %y\n",
        "  %y = neg %x : f32[3]\n  return %y\n");
    OPT(X, "f32[3]", "  %1 = neg %x : f32[3]\n  %y = sub %x, %1 : f32[3]\n  return %y\n",
        "  %y = add %x, %x : f32[3]\n  return %y\n");
    OPT("%x: bool[3]", "bool[3]", "  %1 = not %x : bool[3]\n  %y = not %1 : bool[3]\n  return %y\n", "  return %x\n");
    OPT("%x: i32[3]", "i32[3]", "  %1 = const {value = 0} : i32[3]\n  %y = add %x, %1 : i32[3]\n  return %y\n",
        "  return %x\n");
}

// What would change a bit: -0 + 0 is +0, 0 * inf is NaN, -(a - a) is -0.
static void test_simplify_leaves_bits(void **state) {
    (void)state;
    const char *plus_zero = "  %0 = const {value = 0} : f32[3]\n  %y = add %x, %0 : f32[3]\n  return %y\n";
    const char *minus_minus_zero = "  %0 = const {value = -0} : f32[3]\n  %y = sub %x, %0 : f32[3]\n  return %y\n";
    const char *times_zero = "  %0 = const {value = 0} : f32[3]\n  %y = mul %x, %0 : f32[3]\n  return %y\n";
    const char *minus_itself = "  %y = sub %x, %x : f32[3]\n  return %y\n";
    const char *neg_difference = "  %0 = sub %x, %z : f32[3]\n  %y = neg %0 : f32[3]\n  return %y\n";
    const char *sums = "  %0 = add %x, %z : f32[3]\n  %y = add %0, %z : f32[3]\n  return %y\n";
    OPT(X, "f32[3]", plus_zero, plus_zero);
    OPT(X, "f32[3]", minus_minus_zero, minus_minus_zero);
    OPT(X, "f32[3]", times_zero, times_zero);
    OPT(X, "f32[3]", minus_itself, minus_itself);
    OPT(X ", %z: f32[3]", "f32[3]", neg_difference,
        "  %0 = sub %x, %z : f32[3]\n  %y = neg %0 : f32[3]\n  return %y\n");
    OPT(X ", %z: f32[3]", "f32[3]", sums, "  %0 = add %x, %z : f32[3]\n  %y = add %0, %z : f32[3]\n  return %y\n");
}

static void test_simplify_converts(void **state) {
    (void)state;
    OPT("%x: bf16[3]", "bf16[3]", "  %1 = convert %x : f32[3]\n  %y = convert %1 : bf16[3]\n  return %y\n",
        "  return %x\n");
    OPT("%x: f32[3]", "bf16[3]", "  %1 = convert %x : f64[3]\n  %y = convert %1 : bf16[3]\n  return %y\n",
        "  %y = convert %x : bf16[3]\n  return %y\n");
    OPT("%x: u8[3]", "i8[3]", "  %1 = convert %x : i32[3]\n  %y = convert %1 : i8[3]\n  return %y\n",
        "  %y = convert %x : i8[3]\n  return %y\n");
    // Rounding twice, and wrapping against saturating.
    const char *rounds = "  %0 = convert %x : f32[3]\n  %y = convert %0 : bf16[3]\n  return %y\n";
    const char *saturates = "  %0 = convert %x : f64[3]\n  %y = convert %0 : i8[3]\n  return %y\n";
    OPT("%x: f64[3]", "bf16[3]", rounds, rounds);
    OPT("%x: i32[3]", "i8[3]", saturates, saturates);
}

static void test_simplify_shapes(void **state) {
    (void)state;
    OPT("%x: f32[2,3]", "f32[2,3]",
        "  %1 = reshape %x : f32[6]\n  %2 = reshape %1 : f32[3,2]\n  %y = reshape %2 : f32[2,3]\n  return %y\n",
        "  return %x\n");
    OPT("%x: f32[2,3,4]", "f32[2,3,4]",
        "  %1 = transpose %x {perm = [1,2,0]} : f32[3,4,2]\n  %y = transpose %1 {perm = [2,0,1]} : f32[2,3,4]\n  "
        "return %y\n",
        "  return %x\n");
    OPT("%x: f32[3]", "f32[4,2,3]",
        "  %1 = broadcast %x {dims = [1]} : f32[2,3]\n  %y = broadcast %1 {dims = [1,2]} : f32[4,2,3]\n  return %y\n",
        "  %y = broadcast %x {dims = [2]} : f32[4,2,3]\n  return %y\n");
    OPT("%x: f32[n]", "f32[n]", "  %y = slice %x {start = [0], limit = [n]} : f32[n]\n  return %y\n", "  return %x\n");
    OPT("%x: f32[n]", "f32[n]",
        "  %1 = reverse %x {dims = [0]} : f32[n]\n  %y = reverse %1 {dims = [0]} : f32[n]\n  return %y\n",
        "  return %x\n");
    OPT("%x: f32[n]", "f32[n]", "  %y = concat %x {dim = 0} : f32[n]\n  return %y\n", "  return %x\n");
    OPT("%x: f32[n]", "f32[n,2]",
        "  %c = const {value = 2} : f32[]\n  %1 = broadcast %c {dims = []} : f32[n]\n  %2 = broadcast %1 {dims = [0]} "
        ": f32[n,2]\n"
        "  return %2\n",
        "  %0 = const {value = 2} : f32[n,2]\n  return %0\n");
}

// What was just put is there; what is put over is lost. Another place is another matter.
static void test_simplify_puts(void **state) {
    (void)state;
    OPT("%x: f64[4], %i: i64[], %v: f64[]", "f64[]",
        "  %a = set %x[%i], %v : f64[4]\n  %y = get %a[%i] : f64[]\n  return %y\n", "  return %v\n");
    OPT("%x: f64[4], %i: i64[], %j: i64[], %v: f64[]", "f64[]",
        "  %a = set %x[%i], %v : f64[4]\n  %y = get %a[%j] : f64[]\n  return %y\n",
        "  %a = set %x[%i], %v : f64[4]\n  %y = get %a[%j] : f64[]\n  return %y\n");
    OPT("%x: f64[4], %i: i64[], %v: f64[], %w: f64[]", "f64[4]",
        "  %a = set %x[%i], %v : f64[4]\n  %y = set %a[%i], %w : f64[4]\n  return %y\n",
        "  %y = set %x[%i], %w : f64[4]\n  return %y\n");
    OPT("%x: f64[n + 2], %v: f64[n]", "f64[n]",
        "  %i = const {value = 1} : i64[]\n  %a = dynamic_update_slice %x, %v, %i : f64[n + 2]\n"
        "  %y = slice %a {start = [1], limit = [n + 1]} : f64[n]\n  return %y\n",
        "  return %v\n");
    OPT("%x: f64[n + 2], %v: f64[n]", "f64[n]",
        "  %i = const {value = 1} : i64[]\n  %a = dynamic_update_slice %x, %v, %i : f64[n + 2]\n"
        "  %y = slice %a {start = [2], limit = [n + 2]} : f64[n]\n  return %y\n",
        "  %i = const {value = 1} : i64[]\n  %a = dynamic_update_slice %x, %v, %i : f64[n + 2]\n"
        "  %y = slice %a {start = [2], limit = [n + 2]} : f64[n]\n  return %y\n");
    OPT("%x: f64[4], %v: f64[2], %w: f64[2], %i: i64[]", "f64[4]",
        "  %a = dynamic_update_slice %x, %v, %i : f64[4]\n  %y = dynamic_update_slice %a, %w, %i : f64[4]\n"
        "  return %y\n",
        "  %y = dynamic_update_slice %x, %w, %i : f64[4]\n  return %y\n");
    OPT("%x: f64[4], %v: f64[2], %i: i64[]", "f64[2]",
        "  %a = dynamic_update_slice %x, %v, %i : f64[4]\n  %y = dynamic_slice %a, %i {sizes = [2]} : f64[2]\n"
        "  return %y\n",
        "  return %v\n");
    // Two zeros are one number to a comparison.
    OPT("%x: f64[4]", "bool[4]",
        "  %z = const {value = 0} : f64[4]\n  %a = neg %x : f64[4]\n"
        "  %y = compare %a, %z {dir = eq} : bool[4]\n  return %y\n",
        "  %z = const {value = 0} : f64[4]\n  %y = compare %x, %z {dir = eq} : bool[4]\n  return %y\n");
}

// What both branches yield, and what a loop hands on as it was, at times only because both branches do.
static void test_simplify_unchanged(void **state) {
    (void)state;
    OPT("%x: f32[], %p: bool[]", "f32[]",
        "  %a, %b = if %p {\n    %c = sin %x : f32[]\n    yield %x, %c\n  } else {\n    yield %x, %x\n  } : f32[], "
        "f32[]\n  %y = add %a, %b : f32[]\n  return %y\n",
        "  %b = if %p {\n    %c = sin %x : f32[]\n    yield %c\n  } else {\n    yield %x\n  } : f32[]\n"
        "  %y = add %x, %b : f32[]\n  return %y\n");
    OPT("%x: f32[], %n: i64[], %p: bool[]", "f32[]",
        "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n"
        "  %s1, %t1 = for %i = %0 to %n step %1 iter(%s = %x, %t = %x) {\n"
        "    %t2 = if %p {\n      yield %t\n    } else {\n      yield %t\n    } : f32[]\n"
        "    %s2 = add %s, %t2 : f32[]\n    yield %s2, %t2\n  } : f32[], f32[]\n  %y = add %s1, %t1 : f32[]\n"
        "  return %y\n",
        "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n"
        "  %s1 = for %i = %0 to %n step %1 iter(%s = %x) {\n    %s2 = add %s, %x : f32[]\n    yield %s2\n"
        "  } : f32[]\n  %y = add %s1, %x : f32[]\n  return %y\n");
    const char *swapped = // each is handed on, but not as itself
        "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n"
        "  %s1, %t1 = for %i = %0 to %n step %1 iter(%s = %x, %t = %z) {\n    yield %t, %s\n"
        "  } : f32[], f32[]\n  return %s1\n";
    OPT("%x: f32[], %z: f32[], %n: i64[]", "f32[]", swapped, swapped);
}

static void test_fold(void **state) {
    (void)state;
    OPT("", "f32[2]",
        "  %a = const {value = [1,2]} : f32[2]\n  %b = const {value = [3,5]} : f32[2]\n  %y = mul %a, %b : f32[2]\n  "
        "return %y\n",
        "  %y = const {value = [3, 10]} : f32[2]\n  return %y\n");
    // One number for a shape that is not known.
    OPT("%x: f32[n]", "f32[n]",
        "  %a = const {value = 4} : f32[n]\n  %s = sqrt %a : f32[n]\n  %y = mul %x, %s : f32[n]\n  return %y\n",
        "  %s = const {value = 2} : f32[n]\n  %y = mul %x, %s : f32[n]\n  return %y\n");
    OPT("%x: f32[n]", "i64[]", "  %y = dim {e = 3} : i64[]\n  return %y\n",
        "  %y = const {value = 3} : i64[]\n  return %y\n");
    OPT("%x: f32[]", "f32[]",
        "  %t = const {value = true} : bool[]\n  %y = if %t {\n    %a = sin %x : f32[]\n    yield %a\n  } else {\n    "
        "yield %x\n  } : f32[]\n"
        "  return %y\n",
        "  %a = sin %x : f32[]\n  return %a\n");
    // More elements than are worth keeping: left as it is.
    OPT("", "i64[10,10]", "  %a = iota {dim = 0} : i64[10,10]\n  %y = add %a, %a : i64[10,10]\n  return %y\n",
        "  %a = iota {dim = 0} : i64[10,10]\n  %y = add %a, %a : i64[10,10]\n  return %y\n");
    // What fails is left for run time to report.
    const char *out = "  %a = const {value = [1, 2]} : f32[2]\n  %i = const {value = 7} : i64[]\n  %y = get %a[%i] : "
                      "f32[]\n  return %y\n";
    OPT("", "f32[]", out, out);
}

static void test_cse(void **state) {
    (void)state;
    expect("cse", "%x: f32[], %z: f32[]", "(f32[], f32[])",
           "  %a = mul %x, %z : f32[]\n  %b = mul %z, %x : f32[]\n  %c = sub %a, %b : f32[]\n  return %c, %b\n",
           "  %a = mul %x, %z : f32[]\n  %c = sub %a, %a : f32[]\n  return %c, %a\n");
    // Of branches: an outer value is seen inside, not the other way round, nor from one side in the other.
    const char *branches =
        "  %a = sin %x : f32[]\n  %y = if %p {\n    %b = sin %x : f32[]\n    %c = cos %x : f32[]\n"
        "    %d = add %b, %c : f32[]\n    yield %d\n  } else {\n    %e = cos %x : f32[]\n    yield %e\n  } : f32[]\n"
        "  %g = cos %x : f32[]\n  %h = mul %g, %a : f32[]\n  %i = mul %h, %y : f32[]\n  return %i\n";
    expect("cse", "%x: f32[], %p: bool[]", "f32[]", branches,
           "  %a = sin %x : f32[]\n  %y = if %p {\n    %c = cos %x : f32[]\n    %d = add %a, %c : f32[]\n    yield %d\n"
           "  } else {\n    %e = cos %x : f32[]\n    yield %e\n  } : f32[]\n  %g = cos %x : f32[]\n"
           "  %h = mul %g, %a : f32[]\n  %i = mul %h, %y : f32[]\n  return %i\n");
    // Which of two equal operands comes first matters to tie = first; allocs and barriers stay apart.
    const char *apart = "  %a = max %x, %z {tie = first} : f32[]\n  %b = max %z, %x {tie = first} : f32[]\n"
                        "  %c = barrier %x : f32[]\n  %d = barrier %x : f32[]\n  return %a, %b, %c, %d\n";
    expect("cse", "%x: f32[], %z: f32[]", "(f32[], f32[], f32[], f32[])", apart, apart);
    const char *allocs = "  %a = alloc : f32[4]\n  %b = alloc : f32[4]\n  return %a, %b\n";
    expect("cse", "", "(f32[4], f32[4])", allocs, allocs);
}

static void test_dce(void **state) {
    (void)state;
    expect("dce", "%x: f32[], %n: i64[]", "f32[]", "  %a = sin %x : f32[]\n  %b = cos %a : f32[]\n  return %a\n",
           "  %a = sin %x : f32[]\n  return %a\n");
    // Results of a branch that nobody uses, with what they need.
    expect(
        "dce", "%x: f32[], %p: bool[]", "f32[]",
        "  %a, %b = if %p {\n    %c = sin %x : f32[]\n    %d = cos %x : f32[]\n    yield %c, %d\n  } else {\n    yield "
        "%x, %x\n"
        "  } : f32[], f32[]\n  return %b\n",
        "  %b = if %p {\n    %d = cos %x : f32[]\n    yield %d\n  } else {\n    yield %x\n  } : f32[]\n  return %b\n");
    // Carried values: %s lives by itself, %t only because %s needs it, %u feeds only itself.
    expect("dce", "%x: f32[], %n: i64[]", "f32[]",
           "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n"
           "  %s1, %t1, %u1 = for %i = %0 to %n step %1 iter(%s = %x, %t = %x, %u = %x) {\n"
           "    %s2 = add %s, %t : f32[]\n    %t2 = mul %t, %x : f32[]\n    %u2 = mul %u, %t : f32[]\n    yield %s2, "
           "%t2, %u2\n"
           "  } : f32[], f32[], f32[]\n  return %s1\n",
           "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n"
           "  %s1, %t1 = for %i = %0 to %n step %1 iter(%s = %x, %t = %x) {\n"
           "    %s2 = add %s, %t : f32[]\n    %t2 = mul %t, %x : f32[]\n    yield %s2, %t2\n"
           "  } : f32[], f32[]\n  return %s1\n");
    expect("dce", "%x: f32[], %n: i64[]", "f32[]",
           "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n  %i1, %a1, %b1 = while iter(%i = %0, "
           "%a = %x, %b = %x) {\n"
           "    %c = compare %i, %n {dir = lt} : bool[]\n    yield %c\n  } do {\n    %i2 = add %i, %1 : i64[]\n"
           "    %a2 = mul %a, %x : f32[]\n    %b2 = mul %b, %x : f32[]\n    yield %i2, %a2, %b2\n  } : i64[], f32[], "
           "f32[]\n  return %b1\n",
           "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n  %i1, %b1 = while iter(%i = %0, %b = "
           "%x) {\n"
           "    %c = compare %i, %n {dir = lt} : bool[]\n    yield %c\n  } do {\n    %i2 = add %i, %1 : i64[]\n"
           "    %b2 = mul %b, %x : f32[]\n    yield %i2, %b2\n  } : i64[], f32[]\n  return %b1\n");
}

static void test_inline(void **state) {
    (void)state;
    ch_func *f = NULL, *g = NULL;
    // Sizes of the callee in the caller's terms; a recursive func stays a call.
    const char *text =
        "chaac-ir 1\n"
        "func @g(%a: f32[m]) -> f32[m] {\n  %s = sin %a : f32[m]\n  %r = call @rec(%s) : f32[m]\n  return %r\n}\n"
        "func @rec(%a: f32[m]) -> f32[m] {\n  %r = call @rec(%a) : f32[m]\n  return %r\n}\n"
        "func @f(%x: f32[n,2]) -> f32[2*n] {\n  %v = reshape %x : f32[2*n]\n  %y = call @g(%v) : f32[2*n]\n"
        "  %z = call @g(%y) : f32[2*n]\n  return %z\n}\n";
    if (ch_func_parse(text, "test", &f) != CH_OK) fail_msg("%s", ch_error_message());
    if (ch_func_run_pass(f, "inline", &g) != CH_OK) fail_msg("%s", ch_error_message());
    char *after = NULL;
    assert_int_equal(ch_func_to_text(g, &after), CH_OK);
    assert_non_null(strstr(after,
                           "  %v = reshape %x : f32[2*n]\n  %s = sin %v : f32[2*n]\n  %y = call @rec(%s) : f32[2*n]\n"
                           "  %s_1 = sin %y : f32[2*n]\n  %z = call @rec(%s_1) : f32[2*n]\n  return %z\n"));
    assert_null(strstr(after, "@g"));
    ch_string_free(after);
    ch_func_destroy(f);
    ch_func_destroy(g);
    expect("composites", "%x: f32[3]", "f32[3]",
           "  %y = composite \"twice\"(%a = %x) {version = 1} {\n    %b = add %a, %a : f32[3]\n    yield %b\n  } : "
           "f32[3]\n  return %y\n",
           "  %y = add %x, %x : f32[3]\n  return %y\n");
}

// A loop to a size over an array of n, %old: does the pass start it anew?
static bool begins_anew(const char *to, const char *turn, const char *end) {
    char body[2048];
    snprintf(body, sizeof body,
             "  %%0 = const {value = 0} : i64[]\n  %%1 = const {value = 1} : i64[]\n  %%n = dim {e = %s} : i64[]\n"
             "  %%y = for %%i = %%0 to %%n step %%1 iter(%%p = %%old) {\n%s    yield %s\n  } : f64[n]\n  return %%y\n",
             to, turn, end);
    char *text = run_pass("fresh", "%old: f64[n], %v: f64[], %c: bool[]", "f64[n]", body);
    bool anew = strstr(text, "iter(%p = %old)") == NULL;
    ch_string_free(text);
    return anew;
}

// Written from end to end before it is read: yes. In one turn only, or not at the end, or after a look ahead: no.
static void test_fresh(void **state) {
    (void)state;
    const char *all = "    %q = set %p[%i], %v : f64[n]\n";
    assert_true(begins_anew("n", all, "%q"));
    assert_false(begins_anew("n - 1", all, "%q"));
    assert_true(begins_anew("n",
                            "    %q = set %p[%i], %v : f64[n]\n    %g = get %q[%i] : f64[]\n"
                            "    %h = mul %g, %g : f64[]\n    %r = set %q[%i], %h : f64[n]\n",
                            "%r"));
    assert_false(begins_anew("n", "    %g = get %p[%i] : f64[]\n    %q = set %p[%i], %g : f64[n]\n", "%q"));
    assert_false(begins_anew("n",
                             "    %q = set %p[%i], %v : f64[n]\n    %g = get %q[%1] : f64[]\n"
                             "    %r = set %q[%i], %g : f64[n]\n",
                             "%r"));
    assert_false(begins_anew("n", "    %q = set %p[%1], %v : f64[n]\n", "%q"));
    assert_false(begins_anew("n",
                             "    %q = if %c {\n      %s = set %p[%i], %v : f64[n]\n      yield %s\n    } else {\n"
                             "      yield %p\n    } : f64[n]\n",
                             "%q"));
    const char *before = "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n"
                         "  %a = set %x[%0], %v : f64[2]\n  %b = set %a[%1], %v : f64[2]\n  return %b\n";
    char *text = run_pass("fresh", "%x: f64[2], %v: f64[]", "f64[2]", before);
    assert_null(strstr(text, "set %x"));
    ch_string_free(text);
    text = run_pass("fresh", "%x: f64[3], %v: f64[]", "f64[3]",
                    "  %0 = const {value = 0} : i64[]\n  %1 = const {value = 1} : i64[]\n"
                    "  %a = set %x[%0], %v : f64[3]\n  %b = set %a[%1], %v : f64[3]\n  return %b\n");
    assert_non_null(strstr(text, "set %x"));
    ch_string_free(text);
}

// p grows by k in each turn from a to n: it is a function of the counter. What does not grow alike stays.
static void test_count(void **state) {
    (void)state;
    const char *params = "%a: i64[], %n: i64[], %p: i64[], %k: i64[], %x: f64[]";
    const char *loop = "  %%1 = const {value = 1} : i64[]\n  %%z = const {value = 0} : f64[]\n"
                       "  %%y, %%s = for %%i = %%a to %%n step %%1 iter(%%q = %%p, %%t = %%z) {\n"
                       "    %%f = convert %%q : f64[]\n    %%u = add %%t, %%f : f64[]\n"
                       "    %%r = add %%q, %s%s : i64[]\n    yield %%r, %%u\n  } : i64[], f64[]\n"
                       "  return %%y, %%s\n";
    static const struct {
        const char *k, *attr;
        bool counts;
    } cases[] = {{"%k", " {nowrap = true}", true},
                 {"%1", " {nowrap = true}", true},
                 {"%1", "", false},
                 {"%i", " {nowrap = true}", false},
                 {"%q", " {nowrap = true}", false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char body[1024];
        snprintf(body, sizeof body, loop, cases[c].k, cases[c].attr);
        char *text = run_pass("count", params, "(i64[], f64[])", body);
        assert_int_equal(strstr(text, "iter(%q") == NULL, cases[c].counts);
        ch_string_free(text);
    }
}

static void test_widen(void **state) {
    (void)state;
    ch_func *f = NULL, *g = NULL;
    const char *text = "chaac-ir 1\nfunc @f(%x: bf16[n], %i: i32[n]) -> f32[] {\n  %c = const {value = 0.5} : bf16[n]\n"
                       "  %m = mul %x, %c : bf16[n]\n  %w = convert %m : f32[n]\n"
                       "  %r = reduce %w {kind = sum, dims = [0], acc = f32, order = seq} : f32[]\n  return %r\n}\n";
    if (ch_func_parse(text, "test", &f) != CH_OK || ch_func_widen(f, &g) != CH_OK) fail_msg("%s", ch_error_message());
    char *after = NULL;
    assert_int_equal(ch_func_to_text(g, &after), CH_OK);
    assert_string_equal(after,
                        "chaac-ir 1\nfunc @f(%x: f64[n], %i: i32[n]) -> f64[] {\n  %c = const {value = 0.5} : f64[n]\n"
                        "  %m = mul %x, %c : f64[n]\n  %w = convert %m : f64[n]\n"
                        "  %r = reduce %w {kind = sum, dims = [0], acc = f64, order = seq} : f64[]\n  return %r\n}\n");
    ch_string_free(after);
    ch_func_destroy(f);
    ch_func_destroy(g);
    text = "chaac-ir 1\nfunc @f(%x: f32[n]) -> i32[n] {\n  %b = bitcast %x : i32[n]\n  return %b\n}\n";
    assert_int_equal(ch_func_parse(text, "test", &f), CH_OK);
    assert_int_equal(ch_func_widen(f, &g), CH_UNIMPLEMENTED);
    assert_string_equal(ch_error_message(), "widen: bitcast in @f between f32 and i32 — its bits have no f64 form");
    ch_func_destroy(f);
}

static void test_bad_input(void **state) {
    (void)state;
    ch_func *f = NULL, *g = NULL;
    assert_int_equal(ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[]) -> f32[] {\n  return %x\n}\n", "test", &f), CH_OK);
    assert_int_equal(ch_func_run_pass(f, "vectorize", &g), CH_NOT_FOUND);
    assert_string_equal(ch_error_id(), "unknown_name");
    assert_string_equal(ch_error_message(),
                        "ch_func_run_pass: no pass 'vectorize' — there are inline, composites, fold, simplify, cse, "
                        "dce, count, fresh, widen, optimize");
    assert_int_equal(ch_func_simplify(NULL, &g), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "ch_func_simplify: the func is NULL — a func and a place for the result are needed");
    ch_func_destroy(f);
}

// A func of loops in loops is scanned once, not once a level to the power of the depth.
static void test_dce_nested_loops(void **state) {
    (void)state;
    enum { DEPTH = 60 };
    static char body[64 * 1024];
    size_t n = 0;
    for (int i = 0; i < DEPTH; i++) {
        char init[16] = "x";
        if (i > 0) snprintf(init, sizeof init, "a%d", i - 1);
        n += (size_t)snprintf(body + n, sizeof body - n,
                              "%%r%d = for %%i%d = %%n to %%n step %%n iter(%%a%d = %%%s) {\n", i, i, i, init);
    }
    n += (size_t)snprintf(body + n, sizeof body - n, "%%m = mul %%a%d, %%x : f32[]\n%%dead = sin %%m : f32[]\n",
                          DEPTH - 1);
    for (int i = DEPTH - 1; i >= 0; i--) {
        if (i == DEPTH - 1)
            n += (size_t)snprintf(body + n, sizeof body - n, "yield %%m\n} : f32[]\n");
        else
            n += (size_t)snprintf(body + n, sizeof body - n, "yield %%r%d\n} : f32[]\n", i + 1);
    }
    snprintf(body + n, sizeof body - n, "return %%r0\n");
    char *text = run_pass("dce", "%x: f32[], %n: i64[]", "f32[]", body);
    assert_non_null(strstr(text, "%r59"));
    assert_null(strstr(text, "%dead"));
    ch_string_free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simplify_identities),
        cmocka_unit_test(test_simplify_leaves_bits),
        cmocka_unit_test(test_simplify_converts),
        cmocka_unit_test(test_simplify_shapes),
        cmocka_unit_test(test_simplify_puts),
        cmocka_unit_test(test_simplify_unchanged),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_cse),
        cmocka_unit_test(test_dce),
        cmocka_unit_test(test_inline),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_fresh),
        cmocka_unit_test(test_widen),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_dce_nested_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
