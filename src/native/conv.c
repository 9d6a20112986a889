// SPDX-License-Identifier: Apache-2.0
// conv.c - the convolution that compiled code calls: forward, by data, by weights, transposed; all are one op.
//
// oneDNN where it is found and takes the case, else columns and matrix products (conv_columns.c). Both put zeros where
// nothing is, which is right as long as w is finite; when it is not, plain loops leave padding out as the interpreter
// does. Sums are taken in the operands' dtype, as order = any allows.
#include <math.h>
#include <string.h>

#include "native/conv.h"

// ---------------------------------------------------------------- reading what the code says
// args: dtype, spatial axes, groups, batch groups, relu; for each axis sizes and strides of x, w, out; for each
// spatial axis stride, lo, lhs_dilation, rhs_dilation, zeros before, step between elements, the whole axis.
static const char *at_zero(const void *p, int n, const int64_t *dims, const int64_t *steps, size_t size) {
    const char *at = p;
    for (int i = 0; i < n; i++)
        if (steps[i] < 0 && dims[i] > 0) at += (size_t)((dims[i] - 1) * -steps[i]) * size;
    return at;
}

static void read_conv(ch__conv *c, const int64_t *args, const void *x, const void *w, const void *bias, void *out) {
    *c = (ch__conv){.dtype = (ch_dtype)args[0], .spatial = (int)args[1], .groups = args[2], .batch_groups = args[3]};
    c->relu = args[4] != 0;
    c->image_groups = c->groups * c->batch_groups;
    c->kernel = c->positions = c->plane = 1;
    args += 5;
    for (int i = 0; i < c->spatial + 2; i++, args += 6) {
        c->x_dims[i] = args[0];
        c->x_steps[i] = args[1];
        c->w_dims[i] = args[2];
        c->w_steps[i] = args[3];
        c->out_dims[i] = args[4];
        c->out_steps[i] = args[5];
    }
    for (int i = 0; i < c->spatial; i++, args += 7) {
        ch__conv_axis *a = &c->axis[i];
        *a = (ch__conv_axis){args[0], args[1], args[2], args[3], args[4], args[5], args[6], 0, 0, 0, 0, 0};
        a->in = c->x_dims[2 + i];
        a->k = c->w_dims[2 + i];
        a->out = c->out_dims[2 + i];
        a->from = a->lo + a->zero_lo * a->base; // one of base and zero_step is 1, with zeros base is
        a->step = a->base * a->zero_step;
        c->plane *= a->in;
        c->kernel *= a->k;
        c->positions *= a->out;
    }
    size_t size = ch_dtype_size(c->dtype);
    c->x = at_zero(x, c->spatial + 2, c->x_dims, c->x_steps, size);
    c->w = at_zero(w, c->spatial + 2, c->w_dims, c->w_steps, size);
    c->bias = bias;
    c->out = out;
}

bool ch__conv_is_by_weights(const ch__conv *c) {
    for (int i = 0; i < c->spatial; i++)
        if (c->axis[i].step != 1) return false;
    return c->groups == 1 && c->kernel > c->positions && c->bias == NULL && !c->relu;
}

// ---------------------------------------------------------------- what follows a sum
#define FINISH(NAME, T)                                                                                                \
    static void NAME(const ch__conv *c, int64_t from, int64_t to) {                                                    \
        for (int64_t n = from; n < to; n++)                                                                            \
            for (int64_t o = 0; o < c->out_dims[1]; o++) {                                                             \
                T *y = (T *)c->out + n * c->out_steps[0] + o * c->out_steps[1];                                        \
                T b = c->bias != NULL ? ((const T *)c->bias)[o] : 0;                                                   \
                if (c->bias != NULL)                                                                                   \
                    for (int64_t p = 0; p < c->positions; p++) y[p] += b;                                              \
                if (c->relu) /* NaN stays */                                                                           \
                    for (int64_t p = 0; p < c->positions; p++) y[p] = y[p] <= 0 ? 0 : y[p];                            \
            }                                                                                                          \
    }
FINISH(finish_f32, float)
FINISH(finish_f64, double)

void ch__conv_finish(const ch__conv *c, int64_t from, int64_t to) {
    if (c->bias == NULL && !c->relu) return;
    if (c->dtype == CH_F32)
        finish_f32(c, from, to);
    else
        finish_f64(c, from, to);
}

void ch__conv_add_parts(ch_dtype d, void *parts, int64_t n_parts, int64_t n) {
    for (int64_t k = 1; k < n_parts; k++) {
        if (d == CH_F32) {
            float *to = parts, *from = to + k * n;
            for (int64_t i = 0; i < n; i++) to[i] += from[i];
        } else {
            double *to = parts, *from = to + k * n;
            for (int64_t i = 0; i < n; i++) to[i] += from[i];
        }
    }
}

// ---------------------------------------------------------------- plain loops
static double conv_number(const ch__conv *c, const void *p, int64_t at) {
    return c->dtype == CH_F32 ? (double)((const float *)p)[at] : ((const double *)p)[at];
}

// The next index of the last n axes; false after the last one.
static bool next_index(int64_t *at, int n, const int64_t *dims) {
    for (int i = n - 1; i >= 0; i--) {
        if (++at[i] < dims[i]) return true;
        at[i] = 0;
    }
    return false;
}

enum { PLACE_PADDING, PLACE_ZERO, PLACE_ELEMENT };

// What stands at output position p and kernel position k, and the offset of x's element there.
static int conv_element(const ch__conv *c, const int64_t *p, const int64_t *k, int64_t *offset) {
    int kind = PLACE_ELEMENT;
    *offset = 0;
    for (int i = 0; i < c->spatial; i++) {
        const ch__conv_axis *a = &c->axis[i];
        int64_t q = p[i] * a->stride + k[i] * a->dilation - a->lo;
        if (q < 0 || q % a->base != 0 || (q /= a->base) >= a->whole) return PLACE_PADDING;
        q -= a->zero_lo;
        if (q < 0 || q % a->zero_step != 0 || (q /= a->zero_step) >= a->in) kind = PLACE_ZERO;
        *offset += q * c->x_steps[2 + i];
    }
    return kind;
}

static double plain_sum(const ch__conv *c, int64_t image, int64_t feature, int64_t o, const int64_t *p) {
    double sum = 0;
    for (int64_t f = 0; f < c->w_dims[1]; f++) {
        int64_t k[CONV_AXES] = {0}, x0 = image * c->x_steps[0] + (feature + f) * c->x_steps[1];
        do {
            int64_t at, w0 = o * c->w_steps[0] + f * c->w_steps[1];
            int kind = conv_element(c, p, k, &at);
            if (kind == PLACE_PADDING) continue;
            for (int i = 0; i < c->spatial; i++) w0 += k[i] * c->w_steps[2 + i];
            sum += conv_number(c, c->w, w0) * (kind == PLACE_ZERO ? 0 : conv_number(c, c->x, x0 + at));
        } while (next_index(k, c->spatial, c->w_dims + 2));
    }
    return sum;
}

static void plain_conv(const ch__conv *c) {
    int64_t outs = c->out_dims[1] / c->image_groups;
    for (int64_t n = 0; n < c->out_dims[0]; n++)
        for (int64_t o = 0; o < c->out_dims[1]; o++) {
            int64_t p[CONV_AXES] = {0}, group = o / outs;
            int64_t image = c->batch_groups > 1 ? group * c->out_dims[0] + n : n;
            int64_t feature = c->groups > 1 ? group * c->w_dims[1] : 0;
            do {
                int64_t to = n * c->out_steps[0] + o * c->out_steps[1];
                for (int i = 0; i < c->spatial; i++) to += p[i] * c->out_steps[2 + i];
                double s = c->w_dims[1] * c->kernel > 0 ? plain_sum(c, image, feature, o, p) : 0;
                if (c->dtype == CH_F32)
                    ((float *)c->out)[to] = (float)s;
                else
                    ((double *)c->out)[to] = s;
            } while (next_index(p, c->spatial, c->out_dims + 2));
        }
    ch__conv_finish(c, 0, c->out_dims[0]);
}

// ---------------------------------------------------------------- choosing
#define FINITE(NAME, U, EXPONENT)                                                                                      \
    CH_CLONES static bool NAME(const void *p, int64_t n) {                                                             \
        const U *w = p;                                                                                                \
        U bad = 0;                                                                                                     \
        for (int64_t i = 0; i < n; i++) bad |= (w[i] & (EXPONENT)) == (EXPONENT);                                      \
        return bad == 0;                                                                                               \
    }
FINITE(finite_f32, uint32_t, UINT32_C(0x7f800000))
FINITE(finite_f64, uint64_t, UINT64_C(0x7ff0000000000000))

// w, wherever its axes lie, is one dense piece of memory: from its least address on.
static bool is_finite(const ch__conv *c) {
    int64_t n = 1, from = 0;
    for (int i = 0; i < c->spatial + 2; i++) {
        n *= c->w_dims[i];
        if (c->w_steps[i] < 0) from += (c->w_dims[i] - 1) * c->w_steps[i];
    }
    return c->dtype == CH_F32 ? finite_f32((const float *)c->w + from, n) : finite_f64((const double *)c->w + from, n);
}

int ch__native_conv(const int64_t *args, const void *x, const void *w, const void *bias, void *out) {
    ch__conv c;
    read_conv(&c, args, x, w, bias, out);
    if (c.out_dims[0] * c.out_dims[1] * c.positions == 0) return 0;
    if (c.w_dims[1] * c.kernel == 0 || c.x_dims[0] * c.x_dims[1] * c.plane == 0 || !is_finite(&c)) {
        plain_conv(&c);
        return 0;
    }
    int how = ch__conv_by_dnnl(&c);
    return how != CONV_NOT_HERE ? how : ch__conv_by_columns(&c);
}
