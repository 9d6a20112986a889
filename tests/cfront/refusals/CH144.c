/* SPDX-License-Identifier: Apache-2.0 */
/* CH144.c - memory from the caller, of a size that nobody knows beforehand; where it does not matter it is given. */
#include <chaac/grad.h>
#include <math.h>
#include <stdlib.h>

double active(double x) {
    while (fabs(x) > 0.5) x = x * cos(x);
    return x;
}
CH_WORKSPACE
CH_GRAD(active, x)
void active_grad(double x, double *dx, void *work);

double sized(double x) {
    int n = (int)x;
    double *a = malloc(sizeof(double) * (size_t)(n + 1)), s = 0.0;
    for (int i = 0; i <= n; i++) a[i] = x * i;
    for (int i = 0; i <= n; i++) s += a[i] * a[n - i];
    free(a);
    return s;
}
CH_WORKSPACE
CH_GRAD(sized, x)
void sized_grad(double x, double *dx, void *work);

double fell(int n, double x) { return n == 0 ? x : sin(x) * fell(n - 1, x * x); }
CH_WORKSPACE
CH_GRAD(fell, x)
void fell_grad(int n, double x, double *dx, void *work);

double inactive(double x) {
    int turns = 0;
    for (double y = x; y > 0.5; y *= 0.5) turns++;
    return x * x + turns;
}
CH_WORKSPACE
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx, void *work);
