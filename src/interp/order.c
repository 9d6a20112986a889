// SPDX-License-Identifier: Apache-2.0
// order.c - sort and top_k: a stable merge sort of positions, line by line.
//
// Keys are read as f64, i64 or u64, which keeps their order; -0 equals +0 and NaN is above every number, so that it
// comes last ascending and first descending. Equal keys keep their order, descending too.
#include "interp/exec.h"

typedef struct {
    int n_keys;
    bool descending;
    const ch_dtype *wide; // of each key
    const uint64_t *keys; // [key][position]
    int64_t n;
} sort_line;

static int compare_keys(ch_dtype d, const uint64_t *a, const uint64_t *b) {
    if (d == CH_F64) {
        double x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        if (x != x || y != y) return (x != x) - (y != y);
        return (x > y) - (x < y);
    }
    if (d == CH_I64) {
        int64_t x = (int64_t)*a, y = (int64_t)*b;
        return (x > y) - (x < y);
    }
    return (*a > *b) - (*a < *b);
}

// May position b stand before a (a came first)?
static bool before(const sort_line *l, int64_t b, int64_t a) {
    for (int k = 0; k < l->n_keys; k++) {
        int c = compare_keys(l->wide[k], &l->keys[k * l->n + b], &l->keys[k * l->n + a]);
        if (c != 0) return l->descending ? c > 0 : c < 0;
    }
    return false;
}

// Positions 0..n-1 in order; tmp has room for n.
static void sort_positions(const sort_line *l, int64_t *pos, int64_t *tmp) {
    for (int64_t i = 0; i < l->n; i++) pos[i] = i;
    int64_t *from = pos, *to = tmp;
    for (int64_t width = 1; width < l->n; width *= 2) {
        for (int64_t lo = 0; lo < l->n; lo += 2 * width) {
            int64_t mid = lo + width < l->n ? lo + width : l->n, hi = mid + width < l->n ? mid + width : l->n;
            int64_t a = lo, b = mid, k = lo;
            while (a < mid && b < hi) to[k++] = before(l, from[b], from[a]) ? from[b++] : from[a++];
            while (a < mid) to[k++] = from[a++];
            while (b < hi) to[k++] = from[b++];
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != pos) memcpy(pos, from, (size_t)l->n * sizeof *pos);
}

static ch_dtype wide_of(ch_dtype d) { return ch__is_float(d) ? CH_F64 : ch__is_signed(d) ? CH_I64 : CH_U64; }

// Memory for a line: keys, positions, room to merge.
static ch__buf *line_memory(ch__run *r, int64_t n, int n_keys, uint64_t **keys, int64_t **pos) {
    int64_t bytes;
    if (!ch__mul_i64(n, 8 * ((int64_t)n_keys + 2), &bytes)) {
        ch__fail_oom("sort");
        return NULL;
    }
    ch__buf *b = ch__buf_new(r, bytes);
    if (!b) return NULL;
    *keys = b->data;
    *pos = (int64_t *)(*keys + n_keys * n);
    return b;
}

ch_status ch__do_sort(ch__frame *fr, const ch__instr *s) {
    const ch__cell *first = CH__IN(0);
    int dim = (int)ch__op_int(s->op, CH__ATTR_dim, 0), n_keys = (int)ch__op_int(s->op, CH__ATTR_keys, 1);
    if (n_keys < 1 || n_keys > s->n_in || n_keys > 64)
        return ch__op_fail(s, CH__E_attribute, "keys is %d of %d operands — 1 to %d", n_keys, s->n_in,
                           s->n_in < 64 ? s->n_in : 64);
    ch_dtype wide[64];
    int64_t n = first->dims[dim], outer = 1, inner = 1;
    for (int i = 0; i < dim; i++) outer *= first->dims[i];
    for (int i = dim + 1; i < first->rank; i++) inner *= first->dims[i];
    for (int k = 0; k < s->n_in; k++) {
        if (CH__IN(k)->numel != first->numel) return ch__op_fail(s, CH__E_shape_mismatch, "operands differ in size");
        CH_TRY(ch__result_new(fr, s, k));
        if (k < n_keys) wide[k] = wide_of((ch_dtype)CH__IN(k)->dtype);
    }
    if (first->numel == 0) return CH_OK;
    uint64_t *keys;
    int64_t *pos;
    ch__buf *room = line_memory(fr->run, n, n_keys, &keys, &pos);
    if (!room) return CH_RESOURCE_EXHAUSTED;
    sort_line l = {n_keys, ch__op_int(s->op, CH__ATTR_descending, 0) != 0, wide, keys, n};
    for (int64_t a = 0; a < outer; a++)
        for (int64_t b = 0; b < inner; b++) {
            int64_t base = a * n * inner + b;
            for (int k = 0; k < n_keys; k++) {
                const ch__cell *x = CH__IN(k);
                for (int64_t i = 0; i < n; i++)
                    ch__convert_n(&keys[k * n + i], wide[k], (const char *)ch__data(x) + (base + i * inner) * x->esize,
                                  (ch_dtype)x->dtype, 1);
            }
            sort_positions(&l, pos, pos + n);
            for (int k = 0; k < s->n_in; k++) {
                const ch__cell *x = CH__IN(k);
                char *to = ch__data(CH__OUT(k));
                for (int64_t i = 0; i < n; i++)
                    memcpy(to + (base + i * inner) * x->esize,
                           (const char *)ch__data(x) + (base + pos[i] * inner) * x->esize, x->esize);
            }
        }
    ch__buf_release(fr->run, room);
    return CH_OK;
}

ch_status ch__do_top_k(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *values = CH__OUT(0), *where = CH__OUT(1);
    int64_t n = x.dims[x.rank - 1], k = values->dims[x.rank - 1];
    CH_TRY(ch__result_new(fr, s, 0));
    CH_TRY(ch__result_new(fr, s, 1));
    if (k > n) return ch__op_fail(s, CH__E_bounds, "k is %" PRId64 " on an axis of size %" PRId64, k, n);
    if (values->numel == 0) return CH_OK;
    uint64_t *keys;
    int64_t *pos;
    ch_dtype wide = wide_of((ch_dtype)x.dtype);
    ch__buf *room = line_memory(fr->run, n, 1, &keys, &pos);
    if (!room) return CH_RESOURCE_EXHAUSTED;
    sort_line l = {1, true, &wide, keys, n};
    for (int64_t a = 0; a < x.numel / n; a++) {
        const char *from = (const char *)ch__data(&x) + a * n * x.esize;
        ch__convert_n(keys, wide, from, (ch_dtype)x.dtype, n);
        sort_positions(&l, pos, pos + n);
        for (int64_t i = 0; i < k; i++)
            memcpy((char *)ch__data(values) + (a * k + i) * x.esize, from + pos[i] * x.esize, x.esize);
        ch__convert_n((char *)ch__data(where) + a * k * where->esize, (ch_dtype)where->dtype, pos, CH_I64, k);
    }
    ch__buf_release(fr->run, room);
    return CH_OK;
}
