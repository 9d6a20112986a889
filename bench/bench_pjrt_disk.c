// SPDX-License-Identifier: Apache-2.0
// bench_pjrt_disk.c - programs of devices from the disk cache: from the compile call, with the plugin loaded and the
// session open, to the first result, cold (nothing is kept) and warm, for training steps that JAX wrote.
//
// usage: bench_pjrt_disk [PLUGIN [FILE.mlir ...]]; without a plugin $CHAAC_PJRT_PLUGIN_PATH, without files the steps of
// tests/hlo/jax. Each measurement is a process of its own, started anew (--one PLUGIN FILE): the library reads its
// variables once, so one that is only forked would have the folder that its parent had. The bar: warm is at most 1/15
// of cold.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "base/base.h"
#include "chaac/chaac.h"
#include "chaac/pjrt.h"

enum { RUNS = 5, MOST = 512 };

// Milliseconds of one start; from: what it was taken from.
typedef struct {
    double ms;
    int64_t compiles, from_disk;
} start;

static void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, ch_error_message());
    exit(1);
}

static start first_result(const char *plugin, const char *text) {
    ch_session_options o = {.struct_size = sizeof o, .plugin = plugin};
    ch_session *s = NULL;
    ch_func *f = NULL;
    ch_buffer *in[MOST], *out[MOST];
    ch_session_counters c;
    if (ch_session_open(&o, &s) != CH_OK) die("open");
    if (ch_hlo_parse(text, "bench.mlir", NULL, &f) != CH_OK) die("parse");
    int n_in = ch_func_num_params(f), n_out = ch_func_num_results(f);
    if (n_in > MOST || n_out > MOST) exit(1);
    void *zeros = calloc(1, 64 << 20);
    for (int i = 0; i < n_in; i++)
        if (ch_buffer_from_host(s, zeros, ch_func_param_type(f, i), &in[i]) != CH_OK) die("upload");
    double begin = bench_now();
    if (ch_session_prepare_text(s, NULL, text) != CH_OK) die("compile");
    if (ch_session_run_text(s, text, n_in, in, n_out, out) != CH_OK) die("run");
    if (ch_buffer_read(out[0], zeros, ch_buffer_bytes(out[0])) != CH_OK) die("read");
    start r = {.ms = 1e3 * (bench_now() - begin)};
    ch_session_count(s, &c);
    r.compiles = c.compiles;
    r.from_disk = c.from_disk;
    for (int i = 0; i < n_in; i++) ch_buffer_release(in[i]);
    for (int i = 0; i < n_out; i++) ch_buffer_release(out[i]);
    ch_session_close(s);
    return r;
}

static const char *self;

static char *text_of(const char *path) {
    char *text;
    size_t n;
    if (ch__file_read(path, 0, &text, &n) != CH_OK) die(path);
    return text;
}

static void say_notice(void *user, int level, const char *text) {
    (void)user, (void)level;
    fprintf(stderr, "# %s\n", text);
}

static start in_a_process(const char *plugin, const char *path, const char *folder) {
    int ends[2], status;
    start r = {0};
    if (pipe(ends) != 0) abort();
    pid_t child = fork();
    if (child == 0) {
        setenv("CHAAC_PJRT_CACHE_DIR", folder, 1);
        if (dup2(ends[1], 1) != 1) _exit(1);
        execl(self, self, "--one", plugin, path, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    bool good = read(ends[0], &r, sizeof r) == (ssize_t)sizeof r;
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || !good) exit(1);
    return r;
}

static void measure(const char *plugin, const char *path, const char *folder) {
    char name[64], label[100];
    double cold[RUNS], warm[RUNS];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash == NULL ? path : slash + 1);
    for (int i = 0; i < RUNS; i++) cold[i] = in_a_process(plugin, path, "off").ms;
    (void)in_a_process(plugin, path, folder);
    for (int i = 0; i < RUNS; i++) {
        start w = in_a_process(plugin, path, folder);
        if (w.compiles != 0 || w.from_disk != 1) {
            fprintf(stderr, "%s: the second process compiled\n", name);
            exit(1);
        }
        warm[i] = w.ms;
    }
    snprintf(label, sizeof label, "pjrt disk, %s, cold", name);
    bench_report(label, cold, RUNS, "ms", 0);
    snprintf(label, sizeof label, "pjrt disk, %s, warm", name);
    bench_report(label, warm, RUNS, "ms", cold[0] / 15);
}

static int one(const char *plugin, const char *path) {
    char *text = text_of(path);
    ch_set_log(say_notice, NULL);
    start r = first_result(plugin, text);
    ch__free(text);
    return write(1, &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1;
}

int main(int argc, char **argv) {
    static const char *const steps[] = {"tests/hlo/jax/mlp_step.mlir", "tests/hlo/jax/conv_step.mlir",
                                        "tests/hlo/jax/gpt_step.mlir"};
    char folder[] = "/tmp/chaac-bench-XXXXXX", *plugin = NULL, command[64];
    if (argc == 4 && strcmp(argv[1], "--one") == 0) return one(argv[2], argv[3]);
    self = argv[0];
    if (mkdtemp(folder) == NULL) return 1;
    if (ch_plugin_find(CH_CPU, argc > 1 ? argv[1] : NULL, &plugin) != CH_OK) {
        fprintf(stderr, "# skip: %s\n", ch_error_message());
        return 0;
    }
    for (int i = 0; i < (argc > 2 ? argc - 2 : 3); i++) measure(plugin, argc > 2 ? argv[i + 2] : steps[i], folder);
    ch_string_free(plugin);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}
