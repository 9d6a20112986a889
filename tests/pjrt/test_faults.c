// SPDX-License-Identifier: Apache-2.0
// test_faults.c - sessions when something fails: the n-th call of the plugin, the n-th event, the n-th allocation.
//
// One scenario goes through the whole of sessions from open to close; it runs once undisturbed, then once for every n.
// A run either does not mind or fails with the plugin's sentence; afterwards no handle of the plugin, no device memory
// and no allocation of ours is alive.
#include "mock_host.h"

#include "base/base.h"

static mock_host host;
static ch_func *square;
static _Alignas(64) float aligned[16] = {1, 2, 3, 4};

#define STEP(expr)                                                                                                     \
    do {                                                                                                               \
        if (s == CH_OK) s = (expr);                                                                                    \
    } while (0)

static void not_needed(void *user, void *data) {
    (void)data;
    ++*(int *)user;
}

static ch_status run_tensors(ch_session *session) {
    ch_tensor *out[1] = {NULL};
    ch_scope scope = ch_scope_begin();
    ch_tensor *x = ch_from_f32(aligned, 1, (int64_t[]){4});
    ch_status s = ch_check(x);
    STEP(ch_session_run(session, square, 1, &x, 1, out));
    float v[4];
    STEP(ch_read_f32(out[0], v, 4));
    if (s == CH_OK) assert_true(v[0] == 1 && v[3] == 16);
    ch_release(out[0]);
    if (scope.token != 0) assert_int_equal(ch_scope_end(scope), CH_OK);
    return s;
}

static ch_status train_steps(ch_session *session) {
    float w[6] = {6, 5, 4, 3, 2, 1}, g[6] = {1, 1, 1, 1, 1, 1}, back[6];
    ch_buffer *in[2] = {NULL, NULL}, *out[2] = {NULL, NULL};
    ch_status s = ch_buffer_from_host(session, w, "f32[2,3]", &in[0]);
    STEP(ch_buffer_from_host(session, g, "f32[2,3]", &in[1]));
    for (int i = 0; i < 2 && s == CH_OK; i++) {
        STEP(ch_session_run_text(session, STEP_TEXT, 2, in, 2, out));
        if (s != CH_OK) break;
        assert_false(ch_buffer_is_open(in[0]));
        ch_buffer_release(in[0]);
        ch_buffer_release(out[1]);
        in[0] = out[0];
        out[0] = out[1] = NULL;
    }
    STEP(ch_buffer_read(in[0], back, sizeof back));
    if (s == CH_OK) assert_true(back[0] == 4 && back[5] == -1);
    ch_buffer_release(in[0]);
    ch_buffer_close(in[1]);
    ch_buffer_release(in[1]);
    return s;
}

static ch_status whole(int *released) {
    ch_session *session = NULL;
    ch_buffer *x = NULL, *y[2] = {NULL, NULL}, *left = NULL;
    ch_session_memory_info memory;
    ch_program_info info;
    char *bytes = NULL;
    size_t n;
    ch_session_options o = {.struct_size = sizeof o, .plugin = host.path, .device_count = 2};
    ch_status s = ch_session_open(&o, &session);
    STEP(ch_buffer_alias_host(session, aligned, "f32[4]", not_needed, released, &x));
    if (s != CH_OK && session != NULL && x == NULL) *released = *released == 0 ? 1 : *released;
    STEP(ch_session_run_text(session, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, y));
    STEP(ch_session_run_buffers(session, square, 1, (ch_buffer *[]){x}, 1, y + 1));
    float v[4];
    STEP(ch_buffer_read(y[0], v, sizeof v));
    STEP(ch_buffer_from_host_on(session, 1, v, "f32[4]", &left));
    STEP(run_tensors(session));
    STEP(train_steps(session));
    STEP(ch_session_memory(session, &memory));
    STEP(ch_session_program_info(session, STEP_TEXT, &info));
    STEP(ch_session_optimized(session, STEP_TEXT, &bytes, &n));
    ch_string_free(bytes);
    ch_buffer_release(x);
    ch_buffer_release(y[0]);
    ch_session_close(session);
    ch_buffer_release(y[1]); // after the session
    ch_buffer_release(left);
    ch_thread_end();
    return s;
}

static void parse_square(void) {
    const char *text = "chaac-ir 1\nfunc @square(%x: f32[n]) -> f32[n] {\n  %y = mul %x, %x : f32[n]\n  return %y\n}\n";
    if (ch_func_parse(text, "square.ir", &square) != CH_OK) abort();
}

static void undisturbed(void **state) {
    (void)state;
    int released = 0;
    mock_host_reset(&host);
    if (whole(&released) != CH_OK) fail_msg("%s", ch_error_message());
    assert_int_equal(released, 1);
    mock_host_clean(&host, "undisturbed");
    assert_true(atomic_load(&host.state->made[MOCK_EVENT]) > 0);
    assert_true(atomic_load(&host.state->made[MOCK_BUFFER]) > 0);
}

// countdown is fail_at or fail_event_at.
static void every(atomic_llong *countdown, const char *what, int late) {
    int failed = 0, n = 1;
    for (; n < 5000; n++) {
        char after[64];
        int released = 0;
        int64_t live = ch__alloc_live();
        mock_host_reset(&host);
        atomic_store(&host.state->late_us, late);
        atomic_store(countdown, n);
        ch_status s = whole(&released);
        bool came = atomic_load(countdown) == 0;
        atomic_store(countdown, 0);
        snprintf(after, sizeof after, "%s %d", what, n);
        mock_host_clean(&host, after);
        if (ch__alloc_live() != live)
            fail_msg("%s: %d allocations are left (%s)", after, (int)(ch__alloc_live() - live), ch_error_message());
        if (!came) break;
        if (s == CH_OK) continue;
        failed++;
        if (strstr(ch_error_message(), "njected") == NULL) fail_msg("%s: %s", after, ch_error_message());
    }
    if (n == 5000) fail_msg("%s: more than 5000", what);
    print_message("# %s: %d points, %d of them end the run\n", what, n - 1, failed);
    assert_true(failed > 0);
}

static void every_call_fails(void **state) {
    (void)state;
    every(&host.state->fail_at, "call", 0);
}

static void every_event_fails(void **state) {
    (void)state;
    every(&host.state->fail_event_at, "event", 0);
}

static void every_call_fails_late(void **state) {
    (void)state;
    every(&host.state->fail_at, "late call", 200);
}

static void every_event_fails_late(void **state) {
    (void)state;
    every(&host.state->fail_event_at, "late event", 200);
}

static void every_allocation_fails(void **state) {
    (void)state;
    mock_host_reset(&host);
    int released = 0, failed = 0, n = 1;
    int64_t live = ch__alloc_live();
    for (; n < 20000; n++) {
        int64_t before = ch__alloc_count();
        ch__alloc_fail_at(n, false);
        ch_status s = whole(&released);
        ch__alloc_fail_at(0, false);
        char after[64];
        snprintf(after, sizeof after, "allocation %d", n);
        mock_host_clean(&host, after);
        if (ch__alloc_live() != live) fail_msg("%s: %d are left", after, (int)(ch__alloc_live() - live));
        if (s != CH_OK) {
            failed++;
            if (s != CH_RESOURCE_EXHAUSTED) fail_msg("%s: status %d: %s", after, (int)s, ch_error_message());
        }
        if (ch__alloc_count() - before < n) break;
    }
    print_message("# allocations: %d, %d of them end the run\n", n - 1, failed);
    assert_true(n < 20000 && failed > 0);
}

int main(void) {
    mock_begin_tests();
    host = mock_host_load("name=faults");
    parse_square();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undisturbed),
        cmocka_unit_test(every_call_fails),
        cmocka_unit_test(every_event_fails),
        cmocka_unit_test(every_call_fails_late),
        cmocka_unit_test(every_event_fails_late),
        cmocka_unit_test(every_allocation_fails),
    };
    int failed = cmocka_run_group_tests_name("pjrt faults", tests, NULL, NULL);
    ch_func_destroy(square);
    ch_thread_end();
    return mock_end_tests() != 0 || failed;
}
