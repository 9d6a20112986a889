// SPDX-License-Identifier: Apache-2.0
// test_base_errors.c - status.c, protect.c, arena.c, and all of the arena's users while memory ends.
#include "base/base.h"

#include "unit.h"

#include <pthread.h>

// ---------------------------------------------------------------- status
static void fail_sets_status_id_and_sentence(void **state) {
    (void)state;
    ch_error_clear();
    assert_string_equal(ch_error_id(), "");
    assert_string_equal(ch_error_message(), "");
    assert_int_equal(ch__error_current(), CH__E_COUNT);
    assert_int_equal(ch__fail(CH__E_shape_mismatch, "dot: %d and %s", 3, "x"), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_id(), "shape_mismatch");
    assert_string_equal(ch_error_message(), "dot: 3 and x");
    // a message may quote the one before
    ch__fail(CH__E_parse, "a.ir:3: %s", ch_error_message());
    assert_string_equal(ch_error_message(), "a.ir:3: dot: 3 and x");
    ch__error_prefix("module");
    assert_string_equal(ch_error_message(), "module: a.ir:3: dot: 3 and x");
    assert_string_equal(ch_error_id(), "parse");
    assert_int_equal(ch__fail_oom("storage"), CH_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(ch_error_message(), "storage: out of memory"));
}

static void every_row_is_listed_and_explained(void **state) {
    (void)state;
    int n = 0;
    for (const char *id; (id = ch_error_id_at(n)); n++) {
        assert_string_equal(id, ch__err_name((ch__err)n));
        assert_ptr_equal(ch_error_explain(id), ch__err_text((ch__err)n));
        assert_true(strlen(ch_error_explain(id)) > 20);
        assert_int_not_equal(ch__err_status((ch__err)n), CH_OK);
        assert_string_not_equal(ch_status_name(ch__err_status((ch__err)n)), "?");
        for (int i = 0; i < n; i++) assert_string_not_equal(id, ch_error_id_at(i));
    }
    assert_int_equal(n, CH__E_COUNT);
    assert_null(ch_error_id_at(-1));
    assert_null(ch_error_explain("no such row"));
    assert_null(ch_error_explain(NULL));
    assert_string_equal(ch_status_name(CH_OK), "OK");
    assert_string_equal(ch_status_name(CH_DATA_LOSS), "DATA_LOSS");
    assert_string_equal(ch_status_name((ch_status)16), "?");
    assert_string_equal(ch_status_name((ch_status)-1), "?");
    assert_string_equal(ch_version(), CHAAC_VERSION);
}

// A long message is cut between characters of 1 to 4 bytes, wherever the cut falls.
static void long_messages_are_cut_between_characters(void **state) {
    (void)state;
    static const char *const letters[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xa7"};
    static char text[3 * CH__MESSAGE_BYTES];
    for (int kind = 0; kind < 4; kind++)
        for (size_t before = 0; before < 8; before++) {
            size_t size = strlen(letters[kind]), n = before;
            memset(text, 'x', before);
            while (n < 2 * CH__MESSAGE_BYTES) {
                memcpy(text + n, letters[kind], size);
                n += size;
            }
            text[n] = '\0';
            if (before % 2) {
                ch__fail(CH__E_internal, "%s", text);
            } else {
                ch__fail(CH__E_internal, "%s", "");
                ch__error_prefix(text);
            }
            const char *m = ch_error_message();
            size_t got = strlen(m);
            assert_true(got < CH__MESSAGE_BYTES && got > CH__MESSAGE_BYTES - 8);
            assert_string_equal(m + got - 3, "\xe2\x80\xa6");
            assert_int_equal((got - 3 - before) % size, 0);
            assert_memory_equal(m, text, got - 3);
        }
    // just fits: nothing is cut
    memset(text, 'y', CH__MESSAGE_BYTES);
    text[CH__MESSAGE_BYTES - 1] = '\0';
    ch__fail(CH__E_internal, "%s", text);
    assert_string_equal(ch_error_message(), text);
}

static void *publish_elsewhere(void *arg) {
    bool clean = ch_error_message()[0] == '\0' && ch_error_id()[0] == '\0';
    ch_status s = ch__error_publish(arg);
    return clean && s == CH_OUT_OF_RANGE && strcmp(ch_error_message(), "get: 7") == 0 &&
                   strcmp(ch_error_id(), "bounds") == 0
               ? arg
               : NULL;
}

static void errors_belong_to_their_thread(void **state) {
    (void)state;
    ch__error_copy kept;
    ch__fail(CH__E_bounds, "get: %d", 7);
    ch__error_save(&kept);
    ch__fail(CH__E_internal, "other");
    pthread_t t;
    void *ok;
    assert_int_equal(pthread_create(&t, NULL, publish_elsewhere, &kept), 0);
    pthread_join(t, &ok);
    assert_non_null(ok);
    assert_string_equal(ch_error_message(), "other");
}

// ---------------------------------------------------------------- protect
static char order[64];
static void note(void *arg) {
    size_t n = strlen(order);
    order[n] = *(const char *)arg;
    order[n + 1] = '\0';
}

static void note_at_end(ch__arena *a, char c) {
    static char letter[128];
    letter[(int)c] = c;
    ch__arena_defer(a, note, &letter[(int)c]);
}

static void two_arenas_then_raise(void *arg) {
    ch__arena *a = ch__arena_create(), *b = ch__arena_create(), *gone = ch__arena_create();
    note_at_end(a, '1');
    note_at_end(b, '2');
    note_at_end(a, '3');
    note_at_end(gone, 'g');
    ch__arena_destroy(gone);
    assert_true(ch__in_protect());
    if (arg) ch__raise(CH__E_rank, "axis %d", 5);
    ch__arena_destroy(a);
    ch__arena_destroy(b);
}

static void raise_destroys_what_was_made(void **state) {
    (void)state;
    int64_t live = ch__alloc_live();
    assert_false(ch__in_protect());
    order[0] = '\0';
    assert_int_equal(ch__protect(two_arenas_then_raise, order), CH_INVALID_ARGUMENT);
    assert_string_equal(order, "g231");
    assert_string_equal(ch_error_message(), "axis 5");
    assert_int_equal(ch__alloc_live(), live);
    assert_false(ch__in_protect());
    order[0] = '\0';
    assert_int_equal(ch__protect(two_arenas_then_raise, NULL), CH_OK);
    assert_string_equal(order, "g312");
    assert_int_equal(ch__alloc_live(), live);
}

static void failing_deferred(void *arg) {
    (void)arg;
    ch__fail(CH__E_file, "close failed");
}
static void raise_current_with_failing_deferred(void *arg) {
    (void)arg;
    ch__arena_defer(ch__arena_create(), failing_deferred, NULL);
    CH_RAISE_IF(ch__fail(CH__E_dim_overflow, "the first"));
}

static void the_raised_error_is_reported(void **state) {
    (void)state;
    assert_int_equal(ch__protect(raise_current_with_failing_deferred, NULL), CH_OUT_OF_RANGE);
    assert_string_equal(ch_error_message(), "the first");
    assert_string_equal(ch_error_id(), "dim_overflow");
}

typedef struct {
    bool inner_raises, outer_raises, keep;
    ch__arena *outer, *inner, *kept, *late;
    ch_status inner_status;
} nesting;

static void nested_inner(void *arg) {
    nesting *t = arg;
    t->inner = ch__arena_create();
    note_at_end(t->inner, 'i');
    t->kept = ch__arena_create();
    note_at_end(t->kept, 'k');
    if (t->keep) ch__arena_keep(t->kept);
    if (t->inner_raises) ch__raise(CH__E_limit, "inner");
}
static void nested_outer(void *arg) {
    nesting *t = arg;
    t->outer = ch__arena_create();
    note_at_end(t->outer, 'o');
    t->inner_status = ch__protect(nested_inner, t);
    t->late = ch__arena_create();
    note_at_end(t->late, 'l');
    if (t->outer_raises) ch__raise(CH__E_engine, "outer");
}

static void frames_nest(void **state) {
    (void)state;
    for (int bits = 0; bits < 8; bits++) {
        int64_t live = ch__alloc_live();
        nesting t = {.inner_raises = bits & 1, .outer_raises = bits & 2, .keep = bits & 4};
        order[0] = '\0';
        ch_status s = ch__protect(nested_outer, &t);
        assert_int_equal(t.inner_status, t.inner_raises ? CH_RESOURCE_EXHAUSTED : CH_OK);
        assert_int_equal(s, t.outer_raises ? CH_NOT_FOUND : CH_OK);
        // newest first: the late one, the inner frame's, the outer frame's; a kept one never
        char expected[8] = "";
        if (t.inner_raises) strcat(expected, t.keep ? "i" : "ki");
        if (t.outer_raises) strcat(expected, "l");
        if (t.outer_raises && !t.inner_raises) strcat(expected, t.keep ? "i" : "ki");
        if (t.outer_raises) strcat(expected, "o");
        assert_string_equal(order, expected);
        if (t.keep || !(t.inner_raises || t.outer_raises)) ch__arena_destroy(t.kept);
        if (!t.outer_raises) {
            ch__arena_destroy(t.outer);
            ch__arena_destroy(t.late);
            if (!t.inner_raises) ch__arena_destroy(t.inner);
        }
        assert_int_equal(ch__alloc_live(), live);
    }
}

static ch__arena *survivors[3];
static void make_survivors(void *arg) {
    for (int i = 0; i < 3; i++) survivors[i] = ch__arena_create();
    if (arg) ch__arena_destroy(survivors[1]);
}
static void arenas_stay_after_success(void **state) {
    (void)state;
    int64_t live = ch__alloc_live();
    assert_int_equal(ch__protect(make_survivors, NULL), CH_OK);
    assert_int_equal(ch__alloc_live(), live + 3);
    int32_t *p = CH_NEW(survivors[2], int32_t);
    *p = 5;
    for (int i = 0; i < 3; i++) ch__arena_destroy(survivors[i]);
    assert_int_equal(ch__protect(make_survivors, order), CH_OK);
    ch__arena_destroy(survivors[0]);
    ch__arena_destroy(survivors[2]);
    ch__arena_destroy(NULL);
    assert_int_equal(ch__alloc_live(), live);
}

// ---------------------------------------------------------------- arena
static bool all_zero(const void *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (((const char *)p)[i]) return false;
    return true;
}

static void blocks_are_zero_aligned_and_apart(void *arg) {
    (void)arg;
    ch__arena *a = ch__arena_create();
    assert_true(ch__arena_bytes(a) <= 1024);
    enum { N = 4000 };
    static struct {
        unsigned char *p;
        size_t n;
    } block[N];
    uint64_t r = 7;
    for (int i = 0; i < N; i++) {
        r = ch__hash_u64(r);
        size_t n = r % 16 == 0 ? (size_t)(r >> 32) % 70000 : (size_t)(r >> 32) % 100;
        block[i].p = ch__arena_alloc(a, n);
        block[i].n = n;
        assert_int_equal((uintptr_t)block[i].p % (n >= 16 ? 16 : 8), 0);
        assert_true(all_zero(block[i].p, n));
        memset(block[i].p, i % 255 + 1, n);
    }
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < block[i].n; k++)
            if (block[i].p[k] != i % 255 + 1) fail_msg("block %d was written over", i);
    assert_string_equal(ch__arena_strdup(a, "abc"), "abc");
    assert_string_equal(ch__arena_strndup(a, "abcdef", 4), "abcd");
    assert_memory_equal(ch__arena_dup(a, "xy", 2), "xy", 2);
    assert_non_null(ch__arena_dup(a, NULL, 0));
    assert_string_equal(ch__arena_printf(a, "%d-%s", 12, "z"), "12-z");
    char *wide = ch__arena_printf(a, "%1000d", 1);
    assert_int_equal(strlen(wide), 1000);
    ch__arena_destroy(a);
}

static void arena_blocks(void **state) {
    (void)state;
    int64_t live = ch__alloc_live();
    assert_int_equal(ch__protect(blocks_are_zero_aligned_and_apart, NULL), CH_OK);
    assert_int_equal(ch__alloc_live(), live);
}

static void extend_body(void *arg) {
    (void)arg;
    ch__arena *a = ch__arena_create();
    char *p = ch__arena_alloc(a, 16);
    memset(p, 'p', 16);
    assert_true(ch__arena_extend(a, p, 16, 40));
    assert_true(all_zero(p + 16, 24));
    memset(p, 'p', 40);
    char *q = ch__arena_alloc(a, 8);
    assert_true(q >= p + 40);
    assert_false(ch__arena_extend(a, p, 40, 48));
    assert_true(ch__arena_extend(a, q, 8, 9));
    assert_false(ch__arena_extend(a, q, 9, 1 << 20));
    assert_false(ch__arena_extend(a, NULL, 0, 8));
    ch__arena_destroy(a);
}
static void newest_block_extends(void **state) {
    (void)state;
    assert_int_equal(ch__protect(extend_body, NULL), CH_OK);
}

static void array_too_large(void *arg) {
    ch__arena *a = ch__arena_create();
    if (arg)
        ch__arena_array(a, SIZE_MAX / 4, 8);
    else
        ch__arena_alloc(a, SIZE_MAX - 100);
}
static void impossible_sizes_raise(void **state) {
    (void)state;
    int64_t live = ch__alloc_live();
    assert_int_equal(ch__protect(array_too_large, order), CH_RESOURCE_EXHAUSTED);
    assert_int_equal(ch__protect(array_too_large, NULL), CH_RESOURCE_EXHAUSTED);
    assert_string_equal(ch_error_id(), "out_of_memory");
    assert_int_equal(ch__alloc_live(), live);
}

// A tiny func costs one allocation; many small blocks few.
static void tiny_body(void *arg) {
    ch__arena *a = ch__arena_create();
    for (int i = 0; i < *(int *)arg; i++) ch__arena_alloc(a, 40);
    ch__arena_destroy(a);
}
static void few_allocations(void **state) {
    (void)state;
    int small = 15, large = 100000;
    int64_t before = ch__alloc_count();
    ch__protect(tiny_body, &small);
    if (ch__alloc_count() - before > 2) fail_msg("%d allocations", (int)(ch__alloc_count() - before));
    before = ch__alloc_count();
    ch__protect(tiny_body, &large);
    assert_true(ch__alloc_count() - before < 25);
}

// ---------------------------------------------------------------- memory ends
static int opened;
static void close_one(void *arg) { opened -= *(int *)arg; }

// Uses everything that lives in arenas, in nested frames.
static void hungry_inner(void *arg) {
    static int one = 1;
    ch__arena *a = ch__arena_create();
    for (int i = 0; i < 60; i++) {
        opened++;
        ch__arena_defer(a, close_one, &one);
    }
    ch__strmap m;
    ch__strmap_init(&m, a);
    for (int i = 0; i < 200; i++) ch__strmap_put(&m, ch__arena_printf(a, "name%d", i), &one);
    assert_ptr_equal(ch__strmap_get(&m, "name150"), &one);
    if (arg) ch__arena_destroy(a);
}
static void hungry(void *arg) {
    ch__arena *a = ch__arena_create();
    CH_VEC(int64_t) v = {0};
    ch__map m;
    ch__text t;
    ch__map_init(&m, a);
    ch__text_init(&t, a);
    for (int i = 0; i < 3000; i++) {
        CH_PUSH(a, &v, i);
        ch__map_put(&m, (uint64_t)i * 8, &opened);
        ch__putf(&t, "%d,", i);
    }
    CH_NEW_ARRAY(a, double, 100000);
    ch__arena *held = ch__arena_create();
    CH_RAISE_IF(ch__protect(hungry_inner, NULL));
    CH_RAISE_IF(ch__protect(hungry_inner, a));
    if (arg) ch__raise(CH__E_cancelled, "at the end");
    ch__arena_destroy(held);
    ch__arena_destroy(a);
}

static void every_failing_allocation_is_recovered(void **state) {
    (void)state;
    for (int all = 0; all < 2; all++) {
        int64_t live = ch__alloc_live();
        int n = 0;
        for (;;) {
            n++;
            opened = 0;
            ch__alloc_fail_at(n, all);
            ch_status s = ch__protect(hungry, order);
            bool reached = s == CH_RESOURCE_EXHAUSTED;
            ch__alloc_fail_at(0, false);
            assert_int_equal(ch__alloc_live(), live);
            assert_int_equal(opened, 0);
            if (!reached) {
                assert_int_equal(s, CH_CANCELLED);
                break;
            }
            assert_string_equal(ch_error_id(), "out_of_memory");
            assert_false(ch__in_protect());
        }
        assert_true(n > 30);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_sets_status_id_and_sentence),
        cmocka_unit_test(every_row_is_listed_and_explained),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(errors_belong_to_their_thread),
        cmocka_unit_test(raise_destroys_what_was_made),
        cmocka_unit_test(the_raised_error_is_reported),
        cmocka_unit_test(frames_nest),
        cmocka_unit_test(arenas_stay_after_success),
        cmocka_unit_test(arena_blocks),
        cmocka_unit_test(newest_block_extends),
        cmocka_unit_test(impossible_sizes_raise),
        cmocka_unit_test(few_allocations),
        cmocka_unit_test(every_failing_allocation_is_recovered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
