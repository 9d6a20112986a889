// SPDX-License-Identifier: Apache-2.0
// native_dot.c - products of matrices as calls of the engine's dot.
//
// Batch axes are loops around the call. The other axes of an operand, those that are summed and those that are not, are
// to be one stride each in memory. Before anything is planned (on the printer's own clone) a product takes over the
// transposes of its operands as strides, and reshapes below them, which move nothing. So it does a slice below these:
// queries, keys and values of attention are thirds of the rows of one array, and are read there.
#include "cgen/native.h"

struct dot_call {
    cg_operand side[2];
    bool turned; // the result is its transpose
};

// ---------------------------------------------------------------- what an operand's views are
void ch__cg_take_reshapes(ch__value **v) {
    while ((*v)->op && (*v)->op->code == CH_OP_reshape && (*v)->op->operands[0]->type->rank > 0)
        *v = (*v)->op->operands[0];
}

static bool is_one_dim(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

typedef struct {
    cg_file *file;
    ch_func *f;
    int32_t *uses;
    ch__value **to;
} dot_marks;

// Does a reshape put in or leave out axes of size 1 alone? below[i]: which axis below axis i is; -1: one put in.
static bool is_ones_apart(const ch__type *t, const ch__type *under, int *below) {
    int k = 0;
    for (int i = 0; i < t->rank; i++) {
        below[i] = -1;
        if (is_one_dim(t->dims[i])) continue;
        while (k < under->rank && is_one_dim(under->dims[k])) k++;
        if (k == under->rank || !ch__dim_equal(t->dims[i], under->dims[k])) return false;
        below[i] = k++;
    }
    while (k < under->rank && is_one_dim(under->dims[k])) k++;
    return k == under->rank;
}

// The array that is read behind transposes, and reshapes by axes of size 1 between them.
static ch__value *behind_transposes(ch__arena *a, ch__value *v, cg_operand *s) {
    int rank = v->type->rank, n_ones = 0, below[CH__MAX_RANK];
    for (int i = 0; i < rank; i++) s->axis[i] = i;
    for (; v->op; v = v->op->operands[0]) {
        const ch__type *under = v->op->n_operands > 0 ? v->op->operands[0]->type : NULL;
        if (v->op->code == CH_OP_transpose) {
            const ch__attr *perm = ch__op_attr(v->op, CH__ATTR_perm);
            for (int i = 0; i < v->type->rank; i++) below[i] = (int)perm->ints[i];
        } else if (v->op->code != CH_OP_reshape || !v->op->operands[0]->op ||
                   v->op->operands[0]->op->code != CH_OP_transpose || !is_ones_apart(v->type, under, below)) {
            break;
        }
        for (int i = 0; i < rank; i++)
            if (s->axis[i] >= 0) s->axis[i] = below[s->axis[i]];
    }
    // The memory's type has an axis for each of the operand's: those put in come first, those left out are not there.
    ch__dim dims[CH__MAX_RANK];
    int place[CH__MAX_RANK];
    for (int i = 0; i < rank; i++)
        if (s->axis[i] < 0) dims[n_ones++] = ch__dim_const(1);
    int n = n_ones;
    for (int k = 0; k < v->type->rank; k++) {
        bool is_read = false;
        for (int i = 0; i < rank; i++) is_read = is_read || s->axis[i] == k;
        place[k] = n;
        if (is_read) dims[n++] = v->type->dims[k];
    }
    n_ones = 0;
    for (int i = 0; i < rank; i++) s->axis[i] = s->axis[i] < 0 ? n_ones++ : place[s->axis[i]];
    s->type = n == v->type->rank && n_ones == 0 ? v->type : ch__type_make(a, v->type->dtype, n, dims, NULL);
    return v;
}

// Does v lie in memory whoever reads a part of it: a param, a product, or what is read by slices alone that are as
// much of it as all?
static bool lies_whole(const dot_marks *m, const ch__value *v, int axis) {
    if (!v->op || v->op->code == CH_OP_dot) return true;
    int64_t n = 0, width = 0;
    for (const ch__op *op = v->op->next; op; op = op->next) {
        if (op->code != CH_OP_slice || op->operands[0] != v) continue;
        const ch__dim d = op->results[0].type->dims[axis];
        n++;
        if (ch__dim_is_const(d)) width += d.val;
    }
    return n == m->uses[v->id] && width >= v->type->dims[axis].val;
}

// v is a slice along one axis, which leaves so many axes of `type`, its reshape, in one piece: it is read where it is.
static ch__value *behind_slice(const dot_marks *m, ch__value *v, cg_operand *s) {
    if (!v->op || v->op->code != CH_OP_slice) return v;
    ch__value *whole = v->op->operands[0];
    const ch__attr *start = ch__op_attr(v->op, CH__ATTR_start), *stride = ch__op_attr(v->op, CH__ATTR_stride);
    const ch__type *t = whole->type;
    int64_t inner = 1, length = 1;
    int axis = -1, cut = s->type->rank;
    for (int i = 0; i < t->rank; i++) {
        if (stride && stride->ints[i] != 1) return v;
        if (ch__dim_equal(t->dims[i], v->type->dims[i])) continue;
        if (axis >= 0) return v;
        axis = i;
    }
    for (int i = t->rank - 1; i >= axis; i--)
        if (axis < 0 || !ch__dim_is_const(t->dims[i]) || (i > axis && !ch__mul_i64(inner, t->dims[i].val, &inner)))
            return v;
    int64_t first, part, pitch;
    if (!ch__dim_is_const(start->dims[axis]) || !ch__dim_is_const(v->type->dims[axis]) ||
        !ch__mul_i64(inner, start->dims[axis].val, &first) || !ch__mul_i64(inner, t->dims[axis].val, &pitch) ||
        !ch__mul_i64(inner, v->type->dims[axis].val, &part) || part == 0 || !lies_whole(m, whole, axis))
        return v;
    while (cut > 0 && length < part) {
        ch__dim d = s->type->dims[--cut];
        if (!ch__dim_is_const(d) || !ch__mul_i64(length, d.val, &length)) return v;
    }
    if (length != part) return v;
    s->cut = cut, s->pitch = pitch, s->first = first;
    ch__cg_take_reshapes(&whole);
    return whole;
}

static ch__value *dot_operand(const dot_marks *m, const ch__op *op, int which, cg_operand *s) {
    ch__value *v = behind_transposes(m->file->a, op->operands[which], s);
    ch__cg_take_reshapes(&v);
    return behind_slice(m, v, s);
}

// Are these axes, in this order, one after another in memory? Their stride then: what lies behind the last.
static bool join(const cg_operand *own, const int *axes, int n, int *out_last) {
    const ch__type *t = own->type;
    int before = -1;
    *out_last = -1;
    for (int i = 0; i < n; i++) {
        if (is_one_dim(t->dims[axes[i]])) continue;
        if (before >= 0) {
            if (axes[i] < before || (before < own->cut && axes[i] >= own->cut)) return false;
            for (int k = before + 1; k < axes[i]; k++)
                if (!is_one_dim(t->dims[k])) return false;
        }
        before = axes[i];
    }
    *out_last = before;
    return true;
}

typedef struct {
    int batch[CH__MAX_RANK], rest[CH__MAX_RANK], k[CH__MAX_RANK];
    int n_batch, n_rest, n_k, rest_last, k_last;
    bool good;
} product_side;

// Axes are those of the operand's memory.
static product_side product_side_of(const ch__op *op, int which, const cg_operand *own) {
    const ch__attr *batch = ch__op_attr(op, CH__ATTR_batch), *contract = ch__op_attr(op, CH__ATTR_contract);
    const ch__type *t = own->type;
    product_side s = {.n_batch = batch ? batch->n : 0, .n_k = contract->n};
    bool taken[CH__MAX_RANK] = {false};
    for (int i = 0; i < s.n_batch; i++) taken[batch->ints[i + which * s.n_batch]] = true;
    for (int i = 0; i < s.n_k; i++) taken[contract->ints[i + which * s.n_k]] = true;
    for (int i = 0; i < s.n_batch; i++) s.batch[i] = own->axis[batch->ints[i + which * s.n_batch]];
    for (int i = 0; i < s.n_k; i++) s.k[i] = own->axis[contract->ints[i + which * s.n_k]];
    for (int i = 0; i < t->rank; i++)
        if (!taken[i]) s.rest[s.n_rest++] = own->axis[i];
    s.good = join(own, s.rest, s.n_rest, &s.rest_last) && join(own, s.k, s.n_k, &s.k_last);
    return s;
}

static ch__dim product_of(cg *g, ch__arena *a, const ch__type *t, const int *axes, int n) {
    ch__dim p = ch__dim_const(1);
    (void)g;
    for (int i = 0; i < n; i++) p = ch__dim_mul(a, p, t->dims[axes[i]]);
    return p;
}

static bool all_const(const ch__type *t, int64_t *n) {
    for (int i = 0; i < t->rank; i++)
        if (!ch__dim_is_const(t->dims[i]) || !ch__mul_i64(*n, t->dims[i].val, n)) return false;
    return true;
}

// Has the engine's dot something better for it than loops (native/dot.c)?
static bool is_multiplied(ch_dtype d) { return d == CH_F32 || d == CH_F64 || ch__cg_is_half(d) || ch__is_int(d); }

// A product for the library: of matrices, in any order, not tiny.
static bool should_call(const ch__op *op) {
    if (op->code != CH_OP_dot) return false;
    const ch__type *r = op->results[0].type;
    ch_dtype d = op->operands[0]->type->dtype;
    if (op->operands[0]->type->rank == 0 || op->operands[1]->type->rank == 0) return false; // a number is no matrix
    if (r->rank == 0 || r->dtype != d || op->operands[1]->type->dtype != d) return false;
    if (!is_multiplied(d)) return false;
    if (ch__op_int(op, CH__ATTR_order, CH__ANY) != CH__ANY) return false;
    int64_t lhs = 1, rhs = 1;
    return !(all_const(op->operands[0]->type, &lhs) && all_const(op->operands[1]->type, &rhs) && lhs * rhs <= 4096);
}

// The result's rows are what lies side by side behind the transpose of it, among other axes: turned round, what is
// copied lies side by side before it too. Keys' adjoints become columns of heads so.
static bool turn_before(dot_marks *m, ch__value *v, ch__op *transpose, int n_batch) {
    int rank = v->type->rank;
    ch__dim dims[CH__MAX_RANK];
    int64_t *perm = CH_NEW_ARRAY(m->file->a, int64_t, rank);
    const ch__attr *old = ch__op_attr(transpose, CH__ATTR_perm);
    if (old->ints[rank - 1] != n_batch) return false;
    for (int i = 0; i < rank; i++) {
        bool moved = old->ints[i] >= n_batch;
        perm[i] = moved ? 2 * n_batch + 1 - old->ints[i] : old->ints[i];
        dims[i] = v->type->dims[i < n_batch ? i : 2 * n_batch + 1 - i];
    }
    v->type = ch__type_make(m->file->a, v->type->dtype, rank, dims, NULL);
    for (int i = 0; i < transpose->n_attrs; i++)
        if (transpose->attrs[i].id == CH__ATTR_perm) transpose->attrs[i].ints = perm;
    return true;
}

// The transpose of a product of two matrices is the product of the two turned round.
static bool take_turned(dot_marks *m, ch__op *op, const struct dot_call *call) {
    const ch__attr *batch = ch__op_attr(op, CH__ATTR_batch);
    ch__value *v = &op->results[0];
    int n_batch = batch ? batch->n : 0;
    if (v->type->rank != n_batch + 2 || m->uses[v->id] != 1) return false;
    for (int i = 0; i < 2; i++)
        if (product_side_of(op, i, &call->side[i]).n_rest != 1) return false;
    for (ch__op *next = op->next; next; next = next->next)
        for (int j = 0; j < next->n_operands; j++) {
            if (next->operands[j] != v) continue;
            if (next->code != CH_OP_transpose) return false;
            const ch__attr *perm = ch__op_attr(next, CH__ATTR_perm);
            bool alone = perm->ints[n_batch] == n_batch + 1;
            for (int i = 0; i < n_batch; i++) alone = alone && perm->ints[i] == i;
            if (!alone) return turn_before(m, v, next, n_batch);
            ch__op_move_before(op, next);
            m->to[next->results[0].id] = v;
            m->uses[v->id] = m->uses[next->results[0].id];
            v->type = next->results[0].type;
            if (next->results[0].name) v->name = next->results[0].name;
            return true;
        }
    return false;
}

static void mark_dot(void *arg, ch__op *op) {
    dot_marks *m = arg;
    op->mark = 0;
    if (!should_call(op)) return;
    struct dot_call *call = CH_NEW(m->file->a, struct dot_call);
    ch__value *v[2];
    for (int i = 0; i < 2; i++) v[i] = dot_operand(m, op, i, &call->side[i]);
    for (int i = 0; i < 2; i++) {
        if (product_side_of(op, i, &call->side[i]).good) continue;
        // Its axes are where one call cannot read them: what the views give is computed.
        call->side[i] = (cg_operand){.type = op->operands[i]->type};
        for (int k = 0; k < op->operands[i]->type->rank; k++) call->side[i].axis[k] = k;
        v[i] = op->operands[i];
        if (!product_side_of(op, i, &call->side[i]).good) return;
    }
    op->mark = CG_CALLED;
    for (int i = 0; i < 2; i++) op->operands[i] = v[i];
    call->turned = take_turned(m, op, call);
    ch__cg_keep_call(m->file, op, call);
}

void ch__cg_native_dot_marks(cg_file *file, ch_func *f) {
    dot_marks m = {file, f, ch__use_counts(file->a, f), CH_NEW_ARRAY(file->a, ch__value *, f->n_values)};
    ch__walk(f->body, mark_dot, &m);
    ch__replace_uses(f, m.to);
}

// ---------------------------------------------------------------- the call
// The stride of joined axes whose last is axis `last`: the elements behind it.
static ch__dim stride_of(cg *g, const ch__type *t, int last) {
    ch__dim n = ch__dim_const(1);
    for (int i = last + 1; i < t->rank && last >= 0; i++) n = ch__dim_mul(g->a, n, ch__cg_size(g, t->dims[i], true));
    return n;
}

static ch__dim operand_stride(cg *g, const cg_operand *s, int last) {
    ch__dim n = ch__dim_const(1);
    int end = last < s->cut ? s->cut : s->type->rank;
    for (int i = last + 1; i < end && last >= 0; i++) n = ch__dim_mul(g->a, n, ch__cg_size(g, s->type->dims[i], true));
    return last >= 0 && last < s->cut ? ch__dim_mul(g->a, n, ch__dim_const(s->pitch)) : n;
}

// Of the operands as they lie in memory: their axes need not be those that the op names.
ch__dim ch__cg_dot_flops(const cg *g, const ch__op *op) {
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    product_side left = product_side_of(op, 0, &call->side[0]);
    ch__dim n = ch__dim_mul(g->a, ch__type_numel(g->a, op->results[0].type), ch__dim_const(2));
    for (int i = 0; i < left.n_k; i++) n = ch__dim_mul(g->a, n, call->side[0].type->dims[left.k[i]]);
    return n;
}

// Are the result's rows those of the left operand's last axis that is neither of batches nor summed?
bool ch__cg_dot_has_rows(const cg *g, const ch__op *op) {
    if (!ch__is_float(op->results[0].type->dtype)) return false;
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    product_side left = product_side_of(op, 0, &call->side[0]);
    return !call->turned && left.n_rest > 0 && left.rest_last == left.rest[left.n_rest - 1];
}

// Has its result as many axes up to its rows' own?
bool ch__cg_dot_rows_end_at(const cg *g, const ch__op *op, int n) {
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    product_side left = product_side_of(op, 0, &call->side[0]);
    return left.n_batch + left.n_rest == n;
}

// The same, and is operand 0 read as it stands, summed along all its axes from the n-th on?
bool ch__cg_dot_takes_rows(const cg *g, const ch__op *op, int n) {
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    const ch__attr *contract = ch__op_attr(op, CH__ATTR_contract), *batch = ch__op_attr(op, CH__ATTR_batch);
    const ch__type *t = op->operands[0]->type;
    for (int i = 0; batch && i < batch->n; i++)
        if (batch->ints[i] != i) return false;
    if (!ch__cg_dot_has_rows(g, op) || !ch__cg_same_dims(call->side[0].type, t) || t->rank - contract->n != n)
        return false;
    for (int i = 0; i < t->rank; i++)
        if (call->side[0].axis[i] != i) return false;
    for (int i = 0; i < contract->n; i++)
        if (contract->ints[i] != n + i) return false;
    return true;
}

static const char *placed_at(cg *g, const char *name, ch__dim offset) {
    if (ch__dim_is_const(offset) && offset.val == 0) return name;
    return ch__arena_printf(g->a, "%s + %s", name, ch__cg_dim_text(g, offset, CX_ADD));
}

// Which axis of a right operand is the inner one of its wide copy: the one that lies side by side.
static bool lies_along_k(cg *g, const cg_operand *right, const product_side *s) {
    ch__dim step = operand_stride(g, right, s->k_last);
    return ch__dim_is_const(step) && step.val == 1;
}

const char *ch__cg_dot_rows(cg *g, const ch__op *op, const cg_dot_rows *r) {
    const ch__type *t = op->results[0].type;
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    product_side s[2];
    const cg_operand *left = &call->side[0], *right = &call->side[1];
    ch__dim offset[3] = {ch__dim_const(left->first), ch__dim_const(r->wide ? 0 : right->first), ch__dim_const(0)},
            one = ch__dim_const(1);
    for (int i = 0; i < 2; i++) s[i] = product_side_of(op, i, &call->side[i]);
    for (int b = 0; b < s[0].n_batch + s[0].n_rest; b++) {
        bool batch = b < s[0].n_batch;
        int axis = batch ? s[0].batch[b] : s[0].rest[b - s[0].n_batch];
        offset[0] = ch__dim_add(g->a, offset[0], ch__dim_mul(g->a, r->at[b], operand_stride(g, left, axis)));
        if (batch && !r->wide)
            offset[1] =
                ch__dim_add(g->a, offset[1], ch__dim_mul(g->a, r->at[b], operand_stride(g, right, s[1].batch[b])));
        offset[2] = ch__dim_add(g->a, offset[2], ch__dim_mul(g->a, r->at[b], stride_of(g, t, b)));
    }
    ch__dim k = product_of(g, g->a, left->type, s[0].k, s[0].n_k),
            n = product_of(g, g->a, right->type, s[1].rest, s[1].n_rest);
    ch__dim by_k = operand_stride(g, right, s[1].k_last), by_n = operand_stride(g, right, s[1].rest_last);
    if (r->wide) {
        bool along = lies_along_k(g, right, &s[1]);
        by_k = along ? one : ch__cg_size(g, n, true);
        by_n = along ? ch__cg_size(g, k, true) : one;
    }
    if (r->n) {
        *(r->lhs ? &k : &n) = *r->n;
        offset[1] = ch__dim_add(g->a, offset[1], ch__dim_mul(g->a, *r->lo, r->lhs ? by_k : by_n));
    }
    const char *lhs = r->lhs ? r->lhs : placed_at(g, ch__cg_pointer(g, op->operands[0]), offset[0]);
    const char *rhs = placed_at(g, r->wide ? r->wide : ch__cg_pointer(g, op->operands[1]), offset[1]);
    const char *out = r->out ? r->out : placed_at(g, r->result, offset[2]);
    ch__dim am = r->lhs ? k : operand_stride(g, left, s[0].rest_last),
            ak = r->lhs ? one : operand_stride(g, left, s[0].k_last);
    ch_dtype d = t->dtype;
    const char *call_of = r->wide ? ch__arena_printf(g->a, "chaac_dot_wide(%d", (int)d)
                                  : ch__arena_printf(g->a, "chaac_dot(%d, %d", (int)d, (int)ch__cg_acc_dtype(op, d));
    return ch__arena_printf(g->a, "%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", call_of, r->rows,
                            ch__cg_dim_text(g, n, CX_COND), ch__cg_dim_text(g, k, CX_COND), lhs,
                            ch__cg_dim_text(g, am, CX_COND), ch__cg_dim_text(g, ak, CX_COND), rhs,
                            ch__cg_dim_text(g, by_k, CX_COND), ch__cg_dim_text(g, by_n, CX_COND), out);
}

const char *ch__cg_dot_widen(cg *g, const ch__op *op, const ch__dim *at, const char *wide) {
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    const cg_operand *right = &call->side[1];
    product_side s = product_side_of(op, 1, right);
    ch__dim offset = ch__dim_const(right->first), size[2], step[2]; // of what is summed, of the others
    for (int b = 0; b < s.n_batch; b++)
        offset = ch__dim_add(g->a, offset, ch__dim_mul(g->a, at[b], operand_stride(g, right, s.batch[b])));
    size[0] = product_of(g, g->a, right->type, s.k, s.n_k);
    size[1] = product_of(g, g->a, right->type, s.rest, s.n_rest);
    step[0] = operand_stride(g, right, s.k_last), step[1] = operand_stride(g, right, s.rest_last);
    int inner = lies_along_k(g, right, &s) ? 0 : 1;
    return ch__arena_printf(g->a, "chaac_widen(%d, %s, %s, %s, %s, %s, &%s)", (int)right->type->dtype,
                            ch__cg_dim_text(g, size[1 - inner], CX_COND), ch__cg_dim_text(g, step[1 - inner], CX_COND),
                            ch__cg_dim_text(g, size[inner], CX_COND), ch__cg_dim_text(g, step[inner], CX_COND),
                            placed_at(g, ch__cg_pointer(g, op->operands[1]), offset), wide);
}

// Is that operand read as it stands, summed along its axes from those of batches up to the n-th, and is one axis left?
bool ch__cg_dot_sums_rows(const cg *g, const ch__op *op, int side, int n) {
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    const ch__attr *contract = ch__op_attr(op, CH__ATTR_contract), *batch = ch__op_attr(op, CH__ATTR_batch);
    const ch__type *t = op->operands[side]->type;
    int n_batch = batch ? batch->n : 0;
    if (!ch__is_float(op->results[0].type->dtype) || t->rank != n + 1 || contract->n != n - n_batch ||
        contract->n < 1 || !ch__cg_same_dims(call->side[side].type, t))
        return false;
    for (int i = 0; i < t->rank; i++)
        if (call->side[side].axis[i] != i) return false;
    for (int i = 0; i < n_batch; i++)
        if (batch->ints[i + side * n_batch] != i) return false;
    for (int i = 0; i < contract->n; i++)
        if (contract->ints[i + side * contract->n] != n_batch + i) return false;
    return true;
}

ch__dim ch__cg_dot_length(cg *g, const ch__op *op) {
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    product_side s = product_side_of(op, 0, &call->side[0]);
    return product_of(g, g->a, call->side[0].type, s.k, s.n_k);
}

int ch__cg_dot_batches(const ch__op *op) {
    const ch__attr *batch = ch__op_attr(op, CH__ATTR_batch);
    return batch ? batch->n : 0;
}

const char *ch__cg_dot_sums(cg *g, const ch__op *op, int side, const cg_dot_rows *r) {
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    const ch__type *t = op->results[0].type;
    const cg_operand *other = &call->side[1 - side];
    product_side s = product_side_of(op, 1 - side, &call->side[1 - side]);
    ch__dim from = ch__dim_const(other->first), to = ch__dim_const(0);
    for (int b = 0; b < s.n_batch; b++) {
        from = ch__dim_add(g->a, from, ch__dim_mul(g->a, r->at[b], operand_stride(g, other, s.batch[b])));
        if (!ch__cg_is_half(t->dtype)) to = ch__dim_add(g->a, to, ch__dim_mul(g->a, r->at[b], stride_of(g, t, b)));
    }
    for (int i = 0; i < s.n_k; i++)
        from = ch__dim_add(g->a, from, ch__dim_mul(g->a, r->at[s.n_batch + i], operand_stride(g, other, s.k[i])));
    bool first = (side == 0) != call->turned; // the columns of the rows are the rows of the result
    ch__dim d = product_of(g, g->a, other->type, s.rest, s.n_rest),
            all = op->operands[side]->type->dims[s.n_batch + s.n_k];
    ch__dim width = r->n ? *r->n : all, step = first ? d : ch__cg_size(g, all, true);
    if (r->lo) to = ch__dim_add(g->a, to, first ? ch__dim_mul(g->a, *r->lo, d) : *r->lo);
    const char *x = placed_at(g, ch__cg_pointer(g, op->operands[1 - side]), from), *out = placed_at(g, r->result, to);
    const char *xk = ch__cg_dim_text(g, operand_stride(g, other, s.k[s.n_k - 1]), CX_COND),
               *xn = ch__cg_dim_text(g, operand_stride(g, other, s.rest_last), CX_COND),
               *w = ch__cg_dim_text(g, width, CX_COND), *dt = ch__cg_dim_text(g, d, CX_COND),
               *cm = ch__cg_dim_text(g, step, CX_COND);
    if (first)
        return ch__arena_printf(g->a, "chaac_dot_add(%d, %s, %s, %s, %s, 1, %s, %s, %s, %s, %s, %s)", (int)t->dtype, w,
                                dt, r->rows, r->lhs, w, x, xk, xn, out, cm);
    return ch__arena_printf(g->a, "chaac_dot_add(%d, %s, %s, %s, %s, %s, %s, %s, %s, 1, %s, %s)", (int)t->dtype, dt, w,
                            r->rows, x, xn, xk, r->lhs, w, out, cm);
}

const char *ch__cg_dot_largest(cg *g, const ch__op *op, int side, const ch__dim *at) {
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    const cg_operand *own = &call->side[side];
    const ch__type *t = own->type;
    product_side s = product_side_of(op, side, &call->side[side]);
    ch__dim offset = ch__dim_const(own->first);
    for (int b = 0; b < s.n_batch; b++)
        offset = ch__dim_add(g->a, offset, ch__dim_mul(g->a, at[b], operand_stride(g, own, s.batch[b])));
    return ch__arena_printf(g->a, "chaac_largest(%d, %s, %s, %s, %s, %s)", (int)t->dtype,
                            ch__cg_dim_text(g, product_of(g, g->a, t, s.k, s.n_k), CX_COND),
                            ch__cg_dim_text(g, product_of(g, g->a, t, s.rest, s.n_rest), CX_COND),
                            placed_at(g, ch__cg_pointer(g, op->operands[side]), offset),
                            ch__cg_dim_text(g, operand_stride(g, own, s.k_last), CX_COND),
                            ch__cg_dim_text(g, operand_stride(g, own, s.rest_last), CX_COND));
}

void ch__cg_dot_call(cg *g, const ch__op *op) {
    const ch__value *out = &op->results[0];
    const struct dot_call *call = ch__cg_call_of(g->file, op);
    int l = call->turned ? 1 : 0, r = 1 - l; // which operand is on the left
    product_side s[2] = {product_side_of(op, l, &call->side[l]), product_side_of(op, r, &call->side[r])};
    const char *from[2];
    for (int i = 0; i < 2; i++) from[i] = ch__cg_pointer(g, op->operands[i == 0 ? l : r]);
    store *st = ch__cg_result_store(g, op, 0);
    const ch__type *t[2] = {call->side[l].type, call->side[r].type};
    ch__dim m = product_of(g, g->a, t[0], s[0].rest, s[0].n_rest),
            n = product_of(g, g->a, t[1], s[1].rest, s[1].n_rest), k = product_of(g, g->a, t[0], s[0].k, s[0].n_k),
            at[CH__MAX_RANK], offset[3];
    int loops = 0;
    const cg_operand *own[2] = {&call->side[l], &call->side[r]};
    for (int i = 0; i < 3; i++) offset[i] = ch__dim_const(i < 2 ? own[i]->first : 0);
    for (int b = 0; b < s[0].n_batch; b++) {
        ch__dim size = t[0]->dims[s[0].batch[b]];
        at[b] = ch__dim_const(0);
        if (is_one_dim(size)) continue;
        at[b] = ch__cg_for(g, size);
        loops++;
    }
    for (int b = 0; b < s[0].n_batch; b++) {
        for (int i = 0; i < 2; i++)
            offset[i] =
                ch__dim_add(g->a, offset[i], ch__dim_mul(g->a, at[b], operand_stride(g, own[i], s[i].batch[b])));
        offset[2] = ch__dim_add(g->a, offset[2], ch__dim_mul(g->a, at[b], stride_of(g, out->type, b)));
    }
    const char *a[3];
    const char *names[3] = {from[0], from[1], st->name};
    for (int i = 0; i < 3; i++) a[i] = placed_at(g, names[i], offset[i]);
    g->fails = g->needs_memory = true;
    ch__cg_note(g, CG_LIBRARY, out->type, 1, &op, "");
    ch_dtype d = out->type->dtype;
    ch__cg_open(g, "if (chaac_dot(%d, %d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) != 0)", (int)d,
                (int)ch__cg_acc_dtype(op, d), ch__cg_dim_text(g, m, CX_COND), ch__cg_dim_text(g, n, CX_COND),
                ch__cg_dim_text(g, k, CX_COND), a[0],
                ch__cg_dim_text(g, operand_stride(g, own[0], s[0].rest_last), CX_COND),
                ch__cg_dim_text(g, operand_stride(g, own[0], s[0].k_last), CX_COND), a[1],
                ch__cg_dim_text(g, operand_stride(g, own[1], s[1].k_last), CX_COND),
                ch__cg_dim_text(g, operand_stride(g, own[1], s[1].rest_last), CX_COND), a[2]);
    ch__cg_line(g, "status = 1;");
    ch__cg_line(g, "goto done;");
    ch__cg_close(g);
    ch__cg_for_end(g, loops);
    ch__cg_hold(g, out, st);
}
