/* SPDX-License-Identifier: Apache-2.0 */
/* CH145.c - abort where it is not known outside. */
#include <chaac/grad.h>
#include <stdlib.h>

static double deep(int n, double x) {
    if (n < 0) abort();
    return n == 0 ? x : x * deep(n - 1, x);
}
double active(double x) { return deep(3, x); }
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double inactive(double x) {
    if (x < 0.0) abort();
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
