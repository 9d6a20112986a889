/* SPDX-License-Identifier: Apache-2.0 */
/* CH130.c - static variables that something may write. */
#include <chaac/grad.h>
#include <stdio.h>

static double scale = 1.0;
static double table[2] = {1.0, 2.0};
static double *const alias = table;
static int verbose;
static struct node {
    struct node *next;
    double v;
} * list;
double weight;

void set(double v, int on) {
    double *p = &scale;
    *p = v;
    alias[1] = v;
    verbose = on;
}

double active(double x) {
    double y = x * scale;
    return y * table[1];
}
CH_GRAD(active, x)
void active_grad(double x, double *dx);

double pointers(double x) { return x * list->v; }
CH_GRAD(pointers, x)
void pointers_grad(double x, double *dx);

double hidden(double x) { return x * weight; }
CH_GRAD(hidden, x)
void hidden_grad(double x, double *weight);

double inactive(double x) {
    if (verbose) printf("%g\n", x);
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(double x, double *dx);
