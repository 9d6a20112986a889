// SPDX-License-Identifier: Apache-2.0
// fuzz_checkpoint.c - checkpoints: opening never does more than fail with a sentence; every tensor of what is opened is
// there under its name.
//
// A checksum keeps a fuzzer out of what lies behind it, so the target puts the right one into a file that has one: it
// looks for "chaac.crc32":"........" and tries again with what the refusal says it should be.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chaac/chaac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char path[64];

static void clean(void) { unlink(path); }

static void spill(const uint8_t *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0) abort();
}

// Mends the checksum of a copy; NULL when there is none to mend.
static uint8_t *mended(const uint8_t *data, size_t n) {
    static const char mark[] = "\"chaac.crc32\":\"", says[] = "its checksum is ";
    const char *right = strstr(ch_error_message(), says);
    const size_t m = sizeof mark - 1;
    for (size_t i = 0; right && n >= m + 8 && i <= n - m - 8; i++)
        if (memcmp(data + i, mark, m) == 0) {
            uint8_t *copy = malloc(n);
            if (!copy) abort();
            memcpy(copy, data, n);
            memcpy(copy + i + m, right + sizeof says - 1, 8);
            return copy;
        }
    return NULL;
}

static void look(ch_checkpoint *c) {
    for (int i = 0; i < ch_checkpoint_count(c); i++) {
        char part[4096];
        ch_tensor *t = NULL;
        const char *name = ch_checkpoint_name(c, i), *slash = strchr(name, '/');
        if (!slash || (size_t)(slash - name) >= sizeof part) continue;
        memcpy(part, name, (size_t)(slash - name));
        part[slash - name] = '\0';
        if (ch_checkpoint_get(c, part, slash + 1, &t) != CH_OK) abort();
        if (!ch_is_realized(t)) abort();
        ch_release(t);
    }
    int64_t step;
    if (ch_checkpoint_get_i64(c, "step", &step) != CH_OK && ch_error_message()[0] == 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (!path[0]) {
        snprintf(path, sizeof path, "/tmp/chaac-fuzz-%ld.safetensors", (long)getpid());
        atexit(clean);
    }
    ch_checkpoint *c = NULL;
    spill(data, n);
    ch_status s = ch_checkpoint_open(path, &c);
    uint8_t *copy = s == CH_OK ? NULL : mended(data, n);
    if (copy) {
        spill(copy, n);
        s = ch_checkpoint_open(path, &c);
        free(copy);
    }
    if (s == CH_OK)
        look(c);
    else if (c || ch_error_message()[0] == 0)
        abort();
    ch_checkpoint_close(c);
    ch_thread_end();
    return 0;
}
