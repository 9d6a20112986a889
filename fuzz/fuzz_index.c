// SPDX-License-Identifier: Apache-2.0
// fuzz_index.c - the index of a model in several safetensors files, beside two good files: opening it never does more
// than fail with a sentence, and what is opened is found by every name that it lists.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char folder[] = "/tmp/chaac-fuzz-XXXXXX";
static char paths[3][64];

static void clean(void) {
    for (int i = 0; i < 3; i++) unlink(paths[i]);
    rmdir(folder);
}

static void begin(void) {
    if (paths[0][0]) return;
    if (!mkdtemp(folder)) abort();
    static const char *const files[] = {"a", "b", "x.json"};
    for (int i = 0; i < 3; i++) snprintf(paths[i], sizeof paths[i], "%s/%s", folder, files[i]);
    ch_tensor *t[] = {ch_ones(CH_F32, 1, (int64_t[]){3}), ch_zeros(CH_I8, 0, NULL)};
    static const char *const names[] = {"x", "y"}, *const key = "tied", *const value = "x";
    if (ch_safetensors_save(paths[0], 2, names, t, 1, &key, &value) != CH_OK) abort();
    if (ch_safetensors_save(paths[1], 1, &key, t, 0, NULL, NULL) != CH_OK) abort();
    atexit(clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    begin();
    FILE *file = fopen(paths[2], "wb");
    if (!file || fwrite(data, 1, n, file) != n || fclose(file) != 0) abort();
    ch_safetensors *f = NULL;
    if (ch_safetensors_open(paths[2], &f) == CH_OK) {
        for (int i = 0; i < ch_safetensors_count(f); i++) {
            ch_tensor *t = NULL;
            if (ch_safetensors_find(f, ch_safetensors_name(f, i)) != i) abort();
            if (ch_safetensors_read(f, ch_safetensors_name(f, i), &t) != CH_OK) abort();
            ch_release(t);
        }
        for (int i = 0; ch_safetensors_metadata_key(f, i); i++)
            if (!ch_safetensors_metadata(f, ch_safetensors_metadata_key(f, i))) abort();
    } else if (f || ch_error_message()[0] == 0) {
        abort();
    }
    ch_safetensors_close(f);
    ch_thread_end();
    return 0;
}
