/* SPDX-License-Identifier: Apache-2.0 */
/* CH101.c - a directive that is not as it has to be. */
#include <chaac/grad.h>

double f(double x) { return x * x; }
CH_GRAD(f, y)
void unknown_parameter(double x, double *dy);
CH_GRAD(f, x)
void another_prototype(double x);
CH_VALUE_AND_GRAD(f, x)
void no_value(double x, double *dx);
double declared(double x);
CH_GRAD(declared, x)
void no_body(double x, double *dx);
void writes(double x, double *y) { *y = x; }
CH_GRAD(writes, x)
void no_number(double x, double *y, double *dx);
CH_GRAD(f, x)
void twice(double x, double *dx);
CH_VALUE_AND_GRAD(f, x)
double other(double x, double *dx);
CH_GRAD(f, x)
void twice(double x, double *dx);
CH_GRAD(other, x)
void of_a_derivative(double x, double *dx);
double two(double x, double y) { return x * y; }
CH_GRAD(two, x, y)
void another_order(double x, double y, double *dy, double *dx);
CH_GRAD(two, x, y)
void parameters_in_another_order(double y, double x, double *dx, double *dy);
CH_VJP(two, x, y)
void names_of_its_own(double u, double v, double value_bar, double *dx, double *y_bar);
