// SPDX-License-Identifier: Apache-2.0
// zip_write.c - zip archives, as Python's zipfile writes them for numpy.savez.
//
// Every member's own header has the zip64 field, so that its size is free; the directory has one only where it is
// needed, beyond 2^31-1 bytes as zipfile draws the line. A deflated member is packed in memory first: then its header
// tells its size, and nobody has to look behind the data. Dates are 1980-01-01, permissions 0600.
// Source: PKWARE's APPNOTE.TXT 4.3 to 4.5; zipfile.ZipFile.open(..., force_zip64=True)
#include "io/zip.h"

#include <string.h>

uint64_t ch__zip_limit = 0x7fffffff;

typedef struct {
    char *name;
    uint64_t at, packed, size;
    uint32_t crc;
    bool deflated;
} zip_entry_out;

struct ch__zip_out {
    const char *what;
    ch__outfile *file;
    uint64_t at;
    zip_entry_out *entries;
    size_t n, cap;
};

// ---- bytes, little endian
typedef struct {
    unsigned char b[128];
    size_t n;
} zip_bytes;

static void zip_put(zip_bytes *o, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) o->b[o->n++] = (unsigned char)(v >> (8 * i));
}

static ch_status zip_write(ch__zip_out *z, const void *p, uint64_t n) {
    z->at += n;
    return ch__outfile_write(z->file, p, (size_t)n);
}

static bool zip_ascii(const char *s) {
    for (; *s; s++)
        if ((unsigned char)*s >= 0x80) return false;
    return true;
}

// What both headers begin with: version, flags, method, date, checksum.
static void zip_common(zip_bytes *o, const zip_entry_out *e) {
    zip_put(o, 45, 2);
    zip_put(o, zip_ascii(e->name) ? 0 : 0x800, 2);
    zip_put(o, e->deflated ? 8 : 0, 2);
    zip_put(o, 33u << 16, 4); // 1980-01-01 00:00
    zip_put(o, e->crc, 4);
}

static ch_status zip_write_local(ch__zip_out *z, const zip_entry_out *e) {
    zip_bytes o = {.n = 0};
    zip_put(&o, 0x04034b50, 4);
    zip_common(&o, e);
    zip_put(&o, 0xffffffff, 4);
    zip_put(&o, 0xffffffff, 4);
    zip_put(&o, strlen(e->name), 2);
    zip_put(&o, 20, 2);
    CH_TRY(zip_write(z, o.b, o.n));
    CH_TRY(zip_write(z, e->name, strlen(e->name)));
    o.n = 0;
    zip_put(&o, 1, 2);
    zip_put(&o, 16, 2);
    zip_put(&o, e->size, 8);
    zip_put(&o, e->packed, 8);
    return zip_write(z, o.b, o.n);
}

static ch_status zip_write_entry(ch__zip_out *z, const zip_entry_out *e) {
    zip_bytes extra = {.n = 4}, o = {.n = 0};
    bool wide = e->size > ch__zip_limit || e->packed > ch__zip_limit, far = e->at > ch__zip_limit;
    if (wide) {
        zip_put(&extra, e->size, 8);
        zip_put(&extra, e->packed, 8);
    }
    if (far) zip_put(&extra, e->at, 8);
    size_t n = extra.n;
    extra.n = 0;
    zip_put(&extra, 1, 2);
    zip_put(&extra, n - 4, 2);
    extra.n = n > 4 ? n : 0;
    zip_put(&o, 0x02014b50, 4);
    zip_put(&o, 45 | 3 << 8, 2); // made by: Unix, so that the permissions below are understood
    zip_common(&o, e);
    zip_put(&o, wide ? 0xffffffff : e->packed, 4);
    zip_put(&o, wide ? 0xffffffff : e->size, 4);
    zip_put(&o, strlen(e->name), 2);
    zip_put(&o, extra.n, 2);
    zip_put(&o, 0, 6);           // comment, disk, attributes
    zip_put(&o, 0600u << 16, 4); // permissions
    zip_put(&o, far ? 0xffffffff : e->at, 4);
    CH_TRY(zip_write(z, o.b, o.n));
    CH_TRY(zip_write(z, e->name, strlen(e->name)));
    return zip_write(z, extra.b, extra.n);
}

static ch_status zip_write_end(ch__zip_out *z, uint64_t begin) {
    zip_bytes o = {.n = 0};
    uint64_t size = z->at - begin, end64 = z->at;
    bool wide = z->n > 0xffff || z->n > ch__zip_limit || size > ch__zip_limit || begin > ch__zip_limit;
    if (wide) {
        zip_put(&o, 0x06064b50, 4);
        zip_put(&o, 44, 8);
        zip_put(&o, 45, 2);
        zip_put(&o, 45, 2);
        zip_put(&o, 0, 8);
        zip_put(&o, z->n, 8);
        zip_put(&o, z->n, 8);
        zip_put(&o, size, 8);
        zip_put(&o, begin, 8);
        zip_put(&o, 0x07064b50, 4);
        zip_put(&o, 0, 4);
        zip_put(&o, end64, 8);
        zip_put(&o, 1, 4);
    }
    uint64_t n = wide ? 0xffff : z->n;
    zip_put(&o, 0x06054b50, 4);
    zip_put(&o, 0, 4);
    zip_put(&o, n, 2);
    zip_put(&o, n, 2);
    zip_put(&o, wide ? 0xffffffff : size, 4);
    zip_put(&o, wide ? 0xffffffff : begin, 4);
    zip_put(&o, 0, 2);
    return zip_write(z, o.b, o.n);
}

// ---- packing
// Feeds n bytes; out grows as it fills. Gives Z_OK, Z_STREAM_END with finish, or an error.
static int zip_deflate(z_stream *s, const void *data, uint64_t n, bool finish, char **out, uint64_t *cap) {
    const unsigned char *p = data;
    int r = Z_OK;
    do {
        if (s->avail_in == 0 && n > 0) {
            unsigned part = n < 1u << 30 ? (unsigned)n : 1u << 30;
            s->next_in = (unsigned char *)(uintptr_t)p; // zlib does not write there
            s->avail_in = part;
            p += part;
            n -= part;
        }
        if (s->avail_out == 0) {
            uint64_t more = *cap < 1u << 20 ? 1u << 16 : *cap / 2 < 1u << 30 ? *cap / 2 : 1u << 30;
            char *grown = *cap < PTRDIFF_MAX - more ? ch__realloc(*out, (size_t)(*cap + more)) : NULL;
            if (!grown) return Z_MEM_ERROR;
            s->next_out = (unsigned char *)grown + *cap;
            s->avail_out = (unsigned)more;
            *out = grown;
            *cap += more;
        }
        r = deflate(s, finish && n == 0 ? Z_FINISH : Z_NO_FLUSH);
    } while (r == Z_OK && (s->avail_in > 0 || n > 0 || finish));
    return r == Z_BUF_ERROR ? Z_OK : r;
}

static ch_status zip_pack(ch__zip_out *z, const void *head, size_t n_head, const void *data, uint64_t n_data,
                          char **out, uint64_t *n) {
    z_stream s = {0};
    uint64_t cap = 0;
    ch__zlib_hooks(&s);
    if (deflateInit2(&s, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return ch__fail_oom(z->what);
    int r = zip_deflate(&s, head, n_head, false, out, &cap);
    if (r == Z_OK) r = zip_deflate(&s, data, n_data, true, out, &cap);
    *n = cap - s.avail_out;
    deflateEnd(&s);
    return r == Z_STREAM_END ? CH_OK : ch__fail_oom(z->what);
}

// ---- the whole
ch_status ch__zip_create(const char *what, const char *path, ch__zip_out **out) {
    ch__zip_out *z = ch__calloc(1, sizeof *z);
    if (!z) return ch__fail_oom(what);
    z->what = what;
    ch_status s = ch__outfile_open(path, &z->file);
    if (s == CH_OK)
        *out = z;
    else
        ch__free(z);
    return s;
}

static ch_status zip_new_entry(ch__zip_out *z, const char *name) {
    if (z->n == z->cap) {
        size_t cap = z->cap ? z->cap * 2 : 16;
        zip_entry_out *grown = ch__realloc(z->entries, cap * sizeof *grown);
        if (!grown) return ch__fail_oom(z->what);
        z->entries = grown;
        z->cap = cap;
    }
    z->entries[z->n] = (zip_entry_out){.name = ch__strdup(name), .at = z->at};
    return z->entries[z->n].name ? (z->n++, CH_OK) : ch__fail_oom(z->what);
}

ch_status ch__zip_add(ch__zip_out *z, const char *name, bool deflated, const void *head, size_t n_head,
                      const void *data, uint64_t n_data) {
    CH_TRY(zip_new_entry(z, name));
    zip_entry_out *e = &z->entries[z->n - 1];
    char *packed = NULL;
    e->deflated = deflated;
    e->size = e->packed = n_head + n_data;
    e->crc = ch__crc32(ch__crc32(0, head, n_head), data, n_data);
    ch_status s = deflated ? zip_pack(z, head, n_head, data, n_data, &packed, &e->packed) : CH_OK;
    if (s == CH_OK) s = zip_write_local(z, e);
    if (s == CH_OK && deflated) s = zip_write(z, packed, e->packed);
    if (s == CH_OK && !deflated) s = zip_write(z, head, n_head);
    if (s == CH_OK && !deflated) s = zip_write(z, data, n_data);
    ch__free(packed);
    return s;
}

static void zip_free(ch__zip_out *z) {
    for (size_t i = 0; i < z->n; i++) ch__free(z->entries[i].name);
    ch__free(z->entries);
    ch__free(z);
}

void ch__zip_abandon(ch__zip_out *z) {
    if (!z) return;
    ch__outfile_abandon(z->file);
    zip_free(z);
}

ch_status ch__zip_commit(ch__zip_out *z) {
    uint64_t begin = z->at;
    ch_status s = CH_OK;
    for (size_t i = 0; i < z->n && s == CH_OK; i++) s = zip_write_entry(z, &z->entries[i]);
    if (s == CH_OK) s = zip_write_end(z, begin);
    if (s != CH_OK) {
        ch__zip_abandon(z);
        return s;
    }
    s = ch__outfile_commit(z->file);
    zip_free(z);
    return s;
}
