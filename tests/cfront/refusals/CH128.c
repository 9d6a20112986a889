/* SPDX-License-Identifier: Apache-2.0 */
/* CH128.c - a struct with an array of structs, copied as a whole. */
#include <chaac/grad.h>

struct point {
    double x, y;
};
struct path {
    struct point at[3];
};
double active(double x) {
    struct path p = {{{x, x}, {x, 1.0}, {2.0, x}}}, q;
    q = p;
    return q.at[1].x * q.at[2].y;
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double inactive(double x) {
    struct path p = {{{x, x}, {x, 1.0}, {2.0, x}}}, q;
    q = p;
    (void)q;
    return p.at[1].x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
