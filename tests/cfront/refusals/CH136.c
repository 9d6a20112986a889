/* SPDX-License-Identifier: Apache-2.0 */
/* CH136.c - expressions and statements that are not lowered. */
#include <chaac/grad.h>
#include <setjmp.h>
#include <stdarg.h>

double active(double x) {
    double y;
    __asm__("" : "=x"(y) : "0"(x));
    return y;
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

static double variadic(int n, ...) {
    va_list ap;
    va_start(ap, n);
    double s = va_arg(ap, double);
    va_end(ap);
    return s;
}
double calls_variadic(double x) { return variadic(1, x); }
CH_GRAD(calls_variadic, x)
void calls_variadic_grad(double x, double *dx);

double jumps(double x) {
    jmp_buf env;
    if (setjmp(env)) return x;
    return x * x;
}
CH_GRAD(jumps, x)
void jumps_grad(double x, double *dx);

double atomic(double x) {
    _Atomic int k = 2;
    k++;
    return x * k;
}
CH_GRAD(atomic, x)
void atomic_grad(double x, double *dx);

double vector(double x) {
    typedef double pair __attribute__((vector_size(16)));
    pair p = {x, x};
    return p[0] * p[1];
}
CH_GRAD(vector, x)
void vector_grad(double x, double *dx);

double inactive(double x) {
    typedef double pair __attribute__((vector_size(16)));
    pair p = {x, x};
    double unused = p[0];
    (void)unused;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
