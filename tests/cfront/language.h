/* SPDX-License-Identifier: Apache-2.0 */
/* language.h - the functions of language.c and the derivatives that the test asks for. */
#ifndef LANGUAGE_H
#define LANGUAGE_H
#include <chaac/grad.h>

#define FUNCTION(f)                                                                                                    \
    double f(int n, const double x[n]);                                                                                \
    CH_VALUE_AND_GRAD(f, x)                                                                                            \
    double f##_vg(int n, const double x[n], double dx[n]);                                                             \
    CH_JVP(f, x)                                                                                                       \
    double f##_jvp(int n, const double x[n], const double t[n], double *value_t);
#include "language.def"
#undef FUNCTION

double solve(double a);
CH_CUSTOM_VJP(solve)
void solve_vjp(double a, double y, double y_bar, double *a_bar);
CH_CUSTOM_JVP(solve)
void solve_jvp(double a, double a_t, double y, double *y_t);
#endif
