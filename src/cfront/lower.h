// SPDX-License-Identifier: Apache-2.0
// lower.h - from the tree to IR. Private to lower_*.c; cfront.h has what others call.
//
// Memory. An object (a variable, what a parameter points to, what malloc gave) has a slot for each scalar leaf of its
// type: a rank-0 value when there is one of it, else an array of rank 1 with all of them in order. So an array of
// structs is one array a field. A pointer is a target (which leaves of which object) and an index counted in elements
// of what it points to; where paths meet it may have several targets and a number that says which.
//
// State. An env says what each slot holds at a point of the program. Branches work on copies, which are joined into the
// results of an `if`. In a loop's body slots of outside are lazy: the first use makes a placeholder; at the end those
// that changed become values that go round, the placeholders of the others are replaced by the value from outside.
#ifndef CHAAC_CFRONT_LOWER_H
#define CHAAC_CFRONT_LOWER_H

#include <string.h>

#include "cfront/cfront.h"
#include "opt/opt.h"

typedef struct cf_object cf_object;
typedef struct cf_frame cf_frame;
typedef struct cf_leaf {
    cf_type *type;    // scalar or pointer
    const char *path; // "" or ".x", ".p.x"
    int64_t fixed;    // how many in one object's element; -1: times says
    ch__value *times;
    int slot;
    ch_dtype dtype; // in memory; of a pointer: 0
    bool is_array;  // a rank-1 value
} cf_leaf;
struct cf_object {
    const char *name;
    cf_type *type; // of one element
    int64_t fixed; // elements; -1: count says, or nobody knows
    ch__value *count;
    CH_VEC(cf_leaf) leaves;
    cf_loc loc;
    bool constant; // writing is refused, `why` says so
    const char *why;
    int param;               // of the lowered function; -1: none
    bool border;             // a parameter, or what one leads to: decl is the parameter,
    const char *via;         // by which pointers, as in cf_reached
    cf_type *holder;         // of the last of them: the type of the object it is in
    cf_type *rows;           // what the rows of a parameter are together: an array of arrays; NULL: it is none
    bool read, written;      // what was done to it
    bool indexed;            // at another place than its start
    bool raw;                // of malloc, before it is known what for: no leaves yet
    ch__value *bytes;        // then
    struct cf_env *where;    // and where it was made
    uint64_t made;           // by which call of malloc; 0: by none
    bool several;            // for all turns of a loop
    const struct cf_ptr *at; // raw memory that got its type: where it is
    cf_decl *decl;
};

typedef struct cf_target {
    cf_object *o; // NULL: the null pointer, or a function
    cf_decl *function;
    int first, n;                 // leaves
    cf_type *type;                // what is pointed to
    bool alone;                   // not an element of an array: no arithmetic
    const char *text;             // a string literal, with its quotes: compared, and not read
    bool refused;                 // what it should point to was refused: said already, or
    const struct cf_doubt *doubt; // in doubt
    bool forgets;                 // see cf_doubtful_pointer
} cf_target;
typedef struct cf_ptr {
    int n;
    cf_target *to;
    ch__value *which; // i64; NULL: the only one
    ch__value *index; // i64; NULL: 0
} cf_ptr;

typedef CH_VEC(cf_target) cf_targets;

typedef struct cf_state {
    ch__value *v; // NULL: not set yet
    const cf_ptr *p;
    bool lazy;
} cf_state;
typedef struct cf_slot {
    const char *name;
    const ch__type *type; // NULL: a pointer
    cf_object *o;
    ch__value *fixed;              // constant memory: what it holds
    const cf_ptr *fixed_pointer;   // the same of a pointer
    const cf_ptr **fixed_pointers; // and of an array of pointers; NULL there: null
    cf_targets *targets;           // an array of pointers: all that its elements may point to, and
    int places, whiches;           // slots: of each element the index there, and which
    ch__value *stride;             // or element i is at i * stride: rows of a parameter
} cf_slot;

typedef struct cf_env cf_env;
typedef CH_VEC(int) cf_slots;
typedef struct cf_import {
    int slot;
    cf_state inside, outside;
} cf_import;
typedef struct cf_pool_wish { // n elements in each turn
    uint64_t site;
    cf_type *of;
    ch__value *n;
    cf_loc at;
} cf_pool_wish;
typedef struct cf_pool {
    uint64_t site;
    const cf_env *outer; // before which loop
    const cf_ptr *all;
} cf_pool;
struct cf_frame { // a loop's body
    cf_env *outer;
    const cf_node *node; // a counted one: the statement, its counter and bounds
    ch__value *counter, *lo, *hi;
    int64_t step;
    CH_VEC(cf_pool_wish) pools; // see lower_pool.c
    int n_slots;                // when it began,
    int64_t *counts;            // and of each slot with a list of targets, how many; NULL: there is none
    int64_t n_targets;          // and targets of arrays of pointers among them
    CH_VEC(cf_import) imports;
};
enum { CF_JUMP_CONTINUE = 1, CF_JUMP_BREAK = 2, CF_JUMP_RETURN = 4, CF_JUMP_GOTO = 8 };
enum { CF_PAGE = 32 };
typedef struct cf_page {
    uint64_t owner;
    cf_state s[CF_PAGE];
} cf_page;
struct cf_env {
    ch__builder b;
    cf_page **pages; // of slots; shared with the env it was a copy of until they are written
    int n_pages, cap, n;
    int n_before;    // a branch: slots when it was begun
    uint64_t token;  // of the pages that are its own
    cf_frame *frame; // NULL: the function's body
    cf_env *parent;  // a branch: of which, when this is so
    ch__value *pred;
    bool negated;
    bool falls;     // the end may be reached
    unsigned jumps; // kinds that may be under way
};

// A value of C.
typedef struct cf_rv {
    ch__value *v;    // arithmetic; bool[] stands for an int
    const cf_ptr *p; // a pointer; of a struct: where it lies
    cf_type *type;
} cf_rv;

// A call of a C function that is being lowered in place.
typedef struct cf_call {
    struct cf_call *outer;
    cf_decl *f;
    cf_node *site;
    int result; // slot of the value, or -1
    cf_object *result_object;
    int jump;                    // slot of the jump under way
    ch__map vars;                // cf_decl -> cf_object
    CH_VEC(const char *) labels; // that a goto may go to
    unsigned open;               // those around whose loops are being lowered: gotos may lead back to them
} cf_call;

typedef struct cf_access { // at an index that is known when the loops around are done
    cf_object *o;
    ch__value *index;
} cf_access;

typedef struct cf_doubt { // something that is not understood and gives a value
    const char *code, *way, *text;
    cf_loc at;
    const cf_call *call; // where
    bool quiet;          // no warning when it does not matter
    uint64_t pool;       // an array of all turns would do; 0: it would not
} cf_doubt;
typedef struct cf_doubtful_value {
    const cf_doubt *d;
    ch__value *v;
} cf_doubtful_value;

typedef struct cf_lower {
    ch__arena *a; // of the module
    cf_program *program;
    cf_report *report;
    ch_func *func;
    cf_env *env; // where code goes
    cf_call *call;
    CH_VEC(cf_slot) slots;
    CH_VEC(cf_pool) pools;
    bool any_rows;    // arrays of pointers
    ch__map inlined;  // function -> how many times, plus one
    ch__map in_doubt; // values
    uint64_t tokens;  // of envs
    cf_page *lazy_page;
    ch__map extents;  // size expression -> its value
    ch__map globals;  // cf_decl -> cf_object
    ch__map replaced; // placeholder -> the value from outside
    CH_VEC(ch__value *) placeholders;
    int depth, tries;
    cf_slots *log; // slots read, while somebody wants to know
    CH_VEC(cf_access) accesses;
    CH_VEC(cf_object *) objects;
    CH_VEC(cf_doubtful_value) doubts;
    const cf_doubt *given_up;    // in a loop whose pointers never settle
    CH_VEC(cf_object *) escaped; // functions that are not known may write them
    ch__map outlined;            // recursive functions: key -> cf_outlined
    cf_directive *directive;
    cf_lowered *out;        // NULL: a func of a recursive function
    int stop;               // slot: 0, 1 abort was called, 2 + status exit was
    bool in_rule, saw_stop; // in the body of a function with a rule; abort was called there
    bool gave_up;
    bool again;         // a parameter was found to point to several structs
    const char *policy; // of the loop whose body just began
    int n_calls;
} cf_lower;

// ---------------------------------------------------------------- lower_doubt.c
// An error at a place; lowering goes on with a value of zero, nothing is written.
void cf_refuse(cf_lower *l, const char *code, cf_loc at, const char *way, const char *fmt, ...) CH_PRINTF(5, 6);
// A value that cannot be given: an error when the function is lowered and it still matters, else a warning.
cf_doubt *cf_doubt_of(cf_lower *l, const char *code, cf_loc at, const char *way, const char *fmt, ...) CH_PRINTF(5, 6);
ch__value *cf_doubtful(cf_lower *l, const cf_doubt *d, const ch__type *t,
                       ch__value *from); // from: flows into it, or NULL
// What is read through it is in doubt. forgets: so is what is written, which may be lost; else writing is refused.
const cf_ptr *cf_doubtful_pointer(cf_lower *l, const cf_doubt *d, bool forgets);
cf_rv cf_doubtful_rv(cf_lower *l, const cf_doubt *d, cf_type *type);
void cf_doubt_memory(cf_lower *l, const cf_target *to, const cf_doubt *d); // all of the leaves
bool cf_settle_doubts(cf_lower *l);                                        // false: one of them matters

// ---------------------------------------------------------------- lower.c
// A leaf of an object as a param of the func; d: the C parameter, or a variable of the file.
void cf_input_leaf(cf_lower *l, cf_object *o, int k, cf_decl *d, bool by_pointer);

// ---------------------------------------------------------------- lower_reach.c
// A pointer in memory of a parameter that nothing has set: the function is lowered again, with what it points to.
const cf_ptr *cf_reach(cf_lower *l, const cf_object *o, const cf_leaf *leaf, cf_loc at);
void cf_reach_as(cf_lower *l, const cf_object *o, cf_type *as); // the same of void *
bool cf_reach_many(cf_lower *l, const cf_object *o);            // the same of one struct that is several
void cf_input_behind(cf_lower *l, cf_object *o);                // all that is known to be reached from it
void cf_input_rows(cf_lower *l);                                // what arrays of pointers among them lead to
// lower_shape.c: what double **p points to as an array [n][m], from CH_SHAPE(p, n, m); NULL: nothing says it.
cf_type *cf_rows_type(cf_lower *l, const cf_decl *d, const char *via, cf_type *scalar);
cf_object *cf_input_object(cf_lower *l, cf_decl *d, cf_type *type, const char *via, cf_type *holder, int64_t fixed);

// ---------------------------------------------------------------- lower_pool.c
uint64_t cf_site_key(const cf_lower *l, const cf_node *call);
const cf_ptr *cf_new_memory(cf_lower *l, uint64_t site, cf_object *o, cf_type *of, ch__value *n);
bool cf_made_in(const cf_frame *f, const cf_object *o);
uint64_t cf_pool_key(const cf_frame *f, const cf_object *o);
bool cf_want_pool(cf_lower *l, uint64_t key);
bool cf_make_pools(cf_lower *l, cf_env *outer, cf_env *body);

// ---------------------------------------------------------------- lower_state.c
int cf_new_slot(cf_lower *l, const char *name, const ch__type *type, cf_object *o);
const cf_state *cf_peek(const cf_env *e, int slot);             // as it is
cf_state *cf_poke(cf_lower *l, cf_env *e, int slot);            // to be written
int cf_next_changed(cf_lower *l, const cf_env *body, int slot); // from slot on: the first that is not lazy
const cf_state *cf_use(cf_lower *l, cf_env *e, int slot);       // brought in when it is lazy
ch__value *cf_get_slot(cf_lower *l, int slot);                  // a scalar or array; zero when it is not set
void cf_set_slot(cf_lower *l, int slot, ch__value *v);
enum { CF_REPEATED_OPERANDS = 3 };
bool cf_is_repeatable(const ch__value *v); // a number, of arithmetic that may be done at another place,
ch__value *cf_repeated(cf_lower *l, const ch__value *v, ch__value *const *operands); // again, of these operands
ch__value *cf_size_before(cf_lower *l, ch__value *size, cf_env **root);              // of memory made in a branch
void cf_set_slot_from(cf_lower *l, cf_env *root, int slot, ch__value *v);
const cf_ptr *cf_get_pointer(cf_lower *l, int slot);
void cf_set_pointer(cf_lower *l, int slot, const cf_ptr *p);
cf_env *cf_branch(cf_lower *l, cf_env *from, ch__region *r);        // a copy that writes into r
void cf_fork(cf_lower *l, ch__value *pred, cf_env **x, cf_env **y); // of l->env: where pred is true, where it is not
// `if` of two branches: makes the op at `into`, whose state becomes the joined one. extra: a value each (or NULL).
ch__value *cf_join(cf_lower *l, cf_env *into, ch__value *pred, cf_env *x, cf_env *y, ch__value *vx, ch__value *vy);
cf_env *cf_loop_body(cf_lower *l, cf_env *outer, ch__region *r);
bool cf_changed(cf_lower *l, cf_env *body, int slot);                    // since the body began
const cf_ptr *cf_widened(cf_lower *l, const cf_ptr *x, const cf_ptr *y); // targets of both, no which
const cf_ptr *cf_as(cf_lower *l, const cf_ptr *p, const cf_ptr *list);   // p with the targets of list
bool cf_same_targets(const cf_ptr *x, const cf_ptr *y);
bool cf_same_target(const cf_target *x, const cf_target *y);

// ---------------------------------------------------------------- lower_value.c: numbers
ch_dtype cf_held(const cf_type *t);   // dtype of a value of the type
ch_dtype cf_memory(const cf_type *t); // in memory
ch__value *cf_i64(cf_lower *l, int64_t v);
ch__value *cf_number(cf_lower *l, const cf_type *t, int64_t i, double f);
ch__value *cf_zero(cf_lower *l, const ch__type *t);
ch__value *cf_plain(cf_lower *l, ch__value *v); // bool[] as i64
ch__value *cf_truth(cf_lower *l, ch__value *v); // v != 0
ch__value *cf_index(cf_lower *l, ch__value *v); // as i64
ch__value *cf_convert(cf_lower *l, ch__value *v, const cf_type *from, const cf_type *to);
ch__value *cf_arith(cf_lower *l, cf_op op, const cf_type *t, ch__value *x, ch__value *y);
ch__value *cf_compare(cf_lower *l, cf_op op, ch__value *x, ch__value *y);
ch__value *cf_add_index(cf_lower *l, ch__value *x, ch__value *y); // NULL is 0
ch__value *cf_mul_index(cf_lower *l, ch__value *x, ch__value *y); // NULL is 1
bool cf_decided(const ch__value *v, bool *out);                   // a condition that is known here
bool cf_known(const ch__value *v, int64_t *out);                  // a constant integer

// ---------------------------------------------------------------- lower_object.c
cf_object *cf_new_object(cf_lower *l, const char *name, cf_type *type, int64_t fixed, ch__value *count, cf_loc loc);
void cf_give_type(cf_lower *l, cf_object *o, cf_type *type, int64_t fixed, ch__value *count); // its leaves
void cf_make_storage(cf_lower *l, cf_object *o);          // zeros in every array leaf, nothing in the others
ch__value *cf_extent(cf_lower *l, cf_type *array);        // of one dimension
ch__value *cf_units(cf_lower *l, cf_type *t);             // leaves of an array type; NULL: 1
void cf_declare_extents(cf_lower *l, cf_type *t);         // evaluates them here
void cf_forget_targets(cf_lower *l, const cf_frame *f);   // added since the body began
int64_t cf_count_targets(const cf_lower *l, int n_slots); // lower_rows.c
void cf_make_rows(cf_lower *l, const cf_leaf *leaf, ch__value *zeros, cf_env *root); // i64, as many as there are
void cf_rows_of(cf_lower *l, const cf_leaf *leaf, const cf_ptr *all, ch__value *stride);
void cf_null_rows(cf_lower *l, const cf_leaf *leaf); // elements that are not set are null
cf_rv cf_load_row(cf_lower *l, const cf_object *o, const cf_leaf *leaf, ch__value *index, cf_type *type, cf_loc at);
void cf_store_row(cf_lower *l, const cf_leaf *leaf, ch__value *index, const cf_ptr *p);
void cf_doubt_rows(cf_lower *l, const cf_leaf *leaf, const cf_doubt *d);
cf_rv cf_load(cf_lower *l, const cf_ptr *p, cf_type *type, cf_loc at);
void cf_store(cf_lower *l, const cf_ptr *p, cf_rv v, cf_type *type, cf_loc at);
const cf_ptr *cf_address(cf_lower *l, cf_object *o);
const cf_ptr *cf_null(cf_lower *l);
const cf_ptr *cf_nowhere(cf_lower *l); // where a pointer was refused
const cf_ptr *cf_field_of(cf_lower *l, const cf_ptr *p, const cf_type *of, int field, cf_loc at);
const cf_ptr *cf_element(cf_lower *l, const cf_ptr *p, cf_loc at); // an array's first element
const cf_ptr *cf_moved(cf_lower *l, const cf_ptr *p, ch__value *by, cf_loc at);
void cf_store_one(cf_lower *l, const cf_target *t, ch__value *index, cf_rv v, cf_type *type, cf_loc at);
char *cf_identifier(ch__arena *a, const char *s); // v->data as v_data
int cf_count_leaves(const cf_type *t);
const char *cf_object_name(const cf_object *o);

// ---------------------------------------------------------------- lower_init.c, lower_global.c
void cf_initialize(cf_lower *l, const cf_ptr *p, cf_type *type, cf_node *init);
void cf_fill_zero(cf_lower *l, const cf_ptr *p, cf_type *type, cf_loc at);
// The bytes of each leaf; false: not made of constants.
bool cf_initialize_constant(cf_lower *l, cf_object *o, cf_node *init, uint8_t **bytes);
cf_object *cf_variable(cf_lower *l, cf_decl *d, cf_loc at);
void cf_begin_states(cf_lower *l); // static numbers that change, with values in doubt
void cf_end_states(cf_lower *l);   // warns of those that were written

// ---------------------------------------------------------------- lower_expr.c
cf_rv cf_value(cf_lower *l, cf_node *n);
ch__value *cf_scalar(cf_lower *l, cf_node *n);    // an arithmetic value, as n's type is held
ch__value *cf_condition(cf_lower *l, cf_node *n); // bool[]
const cf_ptr *cf_place(cf_lower *l, cf_node *n);  // of an lvalue
bool cf_cheap(const cf_node *n);

// ---------------------------------------------------------------- lower_call.c, lower_libm.c
cf_rv cf_lower_call(cf_lower *l, cf_node *n);
bool cf_libm_call(cf_lower *l, const char *name, cf_node *n, cf_rv *out);
cf_rv cf_inline(cf_lower *l, cf_decl *f, int n_args, cf_rv *args, cf_node *site);
cf_rv cf_call_in_doubt(cf_lower *l, cf_decl *f, int n_args, const cf_rv *args, const cf_doubt *d);
cf_rv cf_allocated(cf_lower *l, cf_node *call, cf_type *pointer);
const cf_ptr *cf_typed_memory(cf_lower *l, const cf_ptr *p, cf_type *as, cf_loc at); // p: to raw memory, else p
cf_decl *cf_with_body(cf_lower *l, cf_decl *f); // the definition, in any file; f itself: there is none
// lower_rule.c
cf_rv cf_call_with_rule(cf_lower *l, cf_decl *f, cf_rv *args, cf_loc at);
// lower_recursive.c
bool cf_is_recursive(cf_lower *l, cf_decl *f);
bool cf_stays_call(cf_lower *l, cf_decl *f, int n_args, const cf_rv *args); // large, and called often
cf_rv cf_call_outlined(cf_lower *l, cf_decl *f, int n_args, cf_rv *args, cf_loc at);
void cf_replace_placeholders(cf_lower *l); // lower.c
const char *cf_called(const cf_node *call, cf_decl **f);

// ---------------------------------------------------------------- lower_stmt.c, lower_loop.c
void cf_statement(cf_lower *l, cf_node *n);
void cf_statements(cf_lower *l, int n, cf_node *const *list);
void cf_end_of_function(cf_lower *l);
void cf_jump(cf_lower *l, int kind, int code);  // what follows is skipped
void cf_take_jumps(cf_lower *l, unsigned kind); // those under way of a kind end here
void cf_unless_jumping(cf_lower *l, void (*fn)(cf_lower *l, void *arg), void *arg);
void cf_loop(cf_lower *l, cf_node *n);
// Statements that begin at a label some of them go back to: again as long as one did.
void cf_label_loop(cf_lower *l, int n, cf_node *const *list, unsigned bit);
bool cf_has_effects(const cf_node *n);
void cf_copy_loop(cf_lower *l, ch__value *n, void (*body)(cf_lower *l, void *arg, ch__value *i), void *arg);

#endif
