/* SPDX-License-Identifier: Apache-2.0 */
/* CH151.c - gotos into a block, forward and back; others, also into a loop of gotos, are none of these. */
#include <chaac/grad.h>

double active(double x) {
    int i = 0;
    if (x < 10.0) {
    again:
        x *= x;
    }
    if (i++ < 3) goto again;
    return x;
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double into(double x) {
    if (x > 1.0) goto inside;
    if (x > 0.0) {
        x = 2.0 * x;
    inside:
        x = x * x;
    }
    return x;
}
CH_GRAD(into, x)
void into_grad(double x, double *dx);

double inactive(double x) {
    if (x > 1.0) goto end;
    x = x * x;
again:
    if (x > 0.5) {
        x *= 0.5;
        goto again;
    }
end:
    return x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
