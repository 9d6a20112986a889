/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - what a project that wants gradients has: a header of its own, a definition on the command line. */
#include "model.h"

#include <chaac/grad.h>

double model(int n, const double x[CH_LEN(n)]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += FACTOR * x[i] * x[i];
    return s;
}

CH_VALUE_AND_GRAD(model, x)
double model_vg(int n, const double x[], double dx[]);
