// SPDX-License-Identifier: Apache-2.0
// gen_internal.h - what the files of the generator share.
//
//   gen.c          random numbers, the pool of values, types, whole funcs, inputs
//   gen_element.c  elementwise ops
//   gen_array.c    ops that move elements, and constants
//   gen_linear.c   reductions, products, order, factorizations
//   gen_control.c  regions, calls, tapes
//   gen_more.c     arrays in place, recursion, tapes that are emptied
//   gen_shrink.c   making a func smaller
#ifndef CHAAC_TESTS_GEN_INTERNAL_H
#define CHAAC_TESTS_GEN_INTERNAL_H

#include "gen/gen.h"

// A value with what is known of its elements when o->differentiable: all lie in [lo, hi].
typedef struct gen_val {
    ch__value *v;
    double lo, hi;
} gen_val;

typedef struct gen {
    uint64_t state;
    const ch__gen_options *o;
    ch_func *f;
    ch__arena *arena;
    ch__builder b;
    CH_VEC(gen_val) pool; // values that may be used where the builder stands
    int budget;           // ops still to make
    int depth;            // regions around
    int calls;            // funcs made for calls so far
    int locals;           // local size symbols made so far
    bool in_call;
} gen;

uint64_t gen_u64(gen *g);
int gen_int(gen *g, int n); // 0 .. n-1
bool gen_one_in(gen *g, int n);
double gen_real(gen *g, double lo, double hi);

void gen_add(gen *g, ch__value *v, double lo, double hi);
void gen_add_any(gen *g, ch__value *v); // nothing known of its range
// A value of the pool for which ok holds (arg passed on), or NULL.
gen_val *gen_pick(gen *g, bool (*ok)(const gen *, const gen_val *, const void *), const void *arg);
gen_val *gen_pick_type(gen *g, const ch__type *t); // of that very type
gen_val *gen_pick_float(gen *g, int min_rank);     // floating (f64 when differentiable), not a tape
gen_val *gen_pick_class(gen *g, const char *classes, int min_rank);

const ch__type *gen_type(gen *g, ch_dtype d, int rank, const ch__dim *dims);
const ch__type *gen_random_type(gen *g, int max_rank);
ch_dtype gen_dtype(gen *g);
ch_dtype gen_float(const gen *g);          // what differentiable funcs compute in
ch__dim gen_dim(gen *g);                   // one of the func's sizes
int64_t gen_most(const gen *g, ch__dim d); // its largest value in the inputs
int64_t gen_least(const gen *g, ch__dim d);
bool gen_fits(const gen *g, int rank, const ch__dim *dims); // not too large to run
ch__value *gen_i64(gen *g, int64_t v);
ch__value *gen_splat(gen *g, const ch__type *t, double v);
// Differentiable: x scaled so that it lies in [-mag, mag].
gen_val gen_scaled(gen *g, gen_val x, double mag);
ch__op *gen_op(gen *g, ch__opcode code, int n, ch__value *const *operands, int n_attrs, const ch__attr *attrs,
               const ch__type *type); // type NULL: computed

// Each makes ops and adds what they give; false when the pool holds nothing to work on.
bool gen_unary(gen *g);
bool gen_binary(gen *g);
bool gen_choose(gen *g);
bool gen_types(gen *g);
bool gen_cmath(gen *g);
bool gen_make(gen *g);
bool gen_shape(gen *g);
bool gen_indexed(gen *g);
bool gen_reduce(gen *g);
bool gen_window(gen *g);
bool gen_dot(gen *g);
bool gen_conv(gen *g);
bool gen_order(gen *g);
bool gen_factor(gen *g);
bool gen_branch(gen *g);
bool gen_loop(gen *g);
bool gen_element(gen *g);
bool gen_call(gen *g);
bool gen_tape(gen *g);
bool gen_libm(gen *g);
bool gen_in_place(gen *g);
bool gen_recursive(gen *g);
bool gen_popped(gen *g);        // tapes of which all is popped
void gen_body(gen *g, int ops); // about that many ops where the builder stands
bool gen_step(gen *g);          // one of the above
// A region of its own while it is filled (gen_control.c): what it gives goes to gen_leave.
typedef struct gen_inside {
    ch__builder b;
    int64_t pool;
} gen_inside;
gen_inside gen_enter(gen *g, ch__region *r);
void gen_leave(gen *g, gen_inside s);
// The type as a param of a callee that has no symbols yet: with symbols of its own for sizes that are not constant.
const ch__type *gen_callee_type(gen *g, const ch__type *t);
bool gen_is_value(const gen *g, const gen_val *v, const void *arg); // may be carried, passed and yielded

#endif
