// SPDX-License-Identifier: Apache-2.0
// csv.c - numbers in text: rows of fields with a separator, read into a matrix and written from one.
//
//     # a comment
//     time,"speed, m/s",x        a header: the first line, when one of its fields is no number (or as told)
//     0,1.5,                     an empty field, or NA: missing
//
// RFC 4180's quotes ("" inside stands for one) around names and numbers, LF or CRLF, a UTF-8 mark at the beginning,
// empty lines and lines that begin with the comment character skipped. Numbers are read and written by num.c: correctly
// rounded, free of locale, shortest text that reads back to the same bits. Every row has as many fields as the first;
// every complaint names line and column (of bytes, from 1). The file is read whole; what it may become grows with it,
// since every element takes at least one byte of text.
// Source: RFC 4180
#include "io/io.h"

#include <string.h>

struct ch_csv {
    ch_dtype dtype;
    int64_t rows, columns;
    unsigned char *data; // of ch__io_alloc
    uint64_t n, cap;     // its bytes
    char *names;         // one behind the other, NUL-terminated; NULL: no header
    size_t names_n, names_cap;
};

typedef struct {
    const ch__source *source;
    const char *text, *p, *end;
    char separator, comment;
    bool missing_allowed;
    double missing;
    ch_csv *out;
    char *scratch; // a quoted field, unquoted
    size_t scratch_cap;
} csv_reader;

typedef struct {
    const char *begin, *end; // of the field without quotes and blanks around it
    const char *at;          // where it begins in the text, for messages
} csv_field;

static ch_status csv_fail(const csv_reader *r, const char *at, const char *fmt, ...) CH_PRINTF(3, 4);
static ch_status csv_fail(const csv_reader *r, const char *at, const char *fmt, ...) {
    char said[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(said, sizeof said, fmt, ap);
    va_end(ap);
    int64_t line = 1;
    const char *begin = r->text;
    for (const char *p = begin; p < at; p++)
        if (*p == '\n') {
            line++;
            begin = p + 1;
        }
    return ch__fail(CH__E_file_format, "%s: %s: line %" PRId64 ", column %d: %s", r->source->what, r->source->name,
                    line, (int)(at - begin) + 1, said);
}

static bool csv_blank(char c) { return c == ' ' || c == '\t'; }

// ---- lines
// At the end of a line or of the text.
static bool csv_line_end(const csv_reader *r) {
    return r->p == r->end || *r->p == '\n' || (*r->p == '\r' && r->p + 1 < r->end && r->p[1] == '\n');
}

static void csv_next_line(csv_reader *r) {
    if (r->p < r->end && *r->p == '\r') r->p++;
    if (r->p < r->end) r->p++;
}

// Skips empty lines and comments; false at the end of the text.
static bool csv_find_row(csv_reader *r) {
    for (;;) {
        const char *p = r->p;
        while (p < r->end && csv_blank(*p) && *p != r->separator) p++;
        if (p == r->end) return false;
        bool comment = r->comment && *p == r->comment;
        bool empty = *p == '\n' || (*p == '\r' && p + 1 < r->end && p[1] == '\n');
        if (!comment && !empty) return true;
        r->p = p;
        while (comment && !csv_line_end(r)) r->p++;
        csv_next_line(r);
    }
}

// ---- fields
static ch_status csv_quoted(csv_reader *r, csv_field *f) {
    size_t n = 0;
    const char *open = r->p++;
    for (;; r->p++) {
        if (r->p == r->end) return csv_fail(r, open, "a quote is opened and not closed");
        if (*r->p == '"' && (r->p + 1 == r->end || r->p[1] != '"')) break;
        if (*r->p == '"') r->p++;
        if (n + 1 > r->scratch_cap) {
            size_t cap = r->scratch_cap ? r->scratch_cap * 2 : 256;
            char *grown = ch__realloc(r->scratch, cap);
            if (!grown) return ch__fail_oom(r->source->what);
            r->scratch = grown;
            r->scratch_cap = cap;
        }
        r->scratch[n++] = *r->p;
    }
    r->p++;
    f->begin = n > 0 ? r->scratch : "";
    f->end = f->begin + n;
    return CH_OK;
}

// One field, and the separator or the end of the line behind it; last: it was the end.
static ch_status csv_next_field(csv_reader *r, csv_field *f, bool *last) {
    while (r->p < r->end && csv_blank(*r->p) && *r->p != r->separator) r->p++;
    *f = (csv_field){.begin = r->p, .at = r->p};
    if (r->p < r->end && *r->p == '"') {
        CH_TRY(csv_quoted(r, f));
        while (r->p < r->end && csv_blank(*r->p) && *r->p != r->separator) r->p++;
    } else {
        while (!csv_line_end(r) && *r->p != r->separator && *r->p != '"') r->p++;
        f->end = r->p;
        while (f->end > f->begin && csv_blank(f->end[-1])) f->end--;
    }
    *last = csv_line_end(r);
    if (!*last && *r->p != r->separator)
        return csv_fail(r, r->p, "a quote inside a field — quote the whole field, and double the quotes inside");
    if (!*last) r->p++;
    return CH_OK;
}

static bool csv_is(const csv_field *f, const char *word) {
    size_t n = strlen(word);
    return (size_t)(f->end - f->begin) == n && memcmp(f->begin, word, n) == 0;
}

static bool csv_missing(const csv_field *f) {
    return f->begin == f->end || csv_is(f, "NA") || csv_is(f, "N/A") || csv_is(f, "null");
}

// ---- numbers
// Digits of a whole number in lo..hi (as 64 bits of its own signedness).
static bool csv_whole(const csv_field *f, bool is_signed, int bits, uint64_t *out) {
    const char *p = f->begin;
    bool minus = p < f->end && *p == '-';
    if (p < f->end && (*p == '-' || *p == '+')) p++;
    uint64_t v = 0, top = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 + minus : UINT64_MAX >> (64 - bits);
    if (p == f->end) return false;
    for (; p < f->end; p++) {
        uint64_t digit = (uint64_t)(unsigned char)*p - '0';
        if (digit > 9 || digit > top || v > (top - digit) / 10) return false;
        v = v * 10 + digit;
    }
    if (minus && !is_signed && v > 0) return false;
    *out = minus ? 0 - v : v;
    return true;
}

static bool csv_number(const csv_field *f, ch_dtype dtype, void *out) {
    const char *begin = f->begin + (f->end - f->begin > 1 && *f->begin == '+' && f->begin[1] != '-');
    float x = 0;
    double v = 0;
    uint64_t bits = 0;
    uint16_t half;
    if (dtype == CH_F32) {
        if (begin == f->end || ch__parse_f32(begin, f->end, &x) != f->end) return false;
        memcpy(out, &x, 4);
        return true;
    }
    if (dtype == CH_F64 || dtype == CH_F16 || dtype == CH_BF16) {
        if (begin == f->end || ch__parse_f64(begin, f->end, &v) != f->end) return false;
        half = dtype == CH_F16 ? ch__f64_to_f16(v) : ch__f64_to_bf16(v);
        memcpy(out, dtype == CH_F64 ? (void *)&v : (void *)&half, ch_dtype_size(dtype));
        return true;
    }
    bool is_signed = dtype >= CH_I8 && dtype <= CH_I64;
    int width = dtype == CH_BOOL ? 1 : 8 * (int)ch_dtype_size(dtype);
    bool word = dtype == CH_BOOL && (csv_is(f, "true") || csv_is(f, "false"));
    if (word) bits = csv_is(f, "true");
    if (!word && !csv_whole(f, is_signed, width, &bits)) return false;
    memcpy(out, &bits, ch_dtype_size(dtype)); // the low bytes; hosts are little endian
    return true;
}

static ch_status csv_missing_value(const csv_reader *r, const csv_field *f, ch_dtype dtype, void *out) {
    char digits[CH__NUM_CHARS];
    csv_field instead = {.begin = digits, .end = digits};
    instead.end += ch__format_f64(digits, r->missing);
    if (!r->missing_allowed)
        return csv_fail(r, f->at, "a missing value — give options.missing_allowed and a value for it, or fill it in");
    if (csv_number(&instead, dtype, out)) return CH_OK;
    return csv_fail(r, f->at, "a missing value, which options.missing makes %s — that is no %s", digits,
                    ch_dtype_name(dtype));
}

// Room for one element; the memory is that of a tensor, so that it can become one.
static ch_status csv_grow(csv_reader *r, size_t size) {
    ch_csv *c = r->out;
    if (c->cap - c->n >= size) return CH_OK;
    uint64_t cap = c->cap ? c->cap * 2 : 4096;
    unsigned char *data = ch__io_alloc(cap);
    if (!data) return ch__fail_oom(r->source->what);
    if (c->n > 0) memcpy(data, c->data, (size_t)c->n);
    ch__free_aligned(c->data);
    c->data = data;
    c->cap = cap;
    return CH_OK;
}

static ch_status csv_put(csv_reader *r, const csv_field *f) {
    ch_csv *c = r->out;
    size_t size = ch_dtype_size(c->dtype);
    CH_TRY(csv_grow(r, size));
    if (csv_missing(f)) {
        CH_TRY(csv_missing_value(r, f, c->dtype, c->data + c->n));
    } else if (!csv_number(f, c->dtype, c->data + c->n)) {
        char text[CH__IO_NAME];
        return csv_fail(r, f->at, "%s is no %s%s", ch__io_name_text(text, f->begin, (size_t)(f->end - f->begin)),
                        ch_dtype_name(c->dtype), c->dtype == CH_BOOL ? " — 0, 1, true and false are" : "");
    }
    c->n += size;
    return CH_OK;
}

static ch_status csv_put_name(csv_reader *r, const csv_field *f) {
    ch_csv *c = r->out;
    size_t n = (size_t)(f->end - f->begin);
    if (memchr(f->begin, 0, n) || ch__utf8_wrong(f->begin, n) < n)
        return csv_fail(r, f->at, "the name is not UTF-8 (or holds a NUL)");
    if (c->names_cap - c->names_n < n + 1) {
        size_t cap = (c->names_cap + n + 1) * 2;
        char *grown = ch__realloc(c->names, cap);
        if (!grown) return ch__fail_oom(r->source->what);
        c->names = grown;
        c->names_cap = cap;
    }
    memcpy(c->names + c->names_n, f->begin, n);
    c->names[c->names_n + n] = '\0';
    c->names_n += n + 1;
    return CH_OK;
}

// ---- rows
enum { CSV_LOOK, CSV_NAMES, CSV_NUMBERS };

// One row, which begins at p. CSV_LOOK: *is_header says whether a field is neither a number nor missing.
static ch_status csv_row(csv_reader *r, int as, bool *is_header) {
    ch_csv *c = r->out;
    int64_t fields = 0;
    for (bool last = false; !last; fields++) {
        csv_field f;
        double number;
        CH_TRY(csv_next_field(r, &f, &last));
        if (c->columns > 0 && fields == c->columns)
            return csv_fail(r, f.at, "a field more than the %" PRId64 " of the first row", c->columns);
        if (as == CSV_NUMBERS) CH_TRY(csv_put(r, &f));
        if (as == CSV_NAMES) CH_TRY(csv_put_name(r, &f));
        if (as == CSV_LOOK && !csv_missing(&f) && !csv_number(&f, CH_F64, &number)) *is_header = true;
    }
    if (c->columns > 0 && fields < c->columns)
        return csv_fail(r, r->p, "the row ends after %" PRId64 " fields, the first has %" PRId64, fields, c->columns);
    if (as != CSV_LOOK) c->columns = fields;
    csv_next_line(r);
    return CH_OK;
}

static ch_status csv_parse(csv_reader *r, const ch_csv_options *o) {
    if (r->end - r->p >= 3 && memcmp(r->p, "\xef\xbb\xbf", 3) == 0) r->text = r->p += 3;
    if (!csv_find_row(r)) return CH_OK;
    bool header = o->header == CH_CSV_HEADER_YES;
    if (o->header == CH_CSV_HEADER_AUTO) {
        csv_reader ahead = *r;
        ch_status s = csv_row(&ahead, CSV_LOOK, &header);
        r->scratch = ahead.scratch;
        r->scratch_cap = ahead.scratch_cap;
        CH_TRY(s);
    }
    if (header) CH_TRY(csv_row(r, CSV_NAMES, NULL));
    while (csv_find_row(r)) {
        CH_TRY(csv_row(r, CSV_NUMBERS, NULL));
        r->out->rows++;
    }
    return CH_OK;
}

// ---- opening
static bool csv_may_separate(char c) {
    return c > 0 && c != '"' && c != '\n' && c != '\r' && c != '.' && c != '+' && c != '-' && !(c >= '0' && c <= '9') &&
           !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
}

static ch_status csv_options(const char *what, const ch_csv_options *given, ch_csv_options *o) {
    if (given && given->struct_size != sizeof *o)
        return ch__fail(CH__E_argument, "%s: options.struct_size is %zu — set it to sizeof(ch_csv_options), %zu", what,
                        given->struct_size, sizeof *o);
    *o = given ? *given : (ch_csv_options){.struct_size = sizeof *o};
    if (!o->separator) o->separator = ',';
    if (!o->comment) o->comment = '#';
    if (!o->dtype) o->dtype = CH_F64;
    if (!csv_may_separate(o->separator) || o->separator == o->comment)
        return ch__fail(CH__E_argument,
                        "%s: options.separator is '%c' — one ASCII character that no number has, no quote and not the "
                        "comment's is allowed",
                        what, o->separator);
    if (o->header < CH_CSV_HEADER_AUTO || o->header > CH_CSV_HEADER_NO)
        return ch__fail(CH__E_argument, "%s: options.header is %d — give one of ch_csv_header", what, (int)o->header);
    if (o->dtype < CH_BOOL || o->dtype > CH_F64)
        return ch__fail(CH__E_dtype_mismatch, "%s: options.dtype is %s — bool, integers, f16, bf16, f32, f64 are read",
                        what, ch_dtype_name(o->dtype));
    return CH_OK;
}

static ch_status csv_read_all(const ch__source *source, const ch_csv_options *o, const char *text, size_t n,
                              ch_csv **out) {
    ch_csv *c = ch__calloc(1, sizeof *c);
    if (!c) return ch__fail_oom(source->what);
    c->dtype = o->dtype;
    csv_reader r = {.source = source,
                    .text = text,
                    .p = text,
                    .end = text + n,
                    .separator = o->separator,
                    .comment = o->comment == '\n' ? '\0' : o->comment,
                    .missing_allowed = o->missing_allowed != 0,
                    .missing = o->missing,
                    .out = c};
    ch_status s = csv_parse(&r, o);
    ch__free(r.scratch);
    if (s == CH_OK)
        *out = c;
    else
        ch_csv_close(c);
    return s;
}

static ch_status csv_file(const char *what, const char *path, const ch_csv_options *options, ch_csv **out) {
    ch_csv_options o;
    char *text = NULL;
    size_t n = 0;
    if (!path) return ch__fail(CH__E_argument, "%s: the path is NULL — give one", what);
    CH_TRY(csv_options(what, options, &o));
    CH_TRY(ch__file_read(path, 0, &text, &n));
    ch_status s = csv_read_all(&(ch__source){.what = what, .name = path}, &o, text, n, out);
    ch__free(text);
    return s;
}

ch_status ch_csv_open(const char *path, const ch_csv_options *options, ch_csv **out_file) {
    CH_TRY(ch__io_place("csv_open", out_file));
    *out_file = NULL;
    return csv_file("csv_open", path, options, out_file);
}

ch_status ch_csv_open_memory(const void *data, size_t n, const char *name, const ch_csv_options *options,
                             ch_csv **out_file) {
    ch__source source;
    ch_csv_options o;
    CH_TRY(ch__io_place("csv_open", out_file));
    *out_file = NULL;
    CH_TRY(ch__source_memory(&source, "csv_open", data, n, name));
    CH_TRY(csv_options("csv_open", options, &o));
    return csv_read_all(&source, &o, n > 0 ? data : "", n, out_file);
}

void ch_csv_close(ch_csv *c) {
    if (!c) return;
    ch__free_aligned(c->data);
    ch__free(c->names);
    ch__free(c);
}

int64_t ch_csv_rows(const ch_csv *c) { return c->rows; }
int64_t ch_csv_columns(const ch_csv *c) { return c->columns; }

const char *ch_csv_name(const ch_csv *c, int64_t i) {
    if (!c->names || i < 0 || i >= c->columns) return NULL;
    const char *p = c->names;
    for (; i > 0; i--) p += strlen(p) + 1;
    return p;
}

int64_t ch_csv_find(const ch_csv *c, const char *name) {
    const char *p = c->names;
    for (int64_t i = 0; p && name && i < c->columns; i++, p += strlen(p) + 1)
        if (strcmp(p, name) == 0) return i;
    return -1;
}

ch_status ch_csv_read(ch_csv *c, ch_tensor **out_tensor) {
    if (!c) return ch__fail(CH__E_argument, "csv_read: the file is NULL — give one that was opened");
    CH_TRY(ch__io_place("csv_read", out_tensor));
    *out_tensor = NULL;
    void *copy = ch__io_alloc(c->n);
    if (!copy) return ch__fail_oom("csv_read");
    if (c->n > 0) memcpy(copy, c->data, (size_t)c->n);
    return ch__io_give("csv_read", c->dtype, copy, 2, (int64_t[]){c->rows, c->columns}, out_tensor);
}

ch_status ch_csv_load(const char *path, const ch_csv_options *options, ch_tensor **out_tensor) {
    ch_csv *c = NULL;
    CH_TRY(ch__io_place("csv_load", out_tensor));
    *out_tensor = NULL;
    CH_TRY(csv_file("csv_load", path, options, &c));
    void *data = c->data ? c->data : ch__io_alloc(0);
    c->data = NULL;
    int64_t dims[] = {c->rows, c->columns};
    ch_dtype dtype = c->dtype;
    ch_csv_close(c);
    return data ? ch__io_give("csv_load", dtype, data, 2, dims, out_tensor) : ch__fail_oom("csv_load");
}

// ---- writing
static int csv_format(char out[CH__NUM_CHARS], ch_dtype dtype, const void *data, int64_t i) {
    switch (dtype) {
    case CH_F64: return ch__format_f64(out, ((const double *)data)[i]);
    case CH_F32: return ch__format_f32(out, ((const float *)data)[i]);
    case CH_F16: return ch__format_f32(out, ch__f16_to_f32(((const uint16_t *)data)[i]));
    case CH_BF16: return ch__format_f32(out, ch__bf16_to_f32(((const uint16_t *)data)[i]));
    case CH_U64: return snprintf(out, CH__NUM_CHARS, "%" PRIu64, ((const uint64_t *)data)[i]);
    case CH_I64: return ch__format_i64(out, ((const int64_t *)data)[i]);
    case CH_I32: return ch__format_i64(out, ((const int32_t *)data)[i]);
    case CH_I16: return ch__format_i64(out, ((const int16_t *)data)[i]);
    case CH_I8: return ch__format_i64(out, ((const int8_t *)data)[i]);
    case CH_U32: return ch__format_i64(out, ((const uint32_t *)data)[i]);
    case CH_U16: return ch__format_i64(out, ((const uint16_t *)data)[i]);
    default: return ch__format_i64(out, ((const uint8_t *)data)[i]);
    }
}

// Quoted when it must be; "" when it is empty, since a line of nothing is skipped.
static ch_status csv_write_name(ch__outfile *f, const char *name) {
    size_t n = strlen(name);
    bool quoted = n == 0 || strpbrk(name, ",\"\n\r#") || csv_blank(name[0]) || csv_blank(name[n - 1]);
    if (!quoted) return ch__outfile_write(f, name, n);
    CH_TRY(ch__outfile_write(f, "\"", 1));
    for (; *name; name++) CH_TRY(ch__outfile_write(f, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1));
    return ch__outfile_write(f, "\"", 1);
}

static ch_status csv_write(ch__outfile *f, ch_tensor *t, int64_t rows, int64_t columns, const char *const *names) {
    ch_dtype dtype = ch_tensor_dtype(t);
    const void *data = ch_data(t);
    char digits[CH__NUM_CHARS + 1];
    for (int64_t i = 0; names && i < columns; i++) {
        CH_TRY(csv_write_name(f, names[i]));
        CH_TRY(ch__outfile_write(f, i + 1 < columns ? "," : "\n", 1));
    }
    for (int64_t i = 0; i < rows * columns; i++) {
        int n = csv_format(digits, dtype, data, i);
        digits[n] = (i + 1) % columns == 0 ? '\n' : ',';
        CH_TRY(ch__outfile_write(f, digits, (size_t)n + 1));
    }
    return CH_OK;
}

ch_status ch_csv_save(const char *path, const char *const *names, ch_tensor *t) {
    if (!path) return ch__fail(CH__E_argument, "csv_save: the path is NULL — give one");
    CH_TRY(ch_realize(t));
    int rank = ch_tensor_rank(t);
    ch_dtype dtype = ch_tensor_dtype(t);
    if (rank > 2)
        return ch__fail(CH__E_rank, "csv_save: %s: a tensor of %d axes — at most 2 are written: reshape it first", path,
                        rank);
    if (dtype > CH_F64)
        return ch__fail(CH__E_dtype_mismatch, "csv_save: %s: %s — bool, integers, f16, bf16, f32, f64 are written",
                        path, ch_dtype_name(dtype));
    int64_t rows = rank > 0 ? ch_tensor_dim(t, 0) : 1, columns = rank > 1 ? ch_tensor_dim(t, 1) : 1;
    for (int64_t i = 0; names && i < columns; i++)
        if (!names[i] || ch__utf8_wrong(names[i], strlen(names[i])) < strlen(names[i]))
            return ch__fail(CH__E_argument, "csv_save: %s: name %" PRId64 " is NULL or not UTF-8 — give a string", path,
                            i);
    ch__outfile *f;
    CH_TRY(ch__outfile_open(path, &f));
    ch_status s = csv_write(f, t, rows, columns, names);
    if (s == CH_OK) return ch__outfile_commit(f);
    ch__outfile_abandon(f);
    return s;
}
