/* SPDX-License-Identifier: Apache-2.0 */
/* idioms_other.c - variables and functions that idioms.c uses from another file. */
#include "idioms.h"

#include <math.h>

static double other_coefficients[5] = {0.4, -0.3, 0.25, 0.125, -0.0625};
const series other_series = {other_coefficients, 4, -2.0, 2.0};
const double other_table[4] = {1.5, -0.5, 0.25, 2.0};

static double grown(double x, void *params) { return exp(x * *(double *)params); }
static double waved(double x, void *params) { return sin(x + *(double *)params); }
const unary other_functions[2] = {grown, waved};

double other_call(unary f, double x, void *params) { return f(x, params) - f(-x, params); }
