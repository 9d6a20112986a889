// SPDX-License-Identifier: Apache-2.0
// diff.h - the reverse transform: a func in, a new func in a fresh module out.
#ifndef CHAAC_DIFF_H
#define CHAAC_DIFF_H

#include "ir/ir.h"
#include "opt/opt.h"

typedef struct ch__reverse_options {
    int n_wrt;
    const int *wrt;             // param indices; each floating
    bool include_value;         // the first result(s) of f come first
    bool seeds;                 // vjp: a seed param per floating result; else the first result must be a floating scalar, seed 1
    bool raw;                   // do not optimize the result
} ch__reverse_options;
// Raises not_differentiable with every op that has no rule on an active path, one a line with its source line;
// gradient_scalar, gradient_integer. A wrt that cannot influence the result: ch__log warning and a zero gradient, or, when
// no wrt of the list can, gradient_detached.
ch_func *ch__reverse(const ch_func *f, const ch__reverse_options *o);
// "w1, b1" to param indices; NULL: every floating param. Raises no_param (listing those there are), gradient_integer.
int ch__parse_wrt(ch__arena *a, const ch_func *f, const char *wrt, int **out);

#endif
