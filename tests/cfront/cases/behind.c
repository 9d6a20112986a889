/* SPDX-License-Identifier: Apache-2.0 */
/* behind.c - pointers behind parameters that are not followed, and what is not known of those that are. */
#include <chaac/grad.h>

struct node {
    double v;
    struct node *next;
};
double list(const struct node *l) {
    double s = 0;
    for (; l; l = l->next) s += l->v;
    return s;
}
CH_GRAD(list, l)
void list_grad(const struct node *l, struct node *dl);

typedef struct {
    int n;
    double *a, **rows;
    struct node *several;
} arr;
double rows(const arr *t) { return t->rows[0][0]; }
CH_GRAD(rows, t)
void rows_grad(const arr *t, arr *dt);

double in_several(int n, const arr t[n]) {
    double s = 0;
    for (int i = 0; i < n; i++) s += t[i].a[0];
    return s;
}
CH_GRAD(in_several, t)
void in_several_grad(int n, const arr t[n], arr dt[n]);

double extent(const arr *t, const double *x) {
    double s = *x;
    for (int i = 0; i < t->n; i++) s += t->a[i] + t->several[i].v;
    return s;
}
CH_GRAD(extent, t)
void extent_grad(const arr *t, const double *x, arr *dt);
CH_GRAD(extent, x)
void extent_known(const arr *t, const double *x, double *dx);

double two_types(const void *p) { return ((const arr *)p)->a[0] + ((const double *)p)[0]; }
CH_GRAD(two_types, p)
void two_types_grad(const void *p, arr *dp);

struct closure {
    double (*f)(double, void *);
    void *params;
};
double call(const struct closure *c, double x) { return c->f(x, c->params); }
CH_GRAD(call, x)
void call_grad(const struct closure *c, double x, double *dx);

double untyped(const void *p, double x) { return p ? x * x : x; }
CH_GRAD(untyped, x)
void untyped_grad(const void *p, double x, double *dx);

double wrong_shadow(const void *p) { return ((const arr *)p)->a[0]; }
CH_GRAD(wrong_shadow, p)
void wrong_shadow_grad(const void *p, struct node *dp);
