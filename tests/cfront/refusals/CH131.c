/* SPDX-License-Identifier: Apache-2.0 */
/* CH131.c - a constant of the file that is not made of numbers. */
#include <chaac/grad.h>

static const struct point { double x, y; } origin = {1.0, 2.0}, *const first = &origin;
static const double offset = sizeof origin > 8 ? 1.5 : 2.5;
static const int from_address = (int)(sizeof(char[3]) / sizeof(char));
static const unsigned long address = (unsigned long)&origin;

double active(double x) { return x * (double)address; }
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double inactive(double x) {
    unsigned long unused = address;
    (void)unused;
    return x * offset * first->x * from_address;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
