// SPDX-License-Identifier: Apache-2.0
// host.c - runs on host memory: inputs up, one run, outputs down; tensors, and a session for one run.
//
// Nothing is donated, since nothing of the caller's lies on the device.
#include "pjrt/pjrt.h"

#include <string.h>

#include "rt/rt.h"

static ch_status host_up(ch_session *s, ch__pjrt_program *p, void *const *in, int *made) {
    for (int i = 0; i < p->sig.n_in; i++) {
        const ch__pjrt_param *q = &p->sig.in[i];
        CH_TRY(ch__buffer_upload(s, 0, in[i], q->dtype, q->rank, q->dims, PJ_HOST_DURING_CALL, &p->in[i], NULL));
        *made = i + 1;
    }
    return CH_OK;
}

static ch_status host_down(ch_session *s, ch__pjrt_program *p, void *const *out) {
    for (int i = 0; i < p->sig.n_out; i++) {
        const ch__pjrt_param *q = &p->sig.out[i];
        int row_major = q->rank <= 1 ? 1 : -1;
        CH_TRY(ch__buffer_download(s, p->out[i], &row_major, q->rank, out[i], q->bytes, "session run"));
    }
    return CH_OK;
}

ch_status ch__pjrt_run_host(ch_session *s, ch__pjrt_program *p, void *const *in, void *const *out) {
    if (p->n_devices != 1)
        return ch__fail(CH__E_argument, "session run: '%s' runs on %d devices — ch_session_run_devices takes tensors",
                        p->sig.name, p->n_devices);
    int made = 0;
    pthread_mutex_lock(&p->running);
    ch_status st = host_up(s, p, in, &made);
    if (st == CH_OK && (st = ch__pjrt_execute(s, p, NULL, 0)) == CH_OK) {
        st = host_down(s, p, out);
        for (int i = 0; i < p->sig.n_out; i++) ch__buffer_handle_destroy(s, p->out[i]);
    }
    for (int i = 0; i < made; i++) ch__buffer_handle_destroy(s, p->in[i]);
    pthread_mutex_unlock(&p->running);
    return st;
}

// ---------------------------------------------------------------- tensors
static ch_status host_check(const ch__pjrt_program *p, int n_in, ch_tensor *const *in) {
    for (int i = 0; i < n_in; i++) {
        const ch__pjrt_param *q = &p->sig.in[i];
        bool same = ch_tensor_dtype(in[i]) == q->dtype && ch_tensor_rank(in[i]) == q->rank;
        for (int d = 0; same && d < q->rank; d++) same = ch_tensor_dim(in[i], d) == q->dims[d];
        if (same) continue;
        char want[512], got[512];
        ch__pjrt_type_text(want, sizeof want, q->dtype, q->rank, q->dims);
        ch_tensor_type(in[i], got, sizeof got);
        return ch__fail(ch_tensor_dtype(in[i]) == q->dtype ? CH__E_shape_mismatch : CH__E_dtype_mismatch,
                        "session run: parameter '%s' of '%s' is %s, the tensor is %s — give one of its type", q->name,
                        p->sig.name, want, got);
    }
    return CH_OK;
}

// The tensor is the caller's alone: the scope that made it ends here.
static ch_tensor *host_tensor(const ch__pjrt_param *q, void *data) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *t = ch_keep(ch_borrow(q->dtype, data, q->rank, q->dims, ch__storage_free, NULL));
    ch_status st = scope.token == 0 ? CH_OK : ch_scope_end(scope);
    if (t != NULL && (st != CH_OK || ch_check(t) != CH_OK)) {
        ch_release(t);
        t = NULL;
    }
    return t;
}

static ch_status host_run(ch_session *s, ch__pjrt_program *p, int n_in, ch_tensor *const *in, int n_out,
                          ch_tensor **out, void **places) {
    void **data = places, **made = places + n_in;
    CH_TRY(host_check(p, n_in, in));
    for (int i = 0; i < n_in; i++) {
        data[i] = (void *)(uintptr_t)ch_data(in[i]);
        if (data[i] == NULL && p->sig.in[i].bytes > 0)
            return ch__fail(CH__E_not_realized, "session run: input %d has no data", i);
    }
    ch_status st = CH_OK;
    for (int i = 0; i < n_out && st == CH_OK; i++) {
        size_t bytes = p->sig.out[i].bytes;
        made[i] = ch__alloc_aligned(bytes > 0 ? bytes : 1, 64);
        if (made[i] == NULL) st = ch__fail_oom("a result");
    }
    if (st == CH_OK) st = ch__pjrt_run_host(s, p, data, made);
    for (int i = 0; i < n_out; i++) {
        out[i] = NULL;
        if (st != CH_OK) {
            ch__free_aligned(made[i]);
            continue;
        }
        out[i] = host_tensor(&p->sig.out[i], made[i]); // takes the memory over, also when it fails
        if (out[i] == NULL) st = ch__fail_oom("a result");
    }
    for (int i = 0; i < n_out && st != CH_OK; i++) {
        ch_release(out[i]);
        out[i] = NULL;
    }
    return st;
}

int ch__pjrt_tensor_dims(const void *in, int i, int64_t *dims) {
    ch_tensor *const *t = in;
    int rank = ch_tensor_rank(t[i]);
    for (int d = 0; d < rank && d < 16; d++) dims[d] = ch_tensor_dim(t[i], d);
    return rank;
}

ch_status ch_session_run(ch_session *s, const ch_func *f, int n_in, ch_tensor *const *in, int n_out, ch_tensor **out) {
    CH_TRY(ch__pjrt_check_args("session run", s, f, n_in, in, n_out, out));
    CH_TRY(ch__pjrt_check_arity(f, n_in, n_out));
    for (int i = 0; i < n_in; i++)
        if (in[i] == NULL) return ch__fail(CH__E_argument, "session run: input %d is NULL — give a tensor", i);
    CH_TRY(ch_realize_all(n_in, in));
    void **places = ch__calloc((size_t)n_in + (size_t)n_out + 1, sizeof *places);
    if (places == NULL) return ch__fail_oom("a run");
    ch_status st = ch__session_enter(s, "session run");
    if (st == CH_OK) {
        ch_session_call call = {.struct_size = sizeof call};
        ch__pjrt_program *p = NULL;
        st = ch__pjrt_func_program(s, f, &call, n_in, ch__pjrt_tensor_dims, in, &p);
        if (st == CH_OK) st = host_run(s, p, n_in, in, n_out, out, places);
        ch__session_leave(s);
    }
    ch__free(places);
    return st;
}

ch_status ch_run_once(const ch_session_options *options, const ch_func *f, int n_in, ch_tensor *const *in, int n_out,
                      ch_tensor **out) {
    ch_session *s = NULL;
    CH_TRY(ch_session_open(options, &s));
    ch_status st = ch_session_run(s, f, n_in, in, n_out, out);
    ch__error_copy error;
    if (st != CH_OK) ch__error_save(&error);
    ch_session_close(s);
    return st == CH_OK ? st : ch__error_publish(&error);
}
