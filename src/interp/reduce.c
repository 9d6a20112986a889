// SPDX-License-Identifier: Apache-2.0
// reduce.c - reduce, arg_reduce and cumulative.
//
// The axes of the operand are joined into runs that are kept and runs that are reduced. When the innermost run is kept,
// a block of accumulators lies side by side and each reduced position adds a row to it; when it is reduced, each output
// is a chain of its own, and four chains of sums go side by side. Either way an output folds its elements in row-major
// order of the reduced axes. Outputs are shared out among threads; none is ever split.
#include "interp/exec.h"

#define PIECE 256
#define PARALLEL_ELEMENTS 65536

typedef struct {
    ch__kind kind;
    ch_dtype d, acc, carrier, out_dtype;
    int esize, out_size;
    const char *src;
    char *out;
    int n_kept, n_reduced; // outer runs kept; runs reduced without the innermost if that is reduced
    int64_t kept_dim[CH__MAX_RANK], kept_stride[CH__MAX_RANK];
    int64_t red_dim[CH__MAX_RANK], red_stride[CH__MAX_RANK];
    int64_t inner;  // length of the innermost run
    int64_t blocks; // pieces of it, when it is kept
} reduce_job;

static int64_t kept_offset(const reduce_job *j, int64_t index) {
    int64_t offset = 0;
    for (int i = j->n_kept - 1; i >= 0; i--) {
        offset += index % j->kept_dim[i] * j->kept_stride[i];
        index /= j->kept_dim[i];
    }
    return offset;
}

// The next reduced position; false past the last.
static bool next_reduced(const reduce_job *j, int64_t at[CH__MAX_RANK], int64_t *offset) {
    for (int i = j->n_reduced - 1; i >= 0; i--) {
        *offset += j->red_stride[i];
        if (++at[i] < j->red_dim[i]) return true;
        *offset -= j->red_stride[i] * j->red_dim[i];
        at[i] = 0;
    }
    return false;
}

static void fold_row(const reduce_job *j, void *state, int64_t step, const char *src, int64_t n) {
    uint64_t row[PIECE];
    if (j->d == j->carrier && j->acc == j->carrier) {
        ch__fold_n(j->kind, j->acc, state, step, src, n);
        return;
    }
    for (int64_t at = 0; at < n; at += PIECE) {
        int64_t m = n - at < PIECE ? n - at : PIECE;
        ch__carrier_load(row, j->acc, src + at * j->esize, j->d, m);
        ch__fold_n(j->kind, j->acc, (char *)state + (step ? (size_t)at * ch_dtype_size(j->carrier) : 0), step, row, m);
    }
}

// The innermost run is kept: unit u is block u % blocks of outer position u / blocks.
static void reduce_blocks(void *arg, int64_t begin, int64_t end) {
    const reduce_job *j = arg;
    uint64_t state[PIECE];
    for (int64_t u = begin; u < end; u++) {
        int64_t outer = u / j->blocks, first = u % j->blocks * PIECE;
        int64_t n = j->inner - first < PIECE ? j->inner - first : PIECE;
        int64_t at[CH__MAX_RANK] = {0}, offset = kept_offset(j, outer) + first;
        ch__fold_identity(j->kind, j->d, j->acc, state, n);
        do fold_row(j, state, 1, j->src + offset * j->esize, n);
        while (next_reduced(j, at, &offset));
        ch__carrier_store(j->out + (outer * j->inner + first) * j->out_size, j->out_dtype, j->acc, state, n);
    }
}

#define FOUR_SUMS(NAME, T, A)                                                                                          \
    static void NAME(const void *src, const int64_t offset[4], int64_t n, A *sum) {                                    \
        const T *a = (const T *)src + offset[0], *b = (const T *)src + offset[1], *c = (const T *)src + offset[2],     \
                *d = (const T *)src + offset[3];                                                                       \
        A s = sum[0], t = sum[1], u = sum[2], v = sum[3];                                                              \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            s += (A)a[i];                                                                                              \
            t += (A)b[i];                                                                                              \
            u += (A)c[i];                                                                                              \
            v += (A)d[i];                                                                                              \
        }                                                                                                              \
        sum[0] = s, sum[1] = t, sum[2] = u, sum[3] = v;                                                                \
    }
FOUR_SUMS(four_sums_f32_f64, float, double)
FOUR_SUMS(four_sums_f32, float, float)
FOUR_SUMS(four_sums_f64, double, double)
#undef FOUR_SUMS

static bool four_chains(const reduce_job *j) {
    return j->kind == CH__SUM &&
           ((j->d == CH_F32 && (j->acc == CH_F64 || j->acc == CH_F32)) || (j->d == CH_F64 && j->acc == CH_F64));
}

static void reduce_four(const reduce_job *j, int64_t u) {
    double wide[4];
    float narrow[4];
    int64_t at[CH__MAX_RANK] = {0}, base[4], moved = 0, offset[4];
    bool is64 = j->acc == CH_F64;
    void *state = is64 ? (void *)wide : (void *)narrow;
    for (int k = 0; k < 4; k++) base[k] = kept_offset(j, u + k), wide[k] = 0, narrow[k] = 0;
    do {
        for (int k = 0; k < 4; k++) offset[k] = base[k] + moved;
        if (!is64)
            four_sums_f32(j->src, offset, j->inner, narrow);
        else if (j->d == CH_F32)
            four_sums_f32_f64(j->src, offset, j->inner, wide);
        else
            four_sums_f64(j->src, offset, j->inner, wide);
    } while (next_reduced(j, at, &moved));
    ch__carrier_store(j->out + u * j->out_size, j->out_dtype, j->acc, state, 4);
}

// The innermost run is reduced: unit u is output u.
static void reduce_chains(void *arg, int64_t begin, int64_t end) {
    const reduce_job *j = arg;
    bool four = four_chains(j);
    for (int64_t u = begin; u < end; u++) {
        if (four && u + 4 <= end) {
            reduce_four(j, u);
            u += 3;
            continue;
        }
        uint64_t state;
        int64_t at[CH__MAX_RANK] = {0}, offset = kept_offset(j, u);
        ch__fold_identity(j->kind, j->d, j->acc, &state, 1);
        do fold_row(j, &state, 0, j->src + offset * j->esize, j->inner);
        while (next_reduced(j, at, &offset));
        ch__carrier_store(j->out + u * j->out_size, j->out_dtype, j->acc, &state, 1);
    }
}

// Joins axes into runs. True when the innermost run is kept.
static bool make_runs(reduce_job *j, const ch__cell *x, const bool *reduced) {
    int64_t stride[CH__MAX_RANK], dim[CH__MAX_RANK], step[CH__MAX_RANK];
    bool red[CH__MAX_RANK];
    int n = 0;
    ch__row_major(x->rank, x->dims, stride);
    for (int i = 0; i < x->rank; i++) {
        if (x->dims[i] == 1) continue;
        if (n > 0 && red[n - 1] == reduced[i]) {
            dim[n - 1] *= x->dims[i];
            step[n - 1] = stride[i];
            continue;
        }
        red[n] = reduced[i];
        dim[n] = x->dims[i];
        step[n++] = stride[i];
    }
    j->inner = 1;
    bool kept = n == 0 || !red[n - 1];
    if (n > 0) j->inner = dim[--n];
    for (int i = 0; i < n; i++) {
        if (red[i]) {
            j->red_dim[j->n_reduced] = dim[i];
            j->red_stride[j->n_reduced++] = step[i];
        } else {
            j->kept_dim[j->n_kept] = dim[i];
            j->kept_stride[j->n_kept++] = step[i];
        }
    }
    return kept;
}

ch_status ch__do_reduce(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    const ch__attr *dims = ch__op_attr(s->op, CH__ATTR_dims);
    bool reduced[CH__MAX_RANK] = {false};
    for (int i = 0; i < dims->n; i++) reduced[dims->ints[i]] = true;
    int64_t kept_elements = 1;
    for (int i = 0; i < x.rank; i++) kept_elements *= reduced[i] ? 1 : x.dims[i];
    if (o->numel >= 0 && kept_elements != o->numel)
        return ch__op_fail(s, CH__E_shape_mismatch, "the result has another size");
    CH_TRY(ch__result_new(fr, s, 0));
    reduce_job j = {.kind = (ch__kind)ch__op_int(s->op, CH__ATTR_kind, 0),
                    .d = (ch_dtype)x.dtype,
                    .esize = x.esize,
                    .out_dtype = (ch_dtype)o->dtype,
                    .out_size = o->esize,
                    .src = ch__data(&x),
                    .out = ch__data(o)};
    j.acc = ch__acc_dtype(s->op, j.d);
    j.carrier = ch__carrier(j.acc);
    if (o->numel == 0) return CH_OK;
    if (x.numel == 0) { // of no elements
        uint64_t one;
        ch__fold_identity(j.kind, j.d, j.acc, &one, 1);
        ch__carrier_store(j.out, j.out_dtype, j.acc, &one, 1);
        ch__fill(j.out, j.out, o->esize, o->numel);
        return CH_OK;
    }
    bool kept = make_runs(&j, &x, reduced);
    int64_t units = o->numel, cost = x.numel / o->numel;
    if (kept) {
        j.blocks = (j.inner + PIECE - 1) / PIECE;
        units = o->numel / j.inner * j.blocks;
        cost *= j.inner / j.blocks + 1;
    }
    int64_t grain = PARALLEL_ELEMENTS / cost;
    ch__parallel_for(units, grain > 4 ? grain : 4, kept ? reduce_blocks : reduce_chains, &j);
    return CH_OK;
}

// ---------------------------------------------------------------- lines along one axis
// The operand seen as outer x n x inner.
typedef struct {
    int64_t outer, n, inner;
} lines;

static lines lines_of(const ch__cell *x, int dim) {
    lines l = {1, x->dims[dim], 1};
    for (int i = 0; i < dim; i++) l.outer *= x->dims[i];
    for (int i = dim + 1; i < x->rank; i++) l.inner *= x->dims[i];
    return l;
}

// ---------------------------------------------------------------- arg_reduce
// Does candidate y replace x? The first of equals stays; the first NaN stays for good.
#define BETTER(NAME, T)                                                                                                \
    static bool NAME(const void *best, const void *candidate, bool largest) {                                          \
        T x = *(const T *)best, y = *(const T *)candidate;                                                             \
        if (x != x) return false;                                                                                      \
        if (y != y) return true;                                                                                       \
        return largest ? y > x : y < x;                                                                                \
    }
BETTER(better_f64, double)
BETTER(better_i64, int64_t)
BETTER(better_u64, uint64_t)
#undef BETTER

ch_status ch__do_arg_reduce(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    lines l = lines_of(&x, (int)ch__op_int(s->op, CH__ATTR_dim, 0));
    bool largest = ch__op_int(s->op, CH__ATTR_kind, CH__MAX) == CH__MAX;
    ch_dtype d = (ch_dtype)x.dtype, wide = ch__is_float(d) ? CH_F64 : ch__is_signed(d) ? CH_I64 : CH_U64;
    bool (*better)(const void *, const void *, bool) = wide == CH_F64   ? better_f64
                                                       : wide == CH_I64 ? better_i64
                                                                        : better_u64;
    if (l.n == 0 && l.outer * l.inner > 0)
        return ch__op_fail(s, CH__E_shape_mismatch, "axis %d has size 0 — no element has a position",
                           (int)ch__op_int(s->op, CH__ATTR_dim, 0));
    CH_TRY(ch__result_new(fr, s, 0));
    char *to = ch__data(o);
    for (int64_t a = 0; a < l.outer; a++)
        for (int64_t b0 = 0; b0 < l.inner; b0 += PIECE) {
            uint64_t best[PIECE], row[PIECE];
            int64_t where[PIECE] = {0}, m = l.inner - b0 < PIECE ? l.inner - b0 : PIECE;
            const char *from = (const char *)ch__data(&x) + (a * l.n * l.inner + b0) * x.esize;
            ch__convert_n(best, wide, from, d, m);
            for (int64_t t = 1; t < l.n; t++) {
                ch__convert_n(row, wide, from + t * l.inner * x.esize, d, m);
                for (int64_t b = 0; b < m; b++)
                    if (better(&best[b], &row[b], largest)) best[b] = row[b], where[b] = t;
            }
            ch__convert_n(to + (a * l.inner + b0) * o->esize, (ch_dtype)o->dtype, where, CH_I64, m);
        }
    return CH_OK;
}

// ---------------------------------------------------------------- cumulative
// One line whose elements lie side by side: pieces are converted as a whole, the chain runs through them.
static void scan_line(ch__kind kind, ch_dtype d, ch_dtype acc, const char *from, char *to, int64_t n, bool backwards) {
    uint64_t state, row[PIECE];
    size_t size = ch_dtype_size(d), wide = ch_dtype_size(ch__carrier(acc));
    ch__fold_identity(kind, d, acc, &state, 1);
    for (int64_t done = 0; done < n; done += PIECE) {
        int64_t m = n - done < PIECE ? n - done : PIECE, at = backwards ? n - done - m : done;
        ch__carrier_load(row, acc, from + (size_t)at * size, d, m);
        for (int64_t i = 0; i < m; i++) {
            char *x = (char *)row + (size_t)(backwards ? m - 1 - i : i) * wide;
            ch__fold_n(kind, acc, &state, 0, x, 1);
            memcpy(x, &state, wide);
        }
        ch__carrier_store(to + (size_t)at * size, d, acc, row, m);
    }
}

ch_status ch__do_cumulative(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0);
    ch__cell *o = CH__OUT(0);
    lines l = lines_of(&x, (int)ch__op_int(s->op, CH__ATTR_dim, 0));
    ch__kind kind = (ch__kind)ch__op_int(s->op, CH__ATTR_kind, 0);
    bool backwards = ch__op_int(s->op, CH__ATTR_reverse, 0) != 0;
    ch_dtype d = (ch_dtype)x.dtype, acc = ch__acc_dtype(s->op, d);
    if (x.numel != o->numel) return ch__op_fail(s, CH__E_shape_mismatch, "operand and result differ in size");
    CH_TRY(ch__result_new(fr, s, 0));
    if (l.inner == 1) {
        for (int64_t a = 0; a < l.outer; a++) {
            int64_t at = a * l.n * x.esize;
            scan_line(kind, d, acc, (const char *)ch__data(&x) + at, (char *)ch__data(o) + at, l.n, backwards);
        }
        return CH_OK;
    }
    for (int64_t a = 0; a < l.outer; a++)
        for (int64_t b0 = 0; b0 < l.inner; b0 += PIECE) {
            uint64_t state[PIECE], row[PIECE];
            int64_t m = l.inner - b0 < PIECE ? l.inner - b0 : PIECE;
            ch__fold_identity(kind, d, acc, state, m);
            for (int64_t t = 0; t < l.n; t++) {
                int64_t at = ((a * l.n + (backwards ? l.n - 1 - t : t)) * l.inner + b0) * x.esize;
                ch__carrier_load(row, acc, (const char *)ch__data(&x) + at, d, m);
                ch__fold_n(kind, acc, state, 1, row, m);
                ch__carrier_store((char *)ch__data(o) + at, d, acc, state, m);
            }
        }
    return CH_OK;
}
