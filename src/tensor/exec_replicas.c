// SPDX-License-Identifier: Apache-2.0
// exec_replicas.c - running an executable as several replicas on tensors.
//
// An engine that has no replicas of its own compiled no collective (it refuses them), so there each replica is a run.

#include "interp/interp.h"
#include "tensor/tensor.h"

static ch_status run_replica_slots(ch_exec *e, const ch__limits *limits, int n, int n_in, const ch__slot *in, int n_out,
                                   ch__slot *out) {
    if (e->engine->run_replicas != NULL) return e->engine->run_replicas(e->code, limits, n, n_in, in, n_out, out);
    for (int r = 0; r < n; r++)
        CH_TRY(ch__exec_run(e, limits, n_in, in + (int64_t)r * n_in, n_out, out + (int64_t)r * n_out));
    return CH_OK;
}

static ch_status run_replica_tensors(ch_exec *e, const ch__limits *limits, int n, int n_in, ch_tensor *const *in,
                                     int n_out, ch__slot *slots, ch__storage **made, ch_tensor **fresh) {
    ch__slot *out = slots + (int64_t)n * n_in;
    for (int i = 0; i < n * n_in; i++) {
        if (!ch__tensor_slot(in[i], &slots[i])) return ch__fail_oom("a view's elements");
        slots[i].donated = false;
    }
    for (int r = 0; r < n; r++)
        CH_TRY(e->engine->result_types(e->code, n_in, slots + (int64_t)r * n_in, n_out, out + (int64_t)r * n_out));
    for (int i = 0; i < n * n_out; i++) {
        made[i] = ch__storage_create(ch__slot_bytes(&out[i]));
        if (made[i] == NULL) return ch__fail_oom("a result");
        out[i].data = made[i]->data;
    }
    CH_TRY(run_replica_slots(e, limits, n, n_in, slots, n_out, out));
    for (int i = 0; i < n * n_out; i++) {
        fresh[i] = ch__result_tensor("run", &out[i], made[i]);
        made[i] = NULL;
        if (fresh[i] == NULL) return ch__fail_oom("a result");
    }
    return CH_OK;
}

static ch_status check_replica_call(ch_exec *e, const ch_run_options *o, int n, int n_in, ch_tensor *const *in,
                                    int n_out, ch_tensor **out) {
    if (e == NULL) return ch__fail(CH__E_argument, "run: the executable is NULL — give one from ch_compile");
    if (o != NULL && o->struct_size != sizeof *o)
        return ch__fail(CH__E_argument, "run: options.struct_size is %zu — set it to sizeof(ch_run_options), %zu",
                        o->struct_size, sizeof *o);
    if (o != NULL && o->donate != NULL)
        return ch__fail(CH__E_argument, "run: options.donate — replicas share their inputs, none is given away");
    if (n < 1 || n > CH__MAX_THREADED)
        return ch__fail(CH__E_argument, "run: %d replicas — 1 to %d run together here", n, CH__MAX_THREADED);
    if (n_in != ch_func_num_params(e->func) || n_out != ch_func_num_results(e->func))
        return ch__fail(CH__E_arity,
                        "run: %d inputs and room for %d results given for each replica — @%s takes %d and gives %d",
                        n_in, n_out, e->func->name, ch_func_num_params(e->func), ch_func_num_results(e->func));
    if ((out == NULL && n_out > 0) || (in == NULL && n_in > 0))
        return ch__fail(CH__E_argument, "run: %s is NULL — %d for each of %d replicas", out == NULL ? "out" : "in",
                        out == NULL ? n_out : n_in, n);
    for (int i = 0; i < n * n_out; i++)
        if (out[i] != NULL)
            return ch__fail(CH__E_argument, "run: out[%d] is a tensor — replicas make their results: give NULL", i);
    return CH_OK;
}

ch_status ch_exec_run_replicas(ch_exec *e, const ch_run_options *options, int replicas, int n_in, ch_tensor *const *in,
                               int n_out, ch_tensor **out) {
    CH_TRY(check_replica_call(e, options, replicas, n_in, in, n_out, out));
    CH_TRY(ch__realize_to_read("run", replicas * n_in, in));
    ch__limits limits = ch__run_limits(options);
    if (limits.cancel != NULL && *limits.cancel)
        return ch__fail(CH__E_cancelled, "run: @%s was cancelled by the caller", e->func->name);
    size_t outs = (size_t)replicas * (size_t)n_out;
    ch__slot *slots = ch__alloc(((size_t)replicas * (size_t)n_in + outs + 1) * sizeof *slots);
    ch__storage **made = ch__calloc(outs + 1, sizeof *made);
    ch_tensor **fresh = ch__calloc(outs + 1, sizeof *fresh);
    ch_status s = slots == NULL || made == NULL || fresh == NULL
                      ? ch__fail_oom("a run of replicas")
                      : run_replica_tensors(e, &limits, replicas, n_in, in, n_out, slots, made, fresh);
    for (size_t i = 0; i < outs && made != NULL && fresh != NULL; i++) {
        ch__storage_release(made[i]);
        if (s != CH_OK)
            ch_release(fresh[i]);
        else
            out[i] = fresh[i];
    }
    ch__free(slots);
    ch__free(made);
    ch__free(fresh);
    return s;
}
