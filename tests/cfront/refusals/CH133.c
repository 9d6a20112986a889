/* SPDX-License-Identifier: Apache-2.0 */
/* CH133.c - objects and values of a kind that is not known. */
#include <chaac/grad.h>
#include <stdlib.h>

double active(double x) { return x * "text"[1]; }
CH_GRAD(active, x)
void active_grad(double x, double *dx);

static const char *const letters = "abc";
double constant(double x) { return x * letters[1]; }
CH_GRAD(constant, x)
void constant_grad(double x, double *dx);

double inactive(double x) {
    const char *s = "text";
    char c = s[0];
    (void)c;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);

/* memory under a condition, of a size that is found there */
double conditional(int n, double x, const int *sizes) {
    double *p = NULL;
    if (x > 0.0) {
        p = malloc((size_t)(sizes[0] + n) * sizeof *p);
        p[n - 1] = x;
    }
    return p ? p[n - 1] : 0.0;
}
CH_GRAD(conditional, x)
void conditional_grad(int n, double x, const int *sizes, double *dx);
