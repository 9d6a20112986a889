// SPDX-License-Identifier: Apache-2.0
// test_interp_sizes.c - the border of a run: symbolic sizes, what is refused, where results go, memory that ends.
#include "interp_run.h"

#include <fenv.h>

static const double data[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static void sizes_bind_and_compute(void **state) {
    (void)state;
    // n directly, m from 2*m + 1; a dim of both; `dim` gives values.
    const char *body = "func @f(%x: f64[n], %y: f64[2*m + 1], %z: f64[n + m]) -> (i64[], i64[], f64[n + m]) {\n"
                       "  %a = dim {e = n} : i64[]\n  %b = dim {e = m*n} : i64[]\n  %c = add %z, %z : f64[n + m]\n"
                       "  return %a, %b, %c\n}\n";
    ch__slot in[] = {ir_vector(CH_F64, 3, data), ir_vector(CH_F64, 9, data), ir_vector(CH_F64, 7, data)}, out[3];
    ir_run(body, 3, in, 3, out);
    assert_int_equal(*(int64_t *)out[0].data, 3);
    assert_int_equal(*(int64_t *)out[1].data, 12);
    assert_int_equal(out[2].dims[0], 7);
    assert_true(((double *)out[2].data)[6] == 14);
    ir_release(3, out);
    in[1] = ir_vector(CH_F64, 8, data);
    ir_fails(body, NULL, 3, in, 3, "shape_mismatch", "f: y: axis 0 has size 8 — no size makes 2*m + 1 equal to that");
    in[1] = ir_vector(CH_F64, 9, data);
    in[2] = ir_vector(CH_F64, 8, data);
    ir_fails(body, NULL, 3, in, 3, "shape_mismatch", "f: z: got f64[8] — the param is f64[m + n], axis 0 must be 7");
    // A later param gives what an earlier one needs.
    in[0] = ir_vector(CH_F64, 6, data), in[1] = ir_vector(CH_F64, 2, data), in[2] = ir_vector(CH_F64, 3, data);
    ir_run(
        "func @f(%x: f64[n*m], %y: f64[n], %z: f64[m]) -> f64[n,m] {\n  %r = reshape %x : f64[n,m]\n  return %r\n}\n",
        3, in, 1, out);
    assert_int_equal(out[0].dims[0], 2);
    assert_int_equal(out[0].dims[1], 3);
    ir_release(1, out);
}

static void inputs_are_checked(void **state) {
    (void)state;
    const char *body = "func @f<n in 2..4>(%x: f64[n,3]) -> f64[n,3] {\n  %r = neg %x : f64[n,3]\n  return %r\n}\n";
    ch__slot in[] = {ir_slot(CH_F64, 2, IR_DIMS(5, 3), data)};
    ir_fails(body, NULL, 1, in, 1, "dim_bounds", "f: n is 5 — it has to be in 2..4");
    in[0] = ir_slot(CH_F64, 2, IR_DIMS(2, 4), data);
    ir_fails(body, NULL, 1, in, 1, "shape_mismatch", "f: x: got f64[2,4] — the param is f64[n,3], axis 1 must be 3");
    in[0] = ir_slot(CH_F32, 2, IR_DIMS(2, 3), data);
    ir_fails(body, NULL, 1, in, 1, "dtype_mismatch", "f: x: got f32[2,3] — the param is f64[n,3]");
    in[0] = ir_slot(CH_F64, 1, IR_DIMS(6), data);
    ir_fails(body, NULL, 1, in, 1, "rank", "f: x: got f64[6] — the param is f64[n,3]");
    in[0] = ir_slot(CH_F64, 2, IR_DIMS(2, 3), NULL);
    ir_fails(body, NULL, 1, in, 1, "argument", "f: input 0 has no data — a pointer to 48 bytes is needed");
    ir_fails(body, NULL, 0, in, 1, "arity", "f: 0 inputs given — it has 1");
    in[0] = ir_slot(CH_F64, 2, IR_DIMS(2, 3), data);
    ir_fails(body, NULL, 1, in, 2, "arity", "f: 2 outputs given — it has 1");
    in[0].rank = 17;
    ir_fails(body, NULL, 1, in, 1, "rank", "f: input 0 has rank 17 — ranks are 0 to 16");
    const char *clause = "func @f(%x: f64[n], %y: f64[m]) -> f64[n] requires (n == 2*m) {\n  %r = neg %x : f64[n]\n"
                         "  return %r\n}\n";
    ch__slot two[] = {ir_vector(CH_F64, 3, data), ir_vector(CH_F64, 2, data)}, out[1];
    ir_fails(clause, NULL, 2, two, 1, "requires", "f: n is 3 and 2*m is 4 — they have to be equal");
    two[0] = ir_vector(CH_F64, 4, data);
    ir_run(clause, 2, two, 1, out);
    ir_release(1, out);
}

static void sizes_of_the_run(void **state) {
    (void)state;
    const char *body = "func @f(%p: bool[], %x: f64[n]) -> f64[] {\n  %r = if %p {\n"
                       "    %s = slice %x {start = [5], limit = [n]} : f64[n - 5]\n"
                       "    %t = reduce %s {kind = sum, dims = [0]} : f64[]\n    yield %t\n  } else {\n"
                       "    %u = const {value = -1} : f64[]\n    yield %u\n  } : f64[]\n  return %r\n}\n";
    uint8_t p = 1;
    ch__slot in[] = {ir_scalar(CH_BOOL, &p), ir_vector(CH_F64, 7, data)}, out[2];
    ir_run(body, 2, in, 1, out);
    assert_true(*(double *)out[0].data == 13);
    ir_release(1, out);
    in[1] = ir_vector(CH_F64, 3, data); // the shape rule made a clause of it
    ir_fails(body, NULL, 2, in, 1, "requires",
             "f: max(n, 5) is 5 and n is 3 — they have to be equal: slice: start is 5 along axis 0, limit is n there");
    // Local sizes: known once the alloc ran, anew in every iteration.
    int64_t k = 3;
    ch__slot size[] = {ir_scalar(CH_I64, &k)};
    const char *local =
        "func @f(%k: i64[]) -> (i64[], i64[]) {\n  %zero = const {value = 0} : i64[]\n"
        "  %one = const {value = 1} : i64[]\n  %s, %d = for %i = %zero to %k step %one iter(%sum = %zero, %last = "
        "%zero) {\n"
        "    %a = alloc<j = %i> : i64[j,2]\n    %b = iota {dim = 0} : i64[j,2]\n    %c = add %a, %b : i64[j,2]\n"
        "    %t = reduce %c {kind = sum, dims = [0,1]} : i64[]\n    %u = add %sum, %t : i64[]\n"
        "    %e = dim {e = 2*j} : i64[]\n    yield %u, %e\n  } : i64[], i64[]\n  return %s, %d\n}\n";
    ir_run(local, 1, size, 2, out);
    assert_int_equal(*(int64_t *)out[0].data, 2);
    assert_int_equal(*(int64_t *)out[1].data, 4);
    ir_release(2, out);
    k = -1;
    ir_fails("func @f(%k: i64[]) -> i64[] {\n  %a = alloc<j = %k> : i64[j]\n  %r = reduce %a {kind = sum, dims = [0]} "
             ": i64[]\n"
             "  return %r\n}\n",
             NULL, 1, size, 1, "shape_mismatch", "t.ir:3: alloc: size j is -1 — sizes are 0 or more");
}

static void results_go_where_they_should(void **state) {
    (void)state;
    const char *swap = "func @f(%x: f64[n], %y: f64[n]) -> (f64[n], f64[n]) {\n  return %y, %x\n}\n";
    double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10};
    ir_program p = ir_open(swap);
    // Into the inputs' own memory, crosswise: both are read before either is written.
    ch__slot in[] = {ir_vector(CH_F64, 5, a), ir_vector(CH_F64, 5, b)}, out[] = {in[0], in[1]};
    in[0].donated = in[1].donated = true;
    assert_int_equal(ch__interp_run(p.program, NULL, 2, in, 2, out), CH_OK);
    assert_memory_equal(a, ((double[]){6, 7, 8, 9, 10}), 40);
    assert_memory_equal(b, ((double[]){1, 2, 3, 4, 5}), 40);
    // A given output of another size is refused.
    ch__slot wrong[] = {ir_vector(CH_F64, 4, a), ir_vector(CH_F64, 5, b)};
    assert_int_equal(ch__interp_run(p.program, NULL, 2, in, 2, wrong), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "f: output 0 is f64[4] — result 0 is f64[5]");
    // Inputs come back as copies, never as themselves.
    ch__slot fresh[2] = {{0}};
    assert_int_equal(ch__interp_run(p.program, NULL, 2, in, 2, fresh), CH_OK);
    assert_ptr_not_equal(fresh[0].data, a);
    assert_ptr_not_equal(fresh[0].data, b);
    ir_release(2, fresh);
    ir_close(&p);
    // One value twice, a constant, and a result that other results are made of.
    p = ir_open("func @f(%x: f64[n]) -> (f64[n], f64[n], f64[3], f64[n], f64[1,n]) {\n  %a = add %x, %x : f64[n]\n"
                "  %c = const {value = 2.5} : f64[3]\n  %d = neg %a : f64[n]\n  %e = reshape %d : f64[1,n]\n"
                "  return %a, %a, %c, %d, %e\n}\n");
    for (int given = 0; given < 32; given++) {
        double place[5][5];
        ch__slot r[5] = {{0}}, x[] = {ir_vector(CH_F64, 5, b)};
        for (int i = 0; i < 5; i++)
            if (given >> i & 1)
                r[i] =
                    i == 4 ? ir_slot(CH_F64, 2, IR_DIMS(1, 5), place[i]) : ir_vector(CH_F64, i == 2 ? 3 : 5, place[i]);
        assert_int_equal(ch__interp_run(p.program, NULL, 1, x, 5, r), CH_OK);
        for (int i = 0; i < 5; i++) {
            const double *got = r[i].data;
            if (given >> i & 1) assert_ptr_equal(got, place[i]);
            if (i == 2)
                assert_memory_equal(got, ((double[]){2.5, 2.5, 2.5}), 24);
            else
                assert_memory_equal(got, (i < 2 ? (double[]){2, 4, 6, 8, 10} : (double[]){-2, -4, -6, -8, -10}), 40);
            if (!(given >> i & 1)) ch__free_aligned(r[i].data);
        }
    }
    ir_close(&p);
}

static void result_types_are_known_before(void **state) {
    (void)state;
    ir_program p = ir_open("func @f(%x: f64[n]) -> (f32[2*n], i64[]) {\n  %a = concat %x, %x {dim = 0} : f64[2*n]\n"
                           "  %b = convert %a : f32[2*n]\n  %c = dim {e = n} : i64[]\n  return %b, %c\n}\n");
    ch__slot in[] = {ir_vector(CH_F64, 6, NULL)}, out[2] = {{0}};
    assert_int_equal(ch__interp_result_types(p.program, 1, in, 2, out), CH_OK);
    assert_true(out[0].dtype == CH_F32 && out[0].rank == 1 && out[0].dims[0] == 12);
    assert_true(out[1].dtype == CH_I64 && out[1].rank == 0);
    ir_close(&p);
}

static void zero_sizes(void **state) {
    (void)state;
    ch__slot in[] = {ir_slot(CH_F32, 2, IR_DIMS(0, 3), NULL), ir_slot(CH_F32, 2, IR_DIMS(3, 0), NULL)}, out[4];
    ir_run("func @f(%x: f32[n,3], %y: f32[3,n]) -> (f32[n,n], f32[3,3], f32[3], f32[n]) {\n"
           "  %a = dot %x, %y {contract = [1]x[0]} : f32[n,n]\n  %b = dot %y, %x {contract = [1]x[0]} : f32[3,3]\n"
           "  %c = reduce %x {kind = max, dims = [0]} : f32[3]\n  %d = reduce %x {kind = sum, dims = [1]} : f32[n]\n"
           "  return %a, %b, %c, %d\n}\n",
           2, in, 4, out);
    for (int i = 0; i < 9; i++) assert_true(((float *)out[1].data)[i] == 0);
    for (int i = 0; i < 3; i++) assert_true(((float *)out[2].data)[i] == -1.0f / 0.0f);
    assert_non_null(out[0].data);
    ir_release(4, out);
}

// Every allocation fails once: the status is out_of_memory, nothing is left behind, and the next run is right.
static void memory_ends(void **state) {
    (void)state;
    const char *body =
        "func @g(%x: f64[n]) -> f64[n] {\n  %r = exp %x : f64[n]\n  return %r\n}\n"
        "func @f(%x: f64[n], %w: f64[n,n], %k: i64[]) -> (f64[n], f64[n,n], f64[]) {\n"
        "  %zero = const {value = 0} : i64[]\n  %one = const {value = 1} : i64[]\n"
        "  %h = dot %w, %x {contract = [1]x[0]} : f64[n]\n  %e = call @g(%h) : f64[n]\n"
        "  %t = tape_new : tape<f64[n]>\n"
        "  %l, %tape = for %i = %zero to %k step %one iter(%a = %e, %tp = %t) {\n    %b = set %a[%zero], %v : f64[n]\n"
        "    %tp2 = push %tp, %b : tape<f64[n]>\n    yield %b, %tp2\n  } : f64[n], tape<f64[n]>\n"
        "  %sorted = sort %l {dim = 0} : f64[n]\n  %s = transpose %w {perm = [1, 0]} : f64[n,n]\n"
        "  %u = scatter %s, %idx, %x {window_dims = [0], inserted = [0], index_map = [0], index_dim = 0, kind = add, "
        "acc = f64} : f64[n,n]\n"
        "  %q = reduce %u {kind = sum, dims = [0, 1]} : f64[]\n"
        "  return %sorted, %s, %q\n}\n";
    char text[4096];
    // the scalar to set and the index of the scatter are made first
    const char *at = strstr(body, "  %h = dot");
    snprintf(text, sizeof text, "%.*s  %%v = const {value = 2} : f64[]\n  %%idx = const {value = 1} : i64[1]\n%s",
             (int)(at - body), body, at);
    static double x[40], w[1600];
    int64_t k = 20;
    ch__slot in[] = {ir_vector(CH_F64, 40, x), ir_slot(CH_F64, 2, IR_DIMS(40, 40), w), ir_scalar(CH_I64, &k)};
    ir_program p = ir_open(text);
    ch__slot out[3] = {{0}};
    assert_int_equal(ch__interp_run(p.program, NULL, 3, in, 3, out), CH_OK);
    ir_release(3, out);
    int64_t live = ch__alloc_live(), failures = 0;
    for (int64_t n = 1;; n++) {
        memset(out, 0, sizeof out);
        ch__alloc_fail_at(n, false);
        ch_status st = ch__interp_run(p.program, NULL, 3, in, 3, out);
        ch__alloc_fail_at(0, false);
        if (st == CH_OK) break;
        failures++;
        assert_int_equal(st, CH_RESOURCE_EXHAUSTED);
        assert_string_equal(ch_error_id(), "out_of_memory");
        for (int i = 0; i < 3; i++) assert_null(out[i].data);
        assert_int_equal(ch__alloc_live(), live);
    }
    assert_true(failures > 10);
    ir_release(3, out);
    ir_close(&p);
}

static void small_runs_allocate_their_result_only(void **state) {
    (void)state;
    ir_program p = ir_open("func @f(%x: f32[4], %y: f32[4]) -> f32[4] {\n  %r = add %x, %y : f32[4]\n  return %r\n}\n");
    float x[4] = {1, 2, 3, 4}, z[4];
    ch__slot in[] = {ir_vector(CH_F32, 4, x), ir_vector(CH_F32, 4, x)}, out[] = {ir_vector(CH_F32, 4, z)};
    int64_t before = ch__alloc_count();
    assert_int_equal(ch__interp_run(p.program, NULL, 2, in, 1, out), CH_OK);
    assert_int_equal(ch__alloc_count(), before);
    out[0].data = NULL;
    assert_int_equal(ch__interp_run(p.program, NULL, 2, in, 1, out), CH_OK);
    assert_int_equal(ch__alloc_count(), before + 1);
    assert_memory_equal(out[0].data, z, 16);
    ir_release(1, out);
    ir_close(&p);
}

// The caller's rounding mode neither reaches the arithmetic nor is changed by it.
static void rounding_mode_is_the_default(void **state) {
    (void)state;
    ir_program p =
        ir_open("func @f(%x: f64[40000], %y: f64[40000]) -> (f64[40000], f64[]) {\n  %r = div %x, %y : f64[40000]\n"
                "  %s = reduce %r {kind = sum, dims = [0]} : f64[]\n  return %r, %s\n}\n");
    static double x[40000], y[40000];
    double sum = 0;
    for (int i = 0; i < 40000; i++) x[i] = 1, y[i] = 3 + i, sum += x[i] / y[i];
    ch__slot in[] = {ir_vector(CH_F64, 40000, x), ir_vector(CH_F64, 40000, y)}, out[2] = {{0}};
    assert_int_equal(fesetround(FE_UPWARD), 0);
    ch_status st = ch__interp_run(p.program, NULL, 2, in, 2, out);
    int mode = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(st, CH_OK);
    assert_int_equal(mode, FE_UPWARD);
    for (int i = 0; i < 40000; i++) assert_true(((double *)out[0].data)[i] == x[i] / y[i]);
    assert_true(*(double *)out[1].data == sum);
    ir_release(2, out);
    ir_close(&p);
}

// ---------------------------------------------------------------- one op, for folding
typedef struct {
    ch__arena *arena;
    const ch__op *op;
    const ch__array *operands[2];
    ch__array *result;
} fold_case;

static void fold_one(void *arg) {
    fold_case *c = arg;
    ch__interp_op(c->arena, c->op, c->operands, &c->result);
}

static void one_op_folds(void **state) {
    (void)state;
    ir_program p =
        ir_open("func @f(%x: f32[2,2], %y: f32[2,2], %i: i64[]) -> (f32[2,2], f32[2], f32[2]) {\n"
                "  %a = add %x, %y : f32[2,2]\n  %b = reduce %x {kind = sum, dims = [1]} : f32[2]\n"
                "  %c = dynamic_slice %b, %i {sizes = [2], bounds = known} : f32[2]\n  return %a, %b, %c\n}\n");
    float x[4] = {1, 2, 3, 4}, ten = 10;
    const int64_t dims[] = {2, 2}, one_dim[] = {2};
    const ch__array lhs = {.dtype = CH_F32, .rank = 2, .dims = dims, .data = x},
                    splat = {.dtype = CH_F32, .data = &ten, .splat = true};
    int64_t five = 5;
    const ch__array flat = {.dtype = CH_F32, .rank = 1, .dims = one_dim, .data = x},
                    index = {.dtype = CH_I64, .data = &five};
    const ch__op *op = p.module->last->body->first;
    fold_case c = {.arena = p.arena, .op = op, .operands = {&lhs, &splat}};
    assert_int_equal(ch__protect(fold_one, &c), CH_OK);
    assert_memory_equal(c.result->data, ((float[]){11, 12, 13, 14}), 16);
    assert_int_equal(c.result->rank, 2);
    c = (fold_case){.arena = p.arena, .op = op->next, .operands = {&splat}};
    assert_int_equal(ch__protect(fold_one, &c), CH_OK);
    assert_memory_equal(c.result->data, ((float[]){20, 20}), 8);
    int64_t live = ch__alloc_live();
    c = (fold_case){.arena = p.arena, .op = op->next->next, .operands = {&flat, &index}};
    assert_int_equal(ch__protect(fold_one, &c), CH_OUT_OF_RANGE);
    assert_int_equal(ch__alloc_live(), live);
    ir_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_bind_and_compute),
        cmocka_unit_test(inputs_are_checked),
        cmocka_unit_test(sizes_of_the_run),
        cmocka_unit_test(results_go_where_they_should),
        cmocka_unit_test(result_types_are_known_before),
        cmocka_unit_test(zero_sizes),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(small_runs_allocate_their_result_only),
        cmocka_unit_test(rounding_mode_is_the_default),
        cmocka_unit_test(one_op_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
