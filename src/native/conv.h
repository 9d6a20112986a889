// SPDX-License-Identifier: Apache-2.0
// conv.h - one convolution of compiled code, as the files that compute it see it. Private to src/native.
//
//     out[n, o, p] = sum over f, k of x[n, f, r] w[o, f, k],   p s + k d - lo = q b,   q = r z + zlo
//
// along each spatial axis, with stride s, dilations d of w and b of x, padding lo. Views of x and w are strides; zeros
// that the program itself put around and between the elements of x (zlo, z) are counted as elements with the value 0,
// where padding is left out: with an infinite w that is NaN. `whole` is the axis with those zeros.
#ifndef CHAAC_NATIVE_CONV_H
#define CHAAC_NATIVE_CONV_H

#include "native/native.h"

enum { CONV_AXES = 3 }; // spatial axes

typedef struct ch__conv_axis {
    int64_t stride, lo, base, dilation;
    int64_t zero_lo, zero_step, whole;
    int64_t from, step; // both kinds of padding as one: x begins at `from`, its elements are `step` apart
    int64_t in, k, out; // sizes of x, w, out
} ch__conv_axis;

typedef struct ch__conv {
    ch_dtype dtype;
    int spatial;
    int64_t groups, batch_groups;
    bool relu; // after bias: y <= 0 ? 0 : y
    int64_t x_dims[2 + CONV_AXES], w_dims[2 + CONV_AXES], out_dims[2 + CONV_AXES];
    int64_t x_steps[2 + CONV_AXES], w_steps[2 + CONV_AXES], out_steps[2 + CONV_AXES]; // strides, in elements
    ch__conv_axis axis[CONV_AXES];
    int64_t kernel, positions, plane; // spatial elements of w, out, x
    int64_t image_groups;             // groups * batch_groups
    const void *x, *w, *bias;         // at index 0 of every axis, whatever the signs of strides; bias may be NULL
    void *out;
} ch__conv;

// ---------------------------------------------------------------- conv.c
// Is this the gradient by weights of a convolution: x's images are its features, w is as large as an image?
bool ch__conv_is_by_weights(const ch__conv *c);
void ch__conv_finish(const ch__conv *c, int64_t from, int64_t to); // bias, if it is left to do, and relu of images
// Sums of partial results of n elements each, in order, into the first.
void ch__conv_add_parts(ch_dtype d, void *parts, int64_t n_parts, int64_t n);

// ---------------------------------------------------------------- conv_columns.c: columns of elements and chaac_dot
int ch__conv_by_columns(const ch__conv *c); // 0, or CH__NATIVE_NO_MEMORY

// ---------------------------------------------------------------- dnnl.c: oneDNN 2, opened at run time
// 0: done, with bias and without relu's part only where `finish` was left to the caller; CH__NATIVE_NO_MEMORY; or
// CONV_NOT_HERE: there is no such library, or it does not take this one.
enum { CONV_NOT_HERE = -1 };
int ch__conv_by_dnnl(const ch__conv *c);

#endif
