/* SPDX-License-Identifier: Apache-2.0 */
/* CH143.c - rules that are not as they have to be. */
#include <chaac/grad.h>

double f(double x) { return x * x; }
CH_CUSTOM_VJP(f)
void f_vjp(double x, double y, double *x_bar) { *x_bar += 2.0 * x * y; }
double active(double x) { return f(x) + 1.0; }
CH_GRAD(active, x)
void active_grad(double x, double *dx);

void writes(double x, double *y) { *y = x; }
CH_CUSTOM_VJP(writes)
void writes_vjp(double x, double *y, double *x_bar) { *x_bar += x * *y; }
double uses(double x) {
    double y;
    writes(x, &y);
    return x * y;
}
CH_GRAD(uses, x)
void uses_grad(double x, double *dx);

double declared(double x) { return x; }
CH_CUSTOM_JVP(declared)
void declared_jvp(double x, double x_t, double y, double *y_t);
