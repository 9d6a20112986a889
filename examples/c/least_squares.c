// SPDX-License-Identifier: Apache-2.0
// least_squares.c - a decaying oscillation fitted by Levenberg-Marquardt; `chaac grad` writes the Jacobian.
#include <chaac/grad.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 40 };

// p: amplitude, decay, frequency, offset
void residuals(const double p[4], CH_CONST const double t[POINTS], CH_CONST const double y[POINTS],
               CH_OUT double r[POINTS]);
void residuals(const double p[4], const double t[POINTS], const double y[POINTS], double r[POINTS]) {
    for (int i = 0; i < POINTS; i++) r[i] = p[0] * exp(-p[1] * t[i]) * cos(p[2] * t[i]) + p[3] - y[i];
}

CH_JACOBIAN(residuals, p)
void residuals_jac(const double p[4], const double t[POINTS], const double y[POINTS], double r[POINTS],
                   double J[POINTS][4]);

static double sum_of_squares(const double *r) {
    double s = 0;
    for (int i = 0; i < POINTS; i++) s += r[i] * r[i];
    return s;
}

// Solves the 4 x 4 system a x = b by elimination; a is positive definite.
static void solve(double a[4][4], double b[4]) {
    for (int k = 0; k < 4; k++)
        for (int i = k + 1; i < 4; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < 4; j++) a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    for (int k = 3; k >= 0; k--) {
        for (int j = k + 1; j < 4; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

int main(void) {
    double t[POINTS], y[POINTS], r[POINTS], J[POINTS][4], p[4] = {1.0, 0.3, 2.5, 0.0}, damping = 1e-3;
    for (int i = 0; i < POINTS; i++) {
        t[i] = 0.1 * i;
        y[i] = 2.0 * exp(-0.5 * t[i]) * cos(3.0 * t[i]) + 0.25;
    }
    residuals(p, t, y, r);
    double now = sum_of_squares(r);
    for (int step = 0; step < 30 && now > 1e-20; step++) {
        double a[4][4] = {{0}}, g[4] = {0}, q[4];
        residuals_jac(p, t, y, r, J);
        residuals(p, t, y, r);
        for (int i = 0; i < POINTS; i++)
            for (int j = 0; j < 4; j++) {
                g[j] -= J[i][j] * r[i];
                for (int k = 0; k < 4; k++) a[j][k] += J[i][j] * J[i][k];
            }
        for (int j = 0; j < 4; j++) a[j][j] *= 1 + damping;
        solve(a, g);
        for (int j = 0; j < 4; j++) q[j] = p[j] + g[j];
        residuals(q, t, y, r);
        double next = sum_of_squares(r);
        if (next < now) {
            for (int j = 0; j < 4; j++) p[j] = q[j];
            now = next;
            damping /= 10;
        } else {
            damping *= 10;
        }
    }
    printf("amplitude %.6f decay %.6f frequency %.6f offset %.6f\n", p[0], p[1], p[2], p[3]);
    return !(now < 1e-16);
}
