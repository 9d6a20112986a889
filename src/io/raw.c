// SPDX-License-Identifier: Apache-2.0
// raw.c - elements without any header, one behind the other: what numpy.tofile writes and numpy.fromfile reads.
//
// The file says nothing of itself, so its size must be exactly what dtype and sizes say.
#include "io/io.h"

// Takes one size of -1 for what is left.
static ch_status raw_sizes(const char *path, ch_dtype dtype, int rank, const int64_t *dims, uint64_t size,
                           int64_t out[CH__MAX_RANK]) {
    int open = -1;
    if (ch_dtype_size(dtype) == 0)
        return ch__fail(CH__E_dtype_mismatch, "raw_load: %s: dtype %s (%d) — give one of dtype.h that is not reserved",
                        path, ch_dtype_name(dtype), (int)dtype);
    if (rank < 0 || rank > CH__MAX_RANK || (rank > 0 && !dims))
        return ch__fail(CH__E_rank, "raw_load: %s: rank %d — 0 to %d, and as many sizes, are allowed", path, rank,
                        CH__MAX_RANK);
    for (int i = 0; i < rank; i++) {
        if (dims[i] < -1 || (dims[i] == -1 && open >= 0))
            return ch__fail(CH__E_argument,
                            "raw_load: %s: size %d is %" PRId64 " — at least 0, and -1 once, is allowed", path, i,
                            dims[i]);
        if (dims[i] == -1) open = i;
        out[i] = dims[i] == -1 ? 1 : dims[i];
    }
    char text[CH__IO_DIMS];
    uint64_t bytes = 0;
    bool fits = ch__io_bytes(dtype, rank, out, &bytes);
    if (fits && open >= 0 && bytes > 0 && size % bytes == 0 && size / bytes <= INT64_MAX) {
        out[open] = (int64_t)(size / bytes);
        return CH_OK;
    }
    if (fits && open < 0 && bytes == size) return CH_OK;
    ch__io_dims_text(text, rank, dims);
    if (!fits)
        return ch__fail(CH__E_dim_overflow, "raw_load: %s: sizes %s — their product does not fit in 64 bits", path,
                        text);
    return ch__fail(CH__E_file_format,
                    "raw_load: %s: %s%s takes %s%" PRIu64 " bytes, the file has %" PRIu64 " — they must be equal", path,
                    ch_dtype_name(dtype), text, open >= 0 ? "a multiple of " : "", bytes, size);
}

static ch_status raw_read(const ch__source *s, ch_dtype dtype, int rank, const int64_t *dims, ch_tensor **out) {
    int64_t sizes[CH__MAX_RANK];
    CH_TRY(raw_sizes(s->name, dtype, rank, dims, s->size, sizes));
    unsigned char *data = ch__io_alloc(s->size);
    if (!data) return ch__fail_oom(s->what);
    ch_status status = ch__source_read(s, 0, data, (size_t)s->size);
    size_t n = (size_t)s->size, wrong = status == CH_OK && dtype == CH_BOOL ? ch__io_bool_wrong(data, n) : n;
    if (wrong < n)
        status = ch__fail(CH__E_file_format, "raw_load: %s: element %zu is the byte 0x%02x — bool is 0 or 1", s->name,
                          wrong, data[wrong]);
    if (status == CH_OK) return ch__io_give(s->what, dtype, data, rank, sizes, out);
    ch__free_aligned(data);
    return status;
}

ch_status ch_raw_load(const char *path, ch_dtype dtype, int rank, const int64_t *dims, ch_tensor **out_tensor) {
    ch__source source;
    CH_TRY(ch__io_place("raw_load", out_tensor));
    *out_tensor = NULL;
    CH_TRY(ch__source_open(&source, "raw_load", path));
    ch_status s = raw_read(&source, dtype, rank, dims, out_tensor);
    ch__source_close(&source);
    return s;
}

ch_status ch_raw_save(const char *path, ch_tensor *t) {
    if (!path) return ch__fail(CH__E_argument, "raw_save: the path is NULL — give one");
    const void *data = NULL;
    CH_TRY(ch_realize(t));
    int64_t dims[CH__MAX_RANK];
    for (int i = 0; i < ch_tensor_rank(t); i++) dims[i] = ch_tensor_dim(t, i);
    uint64_t bytes = 0;
    if (!ch__io_bytes(ch_tensor_dtype(t), ch_tensor_rank(t), dims, &bytes))
        return ch__fail(CH__E_dim_overflow, "raw_save: %s: the tensor's size in bytes does not fit in 64 bits", path);
    data = ch_data(t);
    if (!data && bytes > 0) return ch__err_status(ch__error_current());
    return ch__file_write_atomic(path, data, (size_t)bytes);
}
