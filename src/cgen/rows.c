// SPDX-License-Identifier: Apache-2.0
// rows.c - groups of the native engine that go over rows: softmax, layer norm, losses and their gradients in one nest.
//
// A group has loops over its outer axes and, inside them, passes over the inner axes. Its members are
//   rows    elements of all axes, computed in a pass;
//   folds   reductions over all inner axes, gathered in a pass and there after it;
//   cells   elements of the outer axes alone, computed between two passes;
//   sums    reductions over the outer axes too: each part of the outermost loop gathers its own, which are added up in
//           order behind the nest.
// Members read each other at their own row only. A row that a later pass reads lies in the memory of a result that
// replaces it there, in a small array of the function's own, or in an array as any other value. Which parts sums are
// taken in follows from sizes alone (src/native/share.c), so threads change no result.
#include "cgen/native.h"

enum { MOST_PASSES = 8, ROW_BYTES = 16384, OTHER = -1, SINGLE = -2 };

static bool row_one(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

// ---------------------------------------------------------------- where members read each other
typedef struct {
    const group *gr;
    int outer;
    const ch__type *whole;
    bool wrong;    // another row, or a sum
    int pass;      // the first one that can read all of it
    bool from_row; // the reader stands in a pass
    int reader_pass;
    bool any;
} row_look;

// Of operand j of op, read at the axes map: which axis of the group each of its axes is, OTHER, or SINGLE for size 1.
void ch__cg_row_axes(const ch__op *op, int j, const int *map, int *to) {
    const ch__value *u = op->operands[j];
    const ch__type *t = u->type, *r = op->results[0].type;
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims), *perm = ch__op_attr(op, CH__ATTR_perm);
    const ch__attr *start = ch__op_attr(op, CH__ATTR_start), *stride = ch__op_attr(op, CH__ATTR_stride),
                   *lo = ch__op_attr(op, CH__ATTR_lo), *hi = ch__op_attr(op, CH__ATTR_hi),
                   *interior = ch__op_attr(op, CH__ATTR_interior);
    bool elementwise = (ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) != 0;
    for (int i = 0; i < t->rank; i++) {
        bool one = row_one(t->dims[i]);
        to[i] = one ? SINGLE : OTHER;
        if (elementwise) to[i] = map[i];
        if (j > 0 || one) continue;
        switch (op->code) {
        case CH_OP_broadcast: to[i] = map[dims->ints[i]]; break;
        case CH_OP_transpose:
            for (int k = 0; k < t->rank; k++)
                if (perm->ints[k] == i) to[i] = map[k];
            break;
        case CH_OP_slice:
            if (ch__dim_is_const(start->dims[i]) && start->dims[i].val == 0 && (!stride || stride->ints[i] == 1))
                to[i] = map[i]; // the same places; fewer of them
            break;
        case CH_OP_reverse:
            if (!ch__cg_among(dims, i)) to[i] = map[i];
            break;
        case CH_OP_pad:
            if (ch__dim_is_const(lo->dims[i]) && lo->dims[i].val == 0 && ch__dim_is_const(hi->dims[i]) &&
                hi->dims[i].val == 0 && (!interior || interior->ints[i] == 0))
                to[i] = map[i];
            break;
        default: break;
        }
    }
    if (op->code != CH_OP_reshape) return;
    int k = 0; // axes that are not of size 1, as long as they are the same from the left
    for (int i = 0; i < t->rank; i++) {
        if (row_one(t->dims[i])) continue;
        while (k < r->rank && row_one(r->dims[k])) k++;
        if (k == r->rank || !ch__dim_equal(r->dims[k], t->dims[i])) break;
        to[i] = map[k++];
    }
}

// Leaves that v reads at the axes map.
static void row_walk(cg *g, const ch__value *v, const int *map, cg_row_fn *fn, void *arg) {
    const val *x = val_of(g, v);
    if (x->how != HOW_VIEW && x->how != HOW_INLINE) {
        fn(g, arg, v, map);
        return;
    }
    for (int j = 0; j < v->op->n_operands; j++) {
        int to[CH__MAX_RANK];
        ch__cg_row_axes(v->op, j, map, to);
        row_walk(g, v->op->operands[j], to, fn, arg);
    }
}

// The operands of a member, at the axes it reads them at. part: what it is.
static void walk_operands(cg *g, const ch__op *op, int part, cg_row_fn *fn, void *arg) {
    bool elementwise = (ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) != 0;
    for (int j = 0; j < op->n_operands; j++) {
        const ch__type *t = op->operands[j]->type;
        int map[CH__MAX_RANK];
        for (int i = 0; i < t->rank; i++)
            map[i] = elementwise || part == PART_FOLD || part == PART_SUM ? i : row_one(t->dims[i]) ? SINGLE : OTHER;
        if (op->code == CH_OP_arg_reduce)
            for (int i = 0; i < t->rank; i++) {
                int dim = (int)ch__op_int(op, CH__ATTR_dim, 0);
                if (i < dim && dim == t->rank - 1) map[i] = i;
            }
        if (ch__cg_kind(op) == K_VIEW || op->code == CH_OP_pad) { // stored: its operand as a view reads it
            int own[CH__MAX_RANK];
            for (int i = 0; i < op->results[0].type->rank; i++) own[i] = i;
            how h = val_of(g, &op->results[0])->how;
            val_of(g, &op->results[0])->how = HOW_VIEW;
            row_walk(g, &op->results[0], own, fn, arg);
            val_of(g, &op->results[0])->how = h;
            return;
        }
        row_walk(g, op->operands[j], map, fn, arg);
    }
}

void ch__cg_row_leaves(cg *g, const ch__op *member, cg_row_fn *fn, void *arg) {
    walk_operands(g, member, val_of(g, &member->results[0])->part, fn, arg);
}

bool ch__cg_row_is_sum(const val *x) { return x->part == PART_SUM; }

static void look_at_leaf(cg *g, void *arg, const ch__value *leaf, const int *map) {
    row_look *l = arg;
    const val *x = val_of(g, leaf);
    if (x->group != l->gr) return;
    l->any = true;
    int part = x->part;
    if (part == PART_NONE) // not split yet: all axes, or the outer ones
        part = l->whole && ch__cg_same_dims(leaf->type, l->whole) ? PART_ROW : PART_CELL;
    if (part == PART_SUM) l->wrong = true;
    for (int i = 0; i < l->outer; i++)
        if (i >= leaf->type->rank || (map[i] != i && !(map[i] == SINGLE && row_one(leaf->type->dims[i]))))
            l->wrong = true;
    int pass = x->pass;
    if (part == PART_FOLD) pass++;
    if (part == PART_ROW) {
        bool same = l->from_row;
        for (int i = l->outer; i < leaf->type->rank; i++)
            if (map[i] != i && !(map[i] == SINGLE && row_one(leaf->type->dims[i]))) same = false;
        if (!same) pass++;
    }
    if (pass > l->pass) l->pass = pass;
}

// ---------------------------------------------------------------- joining
// Which axes a reduction folds: all from the n-th on; -1: not so.
static int folded_from(const ch__op *op) {
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    int rank = op->operands[0]->type->rank, from = rank - dims->n;
    for (int i = from; i < rank; i++)
        if (!ch__cg_among(dims, i)) return -1;
    return from;
}

static bool row_half(ch_dtype d) { return ch__cg_is_half(d); }

// May it be gathered in parts?
static bool may_part(const ch__op *op) {
    if (op->code != CH_OP_reduce) return false;
    ch_dtype d = op->operands[0]->type->dtype, acc = ch__cg_acc_dtype(op, d);
    ch__kind kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0);
    if (ch__is_int(acc) && ch__is_int(d)) return kind == CH__SUM || kind == CH__MIN || kind == CH__MAX; // sums wrap
    if (acc != CH_F32 && acc != CH_F64) return false;
    if (kind == CH__MIN || kind == CH__MAX) return !row_half(d);
    return kind == CH__SUM && ch__op_int(op, CH__ATTR_order, CH__ANY) == CH__ANY;
}

bool ch__cg_is_row_sum(cg *g, const ch__op *op) {
    if (!g->file->native || !ch__cg_is_root(g) || op->parent != g->f->body || !may_part(op)) return false;
    const ch__type *t = op->operands[0]->type;
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++)
        if (!ch__dim_is_const(t->dims[i]) || !ch__mul_i64(n, t->dims[i].val, &n)) return true;
    return n > 256 && t->rank > 0;
}

static bool is_leading(const ch__type *lead, const ch__type *t) {
    if (lead->rank > t->rank) return false;
    for (int i = 0; i < lead->rank; i++)
        if (!ch__dim_equal(lead->dims[i], t->dims[i])) return false;
    return true;
}

static const ch__type *lead_of(cg *g, const ch__type *t, int n) {
    return ch__type_make(g->a, t->dtype, n, t->dims, NULL);
}

typedef struct {
    int outer;
    const ch__type *whole;
    int part;
} row_fit;

// How op fits a group split into `outer` axes and the rest of `whole` (NULL: any).
static bool fit_split(const group *gr, const ch__op *op, row_fit *f) {
    const ch__type *t = op->results[0].type, *lead = gr->type;
    f->outer = gr->outer;
    f->whole = gr->whole;
    if (op->code == CH_OP_reduce) {
        const ch__type *x = op->operands[0]->type;
        const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
        bool all = is_leading(lead, x) && (!gr->whole || ch__cg_same_dims(x, gr->whole) || x->rank == gr->outer);
        if (all && x->rank > gr->outer && folded_from(op) == gr->outer) {
            f->whole = x;
            f->part = PART_FOLD;
            return !ch__cg_is_half(ch__cg_acc_dtype(op, x->dtype));
        }
        bool outer = may_part(op) && all;
        for (int i = 0; i < gr->outer; i++) outer = outer && ch__cg_among(dims, i);
        if (outer) {
            if (x->rank > gr->outer) f->whole = x;
            f->part = PART_SUM;
            return true;
        }
    }
    if (gr->whole && ch__cg_same_dims(t, gr->whole)) {
        f->part = PART_ROW;
        return true;
    }
    if (ch__cg_same_dims(t, lead)) {
        f->part = PART_CELL;
        return true;
    }
    if (!gr->whole && t->rank > gr->outer && is_leading(lead, t) && ch__cg_kind(op) != K_FOLD) {
        f->whole = t;
        f->part = PART_ROW;
        return true;
    }
    return false;
}

// The group has members of one shape only so far: where op splits its axes.
static bool fit_first(cg *g, const group *gr, const ch__op *op, row_fit *f, group *trial) {
    const ch__type *t = op->results[0].type, *all = gr->type;
    if (op->code == CH_OP_reduce) {
        const ch__type *x = op->operands[0]->type;
        int from = folded_from(op);
        trial->whole = NULL;
        trial->outer = 0;
        if (ch__cg_same_dims(x, all) && from > 0 && x->rank > from)
            trial->outer = from;
        else if (ch__cg_same_dims(x, all) && may_part(op) && ch__cg_among(ch__op_attr(op, CH__ATTR_dims), 0))
            trial->outer = 1;
        if (trial->outer > 0) {
            if (all->rank > trial->outer) trial->whole = all;
            trial->type = lead_of(g, all, trial->outer);
            return fit_split(trial, op, f);
        }
    }
    if (t->rank > all->rank && all->rank > 0) { // cells came first
        trial->outer = all->rank;
        return fit_split(trial, op, f);
    }
    if (t->rank < all->rank && t->rank > 0 && is_leading(t, all) && ch__cg_kind(op) != K_FOLD) {
        trial->outer = t->rank;
        trial->whole = all;
        trial->type = lead_of(g, all, t->rank);
        return fit_split(trial, op, f);
    }
    if (op->code == CH_OP_reduce) { // cells, then a fold of what has more axes
        const ch__type *x = op->operands[0]->type;
        if (x->rank > all->rank && is_leading(all, x) && all->rank > 0) {
            trial->outer = all->rank;
            return fit_split(trial, op, f);
        }
    }
    return false;
}

static void take_member(cg *g, group *now, ch__op *op, int part, int pass) {
    for (int k = 0; k < op->n_results; k++) {
        val *x = val_of(g, &op->results[k]);
        x->group = now;
        x->part = (uint8_t)part;
        x->pass = x->last_pass = (int8_t)pass;
        x->crosses = false;
    }
    CH_PUSH(g->a, &now->members, op);
    int passes = part == PART_CELL ? pass : pass + 1;
    if (part == PART_SUM && op->operands[0]->type->rank == now->outer) passes = pass;
    if (passes > now->passes) now->passes = passes;
}

group *ch__cg_row_begin(cg *g, ch__op *op) {
    group *now = CH_NEW(g->a, group);
    now->id = ++g->n_groups;
    now->type = op->results[0].type;
    if (op->code == CH_OP_reduce) { // it says where to split
        const ch__type *x = op->operands[0]->type;
        int from = folded_from(op);
        bool part = may_part(op) && ch__cg_among(ch__op_attr(op, CH__ATTR_dims), 0);
        bool fold = from > 0 && x->rank > from && !ch__cg_is_half(ch__cg_acc_dtype(op, x->dtype));
        if (fold || (part && (op->results[0].type->rank > 0 || ch__cg_is_row_sum(g, op)))) {
            now->rows = true;
            now->outer = fold ? from : 1;
            now->type = lead_of(g, x, now->outer);
            now->whole = x->rank > now->outer ? x : NULL;
            take_member(g, now, op, fold ? PART_FOLD : PART_SUM, 0);
            return now;
        }
    }
    take_member(g, now, op, PART_NONE, 0);
    return now;
}

// Members so far, now that the axes are split.
static void split_members(cg *g, group *now) {
    for (int64_t i = 0; i < now->members.n; i++)
        for (int k = 0; k < now->members.data[i]->n_results; k++) {
            const ch__value *v = &now->members.data[i]->results[k];
            bool row = now->whole && ch__cg_same_dims(v->type, now->whole);
            val_of(g, v)->part = row ? PART_ROW : PART_CELL;
            if (row && now->passes < 1) now->passes = 1;
        }
    now->rows = true;
}

bool ch__cg_row_join(cg *g, group *now, ch__op *op) {
    row_fit f = {0};
    group trial = *now;
    bool fold = ch__cg_kind(op) == K_FOLD && op->code != CH_OP_reduce;
    if (!now->rows && op->n_results == 1 && now->type->rank > 0) {
        bool same = ch__cg_same_dims(now->type, op->results[0].type) && op->code != CH_OP_reduce;
        if (!same) {
            for (int64_t i = 0; i < now->members.n; i++) // loops inside members: their axes stay as they are
                if (ch__cg_kind(now->members.data[i]) == K_FOLD || now->members.data[i]->n_results != 1) return false;
            if (!fit_first(g, now, op, &f, &trial)) return false;
        } else {
            f = (row_fit){now->type->rank, NULL, PART_NONE};
        }
    } else if (now->rows && op->n_results == 1) {
        if (!fit_split(now, op, &f)) return false;
    } else {
        return false;
    }
    row_look l = {.gr = now, .outer = f.part == PART_NONE ? now->type->rank : f.outer, .whole = f.whole};
    l.from_row =
        f.part == PART_ROW || f.part == PART_FOLD || (f.part == PART_SUM && op->operands[0]->type->rank > f.outer);
    if (f.part == PART_NONE) {
        l.whole = NULL;
        l.from_row = false;
    }
    walk_operands(g, op, f.part, look_at_leaf, &l);
    if (l.wrong || l.pass >= MOST_PASSES) return false;
    if (f.part == PART_NONE) {
        take_member(g, now, op, PART_NONE, 0);
        return true;
    }
    if (!now->rows && !l.any && f.part != PART_SUM) return false; // nothing in common but the first axes
    if (fold && f.part == PART_ROW && now->passes > 1) return false;
    if (!now->rows) {
        now->outer = trial.outer;
        now->type = trial.type;
        now->whole = f.whole;
        split_members(g, now);
    }
    if (f.whole && !now->whole) { now->whole = f.whole; }
    take_member(g, now, op, f.part, l.pass);
    return true;
}

// ---------------------------------------------------------------- printing
typedef struct { // how a row is read after it is computed, in half passes: 2 p in pass p, 2 p - 1 before it
    int last, order;
    bool elsewhere; // at another place of the row, the last time
} row_use;

typedef struct {
    cg *g;
    group *gr;
    row_use *uses; // of members
    int reader, when;
    bool from_row;
    ch__dim at[CH__MAX_RANK];
    // of sums, by member
    accum *sums;
    const char **odd; // of a minimum or maximum: was there a NaN
    store **parts;
    const char **own, **local; // the part's own array; a variable of the innermost loop
    const char **some;         // where f32 waits for the part's own (waiting.c)
    const char *waiting;       // how many rows wait
    int64_t mark;
} row_print;

static int member_index(const group *gr, const ch__value *v) {
    for (int64_t i = 0; i < gr->members.n; i++)
        if (v->op == gr->members.data[i]) return (int)i;
    return -1;
}

static void see_use(cg *g, void *arg, const ch__value *leaf, const int *map) {
    row_print *p = arg;
    val *x = val_of(g, leaf);
    if (x->group != p->gr || x->part != PART_ROW) return;
    bool same = p->from_row;
    for (int i = p->gr->outer; i < leaf->type->rank; i++)
        if (map[i] != i && !(map[i] == SINGLE && row_one(leaf->type->dims[i]))) same = false;
    if (same && p->when == 2 * x->pass) return;
    x->crosses = true;
    row_use *u = &p->uses[member_index(p->gr, leaf)];
    if (p->when > u->last) *u = (row_use){p->when, p->reader, !same};
    if (p->when == u->last) {
        u->order = p->reader > u->order ? p->reader : u->order;
        u->elsewhere = u->elsewhere || !same;
    }
}

static bool in_pass(const row_print *p, const ch__op *op) {
    int part = val_of(p->g, &op->results[0])->part;
    return part == PART_ROW || part == PART_FOLD || (part == PART_SUM && op->operands[0]->type->rank > p->gr->outer);
}

static void see_uses(row_print *p) {
    cg *g = p->g;
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__op *op = p->gr->members.data[i];
        p->reader = (int)i;
        p->from_row = in_pass(p, op);
        p->when = 2 * val_of(g, &op->results[0])->pass - (p->from_row ? 0 : 1);
        walk_operands(g, op, val_of(g, &op->results[0])->part, see_use, p);
    }
}

// Rows that are computed again where they are read (remade.c): what they are computed from lies there as long.
static void see_remade(row_print *p) {
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__value *v = &p->gr->members.data[i]->results[0];
        val *x = val_of(p->g, v);
        if (!x->crosses || x->outside || x->need_store || x->part != PART_ROW) continue;
        const ch__value *from = ch__cg_row_source(p->g, p->gr, v);
        if (!from || !val_of(p->g, from)->crosses) continue;
        row_use *u = &p->uses[i], *kept = &p->uses[member_index(p->gr, from)];
        if (kept->last < u->last) continue;
        if (kept->last == u->last) {
            kept->order = u->order > kept->order ? u->order : kept->order;
            kept->elsewhere = kept->elsewhere || u->elsewhere;
        }
        x->how = HOW_INLINE;
        x->crosses = false;
    }
}

// A result of the group that is written where x is read for the last time, or later.
static store *place_of_later(row_print *p, const ch__value *v, int self) {
    cg *g = p->g;
    const row_use *u = &p->uses[self];
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__value *w = &p->gr->members.data[i]->results[0];
        val *y = val_of(g, w);
        if (y->part != PART_ROW || !y->st || y->over || y->shared || i == self || w->type->dtype != v->type->dtype)
            continue;
        if (2 * y->pass < u->last || (2 * y->pass == u->last && (u->elsewhere || u->order > i)) ||
            y->pass <= val_of(g, v)->pass)
            continue;
        y->shared = true;
        return ch__cg_store_in(g, y->st, v);
    }
    return NULL;
}

static bool row_bytes(const group *gr, const ch__type *t, int64_t *out) {
    int64_t n = (int64_t)ch_dtype_size(t->dtype);
    for (int i = gr->outer; i < t->rank; i++)
        if (!ch__dim_is_const(t->dims[i]) || !ch__mul_i64(n, t->dims[i].val, &n)) return false;
    *out = n;
    return n <= ROW_BYTES && n > 0;
}

// Memory of the members: results that others read, and rows that a later pass reads.
static void give_memory(row_print *p, ch__text *rows) {
    cg *g = p->g;
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__op *op = p->gr->members.data[i];
        const ch__value *v = &op->results[0];
        val *x = val_of(g, v);
        if (x->part == PART_SUM || (!x->outside && !x->need_store) || (p->gr->chain && ch__cg_chain_gives(p->gr, v)))
            continue;
        x->st = ch__cg_row_takes(p->g, p->gr, i);
        if (x->st) continue;
        x->st = ch__cg_result_store(g, op, 0);
        if (!x->over) ch__cg_hold(g, v, x->st);
    }
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__value *v = &p->gr->members.data[i]->results[0];
        val *x = val_of(g, v);
        int64_t bytes;
        if (!x->crosses || x->st) continue;
        if ((x->st = place_of_later(p, v, (int)i)) != NULL) continue;
        if (p->gr->chain && !row_bytes(p->gr, v->type, &bytes)) {
            x->st = ch__cg_chain_row(g, p->gr, v, rows);
            continue;
        }
        if (!row_bytes(p->gr, v->type, &bytes)) {
            x->st = ch__cg_result_store(g, v->op, 0);
            ch__cg_hold(g, v, x->st);
            continue;
        }
        const char *type = ch__cg_ctype(v->type->dtype);
        store *st = CH_NEW(g->a, store);
        *st = (store){.name = ch__cg_scoped(g, "row"),
                      .type = v->type,
                      .kind = ST_ARRAY,
                      .writable = true,
                      .owner = v->id,
                      .row_from = p->gr->outer,
                      .row_lo = ch__cg_chain_skips(g, p->gr)};
        ch__putf(rows, "        %s %s[%" PRId64 "];\n", type, st->name, bytes / (int64_t)ch_dtype_size(v->type->dtype));
        x->st = st;
    }
}

// ---------------------------------------------------------------- accumulators
static bool is_extreme(const accum *fo) { return fo->kind == CH__MIN || fo->kind == CH__MAX; }

static bool fold_any(const ch__op *op, const accum *fo) {
    if (fo->acc != CH_F32 && fo->acc != CH_F64) return false;
    if (is_extreme(fo)) return true;
    return fo->kind == CH__SUM && ch__op_int(op, CH__ATTR_order, CH__ANY) == CH__ANY;
}

// fo of op; declared where printing is.
static void open_sum(row_print *p, int64_t i) {
    cg *g = p->g;
    const ch__op *op = p->gr->members.data[i];
    ch_dtype d = op->operands[0]->type->dtype;
    ch__cg_fold_open(g, &p->sums[i], (ch__kind)ch__op_int(op, CH__ATTR_kind, 0), d, ch__cg_acc_dtype(op, d), NULL);
    if (is_extreme(&p->sums[i]) && ch__is_float(p->sums[i].acc)) {
        p->odd[i] = ch__cg_scoped(g, "odd");
        ch__cg_line(g, "int %s = 0;", p->odd[i]);
    }
}

// The value gathered so far, of the accumulator's type.
static const char *sum_value(row_print *p, int64_t i) {
    if (!p->odd[i]) return p->sums[i].name;
    p->g->file->math = true;
    return ch__arena_printf(p->g->a, "(%s ? NAN : %s)", p->odd[i], p->sums[i].name);
}

static void step_sum(row_print *p, int64_t i) {
    cg *g = p->g;
    const ch__op *op = p->gr->members.data[i];
    accum *fo = &p->sums[i];
    ix there = {.at = p->at};
    cx element = ch__cg_elem(g, op->operands[0], &there), e = ch__cg_wide(g, fo, op, element);
    if (p->local[i]) {
        ch__cg_fold_add(g, fo, p->local[i], e);
    } else if (p->own[i]) {
        const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
        ch__dim to[CH__MAX_RANK];
        int n = 0;
        for (int k = 0; k < op->operands[0]->type->rank; k++)
            if (!ch__cg_among(dims, k)) to[n++] = p->at[k];
        ix at = {.at = to};
        const char *index = ch__cg_dim_text(g, ch__cg_offset(g, &at, op->results[0].type), 0);
        if (p->some[i])
            ch__cg_wait_add(g, fo, ch__arena_printf(g->a, "%s[%s]", p->some[i], index), element);
        else
            ch__cg_fold_add(g, fo, ch__arena_printf(g->a, "%s[%s]", p->own[i], index), e);
    } else if (p->odd[i]) {
        const char *now = ch__cg_scoped(g, "now"), *sign = fo->kind == CH__MAX ? ">" : "<";
        ch__cg_line(g, "const %s %s = %s;", fo->type, now, e.s);
        ch__cg_line(g, "%s = %s %s %s ? %s : %s;", fo->name, now, sign, fo->name, now, fo->name);
        ch__cg_line(g, "%s |= %s != %s;", p->odd[i], now, now);
    } else {
        ch__cg_fold_add(g, fo, fo->name, e);
    }
}

static bool keeps_axis(const ch__op *op, int axis) { return !ch__cg_among(ch__op_attr(op, CH__ATTR_dims), axis); }

// ---------------------------------------------------------------- members at an index
static void put_row_element(row_print *p, const ch__op *op, bool cell) {
    cg *g = p->g;
    const ch__value *v = &op->results[0];
    val *x = val_of(g, v);
    bool named = false;
    ix at = {.at = p->at};
    const char *hint = v->name ? v->name : ch__cg_hint(g, v);
    cx e = ch__cg_kind(op) == K_FOLD ? ch__cg_fold(g, op, &at, NULL, &named) : ch__cg_elem_op(g, op, &at);
    if (x->inner && (cell || !x->st || !x->crosses || x->outside)) {
        const char *name = hint ? ch__cg_scoped_user(g, hint) : ch__cg_scoped(g, "t");
        if (v->type->dtype == CH_BOOL) g->file->boolean = true;
        ch__cg_line(g, "const %s %s = %s;", ch__cg_ctype(v->type->dtype), name, e.s);
        e = ch__cx(name, CX_PRIM);
        x->elem = e;
    }
    if (x->st) {
        cx place = ch__cg_stored(g, x->st, v->type, &at);
        ch__cg_line(g, "%s = %s;", place.s, e.s);
        if (x->inner && !x->elem.s) x->elem = place;
        if (x->over) ch__cg_hold(g, v, x->st);
    }
}

static void put_cells(row_print *p, int pass) {
    cg *g = p->g;
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__op *op = p->gr->members.data[i];
        const val *x = val_of(g, &op->results[0]);
        if (x->pass != pass || in_pass(p, op)) continue;
        if (x->part == PART_SUM)
            step_sum(p, i);
        else
            put_row_element(p, op, true);
    }
}

// A row of a handful of elements does not pay for a second loop.
static bool is_long_row(const group *gr) {
    int64_t n = 1;
    for (int i = gr->outer; gr->whole && i < gr->whole->rank; i++)
        if (!ch__dim_is_const(gr->whole->dims[i]) || !ch__mul_i64(n, gr->whole->dims[i].val, &n)) return true;
    return n >= 64;
}

// Numbers of the row, by name, that the pass printed since from may divide by.
static void put_quotients(row_print *p, int64_t from) {
    CH_VEC(const char *) names = {0};
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__value *v = &p->gr->members.data[i]->results[0];
        const val *x = val_of(p->g, v);
        bool number = (x->part == PART_CELL || x->part == PART_FOLD) && v->type->dtype == CH_F32;
        if (number && x->elem.s && ch__cg_is_word(x->elem.s)) CH_PUSH(p->g->a, &names, x->elem.s);
    }
    ch__cg_quotients(p->g, from, names.n, names.data);
}

// extreme: a minimum or maximum among them. Of numbers that are all infinite clang 14 gives the largest finite one.
static void put_simd(cg *g, const char *reductions, bool extreme) {
    if (extreme) ch__cg_line(g, "#ifndef __clang__");
    ch__cg_line(g, "#pragma omp simd%s", reductions);
    if (extreme) ch__cg_line(g, "#endif");
}

static const char *sum_places(cg *g, const ch__type *t) { return ch__cg_dim_text(g, ch__cg_numel(g, t), CX_MUL); }

// Behind each row: sums that waited long enough go to f64.
static void put_waiting(row_print *p) {
    cg *g = p->g;
    CH_VEC(const char *) own = {0}, some = {0}, places = {0};
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        if (!p->some[i]) continue;
        CH_PUSH(g->a, &own, p->own[i]);
        CH_PUSH(g->a, &some, p->some[i]);
        CH_PUSH(g->a, &places, sum_places(g, p->gr->members.data[i]->results[0].type));
    }
    if (own.n > 0) ch__cg_wait_row(g, p->waiting, (int)own.n, own.data, some.data, places.data);
}

// How many loops inside of this pass end where a row that waits does; 0: none.
static int loops_of_waiting(row_print *p, int pass) {
    const group *gr = p->gr;
    int from = ch__cg_wait_from(p->g, gr), n = 0;
    bool any = false;
    for (int64_t i = 0; i < gr->members.n; i++)
        any = any || (p->some[i] && val_of(p->g, &gr->members.data[i]->results[0])->pass == pass);
    for (int i = from; any && from > gr->outer && i < gr->whole->rank; i++) n += !row_one(gr->whole->dims[i]);
    return n;
}

static void put_pass(row_print *p, int pass) {
    cg *g = p->g;
    const group *gr = p->gr;
    int last = -1, loops = 0, inner = 0;
    bool simd = true;
    CH_VEC(const ch__op *) ops = {0};
    for (int i = gr->outer; gr->whole && i < gr->whole->rank; i++)
        if (!row_one(gr->whole->dims[i])) last = i;
    ch__text sums, extremes[2], odds;
    ch__text_init(&sums, g->a);
    ch__text_init(&extremes[0], g->a);
    ch__text_init(&extremes[1], g->a);
    ch__text_init(&odds, g->a);
    for (int64_t i = 0; i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        const val *x = val_of(g, &op->results[0]);
        if (x->pass != pass || !in_pass(p, op)) continue;
        CH_PUSH(g->a, &ops, op);
        if (x->part == PART_FOLD) open_sum(p, i);
        if (x->part == PART_ROW && (ch__cg_kind(op) == K_FOLD || op->code == CH_OP_gather)) simd = false;
        if (x->part == PART_ROW || (p->own[i] && last >= 0 && keeps_axis(op, last))) continue;
        simd = simd && fold_any(op, &p->sums[i]);
        if (p->own[i]) {
            if (is_extreme(&p->sums[i])) simd = false;
            continue;
        }
        ch__text *t = is_extreme(&p->sums[i]) ? &extremes[p->sums[i].kind == CH__MAX] : &sums;
        ch__putf(t, "%s%s", t->n ? ", " : "", p->sums[i].name);
        if (p->odd[i]) ch__putf(&odds, "%s%s", odds.n ? ", " : "", p->odd[i]);
    }
    if (ops.n == 0) return;
    int64_t from = g->out->n;
    int joined = ch__cg_joined_from(g, gr, ops.n, ops.data); // axes from here on have one loop, that of the last
    ch__dim places = ch__dim_const(1);
    for (int i = gr->outer; gr->whole && i < gr->whole->rank; i++) {
        p->at[i] = ch__dim_const(0);
        if (row_one(gr->whole->dims[i])) continue;
        if (i >= joined) places = ch__dim_mul(g->a, places, gr->whole->dims[i]);
        if (i >= joined && i < last) continue;
        if (i == last) {
            for (int64_t k = 0; k < gr->members.n; k++) { // sums whose place does not change in this loop
                const ch__op *op = gr->members.data[k];
                if (val_of(g, &op->results[0])->pass != pass || !in_pass(p, op) || !p->own[k] || keeps_axis(op, last) ||
                    is_extreme(&p->sums[k]))
                    continue;
                p->local[k] = ch__cg_scoped(g, "part");
                ch__cg_line(g, "%s %s = 0;", p->sums[k].type, p->local[k]);
                ch__putf(&sums, "%s%s", sums.n ? ", " : "", p->local[k]);
            }
            if (simd && (sums.n || odds.n)) {
                ch__text pragma;
                ch__text_init(&pragma, g->a);
                if (sums.n) ch__putf(&pragma, " reduction(+:%s)", sums.data);
                if (extremes[0].n) ch__putf(&pragma, " reduction(min:%s)", extremes[0].data);
                if (extremes[1].n) ch__putf(&pragma, " reduction(max:%s)", extremes[1].data);
                if (odds.n) ch__putf(&pragma, " reduction(|:%s)", odds.data);
                put_simd(g, pragma.data, odds.n > 0);
            }
        }
        ch__dim first = ch__dim_const(0), n = i >= joined ? places : gr->whole->dims[i];
        if (gr->chain && gr->chain->mask) n = ch__cg_chain_columns(g, gr, &first);
        p->at[i] = ch__dim_add(g->a, ch__cg_for(g, n), first);
        loops++;
    }
    int waiting = loops_of_waiting(p, pass);
    int64_t body = g->out->n;
    for (int64_t i = 0; i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        const val *x = val_of(g, &op->results[0]);
        if (x->pass != pass || !in_pass(p, op)) continue;
        if (x->part == PART_ROW)
            put_row_element(p, op, false);
        else
            step_sum(p, i);
    }
    if (loops > 0) ch__cg_loads(g, gr->whole, p->at, body, ops.n, ops.data);
    for (int i = 0; i < loops; i++) {
        ch__cg_for_end(g, 1);
        if (inner + 1 == waiting) put_waiting(p);
        if (inner++ > 0) continue; // behind the innermost one
        for (int64_t k = 0; k < gr->members.n; k++) {
            const char *local = p->local[k];
            if (!local) continue;
            const ch__op *op = gr->members.data[k];
            const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
            ch__dim to[CH__MAX_RANK];
            int n = 0;
            for (int a = 0; a < op->operands[0]->type->rank; a++)
                if (!ch__cg_among(dims, a)) to[n++] = p->at[a];
            ix at = {.at = to};
            ch__cg_fold_add(g, &p->sums[k],
                            ch__arena_printf(g->a, "%s[%s]", p->own[k],
                                             ch__cg_dim_text(g, ch__cg_offset(g, &at, op->results[0].type), 0)),
                            ch__cx(local, CX_PRIM));
            p->local[k] = NULL;
        }
    }
    if (is_long_row(gr)) put_quotients(p, from);
    for (int64_t i = 0; i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        const ch__value *v = &op->results[0];
        val *x = val_of(g, v);
        if (x->pass != pass || !in_pass(p, op)) continue;
        if (x->part == PART_ROW) x->elem.s = NULL; // of this pass only
        if (x->part != PART_FOLD) continue;
        const char *name = v->name ? ch__cg_scoped_user(g, v->name) : ch__cg_scoped(g, "t");
        cx e = ch__cg_fold_result(g, &p->sums[i], ch__cx(sum_value(p, i), CX_PRIM), v->type->dtype);
        ch__cg_line(g, "const %s %s = %s;", ch__cg_ctype(v->type->dtype), name, e.s);
        if (x->st) {
            ix at = {.at = p->at};
            ch__cg_line(g, "%s = %s;", ch__cg_stored(g, x->st, v->type, &at).s, name);
        }
        x->elem = ch__cx(name, CX_PRIM);
    }
}

// ---------------------------------------------------------------- sums over the outermost loop
// What a part is gathered in: of sums of integers numbers without a sign (ch__cg_carrier_type).
static ch_dtype carried_dtype(const ch__op *op) {
    ch_dtype acc = ch__cg_acc_dtype(op, op->operands[0]->type->dtype);
    if (!ch__is_int(acc) || ch__op_int(op, CH__ATTR_kind, 0) != CH__SUM) return acc;
    return ch_dtype_size(acc) == 8 ? CH_U64 : CH_U32;
}

// Room for every part, before anything is printed.
static store *sum_room(cg *g, const ch__op *op, ch_dtype acc) {
    const ch__type *t = op->results[0].type;
    ch__value *like = CH_NEW(g->a, ch__value);
    ch__dim dims[CH__MAX_RANK + 1];
    dims[0] = ch__dim_const(CG_SUM_PARTS);
    if (t->rank < CH__MAX_RANK) {
        for (int i = 0; i < t->rank; i++) dims[1 + i] = t->dims[i];
        like->type = ch__type_make(g->a, acc, t->rank + 1, dims, NULL);
    } else {
        dims[0] = ch__dim_mul(g->a, dims[0], ch__type_numel(g->a, t));
        like->type = ch__type_make(g->a, acc, 1, dims, NULL);
    }
    like->id = op->results[0].id;
    return ch__cg_new_store(g, like, "parts");
}

// What a part does before and after its share of the loop.
static void put_sum_ends(row_print *p, ch__text *before, ch__text *after) {
    cg *g = p->g;
    ch__text *out = g->out, simd;
    int indent = g->indent;
    g->indent = 1;
    ch__text_init(&simd, g->a);
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__op *op = p->gr->members.data[i];
        if (!p->parts[i]) continue;
        const ch__type *t = op->results[0].type;
        g->out = before;
        if (t->rank == 0) {
            open_sum(p, i);
            if (!p->gr->whole && p->gr->outer == 1) {
                const char *with = p->sums[i].kind == CH__SUM ? "+" : p->sums[i].kind == CH__MAX ? "max" : "min";
                ch__putf(&simd, " reduction(%s:%s)", with, p->sums[i].name);
                if (p->odd[i]) ch__putf(&simd, " reduction(|:%s)", p->odd[i]);
            }
            g->out = after;
            ch__cg_line(g, "%s[chaac_part] = %s;", p->parts[i]->name, sum_value(p, i));
            continue;
        }
        ch_dtype d = op->operands[0]->type->dtype;
        accum *fo = &p->sums[i];
        *fo = (accum){.kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0), .d = d, .acc = ch__cg_acc_dtype(op, d)};
        fo->type = ch__cg_carrier_type(fo->kind, fo->acc);
        p->own[i] = ch__cg_scoped(g, "own");
        const char *z = ch__cg_scoped(g, "z"), *n = sum_places(g, t);
        ch__cg_line(g, "%s *restrict %s = %s + chaac_part * %s;", fo->type, p->own[i], p->parts[i]->name, n);
        ch__cg_line(g, "for (int64_t %s = 0; %s < %s; %s++) %s[%s] = %s;", z, z, n, z, p->own[i], z,
                    ch__cg_fold_identity(g, fo).s);
        if (!ch__cg_waits(g, p->gr, op, fo)) continue;
        p->some[i] = ch__cg_wait_open(g, n);
        if (!p->waiting) {
            p->waiting = ch__cg_scoped(g, "waiting");
            ch__cg_line(g, "int %s = 0;", p->waiting);
        }
        g->out = after;
        ch__cg_wait_end(g, p->own[i], p->some[i], n);
    }
    g->out = before;
    if (simd.n) put_simd(g, simd.data, strstr(simd.data, "(m") != NULL);
    g->out = out;
    g->indent = indent;
}

static void add_parts(row_print *p, int64_t i, const char *n_parts) {
    cg *g = p->g;
    const ch__op *op = p->gr->members.data[i];
    const ch__value *v = &op->results[0];
    const accum *fo = &p->sums[i];
    int64_t mark = ch__cg_mark(g);
    const char *parts = p->parts[i]->name, *at = ch__cg_scoped(g, "p"), *total = ch__cg_scoped(g, "total");
    if (v->type->rank == 0) {
        const char *name = ch__cg_name(g, v->name);
        total = ch__cg_name(g, "total");
        ch__cg_line(g, "%s %s = %s[0];", fo->type, total, parts);
        ch__cg_open(g, "for (int64_t %s = 1; %s < %s; %s++)", at, at, n_parts, at);
        ch__cg_fold_add(g, fo, total, ch__cx(ch__arena_printf(g->a, "%s[%s]", parts, at), CX_PRIM));
        ch__cg_close(g);
        store *st = CH_NEW(g->a, store);
        *st = (store){.kind = ST_SCALAR, .type = v->type, .name = name};
        ch__cg_variable(g, st->name, ch__cg_declared_type(g, st));
        ch__cg_line(g, "const %s %s = %s;", ch__cg_ctype(v->type->dtype), name,
                    ch__cg_fold_result(g, fo, ch__cx(total, CX_PRIM), v->type->dtype).s);
        ch__cg_hold(g, v, st);
        return;
    }
    store *st = ch__cg_result_store(g, op, 0);
    const char *z = ch__cg_scoped(g, "z"), *n = sum_places(g, v->type);
    cg_nest nest = {.from = g->out->n, .mark = mark, .work = ch__arena_printf(g->a, "4 * %s", n_parts)};
    CH_PUSH(g->a, &nest.written, st->name);
    ch__cg_open(g, "for (int64_t %s = 0; %s < %s; %s++)", z, z, n, z);
    ch__cg_line(g, "%s %s = %s[%s];", fo->type, total, parts, z);
    ch__cg_open(g, "for (int64_t %s = 1; %s < %s; %s++)", at, at, n_parts, at);
    ch__cg_fold_add(g, fo, total, ch__cx(ch__arena_printf(g->a, "%s[%s * %s + %s]", parts, at, n, z), CX_PRIM));
    ch__cg_close(g);
    ch__cg_line(g, "%s[%s] = %s;", st->name, z, ch__cg_fold_result(g, fo, ch__cx(total, CX_PRIM), v->type->dtype).s);
    ch__cg_close(g);
    (void)ch__cg_outline(g, &nest); // else it stays where it stands
    ch__cg_hold(g, v, st);
}

// Where it cannot be a function: one part, where it stands.
static void put_in_place(cg *g, const cg_nest *n) {
    const char *text = ch__arena_strndup(g->a, g->out->data + n->from, (size_t)(g->out->n - n->from));
    g->out->n = n->from;
    if (g->out->data) g->out->data[n->from] = 0;
    if (!n->parts) {
        ch__put(g->out, text);
        return;
    }
    ch__put(g->out, "    {\n    const int64_t chaac_part = 0;\n    (void)chaac_part;\n");
    ch__put(g->out, n->before);
    ch__put(g->out, text);
    ch__put(g->out, n->after);
    ch__put(g->out, "    }\n");
    ch__cg_line(g, "const int64_t %s = 1;", n->parts);
}

static const char *row_work(cg *g, const group *gr) {
    const ch__type *t = gr->whole ? gr->whole : gr->type;
    ch__dim n = ch__dim_const(4 * (gr->members.n > 0 ? gr->members.n : 1));
    bool first = true;
    for (int i = 0; i < t->rank; i++) {
        if (i < gr->outer && row_one(t->dims[i])) continue;
        if (!first) n = ch__dim_mul(g->a, n, t->dims[i]);
        first = false;
    }
    return ch__cg_dim_text(g, n, CX_COND);
}

void ch__cg_row_group(cg *g, group *gr) {
    int64_t n = gr->members.n;
    row_print p = {.g = g, .gr = gr, .mark = ch__cg_mark(g)};
    p.uses = CH_NEW_ARRAY(g->a, row_use, n);
    p.sums = CH_NEW_ARRAY(g->a, accum, n);
    p.odd = CH_NEW_ARRAY(g->a, const char *, n);
    p.own = CH_NEW_ARRAY(g->a, const char *, n);
    p.local = CH_NEW_ARRAY(g->a, const char *, n);
    p.some = CH_NEW_ARRAY(g->a, const char *, n);
    p.parts = CH_NEW_ARRAY(g->a, store *, n);
    ch__text rows, before, after;
    ch__text_init(&rows, g->a);
    ch__text_init(&before, g->a);
    ch__text_init(&after, g->a);
    ch__put(&before, "");
    ch__put(&after, "");
    see_uses(&p);
    if (!gr->chain) see_remade(&p);
    if (gr->chain) ch__cg_chain_begin(g, gr);
    give_memory(&p, &rows);
    bool sums = false;
    for (int64_t i = 0; i < n; i++) {
        const ch__op *op = gr->members.data[i];
        ch__cg_guard(g, op);
        if (val_of(g, &op->results[0])->part != PART_SUM) continue;
        p.parts[i] = sum_room(g, op, carried_dtype(op));
        sums = true;
    }
    const char *n_parts = sums || gr->chain ? ch__cg_name(g, "n_parts") : NULL;
    if (n_parts) ch__cg_variable(g, n_parts, "int64_t ");
    if (sums) put_sum_ends(&p, &before, &after);
    if (gr->chain) ch__cg_chain_around(g, gr, &before, &after);
    cg_nest nest = {.from = g->out->n,
                    .mark = p.mark,
                    .work = gr->chain ? ch__cg_chain_work(g, gr) : row_work(g, gr),
                    .parts = n_parts};
    if (n_parts) {
        nest.before = before.n ? before.data : "";
        nest.after = after.n ? after.data : "";
    }
    if (gr->chain) ch__cg_chain_written(g, gr, &nest);
    for (int64_t i = 0; i < n; i++) {
        const store *st = val_of(g, &gr->members.data[i]->results[0])->st;
        if (st) CH_PUSH(g->a, &nest.written, st->name);
        if (p.parts[i]) CH_PUSH(g->a, &nest.written, p.parts[i]->name);
    }
    int loops = gr->chain ? 0 : ch__cg_nest(g, gr->type, p.at);
    if (gr->chain) ch__cg_chain_open(g, gr, p.at);
    bool once = loops == 0 && !n_parts && ch__cg_is_root(g);
    if (once) (void)ch__cg_for(g, ch__dim_const(1)), loops = 1; // a kernel of one turn
    if (loops == 0) ch__cg_block(g);
    if (rows.n) ch__putn(g->out, rows.data, (size_t)rows.n);
    for (int pass = 0; pass <= gr->passes; pass++) {
        put_cells(&p, pass);
        if (g->file->native) ch__cg_ahead(g, gr, p.at, pass);
        put_pass(&p, pass);
    }
    if (ch__cg_wait_from(g, gr) == gr->outer) put_waiting(&p);
    if (loops == 0) ch__cg_close(g);
    ch__cg_for_end(g, loops);
    if (gr->chain) ch__cg_chain_close(g, gr);
    bool out = ch__cg_is_root(g) && ch__cg_outline(g, &nest);
    if (!out) put_in_place(g, &nest);
    if (gr->chain) ch__cg_chain_end(g, gr);
    for (int64_t i = 0; i < n; i++) val_of(g, &gr->members.data[i]->results[0])->elem.s = NULL;
    for (int64_t i = 0; i < n; i++)
        if (p.parts[i]) add_parts(&p, i, n_parts);
    ch__cg_scope_end(g, p.mark);
    if (gr->chain) return;
    bool joined = out && !sums && g->file->native->joined;
    ch__cg_note(g,
                joined ? CG_JOINED
                : out  ? CG_KERNEL
                       : CG_LOOPS,
                gr->whole ? gr->whole : gr->type, n, (const ch__op *const *)gr->members.data,
                gr->passes > 1 ? ch__arena_printf(g->a, ", %d passes", gr->passes) : "");
}
