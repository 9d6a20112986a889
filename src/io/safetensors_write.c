// SPDX-License-Identifier: Apache-2.0
// safetensors_write.c - writes safetensors files: the header is built in memory, tensors go to the file one by one.
//
// Decreasing element size keeps every tensor aligned to its element when the data is; equal sizes go by name (bytes
// of UTF-8), so the same tensors give the same file. JSON is written as the reference writer does: no blanks, non-
// ASCII as it is, blanks behind the header up to a multiple of 8.
// Source: https://github.com/huggingface/safetensors (README, "Format")
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

static const char write_name[] = "safetensors_save";

// ---- text on the heap: the first failure stays
typedef struct {
    char *data;
    size_t n, cap;
    bool failed;
} write_text;

static void write_put(write_text *t, const char *s, size_t n) {
    if (t->failed) return;
    if (n > t->cap - t->n) {
        size_t cap = t->cap ? t->cap : 1024;
        while (cap - t->n < n && cap <= PTRDIFF_MAX) cap *= 2;
        char *data = cap <= PTRDIFF_MAX ? ch__realloc(t->data, cap) : NULL;
        if (!data) {
            t->failed = true;
            return;
        }
        t->data = data;
        t->cap = cap;
    }
    memcpy(t->data + t->n, s, n);
    t->n += n;
}

static void write_str(write_text *t, const char *s) { write_put(t, s, strlen(s)); }

static void write_u64(write_text *t, uint64_t v) {
    char digits[24];
    write_put(t, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, v));
}

static void write_quoted(write_text *t, const char *s) {
    static const char hex[] = "0123456789abcdef", from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    write_str(t, "\"");
    for (; *s; s++) {
        const char *at = strchr(from, *s);
        unsigned char c = (unsigned char)*s;
        if (at)
            write_put(t, (char[]){'\\', to[at - from]}, 2);
        else if (c < 0x20)
            write_put(t, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
        else
            write_put(t, s, 1);
    }
    write_str(t, "\"");
}

// ---- what is written
typedef struct {
    const char *name;
    ch_tensor *tensor;
    const void *data;
    uint64_t bytes;
    int64_t dims[CH__MAX_RANK];
    int rank;
    ch_dtype dtype;
} write_entry;

static int write_by_name(const void *a, const void *b) {
    return strcmp(((const write_entry *)a)->name, ((const write_entry *)b)->name);
}

static int write_order(const void *a, const void *b) {
    size_t x = ch_dtype_size(((const write_entry *)a)->dtype), y = ch_dtype_size(((const write_entry *)b)->dtype);
    return x != y ? (x > y ? -1 : 1) : write_by_name(a, b);
}

static ch_status write_check_text(const char *path, const char *kind, int i, const char *s) {
    char text[CH__IO_NAME];
    if (!s) return ch__fail(CH__E_argument, "%s: %s: %s %d is NULL — give a string", write_name, path, kind, i);
    size_t n = strlen(s), wrong = ch__utf8_wrong(s, n);
    if (wrong == n) return CH_OK;
    return ch__fail(CH__E_argument, "%s: %s: %s %d, %s, is not UTF-8 at byte %zu — it must be", write_name, path, kind,
                    i, ch__io_name_text(text, s, wrong), wrong);
}

static ch_status write_check_meta(const char *path, int n, const char *const *keys, const char *const *values) {
    if (n < 0 || (n > 0 && (!keys || !values)))
        return ch__fail(CH__E_argument, "%s: %s: %d metadata entries — give arrays of keys and values", write_name,
                        path, n);
    for (int i = 0; i < n; i++) {
        CH_TRY(write_check_text(path, "metadata key", i, keys[i]));
        CH_TRY(write_check_text(path, "metadata value", i, values[i]));
        for (int k = 0; k < i; k++)
            if (strcmp(keys[k], keys[i]) == 0) {
                char text[CH__IO_NAME];
                return ch__fail(CH__E_duplicate_name, "%s: %s: metadata keys %d and %d are both %s — give each once",
                                write_name, path, k, i, ch__io_name_text(text, keys[i], strlen(keys[i])));
            }
    }
    return CH_OK;
}

// Fills e from a realized tensor.
static ch_status write_describe(const char *path, write_entry *e) {
    char text[CH__IO_NAME];
    ch_tensor *t = e->tensor;
    e->dtype = ch_tensor_dtype(t);
    e->rank = ch_tensor_rank(t);
    for (int i = 0; i < e->rank; i++) e->dims[i] = ch_tensor_dim(t, i);
    if (!ch__safetensors_dtype_name(e->dtype))
        return ch__fail(CH__E_dtype_mismatch, "%s: %s: tensor %s is %s — %s can be written", write_name, path,
                        ch__io_name_text(text, e->name, strlen(e->name)), ch_dtype_name(e->dtype),
                        ch__safetensors_dtypes);
    if (!ch__io_bytes(e->dtype, e->rank, e->dims, &e->bytes))
        return ch__fail(CH__E_dim_overflow, "%s: %s: tensor %s: its size in bytes does not fit in 64 bits", write_name,
                        path, ch__io_name_text(text, e->name, strlen(e->name)));
    e->data = ch_data(t);
    return e->data || e->bytes == 0 ? CH_OK : ch__err_status(ch__error_current());
}

static ch_status write_gather(const char *path, int n, const char *const *names, ch_tensor *const *tensors,
                              write_entry *entries) {
    char text[CH__IO_NAME];
    for (int i = 0; i < n; i++) {
        CH_TRY(write_check_text(path, "name", i, names[i]));
        if (strcmp(names[i], "__metadata__") == 0)
            return ch__fail(CH__E_argument, "%s: %s: name %d is \"__metadata__\" — the format keeps it for metadata",
                            write_name, path, i);
        entries[i] = (write_entry){.name = names[i], .tensor = tensors[i]};
    }
    CH_TRY(ch_realize_all(n, tensors));
    for (int i = 0; i < n; i++) CH_TRY(write_describe(path, &entries[i]));
    if (n > 1) qsort(entries, (size_t)n, sizeof *entries, write_by_name);
    for (int i = 1; i < n; i++)
        if (strcmp(entries[i - 1].name, entries[i].name) == 0)
            return ch__fail(CH__E_duplicate_name, "%s: %s: two tensors are named %s — give each its own name",
                            write_name, path, ch__io_name_text(text, entries[i].name, strlen(entries[i].name)));
    if (n > 1) qsort(entries, (size_t)n, sizeof *entries, write_order);
    return CH_OK;
}

static void write_header_meta(write_text *t, int n, const char *const *keys, const char *const *values) {
    write_str(t, "\"__metadata__\":{");
    for (int i = 0; i < n; i++) {
        if (i > 0) write_str(t, ",");
        write_quoted(t, keys[i]);
        write_str(t, ":");
        write_quoted(t, values[i]);
    }
    write_str(t, "}");
}

static void write_header_entry(write_text *t, const write_entry *e, uint64_t begin) {
    write_quoted(t, e->name);
    write_str(t, ":{\"dtype\":\"");
    write_str(t, ch__safetensors_dtype_name(e->dtype));
    write_str(t, "\",\"shape\":[");
    for (int i = 0; i < e->rank; i++) {
        if (i > 0) write_str(t, ",");
        write_u64(t, (uint64_t)e->dims[i]);
    }
    write_str(t, "],\"data_offsets\":[");
    write_u64(t, begin);
    write_str(t, ",");
    write_u64(t, begin + e->bytes);
    write_str(t, "]}");
}

// The first 8 bytes are kept free for the length.
static ch_status write_header(const char *path, write_text *t, int n, const write_entry *entries, int n_meta,
                              const char *const *meta_keys, const char *const *meta_values) {
    uint64_t at = 0;
    write_put(t, (char[8]){0}, 8);
    write_str(t, "{");
    if (n_meta > 0) write_header_meta(t, n_meta, meta_keys, meta_values);
    for (int i = 0; i < n; i++) {
        if (i > 0 || n_meta > 0) write_str(t, ",");
        write_header_entry(t, &entries[i], at);
        at += entries[i].bytes;
    }
    write_str(t, "}");
    while (!t->failed && t->n % 8 != 0) write_str(t, " ");
    if (t->failed) return ch__fail_oom(write_name);
    size_t size = t->n - 8;
    if (size > CH__SAFETENSORS_HEADER_MAX)
        return ch__fail(CH__E_limit,
                        "%s: %s: a header of %zu bytes — at most %d are allowed: give fewer tensors or shorter "
                        "names",
                        write_name, path, size, CH__SAFETENSORS_HEADER_MAX);
    for (int i = 0; i < 8; i++) t->data[i] = (char)(unsigned char)((uint64_t)size >> (8 * i));
    return CH_OK;
}

static ch_status write_file(const char *path, const write_text *header, int n, const write_entry *entries) {
    ch__outfile *f;
    CH_TRY(ch__outfile_open(path, &f));
    ch_status s = ch__outfile_write(f, header->data, header->n);
    for (int i = 0; i < n && s == CH_OK; i++) s = ch__outfile_write(f, entries[i].data, (size_t)entries[i].bytes);
    if (s == CH_OK) return ch__outfile_commit(f);
    ch__outfile_abandon(f);
    return s;
}

ch_status ch_safetensors_save(const char *path, int n, const char *const *names, ch_tensor *const *tensors, int n_meta,
                              const char *const *meta_keys, const char *const *meta_values) {
    if (!path) return ch__fail(CH__E_argument, "%s: the path is NULL — give one", write_name);
    if (n < 0 || (n > 0 && (!names || !tensors)))
        return ch__fail(CH__E_argument, "%s: %s: %d tensors — give arrays of names and tensors", write_name, path, n);
    CH_TRY(write_check_meta(path, n_meta, meta_keys, meta_values));
    write_entry *entries = ch__calloc((size_t)n + 1, sizeof *entries);
    if (!entries) return ch__fail_oom(write_name);
    write_text header = {0};
    ch_status s = write_gather(path, n, names, tensors, entries);
    if (s == CH_OK) s = write_header(path, &header, n, entries, n_meta, meta_keys, meta_values);
    if (s == CH_OK) s = write_file(path, &header, n, entries);
    ch__free(header.data);
    ch__free(entries);
    return s;
}
