// SPDX-License-Identifier: Apache-2.0
// collective.c - replica_id all_reduce all_gather reduce_scatter all_to_all permute, and shard, which
// passes a value on.
//
// Every replica brings its operand, computes its own result from those of its group, and waits until all have read
// (replicas.c). A reduction puts the group's pieces one after another and is the op reduce over them, so that it folds
// in the group's order and as that op does.
#include "interp/exec.h"

// The group that this replica stands in.
typedef struct {
    const int64_t *members; // of its group, in the group's order
    int place, n;
} party;

static ch_status find_party(ch__frame *fr, const ch__instr *s, party *p) {
    const ch__attr *groups = ch__op_attr(s->op, CH__ATTR_replicas);
    int64_t for_n = ch__op_replicas(s->op);
    int n = ch__world_size(fr->run);
    if (for_n != n)
        return ch__op_fail(s, CH__E_replica_count,
                           "its groups are for %" PRId64 " replicas, %d run%s — ch_exec_run_replicas runs several",
                           for_n, n, n == 1 ? "s alone" : "");
    p->members = ch__group_of(groups, ch__world_replica(fr->run), &p->place, &p->n);
    return CH_OK;
}

// Everybody of the group brings the same shape: sizes that are not in the program may differ.
static ch_status check_brought(ch__frame *fr, const ch__instr *s, const party *p) {
    const ch__cell *own = CH__IN(0);
    for (int k = 0; k < p->n; k++) {
        const ch__cell *x = ch__world_given(fr->run, p->members[k], own);
        bool same = true;
        for (int i = 0; i < own->rank; i++) same = same && x->dims[i] == own->dims[i];
        if (same) continue;
        char a[CH__SHAPE_CHARS], b[CH__SHAPE_CHARS];
        return ch__op_fail(s, CH__E_shape_mismatch,
                           "replica %d brings %s, replica %" PRId64 " %s — they have one shape",
                           ch__world_replica(fr->run), ch__shape_text(a, own), p->members[k], ch__shape_text(b, x));
    }
    return CH_OK;
}

static ch_status join_party(ch__frame *fr, const ch__instr *s, party *p) {
    CH_TRY(find_party(fr, s, p));
    CH_TRY(ch__world_meet(fr->run, s, CH__IN(0)));
    return check_brought(fr, s, p);
}

// The block of `dims` elements at `from` along axis `cut` of x, written at `to` along axis `put` of an array.
static void move_block(void *dst, const ch__cell *x, const int64_t *dst_dims, const int64_t *dims, int cut,
                       int64_t from, int put, int64_t to) {
    int64_t ss[CH__MAX_RANK], ds[CH__MAX_RANK], n = 1;
    for (int i = 0; i < x->rank; i++) n *= dims[i];
    if (n == 0) return;
    ch__row_major(x->rank, x->dims, ss);
    ch__row_major(x->rank, dst_dims, ds);
    ch__copy_strided((char *)dst + to * ds[put] * x->esize, ds, (const char *)ch__data(x) + from * ss[cut] * x->esize,
                     ss, dims, x->rank, x->esize);
}

// ---------------------------------------------------------------- reductions
// Result 0 as the op's kind of n pieces that lie one after another in `pieces`.
static ch_status fold_pieces(ch__frame *fr, const ch__instr *s, ch__buf *pieces, int n) {
    ch__cell *o = CH__OUT(0);
    int64_t axis = 0, in_dims[2] = {n, o->numel}, out_dims[1] = {o->numel};
    ch__cell cells[2] = {
        {.buf = pieces, .dims = in_dims, .numel = n * o->numel, .dtype = o->dtype, .esize = o->esize, .rank = 2}, *o};
    cells[1].dims = out_dims;
    cells[1].rank = 1;
    ch__attr attrs[2] = {ch__attr_int(CH__ATTR_kind, ch__op_int(s->op, CH__ATTR_kind, CH__SUM)),
                         ch__attr_ints(CH__ATTR_dims, 1, &axis)};
    ch__op op = {.code = CH_OP_reduce, .attrs = attrs, .n_attrs = 2, .loc = s->op->loc};
    int32_t slots[2] = {0, 1};
    ch__instr reduce = {.op = &op, .slots = slots, .n_in = 1, .n_out = 1};
    ch__frame inner = *fr;
    inner.cells = cells;
    ch_status st = ch__do_reduce(&inner, &reduce);
    o->buf = cells[1].buf;
    o->splat = cells[1].splat;
    return st;
}

// Pieces of `dims` elements, from `at` along axis `cut` of what each of the group brings.
static ch_status fold_group(ch__frame *fr, const ch__instr *s, const party *p, const int64_t *dims, int cut,
                            int64_t at) {
    const ch__cell *own = CH__IN(0);
    int64_t bytes = own->esize, all;
    for (int i = 0; i < own->rank; i++) bytes *= dims[i];
    if (!ch__mul_i64(bytes, p->n, &all))
        return ch__op_fail(s, CH__E_dim_overflow, "the bytes of %d pieces do not fit in 64 bits", p->n);
    ch__buf *pieces = ch__buf_new(fr->run, all);
    if (!pieces) return CH_RESOURCE_EXHAUSTED;
    for (int k = 0; k < p->n; k++) {
        const ch__cell *x = ch__world_given(fr->run, p->members[k], own);
        char *to = (char *)pieces->data + k * bytes;
        if (own->rank == 0)
            memcpy(to, ch__data(x), (size_t)bytes);
        else
            move_block(to, x, dims, dims, cut, at, 0, 0);
    }
    ch_status st = fold_pieces(fr, s, pieces, p->n);
    ch__buf_release(fr->run, pieces);
    return st;
}

ch_status ch__do_all_reduce(ch__frame *fr, const ch__instr *s) {
    party p;
    CH_TRY(join_party(fr, s, &p));
    CH_TRY(fold_group(fr, s, &p, CH__IN(0)->dims, 0, 0));
    return ch__world_meet(fr->run, s, NULL);
}

// dims: x's with axis `cut` in pieces, one for each of the group; false: it does not go.
static ch_status piece_dims(ch__frame *fr, const ch__instr *s, const party *p, int cut, int64_t *dims) {
    const ch__cell *x = CH__IN(0);
    for (int i = 0; i < x->rank; i++) dims[i] = x->dims[i];
    dims[cut] /= p->n;
    if (dims[cut] * p->n == x->dims[cut]) return CH_OK;
    return ch__op_fail(s, CH__E_shape_mismatch, "axis %d of size %" PRId64 " — it is to be cut into %d equal pieces",
                       cut, x->dims[cut], p->n);
}

ch_status ch__do_reduce_scatter(ch__frame *fr, const ch__instr *s) {
    party p;
    int64_t dims[CH__MAX_RANK];
    int cut = (int)ch__op_int(s->op, CH__ATTR_dim, 0);
    CH_TRY(join_party(fr, s, &p));
    CH_TRY(piece_dims(fr, s, &p, cut, dims));
    CH_TRY(fold_group(fr, s, &p, dims, cut, p.place * dims[cut]));
    return ch__world_meet(fr->run, s, NULL);
}

// ---------------------------------------------------------------- movement
ch_status ch__do_all_gather(ch__frame *fr, const ch__instr *s) {
    party p;
    int dim = (int)ch__op_int(s->op, CH__ATTR_dim, 0);
    CH_TRY(join_party(fr, s, &p));
    CH_TRY(ch__result_new(fr, s, 0));
    const ch__cell *own = CH__IN(0), *o = CH__OUT(0);
    for (int k = 0; k < p.n; k++)
        move_block(ch__data(o), ch__world_given(fr->run, p.members[k], own), o->dims, own->dims, dim, 0, dim,
                   k * own->dims[dim]);
    return ch__world_meet(fr->run, s, NULL);
}

ch_status ch__do_all_to_all(ch__frame *fr, const ch__instr *s) {
    party p;
    int64_t dims[CH__MAX_RANK];
    int split = (int)ch__op_int(s->op, CH__ATTR_split_dim, 0), concat = (int)ch__op_int(s->op, CH__ATTR_concat_dim, 0);
    CH_TRY(join_party(fr, s, &p));
    CH_TRY(piece_dims(fr, s, &p, split, dims));
    CH_TRY(ch__result_new(fr, s, 0));
    const ch__cell *own = CH__IN(0), *o = CH__OUT(0);
    for (int k = 0; k < p.n; k++)
        move_block(ch__data(o), ch__world_given(fr->run, p.members[k], own), o->dims, dims, split,
                   p.place * dims[split], concat, k * dims[concat]);
    return ch__world_meet(fr->run, s, NULL);
}

ch_status ch__do_permute(ch__frame *fr, const ch__instr *s) {
    const ch__attr *pairs = ch__op_attr(s->op, CH__ATTR_pairs);
    int n = ch__world_size(fr->run), me = ch__world_replica(fr->run);
    int64_t from = -1;
    for (int i = 0; i < pairs->n; i++) {
        int64_t source = pairs->ints[i], target = pairs->ints[pairs->n + i];
        if (source >= n || target >= n)
            return ch__op_fail(s, CH__E_replica_count,
                               "the pair %" PRId64 " to %" PRId64
                               ", where %d run%s — ch_exec_run_replicas runs several",
                               source, target, n, n == 1 ? "s alone" : "");
        if (target == me) from = source;
    }
    const ch__cell *own = CH__IN(0);
    CH_TRY(ch__world_meet(fr->run, s, own));
    party both = {.members = (int64_t[]){from}, .n = from >= 0};
    CH_TRY(check_brought(fr, s, &both));
    CH_TRY(ch__result_new(fr, s, 0));
    const ch__cell *o = CH__OUT(0), *x = from >= 0 ? ch__world_given(fr->run, from, own) : NULL;
    if (ch__bytes(o) > 0 && x) memcpy(ch__data(o), ch__data(x), (size_t)ch__bytes(o));
    if (ch__bytes(o) > 0 && !x) memset(ch__data(o), 0, (size_t)ch__bytes(o));
    return ch__world_meet(fr->run, s, NULL);
}

ch_status ch__do_replica_id(ch__frame *fr, const ch__instr *s) {
    uint32_t me = (uint32_t)ch__world_replica(fr->run);
    CH_TRY(ch__result_new(fr, s, 0));
    memcpy(ch__data(CH__OUT(0)), &me, sizeof me);
    return CH_OK;
}

ch_status ch__do_shard(ch__frame *fr, const ch__instr *s) { return ch__result_same(fr, s, 0, 0); }
