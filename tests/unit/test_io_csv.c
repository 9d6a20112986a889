// SPDX-License-Identifier: Apache-2.0
// test_io_csv.c - csv.c: what is read, what is refused and where, exact round trips; raw.c.
#include "io_data.h"

#include <locale.h>

static ch_csv *of(const char *text, const ch_csv_options *o) {
    ch_csv *c = NULL;
    void *data = exact(text, strlen(text));
    if (ch_csv_open_memory(data, strlen(text), "x", o, &c) != CH_OK) fail_msg("%s", ch_error_message());
    free(data);
    return c;
}

// rows x columns of doubles
static void holds(const char *text, const ch_csv_options *o, int64_t rows, int64_t columns, const double *want) {
    ch_csv *c = of(text, o);
    ch_tensor *t = NULL;
    assert_int_equal(ch_csv_rows(c), rows);
    assert_int_equal(ch_csv_columns(c), columns);
    assert_int_equal(ch_csv_read(c, &t), CH_OK);
    assert_int_equal(ch_tensor_rank(t), 2);
    assert_int_equal(ch_tensor_dim(t, 0), rows);
    assert_int_equal(ch_tensor_dim(t, 1), columns);
    if (rows * columns > 0) assert_memory_equal(ch_data(t), want, (size_t)(rows * columns) * 8);
    ch_release(t);
    ch_csv_close(c);
}
#define HOLDS(text, o, rows, columns, ...) holds(text, o, rows, columns, (const double[]){__VA_ARGS__})

static void numbers(void **state) {
    (void)state;
    HOLDS("1,2\n3,4\n", NULL, 2, 2, 1, 2, 3, 4);
    HOLDS("1,2\r\n3,4", NULL, 2, 2, 1, 2, 3, 4);
    HOLDS("\xef\xbb\xbf"
          "1\n",
          NULL, 1, 1, 1);
    HOLDS("# a comment\n\n  1 ,\t-2.5e3 \n   \n  # another, with \" in it\n+3,0x1.8p1\n\n", NULL, 2, 2, 1, -2500, 3, 3);
    HOLDS("\"1\",\"-inf\"\n\"2\" , 3\n", NULL, 2, 2, 1, -HUGE_VAL, 2, 3);
    HOLDS("-0,1e-320\n", NULL, 1, 2, -0.0, 1e-320);
    HOLDS("", NULL, 0, 0, 0);
    HOLDS("# nothing\n", NULL, 0, 0, 0);
    ch_csv_options o = {.struct_size = sizeof o, .separator = ';'};
    HOLDS("1;2\n3;4\n", &o, 2, 2, 1, 2, 3, 4);
    o.separator = '\t';
    HOLDS("1\t2\n 3\t4 \n", &o, 2, 2, 1, 2, 3, 4);
    o.separator = ' ';
    HOLDS("1 2\n3 4\n", &o, 2, 2, 1, 2, 3, 4);
    o = (ch_csv_options){.struct_size = sizeof o, .comment = '%'};
    HOLDS("% x\n1\n", &o, 1, 1, 1);
    o = (ch_csv_options){.struct_size = sizeof o, .missing_allowed = 1, .missing = -1};
    HOLDS(",1\nNA,N/A\n null ,\"\"\n2,", &o, 4, 2, -1, 1, -1, -1, -1, -1, 2, -1);
    o = (ch_csv_options){.struct_size = sizeof o, .separator = '\t', .missing_allowed = 1, .missing = 7};
    HOLDS("\t\n", &o, 1, 2, 7, 7); // no empty line
    o = (ch_csv_options){.struct_size = sizeof o, .missing_allowed = 1, .missing = (double)NAN};
    ch_csv *c = of("1,\n", &o);
    ch_tensor *t = NULL;
    assert_int_equal(ch_csv_read(c, &t), CH_OK);
    assert_true(isnan(((const double *)ch_data(t))[1]));
    ch_release(t);
    ch_csv_close(c);
}

static void headers(void **state) {
    (void)state;
    ch_csv_options o = {.struct_size = sizeof o};
    HOLDS("a,b\n1,2\n", NULL, 1, 2, 1, 2);
    ch_csv *c = of("# first\n time ,\"speed, \"\"m/s\"\"\",\"two\nlines\",\n1,2,3,4\n", NULL);
    assert_int_equal(ch_csv_columns(c), 4);
    assert_string_equal(ch_csv_name(c, 0), "time");
    assert_string_equal(ch_csv_name(c, 1), "speed, \"m/s\"");
    assert_string_equal(ch_csv_name(c, 2), "two\nlines");
    assert_string_equal(ch_csv_name(c, 3), "");
    assert_null(ch_csv_name(c, 4));
    assert_null(ch_csv_name(c, -1));
    assert_int_equal(ch_csv_find(c, "two\nlines"), 2);
    assert_int_equal(ch_csv_find(c, "three"), -1);
    assert_int_equal(ch_csv_find(c, NULL), -1);
    ch_csv_close(c);
    HOLDS("a,b,c\n", NULL, 0, 3, 0);
    // numbers for names: as told
    HOLDS("2020,2021\n1,2\n", NULL, 2, 2, 2020, 2021, 1, 2);
    o.header = CH_CSV_HEADER_YES;
    HOLDS("2020,2021\n1,2\n", &o, 1, 2, 1, 2);
    o.header = CH_CSV_HEADER_NO;
    c = of("2020\n", &o);
    assert_null(ch_csv_name(c, 0));
    assert_int_equal(ch_csv_find(c, "2020"), -1);
    ch_csv_close(c);
}

static void refuses_as(const ch_csv_options *o, const char *text, const char *id, const char *message) {
    char whole[400];
    ch_csv *c = NULL;
    void *data = exact(text, strlen(text));
    snprintf(whole, sizeof whole, "csv_open: x: %s", message);
    failed(ch_csv_open_memory(data, strlen(text), "x", o, &c), id, whole);
    assert_null(c);
    free(data);
}
static void refuses(const char *text, const char *message) { refuses_as(NULL, text, "file_format", message); }

static void mistakes_have_a_place(void **state) {
    (void)state;
    refuses("1,2\n3,x\n", "line 2, column 3: \"x\" is no f64");
    refuses("1,2\n\n# c\n3, 4 5\n", "line 4, column 4: \"4 5\" is no f64");
    refuses("1,2\n3\n", "line 2, column 2: the row ends after 1 fields, the first has 2");
    refuses("1,2\n3,4,5\n", "line 2, column 5: a field more than the 2 of the first row");
    refuses("a,b\n1,2,\n", "line 2, column 5: a field more than the 2 of the first row");
    refuses("1,\n",
            "line 1, column 3: a missing value — give options.missing_allowed and a value for it, or fill it in");
    refuses("1,\"2\n3", "line 1, column 3: a quote is opened and not closed");
    refuses("1\n2\"3\n",
            "line 2, column 2: a quote inside a field — quote the whole field, and double the quotes inside");
    refuses("a\n\"1\"2\n",
            "line 2, column 4: a quote inside a field — quote the whole field, and double the quotes inside");
    refuses("\"two\nlines\"\n1\n2\nx\n", "line 5, column 1: \"x\" is no f64");
    refuses("a,b\n1,\"\n2x\"\n", "line 2, column 3: \"\\x0a2x\" is no f64");
    refuses("1\n2\r3\n", "line 2, column 1: \"2\\x0d3\" is no f64"); // CR alone ends no line
    refuses("a,\xff\n1,2\n", "line 1, column 3: the name is not UTF-8 (or holds a NUL)");
}

static void whole_numbers(void **state) {
    (void)state;
    static const struct {
        ch_dtype dtype;
        const char *good, *below, *above;
    } rows[] = {
        {CH_I8, "-128,127", "-129", "128"},
        {CH_U8, "0,255", "-1", "256"},
        {CH_I16, "-32768,32767", "-32769", "32768"},
        {CH_U16, "0,65535", "-1", "65536"},
        {CH_I32, "-2147483648,2147483647", "-2147483649", "2147483648"},
        {CH_U32, "0,4294967295", "-1", "4294967296"},
        {CH_I64, "-9223372036854775808,9223372036854775807", "-9223372036854775809", "9223372036854775808"},
        {CH_U64, "0,18446744073709551615", "-1", "18446744073709551616"},
        {CH_BOOL, "0,1", "-1", "2"},
    };
    char message[200], text[100];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ch_csv_options o = {.struct_size = sizeof o, .header = CH_CSV_HEADER_NO, .dtype = rows[i].dtype};
        ch_csv *c = of(rows[i].good, &o);
        ch_tensor *t = NULL;
        size_t n = 0;
        assert_int_equal(ch_csv_read(c, &t), CH_OK);
        ch_csv_close(c);
        assert_int_equal(ch_csv_save(path, NULL, t), CH_OK);
        ch_release(t);
        char *back = slurp(path, &n);
        snprintf(text, sizeof text, "%s\n", rows[i].good);
        assert_string_equal(back, text);
        ch__free(back);
        static const char *const wrong[] = {"1.0", "1e3", "0x1", "-", "+", "1 2"};
        for (int k = 0; k < 8; k++) {
            const char *w = k == 6 ? rows[i].below : k == 7 ? rows[i].above : wrong[k];
            snprintf(message, sizeof message, "line 1, column 1: \"%s\" is no %s%s", w, ch_dtype_name(rows[i].dtype),
                     rows[i].dtype == CH_BOOL ? " — 0, 1, true and false are" : "");
            refuses_as(&o, w, "file_format", message);
        }
    }
    ch_csv_options o = {.struct_size = sizeof o, .dtype = CH_BOOL, .header = CH_CSV_HEADER_NO};
    ch_csv *c = of("true,false,1\n", &o);
    ch_tensor *t = NULL;
    assert_int_equal(ch_csv_read(c, &t), CH_OK);
    assert_memory_equal(ch_data(t), "\1\0\1", 3);
    ch_release(t);
    ch_csv_close(c);
    o = (ch_csv_options){.struct_size = sizeof o, .dtype = CH_I32, .missing_allowed = 1, .missing = 0.5};
    refuses_as(&o, "1,\n", "file_format",
               "line 1, column 3: a missing value, which options.missing makes 0.5 — that is no i32");
}

// Any bits of each dtype come back.
static void exact_round_trips(void **state) {
    (void)state;
    enum { N = 4096 };
    static const ch_dtype types[] = {CH_F64, CH_F32, CH_F16, CH_BF16, CH_I64, CH_U64, CH_I8};
    uint32_t bits[2 * N], key[2] = {7, 9};
    for (uint32_t i = 0; i < 2 * N; i += 2) ch__threefry2x32(key, (uint32_t[]){i, 1}, bits + i);
    for (int k = 0; k < 7; k++) {
        size_t size = ch_dtype_size(types[k]);
        ch_tensor *t = ch_from_data(types[k], bits, 2, (int64_t[]){N / 8, 8}), *back = NULL;
        ch_csv_options o = {.struct_size = sizeof o, .dtype = types[k]};
        assert_int_equal(ch_csv_save(path, NULL, t), CH_OK);
        assert_int_equal(ch_csv_load(path, &o, &back), CH_OK);
        const char *a = ch_data(t), *b = ch_data(back);
        for (int64_t i = 0; i < N; i++) {
            double x = 0;
            if (types[k] == CH_F64) memcpy(&x, a + i * 8, 8);
            if (types[k] == CH_F32) x = (double)((const float *)(const void *)a)[i];
            if (types[k] == CH_F16) x = (double)ch__f16_to_f32(((const uint16_t *)(const void *)a)[i]);
            if (types[k] == CH_BF16) x = (double)ch__bf16_to_f32(((const uint16_t *)(const void *)a)[i]);
            if (!isnan(x)) assert_memory_equal(a + (size_t)i * size, b + (size_t)i * size, size);
        }
        ch_release(back);
    }
}

static void shapes_and_names_written(void **state) {
    (void)state;
    size_t n = 0;
    ch_tensor *t = ch_from_f32((float[]){1, 0.1f, -3, 1e30f}, 2, (int64_t[]){2, 2});
    static const char *const names[] = {"a \"b\", c", " d"};
    assert_int_equal(ch_csv_save(path, names, t), CH_OK);
    char *text = slurp(path, &n);
    assert_string_equal(text, "\"a \"\"b\"\", c\",\" d\"\n1,0.1\n-3,1e+30\n");
    ch__free(text);
    ch_csv *c = NULL;
    assert_int_equal(ch_csv_open(path, NULL, &c), CH_OK);
    assert_string_equal(ch_csv_name(c, 0), names[0]);
    assert_string_equal(ch_csv_name(c, 1), names[1]);
    ch_csv_close(c);
    assert_int_equal(ch_csv_save(path, NULL, ch_from_i32((int32_t[]){5, 6}, 1, (int64_t[]){2})), CH_OK);
    text = slurp(path, &n);
    assert_string_equal(text, "5\n6\n");
    ch__free(text);
    assert_int_equal(ch_csv_save(path, NULL, ch_from_i32((int32_t[]){5}, 0, NULL)), CH_OK);
    text = slurp(path, &n);
    assert_string_equal(text, "5\n");
    ch__free(text);
    char message[300];
    snprintf(message, sizeof message, "csv_save: %s: a tensor of 3 axes — at most 2 are written: reshape it first",
             path);
    failed(ch_csv_save(path, NULL, data_tensor(CH_F32, 3, (int64_t[]){1, 1, 1})), "rank", message);
    snprintf(message, sizeof message, "csv_save: %s: f8e4m3 — bool, integers, f16, bf16, f32, f64 are written", path);
    failed(ch_csv_save(path, NULL, data_tensor(CH_F8E4M3, 0, NULL)), "dtype_mismatch", message);
    failed(ch_csv_save(NULL, NULL, t), "argument", "csv_save: the path is NULL — give one");
}

static void options_are_checked(void **state) {
    (void)state;
    ch_csv *c = NULL;
    ch_tensor *t = NULL;
    char message[200];
    ch_csv_options o = {.struct_size = 1};
    snprintf(message, sizeof message, "csv_open: options.struct_size is 1 — set it to sizeof(ch_csv_options), %zu",
             sizeof o);
    failed(ch_csv_open("x", &o, &c), "argument", message);
    static const char wrong[] = "\"\n\r.+-0azAZ#";
    for (const char *w = wrong; *w; w++) {
        o = (ch_csv_options){.struct_size = sizeof o, .separator = *w};
        snprintf(message, sizeof message,
                 "csv_load: options.separator is '%c' — one ASCII character that no number has, no quote and not the "
                 "comment's is allowed",
                 *w);
        failed(ch_csv_load("x", &o, &t), "argument", message);
    }
    o = (ch_csv_options){.struct_size = sizeof o, .dtype = CH_F8E4M3};
    failed(ch_csv_open("x", &o, &c), "dtype_mismatch",
           "csv_open: options.dtype is f8e4m3 — bool, integers, f16, bf16, f32, f64 are read");
    o = (ch_csv_options){.struct_size = sizeof o, .header = (ch_csv_header)9};
    failed(ch_csv_open("x", &o, &c), "argument", "csv_open: options.header is 9 — give one of ch_csv_header");
    failed(ch_csv_open(NULL, NULL, &c), "argument", "csv_open: the path is NULL — give one");
    failed(ch_csv_open("x", NULL, NULL), "argument", "csv_open: the place for the result is NULL — give one");
    failed(ch_csv_read(NULL, &t), "argument", "csv_read: the file is NULL — give one that was opened");
}

static void the_locale_does_not_matter(void **state) {
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    const char *found = NULL;
    for (int i = 0; i < 3 && !found; i++) found = setlocale(LC_NUMERIC, commas[i]);
    if (!found) CH_SKIP("no locale whose decimal point is a comma is installed");
    HOLDS("1.5,2\n", NULL, 1, 2, 1.5, 2);
    size_t n = 0;
    assert_int_equal(ch_csv_save(path, NULL, ch_from_f64((double[]){1.5}, 0, NULL)), CH_OK);
    char *text = slurp(path, &n);
    assert_string_equal(text, "1.5\n");
    ch__free(text);
    setlocale(LC_NUMERIC, "C");
}

static void raw_files(void **state) {
    (void)state;
    static const ch_dtype types[] = {CH_BOOL, CH_I8,  CH_I64,    CH_U16,    CH_F16,
                                     CH_BF16, CH_F32, CH_F8E4M3, CH_F8E5M2, CH_F64};
    ch_tensor *t = NULL;
    for (int i = 0; i < 10; i++) {
        size_t n = 0;
        assert_int_equal(ch_raw_save(path, data_tensor(types[i], 2, (int64_t[]){2, 3})), CH_OK);
        ch__free(slurp(path, &n));
        assert_int_equal(n, 6 * ch_dtype_size(types[i]));
        data_loads(ch_raw_load(path, types[i], 2, (int64_t[]){2, 3}, &t), t, types[i], 2, 3);
        data_loads(ch_raw_load(path, types[i], 2, (int64_t[]){-1, 3}, &t), t, types[i], 2, 3);
        data_loads(ch_raw_load(path, types[i], 1, (int64_t[]){-1}, &t), t, types[i], 6);
    }
    char message[300];
    const struct {
        ch_dtype dtype;
        int rank;
        int64_t dims[3];
        const char *id, *part;
    } rows[] = {
        {CH_F64, 2, {2, 4}, "file_format", "f64[2,4] takes 64 bytes, the file has 48 — they must be equal"},
        {CH_F64,
         2,
         {-1, 4},
         "file_format",
         "f64[-1,4] takes a multiple of 32 bytes, the file has 48 — they must be equal"},
        {CH_F64,
         2,
         {-1, 0},
         "file_format",
         "f64[-1,0] takes a multiple of 0 bytes, the file has 48 — they must be equal"},
        {CH_F64, 2, {-1, -1}, "argument", "size 1 is -1 — at least 0, and -1 once, is allowed"},
        {CH_F64, 1, {-2}, "argument", "size 0 is -2 — at least 0, and -1 once, is allowed"},
        {CH_F64,
         2,
         {1LL << 40, 1LL << 40},
         "dim_overflow",
         "sizes [1099511627776,1099511627776] — their product does not fit in 64 bits"},
        {CH_F64, 17, {0}, "rank", "rank 17 — 0 to 16, and as many sizes, are allowed"},
        {CH_C64, 0, {0}, "dtype_mismatch", "dtype c64 (16) — give one of dtype.h that is not reserved"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(message, sizeof message, "raw_load: %s: %s", path, rows[i].part);
        failed(ch_raw_load(path, rows[i].dtype, rows[i].rank, rows[i].dims, &t), rows[i].id, message);
        assert_null(t);
    }
    spill(path, "\0\1\2", 3);
    snprintf(message, sizeof message, "raw_load: %s: element 2 is the byte 0x02 — bool is 0 or 1", path);
    failed(ch_raw_load(path, CH_BOOL, 1, (int64_t[]){3}, &t), "file_format", message);
    failed(ch_raw_load(NULL, CH_F32, 0, NULL, &t), "argument", "raw_load: the path is NULL — give one");
    failed(ch_raw_save(NULL, data_tensor(CH_F32, 0, NULL)), "argument", "raw_save: the path is NULL — give one");
}

static ch_status use_all(void) {
    ch_csv *c = NULL;
    ch_tensor *t = NULL, *u = NULL;
    ch_status s = ch_csv_open_memory("a,\"b\"\"\"\n1,2\n", 12, "x", NULL, &c);
    if (s == CH_OK) s = ch_csv_read(c, &t);
    if (s == CH_OK) s = ch_csv_save(path, NULL, t);
    if (s == CH_OK) s = ch_csv_load(path, NULL, &u);
    if (s == CH_OK) s = ch_raw_save(path, u);
    ch_release(u);
    u = NULL;
    if (s == CH_OK) s = ch_raw_load(path, CH_F64, 1, (int64_t[]){2}, &u);
    ch_release(t);
    ch_release(u);
    ch_csv_close(c);
    ch_thread_end();
    return s;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    ch_thread_end();
    ch_status s;
    int n = 0;
    do {
        ch__alloc_fail_at(++n, false);
        s = use_all();
        ch__alloc_fail_at(0, false);
        if (s != CH_OK && s != CH_RESOURCE_EXHAUSTED) fail_msg("%s", ch_error_message());
        assert_int_equal(ch__alloc_live(), 0);
    } while (s != CH_OK);
    assert_true(n > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(numbers),
        FILE_TEST(headers),
        FILE_TEST(mistakes_have_a_place),
        FILE_TEST(whole_numbers),
        FILE_TEST(exact_round_trips),
        FILE_TEST(shapes_and_names_written),
        FILE_TEST(options_are_checked),
        FILE_TEST(the_locale_does_not_matter),
        FILE_TEST(raw_files),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
