// SPDX-License-Identifier: Apache-2.0
// test_language.c - every function that FUNCTIONS (language.def and its like, chosen by the build) lists, at several
// points: value bits, reverse against forward against differences. TAP.
#include "differences.h"
#include "functions.h"

static const function functions[] = {
#define FUNCTION(f) {#f, (function_f)f, (function_vg)f##_vg, (function_jvp)f##_jvp},
#include FUNCTIONS
#undef FUNCTION
};

// C as people write it: these keep memory that nobody frees. What is generated of them may not.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:^cube_of_mallocs$\nleak:^filled$\nleak:^memory_of_turns$\nleak:^vector$\n";
}

int main(void) {
    int n = (int)(sizeof functions / sizeof *functions), failed = 0;
    for (int i = 0; i < n; i++) {
        const char *wrong = NULL;
        double by = 0, x[NUMBERS];
        // Numbers of float, and a derivative that is zero by decree.
        bool single = strncmp(functions[i].name, "f32_", 4) == 0; // rounded hundreds of times
        bool rough = strcmp(functions[i].name, "single_precision") == 0 ||
                     strcmp(functions[i].name, "stop_here") == 0 || strcmp(functions[i].name, "iir_biquad") == 0 ||
                     single;
        for (int k = 0; k < 12 && wrong == NULL; k++) {
            for (int j = 0; j < NUMBERS; j++) x[j] = random_number();
            wrong = compare_all(&functions[i], x, rough ? 0.0 : 1e-6, single ? 1e-4 : rough ? 1e-6 : 1e-9, &by);
        }
        failed += wrong != NULL;
        printf("%sok %d - %.*s: %s", wrong ? "not " : "", i + 1, (int)strcspn(FUNCTIONS, "."), FUNCTIONS,
               functions[i].name);
        if (wrong) printf(": %s (by %g)", wrong, by);
        printf("\n");
    }
    printf("1..%d\n", n);
    return failed > 0;
}
