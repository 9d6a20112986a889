// SPDX-License-Identifier: Apache-2.0
// bench.h - a clock, the fastest and the middle of several runs, and one JSON line per result.
#ifndef CHAAC_BENCH_H
#define CHAAC_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What SCRIPT NAME of the Python in $CHAAC_BENCH_PYTHON (python3) prints, a number; 0 when it fails: a library that it
// needs is not there. Scripts lie in bench/.
static inline double bench_by_python(const char *script, const char *name) {
    const char *python = getenv("CHAAC_BENCH_PYTHON");
    char command[700], line[200] = "";
    snprintf(command, sizeof command, "'%.400s' bench/%.100s %.100s 2>/dev/null", python != NULL ? python : "python3",
             script, name);
    FILE *f = popen(command, "r");
    if (f == NULL) return 0;
    char *said = fgets(line, sizeof line, f);
    return pclose(f) == 0 && said != NULL ? strtod(line, NULL) : 0;
}

// One result: what was measured n times, in unit; least is better, and bar (0: none) is what it should stay under.
static inline void bench_report(const char *name, double *runs, int n, const char *unit, double bar) {
    qsort(runs, (size_t)n, sizeof *runs, bench_order);
    printf("{\"name\": \"%s\", \"min\": %.4g, \"median\": %.4g, \"runs\": %d, \"unit\": \"%s\"", name, runs[0],
           runs[n / 2], n, unit);
    if (bar > 0) printf(", \"bar\": %g, \"within\": %s", bar, runs[0] <= bar ? "true" : "false");
    printf("}\n");
    fflush(stdout);
}

#endif
