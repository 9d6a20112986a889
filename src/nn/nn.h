// SPDX-License-Identifier: Apache-2.0
// nn.h - what the files of this folder share. nn stands on the public headers alone.
#ifndef CHAAC_NN_INTERNAL_H
#define CHAAC_NN_INTERNAL_H

#include "chaac/chaac.h"

// ---------------------------------------------------------------- model.c
typedef struct ch__param {
    char *name;
    ch_tensor *value;
} ch__param;
struct ch_model {
    ch_forward_fn forward;
    void *user;
    void (*release)(void *user);
    ch__param *params;
    int n, cap;
};

// ---------------------------------------------------------------- signature.c: captures of models
// Text being built in heap memory; failed: out of memory.
typedef struct ch__signature {
    char *text;
    size_t n, cap;
    int failed;
} ch__signature;
void ch__signature_put(ch__signature *s, const char *piece);
void ch__signature_finish(ch__signature *s);
// "name: type", preceded by ", " unless it is the first; a dot in a name becomes _. free_first: the first axis is
// written "n".
void ch__signature_add(ch__signature *s, const char *name, const ch_tensor *t, int free_first);
// The names that ch_value_and_grad takes, "dense0_weight, dense0_bias", without those in the frozen list; marks[i] says
// which parameters are in. A frozen name that is no parameter: no_param. The caller frees *out_wrt.
ch_status ch__wrt_names(const ch_model *m, const char *frozen, unsigned char *marks, char **out_wrt);

// ---------------------------------------------------------------- layers.c: what composites are made of
// A number, and x converted, of like's dtype; like itself when it is an error tensor, so that its sentence goes on.
ch_tensor *ch__num_like(const char *where, ch_tensor *like, double v);
ch_tensor *ch__as_like(const char *where, ch_tensor *x, ch_tensor *like);

#endif
