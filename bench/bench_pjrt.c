// SPDX-License-Identifier: Apache-2.0
// bench_pjrt.c - what a session's call costs over the plugin's own: execute, await, destroy the result; and beside
// jax.jit's dispatch of the same sum.
//
// usage: bench_pjrt; $CHAAC_PJRT_PLUGIN_PATH names the plugin. A sum of two f32[4], and one of 366. Runs of both kinds
// take turns, and the fastest of each counts, so that a loaded machine changes the ratio little. Bars: 1.15 and 1.1 of
// the plugin's calls; 0.55 of JAX (pjrt_add.py, by $CHAAC_BENCH_PYTHON), whose arrays lie on its device too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "chaac/chaac.h"
#include "pjrt/pjrt.h"

enum { ROUNDS = 400, CALLS = 50, MOST = 366 };

static void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, ch_error_message());
    exit(1);
}

static char *sum_of(int n) {
    char *text = calloc((size_t)n + 2, 200), *t = text;
    t += sprintf(t, "module @sum {\n  func.func @main(");
    for (int i = 0; i < n; i++) t += sprintf(t, "%s%%a%d: tensor<4xf32>", i > 0 ? ", " : "", i);
    t += sprintf(t, ") -> tensor<4xf32> {\n    %%s1 = stablehlo.add %%a0, %%a1 : tensor<4xf32>\n");
    for (int i = 2; i < n; i++)
        t += sprintf(t, "    %%s%d = stablehlo.add %%s%d, %%a%d : tensor<4xf32>\n", i, i - 1, i);
    sprintf(t, "    return %%s%d : tensor<4xf32>\n  }\n}\n", n - 1);
    return text;
}

static void raw_call(const ch_plugin *p, pj_loaded_executable *e, pj_buffer *const *in, int n) {
    pj_execute_options options = {PJ_ARGS(pj_execute_options)};
    pj_buffer *const *in_lists[1] = {in};
    pj_buffer *out[1] = {NULL};
    pj_buffer **out_lists[1] = {out};
    pj_event *events[1] = {NULL};
    pj_loaded_executable_execute_args a = {PJ_ARGS(pj_loaded_executable_execute_args),
                                           .executable = e,
                                           .options = &options,
                                           .argument_lists = in_lists,
                                           .num_devices = 1,
                                           .num_args = (size_t)n,
                                           .output_lists = out_lists,
                                           .device_complete_events = events};
    if (p->api->slot[PJ_LOADED_EXECUTABLE_EXECUTE](&a) != NULL) exit(1);
    pj_event_await_args w = {PJ_ARGS(pj_event_await_args), .event = events[0]};
    if (p->api->slot[PJ_EVENT_AWAIT](&w) != NULL) exit(1);
    pj_event_destroy_args d = {PJ_ARGS(pj_event_destroy_args), .event = events[0]};
    if (p->api->slot[PJ_EVENT_DESTROY](&d) != NULL) exit(1);
    pj_buffer_destroy_args b = {PJ_ARGS(pj_buffer_destroy_args), .buffer = out[0]};
    if (p->api->slot[PJ_BUFFER_DESTROY](&b) != NULL) exit(1);
}

static double measure(ch_session *s, int n, double bar) {
    char *text = sum_of(n), name[64];
    float v[4] = {1, 2, 3, 4};
    ch_buffer *in[MOST], *out = NULL;
    pj_buffer *handles[MOST];
    ch__pjrt_program *p = NULL;
    double ours[ROUNDS], raw[ROUNDS];
    ch_session_call call = {.struct_size = sizeof call, .key = n == 2 ? "two" : "many"};
    for (int i = 0; i < n; i++) {
        if (ch_buffer_from_host(s, v, "f32[4]", &in[i]) != CH_OK) die("upload");
        handles[i] = in[i]->handle;
    }
    if (ch__pjrt_compile(s, text, strlen(text), NULL, &p) != CH_OK) die("compile");
    for (int r = 0; r < ROUNDS; r++) {
        double begin = bench_now();
        for (int i = 0; i < CALLS; i++) raw_call(s->plugin, p->loaded, handles, n);
        double middle = bench_now();
        for (int i = 0; i < CALLS; i++) {
            if (ch_session_run_text_with(s, &call, text, n, in, 1, &out) != CH_OK) die("run");
            ch_buffer_release(out);
        }
        raw[r] = 1e6 * (middle - begin) / CALLS;
        ours[r] = 1e6 * (bench_now() - middle) / CALLS;
    }
    snprintf(name, sizeof name, "%d of f32[4], the plugin's calls", n);
    bench_report(name, raw, ROUNDS, "us", 0);
    snprintf(name, sizeof name, "%d of f32[4], a session's call", n);
    bench_report(name, ours, ROUNDS, "us", 0);
    double ratio = ours[0] / raw[0];
    snprintf(name, sizeof name, "%d of f32[4], ratio", n);
    bench_report(name, &ratio, 1, "x", bar);
    for (int i = 0; i < n; i++) ch_buffer_release(in[i]);
    free(text);
    return ours[0];
}

static void beside_jax(double ours) {
    double jax = bench_by_python("pjrt_add.py", "2");
    if (jax == 0) {
        printf("# 2 of f32[4]: no JAX is found: CHAAC_BENCH_PYTHON names a Python that has it\n");
        return;
    }
    bench_report("2 of f32[4], jax.jit's dispatch", &jax, 1, "us", 0);
    double ratio = ours / jax;
    bench_report("2 of f32[4], ratio to jax.jit", &ratio, 1, "x", 0.55);
}

int main(void) {
    ch_session *s = NULL;
    if (ch_session_open(NULL, &s) != CH_OK) die("open");
    double two = measure(s, 2, 1.15);
    beside_jax(two);
    (void)measure(s, MOST, 1.1);
    ch_session_close(s);
    return 0;
}
