// SPDX-License-Identifier: Apache-2.0
// fuzz_idx.c - idx files: loading never does more than fail with a sentence; the input as it is and the input
// compressed by gzip load alike.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static ch_tensor *load(const uint8_t *data, size_t n) {
    ch_tensor *t = NULL;
    const ch_status s = ch_idx_load_memory(data, n, "fuzz", &t);
    if ((s == CH_OK) != (t != NULL) || (s != CH_OK && ch_error_message()[0] == 0)) abort();
    return t;
}

// The same bytes as a gzip file, loaded.
static ch_tensor *load_packed(const uint8_t *data, size_t n) {
    z_stream z = {0};
    const size_t room = n + n / 8 + 100;
    uint8_t *packed = malloc(room);
    if (!packed || deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    z.next_in = (uint8_t *)(uintptr_t)data;
    z.avail_in = (unsigned)n;
    z.next_out = packed;
    z.avail_out = (unsigned)room;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END) abort();
    ch_tensor *t = load(packed, z.total_out);
    deflateEnd(&z);
    free(packed);
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ch_tensor *t = load(data, n);
    if (n < 2 || data[0] != 0x1f || data[1] != 0x8b) {
        ch_tensor *packed = load_packed(data, n);
        if ((t != NULL) != (packed != NULL)) abort();
        if (t) {
            const size_t bytes = (size_t)ch_tensor_numel(t) * ch_dtype_size(ch_tensor_dtype(t));
            if (ch_tensor_dtype(t) != ch_tensor_dtype(packed) || ch_tensor_rank(t) != ch_tensor_rank(packed)) abort();
            if (bytes > n || (bytes > 0 && memcmp(ch_data(t), ch_data(packed), bytes) != 0)) abort();
        }
        ch_release(packed);
    }
    ch_release(t);
    ch_thread_end();
    return 0;
}
