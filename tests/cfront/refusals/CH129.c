/* SPDX-License-Identifier: Apache-2.0 */
/* CH129.c - initializers of a form that is not read. */
#include <chaac/grad.h>
#include <stdio.h>

union either {
    double d;
    int i;
};
double active(double x) {
    union either e = {x};
    return e.d;
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double text(double x) {
    char s[4] = "a\tb";
    return x * s[1];
}
CH_GRAD(text, x)
void text_grad(double x, double *dx);

double inactive(double x) {
    union either e = {x};
    char s[4] = "a\tb";
    puts(s);
    (void)e;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
