// SPDX-License-Identifier: Apache-2.0
// test_random.c - the functions that generate.c wrote: value bits, reverse against forward against differences, and
// variants against the plain function. One TAP line for all: the names of those that fail follow.
#include "differences.h"
#include "random.h"

static const function functions[] = {
#define FUNCTION(f) {#f, (function_f)f, (function_vg)f##_vg, (function_jvp)f##_jvp},
#define VARIANT(of, f, bits)
#include "random.def"
#undef FUNCTION
#undef VARIANT
};

static const char *const floats[] = {
#define FLOATS(f) #f,
#include "floats.def"
#undef FLOATS
    NULL};

// Differences do not see what is smaller than a step of a float.
static double tolerance_of(const function *f) {
    for (int i = 0; floats[i] != NULL; i++)
        if (strcmp(floats[i], f->name) == 0) return 2.5e-4;
    return 1e-5;
}

typedef struct {
    const char *name;
    function_f f, other_f;
    function_vg vg, other_vg;
    bool bits;
} variant;
static const variant variants[] = {
#define FUNCTION(f)
#define VARIANT(of, other, bits)                                                                                       \
    {#other, (function_f)of, (function_f)other, (function_vg)of##_vg, (function_vg)other##_vg, bits},
#include "random.def"
#undef FUNCTION
#undef VARIANT
    {0}};

// The same values, bit for bit; the same derivatives, or nearly so.
static const char *compare_variant(const variant *w, const double *x) {
    double g[NUMBERS], h[NUMBERS], largest = 0;
    double v = w->f(NUMBERS, x), o = w->other_f(NUMBERS, x);
    if (memcmp(&v, &o, sizeof v) != 0 && !(isnan(v) && isnan(o))) return "its value has other bits than the plain one";
    v = w->vg(NUMBERS, x, g);
    o = w->other_vg(NUMBERS, x, h);
    if (memcmp(&v, &o, sizeof v) != 0 && !(isnan(v) && isnan(o))) return "the value beside the gradient has other bits";
    if (w->bits && memcmp(g, h, sizeof g) != 0) return "its gradient has other bits than the plain one";
    for (int i = 0; i < NUMBERS; i++) largest = fabs(g[i]) > largest ? fabs(g[i]) : largest;
    for (int i = 0; i < NUMBERS; i++)
        if (!close_to(g[i], h[i], 1e-12) && !(fabs(g[i] - h[i]) <= 1e-11 * largest)) return "its gradient differs";
    return NULL;
}

int main(void) {
    int n = (int)(sizeof functions / sizeof *functions), failed = 0;
    for (int i = 0; i < n; i++) {
        const char *wrong = NULL;
        double by = 0, x[NUMBERS];
        for (int k = 0; k < 4 && wrong == NULL; k++) {
            for (int j = 0; j < NUMBERS; j++) x[j] = random_number();
            wrong = compare_all(&functions[i], x, tolerance_of(&functions[i]), 1e-6, &by);
        }
        failed += wrong != NULL;
        if (wrong) printf("# %s: %s (by %g)\n", functions[i].name, wrong, by);
    }
    int others = (int)(sizeof variants / sizeof *variants) - 1;
    for (int i = 0; i < others; i++) {
        const char *wrong = NULL;
        double x[NUMBERS];
        for (int k = 0; k < 4 && wrong == NULL; k++) {
            for (int j = 0; j < NUMBERS; j++) x[j] = random_number();
            wrong = compare_variant(&variants[i], x);
        }
        failed += wrong != NULL;
        if (wrong) printf("# %s: %s\n", variants[i].name, wrong);
    }
    if (others > 0) printf("# %d variants\n", others);
    printf("%sok 1 - %d random functions, %d wrong\n1..1\n", failed ? "not " : "", n, failed);
    return failed > 0;
}
