/* SPDX-License-Identifier: Apache-2.0 */
/* CH125.c - arrays of pointers whose rows nothing says; rows of the caller's that are exchanged; ones of the file. */
#include <chaac/grad.h>

double active(double **a) { return a[0][0] * a[1][1]; }
CH_GRAD(active, a)
void active_grad(double **a, double **da);

CH_SHAPE(a, n, n)
double exchanged(int n, double **a) {
    double *row = a[0];
    a[0] = a[n - 1];
    a[n - 1] = row;
    return a[0][0];
}
CH_GRAD(exchanged, a)
void exchanged_grad(int n, double **a, double **da);

struct layer {
    int n;
    double *w;
};
double structs(int n, const struct layer l[CH_LEN(n)]) { return l[0].w[0] * l[1].w[0]; }
CH_GRAD(structs, l)
void structs_grad(int n, const struct layer l[CH_LEN(n)], struct layer dl[CH_LEN(n)]);

double *kept[2];
double of_the_file(double x) { return x * kept[0][0]; }
CH_GRAD(of_the_file, x)
void of_the_file_grad(double x, double *dx);

double inactive(double x, char **names) {
    char first = names[0][0];
    (void)first;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, char **names, double *dx);
