/* SPDX-License-Identifier: Apache-2.0 */
/* numerical.c - numerical C as it is written: solvers, quadrature, transforms, filters. All take n numbers, give one.
   Over 1,000 lines, since it holds many functions, each of which stands alone. */
#define FUNCTIONS "numerical.def"
#include "functions.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQR(a) ((a) * (a))
#define SWAP(type, a, b)                                                                                               \
    do {                                                                                                               \
        type swap_tmp = (a);                                                                                           \
        (a) = (b);                                                                                                     \
        (b) = swap_tmp;                                                                                                \
    } while (0)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define SIGN(a, b) ((b) >= 0.0 ? fabs(a) : -fabs(a))
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* ---- linear algebra */
static int lu_decompose(double *a, int n, int *perm, double *parity) {
    *parity = 1.0;
    for (int i = 0; i < n; i++) perm[i] = i;
    for (int k = 0; k < n; k++) {
        int p = k;
        double big = fabs(a[k * n + k]);
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > big) {
                big = fabs(a[i * n + k]);
                p = i;
            }
        if (big < DBL_MIN) return -1;
        if (p != k) {
            for (int j = 0; j < n; j++) SWAP(double, a[p * n + j], a[k * n + j]);
            SWAP(int, perm[p], perm[k]);
            *parity = -*parity;
        }
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
        }
    }
    return 0;
}

static void lu_solve(const double *a, int n, const int *perm, const double *b, double *x) {
    for (int i = 0; i < n; i++) {
        double s = b[perm[i]];
        for (int j = 0; j < i; j++) s -= a[i * n + j] * x[j];
        x[i] = s;
    }
    for (int i = n - 1; i >= 0; i--) {
        double s = x[i];
        for (int j = i + 1; j < n; j++) s -= a[i * n + j] * x[j];
        x[i] = s / a[i * n + i];
    }
}

double lu_with_pivots(int n, const double x[n]) {
    double a[16], b[4], y[4], parity;
    int perm[4];
    for (int i = 0; i < 16; i++) a[i] = x[i % n] * (1 + i % 3) + (i % 5 == 0 ? 4.0 : 0.0);
    for (int i = 0; i < 4; i++) b[i] = x[(i + 2) % n];
    if (lu_decompose(a, 4, perm, &parity) != 0) return -1.0;
    lu_solve(a, 4, perm, b, y);
    double s = parity;
    for (int i = 0; i < 4; i++) s += y[i] * (i + 1) + log(fabs(a[i * 4 + i]));
    return s;
}

double gauss_jordan_inverse(int n, const double x[n]) {
    double m[3][6] = {{0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m[i][j] = x[(3 * i + j) % n] + (i == j) * 5.0;
        m[i][3 + i] = 1.0;
    }
    for (int c = 0; c < 3; c++) {
        double inv = 1.0 / m[c][c];
        for (int j = 0; j < 6; j++) m[c][j] *= inv;
        for (int r = 0; r < 3; r++) {
            if (r == c) continue;
            double f = m[r][c];
            for (int j = 0; j < 6; j++) m[r][j] -= f * m[c][j];
        }
    }
    double trace = 0.0;
    for (int i = 0; i < 3; i++) trace += m[i][3 + i];
    return trace + m[0][4] * m[2][3];
}

double cholesky_logdet(int n, const double x[n]) {
    double a[4][4], logdet = 0.0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) a[i][j] = x[i] * x[j] * 0.1 + (i == j ? 2.0 + SQR(x[(i + j) % n]) : 0.0);
    for (int j = 0; j < 4; j++) {
        for (int k = 0; k < j; k++) a[j][j] -= a[j][k] * a[j][k];
        if (a[j][j] <= 0.0) return HUGE_VAL;
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < 4; i++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
        logdet += 2.0 * log(a[j][j]);
    }
    return logdet;
}

double vla_matrix(int n, const double x[n]) {
    int m = n / 2;
    double a[m][m], b[m][m], c[m][m];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            a[i][j] = x[(i * m + j) % n];
            b[j][i] = x[(i + 2 * j) % n] * 0.5;
        }
    memset(c, 0, sizeof c);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < m; j++) c[i][j] += a[i][k] * b[k][j];
    double t = 0.0;
    for (int i = 0; i < m; i++) t += c[i][i] * c[i][m - 1 - i];
    return t;
}

double jacobi_eigenvalue(int n, const double x[n]) {
    double a[3][3] = {{2.0 + x[0], x[1], x[2]}, {x[1], 4.0 + x[3], x[4]}, {x[2], x[4], 7.0 + x[5]}};
    for (int sweep = 0; sweep < 6; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (fabs(a[p][q]) < 1e-14) continue;
                double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                double t = SIGN(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double u = a[k][p], v = a[k][q];
                    a[k][p] = c * u - s * v;
                    a[k][q] = s * u + c * v;
                }
                for (int k = 0; k < 3; k++) {
                    double u = a[p][k], v = a[q][k];
                    a[p][k] = c * u - s * v;
                    a[q][k] = s * u + c * v;
                }
            }
    return a[0][0] + 2.0 * a[1][1] - a[2][2];
}

double power_iteration(int n, const double x[n]) {
    double v[3] = {1.0, 0.5, 0.25}, w[3], norm = 0.0;
    for (int it = 0; it < 20; it++) {
        w[0] = (6.0 + x[0]) * v[0] + x[1] * v[1];
        w[1] = x[1] * v[0] + (2.0 + x[2]) * v[1] + x[3] * v[2];
        w[2] = x[3] * v[1] + v[2];
        norm = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        for (int i = 0; i < 3; i++) v[i] = w[i] / norm;
    }
    return norm;
}

double conjugate_gradient(int n, const double x[n]) {
    enum { N = 5 };
    double b[N], y[N] = {0}, r[N], p[N], q[N], rr = 0.0;
    for (int i = 0; i < N; i++) {
        r[i] = p[i] = b[i] = x[i] + 2.0;
        rr += r[i] * r[i];
    }
    for (int it = 0; it < N && rr > 1e-30; it++) {
        double pq = 0.0, next = 0.0;
        for (int i = 0; i < N; i++) {
            q[i] = (3.0 + x[5] * x[5]) * p[i];
            if (i > 0) q[i] -= p[i - 1];
            if (i < N - 1) q[i] -= p[i + 1];
            pq += p[i] * q[i];
        }
        double alpha = rr / pq;
        for (int i = 0; i < N; i++) {
            y[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            next += r[i] * r[i];
        }
        double beta = next / rr;
        for (int i = 0; i < N; i++) p[i] = r[i] + beta * p[i];
        rr = next;
    }
    return y[0] + y[N / 2] * b[1];
}

double tridiagonal(int n, const double x[n]) {
    double *gam = malloc((size_t)n * sizeof(double)), *u = (double *)malloc(sizeof(double) * (size_t)n), bet;
    if (gam == NULL || u == NULL) {
        free(gam);
        free(u);
        return 0.0;
    }
    u[0] = x[0] / (bet = 4.0 + x[0]);
    for (int j = 1; j < n; j++) {
        gam[j] = 1.0 / bet;
        bet = 4.0 + x[j] - gam[j];
        u[j] = (x[j] - u[j - 1]) / bet;
    }
    for (int j = n - 2; j >= 0; j--) u[j] -= gam[j + 1] * u[j + 1];
    double s = u[0] * u[n - 1];
    free(gam);
    free(u);
    return s;
}

double householder_vector(int n, const double x[n]) {
    double v[7], alpha = 0.0, s = 0.0;
    memcpy(v, x, (size_t)n * sizeof *v);
    for (int i = 0; i < n; i++) alpha += v[i] * v[i];
    alpha = v[0] > 0.0 ? -sqrt(alpha) : sqrt(alpha);
    v[0] -= alpha;
    for (const double *p = v, *end = v + n; p != end; ++p) s += *p * *p;
    double dot = 0.0;
    for (int i = 0; i < n; i++) dot += v[i] * (i + 1.0);
    return 3.0 - 2.0 * v[2] * dot / s;
}

/* ---- roots and minima */
static double cubic(double t, const double *c) { return ((t + c[0]) * t + c[1]) * t + c[2] - 3.0; }

double bisection(int n, const double x[n]) {
    double lo = -20.0, hi = 20.0;
    for (int i = 0; i < 80; i++) {
        double mid = 0.5 * (lo + hi);
        if (cubic(mid, x) > 0.0)
            hi = mid;
        else
            lo = mid;
    }
    double t = 0.5 * (lo + hi); /* the derivative needs a Newton step behind it */
    return t - cubic(t, x) / ((3.0 * t + 2.0 * x[0]) * t + x[1]);
}

double newton_raphson(int n, const double x[n]) {
    double t = 5.0 + x[3] * x[3];
    int it;
    for (it = 1; it <= 100; it++) {
        double f = cubic(t, x), df = (3.0 * t + 2.0 * x[0]) * t + x[1], dx;
        if (df == 0.0) break;
        dx = f / df;
        t -= dx;
        if (fabs(dx) < 1e-15 * fabs(t)) return t;
    }
    return t;
}

typedef double (*func1)(double t, void *params);
struct shifted {
    double a, b;
};
static double shifted_exp(double t, void *params) {
    struct shifted *s = params;
    return exp(t) - s->a - s->b * t;
}
static double secant(func1 f, void *params, double a, double b, double eps) {
    double fa = f(a, params), fb = f(b, params);
    while (fabs(b - a) > eps) {
        double c = b - fb * (b - a) / (fb - fa);
        a = b;
        fa = fb;
        b = c;
        fb = f(b, params);
        if (fb == fa) break;
    }
    return b;
}
double secant_with_params(int n, const double x[n]) {
    struct shifted s = {6.0 + x[0], 0.5 * x[1 % n]};
    return secant(shifted_exp, &s, 1.0, 2.0, 1e-13);
}

static double parabola(double t, const double *c) { return SQR(t - c[0]) + 0.1 * c[1] * t + 0.01 * SQR(t) * SQR(t); }
double golden_section(int n, const double x[n]) {
    const double r = 0.61803399, c = 1.0 - r;
    double a = -5.0, b = 5.0, u = a + c * (b - a), v = a + r * (b - a);
    double fu = parabola(u, x), fv = parabola(v, x);
    for (int i = 0; i < 10; i++) {
        if (fu < fv) {
            b = v, v = u, fv = fu;
            u = a + c * (b - a), fu = parabola(u, x);
        } else {
            a = u, u = v, fu = fv;
            v = a + r * (b - a), fv = parabola(v, x);
        }
    }
    return fu < fv ? fu : fv;
}

double gradient_descent(int n, const double x[n]) {
    double p[2] = {x[0], x[1]}, rate = 0.05;
    for (int it = 0; it < 30; it++) {
        double g0 = 2.0 * (p[0] - 1.0) + 4.0 * x[2] * p[0] * p[1], g1 = 2.0 * p[1] + 2.0 * x[2] * p[0] * p[0];
        p[0] -= rate * g0;
        p[1] -= rate * g1;
        rate *= 0.99;
    }
    return SQR(p[0] - 1.0) + SQR(p[1]) + x[3] * p[0];
}

/* ---- quadrature */
static double integrand(double t, double k) { return exp(-k * t * t) * cos(t); }
double simpson(int n, const double x[n]) {
    double a = 0.0, b = 1.0 + x[0] * x[0], h, s;
    int m = 20;
    h = (b - a) / m;
    s = integrand(a, x[1]) + integrand(b, x[1]);
    for (int i = 1; i < m; i++) s += (i & 1 ? 4.0 : 2.0) * integrand(a + i * h, x[1]);
    return s * h / 3.0;
}

double gauss_legendre(int n, const double x[n]) {
    static const double node[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                                  0.9739065285171717};
    static const double weight[] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806,
                                    0.0666713443086881};
    double xm = 0.5 * (x[0] + x[1]), xr = 0.5 * (x[1] - x[0]), s = 0.0;
    for (size_t j = 0; j < LENGTH(node); j++) {
        double dx = xr * node[j];
        s += weight[j] * (integrand(xm + dx, x[2]) + integrand(xm - dx, x[2]));
    }
    return s * xr;
}

static double trapzd(double (*f)(double, double), double k, double a, double b, int n, double last) {
    if (n == 1) return 0.5 * (b - a) * (f(a, k) + f(b, k));
    int it = 1;
    for (int j = 1; j < n - 1; j++) it <<= 1;
    double tnm = it, del = (b - a) / tnm, t = a + 0.5 * del, sum = 0.0;
    for (int j = 1; j <= it; j++, t += del) sum += f(t, k);
    return 0.5 * (last + (b - a) * sum / tnm);
}
double romberg(int n, const double x[n]) {
    double s[6][6] = {{0.0}}, st = 0.0;
    for (int i = 0; i < 6; i++) {
        st = trapzd(integrand, x[0], 0.0, 1.0 + 0.1 * x[1], i + 1, st);
        s[i][0] = st;
        double f = 4.0;
        for (int j = 1; j <= i; j++, f *= 4.0) s[i][j] = s[i][j - 1] + (s[i][j - 1] - s[i - 1][j - 1]) / (f - 1.0);
    }
    return s[5][5];
}

static double adaptive(double a, double fa, double b, double fb, double m, double fm, double whole, double eps,
                       int depth, double k) {
    double lm = 0.5 * (a + m), rm = 0.5 * (m + b), flm = integrand(lm, k), frm = integrand(rm, k);
    double left = (m - a) / 6.0 * (fa + 4.0 * flm + fm), right = (b - m) / 6.0 * (fm + 4.0 * frm + fb);
    double delta = left + right - whole;
    if (depth <= 0 || fabs(delta) <= 15.0 * eps) return left + right + delta / 15.0;
    return adaptive(a, fa, m, fm, lm, flm, left, eps / 2.0, depth - 1, k) +
           adaptive(m, fm, b, fb, rm, frm, right, eps / 2.0, depth - 1, k);
}
double adaptive_simpson(int n, const double x[n]) {
    double a = x[0], b = 2.0 + x[1] * 0.1, m = 0.5 * (a + b), k = x[2];
    double fa = integrand(a, k), fb = integrand(b, k), fm = integrand(m, k);
    return adaptive(a, fa, b, fb, m, fm, (b - a) / 6.0 * (fa + 4.0 * fm + fb), 1e-4, 6, k);
}

/* ---- differential equations */
typedef struct {
    double alpha, beta, damping;
} system_t;
typedef void (*rhs_t)(double t, const double *y, double *dydt, const void *ctx);
static void duffing(double t, const double *y, double *dydt, const void *ctx) {
    const system_t *s = (const system_t *)ctx;
    dydt[0] = y[1];
    dydt[1] = -s->damping * y[1] - s->alpha * y[0] - s->beta * y[0] * y[0] * y[0] + 0.3 * cos(t);
}
static void rk4_step(rhs_t f, double t, double *y, int n, double h, const void *ctx) {
    double k1[4], k2[4], k3[4], k4[4], tmp[4];
    f(t, y, k1, ctx);
    for (int i = 0; i < n; i++) tmp[i] = y[i] + 0.5 * h * k1[i];
    f(t + 0.5 * h, tmp, k2, ctx);
    for (int i = 0; i < n; i++) tmp[i] = y[i] + 0.5 * h * k2[i];
    f(t + 0.5 * h, tmp, k3, ctx);
    for (int i = 0; i < n; i++) tmp[i] = y[i] + h * k3[i];
    f(t + h, tmp, k4, ctx);
    for (int i = 0; i < n; i++) y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
}
double rk4_duffing(int n, const double x[n]) {
    system_t s = {.alpha = 1.0 + 0.1 * x[0], .beta = 0.5 * x[1], .damping = 0.1};
    double y[2] = {x[2], x[3]}, t = 0.0;
    while (t < 2.0) {
        rk4_step(duffing, t, y, 2, 0.1, &s);
        t += 0.1;
    }
    return y[0] * y[0] + y[1];
}

double rk45_adaptive(int n, const double x[n]) {
    static const double b21 = 0.2, b31 = 3.0 / 40.0, b32 = 9.0 / 40.0, b41 = 0.3, b42 = -0.9, b43 = 1.2;
    static const double c1 = 37.0 / 378.0, c3 = 250.0 / 621.0, c4 = 125.0 / 594.0;
    double t = 0.0, y = 1.0 + 0.2 * x[0], h = 0.2;
    int steps = 0;
    do {
        double k1 = -x[1] * y + sin(t), k2, k3, k4, err, yn;
        k2 = -x[1] * (y + h * b21 * k1) + sin(t + 0.2 * h);
        k3 = -x[1] * (y + h * (b31 * k1 + b32 * k2)) + sin(t + 0.3 * h);
        k4 = -x[1] * (y + h * (b41 * k1 + b42 * k2 + b43 * k3)) + sin(t + 0.6 * h);
        yn = y + h * (c1 * k1 + c3 * k3 + c4 * k4 + (1.0 - c1 - c3 - c4) * k2);
        err = fabs(h * (k1 - 2.0 * k2 + k3));
        if (err > 1e-2 && h > 1e-3) {
            h *= 0.5;
            continue;
        }
        t += h;
        y = yn;
        if (err < 1e-4) h *= 1.5;
        if (t + h > 2.0) h = 2.0 - t;
    } while (t < 2.0 - 1e-12 && ++steps < 100);
    return y;
}

double leapfrog(int n, const double x[n]) {
    struct particle {
        double pos[2], vel[2], mass;
    } p[3];
    for (int i = 0; i < 3; i++) {
        p[i].pos[0] = x[i] + 2.0 * i;
        p[i].pos[1] = x[(i + 1) % n];
        p[i].vel[0] = p[i].vel[1] = 0.1 * x[(i + 3) % n];
        p[i].mass = 1.0 + 0.1 * i;
    }
    for (int step = 0; step < 5; step++) {
        double acc[3][2];
        for (int i = 0; i < 3; i++) acc[i][0] = acc[i][1] = 0.0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                if (j == i) continue;
                double dx = p[j].pos[0] - p[i].pos[0], dy = p[j].pos[1] - p[i].pos[1];
                double r2 = dx * dx + dy * dy + 0.5, f = p[j].mass / (r2 * sqrt(r2));
                acc[i][0] += f * dx;
                acc[i][1] += f * dy;
            }
        for (struct particle *q = p; q < p + 3; q++) {
            long i = q - p;
            for (int k = 0; k < 2; k++) {
                q->vel[k] += 0.1 * acc[i][k];
                q->pos[k] += 0.1 * q->vel[k];
            }
        }
    }
    return p[0].pos[0] * p[1].vel[1] + SQR(p[2].pos[1]);
}

double heat_equation(int n, const double x[n]) {
    double u[2][9];
    int now = 0;
    for (int i = 0; i < 9; i++) u[0][i] = i > 0 && i < 8 ? x[i - 1] : 0.0;
    for (int t = 0; t < 12; t++) {
        int next = 1 - now;
        u[next][0] = u[next][8] = 0.0;
        for (int i = 1; i < 8; i++) u[next][i] = u[now][i] + 0.3 * (u[now][i - 1] - 2.0 * u[now][i] + u[now][i + 1]);
        now = next;
    }
    return u[now][3] * u[now][4];
}

double burgers_swapped_pointers(int n, const double x[n]) {
    double a[8], b[8], *cur = a, *nxt = b;
    for (int i = 0; i < 8; i++) a[i] = 1.0 + 0.2 * x[i % n], b[i] = 0.0;
    for (int t = 0; t < 6; t++) {
        for (int i = 1; i < 7; i++)
            nxt[i] = cur[i] - 0.1 * cur[i] * (cur[i] - cur[i - 1]) + 0.05 * (cur[i + 1] - cur[i]);
        nxt[0] = nxt[6];
        nxt[7] = nxt[1];
        double *tmp = cur;
        cur = nxt;
        nxt = tmp;
    }
    return cur[2] + cur[5] * cur[5];
}

/* ---- interpolation */
double natural_spline(int n, const double x[n]) {
    double y2[7], u[7], p, sig, qn = 0.0;
    y2[0] = u[0] = 0.0;
    for (int i = 1; i < n - 1; i++) {
        sig = 0.5;
        p = sig * y2[i - 1] + 2.0;
        y2[i] = (sig - 1.0) / p;
        u[i] = (x[i + 1] - x[i]) - (x[i] - x[i - 1]);
        u[i] = (6.0 * u[i] / 2.0 - sig * u[i - 1]) / p;
    }
    y2[n - 1] = (0.0 - qn * u[n - 2]) / (qn * y2[n - 2] + 1.0);
    for (int k = n - 2; k >= 0; k--) y2[k] = y2[k] * y2[k + 1] + u[k];
    double at = 2.3 + 0.1 * x[0], s;
    int klo = 0, khi = n - 1;
    while (khi - klo > 1) {
        int k = (khi + klo) >> 1;
        if (k > at)
            khi = k;
        else
            klo = k;
    }
    double a = khi - at, b = at - klo;
    s = a * x[klo] + b * x[khi] + ((a * a * a - a) * y2[klo] + (b * b * b - b) * y2[khi]) / 6.0;
    return s;
}

double neville(int n, const double x[n]) {
    double c[7], d[7], at = 1.7 + 0.1 * x[6], y = x[0], dy;
    int ns = 1;
    for (int i = 0; i < n; i++) c[i] = d[i] = x[i];
    y = x[ns--];
    for (int m = 1; m < n; m++) {
        for (int i = 0; i < n - m; i++) {
            double ho = i - at, hp = i + m - at, w = c[i + 1] - d[i], den = ho - hp;
            if (den == 0.0) return NAN;
            den = w / den;
            d[i] = hp * den;
            c[i] = ho * den;
        }
        y += (dy = (2 * (ns + 1) < (n - m) ? c[ns + 1] : d[ns--]));
    }
    return y;
}

double bilinear(int n, const double x[n]) {
    static const float grid[3][4] = {{1.0f, 2.0f, 4.0f, 3.0f}, {0.5f, 1.5f, 2.5f, 2.0f}, {3.0f, 1.0f, 0.0f, -1.0f}};
    double r = fmin(fmax(1.0 + 0.5 * x[0], 0.0), 1.999), c = fmin(fmax(1.5 + x[1], 0.0), 2.999);
    int i = (int)r, j = (int)floor(c);
    double fr = r - i, fc = c - j;
    return (1.0 - fr) * ((1.0 - fc) * grid[i][j] + fc * grid[i][j + 1]) +
           fr * ((1.0 - fc) * grid[i + 1][j] + fc * grid[i + 1][j + 1]);
}

double horner_and_derivative(int n, const double x[n]) {
    double p = x[n - 1], dp = 0.0, t = x[0];
    for (int j = n - 2; j >= 0; j--) {
        dp = dp * t + p;
        p = p * t + x[j];
    }
    return p + dp;
}

double clenshaw(int n, const double x[n]) {
    double d = 0.0, dd = 0.0, sv, y = 0.3 * x[0], y2 = 2.0 * y;
    for (int j = n - 1; j > 0; j--) {
        sv = d;
        d = y2 * d - dd + x[j];
        dd = sv;
    }
    return y * d - dd + 0.5 * x[0];
}

/* ---- special functions */
double bessel_series(int n, const double x[n]) {
    double z = 1.5 + x[0], q = 0.25 * z * z, term = 1.0, sum = 1.0;
    for (int k = 1; k < 60; k++) {
        term *= -q / ((double)k * k);
        sum += term;
        if (fabs(term) < 1e-16 * fabs(sum)) break;
    }
    return sum;
}

double bessel_recurrence(int n, const double x[n]) {
    double z = 2.0 + x[0] * 0.5, tox = 2.0 / z, bjp = 0.0, bj = 1.0, ans = 0.0, sum = 0.0;
    int jsum = 0;
    for (int j = 24; j > 0; j--) {
        double bjm = j * tox * bj - bjp;
        bjp = bj;
        bj = bjm;
        if (fabs(bj) > 1.0e10) {
            bj *= 1.0e-10;
            bjp *= 1.0e-10;
            ans *= 1.0e-10;
            sum *= 1.0e-10;
        }
        if (jsum) sum += bj;
        jsum = !jsum;
        if (j == 3) ans = bjp;
    }
    sum = 2.0 * sum - bj;
    return ans / sum;
}

static double gammln(double xx) {
    static const double cof[6] = {76.18009172947146,  -86.50532032941677,    24.01409824083091,
                                  -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5};
    double x = xx, y = xx, tmp = x + 5.5, ser = 1.000000000190015;
    tmp -= (x + 0.5) * log(tmp);
    for (int j = 0; j <= 5; j++) ser += cof[j] / ++y;
    return -tmp + log(2.5066282746310005 * ser / x);
}
double log_gamma_lanczos(int n, const double x[n]) { return gammln(2.5 + x[0]) + gammln(4.0 + x[1] * x[1]); }

double incomplete_gamma(int n, const double x[n]) {
    double a = 2.5 + x[0], z = 1.0 + x[1] * x[1], gln = gammln(a);
    if (z < a + 1.0) {
        double ap = a, del = 1.0 / a, sum = del;
        for (;;) {
            ++ap;
            del *= z / ap;
            sum += del;
            if (fabs(del) < fabs(sum) * 1e-15) return sum * exp(-z + a * log(z) - gln);
        }
    } else {
        double b = z + 1.0 - a, c = 1.0 / 1e-300, d = 1.0 / b, h = d;
        for (int i = 1; i <= 100; i++) {
            double an = -i * (i - a), del;
            b += 2.0;
            d = an * d + b;
            if (fabs(d) < 1e-300) d = 1e-300;
            c = b + an / c;
            if (fabs(c) < 1e-300) c = 1e-300;
            d = 1.0 / d;
            del = d * c;
            h *= del;
            if (fabs(del - 1.0) <= 1e-15) break;
        }
        return 1.0 - exp(-z + a * log(z) - gln) * h;
    }
}

double legendre_recurrence(int n, const double x[n]) {
    double pmm = 1.0, z = 0.5 * x[0] / (1.0 + fabs(x[0])), p1 = z, pll = 0.0;
    for (int ll = 2; ll <= 8; ll++) {
        pll = (z * (2 * ll - 1) * p1 - (ll - 1) * pmm) / ll;
        pmm = p1;
        p1 = pll;
    }
    return pll;
}

double elliptic_agm(int n, const double x[n]) {
    double a = 1.0 + 0.1 * x[0] * x[0], g = sqrt(0.5 + 0.1 * x[1] * x[1]);
    while (fabs(a - g) > 1e-15 * a) {
        double t = 0.5 * (a + g);
        g = sqrt(a * g);
        a = t;
    }
    return 3.14159265358979323846 / (2.0 * a);
}

static double dawson(double x) {
    static double c[6] = {0.0};
    static const double h = 0.4;
    double cc[6], xx = fabs(x), sum = 0.0;
    for (int i = 0; i < 6; i++) cc[i] = c[i] + exp(-SQR((2.0 * i + 1.0) * h));
    if (xx < 0.2) {
        double x2 = x * x;
        return x * (1.0 - 2.0 / 3.0 * x2 * (1.0 - 0.4 * x2 * (1.0 - 2.0 / 7.0 * x2)));
    }
    int n0 = 2 * (int)(0.5 * xx / h + 0.5);
    double xp = xx - n0 * h, e1 = exp(2.0 * xp * h), e2 = e1 * e1, d1 = n0 + 1.0, d2 = d1 - 2.0;
    for (int i = 0; i < 6; i++, d1 += 2.0, d2 -= 2.0, e1 *= e2) sum += cc[i] * (e1 / d1 + 1.0 / (d2 * e1));
    return 0.5641895835 * SIGN(exp(-xp * xp), x) * sum;
}
double dawson_integral(int n, const double x[n]) { return dawson(x[0]) + dawson(0.1 * x[1]); }

/* ---- transforms */
static void four1(double *data, unsigned long nn, int isign) {
    unsigned long n = nn << 1, j = 1, m;
    data--; /* from 1, as in Fortran */
    for (unsigned long i = 1; i < n; i += 2) {
        if (j > i) {
            SWAP(double, data[j], data[i]);
            SWAP(double, data[j + 1], data[i + 1]);
        }
        m = nn;
        while (m >= 2 && j > m) {
            j -= m;
            m >>= 1;
        }
        j += m;
    }
    for (unsigned long mmax = 2, istep; n > mmax; mmax = istep) {
        istep = mmax << 1;
        double theta = isign * (6.28318530717959 / (double)mmax), wtemp = sin(0.5 * theta), wpr = -2.0 * wtemp * wtemp;
        double wpi = sin(theta), wr = 1.0, wi = 0.0;
        for (m = 1; m < mmax; m += 2) {
            for (unsigned long i = m; i <= n; i += istep) {
                j = i + mmax;
                double tempr = wr * data[j] - wi * data[j + 1], tempi = wr * data[j + 1] + wi * data[j];
                data[j] = data[i] - tempr;
                data[j + 1] = data[i + 1] - tempi;
                data[i] += tempr;
                data[i + 1] += tempi;
            }
            wr = (wtemp = wr) * wpr - wi * wpi + wr;
            wi = wi * wpr + wtemp * wpi + wi;
        }
    }
}
double fft_in_place(int n, const double x[n]) {
    double data[16];
    for (int i = 0; i < 16; i++) data[i] = x[i % n];
    four1(data, 8, 1);
    double power = 0.0;
    for (int i = 0; i < 8; i++) power += (i + 1) * hypot(data[2 * i], data[2 * i + 1]);
    return power;
}

struct cplx {
    double re, im;
};
static struct cplx cmul(struct cplx a, struct cplx b) {
    return (struct cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static struct cplx cadd(struct cplx a, struct cplx b) { return (struct cplx){.im = a.im + b.im, .re = a.re + b.re}; }
double dft_structs(int n, const double x[n]) {
    double s = 0.0;
    for (int k = 0; k < n; k++) {
        struct cplx sum = {0.0, 0.0};
        for (int j = 0; j < n; j++) {
            double a = -6.283185307179586 * k * j / n;
            sum = cadd(sum, cmul((struct cplx){x[j], 0.0}, (struct cplx){cos(a), sin(a)}));
        }
        s += sum.re * sum.im * (k - 2);
    }
    return s;
}

static void recursive_fft(struct cplx *buf, struct cplx *out, int n, int step) {
    if (step >= n) return;
    recursive_fft(out, buf, n, step * 2);
    recursive_fft(out + step, buf + step, n, step * 2);
    for (int i = 0; i < n; i += 2 * step) {
        struct cplx t = cmul((struct cplx){cos(3.14159265358979323846 * i / n), -sin(3.14159265358979323846 * i / n)},
                             out[i + step]);
        buf[i / 2] = cadd(out[i], t);
        buf[(i + n) / 2] = (struct cplx){out[i].re - t.re, out[i].im - t.im};
    }
}
double fft_recursive(int n, const double x[n]) {
    struct cplx a[8], b[8];
    for (int i = 0; i < 8; i++) {
        a[i] = (struct cplx){x[i % n], 0.0};
        b[i] = a[i];
    }
    recursive_fft(a, b, 8, 1);
    return a[1].re * a[2].im + a[3].re;
}

double haar_wavelet(int n, const double x[n]) {
    double a[8], b[8];
    for (int i = 0; i < 8; i++) a[i] = x[i % n];
    for (int len = 8; len > 1; len /= 2) {
        int half = len / 2;
        for (int i = 0; i < half; i++) {
            b[i] = (a[2 * i] + a[2 * i + 1]) * 0.70710678118654752;
            b[half + i] = (a[2 * i] - a[2 * i + 1]) * 0.70710678118654752;
        }
        memcpy(a, b, (size_t)len * sizeof(double));
    }
    double s = 0.0;
    for (int i = 0; i < 8; i++) s += fabs(a[i]) > 0.3 ? a[i] * a[i] : 0.0;
    return s;
}

double convolution(int n, const double x[n]) {
    const double kernel[3] = {0.25, 0.5, 0.25};
    double out[7];
    for (int i = 0; i < n; i++) {
        out[i] = 0.0;
        for (int k = -1; k <= 1; k++) {
            int j = i + k;
            if (j < 0 || j >= n) continue;
            out[i] += kernel[k + 1] * x[j];
        }
    }
    return out[0] * out[n - 1] + out[n / 2];
}

/* ---- statistics, random numbers, filters */
double running_moments(int n, const double x[n]) {
    double mean = 0.0, m2 = 0.0, m3 = 0.0;
    for (int i = 0; i < n; ++i) {
        double delta = x[i] - mean, dn = delta / (i + 1), t = delta * dn * i;
        mean += dn;
        m3 += t * dn * (i - 1) - 3.0 * dn * m2;
        m2 += t;
    }
    return mean + m3 / pow(m2 + 1e-3, 1.5);
}

static uint32_t lcg(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }
static double uniform(uint32_t *state) { return (lcg(state) >> 8) * (1.0 / 16777216.0); }
double monte_carlo(int n, const double x[n]) {
    uint32_t seed = 42u;
    double sum = 0.0;
    for (int i = 0; i < 50; i++) {
        double u = uniform(&seed), v = uniform(&seed);
        double z = sqrt(-2.0 * log(u + 1e-9)) * cos(6.283185307179586 * v);
        double s = exp(x[0] * 0.1 * z + 0.05 * x[1]);
        sum += s > 1.0 ? s - 1.0 : 0.0;
    }
    return sum / 50;
}

static uint64_t xorshift(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}
double random_walk_table(int n, const double x[n]) {
    uint64_t s = 88172645463325252ull;
    double pos = 0.0, best = -1e9;
    for (int i = 0; i < 40; i++) {
        int k = (int)(xorshift(&s) % (uint64_t)n);
        pos = 0.9 * pos + x[k];
        best = MAX(best, pos);
    }
    return best + 0.1 * pos;
}

double kalman_filter(int n, const double x[n]) {
    double state[2] = {0.0, 1.0}, P[2][2] = {{1.0, 0.0}, {0.0, 1.0}}, loglik = 0.0, q = 0.01 * x[5] * x[5], r = 0.1;
    for (int k = 0; k < 5; k++) {
        double a[2][2] = {{1.0, 1.0}, {0.0, 1.0}}, AP[2][2], S, K[2], y;
        state[0] += state[1];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) AP[i][j] = a[i][0] * P[0][j] + a[i][1] * P[1][j];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) P[i][j] = AP[i][0] * a[j][0] + AP[i][1] * a[j][1] + (i == j) * q;
        y = x[k] - state[0];
        S = P[0][0] + r;
        K[0] = P[0][0] / S, K[1] = P[1][0] / S;
        for (int i = 0; i < 2; i++) state[i] += K[i] * y;
        double p00 = P[0][0], p01 = P[0][1];
        P[0][0] -= K[0] * p00, P[0][1] -= K[0] * p01;
        P[1][0] -= K[1] * p00, P[1][1] -= K[1] * p01;
        loglik -= 0.5 * (log(S) + y * y / S);
    }
    return loglik;
}

double iir_biquad(int n, const double x[n]) {
    float z1 = 0.0f, z2 = 0.0f;
    double acc = 0.0;
    for (int i = 0; i < n; i++) {
        float in = (float)x[i], out = 0.2f * in + z1;
        z1 = 0.4f * in - -0.3f * out + z2;
        z2 = 0.2f * in - 0.25f * out;
        acc += (double)out * out;
    }
    return acc;
}

double median_by_sorting(int n, const double x[n]) {
    double a[7];
    for (int i = 0; i < n; i++) a[i] = x[i];
    for (int i = 1; i < n; i++) {
        double key = a[i];
        int j = i - 1;
        while (j >= 0 && a[j] > key) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = key;
    }
    return n % 2 ? a[n / 2] : 0.5 * (a[n / 2 - 1] + a[n / 2]);
}

double quickselect(int n, const double x[n]) {
    double a[7];
    memmove(a, x, sizeof(double) * (size_t)n);
    int l = 0, ir = n - 1, k = 2;
    for (;;) {
        if (ir <= l + 1) {
            if (ir == l + 1 && a[ir] < a[l]) SWAP(double, a[l], a[ir]);
            return a[k] * a[k];
        }
        int mid = (l + ir) >> 1, i = l + 1, j = ir;
        SWAP(double, a[mid], a[l + 1]);
        if (a[l] > a[ir]) SWAP(double, a[l], a[ir]);
        if (a[l + 1] > a[ir]) SWAP(double, a[l + 1], a[ir]);
        if (a[l] > a[l + 1]) SWAP(double, a[l], a[l + 1]);
        double piv = a[l + 1];
        for (;;) {
            do i++;
            while (a[i] < piv);
            do j--;
            while (a[j] > piv);
            if (j < i) break;
            SWAP(double, a[i], a[j]);
        }
        a[l + 1] = a[j];
        a[j] = piv;
        if (j >= k) ir = j - 1;
        if (j <= k) l = i;
    }
}

double histogram_entropy(int n, const double x[n]) {
    double bin[4] = {0};
    for (int i = 0; i < n; i++) {
        double w = 1.0 / (1.0 + exp(-4.0 * x[i]));
        int k = x[i] < -0.5 ? 0 : x[i] < 0.0 ? 1 : x[i] < 0.5 ? 2 : 3;
        bin[k] += w;
        bin[(k + 1) & 3] += 1.0 - w;
    }
    double h = 0.0;
    for (unsigned k = 0; k < 4u; k++)
        if (bin[k] > 1e-12) h -= bin[k] / n * log(bin[k] / n);
    return h;
}

double logsumexp(int n, const double x[n]) {
    double m = -DBL_MAX, s = 0.0;
    for (int i = 0; i < n; i++)
        if (x[i] > m) m = x[i];
    for (int i = 0; i < n; i++) s += exp(x[i] - m);
    return m + log(s);
}

/* ---- machine learning in plain loops */
#define HIDDEN 4
typedef struct {
    double w1[HIDDEN][2], b1[HIDDEN], w2[HIDDEN], b2;
} mlp;
static double mlp_forward(const mlp *net, const double in[2], double hidden[HIDDEN]) {
    double out = net->b2;
    for (int i = 0; i < HIDDEN; i++) {
        double z = net->b1[i];
        for (int j = 0; j < 2; j++) z += net->w1[i][j] * in[j];
        hidden[i] = z > 0.0 ? z : 0.01 * z;
        out += net->w2[i] * hidden[i];
    }
    return out;
}
double small_network(int n, const double x[n]) {
    mlp net = {.b2 = x[0]};
    double hidden[HIDDEN], loss = 0.0;
    for (int i = 0; i < HIDDEN; i++) {
        net.w1[i][0] = x[i % n];
        net.w1[i][1] = 0.5 - x[(i + 3) % n];
        net.b1[i] = 0.1 * i;
        net.w2[i] = x[(2 * i + 1) % n];
    }
    for (int s = 0; s < 3; s++) {
        const double in[2] = {0.3 * s, 1.0 - 0.2 * s};
        double e = mlp_forward(&net, in, hidden) - 0.5 * s;
        loss += e * e;
    }
    return loss;
}

double softmax_cross_entropy(int n, const double x[n]) {
    double p[7], z = 0.0, top = x[0];
    for (int i = 1; i < n; i++) top = fmax(top, x[i]);
    for (int i = 0; i < n; i++) z += p[i] = exp(x[i] - top);
    double loss = 0.0;
    for (int i = 0; i < n; i++) loss -= (i == 2 ? 0.9 : 0.1 / (n - 1)) * log(p[i] / z);
    return loss;
}

double kmeans_inertia(int n, const double x[n]) {
    double c[2] = {x[0], x[1] + 1.0};
    for (int it = 0; it < 4; it++) {
        double sum[2] = {0, 0};
        int count[2] = {0, 0};
        for (int i = 0; i < n; i++) {
            int k = SQR(x[i] - c[0]) > SQR(x[i] - c[1]);
            sum[k] += x[i];
            ++count[k];
        }
        for (int k = 0; k < 2; k++)
            if (count[k]) c[k] = sum[k] / count[k];
    }
    double s = 0.0;
    for (int i = 0; i < n; i++) s += MIN(SQR(x[i] - c[0]), SQR(x[i] - c[1]));
    return s;
}

/* ---- geometry, physics, finance */
typedef struct {
    double x, y, z;
} vec3;
static inline vec3 v_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline double v_dot(const vec3 *a, const vec3 *b) { return a->x * b->x + a->y * b->y + a->z * b->z; }
static inline vec3 *v_scale(vec3 *a, double s) {
    a->x *= s, a->y *= s, a->z *= s;
    return a;
}
double ray_sphere(int n, const double x[n]) {
    vec3 origin = {x[0], x[1], -5.0}, dir = {0.1 * x[2], 0.1 * x[3], 1.0}, centre = {0.0, 0.0, 0.0};
    v_scale(&dir, 1.0 / sqrt(v_dot(&dir, &dir)));
    vec3 oc = v_sub(origin, centre);
    double b = v_dot(&oc, &dir), c = v_dot(&oc, &oc) - 6.25, disc = b * b - c;
    if (disc < 0.0) return -1.0;
    double t = -b - sqrt(disc);
    vec3 hit = origin, *p = v_scale(&dir, t);
    hit.x += p->x, hit.y += p->y, hit.z += p->z;
    return hit.x * hit.y + hit.z;
}

double quaternion_rotation(int n, const double x[n]) {
    double q[4] = {1.0 + x[0] * x[0], x[1], x[2], x[3]}, norm = 0.0, v[3] = {x[4], x[5], 1.0}, r[3][3];
    for (int i = 0; i < 4; i++) norm += q[i] * q[i];
    norm = 1.0 / sqrt(norm);
    for (double *p = q; p < &q[4]; p++) *p *= norm;
    r[0][0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), r[0][1] = 2 * (q[1] * q[2] - q[0] * q[3]);
    r[0][2] = 2 * (q[1] * q[3] + q[0] * q[2]), r[1][0] = 2 * (q[1] * q[2] + q[0] * q[3]);
    r[1][1] = 1 - 2 * (q[1] * q[1] + q[3] * q[3]), r[1][2] = 2 * (q[2] * q[3] - q[0] * q[1]);
    r[2][0] = 2 * (q[1] * q[3] - q[0] * q[2]), r[2][1] = 2 * (q[2] * q[3] + q[0] * q[1]);
    r[2][2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    double out = 0.0;
    for (int i = 0; i < 3; i++) {
        double s = 0.0;
        for (int j = 0; j < 3; j++) s += r[i][j] * v[j];
        out += (i + 1) * s;
    }
    return out;
}

double polygon_area(int n, const double x[n]) {
    double area = 0.0;
    for (int i = 0, j = 6; i < 7; j = i++) {
        double xi = cos(0.9 * i) * (2.0 + 0.3 * x[i % n]), yi = sin(0.9 * i) * (2.0 + 0.3 * x[i % n]);
        double xj = cos(0.9 * j) * (2.0 + 0.3 * x[j % n]), yj = sin(0.9 * j) * (2.0 + 0.3 * x[j % n]);
        area += xi * yj - xj * yi;
    }
    return fabs(area) / 2;
}

double lennard_jones(int n, const double x[n]) {
    double e = 0.0;
    const double cutoff2 = 9.0;
    for (int i = 0; i < n - 1; i++) {
        for (int j = i + 1; j < n; j++) {
            double d = (j - i) * 1.1 + 0.1 * (x[j] - x[i]), r2 = d * d;
            if (r2 > cutoff2) continue;
            double s6 = 1.0 / (r2 * r2 * r2);
            e += 4.0 * s6 * (s6 - 1.0);
        }
    }
    return e;
}

static double normal_cdf(double t) { return 0.5 * erfc(-t * 0.70710678118654752440); }
double black_scholes_put(int n, const double x[n]) {
    double s = 100.0 + 10.0 * x[0], k = 95.0, r = 0.03, sigma = 0.2 + 0.05 * x[1], T = 1.0 + 0.2 * x[2];
    double d1 = (log(s / k) + (r + 0.5 * sigma * sigma) * T) / (sigma * sqrt(T)), d2 = d1 - sigma * sqrt(T);
    return k * exp(-r * T) * normal_cdf(-d2) - s * normal_cdf(-d1);
}

double binomial_tree(int n, const double x[n]) {
    enum { STEPS = 12 };
    double price[STEPS + 1], dt = 1.0 / STEPS, u = exp((0.2 + 0.02 * x[0]) * sqrt(dt)), d = 1.0 / u;
    double p = (exp(0.05 * dt) - d) / (u - d), disc = exp(-0.05 * dt), s0 = 100.0 + x[1];
    for (int i = 0; i <= STEPS; i++) price[i] = fmax(100.0 - s0 * pow(u, 2 * i - STEPS), 0.0);
    for (int step = STEPS - 1; step >= 0; step--)
        for (int i = 0; i <= step; i++) {
            double hold = disc * (p * price[i + 1] + (1.0 - p) * price[i]);
            double now = 100.0 - s0 * pow(u, 2 * i - step);
            price[i] = hold > now ? hold : now;
        }
    return price[0];
}

double bond_yield(int n, const double x[n]) {
    double y = 0.05, price = 95.0 + x[0];
    for (int it = 0; it < 50; it++) {
        double f = -price, df = 0.0;
        for (int t = 1; t <= 10; t++) {
            double cash = t == 10 ? 105.0 + x[1] : 5.0, v = pow(1.0 + y, -t);
            f += cash * v;
            df -= t * cash * v / (1.0 + y);
        }
        double step = f / df;
        y -= step;
        if (fabs(step) < 1e-14) break;
    }
    return 100.0 * y;
}

/* ---- odds and ends of the language */
enum shape { CIRCLE, SQUARE, TRIANGLE, SHAPES };
struct item {
    enum shape kind;
    unsigned weight : 4;
    double size;
};
static double area_of(const struct item *it) {
    switch (it->kind) {
    case CIRCLE: return 3.0 * it->size * it->size;
    case SQUARE: return it->size * it->size;
    case TRIANGLE: break;
    default: return 0.0;
    }
    return 0.5 * it->size * it->size;
}
double tagged_items(int n, const double x[n]) {
    struct item items[6];
    double total = 0.0;
    for (int i = 0; i < 6; i++) items[i] = (struct item){(enum shape)(i % SHAPES), (unsigned)i & 3u, 1.0 + x[i % n]};
    for (int i = 0; i < 6; i++) total += area_of(&items[i]) * items[i].weight;
    return total;
}

static double apply(double (*const table[])(double), int k, double t) { return table[k](t); }
double table_of_functions(int n, const double x[n]) {
    static double (*const table[])(double) = {sin, cos, exp, tanh};
    double s = 0.0;
    for (int i = 0; i < 4; i++) s += apply(table, i, x[i]);
    return s;
}

double linked_list(int n, const double x[n]) {
    struct cell {
        double v;
        int next;
    } pool[7];
    int head = -1;
    for (int i = 0; i < n; i++) {
        int *link = &head;
        while (*link >= 0 && pool[*link].v < x[i]) link = &pool[*link].next;
        pool[i].v = x[i];
        pool[i].next = *link;
        *link = i;
    }
    double s = 0.0, w = 1.0;
    for (int i = head; i >= 0; i = pool[i].next, w *= 0.7) s += w * pool[i].v * pool[i].v;
    return s;
}

double stack_calculator(int n, const double x[n]) {
    static const char program[] = "0 1+2*3 4-*5+";
    double stack[8];
    int sp = 0;
    for (const char *p = program; *p; p++) {
        if (*p >= '0' && *p <= '9')
            stack[sp++] = x[(*p - '0') % n];
        else if (*p == '+' || *p == '-' || *p == '*') {
            double b = stack[--sp], a = stack[--sp];
            stack[sp++] = *p == '+' ? a + b : *p == '-' ? a - b : a * b;
        }
    }
    return stack[0];
}

double bit_tricks(int n, const double x[n]) {
    double s = 0.0;
    for (unsigned mask = 0; mask < 16u; mask++) {
        double p = 1.0;
        int bits = 0;
        for (unsigned m = mask; m; m &= m - 1) bits++;
        for (int i = 0; i < 4; i++) p *= mask >> i & 1u ? x[i] : 1.0 - 0.1 * x[i];
        s += (bits & 1 ? -1 : 1) * p;
    }
    return s + (double)(uint8_t)(n * 40) * x[4] + (short)(n << 13) * 1e-5 * x[5];
}

static void swap_views(const double **a, const double **b) {
    const double *t = *a;
    *a = *b;
    *b = t;
}
double pointers_to_pointers(int n, const double x[n]) {
    const double *a = x, *b = x + 3;
    if (x[6] > 0.0) swap_views(&a, &b);
    return a[0] * b[1] + a[2];
}

double string_like_copy(int n, const double x[n]) {
    double src[8], dst[8], *d = dst;
    const double *s = src;
    for (int i = 0; i < n; i++) src[i] = x[i] * x[i] + 0.1;
    src[n] = 0.0;
    while ((*d++ = *s++) != 0.0) continue;
    return dst[1] + dst[n - 1] * (double)(d - dst);
}

double nested_functions_and_early_exit(int n, const double x[n]) {
    double best = -1.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i == j) continue;
            double v = x[i] * x[j];
            if (v > 1.2) goto found;
            if (v > best) best = v;
        }
    }
    return best;
found:
    return 2.0 * best + x[0];
}

double duffs_device(int n, const double x[n]) {
    double s = 0.0;
    int i = 0, rounds = (n + 3) / 4;
    while (rounds-- > 0) {
        int left = n - i;
        switch (left >= 4 ? 0 : left) {
        case 0: s += x[i++];             /* fall through */
        case 3: s += 2.0 * x[i++];       /* fall through */
        case 2: s *= 1.0 + 0.1 * x[i++]; /* fall through */
        case 1: s -= x[i] * x[0]; i++;
        }
    }
    return s;
}

double const_correct_views(int n, const double x[n]) {
    const double(*const rows)[2] = (const double(*)[2])x;
    double s = 0.0;
    for (int i = 0; i < n / 2; i++) s += rows[i][0] * rows[i][1];
    return s;
}

/* A struct whose first member is another, as classes are written in C. */
struct base {
    double (*area)(const struct base *);
    double scale;
};
struct circle {
    struct base base;
    double radius;
};
struct rectangle {
    struct base base;
    double width, height;
};
static double circle_area(const struct base *b) {
    const struct circle *c = (const struct circle *)b;
    return 3.0 * c->radius * c->radius * b->scale;
}
static double rectangle_area(const struct base *b) {
    const struct rectangle *r = (const struct rectangle *)b;
    return r->width * r->height * b->scale;
}
static double area(const struct base *b) { return b->area(b); }
double inheritance(int n, const double x[n]) {
    struct circle c = {{circle_area, 2.0}, x[0]};
    struct rectangle r = {{rectangle_area, x[1]}, x[2], x[3]};
    return area(&c.base) + area((const struct base *)&r);
}

/* Memory through a function of one's own. */
static void *checked_malloc(size_t bytes) {
    void *p = malloc(bytes);
    if (p == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return p;
}
struct series {
    int n;
    double *v;
};
static struct series *new_series(int n) {
    struct series *s = checked_malloc(sizeof *s);
    s->n = n;
    s->v = checked_malloc(sizeof(double) * (size_t)n);
    return s;
}
static void free_series(struct series *s) {
    free(s->v);
    free(s);
}
double own_allocator(int n, const double x[n]) {
    struct series *a = new_series(n);
    double *w = (double *)checked_malloc((size_t)n * sizeof *w), s = 0.0;
    for (int i = 0; i < n; i++) {
        a->v[i] = x[i] * x[i];
        w[i] = 1.0 + 0.5 * x[n - 1 - i];
    }
    for (int i = 0; i < a->n; i++) s += a->v[i] * w[i] * w[i];
    free_series(a);
    free(w);
    return s;
}

/* Bit-fields keep what fits. */
struct packed {
    unsigned low : 3;
    int high : 4;
    unsigned flag : 1;
};
double bit_fields(int n, const double x[n]) {
    static const struct packed start = {1, 5, 1};
    struct packed p = start, q = {.low = 7u, .high = -8};
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        p.low += 3u;
        p.high -= i;
        q.flag = (unsigned)i;
        q.low++;
        s += x[i] * p.low + x[(i + 1) % n] * x[i] * p.high + q.flag * x[0] - q.low * x[1] * (p.flag + q.high);
    }
    return s;
}
