/* SPDX-License-Identifier: Apache-2.0 */
/* numerical.h - the functions of numerical.c and the derivatives that the test asks for. */
#ifndef NUMERICAL_H
#define NUMERICAL_H
#include <chaac/grad.h>

#define FUNCTION(f)                                                                                                    \
    double f(int n, const double x[n]);                                                                                \
    CH_VALUE_AND_GRAD(f, x)                                                                                            \
    double f##_vg(int n, const double x[n], double dx[n]);                                                             \
    CH_JVP(f, x)                                                                                                       \
    double f##_jvp(int n, const double x[n], const double t[n], double *value_t);
#include "numerical.def"
#undef FUNCTION
#endif
