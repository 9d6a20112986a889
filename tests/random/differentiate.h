// SPDX-License-Identifier: Apache-2.0
// differentiate.h - what the tests of random differentiable funcs share: the families of funcs, the run over seeds,
// what breaks shrunk and kept, differences of values, and which ops stood in how many of the funcs.
#ifndef CHAAC_TESTS_DIFFERENTIATE_H
#define CHAAC_TESTS_DIFFERENTIATE_H

#include "diff/diff.h"
#include "gen/gen.h"

typedef struct diff_job {
    uint64_t seed;
    const ch__gen_options *o;
    char what[512];       // what went wrong; empty: nothing
    int64_t judged, bent; // slopes, and those that bend too much for differences
    int64_t detached;     // funcs whose inputs all miss the result
} diff_job;

typedef struct diff_test {
    const char *name, *title;                       // of kept files; of TAP cases
    uint64_t count;                                 // seeds a family when the command line says none
    void (*compare)(diff_job *j, const ch_func *f); // says in j->what what is wrong; may raise
} diff_test;

// [FIRST_SEED [COUNT]]: COUNT funcs of each family. One TAP case a family; at most a tenth of the slopes may bend too
// much; every op with a derivative stands in at least five funcs, at least half of which hold a loop or a branch (runs
// of at least t->count). 1000 and more: what stood in how many funcs is printed.
int diff_main(int argc, char **argv, const diff_test *t);

// f's first result.
double diff_value(ch__arena *a, const ch_func *f, const ch__array *in);
// (y(-2h) - 8 y(-h) + 8 y(h) - y(2h)) / 12h
double diff_slope(double (*y)(void *arg, double at), void *arg, double h);
// got against differences with two steps, h and h / 2, that agree to `same`; it is wrong when it is not within `right`.
void diff_judge(diff_job *j, double (*y)(void *arg, double at), void *arg, double h, double same, double right,
                double got, const char *what);
int64_t diff_count(const ch__array *x);

#endif
