/* SPDX-License-Identifier: Apache-2.0 */
/* CH142.c - pointers that come to point to ever more things in a loop. */
#include <chaac/grad.h>

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
