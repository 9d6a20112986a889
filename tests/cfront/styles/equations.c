/* SPDX-License-Identifier: Apache-2.0 */
/* equations.c - solving linear equations, as books have it: macros, early returns, goto for cleaning up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define NMAX 20
#define SWAP(a, b)                                                                                                     \
    {                                                                                                                  \
        temp = (a);                                                                                                    \
        (a) = (b);                                                                                                     \
        (b) = temp;                                                                                                    \
    }
#define SQR(a) ((a) == 0.0 ? 0.0 : (a) * (a))
#define SIGN(a, b) ((b) >= 0.0 ? fabs(a) : -fabs(a))
#define IDX(i, j) ((i)*n + (j))
#define TINY 1.0e-20
#define FMAX(a, b) ((a) > (b) ? (a) : (b))

int ludcmp(double a[], int n, int indx[], double *d) {
    int i, imax = 0, j, k;
    double big, dum, sum, temp;
    double vv[NMAX];
    *d = 1.0;
    for (i = 0; i < n; i++) {
        big = 0.0;
        for (j = 0; j < n; j++)
            if ((temp = fabs(a[IDX(i, j)])) > big) big = temp;
        if (big == 0.0) {
            fprintf(stderr, "Singular matrix in routine ludcmp\n");
            return -1;
        }
        vv[i] = 1.0 / big;
    }
    for (j = 0; j < n; j++) {
        for (i = 0; i < j; i++) {
            sum = a[IDX(i, j)];
            for (k = 0; k < i; k++) sum -= a[IDX(i, k)] * a[IDX(k, j)];
            a[IDX(i, j)] = sum;
        }
        big = 0.0;
        for (i = j; i < n; i++) {
            sum = a[IDX(i, j)];
            for (k = 0; k < j; k++) sum -= a[IDX(i, k)] * a[IDX(k, j)];
            a[IDX(i, j)] = sum;
            if ((dum = vv[i] * fabs(sum)) >= big) {
                big = dum;
                imax = i;
            }
        }
        if (j != imax) {
            for (k = 0; k < n; k++) {
                dum = a[IDX(imax, k)];
                a[IDX(imax, k)] = a[IDX(j, k)];
                a[IDX(j, k)] = dum;
            }
            *d = -(*d);
            vv[imax] = vv[j];
        }
        indx[j] = imax;
        if (a[IDX(j, j)] == 0.0) a[IDX(j, j)] = TINY;
        if (j != n - 1) {
            dum = 1.0 / (a[IDX(j, j)]);
            for (i = j + 1; i < n; i++) a[IDX(i, j)] *= dum;
        }
    }
    return 0;
}

void lubksb(double *a, int n, int *indx, double b[]) {
    int i, ii = -1, ip, j;
    double sum;
    for (i = 0; i < n; i++) {
        ip = indx[i];
        sum = b[ip];
        b[ip] = b[i];
        if (ii >= 0)
            for (j = ii; j <= i - 1; j++) sum -= a[IDX(i, j)] * b[j];
        else if (sum)
            ii = i;
        b[i] = sum;
    }
    for (i = n - 1; i >= 0; i--) {
        sum = b[i];
        for (j = i + 1; j < n; j++) sum -= a[IDX(i, j)] * b[j];
        b[i] = sum / a[IDX(i, i)];
    }
}

double logdet_quad(int n, const double A[], const double b[]) {
    double *lu = (double *)malloc(n * n * sizeof(double));
    double *x = (double *)malloc((size_t)n * sizeof(double));
    int *indx = (int *)calloc(n, sizeof(int));
    double d, q = 0, ld = 0;
    int i;
    if (!lu || !x || !indx) {
        free(lu);
        free(x);
        free(indx);
        return NAN;
    }
    for (i = 0; i < n * n; i++) lu[i] = A[i];
    for (i = 0; i < n; i++) x[i] = b[i];
    if (ludcmp(lu, n, indx, &d) < 0) {
        q = -1;
        goto done;
    }
    lubksb(lu, n, indx, x);
    for (i = 0; i < n; i++) {
        q += x[i] * b[i];
        ld += log(fabs(lu[IDX(i, i)]));
    }
    q = q * 0.5 + ld;
done:
    free(lu);
    free(x);
    free(indx);
    return q;
}

/* pythag and brent-like root find */
double pythag(double a, double b) {
    double absa, absb;
    absa = fabs(a);
    absb = fabs(b);
    if (absa > absb)
        return absa * sqrt(1.0 + (absb / absa) * (absb / absa));
    else
        return (absb == 0.0 ? 0.0 : absb * sqrt(1.0 + (absa / absb) * (absa / absb)));
}

double hypmacro(double a, double b) { return sqrt(SQR(a) + SQR(b)) + FMAX(a, b); }
