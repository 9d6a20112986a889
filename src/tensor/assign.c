// SPDX-License-Identifier: Apache-2.0
// assign.c - assignment: to a whole tensor, or through views to a part of one.
//
// The destination is followed down its views (slices, transposes, reversals, reshapes) to the tensor they are views of,
// which gets a new value: "the old one with that part replaced", an expression like any other, so that order, gradients
// and capture need nothing of their own (version.c keeps what was built before reading the old value; inplace.c writes
// in place where that is safe). Views between two reshapes make one window of the axes below; a window of step 1 at a
// place that is known is a dynamic_update_slice, another one a select by a mask. Inside a capture sizes, and with them
// places and counts, may be symbols.

#include "tensor/jit.h"

#include <string.h>

// What part of a base a view is: for each axis of the base start, step and count, and which way round; and the base's
// axis of each axis of the view.
typedef struct {
    int rank, perm[CH__MAX_RANK];
    ch__dim dims[CH__MAX_RANK], start[CH__MAX_RANK], count[CH__MAX_RANK], behind[CH__MAX_RANK]; // behind: the last one
    int64_t step[CH__MAX_RANK];
    bool reversed[CH__MAX_RANK];
    bool whole, dense, empty;
} axes_window;

static void window_whole(axes_window *w, const ch__type *t) {
    *w = (axes_window){.rank = t->rank};
    for (int i = 0; i < t->rank; i++) {
        w->perm[i] = i;
        w->dims[i] = w->count[i] = t->dims[i];
        w->start[i] = ch__dim_const(0);
        w->step[i] = 1;
    }
}

static const ch__attr *attr_of(const ch_tensor *t, ch__attr_id id) {
    for (int i = 0; i < t->n_attrs; i++)
        if (t->attrs[i].id == id) return &t->attrs[i];
    return NULL;
}

static bool is_number(ch__dim d, int64_t v) { return ch__dim_is_const(d) && d.val == v; }

// From the first of n elements to the last, k apart; 0 for none.
static ch__dim reach(ch__arena *a, ch__dim n, int64_t k) {
    ch__dim gaps = ch__dim_max(a, ch__dim_sub(a, n, ch__dim_const(1)), ch__dim_const(0));
    return ch__dim_mul(a, gaps, ch__dim_const(k));
}

static void window_slice(ch__arena *a, axes_window *w, const ch_tensor *t) {
    const ch__attr *start = attr_of(t, CH__ATTR_start), *stride = attr_of(t, CH__ATTR_stride);
    for (int i = 0; i < w->rank; i++) {
        int b = w->perm[i];
        int64_t k = stride == NULL ? 1 : stride->ints[i];
        ch__dim n = t->type.dims[i], s = start->dims[i];
        if (w->reversed[b]) {
            ch__dim last = ch__dim_sub(a, w->count[b], ch__dim_const(1));
            s = ch__dim_sub(a, ch__dim_sub(a, last, s), reach(a, n, k));
        }
        w->start[b] = ch__dim_add(a, w->start[b], ch__dim_mul(a, s, ch__dim_const(w->step[b])));
        w->step[b] *= k;
        w->count[b] = n;
    }
}

static void window_view(ch__arena *a, axes_window *w, const ch_tensor *t) {
    if (t->opcode == CH_OP_slice) {
        window_slice(a, w, t);
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

typedef struct {
    int first, end; // the views chain[first] to chain[end - 1], of chain[end]
    ch_tensor *const *chain;
    axes_window w;
} assign_window;

static void window_make(void *arg) {
    assign_window *j = arg;
    axes_window *w = &j->w;
    const ch__trace_state *trace = ch__trace_current();
    ch__arena *own = trace == NULL ? ch__arena_create() : NULL, *a = own != NULL ? own : trace->module->arena;
    window_whole(w, &j->chain[j->end]->type);
    for (int k = j->end - 1; k >= j->first; k--) window_view(a, w, j->chain[k]);
    w->whole = w->dense = true;
    for (int i = 0; i < w->rank; i++) {
        w->whole = w->whole && ch__dim_equal(w->count[i], w->dims[i]);
        w->dense = w->dense && ch__dim_is_const(w->start[i]) &&
                   (w->step[i] == 1 || is_number(w->count[i], 1) || is_number(w->count[i], 0));
        w->empty = w->empty || is_number(w->count[i], 0);
        // as the shape rule of pad says it: start, elements with step - 1 between, what is behind
        ch__dim covered = ch__dim_add(a, w->count[i], reach(a, w->count[i], w->step[i] - 1));
        w->behind[i] = ch__dim_sub(a, ch__dim_sub(a, w->dims[i], w->start[i]), covered);
    }
    if (own != NULL) ch__arena_destroy(own); // all sizes are numbers
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
    int64_t interior[CH__MAX_RANK];
    for (int i = 0; i < w->rank; i++) interior[i] = w->step[i] - 1;
    const ch__attr attrs[3] = {ch__attr_dims(CH__ATTR_lo, w->rank, w->start),
                               ch__attr_dims(CH__ATTR_hi, w->rank, w->behind),
                               ch__attr_ints(CH__ATTR_interior, w->rank, interior)};
    return ch__op1(where, CH_OP_pad, 2, (ch_tensor *[]){v, fill}, 3, attrs, NULL);
}

static ch_tensor *with_window(const char *where, const axes_window *w, ch_tensor *base, ch_tensor *v) {
    if (w->empty) return base;
    v = turned(where, w, v);
    if (w->whole || v->kind == CH__T_ERROR) return v;
    if (w->dense) {
        ch_tensor *starts[CH__MAX_RANK];
        bool captured = ch__trace_current() != NULL; // data would be a constant from outside
        for (int i = 0; i < w->rank; i++)
            starts[i] = captured ? ch_scalar_at(where, CH_I64, (double)w->start[i].val)
                                 : ch_from_i64_at(where, &w->start[i].val, 0, NULL);
        return ch_dynamic_update_slice_at(where, base, v, w->rank, starts);
    }
    ch_tensor *all = ch__broadcast_right(where, ch_scalar_at(where, CH_BOOL, 1), w->rank, v->type.dims);
    ch_tensor *mask = spread(where, w, all, ch_scalar_at(where, CH_BOOL, 0));
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
        assign_window j = {.first = i, .end = end, .chain = chain};
        if (ch__protect(window_make, &j) != CH_OK) return ch__node_error(where);
        v = with_window(where, &j.w, view_now(where, n, chain, end), v);
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

// Whether a broadcast does more than add axes of size 1.
static bool repeats(const ch_tensor *t, const ch_tensor *base) {
    ch__dim want[CH__MAX_RANK];
    if (ch__type_is_static(&t->type) && ch__type_is_static(&base->type)) // none are repeated when there are none
        return ch__type_bytes(&t->type) != ch__type_bytes(&base->type);
    for (int i = 0; i < t->type.rank; i++) want[i] = ch__dim_const(1);
    for (int i = 0; i < base->type.rank; i++) want[t->attrs[0].ints[i]] = base->type.dims[i];
    for (int i = 0; i < t->type.rank; i++)
        if (!ch__dim_equal(t->type.dims[i], want[i])) return true;
    return false;
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
        if (t->opcode == CH_OP_broadcast && repeats(t, base))
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
