/* SPDX-License-Identifier: Apache-2.0 */
/* tracking.c - a Kalman filter in a struct, matrices as flat arrays and as rows. */
#include <math.h>
#include <string.h>
#include <stdint.h>
#define EKF_N 4
#define EKF_M 2
typedef struct ekf {
    double x[EKF_N];
    double P[EKF_N][EKF_N];
    double Q[EKF_N][EKF_N], R[EKF_M][EKF_M];
    struct {
        unsigned steps, rejected;
        double nis;
    } stat;
} ekf_t;
static void mat_mul(const double *a, const double *b, double *c, int n, int k, int m) {
    int i, j, l;
    for (i = 0; i < n; ++i)
        for (j = 0; j < m; ++j) {
            double s = 0;
            for (l = 0; l < k; ++l) s += a[i * k + l] * b[l * m + j];
            c[i * m + j] = s;
        }
}
static void mat_t(const double *a, double *at, int n, int m) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) at[j * n + i] = a[i * m + j];
}
static int inv2(const double m[2][2], double out[2][2]) {
    const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    if (fabs(det) < 1e-12) return 1;
    out[0][0] = m[1][1] / det;
    out[0][1] = -m[0][1] / det;
    out[1][0] = -m[1][0] / det;
    out[1][1] = m[0][0] / det;
    return 0;
}
static void ekf_predict(ekf_t *f, double dt) {
    double F[EKF_N][EKF_N] = {{1, 0, dt, 0}, {0, 1, 0, dt}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    double Ft[EKF_N * EKF_N], T[EKF_N][EKF_N];
    double nx[EKF_N];
    mat_mul(&F[0][0], f->x, nx, EKF_N, EKF_N, 1);
    memcpy(f->x, nx, sizeof nx);
    mat_t(*F, Ft, EKF_N, EKF_N);
    mat_mul(*F, *f->P, *T, EKF_N, EKF_N, EKF_N);
    mat_mul(*T, Ft, *f->P, EKF_N, EKF_N, EKF_N);
    for (int i = 0; i < EKF_N; i++)
        for (int j = 0; j < EKF_N; j++) f->P[i][j] += f->Q[i][j] * dt;
    f->stat.steps++;
}
static int ekf_update(ekf_t *f, const double z[EKF_M]) {
    double px = f->x[0], py = f->x[1], r = sqrt(px * px + py * py);
    double y[EKF_M], H[EKF_M][EKF_N] = {{0}}, S[2][2], Si[2][2], Ht[EKF_N][EKF_M], PHt[EKF_N][EKF_M], K[EKF_N][EKF_M],
                     KH[EKF_N][EKF_N], P[EKF_N][EKF_N];
    y[0] = z[0] - r;
    y[1] = z[1] - atan2(py, px);
    while (y[1] > M_PI) y[1] -= 2 * M_PI;
    while (y[1] < -M_PI) y[1] += 2 * M_PI;
    H[0][0] = px / r;
    H[0][1] = py / r;
    H[1][0] = -py / (r * r);
    H[1][1] = px / (r * r);
    mat_t(*H, *Ht, EKF_M, EKF_N);
    mat_mul(*f->P, *Ht, *PHt, EKF_N, EKF_N, EKF_M);
    mat_mul(*H, *PHt, *S, EKF_M, EKF_N, EKF_M);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) S[i][j] += f->R[i][j];
    if (inv2((const double(*)[2])S, Si)) {
        f->stat.rejected++;
        return -1;
    }
    double nis = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) nis += y[i] * Si[i][j] * y[j];
    f->stat.nis += nis;
    if (nis > 1e3) {
        f->stat.rejected++;
        return 1;
    }
    mat_mul(*PHt, *Si, *K, EKF_N, EKF_M, EKF_M);
    for (int i = 0; i < EKF_N; i++)
        for (int j = 0; j < EKF_M; j++) f->x[i] += K[i][j] * y[j];
    mat_mul(*K, *H, *KH, EKF_N, EKF_M, EKF_N);
    for (int i = 0; i < EKF_N; i++)
        for (int j = 0; j < EKF_N; j++) KH[i][j] = (i == j) - KH[i][j];
    mat_mul(*KH, *f->P, *P, EKF_N, EKF_N, EKF_N);
    memcpy(f->P, P, sizeof f->P);
    return 0;
}
double ekf_nll(int T, const double z[][2], double q, double r, const double x0[]) {
    ekf_t f;
    memset(&f, 0, sizeof f);
    memcpy(f.x, x0, sizeof f.x);
    for (int i = 0; i < EKF_N; i++) {
        f.P[i][i] = 1.0;
        f.Q[i][i] = i < 2 ? q : 10 * q;
    }
    for (int i = 0; i < EKF_M; i++) f.R[i][i] = r * (i + 1);
    for (int t = 0; t < T; t++) {
        ekf_predict(&f, 0.1);
        if (ekf_update(&f, z[t]) < 0) return INFINITY;
    }
    return f.stat.nis + T * log(r) + 1e-3 * f.stat.rejected;
}
