// SPDX-License-Identifier: Apache-2.0
// ir.h - the intermediate representation: one kind of program at every level (docs/ir.md is the contract in words).
//
// SSA values, operations in structured regions, no control-flow graph. A func lives in a module; a module owns one
// arena and everything in it; nothing is freed singly. Passes run inside ch__protect and raise (base.h). Invariants,
// kept by every function that takes a func and gives one, checked by ch__verify:
//   - a value is defined once, before its uses, in the same region or an enclosing one (regions see outer values);
//   - an op's result types are what its shape rule gives for its operands (dims equal in canonical form);
//   - value ids are unique in a func, below func->n_values (side tables are arrays indexed by id).
#ifndef CHAAC_IR_H
#define CHAAC_IR_H

#include "base/base.h"
#include "chaac/dtype.h"
#include "chaac/func.h"

// ---------------------------------------------------------------- dtype.c
#define CH__DTYPE_COUNT 20 // one past the largest ch_dtype
extern const uint8_t ch__dtype_bytes[CH__DTYPE_COUNT];
static inline size_t ch__dtype_size(ch_dtype d) { // ch_dtype_size, without a call
    return (unsigned)d < CH__DTYPE_COUNT ? ch__dtype_bytes[d] : 0;
}
char ch__dtype_class(ch_dtype d); // 'f' 'i' 'u' 'b' 's' storage 'r' reserved; 0 for none
static inline bool ch__is_float(ch_dtype d) { return d >= CH_F16 && d <= CH_F64; }
static inline bool ch__is_int(ch_dtype d) { return d >= CH_I8 && d <= CH_U64; }
static inline bool ch__is_signed(ch_dtype d) { return d >= CH_I8 && d <= CH_I64; }
ch_dtype ch__int_dtype(size_t bytes, bool is_signed); // of 1, 2, 4 or 8 bytes
// v as one element of any dtype, in the low bits: rounded to floats, cut and saturated to integers (NaN: 0), as convert
// does. NAN is the quiet one; INFINITY is NaN in f8e4m3, which has none.
uint64_t ch__element_bits(ch_dtype d, double v);
double ch__float_value(ch_dtype d, uint64_t bits); // of a floating dtype, f8 too
// A number as text to the bits of a floating dtype, f8 too; gives the end of what was read.
const char *ch__parse_float_bits(ch_dtype d, const char *s, const char *end, uint64_t *out);

// ---------------------------------------------------------------- dim.c: sizes
// A size: a constant (sym == NULL) or a canonical polynomial with integer coefficients over atoms. Two sizes are equal
// for all values of their symbols when ch__dim_equal says so.
typedef struct ch__sym ch__sym;
typedef struct ch__dim {
    const ch__sym *sym;
    int64_t val;
} ch__dim;
typedef enum { CH__ATOM_symbol, CH__ATOM_floordiv, CH__ATOM_mod, CH__ATOM_max, CH__ATOM_min } ch__atom_kind;
typedef struct ch__atom {
    ch__atom_kind kind;
    const char *name; // symbol
    ch__dim a, b;     // the others: two operands
    uint64_t hash;
    int32_t size, depth; // atoms in it, itself included; nesting (a symbol: 0)
} ch__atom;
// Larger or deeper sizes are refused (limit), so that nothing about a size is slow or recurses far.
#define CH__DIM_MAX_SIZE 4096
#define CH__DIM_MAX_DEPTH 64
// Sum of terms, sorted; a term is coef times atoms (sorted, repeated for powers). The constant term has n_atoms 0.
typedef struct {
    int64_t coef;
    int n_atoms;
    const ch__atom *const *atoms;
} ch__term;
struct ch__sym {
    uint64_t hash;
    int32_t size, depth;
    int n_terms;
    const ch__term *terms;
};

static inline ch__dim ch__dim_const(int64_t v) { return (ch__dim){NULL, v}; }
static inline bool ch__dim_is_const(ch__dim d) { return d.sym == NULL; }
ch__dim ch__dim_symbol(ch__arena *a, const char *name);
ch__dim ch__dim_add(ch__arena *a, ch__dim x, ch__dim y); // all raise dim_overflow
ch__dim ch__dim_sub(ch__arena *a, ch__dim x, ch__dim y);
ch__dim ch__dim_mul(ch__arena *a, ch__dim x, ch__dim y);
ch__dim ch__dim_floordiv(ch__arena *a, ch__dim x, ch__dim y); // exact polynomial division where it goes
ch__dim ch__dim_mod(ch__arena *a, ch__dim x, ch__dim y);
ch__dim ch__dim_max(ch__arena *a, ch__dim x, ch__dim y);
ch__dim ch__dim_min(ch__arena *a, ch__dim x, ch__dim y);
bool ch__dim_equal(ch__dim x, ch__dim y);
uint64_t ch__dim_hash(ch__dim d);
// What is known of x - y for all symbol values >= 0: -1 x < y always, 1 x > y always, 0 equal always, 2 unknown.
int ch__dim_cmp(ch__arena *a, ch__dim x, ch__dim y);
int64_t ch__dim_least(ch__dim d); // it is never below, whatever its symbols are; INT64_MIN: not known
bool ch__dim_is_symbol(ch__dim d, const char **out_name); // is it just one symbol?
// Value of d when symbol names[i] has values[i]. Fails (status set: unknown_name, dim_overflow, argument) otherwise.
typedef struct {
    int n;
    const char *const *names;
    const int64_t *values;
} ch__dim_env;
ch_status ch__dim_eval(ch__dim d, const ch__dim_env *env, int64_t *out);
// d with symbol names[i] replaced by dims[i]; other symbols stay. Result in arena a (a deep copy).
ch__dim ch__dim_subst(ch__arena *a, ch__dim d, int n, const char *const *names, const ch__dim *dims);
ch__dim ch__dim_copy(ch__arena *a, ch__dim d);
void ch__dim_print(ch__text *t, ch__dim d); // n, 2*n + 1, floordiv(n + 1, 2)
// Calls fn for every symbol name in d (may repeat).
void ch__dim_symbols(ch__dim d, void (*fn)(void *, const char *), void *arg);
// Between dim.c and dim_fold.c. A size as terms: those of a symbolic one, or `one` for a constant but 0.
typedef struct {
    int n;
    const ch__term *terms;
    ch__term one;
} ch__dim_view;
const ch__dim_view *ch__dim_view_of(ch__dim d, ch__dim_view *v);
// Sorts and merges n terms (in arena a, may be overwritten) into a size; an atom alone; x times y. A result that is not
// CH__E_COUNT is the error: dim_overflow or limit.
ch__err ch__dim_from_terms(ch__arena *a, ch__term *terms, int64_t n, ch__dim *out);
ch__dim ch__dim_from_atom(ch__arena *a, ch__atom_kind kind, ch__dim x, ch__dim y);
ch__err ch__dim_combine(ch__arena *a, ch__dim x, ch__dim y, int64_t y_times, ch__dim *out); // x + y_times * y
ch__err ch__dim_product(ch__arena *a, ch__dim x, ch__dim y, ch__dim *out);
CH_NORETURN void ch__dim_raise(ch__arena *a, ch__err e, const char *op, ch__dim x, ch__dim y);
int ch__atom_order(const ch__atom *x, const ch__atom *y);
int ch__dim_order(ch__dim x, ch__dim y); // a total order by structure: -1 0 1

// ---------------------------------------------------------------- type.c
#define CH__MAX_RANK 16
typedef struct ch__type {
    ch_dtype dtype;
    int16_t rank;
    bool tape;               // tape<dtype[dims]>
    const ch__dim *dims;     // rank of them
    const char *const *axes; // axis names, each may be NULL; or NULL for none at all
} ch__type;
const ch__type *ch__type_make(ch__arena *a, ch_dtype d, int rank, const ch__dim *dims,
                              const char *const *axes); // copies
// The same where dims and axis names lie in the arena, or outlive it: the lists are copied, what they point to is not.
const ch__type *ch__type_share(ch__arena *a, ch_dtype d, int rank, const ch__dim *dims, const char *const *axes);
const ch__type *ch__type_scalar(ch_dtype d); // static storage
const ch__type *ch__type_tape(ch__arena *a, const ch__type *elem);
const ch__type *ch__type_with_dtype(ch__arena *a, const ch__type *t, ch_dtype d);
const ch__type *ch__type_copy(ch__arena *a, const ch__type *t);
bool ch__type_equal(const ch__type *x, const ch__type *y);      // axis names count
bool ch__type_same_shape(const ch__type *x, const ch__type *y); // dims only
bool ch__type_is_static(const ch__type *t);                     // every dim constant
ch__dim ch__type_numel(ch__arena *a, const ch__type *t);
const ch__type *ch__type_subst(ch__arena *a, const ch__type *t, int n, const char *const *names, const ch__dim *dims);
void ch__type_print(ch__text *t, const ch__type *type); // f32[batch:n, 64]
const char *ch__type_text(ch__arena *a, const ch__type *type);

// A dense concrete array: constants, and what the interpreter runs on. Row-major, no gaps.
typedef struct ch__array {
    ch_dtype dtype;
    int rank;
    const int64_t *dims;
    void *data;
    bool splat; // constants only: data holds one element that stands for all; rank and dims unused
} ch__array;
bool ch__numel(int rank, const int64_t *dims, int64_t *out); // false on overflow
size_t ch__array_bytes(const ch__array *a);

// ---------------------------------------------------------------- op.c: the op table
typedef enum {
#define OP(name, ...) CH_OP_##name,
#include "ir/ops.def"
#undef OP
    CH_OP_COUNT
} ch__opcode;

typedef enum {
#define ATTR(name, kind, what) CH__ATTR_##name,
#include "ir/attrs.def"
#undef ATTR
    CH__ATTR_COUNT
} ch__attr_id;

typedef enum {
    CH__AK_INT,
    CH__AK_INTS,
    CH__AK_DIM,
    CH__AK_DIMS,
    CH__AK_PAIRS,
    CH__AK_ROWS,
    CH__AK_BOOL,
    CH__AK_DTYPE,
    CH__AK_STR,
    CH__AK_ARRAY,
    CH__AK_KIND,
    CH__AK_DIR,
    CH__AK_ORDER,
    CH__AK_TIE,
    CH__AK_BOUNDS,
    CH__AK_PRECISION,
    CH__AK_FUNC
} ch__attr_kind;

enum { CH__ELEMWISE = 1, CH__COMMUTES = 2, CH__ASSOC = 4, CH__INTEGER = 8, CH__REGION = 16, CH__LEAF = 32 };
// The words of the enumerated attributes; ch__word_name(kind, value) names them, ch__word_find reads them.
typedef enum { CH__SUM, CH__PROD, CH__MIN, CH__MAX, CH__AND, CH__OR, CH__SET, CH__ADD, CH__MUL } ch__kind;
typedef enum { CH__EQ, CH__NE, CH__LT, CH__LE, CH__GT, CH__GE } ch__dir;
typedef enum { CH__ANY, CH__SEQ } ch__order;             // absent: any
typedef enum { CH__SPLIT, CH__FIRST, CH__ALL } ch__tie;  // absent: split
typedef enum { CH__CLAMP, CH__KNOWN, CH__C } ch__bounds; // absent: clamp; get and set: c
typedef enum { CH__DEFAULT, CH__HIGH, CH__HIGHEST } ch__precision;
const char *ch__word_name(ch__attr_kind k, int64_t value);
bool ch__word_find(ch__attr_kind k, const char *word, size_t len, int64_t *out);

typedef struct ch__op_info {
    const char *name;
    const char *operands;           // "lhs rhs", "x starts*"
    int min_operands, max_operands; // max -1: any number
    const char *dtypes;
    uint64_t attrs, opt; // bit sets over ch__attr_id
    const char *reads;   // "none: ..." when there is no derivative
    unsigned flags;
    bool typed; // the result type is given, not computed
} ch__op_info;
const ch__op_info *ch__op_info_of(ch__opcode c);
const char *ch__op_name(ch__opcode c);
int ch__op_find(const char *name, size_t len);                      // -1: none
const char *ch__op_operand_name(ch__opcode c, int i, char buf[32]); // "lhs"; for xs* "xs[2]"
const char *ch__attr_name(ch__attr_id id);
ch__attr_kind ch__attr_kind_of(ch__attr_id id);
int ch__attr_find(const char *name, size_t len); // -1: none

// ---------------------------------------------------------------- the structures
typedef struct ch__value ch__value;
typedef struct ch__op ch__op;
typedef struct ch__region ch__region;
typedef struct ch__module ch__module;

typedef struct ch__attr {
    ch__attr_id id;
    int32_t n; // INTS, DIMS: entries; PAIRS: pairs (2n ints: n of lhs, then n of rhs); ROWS: ints (each row: its
               // length, then its entries)
    union {
        int64_t i; // INT BOOL DTYPE and the words
        const int64_t *ints;
        ch__dim dim;
        const ch__dim *dims;
        const char *s;
        const ch__array *array;
        ch_func *func;
    };
} ch__attr;

typedef struct ch__loc {
    const char *file;
    int line, col;
    bool back; // of an adjoint: what the line is, seen from behind
} ch__loc;     // file NULL: unknown. col 0: none; below 0: a line of IR text itself, which is not printed as loc(...)

struct ch__value {
    const ch__type *type;
    ch__op *op;         // the op it is a result of; NULL for a param
    ch__region *region; // the region it is a param of (func params: the body); NULL for a result
    const char *name;   // without %; NULL for a number; text makes names unique, only func params must be
    int32_t index;      // which result or param
    int32_t id;
};

struct ch__op {
    ch__op *prev, *next;
    ch__region *parent;
    ch__value **operands;
    ch__value *results; // contiguous
    ch__attr *attrs;    // ascending id
    ch__region **regions;
    const ch__loc *loc; // or NULL
    uint16_t code;      // ch__opcode
    uint16_t mark;      // scratch for passes; 0 between them
    int32_t n_operands, n_results;
    int16_t n_attrs, n_regions;
};

// if: two regions without params, results = the op's results. for: one region, params %i and the iter values, results
// the next iter values. while: two regions with the same params (condition: one bool[]; body: next values).
// composite: the body, params = operands; then a region per word of the attribute `rules` (ch__composite_rule).
struct ch__region {
    ch__op *first, *last;
    ch__op *owner; // NULL: a func's body
    ch_func *func;
    ch__value **params;  // each allocated singly
    ch__value **results; // what the region yields
    int32_t n_params, n_results;
};

typedef struct {
    const char *name;
    int64_t lo, hi;
} ch__dim_param; // default bounds 0 .. INT64_MAX
typedef struct {
    ch__dim a, b;
    const char *why;
} ch__require; // a == b, checked at entry

struct ch_func {
    ch__module *module;
    const char *name;
    ch__region *body;                        // its params are the func's params, its results the func's results
    const char **result_names;               // each may be NULL; or NULL
    int32_t *inout;                          // for each param the result it is tied to, or -1; or NULL for none
    const char **param_shards;               // sharding.c: texts, each may be NULL; or NULL
    const char **result_shards;              // the same
    int32_t n_param_shards, n_result_shards; // room in these
    CH_VEC(ch__dim_param) dims;              // declared symbols, in order
    CH_VEC(ch__require) requires_;
    const ch__loc *loc;
    ch_func *next;           // next func of the module
    const char **type_texts; // what ch_func_param_type and ch_func_result_type gave out; or NULL
    ch__strmap *symbols;     // taken, for ch__func_fresh_symbol; made when first needed
    int32_t n_values;
    bool owns_module; // ch_func_destroy(this) destroys the module (the func a public call gave out)
    bool within;      // traced inside of what calls it: a size of it is that of this name there
};

struct ch__module {
    ch__arena *arena;
    ch_func *first, *last; // in order of definition; a func may call any
    ch_module *handle;     // the public handle, if it was parsed as a module
    const char *notes;     // what reading StableHLO text passed over; NULL: nothing
    const char *name;      // of the module in StableHLO text, as it stood between quotes; NULL: none
};

// ---------------------------------------------------------------- infer.c, infer_*.c: shape rules
// What a shape rule is given. Raises with "op: shapes - reason". Undecidable equality of sizes: appended to *requires_
// when it is set, else raised as dims_undecided.
typedef struct ch__infer {
    ch__arena *arena; // where result types go
    ch_func *func;    // its requires_ take undecided equalities; NULL: they are errors
    ch__opcode code;
    int n_operands;
    const ch__type *const *operands;
    int n_attrs;
    const ch__attr *attrs;
    int n_results;            // in: given result types (typed ops), else 0; out: how many
    const ch__type **results; // in: the given types, with room for ch__infer_max_results; NULL: taken from the arena.
                              // out: the result types (read them here: if, call and composite always bring an
                              // array of their own). One may be an operand's type itself, by pointer
    ch__op *op;               // set for ops with regions (if for while composite) and call
    const char *where;        // "file:line" for messages the caller prefixes itself; may be NULL
    const char *who;          // named in messages instead of the op; NULL: the op
    bool share;               // operand types and attributes outlive the arena: result types may point into them
} ch__infer;
void ch__infer_types(ch__infer *in);                        // checks operand count, dtypes, attributes, then the rule
int ch__infer_max_results(ch__opcode code, int n_operands); // 0 for if, call, composite: they bring the array
// The equality of two sizes under the rule's policy; raises `err` with the message when they differ.
// true: equal (maybe by a new requires); false: differ
bool ch__infer_dims_equal(ch__infer *in, ch__dim a, ch__dim b);
const ch__attr *ch__infer_attr(const ch__infer *in, ch__attr_id id); // NULL when absent
bool ch__is_policy(const char *s);                                   // a word that the attribute policy may be
// NumPy's right-aligned rule on two shapes (used by builders and the tensor layer). Gives the joint type's dims and
// axes with x's dtype; raises as a rule does, in the name of `who`.
const ch__type *ch__broadcast_types(ch__arena *a, ch_func *func, const char *who, const ch__type *x, const ch__type *y);

// ---------------------------------------------------------------- build.c
ch__module *ch__module_create(void); // its arena joins the protect frame
void ch__module_destroy(ch__module *m);
ch_func *ch__func_create(ch__module *m, const char *name); // appended to the module
ch_func *ch__module_find(const ch__module *m, const char *name);
const char *ch__module_fresh_name(ch__module *m, const char *base);             // base, base_1, ...
ch__dim_param *ch__func_dim_param(ch_func *f, const char *name);                // declared symbol, or NULL
void ch__func_add_dim(ch_func *f, const char *name, int64_t lo, int64_t hi);    // no-op when declared
ch__value *ch__func_add_param(ch_func *f, const char *name, const ch__type *t); // declares the type's symbols
void ch__func_set_results(ch_func *f, int n, ch__value *const *values, const char *const *names); // names may be NULL
ch_func *ch__value_func(const ch__value *v);
// A size symbol that the func neither declares nor binds yet: base, base_1, ...
const char *ch__func_fresh_symbol(ch_func *f, const char *base);
ch__region *ch__region_create(ch_func *f, ch__op *owner);
ch__value *ch__region_add_param(ch__region *r, const char *name, const ch__type *t);
void ch__region_set_results(ch__region *r, int n, ch__value *const *values);

// Appends ops at the end of a region, or before an op.
typedef struct ch__builder {
    ch_func *func;
    ch__region *region;
    ch__op *before;     // NULL: at the end
    const ch__loc *loc; // given to each op built
} ch__builder;
ch__builder ch__builder_at_end(ch__region *r);
ch__arena *ch__builder_arena(const ch__builder *b);
// The general form. For typed ops give result types; for the others n_types 0. Regions: built first, filled by the
// caller with `ch__region_create(func, NULL)`; the op adopts them. Runs the shape rule.
ch__op *ch__build(ch__builder *b, ch__opcode code, int n_operands, ch__value *const *operands, int n_attrs,
                  const ch__attr *attrs, int n_types, const ch__type *const *types, int n_regions,
                  ch__region *const *regions);
// Without the shape rule, for passes that know the types (clone, reverse): n_results types are copied by pointer.
ch__op *ch__build_raw(ch__builder *b, ch__opcode code, int n_operands, ch__value *const *operands, int n_attrs,
                      const ch__attr *attrs, int n_results, const ch__type *const *types, int n_regions,
                      ch__region *const *regions);
// The same with attributes that already lie in the module (their lists are shared, not copied).
ch__op *ch__build_shallow(ch__builder *b, ch__opcode code, int n_operands, ch__value *const *operands, int n_attrs,
                          const ch__attr *attrs, int n_results, const ch__type *const *types, int n_regions,
                          ch__region *const *regions);
ch__value *ch__b_unary(ch__builder *b, ch__opcode code, ch__value *x);
ch__value *ch__b_binary(ch__builder *b, ch__opcode code, ch__value *x, ch__value *y); // operands of one type
ch__value *ch__b_add(ch__builder *b, ch__value *x, ch__value *y);
ch__value *ch__b_sub(ch__builder *b, ch__value *x, ch__value *y);
ch__value *ch__b_mul(ch__builder *b, ch__value *x, ch__value *y);
ch__value *ch__b_div(ch__builder *b, ch__value *x, ch__value *y);
ch__value *ch__b_neg(ch__builder *b, ch__value *x);
ch__value *ch__b_compare(ch__builder *b, ch__dir dir, ch__value *x, ch__value *y);
ch__value *ch__b_select(ch__builder *b, ch__value *pred, ch__value *on_true, ch__value *on_false);
ch__value *ch__b_convert(ch__builder *b, ch__value *x, ch_dtype d);  // x itself when it is of that dtype
ch__value *ch__b_splat(ch__builder *b, const ch__type *t, double v); // constant of t's shape, v rounded to its dtype
ch__value *ch__b_splat_like(ch__builder *b, ch__value *x, double v);
ch__value *ch__b_const(ch__builder *b, const ch__array *a); // copied into the arena
ch__value *ch__b_dim(ch__builder *b, ch__dim d);            // i64[]
ch__value *ch__b_iota(ch__builder *b, const ch__type *t, int dim);
ch__value *ch__b_reshape(ch__builder *b, ch__value *x, const ch__type *t);
ch__value *ch__b_transpose(ch__builder *b, ch__value *x, const int64_t *perm);
ch__value *ch__b_broadcast(ch__builder *b, ch__value *x, const ch__type *t, const int64_t *dims);
ch__value *ch__b_broadcast_to(ch__builder *b, ch__value *x, const ch__type *t); // right-aligned; t's dtype is ignored
ch__value *ch__b_slice(ch__builder *b, ch__value *x, const ch__dim *start, const ch__dim *limit, const int64_t *stride);
ch__value *ch__b_pad(ch__builder *b, ch__value *x, ch__value *v, const ch__dim *lo, const ch__dim *hi,
                     const int64_t *interior);
ch__value *ch__b_concat(ch__builder *b, int n, ch__value *const *xs, int dim);
ch__value *ch__b_reverse(ch__builder *b, ch__value *x, int n, const int64_t *dims);
// Floats: acc f64 (f64 operand: f64) and order any, as capture writes; integers: no attributes.
ch__value *ch__b_reduce(ch__builder *b, ch__kind kind, ch__value *x, int n, const int64_t *dims);
ch__value *ch__b_dot(ch__builder *b, ch__value *x, ch__value *y, int n_contract, const int64_t *lc, const int64_t *rc,
                     int n_batch, const int64_t *lb, const int64_t *rb);
// Attributes as values for the general form.
ch__attr ch__attr_int(ch__attr_id id, int64_t v);                // INT BOOL DTYPE and words
ch__attr ch__attr_ints(ch__attr_id id, int n, const int64_t *v); // borrowed; ch__build copies
ch__attr ch__attr_dim(ch__attr_id id, ch__dim d);
ch__attr ch__attr_dims(ch__attr_id id, int n, const ch__dim *v);
ch__attr ch__attr_pairs(ch__attr_id id, int n, const int64_t *both); // n lhs then n rhs
ch__attr ch__attr_rows(ch__attr_id id, int n, const int64_t *v);     // as they lie: lengths and entries
ch__attr ch__attr_str(ch__attr_id id, const char *s);
ch__attr ch__attr_array(ch__attr_id id, const ch__array *a);
ch__attr ch__attr_func(ch__attr_id id, ch_func *f);
ch__attr ch__attr_copy(ch__arena *a, ch__attr x); // deep (a FUNC stays a pointer)
bool ch__attr_equal(ch__attr x, ch__attr y);
const ch__attr *ch__op_attr(const ch__op *op, ch__attr_id id);                 // NULL when absent
int64_t ch__op_int(const ch__op *op, ch__attr_id id, int64_t absent);          // INT BOOL DTYPE and words
int64_t ch__op_entry(const ch__op *op, ch__attr_id id, int i, int64_t absent); // of INTS; absent behind their end too
// The local symbols that an alloc binds, one an operand, in order: the words of its attribute `symbols` (NULL: none).
int ch__alloc_symbols(ch__arena *a, const ch__attr *symbols, const char *const **out_names);
// Derivative rules of a composite. vjp: params the operands, the results, an adjoint per floating result; yields an
// adjoint per floating operand. jvp: params the operands, a tangent per floating operand; yields a tangent per floating
// result. Both in order; either may use values from outside, as the body may.
typedef enum { CH__RULE_VJP, CH__RULE_JVP, CH__RULE_KINDS } ch__rule_kind;
const char *ch__rule_word(ch__rule_kind kind);                        // "vjp" "jvp"
ch__region *ch__composite_rule(const ch__op *op, ch__rule_kind kind); // NULL: it has none
bool ch__rules_read(const char *rules, bool has[CH__RULE_KINDS]);     // the words of the attribute; false: not such
static inline bool ch__has_rules(const ch__op *op) { return op->code == CH_OP_composite && op->n_regions > 1; }
// The regions of op that a run may enter: all but a composite's rules.
static inline int ch__run_regions(const ch__op *op) { return op->code == CH_OP_composite ? 1 : op->n_regions; }
// Changing programs.
void ch__op_remove(ch__op *op); // unlinks; its results must have no uses left
void ch__op_move_before(ch__op *op, ch__op *pos);
const ch__loc *ch__loc_make(ch__arena *a, const char *file, int line, int col);
const ch__loc *ch__loc_back(ch__arena *a, const ch__loc *loc); // the same place, of an adjoint; NULL stays NULL

// ---------------------------------------------------------------- walk.c
// Every op of a region and of the regions inside, in order (an op before its regions). Does not recurse on op count;
// region nesting is limited to CH__MAX_NEST. fn may remove the op it is given.
#define CH__MAX_NEST 200
void ch__walk(ch__region *r, void (*fn)(void *arg, ch__op *op), void *arg);
// The ops of f and of every func that it calls, by however many calls; fn removes none.
void ch__walk_reached(ch__arena *scratch, const ch_func *f, void (*fn)(void *arg, ch__op *op), void *arg);
// Uses of each value: counts indexed by value id, operands and region results.
int32_t *ch__use_counts(ch__arena *scratch, ch_func *f);
// Replaces uses: map[id] is the replacement of the value with that id, or NULL; follows chains.
void ch__replace_uses(ch_func *f, ch__value **map);
void ch__renumber(ch_func *f);           // dense ids in order
int64_t ch__count_ops(const ch_func *f); // regions included
int64_t ch__count_op_code(const ch_func *f, ch__opcode code);

// ---------------------------------------------------------------- clone.c
// A value map from one func to another: by id of the source func (n: its n_values). An operand that is not in the map
// stays itself when source and target are one func. memo is clone.c's own (types and locations met, local sizes
// renamed); start NULL.
typedef struct {
    ch__value **to;
    int32_t n;
    struct ch__clone_memo *memo;
} ch__value_map;
// Clones op (with its regions) at the builder; operands through the map; results entered into it. Dims are
// substituted when sub is given (NULL: copied). Callees are mapped by `funcs` (old pointer -> new pointer; NULL: same
// module).
typedef struct {
    int n;
    const char *const *names;
    const ch__dim *dims;
} ch__dim_subs;
ch__op *ch__clone_op(ch__builder *b, const ch__op *op, ch__value_map *map, const ch__dim_subs *sub, ch__map *funcs);
// Clones the ops of a region at the builder (inlining): params must be in the map. Results: look up region->results
// in it.
void ch__clone_region_ops(ch__builder *b, const ch__region *r, ch__value_map *map, const ch__dim_subs *sub,
                          ch__map *funcs);
// A fresh module with f and every func it reaches, f first; ids renumbered. The clone of f is returned.
ch_func *ch__func_clone(const ch_func *f);
// f and all it reaches, cloned into module m (names made fresh where taken). `funcs` (may be NULL) gets old -> new.
ch_func *ch__func_clone_into(ch__module *m, const ch_func *f, ch__map *funcs);
// Dims of the callee in terms of the caller's, from the types of the arguments; one that does not follow from them
// raises, but of a callee traced within the caller it is the caller's own: n and m of f32[n + m,5].
ch__dim_subs ch__call_subs(ch__arena *a, const ch_func *callee, int n_args, const ch__type *const *args);

// ---------------------------------------------------------------- collective.c, sharding.c: many devices
#define CH__MAX_REPLICAS 4096
bool ch__is_collective(ch__opcode code); // what it gives depends on the other replicas, or on which one runs it
// How many replicas an op's groups are for; 0: it does not say (permute, replica_id and what is no collective).
int64_t ch__op_replicas(const ch__op *op);
bool ch__has_collectives(const ch_func *f); // f, or a func that it calls
// The row of groups in which a replica stands, its place there and the row's length; NULL: in none.
const int64_t *ch__group_of(const ch__attr *replicas, int64_t replica, int *place, int *n);
int ch__group_size(const ch__attr *replicas); // of the first row
// How an array lies on a mesh: text "mesh[x=2, y=4] [{x}, {y, ?}p1, {x:(1)2}] replicated={z}", see docs/distributed.md.
typedef struct {
    const char *axis;
    int64_t before, size; // a part of the axis, x:(before)size; size 0: all of it
} ch__axis_part;
typedef struct {
    int n;
    const ch__axis_part *parts;
    bool open;        // more may come
    int64_t priority; // -1: none
} ch__shard_dim;
typedef struct {
    const char *mesh;
    int n_axes;
    const char *const *axes;
    const int64_t *sizes;
    int rank;
    const ch__shard_dim *dims;
    int n_replicated;
    const ch__axis_part *replicated;
    const int64_t *ids; // device at each position of the mesh, row-major; NULL: 0, 1, ...
} ch__sharding;
// Reads such a text; what is wrong raises `attribute`, in the name of `who`.
const ch__sharding *ch__sharding_read(ch__arena *a, const char *who, const char *text);
void ch__sharding_print(ch__text *t, const ch__sharding *s);                // the one way to write it
void ch__mesh_print(ch__text *t, const ch__sharding *s, const char *quote); // [a=2, b=4] device_ids=[...]
// {a, b:(1)2, ?}, axes between quotes (Shardy's are in ").
void ch__axis_parts_print(ch__text *t, int n, const ch__axis_part *parts, bool open, const char *quote);
// It goes on an array of this rank, or raises.
void ch__sharding_fits(const ch__sharding *s, const char *who, const ch__type *type);
int64_t ch__sharding_devices(const ch__sharding *s);          // of the mesh
int64_t ch__sharding_pieces(const ch__sharding *s, int axis); // into how many an axis is cut
int64_t ch__axis_part_size(const ch__sharding *s, const ch__axis_part *p);
// Of a func's params and results; NULL: it says nothing.
const char *ch__param_sharding(const ch_func *f, int i);
const char *ch__result_sharding(const ch_func *f, int i);
void ch__set_param_sharding(ch_func *f, int i, const char *text); // params and results are there already
void ch__set_result_sharding(ch_func *f, int i, const char *text);

// ---------------------------------------------------------------- verify.c
void ch__verify(const ch_func *f); // raises verify, naming func, op and line
void ch__verify_module(const ch__module *m);

// ---------------------------------------------------------------- settle.c
// Takes over in every func the clauses that what it calls requires, until none is new: for transforms that build calls
// before callees are complete.
void ch__settle_calls(ch__module *m);

// ---------------------------------------------------------------- print.c, parse.c
// Inside ch__protect, those for messages too.
void ch__print_func(ch__text *t, const ch_func *f);
void ch__print_module(ch__text *t, const ch__module *m);  // "chaac-ir 1" and the funcs
void ch__print_meaning(ch__text *t, const ch__module *m); // the same without places in sources
void ch__print_op(ch__text *t, const ch__op *op);         // one line, for messages
void ch__print_value(ch__text *t, const ch__value *v);    // %name
// By value id: the names, with their %, that the text of f gives its values.
const char **ch__print_names(ch__arena *a, const ch_func *f);
// Raises parse with "name:line:col: message\n  source line\n  caret". Verified on success.
ch__module *ch__parse_module(const char *text, size_t n, const char *name);
// "x: f32[n,784], y: i32[n]" (also "<n in 1..64> x: ...") as params of f. Raises signature.
void ch__parse_signature(ch_func *f, const char *text);
const ch__type *ch__parse_type(ch__arena *a, const char *text);
// One op's attributes from text "dims = [0], kind = sum" (ch_op); raises attribute.
int ch__parse_attrs(ch__arena *a, ch__opcode code, const char *text, ch__attr **out);

// ---------------------------------------------------------------- libm.c: rows of libm.def
typedef struct {
    const char *name, *form, *derivative;
} ch__libm_row;
const ch__libm_row *ch__libm_find(const char *name); // NULL: none
const ch__libm_row *ch__libm_at(int i);              // NULL past the last

// ---------------------------------------------------------------- the border of a run (what engines are given)
typedef struct ch__limits {
    int64_t max_steps;          // ops executed; 0: none
    int64_t max_bytes;          // bytes of live intermediates; 0: none
    int max_depth;              // nested calls; 0: 1000
    const volatile int *cancel; // non-zero: stop with `cancelled`; may be NULL
    bool check;                 // CHAAC_CHECK=1: also report clamped indices and broken nowrap promises
    bool apart;                 // the caller gives memory for all results, of their sizes, that meets no other
    bool same_sizes;            // every run of the executable has these sizes
    struct ch__world *world;    // the replicas that run together (interp/replicas.c), and which of them this is; NULL:
    int replica;                // one alone
} ch__limits;

// One value at the border of a run. Inputs: data borrowed. donated: the run may overwrite and reuse data in place (a
// result may then come back in it). Outputs: data NULL on entry: allocated with ch__alloc_aligned(bytes, 64), the
// caller frees it by ch__free_aligned; else the result is written there (rank and dims must then be set and are
// checked). On failure nothing stays allocated.
typedef struct ch__slot {
    ch_dtype dtype;
    int rank;
    bool donated;
    int64_t dims[CH__MAX_RANK];
    void *data;
} ch__slot;

#endif
