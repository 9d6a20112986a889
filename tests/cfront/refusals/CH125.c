/* SPDX-License-Identifier: Apache-2.0 */
/* CH125.c - an array of pointers. */
#include <chaac/grad.h>

double active(int n, const double x[CH_LEN(n)]) {
    const double *row[2];
    row[0] = x;
    row[1] = x + 1;
    return *row[0] * *row[1];
}
CH_GRAD(active, x)
void active_grad(int n, const double x[CH_LEN(n)], double dx[CH_LEN(n)]);

double passed(double **a) { return a[0][0] * a[1][1]; }
CH_GRAD(passed, a)
void passed_grad(double **a, double **da);

double inactive(double x, char **names) {
    char first = names[0][0];
    (void)first;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, char **names, double *dx);
