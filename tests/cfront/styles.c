/* SPDX-License-Identifier: Apache-2.0 */
/* styles.c - functions of n numbers over C of very different styles, one file each in styles/. */
#define FUNCTIONS "styles.def"
#include "functions.h"
#include "styles/graphics.h"
#include "styles/prices.h"

#include <math.h>
#include <stdint.h>

/* equations.c */
double logdet_quad(int n, const double A[], const double b[]);
double pythag(double a, double b);
double hypmacro(double a, double b);
double linear_equations(int n, const double x[n]) {
    double a[16], b[4];
    for (int i = 0; i < 16; i++) a[i] = sin(x[i % n] * (i + 1)) + (i % 5 == 0 ? 3.0 : 0.0);
    for (int i = 0; i < 4; i++) b[i] = x[i];
    return logdet_quad(4, a, b);
}
double lengths(int n, const double x[n]) { return pythag(x[0], x[1]) + hypmacro(x[2], x[n - 1]); }

/* graphics.c */
float march(int n, const shape shapes[], const ray_t *ray);
float shade(quat q, vec3 n, vec3 l, const mat4 *view, const mat4 *proj);
double f32_marched(int n, const double x[n]) {
    shape s[3] = {{SPHERE, {(float)x[0], 0, 5}, 1, 0},
                  {BOX, {1.5f, (float)x[1], 6}, 0.7f, 0},
                  {TORUS, {-1, 0.3f, 4}, 0.8f, 0.3f}};
    ray_t r = {{(float)(0.1 * x[2]), 0.05f, 0}, {(float)(0.1 * x[3]), 0.02f, 0.99f}};
    return march(3, s, &r);
}
double f32_shaded(int n, const double x[n]) {
    quat q = {0.9f, {(float)x[0], (float)x[1], 0.3f}};
    vec3 normal = {0.1f, 0.9f, (float)x[2]}, light = {0.3f, (float)x[n - 1], 0.1f};
    mat4 view, proj;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            view.m[i][j] = 0.1f * (float)(4 * i + j), proj.m[i][j] = 0.3f - 0.05f * (float)(i + j);
    return shade(q, normal, light, &view, &proj);
}

/* embedded.c */
typedef struct {
    float b0, b1, b2, a1, a2;
} biquad_coef_t;
float filter_energy(const biquad_coef_t coef[], const float in[]);
float pid_cost(float kp, float ki, float kd);
double f32_filtered(int n, const double x[n]) {
    biquad_coef_t c[3] = {
        {0.2f, 0.4f, (float)x[0], -0.3f, 0.2f}, {0.5f, 0.1f, 0.2f, 0.1f, -0.2f}, {0.3f, 0.3f, 0.3f, 0.2f, 0.1f}};
    float in[32];
    for (int i = 0; i < 32; i++) in[i] = (float)x[i % n];
    return filter_energy(c, in);
}
double f32_controlled(int n, const double x[n]) {
    return pid_cost((float)(3.0 + x[0]), (float)(0.5 * x[1]), (float)(0.2 * x[n - 1]));
}

/* statistics.c */
double logreg_nll(size_t n, size_t p, const double X[], const double y[], const double beta[], double lambda);
double trimmed_mean(int n, const double x[], double frac);
double skewness(int n, const double *x);
double gauss_mix(int k, int n, const double w[], const double mu[], const double ls[], const double *x);
double regression(int n, const double x[n]) {
    double data[20], y[10];
    for (int i = 0; i < 20; i++) data[i] = cos(i * x[i % n]);
    for (int i = 0; i < 10; i++) y[i] = i % 3 == 0;
    return logreg_nll(10, 2, data, y, x, x[2] * x[2]);
}
double trimmed(int n, const double x[n]) { return trimmed_mean(n, x, 0.2); }
double skewed(int n, const double x[n]) { return skewness(n, x); }
double mixture(int n, const double x[n]) { return gauss_mix(2, n, x, x + 2, x + 4, x); }

/* orbits.c */
double lorenz_end(const double y0[], const double par[], int steps);
double pend_end(double th, double om, const double par[]);
double net(int kind, int n, const double w[], double x);
double lorenz_orbit(int n, const double x[n]) {
    double par[3] = {10.0 + x[3], 20.0, 2.6 + x[n - 1]};
    return 0.01 * lorenz_end(x, par, 30);
}
double adaptive_steps(int n, const double x[n]) {
    double par[3] = {1.5, 0.1, x[2]};
    return pend_end(x[0], x[n - 1], par);
}
double layers(int n, const double x[n]) {
    return net(0, 3, x, 0.4) + net(1, 3, x + 1, x[n - 1]) + net(2, 3, x + 2, x[0]);
}

/* sparse.c */
double cg_energy(int n, int nnz, const int rowptr[], const int col[], const double val[], const double b[], int maxit);
double heat2d(int nx, int ny, const double u0[], const double kappa[], int steps);
double matpow_trace(size_t n, const double x[][n], unsigned e);
double conjugate_gradients(int n, const double x[n]) {
    static const int rowptr[5] = {0, 2, 5, 8, 10}, col[10] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    double val[10] = {4, -1, -1, 4, -1, -1, 4, -1, -1, 4};
    for (int i = 0; i < 4; i++) val[3 * i] += 0.5 * x[i] * x[i];
    return cg_energy(4, 10, rowptr, col, val, x + n - 4, 3);
}
double heated_plate(int n, const double x[n]) {
    double u[30], k[30];
    for (int i = 0; i < 30; i++) u[i] = sin(i + x[i % n]), k[i] = 0.5 + 0.1 * x[(i + 3) % n];
    return heat2d(5, 6, u, k, 7);
}
double power_of_matrix(int n, const double x[n]) {
    double m[2][2] = {{x[0], x[1]}, {x[2], x[n - 1]}};
    return matpow_trace(2, (const double(*)[2])m, 5);
}

/* prices.c */
double binomial(const struct market *m, const struct contract *c, int n);
double mc_asian(struct market m, double strike, double T, int paths, int steps, uint64_t seed);
double curve(int n, const double t[], const double r[], double x);
double implied_vol(double price, double S, double K, double r, double T);
static struct market market_of(const double x[3]) {
    struct market m = {100.0 + x[0], 0.05, 0.25 + 0.05 * sin(x[1]), 0.01 * x[2]};
    return m;
}
double american_option(int n, const double x[n]) {
    struct market m = market_of(x);
    struct contract c = {PUT, AMERICAN, 105.0 + x[n - 1], 1.0};
    return 0.1 * binomial(&m, &c, 20);
}
double simulated_option(int n, const double x[n]) {
    return 0.1 * mc_asian(market_of(x), 100.0, 1.0 + 0.1 * x[n - 1], 10, 5, 12345);
}
double yield_curve(int n, const double x[n]) {
    double t[5] = {0.5, 1, 2, 5, 10};
    return curve(5, t, x, 3.3 + x[n - 1]);
}
double volatility(int n, const double x[n]) {
    return implied_vol(12.0 + x[0], 100.0 + x[1], 100.0, 0.05, 1.0 + 0.1 * x[n - 1]);
}

/* tracking.c */
double ekf_nll(int T, const double z[][2], double q, double r, const double x0[]);
double tracked(int n, const double x[n]) {
    double z[8][2], start[4] = {3.0, 1.0, 0.1 * x[0], 0.1 * x[1]};
    for (int t = 0; t < 8; t++) z[t][0] = 3.1 + 0.05 * t, z[t][1] = 0.32 + 0.01 * cos(3.0 * t);
    return 0.1 * ekf_nll(8, (const double(*)[2])z, 0.1 + 0.01 * x[2], 0.05 + 0.01 * x[n - 1] * x[n - 1], start);
}

/* picture.c */
float photo_loss(int w, int h, const float src[], const uint8_t dst[], float sigma, const float aff[]);
double f32_photograph(int n, const double x[n]) {
    float src[30], aff[6] = {1.02f, 0.05f, 0.3f, -0.03f, 0.97f, (float)(0.2 * x[0])};
    uint8_t dst[30];
    for (int i = 0; i < 30; i++) src[i] = 0.5f + 0.2f * (float)x[i % n], dst[i] = (uint8_t)(128 + i);
    return photo_loss(6, 5, src, dst, 1.1f, aff);
}

/* translated.c */
double tri_energy(int n, const double a[], const double b[], const double c[], const double r[]);
double norm_of(int n, const double x[]);
double newton_goto(double a, double x0);
double tridiagonal(int n, const double x[n]) {
    double a[4] = {0, 0.1, 0.2, x[0]}, b[4] = {5, 5, 6, 5}, c[4] = {x[1], 0.1, 0.2, 0};
    return tri_energy(4, a, b, c, x + n - 4);
}
double scaled_norm(int n, const double x[n]) { return norm_of(n, x); }
double newton_by_goto(int n, const double x[n]) { return newton_goto(2.0 + x[0], 1.5 + 0.1 * x[n - 1]); }
