/* SPDX-License-Identifier: Apache-2.0 */
/* edges.h - functions whose derivatives are run at their edges: no elements, one, ten million turns, no memory. */
#ifndef EDGES_H
#define EDGES_H
#include <chaac/grad.h>

/* plain pointers: in C an array parameter of no elements is undefined */
CH_SHAPE(x, n)
double chain(int n, const double *x);
CH_VALUE_AND_GRAD(chain, x)
double chain_vg(int n, const double *x, double *dx);

double ladder(double a, double b, int steps);
CH_VALUE_AND_GRAD(ladder, a, b)
double ladder_vg(double a, double b, int steps, double *da, double *db);

double settle(double a, double until);
CH_GRAD(settle, a)
void settle_grad(double a, double until, double *da);

CH_SHAPE(w, n, k)
CH_SHAPE(x, k)
double mixed(int n, int k, const double *w, const double *x);
CH_VALUE_AND_GRAD(mixed, w, x)
double mixed_vg(int n, int k, const double *w, const double *x, double *dw, double *dx);
#endif
