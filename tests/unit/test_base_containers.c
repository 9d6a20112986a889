// SPDX-License-Identifier: Apache-2.0
// test_base_containers.c - vec.c, map.c, string.c against slow, obvious twins.
#include "base/base.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

static ch__arena *arena;
static int make_arena(void **state) {
    (void)state;
    arena = ch__arena_create();
    return 0;
}
static int drop_arena(void **state) {
    (void)state;
    ch__arena_destroy(arena);
    return ch__alloc_live() == 0 ? 0 : -1;
}

// ---------------------------------------------------------------- vec
typedef struct {
    int32_t a;
    char text[9];
} odd;

static void vecs_grow_and_keep(void **state) {
    (void)state;
    CH_VEC(int64_t) v = {0};
    CH_VEC(odd) w = {0};
    for (int i = 0; i < 20000; i++) {
        CH_PUSH(arena, &v, (int64_t)i * i);
        if (i % 3 == 0) CH_PUSH(arena, &w, (odd){.a = i, .text = "x"});
    }
    assert_int_equal(v.n, 20000);
    assert_true(v.cap >= v.n && v.cap < 4 * v.n);
    for (int i = 0; i < v.n; i++) assert_int_equal(v.data[i], (int64_t)i * i);
    for (int i = 0; i < w.n; i++) assert_int_equal(w.data[i].a, 3 * i);
    assert_string_equal(w.data[w.n - 1].text, "x");
}

// One vec alone grows where it lies as long as its chunk has room.
static void a_lone_vec_does_not_move_within_a_chunk(void **state) {
    (void)state;
    CH_VEC(int32_t) v = {0};
    CH_PUSH(arena, &v, 1);
    int32_t *first = v.data;
    for (int i = 0; i < 60; i++) CH_PUSH(arena, &v, i);
    assert_ptr_equal(v.data, first);
}

// ---------------------------------------------------------------- maps
enum { KEYS = 700 };

static void map_agrees_with_an_array(void **state) {
    (void)state;
    ch__map m;
    ch__map_init(&m, arena);
    assert_null(ch__map_get(&m, 0));
    ch__map_put(&m, 5, NULL); // removing from an empty one
    static int cell[KEYS];
    void *expected[KEYS] = {0};
    uint64_t r = 3;
    for (int step = 0; step < 60000; step++) {
        r = ch__hash_u64(r);
        int k = (int)(r % KEYS);
        // keys that collide in many low bits, zero among them
        uint64_t key = (uint64_t)k << 40 | (uint64_t)k << 3;
        void *val = (r >> 20) % 5 < 2 ? NULL : &cell[(r >> 32) % KEYS];
        ch__map_put(&m, key, val);
        expected[k] = val;
        if (step % 500 == 0) {
            int n = 0;
            for (int i = 0; i < KEYS; i++) {
                assert_ptr_equal(ch__map_get(&m, (uint64_t)i << 40 | (uint64_t)i << 3), expected[i]);
                n += expected[i] != NULL;
            }
            assert_int_equal(m.n, n);
        }
    }
    assert_null(ch__map_get(&m, UINT64_MAX));
    assert_true(m.cap < 8 * KEYS);
}

static void strmap_agrees_with_an_array(void **state) {
    (void)state;
    ch__strmap m;
    ch__strmap_init(&m, arena);
    assert_null(ch__strmap_get(&m, ""));
    ch__strmap_put(&m, "gone", NULL);
    static int cell[KEYS];
    void *expected[KEYS] = {0};
    uint64_t r = 9;
    char key[32];
    for (int step = 0; step < 40000; step++) {
        r = ch__hash_u64(r);
        int k = (int)(r % KEYS);
        if (k)
            snprintf(key, sizeof key, "k%d", k);
        else
            key[0] = '\0';
        void *val = (r >> 20) % 5 < 2 ? NULL : &cell[(r >> 32) % KEYS];
        ch__strmap_put(&m, key, val);
        memset(key, '?', sizeof key - 1); // the map has a copy
        expected[k] = val;
        if (step % 500 == 0)
            for (int i = 0; i < KEYS; i++) {
                int n = i ? snprintf(key, sizeof key, "k%d?", i) - 1 : 0;
                assert_ptr_equal(ch__strmap_getn(&m, key, (size_t)n), expected[i]);
                key[n] = '\0';
                assert_ptr_equal(ch__strmap_get(&m, key), expected[i]);
            }
    }
    assert_null(ch__strmap_get(&m, "k"));
    assert_null(ch__strmap_get(&m, "k700"));
}

// ---------------------------------------------------------------- text
static void fill(ch__text *t) {
    ch__put(t, "a");
    ch__putc(t, ' ');
    ch__putn(t, "bcd", 2);
    ch__putn(t, "", 0);
    ch__putc(t, ' ');
    ch__put_i64(t, INT64_MIN);
    ch__putc(t, ' ');
    ch__put_u64(t, UINT64_MAX);
    ch__putc(t, ' ');
    ch__put_u64(t, 0);
    ch__putc(t, ' ');
    ch__put_f64(t, -0.1);
    ch__putc(t, ' ');
    ch__put_f32(t, 0.1f);
    ch__putc(t, ' ');
    ch__putf(t, "%s=%d|%5d|%zu|%" PRId64, "x", 3, -4, (size_t)7, INT64_C(9));
    ch__putf(t, "%s", "");
    ch__putf(t, "%400s", "y");
}

static void text_in_an_arena_and_in_a_file(void **state) {
    (void)state;
    char expected[600];
    snprintf(expected, sizeof expected, "a bc %s -0.1 0.1 x=3|   -4|7|9%400s",
             "-9223372036854775808 18446744073709551615 0", "y");
    ch__text t;
    ch__text_init(&t, arena);
    assert_string_equal(t.data, "");
    fill(&t);
    assert_string_equal(t.data, expected);
    assert_int_equal(t.n, strlen(expected));
    for (int i = 0; i < 100; i++) fill(&t);
    assert_int_equal(t.n, 101 * strlen(expected));
    assert_int_equal(strlen(t.data), t.n);
    for (int i = 0; i < 101; i++)
        assert_memory_equal(t.data + (size_t)i * strlen(expected), expected, strlen(expected));

    FILE *f = tmpfile();
    assert_non_null(f);
    ch__text_init_file(&t, f);
    fill(&t);
    assert_int_equal(t.n, strlen(expected));
    rewind(f);
    char back[600];
    size_t n = fread(back, 1, sizeof back - 1, f);
    back[n] = '\0';
    assert_string_equal(back, expected);
    assert_false(t.failed);
    fclose(f);
}

static void a_failing_file_is_noticed(void **state) {
    (void)state;
    FILE *f = fopen("/dev/null", "r"); // not open for writing
    assert_non_null(f);
    ch__text t;
    ch__text_init_file(&t, f);
    ch__put(&t, "x");
    assert_true(t.failed);
    ch__text_init_file(&t, f);
    ch__putf(&t, "%d", 3);
    assert_true(t.failed);
    fclose(f);
}

static void quoted_text(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"a\nb\tc\\d\"e", "\"a\\nb\\tc\\\\d\\\"e\""},
        {"\x01\x1f\x7f\r", "\"\\x01\\x1f\\x7f\\x0d\""},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\xa7", "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\xa7\""},
        {"\xff\xc3", "\"\\xff\\xc3\""},                   // cut short
        {"\xc0\xaf", "\"\\xc0\\xaf\""},                   // overlong
        {"\xe0\x80\xaf", "\"\\xe0\\x80\\xaf\""},          // overlong
        {"\xed\xa0\x80", "\"\\xed\\xa0\\x80\""},          // a surrogate
        {"\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\""}, // past U+10FFFF
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ch__text t;
        ch__text_init(&t, arena);
        ch__put_quoted(&t, rows[i].in);
        assert_string_equal(t.data, rows[i].out);
    }
}

// ---------------------------------------------------------------- names
// Optimal string alignment by its definition.
static int slow_distance(const char *a, int i, const char *b, int j) {
    if (i == 0 || j == 0) return i + j;
    int best = slow_distance(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
    int d = slow_distance(a, i - 1, b, j) + 1;
    if (d < best) best = d;
    d = slow_distance(a, i, b, j - 1) + 1;
    if (d < best) best = d;
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d = slow_distance(a, i - 2, b, j - 2) + 1;
        if (d < best) best = d;
    }
    return best;
}

static void nearest_agrees_with_its_definition(void **state) {
    (void)state;
    uint64_t r = 1;
    for (int round = 0; round < 3000; round++) {
        char text[6][8];
        const char *names[5];
        for (int i = 0; i < 6; i++) {
            r = ch__hash_u64(r);
            int n = 1 + (int)(r % 6);
            for (int k = 0; k < n; k++) text[i][k] = (char)('a' + (r >> (8 + 2 * k)) % 3);
            text[i][n] = '\0';
            if (i) names[i - 1] = text[i];
        }
        int len = (int)strlen(text[0]), most = len < 5 ? 1 : 2;
        const char *expected = NULL;
        for (int d = 0; d <= most && !expected && most < len; d++)
            for (int i = 0; i < 5 && !expected; i++)
                if (slow_distance(text[0], len, names[i], (int)strlen(names[i])) == d) expected = names[i];
        assert_ptr_equal(ch__nearest(text[0], names, 5), expected);
    }
}

static void nearest_names(void **state) {
    (void)state;
    static const char *const ops[] = {"add", "matmul", "reduce", "reshape", "transpose", "softmax", "log"};
    assert_string_equal(ch__nearest("reshap", ops, 7), "reshape");
    assert_string_equal(ch__nearest("tarnspose", ops, 7), "transpose");
    assert_string_equal(ch__nearest("lgo", ops, 7), "log");
    assert_string_equal(ch__nearest("ad", ops, 7), "add");
    assert_null(ch__nearest("exp", ops, 7));
    assert_null(ch__nearest("x", ops, 7));
    assert_null(ch__nearest("", ops, 7));
    assert_null(ch__nearest(NULL, ops, 7));
    assert_null(ch__nearest("softmax", ops, 0));
    char longest[300];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *long_names[] = {longest};
    assert_null(ch__nearest(longest, long_names, 1));
    assert_null(ch__nearest("aaaaaaaa", long_names, 1));
    assert_true(ch__streq("a", "a") && ch__streq(NULL, NULL));
    assert_false(ch__streq("a", "b") || ch__streq("a", NULL) || ch__streq(NULL, ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(vecs_grow_and_keep, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(a_lone_vec_does_not_move_within_a_chunk, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(map_agrees_with_an_array, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(strmap_agrees_with_an_array, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(text_in_an_arena_and_in_a_file, make_arena, drop_arena),
        cmocka_unit_test(a_failing_file_is_noticed),
        cmocka_unit_test_setup_teardown(quoted_text, make_arena, drop_arena),
        cmocka_unit_test(nearest_agrees_with_its_definition),
        cmocka_unit_test(nearest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
