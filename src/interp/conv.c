// SPDX-License-Identifier: Apache-2.0
// conv.c - convolution as matrix products with the bits of the plain loops.
//
// lhs [batch, feature, spatial...], rhs [out, feature/groups, spatial...], result [batch, out, spatial...]. An output
// is the sum over (feature, kernel position) in row-major order of rhs; positions in the padding or between dilated
// elements are left out. For each image and group the windows become the columns of a matrix [feature * kernel, output
// positions] with 0 where nothing is: adding 0 * w changes no sum as long as w is finite. When some w is not, the plain
// loops run.
#include <math.h>

#include "interp/exec.h"

typedef struct {
    const ch__cell *x, *w, *o;
    int n_spatial;
    int64_t stride[CH__MAX_RANK], pad[CH__MAX_RANK], base[CH__MAX_RANK], dilation[CH__MAX_RANK];
    int64_t groups, batch_groups;
    int64_t kernel, positions;    // products of spatial sizes of rhs and result
    int64_t x_step[CH__MAX_RANK]; // strides of the spatial axes of lhs
} conv;

static void make_conv(conv *c, const ch__instr *s, const ch__cell *x, const ch__cell *w, const ch__cell *o) {
    *c = (conv){.x = x, .w = w, .o = o, .n_spatial = x->rank - 2, .kernel = 1, .positions = 1};
    int64_t all[CH__MAX_RANK];
    ch__row_major(x->rank, x->dims, all);
    for (int i = 0; i < c->n_spatial; i++) {
        c->stride[i] = ch__op_entry(s->op, CH__ATTR_strides, i, 1);
        c->pad[i] = ch__op_entry(s->op, CH__ATTR_pad_lo, i, 0);
        c->base[i] = ch__op_entry(s->op, CH__ATTR_lhs_dilation, i, 1);
        c->dilation[i] = ch__op_entry(s->op, CH__ATTR_rhs_dilation, i, 1);
        c->kernel *= w->dims[i + 2];
        c->positions *= o->dims[i + 2];
        c->x_step[i] = all[i + 2];
    }
    c->groups = ch__op_int(s->op, CH__ATTR_groups, 1);
    c->batch_groups = ch__op_int(s->op, CH__ATTR_batch_groups, 1);
}

// Offset within an image plane of kernel position k for output position at; -1 where there is no element.
static int64_t plane_offset(const conv *c, const int64_t *at, const int64_t *k) {
    int64_t offset = 0;
    for (int i = 0; i < c->n_spatial; i++) {
        int64_t p = at[i] * c->stride[i] + k[i] * c->dilation[i] - c->pad[i];
        if (p < 0 || p % c->base[i] != 0 || (p /= c->base[i]) >= c->x->dims[i + 2]) return -1;
        offset += p * c->x_step[i];
    }
    return offset;
}

static bool advance(const conv *c, const ch__cell *of, int64_t *at) {
    for (int i = c->n_spatial - 1; i >= 0; i--) {
        if (++at[i] < of->dims[i + 2]) return true;
        at[i] = 0;
    }
    return false;
}

// Where the planes of image n (of the result) and group g begin, and how many features and outputs a group has.
typedef struct {
    int64_t plane, features, outs, group;
    const char *from, *weights;
    char *to;
} conv_part;

static conv_part part_of(const conv *c, int64_t n, int64_t group) {
    int64_t n_groups = c->groups * c->batch_groups;
    conv_part p = {.group = group};
    p.features = c->w->dims[1];
    p.outs = c->o->dims[1] / n_groups;
    p.plane = 1;
    for (int i = 0; i < c->n_spatial; i++) p.plane *= c->x->dims[i + 2];
    // Batch groups: outputs of group g come from the g-th part of the images.
    int64_t image = c->batch_groups > 1 ? group * c->o->dims[0] + n : n;
    int64_t feature = c->batch_groups > 1 ? 0 : group * p.features;
    p.from = (const char *)ch__data(c->x) + (image * c->x->dims[1] + feature) * p.plane * c->x->esize;
    p.weights = (const char *)ch__data(c->w) + group * p.outs * p.features * c->kernel * c->w->esize;
    p.to = (char *)ch__data(c->o) + (n * c->o->dims[1] + group * p.outs) * c->positions * c->o->esize;
    return p;
}

// columns: [features * kernel][positions]
static void make_columns(const conv *c, const conv_part *p, char *columns) {
    int size = c->x->esize;
    int64_t k[CH__MAX_RANK] = {0};
    memset(columns, 0, (size_t)(p->features * c->kernel * c->positions * size));
    int64_t q = 0;
    do {
        int64_t at[CH__MAX_RANK] = {0}, t = 0;
        do {
            int64_t from = plane_offset(c, at, k);
            if (from >= 0)
                for (int64_t f = 0; f < p->features; f++)
                    memcpy(columns + ((f * c->kernel + q) * c->positions + t) * size,
                           p->from + (f * p->plane + from) * size, (size_t)size);
            t++;
        } while (advance(c, c->o, at));
        q++;
    } while (advance(c, c->w, k));
}

// The plain loops: one output after another, by a dot of the elements that are there.
static bool conv_plain(const conv *c, const conv_part *p, ch_dtype acc, char *gathered) {
    int xs = c->x->esize, ws = c->w->esize;
    char *weights = gathered + p->features * c->kernel * xs;
    for (int64_t o = 0; o < p->outs; o++) {
        int64_t at[CH__MAX_RANK] = {0}, t = 0;
        do {
            int64_t n = 0;
            for (int64_t f = 0; f < p->features; f++) {
                int64_t k[CH__MAX_RANK] = {0}, q = 0;
                do {
                    int64_t from = plane_offset(c, at, k);
                    if (from >= 0) {
                        memcpy(gathered + n * xs, p->from + (f * p->plane + from) * xs, (size_t)xs);
                        memcpy(weights + n * ws, p->weights + ((o * p->features + f) * c->kernel + q) * ws, (size_t)ws);
                        n++;
                    }
                    q++;
                } while (advance(c, c->w, k));
            }
            ch__gemm g = {.acc = acc,
                          .m = 1,
                          .n = 1,
                          .k = n,
                          .lhs = gathered,
                          .rhs = weights,
                          .lhs_dtype = (ch_dtype)c->x->dtype,
                          .rhs_dtype = (ch_dtype)c->w->dtype,
                          .out_dtype = (ch_dtype)c->o->dtype,
                          .lhs_k = 1,
                          .rhs_k = 1,
                          .out = p->to + (o * c->positions + t) * c->o->esize,
                          .out_m = 1,
                          .out_n = 1};
            if (!ch__gemm_run(&g)) return false;
            t++;
        } while (advance(c, c->o, at));
    }
    return true;
}

static bool all_finite(const ch__cell *w) {
    if (!ch__is_float((ch_dtype)w->dtype)) return true;
    const char *data = ch__data(w);
    for (int64_t i = 0; i < w->numel; i += 64) {
        double v[64];
        int64_t n = w->numel - i < 64 ? w->numel - i : 64;
        ch__convert_n(v, CH_F64, data + i * w->esize, (ch_dtype)w->dtype, n);
        for (int64_t k = 0; k < n; k++)
            if (!isfinite(v[k])) return false;
    }
    return true;
}

ch_status ch__do_conv(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0), w = *CH__IN(1);
    ch__cell *o = CH__OUT(0);
    conv c;
    CH_TRY(ch__result_new(fr, s, 0));
    make_conv(&c, s, &x, &w, o);
    int64_t n_groups = c.groups * c.batch_groups;
    ch_dtype acc = ch__acc_dtype(s->op, (ch_dtype)x.dtype);
    if (o->numel == 0) return CH_OK;
    if (n_groups <= 0 || o->dims[1] % n_groups != 0 || o->dims[0] * c.batch_groups != x.dims[0] ||
        w.dims[1] * c.groups != x.dims[1] || w.dims[0] != o->dims[1])
        return ch__op_fail(s, CH__E_shape_mismatch, "operands and groups do not go together");
    bool finite = all_finite(&w);
    int64_t column = w.dims[1] * c.kernel, room;
    if (!ch__mul_i64(column, finite ? c.positions * x.esize : x.esize + w.esize, &room))
        return ch__op_fail(s, CH__E_dim_overflow, "the windows do not fit in 64 bits");
    ch__buf *scratch = ch__buf_new(fr->run, room > 0 ? room : 1);
    if (!scratch) return CH_RESOURCE_EXHAUSTED;
    ch_status st = CH_OK;
    for (int64_t n = 0; n < o->dims[0] && st == CH_OK; n++)
        for (int64_t g = 0; g < n_groups && st == CH_OK; g++) {
            conv_part p = part_of(&c, n, g);
            bool ok;
            if (finite) {
                if (room > 0) make_columns(&c, &p, scratch->data);
                ch__gemm m = {.acc = acc,
                              .m = p.outs,
                              .n = c.positions,
                              .k = column,
                              .lhs = p.weights,
                              .rhs = scratch->data,
                              .lhs_dtype = (ch_dtype)w.dtype,
                              .rhs_dtype = (ch_dtype)x.dtype,
                              .out_dtype = (ch_dtype)o->dtype,
                              .lhs_m = column,
                              .lhs_k = 1,
                              .rhs_k = c.positions,
                              .rhs_n = 1,
                              .out = p.to,
                              .out_m = c.positions,
                              .out_n = 1};
                ok = ch__gemm_run(&m);
            } else {
                ok = conv_plain(&c, &p, acc, scratch->data);
            }
            if (!ok) st = ch__fail_oom("conv");
        }
    ch__buf_release(fr->run, scratch);
    return st;
}
