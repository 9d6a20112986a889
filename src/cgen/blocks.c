// SPDX-License-Identifier: Apache-2.0
// blocks.c - a product, what is done to its rows, and a product of these rows, by blocks of rows.
//
// The scores of attention are q k^T, softmax makes weights of them, and weights v is the result. As three kernels the
// whole matrix of scores lies in memory twice. But a group that goes over rows (rows.c) needs of the first product its
// own row only, and gives the second one's left operand row by row. So a block of rows goes through all three at once:
// the products are calls for as many rows, and the scores and weights of a block lie in memory of the part of the loop
// that computes it, as long as a row, not as the square of it. Any group of elementwise operations and folds will do.
//
// Of rows with a mask (seen.c) each goes over its own span of columns, and the products over what the rows of a block
// have together; a row's weights beside its span are 0. Where the second product's right operand is not finite, all
// columns are multiplied: 0 times NaN shows.
#include "cgen/native.h"

enum { BLOCK_ROWS = 64 };

// ---------------------------------------------------------------- which
typedef struct {
    const group *gr; // of the reader; NULL: it is in none
} product_reader;

static void see_product_read(cg *g, void *arg, const ch__value *leaf, bool same) {
    const product_reader *r = arg;
    val *x = val_of(g, leaf);
    (void)same;
    if (!leaf->op || !ch__cg_is_called(leaf->op) || leaf->op->code != CH_OP_dot) return;
    if (x->reader && x->reader != r->gr) x->mixed = true;
    if (!r->gr) x->mixed = true;
    x->reader = r->gr;
}

static void find_readers(cg *g, const ch__region *r, chain_touch *touch) {
    for (ch__op *op = r->first; op; op = op->next) {
        if (op->n_results == 0) continue;
        const val *x = val_of(g, &op->results[0]);
        if (x->how == HOW_DEAD || x->how == HOW_VIEW || x->how == HOW_INLINE) continue;
        product_reader by = {x->how == HOW_MEMBER ? x->group : NULL};
        touch(g, op, see_product_read, &by);
    }
    product_reader end = {NULL};
    for (int i = 0; i < r->n_results; i++) ch__cg_touch(g, r->results[i], true, see_product_read, &end);
}

typedef struct {
    const group *gr;
    ch__op *found;
    bool wrong;
} product_search;

// A product of the rows that only this group reads, each row where its own are computed.
static void see_product(cg *g, void *arg, const ch__value *leaf, const int *map) {
    product_search *s = arg;
    const val *x = val_of(g, leaf);
    if (x->reader != s->gr || x->mixed || x->inside.n > 0 || !ch__cg_same_dims(leaf->type, s->gr->whole)) return;
    if (s->found && s->found != leaf->op) return; // the other one is an array as any other
    s->found = leaf->op;
    for (int i = 0; i < s->gr->outer; i++)
        if (map[i] != i && !(ch__dim_is_const(leaf->type->dims[i]) && leaf->type->dims[i].val == 1)) s->wrong = true;
}

static void see_needed(cg *g, void *arg, const ch__value *leaf, bool same) {
    int32_t until = *(const int32_t *)arg;
    val *x = val_of(g, leaf);
    (void)same;
    if (x->last < until) x->last = until;
    if (x->named_last < until) x->named_last = until;
}

// Nothing between them changes memory but products, whose results are new.
static bool only_products_between(cg *g, const ch__op *first, const ch__op *last) {
    for (const ch__op *op = first->next; op && op != last; op = op->next)
        if (op->n_results > 0 && val_of(g, &op->results[0])->how == HOW_STMT && !ch__cg_is_called(op)) return false;
    return true;
}

// Is it worth a loop of blocks: more rows than one, as far as is known?
static bool has_many_rows(const group *gr) {
    ch__dim d = gr->type->dims[gr->outer - 1];
    return !ch__dim_is_const(d) || d.val > BLOCK_ROWS;
}

static bool gives_only(cg *g, const group *gr, const ch__value *rows) {
    for (int64_t i = 0; i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        const val *x = val_of(g, &op->results[0]);
        if (op->n_results != 1 || x->carries) return false;
        if (&op->results[0] != rows && (x->outside || x->need_store || ch__cg_row_is_sum(x))) return false;
    }
    return true;
}

static void plan_chain(cg *g, ch__op *last, chain_touch *touch) {
    const ch__value *rows = last->operands[0];
    const val *x = val_of(g, rows);
    group *gr = x->how == HOW_MEMBER ? x->group : NULL;
    if (!gr || !gr->rows || !gr->whole || gr->chain || x->uses != 1 || x->inside.n > 0) return;
    if (!ch__cg_same_dims(rows->type, gr->whole) || gr->outer < 1 || !has_many_rows(gr)) return;
    if (!ch__cg_dot_takes_rows(g, last, gr->outer) || !gives_only(g, gr, rows)) return;
    product_search s = {.gr = gr};
    for (int64_t i = 0; i < gr->members.n; i++) ch__cg_row_leaves(g, gr->members.data[i], see_product, &s);
    if (!s.found || s.wrong || s.found->parent != last->parent || !ch__cg_dot_has_rows(g, s.found) ||
        !ch__cg_dot_rows_end_at(g, s.found, gr->outer) || !only_products_between(g, s.found, last))
        return;
    gr->chain = CH_NEW(g->a, cg_chain);
    *gr->chain = (cg_chain){.first = s.found, .last = last, .rows = rows};
    ch__cg_find_seen(g, gr);
    val_of(g, &s.found->results[0])->delayed = true;
    int32_t until = val_of(g, &last->results[0])->pos; // what they read stays until the last one is computed
    touch(g, s.found, see_needed, &until);
    for (int64_t i = 0; i < gr->members.n; i++) touch(g, gr->members.data[i], see_needed, &until);
    val_of(g, &last->results[0])->chained = gr;
}

void ch__cg_plan_chains(cg *g, const ch__region *r, chain_touch *touch) {
    find_readers(g, r, touch);
    for (ch__op *op = r->first; op; op = op->next)
        if (op->n_results == 1 && op->code == CH_OP_dot && ch__cg_is_called(op) &&
            val_of(g, &op->results[0])->how == HOW_STMT)
            plan_chain(g, op, touch);
}

// ---------------------------------------------------------------- printing
// Memory for so many rows of v in each part of the loop.
static const char *block_room(cg *g, const group *gr, const ch__value *v, int rows, const char *name) {
    ch__value *like = CH_NEW(g->a, ch__value);
    ch__dim dims[3] = {ch__dim_const(CG_SUM_PARTS), ch__dim_const(rows), ch__dim_const(1)};
    for (int i = gr->outer; i < v->type->rank; i++) dims[2] = ch__dim_mul(g->a, dims[2], v->type->dims[i]);
    like->type = ch__type_make(g->a, v->type->dtype, 3, dims, NULL);
    like->id = v->id;
    return ch__cg_new_store(g, like, name)->name;
}

static ch__dim block_row_size(cg *g, const ch__type *t, int outer) {
    ch__dim n = ch__dim_const(1);
    for (int i = outer; i < t->rank; i++) n = ch__dim_mul(g->a, n, t->dims[i]);
    return ch__cg_size(g, n, true);
}

static ch__dim block_name(cg *g, const char *name) { return ch__cg_opaque(g, ch__cx(name, CX_PRIM)); }

// Columns of a block's rows, as they lie there.
static ch__dim block_width(cg *g, const group *gr) {
    const cg_chain *c = gr->chain;
    if (!c->mask) return block_row_size(g, gr->whole, gr->outer);
    return ch__dim_sub(g->a, block_name(g, c->block_hi), block_name(g, c->block_lo));
}

// Where a row of the block lies, given by a name or NULL for the first; rows: that each part has. skip: its first
// elements, which nobody computes.
static const char *block_place(cg *g, const char *room, const group *gr, int rows, const char *row, bool skip) {
    const cg_chain *c = gr->chain;
    ch__dim part = block_name(g, "chaac_part"), at = ch__dim_mul(g->a, part, ch__dim_const(rows));
    at = ch__dim_mul(g->a, at, block_row_size(g, gr->whole, gr->outer));
    if (row) at = ch__dim_add(g->a, at, ch__dim_mul(g->a, block_name(g, row), block_width(g, gr)));
    if (skip && c->mask)
        at = ch__dim_add(g->a, at, ch__dim_sub(g->a, block_name(g, c->lo), block_name(g, c->block_lo)));
    return ch__arena_printf(g->a, "%s + %s", room, ch__cg_dim_text(g, at, CX_ADD));
}

const ch__dim *ch__cg_chain_skips(cg *g, const group *gr) {
    if (!gr->chain || !gr->chain->mask) return NULL;
    ch__dim *lo = CH_NEW(g->a, ch__dim);
    *lo = block_name(g, gr->chain->lo);
    return lo;
}

static store *row_store(cg *g, const ch__value *v, const char *name, const group *gr) {
    store *st = CH_NEW(g->a, store);
    *st = (store){.name = name,
                  .type = v->type,
                  .kind = ST_ARRAY,
                  .writable = true,
                  .owner = v->id,
                  .row_from = gr->outer,
                  .row_lo = ch__cg_chain_skips(g, gr)};
    return st;
}

static void name_spans(cg *g, cg_chain *c) {
    c->lo = ch__cg_scoped(g, "from");
    c->hi = ch__cg_scoped(g, "to");
    c->some = ch__cg_scoped(g, "some");
    c->block_lo = ch__cg_scoped(g, "lowest");
    c->block_hi = ch__cg_scoped(g, "highest");
    c->fine = ch__cg_scoped(g, "fine");
    c->fine_of = ch__cg_scoped(g, "fine_of");
}

void ch__cg_chain_begin(cg *g, group *gr) {
    cg_chain *c = gr->chain;
    const ch__value *scores = &c->first->results[0];
    ch__text units;
    if (c->mask) name_spans(g, c);
    c->scores = block_room(g, gr, scores, BLOCK_ROWS, "scores");
    c->weights = block_room(g, gr, c->rows, BLOCK_ROWS, "weights");
    c->result = ch__cg_result_store(g, c->last, 0);
    c->blocks = ch__cg_name(g, "blocks");
    c->units = ch__cg_name(g, "units");
    c->failed = ch__cg_name(g, "failed");
    ch__cg_variable(g, c->blocks, "int64_t ");
    ch__cg_variable(g, c->units, "int64_t ");
    ch__cg_variable(g, c->failed, "int *");
    ch__text_init(&units, g->a);
    ch__put(&units, c->blocks);
    for (int i = 0; i + 1 < gr->outer; i++)
        if (!ch__dim_is_const(gr->type->dims[i]) || gr->type->dims[i].val != 1)
            ch__putf(&units, " * %s", ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[i], false), CX_MUL));
    ch__cg_line(g, "const int64_t %s = (%s + %d) / %d;", c->blocks,
                ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[gr->outer - 1], false), CX_ADD), BLOCK_ROWS - 1,
                BLOCK_ROWS);
    ch__cg_line(g, "const int64_t %s = %s;", c->units, units.data);
    ch__cg_line(g, "int %s_ = 0, *const %s = &%s_;", c->failed, c->failed, c->failed);
    val_of(g, scores)->st = row_store(g, scores, ch__cg_scoped(g, "scores_of"), gr);
    val_of(g, c->rows)->st = row_store(g, c->rows, ch__cg_scoped(g, "weights_of"), gr);
}

store *ch__cg_chain_row(cg *g, group *gr, const ch__value *v, ch__text *lines) {
    const char *room = block_room(g, gr, v, 1, NULL);
    store *st = row_store(g, v, ch__cg_scoped(g, "row"), gr);
    CH_PUSH(g->a, &gr->chain->rooms, room);
    ch__putf(lines, "        %s *const %s = %s;\n", ch__cg_ctype(v->type->dtype), st->name,
             block_place(g, room, gr, 1, NULL, false));
    return st;
}

const char *ch__cg_chain_work(cg *g, const group *gr) {
    ch__dim n = ch__dim_const(BLOCK_ROWS * (4 * gr->members.n + 64));
    for (int i = gr->outer; i < gr->whole->rank; i++) n = ch__dim_mul(g->a, n, gr->whole->dims[i]);
    return ch__cg_dim_text(g, n, CX_COND);
}

void ch__cg_chain_written(cg *g, const group *gr, cg_nest *nest) {
    const cg_chain *c = gr->chain;
    const char *written[] = {c->scores, c->weights, c->result->name, c->failed};
    for (int i = 0; i < 4; i++) CH_PUSH(g->a, &nest->written, written[i]);
    for (int64_t i = 0; i < c->rooms.n; i++) CH_PUSH(g->a, &nest->written, c->rooms.data[i]);
}

static void set_columns(cg *g, const group *gr, cg_dot_rows *r) {
    const cg_chain *c = gr->chain;
    if (!c->mask) return;
    ch__dim *span = CH_NEW_ARRAY(g->a, ch__dim, 2);
    span[0] = block_name(g, c->block_lo);
    span[1] = block_width(g, gr);
    r->lo = &span[0];
    r->n = &span[1];
}

// The call of a product, whose failure is noted.
static void put_block_dot(cg *g, const cg_chain *c, const ch__op *op, const cg_dot_rows *r) {
    if (g->file->native->out->timed) ch__cg_line(g, "chaac_call = -1;"); // it is part of this kernel's time
    ch__cg_line(g, "if (%s != 0) __atomic_store_n(%s, 1, __ATOMIC_RELAXED);", ch__cg_dot_rows(g, op, r), c->failed);
}

// ---------------------------------------------------------------- what is seen of rows
void ch__cg_chain_before(cg *g, const group *gr, ch__text *lines) {
    const cg_chain *c = gr->chain;
    (void)g;
    if (c->mask) ch__putf(lines, "    int64_t %s = -1;\n    int %s = 0;\n", c->fine_of, c->fine);
}

ch__dim ch__cg_chain_columns(cg *g, const group *gr, ch__dim *out_from) {
    const cg_chain *c = gr->chain;
    *out_from = ch__dim_const(0);
    if (!c || !c->mask) return gr->whole->dims[gr->whole->rank - 1];
    *out_from = block_name(g, c->lo);
    return ch__dim_sub(g->a, block_name(g, c->hi), *out_from);
}

static const char *all_columns_text(cg *g, const group *gr) {
    return ch__cg_dim_text(g, ch__cg_size(g, gr->whole->dims[gr->outer], true), CX_COND);
}

// The span of the row whose number among all is named, into the two variables. some: the name of whether there is one.
static void put_span(cg *g, const group *gr, ch__dim *at, const char *line, const char *lo, const char *hi,
                     const char *some) {
    const char *n = all_columns_text(g, gr), *helper = ch__cg_helper(g->file, "row_span", 0);
    at[gr->outer - 1] = block_name(g, line);
    cg_span s = ch__cg_seen_span(g, gr, at);
    ch__cg_line(g, "int64_t %s = %s, %s = %s;", lo, s.has_lo ? ch__cg_dim_text(g, s.lo, CX_COND) : "0", hi,
                s.has_hi ? ch__cg_dim_text(g, s.hi, CX_COND) : n);
    if (some) {
        g->file->boolean = true;
        ch__cg_line(g, "const bool %s = %s(%s, &%s, &%s) != 0;", some, helper, n, lo, hi);
    } else {
        ch__cg_line(g, "(void)%s(%s, &%s, &%s);", helper, n, lo, hi);
    }
}

// What the rows of a block have together; everything when the last product's right operand is not finite.
static void put_block_span(cg *g, const group *gr, ch__dim *at, const char *unit) {
    cg_chain *c = gr->chain;
    const char *n = all_columns_text(g, gr), *line = ch__cg_scoped(g, "line"), *matrix = ch__cg_scoped(g, "matrix");
    ch__cg_line(g, "int64_t %s = %s, %s = 0;", c->block_lo, n, c->block_hi);
    ch__cg_open(g, "for (int64_t %s = %s; %s < %s + %s; %s++)", line, c->first_row, line, c->first_row, c->count, line);
    const char *lo = ch__cg_scoped(g, "lo"), *hi = ch__cg_scoped(g, "hi");
    put_span(g, gr, at, line, lo, hi, NULL);
    ch__cg_line(g, "%s = %s < %s ? %s : %s;", c->block_lo, lo, c->block_lo, lo, c->block_lo);
    ch__cg_line(g, "%s = %s > %s ? %s : %s;", c->block_hi, hi, c->block_hi, hi, c->block_hi);
    ch__cg_close(g);
    ch__cg_line(g, "const int64_t %s = %s / %s;", matrix, unit, c->blocks);
    ch__cg_open(g, "if (%s > 0 || %s < %s)", c->block_lo, c->block_hi, n);
    g->file->math = true;
    ch__cg_line(g, "if (%s != %s) %s = %s < INFINITY;", c->fine_of, matrix, c->fine,
                ch__cg_dot_largest(g, c->last, at));
    ch__cg_line(g, "%s = %s;", c->fine_of, matrix);
    ch__cg_line(g, "%s = %s ? %s : 0;", c->block_lo, c->fine, c->block_lo);
    ch__cg_line(g, "%s = %s ? %s : %s;", c->block_hi, c->fine, c->block_hi, n);
    ch__cg_close(g);
}

// A row's weights beside its span.
static void put_unseen(cg *g, const group *gr) {
    const cg_chain *c = gr->chain;
    const char *weights = val_of(g, c->rows)->st->name;
    ch__cg_line(g, "__builtin_memset(%s - (%s - %s), 0, (size_t)(%s - %s) * sizeof *%s);", weights, c->lo, c->block_lo,
                c->lo, c->block_lo, weights);
    ch__cg_line(g, "__builtin_memset(%s + (%s - %s), 0, (size_t)(%s - %s) * sizeof *%s);", weights, c->hi, c->lo,
                c->block_hi, c->hi, weights);
}

void ch__cg_chain_open(cg *g, group *gr, ch__dim *at) {
    cg_chain *c = gr->chain;
    const ch__value *scores = &c->first->results[0];
    const char *type = ch__cg_ctype(scores->type->dtype), *rest = ch__cg_scoped(g, "rest");
    (void)ch__cg_for(g, ch__cg_opaque(g, ch__cx(c->units, CX_PRIM)));
    const char *unit = g->loop_names[g->depth - 1];
    c->first_row = ch__cg_scoped(g, "first");
    c->count = ch__cg_scoped(g, "rows");
    ch__cg_line(g, "int64_t %s = %s / %s;", rest, unit, c->blocks);
    ch__cg_line(g, "const int64_t %s = %s %% %s * %d;", c->first_row, unit, c->blocks, BLOCK_ROWS);
    for (int i = gr->outer - 2; i >= 0; i--) {
        at[i] = ch__dim_const(0);
        if (ch__dim_is_const(gr->type->dims[i]) && gr->type->dims[i].val == 1) continue;
        const char *index = ch__cg_scoped(g, "at"),
                   *size = ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[i], false), CX_UNARY);
        ch__cg_line(g, "const int64_t %s = %s %% %s;", index, rest, size);
        ch__cg_line(g, "%s = %s / %s;", rest, rest, size);
        at[i] = ch__cg_opaque(g, ch__cx(index, CX_PRIM));
    }
    const char *all = ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[gr->outer - 1], false), CX_ADD);
    ch__cg_line(g, "const int64_t %s = %s - %s < %d ? %s - %s : %d;", c->count, all, c->first_row, BLOCK_ROWS, all,
                c->first_row, BLOCK_ROWS);
    if (c->mask) put_block_span(g, gr, at, unit);
    at[gr->outer - 1] = block_name(g, c->first_row);
    cg_dot_rows rows = {.at = at, .rows = c->count, .out = block_place(g, c->scores, gr, BLOCK_ROWS, NULL, false)};
    set_columns(g, gr, &rows);
    put_block_dot(g, c, c->first, &rows);
    memcpy(c->at, at, sizeof c->at);
    (void)ch__cg_for(g, ch__cg_opaque(g, ch__cx(c->count, CX_PRIM)));
    const char *i = g->loop_names[g->depth - 1], *row = ch__cg_scoped(g, "line");
    ch__cg_line(g, "const int64_t %s = %s + %s;", row, c->first_row, i);
    if (c->mask) {
        put_span(g, gr, at, row, c->lo, c->hi, c->some);
        if (c->exact)
            val_of(g, c->mask)->elem =
                ch__cx(c->when ? c->some : ch__arena_printf(g->a, "!%s", c->some), c->when ? CX_PRIM : CX_UNARY);
        else
            ch__cg_line(g, "(void)%s;", c->some);
    }
    ch__cg_line(g, "const %s *const %s = %s;", type, val_of(g, scores)->st->name,
                block_place(g, c->scores, gr, BLOCK_ROWS, i, true));
    ch__cg_line(g, "%s *const %s = %s;", ch__cg_ctype(c->rows->type->dtype), val_of(g, c->rows)->st->name,
                block_place(g, c->weights, gr, BLOCK_ROWS, i, true));
    at[gr->outer - 1] = block_name(g, row);
}

void ch__cg_chain_close(cg *g, group *gr) {
    cg_chain *c = gr->chain;
    if (c->mask) {
        put_unseen(g, gr);
        val_of(g, c->mask)->elem.s = NULL;
    }
    ch__cg_for_end(g, 1);
    cg_dot_rows rows = {.at = c->at,
                        .rows = c->count,
                        .lhs = block_place(g, c->weights, gr, BLOCK_ROWS, NULL, false),
                        .result = c->result->name};
    set_columns(g, gr, &rows);
    put_block_dot(g, c, c->last, &rows);
    ch__cg_for_end(g, 1);
}

// How many scores of a matrix are computed, when that is known.
static void count_scores(cg *g, group *gr) {
    enum { MOST_ROWS = 1 << 16 };
    cg_chain *c = gr->chain;
    ch__dim rows = gr->type->dims[gr->outer - 1], columns = gr->whole->dims[gr->outer], at[CH__MAX_RANK];
    if (!c->mask || !ch__dim_is_const(rows) || !ch__dim_is_const(columns) || rows.val > MOST_ROWS) return;
    for (int i = 0; i < gr->outer; i++) at[i] = ch__dim_symbol(g->a, "#"); // what does not depend on it
    int64_t all = columns.val, lowest = all, highest = 0;
    for (int64_t i = 0; i < rows.val; i++) {
        at[gr->outer - 1] = ch__dim_const(i);
        cg_span s = ch__cg_seen_span(g, gr, at);
        if ((s.has_lo && !ch__dim_is_const(s.lo)) || (s.has_hi && !ch__dim_is_const(s.hi))) return;
        int64_t lo = !s.has_lo || s.lo.val < 0 ? 0
                     : s.lo.val < all          ? s.lo.val
                                               : all,
                hi = !s.has_hi || s.hi.val > all ? all : s.hi.val;
        if (lo >= hi) hi = (lo = lo < all ? lo : all > 0 ? all - 1 : 0) + (all > 0); // as row_span
        lowest = lo < lowest ? lo : lowest;
        highest = hi > highest ? hi : highest;
        if ((i + 1) % BLOCK_ROWS != 0 && i + 1 < rows.val) continue;
        c->computed += (i % BLOCK_ROWS + 1) * (highest - lowest);
        lowest = all, highest = 0;
    }
    c->scores_all = rows.val * all;
}

static const char *seen_note(cg *g, const cg_chain *c) {
    if (!c->mask) return "";
    if (c->scores_all == 0) return ", what the mask leaves of them";
    return ch__arena_printf(g->a, ", %" PRId64 " of %" PRId64 " scores each", c->computed, c->scores_all);
}

void ch__cg_chain_end(cg *g, group *gr) {
    const cg_chain *c = gr->chain;
    ch__cg_open(g, "if (%s_ != 0)", c->failed);
    ch__cg_line(g, "status = 1;");
    ch__cg_line(g, "goto done;");
    ch__cg_close(g);
    g->fails = g->needs_memory = true;
    count_scores(g, gr);
    ch__cg_hold(g, &c->last->results[0], c->result);
    CH_VEC(const ch__op *) all = {0};
    CH_PUSH(g->a, &all, c->first);
    for (int64_t i = 0; i < gr->members.n; i++) CH_PUSH(g->a, &all, gr->members.data[i]);
    CH_PUSH(g->a, &all, c->last);
    ch__cg_note(g, CG_KERNEL, gr->whole, all.n, all.data,
                ch__arena_printf(g->a, ", by %d rows%s", BLOCK_ROWS, seen_note(g, c)));
}
