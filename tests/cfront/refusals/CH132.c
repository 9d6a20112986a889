/* SPDX-License-Identifier: Apache-2.0 */
/* CH132.c - pointers into different things, compared or subtracted. */
#include <chaac/grad.h>

double active(const double x[2], const double y[2]) {
    double s = x[0];
    if (x < y) s = y[0];
    return s * (double)(x - y);
}
CH_GRAD(active, x)
void active_grad(const double x[2], const double y[2], double dx[2]);

double inactive(const double x[2], const double y[2]) {
    long apart = x - y;
    (void)apart;
    return x[0] * y[0] * (x == y ? 2.0 : 1.0);
}
CH_GRAD(inactive, x)
void inactive_grad(const double x[2], const double y[2], double dx[2]);
