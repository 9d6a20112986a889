// SPDX-License-Identifier: Apache-2.0
// zip_read.c - the directory of a zip archive, and its members as streams.
//
//     local header, name, extra, data | ... | directory: an entry a member | zip64 end, locator | end, comment
//
// The directory at the end is what counts; a member's own header must agree with it in name and method. Nothing may
// lie before the first member's place, members may not overlap (which keeps out bombs that share data), and what a
// deflated member claims to become is checked against what deflate can make. Refused by name: encryption, other
// methods than stored and deflated, archives of several disks, names twice.
// Source: PKWARE's APPNOTE.TXT 4.3 to 4.5
#include "io/zip.h"

#include <stdlib.h>
#include <string.h>

enum { ZIP_END = 22, ZIP_ENTRY = 46, ZIP_LOCAL = 30, ZIP_LOCATOR = 20, ZIP_END64 = 56, ZIP_TAIL = ZIP_END + 65535 };

static uint32_t zip_u16(const unsigned char *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t zip_u32(const unsigned char *p) { return zip_u16(p) | zip_u16(p + 2) << 16; }
static uint64_t zip_u64(const unsigned char *p) { return zip_u32(p) | (uint64_t)zip_u32(p + 4) << 32; }

typedef struct {
    uint64_t at;           // where the end begins: the directory must end there
    uint64_t n, size, off; // entries, bytes and place of the directory
} zip_end;

static ch_status zip_damaged(const ch__source *s, const char *how) {
    return ch__fail(CH__E_file_format, "%s: %s: %s — it is truncated, damaged or no zip archive", s->what, s->name,
                    how);
}

// ---- the end
// Leaves end as it is when there is no locator.
static ch_status zip_read_end64(const ch__source *s, uint64_t at, zip_end *end) {
    unsigned char b[ZIP_END64] = {0};
    if (at >= ZIP_LOCATOR) CH_TRY(ch__source_read(s, at - ZIP_LOCATOR, b, ZIP_LOCATOR));
    if (memcmp(b, "PK\6\7", 4) != 0) return CH_OK;
    uint64_t place = zip_u64(b + 8);
    if (zip_u32(b + 4) != 0 || zip_u32(b + 16) > 1)
        return ch__fail(CH__E_unsupported, "%s: %s: an archive of several disks — one file is read", s->what, s->name);
    if (at < ZIP_LOCATOR + ZIP_END64 || place > at - ZIP_LOCATOR - ZIP_END64)
        return zip_damaged(s, "the zip64 end of the directory lies outside of the file");
    CH_TRY(ch__source_read(s, place, b, ZIP_END64));
    uint64_t rest = zip_u64(b + 4);
    if (memcmp(b, "PK\6\6", 4) != 0 || rest != at - ZIP_LOCATOR - place - 12)
        return zip_damaged(s, "no zip64 end of the directory where its locator says");
    *end = (zip_end){.at = place, .n = zip_u64(b + 32), .size = zip_u64(b + 40), .off = zip_u64(b + 48)};
    if (zip_u32(b + 16) != 0 || zip_u32(b + 20) != 0 || zip_u64(b + 24) != end->n)
        return ch__fail(CH__E_unsupported, "%s: %s: an archive of several disks — one file is read", s->what, s->name);
    return CH_OK;
}

// The last place in the tail that looks like an end and whose comment ends with the file.
static const unsigned char *zip_find_end(const unsigned char *tail, size_t n) {
    for (size_t i = n < ZIP_END ? 0 : n - ZIP_END + 1; i-- > 0;)
        if (memcmp(tail + i, "PK\5\6", 4) == 0 && zip_u16(tail + i + 20) == n - i - ZIP_END) return tail + i;
    return NULL;
}

static ch_status zip_read_end(const ch__source *s, unsigned char *tail, zip_end *end) {
    size_t n = s->size < ZIP_TAIL ? (size_t)s->size : ZIP_TAIL;
    CH_TRY(ch__source_read(s, s->size - n, tail, n));
    const unsigned char *p = zip_find_end(tail, n);
    if (!p) return zip_damaged(s, "no end of a directory in its last bytes");
    *end = (zip_end){.at = s->size - n + (uint64_t)(p - tail),
                     .n = zip_u16(p + 10),
                     .size = zip_u32(p + 12),
                     .off = zip_u32(p + 16)};
    uint64_t at = end->at;
    CH_TRY(zip_read_end64(s, at, end)); // counts when it is there, whatever stands here
    if (end->at == at && (zip_u16(p + 4) != 0 || zip_u16(p + 6) != 0 || zip_u16(p + 8) != end->n))
        return ch__fail(CH__E_unsupported, "%s: %s: an archive of several disks — one file is read", s->what, s->name);
    if (end->off > end->at || end->size != end->at - end->off)
        return ch__fail(CH__E_file_format,
                        "%s: %s: a directory of %" PRIu64 " bytes at %" PRIu64 ", and its end is at %" PRIu64
                        " — it is damaged, or something was put before the archive",
                        s->what, s->name, end->size, end->off, end->at);
    if (end->n > end->size / ZIP_ENTRY || end->n > INT32_MAX)
        return ch__fail(CH__E_file_format,
                        "%s: %s: %" PRIu64 " members in a directory of %" PRIu64 " bytes — it is truncated or damaged",
                        s->what, s->name, end->n, end->size);
    return CH_OK;
}

// ---- the directory
// Fills what the entry says is in its zip64 field, in the order of the format.
static bool zip_extra(const unsigned char *p, size_t n, ch__zip_member *m) {
    bool size = m->size == 0xffffffff, packed = m->packed == 0xffffffff, header = m->header == 0xffffffff;
    if (!size && !packed && !header) return true;
    for (size_t at = 0; n - at >= 4;) {
        size_t id = zip_u16(p + at), length = zip_u16(p + at + 2);
        at += 4;
        if (length > n - at) return false;
        if (id == 1) {
            const unsigned char *q = p + at;
            if (length < 8u * ((size_t)size + packed + header)) return false;
            if (size) m->size = zip_u64(q), q += 8;
            if (packed) m->packed = zip_u64(q), q += 8;
            if (header) m->header = zip_u64(q);
            return true;
        }
        at += length;
    }
    return false;
}

// One entry at p; gives its bytes, 0 when it is damaged. Its name is moved one byte down to make room for a NUL.
static size_t zip_entry(char *text, size_t left, ch__zip_member *m) {
    unsigned char *p = (unsigned char *)text;
    if (left < ZIP_ENTRY || memcmp(p, "PK\1\2", 4) != 0) return 0;
    size_t name = zip_u16(p + 28), extra = zip_u16(p + 30), comment = zip_u16(p + 32), all = name + extra + comment;
    if (all > left - ZIP_ENTRY) return 0;
    *m = (ch__zip_member){.flags = (uint16_t)zip_u16(p + 8),
                          .method = (uint16_t)zip_u16(p + 10),
                          .crc = zip_u32(p + 16),
                          .packed = zip_u32(p + 20),
                          .size = zip_u32(p + 24),
                          .header = zip_u32(p + 42),
                          .name = text + ZIP_ENTRY - 1};
    if (!zip_extra(p + ZIP_ENTRY + name, extra, m)) return 0;
    memmove(m->name, m->name + 1, name);
    m->name[name] = '\0';
    return strlen(m->name) == name && ch__utf8_wrong(m->name, name) == name ? ZIP_ENTRY + all : 0;
}

static ch_status zip_parse(ch__zip *z, const zip_end *end) {
    const ch__source *s = &z->source;
    size_t at = 0;
    for (; z->n < (int64_t)end->n; z->n++) {
        ch__zip_member *m = &z->members[z->n];
        size_t n = zip_entry(z->directory + at, (size_t)end->size - at, m);
        if (n == 0)
            return ch__fail(CH__E_file_format,
                            "%s: %s: entry %" PRId64 " of its directory is damaged (or its name is not UTF-8)", s->what,
                            s->name, z->n);
        at += n;
        if (m->header > end->off || end->off - m->header < ZIP_LOCAL || m->packed > end->off - m->header - ZIP_LOCAL) {
            char text[CH__IO_NAME];
            return ch__fail(CH__E_file_format,
                            "%s: %s: member %s: %" PRIu64 " bytes at %" PRIu64 ", and the directory begins at %" PRIu64
                            " — it is damaged",
                            s->what, s->name, ch__io_name_text(text, m->name, strlen(m->name)), m->packed, m->header,
                            end->off);
        }
    }
    if (at != end->size) return zip_damaged(s, "its directory holds more than its members");
    return CH_OK;
}

// ---- orders: small arrays of indices, sorted without a context by carrying what is compared
typedef struct {
    const char *name;
    uint64_t header;
    int64_t i;
} zip_key;

static int zip_by_name(const void *a, const void *b) {
    return strcmp(((const zip_key *)a)->name, ((const zip_key *)b)->name);
}

static int zip_by_place(const void *a, const void *b) {
    uint64_t x = ((const zip_key *)a)->header, y = ((const zip_key *)b)->header;
    return x < y ? -1 : x > y;
}

static ch_status zip_sort(ch__zip *z, const zip_end *end, zip_key *keys) {
    const ch__source *s = &z->source;
    char text[CH__IO_NAME];
    size_t n = (size_t)z->n;
    for (size_t i = 0; i < n; i++)
        keys[i] = (zip_key){.name = z->members[i].name, .header = z->members[i].header, .i = (int64_t)i};
    if (n > 1) qsort(keys, n, sizeof *keys, zip_by_place);
    for (size_t i = 0; i < n; i++) {
        ch__zip_member *m = &z->members[keys[i].i];
        m->limit = i + 1 < n ? keys[i + 1].header : end->off;
        if (i == 0 && m->header != 0)
            return ch__fail(CH__E_file_format,
                            "%s: %s: its first member is at byte %" PRIu64 " — nothing may be put before an archive",
                            s->what, s->name, m->header);
    }
    if (n > 1) qsort(keys, n, sizeof *keys, zip_by_name);
    for (size_t i = 0; i < n; i++) {
        z->by_name[i] = keys[i].i;
        if (i > 0 && strcmp(keys[i - 1].name, keys[i].name) == 0)
            return ch__fail(CH__E_file_format, "%s: %s: two members are named %s — names are given once", s->what,
                            s->name, ch__io_name_text(text, keys[i].name, strlen(keys[i].name)));
    }
    return CH_OK;
}

static ch_status zip_read_directory(ch__zip *z, const zip_end *end) {
    z->directory = ch__alloc((size_t)end->size + 1);
    z->members = ch__calloc((size_t)end->n + 1, sizeof *z->members);
    z->by_name = ch__calloc((size_t)end->n + 1, sizeof *z->by_name);
    zip_key *keys = ch__calloc((size_t)end->n + 1, sizeof *keys);
    ch_status s = CH_OK;
    if (!z->directory || !z->members || !z->by_name || !keys) s = ch__fail_oom(z->source.what);
    if (s == CH_OK) s = ch__source_read(&z->source, end->off, z->directory, (size_t)end->size);
    if (s == CH_OK) s = zip_parse(z, end);
    if (s == CH_OK) s = zip_sort(z, end, keys);
    ch__free(keys);
    return s;
}

ch_status ch__zip_open(ch__source *source, ch__zip **out) {
    ch__zip *z = ch__calloc(1, sizeof *z);
    char *name = ch__strdup(source->name);
    unsigned char *tail = ch__alloc(ZIP_TAIL);
    if (!z || !name || !tail) {
        ch__free(z);
        ch__free(name);
        ch__free(tail);
        ch__source_close(source);
        return ch__fail_oom(source->what);
    }
    z->source = *source;
    z->source.name = z->name = name;
    zip_end end = {0};
    ch_status s = zip_read_end(&z->source, tail, &end);
    ch__free(tail);
    if (s == CH_OK) s = zip_read_directory(z, &end);
    if (s == CH_OK)
        *out = z;
    else
        ch__zip_close(z);
    return s;
}

void ch__zip_close(ch__zip *z) {
    if (!z) return;
    ch__source_close(&z->source);
    ch__free(z->name);
    ch__free(z->directory);
    ch__free(z->members);
    ch__free(z->by_name);
    ch__free(z);
}

int64_t ch__zip_find(const ch__zip *z, const char *name) {
    int64_t lo = 0, hi = z->n;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        int c = strcmp(z->members[z->by_name[mid]].name, name);
        if (c == 0) return z->by_name[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

// ---- members
static ch_status zip_check_member(const ch__zip *z, const ch__zip_member *m, const char *name) {
    const char *what = z->source.what;
    if (m->flags & 0x2041) // encrypted, strongly encrypted, masked
        return ch__fail(CH__E_unsupported, "%s: %s: it is encrypted — that is not read", what, name);
    if (m->method != 0 && m->method != 8)
        return ch__fail(CH__E_unsupported, "%s: %s: it is packed by method %d — 0 (stored) and 8 (deflated) are read",
                        what, name, m->method);
    if (m->method == 0 && m->packed != m->size)
        return ch__fail(CH__E_file_format,
                        "%s: %s: it is stored in %" PRIu64 " bytes and has %" PRIu64 " — they must be equal", what,
                        name, m->packed, m->size);
    return CH_OK;
}

// The member's own header: where its data begins.
static ch_status zip_local(const ch__zip *z, const ch__zip_member *m, const char *name, uint64_t *out) {
    const ch__source *s = &z->source;
    unsigned char b[ZIP_LOCAL];
    CH_TRY(ch__source_read(s, m->header, b, ZIP_LOCAL));
    size_t length = strlen(m->name), n = zip_u16(b + 26);
    uint64_t data = m->header + ZIP_LOCAL + n + zip_u16(b + 28);
    if (memcmp(b, "PK\3\4", 4) != 0 || n != length || zip_u16(b + 8) != m->method)
        return ch__fail(CH__E_file_format, "%s: %s: the directory and the member's own header differ — it is damaged",
                        s->what, name);
    if (data > m->limit || m->packed > m->limit - data)
        return ch__fail(CH__E_file_format,
                        "%s: %s: %" PRIu64 " bytes at %" PRIu64 " reach over %" PRIu64
                        ", where something else begins — overlaps are not allowed",
                        s->what, name, m->packed, data, m->limit);
    char *own = ch__alloc(n + 1);
    if (!own) return ch__fail_oom(s->what);
    ch_status status = ch__source_read(s, m->header + ZIP_LOCAL, own, n);
    if (status == CH_OK && memcmp(own, m->name, n) != 0)
        status =
            ch__fail(CH__E_file_format, "%s: %s: its own header gives it another name — it is damaged", s->what, name);
    ch__free(own);
    *out = data;
    return status;
}

ch_status ch__zip_begin(const ch__zip *z, int64_t i, const char *name, ch__stream *s) {
    const ch__zip_member *m = &z->members[i];
    uint64_t data = 0;
    CH_TRY(zip_check_member(z, m, name));
    CH_TRY(zip_local(z, m, name, &data));
    CH_TRY(ch__stream_begin(s, &z->source, m->method == 8 ? CH__STREAM_DEFLATE : CH__STREAM_PLAIN, data,
                            data + m->packed));
    s->name = name;
    s->size = m->size;
    s->checked = true;
    if (m->size <= ch__stream_may_hold(s)) return CH_OK;
    ch__stream_end(s);
    return ch__fail(CH__E_file_format,
                    "%s: %s: %" PRIu64 " compressed bytes hold at most %" PRIu64 ", and it claims %" PRIu64
                    " — it is damaged",
                    z->source.what, name, m->packed, ch__stream_may_hold(s), m->size);
}

ch_status ch__zip_finish(const ch__zip *z, int64_t i, ch__stream *s) {
    unsigned char beyond;
    size_t got = 0;
    uint32_t crc = s->crc;
    CH_TRY(ch__stream_get(s, &beyond, 1, &got));
    if (got > 0)
        return ch__fail(CH__E_file_format, "%s: %s: it goes on behind its %" PRIu64 " bytes — it is damaged", s->what,
                        s->name, s->size);
    if (crc == z->members[i].crc) return CH_OK;
    return ch__fail(CH__E_file_format, "%s: %s: its checksum is %08x, the directory says %08x — it is damaged", s->what,
                    s->name, crc, z->members[i].crc);
}
