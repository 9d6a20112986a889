/* SPDX-License-Identifier: Apache-2.0 */
/* broken.c - not C. */
#include "missing.h"
double f(double x) { return x + ; }
