// SPDX-License-Identifier: Apache-2.0
// scenarios_devices.h - several devices under failing allocations: collectives as tensors and as text, run by replicas,
// differentiated; shardings.
#ifndef CHAAC_TESTS_FAULT_SCENARIOS_DEVICES_H
#define CHAAC_TESTS_FAULT_SCENARIOS_DEVICES_H

static const char replicas_text[] =
    "chaac-ir 1\n"
    "func @f(%x: f32[2,4] sharded \"m[a=2] [{a}, {}]\") -> f32[4,2] {\n"
    "  %i = replica_id : u32[]\n"
    "  %j = convert %i : f32[]\n"
    "  %b = broadcast %j {dims = []} : f32[2,4]\n"
    "  %a = add %x, %b : f32[2,4]\n"
    "  %m = all_reduce %a {kind = max, replicas = [[0,1]]} : f32[2,4]\n"
    "  %s = shard %m {sharding = \"m[a=2] [{}, {a:(1)2}]\"} : f32[2,4]\n"
    "  %g = all_gather %s {dim = 0, replicas = [[1,0]]} : f32[4,4]\n"
    "  %r = reduce_scatter %g {kind = prod, dim = 1, replicas = [[0,1]]} : f32[4,2]\n"
    "  %t = all_to_all %r {split_dim = 0, concat_dim = 0, replicas = [[0,1]]} : f32[4,2]\n"
    "  %p = permute %t {pairs = [0,1]x[1,0]} : f32[4,2]\n"
    "  return %p\n"
    "}\n";

static const float replicas_data[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static ch_status replicas_run(void) {
    ch_func *f = NULL, *g = NULL, *h = NULL;
    ch_exec *e = NULL;
    ch_tensor *x = ch_from_f32(replicas_data, 2, (const int64_t[]){2, 4}), *in[4] = {x, x, x, x},
              *out[2] = {NULL, NULL};
    ch_status s = ch_func_parse(replicas_text, "t", &f);
    const int64_t n = s == CH_OK ? ch_func_num_replicas(f) : 0; // -1: no memory
    if (s == CH_OK && n != 2) s = n < 0 ? CH_RESOURCE_EXHAUSTED : CH_INTERNAL;
    if (s == CH_OK) s = ch_func_with_sharding(f, "0", "m[a=2] [{}, {a}]", &h);
    if (s == CH_OK) s = ch_vjp(h, "x", 0, &g);
    if (s == CH_OK) s = ch_func_print(g, sink);
    if (s == CH_OK) s = ch_compile(f, "interp", NULL, &e);
    if (s == CH_OK) s = ch_exec_run_replicas(e, NULL, 2, 1, in, 1, out);
    if (s == CH_OK)
        s = ch_func_param_sharding(f, 0) != NULL && ch_func_result_sharding(f, 0) == NULL ? CH_OK : CH_INTERNAL;
    ch_release(out[0]);
    ch_release(out[1]);
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_func_destroy(g);
    ch_func_destroy(h);
    return s;
}

// The gradient, run: results of one replica are there when another's allocation fails.
static ch_status replicas_gradient(void) {
    ch_func *f = NULL, *g = NULL;
    ch_exec *e = NULL;
    ch_tensor *x = ch_from_f32(replicas_data, 2, (const int64_t[]){2, 4}),
              *y = ch_from_f32(replicas_data, 2, (const int64_t[]){4, 2}), *in[4] = {x, y, x, y},
              *out[2] = {NULL, NULL};
    ch_status s = ch_func_parse(replicas_text, "t", &f);
    if (s == CH_OK) s = ch_vjp(f, "x", 0, &g);
    if (s == CH_OK) s = ch_compile(g, "interp", NULL, &e);
    if (s == CH_OK) s = ch_exec_run_replicas(e, NULL, 2, 2, in, 1, out);
    ch_release(out[0]);
    ch_release(out[1]);
    ch_exec_release(e);
    ch_func_destroy(f);
    ch_func_destroy(g);
    return s;
}

#endif
