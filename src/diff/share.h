// SPDX-License-Identifier: Apache-2.0
// share.h - between the files that make one of what both sweeps have: share.c (loops), share_calls.c (calls, and what
// brings them together), linear.c (a number that a loop waits for), alone.c (sums as numbers), and uses.c, which says
// who uses a value and what is only added to.
#ifndef CHAAC_DIFF_SHARE_H
#define CHAAC_DIFF_SHARE_H

#include "diff/loops.h"

typedef struct {
    ch__op *op; // NULL: the region yields it
    ch__region *region;
    int at;
} ch__value_use;
typedef CH_VEC(ch__value_use) ch__value_uses;
typedef struct {
    ch_func *func;
    const ch__calls *calls;
    ch__arena *scratch;
    int32_t n_values;     // when the tables were made: values made since have no entry
    ch__value_uses *uses; // by value id
    uint8_t *waits;       // by value id: depends on the op at hand
} ch__sharing;

// ---------------------------------------------------------------- uses.c
// Lists the uses in a region and in those inside.
void ch__share_uses(ch__sharing *s, ch__region *r);
// Is goal, which r yields, v with something added, and v used for nothing else in r?
bool ch__only_added(ch__sharing *s, ch__region *r, ch__value *v, const ch__value *goal);

// ---------------------------------------------------------------- share.c
// A step changes one thing in the region or inside it; false: there is none.
typedef bool ch__share_step(ch__sharing *s, ch__region *r);
// Step by step, optimized after each, until there is none; at most 64.
void ch__share_all(ch_func *f, const ch__calls *calls, ch__share_step *step);
bool ch__has_tape(const ch__op *op); // among its results
bool ch__share_waits(const ch__sharing *s, const ch__op *op);
// Marks what waits for op, up to back; false: back does.
bool ch__share_mark(ch__sharing *s, const ch__op *op, const ch__op *back);
// What waits between the two comes after the second.
void ch__share_move(const ch__sharing *s, ch__op *first, ch__op *second);
const ch__type **ch__share_types(const ch__sharing *s, const ch__op *one, const ch__op *two); // results of both
// At the end of region `to` what stands in `from`.
void ch__share_append(ch__sharing *s, ch__region *to, ch__region *from);
// `both`, which has the results of one and of two, stands for them. to: what is replaced beside; NULL: nothing.
void ch__share_replace(ch__sharing *s, ch__op *one, ch__op *two, ch__op *both, ch__value **to);

// ---------------------------------------------------------------- share_calls.c
bool ch__share_alike(ch__sharing *s, ch__op *one, ch__op *two); // may two loops that go the same way be one?
bool ch__drop_twins(ch__sharing *s, ch__op *loop);              // carried numbers that are always equal
bool ch__share_branches(ch__sharing *s, ch__op *op);            // a branch and a later one

// ---------------------------------------------------------------- linear.c
// After ch__share_mark has found that loop `back` waits, of which is known that it only adds: where it waits for one
// number that everything is a multiple of, it is written so that it does not.
bool ch__defer_number(ch__sharing *s, ch__op *back);

#endif
