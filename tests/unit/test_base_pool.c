// SPDX-License-Identifier: Apache-2.0
// test_base_pool.c - pool.c: small blocks, threads that free what others made, ends of threads, ends of scopes.
#include "base/base.h"

#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

#include "chaac/chaac.h"

enum { MANY = 20000, MOST = 1100 };

static size_t size_of(int i) { return (size_t)(i * 37 % MOST); } // some are larger than any class

static void fill(char *p, int i) { memset(p, i & 127, size_of(i)); }
static void look(const char *p, int i) {
    for (size_t k = 0; k < size_of(i); k++)
        if (p[k] != (i & 127)) fail_msg("block %d, byte %d is %d", i, (int)k, p[k]);
}

static void blocks_do_not_overlap(void **state) {
    (void)state;
    static char *p[MANY];
    int64_t live = ch__alloc_live(), count = ch__alloc_count();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            p[i] = ch__pool_alloc(size_of(i));
            assert_non_null(p[i]);
            assert_int_equal((uintptr_t)p[i] % 16, 0);
            fill(p[i], i);
        }
        assert_int_equal(ch__alloc_live(), live + MANY);
        for (int i = 0; i < MANY; i += 3) { // holes, and what comes into them
            look(p[i], i);
            ch__pool_free(p[i]);
            p[i] = ch__pool_alloc(size_of(i));
            fill(p[i], i);
        }
        for (int i = 0; i < MANY; i++) look(p[i], i);
        for (int i = 0; i < MANY; i++) ch__pool_free(p[round == 1 ? i : MANY - 1 - i]);
        assert_int_equal(ch__alloc_live(), live);
    }
    assert_true(ch__alloc_count() >= count + 3 * MANY);
    ch__pool_free(NULL);
    ch__pool_thread_end();
    assert_int_equal(ch__pool_chunks(), 0);
}

static void failures_are_those_of_allocations(void **state) {
    (void)state;
    ch__pool_free(ch__pool_alloc(40)); // a chunk is there
    ch__alloc_fail_at(2, false);
    char *a = ch__pool_alloc(40), *b = ch__pool_alloc(40), *c = ch__pool_alloc(40);
    assert_true(a != NULL && b == NULL && c != NULL);
    ch__alloc_fail_at(1, true);
    assert_null(ch__pool_alloc(40));
    assert_null(ch__pool_alloc(MOST));
    ch__alloc_fail_at(0, false);
    assert_null(ch__pool_alloc(SIZE_MAX - 8));
    ch__pool_free(a);
    ch__pool_free(c);
    ch__pool_thread_end();
}

// ---- threads
typedef struct {
    char *p[MANY];
    int n;
} load;

static void *free_all(void *arg) {
    load *l = arg;
    for (int i = 0; i < l->n; i++) {
        look(l->p[i], i);
        ch__pool_free(l->p[i]);
    }
    return NULL;
}

static void *make_all(void *arg) {
    load *l = arg;
    for (int i = 0; i < l->n; i++) {
        l->p[i] = ch__pool_alloc(size_of(i));
        fill(l->p[i], i);
    }
    return NULL;
}

static void on_a_thread(void *(*f)(void *), load *l) {
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, f, l), 0);
    assert_int_equal(pthread_join(t, NULL), 0);
}

// Room that another thread gave back is used again: the number of chunks stays, however long this goes on.
static void one_makes_and_another_frees(void **state) {
    (void)state;
    static load l = {.n = 4000};
    int64_t live = ch__alloc_live(), most = 0;
    for (int round = 0; round < 60; round++) {
        make_all(&l);
        on_a_thread(free_all, &l);
        assert_int_equal(ch__alloc_live(), live);
        if (round == 20) most = ch__pool_chunks();
        if (round > 20) assert_true(ch__pool_chunks() <= most + 16); // one a class may be on its way
    }
    ch__pool_thread_end();
    assert_int_equal(ch__pool_chunks(), 0);
}

static void blocks_outlive_their_thread(void **state) {
    (void)state;
    static load l = {.n = MANY};
    int64_t live = ch__alloc_live();
    on_a_thread(make_all, &l);
    assert_int_equal(ch__alloc_live(), live + MANY);
    free_all(&l);
    assert_int_equal(ch__alloc_live(), live);
    assert_int_equal(ch__pool_chunks(), 0); // the last block of each took it along
    make_all(&l);
    ch__pool_thread_end(); // the thread goes on, and frees what is not its own any more
    free_all(&l);
    assert_int_equal(ch__pool_chunks(), 0);
    assert_int_equal(ch__alloc_live(), live);
}

static load shared[2];
static void *free_half(void *arg) {
    int part = *(const int *)arg;
    for (int k = 0; k < 2; k++)
        for (int i = part; i < shared[k].n; i += 4) ch__pool_free(shared[k].p[i]);
    return NULL;
}

// Four threads free, each a quarter of every chunk, while the thread that made them ends.
static void many_free_while_the_owner_ends(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        pthread_t t[4];
        int part[4] = {0, 1, 2, 3};
        shared[0].n = shared[1].n = 3000;
        make_all(&shared[0]);
        on_a_thread(make_all, &shared[1]);
        for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, free_half, &part[i]), 0);
        ch__pool_thread_end();
        for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
        assert_int_equal(ch__pool_chunks(), 0);
    }
}

// ---- scopes
static int64_t scope_of(int n) {
    ch_tensor *a = ch_from_f32((float[]){1, 2, 3, 4}, 1, (int64_t[]){4});
    ch_scope s = ch_scope_begin();
    for (int i = 0; i < n; i++) ch_add(a, a);
    int64_t held = ch__pool_chunks();
    assert_int_equal(ch_scope_end(s), CH_OK);
    return held;
}

// What the end of a large scope costs is what it asks the system for: nothing. Its chunks serve the next one.
static void scopes_give_nothing_back_to_the_system(void **state) {
    (void)state;
    if (!CH_POOL) CH_SKIP("every block is an allocation of its own in this build");
    int64_t alive = ch_tensors_alive(), held = scope_of(50000), taken = ch__pool_taken();
    assert_true(held > 100);
    assert_true(ch__pool_chunks() >= held - 1);
    for (int i = 0; i < 3; i++) scope_of(50000);
    assert_int_equal(ch__pool_taken(), taken);
    scope_of(200000); // more than is kept
    assert_true(ch__pool_chunks() < 600);
    ch_thread_end();
    assert_int_equal(ch_tensors_alive(), alive);
    assert_int_equal(ch__pool_chunks(), 0);
}

static void *hook(void *user, void *p, size_t old_bytes, size_t bytes) {
    (void)old_bytes;
    ++*(int *)user;
    if (bytes > 0) return realloc(p, bytes);
    free(p);
    return NULL;
}

static void a_hook_sees_every_block(void **state) {
    (void)state;
    int calls = 0;
    ch_thread_end();
    assert_int_equal(ch_set_allocator(hook, &calls), CH_OK);
    char *p[50];
    for (int i = 0; i < 50; i++) p[i] = ch__pool_alloc(50);
    assert_int_equal(calls, 50);
    for (int i = 0; i < 50; i++) ch__pool_free(p[i]);
    assert_int_equal(calls, 100);
    assert_int_equal(ch_set_allocator(NULL, NULL), CH_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hook_sees_every_block),
        cmocka_unit_test(blocks_do_not_overlap),
        cmocka_unit_test(failures_are_those_of_allocations),
        cmocka_unit_test(one_makes_and_another_frees),
        cmocka_unit_test(blocks_outlive_their_thread),
        cmocka_unit_test(many_free_while_the_owner_ends),
        cmocka_unit_test(scopes_give_nothing_back_to_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
