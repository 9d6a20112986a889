// SPDX-License-Identifier: Apache-2.0
// pjrt/dlpack.c - buffers as DLPack, both ways, where the device's memory is the host's.
//
// A buffer is lent as a borrowed tensor over its memory, whose release is the end of one use of the buffer: closing the
// buffer meanwhile frees its memory when the consumer is done. What comes in is taken as a tensor, which lives as long
// as the buffer over its memory.
#include "chaac/dlpack.h"
#include "pjrt/pjrt.h"

static void dlpack_unused(void *user, void *data) {
    (void)data;
    ch_buffer *b = user;
    ch__buffers_done(b->session, 1, &b, false);
}

static ch_status dlpack_lend(ch_buffer *b, void *data, struct DLManagedTensorVersioned **out_managed) {
    ch_scope scope = ch_scope_begin();
    ch_tensor *t = ch_borrow(b->dtype, data, b->rank, b->dims, dlpack_unused, b); // also ends the use when it fails
    ch_status st = ch_dlpack_export(t, 0, out_managed);
    if (scope.token == 0) return st;
    ch_status ended = ch_scope_end(scope);
    return st != CH_OK ? st : ended;
}

ch_status ch_buffer_dlpack_export(ch_buffer *b, struct DLManagedTensorVersioned **out_managed) {
    if (b == NULL || out_managed == NULL)
        return ch__fail(CH__E_argument, "buffer export: %s is NULL", b == NULL ? "the buffer" : "out_managed");
    ch_session *s = b->session;
    if (!s->on_host)
        return ch__fail(CH__E_unsupported, "buffer export: the memory of %s is not the host's — read it", s->platform);
    CH_TRY(ch__session_enter(s, "buffer export"));
    ch_status st = ch__buffers_use(s, "buffer export", 1, &b);
    if (st == CH_OK) {
        pj_buffer_opaque_device_memory_data_pointer_args a = {PJ_ARGS(pj_buffer_opaque_device_memory_data_pointer_args),
                                                              .buffer = b->handle};
        bool plain = ch__buffer_is_plain(b);
        if (!plain) st = ch__fail(CH__E_unsupported, "buffer export: its layout is not row-major — read it");
        if (st == CH_OK)
            st = ch__pjrt_call(s->plugin, PJ_BUFFER_OPAQUE_DEVICE_MEMORY_DATA_POINTER, &a, "buffer export");
        if (st == CH_OK)
            st = dlpack_lend(b, a.device_memory_ptr, out_managed);
        else
            ch__buffers_done(s, 1, &b, false);
    }
    ch__session_leave(s);
    return st;
}

static void dlpack_tensor_release(void *user, void *data) {
    (void)data;
    ch_release(user);
}

ch_status ch_buffer_dlpack_import(ch_session *s, struct DLManagedTensorVersioned *m, ch_buffer **out_buffer) {
    ch_tensor *t = NULL;
    CH_TRY(ch_dlpack_import(m, &t));
    const void *data = ch_data(t);
    int64_t dims[16];
    char type[512];
    int rank = ch_tensor_rank(t);
    for (int i = 0; i < rank; i++) dims[i] = ch_tensor_dim(t, i);
    ch__pjrt_type_text(type, sizeof type, ch_tensor_dtype(t), rank, dims);
    ch_status st;
    if (data != NULL && ((uintptr_t)data & 63) == 0) {
        st = ch_buffer_alias_host(s, data, type, dlpack_tensor_release, t, out_buffer);
        if (st != CH_OK) ch_release(t);
        return st;
    }
    st = ch_buffer_from_host(s, data, type, out_buffer);
    ch_release(t);
    return st;
}
