/* SPDX-License-Identifier: Apache-2.0 */
/* remarks_arrays.c - elements that are overwritten, values that are dear, and policies. */
#include <chaac/grad.h>
#include <math.h>

double heat(int n, const double u0[CH_LEN(n)], int steps, double k) {
    double u[n], v[n];
    for (int i = 0; i < n; i++) u[i] = u0[i];
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++) v[i] = u[i] * u[i];
        for (int i = 1; i + 1 < n; i++) u[i] += k * (v[i - 1] - 2.0 * v[i] + v[i + 1]);
    }
    return u[n / 2];
}
CH_GRAD(heat, u0, k)
void heat_grad(int n, const double u0[CH_LEN(n)], int steps, double k, double du0[CH_LEN(n)], double *dk);

double pendulum(double angle, double speed, int steps, double dt) {
    for (int s = 0; s < steps; s++) {
        CH_CHECKPOINT(sqrt);
        speed -= dt * sin(angle);
        angle += dt * speed;
    }
    for (int s = 0; s < steps; s++) {
        CH_CHECKPOINT(revolve, 4);
        speed -= dt * sin(angle);
        angle += dt * speed;
    }
    return angle;
}
CH_GRAD(pendulum, angle, speed)
void pendulum_grad(double angle, double speed, int steps, double dt, double *dangle, double *dspeed);
