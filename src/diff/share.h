// SPDX-License-Identifier: Apache-2.0
// share.h - between share.c, which makes loops of both sweeps one, and alone.c, which takes sums out of loops: who uses
// a value, and what is only added to.
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
    const ch__calls *calls; // NULL: none
    ch__arena *scratch;
    ch__value_uses *uses; // by value id
    uint8_t *waits;       // by value id: depends on the primal loop at hand
    int64_t changes;
} ch__sharing;

// Lists the uses in a region and in those inside.
void ch__share_uses(ch__sharing *s, ch__region *r);
// Is goal, which r yields, v with something added, and v used for nothing else in r?
bool ch__only_added(ch__sharing *s, ch__region *r, ch__value *v, const ch__value *goal);

#endif
