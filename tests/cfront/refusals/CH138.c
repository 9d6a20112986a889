/* SPDX-License-Identifier: Apache-2.0 */
/* CH138.c - memcpy and memset that are not understood. */
#include <chaac/grad.h>
#include <string.h>

double active(double x) {
    double a[4];
    memset(a, 1, sizeof a);
    return x * a[0];
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double other_type(double x) {
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    return x * (double)(bits & 1);
}
CH_GRAD(other_type, x)
void other_type_grad(double x, double *dx);

double inactive(double x) {
    unsigned long long bits;
    char line[8];
    memcpy(&bits, &x, sizeof bits);
    memset(line, ' ', sizeof line);
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
