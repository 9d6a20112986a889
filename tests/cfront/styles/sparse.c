/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.c - sparse products, conjugate gradients in one piece of memory, swapped buffers, a matrix by value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
static void spmv(int n, const int *rowptr, const int *col, const double *restrict val, const double *restrict x,
                 double *restrict y) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        double s = 0.0;
        for (int k = rowptr[i]; k < rowptr[i + 1]; ++k) s += val[k] * x[col[k]];
        y[i] = s;
    }
}
static inline double ddot(int n, const double *x, int incx, const double *y, int incy) {
    double r = 0;
    int ix = incx < 0 ? (1 - n) * incx : 0, iy = incy < 0 ? (1 - n) * incy : 0;
    while (n--) {
        r += x[ix] * y[iy];
        ix += incx;
        iy += incy;
    }
    return r;
}
static inline void daxpy(int n, double a, const double *x, double *y) {
    int m = n % 4, i;
    for (i = 0; i < m; i++) y[i] += a * x[i];
    for (i = m; i < n; i += 4) {
        y[i] += a * x[i];
        y[i + 1] += a * x[i + 1];
        y[i + 2] += a * x[i + 2];
        y[i + 3] += a * x[i + 3];
    }
}
double cg_energy(int n, int nnz, const int rowptr[], const int col[], const double val[], const double b[], int maxit) {
    double *mem = calloc(4 * (size_t)n, sizeof(double));
    double *x = mem, *r = mem + n, *p = r + n, *q = p + n;
    double rr, e = 0;
    if (mem == NULL) return -1;
    memcpy(r, b, n * sizeof(double));
    memcpy(p, b, n * sizeof(double));
    rr = ddot(n, r, 1, r, 1);
    for (int it = 0; it < maxit; it++) {
        spmv(n, rowptr, col, val, p, q);
        double alpha = rr / ddot(n, p, 1, q, 1);
        daxpy(n, alpha, p, x);
        daxpy(n, -alpha, q, r);
        double rn = ddot(n, r, 1, r, 1);
        if (sqrt(rn) < 1e-12) break;
        double beta = rn / rr;
        for (double *pp = p, *rp = r; pp < p + n; ++pp, ++rp) *pp = *rp + beta * *pp;
        rr = rn;
    }
    for (int i = 0; i < n; i++) e += x[i] * b[i];
    free(mem);
    return 0.5 * e;
}

void matmul(int m, int k, int n, const double A[][k], const double B[][n], double C[][n]) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int l = 0; l < k; l++) s += A[i][l] * B[l][j];
            C[i][j] = s;
        }
}

double heat2d(int nx, int ny, const double u0[], const double kappa[], int steps) {
#define U(b, i, j) ((b)[(size_t)(i)*ny + (j)])
    double *u = malloc(sizeof(double) * nx * ny), *v = malloc(sizeof(double) * nx * ny), *tmp;
    for (long i = 0; i < (long)nx * ny; i++) u[i] = u0[i], v[i] = 0;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < ny; j++) {
                if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) {
                    U(v, i, j) = U(u, i, j);
                    continue;
                }
                U(v, i, j) = U(u, i, j) +
                             0.1 * U(kappa, i, j) *
                                 (U(u, i + 1, j) + U(u, i - 1, j) + U(u, i, j + 1) + U(u, i, j - 1) - 4 * U(u, i, j));
            }
        tmp = u;
        u = v;
        v = tmp;
    }
    double s = 0;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) s += U(u, i, j) * U(u, i, j);
    free(u);
    free(v);
    return s;
}

static double **alloc2(int n, int m) {
    double **a = malloc(n * sizeof(double *));
    for (int i = 0; i < n; i++) a[i] = malloc(m * sizeof(double));
    return a;
}
double rows(int n, const double x[]) {
    double **a = alloc2(n, n), s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = x[i] * x[j];
    for (int i = 0; i < n; i++) s += a[i][n - 1 - i];
    for (int i = 0; i < n; i++) free(a[i]);
    free(a);
    return s;
}
typedef struct {
    size_t rows, cols;
    double data[16][16];
} small_mat;
static small_mat mm(const small_mat *a, const small_mat *b) {
    small_mat c = {.rows = a->rows, .cols = b->cols};
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < b->cols; j++)
            for (size_t k = 0; k < a->cols; k++) c.data[i][j] += a->data[i][k] * b->data[k][j];
    return c;
}
double matpow_trace(size_t n, const double x[][n], unsigned e) {
    small_mat r = {n, n, {{0}}}, b = {n, n, {{0}}};
    for (size_t i = 0; i < n; i++) {
        r.data[i][i] = 1;
        for (size_t j = 0; j < n; j++) b.data[i][j] = x[i][j];
    }
    for (; e; e >>= 1) {
        if (e & 1u) r = mm(&r, &b);
        b = mm(&b, &b);
    }
    double t = 0;
    for (size_t i = 0; i < n; i++) t += r.data[i][i];
    return t;
}
