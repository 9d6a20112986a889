/* SPDX-License-Identifier: Apache-2.0 */
/* CH126.c - variables of the file that are written. */
#include <chaac/grad.h>

double total;
static double work[4];
static int calls;
static double last;

double active(double x) {
    total += x;
    return x * total;
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double scratch(int n, double x) {
    for (int i = 0; i < n; i++) work[i] = x * i;
    return work[0];
}
CH_GRAD(scratch, x)
void scratch_grad(int n, double x, double *dx);

double inactive(double x) {
    calls++;
    last = x;
    return x * last;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
