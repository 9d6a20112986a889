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
//
// A gradient has two products before a group and three behind it: scores (again, rescore.c) and the adjoint of weights;
// of the group's rows, weights and the adjoint of scores, one product goes row by row and two sum over rows. Those add
// up block by block, so all blocks of a matrix are one part's.
//
// Of bf16 and f16 the right operands of products that go row by row are widened once a matrix (native/dot.c), and what
// sums over rows gathers in f32, which is narrowed behind the last block of a matrix.
#include "cgen/native.h"

enum { CHAIN_ROWS = 32 };

// ---------------------------------------------------------------- which
typedef struct {
    const group *gr; // of the reader; NULL: it is in none
    const ch__op *op;
    int32_t pos;
} product_reader;

static bool is_out(const group *gr, const ch__op *op, const ch__value *rows) {
    for (int64_t i = 0; op && gr->maybe && i < gr->maybe->outs.n; i++)
        if (gr->maybe->outs.data[i].op == op && gr->maybe->outs.data[i].rows == rows) return true;
    return false;
}

static void see_leaf_read(cg *g, void *arg, const ch__value *leaf, bool same) {
    const product_reader *r = arg;
    val *x = val_of(g, leaf);
    group *of = x->how == HOW_MEMBER ? x->group : NULL;
    (void)same;
    if (of && of != r->gr && of->maybe) {
        if (ch__cg_same_dims(leaf->type, of->whole))
            of->kept = of->kept || !is_out(of, r->op, leaf);
        else if (of->cells_read == 0 || r->pos < of->cells_read)
            of->cells_read = r->pos;
    }
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
        product_reader by = {x->how == HOW_MEMBER ? x->group : NULL, op, x->pos};
        touch(g, op, see_leaf_read, &by);
    }
    product_reader end = {NULL, NULL, INT32_MAX};
    for (int i = 0; i < r->n_results; i++) ch__cg_touch(g, r->results[i], true, see_leaf_read, &end);
}

// Products that read rows of a group.
static void find_outs(cg *g, ch__op *op) {
    for (int j = 0; j < 2; j++) {
        const ch__value *rows = op->operands[j];
        const val *x = val_of(g, rows);
        group *gr = x->how == HOW_MEMBER ? x->group : NULL;
        if (!gr || !gr->rows || !gr->whole || gr->outer < 1 || !ch__cg_same_dims(rows->type, gr->whole)) continue;
        if (op->operands[0] == op->operands[1] || x->inside.n > 0) continue;
        bool sums = ch__cg_dot_sums_rows(g, op, j, gr->outer);
        if (!sums && !(j == 0 && ch__cg_dot_takes_rows(g, op, gr->outer))) continue;
        if (!gr->maybe) gr->maybe = CH_NEW(g->a, cg_chain);
        CH_PUSH(g->a, &gr->maybe->outs, (cg_out){.op = op, .rows = rows, .side = j, .sums = sums});
        gr->maybe->n_sums += sums;
    }
}

typedef struct {
    const group *gr;
    CH_VEC(ch__op *) found;
    bool wrong;
} product_search;

// A product of the rows that only this group reads, each row where its own are computed.
static void see_product(cg *g, void *arg, const ch__value *leaf, const int *map) {
    product_search *s = arg;
    const val *x = val_of(g, leaf);
    if (x->reader != s->gr || x->mixed || x->inside.n > 0 || !ch__cg_same_dims(leaf->type, s->gr->whole)) return;
    bool known = false;
    for (int64_t i = 0; i < s->found.n; i++) known = known || s->found.data[i] == leaf->op;
    if (!known && s->found.n > 0 && s->gr->maybe->n_sums == 0) return; // the other one is an array as any other
    if (!known) CH_PUSH(g->a, &s->found, leaf->op);
    for (int i = 0; i < s->gr->outer; i++)
        if (map[i] != i && !(ch__dim_is_const(leaf->type->dims[i]) && leaf->type->dims[i].val == 1)) s->wrong = true;
}

static void see_needed(cg *g, void *arg, const ch__value *leaf, bool same) {
    int32_t until = *(const int32_t *)arg;
    val *x = val_of(g, leaf);
    (void)same;
    if (x->last < until) x->last = until;
    if (x->named_last < until) x->named_last = until;
    if (x->over_at <= until) x->over_group = NULL; // no loop before may write over it
}

// Nothing between them changes memory but products, whose results are new.
static bool only_products_between(cg *g, const ch__op *first, const ch__op *last) {
    for (const ch__op *op = first->next; op && op != last; op = op->next)
        if (op->n_results > 0 && val_of(g, &op->results[0])->how == HOW_STMT && !ch__cg_is_called(op)) return false;
    return true;
}

typedef struct {
    const cg_chain *c;
    bool any;
} out_search;

static void see_out(cg *g, void *arg, const ch__value *leaf, bool same) {
    out_search *s = arg;
    (void)g, (void)same;
    for (int64_t i = 0; i < s->c->outs.n; i++) s->any = s->any || leaf == &s->c->outs.data[i].op->results[0];
}

// Does somebody read one of the outs before the last one is there?
static bool outs_are_read(cg *g, const cg_chain *c, chain_touch *touch) {
    out_search s = {.c = c};
    const ch__op *last = c->outs.data[c->outs.n - 1].op;
    for (const ch__op *op = c->outs.data[0].op->next; op; op = op->next) {
        const val *x = op->n_results > 0 ? val_of(g, &op->results[0]) : NULL;
        if (x && x->how != HOW_DEAD && x->how != HOW_VIEW && x->how != HOW_INLINE) touch(g, op, see_out, &s);
        if (op == last) break;
    }
    return s.any;
}

// Is it worth a loop of blocks: more rows than one, as far as is known?
static bool has_many_rows(const group *gr) {
    ch__dim d = gr->type->dims[gr->outer - 1];
    return !ch__dim_is_const(d) || d.val > CHAIN_ROWS;
}

static bool gives_rows(const cg_chain *c, const ch__value *v) {
    for (int64_t i = 0; i < c->outs.n; i++)
        if (c->outs.data[i].rows == v) return true;
    return false;
}

bool ch__cg_chain_gives(const group *gr, const ch__value *v) { return gives_rows(gr->chain, v); }

static bool gives_only(cg *g, const group *gr, const cg_chain *c) {
    for (int64_t i = 0; i < gr->members.n; i++) {
        const ch__op *op = gr->members.data[i];
        const val *x = val_of(g, &op->results[0]);
        if (op->n_results != 1 || x->carries) return false;
        if (!gives_rows(c, &op->results[0]) && (x->need_store || ch__cg_row_is_sum(x))) return false;
    }
    const ch__op *last = c->outs.data[c->outs.n - 1].op;
    return !gr->kept && (gr->cells_read == 0 || gr->cells_read > val_of(g, &last->results[0])->pos);
}

static bool outs_fit(cg *g, const group *gr, cg_chain *c, chain_touch *touch) {
    const ch__op *last = c->outs.data[c->outs.n - 1].op;
    c->batches = gr->outer - 1;
    for (int64_t i = 0; i < c->outs.n; i++) {
        const cg_out *o = &c->outs.data[i];
        if (o->op->parent != last->parent) return false;
        if (o->sums) c->batches = ch__cg_dot_batches(o->op);
    }
    if (c->n_sums == 0) return c->outs.n == 1;
    for (int64_t i = 0; i < c->outs.n; i++)
        if (ch__cg_dot_batches(c->outs.data[i].op) != c->batches) return false;
    return c->batches < gr->outer && !outs_are_read(g, c, touch);
}

static bool ins_fit(cg *g, const group *gr, cg_chain *c) {
    const ch__op *last = c->outs.data[c->outs.n - 1].op;
    product_search s = {.gr = gr};
    for (int64_t i = 0; i < gr->members.n; i++) ch__cg_row_leaves(g, gr->members.data[i], see_product, &s);
    for (int64_t i = 0; i < s.found.n; i++) {
        ch__op *op = s.found.data[i];
        if (op->parent != last->parent || !ch__cg_dot_has_rows(g, op) || !ch__cg_dot_rows_end_at(g, op, gr->outer) ||
            !only_products_between(g, op, last) || (c->n_sums > 0 && ch__cg_dot_batches(op) != c->batches))
            return false;
        CH_PUSH(g->a, &c->ins, (cg_block){.v = &op->results[0], .op = op});
    }
    return !s.wrong && s.found.n > 0;
}

static void plan_chain(cg *g, group *gr, chain_touch *touch) {
    cg_chain *c = gr->maybe;
    if (!has_many_rows(gr) || !gives_only(g, gr, c) || !outs_fit(g, gr, c, touch) || !ins_fit(g, gr, c)) return;
    gr->chain = c;
    for (int64_t i = 0; i < c->outs.n; i++) {
        bool known = false;
        for (int64_t k = 0; k < c->rows.n; k++) known = known || c->rows.data[k].v == c->outs.data[i].rows;
        if (!known) CH_PUSH(g->a, &c->rows, (cg_block){.v = c->outs.data[i].rows});
    }
    ch__cg_find_seen(g, gr);
    ch__op *last = c->outs.data[c->outs.n - 1].op;
    int32_t until = val_of(g, &last->results[0])->pos; // what they read stays until the last one is computed
    for (int64_t i = 0; i < c->ins.n; i++) {
        val_of(g, c->ins.data[i].v)->delayed = true;
        touch(g, c->ins.data[i].op, see_needed, &until);
    }
    for (int64_t i = 0; i < gr->members.n; i++) touch(g, gr->members.data[i], see_needed, &until);
    for (int64_t i = 0; i + 1 < c->outs.n; i++) {
        val_of(g, &c->outs.data[i].op->results[0])->delayed = true;
        touch(g, c->outs.data[i].op, see_needed, &until);
    }
    val_of(g, &last->results[0])->chained = gr;
}

void ch__cg_plan_chains(cg *g, const ch__region *r, chain_touch *touch) {
    for (ch__op *op = r->first; op; op = op->next)
        if (op->n_results == 1 && op->code == CH_OP_dot && ch__cg_is_called(op) &&
            val_of(g, &op->results[0])->how == HOW_STMT)
            find_outs(g, op);
    find_readers(g, r, touch);
    for (ch__op *op = r->first; op; op = op->next) {
        group *gr = op->n_results == 1 && val_of(g, &op->results[0])->how == HOW_MEMBER
                        ? val_of(g, &op->results[0])->group
                        : NULL;
        if (gr && gr->maybe && gr->members.data[0] == op) plan_chain(g, gr, touch);
    }
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

static void put_units(cg *g, const group *gr) {
    const cg_chain *c = gr->chain;
    ch__text units;
    ch__text_init(&units, g->a);
    ch__put(&units, c->n_sums == 0 ? c->blocks : "1");
    for (int i = 0; i < c->batches; i++)
        if (!ch__dim_is_const(gr->type->dims[i]) || gr->type->dims[i].val != 1)
            ch__putf(&units, " * %s", ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[i], false), CX_MUL));
    ch__cg_line(g, "const int64_t %s = (%s + %d) / %d;", c->blocks,
                ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[gr->outer - 1], false), CX_ADD), CHAIN_ROWS - 1,
                CHAIN_ROWS);
    ch__cg_line(g, "const int64_t %s = %s;", c->units, units.data);
    ch__cg_line(g, "int %s_ = 0, *const %s = &%s_;", c->failed, c->failed, c->failed);
}

void ch__cg_chain_begin(cg *g, group *gr) {
    cg_chain *c = gr->chain;
    if (c->mask) name_spans(g, c);
    for (int64_t i = 0; i < c->ins.n; i++)
        c->ins.data[i].room = block_room(g, gr, c->ins.data[i].v, CHAIN_ROWS, "scores");
    for (int64_t i = 0; i < c->rows.n; i++)
        c->rows.data[i].room = block_room(g, gr, c->rows.data[i].v, CHAIN_ROWS, "weights");
    for (int64_t i = 0; i < c->outs.n; i++) c->outs.data[i].result = ch__cg_result_store(g, c->outs.data[i].op, 0);
    c->blocks = ch__cg_name(g, "blocks");
    c->units = ch__cg_name(g, "units");
    c->failed = ch__cg_name(g, "failed");
    ch__cg_variable(g, c->blocks, "int64_t ");
    ch__cg_variable(g, c->units, "int64_t ");
    ch__cg_variable(g, c->failed, "int *");
    put_units(g, gr);
    for (int64_t i = 0; i < c->ins.n; i++)
        val_of(g, c->ins.data[i].v)->st = row_store(g, c->ins.data[i].v, ch__cg_scoped(g, "scores_of"), gr);
    for (int64_t i = 0; i < c->rows.n; i++)
        val_of(g, c->rows.data[i].v)->st = row_store(g, c->rows.data[i].v, ch__cg_scoped(g, "weights_of"), gr);
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
    const cg_chain *c = gr->chain;
    ch__dim n = ch__dim_const(4 * gr->members.n + 64);
    if (c->n_sums == 0) n = ch__dim_mul(g->a, n, ch__dim_const(CHAIN_ROWS));
    for (int i = c->n_sums == 0 ? gr->outer : c->batches; i < gr->whole->rank; i++)
        n = ch__dim_mul(g->a, n, gr->whole->dims[i]);
    return ch__arena_printf(g->a, "-%s", ch__cg_dim_text(g, n, CX_UNARY)); // share.c: parts add nothing up
}

void ch__cg_chain_written(cg *g, const group *gr, cg_nest *nest) {
    const cg_chain *c = gr->chain;
    CH_PUSH(g->a, &nest->written, c->failed);
    for (int64_t i = 0; i < c->ins.n; i++) CH_PUSH(g->a, &nest->written, c->ins.data[i].room);
    for (int64_t i = 0; i < c->rows.n; i++) CH_PUSH(g->a, &nest->written, c->rows.data[i].room);
    for (int64_t i = 0; i < c->outs.n; i++) CH_PUSH(g->a, &nest->written, c->outs.data[i].result->name);
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
static void put_block_dot(cg *g, const cg_chain *c, const char *call) {
    if (g->file->native->out->timed) ch__cg_line(g, "chaac_call = -1;"); // it is part of this kernel's time
    ch__cg_line(g, "if (%s != 0) __atomic_store_n(%s, 1, __ATOMIC_RELAXED);", call, c->failed);
}

// ---------------------------------------------------------------- what is seen of rows
static const char *wide_copy(cg *g, const ch__op *op, ch__text *before, ch__text *after) {
    if (!ch__cg_is_half(op->results[0].type->dtype)) return NULL;
    const char *name = ch__cg_scoped(g, "wide");
    ch__putf(before, "    float *%s = 0;\n", name);
    ch__putf(after, "    chaac_drop(%s);\n", name);
    return name;
}

void ch__cg_chain_around(cg *g, const group *gr, ch__text *before, ch__text *after) {
    cg_chain *c = gr->chain;
    if (c->mask && c->n_sums == 0) ch__putf(before, "    int64_t %s = -1;\n    int %s = 0;\n", c->fine_of, c->fine);
    for (int64_t i = 0; i < c->ins.n; i++) c->ins.data[i].wide = wide_copy(g, c->ins.data[i].op, before, after);
    for (int64_t i = 0; i < c->outs.n; i++) c->outs.data[i].wide = wide_copy(g, c->outs.data[i].op, before, after);
    if (before->n == 0 || !strstr(before->data, "float *") || c->n_sums > 0) return;
    c->wide_of = ch__cg_scoped(g, "wide_of");
    ch__putf(before, "    int64_t %s = -1;\n", c->wide_of);
}

static void put_widened(cg *g, const cg_chain *c, const ch__dim *at) {
    for (int64_t i = 0; i < c->ins.n; i++)
        if (c->ins.data[i].wide) put_block_dot(g, c, ch__cg_dot_widen(g, c->ins.data[i].op, at, c->ins.data[i].wide));
    for (int64_t i = 0; i < c->outs.n; i++)
        if (c->outs.data[i].wide && !c->outs.data[i].sums)
            put_block_dot(g, c, ch__cg_dot_widen(g, c->outs.data[i].op, at, c->outs.data[i].wide));
}

// Once for the blocks of a matrix that a part has.
static void put_widened_once(cg *g, const cg_chain *c, const ch__dim *at, const char *unit) {
    if (!c->wide_of) return;
    ch__cg_open(g, "if (%s != %s / %s)", c->wide_of, unit, c->blocks);
    put_widened(g, c, at);
    ch__cg_line(g, "%s = %s / %s;", c->wide_of, unit, c->blocks);
    ch__cg_close(g);
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

// Are the last product's values finite, of this matrix? Looked at once for the blocks of it that a part has.
static void put_fine(cg *g, const group *gr, const ch__dim *at, const char *unit, const char *n) {
    const cg_chain *c = gr->chain;
    const char *matrix = ch__cg_scoped(g, "matrix");
    g->file->math = true;
    ch__cg_line(g, "const int64_t %s = %s / %s;", matrix, unit, c->blocks);
    ch__cg_open(g, "if (%s > 0 || %s < %s)", c->block_lo, c->block_hi, n);
    ch__cg_line(g, "if (%s != %s) %s = %s < INFINITY;", c->fine_of, matrix, c->fine,
                ch__cg_dot_largest(g, c->outs.data[0].op, 1, at));
    ch__cg_line(g, "%s = %s;", c->fine_of, matrix);
    ch__cg_line(g, "%s = %s ? %s : 0;", c->block_lo, c->fine, c->block_lo);
    ch__cg_line(g, "%s = %s ? %s : %s;", c->block_hi, c->fine, c->block_hi, n);
    ch__cg_close(g);
}

// Is all finite that masked zeros are multiplied with, and do products that they are multiplied with stay finite?
static void put_all_fine(cg *g, const group *gr, const ch__dim *at) {
    const cg_chain *c = gr->chain;
    ch__text all;
    ch__text_init(&all, g->a);
    g->file->math = true;
    for (int64_t i = 0; i < c->outs.n; i++)
        ch__putf(&all, "%s%s < INFINITY", i > 0 ? " && " : "",
                 ch__cg_dot_largest(g, c->outs.data[i].op, 1 - c->outs.data[i].side, at));
    for (int64_t i = 0; i < c->ins.n; i++) {
        const ch__op *op = c->ins.data[i].op;
        if (!c->ins.data[i].bounded) continue;
        ch_dtype d = op->results[0].type->dtype;
        const char *most = d == CH_F16 ? "3e4" : d == CH_F64 ? "1e307" : "1e38";
        ch__putf(&all, " && %s * %s * %s < %s", ch__cg_dot_largest(g, op, 0, at), ch__cg_dot_largest(g, op, 1, at),
                 ch__cg_dim_text(g, ch__cg_dot_length(g, op), CX_MUL), most);
    }
    ch__cg_line(g, "const int %s = %s;", c->fine, all.data);
}

// What the rows of a block have together; everything when what they are multiplied with is not finite.
static void put_block_span(cg *g, const group *gr, ch__dim *at, const char *unit) {
    cg_chain *c = gr->chain;
    const char *n = all_columns_text(g, gr), *line = ch__cg_scoped(g, "line");
    ch__cg_line(g, "int64_t %s = %s, %s = 0;", c->block_lo, n, c->block_hi);
    ch__cg_open(g, "for (int64_t %s = %s; %s < %s + %s; %s++)", line, c->first_row, line, c->first_row, c->count, line);
    const char *lo = ch__cg_scoped(g, "lo"), *hi = ch__cg_scoped(g, "hi");
    put_span(g, gr, at, line, lo, hi, NULL);
    ch__cg_line(g, "%s = %s < %s ? %s : %s;", c->block_lo, lo, c->block_lo, lo, c->block_lo);
    ch__cg_line(g, "%s = %s > %s ? %s : %s;", c->block_hi, hi, c->block_hi, hi, c->block_hi);
    ch__cg_close(g);
    if (c->n_sums == 0) {
        put_fine(g, gr, at, unit, n);
        return;
    }
    ch__cg_line(g, "%s = %s ? %s : 0;", c->block_lo, c->fine, c->block_lo);
    ch__cg_line(g, "%s = %s ? %s : %s;", c->block_hi, c->fine, c->block_hi, n);
}

// A row's weights beside its span.
static void put_unseen(cg *g, const group *gr) {
    const cg_chain *c = gr->chain;
    for (int64_t i = 0; i < c->rows.n; i++) {
        const char *weights = val_of(g, c->rows.data[i].v)->st->name;
        ch__cg_line(g, "__builtin_memset(%s - (%s - %s), 0, (size_t)(%s - %s) * sizeof *%s);", weights, c->lo,
                    c->block_lo, c->lo, c->block_lo, weights);
        ch__cg_line(g, "__builtin_memset(%s + (%s - %s), 0, (size_t)(%s - %s) * sizeof *%s);", weights, c->hi, c->lo,
                    c->block_hi, c->hi, weights);
    }
}

// The axes that are shared out, of a unit.
static void put_axes(cg *g, const group *gr, const char *rest, ch__dim *at) {
    for (int i = gr->chain->batches - 1; i >= 0; i--) {
        at[i] = ch__dim_const(0);
        if (ch__dim_is_const(gr->type->dims[i]) && gr->type->dims[i].val == 1) continue;
        const char *index = ch__cg_scoped(g, "at"),
                   *size = ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[i], false), CX_UNARY);
        ch__cg_line(g, "const int64_t %s = %s %% %s;", index, rest, size);
        ch__cg_line(g, "%s = %s / %s;", rest, rest, size);
        at[i] = block_name(g, index);
    }
}

// Where the matrix at these axes lies in a result of sums over rows; how many numbers it has.
static ch__dim matrix_of_sums(cg *g, const cg_chain *c, const cg_out *o, const ch__dim *at, ch__dim *out_n) {
    const ch__type *t = o->op->results[0].type;
    ch__dim from = ch__dim_const(0);
    *out_n = ch__dim_const(1);
    for (int k = 0; k < t->rank; k++) {
        ch__dim size = ch__cg_size(g, t->dims[k], true);
        from = ch__dim_mul(g->a, from, size);
        if (k < c->batches)
            from = ch__dim_add(g->a, from, at[k]);
        else
            *out_n = ch__dim_mul(g->a, *out_n, size);
    }
    return from;
}

// Of sums over rows: the loops over what a unit has, from zeros on.
static void open_sums(cg *g, group *gr, ch__dim *at) {
    cg_chain *c = gr->chain;
    put_widened(g, c, at);
    for (int64_t i = 0; i < c->outs.n; i++) {
        const cg_out *o = &c->outs.data[i];
        if (!o->sums) continue;
        ch__dim n, from = matrix_of_sums(g, c, o, at, &n);
        const char *many = ch__cg_dim_text(g, n, CX_COND);
        if (o->wide)
            put_block_dot(g, c,
                          ch__arena_printf(g->a, "chaac_widen(%d, 1, 0, %s, 0, 0, &%s)",
                                           (int)o->op->results[0].type->dtype, many, o->wide));
        else
            ch__cg_line(g, "__builtin_memset(%s + %s, 0, (size_t)(%s) * sizeof *%s);", o->result->name,
                        ch__cg_dim_text(g, from, CX_ADD), many, o->result->name);
    }
    if (c->mask) put_all_fine(g, gr, at);
    c->loops = 0;
    for (int i = c->batches; i + 1 < gr->outer; i++) {
        at[i] = ch__dim_const(0);
        if (ch__dim_is_const(gr->type->dims[i]) && gr->type->dims[i].val == 1) continue;
        at[i] = ch__cg_for(g, gr->type->dims[i]);
        c->loops++;
    }
    ch__cg_open(g, "for (int64_t %s = 0; %s < %s; %s += %d)", c->first_row, c->first_row,
                ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[gr->outer - 1], false), CX_REL), c->first_row,
                CHAIN_ROWS);
}

// The products whose rows the group reads.
static void put_ins(cg *g, const group *gr, const ch__dim *at) {
    const cg_chain *c = gr->chain;
    for (int64_t i = 0; i < c->ins.n; i++) {
        cg_dot_rows rows = {.at = at,
                            .rows = c->count,
                            .out = block_place(g, c->ins.data[i].room, gr, CHAIN_ROWS, NULL, false),
                            .wide = c->ins.data[i].wide};
        set_columns(g, gr, &rows);
        put_block_dot(g, c, ch__cg_dot_rows(g, c->ins.data[i].op, &rows));
    }
}

static void open_rows(cg *g, group *gr, ch__dim *at) {
    cg_chain *c = gr->chain;
    (void)ch__cg_for(g, block_name(g, c->count));
    const char *i = g->loop_names[g->depth - 1], *row = ch__cg_scoped(g, "line");
    ch__cg_line(g, "const int64_t %s = %s + %s;", row, c->first_row, i);
    if (c->mask) {
        put_span(g, gr, at, row, c->lo, c->hi, c->some);
        if (c->exact)
            val_of(g, c->mask)->elem =
                ch__cx(c->when ? c->some : ch__arena_printf(g->a, "!%s", c->some), c->when ? CX_PRIM : CX_UNARY);
        else
            ch__cg_line(g, "(void)%s;", c->some);
        if (c->n_sums > 0) {
            ch__cg_line(g, "%s = %s ? %s : 0;", c->lo, c->fine, c->lo);
            ch__cg_line(g, "%s = %s ? %s : %s;", c->hi, c->fine, c->hi, all_columns_text(g, gr));
        }
    }
    for (int64_t k = 0; k < c->ins.n; k++)
        ch__cg_line(g, "const %s *const %s = %s;", ch__cg_ctype(c->ins.data[k].v->type->dtype),
                    val_of(g, c->ins.data[k].v)->st->name,
                    block_place(g, c->ins.data[k].room, gr, CHAIN_ROWS, i, true));
    for (int64_t k = 0; k < c->rows.n; k++)
        ch__cg_line(g, "%s *const %s = %s;", ch__cg_ctype(c->rows.data[k].v->type->dtype),
                    val_of(g, c->rows.data[k].v)->st->name,
                    block_place(g, c->rows.data[k].room, gr, CHAIN_ROWS, i, true));
    at[gr->outer - 1] = block_name(g, row);
}

void ch__cg_chain_open(cg *g, group *gr, ch__dim *at) {
    cg_chain *c = gr->chain;
    const char *rest = ch__cg_scoped(g, "rest");
    (void)ch__cg_for(g, block_name(g, c->units));
    const char *unit = g->loop_names[g->depth - 1];
    c->first_row = ch__cg_scoped(g, "first");
    c->count = ch__cg_scoped(g, "rows");
    if (c->n_sums == 0) {
        ch__cg_line(g, "int64_t %s = %s / %s;", rest, unit, c->blocks);
        ch__cg_line(g, "const int64_t %s = %s %% %s * %d;", c->first_row, unit, c->blocks, CHAIN_ROWS);
    } else {
        ch__cg_line(g, "int64_t %s = %s;", rest, unit);
    }
    put_axes(g, gr, rest, at);
    if (c->n_sums > 0)
        open_sums(g, gr, at);
    else
        put_widened_once(g, c, at, unit);
    const char *all = ch__cg_dim_text(g, ch__cg_size(g, gr->type->dims[gr->outer - 1], false), CX_ADD);
    ch__cg_line(g, "const int64_t %s = %s - %s < %d ? %s - %s : %d;", c->count, all, c->first_row, CHAIN_ROWS, all,
                c->first_row, CHAIN_ROWS);
    at[gr->outer - 1] = block_name(g, c->first_row);
    if (c->mask) put_block_span(g, gr, at, unit);
    at[gr->outer - 1] = block_name(g, c->first_row);
    put_ins(g, gr, at);
    memcpy(c->at, at, sizeof c->at);
    open_rows(g, gr, at);
}

// The product of a block's rows.
static void put_product(cg *g, const group *gr, const cg_out *o) {
    const cg_chain *c = gr->chain;
    const char *room = NULL;
    for (int64_t k = 0; k < c->rows.n; k++)
        if (c->rows.data[k].v == o->rows) room = c->rows.data[k].room;
    cg_dot_rows rows = {.at = c->at,
                        .rows = c->count,
                        .lhs = block_place(g, room, gr, CHAIN_ROWS, NULL, false),
                        .result = o->sums && o->wide ? o->wide : o->result->name,
                        .wide = o->sums ? NULL : o->wide};
    set_columns(g, gr, &rows);
    put_block_dot(g, c, o->sums ? ch__cg_dot_sums(g, o->op, o->side, &rows) : ch__cg_dot_rows(g, o->op, &rows));
}

void ch__cg_chain_close(cg *g, group *gr) {
    cg_chain *c = gr->chain;
    if (c->mask) {
        put_unseen(g, gr);
        val_of(g, c->mask)->elem.s = NULL;
    }
    ch__cg_for_end(g, 1);
    for (int64_t i = 0; i < c->outs.n; i++) put_product(g, gr, &c->outs.data[i]);
    if (c->n_sums > 0) {
        ch__cg_close(g);
        ch__cg_for_end(g, c->loops);
    }
    for (int64_t i = 0; i < c->outs.n; i++) {
        const cg_out *o = &c->outs.data[i];
        if (!o->sums || !o->wide) continue;
        ch__dim n, from = matrix_of_sums(g, c, o, c->at, &n);
        ch__cg_line(g, "chaac_narrow(%d, %s, %s, %s + %s);", (int)o->op->results[0].type->dtype,
                    ch__cg_dim_text(g, n, CX_COND), o->wide, o->result->name, ch__cg_dim_text(g, from, CX_ADD));
    }
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
        if ((i + 1) % CHAIN_ROWS != 0 && i + 1 < rows.val) continue;
        c->computed += (i % CHAIN_ROWS + 1) * (highest - lowest);
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
    CH_VEC(const ch__op *) all = {0};
    for (int64_t i = 0; i < c->ins.n; i++) CH_PUSH(g->a, &all, c->ins.data[i].op);
    for (int64_t i = 0; i < gr->members.n; i++) CH_PUSH(g->a, &all, gr->members.data[i]);
    for (int64_t i = 0; i < c->outs.n; i++) {
        ch__cg_hold(g, &c->outs.data[i].op->results[0], c->outs.data[i].result);
        CH_PUSH(g->a, &all, c->outs.data[i].op);
    }
    ch__cg_note(g, CG_KERNEL, gr->whole, all.n, all.data,
                ch__arena_printf(g->a, ", by %d rows%s", CHAIN_ROWS, seen_note(g, c)));
}
