/* SPDX-License-Identifier: Apache-2.0 */
/* remarks_state.c - loops whose state is kept. */
#include <chaac/grad.h>
#include <math.h>

double decay(int n, const double x[CH_LEN(n)], double k) {
    double y = 1.0;
    for (int i = 0; i < n; i++) y = y * y * k + sin(x[i]);
    return y;
}
CH_GRAD(decay, x, k)
void decay_grad(int n, const double x[CH_LEN(n)], double k, double dx[CH_LEN(n)], double *dk);

double newton(double a) {
    double y = a;
    while (fabs(y * y - a) > 1e-12) y = 0.5 * (y + a / y);
    return y;
}
CH_VALUE_AND_GRAD(newton, a)
double newton_vg(double a, double *da);
