/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h - the functions that the .def file FUNCTIONS lists, each of n numbers, and the derivatives that the test
   asks for of each. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H
#include <chaac/grad.h>

#define FUNCTION(f)                                                                                                    \
    double f(int n, const double x[n]);                                                                                \
    CH_VALUE_AND_GRAD(f, x)                                                                                            \
    double f##_vg(int n, const double x[n], double dx[n]);                                                             \
    CH_JVP(f, x)                                                                                                       \
    double f##_jvp(int n, const double x[n], const double t[n], double *value_t);
#include FUNCTIONS
#undef FUNCTION
#endif
