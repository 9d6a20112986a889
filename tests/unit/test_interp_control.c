// SPDX-License-Identifier: Apache-2.0
// test_interp_control.c - if for while call composite and tapes; what is done in place; limits.
#include "interp_run.h"

#define CONSTS "  %zero = const {value = 0} : i64[]\n  %one = const {value = 1} : i64[]\n"

static int64_t i64_of(const ch__slot *s) { return *(const int64_t *)s->data; }

static void both_branches(void **state) {
    (void)state;
    const char *body =
        "func @f(%p: bool[], %x: f64[]) -> (f64[], f64[]) {\n  %a, %b = if %p {\n    %y = neg %x : f64[]\n"
        "    yield %y, %x\n  } else {\n    yield %x, %x\n  } : f64[], f64[]\n  return %a, %b\n}\n";
    for (uint8_t p = 0; p < 2; p++) {
        double x = 3;
        ch__slot in[] = {ir_scalar(CH_BOOL, &p), ir_scalar(CH_F64, &x)}, out[2];
        ir_run(body, 2, in, 2, out);
        assert_true(*(double *)out[0].data == (p ? -3 : 3) && *(double *)out[1].data == 3);
        ir_release(2, out);
    }
}

static void nothing_of_the_other_branch_runs(void **state) {
    (void)state;
    const char *body =
        "func @f(%i: i64[], %x: f64[3]) -> f64[] {\n  %three = const {value = 3} : i64[]\n"
        "  %in = compare %i, %three {dir = lt} : bool[]\n  %r = if %in {\n    %v = get %x[%i] : f64[]\n    yield %v\n"
        "  } else {\n    %n = const {value = -1} : f64[]\n    yield %n\n  } : f64[]\n  return %r\n}\n";
    static const double x[] = {5, 6, 7};
    for (int64_t i = 1; i < 5; i++) {
        ch__slot in[] = {ir_scalar(CH_I64, &i), ir_vector(CH_F64, 3, x)}, out[1];
        ir_run(body, 2, in, 1, out);
        assert_true(*(double *)out[0].data == (i < 3 ? x[i] : -1));
        ir_release(1, out);
    }
}

static void trip_counts(void **state) {
    (void)state;
    const char *body =
        "func @f(%lo: i64[], %hi: i64[], %step: i64[]) -> (i64[], i64[]) {\n" CONSTS
        "  %n, %s = for %i = %lo to %hi step %step iter(%c = %zero, %sum = %zero) {\n"
        "    %d = add %c, %one : i64[]\n    %t = add %sum, %i : i64[]\n    yield %d, %t\n  } : i64[], i64[]\n"
        "  return %n, %s\n}\n";
    static const struct {
        int64_t lo, hi, step, n, sum;
    } rows[] = {{0, 0, 1, 0, 0},
                {5, 0, 1, 0, 0},
                {0, 5, 1, 5, 10},
                {0, 5, 2, 3, 6},
                {5, 0, -1, 5, 15},
                {5, 0, -2, 3, 5 + 3 + 1},
                {0, 5, -1, 0, 0},
                {INT64_MAX - 2, INT64_MAX, 2, 1, INT64_MAX - 2},
                {INT64_MIN + 1, INT64_MIN, -3, 1, INT64_MIN + 1},
                {0, 1000000, 1, 1000000, INT64_C(499999500000)}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        ch__slot in[] = {ir_scalar(CH_I64, &rows[k].lo), ir_scalar(CH_I64, &rows[k].hi),
                         ir_scalar(CH_I64, &rows[k].step)},
                 out[2];
        ir_run(body, 3, in, 2, out);
        assert_int_equal(i64_of(&out[0]), rows[k].n);
        assert_int_equal(i64_of(&out[1]), rows[k].sum);
        ir_release(2, out);
    }
    static const int64_t zero = 0, five = 5;
    ch__slot in[] = {ir_scalar(CH_I64, &zero), ir_scalar(CH_I64, &five), ir_scalar(CH_I64, &zero)};
    ir_fails(body, NULL, 3, in, 2, "argument", "t.ir:5: for: the step is 0 — it has to be positive or negative");
}

static void loops_swap_and_share(void **state) {
    (void)state;
    // Carried values change places, one goes round unchanged, one is the outer value itself.
    const char *body = "func @f(%n: i64[], %x: f64[2], %y: f64[2]) -> (f64[2], f64[2], f64[2], f64[2]) {\n" CONSTS
                       "  %a, %b, %c, %d = for %i = %zero to %n step %one iter(%p = %x, %q = %y, %r = %x, %s = %y) {\n"
                       "    yield %q, %p, %r, %x\n  } : f64[2], f64[2], f64[2], f64[2]\n  return %a, %b, %c, %d\n}\n";
    static const double x[] = {1, 2}, y[] = {3, 4};
    for (int64_t n = 0; n < 4; n++) {
        ch__slot in[] = {ir_scalar(CH_I64, &n), ir_vector(CH_F64, 2, x), ir_vector(CH_F64, 2, y)}, out[4];
        ir_run(body, 3, in, 4, out);
        assert_memory_equal(out[0].data, n % 2 ? y : x, 16);
        assert_memory_equal(out[1].data, n % 2 ? x : y, 16);
        assert_memory_equal(out[2].data, x, 16);
        assert_memory_equal(out[3].data, n ? x : y, 16);
        ir_release(4, out);
    }
}

static void while_runs_the_condition_first(void **state) {
    (void)state;
    // Collatz: how many steps to 1.
    const char *body =
        "func @f(%x: i64[]) -> i64[] {\n" CONSTS
        "  %two = const {value = 2} : i64[]\n  %three = const {value = 3} : i64[]\n"
        "  %last, %n = while iter(%v = %x, %k = %zero) {\n    %go = compare %v, %one {dir = ne} : bool[]\n    yield "
        "%go\n  } do {\n"
        "    %odd = rem %v, %two : i64[]\n    %is = compare %odd, %one {dir = eq} : bool[]\n    %w = if %is {\n"
        "      %t = mul %v, %three : i64[]\n      %u = add %t, %one : i64[]\n      yield %u\n    } else {\n"
        "      %h = div %v, %two : i64[]\n      yield %h\n    } : i64[]\n    %k2 = add %k, %one : i64[]\n    yield %w, "
        "%k2\n"
        "  } : i64[], i64[]\n  return %n\n}\n";
    static const struct { int64_t x, n; } rows[] = {{1, 0}, {2, 1}, {6, 8}, {27, 111}};
    for (int k = 0; k < 4; k++) {
        ch__slot in[] = {ir_scalar(CH_I64, &rows[k].x)}, out[1];
        ir_run(body, 1, in, 1, out);
        assert_int_equal(i64_of(&out[0]), rows[k].n);
        ir_release(1, out);
    }
}

#define POWER                                                                                                          \
    "func @power(%x: f64[k], %n: i64[]) -> f64[k] {\n" CONSTS                                                          \
    "  %done = compare %n, %zero {dir = le} : bool[]\n  %r = if %done {\n    %e = const {value = 1} : f64[k]\n"        \
    "    yield %e\n  } else {\n    %less = sub %n, %one : i64[]\n    %p = call @power(%x, %less) : f64[k]\n"           \
    "    %q = mul %p, %x : f64[k]\n    yield %q\n  } : f64[k]\n  return %r\n}\n"

static void calls_recurse(void **state) {
    (void)state;
    static const double x[] = {2, 3};
    int64_t n = 10;
    ch__slot in[] = {ir_vector(CH_F64, 2, x), ir_scalar(CH_I64, &n)}, out[1];
    ir_run(POWER, 2, in, 1, out);
    assert_memory_equal(out[0].data, ((double[]){1024, 59049}), 16);
    ir_release(1, out);
    n = 20;
    ch__limits shallow = {.max_depth = 10};
    ir_fails(POWER, &shallow, 2, in, 1, "limit",
             "t.ir:11: call: calls are nested more than 10 deep — that is the limit");
    n = INT64_MAX;
    ir_fails(POWER, NULL, 2, in, 1, "limit", "t.ir:11: call: calls are nested more than 1000 deep — that is the limit");
    ch__limits deep = {.max_depth = INT32_MAX};
    ir_fails(POWER, &deep, 2, in, 1, "limit",
             "power: regions and calls are nested more than 3000 deep — that is the limit");
}

static void composites_run_their_body(void **state) {
    (void)state;
    static const float x[] = {-1, 0, 2};
    ch__slot in[] = {ir_vector(CH_F32, 3, x)}, out[1];
    ir_run("func @f(%x: f32[n]) -> f32[n] {\n  %two = const {value = 2} : f32[n]\n"
           "  %p = composite \"double\"(%in = %x) {\n    %o = mul %in, %two : f32[n]\n    yield %o\n  } : f32[n]\n  "
           "return %p\n}\n",
           1, in, 1, out);
    assert_memory_equal(out[0].data, ((float[]){-2, 0, 4}), 12);
    ir_release(1, out);
}

// ---------------------------------------------------------------- in place
typedef struct {
    int64_t copies, buffers;
} work;

static work work_of(const char *body, int n_in, const ch__slot *in, int n_out, ch__slot *out) {
    ch__interp_counts before = *ch__interp_counts_here();
    ir_run(body, n_in, in, n_out, out);
    ch__interp_counts *after = ch__interp_counts_here();
    return (work){after->copies - before.copies, after->buffers - before.buffers};
}

static void set_in_a_loop_copies_once(void **state) {
    (void)state;
    static double x[1000];
    int64_t n = 1000;
    const char *body = "func @f(%x: f64[1000], %n: i64[]) -> f64[1000] {\n" CONSTS
                       "  %r = for %i = %zero to %n step %one iter(%a = %x) {\n    %v = get %a[%i] : f64[]\n"
                       "    %k = convert %i : f64[]\n    %w = add %v, %k : f64[]\n    %b = set %a[%i], %w : f64[1000]\n"
                       "    yield %b\n  } : f64[1000]\n  return %r\n}\n";
    ch__slot in[] = {ir_vector(CH_F64, 1000, x), ir_scalar(CH_I64, &n)}, out[1];
    work w = work_of(body, 2, in, 1, out);
    assert_int_equal(w.copies, 1); // the caller's input is not the run's to write
    assert_true(w.buffers <= 2);
    for (int i = 0; i < 1000; i++) assert_true(((double *)out[0].data)[i] == i && x[i] == 0);
    ir_release(1, out);
    // Donated: none, and the result may be where the input was.
    static double y[1000];
    ir_program p = ir_open(body);
    ch__slot given = ir_vector(CH_F64, 1000, y);
    in[0] = given;
    in[0].donated = true;
    ch__interp_counts before = *ch__interp_counts_here();
    assert_int_equal(ch__interp_run(p.program, NULL, 2, in, 1, &given), CH_OK);
    assert_int_equal(ch__interp_counts_here()->copies, before.copies);
    assert_int_equal(ch__interp_counts_here()->buffers, before.buffers);
    for (int i = 0; i < 1000; i++) assert_true(y[i] == i);
    ir_close(&p);
}

static void set_in_branches_and_whiles(void **state) {
    (void)state;
    static int32_t x[64];
    int64_t n = 64;
    // Even positions are set in one branch; the other gives the array on. The array is the branch's last use.
    const char *body =
        "func @f(%x: i32[64], %n: i64[]) -> i32[64] {\n" CONSTS "  %two = const {value = 2} : i64[]\n"
        "  %seven = const {value = 7} : i32[]\n  %k, %r = while iter(%i = %zero, %a = %x) {\n"
        "    %go = compare %i, %n {dir = lt} : bool[]\n    yield %go\n  } do {\n    %m = rem %i, %two : i64[]\n"
        "    %even = compare %m, %zero {dir = eq} : bool[]\n    %b = if %even {\n      %c = set %a[%i], %seven : "
        "i32[64]\n"
        "      yield %c\n    } else {\n      yield %a\n    } : i32[64]\n    %j = add %i, %one : i64[]\n    yield %j, "
        "%b\n"
        "  } : i64[], i32[64]\n  return %r\n}\n";
    ch__slot in[] = {ir_vector(CH_I32, 64, x), ir_scalar(CH_I64, &n)}, out[1];
    work w = work_of(body, 2, in, 1, out);
    assert_int_equal(w.copies, 1);
    for (int i = 0; i < 64; i++) assert_int_equal(((int32_t *)out[0].data)[i], i % 2 ? 0 : 7);
    ir_release(1, out);
}

static void old_versions_survive(void **state) {
    (void)state;
    static const double x[] = {1, 2, 3, 4, 5, 6};
    double nine = 9;
    ch__slot in[] = {ir_vector(CH_F64, 6, x), ir_scalar(CH_F64, &nine)}, out[3];
    // %a is read after it was set: the set must copy. %c's set is the last use of %b and need not.
    work w =
        work_of("func @f(%x: f64[6], %v: f64[]) -> (f64[6], f64[6], f64[]) {\n" CONSTS "  %a = add %x, %x : f64[6]\n"
                "  %b = set %a[%zero], %v : f64[6]\n  %old = get %a[%zero] : f64[]\n  %c = set %b[%one], %v : f64[6]\n"
                "  return %a, %c, %old\n}\n",
                2, in, 3, out);
    assert_int_equal(w.copies, 1);
    assert_memory_equal(out[0].data, ((double[]){2, 4, 6, 8, 10, 12}), 48);
    assert_memory_equal(out[1].data, ((double[]){9, 9, 6, 8, 10, 12}), 48);
    assert_true(*(double *)out[2].data == 2);
    ir_release(3, out);
    // A reshape shares the buffer: setting one must not change the other.
    w = work_of("func @f(%x: f64[6], %v: f64[]) -> (f64[2,3], f64[6]) {\n" CONSTS "  %a = add %x, %x : f64[6]\n"
                "  %b = reshape %a : f64[2,3]\n  %c = set %a[%zero], %v : f64[6]\n  return %b, %c\n}\n",
                2, in, 2, out);
    assert_int_equal(w.copies, 1);
    assert_memory_equal(out[0].data, ((double[]){2, 4, 6, 8, 10, 12}), 48);
    assert_memory_equal(out[1].data, ((double[]){9, 4, 6, 8, 10, 12}), 48);
    ir_release(2, out);
    // An outer array that a loop reads each time is never written by it.
    int64_t three = 3;
    ch__slot in2[] = {ir_vector(CH_F64, 6, x), ir_scalar(CH_I64, &three)};
    w = work_of(
        "func @f(%x: f64[6], %n: i64[]) -> f64[] {\n" CONSTS
        "  %a = add %x, %x : f64[6]\n  %s0 = const {value = 0} : f64[]\n"
        "  %r = for %i = %zero to %n step %one iter(%s = %s0) {\n    %b = set %a[%i], %s0 : f64[6]\n"
        "    %t = reduce %b {kind = sum, dims = [0]} : f64[]\n    %u = add %s, %t : f64[]\n    yield %u\n  } : f64[]\n"
        "  return %r\n}\n",
        2, in2, 1, out);
    assert_int_equal(w.copies, 3);
    assert_true(*(double *)out[0].data == 3 * 42 - 2 - 4 - 6);
    ir_release(1, out);
}

static void chains_of_elementwise_ops_use_one_buffer(void **state) {
    (void)state;
    static float x[4096], y[4096];
    for (int i = 0; i < 4096; i++) x[i] = (float)i, y[i] = 2;
    ch__slot in[] = {ir_vector(CH_F32, 4096, x), ir_vector(CH_F32, 4096, y)}, out[1];
    work w =
        work_of("func @f(%x: f32[n], %y: f32[n]) -> f32[n] {\n  %a = add %x, %y : f32[n]\n  %b = mul %a, %y : f32[n]\n"
                "  %c = neg %b : f32[n]\n  %k = const {value = 3} : f32[n]\n  %d = sub %k, %c : f32[n]\n"
                "  %e = max %d, %y : f32[n]\n  return %e\n}\n",
                2, in, 1, out);
    assert_int_equal(w.copies, 0);
    assert_true(w.buffers <= 2); // the chain's and the result's
    assert_true(((float *)out[0].data)[7] == 3 + 18 && x[7] == 7 && y[7] == 2);
    ir_release(1, out);
}

// ---------------------------------------------------------------- tapes
static void tapes_push_and_pop(void **state) {
    (void)state;
    const char *body =
        "func @f(%n: i64[], %m: i64[]) -> i64[] {\n" CONSTS "  %ten = const {value = 10} : i64[]\n"
        "  %t = tape_new : tape<i64[]>\n  %full = for %i = %zero to %n step %one iter(%a = %t) {\n"
        "    %s = mul %i, %i : i64[]\n    %b = push %a, %s : tape<i64[]>\n    yield %b\n  } : tape<i64[]>\n"
        "  %rest, %r = for %j = %zero to %m step %one iter(%c = %full, %sum = %zero) {\n"
        "    %d, %v = pop %c : tape<i64[]>, i64[]\n    %w = mul %sum, %ten : i64[]\n    %u = add %w, %v : i64[]\n"
        "    yield %d, %u\n  } : tape<i64[]>, i64[]\n  return %r\n}\n";
    int64_t n = 4, m = 3;
    ch__slot in[] = {ir_scalar(CH_I64, &n), ir_scalar(CH_I64, &m)}, out[1];
    ir_run(body, 2, in, 1, out);
    assert_int_equal(i64_of(&out[0]), 9 * 100 + 4 * 10 + 1);
    ir_release(1, out);
    n = 100000, m = 0;
    ir_run(body, 2, in, 1, out);
    ir_release(1, out);
    n = 2, m = 3;
    ir_fails(body, NULL, 2, in, 1, "bounds", "t.ir:13: pop: the tape is empty");
    n = 3;
    ch__slot one[] = {ir_scalar(CH_I64, &n)};
    ir_fails(
        "func @f(%n: i64[]) -> i64[] {\n" CONSTS "  %t = tape_new {capacity = 2} : tape<i64[]>\n"
        "  %full = for %i = %zero to %n step %one iter(%a = %t) {\n    %b = push %a, %i : tape<i64[]>\n    yield %b\n"
        "  } : tape<i64[]>\n  %rest, %r = pop %full : tape<i64[]>, i64[]\n  return %r\n}\n",
        NULL, 1, one, 1, "bounds", "t.ir:7: push: the tape holds 2 values — that is its capacity");
}

// ---------------------------------------------------------------- limits
static void limits_end_a_run(void **state) {
    (void)state;
    const char *forever =
        "func @f(%x: i64[]) -> i64[] {\n" CONSTS "  %r = while iter(%v = %x) {\n"
        "    %go = compare %v, %zero {dir = ge} : bool[]\n    yield %go\n  } do {\n    yield %v\n  } : i64[]\n"
        "  return %r\n}\n";
    int64_t x = 1;
    ch__slot in[] = {ir_scalar(CH_I64, &x)};
    ch__limits steps = {.max_steps = 1000};
    ir_fails(forever, &steps, 1, in, 1, "limit", "t.ir:5: while: 1000 operations were run — that is the limit");
    volatile int stop = 1;
    ch__limits cancel = {.cancel = &stop};
    ir_fails(forever, &cancel, 1, in, 1, "cancelled", "t.ir:3: const: cancelled by the caller");
    static double big[1000];
    ch__slot wide[] = {ir_vector(CH_F64, 1000, big)};
    const char *two =
        "func @f(%x: f64[1000]) -> f64[] {\n  %a = add %x, %x : f64[1000]\n  %b = mul %a, %x : f64[1000]\n"
        "  %c = add %a, %b : f64[1000]\n  %r = reduce %c {kind = sum, dims = [0]} : f64[]\n  return %r\n}\n";
    ch__limits bytes = {.max_bytes = 15999};
    ir_fails(two, &bytes, 1, wide, 1, "limit",
             "interp: 8000 bytes more than the 8000 in use — at most 15999 bytes of intermediates are allowed");
    bytes.max_bytes = 16008;
    ch__slot out[1];
    assert_int_equal(ir_run_limited(two, &bytes, 1, wide, 1, out), CH_OK);
    ir_release(1, out);
}

// A chain of 50,000 ops: nothing grows with its length but the program itself.
static void long_chains(void **state) {
    (void)state;
    enum { N = 50000 };
    size_t cap = (size_t)N * 40 + 200, n = 0;
    char *text = malloc(cap);
    n += (size_t)snprintf(text, cap, "chaac-ir 1\nfunc @f(%%x: f64[]) -> f64[] {\n  %%0 = neg %%x : f64[]\n");
    for (int i = 1; i < N; i++) n += (size_t)snprintf(text + n, cap - n, "  %%%d = neg %%%d : f64[]\n", i, i - 1);
    snprintf(text + n, cap - n, "  return %%%d\n}\n", N - 1);
    ir_program p = {.text = text};
    assert_int_equal(ch__protect(ir_prepare, &p), CH_OK);
    double x = 4;
    ch__slot in[] = {ir_scalar(CH_F64, &x)}, out[1] = {{0}};
    ch__interp_counts before = *ch__interp_counts_here();
    assert_int_equal(ch__interp_run(p.program, NULL, 1, in, 1, out), CH_OK);
    assert_int_equal(ch__interp_counts_here()->ops - before.ops, N);
    assert_true(*(double *)out[0].data == 4);
    ir_release(1, out);
    ir_close(&p);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_branches),
        cmocka_unit_test(nothing_of_the_other_branch_runs),
        cmocka_unit_test(trip_counts),
        cmocka_unit_test(loops_swap_and_share),
        cmocka_unit_test(while_runs_the_condition_first),
        cmocka_unit_test(calls_recurse),
        cmocka_unit_test(composites_run_their_body),
        cmocka_unit_test(set_in_a_loop_copies_once),
        cmocka_unit_test(set_in_branches_and_whiles),
        cmocka_unit_test(old_versions_survive),
        cmocka_unit_test(chains_of_elementwise_ops_use_one_buffer),
        cmocka_unit_test(tapes_push_and_pop),
        cmocka_unit_test(limits_end_a_run),
        cmocka_unit_test(long_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
