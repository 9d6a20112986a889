// SPDX-License-Identifier: Apache-2.0
// mock_cuda.c - of CUDA's driver, the three functions that tests' handlers use, over the mock plugin (platform=cuda).
//
// The mock gives its handlers addresses that are none of the host's (MOCK_CUDA_ADDRESS), so that what reads or writes
// them without the driver ends the process, as it may on a device.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mock_plugin.h"

enum { MOCK_CUDA_INVALID = 1 };

#define DRIVER __attribute__((visibility("default"))) int
DRIVER cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t n, void *stream);
DRIVER cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t n, void *stream);
DRIVER cuStreamSynchronize(void *stream);

int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t n, void *stream) {
    if ((from & MOCK_CUDA_ADDRESS) == 0 || stream != MOCK_CUDA_STREAM) return MOCK_CUDA_INVALID;
    memcpy(to, (const void *)(uintptr_t)(from & ~MOCK_CUDA_ADDRESS), n);
    return 0;
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t n, void *stream) {
    if ((to & MOCK_CUDA_ADDRESS) == 0 || stream != MOCK_CUDA_STREAM) return MOCK_CUDA_INVALID;
    memcpy((void *)(uintptr_t)(to & ~MOCK_CUDA_ADDRESS), from, n);
    return 0;
}

int cuStreamSynchronize(void *stream) { return stream == MOCK_CUDA_STREAM ? 0 : MOCK_CUDA_INVALID; }
