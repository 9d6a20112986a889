// SPDX-License-Identifier: Apache-2.0
// fuzz_npz.c - npz archives: opening and reading never do more than fail with a sentence; every member is found by its
// name, and what is read has all its bytes.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ch_npz *f = NULL;
    if (ch_npz_open_memory(data, n, "fuzz", &f) == CH_OK) {
        for (int i = 0; i < ch_npz_count(f) && i < 20; i++) {
            ch_tensor *t = NULL;
            const char *name = ch_npz_name(f, i);
            if (!name || ch_npz_find(f, name) < 0) abort();
            if (ch_npz_read(f, name, &t) == CH_OK) {
                if (ch_tensor_numel(t) < 0 || !ch_is_realized(t)) abort();
                size_t bytes = (size_t)ch_tensor_numel(t) * ch_dtype_size(ch_tensor_dtype(t));
                if (bytes / 1032 > n) abort(); // more than deflate can make
                unsigned sum = 0;
                for (size_t k = 0; k < bytes; k++) sum += ((const uint8_t *)ch_data(t))[k];
                if (sum == 0xffffffff) abort();
                ch_release(t);
            } else if (t || ch_error_message()[0] == 0) {
                abort();
            }
        }
    } else if (f || ch_error_message()[0] == 0) {
        abort();
    }
    ch_npz_close(f);
    ch_thread_end();
    return 0;
}
