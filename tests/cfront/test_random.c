// SPDX-License-Identifier: Apache-2.0
// test_random.c - the functions that generate.c wrote: value bits, reverse against forward against differences. One
// TAP line for all: the names of those that fail follow.
#include "differences.h"
#include "random.h"

static const function functions[] = {
#define FUNCTION(f) {#f, (function_f)f, (function_vg)f##_vg, (function_jvp)f##_jvp},
#include "random.def"
#undef FUNCTION
};

int main(void) {
    int n = (int)(sizeof functions / sizeof *functions), failed = 0;
    for (int i = 0; i < n; i++) {
        const char *wrong = NULL;
        double by = 0, x[NUMBERS];
        for (int k = 0; k < 4 && wrong == NULL; k++) {
            for (int j = 0; j < NUMBERS; j++) x[j] = random_number();
            wrong = compare_all(&functions[i], x, 1e-5, 1e-6, &by) /* some hold a float */;
        }
        failed += wrong != NULL;
        if (wrong) printf("# %s: %s (by %g)\n", functions[i].name, wrong, by);
    }
    printf("%sok 1 - %d random functions, %d wrong\n1..1\n", failed ? "not " : "", n, failed);
    return failed > 0;
}
