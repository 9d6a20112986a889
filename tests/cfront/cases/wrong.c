/* SPDX-License-Identifier: Apache-2.0 */
/* wrong.c - directives and prototypes that are not as they have to be. */
#include <chaac/grad.h>

double f(int n, const double x[n], CH_CONST double k);
double f(int n, const double x[n], double k) { return x[0] * k; }
void g(double x, double *y);
void g(double x, double *y) { *y = x * x; }
double declared(double x);

CH_GRAD(f, x)
void too_few(int n, const double x[n], double k);
CH_GRAD(f, x)
void constant_output(int n, const double x[n], double k, const double dx[n]);
CH_VALUE_AND_GRAD(f, x)
void no_value(int n, const double x[n], double k, double dx[n]);
CH_GRAD(f, z)
void unknown_parameter(int n, const double x[n], double k, double dz[n]);
CH_GRAD(f, k)
void marked_constant(int n, const double x[n], double k, double *dk);
CH_GRAD(f, n)
void an_integer(int n, const double x[n], double k, int *dn);
CH_GRAD(g, x)
void no_number(double x, double *y, double *dx);
CH_GRAD(declared, x)
void no_body(double x, double *dx);
CH_GRAD(f, x)
CH_WORKSPACE
void workspace(int n, const double x[n], double k, double dx[n]);
#ifdef __CHAAC__
__attribute__((annotate("chaac", "laplacian", "f, x")))
#endif
void no_such_directive(int n, const double x[n], double *out);
