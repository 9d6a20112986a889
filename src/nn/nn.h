// SPDX-License-Identifier: Apache-2.0
// nn.h - what the files of this folder share. nn stands on the public headers alone.
#ifndef CHAAC_NN_INTERNAL_H
#define CHAAC_NN_INTERNAL_H

#include "chaac/chaac.h"

// ---------------------------------------------------------------- model.c
typedef struct ch__param { char *name; ch_tensor *value; } ch__param;
struct ch_model {
    ch_forward_fn forward;
    void *user;
    void (*release)(void *user);
    ch__param *params;
    int n, cap;
};

#endif
