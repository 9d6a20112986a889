// SPDX-License-Identifier: Apache-2.0
// gen_array.c - constants, ops that move elements, and indexed ops. Moving elements keeps the interval of their values.
#include "gen/gen_internal.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- make

// A constant with every element given.
static bool make_list(gen *g) {
    const ch__type *t = gen_random_type(g, 2);
    int64_t dims[CH__MAX_RANK], n;
    for (int i = 0; i < t->rank; i++) {
        if (!ch__dim_is_const(t->dims[i])) return false;
        dims[i] = t->dims[i].val;
    }
    if (!ch__numel(t->rank, dims, &n)) return false;
    size_t size = ch_dtype_size(t->dtype);
    uint8_t *data = ch__arena_array(g->arena, (size_t)n + 1, size);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = gen_u64(g);
        double v = gen_real(g, -1, 1);
        if (g->o->differentiable && g->o->single)
            memcpy(&bits, &(float){(float)v}, 4);
        else if (g->o->differentiable)
            memcpy(&bits, &v, 8);
        if (t->dtype == CH_BOOL) bits &= 1;
        memcpy(data + (size_t)i * size, &bits, size);
    }
    g->budget--;
    gen_add(g, ch__b_const(&g->b, &(ch__array){.dtype = t->dtype, .rank = t->rank, .dims = dims, .data = data}), -1, 1);
    return true;
}

static bool make_bits(gen *g) {
    uint32_t words[2] = {(uint32_t)gen_u64(g), (uint32_t)gen_u64(g)};
    int64_t two = 2;
    ch__dim dims[2] = {gen_dim(g), gen_dim(g)};
    ch__value *v[2];
    v[0] = ch__b_const(&g->b, &(ch__array){.dtype = CH_U32, .rank = 1, .dims = &two, .data = words});
    v[1] = gen_splat(g, ch__type_scalar(CH_U64), gen_int(g, 1000));
    gen_add_any(g, gen_op(g, CH_OP_rng_bits, 2, v, 0, NULL, gen_type(g, CH_U32, gen_int(g, 3), dims))->results);
    return true;
}

// An array whose size is a value, and a number made of it.
static bool make_alloc(gen *g) {
    if (g->in_call) return false;
    ch__value *size = gen_one_in(g, 2) ? gen_i64(g, gen_int(g, 5)) : ch__b_dim(&g->b, gen_dim(g));
    const char *symbol = ch__arena_printf(g->arena, "k%d", ++g->locals);
    ch__dim dims[2] = {ch__dim_symbol(g->arena, symbol), gen_dim(g)};
    ch__attr a = ch__attr_str(CH__ATTR_symbols, symbol);
    ch_dtype d = gen_dtype(g);
    if (d == CH_BOOL) d = CH_F32;
    ch__value *v = gen_op(g, CH_OP_alloc, 1, &size, 1, &a, gen_type(g, d, 2, dims))->results;
    int64_t axes[2] = {0, 1};
    g->budget--;
    gen_add(g, ch__b_reduce(&g->b, CH__SUM, v, 1 + gen_int(g, 2), axes), 0, 0);
    gen_add_any(g, ch__b_dim(&g->b, ch__dim_add(g->arena, dims[0], dims[1])));
    return true;
}

bool gen_make(gen *g) {
    const ch__type *t = gen_random_type(g, 3);
    switch (gen_int(g, 7)) {
    case 0: return make_list(g);
    case 1: return !g->o->differentiable && make_bits(g);
    case 2: return make_alloc(g);
    case 3:
        g->budget--;
        gen_add_any(g,
                    ch__b_dim(&g->b, ch__dim_add(g->arena, ch__dim_mul(g->arena, gen_dim(g), gen_dim(g)), gen_dim(g))));
        return true;
    case 4: {
        ch_dtype d = g->o->differentiable ? gen_float(g) : t->dtype == CH_BOOL ? CH_I64 : t->dtype;
        if (t->rank == 0) return false;
        g->budget--;
        gen_add(g, ch__b_iota(&g->b, ch__type_with_dtype(g->arena, t, d), gen_int(g, t->rank)), 0,
                g->o->large ? 260 : 60);
        return true;
    }
    case 5: gen_add(g, gen_op(g, CH_OP_alloc, 0, NULL, 0, NULL, t)->results, 0, 0); return true;
    default: {
        double v = g->o->differentiable ? gen_real(g, -2, 2) : (double)(gen_int(g, 5) - 2);
        gen_add(g, gen_splat(g, t, v), v, v);
        return true;
    }
    }
}

// ---------------------------------------------------------------- shape

static bool is_array(const gen *g, const gen_val *v, const void *rank) {
    const ch__type *t = v->v->type;
    if (t->tape || t->rank < *(const int *)rank) return false;
    if (g->o->differentiable && t->dtype != gen_float(g)) return false;
    for (int i = 0; i < t->rank; i++)
        if (gen_most(g, t->dims[i]) == INT32_MAX) return false; // a local symbol
    return true;
}

static gen_val *pick_array(gen *g, int min_rank) { return gen_pick(g, is_array, &min_rank); }

// The same elements as one axis, or with two neighbours joined, or with an axis of size 1 more.
static bool make_reshape(gen *g, gen_val x) {
    const ch__type *t = x.v->type;
    ch__dim dims[8];
    int rank = 0, at = gen_int(g, t->rank + 1), how = gen_int(g, 3);
    if (t->rank > 4) return false;
    if (how == 0) {
        dims[rank++] = ch__type_numel(g->arena, t);
    } else {
        for (int i = 0; i <= t->rank; i++) {
            if (i == at && how == 1) dims[rank++] = ch__dim_const(1);
            if (i == t->rank) break;
            bool join = how == 2 && i == at && i + 1 < t->rank;
            dims[rank++] = join ? ch__dim_mul(g->arena, t->dims[i], t->dims[i + 1]) : t->dims[i];
            i += join;
        }
    }
    g->budget--;
    gen_add(g, ch__b_reshape(&g->b, x.v, gen_type(g, t->dtype, rank, dims)), x.lo, x.hi);
    return true;
}

static bool make_transpose(gen *g, gen_val x) {
    int64_t perm[CH__MAX_RANK];
    int rank = x.v->type->rank;
    for (int i = 0; i < rank; i++) {
        int at = gen_int(g, i + 1);
        perm[i] = perm[at];
        perm[at] = i;
    }
    g->budget--;
    gen_add(g, ch__b_transpose(&g->b, x.v, perm), x.lo, x.hi);
    return true;
}

// New axes between those of x; axes of size 1 repeated.
static bool make_broadcast(gen *g, gen_val x) {
    const ch__type *t = x.v->type;
    ch__dim dims[8];
    int64_t map[8];
    int rank = 0;
    if (t->rank > 4) return false;
    for (int i = 0; i <= t->rank; i++) {
        if (gen_one_in(g, 3)) dims[rank++] = gen_dim(g);
        if (i == t->rank) break;
        bool one = ch__dim_is_const(t->dims[i]) && t->dims[i].val == 1;
        map[i] = rank;
        dims[rank++] = one ? gen_dim(g) : t->dims[i];
    }
    if (!gen_fits(g, rank, dims)) return false;
    g->budget--;
    gen_add(g, ch__b_broadcast(&g->b, x.v, gen_type(g, t->dtype, rank, dims), map), x.lo, x.hi);
    return true;
}

// 0 <= start <= limit <= size, sure for every value of the symbols.
static bool make_slice(gen *g, gen_val x) {
    const ch__type *t = x.v->type;
    ch__dim start[CH__MAX_RANK], limit[CH__MAX_RANK];
    int64_t stride[CH__MAX_RANK];
    for (int i = 0; i < t->rank; i++) {
        int64_t size = ch__dim_is_const(t->dims[i]) ? t->dims[i].val : 0, from = size ? gen_int(g, (int)size) : 0;
        start[i] = ch__dim_const(from);
        limit[i] = t->dims[i];
        if (size && gen_one_in(g, 2)) limit[i] = ch__dim_const(from + gen_int(g, (int)(size - from) + 1));
        stride[i] = gen_one_in(g, 3) ? 2 : 1;
    }
    g->budget--;
    gen_add(g, ch__b_slice(&g->b, x.v, start, limit, stride), x.lo, x.hi);
    return true;
}

static bool make_pad(gen *g, gen_val x) {
    const ch__type *t = x.v->type;
    ch__dim lo[CH__MAX_RANK], hi[CH__MAX_RANK], dims[CH__MAX_RANK];
    int64_t interior[CH__MAX_RANK];
    for (int i = 0; i < t->rank; i++) {
        bool roomy = ch__dim_is_const(t->dims[i]) && t->dims[i].val > 1;
        lo[i] = ch__dim_const(gen_int(g, 3) - roomy);
        hi[i] = gen_one_in(g, 6) ? gen_dim(g) : ch__dim_const(gen_int(g, 2));
        interior[i] = gen_one_in(g, 4);
        dims[i] = ch__dim_mul(g->arena, ch__dim_const(1 + interior[i]),
                              ch__dim_add(g->arena, t->dims[i], ch__dim_add(g->arena, lo[i], hi[i])));
    }
    if (!gen_fits(g, t->rank, dims)) return false;
    double c = g->o->differentiable ? gen_real(g, -1, 1) : (double)gen_int(g, 2);
    ch__value *v = gen_splat(g, ch__type_scalar(t->dtype), c);
    g->budget--;
    gen_add(g, ch__b_pad(&g->b, x.v, v, lo, hi, interior), fmin(x.lo, c), fmax(x.hi, c));
    return true;
}

static bool make_concat(gen *g, gen_val x) {
    const ch__type *t = x.v->type;
    ch__value *xs[3] = {x.v, x.v, x.v};
    int n = 1 + gen_int(g, 3), dim = gen_int(g, t->rank);
    double lo = x.lo, hi = x.hi;
    for (int i = 1; i < n; i++) {
        gen_val *y = gen_pick_type(g, t);
        xs[i] = y->v;
        lo = fmin(lo, y->lo);
        hi = fmax(hi, y->hi);
    }
    g->budget--;
    gen_add(g, ch__b_concat(&g->b, n, xs, dim), lo, hi);
    return true;
}

static bool make_reverse(gen *g, gen_val x) {
    int64_t dims[CH__MAX_RANK];
    int n = 0;
    for (int i = 0; i < x.v->type->rank; i++)
        if (gen_one_in(g, 2)) dims[n++] = i;
    g->budget--;
    gen_add(g, ch__b_reverse(&g->b, x.v, n, dims), x.lo, x.hi);
    return true;
}

bool gen_shape(gen *g) {
    int how = gen_int(g, 7);
    gen_val *x = pick_array(g, how == 2 || how == 0 ? 0 : 1);
    if (!x) return false;
    switch (how) {
    case 0: return make_reshape(g, *x);
    case 1: return make_transpose(g, *x);
    case 2: return make_broadcast(g, *x);
    case 3: return make_slice(g, *x);
    case 4: return make_pad(g, *x);
    case 5: return make_concat(g, *x);
    default: return make_reverse(g, *x);
    }
}

// ---------------------------------------------------------------- indexed

static ch__value *an_index(gen *g) {
    gen_val *v = gen_pick_type(g, ch__type_scalar(CH_I64));
    return v && gen_one_in(g, 2) ? v->v : gen_i64(g, gen_int(g, 4));
}

// A block no larger than x in any axis: constant sizes below a constant size, else the whole axis.
static void block_sizes(gen *g, const ch__type *t, ch__dim *sizes) {
    for (int i = 0; i < t->rank; i++) {
        bool fixed = ch__dim_is_const(t->dims[i]) && t->dims[i].val > 0;
        sizes[i] = fixed ? ch__dim_const(gen_int(g, (int)t->dims[i].val + 1)) : t->dims[i];
    }
}

static bool make_dynamic(gen *g, gen_val x, bool update) {
    const ch__type *t = x.v->type;
    ch__dim sizes[CH__MAX_RANK];
    ch__value *v[2 + CH__MAX_RANK] = {x.v};
    int first = update ? 2 : 1;
    block_sizes(g, t, sizes);
    double lo = x.lo, hi = x.hi;
    if (update) {
        const ch__type *ut = gen_type(g, t->dtype, t->rank, sizes);
        gen_val *u = gen_pick_type(g, ut);
        v[1] = u ? u->v : gen_splat(g, ut, 1);
        lo = fmin(lo, u ? u->lo : 1);
        hi = fmax(hi, u ? u->hi : 1);
    }
    for (int i = 0; i < t->rank; i++) v[first + i] = an_index(g);
    ch__attr a = ch__attr_dims(CH__ATTR_sizes, t->rank, sizes);
    ch__op *op =
        gen_op(g, update ? CH_OP_dynamic_update_slice : CH_OP_dynamic_slice, first + t->rank, v, !update, &a, NULL);
    gen_add(g, op->results, lo, hi);
    return true;
}

// Rows of x at n indices along axis 0; for scatter put back there, from rows made likewise.
static bool make_rows(gen *g, gen_val x, bool scatter) {
    const ch__type *t = x.v->type;
    if (gen_least(g, t->dims[0]) < 1 || t->rank > 4) return false;
    // Without repetition when the order of updates would matter to a derivative.
    int64_t n = 1 + gen_int(g, 3), zero = 0, offset[CH__MAX_RANK];
    int64_t rows[3];
    bool add = !g->o->differentiable || gen_one_in(g, 2);
    for (int64_t i = 0; i < n; i++) rows[i] = add ? gen_int(g, 4) : i;
    if (!add && scatter && (n = 1) && gen_most(g, t->dims[0]) < 1) return false;
    ch__value *indices = ch__b_const(&g->b, &(ch__array){.dtype = CH_I64, .rank = 1, .dims = &n, .data = rows});
    ch__dim sizes[CH__MAX_RANK], udims[CH__MAX_RANK];
    for (int i = 0; i < t->rank; i++) {
        sizes[i] = i ? t->dims[i] : ch__dim_const(1);
        udims[i] = i ? t->dims[i] : ch__dim_const(n);
        offset[i] = i + 1;
    }
    ch__attr common[] = {ch__attr_ints(CH__ATTR_index_map, 1, &zero), ch__attr_int(CH__ATTR_index_dim, 1)};
    if (!scatter) {
        ch__attr a[] = {common[0], common[1], ch__attr_ints(CH__ATTR_offset_dims, t->rank - 1, offset),
                        ch__attr_ints(CH__ATTR_collapsed, 1, &zero), ch__attr_dims(CH__ATTR_sizes, t->rank, sizes)};
        ch__value *v[2] = {x.v, indices};
        gen_add(g, gen_op(g, CH_OP_gather, 2, v, 5, a, NULL)->results, x.lo, x.hi);
        return true;
    }
    if (t->dtype == CH_BOOL || ch__dtype_class(t->dtype) == 's') return false;
    x = gen_scaled(g, x, 5);
    const ch__type *ut = gen_type(g, t->dtype, t->rank, udims);
    gen_val *have = gen_pick_type(g, ut);
    gen_val u = have ? gen_scaled(g, *have, 5) : (gen_val){gen_splat(g, ut, 1), 1, 1};
    static const ch__kind kinds[] = {CH__ADD, CH__SET, CH__MUL, CH__MIN, CH__MAX};
    ch__kind kind = g->o->differentiable ? (add ? CH__ADD : CH__SET) : kinds[gen_int(g, 5)];
    ch__attr a[] = {common[0], common[1], ch__attr_ints(CH__ATTR_window_dims, t->rank - 1, offset),
                    ch__attr_ints(CH__ATTR_inserted, 1, &zero), ch__attr_int(CH__ATTR_kind, kind)};
    ch__value *v[3] = {x.v, indices, u.v};
    gen_add(g, gen_op(g, CH_OP_scatter, 3, v, 5, a, NULL)->results, fmin(x.lo, u.lo) - 15, fmax(x.hi, u.hi) + 15);
    return true;
}

bool gen_indexed(gen *g) {
    gen_val *x = pick_array(g, 1);
    if (!x) return false;
    int how = gen_int(g, 4);
    return how < 2 ? make_dynamic(g, *x, how) : make_rows(g, *x, how == 3);
}
