/* SPDX-License-Identifier: Apache-2.0 */
/* CH104.c - arrays of unknown size: one whose derivative is wanted, one that is only read. */
#include <chaac/grad.h>

double active(int n, const double *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return s;
}
CH_GRAD(active, x)
void active_grad(int n, const double *x, double *dx);

double inactive(int n, const double *w, double x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += w[i] * x;
    return s;
}
CH_GRAD(inactive, x)
void inactive_grad(int n, const double *w, double x, double *dx);
