// SPDX-License-Identifier: Apache-2.0
// target.h - the device that tests of this folder run on: $CHAAC_PJRT_TARGET as sessions take it, the CPU when not set.
//
// What is the host's alone (virtual devices, memory that is shared, handlers that read arrays where they lie) is left
// out elsewhere, by name. On CUDA the arrays that handlers are given are the device's: they are fetched and put by the
// driver, on the stream of the call. $CHAAC_TEST_CUDA_DRIVER names another driver: the mock's (mock_cuda.c).
#ifndef CHAAC_TESTS_PJRT_TARGET_H
#define CHAAC_TESTS_PJRT_TARGET_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/ffi.h"

static inline const char *target_name(void) {
    const char *name = getenv("CHAAC_PJRT_TARGET");
    return name == NULL || name[0] == '\0' ? "cpu" : name;
}

static inline bool target_on_host(void) { return strcmp(target_name(), "cpu") == 0; }

// cuMemcpyDtoHAsync_v2, cuMemcpyHtoDAsync_v2, cuStreamSynchronize
typedef int (*target_down_fn)(void *to, unsigned long long from, size_t n, void *stream);
typedef int (*target_up_fn)(unsigned long long to, const void *from, size_t n, void *stream);
typedef int (*target_wait_fn)(void *stream);

static inline void *target_driver(const char *name) {
    const char *file = getenv("CHAAC_TEST_CUDA_DRIVER");
    void *driver = dlopen(file == NULL ? "libcuda.so.1" : file, RTLD_NOW | RTLD_LOCAL);
    return driver == NULL ? NULL : dlsym(driver, name);
}

static inline bool target_waits(void *stream) {
    void *symbol = target_driver("cuStreamSynchronize");
    target_wait_fn wait;
    memcpy(&wait, &symbol, sizeof wait);
    return wait != NULL && wait(stream) == 0;
}

// n bytes of an argument, or into a result, in a handler.
static inline bool target_get(ch_ffi_call *call, void *to, const ch_ffi_array *from, size_t n) {
    if (target_on_host()) return memcpy(to, from->data, n) != NULL;
    void *symbol = target_driver("cuMemcpyDtoHAsync_v2"), *stream = ch_ffi_stream(call);
    target_down_fn down;
    memcpy(&down, &symbol, sizeof down);
    return down != NULL && down(to, (unsigned long long)(uintptr_t)from->data, n, stream) == 0 && target_waits(stream);
}

static inline bool target_put(ch_ffi_call *call, const ch_ffi_array *to, const void *from, size_t n) {
    if (target_on_host()) return memcpy(to->data, from, n) != NULL;
    void *symbol = target_driver("cuMemcpyHtoDAsync_v2"), *stream = ch_ffi_stream(call);
    target_up_fn up;
    memcpy(&up, &symbol, sizeof up);
    return up != NULL && up((unsigned long long)(uintptr_t)to->data, from, n, stream) == 0 && target_waits(stream);
}

#endif
