// SPDX-License-Identifier: Apache-2.0
// losses.h - the two of the sixteen that give residuals, as one number: half the sum of squares.
#ifndef ADBENCH_LOSSES_H
#define ADBENCH_LOSSES_H
double ba_loss(int p, const double a[15 * p], const double feat[2 * p]);
double ht_loss(int nverts, int npts, const double theta[26], const int parent[22], const double rel[22 * 16],
               const double invbase[22 * 16], const double base[4 * nverts], const double weight[22 * nverts],
               const int corr[npts], const double point[3 * npts]);
#endif
