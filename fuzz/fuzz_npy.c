// SPDX-License-Identifier: Apache-2.0
// fuzz_npy.c - npy files: loading never does more than fail with a sentence, and what is loaded has all its bytes.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ch_tensor *t = NULL;
    if (ch_npy_load_memory(data, n, "fuzz", &t) == CH_OK) {
        const int64_t numel = ch_tensor_numel(t);
        if (numel < 0 || !ch_is_realized(t)) abort();
        const size_t bytes = (size_t)numel * ch_dtype_size(ch_tensor_dtype(t));
        if (bytes > n) abort();
        // the data is the end of the file, in the order of the file or turned: the same bytes in all
        uint8_t *read = malloc(bytes ? bytes : 1);
        if (!read || ch_read_bytes(t, read, bytes) != CH_OK) abort();
        uint64_t here = 0, there = 0;
        for (size_t i = 0; i < bytes; i++) {
            here += read[i];
            there += data[n - bytes + i];
        }
        if (here != there) abort();
        free(read);
        ch_release(t);
    } else if (t || ch_error_message()[0] == 0) {
        abort();
    }
    ch_thread_end();
    return 0;
}
