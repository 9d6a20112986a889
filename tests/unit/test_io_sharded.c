// SPDX-License-Identifier: Apache-2.0
// test_io_sharded.c - safetensors in several files under an index, tied names, and tensors over the mapped file.
#include "io_data.h"

#include <sys/stat.h>

static ch_safetensors *opened(const char *name) {
    ch_safetensors *f = NULL;
    if (ch_safetensors_open(name, &f) != CH_OK) fail_msg("%s", ch_error_message());
    return f;
}

#define data_reads(f, name, dtype, ...)                                                                                \
    do {                                                                                                               \
        ch_tensor *read_ = NULL;                                                                                       \
        data_loads(ch_safetensors_read(f, name, &read_), read_, dtype, __VA_ARGS__);                                   \
    } while (0)

static void many_files_are_one(void **state) {
    (void)state;
    ch_safetensors *f = opened(DATA "model.safetensors.index.json");
    static const char *const names[] = {"layer.weight", "embed", "layer.bias", "norm"};
    assert_int_equal(ch_safetensors_count(f), 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(ch_safetensors_name(f, i), names[i]);
        assert_int_equal(ch_safetensors_find(f, names[i]), i);
    }
    assert_int_equal(ch_safetensors_find(f, "head"), 1); // tied
    assert_int_equal(ch_safetensors_find(f, "tail"), -1);
    assert_string_equal(ch_safetensors_metadata(f, "total_size"), "94");
    assert_string_equal(ch_safetensors_metadata(f, "head"), "embed");
    assert_int_equal(ch_safetensors_dtype(f, 3), CH_F16);
    assert_int_equal(ch_safetensors_rank(f, 0), 2);
    data_reads(f, "layer.weight", CH_F64, 3, 2);
    data_reads(f, "embed", CH_F32, 4, 2);
    data_reads(f, "head", CH_F32, 4, 2);
    data_reads(f, "layer.bias", CH_F32, 2);
    data_reads(f, "norm", CH_F16, 3);
    ch_tensor *t = NULL;
    failed(ch_safetensors_read(f, "tail", &t), "unknown_name",
           "safetensors_read: " DATA "model.safetensors.index.json: no tensor \"tail\" — there are 4: "
           "\"layer.weight\", \"embed\", \"layer.bias\", \"norm\"");
    ch_safetensors_close(f);
}

static void in_folder(char *out, size_t n, const char *name) { snprintf(out, n, "%s/%s", folder, name); }

// What is split is, byte for byte, what the reference writes of the same parts.
static void files_of_the_reference(void **state) {
    (void)state;
    char file[400];
    ch_tensor *embed = data_tensor(CH_F32, 2, (int64_t[]){4, 2});
    ch_tensor *t[] = {data_tensor(CH_F16, 1, (int64_t[]){3}), embed, embed, data_tensor(CH_F64, 2, (int64_t[]){3, 2}),
                      data_tensor(CH_F32, 1, (int64_t[]){2})};
    static const char *const names[] = {"norm", "head", "embed", "layer.weight", "layer.bias"};
    ch_safetensors_options o = {.struct_size = sizeof o, .tie = 1, .file_bytes = 80};
    in_folder(path, sizeof path, "model.safetensors");
    assert_int_equal(ch_safetensors_save_with(&o, path, 5, names, t), CH_OK);
    assert_int_equal(entries(false), 3);
    static const char *const made[] = {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                                       "model.safetensors.index.json"};
    for (int i = 0; i < 3; i++) {
        char want[200];
        in_folder(file, sizeof file, made[i]);
        snprintf(want, sizeof want, DATA "%s", made[i]);
        same_files(file, want);
    }
    // few data, or no bound: one file
    entries(true);
    o.file_bytes = 1000;
    assert_int_equal(ch_safetensors_save_with(&o, path, 5, names, t), CH_OK);
    assert_int_equal(entries(false), 1);
    ch_safetensors *f = opened(path);
    assert_int_equal(ch_safetensors_count(f), 4);
    data_reads(f, "head", CH_F32, 4, 2);
    ch_safetensors_close(f);
    // not asked for: twice
    assert_int_equal(ch_safetensors_save_with(NULL, path, 5, names, t), CH_OK);
    f = opened(path);
    assert_int_equal(ch_safetensors_count(f), 5);
    assert_null(ch_safetensors_metadata_key(f, 0));
    ch_safetensors_close(f);
}

// A file each, also of what is larger than the bound; names without ".safetensors"; ties across.
static void splitting(void **state) {
    (void)state;
    char file[400];
    ch_tensor *t[6];
    char text[6][8];
    const char *names[6];
    for (int i = 0; i < 6; i++) {
        t[i] = i == 5 ? t[0] : data_tensor(CH_I32, 1, (int64_t[]){10 + i});
        snprintf(text[i], sizeof text[i], "t%d", 9 - i);
        names[i] = text[i];
    }
    ch_safetensors_options o = {.struct_size = sizeof o,
                                .tie = 1,
                                .file_bytes = 1,
                                .n_meta = 1,
                                .meta_keys = (const char *[]){"a"},
                                .meta_values = (const char *[]){"b"}};
    assert_int_equal(ch_safetensors_save_with(&o, path, 6, names, t), CH_OK);
    assert_int_equal(entries(false), 6);
    in_folder(file, sizeof file, "file-00005-of-00005.safetensors");
    ch_safetensors *f = opened(file);
    assert_string_equal(ch_safetensors_metadata(f, "a"), "b");
    ch_safetensors_close(f);
    in_folder(file, sizeof file, "file.index.json");
    f = opened(file);
    assert_int_equal(ch_safetensors_count(f), 5);
    for (int i = 0; i < 6; i++) data_reads(f, names[i], CH_I32, i == 5 ? 10 : 10 + i);
    ch_safetensors_close(f);
}

static void refused_when_saving(void **state) {
    (void)state;
    ch_tensor *t = data_tensor(CH_F32, 1, (int64_t[]){3}), *two[] = {t, t};
    static const char *const names[] = {"a", "b"}, *const keys[] = {"b"};
    char message[400];
    ch_safetensors_options o = {.struct_size = 8};
    snprintf(message, sizeof message,
             "safetensors_save: options.struct_size is 8 — set it to sizeof(ch_safetensors_options), %zu", sizeof o);
    failed(ch_safetensors_save_with(&o, path, 1, names, two), "argument", message);
    o = (ch_safetensors_options){.struct_size = sizeof o, .file_bytes = -1};
    failed(ch_safetensors_save_with(&o, path, 1, names, two), "argument",
           "safetensors_save: options.file_bytes is -1 — at least 0 is allowed");
    o = (ch_safetensors_options){
        .struct_size = sizeof o, .tie = 1, .n_meta = 1, .meta_keys = keys, .meta_values = keys};
    snprintf(message, sizeof message,
             "safetensors_save: %s: metadata key 0 is \"b\", and so is a tensor that is tied to another, which the "
             "metadata must say — give it another key",
             path);
    failed(ch_safetensors_save_with(&o, path, 2, names, two), "duplicate_name", message);
    assert_int_equal(entries(false), 0);
}

// ---- indices
static void index_says(const char *text) {
    in_folder(path, sizeof path, "x.json");
    spill(path, text, strlen(text));
}

static void refuses(const char *text, const char *id, const char *part) {
    ch_safetensors *f = NULL;
    index_says(text);
    assert_int_not_equal(ch_safetensors_open(path, &f), CH_OK);
    assert_null(f);
    if (!strstr(ch_error_message(), part)) fail_msg("%s\nhas no: %s", ch_error_message(), part);
    assert_string_equal(ch_error_id(), id);
}

static void indices(void **state) {
    (void)state;
    char a[400], message[700];
    in_folder(a, sizeof a, "a.safetensors");
    ch_tensor *t[] = {data_tensor(CH_F32, 1, (int64_t[]){3}), data_tensor(CH_F32, 1, (int64_t[]){4})};
    assert_int_equal(ch_safetensors_save(a, 2, (const char *[]){"x", "y"}, t, 0, NULL, NULL), CH_OK);
    // what the index does not name is left out, and what it does not know is skipped
    index_says(
        "{\"weight_map\": {\"y\": \"a.safetensors\"}, \"other\": [1, {\"z\": null}], \"metadata\": {\"a\": \"b\", "
        "\"n\": 1.5e3, \"l\": [1, 2]}}");
    ch_safetensors *f = opened(path);
    assert_int_equal(ch_safetensors_count(f), 1);
    assert_int_equal(ch_safetensors_find(f, "x"), -1);
    data_reads(f, "y", CH_F32, 4);
    assert_string_equal(ch_safetensors_metadata(f, "a"), "b");
    assert_string_equal(ch_safetensors_metadata(f, "n"), "1.5e3");
    assert_string_equal(ch_safetensors_metadata(f, "l"), "[1, 2]");
    ch_safetensors_close(f);
    index_says("{\"metadata\": null, \"weight_map\": {}}");
    f = opened(path);
    assert_int_equal(ch_safetensors_count(f), 0);
    ch_safetensors_close(f);
    refuses("", "file_format", "the index ends at byte 0 of it — '{' is wanted there");
    refuses("[]", "file_format", "byte 0 of the index: \"[]\" — '{' is wanted there");
    refuses("{}", "file_format", "no \"weight_map\" — it is no index of safetensors files");
    refuses("{\"weight_map\": {}} x", "file_format", "nothing but blanks is wanted there");
    refuses("{\"weight_map\": {}, \"weight_map\": {}}", "file_format", "\"weight_map\" twice in the index");
    refuses("{\"weight_map\": {\"x\": 1}}", "file_format", "a string is wanted there");
    refuses("{\"weight_map\": {\"x\": \"\xff\"}}", "file_format", "of the index is 0xff — it is UTF-8");
    refuses("{\"weight_map\": {\"x\": \"a.safetensors\", \"x\": \"a.safetensors\"}}", "file_format",
            "tensor \"x\" twice in the header");
    static const char *const places[] = {
        "", ".", "..", "/etc/passwd", "../a.safetensors", "b/a.safetensors", "b\\\\a.safetensors"};
    for (int i = 0; i < 7; i++) {
        snprintf(message, sizeof message, "{\"weight_map\": {\"x\": \"%s\"}}", places[i]);
        refuses(message, "file_format", "the name of a file in the folder of the index is allowed");
    }
    refuses("{\"weight_map\": {\"x\": \"b.safetensors\"}}", "file", "b.safetensors: no such file or folder");
    refuses("{\"weight_map\": {\"x\": \"x.json\"}}", "file_format", "x.json: a header of");
    refuses("{\"weight_map\": {\"x\": \"a.safetensors\", \"q\": \"a.safetensors\"}}", "file_format",
            "the index names 1 tensors that are not there: \"q\" in \"a.safetensors\"");
    refuses("{\"weight_map\": {\"p\": \"a.safetensors\", \"q\": \"a.safetensors\", \"r\": \"a.safetensors\", \"s\": "
            "\"a.safetensors\", \"t\": \"a.safetensors\"}}",
            "file_format", "5 tensors that are not there: ");
    refuses("{\"weight_map\": {\"p\": \"a.safetensors\", \"q\": \"a.safetensors\", \"r\": \"a.safetensors\", \"s\": "
            "\"a.safetensors\", \"t\": \"a.safetensors\"}}",
            "file_format", " and 2 more");
}

// ---- over the mapped file
static void views_lie_in_the_file(void **state) {
    (void)state;
    enum { N = 100000 };
    float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) x[i] = (float)i;
    ch_tensor *t[] = {ch_from_f32(x, 1, (int64_t[]){N}), ch_from_data(CH_BOOL, "\0\1\1", 1, (int64_t[]){3}),
                      ch_zeros(CH_F32, 1, (int64_t[]){0})};
    static const char *const names[] = {"x", "b", "none"};
    assert_int_equal(ch_safetensors_save(path, 3, names, t, 0, NULL, NULL), CH_OK);
    ch_safetensors *f = opened(path);
    ch_tensor *a = NULL, *again = NULL, *b = NULL, *none = NULL;
    assert_int_equal(ch_safetensors_view(f, "x", &a), CH_OK);
    assert_int_equal(ch_safetensors_view(f, "x", &again), CH_OK);
    assert_int_equal(ch_safetensors_view(f, "b", &b), CH_OK);
    assert_int_equal(ch_safetensors_view(f, "none", &none), CH_OK);
    assert_ptr_equal(ch_data(a), ch_data(again)); // one memory
    assert_int_equal(ch_tensor_numel(none), 0);
    // the file may be closed, replaced, removed
    ch_safetensors_close(f);
    assert_int_equal(ch_safetensors_save(path, 1, names, &t[2], 0, NULL, NULL), CH_OK);
    assert_int_equal(unlink(path), 0);
    assert_memory_equal(ch_data(a), x, N * sizeof *x);
    assert_memory_equal(ch_data(b), "\0\1\1", 3);
    // an operand like any other; results are elsewhere
    for (int i = 0; i < 3; i++) assert_int_equal(ch_read_f32(ch_add(a, again), y, N), CH_OK);
    for (int i = 0; i < N; i++) assert_true(y[i] == 2 * x[i]);
    ch_release(a);
    ch_release(again);
    ch_release(b);
    ch_release(none);
    free(x);
    free(y);
}

static void what_cannot_be_viewed_is_copied(void **state) {
    (void)state;
    // a header of 4k+2 bytes
    static const char header[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}  ";
    char file[sizeof header - 1 + 16 + 2];
    size_t n = sizeof header - 1;
    while (n % 4 != 2) n--;
    memset(file, 0, sizeof file);
    file[0] = (char)n;
    memcpy(file + 8, header, n);
    memcpy(file + 8 + n, (float[]){1.5f, -2}, 8);
    spill(path, file, 16 + n);
    ch_safetensors *f = opened(path);
    ch_tensor *t = NULL;
    float out[2];
    assert_int_equal(ch_safetensors_view(f, "a", &t), CH_OK);
    assert_int_equal((uintptr_t)ch_data(t) % 4, 0);
    assert_int_equal(ch_read_f32(t, out, 2), CH_OK);
    assert_true(out[0] == 1.5f && out[1] == -2);
    ch_release(t);
    ch_safetensors_close(f);
    // from memory
    assert_int_equal(ch_safetensors_open_memory(file, 16 + n, "m", &f), CH_OK);
    assert_int_equal(ch_safetensors_view(f, "a", &t), CH_OK);
    ch_safetensors_close(f);
    memset(file, 0, sizeof file);
    assert_int_equal(ch_read_f32(t, out, 2), CH_OK);
    assert_true(out[0] == 1.5f);
    ch_release(t);
    assert_int_equal(ch_safetensors_view(NULL, "a", &t), CH_INVALID_ARGUMENT);
}

static ch_status use_all(void) {
    ch_safetensors *f = NULL;
    ch_tensor *t = NULL, *u = NULL;
    ch_scope scope = ch_scope_begin();
    if (scope.token == 0) return CH_RESOURCE_EXHAUSTED;
    ch_status s = ch_safetensors_open(DATA "model.safetensors.index.json", &f);
    if (s == CH_OK) s = ch_safetensors_read(f, "head", &t);
    if (s == CH_OK) s = ch_safetensors_view(f, "norm", &u);
    ch_safetensors_options o = {.struct_size = sizeof o, .tie = 1, .file_bytes = 32};
    if (s == CH_OK)
        s = ch_safetensors_save_with(&o, path, 3, (const char *[]){"a", "b", "c"}, (ch_tensor *[]){t, u, t});
    ch_release(t);
    ch_release(u);
    ch_safetensors_close(f);
    (void)ch_scope_end(scope);
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
    assert_true(n > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(many_files_are_one),
        FILE_TEST(files_of_the_reference),
        FILE_TEST(splitting),
        FILE_TEST(refused_when_saving),
        FILE_TEST(indices),
        FILE_TEST(views_lie_in_the_file),
        FILE_TEST(what_cannot_be_viewed_is_copied),
        FILE_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
