/* SPDX-License-Identifier: Apache-2.0 */
/* orbits.c - integrators that take functions, a table of functions, steps that adapt. */
#include <math.h>
#include <string.h>
#include <stdlib.h>

#define MAX_DIM 8
typedef void (*rhs_fn)(double t, const double *y, double *dy, const double *par);

static void lorenz(double t, const double *y, double *dy, const double *par) {
    (void)t;
    dy[0] = par[0] * (y[1] - y[0]);
    dy[1] = y[0] * (par[1] - y[2]) - y[1];
    dy[2] = y[0] * y[1] - par[2] * y[2];
}
static void pendulum(double t, const double *y, double *dy, const double *par) {
    dy[0] = y[1];
    dy[1] = -par[0] * sin(y[0]) - par[1] * y[1] + par[2] * cos(t);
}
static int rk4(rhs_fn f, int dim, double *y, double t0, double t1, int steps, const double *par) {
    double k1[MAX_DIM], k2[MAX_DIM], k3[MAX_DIM], k4[MAX_DIM], tmp[MAX_DIM];
    double h = (t1 - t0) / steps, t = t0;
    int i, s;
    if (dim > MAX_DIM || steps <= 0) return -1;
    for (s = 0; s < steps; s++, t += h) {
        f(t, y, k1, par);
        for (i = 0; i < dim; i++) tmp[i] = y[i] + 0.5 * h * k1[i];
        f(t + 0.5 * h, tmp, k2, par);
        for (i = 0; i < dim; i++) tmp[i] = y[i] + 0.5 * h * k2[i];
        f(t + 0.5 * h, tmp, k3, par);
        for (i = 0; i < dim; i++) tmp[i] = y[i] + h * k3[i];
        f(t + h, tmp, k4, par);
        for (i = 0; i < dim; i++) y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    }
    return 0;
}
static double rkf_adaptive(rhs_fn f, int dim, double *y, double t, double tend, double tol, const double *par,
                           int *nfev) {
    static const double a[6] = {0, 0.25, 3.0 / 8, 12.0 / 13, 1, 0.5};
    static const double b[6][5] = {{0},
                                   {0.25},
                                   {3.0 / 32, 9.0 / 32},
                                   {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
                                   {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
                                   {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}};
    static const double c4[6] = {25.0 / 216, 0, 1408.0 / 2565, 2197.0 / 4104, -0.2, 0};
    static const double c5[6] = {16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55};
    double k[6][MAX_DIM], yt[MAX_DIM], h = 0.01;
    while (t < tend) {
        double err = 0;
        if (t + h > tend) h = tend - t;
        for (int s = 0; s < 6; s++) {
            for (int i = 0; i < dim; i++) {
                yt[i] = y[i];
                for (int j = 0; j < s; j++) yt[i] += h * b[s][j] * k[j][i];
            }
            f(t + a[s] * h, yt, k[s], par);
            ++*nfev;
        }
        for (int i = 0; i < dim; i++) {
            double e = 0;
            for (int s = 0; s < 6; s++) e += (c5[s] - c4[s]) * k[s][i];
            err = fmax(err, fabs(h * e));
        }
        if (err <= tol) {
            t += h;
            for (int i = 0; i < dim; i++)
                for (int s = 0; s < 6; s++) y[i] += h * c5[s] * k[s][i];
        }
        h *= fmin(4.0, fmax(0.1, 0.9 * pow(tol / (err + 1e-30), 0.2)));
    }
    return h;
}
double lorenz_end(const double y0[], const double par[], int steps) {
    double y[MAX_DIM] = {0};
    memcpy(y, y0, 3 * sizeof(double));
    if (rk4(lorenz, 3, y, 0.0, 1.0, steps, par) != 0) return NAN;
    return y[0] * y[0] + y[2];
}

double pend_end(double th, double om, const double par[]) {
    double y[MAX_DIM] = {th, om};
    int nfev = 0;
    rhs_fn f = pendulum;
    rkf_adaptive(f, 2, y, 0, 2, 1e-6, par, &nfev);
    return y[0] + 0.1 * y[1] * nfev;
}

/* dispatch table of functions and an array of function pointers */
static double act_relu(double x) { return x > 0 ? x : 0; }
static double act_tanh(double x) { return tanh(x); }
static double act_soft(double x) { return log1p(exp(x)); }
static double (*const acts[])(double) = {act_relu, act_tanh, act_soft};
double net(int kind, int n, const double w[], double x) {
    double h = x;
    double (*act)(double) = acts[kind];
    for (int i = 0; i < n; i++) h = act(w[i] * h + 0.1);
    return h;
}
