// SPDX-License-Identifier: Apache-2.0
// safetensors.h - an open safetensors file, or several under one index.
#ifndef CHAAC_IO_SAFETENSORS_H
#define CHAAC_IO_SAFETENSORS_H

#include "io/io.h"

typedef struct ch__safetensors_entry {
    const char *name;
    const int64_t *dims;
    uint64_t begin, end; // in the data
    int64_t position;    // in the header: decides between tensors without bytes
    ch_dtype dtype;
    int rank;
    const ch_safetensors *home; // the file that holds the data
} ch__safetensors_entry;

typedef struct ch__safetensors_pair {
    const char *key, *value;
    int64_t position; // in the header
} ch__safetensors_pair;

struct ch_safetensors {
    ch__source source;    // an index: only its name
    char *name;           // of the source, ours
    ch__mapping *mapping; // of a file, or NULL
    ch__arena *arena;     // what the header says
    uint64_t data_at;     // where the data begins in the source
    int64_t n, n_meta;
    ch__safetensors_entry *entries; // by offsets; an index: by files, then offsets
    int64_t *by_name;               // indices into entries, sorted by name
    ch__safetensors_pair *meta;     // in the order of the header
    int64_t *by_key;
    ch_safetensors **shards; // of an index: the files, opened
    int64_t n_shards;
};

// An empty one of a source, which is taken over also on failure.
ch_status ch__safetensors_create(ch__source *source, ch_safetensors **out);
// The positions of n names in order of the names, in the arena; two that are equal raise. pairs is sorted.
int64_t *ch__safetensors_sort(const ch__source *s, ch__arena *a, ch__safetensors_pair *pairs, int64_t n,
                              const char *kind);
// Sets by_name and by_key from entries and meta; raises.
void ch__safetensors_names(ch_safetensors *f, ch__arena *a);
// -1: none; without looking at ties.
int64_t ch__safetensors_entry_find(const ch_safetensors *f, const char *name);
ch_status ch__safetensors_open_file(const char *path, ch_safetensors **out);
// safetensors_index.c
ch_status ch__safetensors_open_index(const char *path, ch_safetensors **out);

#endif
