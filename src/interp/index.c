// SPDX-License-Identifier: Apache-2.0
// index.c - get, set, dynamic_slice, dynamic_update_slice: memory reached by computed indices.
//
// Nothing outside an array is ever touched. Out of range under `known` or `c` is an error that names the index, the
// axis and the array; under `clamp` the index is moved into range, which is an error too when the run checks.
#include "interp/exec.h"

static ch_status bad_index(const ch__instr *s, const ch__cell *x, int axis, int64_t at) {
    char a[CH__SHAPE_CHARS];
    if (x->dims[axis] == 0)
        return ch__op_fail(s, CH__E_bounds, "index %" PRId64 " on axis %d — %s has no element", at, axis,
                           ch__shape_text(a, x));
    return ch__op_fail(s, CH__E_bounds, "index %" PRId64 " on axis %d — %s has indices 0 to %" PRId64, at, axis,
                       ch__shape_text(a, x), x->dims[axis] - 1);
}

static ch_status bad_start(const ch__instr *s, const ch__cell *x, int axis, int64_t at, int64_t size) {
    char a[CH__SHAPE_CHARS];
    return ch__op_fail(s, CH__E_bounds,
                       "start %" PRId64 " with size %" PRId64 " on axis %d — %s allows starts 0 to %" PRId64, at, size,
                       axis, ch__shape_text(a, x), x->dims[axis] - size);
}

// The offset of the element that operands first .. first+rank-1 address.
static ch_status element_offset(ch__frame *fr, const ch__instr *s, const ch__cell *x, int first, int64_t *offset) {
    bool clamps = ch__op_int(s->op, CH__ATTR_bounds, CH__C) == CH__CLAMP, check = fr->run->limits.check;
    int64_t at = 0;
    for (int i = 0; i < x->rank; i++) {
        int64_t k = ch__index_value(CH__IN(first + i)), n = x->dims[i];
        if (CH_UNLIKELY(k < 0 || k >= n)) {
            if (!clamps || check || n == 0) return bad_index(s, x, i, k);
            k = k < 0 ? 0 : n - 1;
        }
        at = at * n + k;
    }
    *offset = at;
    return CH_OK;
}

static void put_element(void *to, const void *from, int size) {
    switch (size) {
    case 1: memcpy(to, from, 1); return;
    case 2: memcpy(to, from, 2); return;
    case 4: memcpy(to, from, 4); return;
    default: memcpy(to, from, 8); return;
    }
}

ch_status ch__do_get(ch__frame *fr, const ch__instr *s) {
    const ch__cell *x = CH__IN(0);
    int64_t offset;
    if (s->n_in - 1 != x->rank) return ch__op_fail(s, CH__E_arity, "%d indices for rank %d", s->n_in - 1, x->rank);
    CH_TRY(element_offset(fr, s, x, 1, &offset));
    CH_TRY(ch__result_new(fr, s, 0));
    put_element(ch__data(CH__OUT(0)), (const char *)ch__data(x) + offset * x->esize, x->esize);
    return CH_OK;
}

ch_status ch__do_set(ch__frame *fr, const ch__instr *s) {
    int64_t offset;
    if (s->n_in - 2 != CH__IN(0)->rank)
        return ch__op_fail(s, CH__E_arity, "%d indices for rank %d", s->n_in - 2, CH__IN(0)->rank);
    CH_TRY(element_offset(fr, s, CH__IN(0), 2, &offset));
    CH_TRY(ch__result_update(fr, s, 0, 0));
    ch__cell *o = CH__OUT(0);
    put_element((char *)ch__data(o) + offset * o->esize, ch__data(CH__IN(1)), o->esize);
    return CH_OK;
}

// Where the block of the given sizes starts, as an offset into x.
static ch_status block_offset(ch__frame *fr, const ch__instr *s, const ch__cell *x, const int64_t *sizes, int first,
                              int64_t *offset) {
    bool clamps = ch__op_int(s->op, CH__ATTR_bounds, CH__CLAMP) == CH__CLAMP, check = fr->run->limits.check;
    int64_t at = 0;
    for (int i = 0; i < x->rank; i++) {
        int64_t k = ch__index_value(CH__IN(first + i)), last = x->dims[i] - sizes[i];
        if (last < 0) return bad_start(s, x, i, k, sizes[i]);
        if (k < 0 || k > last) {
            if (!clamps || check) return bad_start(s, x, i, k, sizes[i]);
            k = k < 0 ? 0 : last;
        }
        at = at * x->dims[i] + k;
    }
    *offset = at;
    return CH_OK;
}

ch_status ch__do_dynamic_slice(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    int64_t offset = 0, ss[CH__MAX_RANK], ds[CH__MAX_RANK];
    if (s->n_in - 1 != x.rank) return ch__op_fail(s, CH__E_arity, "%d starts for rank %d", s->n_in - 1, x.rank);
    CH_TRY(ch__result_new(fr, s, 0));
    CH_TRY(block_offset(fr, s, &x, o->dims, 1, &offset));
    if (o->numel == 0) return CH_OK;
    ch__row_major(x.rank, x.dims, ss);
    ch__row_major(o->rank, o->dims, ds);
    ch__copy_strided(ch__data(o), ds, (const char *)ch__data(&x) + offset * x.esize, ss, o->dims, o->rank, o->esize);
    return CH_OK;
}

ch_status ch__do_dynamic_update_slice(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0), u = *CH__IN(1);
    ch__cell *o = CH__OUT(0);
    int64_t offset = 0, ss[CH__MAX_RANK], ds[CH__MAX_RANK];
    if (s->n_in - 2 != x.rank) return ch__op_fail(s, CH__E_arity, "%d starts for rank %d", s->n_in - 2, x.rank);
    CH_TRY(block_offset(fr, s, &x, u.dims, 2, &offset));
    CH_TRY(ch__result_update(fr, s, 0, 0));
    if (u.numel == 0) return CH_OK;
    ch__row_major(u.rank, u.dims, ss);
    ch__row_major(o->rank, o->dims, ds);
    ch__copy_strided((char *)ch__data(o) + offset * o->esize, ds, ch__data(&u), ss, u.dims, u.rank, o->esize);
    return CH_OK;
}
