// SPDX-License-Identifier: Apache-2.0
// abi_ffi.h - calls from compiled programs back into C: the FFI extension of a plugin and the frame a handler is given.
//
// A program names a target (`stablehlo.custom_call @name {api_version = 4}`); the plugin calls what was registered
// under that name. Layouts are those of FFI 0.3, which plugins of 0.2 to 0.5 share: fields were added at the ends.
// During registration a handler is called once with a metadata extension in its frame, says which version it is written
// for, and returns.
#ifndef CHAAC_PJRT_ABI_FFI_H
#define CHAAC_PJRT_ABI_FFI_H

#include "pjrt/abi.h"

// ---------------------------------------------------------------- registering
// The older form of 40 bytes has no register_handler.
typedef struct pj_ffi_extension {
    pj_extension base;
    pj_fn type_register;
    pj_fn user_data_add;
    pj_fn register_handler;
} pj_ffi_extension;
PJ_SIZE(pj_ffi_extension, register_handler, 48, 48);

typedef struct pj_ffi_register_handler_args {
    size_t struct_size; // without extension_start
    const char *target_name;
    size_t target_name_size;
    void *handler; // an xf_handler
    const char *platform_name;
    size_t platform_name_size;
    uint32_t traits;
} pj_ffi_register_handler_args;
PJ_SIZE(pj_ffi_register_handler_args, traits, 52, 56);

// ---------------------------------------------------------------- the frame
typedef struct xf_error xf_error;
typedef struct xf_context xf_context;
typedef struct xf_call_frame xf_call_frame;
typedef xf_error *(*xf_handler)(xf_call_frame *frame);

enum { XF_STAGE_INSTANTIATE = 0, XF_STAGE_PREPARE = 1, XF_STAGE_INITIALIZE = 2, XF_STAGE_EXECUTE = 3 };
enum { XF_EXT_METADATA = 1 };
enum { XF_ARG_BUFFER = 1 };
enum { XF_ATTR_ARRAY = 1, XF_ATTR_DICTIONARY = 2, XF_ATTR_SCALAR = 3, XF_ATTR_STRING = 4 };
enum { // dtypes; not the numbers of buffers (pj_type)
    XF_INVALID = 0,
    XF_PRED = 1,
    XF_S8 = 2,
    XF_S16 = 3,
    XF_S32 = 4,
    XF_S64 = 5,
    XF_U8 = 6,
    XF_U16 = 7,
    XF_U32 = 8,
    XF_U64 = 9,
    XF_F16 = 10,
    XF_F32 = 11,
    XF_F64 = 12,
    XF_C64 = 15,
    XF_BF16 = 16,
    XF_TOKEN = 17,
    XF_C128 = 18,
    XF_F8E5M2 = 19,
    XF_F8E4M3FN = 20
};

typedef struct xf_extension {
    size_t struct_size;
    int type;
    struct xf_extension *next;
} xf_extension;
PJ_SIZE(xf_extension, next, 24, 24);
#define XF_HEAD                                                                                                        \
    size_t struct_size;                                                                                                \
    xf_extension *extension_start

typedef struct xf_version {
    XF_HEAD;
    int major;
    int minor;
} xf_version;
PJ_SIZE(xf_version, minor, 24, 24);

typedef struct xf_metadata {
    size_t struct_size;
    xf_version api_version;
    uint32_t traits;
    int64_t state_type_id; // newer plugins
} xf_metadata;
PJ_SIZE(xf_metadata, state_type_id, 48, 48);

typedef struct xf_metadata_extension {
    xf_extension base;
    xf_metadata *metadata;
} xf_metadata_extension;
PJ_SIZE(xf_metadata_extension, metadata, 32, 32);

typedef struct xf_args { // and results
    XF_HEAD;
    int64_t size;
    const int *types;
    void **items;
} xf_args;
PJ_SIZE(xf_args, items, 40, 40);

typedef struct xf_buffer {
    XF_HEAD;
    int dtype;
    void *data;
    int64_t rank;
    const int64_t *dims;
} xf_buffer;
PJ_SIZE(xf_buffer, dims, 48, 48);

typedef struct xf_span {
    const char *data;
    size_t size;
} xf_span;
typedef struct xf_scalar {
    int dtype;
    const void *value;
} xf_scalar;
typedef struct xf_array {
    int dtype;
    size_t size;
    const void *data;
} xf_array;

typedef struct xf_attrs { // sorted by name; a dictionary in it is another one
    XF_HEAD;
    int64_t size;
    const int *types;
    xf_span **names;
    void **items; // xf_scalar, xf_array, xf_span, xf_attrs
} xf_attrs;
PJ_SIZE(xf_attrs, items, 48, 48);

typedef struct xf_error_create_args {
    XF_HEAD;
    const char *message; // terminated
    int code;
} xf_error_create_args;
PJ_SIZE(xf_error_create_args, code, 28, 32);

typedef struct xf_error_destroy_args {
    XF_HEAD;
    xf_error *error;
} xf_error_destroy_args;
PJ_SIZE(xf_error_destroy_args, error, 24, 24);

typedef struct xf_stream_get_args {
    XF_HEAD;
    xf_context *ctx;
    void *stream; // out: a CUstream
} xf_stream_get_args;
PJ_SIZE(xf_stream_get_args, stream, 32, 32);

typedef struct xf_api {
    XF_HEAD;
    xf_version api_version;
    void *internal;
    xf_error *(*error_create)(xf_error_create_args *args);
    void *error_get_message;
    void (*error_destroy)(xf_error_destroy_args *args);
    void *handler_register;
    xf_error *(*stream_get)(xf_stream_get_args *args);
} xf_api; // and more, which nothing here uses
PJ_SIZE(xf_api, stream_get, 88, 88);

struct xf_call_frame {
    XF_HEAD;
    const xf_api *api;
    xf_context *ctx;
    int stage;
    xf_args args;
    xf_args rets;
    xf_attrs attrs;
    void *future;
};
PJ_SIZE(xf_call_frame, future, 176, 176);

#endif
