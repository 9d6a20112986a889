/* SPDX-License-Identifier: Apache-2.0 */
/* CH121.c - unions, long double and complex numbers. */
#include <chaac/grad.h>
#include <complex.h>
#include <stdio.h>

union bits {
    double d;
    unsigned long long u;
};
double active(double x) {
    union bits b;
    b.d = x;
    b.u ^= 1;
    return b.d * x;
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double extended(double x) {
    long double s = x;
    s *= 2.0L;
    return (double)s;
}
CH_GRAD(extended, x)
void extended_grad(double x, double *dx);

static double takes(long double y, double x) { return (double)y * x; }
double passed(double x) { return takes(2.0L, x); }
CH_GRAD(passed, x)
void passed_grad(double x, double *dx);

double imaginary(double x) {
    double complex z = x * I;
    return creal(z * z);
}
CH_GRAD(imaginary, x)
void imaginary_grad(double x, double *dx);

double inactive(double x) {
    union bits b;
    long double sum = x;
    b.d = x;
    sum += 1;
    printf("%llx %Lg\n", b.u, sum);
    if (b.u & 1) printf("odd\n");
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
