/* SPDX-License-Identifier: Apache-2.0 */
/* programs.c - small programs as they are written: a transformer's layers in one buffer, an ODE solver with a workspace
   and callbacks, k-means, a Kalman filter, splines with arrays from 1, a ray tracer with structs by value, a tree of
   expressions, an FFT, errors by goto, a random walk, a stack machine, molecules, vectors with views, LSTM,
   quadrature. Each takes n numbers; test_language.c compares. */
#define FUNCTIONS "programs.def"
#include "functions.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

/* llm.c */
#define NUM_PARAMS 5
typedef struct {
    double *wte, *ln1w, *ln1b, *qkvw, *fcw;
} ParameterTensors;
static double *malloc_and_point(ParameterTensors *params, size_t *sizes) {
    size_t num = 0;
    for (size_t i = 0; i < NUM_PARAMS; i++) num += sizes[i];
    double *memory = (double *)malloc(num * sizeof(double));
    double **ptrs[] = {&params->wte, &params->ln1w, &params->ln1b, &params->qkvw, &params->fcw};
    double *it = memory;
    for (size_t i = 0; i < NUM_PARAMS; i++) {
        *(ptrs[i]) = it;
        it += sizes[i];
    }
    return memory;
}
static void layernorm_forward(double *out, double *mean, double *rstd, const double *inp, const double *weight,
                              const double *bias, int B, int T, int C) {
    double eps = 1e-5;
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            const double *x = inp + b * T * C + t * C;
            double m = 0.0;
            for (int i = 0; i < C; i++) m += x[i];
            m = m / C;
            double v = 0.0;
            for (int i = 0; i < C; i++) {
                double xshift = x[i] - m;
                v += xshift * xshift;
            }
            v = v / C;
            double s = 1.0 / sqrt(v + eps);
            double *out_bt = out + b * T * C + t * C;
            for (int i = 0; i < C; i++) {
                double n = (s * (x[i] - m));
                out_bt[i] = n * weight[i] + bias[i];
            }
            mean[b * T + t] = m;
            rstd[b * T + t] = s;
        }
}
static void matmul_forward(double *out, const double *inp, const double *weight, const double *bias, int B, int T,
                           int C, int OC) {
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++) {
            double *out_bt = out + b * T * OC + t * OC;
            const double *inp_bt = inp + b * T * C + t * C;
            for (int o = 0; o < OC; o++) {
                double val = (bias != NULL) ? bias[o] : 0.0;
                const double *wrow = weight + o * C;
                for (int i = 0; i < C; i++) val += inp_bt[i] * wrow[i];
                out_bt[o] = val;
            }
        }
}
static void attention_forward(double *out, double *preatt, double *att, const double *inp, int B, int T, int C,
                              int NH) {
    int C3 = C * 3, hs = C / NH;
    double scale = 1.0 / sqrt(hs);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int h = 0; h < NH; h++) {
                const double *query_t = inp + b * T * C3 + t * C3 + h * hs;
                double *preatt_bth = preatt + b * NH * T * T + h * T * T + t * T;
                double *att_bth = att + b * NH * T * T + h * T * T + t * T;
                double maxval = -10000.0;
                for (int t2 = 0; t2 <= t; t2++) {
                    const double *key_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C;
                    double val = 0.0;
                    for (int i = 0; i < hs; i++) val += query_t[i] * key_t2[i];
                    val *= scale;
                    if (val > maxval) maxval = val;
                    preatt_bth[t2] = val;
                }
                double expsum = 0.0;
                for (int t2 = 0; t2 <= t; t2++) {
                    double expv = exp(preatt_bth[t2] - maxval);
                    expsum += expv;
                    att_bth[t2] = expv;
                }
                double inv = expsum == 0.0 ? 0.0 : 1.0 / expsum;
                for (int t2 = 0; t2 < T; t2++) {
                    if (t2 <= t)
                        att_bth[t2] *= inv;
                    else
                        att_bth[t2] = 0.0;
                }
                double *out_bth = out + b * T * C + t * C + h * hs;
                for (int i = 0; i < hs; i++) out_bth[i] = 0.0;
                for (int t2 = 0; t2 <= t; t2++) {
                    const double *value_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C * 2;
                    double a = att_bth[t2];
                    for (int i = 0; i < hs; i++) out_bth[i] += a * value_t2[i];
                }
            }
}
#define GELU_SCALING_FACTOR sqrt(2.0 / M_PI)
static void gelu_forward(double *out, const double *inp, int N) {
    for (int i = 0; i < N; i++) {
        double x = inp[i], cube = 0.044715 * x * x * x;
        out[i] = 0.5 * x * (1.0 + tanh(GELU_SCALING_FACTOR * (x + cube)));
    }
}
double llm(int n, const double x[n]) {
    enum { B = 1, T = 3, C = 4, NH = 2 };
    ParameterTensors params;
    size_t sizes[NUM_PARAMS] = {T * C, C, C, 3 * C * C, C * C};
    double *mem = malloc_and_point(&params, sizes);
    for (int i = 0; i < T * C + 2 * C + 4 * C * C; i++) mem[i] = 0.5 * sin(x[i % n] * (i + 1) * 0.3);
    double acts[200], *ln = acts, *mean = ln + T * C, *rstd = mean + T, *qkv = rstd + T, *pre = qkv + 3 * T * C,
                      *att = pre + NH * T * T, *o = att + NH * T * T, *fc = o + T * C, loss = 0;
    layernorm_forward(ln, mean, rstd, params.wte, params.ln1w, params.ln1b, B, T, C);
    matmul_forward(qkv, ln, params.qkvw, NULL, B, T, C, 3 * C);
    attention_forward(o, pre, att, qkv, B, T, C, NH);
    matmul_forward(fc, o, params.fcw, params.ln1b, B, T, C, C);
    gelu_forward(fc, fc, T * C);
    for (int i = 0; i < T * C; i++) loss += fc[i] * fc[i];
    free(mem);
    return loss;
}

/* ODE solver with workspace */
typedef int (*ode_rhs)(double t, const double y[], double dydt[], void *params);
typedef struct {
    ode_rhs function;
    size_t dimension;
    void *params;
} ode_system;
typedef struct {
    double *k1, *k2, *tmp;
    size_t dim;
} ode_work;
static ode_work *ode_alloc(size_t dim) {
    ode_work *w = malloc(sizeof(*w));
    if (w == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    w->k1 = malloc(dim * sizeof(double));
    w->k2 = malloc(dim * sizeof(double));
    w->tmp = malloc(dim * sizeof(double));
    w->dim = dim;
    return w;
}
static void ode_free(ode_work *w) {
    free(w->k1);
    free(w->k2);
    free(w->tmp);
    free(w);
}
static int ode_step(ode_work *w, double *t, double h, double y[], const ode_system *sys) {
    int status = sys->function(*t, y, w->k1, sys->params);
    if (status) return status;
    for (size_t i = 0; i < w->dim; i++) w->tmp[i] = y[i] + 0.5 * h * w->k1[i];
    status = sys->function(*t + 0.5 * h, w->tmp, w->k2, sys->params);
    if (status) return status;
    for (size_t i = 0; i < w->dim; i++) y[i] += h * w->k2[i];
    *t += h;
    return 0;
}
static int vdp(double t, const double y[], double f[], void *params) {
    double mu = *(double *)params;
    (void)t;
    f[0] = y[1];
    f[1] = -y[0] - mu * y[1] * (y[0] * y[0] - 1);
    return 0;
}
double ode(int n, const double x[n]) {
    double mu = x[0], y[2] = {x[1], x[2]}, t = 0;
    ode_system sys = {vdp, 2, &mu};
    ode_work *w = ode_alloc(sys.dimension);
    while (t < 1.0)
        if (ode_step(w, &t, 0.1, y, &sys) != 0) break;
    ode_free(w);
    return y[0] * y[1] + n;
}

/* k-means */
double kmeans(int n, const double x[n]) {
    int k = 2, *label = calloc((size_t)n, sizeof(int)), *count = malloc((size_t)k * sizeof(int));
    double **cent = malloc(k * sizeof(double *)), total = 0;
    for (int j = 0; j < k; j++) {
        cent[j] = malloc(sizeof(double));
        cent[j][0] = x[j];
    }
    for (int it = 0; it < 3; it++) {
        for (int i = 0; i < n; i++) {
            double best = 1e300;
            for (int j = 0; j < k; j++) {
                double d = (x[i] - cent[j][0]) * (x[i] - cent[j][0]);
                if (d < best) {
                    best = d;
                    label[i] = j;
                }
            }
        }
        for (int j = 0; j < k; j++) {
            count[j] = 0;
            cent[j][0] = 0;
        }
        for (int i = 0; i < n; i++) {
            cent[label[i]][0] += x[i];
            count[label[i]]++;
        }
        for (int j = 0; j < k; j++)
            if (count[j]) cent[j][0] /= count[j];
    }
    for (int i = 0; i < n; i++) total += pow(x[i] - cent[label[i]][0], 2);
    for (int j = 0; j < k; j++) free(cent[j]);
    free(cent);
    free(label);
    free(count);
    return total;
}

/* Kalman, matrices by value */
typedef struct {
    int r, c;
    double a[9];
} M;
static M m_new(int r, int c) {
    M m = {r, c, {0}};
    return m;
}
static M m_mul(M a, M b) {
    M o = m_new(a.r, b.c);
    for (int i = 0; i < a.r; i++)
        for (int j = 0; j < b.c; j++)
            for (int k = 0; k < a.c; k++) o.a[i * o.c + j] += a.a[i * a.c + k] * b.a[k * b.c + j];
    return o;
}
static M m_t(M a) {
    M o = m_new(a.c, a.r);
    for (int i = 0; i < a.r; i++)
        for (int j = 0; j < a.c; j++) o.a[j * o.c + i] = a.a[i * a.c + j];
    return o;
}
static M m_add(M a, M b, double s) {
    for (int i = 0; i < a.r * a.c; i++) a.a[i] += s * b.a[i];
    return a;
}
typedef struct {
    M x, P, F, H, Q;
    double R;
} KF;
static void kf_update(KF *kf, double z, double *nll) {
    kf->x = m_mul(kf->F, kf->x);
    kf->P = m_add(m_mul(m_mul(kf->F, kf->P), m_t(kf->F)), kf->Q, 1);
    double y = z - m_mul(kf->H, kf->x).a[0], S = m_mul(m_mul(kf->H, kf->P), m_t(kf->H)).a[0] + kf->R;
    M K = m_mul(kf->P, m_t(kf->H));
    for (int i = 0; i < 2; i++) K.a[i] /= S;
    for (int i = 0; i < 2; i++) kf->x.a[i] += K.a[i] * y;
    kf->P = m_add(kf->P, m_mul(m_mul(K, kf->H), kf->P), -1);
    *nll += 0.5 * (log(S) + y * y / S);
}
double kalman(int n, const double x[n]) {
    KF kf = {{2, 1, {x[0], x[1]}}, {2, 2, {1, 0, 0, 1}},       {2, 2, {1, 0.1, 0, 1}},
             {1, 2, {1, 0}},       {2, 2, {0.01, 0, 0, 0.02}}, 0.1 + x[2] * x[2]};
    double nll = 0;
    for (int i = 3; i < n; i++) kf_update(&kf, x[i], &nll);
    return nll;
}

/* numerical recipes */
#define NR_END 1
static double *vector(long nl, long nh) {
    double *v = (double *)malloc((size_t)((nh - nl + 1 + NR_END) * sizeof(double)));
    return v - nl + NR_END;
}
static void free_vector(double *v, long nl, long nh) {
    (void)nh;
    free((char *)(v + nl - NR_END));
}
static void spline(double x[], double y[], int n, double yp1, double ypn, double y2[]) {
    int i, k;
    double p, qn, sig, un, *u;
    u = vector(1, n - 1);
    if (yp1 > 0.99e30)
        y2[1] = u[1] = 0.0;
    else {
        y2[1] = -0.5;
        u[1] = (3.0 / (x[2] - x[1])) * ((y[2] - y[1]) / (x[2] - x[1]) - yp1);
    }
    for (i = 2; i <= n - 1; i++) {
        sig = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1]);
        p = sig * y2[i - 1] + 2.0;
        y2[i] = (sig - 1.0) / p;
        u[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
        u[i] = (6.0 * u[i] / (x[i + 1] - x[i - 1]) - sig * u[i - 1]) / p;
    }
    if (ypn > 0.99e30)
        qn = un = 0.0;
    else {
        qn = 0.5;
        un = (3.0 / (x[n] - x[n - 1])) * (ypn - (y[n] - y[n - 1]) / (x[n] - x[n - 1]));
    }
    y2[n] = (un - qn * u[n - 1]) / (qn * y2[n - 1] + 1.0);
    for (k = n - 1; k >= 1; k--) y2[k] = y2[k] * y2[k + 1] + u[k];
    free_vector(u, 1, n - 1);
}
static void splint(double xa[], double ya[], double y2a[], int n, double x, double *y) {
    int klo = 1, khi = n, k;
    double h, b, a;
    while (khi - klo > 1) {
        k = (khi + klo) >> 1;
        if (xa[k] > x)
            khi = k;
        else
            klo = k;
    }
    h = xa[khi] - xa[klo];
    if (h == 0.0) {
        fprintf(stderr, "Bad xa input\n");
        exit(1);
    }
    a = (xa[khi] - x) / h;
    b = (x - xa[klo]) / h;
    *y = a * ya[klo] + b * ya[khi] + ((a * a * a - a) * y2a[klo] + (b * b * b - b) * y2a[khi]) * (h * h) / 6.0;
}
double nr_spline(int n, const double x[n]) {
    double *xa = vector(1, n), *ya = vector(1, n), *y2 = vector(1, n), s = 0, y;
    for (int i = 1; i <= n; i++) {
        xa[i] = i + 0.1 * sin(x[i - 1]);
        ya[i] = x[i - 1];
    }
    spline(xa, ya, n, x[0], 1e30, y2);
    for (int i = 0; i < 5; i++) {
        splint(xa, ya, y2, n, 1.3 + i, &y);
        s += y * (i + 1);
    }
    return s;
}

/* by name */
static double relu(double v) { return v > 0 ? v : 0.01 * v; }
static double activate(const char *name, double v) {
    if (strcmp(name, "tanh") == 0)
        return tanh(v);
    else if (!strcmp(name, "relu"))
        return relu(v);
    return v;
}
double by_name(int n, const double x[n]) {
    const char *names[] = {"tanh", "relu", "linear"};
    double s = 0;
    for (int i = 0; i < n; i++) s += activate("tanh", x[i]) * activate("none", x[0]);
    for (int i = 0; i < 3; i++) s += activate(names[i], x[i]);
    return s;
}

/* ray tracer */
typedef struct {
    double x, y, z;
} vec3;
static inline vec3 v3(double x, double y, double z) { return (vec3){x, y, z}; }
static inline vec3 vadd(vec3 a, vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec3 vscale(vec3 a, double s) { return v3(a.x * s, a.y * s, a.z * s); }
static inline double vdot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vnorm(vec3 a) { return vscale(a, 1.0 / sqrt(vdot(a, a))); }
typedef struct {
    vec3 o, d;
} ray;
typedef struct {
    vec3 c;
    double r;
    vec3 color;
    double refl;
} sphere;
typedef struct {
    bool hit;
    double t;
    vec3 p, n;
    const sphere *s;
} hit_t;
static hit_t intersect(const sphere *s, ray r) {
    vec3 oc = vadd(r.o, vscale(s->c, -1));
    double b = vdot(oc, r.d), c = vdot(oc, oc) - s->r * s->r, disc = b * b - c;
    hit_t h = {false, 1e30, {0, 0, 0}, {0, 0, 0}, NULL};
    if (disc < 0) return h;
    double t = -b - sqrt(disc);
    if (t < 1e-4) return h;
    h.hit = true;
    h.t = t;
    h.p = vadd(r.o, vscale(r.d, t));
    h.n = vnorm(vadd(h.p, vscale(s->c, -1)));
    h.s = s;
    return h;
}
static vec3 trace(const sphere *scene, int n, ray r, int depth) {
    hit_t best = {.hit = false, .t = 1e30};
    for (int i = 0; i < n; i++) {
        hit_t h = intersect(&scene[i], r);
        if (h.hit && h.t < best.t) best = h;
    }
    if (!best.hit) return v3(0.2 + 0.1 * r.d.y, 0.3, 0.5);
    double l = fmax(0.0, vdot(best.n, vnorm(v3(1, 1, -1))));
    vec3 col = vscale(best.s->color, 0.1 + l);
    if (depth > 0 && best.s->refl > 0) {
        ray rr = {best.p, vadd(r.d, vscale(best.n, -2 * vdot(r.d, best.n)))};
        col = vadd(vscale(col, 1 - best.s->refl), vscale(trace(scene, n, rr, depth - 1), best.s->refl));
    }
    return col;
}
double raytrace(int n, const double x[n]) {
    sphere scene[2] = {{{0.2 * x[0], 0, 3}, 1, {1, 0.5 + 0.1 * x[1], 0.2}, 0.5},
                       {{1.1, 0.2 * x[2], 2.5}, 0.7, {0.1, 1, 0.3}, 0.4}};
    double s = 0;
    for (int i = 0; i < 3; i++) {
        vec3 c = trace(scene, 2, (ray){{0, 0, -1}, vnorm(v3(0.1 * i + 0.02 * x[3], 0.05 * i, 1))}, 2);
        s += c.x + 2 * c.y + 3 * c.z;
    }
    return s * n;
}

/* expression tree */
typedef enum { CONST_, VAR_, ADD_, MUL_, SIN_ } op_t;
typedef struct expr {
    op_t op;
    double v;
    struct expr *l, *r;
} expr;
static double eval(const expr *e, double x) {
    switch (e->op) {
    case CONST_: return e->v;
    case VAR_: return x;
    case ADD_: return eval(e->l, x) + eval(e->r, x);
    case MUL_: return eval(e->l, x) * eval(e->r, x);
    case SIN_: return sin(eval(e->l, x));
    }
    return 0;
}
double expr_tree(int n, const double x[n]) {
    expr c = {CONST_, x[1], NULL, NULL}, v = {VAR_, 0, NULL, NULL}, m = {MUL_, 0, &c, &v}, s = {SIN_, 0, &m, NULL},
         a = {ADD_, 0, &s, &m};
    return eval(&a, x[0]) * n;
}

/* FFT with struct complex */
typedef struct {
    double re, im;
} cpx;
static cpx cmul(cpx a, cpx b) {
    cpx r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return r;
}
static void fft(cpx *a, int n) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            cpx t = a[i];
            a[i] = a[j];
            a[j] = t;
        }
    }
    for (int len = 2; len <= n; len <<= 1) {
        double ang = 2 * M_PI / len;
        cpx wlen = {cos(ang), sin(ang)};
        for (int i = 0; i < n; i += len) {
            cpx w = {1, 0};
            for (int j = 0; j < len / 2; j++) {
                cpx u = a[i + j], v = cmul(a[i + j + len / 2], w);
                a[i + j].re = u.re + v.re;
                a[i + j].im = u.im + v.im;
                a[i + j + len / 2] = (cpx){u.re - v.re, u.im - v.im};
                w = cmul(w, wlen);
            }
        }
    }
}
double complex_fft(int n, const double x[n]) {
    cpx a[8];
    double s = 0;
    for (int i = 0; i < 8; i++) a[i] = (cpx){x[i % n], 0.5 * x[(i + 3) % n]};
    fft(a, 8);
    for (int i = 0; i < 8; i++) s += (a[i].re * a[i].re + a[i].im * a[i].im) / (i + 1);
    return s;
}

/* error handling */
#define CHECK(c, msg)                                                                                                  \
    do {                                                                                                               \
        if (!(c)) {                                                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, msg);                                                   \
            goto fail;                                                                                                 \
        }                                                                                                              \
    } while (0)
static int solve2(const double *a, const double *b, double *out) {
    int rc = -1;
    double *tmp = NULL, det;
    CHECK(a != NULL && b != NULL, "null");
    tmp = malloc(4 * sizeof *tmp);
    CHECK(tmp != NULL, "memory");
    memcpy(tmp, a, 4 * sizeof *tmp);
    det = tmp[0] * tmp[3] - tmp[1] * tmp[2];
    CHECK(fabs(det) > 1e-12, "singular");
    out[0] = (b[0] * tmp[3] - b[1] * tmp[1]) / det;
    out[1] = (tmp[0] * b[1] - tmp[2] * b[0]) / det;
    rc = 0;
fail:
    free(tmp);
    return rc;
}
double error_style(int n, const double x[n]) {
    double out[2] = {0, 0};
    assert(n >= 6);
    if (solve2(x, x + 4, out) < 0) return -1.0;
    return out[0] * x[0] + out[1];
}

/* own random numbers, Monte Carlo */
typedef struct {
    uint64_t s[2];
} rng_t;
static uint64_t rng_next(rng_t *r) {
    uint64_t a = r->s[0], b = r->s[1];
    r->s[0] = b;
    a ^= a << 23;
    a ^= a >> 17;
    a ^= b ^ (b >> 26);
    r->s[1] = a;
    return a + b;
}
static double rng_uniform(rng_t *r) { return (double)(rng_next(r) >> 11) / 9007199254740992.0; }
static double rng_normal(rng_t *r) {
    double u = rng_uniform(r), v = rng_uniform(r);
    return sqrt(-2 * log(u + 1e-300)) * cos(2 * M_PI * v);
}
double rng_mc(int n, const double x[n]) {
    rng_t r = {{12345, 67890}};
    double sum = 0;
    for (int p = 0; p < 10; p++) {
        double s = 1 + 0.1 * x[0];
        for (int t = 0; t < 4; t++) s *= exp((x[1] * 0.1 - 0.5 * x[2] * x[2]) * 0.25 + x[2] * 0.5 * rng_normal(&r));
        sum += s > 1 ? s - 1 : 0;
    }
    return sum / 10 * n;
}

/* 2-d arrays of many kinds */
static double sum2(int n, double (*a)[3]) {
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++) s += a[i][j] * (i - j);
    return s;
}
static void fill(double a[][3], int n, const double *x) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++) a[i][j] = sin(x[i] * (j + 1));
}
double two_d(int n, const double x[n]) {
    double a[7][3], (*b)[3] = malloc(sizeof(double[4][3])), *flat = &a[0][0], s = 0;
    fill(a, n, x);
    memcpy(b, a, sizeof(double[4][3]));
    memset(a[0], 0, sizeof a[0]);
    for (int i = 0; i < 3 * n; i++) s += flat[i];
    s += sum2(4, b) * sum2(n, a);
    free(b);
    return s;
}

/* little stack machine */
double stack_vm(int n, const double x[n]) {
    static const unsigned char code[] = {0, 0, 0, 1, 2, 0, 2, 3, 1, 4, 0, 0, 2, 255};
    double stack[16];
    int sp = 0;
    const unsigned char *pc = code;
    const double *in = x;
    for (;;) {
        switch (*pc++) {
        case 0:
            stack[sp++] = *in++;
            if (in == x + n) in = x;
            continue;
        case 1:
            sp--;
            stack[sp - 1] += stack[sp];
            break;
        case 2:
            sp--;
            stack[sp - 1] *= stack[sp];
            break;
        case 3:
            stack[sp] = stack[sp - 1];
            sp++;
            break;
        case 4: stack[sp - 1] = tanh(stack[sp - 1]); break;
        default: goto end;
        }
    }
end:
    return stack[sp - 1] + sp;
}

double cholesky_flat(int n, const double x[n]) {
    enum { N = 3 };
    double A[N * N], L[N * N] = {0}, ld = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) A[i * N + j] = (i == j) * 4.0 + x[i] * x[j];
    for (int j = 0; j < N; j++) {
        double s = A[j * N + j];
        for (int k = 0; k < j; k++) s -= L[j * N + k] * L[j * N + k];
        if (s <= 0) return NAN;
        double d = L[j * N + j] = sqrt(s);
        for (int i = j + 1; i < N; i++) {
            s = A[i * N + j];
            for (int k = 0; k < j; k++) s -= L[i * N + k] * L[j * N + k];
            L[i * N + j] = s / d;
        }
        ld += 2 * log(d);
    }
    return ld + n;
}

typedef struct particle {
    double pos[3], vel[3], force[3], mass;
    int id;
} particle;
typedef struct {
    particle *p;
    int n;
    double (*pair)(double r2, const void *ctx, double *e);
    const void *ctx;
} world;
struct lj {
    double eps, sigma;
};
static double lj_pair(double r2, const void *ctx, double *e) {
    const struct lj *c = ctx;
    double s2 = c->sigma * c->sigma / r2, s6 = s2 * s2 * s2;
    *e += 4 * c->eps * (s6 * s6 - s6);
    return 24 * c->eps * (2 * s6 * s6 - s6) / r2;
}
static double forces(world *w) {
    double e = 0;
    for (particle *p = w->p; p != w->p + w->n; ++p) memset(p->force, 0, sizeof p->force);
    for (int i = 0; i < w->n; i++)
        for (int j = i + 1; j < w->n; j++) {
            particle *a = &w->p[i], *b = &w->p[j];
            double d[3], r2 = 0;
            for (int k = 0; k < 3; k++) {
                d[k] = a->pos[k] - b->pos[k];
                r2 += d[k] * d[k];
            }
            double f = w->pair(r2, w->ctx, &e);
            for (int k = 0; k < 3; k++) {
                a->force[k] += f * d[k];
                b->force[k] -= f * d[k];
            }
        }
    return e;
}
double verlet(int n, const double x[n]) {
    struct lj c = {0.2 + 0.1 * x[0] * x[0], 1.0};
    world w = {malloc(3 * sizeof(particle)), 3, lj_pair, &c};
    for (int i = 0; i < 3; i++) {
        w.p[i] = (particle){.pos = {1.2 * i, 0.1 * x[i], 0.05 * x[i + 1]}, .mass = 1 + i, .id = i};
    }
    double e = forces(&w);
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < w.n; i++)
            for (int k = 0; k < 3; k++) {
                w.p[i].vel[k] += 0.005 * w.p[i].force[k] / w.p[i].mass;
                w.p[i].pos[k] += 0.01 * w.p[i].vel[k];
            }
        e = forces(&w);
        for (int i = 0; i < w.n; i++)
            for (int k = 0; k < 3; k++) w.p[i].vel[k] += 0.005 * w.p[i].force[k] / w.p[i].mass;
    }
    for (int i = 0; i < w.n; i++)
        e += 0.5 * w.p[i].mass * (w.p[i].vel[0] * w.p[i].vel[0] + w.p[i].vel[1] * w.p[i].vel[1]);
    free(w.p);
    return e;
}

typedef struct {
    size_t size;
    double *data;
} block_t;
typedef struct {
    size_t size, stride;
    double *data;
    block_t *block;
    int owner;
} gvec;
typedef struct {
    gvec vector;
} gview;
static gvec *gvec_alloc(size_t n) {
    block_t *b = malloc(sizeof(block_t));
    gvec *v;
    if (n == 0) return NULL;
    v = (gvec *)malloc(sizeof(gvec));
    if (v == 0) return 0;
    b->size = n;
    b->data = malloc(n * sizeof(double));
    v->data = b->data;
    v->size = n;
    v->stride = 1;
    v->block = b;
    v->owner = 1;
    return v;
}
static double gget(const gvec *v, const size_t i) {
    if (i >= v->size) { abort(); }
    return v->data[i * v->stride];
}
static void gset(gvec *v, const size_t i, double x) { v->data[i * v->stride] = x; }
static gview gsub(gvec *v, size_t off, size_t stride, size_t n) {
    gview view = {{0, 0, 0, 0, 0}};
    gvec s = {0, 0, 0, 0, 0};
    s.data = v->data + off * v->stride;
    s.size = n;
    s.stride = v->stride * stride;
    s.block = v->block;
    view.vector = s;
    return view;
}
double gsl_like_vec(int n, const double x[n]) {
    gvec *v = gvec_alloc((size_t)n);
    double s = 0;
    for (int i = 0; i < n; i++) gset(v, (size_t)i, x[i] * x[i]);
    gview odd = gsub(v, 1, 2, (size_t)n / 2);
    for (size_t i = 0; i < odd.vector.size; i++) s += gget(&odd.vector, i) * gget(v, i);
    free(v->block->data);
    free(v->block);
    free(v);
    return s;
}

static int lu(double *a, int n, int *perm) {
    int sign = 1;
    for (int i = 0; i < n; i++) perm[i] = i;
    for (int k = 0; k < n; k++) {
        int p = k;
        double mx = fabs(a[perm[k] * n + k]);
        for (int i = k + 1; i < n; i++)
            if (fabs(a[perm[i] * n + k]) > mx) {
                mx = fabs(a[perm[i] * n + k]);
                p = i;
            }
        if (mx == 0) return 0;
        if (p != k) {
            int t = perm[p];
            perm[p] = perm[k];
            perm[k] = t;
            sign = -sign;
        }
        double *rk = a + perm[k] * n;
        for (int i = k + 1; i < n; i++) {
            double *ri = a + perm[i] * n, f = ri[k] /= rk[k];
            for (int j = k + 1; j < n; j++) ri[j] -= f * rk[j];
        }
    }
    return sign;
}
double lu_perm(int n, const double x[n]) {
    double a[16], det;
    int perm[4];
    for (int i = 0; i < 16; i++) a[i] = sin(x[i % n] + i * i);
    det = lu(a, 4, perm);
    for (int i = 0; i < 4; i++) det *= a[perm[i] * 4 + i];
    return det;
}

#define HID 3
struct lstm {
    double W[4][HID][HID + 1], b[4][HID];
};
struct state {
    double h[HID], c[HID];
};
static double sigm(double z) { return 1.0 / (1.0 + exp(-z)); }
static struct state lstm_step(const struct lstm *p, struct state s, double in) {
    double g[4][HID];
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < HID; ++i) {
            g[k][i] = p->b[k][i] + p->W[k][i][HID] * in;
            for (int j = 0; j < HID; ++j) g[k][i] += p->W[k][i][j] * s.h[j];
            g[k][i] = k == 3 ? tanh(g[k][i]) : sigm(g[k][i]);
        }
    for (int i = 0; i < HID; ++i) {
        s.c[i] = g[0][i] * s.c[i] + g[1][i] * g[3][i];
        s.h[i] = g[2][i] * tanh(s.c[i]);
    }
    return s;
}
double lstm_cell(int n, const double x[n]) {
    struct lstm p;
    struct state s = {{0}, {0}};
    double *w = &p.W[0][0][0];
    for (int i = 0; i < 4 * HID * (HID + 1); i++) w[i] = 0.5 * sin(i + x[i % n]);
    memset(p.b, 0, sizeof p.b);
    for (int t = 0; t < n; t++) s = lstm_step(&p, s, x[t]);
    return s.h[0] + 2 * s.h[1] * s.c[2];
}

static void conv(const double *restrict in, int h, int w, const double k[3][3], double *restrict out) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double s = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int yy = y + dy, xx = x + dx;
                    if (yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
                    s += in[yy * w + xx] * k[dy + 1][dx + 1];
                }
            out[y * w + x] = s;
        }
}
#define MAX(a, b) ((a) > (b) ? (a) : (b))
double conv_pool(int n, const double x[n]) {
    double img[16], k[3][3], out[16], s = 0;
    for (int i = 0; i < 16; i++) img[i] = cos(i) + 0.1 * x[i % n];
    for (int i = 0; i < 9; i++) k[i / 3][i % 3] = x[i % n] * (i - 4);
    conv(img, 4, 4, (const double(*)[3])k, out);
    for (int y = 0; y < 4; y += 2)
        for (int z = 0; z < 4; z += 2)
            s += MAX(MAX(out[y * 4 + z], out[y * 4 + z + 1]), MAX(out[(y + 1) * 4 + z], out[(y + 1) * 4 + z + 1]));
    return s;
}

static double asr(double (*f)(double, void *), void *ctx, double a, double b, double eps, double whole, int depth) {
    double c = (a + b) / 2, l = (c - a) / 6 * (f(a, ctx) + 4 * f((a + c) / 2, ctx) + f(c, ctx)),
           r = (b - c) / 6 * (f(c, ctx) + 4 * f((c + b) / 2, ctx) + f(b, ctx));
    if (depth <= 0 || fabs(l + r - whole) <= 15 * eps) return l + r + (l + r - whole) / 15;
    return asr(f, ctx, a, c, eps / 2, l, depth - 1) + asr(f, ctx, c, b, eps / 2, r, depth - 1);
}
static double gaussian(double t, void *ctx) {
    double *p = ctx;
    return exp(-p[0] * p[0] * t * t) + p[1] * t;
}
double quad_adaptive(int n, const double x[n]) {
    double p[2] = {x[0], x[1]};
    return asr(gaussian, p, 0, 1 + 0.1 * x[2], 1e-4, 0, 4) * n;
}

typedef struct {
    double b0, b1, b2, a1, a2, z1, z2;
} bq;
static inline double bq_run(bq *f, double in) {
    double out = in * f->b0 + f->z1;
    f->z1 = in * f->b1 + f->z2 - f->a1 * out;
    f->z2 = in * f->b2 - f->a2 * out;
    return out;
}
double biquad(int n, const double x[n]) {
    bq chain[3];
    double e = 0;
    for (int i = 0; i < 3; i++) {
        double w = 0.5 + 0.1 * x[i], al = sin(w) / 1.4, a0 = 1 + al;
        chain[i] = (bq){
            (1 - cos(w)) / 2 / a0, (1 - cos(w)) / a0, (1 - cos(w)) / 2 / a0, -2 * cos(w) / a0, (1 - al) / a0, 0, 0};
    }
    for (int t = 0; t < 12; t++) {
        double s = t < n ? x[t] : 0;
        for (bq *f = chain; f < chain + 3; f++) s = bq_run(f, s);
        e += s * s;
    }
    return e;
}
