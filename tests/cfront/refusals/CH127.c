/* SPDX-License-Identifier: Apache-2.0 */
/* CH127.c - a struct behind a pointer that may point to several. */
#include <chaac/grad.h>

struct pair {
    double a, b;
};
double active(double x, double y) {
    struct pair p = {x, y}, q = {y, x}, *r = x > y ? &p : &q, copy;
    copy = *r;
    return copy.a * p.b;
}
CH_GRAD(active, x, y)
void active_grad(double x, double y, double *dx, double *dy);

double inactive(double x, double y) {
    struct pair p = {x, y}, q = {y, x}, *r = x > y ? &p : &q;
    return r->a * r->a * r->b;
}
CH_GRAD(inactive, x, y)
void inactive_grad(double x, double y, double *dx, double *dy);
