/* SPDX-License-Identifier: Apache-2.0 */
/* CH142.c - pointers that come to point to ever more things in a loop. */
#include <chaac/grad.h>
#include <stdlib.h>

struct node {
    struct node *next;
    double v;
};
double active(int n, double x) {
    struct node a = {NULL, x}, *p = &a;
    for (int i = 0; i < n; i++) {
        struct node b = {p, x * i};
        p = &b;
    }
    return p->v;
}
CH_GRAD(active, x)
void active_grad(int n, double x, double *dx);

double inactive(int n, double x) {
    struct node a = {NULL, x}, *p = &a;
    for (int i = 0; i < n; i++) {
        struct node b = {p, x * i};
        p = &b;
    }
    double unread = p->v;
    for (int i = 0; i < n; i++) unread += x;
    return x * x;
}
CH_GRAD(inactive, x)
void inactive_grad(int n, double x, double *dx);

/* memory that a turn makes, behind the turn: of a size that changes, of a local variable */
double triangle(double x) {
    double *row[8], s = 0.0;
    for (int i = 0; i < 8; i++) row[i] = malloc((size_t)(i + 1) * sizeof *row[i]);
    for (int i = 0; i < 8; i++) row[i][i] = s += x * i;
    return row[7][7];
}
CH_GRAD(triangle, x)
void triangle_grad(double x, double *dx);

double of_the_turn(int n, const double x[CH_LEN(n)]) {
    const double *p = x;
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double q[2] = {x[i], 2 * x[i]};
        s += p[0] * q[1];
        p = q;
    }
    return s;
}
CH_GRAD(of_the_turn, x)
void of_the_turn_grad(int n, const double x[CH_LEN(n)], double dx[CH_LEN(n)]);
