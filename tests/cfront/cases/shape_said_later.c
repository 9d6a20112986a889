// SPDX-License-Identifier: Apache-2.0
// CH_SHAPE stands before the prototype of the derivative, in that prototype's words.
#include <chaac/grad.h>

typedef struct {
    int n;
    double *w;
} vector;

double energy(const vector *v, const double *x) {
    double s = 0;
    for (int i = 0; i < v->n; i++) s += v->w[i] * x[i] * x[i];
    return s;
}

CH_SHAPE(u->w, u->n)
CH_SHAPE(y, u->n)
CH_GRAD(energy, v, x)
void energy_grad(const vector *u, const double *y, vector *du, double *dy);
