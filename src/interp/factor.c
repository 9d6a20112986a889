// SPDX-License-Identifier: Apache-2.0
// factor.c - cholesky and triangular_solve, the textbook loops.
//
// Sums are subtracted one product after another with the index ascending, in the dtype (f16 and bf16: in f32, rounded
// once at the end). Cholesky reads one triangle; the other one of the result is 0; when a pivot is not positive the
// whole triangle is NaN.
#include <math.h>

#include "interp/exec.h"

// Element (i, j) of the lower factor lies at i*ri + j*rj: for the upper factor the strides change places.
#define CHOLESKY(NAME, T, SQRT)                                                                                        \
    static void NAME(void *to, const void *from, int64_t n, int64_t ri, int64_t rj) {                                  \
        T *l = to;                                                                                                     \
        const T *a = from;                                                                                             \
        bool ok = true;                                                                                                \
        memset(l, 0, (size_t)(n * n) * sizeof(T));                                                                     \
        for (int64_t j = 0; j < n && ok; j++) {                                                                        \
            for (int64_t i = j; i < n && ok; i++) {                                                                    \
                T sum = a[i * ri + j * rj];                                                                            \
                for (int64_t k = 0; k < j; k++) sum -= l[i * ri + k * rj] * l[j * ri + k * rj];                        \
                if (i == j) ok = sum > 0;                                                                              \
                l[i * ri + j * rj] = i == j ? SQRT(sum) : sum / l[j * ri + j * rj];                                    \
            }                                                                                                          \
        }                                                                                                              \
        for (int64_t j = 0; j < n && !ok; j++)                                                                         \
            for (int64_t i = j; i < n; i++) l[i * ri + j * rj] = NAN;                                                  \
    }
CHOLESKY(cholesky_f32, float, sqrtf)
CHOLESKY(cholesky_f64, double, sqrt)
#undef CHOLESKY

// Solves A x = b for m right sides, A (i, j) at i*ai + j*aj triangular, x (i, column) at i*xi + column*xc.
#define SOLVE(NAME, T)                                                                                                 \
    static void NAME(void *x_, const void *a_, int64_t n, int64_t m, int64_t ai, int64_t aj, int64_t xi, int64_t xc,   \
                     bool lower, bool unit) {                                                                          \
        T *x = x_;                                                                                                     \
        const T *a = a_;                                                                                               \
        for (int64_t r = 0; r < n; r++) {                                                                              \
            int64_t i = lower ? r : n - 1 - r, first = lower ? 0 : i + 1, end = lower ? i : n;                         \
            for (int64_t j = first; j < end; j++) {                                                                    \
                const T c = a[i * ai + j * aj];                                                                        \
                CH_IVDEP                                                                                               \
                for (int64_t k = 0; k < m; k++) x[i * xi + k * xc] -= c * x[j * xi + k * xc];                          \
            }                                                                                                          \
            const T pivot = a[i * ai + i * aj];                                                                        \
            for (int64_t k = 0; k < m && !unit; k++) x[i * xi + k * xc] /= pivot;                                      \
        }                                                                                                              \
    }
SOLVE(solve_f32, float)
SOLVE(solve_f64, double)
#undef SOLVE

// Operand as f32 or f64 in memory of the run; f32 and f64 themselves are used where they lie.
static ch__buf *as_wide(ch__frame *fr, const ch__cell *x, ch_dtype wide, const void **data) {
    if (x->dtype == wide) {
        *data = ch__data(x);
        x->buf->refs++;
        return x->buf;
    }
    ch__buf *b = ch__buf_new(fr->run, x->numel * (int64_t)ch_dtype_size(wide));
    if (!b) return NULL;
    ch__convert_n(b->data, wide, ch__data(x), (ch_dtype)x->dtype, x->numel);
    *data = b->data;
    return b;
}

ch_status ch__do_cholesky(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    ch_dtype wide = x.dtype == CH_F64 ? CH_F64 : CH_F32;
    int64_t n = x.dims[x.rank - 1], each = n * n;
    bool lower = ch__op_int(s->op, CH__ATTR_lower, 1) != 0;
    if (x.numel != o->numel || x.dims[x.rank - 2] != n)
        return ch__op_fail(s, CH__E_shape_mismatch, "the matrices have to be square");
    CH_TRY(ch__result_new(fr, s, 0));
    const void *from;
    ch__buf *a = as_wide(fr, &x, wide, &from), *l = NULL;
    if (a) l = o->dtype == wide ? o->buf : ch__buf_new(fr->run, o->numel * (int64_t)ch_dtype_size(wide));
    if (l) {
        int64_t ri = lower ? n : 1, rj = lower ? 1 : n;
        for (int64_t b = 0; each > 0 && b < x.numel / each; b++) {
            if (wide == CH_F64)
                cholesky_f64((double *)l->data + b * each, (const double *)from + b * each, n, ri, rj);
            else
                cholesky_f32((float *)l->data + b * each, (const float *)from + b * each, n, ri, rj);
        }
        if (l != o->buf) {
            ch__convert_n(ch__data(o), (ch_dtype)o->dtype, l->data, wide, o->numel);
            ch__buf_release(fr->run, l);
        }
    }
    if (a) ch__buf_release(fr->run, a);
    return a && l ? CH_OK : CH_RESOURCE_EXHAUSTED;
}

ch_status ch__do_triangular_solve(ch__frame *fr, const ch__instr *s) {
    const ch__cell a = *CH__IN(0), b = *CH__IN(1);
    ch__cell *o = CH__OUT(0);
    ch_dtype wide = b.dtype == CH_F64 ? CH_F64 : CH_F32;
    bool left = ch__op_int(s->op, CH__ATTR_left, 1) != 0, lower = ch__op_int(s->op, CH__ATTR_lower, 1) != 0,
         transposed = ch__op_int(s->op, CH__ATTR_transpose, 0) != 0, unit = ch__op_int(s->op, CH__ATTR_unit, 0) != 0;
    int64_t rows = b.dims[b.rank - 2], columns = b.dims[b.rank - 1], n = left ? rows : columns,
            m = left ? columns : rows;
    if (a.dims[a.rank - 1] != n || a.dims[a.rank - 2] != n || b.numel != o->numel ||
        (n > 0 && m > 0 && a.numel / n * m != b.numel))
        return ch__op_fail(s, CH__E_shape_mismatch, "the matrices do not go together");
    CH_TRY(ch__result_new(fr, s, 0));
    // x a = b is a^T x^T = b^T: the strides of x change places, and a is transposed once more.
    if (!left) transposed = !transposed;
    int64_t ai = transposed ? 1 : n, aj = transposed ? n : 1, xi = left ? columns : 1, xc = left ? 1 : columns;
    const void *from;
    ch__buf *matrix = as_wide(fr, &a, wide, &from), *x = NULL;
    if (matrix) x = o->dtype == wide ? o->buf : ch__buf_new(fr->run, o->numel * (int64_t)ch_dtype_size(wide));
    if (x) {
        ch__convert_n(x->data, wide, ch__data(&b), (ch_dtype)b.dtype, b.numel);
        int64_t each = rows * columns;
        for (int64_t i = 0; each > 0 && i < b.numel / each; i++) {
            if (wide == CH_F64)
                solve_f64((double *)x->data + i * each, (const double *)from + i * n * n, n, m, ai, aj, xi, xc,
                          lower != transposed, unit);
            else
                solve_f32((float *)x->data + i * each, (const float *)from + i * n * n, n, m, ai, aj, xi, xc,
                          lower != transposed, unit);
        }
        if (x != o->buf) {
            ch__convert_n(ch__data(o), (ch_dtype)o->dtype, x->data, wide, o->numel);
            ch__buf_release(fr->run, x);
        }
    }
    if (matrix) ch__buf_release(fr->run, matrix);
    return matrix && x ? CH_OK : CH_RESOURCE_EXHAUSTED;
}
