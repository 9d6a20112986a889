// SPDX-License-Identifier: Apache-2.0
// source.c - bytes by position, from a file or from memory, so that each reader is written once.
#include "io/io.h"

#include <string.h>

ch_status ch__source_open(ch__source *s, const char *what, const char *path) {
    *s = (ch__source){.what = what, .name = path};
    if (!path) return ch__fail(CH__E_argument, "%s: the path is NULL — give one", what);
    CH_TRY(ch__infile_open(path, &s->file));
    s->size = ch__infile_size(s->file);
    return CH_OK;
}

ch_status ch__source_memory(ch__source *s, const char *what, const void *data, size_t n, const char *name) {
    *s = (ch__source){.what = what, .name = name ? name : "memory", .data = data, .size = n};
    if (!data && n > 0) return ch__fail(CH__E_argument, "%s: data is NULL — give %zu bytes", what, n);
    return CH_OK;
}

ch_status ch__io_place(const char *what, const void *out) {
    return out != NULL ? CH_OK : ch__fail(CH__E_argument, "%s: the place for the result is NULL — give one", what);
}

void ch__source_close(ch__source *s) {
    ch__infile_close(s->file);
    s->file = NULL;
}

ch_status ch__source_read(const ch__source *s, uint64_t offset, void *out, size_t n) {
    if (s->file) return ch__infile_read(s->file, offset, out, n);
    if (offset > s->size || n > s->size - offset)
        return ch__fail(CH__E_file_format,
                        "%s: %s: %zu bytes at %" PRIu64 " wanted, there are %" PRIu64 " — it is truncated or damaged",
                        s->what, s->name, n, offset, s->size);
    if (n > 0) memcpy(out, s->data + offset, n);
    return CH_OK;
}
