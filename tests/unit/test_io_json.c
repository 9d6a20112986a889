// SPDX-License-Identifier: Apache-2.0
// test_io_json.c - json.c: what is JSON and what is not, strings, sizes, UTF-8; and the texts of names in messages.
#include "io_data.h"

typedef struct {
    const char *text, *end;
    void (*read)(ch__json *j);
    const char *string; // what was read
    int64_t size;
    bool flag;
} reading;

static ch__source named = {.what = "read", .name = "x"};

static void read_in_arena(void *arg) {
    reading *r = arg;
    ch__arena *a = ch__arena_create();
    ch__json j = {.arena = a, .source = &named, .start = r->text, .p = r->text, .end = r->end};
    r->read(&j);
    ch__json_end(&j);
    ch__arena_destroy(a);
}

static ch_status read_all(const char *text, size_t n, void (*read)(ch__json *)) {
    char *copy = exact(text, n);
    reading r = {.text = copy, .end = copy + n, .read = read};
    ch_status s = ch__protect(read_in_arena, &r);
    free(copy);
    return s;
}

static void any_value(void **state) {
    (void)state;
    static const char *const fine[] = {
        "0",
        "-0",
        "1",
        "-12.5e+10",
        "0.5",
        "1E5",
        "2e-0",
        "true",
        "false",
        "null",
        "\"\"",
        "[]",
        "{}",
        " [ ] ",
        "\t{\r\n}",
        "[1,[2,{\"a\":[],\"a\":{}}],\"\\u0041\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
        "{\"\":null}",
        "[[[[]]],[[]]]",
        "\"\xc3\xa9\xf0\x9f\x98\x80\x7f\"",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (read_all(fine[i], strlen(fine[i]), ch__json_skip) != CH_OK) fail_msg("%s: %s", fine[i], ch_error_message());
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "the header ends at byte 0 of it — a value is wanted there"},
        {"  ", "the header ends at byte 2 of it — a value is wanted there"},
        {"[", "the header ends at byte 1 of it — a value is wanted there"},
        {"[1", "the header ends at byte 2 of it — ',' or ']' is wanted there"},
        {"[1 2]", "byte 3 of the header: \"2]\" — ',' or ']' is wanted there"},
        {"[1,]", "byte 3 of the header: \"]\" — a value is wanted there"},
        {"[,1]", "byte 1 of the header: \",1]\" — a value is wanted there"},
        {"[1}", "byte 2 of the header: \"}\" — ',' or ']' is wanted there"},
        {"{1:2}", "byte 1 of the header: \"1:2}\" — a string is wanted there"},
        {"{\"a\" 2}", "byte 5 of the header: \"2}\" — ':' is wanted there"},
        {"{\"a\":}", "byte 5 of the header: \"}\" — a value is wanted there"},
        {"{\"a\":1,}", "byte 7 of the header: \"}\" — a string is wanted there"},
        {"{\"a\":1]", "byte 6 of the header: \"]\" — ',' or '}' is wanted there"},
        {"{}{", "byte 2 of the header: \"{\" — nothing but blanks is wanted there"},
        {"nul", "byte 0 of the header: \"nul\" — a value is wanted there"},
        {"nulls", "byte 4 of the header: \"s\" — nothing but blanks is wanted there"},
        {"True", "byte 0 of the header: \"True\" — a value is wanted there"},
        {"01", "byte 0 of the header: \"01\" — a value is wanted there"},
        {"-", "byte 0 of the header: \"-\" — a value is wanted there"},
        {"+1", "byte 0 of the header: \"+1\" — a value is wanted there"},
        {".5", "byte 0 of the header: \".5\" — a value is wanted there"},
        {"1.", "byte 0 of the header: \"1.\" — a value is wanted there"},
        {"1e", "byte 0 of the header: \"1e\" — a value is wanted there"},
        {"1e+", "byte 0 of the header: \"1e+\" — a value is wanted there"},
        {"NaN", "byte 0 of the header: \"NaN\" — a value is wanted there"},
        {"'a'", "byte 0 of the header: \"'a'\" — a value is wanted there"},
        {"// a", "byte 0 of the header: \"// a\" — a value is wanted there"},
        {"\"a", "the header ends at byte 2 of it — the end of a string is wanted there"},
        {"\"a\\", "the header ends at byte 3 of it — one of \" \\ / b f n r t u is wanted there"},
        {"\"\\x41\"", "byte 2 of the header: \"x41\"\" — one of \" \\ / b f n r t u is wanted there"},
        {"\"\\u00g0\"", "byte 5 of the header: \"g0\"\" — a hexadecimal digit is wanted there"},
        {"\"\\u00", "the header ends at byte 5 of it — a hexadecimal digit is wanted there"},
        {"\"\\ud800\"", "byte 1 of the header: \"\\ud800\"\" — a pair of surrogates is wanted there"},
        {"\"\\ud800\\n\"", "byte 1 of the header: \"\\ud800\\n\"\" — a pair of surrogates is wanted there"},
        {"\"\\ud800\\u0041\"", "byte 1 of the header: \"\\ud800\\u0041\" — a pair of surrogates is wanted there"},
        {"\"\\udc00\"", "byte 1 of the header: \"\\udc00\"\" — a pair of surrogates is wanted there"},
        {"\"\\u0000\"",
         "byte 1 of the header: \"\\u0000\"\" — a character other than NUL, which names and metadata cannot "
         "hold here, is wanted there"},
        {"\"a\nb\"", "byte 2 of the header: \"\\x0ab\"\" — an escape for a control character is wanted there"},
    };
    char message[300];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(message, sizeof message, "read: x: %s", wrong[i].message);
        failed(read_all(wrong[i].text, strlen(wrong[i].text), ch__json_skip), "file_format", message);
    }
    assert_int_equal(read_all("[1\0]", 4, ch__json_skip), CH_DATA_LOSS); // NUL is a byte like any other
    assert_string_equal(ch_error_message(), "read: x: byte 2 of the header: \"\\x00]\" — ',' or ']' is wanted there");
}

static void depth(void **state) {
    (void)state;
    char text[2 * CH__JSON_DEPTH + 2];
    memset(text, '[', CH__JSON_DEPTH);
    memset(text + CH__JSON_DEPTH, ']', CH__JSON_DEPTH);
    assert_int_equal(read_all(text, 2 * CH__JSON_DEPTH, ch__json_skip), CH_OK);
    memset(text, '[', CH__JSON_DEPTH + 1);
    failed(read_all(text, CH__JSON_DEPTH + 1, ch__json_skip), "file_format",
           "read: x: byte 64 of the header: more than 64 lists in lists — that deep is read");
}

static const char *wanted_string;
static void string_is(ch__json *j) { assert_string_equal(ch__json_string(j), wanted_string); }
static int64_t wanted_size;
static void size_is(ch__json *j) { assert_int_equal(ch__json_size(j, "a size"), wanted_size); }

static void strings_and_sizes(void **state) {
    (void)state;
    static const char *const strings[][2] = {
        {"\"\"", ""},
        {" \"a b\" ", "a b"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u00E9\\u20ac\\ud83d\\ude00\\udbff\\udfff\"",
         "A\xc3\xa9\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"},
        {"\"\xc3\xa9\xf0\x9f\x98\x80\"", "\xc3\xa9\xf0\x9f\x98\x80"},
        {"\"\\u0001\\u001f\\u007f\\u0080\\u07ff\\u0800\\uffff\"",
         "\x01\x1f\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        wanted_string = strings[i][1];
        assert_int_equal(read_all(strings[i][0], strlen(strings[i][0]), string_is), CH_OK);
    }
    static const struct {
        const char *text;
        int64_t v;
    } sizes[] = {{"0", 0}, {" 7 ", 7}, {"9223372036854775807", INT64_MAX}, {"1000000", 1000000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wanted_size = sizes[i].v;
        assert_int_equal(read_all(sizes[i].text, strlen(sizes[i].text), size_is), CH_OK);
    }
    static const char *const wrong[] = {
        "-1", "-0",    "00",   "01", "1.0", "1e0", "0e0", "0.0", "9223372036854775808", "99999999999999999999999999",
        "x",  "\"1\"", "null", "+1", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char message[200];
        assert_int_equal(read_all(wrong[i], strlen(wrong[i]), size_is), CH_DATA_LOSS);
        snprintf(message, sizeof message, "read: x: byte 0 of the header: \"%.12s\" — a size is wanted there",
                 wrong[i]);
        assert_string_equal(ch_error_message(),
                            *wrong[i] ? message : "read: x: the header ends at byte 0 of it — a size is wanted there");
    }
}

// Every sequence of up to three bytes, and what matters of four, against decoding by the definition: the value of the
// bytes, encoded again in the shortest way, must be the bytes.
static bool is_utf8(const unsigned char *s, size_t n) {
    for (size_t i = 0; i < n;) {
        unsigned c = s[i], more = c < 0x80 ? 0 : c >> 5 == 6 ? 1 : c >> 4 == 14 ? 2 : c >> 3 == 30 ? 3 : 9;
        if (more == 9 || i + more >= n) return false;
        uint32_t v = more == 0 ? c : c & (0x3fu >> more);
        for (unsigned k = 1; k <= more; k++) {
            if (s[i + k] >> 6 != 2) return false;
            v = v << 6 | (s[i + k] & 0x3fu);
        }
        static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        if (v < least[more] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff)) return false;
        i += more + 1;
    }
    return true;
}

static void utf8(void **state) {
    (void)state;
    unsigned char s[4];
    for (uint32_t v = 0; v < 1u << 24; v++) {
        s[0] = (unsigned char)(v >> 16), s[1] = (unsigned char)(v >> 8), s[2] = (unsigned char)v;
        if (s[0] < 0x80 && v % 97) continue;
        assert_int_equal(ch__utf8_wrong((char *)s, 3) == 3, is_utf8(s, 3));
    }
    for (uint32_t v = 0; v < 1u << 24; v++) {
        s[0] = (unsigned char)(0xe8 + (v >> 19)), s[1] = (unsigned char)(v >> 11), s[2] = (unsigned char)(v >> 3);
        s[3] = (unsigned char[]){0, 0x7f, 0x80, 0x81, 0xbf, 0xc0, 0xff, 0x41}[v & 7];
        if (s[2] != 0x80 && s[2] != 0xbf && v % 31) continue;
        assert_int_equal(ch__utf8_wrong((char *)s, 4) == 4, is_utf8(s, 4));
    }
    assert_int_equal(ch__utf8_wrong("", 0), 0);
    assert_int_equal(ch__utf8_wrong("ab\xff", 3), 2);
    assert_int_equal(ch__utf8_wrong("ab\xc3\xa9\xc3", 5), 4);
}

static void names_in_messages(void **state) {
    (void)state;
    char out[CH__IO_NAME], name[400], dims[CH__IO_DIMS];
    assert_string_equal(ch__io_name_text(out, "", 0), "\"\"");
    assert_string_equal(ch__io_name_text(out, "a\n\x7f\x1b[0m", 7), "\"a\\x0a\\x7f\\x1b[0m\"");
    assert_string_equal(ch__io_name_text(out, "\xc3\xa9\xc3", 3), "\"\xc3\xa9\\xc3\"");
    assert_string_equal(ch__io_name_text(out, "\x80\xff", 2), "\"\\x80\\xff\"");
    for (size_t n = 0; n <= 200; n++) { // cut between characters, and never beyond the room
        for (size_t i = 0; i < n; i++) memcpy(name + 2 * i, "\xc3\xa9", 2);
        ch__io_name_text(out, name, 2 * n);
        size_t length = strlen(out);
        assert_true(length < CH__IO_NAME);
        assert_int_equal(ch__utf8_wrong(out, length), length);
        if (n > 100) assert_string_equal(out + length - 4, "…\"");
    }
    int64_t all[CH__MAX_RANK];
    for (int i = 0; i < CH__MAX_RANK; i++) all[i] = INT64_MAX;
    assert_true(strlen(ch__io_dims_text(dims, CH__MAX_RANK, all)) < CH__IO_DIMS);
    assert_string_equal(ch__io_dims_text(dims, 3, (int64_t[]){1, 0, 22}), "[1,0,22]");
    assert_string_equal(ch__io_dims_text(dims, 0, NULL), "[]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_value),         cmocka_unit_test(depth),
        cmocka_unit_test(strings_and_sizes), cmocka_unit_test(utf8),
        cmocka_unit_test(names_in_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
