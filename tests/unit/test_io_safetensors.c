// SPDX-License-Identifier: Apache-2.0
// test_io_safetensors.c - reading: files of the safetensors package, the list of good and bad files with what its
// reader does, hostile headers, files cut at every byte.
#include "io_data.h"

#include <pthread.h>

static void every_dtype(void **state) {
    (void)state;
    static const ch_dtype types[] = {CH_BOOL, CH_I8,  CH_I16, CH_I32,  CH_I64, CH_U8,     CH_U16,   CH_U32,
                                     CH_U64,  CH_F16, CH_F32, CH_BF16, CH_F64, CH_F8E4M3, CH_F8E5M2};
    enum { N = sizeof types / sizeof *types };
    ch_safetensors *f = NULL;
    assert_int_equal(ch_safetensors_open(DATA "dtypes.safetensors", &f), CH_OK);
    assert_int_equal(ch_safetensors_count(f), N);
    for (int i = 0; i < N; i++) {
        char name[20];
        ch_tensor *t = NULL;
        snprintf(name, sizeof name, "t.%s", ch_dtype_name(types[i]));
        int at = ch_safetensors_find(f, name);
        assert_true(at >= 0 && at < N);
        assert_string_equal(ch_safetensors_name(f, at), name);
        assert_int_equal(ch_safetensors_dtype(f, at), types[i]);
        assert_int_equal(ch_safetensors_rank(f, at), 2);
        assert_int_equal(ch_safetensors_dims(f, at)[0], 2);
        assert_int_equal(ch_safetensors_dims(f, at)[1], 3);
        data_loads(ch_safetensors_read(f, name, &t), t, types[i], 2, 3);
    }
    assert_null(ch_safetensors_metadata_key(f, 0));
    assert_null(ch_safetensors_metadata(f, "format"));
    ch_safetensors_close(f);
}

static void names_shapes_and_metadata(void **state) {
    (void)state;
    size_t n = 0;
    char *bytes = slurp(DATA "sizes.safetensors", &n);
    void *data = exact(bytes, n);
    ch__free(bytes);
    ch_safetensors *f = NULL;
    ch_tensor *t = NULL;
    assert_int_equal(ch_safetensors_open_memory(data, n, NULL, &f), CH_OK);
    assert_int_equal(ch_safetensors_count(f), 5);
    // in the order of the data
    static const char *const names[] = {"d", "a\"\\/\n\t\x01", "e\xc3\xa9\xf0\x9f\x98\x80", "h", "b"};
    for (int i = 0; i < 5; i++) {
        assert_string_equal(ch_safetensors_name(f, i), names[i]);
        assert_int_equal(ch_safetensors_find(f, names[i]), i);
    }
    data_loads(ch_safetensors_read(f, "d", &t), t, CH_F64, 2);
    data_loads(ch_safetensors_read(f, names[1], &t), t, CH_F32, -1);
    data_loads(ch_safetensors_read(f, names[2], &t), t, CH_F32, 3, 1);
    data_loads(ch_safetensors_read(f, "h", &t), t, CH_F16, 0, 4);
    data_loads(ch_safetensors_read(f, "b", &t), t, CH_BOOL, 5);
    assert_int_equal(ch_safetensors_rank(f, 1), 0);
    assert_string_equal(ch_safetensors_metadata(f, "format"), "pt \"\xc3\xa9\"\n");
    assert_string_equal(ch_safetensors_metadata_key(f, 0), "format");
    assert_null(ch_safetensors_metadata_key(f, 1));
    assert_null(ch_safetensors_metadata_key(f, -1));
    assert_null(ch_safetensors_metadata(f, "formats"));
    assert_null(ch_safetensors_metadata(f, "a"));
    assert_null(ch_safetensors_metadata(f, NULL));
    // out of range, and names there are none of
    for (int i = -1; i <= 5; i += 6) {
        assert_null(ch_safetensors_name(f, i));
        assert_null(ch_safetensors_dims(f, i));
        assert_int_equal(ch_safetensors_rank(f, i), -1);
        assert_int_equal(ch_safetensors_dtype(f, i), 0);
    }
    assert_int_equal(ch_safetensors_find(f, "c"), -1);
    assert_int_equal(ch_safetensors_find(f, ""), -1);
    assert_int_equal(ch_safetensors_find(f, NULL), -1);
    failed(ch_safetensors_read(f, "c", &t), "unknown_name",
           "safetensors_read: memory: no tensor \"c\" — there are 5: \"d\", \"a\"\\/\\x0a\\x09\\x01\", "
           "\"e\xc3\xa9\xf0\x9f\x98\x80\", \"h\", \"b\"");
    failed(ch_safetensors_read(f, NULL, &t), "unknown_name",
           "safetensors_read: memory: no tensor NULL — there are 5: \"d\", \"a\"\\/\\x0a\\x09\\x01\", "
           "\"e\xc3\xa9\xf0\x9f\x98\x80\", \"h\", \"b\"");
    assert_null(t);
    ch_safetensors_close(f);
    ch_safetensors_close(NULL);
    free(data);
}

// ---- a file from a header and bytes of data
static void *made;
static size_t made_n;
static void make(const char *header, size_t data) {
    size_t n = strlen(header);
    free(made);
    made_n = 8 + n + data;
    made = calloc(1, made_n);
    for (int i = 0; i < 8; i++) ((char *)made)[i] = (char)(n >> (8 * i) & 255);
    memcpy((char *)made + 8, header, n);
}

static int drop_made(void **state) {
    free(made);
    made = NULL;
    return drop_folder(state);
}

static void opens(const char *header, size_t data, int count) {
    ch_safetensors *f = NULL;
    make(header, data);
    if (ch_safetensors_open_memory(made, made_n, "m", &f) != CH_OK) fail_msg("%s", ch_error_message());
    assert_int_equal(ch_safetensors_count(f), count);
    for (int i = 0; i < count; i++) {
        ch_tensor *t = NULL;
        assert_int_equal(ch_safetensors_find(f, ch_safetensors_name(f, i)), i);
        assert_int_equal(ch_safetensors_read(f, ch_safetensors_name(f, i), &t), CH_OK);
        ch_release(t);
    }
    ch_safetensors_close(f);
}

static void refuses(const char *header, size_t data, const char *id, const char *message) {
    ch_safetensors *f = (ch_safetensors *)(uintptr_t)header;
    char whole[1000];
    make(header, data);
    snprintf(whole, sizeof whole, "safetensors_open: m: %s", message);
    failed(ch_safetensors_open_memory(made, made_n, "m", &f), id, whole);
    assert_null(f);
}

#define A "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
static void what_the_reference_reads_is_read(void **state) {
    (void)state;
    opens("{}", 0, 0);
    opens("{ }\n\t\r ", 0, 0);
    opens("{" A "}", 8, 1);
    opens("{\"__metadata__\":null," A "}", 8, 1);
    opens("{\"__metadata__\":{}," A "}", 8, 1);
    opens("{" A ",\"__metadata__\":{\"a\":\"\",\"\":\"b\"}}", 8, 1);
    opens("{\"a\":{\"x\":[1,{\"y\":null}],\"data_offsets\":[0,8],\"shape\":[2],\"dtype\":\"F32\",\"z\":{}}}", 8, 1);
    opens("{\"a\":{\"\\u0064type\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, 1);
    opens("{\"\":{\"dtype\":\"I8\",\"shape\":[],\"data_offsets\":[0,1]}}", 1, 1);
    // out of order in the header, without bytes at the ends and in between
    opens(
        "{\"e\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[8,8]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_"
        "offsets\":[4,8]},\"m\":{\"dtype\":\"F64\",\"shape\":[0,3],\"data_offsets\":[4,4]},\"a\":{\"dtype\":\"F32\","
        "\"shape\":"
        "[1],\"data_offsets\":[0,4]},\"s\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
        8, 5);
    opens("{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1, 1);
}

static void tensors_without_bytes_keep_the_headers_order(void **state) {
    (void)state;
    ch_safetensors *f = NULL;
    make(
        "{\"z\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_"
        "offsets\":[0,0]},\"k\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}",
        0);
    assert_int_equal(ch_safetensors_open_memory(made, made_n, "m", &f), CH_OK);
    assert_string_equal(ch_safetensors_name(f, 0), "z");
    assert_string_equal(ch_safetensors_name(f, 1), "a");
    assert_string_equal(ch_safetensors_name(f, 2), "k");
    assert_int_equal(ch_safetensors_find(f, "k"), 2);
    ch_safetensors_close(f);
}

#define READ "BOOL U8 I8 F8_E5M2 F8_E4M3 I16 U16 F16 BF16 I32 U32 F32 F64 I64 U64"
#define OFFSET "an offset, an integer in 0..2^63-1, is wanted there"
#define SIZE "a size, an integer in 0..2^63-1, is wanted there"
#define ONE(dtype, shape, offsets) "{\"a\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
static void hostile_headers(void **state) {
    (void)state;
    refuses("", 0, "file_format", "the header is empty — it must begin with '{'");
    refuses(" {}", 0, "file_format", "the header begins with another byte — it must begin with '{'");
    refuses("\xef\xbb\xbf{}", 0, "file_format", "the header begins with another byte — it must begin with '{'");
    refuses("{\"\xff\"", 0, "file_format", "byte 2 of the header is 0xff — a header is UTF-8");
    refuses("{\"\xc0\x80\"", 0, "file_format", "byte 2 of the header is 0xc0 — a header is UTF-8");
    refuses("{\"\xed\xa0\x80\"", 0, "file_format", "byte 2 of the header is 0xed — a header is UTF-8");
    refuses("{", 0, "file_format", "the header ends at byte 1 of it — a string is wanted there");
    refuses("{}x", 0, "file_format", "byte 2 of the header: \"x\" — nothing but blanks is wanted there");
    refuses("{}{}", 0, "file_format", "byte 2 of the header: \"{}\" — nothing but blanks is wanted there");
    refuses("{" A ",}", 8, "file_format", "byte 54 of the header: \"}\" — a string is wanted there");
    refuses("{\"a\":[\"F32\",[2],[0,8]]}", 8, "file_format",
            "byte 5 of the header: \"[\"F32\",[2],[\" — '{' is wanted there");
    refuses("{\"a\":null}", 0, "file_format", "byte 5 of the header: \"null}\" — '{' is wanted there");
    refuses("{" A "," A "}", 8, "file_format", "tensor \"a\" twice in the header — names are given once");
    refuses("{\"\\u0061\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}," A "}", 16, "file_format",
            "tensor \"a\" twice in the header — names are given once");
    refuses("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "file_format",
            "\"__metadata__\" twice in the header — once is allowed");
    refuses("{\"__metadata__\":{\"k\":\"v\",\"k\":\"w\"}}", 0, "file_format",
            "metadata key \"k\" twice in the header — names are given once");
    refuses("{\"__metadata__\":{\"k\":1}}", 0, "file_format",
            "byte 21 of the header: \"1}}\" — a string is wanted there");
    refuses("{\"__metadata__\":[]}", 0, "file_format", "byte 16 of the header: \"[]}\" — '{' is wanted there");
    refuses("{\"a\":{}}", 0, "file_format", "tensor \"a\": no \"dtype\" — dtype, shape and data_offsets are needed");
    refuses("{\"a\":{\"dtype\":\"F32\"}}", 0, "file_format",
            "tensor \"a\": no \"shape\" — dtype, shape and data_offsets are needed");
    refuses("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 4, "file_format",
            "tensor \"a\": no \"data_offsets\" — dtype, shape and data_offsets are needed");
    refuses("{\"a\":{\"shape\":[],\"shape\":[]}}", 4, "file_format", "tensor \"a\": \"shape\" twice — once is allowed");
    refuses(ONE("F4", "[2]", "[0,1]"), 1, "unsupported", "tensor \"a\": dtype \"F4\" — read are " READ);
    refuses(ONE("C64", "[1]", "[0,8]"), 8, "unsupported", "tensor \"a\": dtype \"C64\" — read are " READ);
    refuses(ONE("F8_E8M0", "[1]", "[0,1]"), 1, "unsupported", "tensor \"a\": dtype \"F8_E8M0\" — read are " READ);
    refuses(ONE("f32", "[1]", "[0,4]"), 4, "unsupported", "tensor \"a\": dtype \"f32\" — read are " READ);
    refuses(ONE("", "[1]", "[0,4]"), 4, "unsupported", "tensor \"a\": dtype \"\" — read are " READ);
    refuses(ONE("U8", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,1]"), 1, "unsupported",
            "tensor \"a\": its shape has more than 16 axes — that many are read");
    refuses(ONE("F32", "[2.0]", "[0,8]"), 8, "file_format", "byte 29 of the header: \"2.0],\"data_o\" — " SIZE);
    refuses(ONE("F32", "[-2]", "[0,8]"), 8, "file_format", "byte 29 of the header: \"-2],\"data_of\" — " SIZE);
    refuses(ONE("F32", "[18446744073709551615]", "[0,8]"), 8, "file_format",
            "byte 29 of the header: \"184467440737\" — " SIZE);
    refuses(ONE("F32", "2", "[0,8]"), 8, "file_format",
            "byte 28 of the header: \"2,\"data_offs\" — '[' is wanted there");
    refuses(ONE("F32", "[2]", "[0]"), 8, "file_format", "byte 49 of the header: \"]}}\" — ',' is wanted there");
    refuses(ONE("F32", "[2]", "[0,8,8]"), 8, "file_format", "byte 51 of the header: \",8]}}\" — ']' is wanted there");
    refuses(ONE("F32", "[2]", "[-8,0]"), 8, "file_format", "byte 48 of the header: \"-8,0]}}\" — " OFFSET);
    refuses(ONE("F32", "[2]", "[0,8e0]"), 8, "file_format", "byte 50 of the header: \"8e0]}}\" — " OFFSET);
    refuses(ONE("F32", "[2]", "[0,08]"), 8, "file_format", "byte 50 of the header: \"08]}}\" — " OFFSET);
    refuses("{\"a\\u0000\":{}}", 8, "file_format",
            "byte 3 of the header: \"\\u0000\":{}}\" — a character other than NUL, which names and metadata cannot "
            "hold here, "
            "is wanted there");
    refuses("{\"a\tb\":{}}", 8, "file_format",
            "byte 3 of the header: \"\\x09b\":{}}\" — an escape for a control character is wanted there");
}

static void hostile_offsets(void **state) {
    (void)state;
    refuses(
        ONE("F32", "[2]", "[8,0]"), 8, "file_format",
        "tensor \"a\": data_offsets [8,0], and the data before it ends at 0 — neither holes nor overlaps are allowed");
    refuses(
        ONE("F32", "[0]", "[8,0]"), 8, "file_format",
        "tensor \"a\": data_offsets [8,0], and the data before it ends at 0 — neither holes nor overlaps are allowed");
    refuses(
        ONE("F32", "[1]", "[4,8]"), 8, "file_format",
        "tensor \"a\": data_offsets [4,8], and the data before it ends at 0 — neither holes nor overlaps are allowed");
    refuses(
        "{" A ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}", 12, "file_format",
        "tensor \"b\": data_offsets [4,12], and the data before it ends at 8 — neither holes nor overlaps are allowed");
    refuses(
        "{" A ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "file_format",
        "tensor \"b\": data_offsets [0,8], and the data before it ends at 8 — neither holes nor overlaps are allowed");
    refuses("{" A ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[12,20]}}", 20, "file_format",
            "tensor \"b\": data_offsets [12,20], and the data before it ends at 8 — neither holes nor overlaps are "
            "allowed");
    refuses(ONE("F32", "[3]", "[0,8]"), 8, "file_format",
            "tensor \"a\": F32 of shape [3] takes 12 bytes, data_offsets [0,8] give it 8 — they must be equal");
    refuses(ONE("F32", "[]", "[0,0]"), 0, "file_format",
            "tensor \"a\": F32 of shape [] takes 4 bytes, data_offsets [0,0] give it 0 — they must be equal");
    refuses(ONE("F32", "[4294967296,4294967296]", "[0,0]"), 0, "file_format",
            "tensor \"a\": shape [4294967296,4294967296] — the product of the sizes does not fit in 64 bits");
    refuses(ONE("F32", "[0,4294967296,4294967296]", "[0,0]"), 0, "file_format",
            "tensor \"a\": shape [0,4294967296,4294967296] — the product of the sizes does not fit in 64 bits");
    refuses(ONE("U8", "[9223372036854775807]", "[0,9223372036854775807]"), 8, "file_format",
            "tensor \"a\": data_offsets [0,9223372036854775807], and the file has 8 bytes of data — it is truncated or "
            "damaged");
    refuses(ONE("F32", "[2]", "[0,8]"), 7, "file_format",
            "tensor \"a\": data_offsets [0,8], and the file has 7 bytes of data — it is truncated or damaged");
    refuses(ONE("F32", "[2]", "[0,8]"), 9, "file_format",
            "the tensors end at byte 8 of the data, the file has 9 — nothing may follow them");
    refuses("{}", 1, "file_format", "the tensors end at byte 0 of the data, the file has 1 — nothing may follow them");
    // the name shown is cut, the message stays whole
    char header[3000] = "{\"", wanted[600];
    memset(header + 2, 'n', 2000);
    strcpy(header + 2002, "\":{}}");
    char shown[CH__IO_NAME];
    memset(shown, 'n', 147);
    shown[147] = '\0';
    snprintf(wanted, sizeof wanted, "tensor \"%s…\": no \"dtype\" — dtype, shape and data_offsets are needed", shown);
    refuses(header, 0, "file_format", wanted);
}

static void refused_before_the_header(void **state) {
    (void)state;
    ch_safetensors *f = NULL;
    failed(ch_safetensors_open_memory("1234567", 7, "m", &f), "file_format",
           "safetensors_open: m: 7 bytes — a safetensors file has at least 8, the length of its header");
    failed(ch_safetensors_open_memory("\x01\xe1\xf5\x05\0\0\0\0{", 9, "m", &f), "file_format",
           "safetensors_open: m: a header of 100000001 bytes — at most 100000000 are allowed: it is damaged or no "
           "safetensors file");
    failed(
        ch_safetensors_open_memory("\x00\xe1\xf5\x05\0\0\0\0{", 9, "m", &f), "file_format",
        "safetensors_open: m: a header of 100000000 bytes, and 1 bytes follow its length — it is truncated or damaged");
    failed(ch_safetensors_open_memory("\xff\xff\xff\xff\xff\xff\xff\xff{", 9, "m", &f), "file_format",
           "safetensors_open: m: a header of 18446744073709551615 bytes — at most 100000000 are allowed: it is damaged "
           "or no "
           "safetensors file");
    failed(ch_safetensors_open_memory(NULL, 9, "m", &f), "argument", "safetensors_open: data is NULL — give 9 bytes");
    failed(ch_safetensors_open(NULL, &f), "argument", "safetensors_open: the path is NULL — give one");
    char message[300];
    snprintf(message, sizeof message, "file_open: %s: no such file or folder", path);
    failed(ch_safetensors_open(path, &f), "file", message);
    assert_null(f);
}

static void refused_when_read(void **state) {
    (void)state;
    ch_safetensors *f = NULL;
    ch_tensor *t = NULL;
    make("{\"a\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3);
    ((char *)made)[made_n - 1] = 2;
    assert_int_equal(ch_safetensors_open_memory(made, made_n, "m", &f), CH_OK);
    failed(ch_safetensors_read(f, "a", &t), "file_format",
           "safetensors_read: m: tensor \"a\": element 2 is the byte 0x02 — BOOL is 0 or 1");
    assert_null(t);
    ch_safetensors_close(f);
    // a file that becomes shorter while it is open
    size_t n = 0;
    char *data = slurp(DATA "one.safetensors", &n), message[300];
    spill(path, data, n);
    ch__free(data);
    assert_int_equal(ch_safetensors_open(path, &f), CH_OK);
    assert_int_equal(truncate(path, (off_t)n - 1), 0);
    snprintf(message, sizeof message,
             "file_read: %s: 16 bytes at 72 wanted, the file has 87 — it is truncated or damaged", path);
    failed(ch_safetensors_read(f, "w", &t), "file_format", message);
    ch_safetensors_close(f);
}

static void many_names(void **state) {
    (void)state;
    enum { N = 20000 };
    char *header = malloc(N * 80 + 10), *p = header;
    *p++ = '{';
    for (int i = 0; i < N; i++) // offsets and names both far from sorted
        p += sprintf(p, "%s\"w%llu\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%d,%d]}", i > 0 ? "," : "",
                     (unsigned long long)ch__hash_u64((uint64_t)(i * 7919 % N)), i * 7919 % N, i * 7919 % N + 1);
    strcpy(p, "}");
    ch_safetensors *f = NULL;
    make(header, N);
    free(header);
    assert_int_equal(ch_safetensors_open_memory(made, made_n, "m", &f), CH_OK);
    for (int i = 0; i < N; i++) {
        char name[40];
        snprintf(name, sizeof name, "w%llu", (unsigned long long)ch__hash_u64((uint64_t)i));
        assert_int_equal(ch_safetensors_find(f, name), i);
        assert_string_equal(ch_safetensors_name(f, i), name);
    }
    ch_tensor *t = NULL;
    assert_int_equal(ch_safetensors_read(f, "none", &t), CH_NOT_FOUND);
    assert_non_null(strstr(ch_error_message(), "no tensor \"none\" — there are 20000: \"w"));
    assert_non_null(strstr(ch_error_message(), "\" and 19992 more"));
    ch_safetensors_close(f);
}

// ---- the list of files: tests/data/edge_safetensors.json
typedef struct {
    const char *text;
    size_t n;
    int cases, refused;
} edges;

static size_t from_base64(const char *s, unsigned char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    int have = 0;
    size_t n = 0;
    for (; *s && *s != '='; s++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, *s) - digits);
        have += 6;
        if (have >= 8) out[n++] = (unsigned char)(bits >> (have -= 8));
    }
    return n;
}

// {"name": ["float32", [2], ["1.5", "-2.0"]], ...} against the file.
static void compare(ch__json *j, ch_safetensors *f) {
    int count = 0;
    ch__json_expect(j, '{');
    for (bool first = true; ch__json_more(j, '}', first); first = false, count++) {
        const char *name = ch__json_string(j);
        ch_tensor *t = NULL;
        if (ch_safetensors_read(f, name, &t) != CH_OK) fail_msg("%s", ch_error_message());
        ch__json_expect(j, ':');
        ch__json_expect(j, '[');
        const char *dtype = ch__json_string(j);
        char ours[20];
        snprintf(ours, sizeof ours,
                 dtype[0] == 'f'   ? "f%s"
                 : dtype[0] == 'i' ? "i%s"
                 : dtype[0] == 'u' ? "u%s"
                                   : "%s",
                 dtype[0] == 'f'   ? dtype + 5
                 : dtype[0] == 'i' ? dtype + 3
                 : dtype[0] == 'u' ? dtype + 4
                                   : dtype);
        assert_string_equal(ch_dtype_name(ch_tensor_dtype(t)), ours);
        ch__json_expect(j, ',');
        ch__json_expect(j, '[');
        int rank = 0;
        for (bool none = true; ch__json_more(j, ']', none); none = false)
            assert_int_equal(ch__json_size(j, "a size"), ch_tensor_dim(t, rank++));
        assert_int_equal(rank, ch_tensor_rank(t));
        ch__json_expect(j, ',');
        ch__json_expect(j, '[');
        int64_t n = 0;
        ch_tensor *flat = ch_reshape(ch_convert(t, CH_F64), 1, (int64_t[]){ch_tensor_numel(t)});
        double values[16];
        assert_int_equal(ch_read_f64(flat, values, ch_tensor_numel(t)), CH_OK);
        for (bool none = true; ch__json_more(j, ']', none); none = false) {
            const char *s = ch__json_string(j);
            double v;
            assert_ptr_equal(ch__parse_f64(s, s + strlen(s), &v), s + strlen(s));
            assert_true(n < ch_tensor_numel(t));
            assert_true(v == values[n] || (isnan(v) && isnan(values[n])));
            assert_int_equal(signbit(v) != 0, isnan(v) ? signbit(v) != 0 : signbit(values[n]) != 0);
            n++;
        }
        assert_int_equal(n, ch_tensor_numel(t));
        ch__json_expect(j, ']');
        ch_release(t);
    }
    assert_int_equal(count, ch_safetensors_count(f));
}

static void edge_case(ch__json *j, edges *e) {
    const char *name = NULL, *want = NULL;
    unsigned char *data = malloc(1 << 16);
    size_t n = 0;
    ch__json_expect(j, '{');
    for (bool first = true; ch__json_more(j, '}', first); first = false) {
        const char *key = ch__json_string(j);
        ch__json_expect(j, ':');
        if (strcmp(key, "name") == 0)
            name = ch__json_string(j);
        else if (strcmp(key, "want") == 0)
            want = ch__json_string(j);
        else if (strcmp(key, "base64") == 0)
            n = from_base64(ch__json_string(j), data);
        else if (strcmp(key, "library") == 0) { // the last one
            ch_safetensors *f = NULL;
            unsigned char *bytes = exact(data, n);
            bool ok = ch_safetensors_open_memory(bytes, n, name, &f) == CH_OK;
            if (ok != (strcmp(want, "ok") == 0) && strcmp(want, "either") != 0)
                fail_msg("%s: %s", name, ok ? "read" : ch_error_message());
            ch__json_expect(j, '{');
            bool library = strcmp(ch__json_string(j), "ok") == 0;
            ch__json_expect(j, ':');
            if (library && ok)
                compare(j, f);
            else
                ch__json_skip(j);
            ch__json_expect(j, '}');
            e->refused += !ok;
            ch_safetensors_close(f);
            free(bytes);
        } else
            ch__json_skip(j);
    }
    free(data);
    e->cases++;
}

static void run_edges(void *arg) {
    edges *e = arg;
    ch__source source = {.what = "test", .name = "edge_safetensors.json"};
    ch__arena *a = ch__arena_create();
    ch__json j = {.arena = a, .source = &source, .start = e->text, .p = e->text, .end = e->text + e->n};
    ch__json_expect(&j, '{');
    for (bool first = true; ch__json_more(&j, '}', first); first = false) {
        bool cases = strcmp(ch__json_string(&j), "cases") == 0;
        ch__json_expect(&j, ':');
        if (!cases) {
            ch__json_skip(&j);
            continue;
        }
        ch__json_expect(&j, '[');
        for (bool none = true; ch__json_more(&j, ']', none); none = false) edge_case(&j, e);
    }
    ch__json_end(&j);
    ch__arena_destroy(a);
}

static void the_list_of_good_and_bad_files(void **state) {
    (void)state;
    edges e = {0};
    char *text = slurp("tests/data/edge_safetensors.json", &e.n);
    e.text = text;
    if (ch__protect(run_edges, &e) != CH_OK) fail_msg("%s", ch_error_message());
    ch__free(text);
    assert_int_equal(e.cases, 21);
    assert_int_equal(e.refused, 13); // leading-space, which may be either, among them
}

static void *read_in_a_thread(void *arg) {
    ch_safetensors *f = arg;
    bool right = true;
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < ch_safetensors_count(f); i++) {
            ch_tensor *t = NULL;
            char first[8];
            if (ch_safetensors_read(f, ch_safetensors_name(f, i), &t) != CH_OK) return NULL;
            data_element(ch_tensor_dtype(t), 0, first);
            right = right && memcmp(ch_data(t), first, ch_dtype_size(ch_tensor_dtype(t))) == 0;
            ch_release(t);
        }
    ch_thread_end();
    return right ? arg : NULL;
}

static void many_threads_read_one_file(void **state) {
    (void)state;
    ch_safetensors *f = NULL;
    assert_int_equal(ch_safetensors_open(DATA "dtypes.safetensors", &f), CH_OK);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_in_a_thread, f), 0);
    for (int i = 0; i < 3; i++) {
        void *fine = NULL;
        pthread_join(threads[i], &fine);
        assert_ptr_equal(fine, f);
    }
    ch_safetensors_close(f);
}

static void cut_at_every_byte(void **state) {
    (void)state;
    static const char *const names[] = {DATA "dtypes.safetensors", DATA "sizes.safetensors", DATA "none.safetensors"};
    for (int i = 0; i < 3; i++) {
        size_t n = 0;
        char *whole = slurp(names[i], &n), from_memory[2100];
        for (size_t cut = 0; cut < n; cut++) {
            ch_safetensors *f = NULL;
            void *data = exact(whole, cut);
            assert_int_equal(ch_safetensors_open_memory(data, cut, path, &f), CH_DATA_LOSS);
            snprintf(from_memory, sizeof from_memory, "%s", ch_error_message());
            spill(path, data, cut);
            failed(ch_safetensors_open(path, &f), "file_format", from_memory);
            free(data);
        }
        for (size_t at = 0; at < n; at++)
            for (int bit = 0; bit < 8; bit++) {
                ch_safetensors *f = NULL;
                char *data = exact(whole, n);
                data[at] = (char)(data[at] ^ 1 << bit);
                if (ch_safetensors_open_memory(data, n, "changed", &f) == CH_OK)
                    for (int k = 0; k < ch_safetensors_count(f); k++) {
                        ch_tensor *t = NULL;
                        if (ch_safetensors_read(f, ch_safetensors_name(f, k), &t) == CH_OK) ch_release(t);
                    }
                ch_safetensors_close(f);
                free(data);
            }
        ch__free(whole);
    }
}

static ch_status use_all(void) {
    ch_safetensors *f = NULL;
    ch_tensor *t = NULL;
    CH_TRY(ch_safetensors_open(DATA "sizes.safetensors", &f));
    ch_status s = ch_safetensors_read(f, "d", &t);
    ch_release(t);
    ch_safetensors_close(f);
    return s;
}

static void failing_allocations_leave_nothing(void **state) {
    (void)state;
    ch_status s;
    int n = 0;
    do {
        ch__alloc_fail_at(++n, false);
        s = use_all();
        ch__alloc_fail_at(0, false);
        assert_true(s == CH_OK || s == CH_RESOURCE_EXHAUSTED);
        ch_thread_end();
        assert_int_equal(ch__alloc_live(), 0);
    } while (s != CH_OK);
    assert_true(n > 8);
}

#define MADE_TEST(fn) cmocka_unit_test_setup_teardown(fn, make_folder, drop_made)
int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(every_dtype),
        FILE_TEST(names_shapes_and_metadata),
        MADE_TEST(what_the_reference_reads_is_read),
        MADE_TEST(tensors_without_bytes_keep_the_headers_order),
        MADE_TEST(hostile_headers),
        MADE_TEST(hostile_offsets),
        MADE_TEST(refused_before_the_header),
        MADE_TEST(refused_when_read),
        MADE_TEST(many_names),
        FILE_TEST(the_list_of_good_and_bad_files),
        FILE_TEST(many_threads_read_one_file),
        FILE_TEST(cut_at_every_byte),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
