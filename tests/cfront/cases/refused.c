/* SPDX-License-Identifier: Apache-2.0 */
/* refused.c - one function for each thing that is refused. */
#include <chaac/grad.h>
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

double unknown(double x);
double no_body(double x) { return 2 * unknown(x); }
CH_GRAD(no_body, x)
void no_body_grad(double x, double *dx);

union number {
    double d;
    unsigned long u;
};
double through_union(double x) {
    union number n;
    n.d = x;
    return n.d * n.d;
}
CH_GRAD(through_union, x)
void through_union_grad(double x, double *dx);

struct pair {
    double a, b;
};
double beside(const struct pair *p) {
    const double *x = &p->a;
    return x[1] * x[1];
}
CH_GRAD(beside, p)
void beside_grad(const struct pair *p, struct pair *dp);

double pun(const double *x) {
    const float *f = (const float *)x;
    return (double)f[0];
}
CH_GRAD(pun, x)
void pun_grad(const double *x, double *dx);

double null(double x) {
    const double *p = NULL;
    return x * *p;
}
CH_GRAD(null, x)
void null_grad(double x, double *dx);

static double counter;
double counts(double x) {
    counter += x;
    return x * counter;
}
CH_GRAD(counts, x)
void counts_grad(double x, double *dx);

static double outside = 1.0;
void set_outside(double v) {
    double *p = &outside;
    *p = v;
}
double reads_outside(double x) { return x * outside; }
CH_GRAD(reads_outside, x)
void reads_outside_grad(double x, double *dx);

double rows(int n, const double x[n]) {
    static double *row[2];
    return *row[0] * x[1];
}
CH_GRAD(rows, x)
void rows_grad(int n, const double x[n], double dx[n]);

double jumps(double x) {
    int i = 0;
    if (x < 9.0)
    again:
        x *= x;
    if (i++ < 3) goto again;
    return x;
}
CH_GRAD(jumps, x)
void jumps_grad(double x, double *dx);

double pointer_number(double *x) { return (double)(unsigned long)x; }
CH_GRAD(pointer_number, x)
void pointer_number_grad(double *x, double *dx);

double filled(double x) {
    double a[4];
    memset(a, 1, sizeof a);
    return x * a[0];
}
CH_GRAD(filled, x)
void filled_grad(double x, double *dx);

double unsized(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return s;
}
CH_GRAD(unsized, x)
void unsized_grad(int n, const double *x, double *dx);

double complex_number(double x) {
    double complex z = x * I;
    return creal(z * z);
}
CH_GRAD(complex_number, x)
void complex_number_grad(double x, double *dx);

double many(int n, ...) {
    va_list ap;
    va_start(ap, n);
    double x = va_arg(ap, double);
    va_end(ap);
    return x;
}
double calls_many(double x) { return many(1, x); }
CH_GRAD(calls_many, x)
void calls_many_grad(double x, double *dx);

double policy(int n, double x) {
    for (int i = 0; i < n; i++) {
        CH_CHECKPOINT(sometimes);
        x = sin(x);
    }
    return x;
}
CH_GRAD(policy, x)
void policy_grad(int n, double x, double *dx);
