// SPDX-License-Identifier: Apache-2.0
// tensor.h - the tensor layer inside: lazy expression nodes, scopes, traces, lowering to IR.
//
// A tensor is a reference-counted node: an expression over other tensors, data, or an error. Nodes share ops.def's
// shape rules with the IR; realize, gradient and capture lower them to IR once. Nothing here recurses on graph depth.
#ifndef CHAAC_TENSOR_INTERNAL_H
#define CHAAC_TENSOR_INTERNAL_H

#include <stdatomic.h>

#include "chaac/chaac.h"
#include "diff/diff.h"
#include "ir/ir.h"
#include "rt/rt.h"

// ---------------------------------------------------------------- node.c: nodes
typedef enum {
    CH__T_ERROR,  // carries the first error of its expression
    CH__T_DATA,   // no expression: host data, or detached
    CH__T_INPUT,  // placeholder of a trace
    CH__T_OP,     // one op with one result
    CH__T_GROUP,  // an op, call or composite with several results; never seen by users
    CH__T_RESULT, // result `index` of the group operands[0]
    CH__T_VERSION // what was assigned: the value of operands[0], which is in `assigned`
} ch__tensor_kind;

// A func shared by nodes that apply it (gradients, ch_func_apply, bodies of composites).
typedef struct ch__callee {
    atomic_int refs;
    ch_func *func;
    uint64_t *folded; // of a derivative: serials of the constant expressions that are part of it
    int64_t n_folded;
} ch__callee;

typedef struct ch__trace_state ch__trace_state;

// A value that a tensor had before it was assigned. Operands older than `until` read it (version.c).
typedef struct ch__version {
    struct ch__version *older;
    ch_tensor *value;
    uint64_t until;
    int64_t readers; // operands, of nodes that still have their expression
} ch__version;       // the list is newest first

#define CH__OPERAND_REF ((1LL << 32) + 1) // what an operand adds to refs

struct ch_tensor {
    atomic_llong refs; // low half: references; high half: how many of them are operands of nodes
    uint32_t magic;    // CH__TENSOR_LIVE, or dead: debug builds notice use after release
    uint8_t kind;
    uint8_t had_expression; // DATA that was computed: gradients do not pass
    uint8_t internal;       // made by an assignment: no user has it
    uint8_t ghost;          // a former value, DATA, whose storage was written in place: it is what came of it
    uint8_t queued;         // on a list of nodes to settle
    uint16_t opcode;        // OP, GROUP
    int32_t n_operands, n_attrs;
    int32_t index;     // RESULT, INPUT: which
    int32_t n_callees; // GROUP: 1 for call and composite, regions' bodies for control
    int32_t stamp;     // lowering: which one set `lowered`
    uint64_t serial;   // order of making on its thread: what is older than a trace lies outside it
    ch__type type;     // GROUP: unused
    ch_tensor **operands;
    ch__attr *attrs;
    ch__callee **callees;
    const char *where;              // the user's file:line, a literal
    ch__storage *storage;           // realized data, or NULL
    int64_t offset;                 // of the first element in storage, in elements
    int64_t *strides;               // of a view, in elements; NULL: row-major. Memory of its own
    _Atomic(ch__storage *) compact; // a view's elements in row-major order, made when first asked for
    ch__version *versions;          // former values, newest first; NULL: none that anything reads
    int64_t former_readers;         // of all of them
    ch_tensor *assigned;            // VERSION: operands points here. A former value: the tensor it was the value of
    ch_tensor *view_of;             // of a view that was assigned: what it is a view of
    uint64_t noted;                 // the scope that drops the history of assignments to it
    ch__trace_state *trace;         // the trace whose symbols the type or attributes mention; retained
    union {
        void *lowered;
        ch_tensor *next;
    };                     // ch__value* or ch__op*; next: while being destroyed
    ch__error_copy *error; // ERROR
};
enum { CH__TENSOR_LIVE = 0x7e45012u, CH__TENSOR_DEAD = 0xdeadc0deu };

// A new node that the innermost scope owns (GROUP nodes: the caller). Types and attributes are copied into it. Never
// NULL: out of memory gives the static error tensor. `where` is kept by pointer.
typedef struct ch__node_spec {
    ch__tensor_kind kind;
    ch__opcode opcode;
    const char *where;
    const ch__type *type;
    int n_operands;
    ch_tensor *const *operands;
    int n_attrs;
    const ch__attr *attrs;
    int n_callees;
    ch__callee *const *callees; // retained
    int index;
    ch__storage *storage;       // taken over
    const ch_tensor *layout_of; // the storage is seen as this tensor sees it; NULL: whole, row-major
} ch__node_spec;
ch_tensor *ch__node(const ch__node_spec *spec);
// The same, owned by the caller instead of the scope; NULL when memory ends (the storage is released).
ch_tensor *ch__node_owned(const ch__node_spec *spec);
// An error tensor from the thread's current error, prefixed with "where: ".
ch_tensor *ch__node_error(const char *where);
// The first operand that is an error tensor (or NULL / released: made one), else NULL.
ch_tensor *ch__first_error(const char *where, const char *what, int n, ch_tensor *const *operands);
void ch__tensor_release(ch_tensor *t);
// What the release of t will look at, on its way into the cache.
static inline void ch__tensor_fetch(const ch_tensor *t) {
    CH_PREFETCH((const char *)t - 16);
    CH_PREFETCH((const char *)t + 64);
    CH_PREFETCH((const char *)t + 128);
    CH_PREFETCH((const char *)t + 192);
}
void ch__tensor_drop_storage(ch_tensor *t);
void ch__tensor_release_operand(ch_tensor *t, uint64_t reader); // as an operand of the node with that serial
static inline int64_t ch__tensor_refs(const ch_tensor *t) {
    return (int64_t)(uint32_t)atomic_load_explicit(&t->refs, memory_order_acquire);
}
static inline int64_t ch__tensor_operands(const ch_tensor *t) { // how many references are operands
    return (int64_t)((uint64_t)atomic_load_explicit(&t->refs, memory_order_acquire) >> 32);
}
uint64_t ch__next_serial(void);                // a new one: younger than every node there is
void ch__tensor_drop_expression(ch_tensor *t); // a realized node becomes data
void ch__quarantine_clear(void);
ch__callee *ch__callee_create(ch_func *f); // takes f over; NULL when memory ends (f is destroyed)
void ch__callee_release(ch__callee *c);

// While it is on, nodes made on this thread are internal. Gives what it was.
bool ch__node_internal(bool on);

// ---------------------------------------------------------------- version.c: what a tensor was before assignments
// The value that the operand x had for a node with that serial.
ch_tensor *ch__version_at(ch_tensor *x, uint64_t reader);
static inline ch_tensor *ch__operand(const ch_tensor *t, int i) {
    ch_tensor *x = t->operands[i];
    return x->versions == NULL ? x : ch__version_at(x, t->serial);
}
// A tensor about to get another value: everything that can fail first.
typedef struct ch__change {
    ch_tensor *x, *value;
    uint64_t serial; // of the reading of value
    ch__version *former;
} ch__change;
ch_status ch__version_prepare(ch__change *c, ch_tensor *x, ch_tensor *value);
void ch__version_abandon(ch__change *c);
// x has the value of `value` (NULL: none, the caller gives it storage); what it was becomes a former value, as long as
// something reads it. base: x stays a view of it for the assignments to come.
void ch__version_commit(ch__change *c, const char *where, ch_tensor *base);
// x, a view, becomes the same view of what base is now.
void ch__version_again(ch__change *c, ch_tensor *base);
int64_t ch__version_readers(const ch_tensor *x); // operands that read the value x has now
int64_t ch__value_readers(const ch_tensor *t);   // operands that read a node, former values included
int64_t ch__version_former(const ch_tensor *x);  // operands that read what x was before
// An operand of that serial is gone; gives a value to release when it was its last.
ch_tensor *ch__version_unread(ch_tensor *x, uint64_t reader);

// ---------------------------------------------------------------- view.c: tensors over parts of a storage
static inline char *ch__tensor_data(const ch_tensor *t) { // of a row-major tensor
    return (char *)t->storage->data + (size_t)t->offset * ch__dtype_size(t->type.dtype);
}
// The elements in row-major order, of a view in memory that it makes once; NULL: no memory. Any thread may ask.
const void *ch__tensor_compact(const ch_tensor *t);
// Is opcode a view's: do the elements of its result lie in its first operand?
bool ch__is_view_op(int opcode);
ch_tensor *ch__view_base(const ch_tensor *t); // what t is a view (or a dynamic slice) of; NULL: it is none
// Gives t a view's storage when its expression is views of a realized tensor; false: it is not, or cannot be one.
bool ch__view_realize(ch_tensor *t);
void ch__tensor_take_layout(ch_tensor *t, const ch_tensor *from, int64_t **strides); // strides: room from ch__alloc
bool ch__tensor_is_whole(const ch_tensor *t);                                        // all of its storage, row-major
ch_status ch__tensor_copy_out(const ch_tensor *t, void *out);

// ---------------------------------------------------------------- inplace.c: assignments that a run can do in place
typedef struct ch__lowering ch__lowering;
typedef struct ch__run_plan {
    int n;           // results of the program
    ch_tensor **out; // nodes that get them
    ch__value **values;
    ch__storage **place; // in place in this storage; NULL: new memory
    int n_versions;
    ch_tensor **versions, **from; // VERSION nodes, and the node in out (or realized) whose value they have
    bool *donated;                // for each input of the lowering
} ch__run_plan;
// What a run of n lowered roots has to give besides, and what it may write in place. In ch__protect.
void ch__plan_make(ch__run_plan *p, ch__lowering *l, int n, ch_tensor *const *roots, ch__value *const *values);
// After the run: versions share what they are; what was written in place passes on, or is lost when the run failed.
ch_status ch__plan_finish(ch__run_plan *p, const ch__lowering *l, ch_status s, bool began);
ch_status ch__realize_now(int n, ch_tensor *const *t); // also while a jit records
// For what reads on the host: refused while a jit records.
ch_status ch__realize_to_read(const char *what, int n, ch_tensor *const *t);
// Data of the type that an engine gave, owned by the caller; takes the storage over. NULL: no memory, it is released.
ch_tensor *ch__result_tensor(const char *where, const ch__slot *s, ch__storage *storage);
const volatile int *ch__realize_cancel(void);       // the token of ch_set_cancel, or NULL
ch__limits ch__run_limits(const ch_run_options *o); // what a run is given by its options (NULL: none) and environment
// ch__compile, which that token stops.
ch_status ch__compile_watched(const ch_func *f, const char *engine, ch_exec **out_exec);
ch_tensor *ch__version_target(ch_tensor *t); // the node whose value t has: t, or what was assigned last

// ---------------------------------------------------------------- scope.c
bool ch__scope_note(ch_tensor *t); // the innermost scope drops the history of t when it ends; false: no memory
void ch__scope_unwind(ch_scope s);
int64_t ch__scope_held(ch_scope s, ch_tensor *const **out_items); // what an open scope and those inside it hold
void ch__thread_register(void);                                   // what the thread holds is released at its exit
bool ch__scope_add(ch_tensor *t); // the innermost scope takes a reference over; false: out of memory

// ---------------------------------------------------------------- op.c: expressions from operands and attributes
// One op with one result: broadcasts elementwise operands, runs the shape rule, gives a node or an error tensor. Typed
// ops get their result type.
ch_tensor *ch__op1(const char *where, ch__opcode code, int n, ch_tensor *const *operands, int n_attrs,
                   const ch__attr *attrs, const ch__type *type);
// The general form: several results.
void ch__op_n(const char *where, ch__opcode code, int n, ch_tensor *const *operands, int n_attrs, const ch__attr *attrs,
              int n_types, const ch__type *const *types, int n_out, ch_tensor **out);
// Several results of one group node. types: n_out of them. Releases nothing; fills out.
void ch__group_results(const char *where, ch_tensor *group, int n_out, const ch__type *const *types, ch_tensor **out);
// Applies a callee as `call` (inlined when lowered) or as `composite name {args}`.
void ch__apply(const char *where, ch__opcode code, int n_attrs, const ch__attr *attrs, ch__callee *callee, int n_in,
               ch_tensor *const *in, int n_out, ch_tensor **out);
// A library composite: fn is traced on placeholders of in's types; the result is one composite op with that body.
ch_tensor *ch__composite(const char *where, const char *name, const char *args, ch_tensor_fn fn, void *user, int n_in,
                         ch_tensor *const *in);

// Sizes given as integers; false: *error is an error tensor.
bool ch__host_dims(const char *where, const char *what, int rank, const int64_t *dims, ch__dim out[CH__MAX_RANK],
                   ch_tensor **error);
// The diagonal of axes a and b, of equal constant size, as a last axis.
ch_tensor *ch__diagonal(const char *where, ch_tensor *x, int a, int b);
// Right-aligned, to a shape; x itself when it has it.
ch_tensor *ch__broadcast_right(const char *where, ch_tensor *x, int rank, const ch__dim *dims);
// Whether n entries can stand in list: 0 to 16 of them, and not NULL; false: *error is an error tensor.
bool ch__op_list(const char *where, const char *what, const char *name, int n, const void *list, ch_tensor **error);
// An axis that may count from the end; false: *error is an error tensor.
bool ch__op_axis(const char *where, const char *what, const ch_tensor *x, int axis, int rank, int *out,
                 ch_tensor **error);

// ---------------------------------------------------------------- control.c: functions that become regions
// A traced function: a func whose params are its own inputs, then what it captured.
typedef struct ch__closure {
    ch__callee *callee;
    ch_tensor **captured; // borrowed tensors in memory of the closure
    int n_captured;
} ch__closure;
enum { CH__MAX_CLOSURES = 1 + CH__RULE_KINDS }; // of one op
// fn on placeholders of n types, giving n_out results of the `want` types (NULL: any). what and role speak in messages.
ch_status ch__close_over(const char *what, const char *role, ch_tensor_fn fn, void *user, int n,
                         const ch__type *const *types, int n_out, const ch__type *const *want, ch__closure *c);
void ch__closure_finish(ch__closure *c);
// The group of a region op over n_own operands and what k closures captured; given: inputs or state (for lowering).
ch_status ch__region_results(const char *where, ch__opcode code, int n_own, ch_tensor *const *own, int given,
                             int n_attrs, const ch__attr *attrs, int k, const ch__closure *c, int n_out,
                             const ch__type *const *types, ch_tensor **out);

// ---------------------------------------------------------------- lower.c: expressions to IR
struct ch__lowering {
    ch_func *func; // receives params and ops
    ch__builder b;
    int32_t stamp;
    ch__map leaves;               // DATA or realized tensor -> ch__value
    ch__map locs;                 // where -> ch__loc
    CH_VEC(ch_tensor *) inputs;   // the leaves, in order of the params made for them
    CH_VEC(ch_tensor *) versions; // VERSION nodes that were lowered
    bool constants;               // leaves become constants (capture) instead of params
    bool strict;                  // ... and are refused
    uint64_t outside_before;      // closures: nodes older than this serial become further params; 0: none do
    bool gradient;                // only what depends on a cut, constants and integers are expanded
    ch__map active;               // ... nodes that depend on a cut
    ch__map varies;               // ... others that depend on data
    int n_cuts;                   // tensors that are leaves whatever their expression
    ch_tensor *const *cuts;
};
void ch__lowering_init(ch__lowering *l, ch_func *f);
// Values of n tensors; raises the error that an error tensor carries, not_realized, capture_constant.
void ch__lower(ch__lowering *l, int n, ch_tensor *const *t, ch__value **out);
ch__value *ch__lowered_leaf(ch__lowering *l, ch_tensor *t); // param made for a leaf; NULL: none

// ---------------------------------------------------------------- capture.c
struct ch__trace_state {
    atomic_int refs;
    ch__trace_state *outer; // of this thread, while active
    ch__module *module;     // arena of symbols and types; the func being captured
    ch_func *func;
    ch_func *requires_func; // takes requires clauses: the outermost func of nested traces
    ch_tensor **inputs;
    int n_inputs;
    bool active;
    uint64_t first_serial; // nodes made before belong to the outside
    ch_scope scope;
};
ch__trace_state *ch__trace_current(void); // of this thread, or NULL
void ch__trace_release(ch__trace_state *t);
// A trace with inputs of given types (composite bodies, control regions). NULL: error set.
ch__trace_state *ch__trace_open(const char *name, int n, const ch__type *const *types);
// Ends it: the func of the outputs, or NULL with the error set. The func's module belongs to the caller. captured NULL:
// data reached from outside becomes constants. Else the func is a closure: tensors from outside become further params,
// listed in *captured (ch__free it; the tensors are borrowed).
ch_func *ch__trace_close(ch__trace_state *t, int n_out, ch_tensor *const *out, const ch_capture_options *o,
                         ch_tensor ***captured, int *n_captured);
void ch__trace_drop(ch__trace_state *t);
// A trace whose inputs are those of a signature, then n of given types, then for each variable an i8[name,0]: its size
// is the variable. signature may be NULL.
typedef struct {
    const char *name;
    int64_t lo, hi;
} ch__trace_var;
ch__trace_state *ch__trace_open_vars(const char *name, const char *signature, int n, const ch__type *const *types,
                                     int n_vars, const ch__trace_var *vars);
// One more input, after the others. An error tensor when memory ends.
ch_tensor *ch__trace_add_input(ch__trace_state *t, const char *where, const char *name, ch_dtype dtype, int64_t dim);
// The func of the outputs, as ch__trace_close gives it; the trace goes on. NULL: the error is set.
ch_func *ch__trace_func(ch__trace_state *t, int n_out, ch_tensor *const *out, ch_tensor ***captured, int *n_captured);
void ch__trace_suspend(ch__trace_state *t); // the thread's trace is what was before; the innermost one only
void ch__trace_resume(ch__trace_state *t);
ch_status ch__callback_failed(ch_status s, const char *what, const char *role);

// ---------------------------------------------------------------- data.c
size_t ch__type_bytes(const ch__type *t); // static types; SIZE_MAX on overflow or symbolic
// False: a view whose elements no memory could be made for.
bool ch__tensor_slot(const ch_tensor *t, ch__slot *s);
double ch__element_f64(ch_dtype dtype, const void *data, int64_t i); // any dtype as a number

#endif
