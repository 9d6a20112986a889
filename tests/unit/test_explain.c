// SPDX-License-Identifier: Apache-2.0
// test_explain.c - memory at the peak and what a derivative keeps, against numbers counted by hand; pictures refuse
// what is too large; notices.
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "chaac/chaac.h"

static char *text_of(ch_status (*write)(const ch_func *f, FILE *file), const char *ir) {
    ch_func *f = NULL;
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    assert_non_null(file);
    assert_int_equal(ch_func_parse(ir, "t", &f), CH_OK);
    assert_int_equal(write(f, file), CH_OK);
    fclose(file);
    ch_func_destroy(f);
    return text;
}

static ch_status write_kept(const ch_func *f, FILE *file) { return ch_explain_kept(f, NULL, file); }

static void expect(ch_status (*write)(const ch_func *f, FILE *file), const char *ir, const char *line) {
    char *text = text_of(write, ir);
    if (strstr(text, line) == NULL) fail_msg("no \"%s\" in:\n%s", line, text);
    free(text);
}

// x, a, b and c are there when c is made: four arrays.
static void peak_of_a_chain(void **state) {
    (void)state;
    expect(ch_explain,
           "chaac-ir 1\nfunc @f(%x: f64[n]) -> f64[n] {\n  %a = neg %x : f64[n]\n  %b = sin %a : f64[n]\n"
           "  %c = mul %a, %b : f64[n]\n  return %c\n}\n",
           "  peak memory, parameters included: 32*n bytes at mul %c (t:5)\n");
    // Here a goes when b is made, b when c is: x and two more.
    expect(ch_explain,
           "chaac-ir 1\nfunc @f(%x: f64[n]) -> f64[n] {\n  %a = neg %x : f64[n]\n  %b = sin %a : f64[n]\n"
           "  %c = cos %b : f64[n]\n  return %c\n}\n",
           "  peak memory, parameters included: 24*n bytes at sin %b (t:4)\n");
}

// Which part is larger depends on the sizes: both are told.
static void peak_of_two_parts(void **state) {
    (void)state;
    expect(ch_explain,
           "chaac-ir 1\nfunc @f(%x: f64[n], %y: f64[m]) -> (f64[], f64[]) {\n  %a = neg %x : f64[n]\n"
           "  %b = sin %a : f64[n]\n  %s = reduce %b {kind = sum, dims = [0]} : f64[]\n  %c = neg %y : f64[m]\n"
           "  %d = sin %c : f64[m]\n  %t = reduce %d {kind = sum, dims = [0]} : f64[]\n  return %s, %t\n}\n",
           "  peak memory, parameters included, the largest of:\n    8*m + 24*n bytes at sin %b (t:4)\n"
           "    24*m + 8*n + 8 bytes at sin %d (t:7)\n");
}

// Outside x, k, the two constants; inside i, the state a, and b and c of the body.
static void peak_of_a_loop(void **state) {
    (void)state;
    static const char loop[] = "chaac-ir 1\nfunc @f(%x: f64[n], %k: i64[]) -> f64[n] {\n"
                               "  %zero = const {value = 0} : i64[]\n  %one = const {value = 1} : i64[]\n"
                               "  %y = for %i = %zero to %k step %one iter(%a = %x) {\n    %b = sin %a : f64[n]\n"
                               "    %c = mul %a, %b : f64[n]\n    yield %c\n  } : f64[n]\n  return %y\n}\n";
    expect(ch_explain, loop, "  peak memory, parameters included: 32*n + 32 bytes at mul %c (t:7)\n");
    expect(write_kept, loop, "    %a: f64[n], 8*n bytes an iteration, state at the start of an iteration, read by");
}

// A call is looked into; what branches need counts for both.
static void peak_through_calls_and_branches(void **state) {
    (void)state;
    expect(ch_explain,
           "chaac-ir 1\nfunc @g(%x: f64[m]) -> f64[m] {\n  %a = neg %x : f64[m]\n  %b = mul %a, %x : f64[m]\n"
           "  return %b\n}\nfunc @f(%p: bool[], %x: f64[n]) -> f64[n] {\n  %y = if %p {\n"
           "    %u = call @g(%x) : f64[n]\n    yield %u\n  } else {\n    yield %x\n  } : f64[n]\n  return %y\n}\n",
           "  peak memory, parameters included: 24*n + 1 bytes at mul");
}

// The derivative of sin(x) * x reads sin(x) and cos(x); x is a parameter.
static void kept_outside_of_loops(void **state) {
    (void)state;
    static const char product[] = "chaac-ir 1\nfunc @f(%x: f64[n]) -> f64[] {\n  %s = sin %x : f64[n]\n"
                                  "  %p = mul %s, %x : f64[n]\n  %y = reduce %p {kind = sum, dims = [0]} : f64[]\n"
                                  "  return %y\n}\n";
    expect(write_kept, product, "  outside of loops 2 values, 16*n bytes:\n");
    expect(write_kept, product, ": f64[n], 8*n bytes, result of cos, read by mul\n");
    expect(write_kept, product, "    %s: f64[n], 8*n bytes, result of sin, read by mul\n");
    // A linear func keeps nothing.
    expect(write_kept, "chaac-ir 1\nfunc @f(%x: f64[n]) -> f64[n] {\n  %y = neg %x : f64[n]\n  return %y\n}\n",
           "  outside of loops 0 values, 0 bytes\n");
}

static void pictures_have_a_limit(void **state) {
    (void)state;
    char *text = NULL;
    size_t n = 0;
    FILE *ir = open_memstream(&text, &n), *sink = fopen("/dev/null", "w");
    ch_func *f = NULL;
    assert_non_null(ir);
    assert_non_null(sink);
    fputs("chaac-ir 1\nfunc @f(%x0: f64[]) -> f64[] {\n", ir);
    for (int i = 1; i <= 4001; i++) fprintf(ir, "  %%x%d = neg %%x%d : f64[]\n", i, i - 1);
    fputs("  return %x4001\n}\n", ir);
    fclose(ir);
    assert_int_equal(ch_func_parse(text, "t", &f), CH_OK);
    assert_int_equal(ch_func_draw(f, "svg", sink), CH_RESOURCE_EXHAUSTED);
    assert_string_equal(ch_error_id(), "limit");
    assert_int_equal(ch_func_draw(f, "png", sink), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "draw: no format 'png' — svg and dot are known");
    assert_int_equal(ch_func_draw(f, NULL, sink), CH_INVALID_ARGUMENT);
    ch_func_destroy(f);
    fclose(sink);
    free(text);
}

// ---- notices
static int heard[3];
static void hear(void *user, int level, const char *message) {
    (void)message;
    assert_ptr_equal(user, heard);
    assert_in_range(level, 0, 2);
    heard[level]++;
}

// A parameter that cannot matter is a warning, not an error; without a function nobody is told.
static void notices_go_to_the_log(void **state) {
    (void)state;
    static const char text[] = "chaac-ir 1\nfunc @f(%x: f64[], %y: f64[]) -> f64[] {\n  %a = mul %x, %x : f64[]\n"
                               "  return %a\n}\n";
    ch_func *f = NULL, *g = NULL;
    assert_int_equal(ch_func_parse(text, "t", &f), CH_OK);
    ch_set_log(hear, heard);
    assert_int_equal(ch_gradient(f, "x, y", &g), CH_OK);
    ch_func_destroy(g);
    assert_int_equal(heard[2], 1);
    ch_set_log(NULL, NULL);
    assert_int_equal(ch_gradient(f, "x, y", &g), CH_OK);
    ch_func_destroy(g);
    assert_int_equal(heard[2], 1);
    ch_func_destroy(f);
}

// Once a thread, with what to do; a loop with a scope of its own is not told.
static char last_notice[256];
static void remember(void *user, int level, const char *message) {
    heard[level]++;
    snprintf(last_notice, sizeof last_notice, "%s", message);
    (void)user;
}
static void a_root_scope_that_grows_is_told(void **state) {
    (void)state;
    ch_thread_end();
    memset(heard, 0, sizeof heard);
    ch_set_log(remember, NULL);
    for (int i = 0; i < 3; i++) {
        ch_scope s = ch_scope_begin();
        for (int k = 0; k < 100001; k++) ch_scalar(CH_F32, k);
        assert_int_equal(ch_scope_end(s), CH_OK);
    }
    for (int i = 0; i < 99999; i++) ch_scalar(CH_F32, i);
    assert_int_equal(heard[2], 0);
    for (int i = 0; i < 100002; i++) ch_scalar(CH_F32, i);
    assert_int_equal(heard[2], 1);
    assert_string_equal(last_notice, "tensor: the root scope of this thread holds 100000 tensors — put ch_scope_begin "
                                     "and ch_scope_end around the body of the loop that makes them");
    ch_thread_end(); // begins anew
    for (int i = 0; i < 100000; i++) ch_scalar(CH_F32, i);
    assert_int_equal(heard[2], 2);
    ch_set_log(NULL, NULL);
    ch_thread_end();
    assert_int_equal(ch_tensors_alive(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peak_of_a_chain),       cmocka_unit_test(peak_of_two_parts),
        cmocka_unit_test(peak_of_a_loop),        cmocka_unit_test(peak_through_calls_and_branches),
        cmocka_unit_test(kept_outside_of_loops), cmocka_unit_test(pictures_have_a_limit),
        cmocka_unit_test(notices_go_to_the_log), cmocka_unit_test(a_root_scope_that_grows_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
