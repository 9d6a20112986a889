/* SPDX-License-Identifier: Apache-2.0 */
/* CH144.c - memory from the caller. */
#include <chaac/grad.h>

double active(double x) { return x * x; }
CH_GRAD(active, x)
CH_WORKSPACE
void active_grad(double x, double *dx, void *work);
