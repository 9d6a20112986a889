/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - prints a value and a gradient. */
#include <stdio.h>

#include "model.h"

int main(void) {
    double x[2] = {1, 2}, dx[2];
    double value = model_vg(2, x, dx);
    printf("%g: %g %g\n", value, dx[0], dx[1]);
    return value != model(2, x);
}
