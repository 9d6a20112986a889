// SPDX-License-Identifier: Apache-2.0
// test_interp_index.c - get, set, dynamic slices, gather and scatter: results, edges, and every sentence about bounds.
#include "interp_run.h"

static const double x5[] = {10, 11, 12, 13, 14};
static const double x34[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
static const ch__limits checking = {.check = true};

#define GET(bounds)                                                                                                    \
    "func @f(%x: f64[5], %i: i64[]) -> f64[] {\n  %v = get %x[%i] {bounds = " bounds                                   \
    "} : f64[] loc(\"file.c\":12:3)\n"                                                                                 \
    "  return %v\n}\n"

static void get_and_its_bounds(void **state) {
    (void)state;
    static const int64_t far[] = {7, -1, 5, INT64_MIN, INT64_MAX};
    ch__slot out[1];
    for (int64_t i = 0; i < 5; i++) {
        ch__slot in[] = {ir_vector(CH_F64, 5, x5), ir_scalar(CH_I64, &i)};
        ir_run(GET("c"), 2, in, 1, out);
        assert_true(*(double *)out[0].data == x5[i]);
        ir_release(1, out);
    }
    for (int k = 0; k < 5; k++) {
        ch__slot in[] = {ir_vector(CH_F64, 5, x5), ir_scalar(CH_I64, &far[k])};
        char sentence[200];
        snprintf(sentence, sizeof sentence, "file.c:12: get: index %" PRId64 " on axis 0 — f64[5] has indices 0 to 4",
                 far[k]);
        ir_fails(GET("c"), NULL, 2, in, 1, "bounds", sentence);
        ir_fails(GET("known"), NULL, 2, in, 1, "bounds", sentence);
        ir_fails(GET("clamp"), &checking, 2, in, 1, "bounds", sentence);
        ir_run(GET("clamp"), 2, in, 1, out);
        assert_true(*(double *)out[0].data == (far[k] < 0 ? 10 : 14));
        ir_release(1, out);
    }
    // Nothing can be got from nothing, clamped or not.
    int64_t zero = 0;
    ch__slot none[] = {ir_vector(CH_F64, 0, NULL), ir_scalar(CH_I64, &zero)};
    ir_fails("func @f(%x: f64[n], %i: i64[]) -> f64[] {\n  %v = get %x[%i] {bounds = clamp} : f64[]\n  return %v\n}\n",
             NULL, 2, none, 1, "bounds", "t.ir:3: get: index 0 on axis 0 — f64[0] has no element");
}

static void get_takes_any_integer(void **state) {
    (void)state;
    static const char *const types[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
    for (int k = 0; k < 8; k++) {
        ch_dtype d = (ch_dtype)ch_dtype_from_name(types[k]);
        char body[300];
        int64_t one = 1, three = 3, minus = -1;
        uint64_t i = 0, j = 0;
        ch__convert_n(&i, d, &one, CH_I64, 1);
        ch__convert_n(&j, d, &three, CH_I64, 1);
        snprintf(body, sizeof body,
                 "func @f(%%x: f64[3,4], %%i: %s[], %%j: %s[]) -> (f64[], f64[3,4]) {\n"
                 "  %%v = get %%x[%%i, %%j] : f64[]\n  %%y = set %%x[%%i, %%j], %%w : f64[3,4]\n  return %%v, %%y\n}\n",
                 types[k], types[k]);
        char *at = strstr(body, "  %v"), whole[400];
        snprintf(whole, sizeof whole, "%.*s  %%w = const {value = -5} : f64[]\n%s", (int)(at - body), body, at);
        ch__slot in[] = {ir_slot(CH_F64, 2, IR_DIMS(3, 4), x34), ir_scalar(d, &i), ir_scalar(d, &j)}, out[2];
        ir_run(whole, 3, in, 2, out);
        assert_true(*(double *)out[0].data == 13 && ((double *)out[1].data)[7] == -5 &&
                    ((double *)out[1].data)[6] == 12);
        ir_release(2, out);
        ch__convert_n(&j, d, &minus, CH_I64, 1);
        assert_int_equal(ir_run_limited(whole, NULL, 3, in, 2, out), CH_OUT_OF_RANGE);
    }
}

static void blocks_are_clamped(void **state) {
    (void)state;
    const char *body = "func @f(%x: f64[3,4], %i: i64[], %j: i64[], %u: f64[2,2]) -> (f64[2,2], f64[3,4]) {\n"
                       "  %a = dynamic_slice %x, %i, %j {sizes = [2,2]} : f64[2,2]\n"
                       "  %b = dynamic_update_slice %x, %u, %i, %j : f64[3,4]\n  return %a, %b\n}\n";
    static const double u[] = {-1, -2, -3, -4};
    for (int64_t i = -2; i < 4; i++)
        for (int64_t j = -2; j < 5; j++) {
            int64_t r = i < 0 ? 0 : i > 1 ? 1 : i, c = j < 0 ? 0 : j > 2 ? 2 : j;
            ch__slot in[] = {ir_slot(CH_F64, 2, IR_DIMS(3, 4), x34), ir_scalar(CH_I64, &i), ir_scalar(CH_I64, &j),
                             ir_slot(CH_F64, 2, IR_DIMS(2, 2), u)},
                     out[2];
            ir_run(body, 4, in, 2, out);
            for (int k = 0; k < 4; k++) assert_true(((double *)out[0].data)[k] == x34[(r + k / 2) * 4 + c + k % 2]);
            for (int k = 0; k < 12; k++) {
                int64_t a = k / 4 - r, b = k % 4 - c;
                bool inside = a >= 0 && a < 2 && b >= 0 && b < 2;
                assert_true(((double *)out[1].data)[k] == (inside ? u[a * 2 + b] : x34[k]));
            }
            ir_release(2, out);
        }
    int64_t i = 0, j = 3;
    ch__slot in[] = {ir_slot(CH_F64, 2, IR_DIMS(3, 4), x34), ir_scalar(CH_I64, &i), ir_scalar(CH_I64, &j),
                     ir_slot(CH_F64, 2, IR_DIMS(2, 2), u)};
    ir_fails(body, &checking, 4, in, 2, "bounds",
             "t.ir:3: dynamic_slice: start 3 with size 2 on axis 1 — f64[3,4] allows starts 0 to 2");
    ir_fails("func @f(%x: f64[3,4], %i: i64[], %j: i64[], %u: f64[2,2]) -> f64[3,4] {\n"
             "  %b = dynamic_update_slice %x, %u, %i, %j {bounds = known} : f64[3,4]\n  return %b\n}\n",
             NULL, 4, in, 1, "bounds",
             "t.ir:3: dynamic_update_slice: start 3 with size 2 on axis 1 — f64[3,4] allows starts 0 to 2");
}

static void gather_collects_rows(void **state) {
    (void)state;
    // x[idx] for rows, out of range clamped.
    const char *rows = "func @f(%x: f64[3,4], %i: i32[4]) -> f64[4,4] {\n"
                       "  %r = gather %x, %i {offset_dims = [1], collapsed = [0], index_map = [0], index_dim = 1, "
                       "sizes = [1,4]} : f64[4,4]\n"
                       "  return %r\n}\n";
    static const int32_t i[] = {2, 0, 9, -3};
    ch__slot in[] = {ir_slot(CH_F64, 2, IR_DIMS(3, 4), x34), ir_vector(CH_I32, 4, i)}, out[1];
    ir_run(rows, 2, in, 1, out);
    for (int k = 0; k < 4; k++)
        assert_memory_equal((double *)out[0].data + 4 * k, x34 + 4 * (k == 0 || k == 2 ? 2 : 0), 32);
    ir_release(1, out);
    ir_fails(rows, &checking, 2, in, 1, "bounds", "t.ir:3: gather: index 9 on axis 0 — f64[3,4] has indices 0 to 2");
    // Windows of 1x2 at (row, column), the components along the first axis of the indices.
    static const int64_t at[] = {0, 2, 1, 3};
    ch__slot in2[] = {ir_slot(CH_F64, 2, IR_DIMS(3, 4), x34), ir_slot(CH_I64, 2, IR_DIMS(2, 2), at)};
    ir_run("func @f(%x: f64[3,4], %i: i64[2,2]) -> f64[2,2] {\n"
           "  %r = gather %x, %i {offset_dims = [0], collapsed = [0], index_map = [0,1], index_dim = 0, sizes = [1,2]} "
           ": f64[2,2]\n"
           "  return %r\n}\n",
           2, in2, 1, out);
    // vectors (0,1) and (2,3->2); offset axis first
    assert_memory_equal(out[0].data, ((double[]){1, 22, 2, 23}), 32);
    ir_release(1, out);
    // Batching: row b of x indexed by row b of the indices.
    static const int32_t b[] = {3, 0, 1};
    ch__slot in3[] = {ir_slot(CH_F64, 2, IR_DIMS(3, 4), x34), ir_slot(CH_I32, 2, IR_DIMS(3, 1), b)};
    ir_run("func @f(%x: f64[3,4], %i: i32[3,1]) -> f64[3] {\n"
           "  %r = gather %x, %i {offset_dims = [], collapsed = [1], index_map = [1], index_dim = 1, sizes = [1,1], "
           "operand_batch = [0], "
           "indices_batch = [0]} : f64[3]\n  return %r\n}\n",
           2, in3, 1, out);
    assert_memory_equal(out[0].data, ((double[]){3, 10, 21}), 24);
    ir_release(1, out);
}

#define SCATTER(kind, bounds)                                                                                          \
    "func @f(%x: f64[5], %i: i64[4], %u: f64[4]) -> f64[5] {\n"                                                        \
    "  %r = scatter %x, %i, %u {window_dims = [], inserted = [0], index_map = [0], index_dim = 1, kind = " kind        \
    ", bounds = " bounds "} : f64[5]\n  return %r\n}\n"

static void scatter_applies_in_order(void **state) {
    (void)state;
    static const int64_t i[] = {1, 3, 1, 7};
    static const double u[] = {2, 30, 4, 100};
    static const struct {
        const char *body;
        double r[5];
    } rows[] = {{SCATTER("set", "clamp"), {10, 4, 12, 30, 14}},
                {SCATTER("add", "clamp"), {10, 17, 12, 43, 14}},
                {SCATTER("mul", "clamp"), {10, 88, 12, 390, 14}},
                {SCATTER("min", "clamp"), {10, 2, 12, 13, 14}},
                {SCATTER("max", "clamp"), {10, 11, 12, 30, 14}}};
    ch__slot in[] = {ir_vector(CH_F64, 5, x5), ir_vector(CH_I64, 4, i), ir_vector(CH_F64, 4, u)}, out[1];
    for (int k = 0; k < 5; k++) {
        ir_run(rows[k].body, 3, in, 1, out);
        assert_memory_equal(out[0].data, rows[k].r, 40);
        ir_release(1, out);
    }
    ir_fails(SCATTER("add", "known"), NULL, 3, in, 1, "bounds",
             "t.ir:3: scatter: index 7 on axis 0 — f64[5] has indices 0 to 4");
    ir_fails(SCATTER("add", "clamp"), &checking, 3, in, 1, "bounds",
             "t.ir:3: scatter: index 7 on axis 0 — f64[5] has indices 0 to 4");
    // Windows: rows of two; one that does not fit as a whole is dropped as a whole.
    static const int32_t at[] = {1, 3, 0, -1};
    static const float v[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const float x4[] = {0, 0, 0, 0};
    ch__slot in2[] = {ir_vector(CH_F32, 4, x4), ir_slot(CH_I32, 2, IR_DIMS(4, 1), at),
                      ir_slot(CH_F32, 2, IR_DIMS(4, 2), v)};
    ir_run("func @f(%x: f32[4], %i: i32[4,1], %u: f32[4,2]) -> f32[4] {\n"
           "  %r = scatter %x, %i, %u {window_dims = [1], inserted = [], index_map = [0], index_dim = 1, kind = add} : "
           "f32[4]\n"
           "  return %r\n}\n",
           3, in2, 1, out);
    assert_memory_equal(out[0].data, ((float[]){5, 7, 2, 0}), 16);
    ir_release(1, out);
    // acc: 2^24 + 1 + 1 in f64 is 2^24 + 2, in f32 it stays.
    static const float big[] = {16777216, 0};
    static const int32_t zeros[] = {0, 0};
    static const float ones[] = {1, 1};
    ch__slot in3[] = {ir_vector(CH_F32, 2, big), ir_vector(CH_I32, 2, zeros), ir_vector(CH_F32, 2, ones)}, two[2];
    ir_run("func @f(%x: f32[2], %i: i32[2], %u: f32[2]) -> (f32[2], f32[2]) {\n"
           "  %a = scatter %x, %i, %u {window_dims = [], inserted = [0], index_map = [0], index_dim = 1, kind = add, "
           "acc = f64} : f32[2]\n"
           "  %b = scatter %x, %i, %u {window_dims = [], inserted = [0], index_map = [0], index_dim = 1, kind = add} : "
           "f32[2]\n"
           "  return %a, %b\n}\n",
           3, in3, 2, two);
    assert_true(*(float *)two[0].data == 16777218 && *(float *)two[1].data == 16777216);
    ir_release(2, two);
}

static void sorting(void **state) {
    (void)state;
    static const float k[] = {2, -0.0f, 0.0f, 0.0f / 0.0f, 2, -1};
    static const int32_t v[] = {0, 1, 2, 3, 4, 5};
    ch__slot in[] = {ir_vector(CH_F32, 6, k), ir_vector(CH_I32, 6, v)}, out[4];
    ir_run("func @f(%k: f32[6], %v: i32[6]) -> (f32[6], i32[6], f32[6], i32[6]) {\n"
           "  %a, %b = sort %k, %v {dim = 0} : f32[6], i32[6]\n  %c, %d = sort %k, %v {dim = 0, descending = true} : "
           "f32[6], i32[6]\n"
           "  return %a, %b, %c, %d\n}\n",
           2, in, 4, out);
    assert_memory_equal(out[1].data, ((int32_t[]){5, 1, 2, 0, 4, 3}), 24);
    assert_memory_equal(out[3].data, ((int32_t[]){3, 0, 4, 1, 2, 5}), 24);
    ir_release(4, out);
    ir_run("func @f(%k: f32[6], %v: i32[6]) -> (i32[3], i32[6], i32[6]) {\n  %two = const {value = 2} : i32[6]\n"
           "  %a, %b = top_k %k {k = 3} : f32[3], i32[3]\n  %m = rem %v, %two : i32[6]\n"
           "  %c, %d, %e = sort %m, %v, %k {dim = 0, keys = 2, descending = true} : i32[6], i32[6], f32[6]\n"
           "  return %b, %c, %d\n}\n",
           2, in, 3, out);
    assert_memory_equal(out[0].data, ((int32_t[]){3, 0, 4}), 12);
    assert_memory_equal(out[1].data, ((int32_t[]){1, 1, 1, 0, 0, 0}), 24);
    assert_memory_equal(out[2].data, ((int32_t[]){5, 3, 1, 4, 2, 0}), 24);
    ir_release(3, out);
}

// Lines of every length against insertion: stable, so values that carry their position come out as expected.
static void sorting_many(void **state) {
    (void)state;
    for (int n = 0; n < 70; n++) {
        int8_t k[70];
        int32_t v[70], order[70];
        for (int i = 0; i < n; i++) {
            k[i] = (int8_t)(ch__hash_u64((uint64_t)(n * 100 + i)) % 7) - 3;
            v[i] = i;
            int at = i;
            for (; at > 0 && k[order[at - 1]] > k[i]; at--) order[at] = order[at - 1];
            order[at] = i;
        }
        ch__slot in[] = {ir_vector(CH_I8, n, k), ir_vector(CH_I32, n, v)}, out[2];
        ir_run("func @f(%k: i8[n], %v: i32[n]) -> (i8[n], i32[n]) {\n  %a, %b = sort %k, %v {dim = 0} : i8[n], i32[n]\n"
               "  return %a, %b\n}\n",
               2, in, 2, out);
        for (int i = 0; i < n; i++) {
            assert_int_equal(((int32_t *)out[1].data)[i], order[i]);
            assert_int_equal(((int8_t *)out[0].data)[i], k[order[i]]);
        }
        ir_release(2, out);
    }
}

static void factors(void **state) {
    (void)state;
    // Only the triangle named is read: the other one holds NaN.
    const double nan = 0.0 / 0.0, a[] = {4, nan, nan, 2, 5, nan, -2, 1, 6};
    ch__slot in[] = {ir_slot(CH_F64, 2, IR_DIMS(3, 3), a)}, out[3];
    ir_run("func @f(%a: f64[3,3]) -> (f64[3,3], f64[3,3], f64[3,3]) {\n  %l = cholesky %a : f64[3,3]\n"
           "  %t = transpose %a {perm = [1,0]} : f64[3,3]\n  %u = cholesky %t {lower = false} : f64[3,3]\n"
           "  %b = const {value = 1} : f64[3,3]\n  %x = triangular_solve %l, %b {lower = true} : f64[3,3]\n"
           "  return %l, %u, %x\n}\n",
           1, in, 3, out);
    static const double l[] = {2, 0, 0, 1, 2, 0, -1, 1, 2};
    assert_memory_equal(out[0].data, l, sizeof l);
    for (int i = 0; i < 9; i++) assert_true(((double *)out[1].data)[i] == l[i % 3 * 3 + i / 3]);
    static const double x[] = {0.5, 0.25, 0.625};
    for (int i = 0; i < 9; i++) assert_true(((double *)out[2].data)[i] == x[i / 3]);
    ir_release(3, out);
    static const double indefinite[] = {1, 2, 2, 1};
    ch__slot in2[] = {ir_slot(CH_F64, 2, IR_DIMS(2, 2), indefinite)};
    ir_run("func @f(%a: f64[2,2]) -> f64[2,2] {\n  %l = cholesky %a : f64[2,2]\n  return %l\n}\n", 1, in2, 1, out);
    const double *r = out[0].data;
    assert_true(r[0] != r[0] && r[1] == 0 && r[2] != r[2] && r[3] != r[3]);
    ir_release(1, out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(get_and_its_bounds),
        cmocka_unit_test(get_takes_any_integer),
        cmocka_unit_test(blocks_are_clamped),
        cmocka_unit_test(gather_collects_rows),
        cmocka_unit_test(scatter_applies_in_order),
        cmocka_unit_test(sorting),
        cmocka_unit_test(sorting_many),
        cmocka_unit_test(factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
