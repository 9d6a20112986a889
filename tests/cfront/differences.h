// SPDX-License-Identifier: Apache-2.0
// differences.h - derivatives of a function of n numbers against each other and against differences of its values.
#ifndef DIFFERENCES_H
#define DIFFERENCES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 7 };
typedef double (*function_f)(int n, const double x[]);
typedef double (*function_vg)(int n, const double x[], double dx[]);
typedef double (*function_jvp)(int n, const double x[], const double t[], double *value_t);
typedef struct function {
    const char *name;
    function_f f;
    function_vg vg;
    function_jvp jvp;
} function;

static uint64_t differences_seed = 1;
static inline double random_number(void) { // between -1.5 and 1.5
    uint64_t z = (differences_seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 * 3.0 - 1.5;
}

// Central differences with one step of Richardson's extrapolation.
static inline double slope(const function *f, const double *x, int i, double h) {
    double y[NUMBERS], d[2];
    memcpy(y, x, sizeof y);
    for (int k = 0; k < 2; k++, h /= 2) {
        y[i] = x[i] + h;
        double up = f->f(NUMBERS, y);
        y[i] = x[i] - h;
        d[k] = (up - f->f(NUMBERS, y)) / (2 * h);
    }
    return (4 * d[1] - d[0]) / 3;
}

static inline double one_sided(const function *f, const double *x, int i, double value, double h) {
    double y[NUMBERS];
    memcpy(y, x, sizeof y);
    y[i] = x[i] + h;
    return (f->f(NUMBERS, y) - value) / h;
}

static inline int close_to(double a, double b, double tolerance) {
    if (!isfinite(a) || !isfinite(b)) return (isnan(a) && isnan(b)) || a == b;
    return fabs(a - b) <= tolerance * (1 + fabs(a) + fabs(b));
}

// NULL, or what is wrong. tolerance: of differences; 0: not taken. agree: of the two modes.
static inline const char *compare_all(const function *f, const double *x, double tolerance, double agree, double *out) {
    double g[NUMBERS], t[NUMBERS], value_t, dot = 0;
    for (int i = 0; i < NUMBERS; i++) t[i] = random_number();
    double value = f->f(NUMBERS, x), v = f->vg(NUMBERS, x, g);
    *out = v - value;
    if (memcmp(&v, &value, sizeof v) != 0 && !(isnan(v) && isnan(value))) return "the value has other bits";
    v = f->jvp(NUMBERS, x, t, &value_t);
    if (memcmp(&v, &value, sizeof v) != 0 && !(isnan(v) && isnan(value)))
        return "the value of forward mode has other bits";
    for (int i = 0; i < NUMBERS; i++) dot += g[i] * t[i];
    *out = dot - value_t;
    double size = 0;
    for (int i = 0; i < NUMBERS; i++) size += fabs(g[i] * t[i]);
    if (!close_to(dot, value_t, agree) && !(fabs(dot - value_t) <= agree * size))
        return "forward and reverse mode differ";
    // of values this large differences say nothing
    for (int i = 0; i < NUMBERS && tolerance > 0 && fabs(value) < 1e10; i++) {
        double s = slope(f, x, i, 1e-4);
        // a kink, a step, or nothing that differences show
        if (!close_to(s, slope(f, x, i, 3e-5), tolerance) || !close_to(s, slope(f, x, i, 3e-4), tolerance)) continue;
        if (!close_to(s, one_sided(f, x, i, value, 1e-6), 1e-2) || !close_to(s, one_sided(f, x, i, value, -1e-6), 1e-2))
            continue;
        *out = g[i] - s;
        if (!close_to(g[i], s, 4 * tolerance) && fabs(g[i] - s) > fabs(value) * 1e-9)
            return "differences of the values give another slope";
    }
    return NULL;
}

#endif
