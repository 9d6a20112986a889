/* SPDX-License-Identifier: Apache-2.0 */
/* CH124.c - memory read as what it is not. */
#include <chaac/grad.h>

double active(const double *x) {
    const float *f = (const float *)x;
    return (double)f[0];
}
CH_GRAD(active, x)
void active_grad(const double *x, double *dx);

double written(double x) {
    double y = x;
    *(long long *)&y = 0;
    return y;
}
CH_GRAD(written, x)
void written_grad(double x, double *dx);

double inactive(double x) {
    long long bits = *(long long *)&x;
    (void)bits;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
