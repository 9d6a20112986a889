// SPDX-License-Identifier: Apache-2.0
// test_ffi.c - handlers of custom calls: [--mock|--none] PLUGIN... SYMBOLS, the last the library of ffi_symbol.c. TAP.
//
// Handlers are registered before any session is there. Each plugin then runs hand-written programs that call them, in
// two sessions, with and without backend_config; the second plugin shows that names are of a plugin, handlers of the
// process. --mock: the mock plugin, which passes no attributes; --none: a plugin that cannot register handlers. On CUDA
// (target.h) arrays are fetched and put by the driver; the library's handler, which is the host's, is left out.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "chaac/chaac.h"
#include "target.h"

static bool mock;

// ---------------------------------------------------------------- handlers
static atomic_int calls;

static ch_status twice(ch_ffi_call *call, void *user) {
    ch_ffi_array x, y;
    float v[3];
    (void)user;
    atomic_fetch_add(&calls, 1);
    CH_TRY(ch_ffi_arg(call, 0, &x));
    CH_TRY(ch_ffi_result(call, 0, &y));
    if (ch_ffi_num_args(call) != 1 || ch_ffi_num_results(call) != 1 ||
        (ch_ffi_stream(call) == NULL) != target_on_host())
        return ch_ffi_fail(call, CH_INTERNAL, "another call than was written");
    if (x.dtype != CH_F32 || x.count != 3 || y.count != 3 || x.rank != 1 || x.dims[0] != x.count)
        return ch_ffi_fail(call, CH_INVALID_ARGUMENT, "f32[3] is taken and given");
    if (!target_get(call, v, &x, sizeof v)) return ch_ffi_fail(call, CH_INTERNAL, "the argument is not fetched");
    for (int i = 0; i < 3; i++) v[i] *= 2;
    if (!target_put(call, &y, v, sizeof v)) return ch_ffi_fail(call, CH_INTERNAL, "the result is not put");
    return CH_OK;
}

static ch_status picky(ch_ffi_call *call, void *user) {
    (void)user;
    return ch_ffi_fail(call, CH_OUT_OF_RANGE, "these numbers are not liked");
}

static ch_status plain_failure(ch_ffi_call *call, void *user) {
    (void)call;
    (void)user;
    return CH_UNAVAILABLE;
}

// Puts *(float *)user everywhere: which of many handlers it was.
static ch_status fill(ch_ffi_call *call, void *user) {
    ch_ffi_array y;
    const float f = *(const float *)user, v[3] = {f, f, f};
    CH_TRY(ch_ffi_result(call, 0, &y));
    return target_put(call, &y, v, sizeof v) ? CH_OK : CH_INTERNAL;
}

static char read_out[600];

// Reads every kind of attribute, and what is asked of attributes that are not there.
static ch_status attributes(ch_ffi_call *call, void *user) {
    int64_t i64 = 0, i32 = 0, flag = 0, inner = 0, pointed = 0, wide = 0, n = 0;
    double f32 = 0, f64 = 0;
    const char *text = NULL;
    const void *list = NULL;
    size_t text_n = 0, name_n = 0;
    ch_dtype d = (ch_dtype)0;
    (void)user;
    CH_TRY(ch_ffi_attr_i64(call, "big", &i64));
    CH_TRY(ch_ffi_attr_i64(call, "small", &i32));
    CH_TRY(ch_ffi_attr_i64(call, "flag", &flag));
    CH_TRY(ch_ffi_attr_f64(call, "single", &f32));
    CH_TRY(ch_ffi_attr_f64(call, "double", &f64));
    CH_TRY(ch_ffi_attr_text(call, "text", &text, &text_n));
    CH_TRY(ch_ffi_attr_array(call, "list", &d, &list, &n));
    CH_TRY(ch_ffi_attr_i64(call, "outer.inner", &inner));
    CH_TRY(ch_ffi_attr_i64(call, "point.ed", &pointed)); // a name, and no dictionary
    CH_TRY(ch_ffi_attr_i64(call, "wide", &wide));
    const char *first = ch_ffi_attr_name(call, 0, &name_n);
    snprintf(read_out, sizeof read_out, "%d %.*s %lld %lld %lld %g %g %.*s %s[%lld]:%lld %lld %lld %lld",
             ch_ffi_num_attrs(call), (int)name_n, first, (long long)i64, (long long)i32, (long long)flag, f32, f64,
             (int)text_n, text, ch_dtype_name(d), (long long)n, (long long)((const int64_t *)list)[2], (long long)inner,
             (long long)pointed, (long long)wide);
    ch_ffi_array none;
    if (ch_ffi_attr_i64(call, "huge", &i64) != CH_OUT_OF_RANGE || ch_ffi_attr_i64(call, "big", NULL) == CH_OK ||
        ch_ffi_attr_i64(call, NULL, &i64) == CH_OK || ch_ffi_attr_f64(call, "double", NULL) == CH_OK ||
        ch_ffi_attr_text(call, "text", NULL, NULL) == CH_OK ||
        ch_ffi_attr_array(call, "list", &d, &list, NULL) == CH_OK || ch_ffi_arg(call, 0, NULL) == CH_OK ||
        ch_ffi_arg(call, 1, &none) == CH_OK || ch_ffi_result(call, -1, &none) == CH_OK ||
        ch_ffi_attr_name(call, 0, NULL) != NULL)
        return ch_ffi_fail(call, CH_INTERNAL, "what cannot be was given");
    if (ch_ffi_attr_i64(call, "nothing", &i64) != CH_NOT_FOUND ||
        ch_ffi_attr_i64(call, "outer.x", &i64) != CH_NOT_FOUND ||
        ch_ffi_attr_f64(call, "big", &f64) != CH_INVALID_ARGUMENT || ch_ffi_attr_name(call, 99, &name_n) != NULL)
        return ch_ffi_fail(call, CH_INTERNAL, "what is not there was found");
    return ch_ffi_attr_i64(call, "text", &i64); // the sentence of that is the run's
}

// ---------------------------------------------------------------- programs
static void program(char *text, size_t n, const char *target, int version, const char *attributes_text) {
    snprintf(text, n,
             "module @calls {\n  func.func public @main(%%x: tensor<3xf32>) -> tensor<3xf32> {\n"
             "    %%0 = stablehlo.custom_call @%s(%%x) {api_version = %d : i32%s} : (tensor<3xf32>) -> tensor<3xf32>\n"
             "    return %%0 : tensor<3xf32>\n  }\n}\n",
             target, version, attributes_text);
}

static ch_status run_version(ch_session *s, const char *target, int version, const char *attributes_text,
                             float out[3]) {
    char text[1500];
    const float in[3] = {1, 2, 3};
    ch_buffer *x = NULL, *y = NULL;
    program(text, sizeof text, target, version, attributes_text);
    CH_TRY(ch_buffer_from_host(s, in, "f32[3]", &x));
    ch_status st = ch_session_run_text(s, text, 1, &x, 1, &y);
    if (st == CH_OK) st = ch_buffer_read(y, out, 3 * sizeof *out);
    ch_buffer_release(x);
    ch_buffer_release(y);
    return st;
}

static ch_status run(ch_session *s, const char *target, const char *attributes_text, float out[3]) {
    return run_version(s, target, 4, attributes_text, out);
}

static bool gives(ch_session *s, const char *target, const char *attributes_text, float a, float b, float c) {
    float out[3] = {0};
    return run(s, target, attributes_text, out) == CH_OK && out[0] == a && out[1] == b && out[2] == c;
}

static void *many_runs(void *s) {
    for (int i = 0; i < 200; i++)
        if (!gives(s, "twice", "", 2, 4, 6)) return s;
    return NULL;
}

static void *registering(void *plugin) {
    for (int i = 0; i < 8; i++)
        if (ch_ffi_register(plugin, "at once", twice, NULL) == CH_OK) return plugin;
    return NULL;
}

// ---------------------------------------------------------------- cases
static void before_any_session(ch_plugin *p, const char *symbols) {
    ok(ch_ffi_registered(p, 0) == NULL, "nothing is registered");
    ok(ch_ffi_register(p, "twice", twice, NULL) == CH_OK && ch_ffi_register(p, "picky", picky, NULL) == CH_OK &&
           ch_ffi_register(p, "plain", plain_failure, NULL) == CH_OK &&
           ch_ffi_register(p, "attributes", attributes, NULL) == CH_OK,
       "handlers are registered before any session");
    ok(refused(ch_ffi_register(p, "twice", picky, NULL), CH_INVALID_ARGUMENT, "\"twice\" is registered with"),
       "a name registered twice is refused");
    ok(refused(ch_ffi_register(p, "", twice, NULL), CH_INVALID_ARGUMENT, "a name of 0 bytes") &&
           refused(ch_ffi_register(p, NULL, twice, NULL), CH_INVALID_ARGUMENT, "the name is NULL") &&
           refused(ch_ffi_register(NULL, "a", twice, NULL), CH_INVALID_ARGUMENT, "the plugin is NULL") &&
           refused(ch_ffi_register(p, "a", NULL, NULL), CH_INVALID_ARGUMENT, "the function for \"a\" is NULL"),
       "names and functions that are none");
    ok(refused(ch_ffi_register_symbol(p, "s", "./no-such.so", "f"), CH_NOT_FOUND, "no-such.so") &&
           refused(ch_ffi_register_symbol(p, "s", symbols, "f"), CH_NOT_FOUND, "has no symbol f") &&
           refused(ch_ffi_register_symbol(p, "s", symbols, NULL), CH_INVALID_ARGUMENT, "the symbol for \"s\" is NULL"),
       "libraries and symbols that are not there");
    ok(ch_ffi_register_symbol(p, "add_one", symbols, "ffi_symbol_add_one") == CH_OK, "a library's handler");
    pthread_t t[4];
    bool one = true;
    for (int i = 0; i < 4; i++) one = pthread_create(&t[i], NULL, registering, p) == 0 && one;
    int first = 0;
    for (int i = 0; i < 4; i++) {
        void *got;
        pthread_join(t[i], &got);
        first += got != NULL;
    }
    ok(one && first == 1, "one of four threads registers a name");
    ok(strcmp(ch_ffi_registered(p, 0), "add_one") == 0 && strcmp(ch_ffi_registered(p, 5), "twice") == 0 &&
           ch_ffi_registered(p, 6) == NULL,
       "names in order");
}

static void in_sessions(ch_plugin *p, const char *path) {
    static const char config[] = ", backend_config = {big = 5000000000 : i64, small = -3 : i32, flag = true, "
                                 "single = 0.5 : f32, double = 0.1 : f64, text = \"a b\", list = array<i64: 7, 8, 9>, "
                                 "outer = {inner = 11 : i64}, point.ed = 13 : i64, huge = 9223372036854775808 : ui64, "
                                 "wide = 9223372036854775807 : ui64}";
    const ch_session_options o = {.struct_size = sizeof o, .plugin = path};
    ch_session *s = NULL, *other = NULL;
    float out[3];
    ok(ch_session_open(&o, &s) == CH_OK && ch_session_open(&o, &other) == CH_OK && ch_session_plugin(s) == p,
       "two sessions");
    ok(gives(s, "twice", "", 2, 4, 6), "a call without backend_config");
    ok(gives(s, "twice", ", backend_config = {unused = 1 : i64}, has_side_effect = true", 2, 4, 6), "a call with one");
    ok(gives(other, "twice", "", 2, 4, 6), "the other session has the handler too");
    if (target_on_host())
        ok(gives(s, "add_one", "", 2, 3, 4), "the library's handler");
    else
        printf("ok %d - the library's handler # SKIP it is written for the host's memory\n", ++case_number);
    ok(refused(run(s, "picky", "", out), CH_INVALID_ARGUMENT, "picky: these numbers are not liked"),
       "a handler's error is the run's");
    ok(refused(run(s, "plain", "", out), CH_FAILED_PRECONDITION, "plain: UNAVAILABLE"), "an error without a sentence");
    if (mock)
        printf("ok %d - attributes of every kind # SKIP the mock plugin passes none\n", ++case_number);
    else
        ok(refused(run(s, "attributes", config, out), CH_INVALID_ARGUMENT,
                   "attribute text is text, a number is wanted") &&
               strcmp(read_out, "11 big 5000000000 -3 1 0.5 0.1 a b i64[3]:9 11 13 9223372036854775807") == 0,
           "attributes of every kind");
    ok(refused(run(s, "attributes", "", out), CH_NOT_FOUND, "attributes: there is no attribute big"), "none of them");
    ok(refused(run(s, "unknown", "", out), CH_NOT_FOUND, "handlers registered with this plugin: add_one, ") &&
           strstr(ch_error_message(), "plain, twice") != NULL,
       "an unknown target: those registered are listed");
    if (mock)
        printf("ok %d - a call of another version # SKIP the mock plugin looks at names only\n", ++case_number);
    else
        ok(refused(run_version(s, "twice", 1, "", out), CH_NOT_FOUND,
                   "the handler is there: write {api_version = 4 : i32}") &&
               refused(run_version(s, "unknown", 1, "", out), CH_NOT_FOUND,
                       "handlers registered with this plugin: add_one"),
           "a call of another version");
    ok(gives(s, "twice", "", 2, 4, 6), "and the session goes on");
    pthread_t t[4];
    int before = atomic_load(&calls);
    bool good = true;
    for (int i = 0; i < 4; i++) good = pthread_create(&t[i], NULL, many_runs, i % 2 == 0 ? s : other) == 0 && good;
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(t[i], &failed);
        good = good && failed == NULL;
    }
    ok(good && atomic_load(&calls) - before == 800, "four threads, 800 calls");
    ch_session_close(s);
    ch_session_close(other);
}

// Every name has an address of its own: none gets another's calls. Then the pool is empty.
static void to_the_last(ch_plugin *p, const char *path, int used) {
    static float values[300];
    const ch_session_options o = {.struct_size = sizeof o, .plugin = path};
    char name[32];
    int n = 0;
    ch_status st = CH_OK;
    for (; n < 300 && st == CH_OK; n++) {
        values[n] = (float)n;
        snprintf(name, sizeof name, "fill%d", n);
        st = ch_ffi_register(p, name, fill, &values[n]);
    }
    ok(refused(st, CH_RESOURCE_EXHAUSTED, "a process has 256") && n - 1 + used == 256, "256 handlers and no more");
    ch_session *s = NULL;
    bool good = ch_session_open(&o, &s) == CH_OK;
    for (int i = 0; good && i < n - 1; i += 60) {
        snprintf(name, sizeof name, "fill%d", i);
        good = gives(s, name, "", (float)i, (float)i, (float)i);
    }
    ok(good, "each calls its own");
    ch_session_close(s);
}

int main(int argc, char **argv) {
    ch_plugin *p = NULL;
    const char *symbols = argv[argc - 1];
    int used = 0;
    if (argc < 3) return 2;
    mock = strcmp(argv[1], "--mock") == 0;
    bool none = strcmp(argv[1], "--none") == 0;
    for (int i = mock || none ? 2 : 1; i + 1 < argc; i++) {
        printf("# %s\n", strrchr(argv[i], '/') + 1);
        if (ch_plugin_load(argv[i], &p) != CH_OK) {
            ok(false, "loaded");
            continue;
        }
        if (none) {
            ok(refused(ch_ffi_register(p, "twice", twice, NULL), CH_UNIMPLEMENTED, "has no way to register handlers") &&
                   ch_ffi_registered(p, 0) == NULL,
               "refused");
            p = NULL;
            continue;
        }
        before_any_session(p, symbols);
        in_sessions(p, argv[i]);
        used += 6; // of this plugin
    }
    if (p != NULL && !mock) to_the_last(p, argv[argc - 2], used);
    printf("1..%d\n", case_number);
    ch_thread_end();
    return failures != 0;
}
