/* SPDX-License-Identifier: Apache-2.0 */
/* small.c - one function and its gradient. */
#include <chaac/grad.h>

double half_square(int n, const double x[CH_LEN(n)], double k);
double half_square(int n, const double x[CH_LEN(n)], double k) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += 0.5 * k * x[i] * x[i];
    return s;
}

CH_VALUE_AND_GRAD(half_square, x)
double half_square_vg(int n, const double x[CH_LEN(n)], double k, double dx[CH_LEN(n)]);
