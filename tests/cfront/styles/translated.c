/* SPDX-License-Identifier: Apache-2.0 */
/* translated.c - C that was translated from Fortran, with pointers before their arrays; definitions of before C89. */
#include <math.h>
typedef int integer;
typedef double doublereal;
typedef int logical;
#define TRUE_ (1)
#define FALSE_ (0)
#define abs(x) ((x) >= 0 ? (x) : -(x))
#define dabs(x) (doublereal) abs(x)
#define max(a, b) ((a) >= (b) ? (a) : (b))
/* Subroutine */ int tridag_(n, a, b, c, r, u)
integer *n;
doublereal *a, *b, *c, *r, *u;
{
    integer i__1;
    integer j;
    doublereal bet, gam[100];
    /* Parameter adjustments */
    --u;
    --r;
    --c;
    --b;
    --a;
    if (b[1] == 0.) { return 1; }
    bet = b[1];
    u[1] = r[1] / bet;
    i__1 = *n;
    for (j = 2; j <= i__1; ++j) {
        gam[j - 1] = c[j - 1] / bet;
        bet = b[j] - a[j] * gam[j - 1];
        if (bet == 0.) { return 2; }
        u[j] = (r[j] - a[j] * u[j - 1]) / bet;
        /* L11: */
    }
    for (j = *n - 1; j >= 1; --j) {
        u[j] -= gam[j] * u[j + 1];
        /* L12: */
    }
    return 0;
}
double tri_energy(int n, const double a[], const double b[], const double c[], const double r[]) {
    double u[100], s = 0, aa[100], bb[100], cc[100], rr[100];
    integer nn = n, i;
    for (i = 0; i < n; i++) {
        aa[i] = a[i];
        bb[i] = b[i];
        cc[i] = c[i];
        rr[i] = r[i];
    }
    if (tridag_(&nn, aa, bb, cc, rr, u) != 0) return -1;
    for (i = 0; i < n; i++) s += u[i] * u[i];
    return s;
}

doublereal dnrm2_(integer *n, doublereal *x, integer *incx) {
    integer i__1, i__2;
    doublereal ret_val, d__1;
    integer ix;
    doublereal ssq, norm, scale, absxi;
    --x;
    if (*n < 1 || *incx < 1) {
        norm = 0.;
    } else if (*n == 1) {
        norm = abs(x[1]);
    } else {
        scale = 0.;
        ssq = 1.;
        i__1 = (*n - 1) * *incx + 1;
        i__2 = *incx;
        for (ix = 1; i__2 < 0 ? ix >= i__1 : ix <= i__1; ix += i__2) {
            if (x[ix] != 0.) {
                absxi = (d__1 = x[ix], abs(d__1));
                if (scale < absxi) {
                    d__1 = scale / absxi;
                    ssq = ssq * (d__1 * d__1) + 1.;
                    scale = absxi;
                } else {
                    d__1 = absxi / scale;
                    ssq += d__1 * d__1;
                }
            }
        }
        norm = scale * sqrt(ssq);
    }
    ret_val = norm;
    return ret_val;
}
double norm_of(int n, const double x[]) {
    double y[64];
    integer one = 1, m = n;
    for (int i = 0; i < n; i++) y[i] = x[i];
    return dnrm2_(&m, y, &one);
}

double newton_goto(double a, double x0) {
    double x = x0, dx;
    int it = 0;
L10:
    dx = (x * x - a) / (2.0 * x);
    x -= dx;
    if (++it > 50) goto L20;
    if (fabs(dx) > 1e-14 * fabs(x)) goto L10;
L20:
    return x;
}
