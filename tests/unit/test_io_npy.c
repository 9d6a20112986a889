// SPDX-License-Identifier: Apache-2.0
// test_io_npy.c - npy.c against files of NumPy, in both directions, and what it refuses.
#include "io_data.h"

static void files_of_numpy(void **state) {
    (void)state;
    static const ch_dtype types[] = {CH_BOOL, CH_I8,  CH_I16, CH_I32, CH_I64, CH_U8,
                                     CH_U16,  CH_U32, CH_U64, CH_F16, CH_F32, CH_F64};
    ch_tensor *t = NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char name[100];
        snprintf(name, sizeof name, DATA "%s_2x3.npy", ch_dtype_name(types[i]));
        data_loads(ch_npy_load(name, &t), t, types[i], 2, 3);
        // what is written is what NumPy writes
        assert_int_equal(ch_npy_save(path, data_tensor(types[i], 2, (int64_t[]){2, 3})), CH_OK);
        same_files(path, name);
    }
}

static void shapes(void **state) {
    (void)state;
    static const struct {
        const char *file;
        ch_dtype dtype;
        int rank;
        int64_t dims[5];
    } rows[] = {
        {"f32_scalar", CH_F32, 0, {0}},
        {"f32_0", CH_F32, 1, {0}},
        {"f32_1", CH_F32, 1, {1}},
        {"f32_7", CH_F32, 1, {7}},
        {"f32_2x0x3", CH_F32, 3, {2, 0, 3}},
        {"f32_2x3x4", CH_F32, 3, {2, 3, 4}},
        {"f32_1x2x1x3x2", CH_F32, 5, {1, 2, 1, 3, 2}},
        {"i16_1234567x0", CH_I16, 2, {1234567, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[100];
        ch_tensor *t = NULL;
        snprintf(name, sizeof name, DATA "%s.npy", rows[i].file);
        assert_int_equal(ch_npy_load(name, &t), CH_OK);
        data_is(t, rows[i].dtype, rows[i].rank, rows[i].dims);
        assert_int_equal(ch_npy_save(path, t), CH_OK);
        same_files(path, name);
        ch_release(t);
    }
}

static void orders_and_versions(void **state) {
    (void)state;
    ch_tensor *t = NULL;
    data_loads(ch_npy_load(DATA "fortran_u8_3x2.npy", &t), t, CH_U8, 3, 2);
    data_loads(ch_npy_load(DATA "fortran_i16_2x3x4.npy", &t), t, CH_I16, 2, 3, 4);
    data_loads(ch_npy_load(DATA "fortran_f32_4x3x2.npy", &t), t, CH_F32, 4, 3, 2);
    data_loads(ch_npy_load(DATA "fortran_f64_2x1x3x2x2.npy", &t), t, CH_F64, 2, 1, 3, 2, 2);
    data_loads(ch_npy_load(DATA "fortran_f32_0x3.npy", &t), t, CH_F32, 0, 3);
    data_loads(ch_npy_load(DATA "fortran_f32_5.npy", &t), t, CH_F32, 5);
    data_loads(ch_npy_load(DATA "version2_f64_2x3.npy", &t), t, CH_F64, 2, 3);
    data_loads(ch_npy_load(DATA "version3_f64_2x3.npy", &t), t, CH_F64, 2, 3);
    data_loads(ch_npy_load(DATA "python2_f32_2x3.npy", &t), t, CH_F32, 2, 3);
}

static void results_are_realized_and_written(void **state) {
    (void)state;
    ch_tensor *x = ch_from_f32((float[]){1, 2, 3}, 1, (int64_t[]){3}), *back = NULL;
    float out[3];
    assert_int_equal(ch_npy_save(path, ch_mul(x, x)), CH_OK);
    assert_int_equal(ch_npy_load(path, &back), CH_OK);
    assert_int_equal(ch_read_f32(back, out, 3), CH_OK);
    assert_memory_equal(out, ((float[]){1, 4, 9}), sizeof out);
    // what was loaded is an operand like any other, and outlives the scope it was loaded in
    ch_scope scope = ch_scope_begin();
    ch_tensor *again = NULL;
    assert_int_equal(ch_npy_load(path, &again), CH_OK);
    assert_int_equal(ch_scope_end(scope), CH_OK);
    assert_int_equal(ch_read_f32(ch_add(back, again), out, 3), CH_OK);
    assert_memory_equal(out, ((float[]){2, 8, 18}), sizeof out);
    ch_release(back);
    ch_release(again);
}

// A file of version 1 or 2 with this header and n bytes of zeros behind it.
static size_t make(char *out, int version, const char *header, size_t n) {
    size_t length = strlen(header), at = version == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)version;
    out[7] = 0;
    for (size_t i = 8; i < at; i++) out[i] = (char)(length >> (8 * (i - 8)) & 255);
    memcpy(out + at, header, length);
    memset(out + at + length, 0, n);
    return at + length + n;
}

static void headers(void **state) {
    (void)state;
    // zeros behind the header: one f32
    static const char *const fine[] = {
        "{'descr':'<f4','fortran_order':False,'shape':()}",
        "{'descr':'<f4','fortran_order':True,'shape':(),}",
        " \t{ \"shape\" : ( 1 , ) ,\n'descr' : '<f4' , 'fortran_order' : False , } \r\n ",
        "{'descr':'<f4','fortran_order':False,'shape':(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
        "{'descr':'<f4','fortran_order':True,'shape':(1,1,1)}",
        "{'descr':'<u1','fortran_order':True,'shape':(4,)}",
        "{'descr':'|u1','fortran_order':True,'shape':(2,2,)}",
        "{'descr':'<i8','fortran_order':False,'shape':(0L,)}", // with the data cut off below
    };
    char data[1000];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        ch_tensor *t = NULL;
        size_t n = make(data, 1, fine[i], strstr(fine[i], "0L") ? 0 : 4);
        if (ch_npy_load_memory(data, n, fine[i], &t) != CH_OK) fail_msg("%s", ch_error_message());
        ch_release(t);
    }
}

#define KNOWN "|b1 |i1 |u1 <i2 <u2 <f2 <i4 <u4 <f4 <i8 <u8 <f8"
#define WANTED "'descr', 'fortran_order' and 'shape' are wanted, each once"
static void bad_headers(void **state) {
    (void)state;
    static const struct {
        const char *header, *id, *message;
    } rows[] = {
        {"", "file_format", "byte 0 of the header: its end — '{' is wanted there"},
        {"[1]", "file_format", "byte 0 of the header: \"[1]\" — '{' is wanted there"},
        {"{}", "file_format", "no key 'descr' in the header — it is needed"},
        {"{'descr':'<f4'}", "file_format", "no key 'fortran_order' in the header — it is needed"},
        {"{'descr':'<f4','fortran_order':False}", "file_format", "no key 'shape' in the header — it is needed"},
        {"{'descr':'<f4','descr':'<f4'}", "file_format", "key \"descr\" twice in the header — " WANTED},
        {"{'more\x01':1}", "file_format", "key \"more\\x01\" in the header — " WANTED},
        {"{,}", "file_format", "byte 1 of the header: \",}\" — a string is wanted there"},
        {"{'descr' '<f4'}", "file_format", "byte 9 of the header: \"'<f4'}\" — ':' is wanted there"},
        {"{'descr':'<f4' 'shape':()}", "file_format",
         "byte 15 of the header: \"'shape':()}\" — ',' or '}' is wanted there"},
        {"{'descr':'<f4','fortran_order':False,'shape':()", "file_format",
         "byte 47 of the header: its end — ',' or '}' is wanted there"},
        {"{'descr':'<f4','fortran_order':False,'shape':()} x", "file_format",
         "byte 49 of the header: \"x\" — nothing but blanks is wanted there"},
        {"{'descr':'<f4", "file_format",
         "byte 13 of the header: its end — the end of a string without escapes is wanted there"},
        {"{'descr':'<\\x664'", "file_format",
         "byte 11 of the header: \"\\x664'\" — the end of a string without escapes is wanted there"},
        {"{'descr':4}", "file_format", "byte 9 of the header: \"4}\" — a string is wanted there"},
        {"{'descr':[('a','<f4')]}", "unsupported",
         "'descr' is a list, a structured array — save its fields one by one"},
        {"{'descr':'>f4'}", "unsupported", "'descr' is \">f4\" — read are " KNOWN},
        {"{'descr':'|f4'}", "unsupported", "'descr' is \"|f4\" — read are " KNOWN},
        {"{'descr':'=f4'}", "unsupported", "'descr' is \"=f4\" — read are " KNOWN},
        {"{'descr':'<c8'}", "unsupported", "'descr' is \"<c8\" — read are " KNOWN},
        {"{'descr':''}", "unsupported", "'descr' is \"\" — read are " KNOWN},
        {"{'descr':'<f'}", "unsupported", "'descr' is \"<f\" — read are " KNOWN},
        {"{'fortran_order':false}", "file_format", "byte 17 of the header: \"false}\" — True or False is wanted there"},
        {"{'fortran_order':0}", "file_format", "byte 17 of the header: \"0}\" — True or False is wanted there"},
        {"{'shape':3}", "file_format", "byte 9 of the header: \"3}\" — '(' is wanted there"},
        {"{'shape':(3)}", "file_format", "byte 11 of the header: \")}\" — ',', which makes a tuple, is wanted there"},
        {"{'shape':(3 4)}", "file_format",
         "byte 12 of the header: \"4)}\" — ',', which makes a tuple, is wanted there"},
        {"{'shape':(3,4 5)}", "file_format", "byte 14 of the header: \"5)}\" — ',' or ')' is wanted there"},
        {"{'shape':(-3,)}", "file_format",
         "byte 10 of the header: \"-3,)}\" — a size, an integer in 0..2^63-1, is wanted there"},
        {"{'shape':(03,)}", "file_format",
         "byte 10 of the header: \"03,)}\" — a size, an integer in 0..2^63-1, is wanted there"},
        {"{'shape':(,)}", "file_format",
         "byte 10 of the header: \",)}\" — a size, an integer in 0..2^63-1, is wanted there"},
        {"{'shape':(9223372036854775808,)}", "file_format",
         "byte 10 of the header: \"922337203685\" — a size, an integer in 0..2^63-1, is wanted there"},
        {"{'shape':(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", "unsupported",
         "'shape' has more than 16 axes — that many are read"},
        {"{'descr':'<f4','fortran_order':False,'shape':(4294967296,4294967296)}", "file_format",
         "shape [4294967296,4294967296] — the product of the sizes does not fit in 64 bits"},
        {"{'descr':'<f4','fortran_order':False,'shape':(4294967296,4294967296,0)}", "file_format",
         "shape [4294967296,4294967296,0] — the product of the sizes does not fit in 64 bits"},
        {"{'descr':'<f4','fortran_order':True,'shape':(2,)}", "file_format",
         "f32[2] takes 8 bytes of data, there are 4 — it is truncated or damaged"},
        {"{'descr':'<f4','fortran_order':True,'shape':(1000000000000,)}", "file_format",
         "f32[1000000000000] takes 4000000000000 bytes of data, there are 4 — it is truncated or damaged"},
        {"{'descr':'<f2','fortran_order':False,'shape':()}", "file_format",
         "f16[] takes 2 bytes of data, there are 4 — nothing may follow the data"},
    };
    char data[1000], message[1000];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int version = 1; version <= 2; version++) {
            ch_tensor *t = (ch_tensor *)data;
            void *bytes = exact(data, make(data, version, rows[i].header, 4));
            size_t n = make(bytes, version, rows[i].header, 4);
            snprintf(message, sizeof message, "npy_load: x.npy: %s", rows[i].message);
            failed(ch_npy_load_memory(bytes, n, "x.npy", &t), rows[i].id, message);
            assert_null(t);
            free(bytes);
        }
}

static void no_place_for_the_result(void **state) {
    (void)state;
    failed(ch_npy_load("x.npy", NULL), "argument", "npy_load: the place for the result is NULL — give one");
    failed(ch_npy_load_memory("", 0, NULL, NULL), "argument", "npy_load: the place for the result is NULL — give one");
    failed(ch_idx_load("x.idx", NULL), "argument", "idx_load: the place for the result is NULL — give one");
    failed(ch_safetensors_open("x", NULL), "argument", "safetensors_open: the place for the result is NULL — give one");
    failed(ch_safetensors_read(NULL, "x", NULL), "argument",
           "safetensors_read: the file is NULL — give one that was opened");
}

static void refusals(void **state) {
    (void)state;
    static const char header[] = "{'descr':'|b1','fortran_order':False,'shape':(4,)}";
    ch_tensor *t = NULL;
    char data[200], message[400];
    size_t n = make(data, 1, header, 4);
    data[n - 2] = 2;
    failed(ch_npy_load_memory(data, n, NULL, &t), "file_format",
           "npy_load: memory: element 2 in the file is the byte 0x02 — bool is 0 or 1");
    n = make(data, 3, "{'descr':'<f4','fortran_order':False,'shape':(1L,)}", 4); // Python 2 wrote no version 3
    failed(ch_npy_load_memory(data, n, "v3", &t), "file_format",
           "npy_load: v3: byte 47 of the header: \"L,)}\" — ',', which makes a tuple, is wanted there");
    data[6] = 4;
    failed(ch_npy_load_memory(data, n, "v4", &t), "newer_version",
           "npy_load: v4: version 4.0 — 1.0, 2.0 and 3.0 are read");
    data[6] = 1, data[7] = 1;
    failed(ch_npy_load_memory(data, n, "v1.1", &t), "newer_version",
           "npy_load: v1.1: version 1.1 — 1.0, 2.0 and 3.0 are read");
    failed(ch_npy_load_memory("\x93NUMPY", 6, "six", &t), "file_format",
           "npy_load: six: 6 bytes — it is truncated before the length of its header");
    failed(ch_npy_load_memory("PK\x03\x04 a zip file", 17, "zip", &t), "file_format",
           "npy_load: zip: it does not begin with 93 'NUMPY' — it is no npy file");
    failed(ch_npy_load_memory(NULL, 0, "empty", &t), "file_format",
           "npy_load: empty: it does not begin with 93 'NUMPY' — it is no npy file");
    failed(ch_npy_load_memory(NULL, 3, "none", &t), "argument", "npy_load: data is NULL — give 3 bytes");
    failed(ch_npy_load_memory("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13, "huge", &t), "file_format",
           "npy_load: huge: a header of 4294967295 bytes, and 1 bytes follow its length — it is truncated or damaged");
    char *large = calloc(1, 70000);
    memcpy(large, "\x93NUMPY\x02\x00\x00\x00\x01\x00", 12);
    failed(ch_npy_load_memory(large, 70000, "large", &t), "limit",
           "npy_load: large: a header of 65536 bytes — at most 65535 are read");
    free(large);
    failed(ch_npy_load(NULL, &t), "argument", "npy_load: the path is NULL — give one");
    snprintf(message, sizeof message, "file_open: %s: no such file or folder", path);
    failed(ch_npy_load(path, &t), "file", message);
    failed(ch_npy_load(DATA "refused_big_endian.npy", &t), "unsupported",
           "npy_load: " DATA "refused_big_endian.npy: 'descr' is \">f4\" — read are " KNOWN);
    failed(ch_npy_load(DATA "refused_complex.npy", &t), "unsupported",
           "npy_load: " DATA "refused_complex.npy: 'descr' is \"<c8\" — read are " KNOWN);
    failed(ch_npy_load(DATA "refused_text.npy", &t), "unsupported",
           "npy_load: " DATA "refused_text.npy: 'descr' is \"<U2\" — read are " KNOWN);
    failed(ch_npy_load(DATA "refused_object.npy", &t), "unsupported",
           "npy_load: " DATA "refused_object.npy: 'descr' is \"|O\" — read are " KNOWN);
    failed(ch_npy_load(DATA "refused_void.npy", &t), "unsupported",
           "npy_load: " DATA "refused_void.npy: 'descr' is \"|V2\" — read are " KNOWN);
    failed(ch_npy_load(DATA "refused_structured.npy", &t), "unsupported",
           "npy_load: " DATA
           "refused_structured.npy: 'descr' is a list, a structured array — save its fields one by one");
}

static void refused_saves(void **state) {
    (void)state;
    char message[400];
    static const ch_dtype types[] = {CH_BF16, CH_F8E4M3, CH_F8E5M2};
    for (int i = 0; i < 3; i++) {
        snprintf(message, sizeof message,
                 "npy_save: %s: %s has no npy form — convert it to f32 first, or save it as safetensors", path,
                 ch_dtype_name(types[i]));
        failed(ch_npy_save(path, data_tensor(types[i], 1, (int64_t[]){3})), "dtype_mismatch", message);
    }
    failed(ch_npy_save(NULL, data_tensor(CH_F32, 0, NULL)), "argument", "npy_save: the path is NULL — give one");
    assert_int_equal(ch_npy_save(path, NULL), CH_INVALID_ARGUMENT);
    ch_tensor *wrong = ch_add(data_tensor(CH_F32, 0, NULL), data_tensor(CH_I32, 0, NULL));
    assert_int_equal(ch_npy_save(path, wrong), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_id(), "dtype_mismatch");
    snprintf(message, sizeof message, "file_write: %s/none/file: no such file or folder", folder);
    snprintf(path, sizeof path, "%s/none/file", folder);
    failed(ch_npy_save(path, data_tensor(CH_F32, 0, NULL)), "file", message);
    failed(ch_npy_save("/dev/full", data_tensor(CH_F32, 0, NULL)), "file",
           "file_write: /dev/full: no space is left on the device");
    assert_int_equal(entries(false), 0);
}

// Cut at every byte, a file is refused, and as a file it is refused as from memory.
static void cut_at_every_byte(void **state) {
    (void)state;
    static const char *const names[] = {DATA "i16_2x3.npy", DATA "version2_f64_2x3.npy", DATA "fortran_f32_4x3x2.npy"};
    for (int i = 0; i < 3; i++) {
        size_t n = 0;
        char *whole = slurp(names[i], &n), from_memory[600];
        for (size_t cut = 0; cut < n; cut++) {
            ch_tensor *t = NULL;
            void *data = exact(whole, cut);
            assert_int_not_equal(ch_npy_load_memory(data, cut, path, &t), CH_OK);
            snprintf(from_memory, sizeof from_memory, "%s", ch_error_message());
            spill(path, data, cut);
            failed(ch_npy_load(path, &t), "file_format", from_memory);
            free(data);
        }
        ch__free(whole);
    }
}

// Every function once, with the n-th allocation failing.
static ch_status use_all(void) {
    ch_tensor *t = NULL;
    ch_scope scope = ch_scope_begin();
    if (scope.token == 0) return CH_RESOURCE_EXHAUSTED;
    ch_status s = ch_npy_load(DATA "fortran_f32_4x3x2.npy", &t);
    if (s == CH_OK) s = ch_npy_save(path, t);
    ch_release(t);
    if (s == CH_OK) s = ch_npy_load(path, &t);
    if (s == CH_OK) ch_release(t);
    (void)ch_scope_end(scope);
    ch_thread_end();
    return s;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    ch_thread_end();
    assert_int_equal(ch__alloc_live(), 0);
    ch_status s;
    int n = 0;
    do {
        ch__alloc_fail_at(++n, false);
        s = use_all();
        ch__alloc_fail_at(0, false);
        assert_true(s == CH_OK || s == CH_RESOURCE_EXHAUSTED);
        assert_int_equal(ch__alloc_live(), 0);
        assert_true(entries(false) == (s == CH_OK) || entries(false) == 1);
        entries(true);
    } while (s != CH_OK);
    assert_true(n > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(files_of_numpy),
        FILE_TEST(shapes),
        FILE_TEST(orders_and_versions),
        FILE_TEST(results_are_realized_and_written),
        FILE_TEST(headers),
        FILE_TEST(bad_headers),
        FILE_TEST(refusals),
        FILE_TEST(no_place_for_the_result),
        FILE_TEST(refused_saves),
        FILE_TEST(cut_at_every_byte),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
