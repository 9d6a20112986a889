// SPDX-License-Identifier: Apache-2.0
// resident.c - a func on a device whose last params are buffers that stay there: host tensors go up, it runs, and the
// results are buffers again.
//
//     f(host tensors..., numbers?, state...) -> results...
//
// Which state a run consumes is what `aliases` says: a result lies in the memory of its param. The program is named by
// a key of this func and the sizes of what goes up, so that only the first run with them writes the text. Numbers stay
// on the device while they are the same.

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "nn/nn.h"

enum { RESIDENT_RANK = 16, RESIDENT_ALIGN = 64, RESIDENT_SMALL = 4096, RESIDENT_TYPE = 24 + RESIDENT_RANK * 21 };

static ch_status no_resident_memory(void) { return ch_error_set("out_of_memory", "device step: no memory"); }

ch_status ch__resident_init(ch__resident *r, ch_session *s, const ch_func *f, int n_host, int n_numbers) {
    static atomic_llong made;
    *r = (ch__resident){.session = s,
                        .func = f,
                        .n_host = n_host,
                        .n_numbers = n_numbers,
                        .n_in = ch_func_num_params(f),
                        .n_out = ch_func_num_results(f),
                        .number = atomic_fetch_add(&made, 1)};
    r->n_up = n_host + (n_numbers > 0);
    r->key_cap = 32 + (size_t)n_host * (RESIDENT_RANK * 21 + 6);
    r->in = ch_memory_alloc(((size_t)r->n_in + 1) * sizeof *r->in);
    r->out = ch_memory_alloc(((size_t)r->n_out + 1) * sizeof *r->out);
    r->aliases = ch_memory_alloc(((size_t)r->n_in + 1) * sizeof *r->aliases);
    r->dims = ch_memory_alloc(((size_t)n_host * (RESIDENT_RANK + 1) + 1) * sizeof *r->dims);
    r->types = ch_memory_alloc((size_t)n_host * RESIDENT_TYPE + 1);
    r->key = ch_memory_alloc(r->key_cap);
    r->room =
        ch_memory_alloc((size_t)n_numbers * sizeof(double) + (size_t)n_host * RESIDENT_SMALL + 2 * RESIDENT_ALIGN);
    r->numbers = ch_memory_alloc(((size_t)n_numbers + 1) * sizeof *r->numbers);
    if (!r->in || !r->out || !r->aliases || !r->dims || !r->types || !r->key || !r->room || !r->numbers) {
        ch__resident_free(r);
        return no_resident_memory();
    }
    r->stage = r->room + (-(uintptr_t)r->room & (RESIDENT_ALIGN - 1));
    r->sent = (double *)(void *)(r->stage + (size_t)n_host * RESIDENT_SMALL);
    for (int i = 0; i < r->n_in; i++) r->aliases[i] = -1;
    snprintf(r->numbers_type, sizeof r->numbers_type, "f64[%d]", n_numbers);
    return CH_OK;
}

void ch__resident_free(ch__resident *r) {
    ch_buffer_release(r->numbers_up);
    void *all[] = {r->in, r->out, r->aliases, r->dims, r->types, r->key, r->room, r->numbers};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ch_memory_free(all[i]);
    *r = (ch__resident){0};
}

// ---------------------------------------------------------------- up, down
// The memory itself where it is aligned: the buffer is gone before who gave it can write.
static ch_status resident_give(ch_session *s, const void *data, const char *type, ch_buffer **out) {
    static const char nothing[1];
    if (data != NULL && ((uintptr_t)data & (RESIDENT_ALIGN - 1)) == 0)
        return ch_buffer_alias_host(s, data, type, NULL, NULL, out);
    return ch_buffer_from_host(s, data == NULL ? nothing : data, type, out);
}

ch_status ch__resident_up(ch_session *s, ch_tensor *t, ch_buffer **out) {
    char type[512];
    static const char nothing[1];
    CH_TRY(ch_realize(t));
    ch_tensor_type(t, type, sizeof type);
    const void *data = ch_data(t);
    return ch_buffer_from_host(s, data == NULL ? nothing : data, type, out);
}

// The tensor is the caller's alone: the scope that made it ends here.
ch_status ch__resident_down(ch_buffer *b, ch_tensor **out) {
    int64_t dims[RESIDENT_RANK];
    for (int i = 0; i < ch_buffer_rank(b); i++) dims[i] = ch_buffer_dim(b, i);
    void *data = ch_memory_alloc(ch_buffer_bytes(b) + 1);
    if (data == NULL) return no_resident_memory();
    ch_status s = ch_buffer_read(b, data, ch_buffer_bytes(b));
    ch_tensor *t = NULL;
    if (s == CH_OK) {
        ch_scope scope = ch_scope_begin();
        t = ch_keep(ch_from_data(ch_buffer_dtype(b), data, ch_buffer_rank(b), dims));
        s = ch_check(t);
        (void)ch_scope_end(scope);
    }
    ch_memory_free(data);
    if (s == CH_OK)
        *out = t;
    else
        ch_release(t);
    return s;
}

ch_status ch__resident_number(ch_buffer *b, double *out) {
    float f = 0;
    if (ch_buffer_dtype(b) == CH_F64) return ch_buffer_read(b, out, sizeof *out);
    if (ch_buffer_dtype(b) != CH_F32)
        return ch_error_set("unsupported", "device step: a loss of %s is not read — f32 and f64 are",
                            ch_dtype_name(ch_buffer_dtype(b)));
    CH_TRY(ch_buffer_read(b, &f, sizeof f));
    *out = (double)f;
    return CH_OK;
}

// ---------------------------------------------------------------- a run
// "device step 3 1202 8 16 501 8": the func, and dtype, rank and sizes of each that goes up. Written when they change,
// and so are the types as text.
static void resident_name(ch__resident *r, ch_tensor *const *host) {
    int64_t *d = r->dims, *const begin = d;
    bool same = r->named;
    for (int i = 0; i < r->n_host; i++) {
        int rank = ch_tensor_rank(host[i]);
        for (int k = -1; k < rank; k++, d++) {
            int64_t now = k < 0 ? 100 * (int64_t)ch_tensor_dtype(host[i]) + rank : ch_tensor_dim(host[i], k);
            same = same && *d == now;
            *d = now;
        }
    }
    if (same) return;
    int at = snprintf(r->key, r->key_cap, "device step %lld", r->number);
    for (const int64_t *k = begin; k < d; k++) at += snprintf(r->key + at, r->key_cap - (size_t)at, " %" PRId64, *k);
    for (int i = 0; i < r->n_host; i++) ch_tensor_type(host[i], r->types + i * RESIDENT_TYPE, RESIDENT_TYPE);
    r->named = true;
}

// Where tensor i is given from: a small one that is not aligned is copied here, where the device reads it in place (the
// plugin's own copy takes three calls more, 1 us).
static const void *resident_place(ch__resident *r, int i, ch_tensor *t) {
    const void *data = ch_data(t);
    size_t n = (size_t)ch_tensor_numel(t) * ch_dtype_size(ch_tensor_dtype(t));
    if (data == NULL || n == 0 || n > RESIDENT_SMALL || ((uintptr_t)data & (RESIDENT_ALIGN - 1)) == 0) return data;
    return memcpy(r->stage + (size_t)i * RESIDENT_SMALL, data, n);
}

static ch_status resident_inputs(ch__resident *r, ch_tensor *const *host) {
    for (int i = 0; i < r->n_host; i++)
        CH_TRY(resident_give(r->session, resident_place(r, i, host[i]), r->types + i * RESIDENT_TYPE, &r->in[i]));
    if (r->n_numbers == 0) return CH_OK;
    size_t n = (size_t)r->n_numbers * sizeof *r->numbers;
    if (r->numbers_up == NULL || memcmp(r->sent, r->numbers, n) != 0) {
        ch_buffer_release(r->numbers_up);
        r->numbers_up = NULL;
        memcpy(r->sent, r->numbers, n);
        CH_TRY(resident_give(r->session, r->sent, r->numbers_type, &r->numbers_up));
    }
    r->in[r->n_host] = r->numbers_up;
    return CH_OK;
}

ch_status ch__resident_run(ch__resident *r, ch_tensor *const *host, int n_keep, const int64_t *keep) {
    for (int i = 0; i < r->n_host; i++) CH_TRY(ch_realize(host[i]));
    for (int i = 0; i < r->n_up; i++) r->in[i] = NULL;
    memset(r->out, 0, (size_t)r->n_out * sizeof *r->out);
    resident_name(r, host);
    ch_status s = resident_inputs(r, host);
    const ch_session_call call = {
        .struct_size = sizeof call, .key = r->key, .n_keep = n_keep, .keep = keep, .aliases = r->aliases};
    if (s == CH_OK) s = ch_session_run_buffers_with(r->session, &call, r->func, r->n_in, r->in, r->n_out, r->out);
    for (int i = 0; i < r->n_host; i++) ch_buffer_release(r->in[i]);
    return s;
}
