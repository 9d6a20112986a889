// SPDX-License-Identifier: Apache-2.0
// native_main.h - main of tests of the native engine: where code is kept, and a skip where there is no compiler.
#ifndef CHAAC_TESTS_NATIVE_MAIN_H
#define CHAAC_TESTS_NATIVE_MAIN_H

#include <stdio.h>
#include <stdlib.h>

#include "../kernels.h"
#include "chaac/chaac.h"
#include "native/native.h"

// alone: the test counts compiles, so no other's code may be there (kernels.h).
static inline int native_main_with(int (*run)(void), bool alone) {
    int failed = 0;
    if (!kernels_begin(alone)) return 1;
    setenv("CHAAC_TIERS", "off", 0); // tests look at what code computes
    if (ch__native_compiler() != NULL)
        failed = run();
    else
        printf("1..0 # SKIP no C compiler is found: gcc or clang has to be installed\n");
    ch_thread_end();
    return !kernels_end() || failed;
}

static inline int native_main(int (*run)(void)) { return native_main_with(run, false); }
static inline int native_main_alone(int (*run)(void)) { return native_main_with(run, true); }

#endif
