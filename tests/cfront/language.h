/* SPDX-License-Identifier: Apache-2.0 */
/* language.h - the functions of language.c, and a function whose derivatives are the user's own. */
#ifndef LANGUAGE_H
#define LANGUAGE_H
#define FUNCTIONS "language.def"
#include "functions.h"

double solve(double a);
CH_CUSTOM_VJP(solve)
void solve_vjp(double a, double y, double y_bar, double *a_bar);
CH_CUSTOM_JVP(solve)
void solve_jvp(double a, double a_t, double y, double *y_t);
#endif
