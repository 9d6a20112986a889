// SPDX-License-Identifier: Apache-2.0
// safetensors_write.c - writes safetensors files: the header is built in memory, tensors go to the file one by one.
//
// Decreasing element size keeps every tensor aligned to its element when the data is; equal sizes go by name (bytes
// of UTF-8), so the same tensors give the same file. JSON is written as the reference writer does: no blanks, non-
// ASCII as it is, blanks behind the header up to a multiple of 8. A tensor under several names is written once when
// asked: the format has no word for it, so the metadata say "other name": "name with the data", as safetensors'
// save_model does. Several files are filled one after another; the index comes last, when all it names is there.
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
    const char *tied_to; // the name under which the data are written, or NULL: this one
    int file;            // of several, from 0
} write_entry;

typedef struct {
    const char *path;
    int n, n_meta;
    const char *const *names;
    ch_tensor *const *tensors;
    const char *const *meta_keys, *const *meta_values;
    bool tie;
    uint64_t file_bytes; // 0: one file
    write_entry *entries;
    int n_files;
} write_job;

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
    return CH_OK;
}

static int write_by_data(const void *a, const void *b) {
    const write_entry *x = a, *y = b;
    if (x->data != y->data) return (uintptr_t)x->data < (uintptr_t)y->data ? -1 : 1;
    return write_by_name(a, b);
}

static bool write_same(const write_entry *a, const write_entry *b) {
    return a->data == b->data && a->bytes == b->bytes && a->bytes > 0 && a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

// Of the names of one tensor the first keeps the data.
static ch_status write_tie(const write_job *w) {
    char text[CH__IO_NAME];
    if (w->n > 1) qsort(w->entries, (size_t)w->n, sizeof *w->entries, write_by_data);
    for (int i = 1; i < w->n; i++) {
        write_entry *e = &w->entries[i], *before = &w->entries[i - 1];
        if (!write_same(e, before)) continue;
        e->tied_to = before->tied_to ? before->tied_to : before->name;
        for (int k = 0; k < w->n_meta; k++)
            if (strcmp(w->meta_keys[k], e->name) == 0)
                return ch__fail(CH__E_duplicate_name,
                                "%s: %s: metadata key %d is %s, and so is a tensor that is tied to another, which the "
                                "metadata must say — give it another key",
                                write_name, w->path, k, ch__io_name_text(text, e->name, strlen(e->name)));
    }
    return CH_OK;
}

// Files are filled in the order of writing, each with at least one tensor.
static void write_split(write_job *w) {
    uint64_t bytes = 0;
    w->n_files = 1;
    if (w->n > 1) qsort(w->entries, (size_t)w->n, sizeof *w->entries, write_order);
    for (int i = 0; i < w->n; i++) {
        write_entry *e = &w->entries[i];
        if (!e->tied_to && w->file_bytes > 0 && bytes > 0 && e->bytes > w->file_bytes - bytes) {
            w->n_files++;
            bytes = 0;
        }
        e->file = w->n_files - 1;
        if (!e->tied_to) bytes += e->bytes;
        if (bytes > w->file_bytes) bytes = w->file_bytes;
    }
    // what is tied goes where the data are, so that one file says it
    for (int i = 0; i < w->n && w->n_files > 1; i++)
        for (int k = 0; w->entries[i].tied_to && k < w->n; k++)
            if (strcmp(w->entries[k].name, w->entries[i].tied_to) == 0) w->entries[i].file = w->entries[k].file;
}

static bool write_header_meta(write_text *t, const write_job *w, int file) {
    bool any = false;
    for (int i = 0; i < w->n_meta + w->n; i++) {
        const write_entry *e = i < w->n_meta ? NULL : &w->entries[i - w->n_meta];
        if (e && (!e->tied_to || e->file != file)) continue;
        write_str(t, any ? "," : "\"__metadata__\":{");
        write_quoted(t, e ? e->name : w->meta_keys[i]);
        write_str(t, ":");
        write_quoted(t, e ? e->tied_to : w->meta_values[i]);
        any = true;
    }
    if (any) write_str(t, "}");
    return any;
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
static ch_status write_header(const write_job *w, const char *path, int file, write_text *t) {
    uint64_t at = 0;
    t->n = 0;
    write_put(t, (char[8]){0}, 8);
    write_str(t, "{");
    bool comma = write_header_meta(t, w, file);
    for (int i = 0; i < w->n; i++) {
        if (w->entries[i].tied_to || w->entries[i].file != file) continue;
        if (comma) write_str(t, ",");
        comma = true;
        write_header_entry(t, &w->entries[i], at);
        at += w->entries[i].bytes;
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

static ch_status write_file(const write_job *w, const char *path, int file, write_text *header) {
    ch__outfile *f;
    CH_TRY(write_header(w, path, file, header));
    CH_TRY(ch__outfile_open(path, &f));
    ch_status s = ch__outfile_write(f, header->data, header->n);
    for (int i = 0; i < w->n && s == CH_OK; i++)
        if (!w->entries[i].tied_to && w->entries[i].file == file)
            s = ch__outfile_write(f, w->entries[i].data, (size_t)w->entries[i].bytes);
    if (s == CH_OK) return ch__outfile_commit(f);
    ch__outfile_abandon(f);
    return s;
}

// ---- several files
enum { WRITE_PART = 48 }; // room for "-00001-of-00003.safetensors" and for ".index.json"

// "model.safetensors": "model-00001-of-00003.safetensors"; of a path the part behind the last slash when short.
static void write_part(char *out, const char *path, int file, int files, bool brief) {
    const char *slash = brief ? strrchr(path, '/') : NULL;
    const char *from = slash ? slash + 1 : path;
    size_t n = strlen(from), cut = strlen(".safetensors");
    if (n > cut && strcmp(from + n - cut, ".safetensors") == 0) n -= cut;
    memcpy(out, from, n);
    snprintf(out + n, WRITE_PART, "-%05d-of-%05d.safetensors", file + 1, files);
}

// As json.dumps(index, indent=2, sort_keys=True) writes it.
static ch_status write_index(const write_job *w, const char *path, char *part, write_text *t) {
    uint64_t total = 0;
    for (int i = 0; i < w->n; i++) total += w->entries[i].tied_to ? 0 : w->entries[i].bytes;
    t->n = 0;
    write_str(t, "{\n  \"metadata\": {\n    \"total_size\": ");
    write_u64(t, total);
    write_str(t, "\n  },\n  \"weight_map\": {");
    qsort(w->entries, (size_t)w->n, sizeof *w->entries, write_by_name);
    for (int i = 0; i < w->n; i++) {
        write_str(t, i > 0 ? ",\n    " : "\n    ");
        write_quoted(t, w->entries[i].name);
        write_str(t, ": ");
        write_part(part, w->path, w->entries[i].file, w->n_files, true);
        write_quoted(t, part);
    }
    write_str(t, "\n  }\n}\n");
    return t->failed ? ch__fail_oom(write_name) : ch__file_write_atomic(path, t->data, t->n);
}

static ch_status write_files(const write_job *w, write_text *t) {
    if (w->n_files == 1) return write_file(w, w->path, 0, t);
    if (w->n_files > 99999)
        return ch__fail(CH__E_limit, "%s: %s: %d files — at most 99999 are written: allow more bytes a file",
                        write_name, w->path, w->n_files);
    size_t room = strlen(w->path) + WRITE_PART;
    char *part = ch__alloc(room);
    if (!part) return ch__fail_oom(write_name);
    ch_status s = CH_OK;
    for (int i = 0; i < w->n_files && s == CH_OK; i++) {
        write_part(part, w->path, i, w->n_files, false);
        s = write_file(w, part, i, t);
    }
    char *index = s == CH_OK ? ch__alloc(room) : NULL;
    if (s == CH_OK && !index) s = ch__fail_oom(write_name);
    if (s == CH_OK) {
        snprintf(index, room, "%s.index.json", w->path);
        s = write_index(w, index, part, t);
    }
    ch__free(index);
    ch__free(part);
    return s;
}

static ch_status write_run(write_job *w) {
    if (!w->path) return ch__fail(CH__E_argument, "%s: the path is NULL — give one", write_name);
    if (w->n < 0 || (w->n > 0 && (!w->names || !w->tensors)))
        return ch__fail(CH__E_argument, "%s: %s: %d tensors — give arrays of names and tensors", write_name, w->path,
                        w->n);
    CH_TRY(write_check_meta(w->path, w->n_meta, w->meta_keys, w->meta_values));
    w->entries = ch__calloc((size_t)w->n + 1, sizeof *w->entries);
    if (!w->entries) return ch__fail_oom(write_name);
    write_text text = {0};
    ch_status s = write_gather(w->path, w->n, w->names, w->tensors, w->entries);
    if (s == CH_OK && w->tie) s = write_tie(w);
    if (s == CH_OK) {
        write_split(w);
        s = write_files(w, &text);
    }
    ch__free(text.data);
    ch__free(w->entries);
    return s;
}

ch_status ch_safetensors_save(const char *path, int n, const char *const *names, ch_tensor *const *tensors, int n_meta,
                              const char *const *meta_keys, const char *const *meta_values) {
    return write_run(&(write_job){.path = path,
                                  .n = n,
                                  .names = names,
                                  .tensors = tensors,
                                  .n_meta = n_meta,
                                  .meta_keys = meta_keys,
                                  .meta_values = meta_values});
}

ch_status ch_safetensors_save_with(const ch_safetensors_options *options, const char *path, int n,
                                   const char *const *names, ch_tensor *const *tensors) {
    write_job w = {.path = path, .n = n, .names = names, .tensors = tensors};
    if (options && options->struct_size != sizeof *options)
        return ch__fail(CH__E_argument,
                        "%s: options.struct_size is %zu — set it to sizeof(ch_safetensors_options), %zu", write_name,
                        options->struct_size, sizeof *options);
    if (options && options->file_bytes < 0)
        return ch__fail(CH__E_argument, "%s: options.file_bytes is %" PRId64 " — at least 0 is allowed", write_name,
                        options->file_bytes);
    if (options) {
        w.n_meta = options->n_meta;
        w.meta_keys = options->meta_keys;
        w.meta_values = options->meta_values;
        w.tie = options->tie != 0;
        w.file_bytes = (uint64_t)options->file_bytes;
    }
    return write_run(&w);
}
