// SPDX-License-Identifier: Apache-2.0
// safetensors_read.c - safetensors files: the header once, then tensor by tensor straight from the file.
//
//     u64 length of the header | the header, JSON | data
//     {"__metadata__":{"k":"v"}, "name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, ...}
//
// The rules are those of the reference reader, which makes a file unambiguous: tensors in the order of their offsets
// cover the data from its first byte to its last with no hole and no overlap, and dtype times shape is what lies
// between a tensor's offsets. It lets pass, and we refuse: a header that does not begin with "{" (the format's text
// forbids it), the same key twice in metadata, bool bytes other than 0 and 1 when they are read. Unknown keys of a
// tensor are skipped by both. Refused by name: dtypes that the library has not, more than CH__MAX_RANK axes, NUL in
// names.
// Source: https://github.com/huggingface/safetensors (README, "Format"; safetensors/src/tensor.rs, Metadata::validate)
#include "io/safetensors.h"

#include <stdlib.h>
#include <string.h>

// ---- parsing; everything here raises
typedef struct {
    ch_safetensors *f;
    char *header;
    size_t n;
    ch__json json;
    CH_VEC(ch__safetensors_entry) entries;
    CH_VEC(ch__safetensors_pair) meta;
    bool have_meta;
} safetensors_parse;

static void parse_metadata(safetensors_parse *p) {
    ch__json *j = &p->json;
    if (p->have_meta)
        ch__raise(CH__E_file_format, "%s: %s: \"__metadata__\" twice in the header — once is allowed", j->source->what,
                  j->source->name);
    p->have_meta = true;
    if (ch__json_null(j)) return;
    ch__json_expect(j, '{');
    for (bool first = true; ch__json_more(j, '}', first); first = false) {
        ch__safetensors_pair pair = {.position = p->meta.n};
        pair.key = ch__json_string(j);
        ch__json_expect(j, ':');
        pair.value = ch__json_string(j);
        CH_PUSH(j->arena, &p->meta, pair);
    }
}

CH_NORETURN static void entry_fail(const safetensors_parse *p, const char *name, ch__err id, const char *fmt, ...)
    CH_PRINTF(4, 5);
static void entry_fail(const safetensors_parse *p, const char *name, ch__err id, const char *fmt, ...) {
    char said[512], text[CH__IO_NAME];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(said, sizeof said, fmt, ap);
    va_end(ap);
    const ch__source *s = &p->f->source;
    ch__raise(id, "%s: %s: tensor %s: %s", s->what, s->name, ch__io_name_text(text, name, strlen(name)), said);
}

static void parse_shape(safetensors_parse *p, ch__safetensors_entry *e) {
    ch__json *j = &p->json;
    int64_t dims[CH__MAX_RANK];
    ch__json_expect(j, '[');
    for (bool first = true; ch__json_more(j, ']', first); first = false) {
        int64_t d = ch__json_size(j, "a size, an integer in 0..2^63-1,");
        if (e->rank == CH__MAX_RANK)
            entry_fail(p, e->name, CH__E_unsupported, "its shape has more than %d axes — that many are read",
                       CH__MAX_RANK);
        dims[e->rank++] = d;
    }
    e->dims = ch__arena_dup(j->arena, dims, (size_t)e->rank * sizeof *dims);
}

static void parse_offsets(safetensors_parse *p, ch__safetensors_entry *e) {
    static const char wanted[] = "an offset, an integer in 0..2^63-1,";
    ch__json *j = &p->json;
    ch__json_expect(j, '[');
    e->begin = (uint64_t)ch__json_size(j, wanted);
    ch__json_expect(j, ',');
    e->end = (uint64_t)ch__json_size(j, wanted);
    ch__json_expect(j, ']');
}

enum { HAVE_DTYPE = 1, HAVE_SHAPE = 2, HAVE_OFFSETS = 4 };

static int entry_key(const char *key) {
    return strcmp(key, "dtype") == 0          ? HAVE_DTYPE
           : strcmp(key, "shape") == 0        ? HAVE_SHAPE
           : strcmp(key, "data_offsets") == 0 ? HAVE_OFFSETS
                                              : 0;
}

static void parse_dtype(safetensors_parse *p, ch__safetensors_entry *e) {
    char text[CH__IO_NAME];
    const char *name = ch__json_string(&p->json);
    e->dtype = (ch_dtype)ch__safetensors_dtype(name);
    if (!e->dtype)
        entry_fail(p, e->name, CH__E_unsupported, "dtype %s — read are %s", ch__io_name_text(text, name, strlen(name)),
                   ch__safetensors_dtypes);
}

static void parse_entry(safetensors_parse *p, const char *name) {
    ch__json *j = &p->json;
    ch__safetensors_entry e = {.name = name, .position = p->entries.n, .home = p->f};
    int have = 0;
    ch__json_expect(j, '{');
    for (bool first = true; ch__json_more(j, '}', first); first = false) {
        const char *key = ch__json_string(j);
        int which = entry_key(key);
        if (have & which) entry_fail(p, name, CH__E_file_format, "\"%s\" twice — once is allowed", key);
        have |= which;
        ch__json_expect(j, ':');
        switch (which) {
        case HAVE_DTYPE: parse_dtype(p, &e); break;
        case HAVE_SHAPE: parse_shape(p, &e); break;
        case HAVE_OFFSETS: parse_offsets(p, &e); break;
        default: ch__json_skip(j);
        }
    }
    if (have != (HAVE_DTYPE | HAVE_SHAPE | HAVE_OFFSETS))
        entry_fail(p, name, CH__E_file_format, "no \"%s\" — dtype, shape and data_offsets are needed",
                   !(have & HAVE_DTYPE)   ? "dtype"
                   : !(have & HAVE_SHAPE) ? "shape"
                                          : "data_offsets");
    CH_PUSH(j->arena, &p->entries, e);
}

static void parse_header(safetensors_parse *p) {
    ch__json *j = &p->json;
    ch__json_expect(j, '{');
    for (bool first = true; ch__json_more(j, '}', first); first = false) {
        const char *name = ch__json_string(j);
        ch__json_expect(j, ':');
        if (strcmp(name, "__metadata__") == 0)
            parse_metadata(p);
        else
            parse_entry(p, name);
    }
    ch__json_end(j);
}

// ---- checking
static int by_offsets(const void *a, const void *b) {
    const ch__safetensors_entry *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static void check_entry(const safetensors_parse *p, const ch__safetensors_entry *e, uint64_t expected, uint64_t size) {
    char dims[CH__IO_DIMS];
    uint64_t bytes;
    if (!ch__io_bytes(e->dtype, e->rank, e->dims, &bytes))
        entry_fail(p, e->name, CH__E_file_format, "shape %s — the product of the sizes does not fit in 64 bits",
                   ch__io_dims_text(dims, e->rank, e->dims));
    if (e->begin != expected || e->end < e->begin)
        entry_fail(p, e->name, CH__E_file_format,
                   "data_offsets [%" PRIu64 ",%" PRIu64 "], and the data before it ends at %" PRIu64
                   " — neither holes nor overlaps are allowed",
                   e->begin, e->end, expected);
    if (e->end - e->begin != bytes)
        entry_fail(p, e->name, CH__E_file_format,
                   "%s of shape %s takes %" PRIu64 " bytes, data_offsets [%" PRIu64 ",%" PRIu64 "] give it %" PRIu64
                   " — they must be equal",
                   ch__safetensors_dtype_name(e->dtype), ch__io_dims_text(dims, e->rank, e->dims), bytes, e->begin,
                   e->end, e->end - e->begin);
    if (e->end > size)
        entry_fail(p, e->name, CH__E_file_format,
                   "data_offsets [%" PRIu64 ",%" PRIu64 "], and the file has %" PRIu64
                   " bytes of data — it is truncated or damaged",
                   e->begin, e->end, size);
}

static void check_data(safetensors_parse *p) {
    const ch__source *s = &p->f->source;
    uint64_t size = s->size - p->f->data_at, at = 0;
    for (int64_t i = 0; i < p->entries.n; i++) {
        check_entry(p, &p->entries.data[i], at, size);
        at = p->entries.data[i].end;
    }
    if (at != size)
        ch__raise(CH__E_file_format,
                  "%s: %s: the tensors end at byte %" PRIu64 " of the data, the file has %" PRIu64
                  " — nothing may follow them",
                  s->what, s->name, at, size);
}

static int by_name_order(const void *a, const void *b) {
    const ch__safetensors_pair *x = a, *y = b;
    int c = strcmp(x->key, y->key);
    return c != 0 ? c : x->position < y->position ? -1 : x->position > y->position;
}

int64_t *ch__safetensors_sort(const ch__source *s, ch__arena *a, ch__safetensors_pair *pairs, int64_t n,
                              const char *kind) {
    if (n > 1) qsort(pairs, (size_t)n, sizeof *pairs, by_name_order);
    int64_t *order = CH_NEW_ARRAY(a, int64_t, n);
    for (int64_t i = 0; i < n; i++) {
        char text[CH__IO_NAME];
        if (i > 0 && strcmp(pairs[i - 1].key, pairs[i].key) == 0)
            ch__raise(CH__E_file_format, "%s: %s: %s %s twice in the header — names are given once", s->what, s->name,
                      kind, ch__io_name_text(text, pairs[i].key, strlen(pairs[i].key)));
        order[i] = pairs[i].position;
    }
    return order;
}

void ch__safetensors_names(ch_safetensors *f, ch__arena *a) {
    ch__safetensors_pair *names = CH_NEW_ARRAY(a, ch__safetensors_pair, f->n);
    for (int64_t i = 0; i < f->n; i++) names[i] = (ch__safetensors_pair){.key = f->entries[i].name, .position = i};
    f->by_name = ch__safetensors_sort(&f->source, a, names, f->n, "tensor");
    ch__safetensors_pair *keys = ch__arena_dup(a, f->meta, (size_t)f->n_meta * sizeof *keys);
    f->by_key = ch__safetensors_sort(&f->source, a, keys, f->n_meta, "metadata key");
}

static void safetensors_parse_all(void *arg) {
    safetensors_parse *p = arg;
    ch_safetensors *f = p->f;
    ch__arena *a = ch__arena_create();
    p->json = (ch__json){.arena = a, .source = &f->source, .start = p->header, .p = p->header, .end = p->header + p->n};
    parse_header(p);
    if (p->entries.n > INT32_MAX || p->meta.n > INT32_MAX) // counts are int in the interface
        ch__raise(CH__E_unsupported, "%s: %s: more than %d names", f->source.what, f->source.name, INT32_MAX);
    if (p->entries.n > 1) qsort(p->entries.data, (size_t)p->entries.n, sizeof *p->entries.data, by_offsets);
    f->n = p->entries.n;
    f->entries = p->entries.data;
    f->n_meta = p->meta.n;
    f->meta = p->meta.data;
    ch__safetensors_names(f, a);
    check_data(p);
    ch__arena_keep(a);
    f->arena = a;
}

// ---- opening
static ch_status safetensors_header_size(const ch__source *s, uint64_t *out) {
    unsigned char b[8];
    if (s->size < 8)
        return ch__fail(CH__E_file_format,
                        "%s: %s: %" PRIu64 " bytes — a safetensors file has at least 8, the length of "
                        "its header",
                        s->what, s->name, s->size);
    CH_TRY(ch__source_read(s, 0, b, 8));
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--) n = n << 8 | b[i];
    if (n > CH__SAFETENSORS_HEADER_MAX)
        return ch__fail(CH__E_file_format,
                        "%s: %s: a header of %" PRIu64 " bytes — at most %d are allowed: it is damaged or "
                        "no safetensors file",
                        s->what, s->name, n, CH__SAFETENSORS_HEADER_MAX);
    if (n > s->size - 8)
        return ch__fail(CH__E_file_format,
                        "%s: %s: a header of %" PRIu64 " bytes, and %" PRIu64 " bytes follow its length — "
                        "it is truncated or damaged",
                        s->what, s->name, n, s->size - 8);
    *out = n;
    return CH_OK;
}

static ch_status safetensors_check_text(const ch__source *s, const char *header, size_t n) {
    if (n == 0 || header[0] != '{')
        return ch__fail(CH__E_file_format, "%s: %s: the header %s — it must begin with '{'", s->what, s->name,
                        n == 0 ? "is empty" : "begins with another byte");
    size_t wrong = ch__utf8_wrong(header, n);
    if (wrong < n)
        return ch__fail(CH__E_file_format, "%s: %s: byte %zu of the header is 0x%02x — a header is UTF-8", s->what,
                        s->name, wrong, (unsigned char)header[wrong]);
    return CH_OK;
}

static ch_status safetensors_read_header(ch_safetensors *f) {
    uint64_t n = 0;
    CH_TRY(safetensors_header_size(&f->source, &n));
    f->data_at = 8 + n;
    char *header = ch__alloc((size_t)n + 1);
    if (!header) return ch__fail_oom(f->source.what);
    safetensors_parse p = {.f = f, .header = header, .n = (size_t)n};
    ch_status s = ch__source_read(&f->source, 8, header, (size_t)n);
    if (s == CH_OK) s = safetensors_check_text(&f->source, header, (size_t)n);
    if (s == CH_OK) s = ch__protect(safetensors_parse_all, &p);
    ch__free(header);
    return s;
}

ch_status ch__safetensors_create(ch__source *source, ch_safetensors **out) {
    ch_safetensors *f = ch__calloc(1, sizeof *f);
    char *name = ch__strdup(source->name);
    if (!f || !name) {
        ch__free(f);
        ch__free(name);
        ch__source_close(source);
        return ch__fail_oom(source->what);
    }
    f->source = *source;
    f->source.name = f->name = name;
    *out = f;
    return CH_OK;
}

// source is taken over.
static ch_status safetensors_begin(ch__source *source, ch_safetensors **out) {
    ch_safetensors *f = NULL;
    CH_TRY(ch__safetensors_create(source, &f));
    ch_status s = safetensors_read_header(f);
    if (s == CH_OK && f->source.file) s = ch__infile_map(f->source.file, &f->mapping);
    if (s == CH_OK)
        *out = f;
    else
        ch_safetensors_close(f);
    return s;
}

ch_status ch__safetensors_open_file(const char *path, ch_safetensors **out) {
    ch__source source;
    CH_TRY(ch__source_open(&source, "safetensors_open", path));
    return safetensors_begin(&source, out);
}

ch_status ch_safetensors_open(const char *path, ch_safetensors **out_file) {
    CH_TRY(ch__io_place("safetensors_open", out_file));
    *out_file = NULL;
    size_t n = path ? strlen(path) : 0;
    bool index = n > 5 && strcmp(path + n - 5, ".json") == 0;
    return index ? ch__safetensors_open_index(path, out_file) : ch__safetensors_open_file(path, out_file);
}

ch_status ch_safetensors_open_memory(const void *data, size_t n, const char *name, ch_safetensors **out_file) {
    ch__source source;
    CH_TRY(ch__io_place("safetensors_open", out_file));
    *out_file = NULL;
    CH_TRY(ch__source_memory(&source, "safetensors_open", data, n, name));
    return safetensors_begin(&source, out_file);
}

void ch_safetensors_close(ch_safetensors *f) {
    if (!f) return;
    for (int64_t i = 0; i < f->n_shards; i++) ch_safetensors_close(f->shards[i]); // files, no indices: one deep
    ch__free(f->shards);
    ch__mapping_release(f->mapping);
    ch__arena_destroy(f->arena);
    ch__source_close(&f->source);
    ch__free(f->name);
    ch__free(f);
}

// ---- what is in it
static const ch__safetensors_entry *safetensors_at(const ch_safetensors *f, int i) {
    return i >= 0 && i < f->n ? &f->entries[i] : NULL;
}

int ch_safetensors_count(const ch_safetensors *f) { return (int)f->n; }

const char *ch_safetensors_name(const ch_safetensors *f, int i) {
    const ch__safetensors_entry *e = safetensors_at(f, i);
    return e ? e->name : NULL;
}

ch_dtype ch_safetensors_dtype(const ch_safetensors *f, int i) {
    const ch__safetensors_entry *e = safetensors_at(f, i);
    return e ? e->dtype : (ch_dtype)0;
}

int ch_safetensors_rank(const ch_safetensors *f, int i) {
    const ch__safetensors_entry *e = safetensors_at(f, i);
    return e ? e->rank : -1;
}

const int64_t *ch_safetensors_dims(const ch_safetensors *f, int i) {
    const ch__safetensors_entry *e = safetensors_at(f, i);
    return e ? e->dims : NULL;
}

int64_t ch__safetensors_entry_find(const ch_safetensors *f, const char *name) {
    int64_t lo = 0, hi = f->n;
    while (name && lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        int c = strcmp(f->entries[f->by_name[mid]].name, name);
        if (c == 0) return f->by_name[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

// A name that is no entry may be tied to one: the metadata then say under which name its data lie.
int ch_safetensors_find(const ch_safetensors *f, const char *name) {
    int64_t i = ch__safetensors_entry_find(f, name);
    return (int)(i >= 0 ? i : ch__safetensors_entry_find(f, ch_safetensors_metadata(f, name)));
}

const char *ch_safetensors_metadata(const ch_safetensors *f, const char *key) {
    int64_t lo = 0, hi = f->n_meta;
    while (key && lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        int c = strcmp(f->meta[f->by_key[mid]].key, key);
        if (c == 0) return f->meta[f->by_key[mid]].value;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

const char *ch_safetensors_metadata_key(const ch_safetensors *f, int i) {
    return i >= 0 && i < f->n_meta ? f->meta[i].key : NULL;
}

// ---- reading
static ch_status safetensors_missing(const ch_safetensors *f, const char *name) {
    enum { SHOWN = 8 };
    char list[SHOWN * (CH__IO_NAME + 2) + 32] = "", text[CH__IO_NAME];
    size_t at = 0;
    for (int i = 0; i < f->n && i < SHOWN; i++) {
        const char *there = f->entries[i].name;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "",
                               ch__io_name_text(text, there, strlen(there)));
    }
    if (f->n > SHOWN) snprintf(list + at, sizeof list - at, " and %" PRId64 " more", f->n - SHOWN);
    return ch__fail(CH__E_unknown_name, "safetensors_read: %s: no tensor %s — there are %" PRId64 ": %s",
                    f->source.name, name ? ch__io_name_text(text, name, strlen(name)) : "NULL", f->n, list);
}

static ch_status safetensors_check_bool(const ch_safetensors *f, const ch__safetensors_entry *e, const void *data) {
    char text[CH__IO_NAME];
    size_t n = (size_t)(e->end - e->begin), at = e->dtype == CH_BOOL ? ch__io_bool_wrong(data, n) : n;
    if (at == n) return CH_OK;
    return ch__fail(CH__E_file_format,
                    "safetensors_read: %s: tensor %s: element %zu is the byte 0x%02x — BOOL is 0 or 1", f->source.name,
                    ch__io_name_text(text, e->name, strlen(e->name)), at, ((const unsigned char *)data)[at]);
}

static ch_status safetensors_wanted(ch_safetensors *f, const char *name, ch_tensor **out_tensor,
                                    const ch__safetensors_entry **out) {
    if (f == NULL) return ch__fail(CH__E_argument, "safetensors_read: the file is NULL — give one that was opened");
    CH_TRY(ch__io_place("safetensors_read", out_tensor));
    *out_tensor = NULL;
    *out = safetensors_at(f, ch_safetensors_find(f, name));
    return *out ? CH_OK : safetensors_missing(f, name);
}

static ch_status safetensors_copy(const ch__safetensors_entry *e, ch_tensor **out_tensor) {
    const ch_safetensors *home = e->home;
    size_t bytes = (size_t)(e->end - e->begin);
    void *data = ch__io_alloc(bytes);
    if (!data) return ch__fail_oom("safetensors_read");
    ch_status s = ch__source_read(&home->source, home->data_at + e->begin, data, bytes);
    if (s == CH_OK) s = safetensors_check_bool(home, e, data);
    if (s == CH_OK) return ch__io_give("safetensors_read", e->dtype, data, e->rank, e->dims, out_tensor);
    ch__free_aligned(data);
    return s;
}

ch_status ch_safetensors_read(ch_safetensors *f, const char *name, ch_tensor **out_tensor) {
    const ch__safetensors_entry *e = NULL;
    CH_TRY(safetensors_wanted(f, name, out_tensor, &e));
    return safetensors_copy(e, out_tensor);
}

static void safetensors_unmap(void *user, void *data) {
    (void)data;
    ch__mapping_release(user);
}

ch_status ch_safetensors_view(ch_safetensors *f, const char *name, ch_tensor **out_tensor) {
    const ch__safetensors_entry *e = NULL;
    CH_TRY(safetensors_wanted(f, name, out_tensor, &e));
    const ch_safetensors *home = e->home;
    uint64_t at = home->data_at + e->begin;
    // A header of any length may come before the data: what is not aligned is copied.
    if (!home->mapping || e->end == e->begin || at % ch_dtype_size(e->dtype) != 0)
        return safetensors_copy(e, out_tensor);
    char *data = (char *)(uintptr_t)ch__mapping_data(home->mapping) + at; // borrowed memory is not written
    CH_TRY(safetensors_check_bool(home, e, data));
    ch__mapping_retain(home->mapping);
    return ch__io_borrow("safetensors_view", e->dtype, data, e->rank, e->dims, safetensors_unmap, home->mapping,
                         out_tensor);
}
