// SPDX-License-Identifier: Apache-2.0
// test_traps.c - what ends the process or gives wrong values when a plugin sees it, and therefore must not reach one.
//
// usage: test_traps [PLUGIN ...]
//
// CHAAC_TEST_CUDA_PLUGIN names a plugin for CUDA (wheels jax-cuda12-pjrt, jax-cuda13-pjrt) for a machine without a GPU,
// where its client cannot be made.
// Each row runs in a process of its own over each plugin, the mock first: the process must live, and the row hold. The
// mock counts as a misuse what makes a real plugin end the process.
#include "mock_host.h"

#include <sys/wait.h>

static const char *plugin; // of this child
static mock_state *mock;   // NULL: a real one

static ch_session *opened(void) {
    ch_session *s = NULL;
    ch_session_options o = {.struct_size = sizeof o, .plugin = plugin};
    if (ch_session_open(&o, &s) != CH_OK) {
        printf("# %s\n", ch_error_message());
        exit(2);
    }
    return s;
}

static ch_buffer *made(ch_session *s, const char *type, const void *data) {
    ch_buffer *b = NULL;
    if (ch_buffer_from_host(s, data, type, &b) != CH_OK) printf("# %s\n", ch_error_message());
    return b;
}

// Refused, with a sentence that has these words.
static bool refused(ch_status s, const char *words) {
    if (s != CH_OK && strstr(ch_error_message(), words) != NULL) return true;
    printf("# status %d: %s; \"%s\" is expected\n", (int)s, s == CH_OK ? "" : ch_error_message(), words);
    return false;
}

static bool still_runs(ch_session *s) {
    ch_buffer *x = made(s, "f32[4]", (float[]){1, 2, 3, 4}), *y = NULL;
    float v[4] = {0};
    bool good = ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &y) == CH_OK &&
                ch_buffer_read(y, v, sizeof v) == CH_OK && v[3] == 8;
    if (!good) printf("# afterwards: %s\n", ch_error_message());
    ch_buffer_release(x);
    ch_buffer_release(y);
    ch_session_close(s);
    return good;
}

// ---------------------------------------------------------------- what would end the process
static bool null_buffers(void) {
    ch_session *s = opened();
    ch_buffer *x = made(s, "f32[4]", (float[4]){0}), *y = NULL;
    return refused(ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, NULL}, 1, &y), "NULL") &&
           refused(ch_session_run_text(s, ADD_TEXT, 2, NULL, 1, &y), "give both") &&
           refused(ch_buffer_from_host(s, NULL, "f32[4]", &y), "NULL") && (ch_buffer_release(x), true) && still_runs(s);
}

static bool element_types(void) {
    static const char *const types[] = {"c64[2]",  "c128[2]", "i4[2]",   "u4[2]",   "f99[2]",  "[2]",
                                        "f32",     "f32[2",   "f32[-1]", "f32[n]",  "f32[2]x", "",
                                        "f32[+2]", "f32[-0]", "f32[2,]", "f32[,2]", "f32[ 2]", "f32[2 ]"};
    ch_session *s = opened();
    float v[16] = {0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ch_buffer *b = NULL;
        if (ch_buffer_from_host(s, v, types[i], &b) == CH_OK || b != NULL) return printf("# %s\n", types[i]), false;
    }
    return refused(ch_buffer_from_host(s, v, NULL, &(ch_buffer *){NULL}), "type") && still_runs(s);
}

// Options are never empty, also when nothing is said; numbers of none and of too many are refused.
static bool empty_options(void) {
    ch_session *s = opened();
    ch_buffer *x = made(s, "f32[4]", (float[4]){0}), *y = NULL;
    ch_session_call none = {.struct_size = sizeof none}, many = {.struct_size = sizeof many, .n_replicas = 1000};
    ch_session_call negative = {.struct_size = sizeof negative, .n_partitions = -1};
    bool good = ch_session_run_text_with(s, &none, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &y) == CH_OK;
    ch_buffer_release(y);
    y = NULL;
    good = good && refused(ch_session_run_text_with(s, &many, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &y), "1000");
    (void)!ch_session_run_text_with(s, &negative, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 1, &y);
    ch_buffer_release(y);
    ch_buffer_release(x);
    return good && still_runs(s);
}

static bool option_types(void) {
    ch_session *s = NULL;
    ch_session_options o = {.struct_size = sizeof o, .plugin = plugin, .device_count = -3};
    if (ch_session_open(&o, &s) == CH_OK) return printf("# -3 devices\n"), false;
    o.device_count = 0;
    o.preallocate = "7";
    (void)!ch_session_open(&o, &s); // of CUDA only
    ch_session_close(s);
    return still_runs(opened());
}

// What @main takes besides arrays is named, and only that.
static bool no_arrays(void) {
    static const char token[] = "func.func @main(%x: tensor<4xf32>) -> !stablehlo.token {\n"
                                "  %0 = stablehlo.create_token : !stablehlo.token\n  return %0 : !stablehlo.token\n}\n";
    static const char tuple[] = "func.func @main(%x: tuple<tensor<4xf32>>, %y: tensor<4xf32>) {\n  return\n}\n";
    ch_session *s = opened();
    return refused(ch_session_prepare_text(s, NULL, token),
                   "program: a param or result of @main, !stablehlo.token, is no tensor type") &&
           refused(ch_session_prepare_text(s, NULL, tuple),
                   "program: a param or result of @main, tuple<tensor<4xf32>>, is no tensor type") &&
           still_runs(s);
}

static bool oversized(void) {
    static const char *const texts[] = {
        "func.func @main(%x: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {\n"
        "  return %x : tensor<1099511627776xf32>\n}\n",
        "func.func @main(%x: tensor<4294967296x4294967296x4294967296xf64>) -> tensor<4xf32> {\n"
        "  %0 = stablehlo.constant dense<0.0> : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
        "func.func @main() -> tensor<99999999999999999999xf32> {\n  return\n}\n",
        "func.func @main() -> tensor<f32> {\n  %0 = stablehlo.constant dense<0.0> : tensor<1099511627776xf32>\n"
        "  %1 = stablehlo.constant dense<0.0> : tensor<f32>\n  return %1 : tensor<f32>\n}\n",
    };
    ch_session *s = opened();
    ch_buffer *b = NULL;
    bool good = refused(ch_buffer_from_host(s, "", "f32[1099511627776]", &b), "buffer");
    for (size_t i = 0; i < sizeof texts / sizeof *texts && good; i++) {
        good = ch_session_prepare_text(s, NULL, texts[i]) != CH_OK;
        if (!good) printf("# text %zu is compiled\n", i);
    }
    return good && still_runs(s);
}

static bool unknown_flags(void) {
    ch_session *s = NULL;
    ch_session_options o = {.struct_size = sizeof o, .plugin = plugin};
    setenv("XLA_FLAGS", "--xla_nosuch=1", 1);
    bool good = refused(ch_session_open(&o, &s), "xla_nosuch");
    // Words that are in the file and no flags, flags that are not written as flags.
    static const char *const none[] = {"--xla",
                                       "--",
                                       "---xla_cpu_multi_thread_eigen=true",
                                       "-xla_cpu_multi_thread_eigen=true",
                                       "--xla_cpu_multi_thread_eigen:true",
                                       "--xla_cpu_multi_thread_eigen=true  --xla_ "};
    for (size_t i = 0; i < sizeof none / sizeof *none && good; i++) {
        setenv("XLA_FLAGS", none[i], 1);
        good = refused(ch_session_open(&o, &s), "which is no flag — it would end the process");
    }
    // Values that are not of the flag's kind, and those that are.
    static const char *const values[] = {"--xla_cpu_multi_thread_eigen=maybe",
                                         "--xla_cpu_multi_thread_eigen=",
                                         "--xla_cpu_multi_thread_eigen=truest",
                                         "--xla_backend_optimization_level",
                                         "--xla_backend_optimization_level=",
                                         "--xla_backend_optimization_level=1.0",
                                         "--xla_backend_optimization_level=0x1",
                                         "--xla_backend_optimization_level=+",
                                         "--xla_backend_optimization_level=+-1",
                                         "--xla_backend_optimization_level=99999999999",
                                         "--xla_cpu_multi_thread_eigen=true --xla_backend_optimization_level=two"};
    for (size_t i = 0; i < sizeof values / sizeof *values && good; i++) {
        setenv("XLA_FLAGS", values[i], 1);
        good =
            refused(ch_session_open(&o, &s), "which would end the process") &&
            refused(ch_session_open(&o, &s), i < 3 ? "takes true or false there" : "takes a whole number of 32 bits");
    }
    setenv("XLA_FLAGS", "flags.txt", 1);
    good = good && refused(ch_session_open(&o, &s), "flags.txt");
    setenv("XLA_FLAGS",
           " --xla_cpu_multi_thread_eigen=True  --xla_backend_optimization_level=+1 --xla_cpu_multi_thread_eigen", 1);
    return good && still_runs(opened());
}

// In a compile's own flags an unknown name, a value of another type, and words that are no flag.
static bool unknown_overrides(void) {
    static const char *const flags[] = {"xla_nosuch=1", "nonsense", "=", ""};
    ch_session *s = opened();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        ch_session_call call = {.struct_size = sizeof call, .n_flags = 1, .flags = &flags[i]};
        if (ch_session_prepare_text(s, &call, ADD_TEXT) == CH_OK) return printf("# %s is taken\n", flags[i]), false;
    }
    return still_runs(s);
}

// Memory of the host without anything to call when it is given back.
static bool no_release(void) {
    static _Alignas(64) float v[4] = {1, 2, 3, 4};
    ch_session *s = opened();
    ch_buffer *x = NULL;
    if (ch_buffer_alias_host(s, v, "f32[4]", NULL, NULL, &x) != CH_OK)
        return printf("# %s\n", ch_error_message()), false;
    ch_buffer_release(x);
    return still_runs(s);
}

#define DYNAMIC_TEXT "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}\n"

static bool broken_text(void) {
    static const char *const texts[] = {"",
                                        " ",
                                        "module {",
                                        "func.func @other() {\n  return\n}\n",
                                        "\x01\xff\xfe",
                                        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {",
                                        DYNAMIC_TEXT};
    ch_session *s = opened();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (ch_session_prepare_text(s, NULL, texts[i]) == CH_OK || ch_error_message()[0] == '\0')
            return printf("# text %zu is compiled\n", i), false;
    return refused(ch_session_prepare_text(s, NULL, NULL), "NULL") && still_runs(s);
}

static bool null_everything(void) {
    ch_buffer *b = NULL;
    ch_session *s = NULL;
    ch_session_memory_info m;
    ch_session_counters c;
    ch_session_close(NULL);
    ch_buffer_close(NULL);
    ch_buffer_release(NULL);
    ch_session_count(NULL, &c);
    bool good = refused(ch_session_open(NULL, NULL), "NULL") &&
                refused(ch_buffer_from_host(NULL, "", "f32[1]", &b), "NULL") &&
                refused(ch_buffer_read(NULL, NULL, 0), "NULL") && refused(ch_session_memory(NULL, &m), "NULL") &&
                refused(ch_session_run_text(NULL, ADD_TEXT, 0, NULL, 0, NULL), "NULL") && ch_buffer_bytes(NULL) == 0 &&
                ch_buffer_rank(NULL) == -1 && !ch_buffer_is_open(NULL);
    s = opened();
    b = made(s, "f32[2]", (float[2]){0});
    good = good && refused(ch_buffer_read(b, NULL, 8), "room") && refused(ch_buffer_read(b, &m, 4), "room");
    ch_buffer_close(b);
    ch_buffer_close(b); // twice
    ch_buffer_release(b);
    return good && still_runs(s);
}

// ---------------------------------------------------------------- what would give wrong values
// Plugins compare sizes in bytes only.
static bool same_bytes_another_type(void) {
    static const char *const types[] = {"f32[2,2]", "i32[4]", "f64[2]", "f32[1,4]", "u8[16]", "f16[8]"};
    ch_session *s = opened();
    ch_buffer *x = made(s, "f32[4]", (float[4]){0}), *y = NULL;
    char data[16] = {0};
    bool good = true;
    for (size_t i = 0; i < sizeof types / sizeof *types && good; i++) {
        ch_buffer *b = made(s, types[i], data);
        good = refused(ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, b}, 1, &y), types[i]) && y == NULL;
        ch_buffer_release(b);
    }
    good = good && refused(ch_session_run_text(s, ADD_TEXT, 1, &x, 1, &y), "2");
    ch_buffer *two[2] = {NULL, NULL};
    good = good && refused(ch_session_run_text(s, ADD_TEXT, 2, (ch_buffer *[]){x, x}, 2, two), "1");
    ch_buffer_release(x);
    return good && still_runs(s);
}

// Donated memory of the host is not written.
static bool donation_of_host_memory(void) {
    static _Alignas(64) float w[6] = {9, 9, 9, 9, 9, 9};
    ch_session *s = opened();
    ch_buffer *in[2] = {NULL, made(s, "f32[2,3]", (float[]){1, 2, 3, 4, 5, 6})}, *out[2] = {NULL, NULL};
    float v[6] = {0};
    bool good = ch_buffer_alias_host(s, w, "f32[2,3]", NULL, NULL, &in[0]) == CH_OK &&
                ch_session_run_text(s, STEP_TEXT, 2, in, 2, out) == CH_OK && !ch_buffer_is_open(in[0]) &&
                ch_buffer_read(out[0], v, sizeof v) == CH_OK && v[5] == 3;
    if (!good) printf("# %s\n", ch_error_message());
    for (int i = 0; i < 6; i++) good = good && w[i] == 9;
    for (int i = 0; i < 2; i++) {
        ch_buffer_release(in[i]);
        ch_buffer_release(out[i]);
    }
    return good && still_runs(s);
}

static bool donated_twice(void) {
    ch_session *s = opened();
    ch_buffer *w = made(s, "f32[2,3]", (float[6]){1}), *g = made(s, "f32[2,3]", (float[6]){1}), *out[2] = {NULL, NULL};
    ch_buffer *none[2] = {NULL, NULL};
    bool good =
        refused(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, w}, 2, out), "w1") && ch_buffer_is_open(w);
    good = good && ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, out) == CH_OK;
    good = good && refused(ch_session_run_text(s, STEP_TEXT, 2, (ch_buffer *[]){w, g}, 2, none),
                           "buffer used after donation: parameter 'w1' of 'step'");
    float v[6];
    good = good && refused(ch_buffer_read(w, v, sizeof v), "after donation");
    ch_buffer_release(w);
    ch_buffer_release(g);
    ch_buffer_release(out[0]);
    ch_buffer_release(out[1]);
    return good && still_runs(s);
}

// ---------------------------------------------------------------- what would surprise
static bool one_device(void) {
    ch_session *s = opened();
    bool good = ch_session_device_count(s) == 1;
    if (!good) printf("# %d devices\n", ch_session_device_count(s));
    return good && still_runs(s);
}

// Values of a CPU are read where they lie: the plugin's own way hops to another thread.
static bool read_by_address(void) {
    ch_session *s = opened();
    ch_buffer *x = made(s, "f32[4]", (float[]){1, 2, 3, 4});
    float v[4];
    bool good = ch_buffer_read(x, v, sizeof v) == CH_OK && v[2] == 3;
    if (mock != NULL) good = good && atomic_load(&mock->of_slot[PJ_BUFFER_TO_HOST_BUFFER]) == 0;
    ch_buffer_release(x);
    return good && still_runs(s);
}

static bool cuda_without_a_gpu(void) {
    ch_session *s = NULL;
    ch_session_options o = {.struct_size = sizeof o, .plugin = plugin, .target = CH_CUDA};
    return refused(ch_session_open(&o, &s), "GPU") && s == NULL;
}

static const struct {
    const char *name;
    bool (*holds)(void);
} rows[] = {
    {"NULL buffers and data", null_buffers},
    {"element types that no plugin takes", element_types},
    {"empty compile options", empty_options},
    {"options of clients", option_types},
    {"params that are no arrays", no_arrays},
    {"2^40 numbers", oversized},
    {"XLA_FLAGS with a flag that nobody knows", unknown_flags},
    {"overrides that nobody knows", unknown_overrides},
    {"host memory without a release", no_release},
    {"broken text", broken_text},
    {"NULL everywhere", null_everything},
    {"arguments of as many bytes and another type", same_bytes_another_type},
    {"donation of host memory", donation_of_host_memory},
    {"donated twice", donated_twice},
    {"one device", one_device},
    {"values read by address", read_by_address},
};
enum { ROWS = sizeof rows / sizeof *rows };

// ---------------------------------------------------------------- processes
static int run_child(bool (*holds)(void), bool is_mock) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (is_mock) {
            ch_plugin *p = NULL;
            if (ch_plugin_load(plugin, &p) != CH_OK) exit(2);
            void *symbol = dlsym(dlopen(plugin, RTLD_NOW | RTLD_LOCAL), "mock_plugin_state");
            mock_plugin_state_fn get;
            memcpy(&get, &symbol, sizeof get);
            mock = get();
        }
        bool good = holds();
        if (mock != NULL && atomic_load(&mock->misuses) != 0) {
            printf("# it reached the plugin: %s\n", mock->misuse);
            good = false;
        }
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) printf("# ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    const char *file = getenv("MOCK_PLUGIN_FILE");
    int n = 0, failed = 0;
    if (file == NULL) return printf("Bail out! MOCK_PLUGIN_FILE is not set\n"), 1;
    printf("1..%d\n", argc * ROWS + (argc == 1) + 1);
    for (int k = 0; k < argc; k++) {
        plugin = k == 0 ? file : argv[k];
        const char *slash = strrchr(plugin, '/');
        for (int i = 0; i < ROWS; i++) {
            // The mock of unknown_flags must not be loaded yet.
            int bad = run_child(rows[i].holds, k == 0 && rows[i].holds != unknown_flags);
            failed += bad;
            printf("%s %d - %s: %s\n", bad ? "not ok" : "ok", ++n, slash == NULL ? plugin : slash + 1, rows[i].name);
        }
    }
    if (argc == 1) printf("ok %d - real plugins # SKIP none is named\n", ++n);
    plugin = getenv("CHAAC_TEST_CUDA_PLUGIN");
    if (plugin == NULL) {
        printf("ok %d - CUDA without a GPU # SKIP CHAAC_TEST_CUDA_PLUGIN is not set\n", ++n);
    } else {
        int bad = run_child(cuda_without_a_gpu, false);
        failed += bad;
        printf("%s %d - CUDA without a GPU\n", bad ? "not ok" : "ok", ++n);
    }
    return failed > 0;
}
