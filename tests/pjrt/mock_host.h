// SPDX-License-Identifier: Apache-2.0
// mock_host.h - for tests: copies of the mock plugin, each a plugin of its own, and what they counted.
#ifndef CHAAC_TESTS_MOCK_HOST_H
#define CHAAC_TESTS_MOCK_HOST_H

#include "../unit/unit.h"

#include "chaac/chaac.h"
#include "chaac/pjrt.h"
#include "mock_plugin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char mock_folder[64]; // of the copies; removed by mock_end

static inline void mock_begin_tests(void) {
    strcpy(mock_folder, "/tmp/chaac-mock-XXXXXX");
    if (mkdtemp(mock_folder) == NULL) abort();
}

static inline int mock_end_tests(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", mock_folder);
    return system(command);
}

typedef struct mock_host {
    char path[128];
    mock_state *state;
} mock_host;

// A copy of the file, which loaded next is the plugin that config describes.
static inline void mock_host_copy(const char *config, char path[128]) {
    static int n;
    const char *file = getenv("MOCK_PLUGIN_FILE");
    char command[512];
    if (file == NULL) fail_msg("MOCK_PLUGIN_FILE is not set — it names mock_plugin.so");
    snprintf(path, 128, "%s/plugin%d.so", mock_folder, n++);
    snprintf(command, sizeof command, "cp '%s' '%s'", file, path);
    assert_int_equal(system(command), 0);
    setenv("MOCK_PLUGIN", config, 1);
}

static inline mock_host mock_host_load(const char *config) {
    mock_host h;
    mock_host_copy(config, h.path);
    ch_plugin *p = NULL;
    if (ch_plugin_load(h.path, &p) != CH_OK) fail_msg("%s", ch_error_message());
    void *library = dlopen(h.path, RTLD_NOW | RTLD_LOCAL), *symbol = dlsym(library, "mock_plugin_state");
    assert_non_null(symbol);
    mock_plugin_state_fn get;
    memcpy(&get, &symbol, sizeof get);
    h.state = get();
    return h;
}

// Nothing is alive, nothing was misused, no program ran twice at once.
static inline void mock_host_clean(const mock_host *h, const char *after) {
    static const char *const names[MOCK_KINDS] = {
        "errors", "events", "clients", "programs", "executables", "buffers", "serialized programs", "contexts"};
    for (int k = 0; k < MOCK_KINDS; k++)
        if (atomic_load(&h->state->live[k]) != 0)
            fail_msg("%s: %lld %s are alive", after, (long long)atomic_load(&h->state->live[k]), names[k]);
    if (atomic_load(&h->state->misuses) != 0) fail_msg("%s: misuse: %s", after, h->state->misuse);
    if (atomic_load(&h->state->bytes_live) != 0) fail_msg("%s: device memory is alive", after);
    if (atomic_load(&h->state->overlaps) != 0) fail_msg("%s: a program ran while it ran", after);
}

// Everything that is set back to nothing; counters of what happened too.
static inline void mock_host_reset(mock_host *h) {
    mock_state *s = h->state;
    atomic_store(&s->fail_at, 0);
    atomic_store(&s->fail_event_at, 0);
    atomic_store(&s->fail_code, 0);
    atomic_store(&s->fail_slot, 0);
    atomic_store(&s->late_us, 0);
    atomic_store(&s->run_fails, 0);
    atomic_store(&s->execute_fails, 0);
    atomic_store(&s->transposed, 0);
    atomic_store(&s->more_bytes, 0);
    atomic_store(&s->more_outputs, 0);
    atomic_store(&s->no_statistics, 0);
    atomic_store(&s->no_serialize, 0);
    atomic_store(&s->refuse_load, 0);
    atomic_store(&s->compile_us, 0);
    atomic_store(&s->memory_limit, 0);
    atomic_store(&s->misuses, 0);
    atomic_store(&s->overlaps, 0);
    atomic_store(&s->foreign, 0);
    atomic_store(&s->bytes_up, 0);
    atomic_store(&s->bytes_down, 0);
    atomic_store(&s->calls, 0);
    for (int i = 0; i < PJ_SLOTS; i++) atomic_store(&s->of_slot[i], 0);
}

static inline ch_session *mock_host_open(const mock_host *h) {
    ch_session *s = NULL;
    ch_session_options o = {.struct_size = sizeof o, .plugin = h->path};
    if (ch_session_open(&o, &s) != CH_OK) fail_msg("%s", ch_error_message());
    return s;
}

#define ADD_TEXT                                                                                                       \
    "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"                                       \
    "  %0 = stablehlo.add %x, %y : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
// w is donated for the first result; the second is a number.
#define STEP_TEXT                                                                                                      \
    "module @step {\nfunc.func public @main(%w1: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, "                     \
    "%g: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {\n"                                                   \
    "  %0 = stablehlo.subtract %w1, %g : tensor<2x3xf32>\n  %1 = stablehlo.multiply %g, %g : tensor<2x3xf32>\n"        \
    "  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>\n}\n}\n"

#endif
