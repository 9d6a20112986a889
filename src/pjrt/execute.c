// SPDX-License-Identifier: Apache-2.0
// execute.c - one run of a program, complete when it returns.
//
// A plugin's Execute may return before anything has run; what goes wrong later is in the event, which is awaited. After
// an error the plugin says itself which inputs it has taken.
#include "pjrt/pjrt.h"

#include <string.h>

bool ch__pjrt_is_deleted(ch_session *s, pj_buffer *handle) {
    pj_buffer_is_deleted_args a = {PJ_ARGS(pj_buffer_is_deleted_args), .buffer = handle};
    ch__pjrt_quiet(s->plugin, PJ_BUFFER_IS_DELETED, &a);
    return a.is_deleted;
}

ch_status ch__pjrt_execute(ch_session *s, ch__pjrt_program *p, const int64_t *keep, int n_keep) {
    int n_in = p->sig.n_in, n_out = p->sig.n_out, n = p->n_devices;
    pj_execute_options options = {PJ_ARGS(pj_execute_options), .non_donatable_input_indices = keep,
                                  .num_non_donatable_input_indices = (size_t)n_keep,
                                  .use_major_to_minor_data_layout_for_callbacks = true};
    for (int d = 0; d < n; d++) {
        p->in_lists[d] = p->in + (size_t)d * (size_t)n_in;
        p->out_lists[d] = p->out + (size_t)d * (size_t)n_out;
        p->events[d] = NULL;
    }
    memset(p->out, 0, (size_t)n * (size_t)n_out * sizeof *p->out);
    pj_loaded_executable_execute_args a = {PJ_ARGS(pj_loaded_executable_execute_args),
                                           .executable = p->loaded,
                                           .options = &options,
                                           .argument_lists = p->in_lists,
                                           .num_devices = (size_t)n,
                                           .num_args = (size_t)n_in,
                                           .output_lists = p->out_lists,
                                           .device_complete_events = p->events};
    CH_TRY(ch__pjrt_call(s->plugin, PJ_LOADED_EXECUTABLE_EXECUTE, &a, "session run"));
    atomic_fetch_add_explicit(&s->runs, 1, memory_order_relaxed);
    ch_status st = CH_OK;
    ch__error_copy first;
    for (int d = 0; d < n; d++) {
        ch_status one = ch__pjrt_await(s->plugin, p->events[d], "session run");
        if (one != CH_OK && st == CH_OK) {
            ch__error_save(&first);
            st = one;
        }
    }
    if (st == CH_OK) return CH_OK;
    for (int i = 0; i < n * n_out; i++) ch__buffer_handle_destroy(s, p->out[i]);
    return ch__error_publish(&first);
}

ch_status ch__pjrt_dims(ch_session *s, pj_buffer *handle, int *rank, int64_t dims[16]) {
    pj_buffer_dimensions_args a = {PJ_ARGS(pj_buffer_dimensions_args), .buffer = handle};
    CH_TRY(ch__pjrt_call(s->plugin, PJ_BUFFER_DIMENSIONS, &a, "session run"));
    if (a.num_dims > 16) return ch__fail(CH__E_device_failed, "session run: a result of %zu dimensions", a.num_dims);
    *rank = (int)a.num_dims;
    for (size_t i = 0; i < a.num_dims; i++) dims[i] = a.dims[i];
    return CH_OK;
}
