// SPDX-License-Identifier: Apache-2.0
// collective.c - what operations between replicas have in common: which they are, and groups of replicas.
//
// Groups are rows of replica numbers, [[0,1],[2,3]]: every replica from 0 on stands in one of them, in one place
// (infer_collective.c sees to it), so the groups say how many replicas there are.
#include "ir/ir.h"

bool ch__is_collective(ch__opcode code) {
    switch (code) {
    case CH_OP_replica_id:
    case CH_OP_all_reduce:
    case CH_OP_all_gather:
    case CH_OP_reduce_scatter:
    case CH_OP_all_to_all:
    case CH_OP_permute: return true;
    default: return false;
    }
}

int64_t ch__op_replicas(const ch__op *op) {
    const ch__attr *a = ch__op_attr(op, CH__ATTR_replicas);
    int64_t rows = 0;
    if (!a) return 0;
    for (int i = 0; i < a->n; i += 1 + (int)a->ints[i]) rows++;
    return a->n - rows;
}

const int64_t *ch__group_of(const ch__attr *replicas, int64_t replica, int *place, int *n) {
    const int64_t *v = replicas->ints;
    for (int i = 0; i < replicas->n; i += 1 + (int)v[i])
        for (int k = 0; k < v[i]; k++)
            if (v[i + 1 + k] == replica) {
                *place = k;
                *n = (int)v[i];
                return &v[i + 1];
            }
    return NULL;
}

int ch__group_size(const ch__attr *replicas) { return replicas->n > 0 ? (int)replicas->ints[0] : 0; }

static void see_collective(void *arg, ch__op *op) {
    if (ch__is_collective((ch__opcode)op->code)) *(bool *)arg = true;
}

bool ch__has_collectives(const ch_func *f) {
    bool any = false;
    ch__arena *scratch = ch__arena_create();
    ch__walk_reached(scratch, f, see_collective, &any);
    ch__arena_destroy(scratch);
    return any;
}
