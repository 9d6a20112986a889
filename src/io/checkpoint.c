// SPDX-License-Identifier: Apache-2.0
// checkpoint.c - checkpoints: a safetensors file with a version and a checksum of all that it says.
//
//     metadata   "chaac.checkpoint": "1"   "chaac.crc32": "0a1b2c3d"   and the caller's keys
//     tensors    "part/name"
//
// The checksum is a CRC-32 over, in order of their names, key and value of all other metadata, then name, dtype, sizes
// and bytes of each tensor, so that a byte changed anywhere but in the blanks behind the header is found. Both sides of
// it work on a sorted list of what there is, which is also what makes equal checkpoints equal files.
#include "chaac/checkpoint.h"

#include "io/io.h"

#include <stdlib.h>
#include <string.h>

static const char checkpoint_version_key[] = "chaac.checkpoint", checkpoint_crc_key[] = "chaac.crc32";
enum { CHECKPOINT_VERSION = 1 };

typedef struct {
    char *name; // "part/name", ours
    ch_tensor *tensor;
} checkpoint_entry;

typedef struct {
    char *key, *value; // ours
} checkpoint_pair;

struct ch_checkpoint {
    ch_safetensors *file; // opened; NULL: to be saved
    char *path;           // of the file, for messages
    checkpoint_entry *entries;
    checkpoint_pair *pairs;
    int n, cap, n_pairs, cap_pairs;
    bool sorted;
};

// ---- life
ch_status ch_checkpoint_create(ch_checkpoint **out_checkpoint) {
    CH_TRY(ch__io_place("checkpoint_create", out_checkpoint));
    *out_checkpoint = ch__calloc(1, sizeof **out_checkpoint);
    return *out_checkpoint ? CH_OK : ch__fail_oom("checkpoint_create");
}

void ch_checkpoint_close(ch_checkpoint *c) {
    if (!c) return;
    for (int i = 0; i < c->n; i++) {
        ch__free(c->entries[i].name);
        ch_release(c->entries[i].tensor);
    }
    for (int i = 0; i < c->n_pairs; i++) {
        ch__free(c->pairs[i].key);
        ch__free(c->pairs[i].value);
    }
    ch__free(c->entries);
    ch__free(c->pairs);
    ch__free(c->path);
    ch_safetensors_close(c->file);
    ch__free(c);
}

static bool checkpoint_grow(void **data, int n, int *cap, size_t size) {
    if (n < *cap) return true;
    int more = *cap ? *cap * 2 : 16;
    void *grown = *cap < INT32_MAX / 4 ? ch__realloc(*data, (size_t)more * size) : NULL;
    if (!grown) return false;
    *data = grown;
    *cap = more;
    return true;
}

// "part/name"; NULL when memory ends.
static char *checkpoint_join(const char *part, const char *name) {
    size_t n = strlen(part), m = strlen(name);
    char *whole = ch__alloc(n + m + 2);
    if (!whole) return NULL;
    memcpy(whole, part, n);
    whole[n] = '/';
    memcpy(whole + n + 1, name, m + 1);
    return whole;
}

// ---- putting
static ch_status checkpoint_writable(const char *what, const ch_checkpoint *c) {
    if (!c) return ch__fail(CH__E_argument, "%s: the checkpoint is NULL — give one", what);
    if (!c->file) return CH_OK;
    return ch__fail(CH__E_argument, "%s: %s: a checkpoint that was opened — make a new one with checkpoint_create",
                    what, c->path);
}

static ch_status checkpoint_check_name(const char *part, const char *name) {
    char text[CH__IO_NAME];
    if (!part || !name) return ch__fail(CH__E_argument, "checkpoint_put: part or name is NULL — give both");
    size_t n = strlen(part), m = strlen(name);
    if (n == 0 || strchr(part, '/') || ch__utf8_wrong(part, n) < n)
        return ch__fail(CH__E_argument, "checkpoint_put: part %s — UTF-8 without a slash is allowed",
                        ch__io_name_text(text, part, n));
    if (m == 0 || ch__utf8_wrong(name, m) < m)
        return ch__fail(CH__E_argument, "checkpoint_put: name %s — UTF-8 of at least one byte is allowed",
                        ch__io_name_text(text, name, m));
    return CH_OK;
}

ch_status ch_checkpoint_put(ch_checkpoint *c, const char *part, const char *name, ch_tensor *t) {
    CH_TRY(checkpoint_writable("checkpoint_put", c));
    CH_TRY(checkpoint_check_name(part, name));
    CH_TRY(ch_realize(t));
    void *entries = c->entries;
    char *whole = checkpoint_grow(&entries, c->n, &c->cap, sizeof *c->entries) ? checkpoint_join(part, name) : NULL;
    c->entries = entries;
    if (!whole) return ch__fail_oom("checkpoint_put");
    c->entries[c->n++] = (checkpoint_entry){.name = whole, .tensor = ch_keep(t)};
    c->sorted = false;
    return CH_OK;
}

static ch_status checkpoint_put_pair(ch_checkpoint *c, const char *key, const char *value) {
    void *pairs = c->pairs;
    bool room = checkpoint_grow(&pairs, c->n_pairs, &c->cap_pairs, sizeof *c->pairs);
    c->pairs = pairs;
    char *k = room ? ch__strdup(key) : NULL, *v = room ? ch__strdup(value) : NULL;
    if (!k || !v) {
        ch__free(k);
        ch__free(v);
        return ch__fail_oom("checkpoint_put");
    }
    c->pairs[c->n_pairs++] = (checkpoint_pair){.key = k, .value = v};
    c->sorted = false;
    return CH_OK;
}

ch_status ch_checkpoint_put_text(ch_checkpoint *c, const char *key, const char *value) {
    char text[CH__IO_NAME];
    CH_TRY(checkpoint_writable("checkpoint_put", c));
    if (!key || !value) return ch__fail(CH__E_argument, "checkpoint_put: key or value is NULL — give both");
    size_t n = strlen(key), m = strlen(value);
    if (strncmp(key, "chaac.", 6) == 0 || ch__utf8_wrong(key, n) < n || ch__utf8_wrong(value, m) < m)
        return ch__fail(CH__E_argument,
                        "checkpoint_put: key %s — UTF-8 (its value too) that does not begin with \"chaac.\" is allowed",
                        ch__io_name_text(text, key, n));
    return checkpoint_put_pair(c, key, value);
}

ch_status ch_checkpoint_put_i64(ch_checkpoint *c, const char *key, int64_t value) {
    char digits[CH__NUM_CHARS];
    digits[ch__format_i64(digits, value)] = '\0';
    return ch_checkpoint_put_text(c, key, digits);
}

// ---- what both sides sum up
static int checkpoint_by_name(const void *a, const void *b) {
    return strcmp(((const checkpoint_entry *)a)->name, ((const checkpoint_entry *)b)->name);
}

static int checkpoint_by_key(const void *a, const void *b) {
    return strcmp(((const checkpoint_pair *)a)->key, ((const checkpoint_pair *)b)->key);
}

static ch_status checkpoint_sort(ch_checkpoint *c) {
    char text[CH__IO_NAME];
    if (c->n > 1) qsort(c->entries, (size_t)c->n, sizeof *c->entries, checkpoint_by_name);
    if (c->n_pairs > 1) qsort(c->pairs, (size_t)c->n_pairs, sizeof *c->pairs, checkpoint_by_key);
    c->sorted = true;
    for (int i = 1; i < c->n; i++)
        if (strcmp(c->entries[i - 1].name, c->entries[i].name) == 0)
            return ch__fail(CH__E_duplicate_name, "checkpoint_save: tensor %s was put twice — put each once",
                            ch__io_name_text(text, c->entries[i].name, strlen(c->entries[i].name)));
    for (int i = 1; i < c->n_pairs; i++)
        if (strcmp(c->pairs[i - 1].key, c->pairs[i].key) == 0)
            return ch__fail(CH__E_duplicate_name, "checkpoint_save: key %s was put twice — put each once",
                            ch__io_name_text(text, c->pairs[i].key, strlen(c->pairs[i].key)));
    return CH_OK;
}

static uint32_t checkpoint_sum_text(uint32_t crc, const char *s) { return ch__crc32(crc, s, strlen(s) + 1); }

static ch_status checkpoint_sum(const ch_checkpoint *c, char out[16]) {
    uint32_t crc = 0;
    for (int i = 0; i < c->n_pairs; i++) {
        if (strcmp(c->pairs[i].key, checkpoint_crc_key) == 0) continue;
        crc = checkpoint_sum_text(checkpoint_sum_text(crc, c->pairs[i].key), c->pairs[i].value);
    }
    for (int i = 0; i < c->n; i++) {
        ch_tensor *t = c->entries[i].tensor;
        const void *data = ch_data(t);
        int64_t head[CH__MAX_RANK + 2] = {(int64_t)ch_tensor_dtype(t), ch_tensor_rank(t)};
        uint64_t bytes = 0;
        for (int k = 0; k < ch_tensor_rank(t); k++) head[2 + k] = ch_tensor_dim(t, k);
        if (!ch__io_bytes(ch_tensor_dtype(t), ch_tensor_rank(t), head + 2, &bytes) || (!data && bytes > 0))
            return ch__fail(CH__E_dim_overflow, "checkpoint: tensor %s: its data cannot be had", c->entries[i].name);
        crc = checkpoint_sum_text(crc, c->entries[i].name);
        crc = ch__crc32(crc, head, (size_t)(2 + head[1]) * sizeof *head);
        crc = ch__crc32(crc, data, bytes);
    }
    snprintf(out, 16, "%08x", (unsigned)crc);
    return CH_OK;
}

// ---- saving
static ch_status checkpoint_write(const ch_checkpoint *c, const char *path, const char *crc) {
    size_t n = (size_t)c->n + 1, m = (size_t)c->n_pairs + 2;
    const char **names = ch__calloc(n, sizeof *names), **keys = ch__calloc(m, sizeof *keys),
               **values = ch__calloc(m, sizeof *values);
    ch_tensor **tensors = ch__calloc(n, sizeof(ch_tensor *));
    ch_status s = names && keys && values && tensors ? CH_OK : ch__fail_oom("checkpoint_save");
    for (int i = 0; s == CH_OK && i < c->n; i++) {
        names[i] = c->entries[i].name;
        tensors[i] = c->entries[i].tensor;
    }
    for (int i = 0; s == CH_OK && i < c->n_pairs; i++) {
        keys[i] = c->pairs[i].key;
        values[i] = c->pairs[i].value;
    }
    if (s == CH_OK) {
        keys[c->n_pairs] = checkpoint_crc_key;
        values[c->n_pairs] = crc;
        s = ch_safetensors_save(path, c->n, names, tensors, c->n_pairs + 1, keys, values);
    }
    ch__free(names);
    ch__free(keys);
    ch__free(values);
    ch__free(tensors);
    return s;
}

ch_status ch_checkpoint_save(const ch_checkpoint *c, const char *path) {
    char crc[16], version[16];
    CH_TRY(checkpoint_writable("checkpoint_save", c));
    if (!path) return ch__fail(CH__E_argument, "checkpoint_save: the path is NULL — give one");
    ch_checkpoint *w = (ch_checkpoint *)(uintptr_t)c; // sorting changes nothing that can be seen
    snprintf(version, sizeof version, "%d", CHECKPOINT_VERSION);
    bool have = false;
    for (int i = 0; i < w->n_pairs && !have; i++) have = strcmp(w->pairs[i].key, checkpoint_version_key) == 0;
    if (!have) CH_TRY(checkpoint_put_pair(w, checkpoint_version_key, version));
    if (!w->sorted) {
        ch_status s = checkpoint_sort(w);
        if (s != CH_OK) w->sorted = false;
        CH_TRY(s);
    }
    CH_TRY(checkpoint_sum(w, crc));
    return checkpoint_write(w, path, crc);
}

// ---- opening
static ch_status checkpoint_check_version(const ch_checkpoint *c) {
    const char *version = ch_safetensors_metadata(c->file, checkpoint_version_key);
    char text[CH__IO_NAME];
    int64_t v = 0;
    bool overflow = false;
    if (!version)
        return ch__fail(
            CH__E_file_format,
            "checkpoint_open: %s: its metadata have no \"%s\" — it is a safetensors file, and no checkpoint", c->path,
            checkpoint_version_key);
    const char *end = version + strlen(version);
    if (ch__parse_i64(version, end, &v, &overflow) != end || overflow || v < 1)
        return ch__fail(CH__E_file_format, "checkpoint_open: %s: \"%s\" is %s — it is damaged", c->path,
                        checkpoint_version_key, ch__io_name_text(text, version, strlen(version)));
    if (v > CHECKPOINT_VERSION)
        return ch__fail(CH__E_newer_version, "checkpoint_open: %s: version %" PRId64 " of the form — up to %d is read",
                        c->path, v, CHECKPOINT_VERSION);
    return CH_OK;
}

static ch_status checkpoint_take_all(ch_checkpoint *c) {
    for (int i = 0; ch_safetensors_metadata_key(c->file, i); i++) {
        const char *key = ch_safetensors_metadata_key(c->file, i);
        CH_TRY(checkpoint_put_pair(c, key, ch_safetensors_metadata(c->file, key)));
    }
    for (int i = 0; i < ch_safetensors_count(c->file); i++) {
        ch_tensor *t = NULL;
        void *entries = c->entries;
        bool room = checkpoint_grow(&entries, c->n, &c->cap, sizeof *c->entries);
        c->entries = entries;
        char *name = room ? ch__strdup(ch_safetensors_name(c->file, i)) : NULL;
        if (!name) return ch__fail_oom("checkpoint_open");
        c->entries[c->n++] = (checkpoint_entry){.name = name};
        CH_TRY(ch_safetensors_view(c->file, name, &t));
        c->entries[c->n - 1].tensor = t;
    }
    return checkpoint_sort(c);
}

static ch_status checkpoint_verify(ch_checkpoint *c) {
    CH_TRY(checkpoint_check_version(c));
    CH_TRY(checkpoint_take_all(c));
    char crc[16];
    CH_TRY(checkpoint_sum(c, crc));
    const char *said = ch_safetensors_metadata(c->file, checkpoint_crc_key);
    if (said && strcmp(said, crc) == 0) return CH_OK;
    char text[CH__IO_NAME];
    return ch__fail(CH__E_file_format, "checkpoint_open: %s: its checksum is %s, it says %s — it is damaged", c->path,
                    crc, said ? ch__io_name_text(text, said, strlen(said)) : "none");
}

ch_status ch_checkpoint_open(const char *path, ch_checkpoint **out_checkpoint) {
    CH_TRY(ch__io_place("checkpoint_open", out_checkpoint));
    *out_checkpoint = NULL;
    if (!path) return ch__fail(CH__E_argument, "checkpoint_open: the path is NULL — give one");
    ch_checkpoint *c = NULL;
    CH_TRY(ch_checkpoint_create(&c));
    c->path = ch__strdup(path);
    ch_status s = c->path ? ch_safetensors_open(path, &c->file) : ch__fail_oom("checkpoint_open");
    if (s == CH_OK) s = checkpoint_verify(c);
    if (s == CH_OK)
        *out_checkpoint = c;
    else
        ch_checkpoint_close(c);
    return s;
}

// ---- looking
int ch_checkpoint_count(const ch_checkpoint *c) { return c->n; }

const char *ch_checkpoint_name(const ch_checkpoint *c, int i) {
    if (!c->sorted)
        (void)checkpoint_sort((ch_checkpoint *)(uintptr_t)c); // twice the same name is said when it is saved
    return i >= 0 && i < c->n ? c->entries[i].name : NULL;
}

const char *ch_checkpoint_text(const ch_checkpoint *c, const char *key) {
    for (int i = 0; c && key && i < c->n_pairs; i++)
        if (strcmp(c->pairs[i].key, key) == 0) return c->pairs[i].value;
    return NULL;
}

ch_status ch_checkpoint_get_i64(const ch_checkpoint *c, const char *key, int64_t *out_value) {
    char text[CH__IO_NAME], said[CH__IO_NAME];
    if (!c || !key || !out_value)
        return ch__fail(CH__E_argument,
                        "checkpoint_get: checkpoint, key and a place for the number are needed — one is "
                        "NULL");
    const char *value = ch_checkpoint_text(c, key), *end = value ? value + strlen(value) : NULL;
    bool overflow = false;
    ch__io_name_text(text, key, strlen(key));
    if (!value)
        return ch__fail(CH__E_unknown_name, "checkpoint_get: %s: no key %s", c->path ? c->path : "a new checkpoint",
                        text);
    if (end > value && ch__parse_i64(value, end, out_value, &overflow) == end && !overflow) return CH_OK;
    return ch__fail(CH__E_file_format, "checkpoint_get: %s: key %s is %s — that is no whole number of 64 bits",
                    c->path ? c->path : "a new checkpoint", text, ch__io_name_text(said, value, strlen(value)));
}

static ch_tensor *checkpoint_find(const ch_checkpoint *c, const char *part, const char *name) {
    size_t n = strlen(part);
    for (int i = 0; i < c->n; i++) {
        const char *whole = c->entries[i].name;
        if (strncmp(whole, part, n) == 0 && whole[n] == '/' && strcmp(whole + n + 1, name) == 0)
            return c->entries[i].tensor;
    }
    return NULL;
}

ch_status ch_checkpoint_get(ch_checkpoint *c, const char *part, const char *name, ch_tensor **out_tensor) {
    char text[CH__IO_NAME], in[CH__IO_NAME];
    if (!c || !part || !name)
        return ch__fail(CH__E_argument, "checkpoint_get: checkpoint, part and name are needed — one is NULL");
    CH_TRY(ch__io_place("checkpoint_get", out_tensor));
    *out_tensor = NULL;
    if (!checkpoint_find(c, part, name))
        return ch__fail(CH__E_unknown_name,
                        "checkpoint_get: %s: no tensor %s in part %s — checkpoint_match lists what is "
                        "missing",
                        c->path ? c->path : "a new checkpoint", ch__io_name_text(text, name, strlen(name)),
                        ch__io_name_text(in, part, strlen(part)));
    if (!c->file) {
        *out_tensor = ch_keep(checkpoint_find(c, part, name));
        return CH_OK;
    }
    char *whole = checkpoint_join(part, name);
    if (!whole) return ch__fail_oom("checkpoint_get");
    ch_status s = ch_safetensors_read(c->file, whole, out_tensor); // a copy: it may be written, the file replaced
    ch__free(whole);
    return s;
}

// ---- matching
typedef struct {
    char text[1600];
    size_t n;
    int more;
} checkpoint_list;

static void checkpoint_note(checkpoint_list *l, const char *kind, const char *part, const char *name,
                            const char *detail) {
    char quoted[CH__IO_NAME], line[700];
    int n = snprintf(line, sizeof line, "%s%s %s/%s%s", l->n > 0 || l->more > 0 ? "; " : "", kind, part,
                     ch__io_name_text(quoted, name, strlen(name)), detail);
    if (n < 0 || (size_t)n >= sizeof l->text - l->n || l->more > 0) {
        l->more++;
        return;
    }
    memcpy(l->text + l->n, line, (size_t)n + 1);
    l->n += (size_t)n;
}

static void checkpoint_compare(const ch_checkpoint *c, checkpoint_list *l, const char *part, const char *name,
                               const ch_tensor *like) {
    ch_tensor *there = checkpoint_find(c, part, name);
    char want[200], got[200], detail[500];
    if (!there) {
        checkpoint_note(l, "missing", part, name, "");
        return;
    }
    ch_tensor_type(like, want, sizeof want);
    ch_tensor_type(there, got, sizeof got);
    snprintf(detail, sizeof detail, " is %s, wanted is %s", got, want);
    if (strcmp(want, got) != 0) checkpoint_note(l, "other type:", part, name, detail);
}

static int checkpoint_by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

ch_status ch_checkpoint_match(const ch_checkpoint *c, const char *part, int n, const char *const *names,
                              ch_tensor *const *like) {
    if (!c || !part || n < 0 || (n > 0 && (!names || !like)))
        return ch__fail(CH__E_argument,
                        "checkpoint_match: checkpoint, part, names and tensors are needed — one is NULL");
    for (int i = 0; i < n; i++) {
        if (!names[i]) return ch__fail(CH__E_argument, "checkpoint_match: name %d is NULL — give a string", i);
        CH_TRY(ch_check(like[i]));
    }
    const char **sorted = ch__calloc((size_t)n + 1, sizeof *sorted);
    if (!sorted) return ch__fail_oom("checkpoint_match");
    if (n > 0) memcpy(sorted, names, (size_t)n * sizeof *sorted);
    if (n > 1) qsort(sorted, (size_t)n, sizeof *sorted, checkpoint_by_text);
    checkpoint_list l = {.n = 0};
    size_t length = strlen(part);
    for (int i = 0; i < n; i++) checkpoint_compare(c, &l, part, names[i], like[i]);
    for (int i = 0; i < c->n; i++) {
        const char *whole = c->entries[i].name;
        if (strncmp(whole, part, length) != 0 || whole[length] != '/') continue;
        const char *name = whole + length + 1;
        if (n == 0 || !bsearch(&name, sorted, (size_t)n, sizeof *sorted, checkpoint_by_text))
            checkpoint_note(&l, "extra", part, name, "");
    }
    ch__free(sorted);
    if (l.n == 0) return CH_OK;
    char more[40] = "";
    if (l.more > 0) snprintf(more, sizeof more, "; and %d more", l.more);
    return ch__fail(CH__E_no_param, "checkpoint: %s does not fit: %s%s", c->path ? c->path : "a new checkpoint", l.text,
                    more);
}
