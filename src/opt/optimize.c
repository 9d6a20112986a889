// SPDX-License-Identifier: Apache-2.0
// optimize.c - the pipeline of passes that change no bit.
#include "opt/opt.h"

// Each pass is linear, and what one round leaves for the next shrinks fast: two rounds do nearly all there is.
int64_t ch__optimize(ch_func *f) {
    int64_t all = ch__dce(f);
    for (int round = 0; round < 4; round++) {
        int64_t changes = ch__fold(f) + ch__simplify(f) + ch__cse(f);
        if (changes > 0) changes += ch__dce(f);
        all += changes;
        if (changes == 0) break;
    }
    return all;
}
