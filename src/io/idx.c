// SPDX-License-Identifier: Apache-2.0
// idx.c - idx files, plain or gzip.
//
//     byte 0, byte 0, type, rank | rank sizes, 32-bit big endian | elements, big endian, last size fastest
//
// Which of the two it is, the first two bytes tell (gzip: 1f 8b). A compressed file says the size of its data too,
// through the sizes in its header; what is claimed beyond what deflate can make is refused before memory is taken.
// Source: the format's page by its authors (THE MNIST DATABASE).
#include "io/io.h"

typedef struct {
    ch_dtype dtype;
    int rank;
    int64_t dims[CH__MAX_RANK];
    uint64_t bytes;
} idx_header;

static int idx_dtype(unsigned char type) {
    switch (type) {
    case 0x08: return CH_U8;
    case 0x09: return CH_I8;
    case 0x0b: return CH_I16;
    case 0x0c: return CH_I32;
    case 0x0d: return CH_F32;
    case 0x0e: return CH_F64;
    default: return 0;
    }
}

static ch_status idx_short_header(const ch__stream *s, size_t got, size_t wanted) {
    return ch__fail(CH__E_file_format, "%s: %s: %zu bytes of header — %zu are needed: it is truncated or no idx file",
                    s->what, s->name, got, wanted);
}

static ch_status idx_read_header(ch__stream *s, idx_header *h) {
    const char *what = s->what, *name = s->name;
    unsigned char b[4 * CH__MAX_RANK];
    size_t got;
    CH_TRY(ch__stream_get(s, b, 4, &got));
    if (got < 4) return idx_short_header(s, got, 4);
    if (b[0] != 0 || b[1] != 0)
        return ch__fail(CH__E_file_format, "%s: %s: it begins with bytes %02x %02x — an idx file begins with 00 00",
                        what, name, b[0], b[1]);
    if (idx_dtype(b[2]) == 0)
        return ch__fail(
            CH__E_file_format,
            "%s: %s: element type 0x%02x — 08 (u8), 09 (i8), 0b (i16), 0c (i32), 0d (f32), 0e (f64) are known", what,
            name, b[2]);
    h->dtype = (ch_dtype)idx_dtype(b[2]);
    h->rank = b[3];
    if (h->rank > CH__MAX_RANK)
        return ch__fail(CH__E_unsupported, "%s: %s: rank %d — at most %d is read", what, name, h->rank, CH__MAX_RANK);
    size_t wanted = 4 * (size_t)h->rank;
    CH_TRY(ch__stream_get(s, b, wanted, &got));
    if (got < wanted) return idx_short_header(s, 4 + got, 4 + wanted);
    for (int i = 0; i < h->rank; i++)
        h->dims[i] = (int64_t)b[4 * i] << 24 | (int64_t)b[4 * i + 1] << 16 | (int64_t)b[4 * i + 2] << 8 | b[4 * i + 3];
    if (ch__io_bytes(h->dtype, h->rank, h->dims, &h->bytes)) return CH_OK;
    char dims[CH__IO_DIMS];
    return ch__fail(CH__E_file_format, "%s: %s: sizes %s — their product does not fit in 64 bits", what, name,
                    ch__io_dims_text(dims, h->rank, h->dims));
}

static ch_status idx_wrong_size(const ch__stream *s, const idx_header *h, uint64_t found, const char *advice) {
    char dims[CH__IO_DIMS];
    return ch__fail(CH__E_file_format, "%s: %s: %s%s takes %" PRIu64 " bytes of data, there are %s%" PRIu64 " — %s",
                    s->what, s->name, ch_dtype_name(h->dtype), ch__io_dims_text(dims, h->rank, h->dims), h->bytes,
                    found > h->bytes && s->kind == CH__STREAM_GZIP ? "at least " : "", found, advice);
}

// Before memory is taken: whether the file can hold that much.
static ch_status idx_check_size(const ch__stream *s, const idx_header *h) {
    bool gzip = s->kind == CH__STREAM_GZIP;
    uint64_t left = s->end - s->at, limit = ch__stream_may_hold(s);
    if (gzip && h->bytes > limit) {
        char dims[CH__IO_DIMS];
        return ch__fail(CH__E_file_format,
                        "%s: %s: %s%s takes %" PRIu64 " bytes of data, %" PRIu64
                        " compressed bytes hold at most %" PRIu64 " — it is truncated or damaged",
                        s->what, s->name, ch_dtype_name(h->dtype), ch__io_dims_text(dims, h->rank, h->dims), h->bytes,
                        s->size, limit);
    }
    if (!gzip && left < h->bytes) return idx_wrong_size(s, h, left, "it is truncated or damaged");
    if (!gzip && left > h->bytes) return idx_wrong_size(s, h, left, "nothing may follow the data");
    return CH_OK;
}

static void idx_swap(unsigned char *p, uint64_t bytes, size_t size) {
    for (unsigned char *end = p + bytes; p < end; p += size)
        for (size_t i = 0; i < size / 2; i++) {
            unsigned char c = p[i];
            p[i] = p[size - 1 - i];
            p[size - 1 - i] = c;
        }
}

static ch_status idx_fill(ch__stream *s, const idx_header *h, unsigned char *data) {
    unsigned char beyond;
    size_t got;
    CH_TRY(ch__stream_get(s, data, (size_t)h->bytes, &got));
    if (got < h->bytes) return idx_wrong_size(s, h, got, "it is truncated or damaged");
    CH_TRY(ch__stream_get(s, &beyond, 1, &got));
    if (got > 0) return idx_wrong_size(s, h, h->bytes + 1, "nothing may follow the data");
    idx_swap(data, h->bytes, ch_dtype_size(h->dtype));
    return CH_OK;
}

static ch_status idx_read(ch__stream *s, ch_tensor **out) {
    idx_header h;
    CH_TRY(idx_read_header(s, &h));
    CH_TRY(idx_check_size(s, &h));
    unsigned char *data = ch__io_alloc(h.bytes);
    if (!data) return ch__fail_oom(s->what);
    ch_status status = idx_fill(s, &h, data);
    if (status == CH_OK) return ch__io_give(s->what, h.dtype, data, h.rank, h.dims, out);
    ch__free_aligned(data);
    return status;
}

static ch_status idx_begin(const ch__source *source, ch_tensor **out) {
    unsigned char magic[2] = {0, 0};
    CH_TRY(ch__source_read(source, 0, magic, source->size < 2 ? (size_t)source->size : 2));
    bool gzip = magic[0] == 0x1f && magic[1] == 0x8b;
    ch__stream s;
    CH_TRY(ch__stream_begin(&s, source, gzip ? CH__STREAM_GZIP : CH__STREAM_PLAIN, 0, source->size));
    ch_status status = idx_read(&s, out);
    ch__stream_end(&s);
    return status;
}

ch_status ch_idx_load(const char *path, ch_tensor **out_tensor) {
    ch__source source;
    CH_TRY(ch__io_place("idx_load", out_tensor));
    *out_tensor = NULL;
    CH_TRY(ch__source_open(&source, "idx_load", path));
    ch_status s = idx_begin(&source, out_tensor);
    ch__source_close(&source);
    return s;
}

ch_status ch_idx_load_memory(const void *data, size_t n, const char *name, ch_tensor **out_tensor) {
    ch__source source;
    CH_TRY(ch__io_place("idx_load", out_tensor));
    *out_tensor = NULL;
    CH_TRY(ch__source_memory(&source, "idx_load", data, n, name));
    return idx_begin(&source, out_tensor);
}
