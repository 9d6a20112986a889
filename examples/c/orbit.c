// SPDX-License-Identifier: Apache-2.0
// orbit.c - bodies under gravity for many steps; how the end depends on the starting velocities. Few states are kept
// (CH_CHECKPOINT), and the square root inside has a rule of its own.
#include <chaac/grad.h>
#include <math.h>
#include <stdio.h>

enum { BODIES = 3, STEPS = 1000 };

double inverse_cube(double r2);
double inverse_cube(double r2) { return 1.0 / (r2 * sqrt(r2)); }

CH_CUSTOM_VJP(inverse_cube)
void inverse_cube_vjp(double r2, double value, double value_bar, double *r2_bar);
void inverse_cube_vjp(double r2, double value, double value_bar, double *r2_bar) {
    *r2_bar -= 1.5 * value_bar * value / r2;
}

// The squared distance of body 1 from a target at the end.
double miss(int steps, CH_CONST double dt, CH_CONST const double mass[BODIES], const double pos[2 * BODIES],
            const double vel[2 * BODIES]);
double miss(int steps, double dt, const double mass[BODIES], const double pos[2 * BODIES],
            const double vel[2 * BODIES]) {
    double p[2 * BODIES], v[2 * BODIES];
    for (int i = 0; i < 2 * BODIES; i++) p[i] = pos[i], v[i] = vel[i];
    for (int s = 0; s < steps; s++) {
        CH_CHECKPOINT(sqrt);
        for (int i = 0; i < BODIES; i++)
            for (int j = 0; j < BODIES; j++) {
                if (i == j) continue;
                double dx = p[2 * j] - p[2 * i], dy = p[2 * j + 1] - p[2 * i + 1];
                double f = dt * mass[j] * inverse_cube(dx * dx + dy * dy + 0.01);
                v[2 * i] += f * dx;
                v[2 * i + 1] += f * dy;
            }
        for (int i = 0; i < 2 * BODIES; i++) p[i] += dt * v[i];
    }
    return (p[2] - 0.6) * (p[2] - 0.6) + (p[3] - 0.9) * (p[3] - 0.9);
}

CH_VALUE_AND_GRAD(miss, vel)
double miss_vg(int steps, double dt, const double mass[BODIES], const double pos[2 * BODIES],
               const double vel[2 * BODIES], double dvel[2 * BODIES]);

int main(void) {
    const double mass[BODIES] = {1.0, 1e-3, 1e-4}, pos[2 * BODIES] = {0, 0, 1, 0, 0, 2};
    double vel[2 * BODIES] = {0, 0, 0, 1, -0.7, 0}, g[2 * BODIES], first = 0, value = 0;
    double rate = 0.1, last = 1e300, step[2] = {0, 0};
    for (int k = 0; k < 100; k++) { // only the velocity of body 1 is changed; shorter steps where one went too far
        value = miss_vg(STEPS, 1e-3, mass, pos, vel, g);
        if (k == 0) first = value;
        if (value > last) {
            rate *= 0.5;
            for (int i = 0; i < 2; i++) vel[2 + i] += 0.5 * step[i], step[i] *= 0.5;
            continue;
        }
        last = value;
        for (int i = 0; i < 2; i++) vel[2 + i] -= step[i] = rate * g[2 + i];
        rate *= 1.2;
    }
    printf("squared miss %.4f at first, %.2e with velocity (%.3f, %.3f)\n", first, value, vel[2], vel[3]);
    return !(value < 1e-3 * first);
}
