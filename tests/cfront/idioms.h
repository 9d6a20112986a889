/* SPDX-License-Identifier: Apache-2.0 */
/* idioms.h - the functions of idioms.c and the derivatives that the test asks for. */
#ifndef IDIOMS_H
#define IDIOMS_H
#include <chaac/grad.h>

#define FUNCTION(f)                                                                                                    \
    double f(int n, const double x[n]);                                                                                \
    CH_VALUE_AND_GRAD(f, x)                                                                                            \
    double f##_vg(int n, const double x[n], double dx[n]);                                                             \
    CH_JVP(f, x)                                                                                                       \
    double f##_jvp(int n, const double x[n], const double t[n], double *value_t);
#include "idioms.def"
#undef FUNCTION

/* what idioms_other.c has */
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
