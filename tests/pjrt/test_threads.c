// SPDX-License-Identifier: Apache-2.0
// test_threads.c - sessions from several threads: mixed calls, one compile for a text, closing while calls run.
//
// usage: test_threads; CHAAC_TEST_CALLS sets the calls of each thread (3,000).
#include "mock_host.h"

#include <sched.h>

#include "chaac/dlpack.h"

enum { THREADS = 8 };
static mock_host host;
static int calls = 3000;

static void run_threads(void *(*fn)(void *), void *args, size_t size) {
    pthread_t t[THREADS];
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&t[i], NULL, fn, (char *)args + i * size), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
}

// ---------------------------------------------------------------- mixed calls
typedef struct {
    int id, wrong;
    char why[300];
    ch_session *session, *second;
    ch_buffer *shared; // ones, used by all
} worker;

static bool bad(worker *w, const char *what) {
    if (w->wrong++ == 0) snprintf(w->why, sizeof w->why, "%s: %.250s", what, ch_error_message());
    return false;
}

static bool adds(worker *w, ch_session *s, int i) {
    float v[4] = {(float)w->id, (float)i, 2, 3}, back[4];
    ch_buffer *x = NULL, *y = NULL;
    bool good = ch_buffer_from_host(s, v, "f32[4]", &x) == CH_OK || bad(w, "from_host");
    good = good &&
           (ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, s == w->session ? w->shared : x}, 1, &y) == CH_OK ||
            bad(w, "run_text"));
    good = good && (ch_buffer_read(y, back, sizeof back) == CH_OK || bad(w, "read"));
    for (int k = 0; k < 4 && good; k++)
        if (back[k] != (s == w->session ? v[k] + 1 : 2 * v[k])) good = bad(w, "a wrong value");
    if (i % 3 == 0) ch_buffer_close(x);
    ch_buffer_release(x);
    ch_buffer_release(y);
    return good;
}

static bool steps(worker *w, int i) {
    float v[6] = {(float)i, 1, 2, 3, 4, 5}, g[6] = {1, 1, 1, 1, 1, (float)w->id}, back[6];
    ch_buffer *in[2] = {NULL, NULL}, *out[2] = {NULL, NULL};
    bool good = (ch_buffer_from_host(w->session, v, "f32[2,3]", &in[0]) == CH_OK &&
                 ch_buffer_from_host(w->session, g, "f32[2,3]", &in[1]) == CH_OK) ||
                bad(w, "from_host");
    good = good && (ch_session_run_text(w->session, STEP_TEXT, 2, in, 2, out) == CH_OK || bad(w, "step"));
    if (good && ch_buffer_is_open(in[0])) good = bad(w, "not donated");
    good = good && (ch_buffer_read(out[0], back, sizeof back) == CH_OK || bad(w, "read"));
    if (good && (back[0] != v[0] - 1 || back[5] != 5 - g[5])) good = bad(w, "a wrong value of a step");
    for (int k = 0; k < 2; k++) {
        ch_buffer_release(in[k]);
        ch_buffer_release(out[k]);
    }
    return good;
}

// A text of its own each time: compiled, run once.
static bool own_text(worker *w, int i) {
    char text[512];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n  %%c = stablehlo.constant dense<%d.0> : "
             "tensor<4xf32>\n  %%0 = stablehlo.add %%x, %%c : tensor<4xf32>\n  return %%0 : tensor<4xf32>\n}\n",
             i % 5);
    ch_buffer *y = NULL;
    float back[4];
    bool good = ch_session_run_text(w->session, text, 1, &w->shared, 1, &y) == CH_OK || bad(w, "own text");
    good = good && (ch_buffer_read(y, back, sizeof back) == CH_OK || bad(w, "read"));
    if (good && back[3] != 1 + (float)(i % 5)) good = bad(w, "a wrong value of a text");
    ch_buffer_release(y);
    return good;
}

static bool refused(worker *w) {
    ch_buffer *y = NULL, *x = NULL;
    if (ch_session_run_text(w->session, ADD_TEXT, 1, &w->shared, 1, &y) == CH_OK) return bad(w, "one argument");
    if (ch_session_run_text(w->session, "nonsense", 1, &w->shared, 1, &y) == CH_OK) return bad(w, "nonsense");
    if (ch_buffer_from_host(w->session, "", "f99[1]", &x) == CH_OK) return bad(w, "f99");
    return true;
}

static void *mixed(void *arg) {
    worker *w = arg;
    ch_session_memory_info m;
    ch_session_counters c;
    bool good = true;
    for (int i = 0; i < calls && good; i++) switch ((i + w->id) % 8) {
        case 0:
        case 1: good = adds(w, w->session, i); break;
        case 2: good = adds(w, w->second, i); break;
        case 3:
        case 4: good = steps(w, i); break;
        case 5: good = own_text(w, i); break;
        case 6: good = refused(w); break;
        default:
            if (ch_session_memory(w->session, &m) != CH_OK) good = bad(w, "memory");
            ch_session_count(w->session, &c);
        }
    ch_thread_end();
    return NULL;
}

static void mixed_calls(void **state) {
    (void)state;
    mock_host other = mock_host_load("name=second");
    worker w[THREADS];
    memset(w, 0, sizeof w);
    mock_host_reset(&host);
    ch_session *s = mock_host_open(&host), *second = mock_host_open(&other);
    ch_buffer *shared = NULL;
    assert_int_equal(ch_buffer_from_host(s, (float[]){1, 1, 1, 1}, "f32[4]", &shared), CH_OK);
    for (int i = 0; i < THREADS; i++) w[i] = (worker){.id = i, .session = s, .second = second, .shared = shared};
    run_threads(mixed, w, sizeof *w);
    for (int i = 0; i < THREADS; i++)
        if (w[i].wrong > 0) fail_msg("thread %d: %s", i, w[i].why);
    assert_int_equal(atomic_load(&host.state->of_slot[PJ_CLIENT_COMPILE]), 7); // of each text one
    ch_buffer_release(shared);
    ch_session_close(s);
    ch_session_close(second);
    mock_host_clean(&host, "mixed calls");
    mock_host_clean(&other, "mixed calls, the second plugin");
}

// ---------------------------------------------------------------- one compile
static void *compiles(void *arg) {
    worker *w = arg;
    if (ch_session_prepare_text(w->session, NULL, STEP_TEXT) != CH_OK) bad(w, "prepare");
    return NULL;
}

static void one_compile_for_one_text(void **state) {
    (void)state;
    worker w[THREADS];
    memset(w, 0, sizeof w);
    mock_host_reset(&host);
    atomic_store(&host.state->compile_us, 20000);
    ch_session *s = mock_host_open(&host);
    for (int i = 0; i < THREADS; i++) w[i].session = s;
    run_threads(compiles, w, sizeof *w);
    for (int i = 0; i < THREADS; i++) assert_int_equal(w[i].wrong, 0);
    assert_int_equal(atomic_load(&host.state->of_slot[PJ_CLIENT_COMPILE]), 1);
    ch_session_close(s);
    // Those who waited for a compile that fails have its error.
    mock_host_reset(&host);
    atomic_store(&host.state->compile_us, 20000);
    atomic_store(&host.state->fail_slot, PJ_CLIENT_COMPILE + 1);
    s = mock_host_open(&host);
    for (int i = 0; i < THREADS; i++) w[i].session = s;
    run_threads(compiles, w, sizeof *w);
    for (int i = 0; i < THREADS; i++) assert_non_null(strstr(w[i].why, "slot 20 fails"));
    mock_host_reset(&host);
    assert_int_equal(ch_session_prepare_text(s, NULL, STEP_TEXT), CH_OK); // and it is tried again
    ch_session_close(s);
    mock_host_clean(&host, "one compile");
}

// ---------------------------------------------------------------- closing
// Each thread has a buffer, which keeps the session's struct alive, and calls until it is told that it is closed.
static void *until_closed(void *arg) {
    worker *w = arg;
    for (int i = 0; i < 1000000; i++) {
        ch_buffer *y = NULL;
        float back[4];
        ch_status s = ch_session_run_text(w->session, ADD_TEXT, 2, (ch_buffer *[]){w->shared, w->shared}, 1, &y);
        if (s == CH_OK) s = ch_buffer_read(y, back, sizeof back);
        ch_buffer_release(y);
        if (s == CH_OK && back[0] != 2 * (float)w->id) bad(w, "a wrong value");
        if (s == CH_OK) continue;
        if (strstr(ch_error_message(), "closed") == NULL) bad(w, "another error than closed");
        break;
    }
    if (ch_buffer_is_open(w->shared)) bad(w, "a buffer is open");
    ch_buffer_release(w->shared);
    return NULL;
}

static void close_during_calls(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        worker w[THREADS];
        pthread_t t[THREADS];
        memset(w, 0, sizeof w);
        mock_host_reset(&host);
        atomic_store(&host.state->late_us, round % 2 * 100);
        ch_session *s = mock_host_open(&host);
        for (int i = 0; i < THREADS; i++) {
            w[i].id = i;
            w[i].session = s;
            float v[4] = {(float)i, 0, 0, 0};
            assert_int_equal(ch_buffer_from_host(s, v, "f32[4]", &w[i].shared), CH_OK);
        }
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&t[i], NULL, until_closed, &w[i]), 0);
        usleep((useconds_t)(500 * round));
        ch_session_close(s);
        for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
        for (int i = 0; i < THREADS; i++)
            if (w[i].wrong > 0) fail_msg("round %d, thread %d: %s", round, i, w[i].why);
        mock_host_clean(&host, "close during calls");
    }
}

// One buffer, donated by whoever comes first: one call has it, the others are told.
typedef struct {
    ch_session *session;
    ch_buffer *w, *g;
    atomic_int *had, *told;
} racer;

static void *donates(void *arg) {
    racer *r = arg;
    ch_buffer *out[2] = {NULL, NULL};
    ch_status s = ch_session_run_text(r->session, STEP_TEXT, 2, (ch_buffer *[]){r->w, r->g}, 2, out);
    if (s == CH_OK)
        atomic_fetch_add(r->had, 1);
    else if (strstr(ch_error_message(), "donat") != NULL || strstr(ch_error_message(), "in use") != NULL)
        atomic_fetch_add(r->told, 1);
    ch_buffer_release(out[0]);
    ch_buffer_release(out[1]);
    return NULL;
}

static void one_donation(void **state) {
    (void)state;
    mock_host_reset(&host);
    ch_session *s = mock_host_open(&host);
    for (int round = 0; round < 50; round++) {
        atomic_int had = 0, told = 0;
        racer r[THREADS];
        ch_buffer *w = NULL, *g = NULL;
        float v[6] = {0};
        assert_int_equal(ch_buffer_from_host(s, v, "f32[2,3]", &w), CH_OK);
        assert_int_equal(ch_buffer_from_host(s, v, "f32[2,3]", &g), CH_OK);
        for (int i = 0; i < THREADS; i++) r[i] = (racer){s, w, g, &had, &told};
        run_threads(donates, r, sizeof *r);
        assert_int_equal(atomic_load(&had), 1);
        assert_int_equal(atomic_load(&told), THREADS - 1);
        ch_buffer_release(w);
        ch_buffer_release(g);
    }
    ch_session_close(s);
    mock_host_clean(&host, "one donation");
}

// Closed, or released, while a run that would donate it waits for its turn: when that run fails before the plugin took
// it, the buffer is closed all the same.
typedef struct {
    ch_session *session;
    ch_buffer *w, *g;
    ch_status status;
} waiter;

static void *steps_once(void *arg) {
    waiter *w = arg;
    ch_buffer *out[2] = {NULL, NULL};
    w->status = ch_session_run_text(w->session, STEP_TEXT, 2, (ch_buffer *[]){w->w, w->g}, 2, out);
    ch_buffer_release(out[0]);
    ch_buffer_release(out[1]);
    ch_thread_end();
    return NULL;
}

static void closed_while_it_was_to_be_donated(void **state) {
    (void)state;
    for (int release = 0; release < 2; release++) {
        mock_host_reset(&host);
        ch_session *s = mock_host_open(&host);
        waiter w[2] = {{.session = s}, {.session = s}};
        pthread_t t[2];
        const float v[6] = {0};
        float back[6];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(ch_buffer_from_host(s, v, "f32[2,3]", &w[i].w), CH_OK);
            assert_int_equal(ch_buffer_from_host(s, v, "f32[2,3]", &w[i].g), CH_OK);
        }
        assert_int_equal(ch_session_prepare_text(s, NULL, STEP_TEXT), CH_OK);
        atomic_store(&host.state->late_us, 400000);
        for (int i = 0; i < 2; i++) { // the second waits for the first
            assert_int_equal(pthread_create(&t[i], NULL, steps_once, &w[i]), 0);
            while (ch_buffer_is_open(w[i].w)) sched_yield();
        }
        while (atomic_load(&host.state->of_slot[PJ_LOADED_EXECUTABLE_EXECUTE]) == 0) sched_yield();
        atomic_store(&host.state->execute_fails, 1);
        if (release)
            ch_buffer_release(w[1].w);
        else
            ch_buffer_close(w[1].w);
        for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
        assert_int_equal(w[0].status, CH_OK);
        assert_int_not_equal(w[1].status, CH_OK);
        if (!release) {
            assert_false(ch_buffer_is_open(w[1].w));
            assert_int_not_equal(ch_buffer_read(w[1].w, back, sizeof back), CH_OK);
            assert_string_equal(ch_error_id(), "buffer_closed");
            ch_buffer_release(w[1].w);
        }
        ch_buffer_release(w[0].w);
        for (int i = 0; i < 2; i++) ch_buffer_release(w[i].g);
        assert_int_equal(atomic_load(&host.state->live[MOCK_BUFFER]), 0);
        ch_session_close(s);
        mock_host_clean(&host, "closed while it was to be donated");
    }
}

// ---------------------------------------------------------------- buffers end while their session does
enum { OWNED = 16 };
typedef struct {
    ch_buffer *buffer[OWNED];
    struct DLManagedTensorVersioned *view[OWNED]; // NULL: none
    bool close;
} owner;

static void *releases(void *arg) {
    owner *o = arg;
    for (int i = 0; i < OWNED; i++) {
        if (o->close) ch_buffer_close(o->buffer[i]);
        if (o->view[i] != NULL && i % 3 == 0) o->view[i]->deleter(o->view[i]);
        ch_buffer_release(o->buffer[i]);
        if (o->view[i] != NULL && i % 3 != 0) o->view[i]->deleter(o->view[i]);
    }
    ch_thread_end();
    return NULL;
}

static void releases_while_the_session_closes(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        mock_host_reset(&host);
        ch_session *s = mock_host_open(&host);
        owner o[THREADS];
        pthread_t t[THREADS];
        const float v[4] = {0};
        for (int i = 0; i < THREADS; i++) {
            o[i].close = i % 2 == 0;
            for (int k = 0; k < OWNED; k++) {
                assert_int_equal(ch_buffer_from_host(s, v, "f32[4]", &o[i].buffer[k]), CH_OK);
                o[i].view[k] = NULL;
                if (k % 2 == i / 2 % 2) assert_int_equal(ch_buffer_dlpack_export(o[i].buffer[k], &o[i].view[k]), CH_OK);
            }
        }
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&t[i], NULL, releases, &o[i]), 0);
        ch_session_close(s);
        for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
        mock_host_clean(&host, "buffers released while their session closes");
    }
}

int main(void) {
    const char *n = getenv("CHAAC_TEST_CALLS");
    if (n != NULL && atoi(n) > 0) calls = atoi(n);
    mock_begin_tests();
    host = mock_host_load("name=threads");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_calls),
        cmocka_unit_test(one_compile_for_one_text),
        cmocka_unit_test(close_during_calls),
        cmocka_unit_test(one_donation),
        cmocka_unit_test(closed_while_it_was_to_be_donated),
        cmocka_unit_test(releases_while_the_session_closes),
    };
    int failed = cmocka_run_group_tests_name("pjrt threads", tests, NULL, NULL);
    ch_thread_end();
    return mock_end_tests() != 0 || failed;
}
