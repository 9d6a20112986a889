// SPDX-License-Identifier: Apache-2.0
// conv_columns.c - convolution as matrix products: elements of x under each place of the window as a column.
//
// Forward, for each image and group: out[o, p] = w[o, (f, k)] columns[(f, k), p]. By weights the sum runs over images:
// out[o, (a, p)] = w[o, (image, k)] columns[(image, k), (a, p)], in four parts of the images at most, whose results are
// added in order, so that the number of threads changes nothing.
#include <stdlib.h>
#include <string.h>

#include "interp/exec.h"
#include "native/conv.h"

enum { COLUMN_ROOM = 1 << 18, WEIGHT_PARTS = 4 }; // elements of a block of columns

// ---------------------------------------------------------------- columns
// Elements of the plane at x for kernel position k and every output position, row-major, 0 where nothing is.
#define COLUMN(NAME, T)                                                                                                \
    static void NAME(const ch__conv *c, const T *x, const int64_t *k, T *to) {                                         \
        int last = c->spatial - 1;                                                                                     \
        const ch__conv_axis *a = &c->axis[last];                                                                       \
        int64_t p[CONV_AXES] = {0}, xs = c->x_steps[2 + last];                                                         \
        for (int64_t row = 0; row < c->positions / a->out; row++, to += a->out) {                                      \
            const T *line = x;                                                                                         \
            bool inside = true;                                                                                        \
            for (int i = 0; i < last; i++) {                                                                           \
                const ch__conv_axis *b = &c->axis[i];                                                                  \
                int64_t q = p[i] * b->stride + k[i] * b->dilation - b->from;                                           \
                inside = inside && q >= 0 && q % b->step == 0 && q / b->step < b->in;                                  \
                if (inside) line += q / b->step * c->x_steps[2 + i];                                                   \
            }                                                                                                          \
            int64_t q = k[last] * a->dilation - a->from;                                                               \
            if (!inside) {                                                                                             \
                memset(to, 0, (size_t)a->out * sizeof(T));                                                             \
            } else if (a->step == 1) {                                                                                 \
                for (int64_t j = 0; j < a->out; j++, q += a->stride) to[j] = q >= 0 && q < a->in ? line[q * xs] : 0;   \
            } else {                                                                                                   \
                for (int64_t j = 0; j < a->out; j++, q += a->stride)                                                   \
                    to[j] = q >= 0 && q % a->step == 0 && q / a->step < a->in ? line[q / a->step * xs] : 0;            \
            }                                                                                                          \
            for (int i = last - 1; i >= 0 && ++p[i] == c->axis[i].out; i--) p[i] = 0;                                  \
        }                                                                                                              \
    }
COLUMN(column_f32, float)
COLUMN(column_f64, double)

static void one_column(const ch__conv *c, int64_t offset, const int64_t *k, void *to, int64_t at) {
    if (c->dtype == CH_F32)
        column_f32(c, (const float *)c->x + offset, k, (float *)to + at);
    else
        column_f64(c, (const double *)c->x + offset, k, (double *)to + at);
}

static void next_place(const ch__conv *c, int64_t *k) {
    for (int i = c->spatial - 1; i >= 0 && ++k[i] == c->axis[i].k; i--) k[i] = 0;
}

// A dense copy of an array of c's rank, or NULL.
static void *dense_copy(const ch__conv *c, const void *from, const int64_t *dims, const int64_t *steps) {
    int64_t own[2 + CONV_AXES], n = 1;
    for (int i = c->spatial + 1; i >= 0; i--) {
        own[i] = n;
        n *= dims[i];
    }
    size_t size = ch_dtype_size(c->dtype);
    void *to = ch__alloc_aligned((size_t)n * size, 64);
    if (to != NULL) ch__copy_strided(to, own, from, steps, dims, c->spatial + 2, (int64_t)size);
    return to;
}

typedef struct {
    const ch__conv *c;
    char *w;    // dense
    char *sums; // by weights: one array of results for each part
    int64_t parts, images;
    atomic_bool failed;
} columns_job;

// ---------------------------------------------------------------- forward
// c[m,n] of a product, to where out's axes are: positions may lie anywhere.
static void put_rows(const ch__conv *c, const char *rows, int64_t m, int64_t at) {
    size_t size = ch_dtype_size(c->dtype);
    int64_t dims[1 + CONV_AXES] = {m}, from[1 + CONV_AXES] = {c->positions}, to[1 + CONV_AXES] = {c->out_steps[1]};
    int64_t n = 1;
    for (int i = c->spatial - 1; i >= 0; i--) {
        dims[1 + i] = c->axis[i].out;
        from[1 + i] = n;
        to[1 + i] = c->out_steps[2 + i];
        n *= c->axis[i].out;
    }
    ch__copy_strided((char *)c->out + at * (int64_t)size, to, rows, from, dims, 1 + c->spatial, (int64_t)size);
}

static void forward_images(void *arg, int64_t begin, int64_t end) {
    columns_job *j = arg;
    const ch__conv *c = j->c;
    size_t size = ch_dtype_size(c->dtype);
    int64_t outs = c->out_dims[1] / c->image_groups, depth = c->w_dims[1] * c->kernel;
    char *columns = ch__alloc_aligned((size_t)(depth * c->positions) * size, 64),
         *rows = ch__alloc_aligned((size_t)(outs * c->positions) * size, 64);
    if (columns == NULL || rows == NULL) atomic_store(&j->failed, true);
    for (int64_t n = begin; n < end && !atomic_load(&j->failed); n++) {
        for (int64_t g = 0; g < c->image_groups; g++) {
            int64_t image = c->batch_groups > 1 ? g * c->out_dims[0] + n : n, f0 = c->groups > 1 ? g * c->w_dims[1] : 0;
            for (int64_t f = 0; f < c->w_dims[1]; f++) {
                int64_t k[CONV_AXES] = {0}, offset = image * c->x_steps[0] + (f0 + f) * c->x_steps[1];
                for (int64_t i = 0; i < c->kernel; i++, next_place(c, k))
                    one_column(c, offset, k, columns, (f * c->kernel + i) * c->positions);
            }
            if (ch__native_dot((int)c->dtype, (int)c->dtype, outs, c->positions, depth,
                               j->w + (size_t)(g * outs * depth) * size, depth, 1, columns, c->positions, 1, rows) != 0)
                atomic_store(&j->failed, true);
            put_rows(c, rows, outs, n * c->out_steps[0] + g * outs * c->out_steps[1]);
        }
        ch__conv_finish(c, n, n + 1);
    }
    ch__free_aligned(columns);
    ch__free_aligned(rows);
}

// ---------------------------------------------------------------- by weights
// Sums of images [from, to) for one group: out[o, (a, p)] of that group, added to sum.
static bool weight_block(const columns_job *j, int64_t g, int64_t from, int64_t to, char *columns, char *side,
                         char *product, char *sum) {
    const ch__conv *c = j->c;
    size_t size = ch_dtype_size(c->dtype);
    int64_t outs = c->out_dims[1] / c->image_groups, a_n = c->out_dims[0], depth = (to - from) * c->kernel;
    int64_t width = a_n * c->positions, f_n = c->w_dims[1];
    for (int64_t f = from; f < to; f++) {
        int64_t k[CONV_AXES] = {0};
        for (int64_t i = 0; i < c->kernel; i++, next_place(c, k))
            for (int64_t a = 0; a < a_n; a++)
                one_column(c, (g * a_n + a) * c->x_steps[0] + f * c->x_steps[1], k, columns,
                           (((f - from) * c->kernel + i) * a_n + a) * c->positions);
        for (int64_t o = 0; o < outs; o++)
            memcpy(side + (size_t)(o * depth + (f - from) * c->kernel) * size,
                   j->w + (size_t)(((g * outs + o) * f_n + f) * c->kernel) * size, (size_t)c->kernel * size);
    }
    if (ch__native_dot((int)c->dtype, (int)c->dtype, outs, width, depth, side, depth, 1, columns, width, 1, product) !=
        0)
        return false;
    for (int64_t i = 0; i < outs * width; i++) {
        if (c->dtype == CH_F32)
            ((float *)(void *)sum)[i] += ((float *)(void *)product)[i];
        else
            ((double *)(void *)sum)[i] += ((double *)(void *)product)[i];
    }
    return true;
}

static void weight_part(void *arg, int64_t begin, int64_t end) {
    columns_job *j = arg;
    const ch__conv *c = j->c;
    size_t size = ch_dtype_size(c->dtype);
    int64_t outs = c->out_dims[1] / c->image_groups, width = c->out_dims[0] * c->positions, f_n = c->w_dims[1];
    int64_t block = COLUMN_ROOM / (c->kernel * width) + 1;
    if (block > f_n) block = f_n;
    char *columns = ch__alloc_aligned((size_t)(block * c->kernel * width) * size, 64),
         *side = ch__alloc_aligned((size_t)(outs * block * c->kernel) * size, 64),
         *product = ch__alloc_aligned((size_t)(outs * width) * size, 64);
    bool good = columns != NULL && side != NULL && product != NULL;
    for (int64_t part = begin; part < end && good; part++)
        for (int64_t g = 0; g < c->image_groups && good; g++) {
            char *sum = j->sums + (size_t)((part * c->image_groups + g) * outs * width) * size;
            int64_t from = part * f_n / j->parts, to = (part + 1) * f_n / j->parts;
            memset(sum, 0, (size_t)(outs * width) * size);
            for (int64_t f = from; f < to && good; f += block)
                good = weight_block(j, g, f, f + block < to ? f + block : to, columns, side, product, sum);
        }
    ch__free_aligned(columns);
    ch__free_aligned(side);
    ch__free_aligned(product);
    if (!good) atomic_store(&j->failed, true);
}

// sums are [o, a, p]
static void put_weights(const ch__conv *c, const void *sums) {
    int64_t dims[2 + CONV_AXES] = {c->out_dims[1], c->out_dims[0]},
                     to[2 + CONV_AXES] = {c->out_steps[1], c->out_steps[0]};
    int64_t from[2 + CONV_AXES], n = 1;
    for (int i = c->spatial + 1; i >= 0; i--) {
        if (i >= 2) {
            dims[i] = c->out_dims[i];
            to[i] = c->out_steps[i];
        }
        from[i] = n;
        n *= dims[i];
    }
    ch__copy_strided(c->out, to, sums, from, dims, c->spatial + 2, (int64_t)ch_dtype_size(c->dtype));
}

int ch__conv_by_columns(const ch__conv *c) {
    columns_job j = {.c = c};
    atomic_init(&j.failed, false);
    if ((j.w = dense_copy(c, c->w, c->w_dims, c->w_steps)) == NULL) return CH__NATIVE_NO_MEMORY;
    if (!ch__conv_is_by_weights(c)) {
        if (ch__native_parallel(c->out_dims[0], c->out_dims[1] * c->positions * c->w_dims[1] * c->kernel,
                                forward_images, &j) != 0)
            atomic_store(&j.failed, true);
    } else {
        int64_t n = c->out_dims[0] * c->out_dims[1] * c->positions;
        j.parts = c->w_dims[1] < WEIGHT_PARTS ? c->w_dims[1] : WEIGHT_PARTS;
        j.sums = ch__alloc_aligned((size_t)(j.parts * n) * ch_dtype_size(c->dtype), 64);
        if (j.sums == NULL ||
            ch__native_parallel(j.parts, n / j.parts * c->w_dims[1] * c->kernel, weight_part, &j) != 0)
            atomic_store(&j.failed, true);
        if (!atomic_load(&j.failed)) {
            ch__conv_add_parts(c->dtype, j.sums, j.parts, n);
            put_weights(c, j.sums);
        }
    }
    ch__free_aligned(j.w);
    ch__free_aligned(j.sums);
    return atomic_load(&j.failed) ? CH__NATIVE_NO_MEMORY : 0;
}
