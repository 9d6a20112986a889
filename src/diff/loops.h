// SPDX-License-Identifier: Apache-2.0
// loops.h - between reverse_loop.c, which writes the reverse of a loop, and keep.c, which says what it keeps.
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
    CH_VEC(ch__value *) kept; // out: values of the iteration, start state or computed
} ch__keep;
static inline bool ch__keep_may(const ch__keep *k, const ch__value *v) { return v->id < k->n_may && k->may[v->id]; }
void ch__keep_choose(ch__keep *k, ch__arena *out);

#endif
