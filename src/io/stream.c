// SPDX-License-Identifier: Apache-2.0
// stream.c - bytes of a source one after another: as they are, out of gzip, or out of raw deflate.
//
// What a header claims about compressed data is checked before memory is taken: deflate makes at most 1,032 bytes of
// one (ch__stream_may_hold). gzip's own checksum is checked by zlib, and members one after another are one stream (RFC
// 1952); of raw deflate and of plain bytes a CRC-32 is kept for whoever knows what it should be (zip).
// Source: zlib's manual and technical notes; RFC 1951, 1952.
#include "io/io.h"

#include <string.h>

#define STREAM_DEFLATE_RATIO 1032 // the most that deflate can expand, zlib's technical notes
#define STREAM_CHUNK (1u << 30)   // zlib counts in unsigned int
#define STREAM_BUFFER (1u << 16)

static void *stream_zalloc(void *user, unsigned n, unsigned bytes) {
    (void)user;
    return ch__calloc(n, bytes);
}

static void stream_zfree(void *user, void *p) {
    (void)user;
    ch__free(p);
}

void ch__zlib_hooks(z_stream *z) {
    z->zalloc = stream_zalloc;
    z->zfree = stream_zfree;
}

uint32_t ch__crc32(uint32_t crc, const void *data, uint64_t n) {
    const unsigned char *p = data;
    while (n > 0) {
        unsigned part = n < STREAM_CHUNK ? (unsigned)n : STREAM_CHUNK;
        crc = (uint32_t)crc32(crc, p, part);
        p += part;
        n -= part;
    }
    return crc;
}

ch_status ch__stream_begin(ch__stream *s, const ch__source *source, ch__stream_kind kind, uint64_t begin,
                           uint64_t end) {
    *s = (ch__stream){.what = source->what,
                      .name = source->name,
                      .source = source,
                      .kind = kind,
                      .at = begin,
                      .end = end,
                      .size = end - begin,
                      .packed = end - begin};
    if (kind == CH__STREAM_PLAIN) return CH_OK;
    ch__zlib_hooks(&s->z);
    s->buffer = source->file ? ch__alloc(STREAM_BUFFER) : NULL;
    if (source->file && !s->buffer) return ch__fail_oom(source->what);
    // 15: the largest window; negative: raw deflate; 16 more: gzip's wrapping
    if (inflateInit2(&s->z, kind == CH__STREAM_GZIP ? 15 + 16 : -15) == Z_OK) {
        s->ready = true;
        return CH_OK;
    }
    ch__free(s->buffer);
    s->buffer = NULL;
    return ch__fail_oom(source->what);
}

void ch__stream_end(ch__stream *s) {
    if (s->ready) inflateEnd(&s->z);
    ch__free(s->buffer);
    s->ready = false;
    s->buffer = NULL;
}

uint64_t ch__stream_may_hold(const ch__stream *s) {
    uint64_t n = s->packed;
    if (s->kind == CH__STREAM_PLAIN) return n;
    return n > UINT64_MAX / STREAM_DEFLATE_RATIO ? UINT64_MAX : n * STREAM_DEFLATE_RATIO;
}

static ch_status stream_damaged(const ch__stream *s, const char *how) {
    return ch__fail(CH__E_file_format, "%s: %s: the %s data is damaged near byte %" PRIu64 ": %s", s->what, s->name,
                    s->kind == CH__STREAM_GZIP ? "gzip" : "deflate", s->at - s->z.avail_in, how);
}

// Gives zlib more of the source; false: there is no more.
static ch_status stream_refill(ch__stream *s, bool *more) {
    uint64_t left = s->end - s->at;
    *more = left > 0;
    if (s->source->file) {
        size_t n = left < STREAM_BUFFER ? (size_t)left : STREAM_BUFFER;
        CH_TRY(ch__source_read(s->source, s->at, s->buffer, n));
        s->z.next_in = s->buffer;
        s->z.avail_in = (unsigned)n;
    } else {
        s->z.next_in = (unsigned char *)(uintptr_t)(s->source->data + s->at); // zlib does not write there
        s->z.avail_in = (unsigned)(left < STREAM_CHUNK ? left : STREAM_CHUNK);
    }
    s->at += s->z.avail_in;
    return CH_OK;
}

// At the end of the compressed data: whether another member of gzip follows.
static ch_status stream_next_member(ch__stream *s) {
    bool more = s->z.avail_in > 0 || s->at < s->end;
    if (!more) {
        s->at_end = true;
        return CH_OK;
    }
    if (s->kind == CH__STREAM_DEFLATE) return stream_damaged(s, "it ends before its bytes do");
    return inflateReset(&s->z) == Z_OK ? CH_OK : stream_damaged(s, "no state");
}

static ch_status stream_inflate(ch__stream *s, unsigned char *out, size_t n, size_t *got) {
    size_t done = 0;
    while (done < n && !s->at_end) {
        bool more = true;
        if (s->z.avail_in == 0) CH_TRY(stream_refill(s, &more));
        unsigned want = n - done < STREAM_CHUNK ? (unsigned)(n - done) : STREAM_CHUNK;
        s->z.next_out = out + done;
        s->z.avail_out = want;
        int r = inflate(&s->z, Z_NO_FLUSH);
        done += want - s->z.avail_out;
        if (r == Z_STREAM_END)
            CH_TRY(stream_next_member(s));
        else if (r == Z_MEM_ERROR)
            return ch__fail_oom(s->what);
        else if (r == Z_BUF_ERROR && !more)
            return stream_damaged(s, "it ends early — the file is truncated");
        else if (r != Z_OK && r != Z_BUF_ERROR)
            return stream_damaged(s, s->z.msg ? s->z.msg : "not a stream of it");
    }
    *got = done;
    return CH_OK;
}

ch_status ch__stream_get(ch__stream *s, void *out, size_t n, size_t *got) {
    if (s->kind == CH__STREAM_PLAIN) {
        uint64_t left = s->end - s->at;
        *got = left < n ? (size_t)left : n;
        CH_TRY(ch__source_read(s->source, s->at, out, *got));
        s->at += *got;
    } else {
        CH_TRY(stream_inflate(s, out, n, got));
    }
    if (s->checked) s->crc = ch__crc32(s->crc, out, *got);
    return CH_OK;
}

ch_status ch__stream_exact(ch__stream *s, void *out, size_t n) {
    size_t got = 0;
    CH_TRY(ch__stream_get(s, out, n, &got));
    if (got == n) return CH_OK;
    return ch__fail(CH__E_file_format, "%s: %s: %zu bytes wanted, there are %zu — it is truncated or damaged", s->what,
                    s->name, n, got);
}
