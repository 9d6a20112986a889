// SPDX-License-Identifier: Apache-2.0
// test_mock.c - sessions over the mock plugin: older plugins, missing slots, late completion, errors that only events
// tell, donation, layouts, memory, what crosses.
#include "mock_host.h"

#include "base/base.h"
#include "chaac/dlpack.h"

static mock_host host;

static int reset(void **state) {
    (void)state;
    mock_host_reset(&host);
    return 0;
}

static int clean(void **state) {
    (void)state;
    mock_host_clean(&host, "at the end");
    return 0;
}

static ch_buffer *put(ch_session *s, const char *type, const float *v) {
    ch_buffer *b = NULL;
    if (ch_buffer_from_host(s, v, type, &b) != CH_OK) fail_msg("%s", ch_error_message());
    return b;
}

static void expect(ch_buffer *b, const float *want, size_t n) {
    float v[16];
    if (ch_buffer_read(b, v, n * sizeof *v) != CH_OK) fail_msg("%s", ch_error_message());
    for (size_t i = 0; i < n; i++) assert_true(v[i] == want[i]);
}

static void add_runs(ch_session *s) {
    ch_buffer *x = put(s, "f32[4]", (float[]){1, 2, 3, 4}), *y = NULL;
    if (ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &y) != CH_OK) fail_msg("%s", ch_error_message());
    expect(y, (float[]){2, 4, 6, 8}, 4);
    ch_buffer_release(x);
    ch_buffer_release(y);
}

// ---------------------------------------------------------------- what plugins are
static void older_plugins(void **state) {
    (void)state;
    static const int minors[] = {68, 81, 90, 104, 116};
    for (size_t i = 0; i < sizeof minors / sizeof *minors; i++) {
        char config[64];
        int major, minor;
        snprintf(config, sizeof config, "minor=%d name=older", minors[i]);
        mock_host old = mock_host_load(config);
        ch_session *s = mock_host_open(&old);
        ch_plugin_version(ch_session_plugin(s), &major, &minor);
        assert_int_equal(major, 0);
        assert_int_equal(minor, minors[i]);
        add_runs(s);
        ch_session_memory_info memory;
        assert_int_equal(ch_session_memory(s, &memory), CH_OK);
        ch_program_info info;
        assert_int_equal(ch_session_program_info(s, STEP_TEXT, &info), CH_OK);
        assert_int_equal(info.alias_bytes, 24);
        assert_int_equal(info.peak_bytes, minors[i] < 81 ? -1 : 72);
        ch_session_close(s);
        mock_host_clean(&old, config);
    }
}

static void too_old(void **state) {
    (void)state;
    char path[128];
    ch_plugin *p = NULL;
    mock_host_copy("minor=56", path);
    assert_int_not_equal(ch_plugin_load(path, &p), CH_OK);
    assert_non_null(strstr(ch_error_message(), "0.56"));
    assert_null(p);
}

static void no_tables(void **state) {
    (void)state;
    static const struct {
        const char *config, *says;
    } rows[] = {{"no-table", "gives nothing"}, {"short-table", "has 16 bytes — no table is that short"}};
    for (int i = 0; i < 2; i++) {
        char path[128];
        ch_plugin *p = NULL;
        mock_host_copy(rows[i].config, path);
        assert_int_not_equal(ch_plugin_load(path, &p), CH_OK);
        assert_string_equal(ch_error_id(), "plugin");
        assert_non_null(strstr(ch_error_message(), rows[i].says));
        assert_non_null(strstr(ch_error_message(), path));
        assert_null(p);
    }
}

// What a session cannot do without is refused with the slot's name; the rest is done without.
static void missing_slots(void **state) {
    (void)state;
    static const struct {
        int slot;
        const char *name; // NULL: nothing is missed
    } rows[] = {
        {PJ_PLUGIN_ATTRIBUTES, NULL},
        {PJ_DEVICE_MEMORY_STATS, NULL},
        {PJ_EXECUTABLE_SERIALIZE, NULL},
        {PJ_EXECUTABLE_DESERIALIZE_AND_LOAD, NULL},
        {PJ_BUFFER_OPAQUE_DEVICE_MEMORY_DATA_POINTER, NULL},
        {PJ_BUFFER_GET_MEMORY_LAYOUT, NULL},
        {PJ_EXECUTABLE_GET_COMPILED_MEMORY_STATS, NULL},
        {PJ_CLIENT_COMPILE, "PJRT_Client_Compile"},
        {PJ_LOADED_EXECUTABLE_EXECUTE, "PJRT_LoadedExecutable_Execute"},
        {PJ_CLIENT_BUFFER_FROM_HOST_BUFFER, "PJRT_Client_BufferFromHostBuffer"},
        {PJ_CLIENT_CREATE, "PJRT_Client_Create"},
        {PJ_EVENT_AWAIT, "PJRT_Event_Await"},
        {PJ_BUFFER_DESTROY, "PJRT_Buffer_Destroy"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char config[64], path[128];
        snprintf(config, sizeof config, "missing=%d name=slots", rows[i].slot);
        mock_host_copy(config, path);
        ch_session *s = NULL;
        ch_session_options o = {.struct_size = sizeof o, .plugin = path};
        ch_status status = ch_session_open(&o, &s);
        ch_buffer *x = NULL, *y = NULL;
        if (status == CH_OK) status = ch_buffer_from_host(s, (float[]){1, 2, 3, 4}, "f32[4]", &x);
        if (status == CH_OK) status = ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &y);
        if (rows[i].name == NULL) {
            if (status != CH_OK) fail_msg("slot %d: %s", rows[i].slot, ch_error_message());
            expect(y, (float[]){2, 4, 6, 8}, 4);
            ch_session_memory_info memory;
            assert_int_equal(ch_session_memory(s, &memory), CH_OK);
            if (rows[i].slot == PJ_DEVICE_MEMORY_STATS) assert_int_equal(memory.bytes_in_use, -1);
        } else {
            if (status == CH_OK) fail_msg("slot %d is not missed", rows[i].slot);
            if (strstr(ch_error_message(), rows[i].name) == NULL)
                fail_msg("slot %d: %s", rows[i].slot, ch_error_message());
        }
        ch_buffer_release(x);
        ch_buffer_release(y);
        ch_session_close(s);
    }
}

// Device ids that begin at 100, a kind of 300 letters.
static void strange_devices(void **state) {
    (void)state;
    mock_host strange = mock_host_load("strange name=strange");
    ch_session *s = mock_host_open(&strange);
    assert_true(strlen(ch_session_device(s)) > 10);
    add_runs(s);
    ch_session_close(s);
    mock_host_clean(&strange, "strange");
}

// ---------------------------------------------------------------- when things complete
static void late_completion(void **state) {
    (void)state;
    atomic_store(&host.state->late_us, 3000);
    ch_session *s = mock_host_open(&host);
    ch_buffer *x, *y[2];
    for (int i = 0; i < 4; i++) {
        float v[4] = {1, 2, 3, 4};
        x = put(s, "f32[4]", v);
        memset(v, 0, sizeof v); // the device has the data
        assert_int_equal(ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, y), CH_OK);
        expect(y[0], (float[]){2, 4, 6, 8}, 4);
        ch_buffer_release(x);
        ch_buffer_release(y[0]);
        ch_buffer *w = put(s, "f32[2,3]", (float[]){6, 5, 4, 3, 2, 1}),
                  *g = put(s, "f32[2,3]", (float[]){1, 1, 1, 1, 1, 2});
        assert_int_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, y), CH_OK);
        expect(y[1], (float[]){1, 1, 1, 1, 1, 4}, 6);
        expect(y[0], (float[]){5, 4, 3, 2, 1, -1}, 6);
        ch_buffer_release(w);
        ch_buffer_release(g);
        ch_buffer_release(y[0]);
        ch_buffer_release(y[1]);
    }
    ch_session_close(s);
}

// Execute says ok and the program fails: the run's status, no buffers, and what was donated is gone.
static void errors_only_in_events(void **state) {
    (void)state;
    ch_session *s = mock_host_open(&host);
    ch_buffer *w = put(s, "f32[2,3]", (float[6]){1}), *g = put(s, "f32[2,3]", (float[6]){1}), *out[2] = {NULL, NULL};
    assert_int_equal(ch_session_prepare_text(s, NULL, STEP_TEXT), CH_OK);
    for (int late = 0; late < 2; late++) {
        atomic_store(&host.state->run_fails, 1);
        atomic_store(&host.state->late_us, late * 1000);
        ch_buffer *x = put(s, "f32[4]", (float[4]){1});
        assert_int_not_equal(ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, out), CH_OK);
        assert_non_null(strstr(ch_error_message(), "the program fails while it runs"));
        assert_null(out[0]);
        assert_true(ch_buffer_is_open(x)); // nothing of it was donated
        ch_buffer_release(x);
    }
    assert_int_not_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out), CH_OK);
    assert_null(out[0]);
    assert_null(out[1]);
    assert_false(ch_buffer_is_open(w));
    assert_true(ch_buffer_is_open(g));
    atomic_store(&host.state->run_fails, 0);
    assert_int_not_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out), CH_OK);
    assert_non_null(strstr(ch_error_message(), "buffer used after donation"));
    ch_buffer_release(w);
    ch_buffer_release(g);
    ch_session_close(s);
}

// An Execute that fails before anything leaves the inputs; one that consumed them first is believed too.
static void state_after_an_error_is_asked_for(void **state) {
    (void)state;
    ch_session *s = mock_host_open(&host);
    for (int mode = 1; mode <= 2; mode++) {
        ch_buffer *w = put(s, "f32[2,3]", (float[6]){1}), *g = put(s, "f32[2,3]", (float[6]){1}),
                  *out[2] = {NULL, NULL};
        atomic_store(&host.state->execute_fails, mode);
        assert_int_not_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out), CH_OK);
        assert_non_null(strstr(ch_error_message(), "Execute fails"));
        atomic_store(&host.state->execute_fails, 0);
        assert_int_equal(ch_buffer_is_open(w), mode == 1);
        assert_true(ch_buffer_is_open(g));
        assert_int_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out) == CH_OK, mode == 1);
        ch_buffer_release(w);
        ch_buffer_release(g);
        ch_buffer_release(out[0]);
        ch_buffer_release(out[1]);
    }
    ch_session_close(s);
}

// ---------------------------------------------------------------- donation and what crosses
static void donation_is_by_the_text_and_only_there(void **state) {
    (void)state;
    ch_session *s = mock_host_open(&host);
    ch_buffer *w = put(s, "f32[2,3]", (float[6]){1}), *g = put(s, "f32[2,3]", (float[6]){1}), *out[2] = {NULL, NULL};
    ch_session_call keep = {.struct_size = sizeof keep, .n_keep = 1, .keep = (int64_t[]){0}};
    assert_int_equal(ch_session_run_text_with(s, &keep, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out), CH_OK);
    assert_true(ch_buffer_is_open(w));
    ch_buffer_release(out[0]);
    ch_buffer_release(out[1]);
    assert_int_not_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, w}, 2, out), CH_OK);
    assert_true(ch_buffer_is_open(w)); // refused before the plugin saw it
    long long before = atomic_load(&host.state->bytes_live);
    assert_int_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out), CH_OK);
    assert_int_equal(atomic_load(&host.state->bytes_live), before + 24); // the second result; the first has w's memory
    ch_buffer *again[2] = {NULL, NULL};
    assert_int_not_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, again), CH_OK);
    assert_non_null(strstr(ch_error_message(), "buffer used after donation: parameter 'w1' of 'step'"));
    ch_buffer_release(w);
    ch_buffer_release(g);
    ch_buffer_release(out[0]);
    ch_buffer_release(out[1]);
    ch_session_close(s);
}

// The plugin's own counts of bytes, beside the session's.
static void what_crosses(void **state) {
    (void)state;
    ch_session *s = mock_host_open(&host);
    ch_session_counters c;
    ch_buffer *x = put(s, "f32[4]", (float[4]){1}), *y = NULL;
    assert_int_equal(atomic_load(&host.state->bytes_up), 16);
    assert_int_equal(ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &y), CH_OK);
    assert_int_equal(atomic_load(&host.state->bytes_up), 16);
    assert_int_equal(atomic_load(&host.state->bytes_down), 0);
    expect(y, (float[]){2, 0, 0, 0}, 4);
    ch_session_count(s, &c);
    assert_int_equal(c.bytes_up, 16);
    assert_int_equal(c.bytes_down, 16);
    assert_int_equal(c.compiles, 1);
    assert_int_equal(c.runs, 1);
    assert_int_equal(c.buffers, 2);
    assert_int_equal(atomic_load(&host.state->of_slot[PJ_CLIENT_COMPILE]), 1);
    ch_buffer_release(x);
    ch_buffer_release(y);
    ch_session_close(s);
}

// Host memory is used in place and given back once, also when the session is closed first.
static void aliased_memory_is_given_back(void **state) {
    (void)state;
    static _Alignas(64) float v[4] = {1, 2, 3, 4};
    for (int order = 0; order < 2; order++) {
        ch_session *s = mock_host_open(&host);
        ch_buffer *x = NULL, *y = NULL;
        mock_host_reset(&host);
        assert_int_equal(ch_buffer_alias_host(s, v, "f32[4]", NULL, NULL, &x), CH_OK);
        assert_int_equal(atomic_load(&host.state->bytes_up), 0);
        assert_int_equal(ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &y), CH_OK);
        expect(y, (float[]){2, 4, 6, 8}, 4);
        if (order == 0) ch_buffer_release(x);
        ch_buffer_release(y);
        ch_session_close(s);
        if (order == 1) {
            assert_false(ch_buffer_is_open(x));
            ch_buffer_release(x);
        }
    }
    ch_session *s = mock_host_open(&host);
    ch_buffer *x = NULL;
    assert_int_not_equal(ch_buffer_alias_host(s, v + 1, "f32[2]", NULL, NULL, &x), CH_OK); // not at 64 bytes
    assert_null(x);
    ch_session_close(s);
}

// Results that lie column after column are read row after row, and used as they are.
static void other_layouts(void **state) {
    (void)state;
    ch_session *s = mock_host_open(&host);
    atomic_store(&host.state->transposed, 1);
    ch_buffer *w = put(s, "f32[2,3]", (float[]){7, 6, 5, 4, 3, 2}),
              *g = put(s, "f32[2,3]", (float[]){1, 2, 3, 4, 5, 6});
    ch_buffer *out[2] = {NULL, NULL}, *next[2] = {NULL, NULL};
    assert_int_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out), CH_OK);
    expect(out[1], (float[]){1, 4, 9, 16, 25, 36}, 6);
    assert_int_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){out[0], g}, 2, next), CH_OK);
    expect(next[0], (float[]){5, 2, -1, -4, -7, -10}, 6);
    struct DLManagedTensorVersioned *lent = NULL;
    assert_int_equal(ch_buffer_dlpack_export(next[0], &lent), CH_UNIMPLEMENTED);
    assert_string_equal(ch_error_message(), "buffer export: its layout is not row-major — read it");
    assert_int_equal(ch_buffer_dlpack_export(NULL, &lent), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "buffer export: the buffer is NULL");
    assert_int_equal(ch_buffer_dlpack_export(next[0], NULL), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(), "buffer export: out_managed is NULL");
    assert_null(lent);
    ch_buffer *all[] = {w, g, out[0], out[1], next[0], next[1]};
    for (int i = 0; i < 6; i++) ch_buffer_release(all[i]);
    ch_session_close(s);
}

static void memory_of_the_device(void **state) {
    (void)state;
    ch_session *s = mock_host_open(&host);
    ch_session_memory_info m;
    ch_buffer *x = put(s, "f32[2,3]", (float[6]){1}), *y = NULL;
    atomic_store(&host.state->memory_limit, 100);
    assert_int_equal(ch_session_memory(s, &m), CH_OK);
    assert_int_equal(m.bytes_in_use, 24);
    assert_int_equal(m.limit_bytes, 100);
    assert_true(m.peak_bytes >= 24);
    float many[32] = {0};
    assert_int_equal(ch_buffer_from_host(s, many, "f32[32]", &y), CH_RESOURCE_EXHAUSTED);
    assert_null(y);
    atomic_store(&host.state->no_statistics, 1);
    assert_int_equal(ch_session_memory(s, &m), CH_OK);
    assert_int_equal(m.bytes_in_use, -1);
    assert_int_equal(m.peak_bytes, -1);
    ch_buffer_release(x);
    ch_session_close(s);
}

// What a plugin says of programs and arrays is compared with what the text says.
static void other_numbers_than_the_text(void **state) {
    (void)state;
    ch_session *s = mock_host_open(&host);
    atomic_store(&host.state->more_outputs, 1);
    assert_int_equal(ch_session_prepare_text(s, NULL, STEP_TEXT), CH_INTERNAL);
    assert_string_equal(ch_error_message(), "compile: the plugin gives 'step' 3 results — its text has 2");
    atomic_store(&host.state->more_outputs, 0);
    atomic_store(&host.state->transposed, 1); // so that it is transferred
    ch_buffer *w = put(s, "f32[2,3]", (float[6]){1}), *g = put(s, "f32[2,3]", (float[6]){1}), *out[2] = {NULL, NULL};
    float v[6];
    assert_int_equal(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out), CH_OK);
    atomic_store(&host.state->more_bytes, 4);
    assert_int_equal(ch_buffer_read(out[0], v, sizeof v), CH_INTERNAL);
    assert_string_equal(ch_error_message(), "buffer read: the device holds 28 bytes — 24 were expected");
    atomic_store(&host.state->more_bytes, 0);
    assert_int_equal(ch_buffer_read(out[0], v, sizeof v), CH_OK);
    ch_buffer *all[] = {w, g, out[0], out[1]};
    for (int i = 0; i < 4; i++) ch_buffer_release(all[i]);
    ch_session_close(s);
}

// A view keeps its memory and the client when the session closes, in every order of ends; nothing else does.
static void views_outlive_sessions(void **state) {
    (void)state;
    for (int order = 0; order < 6; order++) {
        ch_session *s = mock_host_open(&host);
        ch_buffer *x[3];
        struct DLManagedTensorVersioned *view[2] = {NULL, NULL};
        for (int i = 0; i < 3; i++) x[i] = put(s, "f32[4]", (float[]){1, 2, 3, (float)i});
        for (int i = 0; i < 2; i++) assert_int_equal(ch_buffer_dlpack_export(x[i], &view[i]), CH_OK);
        if (order & 1) ch_buffer_close(x[0]);
        if (order >= 4) ch_buffer_release(x[0]);
        ch_session_close(s);
        assert_int_equal(atomic_load(&host.state->live[MOCK_CLIENT]), 1);
        assert_int_equal(atomic_load(&host.state->live[MOCK_BUFFER]), 2);
        for (int i = 0; i < 2; i++) assert_true(((const float *)view[i]->dl_tensor.data)[3] == (float)i);
        if (order & 2) ch_buffer_release(x[1]);
        for (int i = 0; i < 2; i++) view[i]->deleter(view[i]);
        assert_int_equal(atomic_load(&host.state->live[MOCK_CLIENT]), 0);
        if (order < 4) ch_buffer_release(x[0]);
        if (!(order & 2)) ch_buffer_release(x[1]);
        ch_buffer_release(x[2]);
        mock_host_clean(&host, "after the views");
    }
}

// Which known program is nearest to each, and what of it differs.
#define EXPLAINED(head, x, type, value, op, tail)                                                                      \
    head "func.func @main(" x ": tensor<" type ">) -> tensor<" type "> {\n  %c = stablehlo.constant dense<" value      \
         "> : tensor<" type ">\n  %0 = stablehlo." op " " x ", %c : tensor<" type ">\n  return %0 : tensor<" type      \
         ">\n}\n" tail

static void explained(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {EXPLAINED("", "%x", "4xf32", "1.0", "add", ""), NULL},
        {EXPLAINED("", "%x", "4xf32", "2.0", "add", ""),
         "nearest: 1 'main' — constant differs\n    %c = stablehlo.constant dense<2"},
        {EXPLAINED("", "%x", "5xf32", "2.0", "add", ""),
         "nearest: 2 'main' — shape differs\n    func.func @main(%x: tensor<5xf32>)"},
        {EXPLAINED("", "%x", "5xf64", "2.0", "add", ""), "nearest: 3 'main' — dtype differs"},
        {EXPLAINED("", "%x", "5xf64", "2.0", "multiply", ""),
         "nearest: 4 'main' — operation differs\n    %0 = stablehlo.multiply"},
        {EXPLAINED("", "%x", "2x5xf64", "2.0", "multiply", ""), "nearest: 5 'main' — shape differs"},
        {EXPLAINED("", "%x", "f32", "2.0", "multiply", ""), "nearest: 6 'main' — shape and dtype differs"},
        {EXPLAINED("", "%other", "f32", "2.0", "multiply", ""), "nearest: 7 'main' — attribute differs"},
        {EXPLAINED("module @a {\n", "%x", "f32", "2.0", "multiply", "}\n"),
         "nearest: 7 'main' — the module's name differs"},
        {EXPLAINED("module @b {\n", "%x", "f32", "2.0", "multiply", "}\n"),
         "nearest: 9 'a' — the module's name differs"},
        {"func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n",
         "the number of params differs"},
        {"func.func @main(%x: tensor<f32> {tf.aliasing_output = 0 : i32}, %y: tensor<f32>) -> tensor<f32> {\n"
         "  return %x : tensor<f32>\n}\n",
         "nearest: 11 'main' — donation differs"},
        {"func.func @main(%x: tensor<2x3xf32>) -> tensor<f32> {\n  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> "
         "tensor<6xf32>\n  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  return %c : tensor<f32>\n}\n",
         "nearest: 10 'b' — shape differs"},
        {"func.func @main(%x: tensor<2x3xf32>) -> tensor<f32> {\n  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> "
         "tensor<1x6xf32>\n  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  return %c : tensor<f32>\n}\n",
         "nearest: 13 'main' — shape differs\n    %0 = stablehlo.reshape"},
    };
    enum { N = sizeof rows / sizeof *rows };
    ch_session *s = mock_host_open(&host);
    ch_session_call call = {
        .struct_size = sizeof call, .n_flags = 1, .flags = (const char *[]){"xla_backend_optimization_level=0"}};
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    for (int i = 0; i < N; i++)
        if (ch_session_prepare_text(s, NULL, rows[i].text) != CH_OK) fail_msg("%d: %s", i, ch_error_message());
    assert_int_equal(ch_session_prepare_text(s, &call, rows[0].text), CH_OK);
    assert_int_equal(ch_session_explain(s, file), CH_OK);
    fclose(file);
    char *at = text;
    for (int i = 0; i < N; i++) { // each says it of its own
        char next[16];
        snprintf(next, sizeof next, "\n%d '", i + 2);
        char *end = strstr(at, next);
        assert_non_null(end);
        *end = '\0';
        if (rows[i].says != NULL && strstr(at, rows[i].says) == NULL) fail_msg("%d: %s", i, at);
        at = end + 1;
    }
    assert_non_null(strstr(at, "nearest: 1 'main' — the options differ"));
    free(text);
    file = fopen("/dev/full", "w");
    setvbuf(file, NULL, _IONBF, 0);
    assert_int_not_equal(ch_session_explain(s, file), CH_OK);
    assert_string_equal(ch_error_message(), "session explain: the text could not be written");
    fclose(file);
    ch_session_close(s);
}

// A session that was closed and is kept by a buffer refuses every call by its own name.
static void closed_sessions(void **state) {
    (void)state;
    static const char *const who[] = {"session run",     "session prepare", "session run",      "session run",
                                      "session prepare", "session text",    "session program",  "session optimized",
                                      "session memory",  "session explain", "buffer from host", "buffer from host"};
    static _Alignas(64) float v[4] = {1, 2, 3, 4};
    ch_session *s = mock_host_open(&host);
    ch_buffer *x = put(s, "f32[4]", v), *y = NULL;
    ch_func *f = NULL;
    ch_program_info info;
    ch_session_memory_info memory;
    char *text = NULL, says[100];
    size_t n = 0;
    FILE *file = tmpfile();
    ch_tensor *t = ch_from_f32(v, 1, (int64_t[]){4}), *r = NULL;
    assert_int_equal(ch_func_parse("chaac-ir 1\nfunc @f(%x: f32[4]) -> f32[4] {\n  return %x\n}\n", "f", &f), CH_OK);
    ch_session_close(s);
    for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
        ch_status st = CH_OK;
        switch (i) {
        case 0: st = ch_session_run_text(s, ADD_TEXT, 0, NULL, 0, NULL); break;
        case 1: st = ch_session_prepare_text(s, NULL, ADD_TEXT); break;
        case 2: st = ch_session_run_buffers(s, f, 1, &x, 1, &y); break;
        case 3: st = ch_session_run(s, f, 1, &t, 1, &r); break;
        case 4: st = ch_session_prepare(s, NULL, f, 0, NULL, NULL); break;
        case 5: st = ch_session_text(s, f, NULL, &text); break;
        case 6: st = ch_session_program_info(s, ADD_TEXT, &info); break;
        case 7: st = ch_session_optimized(s, ADD_TEXT, &text, &n); break;
        case 8: st = ch_session_memory(s, &memory); break;
        case 9: st = ch_session_explain(s, file); break;
        case 10: st = ch_buffer_from_host(s, v, "f32[4]", &y); break;
        default: st = ch_buffer_alias_host(s, v, "f32[4]", NULL, NULL, &y); break;
        }
        snprintf(says, sizeof says, "%s: the session was closed — open a new one", who[i]);
        assert_int_equal(st, CH_FAILED_PRECONDITION);
        assert_string_equal(ch_error_message(), says);
        assert_string_equal(ch_error_id(), "session_closed");
    }
    assert_null(y);
    assert_null(r);
    assert_null(text);
    fclose(file);
    ch_func_destroy(f);
    ch_buffer_release(x);
}

// ---------------------------------------------------------------- several
static void two_sessions_and_two_plugins(void **state) {
    (void)state;
    mock_host other = mock_host_load("name=other");
    ch_session *a = mock_host_open(&host), *b = mock_host_open(&host), *c = mock_host_open(&other);
    assert_ptr_equal(ch_session_plugin(a), ch_session_plugin(b));
    assert_ptr_not_equal(ch_session_plugin(a), ch_session_plugin(c));
    ch_session *all[3] = {a, b, c};
    for (int i = 0; i < 3; i++) add_runs(all[i]);
    ch_buffer *x = put(a, "f32[4]", (float[4]){1}), *y = put(b, "f32[4]", (float[4]){1}), *out = NULL;
    for (int i = 1; i < 3; i++) { // a's buffer in another session
        assert_int_not_equal(ch_session_run_text(all[i], ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &out), CH_OK);
        assert_non_null(strstr(ch_error_message(), "session"));
        assert_null(out);
    }
    ch_session_close(a);
    assert_false(ch_buffer_is_open(x));
    assert_true(ch_buffer_is_open(y));
    add_runs(b);
    ch_buffer_release(x);
    ch_buffer_release(y);
    ch_session_close(c);
    ch_session_close(b);
    mock_host_clean(&other, "the other plugin");
}

static void several_devices(void **state) {
    (void)state;
    ch_session *s = NULL;
    ch_session_options o = {.struct_size = sizeof o, .plugin = host.path, .device_count = 3};
    assert_int_equal(ch_session_open(&o, &s), CH_OK);
    assert_int_equal(ch_session_device_count(s), 3);
    assert_non_null(strstr(host.state->create_options, "cpu_device_count=3"));
    ch_session_call call = {.struct_size = sizeof call, .n_replicas = 2};
    ch_buffer *in[4] = {NULL}, *out[2] = {NULL, NULL}, *lost = NULL;
    for (int i = 0; i < 4; i++)
        assert_int_equal(ch_buffer_from_host_on(s, i / 2, (float[]){(float)i, 1, 1, 1}, "f32[4]", &in[i]), CH_OK);
    if (ch_session_run_text_with(s, &call, ADD_TEXT, 4, in, 2, out) != CH_OK) fail_msg("%s", ch_error_message());
    expect(out[0], (float[]){1, 2, 2, 2}, 4);
    expect(out[1], (float[]){5, 2, 2, 2}, 4);
    assert_int_equal(ch_buffer_device(out[1]), 1);
    assert_int_not_equal(ch_buffer_from_host_on(s, 3, (float[4]){0}, "f32[4]", &lost), CH_OK);
    for (int i = 0; i < 4; i++) ch_buffer_release(in[i]);
    ch_buffer_release(out[0]);
    ch_buffer_release(out[1]);
    ch_func *f = NULL; // replicas of a func, given the tensors of one
    ch_tensor *t = ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2}), *r = NULL;
    assert_int_equal(ch_func_parse("chaac-ir 1\nfunc @sums(%x: f32[2]) -> f32[2] {\n"
                                   "  %y = all_reduce %x {kind = sum, replicas = [[0,1]]} : f32[2]\n  return %y\n}\n",
                                   "sums", &f),
                     CH_OK);
    assert_int_equal(ch_session_run(s, f, 1, &t, 1, &r), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_message(),
                        "session run: 'sums' runs on 2 devices — ch_session_run_devices takes tensors");
    assert_null(r);
    ch_func_destroy(f);
    ch_session_close(s);
}

// A GPU's client never takes its plugin's defaults.
static void memory_options_of_cuda(void **state) {
    (void)state;
    mock_host cuda = mock_host_load("platform=cuda devices=1 name=cuda");
    ch_session *s = NULL;
    ch_session_options o = {.struct_size = sizeof o, .plugin = cuda.path, .target = CH_CUDA};
    assert_int_equal(ch_session_open(&o, &s), CH_OK);
    assert_non_null(strstr(cuda.state->create_options, "memory_fraction=0.50"));
    assert_non_null(strstr(cuda.state->create_options, "preallocate=false"));
    add_runs(s);
    ch_session_close(s);
    o.memory_fraction = 0.25;
    o.preallocate = "true";
    assert_int_equal(ch_session_open(&o, &s), CH_OK);
    assert_non_null(strstr(cuda.state->create_options, "memory_fraction=0.25"));
    assert_non_null(strstr(cuda.state->create_options, "preallocate=true"));
    ch_session_close(s);
    static const double bad[] = {-0.5, 1.5, 1e300};
    for (int i = 0; i < 3; i++) {
        o.memory_fraction = bad[i];
        s = NULL;
        assert_int_not_equal(ch_session_open(&o, &s), CH_OK);
        assert_null(s);
    }
    o.memory_fraction = 0.5;
    o.preallocate = "perhaps";
    assert_int_not_equal(ch_session_open(&o, &s), CH_OK);
    assert_non_null(strstr(ch_error_message(), "perhaps"));
    mock_host_clean(&cuda, "cuda");
}

static char notices[4000];
static void listen(void *user, int level, const char *text) {
    (void)user, (void)level;
    size_t n = strlen(notices);
    snprintf(notices + n, sizeof notices - n, "%s\n", text);
}

// A device without f64 says that it computes it in f32: asked, and with the first program that has some.
static void f64_in_f32(void **state) {
    (void)state;
    static const char *const text = "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n  return %x : tensor<f64>\n}\n";
    mock_host metal = mock_host_load("platform=metal devices=1 name=metal");
    ch_session *s = NULL, *cpu = mock_host_open(&host);
    ch_session_options o = {.struct_size = sizeof o, .plugin = metal.path, .target = CH_METAL};
    if (ch_session_open(&o, &s) != CH_OK) fail_msg("%s", ch_error_message());
    ch_session *wrong = NULL;
    o.target = CH_CPU;
    char says[300];
    snprintf(says, sizeof says, "session open: %s is a plugin for metal, the target is cpu — name one that is for it",
             metal.path);
    assert_int_not_equal(ch_session_open(&o, &wrong), CH_OK);
    assert_string_equal(ch_error_message(), says);
    assert_null(wrong);
    assert_int_equal(ch_session_computes_in(s, CH_F64), CH_F32);
    assert_int_equal(ch_session_computes_in(s, CH_F32), CH_F32);
    assert_int_equal(ch_session_computes_in(s, CH_I64), CH_I64);
    assert_int_equal(ch_session_computes_in(cpu, CH_F64), CH_F64);
    ch_set_log(listen, NULL);
    add_runs(s);
    assert_int_equal(ch_session_prepare_text(cpu, NULL, text), CH_OK);
    assert_null(strstr(notices, "f64"));
    assert_int_equal(ch_session_prepare_text(s, NULL, text), CH_OK);
    char *said = strstr(notices, "f64 is computed in f32 on metal");
    assert_non_null(said);
    notices[0] = '\0';
    ch_session_call call = {
        .struct_size = sizeof call, .n_flags = 1, .flags = (const char *[]){"xla_backend_optimization_level=0"}};
    assert_int_equal(ch_session_prepare_text(s, &call, text), CH_OK);
    assert_null(strstr(notices, "f64")); // once
    ch_set_log(NULL, NULL);
    ch_session_close(s);
    ch_session_close(cpu);
    mock_host_clean(&metal, "metal");
}

int main(void) {
    mock_begin_tests();
    host = mock_host_load("name=host");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_plugins),
        cmocka_unit_test(too_old),
        cmocka_unit_test(no_tables),
        cmocka_unit_test(missing_slots),
        cmocka_unit_test(strange_devices),
        cmocka_unit_test_setup_teardown(late_completion, reset, clean),
        cmocka_unit_test_setup_teardown(errors_only_in_events, reset, clean),
        cmocka_unit_test_setup_teardown(state_after_an_error_is_asked_for, reset, clean),
        cmocka_unit_test_setup_teardown(donation_is_by_the_text_and_only_there, reset, clean),
        cmocka_unit_test_setup_teardown(what_crosses, reset, clean),
        cmocka_unit_test_setup_teardown(aliased_memory_is_given_back, reset, clean),
        cmocka_unit_test_setup_teardown(other_layouts, reset, clean),
        cmocka_unit_test_setup_teardown(memory_of_the_device, reset, clean),
        cmocka_unit_test_setup_teardown(other_numbers_than_the_text, reset, clean),
        cmocka_unit_test_setup_teardown(closed_sessions, reset, clean),
        cmocka_unit_test_setup_teardown(explained, reset, clean),
        cmocka_unit_test_setup_teardown(views_outlive_sessions, reset, clean),
        cmocka_unit_test_setup_teardown(two_sessions_and_two_plugins, reset, clean),
        cmocka_unit_test_setup_teardown(several_devices, reset, clean),
        cmocka_unit_test(memory_options_of_cuda),
        cmocka_unit_test(f64_in_f32),
    };
    int failed = cmocka_run_group_tests_name("pjrt mock", tests, NULL, NULL);
    ch_thread_end();
    return mock_end_tests() != 0 || failed;
}
