// SPDX-License-Identifier: Apache-2.0
// emit.h - what the files that write StableHLO share.
//
//   emit.c         the func made ready, modules, funcs, regions, refusals
//   emit_line.c    one operation as text, pretty or generic
//   emit_op.c      which operation of StableHLO each one of the IR is
//   emit_region.c  operations with regions: reductions, windows, sorts, scatters, control flow
//   emit_composite.c  composites as stablehlo.composite
//   emit_kernel.c  composites that a custom call stands for
//   emit_collective.c  operations between replicas
//   emit_shard.c   meshes and shardings
//   emit_tape.c    tapes as arrays with room for the most they hold
//   emit_helper.c  operations StableHLO lacks, as private funcs
//   emit_data.c    constants
#ifndef CHAAC_HLO_EMIT_H
#define CHAAC_HLO_EMIT_H

#include "hlo/hlo.h"
#include "opt/opt.h"

// A value as it is written: %name, or %number, or %number#sub. number 0 and no name: it has no text yet.
typedef struct ch__emit_ref {
    const char *name;
    int32_t number, sub; // number counted from 1; sub -1: its op has one result
    const ch__type *type;
} ch__emit_ref;

typedef struct ch__emit_mesh {
    const char *base, *name, *axes; // as the func calls it, as the text does
    int64_t devices;
} ch__emit_mesh;

typedef struct ch__emit {
    ch__text *t;
    ch__arena *scratch;
    bool generic;
    const char *target;   // NULL, "cpu", "cuda", "tpu", "metal"
    ch__emit_ref *refs;   // by value id of the func at hand
    ch__emit_ref *counts; // by value id of a tape: how many values it holds; its ref is the buffer
    int64_t *room;        // by value id of a tape: the most it holds, -1: not known; NULL: no tapes
    int32_t *uses;        // by value id; a step of 1 is not written, and no use
    int32_t next;         // number of the next op with results
    int indent;
    ch__text pretty, inherent, extra; // attributes of the op at hand: before the colon, in braces, and ours in both
    ch__strmap helpers;               // key -> ch_func: operations as private funcs
    CH_VEC(ch_func *) funcs;          // to be written, in order; helpers come last
    CH_VEC(ch_func *) helper_list;
    CH_VEC(const char *) helper_keys;
    ch__map seen;
    ch__module *module;
    CH_VEC(const char *) refused;
    CH_VEC(ch__emit_mesh) meshes;
    int64_t replicas; // that groups are for; 0: no group says
} ch__emit;

// ---------------------------------------------------------------- emit_line.c
typedef enum { CH__EMIT_SAME, CH__EMIT_FUNC, CH__EMIT_ARROW, CH__EMIT_GENERIC } ch__emit_form;
void ch__emit_indent(ch__emit *e);
void ch__emit_type(ch__text *t, const ch__type *type);
void ch__emit_quoted(ch__text *t, const char *s); // as MLIR quotes
void ch__emit_types(ch__emit *e, int n, const ch__emit_ref *refs, bool parens);
void ch__emit_refs(ch__emit *e, int n, const ch__emit_ref *refs);
void ch__emit_put_ref(ch__emit *e, ch__emit_ref r);
// Begins a line: "%4 = " or "%4:2 = "; out gets the refs. No results: nothing.
void ch__emit_results(ch__emit *e, int n, const ch__type *const *types, ch__emit_ref *out);
// Attributes of the op to come. pretty NULL: it is written in braces there too.
void ch__emit_attr(ch__emit *e, const char *pretty, const char *generic);
void ch__emit_attr_int(ch__emit *e, const char *pretty, const char *generic, int64_t v);
void ch__emit_attr_ints(ch__emit *e, const char *pretty, const char *generic, int n, const int64_t *v);
void ch__emit_extra(ch__emit *e, const char *name, const char *value); // chaac.name = "value"
// A line without regions. Results in out.
void ch__emit_line(ch__emit *e, const char *name, ch__emit_form form, int n, const ch__emit_ref *in, int n_out,
                   const ch__type *const *types, ch__emit_ref *out);
ch__emit_ref ch__emit_line1(ch__emit *e, const char *name, ch__emit_form form, int n, const ch__emit_ref *in,
                            const ch__type *type);
// The parts of a line with regions in the generic form: after the operands; the end with attributes and types.
void ch__emit_open(ch__emit *e, const char *name, int n, const ch__emit_ref *in);
void ch__emit_block(ch__emit *e, int n, const ch__emit_ref *params); // ({ ^bb0(...): or }, { ^bb0
void ch__emit_close(ch__emit *e, int n, const ch__emit_ref *in, int n_out, const ch__type *const *types);
void ch__emit_yield(ch__emit *e, int n, const ch__emit_ref *refs); // stablehlo.return
ch__emit_ref ch__emit_param(ch__emit *e, const ch__type *type);    // a fresh %argN
const ch__type *ch__emit_of_dtype(ch__emit *e, const ch__type *t, ch_dtype d);

// ---------------------------------------------------------------- emit_data.c
void ch__emit_data(ch__text *t, const ch__array *a, const ch__type *type); // dense<...>
ch__emit_ref ch__emit_const(ch__emit *e, const ch__array *a, const ch__type *type);
ch__emit_ref ch__emit_scalar(ch__emit *e, ch_dtype d, uint64_t bits);
ch__emit_ref ch__emit_i64(ch__emit *e, int64_t v);

// ---------------------------------------------------------------- emit.c
// A refusal, said with all others.
void ch__emit_refuse(ch__emit *e, const ch__loc *loc, const char *what, const char *why);

// ---------------------------------------------------------------- emit_composite.c
// Composites of f get a body that is one call, of a new func of the module; their rules go.
void ch__emit_outline_composites(ch__emit *e, ch_func *f);
void ch__emit_composite(ch__emit *e, const ch__op *op); // one of those

// ---------------------------------------------------------------- emit_kernel.c
// Kernels of f that a custom call stands for get a body without operations; their operands and results stay.
void ch__emit_empty_kernels(ch__emit *e, ch_func *f);
bool ch__emit_kernel(ch__emit *e, const ch__op *op); // a composite; false: none of those

// ---------------------------------------------------------------- emit_collective.c, emit_shard.c: many devices
bool ch__emit_collective(ch__emit *e, const ch__op *op); // false: not one of those
// For devices: reductions by and, or of integers become movements and a reduce, which their libraries have; those by
// min, max of floats keep NaN.
void ch__emit_meet_library(ch__emit *e, ch_func *f);
void ch__emit_shard(ch__emit *e, const ch__op *op);
const char *ch__emit_sharding(ch__emit *e, const char *text);
// Notes the meshes and replicas of a func that is to be written; entry: those of its params and results too.
void ch__emit_meet_devices(ch__emit *e, const ch_func *f, bool entry);
const char *ch__emit_module_attrs(ch__emit *e);
void ch__emit_meshes(ch__emit *e);
void ch__emit_fold_region(ch__emit *e, ch__kind kind, ch_dtype d); // emit_region.c

// ---------------------------------------------------------------- emit_tape.c
// Looks at the tapes of f before it is written; `refuse`: those without a known maximum are refused.
void ch__emit_tapes(ch__emit *e, const ch_func *f, bool refuse);
int64_t ch__emit_room(const ch__emit *e, const ch__value *v);
bool ch__emit_tape_op(ch__emit *e, const ch__op *op); // false: not one of those
// A tape is two references, any other value one. out has room for twice n; gives how many it got.
int ch__emit_flat(ch__emit *e, int n, ch__value *const *values, ch__emit_ref *out);
int ch__emit_flat_set(ch__emit *e, const ch__value *v, const ch__emit_ref *refs); // gives how many it took
int ch__emit_flat_types(ch__emit *e, const ch__op *op, const ch__type **out);     // of the results
const ch__type *ch__emit_value_type(ch__emit *e, const ch__value *v);             // of a tape: of its buffer

// ---------------------------------------------------------------- emit_op.c, emit_region.c, emit_helper.c
void ch__emit_op(ch__emit *e, const ch__op *op);
bool ch__emit_region_op(ch__emit *e, const ch__op *op); // false: not one of those
bool ch__emit_by_one(const ch__op *loop);
void ch__emit_ops(ch__emit *e, const ch__region *r);
ch__emit_ref ch__emit_in(const ch__emit *e, const ch__op *op, int i);
void ch__emit_set(ch__emit *e, const ch__value *v, ch__emit_ref r);
// NAME OPEN operands CLOSE{attrs} : (types) -> types, or the generic form with attrs; sets the results.
void ch__emit_titled(ch__emit *e, const ch__op *op, const char *name, const char *open, const char *close,
                     const char *attrs);
void ch__emit_call(ch__emit *e, const char *name, const ch__op *op);
void ch__emit_sums(ch__emit *e, const ch__op *op, bool capture);
// Why an op cannot be written; NULL: it can.
const char *ch__emit_why_not(const ch__op *op);
bool ch__emit_needs_helper(const ch__op *op);
// The private func of an op that StableHLO lacks; made once for each op, attributes and types.
ch_func *ch__emit_helper(ch__emit *e, const ch__op *op);

#endif
