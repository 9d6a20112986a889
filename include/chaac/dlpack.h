// SPDX-License-Identifier: Apache-2.0
// dlpack.h - tensors shared with other libraries in one process by DLPack: NumPy, PyTorch, JAX and others.
//
// chaac.h does not include this file. The structs below are the spec's, under its names; where <dlpack/dlpack.h> is
// used too, include that one first, and its declarations count. Not copied: what is exported, and what is imported when
// its rows lie one behind the other; other strides are gathered.
// Source: https://dmlc.github.io/dlpack/latest/ (1.1); the layout up to flags never changes.
//
// ```c
// #include <chaac/chaac.h>
// #include <chaac/dlpack.h>
// #include <stdio.h>
// int main(void) {
//     ch_tensor *x = ch_from_f32((float[]){1, 2, 3, 4, 5, 6}, 2, (int64_t[]){2, 3}), *back = NULL;
//     DLManagedTensorVersioned *m = NULL;
//     if (ch_dlpack_export(x, 0, &m) != CH_OK) return 1;
//     printf("%d axes, read only: %d\n", (int)m->dl_tensor.ndim, (int)(m->flags & DLPACK_FLAG_BITMASK_READ_ONLY));
//     if (ch_dlpack_import(m, &back) != CH_OK) return 1;   // takes m over
//     printf("same memory: %d\n", ch_data(back) == ch_data(x));
//     ch_release(back);
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_DLPACK_H
#define CHAAC_DLPACK_H

#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DLPACK_DLPACK_H_
typedef struct {
    uint32_t major, minor;
} DLPackVersion;

enum { // device_type
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLOpenCL = 4,
    kDLVulkan = 7,
    kDLMetal = 8,
    kDLVPI = 9,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLExtDev = 12,
    kDLCUDAManaged = 13,
    kDLOneAPI = 14,
    kDLWebGPU = 15,
    kDLHexagon = 16,
    kDLMAIA = 17
};
typedef struct {
    int32_t device_type;
    int32_t device_id;
} DLDevice;

enum { // code
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLOpaqueHandle = 3,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6,
    kDLFloat8_e3m4 = 7,
    kDLFloat8_e4m3 = 8,
    kDLFloat8_e4m3b11fnuz = 9,
    kDLFloat8_e4m3fn = 10,
    kDLFloat8_e4m3fnuz = 11,
    kDLFloat8_e5m2 = 12,
    kDLFloat8_e5m2fnuz = 13,
    kDLFloat8_e8m0fnu = 14,
    kDLFloat6_e2m3fn = 15,
    kDLFloat6_e3m2fn = 16,
    kDLFloat4_e2m1fn = 17
};
typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; // in elements; NULL: row-major, without holes
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif

// Realizes t. copy 0: the tensor's own memory, marked read-only, since other tensors may use it too; it lives until the
// deleter is called, on any thread. copy 1: memory of the consumer's own, marked as copied, which may be written.
CH_API CH_MUST_USE ch_status ch_dlpack_export(ch_tensor *t, int copy, struct DLManagedTensorVersioned **out_managed);
// The form before 1.0, for consumers that know no other. It cannot say "read only", so it is always a copy.
CH_API CH_MUST_USE ch_status ch_dlpack_export_legacy(ch_tensor *t, struct DLManagedTensor **out_managed);
// A tensor of the caller's over the producer's memory. m is taken over, also when this fails: its deleter runs exactly
// once, with the last use of the memory or at once. The memory is never written here; while the tensor is alive nobody
// else should. Taken are host memory (CPU, CUDAHost, ROCMHost), the dtypes of dtype.h, at most 16 axes, any strides.
// Errors: newer_version, unsupported, argument.
CH_API CH_MUST_USE ch_status ch_dlpack_import(struct DLManagedTensorVersioned *m, ch_tensor **out_tensor);
CH_API CH_MUST_USE ch_status ch_dlpack_import_legacy(struct DLManagedTensor *m, ch_tensor **out_tensor);

#ifdef __cplusplus
}
#endif
#endif
