// SPDX-License-Identifier: Apache-2.0
// shape.c - reshape transpose broadcast slice pad concat reverse, and the ops that only pass a value on.
//
// Each is one strided copy (copy.c). A splat stays a splat, and a broadcast of one element becomes one: elementwise ops
// take it as it is, others get it written out first.
#include "interp/exec.h"

static ch_status differ(const ch__instr *s, const ch__cell *x, const ch__cell *o) {
    char a[CH__SHAPE_CHARS], b[CH__SHAPE_CHARS];
    return ch__op_fail(s, CH__E_shape_mismatch, "%s and result %s do not go together", ch__shape_text(a, x),
                       ch__shape_text(b, o));
}

ch_status ch__do_reshape(ch__frame *fr, const ch__instr *s) {
    if (CH__IN(0)->numel != CH__OUT(0)->numel) return differ(s, CH__IN(0), CH__OUT(0));
    return ch__result_same(fr, s, 0, 0);
}

ch_status ch__do_stop_gradient(ch__frame *fr, const ch__instr *s) { return ch__result_same(fr, s, 0, 0); }

ch_status ch__do_barrier(ch__frame *fr, const ch__instr *s) {
    for (int i = 0; i < s->n_in; i++) CH_TRY(ch__result_same(fr, s, i, i));
    return CH_OK;
}

// The result, all of whose elements are operand 0's one: shares its buffer.
static ch_status define_splat(ch__frame *fr, const ch__instr *s) {
    ch__cell *o = CH__OUT(0);
    if (o->numel < 0) return ch__result_new(fr, s, 0); // reports it
    if (o->numel == 0) return ch__result_new(fr, s, 0);
    CH_TRY(ch__result_same(fr, s, 0, 0));
    o->splat = o->numel != 1;
    return CH_OK;
}

ch_status ch__do_transpose(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    const ch__attr *perm = ch__op_attr(s->op, CH__ATTR_perm);
    if (x.numel != o->numel) return differ(s, &x, o);
    if (x.splat) return define_splat(fr, s);
    bool moves = false; // axes of size 1 aside, does anything change places?
    for (int i = 0, last = -1; i < o->rank; i++) {
        if (o->dims[i] == 1) continue;
        moves = moves || (int)perm->ints[i] < last;
        last = (int)perm->ints[i];
    }
    if (!moves) return ch__result_same(fr, s, 0, 0);
    CH_TRY(ch__result_new(fr, s, 0));
    int64_t from[CH__MAX_RANK], ss[CH__MAX_RANK], ds[CH__MAX_RANK];
    ch__row_major(x.rank, x.dims, from);
    ch__row_major(o->rank, o->dims, ds);
    for (int i = 0; i < o->rank; i++) {
        ss[i] = from[perm->ints[i]];
        if (x.dims[perm->ints[i]] != o->dims[i]) return differ(s, &x, o);
    }
    ch__copy_strided(ch__data(o), ds, ch__data(&x), ss, o->dims, o->rank, o->esize);
    return CH_OK;
}

ch_status ch__do_broadcast(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    const ch__attr *dims = ch__op_attr(s->op, CH__ATTR_dims);
    if (x.numel == 1 || x.splat) return define_splat(fr, s);
    int64_t from[CH__MAX_RANK], ss[CH__MAX_RANK] = {0}, ds[CH__MAX_RANK];
    for (int i = 0; i < x.rank; i++)
        if (x.dims[i] != 1 && x.dims[i] != o->dims[dims->ints[i]]) return differ(s, &x, o);
    bool ascending = true;
    for (int i = 1; i < x.rank; i++) ascending = ascending && dims->ints[i] > dims->ints[i - 1];
    if (x.numel == o->numel && ascending) return ch__result_same(fr, s, 0, 0);
    CH_TRY(ch__result_new(fr, s, 0));
    ch__row_major(x.rank, x.dims, from);
    ch__row_major(o->rank, o->dims, ds);
    for (int i = 0; i < x.rank; i++) ss[dims->ints[i]] = x.dims[i] == 1 ? 0 : from[i];
    ch__copy_strided(ch__data(o), ds, ch__data(&x), ss, o->dims, o->rank, o->esize);
    return CH_OK;
}

ch_status ch__do_slice(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    const ch__attr *start = ch__op_attr(s->op, CH__ATTR_start), *limit = ch__op_attr(s->op, CH__ATTR_limit),
                   *stride = ch__op_attr(s->op, CH__ATTR_stride);
    int64_t from[CH__MAX_RANK], ss[CH__MAX_RANK], ds[CH__MAX_RANK], offset = 0;
    ch__row_major(x.rank, x.dims, from);
    for (int i = 0; i < x.rank; i++) {
        int64_t lo, hi, step = stride ? stride->ints[i] : 1;
        CH_TRY(ch__dim_value(fr, start->dims[i], &lo));
        CH_TRY(ch__dim_value(fr, limit->dims[i], &hi));
        if (lo < 0 || hi < lo || hi > x.dims[i] || step < 1)
            return ch__op_fail(s, CH__E_bounds,
                               "start %" PRId64 ", limit %" PRId64 ", stride %" PRId64 " on axis %d of size %" PRId64
                               " — 0 <= start <= limit <= size and stride >= 1",
                               lo, hi, step, i, x.dims[i]);
        if (o->numel >= 0 && (hi - lo) / step + ((hi - lo) % step != 0) != o->dims[i]) return differ(s, &x, o);
        ss[i] = from[i] * step;
        offset += from[i] * lo;
    }
    if (o->numel == x.numel && !x.splat) return ch__result_same(fr, s, 0, 0);
    if (x.splat) return define_splat(fr, s);
    CH_TRY(ch__result_new(fr, s, 0));
    ch__row_major(o->rank, o->dims, ds);
    if (o->numel > 0)
        ch__copy_strided(ch__data(o), ds, (const char *)ch__data(&x) + offset * x.esize, ss, o->dims, o->rank,
                         o->esize);
    return CH_OK;
}

// One axis of pad: operand elements first .. first+count-1 land at to, to+step, ...
typedef struct {
    int64_t first, count, to, step;
} pad_axis;

static pad_axis pad_range(int64_t size, int64_t result, int64_t lo, int64_t interior) {
    pad_axis p = {0, 0, 0, interior + 1};
    if (lo < 0) p.first = (-lo + interior) / p.step; // the first with lo + first*step >= 0
    if (p.first >= size) return p;
    p.to = lo + p.first * p.step;
    if (p.to >= result) return p;
    p.count = (result - 1 - p.to) / p.step + 1;
    if (p.count > size - p.first) p.count = size - p.first;
    return p;
}

ch_status ch__do_pad(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    const ch__attr *lo = ch__op_attr(s->op, CH__ATTR_lo), *interior = ch__op_attr(s->op, CH__ATTR_interior);
    CH_TRY(ch__result_new(fr, s, 0));
    int64_t from[CH__MAX_RANK], to[CH__MAX_RANK], ss[CH__MAX_RANK], ds[CH__MAX_RANK], n[CH__MAX_RANK];
    int64_t src = 0, dst = 0, count = 1;
    ch__row_major(x.rank, x.dims, from);
    ch__row_major(o->rank, o->dims, to);
    for (int i = 0; i < x.rank; i++) {
        int64_t low, between = interior ? interior->ints[i] : 0;
        CH_TRY(ch__dim_value(fr, lo->dims[i], &low));
        pad_axis p = pad_range(x.dims[i], o->dims[i], low, between);
        n[i] = p.count;
        count *= p.count;
        ss[i] = from[i];
        ds[i] = to[i] * p.step;
        src += from[i] * p.first;
        dst += to[i] * p.to;
    }
    if (count != o->numel) ch__fill(ch__data(o), ch__data(CH__IN(1)), o->esize, o->numel);
    if (count > 0)
        ch__copy_strided((char *)ch__data(o) + dst * o->esize, ds, (const char *)ch__data(&x) + src * x.esize, ss, n,
                         x.rank, o->esize);
    return CH_OK;
}

ch_status ch__do_concat(ch__frame *fr, const ch__instr *s) {
    ch__cell *o = CH__OUT(0);
    int dim = (int)ch__op_int(s->op, CH__ATTR_dim, 0);
    int64_t before = 1, after = o->esize, sum = 0;
    CH_TRY(ch__result_new(fr, s, 0));
    for (int k = 0; k < s->n_in; k++) sum += CH__IN(k)->dims[dim];
    if (sum != o->dims[dim]) return differ(s, CH__IN(0), o);
    for (int i = 0; i < dim; i++) before *= o->dims[i];
    for (int i = dim + 1; i < o->rank; i++) after *= o->dims[i];
    char *to = ch__data(o);
    int64_t row = after * o->dims[dim];
    for (int k = 0; k < s->n_in; k++) {
        const ch__cell *x = CH__IN(k);
        int64_t part = after * x->dims[dim];
        if (x->numel * x->esize != part * before) return differ(s, x, o);
        const char *from = ch__data(x);
        for (int64_t i = 0; i < before && part > 0; i++) memcpy(to + i * row, from + i * part, (size_t)part);
        to += part;
    }
    return CH_OK;
}

ch_status ch__do_reverse(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    const ch__attr *dims = ch__op_attr(s->op, CH__ATTR_dims);
    if (x.numel != o->numel) return differ(s, &x, o);
    if (x.splat) return define_splat(fr, s);
    CH_TRY(ch__result_new(fr, s, 0));
    int64_t ss[CH__MAX_RANK], ds[CH__MAX_RANK], offset = 0;
    ch__row_major(x.rank, x.dims, ss);
    ch__row_major(o->rank, o->dims, ds);
    for (int k = 0; k < dims->n; k++) {
        int i = (int)dims->ints[k];
        offset += ss[i] * (x.dims[i] - 1);
        ss[i] = -ss[i];
    }
    if (o->numel > 0)
        ch__copy_strided(ch__data(o), ds, (const char *)ch__data(&x) + offset * x.esize, ss, o->dims, o->rank,
                         o->esize);
    return CH_OK;
}
