// SPDX-License-Identifier: Apache-2.0
// infer_indexed.c - shape rules of ops that take or put elements at computed places.
//
// gather and scatter: the constraints of the StableHLO specification under our attribute names,
//     collapsed / inserted            collapsed_slice_dims / inserted_window_dims
//     offset_dims / window_dims       offset_dims / update_window_dims
//     operand_batch, indices_batch    operand_batching_dims (input_), start_indices_batching_dims (scatter_)
//     index_map, index_dim, sizes     start_index_map (scatter_dims_to_operand_dims), index_vector_dim, slice_sizes
// stricter in one point: an axis that is collapsed or goes along has slice size 1, never 0.
#include "ir/infer.h"

// Operands first.. are the indices into x, one number an axis.
static void check_starts(ch__infer *in, int first, const char *what) {
    int n = in->n_operands - first, rank = in->operands[0]->rank;
    if (n != rank) ch__infer_bad(in, CH__E_arity, "%d %s%s given, x has rank %d", n, what, n == 1 ? "" : "s", rank);
    for (int i = 0; i < n; i++) ch__infer_scalar_int(in, first + i);
}

void ch__infer_get(ch__infer *in) {
    check_starts(in, 1, "index operand");
    ch__infer_one(in, ch__type_scalar(in->operands[0]->dtype));
}

void ch__infer_set(ch__infer *in) {
    const ch__type *x = in->operands[0], *value = in->operands[1];
    if (value->dtype != x->dtype)
        ch__infer_bad(in, CH__E_dtype_mismatch, "value is %s, x is %s: convert one of them",
                      ch_dtype_name(value->dtype), ch_dtype_name(x->dtype));
    if (value->rank) ch__infer_bad(in, CH__E_rank, "value has rank %d, one number (rank 0) is wanted", value->rank);
    check_starts(in, 2, "index operand");
    ch__infer_one(in, x);
}

// Every entry of sizes between 0 and the size of x.
static void check_sizes(ch__infer *in, const ch__type *x, const ch__attr *sizes) {
    ch__infer_need_count(in, CH__ATTR_sizes, "the operand", "rank", x->rank);
    ch__dim zero = ch__dim_const(0);
    for (int i = 0; i < x->rank; i++) {
        ch__dim s = sizes->dims[i];
        ch__answer r = ch__infer_le(in, zero, s);
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_attribute, zero, s, "sizes holds %s for axis %d, at least 0 is wanted",
                            ch__infer_dim_text(in, s), i);
        r = ch__infer_le(in, s, x->dims[i]);
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_attribute, s, x->dims[i],
                            "sizes holds %s for axis %d, the operand is %s there", ch__infer_dim_text(in, s), i,
                            ch__infer_dim_text(in, x->dims[i]));
    }
}

void ch__infer_dynamic_slice(ch__infer *in) {
    const ch__type *x = in->operands[0];
    const ch__attr *sizes = ch__infer_attr(in, CH__ATTR_sizes);
    check_starts(in, 1, "start");
    check_sizes(in, x, sizes);
    ch__infer_one(in, ch__infer_make(in, x->dtype, x->rank, sizes->dims, x->axes));
}

void ch__infer_dynamic_update_slice(ch__infer *in) {
    const ch__type *x = in->operands[0], *u = in->operands[1];
    if (u->dtype != x->dtype)
        ch__infer_bad(in, CH__E_dtype_mismatch, "update is %s, x is %s: convert one of them", ch_dtype_name(u->dtype),
                      ch_dtype_name(x->dtype));
    if (u->rank != x->rank) ch__infer_bad(in, CH__E_rank, "ranks differ: %d in x and %d in update", x->rank, u->rank);
    check_starts(in, 2, "start");
    const char *axes[CH__MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        axes[i] =
            ch__infer_join_axis(in, ch__axis(x, i), i, ch__side_operand(0), ch__axis(u, i), i, ch__side_operand(1));
        ch__answer r = ch__infer_le(in, u->dims[i], x->dims[i]);
        if (r != CH__YES)
            ch__infer_above(in, r, CH__E_shape_mismatch, u->dims[i], x->dims[i],
                            "axis %d is %s in update and only %s in x", i, ch__infer_dim_text(in, u->dims[i]),
                            ch__infer_dim_text(in, x->dims[i]));
    }
    ch__infer_one(in, u->axes ? ch__infer_make(in, x->dtype, x->rank, x->dims, axes) : x);
}

// ---------------------------------------------------------------- gather and scatter
typedef struct {
    int index_dim;    // the axis of indices that holds components; its rank: none
    uint32_t dropped; // axes of x that a slice lacks: collapsed or inserted, and operand_batch
    int n_slice;      // axes of x that a slice has
    int n_batch;      // axes of indices that are not components
} indexing;

static int count_of(const ch__infer *in, ch__attr_id id) {
    const ch__attr *a = ch__infer_attr(in, id);
    return a ? a->n : 0;
}

static uint32_t axes_of(const ch__infer *in, ch__attr_id id, const char *whose, int rank, int flags) {
    const ch__attr *a = ch__infer_attr(in, id);
    return a ? ch__infer_axes(in, id, a->n, a->ints, whose, rank, flags) : 0;
}

static void need_disjoint(const ch__infer *in, ch__attr_id x, uint32_t xs, ch__attr_id y, uint32_t ys) {
    for (int i = 0; i < 32; i++)
        if (xs & ys & UINT32_C(1) << i)
            ch__infer_bad_attr(in, "%s and %s both hold %d", ch__attr_name(x), ch__attr_name(y), i);
}

// Axes of x that go along with axes of indices have their sizes and names.
static void check_along(ch__infer *in, const ch__type *x, const ch__type *indices) {
    const ch__attr *ob = ch__infer_attr(in, CH__ATTR_operand_batch), *ib = ch__infer_attr(in, CH__ATTR_indices_batch);
    int n = ob ? ob->n : 0, m = ib ? ib->n : 0;
    if (n != m)
        ch__infer_bad_attr(in, "operand_batch and indices_batch have %d and %d entries, one each is wanted", n, m);
    for (int i = 0; i < n; i++) {
        int ax = (int)ob->ints[i], ai = (int)ib->ints[i];
        ch__infer_join_axis(in, ch__axis(x, ax), ax, ch__side_operand(0), ch__axis(indices, ai), ai,
                            ch__side_operand(1));
        ch__answer r = ch__infer_eq(in, x->dims[ax], indices->dims[ai]);
        if (r != CH__YES)
            ch__infer_unequal(in, r, x->dims[ax], indices->dims[ai], "axis %d of x is %s, axis %d of indices is %s", ax,
                              ch__infer_dim_text(in, x->dims[ax]), ai, ch__infer_dim_text(in, indices->dims[ai]));
    }
}

static indexing check_indexing(ch__infer *in, ch__attr_id dropped_id, ch__attr_id slice_id) {
    const ch__type *x = in->operands[0], *indices = in->operands[1];
    if (!ch__is_int(indices->dtype))
        ch__infer_bad(in, CH__E_dtype_mismatch, "indices is %s, an integer dtype is wanted",
                      ch_dtype_name(indices->dtype));
    int64_t index_dim = ch__infer_int(in, CH__ATTR_index_dim, 0);
    if (index_dim < 0 || index_dim > indices->rank)
        ch__infer_bad_attr(in, "index_dim is %" PRId64 ", indices has rank %d", index_dim, indices->rank);
    uint32_t dropped = axes_of(in, dropped_id, "the operand", x->rank, CH__ASCENDING);
    uint32_t along = axes_of(in, CH__ATTR_operand_batch, "the operand", x->rank, CH__ASCENDING);
    uint32_t along_indices = axes_of(in, CH__ATTR_indices_batch, "indices", indices->rank, 0);
    uint32_t mapped = axes_of(in, CH__ATTR_index_map, "the operand", x->rank, 0);
    need_disjoint(in, dropped_id, dropped, CH__ATTR_operand_batch, along);
    need_disjoint(in, CH__ATTR_index_map, mapped, CH__ATTR_operand_batch, along);
    if (along_indices >> index_dim & 1)
        ch__infer_bad_attr(in, "indices_batch holds %" PRId64 ", which is index_dim", index_dim);
    int n_slice = count_of(in, slice_id), n_dropped = count_of(in, dropped_id),
        n_along = count_of(in, CH__ATTR_operand_batch);
    if (n_slice + n_dropped + n_along != x->rank)
        ch__infer_bad_attr(in, "%s, %s and operand_batch have %d, %d and %d entries, the operand has rank %d",
                           ch__attr_name(slice_id), ch__attr_name(dropped_id), n_slice, n_dropped, n_along, x->rank);
    check_along(in, x, indices);
    ch__dim components = index_dim < indices->rank ? indices->dims[index_dim] : ch__dim_const(1);
    ch__dim wanted = ch__dim_const(count_of(in, CH__ATTR_index_map));
    ch__answer r = ch__infer_eq(in, components, wanted);
    if (r != CH__YES)
        ch__infer_unequal(in, r, components, wanted, "an index has %s component%s, index_map has %" PRId64 " %s",
                          ch__infer_dim_text(in, components),
                          ch__dim_is_const(components) && components.val == 1 ? "" : "s", wanted.val,
                          wanted.val == 1 ? "entry" : "entries");
    return (indexing){(int)index_dim, dropped | along, n_slice, indices->rank - (index_dim < indices->rank)};
}

// Next axis of a type that is not in the set, from `from` on.
static int next_axis(uint32_t skip, int from) {
    while (skip >> from & 1) from++;
    return from;
}

void ch__infer_gather(ch__infer *in) {
    const ch__type *x = in->operands[0], *indices = in->operands[1];
    const ch__attr *sizes = ch__infer_attr(in, CH__ATTR_sizes);
    indexing ix = check_indexing(in, CH__ATTR_collapsed, CH__ATTR_offset_dims);
    int rank = ix.n_batch + ix.n_slice;
    if (rank > CH__MAX_RANK)
        ch__infer_bad(in, CH__E_rank, "the result would have rank %d, the most is %d", rank, CH__MAX_RANK);
    uint32_t offset = axes_of(in, CH__ATTR_offset_dims, "the result", rank, CH__ASCENDING);
    check_sizes(in, x, sizes);
    for (int i = 0; i < x->rank; i++)
        if (ix.dropped >> i & 1 && !(ch__dim_is_const(sizes->dims[i]) && sizes->dims[i].val == 1))
            ch__infer_bad_attr(in, "sizes holds %s for axis %d, which the result drops: 1 is wanted",
                               ch__infer_dim_text(in, sizes->dims[i]), i);
    ch__dim dims[CH__MAX_RANK];
    const char *axes[CH__MAX_RANK];
    uint32_t component = UINT32_C(1) << ix.index_dim;
    int from_x = -1, from_indices = -1;
    for (int i = 0; i < rank; i++) {
        if (offset >> i & 1) {
            from_x = next_axis(ix.dropped, from_x + 1);
            dims[i] = sizes->dims[from_x];
            axes[i] = ch__axis(x, from_x);
        } else {
            from_indices = next_axis(component, from_indices + 1);
            dims[i] = indices->dims[from_indices];
            axes[i] = ch__axis(indices, from_indices);
        }
    }
    ch__infer_one(in, ch__infer_make(in, x->dtype, rank, dims, axes));
}

static void check_scatter_dtypes(ch__infer *in) {
    const ch__type *x = in->operands[0], *u = in->operands[2];
    if (u->dtype != x->dtype)
        ch__infer_bad(in, CH__E_dtype_mismatch, "updates is %s, x is %s: convert one of them", ch_dtype_name(u->dtype),
                      ch_dtype_name(x->dtype));
    ch__kind kind = ch__infer_kind(in, 1u << CH__SET | 1u << CH__ADD | 1u << CH__MUL | 1u << CH__MIN | 1u << CH__MAX);
    char class = ch__dtype_class(x->dtype);
    if ((kind == CH__ADD || kind == CH__MUL) && (class == 'b' || class == 's'))
        ch__infer_bad(in, CH__E_dtype_mismatch, "kind %s takes floating, signed and unsigned dtypes",
                      ch__word_name(CH__AK_KIND, kind));
    if (kind != CH__SET && class == 's')
        ch__infer_bad(in, CH__E_dtype_mismatch, "%s is for storage: convert first", ch_dtype_name(x->dtype));
    ch__infer_accumulates(in, x->dtype);
}

void ch__infer_scatter(ch__infer *in) {
    const ch__type *x = in->operands[0], *indices = in->operands[1], *u = in->operands[2];
    check_scatter_dtypes(in);
    indexing ix = check_indexing(in, CH__ATTR_inserted, CH__ATTR_window_dims);
    if (u->rank != ix.n_batch + ix.n_slice)
        ch__infer_bad(in, CH__E_rank, "updates has rank %d, %d from indices and %d window axes make %d", u->rank,
                      ix.n_batch, ix.n_slice, ix.n_batch + ix.n_slice);
    uint32_t window = axes_of(in, CH__ATTR_window_dims, "updates", u->rank, CH__ASCENDING);
    const char *axes[CH__MAX_RANK];
    for (int i = 0; i < x->rank; i++) axes[i] = ch__axis(x, i);
    uint32_t component = UINT32_C(1) << ix.index_dim;
    int from_x = -1, from_indices = -1;
    for (int i = 0; i < u->rank; i++) {
        if (window >> i & 1) {
            int j = from_x = next_axis(ix.dropped, from_x + 1);
            axes[j] = ch__infer_join_axis(in, axes[j], j, ch__side_operand(0), ch__axis(u, i), i, ch__side_operand(2));
            ch__answer r = ch__infer_le(in, u->dims[i], x->dims[j]);
            if (r != CH__YES)
                ch__infer_above(in, r, CH__E_shape_mismatch, u->dims[i], x->dims[j],
                                "window axis %d of updates is %s, axis %d of x is only %s", i,
                                ch__infer_dim_text(in, u->dims[i]), j, ch__infer_dim_text(in, x->dims[j]));
        } else {
            int j = from_indices = next_axis(component, from_indices + 1);
            ch__infer_join_axis(in, ch__axis(indices, j), j, ch__side_operand(1), ch__axis(u, i), i,
                                ch__side_operand(2));
            ch__answer r = ch__infer_eq(in, indices->dims[j], u->dims[i]);
            if (r != CH__YES)
                ch__infer_unequal(in, r, indices->dims[j], u->dims[i],
                                  "axis %d of indices is %s, axis %d of updates is %s", j,
                                  ch__infer_dim_text(in, indices->dims[j]), i, ch__infer_dim_text(in, u->dims[i]));
        }
    }
    ch__infer_one(in, u->axes ? ch__infer_make(in, x->dtype, x->rank, x->dims, axes) : x);
}
