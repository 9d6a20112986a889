/* SPDX-License-Identifier: Apache-2.0 */
/* CH135.c - the size of something unknown. */
#include <chaac/grad.h>
#include <stdlib.h>

struct opaque;
double active(int n, double x) {
    struct opaque *o = malloc((size_t)n);
    free(o);
    return x;
}
CH_GRAD(active, x)
void active_grad(int n, double x, double *dx);
