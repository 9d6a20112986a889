// SPDX-License-Identifier: Apache-2.0
// assign.c - assignment: to a whole tensor, or through views to a part of one.
//
// The destination is followed down its views (slices, transposes, reversals, reshapes) to the tensor they are views of,
// which gets a new value: "the old one with that part replaced", an expression like any other, so that order, gradients
// and capture need nothing of their own (version.c keeps what was built before reading the old value; inplace.c writes
// in place where that is safe). Views between two reshapes make one window of the axes below; a window of step 1 is a
// dynamic_update_slice, another one a select by a mask.

#include "tensor/jit.h"

#include <string.h>

// What part of a base a view is: for each axis of the base start, step and count, and which way round; and the base's
// axis of each axis of the view.
typedef struct {
    int rank, perm[CH__MAX_RANK];
    int64_t dims[CH__MAX_RANK], start[CH__MAX_RANK], step[CH__MAX_RANK], count[CH__MAX_RANK];
    bool reversed[CH__MAX_RANK];
} axes_window;

static void window_whole(axes_window *w, const ch__type *t) {
    *w = (axes_window){.rank = t->rank};
    for (int i = 0; i < t->rank; i++) {
        w->perm[i] = i;
        w->dims[i] = w->count[i] = t->dims[i].val;
        w->step[i] = 1;
    }
}

static const ch__attr *attr_of(const ch_tensor *t, ch__attr_id id) {
    for (int i = 0; i < t->n_attrs; i++)
        if (t->attrs[i].id == id) return &t->attrs[i];
    return NULL;
}

static void window_slice(axes_window *w, const ch_tensor *t) {
    const ch__attr *start = attr_of(t, CH__ATTR_start), *stride = attr_of(t, CH__ATTR_stride);
    for (int i = 0; i < w->rank; i++) {
        int b = w->perm[i];
        int64_t s = start->dims[i].val, k = stride == NULL ? 1 : stride->ints[i], n = t->type.dims[i].val;
        w->start[b] += (w->reversed[b] ? w->count[b] - 1 - s - k * (n > 0 ? n - 1 : 0) : s) * w->step[b];
        w->step[b] *= k;
        w->count[b] = n;
    }
}

static void window_view(axes_window *w, const ch_tensor *t) {
    if (t->opcode == CH_OP_slice) {
        window_slice(w, t);
    } else if (t->opcode == CH_OP_transpose) {
        axes_window from = *w;
        for (int i = 0; i < w->rank; i++) w->perm[i] = from.perm[t->attrs[0].ints[i]];
    } else {
        for (int i = 0; i < t->attrs[0].n; i++) {
            int b = w->perm[t->attrs[0].ints[i]];
            w->reversed[b] = !w->reversed[b];
        }
    }
}

// ---- the expression of the new value
// v, as the view has it, in the order of the base's axes.
static ch_tensor *turned(const char *where, const axes_window *w, ch_tensor *v) {
    int perm[CH__MAX_RANK], axes[CH__MAX_RANK], n = 0;
    bool moves = false;
    for (int i = 0; i < w->rank; i++) {
        perm[w->perm[i]] = i;
        moves = moves || w->perm[i] != i;
    }
    for (int i = 0; i < w->rank; i++)
        if (w->reversed[i]) axes[n++] = i;
    if (moves) v = ch_transpose_at(where, v, w->rank, perm);
    return n > 0 ? ch_reverse_at(where, v, n, axes) : v;
}

static ch_tensor *spread(const char *where, const axes_window *w, ch_tensor *v, ch_tensor *fill) {
    int64_t hi[CH__MAX_RANK], interior[CH__MAX_RANK];
    for (int i = 0; i < w->rank; i++) {
        int64_t covered = w->count[i] > 0 ? (w->count[i] - 1) * w->step[i] + 1 : 0;
        hi[i] = w->dims[i] - w->start[i] - covered;
        interior[i] = w->step[i] - 1;
    }
    return ch_pad_at(where, v, fill, w->rank, w->start, hi, interior);
}

static ch_tensor *with_window(const char *where, const axes_window *w, ch_tensor *base, ch_tensor *v) {
    bool whole = true, dense = true, empty = false;
    for (int i = 0; i < w->rank; i++) {
        whole = whole && w->count[i] == w->dims[i];
        dense = dense && (w->step[i] == 1 || w->count[i] <= 1);
        empty = empty || w->count[i] == 0;
    }
    if (empty) return base;
    v = turned(where, w, v);
    if (whole) return v;
    if (dense) {
        ch_tensor *starts[CH__MAX_RANK];
        for (int i = 0; i < w->rank; i++) starts[i] = ch_from_i64_at(where, &w->start[i], 0, NULL);
        return ch_dynamic_update_slice_at(where, base, v, w->rank, starts);
    }
    ch_tensor *mask =
        spread(where, w, ch_full_at(where, CH_BOOL, 1, w->rank, w->count), ch_scalar_at(where, CH_BOOL, 0));
    return ch_select_at(where, mask, spread(where, w, v, ch_scalar_at(where, v->type.dtype, 0)), base);
}

static ch_tensor *reshaped_as(const char *where, ch_tensor *v, const ch__type *type) {
    if (ch__type_equal(&v->type, type)) return v;
    return ch__op1(where, CH_OP_reshape, 1, &v, 0, NULL, type);
}

static bool is_window_op(int opcode) {
    return opcode == CH_OP_slice || opcode == CH_OP_transpose || opcode == CH_OP_reverse;
}

// The view chain[i] of what the bottom is now; chain[i] itself may be of what it was before.
static ch_tensor *view_now(const char *where, int n, ch_tensor *const *chain, int i) {
    ch_tensor *t = chain[n];
    while (n-- > i) {
        const ch_tensor *v = chain[n];
        bool typed = v->opcode == CH_OP_reshape || v->opcode == CH_OP_broadcast;
        t = ch__op1(where, (ch__opcode)v->opcode, 1, &t, v->n_attrs, v->attrs, typed ? &v->type : NULL);
    }
    return t;
}

// chain[0] is the destination, chain[n] the tensor at the bottom. The bottom's new value.
static ch_tensor *with_part(const char *where, int n, ch_tensor *const *chain, ch_tensor *v) {
    int i = 0;
    if (n > 0 && chain[0]->opcode == CH_OP_dynamic_slice) {
        v = ch_dynamic_update_slice_at(where, view_now(where, n, chain, 1), v, chain[1]->type.rank,
                                       chain[0]->operands + 1);
        i = 1;
    }
    while (i < n && v->kind != CH__T_ERROR) {
        if (!is_window_op(chain[i]->opcode)) { // a reshape, or a broadcast that only adds axes
            v = reshaped_as(where, v, &chain[i + 1]->type);
            i++;
            continue;
        }
        int end = i;
        while (end < n && is_window_op(chain[end]->opcode)) end++;
        axes_window w;
        window_whole(&w, &chain[end]->type);
        for (int k = end - 1; k >= i; k--) window_view(&w, chain[k]);
        v = with_window(where, &w, view_now(where, n, chain, end), v);
        i = end;
    }
    return v->kind == CH__T_ERROR ? v : reshaped_as(where, v, &chain[n]->type);
}

// ---- what is a view of what
enum { DEEPEST = 32 };

ch_tensor *ch__view_base(const ch_tensor *t) {
    if (t->view_of != NULL) return t->view_of;
    if (t->kind != CH__T_OP) return NULL;
    return ch__is_view_op(t->opcode) || t->opcode == CH_OP_dynamic_slice ? t->operands[0] : NULL;
}

static ch_status follow(ch_tensor *dst, ch_tensor **chain, int *n) {
    *n = 0;
    for (ch_tensor *t = dst, *base; (base = ch__view_base(t)) != NULL; t = base) {
        chain[(*n)++] = t;
        if (*n == DEEPEST)
            return ch__fail(CH__E_limit,
                            "assign: the destination is a view of a view %d times over — that is the limit", DEEPEST);
        if (t->opcode == CH_OP_dynamic_slice && (t != dst || t->kind != CH__T_OP))
            return ch__fail(CH__E_assign,
                            "assign: the destination is a dynamic slice that was %s — make it anew, of "
                            "the tensor itself",
                            t == dst ? "assigned or realized before" : "cut again");
        if (!ch__type_is_static(&t->type) || !ch__type_is_static(&base->type))
            return ch__fail(CH__E_unsupported,
                            "assign: a part of symbolic size — inside a capture, use ch_dynamic_update_slice");
        if (t->opcode == CH_OP_broadcast && ch__type_bytes(&t->type) != ch__type_bytes(&base->type))
            return ch__fail(CH__E_assign,
                            "assign: the destination repeats elements (a broadcast) — assign to what it repeats");
    }
    chain[*n] = *n == 0 ? dst : ch__view_base(chain[*n - 1]);
    ch_tensor *bottom = chain[*n];
    CH_TRY(ch_check(bottom));
    const ch__trace_state *trace = ch__trace_current();
    if (ch__jit_may_assign()) return CH_OK; // the program has it as a result
    if (bottom->kind == CH__T_INPUT || (trace != NULL && bottom->serial < trace->first_serial))
        return ch__fail(
            CH__E_assign,
            "assign: %s — a captured function changes nothing outside itself; give the new value as a result",
            bottom->kind == CH__T_INPUT ? "the destination is an input of a capture"
                                        : "the destination was made before the capture began");
    return CH_OK;
}

static ch_status check_value(const ch_tensor *dst, const ch_tensor *value) {
    bool fits = value->type.rank <= dst->type.rank;
    for (int i = 1; fits && i <= value->type.rank; i++) {
        ch__dim d = value->type.dims[value->type.rank - i];
        fits = ch__dim_equal(d, dst->type.dims[dst->type.rank - i]) || ch__dim_equal(d, ch__dim_const(1));
    }
    if (fits && dst->type.dtype == value->type.dtype) return CH_OK;
    char a[256], b[256];
    ch_tensor_type(value, a, sizeof a);
    ch_tensor_type(dst, b, sizeof b);
    if (!fits)
        return ch__fail(CH__E_shape_mismatch,
                        "assign: %s to %s — the value must have the shape of the destination, or "
                        "broadcast to it",
                        a, b);
    return ch__fail(CH__E_dtype_mismatch, "assign: %s to %s — dtypes do not mix; ch_convert the value", a, b);
}

// All handles on the way get their new values, or none does.
static ch_status change(const char *where, int n, ch_tensor *const *chain, ch_tensor *value, ch_tensor *bottom) {
    ch__change c[DEEPEST + 1];
    int ready = 0;
    CH_TRY(ch__jit_note_assign(n + 1, chain));
    ch_status s = ch__scope_note(chain[n]) ? CH_OK : ch__fail_oom("an assignment");
    for (; s == CH_OK && ready <= n; ready++) {
        s = ch__version_prepare(&c[ready], chain[ready], ready == n ? bottom : ready == 0 ? value : NULL);
        if (s != CH_OK) break;
    }
    for (int i = 0; s != CH_OK && i < ready; i++) ch__version_abandon(&c[i]);
    if (s != CH_OK) return s;
    ch__version_commit(&c[n], where, NULL);
    for (int i = n - 1; i > 0; i--) ch__version_again(&c[i], chain[i + 1]);
    if (n > 0) ch__version_commit(&c[0], where, chain[1]);
    return CH_OK;
}

ch_status ch_assign_at(const char *where, ch_tensor *dst, ch_tensor *value) {
    ch_tensor *error = ch__first_error(where, "assign", 2, (ch_tensor *[]){dst, value});
    if (error != NULL) return ch__error_publish(error->error);
    ch_tensor *chain[DEEPEST + 1];
    int n;
    CH_TRY(follow(dst, chain, &n));
    CH_TRY(check_value(dst, value));
    if (dst == value) return CH_OK;
    bool was = ch__node_internal(true);
    ch_tensor *v = value, *u = NULL;
    if (!ch__type_same_shape(&v->type, &dst->type)) v = ch__broadcast_right(where, v, dst->type.rank, dst->type.dims);
    if (v->kind != CH__T_ERROR) v = reshaped_as(where, v, &dst->type);
    if (v->kind != CH__T_ERROR) u = with_part(where, n, chain, v);
    ch__node_internal(was);
    if (u == NULL || u->kind == CH__T_ERROR) return ch_check(u == NULL ? v : u);
    return change(where, n, chain, v, u);
}
