// SPDX-License-Identifier: Apache-2.0
// fuzz_safetensors.c - safetensors files: opening never does more than fail with a sentence; what is opened is
// covered by its tensors from the first byte of data to the last, each found by its name and readable.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

// Reads tensor i, which begins at `at` of the file; gives its bytes.
static size_t read_one(ch_safetensors *f, int i, const uint8_t *at) {
    const char *name = ch_safetensors_name(f, i);
    if (!name || ch_safetensors_find(f, name) != i) abort();
    size_t bytes = ch_dtype_size(ch_safetensors_dtype(f, i));
    for (int k = 0; k < ch_safetensors_rank(f, i); k++) bytes *= (size_t)ch_safetensors_dims(f, i)[k];
    ch_tensor *t = NULL;
    if (ch_safetensors_read(f, name, &t) == CH_OK) {
        if (ch_tensor_dtype(t) != ch_safetensors_dtype(f, i) || ch_tensor_rank(t) != ch_safetensors_rank(f, i)) abort();
        if (bytes > 0 && memcmp(ch_data(t), at, bytes) != 0) abort();
        ch_release(t);
    } else if (ch_safetensors_dtype(f, i) != CH_BOOL || t) { // bytes other than 0 and 1
        abort();
    }
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ch_safetensors *f = NULL;
    if (ch_safetensors_open_memory(data, n, "fuzz", &f) == CH_OK) {
        size_t header = 0;
        for (int i = 7; i >= 0; i--) header = header << 8 | data[i];
        size_t at = 8 + header;
        for (int i = 0; i < ch_safetensors_count(f); i++) at += read_one(f, i, data + at);
        if (at != n) abort();
        for (int i = 0; ch_safetensors_metadata_key(f, i); i++)
            if (!ch_safetensors_metadata(f, ch_safetensors_metadata_key(f, i))) abort();
    } else if (f || ch_error_message()[0] == 0) {
        abort();
    }
    ch_safetensors_close(f);
    ch_thread_end();
    return 0;
}
