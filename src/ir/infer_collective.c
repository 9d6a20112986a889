// SPDX-License-Identifier: Apache-2.0
// infer_collective.c - shape rules of operations between replicas, and of shard.
//
// Groups have to part the replicas: numbers from 0 on, each once, none missing. Where the size of a group is part of a
// type, groups are of one size. An axis that is cut has to be a multiple of it; what is not decided becomes a clause.
#include "ir/infer.h"

static void check_replica_groups(ch__infer *in, bool one_size) {
    const ch__attr *a = ch__infer_attr(in, CH__ATTR_replicas);
    int64_t n = 0, rows = 0;
    for (int i = 0; i < a->n; i += 1 + (int)a->ints[i], rows++) {
        if (a->ints[i] == 0) ch__infer_bad_attr(in, "replicas: group %" PRId64 " is empty", rows);
        if (one_size && a->ints[i] != a->ints[0])
            ch__infer_bad_attr(in,
                               "replicas: group %" PRId64 " has %" PRId64 " members, group 0 has %" PRId64
                               " — here they are of one size",
                               rows, a->ints[i], a->ints[0]);
        n += a->ints[i];
    }
    if (n == 0) ch__infer_bad_attr(in, "replicas: there is no group — one of all is [[0,1,...]]");
    if (n > CH__MAX_REPLICAS)
        ch__infer_bad_attr(in, "replicas: %" PRId64 " are listed — %d is the limit", n, CH__MAX_REPLICAS);
    bool *seen = CH_NEW_ARRAY(in->arena, bool, n);
    for (int i = 0; i < a->n; i += 1 + (int)a->ints[i])
        for (int k = 0; k < a->ints[i]; k++) {
            int64_t r = a->ints[i + 1 + k];
            if (r < 0 || r >= n)
                ch__infer_bad_attr(in,
                                   "replicas: %" PRId64 " is listed, and %" PRId64
                                   " in all — groups part the replicas 0 to %" PRId64,
                                   r, n, n - 1);
            if (seen[r]) ch__infer_bad_attr(in, "replicas: %" PRId64 " is listed twice — each stands in one group", r);
            seen[r] = true;
        }
}

static int axis_attr(const ch__infer *in, ch__attr_id id) {
    return ch__infer_axis(in, id, ch__infer_int(in, id, 0), "the operand", in->operands[0]->rank);
}

static ch__dim groups_size(const ch__infer *in) {
    return ch__dim_const(ch__group_size(ch__infer_attr(in, CH__ATTR_replicas)));
}

static void check_collective_kind(ch__infer *in) {
    ch__kind kind = ch__infer_reduction_kind(in);
    const ch__attr *tie = ch__infer_attr(in, CH__ATTR_tie);
    if (tie && kind != CH__MIN && kind != CH__MAX)
        ch__infer_bad_attr(in, "tie is given for %s, it is for min and max", ch__word_name(CH__AK_KIND, kind));
}

// The operand with axis `cut` in pieces of one, each for a replica of the group.
static ch__dim piece_of(ch__infer *in, int cut) {
    ch__dim size = in->operands[0]->dims[cut], g = groups_size(in), zero = ch__dim_const(0);
    ch__dim rest = ch__dim_mod(in->arena, size, g);
    ch__answer r = ch__infer_eq(in, rest, zero);
    if (r != CH__YES)
        ch__infer_unequal(in, r, rest, zero, "axis %d is %s, which is to be cut into %s equal pieces", cut,
                          ch__infer_dim_text(in, size), ch__infer_dim_text(in, g));
    return ch__dim_floordiv(in->arena, size, g);
}

void ch__infer_replica_id(ch__infer *in) { ch__infer_one(in, ch__type_scalar(CH_U32)); }

void ch__infer_all_reduce(ch__infer *in) {
    check_collective_kind(in);
    check_replica_groups(in, false);
    ch__infer_one(in, in->operands[0]);
}

// x with other sizes along two axes (which may be one).
static void with_sizes(ch__infer *in, int i, ch__dim di, int j, ch__dim dj) {
    const ch__type *x = in->operands[0];
    ch__dim dims[CH__MAX_RANK];
    for (int k = 0; k < x->rank; k++) dims[k] = x->dims[k];
    dims[i] = di;
    dims[j] = dj;
    ch__infer_one(in, ch__infer_make(in, x->dtype, x->rank, dims, x->axes));
}

void ch__infer_all_gather(ch__infer *in) {
    check_replica_groups(in, true);
    int dim = axis_attr(in, CH__ATTR_dim);
    ch__dim size = ch__dim_mul(in->arena, in->operands[0]->dims[dim], groups_size(in));
    with_sizes(in, dim, size, dim, size);
}

void ch__infer_reduce_scatter(ch__infer *in) {
    check_collective_kind(in);
    check_replica_groups(in, true);
    int dim = axis_attr(in, CH__ATTR_dim);
    ch__dim size = piece_of(in, dim);
    with_sizes(in, dim, size, dim, size);
}

void ch__infer_all_to_all(ch__infer *in) {
    check_replica_groups(in, true);
    int split = axis_attr(in, CH__ATTR_split_dim), concat = axis_attr(in, CH__ATTR_concat_dim);
    ch__dim cut = piece_of(in, split);
    if (split == concat) {
        ch__infer_one(in, in->operands[0]);
        return;
    }
    with_sizes(in, split, cut, concat, ch__dim_mul(in->arena, in->operands[0]->dims[concat], groups_size(in)));
}

void ch__infer_permute(ch__infer *in) {
    const ch__attr *a = ch__infer_attr(in, CH__ATTR_pairs);
    for (int side = 0; side < 2; side++) {
        const int64_t *v = a->ints + side * a->n;
        const char *what = side == 0 ? "source" : "target";
        for (int i = 0; i < a->n; i++) {
            if (v[i] < 0 || v[i] >= CH__MAX_REPLICAS)
                ch__infer_bad_attr(in, "pairs: %s %" PRId64 " — replicas are 0 to %d", what, v[i],
                                   CH__MAX_REPLICAS - 1);
            for (int k = 0; k < i; k++)
                if (v[k] == v[i])
                    ch__infer_bad_attr(in, "pairs: %s %" PRId64 " stands in two pairs — a replica %s", what, v[i],
                                       side == 0 ? "sends once" : "receives once");
        }
    }
    ch__infer_one(in, in->operands[0]);
}

void ch__infer_shard(ch__infer *in) {
    const ch__sharding *s = ch__sharding_read(in->arena, "shard", ch__infer_attr(in, CH__ATTR_sharding)->s);
    ch__sharding_fits(s, "shard", in->operands[0]);
    ch__infer_one(in, in->operands[0]);
}
