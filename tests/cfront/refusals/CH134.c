/* SPDX-License-Identifier: Apache-2.0 */
/* CH134.c - pointers and integers made into each other. */
#include <chaac/grad.h>

double active(double *x) {
    double s = *x;
    if ((unsigned long)x % 16 == 0) s *= 2.0;
    return s;
}
CH_GRAD(active, x)
void active_grad(double *x, double *dx);

double followed(double x, unsigned long where) { return x * *(double *)where; }
CH_GRAD(followed, x)
void followed_grad(double x, unsigned long where, double *dx);

double inactive(double *x) {
    unsigned long where = (unsigned long)x;
    (void)where;
    return *x * *x;
}
CH_GRAD(inactive, x)
void inactive_grad(double *x, double *dx);
