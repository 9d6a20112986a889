// SPDX-License-Identifier: Apache-2.0
// rules_collective.c - derivatives of operations between replicas.
//
// N replicas that run a func are one function F of all their params, (X_0 .. X_N-1) to (Y_0 .. Y_N-1), and every param
// and result of every replica is a variable of its own, equal or not. The derivative func, run by the N replicas, gives
//     Xbar_r = sum over s of (dY_s / dX_r)^T Ybar_s        Ydot_s = sum over r of (dY_s / dX_r) Xdot_r
// so the seeds of all replicas count: seeds of 1 differentiate the sum of what the replicas give. What this means for a
// param that is the same everywhere and for a loss that was all_reduced is in docs/distributed.md.
//
// The linear ones are matrices over replicas, and their transposes are of the same kind (tests/unit/test_collective.c
// multiplies them out):
//     all_reduce sum     every member gets the sum of all: symmetric, its own transpose
//     all_gather         piece k of every member's result is member k's: transposed, member k gets the sum of all
//                        pieces k, which is reduce_scatter sum; and the other way round
//     all_to_all         a permutation of blocks, (member i, piece j) to (member j, piece i): split and concat change
//                        places
//     permute            a partial permutation of replicas: pairs turned round
// The other kinds of reduction are the op reduce over what was gathered,
//     all_reduce = reduce over axis 0 of all_gather(x as [1, ...])
//     reduce_scatter = reduce over axis d of all_to_all(x as [..., n, size/n, ...], split d, concat d)
// and so are their rules: that of reduce (rules_reduce.c) between those of the movement.
#include "diff/rules.h"

static ch__value *d_apply(ch__vjp *c, ch__opcode code, ch__value *x, int n, const ch__attr *attrs) {
    return ch__build(B(c), code, 1, &x, n, attrs, 0, NULL, 0, NULL)->results;
}

static ch__attr replica_groups(const ch__vjp *c) { return *ch__op_attr(c->op, CH__ATTR_replicas); }
static ch__kind reduction_kind(const ch__vjp *c) { return (ch__kind)ch__op_int(c->op, CH__ATTR_kind, CH__SUM); }
static int64_t reduction_axis(const ch__vjp *c) { return ch__op_int(c->op, CH__ATTR_dim, 0); }

static ch__value *all_gathered(ch__vjp *c, ch__value *x, int64_t dim) {
    return d_apply(c, CH_OP_all_gather, x, 2, (ch__attr[]){ch__attr_int(CH__ATTR_dim, dim), replica_groups(c)});
}

static ch__value *reduced_apart(ch__vjp *c, ch__value *x, int64_t dim) {
    ch__attr attrs[3] = {ch__attr_int(CH__ATTR_kind, CH__SUM), ch__attr_int(CH__ATTR_dim, dim), replica_groups(c)};
    return d_apply(c, CH_OP_reduce_scatter, x, 3, attrs);
}

static ch__value *all_exchanged(ch__vjp *c, ch__value *x, int64_t split, int64_t concat) {
    ch__attr attrs[3] = {replica_groups(c), ch__attr_int(CH__ATTR_split_dim, split),
                         ch__attr_int(CH__ATTR_concat_dim, concat)};
    return d_apply(c, CH_OP_all_to_all, x, 3, attrs);
}

// ---------------------------------------------------------------- a reduction as a movement and the op reduce
// x of one replica as what reduce takes: the pieces of the group along a new axis `at`.
static ch__value *spread_out(ch__vjp *c, ch__value *x, int64_t *at) {
    ch__arena *a = ch__builder_arena(B(c));
    const ch__type *t = x->type;
    bool scatter = c->op->code == CH_OP_reduce_scatter;
    ch__attr groups = replica_groups(c);
    ch__dim n = ch__dim_const(ch__group_size(&groups)), dims[CH__MAX_RANK + 1];
    *at = scatter ? reduction_axis(c) : 0;
    for (int i = 0; i < t->rank; i++) dims[i + (i >= *at)] = t->dims[i];
    dims[*at] = scatter ? n : ch__dim_const(1);
    if (scatter) dims[*at + 1] = ch__dim_floordiv(a, t->dims[*at], n);
    if (t->rank == CH__MAX_RANK)
        ch__raise(CH__E_unsupported, "%s: the derivative of kind %s takes one axis more than rank %d has",
                  ch__op_name((ch__opcode)c->op->code), ch__word_name(CH__AK_KIND, reduction_kind(c)), CH__MAX_RANK);
    ch__value *wide = ch__b_reshape(B(c), x, ch__type_make(a, t->dtype, t->rank + 1, dims, NULL));
    return scatter ? all_exchanged(c, wide, *at, *at) : all_gathered(c, wide, 0);
}

// The transpose of spread_out, for x of type t.
static ch__value *drawn_in(ch__vjp *c, ch__value *wide, int64_t at, const ch__type *t) {
    bool scatter = c->op->code == CH_OP_reduce_scatter;
    ch__value *back = scatter ? all_exchanged(c, wide, at, at) : reduced_apart(c, wide, 0);
    return ch__b_reshape(B(c), back, t->dtype == back->type->dtype ? t : ch__d_like(c, t, back->type->dtype));
}

// Groups of several sizes give arrays of several shapes, which no type is for.
static void need_one_size(const ch__vjp *c) {
    ch__attr groups = replica_groups(c);
    for (int i = 0; i < groups.n; i += 1 + (int)groups.ints[i])
        if (groups.ints[i] != groups.ints[0])
            ch__raise(CH__E_unsupported, "all_reduce: the derivative of kind %s takes groups of one size",
                      ch__word_name(CH__AK_KIND, reduction_kind(c)));
}

static void combined_vjp(ch__vjp *c) {
    int64_t at;
    need_one_size(c);
    ch__value *x = spread_out(c, X(c, 0), &at);
    ch__attr dims = ch__attr_ints(CH__ATTR_dims, 1, &at);
    ch__value *adj =
        ch__d_reduce_back(c, reduction_kind(c), x, reduction_kind(c) == CH__PROD ? NULL : R(c), ADJ(c), &dims);
    ch__vjp_give(c, 0, drawn_in(c, adj, at, ch__vjp_type(c, 0)));
}

static void combined_jvp(ch__vjp *c) {
    int64_t at;
    need_one_size(c);
    ch__value *x = spread_out(c, X(c, 0), &at), *t = spread_out(c, T(c, 0), &at);
    ch__attr dims = ch__attr_ints(CH__ATTR_dims, 1, &at);
    ch__jvp_give(c, 0, ch__d_reduce_along(c, reduction_kind(c), x, R(c), t, &dims));
}

// ---------------------------------------------------------------- the rules
static void collective_linear(ch__vjp *c) { ch__jvp_linear(c, 1); }

static void all_reduce_vjp(ch__vjp *c) {
    if (reduction_kind(c) != CH__SUM) {
        combined_vjp(c);
        return;
    }
    ch__attr attrs[2] = {ch__attr_int(CH__ATTR_kind, CH__SUM), replica_groups(c)};
    ch__vjp_give(c, 0, d_apply(c, CH_OP_all_reduce, ADJ(c), 2, attrs));
}

static void reduce_scatter_vjp(ch__vjp *c) {
    if (reduction_kind(c) == CH__SUM)
        ch__vjp_give(c, 0, all_gathered(c, ADJ(c), reduction_axis(c)));
    else
        combined_vjp(c);
}

static void reduction_jvp(ch__vjp *c) {
    if (reduction_kind(c) == CH__SUM)
        ch__jvp_linear(c, 1);
    else
        combined_jvp(c);
}

static void all_gather_vjp(ch__vjp *c) { ch__vjp_give(c, 0, reduced_apart(c, ADJ(c), reduction_axis(c))); }

static void all_to_all_vjp(ch__vjp *c) {
    int64_t split = ch__op_int(c->op, CH__ATTR_split_dim, 0), concat = ch__op_int(c->op, CH__ATTR_concat_dim, 0);
    ch__vjp_give(c, 0, all_exchanged(c, ADJ(c), concat, split));
}

static void permute_vjp(ch__vjp *c) {
    const ch__attr *pairs = ch__op_attr(c->op, CH__ATTR_pairs);
    int64_t *back = CH_NEW_ARRAY(ch__builder_arena(B(c)), int64_t, 2 * pairs->n + 1);
    for (int i = 0; i < pairs->n; i++) {
        back[i] = pairs->ints[pairs->n + i];
        back[pairs->n + i] = pairs->ints[i];
    }
    ch__attr turned = ch__attr_pairs(CH__ATTR_pairs, pairs->n, back);
    ch__vjp_give(c, 0, d_apply(c, CH_OP_permute, ADJ(c), 1, &turned));
}

// The adjoint lies as the value does.
static void shard_vjp(ch__vjp *c) {
    ch__attr sharding = *ch__op_attr(c->op, CH__ATTR_sharding);
    ch__vjp_give(c, 0, d_apply(c, CH_OP_shard, ADJ(c), 1, &sharding));
}

CH__RULE(all_reduce, all_reduce_vjp, reduction_jvp);
CH__RULE(all_gather, all_gather_vjp, collective_linear);
CH__RULE(reduce_scatter, reduce_scatter_vjp, reduction_jvp);
CH__RULE(all_to_all, all_to_all_vjp, collective_linear);
CH__RULE(permute, permute_vjp, collective_linear);
CH__RULE(shard, shard_vjp, collective_linear);
