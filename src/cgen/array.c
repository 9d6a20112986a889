// SPDX-License-Identifier: Apache-2.0
// array.c - statements that make or change whole arrays: set, dynamic_update_slice, scatter, concat, cumulative,
// select_and_scatter, and the corner of a dynamic_slice.
#include "cgen/emit.h"

// An array of rank 0 is a variable.
static void single(cg *g, const ch__op *op, cx value) {
    store *st = ch__cg_new_store(g, &op->results[0], NULL);
    ch__cg_line(g, "const %s %s = %s;", ch__cg_ctype(st->type->dtype), st->name, value.s);
    ch__cg_hold(g, &op->results[0], st);
}

// A place in an array, or the variable that an array of rank 0 is.
static const char *place_at(cg *g, const store *st, const char *at) {
    if (st->kind == ST_SCALAR) return st->name;
    if (!st->place) return ch__arena_printf(g->a, "%s[%s]", st->name, at);
    ix to = {.linear = ch__cg_opaque(g, ch__cx(at, CX_COND)), .has_linear = true};
    return ch__cg_at(g, st, st->type, &to);
}

// The array of result 0, holding operand 0's elements: in place when the old version is dead, else a copy.
static store *updated(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0];
    store *preset = val_of(g, &op->results[0])->preset, *now = val_of(g, x)->st;
    if (now && ch__cg_can_take(g, x, op) && (!preset || preset == now)) return now;
    store *st = preset ? preset : ch__cg_new_store(g, &op->results[0], NULL);
    if (st->kind == ST_SCALAR)
        ch__cg_line(g, "%s %s = %s;", ch__cg_ctype(st->type->dtype), st->name, ch__cg_scalar(g, x).s);
    else
        ch__cg_copy_into(g, st, x);
    return st;
}

// a[i] = a[i] + v as a[i] += v: v is a sum whose first (or second) operand reads the same element.
static const char *added(cg *g, const ch__op *op, const store *st, const char *place) {
    const ch__value *v = op->operands[1];
    if (val_of(g, v)->how != HOW_INLINE || !v->op) return NULL;
    const ch__op *sum = v->op;
    ch_dtype d = v->type->dtype;
    bool own = d == CH_F32 || d == CH_F64 || d == CH_U32 || d == CH_U64 ||
               (ch__op_int(sum, CH__ATTR_nowrap, 0) != 0 && ch_dtype_size(d) >= 4);
    if (!own || (sum->code != CH_OP_add && sum->code != CH_OP_sub)) return NULL;
    for (int j = 0; j < (sum->code == CH_OP_add ? 2 : 1); j++) {
        const ch__value *old = sum->operands[j];
        if (!old->op || old->op->code != CH_OP_get || val_of(g, old)->how != HOW_INLINE) continue;
        if (val_of(g, old->op->operands[0])->st != st || strcmp(ch__cg_scalar(g, old).s, place) != 0) continue;
        cx e = ch__cg_scalar(g, sum->operands[1 - j]);
        bool plus = (sum->code == CH_OP_add) == !e.minus;
        return ch__arena_printf(g->a, "%s= %s", plus ? "+" : "-", e.minus ? e.minus : e.s);
    }
    return NULL;
}

void ch__cg_set(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0];
    if (x->type->rank == 0) { // an array of one element: the value
        single(g, op, ch__cg_scalar(g, op->operands[1]));
        return;
    }
    store *st = updated(g, op);
    ix at = ch__cg_element(g, op, 2);
    const char *place = ch__cg_at(g, st, x->type, &at);
    const char *sum = added(g, op, st, place);
    if (sum)
        ch__cg_line(g, "%s %s;", place, sum);
    else
        ch__cg_line(g, "%s = %s;", place, ch__cg_scalar(g, op->operands[1]).s);
    ch__cg_hold(g, &op->results[0], st);
}

// ---------------------------------------------------------------- blocks at computed places
// Where a block of the given sizes begins: clamped so that it fits, in a variable when it is more than a name.
static ch__dim *corner(cg *g, const ch__op *op, int first, const ch__dim *sizes) {
    const ch__type *t = op->operands[0]->type;
    bool clamps = ch__op_int(op, CH__ATTR_bounds, CH__CLAMP) == CH__CLAMP;
    ch__dim *at = CH_NEW_ARRAY(g->a, ch__dim, t->rank ? t->rank : 1);
    for (int i = 0; i < t->rank; i++) {
        ch__dim last = ch__dim_sub(g->a, t->dims[i], sizes[i]);
        if (clamps) ch__cg_want_room(g, t->dims[i], sizes[i]);
        at[i] = ch__cg_index_dim(g, op->operands[first + i], !clamps);
        if (ch__dim_is_const(last) && last.val == 0) {
            at[i] = ch__dim_const(0);
            continue;
        }
        bool fits = ch__dim_is_const(at[i]) && ch__dim_is_const(last) && at[i].val >= 0 && at[i].val <= last.val;
        if (!clamps) at[i] = ch__cg_checked(g, at[i], last);
        if (!clamps || fits) {
            if (ch__dim_is_const(at[i]) || ch__cg_dim(g, at[i]).prec == CX_PRIM) continue;
        }
        cx e = ch__cg_dim(g, at[i]);
        if (clamps && !fits) e = ch__cx_call2(g, ch__cg_helper(g->file, "clamp_index", 0), e, ch__cg_dim(g, last));
        const char *name = ch__cg_name(g, "at");
        ch__cg_line(g, "const int64_t %s = %s;", name, e.s);
        ch__cg_variable(g, name, "int64_t ");
        if (!val_of(g, op->operands[0])->st) ch__cg_line(g, "(void)%s;", name); // zeros and the like have no index
        at[i] = ch__cg_opaque(g, ch__cx(name, CX_PRIM));
    }
    return at;
}

void ch__cg_starts(cg *g, const ch__op *op) {
    val_of(g, &op->results[0])->starts = corner(g, op, 1, ch__op_attr(op, CH__ATTR_sizes)->dims);
}

typedef struct {
    const store *st;
    bool any;
} place_reads;

static void see_place(cg *g, void *arg, const ch__value *leaf, bool same) {
    place_reads *p = arg;
    (void)same;
    if (val_of(g, leaf)->st == p->st) p->any = true;
}

// Does the block read of the array that it is put into the very elements that it replaces, or none?
static bool reads_beside(cg *g, const ch__op *op, const store *st, const ch__dim *start) {
    const ch__value *x = op->operands[0], *u = op->operands[1];
    place_reads reads = {.st = st};
    ch__cg_touch(g, u, true, see_place, &reads);
    if (!reads.any) return true;
    ch__text aside, *out = g->out; // what an element says, to look at
    ch__text_init(&aside, g->a);
    ch__dim at[CH__MAX_RANK], to[CH__MAX_RANK];
    for (int i = 0, depth = g->depth; i < u->type->rank; i++) {
        bool one = ch__dim_is_const(u->type->dims[i]) && u->type->dims[i].val == 1;
        at[i] = one ? ch__dim_const(0) : ch__cg_loop_symbol(g, depth++);
        to[i] = ch__dim_add(g->a, at[i], start[i]);
    }
    ix from = {.at = at}, there = {.at = to};
    g->out = &aside;
    const char *place = ch__cg_dim_text(g, ch__cg_offset(g, &there, x->type), 0), *e = ch__cg_elem(g, u, &from).s;
    g->out = out;
    size_t name = strlen(st->name), index = strlen(place);
    for (const char *s = e; (s = strstr(s, st->name)) != NULL; s += name) {
        if ((s > e && ch__cg_in_word(s[-1])) || ch__cg_in_word(s[name])) continue;
        if (s[name] != '[' || strncmp(s + name + 1, place, index) != 0 || s[name + 1 + index] != ']') return false;
    }
    return true;
}

void ch__cg_update_slice(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0], *u = op->operands[1];
    if (x->type->rank == 0) {
        single(g, op, ch__cg_scalar(g, u));
        return;
    }
    const ch__dim *start = corner(g, op, 2, u->type->dims);
    store *st = updated(g, op), *block = NULL;
    if (val_of(g, x)->st == st && !reads_beside(g, op, st, start)) {
        block = ch__cg_new_store(g, u, "block");
        if (block->kind == ST_SCALAR) ch__cg_line(g, "%s %s;", ch__cg_ctype(u->type->dtype), block->name);
        ch__cg_copy_into(g, block, u);
    }
    ch__dim at[CH__MAX_RANK], to[CH__MAX_RANK];
    int64_t nest = g->out->n, mark = ch__cg_mark(g);
    int n = ch__cg_nest(g, u->type, at);
    for (int i = 0; i < u->type->rank; i++) to[i] = ch__dim_add(g->a, at[i], start[i]);
    ix from = {.at = at}, there = {.at = to};
    const char *place = ch__cg_at(g, st, x->type, &there);
    cx e = block ? ch__cg_stored(g, block, u->type, &from) : ch__cg_elem(g, u, &from);
    ch__cg_line(g, "%s = %s;", place, e.s);
    ch__cg_for_end(g, n);
    ch__cg_note_part(g, n > 0 && ch__cg_copy_kernel(g, nest, mark, u, st, false), op, u);
    ch__cg_hold(g, &op->results[0], st);
}

// ---------------------------------------------------------------- scatter
typedef struct {
    ch__dim at[CH__MAX_RANK];     // of the updates
    ch__dim corner[CH__MAX_RANK]; // of the window in the result
    ch__dim to[CH__MAX_RANK];
    ch__text fits; // the condition
} update_window;

// Loops over the updates, batch axes and window axes in row-major order; the corner's components as variables.
static int open_updates(cg *g, const ch__op *op, update_window *w) {
    const ch__value *x = op->operands[0], *indices = op->operands[1], *u = op->operands[2];
    const ch__attr *window_dims = ch__op_attr(op, CH__ATTR_window_dims), *inserted = ch__op_attr(op, CH__ATTR_inserted),
                   *map = ch__op_attr(op, CH__ATTR_index_map), *ob = ch__op_attr(op, CH__ATTR_operand_batch),
                   *ib = ch__op_attr(op, CH__ATTR_indices_batch);
    bool clamps = ch__op_int(op, CH__ATTR_bounds, CH__CLAMP) == CH__CLAMP;
    int index_dim = (int)ch__op_int(op, CH__ATTR_index_dim, indices->type->rank);
    ch__dim batch[CH__MAX_RANK], size[CH__MAX_RANK], offset[CH__MAX_RANK];
    int n = ch__cg_nest(g, u->type, w->at), b = 0, k = 0;
    if (n == 0) ch__cg_block(g); // the names still want one
    for (int i = 0; i < u->type->rank; i++)
        if (!ch__cg_among(window_dims, i)) batch[b++] = w->at[i];
    for (int i = 0; i < x->type->rank; i++) {
        w->corner[i] = offset[i] = ch__dim_const(0);
        size[i] = ch__dim_const(1);
        if (ch__cg_among(inserted, i) || ch__cg_among(ob, i)) continue;
        int axis = (int)window_dims->ints[k++];
        offset[i] = w->at[axis];
        size[i] = u->type->dims[axis];
    }
    for (int p = 0; ob && p < ob->n; p++)
        for (int i = 0, c = 0; i < indices->type->rank; i++) {
            if (i == index_dim) continue;
            if (i == ib->ints[p]) w->corner[ob->ints[p]] = batch[c];
            c++;
        }
    ch__text_init(&w->fits, g->a);
    for (int c = 0; c < map->n; c++) {
        int axis = (int)map->ints[c];
        const char *name = ch__cg_scoped(g, "to");
        ch__cg_line(g, "const int64_t %s = %s;", name, ch__cg_component(g, op, batch, c).s);
        w->corner[axis] = ch__cg_opaque(g, ch__cx(name, CX_PRIM));
        ch__dim last = ch__dim_sub(g->a, x->type->dims[axis], size[axis]);
        if (!clamps) w->corner[axis] = ch__cg_checked(g, w->corner[axis], last);
        if (clamps)
            ch__putf(&w->fits, "%s%s >= 0 && %s <= %s", w->fits.n ? " && " : "", name, name,
                     ch__cg_dim_text(g, last, CX_ADD));
    }
    for (int i = 0; i < x->type->rank; i++) w->to[i] = ch__dim_add(g->a, w->corner[i], offset[i]);
    return n;
}

// Accumulators of another dtype than the result's: an array of them.
static store *accumulators(cg *g, const ch__op *op, ch_dtype acc) {
    ch__value *like = CH_NEW(g->a, ch__value);
    ch_dtype carrier = acc == CH_F16 || acc == CH_BF16 ? CH_F32 : acc;
    like->type = ch__type_with_dtype(g->a, op->results[0].type, carrier);
    like->id = op->results[0].id;
    return ch__cg_new_store(g, like, "sums");
}

void ch__cg_scatter(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0], *u = op->operands[2];
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, CH__SET);
    ch_dtype d = x->type->dtype, acc = ch__cg_acc_dtype(op, d);
    accum fo = {.kind = kind, .d = d, .acc = acc, .type = ch__cg_carrier_type(kind, acc)};
    store *st = updated(g, op), *sums = NULL;
    ch__dim i;
    if (kind != CH__SET && acc != d) {
        sums = accumulators(g, op, acc);
        if (sums->kind == ST_SCALAR) ch__cg_line(g, "%s %s;", ch__cg_ctype(sums->type->dtype), sums->name);
        i = ch__cg_for(g, ch__cg_numel(g, x->type));
        const char *at = ch__cg_dim_text(g, i, 0);
        accum load = fo;
        load.type = ch__cg_ctype(sums->type->dtype);
        load.kind = CH__MAX; // converted, not made unsigned
        ch__cg_line(g, "%s = %s;", place_at(g, sums, at),
                    ch__cg_fold_load(g, &load, ch__cx(place_at(g, st, at), CX_PRIM)).s);
        ch__cg_for_end(g, 1);
    }
    update_window w;
    int64_t mark = ch__cg_mark(g);
    int n = open_updates(g, op, &w);
    if (w.fits.n) ch__cg_open(g, "if (%s)", w.fits.data);
    ix from = {.at = w.at}, to = {.at = w.to};
    const char *at = ch__cg_dim_text(g, ch__cg_offset(g, &to, x->type), 0);
    cx e = ch__cg_elem(g, u, &from);
    ch__cg_apply(g, &fo, sums ? sums : st, at, e);
    if (w.fits.n) ch__cg_close(g);
    if (n == 0) ch__cg_close(g);
    ch__cg_for_end(g, n);
    ch__cg_scope_end(g, mark);
    if (sums) {
        i = ch__cg_for(g, ch__cg_numel(g, x->type));
        const char *k = ch__cg_dim_text(g, i, 0);
        cx s = ch__cx(place_at(g, sums, k), CX_PRIM);
        ch__cg_line(g, "%s = %s;", place_at(g, st, k), ch__cg_fold_result(g, &fo, s, d).s);
        ch__cg_for_end(g, 1);
    }
    ch__cg_hold(g, &op->results[0], st);
}

// st[at] = st[at] (kind) e, where st holds elements of the result or its accumulators.
void ch__cg_apply(cg *g, const accum *fo, const store *st, const char *at, cx e) {
    const char *place = place_at(g, st, at);
    if (fo->kind == CH__SET) {
        ch__cg_line(g, "%s = %s;", place, e.s);
        return;
    }
    bool half = fo->acc == CH_F16 || fo->acc == CH_BF16, carried = st->type->dtype != fo->d;
    bool floats = !half && ch__is_float(fo->acc);
    if (floats && (carried || fo->acc == fo->d)) { // the memory is the accumulator
        ch__cg_fold_add(g, fo, place, ch__cg_fold_load(g, fo, e));
        return;
    }
    // Through a variable: load, fold, store.
    int64_t mark = ch__cg_mark(g);
    const char *name = ch__cg_scoped(g, "now");
    cx old = ch__cx(place, CX_PRIM);
    if (carried && half)
        ch__cg_line(g, "%s %s = %s;", fo->type, name, old.s);
    else if (carried)
        ch__cg_line(g, "%s %s = (%s)%s;", fo->type, name, fo->type, old.s);
    else
        ch__cg_line(g, "%s %s = %s;", fo->type, name, ch__cg_fold_load(g, fo, old).s);
    ch__cg_fold_add(g, fo, name, ch__cg_fold_load(g, fo, e));
    cx s = ch__cx(name, CX_PRIM);
    if (carried)
        ch__cg_line(g, "%s = (%s)%s;", place, ch__cg_ctype(st->type->dtype), name);
    else
        ch__cg_line(g, "%s = %s;", place, ch__cg_fold_result(g, fo, s, fo->d).s);
    ch__cg_scope_end(g, mark);
}

// ---------------------------------------------------------------- concat
void ch__cg_concat(cg *g, const ch__op *op) {
    int dim = (int)ch__op_int(op, CH__ATTR_dim, 0);
    store *st = ch__cg_result_store(g, op, 0);
    const ch__type *t = op->results[0].type;
    ch__dim before = ch__dim_const(0);
    for (int j = 0; j < op->n_operands; j++) {
        const ch__value *x = op->operands[j];
        ch__dim at[CH__MAX_RANK], to[CH__MAX_RANK];
        int64_t nest = g->out->n, mark = ch__cg_mark(g);
        int n = ch__cg_nest(g, x->type, at);
        memcpy(to, at, sizeof to);
        to[dim] = ch__dim_add(g->a, at[dim], before);
        ix from = {.at = at}, there = {.at = to};
        cx e = ch__cg_elem(g, x, &from);
        ch__cg_line(g, "%s = %s;", ch__cg_at(g, st, t, &there), e.s);
        ch__cg_for_end(g, n);
        ch__cg_note_part(g, n > 0 && ch__cg_copy_kernel(g, nest, mark, x, st, true), op, x);
        before = ch__dim_add(g->a, before, x->type->dims[dim]);
    }
    ch__cg_hold(g, &op->results[0], st);
}

// ---------------------------------------------------------------- cumulative
void ch__cg_cumulative(cg *g, const ch__op *op) {
    const ch__value *x = op->operands[0];
    int dim = (int)ch__op_int(op, CH__ATTR_dim, 0), n = 0;
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    ch_dtype d = x->type->dtype, acc = ch__cg_acc_dtype(op, d);
    store *st = ch__cg_result_store(g, op, 0);
    ch__dim at[CH__MAX_RANK];
    accum fo;
    int64_t mark = ch__cg_mark(g);
    for (int i = 0; i < x->type->rank; i++) {
        if (i == dim) continue;
        at[i] = ch__cg_for(g, x->type->dims[i]);
        n++;
    }
    bool block = n == 0;
    ch__cg_fold_open(g, &fo, kind, d, acc, block ? ch__cg_name(g, "running") : NULL);
    ch__dim i = ch__cg_for(g, x->type->dims[dim]);
    at[dim] = i;
    if (ch__op_int(op, CH__ATTR_reverse, 0) != 0)
        at[dim] = ch__dim_sub(g->a, ch__dim_sub(g->a, x->type->dims[dim], ch__dim_const(1)), i);
    ix there = {.at = at};
    ch__cg_fold_step(g, &fo, ch__cg_elem(g, x, &there));
    const char *to = ch__cg_at(g, st, x->type, &there);
    ch__cg_line(g, "%s = %s;", to, ch__cg_fold_result(g, &fo, ch__cx(fo.name, CX_PRIM), d).s);
    ch__cg_for_end(g, n + 1);
    ch__cg_scope_end(g, mark);
    ch__cg_hold(g, &op->results[0], st);
}

// ---------------------------------------------------------------- select_and_scatter
void ch__cg_select_and_scatter(cg *g, const ch__op *op) {
    if (g->file->native && ch__cg_pool_gradient(g, op)) return;
    const ch__value *x = op->operands[0], *source = op->operands[1];
    const ch__attr *size = ch__op_attr(op, CH__ATTR_window);
    bool largest = ch__op_int(op, CH__ATTR_kind, CH__MAX) == CH__MAX;
    ch__cg_note(g, CG_LOOPS, x->type, 1, &op, "");
    ch_dtype d = x->type->dtype, acc = ch__cg_acc_dtype(op, d);
    bool half = d == CH_F16 || d == CH_BF16;
    accum fo = {.kind = CH__SUM, .d = d, .acc = acc, .type = ch__cg_carrier_type(CH__SUM, acc)};
    store *st = ch__cg_result_store(g, op, 0), *sums = acc != d ? accumulators(g, op, acc) : st;
    ch__dim at[CH__MAX_RANK], to[CH__MAX_RANK];
    int64_t mark = ch__cg_mark(g);
    if (st->kind == ST_SCALAR) ch__cg_line(g, "%s %s;", ch__cg_ctype(st->type->dtype), st->name);
    if (sums != st && st->kind == ST_SCALAR) ch__cg_line(g, "%s %s;", ch__cg_ctype(sums->type->dtype), sums->name);
    ch__dim z = ch__cg_for(g, ch__cg_numel(g, x->type));
    ch__cg_line(g, "%s = 0;", place_at(g, sums, ch__cg_dim_text(g, z, 0)));
    ch__cg_for_end(g, 1);
    int n = ch__cg_nest(g, source->type, at), k = 0;
    bool block = n == 0;
    if (block) ch__cg_block(g);
    const char *where = ch__cg_scoped(g, "where"), *best = ch__cg_scoped(g, "best"),
               *type = ch__cg_ctype(half ? CH_F32 : d);
    ch__cg_line(g, "int64_t %s = -1;", where);
    ch__cg_line(g, "%s %s = 0;", type, best);
    ch__text inside;
    ch__text_init(&inside, g->a);
    for (int i = 0; i < x->type->rank; i++) {
        ch__dim w = ch__dim_const(0);
        if (size->ints[i] != 1) {
            w = ch__cg_for(g, ch__dim_const(size->ints[i]));
            k++;
        }
        to[i] = ch__cg_window(g, op, i, at[i], w, x->type->dims[i], &inside);
    }
    if (inside.n) ch__cg_open(g, "if (%s)", inside.data);
    ix there = {.at = to}, from = {.at = at};
    const char *now = ch__cg_scoped(g, "now"), *sign = largest ? ">" : "<";
    ch__cg_line(g, "const %s %s = %s;", type, now,
                ch__cg_convert(g, ch__cg_elem(g, x, &there), d, half ? CH_F32 : d).s);
    if (ch__is_float(d))
        ch__cg_open(g, "if (%s < 0 || (%s == %s && (%s != %s || %s %s %s)))", where, best, best, now, now, now, sign,
                    best);
    else
        ch__cg_open(g, "if (%s < 0 || %s %s %s)", where, now, sign, best);
    ch__cg_line(g, "%s = %s;", where, ch__cg_dim_text(g, ch__cg_offset(g, &there, x->type), 0));
    ch__cg_line(g, "%s = %s;", best, now);
    ch__cg_close(g);
    if (inside.n) ch__cg_close(g);
    ch__cg_for_end(g, k);
    ch__cg_open(g, "if (%s >= 0)", where);
    ch__cg_apply(g, &fo, sums, where, ch__cg_elem(g, source, &from));
    ch__cg_close(g);
    if (block) ch__cg_close(g);
    ch__cg_for_end(g, n);
    ch__cg_scope_end(g, mark);
    if (sums != st) {
        ch__dim i = ch__cg_for(g, ch__cg_numel(g, x->type));
        const char *p = ch__cg_dim_text(g, i, 0);
        cx s = ch__cx(place_at(g, sums, p), CX_PRIM);
        ch__cg_line(g, "%s = %s;", place_at(g, st, p), ch__cg_fold_result(g, &fo, s, d).s);
        ch__cg_for_end(g, 1);
    }
    ch__cg_hold(g, &op->results[0], st);
}
