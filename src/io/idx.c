// SPDX-License-Identifier: Apache-2.0
// idx.c - idx files, plain or gzip.
//
//     byte 0, byte 0, type, rank | rank sizes, 32-bit big endian | elements, big endian, last size fastest
//
// Which of the two it is, the first two bytes tell (gzip: 1f 8b). A compressed file says the size of its data too,
// through the sizes in its header: deflate makes at most 1,032 bytes of one, so what is claimed beyond that is
// refused before memory is taken. gzip's own checksum is checked by zlib; members one after another are one stream
// (RFC 1952).
// Source: the format's page by its authors (THE MNIST DATABASE); zlib's manual; RFC 1951, 1952.
#include "io/io.h"

#include <string.h>
#include <zlib.h>

#define IDX_DEFLATE_RATIO 1032 // the most that deflate can expand, zlib's technical notes
#define IDX_CHUNK (1u << 30)   // zlib counts in unsigned int

typedef struct {
    const ch__source *source;
    uint64_t at; // next byte of the source
    bool gzip;   // z is set up
    bool at_end; // gzip: the last member ended with the last byte
    z_stream z;
    unsigned char buffer[1 << 16];
} idx_stream;

static void *idx_zalloc(void *user, unsigned n, unsigned bytes) {
    (void)user;
    return ch__calloc(n, bytes);
}

static void idx_zfree(void *user, void *p) {
    (void)user;
    ch__free(p);
}

static ch_status idx_damaged(const idx_stream *s, const char *how) {
    return ch__fail(CH__E_file_format, "%s: %s: the gzip data is damaged near byte %" PRIu64 ": %s", s->source->what,
                    s->source->name, s->at - s->z.avail_in, how);
}

// Gives zlib more of the source; false: there is no more.
static ch_status idx_refill(idx_stream *s, bool *more) {
    uint64_t left = s->source->size - s->at;
    *more = left > 0;
    if (s->source->file) {
        size_t n = left < sizeof s->buffer ? (size_t)left : sizeof s->buffer;
        CH_TRY(ch__source_read(s->source, s->at, s->buffer, n));
        s->z.next_in = s->buffer;
        s->z.avail_in = (unsigned)n;
    } else {
        s->z.next_in = (unsigned char *)(uintptr_t)(s->source->data + s->at); // zlib does not write there
        s->z.avail_in = (unsigned)(left < IDX_CHUNK ? left : IDX_CHUNK);
    }
    s->at += s->z.avail_in;
    return CH_OK;
}

// At the end of a member: whether another follows.
static ch_status idx_next_member(idx_stream *s) {
    if (s->z.avail_in == 0 && s->at == s->source->size) {
        s->at_end = true;
        return CH_OK;
    }
    if (inflateReset(&s->z) != Z_OK) return idx_damaged(s, "no state");
    return CH_OK;
}

// Up to n bytes of decompressed data; fewer only at the end, which must be a whole one.
static ch_status idx_inflate(idx_stream *s, unsigned char *out, size_t n, size_t *got) {
    size_t done = 0;
    while (done < n && !s->at_end) {
        bool more = true;
        if (s->z.avail_in == 0) CH_TRY(idx_refill(s, &more));
        unsigned want = n - done < IDX_CHUNK ? (unsigned)(n - done) : IDX_CHUNK;
        s->z.next_out = out + done;
        s->z.avail_out = want;
        int r = inflate(&s->z, Z_NO_FLUSH);
        done += want - s->z.avail_out;
        if (r == Z_STREAM_END)
            CH_TRY(idx_next_member(s));
        else if (r == Z_MEM_ERROR)
            return ch__fail_oom(s->source->what);
        else if (r == Z_BUF_ERROR && !more)
            return idx_damaged(s, "it ends early — the file is truncated");
        else if (r != Z_OK && r != Z_BUF_ERROR)
            return idx_damaged(s, s->z.msg ? s->z.msg : "not a gzip stream");
    }
    *got = done;
    return CH_OK;
}

static ch_status idx_get(idx_stream *s, unsigned char *out, size_t n, size_t *got) {
    if (s->gzip) return idx_inflate(s, out, n, got);
    uint64_t left = s->source->size - s->at;
    *got = left < n ? (size_t)left : n;
    CH_TRY(ch__source_read(s->source, s->at, out, *got));
    s->at += *got;
    return CH_OK;
}

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

static ch_status idx_short_header(const idx_stream *s, size_t got, size_t wanted) {
    return ch__fail(CH__E_file_format, "%s: %s: %zu bytes of header — %zu are needed: it is truncated or no idx file",
                    s->source->what, s->source->name, got, wanted);
}

static ch_status idx_read_header(idx_stream *s, idx_header *h) {
    const char *what = s->source->what, *name = s->source->name;
    unsigned char b[4 * CH__MAX_RANK];
    size_t got;
    CH_TRY(idx_get(s, b, 4, &got));
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
    CH_TRY(idx_get(s, b, wanted, &got));
    if (got < wanted) return idx_short_header(s, 4 + got, 4 + wanted);
    for (int i = 0; i < h->rank; i++)
        h->dims[i] = (int64_t)b[4 * i] << 24 | (int64_t)b[4 * i + 1] << 16 | (int64_t)b[4 * i + 2] << 8 | b[4 * i + 3];
    if (ch__io_bytes(h->dtype, h->rank, h->dims, &h->bytes)) return CH_OK;
    char dims[CH__IO_DIMS];
    return ch__fail(CH__E_file_format, "%s: %s: sizes %s — their product does not fit in 64 bits", what, name,
                    ch__io_dims_text(dims, h->rank, h->dims));
}

static ch_status idx_wrong_size(const idx_stream *s, const idx_header *h, uint64_t found, const char *advice) {
    char dims[CH__IO_DIMS];
    return ch__fail(CH__E_file_format, "%s: %s: %s%s takes %" PRIu64 " bytes of data, there are %s%" PRIu64 " — %s",
                    s->source->what, s->source->name, ch_dtype_name(h->dtype), ch__io_dims_text(dims, h->rank, h->dims),
                    h->bytes, found > h->bytes && s->gzip ? "at least " : "", found, advice);
}

// Before memory is taken: whether the file can hold that much.
static ch_status idx_check_size(const idx_stream *s, const idx_header *h) {
    uint64_t left = s->source->size - s->at, limit = left;
    if (s->gzip) {
        uint64_t most = UINT64_MAX / IDX_DEFLATE_RATIO;
        limit = s->source->size > most ? UINT64_MAX : s->source->size * IDX_DEFLATE_RATIO;
    }
    if (s->gzip && h->bytes > limit) {
        char dims[CH__IO_DIMS];
        return ch__fail(CH__E_file_format,
                        "%s: %s: %s%s takes %" PRIu64 " bytes of data, %" PRIu64
                        " compressed bytes hold at most %" PRIu64 " — it is truncated or damaged",
                        s->source->what, s->source->name, ch_dtype_name(h->dtype),
                        ch__io_dims_text(dims, h->rank, h->dims), h->bytes, s->source->size, limit);
    }
    if (!s->gzip && left < h->bytes) return idx_wrong_size(s, h, left, "it is truncated or damaged");
    if (!s->gzip && left > h->bytes) return idx_wrong_size(s, h, left, "nothing may follow the data");
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

static ch_status idx_fill(idx_stream *s, const idx_header *h, unsigned char *data) {
    unsigned char beyond;
    size_t got;
    CH_TRY(idx_get(s, data, (size_t)h->bytes, &got));
    if (got < h->bytes) return idx_wrong_size(s, h, got, "it is truncated or damaged");
    CH_TRY(idx_get(s, &beyond, 1, &got));
    if (got > 0) return idx_wrong_size(s, h, h->bytes + 1, "nothing may follow the data");
    idx_swap(data, h->bytes, ch_dtype_size(h->dtype));
    return CH_OK;
}

static ch_status idx_read(idx_stream *s, ch_tensor **out) {
    idx_header h;
    CH_TRY(idx_read_header(s, &h));
    CH_TRY(idx_check_size(s, &h));
    unsigned char *data = ch__io_alloc(h.bytes);
    if (!data) return ch__fail_oom(s->source->what);
    ch_status status = idx_fill(s, &h, data);
    if (status == CH_OK) return ch__io_give(s->source->what, h.dtype, data, h.rank, h.dims, out);
    ch__free_aligned(data);
    return status;
}

static ch_status idx_begin(const ch__source *source, ch_tensor **out) {
    idx_stream *s = ch__calloc(1, sizeof *s);
    if (!s) return ch__fail_oom(source->what);
    s->source = source;
    s->z.zalloc = idx_zalloc;
    s->z.zfree = idx_zfree;
    unsigned char magic[2] = {0, 0};
    ch_status status = ch__source_read(source, 0, magic, source->size < 2 ? (size_t)source->size : 2);
    if (status == CH_OK && magic[0] == 0x1f && magic[1] == 0x8b) {
        s->gzip = inflateInit2(&s->z, 15 + 16) == Z_OK; // the largest window, gzip's wrapping
        if (!s->gzip) status = ch__fail_oom(source->what);
    }
    if (status == CH_OK) status = idx_read(s, out);
    if (s->gzip) inflateEnd(&s->z);
    ch__free(s);
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
