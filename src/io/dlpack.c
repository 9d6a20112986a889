// SPDX-License-Identifier: Apache-2.0
// dlpack.c - DLPack in and out: ownership, versions, devices, dtypes, strides.
//
// Ownership is a count of one: whoever has a managed tensor calls its deleter once. What is imported is borrowed
// (ch_borrow), with the deleter as its release; what cannot be borrowed as it lies - other strides, an address that is
// no multiple of the element - is gathered, and the deleter runs at once. What is exported keeps a detached tensor and
// with it the storage. Every number of a producer is checked before it is used; how much memory lies behind the pointer
// a producer alone knows.
// Source: https://dmlc.github.io/dlpack/latest/ (1.1)
#include "chaac/dlpack.h"
#include "io/io.h"

#include <string.h>

// ---- dtypes
static const struct {
    uint8_t code, bits;
    ch_dtype dtype;
} dlpack_types[] = {
    {kDLBool, 8, CH_BOOL},          {kDLInt, 8, CH_I8},
    {kDLInt, 16, CH_I16},           {kDLInt, 32, CH_I32},
    {kDLInt, 64, CH_I64},           {kDLUInt, 8, CH_U8},
    {kDLUInt, 16, CH_U16},          {kDLUInt, 32, CH_U32},
    {kDLUInt, 64, CH_U64},          {kDLFloat, 16, CH_F16},
    {kDLFloat, 32, CH_F32},         {kDLFloat, 64, CH_F64},
    {kDLBfloat, 16, CH_BF16},       {kDLFloat8_e4m3fn, 8, CH_F8E4M3},
    {kDLFloat8_e5m2, 8, CH_F8E5M2},
};
enum { DLPACK_TYPES = sizeof dlpack_types / sizeof *dlpack_types };
static const char dlpack_allowed[] =
    "bool (6), i8 to i64 (0), u8 to u64 (1), f16 f32 f64 (2), bf16 (4), f8e4m3fn (10), f8e5m2 (12)";

static const char *const dlpack_devices[] = {
    [kDLCPU] = "CPU",
    [kDLCUDA] = "CUDA",
    [kDLCUDAHost] = "CUDAHost",
    [kDLOpenCL] = "OpenCL",
    [kDLVulkan] = "Vulkan",
    [kDLMetal] = "Metal",
    [kDLVPI] = "VPI",
    [kDLROCM] = "ROCM",
    [kDLROCMHost] = "ROCMHost",
    [kDLExtDev] = "ExtDev",
    [kDLCUDAManaged] = "CUDAManaged",
    [kDLOneAPI] = "OneAPI",
    [kDLWebGPU] = "WebGPU",
    [kDLHexagon] = "Hexagon",
    [kDLMAIA] = "MAIA",
};

// ---- import: what a producer says, checked
typedef struct {
    ch_dtype dtype;
    int rank;
    int64_t dims[CH__MAX_RANK], strides[CH__MAX_RANK];
    uint64_t bytes;
    char *data;
} dlpack_view;

static ch_status dlpack_type(const DLTensor *d, ch_dtype *out) {
    for (int i = 0; i < DLPACK_TYPES; i++)
        if (dlpack_types[i].code == d->dtype.code && dlpack_types[i].bits == d->dtype.bits && d->dtype.lanes == 1) {
            *out = dlpack_types[i].dtype;
            return CH_OK;
        }
    return ch__fail(CH__E_unsupported, "dlpack_import: dtype code %d of %d bits, %d lanes — one lane of %s is taken",
                    d->dtype.code, d->dtype.bits, d->dtype.lanes, dlpack_allowed);
}

static ch_status dlpack_device(const DLTensor *d) {
    int type = (int)d->device.device_type;
    if (type == kDLCPU || type == kDLCUDAHost || type == kDLROCMHost) return CH_OK;
    bool known = type >= 0 && type < (int)(sizeof dlpack_devices / sizeof *dlpack_devices) && dlpack_devices[type];
    return ch__fail(CH__E_unsupported,
                    "dlpack_import: device %d (%s) — host memory (CPU, CUDAHost, ROCMHost) is taken: copy it to the "
                    "host first",
                    type, known ? dlpack_devices[type] : "unknown");
}

static ch_status dlpack_shape(const DLTensor *d, dlpack_view *v) {
    if (d->ndim < 0 || d->ndim > CH__MAX_RANK)
        return ch__fail(CH__E_unsupported, "dlpack_import: %d axes — 0 to %d are taken", (int)d->ndim, CH__MAX_RANK);
    if (d->ndim > 0 && !d->shape)
        return ch__fail(CH__E_argument, "dlpack_import: %d axes and a shape that is NULL — give one", (int)d->ndim);
    v->rank = (int)d->ndim;
    for (int i = 0; i < v->rank; i++) {
        v->dims[i] = d->shape[i];
        if (v->dims[i] < 0)
            return ch__fail(CH__E_argument, "dlpack_import: size %" PRId64 " of axis %d — at least 0 is allowed",
                            v->dims[i], i);
    }
    char dims[CH__IO_DIMS];
    if (!ch__io_bytes(v->dtype, v->rank, v->dims, &v->bytes))
        return ch__fail(CH__E_dim_overflow,
                        "dlpack_import: shape %s — the product of the sizes does not fit in 64 bits",
                        ch__io_dims_text(dims, v->rank, v->dims));
    return CH_OK;
}

// Strides in elements, those of the spec when there are none. Places must fit in 63 bits of bytes, in both directions.
static ch_status dlpack_strides(const DLTensor *d, dlpack_view *v) {
    int64_t compact = 1, low = 0, high = 0, size = (int64_t)ch_dtype_size(v->dtype);
    for (int i = v->rank - 1; i >= 0; i--) {
        v->strides[i] = d->strides ? d->strides[i] : compact;
        if (v->dims[i] > 1) compact *= v->dims[i];
    }
    for (int i = 0; i < v->rank && v->bytes > 0; i++) {
        int64_t reach = 0, *end = v->strides[i] < 0 ? &low : &high, in_bytes;
        if (!ch__mul_i64(v->dims[i] - 1, v->strides[i], &reach) || !ch__add_i64(*end, reach, end) ||
            !ch__mul_i64(*end, size, &in_bytes))
            return ch__fail(CH__E_argument,
                            "dlpack_import: stride %" PRId64 " of axis %d, of size %" PRId64
                            " — the place of its last element does not fit in 64 bits",
                            v->strides[i], i, v->dims[i]);
    }
    return CH_OK;
}

static ch_status dlpack_look(const DLTensor *d, dlpack_view *v) {
    CH_TRY(dlpack_device(d));
    CH_TRY(dlpack_type(d, &v->dtype));
    CH_TRY(dlpack_shape(d, v));
    CH_TRY(dlpack_strides(d, v));
    if (v->bytes > 0 && !d->data)
        return ch__fail(CH__E_argument, "dlpack_import: data is NULL — give %" PRIu64 " bytes", v->bytes);
    if (d->byte_offset > PTRDIFF_MAX)
        return ch__fail(CH__E_argument, "dlpack_import: byte_offset %" PRIu64 " — less than 2^63 is allowed",
                        d->byte_offset);
    v->data = v->bytes > 0 ? (char *)d->data + d->byte_offset : NULL;
    return CH_OK;
}

static bool dlpack_as_it_lies(const dlpack_view *v) {
    int64_t compact = 1;
    for (int i = v->rank - 1; i >= 0 && v->bytes > 0; i--) {
        if (v->dims[i] == 1) continue;
        if (v->strides[i] != compact) return false;
        compact *= v->dims[i];
    }
    return (uintptr_t)v->data % ch_dtype_size(v->dtype) == 0;
}

static void dlpack_gather(const dlpack_view *v, char *to) {
    int64_t index[CH__MAX_RANK] = {0}, at = 0, size = (int64_t)ch_dtype_size(v->dtype);
    for (const char *end = to + v->bytes; to < end; to += size) {
        memcpy(to, v->data + at * size, (size_t)size);
        for (int i = v->rank - 1; i >= 0; i--) { // the next element
            at += v->strides[i];
            if (++index[i] < v->dims[i]) break;
            at -= v->strides[i] * v->dims[i];
            index[i] = 0;
        }
    }
}

static ch_status dlpack_check_bool(const dlpack_view *v, const unsigned char *data) {
    size_t n = (size_t)v->bytes, at = v->dtype == CH_BOOL ? ch__io_bool_wrong(data, n) : n;
    if (at == n) return CH_OK;
    return ch__fail(CH__E_argument, "dlpack_import: element %zu is the byte 0x%02x — bool is 0 or 1", at, data[at]);
}

// release(user, data) is called when the memory is used no more, also on failure.
static ch_status dlpack_take(const DLTensor *d, void (*release)(void *user, void *data), void *user, ch_tensor **out) {
    dlpack_view v = {.rank = 0};
    ch_status s = dlpack_look(d, &v);
    bool lies = s == CH_OK && dlpack_as_it_lies(&v);
    if (lies) s = dlpack_check_bool(&v, (const unsigned char *)v.data);
    if (lies && s == CH_OK) return ch__io_borrow("dlpack_import", v.dtype, v.data, v.rank, v.dims, release, user, out);
    char *copy = s == CH_OK ? ch__io_alloc(v.bytes) : NULL;
    if (s == CH_OK && !copy) s = ch__fail_oom("dlpack_import");
    if (s == CH_OK) dlpack_gather(&v, copy);
    release(user, NULL);
    if (s == CH_OK) s = dlpack_check_bool(&v, (const unsigned char *)copy);
    if (s == CH_OK) return ch__io_give("dlpack_import", v.dtype, copy, v.rank, v.dims, out);
    ch__free_aligned(copy);
    return s;
}

static void dlpack_release(void *user, void *data) {
    DLManagedTensorVersioned *m = user;
    (void)data;
    if (m->deleter) m->deleter(m);
}

static void dlpack_release_legacy(void *user, void *data) {
    DLManagedTensor *m = user;
    (void)data;
    if (m->deleter) m->deleter(m);
}

ch_status ch_dlpack_import(struct DLManagedTensorVersioned *m, ch_tensor **out_tensor) {
    if (!m) return ch__fail(CH__E_argument, "dlpack_import: the managed tensor is NULL — give one");
    ch_status s = ch__io_place("dlpack_import", out_tensor);
    if (s == CH_OK) *out_tensor = NULL;
    // What comes after the deleter is another layout in another major version.
    if (s == CH_OK && m->version.major != 1)
        s = ch__fail(CH__E_newer_version, "dlpack_import: DLPack %u.%u — version 1 is read", (unsigned)m->version.major,
                     (unsigned)m->version.minor);
    if (s == CH_OK) return dlpack_take(&m->dl_tensor, dlpack_release, m, out_tensor);
    dlpack_release(m, NULL);
    return s;
}

ch_status ch_dlpack_import_legacy(struct DLManagedTensor *m, ch_tensor **out_tensor) {
    if (!m) return ch__fail(CH__E_argument, "dlpack_import: the managed tensor is NULL — give one");
    ch_status s = ch__io_place("dlpack_import", out_tensor);
    if (s != CH_OK) {
        dlpack_release_legacy(m, NULL);
        return s;
    }
    *out_tensor = NULL;
    return dlpack_take(&m->dl_tensor, dlpack_release_legacy, m, out_tensor);
}

// ---- export
typedef struct {
    union {
        DLManagedTensorVersioned now;
        DLManagedTensor legacy;
    } managed; // first: a pointer to it is a pointer to this
    int64_t dims[CH__MAX_RANK], strides[CH__MAX_RANK];
    ch_tensor *tensor; // kept for its storage, or NULL:
    void *copy;
} dlpack_out;

static void dlpack_free(dlpack_out *o) {
    ch_release(o->tensor);
    ch__free_aligned(o->copy);
    ch__free(o);
}

static void dlpack_delete(DLManagedTensorVersioned *m) {
    if (m) dlpack_free((dlpack_out *)(void *)m);
}

static void dlpack_delete_legacy(DLManagedTensor *m) {
    if (m) dlpack_free((dlpack_out *)(void *)m);
}

// Holds the storage of t, whatever becomes of t.
static ch_status dlpack_hold(ch_tensor *t, ch_tensor **out) {
    ch_scope scope = ch_scope_begin();
    if (scope.token == 0) return ch__fail_oom("dlpack_export");
    ch_tensor *held = ch_detach_at("dlpack_export", t);
    ch_status s = ch_realize(held);
    if (s == CH_OK) *out = ch_keep(held);
    (void)ch_scope_end(scope);
    return s;
}

static ch_status dlpack_fill(dlpack_out *o, DLTensor *d, bool copy) {
    ch_dtype dtype = ch_tensor_dtype(o->tensor);
    int rank = ch_tensor_rank(o->tensor);
    uint64_t bytes = 0;
    int64_t stride = 1;
    for (int i = 0; i < rank; i++) o->dims[i] = ch_tensor_dim(o->tensor, i);
    if (!ch__io_bytes(dtype, rank, o->dims, &bytes))
        return ch__fail(CH__E_dim_overflow, "dlpack_export: the tensor's size in bytes does not fit in 64 bits");
    for (int i = rank - 1; i >= 0; i--) {
        o->strides[i] = stride;
        stride *= o->dims[i] > 0 ? o->dims[i] : 1;
    }
    const void *data = ch_data(o->tensor);
    if (!data && bytes > 0) return ch__err_status(ch__error_current());
    if (copy) {
        o->copy = ch__io_alloc(bytes);
        if (!o->copy) return ch__fail_oom("dlpack_export");
        if (bytes > 0) memcpy(o->copy, data, (size_t)bytes);
        ch_release(o->tensor);
        o->tensor = NULL;
    }
    *d = (DLTensor){
        .data = copy ? o->copy : (void *)(uintptr_t)data, .ndim = rank, .shape = o->dims, .strides = o->strides};
    d->device.device_type = kDLCPU;
    for (int i = 0; i < DLPACK_TYPES; i++)
        if (dlpack_types[i].dtype == dtype) {
            d->dtype = (DLDataType){.code = dlpack_types[i].code, .bits = dlpack_types[i].bits, .lanes = 1};
            return CH_OK;
        }
    return ch__fail(CH__E_unsupported, "dlpack_export: %s has no form in DLPack", ch_dtype_name(dtype));
}

static ch_status dlpack_make(ch_tensor *t, bool legacy, bool copy, dlpack_out **out) {
    dlpack_out *o = ch__calloc(1, sizeof *o);
    if (!o) return ch__fail_oom("dlpack_export");
    ch_status s = dlpack_hold(t, &o->tensor);
    if (s == CH_OK) s = dlpack_fill(o, legacy ? &o->managed.legacy.dl_tensor : &o->managed.now.dl_tensor, copy);
    if (s == CH_OK)
        *out = o;
    else
        dlpack_free(o);
    return s;
}

ch_status ch_dlpack_export(ch_tensor *t, int copy, struct DLManagedTensorVersioned **out_managed) {
    CH_TRY(ch__io_place("dlpack_export", out_managed));
    *out_managed = NULL;
    dlpack_out *o = NULL;
    CH_TRY(dlpack_make(t, false, copy != 0, &o));
    DLManagedTensorVersioned *m = &o->managed.now;
    m->version.major = 1;
    m->version.minor = 1;
    m->flags = copy ? DLPACK_FLAG_BITMASK_IS_COPIED : DLPACK_FLAG_BITMASK_READ_ONLY;
    m->deleter = dlpack_delete;
    *out_managed = m;
    return CH_OK;
}

ch_status ch_dlpack_export_legacy(ch_tensor *t, struct DLManagedTensor **out_managed) {
    CH_TRY(ch__io_place("dlpack_export", out_managed));
    *out_managed = NULL;
    dlpack_out *o = NULL;
    CH_TRY(dlpack_make(t, true, true, &o));
    o->managed.legacy.deleter = dlpack_delete_legacy;
    *out_managed = &o->managed.legacy;
    return CH_OK;
}
