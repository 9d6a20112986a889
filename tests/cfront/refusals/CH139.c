/* SPDX-License-Identifier: Apache-2.0 */
/* CH139.c - memory that gets its type late. */
#include <chaac/grad.h>
#include <stdlib.h>

double active(int n, double x) {
    void *p = malloc(8);
    for (int i = 0; i < n; i++) {
        double *q = p;
        *q = x;
        x = *q * x;
    }
    return x;
}
CH_GRAD(active, x)
void active_grad(int n, double x, double *dx);

static void *get(size_t n) { return malloc(n); }
double inactive(double x) {
    double *p = get(sizeof *p);
    *p = x;
    x = *p * x;
    free(p);
    return x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
