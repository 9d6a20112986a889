/* SPDX-License-Identifier: Apache-2.0 */
/* CH140.c - functions that call themselves in a way that is not lowered. */
#include <chaac/grad.h>

static double *walked(int n, double *p) { return n == 0 ? p : walked(n - 1, p + 1); }
double active(double x) {
    double a[4] = {x, x, x * x, 1.0};
    return *walked(2, a);
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

static double either(int n, const double *p) { return n == 0 ? p[0] : p[1] * either(n - 1, p); }
double several(double x, double y) {
    double a[2] = {x, y}, b[2] = {y, x};
    return either(2, x > y ? a : b);
}
CH_GRAD(several, x)
void several_grad(double x, double y, double *dx);

struct cursor {
    const double *at;
};
static double next(struct cursor *c, int n) {
    double v = *c->at++;
    return n == 0 ? v : v * next(c, n - 1);
}
double changes(double x) {
    double a[4] = {x, 2.0, x, 3.0};
    struct cursor c = {a};
    return next(&c, 3);
}
CH_GRAD(changes, x)
void changes_grad(double x, double *dx);

double inactive(double x) {
    double a[2] = {x, x}, *unread = walked(1, a);
    (void)unread;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
