// SPDX-License-Identifier: Apache-2.0
// zip.h - zip archives as npz files use them: members stored or deflated, zip64, checked by CRC-32.
// Source: PKWARE's APPNOTE.TXT, 6.3.x
#ifndef CHAAC_IO_ZIP_H
#define CHAAC_IO_ZIP_H

#include "io/io.h"

// ---------------------------------------------------------------- zip_read.c
typedef struct ch__zip_member {
    char *name; // as it is in the directory, NUL-terminated
    uint64_t header, packed, size;
    uint64_t limit; // where the next member's header or the directory begins
    uint32_t crc;
    uint16_t flags, method;
} ch__zip_member;
typedef struct ch__zip {
    ch__source source;
    char *name;      // of the source, ours
    char *directory; // names point into it
    int64_t n;
    ch__zip_member *members; // in the order of the directory
    int64_t *by_name;        // indices, sorted by name
} ch__zip;
// source is taken over, also on failure. Reads and checks the directory.
ch_status ch__zip_open(ch__source *source, ch__zip **out);
void ch__zip_close(ch__zip *z);                           // NULL is fine
int64_t ch__zip_find(const ch__zip *z, const char *name); // -1: none
// A stream of member i; what and name are for its messages and stay until ch__zip_finish, which sees that all was read
// and that the checksum is right. ch__stream_end in any case.
ch_status ch__zip_begin(const ch__zip *z, int64_t i, const char *name, ch__stream *s);
ch_status ch__zip_finish(const ch__zip *z, int64_t i, ch__stream *s);

// ---------------------------------------------------------------- zip_write.c
typedef struct ch__zip_out ch__zip_out;
ch_status ch__zip_create(const char *what, const char *path, ch__zip_out **out);
// One member of two pieces. Members are dated 1980-01-01, so that equal contents are equal files.
ch_status ch__zip_add(ch__zip_out *z, const char *name, bool deflated, const void *head, size_t n_head,
                      const void *data, uint64_t n_data);
ch_status ch__zip_commit(ch__zip_out *z); // frees z in any case
void ch__zip_abandon(ch__zip_out *z);     // NULL is fine
// What is larger takes the zip64 form; tests lower it.
extern uint64_t ch__zip_limit;

#endif
