/* SPDX-License-Identifier: Apache-2.0 */
/* modes.c - the functions of modes.h. */
#include "modes.h"

#include <math.h>

double energy(int n, const struct body b[CH_LEN(n)], double scale) {
    double e = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double dx = b[i].pos[0] - b[j].pos[0], dy = b[i].pos[1] - b[j].pos[1];
            if (b[i].kind == b[j].kind)
                e += scale * b[i].mass * b[j].mass * b[i].charge / sqrt(1.0 + dx * dx + dy * dy);
        }
    return e;
}

double of_value(struct body b, float k) {
    b.pos[0] *= b.mass;
    return b.pos[0] * b.pos[1] * (double)(b.charge * k);
}

void step(int n, double state[CH_LEN(n)], double rate) {
    for (int i = 0; i < n; i++) state[i] += rate * sin(state[i]);
}

void halves(int n, const float x[CH_LEN(n)], float y[CH_LEN(n)], float *total) {
    *total = 0.0f;
    for (int i = 0; i < n; i++) {
        y[i] = 0.5f * x[i] * x[i];
        *total += y[i];
    }
}

double frobenius(int n, const double *m) {
    double s = 0.0;
    for (int i = 0; i < n * 2 * n; i++) s += m[i] * m[i];
    return s;
}

double quadratic(int n, const double A[n][n], const double x[n]) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s += 0.5 * x[i] * A[i][j] * x[j];
    return s;
}

double polar(const double x[2], double out[2], double turned[2], int *calls) {
    out[0] = hypot(x[0], x[1]);
    out[1] = atan2(x[1], x[0]);
    for (int i = 0; i < 2; i++) turned[i] *= out[i];
    ++*calls;
    return turned[0] + turned[1];
}

double moment(int n, const struct body *b, const struct body *origin) {
    double s = 0.0;
    for (const struct body *end = b + n; b < end; b++) s += b->mass * (b->pos[0] - origin->pos[0]);
    return s * origin->mass;
}

double gravity = 9.81;
float weights[2][2] = {{1.0f, 2.0f}, {3.0f, 4.0f}};
struct body sun[2] = {{{1, 2}, 0.5f, 1, 2}, {{3, 4}, 0.25f, 0, 5}};

double height(double t, const float start[2]) {
    double s = -0.5 * gravity * t * t;
    for (int i = 0; i < 2; i++) s += (double)(weights[1][i] * start[i]) * sun[i].pos[1];
    return s;
}
