// SPDX-License-Identifier: Apache-2.0
// ops_collective.c - public operations between replicas, and shard. Inside a capture they become part of a func that
// ch_exec_run_replicas or a session with several devices runs; alone they are refused when they run.

#include "tensor/tensor.h"

#include <string.h>

// The groups as the attribute's rows; NULL and *error set when they are none. The caller frees them.
static int64_t *rows_of(const char *where, const char *what, const ch_groups *g, int *n, ch_tensor **error) {
    bool fine = g != NULL && g->count > 0 && g->size > 0 && (int64_t)g->count * g->size <= CH__MAX_REPLICAS;
    if (!fine) {
        ch__fail(CH__E_argument, "%s: groups of %d rows of %d replicas — 1 to %d in all", what, g ? g->count : 0,
                 g ? g->size : 0, CH__MAX_REPLICAS);
        *error = ch__node_error(where);
        return NULL;
    }
    int64_t *v = ch__alloc(((size_t)g->count * (size_t)g->size + (size_t)g->count) * sizeof *v);
    if (v == NULL) {
        ch__fail_oom(what);
        *error = ch__node_error(where);
        return NULL;
    }
    *n = 0;
    for (int i = 0; i < g->count; i++) {
        v[(*n)++] = g->size;
        for (int k = 0; k < g->size; k++, (*n)++)
            v[*n] = g->replicas != NULL ? g->replicas[i * g->size + k] : (int64_t)i * g->size + k;
    }
    return v;
}

// x by the op with its groups and n other attributes.
static ch_tensor *apply_groups(const char *where, const char *what, ch__opcode code, ch_tensor *x,
                               const ch_groups *groups, int n, ch__attr *attrs) {
    int n_rows;
    ch_tensor *error = NULL;
    int64_t *rows = rows_of(where, what, groups, &n_rows, &error);
    if (rows == NULL) return error;
    attrs[n] = ch__attr_rows(CH__ATTR_replicas, n_rows, rows);
    ch_tensor *t = ch__op1(where, code, 1, &x, n + 1, attrs, NULL);
    ch__free(rows);
    return t;
}

static bool replica_axis(const char *where, const char *what, ch_tensor *x, int axis, int *at, ch_tensor **error) {
    *error = ch__first_error(where, what, 1, &x);
    return *error == NULL && ch__op_axis(where, what, x, axis, x->type.rank, at, error);
}

static bool kind_is(const char *where, const char *what, ch_reduce_kind kind, ch_tensor **error) {
    if (kind >= CH_REDUCE_SUM && kind <= CH_REDUCE_OR) return true;
    ch__fail(CH__E_argument, "%s: kind %d — CH_REDUCE_SUM to CH_REDUCE_OR", what, (int)kind);
    *error = ch__node_error(where);
    return false;
}

ch_tensor *ch_replica_id_at(const char *where, ch_dtype dtype) {
    return ch_convert_at(where, ch__op1(where, CH_OP_replica_id, 0, NULL, 0, NULL, NULL), dtype);
}

ch_tensor *ch_all_reduce_at(const char *where, ch_tensor *x, ch_reduce_kind kind, const ch_groups *groups) {
    ch_tensor *error = ch__first_error(where, "all_reduce", 1, &x);
    if (error != NULL || !kind_is(where, "all_reduce", kind, &error)) return error;
    ch__attr attrs[2] = {ch__attr_int(CH__ATTR_kind, (int64_t)kind)};
    return apply_groups(where, "all_reduce", CH_OP_all_reduce, x, groups, 1, attrs);
}

ch_tensor *ch_all_gather_at(const char *where, ch_tensor *x, int axis, const ch_groups *groups) {
    ch_tensor *error;
    int at;
    if (!replica_axis(where, "all_gather", x, axis, &at, &error)) return error;
    ch__attr attrs[2] = {ch__attr_int(CH__ATTR_dim, at)};
    return apply_groups(where, "all_gather", CH_OP_all_gather, x, groups, 1, attrs);
}

ch_tensor *ch_reduce_scatter_at(const char *where, ch_tensor *x, ch_reduce_kind kind, int axis,
                                const ch_groups *groups) {
    ch_tensor *error;
    int at;
    if (!replica_axis(where, "reduce_scatter", x, axis, &at, &error) || !kind_is(where, "reduce_scatter", kind, &error))
        return error;
    ch__attr attrs[3] = {ch__attr_int(CH__ATTR_kind, (int64_t)kind), ch__attr_int(CH__ATTR_dim, at)};
    return apply_groups(where, "reduce_scatter", CH_OP_reduce_scatter, x, groups, 2, attrs);
}

ch_tensor *ch_all_to_all_at(const char *where, ch_tensor *x, int split, int concat, const ch_groups *groups) {
    ch_tensor *error;
    int from, to;
    if (!replica_axis(where, "all_to_all", x, split, &from, &error) ||
        !replica_axis(where, "all_to_all", x, concat, &to, &error))
        return error;
    ch__attr attrs[3] = {ch__attr_int(CH__ATTR_split_dim, from), ch__attr_int(CH__ATTR_concat_dim, to)};
    return apply_groups(where, "all_to_all", CH_OP_all_to_all, x, groups, 2, attrs);
}

ch_tensor *ch_permute_at(const char *where, ch_tensor *x, int n, const int64_t *sources, const int64_t *targets) {
    ch_tensor *error = ch__first_error(where, "permute", 1, &x);
    if (error != NULL) return error;
    if (n < 0 || n > CH__MAX_REPLICAS || (n > 0 && (sources == NULL || targets == NULL))) {
        ch__fail(CH__E_argument, "permute: %d pairs%s — 0 to %d, with their sources and targets", n,
                 n > 0 && (sources == NULL || targets == NULL) ? " without a list" : "", CH__MAX_REPLICAS);
        return ch__node_error(where);
    }
    int64_t *both = ch__alloc((2 * (size_t)n + 1) * sizeof *both);
    if (both == NULL) {
        ch__fail_oom("permute");
        return ch__node_error(where);
    }
    for (int i = 0; i < n; i++) {
        both[i] = sources[i];
        both[n + i] = targets[i];
    }
    ch__attr attr = ch__attr_pairs(CH__ATTR_pairs, n, both);
    ch_tensor *t = ch__op1(where, CH_OP_permute, 1, &x, 1, &attr, NULL);
    ch__free(both);
    return t;
}

ch_tensor *ch_shard_at(const char *where, ch_tensor *x, const char *sharding) {
    ch_tensor *error = ch__first_error(where, "shard", 1, &x);
    if (error != NULL) return error;
    if (sharding == NULL) {
        ch__fail(CH__E_argument, "shard: the sharding is NULL — a text such as \"mesh[x=2] [{x}, {}]\"");
        return ch__node_error(where);
    }
    ch__attr attr = ch__attr_str(CH__ATTR_sharding, sharding);
    return ch__op1(where, CH_OP_shard, 1, &x, 1, &attr, NULL);
}
