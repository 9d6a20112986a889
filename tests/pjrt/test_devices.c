// SPDX-License-Identifier: Apache-2.0
// test_devices.c - replicas and partitions on the virtual devices of real plugins: the numbers of the interpreter's
// replicas and of one device, gradients through collectives, what is refused.
//
// usage: pjrt_devices PLUGIN...
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chaac/chaac.h"

static int ran, failed;
static void report(int ok, const char *plugin, const char *what) {
    const char *name = strrchr(plugin, '/');
    printf("%s %d - %s, %s\n", ok ? "ok" : "not ok", ++ran, what, name ? name + 1 : plugin);
    if (!ok) printf("# %s\n", ch_error_message());
    failed += !ok;
    fflush(stdout);
}

static const char all_kinds[] =
    "chaac-ir 1\n"
    "func @f(%x: f32[4,2], %w: f32[4,2]) -> (f32[4,2], f32[4,4], f32[2,2], f32[2,4], f32[4,2]) {\n"
    "  %i = replica_id : u32[]\n"
    "  %j = convert %i : f32[]\n"
    "  %b = broadcast %j {dims = []} : f32[4,2]\n"
    "  %y = add %x, %b : f32[4,2]\n"
    "  %z = mul %y, %w : f32[4,2]\n"
    "  %m = all_reduce %z {kind = max, replicas = [[0,1],[2,3]]} : f32[4,2]\n"
    "  %s = all_reduce %m {kind = sum, replicas = [[0,2],[1,3]]} : f32[4,2]\n"
    "  %g = all_gather %z {dim = 1, replicas = [[0,1],[3,2]]} : f32[4,4]\n"
    "  %r = reduce_scatter %z {kind = sum, dim = 0, replicas = [[0,1],[2,3]]} : f32[2,2]\n"
    "  %t = all_to_all %z {split_dim = 0, concat_dim = 1, replicas = [[0,3],[1,2]]} : f32[2,4]\n"
    "  %p = permute %z {pairs = [0,1,3]x[1,2,0]} : f32[4,2]\n"
    "  return %s, %g, %r, %t, %p\n"
    "}\n";

static const char sharded[] =
    "chaac-ir 1\n"
    "func @g(%x: f32[8,4] sharded \"m[a=2, b=2] [{a}, {b}]\", %w: f32[4,6] sharded \"m[a=2, b=2] [{b}, {}]\") -> "
    "(f32[8,6] sharded \"m[a=2, b=2] [{b, a}, {}]\", f32[]) {\n"
    "  %y = dot %x, %w {contract = [1]x[0]} : f32[8,6]\n"
    "  %h = shard %y {sharding = \"m[a=2, b=2] [{}, {b}]\"} : f32[8,6]\n"
    "  %t = tanh %h : f32[8,6]\n"
    "  %s = reduce %t {kind = sum, dims = [0,1]} : f32[]\n"
    "  return %t, %s\n"
    "}\n";

static int close_to(ch_tensor *x, ch_tensor *y) {
    float a[64], b[64];
    size_t n = 1;
    for (int d = 0; d < ch_tensor_rank(x); d++) n *= (size_t)ch_tensor_dim(x, d);
    if (n > 64 || ch_read_f32(x, a, n) != CH_OK || ch_read_f32(y, b, n) != CH_OK) return 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-5f * (1 + fabsf(a[i])))) return 0;
    return 1;
}

// Inputs of n runs of f, all different.
static void fill(const ch_func *f, int n, ch_tensor **in) {
    int n_in = ch_func_num_params(f);
    for (int k = 0; k < n * n_in; k++) {
        int64_t dims[16];
        int rank;
        float v[64];
        if (ch_func_param_dims(f, k % n_in, 0, NULL, NULL, &rank, dims) != CH_OK) continue;
        for (int i = 0; i < 64; i++) v[i] = (float)((i * 37 + k * 23) % 64) / 32 - 1;
        in[k] = ch_from_f32(v, rank, dims);
    }
}

// f on n devices against the interpreter: n replicas, or one run when it is cut (partitions).
static int agrees(ch_session *s, const ch_func *f, int n) {
    ch_exec *e = NULL;
    ch_tensor *in[64], *want[64] = {NULL}, *got[64] = {NULL};
    int n_in = ch_func_num_params(f), n_out = ch_func_num_results(f), ok = 0;
    fill(f, n, in);
    if (ch_compile(f, "interp", NULL, &e) != CH_OK) return 0;
    if (ch_exec_run_replicas(e, NULL, n, n_in, in, n_out, want) == CH_OK &&
        ch_session_run_devices(s, f, n_in, in, n_out, got) == CH_OK) {
        ok = 1;
        for (int i = 0; i < n * n_out; i++) ok = ok && close_to(want[i], got[i]);
        if (!ok) ch_error_set("argument", "the numbers differ");
    }
    for (int i = 0; i < n * n_out; i++) ch_release(want[i]), ch_release(got[i]);
    ch_exec_release(e);
    return ok;
}

static int says(ch_status s, const char *sentence) {
    return s != CH_OK && strstr(ch_error_message(), sentence) != NULL;
}

static void on_plugin(const char *plugin) {
    ch_session_options o = {.struct_size = sizeof o, .plugin = plugin, .device_count = 4};
    ch_session *s = NULL, *one = NULL;
    ch_func *f = NULL, *g = NULL, *h = NULL;
    ch_tensor *in[64], *out[64];
    if (ch_session_open(&o, &s) != CH_OK || ch_func_parse(all_kinds, "f.ir", &f) != CH_OK ||
        ch_func_parse(sharded, "g.ir", &g) != CH_OK) {
        report(0, plugin, "a session of 4 devices");
        return;
    }
    report(ch_session_device_count(s) == 4, plugin, "a session of 4 devices");
    report(agrees(s, f, 4), plugin, "every collective: 4 replicas as the interpreter's");
    report(ch_vjp(f, "x, w", 0, &h) == CH_OK && agrees(s, h, 4), plugin, "their adjoints");
    ch_func_destroy(h);
    h = NULL;
    report(ch_jvp(f, "x, w", 0, &h) == CH_OK && agrees(s, h, 4), plugin, "their tangents");
    ch_func_destroy(h);
    h = NULL;
    report(agrees(s, g, 1), plugin, "arrays cut on a mesh of 2 x 2 as one device's");
    report(ch_vjp(g, "x, w", 1, &h) == CH_OK && agrees(s, h, 1), plugin, "their gradients");
    ch_func_destroy(h);
    h = NULL;
    o.device_count = 0;
    fill(f, 4, in);
    report(ch_session_open(&o, &one) == CH_OK &&
               says(ch_session_run_devices(one, f, 2, in, 5, out),
                    "@f is for 4 devices, the session has 1 — open it with device_count"),
           plugin, "too few devices");
    ch_session_close(one);
    report(ch_func_with_sharding(g, "w", "m[a=2, b=2] [{}, {a, b}]", &h) == CH_OK &&
               says(ch_session_run_devices(s, h, 2, in, 2, out),
                    "axis 1 of param 1 is 6 and cut into 4 pieces — they have to be equal"),
           plugin, "an axis that does not part evenly");
    ch_func_destroy(h);
    report(says(ch_session_run_devices(s, g, 2, in, 2, out), "give one of its type"), plugin,
           "a tensor of another type");
    o.num_processes = 2;
    one = NULL;
    report(says(ch_session_open(&o, &one), "one process"), plugin, "several processes");
    ch_session_close(s);
    ch_func_destroy(f);
    ch_func_destroy(g);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) on_plugin(argv[i]);
    printf("1..%d%s\n", ran, ran ? "" : " # SKIP no plugin");
    ch_thread_end();
    return failed != 0;
}
