/* SPDX-License-Identifier: Apache-2.0 */
/* prices.c - trees, simulation with a generator of bits, bisection, implied volatility. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <limits.h>
#include <ctype.h>

#include "prices.h"

double binomial(const struct market *m, const struct contract *c, int n) {
    double dt = c->expiry / n, u = exp(m->vol * sqrt(dt)), d = 1 / u;
    double disc = exp(-m->rate * dt), p = (exp((m->rate - m->div) * dt) - d) / (u - d);
    double *v = malloc((n + 1) * sizeof(double));
    for (int i = 0; i <= n; i++) {
        double s = m->spot * pow(u, 2.0 * i - n);
        v[i] = fmax(0.0, (double)c->type * (s - c->strike));
    }
    for (int k = n - 1; k >= 0; --k)
        for (int i = 0; i <= k; ++i) {
            v[i] = disc * (p * v[i + 1] + (1 - p) * v[i]);
            if (c->ex == AMERICAN) {
                double s = m->spot * pow(u, 2.0 * i - k), intrinsic = c->type * (s - c->strike);
                if (intrinsic > v[i]) v[i] = intrinsic;
            }
        }
    double r = v[0];
    free(v);
    return r;
}

static uint64_t rng_next(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}
static double rng_uniform(uint64_t *s) { return (rng_next(s) >> 11) * (1.0 / 9007199254740992.0); }
static double box_muller(uint64_t *s) {
    double u, v, r2;
    do {
        u = 2 * rng_uniform(s) - 1;
        v = 2 * rng_uniform(s) - 1;
        r2 = u * u + v * v;
    } while (r2 >= 1 || r2 == 0);
    return u * sqrt(-2 * log(r2) / r2);
}
double mc_asian(struct market m, double strike, double T, int paths, int steps, uint64_t seed) {
    double sum = 0, dt = T / steps;
    for (int p = 0; p < paths; p++) {
        double s = m.spot, avg = 0;
        for (int k = 0; k < steps; k++) {
            s *= exp((m.rate - m.div - 0.5 * m.vol * m.vol) * dt + m.vol * sqrt(dt) * box_muller(&seed));
            avg += s;
        }
        avg /= steps;
        if (avg > strike) sum += avg - strike;
    }
    return exp(-m.rate * T) * sum / paths;
}

static int bracket(const double *t, int n, double x) {
    int lo = 0, hi = n - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (t[mid] > x)
            hi = mid;
        else
            lo = mid;
    }
    return lo;
}
double curve(int n, const double t[], const double r[], double x) {
    if (x <= t[0]) return r[0];
    if (x >= t[n - 1]) return r[n - 1];
    int i = bracket(t, n, x);
    double w = (x - t[i]) / (t[i + 1] - t[i]);
    return (1 - w) * r[i] + w * r[i + 1];
}

static double ncdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
double bs(double S, double K, double r, double v, double T) {
    double d1 = (log(S / K) + (r + v * v / 2) * T) / (v * sqrt(T));
    return S * ncdf(d1) - K * exp(-r * T) * ncdf(d1 - v * sqrt(T));
}
double implied_vol(double price, double S, double K, double r, double T) {
    double lo = 1e-4, hi = 4.0, v = 0.3;
    int iter;
    for (iter = 0; iter < 100; iter++) {
        double f = bs(S, K, r, v, T) - price;
        double vega =
            S * sqrt(T) * exp(-0.5 * pow((log(S / K) + (r + v * v / 2) * T) / (v * sqrt(T)), 2)) / sqrt(2 * M_PI);
        if (f > 0)
            hi = v;
        else
            lo = v;
        double nv = v - f / vega;
        if (!(nv > lo && nv < hi)) nv = 0.5 * (lo + hi);
        if (fabs(nv - v) < 1e-14) {
            v = nv;
            break;
        }
        v = nv;
    }
    return iter == 100 ? -1 : v;
}
