// SPDX-License-Identifier: Apache-2.0
// test_base_threads.c - threads.c: every index once, nesting, several callers, fork; log.c from several threads.
#include "base/base.h"

#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define CH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CH_TSAN 1
#endif
#endif

enum { N = 100003 };
typedef struct {
    int64_t n, grain;
    atomic_uchar *hits;
    atomic_int pieces, short_pieces;
} cover;

static void cover_piece(void *arg, int64_t begin, int64_t end) {
    cover *c = arg;
    c->pieces++;
    if (end - begin < (c->n < c->grain ? c->n : c->grain)) c->short_pieces++;
    for (int64_t i = begin; i < end; i++) atomic_fetch_add_explicit(&c->hits[i], 1, memory_order_relaxed);
}

static void cover_check(int64_t n, int64_t grain) {
    cover c = {.n = n, .grain = grain, .hits = calloc((size_t)n + 1, 1)};
    ch__parallel_for(n, grain, cover_piece, &c);
    for (int64_t i = 0; i < n; i++)
        if (c.hits[i] != 1) fail_msg("n %d grain %d: index %d ran %d times", (int)n, (int)grain, (int)i, c.hits[i]);
    assert_int_equal(c.hits[n], 0);
    assert_int_equal(c.short_pieces, 0);
    if (n == 0) assert_int_equal(c.pieces, 0);
    if (n > 0 && n <= grain) assert_int_equal(c.pieces, 1);
    assert_true(c.pieces <= 4 * ch__num_threads());
    free(c.hits);
}

static void every_index_once(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 100, 1000, N};
    static const int64_t grains[] = {1, 2, 7, 16, 1000, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof grains / sizeof *grains; k++) cover_check(sizes[i], grains[k]);
    ch__parallel_for(-5, 1, cover_piece, NULL);
    cover_check(3, 0);
    cover_check(3, -1);
}

// The pieces are the same in each run, and when another thread has the pool.
typedef struct {
    pthread_mutex_t lock;
    uint64_t sum;
    int n;
} shape;
static void shape_piece(void *arg, int64_t begin, int64_t end) {
    shape *s = arg;
    pthread_mutex_lock(&s->lock);
    s->sum += ch__hash_u64((uint64_t)begin << 20 | (uint64_t)end);
    s->n++;
    pthread_mutex_unlock(&s->lock);
}
static uint64_t shape_of(int64_t n, int64_t grain) {
    shape s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    ch__parallel_for(n, grain, shape_piece, &s);
    return s.sum + (uint64_t)s.n;
}
static void shape_inside(void *arg, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) ((uint64_t *)arg)[i] = shape_of(1000, 3);
}
static void pieces_do_not_depend_on_who_runs(void **state) {
    (void)state;
    uint64_t expected = shape_of(1000, 3), inside[64];
    for (int i = 0; i < 50; i++) assert_int_equal(shape_of(1000, 3), expected);
    ch__parallel_for(64, 1, shape_inside, inside);
    for (int i = 0; i < 64; i++) assert_int_equal(inside[i], expected);
}

static void nested_inner(void *arg, int64_t begin, int64_t end) { *(_Atomic int64_t *)arg += end - begin; }
static void nested_outer(void *arg, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) ch__parallel_for(100, 1, nested_inner, arg);
}
static void calls_nest(void **state) {
    (void)state;
    _Atomic int64_t total = 0;
    ch__parallel_for(200, 1, nested_outer, &total);
    assert_int_equal(total, 200 * 100);
}

static void *caller(void *arg) {
    int64_t wrong = 0;
    for (int i = 0; i < 300; i++) {
        _Atomic int64_t total = 0;
        ch__parallel_for(1000 + i, 10, nested_inner, &total);
        wrong += total != 1000 + i;
    }
    *(int64_t *)arg = wrong;
    return NULL;
}
static void many_callers_at_once(void **state) {
    (void)state;
    pthread_t t[6];
    int64_t wrong[6];
    for (int i = 0; i < 6; i++) assert_int_equal(pthread_create(&t[i], NULL, caller, &wrong[i]), 0);
    for (int i = 0; i < 6; i++) {
        pthread_join(t[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

// Two pieces that each wait for the other finish only when two threads run at once.
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t met;
    int here;
    bool late;
} meeting;
static void meet(void *arg, int64_t begin, int64_t end) {
    (void)begin, (void)end;
    meeting *m = arg;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&m->lock);
    m->here++;
    pthread_cond_broadcast(&m->met);
    while (m->here < 2 && !m->late) m->late = pthread_cond_timedwait(&m->met, &m->lock, &until) != 0;
    pthread_mutex_unlock(&m->lock);
}
static void workers_work_at_the_same_time(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER, .met = PTHREAD_COND_INITIALIZER};
        ch__parallel_for(2, 1, meet, &m);
        assert_false(m.late);
    }
}

static void workers_start_again_after_shutdown(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        cover_check(1000, 1);
        ch__threads_shutdown();
    }
    ch__threads_shutdown();
    cover_check(1000, 1);
}

static void a_forked_child_has_a_pool(void **state) {
    (void)state;
#if defined(CH_TSAN)
    CH_SKIP("ThreadSanitizer allows no new threads in a forked child");
#endif
    cover_check(1000, 1); // workers run here
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER, .met = PTHREAD_COND_INITIALIZER};
            ch__parallel_for(2, 1, meet, &m);
            _Atomic int64_t total = 0;
            ch__parallel_for(5000, 1, nested_inner, &total);
            ch__threads_shutdown();
            _exit(total == 5000 && !m.late ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    cover_check(1000, 1);
}

static atomic_int notices, wrong_notices;
static void on_notice(void *user, int level, const char *message) {
    notices++;
    if (user != &notices || level != 1 || strncmp(message, "piece ", 6) != 0) wrong_notices++;
}
static void log_piece(void *arg, int64_t begin, int64_t end) {
    (void)arg;
    for (int64_t i = begin; i < end; i++) ch__log(1, "piece %d", (int)i);
}
static void notices_from_many_threads(void **state) {
    (void)state;
    ch__log(2, "nobody listens");
    ch_set_log(on_notice, &notices);
    ch__parallel_for(1000, 1, log_piece, NULL);
    ch_set_log(NULL, NULL);
    ch__log(2, "nobody listens");
    assert_int_equal(notices, 1000);
    assert_int_equal(wrong_notices, 0);
}

static int shutdown_pool(void **state) {
    (void)state;
    ch__threads_shutdown();
    return 0;
}

int main(void) {
    setenv("CHAAC_NUM_THREADS", "5", 1);
    if (ch__num_threads() != 5) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_once),
        cmocka_unit_test(pieces_do_not_depend_on_who_runs),
        cmocka_unit_test(calls_nest),
        cmocka_unit_test(many_callers_at_once),
        cmocka_unit_test(workers_work_at_the_same_time),
        cmocka_unit_test(workers_start_again_after_shutdown),
        cmocka_unit_test(a_forked_child_has_a_pool),
        cmocka_unit_test(notices_from_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, shutdown_pool);
}
