// SPDX-License-Identifier: Apache-2.0
// native.h - what the files of the native engine's printing share, beside emit.h. Private to src/cgen.
#ifndef CHAAC_CGEN_NATIVE_H
#define CHAAC_CGEN_NATIVE_H

#include "cgen/emit.h"

// A loop nest that was printed as one function of the file.
typedef struct cg_part {
    const char *limit, *work, *args; // args: of its struct, "" when it has none
    int number;
    int64_t n_captured, n_written;
    const char *const *captured, *const *written; // names
    const char *own_part;                         // of cg_nest
} cg_part;

struct cg_native {
    ch__text kernels;     // structs and functions, before the function that calls them
    ch__strmap kernel_of; // text of a kernel without its number -> 1 + the number
    ch__map pieces;       // funcs that straight.c made
    ch__map columns;      // columns.c: reductions whose result comes back
    int n_kernels;
    ch__strmap part_counts; // variables that say in how many parts a sum was taken
    int summing;            // the kernel whose sums kernels behind it add up, until what it is has been noted; -1: none
    ch__text bytes;         // the body of the function that says how large arrays are
    CH_VEC(const store *) arrays;
    ch__c_native *out;
    ch__arena *out_arena;
    const char *arena, *at; // names of parameters
    ch__map calls;          // op -> what its call took over
    ch__text notes;         // in out_arena
    ch__map nest_of;        // reasons.c: op -> the nest or call it is in
    int n_nests;
    ch__text costs; // costs.c: the body of the function that gives them
    // The call of kernels that was printed last, and between which places of the text; -1: none.
    CH_VEC(cg_part) last;
    const ch__text *last_text;
    int64_t last_begin, last_end;
    bool joined;             // the nest outlined last went into the call before
    const ch__value *copied; // by what is noted now, when it is a copy
};

enum { CG_SUM_PARTS = 16 }; // parts that a kernel with sums over its outermost loop has at most

// ---------------------------------------------------------------- outline.c
typedef struct cg_nest {
    int64_t from, mark;           // where its text begins; the names scoped before it
    const char *work;             // operations of one turn of the outermost loop, as C text
    CH_VEC(const char *) written; // arrays
    const char *before, *after;   // lines around the loop in each part, or NULL
    const char *parts;            // NULL, or the variable that says how many parts there were
    const char *own_part;         // NULL, or an array of which no other nest with it writes the same elements
} cg_nest;
// The nest printed since n->from becomes a function that the pool shares out, with the one before where they do not
// depend on each other. false: it cannot; the text stays.
bool ch__cg_outline(cg *g, const cg_nest *n);

// ---------------------------------------------------------------- reasons.c: why what was just printed stands alone
void ch__cg_reasons(cg *g, int what, const ch__type *t, int64_t n, const ch__op *const *ops);

// ---------------------------------------------------------------- chunks.c
void ch__cg_chunks(cg *g, ch__text *body, ch__text *functions); // parts of the body become functions
// Loops between the calls become functions. false: one cannot, and all stay.
bool ch__cg_between(cg *g, ch__text *body, ch__text *functions);

// ---------------------------------------------------------------- costs.c: of what was just printed; when it is timed
void ch__cg_costs(cg *g, bool library, int64_t n, const ch__op *const *ops, const char *label);

// ---------------------------------------------------------------- stages.c
// Loops of the text with several slow functions as loops with one each, over blocks; text itself when there are none.
const char *ch__cg_stages(cg *g, const char *text);
const char *ch__cg_turns(cg *g, const char *text); // innermost loops of e^x or tanh are marked with CHAAC_TURNS
bool ch__cg_turns_are_told(const char *text);      // is each slow function in a loop that is marked so?
bool ch__cg_is_slow(const ch__op *op);             // takes a vector a dozen operations and more
bool ch__cg_has_slow(const char *text);            // some call of one

// ---------------------------------------------------------------- sums.c: floats that are gathered in f64
cx ch__cg_wide(cg *g, const accum *fo, const ch__op *op, cx element); // what op adds, marked where the order is free
const char *ch__cg_sums(cg *g, const char *text);                     // loops with such sums, written anew
// A loop over rows whose sums go along it; rest: what stands behind its limit. NULL: it is of another form.
const char *ch__cg_sum_rows(cg *g, const char *counter, const char *lo, const char *hi, const char *rest);

// ---------------------------------------------------------------- middle.c: reductions that keep the last axis
bool ch__cg_is_middle(const cg *g, const group *gr);
// Opens loops over the group's axes, the last one in blocks; result: of the first member, at the axes. How many loops.
int ch__cg_middle_open(cg *g, const group *gr, ch__dim *at, cx *result);
void ch__cg_middle_close(cg *g, int n);

// ---------------------------------------------------------------- ahead.c
void ch__cg_ahead(cg *g, const group *gr, const ch__dim *at, int pass); // before a pass over the row at these axes

// ---------------------------------------------------------------- waiting.c: sums over rows that gather in f32 first
bool ch__cg_waits(cg *g, const group *gr, const ch__op *op, const accum *fo);
int ch__cg_wait_from(cg *g, const group *gr);       // the first axis of what waits
const char *ch__cg_wait_open(cg *g, const char *n); // n places; their name
void ch__cg_wait_add(cg *g, const accum *fo, const char *place, cx element);
void ch__cg_wait_row(cg *g, const char *rows, int n_sums, const char *const *own, const char *const *some,
                     const char *const *places); // behind each row; rows: how many wait
void ch__cg_wait_end(cg *g, const char *own, const char *some, const char *places);

// ---------------------------------------------------------------- quotient.c
// In the loops printed since from, divisions by the named f32 numbers, which do not change there, become products with
// their reciprocals.
void ch__cg_quotients(cg *g, int64_t from, int64_t n, const char *const *names);

// ---------------------------------------------------------------- loads.c
// In the innermost loop's body printed since from, of these members: what is read behind a question is read before it.
void ch__cg_loads(cg *g, const ch__type *whole, const ch__dim *at, int64_t from, int64_t n, const ch__op *const *ops);

// ---------------------------------------------------------------- masked.c
bool ch__cg_is_masked(const char *text); // has it a loop that gcc makes wrong vectors of?

// ---------------------------------------------------------------- over.c: written over what nobody reads any more
typedef struct cg_over_reader {
    const group *gr; // NULL: no member of one
    int32_t pos;
} cg_over_reader;
void ch__cg_over_reader(cg *g, void *arg, const ch__value *leaf, bool same); // touch_fn, of all readers in order
bool ch__cg_row_over_param(cg *g, const ch__value *v, const ch__value *p);   // may v's rows replace those of p?
store *ch__cg_row_takes(cg *g, const group *gr, int64_t i);                  // for member i; NULL: there is none

// ---------------------------------------------------------------- native_dot.c: products by rows
ch__dim ch__cg_dot_flops(const cg *g, const ch__op *op); // of one that is called
bool ch__cg_dot_has_rows(const cg *g, const ch__op *op);
bool ch__cg_dot_rows_end_at(const cg *g, const ch__op *op, int n);
bool ch__cg_dot_takes_rows(const cg *g, const ch__op *op, int n);
typedef struct cg_dot_rows {
    const ch__dim *at;     // one an axis of the result up to its rows', whose is that of the first
    const char *rows;      // how many
    const char *lhs, *out; // rows of these one after another; NULL: where the operand and the result lie
    const char *result;    // the name of the whole result, when out is NULL; of a half's sums, of one batch in f32
    const char *wide;      // of halves: the right operand of this batch, widened; NULL: of others
    const ch__dim *lo, *n; // of those columns alone: of the result, or with lhs of that; NULL: all
} cg_dot_rows;
const char *ch__cg_dot_rows(cg *g, const ch__op *op, const cg_dot_rows *r); // the call
// The largest size of a number of an operand, of the batch at these axes; infinite when one is not finite.
const char *ch__cg_dot_largest(cg *g, const ch__op *op, int side, const ch__dim *at);
// Products that sum over the rows of operand `side`: result += this block's. at: all axes before the columns'.
bool ch__cg_dot_sums_rows(const cg *g, const ch__op *op, int side, int n);
const char *ch__cg_dot_sums(cg *g, const ch__op *op, int side, const cg_dot_rows *r);
int ch__cg_dot_batches(const ch__op *op);
ch__dim ch__cg_dot_length(cg *g, const ch__op *op); // terms of each sum
// Of halves: the call that widens the right operand of the batch at these axes into the named pointer.
const char *ch__cg_dot_widen(cg *g, const ch__op *op, const ch__dim *at, const char *wide);

// ---------------------------------------------------------------- native_window.c: windows that overlap, by rows
bool ch__cg_window_maximum(cg *g, const ch__op *op);  // false: of another form
bool ch__cg_window_gradient(cg *g, const ch__op *op); // the same

// ---------------------------------------------------------------- columns.c: reductions that come back
void ch__cg_find_columns(cg *g, const ch__region *r);
bool ch__cg_comes_back(const cg *g, const ch__op *op);  // a reduction whose result all places of its axes read
group *ch__cg_column_begin(cg *g, ch__op *op);          // ... begins a group
bool ch__cg_column_join(cg *g, group *now, ch__op *op); // false: op cannot become a member
void ch__cg_column_group(cg *g, group *gr);

// ---------------------------------------------------------------- rows.c: what a member reads
enum { PART_NONE, PART_ROW, PART_FOLD, PART_CELL, PART_SUM }; // what a member is (val.part)
// map: which axis of the group each axis of the leaf is.
typedef void cg_row_fn(cg *g, void *arg, const ch__value *leaf, const int *map);
void ch__cg_row_leaves(cg *g, const ch__op *member, cg_row_fn *fn, void *arg);
bool ch__cg_row_is_sum(const val *x); // over the outer axes too
// remade.c: the row that v is one operation with a number of the row away from; NULL: it is not.
const ch__value *ch__cg_row_source(cg *g, const group *gr, const ch__value *v);
void ch__cg_row_axes(const ch__op *op, int j, const int *map, int *to);

// ---------------------------------------------------------------- joined.c
// From which axis on one loop over all that follow does for these members of a pass.
int ch__cg_joined_from(cg *g, const group *gr, int64_t n, const ch__op *const *ops);

// ---------------------------------------------------------------- blocks.c
typedef struct cg_block { // so many rows of it lie in memory of the part
    const ch__value *v;
    const char *room;
    ch__op *op;       // the product whose rows the group reads
    const char *wide; // of halves: its right operand in f32; else NULL
    bool bounded;     // it may be left out where it is finite
} cg_block;
typedef struct cg_out { // a product that reads rows of the group: each its own, or it sums over them
    ch__op *op;
    const ch__value *rows;
    int side; // the operand that these are
    bool sums;
    store *result;
    const char *wide; // of halves: its right operand in f32, or its sums; else NULL
} cg_out;
typedef struct cg_chain {
    CH_VEC(cg_block) ins, rows; // products of rows; the group's own rows that products read
    CH_VEC(cg_out) outs;        // in order; all are computed where the last one stands
    int n_sums, batches;        // axes that are shared out, when some sum over the others
    const char *blocks, *units, *failed, *first_row, *count;
    ch__dim at[CH__MAX_RANK];   // of a block's first row
    int loops;                  // over axes between batches and rows
    CH_VEC(const char *) rooms; // for single rows
    // seen.c: other columns than those where the mask is `when` need not be computed; NULL: all need.
    const ch__value *mask;
    bool when, exact;                                 // exact: it is `when` in all of the span
    const char *lo, *hi, *block_lo, *block_hi, *some; // of a row and of a block; is there one in the row
    const char *fine, *fine_of;                       // are operands finite, of which batch is that
    const char *wide_of;                              // of which batch are operands widened; NULL: none are
    int64_t computed, scores_all;                     // scores of a matrix; 0: not known
} cg_chain;
typedef void chain_touch(cg *g, const ch__op *op, touch_fn fn, void *arg); // the operands of an op
void ch__cg_plan_chains(cg *g, const ch__region *r, chain_touch *touch);
void ch__cg_chain_begin(cg *g, group *gr);                                      // before the nest: memory, names
store *ch__cg_chain_row(cg *g, group *gr, const ch__value *v, ch__text *lines); // a row of the part's own
const char *ch__cg_chain_work(cg *g, const group *gr);
void ch__cg_chain_written(cg *g, const group *gr, cg_nest *nest);
void ch__cg_chain_open(cg *g, group *gr, ch__dim *at); // the loops over blocks and rows
void ch__cg_chain_close(cg *g, group *gr);
void ch__cg_chain_end(cg *g, group *gr);                                             // behind the nest
void ch__cg_chain_around(cg *g, const group *gr, ch__text *before, ch__text *after); // the loops of a part
ch__dim ch__cg_chain_columns(cg *g, const group *gr, ch__dim *out_from);             // of a row that are computed

bool ch__cg_chain_gives(const group *gr, const ch__value *v); // to a product of the chain
const ch__dim *ch__cg_chain_skips(cg *g, const group *gr); // elements of a row's own array that are left out, or NULL

// ---------------------------------------------------------------- seen.c
typedef struct cg_span { // of columns
    bool has_lo, has_hi, exact;
    ch__dim lo, hi;
} cg_span;
void ch__cg_find_seen(cg *g, group *gr);                             // sets the mask of its chain
cg_span ch__cg_seen_span(cg *g, const group *gr, const ch__dim *at); // of the row there; at NULL: only what it has

#endif
