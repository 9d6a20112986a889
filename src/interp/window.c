// SPDX-License-Identifier: Apache-2.0
// window.c - reduce_window and select_and_scatter.
//
// A window position is base + (i * stride + k * dilation - pad); with base dilation only every d-th position holds an
// element. Positions outside hold the kind's identity, that is, they are skipped. Elements of a window are folded in
// row-major order of the window.
#include "interp/exec.h"

typedef struct {
    int rank;
    const int64_t *size, *window; // operand, window
    int64_t stride[CH__MAX_RANK], pad[CH__MAX_RANK], base[CH__MAX_RANK], dilation[CH__MAX_RANK], step[CH__MAX_RANK];
} windows;

static void make_windows(windows *w, const ch__instr *s, const ch__cell *x) {
    *w = (windows){.rank = x->rank, .size = x->dims, .window = ch__op_attr(s->op, CH__ATTR_window)->ints};
    for (int i = 0; i < x->rank; i++) {
        w->stride[i] = ch__op_entry(s->op, CH__ATTR_strides, i, 1);
        w->pad[i] = ch__op_entry(s->op, CH__ATTR_pad_lo, i, 0);
        w->base[i] = ch__op_entry(s->op, CH__ATTR_lhs_dilation, i, 1);
        w->dilation[i] = ch__op_entry(s->op, CH__ATTR_rhs_dilation, i, 1);
    }
    ch__row_major(x->rank, x->dims, w->step);
}

// The operand's offset of window element k of output position at; -1: padding.
static int64_t element_at(const windows *w, const int64_t *at, const int64_t *k) {
    int64_t offset = 0;
    for (int i = 0; i < w->rank; i++) {
        int64_t p = at[i] * w->stride[i] + k[i] * w->dilation[i] - w->pad[i];
        if (p < 0 || p % w->base[i] != 0 || (p /= w->base[i]) >= w->size[i]) return -1;
        offset += p * w->step[i];
    }
    return offset;
}

static bool step_through(int n, const int64_t *dims, int64_t *at) {
    for (int i = n - 1; i >= 0; i--) {
        if (++at[i] < dims[i]) return true;
        at[i] = 0;
    }
    return false;
}

static bool has_elements(const windows *w) {
    for (int i = 0; i < w->rank; i++)
        if (w->window[i] <= 0) return false;
    return true;
}

typedef struct {
    windows w;
    ch__kind kind;
    ch_dtype d, acc;
    int size;
    const char *src;
    char *out;
    const int64_t *dims;
} window_job;

static void window_part(void *arg, int64_t begin, int64_t end) {
    const window_job *j = arg;
    const windows *w = &j->w;
    int64_t at[CH__MAX_RANK], index = begin;
    for (int i = w->rank - 1; i >= 0; i--) at[i] = index % j->dims[i], index /= j->dims[i];
    bool any = has_elements(w);
    for (int64_t u = begin; u < end; u++) {
        int64_t k[CH__MAX_RANK] = {0};
        uint64_t state, row[32], raw[32];
        int n = 0;
        ch__fold_identity(j->kind, j->d, j->acc, &state, 1);
        if (any) do {
                int64_t from = element_at(w, at, k);
                if (from >= 0) memcpy((char *)raw + n++ * j->size, j->src + from * j->size, (size_t)j->size);
                if (n < 32) continue;
                ch__carrier_load(row, j->acc, raw, j->d, n);
                ch__fold_n(j->kind, j->acc, &state, 0, row, n);
                n = 0;
            } while (step_through(w->rank, w->window, k));
        ch__carrier_load(row, j->acc, raw, j->d, n);
        ch__fold_n(j->kind, j->acc, &state, 0, row, n);
        ch__carrier_store(j->out + u * j->size, j->d, j->acc, &state, 1);
        step_through(w->rank, j->dims, at);
    }
}

ch_status ch__do_reduce_window(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    window_job j = {.kind = (ch__kind)ch__op_int(s->op, CH__ATTR_kind, 0), .d = (ch_dtype)x.dtype, .size = x.esize};
    CH_TRY(ch__result_new(fr, s, 0));
    make_windows(&j.w, s, &x);
    j.acc = ch__acc_dtype(s->op, j.d);
    j.src = ch__data(&x);
    j.out = ch__data(o);
    j.dims = o->dims;
    ch__parallel_for(o->numel, 2048, window_part, &j);
    return CH_OK;
}

// Is element b a better winner than a? NaN wins, the first of equals stays.
static bool wins(ch_dtype d, const char *a, const char *b, bool largest) {
    if (ch__is_float(d)) {
        double x, y;
        ch__convert_n(&x, CH_F64, a, d, 1);
        ch__convert_n(&y, CH_F64, b, d, 1);
        if (x != x) return false;
        return y != y || (largest ? y > x : y < x);
    }
    if (ch__is_signed(d)) {
        int64_t x, y;
        ch__convert_n(&x, CH_I64, a, d, 1);
        ch__convert_n(&y, CH_I64, b, d, 1);
        return largest ? y > x : y < x;
    }
    uint64_t x, y;
    ch__convert_n(&x, CH_U64, a, d, 1);
    ch__convert_n(&y, CH_U64, b, d, 1);
    return largest ? y > x : y < x;
}

ch_status ch__do_select_and_scatter(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0), source = *CH__IN(1);
    ch__cell *o = CH__OUT(0);
    ch_dtype d = (ch_dtype)x.dtype, acc = ch__acc_dtype(s->op, d), carrier = ch__carrier(acc);
    bool largest = ch__op_int(s->op, CH__ATTR_kind, CH__MAX) == CH__MAX;
    windows w;
    if (o->numel != x.numel) return ch__op_fail(s, CH__E_shape_mismatch, "operand and result differ in size");
    make_windows(&w, s, &x);
    CH_TRY(ch__result_new(fr, s, 0));
    size_t wide = ch_dtype_size(carrier);
    ch__buf *sums = ch__buf_new(fr->run, o->numel * (int64_t)wide);
    if (!sums) return CH_RESOURCE_EXHAUSTED;
    memset(sums->data, 0, (size_t)o->numel * wide);
    int64_t at[CH__MAX_RANK] = {0};
    const char *data = ch__data(&x);
    for (int64_t u = 0; u < source.numel && has_elements(&w); u++) {
        int64_t k[CH__MAX_RANK] = {0}, best = -1;
        do {
            int64_t from = element_at(&w, at, k);
            if (from >= 0 && (best < 0 || wins(d, data + best * x.esize, data + from * x.esize, largest))) best = from;
        } while (step_through(w.rank, w.window, k));
        if (best >= 0) {
            uint64_t v;
            ch__carrier_load(&v, acc, (const char *)ch__data(&source) + u * x.esize, d, 1);
            ch__fold_n(CH__SUM, acc, (char *)sums->data + (size_t)best * wide, 0, &v, 1);
        }
        step_through(w.rank, source.dims, at);
    }
    ch__carrier_store(ch__data(o), d, acc, sums->data, o->numel);
    ch__buf_release(fr->run, sums);
    return CH_OK;
}
