/* SPDX-License-Identifier: Apache-2.0 */
/* CH139.c - memory without a type. */
#include <chaac/grad.h>
#include <stdlib.h>

static void *get(size_t n) { return malloc(n); }
double active(double x) {
    double *p = get(sizeof *p);
    *p = x;
    x = *p * x;
    free(p);
    return x;
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);
