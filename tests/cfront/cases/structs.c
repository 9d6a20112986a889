/* SPDX-License-Identifier: Apache-2.0 */
/* structs.c - pointers to structs that are walked over: how many there are has to stand somewhere. */
#include <chaac/grad.h>

struct point {
    double x, y;
    int kind;
};

double said(int n, const struct point b[CH_LEN(n)]);
double said(int n, const struct point *b) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += b[i].x * b[i].y;
    return s;
}
CH_GRAD(said, b)
void said_grad(int n, const struct point *b, struct point *db);

double unsaid(int n, const struct point *b) {
    double s = 0.0;
    for (const struct point *p = b; p < b + n; p++) s += p->x * p->y;
    return s;
}
#ifdef UNSAID
CH_GRAD(unsaid, b)
void unsaid_grad(int n, const struct point *b, struct point *db);

double read_only(int n, const struct point *b, double k) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += k * b[i].x;
    return s;
}
CH_GRAD(read_only, k)
void read_only_grad(int n, const struct point *b, double k, double *dk);

CH_SHAPE(x, n)
CH_SHAPE(y, n)
void counts(int n, const double *x, int *kinds, double *y);
void counts(int n, const double *x, int *kinds, double *y) {
    for (int i = 0; i < n; i++) kinds[i] = x[i] > 0.0, y[i] = x[i] * x[i];
}
CH_JVP(counts, x)
void counts_jvp(int n, const double *x, const double *x_t, int *kinds, double *y, double *y_t);
#endif
#ifdef LATE
CH_SHAPE(b, n)
double unsaid(int n, const struct point *b);
#endif
