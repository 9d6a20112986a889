/* SPDX-License-Identifier: Apache-2.0 */
/* CH106.c - a parameter that cannot matter, and a struct of which some members do. */
#include <chaac/grad.h>

struct pair {
    double used, unused;
};
double f(double x, double y, const struct pair *p) { return x * p->used + (y > 1.0 ? 1.0 : 2.0); }
CH_GRAD(f, x, y, p)
void f_grad(double x, double y, const struct pair *p, double *dx, double *dy, struct pair *dp);
