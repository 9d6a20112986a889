// SPDX-License-Identifier: Apache-2.0
// columns.c - softmax and its like along an axis that is not the last: one nest that goes over blocks of columns.
//
// Such a reduction gives a number for each place of the other axes, and what is computed next reads that number at all
// places of the axis. Going down one column after the other would take a line of the cache for each element. So a part
// of the nest is a block of columns, which lie next to each other along the last axis: it goes over the axis once for
// each pass, all columns at a time, with as many accumulators. 256 columns read as fast as rows do (64 of [1000,1000]
// take a third longer); where that would leave fewer than three blocks, 64 give threads more. Members are as in rows.c
//   rows    elements of all axes, computed in a pass;
//   folds   reductions over the axis (or several in a row), gathered in a pass and there after it;
//   cells   elements of the other axes alone, computed between two passes.
// Reductions whose result does not come back to all axes are left to rows.c and middle.c.
#include "cgen/native.h"

enum { NARROW_BLOCK = 64, WIDE_BLOCK = 256, WIDE_FROM = 768, MOST_COLUMN_PASSES = 8 };

static bool column_one(ch__dim d) { return ch__dim_is_const(d) && d.val == 1; }

// ---------------------------------------------------------------- which reductions come back
// How many axes a reduction folds, in a row, from *out_from on and not to the last; 0: it is of another form.
static int folds_inside(const ch__op *op, int *out_from) {
    if (op->code != CH_OP_reduce) return 0;
    const ch__type *x = op->operands[0]->type;
    const ch__attr *dims = ch__op_attr(op, CH__ATTR_dims);
    int from = x->rank;
    for (int i = 0; i < dims->n; i++) from = dims->ints[i] < from ? (int)dims->ints[i] : from;
    for (int i = from; i < from + dims->n; i++)
        if (!ch__cg_among(dims, i)) return 0;
    *out_from = from;
    bool last = from + dims->n == x->rank || column_one(x->dims[x->rank - 1]);
    return last || ch__cg_is_half(ch__cg_acc_dtype(op, x->dtype)) ? 0 : dims->n;
}

static bool folds_alike(const ch__op *r, const ch__op *s) {
    int from[2];
    int n = folds_inside(r, &from[0]);
    return n == folds_inside(s, &from[1]) && from[0] == from[1] &&
           ch__cg_same_dims(r->operands[0]->type, s->operands[0]->type);
}

static bool column_elementwise(const ch__op *op) {
    return (ch__op_info_of((ch__opcode)op->code)->flags & CH__ELEMWISE) != 0 && op->n_results == 1;
}

void ch__cg_find_columns(cg *g, const ch__region *r) {
    const ch__op **from = CH_NEW_ARRAY(g->a, const ch__op *, g->f->n_values); // the reduction a value is made of
    CH_VEC(const ch__op *) back = {0};
    for (const ch__op *op = r->first; op; op = op->next) {
        int first;
        if (op->n_results != 1) continue;
        const ch__value *v = &op->results[0];
        if (folds_inside(op, &first) > 0) from[v->id] = op;
        if (!column_elementwise(op) && op->code != CH_OP_reshape && op->code != CH_OP_broadcast) continue;
        for (int j = 0; j < op->n_operands && !from[v->id]; j++) from[v->id] = from[op->operands[j]->id];
        const ch__op *of = from[v->id];
        if (!of || !ch__cg_same_dims(v->type, of->operands[0]->type)) continue;
        from[v->id] = NULL; // it came back
        bool known = false;
        for (int64_t i = 0; i < back.n; i++) known = known || folds_alike(back.data[i], of);
        if (!known) CH_PUSH(g->a, &back, of);
    }
    for (const ch__op *op = r->first; op && back.n > 0; op = op->next) {
        int first;
        if (op->n_results != 1 || folds_inside(op, &first) == 0) continue;
        for (int64_t i = 0; i < back.n; i++)
            if (folds_alike(back.data[i], op))
                ch__map_put(&g->file->native->columns, (uint64_t)(uintptr_t)op, (void *)(uintptr_t)op);
    }
}

bool ch__cg_comes_back(const cg *g, const ch__op *op) {
    return ch__map_get(&g->file->native->columns, (uint64_t)(uintptr_t)op) != NULL;
}

// ---------------------------------------------------------------- joining
typedef struct {
    const group *gr;
    bool cell; // the reader has no element of the folded axes
    bool any, wrong;
    int pass; // the first one that can read all of it
} column_look;

// The axis of the group that axis i of a cell is.
static int axis_of_cell(const group *gr, int i) { return i < gr->outer ? i : i + gr->columns; }

static void look_at_column(cg *g, void *arg, const ch__value *leaf, const int *map) {
    column_look *l = arg;
    const val *x = val_of(g, leaf);
    if (x->group != l->gr) return;
    bool row = x->part == PART_ROW;
    l->any = true;
    if (row && l->cell) l->wrong = true;
    for (int i = 0; i < leaf->type->rank; i++) {
        int to = l->cell && map[i] >= 0 ? axis_of_cell(l->gr, map[i]) : map[i];
        if (to != (row ? i : axis_of_cell(l->gr, i)) && !column_one(leaf->type->dims[i])) l->wrong = true;
    }
    int pass = x->pass + (x->part == PART_FOLD);
    if (pass > l->pass) l->pass = pass;
}

static void take_column(cg *g, group *now, ch__op *op, int part, int pass) {
    val *x = val_of(g, &op->results[0]);
    x->group = now;
    x->part = (uint8_t)part;
    x->pass = x->last_pass = (int8_t)pass;
    x->crosses = false;
    CH_PUSH(g->a, &now->members, op);
    int passes = part == PART_CELL ? pass : pass + 1;
    if (passes > now->passes) now->passes = passes;
}

group *ch__cg_column_begin(cg *g, ch__op *op) {
    group *now = CH_NEW(g->a, group);
    now->id = ++g->n_groups;
    now->type = op->results[0].type;
    now->whole = op->operands[0]->type;
    now->columns = folds_inside(op, &now->outer);
    take_column(g, now, op, PART_FOLD, 0);
    return now;
}

// Elementwise operations of all axes that stand before the first reduction become rows.
static bool column_split(const group *now, const ch__op *op) {
    if (now->rows) return false;
    for (int64_t i = 0; i < now->members.n; i++) {
        const ch__op *member = now->members.data[i];
        if (!column_elementwise(member) || !ch__cg_same_dims(member->results[0].type, op->operands[0]->type))
            return false;
    }
    return true;
}

bool ch__cg_column_join(cg *g, group *now, ch__op *op) {
    if (op->n_results != 1) return false;
    group trial = *now;
    bool first = now->columns == 0, fold = ch__cg_comes_back(g, op);
    if (first) {
        if (!fold || !column_split(now, op)) return false;
        trial.whole = op->operands[0]->type;
        trial.type = op->results[0].type;
        trial.columns = folds_inside(op, &trial.outer);
    }
    const ch__type *t = op->results[0].type;
    int part = PART_NONE, from;
    if (fold && folds_inside(op, &from) == trial.columns && from == trial.outer &&
        ch__cg_same_dims(op->operands[0]->type, trial.whole))
        part = PART_FOLD;
    else if (column_elementwise(op))
        part = ch__cg_same_dims(t, trial.whole) ? PART_ROW : ch__cg_same_dims(t, trial.type) ? PART_CELL : PART_NONE;
    if (part == PART_NONE) return false;
    group was = *now;
    now->outer = trial.outer;
    now->columns = trial.columns;
    for (int64_t i = 0; first && i < now->members.n; i++) val_of(g, &now->members.data[i]->results[0])->part = PART_ROW;
    val *x = val_of(g, &op->results[0]);
    x->part = (uint8_t)part;
    column_look l = {.gr = now, .cell = part == PART_CELL};
    ch__cg_row_leaves(g, op, look_at_column, &l);
    if (l.wrong || (first && !l.any) || l.pass >= MOST_COLUMN_PASSES) {
        *now = was;
        for (int64_t i = 0; first && i < now->members.n; i++)
            val_of(g, &now->members.data[i]->results[0])->part = PART_NONE;
        x->part = PART_NONE;
        return false;
    }
    if (first) {
        now->type = trial.type;
        now->whole = trial.whole;
        if (now->passes < 1) now->passes = 1;
    }
    take_column(g, now, op, part, l.pass);
    return true;
}

// ---------------------------------------------------------------- printing
typedef struct {
    cg *g;
    group *gr;
    ch__dim at[CH__MAX_RANK], cell_at[CH__MAX_RANK];
    const char *z, *width;
    accum *sums;       // by member
    const char **some; // accumulators
    int reader;        // the member whose operands are looked at
    struct {
        int pass, member;
    } * last; // reading of a row in another pass than its own
} column_print;

static void see_later_read(cg *g, void *arg, const ch__value *leaf, const int *map) {
    column_print *p = arg;
    val *x = val_of(g, leaf);
    (void)map;
    if (x->group != p->gr || x->part != PART_ROW) return;
    int pass = val_of(g, &p->gr->members.data[p->reader]->results[0])->pass;
    if (pass == x->pass) return;
    x->crosses = true;
    for (int64_t i = 0; i < p->gr->members.n; i++)
        if (leaf->op == p->gr->members.data[i] && pass >= p->last[i].pass) {
            p->last[i].pass = pass;
            p->last[i].member = p->reader;
        }
}

// A row of the same dtype that is written where row i is read for the last time, or later: i lies there until then.
static store *place_of_later_row(column_print *p, int64_t i) {
    cg *g = p->g;
    const ch__value *v = &p->gr->members.data[i]->results[0];
    for (int64_t k = 0; k < p->gr->members.n; k++) {
        const ch__value *w = &p->gr->members.data[k]->results[0];
        val *y = val_of(g, w);
        if (y->part != PART_ROW || !y->st || y->over || y->shared || k == i || w->type->dtype != v->type->dtype ||
            y->pass < p->last[i].pass || (y->pass == p->last[i].pass && p->last[i].member > k))
            continue;
        y->shared = true;
        return ch__cg_store_in(g, y->st, v);
    }
    return NULL;
}

static void column_memory(column_print *p) {
    cg *g = p->g;
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__op *op = p->gr->members.data[i];
        val *x = val_of(g, &op->results[0]);
        p->reader = (int)i;
        ch__cg_row_leaves(g, op, see_later_read, p);
        if (!x->outside && !x->need_store) continue;
        x->st = ch__cg_result_store(g, op, 0);
        if (!x->over) ch__cg_hold(g, &op->results[0], x->st);
    }
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        const ch__op *op = p->gr->members.data[i];
        val *x = val_of(g, &op->results[0]);
        if (!x->crosses || x->st || (x->st = place_of_later_row(p, i)) != NULL) continue;
        x->st = ch__cg_result_store(g, op, 0);
        ch__cg_hold(g, &op->results[0], x->st);
    }
}

static ch__dim column_name(cg *g, const char *name) { return ch__cg_opaque(g, ch__cx(name, CX_PRIM)); }

static void open_columns(column_print *p) {
    ch__cg_open(p->g, "for (int64_t %s = 0; %s < %s; %s++)", p->z, p->z, p->width, p->z);
}

static const char *column_element(column_print *p, const char *array) {
    return ch__arena_printf(p->g->a, "%s[%s]", array, p->z);
}

// Columns of a block, as C text, and how many they are at most.
static const char *column_step(cg *g, const group *gr, int *out_most) {
    ch__dim n = gr->whole->dims[gr->whole->rank - 1];
    *out_most = ch__dim_is_const(n) && n.val < WIDE_FROM ? NARROW_BLOCK : WIDE_BLOCK;
    if (ch__dim_is_const(n)) return ch__arena_printf(g->a, "%d", *out_most);
    return ch__arena_printf(g->a, "(%s >= %d ? %d : %d)", ch__cg_dim_text(g, ch__cg_size(g, n, false), CX_REL),
                            WIDE_FROM, WIDE_BLOCK, NARROW_BLOCK);
}

static bool is_one_block(const group *gr) {
    ch__dim n = gr->whole->dims[gr->whole->rank - 1];
    return ch__dim_is_const(n) && n.val <= NARROW_BLOCK;
}

// So many blocks the last axis has.
static const char *column_blocks(cg *g, const group *gr) {
    int most;
    ch__dim n = gr->whole->dims[gr->whole->rank - 1];
    const char *step = column_step(g, gr, &most);
    if (is_one_block(gr)) return n.val > 0 ? "1" : "0";
    return ch__arena_printf(g->a, "((%s + %s - 1) / %s)", ch__cg_dim_text(g, ch__cg_size(g, n, false), CX_ADD), step,
                            step);
}

static const char *column_array(column_print *p, const char *name, const char *type) {
    int most;
    (void)column_step(p->g, p->gr, &most);
    ch__cg_line(p->g, "%s %s[%d];", type, name, most);
    return name;
}

static const char *column_value(column_print *p, const ch__value *v) {
    if (v->type->dtype == CH_BOOL) p->g->file->boolean = true;
    const char *name = v->name ? ch__cg_scoped_user(p->g, v->name) : ch__cg_scoped(p->g, "t");
    return column_array(p, name, ch__cg_ctype(v->type->dtype));
}

static void put_column_store(column_print *p, const ch__value *v, cx e) {
    val *x = val_of(p->g, v);
    if (!x->st) return;
    ix at = {.at = x->part == PART_ROW ? p->at : p->cell_at};
    cx place = ch__cg_stored(p->g, x->st, v->type, &at);
    ch__cg_line(p->g, "%s = %s;", place.s, e.s);
    if (x->over) ch__cg_hold(p->g, v, x->st);
}

static bool is_member_of(const column_print *p, int64_t i, int pass, int part) {
    const val *x = val_of(p->g, &p->gr->members.data[i]->results[0]);
    return x->pass == pass && x->part == part;
}

static void put_column_cells(column_print *p, int pass) {
    cg *g = p->g;
    bool any = false;
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        if (!is_member_of(p, i, pass, PART_CELL)) continue;
        const ch__value *v = &p->gr->members.data[i]->results[0];
        any = true;
        p->some[i] = column_value(p, v);
    }
    if (!any) return;
    open_columns(p);
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        if (!is_member_of(p, i, pass, PART_CELL)) continue;
        const ch__op *op = p->gr->members.data[i];
        ix at = {.at = p->cell_at};
        cx e = ch__cg_elem_op(g, op, &at), element = ch__cx(column_element(p, p->some[i]), CX_PRIM);
        ch__cg_line(g, "%s = %s;", element.s, e.s);
        put_column_store(p, &op->results[0], element);
        val_of(g, &op->results[0])->elem = element;
    }
    ch__cg_close(g);
}

static void put_column_member(column_print *p, int64_t i) {
    cg *g = p->g;
    const ch__op *op = p->gr->members.data[i];
    const ch__value *v = &op->results[0];
    val *x = val_of(g, v);
    ix at = {.at = p->at};
    if (x->part == PART_FOLD) {
        cx e = ch__cg_wide(g, &p->sums[i], op, ch__cg_elem(g, op->operands[0], &at));
        ch__cg_fold_add(g, &p->sums[i], column_element(p, p->some[i]), e);
        return;
    }
    cx e = ch__cg_elem_op(g, op, &at);
    if (x->inner) {
        const char *hint = v->name ? v->name : ch__cg_hint(g, v);
        const char *name = hint ? ch__cg_scoped_user(g, hint) : ch__cg_scoped(g, "t");
        if (v->type->dtype == CH_BOOL) g->file->boolean = true;
        ch__cg_line(g, "const %s %s = %s;", ch__cg_ctype(v->type->dtype), name, e.s);
        x->elem = e = ch__cx(name, CX_PRIM);
    }
    put_column_store(p, v, e);
}

// What the pass gathered.
static void put_column_folds(column_print *p, int pass) {
    cg *g = p->g;
    for (int64_t i = 0; i < p->gr->members.n; i++) {
        if (!is_member_of(p, i, pass, PART_FOLD)) continue;
        const ch__value *v = &p->gr->members.data[i]->results[0];
        val *x = val_of(g, v);
        cx state = ch__cx(column_element(p, p->some[i]), CX_PRIM);
        cx e = ch__cg_fold_result(g, &p->sums[i], state, v->type->dtype);
        if (strcmp(e.s, state.s) != 0) {
            const char *done = column_value(p, v);
            open_columns(p);
            ch__cg_line(g, "%s = %s;", column_element(p, done), e.s);
            ch__cg_close(g);
            e = ch__cx(column_element(p, done), CX_PRIM);
        }
        if (x->st) {
            open_columns(p);
            put_column_store(p, v, e);
            ch__cg_close(g);
        }
        x->elem = e;
    }
}

static void put_column_pass(column_print *p, int pass) {
    cg *g = p->g;
    const group *gr = p->gr;
    CH_VEC(const ch__op *) ops = {0};
    bool folds = false;
    for (int64_t i = 0; i < gr->members.n; i++) {
        if (!is_member_of(p, i, pass, PART_ROW) && !is_member_of(p, i, pass, PART_FOLD)) continue;
        const ch__op *op = gr->members.data[i];
        CH_PUSH(g->a, &ops, op);
        if (is_member_of(p, i, pass, PART_ROW)) continue;
        ch_dtype d = op->operands[0]->type->dtype;
        accum *fo = &p->sums[i];
        *fo = (accum){.kind = (ch__kind)ch__op_int(op, CH__ATTR_kind, 0), .d = d, .acc = ch__cg_acc_dtype(op, d)};
        fo->type = ch__cg_carrier_type(fo->kind, fo->acc);
        p->some[i] = column_array(p, ch__cg_scoped(g, "some"), fo->type);
        folds = true;
    }
    if (ops.n == 0) return;
    if (folds) open_columns(p);
    for (int64_t i = 0; i < gr->members.n; i++)
        if (is_member_of(p, i, pass, PART_FOLD))
            ch__cg_line(g, "%s = %s;", column_element(p, p->some[i]), ch__cg_fold_identity(g, &p->sums[i]).s);
    if (folds) ch__cg_close(g);
    int loops = 0;
    for (int i = gr->outer; i < gr->outer + gr->columns; i++) {
        p->at[i] = ch__dim_const(0);
        if (column_one(gr->whole->dims[i])) continue;
        p->at[i] = ch__cg_for(g, gr->whole->dims[i]);
        loops++;
    }
    open_columns(p);
    int64_t body = g->out->n;
    for (int64_t i = 0; i < gr->members.n; i++)
        if (is_member_of(p, i, pass, PART_ROW) || is_member_of(p, i, pass, PART_FOLD)) put_column_member(p, i);
    ch__cg_loads(g, gr->whole, p->at, body, ops.n, ops.data);
    ch__cg_close(g);
    ch__cg_for_end(g, loops);
    for (int64_t i = 0; i < ops.n; i++)
        if (val_of(g, &ops.data[i]->results[0])->part == PART_ROW) val_of(g, &ops.data[i]->results[0])->elem.s = NULL;
    put_column_folds(p, pass);
}

// One turn for each block of columns: blocks of the last axis, times the other axes that are not folded.
static void open_units(column_print *p) {
    cg *g = p->g;
    const ch__type *t = p->gr->whole;
    int last = t->rank - 1, folded = p->gr->outer + p->gr->columns;
    bool narrow = is_one_block(p->gr);
    const char *n = ch__cg_dim_text(g, ch__cg_size(g, t->dims[last], false), CX_ADD);
    const char *rest = ch__cg_scoped(g, "rest"), *unit = g->loop_names[g->depth - 1], *first = NULL, *step = NULL;
    ch__cg_line(g, "int64_t %s = %s;", rest, unit);
    if (!narrow) {
        int most;
        const char *blocks = column_blocks(g, p->gr);
        first = ch__cg_scoped(g, "first");
        step = column_step(g, p->gr, &most);
        ch__cg_line(g, "const int64_t %s = %s %% %s * %s;", first, rest, blocks, step);
        ch__cg_line(g, "%s = %s / %s;", rest, rest, blocks);
    }
    for (int i = last - 1; i >= 0; i--) {
        if (i >= p->gr->outer && i < folded) continue;
        p->at[i] = ch__dim_const(0);
        if (column_one(t->dims[i])) continue;
        const char *index = ch__cg_scoped(g, "at"),
                   *size = ch__cg_dim_text(g, ch__cg_size(g, t->dims[i], false), CX_UNARY);
        ch__cg_line(g, "const int64_t %s = %s %% %s;", index, rest, size);
        ch__cg_line(g, "%s = %s / %s;", rest, rest, size);
        p->at[i] = column_name(g, index);
    }
    ch__cg_line(g, "(void)%s;", rest);
    p->z = ch__cg_scoped(g, "z");
    p->width = n;
    p->at[last] = column_name(g, p->z);
    if (!narrow) {
        p->width = ch__cg_scoped(g, "width");
        ch__cg_line(g, "const int64_t %s = %s - %s < %s ? %s - %s : %s;", p->width, n, first, step, n, first, step);
        p->at[last] = ch__dim_add(g->a, column_name(g, first), p->at[last]);
    }
    for (int i = 0; i < p->gr->type->rank; i++) p->cell_at[i] = p->at[axis_of_cell(p->gr, i)];
}

static const char *put_column_units(cg *g, const group *gr) {
    const ch__type *t = gr->whole;
    int last = t->rank - 1;
    ch__text units;
    ch__text_init(&units, g->a);
    ch__put(&units, column_blocks(g, gr));
    for (int i = 0; i < last; i++)
        if ((i < gr->outer || i >= gr->outer + gr->columns) && !column_one(t->dims[i]))
            ch__putf(&units, " * %s", ch__cg_dim_text(g, ch__cg_size(g, t->dims[i], false), CX_UNARY));
    const char *name = ch__cg_name(g, "units");
    ch__cg_variable(g, name, "int64_t ");
    ch__cg_line(g, "const int64_t %s = %s;", name, units.data);
    return name;
}

static const char *column_work(cg *g, const group *gr) {
    ch__dim n = ch__dim_const(4 * NARROW_BLOCK * gr->members.n);
    for (int i = gr->outer; i < gr->outer + gr->columns; i++) n = ch__dim_mul(g->a, n, gr->whole->dims[i]);
    return ch__cg_dim_text(g, n, CX_COND);
}

void ch__cg_column_group(cg *g, group *gr) {
    int64_t n = gr->members.n;
    column_print p = {.g = g, .gr = gr};
    int64_t mark = ch__cg_mark(g);
    p.sums = CH_NEW_ARRAY(g->a, accum, n);
    p.some = CH_NEW_ARRAY(g->a, const char *, n);
    p.last = ch__arena_array(g->a, (size_t)n, sizeof *p.last);
    column_memory(&p);
    for (int64_t i = 0; i < n; i++) ch__cg_guard(g, gr->members.data[i]);
    const char *units = put_column_units(g, gr);
    cg_nest nest = {.from = g->out->n, .mark = mark, .work = column_work(g, gr)};
    for (int64_t i = 0; i < n; i++) {
        const store *st = val_of(g, &gr->members.data[i]->results[0])->st;
        if (st) CH_PUSH(g->a, &nest.written, st->name);
    }
    (void)ch__cg_for(g, column_name(g, units));
    open_units(&p);
    for (int pass = 0; pass <= gr->passes; pass++) {
        put_column_cells(&p, pass);
        put_column_pass(&p, pass);
    }
    ch__cg_for_end(g, 1);
    bool out = ch__cg_outline(g, &nest);
    for (int64_t i = 0; i < n; i++) val_of(g, &gr->members.data[i]->results[0])->elem.s = NULL;
    ch__cg_scope_end(g, mark);
    bool joined = out && g->file->native->joined;
    ch__cg_note(g,
                joined ? CG_JOINED
                : out  ? CG_KERNEL
                       : CG_LOOPS,
                gr->whole, n, (const ch__op *const *)gr->members.data,
                ch__arena_printf(g->a, ", %d passes by columns", gr->passes));
}
