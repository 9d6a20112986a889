// SPDX-License-Identifier: Apache-2.0
// test_base_memory.c - memory.c: the allocator hook, alignment, counters, injected failures.
#include "base/base.h"

#include "unit.h"

#include <stdlib.h>

static void blocks_keep_their_content(void **state) {
    (void)state;
    int64_t live = ch__alloc_live(), count = ch__alloc_count();
    char *p = ch__alloc(10);
    assert_int_equal((uintptr_t)p % 16, 0);
    memcpy(p, "123456789", 10);
    p = ch__realloc(p, 100000);
    assert_string_equal(p, "123456789");
    assert_int_equal((uintptr_t)p % 16, 0);
    assert_int_equal(ch__alloc_live(), live + 1);
    assert_int_equal(ch__alloc_count(), count + 2);
    char *z = ch__calloc(100, 7);
    for (int i = 0; i < 700; i++) assert_int_equal(z[i], 0);
    char *s = ch__strdup("text");
    assert_string_equal(s, "text");
    void *none = ch__alloc(0);
    assert_non_null(none);
    assert_int_equal(ch__alloc_live(), live + 4);
    ch__free(none);
    ch__free(s);
    ch__free(z);
    ch__free(p);
    ch__free(NULL);
    ch__free_aligned(NULL);
    assert_int_equal(ch__alloc_live(), live);
}

static void aligned_blocks(void **state) {
    (void)state;
    int64_t live = ch__alloc_live();
    for (size_t align = 1; align <= 4096; align *= 2)
        for (size_t n = 0; n < 100; n += 33) {
            char *p = ch__alloc_aligned(n, align);
            assert_int_equal((uintptr_t)p % align, 0);
            memset(p, 1, n);
            ch__free_aligned(p);
        }
    assert_int_equal(ch__alloc_live(), live);
}

static void impossible_sizes_give_null(void **state) {
    (void)state;
    int64_t live = ch__alloc_live();
    volatile size_t most = SIZE_MAX; // the compiler would warn of the plain constant
    assert_null(ch__alloc(most));
    assert_null(ch__alloc(most - 15));
    assert_null(ch__calloc(most / 2, 3));
    assert_null(ch__calloc((size_t)1 << 32, (size_t)1 << 32));
    assert_null(ch__alloc_aligned(most - 10, 64));
    char *p = ch__alloc(5);
    memcpy(p, "keep", 5);
    assert_null(ch__realloc(p, most));
    assert_string_equal(p, "keep");
    ch__free(p);
    assert_int_equal(ch__alloc_live(), live);
}

static void the_nth_allocation_fails(void **state) {
    (void)state;
    void *p[6];
    for (int all = 0; all < 2; all++) {
        ch__alloc_fail_at(3, all);
        for (int i = 0; i < 6; i++) p[i] = i % 2 ? ch__calloc(1, 8) : ch__alloc(8);
        for (int i = 0; i < 6; i++) {
            bool expected = all ? i >= 2 : i == 2;
            assert_int_equal(p[i] == NULL, expected);
            ch__free(p[i]);
        }
        ch__alloc_fail_at(0, false);
    }
    char *q = ch__strdup("old");
    ch__alloc_fail_at(1, false);
    assert_null(ch__realloc(q, 50));
    assert_string_equal(q, "old");
    q = ch__realloc(q, 50); // only one failed
    assert_string_equal(q, "old");
    ch__free(q);
    ch__alloc_fail_at(1, true);
    assert_null(ch__strdup("x"));
    assert_null(ch__alloc_aligned(8, 64));
    ch__alloc_fail_at(0, false);
}

// A hook that knows what it gave, so that it notices a wrong old size.
typedef struct {
    int calls, wrong;
    int64_t bytes;
} hook_state;
static void *hook(void *user, void *p, size_t old_bytes, size_t bytes) {
    hook_state *h = user;
    h->calls++;
    size_t *raw = p ? (size_t *)p - 2 : NULL; // 16 bytes before: our own record of the size
    if (raw && *raw != old_bytes) h->wrong++;
    if (!raw && old_bytes != 0) h->wrong++;
    h->bytes += (int64_t)bytes - (int64_t)old_bytes;
    if (bytes == 0) {
        free(raw);
        return NULL;
    }
    raw = realloc(raw, bytes + 16);
    if (!raw) return NULL;
    *raw = bytes;
    if (!p) memset(raw + 2, 0xee, bytes);
    return raw + 2;
}

static void hooked_body(void *arg) {
    (void)arg;
    ch__arena *a = ch__arena_create();
    for (int i = 0; i < 1000; i++) {
        char *p = ch__arena_alloc(a, (size_t)i);
        for (int k = 0; k < i; k++)
            if (p[k]) fail_msg("not cleared");
    }
    ch__raise(CH__E_cancelled, "drop it");
}

static void the_hook_is_told_true_sizes(void **state) {
    (void)state;
    assert_int_equal(ch__alloc_live(), 0);
    hook_state h = {0};
    void *p = ch__alloc(3);
    assert_int_equal(ch_set_allocator(hook, &h), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "ch_set_allocator: 1 blocks of the present allocator are in use — set the "
                                            "allocator before any other call");
    ch__free(p);
    assert_int_equal(h.calls, 0);
    assert_int_equal(ch_set_allocator(hook, &h), CH_OK);
    p = ch__alloc(3);
    p = ch__realloc(p, 3000);
    unsigned char *z = ch__calloc(10, 10);
    for (int i = 0; i < 100; i++) assert_int_equal(z[i], 0);
    void *al = ch__alloc_aligned(100, 256);
    assert_int_equal((uintptr_t)al % 256, 0);
    ch__free_aligned(al);
    ch__free(p);
    ch__free(z);
    assert_int_equal(ch__protect(hooked_body, NULL), CH_CANCELLED);
    assert_true(h.calls > 8);
    assert_int_equal(h.wrong, 0);
    assert_int_equal(h.bytes, 0);
    assert_int_equal(ch_set_allocator(NULL, NULL), CH_OK);
    int calls = h.calls;
    ch__free(ch__alloc(3));
    assert_int_equal(h.calls, calls);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_content),   cmocka_unit_test(aligned_blocks),
        cmocka_unit_test(impossible_sizes_give_null),  cmocka_unit_test(the_nth_allocation_fails),
        cmocka_unit_test(the_hook_is_told_true_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
