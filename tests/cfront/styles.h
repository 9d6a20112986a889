/* SPDX-License-Identifier: Apache-2.0 */
/* styles.h - functions over the files of styles/, and the derivatives that the test asks for. */
#ifndef STYLES_H
#define STYLES_H
#include <chaac/grad.h>

#define FUNCTION(f)                                                                                                    \
    double f(int n, const double x[n]);                                                                                \
    CH_VALUE_AND_GRAD(f, x)                                                                                            \
    double f##_vg(int n, const double x[n], double dx[n]);                                                             \
    CH_JVP(f, x)                                                                                                       \
    double f##_jvp(int n, const double x[n], const double t[n], double *value_t);
#include "styles.def"
#undef FUNCTION
#endif
