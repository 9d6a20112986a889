// SPDX-License-Identifier: Apache-2.0
// test_interp_int.c - integers and bools at their edges, from hand-checked tables.
#include "interp_run.h"

// Runs `op` on pairs of i8 (wide: i32, i64 ...) given as i64 and compares with the expected values.
typedef struct {
    int64_t x, y, expected;
} int_row;

static void check_rows(const char *op, const char *dtype, const int_row *rows, int n, bool unary) {
    char body[400];
    ch_dtype d = (ch_dtype)ch_dtype_from_name(dtype);
    int64_t wide[3][64];
    unsigned char x[64 * 8], y[64 * 8];
    assert_true(n <= 64);
    for (int i = 0; i < n; i++) wide[0][i] = rows[i].x, wide[1][i] = rows[i].y;
    ch__convert_n(x, d, wide[0], CH_I64, n);
    ch__convert_n(y, d, wide[1], CH_I64, n);
    if (unary)
        snprintf(body, sizeof body, "func @f(%%x: %s[n]) -> %s[n] {\n  %%r = %s %%x : %s[n]\n  return %%r\n}\n", dtype,
                 dtype, op, dtype);
    else
        snprintf(body, sizeof body,
                 "func @f(%%x: %s[n], %%y: %s[n]) -> %s[n] {\n  %%r = %s %%x, %%y : %s[n]\n  return %%r\n}\n", dtype,
                 dtype, dtype, op, dtype);
    ch__slot in[2] = {ir_vector(d, n, x), ir_vector(d, n, y)}, out[1];
    ir_run(body, unary ? 1 : 2, in, 1, out);
    ch__convert_n(wide[2], CH_I64, out[0].data, d, n);
    for (int i = 0; i < n; i++)
        if (wide[2][i] != rows[i].expected) {
            print_error("%s %s of %" PRId64 ", %" PRId64 ": got %" PRId64 ", expected %" PRId64 "\n", op, dtype,
                        rows[i].x, rows[i].y, wide[2][i], rows[i].expected);
            fail();
        }
    ir_release(1, out);
}

#define ROWS(op, dtype, ...)                                                                                           \
    do {                                                                                                               \
        static const int_row rows[] = {__VA_ARGS__};                                                                   \
        check_rows(op, dtype, rows, (int)(sizeof rows / sizeof rows[0]), false);                                       \
    } while (0)
#define ROWS_1(op, dtype, ...)                                                                                         \
    do {                                                                                                               \
        static const int_row rows[] = {__VA_ARGS__};                                                                   \
        check_rows(op, dtype, rows, (int)(sizeof rows / sizeof rows[0]), true);                                        \
    } while (0)

static void arithmetic_wraps(void **state) {
    (void)state;
    ROWS("add", "i8", {127, 1, -128}, {-128, -1, 127}, {100, 100, -56}, {-1, 1, 0});
    ROWS("sub", "i8", {-128, 1, 127}, {127, -1, -128}, {0, -128, -128});
    ROWS("mul", "i8", {64, 2, -128}, {-128, -1, -128}, {16, 16, 0}, {11, 13, -113});
    ROWS("add", "u8", {255, 1, 0}, {200, 100, 44});
    ROWS("sub", "u8", {0, 1, 255});
    ROWS("mul", "u16", {65535, 65535, 1}, {256, 256, 0});
    ROWS("mul", "i16", {-32768, -32768, 0}, {-32768, -1, -32768});
    ROWS("add", "i32", {INT32_MAX, 1, INT32_MIN});
    ROWS("mul", "i32", {INT32_MIN, -1, INT32_MIN}, {65536, 65536, 0});
    ROWS("add", "i64", {INT64_MAX, 1, INT64_MIN});
    ROWS("mul", "i64", {INT64_MIN, -1, INT64_MIN}, {INT64_C(1) << 32, INT64_C(1) << 32, 0});
    ROWS_1("neg", "i8", {-128, 0, -128}, {5, 0, -5}, {0, 0, 0});
    ROWS_1("abs", "i8", {-128, 0, -128}, {-5, 0, 5}, {127, 0, 127});
    ROWS_1("neg", "i64", {INT64_MIN, 0, INT64_MIN});
    ROWS_1("sign", "i32", {INT32_MIN, 0, -1}, {0, 0, 0}, {7, 0, 1});
}

static void division(void **state) {
    (void)state;
    ROWS("div", "i8", {7, 2, 3}, {-7, 2, -3}, {7, -2, -3}, {7, 0, -1}, {-7, 0, -1}, {0, 0, -1}, {-128, -1, -128},
         {-128, 1, -128});
    ROWS("div", "i32", {INT32_MIN, -1, INT32_MIN}, {5, 0, -1});
    ROWS("div", "i64", {INT64_MIN, -1, INT64_MIN}, {5, 0, -1}, {INT64_MIN, 2, INT64_MIN / 2});
    ROWS("div", "u8", {7, 2, 3}, {255, 0, 255}, {0, 0, 255});
    ROWS("div", "u64", {7, 0, -1});
    ROWS("rem", "i8", {7, 3, 1}, {-7, 3, -1}, {7, -3, 1}, {7, 0, 7}, {-7, 0, -7}, {-128, -1, 0});
    ROWS("rem", "i32", {INT32_MIN, -1, 0}, {INT32_MIN, 0, INT32_MIN});
    ROWS("rem", "i64", {INT64_MIN, -1, 0}, {INT64_MIN, 0, INT64_MIN});
    ROWS("rem", "u16", {7, 3, 1}, {65535, 0, 65535});
}

static void powers(void **state) {
    (void)state;
    ROWS("pow", "i32", {3, 4, 81}, {2, 31, INT32_MIN}, {2, 32, 0}, {0, 0, 1}, {5, 0, 1}, {0, 5, 0},
         {3, 21, 1870418611});
    ROWS("pow", "i32", {2, -1, 0}, {1, -5, 1}, {-1, -3, -1}, {-1, -4, 1}, {0, -1, 0}, {-2, 3, -8});
    ROWS("pow", "u8", {3, 5, 243}, {2, 8, 0}, {7, 3, 87});
    ROWS("pow", "i64", {-1, INT64_MAX, -1}, {-1, INT64_MIN, 1}, {2, 63, INT64_MIN});
}

static void shifts_and_bits(void **state) {
    (void)state;
    ROWS("shl", "i8", {1, 7, -128}, {1, 8, 0}, {1, -1, 0}, {3, 6, -64}, {-1, 1, -2}, {1, 127, 0});
    ROWS("shl", "i32", {1, 31, INT32_MIN}, {1, 32, 0}, {-1, -5, 0});
    ROWS("shl", "u64", {1, 63, INT64_MIN}, {1, 64, 0});
    ROWS("shr", "i8", {-128, 7, -1}, {-128, 8, -1}, {127, 8, 0}, {-1, -1, -1}, {127, -1, 0}, {-64, 2, -16},
         {64, 2, 16});
    ROWS("shr", "u8", {255, 7, 1}, {255, 8, 0}, {128, 1, 64});
    ROWS("shr", "i64", {INT64_MIN, 63, -1}, {INT64_MIN, 64, -1}, {INT64_MAX, 64, 0});
    ROWS("and", "i8", {-128, 127, 0}, {-1, 85, 85});
    ROWS("or", "u16", {256, 1, 257});
    ROWS("xor", "i32", {-1, 1, -2});
    ROWS_1("not", "i8", {0, 0, -1}, {127, 0, -128});
    ROWS_1("not", "u8", {0, 0, 255}, {255, 0, 0});
    ROWS_1("popcnt", "i8", {-1, 0, 8}, {0, 0, 0}, {-128, 0, 1});
    ROWS_1("popcnt", "u64", {-1, 0, 64});
    ROWS_1("clz", "i8", {0, 0, 8}, {1, 0, 7}, {-1, 0, 0}, {127, 0, 1});
    ROWS_1("clz", "u16", {0, 0, 16}, {1, 0, 15}, {65535, 0, 0});
    ROWS_1("clz", "i64", {0, 0, 64}, {INT64_MIN, 0, 0});
    ROWS("min", "i8", {-128, 127, -128}, {3, 3, 3});
    ROWS("max", "u8", {0, 255, 255});
}

static void bools(void **state) {
    (void)state;
    // A byte other than 0 and 1 (from a bitcast) counts as true.
    static const uint8_t x[] = {0, 0, 1, 1, 2, 0}, y[] = {0, 1, 0, 1, 1, 4};
    static const struct {
        const char *op;
        uint8_t r[6];
    } rows[] = {
        {"and", {0, 0, 0, 1, 1, 0}}, {"or", {0, 1, 1, 1, 1, 1}},  {"xor", {0, 1, 1, 0, 0, 1}},
        {"min", {0, 0, 0, 1, 1, 0}}, {"max", {0, 1, 1, 1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char body[200];
        snprintf(body, sizeof body,
                 "func @f(%%x: bool[6], %%y: bool[6]) -> bool[6] {\n  %%r = %s %%x, %%y : bool[6]\n"
                 "  return %%r\n}\n",
                 rows[i].op);
        ch__slot in[] = {ir_vector(CH_BOOL, 6, x), ir_vector(CH_BOOL, 6, y)}, out[1];
        ir_run(body, 2, in, 1, out);
        assert_memory_equal(out[0].data, rows[i].r, 6);
        ir_release(1, out);
    }
    ch__slot in[] = {ir_vector(CH_BOOL, 6, x)}, out[2];
    ir_run("func @f(%x: bool[6]) -> (bool[6], i32[6]) {\n  %r = not %x : bool[6]\n  %i = convert %x : i32[6]\n"
           "  return %r, %i\n}\n",
           1, in, 2, out);
    assert_memory_equal(out[0].data, ((uint8_t[]){1, 1, 0, 0, 0, 1}), 6);
    assert_memory_equal(out[1].data, ((int32_t[]){0, 0, 1, 1, 1, 0}), 24);
    ir_release(2, out);
}

static void conversions_between_integers(void **state) {
    (void)state;
    static const int64_t x[] = {0, -1, 127, 128, 255, 256, -129, 65535, INT64_C(1) << 40, INT64_MIN};
    ch__slot in[] = {ir_vector(CH_I64, 10, x)}, out[4];
    ir_run("func @f(%x: i64[10]) -> (i8[10], u8[10], i16[10], bool[10]) {\n  %a = convert %x : i8[10]\n"
           "  %b = convert %x : u8[10]\n  %c = convert %x : i16[10]\n  %d = convert %x : bool[10]\n  return %a, %b, "
           "%c, %d\n}\n",
           1, in, 4, out);
    assert_memory_equal(out[0].data, ((int8_t[]){0, -1, 127, -128, -1, 0, 127, -1, 0, 0}), 10);
    assert_memory_equal(out[1].data, ((uint8_t[]){0, 255, 127, 128, 255, 0, 127, 255, 0, 0}), 10);
    assert_memory_equal(out[2].data, ((int16_t[]){0, -1, 127, 128, 255, 256, -129, -1, 0, 0}), 20);
    assert_memory_equal(out[3].data, ((uint8_t[]){0, 1, 1, 1, 1, 1, 1, 1, 1, 1}), 10);
    ir_release(4, out);
}

static void reductions_wrap_and_start_right(void **state) {
    (void)state;
    static const int8_t x[] = {100, 100, -3, 7};
    ch__slot in[] = {ir_vector(CH_I8, 4, x)}, out[4];
    ir_run("func @f(%x: i8[4]) -> (i8[], i8[], i8[], i8[]) {\n  %a = reduce %x {kind = sum, dims = [0]} : i8[]\n"
           "  %b = reduce %x {kind = prod, dims = [0]} : i8[]\n  %c = reduce %x {kind = and, dims = [0]} : i8[]\n"
           "  %d = reduce %x {kind = sum, dims = [0], acc = i64} : i8[]\n  return %a, %b, %c, %d\n}\n",
           1, in, 4, out);
    assert_int_equal(*(int8_t *)out[0].data, (int8_t)204);
    assert_int_equal(*(int8_t *)out[1].data, (int8_t)(100 * 100 * -21));
    assert_int_equal(*(int8_t *)out[2].data, 100 & -3 & 7);
    assert_int_equal(*(int8_t *)out[3].data, (int8_t)204);
    ir_release(4, out);
    static const struct {
        const char *dtype, *kind;
        int64_t r;
    } none[] = {
        {"i8", "sum", 0},          {"i8", "prod", 1},         {"i8", "min", 127},        {"i8", "max", -128},
        {"i8", "and", -1},         {"i8", "or", 0},           {"u8", "min", 255},        {"u8", "max", 0},
        {"u8", "and", 255},        {"bool", "and", 1},        {"bool", "or", 0},         {"bool", "min", 1},
        {"bool", "max", 0},        {"i64", "min", INT64_MAX}, {"i64", "max", INT64_MIN}, {"u64", "min", -1},
        {"i16", "max", INT16_MIN},
    };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        char body[300];
        ch_dtype d = (ch_dtype)ch_dtype_from_name(none[i].dtype);
        int64_t got;
        snprintf(body, sizeof body,
                 "func @f(%%x: %s[n]) -> %s[] {\n  %%r = reduce %%x {kind = %s, dims = [0]} : %s[]\n"
                 "  return %%r\n}\n",
                 none[i].dtype, none[i].dtype, none[i].kind, none[i].dtype);
        ch__slot empty[] = {ir_vector(d, 0, NULL)};
        ir_run(body, 1, empty, 1, out);
        ch__convert_n(&got, CH_I64, out[0].data, d, 1);
        assert_int_equal(got, none[i].r);
        ir_release(1, out);
    }
}

static void nowrap_is_checked_when_asked(void **state) {
    (void)state;
    static const int32_t x[] = {1, 70000}, y[] = {1, 70000};
    const char *body = "func @f(%x: i32[2], %y: i32[2]) -> i32[2] {\n  %r = mul %x, %y {nowrap = true} : i32[2] "
                       "loc(\"loop.c\":12:5)\n  return %r\n}\n";
    ch__slot in[] = {ir_vector(CH_I32, 2, x), ir_vector(CH_I32, 2, y)}, out[1];
    ir_run(body, 2, in, 1, out);
    assert_int_equal(((int32_t *)out[0].data)[1], 605032704);
    ir_release(1, out);
    ch__limits check = {.check = true};
    ir_fails(body, &check, 2, in, 1, "bounds",
             "loop.c:12: mul: 70000 and 70000 overflow i32 at element 1 — the operation promises nowrap");
    static const struct {
        const char *op, *dtype;
        int64_t x, y;
        bool fits;
    } rows[] = {
        {"add", "i8", 100, 27, true},         {"add", "i8", 100, 28, false},       {"sub", "i8", -100, 28, true},
        {"sub", "i8", -100, 29, false},       {"mul", "i64", INT64_MAX, 2, false}, {"mul", "i64", INT64_MIN, 1, true},
        {"sub", "i64", 0, INT64_MIN, false},  {"sub", "i64", -1, INT64_MIN, true}, {"add", "u8", 255, 1, false},
        {"sub", "u8", 3, 4, false},           {"sub", "u8", 4, 4, true},           {"div", "i32", 1, 0, false},
        {"div", "i32", INT32_MIN, -1, false}, {"rem", "u16", 1, 0, false},         {"shl", "i32", 1, 30, true},
        {"shl", "i32", 1, 31, false},         {"shl", "i32", -1, 1, false},        {"shl", "u32", 1, 31, true},
        {"shr", "i32", -1, 32, false},        {"shr", "u8", 1, 7, true},           {"mul", "u64", -1, 2, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        ch_dtype d = (ch_dtype)ch_dtype_from_name(rows[i].dtype);
        int64_t a[1], b[1];
        ch__convert_n(a, d, &rows[i].x, CH_I64, 1);
        ch__convert_n(b, d, &rows[i].y, CH_I64, 1);
        snprintf(text, sizeof text,
                 "func @f(%%x: %s[], %%y: %s[]) -> %s[] {\n  %%r = %s %%x, %%y {nowrap = true} : %s[]\n"
                 "  return %%r\n}\n",
                 rows[i].dtype, rows[i].dtype, rows[i].dtype, rows[i].op, rows[i].dtype);
        ch__slot args[] = {ir_scalar(d, a), ir_scalar(d, b)};
        ch_status st = ir_run_limited(text, &check, 2, args, 1, out);
        if ((st == CH_OK) != rows[i].fits) {
            print_error("%s %s %" PRId64 " %" PRId64 "\n", rows[i].op, rows[i].dtype, rows[i].x, rows[i].y);
            fail();
        }
        ir_release(1, out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_wraps),
        cmocka_unit_test(division),
        cmocka_unit_test(powers),
        cmocka_unit_test(shifts_and_bits),
        cmocka_unit_test(bools),
        cmocka_unit_test(conversions_between_integers),
        cmocka_unit_test(reductions_wrap_and_start_right),
        cmocka_unit_test(nowrap_is_checked_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
