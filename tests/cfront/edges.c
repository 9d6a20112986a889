/* SPDX-License-Identifier: Apache-2.0 */
/* edges.c - see edges.h. */
#include "edges.h"

#include <math.h>
#include <stdlib.h>

double chain(int n, const double *x) {
    double e = 0.0;
    for (int i = 0; i + 1 < n; i++) e += sin(x[i + 1] - x[i] * x[i]);
    return n > 0 ? e + x[n - 1] * x[0] : e;
}

/* two states that need one another's past: a tape with an entry a turn */
double ladder(double a, double b, int steps) {
    double p = a, q = b;
    for (int s = 0; s < steps; s++) {
        double r = p * q;
        p = 0.999 * p + 0.001 * sin(r);
        q = 0.999 * q + 0.001 * r;
    }
    return p * q;
}

/* as many turns as it takes */
double settle(double a, double until) {
    double v = a;
    while (fabs(v) > until) v -= 0.1 * v * fabs(v);
    return v;
}

/* memory of its own */
double mixed(int n, int k, const double *w, const double *x) {
    double *h = malloc((size_t)(n > 0 ? n : 1) * sizeof *h), sum = 0.0;
    for (int i = 0; i < n; i++) {
        h[i] = i > 0 ? 0.5 * h[i - 1] : 0.0;
        for (int j = 0; j < k; j++) h[i] += w[i * k + j] * x[j];
        h[i] = tanh(h[i]);
    }
    for (int i = 0; i < n; i++) sum += h[i] * h[i];
    free(h);
    return sum;
}
