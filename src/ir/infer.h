// SPDX-License-Identifier: Apache-2.0
// infer.h - what the files infer_*.c share: the rules' prototypes, messages, equality of sizes, checks of attributes.
//
// Private to shape rules (the contract others see is the section "infer" of ir.h). Every message has one form:
//     op: f32[2] and f32[3] — what does not fit
//     op: attribute says this, the operand is that
#ifndef CHAAC_IR_INFER_H
#define CHAAC_IR_INFER_H

#include "ir/ir.h"

// A rule for every row of the table; one that is missing does not link.
#define OP(name, operands, dtypes, attrs, opt, rule, reads, flags) void ch__infer_##rule(ch__infer *in);
#include "ir/ops.def"
#undef OP

// ---------------------------------------------------------------- messages
// "op: types — reason"; the types are the operands', for ops without operands the given results'.
CH_NORETURN void ch__infer_bad(const ch__infer *in, ch__err id, const char *fmt, ...) CH_PRINTF(3, 4);
// "op: reason", always of the identifier `attribute`.
CH_NORETURN void ch__infer_bad_attr(const ch__infer *in, const char *fmt, ...) CH_PRINTF(2, 3);
const char *ch__infer_dim_text(const ch__infer *in, ch__dim d);

// Who a type belongs to, for messages: an operand by number, or a text ("the result", "yield %d" with n).
typedef struct {
    int operand;
    const char *text;
    int n;
} ch__side;
static inline ch__side ch__side_operand(int i) { return (ch__side){i, NULL, 0}; }
static inline ch__side ch__side_text(const char *text, int n) { return (ch__side){-1, text, n}; }
#define CH__SIDE_RESULT ch__side_text("the result", -1)
const char *ch__infer_side_text(const ch__infer *in, ch__side s);

// ---------------------------------------------------------------- sizes
typedef enum { CH__YES, CH__NO, CH__OPEN } ch__answer;
ch__answer ch__infer_eq(ch__infer *in, ch__dim a, ch__dim b); // a == b
ch__answer ch__infer_le(ch__infer *in, ch__dim a, ch__dim b); // a <= b
// For an answer that is not yes. eq: NO raises `shape_mismatch` with the sentence; OPEN becomes a requires clause of
// the func, or raises `dims_undecided` where there is no func or the sizes are not known at its entry.
void ch__infer_unequal(ch__infer *in, ch__answer r, ch__dim a, ch__dim b, const char *fmt, ...) CH_PRINTF(5, 6);
// le: NO raises `id`; OPEN becomes a clause max(a, b) == b where that can be; elsewhere the run decides.
void ch__infer_above(ch__infer *in, ch__answer r, ch__err id, ch__dim a, ch__dim b, const char *fmt, ...)
    CH_PRINTF(6, 7);

// ---------------------------------------------------------------- types
static inline const char *ch__axis(const ch__type *t, int i) { return t->axes ? t->axes[i] : NULL; }
// A result type; refuses ranks above CH__MAX_RANK. axes may hold NULLs.
const ch__type *ch__infer_make(ch__infer *in, ch_dtype d, int rank, const ch__dim *dims, const char *const *axes);
// x and y must have one shape; x with the axis names of both. dtypes are not looked at, the result has x's.
const ch__type *ch__infer_joint(ch__infer *in, const ch__type *x, ch__side sx, const ch__type *y, ch__side sy);
// The same, and the dtypes (and tape or not) have to be equal.
const ch__type *ch__infer_match(ch__infer *in, const ch__type *x, ch__side sx, const ch__type *y, ch__side sy);
// The joint name of two axes that meet; raises `axis_mismatch` with the sentence of ch__infer_joint.
const char *ch__infer_join_axis(ch__infer *in, const char *x, int ix, ch__side sx, const char *y, int iy, ch__side sy);
void ch__infer_scalar_int(ch__infer *in, int operand); // an integer of rank 0
void ch__infer_need_rank(ch__infer *in, int operand, int least);
void ch__infer_one(ch__infer *in, const ch__type *t); // the only result

// ---------------------------------------------------------------- attributes
int64_t ch__infer_int(const ch__infer *in, ch__attr_id id, int64_t absent); // INT BOOL DTYPE and words
// One axis number below rank; `whose` is "the operand", "the result", ...
int ch__infer_axis(const ch__infer *in, ch__attr_id id, int64_t axis, const char *whose, int rank);
enum { CH__ASCENDING = 1 };
// n axis numbers below rank, each once; gives them as a bit set. CH__ASCENDING: in this order only.
uint32_t ch__infer_axes(const ch__infer *in, ch__attr_id id, int n, const int64_t *axes, const char *whose, int rank,
                        int flags);
// The attribute must have as many entries as `whose` has axes (what: "rank", "spatial axes").
void ch__infer_need_count(const ch__infer *in, ch__attr_id id, const char *whose, const char *what, int want);
// Entry i of an INTS attribute, or `absent` when the attribute is.
int64_t ch__infer_entry(const ch__infer *in, ch__attr_id id, int i, int64_t absent);
void ch__infer_entries_at_least(const ch__infer *in, ch__attr_id id, int64_t least);
// kind is one of the set (bits 1 << ch__kind).
ch__kind ch__infer_kind(const ch__infer *in, unsigned allowed);
ch__kind ch__infer_reduction_kind(ch__infer *in); // sum and prod of numbers, and and or of bits, min and max of all
// acc is of x's class and not narrower; tie only where there are ties.
void ch__infer_accumulates(const ch__infer *in, ch_dtype d);
// Size of a windowed axis (infer_reduce.c): the input dilated and padded, the window dilated, in steps.
ch__dim ch__infer_window_dim(ch__infer *in, ch__dim size, int64_t lo, int64_t hi, int64_t dilation, ch__dim window,
                             int64_t window_dilation, int64_t stride);

#endif
