/* SPDX-License-Identifier: Apache-2.0 */
/* behind.c - what behind.h declares. */
#include "behind.h"

#include <math.h>

double norm(const vec *v) {
    double s = 0;
    for (size_t i = 0; i < v->size; i++) s += v->data[i * v->stride] * v->data[i * v->stride];
    return sqrt(s);
}

double apply(const struct layer *l, int n, const double p[n]) {
    double s = 0;
    for (int i = 0; i < l->w.n; i++) {
        double t = l->b[i];
        for (int j = 0; j < l->w.m && j < n; j++) t += l->w.a[i * l->w.m + j] * p[j];
        s += tanh(t) * l->scale;
    }
    return s;
}

double spread(struct cloud c, double k) {
    double s = 0.0, mx = 0.0, my = 0.0;
    for (const struct point *q = c.at; q < c.at + c.n; q++) {
        mx += q->x / c.n;
        my += q->y / c.n;
    }
    for (int i = 0; i < c.n; i++) {
        const double *r = c.in.turn->a;
        double x = c.at[i].x - mx, y = c.at[i].y - my, u = r[0] * x + r[1] * y, v = r[2] * x + r[3] * y;
        s += c.in.w[i] * (u * u + k * sin(v));
    }
    return s;
}

double voided(double x, void *params) {
    const struct params *p = (struct params *)params;
    const struct extra *e = p->more;
    double s = e->c;
    for (int i = 0; i < p->n; i++) s = s * x + p->k[i] * *e->w;
    return s;
}

void axpy(double a, const vec *x, vec *y) {
    for (size_t i = 0; i < x->size; i++) y->data[i] = sin(y->data[i]) + a * x->data[i];
}

double walked(struct walk *w, double k) {
    double buffer[8], s = 0.0;
    for (int i = 0; i < w->n && i < 8; i++) buffer[i] = k * w->to[i];
    for (int i = 0; i < w->n && i < 8; i++) s += *w->from++ * buffer[i];
    w->to = buffer;
    for (int i = 0; i < w->n && i < 8; i++) s += w->to[i] * w->to[i] * w->from[-1];
    w->from -= w->n < 8 ? w->n : 8;
    return s;
}

double rows(double **a, int n, int m, const double x[m]) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        double t = 0, *row = a[i];
        for (int j = 0; j < m; j++) t += row[j] * x[j];
        s += tanh(t) * a[i][m - 1];
    }
    return s;
}

double walked_rows(const struct table *t) {
    double s = 0;
    for (int i = 0; i < t->n; i++)
        for (const double *p = t->v[i], *e = t->v[i] + t->m; p < e; p++) s += *p * p[1];
    return s;
}

void cholesky(int n, double **a, double **l) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = a[i][j];
            for (int k = 0; k < j; k++) s -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(s) : s / l[j][j];
        }
}
