// SPDX-License-Identifier: Apache-2.0
// safetensors_index.c - a model in several safetensors files, under an index.
//
//     {"metadata": {"total_size": 123, ...}, "weight_map": {"name": "model-00001-of-00002.safetensors", ...}}
//
// The index decides: what it names must be in the file it says, or be tied there to something that is; what it does
// not name is left out. Files are opened once each, in order of their names, and lie in the folder of the index: a name
// with a slash is refused, so that an index reaches nothing else. total_size is not believed (some in use are wrong).
// Source: https://huggingface.co/docs/safetensors (sharded checkpoints as transformers and huggingface_hub write them)
#include "io/safetensors.h"

#include <stdlib.h>
#include <string.h>

#define INDEX_MAX 100000000 // bytes, as for headers

typedef struct {
    const char *name, *file;
    int64_t shard;
} index_row;

typedef struct {
    ch_safetensors *f;
    char *text;
    size_t n;
    ch__json json;
    CH_VEC(index_row) rows;
    CH_VEC(ch__safetensors_pair) meta;
    CH_VEC(const char *) files; // sorted, distinct
} index_parse;

// ---- the text; everything here raises
// Text as it is, anything else as it stands there.
static const char *index_value(ch__json *j) {
    if (ch__json_peek(j) == '"') return ch__json_string(j);
    const char *begin = j->p;
    ch__json_skip(j);
    return ch__arena_strndup(j->arena, begin, (size_t)(j->p - begin));
}

static void index_metadata(index_parse *p) {
    ch__json *j = &p->json;
    if (ch__json_null(j)) return;
    ch__json_expect(j, '{');
    for (bool first = true; ch__json_more(j, '}', first); first = false) {
        ch__safetensors_pair pair = {.position = p->meta.n};
        pair.key = ch__json_string(j);
        ch__json_expect(j, ':');
        pair.value = index_value(j);
        CH_PUSH(j->arena, &p->meta, pair);
    }
}

static void index_check_file(const index_parse *p, const index_row *row) {
    char text[CH__IO_NAME], file[CH__IO_NAME];
    const char *f = row->file;
    if (f[0] && !strchr(f, '/') && !strchr(f, '\\') && strcmp(f, ".") != 0 && strcmp(f, "..") != 0) return;
    ch__raise(CH__E_file_format,
              "%s: %s: tensor %s is in file %s — the name of a file in the folder of the index is "
              "allowed",
              p->f->source.what, p->f->source.name, ch__io_name_text(text, row->name, strlen(row->name)),
              ch__io_name_text(file, f, strlen(f)));
}

static void index_weight_map(index_parse *p) {
    ch__json *j = &p->json;
    ch__json_expect(j, '{');
    for (bool first = true; ch__json_more(j, '}', first); first = false) {
        index_row row = {.name = ch__json_string(j)};
        ch__json_expect(j, ':');
        row.file = ch__json_string(j);
        index_check_file(p, &row);
        CH_PUSH(j->arena, &p->rows, row);
    }
}

static void index_file_text(index_parse *p) {
    ch__json *j = &p->json;
    bool meta = false, map = false;
    ch__json_expect(j, '{');
    for (bool first = true; ch__json_more(j, '}', first); first = false) {
        const char *key = ch__json_string(j);
        bool *have = strcmp(key, "metadata") == 0 ? &meta : strcmp(key, "weight_map") == 0 ? &map : NULL;
        ch__json_expect(j, ':');
        if (have && *have)
            ch__raise(CH__E_file_format, "%s: %s: \"%s\" twice in the index — once is allowed", j->source->what,
                      j->source->name, key);
        if (have == &meta)
            index_metadata(p);
        else if (have == &map)
            index_weight_map(p);
        else
            ch__json_skip(j);
        if (have) *have = true;
    }
    ch__json_end(j);
    if (!map)
        ch__raise(CH__E_file_format, "%s: %s: no \"weight_map\" — it is no index of safetensors files", j->source->what,
                  j->source->name);
}

static int index_by_file(const void *a, const void *b) {
    return strcmp(((const index_row *)a)->file, ((const index_row *)b)->file);
}

static void index_parse_all(void *arg) {
    index_parse *p = arg;
    ch__arena *a = ch__arena_create();
    p->json = (ch__json){
        .arena = a, .source = &p->f->source, .start = p->text, .p = p->text, .end = p->text + p->n, .part = "index"};
    index_file_text(p);
    if (p->rows.n > INT32_MAX || p->meta.n > INT32_MAX) // counts are int in the interface
        ch__raise(CH__E_unsupported, "%s: %s: more than %d names", p->f->source.what, p->f->source.name, INT32_MAX);
    if (p->rows.n > 1) qsort(p->rows.data, (size_t)p->rows.n, sizeof *p->rows.data, index_by_file);
    for (int64_t i = 0; i < p->rows.n; i++) {
        index_row *row = &p->rows.data[i];
        if (i == 0 || strcmp(row->file, p->rows.data[i - 1].file) != 0) CH_PUSH(a, &p->files, row->file);
        row->shard = p->files.n - 1;
    }
    ch__arena_keep(a);
    p->f->arena = a;
}

// ---- the files
static ch_status index_open_files(index_parse *p, const char *path) {
    ch_safetensors *f = p->f;
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    f->shards = ch__calloc((size_t)p->files.n + 1, sizeof(ch_safetensors *));
    if (!f->shards) return ch__fail_oom(f->source.what);
    for (int64_t i = 0; i < p->files.n; i++) {
        size_t n = strlen(p->files.data[i]);
        char *whole = ch__alloc(folder + n + 1);
        if (!whole) return ch__fail_oom(f->source.what);
        memcpy(whole, path, folder);
        memcpy(whole + folder, p->files.data[i], n + 1);
        ch_status s = ch__safetensors_open_file(whole, &f->shards[i]);
        ch__free(whole);
        CH_TRY(s);
        f->n_shards = i + 1;
    }
    return CH_OK;
}

static int by_home_and_place(const void *a, const void *b) {
    const ch__safetensors_entry *x = a, *y = b;
    return x->position < y->position ? -1 : x->position > y->position;
}

// Lists the names that are not where the index says.
CH_NORETURN static void index_missing(const index_parse *p) {
    const ch_safetensors *f = p->f;
    char list[1200] = "", text[CH__IO_NAME], file[CH__IO_NAME];
    size_t at = 0;
    int64_t missing = 0;
    for (int64_t i = 0; i < p->rows.n; i++) {
        const index_row *row = &p->rows.data[i];
        if (ch_safetensors_find(f->shards[row->shard], row->name) >= 0 || ++missing > 3) continue;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s in %s", missing > 1 ? ", " : "",
                               ch__io_name_text(text, row->name, strlen(row->name)),
                               ch__io_name_text(file, row->file, strlen(row->file)));
    }
    if (missing > 3) snprintf(list + at, sizeof list - at, " and %" PRId64 " more", missing - 3);
    ch__raise(CH__E_file_format, "%s: %s: the index names %" PRId64 " tensors that are not there: %s", f->source.what,
              f->source.name, missing, list);
}

static void index_merge(void *arg) {
    index_parse *p = arg;
    ch_safetensors *f = p->f;
    ch__arena *a = f->arena; // goes with f, however this ends
    CH_VEC(ch__safetensors_entry) entries = {0};
    for (int64_t i = 0; i < p->rows.n; i++) {
        const index_row *row = &p->rows.data[i];
        const ch_safetensors *shard = f->shards[row->shard];
        int64_t own = ch__safetensors_entry_find(shard, row->name);
        const char *kept = own < 0 ? ch_safetensors_metadata(shard, row->name) : NULL;
        if (own < 0 && (!kept || ch__safetensors_entry_find(shard, kept) < 0)) index_missing(p);
        if (own < 0) { // tied: its file's metadata say to what
            ch__safetensors_pair tie = {.key = row->name, .value = kept, .position = p->meta.n};
            CH_PUSH(a, &p->meta, tie);
            continue;
        }
        ch__safetensors_entry e = shard->entries[own];
        e.position = row->shard << 32 | own; // both are below 2^31
        CH_PUSH(a, &entries, e);
    }
    if (entries.n > 1) qsort(entries.data, (size_t)entries.n, sizeof *entries.data, by_home_and_place);
    f->n = entries.n;
    f->entries = entries.data;
    f->n_meta = p->meta.n;
    f->meta = p->meta.data;
    ch__safetensors_names(f, a);
}

ch_status ch__safetensors_open_index(const char *path, ch_safetensors **out) {
    ch__source source = {.what = "safetensors_open", .name = path};
    index_parse p = {0};
    CH_TRY(ch__safetensors_create(&source, &p.f));
    ch_status s = ch__file_read(path, INDEX_MAX, &p.text, &p.n);
    size_t wrong = s == CH_OK ? ch__utf8_wrong(p.text, p.n) : 0;
    if (s == CH_OK && wrong < p.n)
        s = ch__fail(CH__E_file_format, "%s: %s: byte %zu of the index is 0x%02x — it is UTF-8", source.what, path,
                     wrong, (unsigned char)p.text[wrong]);
    if (s == CH_OK) s = ch__protect(index_parse_all, &p);
    if (s == CH_OK) s = index_open_files(&p, path);
    if (s == CH_OK) s = ch__protect(index_merge, &p);
    ch__free(p.text);
    if (s == CH_OK)
        *out = p.f;
    else
        ch_safetensors_close(p.f);
    return s;
}
