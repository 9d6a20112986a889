// SPDX-License-Identifier: Apache-2.0
// gather.c - gather and scatter with StableHLO's dimension numbers.
//
// Each index vector (a line of `indices` along index_dim) names the corner of a window of the operand. gather copies
// the windows out: corners are clamped so that the window fits. scatter applies updates in row-major order of the
// updates: a window that does not fit as a whole is dropped (as XLA does), under `known` and `c` it is an error.
// Source: StableHLO specification, gather and scatter.
#include "interp/exec.h"

typedef struct {
    const ch__cell *x, *indices;
    int64_t x_stride[CH__MAX_RANK], index_stride[CH__MAX_RANK];
    int64_t window[CH__MAX_RANK]; // size along each operand axis
    int n_map;
    const int64_t *map; // operand axis of each component
    int64_t component_stride;
    int n_batch; // axes of indices but index_dim
    int batch_axis[CH__MAX_RANK];
    int n_pairs;
    const int64_t *operand_batch, *indices_batch;
} index_space;

static const ch__attr no_axes = {.n = 0};

static const ch__attr *axes_attr(const ch__instr *s, ch__attr_id id) {
    const ch__attr *a = ch__op_attr(s->op, id);
    return a ? a : &no_axes;
}

static bool among(const ch__attr *axes, int axis) {
    for (int i = 0; i < axes->n; i++)
        if (axes->ints[i] == axis) return true;
    return false;
}

static void make_space(index_space *sp, const ch__instr *s, const ch__cell *x, const ch__cell *indices) {
    int index_dim = (int)ch__op_int(s->op, CH__ATTR_index_dim, indices->rank);
    const ch__attr *map = axes_attr(s, CH__ATTR_index_map);
    *sp = (index_space){.x = x, .indices = indices, .n_map = map->n, .map = map->ints};
    ch__row_major(x->rank, x->dims, sp->x_stride);
    ch__row_major(indices->rank, indices->dims, sp->index_stride);
    sp->component_stride = index_dim < indices->rank ? sp->index_stride[index_dim] : 0;
    for (int i = 0; i < indices->rank; i++)
        if (i != index_dim) sp->batch_axis[sp->n_batch++] = i;
    sp->n_pairs = axes_attr(s, CH__ATTR_operand_batch)->n;
    sp->operand_batch = axes_attr(s, CH__ATTR_operand_batch)->ints;
    sp->indices_batch = axes_attr(s, CH__ATTR_indices_batch)->ints;
}

// The corner of the window of the index vector at batch position at[] (one entry a batch axis).
static void corner_of(const index_space *sp, const int64_t *at, int64_t corner[CH__MAX_RANK]) {
    int64_t line = 0;
    for (int i = 0; i < sp->x->rank; i++) corner[i] = 0;
    for (int i = 0; i < sp->n_batch; i++) line += at[i] * sp->index_stride[sp->batch_axis[i]];
    for (int i = 0; i < sp->n_map; i++) corner[sp->map[i]] = ch__index_at(sp->indices, line + i * sp->component_stride);
    for (int p = 0; p < sp->n_pairs; p++)
        for (int i = 0; i < sp->n_batch; i++)
            if (sp->batch_axis[i] == sp->indices_batch[p]) corner[sp->operand_batch[p]] = at[i];
}

// The axis along which the window does not fit, or -1.
static int misfit(const index_space *sp, const int64_t *corner) {
    for (int i = 0; i < sp->x->rank; i++)
        if (corner[i] < 0 || corner[i] > sp->x->dims[i] - sp->window[i]) return i;
    return -1;
}

static ch_status report_misfit(const ch__instr *s, const index_space *sp, const int64_t *corner, int axis) {
    char a[CH__SHAPE_CHARS];
    if (sp->window[axis] == 1 && sp->x->dims[axis] > 0)
        return ch__op_fail(s, CH__E_bounds, "index %" PRId64 " on axis %d — %s has indices 0 to %" PRId64, corner[axis],
                           axis, ch__shape_text(a, sp->x), sp->x->dims[axis] - 1);
    return ch__op_fail(
        s, CH__E_bounds, "start %" PRId64 " with size %" PRId64 " on axis %d — %s allows starts 0 to %" PRId64,
        corner[axis], sp->window[axis], axis, ch__shape_text(a, sp->x), sp->x->dims[axis] - sp->window[axis]);
}

static bool next_position(int n, const int64_t *dims, int64_t *at) {
    for (int i = n - 1; i >= 0; i--) {
        if (++at[i] < dims[i]) return true;
        at[i] = 0;
    }
    return false;
}

ch_status ch__do_gather(ch__frame *fr, const ch__instr *s) {
    const ch__cell x = *CH__IN(0), indices = *CH__IN(1);
    ch__cell *o = CH__OUT(0);
    const ch__attr *offset = axes_attr(s, CH__ATTR_offset_dims), *collapsed = axes_attr(s, CH__ATTR_collapsed),
                   *sizes = axes_attr(s, CH__ATTR_sizes), *batching = axes_attr(s, CH__ATTR_operand_batch);
    bool clamps = ch__op_int(s->op, CH__ATTR_bounds, CH__CLAMP) == CH__CLAMP;
    index_space sp;
    make_space(&sp, s, &x, &indices);
    CH_TRY(ch__result_new(fr, s, 0));
    int64_t to[CH__MAX_RANK], ss[CH__MAX_RANK], ds[CH__MAX_RANK], n[CH__MAX_RANK];
    int64_t batch_dims[CH__MAX_RANK], batch_stride[CH__MAX_RANK];
    int kept = 0, n_batch = 0;
    ch__row_major(o->rank, o->dims, to);
    for (int i = 0; i < x.rank; i++) {
        CH_TRY(ch__dim_value(fr, sizes->dims[i], &sp.window[i]));
        if (sp.window[i] < 0 || sp.window[i] > x.dims[i])
            return ch__op_fail(s, CH__E_shape_mismatch, "slice size %" PRId64 " on axis %d of size %" PRId64,
                               sp.window[i], i, x.dims[i]);
        if (among(collapsed, i) || among(batching, i)) continue;
        if (kept >= offset->n || o->dims[offset->ints[kept]] != sp.window[i])
            return ch__op_fail(s, CH__E_shape_mismatch, "the result does not have the sizes of the slices");
        ss[kept] = sp.x_stride[i];
        ds[kept] = to[offset->ints[kept]];
        n[kept++] = sp.window[i];
    }
    for (int i = 0; i < o->rank; i++) {
        if (among(offset, i)) continue;
        if (n_batch >= sp.n_batch || o->dims[i] != indices.dims[sp.batch_axis[n_batch]])
            return ch__op_fail(s, CH__E_shape_mismatch, "the result does not have the sizes of the indices");
        batch_stride[n_batch] = to[i];
        batch_dims[n_batch++] = o->dims[i];
    }
    if (o->numel == 0) return CH_OK;
    int64_t at[CH__MAX_RANK] = {0}, corner[CH__MAX_RANK];
    do {
        corner_of(&sp, at, corner);
        int axis = misfit(&sp, corner);
        if (axis >= 0 && (!clamps || fr->run->limits.check)) return report_misfit(s, &sp, corner, axis);
        int64_t from = 0, place = 0;
        for (int i = 0; i < x.rank; i++) {
            int64_t last = x.dims[i] - sp.window[i], c = corner[i] < 0 ? 0 : corner[i] > last ? last : corner[i];
            from += c * sp.x_stride[i];
        }
        for (int i = 0; i < n_batch; i++) place += at[i] * batch_stride[i];
        ch__copy_strided((char *)ch__data(o) + place * o->esize, ds, (const char *)ch__data(&x) + from * x.esize, ss, n,
                         kept, o->esize);
    } while (next_position(n_batch, batch_dims, at));
    return CH_OK;
}

// ---------------------------------------------------------------- scatter
typedef struct {
    index_space sp;
    const ch__cell *updates;
    ch__kind kind;
    ch_dtype d, acc;
    char *state;                  // the result, or its accumulators
    bool carried;                 // accumulators of another dtype than the result's
    int64_t target[CH__MAX_RANK]; // stride in the result of each axis of updates that is a window axis
    bool is_window[CH__MAX_RANK];
    int size; // bytes of an element of state
} scatter_job;

static void apply_updates(const scatter_job *j, int64_t place, int64_t from, int64_t n, int64_t step) {
    const char *u = (const char *)ch__data(j->updates) + from * j->updates->esize;
    char *to = j->state + place * j->size;
    if (j->kind == CH__SET) {
        for (int64_t i = 0; i < n; i++) memcpy(to + i * step * j->size, u + i * j->updates->esize, (size_t)j->size);
        return;
    }
    uint64_t row[64], old[64];
    for (int64_t at = 0; at < n; at += 64) {
        int64_t m = n - at < 64 ? n - at : 64;
        ch__carrier_load(row, j->acc, u + at * j->updates->esize, j->d, m);
        if (j->carried && step == 1) {
            ch__fold_n(j->kind, j->acc, to + at * j->size, 1, row, m);
            continue;
        }
        size_t wide = ch_dtype_size(ch__carrier(j->acc));
        for (int64_t i = 0; i < m; i++) {
            char *t = to + (at + i) * step * j->size;
            if (j->carried) {
                ch__fold_n(j->kind, j->acc, t, 1, (char *)row + (size_t)i * wide, 1);
                continue;
            }
            ch__carrier_load(old, j->acc, t, j->d, 1);
            ch__fold_n(j->kind, j->acc, old, 1, (char *)row + (size_t)i * wide, 1);
            ch__carrier_store(t, j->d, j->acc, old, 1);
        }
    }
}

static ch_status scatter_all(ch__frame *fr, const ch__instr *s, const scatter_job *j) {
    const ch__cell *u = j->updates;
    bool drops = ch__op_int(s->op, CH__ATTR_bounds, CH__CLAMP) == CH__CLAMP && !fr->run->limits.check;
    // The innermost axis goes in one piece when it belongs to the window.
    int outer = u->rank;
    int64_t n = 1, step = 0;
    if (u->rank > 0 && j->is_window[u->rank - 1]) {
        outer--;
        n = u->dims[outer];
        step = j->target[outer];
    }
    int64_t at[CH__MAX_RANK] = {0}, batch[CH__MAX_RANK], corner[CH__MAX_RANK], from = 0;
    do {
        int k = 0;
        int64_t place = 0;
        for (int i = 0; i < outer; i++) {
            if (j->is_window[i])
                place += at[i] * j->target[i];
            else
                batch[k++] = at[i];
        }
        corner_of(&j->sp, batch, corner);
        int axis = misfit(&j->sp, corner);
        if (axis >= 0 && !drops) return report_misfit(s, &j->sp, corner, axis);
        if (axis < 0) { // only then is the place of the corner a number
            for (int i = 0; i < j->sp.x->rank; i++) place += corner[i] * j->sp.x_stride[i];
            apply_updates(j, place, from, n, step);
        }
        from += n;
    } while (next_position(outer, u->dims, at));
    return CH_OK;
}

ch_status ch__do_scatter(ch__frame *fr, const ch__instr *s) {
    const ch__cell indices = *CH__IN(1), updates = *CH__IN(2);
    const ch__attr *window = axes_attr(s, CH__ATTR_window_dims), *inserted = axes_attr(s, CH__ATTR_inserted),
                   *batching = axes_attr(s, CH__ATTR_operand_batch);
    scatter_job j = {.updates = &updates, .kind = (ch__kind)ch__op_int(s->op, CH__ATTR_kind, CH__SET)};
    CH_TRY(ch__result_update(fr, s, 0, 0));
    ch__cell *o = CH__OUT(0);
    make_space(&j.sp, s, o, &indices);
    int k = 0, n_batch = 0;
    for (int i = 0; i < o->rank; i++) {
        j.sp.window[i] = 1;
        if (among(inserted, i) || among(batching, i)) continue;
        if (k >= window->n) return ch__op_fail(s, CH__E_shape_mismatch, "the updates lack an axis of the window");
        int axis = (int)window->ints[k++];
        j.is_window[axis] = true;
        j.target[axis] = j.sp.x_stride[i];
        j.sp.window[i] = updates.dims[axis];
    }
    for (int i = 0; i < updates.rank; i++) {
        if (j.is_window[i]) continue;
        if (n_batch >= j.sp.n_batch || updates.dims[i] != indices.dims[j.sp.batch_axis[n_batch++]])
            return ch__op_fail(s, CH__E_shape_mismatch, "the updates do not have the sizes of the indices");
    }
    if (updates.numel == 0 || o->numel == 0) return CH_OK;
    j.d = (ch_dtype)o->dtype;
    j.acc = ch__acc_dtype(s->op, j.d);
    j.state = ch__data(o);
    j.size = o->esize;
    ch_dtype carrier = ch__carrier(j.acc);
    ch__buf *wide = NULL;
    if (j.kind != CH__SET) {
        j.carried = j.acc == j.d && carrier == j.d;
        if (j.acc != j.d) {
            j.size = (int)ch_dtype_size(carrier);
            wide = ch__buf_new(fr->run, o->numel * j.size);
            if (!wide) return CH_RESOURCE_EXHAUSTED;
            ch__carrier_load(wide->data, j.acc, ch__data(o), j.d, o->numel);
            j.state = wide->data;
            j.carried = true;
        }
    }
    ch_status st = scatter_all(fr, s, &j);
    if (wide) {
        if (st == CH_OK) ch__carrier_store(ch__data(o), j.d, j.acc, wide->data, o->numel);
        ch__buf_release(fr->run, wide);
    }
    return st;
}
