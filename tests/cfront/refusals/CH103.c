/* SPDX-License-Identifier: Apache-2.0 */
/* CH103.c - parameters without a derivative. */
#include <chaac/grad.h>

double f(int n, CH_CONST double k, double x);
double f(int n, double k, double x) { return n * k * x; }
CH_GRAD(f, n)
void integer(int n, double k, double x, int *dn);
CH_GRAD(f, k)
void constant(int n, double k, double x, double *dk);
double none(int n) { return n * 2.0; }
CH_GRAD(none)
void no_parameter(int n);
