/* SPDX-License-Identifier: Apache-2.0 */
/* CH150.c - a policy that there is not. */
#include <chaac/grad.h>

double active(int n, double x) {
    for (int i = 0; i < n; i++) {
        CH_CHECKPOINT(sometimes);
        x = x * x;
    }
    return x;
}
CH_GRAD(active, x)
void active_grad(int n, double x, double *dx);
