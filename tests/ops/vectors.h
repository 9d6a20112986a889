// SPDX-License-Identifier: Apache-2.0
// vectors.h - reads the expected values made by gen_vectors.py (the format is described there, gen_formats.py, Writer).
#ifndef CHAAC_TESTS_OPS_VECTORS_H
#define CHAAC_TESTS_OPS_VECTORS_H

#include "ir/ir.h"

enum { CH__VEC_MAX = 16 }; // operands or results of a case

typedef enum { TOL_BITS, TOL_EXACT, TOL_ULP } tol_kind;
typedef struct tolerance {
    tol_kind kind; // bits: every bit; exact: NaN equals NaN; ulp: at most `ulps` apart, or `abs` in value
    int64_t ulps;
    double abs;
} tolerance;

typedef struct vec_array {
    ch_dtype dtype;
    int rank;
    int64_t dims[CH__MAX_RANK];
    int64_t n;        // elements
    const void *data; // in the file's memory; not aligned
    tolerance tol;    // results only
} vec_array;

typedef struct vec_case {
    char op[40], name[40];
    ch_dtype dtype;
    const char *text;
    size_t text_n;
    int n_in, n_out;
    vec_array in[CH__VEC_MAX], out[CH__VEC_MAX];
} vec_case;

typedef struct vec_file {
    char *data;
    size_t n, at;
    const char *path;
} vec_file;

// Both end the program with a message when the file is not what the generator writes.
void vec_open(vec_file *f, const char *path);
bool vec_next(vec_file *f, vec_case *out); // false: no more
void vec_close(vec_file *f);

#endif
