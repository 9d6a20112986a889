// SPDX-License-Identifier: Apache-2.0
// emit.h - what the files of the C printer share.
//
// Nothing is text before it has to be. A value is lazy (a view, or an expression that is read once) or has a store: a C
// variable that holds it. Reading element `at` of a lazy value gives a C expression (elem.c); views only change the
// index, so broadcasts, transposes and slices cost nothing. plan.c decides for each value; elementwise and folding ops
// of one shape that follow each other form a group, printed as one loop nest (loops.c). Structured control flow is C's
// (control.c), an array is updated in place when its old version is dead. Private to src/cgen.
#ifndef CHAAC_CGEN_EMIT_H
#define CHAAC_CGEN_EMIT_H

#include <string.h>

#include "cgen/cgen.h"

// ---------------------------------------------------------------- C expressions
// How tightly an expression binds, as C has it.
enum {
    CX_COND = 3,
    CX_OR,
    CX_AND,
    CX_BOR,
    CX_XOR,
    CX_BAND,
    CX_EQ,
    CX_REL,
    CX_SHIFT,
    CX_ADD,
    CX_MUL,
    CX_UNARY,
    CX_PRIM
};
typedef struct cx {
    const char *s;
    int prec;
    bool literal;     // a number as it stands: its C type may be int
    bool narrow;      // an int that stands for 64 bits
    const char *wide; // when it is (int64_t)u and u an int in C: u, and how tightly that binds
    int wide_prec;
    const char *minus; // when it is -u: u, and how tightly that binds
    int minus_prec;
} cx;

// ---------------------------------------------------------------- the file
typedef struct cg_fn cg_fn;
typedef struct piece {
    const char *name, *text;
    const char *needs; // names of pieces, or NULL
    int order;         // 0 types, 1 helpers, 2 tables
    bool wanted;
} piece;
typedef struct cg_native cg_native; // native.c
typedef struct cg_file {
    ch__arena *a;
    const ch_func *root;
    ch__strmap reserved;  // names nothing may take
    ch__strmap have;      // helpers printed
    ch__strmap libm;      // names of libm
    CH_VEC(piece) pieces; // helpers, tables, types of tapes
    ch__text functions, prototypes;
    bool math, boolean, heap;
    bool hidden; // the funcs are static too: something that stands after them calls them
    int n_tables, nest;
    ch__map table_of; // const op -> name
    ch__map fns;      // func -> cg_fn
    CH_VEC(const char *) externs;
    const ch__c_frame *frame; // the caller's text around, or NULL
    cg_native *native;        // what is written for the native engine; NULL: for people
    ch__c_arena *arena;       // memory without malloc; NULL: with
} cg_file;

struct cg_fn {
    ch_func *f;
    const char *name;
    bool started, finished;
    bool fails; // gives int: 0, or why it could not be done: 1 no memory, 2 sizes
    bool needs_memory, needs_sizes;
    bool by_value; // gives its one scalar result
    bool is_static;
    bool recursive;              // called before it was finished
    bool careful;                // it calls itself and can fail
    const ch__c_interface *face; // the prototype it has; NULL: its own
};

// ---------------------------------------------------------------- stores and values
typedef enum { ST_SCALAR, ST_ARRAY, ST_TAPE } st_kind;
typedef struct store {
    const char *name;
    const ch__type *type;
    st_kind kind;
    bool writable;
    bool deref;               // a scalar behind a pointer: *name
    bool late;                // an array whose size is known from some line on only
    bool declared;            // in the list of the func's arrays
    int64_t place_at;         // in the arena of a file without malloc: 1 + where it begins; 0: not there
    int row_from;             // > 0: one row, of the axes from this one on (rows.c)
    const ch__dim *row_lo;    // ... whose first elements, so many, are left out; or NULL
    int32_t owner;            // id of the value it holds now
    int loop;                 // 1 + the depth of the loop whose counter it is
    const ch__c_place *place; // NULL: a variable, or an array of one index
    const char *flat;         // a pointer to its first element, when it has one
} store;

typedef struct {
    store *st;
    int32_t owner; // before
} owner_change;

typedef struct {
    ch__dim dim, symbol;
    const char *name, *text;
} named_size;

typedef struct {
    const ch__text *out;
    int64_t at, body; // where its line begins, and what is inside
    int64_t some;     // sizes known not to be 0 around it
} open_block;

typedef enum { HOW_DEAD, HOW_PARAM, HOW_VIEW, HOW_INLINE, HOW_LOCAL, HOW_MEMBER, HOW_STMT } how;
typedef enum { K_VIEW, K_ELEM, K_MULTI, K_FOLD, K_STMT } op_kind;

typedef struct region_info {
    ch__region *region;
    ch__map outer; // value id + 1 -> outer_use: uses of values of outer regions
} region_info;
typedef struct outer_use {
    int32_t last, count;
} outer_use;

typedef struct group {
    int32_t id;
    const ch__type *type; // its dims are the loops
    CH_VEC(ch__op *) members;
    // rows.c: several passes over the inner axes inside the loops over the first `outer` ones
    bool rows;
    int outer;             // 0: not split yet
    int columns;           // columns.c: so many axes from `outer` on are folded, others stand behind; 0: no such group
    const ch__type *whole; // of what has all axes, or NULL as long as nothing has more than the outer ones
    int passes;
    int weight;   // plan.c: operations for an element, of the native engine
    ch__map read; // ... and the arrays it reads that others wrote
    int n_read;
    struct cg_chain *chain; // blocks.c: it goes by blocks of rows, between products; or NULL
    struct cg_chain *maybe; // ... the products that read its rows, as long as it may; or NULL
    bool kept;              // ... somebody else reads its rows
    int32_t cells_read;     // ... where somebody reads what has one element a row, first; 0: nobody does
} group;

// One value, by id.
typedef struct val {
    store *st, *preset; // where it lies; where it should be put when it is made
    how how;
    uint8_t demand;           // reads of each element: 0, 1, 2 many
    bool need_store;          // somebody wants it in memory
    bool put;                 // into an array's element
    bool index_only;          // a sum or product of integers that only says where elements lie
    bool over;                // written over the inout param it is computed from
    bool outside;             // a member of a group that is read outside of it
    bool inner;               // ... or inside it, after it was computed
    int32_t uses, index_uses; // in all; as an index that is known to be in range
    int32_t pos;              // of the op in its region
    int32_t last, count;      // last effective use in its own region, and how many are there
    int32_t named_last;       // the last op there that has it as an operand
    int32_t frozen; // 1 + where its memory is written over: what reads it later is computed before; 0: nowhere
    const ch__value *replaces; // of a branch's number, which is put where that lies; or NULL
    const ch__value *carries;  // the param of the loop's body that it replaces, element by element; NULL: none
    int16_t size, depth;       // operations and levels of the expression, when lazy
    int8_t slow;               // native: slow functions in it (stages.c)
    group *group;
    uint8_t part;                 // rows.c: what it is in its group,
    int8_t pass;                  // and in, or before, which pass it is computed
    int8_t last_pass;             // the last one that reads it
    bool shared;                  // an earlier row lies in its memory until it is written
    const group *over_group;      // over.c: the group of the last reader, or NULL; native, of the file's func
    int32_t over_at, over_before; // ... where that stands; where the last one of another group does
    bool over_read;               // ... there is one
    bool delayed;                 // blocks.c: a product that is computed with the rows that read it
    bool mixed;                   // ... that others read too
    const group *reader;          // ... the group that reads it
    group *chained;               // ... of the product that is computed with the rows it reads
    bool crosses;                 // a row that is read in a later pass, or at another place of the row
    cx elem;                      // the element, in the loop nest being printed
    ch__dim *starts;              // dynamic_slice: where the block begins, as printed
    CH_VEC(region_info *) inside; // inner regions that use it
} val;

// Where a size of the func's own is known: memory of that size is asked for there, once, whatever loop it is used in.
typedef struct {
    ch__text text; // the lines that ask
    int indent, in_loop;
} late_home;

typedef struct cg {
    ch__strmap types;                 // native: name of a variable -> its C type
    bool checked;                     // native: some index is looked at
    ch__dim loop_lo[64], loop_hi[64]; // native: what counter $d goes through; hi is not reached
    bool loop_known[64];
    cg_file *file;
    cg_fn *fn;
    ch__arena *a;
    ch_func *f;
    val *v;
    ch__text *out;
    int indent;
    ch__strmap names;   // taken in this function
    ch__strmap user;    // what the user's values and the loop counters are called
    ch__strmap symbols; // size symbol -> C name
    CH_VEC(const char *) scoped;
    ch__strmap free_from; // names.c: word -> its first number that may be free
    ch__strmap inner;     // names that some block had
    int depth;            // generated loops around
    const char *loop_names[64];
    CH_VEC(store *) arrays; // scratch memory
    CH_VEC(store *) tapes;
    CH_VEC(store *) rooms;   // of the caller's memory, in the order they lie in it
    CH_VEC(late_home) homes; // a line "@N" of the body stands for the N-th
    ch__strmap home_of;      // size symbol -> 1 + its home
    CH_VEC(named_size) sizes;
    ch__strmap narrow; // names of sizes that are int
    ch__text pointers; // declarations of pointers to first elements
    int64_t last_line; // where the line begins that returns the value
    const char *value; // what it returns, once known
    store **outs;      // of the results
    bool *copied;      // of these, while the func's results are put in their places; else NULL
    ch__map regions;   // region -> region_info
    int32_t n_groups;
    int numbered;
    const ch__loc *last_loc;
    ch__strmap commented; // file:line whose comments stand in the function
    bool backward;        // the reverse sweep has begun
    int in_loop;          // loops of the func around
    const char *watch;    // the token that the loop around looks at, or NULL
    store **place;        // of the results chosen so far
    CH_VEC(owner_change) journal;
    CH_VEC(open_block) blocks;
    CH_VEC(ch__dim) some;                  // sizes known to be 1 or more where printing is
    bool fails, needs_memory, needs_sizes; // can it fail, and for want of what
} cg;

static inline val *val_of(cg *g, const ch__value *v) { return &g->v[v->id]; }
CH_NORETURN void ch__cg_refuse(const ch__op *op, const char *why);

// ---------------------------------------------------------------- names.c
void ch__cg_reserve(cg_file *file); // keywords, libc, libm, helpers
// A name of the file: func, table. g (may be NULL): the function that will use it, whose own names it must not hide.
const char *ch__cg_file_name(cg_file *file, const cg *g, const char *want);
const char *ch__cg_name(cg *g, const char *want);        // of the function; NULL: t1, t2, ...
const char *ch__cg_local_name(cg *g, const char *want);  // of a variable; with a face, of the block that it stands in
const char *ch__cg_top_name(cg *g, const char *want);    // of what is declared at the function's top
const char *ch__cg_hint(cg *g, const ch__value *v);      // a word for a value without a name, or NULL
const char *ch__cg_scoped(cg *g, const char *want);      // of the block, free again at its end
const char *ch__cg_scoped_user(cg *g, const char *want); // the same for a name of the user's
void ch__cg_scope_end(cg *g, int64_t mark);              // drops the scoped names past mark
void ch__cg_function_names(cg *g);                       // what the user's values are called is kept free

// ---------------------------------------------------------------- helpers.c
// The name of a small function that the file then holds: "min" with CH_F32 is min_f32. 0: the name as it stands.
const char *ch__cg_helper(cg_file *file, const char *name, ch_dtype d);
void ch__cg_reserve_helpers(cg_file *file);
void ch__cg_extern(cg_file *file, const char *prototype); // a libm function that C99's headers do not show

// ---------------------------------------------------------------- workspace.c: memory of the caller's
bool ch__cg_has_workspace(const cg *g);
int ch__cg_room(cg *g, store *st);
const char *ch__cg_placed(cg *g, store *st, const char *n, const char *size);
void ch__cg_workspace(cg *g, ch__text *before, ch__text *first);

// ---------------------------------------------------------------- cexpr.c: expressions and literals
cx ch__cx(const char *s, int prec);
const char *ch__cx_at(cg *g, cx e, int prec); // in parentheses when it binds less tightly than prec
cx ch__cx_call(cg *g, const char *fn, int n, const cx *args);
cx ch__cx_call1(cg *g, const char *fn, cx x);
cx ch__cx_call2(cg *g, const char *fn, cx x, cx y);
cx ch__cx_binary(cg *g, const char *op, int prec, cx x, cx y); // left to right
cx ch__cx_minus(cx x);                                         // u, of x that is -u
cx ch__cx_cast(cg *g, const char *type, cx x);
static inline bool ch__cg_is_half(ch_dtype d) { return d == CH_F16 || d == CH_BF16; }
cx ch__cg_literal(cg *g, ch_dtype d, const void *element);
cx ch__cg_literal_f64(cg *g, ch_dtype d, double v);
bool ch__cg_plain_nan(ch_dtype d, const void *element); // not a NaN, or the quiet one that C writes
cx ch__cg_int(cg *g, int64_t v);                        // as int64_t or int
cx ch__cg_convert(cg *g, cx x, ch_dtype from, ch_dtype to);

// ---------------------------------------------------------------- op_expr.c: one elementwise op
cx ch__cg_op_expr(cg *g, const ch__op *op, const cx *operands);

// ---------------------------------------------------------------- bounds.c: what the operations say about numbers
bool ch__cg_known_number(const ch__value *v, ch_dtype d, double *out); // every element of v is it; not NaN
double ch__cg_bound(const ch__value *v); // f32 elements are no larger, or NaN; infinite where nobody knows

// ---------------------------------------------------------------- index.c: sizes and positions
typedef struct ix {
    const ch__dim *at; // one an axis, or NULL: only the position in row-major order is known
    ch__dim linear;
    bool has_linear;
    bool has_full; // of an array of rank 1: the index with its products multiplied out
    ch__dim full;
} ix;
cx ch__cg_dim(cg *g, ch__dim d);
const char *ch__cg_dim_text(cg *g, ch__dim d, int prec);
ch__dim ch__cg_loop_symbol(cg *g, int depth);
ch__dim ch__cg_opaque(cg *g, cx e);                                   // any C expression as a size
ch__dim ch__cg_offset(cg *g, const ix *at, const ch__type *t);        // position in row-major order
const ch__dim *ch__cg_vector(cg *g, const ix *at, const ch__type *t); // one an axis
// An integer scalar as an index; trusted: it is known to be in range, so that sums in it do not wrap.
ch__dim ch__cg_index_dim(cg *g, const ch__value *v, bool trusted);
ch__dim ch__cg_full_index(cg *g, const ch__value *v); // with its products multiplied out; trusted
bool ch__cg_is_moderate(const ch__value *v);          // surely far from the ends of int64_t: a size, a counter, ...
bool ch__cg_stays(const ch__op *op);                  // an i64 sum or difference that surely does not wrap
ch__dim ch__cg_size(cg *g, ch__dim d, bool step);     // d, or its name when it is long; step: as a factor
ch__dim ch__cg_numel(cg *g, const ch__type *t);
// Lines that leave the function with status 2 when an axis of size d has no room for a block of that size: an index
// moved into range would be out of range there. Nothing when it is known to have.
void ch__cg_want_room(cg *g, ch__dim d, ch__dim block);
void ch__cg_guard(cg *g, const ch__op *op);        // the same for what op, computed in loops, needs before them
bool ch__cg_among(const ch__attr *axes, int axis); // axes may be NULL
bool ch__cg_same_dims(const ch__type *x, const ch__type *y);

// ---------------------------------------------------------------- place.c
const char *ch__cg_at(cg *g, const store *st, const ch__type *t, const ix *at); // an element of an array
int ch__cg_place_loops(cg *g, const store *st, ch__dim *position);
const char *ch__cg_flat_name(cg *g, store *st); // a pointer to the first of its elements; NULL: it is not one piece
void ch__cg_put_result(cg *g, const store *st, const char *value); // a scalar result

// ---------------------------------------------------------------- plan.c
op_kind ch__cg_kind(const ch__op *op);
void ch__cg_plan(cg *g); // every region of the func
// The stored values that reading v (lazy or not) reads; same: at the index v is read at.
typedef void (*touch_fn)(cg *g, void *arg, const ch__value *leaf, bool same);
void ch__cg_touch(cg *g, const ch__value *v, bool same, touch_fn fn, void *arg);
bool ch__cg_can_take(cg *g, const ch__value *v, const ch__op *op); // is v dead after op, its store free to write over?
bool ch__cg_dead_after(cg *g, const ch__value *v, const ch__op *op); // op or one before it reads v for the last time
bool ch__cg_flat(cg *g, const ch__value *v);        // one loop over all elements in row-major order does
bool ch__cg_flat_op(cg *g, const ch__op *op);       // the same, for computing op
void ch__cg_preset(cg *g, ch__value *v, store *st); // v should be made in st
bool ch__cg_is_tied(const cg *g, int result);       // to an inout param of the printed function
int ch__cg_in_place(const ch__op *op, int result);  // operand that result takes the memory of, or -1

// ---------------------------------------------------------------- elem.c
cx ch__cg_elem(cg *g, const ch__value *v, const ix *at);
cx ch__cg_elem_op(cg *g, const ch__op *op, const ix *at); // computed, wherever the value lies
cx ch__cg_scalar(cg *g, const ch__value *v);              // a rank-0 value
cx ch__cg_stored(cg *g, const store *st, const ch__type *t, const ix *at);
const ch__dim *ch__cg_indices(cg *g, const ch__op *op, int first);         // of get and set
ix ch__cg_element(cg *g, const ch__op *op, int first);                     // the same, as a position
cx ch__cg_component(cg *g, const ch__op *op, const ch__dim *batch, int k); // of an index vector of gather, scatter
const char *ch__cg_table(cg *g, const ch__op *constant);

// ---------------------------------------------------------------- loops.c
void ch__cg_line(cg *g, const char *fmt, ...) CH_PRINTF(2, 3); // one indented line
void ch__cg_open(cg *g, const char *fmt, ...) CH_PRINTF(2, 3); // line {
void ch__cg_block(cg *g);                                      // {
void ch__cg_close(cg *g);
int64_t ch__cg_mark(cg *g);
ch__dim ch__cg_for(cg *g, ch__dim n);                   // opens a loop over 0..n-1, gives its counter
void ch__cg_for_end(cg *g, int n);                      // closes n loops
int ch__cg_nest(cg *g, const ch__type *t, ch__dim *at); // opens a loop an axis that needs one; gives how many
void ch__cg_group(cg *g, group *gr);
void ch__cg_local(cg *g, const ch__op *op);                           // a scalar op as a statement
bool ch__cg_in_word(char c);                                          // tidy.c: of an identifier or a number
bool ch__cg_is_word(const char *s);                                   // tidy.c: an identifier
store *ch__cg_new_store(cg *g, const ch__value *v, const char *want); // want NULL: the value's name
const char *ch__cg_scratch_call(cg *g, store *st);                    // function.c: scratch(n, sizeof *name)
void ch__cg_home(cg *g, int n, const char *const *symbols);           // memory of these sizes is asked for here
bool ch__cg_take_cleared(cg *g, const store *st); // a new array of zeros: memory is cleared where it is asked for
void ch__cg_put_body(cg *g, ch__text *to, const ch__text *body); // with the homes' lines
bool ch__cg_plain_table(const ch__op *constant);                 // elem.c: not kept as bits
bool ch__cg_update(cg *g, const store *to, const ch__value *v);
void ch__cg_move_tape(cg *g, store *to, store *from);       // tape.c
store *ch__cg_result_store(cg *g, const ch__op *op, int k); // new, or the preset
void ch__cg_copy_into(cg *g, store *st, const ch__value *v);
store *ch__cg_store_in(cg *g, const store *memory, const ch__value *v); // v's own, in another value's memory
void ch__cg_hold(cg *g, const ch__value *v, store *st);                 // v lies in st now
void ch__cg_assign(cg *g, int n, store *const *to, ch__value *const *from);
const char *ch__cg_loc(cg *g, const ch__op *op); // " /* file.c:3 */" or ""
void ch__cg_source(cg *g, const ch__op *op);     // source.c: of a function with a face, lines before what op becomes
void ch__cg_fail(cg *g, const char *condition, int status);
const char *ch__cg_pointer(cg *g, const ch__value *v); // a value that lies in memory

// ---------------------------------------------------------------- fold.c: reduce dot arg_reduce reduce_window conv
cx ch__cg_fold(cg *g, const ch__op *op, const ix *at, const char *want, bool *named);
ch_dtype ch__cg_acc_dtype(const ch__op *op, ch_dtype d);
typedef struct accum { // an accumulator
    ch__kind kind;
    ch_dtype d, acc;
    const char *name, *type;
} accum;
void ch__cg_fold_open(cg *g, accum *fo, ch__kind kind, ch_dtype d, ch_dtype acc, const char *want);
void ch__cg_fold_step(cg *g, const accum *fo, cx element); // element of dtype d
cx ch__cg_fold_load(cg *g, const accum *fo, cx element);
void ch__cg_fold_add(cg *g, const accum *fo, const char *target, cx loaded); // target = target op loaded
cx ch__cg_fold_result(cg *g, const accum *fo, cx state, ch_dtype to);
const char *ch__cg_carrier_type(ch__kind kind, ch_dtype acc);
cx ch__cg_fold_identity(cg *g, const accum *fo);
// The position along windowed axis i, and what has to hold for an element to be there, added to `inside`.
ch__dim ch__cg_window(cg *g, const ch__op *op, int i, ch__dim at, ch__dim k, ch__dim n, ch__text *inside);

// ---------------------------------------------------------------- statements of one op each
void ch__cg_statement(cg *g, const ch__op *op);  // control.c: chooses
void ch__cg_region(cg *g, const ch__region *r);  // control.c: the ops of a region
void ch__cg_cumulative(cg *g, const ch__op *op); // array.c
void ch__cg_concat(cg *g, const ch__op *op);
void ch__cg_apply(cg *g, const accum *fo, const store *st, const char *at, cx e); // st[at] = st[at] (kind) e
void ch__cg_set(cg *g, const ch__op *op);
void ch__cg_update_slice(cg *g, const ch__op *op);
void ch__cg_scatter(cg *g, const ch__op *op);
void ch__cg_select_and_scatter(cg *g, const ch__op *op);
void ch__cg_sort(cg *g, const ch__op *op); // order.c
void ch__cg_top_k(cg *g, const ch__op *op);
void ch__cg_cholesky(cg *g, const ch__op *op); // factor.c
void ch__cg_triangular_solve(cg *g, const ch__op *op);
void ch__cg_push(cg *g, const ch__op *op); // tape.c
void ch__cg_pop(cg *g, const ch__op *op);
void ch__cg_tape_new(cg *g, const ch__op *op);
void ch__cg_starts(cg *g, const ch__op *op); // array.c: dynamic_slice's corner
const char *ch__cg_tape_type(cg *g, ch_dtype d);

// ---------------------------------------------------------------- tidy.c
void ch__cg_tidy(cg *g, ch__text *body);                             // constants that nothing reads go
bool ch__cg_direct_returns(cg *g, ch__text *body);                   // of a function with nothing to free at its end
void ch__cg_name_unread(cg *g, const ch__text *body, ch__text *out); // (void)x; for arrays that are only written
void ch__cg_each_word(const char *s, const char *end, void (*fn)(void *arg, const char *word, size_t n), void *arg);
void ch__cg_count_words(cg *g, const ch__text *t, ch__strmap *out);
void ch__cg_put_pieces(cg_file *file, ch__text *t); // those that are named

// ---------------------------------------------------------------- native.c: for the native engine
void ch__cg_variable(cg *g, const char *name, const char *type);  // is declared: "int64_t ", "double *"
const char *ch__cg_declared_type(cg *g, const store *st);         // "const double *", "float "
void ch__cg_kernel(cg *g, int64_t from, int64_t mark, group *gr); // outline.c: the nest printed since from may be one
// The same for loops over elements of t that write each a place of its own in st.
// own_part: elements that the nests next to it, of the same array, do not write; so they start together. false: it
// stays where it stands, as it does outside of the engine's outermost func.
bool ch__cg_copy_kernel(cg *g, int64_t from, int64_t mark, const ch__value *v, const store *st, bool own_part);
void ch__cg_note_copy(cg *g, bool kernel, const ch__value *v);                   // for ch_explain
void ch__cg_note_part(cg *g, bool kernel, const ch__op *op, const ch__value *v); // v is put into op's result
// Between which statements of the body each array is in use.
void ch__cg_lives(cg *g, const ch__text *body, int64_t n, const store *const *arrays, ch__c_live *out);
const char *ch__cg_arena_place(cg *g, const store *st); // where an array lies; NULL: not in the arena
// The body is complete: who lives when. all: the body as it will be printed, out of which parts are taken (chunks.c).
void ch__cg_native_function(cg *g, const ch__text *body, ch__text *all);
void ch__cg_native_params(cg *g, bool more, ch__text *t); // more parameters, behind others or not
void ch__cg_native_prelude(cg_file *file, ch__text *t);
const char *ch__cg_native_data(cg_file *file, const void *data, size_t bytes); // its variable's name
void ch__cg_native_begin(cg_file *file, ch__c_native *out, ch__arena *out_arena);
void ch__cg_native_marks(cg_file *file, ch_func *f); // which products are calls
void ch__cg_pieces(cg_file *file, ch_func *f);       // pieces.c: gradients of slices are put together at once
void ch__cg_again(cg_file *file, ch_func *f);        // again.c: cheap values are made again, not kept
void ch__cg_vectors(cg_file *file, ch_func *f);      // vectors.c: those that read their own sums are one row
void ch__cg_rescore(cg_file *file, ch_func *f);      // rescore.c: so are scores of attention
void ch__cg_ones(cg_file *file, ch_func *f);         // ones.c: numbers of rows without axes of size 1
void ch__cg_concats(cg_file *file, ch_func *f);      // concat.c: elements are read from the parts
void ch__cg_native_refuse_recursion(const cg *g);
void ch__cg_straight(cg_file *file, ch_func *f); // straight.c: long runs of operations on numbers become funcs
bool ch__cg_is_piece(const cg_file *file, const ch_func *f); // such a func, which compilers are to leave alone
enum { CG_CALLED = 7 };                                      // ch__op.mark
bool ch__cg_is_called(const ch__op *op);                     // dot, conv: by a library
void ch__cg_dot_call(cg *g, const ch__op *op);
const void *ch__cg_call_of(const cg_file *file, const ch__op *op); // what the call took over: of native_dot.c ...
void ch__cg_keep_call(cg_file *file, const ch__op *op, const void *call);
typedef struct cg_operand { // the memory that an operand of a call is read from, and where axis i lies there
    const ch__type *type;
    int axis[CH__MAX_RANK];
    int cut; // axes from here on are a part of longer rows, `pitch` elements apart; the first part begins at `first`
    int64_t pitch, first;
} cg_operand;
void ch__cg_take_reshapes(ch__value **v); // what it is a reshape of: the same memory
void ch__cg_native_dot_marks(cg_file *file, ch_func *f);
void ch__cg_native_conv_marks(cg_file *file, ch_func *f);
void ch__cg_conv_call(cg *g, const ch__op *op);
// An index that the func promises to lie in 0 .. last: looked at, unless it is plain that it does.
ch__dim ch__cg_checked(cg *g, ch__dim i, ch__dim last);
// The token of who may cancel the run, for a loop that is printed next, and the look at it in each turn. NULL: none is
// needed, for this is no code of the engine or the loop is soon over.
const char *ch__cg_watch(cg *g, const ch__op *op);
void ch__cg_look(cg *g, const char *watch);
void ch__cg_simd_fold(cg *g, const ch__op *op, const struct accum *fo); // before a loop that folds into fo

// What is printed, for ch_explain: a loop nest that the pool shares out, one that it does not, a call of a library.
enum { CG_KERNEL, CG_LOOPS, CG_LIBRARY, CG_JOINED, CG_NOTES }; // joined: a kernel started with the one before
void ch__cg_note(cg *g, int what, const ch__type *t, int64_t n, const ch__op *const *ops, const char *more);

// ---------------------------------------------------------------- native_pool.c
bool ch__cg_pool_gradient(cg *g, const ch__op *op); // select_and_scatter of windows side by side; false: of others
bool ch__cg_pool_maximum(cg *g, const ch__op *op);

// ---------------------------------------------------------------- rows.c: native, in the file's func
bool ch__cg_is_row_sum(cg *g, const ch__op *op);     // a reduction to a scalar that a group may do
bool ch__cg_row_join(cg *g, group *now, ch__op *op); // op becomes a member of now; false: it cannot
group *ch__cg_row_begin(cg *g, ch__op *op);
void ch__cg_row_group(cg *g, group *gr);
bool ch__cg_is_outermost(const cg *g);   // native.c: the func that the file is of
bool ch__cg_is_root(const cg *g);        // ... printed for the native engine
bool *ch__cg_native_copied(const cg *g); // for g->copied; NULL: nobody asks

// ---------------------------------------------------------------- function.c
const char *ch__cg_free(const cg_file *file);             // the function that takes memory back
void ch__cg_asks(cg *g, int64_t bytes, const char *what); // for bytes from the heap; -1: nobody knows how many
const char *ch__cg_count_text(cg *g, const store *st);    // how many elements it has, -1 when that is no size
// Printed first, when it is not yet; g: who calls it.
cg_fn *ch__cg_fn_of(cg_file *file, const cg *g, ch_func *f);
cg_fn *ch__cg_fn_make(cg_file *file, const cg *g, ch_func *f, bool is_static);
void ch__cg_call(cg *g, const ch__op *op);

#endif
