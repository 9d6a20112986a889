// SPDX-License-Identifier: Apache-2.0
// npy.c - what NumPy calls dtypes, and the header of an npy file, byte for byte as numpy.save writes it.
//
//     93 'NUMPY' 1 0 | u16 length of the rest | {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } blanks \n
//
// There is room for the first size to grow, and the data begin at a multiple of 64. Reading npy files is io's.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "rt/rt.h"

#include <string.h>

#define NPY_GROWTH_DIGITS 21 // numpy.lib.format's GROWTH_AXIS_MAX_DIGITS

static const struct {
    const char *descr;
    ch_dtype dtype;
} npy_descrs[] = {
    {"|b1", CH_BOOL}, {"|i1", CH_I8},  {"|u1", CH_U8},  {"<i2", CH_I16}, {"<u2", CH_U16}, {"<f2", CH_F16},
    {"<i4", CH_I32},  {"<u4", CH_U32}, {"<f4", CH_F32}, {"<i8", CH_I64}, {"<u8", CH_U64}, {"<f8", CH_F64},
};

const char *ch__npy_descr(ch_dtype dtype) {
    for (size_t i = 0; i < sizeof npy_descrs / sizeof *npy_descrs; i++)
        if (npy_descrs[i].dtype == dtype) return npy_descrs[i].descr;
    return NULL;
}

size_t ch__npy_header(char out[CH__NPY_HEADER], ch_dtype dtype, int rank, const int64_t *dims) {
    size_t at = 10;
    at += (size_t)snprintf(out + at, CH__NPY_HEADER - at, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                           ch__npy_descr(dtype));
    for (int i = 0; i < rank; i++) {
        if (i > 0) out[at++] = ' ';
        at += (size_t)ch__format_i64(out + at, dims[i]);
        if (i + 1 < rank || rank == 1) out[at++] = ',';
    }
    memcpy(out + at, "), }", 4);
    at += 4;
    char digits[CH__NUM_CHARS];
    size_t growth = rank > 0 ? NPY_GROWTH_DIGITS - (size_t)ch__format_i64(digits, dims[0]) : 0;
    size_t end = (at + growth + 1) / 64 * 64 + 64;
    memset(out + at, ' ', end - at);
    out[end - 1] = '\n';
    memcpy(out, "\x93NUMPY", 6);
    out[6] = 1;
    out[7] = 0;
    out[8] = (char)(unsigned char)((end - 10) & 0xff);
    out[9] = (char)(unsigned char)((end - 10) >> 8);
    return end;
}
