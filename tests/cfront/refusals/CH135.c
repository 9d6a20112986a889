/* SPDX-License-Identifier: Apache-2.0 */
/* CH135.c - the size of something unknown. */
#include <chaac/grad.h>
#include <stdlib.h>

struct opaque;
double peek(struct opaque *o);
double active(int n, double x) {
    struct opaque *o = malloc((size_t)n);
    x *= peek(o);
    free(o);
    return x;
}
CH_GRAD(active, x)
void active_grad(int n, double x, double *dx);

double compared(int n, double x) {
    struct opaque *o = malloc((size_t)n);
    if (o == NULL) return 0.0;
    free(o);
    return x * x;
}
CH_GRAD(compared, x)
void compared_grad(int n, double x, double *dx);

double inactive(int n, double x) {
    struct opaque *o = malloc((size_t)n);
    free(o);
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(int n, double x, double *dx);
