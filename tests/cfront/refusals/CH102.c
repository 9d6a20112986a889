/* SPDX-License-Identifier: Apache-2.0 */
/* CH102.c - a function without a body: one that matters, one that does not. */
#include <chaac/grad.h>
#include <stdio.h>
#include <stdlib.h>

double elsewhere(double x);
void fills(double *a);
int reads(const double *a, int n);

double active(int n, const double x[CH_LEN(n)]) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double q = elsewhere(x[i]);
        s += q;
    }
    return s;
}
CH_GRAD(active, x)
void active_grad(int n, const double x[CH_LEN(n)], double dx[CH_LEN(n)]);

double writes(double x) {
    double a[2] = {x, x};
    fills(a);
    return a[0];
}
CH_GRAD(writes, x)
void writes_grad(double x, double *dx);

double inactive(int n, const double x[CH_LEN(n)]) {
    double unused = elsewhere(x[0]);
    if (reads(x, n) > 3) unused = 0.0;
    char line[32];
    snprintf(line, sizeof line, "%g", unused);
    puts(line);
    return x[0] * x[0];
}
CH_GRAD(inactive, x)
void inactive_grad(int n, const double x[CH_LEN(n)], double dx[CH_LEN(n)]);

const double *lookup(double x);
double pointer(double x) {
    const double *p = lookup(x);
    if (p == NULL) return 0.0;
    return x * x;
}
CH_GRAD(pointer, x)
void pointer_grad(double x, double *dx);

double either(double x, int k) {
    const double *p = k ? NULL : lookup(x);
    if (p) x *= 2.0;
    return x;
}
CH_GRAD(either, x)
void either_grad(double x, int k, double *dx);

double allocated(int n, double x) {
    double *a = malloc((size_t)n * sizeof *a);
    fills(a);
    x *= a[0];
    free(a);
    return x;
}
CH_GRAD(allocated, x)
void allocated_grad(int n, double x, double *dx);
