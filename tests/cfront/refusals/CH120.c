/* SPDX-License-Identifier: Apache-2.0 */
/* CH120.c - a pointer used as one to something else. */
#include <chaac/grad.h>

struct pair {
    double a, b;
};
double active(const double x[2]) {
    const struct pair *p = (const struct pair *)x;
    return p->a * p->b;
}
CH_GRAD(active, x)
void active_grad(const double x[2], double dx[2]);

double inactive(const double x[2]) {
    const struct pair *p = (const struct pair *)x;
    double unused = p->a;
    (void)unused;
    return x[0] * x[1];
}
CH_GRAD(inactive, x)
void inactive_grad(const double x[2], double dx[2]);

struct other {
    int pad;
    double a;
};
double another(double x) {
    struct pair p = {x, x};
    struct other o = *(struct other *)&p;
    return ((struct other *)&p)->a * o.a;
}
CH_GRAD(another, x)
void another_grad(double x, double *dx);

double rows(int n, const double x[n]) {
    double a[2][3] = {{x[0], x[1], x[2]}, {x[3], 1.0, x[4]}};
    double(*b)[2] = (double(*)[2])a;
    return b[1][1];
}
CH_GRAD(rows, x)
void rows_grad(int n, const double x[n], double dx[n]);
