// SPDX-License-Identifier: Apache-2.0
// io.h - tensors and files: npy, safetensors, idx.
//
// Readers treat files as hostile: every size and offset is checked before it is used, nothing is allocated because a
// header says so beyond what the file holds. Writers write beside and rename: the old file or the new one, never half.
//
// ```c
// #include <chaac/chaac.h>
// #include <stdio.h>
// int main(void) {
//     ch_tensor *w = ch_from_f32((float[]){1, 2, 3, 4}, 2, (int64_t[]){2, 2}), *back = NULL;
//     ch_safetensors *st = NULL;
//     if (ch_safetensors_save("w.safetensors", 1, (const char *[]){"w"}, &w, 0, NULL, NULL) != CH_OK ||
//         ch_safetensors_open("w.safetensors", &st) != CH_OK || ch_safetensors_read(st, "w", &back) != CH_OK) return 1;
//     ch_print(back, stdout);
//     ch_safetensors_close(st);
//     ch_release(back);
//     remove("w.safetensors");
//     ch_thread_end();
//     return 0;
// }
// ```
#ifndef CHAAC_IO_H
#define CHAAC_IO_H

#include "chaac/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tensors these calls give out belong to the caller (ch_release).

// ---- NumPy's npy, versions 1 to 3, C and Fortran order, little endian; bool, integers, f16 f32 f64
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
CH_API CH_MUST_USE ch_status ch_npy_load(const char *path, ch_tensor **out_tensor);
CH_API CH_MUST_USE ch_status ch_npy_load_memory(const void *data, size_t n, const char *name, ch_tensor **out_tensor);
// Realizes. bf16 and f8 have no npy form: dtype_mismatch.
CH_API CH_MUST_USE ch_status ch_npy_save(const char *path, ch_tensor *t);

// ---- NumPy's npz: a zip archive of npy files, stored or deflated, zip64; checksums are checked
// Source: https://numpy.org/doc/stable/reference/generated/numpy.savez.html; PKWARE's APPNOTE.TXT
typedef struct ch_npz ch_npz;
// Reads and checks the archive's directory only; arrays are read one by one.
CH_API CH_MUST_USE ch_status ch_npz_open(const char *path, ch_npz **out_file);
// The same over memory, which must stay until close.
CH_API CH_MUST_USE ch_status ch_npz_open_memory(const void *data, size_t n, const char *name, ch_npz **out_file);
CH_API void ch_npz_close(ch_npz *f); // NULL is fine
// Arrays in the order of the directory, named without ".npy".
CH_API int ch_npz_count(const ch_npz *f);
CH_API const char *ch_npz_name(const ch_npz *f, int i);    // NULL when i is out of range
CH_API int ch_npz_find(const ch_npz *f, const char *name); // -1: none
CH_API CH_MUST_USE ch_status ch_npz_read(ch_npz *f, const char *name, ch_tensor **out_tensor);
// Realizes the tensors; names must be distinct. compressed 0: the bytes of numpy.savez; else deflated. Equal tensors
// give equal files.
CH_API CH_MUST_USE ch_status ch_npz_save(const char *path, int n, const char *const *names, ch_tensor *const *tensors,
                                         int compressed);

// ---- idx, plain or gzip (told by content); bytes become u8, the others i8 i16 i32 f32 f64 (big endian on disk)
// Source: the format's page by its authors (THE MNIST DATABASE).
CH_API CH_MUST_USE ch_status ch_idx_load(const char *path, ch_tensor **out_tensor);
CH_API CH_MUST_USE ch_status ch_idx_load_memory(const void *data, size_t n, const char *name, ch_tensor **out_tensor);

// ---- raw elements, one behind the other, little endian: numpy.tofile and fromfile
// One size may be -1: what the file's size leaves for it. The file must be exactly as large as its sizes say.
CH_API CH_MUST_USE ch_status ch_raw_load(const char *path, ch_dtype dtype, int rank, const int64_t *dims,
                                         ch_tensor **out_tensor);
// Realizes; any dtype.
CH_API CH_MUST_USE ch_status ch_raw_save(const char *path, ch_tensor *t);

// ---- CSV: numbers as text, a row a line, the same in every locale
// Fields may be in RFC 4180's quotes; LF or CRLF; empty lines, comments and blanks around fields are skipped. Numbers
// are decimal or hexadecimal, inf and nan; each is rounded once (f16 and bf16: from f64). Errors name line and column.
typedef struct ch_csv ch_csv;
typedef enum ch_csv_header {
    CH_CSV_HEADER_AUTO, // the first row is one when a field of it is neither a number nor missing
    CH_CSV_HEADER_YES,
    CH_CSV_HEADER_NO
} ch_csv_header;
typedef struct ch_csv_options {
    size_t struct_size; // sizeof(ch_csv_options)
    char separator;     // 0: ','
    char comment;       // of lines to skip, where they begin with it; 0: '#'; '\n': none
    ch_csv_header header;
    ch_dtype dtype;      // bool, integers, f16, bf16, f32 or f64; 0: f64
    int missing_allowed; // 1: an empty field, NA, N/A or null is `missing`; 0: refused
    double missing;
} ch_csv_options;
// Reads all of it; options may be NULL.
CH_API CH_MUST_USE ch_status ch_csv_open(const char *path, const ch_csv_options *options, ch_csv **out_file);
CH_API CH_MUST_USE ch_status ch_csv_open_memory(const void *data, size_t n, const char *name,
                                                const ch_csv_options *options, ch_csv **out_file);
CH_API void ch_csv_close(ch_csv *c); // NULL is fine
CH_API int64_t ch_csv_rows(const ch_csv *c);
CH_API int64_t ch_csv_columns(const ch_csv *c);
CH_API const char *ch_csv_name(const ch_csv *c, int64_t i);    // of a column; NULL: none
CH_API int64_t ch_csv_find(const ch_csv *c, const char *name); // -1: none
// [rows, columns], always two axes.
CH_API CH_MUST_USE ch_status ch_csv_read(ch_csv *c, ch_tensor **out_tensor);
// Open, read, close in one, without a copy.
CH_API CH_MUST_USE ch_status ch_csv_load(const char *path, const ch_csv_options *options, ch_tensor **out_tensor);
// Realizes t of at most two axes (one: a column); names: one a column, or NULL for no header. Numbers are the shortest
// that read back to the same bits (but for the payload of NaNs).
CH_API CH_MUST_USE ch_status ch_csv_save(const char *path, const char *const *names, ch_tensor *t);

// ---- safetensors: header length (u64), JSON header, data
// Source: https://github.com/huggingface/safetensors
typedef struct ch_safetensors ch_safetensors;
// Reads and checks the header only; tensors are read one by one, straight from the file, by any number of threads. A
// path that ends in ".json" is an index of several files ("model.safetensors.index.json"): all it names are one then.
CH_API CH_MUST_USE ch_status ch_safetensors_open(const char *path, ch_safetensors **out_file);
// The same over memory, which must stay until close.
CH_API CH_MUST_USE ch_status ch_safetensors_open_memory(const void *data, size_t n, const char *name,
                                                        ch_safetensors **out_file);
CH_API void ch_safetensors_close(ch_safetensors *f); // NULL is fine
// Tensors in the order of their data in the file.
CH_API int ch_safetensors_count(const ch_safetensors *f);
CH_API const char *ch_safetensors_name(const ch_safetensors *f, int i);    // NULL when i is out of range
CH_API int ch_safetensors_find(const ch_safetensors *f, const char *name); // -1: none
CH_API ch_dtype ch_safetensors_dtype(const ch_safetensors *f, int i);
CH_API int ch_safetensors_rank(const ch_safetensors *f, int i);
CH_API const int64_t *ch_safetensors_dims(const ch_safetensors *f, int i);
// "__metadata__" by key; NULL when there is none. Keys one by one: i = 0, 1, ..., NULL after the last.
CH_API const char *ch_safetensors_metadata(const ch_safetensors *f, const char *key);
CH_API const char *ch_safetensors_metadata_key(const ch_safetensors *f, int i);
// A name that is tied to another (the metadata say "name": "name with the data") is found and read as that one.
CH_API CH_MUST_USE ch_status ch_safetensors_read(ch_safetensors *f, const char *name, ch_tensor **out_tensor);
// The same without a copy: the tensor lies in the mapped file, also after close, and costs what of it is touched. The
// file must not be changed in place or cut meanwhile; replacing it (as ch_safetensors_save does) is fine. What is not
// aligned to its elements, and what was opened from memory, is copied.
CH_API CH_MUST_USE ch_status ch_safetensors_view(ch_safetensors *f, const char *name, ch_tensor **out_tensor);
// Realizes the tensors; names must be distinct. meta_keys and meta_values may be NULL when n_meta is 0. The header is
// padded with spaces so that data begins at a multiple of 8; tensors are written in decreasing element size, then by
// name.
CH_API CH_MUST_USE ch_status ch_safetensors_save(const char *path, int n, const char *const *names,
                                                 ch_tensor *const *tensors, int n_meta, const char *const *meta_keys,
                                                 const char *const *meta_values);
typedef struct ch_safetensors_options {
    size_t struct_size; // sizeof(ch_safetensors_options)
    int n_meta;
    const char *const *meta_keys, *const *meta_values;
    int tie;            // 1: a tensor given under several names is written once, under the first in order of bytes
    int64_t file_bytes; // > 0: as soon as a file would get more data, the next is begun. Of "m.safetensors" come
                        // "m-00001-of-00002.safetensors", ..., and "m.safetensors.index.json"; of few data one file
} ch_safetensors_options;
// Saving with more to say; options may be NULL. Each file is replaced by itself, the index last.
CH_API CH_MUST_USE ch_status ch_safetensors_save_with(const ch_safetensors_options *options, const char *path, int n,
                                                      const char *const *names, ch_tensor *const *tensors);

#ifdef __cplusplus
}
#endif
#endif
