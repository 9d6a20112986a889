/* SPDX-License-Identifier: Apache-2.0 */
/* remarks_nothing.c - loops that keep nothing; forward mode never does. */
#include <chaac/grad.h>
#include <math.h>

double spread(int n, const double x[CH_LEN(n)]) {
    double s = 0.0, q = 0.0;
    for (int i = 0; i < n; i++) s += x[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) q += exp(-(x[i] - x[j]) * (x[i] - x[j]));
    return s / n + q;
}
CH_GRAD(spread, x)
void spread_grad(int n, const double x[CH_LEN(n)], double dx[CH_LEN(n)]);
CH_JVP(spread, x)
double spread_jvp(int n, const double x[CH_LEN(n)], const double x_t[CH_LEN(n)], double *value_t);
