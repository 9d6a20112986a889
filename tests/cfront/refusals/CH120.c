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
