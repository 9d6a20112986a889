// SPDX-License-Identifier: Apache-2.0
// diff.h - the transforms that differentiate: a func in, a new func in a fresh module out.
//
//   wrt.c        which params
//   activity.c   which values lie on a path from wrt to the results, calls included
//   reverse.c    the primal ops kept as they are, then one rule per op backwards; one func per call of a kind
//   forward.c    every primal op and beside it one rule for the tangents of its results; one func per call of a kind
//   jacobian.c   a derivative func run over the basis vectors of one side
//   refuse.c     ops on the way that have no rule, all of them at once
//   rule.c       the table of rules and what rules are written with
//   rules_*.c    the rules, one family a file
//   reverse_loop.c, keep.c, restore.c, undo.c, loop_trips.c, loop_policy.c, revolve.c
//                loops: the reverse loop, what is kept of each iteration for it, arrays that are put back, how often it
//                goes round, policies that keep less
//   share.c, share_calls.c, linear.c, uses.c
//                a loop and its reverse loop as one, a call and its adjoint too
//   alone.c      what loops add to one element, as a number
//   transform.c  the public functions
#ifndef CHAAC_DIFF_H
#define CHAAC_DIFF_H

#include "ir/ir.h"
#include "opt/opt.h"

typedef struct ch__reverse_options {
    int n_wrt;
    const int *wrt;     // param indices; each floating
    bool include_value; // the first result(s) of f come first
    bool seeds;   // vjp: a seed param per floating result; else the first result must be a floating scalar, seed 1
    bool lenient; // a wrt that cannot influence the result gives zeros without a word
    bool raw;     // do not optimize the result
} ch__reverse_options;
// Results: without seeds the value (when included), the gradients, and (with the value) f's other results; with seeds
// f's results (when included), then the adjoints. Gradients are named <param>_bar, seeds <result>_bar or bar0, bar1,
// ... Raises not_differentiable with every op that has no rule on an active path, one a line with its source line;
// gradient_scalar, gradient_integer. A wrt that cannot influence the result: ch__log warning and a zero gradient, or,
// when no wrt of the list can, gradient_detached.
ch_func *ch__reverse(const ch_func *f, const ch__reverse_options *o);
// "w1, b1" to param indices; NULL: every floating param. Raises no_param (listing those there are), gradient_integer.
int ch__parse_wrt(ch__arena *a, const ch_func *f, const char *wrt, int **out);

typedef struct ch__forward_options {
    int n_wrt;
    const int *wrt;     // param indices; each floating
    bool include_value; // f's results come first
    bool lenient;       // a wrt that cannot influence the results gives zeros without a word (second derivatives)
    bool raw;           // do not optimize the result
} ch__forward_options;
// Params of f, then a tangent <param>_dot for each wrt; results: f's own (when included), then <result>_dot for each
// floating one. Raises as ch__reverse does.
ch_func *ch__forward(const ch_func *f, const ch__forward_options *o);
// guards.c: strong zeros that the func has from an earlier derivative become such that can be differentiated.
void ch__open_guards(ch_func *f);
// Params of f; a block <result>_<param>_jac, result dims then param dims, for every floating result and wrt.
ch_func *ch__jacobian(const ch_func *f, int n_wrt, const int *wrt);
// Forward over reverse: blocks <param>_<param>_hess; products <param>_hvp with a vector <param>_dot per wrt.
ch_func *ch__hessian(const ch_func *f, int n_wrt, const int *wrt);
ch_func *ch__hvp(const ch_func *f, int n_wrt, const int *wrt);

// ---------------------------------------------------------------- activity.c
// A value is varied when it depends on a varied param through operations that pass a derivative on; active when it is
// varied and an active result depends on it likewise.
enum { CH__VARIED = 1, CH__ACTIVE = 2 };
// One func with given varied params and active results (bytes, 1 or 0). Recursive calls reach the least fixed point.
typedef struct ch__use {
    ch_func *func;
    const uint8_t *varied_in, *active_out;
    uint8_t *varied_out, *active_in; // what follows from them
    uint8_t *bits;                   // by value id of func
    // activity.c's own
    bool backward, queued;
    bool refused; // an active op has no rule, or is a call, which has to be looked into
    CH_VEC(struct ch__use *) dependents;
} ch__use;
typedef struct ch__activity {
    ch__arena *arena;
    ch__strmap uses;
    CH_VEC(ch__use *) all, fresh, again;
    ch__use *current;
    bool forward;   // forward mode: a tape is varied from its making on when anything varied is pushed
    bool unsettled; // activity.c's own: such a tape was found
} ch__activity;
void ch__activity_init(ch__activity *act, ch__arena *a);
// The finished use of f; of the funcs it calls too.
ch__use *ch__activity_of(ch__activity *act, ch_func *f, const uint8_t *varied_in, const uint8_t *active_out);
// The use that a call with active results means inside the func of use u.
ch__use *ch__activity_call(ch__activity *act, const ch__use *u, const ch__op *call);
bool ch__carries(const ch__type *t); // whether values of the type can carry a derivative (floats, f8, tapes of them)

// ---------------------------------------------------------------- share.c
// The adjoint funcs that a derivative made: to the func that each is of; to the func that gives results and adjoints.
typedef struct ch__calls {
    ch__map primal, both;
    ch__map adds; // set ops that add to an element of an adjoint
} ch__calls;
// Loops of the primal sweep and their reverse loops as one, where nothing has to wait; optimized.
void ch__share_loops(ch_func *f, const ch__calls *calls);
// The same with calls and their adjoints.
void ch__share_calls(ch_func *f, const ch__calls *calls);
// alone.c: elements of adjoints that a loop only adds to, the same in every turn, as numbers while it runs; optimized.
void ch__sum_alone(ch_func *f, const ch__calls *calls);

// ---------------------------------------------------------------- rule.c
typedef struct ch__vjp ch__vjp;
// How derivatives pass an op.
typedef struct ch__rule {
    void (*reverse)(ch__vjp *c); // NULL: no derivative, the op's row of ops.def says why
    void (*forward)(ch__vjp *c); // the same
    bool whole;                  // the forward rule writes the primal op too
    uint32_t blocks;             // bit i: nothing flows through operand i (bit 31: 31 and above)
    bool pairwise;               // operand i flows to result i only
} ch__rule;
extern const ch__rule *const ch__rules[CH_OP_COUNT];
// Whether a derivative flows from operand i to result j.
bool ch__rule_flows(const ch__op *op, int i, int j);
// Why op has no reverse rule, or NULL when it has one. f8 results and cmath functions without derivative are found
// here.
const char *ch__rule_missing(const ch__op *op);
const char *ch__rule_missing_forward(const ch__op *op);

// The reverse sweep over one func.
typedef struct ch__sweep {
    ch__arena *scratch;
    ch__activity *activity;
    const ch__use *use;    // the func whose ops are the keys, with what is active in it
    struct ch__plan *plan; // reverse.c's: derivative funcs wanted
    ch_func *func;         // where the sweep is written
    ch__builder b;
    ch__value_map map;   // key value -> value in func; absent: itself
    ch__value **adjoint; // key value id -> the sum of the adjoints so far; NULL: zero
    uint8_t *masked;     // key value id -> the adjoint may be zero where the derivative is inf or NaN
    int32_t *seen;       // key value id -> scratch stamps
    int32_t stamp;
    uint32_t reads[CH_OP_COUNT]; // bit i: operand i may be read, bit 31: the results
    // restore.c, by key value id: what stands for a key in place of the map's; what a set overwrites. Forwards: NULL.
    ch__value **restored, **overwritten;
    CH_VEC(const ch__value *) restored_keys; // keys that may be restored
    // forward mode
    struct ch__forward_plan *forward; // forward.c's: derivative funcs wanted
    ch__value **tangent;              // key value id -> its tangent; NULL: zero
} ch__sweep;

// What a rule is given. `op` is the primal op as the func holds it, `key` the same op as the activity knows it.
struct ch__vjp {
    ch__sweep *s;
    const ch__op *op, *key;
    bool masked; // some result's adjoint is masked: products are guarded, and mask on
    bool guards; // products are guarded here, whatever comes in
    // While ch__jvp_diagonal asks the reverse rule of an elementwise op (else along is NULL):
    ch__value *along; // the tangent of operand `from`, in the place of the adjoint of result `to`
    int from, to;
    ch__value *sum; // what was given so far
};
ch__value *ch__vjp_operand(ch__vjp *c, int i);         // asserts that the op's row reads it
ch__value *ch__vjp_result(ch__vjp *c, int j);          // the same
ch__value *ch__vjp_adjoint(const ch__vjp *c, int j);   // of result j; NULL: zero
const ch__type *ch__vjp_type(const ch__vjp *c, int i); // of operand i (the type is not the value)
bool ch__vjp_wants(const ch__vjp *c, int i);           // operand i is active: an adjoint is worth computing
// Adds v to operand i's adjoint; v has the operand's shape; another float dtype is converted, axis names are put right.
void ch__vjp_give(ch__vjp *c, int i, ch__value *v);
// Linear accumulators: operand i's adjoint so far (zeros when there is none) is taken out, changed in place, and put
// back.
ch__value *ch__vjp_take(ch__vjp *c, int i);
void ch__vjp_put(ch__vjp *c, int i, ch__value *v);
// v where the adjoint `adj` is not exactly 0, else 0; v itself when nothing masks.
ch__value *ch__vjp_guard(ch__vjp *c, ch__value *adj, ch__value *v);
// Gives guard(adj * d) to operand i.
void ch__vjp_times(ch__vjp *c, int i, ch__value *d);
// Adds v to the adjoint of key value `k` (reverse.c, for regions).
void ch__sweep_add(ch__sweep *s, const ch__value *k, ch__value *v, bool masked);
// The dtype in which v's adjoint is summed: that of the wider source when v is a narrowing convert.
ch_dtype ch__adjoint_dtype(const ch__value *v);

// ---- forward.c: what forward rules are written with
ch__value *ch__jvp_tangent(ch__vjp *c, int i);      // of operand i, with its type; NULL: zero
ch__value *ch__jvp_tangent_raw(ch__vjp *c, int i);  // as it was given: the wider dtype after a narrowing convert
ch__value *ch__jvp_tangent_full(ch__vjp *c, int i); // zeros are written down
bool ch__jvp_wants(const ch__vjp *c, int j);        // result j is active: it has a tangent
// The tangent of result j; v has its shape; another float dtype is converted, axis names are put right.
void ch__jvp_give(ch__vjp *c, int j, ch__value *v);
// Rule of elementwise ops: their Jacobian is diagonal, so the reverse rule does for the tangent of each operand.
void ch__jvp_diagonal(ch__vjp *c);
// Rule of ops that are linear in the operands of `mask` taken together: the op again with their tangents.
void ch__jvp_linear(ch__vjp *c, uint32_t mask);
// Rule of ops that are linear in each operand: a sum of the op with one operand each replaced by its tangent.
void ch__jvp_bilinear(ch__vjp *c);
// Writes key ops and their tangents at s->b, from the first of a region on.
void ch__sweep_along(ch__sweep *s, const ch__region *key);
ch__value *ch__sweep_held(const ch__sweep *s, const ch__value *k); // what stands for key value k in the func written
// The tangent of k with k's type, zeros written down.
ch__value *ch__sweep_tangent_full(ch__sweep *s, const ch__value *k);
// The derivative func of a call of this use: params of the callee, then a tangent for each active param; results those
// of the callee, then a tangent for each active one. Filled later; one per use.
ch_func *ch__forward_call(ch__sweep *s, ch__use *u);

// An empty func in module m with the sizes, clauses and params of f (of the same module).
ch_func *ch__func_like(ch__module *m, const ch_func *f, const char *name);

// ---------------------------------------------------------------- kept_values.c
// What the vjp d of a func with so many params keeps outside of loops, as lines of text.
void ch__put_kept_values(ch__text *t, ch__arena *a, const ch_func *d, int n_params);

// ---------------------------------------------------------------- refuse.c
// Raises not_differentiable with every active op of root, or of what it calls, that has no rule.
void ch__refuse_missing(ch__activity *act, ch__use *root, const char *name, bool forward);
// Whether f has no such op in a mode; by the activity of wrt and all floating results.
bool ch__can_differentiate(const ch_func *f, int n_wrt, const int *wrt, bool forward);
// Raises not_differentiable with the ops that have no rule, mode by mode: for a Jacobian that no mode can give.
void ch__refuse_both(const ch_func *f, int n_wrt, const int *wrt);
// Warns of each wrt that cannot influence the active results; raises gradient_detached when none can.
void ch__check_influence(const ch__use *root, int n_wrt, const int *wrt, const char *name);
// Names that no param of f, no earlier one of n names, has: base, base_1, ...
const char *ch__fresh_param(const ch_func *f, const char *base);
const char *ch__fresh_among(ch__arena *a, int n, const char *const *names, const char *base);

// ---------------------------------------------------------------- reverse.c, rules_control.c: funcs of calls, branches
// The active values from outside that the regions of a key op use, in order of use.
typedef CH_VEC(const ch__value *) ch__captures;
void ch__capture_active(ch__sweep *s, const ch__op *key, ch__captures *out);
// The derivative func of a call of this use: params of the callee, then a seed for each active result, then the adjoint
// so far of each active param for which ch__adds_in_place holds; results the adjoints of the active params. Filled
// later; one per use and maskedness.
bool ch__adds_in_place(const ch__value *param);
ch_func *ch__plan_call(ch__sweep *s, ch__use *u, bool masked);
// Notes that set adds to an element of an adjoint.
void ch__plan_adds(ch__sweep *s, const ch__op *set);
// Runs the rules of key ops backwards at s->b, from `last` to the first of its region.
void ch__sweep_back(ch__sweep *s, const ch__op *last);

// ---------------------------------------------------------------- restore.c: arrays on their way back
bool ch__restore_can(const ch__op *loop, int i);     // carried value i of a key loop can be restored
bool ch__restore_at_once(const ch__op *loop, int i); // ... before the iteration is computed again
int ch__restore_chain(const ch__sweep *s, const ch__value *end, const ch__value *param, ch__op **puts,
                      ch__value **olds);
ch__value *ch__restore_all(ch__sweep *s, ch__builder *b, const ch__region *r, ch__value *end, int n,
                           ch__op *const *puts, ch__value *const *olds, ch__value **values);
void ch__restore_note(ch__sweep *s, const ch__op *loop, int i); // writes what is overwritten into the copied body
void ch__restore_op(ch__sweep *s, const ch__op *key);           // after the rule of a key op
void ch__sweep_restored(ch__sweep *s, const ch__value *k, ch__value *v);
void ch__sweep_forget(ch__sweep *s, int64_t mark); // restored keys past the first `mark`
// The ops of a key region again at s->b, from what is restored where it is; params are in the map.
void ch__sweep_clone(ch__sweep *s, const ch__region *key);

#endif
