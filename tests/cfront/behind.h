/* SPDX-License-Identifier: Apache-2.0 */
/* behind.h - structs with pointers in them as parameters, void * among them, and the derivatives the test asks for. */
#ifndef BEHIND_H
#define BEHIND_H
#include <chaac/grad.h>

typedef struct {
    size_t size, stride;
    double *data;
    int owner;
} vec;
CH_SHAPE(v->data, v->size * v->stride)
double norm(const vec *v);
CH_VALUE_AND_GRAD(norm, v)
double norm_vg(const vec *v, vec *dv);
CH_JVP(norm, v)
double norm_jvp(const vec *v, const vec *v_t, double *value_t);

/* extents said where the struct is */
struct mat {
    int n, m;
    CH_SHAPE(a, n, m) double *a;
};
struct layer {
    struct mat w;
    int len;
    CH_SHAPE(b, len) const double *b;
    double scale;
};
double apply(const struct layer *l, int n, const double p[n]);
CH_VALUE_AND_GRAD(apply, l, p)
double apply_vg(const struct layer *l, int n, const double p[n], struct layer *dl, double dp[n]);
CH_JVP(apply, l, p)
double apply_jvp(const struct layer *l, const struct layer *l_t, int n, const double p[n], const double p_t[n],
                 double *value_t);

/* by value; a pointer in a struct in a struct; structs behind a pointer that are several */
struct point {
    double x, y;
};
struct cloud {
    int n;
    CH_SHAPE(at, n) struct point *at;
    struct {
        CH_SHAPE(w, 3) double *w;
        const struct mat *turn;
    } in;
};
double spread(struct cloud c, double k);
CH_VALUE_AND_GRAD(spread, c, k)
double spread_vg(struct cloud c, double k, struct cloud *dc, double *dk);
CH_JVP(spread, c, k)
double spread_jvp(struct cloud c, struct cloud c_t, double k, double k_t, double *value_t);

/* what void * leads to, in two steps */
struct extra {
    double c;
    double *w;
};
struct params {
    double *k;
    int n;
    void *more;
};
CH_SHAPE(params->k, params->n)
double voided(double x, void *params);
CH_VALUE_AND_GRAD(voided, x, params)
double voided_vg(double x, void *params, double *dx, struct params *dparams);
CH_JVP(voided, x, params)
double voided_jvp(double x, double x_t, void *params, void *params_t, double *value_t);

/* a struct that is written through */
CH_SHAPE(y->data, y->size)
CH_SHAPE(x->data, x->size)
void axpy(double a, const vec *x, vec *y);
CH_VJP(axpy, a, x, y)
void axpy_vjp(double a, const vec *x, vec *y, const vec *y_bar, double *a_bar, vec *x_bar, vec *yb);
CH_JVP(axpy, a, x, y)
void axpy_jvp(double a, double a_t, const vec *x, const vec *x_t, vec *y, vec *y_t);

/* one pointer is moved on, another one replaced: neither changes what the caller has */
struct walk {
    int n;
    CH_SHAPE(from, n) const double *from;
    CH_SHAPE(to, n) double *to;
};
double walked(struct walk *w, double k);
CH_VALUE_AND_GRAD(walked, w, k)
double walked_vg(struct walk *w, double k, struct walk *dw, double *dk);

/* arrays of pointers to rows */
CH_SHAPE(a, n, m)
double rows(double **a, int n, int m, const double x[m]);
CH_VALUE_AND_GRAD(rows, a, x)
double rows_vg(double **a, int n, int m, const double x[m], double **da, double dx[m]);
CH_JVP(rows, a, x)
double rows_jvp(double **a, double **a_t, int n, int m, const double x[m], const double x_t[m], double *value_t);
struct table {
    int n, m;
    CH_SHAPE(v, n, m + 1) const double **v;
};
double walked_rows(const struct table *t);
CH_VALUE_AND_GRAD(walked_rows, t)
double walked_rows_vg(const struct table *t, struct table *dt);
CH_JVP(walked_rows, t)
double walked_rows_jvp(const struct table *t, const struct table *t_t, double *value_t);
CH_SHAPE(a, n, n)
CH_SHAPE(l, n, n)
void cholesky(int n, double **a, double **l);
CH_VJP(cholesky, a)
void cholesky_vjp(int n, double **a, double **l, double **l_bar, double **a_bar);
CH_JVP(cholesky, a)
void cholesky_jvp(int n, double **a, double **a_t, double **l, double **l_t);
#endif
