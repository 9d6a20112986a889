// SPDX-License-Identifier: Apache-2.0
// hlo.h - what the files that read and write StableHLO share.
//
//   lex.c        tokens of MLIR text
//   read_attr.c  attributes and types of the text
//   read.c       operations, regions, funcs: the text as a tree, nothing of what it means
//   take*.c      the tree to IR: one function a StableHLO operation, rows of hlo_ops.def
//   recognize.c  what a region of scalars computes (a sum, a comparison of keys, the position of a maximum)
//   note.c       attributes that were passed over
//   emit*.c      IR to text
//   api.c        the public functions
//
// Everything runs inside ch__protect and raises. The reader recurses over nested regions (CH__HLO_MAX_NEST) and nested
// attributes (CH__HLO_MAX_ATTR) only, both bounded, and works in time linear in the text.
#ifndef CHAAC_HLO_HLO_H
#define CHAAC_HLO_HLO_H

#include "chaac/hlo.h"
#include "ir/ir.h"
#include "ir/parse.h"

#define CH__HLO_MAX_NEST 100  // regions in regions
#define CH__HLO_MAX_ATTR 60   // attributes in attributes
#define CH__HLO_MAX_TYPE 2000 // bytes of one type

// ---------------------------------------------------------------- lex.c
typedef enum {
    CH__H_END,
    CH__H_WORD,   // abc stablehlo.add
    CH__H_VALUE,  // %abc: s and n are the part after %; index of %abc#1, or -1
    CH__H_SYMBOL, // @abc @"a b"
    CH__H_HASH,   // #stablehlo.dot
    CH__H_BANG,   // !stablehlo.token
    CH__H_BLOCK,  // ^bb0
    CH__H_NUM,    // 12 1.0e+00 0x7F80
    CH__H_STR,    // "...": between the quotes
    CH__H_ARROW,  // ->
    CH__H_PUNCT,
    CH__H_BAD
} ch__hlo_tok_kind;

typedef struct ch__hlo_tok {
    ch__hlo_tok_kind kind;
    char c;
    const char *at, *s;
    size_t n;
    int64_t index;
    const char *bad;
} ch__hlo_tok;

// ---------------------------------------------------------------- the tree
typedef struct ch__hlo_type {
    const char *at, *text; // as it stands in the text, and where first
    const ch__type *type;  // NULL: refused
    const char *why;       // what it is that is not taken
    bool said;             // the refusal has been said
} ch__hlo_type;

typedef struct ch__hlo_value {
    const char *name;
    const char *at;
    ch__hlo_type *type;
    ch__value *value;             // what it is in the IR
    struct ch__hlo_value *hidden; // the value of that name in an outer region
    bool alive;
} ch__hlo_value;

typedef enum {
    CH__HA_INT,   // i
    CH__HA_FLOAT, // s, n: the text
    CH__HA_STR,   // s, n: between the quotes
    CH__HA_BOOL,  // i
    CH__HA_SYMBOL,
    CH__HA_WORD,    // s: HIGHEST, NO_TRANSPOSE, f32
    CH__HA_LIST,    // items
    CH__HA_PAIR,    // [0] x [1]: two lists
    CH__HA_DICT,    // items with names
    CH__HA_DENSE,   // s, n: between < and >; type
    CH__HA_CONV,    // three lists: [b,f,0]x[0,i,o]->[b,f,0]
    CH__HA_OTHER,   // s, n: text that nobody reads
    CH__HA_RESOURCE // dense_resource
} ch__hlo_attr_kind;

typedef struct ch__hlo_attr {
    ch__hlo_attr_kind kind;
    const char *at, *s;
    size_t n;
    int64_t i;
    CH_VEC(struct ch__hlo_attr *) items;
    const char *name;    // in a dict
    const char *name_at; // where that stands
    ch__hlo_type *type;
    bool read; // somebody asked for it
} ch__hlo_attr;

typedef struct ch__hlo_region ch__hlo_region;
typedef struct ch__hlo_op {
    struct ch__hlo_op *next;
    const char *name; // stablehlo.add; call and return with "func."
    const char *at;
    int n_operands, n_results, n_regions;
    ch__hlo_value **operands, **results;
    const char **operand_at;
    ch__hlo_region **regions;
    CH_VEC(ch__hlo_attr *) attrs; // named
    CH_VEC(ch__hlo_tok) words;    // EQ, FLOAT
    bool taken;                   // it has been built
    const char *string;           // of composite: its name; of call and custom_call: the symbol
} ch__hlo_op;

struct ch__hlo_region {
    const char *at;
    int n_params, n_ops;
    ch__hlo_value **params;
    ch__hlo_op *first, *last; // the last one ends it: return
};

typedef struct ch__hlo_func {
    struct ch__hlo_func *next;
    const char *name, *at;
    ch__hlo_region *body;
    int n_results;
    ch__hlo_type **results;
    ch__hlo_attr **param_attrs, **result_attrs; // dicts, or NULL
    ch__hlo_attr *attrs;                        // a dict, or NULL
    const char *op;                             // chaac.op: it stands for an operation of the IR; NULL
    bool is_private;
    ch_func *func;
} ch__hlo_func;

typedef struct ch__hlo_reader {
    ch__parser p; // the text and its errors
    const char *pos;
    const char *lex_end; // where tokens end: of the text, or of the data being read
    ch__hlo_tok tok;
    ch__arena *arena; // of the tree
    ch__arena *ir;    // of types
    int depth, attr_depth;
    ch__strmap types;   // text -> ch__hlo_type
    ch__strmap values;  // name -> ch__hlo_value
    ch__strmap aliases; // #name -> ch__hlo_attr
    ch__strmap names;   // of ops, kept once
    ch__strmap meshes;  // sdy.mesh: name -> [x=2, y=4]
    CH_VEC(ch__hlo_value *) scope;
    ch__strmap funcs;
    ch__hlo_func *first, *last;
    ch__hlo_attr *module_attrs;      // a dict, or NULL
    const char *module_name;         // as it stands between quotes, or NULL
    CH_VEC(const char *) refused_at; // refusals: where and what
    CH_VEC(const char *) refused;
} ch__hlo_reader;

void ch__hlo_next(ch__hlo_reader *r);
CH_NORETURN void ch__hlo_expected(ch__hlo_reader *r, const char *what);
bool ch__hlo_is(const ch__hlo_reader *r, char c);
bool ch__hlo_is_word(const ch__hlo_reader *r, const char *word);
bool ch__hlo_eat(ch__hlo_reader *r, char c);
bool ch__hlo_eat_word(ch__hlo_reader *r, const char *word);
void ch__hlo_want(ch__hlo_reader *r, char c, const char *after);
int64_t ch__hlo_want_int(ch__hlo_reader *r, const char *what);
const char *ch__hlo_tok_text(ch__hlo_reader *r, const ch__hlo_tok *t);
// Skips what stands between brackets of any kind, the opening one being the token; gives where it ends.
const char *ch__hlo_skip_brackets(ch__hlo_reader *r);
void ch__hlo_go(ch__hlo_reader *r, const char *pos); // goes on reading there

// ---------------------------------------------------------------- read_attr.c
ch__hlo_type *ch__hlo_read_type(ch__hlo_reader *r);
ch__hlo_attr *ch__hlo_read_attr(ch__hlo_reader *r);
ch__hlo_attr *ch__hlo_read_dict(ch__hlo_reader *r, char close); // the opening bracket is taken
ch__hlo_attr *ch__hlo_read_conv(ch__hlo_reader *r);             // [b,f,0]x[o,i,0]->[b,f,0]
ch__hlo_attr *ch__hlo_dict_get(const ch__hlo_attr *dict, const char *name);

// ---------------------------------------------------------------- read.c
void ch__hlo_reader_init(ch__hlo_reader *r, ch__arena *scratch, ch__arena *ir, const char *text, size_t n,
                         const char *name);
void ch__hlo_read(ch__hlo_reader *r); // the whole text: funcs in r->first

// ---------------------------------------------------------------- read_shard.c
void ch__hlo_read_mesh(ch__hlo_reader *r);
void ch__hlo_read_generic_mesh(ch__hlo_reader *r);
// <@mesh, [{"x"}, {}]> in s .. end as the IR writes it; NULL: it has no words for it.
const char *ch__hlo_sharding(ch__hlo_reader *r, const char *s, const char *end);

// ---------------------------------------------------------------- data.c
// The data of dense<...> with the type it is of; in arena a.
const ch__array *ch__hlo_read_data(ch__hlo_reader *r, ch__arena *a, const ch__hlo_attr *dense);

// ---------------------------------------------------------------- take.c
typedef struct ch__hlo_row ch__hlo_row;
typedef struct ch__hlo_take {
    ch__hlo_reader *r;
    ch__module *module;
    ch__arena *scratch;
    ch__builder b;
    ch__hlo_op *op;
    const ch__type *shape; // not NULL: a region of scalars is applied to arrays of this shape
    ch__strmap rows;       // name -> ch__hlo_row
    const char *line_at;   // the last op a line was counted for
    int line;
    const char *file;
} ch__hlo_take;
struct ch__hlo_row {
    const char *name;
    int min, max, results;
    void (*fn)(ch__hlo_take *t, const ch__hlo_row *row);
    ch__opcode code;
    const char *what, *why_not;
};
const ch__hlo_row *ch__hlo_row_at(int i); // NULL past the last

// The tree as funcs of a new module; raises all refusals at once. main: the func asked for, NULL: @main.
ch_func *ch__hlo_take_module(ch__hlo_reader *r, ch__module *m, const char *main);
// A refusal: said with all others when the text has been gone through. Results of the op get no value.
void ch__hlo_refuse(ch__hlo_reader *r, const char *at, const char *fmt, ...) CH_PRINTF(3, 4);
CH_NORETURN void ch__hlo_fail(ch__hlo_take *t, ch__err id, const char *fmt, ...) CH_PRINTF(3, 4); // at the op

void ch__hlo_take_ops(ch__hlo_take *t, const ch__hlo_region *from, ch__value **results);
// A region in the IR: its params get the values of from's params.
ch__region *ch__hlo_take_region(ch__hlo_take *t, const ch__hlo_region *from);
// A region of scalars applied elementwise to arrays of one shape (or scalars): results in out.
void ch__hlo_apply(ch__hlo_take *t, const ch__hlo_region *from, ch__value *const *args, const ch__type *shape,
                   ch__value **out);
// A call in such a region: the ops of a func of scalars applied likewise.
void ch__hlo_apply_func(ch__hlo_take *t, const ch__hlo_func *f, ch__value *const *args, ch__value **out);
ch__hlo_func *ch__hlo_callee(ch__hlo_take *t, const ch__hlo_op *call);        // take_control.c
const ch__hlo_attr *ch__hlo_attr_of(const ch__hlo_take *t, const char *name); // NULL: none
// Integers of a list attribute (array<i64: ...>, [..], dense<..>), lists in lists flattened; NULL and *n = 0 when it is
// absent. `or` is a second name it may have.
int64_t *ch__hlo_ints(ch__hlo_take *t, const char *name, const char * or, int *n);
int64_t *ch__hlo_ints_of(ch__hlo_take *t, const ch__hlo_attr *a, int *n);
int64_t ch__hlo_int(ch__hlo_take *t, const char *name, const char * or, int64_t absent);
bool ch__hlo_is_attr_word(const ch__hlo_attr *a, const char *word);
ch__value *ch__hlo_in(ch__hlo_take *t, int i);
void ch__hlo_out(ch__hlo_take *t, int i, ch__value *v);
const ch__type *ch__hlo_result_type(ch__hlo_take *t, int i);
// How sums accumulate: chaac.acc and chaac.order, else what capture writes. Gives the new number of attributes.
int ch__hlo_sums(ch__hlo_take *t, ch_dtype d, ch__attr *attrs, int n);
int ch__hlo_tie(ch__hlo_take *t, ch__attr *attrs, int n);
ch__value *ch__hlo_build1(ch__hlo_take *t, ch__opcode code, int n, ch__value *const *operands, int n_attrs,
                          ch__attr *attrs, const ch__type *type);
void ch__hlo_sort_attrs(int n, ch__attr *attrs); // ascending, as operations have them
ch__value *ch__hlo_i64(ch__hlo_take *t, int64_t v);
const ch__type *ch__hlo_shape(ch__hlo_take *t, ch_dtype d, int rank, const int64_t *dims);
int64_t ch__hlo_dim(const ch__value *v, int i);
uint64_t ch__hlo_identity(ch__kind kind, ch_dtype d); // take_reduce.c: of no elements, as bits
// take_reduce.c: the kind of reduction that a region of one operation (ch__hlo_region_op) is; -1: none.
int ch__hlo_reduce_kind(const char *op, ch_dtype d);
// take_reduce.c: a for of `count` turns with n carried values, whose next ones fn makes.
typedef void ch__hlo_loop_body(ch__hlo_take *t, void *arg, ch__value *i, ch__value *const *given, ch__value **out);
ch__op *ch__hlo_loop(ch__hlo_take *t, int64_t count, int n, ch__value *const *init, ch__hlo_loop_body *fn, void *arg);
// One number as the 64 low bits of an element, from a constant or a broadcast of one. false: not known.
bool ch__hlo_scalar(const ch__value *v, uint64_t *bits);

void ch__hlo_take_shardings(ch__hlo_take *t, const ch__hlo_func *f); // take_collective.c

// ---------------------------------------------------------------- windows and scatter
typedef struct {
    int rank;
    int64_t *window, *strides, *lhs, *rhs, *lo, *hi;
} ch__hlo_windows;
ch__hlo_windows ch__hlo_read_windows(ch__hlo_take *t, int rank); // take_reduce.c
int ch__hlo_window_attrs(const ch__hlo_windows *w, ch__attr *attrs, int n);
// The type that windows over x have.
const ch__type *ch__hlo_window_type(ch__hlo_take *t, const ch__type *x, const ch__hlo_windows *w);
ch__value *ch__hlo_window_place(ch__hlo_take *t, const ch__hlo_windows *w, ch__value *x, const ch__type *out,
                                ch__value *k);
ch__value *ch__hlo_combine(ch__hlo_take *t, ch__kind kind, ch__value *init, ch__value *v);
int ch__hlo_scatter_numbers(ch__hlo_take *t, ch__attr *attrs); // take_index.c: gives how many

#define HLO(name, min, max, results, fn, code, what) void ch__hlo_take_##fn(ch__hlo_take *t, const ch__hlo_row *row);
#include "hlo/hlo_ops.def"

// ---------------------------------------------------------------- note.c
// Lines of what was passed over, in arena a; NULL: nothing was.
const char *ch__hlo_notes(ch__hlo_reader *r, ch__arena *a);

// ---------------------------------------------------------------- emit_line.c
const char *ch__hlo_dtype(ch_dtype d); // as StableHLO writes it, a row of dtypes.def; NULL: it has none

// ---------------------------------------------------------------- emit.c
void ch__emit_module(ch__text *t, const ch_func *given, const ch_hlo_options *o);
// given with the sizes of o, its calls inlined and its composites whole, in a module of its own.
ch_func *ch__emit_sized(const ch_func *given, const ch_hlo_options *o);

// ---------------------------------------------------------------- recognize.c
// The one operation that a region of scalars with two params applies to them (either order; add, multiply, maximum,
// minimum, and, or), or "set" when it yields the second; NULL: something else.
const char *ch__hlo_region_op(const ch__hlo_region *r);
// Keys of a comparator, in the order they are compared: operand numbers. false: another order.
bool ch__hlo_region_keys(const ch__hlo_region *r, int n_operands, int *keys, int *n_keys, bool *descending,
                         bool *total);
// The body of argmax or argmin as it is written by JAX and by this project; CH__MIN or CH__MAX.
bool ch__hlo_region_arg(const ch__hlo_region *r, ch__kind *kind);

#endif
