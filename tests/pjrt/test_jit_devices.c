// SPDX-License-Identifier: Apache-2.0
// test_jit_devices.c - cases 11 and 51 of docs/jit.md, which want a second device: PLUGIN... TAP.
//
// Tensors are host memory and have no device; what lies on one is a buffer of a session. So there are two sides:
//
//   11  a replay takes inputs that lie in buffers of whichever device (by DLPack, without a copy): same types, same
//       values. A program of a device refuses a buffer of another one, and both devices are named; a session a buffer
//       of another session.
//   51  a function that moves values through two devices reads them on the host. The first call, which runs as it
//       stands, gives them; the one that records is refused by name. What is moved between calls is right.
//
// And a jit whose program runs on a device (the engine pjrt) replays to the same values.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "chaac/chaac.h"
#include "chaac/dlpack.h"

static ch_session *two, *other; // two devices; one

static bool has(ch_tensor *t, float a, float b) {
    float v[2] = {0};
    return ch_read_f32(t, v, 2) == CH_OK && v[0] == a && v[1] == b;
}

static ch_buffer *on(ch_session *s, int device, float a, float b) {
    const float v[2] = {a, b};
    ch_buffer *x = NULL;
    if (ch_buffer_from_host_on(s, device, v, "f32[2]", &x) != CH_OK) {
        ok(false, "a buffer");
        exit(1);
    }
    return x;
}

// The buffer's memory as a tensor, the caller's.
static ch_tensor *seen(ch_buffer *b) {
    struct DLManagedTensorVersioned *m = NULL;
    ch_tensor *t = NULL;
    return ch_buffer_dlpack_export(b, &m) == CH_OK && ch_dlpack_import(m, &t) == CH_OK ? t : NULL;
}

static int runs;

static ch_status twice(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                       ch_tensor **out) {
    (void)user, (void)n_in, (void)n_vars, (void)vars, (void)n_out;
    runs++;
    out[0] = ch_add(in[0], in[0]);
    return CH_OK;
}

static bool gives(ch_jit *j, ch_tensor *x, float a, float b) {
    ch_tensor *out[1] = {NULL};
    bool good = x != NULL && ch_jit_call(j, 1, &x, 0, NULL, out) == CH_OK && has(out[0], a, b);
    ch_release(out[0]);
    return good;
}

static void inputs_of_two_devices(void) {
    ch_jit *j = ch_jit_create("twice", twice, NULL, 1);
    ch_buffer *b[3] = {on(two, 0, 1, 2), on(two, 1, 3, 4), on(other, 0, 5, 6)};
    ch_tensor *x[3] = {seen(b[0]), seen(b[1]), seen(b[2])};
    runs = 0;
    ok(ch_buffer_device(b[0]) == 0 && ch_buffer_device(b[1]) == 1, "buffers on two devices");
    ok(gives(j, x[0], 2, 4) && gives(j, x[0], 2, 4) && ch_jit_captured(j) && runs == 2, "11: recorded over the first");
    ok(gives(j, x[1], 6, 8) && gives(j, x[2], 10, 12) && runs == 2, "11: replayed over the others");
    ch_jit_destroy(j);
    for (int i = 0; i < 3; i++) {
        ch_release(x[i]);
        ch_buffer_release(b[i]);
    }
}

static const char add_text[] = "module @sum {\n  func.func public @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> "
                               "tensor<2xf32> {\n    %0 = stablehlo.add %x, %y : tensor<2xf32>\n"
                               "    return %0 : tensor<2xf32>\n  }\n}\n";

static void buffers_of_two_devices(void) {
    ch_buffer *b[3] = {on(two, 0, 1, 2), on(two, 1, 3, 4), on(other, 0, 5, 6)}, *y = NULL;
    ch_buffer *mixed[2] = {b[0], b[1]}, *foreign[2] = {b[0], b[2]}, *same[2] = {b[0], b[0]};
    ok(ch_session_run_text(two, add_text, 2, mixed, 1, &y) == CH_INVALID_ARGUMENT &&
           strstr(ch_error_message(), "parameter 'y' of 'sum' is on device 1 — it runs on device 0") != NULL,
       "11: a buffer of the second device is refused, both are named");
    ok(ch_session_run_text(two, add_text, 2, foreign, 1, &y) != CH_OK &&
           strstr(ch_error_message(), "is of another session") != NULL,
       "11: a buffer of another session is refused");
    float v[2] = {0};
    ok(ch_session_run_text(two, add_text, 2, same, 1, &y) == CH_OK && ch_buffer_read(y, v, sizeof v) == CH_OK &&
           v[0] == 2 && v[1] == 4,
       "11: and nothing is lost");
    ch_buffer_release(y);
    for (int i = 0; i < 3; i++) ch_buffer_release(b[i]);
}

// x to the first device, from there to the second, and back; then twice that.
static ch_status through_devices(void *user, int n_in, ch_tensor *const *in, int n_vars, const ch_bind *vars, int n_out,
                                 ch_tensor **out) {
    (void)user, (void)n_in, (void)n_vars, (void)vars, (void)n_out;
    float v[2] = {0};
    runs++;
    CH_TRY(ch_read_f32(in[0], v, 2));
    for (int device = 0; device < 2; device++) {
        ch_buffer *b = NULL;
        CH_TRY(ch_buffer_from_host_on(two, device, v, "f32[2]", &b));
        ch_status s = ch_buffer_read(b, v, sizeof v);
        ch_buffer_release(b);
        CH_TRY(s);
    }
    ch_tensor *x = ch_from_f32(v, 1, (int64_t[]){2});
    out[0] = ch_add(x, x);
    return CH_OK;
}

static void copies_inside(void) {
    ch_jit *j = ch_jit_create("through", through_devices, NULL, 1);
    ch_tensor *x = ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2}), *out[1] = {NULL};
    ch_session_counters before, after;
    ch_session_count(two, &before);
    ok(gives(j, x, 2, 4), "51: the first call runs as it stands");
    ch_session_count(two, &after);
    ok(after.bytes_up - before.bytes_up == 16 && after.bytes_down - before.bytes_down == 16, "51: two copies each way");
    ok(ch_jit_call(j, 1, &x, 0, NULL, out) != CH_OK && strcmp(ch_error_id(), "jit_read_in_capture") == 0 &&
           !ch_jit_captured(j),
       "51: the call that records is refused by name");
    ch_jit_destroy(j);
}

static void copies_between(void) {
    ch_jit *j = ch_jit_create("twice", twice, NULL, 1);
    float v[2] = {1, 2};
    bool good = true;
    runs = 0;
    for (int i = 0; good && i < 6; i++) { // from device to device by the host, a replay between
        ch_buffer *b = on(two, i % 2, v[0], v[1]);
        ch_tensor *x = seen(b);
        good = gives(j, x, 2 * v[0], 2 * v[1]);
        ch_release(x);
        ch_buffer_release(b);
        v[0] *= 2, v[1] *= 2;
    }
    ok(good && runs == 2, "51: values that go from device to device between replays");
    ch_jit_destroy(j);
}

static void program_on_a_device(void) {
    ch_jit *j = ch_jit_create("twice", twice, NULL, 1);
    ch_tensor *x = ch_from_f32((float[]){1, 2}, 1, (int64_t[]){2}),
              *y = ch_from_f32((float[]){3, 4}, 1, (int64_t[]){2});
    runs = 0;
    ok(ch_jit_set_engine(j, "pjrt") == CH_OK && gives(j, x, 2, 4) && gives(j, x, 2, 4) && gives(j, y, 6, 8) &&
           runs == 2,
       "a program on the engine pjrt is replayed");
    ch_jit_destroy(j);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const ch_session_options o = {.struct_size = sizeof o, .plugin = argv[i], .device_count = 2};
        const ch_session_options one = {.struct_size = sizeof one, .plugin = argv[i]};
        printf("# %s\n", strrchr(argv[i], '/') + 1);
        if (i == 1) setenv("CHAAC_PJRT_PLUGIN_PATH", argv[i], 1); // of the engine's session
        if (ch_session_open(&o, &two) != CH_OK || ch_session_open(&one, &other) != CH_OK) {
            ok(false, "sessions");
            continue;
        }
        ch_scope scope = ch_scope_begin();
        inputs_of_two_devices();
        buffers_of_two_devices();
        copies_inside();
        copies_between();
        program_on_a_device();
        if (ch_scope_end(scope) != CH_OK) abort();
        ch_session_close(two);
        ch_session_close(other);
    }
    printf("1..%d\n", case_number);
    ch_thread_end();
    return failures != 0;
}
