// SPDX-License-Identifier: Apache-2.0
// ffi_symbol.c - a handler as a library brings it that knows nothing of this project: adds 1 to each f32.
#include "pjrt/abi_ffi.h"

__attribute__((visibility("default"))) xf_error *ffi_symbol_add_one(xf_call_frame *f);

xf_error *ffi_symbol_add_one(xf_call_frame *f) {
    for (xf_extension *e = f->extension_start; e != NULL; e = e->next)
        if (e->type == XF_EXT_METADATA) {
            xf_metadata *m = ((xf_metadata_extension *)(void *)e)->metadata;
            m->api_version.major = 0;
            m->api_version.minor = 1;
            m->traits = 0;
            return NULL;
        }
    if (f->stage != XF_STAGE_EXECUTE) return NULL;
    const xf_buffer *x = f->args.items[0], *y = f->rets.items[0];
    int64_t n = 1;
    for (int64_t d = 0; d < x->rank; d++) n *= x->dims[d];
    for (int64_t i = 0; i < n; i++) ((float *)y->data)[i] = ((const float *)x->data)[i] + 1;
    return NULL;
}
