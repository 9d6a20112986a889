// SPDX-License-Identifier: Apache-2.0
// sizes.h - values of symbolic sizes from the command line: --size N=VALUE, once for each.
#ifndef CHAAC_TOOLS_SIZES_H
#define CHAAC_TOOLS_SIZES_H

#include "cli.h"

enum { MOST_SIZES = 64, MOST_RANK = 16 };

typedef struct sizes {
    int n;
    const char *names[MOST_SIZES];
    int64_t values[MOST_SIZES];
} sizes;

// Adds "n=4"; text is cut at the "=". OK, or USAGE with a line that says why not.
int add_size(const char *cmd, char *text, sizes *s);
// Each has to be one of the func's.
int check_sizes(const char *cmd, const ch_func *f, const sizes *s);
// Dims and number of elements of parameter i, which are to be at most so many; a line says which size has no value.
int param_dims(const char *cmd, const ch_func *f, int i, const sizes *s, int64_t most, int *rank, int64_t *dims,
               int64_t *n);

#endif
