/* SPDX-License-Identifier: Apache-2.0 */
/* detached.c - a parameter that cannot matter is warned of; one alone is an error. */
#include <chaac/grad.h>

double f(double x, double y) { return x * x + 0.0 * (y > 1.0); }
CH_GRAD(f, x, y)
void f_grad(double x, double y, double *dx, double *dy);
CH_GRAD(f, y)
void f_y(double x, double y, double *dy);
