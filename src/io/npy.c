// SPDX-License-Identifier: Apache-2.0
// npy.c - NumPy's npy files, versions 1 to 3.
//
//     93 'NUMPY' major minor | u16 (version 1) or u32 length of the header | header | elements
//     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }      a Python literal, padded with blanks
//
// The header is read by a parser of exactly that: the three keys in any order, one string, one bool, one tuple of
// integers (with the L of Python 2 before version 3). What is written is, byte for byte, what numpy.save writes:
// version 1.0, room for the first size to grow, data at a multiple of 64. Fortran order is turned into ours while
// loading.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "io/io.h"
#include "rt/rt.h"

#include <string.h>

#define NPY_HEADER_MAX 65535 // bytes: NumPy itself refuses more than 10,000 unless told to trust the file
static const char npy_magic[] = "\x93NUMPY";

static const char npy_allowed[] = "|b1 |i1 |u1 <i2 <u2 <f2 <i4 <u4 <f4 <i8 <u8 <f8";

typedef struct {
    int version;
    uint64_t at; // where the data begins
    ch_dtype dtype;
    bool fortran;
    int rank;
    int64_t dims[CH__MAX_RANK];
    uint64_t bytes;
} npy_header;

// ---- the header's text
typedef struct {
    const ch__stream *source;
    const char *start, *p, *end;
} npy_text;

static ch_status npy_fail(const npy_text *t, const char *wanted) {
    char found[CH__IO_NAME];
    size_t n = (size_t)(t->end - t->p) < 12 ? (size_t)(t->end - t->p) : 12;
    return ch__fail(CH__E_file_format, "%s: %s: byte %zu of the header: %s — %s is wanted there", t->source->what,
                    t->source->name, (size_t)(t->p - t->start), n == 0 ? "its end" : ch__io_name_text(found, t->p, n),
                    wanted);
}

static char npy_peek(npy_text *t) {
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\t' || *t->p == '\n' || *t->p == '\r')) t->p++;
    return t->p < t->end ? *t->p : '\0';
}

static bool npy_take(npy_text *t, char c) {
    if (npy_peek(t) != c || t->p >= t->end) return false;
    t->p++;
    return true;
}

static ch_status npy_expect(npy_text *t, char c) {
    return npy_take(t, c) ? CH_OK : npy_fail(t, (char[]){'\'', c, '\'', '\0'});
}

// A string without escapes, in either quotes.
static ch_status npy_string(npy_text *t, const char **s, size_t *n) {
    char quote = npy_peek(t);
    if (quote != '\'' && quote != '"') return npy_fail(t, "a string");
    const char *begin = ++t->p;
    while (t->p < t->end && *t->p != quote && *t->p != '\\' && *t->p != '\n') t->p++;
    if (t->p == t->end || *t->p != quote) return npy_fail(t, "the end of a string without escapes");
    *s = begin;
    *n = (size_t)(t->p++ - begin);
    return CH_OK;
}

static ch_status npy_descr(npy_text *t, npy_header *h) {
    if (npy_peek(t) == '[')
        return ch__fail(CH__E_unsupported, "%s: %s: 'descr' is a list, a structured array — save its fields one by one",
                        t->source->what, t->source->name);
    const char *s = NULL;
    size_t n = 0;
    CH_TRY(npy_string(t, &s, &n));
    for (int d = 1; d < CH__DTYPE_COUNT && n == 3; d++) {
        const char *descr = ch__npy_descr((ch_dtype)d);
        if (descr != NULL && memcmp(descr + 1, s + 1, 2) == 0 && (s[0] == '<' || s[0] == descr[0])) {
            h->dtype = (ch_dtype)d;
            return CH_OK;
        }
    }
    char text[CH__IO_NAME];
    return ch__fail(CH__E_unsupported, "%s: %s: 'descr' is %s — read are %s", t->source->what, t->source->name,
                    ch__io_name_text(text, s, n), npy_allowed);
}

static ch_status npy_bool(npy_text *t, bool *out) {
    npy_peek(t);
    size_t left = (size_t)(t->end - t->p);
    bool yes = left >= 4 && memcmp(t->p, "True", 4) == 0;
    if (!yes && !(left >= 5 && memcmp(t->p, "False", 5) == 0)) return npy_fail(t, "True or False");
    t->p += yes ? 4 : 5;
    *out = yes;
    return CH_OK;
}

static ch_status npy_size(npy_text *t, int version, int64_t *out) {
    int64_t v = 0;
    bool overflow = false;
    char c = npy_peek(t);
    const char *begin = t->p, *after = begin;
    if (c >= '0' && c <= '9') after = ch__parse_i64(begin, t->end, &v, &overflow);
    if (after == begin || overflow || (c == '0' && after > begin + 1))
        return npy_fail(t, "a size, an integer in 0..2^63-1,");
    t->p = after;
    if (version < 3 && t->p < t->end && *t->p == 'L') t->p++;
    *out = v;
    return CH_OK;
}

static ch_status npy_shape(npy_text *t, npy_header *h) {
    CH_TRY(npy_expect(t, '('));
    h->rank = 0;
    for (bool comma = true; !npy_take(t, ')');) {
        int64_t d = 0;
        if (!comma) return npy_fail(t, "',' or ')'");
        CH_TRY(npy_size(t, h->version, &d));
        if (h->rank == CH__MAX_RANK)
            return ch__fail(CH__E_unsupported, "%s: %s: 'shape' has more than %d axes — that many are read",
                            t->source->what, t->source->name, CH__MAX_RANK);
        h->dims[h->rank++] = d;
        comma = npy_take(t, ',');
        if (!comma && h->rank == 1) return npy_fail(t, "',', which makes a tuple,");
    }
    return CH_OK;
}

static ch_status npy_entry(npy_text *t, npy_header *h, int *have) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    const char *key = NULL;
    size_t n = 0;
    int which = 0;
    CH_TRY(npy_string(t, &key, &n));
    while (which < 3 && !(strlen(keys[which]) == n && memcmp(keys[which], key, n) == 0)) which++;
    if (which == 3 || (*have & 1 << which)) {
        char text[CH__IO_NAME];
        return ch__fail(CH__E_file_format,
                        "%s: %s: key %s%s in the header — 'descr', 'fortran_order' and 'shape' are wanted, each once",
                        t->source->what, t->source->name, ch__io_name_text(text, key, n), which < 3 ? " twice" : "");
    }
    *have |= 1 << which;
    CH_TRY(npy_expect(t, ':'));
    return which == 0 ? npy_descr(t, h) : which == 1 ? npy_bool(t, &h->fortran) : npy_shape(t, h);
}

static ch_status npy_parse(npy_text *t, npy_header *h) {
    int have = 0;
    CH_TRY(npy_expect(t, '{'));
    for (bool comma = true; !npy_take(t, '}'); comma = npy_take(t, ',')) {
        if (!comma) return npy_fail(t, "',' or '}'");
        CH_TRY(npy_entry(t, h, &have));
    }
    npy_peek(t);
    if (t->p < t->end) return npy_fail(t, "nothing but blanks");
    if (have == 7) return CH_OK;
    return ch__fail(CH__E_file_format, "%s: %s: no key '%s' in the header — it is needed", t->source->what,
                    t->source->name,
                    !(have & 1)   ? "descr"
                    : !(have & 2) ? "fortran_order"
                                  : "shape");
}

// ---- loading
// Length and place of the header; what it says is checked before it is believed.
static ch_status npy_prefix(ch__stream *s, npy_header *h, size_t *length) {
    unsigned char b[12] = {0};
    size_t n = s->size < sizeof b ? (size_t)s->size : sizeof b;
    CH_TRY(ch__stream_exact(s, b, n < 8 ? n : 8));
    if (n < 6 || memcmp(b, npy_magic, 6) != 0)
        return ch__fail(CH__E_file_format, "%s: %s: it does not begin with 93 'NUMPY' — it is no npy file", s->what,
                        s->name);
    if (n >= 8 && (b[6] < 1 || b[6] > 3 || b[7] != 0))
        return ch__fail(CH__E_newer_version, "%s: %s: version %d.%d — 1.0, 2.0 and 3.0 are read", s->what, s->name,
                        b[6], b[7]);
    h->version = b[6];
    h->at = h->version == 1 ? 10 : 12;
    if (n < 8 || n < h->at)
        return ch__fail(CH__E_file_format, "%s: %s: %zu bytes — it is truncated before the length of its header",
                        s->what, s->name, n);
    CH_TRY(ch__stream_exact(s, b + 8, (size_t)h->at - 8));
    uint64_t size = (uint64_t)b[8] | (uint64_t)b[9] << 8;
    if (h->version > 1) size |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
    if (size > s->size - h->at)
        return ch__fail(CH__E_file_format,
                        "%s: %s: a header of %" PRIu64 " bytes, and %" PRIu64
                        " bytes follow its length — it is truncated or damaged",
                        s->what, s->name, size, s->size - h->at);
    if (size > NPY_HEADER_MAX)
        return ch__fail(CH__E_limit, "%s: %s: a header of %" PRIu64 " bytes — at most %d are read", s->what, s->name,
                        size, NPY_HEADER_MAX);
    *length = (size_t)size;
    return CH_OK;
}

static ch_status npy_read_header(ch__stream *s, npy_header *h) {
    size_t n = 0;
    CH_TRY(npy_prefix(s, h, &n));
    char *text = ch__alloc(n + 1);
    if (!text) return ch__fail_oom(s->what);
    npy_text t = {.source = s, .start = text, .p = text, .end = text + n};
    ch_status status = ch__stream_exact(s, text, n);
    if (status == CH_OK) status = npy_parse(&t, h);
    ch__free(text);
    h->at += n;
    return status;
}

static ch_status npy_check_size(const ch__stream *s, npy_header *h) {
    char dims[CH__IO_DIMS];
    ch__io_dims_text(dims, h->rank, h->dims);
    if (!ch__io_bytes(h->dtype, h->rank, h->dims, &h->bytes))
        return ch__fail(CH__E_file_format, "%s: %s: shape %s — the product of the sizes does not fit in 64 bits",
                        s->what, s->name, dims);
    uint64_t left = s->size - h->at;
    if (left == h->bytes) return CH_OK;
    return ch__fail(CH__E_file_format, "%s: %s: %s%s takes %" PRIu64 " bytes of data, there are %" PRIu64 " — %s",
                    s->what, s->name, ch_dtype_name(h->dtype), dims, h->bytes, left,
                    left < h->bytes ? "it is truncated or damaged" : "nothing may follow the data");
}

// One row of the last axis: n elements, stride elements apart in from.
static void npy_gather(char *to, const char *from, int64_t n, int64_t stride, size_t size) {
    for (int64_t i = 0; i < n; i++, to += size, from += stride * (int64_t)size) memcpy(to, from, size);
}

// from: first index fastest; to: last index fastest.
static void npy_transpose(const npy_header *h, const char *from, char *to) {
    int64_t index[CH__MAX_RANK] = {0}, stride[CH__MAX_RANK], at = 0;
    int last = h->rank - 1;
    size_t size = ch_dtype_size(h->dtype);
    for (int i = 0; i < h->rank; i++) stride[i] = i == 0 ? 1 : stride[i - 1] * h->dims[i - 1];
    for (const char *end = to + h->bytes; to < end; to += h->dims[last] * (int64_t)size) {
        npy_gather(to, from + at * (int64_t)size, h->dims[last], stride[last], size);
        for (int i = last - 1; i >= 0; i--) { // the next row
            at += stride[i];
            if (++index[i] < h->dims[i]) break;
            at -= stride[i] * h->dims[i];
            index[i] = 0;
        }
    }
}

static ch_status npy_check_bool(const ch__stream *s, const npy_header *h, const unsigned char *data) {
    size_t n = (size_t)h->bytes, at = h->dtype == CH_BOOL ? ch__io_bool_wrong(data, n) : n;
    if (at == n) return CH_OK;
    return ch__fail(CH__E_file_format, "%s: %s: element %zu in the file is the byte 0x%02x — bool is 0 or 1", s->what,
                    s->name, at, data[at]);
}

ch_status ch__npy_read(ch__stream *s, ch_tensor **out) {
    npy_header h = {0};
    CH_TRY(npy_read_header(s, &h));
    CH_TRY(npy_check_size(s, &h));
    bool turn = h.fortran && h.rank > 1 && h.bytes > 0;
    void *data = ch__io_alloc(h.bytes), *turned = turn ? ch__io_alloc(h.bytes) : NULL;
    ch_status status = !data || (turn && !turned) ? ch__fail_oom(s->what) : ch__stream_exact(s, data, (size_t)h.bytes);
    if (status == CH_OK) status = npy_check_bool(s, &h, data);
    if (status != CH_OK) {
        ch__free_aligned(data);
        ch__free_aligned(turned);
        return status;
    }
    if (turn) {
        npy_transpose(&h, data, turned);
        ch__free_aligned(data);
        data = turned;
    }
    return ch__io_give(s->what, h.dtype, data, h.rank, h.dims, out);
}

static ch_status npy_load(const ch__source *source, ch_tensor **out) {
    ch__stream s;
    CH_TRY(ch__stream_begin(&s, source, CH__STREAM_PLAIN, 0, source->size));
    ch_status status = ch__npy_read(&s, out);
    ch__stream_end(&s);
    return status;
}

ch_status ch_npy_load(const char *path, ch_tensor **out_tensor) {
    ch__source source;
    CH_TRY(ch__io_place("npy_load", out_tensor));
    *out_tensor = NULL;
    CH_TRY(ch__source_open(&source, "npy_load", path));
    ch_status s = npy_load(&source, out_tensor);
    ch__source_close(&source);
    return s;
}

ch_status ch_npy_load_memory(const void *data, size_t n, const char *name, ch_tensor **out_tensor) {
    ch__source source;
    CH_TRY(ch__io_place("npy_load", out_tensor));
    *out_tensor = NULL;
    CH_TRY(ch__source_memory(&source, "npy_load", data, n, name));
    return npy_load(&source, out_tensor);
}

// ---- saving
ch_status ch__npy_describe(const char *what, const char *path, ch_tensor *t, ch__npy_out *out) {
    CH_TRY(ch_realize(t));
    ch_dtype dtype = ch_tensor_dtype(t);
    int rank = ch_tensor_rank(t);
    if (!ch__npy_descr(dtype))
        return ch__fail(CH__E_dtype_mismatch,
                        "%s: %s: %s has no npy form — convert it to f32 first, or save it as "
                        "safetensors",
                        what, path, ch_dtype_name(dtype));
    int64_t dims[CH__MAX_RANK];
    for (int i = 0; i < rank; i++) dims[i] = ch_tensor_dim(t, i);
    if (!ch__io_bytes(dtype, rank, dims, &out->bytes))
        return ch__fail(CH__E_dim_overflow, "%s: %s: the tensor's size in bytes does not fit in 64 bits", what, path);
    out->n = ch__npy_header(out->header, dtype, rank, dims);
    out->data = ch_data(t);
    return out->data || out->bytes == 0 ? CH_OK : ch__err_status(ch__error_current());
}

ch_status ch_npy_save(const char *path, ch_tensor *t) {
    if (!path) return ch__fail(CH__E_argument, "npy_save: the path is NULL — give one");
    ch__npy_out o;
    CH_TRY(ch__npy_describe("npy_save", path, t, &o));
    ch__outfile *f;
    CH_TRY(ch__outfile_open(path, &f));
    ch_status s = ch__outfile_write(f, o.header, o.n);
    if (s == CH_OK) s = ch__outfile_write(f, o.data, (size_t)o.bytes);
    if (s == CH_OK) return ch__outfile_commit(f);
    ch__outfile_abandon(f);
    return s;
}
