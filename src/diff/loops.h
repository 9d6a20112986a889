// SPDX-License-Identifier: Apache-2.0
// loops.h - between reverse_loop.c, which writes the reverse of a loop, keep.c, which says what it keeps, undo.c, which
// puts arrays back that the loop changed in place, and loop_policy.c and revolve.c, which keep less.
#ifndef CHAAC_DIFF_LOOPS_H
#define CHAAC_DIFF_LOOPS_H

#include "diff/diff.h"

// A reverse body: the iteration computed again from its start state, the op `marker`, then the rules; its results are
// the adjoints.
typedef struct ch__keep {
    ch__region *region;
    const ch__op *marker;
    int n_state;
    ch__value *const *state; // the start state, one value each carried one
    ch__value *const *next;  // what the iteration makes of it
    const uint8_t *may;      // by value id below n_may: the forward loop has this value too
    int32_t n_may;
    const int64_t *undo;      // n_state: about how many bytes an iteration would log to put it back; -1: it cannot be
    bool tapes;               // a tape of an inner loop may be kept: it becomes one tape for all iterations
    bool fast;                // what is slow to compute again is kept too: functions of libm, loops that call them
    bool loops;               // and loops that do not
    const uint8_t *had;       // n_state: the start state is there anyway
    const uint8_t *must;      // by value id: 1 it has to be kept, 2 it is there anyway
    int64_t cost;             // out: in bytes, about, an iteration
    bool whole;               // out: an array that is changed in place is kept
    CH_VEC(ch__value *) kept; // out: values of the iteration, start state or computed
    uint8_t *put_back;        // out, n_state: the start state is put back from the next one
} ch__keep;
static inline bool ch__keep_may(const ch__keep *k, const ch__value *v) { return v->id < k->n_may && k->may[v->id]; }
bool ch__keep_choose(ch__keep *k, ch__arena *out); // false: what is needed cannot be kept
bool ch__is_quick(const ch__op *op); // itself: a move, of integers, or arithmetic of a few cycles; not a call of libm
// Which values the results of a reverse body need, by id.
void ch__keep_live(const ch__region *r, uint8_t *live, ch__arena *scratch);

// ---------------------------------------------------------------- undo.c
// An array of the state that each iteration changes by set alone, in inner loops and branches too.
typedef struct ch__undo {
    int state;              // which value carried
    const ch__region *body; // of the loop before it is written again
    ch__map steps;          // op -> 1 + the result of it that is a version of the array
    const ch__type **logs;  // the types of what is logged: a tape each
    int n_logs;
    CH_VEC(ch__value *) tops; // values of the iteration that are logged once, since the way back needs them
    int64_t bytes;            // about how many an iteration logs
} ch__undo;

// ---------------------------------------------------------------- reverse_loop.c, loop_policy.c, loop_trips.c
// The reverse of one loop while it is written.
typedef struct {
    ch__vjp *c;
    ch__sweep *s;
    ch__arena *temp;       // gone when the loop is done: side tables by value id
    const ch__region *key; // the body as the activity knows it
    ch__op *op;
    bool counted; // for
    int first, inits, n;
    int64_t n_values; // at the top of the body: params and results of ops
    const ch__value **keys;
    ch__value **held;          // in the loop that is there
    ch__value **again;         // computed again in the reverse
    uint8_t *carried, *masked; // n: its adjoint goes round; it is masked
    ch__captures captured;
    uint8_t *captured_masked, *touched;
    ch__value **saved; // adjoints of captured values before the loop
    uint8_t *saved_masked;
    ch__region *region; // the reverse body
    ch__value **state, **next, **bars, **outs, **sums, **sum_outs;
    ch__op *marker;
    uint8_t *inside; // by value id: defined in the body of the loop that is there
    int32_t n_inside;
    ch__undo *undo; // what is put back
    int n_undo;
    // restore.c: the array's end state goes round as well (ends, starts). plain: the policy is to store.
    bool plain;
    uint8_t *restores, *wanted;
    uint8_t *at_once; // restored before the iteration is computed again
    ch__value **ends, **starts;
    ch__value_map forward; // from the iteration computed again to the loop that is there; to NULL: held says it
} ch__loop;
// Values to put in the place of others, by id.
typedef struct {
    ch__value **to;
    int32_t n;
} ch__loop_map;
ch__value *ch__loop_nothing(ch__builder *b, const ch__type *t);
void ch__loop_replace(const ch__loop_map *m, ch__region *r, ch__op *from);
ch__loop_map ch__loop_replacement(const ch__loop *l);
// The number of iterations as a size, when the bounds xs (from, to, step) are sizes and the step is a number.
bool ch__loop_trips_of(ch__arena *a, ch__value *const *xs, ch__dim *lo, int64_t *step, ch__dim *trips);
bool ch__loop_trips(const ch__loop *l, ch__dim *lo, int64_t *step, ch__dim *trips);
// The bounds of the loop that goes the other way.
void ch__loop_bounds_of(ch__builder *b, ch__value *const *xs, ch__value **out);
void ch__loop_bounds(const ch__loop *l, ch__value **out);
ch__value *ch__loop_int(ch__builder *b, ch__opcode code, ch__value *x, ch__value *y);
ch__value *ch__loop_const(ch__builder *b, int64_t v);
ch__value *ch__loop_dim(ch__builder *b, ch__dim d);
ch__value *ch__loop_held(const ch__loop *l, const ch__value *again);
ch__value *ch__loop_augment(ch__loop *l, const ch__keep *k);
void ch__loop_take(ch__loop *l, const ch__keep *k, ch__value *const *tapes, ch__value **left);
// Whether carried value i can be put back; fills u.
bool ch__undo_plan(ch__loop *l, int i, ch__undo *u);
// The body of the loop that is there, written again with what is overwritten pushed on tapes: those of all of l->undo
// in order, tapes[] before and after. map: from values of the old body to those of the new one.
void ch__undo_log(ch__loop *l, ch__region *to, ch__value_map *map, ch__value **tapes);
// At b: the array before the iteration from the array after it. tapes: those of u, before and after.
ch__value *ch__undo_back(ch__loop *l, const ch__undo *u, ch__builder *b, ch__value *counter, ch__value *array,
                         ch__value **tapes);
int ch__loop_inits(ch__loop *l, ch__value **xs);
ch__op *ch__loop_close(ch__loop *l, ch__builder *b, ch__value **xs, int n_tapes, ch__value *const *left);
bool ch__loop_stores(const ch__loop *l); // by its policy, or since it cannot be run again
ch__op *ch__loop_policy(ch__loop *l, const ch__keep *k);
ch__op *ch__loop_store(ch__loop *l, const ch__keep *k);
// The number of iterations as a value, for all but the store policy.
ch__value *ch__loop_trips_value(ch__loop *l);
// The counter of iteration t. outer: values outside of the loop as the builder's func has them; NULL: themselves.
ch__value *ch__loop_counter(const ch__loop *l, ch__builder *b, ch__value *t, const ch__value_map *outer);
// m iterations from number `base` (NULL: 0) on, from a state; with tapes of what k keeps. Results: state, tapes.
ch__op *ch__loop_advance(ch__loop *l, ch__builder *b, ch__value *base, ch__value *m, ch__value *const *state,
                         const ch__keep *k, const ch__value_map *outer);
void ch__loop_count_down(ch__builder *b, ch__value *n, ch__value **xs); // bounds for n-1, ..., 0
ch__op *ch__loop_revolve(ch__loop *l);

#endif
