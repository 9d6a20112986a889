// SPDX-License-Identifier: Apache-2.0
// losses.c - half the sum of the squares of the residuals of ba and ht, as ba_at and ht_at of adbench's calls.h.
#include "losses.h"

#include "adbench.h"

double ba_loss(int p, const double a[15 * p], const double feat[2 * p]) {
    double s = 0.0;
    for (int i = 0; i < p; i++) {
        double e[2];
        ba_residual(&a[15 * i], &a[15 * i + 11], a[15 * i + 14], &feat[2 * i], e);
        s += 0.5 * (e[0] * e[0] + e[1] * e[1]);
    }
    return s;
}

double ht_loss(int nverts, int npts, const double theta[26], const int parent[22], const double rel[22 * 16],
               const double invbase[22 * 16], const double base[4 * nverts], const double weight[22 * nverts],
               const int corr[npts], const double point[3 * npts]) {
    double e[3 * npts], s = 0.0;
    ht_residual(nverts, npts, theta, parent, rel, invbase, base, weight, corr, point, e);
    for (int i = 0; i < 3 * npts; i++) s += 0.5 * e[i] * e[i];
    return s;
}
