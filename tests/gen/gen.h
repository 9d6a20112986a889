// SPDX-License-Identifier: Apache-2.0
// gen.h - random funcs for property tests: made from a seed with the builder, with inputs that fit, and shrunk when
// they break something.
//
//     ch_func *f = ch__gen_func(seed, &(ch__gen_options){.symbolic = true, .branches = true});
//     ... f is verified; print it, read it, simplify it, differentiate it, run it on ch__gen_inputs ...
//     if (!holds(f)) ch__gen_keep(ch__gen_shrink(f, breaks, NULL), "tests/golden/found", "simplify", seed);
//
// The same seed and options give the same func on every machine. All of it runs inside ch__protect (base.h).
#ifndef CHAAC_TESTS_GEN_H
#define CHAAC_TESTS_GEN_H

#include "ir/ir.h"

typedef struct ch__gen_options {
    int max_ops; // about how many ops; 0: 24
    bool
        // f64 (i64 and bool as indices and predicates only); every op on the way to the first result has
        differentiable;
    // a derivative; the inputs of ch__gen_inputs, and inputs up to 1e-3 beside them, keep every
    // value away from kinks, ties and poles. The first result is f64[]
    bool symbolic;   // sizes may be symbols n, m and expressions of them
    bool zero_sizes; // sizes may be 0, and symbols may be 0 in the inputs
    bool branches;   // if
    bool calls;      // call and composite
    bool loops;      // for, while, get, set
    bool tapes;      // push and pop; differentiable: all that is pushed is popped
    bool in_place;   // arrays that loops in loops change by set and nothing else
    bool recursion;  // calls of funcs that call themselves
    bool control;    // begins with an if, for or while
    bool libm;       // differentiable: cmath, polygamma, rem and select_and_scatter too (others have them always)
    bool large;      // sizes to 257, symbols to 130, arrays to 200,000 elements, for engines that treat those otherwise
    bool single;     // differentiable: f32 in place of f64
} ch__gen_options;

// A func in a fresh module, the last one of it (what it calls stands before). The module's arena is the caller's.
ch_func *ch__gen_func(uint64_t seed, const ch__gen_options *o);

// One concrete array for each param, sizes and values from the seed. Values: differentiable funcs (o) get f64 in
// [0.3, 1.3]; others now and then a zero, infinity, NaN, subnormal, extreme integer. Symbols get 1 to 5 (0 to 5 with
// zero_sizes), equal symbols equal sizes.
ch__array *ch__gen_inputs(ch__arena *a, uint64_t seed, const ch_func *f, const ch__gen_options *o);

// Runs f on inputs in the reference interpreter; the results lie in arena a.
ch_status ch__gen_run(ch__arena *a, const ch_func *f, const ch__array *in, ch__array **out);
// The same dtype, sizes and bits; NaN equals NaN.
bool ch__gen_same(const ch__array *x, const ch__array *y);

// The smallest func found, from f by dropping ops, results and params, for which fails(arg, func) still holds (it holds
// for f). A clone in a module of its own.
ch_func *ch__gen_shrink(const ch_func *f, bool (*fails)(void *arg, const ch_func *f), void *arg);

// Writes f as folder/name-seed.ir, where the golden tests find it, and to stdout as lines of TAP comment.
void ch__gen_keep(const ch_func *f, const char *folder, const char *name, uint64_t seed);

#endif
