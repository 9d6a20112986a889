/* SPDX-License-Identifier: Apache-2.0 */
/* CH122.c - a pointer that walks from one member to the next. */
#include <chaac/grad.h>

struct pair {
    double a, b;
};
double active(const struct pair *p) {
    const double *x = &p->a;
    return x[0] * x[1];
}
CH_GRAD(active, p)
void active_grad(const struct pair *p, struct pair *dp);

double inactive(const struct pair *p) {
    const double *x = &p->a;
    double unused = x[1];
    (void)unused;
    return p->a;
}
CH_GRAD(inactive, p)
void inactive_grad(const struct pair *p, struct pair *dp);
