/* SPDX-License-Identifier: Apache-2.0 */
/* no_strict.c - one function that can be differentiated, and ones that cannot. */
#include <chaac/grad.h>

double square(double x) { return x * x; }
CH_GRAD(square, x)
void square_grad(double x, double *dx);

double elsewhere(double x);
double calls(double x) { return 2 * elsewhere(x); }
CH_VALUE_AND_GRAD(calls, x)
double calls_vg(double x, double *dx);
CH_JVP(calls, x)
double calls_jvp(double x, double, double *);

typedef struct {
    double a, b;
} pair;
pair both(pair p) {
    double *x = &p.a;
    x[1] = elsewhere(p.b);
    return p;
}
CH_JVP(both, p)
pair both_jvp(pair p, pair p_t, pair *value_t);
