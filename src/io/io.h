// SPDX-License-Identifier: Apache-2.0
// io.h - tensors and files, inside: bytes from a file or from memory, tensors over memory, JSON headers.
//
// Readers check every number of a file against its real size before they allocate. What the compiler's arenas are
// used for here is the header of a safetensors file: parsed in one go, dropped in one go. Data lies in heap memory
// that a tensor takes over: it is read from the file straight to where it stays. Hosts are little endian, like npy
// and safetensors files.
#ifndef CHAAC_IO_INTERNAL_H
#define CHAAC_IO_INTERNAL_H

#include "base/base.h"
#include "chaac/io.h"
#include "ir/ir.h"
#include "rt/rt.h"

#include <zlib.h>

// ---------------------------------------------------------------- source.c: bytes from a file or from memory
typedef struct ch__source {
    const char *what;          // the function that reads, for messages: "npy_load"
    const char *name;          // the path, or the name given; not owned
    ch__infile *file;          // or NULL:
    const unsigned char *data; // memory
    uint64_t size;
} ch__source;
ch_status ch__io_place(const char *what, const void *out); // argument when out is NULL
ch_status ch__source_open(ch__source *s, const char *what, const char *path);
ch_status ch__source_memory(ch__source *s, const char *what, const void *data, size_t n, const char *name);
void ch__source_close(ch__source *s);
ch_status ch__source_read(const ch__source *s, uint64_t offset, void *out, size_t n); // all n bytes or an error

// ---------------------------------------------------------------- stream.c: bytes of a source one after another
typedef enum { CH__STREAM_PLAIN, CH__STREAM_GZIP, CH__STREAM_DEFLATE } ch__stream_kind;
typedef struct ch__stream {
    const char *what, *name; // for messages; the source's unless changed
    const ch__source *source;
    ch__stream_kind kind;
    uint64_t at, end;   // the next byte of the source and the first that is no longer of the stream
    uint64_t packed;    // bytes of the source
    uint64_t size;      // bytes that the stream gives; the same unless whoever began a compressed one knows better
    bool at_end, ready; // compressed: its end was seen; z is set up
    bool checked;       // keep crc, of all that was given
    uint32_t crc;
    z_stream z;
    unsigned char *buffer;
} ch__stream;
ch_status ch__stream_begin(ch__stream *s, const ch__source *source, ch__stream_kind kind, uint64_t begin, uint64_t end);
void ch__stream_end(ch__stream *s);
uint64_t ch__stream_may_hold(const ch__stream *s); // the most that the bytes of the source can become
// Up to n bytes; fewer only at the end, which must be a whole one.
ch_status ch__stream_get(ch__stream *s, void *out, size_t n, size_t *got);
ch_status ch__stream_exact(ch__stream *s, void *out, size_t n); // all n bytes or an error
void ch__zlib_hooks(z_stream *z);                               // zlib takes memory from ch__alloc
uint32_t ch__crc32(uint32_t crc, const void *data, uint64_t n);

// ---------------------------------------------------------------- npy.c: what npz shares
ch_status ch__npy_read(ch__stream *s, ch_tensor **out); // s->size bytes of npy file
typedef struct ch__npy_out {
    char header[CH__NPY_HEADER];
    size_t n; // bytes of header, a multiple of 64
    const void *data;
    uint64_t bytes;
} ch__npy_out;
// Realizes t; what and path are for messages.
ch_status ch__npy_describe(const char *what, const char *path, ch_tensor *t, ch__npy_out *out);

// ---------------------------------------------------------------- give.c: tensors over memory
// Bytes of dims[0..rank) elements; false when they do not fit in 63 bits. Sizes of 0 do not hide a product that is
// too large: such a tensor would have strides that overflow.
bool ch__io_bytes(ch_dtype dtype, int rank, const int64_t *dims, uint64_t *out);
void *ch__io_alloc(uint64_t bytes); // for ch__io_give; NULL when memory ends
// Takes data over (freed by ch__free_aligned, also when this fails) and gives a tensor that belongs to the caller.
// where is a literal. CH_BOOL elements must be checked before.
ch_status ch__io_give(const char *where, ch_dtype dtype, void *data, int rank, const int64_t *dims, ch_tensor **out);
// The same over memory of somebody else: release runs with its last use, also when this fails.
ch_status ch__io_borrow(const char *where, ch_dtype dtype, void *data, int rank, const int64_t *dims,
                        void (*release)(void *user, void *data), void *user, ch_tensor **out);
// The index of the first byte that is neither 0 nor 1; n when there is none.
size_t ch__io_bool_wrong(const void *data, size_t n);
// Text for messages: "[2,3]"; a name in quotes, control bytes and what is not UTF-8 as \xNN, long
// ones cut.
#define CH__IO_DIMS (CH__MAX_RANK * 21 + 3)
#define CH__IO_NAME 160
const char *ch__io_dims_text(char out[CH__IO_DIMS], int rank, const int64_t *dims);
const char *ch__io_name_text(char out[CH__IO_NAME], const char *name, size_t n);

// ---------------------------------------------------------------- json.c: a strict reader for headers
// Pulls values one by one; what is not there, or not JSON, raises file_format with the position. Strings are decoded
// into the arena. Only what headers need: objects, arrays, strings, unsigned integers, and skipping any value.
typedef struct ch__json {
    ch__arena *arena;
    const ch__source *source; // for messages
    const char *start, *p, *end;
    const char *part; // what the text is, for messages; NULL: "header"
} ch__json;
// The index of the first byte that breaks UTF-8; n when there is none.
size_t ch__utf8_wrong(const char *s, size_t n);
char ch__json_peek(ch__json *j);                                       // the next byte that is no blank; 0 at the end
void ch__json_expect(ch__json *j, char c);                             // skips blanks and c
bool ch__json_more(ch__json *j, char close, bool first);               // in a list: true when an element follows
const char *ch__json_string(ch__json *j);                              // NUL-terminated; \u0000 is refused
bool ch__json_null(ch__json *j);                                       // skips null if it is next
int64_t ch__json_size(ch__json *j, const char *meaning);               // an integer in 0..2^63-1
void ch__json_skip(ch__json *j);                                       // any value, at most CH__JSON_DEPTH deep
void ch__json_end(ch__json *j);                                        // nothing but blanks follows
CH_NORETURN void ch__json_fail(const ch__json *j, const char *wanted); // "found ... — wanted is allowed here"
#define CH__JSON_DEPTH 64

// ---------------------------------------------------------------- safetensors.c
// The dtypes of the format that the library has, by name; 0: none.
int ch__safetensors_dtype(const char *name);
const char *ch__safetensors_dtype_name(ch_dtype dtype); // NULL: none
extern const char ch__safetensors_dtypes[];             // all their names, for messages
#define CH__SAFETENSORS_HEADER_MAX 100000000            // bytes, the reference reader's limit

#endif
