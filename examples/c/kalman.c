// SPDX-License-Identifier: Apache-2.0
// kalman.c - the noises of a Kalman filter found by maximum likelihood: the gradient goes through the whole filter.
#include <chaac/grad.h>
#include <math.h>
#include <stdio.h>

enum { READINGS = 200 };

// Minus the log likelihood of positions read, for a body that moves with a velocity that wanders. The parameters are
// logs of the standard deviations of its push and of the readings.
double surprise(double log_push, double log_noise, int n, CH_CONST const double z[n]);
double surprise(double log_push, double log_noise, int n, const double z[n]) {
    double q = exp(2.0 * log_push), r = exp(2.0 * log_noise), total = 0.0;
    double x[2] = {z[0], 0.0}, p[2][2] = {{r, 0.0}, {0.0, 1.0}};
    for (int t = 1; t < n; t++) {
        // predict: position += velocity
        x[0] += x[1];
        p[0][0] += 2.0 * p[0][1] + p[1][1] + 0.25 * q;
        p[0][1] += p[1][1] + 0.5 * q;
        p[1][1] += q;
        // correct by the reading
        double s = p[0][0] + r, e = z[t] - x[0], k0 = p[0][0] / s, k1 = p[0][1] / s;
        total += 0.5 * (log(s) + e * e / s);
        x[0] += k0 * e;
        x[1] += k1 * e;
        p[1][1] -= k1 * p[0][1];
        p[0][1] *= 1.0 - k0;
        p[0][0] *= 1.0 - k0;
    }
    return total / n;
}

CH_VALUE_AND_GRAD(surprise, log_push, log_noise)
double surprise_vg(double log_push, double log_noise, int n, const double z[n], double *dpush, double *dnoise);

static double noise(void) { // close to normal
    static unsigned long long s = 1;
    double sum = -6.0;
    for (int i = 0; i < 12; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        sum += (double)(s >> 40) * 0x1p-24;
    }
    return sum;
}

int main(void) {
    double z[READINGS], at = 0.0, speed = 0.1, a = -1.0, b = -1.0, da = 0, db = 0;
    for (int t = 0; t < READINGS; t++) {
        double push = 0.05 * noise();
        at += speed + 0.5 * push;
        speed += push;
        z[t] = at + 0.5 * noise();
    }
    for (int k = 0; k < 400; k++) {
        surprise_vg(a, b, READINGS, z, &da, &db);
        a -= 0.5 * da;
        b -= 0.5 * db;
    }
    printf("push %.3f (0.05 was used), noise %.3f (0.5 was used)\n", exp(a), exp(b));
    return !(fabs(da) + fabs(db) < 1e-6 && fabs(exp(b) - 0.5) < 0.1);
}
