// SPDX-License-Identifier: Apache-2.0
// test_check.c - ch_check_grad and ch_check_vjp: right derivatives pass, wrong ones are named.
#include "chaac/chaac.h"

#include "unit.h"

static int end_thread(void **state) {
    (void)state;
    ch_thread_end();
    return ch_tensors_alive() == 0 ? 0 : -1;
}

static ch_func *parsed(const char *text) {
    ch_func *f = NULL;
    if (ch_func_parse(text, "check.ir", &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

static void right(const char *text, int n_in, ch_tensor *const *in, const ch_check_options *o) {
    ch_func *f = parsed(text);
    if (ch_check_vjp(f, n_in, in, o, NULL) != CH_OK) fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
}

static void wrong(const char *text, int n_in, ch_tensor *const *in, const char *id, const char *sentence) {
    ch_func *f = parsed(text);
    assert_int_not_equal(ch_check_grad(f, n_in, in, NULL, NULL), CH_OK);
    assert_string_equal(ch_error_id(), id);
    if (strstr(ch_error_message(), sentence) == NULL) fail_msg("%s", ch_error_message());
    ch_func_destroy(f);
}

static const double numbers[] = {0.3, -1.2, 2.5, 0.7, -0.4, 1.9};
static ch_tensor *matrix(void) { return ch_from_f64(numbers, 2, (int64_t[]){2, 3}); }
static ch_tensor *vector(void) { return ch_from_f64(numbers, 1, (int64_t[]){3}); }

#define HEAD "chaac-ir 1\n"
#define SUM(x) "  %sum = reduce " x " {kind = sum, dims = [0]} : f64[]\n  return %sum\n}\n"

static void those_that_agree(void **state) {
    (void)state;
    ch_tensor *in[3] = {matrix(), vector(), NULL};
    right(HEAD "func @f(%a: f64[n,m], %x: f64[m]) -> (f64[n], f64[m]) {\n"
               "  %0 = dot %a, %x {contract = [1]x[0]} : f64[n]\n  %1 = sin %0 : f64[n]\n  %2 = exp %x : f64[m]\n"
               "  return %1, %2\n}\n",
          2, in, NULL);
    // In f32 differences would be worthless; the func is checked in f64. Integers are inputs only.
    float narrow[3] = {0.5f, 1.5f, 1e-3f};
    int32_t k[1] = {2};
    in[0] = ch_from_f32(narrow, 1, (int64_t[]){3});
    in[1] = ch_from_i32(k, 0, NULL);
    right(HEAD "func @f(%x: f32[n], %k: i32[]) -> f32[n] {\n  %0 = convert %k : f32[]\n"
               "  %1 = broadcast %0 {dims = []} : f32[n]\n  %2 = log %x : f32[n]\n  %3 = mul %2, %1 : f32[n]\n"
               "  return %3\n}\n",
          2, in, NULL);
    // Close to the end of the domain, and where the slope is steep.
    in[0] = ch_from_f64((double[]){1e-4, 0.99, 40}, 1, (int64_t[]){3});
    right(HEAD "func @f(%x: f64[n]) -> f64[n] {\n  %1 = sqrt %x : f64[n]\n  %2 = cos %1 : f64[n]\n  return %2\n}\n", 1,
          in, NULL);
    in[0] = ch_from_f64(NULL, 1, (int64_t[]){0});
    right(HEAD "func @f(%x: f64[n]) -> f64[n] {\n  %1 = sqrt %x : f64[n]\n  return %1\n}\n", 1, in, NULL);
}

static void a_large_input(void **state) {
    (void)state;
    ch_tensor *x = ch_iota(CH_F64, 1, (int64_t[]){1000}, 0);
    ch_check_options o = {.struct_size = sizeof o, .most_elements = 4, .seed = 3};
    ch_tensor *in[1] = {ch_mul(x, ch_scalar(CH_F64, 1e-3))};
    right(HEAD "func @f(%x: f64[n]) -> f64[n] {\n  %1 = sin %x : f64[n]\n  return %1\n}\n", 1, in, &o);
    // One wrong element of a thousand is not drawn; the random direction goes through it.
    const char *text =
        HEAD "func @f(%x: f64[1000]) -> f64[] {\n  %a = slice %x {start = [0], limit = [1]} : f64[1]\n"
             "  %s = stop_gradient %a : f64[1]\n  %b = slice %x {start = [1], limit = [1000]} : f64[999]\n"
             "  %c = concat %s, %b {dim = 0} : f64[1000]\n  %d = exp %c : f64[1000]\n" SUM("%d");
    ch_func *f = parsed(text);
    o.tolerance = 1e-7;
    assert_int_equal(ch_check_grad(f, 1, in, &o, NULL), CH_FAILED_PRECONDITION);
    assert_non_null(strstr(ch_error_message(), "input 'x', a random direction: the derivative gives"));
    ch_func_destroy(f);
}

static void those_that_do_not(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f64((double[]){1, 2, 3}, 1, (int64_t[]){3});
    const char *rule = HEAD "func @f(%x: f64[n]) -> f64[] {\n"
                            "  %y = composite \"square\"(%t = %x) {rules = \"vjp\"} {\n"
                            "    %0 = mul %t, %t : f64[n]\n    yield %0\n  } vjp(%t, %y, %y_bar) {\n"
                            "    %3 = const {value = 3} : f64[n]\n    %4 = mul %3, %y_bar : f64[n]\n    yield %4\n"
                            "  } : f64[n]\n" SUM("%y");
    wrong(rule, 1, &x, "derivative_mismatch",
          "check_grad: @f, input 'x', element [2]: the derivative gives 3, differences of the values 6");
    wrong(HEAD
          "func @f(%x: f64[n]) -> f64[] {\n  %s = stop_gradient %x : f64[n]\n  %y = mul %s, %x : f64[n]\n" SUM("%y"),
          1, &x, "derivative_mismatch", "the derivative gives ");
    ch_tensor *zero = ch_from_f64((double[]){0, 0, 0}, 1, (int64_t[]){3});
    wrong(HEAD "func @f(%x: f64[n]) -> f64[] {\n  %z = const {value = 0} : f64[n]\n"
               "  %y = max %x, %z {tie = first} : f64[n]\n" SUM("%y"),
          1, &zero, "derivative_mismatch", "element [0]: the derivative gives 1, differences of the values 0.5");
}

// Each mode is held against differences, and one against the other.
static void modes(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f64((double[]){1, 2, 3}, 1, (int64_t[]){3});
    for (int wrong_rules = 0; wrong_rules < 4; wrong_rules++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD
                 "func @f(%%x: f64[n]) -> f64[n] {\n  %%y = composite \"triple\"(%%t = %%x) {rules = \"vjp jvp\"} {\n"
                 "    %%0 = const {value = 3} : f64[n]\n    %%1 = mul %%t, %%0 : f64[n]\n    yield %%1\n"
                 "  } vjp(%%t, %%y, %%y_bar) {\n    %%0 = const {value = %d} : f64[n]\n"
                 "    %%1 = mul %%y_bar, %%0 : f64[n]\n    yield %%1\n  } jvp(%%t, %%t_dot) {\n"
                 "    %%0 = const {value = %d} : f64[n]\n    %%1 = mul %%t_dot, %%0 : f64[n]\n    yield %%1\n"
                 "  } : f64[n]\n  return %%y\n}\n",
                 3 + (wrong_rules & 1), 3 + (wrong_rules >> 1));
        ch_func *f = parsed(text);
        ch_status reverse = ch_check_vjp(f, 1, &x, NULL, NULL);
        assert_int_equal(reverse, wrong_rules == 0 ? CH_OK : CH_FAILED_PRECONDITION);
        const char *sentence = wrong_rules & 1 ? "check_vjp: @f, input 'x', element ["
                                               : "check_vjp: @f, along a random direction: forward mode gives ";
        if (reverse != CH_OK && strstr(ch_error_message(), sentence) == NULL) fail_msg("%s", ch_error_message());
        assert_int_equal(ch_check_jvp(f, 1, &x, NULL, NULL), wrong_rules >> 1 ? CH_FAILED_PRECONDITION : CH_OK);
        ch_func_destroy(f);
    }
    // Without a forward rule there is no identity, without a reverse rule check_jvp is the one.
    const char *forward_only = HEAD "func @f(%x: f64[n]) -> f64[n] {\n"
                                    "  %y = composite \"same\"(%t = %x) {rules = \"jvp\"} {\n    yield %t\n"
                                    "  } jvp(%t, %t_dot) {\n    yield %t_dot\n  } : f64[n]\n  return %y\n}\n";
    ch_func *f = parsed(forward_only);
    assert_int_equal(ch_check_jvp(f, 1, &x, NULL, NULL), CH_OK);
    assert_int_equal(ch_check_vjp(f, 1, &x, NULL, NULL), CH_UNIMPLEMENTED);
    assert_non_null(strstr(ch_error_message(), "composite \"same\" — its custom rule has no reverse mode"));
    ch_func_destroy(f);
    right(HEAD "func @f(%x: f64[n]) -> f64[n] {\n"
               "  %y = composite \"same\"(%t = %x) {rules = \"vjp\"} {\n    yield %t\n"
               "  } vjp(%t, %y, %y_bar) {\n    yield %y_bar\n  } : f64[n]\n  return %y\n}\n",
          1, &x, NULL);
}

static void a_report(void **state) {
    (void)state;
    ch_func *f = parsed(HEAD "func @f(%a: f64[2,3], %k: f64[]) -> f64[] {\n"
                             "  %0 = reduce %a {kind = sum, dims = [0,1]} : f64[]\n  %s = stop_gradient %k : f64[]\n"
                             "  %1 = mul %0, %s : f64[]\n  %2 = mul %1, %k : f64[]\n  return %2\n}\n");
    FILE *file = tmpfile();
    ch_tensor *in[2] = {matrix(), ch_scalar(CH_F64, 2)};
    assert_int_equal(ch_check_grad(f, 2, in, NULL, file), CH_FAILED_PRECONDITION);
    ch_check_options o = {.struct_size = sizeof o, .wrt = "a"};
    assert_int_equal(ch_check_grad(f, 2, in, &o, NULL), CH_OK);
    char text[512];
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "a: element ["));
    assert_non_null(strstr(text, " of 6: agrees, the derivative gives 4"));
    assert_non_null(strstr(text, "k: the number of 1: differs, the derivative gives "));
    ch_func_destroy(f);
}

static void refused(void **state) {
    (void)state;
    const char *text = HEAD "func @f(%x: f64[n]) -> f64[n] {\n  %y = exp %x : f64[n]\n  return %y\n}\n";
    ch_tensor *x = vector(), *two[2] = {x, x};
    wrong(text, 1, &x, "gradient_scalar", "or use vjp");
    wrong(text, 2, two, "arity", "check_grad: 2 inputs given — @f takes 1");
    ch_tensor *f32 = ch_convert(x, CH_F32);
    wrong(HEAD "func @f(%x: f64[n]) -> f64[] {\n" SUM("%x"), 1, &f32, "dtype_mismatch",
          "check_grad: input 'x' is f32[3] — it has to be f64[n]");
    assert_int_equal(ch_check_vjp(NULL, 1, &x, NULL, NULL), CH_INVALID_ARGUMENT);
    ch_func *f = parsed(text);
    ch_check_options o = {.struct_size = 1};
    assert_int_equal(ch_check_vjp(f, 1, &x, &o, NULL), CH_INVALID_ARGUMENT);
    o = (ch_check_options){.struct_size = sizeof o, .wrt = "y"};
    assert_int_equal(ch_check_vjp(f, 1, &x, &o, NULL), CH_NOT_FOUND);
    ch_func_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(those_that_agree, end_thread),
        cmocka_unit_test_teardown(a_large_input, end_thread),
        cmocka_unit_test_teardown(those_that_do_not, end_thread),
        cmocka_unit_test_teardown(a_report, end_thread),
        cmocka_unit_test_teardown(modes, end_thread),
        cmocka_unit_test_teardown(refused, end_thread),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
