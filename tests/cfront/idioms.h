/* SPDX-License-Identifier: Apache-2.0 */
/* idioms.h - the functions of idioms.c, and what it uses of idioms_other.c. */
#ifndef IDIOMS_H
#define IDIOMS_H
#define FUNCTIONS "idioms.def"
#include "functions.h"

typedef struct {
    const double *c;
    int order;
    double a, b;
} series;
extern const series other_series;
extern const double other_table[4];
typedef double (*unary)(double, void *);
extern const unary other_functions[2];
double other_call(unary f, double x, void *params);
#endif
