// SPDX-License-Identifier: Apache-2.0
// fuzz_dlpack.c - the numbers of a DLPack producer: version, device, dtype, shape, strides, offset.
//
//     byte 0: flags of this target | 1: version | 2: device | 3: dtype code | 4: bits | 5: lanes | 6: axes
//     then a size and a stride per axis, 2 bytes each, or 8 when flag 1 is set, and 2 bytes of offset
//
// Taking what a producer says never does more than fail with a sentence, its deleter runs exactly once, and what is
// taken are the elements at the places that the strides say. A producer that points outside of its own memory cannot be
// found out by a consumer, so the target leaves those out.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "chaac/chaac.h"
#include "chaac/dlpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ROOM = 1 << 16, AXES = 20 };
static uint8_t memory[ROOM];
static int deleted;

static void count(DLManagedTensorVersioned *m) {
    (void)m;
    deleted++;
}

static int64_t number(const uint8_t **p, const uint8_t *end, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes && *p < end; i++) v |= (uint64_t) * (*p)++ << (8 * i);
    return bytes == 2 ? (int16_t)v : (int64_t)v;
}

// Whether all elements lie in memory[from, ROOM); how many there are.
static int inside(const DLTensor *d, size_t size, int64_t *out_n) {
    double low = (double)d->byte_offset, high = low + (double)size;
    int64_t count_all = 1;
    for (int i = 0; i < d->ndim; i++) {
        if (d->shape[i] <= 0) return d->shape[i] == 0 ? (*out_n = 0, 1) : 0;
        if (d->shape[i] > ROOM || count_all > ROOM) return 0;
        count_all *= d->shape[i];
        double reach = (double)(d->shape[i] - 1) * (double)d->strides[i] * (double)size;
        if (reach < 0)
            low += reach;
        else
            high += reach;
    }
    *out_n = count_all;
    return low >= 0 && high <= ROOM && count_all <= ROOM;
}

static void compare(const DLTensor *d, const uint8_t *got, int64_t n, int64_t size) {
    for (int64_t k = 0; k < n; k++) {
        int64_t rest = k, at = (int64_t)d->byte_offset;
        for (int i = d->ndim - 1; i >= 0; i--) {
            at += rest % d->shape[i] * d->strides[i] * size;
            rest /= d->shape[i];
        }
        if (memcmp(got + k * size, memory + at, (size_t)size) != 0) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n < 7) return 0;
    int64_t shape[AXES] = {0}, strides[AXES] = {0};
    const uint8_t *p = data + 7, *end = data + n;
    int axes = (int8_t)data[6], bytes = data[0] & 1 ? 8 : 2;
    if (axes > AXES) axes = AXES;
    for (int i = 0; i < axes; i++) {
        shape[i] = number(&p, end, bytes);
        strides[i] = number(&p, end, bytes);
    }
    for (int i = 0; i < ROOM; i++) memory[i] = (uint8_t)(data[0] & 2 ? i * 7 : i & 1);
    DLManagedTensorVersioned m = {.version = {data[1], 0}, .deleter = count};
    m.dl_tensor.data = memory;
    m.dl_tensor.device.device_type = data[2];
    m.dl_tensor.ndim = axes;
    m.dl_tensor.dtype.code = data[3];
    m.dl_tensor.dtype.bits = data[4];
    m.dl_tensor.dtype.lanes = data[5];
    m.dl_tensor.shape = shape;
    m.dl_tensor.strides = strides;
    m.dl_tensor.byte_offset = (uint64_t)number(&p, end, 2) & (ROOM - 1);
    int64_t count_all = 0;
    if (axes >= 0 && axes <= 16 && !inside(&m.dl_tensor, data[4] / 8, &count_all)) {
        // only what is refused whatever lies there
        m.dl_tensor.data = NULL;
    }
    ch_tensor *t = NULL;
    deleted = 0;
    if (ch_dlpack_import(&m, &t) == CH_OK) {
        size_t size = ch_dtype_size(ch_tensor_dtype(t));
        if (ch_tensor_numel(t) != count_all || size != data[4] / 8) abort();
        if (count_all > 0) compare(&m.dl_tensor, ch_data(t), count_all, (int64_t)size);
        ch_release(t);
    } else if (t || ch_error_message()[0] == 0) {
        abort();
    }
    ch_thread_end();
    if (deleted != 1) abort();
    return 0;
}
