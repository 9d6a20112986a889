/* SPDX-License-Identifier: Apache-2.0 */
/* form.c - what derivatives look like: names, comments, rows and columns, members, branches. */
#include <chaac/grad.h>
#include <math.h>

double energy(int n, const double x[CH_LEN(n)], double k, CH_CONST double rest);
double energy(int n, const double x[CH_LEN(n)], double k, double rest) {
    double e = 0.0;
    // every spring between neighbours
    for (int i = 1; i < n; i++) {
        double d = x[i] - x[i - 1];
        if (fabs(d) > rest)
            e += 0.5 * k * (fabs(d) - rest) * (fabs(d) - rest); /* stretched */
        else
            e += 0.05 * k * d * d; /* slack */
    }
    return e;
}

CH_VALUE_AND_GRAD(energy, x, k)
double energy_vg(int n, const double x[CH_LEN(n)], double k, double rest, double dx[CH_LEN(n)], double *dk);

double form(int n, int m, const double A[n][m], const double x[n], const double y[m]);
double form(int n, int m, const double A[n][m], const double x[n], const double y[m]) {
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) s += x[i] * A[i][j] * y[j];
    return s;
}

CH_GRAD(form, A, x)
void form_grad(int n, int m, const double A[n][m], const double x[n], const double y[m], double dA[n][m], double dx[n]);

struct camera {
    double rot[3];
    double f;
    int id;
};

/* The last point of each camera, seen from it. */
double seen(int n, const struct camera cam[CH_LEN(n)], const double p[3]);
double seen(int n, const struct camera cam[CH_LEN(n)], const double p[3]) {
    double s = 0;
    for (int k = 0; k < n; k++) {
        if (cam[k].id < 0) continue; /* switched off */
        double along = 0;
        for (int c = 0; c < 3; c++) along += cam[k].rot[c] * p[c];
        s += cam[k].f * along * along;
    }
    return s;
}

CH_VALUE_AND_GRAD(seen, cam, p)
double seen_vg(int n, const struct camera cam[CH_LEN(n)], const double p[3], struct camera dcam[CH_LEN(n)],
               double dp[3]);

/* A step in place, and names that the printer needs itself. */
void step(int n, double state[CH_LEN(n)], double exp, double status);
void step(int n, double state[CH_LEN(n)], double exp, double status) {
    for (int i = 0; i < n; i++) state[i] += exp * sin(state[i]) + status;
}

CH_JVP(step, state, exp)
void step_jvp(int n, double state[CH_LEN(n)], double state_t[CH_LEN(n)], double exp, double exp_t, double status);
