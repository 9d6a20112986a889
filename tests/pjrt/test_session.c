// SPDX-License-Identifier: Apache-2.0
// test_session.c - sessions, buffers and runs by any plugin: what crosses, what is donated, what is refused.
//
// $CHAAC_PJRT_PLUGIN_PATH names the plugin: the mock, or a real one (session.sh, device.sh), $CHAAC_PJRT_TARGET its
// device. Counts are asserted, never times.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "chaac/chaac.h"
#include "chaac/dlpack.h"
#include "target.h"

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        if ((x) != CH_OK) fail_msg("%s: %s", #x, ch_error_message());                                                  \
    } while (0)
#define REFUSED(x, id, sentence)                                                                                       \
    do {                                                                                                               \
        assert_int_not_equal(x, CH_OK);                                                                                \
        assert_string_equal(ch_error_id(), id);                                                                        \
        assert_string_equal(ch_error_message(), sentence);                                                             \
    } while (0)

#define ONLY_ON_HOST(what)                                                                                             \
    if (!target_on_host()) {                                                                                           \
        printf("# skip: %s\n", what);                                                                                  \
        skip();                                                                                                        \
    }

static const char step_text[] =
    "module @step {\n"
    "  func.func public @main(%w1: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<4xf32>) -> "
    "(tensor<4xf32>, tensor<f32>) {\n"
    "    %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
    "    %0 = stablehlo.subtract %w1, %g : tensor<4xf32>\n"
    "    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, "
    "tensor<f32>) -> tensor<f32>\n"
    "    return %0, %1 : tensor<4xf32>, tensor<f32>\n  }\n}\n";
static const char add_text[] =
    "module @sum {\n  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n}\n";
static const char f_text[] = "chaac-ir 1\nfunc @f(%x: f32[batch:n,3], %y: f32[3,2]) -> f32[batch:n,2] {\n"
                             "  %z = dot %x, %y {contract = [1]x[0]} : f32[batch:n,2]\n  return %z\n}\n";

static const float v1[4] = {1, 2, 3, 4}, v2[4] = {10, 20, 30, 40};

static ch_session *open_session(void) {
    ch_session *s = NULL;
    OK(ch_session_open(NULL, &s));
    return s;
}

static ch_buffer *up(ch_session *s, const float *v) {
    ch_buffer *b = NULL;
    OK(ch_buffer_from_host(s, v, "f32[4]", &b));
    return b;
}

static ch_session_counters count(ch_session *s) {
    ch_session_counters c;
    ch_session_count(s, &c);
    return c;
}

static void assert_f32(ch_buffer *b, float a, float z) {
    float out[4];
    OK(ch_buffer_read(b, out, sizeof out));
    assert_true(out[0] == a && out[3] == z);
}

// ---------------------------------------------------------------- what crosses
static void assert_moved(ch_session *s, ch_session_counters *before, int64_t up_bytes, int64_t down_bytes) {
    ch_session_counters now = count(s);
    assert_int_equal(now.bytes_up - before->bytes_up, up_bytes);
    assert_int_equal(now.bytes_down - before->bytes_down, down_bytes);
    *before = now;
}

static void test_crossing(void **state) {
    (void)state;
    ch_session *s = open_session();
    ch_session_counters c = count(s);
    ch_func *f = NULL;
    OK(ch_func_parse(f_text, "f", &f));
    ch_tensor *in[2] = {ch_ones(CH_F32, 2, (int64_t[]){5, 3}), ch_ones(CH_F32, 2, (int64_t[]){3, 2})}, *out[1] = {NULL};
    OK(ch_session_run(s, f, 2, in, 1, out)); // inputs up, outputs down
    assert_moved(s, &c, 60 + 24, 40);
    ch_release(out[0]);
    ch_buffer *x = NULL, *y = NULL, *z = NULL;
    float ones[15];
    for (int i = 0; i < 15; i++) ones[i] = 1;
    OK(ch_buffer_from_host(s, ones, "f32[5,3]", &x));
    assert_moved(s, &c, 60, 0);
    OK(ch_buffer_from_host(s, ones, "f32[3,2]", &y));
    assert_moved(s, &c, 24, 0);
    OK(ch_session_run_buffers(s, f, 2, (ch_buffer *[]){x, y}, 1, &z)); // nothing, and nothing is donated
    assert_moved(s, &c, 0, 0);
    assert_true(ch_buffer_is_open(x) && ch_buffer_is_open(y));
    OK(ch_session_prepare(s, NULL, f, 1, (const char *[]){"n"}, (int64_t[]){7}));
    assert_moved(s, &c, 0, 0);
    assert_int_equal(c.compiles, 2);
    float got[10];
    OK(ch_buffer_read(z, got, sizeof got));
    assert_moved(s, &c, 0, 40);
    assert_true(got[0] == 3 && got[9] == 3);
    ch_buffer *a = up(s, v1), *b = up(s, v2), *r[2] = {NULL, NULL};
    c = count(s);
    OK(ch_session_run_text(s, step_text, 2, (ch_buffer *[]){a, b}, 2, r));
    assert_moved(s, &c, 0, 0);
    assert_false(ch_buffer_is_open(a)); // what the text aliases
    assert_true(ch_buffer_is_open(b));
    float loss;
    OK(ch_buffer_read(r[1], &loss, sizeof loss));
    assert_moved(s, &c, 0, 4);
    assert_true(loss == -90);
    ch_buffer *all[] = {x, y, z, a, b, r[0], r[1]};
    for (int i = 0; i < 7; i++) ch_buffer_release(all[i]);
    assert_int_equal(count(s).buffers, 0);
    ch_func_destroy(f);
    ch_session_close(s);
    ch_thread_end();
}

// The rows of memory that is lent, of the engine, and of what a call's aliases donate.
static void test_crossing_others(void **state) {
    (void)state;
    ch_session *s = NULL;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    float *mine = aligned_alloc(64, 64), got[10];
    ch_buffer *x = NULL, *y = NULL, *z = NULL;
    for (int i = 0; i < 15; i++) mine[i] = 1;
    OK(ch_session_share(&s));
    OK(ch_func_parse(f_text, "f", &f));
    ch_session_counters c = count(s);
    OK(ch_buffer_alias_host(s, mine, "f32[5,3]", NULL, NULL, &x)); // counts as moved
    assert_moved(s, &c, 60, 0);
    OK(ch_buffer_from_host_on(s, 0, mine, "f32[3,2]", &y));
    assert_moved(s, &c, 24, 0);
    ch_session_call call = {.struct_size = sizeof call, .aliases = (int[]){-1, -1}};
    OK(ch_session_run_buffers_with(s, &call, f, 2, (ch_buffer *[]){x, y}, 1, &z));
    assert_moved(s, &c, 0, 0);
    assert_true(ch_buffer_is_open(x) && ch_buffer_is_open(y));
    OK(ch_session_prepare_text(s, NULL, add_text));
    ch_program_info info;
    char *text = NULL;
    OK(ch_session_program_info(s, add_text, &info));
    OK(ch_session_text(s, f,
                       &(ch_hlo_options){.struct_size = sizeof(ch_hlo_options),
                                         .n_sizes = 1,
                                         .size_names = (const char *[]){"n"},
                                         .size_values = (int64_t[]){2}},
                       &text));
    ch_string_free(text);
    assert_moved(s, &c, 0, 0);
    OK(ch_buffer_read(z, got, sizeof got));
    assert_moved(s, &c, 0, 40);
    OK(ch_compile(f, "pjrt", NULL, &e));
    assert_moved(s, &c, 0, 0);
    ch_tensor *in[2] = {ch_ones(CH_F32, 2, (int64_t[]){5, 3}), ch_ones(CH_F32, 2, (int64_t[]){3, 2})}, *out[1] = {NULL};
    for (int i = 0; i < 2; i++) { // inputs up, outputs down, each time
        OK(ch_exec_run(e, 2, in, 1, out));
        assert_moved(s, &c, 60 + 24, 40);
    }
    ch_tensor *wrong[2] = {in[1], in[0]}; // what is refused moves nothing
    assert_int_not_equal(ch_exec_run(e, 2, wrong, 1, out), CH_OK);
    assert_moved(s, &c, 0, 0);
    ch_release(out[0]);
    ch_exec_release(e);
    ch_buffer_release(x);
    ch_buffer_release(y);
    ch_buffer_release(z);
    ch_func_destroy(f);
    ch_session_unshare(s);
    free(mine);
    ch_thread_end();
}

static void test_engine(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_exec *e = NULL;
    OK(ch_func_parse(f_text, "f", &f));
    OK(ch_compile(f, "pjrt", NULL, &e));
    for (int64_t n = 1; n < 4; n++) {
        ch_tensor *in[2] = {ch_ones(CH_F32, 2, (int64_t[]){n, 3}), ch_ones(CH_F32, 2, (int64_t[]){3, 2})};
        ch_tensor *out[1] = {NULL};
        OK(ch_exec_run(e, 2, in, 1, out));
        float got[8];
        OK(ch_read_f32(out[0], got, 2 * n));
        assert_true(got[0] == 3 && got[2 * n - 1] == 3);
        OK(ch_exec_run(e, 2, in, 1, out)); // into what is given
        ch_release(out[0]);
    }
    ch_tensor *bad[2] = {ch_ones(CH_F32, 2, (int64_t[]){2, 4}), ch_ones(CH_F32, 2, (int64_t[]){3, 2})},
              *none[1] = {NULL};
    assert_int_not_equal(ch_exec_run(e, 2, bad, 1, none), CH_OK);
    assert_string_equal(ch_error_id(), "shape_mismatch");
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_thread_end();
}

static void test_run_once(void **state) {
    (void)state;
    ch_func *f = NULL;
    OK(ch_func_parse(f_text, "f", &f));
    ch_tensor *in[2] = {ch_ones(CH_F32, 2, (int64_t[]){1, 3}), ch_ones(CH_F32, 2, (int64_t[]){3, 2})}, *out[1] = {NULL};
    OK(ch_run_once(NULL, f, 2, in, 1, out));
    float got[2];
    OK(ch_read_f32(out[0], got, 2));
    assert_true(got[1] == 3);
    ch_release(out[0]);
    out[0] = NULL;
    ch_tensor *bad[2] = {in[0], in[0]};
    assert_int_not_equal(ch_run_once(NULL, f, 2, bad, 1, out), CH_OK);
    assert_null(out[0]);
    ch_func_destroy(f);
    ch_thread_end();
}

// Every dtype in one call, up, through and down.
static void test_dtypes(void **state) {
    (void)state;
    static const char *const names[] = {"i1",   "i8",  "i16",  "i32", "i64", "ui8",      "ui16",  "ui32",
                                        "ui64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"};
    static const char *const ours[] = {"bool", "i8",  "i16",  "i32", "i64", "u8",     "u16",   "u32",
                                       "u64",  "f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2"};
    enum { N = 15 };
    char text[4000] = "func.func @main(";
    for (int i = 0; i < N; i++)
        snprintf(text + strlen(text), 100, "%s%%a%d: tensor<2x3x%s>", i > 0 ? ", " : "", i, names[i]);
    strcat(text, ") -> (");
    for (int i = 0; i < N; i++) snprintf(text + strlen(text), 100, "%stensor<2x3x%s>", i > 0 ? ", " : "", names[i]);
    strcat(text, ") {\n  return ");
    for (int i = 0; i < N; i++) snprintf(text + strlen(text), 100, "%s%%a%d", i > 0 ? ", " : "", i);
    strcat(text, " : ");
    for (int i = 0; i < N; i++) snprintf(text + strlen(text), 100, "%stensor<2x3x%s>", i > 0 ? ", " : "", names[i]);
    strcat(text, "\n}\n");
    ch_session *s = open_session();
    ch_buffer *in[N], *out[N];
    unsigned char data[48], back[48];
    for (int i = 0; i < N; i++) {
        char type[32], said[32];
        snprintf(type, sizeof type, "%s[2,3]", ours[i]);
        for (int k = 0; k < 48; k++) data[k] = (unsigned char)(i == 0 ? k % 2 : k * 7 + i);
        OK(ch_buffer_from_host(s, data, type, &in[i]));
        ch_buffer_type(in[i], said, sizeof said);
        assert_string_equal(said, type);
    }
    OK(ch_session_run_text(s, text, N, in, N, out));
    for (int i = 0; i < N; i++) {
        size_t n = ch_buffer_bytes(out[i]);
        for (int k = 0; k < 48; k++) data[k] = (unsigned char)(i == 0 ? k % 2 : k * 7 + i);
        assert_int_equal(n, 6 * ch_dtype_size(ch_buffer_dtype(out[i])));
        OK(ch_buffer_read(out[i], back, n));
        assert_memory_equal(back, data, n);
        ch_buffer_release(in[i]);
        ch_buffer_release(out[i]);
    }
    ch_session_close(s);
}

// ---------------------------------------------------------------- donation
static void test_donation(void **state) {
    (void)state;
    ch_session *s = open_session();
    ch_buffer *a = up(s, v1), *b = up(s, v2), *r[2] = {NULL, NULL};
    OK(ch_session_run_text(s, step_text, 2, (ch_buffer *[]){a, b}, 2, r));
    assert_f32(r[0], -9, -36);
    REFUSED(ch_session_run_text(s, step_text, 2, (ch_buffer *[]){a, b}, 2, r), "buffer_donated",
            "session run: buffer used after donation: parameter 'w1' of 'step'");
    float out[4];
    REFUSED(ch_buffer_read(a, out, sizeof out), "buffer_donated",
            "buffer read: buffer used after donation: parameter 'w1' of 'step'");
    REFUSED(ch_session_run_text(s, step_text, 2, (ch_buffer *[]){b, b}, 2, r), "argument",
            "session run: parameter 'w1' of 'step' is donated and its buffer is given again as 'g' — donate what is "
            "given once");
    assert_true(ch_buffer_is_open(b));
    ch_buffer *kept[2] = {NULL, NULL};
    ch_session_call call = {.struct_size = sizeof call, .n_keep = 1, .keep = (int64_t[]){0}};
    OK(ch_session_run_text_with(s, &call, step_text, 2, (ch_buffer *[]){r[0], b}, 2, kept));
    assert_true(ch_buffer_is_open(r[0]));
    assert_f32(r[0], -9, -36);
    assert_f32(kept[0], -19, -76);
    ch_buffer *all[] = {a, b, r[0], r[1], kept[0], kept[1]};
    for (int i = 0; i < 6; i++) ch_buffer_release(all[i]);
    ch_session_close(s);
    OK(ch_session_open(&(ch_session_options){.struct_size = sizeof(ch_session_options), .no_donation = 1}, &s));
    a = up(s, v1), b = up(s, v2);
    OK(ch_session_run_text(s, step_text, 2, (ch_buffer *[]){a, b}, 2, r));
    assert_f32(a, 1, 4);
    ch_buffer *more[] = {a, b, r[0], r[1]};
    for (int i = 0; i < 4; i++) ch_buffer_release(more[i]);
    ch_session_close(s);
}

// A func's params that a call aliases are donated; the others, and those of other calls, are not.
static const char two_ir[] = "chaac-ir 1\nfunc @step(%w: f32[n], %g: f32[n]) -> (f32[], f32[n]) {\n"
                             "  %p = sub %w, %g : f32[n]\n  %s = reduce %p {kind = sum, dims = [0]} : f32[]\n"
                             "  return %s, %p\n}\n";

static void test_aliases(void **state) {
    (void)state;
    ch_func *f = NULL;
    ch_session *s = open_session();
    ch_session_counters before, after;
    ch_buffer *a = up(s, v1), *b = up(s, v2), *r[2] = {NULL, NULL}, *again[2] = {NULL, NULL};
    OK(ch_func_parse(two_ir, "two.ir", &f));
    ch_session_call call = {.struct_size = sizeof call, .key = "a step", .aliases = (int[]){1, -1}};
    ch_session_count(s, &before);
    OK(ch_session_run_buffers_with(s, &call, f, 2, (ch_buffer *[]){a, b}, 2, r));
    assert_f32(r[1], -9, -36);
    assert_false(ch_buffer_is_open(a));
    assert_true(ch_buffer_is_open(b));
    REFUSED(ch_session_run_buffers_with(s, &call, f, 2, (ch_buffer *[]){a, b}, 2, again), "buffer_donated",
            "session run: buffer used after donation: parameter 'w' of 'step'");
    OK(ch_session_run_buffers_with(s, &call, f, 2, (ch_buffer *[]){r[1], b}, 2, again));
    assert_f32(again[1], -19, -76);
    ch_session_count(s, &after);
    assert_int_equal(after.emissions - before.emissions, 1);
    assert_int_equal(after.compiles - before.compiles, 1);
    for (int i = 0; i < 2; i++) ch_buffer_release(again[i]), ch_buffer_release(r[i]);
    ch_buffer_release(a);
    OK(ch_session_run_buffers(s, f, 2, (ch_buffer *[]){b, b}, 2, r)); // without: nothing is donated
    assert_true(ch_buffer_is_open(b));
    call = (ch_session_call){.struct_size = sizeof call, .aliases = (int[]){2, -1}};
    REFUSED(ch_session_run_buffers_with(s, &call, f, 2, (ch_buffer *[]){b, b}, 2, again), "argument",
            "ch_hlo_emit: param w aliases result 2, counted from 0 — there are 2");
    call.aliases = (int[]){0, -1};
    REFUSED(ch_session_run_buffers_with(s, &call, f, 2, (ch_buffer *[]){b, b}, 2, again), "shape_mismatch",
            "ch_hlo_emit: param w is f32[4] and aliases result 0, which is f32[]");
    call.aliases = (int[]){1, 1};
    REFUSED(ch_session_run_buffers_with(s, &call, f, 2, (ch_buffer *[]){b, b}, 2, again), "duplicate_name",
            "ch_hlo_emit: result 1 is aliased by w and by g — one each");
    call =
        (ch_session_call){.struct_size = sizeof call, .aliases = (int[]){1, -1}, .n_keep = 1, .keep = (int64_t[]){2}};
    REFUSED(ch_session_run_buffers_with(s, &call, f, 2, (ch_buffer *[]){b, b}, 2, again), "argument",
            "session run: keep names param 2 — those of 'step' are 0 to 1");
    REFUSED(ch_session_run_text_with(s, &call, add_text, 2, (ch_buffer *[]){b, b}, 1, again), "argument",
            "session run: aliases are given with a text — they are of a func; a text says them itself, by "
            "tf.aliasing_output");
    REFUSED(ch_session_prepare_text(s, &call, add_text), "argument",
            "session run: aliases are given with a text — they are of a func; a text says them itself, by "
            "tf.aliasing_output");
    REFUSED(ch_session_prepare(s, NULL, f, 1, (const char *[]){NULL}, (int64_t[]){3}), "argument",
            "session prepare: the name of size 0 is NULL");
    char *path = NULL;
    ch_buffer *none = NULL;
    REFUSED(ch_plugin_find(CH_CPU, "", &path), "argument",
            "ch_plugin_find: the name is empty — give a path, a name, or NULL");
    REFUSED(ch_buffer_from_host(s, v1, "f32[4,]", &none), "signature",
            "buffer from host: type \"f32[4,]\" — a dtype and sizes in numbers, as in f32[8,2]");
    REFUSED(ch_buffer_from_host(s, v1, "f32[2,,2]", &none), "signature",
            "buffer from host: type \"f32[2,,2]\" — a dtype and sizes in numbers, as in f32[8,2]");
    ch_session_count(s, NULL);
    ch_plugin_stablehlo(ch_session_plugin(s), NULL);
    assert_int_equal(ch_device_step_updates(NULL), 0);
    assert_true(ch_device_step_rate(NULL) == 0);
    for (int i = 0; i < 2; i++) ch_buffer_release(r[i]);
    ch_buffer_release(b);
    ch_func_destroy(f);
    ch_session_close(s);
}

// One client for all that ask, and for executables of the engine.
static void test_share(void **state) {
    (void)state;
    ch_session *one = NULL, *two = NULL;
    REFUSED(ch_session_share(NULL), "argument", "session share: out_session is NULL");
    OK(ch_session_share(&one));
    OK(ch_session_share(&two));
    assert_ptr_equal(one, two);
    ch_session_unshare(one);
    ch_buffer *b = up(two, v1);
    assert_f32(b, 1, 4);
    ch_session *own = open_session();
    ch_session_unshare(own); // is not shared: nothing happens
    ch_session_unshare(NULL);
    assert_true(ch_buffer_is_open(b));
    ch_session_close(own);
    ch_session_unshare(two);
    assert_false(ch_buffer_is_open(b));
    ch_buffer_release(b);
}

// ---------------------------------------------------------------- programs
static void test_programs(void **state) {
    (void)state;
    ch_session *s = open_session();
    ch_buffer *a = up(s, v1), *r = NULL;
    ch_session_call call = {.struct_size = sizeof call, .key = "sum"};
    for (int i = 0; i < 3; i++) {
        OK(ch_session_run_text_with(s, &call, add_text, 2, (ch_buffer *[]){a, a}, 1, &r));
        assert_f32(r, 2, 8);
        ch_buffer_release(r);
    }
    OK(ch_session_run_text(s, add_text, 2, (ch_buffer *[]){a, a}, 1, &r));
    ch_buffer_release(r);
    ch_session_counters c = count(s);
    assert_int_equal(c.compiles, 1);
    assert_int_equal(c.hits, 3);
    assert_int_equal(ch_session_cache_size(s), 1);
    REFUSED(ch_session_prepare_text(s, &call, step_text), "argument",
            "session run: the key \"sum\" names another program, 'sum' — a key for each program");
    assert_int_equal(ch_session_cache_size(s), 2);
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    OK(ch_session_explain(s, file));
    fclose(file);
    assert_non_null(strstr(text, "2 programs compiled"));
    assert_non_null(strstr(text, "nearest: 1 'sum'"));
    free(text);
    ch_program_info info;
    OK(ch_session_program_info(s, step_text, &info));
    assert_int_equal(count(s).compiles, 2);
    char *bytes = NULL;
    size_t n_bytes = 0;
    OK(ch_session_optimized(s, step_text, &bytes, &n_bytes));
    assert_true(n_bytes > 0);
    ch_string_free(bytes);
    assert_int_equal(count(s).compiles, 2);
    ch_session_memory_info memory;
    OK(ch_session_memory(s, &memory));
    ch_buffer_release(a);
    ch_session_close(s);
}

// ---------------------------------------------------------------- algorithms
#define DOT(head, tail)                                                                                                \
    "func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {\n" head "contracting_dims = [1] x [0]" tail             \
    " : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"                                                       \
    "  return %0 : tensor<2x2xf32>\n}\n"
#define DOT_F32                                                                                                        \
    "lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, "           \
    "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false"

// On Metal the three ask for the same and are one program; on a CPU they are three.
static void test_algorithms(void **state) {
    (void)state;
    ONLY_ON_HOST("the plugin for the CPU stands for that of Metal")
    static const char *const texts[] = {
        DOT("  %0 = stablehlo.dot_general %a, %a, ", ", precision = [DEFAULT, DEFAULT], algorithm = <" DOT_F32 ">"),
        DOT("  %0 = stablehlo.dot_general %a, %a, ", ", algorithm = <" DOT_F32 ">"),
        DOT("  %0 = stablehlo.dot_general %a, %a, ", ", precision = [HIGHEST, HIGHEST]"),
    };
    ch_target targets[] = {CH_METAL, CH_CPU};
    for (int t = 0; t < 2; t++) {
        ch_session *s = NULL;
        OK(ch_session_open(&(ch_session_options){.struct_size = sizeof(ch_session_options), .target = targets[t]}, &s));
        for (int i = 0; i < 3; i++) {
            ch_buffer *a = NULL, *r = NULL;
            OK(ch_buffer_from_host(s, v1, "f32[2,2]", &a));
            if (t == 0 || i == 2) { // not every plugin for a CPU takes the algorithm
                OK(ch_session_run_text(s, texts[i], 1, &a, 1, &r));
                assert_f32(r, 7, 22);
            }
            ch_buffer_release(a);
            ch_buffer_release(r);
        }
        assert_int_equal(ch_session_cache_size(s), 1);
        ch_session_close(s);
    }
}

// ---------------------------------------------------------------- closing
static void test_close(void **state) {
    (void)state;
    ch_session *s = open_session(), *other = open_session();
    ch_buffer *a = up(s, v1), *b = up(s, v2), *r = NULL;
    float out[4];
    ch_buffer_close(a);
    ch_buffer_close(a);
    REFUSED(ch_buffer_read(a, out, sizeof out), "buffer_closed",
            "buffer read: the buffer was closed — use it before ch_buffer_close");
    REFUSED(ch_session_run_text(s, add_text, 2, (ch_buffer *[]){b, a}, 1, &r), "buffer_closed",
            "session run: buffer 1 was closed — use it before ch_buffer_close");
    REFUSED(ch_session_run_text(other, add_text, 2, (ch_buffer *[]){b, b}, 1, &r), "buffer_foreign",
            "session run: buffer 0 is of another session — read it and give it to this one");
    REFUSED(ch_session_run_text(s, add_text, 2, (ch_buffer *[]){b, NULL}, 1, &r), "argument",
            "session run: buffer 1 is NULL — give a buffer");
    ch_session_close(s);
    assert_false(ch_buffer_is_open(b));
    REFUSED(ch_buffer_read(b, out, sizeof out), "session_closed", "buffer read: the buffer: its session was closed");
    ch_buffer_close(b);
    ch_buffer_release(b);
    ch_buffer_release(a);
    ch_session_close(other);
    ch_session_close(NULL);
    ch_buffer_release(NULL);
}

// ---------------------------------------------------------------- refusals
static void test_arguments(void **state) {
    (void)state;
    ch_session *s = open_session();
    ch_buffer *a = up(s, v1), *i = NULL, *m = NULL, *r = NULL;
    OK(ch_buffer_from_host(s, v1, "i32[4]", &i));
    OK(ch_buffer_from_host(s, v1, "f32[2,2]", &m));
    REFUSED(ch_session_run_text(s, add_text, 2, (ch_buffer *[]){a, i}, 1, &r), "dtype_mismatch",
            "session run: parameter 'b' of 'sum' is f32[4], the buffer is i32[4] — give one of its type");
    REFUSED(ch_session_run_text(s, add_text, 2, (ch_buffer *[]){m, a}, 1, &r), "shape_mismatch",
            "session run: parameter 'a' of 'sum' is f32[4], the buffer is f32[2,2] — give one of its type");
    REFUSED(ch_session_run_text(s, add_text, 1, &a, 1, &r), "arity",
            "session run: 1 buffers and room for 1 results given — 'sum' takes 2 and gives 1");
    REFUSED(ch_session_run_text(s, "nothing", 0, NULL, 0, NULL), "parse",
            "program: the text has no func.func @main — the program to run has that name");
    REFUSED(ch_session_run_text(s, "func.func @main(%x: tensor<?xf32>) {", 0, NULL, 0, NULL), "unsupported",
            "program: a param or result of @main, tensor<?xf32, has a size that is not a number");
    REFUSED(ch_session_run_text(s, "func.func @main(%x: tensor<2xi4>) {", 0, NULL, 0, NULL), "unsupported",
            "program: a param or result of @main, tensor<2xi4, has a dtype that is not used here");
    REFUSED(ch_session_run_text(s, "func.func @main(%x: tensor<1048576x1048576xf32>) {", 0, NULL, 0, NULL), "limit",
            "compile: tensor<1048576x1048576xf32> at byte 20 is an array of more than 2^38 numbers — "
            "no device holds it");
    REFUSED(ch_session_run_text(s,
                                "func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> tensor<4xf32> {",
                                0, NULL, 0, NULL),
            "argument", "program: parameter 'x' of 'main' aliases result 1 — it has 1");
    REFUSED(ch_session_run_text(s,
                                "func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {",
                                0, NULL, 0, NULL),
            "argument", "program: parameter 'x' of 'main' has 16 bytes and aliases result 0 of 8 — they are equal");
    REFUSED(ch_session_run_text(s, "ML\xefR", 0, NULL, 0, NULL), "unsupported",
            "program: MLIR bytecode — give StableHLO text, whose params can be read");
    REFUSED(ch_session_run_text(s, NULL, 0, NULL, 0, NULL), "argument", "session run: the program is NULL");
    REFUSED(ch_session_run_text(NULL, add_text, 0, NULL, 0, NULL), "argument", "session run: the session is NULL");
    REFUSED(ch_buffer_from_host(s, v1, "f32[n]", &r), "signature",
            "buffer from host: type \"f32[n]\" — a dtype and sizes in numbers, as in f32[8,2]");
    REFUSED(ch_buffer_from_host(s, v1, "c64[2]", &r), "signature",
            "buffer from host: type \"c64[2]\" — a dtype and sizes in numbers, as in f32[8,2]");
    REFUSED(ch_buffer_from_host(s, NULL, "f32[4]", &r), "argument", "buffer: the data is NULL — 16 bytes are needed");
    REFUSED(ch_buffer_from_host(s, v1, "f32[1048576,1048576]", &r), "limit",
            "buffer: an array of more than 1 TiB — no device holds it");
    REFUSED(ch_buffer_from_host_on(s, 3, v1, "f32[4]", &r), "argument",
            "buffer from host: device 3 — the session has 1");
    float small[2];
    REFUSED(ch_buffer_read(a, small, sizeof small), "read_type", "buffer read: room for 8 bytes given — f32[4] has 16");
    ch_session_call call = {.struct_size = sizeof call, .n_flags = 1, .flags = (const char *[]){"--xla_a=1"}};
    REFUSED(ch_session_prepare_text(s, &call, add_text), "argument",
            "compile: flag \"--xla_a=1\" — write name=value without dashes, as in xla_a=True");
    call.flags = (const char *[]){"unknown_flag=1"};
    assert_int_equal(ch_session_prepare_text(s, &call, add_text), CH_INVALID_ARGUMENT);
    assert_string_equal(ch_error_id(), "device_argument");
    call = (ch_session_call){.struct_size = sizeof call, .n_replicas = 2};
    REFUSED(ch_session_prepare_text(s, &call, add_text), "argument",
            "compile: 'sum' runs on 2 devices (2 replicas of 1 partitions) — the session has 1");
    call = (ch_session_call){.struct_size = 1000};
    assert_int_equal(ch_session_prepare_text(s, &call, add_text), CH_INVALID_ARGUMENT);
    assert_int_equal(count(s).compiles, 1); // of add_text: what the buffers are is looked at with the program
    ch_buffer_release(a);
    ch_buffer_release(i);
    ch_buffer_release(m);
    ch_session_close(s);
}

#define OPEN(sentence, ...)                                                                                            \
    REFUSED(ch_session_open(&(ch_session_options){.struct_size = sizeof(ch_session_options), __VA_ARGS__}, &s),        \
            "argument", sentence)

static void test_options(void **state) {
    (void)state;
    ch_session *s = NULL;
    OPEN("session open: memory_fraction is 1.5 — a number above 0, at most 1", .target = CH_CUDA,
         .memory_fraction = 1.5);
    OPEN("session open: memory_fraction is -1 — a number above 0, at most 1", .target = CH_CUDA, .memory_fraction = -1);
    OPEN("session open: preallocate is \"maybe\" — true or false", .target = CH_CUDA, .preallocate = "maybe");
    OPEN("session open: memory_fraction is for CH_CUDA, the target is cpu", .target = CH_CPU, .memory_fraction = 0.5);
    OPEN("session open: preallocate is for CH_CUDA, the target is cpu", .target = CH_CPU, .preallocate = "true");
    OPEN("session open: device_count is 2000 — 1 to 1024", .device_count = 2000);
    OPEN("session open: device_count is for CH_CPU — cuda has the devices there are", .target = CH_CUDA,
         .device_count = 2);
    OPEN("session open: target 9 — CH_CPU, CH_CUDA, CH_TPU, CH_METAL or CH_CEREBRAS", .target = (ch_target)9);
    REFUSED(ch_session_open(&(ch_session_options){.struct_size = sizeof(ch_session_options), .num_processes = 2}, &s),
            "unsupported",
            "session open: num_processes — one process drives all devices of a session; several are not supported");
    REFUSED(ch_session_open(&(ch_session_options){.struct_size = sizeof(ch_session_options), .coordinator = "a:1"}, &s),
            "unsupported",
            "session open: coordinator — one process drives all devices of a session; several are not supported");
    REFUSED(ch_session_open(&(ch_session_options){.struct_size = sizeof(ch_session_options), .plugin = "/no/file"}, &s),
            "no_plugin", "plugin: there is no file /no/file — give the path of a PJRT plugin");
    REFUSED(ch_session_open(NULL, NULL), "argument", "session open: out_session is NULL");
    assert_null(s);
    char *path = NULL;
    assert_int_not_equal(ch_plugin_find(CH_TPU, "no_such_name", &path), CH_OK);
    assert_string_equal(ch_error_id(), "no_plugin");
    assert_non_null(strstr(ch_error_message(), "python3 in PATH, ~/.local, /usr/local, /usr")); // every place
    assert_non_null(strstr(ch_error_message(), "PJRT_NAMES_AND_LIBRARY_PATHS"));
    assert_non_null(strstr(ch_error_message(), "TPU_LIBRARY_PATH"));
}

// ---------------------------------------------------------------- the device
static void test_virtual_devices(void **state) {
    (void)state;
    ONLY_ON_HOST("virtual devices are the CPU's")
    ch_session *s = NULL;
    OK(ch_session_open(&(ch_session_options){.struct_size = sizeof(ch_session_options), .device_count = 3}, &s));
    assert_int_equal(ch_session_device_count(s), 3);
    assert_string_equal(ch_session_platform(s), "cpu");
    ch_buffer *b = NULL;
    OK(ch_buffer_from_host_on(s, 2, v1, "f32[4]", &b));
    assert_int_equal(ch_buffer_device(b), 2);
    ch_buffer *r = NULL;
    REFUSED(ch_session_run_text(s, add_text, 2, (ch_buffer *[]){b, b}, 1, &r), "buffer_foreign",
            "session run: parameter 'a' of 'sum' is on device 2 — it runs on device 0");
    ch_buffer_release(b);
    ch_session_close(s);
}

// A session that is told no target has that of the environment (device_cases.sh gives it names that are none).
static void test_target(void **state) {
    (void)state;
    ch_session_options o = {.struct_size = sizeof o, .target = (ch_target)ch_target_from_name(target_name())};
    ch_session *s = open_session(), *said = NULL;
    OK(ch_session_open(&o, &said));
    assert_string_equal(ch_session_platform(s), target_name());
    assert_string_equal(ch_session_platform(said), target_name());
    ch_session_close(said);
    ch_session_close(s);
}

// What the device says of its memory, when it says it: an array counts while it is there, the session's part is the
// limit, what is larger is refused by a status, and the session goes on.
static void test_memory(void **state) {
    (void)state;
    enum { BYTES = 1 << 22 };
    ch_session *s = open_session();
    ch_session_memory_info before, during, after;
    float *v = calloc(1, BYTES);
    ch_buffer *b = NULL;
    OK(ch_session_memory(s, &before));
    OK(ch_buffer_from_host(s, v, "f32[1048576]", &b));
    OK(ch_session_memory(s, &during));
    ch_buffer_close(b);
    OK(ch_session_memory(s, &after));
    if (before.bytes_in_use < 0) {
        printf("# %s reports no memory\n", ch_session_platform(s));
        assert_int_equal(during.bytes_in_use, -1);
        assert_int_equal(during.peak_bytes, -1);
        assert_int_equal(during.limit_bytes, -1);
    } else {
        assert_true(during.bytes_in_use >= before.bytes_in_use + BYTES);
        assert_true(after.bytes_in_use <= during.bytes_in_use - BYTES);
        assert_true(during.peak_bytes < 0 || during.peak_bytes >= during.bytes_in_use);
    }
    if (during.limit_bytes > 0) {
        char text[300];
        ch_buffer *r = NULL;
        snprintf(
            text, sizeof text,
            "func.func @main(%%x: tensor<f32>) -> tensor<%lldxf32> {\n  %%0 = stablehlo.broadcast_in_dim %%x, dims = "
            "[] : (tensor<f32>) -> tensor<%lldxf32>\n  return %%0 : tensor<%lldxf32>\n}\n",
            (long long)during.limit_bytes / 2, (long long)during.limit_bytes / 2, (long long)during.limit_bytes / 2);
        ch_buffer *x = NULL;
        OK(ch_buffer_from_host(s, v, "f32[]", &x));
        assert_int_equal(ch_session_run_text(s, text, 1, &x, 1, &r), CH_RESOURCE_EXHAUSTED);
        assert_null(r);
        ch_buffer_release(x);
        ch_buffer *a = up(s, v1);
        OK(ch_session_run_text(s, add_text, 2, (ch_buffer *[]){a, a}, 1, &r));
        assert_f32(r, 2, 8);
        ch_buffer_release(a);
        ch_buffer_release(r);
    }
    ch_buffer_release(b);
    free(v);
    ch_session_close(s);
}

// Two clients of a CUDA device, each with its part of the memory.
static void test_memory_fraction(void **state) {
    (void)state;
    ch_session *one = NULL, *two = NULL;
    ch_session_memory_info m, n;
    ch_session_options o = {.struct_size = sizeof o, .memory_fraction = 0.25, .preallocate = "false"};
    OK(ch_session_open(&o, &one));
    o.memory_fraction = 0.125;
    OK(ch_session_open(&o, &two));
    OK(ch_session_memory(one, &m));
    OK(ch_session_memory(two, &n));
    if (m.limit_bytes > 0 && n.limit_bytes > 0) {
        double ratio = (double)m.limit_bytes / (double)n.limit_bytes;
        assert_true(ratio > 1.8 && ratio < 2.2);
    } else {
        printf("# no limit is reported\n");
    }
    ch_buffer *a = up(one, v1), *b = up(two, v2);
    assert_f32(a, 1, 4);
    assert_f32(b, 10, 40);
    ch_buffer_release(a);
    ch_buffer_release(b);
    ch_session_close(one);
    ch_session_close(two);
}

// ---------------------------------------------------------------- what is missing from a call
static void test_missing(void **state) {
    (void)state;
    ch_session *s = open_session();
    ch_buffer *b = up(s, v1), *r = NULL;
    ch_func *f = NULL;
    char *path = NULL;
    ch_plugin *p = NULL;
    float v[4];
    OK(ch_func_parse(f_text, "f.ir", &f));
    REFUSED(ch_buffer_read(NULL, v, 16), "argument", "buffer read: the buffer is NULL");
    REFUSED(ch_session_explain(NULL, stderr), "argument", "session explain: the session is NULL");
    REFUSED(ch_session_explain(s, NULL), "argument", "session explain: file is NULL");
    REFUSED(ch_session_program_info(s, add_text, NULL), "argument", "session program: out is NULL");
    REFUSED(ch_session_memory(s, NULL), "argument", "ch_session_memory: out is NULL");
    REFUSED(ch_plugin_find(CH_CPU, NULL, NULL), "argument", "ch_plugin_find: out_path is NULL");
    REFUSED(ch_plugin_load(NULL, &p), "argument", "ch_plugin_load: path is NULL");
    REFUSED(ch_session_run_text(s, NULL, 1, &b, 1, &r), "argument", "session run: the program is NULL");
    REFUSED(ch_session_run_text(s, add_text, 2, NULL, 1, &r), "argument",
            "session run: 2 inputs and room for 1 results — give both");
    ch_session_call call = {.struct_size = sizeof call, .n_flags = 1};
    REFUSED(ch_session_prepare_text(s, &call, add_text), "argument", "session run: n_flags is 1 without flags");
    call = (ch_session_call){.struct_size = sizeof call, .n_keep = 1};
    REFUSED(ch_session_prepare_text(s, &call, add_text), "argument", "session run: n_keep is 1 without params");
    REFUSED(ch_session_prepare(s, NULL, f, 1, NULL, NULL), "argument",
            "session prepare: n_sizes is 1 without names and values");
    REFUSED(
        ch_session_prepare_text(s, NULL,
                                "module @two {\n  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, "
                                "%b: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {\n"
                                "    return %a : tensor<4xf32>\n  }\n}\n"),
        "argument", "program: parameters 'a' and 'b' of 'two' alias result 0 — one may");
    assert_null(r);
    assert_null(path);
    ch_func_destroy(f);
    ch_buffer_release(b);
    ch_session_close(s);
}

// struct_size of every struct that is given; texts and files that are none.
static void test_sizes_and_texts(void **state) {
    (void)state;
    ch_session *s = open_session(), *other = NULL;
    ch_buffer *b = up(s, v1), *r = NULL;
    ch_func *f = NULL, *half = NULL;
    ch_plugin *p = NULL;
    char *text = NULL, says[200];
    OK(ch_func_parse(f_text, "f.ir", &f));
    const ch_session_options options = {.struct_size = 3000};
    snprintf(says, sizeof says, "session open: struct_size is 3000 — sizeof(ch_session_options) is %zu",
             sizeof options);
    REFUSED(ch_session_open(&options, &other), "argument", says);
    const ch_session_call call = {.struct_size = 3000};
    snprintf(says, sizeof says, "session run: struct_size is 3000 — sizeof(ch_session_call) is %zu", sizeof call);
    REFUSED(ch_session_prepare_text(s, &call, add_text), "argument", says);
    const ch_hlo_options hlo = {.struct_size = 3000};
    snprintf(says, sizeof says, "session text: struct_size is 3000 — sizeof(ch_hlo_options) is %zu", sizeof hlo);
    REFUSED(ch_session_text(s, f, &hlo, &text), "argument", says);
    REFUSED(ch_session_text(s, f, NULL, NULL), "argument", "session text: out_text is NULL");
    REFUSED(ch_session_text(NULL, f, NULL, &text), "argument", "session text: the session is NULL");
    const ch_hlo_options unnamed = {.struct_size = sizeof unnamed, .n_sizes = 1};
    REFUSED(ch_session_text(s, f, &unnamed, &text), "argument", "session text: n_sizes is 1 without names and values");
    REFUSED(ch_plugin_load("/nowhere/plugin.so", &p), "no_plugin", "plugin load: there is no file /nowhere/plugin.so");
    REFUSED(ch_ffi_register_symbol(NULL, "h", "l.so", "s"), "argument", "ffi register: the plugin is NULL — give one");
    REFUSED(ch_ffi_register_symbol(ch_session_plugin(s), NULL, "l.so", "s"), "argument",
            "ffi register: the name is NULL — give one");
    if (ch_ffi_register_symbol(ch_session_plugin(s), "h", NULL, "s") != CH_UNIMPLEMENTED) {
        REFUSED(ch_ffi_register_symbol(ch_session_plugin(s), "h", NULL, "s"), "argument",
                "ffi register: the library for \"h\" is NULL — give one");
        REFUSED(ch_ffi_register_symbol(ch_session_plugin(s), "h", "l.so", NULL), "argument",
                "ffi register: the symbol for \"h\" is NULL — give one");
        assert_int_not_equal(ch_ffi_register_symbol(ch_session_plugin(s), "h", "/nowhere/l.so", "s"), CH_OK);
        assert_string_equal(ch_error_id(), "file");
        assert_non_null(strstr(ch_error_message(), "ffi register: \"h\": /nowhere/l.so"));
    }
    assert_int_not_equal(ch_session_prepare_text(s, NULL, "func.func @main(%a: tensor<4xf32>"), CH_OK);
    assert_string_equal(ch_error_id(), "parse");
    assert_non_null(strstr(ch_error_message(), "program: the text is not StableHLO: "));
    OK(ch_func_parse("chaac-ir 1\nfunc @g(%x: f32[2*n]) -> f32[2*n] {\n  return %x\n}\n", "g.ir", &half));
    REFUSED(ch_session_run_buffers(s, half, 1, &b, 1, &r), "dims_undecided",
            "session run: size n of @g is in no param by itself — compile ahead with ch_session_prepare and a key");
    assert_null(r);
    assert_null(text);
    assert_null(p);
    assert_null(other);
    ch_func_destroy(half);
    ch_func_destroy(f);
    ch_buffer_release(b);
    ch_session_close(s);
}

// ---------------------------------------------------------------- Python environments
static const char plugin_of_package[] = "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so";

// An empty file, its folders made.
static void make_file(const char *root, const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        (void)mkdir(path, 0700);
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    chmod(path, 0700);
}

static void assert_finds(const char *root, const char *minor) {
    char *path = NULL, want[600];
    snprintf(want, sizeof want, "%s/lib/python3.%s/site-packages/%s", root, minor, plugin_of_package);
    OK(ch_plugin_find(CH_CPU, "cpu", &path));
    assert_string_equal(path, want);
    ch_string_free(path);
}

static void set_or_not(const char *name, const char *value) {
    if (value == NULL)
        unsetenv(name);
    else
        setenv(name, value, 1);
}

// The newest Python of an environment is looked at first: 3.12 before 3.9, which sorts behind it as text.
static void test_python(void **state) {
    (void)state;
    static const char *const names[] = {"VIRTUAL_ENV", "CONDA_PREFIX", "PATH", "PJRT_NAMES_AND_LIBRARY_PATHS"};
    char root[] = "/tmp/chaac-find-XXXXXX", file[600], bin[600], *kept[4], *path = NULL;
    assert_non_null(mkdtemp(root));
    for (int i = 0; i < 4; i++) {
        kept[i] = getenv(names[i]) == NULL ? NULL : strdup(getenv(names[i]));
        if (i != 2) unsetenv(names[i]);
    }
    for (int minor = 9; minor <= 12; minor += 3) {
        snprintf(file, sizeof file, "lib/python3.%d/site-packages/%s", minor, plugin_of_package);
        make_file(root, file);
    }
    setenv("VIRTUAL_ENV", root, 1);
    assert_finds(root, "12");
    unsetenv("VIRTUAL_ENV");
    setenv("CONDA_PREFIX", root, 1);
    assert_finds(root, "12");
    unsetenv("CONDA_PREFIX");
    make_file(root, "bin/python3"); // the environment whose programs stand in PATH
    snprintf(bin, sizeof bin, "%s/bin", root);
    setenv("PATH", bin, 1);
    assert_finds(root, "12");
    snprintf(file, sizeof file, "%s/lib/python3.12/site-packages/%s", root, plugin_of_package);
    assert_int_equal(unlink(file), 0);
    assert_finds(root, "9");
    setenv("PJRT_NAMES_AND_LIBRARY_PATHS", "tpu:/a,cpu:/nowhere/plugin.so", 1);
    REFUSED(ch_plugin_find(CH_CPU, "cpu", &path), "no_plugin",
            "plugin: there is no file /nowhere/plugin.so — PJRT_NAMES_AND_LIBRARY_PATHS names it for cpu; take the "
            "entry out, or name the plugin's file");
    unsetenv("PJRT_NAMES_AND_LIBRARY_PATHS");
    assert_int_not_equal(ch_plugin_find(CH_CEREBRAS, "cerebras", &path), CH_OK);
    snprintf(file, sizeof file,
             "tried PJRT_NAMES_AND_LIBRARY_PATHS (not set), %s/lib/python3.12/site-packages, "
             "%s/lib/python3.9/site-packages",
             root, root);
    if (strstr(ch_error_message(), file) == NULL) fail_msg("%s", ch_error_message());
    for (int i = 0; i < 4; i++) {
        set_or_not(names[i], kept[i]);
        free(kept[i]);
    }
    snprintf(file, sizeof file, "rm -r '%s'", root);
    assert_int_equal(system(file), 0);
}

// ---------------------------------------------------------------- the host's memory
static int released;
static void note_release(void *user, void *data) {
    (void)user, (void)data;
    released++;
}

static void test_alias(void **state) {
    (void)state;
    ch_session *s = open_session();
    float *mine = aligned_alloc(64, 64);
    memcpy(mine, v1, sizeof v1);
    ch_buffer *b = NULL, *r = NULL;
    OK(ch_buffer_alias_host(s, mine, "f32[4]", note_release, NULL, &b));
    assert_f32(b, 1, 4);
    OK(ch_session_run_text(s, add_text, 2, (ch_buffer *[]){b, b}, 1, &r));
    assert_f32(r, 2, 8);
    assert_int_equal(released, 0);
    ch_buffer_close(b);
    assert_int_equal(released, 1);
    ch_buffer_release(b);
    ch_buffer_release(r);
    REFUSED(ch_buffer_alias_host(s, mine + 1, "f32[2]", NULL, NULL, &b), "argument",
            "buffer alias: the memory is not aligned to 64 bytes — align it, or copy (ch_buffer_from_host)");
    OK(ch_buffer_alias_host(s, mine, "f32[4]", note_release, NULL, &b));
    ch_session_close(s); // gives it back too
    assert_int_equal(released, 2);
    ch_buffer_release(b);
    free(mine);
}

static void test_dlpack(void **state) {
    (void)state;
    ch_session *s = open_session();
    ch_buffer *b = up(s, v1), *back = NULL;
    struct DLManagedTensorVersioned *m = NULL;
    if (!target_on_host()) {
        char says[100];
        snprintf(says, sizeof says, "buffer export: the memory of %s is not the host's — read it",
                 ch_session_platform(s));
        REFUSED(ch_buffer_dlpack_export(b, &m), "unsupported", says);
        assert_null(m);
        ch_buffer_release(b);
        ch_session_close(s);
        return;
    }
    OK(ch_buffer_dlpack_export(b, &m));
    assert_int_equal(m->dl_tensor.ndim, 1);
    assert_memory_equal(m->dl_tensor.data, v1, sizeof v1); // a view
    ch_buffer_close(b);                                    // the view's memory lives on
    assert_memory_equal(m->dl_tensor.data, v1, sizeof v1);
    OK(ch_buffer_dlpack_import(s, m, &back)); // takes m over
    assert_f32(back, 1, 4);
    ch_buffer_release(back);
    ch_buffer_release(b);
    b = up(s, v1);
    OK(ch_buffer_dlpack_export(b, &m));
    ch_buffer *r[2] = {NULL, NULL}, *other = up(s, v2);
    REFUSED(ch_session_run_text(s, step_text, 2, (ch_buffer *[]){b, other}, 2, r), "buffer_donated",
            "session run: parameter 'w1' of 'step' is donated while another call or a view uses its buffer");
    ch_session_close(s); // the view's memory lives on, and goes to another session
    ch_buffer_release(b);
    ch_buffer_release(other);
    assert_memory_equal(m->dl_tensor.data, v1, sizeof v1);
    s = open_session();
    OK(ch_buffer_dlpack_import(s, m, &back));
    assert_f32(back, 1, 4);
    ch_session_close(s);
    ch_buffer_release(back);
    ch_thread_end();
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--open") == 0) { // for session.sh and device.sh: can one be opened at all?
        ch_session *s = NULL;
        if (ch_session_open(NULL, &s) != CH_OK) {
            printf("%s: %s\n", ch_error_id(), ch_error_message());
            return 1;
        }
        printf("%s %s %s\n", ch_session_platform(s), ch_plugin_path(ch_session_plugin(s)), ch_session_device(s));
        ch_session_close(s);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crossing),   cmocka_unit_test(test_crossing_others),
        cmocka_unit_test(test_engine),     cmocka_unit_test(test_run_once),
        cmocka_unit_test(test_dtypes),     cmocka_unit_test(test_donation),
        cmocka_unit_test(test_programs),   cmocka_unit_test(test_close),
        cmocka_unit_test(test_arguments),  cmocka_unit_test(test_options),
        cmocka_unit_test(test_python),     cmocka_unit_test(test_missing),
        cmocka_unit_test(test_algorithms), cmocka_unit_test(test_alias),
        cmocka_unit_test(test_dlpack),     cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_share),      cmocka_unit_test(test_sizes_and_texts),
        cmocka_unit_test(test_target),     cmocka_unit_test(test_virtual_devices),
        cmocka_unit_test(test_memory),
    };
    const struct CMUnitTest of_cuda[] = {cmocka_unit_test(test_memory_fraction)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (strcmp(target_name(), "cuda") == 0) return failed + cmocka_run_group_tests(of_cuda, NULL, NULL);
    printf("# left out: two sessions with parts of the memory: CUDA's\n");
    return failed;
}
