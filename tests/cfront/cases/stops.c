/* SPDX-License-Identifier: Apache-2.0 */
/* stops.c - functions that call abort or exit: so do their derivatives. */
#include <chaac/grad.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double at_the_top(double x) {
    if (x < 0.0) abort();
    return sqrt(x);
}
CH_VALUE_AND_GRAD(at_the_top, x)
double at_the_top_vg(double x, double *dx);

static void fail(const char *what, int status) {
    fprintf(stderr, "%s\n", what);
    exit(status);
}

double without_end(double a) {
    double y = a;
    int turns = 0;
    for (;;) {
        double step = (y * y - a) / (2.0 * y);
        y -= step;
        if (fabs(step) < 1e-14 * y) return y;
        if (++turns > 50) fail("no convergence", 3);
    }
}
CH_GRAD(without_end, a)
void without_end_grad(double a, double *da);

double counted(int n, const double x[CH_LEN(n)]) {
    double p = 1.0;
    for (int i = 0; i < n; i++) {
        if (x[i] == 0.0) fail("zero", 10 + i);
        if (x[i] < 0.0) abort();
        p *= x[i];
    }
    return p;
}
CH_JVP(counted, x)
double counted_jvp(int n, const double x[CH_LEN(n)], const double x_t[CH_LEN(n)], double *value_t);
CH_HESSIAN(counted, x)
void counted_hess(int n, const double x[CH_LEN(n)], double H[n][n]);

void rows(const double x[2], double y[2]) {
    if (x[0] > 10.0) exit(7);
    y[0] = x[0] * x[1];
    y[1] = x[0];
}
CH_JACOBIAN(rows, x)
void rows_jac(const double x[2], double y[2], double J[2][2]);
CH_VJP(rows, x)
void rows_vjp(const double x[2], const double y_bar[2], double x_bar[2]);

double ruled(double x) {
    if (x < 0.0) exit(9);
    return x * x;
}
CH_CUSTOM_VJP(ruled)
void ruled_vjp(double x, double y, double y_bar, double *x_bar) {
    (void)y;
    *x_bar += 2.0 * x * y_bar;
}
double by_rule(double x) { return ruled(x) + 1.0; }
CH_GRAD(by_rule, x)
void by_rule_grad(double x, double *dx);

#ifdef RECURSIVE
double deep(int n, double x) {
    if (n < 0) abort();
    return n == 0 ? x : x * deep(n - 1, x);
}
CH_GRAD(deep, x)
void deep_grad(int n, double x, double *dx);
#endif
