// SPDX-License-Identifier: Apache-2.0
// network.c - a neural network in plain loops learns exclusive or.
#include <chaac/grad.h>
#include <math.h>
#include <stdio.h>

enum { HIDDEN = 8, WEIGHTS = 4 * HIDDEN + 1 };

struct net {
    double in[HIDDEN][2], bias[HIDDEN], out[HIDDEN], last;
};

double loss(const struct net *w, int n, CH_CONST const double x[2 * n], CH_CONST const double y[n]);
double loss(const struct net *w, int n, const double x[2 * n], const double y[n]) {
    double total = 0.0;
    for (int s = 0; s < n; s++) {
        double z = w->last;
        for (int h = 0; h < HIDDEN; h++)
            z += w->out[h] * tanh(w->in[h][0] * x[2 * s] + w->in[h][1] * x[2 * s + 1] + w->bias[h]);
        total += log1p(exp(-z * (2.0 * y[s] - 1.0)));
    }
    return total / n;
}

CH_VALUE_AND_GRAD(loss, w)
double loss_vg(const struct net *w, int n, const double x[2 * n], const double y[n], struct net *dw);

static void step(struct net *w, const struct net *d, double rate) {
    for (int h = 0; h < HIDDEN; h++) {
        w->in[h][0] -= rate * d->in[h][0];
        w->in[h][1] -= rate * d->in[h][1];
        w->bias[h] -= rate * d->bias[h];
        w->out[h] -= rate * d->out[h];
    }
    w->last -= rate * d->last;
}

int main(void) {
    const double x[8] = {0, 0, 0, 1, 1, 0, 1, 1}, y[4] = {0, 1, 1, 0};
    struct net w = {.last = 0.0}, d;
    for (int h = 0; h < HIDDEN; h++) {
        w.in[h][0] = sin(1.0 + 3.0 * h), w.in[h][1] = cos(2.0 + 5.0 * h);
        w.bias[h] = 0.3 * sin(7.0 * h), w.out[h] = 0.5 * cos(11.0 * h);
    }
    double value = 0;
    for (int k = 0; k <= 2000; k++) {
        value = loss_vg(&w, 4, x, y, &d);
        if (k % 500 == 0) printf("%4d %.4f\n", k, value);
        step(&w, &d, 0.5);
    }
    return !(value < 0.05);
}
