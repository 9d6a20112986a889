// SPDX-License-Identifier: Apache-2.0
// interp.h - the reference interpreter: every op and region, slow and obvious, exact in what the IR says.
//
// Follows acc, order, bounds and tie literally (order = any is run in index order too), rounds f32, bf16 and f16 after
// each op, works in place when the old version is dead. Every access is checked for memory safety, always.
#ifndef CHAAC_INTERP_H
#define CHAAC_INTERP_H

#include "ir/ir.h"

// A func made ready to run: slots, last uses, the order of ops. Immutable; any thread may run it. Refers to f, which
// must outlive it. Lives in arena a.
typedef struct ch__program ch__program;
ch__program *ch__interp_prepare(ch__arena *a, const ch_func *f); // in ch__protect

// Binds symbolic sizes from the inputs, checks types, bounds and requires clauses, runs. Not inside ch__protect: fails
// by status, never raises. Error sentences name op, index, dim and the op's source line.
ch_status ch__interp_run(const ch__program *p, const ch__limits *limits, int n_in, const ch__slot *in, int n_out,
                         ch__slot *out);
// Result types of a func for given input types (sizes bound): for callers that allocate outputs first.
ch_status ch__interp_result_types(const ch__program *p, int n_in, const ch__slot *in, int n_out, ch__slot *out);
// The same, and the values of the func's size symbols in order (all that the func's dims list says; NULL: not wanted).
ch_status ch__interp_bind(const ch__program *p, int n_in, const ch__slot *in, int64_t *sizes, int n_out, ch__slot *out);
// Are inputs of f's types and of these dims (all of them, one after another)? So engines find what they keep for
// sizes.
bool ch__interp_same_dims(const ch_func *f, const int64_t *dims, const ch__slot *in);

// The func run by n replicas that meet in its collectives, one after another on threads of their own: replica r takes
// in[r * n_in ..] and gives out[r * n_out ..]. limits count for each. replicas_differ: they took different ways.
#define CH__MAX_THREADED 256
ch_status ch__interp_run_replicas(const ch__program *p, const ch__limits *limits, int n, int n_in, const ch__slot *in,
                                  int n_out, ch__slot *out);

// One op without regions on concrete operands, results allocated in arena a: constant folding. Raises.
void ch__interp_op(ch__arena *a, const ch__op *op, const ch__array *const *operands, ch__array **results);

#endif
