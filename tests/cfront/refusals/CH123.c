/* SPDX-License-Identifier: Apache-2.0 */
/* CH123.c - null pointers and ones that are not set; one behind a test that is never true. */
#include <chaac/grad.h>

double active(double x) {
    const double *p = NULL;
    return x * *p;
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double unset(double x) {
    double *p;
    *p = x;
    return x * *p;
}
CH_GRAD(unset, x)
void unset_grad(double x, double *dx);

static double square(double x, double *slope) {
    if (slope) *slope = 2.0 * x;
    return x * x;
}
double inactive(double x) { return square(x, NULL); }
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
