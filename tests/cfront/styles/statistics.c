/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c - statistics: sums that run, sorting, mixtures, rows behind a pointer. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double log1pexp(double z) { return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z)); }

double logreg_nll(size_t n, size_t p, const double X[], const double y[], const double beta[], double lambda) {
    double nll = 0.0;
    size_t i, j;
    assert(n > 0 && p > 0);
    for (i = 0; i < n; i++) {
        const double *row = X + i * p;
        double eta = 0.0;
        for (j = 0; j < p; j++) eta += row[j] * beta[j];
        nll += log1pexp(eta) - y[i] * eta;
    }
    for (j = 1; j < p; ++j) nll += 0.5 * lambda * beta[j] * beta[j];
    return nll / (double)n;
}

static void isort(double *v, int n) {
    for (int i = 1; i < n; i++) {
        double key = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = key;
    }
}

double trimmed_mean(int n, const double x[], double frac) {
    double *v = malloc(n * sizeof *v);
    memcpy(v, x, n * sizeof *v);
    isort(v, n);
    int k = (int)floor(frac * n);
    double s = 0;
    for (int i = k; i < n - k; i++) s += v[i];
    free(v);
    return s / (n - 2 * k);
}

double skewness(int n, const double *x) {
    double mean = 0, m2 = 0, m3 = 0;
    for (int i = 0; i < n; ++i) {
        double delta = x[i] - mean, dn = delta / (i + 1), t = delta * dn * i;
        mean += dn;
        m3 += t * dn * (i - 1) - 3 * dn * m2;
        m2 += t;
    }
    return sqrt((double)n) * m3 / pow(m2, 1.5);
}

double gauss_mix(int k, int n, const double w[], const double mu[], const double ls[], const double *x) {
    double ll = 0;
    for (int i = 0; i < n; i++) {
        double mx = -DBL_MAX, acc = 0, lp[k];
        for (int j = 0; j < k; j++) {
            double z = (x[i] - mu[j]) * exp(-ls[j]);
            lp[j] = w[j] - ls[j] - 0.5 * z * z - 0.5 * log(2 * M_PI);
            if (lp[j] > mx) mx = lp[j];
        }
        for (int j = 0; j < k; j++) acc += exp(lp[j] - mx);
        ll += mx + log(acc);
    }
    return ll;
}
