// SPDX-License-Identifier: Apache-2.0
// test_edges.c - derivatives with nothing to go through, with one element, with ten million turns, and when each piece
// of memory they ask for is refused in turn: CH_OOM is called, nothing is lost, nothing crashes. TAP.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edges_memory.h"
#include "edges.h"

static int tests, failed;
static void result(int ok, const char *what) {
    tests++;
    failed += !ok;
    printf("%sok %d - %s\n", ok ? "" : "not ", tests, what);
}

long edges_asked, edges_alive, edges_refuse_from;
int edges_told;
static int refused(void) { return edges_refuse_from > 0 && ++edges_asked >= edges_refuse_from; }
void *edges_malloc(size_t n) {
    void *p = refused() ? NULL : malloc(n);
    edges_alive += p != NULL;
    return p;
}
void *edges_calloc(size_t n, size_t size) {
    void *p = refused() ? NULL : calloc(n, size);
    edges_alive += p != NULL;
    return p;
}
void *edges_realloc(void *old, size_t n) {
    void *p = refused() ? NULL : realloc(old, n);
    edges_alive += p != NULL && old == NULL;
    return p;
}
void edges_free(void *p) {
    edges_alive -= p != NULL;
    free(p);
}
void edges_no_memory(size_t bytes) {
    (void)bytes;
    edges_told++;
}

static int near_to(double a, double b, double tolerance) { return fabs(a - b) <= tolerance * (1 + fabs(a) + fabs(b)); }

static void few_elements(void) {
    double x[2] = {0.7, -0.4}, g[2] = {9, 9};
    double v = chain_vg(0, x, g), w = chain(0, x);
    result(memcmp(&v, &w, sizeof v) == 0 && g[0] == 9, "no element: the value, and nothing is written");
    v = chain_vg(1, x, g);
    w = chain(1, x);
    result(memcmp(&v, &w, sizeof v) == 0 && g[0] == 1.4 && g[1] == 9, "one element");
    double dw[1] = {9}, dx[1] = {9};
    v = mixed_vg(0, 0, x, x, dw, dx);
    result(v == 0 && dw[0] == 9 && dx[0] == 9, "an empty matrix");
    v = mixed_vg(0, 1, x, x, dw, dx);
    result(v == 0 && dw[0] == 9 && dx[0] == 0, "no row: the derivative by the column is zero");
    v = mixed_vg(1, 1, x, x + 1, dw, dx);
    double h = tanh(0.7 * -0.4), d = 2 * h * (1 - h * h);
    result(near_to(v, h * h, 1e-15) && near_to(dw[0], d * -0.4, 1e-14) && near_to(dx[0], d * 0.7, 1e-14), "one by one");
    double da = 9, db = 9;
    v = ladder_vg(0.5, 0.25, 0, &da, &db);
    result(v == 0.125 && da == 0.25 && db == 0.5, "no turn");
    v = ladder_vg(0.5, 0.25, -3, &da, &db);
    result(v == 0.125 && da == 0.25 && db == 0.5, "fewer than none");
    settle_grad(0.01, 0.5, &da);
    result(da == 1, "a condition that never holds");
}

static void many_turns(void) {
    enum { TURNS = 10000000 };
    double da, db, h = 1e-4, v = ladder_vg(0.5, 0.9, TURNS, &da, &db), w = ladder(0.5, 0.9, TURNS);
    double sa = (ladder(0.5 + h, 0.9, TURNS) - ladder(0.5 - h, 0.9, TURNS)) / (2 * h);
    result(memcmp(&v, &w, sizeof v) == 0, "ten million turns: the value");
    result(near_to(da, sa, 1e-6), "ten million turns: the derivative");
    settle_grad(1.0, 1e-6, &da);
    double ss = (settle(1.0 + h, 1e-6) - settle(1.0 - h, 1e-6)) / (2 * h);
    result(near_to(da, ss, 1e-6) || fabs(ss) > 1e-3, "ten million turns of a while");
}

// Each request in turn is refused, and all after it.
static void no_memory(void) {
    double x[6] = {0.3, -0.2, 0.5, 0.1, 0.9, -0.7}, dw[6], dx[2], da, db;
    int told = 1, lost = 0;
    long at = 1;
    for (; at < 200 && told; at++) {
        told = edges_told = 0;
        edges_alive = edges_asked = 0;
        edges_refuse_from = at;
        ladder_vg(0.5, 0.9, 1000, &da, &db);
        settle_grad(1.0, 0.01, &da);
        mixed_vg(3, 2, x, x, dw, dx);
        edges_refuse_from = 0;
        told = edges_told;
        lost += edges_alive != 0;
    }
    result(at > 4 && at < 200, "every piece of memory was refused once, and CH_OOM told");
    result(lost == 0, "nothing was lost");
}

int main(void) {
    few_elements();
    many_turns();
    no_memory();
    printf("1..%d\n", tests);
    return failed > 0;
}
