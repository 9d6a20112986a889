/* SPDX-License-Identifier: Apache-2.0 */
/* CH140.c - functions that call themselves in a way that is not lowered. */
#include <chaac/grad.h>

struct pair {
    double a, b;
};
static double by_value(int n, struct pair p) { return n == 0 ? p.a : p.b * by_value(n - 1, p); }
double active(double x) {
    struct pair p = {x, x};
    return by_value(3, p);
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

static void both(int n, double *to, double *from) {
    if (n == 0) return;
    to[0] += from[1];
    both(n - 1, to, from);
}
double overlapping(double x) {
    double a[2] = {x, x};
    both(2, a, a);
    return a[0];
}
CH_GRAD(overlapping, x)
void overlapping_grad(double x, double *dx);

static struct pair halved(int n, struct pair p) {
    if (n == 0) return p;
    p.a *= 0.5;
    return halved(n - 1, p);
}
static void traced(int n, double *to, double *from) {
    if (n > 0) traced(n - 1, from, to);
    to[0] += from[1];
}
double inactive(double x) {
    struct pair p = {x, 2.0}, q = halved(3, p);
    double unread[2] = {x, q.a};
    traced(2, unread, unread);
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
