// SPDX-License-Identifier: Apache-2.0
// mock_text.h - what the mock plugin reads of a program besides running it: types, marks of donation, options.
#ifndef CHAAC_TESTS_MOCK_TEXT_H
#define CHAAC_TESTS_MOCK_TEXT_H

#include "mock_private.h"

typedef struct mock_param {
    int type, rank, alias; // alias: the result that takes its memory, or -1
    int64_t dims[16];
    size_t bytes;
    bool donor;
} mock_param;
typedef struct mock_signature {
    int n_in, n_out;
    mock_param *in, *out; // malloc
} mock_signature;
// Of @main. false: it cannot be read, why says what.
bool mock_signature_read(const char *text, mock_signature *s, char why[200]);
void mock_signature_free(mock_signature *s);
ch_dtype mock_dtype(int type); // 0: none of ours

typedef struct mock_options {
    int replicas, partitions, ids[MOCK_DEVICES], n_ids;
    char flags[512];
} mock_options;
bool mock_options_read(const char *bytes, size_t n, mock_options *o);

#endif
